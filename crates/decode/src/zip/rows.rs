//! The rows of a zip archive.

use std::ops::Range;
use std::rc::Rc;

use super::directory::Entry;
use super::records::{
    self, CentralHeader, Descriptor, Descriptor64, End64Locator, End64Record, EndRecord,
    ExtraHeader, ExtraId, Flags, LocalHeader,
};
use super::{Archive, DATA, DIRECTORY, END, END_64, FILE, LOCATOR_64, SOURCE, TOP, entries_text};
use crate::layout::{self, filler};
use crate::package::is_outside;
use crate::reader::{Endian, Window, uint};
use crate::text::plural;
use crate::tree::{LazyTree, Parent, StaticTree};
use crate::{Context, rules};
use zeview_core::analysis::package::PackageFiles;
use zeview_core::model::{
    Area, DeferredDocument, Doc, Expand, ExpanderId, Interfaces, Node, NodeKind, Rows, Sources,
    Span, Value,
};

static FILE_DOC: Doc = Doc::new("A file: its local header, its name, and its data.", SOURCE);
static DIRECTORY_DOC: Doc = Doc::new("The list of all files.", "APPNOTE.TXT, 4.3.12");
static NAME_DOC: Doc = Doc::new("The path of the file, with slashes.", "APPNOTE.TXT, 4.4.17");
static EXTRA_DOC: Doc = Doc::new(
    "Extra fields, each with an id and a size.",
    "APPNOTE.TXT, 4.5",
);
static COMMENT_DOC: Doc = Doc::new("A comment.", "APPNOTE.TXT, 4.4.18");
static SIGNATURE_DOC: Doc = Doc::new("`PK\\x07\\x08`; optional.", "APPNOTE.TXT, 4.3.9");
static DESCRIPTOR_DOC: Doc = Doc::new(
    "CRC-32 and sizes, for writers that do not know them before the data.",
    "APPNOTE.TXT, 4.3.9",
);
static EXTRA_DATA_DOC: Doc = Doc::new("The data of an extra field.", "APPNOTE.TXT, 4.5");
static REST_DOC: Doc = Doc::new("Bytes that no header describes.", SOURCE);
static END_DATA_DOC: Doc = Doc::new("Data for extensions.", "APPNOTE.TXT, 4.3.14");

/// Reads the local header at the start of these bytes; what is missing is 0.
pub(super) fn local_header(sources: &Sources, start: Span) -> LocalHeader {
    let window = Window::clamped(sources, start.subspan(0, LocalHeader::SIZE));
    LocalHeader::clamped(&window, Endian::Little)
}

/// The parts of a file.
struct Parts {
    header: LocalHeader,
    name: Span,
    extra: Span,
    data: Span,
    descriptor: Span,
}

impl Parts {
    /// Without a local header there is only data.
    fn of(sources: &Sources, entry: &Entry) -> Parts {
        let header = local_header(sources, entry.around);
        let name = entry
            .around
            .subspan(LocalHeader::SIZE, header.name_length.into());
        let extra = Span::new(name.source, name.end, entry.around.end)
            .subspan(0, header.extra_length.into());
        let after = |part: Span| Span::new(part.source, part.end, entry.around.end);
        let data = after(extra).subspan(0, entry.packed);
        let descriptor = descriptor(sources, entry, after(data));
        Parts {
            header,
            name,
            extra,
            data,
            descriptor,
        }
    }
}

/// Returns the data descriptor at the start of `rest`: with or without a signature, with sizes of
/// 32 or 64 bits. Returns an empty span if it is missing.
fn descriptor(sources: &Sources, entry: &Entry, rest: Span) -> Span {
    if u64::from(entry.header.flags) & Flags::DATA_DESCRIPTOR == 0 {
        return rest.subspan(0, 0);
    }
    let window = Window::clamped(sources, rest.subspan(0, 24));
    let signature = signature_length(window.bytes());
    let fits = |size: u64| {
        let at = usize::try_from(signature).unwrap_or(0);
        let word = usize::try_from(size).unwrap_or(0);
        let bytes = window.bytes().get(at + 4..).unwrap_or(&[]);
        let number =
            |from: usize| uint(bytes.get(from..from + word).unwrap_or(&[]), Endian::Little);
        (number(0), number(word)) == (entry.packed, entry.size) && bytes.len() >= 2 * word
    };
    let size = match () {
        () if fits(4) => Descriptor::SIZE,
        () if fits(8) => Descriptor64::SIZE,
        // Sizes that do not match are damaged: the usual form is shown.
        () => Descriptor::SIZE,
    };
    rest.subspan(0, signature + size)
}

