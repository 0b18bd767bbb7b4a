//! ELF, 32 and 64 bit: the container of a zebin, and of what is around it.
//!
//! Follows the generic ABI (gABI, 2023-11) for everything but Intel's additions, which are in
//! [`zebin`]. Not decoded: hash tables, dynamic sections, versions,
//! groups of foreign files; they are shown as bytes.
//!
//! ```text
//! ELF header │ sections' bytes, in any order, with padding │ section headers
//! ```

pub mod header;
pub mod identity;
pub mod note;
pub mod relocation;
pub mod section;
pub mod segment;
pub mod string_table;
pub mod symbol;

use std::collections::HashMap;
use std::rc::Rc;

use self::header::{Header, HeaderRows};
pub use self::identity::Identity;
use self::note::Notes;
use self::relocation::{RelocationType, Relocations, Shape};
use self::section::{Section, SectionHeader, SectionHeaders, SectionType};
use self::segment::{ProgramHeader, ProgramHeaders};
use self::string_table::{NameError, StringTable, Strings};
use self::symbol::{SectionIndex, Symbol, SymbolType, Symbols};
use super::context::Context;
use super::format::{Format, Opened};
use super::layout::Layout;
use super::limits;
use super::reader::{Endian, ReadError, Window};
use super::rules;
use super::table::{TABLE, Table};
use super::text::Lines;
use super::zebin;
use crate::model::{Area, Doc, ExpanderId, Fact, Node, NodeKind, Span, Summary, Tone, Value, sort};

/// The width of addresses and offsets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// 32 bits.
    Elf32,
    /// 64 bits.
    Elf64,
}

impl Class {
    /// The largest offset that can be written.
    fn max(self) -> u64 {
        match self {
            Class::Elf32 => u32::MAX.into(),
            Class::Elf64 => u64::MAX,
        }
    }
}

/// What starts every ELF file.
const MAGIC: &[u8] = b"\x7fELF";

/// The ELF format.
#[derive(Debug)]
pub struct Elf;

impl Format for Elf {
    fn recognise(&self, head: &[u8]) -> bool {
        head.starts_with(MAGIC)
    }

    fn open(&self, cx: &Context<'_>, span: Span) -> Opened {
        match read_header(cx, span) {
            Ok(start) => open_file(cx, start),
            Err(error) => {
                cx.report_read(&rules::ELF_TRUNCATED_HEADER, &error, span, "the ELF header");
                cx.gap(span);
                Opened {
                    summary: Summary {
                        format: "elf".into(),
                        title: "cut-off ELF".into(),
                        facts: Vec::new(),
                    },
                    content: None,
                }
            }
        }
    }
}

/// An ELF file's header, and how to read the rest.
#[derive(Debug, Clone, Copy)]
struct Start {
    span: Span,
    class: Class,
    endian: Endian,
    header: Header,
}

fn read_header(cx: &Context<'_>, span: Span) -> Result<Start, ReadError> {
    let head = Window::clamped(cx.sources, span.sub(0, 64));
    let byte = |at: usize| head.bytes().get(at).copied();
    let class = match byte(4) {
        Some(1) => Class::Elf32,
        Some(2) | None => Class::Elf64,
        Some(other) => {
            cx.report(
                &rules::ELF_BAD_CLASS,
                span.sub(4, 1),
                format!("EI_CLASS is {other}; read as a 64-bit file"),
            );
            Class::Elf64
        }
    };
    let endian = match byte(5) {
        Some(2) => {
            cx.report(
                &rules::ELF_BIG_ENDIAN,
                span.sub(5, 1),
                "EI_DATA says big endian",
            );
            Endian::Big
        }
        Some(1) | None => Endian::Little,
        Some(other) => {
            cx.report(
                &rules::ELF_BAD_DATA,
                span.sub(5, 1),
                format!("EI_DATA is {other}; read as little endian"),
            );
            Endian::Little
        }
    };
    let window = head.reader(endian).at(0, Header::size(class))?;
    let header = Header::read(&mut { window }, class)?;
    Ok(Start {
        span,
        class,
        endian,
        header,
    })
}

/// An ELF file's sections, and the names to speak of them.
#[derive(Debug)]
pub struct ElfFile {
    /// All its bytes: what offsets count in.
    pub span: Span,
    /// Its class.
    pub class: Class,
    /// Its order of bytes.
    pub endian: Endian,
    /// Its header.
    pub header: Header,
    /// Its sections, by index.
    pub sections: Vec<Section>,
    /// What it is.
    pub identity: Identity,
    /// The index of the section with the names of the sections.
    pub names: u64,
    /// The string tables that names are looked up in, by section index.
    strings: HashMap<u64, StringTable>,
    /// The functions and entries of the symbol table, by section.
    symbols: Vec<SymbolRef>,
}

