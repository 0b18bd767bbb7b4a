//! Conversion of Rust data to JavaScript values.
//!
//! Objects cross as JSON text: `JSON.parse` creates hundreds of properties in the time that a call
//! from WebAssembly takes to set a few. JSON has no 64-bit integers; [`nodes`] sets them
//! afterwards. They are always `bigint`, so that readers need not check the size. Missing values are
//! `null`.

use js_sys::{Array, JSON, JsString, Reflect};
use serde::Serialize;
use wasm_bindgen::{JsCast, JsValue};

use super::dto::{Doc, Node, Value};

/// Converts data without 64-bit integers. Its counts and offsets become `number`.
///
/// # Errors
///
/// If it contains something that JSON cannot represent, as a message.
pub fn to_js<T: Serialize + ?Sized>(data: &T) -> Result<JsValue, String> {
    let json = serde_json::to_string(data).map_err(|error| error.to_string())?;
    parse(&json)
}

/// Parses JSON.
///
/// # Errors
///
/// If the text is not JSON or the engine has not enough memory, as a message.
pub fn parse(json: &str) -> Result<JsValue, String> {
    JSON::parse(json).map_err(|error| String::from(JsString::from(error)))
}

/// Converts nodes to an array of objects.
///
/// # Errors
///
/// As [`parse`].
pub fn nodes(nodes: &[Node<'_>]) -> Result<Array, String> {
    let converted: Array = to_js(nodes)?.unchecked_into();
    let keys = Keys::new();
    for (node, object) in nodes.iter().zip(converted.iter()) {
        keys.set_numbers(&object, &node.value);
        if let Some(doc) = &node.doc {
            keys.set_known(&object, doc);
        }
    }
    Ok(converted)
}

/// The names of properties with numbers that JSON cannot represent.
struct Keys {
    value: JsValue,
    raw: JsValue,
    rest: JsValue,
    number: JsValue,
    doc: JsValue,
    known: JsValue,
}

impl Keys {
    fn new() -> Keys {
        Keys {
            value: "value".into(),
            raw: "raw".into(),
            rest: "rest".into(),
            number: "number".into(),
            doc: "doc".into(),
            known: "known".into(),
        }
    }

    fn set_numbers(&self, node: &JsValue, value: &Value<'_>) {
        let set = |key: &JsValue, number: JsValue| put(&get(node, &self.value), key, &number);
        match value {
            Value::Unsigned { raw, .. } => set(&self.raw, (*raw).into()),
            Value::Signed { raw, .. } => set(&self.raw, (*raw).into()),
            Value::Flags { raw, rest, .. } => {
                set(&self.raw, (*raw).into());
                set(&self.rest, (*rest).into());
            }
            Value::Float { number } if !number.is_finite() => {
                set(&self.number, (*number).into());
            }
            Value::Float { .. }
            | Value::None
            | Value::Bool { .. }
            | Value::Text { .. }
            | Value::Bytes => {}
        }
    }

    fn set_known(&self, node: &JsValue, doc: &Doc<'_>) {
        if doc.known.is_empty() {
            return;
        }
        let known: Array = get(&get(node, &self.doc), &self.known).unchecked_into();
        for (value, object) in doc.known.iter().zip(known.iter()) {
            put(&object, &self.raw, &value.raw.into());
        }
    }
}

/// Returns a property of an object that `JSON.parse` has created, which has no getters.
fn get(object: &JsValue, key: &JsValue) -> JsValue {
    Reflect::get(object, key).unwrap_or_default()
}

/// Sets a property of such an object, which cannot fail.
fn put(object: &JsValue, key: &JsValue, value: &JsValue) {
    let _ = Reflect::set(object, key, value);
}
