//! The rows of the tree, and bytes.

use super::list::ListAt;
use crate::model::{Area, Bits, NodeId, NodeKind, Severity, Span, Str, Value, Xref};
use serde::{Deserialize, Serialize};

/// So many of the selected bytes are sent with them.
pub const PREVIEW: u64 = 64;

/// At most so many bytes in one answer (a larger export is cut into several by the page).
pub const BYTES_MAX: u64 = 4 * 1024 * 1024;

/// One row of the tree.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The node.
    pub id: NodeId,
    /// Its parent; the root has none.
    pub parent: Option<NodeId>,
    /// Its place among its siblings, from 0.
    pub index: u64,
    /// Its name.
    pub name: Str,
    /// The name with the short name of the kernel in it, where it has a long one.
    pub short: Option<Str>,
    /// The entry of a table or sequence.
    pub indexed: bool,
    /// What sort of thing it is.
    pub kind: NodeKind,
    /// Which part of the binary it belongs to.
    pub area: Area,
    /// What its bytes say.
    pub value: Value,
    /// A few words on what is inside.
    pub summary: Option<Str>,
    /// Its bytes; derived values have none.
    pub span: Option<Span>,
    /// How many bytes before the span introduce it.
    pub head: u32,
    /// The bits of the span's word.
    pub bits: Option<Bits>,
    /// How many children it has. `None`: at least one may be there, and asking for the
    /// number would read what nobody has asked to see yet; [`Response::Rows`] has it.
    pub count: Option<u64>,
    /// The worst that is said about its bytes.
    pub severity: Option<Severity>,
}

/// Everything that the page shows of a selection.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Selected {
    /// The rows from the root's child down to the selected node, each with its `count`; the
    /// root itself only if nothing else is there.
    pub ancestry: Vec<Row>,
    /// The same in the tree by kernel, without the root, if that order was asked for and the file
    /// has kernels.
    pub way: Option<Vec<Row>>,
    /// What is known of the selected node.
    pub detail: Detail,
    /// The first of the selected bytes, at most [`PREVIEW`]: of a [`SelectionTarget::Span`] these, of all
    /// others the node's.
    pub preview: Vec<u8>,
    /// The list that was asked for with it; nothing if no document has such a list.
    pub list: Option<Box<ListAt>>,
}

/// What is known of a node beside its row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Detail {
    /// The node.
    pub node: NodeId,
    /// The bits of its bytes that are selected; all without.
    pub bits: Option<Bits>,
    /// Its path (`.ze_info/kernels/[0]/execution_env`).
    pub path: String,
    /// What it means.
    pub doc: Option<String>,
    /// Which specification says so.
    pub doc_source: Option<String>,
    /// The values that the specification names.
    pub known: Vec<KnownRow>,
    /// What it refers to.
    pub xrefs: Vec<Xref>,
    /// Indices into [`Opened::diagnostics`] of those within its bytes (the first 50).
    pub diagnostics: Vec<u32>,
}

/// A value that the specification names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownRow {
    /// The number; for words, which have none, the place in the list.
    pub raw: u64,
    /// Its name.
    pub name: Str,
    /// What it means.
    pub doc: Str,
}

/// A leaf's bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeafRow {
    /// The first byte of its value.
    pub start: u64,
    /// The byte after the last one.
    pub end: u64,
    /// How many bytes before `start` introduce it.
    pub head: u32,
    /// Its colour.
    pub area: Area,
    /// Padding and gaps are drawn differently.
    pub kind: NodeKind,
    /// Neighbours with an odd and an even number get different shades.
    pub odd: bool,
}
