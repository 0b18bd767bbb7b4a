//! The rows of the tree, and bytes.

use super::list::ListAt;
use crate::model::{Area, Bits, NodeId, NodeKind, Severity, Span, Str, Value, Xref};
use serde::{Deserialize, Serialize};

/// Maximum number of selected bytes in a [`Selected`].
pub const PREVIEW: u64 = 64;

/// Maximum number of bytes in one answer; the page splits larger exports.
pub const BYTES_MAX: u64 = 4 * 1024 * 1024;

/// One row of the tree.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The node.
    pub id: NodeId,
    /// Its parent; the root has none.
    pub parent: Option<NodeId>,
    /// Zero-based index among its siblings.
    pub index: u64,
    /// Its name.
    pub name: Str,
    /// The name with the kernel's short name, if the kernel has a long one.
    pub short: Option<Str>,
    /// Whether it is an entry of a table or sequence.
    pub indexed: bool,
    /// The kind of node.
    pub kind: NodeKind,
    /// Whether it is a module with a text: SPIR-V.
    pub is_module: bool,
    /// The part of the binary that it belongs to.
    pub area: Area,
    /// The decoded value of its bytes.
    pub value: Value,
    /// A short description of its content.
    pub summary: Option<Str>,
    /// Whether it is a default that the file omits.
    pub is_default: bool,
    /// Its bytes; derived values have none.
    pub span: Option<Span>,
    /// Number of bytes before the span that introduce it.
    pub head: u32,
    /// The bits of the span's word.
    pub bits: Option<Bits>,
    /// Number of children. `None` if there is at least one but counting would read bytes that are
    /// not needed yet; [`Response::Rows`](super::Response::Rows) has the number.
    pub count: Option<u64>,
    /// The highest severity of the diagnostics about its bytes.
    pub severity: Option<Severity>,
}

/// Everything that the page shows for a selection.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Selected {
    /// The rows from the root's child down to the selected node, each with its `count`. Includes
    /// the root only if there is nothing else.
    pub ancestry: Vec<Row>,
    /// The same in the tree by kernel, without the root, if that order was requested and the file
    /// has kernels.
    pub by_kernel: Option<Vec<Row>>,
    /// Details of the selected node.
    pub detail: Detail,
    /// The first selected bytes, at most [`PREVIEW`]: those of a [`SelectionTarget::Span`](super::SelectionTarget::Span), or else
    /// those of the node.
    pub preview: Vec<u8>,
    /// The requested list; `None` if no document has such a list.
    pub list: Option<Box<ListAt>>,
}

/// Details of a node that are not in its row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Detail {
    /// The node.
    pub node: NodeId,
    /// The selected bits of its bytes; `None` for all.
    pub bits: Option<Bits>,
    /// Its path (`.ze_info/kernels/[0]/execution_env`).
    pub path: String,
    /// Its meaning.
    pub doc: Option<String>,
    /// The specification that defines it.
    pub doc_source: Option<String>,
    /// The named values of the specification.
    pub known: Vec<KnownRow>,
    /// Its references.
    pub xrefs: Vec<Xref>,
    /// Indexes into [`Opened::diagnostics`](super::Opened::diagnostics) of those about its bytes (the first 50).
    pub diagnostics: Vec<u32>,
}

/// A named value of the specification.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownRow {
    /// The number; for text values, the index in the list.
    pub raw: u64,
    /// Its name.
    pub name: Str,
    /// Its meaning.
    pub doc: Str,
}

/// A leaf's bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeafRow {
    /// The first byte of its value.
    pub start: u64,
    /// The byte after the last one.
    pub end: u64,
    /// Number of bytes before `start` that introduce it.
    pub head: u32,
    /// Its area, which selects the color.
    pub area: Area,
    /// Its kind: padding and gaps are drawn differently.
    pub kind: NodeKind,
    /// Alternates between neighbors, for different shades.
    pub odd: bool,
}
