//! The index: the records behind the descriptors, `.tgtimg`, and images found without either.

use std::cell::OnceCell;
use std::collections::HashSet;

use super::memory::{Memory, Record};
use super::records::{self, FieldLocation, Layout};
use super::walk::{Exported, RECORD, record_account};
use crate::carve;
use crate::format::Formats;
use crate::reader::Window;
use crate::text::plural;
use crate::{Context, compression, rules};
use zeview_core::model::account::Account;
use zeview_core::model::sort;
use zeview_core::model::{Sources, Span};

/// An image in the file.
#[derive(Debug, Clone)]
pub struct ImageRef {
    /// Its bytes as they are stored.
    pub span: Span,
    /// The method that found it.
    pub method: &'static str,
    /// Its struct, as an index into [`Index::structs`].
    pub described: Option<usize>,
    /// Its first bytes, once they were read.
    head: OnceCell<Box<[u8]>>,
}

/// Number of bytes that identify an image: an ELF file with its machine.
const HEAD: u64 = 20;

impl ImageRef {
    fn new(span: Span, method: &'static str, described: Option<usize>) -> ImageRef {
        ImageRef {
            span,
            method,
            described,
            head: OnceCell::new(),
        }
    }

    /// Returns its first bytes, which identify its format. The images are far from each other in the
    /// file, and the tree and several lists need these bytes, so they are read once.
    pub fn head(&self, sources: &Sources) -> &[u8] {
        self.head
            .get_or_init(|| Window::peek(sources, self.span, HEAD).bytes().into())
    }
}

/// A struct that describes an image.
#[derive(Debug, Clone, Copy)]
pub struct ImageStruct {
    /// Its address.
    pub address: u64,
    /// Its bytes.
    pub span: Span,
    /// Its version.
    pub version: u16,
    /// Its descriptor, as an index into the list.
    pub descriptor: usize,
    /// Its image; `None` if the file does not contain its bytes.
    pub image: Option<Span>,
    /// The address of the target's name.
    pub target: u64,
    /// The addresses of its entries.
    pub entries: (u64, u64),
    /// The addresses of its property sets.
    pub sets: (u64, u64),
}

/// A table or value of the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Piece {
    /// The offset of its first byte.
    pub start: u64,
    /// The byte after the last one; not yet known for texts.
    pub end: u64,
    /// Its kind.
    pub kind: RecordKind,
    /// Its owner: an index into [`Index::structs`], the descriptors or the images.
    pub of: usize,
}

/// Kind of a [`Piece`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)]
pub enum RecordKind {
    Image,
    Descriptor,
    Structs,
    References,
    OpenmpImage,
    OpenmpDescriptor,
    OldEntries,
    NewEntries,
    Sets,
    Properties,
    Bytes,
    Text,
}

/// The index of a host file, and the images that were found with and without it.
#[derive(Debug)]
pub struct Index {
    /// The file as loaded into memory.
    pub memory: Memory,
    /// The formats for opening images.
    pub formats: Formats,
    /// The addresses of the descriptors.
    pub descriptors: Vec<u64>,
    /// The structs that describe images.
    pub structs: Vec<ImageStruct>,
    /// The images, by offset.
    pub images: Vec<ImageRef>,
    /// The tables that were found while reading the structs.
    tables: Vec<Piece>,
    /// Sorted offsets of the parts of the index that were found while reading the structs.
    starts: Vec<u64>,
    /// All parts of the index, by offset; computed on demand.
    pieces: OnceCell<Vec<Piece>>,
    /// Offsets of the fields of the records in this file.
    places: Vec<(Vec<FieldLocation>, u64)>,
    /// Number of kernels that the entries of images name.
    pub kernels: u64,
    /// Number of structs that describe images without bytes: `native_cpu`.
    pub without_bytes: u64,
}

/// Returns whether a section contains device images, by its name.
pub fn is_device_section(name: &str) -> bool {
    let bundle = name.strip_prefix("__CLANG_");
    bundle.is_some_and(|rest| !rest.starts_with("OFFLOAD_BUNDLE__host"))
        || name == "OFFLOAD_DEVICE_CODE"
}

