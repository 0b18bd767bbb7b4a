//! What a format is, and the documents that are opened in one: told by content, never by the
//! file's name alone.

use std::fmt;

use super::context::Context;
use super::reader::Window;
use super::text::plural;
use super::{raw, rules};
use crate::model::{ExpanderId, Fact, Node, NodeKind, Sources, Span, Summary, Value};

/// A format that documents are opened in.
pub trait Format {
    /// Do the bytes look like it? `head` are the first bytes of `span`, up to [`HEAD`].
    fn recognise(&self, head: &[u8]) -> bool;

    /// Decodes the bytes of `span`: walks everything once for what is wrong, and says who
    /// makes the rows.
    fn open(&self, cx: &Context<'_>, span: Span) -> OpenedDocument;
}

/// The formats that documents are opened in, the most particular first. Whoever decodes passes them:
/// no format knows the others.
#[derive(Clone, Copy)]
pub struct Formats(pub &'static [&'static (dyn Format + Sync)]);

impl fmt::Debug for Formats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Formats({})", self.0.len())
    }
}

/// A document of some format.
#[derive(Debug)]
pub struct OpenedDocument {
    /// The document in a few lines.
    pub summary: Summary,
    /// Who makes its rows, as which item, and how many there are.
    pub content: Option<(ExpanderId, u64, Option<u64>)>,
}

/// So many bytes are looked at to recognise a format.
pub const HEAD: u64 = 512;

/// Opens the bytes of `span` as a document of the first format that recognises them.
pub fn open(cx: &Context<'_>, span: Span) -> OpenedDocument {
    let head = Window::clamped(cx.sources, span.subspan(0, HEAD));
    let opened = match recognised(cx, head.bytes()) {
        Some(format) => format.open(cx, span),
        None => raw::open(cx, span),
    };
    cx.loadable(span, opened.summary.has);
    opened
}

/// The summary of a document within a decoded file: it is opened once more, and only its summary is
/// kept. For documents that hold no others.
pub fn summary(sources: &Sources, formats: Formats, span: Span) -> Summary {
    let cx = Context::new(sources, formats);
    open(&cx, span).summary
}

fn recognised(cx: &Context<'_>, head: &[u8]) -> Option<&'static (dyn Format + Sync)> {
    cx.formats.0.iter().find(|f| f.recognise(head)).copied()
}

/// Opens the bytes of `span` as a document in another one. Returns `None` if they are of no
/// known format, or nested too deeply or too often.
pub fn nested(cx: &Context<'_>, span: Span) -> Option<OpenedDocument> {
    let head = Window::clamped(cx.sources, span.subspan(0, HEAD));
    let format = recognised(cx, head.bytes())?;
    let opened = cx.nest_in(span, || cx.inner(span, || format.open(cx, span)));
    if opened.is_none() {
        cx.report(
            &rules::TOO_DEEP,
            span.subspan(0, 16),
            if cx.has_all_documents() {
                "too many nested files for the size of the file: not opened"
            } else {
                "nested too deeply: not opened"
            },
        );
    }
    opened
}

/// A nested document in a few words: its title, and what it is for.
pub fn headline(opened: &OpenedDocument) -> String {
    let mut text = opened.summary.title.to_string();
    let facts = opened.summary.facts.iter();
    for fact in facts.filter(|f| f.label == Fact::TARGET || f.label == Fact::KERNELS) {
        text.push_str(" · ");
        text.push_str(&fact.text);
    }
    text
}

/// Cuts a document down to its headline, for lists of documents: its facts are shown where it
/// is opened.
#[inline(never)]
pub fn in_short(opened: Option<OpenedDocument>) -> Option<OpenedDocument> {
    let mut opened = opened?;
    opened.summary.title = headline(&opened).into();
    opened.summary.facts = Vec::new();
    Some(opened)
}

/// The node of bytes that were opened as a document, or stay bytes.
pub fn nested_node(
    sources: &Sources,
    name: String,
    span: Span,
    opened: Option<&OpenedDocument>,
) -> Node {
    if let Some(opened) = opened {
        return document_node(name, span, opened);
    }
    let head = Window::clamped(sources, span.subspan(0, HEAD));
    let node = Node::new(NodeKind::Blob, name, span).value(Value::Bytes);
    match raw::guess(head.bytes()) {
        Some(guess) => node.summary(guess),
        None => node,
    }
}

/// So many images of a container are listed.
const LISTED: usize = 64;

/// The facts about the images in a container at `span`: how many there are, and the first ones.
/// Nothing where there are none.
pub fn image_facts<'a>(
    span: Span,
    images: impl Iterator<Item = (&'a str, Span, &'a OpenedDocument)>,
) -> Vec<Fact> {
    let mut count = 0;
    let mut facts = Vec::new();
    for (name, span, opened) in images {
        if facts.len() < LISTED {
            let text = format!("{name}: {}", headline(opened));
            facts.push(Fact::new("image", text, span));
        }
        count += 1;
    }
    if count > 0 {
        let images = Fact::new("images", plural(count, "image"), span);
        facts.insert(0, images.headline());
    }
    facts
}

/// The node of a document that was opened.
pub fn document_node(name: String, span: Span, opened: &OpenedDocument) -> Node {
    let mut node = Node::new(NodeKind::File, name, span).summary(opened.summary.title.clone());
    match opened.content {
        Some((expander, item, count)) => node = node.children(expander, item, count),
        None => node = node.value(Value::Bytes),
    }
    node
}
