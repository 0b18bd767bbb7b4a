//! The rows of a tar archive.

use std::ops::Range;
use std::rc::Rc;

use super::header::{FIELDS, RECORDS_MAX, records};
use super::{Archive, DATA, END, ENTRY, Entry, HEADER, RECORDS, SOURCE, TOP};
use crate::layout::{self, filler};
use crate::reader::Window;
use crate::text::plural;
use zeview_core::analysis::package::PackageFiles;
use zeview_core::model::{
    Area, DeferredDocument, Doc, Expand, ExpanderId, Interfaces, Node, NodeKind, Rows, Sources,
    Span, Value,
};

static ENTRY_DOC: Doc = Doc::new("A header and its data.", SOURCE);
static END_DOC: Doc = Doc::new("Blocks of zeros at the end of the archive.", SOURCE);
static RECORDS_DOC: Doc = Doc::new("Records about the next file: `length key=value`.", SOURCE);
static RECORD_DOC: Doc = Doc::new("A record: `length key=value`.", SOURCE);
static NAME_DOC: Doc = Doc::new(
    "The path of the next file, or the target of the next link.",
    "GNU tar",
);

fn kind_text(kind: u8) -> &'static str {
    match kind {
        b'0' | 0 | b'7' => "file",
        b'1' => "link",
        b'2' => "symbolic link",
        b'3' => "character device",
        b'4' => "block device",
        b'5' => "folder",
        b'6' => "FIFO",
        b'x' => "pax records of the next file",
        b'g' => "pax records of all files",
        b'L' => "long name of the next file",
        b'K' => "long target of the next link",
        _ => "unknown type",
    }
}

/// The row of a field of a header, by index.
fn field_node(header: Span, index: usize, out: &Rows<'_>) -> Option<Node> {
    let (before, from) = FIELDS.split_at_checked(index)?;
    let (name, size, doc) = from.first()?;
    let at = before.iter().map(|(_, size, _)| size).sum();
    let span = header.subspan(at, *size);
    let window = Window::clamped(out.sources, span);
    let text = window.bytes();
    let last = text.iter().rposition(|byte| *byte != 0);
    let used = last.map_or(0, |last| last + 1);
    let value = match text.first() {
        Some(0x80..) if *name == "size" => Value::Bytes,
        _ => Value::text_from(text.get(..used).unwrap_or(&[])),
    };
    Some(Node::field(*name, value, span).doc(doc))
}

/// Adds rows of pax records: their values, the last line feed, and what is not a record.
fn push_records(data: Span, range: Range<u64>, out: &mut Rows<'_>) {
    let window = Window::clamped(out.sources, data.subspan(0, RECORDS_MAX));
    let mut before = 0;
    let mut row = 0;
    for record in records(window.bytes()) {
        // The line feed belongs to the next record.
        let end = record.end.saturating_sub(1) as u64;
        if range.contains(&row) {
            let start = end.saturating_sub(record.value.len() as u64);
            let span = data.subspan(start, end.saturating_sub(start));
            let key = String::from_utf8_lossy(record.key).into_owned();
            let node = Node::field(key, Value::text_from(record.value), span);
            let head = u32::try_from(start.saturating_sub(before)).unwrap_or(0);
            out.push(node.head(head).doc(&RECORD_DOC));
        }
        before = end;
        row += 1;
    }
    let mut rest = data;
    if row > 0 {
        if range.contains(&row) {
            let feed = data.subspan(before, 1);
            out.push(Node::new(NodeKind::Syntax, "line feed", feed).doc(&RECORD_DOC));
        }
        rest = data.skip(before + 1);
        row += 1;
    }
    if range.contains(&row) && !rest.is_empty() {
        out.push(Node::gap("not a record", rest));
    }
}

impl Archive {
    fn entry_node(&self, entry: &Entry, id: u64, span: Span) -> Node {
        let kind = kind_text(entry.kind);
        let text = match entry.file {
            Some(_) if !matches!(entry.kind, b'1'..=b'6') => plural(entry.data.len(), "byte"),
            _ => kind.to_owned(),
        };
        let count = row_count(entry);
        Node::new(NodeKind::Item, String::from(&*entry.name), span)
            .summary(text)
            .doc(&ENTRY_DOC)
            .children(ExpanderId::SELF, id, Some(count))
    }

