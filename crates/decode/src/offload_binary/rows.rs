//! The rows of an OffloadBinary.

use std::ops::Range;
use std::rc::Rc;

use super::header::{self, SOURCE};
use super::key;
use super::kinds::ImageKind;
use super::read::{ReadAhead, Reading, key_and_value, kind};
use super::symbols::{self, OffloadImages};
use crate::format::Formats;
use crate::format::{self, OpenedDocument};
use crate::layout::{self, Regions, filler};
use crate::limits;
use crate::names::Present;
use crate::reader::Window;
use crate::records::{self, RecordNotes};
use crate::syclbin::Syclbin;
use zeview_core::analysis::host_images::HostImages;
use zeview_core::analysis::modules::Modules;
use zeview_core::model::text::value_text;
use zeview_core::model::{
    Area, Doc, Expand, Interfaces, Node, NodeKind, Rows, Sources, Span, Value,
};

/// The item of the document itself.
pub const TOP: u64 = u64::MAX;
/// The kind of the items of consecutive strings.
const GROUP: u8 = 7;

const HEADER_DOC: Doc = Doc::new(
    "The version and size of the binary, and its entries.",
    SOURCE,
);
const GROUP_DOC: Doc = Doc::new(
    "The keys and values of the entries, and their offsets.",
    SOURCE,
);
const STRINGS_DOC: Doc = Doc::new("The offsets of the keys and values of an entry.", SOURCE);
const STRING_DOC: Doc = Doc::new(
    "A key or a value, with its NUL. A string that is the end of another one can share its bytes.",
    SOURCE,
);
const IMAGE_DOC: Doc = Doc::new("An image: device code, or its metadata.", SOURCE);
const COMPRESSED_DOC: Doc = Doc::new(
    "Everything after the header, compressed with zlib or zstd.",
    SOURCE,
);

/// A binary that has been read.
pub struct Binary {
    reading: Reading,
    /// The formats for opening images.
    pub formats: Formats,
    regions: Regions,
    /// The rows: the index of the first region of each, and the end of the last row.
    tops: Vec<(u32, u32)>,
    survey: Option<Rc<Syclbin>>,
    modules: Option<Rc<dyn Modules>>,
}

impl Binary {
    /// Groups consecutive strings into one row each.
    pub fn new(
        reading: Reading,
        formats: Formats,
        regions: Regions,
        survey: Option<Rc<Syclbin>>,
        modules: Option<Rc<dyn Modules>>,
    ) -> Binary {
        let is_string = |id| matches!(layout::split(id).0, kind::STRING | kind::STRING_ENTRIES);
        let mut tops: Vec<(u32, u32)> = Vec::new();
        // The row that further strings are added to, with the holes before them.
        let mut open: Option<usize> = None;
        for (region, at) in regions.list().iter().zip(0..) {
            let joins = is_string(region.id);
            if let Some(group) = open.filter(|_| joins) {
                tops.truncate(group + 1);
                if let Some(group) = tops.get_mut(group) {
                    group.1 = at + 1;
                }
                continue;
            }
            if joins {
                open = Some(tops.len());
            } else if !matches!(region.id, layout::PADDING | layout::GAP) {
                open = None;
            }
            tops.push((at, at + 1));
        }
        Binary {
            reading,
            formats,
            regions,
            tops,
            survey,
            modules,
        }
    }

    /// Number of rows.
    pub fn len(&self) -> u64 {
        self.tops.len() as u64
    }

    /// The entries.
    pub fn entries(&self) -> &[super::Entry] {
        &self.reading.entries
    }

    fn entry(&self, index: u64) -> Option<&super::Entry> {
        self.reading.entries.get(usize::try_from(index).ok()?)
    }

    /// The first region of a row, and the end of its regions. Returns `None` if there is no such
    /// row.
    fn top(&self, index: u64) -> Option<(u64, u64)> {
        let (first, end) = self.tops.get(usize::try_from(index).ok()?)?;
        Some((u64::from(*first), u64::from(*end)))
    }

    fn image_name(&self, index: u64) -> String {
        let part = self.entry(index).and_then(|entry| entry.part);
        part.map_or_else(|| format!("image {index}"), |part| part.name())
    }

    /// Kind, device and target of an image, if known.
    fn image_text(&self, index: u64, sources: &Sources) -> String {
        let Some(entry) = self.entry(index) else {
            return String::new();
        };
        let kind = ImageKind::present(entry.image_kind, 16);
        let mut words = match self.survey {
            Some(_) => String::new(),
            None => value_text(&kind),
        };
        for key in [key::ARCH, key::TRIPLE] {
            let value = entry.value(sources, key);
            if !words.is_empty() && !value.is_empty() {
                words.push_str(" · ");
            }
            words.push_str(&value);
        }
        words
    }
}