/// A symbol of code, for finding the symbols of a section.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct SymbolRef {
    /// The index of its section.
    pub section: u64,
    /// Its index in the symbol table.
    pub index: u64,
    /// The bytes of its entry.
    pub entry: Span,
    /// Its value.
    pub value: u64,
    /// Its size in bytes.
    pub size: u64,
    /// It is a function: a kernel's own symbol, not its `_entry`.
    pub function: bool,
    /// Where its name starts in the linked string table.
    pub name: u64,
}

impl ElfFile {
    /// The section of that index.
    pub fn section(&self, index: u64) -> Option<&Section> {
        self.sections.get(usize::try_from(index).ok()?)
    }

    /// The first section of that name.
    pub fn section_named(&self, name: &str) -> Option<&Section> {
        self.sections.iter().find(|s| s.name == name)
    }

    /// The name of the section of that index; empty, if there is none.
    pub fn section_name(&self, index: u64) -> &str {
        self.section(index).map_or("", |s| &s.name)
    }

    /// The bytes of a section's name.
    pub fn section_name_span(&self, index: u64) -> Option<Span> {
        let offset = self.section(index)?.name_offset;
        self.name_span_in(self.names, offset)
    }

    /// The name at `offset` of the string table in section `table`.
    pub fn name_in(&self, table: u64, offset: u64) -> String {
        self.strings
            .get(&table)
            .map(|t| t.text(offset, limits::NAME_SHOWN))
            .unwrap_or_default()
    }

    /// The bytes of the name at `offset` of the string table in section `table`.
    pub fn name_span_in(&self, table: u64, offset: u64) -> Option<Span> {
        self.strings.get(&table)?.span_of(offset)
    }

    /// The symbol table: the first section of that type.
    pub fn symbol_table(&self) -> Option<&Section> {
        self.sections
            .iter()
            .find(|s| s.kind == SectionType::SHT_SYMTAB)
    }

    /// The code symbols that live in the section.
    pub fn symbols_of(&self, section: u64) -> &[SymbolRef] {
        let from = self.symbols.partition_point(|s| s.section < section);
        let to = self.symbols.partition_point(|s| s.section <= section);
        self.symbols.get(from..to).unwrap_or(&[])
    }

    /// The section's own symbol, of type function.
    pub fn function_of(&self, section: u64) -> Option<&SymbolRef> {
        self.symbols_of(section).iter().find(|s| s.function)
    }

    /// A place in words: `.text.vecadd + 0x40`.
    pub fn place(&self, section: u64, value: u64) -> String {
        let reserved = SectionIndex(u16::try_from(section).unwrap_or(1)).name();
        match (self.section(section), reserved) {
            (_, Some("SHN_UNDEF")) => "undefined".to_owned(),
            (Some(section), _) if value == 0 => section.name.clone(),
            (Some(section), _) => format!("{} + {value:#x}", section.name),
            (None, Some(name)) => format!("{name} {value:#x}"),
            (None, None) => format!("section {section} {value:#x}"),
        }
    }

    /// Is the section's `sh_info` the index of another one?
    pub fn info_is_section(&self, section: &Section) -> bool {
        matches!(section.kind, SectionType::SHT_REL | SectionType::SHT_RELA)
    }
}

const HEADER_DOC: Doc = Doc {
    text: "What sort of ELF file it is, and where its tables are.",
    source: "gABI, ELF Header",
    known: &[],
};
const SECTION_HEADERS_DOC: Doc = Doc {
    text: "The name, type, place and attributes of each section.",
    source: "gABI, Section Header",
    known: &[],
};
const PROGRAM_HEADERS_DOC: Doc = Doc {
    text: "What is loaded where. The compiler writes none; the driver's debug zebins have them.",
    source: "gABI, Program Header",
    known: &[],
};

fn open_file(cx: &Context<'_>, start: Start) -> Opened {
    let headers = section_table(cx, &start);
    let segments = program_table(cx, &start);
    let mut file = read_sections(cx, &start, headers);
    file.symbols = code_symbols(cx, &file);
    let file = Rc::new(file);
    check_symbol_tables(cx, &file);
    check_relocations(cx, &file);
    check_header(cx, &start);
    let mut parts = vec![header_node(cx, &file)];
    if let Some(table) = headers.filter(|t| !t.span.is_empty()) {
        parts.push(section_headers_node(cx, &file, table));
    }
    if let Some(table) = segments.filter(|t| !t.span.is_empty()) {
        parts.push(program_headers_node(cx, &start, table));
    }
    let zebin = zebin::survey(cx, &file);
    for section in &file.sections {
        if let Some(node) = section_node(cx, &file, section, &zebin) {
            parts.push(node);
        }
    }
    zebin::extra_parts(cx, &file, &mut parts);
    let layout = Layout::arrange(cx, start.span, parts);
    let count = layout.len();
    let summary = summary(&file, &zebin);
    Opened {
        summary,
        content: Some((cx.register(zebin.rows(layout)), 0, Some(count))),
    }
}

