//! Which format the bytes are in: told by content, never by the file's name alone.

use super::context::Context;
use super::{ar, elf, igc_debug, raw, spirv};
use crate::model::{ExpanderId, Node, NodeKind, Span, Summary};

/// A format that documents are opened in.
pub trait Format {
    /// Do the bytes look like it? `head` are the first bytes of `span`, up to [`HEAD`].
    fn recognise(&self, head: &[u8]) -> bool;

    /// Decodes the bytes of `span`: walks everything once for what is wrong, and says who
    /// makes the rows.
    fn open(&self, cx: &Context<'_>, span: Span) -> Opened;
}

/// A document of some format.
pub struct Opened {
    /// The document in a few lines.
    pub summary: Summary,
    /// Who makes its rows, as which item, and how many there are.
    pub content: Option<(ExpanderId, u64, Option<u64>)>,
}

/// So many bytes are looked at to recognise a format.
pub const HEAD: u64 = 512;

/// All formats, the most particular first; the last takes anything.
pub static FORMATS: &[&(dyn Format + Sync)] = &[
    &elf::Elf,
    &ar::Ar,
    &spirv::Spirv,
    &igc_debug::IgcDebug,
    &raw::Raw,
];

/// Opens the bytes of `span` as a document of the first format that recognises them.
pub fn open(cx: &Context<'_>, span: Span) -> Opened {
    let head = super::reader::Window::clamped(cx.sources, span.sub(0, HEAD));
    for format in FORMATS {
        if format.recognise(head.bytes()) {
            return format.open(cx, span);
        }
    }
    raw::Raw.open(cx, span)
}

/// The node of a document that was opened.
pub fn document_node(name: String, span: Span, opened: &Opened) -> Node {
    let mut node = Node::new(NodeKind::File, name, span).summary(opened.summary.title.clone());
    match opened.content {
        Some((expander, item, count)) => node = node.children(expander, item, count),
        None => node = node.value(crate::model::Value::Bytes),
    }
    node
}