fn signature_length(bytes: &[u8]) -> u64 {
    let signature = uint(bytes.get(..4).unwrap_or(&[]), Endian::Little);
    if signature == u64::from(records::DESCRIPTOR) {
        4
    } else {
        0
    }
}

/// Returns the bytes of a file: local header, name, extra fields, data and descriptor.
pub(super) fn extent(sources: &Sources, entry: &Entry) -> Span {
    let parts = Parts::of(sources, entry);
    Span {
        end: parts.descriptor.end.max(parts.data.end),
        ..entry.around
    }
}

/// Compares the local header of a file, and what follows the file, as [`Regions`](layout::Regions)
/// do where the files are located when the archive is opened.
pub(super) fn check_around(cx: &Context<'_>, entry: &Entry) {
    check_local(cx, entry);
    let rest = Span {
        start: extent(cx.sources, entry).end,
        ..entry.around
    };
    layout::report_gap(cx, rest);
}

/// Compares the local header of a file with its entry in the directory.
pub(super) fn check_local(cx: &Context<'_>, entry: &Entry) {
    let name = &entry.name;
    let parts = Parts::of(cx.sources, entry);
    let (local, central) = (&parts.header, &entry.header);
    let report = |span: Span, message: &dyn std::fmt::Display| {
        let see = [(entry.span, "its entry in the directory")];
        cx.report_with(&rules::ZIP_LOCAL_HEADER, span, message, &see, None);
    };
    if local.signature != records::LOCAL || entry.around.len() < LocalHeader::SIZE {
        let offset = central.span_of(CentralHeader::local_header_offset);
        return report(
            offset,
            &format_args!("{name}: no local header at this offset"),
        );
    }
    if parts.data.len() < entry.packed {
        let rule = &rules::ZIP_OUT_OF_BOUNDS;
        let message = format_args!(
            "{name} has {}, but only {} are in the archive",
            plural(entry.packed, "byte"),
            parts.data.len()
        );
        let at = central.span_of(CentralHeader::compressed_size);
        cx.report_with(rule, at, message, &[(parts.data, "its data")], None);
    }
    let shown = parts.name.subspan(0, crate::limits::NAME_SHOWN as u64);
    let window = Window::clamped(cx.sources, shown);
    if *String::from_utf8_lossy(window.bytes()) != **name {
        report(
            parts.name,
            &format_args!("{name}: the local header has another name"),
        );
    }
    if local.method != central.method {
        let at = local.span_of(LocalHeader::method);
        report(
            at,
            &format_args!("{name}: the local header has another compression method"),
        );
    }
    let is_behind = u64::from(local.flags) & Flags::DATA_DESCRIPTOR != 0;
    let differs = |local: u32, central: u32| {
        // The sizes may be in the extra field of only one of them.
        local != central && !(is_behind && local == 0) && local != u32::MAX && central != u32::MAX
    };
    for (field, here, there, what) in [
        (LocalHeader::crc32, local.crc32, central.crc32, "CRC-32"),
        (
            LocalHeader::compressed_size,
            local.compressed_size,
            central.compressed_size,
            "compressed size",
        ),
        (
            LocalHeader::uncompressed_size,
            local.uncompressed_size,
            central.uncompressed_size,
            "size",
        ),
    ] {
        if differs(here, there) {
            let at = local.span_of(field);
            report(
                at,
                &format_args!("{name}: the local header has another {what}"),
            );
        }
    }
}