fn summary(file: &ElfFile, zebin: &zebin::Survey) -> Summary {
    let identity = file.identity;
    let bits = match file.class {
        Class::Elf32 => "32-bit",
        Class::Elf64 => "64-bit",
    };
    let kind = header::FileType(u16::try_from(file.header.e_type).unwrap_or(0));
    let machine = header::Machine(u16::try_from(file.header.e_machine).unwrap_or(0));
    let mut facts = zebin.facts.clone();
    let number = |name: Option<&str>, raw: u64| match name {
        Some(name) => name.to_owned(),
        None => format!("{raw:#x}"),
    };
    facts.push(Fact {
        label: "container".into(),
        text: format!(
            "{bits} ELF, {}, {}",
            number(kind.name(), kind.0.into()),
            match identity {
                Identity::LegacyZebin { .. } => "target in e_machine".to_owned(),
                _ => number(machine.name(), machine.0.into()),
            }
        )
        .into(),
        tone: Tone::Plain,
        span: Some(file.header.origin),
        headline: false,
    });
    Summary {
        format: identity.id().into(),
        title: match (&zebin.version, identity.is_zebin()) {
            (Some(version), true) => format!("{} {version}", identity.title()).into(),
            _ => identity.title().into(),
        },
        facts,
    }
}

/// A table of headers in the file.
#[derive(Debug, Clone, Copy)]
struct HeaderTable {
    /// The headers that are there and within the limits.
    span: Span,
    /// The distance from one to the next.
    stride: u64,
}

impl HeaderTable {
    /// Says that nothing explains what stands between headers of `size` bytes.
    fn gaps(&self, cx: &Context<'_>, size: u64) {
        if self.stride > size {
            for index in 0..self.span.len() / self.stride {
                cx.gap(
                    self.span
                        .sub(index * self.stride + size, self.stride - size),
                );
            }
        }
    }
}

/// Finds the section headers.
fn section_table(cx: &Context<'_>, start: &Start) -> Option<HeaderTable> {
    let header = &start.header;
    let size = SectionHeader::size(start.class);
    let stride = header.e_shentsize.max(size);
    if header.e_shoff == 0 && header.e_shnum == 0 {
        return None;
    }
    if header.e_shentsize != size {
        cx.report(
            &rules::ELF_SECTION_HEADER_SIZE,
            header.span_of("e_shentsize"),
            format!(
                "e_shentsize is {}, a section header has {size} bytes",
                header.e_shentsize
            ),
        );
    }
    let first = Window::clamped(cx.sources, start.span.sub(header.e_shoff, size));
    let first = SectionHeader::read(&mut first.reader(start.endian), start.class).ok();
    // gABI: a count that does not fit in 16 bits stands in sh_size of section 0.
    let count = match (header.e_shnum, first) {
        (0, Some(first)) => first.sh_size,
        (count, _) => count,
    };
    let wanted = count.saturating_mul(stride);
    let there = start.span.sub(header.e_shoff, wanted);
    if there.len() < wanted {
        cx.report_with(
            &rules::ELF_SECTION_HEADERS_OUT_OF_BOUNDS,
            header.span_of("e_shoff"),
            format!(
                "{count} section headers at {:#x} need {wanted} bytes, {} are there",
                header.e_shoff,
                there.len()
            ),
            &[(header.span_of("e_shnum"), "how many")],
            None,
        );
    }
    limit(cx, there, stride, limits::SECTIONS, "section headers")
}

/// Finds the program headers.
fn program_table(cx: &Context<'_>, start: &Start) -> Option<HeaderTable> {
    let header = &start.header;
    let size = ProgramHeader::size(start.class);
    let stride = header.e_phentsize.max(size);
    let outside = header.e_phoff > start.span.len();
    if header.e_phnum == 0 && !outside {
        return None;
    }
    if header.e_phnum > 0 && header.e_phentsize != size {
        cx.report(
            &rules::ELF_PROGRAM_HEADER_SIZE,
            header.span_of("e_phentsize"),
            format!(
                "e_phentsize is {}, a program header has {size} bytes",
                header.e_phentsize
            ),
        );
    }
    let wanted = header.e_phnum.saturating_mul(stride);
    let there = start.span.sub(header.e_phoff, wanted);
    if there.len() < wanted || outside {
        cx.report(
            &rules::ELF_PROGRAM_HEADERS_OUT_OF_BOUNDS,
            header.span_of("e_phoff"),
            format!(
                "{} program headers at {:#x} need {wanted} bytes, {} are there",
                header.e_phnum,
                header.e_phoff,
                there.len()
            ),
        );
    }
    let table = limit(cx, there, stride, limits::SEGMENTS, "program headers")?;
    check_segments(cx, start, table);
    Some(table)
}

