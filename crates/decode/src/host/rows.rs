//! The rows of the index and of the images.
use super::contents::{open_image, title};
use super::index::{Index, Piece, Read, RecordKind};
use super::records::{self, Layout, Type, kind_of, layout_of_kind};
use crate::compression::Method;
use crate::layout::{self, Region};
use crate::names::known_name;
use crate::reader::{Endian, Window, uint};
use crate::text::plural;
use crate::{Context, limits};
use std::cell::OnceCell;
use std::ops::Range;
use std::rc::Rc;
use zeview_core::model::{
    Area, Content, DeferredDocument, Doc, Expand, ExpanderId, Node, NodeKind, Rows, Sources, Span,
    Value,
};

/// The item of the whole part.
pub(super) const TOP: u64 = u64::MAX;

const WRAPPER: &str = "intel/llvm, ClangOffloadWrapper.cpp";

pub(super) static SEGMENT_DOC: Doc = Doc::new(
    "A segment of a file that has no section headers.",
    "gABI, Program Header",
);

static IMAGE_DOC: Doc = Doc::new("A device image, decoded on demand.", WRAPPER);

static TABLE_DOC: Doc = Doc::new("A table of the index of device images.", WRAPPER);

static TEXT_DOC: Doc = Doc::new("A string of the index, with its terminating NUL.", WRAPPER);

static BYTES_DOC: Doc = Doc::new(
    "The value of a property: the number of bits, then the bytes.",
    "intel/llvm, PropertySetIO.h",
);

static BITS_DOC: Doc = Doc::new("The number of bits.", "intel/llvm, PropertySetIO.h");

static VALUE_DOC: Doc = Doc::new(
    "The bits, the lowest of each byte first.",
    "intel/llvm, PropertySetIO.h",
);

static OTHER_DOC: Doc = Doc::new("Host code or data; not decoded.", "");

static PADDING_DOC: Doc = Doc::new("Bytes that align the next image.", WRAPPER);

static FIELD_PADDING_DOC: Doc = Doc::new("Bytes that align the next field.", WRAPPER);

static GAP_DOC: Doc = Doc::new("No part of the index refers to these bytes.", "");

/// Bytes of the file, usually a section, with the pieces of the index in them.
pub(super) struct Part {
    pub index: Rc<Index>,
    pub span: Span,
    /// Number of documents around the images.
    pub depth: u32,
    /// Whether there is only padding between the images.
    pub holds_images: bool,
    /// The regions that cover the part; computed on demand.
    pub regions: OnceCell<Vec<Region>>,
}

/// Kinds of regions and items in addition to [`RecordKind`].
const OTHER: u8 = 0x70;

/// A record of a table.
const RECORD: u8 = 0x40;

/// Images are padded to a multiple of this, in bytes.
const ALIGN: u64 = 16;

impl Part {
    /// Reports the padding and gaps between images.
    pub(super) fn account(&self, cx: &Context<'_>) {
        for region in self.regions(cx.sources) {
            let span = Span::new(self.span.source, region.start, region.end);
            match region.id {
                layout::PADDING => cx.padding(span),
                layout::GAP => cx.gap(span),
                _ => {}
            }
        }
    }

    fn regions(&self, sources: &Sources) -> &[Region] {
        self.regions.get_or_init(|| self.arrange(sources))
    }

