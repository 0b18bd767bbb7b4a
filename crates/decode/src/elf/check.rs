//! Checks the tables of an ELF file, in one pass.

use super::file::ElfFile;
use super::header::Header;
use super::header_tables::HeaderTable;
use super::read::{self, HeaderReader};
use super::relocation::Shape;
use super::section::{Section, SectionType};
use super::segment::ProgramHeader;
use super::string_table::NameError;
use super::symbol::Symbol;
use crate::context::Context;
use crate::names::known_name;
use crate::reader::Window;
use crate::rules;
use crate::text::plural;
use zeview_core::model::Span;

pub fn header(cx: &Context<'_>, start: &HeaderReader) {
    let size = Header::size(start.class);
    if start.header.e_ehsize != size {
        cx.report(
            &rules::ELF_HEADER_SIZE,
            start.header.span_of(Header::e_ehsize),
            format_args!(
                "e_ehsize is {}, but the header has {size} bytes",
                start.header.e_ehsize
            ),
        );
    }
}

pub fn segments(cx: &Context<'_>, start: &HeaderReader, table: HeaderTable) {
    let mut at = 0;
    while at + ProgramHeader::size(start.class) <= table.span.len() {
        let window = Window::clamped(cx.sources, table.span.subspan(at, table.stride));
        at += table.stride;
        let Ok(segment) = ProgramHeader::read(&mut window.reader(start.endian), start.class) else {
            return;
        };
        let end = segment.p_offset.checked_add(segment.p_filesz);
        if end.is_none_or(|end| end > start.span.len()) {
            cx.report_with(
                &rules::ELF_SEGMENT_OUT_OF_BOUNDS,
                segment.span_of(ProgramHeader::p_offset),
                format_args!(
                    "{} bytes at {:#x} extend past the end of the file ({} bytes)",
                    segment.p_filesz,
                    segment.p_offset,
                    start.span.len()
                ),
                &[(segment.span_of(ProgramHeader::p_filesz), "the size")],
                None,
            );
        }
    }
}

/// Checks the size of a table's entries and returns the number of whole ones.
fn whole_entries(cx: &Context<'_>, section: &Section, size: u64) -> u64 {
    if section.entsize != size {
        cx.report(
            &rules::ELF_ENTRY_SIZE,
            section.header,
            format_args!(
                "{}: sh_entsize is {}, but an entry has {size} bytes",
                section.name, section.entsize
            ),
        );
    }
    let rest = section.bytes.len() % size;
    if rest != 0 {
        let remainder = section.bytes.skip(section.bytes.len() - rest);
        cx.gap(remainder);
        cx.report(
            &rules::ELF_TABLE_REMAINDER,
            remainder,
            format_args!(
                "{}: {} after the last entry",
                section.name,
                plural(rest, "byte")
            ),
        );
    }
    section.bytes.len() / size
}

pub fn symbol_tables(cx: &Context<'_>, file: &ElfFile) {
    for section in &file.sections {
        if matches!(
            section.kind,
            SectionType::SHT_SYMTAB | SectionType::SHT_DYNSYM
        ) {
            symbol_table(cx, file, section);
        }
    }
}