/// Cuts a table to whole entries and to the limit.
fn limit(cx: &Context<'_>, there: Span, stride: u64, most: u64, what: &str) -> Option<HeaderTable> {
    let count = there.len() / stride.max(1);
    if count > most {
        cx.report(
            &rules::TOO_MANY,
            there.from(most * stride),
            format!("{count} {what}: the first {most} are decoded"),
        );
    }
    Some(HeaderTable {
        span: there.sub(0, count.min(most) * stride),
        stride,
    })
}

fn check_header(cx: &Context<'_>, start: &Start) {
    let size = Header::size(start.class);
    if start.header.e_ehsize != size {
        cx.report(
            &rules::ELF_HEADER_SIZE,
            start.header.span_of("e_ehsize"),
            format!(
                "e_ehsize is {}, the header has {size} bytes",
                start.header.e_ehsize
            ),
        );
    }
}

fn check_segments(cx: &Context<'_>, start: &Start, table: HeaderTable) {
    let mut at = 0;
    while at + ProgramHeader::size(start.class) <= table.span.len() {
        let window = Window::clamped(cx.sources, table.span.sub(at, table.stride));
        at += table.stride;
        let Ok(segment) = ProgramHeader::read(&mut window.reader(start.endian), start.class) else {
            return;
        };
        let end = segment.p_offset.checked_add(segment.p_filesz);
        if end.is_none_or(|end| end > start.span.len()) {
            cx.report_with(
                &rules::ELF_SEGMENT_OUT_OF_BOUNDS,
                segment.span_of("p_offset"),
                format!(
                    "{} bytes at {:#x} in a file of {} bytes",
                    segment.p_filesz,
                    segment.p_offset,
                    start.span.len()
                ),
                &[(segment.span_of("p_filesz"), "the size")],
                None,
            );
        }
    }
}

/// Reads all section headers, their names, and the string tables.
fn read_sections(cx: &Context<'_>, start: &Start, table: Option<HeaderTable>) -> ElfFile {
    let mut file = ElfFile {
        span: start.span,
        class: start.class,
        endian: start.endian,
        header: start.header,
        sections: Vec::new(),
        identity: Identity::Foreign,
        names: start.header.e_shstrndx,
        strings: HashMap::new(),
        symbols: Vec::new(),
    };
    let Some(table) = table else {
        file.identity = Identity::of(&start.header, |_| false);
        return file;
    };
    let count = table.span.len() / table.stride.max(1);
    let mut headers = Vec::new();
    for index in 0..count {
        let span = table
            .span
            .sub(index * table.stride, SectionHeader::size(start.class));
        let window = Window::clamped(cx.sources, span);
        match SectionHeader::read(&mut window.reader(start.endian), start.class) {
            Ok(header) => headers.push(Rc::new(header)),
            Err(error) => {
                cx.report_read(&rules::READ_FAILED, &error, span, "a section header");
                break;
            }
        }
        let Some(header) = headers.last() else { break };
        file.sections.push(section_of(cx, start, index, header));
    }
    // gABI: SHN_XINDEX says that the index stands in sh_link of section 0.
    if file.names == u64::from(SectionIndex::SHN_XINDEX.0) {
        file.names = file.sections.first().map_or(0, |s| s.link);
    }
    name_sections(cx, start, &mut file, &headers);
    let names: std::collections::HashSet<&str> =
        file.sections.iter().map(|s| s.name.as_str()).collect();
    file.identity = Identity::of(&start.header, |name| names.contains(name));
    file
}

fn section_of(cx: &Context<'_>, start: &Start, index: u64, header: &SectionHeader) -> Section {
    let kind = SectionType(u32::try_from(header.sh_type).unwrap_or(u32::MAX));
    let has_bytes = kind != SectionType::SHT_NOBITS;
    let end = header
        .sh_offset
        .checked_add(header.sh_size)
        .filter(|end| *end <= start.class.max());
    let see = [(header.span_of("sh_size"), "the size")];
    if has_bytes && header.sh_size > 0 {
        match end {
            None => cx.report_with(
                &rules::ELF_SECTION_WRAPS,
                header.span_of("sh_offset"),
                format!(
                    "section {index}: {:#x} + {:#x} is more than the class can hold",
                    header.sh_offset, header.sh_size
                ),
                &see,
                None,
            ),
            Some(end) if end > start.span.len() => cx.report_with(
                &rules::ELF_SECTION_OUT_OF_BOUNDS,
                header.span_of("sh_offset"),
                format!(
                    "section {index}: {} bytes at {:#x} in a file of {} bytes",
                    header.sh_size,
                    header.sh_offset,
                    start.span.len()
                ),
                &see,
                None,
            ),
            Some(_) => {}
        }
    } else if has_bytes && header.sh_offset > start.span.len() {
        // The driver checks the place of empty sections too.
        cx.report(
            &rules::ELF_SECTION_OUT_OF_BOUNDS,
            header.span_of("sh_offset"),
            format!("section {index}: an offset past the end of the file"),
        );
    }
    let size = if has_bytes { header.sh_size } else { 0 };
    Section {
        index,
        header: header.origin,
        name: String::new(),
        name_offset: header.sh_name,
        kind,
        size: header.sh_size,
        addr: header.sh_addr,
        link: header.sh_link,
        info: header.sh_info,
        entsize: header.sh_entsize,
        bytes: start.span.sub(header.sh_offset, size),
    }
}

