//! Bundles of clang-offload-bundler: host code and device images in one file, also compressed.
//! Intel's compilers wrote objects in this format before 2025.
//!
//! Follows clang's ClangOffloadBundler.rst and OffloadBundler.h. Text bundles (assembly, LLVM IR,
//! preprocessed source) have comment lines as headers: `text`.
//!
//! ```text
//! __CLANG_OFFLOAD_BUNDLE__ │ number of entries │ offset, size, length of the id, id │ … │ images
//! CCOB │ version │ method │ sizes │ hash │ the compressed bundle
//! ```

mod packed;
mod text;

use std::rc::Rc;

pub use self::packed::PackedBundle;
pub use self::text::TextBundle;
use super::Context;
use super::format::{self, Format, OpenedDocument};
use super::layout::Layout;
use super::limits;
use super::names::{Decimal, Hex};
use super::reader::{Endian, Reader, Window};
use super::rules;
use super::tree::{Parent, StaticTree};
use crate::record;
use zeview_core::model::{Area, Doc, Node, NodeKind, Span, Summary, Value};

/// The magic number of bundles.
const MAGIC: &[u8] = b"__CLANG_OFFLOAD_BUNDLE__";

record! {
    /// An entry of the bundle; the id follows.
    pub struct Entry: "ClangOffloadBundler.rst, Bundled Binary File Layout" {
        /// The offset of the image in the bundle.
        offset: u64 as Hex,
        /// The size of the image; 0 for a host image that is stored elsewhere.
        size: u64 as Decimal,
        /// The length of the id.
        id_length: u64 as Decimal,
    }
}

const SOURCE: &str = "ClangOffloadBundler.rst, Bundled Binary File Layout";

static MAGIC_DOC: Doc = Doc::new("The magic number of bundles.", SOURCE);
static COUNT_DOC: Doc = Doc::new("The number of entries.", SOURCE);
static HEADER_DOC: Doc = Doc::new("The offset, the size and the target of each image.", SOURCE);
static ENTRY_DOC: Doc = Doc::new("An image: its offset, its size and its id.", SOURCE);
static ID_DOC: Doc = Doc::new(
    "The target of the image: the offload model, the triple and the device.",
    SOURCE,
);

/// A bundle in binary form.
#[derive(Debug)]
pub struct Bundle;

impl Format for Bundle {
    fn recognize(&self, head: &[u8]) -> bool {
        head.starts_with(MAGIC)
    }

    fn kind(&self, _head: &[u8]) -> &'static str {
        "clang bundle"
    }

    fn open(&self, cx: &Context<'_>, span: Span) -> OpenedDocument {
        let (mut parts, mut images) = (Vec::new(), Vec::new());
        let (mut next, mut bundles) = (Some(span), 0);
        while let Some(bundle) = next {
            let mut reading = Reading {
                cx,
                span: bundle,
                tree: StaticTree::default(),
                images: Vec::new(),
            };
            let end = reading.header();
            let tree = reading.tree;
            let count = tree.count_at(StaticTree::TOP);
            let header = bundle.subspan(0, end);
            let node = Node::new(NodeKind::Record, "bundle header", header)
                .area(Area::Header)
                .doc(&HEADER_DOC);
            parts.push(node.children(cx.register(Rc::new(tree)), 0, Some(count)));
            let ends = reading.images.iter().map(|(_, image)| image.end);
            let end = ends.fold(header.end, u64::max);
            images.extend(reading.images);
            next = following(cx, Span::new(span.source, end, span.end));
            bundles += 1;
            if let Some(rest) = next.filter(|_| bundles >= limits::DOCUMENTS) {
                let message = format_args!("only the first {bundles} bundles are read");
                cx.report(&rules::TOO_MANY, rest.subspan(0, 16), message);
                break;
            }
        }
        let mut opened = Vec::new();
        for (id, image) in images.iter().filter(|(_, image)| !image.is_empty()) {
            let document = format::nested(cx, *image);
            let name = id.clone();
            parts.push(format::nested_node(
                cx.sources,
                name,
                *image,
                document.as_ref(),
            ));
            opened.extend(document.map(|document| (id.as_str(), *image, document)));
        }
        let opened = opened
            .iter()
            .map(|(id, image, document)| (*id, *image, document));
        let facts = format::image_facts(span, opened);
        let layout = Layout::arrange(cx, span, parts);
        let count = layout.region_count();
        OpenedDocument {
            summary: Summary::new("offload-bundle", "clang offload bundle", facts),
            content: Some((cx.register(Rc::new(layout)), 0, Some(count))),
        }
    }
}

/// Maximum number of zeros between bundles: each starts at a page of up to 64 KB.
const PADDING: u64 = 1 << 16;