/// The expander of a binary's rows.
pub struct BinaryRows(pub Rc<Binary>);

impl BinaryRows {
    fn top(&self, index: u64, out: &Rows<'_>) -> Option<Node> {
        let (first, end) = self.0.top(index)?;
        let (id, span) = self.0.regions.get(first)?;
        if end - first == 1 {
            return self.part(id, span, out);
        }
        let (_, last) = self.0.regions.get(end - 1)?;
        let all = Span::new(span.source, span.start, last.end);
        let node = Node::new(NodeKind::Record, "strings", all)
            .area(Area::Header)
            .children(out.me, layout::id(GROUP, index), Some(end - first))
            .doc(&GROUP_DOC);
        Some(node)
    }

    fn part(&self, id: u64, span: Span, out: &Rows<'_>) -> Option<Node> {
        if let Some(node) = filler(id, span) {
            return Some(node);
        }
        let binary = &self.0;
        let (kind, index) = layout::split(id);
        let remarks = || Rc::clone(binary) as Rc<dyn RecordNotes>;
        // The rest of a part whose other bytes belong to other parts.
        let rest = |name: String| Node::new(NodeKind::Blob, name, span).value(Value::Bytes);
        let strings = || format!("string entries of {}", binary.image_name(index));
        let fields = header::header(binary.reading.version);
        Some(match kind {
            kind::HEADER if span.len() < header::size(binary.reading.version) => {
                rest("truncated header".to_owned())
            }
            kind::HEADER => Node::new(NodeKind::Record, "header", span)
                .area(Area::Header)
                .children(
                    out.me,
                    layout::id(kind::HEADER, 0),
                    Some(fields.len() as u64),
                )
                .doc(&HEADER_DOC),
            kind::ENTRIES if span != binary.reading.table => rest("entries".to_owned()),
            kind::STRING_ENTRIES if binary.entry(index)?.strings != span => rest(strings()),
            kind::ENTRIES => records::table(out, "entries", span, &header::ENTRY, remarks()),
            kind::STRING_ENTRIES => {
                let kind = header::string_entry(binary.reading.version);
                let mut node = records::table(out, "string entries", span, kind, remarks());
                node.name = strings().into();
                node.doc(&STRINGS_DOC)
            }
            kind::STRING => {
                if let Some(node) = self.symbols(span, out) {
                    return Some(node);
                }
                let window = Window::clamped(out.sources, span.subspan(0, limits::C_STRING));
                let bytes = window.bytes();
                let text = bytes.strip_suffix(&[0]).unwrap_or(bytes);
                Node::new(NodeKind::Item, "string", span)
                    .indexed()
                    .area(Area::Symbol)
                    .value(Value::text_from(text))
                    .doc(&STRING_DOC)
            }
            kind::IMAGE => self.image(index, span, out)?,
            kind::COMPRESSED if span == binary.reading.compressed => self.compressed(span),
            _ => Node::new(NodeKind::Blob, "compressed", span)
                .value(Value::Bytes)
                .doc(&COMPRESSED_DOC),
        })
    }

    /// The row of a symbol table. Returns `None` for other strings.
    fn symbols(&self, span: Span, out: &Rows<'_>) -> Option<Node> {
        let mut entries = self.0.reading.entries.iter();
        let value = entries.find_map(|entry| {
            let value = entry.values.get(key::SYMBOLS)?;
            (value.start == span.start && !value.is_empty()).then_some(span)
        });
        symbols::node(value?, out)
    }

    /// The row of the compressed bytes, with the decompressed binary.
    fn compressed(&self, span: Span) -> Node {
        let reading = &self.0.reading;
        match (reading.inflated, reading.unpacked) {
            (Some(inflated), Some(rows)) => inflated.node("compressed").children(rows, 0, Some(1)),
            _ => Node::new(NodeKind::Blob, "compressed", span).value(Value::Bytes),
        }
        .doc(&COMPRESSED_DOC)
    }

    /// The row of an image; `span` is the part of it that no other part claims.
    fn image(&self, index: u64, span: Span, out: &Rows<'_>) -> Option<Node> {
        let binary = &self.0;
        let entry = binary.entry(index)?;
        let name = binary.image_name(index);
        let whole = span == entry.image;
        let node = match (&binary.survey, entry.part) {
            (Some(survey), Some(part)) if whole => survey.image_node(part, name, span, out),
            _ => {
                let opened = entry.opened.as_deref().filter(|_| whole);
                format::nested_node(out.sources, name, span, opened)
            }
        };
        let words = binary.image_text(index, out.sources);
        let summary = match (&node.summary, words.is_empty()) {
            (Some(summary), false) => format!("{words} · {summary}"),
            (Some(summary), true) => summary.to_string(),
            (None, _) => words,
        };
        let node = if summary.is_empty() {
            node
        } else {
            node.summary(summary)
        };
        let node = node.xref("entry", format!("entry {index}"), entry.place);
        Some(match node.doc {
            Some(_) => node,
            None => node.doc(&IMAGE_DOC),
        })
    }
}

