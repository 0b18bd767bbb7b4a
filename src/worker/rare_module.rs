//! What few files need ([`rare`]) and what lies deep in them
//! ([`deep`](crate::decode::deep)), as modules of their own beside this one: `rare.js`, loaded
//! when a file is opened that needs it, and `deep.js`, loaded when somebody opens a node that
//! needs it, or a file with compressed bytes.

use std::ops::Range;
use std::rc::Rc;

use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use super::module::Module;
use crate::decode::deep::{Asked, Piece, Reading, Subject, pack};
use crate::decode::inflate::{Method, Stream, Unpacked};
use crate::decode::rare::{self, Item, Rare};
use crate::model::Node;

#[wasm_bindgen]
extern "C" {
    /// What `src/bin/rare.rs` exports.
    pub type RareExports;

    #[wasm_bindgen(method, catch)]
    fn demangled(this: &RareExports, name: &str) -> Result<Option<String>, JsValue>;

    #[wasm_bindgen(method, catch)]
    fn yaml(this: &RareExports, text: &[u8]) -> Result<Vec<u8>, JsValue>;

    /// What `src/bin/deep.rs` exports.
    pub type DeepExports;

    #[wasm_bindgen(method, catch)]
    fn open(
        this: &DeepExports,
        described: &[u8],
        bytes: &[u8],
    ) -> Result<Option<DeepReading>, JsValue>;

    #[wasm_bindgen(method, catch)]
    fn inflate(
        this: &DeepExports,
        method: u32,
        packed: &[u8],
        most: u64,
    ) -> Result<Option<Vec<u8>>, JsValue>;

    type DeepReading;

    #[wasm_bindgen(method, catch)]
    fn count(this: &DeepReading, item: u64) -> Result<u64, JsValue>;

    #[wasm_bindgen(method, catch)]
    fn rows(this: &DeepReading, item: u64, from: u64, to: u64) -> Result<Vec<u8>, JsValue>;

    #[wasm_bindgen(method, catch, js_name = indexAt)]
    fn index_at(
        this: &DeepReading,
        item: u64,
        part: u32,
        offset: u64,
    ) -> Result<Option<Vec<u64>>, JsValue>;

    #[wasm_bindgen(method, catch)]
    fn free(this: &DeepReading) -> Result<(), JsValue>;
}

/// The modules, loaded or not.
pub struct RareModule {
    /// Names of C++, general YAML.
    pub names: Module<RareExports>,
    /// SPIR-V, DWARF, compressed bytes.
    pub deep: Module<DeepExports>,
}

thread_local! {
    static SHARED: Rc<RareModule> = Rc::new(RareModule {
        names: Module::new("rare"),
        deep: Module::new("deep"),
    });
}

impl RareModule {
    /// The one of this thread.
    pub fn shared() -> Rc<RareModule> {
        SHARED.with(Rc::clone)
    }

    /// Another file begins.
    pub fn begin(&self) {
        self.names.begin();
        self.deep.begin();
    }
}

impl Rare for RareModule {
    fn needed(&self) -> bool {
        self.names.need()
    }

    fn demangled(&self, name: &str) -> Option<String> {
        self.names.ask(|exports| exports.demangled(name)).flatten()
    }

    fn yaml(&self, text: &[u8]) -> Option<Vec<Item>> {
        rare::unpack(&self.names.ask(|exports| exports.yaml(text))?)
    }

    fn read(&self, subject: Subject, pieces: &dyn Fn() -> Vec<Piece>) -> Asked {
        if !self.deep.need() {
            return Asked::Never;
        }
        if !self.deep.is_loaded() {
            return Asked::Later;
        }
        let (described, bytes) = pack::pack_pieces(subject, &pieces());
        let reading = self.deep.ask(|exports| exports.open(&described, &bytes));
        match reading.flatten() {
            Some(reading) => Asked::Here(Rc::new(Remote(reading))),
            None => Asked::Never,
        }
    }

    fn inflate(&self, method: Method, packed: &[u8], most: u64) -> Unpacked {
        if !self.deep.need() {
            return Unpacked::Never;
        }
        if !self.deep.is_loaded() {
            return Unpacked::Later;
        }
        let stream = self
            .deep
            .ask(|exports| exports.inflate(method.code(), packed, most));
        match stream.flatten().and_then(Stream::unpack) {
            Some(stream) => Unpacked::Here(stream),
            None => Unpacked::Never,
        }
    }
}

/// A reading in the other module.
struct Remote(DeepReading);

impl Remote {
    fn said<T>(&self, answer: Result<T, JsValue>) -> Option<T> {
        if let Err(thrown) = &answer {
            web_sys::console::error_2(&"zeview: a part has failed:".into(), thrown);
            RareModule::shared().deep.fail();
        }
        answer.ok()
    }
}

impl Reading for Remote {
    fn count(&self, item: u64) -> u64 {
        self.said(self.0.count(item)).unwrap_or(0)
    }

    fn rows(&self, item: u64, range: Range<u64>) -> Vec<Node> {
        let packed = self.said(self.0.rows(item, range.start, range.end));
        let nodes = packed.and_then(|packed| pack::unpack_rows(&packed));
        nodes.unwrap_or_default()
    }

    fn index_at(&self, item: u64, part: u32, offset: u64) -> Option<Vec<u64>> {
        self.said(self.0.index_at(item, part, offset)).flatten()
    }
}

impl Drop for Remote {
    fn drop(&mut self) {
        // After a fault there is nothing to give back.
        let _ = self.0.free();
    }
}