fn name_sections(
    cx: &Context<'_>,
    start: &Start,
    file: &mut ElfFile,
    headers: &[Rc<SectionHeader>],
) {
    let table = file.section(file.names).cloned();
    let usable = table
        .as_ref()
        .is_some_and(|t| !t.bytes.is_empty() && t.index != 0);
    if !usable && !file.sections.is_empty() {
        cx.report(
            &rules::ELF_BAD_SHSTRNDX,
            start.header.span_of("e_shstrndx"),
            match table {
                Some(_) => format!("section {} holds no names", file.names),
                None => format!(
                    "e_shstrndx is {}, there are {} sections",
                    file.names,
                    file.sections.len()
                ),
            },
        );
    }
    let mut wanted: Vec<u64> = vec![file.names];
    let tables = [SectionType::SHT_SYMTAB, SectionType::SHT_DYNSYM];
    wanted.extend(
        file.sections
            .iter()
            .filter(|s| tables.contains(&s.kind))
            .map(|s| s.link),
    );
    sort::by(&mut wanted, Ord::cmp);
    wanted.dedup();
    for index in wanted {
        load_strings(cx, file, index);
    }
    if !usable {
        return;
    }
    let mut kept = 0usize;
    let names: Vec<(String, Option<NameError>)> = headers
        .iter()
        .map(|header| match file.strings.get(&file.names) {
            Some(strings) => {
                // Names may lie over each other too: only so many long ones are kept whole.
                let most = if kept < limits::NAME * 4 {
                    limits::NAME
                } else {
                    limits::NAME_SHOWN
                };
                let name = strings.text(header.sh_name, most);
                kept = kept.saturating_add(name.len().saturating_sub(limits::NAME_SHOWN));
                (name, strings.check(header.sh_name).err())
            }
            None => (String::new(), None),
        })
        .collect();
    for ((section, header), (name, error)) in file.sections.iter_mut().zip(headers).zip(names) {
        section.name = name;
        match error {
            Some(NameError::OutOfBounds) => cx.report(
                &rules::ELF_SECTION_NAME,
                header.span_of("sh_name"),
                format!(
                    "section {}: no name at {:#x}",
                    section.index, header.sh_name
                ),
            ),
            Some(NameError::Unterminated(span)) => cx.report(
                &rules::ELF_UNTERMINATED_NAME,
                span,
                format!("the name of section {} does not end", section.index),
            ),
            None => {}
        }
    }
}

/// Keeps a string table for look-ups.
fn load_strings(cx: &Context<'_>, file: &mut ElfFile, index: u64) {
    let Some(section) = file.section(index).cloned() else {
        return;
    };
    if section.bytes.is_empty() || index == 0 {
        return;
    }
    if section.bytes.len() > limits::STRING_TABLE {
        cx.report(
            &rules::TOO_LARGE,
            section.header,
            "the string table is too large for names to be looked up",
        );
        return;
    }
    if !cx.may_walk(section.bytes) {
        return;
    }
    let table = StringTable::new(cx.sources, section.bytes);
    if section.kind == SectionType::SHT_STRTAB {
        if !table.starts_empty() {
            cx.report(
                &rules::ELF_STRING_TABLE_START,
                section.bytes.sub(0, 1),
                "the first byte is not NUL",
            );
        }
        if !table.is_terminated() {
            cx.report(
                &rules::ELF_UNTERMINATED_NAME,
                section.bytes.from(section.bytes.len() - 1),
                "the last string has no NUL",
            );
        }
    }
    file.strings.insert(index, table);
}

/// Checks the size of a table's entries; says how many whole ones there are.
fn check_table(cx: &Context<'_>, section: &Section, size: u64) -> u64 {
    if section.entsize != size {
        cx.report(
            &rules::ELF_ENTRY_SIZE,
            section.header,
            format!(
                "{}: sh_entsize is {}, an entry has {size} bytes",
                section.name, section.entsize
            ),
        );
    }
    let rest = section.bytes.len() % size;
    if rest != 0 {
        let remainder = section.bytes.from(section.bytes.len() - rest);
        cx.gap(remainder);
        cx.report(
            &rules::ELF_TABLE_REMAINDER,
            remainder,
            format!("{}: {rest} bytes after the last entry", section.name),
        );
    }
    section.bytes.len() / size
}

fn check_symbol_tables(cx: &Context<'_>, file: &Rc<ElfFile>) {
    for section in &file.sections {
        if matches!(
            section.kind,
            SectionType::SHT_SYMTAB | SectionType::SHT_DYNSYM
        ) {
            check_symbols(cx, file, section);
        }
    }
}

