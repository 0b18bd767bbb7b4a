//! Conversion between Rust data and JavaScript values.
//!
//! Defines the mapping: 64-bit numbers are `bigint` (always, so that readers need not check the
//! size), maps are plain objects, and missing values are `null`.

use serde::Serialize;
use serde::de::DeserializeOwned;
use wasm_bindgen::JsValue;

/// All options are explicit: the defaults reject `u64::MAX` and produce `Map`s.
const SERIALIZER: serde_wasm_bindgen::Serializer = serde_wasm_bindgen::Serializer::new()
    .serialize_missing_as_null(true)
    .serialize_maps_as_objects(true)
    .serialize_large_number_types_as_bigints(true)
    .serialize_bytes_as_arrays(false);

/// Converts data to a JavaScript value.
///
/// # Errors
///
/// If it contains something that JavaScript cannot represent, as a message.
pub fn to_js<T: Serialize + ?Sized>(data: &T) -> Result<JsValue, String> {
    data.serialize(&SERIALIZER)
        .map_err(|error| error.to_string())
}

/// Converts a JavaScript value to data.
///
/// # Errors
///
/// If it has another shape, as a message.
pub fn from_js<T: DeserializeOwned>(value: JsValue) -> Result<T, String> {
    serde_wasm_bindgen::from_value(value).map_err(|error| error.to_string())
}
