//! Windows COFF objects and PE programs, recognized for the device images in their sections.
//! Follows "PE Format". Not decoded: the optional header (except for the image index), symbols,
//! relocations, other sections, and objects with more than 65 279 sections.
//!
//! ```text
//! MS-DOS stub │ PE\0\0 │      only in programs
//! COFF header │ optional header │ section headers │ sections, relocations │ symbols │ strings
//! ```
// The fields use the specification's spelling.
#![allow(non_snake_case)]

use std::ops::Range;
use std::rc::Rc;

use super::Context;
use super::format::{self, Format, OpenedDocument};
use super::host::memory::{IN_PLACE, Memory, Relocation, Segment};
use super::host::{Host, index};
use super::layout::Layout;
use super::limits;
use super::names::{Decimal, Hex};
use super::reader::{Endian, Reader, Window, uint};
use super::rules;
use super::table::{Entries, TABLE, Table};
use super::text::plural;
use crate::{open_enum, record};
use zeview_core::analysis::host_images::HostImages;
use zeview_core::model::{
    Area, Capabilities, Doc, Expand, Fact, Interfaces, Node, NodeKind, Rows, Sources, Span,
    Summary, Value,
};

open_enum! {
    /// `Machine`. PE Format, "Machine Types".
    pub struct MachineType(u16) {
        /// Intel 386.
        IMAGE_FILE_MACHINE_I386 = 0x14c,
        /// x64.
        IMAGE_FILE_MACHINE_AMD64 = 0x8664,
        /// ARM64.
        IMAGE_FILE_MACHINE_ARM64 = 0xaa64,
    }
}

record! {
    /// The COFF header of an object or program.
    pub struct FileHeader: "PE Format, COFF File Header" {
        /// The host's processor.
        Machine: u16 as MachineType,
        /// The number of section headers.
        NumberOfSections: u16 as Decimal,
        /// The time of the link, or a hash.
        TimeDateStamp: u32 as Hex,
        /// The offset of the symbols.
        PointerToSymbolTable: u32 as Hex,
        /// The number of symbols.
        NumberOfSymbols: u32 as Decimal,
        /// The size of the optional header; objects have none.
        SizeOfOptionalHeader: u16 as Decimal,
        /// Attributes.
        Characteristics: u16 as Hex,
    }
}

record! {
    /// A section header.
    pub struct SectionHeader: "PE Format, Section Table" {
        /// The name; `/N` is the offset of a longer one in the string table.
        Name: u64 as Hex,
        /// The size in memory.
        VirtualSize: u32 as Decimal,
        /// The address in memory.
        VirtualAddress: u32 as Hex,
        /// Its size in the file in bytes.
        SizeOfRawData: u32 as Decimal,
        /// The offset of its bytes in the file.
        PointerToRawData: u32 as Hex,
        /// The offset of its relocations.
        PointerToRelocations: u32 as Hex,
        /// The offset of its line numbers.
        PointerToLinenumbers: u32 as Hex,
        /// The number of relocations.
        NumberOfRelocations: u16 as Decimal,
        /// The number of line numbers.
        NumberOfLinenumbers: u16 as Decimal,
        /// Attributes.
        Characteristics: u32 as Hex,
    }
}

const SOURCE: &str = "PE Format";

static HEADER_DOC: Doc = Doc::new(
    "The host's processor, and the offsets of the tables.",
    SOURCE,
);
static TABLE_DOC: Doc = Doc::new("The name and the bytes of each section.", SOURCE);
static IMAGE_DOC: Doc = Doc::new("Device images, embedded by the compiler.", SOURCE);
static OTHER_DOC: Doc = Doc::new("Host code or data; not decoded.", SOURCE);

const SYMBOL: u64 = 18;
const RELOCATION: u64 = 10;
/// Offset of `e_lfanew`, which holds the offset of the PE signature.
const NEW_HEADER: usize = 0x3c;
const SIGNATURE: &[u8] = b"PE\0\0";

/// The COFF and PE format.
#[derive(Debug)]
pub struct Coff;