impl RecordNotes for Binary {
    fn record(&self, table: u8, index: u64, node: Node, out: &Rows<'_>) -> Node {
        if table == header::ENTRIES {
            let Some(entry) = self.entry(index) else {
                return node;
            };
            let name = self.image_name(index);
            let mut words = self.image_text(index, out.sources);
            if entry.part.is_some() {
                words = if words.is_empty() {
                    name.clone()
                } else {
                    format!("{name} · {words}")
                };
            }
            let mut node = node.summary(words);
            if !entry.strings.is_empty() {
                node = node.xref("strings", "its keys and values", entry.strings);
            }
            return node.xref("image", name, entry.image);
        }
        let Some(span) = node.span else { return node };
        let record = Window::clamped(out.sources, span);
        let ahead = ReadAhead::new(out.sources, span);
        let version = self.reading.version;
        let Some((key, value)) = key_and_value(&ahead, self.reading.body, version, &record) else {
            return node;
        };
        let text = |span: Span| {
            let window = Window::clamped(out.sources, span.subspan(0, 256));
            String::from_utf8_lossy(window.bytes()).into_owned()
        };
        node.summary(format!("{} = {}", text(key), text(value)))
            .xref("key", text(key), key)
            .xref("value", text(value), value)
    }
}

impl Expand for BinaryRows {
    fn count(&self, item: u64, _sources: &Sources) -> u64 {
        // Other items know their own count.
        if item == TOP { self.0.len() } else { 0 }
    }

    fn rows(&self, item: u64, range: Range<u64>, out: &mut Rows<'_>) {
        if item == TOP {
            for index in range {
                out.extend(self.top(index, out));
            }
            return;
        }
        let (kind, index) = layout::split(item);
        match kind {
            kind::HEADER => {
                let header = Window::clamped(out.sources, self.0.reading.header);
                let fields = header::header(self.0.reading.version);
                records::push(fields, &header, range, out);
            }
            GROUP => {
                let Some((first, _)) = self.0.top(index) else {
                    return;
                };
                for at in range {
                    let region = self.0.regions.get(first.saturating_add(at));
                    out.extend(region.and_then(|(id, span)| self.part(id, span, out)));
                }
            }
            _ => {}
        }
    }

    fn interfaces(&self, _item: u64) -> Interfaces {
        let is_plain = self.0.survey.is_none() && !self.0.reading.entries.is_empty();
        let images = || Rc::new(OffloadImages(Rc::clone(&self.0))) as Rc<dyn HostImages>;
        Interfaces {
            modules: self.0.modules.clone(),
            host_images: is_plain.then(images),
            ..Interfaces::default()
        }
    }

    fn index_at(&self, item: u64, offset: u64, _sources: &Sources) -> Option<Vec<u64>> {
        let region = self.0.regions.index_at(offset);
        if item == TOP {
            let after = self
                .0
                .tops
                .partition_point(|top| u64::from(top.1) <= region);
            return Some(vec![after as u64]);
        }
        let (kind, index) = layout::split(item);
        if kind != GROUP {
            return None;
        }
        let (first, _) = self.0.top(index)?;
        Some(region.checked_sub(first).into_iter().collect())
    }
}

/// The expander of consecutive binaries.
pub struct SeriesRows {
    /// Their regions, and the holes between them.
    pub regions: Regions,
    /// Their bytes and documents.
    pub binaries: Vec<(Span, OpenedDocument)>,
}

impl Expand for SeriesRows {
    fn count(&self, _item: u64, _sources: &Sources) -> u64 {
        self.regions.region_count()
    }

    fn rows(&self, _item: u64, range: Range<u64>, out: &mut Rows<'_>) {
        for at in range {
            let Some((id, span)) = self.regions.get(at) else {
                continue;
            };
            let node = filler(id, span).or_else(|| {
                let (_, index) = layout::split(id);
                let (_, opened) = self.binaries.get(usize::try_from(index).ok()?)?;
                Some(format::document_node(
                    format!("binary {index}"),
                    span,
                    opened,
                ))
            });
            out.extend(node);
        }
    }

    fn index_at(&self, _item: u64, offset: u64, _sources: &Sources) -> Option<Vec<u64>> {
        Some(vec![self.regions.index_at(offset)])
    }
}
