//! Data as JavaScript values.
//!
//! The one place that knows how Rust data looks in JavaScript: 64-bit numbers are `bigint`
//! (always, so that a reader need not look at the size), maps are plain objects, what is
//! missing is `null`.

use serde::Serialize;
use serde::de::DeserializeOwned;
use wasm_bindgen::JsValue;

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