/// The row of a name.
fn name_node(sources: &Sources, span: Span) -> Node {
    let window = Window::clamped(sources, span);
    let node = Node::field("name", Value::text_from(window.bytes()), span);
    let is_outside = is_outside(&String::from_utf8_lossy(window.bytes()));
    let node = node.doc(&NAME_DOC);
    if is_outside {
        node.summary("leads out of the folder")
    } else {
        node
    }
}

fn comment_node(sources: &Sources, span: Span) -> Node {
    let window = Window::clamped(sources, span);
    Node::field("comment", Value::text_from(window.bytes()), span).doc(&COMMENT_DOC)
}

/// A node whose children are built when they are requested: a package has several such nodes for
/// each of its files.
fn with(node: Node, make: impl Fn(&Sources) -> StaticTree + 'static, out: &Rows<'_>) -> Node {
    node.children(out.register(Rc::new(LazyTree::new(make))), 0, None)
}

fn flat(rows: impl IntoIterator<Item = Node>) -> StaticTree {
    let mut tree = StaticTree::default();
    tree.extend(StaticTree::TOP, rows);
    tree
}

/// The row of extra fields.
fn extra_node(span: Span, out: &Rows<'_>) -> Node {
    let node = Node::new(NodeKind::Table, "extra fields", span).doc(&EXTRA_DOC);
    let rows = move |sources: &Sources| {
        let mut tree = StaticTree::default();
        add_extra(&mut tree, StaticTree::TOP, span, sources);
        tree
    };
    with(node, rows, out)
}

fn add_extra(tree: &mut StaticTree, parent: Parent, span: Span, sources: &Sources) {
    let mut at = 0;
    while at < span.len() {
        let window = Window::clamped(sources, span.subspan(at, ExtraHeader::SIZE));
        let Ok(header) = ExtraHeader::read(&mut window.reader(Endian::Little)) else {
            let rest = Node::field("rest", Value::Bytes, span.skip(at));
            tree.push(parent, rest.doc(&REST_DOC));
            break;
        };
        let whole = span.subspan(at, ExtraHeader::SIZE.saturating_add(header.size.into()));
        let name = ExtraId(header.id).name();
        let name = name.map_or_else(|| format!("field {:#06x}", header.id), str::to_owned);
        let field = tree.push(parent, Node::new(NodeKind::Record, name, whole));
        tree.extend(field, header.nodes());
        let data = whole.skip(ExtraHeader::SIZE);
        if ExtraId(header.id) == ExtraId::Zip64 && data.len().is_multiple_of(8) {
            for start in (0..data.len()).step_by(8) {
                let word = data.subspan(start, 8);
                let window = Window::clamped(sources, word);
                let value = Value::decimal(uint(window.bytes(), Endian::Little), 64);
                tree.push(
                    field,
                    Node::field("value", value, word).doc(&EXTRA_DATA_DOC),
                );
            }
        } else if !data.is_empty() {
            tree.push(
                field,
                Node::field("data", Value::Bytes, data).doc(&EXTRA_DATA_DOC),
            );
        }
        at = at.saturating_add(whole.len());
    }
}

fn descriptor_node(span: Span, out: &Rows<'_>) -> Node {
    let node = Node::new(NodeKind::Record, "data descriptor", span);
    let node = node.area(Area::Header).doc(&DESCRIPTOR_DOC);
    with(node, move |sources| descriptor_rows(span, sources), out)
}

fn descriptor_rows(span: Span, sources: &Sources) -> StaticTree {
    let window = Window::clamped(sources, span);
    let signature = span.subspan(0, signature_length(window.bytes()));
    let mut nodes = Vec::new();
    if !signature.is_empty() {
        let value = Value::hex(records::DESCRIPTOR.into(), 32);
        nodes.push(Node::field("signature", value, signature).doc(&SIGNATURE_DOC));
    }
    let rest = span.skip(signature.len());
    let window = Window::clamped(sources, rest);
    let reader = &mut window.reader(Endian::Little);
    if rest.len() == Descriptor64::SIZE {
        nodes.extend(
            Descriptor64::read(reader)
                .into_iter()
                .flat_map(|record| record.nodes()),
        );
    } else if rest.len() == Descriptor::SIZE {
        nodes.extend(
            Descriptor::read(reader)
                .into_iter()
                .flat_map(|record| record.nodes()),
        );
    } else {
        nodes.push(Node::field("truncated", Value::Bytes, rest).doc(&REST_DOC));
    }
    flat(nodes)
}