    fn arrange(&self, sources: &Sources) -> Vec<Region> {
        let own;
        // The coverage is computed before any row is: it depends on images alone.
        let pieces = if self.holds_images {
            own = self.index.image_pieces();
            &own[..]
        } else {
            self.index.pieces(sources)
        };
        let from = pieces.partition_point(|piece| piece.start < self.span.start);
        let mut regions: Vec<Region> = Vec::new();
        let mut at = self.span.start;
        let mut next_other = from;
        let fill = |regions: &mut Vec<Region>, at: u64, start: u64| {
            if at < start {
                let hole = Span::new(self.span.source, at, start);
                let id = match self.holds_images {
                    false => layout::id(OTHER, 0),
                    true if hole.len() < ALIGN => layout::PADDING,
                    true if hole.len() <= limits::PADDING && layout::is_zero(sources, hole) => {
                        layout::PADDING
                    }
                    true => layout::GAP,
                };
                regions.push(Region::new(id, hole));
            }
        };
        for (index, piece) in pieces.iter().enumerate().skip(from) {
            if piece.start >= self.span.end {
                break;
            }
            let number = match piece.kind {
                RecordKind::Image => piece.of,
                _ => index,
            };
            let mut region = piece.region(layout::id(piece.kind as u8, number as u64));
            if piece.kind == RecordKind::Text {
                let rest = Span::new(self.span.source, piece.start, self.span.end);
                // Never moves back: there may be many texts.
                next_other = next_other.max(index + 1);
                while pieces
                    .get(next_other)
                    .is_some_and(|next| next.kind == RecordKind::Text)
                {
                    next_other += 1;
                }
                let next = pieces.get(next_other);
                let most = next.map_or(u64::MAX, |next| next.start - piece.start);
                let len = self.index.memory.text_len(sources, rest);
                region.end = piece.start + len.min(most);
            }
            region.end = region.end.min(self.span.end);
            // Overlapping bytes are shown in the other piece.
            let is_cut = piece.kind != RecordKind::Text && piece.end > region.end;
            if region.start < at || region.start >= region.end || is_cut {
                continue;
            }
            fill(&mut regions, at, region.start);
            at = region.end;
            regions.push(region);
        }
        fill(&mut regions, at, self.span.end);
        regions
    }

    fn piece(&self, number: u64, sources: &Sources) -> Option<&Piece> {
        self.index
            .pieces(sources)
            .get(usize::try_from(number).ok()?)
    }

