//! An ELF file after its section headers are read: its sections and their names.

use std::collections::HashMap;
use std::rc::Rc;

use super::class::Class;
use super::compressed::Packed;
use super::dialect::Dialect;
use super::header::Header;
use super::relocation::Relocation;
use super::section::{Section, SectionType};
use super::string_table::StringTable;
use super::symbol::SectionIndex;
use crate::limits;
use crate::names::known_name;
use crate::reader::Endian;
use zeview_core::model::{Span, Str};

/// An ELF file's sections and their names.
#[derive(Debug)]
pub struct ElfFile {
    /// All bytes of the file; offsets count from their start.
    pub span: Span,
    /// Its class.
    pub class: Class,
    /// Its byte order.
    pub endian: Endian,
    /// Its header.
    pub header: Header,
    /// Its sections, by index.
    pub sections: Vec<Section>,
    /// Its dialect.
    pub dialect: Rc<dyn Dialect>,
    /// The index of the section with the names of the sections.
    pub names: u64,
    /// The string tables for name lookups, by section index.
    pub(super) strings: HashMap<u64, StringTable>,
    /// The index of the symbol table: the first section of that type.
    pub(super) symbol_table: Option<u64>,
    /// The compressed sections, by index.
    pub(crate) packed: Vec<Packed>,
    /// The functions and entries of the symbol table, by section.
    pub symbols: Vec<SymbolRef>,
}

/// A code symbol, for finding the symbols of a section.
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
    /// Whether it is a function: a kernel's own symbol, not its `_entry`.
    pub function: bool,
    /// The offset of its name in the linked string table.
    pub name: u64,
}

impl ElfFile {
    /// The section with that index. Returns `None` if there is none.
    pub fn section(&self, index: u64) -> Option<&Section> {
        self.sections.get(usize::try_from(index).ok()?)
    }

    /// The first section with that name. Returns `None` if there is none.
    pub fn section_named(&self, name: &str) -> Option<&Section> {
        self.sections.iter().find(|s| s.name == name)
    }

    /// A compressed section. Returns `None` if the section is not compressed.
    pub fn packed(&self, index: u64) -> Option<&Packed> {
        let at = self.packed.binary_search_by_key(&index, |p| p.index);
        self.packed.get(at.ok()?)
    }

    /// The uncompressed size of a section. Returns `None` if it could not be decompressed.
    pub(super) fn plain_size(&self, section: &Section) -> Option<u64> {
        match self.packed(section.index) {
            Some(packed) => packed.plain.as_ref().map(|plain| plain.size),
            None => Some(section.size),
        }
    }

    /// The debug section with that name, uncompressed. Returns `None` if there is none, or if it
    /// could not be decompressed.
    pub fn debug_section(&self, name: &str) -> Option<&Section> {
        let plain = self.packed.iter().filter_map(|p| p.plain.as_ref());
        let mut plain = plain.filter(|s| s.name == name);
        let as_it_is = || {
            let section = self.section_named(name)?;
            self.packed(section.index).is_none().then_some(section)
        };
        plain.next().or_else(as_it_is)
    }

    /// The name of the section with that index; empty if there is none.
    pub fn section_name(&self, index: u64) -> &str {
        self.section(index).map_or("", |s| &s.name)
    }

    /// Returns whether the section headers are cut off, so that the sections are unknown.
    pub fn is_truncated(&self) -> bool {
        self.header.e_shnum > 0 && self.header.e_shoff >= self.span.len()
    }

    /// The bytes of a section's name. Returns `None` if it is outside the string table.
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

    /// The bytes of the name at `offset` of the string table in section `table`. Returns `None` if
    /// the offset is outside the table.
    pub fn name_span_in(&self, table: u64, offset: u64) -> Option<Span> {
        self.strings.get(&table)?.span_of(offset)
    }

    /// The symbol table: the first section of that type. Returns `None` if there is none.
    pub fn symbol_table(&self) -> Option<&Section> {
        self.section(self.symbol_table?)
    }

    /// The code symbols in a section.
    pub fn symbols_of(&self, section: u64) -> &[SymbolRef] {
        let from = self.symbols.partition_point(|s| s.section < section);
        let to = self.symbols.partition_point(|s| s.section <= section);
        self.symbols.get(from..to).unwrap_or(&[])
    }

    /// Describes a location: `.text.vecadd + 0x40`.
    pub fn place(&self, section: u64, value: u64) -> String {
        // 1 is not reserved, so it has no name.
        let reserved = SectionIndex(u16::try_from(section).unwrap_or(1)).name();
        match (self.section(section), reserved) {
            (_, Some("SHN_UNDEF")) => "undefined".to_owned(),
            (Some(section), _) if value == 0 => section.label(),
            (Some(section), _) => format!("{} + {value:#x}", section.label()),
            (None, Some(name)) => format!("{name} {value:#x}"),
            (None, None) => format!("section {section} {value:#x}"),
        }
    }

    /// The name of a relocation type, or its number if it has no name.
    pub fn relocation_type(&self, kind: u32) -> Str {
        match known_name(self.dialect.relocation_types().known, kind.into()) {
            Some(name) => name.into(),
            None => format!("type {kind}").into(),
        }
    }

    /// The bytes of a section that a relocation patches.
    pub fn patched(&self, section: &Section, relocation: &Relocation) -> Span {
        let width = (self.dialect.relocation_types().width)(relocation.kind);
        section.bytes.subspan(relocation.offset, width)
    }

    /// Returns whether the section's `sh_info` is the index of another one.
    pub fn info_is_section(&self, section: &Section) -> bool {
        matches!(section.kind, SectionType::SHT_REL | SectionType::SHT_RELA)
    }
}