impl Archive {
    fn region_node(&self, id: u64, span: Span, out: &Rows<'_>) -> Node {
        let (kind, number) = layout::split(id);
        match (kind, self.directory.entry(number)) {
            (FILE, Some(entry)) => self.file_node(entry, id, span),
            (DIRECTORY, _) => {
                let more = u64::from(!self.directory.rest().is_empty());
                let count = self.directory.entries.len() as u64 + more;
                Node::new(NodeKind::Table, "central directory", span)
                    .area(Area::Header)
                    .summary(entries_text(&self.directory.entries))
                    .doc(&DIRECTORY_DOC)
                    .children(out.me, id, Some(count))
            }
            (END, _) => end_node(span, out),
            (END_64, _) => end_64_node(span, out),
            (LOCATOR_64, _) => {
                let node = Node::new(NodeKind::Record, "Zip64 end locator", span);
                let rows = move |sources: &Sources| {
                    let window = Window::clamped(sources, span);
                    flat(End64Locator::clamped(&window, Endian::Little).nodes())
                };
                with(node.area(Area::Header), rows, out)
            }
            _ => filler(id, span).unwrap_or_else(|| Node::gap("gap", span)),
        }
    }

    fn file_node(&self, entry: &Entry, id: u64, span: Span) -> Node {
        let text = if entry.name.ends_with('/') {
            "folder".to_owned()
        } else {
            format!("{}, {}", entry.method(), plural(entry.size, "byte"))
        };
        Node::new(NodeKind::Item, String::from(&*entry.name), span)
            .summary(text)
            .doc(&FILE_DOC)
            .xref("entry", "entry in the central directory", entry.span)
            .children(ExpanderId::SELF, id, None)
    }

    /// The rows of a file.
    fn file_rows(&self, number: u64, out: &Rows<'_>) -> Vec<Node> {
        let Some(entry) = self.directory.entry(number) else {
            return Vec::new();
        };
        let parts = Parts::of(out.sources, entry);
        let extent = extent(out.sources, entry);
        let mut rows = Vec::new();
        if parts.header.origin.len() == LocalHeader::SIZE {
            let header = parts.header.origin;
            let node = Node::new(NodeKind::Record, "local header", header);
            let fields = move |sources: &Sources| {
                let window = Window::clamped(sources, header);
                flat(LocalHeader::clamped(&window, Endian::Little).nodes())
            };
            rows.push(with(node.area(Area::Header), fields, out));
        } else if !parts.header.origin.is_empty() {
            let header = parts.header.origin;
            rows.push(Node::field("truncated header", Value::Bytes, header).doc(&REST_DOC));
        }
        if !parts.name.is_empty() {
            rows.push(name_node(out.sources, parts.name).area(Area::Header));
        }
        if !parts.extra.is_empty() {
            rows.push(extra_node(parts.extra, out).area(Area::Header));
        }
        let index = usize::try_from(number).unwrap_or(usize::MAX);
        rows.extend(self.package.data_node(index, layout::id(DATA, number), out));
        if !parts.descriptor.is_empty() {
            rows.push(descriptor_node(parts.descriptor, out));
        }
        // Otherwise these bytes are a region of their own.
        let rest = Span::new(extent.source, extent.end, entry.around.end);
        if !self.is_checked && !rest.is_empty() {
            rows.push(Node::field("rest", Value::Bytes, rest).doc(&REST_DOC));
        }
        rows
    }

    fn entry_node(&self, number: u64, out: &Rows<'_>) -> Node {
        let Some(entry) = self.directory.entry(number) else {
            return Node::gap("not read", self.directory.rest());
        };
        let node = Node::new(NodeKind::Item, String::from(&*entry.name), entry.span).indexed();
        let node = node.summary(String::from(&*entry.name));
        let node = node.xref(
            "file",
            "its local header",
            entry.around.subspan(0, LocalHeader::SIZE),
        );
        let span = entry.span;
        with(node, move |sources| entry_rows(span, sources), out)
    }
}