fn check_symbols(cx: &Context<'_>, file: &ElfFile, section: &Section) {
    let size = Symbol::size(file.class);
    let count = check_table(cx, section, size);
    let linked = file.section(section.link);
    if linked.is_none_or(|t| t.kind != SectionType::SHT_STRTAB) {
        cx.report(
            &rules::ELF_BAD_LINK,
            section.header,
            format!(
                "{}: sh_link {} is no string table",
                section.name, section.link
            ),
        );
    }
    if !cx.may_walk(section.bytes) {
        return;
    }
    let sections = file.sections.len() as u64;
    let mut locals = 0;
    for index in 0..count {
        let Some(symbol) = read_symbol(cx, file, section, index) else {
            return;
        };
        if symbol.binding().0 == 0 && locals == index {
            locals = index + 1;
        }
        match file
            .strings
            .get(&section.link)
            .map(|t| t.check(symbol.st_name))
        {
            Some(Err(NameError::OutOfBounds)) if symbol.st_name != 0 => cx.report(
                &rules::ELF_SYMBOL_NAME,
                symbol.span_of("st_name"),
                format!("symbol {index}: no name at {:#x}", symbol.st_name),
            ),
            Some(Err(NameError::Unterminated(span))) => cx.report(
                &rules::ELF_UNTERMINATED_NAME,
                span,
                format!("the name of symbol {index} does not end"),
            ),
            _ => {}
        }
        let reserved = symbol.st_shndx >= 0xff00;
        if symbol.st_shndx >= sections && !reserved {
            cx.report(
                &rules::ELF_SYMBOL_SECTION,
                symbol.span_of("st_shndx"),
                format!("symbol {index}: section {} of {sections}", symbol.st_shndx),
            );
        }
    }
    if section.info != locals && count > 0 {
        cx.report(
            &rules::ELF_LOCAL_COUNT,
            section.header,
            format!(
                "{}: sh_info is {}, the first {locals} symbols are local",
                section.name, section.info
            ),
        );
    }
}

fn read_symbol(cx: &Context<'_>, file: &ElfFile, section: &Section, index: u64) -> Option<Symbol> {
    let size = Symbol::size(file.class);
    let window = Window::clamped(cx.sources, section.bytes.sub(index * size, size));
    Symbol::read(&mut window.reader(file.endian), file.class).ok()
}

/// The functions and entries of the symbol table, by section.
fn code_symbols(cx: &Context<'_>, file: &ElfFile) -> Vec<SymbolRef> {
    let Some(section) = file.symbol_table() else {
        return Vec::new();
    };
    let mut symbols = Vec::new();
    for index in 0..section.bytes.len() / Symbol::size(file.class) {
        let Some(symbol) = read_symbol(cx, file, section, index) else {
            break;
        };
        let kind = symbol.kind();
        if symbol.st_shndx != 0 && matches!(kind, SymbolType::STT_FUNC | SymbolType::STT_NOTYPE) {
            symbols.push(SymbolRef {
                section: symbol.st_shndx,
                index,
                entry: symbol.origin,
                value: symbol.st_value,
                size: symbol.st_size,
                function: kind == SymbolType::STT_FUNC,
                name: symbol.st_name,
            });
        }
    }
    sort::by(&mut symbols, Ord::cmp);
    symbols
}

fn shape_of(file: &ElfFile, section: &Section) -> Option<Shape> {
    let addend = match section.kind {
        SectionType::SHT_REL => false,
        SectionType::SHT_RELA => true,
        _ => return None,
    };
    Some(Shape {
        class: file.class,
        endian: file.endian,
        addend,
    })
}

fn check_relocations(cx: &Context<'_>, file: &ElfFile) {
    for section in &file.sections {
        if let Some(shape) = shape_of(file, section) {
            check_relocation_section(cx, file, section, shape);
        }
    }
}

