//! Reads the ELF header, the section headers, and the names of the sections.

use std::collections::HashMap;
use std::rc::Rc;

use super::class::Class;
use super::dialect::Host;
use super::file::{ElfFile, SymbolRef};
use super::header::Header;
use super::header_tables::HeaderTable;
use super::section::{Section, SectionHeader, SectionType};
use super::string_table::{NameError, StringTable};
use super::symbol::{SectionIndex, Symbol, SymbolType};
use crate::context::Context;
use crate::limits;
use crate::reader::{Endian, ReadError, Window};
use crate::rules;
use crate::text::plural;
use zeview_core::model::Span;
use zeview_core::model::sort;

/// An ELF file's header, and the parameters for reading the rest.
#[derive(Debug, Clone, Copy)]
pub struct HeaderReader {
    pub span: Span,
    pub class: Class,
    pub endian: Endian,
    pub header: Header,
}

pub fn header(cx: &Context<'_>, span: Span) -> Result<HeaderReader, ReadError> {
    let head = Window::clamped(cx.sources, span.subspan(0, 64));
    let byte = |at: usize| head.bytes().get(at).copied();
    let class = match byte(4) {
        Some(1) => Class::Elf32,
        Some(2) | None => Class::Elf64,
        Some(other) => {
            cx.report(
                &rules::ELF_BAD_CLASS,
                span.subspan(4, 1),
                format_args!("EI_CLASS is {other}; read as a 64-bit file"),
            );
            Class::Elf64
        }
    };
    let endian = match byte(5) {
        Some(2) => {
            cx.report(
                &rules::ELF_BIG_ENDIAN,
                span.subspan(5, 1),
                "EI_DATA is 2, big endian",
            );
            Endian::Big
        }
        Some(1) | None => Endian::Little,
        Some(other) => {
            cx.report(
                &rules::ELF_BAD_DATA,
                span.subspan(5, 1),
                format_args!("EI_DATA is {other}; read as little endian"),
            );
            Endian::Little
        }
    };
    let window = head.reader(endian).at(0, Header::size(class))?;
    let header = Header::read(&mut { window }, class)?;
    Ok(HeaderReader {
        span,
        class,
        endian,
        header,
    })
}