    fn entry_rows(&self, number: u64, entry: &Entry, out: &Rows<'_>) -> Vec<Node> {
        let header = Node::new(NodeKind::Record, "header", entry.header).area(Area::Header);
        let count = FIELDS.len() as u64;
        let id = layout::id(HEADER, number);
        let mut rows = vec![header.children(ExpanderId::SELF, id, Some(count))];
        if !entry.data.is_empty() {
            let data = match (entry.kind, entry.file) {
                (_, Some(file)) => self.package.data_node(file, layout::id(DATA, number), out),
                (b'x' | b'g', _) => {
                    let node = Node::new(NodeKind::Mapping, "records", entry.data);
                    let node = node.area(Area::Meta).doc(&RECORDS_DOC);
                    let id = layout::id(RECORDS, number);
                    Some(node.children(ExpanderId::SELF, id, Some(entry.records)))
                }
                (b'L' | b'K', _) => {
                    let window = Window::clamped(out.sources, entry.data.subspan(0, RECORDS_MAX));
                    let text = window.bytes();
                    let text = text.strip_suffix(&[0]).unwrap_or(text);
                    let value = Value::text_from(text);
                    Some(Node::field("long name", value, entry.data).doc(&NAME_DOC))
                }
                _ => None,
            };
            let raw = || Node::new(NodeKind::Blob, "data", entry.data).value(Value::Bytes);
            rows.push(data.unwrap_or_else(raw));
        }
        if !entry.padding.is_empty() {
            rows.push(Node::padding(entry.padding));
        }
        rows
    }
}

/// The number of rows of an entry.
fn row_count(entry: &Entry) -> u64 {
    1 + u64::from(!entry.data.is_empty()) + u64::from(!entry.padding.is_empty())
}

impl Expand for Archive {
    fn count(&self, item: u64, _sources: &Sources) -> u64 {
        match layout::split(item) {
            _ if item == TOP => self.regions.region_count(),
            (ENTRY, number) => self.entry(number).map_or(0, row_count),
            (HEADER, _) => FIELDS.len() as u64,
            (RECORDS, number) => self.entry(number).map_or(0, |entry| entry.records),
            _ => 0,
        }
    }

    fn rows(&self, item: u64, range: Range<u64>, out: &mut Rows<'_>) {
        if item == TOP {
            for (id, span) in range.filter_map(|at| self.regions.get(at)) {
                let (kind, number) = layout::split(id);
                let node = match (kind, self.entry(number)) {
                    (ENTRY, Some(entry)) => self.entry_node(entry, id, span),
                    (END, _) => Node::new(NodeKind::Padding, "end of archive", span)
                        .value(Value::Bytes)
                        .area(Area::Padding)
                        .doc(&END_DOC),
                    _ => filler(id, span).unwrap_or_else(|| Node::gap("gap", span)),
                };
                out.push(node);
            }
            return;
        }
        let (kind, number) = layout::split(item);
        let Some(entry) = self.entry(number) else {
            return;
        };
        match kind {
            ENTRY => {
                let rows = self.entry_rows(number, entry, out);
                out.push_range(rows, range);
            }
            HEADER => {
                for index in range {
                    let index = usize::try_from(index).unwrap_or(usize::MAX);
                    if let Some(node) = field_node(entry.header, index, out) {
                        out.push(node);
                    }
                }
            }
            RECORDS => push_records(entry.data, range.start..range.end.min(entry.records), out),
            _ => {}
        }
    }

    fn interfaces(&self, _item: u64) -> Interfaces {
        Interfaces {
            files: Some(Rc::clone(&self.package) as Rc<dyn PackageFiles>),
            ..Interfaces::default()
        }
    }

    fn open(&self, item: u64, sources: &Sources, first: ExpanderId) -> Option<DeferredDocument> {
        let (_, number) = layout::split(item);
        let file = self.entry(number)?.file?;
        self.package.open(file, sources, first)
    }

    fn index_at(&self, item: u64, offset: u64, sources: &Sources) -> Option<Vec<u64>> {
        match layout::split(item) {
            _ if item == TOP => Some(self.regions.owners(offset)),
            (RECORDS, number) => {
                let data = self.entry(number)?.data;
                let window = Window::clamped(sources, data.subspan(0, RECORDS_MAX));
                let (mut row, mut end) = (0, data.start);
                for record in records(window.bytes()) {
                    end = data.start.saturating_add(record.end as u64);
                    if offset < end.saturating_sub(1) {
                        return Some(vec![row]);
                    }
                    row += 1;
                }
                // The last line feed, and what is not a record.
                Some(vec![row + u64::from(row > 0 && offset >= end)])
            }
            _ => None,
        }
    }
}
