//! Formats and the documents opened in them. A format is detected by content, never by file name
//! alone.

use std::fmt;

use super::context::Context;
use super::reader::Window;
use super::text::plural;
use super::{raw, rules};
use zeview_core::model::{ExpanderId, Fact, Node, NodeKind, Sources, Span, Summary, Value};

/// A format of documents.
pub trait Format {
    /// Returns whether a document with these first bytes, up to [`HEAD`], has this format.
    fn recognize(&self, head: &[u8]) -> bool;

    /// Returns the kind of a document of this format with these first bytes: `zebin`, `tar` …
    fn kind(&self, head: &[u8]) -> &'static str;

    /// Decodes the bytes of `span`: checks everything once and registers the expander of its rows.
    fn open(&self, cx: &Context<'_>, span: Span) -> OpenedDocument;
}

/// The known formats, the most specific first. The caller of the decoder passes them, so that no
/// format depends on the others.
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
    /// The document's summary.
    pub summary: Summary,
    /// The expander of its rows, the item, and the number of rows.
    pub content: Option<(ExpanderId, u64, Option<u64>)>,
}

/// Number of bytes examined to detect a format.
pub const HEAD: u64 = 512;

/// Returns the first bytes of a document, [`HEAD`] of them or as many as can be read: those of a folder are
/// in several files, and the first one may be unreadable.
fn first_bytes(sources: &Sources, span: Span) -> Window {
    let mut len = HEAD;
    loop {
        let head = Window::clamped(sources, span.subspan(0, len));
        if !head.bytes().is_empty() || len <= 16 {
            return head;
        }
        len /= 2;
    }
}

/// Opens the bytes of `span` as a document of the first format that recognizes them.
pub fn open(cx: &Context<'_>, span: Span) -> OpenedDocument {
    let head = first_bytes(cx.sources, span);
    let opened = match detect(cx, head.bytes()) {
        Some(format) => format.open(cx, span),
        None => raw::open(cx, span),
    };
    cx.loadable(span, opened.summary.has);
    opened
}

/// The summary of a document within a decoded file. Opens the document again and keeps only its
/// summary, so the document must not contain others.
pub fn summary(sources: &Sources, formats: Formats, span: Span) -> Summary {
    let cx = Context::new(sources, formats);
    open(&cx, span).summary
}

fn detect(cx: &Context<'_>, head: &[u8]) -> Option<&'static (dyn Format + Sync)> {
    cx.formats.0.iter().find(|f| f.recognize(head)).copied()
}

/// Returns the kind of a document with these first bytes, up to [`HEAD`], if its format is known.
pub fn kind(formats: Formats, head: &[u8]) -> Option<&'static str> {
    let mut formats = formats.0.iter();
    Some(formats.find(|f| f.recognize(head))?.kind(head))
}

/// Opens the bytes of `span` as a nested document. Returns `None` if their format is unknown, or if
/// they are nested too deeply or too often.
pub fn nested(cx: &Context<'_>, span: Span) -> Option<OpenedDocument> {
    let head = first_bytes(cx.sources, span);
    let format = detect(cx, head.bytes())?;
    let opened = cx.nest_in(span, || {
        cx.sources.restore(span);
        cx.inner(span, || format.open(cx, span))
    });
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

/// Opens a file in an archive or a package, or one that was compressed, as if it were alone: in unknown
/// formats, images are searched in the first `most` bytes. Returns `None` if there are none.
pub fn nested_file(cx: &Context<'_>, span: Span, most: u64) -> Option<OpenedDocument> {
    let head = first_bytes(cx.sources, span);
    match detect(cx, head.bytes()) {
        Some(_) => nested(cx, span),
        None => raw::nested(cx, span, most),
    }
}

/// A one-line description of a nested document: its title and its target.
pub fn headline(opened: &OpenedDocument) -> String {
    let mut text = opened.summary.title.to_string();
    let facts = opened.summary.facts.iter();
    for fact in facts.filter(|f| f.label == Fact::TARGET || f.label == Fact::KERNELS) {
        text.push_str(" · ");
        text.push_str(&fact.text);
    }
    text
}

/// Reduces a document to its headline, for lists of documents; its facts are shown when it is
/// opened.
#[inline(never)]
pub fn in_short(opened: Option<OpenedDocument>) -> Option<OpenedDocument> {
    let mut opened = opened?;
    opened.summary.title = headline(&opened).into();
    opened.summary.facts = Vec::new();
    Some(opened)
}

/// The node of bytes that were opened as a document, or that stay raw bytes.
pub fn nested_node(
    sources: &Sources,
    name: String,
    span: Span,
    opened: Option<&OpenedDocument>,
) -> Node {
    if let Some(opened) = opened {
        return document_node(name, span, opened);
    }
    let head = first_bytes(sources, span);
    let node = Node::new(NodeKind::Blob, name, span).value(Value::Bytes);
    match raw::guess(head.bytes()) {
        Some(guess) => node.summary(guess),
        None => node,
    }
}

/// Maximum number of images listed for a container.
const LISTED: usize = 64;

/// Facts about the images in a container at `span`: their number and the first ones. Empty if there
/// are none.
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

/// The node of an opened document.
pub fn document_node(name: String, span: Span, opened: &OpenedDocument) -> Node {
    let mut node = Node::new(NodeKind::File, name, span).summary(opened.summary.title.clone());
    match opened.content {
        Some((expander, item, count)) => node = node.children(expander, item, count),
        None => node = node.value(Value::Bytes),
    }
    node
}
