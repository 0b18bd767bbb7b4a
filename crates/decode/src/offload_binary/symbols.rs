//! The symbols of an image: the value of its string `symbols`. Older writers list one name a line;
//! since 2026 the value is a table. LLVM, Frontend/Offloading/Utility.h, namespace sycl.
//!
//! ```text
//! count │ offset, length │ offset, length │ … │ names with NULs      offsets from the count on
//! ```

use std::rc::Rc;

use super::header;
use super::key;
use super::kinds::OffloadKind;
use super::rows::Binary;
use crate::carve;
use crate::host::devices;
use crate::reader::{Endian, Window, uint};
use crate::text::plural;
use crate::tree::StaticTree;
use crate::{demangle, limits, property_set};
use zeview_core::analysis::host_images::{
    Entry, HostImage, HostImages, ImageDescription, ImageLocations,
};
use zeview_core::analysis::modules::PropertySet;
use zeview_core::model::account::Account;
use zeview_core::model::{Doc, Node, NodeKind, Rows, Sources, Span, Str, Value};

const SOURCE: &str = "LLVM, Frontend/Offloading/Utility.h";

static TABLE_DOC: Doc = Doc::new("The kernels and functions of an image.", SOURCE);
static COUNT_DOC: Doc = Doc::new("The number of symbols.", SOURCE);
static ENTRY_DOC: Doc = Doc::new(
    "A symbol: the offset of its name from the start of the table, and the length.",
    SOURCE,
);
static NAME_DOC: Doc = Doc::new("Names of symbols, with their NULs.", SOURCE);

/// The byte ranges of the names in a table. Returns `None` if the bytes are not a table.
fn names(bytes: &[u8]) -> Option<Vec<(u64, u64)>> {
    let (count, rest) = bytes.split_first_chunk::<4>()?;
    let count = usize::try_from(u32::from_le_bytes(*count)).ok()?;
    // The first characters of a name, with which older values start, are a count beyond the end.
    let entries = rest.get(..count.checked_mul(8)?)?;
    let start = 4 + entries.len() as u64;
    let names = entries.chunks_exact(8).map(|entry| {
        let (offset, len) = entry.split_at(4);
        (uint(offset, Endian::Little), uint(len, Endian::Little))
    });
    let names: Vec<(u64, u64)> = names.collect();
    let len = bytes.len() as u64;
    let is_inside = |(offset, size): &(u64, u64)| *offset >= start && offset + size <= len;
    names.iter().all(is_inside).then_some(names)
}

fn read(sources: &Sources, value: Span) -> Window {
    Window::clamped(sources, value.subspan(0, limits::C_STRINGS))
}

/// The memory that a symbol uses without its name, in bytes.
const SYMBOL: u64 = 96;

/// The names that a value lists, within the `memory` budget, and the number of omitted names.
fn list(sources: &Sources, value: Span, memory: &Account) -> (Vec<Entry>, u64) {
    let window = read(sources, value);
    let mut left_out = 0;
    let mut entries = Vec::new();
    let mut push = |name: Span, span: Span| {
        if !memory.take(SYMBOL.saturating_add(name.len())) {
            left_out += 1;
            return;
        }
        let text = Window::clamped(sources, name);
        entries.push(Entry {
            name: String::from_utf8_lossy(text.bytes()).into_owned(),
            name_span: name,
            span,
        });
    };
    match names(window.bytes()) {
        Some(names) => {
            for ((offset, len), at) in names.into_iter().zip(0u64..) {
                push(value.subspan(offset, len), value.subspan(4 + at * 8, 8));
            }
        }
        None => {
            let mut at = 0;
            for line in window.bytes().split(|byte| matches!(byte, b'\n' | 0)) {
                let span = value.subspan(at, line.len() as u64);
                at += line.len() as u64 + 1;
                if !line.is_empty() {
                    push(span, span);
                }
            }
        }
    }
    (entries, left_out)
}

/// Maximum size of the names shown in full, in bytes; more than files of real symbols have.
const NAMES_SHOWN: u64 = 4 << 20;

/// Number of symbols that always get rows, and the bytes of a table that allow one more symbol.
/// A row uses about 2 KB of memory. Real tables have some hundred symbols.
const SYMBOL_ROWS: u64 = 1 << 13;
const SYMBOL_ROW_BYTES: u64 = 320;