impl Index {
    /// Finds the index and the images. Returns `None` if there are none.
    pub fn find(cx: &Context<'_>, memory: Memory) -> Option<Index> {
        let places = records::ALL.iter();
        let mut index = Index {
            places: places
                .map(|layout| layout.places(memory.pointer, memory.align))
                .collect(),
            memory,
            formats: cx.formats,
            descriptors: Vec::new(),
            structs: Vec::new(),
            images: Vec::new(),
            tables: Vec::new(),
            starts: Vec::new(),
            pieces: OnceCell::new(),
            kernels: 0,
            without_bytes: 0,
        };
        index.descriptors = index.find_descriptors(cx.sources);
        let file = index.memory.file;
        cx.sources.costs.read((file, 0), |memory| {
            // From the most to the least certain; each finds what the ones before did not.
            index.read_structs(cx, memory);
            index.read_references(cx, memory);
            index.carve(cx, memory);
        });
        sort::by_key(&mut index.images, |image| image.span);
        index.check_overlaps(cx);
        index.collect_part_starts();
        (!index.images.is_empty() || !index.descriptors.is_empty()).then_some(index)
    }

    pub(super) fn record(
        &self,
        cx: &Sources,
        layout: &'static Layout,
        address: u64,
    ) -> Option<Read<'_>> {
        let (places, size) = self.places_of(layout);
        Some(Read {
            record: self.memory.record(cx, address, size)?,
            places,
        })
    }

    fn places_of(&self, layout: &Layout) -> (&[FieldLocation], u64) {
        let mut layouts = records::ALL.iter();
        let at = layouts.position(|known| std::ptr::eq(*known, layout));
        let known = at.and_then(|at| self.places.get(at));
        known.map_or((&[], 0), |(places, size)| (places, *size))
    }

    /// Returns the size of a struct.
    pub fn size(&self, layout: &Layout) -> u64 {
        self.places_of(layout).1
    }

    /// Records the offsets of tables, images and first names: each section is checked for parts of
    /// the index long before its contents are needed.
    fn collect_part_starts(&mut self) {
        let mut starts: Vec<u64> = self.tables.iter().map(|piece| piece.start).collect();
        starts.extend(self.images.iter().map(|image| image.span.start));
        let memory = &self.memory;
        for found in &self.structs {
            let addresses = [found.entries.0, found.sets.0, found.target];
            let places = addresses.into_iter().filter_map(|at| memory.from(at));
            starts.extend(places.map(|rest| rest.start));
        }
        sort::ascending(&mut starts);
        starts.dedup();
        self.starts = starts;
    }

    /// Returns whether these bytes contain a part of the index.
    pub fn is_in(&self, span: Span) -> bool {
        let at = self.starts.partition_point(|start| *start < span.start);
        self.starts.get(at).is_some_and(|start| *start < span.end)
    }

    /// Returns whether images are the only known parts of the index in these bytes.
    pub fn has_only_images(&self, span: Span) -> bool {
        let at = |start: u64| self.starts.partition_point(|known| *known < start);
        let images = self.images_in(span);
        let mut starts: Vec<u64> = images.iter().map(|image| image.span.start).collect();
        starts.dedup();
        at(span.end) - at(span.start) == starts.len()
    }

    /// Returns the images that start in these bytes.
    pub fn images_in(&self, span: Span) -> &[ImageRef] {
        let from = |start: u64| {
            self.images
                .partition_point(|image| image.span.start < start)
        };
        self.images
            .get(from(span.start)..from(span.end))
            .unwrap_or(&[])
    }

    /// Returns the images alone, by offset; the first of several at one offset.
    pub fn image_pieces(&self) -> Vec<Piece> {
        let images = self.images.iter().enumerate();
        let images = images.filter(|(_, image)| !image.span.is_empty());
        let mut pieces: Vec<Piece> = images
            .map(|(of, image)| piece(image.span, RecordKind::Image, of))
            .collect();
        pieces.dedup_by_key(|piece| (piece.start, piece.end));
        pieces
    }

    /// Returns all parts of the index, by offset.
    pub fn pieces(&self, sources: &Sources) -> &[Piece] {
        self.pieces.get_or_init(|| {
            let mut pieces = self.walk(sources);
            let images = self.images.iter().enumerate();
            pieces.extend(images.map(|(of, image)| piece(image.span, RecordKind::Image, of)));
            pieces.extend(&self.tables);
            pieces.retain(|piece| piece.end > piece.start || piece.kind == RecordKind::Text);
            sort::ascending(&mut pieces);
            pieces.dedup_by_key(|piece| (piece.start, piece.end));
            pieces
        })
    }

    fn read_structs(&mut self, cx: &Context<'_>, memory: &Account) {
        let left = record_account(&self.memory);
        let mut exported = Exported::default();
        let mut tables = Vec::new();
        let mut structs: Vec<ImageStruct> = Vec::new();
        let mut images = Vec::new();
        let (mut kernels, mut without_bytes) = (0, 0);
        for (at, address) in self.descriptors.iter().enumerate() {
            let Some(read) = self.record(cx.sources, &records::DESCRIPTOR, *address) else {
                continue;
            };
            tables.push(piece(read.record.span(), RecordKind::Descriptor, at));
            let (first, count) = (read.pointer("DeviceImages"), read.number("NumDeviceImages"));
            let Some(layout) = self.layout(cx.sources, first) else {
                continue;
            };
            let size = self.size(layout);
            let mut good_end = first;
            for address in (0..count).map(|index| first.saturating_add(index * size)) {
                if !left.take(RECORD) {
                    break;
                }
                if !may_list(cx, memory, structs.len(), read.record.span()) {
                    break;
                }
                let Some(found) = self.image_struct(cx.sources, layout, address, at) else {
                    let bytes = self.memory.between(address, address.saturating_add(size));
                    cx.report(
                        &rules::HOST_STRUCT,
                        bytes.unwrap_or(read.record.span()),
                        format_args!("the image struct at address {address:#x} is damaged"),
                    );
                    continue;
                };
                good_end = address.saturating_add(size);
                let of = structs.len();
                let entries = self.count_entries(cx.sources, &found);
                let exported = self.count_exported(cx.sources, &left, &mut exported, &found);
                // Exported functions have entries as well.
                kernels += entries.saturating_sub(exported);
                match found.image {
                    Some(image) => images.push(ImageRef::new(
                        self.clip(cx, image, found.span),
                        "descriptor",
                        Some(of),
                    )),
                    None => without_bytes += 1,
                }
                structs.push(found);
            }
            if let Some(span) = self.memory.between(first, good_end) {
                let span = span.subspan(0, span.len() / size * size);
                tables.push(piece(span, RecordKind::Structs, at));
            }
        }
        if left.is_overdrawn() {
            let message = "not all entries and properties are read";
            cx.report(&rules::TOO_MANY, self.memory.file.subspan(0, 16), message);
        }
        self.structs = structs;
        self.images = images;
        self.kernels = kernels;
        self.without_bytes = without_bytes;
        self.tables = tables;
    }

    /// Reads `.tgtimg`, which lists all images. Images without a descriptor belong to OpenMP, or
    /// their descriptor is damaged.
    fn read_references(&mut self, cx: &Context<'_>, memory: &Account) {
        let Some(section) = self.memory.section(".tgtimg") else {
            return;
        };
        let size = self.size(&records::TGTIMG);
        let table = section.subspan(0, section.len() / size * size);
        let Some(address) = self
            .memory
            .address(table.start)
            .filter(|_| !table.is_empty())
        else {
            return;
        };
        let described: HashSet<u64> = self.images.iter().map(|i| i.span.start).collect();
        let mut missing = HashSet::new();
        let mut count = 0;
        let range = (address, address.saturating_add(table.len()));
        let mut images = Vec::new();
        for address in self.places(&records::TGTIMG, range) {
            let Some(read) = self.record(cx.sources, &records::TGTIMG, address) else {
                continue;
            };
            let start = read.pointer("start");
            let Some(rest) = self.memory.from(start) else {
                // The linker pads with zeros.
                if start != 0 {
                    let message = format_args!("no image is at address {start:#x}");
                    cx.report(&rules::HOST_REFERENCE, read.record.span(), message);
                }
                continue;
            };
            count += 1;
            if described.contains(&rest.start) || !missing.insert(start) {
                continue;
            }
            // Of a compressed image, the table has the size after decompression.
            let head = Window::clamped(cx.sources, rest.subspan(0, 4));
            let size = match compression::Method::sniff(head.bytes()) {
                Some(compression::Method::Zstd) => carve::frame(cx.sources, rest),
                _ => Some(read.number("size")),
            };
            if size.is_none() && cx.sources.costs.work.is_overdrawn() {
                let message = "too much of the file is searched already: the image has no end";
                cx.report(&rules::TOO_MUCH, read.record.span(), message);
            }
            // The function table of `native_cpu` has no size.
            let span = rest.subspan(0, size.unwrap_or(0));
            let span = self.clip(cx, span, read.record.span());
            if !span.is_empty() {
                if !may_list(cx, memory, self.images.len() + images.len(), table) {
                    break;
                }
                images.push(ImageRef::new(span, "tgtimg", None));
            }
        }
        self.tables.push(piece(table, RecordKind::References, 0));
        let listed = self.images.len() as u64 + self.without_bytes;
        if listed > 0 && count < listed {
            cx.report(
                &rules::HOST_REFERENCE,
                table,
                format_args!(
                    ".tgtimg lists {}, but the descriptors {listed}",
                    plural(count, "image")
                ),
            );
        }
        if !images.is_empty() {
            self.find_openmp(cx.sources, &missing);
        }
        self.images.extend(images);
    }

    /// Clips an image to its section.
    fn clip(&self, cx: &Context<'_>, image: Span, says: Span) -> Span {
        let inside = self.memory.within_section(image);
        if inside != image {
            let more = plural(image.len().saturating_sub(inside.len()), "byte");
            let message = format_args!("the image reaches {more} out of its section");
            cx.report(&rules::HOST_STRUCT, says, message);
        }
        inside
    }

    /// Finds the structs of OpenMP: two words that the loader writes, the first the start of an
    /// image.
    fn find_openmp(&mut self, sources: &Sources, starts: &HashSet<u64>) {
        let memory = &self.memory;
        let mut structs = Vec::new();
        for pair in memory.relocations().windows(2) {
            let [first, second] = pair else { continue };
            let is_struct = starts.contains(&first.value)
                && second.at.checked_sub(first.at) == Some(memory.pointer)
                && memory.between(first.value, second.value).is_some();
            if is_struct && let Some(read) = self.record(sources, &records::OPENMP_IMAGE, first.at)
            {
                structs.push((first.at, read.record.span()));
            }
        }
        let mut pieces = Vec::new();
        for relocation in memory.relocations() {
            let Ok(at) = structs.binary_search_by_key(&relocation.value, |s| s.0) else {
                continue;
            };
            let address = relocation.at.checked_sub(memory.pointer);
            let read = address.and_then(|a| self.record(sources, &records::OPENMP_DESCRIPTOR, a));
            if let Some(read) = read
                && (1..=u64::from(u16::MAX)).contains(&read.number("NumDeviceImages"))
            {
                pieces.push(piece(read.record.span(), RecordKind::OpenmpDescriptor, at));
            }
        }
        let structs = structs.into_iter().enumerate();
        pieces.extend(structs.map(|(at, (_, span))| piece(span, RecordKind::OpenmpImage, at)));
        self.tables.extend(pieces);
    }

    /// Finds the images in device sections that no record describes.
    fn carve(&mut self, cx: &Context<'_>, memory: &Account) {
        let mut known: Vec<Span> = self.images.iter().map(|image| image.span).collect();
        sort::ascending(&mut known);
        let mut carved = Vec::new();
        if self.memory.is_object {
            return;
        }
        let count = self.images.len();
        for (name, section) in &self.memory.sections {
            if !is_device_section(name) || section.is_empty() {
                continue;
            }
            let mut at = section.start;
            let end = Span::new(section.source, section.end, section.end);
            let inside = known.iter().filter(|span| span.overlaps(*section));
            for span in inside.chain([&end]) {
                let hole = Span::new(section.source, at, span.start);
                // Shorter ones are padding: no format has a shorter header.
                if hole.len() >= 16 {
                    let base = self.memory.address(hole.start).unwrap_or(hole.start);
                    carve::images(cx.sources, hole, base, &mut |image| {
                        let may = may_list(cx, memory, count + carved.len(), *section);
                        if may {
                            carved.push(image);
                        }
                        may
                    });
                }
                at = at.max(span.end);
            }
        }
        let Some(first) = carved.first().copied() else {
            return;
        };
        cx.report(
            &rules::HOST_CARVED,
            first,
            format_args!(
                "{} found by their first bytes",
                plural(carved.len() as u64, "image")
            ),
        );
        let carved = carved.into_iter();
        self.images
            .extend(carved.map(|span| ImageRef::new(span, "carved", None)));
    }

    fn check_overlaps(&self, cx: &Context<'_>) {
        for pair in self.images.windows(2) {
            if let [first, second] = pair
                && first.span.overlaps(second.span)
                && first.span != second.span
            {
                let shared = first.span.intersect(second.span);
                let message = format_args!("two images share {}", plural(shared.len(), "byte"));
                cx.report(&rules::SHARED_BYTES, shared, message);
            }
        }
    }
}

