//! What the decoder asks when somebody looks deep into a file, as a module of its own
//! ([`zeview::decode::deep`]).

use std::rc::Rc;

use wasm_bindgen::prelude::wasm_bindgen;
use zeview::decode::deep::{Reading as Rows, pack, read};
use zeview::decode::inflate::{Method, streams};

/// Makes the rows of a subject.
#[wasm_bindgen]
pub struct Reading(Rc<dyn Rows>);

/// Unpacks at most `most` bytes; packs what came of it.
#[wasm_bindgen]
pub fn inflate(method: u32, packed: &[u8], most: u64) -> Option<Vec<u8>> {
    let method = Method::of(method)?;
    Some(streams::inflate(method, packed, most).pack())
}

/// Takes the parts of a subject, packed, and their bytes, one after the other.
#[wasm_bindgen]
pub fn open(described: &[u8], bytes: &[u8]) -> Option<Reading> {
    let (subject, pieces) = pack::unpack_pieces(described, bytes)?;
    Some(Reading(read(subject, pieces)))
}

#[wasm_bindgen]
impl Reading {
    /// How many children an item has.
    pub fn count(&self, item: u64) -> u64 {
        self.0.count(item)
    }

    /// Children of an item, packed.
    pub fn rows(&self, item: u64, from: u64, to: u64) -> Vec<u8> {
        pack::pack_rows(&self.0.rows(item, from..to))
    }

    /// The children that hold a byte, where that can be told.
    #[wasm_bindgen(js_name = indexAt)]
    pub fn index_at(&self, item: u64, part: u32, offset: u64) -> Option<Vec<u64>> {
        self.0.index_at(item, part, offset)
    }
}

fn main() {}