/// The row of a symbol table. Returns `None` if the value is not a table.
pub fn node(value: Span, out: &Rows<'_>) -> Option<Node> {
    let window = read(out.sources, value);
    let names = names(window.bytes())?;
    let mut tree = StaticTree::default();
    let word = |offset: u64| {
        Value::decimal(
            window
                .reader(Endian::Little)
                .at(offset, 4)
                .ok()
                .and_then(|mut reader| reader.read::<u32>().ok())
                .map_or(0, |word| word.value.into()),
            32,
        )
    };
    let count = Node::field("count", word(0), value.subspan(0, 4));
    tree.push(StaticTree::TOP, count.doc(&COUNT_DOC));
    // Any number of symbols may share the same name bytes.
    let total = names
        .iter()
        .fold(0u64, |sum, (_, len)| sum.saturating_add(*len));
    let shown = if total > NAMES_SHOWN {
        limits::NAME_CUT
    } else {
        limits::NAME_SHOWN
    };
    let listed = SYMBOL_ROWS.saturating_add(value.len() / SYMBOL_ROW_BYTES);
    for (at, (offset, len)) in (0..listed).zip(&names) {
        let place = 4 + at * 8;
        let name = value.subspan(*offset, *len);
        let shown = Window::clamped(out.sources, name.subspan(0, shown as u64));
        let text = String::from_utf8_lossy(shown.bytes()).into_owned();
        let node = Node::new(NodeKind::Item, "symbol", value.subspan(place, 8))
            .summary(text.clone())
            .xref("name", text, name)
            .doc(&ENTRY_DOC);
        let parent = tree.push(StaticTree::TOP, node);
        let fields = [("offset", place), ("length", place + 4)];
        tree.extend(
            parent,
            fields.map(|(name, at)| {
                Node::field(name, word(at), value.subspan(at, 4)).doc(&ENTRY_DOC)
            }),
        );
    }
    let more = (names.len() as u64).saturating_sub(listed);
    if more > 0 {
        let entries = value.subspan(4 + listed * 8, more * 8);
        let node = Node::field("entries", Value::Bytes, entries);
        let node = node.summary(format!("{more} more are not listed"));
        tree.push(StaticTree::TOP, node.doc(&ENTRY_DOC));
    }
    let rest = value.skip(4 + names.len() as u64 * 8);
    if !rest.is_empty() {
        let text = Window::clamped(out.sources, rest.subspan(0, limits::C_STRING));
        let node = Node::field("names", Value::text_from(text.bytes()), rest);
        tree.push(StaticTree::TOP, node.doc(&NAME_DOC));
    }
    let rows = tree.count_at(StaticTree::TOP);
    let node = Node::new(NodeKind::Table, "symbols", value)
        .summary(plural(names.len() as u64, "symbol"))
        .doc(&TABLE_DOC);
    Some(node.children(out.register(Rc::new(tree)), 0, Some(rows)))
}

/// The interface to the images of a binary.
pub struct OffloadImages(pub Rc<Binary>);

impl HostImages for OffloadImages {
    fn count(&self) -> usize {
        self.0.entries().len()
    }

    fn find(&self, span: Span) -> Option<usize> {
        let mut entries = self.0.entries().iter();
        entries.position(|entry| entry.image == span)
    }

    fn devices(&self, image: &HostImage, sources: &Sources) -> Vec<Str> {
        devices(image, sources, self.0.formats)
    }

    fn explain(&self, sets: &mut [PropertySet]) {
        property_set::explain(sets);
    }

    fn demangled(&self, name: &str) -> Option<Rc<str>> {
        demangle::demangle(name)
    }

    fn image_with(
        &self,
        index: usize,
        sources: &Sources,
        _: fn(&str) -> bool,
    ) -> Option<HostImage> {
        let entry = self.0.entries().get(index)?;
        // The maximum length of the magic number and header of a zstd frame (RFC 8878, section
        // 3.1.1).
        let head = Window::clamped(sources, entry.image.subspan(0, 18));
        let record = Window::clamped(sources, entry.place);
        let number = |field: usize| {
            let field = header::Entry::FIELDS.get(field);
            field.map_or(0, |field| field.number(record.bytes(), Endian::Little))
        };
        let kind = u8::try_from(number(1)).map(|kind| OffloadKind(kind).name());
        let symbols = entry.values.get(key::SYMBOLS).copied().unwrap_or_default();
        let read = |memory: &Account| list(sources, symbols, memory);
        let (entries, left_out) = sources.costs.read((entry.place, index), read);
        Some(HostImage {
            span: entry.image,
            section: String::new(),
            method: "offload-binary",
            descriptor: None,
            described: Some(ImageDescription {
                version: None,
                target: entry.value(sources, key::TRIPLE),
                offload_kind: kind
                    .ok()
                    .flatten()
                    .unwrap_or("unknown")
                    .to_lowercase()
                    .into(),
                format: "none".into(),
                compile_options: String::new(),
                link_options: String::new(),
                entries,
                properties: Vec::new(),
                left_out,
                places: ImageLocations {
                    record: Some(entry.place),
                    target: entry.values.get(key::TRIPLE).copied(),
                    entries: Some(symbols).filter(|span| !span.is_empty()),
                    ..ImageLocations::default()
                },
            }),
            unpacked: carve::FrameHeader::read(head.bytes()).map(|frame| frame.content),
            kind: carve::kind(head.bytes()),
        })
    }
}
