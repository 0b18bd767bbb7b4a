//! Messages as JavaScript objects.
//!
//! The one place that knows how Rust data looks in JavaScript: 64-bit numbers are `bigint`
//! (always, so that a reader need not look at the size), maps are plain objects, what is
//! missing is `null`.
//!
//! Blobs and bytes stand beside the data, as members `file` and `bytes` of the message's
//! object. [`write_request`] and [`write_message`] put them there, [`read_request`] and
//! [`read_message`] take them out again.

use js_sys::{Object, Reflect, Uint8Array};
use serde::Serialize;
use serde::de::DeserializeOwned;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::Blob;

use super::protocol::{Envelope, Message};

/// Every option spelled out: the defaults refuse `u64::MAX` and make maps of maps.
const SERIALIZER: serde_wasm_bindgen::Serializer = serde_wasm_bindgen::Serializer::new()
    .serialize_missing_as_null(true)
    .serialize_maps_as_objects(true)
    .serialize_large_number_types_as_bigints(true)
    .serialize_bytes_as_arrays(false);

/// Data as a JavaScript value.
///
/// # Errors
///
/// When it holds something that JavaScript has no form for; says what, in words.
pub fn to_js<T: Serialize + ?Sized>(data: &T) -> Result<JsValue, String> {
    data.serialize(&SERIALIZER)
        .map_err(|error| error.to_string())
}

/// Data from a JavaScript value.
///
/// # Errors
///
/// When it has another shape; says how, in words.
pub fn from_js<T: DeserializeOwned>(value: JsValue) -> Result<T, String> {
    serde_wasm_bindgen::from_value(value).map_err(|error| error.to_string())
}

/// A request and the file that goes with it.
///
/// # Errors
///
/// As [`to_js`].
pub fn write_request(envelope: &Envelope, file: Option<&Blob>) -> Result<JsValue, String> {
    let message = to_js(envelope)?;
    if let Some(file) = file {
        put(&message, "file", file)?;
    }
    Ok(message)
}

/// The other way of [`write_request`].
///
/// # Errors
///
/// As [`from_js`].
pub fn read_request(message: &JsValue) -> Result<(Envelope, Option<Blob>), String> {
    let file = take(message, "file").and_then(|file| file.dyn_into().ok());
    Ok((from_js(message.clone())?, file))
}

/// A message and the bytes that go with it. Their buffer can be transferred.
///
/// # Errors
///
/// As [`to_js`].
pub fn write_message(message: &Message, bytes: Option<&Uint8Array>) -> Result<JsValue, String> {
    let object = to_js(message)?;
    if let Some(bytes) = bytes {
        put(&object, "bytes", bytes)?;
    }
    Ok(object)
}

/// The other way of [`write_message`].
///
/// # Errors
///
/// As [`from_js`].
pub fn read_message(object: &JsValue) -> Result<(Message, Option<Uint8Array>), String> {
    let bytes = take(object, "bytes").and_then(|bytes| bytes.dyn_into().ok());
    Ok((from_js(object.clone())?, bytes))
}

fn put(object: &JsValue, name: &str, value: &JsValue) -> Result<(), String> {
    Reflect::set(object, &name.into(), value)
        .map(drop)
        .map_err(|_| format!("the message takes no member {name}"))
}

/// Takes a member out: an enum is an object with exactly one member, and another one beside
/// it would make it unreadable.
fn take(object: &JsValue, name: &str) -> Option<JsValue> {
    let object = object.dyn_ref::<Object>()?;
    let name = JsValue::from(name);
    let value = Reflect::get(object, &name).ok()?;
    if value.is_undefined() {
        return None;
    }
    Reflect::delete_property(object, &name).ok()?;
    Some(value)
}