/// Reads all section headers, their names, and the string tables.
pub fn sections(cx: &Context<'_>, start: &HeaderReader, table: Option<HeaderTable>) -> ElfFile {
    let mut file = ElfFile {
        span: start.span,
        class: start.class,
        endian: start.endian,
        header: start.header,
        sections: Vec::new(),
        dialect: Rc::new(Host),
        names: start.header.e_shstrndx,
        strings: HashMap::new(),
        symbol_table: None,
        packed: Vec::new(),
        symbols: Vec::new(),
    };
    let Some(table) = table else {
        return file;
    };
    let count = table.span.len() / table.stride.max(1);
    let mut headers = Vec::new();
    for index in 0..count {
        let span = table
            .span
            .subspan(index * table.stride, SectionHeader::size(start.class));
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
    // gABI: with SHN_XINDEX, the index is in sh_link of section 0.
    if file.names == u64::from(SectionIndex::SHN_XINDEX.0) {
        file.names = file.sections.first().map_or(0, |s| s.link);
    }
    let tables = |s: &&Section| s.kind == SectionType::SHT_SYMTAB;
    file.symbol_table = file.sections.iter().find(tables).map(|s| s.index);
    file.sections.shrink_to_fit();
    name_sections(cx, start, &mut file, &headers);
    file
}

fn section_of(
    cx: &Context<'_>,
    start: &HeaderReader,
    index: u64,
    header: &SectionHeader,
) -> Section {
    let kind = SectionType(u32::try_from(header.sh_type).unwrap_or(u32::MAX));
    let has_bytes = kind != SectionType::SHT_NOBITS;
    let end = header
        .sh_offset
        .checked_add(header.sh_size)
        .filter(|end| *end <= start.class.max());
    let see = [(header.span_of(SectionHeader::sh_size), "the size")];
    if has_bytes && header.sh_size > 0 {
        match end {
            None => cx.report_with(
                &rules::ELF_SECTION_WRAPS,
                header.span_of(SectionHeader::sh_offset),
                format_args!(
                    "section {index}: sh_offset + sh_size overflows ({:#x} + {:#x})",
                    header.sh_offset, header.sh_size
                ),
                &see,
                None,
            ),
            Some(end) if end > start.span.len() => cx.report_with(
                &rules::ELF_SECTION_OUT_OF_BOUNDS,
                header.span_of(SectionHeader::sh_offset),
                format_args!(
                    "section {index}: {} bytes at {:#x} extend past the end of the file ({} bytes)",
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
        // The driver checks the offset of empty sections too.
        cx.report(
            &rules::ELF_SECTION_OUT_OF_BOUNDS,
            header.span_of(SectionHeader::sh_offset),
            format_args!("section {index}: sh_offset is past the end of the file"),
        );
    }
    let size = if has_bytes { header.sh_size } else { 0 };
    Section {
        index,
        header: header.origin,
        name: String::new(),
        name_offset: header.sh_name,
        kind,
        flags: header.sh_flags,
        size: header.sh_size,
        addr: header.sh_addr,
        link: header.sh_link,
        info: header.sh_info,
        entsize: header.sh_entsize,
        bytes: start.span.subspan(header.sh_offset, size),
    }
}

fn name_sections(
    cx: &Context<'_>,
    start: &HeaderReader,
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
            start.header.span_of(Header::e_shstrndx),
            match table {
                Some(_) => format!("section {} has no bytes", file.names),
                None => format!(
                    "e_shstrndx {} out of range ({})",
                    file.names,
                    plural(file.sections.len() as u64, "section")
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
    sort::ascending(&mut wanted);
    wanted.dedup();
    for index in wanted {
        load_strings(cx, file, index);
    }
    if !usable {
        return;
    }
    // Names may overlap as well: their total length is limited to a small multiple of the table's
    // size.
    let whole = table.as_ref().map_or(0, |t| t.bytes.len());
    let most = whole
        .saturating_mul(limits::WALKS)
        .saturating_add(limits::NAME as u64);
    let mut kept = 0u64;
    let names: Vec<(String, Option<NameError>)> = headers
        .iter()
        .map(|header| match file.strings.get(&file.names) {
            Some(strings) => {
                let len = if kept < most {
                    limits::NAME
                } else {
                    limits::NAME_CUT
                };
                let name = strings.text(header.sh_name, len);
                kept = kept.saturating_add(name.len() as u64);
                (name, strings.check(header.sh_name).err())
            }
            None => (String::new(), None),
        })
        .collect();
    if let Some(table) = table.filter(|_| kept >= most) {
        cx.report(
            &rules::TOO_LARGE,
            table.header,
            format_args!("the section names exceed {most} bytes in total; most are truncated"),
        );
    }
    for ((section, header), (name, error)) in file.sections.iter_mut().zip(headers).zip(names) {
        section.name = name;
        match error {
            Some(NameError::OutOfBounds) => cx.report(
                &rules::ELF_SECTION_NAME,
                header.span_of(SectionHeader::sh_name),
                format_args!(
                    "section {}: sh_name {:#x} is outside of the string table",
                    section.index, header.sh_name
                ),
            ),
            Some(NameError::Unterminated(span)) => cx.report(
                &rules::ELF_UNTERMINATED_NAME,
                span,
                format_args!(
                    "the name of section {} has no terminating NUL",
                    section.index
                ),
            ),
            None => {}
        }
    }
}

/// Loads a string table for lookups.
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
            "the string table is too large: its names are not looked up",
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
                section.bytes.subspan(0, 1),
                "the first byte is not NUL",
            );
        }
        if !table.is_terminated() {
            cx.report(
                &rules::ELF_UNTERMINATED_NAME,
                section.bytes.skip(section.bytes.len() - 1),
                "the last string has no terminating NUL",
            );
        }
    }
    file.strings.insert(index, table);
}

pub fn symbol(cx: &Context<'_>, file: &ElfFile, section: &Section, index: u64) -> Option<Symbol> {
    let size = Symbol::size(file.class);
    let window = Window::clamped(cx.sources, section.bytes.subspan(index * size, size));
    Symbol::read(&mut window.reader(file.endian), file.class).ok()
}

/// The functions and entries of the symbol table, by section.
pub fn code_symbols(cx: &Context<'_>, file: &ElfFile) -> Vec<SymbolRef> {
    let Some(section) = file.symbol_table() else {
        return Vec::new();
    };
    let mut symbols = Vec::new();
    for index in 0..section.bytes.len() / Symbol::size(file.class) {
        let Some(symbol) = symbol(cx, file, section, index) else {
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
    sort::ascending(&mut symbols);
    symbols.shrink_to_fit();
    symbols
}