/// The memory of an image in all lists together, in bytes.
const IMAGE: u64 = 1280;

/// Returns whether another image may be listed in addition to `count` others. Reports the first
/// that exceeds the limit, at `at`.
fn may_list(cx: &Context<'_>, memory: &Account, count: usize, at: Span) -> bool {
    let was_overdrawn = memory.is_overdrawn();
    let may = memory.take(IMAGE);
    if !may && !was_overdrawn {
        let count = plural(count as u64, "device image");
        let message = format_args!("too many for the size of the file: only {count} are listed");
        cx.report(&rules::TOO_MANY, at, message);
    }
    may
}

/// A record with the locations of its fields.
pub struct Read<'a> {
    /// Its bytes.
    pub record: Record<'a>,
    /// Its fields with their offsets and sizes.
    pub places: &'a [FieldLocation],
}

impl Read<'_> {
    fn place(&self, name: &str) -> Option<(u64, u64)> {
        let mut places = self.places.iter();
        let place = places.find(|(field, ..)| field.name == name)?;
        Some((place.1, place.2))
    }

    /// Returns the bytes of a field; empty if there is no such field.
    pub fn span(&self, name: &str) -> Span {
        let (offset, size) = self.place(name).unwrap_or_default();
        self.record.span().subspan(offset, size)
    }

    /// Returns the number of a field; 0 if there is no such field.
    pub fn number(&self, name: &str) -> u64 {
        let place = self.place(name);
        place.map_or(0, |(offset, size)| self.record.number(offset, size))
    }

    /// Returns the pointer of a field; 0 if there is no such field.
    pub fn pointer(&self, name: &str) -> u64 {
        let place = self.place(name);
        place.map_or(0, |(offset, size)| self.record.pointer(offset, size))
    }

    /// Returns the pointers of two fields.
    pub fn range(&self, begin: &str, end: &str) -> (u64, u64) {
        (self.pointer(begin), self.pointer(end))
    }
}

impl Index {
    /// Reads a record for its rows.
    pub fn read(&self, sources: &Sources, layout: &'static Layout, at: u64) -> Option<Read<'_>> {
        self.record(sources, layout, at)
    }
}

pub(super) fn piece(span: Span, kind: RecordKind, of: usize) -> Piece {
    let Span { start, end, .. } = span;
    Piece {
        start,
        end,
        kind,
        of,
    }
}
