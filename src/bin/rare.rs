//! What the decoder asks for when a file needs it, as a module of its own
//! ([`zeview::decode::rare`]).

use wasm_bindgen::prelude::wasm_bindgen;
use zeview::decode::rare::{BuiltIn, Rare, pack};

/// A mangled name of C++ as people write it.
#[wasm_bindgen]
pub fn demangled(name: &str) -> Option<String> {
    BuiltIn.demangled(name)
}

/// What a text means by the rules of YAML, packed.
#[wasm_bindgen]
pub fn yaml(text: &[u8]) -> Vec<u8> {
    pack(&BuiltIn.yaml(text).unwrap_or_default())
}

fn main() {}