/// Offset of the COFF header. Returns `None` if the bytes are neither a program nor an object.
fn header_at(head: &[u8]) -> Option<u64> {
    if head.starts_with(b"MZ") {
        let (word, _) = head.get(NEW_HEADER..)?.split_first_chunk()?;
        let at = usize::try_from(u32::from_le_bytes(*word)).ok()?;
        let signature = head.get(at..at.checked_add(4)?)?;
        return (signature == SIGNATURE).then_some(at as u64 + 4);
    }
    let half = |at: usize| Some(u16::from_le_bytes([*head.get(at)?, *head.get(at + 1)?]));
    let machine = MachineType(half(0)?).name().is_some();
    // Two magic bytes are weak evidence: an object also has sections, no optional header, and a
    // first section whose name is text.
    let name = head.get(20..28)?;
    let named = name.starts_with(b".") && name.iter().all(|b| *b == 0 || b.is_ascii_graphic());
    (machine && half(2)? > 0 && half(16)? == 0 && named).then_some(0)
}

struct Section {
    name: String,
    header: Span,
    bytes: Span,
    relocations: Span,
    /// The address relative to the image base, and the size in memory.
    memory: (u64, u64),
    is_code: bool,
}

/// `IMAGE_SCN_MEM_EXECUTE`.
const EXECUTE: u32 = 0x2000_0000;

/// Memory image of a program. Returns `None` if no section holds device images.
fn memory(cx: &Context<'_>, file: Span, optional: Span, sections: &[Section]) -> Option<Memory> {
    let mut names = sections.iter().map(|section| section.name.as_str());
    if !names.any(|name| name == ".tgtimg" || index::is_device_section(name)) {
        return None;
    }
    let window = Window::clamped(cx.sources, optional);
    let number = |at: usize, size: usize| {
        let bytes = at
            .checked_add(size)
            .and_then(|end| window.bytes().get(at..end));
        uint(bytes.unwrap_or(&[]), Endian::Little)
    };
    // PE Format, Optional Header: PE32+ has wider fields.
    let (pointer, base, directories) = match number(0, 2) {
        0x20b => (8, number(24, 8), 112),
        0x10b => (4, number(28, 4), 96),
        _ => return None,
    };
    let mut segments = Vec::new();
    for section in sections {
        let (address, size) = section.memory;
        segments.push(Segment {
            address: base.saturating_add(address),
            // In the file, a section is padded to the alignment of the file.
            bytes: section.bytes.subspan(0, size),
            is_code: section.is_code,
        });
    }
    let table = number(directories + BASE_RELOCATIONS, 4);
    let size = number(directories + BASE_RELOCATIONS + 4, 4);
    let table = sections.iter().find_map(|section| {
        let offset = table.checked_sub(section.memory.0)?;
        (offset < section.bytes.len()).then(|| section.bytes.subspan(offset, size))
    });
    let relocations = table.map_or_else(Vec::new, |table| {
        base_relocations(cx, file.len(), table, base)
    });
    let mut memory = Memory::new(cx, file, pointer, segments, relocations, 2);
    let named = sections.iter().filter(|section| !section.bytes.is_empty());
    memory.sections = named.map(|s| (s.name.clone(), s.bytes)).collect();
    Some(memory)
}

/// Offset of the base relocation entry among the data directories.
const BASE_RELOCATIONS: usize = 5 * 8;

/// Words that the loader relocates: they hold addresses. PE Format, The .reloc Section.
fn base_relocations(cx: &Context<'_>, file: u64, table: Span, base: u64) -> Vec<Relocation> {
    let limit = limits::host_relocations(file);
    let mut found = Vec::new();
    let mut at = 0;
    while at + 8 <= table.len() && found.len() < limit {
        let head = Window::clamped(cx.sources, table.subspan(at, 8));
        let (page, size) = head.bytes().split_at_checked(4).unwrap_or((&[], &[]));
        let page = uint(page, Endian::Little).saturating_add(base);
        // At least the size of the header: the loop must advance.
        let size = uint(size, Endian::Little).max(8);
        let block = Window::clamped(cx.sources, table.subspan(at + 8, size - 8));
        let mut entry = block.span().start;
        for word in block.bytes().chunks_exact(2) {
            let word = uint(word, Endian::Little);
            // IMAGE_REL_BASED_HIGHLOW, IMAGE_REL_BASED_DIR64
            if matches!(word >> 12, 3 | 10) && found.len() < limit {
                found.push(Relocation {
                    at: page.saturating_add(word & 0xfff),
                    value: IN_PLACE,
                    entry,
                });
            }
            entry += 2;
        }
        at += size;
    }
    found
}

