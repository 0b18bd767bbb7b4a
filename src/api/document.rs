//! The class.

use js_sys::{Error, Reflect, Uint8Array};
use serde::Serialize;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use super::dto::{Diagnostic, Node, Summary};
use super::js;
use crate::decode::decode;
use crate::model::{Document, NodeId, SourceId, Span};
use crate::worker::blob_source::{ArraySource, whole_number};
use crate::worker::handler::{self, EXPORT_MAX};
use crate::worker::host;
use crate::worker::protocol::{ExportForm, ROWS_MAX};

#[wasm_bindgen(typescript_custom_section)]
const DECLARATIONS: &str = include_str!("types.ts");

#[wasm_bindgen(typescript_custom_section)]
const IN_PAGE_DECODER: &str = "
/** A decoder in the page itself; it can be used as if it were a `Worker`. */
export type InPageDecoder = MessagePort & { terminate(): void };
";

/// A decoded file.
#[wasm_bindgen]
pub struct ZeviewDocument(Document);

#[wasm_bindgen]
impl ZeviewDocument {
    /// Decodes bytes. Never throws for what the bytes are. They are read when they are
    /// needed, not copied: leave them as they are until `free`.
    pub fn open(
        bytes: Uint8Array,
        #[wasm_bindgen(unchecked_optional_param_type = "DecodeOptions")] options: JsValue,
    ) -> ZeviewDocument {
        host::report_panics();
        let name = Reflect::get(&options, &"name".into()).ok();
        let name = name.and_then(|name| name.as_string());
        let name = name.unwrap_or_else(|| "file".to_owned());
        ZeviewDocument(decode(Box::new(ArraySource::new(bytes)), &name))
    }

    /// The file in a few lines.
    #[wasm_bindgen(unchecked_return_type = "Summary")]
    pub fn summary(&self) -> Result<JsValue, Error> {
        to_js(&Summary::new(&self.0))
    }

    /// A node. The root has the id 0, the others come from `children` and `nodesAt`.
    #[wasm_bindgen(unchecked_return_type = "Node")]
    pub fn node(&self, id: u32) -> Result<JsValue, Error> {
        to_js(&self.node_of(id)?)
    }

    /// At most `count` children of a node (and at most 512), from the one with the index
    /// `start` on.
    #[wasm_bindgen(unchecked_return_type = "Node[]")]
    pub fn children(&mut self, id: u32, start: f64, count: f64) -> Result<JsValue, Error> {
        self.node_of(id)?;
        let start = whole("start", start)?;
        let count = whole("count", count)?.min(ROWS_MAX);
        let ids = self
            .0
            .children(NodeId(id), start..start.saturating_add(count));
        let nodes: Vec<_> = ids
            .iter()
            .filter_map(|id| Node::new(&self.0, *id))
            .collect();
        to_js(&nodes)
    }

    /// The nodes that hold a byte, the outermost first.
    #[wasm_bindgen(js_name = nodesAt)]
    pub fn nodes_at(&mut self, source: u32, offset: f64) -> Result<Vec<u32>, Error> {
        let offset = whole("offset", offset)?;
        let ids = self.0.nodes_at(SourceId(source), offset);
        Ok(ids.into_iter().map(|id| id.0).collect())
    }

    /// What was found, by position.
    #[wasm_bindgen(unchecked_return_type = "Diagnostic[]")]
    pub fn diagnostics(&self) -> Result<JsValue, Error> {
        let diagnostics: Vec<_> = self.0.diagnostics.iter().map(Diagnostic::new).collect();
        to_js(&diagnostics)
    }

    /// The bytes `start..end` of a source, cut off where it ends, and after 4 MiB.
    pub fn bytes(&self, source: u32, start: f64, end: f64) -> Result<Uint8Array, Error> {
        let span = Span::new(SourceId(source), whole("start", start)?, whole("end", end)?);
        let (_, bytes) =
            handler::read(&self.0, span).map_err(|error| Error::new(&error.to_string()))?;
        Ok(Uint8Array::from(&*bytes))
    }

    /// The whole tree as text, a line for each node, as `zeview dump` prints it.
    #[wasm_bindgen(js_name = toText)]
    pub fn to_text(&self) -> Result<String, Error> {
        self.export(ExportForm::Text)
    }

    /// The whole tree as JSON, as `zeview dump --json` prints it.
    #[wasm_bindgen(js_name = toJson)]
    pub fn to_json(&self) -> Result<String, Error> {
        self.export(ExportForm::Json)
    }
}

impl ZeviewDocument {
    fn node_of(&self, id: u32) -> Result<Node<'_>, Error> {
        Node::new(&self.0, NodeId(id))
            .ok_or_else(|| Error::new(&format!("the document has no node {id}")))
    }

    fn export(&self, form: ExportForm) -> Result<String, Error> {
        handler::export(&self.0, self.0.root(), form, EXPORT_MAX)
            .map_err(|message| Error::new(&message))
    }
}

fn to_js<T: Serialize>(data: &T) -> Result<JsValue, Error> {
    js::to_js(data).map_err(|message| Error::new(&message))
}

fn whole(name: &str, number: f64) -> Result<u64, Error> {
    whole_number(number).ok_or_else(|| {
        Error::new(&format!(
            "{name} must be an integer from 0 to 2^53 - 1, not {number}"
        ))
    })
}
