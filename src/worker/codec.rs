//! Encoding of messages as JavaScript objects.
//!
//! A message is one object: the data in the member `data`, in postcard's compact form, next to
//! members that must not be copied: the `file` of a request, the `bytes` of a response. Objects
//! with a member for each field would be ten times slower in both directions, and their code a
//! fifth of the download.

use js_sys::{Object, Reflect, Uint8Array};
use serde::Serialize;
use serde::de::DeserializeOwned;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::Blob;

use super::protocol::{Envelope, Message};

/// Encodes a request and its file. The id has its own member, for readers of other versions.
///
/// # Errors
///
/// If the engine cannot set a member, as a message.
pub fn write_request(envelope: &Envelope, file: Option<&Blob>) -> Result<JsValue, String> {
    let message = pack(envelope)?;
    put(&message, "id", &envelope.id.into())?;
    if let Some(file) = file {
        put(&message, "file", file)?;
    }
    Ok(message)
}

/// Decodes the result of [`write_request`].
///
/// # Errors
///
/// If the object is malformed, as a message.
pub fn read_request(message: &JsValue) -> Result<(Envelope, Option<Blob>), String> {
    let file = member(message, "file").and_then(|file| file.dyn_into().ok());
    Ok((unpack(message)?, file))
}

/// Encodes a message and its bytes. Their buffer can be transferred.
///
/// # Errors
///
/// See [`write_request`].
pub fn write_message(message: &Message, bytes: Option<&Uint8Array>) -> Result<JsValue, String> {
    let object = pack(message)?;
    if let Some(bytes) = bytes {
        put(&object, "bytes", bytes)?;
    }
    Ok(object)
}

/// Decodes the result of [`write_message`].
///
/// # Errors
///
/// See [`read_request`].
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