/// The rows of a program, and the index of its images.
struct CoffDocument {
    parts: Layout,
    images: Option<Rc<dyn HostImages>>,
}

impl Expand for CoffDocument {
    fn count(&self, item: u64, sources: &Sources) -> u64 {
        self.parts.count(item, sources)
    }

    fn rows(&self, item: u64, range: Range<u64>, out: &mut Rows<'_>) {
        self.parts.rows(item, range, out);
    }

    fn interfaces(&self, _item: u64) -> Interfaces {
        Interfaces {
            host_images: self.images.clone(),
            ..Interfaces::default()
        }
    }

    fn index_at(&self, item: u64, offset: u64, sources: &Sources) -> Option<Vec<u64>> {
        self.parts.index_at(item, offset, sources)
    }
}

impl Format for Coff {
    fn recognize(&self, head: &[u8]) -> bool {
        header_at(head).is_some()
    }

    fn kind(&self, head: &[u8]) -> &'static str {
        if head.starts_with(b"MZ") {
            "PE"
        } else {
            "COFF"
        }
    }

    fn open(&self, cx: &Context<'_>, span: Span) -> OpenedDocument {
        let head = Window::clamped(cx.sources, span.subspan(0, format::HEAD));
        let at = header_at(head.bytes()).unwrap_or(0);
        let window = Window::clamped(cx.sources, span.subspan(at, FileHeader::SIZE));
        let (content, facts, host) = match FileHeader::read(&mut window.reader(Endian::Little)) {
            Ok(header) => parts(cx, span, at, &header),
            Err(error) => {
                cx.report_read(&rules::COFF_HEADER, &error, span, "the COFF header");
                cx.gap(span);
                (None, Vec::new(), false)
            }
        };
        let title = match (at, host) {
            (0, false) => "COFF object",
            (0, true) => "COFF object with device images",
            (_, false) => "Windows program",
            (_, true) => "Windows program with device images",
        };
        let has = Capabilities {
            host,
            ..Capabilities::default()
        };
        OpenedDocument {
            summary: Summary::new("coff", title, facts).with(has),
            content,
        }
    }
}

type Content = Option<(zeview_core::model::ExpanderId, u64, Option<u64>)>;

