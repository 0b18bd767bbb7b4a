//! Messages on their way.
//!
//! A message is one JavaScript object: the data in the member `data`, in postcard's compact
//! form, beside it what must not be copied: the `file` of a request, the `bytes` of an answer.
//! Objects with a member for each field would be ten times slower both ways, and the code
//! that makes and reads them a fifth of what a visitor downloads.

use js_sys::{Object, Reflect, Uint8Array};
use serde::Serialize;
use serde::de::DeserializeOwned;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::Blob;

use super::protocol::{Envelope, Message};

/// A request and the file that goes with it. Its id stands in a member of its own, for those
/// who cannot read the rest.
///
/// # Errors
///
/// When the engine takes no member; says so in words.
pub fn write_request(envelope: &Envelope, file: Option<&Blob>) -> Result<JsValue, String> {
    let message = pack(envelope)?;
    put(&message, "id", &envelope.id.into())?;
    if let Some(file) = file {
        put(&message, "file", file)?;
    }
    Ok(message)
}

/// The other way of [`write_request`].
///
/// # Errors
///
/// When it is no such message; says how, in words.
pub fn read_request(message: &JsValue) -> Result<(Envelope, Option<Blob>), String> {
    let file = member(message, "file").and_then(|file| file.dyn_into().ok());
    Ok((unpack(message)?, file))
}

/// A message and the bytes that go with it. Their buffer can be transferred.
///
/// # Errors
///
/// As [`write_request`].
pub fn write_message(message: &Message, bytes: Option<&Uint8Array>) -> Result<JsValue, String> {
    let object = pack(message)?;
    if let Some(bytes) = bytes {
        put(&object, "bytes", bytes)?;
    }
    Ok(object)
}

/// The other way of [`write_message`].
///
/// # Errors
///
/// As [`read_request`].
pub fn read_message(object: &JsValue) -> Result<(Message, Option<Uint8Array>), String> {
    let bytes = member(object, "bytes").and_then(|bytes| bytes.dyn_into().ok());
    Ok((unpack(object)?, bytes))
}

fn pack<T: Serialize>(data: &T) -> Result<JsValue, String> {
    let bytes = postcard::to_allocvec(data).map_err(|error| error.to_string())?;
    let object = JsValue::from(Object::new());
    put(&object, "data", &Uint8Array::from(bytes.as_slice()))?;
    Ok(object)
}

fn unpack<T: DeserializeOwned>(object: &JsValue) -> Result<T, String> {
    let data = member(object, "data").and_then(|data| data.dyn_into::<Uint8Array>().ok());
    let data = data.ok_or("the message has no data")?;
    postcard::from_bytes(&data.to_vec()).map_err(|error| error.to_string())
}

fn put(object: &JsValue, name: &str, value: &JsValue) -> Result<(), String> {
    Reflect::set(object, &name.into(), value)
        .map(drop)
        .map_err(|_| format!("unknown message member {name}"))
}

fn member(object: &JsValue, name: &str) -> Option<JsValue> {
    let object = object.dyn_ref::<Object>()?;
    let value = Reflect::get(object, &JsValue::from(name)).ok()?;
    (!value.is_undefined()).then_some(value)
}