/// The rows of an entry of the central directory.
fn entry_rows(span: Span, sources: &Sources) -> StaticTree {
    let window = Window::clamped(sources, span);
    let header = CentralHeader::clamped(&window, Endian::Little);
    let mut tree = flat(header.nodes());
    let mut rest = span.skip(CentralHeader::SIZE);
    let mut next = |len: u16| {
        let part = rest.subspan(0, len.into());
        rest = rest.skip(len.into());
        part
    };
    let (name, extra) = (next(header.name_length), next(header.extra_length));
    let comment = next(header.comment_length);
    if !name.is_empty() {
        tree.push(StaticTree::TOP, name_node(sources, name));
    }
    if !extra.is_empty() {
        let node = Node::new(NodeKind::Table, "extra fields", extra).doc(&EXTRA_DOC);
        let parent = tree.push(StaticTree::TOP, node);
        add_extra(&mut tree, parent, extra, sources);
    }
    if !comment.is_empty() {
        tree.push(StaticTree::TOP, comment_node(sources, comment));
    }
    tree
}

fn end_node(span: Span, out: &Rows<'_>) -> Node {
    let node = Node::new(NodeKind::Record, "end of central directory", span);
    let rows = move |sources: &Sources| {
        let window = Window::clamped(sources, span);
        let mut tree = flat(EndRecord::clamped(&window, Endian::Little).nodes());
        let comment = span.skip(EndRecord::SIZE);
        if !comment.is_empty() {
            tree.push(StaticTree::TOP, comment_node(sources, comment));
        }
        tree
    };
    with(node.area(Area::Header), rows, out)
}

fn end_64_node(span: Span, out: &Rows<'_>) -> Node {
    let node = Node::new(NodeKind::Record, "Zip64 end of central directory", span);
    let rows = move |sources: &Sources| {
        let window = Window::clamped(sources, span);
        let mut tree = flat(End64Record::clamped(&window, Endian::Little).nodes());
        let rest = span.skip(End64Record::SIZE);
        if !rest.is_empty() {
            let data = Node::field("data", Value::Bytes, rest).doc(&END_DATA_DOC);
            tree.push(StaticTree::TOP, data);
        }
        tree
    };
    with(node.area(Area::Header), rows, out)
}

impl Expand for Archive {
    fn count(&self, item: u64, sources: &Sources) -> u64 {
        match layout::split(item) {
            _ if item == TOP => self.regions.region_count(),
            (FILE, number) => {
                let Some(entry) = self.directory.entry(number) else {
                    return 0;
                };
                let parts = Parts::of(sources, entry);
                let rest = extent(sources, entry).end < entry.around.end && !self.is_checked;
                let parts = [
                    !parts.header.origin.is_empty(),
                    !parts.name.is_empty(),
                    !parts.extra.is_empty(),
                    !parts.data.is_empty(),
                    !parts.descriptor.is_empty(),
                    rest,
                ];
                parts.into_iter().filter(|is_there| *is_there).count() as u64
            }
            // The nodes of all others have their counts.
            _ => 0,
        }
    }

    fn rows(&self, item: u64, range: Range<u64>, out: &mut Rows<'_>) {
        if item == TOP {
            for (id, span) in range.filter_map(|at| self.regions.get(at)) {
                let node = self.region_node(id, span, out);
                out.push(node);
            }
            return;
        }
        match layout::split(item) {
            (FILE, number) => {
                let rows = self.file_rows(number, out);
                out.push_range(rows, range);
            }
            (DIRECTORY, _) => {
                for number in range {
                    let node = self.entry_node(number, out);
                    out.push(node);
                }
            }
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
        let index = usize::try_from(number).ok()?;
        self.package.open(index, sources, first)
    }

    fn index_at(&self, item: u64, offset: u64, _sources: &Sources) -> Option<Vec<u64>> {
        match layout::split(item) {
            _ if item == TOP => Some(self.regions.owners(offset)),
            (DIRECTORY, _) => Some(vec![self.directory.entry_at(offset)]),
            _ => None,
        }
    }
}