/// Parts of the file in any order, its facts, and whether it has an index of device images.
fn parts(cx: &Context<'_>, span: Span, at: u64, header: &FileHeader) -> (Content, Vec<Fact>, bool) {
    let opaque = |name: String, bytes: Span| {
        Node::new(NodeKind::Blob, name, bytes)
            .value(Value::Bytes)
            .doc(&OTHER_DOC)
    };
    let mut parts = Vec::new();
    if at > 0 {
        let stub = span.subspan(0, at - 4);
        let signature = span.subspan(at - 4, 4);
        parts.push(opaque("MS-DOS stub".to_owned(), stub).area(Area::Header));
        parts.push(
            Node::field("signature", Value::text_from(SIGNATURE), signature).area(Area::Header),
        );
    }
    let rows = cx.register(Rc::new(HeaderRows(*header)));
    let node = Node::new(NodeKind::Record, "COFF header", header.origin).doc(&HEADER_DOC);
    parts.push(
        node.area(Area::Header)
            .children(rows, 0, Some(FileHeader::COUNT)),
    );
    let after = at + FileHeader::SIZE;
    let optional = span.subspan(after, header.SizeOfOptionalHeader.into());
    if !optional.is_empty() {
        parts.push(opaque("optional header".to_owned(), optional).area(Area::Header));
    }
    let symbols = match header.PointerToSymbolTable {
        0 => span.subspan(0, 0),
        at => span.subspan(at.into(), u64::from(header.NumberOfSymbols) * SYMBOL),
    };
    let strings = strings(cx, span, symbols);
    let needed = u64::from(header.NumberOfSections) * SectionHeader::SIZE;
    let table = span.subspan(after + optional.len(), needed);
    let table = table.subspan(0, table.len() - table.len() % SectionHeader::SIZE);
    if table.len() < needed {
        cx.report(
            &rules::COFF_HEADER,
            header.span_of(FileHeader::NumberOfSections),
            format_args!(
                "NumberOfSections is {}, but only {} section headers are in the file",
                plural(header.NumberOfSections.into(), "section"),
                table.len() / SectionHeader::SIZE
            ),
        );
    }
    let sections = sections(cx, span, table, strings);
    if !table.is_empty() {
        parts.push(table_node(cx, table, strings));
    }
    let memory = memory(cx, span, optional, &sections);
    let host = memory.and_then(|memory| Host::find(cx, memory));
    let mut images = Vec::new();
    for section in &sections {
        if !section.bytes.is_empty() {
            let indexed = host
                .as_ref()
                .is_some_and(|host| host.has_images_in(section.bytes));
            let document = if is_image(&section.name) && !indexed {
                format::nested(cx, section.bytes)
            } else {
                None
            };
            let node = match &document {
                Some(document) => {
                    let name = section.name.clone();
                    format::document_node(name, section.bytes, document).doc(&IMAGE_DOC)
                }
                None => {
                    let node = opaque(section.name.clone(), section.bytes);
                    let indexed = host.as_ref().and_then(|host| host.node(cx, node.clone()));
                    indexed.unwrap_or(node)
                }
            };
            parts.push(node.xref("section header", section.name.clone(), section.header));
            images.extend(document.map(|d| (section.name.as_str(), section.bytes, d)));
        }
        if !section.relocations.is_empty() {
            let name = format!("relocations of {}", section.name);
            parts.push(opaque(name, section.relocations).area(Area::Symbol));
        }
    }
    for (name, bytes) in [("symbols", symbols), ("strings", strings)] {
        if !bytes.is_empty() {
            parts.push(opaque(name.to_owned(), bytes).area(Area::Symbol));
        }
    }
    // Certificates and other data appended to programs.
    let end = parts.iter().filter_map(|p| p.span).map(|s| s.end).max();
    let rest = Span::new(span.source, end.unwrap_or(span.start), span.end);
    if !rest.is_empty() {
        parts.push(opaque("after the sections".to_owned(), rest));
    }
    let layout = Layout::arrange(cx, span, parts);
    let count = layout.region_count();
    let listed = images.iter().map(|(name, bytes, d)| (*name, *bytes, d));
    let mut facts = format::image_facts(span, listed);
    if let Some(host) = &host {
        facts.extend(host.facts(cx));
    }
    let machine = match MachineType(header.Machine).name() {
        Some(name) => name.to_owned(),
        None => format!("{:#x}", header.Machine),
    };
    facts.push(Fact::new(
        "machine",
        machine,
        header.span_of(FileHeader::Machine),
    ));
    let is_host = host.is_some();
    let document = CoffDocument {
        parts: layout,
        images: host.map(|host| host.images()),
    };
    (
        Some((cx.register(Rc::new(document)), 0, Some(count))),
        facts,
        is_host,
    )
}

/// Returns whether the name is one of a section with images; programs truncate names to 8 bytes.
fn is_image(name: &str) -> bool {
    matches!(
        name,
        ".llvm.offloading"
            | ".llvm.of"
            | ".sycl_fatbin"
            | ".sycl_fa"
            | ".hip_fatbin"
            | ".hip_fat"
            | "__CLANG_"
    ) || (name.starts_with("__CLANG_OFFLOAD_BUNDLE__")
        && !name.starts_with("__CLANG_OFFLOAD_BUNDLE__host"))
}

/// The string table, which follows the symbols and starts with its size.
fn strings(cx: &Context<'_>, span: Span, symbols: Span) -> Span {
    if symbols.is_empty() {
        return span.subspan(0, 0);
    }
    let start = symbols.end - span.start;
    let window = Window::clamped(cx.sources, span.subspan(start, 4));
    let size = window.reader(Endian::Little).read::<u32>();
    size.map_or(span.subspan(0, 0), |size| {
        span.subspan(start, size.value.into())
    })
}