fn check_relocation_section(cx: &Context<'_>, file: &ElfFile, section: &Section, shape: Shape) {
    let count = check_table(cx, section, shape.size());
    let name = &section.name;
    let table = file
        .section(section.link)
        .filter(|t| matches!(t.kind, SectionType::SHT_SYMTAB | SectionType::SHT_DYNSYM));
    if file.symbol_table().is_none() && count > 0 {
        cx.report(
            &rules::ELF_RELOCATION_WITHOUT_SYMBOLS,
            section.header,
            format!("{name} has {count} relocations, and the file has no symbol table"),
        );
    } else if table.is_none() {
        cx.report(
            &rules::ELF_BAD_LINK,
            section.header,
            format!("{name}: sh_link {} is no symbol table", section.link),
        );
    }
    let target = file.section(section.info).filter(|t| t.index != 0);
    if target.is_none() {
        cx.report(
            &rules::ELF_BAD_INFO,
            section.header,
            format!("{name}: sh_info {} is no section", section.info),
        );
    }
    if !cx.may_walk(section.bytes) {
        return;
    }
    let symbols = table.map(|t| t.bytes.len() / Symbol::size(file.class));
    for index in 0..count {
        let span = section.bytes.sub(index * shape.size(), shape.size());
        let window = Window::clamped(cx.sources, span);
        let Some(relocation) = shape.read(&window) else {
            return;
        };
        if symbols.is_some_and(|n| relocation.symbol >= n) {
            cx.report(
                &rules::ELF_RELOCATION_SYMBOL,
                span,
                format!(
                    "{name}: relocation {index} names symbol {}",
                    relocation.symbol
                ),
            );
        }
        if file.identity.is_zebin() && relocation.kind.name().is_none() {
            cx.report(
                &rules::ZEBIN_RELOCATION_TYPE,
                span,
                format!(
                    "{name}: relocation {index} has the type {}",
                    relocation.kind.0
                ),
            );
        }
        let end = relocation.offset.checked_add(relocation.kind.width());
        let size = target.map(|t| t.size);
        if size.is_some_and(|size| end.is_none_or(|end| end > size))
            && relocation.kind != RelocationType::R_NONE
        {
            cx.report(
                &rules::ELF_RELOCATION_OFFSET,
                span,
                format!(
                    "{name}: relocation {index} patches bytes at {:#x}",
                    relocation.offset
                ),
            );
        }
    }
}

fn header_node(cx: &Context<'_>, file: &ElfFile) -> Node {
    let rows = cx.register(Rc::new(HeaderRows {
        span: file.header.origin,
        class: file.class,
        endian: file.endian,
        identity: file.identity,
    }));
    Node::new(NodeKind::Record, "ELF header", file.header.origin)
        .area(Area::Header)
        .children(rows, HeaderRows::FIELDS, Some(Header::COUNT))
        .doc(&HEADER_DOC)
}

fn section_headers_node(cx: &Context<'_>, file: &Rc<ElfFile>, table: HeaderTable) -> Node {
    let entries = Table {
        span: table.span,
        endian: file.endian,
        entries: SectionHeaders {
            class: file.class,
            endian: file.endian,
            stride: table.stride,
            file: Rc::clone(file),
        },
    };
    let count = entries.len();
    table.gaps(cx, SectionHeader::size(file.class));
    let rows = cx.register(Rc::new(entries));
    Node::new(NodeKind::Table, "section headers", table.span)
        .area(Area::Header)
        .summary(plural(count, "header"))
        .children(rows, TABLE, Some(count))
        .doc(&SECTION_HEADERS_DOC)
}

fn program_headers_node(cx: &Context<'_>, start: &Start, table: HeaderTable) -> Node {
    let entries = Table {
        span: table.span,
        endian: start.endian,
        entries: ProgramHeaders {
            class: start.class,
            endian: start.endian,
            stride: table.stride,
            file: start.span,
        },
    };
    let count = entries.len();
    table.gaps(cx, ProgramHeader::size(start.class));
    let rows = cx.register(Rc::new(entries));
    Node::new(NodeKind::Table, "program headers", table.span)
        .area(Area::Header)
        .summary(plural(count, "header"))
        .children(rows, TABLE, Some(count))
        .doc(&PROGRAM_HEADERS_DOC)
}

/// `1 symbol`, `8 symbols`, `2 entries`.
pub fn plural(count: u64, what: &str) -> String {
    match (count, what.strip_suffix('y')) {
        (1, _) => format!("1 {what}"),
        (_, Some(stem)) => format!("{count} {stem}ies"),
        _ => format!("{count} {what}s"),
    }
}

const NOBITS_DOC: Doc = Doc {
    text: "Takes memory, but no bytes of the file.",
    source: "gABI, SHT_NOBITS",
    known: &[],
};
const INACTIVE_DOC: Doc = Doc {
    text: "The section header says SHT_NULL: consumers ignore these bytes.",
    source: "gABI, SHT_NULL",
    known: &[],
};
const STRTAB_DOC: Doc = Doc {
    text: "Names of sections and symbols. In a zebin one table serves both.",
    source: "gABI, String Table",
    known: &[],
};
const SYMTAB_DOC: Doc = Doc {
    text: "Kernels, functions, variables, and what is defined somewhere else.",
    source: "gABI, Symbol Table; zebin ELF, ZE symbols",
    known: &[],
};
const RELOCATIONS_DOC: Doc = Doc {
    text: "Places that the driver patches when it loads the file.",
    source: "gABI, Relocation; zebin ELF, Gen Relocation Type",
    known: &[],
};
const NOTES_DOC: Doc = Doc {
    text: "Notes: an owner, a type, and a description each.",
    source: "gABI, Note Section",
    known: &[],
};