    fn region_node(&self, region: &Region, out: &Rows<'_>) -> Node {
        let span = Span::new(self.span.source, region.start, region.end);
        let (_, number) = layout::split(region.id);
        let filler = match region.id {
            layout::PADDING => Some(Node::padding(span).doc(&PADDING_DOC)),
            layout::GAP => Some(Node::gap("gap", span).doc(&GAP_DOC)),
            _ => None,
        };
        if let Some(filler) = filler {
            return filler;
        }
        if region.id >> 56 == u64::from(RecordKind::Image as u8) {
            return self.image_node(usize::try_from(number).unwrap_or(usize::MAX), span, out);
        }
        let piece = self.piece(number, out.sources);
        let Some(piece) = piece.filter(|_| region.id != layout::id(OTHER, 0)) else {
            return Node::new(NodeKind::Blob, "other", span)
                .value(Value::Bytes)
                .doc(&OTHER_DOC);
        };
        let of = piece.of;
        let table = |name: String, layout: &'static Layout| {
            let count = span.len() / self.index.size(layout).max(1);
            Node::new(NodeKind::Table, name, span)
                .area(Area::Meta)
                .summary(plural(count, layout.name))
                .doc(&TABLE_DOC)
                .children(out.me, region.id, Some(count))
        };
        let whose = || self.image_name(of);
        match piece.kind {
            RecordKind::Image => self.image_node(of, span, out),
            RecordKind::Descriptor | RecordKind::OpenmpDescriptor | RecordKind::OpenmpImage => {
                let layout = layout_of(piece.kind);
                let name = format!("{} {of}", layout.name);
                self.record_node(layout, name, span, region.id, out)
            }
            RecordKind::Structs => table(
                format!("image structs of descriptor {of}"),
                self.structs(of),
            ),
            RecordKind::References => table("images".to_owned(), &records::TGTIMG),
            RecordKind::OldEntries | RecordKind::NewEntries => {
                table(format!("entries of {}", whose()), layout_of(piece.kind))
            }
            RecordKind::Sets => table(format!("property sets of {}", whose()), &records::SET),
            RecordKind::Properties => {
                table(format!("properties of {}", whose()), &records::PROPERTY)
            }
            RecordKind::Bytes => Node::new(NodeKind::Record, "property value", span)
                .area(Area::Meta)
                .doc(&BYTES_DOC)
                .children(out.me, region.id, Some(if span.len() > 8 { 2 } else { 1 })),
            RecordKind::Text => {
                let window = Window::clamped(out.sources, span);
                let text = window.bytes();
                let text = text.strip_suffix(&[0]).unwrap_or(text);
                Node::field("string", Value::text_from(text), span)
                    .area(Area::Symbol)
                    .doc(&TEXT_DOC)
            }
        }
    }

    /// Returns the layout of the image structs of a descriptor.
    fn structs(&self, descriptor: usize) -> &'static Layout {
        let mut structs = self.index.structs.iter();
        let found = structs.find(|found| found.descriptor == descriptor);
        let size = found.map_or(0, |found| found.span.len());
        let mut layouts = records::IMAGES.iter();
        let fits = layouts.find(|layout| self.index.size(layout) == size);
        let [_, _, newest] = &records::IMAGES;
        fits.unwrap_or(newest)
    }

    /// Returns the name of the image of a struct.
    fn image_name(&self, of: usize) -> String {
        let mut images = self.index.images.iter();
        match images.position(|image| image.described == Some(of)) {
            Some(image) => format!("image {image}"),
            None => format!("image struct {of}"),
        }
    }

    fn image_node(&self, image: usize, span: Span, out: &Rows<'_>) -> Node {
        let found = self.index.images.get(image);
        let head = found.map_or(&[][..], |image| image.head(out.sources));
        let kind = match Method::sniff(head) {
            Some(Method::Zstd) => NodeKind::Packed,
            _ => NodeKind::File,
        };
        let mut node = Node::new(kind, format!("image {image}"), span)
            .area(Area::Ir)
            .doc(&IMAGE_DOC);
        let item = layout::id(RecordKind::Image as u8, image as u64);
        node.content = Content::Deferred {
            expander: out.me,
            item,
        };
        if kind == NodeKind::Packed {
            node = node.value(Value::Bytes);
        }
        let mut text = title(head);
        let described = found.and_then(|image| image.described);
        if let Some(found) = described.and_then(|of| self.index.structs.get(of)) {
            let layout = self.structs(found.descriptor);
            if let Some(read) = self.index.read(out.sources, layout, found.address) {
                let target = read.pointer("DeviceTargetSpec");
                let target = self.index.memory.string(out.sources, target);
                text = format!("{target} · {text}");
            }
            node = node.xref("struct", "image struct", found.span);
            let memory = &self.index.memory;
            for (why, range) in [("entries", found.entries), ("property sets", found.sets)] {
                let bytes = memory.between(range.0, range.1);
                if let Some(bytes) = bytes.filter(|bytes| !bytes.is_empty()) {
                    node = node.xref(why, why, bytes);
                }
            }
        }
        node.summary(text)
    }

    fn record_node(
        &self,
        layout: &'static Layout,
        name: String,
        span: Span,
        item: u64,
        out: &Rows<'_>,
    ) -> Node {
        let node = Node::new(NodeKind::Record, name, span)
            .area(Area::Meta)
            .doc(&layout.doc);
        let Some(read) = self.read(layout, span, out.sources) else {
            return node.value(Value::Bytes);
        };
        let count = self.fields(layout).len() as u64;
        let node = node.children(out.me, item, Some(count));
        self.describe_record(layout, &read, node, out.sources)
    }

    /// Reads the record in these bytes. Returns `None` if they are not all in memory.
    fn read(&self, layout: &'static Layout, span: Span, sources: &Sources) -> Option<Read<'_>> {
        let address = self.index.memory.address(span.start)?;
        let read = self.index.read(sources, layout, address);
        read.filter(|read| read.record.span() == span)
    }

    /// Adds a record's summary and reference to its node.
    fn describe_record(
        &self,
        layout: &Layout,
        read: &Read<'_>,
        node: Node,
        sources: &Sources,
    ) -> Node {
        let memory = &self.index.memory;
        let mut fields = read.places.iter();
        if let Some((text, ..)) = fields.find(|(field, ..)| field.ty == Type::Text) {
            return node.summary(memory.string(sources, read.pointer(text.name)));
        }
        let image = match layout.name {
            "image reference" => memory.from(read.pointer("start")),
            _ => None,
        };
        match image {
            Some(rest) => {
                let start = rest.start;
                let mut images = self.index.images.iter().enumerate();
                match images.find(|(_, image)| image.span.start == start) {
                    Some((at, image)) => {
                        let name = format!("image {at}");
                        node.xref("image", name.clone(), image.span).summary(name)
                    }
                    None => node,
                }
            }
            None => node,
        }
    }

    /// Returns the fields of a record with their offsets, and the padding between them.
    fn fields(&self, layout: &'static Layout) -> Vec<(Option<&'static records::Field>, u64, u64)> {
        let memory = &self.index.memory;
        let (places, size) = layout.places(memory.pointer, memory.align);
        let mut fields = Vec::new();
        let mut at = 0;
        for (field, offset, len) in places {
            if at < offset {
                fields.push((None, at, offset - at));
            }
            fields.push((Some(field), offset, len));
            at = offset + len;
        }
        if at < size {
            fields.push((None, at, size - at));
        }
        fields
    }

    fn field_node(
        &self,
        read: &Read<'_>,
        field: Option<&'static records::Field>,
        place: (u64, u64),
        sources: &Sources,
    ) -> Node {
        let (offset, size) = place;
        let span = read.record.span().subspan(offset, size);
        let Some(field) = field else {
            return Node::new(NodeKind::Field, "padding", span)
                .value(Value::Bytes)
                .doc(&FIELD_PADDING_DOC);
        };
        let bits = u8::try_from(size * 8).unwrap_or(64);
        let raw = read.record.number(offset, size);
        let value = match field.ty {
            Type::Number(_) | Type::Size => {
                let value = Value::decimal(raw, bits);
                match known_name(field.doc.known, raw) {
                    Some(name) => value.named(name),
                    None => value,
                }
            }
            Type::Pointer | Type::Text => Value::hex(raw, bits),
        };
        let mut node = Node::field(field.name, value, span).doc(&field.doc);
        if !matches!(field.ty, Type::Pointer | Type::Text) {
            return node;
        }
        let address = read.record.pointer(offset, size);
        let memory = &self.index.memory;
        if let Some(relocation) = read.record.relocation(offset) {
            node = node.xref("relocation", format!("{address:#x}"), relocation);
        }
        // An end points behind the last byte.
        let is_end = field.name.ends_with("End");
        let target = if is_end {
            None
        } else {
            memory.from(address).filter(|_| address != 0)
        };
        let Some(rest) = target else {
            return match address {
                0 => node,
                _ => node.summary(format!("address {address:#x}")),
            };
        };
        if field.ty == Type::Text {
            let (text, bytes) = memory.shown(sources, address).unwrap_or_default();
            return node.xref("points to", text.clone(), bytes).summary(text);
        }
        let (label, bytes) = self.target(rest, sources);
        node.xref("points to", label.clone(), bytes).summary(label)
    }

    /// Returns the target of a pointer: a piece of the index, or any byte.
    fn target(&self, rest: Span, sources: &Sources) -> (String, Span) {
        let pieces = self.index.pieces(sources);
        let at = pieces.partition_point(|piece| piece.start < rest.start);
        let file = self.index.memory.file;
        match pieces.get(at).filter(|piece| piece.start == rest.start) {
            Some(piece) => {
                let name = match piece.kind {
                    RecordKind::Image => format!("image {}", piece.of),
                    RecordKind::Structs => "image structs".to_owned(),
                    RecordKind::Sets => "property sets".to_owned(),
                    RecordKind::Properties => "properties".to_owned(),
                    RecordKind::OldEntries | RecordKind::NewEntries => "entries".to_owned(),
                    RecordKind::Bytes => "property value".to_owned(),
                    _ => format!("{:#x}", rest.start),
                };
                (name, piece.span(file))
            }
            None => (format!("{:#x}", rest.start), rest.subspan(0, 1)),
        }
    }

    /// Returns the layout and the records of a table.
    fn table(&self, kind: u8, number: u64, sources: &Sources) -> Option<(&'static Layout, Span)> {
        let piece = self.piece(number, sources)?;
        let is_it = piece.kind as u8 == kind & !RECORD;
        let span = piece.span(self.index.memory.file).intersect(self.span);
        let layout = match piece.kind {
            RecordKind::Structs => self.structs(piece.of),
            kind => layout_of(kind),
        };
        is_it.then_some((layout, span))
    }

    /// Pushes the rows of an item: the part, a table or a record.
    fn push(&self, item: u64, range: Range<u64>, out: &mut Rows<'_>) {
        let (kind, number) = layout::split(item);
        if item == TOP {
            let regions = self.regions(out.sources);
            for region in crate::table::slice(regions, range) {
                let node = self.region_node(region, out);
                out.push(node);
            }
            return;
        }
        if kind & RECORD != 0 {
            // The item number is the record's offset in the file; the kind determines its layout.
            let layout = layout_of_kind(kind & !RECORD);
            let size = self.index.size(layout);
            let span = Span::with_len(self.span.source, number, size);
            return self.push_fields(layout, span, range, out);
        }
        let Some((layout, span)) = self.table(kind, number, out.sources) else {
            return;
        };
        let piece_kind = self.piece(number, out.sources).map(|piece| piece.kind);
        match piece_kind {
            Some(RecordKind::Bytes) => out.push_range(value_nodes(span, out.sources), range),
            Some(
                RecordKind::Descriptor | RecordKind::OpenmpDescriptor | RecordKind::OpenmpImage,
            ) => {
                self.push_fields(layout, span, range, out);
            }
            _ => {
                let size = self.index.size(layout);
                let kind = kind_of(layout) | RECORD;
                for index in range {
                    let record = span.subspan(index.saturating_mul(size), size);
                    let item = layout::id(kind, record.start);
                    let name = layout.name.to_owned();
                    let node = self.record_node(layout, name, record, item, out);
                    out.push(node.indexed());
                }
            }
        }
    }

    fn push_fields(
        &self,
        layout: &'static Layout,
        span: Span,
        range: Range<u64>,
        out: &mut Rows<'_>,
    ) {
        let sources = out.sources;
        let Some(read) = self.read(layout, span, sources) else {
            return;
        };
        let nodes = self
            .fields(layout)
            .into_iter()
            .map(|(field, offset, size)| self.field_node(&read, field, (offset, size), sources));
        let nodes: Vec<Node> = nodes.collect();
        out.push_range(nodes, range);
    }
}