/// Returns the bytes from the next bundle on: sections of linked files have one for each translation
/// unit.
fn following(cx: &Context<'_>, rest: Span) -> Option<Span> {
    let window = Window::clamped(cx.sources, rest.subspan(0, PADDING));
    let zeros = window.bytes().iter().position(|byte| *byte != 0)?;
    let found = window.bytes().get(zeros..)?.starts_with(MAGIC);
    found.then(|| rest.skip(zeros as u64))
}

/// Reads the header of a bundle.
struct Reading<'a> {
    cx: &'a Context<'a>,
    span: Span,
    tree: StaticTree,
    images: Vec<(String, Span)>,
}

impl Reading<'_> {
    /// Reads the header and returns its end, relative to the bundle.
    fn header(&mut self) -> u64 {
        let magic = self.span.subspan(0, MAGIC.len() as u64);
        let value = Value::text_from(MAGIC);
        let node = Node::field("magic", value, magic);
        self.tree.push(StaticTree::TOP, node.doc(&MAGIC_DOC));
        let at = magic.len();
        let window = Window::clamped(self.cx.sources, self.span.subspan(at, 8));
        let count = match window.reader(Endian::Little).read::<u64>() {
            Ok(count) => count,
            Err(error) => {
                let rule = &rules::BUNDLE_HEADER;
                self.cx
                    .report_read(rule, &error, self.span, "the number of entries");
                self.rest(at);
                return self.span.len();
            }
        };
        let node = Node::field("entries", Value::decimal(count.value, 64), count.span);
        self.tree.push(StaticTree::TOP, node.doc(&COUNT_DOC));
        self.entries(count.value, count.span, at + 8)
    }

    /// Adds the bytes of an incomplete entry.
    fn rest(&mut self, at: u64) {
        let rest = self.span.skip(at);
        if !rest.is_empty() {
            self.cx.gap(rest);
            self.tree
                .push(StaticTree::TOP, Node::gap("truncated entry", rest));
        }
    }

    fn entries(&mut self, count: u64, count_span: Span, mut at: u64) -> u64 {
        for index in 0..count {
            let window = Window::clamped(self.cx.sources, self.span.subspan(at, Entry::SIZE));
            let entry = Entry::read(&mut window.reader(Endian::Little)).ok();
            let whole = entry.filter(|entry| {
                let id = self.span.skip(at + Entry::SIZE).len();
                entry.id_length <= id
            });
            let too_many = index >= limits::BUNDLE_ENTRIES;
            let Some(entry) = whole.filter(|_| !too_many) else {
                let rule = if too_many {
                    &rules::TOO_MANY
                } else {
                    &rules::BUNDLE_HEADER
                };
                let message =
                    format_args!("the header has {count} entries, but only {index} could be read");
                self.cx.report(rule, count_span, message);
                if !too_many {
                    self.rest(at);
                    return self.span.len();
                }
                return at;
            };
            let id = self.span.subspan(at + Entry::SIZE, entry.id_length);
            self.entry(&entry, id);
            at += Entry::SIZE + id.len();
        }
        at
    }

    fn entry(&mut self, entry: &Entry, id: Span) {
        let shown = id.subspan(0, limits::NAME_SHOWN as u64);
        let window = Window::clamped(self.cx.sources, shown);
        let name = String::from_utf8_lossy(window.bytes()).into_owned();
        let whole = Span::new(id.source, entry.origin.start, id.end);
        let image = self.span.subspan(entry.offset, entry.size);
        if image.len() < entry.size {
            self.cx.report_with(
                &rules::BUNDLE_OUT_OF_BOUNDS,
                entry.span_of(Entry::size),
                format_args!(
                    "{name} has {} bytes, but only {} are in the bundle",
                    entry.size,
                    image.len()
                ),
                &[(entry.span_of(Entry::offset), "its offset")],
                None,
            );
        }
        let mut node = Node::new(NodeKind::Item, name.clone(), whole).doc(&ENTRY_DOC);
        if !image.is_empty() {
            node = node.xref("image", name.clone(), image);
        }
        let place: Parent = self.tree.push(StaticTree::TOP, node);
        self.tree.extend(place, entry.nodes());
        if !id.is_empty() {
            let node = Node::field("id", Value::text_from(window.bytes()), id);
            self.tree.push(place, node.doc(&ID_DOC));
        }
        self.images.push((name, image));
    }
}

/// Reads a record at the start of `span`.
fn read_record<T>(
    cx: &Context<'_>,
    span: Span,
    size: u64,
    read: impl FnOnce(&mut Reader<'_>) -> super::reader::ReadResult<T>,
) -> super::reader::ReadResult<T> {
    let window = Window::clamped(cx.sources, span.subspan(0, size));
    read(&mut window.reader(Endian::Little))
}
