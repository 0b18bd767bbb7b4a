//! Conversion of Rust data to JavaScript values, and back.
//!
//! Structs and maps become objects, sequences arrays, bytes a `Uint8Array`, and missing values
//! `null`. Whole numbers are a `number` as long as it is exact, else a `bigint` (`Exact`);
//! 128-bit numbers, as which [`dto`](super::dto) serializes 64-bit values of the file, are always
//! `bigint`, so that readers need not check the size.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_wasm_bindgen::{Serializer, from_value};
use wasm_bindgen::JsValue;

use super::exact::Exact;

const SERIALIZER: Serializer = Serializer::new()
    .serialize_missing_as_null(true)
    .serialize_maps_as_objects(true);

/// Converts data.
///
/// # Errors
///
/// If it contains something that JavaScript cannot represent, as a message.
pub fn to_js<T: Serialize + ?Sized>(data: &T) -> Result<JsValue, String> {
    data.serialize(Exact(&SERIALIZER))
        .map_err(|error| error.to_string())
}

/// Converts an object of options back. A missing one has the defaults.
///
/// # Errors
///
/// If a value has the wrong type, as a message.
pub fn from_js<T: DeserializeOwned + Default>(options: JsValue) -> Result<T, String> {
    if options.is_null() || options.is_undefined() {
        return Ok(T::default());
    }
    from_value(options).map_err(|error| error.to_string())
}