fn symbol_table(cx: &Context<'_>, file: &ElfFile, section: &Section) {
    let size = Symbol::size(file.class);
    let count = whole_entries(cx, section, size);
    let linked = file.section(section.link);
    if linked.is_none_or(|t| t.kind != SectionType::SHT_STRTAB) {
        cx.report(
            &rules::ELF_BAD_LINK,
            section.header,
            format_args!(
                "{}: sh_link is {}, which is not a string table",
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
        let Some(symbol) = read::symbol(cx, file, section, index) else {
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
            // gABI: with 0, the symbol has no name, so an empty table is enough.
            Some(Err(NameError::OutOfBounds)) if symbol.st_name != 0 => cx.report(
                &rules::ELF_SYMBOL_NAME,
                symbol.span_of(Symbol::st_name),
                format_args!(
                    "symbol {index}: st_name {:#x} is outside of the string table",
                    symbol.st_name
                ),
            ),
            Some(Err(NameError::Unterminated(span))) => cx.report(
                &rules::ELF_UNTERMINATED_NAME,
                span,
                format_args!("the name of symbol {index} has no terminating NUL"),
            ),
            _ => {}
        }
        // SHN_LORESERVE: from here on, numbers are no indices of sections.
        let reserved = symbol.st_shndx >= 0xff00;
        if symbol.st_shndx >= sections && !reserved {
            cx.report(
                &rules::ELF_SYMBOL_SECTION,
                symbol.span_of(Symbol::st_shndx),
                format_args!(
                    "symbol {index}: section index {} out of range ({})",
                    symbol.st_shndx,
                    plural(sections, "section")
                ),
            );
        }
    }
    if section.info != locals && count > 0 {
        cx.report(
            &rules::ELF_LOCAL_COUNT,
            section.header,
            format_args!(
                "{}: sh_info is {}, but the first {locals} symbols are local",
                section.name, section.info
            ),
        );
    }
}

/// Checks relocation sections. The entries of those in `read` were checked when they were read for
/// another purpose.
pub fn relocation_sections(cx: &Context<'_>, file: &ElfFile, read: &[Span]) {
    for section in &file.sections {
        if let Some(shape) = Shape::of(file, section) {
            let is_read = read.contains(&section.bytes);
            relocation_section(cx, file, section, shape, is_read);
        }
    }
}

/// Reports a relocation whose symbol is not in the table.
pub fn relocation_symbol(
    cx: &Context<'_>,
    section: &Section,
    index: u64,
    entry: Span,
    symbol: u64,
) {
    let name = &section.name;
    cx.report(
        &rules::ELF_RELOCATION_SYMBOL,
        entry,
        format_args!("{name}: relocation {index}: symbol index {symbol} out of range"),
    );
}

fn relocation_section(
    cx: &Context<'_>,
    file: &ElfFile,
    section: &Section,
    shape: Shape,
    is_read: bool,
) {
    let count = whole_entries(cx, section, shape.size());
    let name = &section.name;
    let table = file
        .section(section.link)
        .filter(|t| matches!(t.kind, SectionType::SHT_SYMTAB | SectionType::SHT_DYNSYM));
    // The dynamic linker's tables can apply to all sections: they need no symbols and no target.
    let linked = !file.dialect.is_relocatable(&file.header);
    let types = file.dialect.relocation_types();
    if file.symbol_table().is_none() && count > 0 && !linked {
        cx.report(
            &rules::ELF_RELOCATION_WITHOUT_SYMBOLS,
            section.header,
            format_args!(
                "{name} has {}, but the file has no symbol table",
                plural(count, "relocation")
            ),
        );
    } else if table.is_none() && !linked {
        cx.report(
            &rules::ELF_BAD_LINK,
            section.header,
            format_args!(
                "{name}: sh_link is {}, which is not a symbol table",
                section.link
            ),
        );
    }
    let target = file.section(section.info).filter(|t| t.index != 0);
    if target.is_none() && !linked {
        cx.report(
            &rules::ELF_BAD_INFO,
            section.header,
            format_args!(
                "{name}: sh_info is {}, which is not a section",
                section.info
            ),
        );
    }
    if !cx.may_walk(section.bytes) || is_read {
        return;
    }
    let symbols = table.map(|t| t.bytes.len() / Symbol::size(file.class));
    for index in 0..count {
        let span = section.bytes.subspan(index * shape.size(), shape.size());
        let window = Window::clamped(cx.sources, span);
        let Some(relocation) = shape.read(&window) else {
            return;
        };
        if symbols.is_some_and(|n| relocation.symbol >= n) {
            relocation_symbol(cx, section, index, span, relocation.symbol);
        }
        if let Some(rule) = types.unknown
            && known_name(types.known, relocation.kind.into()).is_none()
        {
            cx.report(
                rule,
                span,
                format_args!(
                    "{name}: relocation {index}: unknown type {}",
                    relocation.kind
                ),
            );
        }
        let width = (types.width)(relocation.kind);
        let end = relocation.offset.checked_add(width);
        let size = target.filter(|_| !linked).and_then(|t| file.plain_size(t));
        if width > 0 && size.is_some_and(|size| end.is_none_or(|end| end > size)) {
            cx.report(
                &rules::ELF_RELOCATION_OFFSET,
                span,
                format_args!(
                    "{name}: relocation {index}: offset {:#x} out of range",
                    relocation.offset
                ),
            );
        }
    }
}