fn sections(cx: &Context<'_>, span: Span, table: Span, strings: Span) -> Vec<Section> {
    let mut sections = Vec::new();
    let mut at = 0;
    while at < table.len() {
        let window = Window::clamped(cx.sources, table.subspan(at, SectionHeader::SIZE));
        let Ok(header) = read(&window) else {
            break;
        };
        at += SectionHeader::SIZE;
        let name = name_of(cx.sources, &window, strings);
        // Without a file offset, it exists only in memory.
        let size = match header.PointerToRawData {
            0 => 0,
            _ => u64::from(header.SizeOfRawData),
        };
        let bytes = span.subspan(header.PointerToRawData.into(), size);
        if bytes.len() < size {
            cx.report_with(
                &rules::COFF_OUT_OF_BOUNDS,
                header.span_of(SectionHeader::PointerToRawData),
                format_args!(
                    "{name} has {size} bytes, but only {} are in the file",
                    bytes.len()
                ),
                &[(header.span_of(SectionHeader::SizeOfRawData), "the size")],
                None,
            );
        }
        let relocations = match header.PointerToRelocations {
            0 => span.subspan(0, 0),
            at => {
                let count = u64::from(header.NumberOfRelocations);
                span.subspan(at.into(), count * RELOCATION)
            }
        };
        sections.push(Section {
            name,
            header: header.origin,
            bytes,
            relocations,
            memory: (header.VirtualAddress.into(), header.VirtualSize.into()),
            is_code: header.Characteristics & EXECUTE != 0,
        });
    }
    sections
}

fn read(window: &Window) -> super::reader::ReadResult<SectionHeader> {
    let mut reader: Reader<'_> = window.reader(Endian::Little);
    SectionHeader::read(&mut reader)
}

/// The name as stored in the header.
fn short_name(header: &Window) -> &[u8] {
    let name = header.bytes().get(..8).unwrap_or(&[]);
    name.split(|byte| *byte == 0).next().unwrap_or(&[])
}

fn name_of(sources: &Sources, header: &Window, strings: Span) -> String {
    let short = String::from_utf8_lossy(short_name(header)).into_owned();
    let place = short.strip_prefix('/').and_then(|at| at.parse().ok());
    let Some(place) = place.filter(|_| !strings.is_empty()) else {
        return match short.as_str() {
            "" => "section".to_owned(),
            _ => short,
        };
    };
    let window = Window::clamped(sources, strings.subspan(place, 256));
    let long = window.bytes().split(|byte| *byte == 0).next();
    String::from_utf8_lossy(long.unwrap_or(&[])).into_owned()
}

fn table_node(cx: &Context<'_>, span: Span, strings: Span) -> Node {
    let table = Table {
        span,
        endian: Endian::Little,
        entries: SectionHeaders { strings },
    };
    let count = table.len();
    Node::new(NodeKind::Table, "section headers", span)
        .area(Area::Header)
        .summary(plural(count, "header"))
        .children(cx.register(Rc::new(table)), TABLE, Some(count))
        .doc(&TABLE_DOC)
}

#[derive(Debug)]
struct SectionHeaders {
    strings: Span,
}

impl Entries for SectionHeaders {
    fn size(&self) -> u64 {
        SectionHeader::SIZE
    }

    fn node(&self, index: u64, entry: &Window, out: &mut Rows<'_>) -> Node {
        let name = name_of(out.sources, entry, self.strings);
        Node::new(NodeKind::Item, name, entry.span())
            .indexed()
            .children(out.me, index, Some(SectionHeader::COUNT))
    }

    fn count(&self, _part: u8) -> u64 {
        SectionHeader::COUNT
    }

    fn fields(&self, _: u64, _: u8, entry: &Window, range: Range<u64>, out: &mut Rows<'_>) {
        let Ok(header) = read(entry) else {
            return;
        };
        for (field, node) in header.rows(range) {
            out.push(match field {
                SectionHeader::Name => node.value(Value::text_from(short_name(entry))),
                _ => node,
            });
        }
    }
}

struct HeaderRows(FileHeader);

impl zeview_core::model::Expand for HeaderRows {
    fn count(&self, _item: u64, _sources: &Sources) -> u64 {
        FileHeader::COUNT
    }

    fn rows(&self, _item: u64, range: Range<u64>, out: &mut Rows<'_>) {
        self.0.push_rows(range, out);
    }
}