/// The node of a section's bytes; the NULL section and the like have none.
fn section_node(
    cx: &Context<'_>,
    file: &Rc<ElfFile>,
    section: &Section,
    zebin: &zebin::Survey,
) -> Option<Node> {
    let named = |kind: NodeKind| {
        let name = if section.name.is_empty() {
            format!("section {}", section.index)
        } else {
            section.name.clone()
        };
        let header = format!("[{}]", section.index);
        Node::new(kind, name, section.bytes)
            .area(area_of(section))
            .xref("section header", header, section.header)
    };
    if section.kind == SectionType::SHT_NULL {
        return (section.index != 0 && !section.bytes.is_empty()).then(|| {
            named(NodeKind::Blob)
                .value(Value::Bytes)
                .summary("inactive")
                .doc(&INACTIVE_DOC)
        });
    }
    if section.kind == SectionType::SHT_NOBITS {
        return Some(
            named(NodeKind::Blob)
                .summary(format!("{} bytes in memory", section.size))
                .doc(&NOBITS_DOC),
        );
    }
    if let Some(node) = zebin::section_node(cx, file, section, zebin, named(NodeKind::Blob)) {
        return Some(node);
    }
    Some(match section.kind {
        SectionType::SHT_STRTAB => {
            let rows = cx.register(Rc::new(Strings::new(section.bytes)));
            named(NodeKind::Table)
                .children(rows, 0, None)
                .doc(&STRTAB_DOC)
        }
        SectionType::SHT_SYMTAB | SectionType::SHT_DYNSYM => {
            let entries = Table {
                span: section.bytes,
                endian: file.endian,
                entries: Symbols {
                    class: file.class,
                    endian: file.endian,
                    file: Rc::clone(file),
                    names: section.link,
                },
            };
            table_node(cx, named(NodeKind::Table), entries, "symbol").doc(&SYMTAB_DOC)
        }
        SectionType::SHT_REL | SectionType::SHT_RELA => {
            let shape = shape_of(file, section)?;
            let entries = Table {
                span: section.bytes,
                endian: file.endian,
                entries: Relocations {
                    shape,
                    file: Rc::clone(file),
                    symbols: section.link,
                    target: section.info,
                },
            };
            let node =
                table_node(cx, named(NodeKind::Table), entries, "relocation").doc(&RELOCATIONS_DOC);
            match file.section(section.info).filter(|t| t.index != 0) {
                Some(target) => node.xref("patches", target.name.clone(), target.bytes),
                None => node,
            }
        }
        SectionType::SHT_NOTE => notes_node(
            cx,
            file,
            section.bytes,
            named(NodeKind::Table),
            zebin::note_owners,
        ),
        _ => named(NodeKind::Blob).value(Value::Bytes),
    })
}

fn table_node<E: super::table::Entries + 'static>(
    cx: &Context<'_>,
    node: Node,
    table: Table<E>,
    what: &str,
) -> Node {
    let count = table.len();
    let rows = count + u64::from(!table.remainder().is_empty());
    node.summary(plural(count, what))
        .children(cx.register(Rc::new(table)), TABLE, Some(rows))
}

/// The node of a section of notes, checked.
pub fn notes_node(
    cx: &Context<'_>,
    file: &ElfFile,
    bytes: Span,
    node: Node,
    owners: note::Owners,
) -> Node {
    let notes = Notes::walk(cx, bytes, file.endian, owners);
    let count = notes.list().len() as u64;
    node.summary(plural(count, "note"))
        .children(cx.register(Rc::new(notes)), Notes::SECTION, None)
        .doc(&NOTES_DOC)
}

/// The node of a section of text: a row for each line.
pub fn lines_node(cx: &Context<'_>, bytes: Span, node: Node) -> Node {
    let rows: ExpanderId = cx.register(Rc::new(Lines::new(bytes)));
    let mut node = node.children(rows, 0, None);
    node.kind = NodeKind::Text;
    node
}

fn area_of(section: &Section) -> Area {
    let name = section.name.as_str();
    match section.kind {
        SectionType::SHT_STRTAB
        | SectionType::SHT_SYMTAB
        | SectionType::SHT_DYNSYM
        | SectionType::SHT_REL
        | SectionType::SHT_RELA => Area::Symbol,
        SectionType::SHT_NOTE => Area::Note,
        SectionType::SHT_ZEBIN_SPIRV | SectionType::SHT_ZEBIN_PISA => Area::Ir,
        SectionType::SHT_ZEBIN_VISAASM
        | SectionType::SHT_ZEBIN_ZEINFO
        | SectionType::SHT_ZEBIN_MISC
        | SectionType::SHT_ZEBIN_GTPIN_INFO => Area::Meta,
        _ if name.starts_with(".debug") => Area::Debug,
        _ if name.starts_with(".text") => Area::Code,
        _ if name.starts_with(".data") || name.starts_with(".bss") => Area::Data,
        _ => Area::Inherit,
    }
}