fn layout_of(kind: RecordKind) -> &'static Layout {
    match kind {
        RecordKind::Descriptor => &records::DESCRIPTOR,
        RecordKind::OpenmpDescriptor => &records::OPENMP_DESCRIPTOR,
        RecordKind::OpenmpImage => &records::OPENMP_IMAGE,
        RecordKind::OldEntries => &records::OLD_ENTRY,
        RecordKind::NewEntries => &records::NEW_ENTRY,
        RecordKind::Sets => &records::SET,
        RecordKind::Properties => &records::PROPERTY,
        _ => &records::TGTIMG,
    }
}

/// Returns the number of bits and the bytes of a value; only the bytes if it is too short for the
/// number.
fn value_nodes(span: Span, sources: &Sources) -> Vec<Node> {
    if span.len() < 8 {
        return vec![Node::field("bytes", Value::Bytes, span).doc(&VALUE_DOC)];
    }
    let bits = span.subspan(0, 8);
    let window = Window::clamped(sources, bits);
    let number = uint(window.bytes(), Endian::Little);
    let mut nodes = vec![Node::field("bits", Value::decimal(number, 64), bits).doc(&BITS_DOC)];
    let rest = span.skip(8);
    if !rest.is_empty() {
        nodes.push(Node::field("bytes", Value::Bytes, rest).doc(&VALUE_DOC));
    }
    nodes
}

impl Expand for Part {
    fn count(&self, item: u64, sources: &Sources) -> u64 {
        match item {
            TOP => self.regions(sources).len() as u64,
            // The nodes of all others have their counts.
            _ => 0,
        }
    }

    fn rows(&self, item: u64, range: Range<u64>, out: &mut Rows<'_>) {
        self.push(item, range, out);
    }

    fn open(&self, item: u64, sources: &Sources, first: ExpanderId) -> Option<DeferredDocument> {
        let (_, image) = layout::split(item);
        let image = self.index.images.get(usize::try_from(image).ok()?)?;
        Some(open_image(
            sources,
            self.index.formats,
            image.span,
            first,
            self.depth,
        ))
    }

    fn index_at(&self, item: u64, offset: u64, sources: &Sources) -> Option<Vec<u64>> {
        if item != TOP {
            return None;
        }
        let regions = self.regions(sources);
        Some(vec![
            regions.partition_point(|region| region.end <= offset) as u64
        ])
    }
}
