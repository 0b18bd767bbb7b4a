//! Symbols. gABI, "Symbol Table"; zebin ELF, "ZE symbols".

use std::ops::Range;
use std::rc::Rc;

use super::class::Class;
use super::file::ElfFile;
use crate::names::{Decimal, Hex, Present, push_bits};
use crate::reader::{Endian, Window};
use crate::record::Field;
use crate::table::{self, Entries};
use crate::{bit_fields, layout, open_enum};
use zeview_core::model::{Node, NodeKind, Rows, Span, Value};

open_enum! {
    /// The upper half of `st_info`. gABI, "Symbol Binding".
    pub struct SymbolBinding(u8) {
        /// Not visible outside of this file.
        STB_LOCAL = 0,
        /// Visible to all files.
        STB_GLOBAL = 1,
        /// Like global, with lower precedence.
        STB_WEAK = 2,
    }
}

open_enum! {
    /// The lower half of `st_info`. gABI, "Symbol Types".
    pub struct SymbolType(u8) {
        /// Not specified; the type of `_entry` and of undefined symbols.
        STT_NOTYPE = 0,
        /// Data.
        STT_OBJECT = 1,
        /// Code: a kernel or function.
        STT_FUNC = 2,
        /// A section.
        STT_SECTION = 3,
        /// The source file.
        STT_FILE = 4,
        /// Uninitialized common data.
        STT_COMMON = 5,
        /// Thread-local storage.
        STT_TLS = 6,
    }
}

open_enum! {
    /// The lowest bits of `st_other`. gABI, "Symbol Visibility".
    pub struct SymbolVisibility(u8) {
        /// As specified by the binding.
        STV_DEFAULT = 0,
        /// Reserved.
        STV_INTERNAL = 1,
        /// Not visible to other components.
        STV_HIDDEN = 2,
        /// Visible, but not preemptible.
        STV_PROTECTED = 3,
    }
}

open_enum! {
    /// Reserved section indices. gABI, "Special Section Indexes".
    pub struct SectionIndex(u16) {
        /// Undefined in this file.
        SHN_UNDEF = 0,
        /// An absolute value.
        SHN_ABS = 0xfff1,
        /// Common data.
        SHN_COMMON = 0xfff2,
        /// The index is in the SHT_SYMTAB_SHNDX section.
        SHN_XINDEX = 0xffff,
    }
}

bit_fields! {
    /// `st_info`.
    pub struct SymbolInfo(u64): "gABI, Symbol Table" {
        /// The type of the symbol.
        type as kind: SymbolType = 0..4,
        /// The binding.
        binding as binding: SymbolBinding = 4..8,
    }
}

bit_fields! {
    /// `st_other`.
    pub struct SymbolOther(u64): "gABI, Symbol Table" {
        /// The visibility.
        visibility as visibility: SymbolVisibility = 0..2,
        /// Unused.
        reserved as reserved: Hex = 2..8,
    }
}

layout! {
    /// A symbol.
    pub struct Symbol: "gABI, Symbol Table" = goblin::elf32::sym::Sym | goblin::elf64::sym::Sym {
        /// The offset of its name in the linked string table.
        st_name as Hex,
        /// Its type and binding.
        st_info as Hex,
        /// Its visibility.
        st_other as Hex,
        /// The index of its section.
        st_shndx as SectionIndex,
        /// Its value: in a zebin the offset in its section.
        st_value as Hex,
        /// Its size in bytes.
        st_size as Decimal,
    }
}

impl Symbol {
    /// The symbol's type: the lower half of `st_info`.
    pub fn kind(&self) -> SymbolType {
        SymbolType(u8::try_from(SymbolInfo(self.st_info).kind()).unwrap_or(0))
    }

    /// The symbol's binding: the upper half of `st_info`.
    pub fn binding(&self) -> SymbolBinding {
        SymbolBinding(u8::try_from(SymbolInfo(self.st_info).binding()).unwrap_or(0))
    }

    /// The symbol's visibility: the lowest bits of `st_other`.
    pub fn visibility(&self) -> SymbolVisibility {
        SymbolVisibility(u8::try_from(SymbolOther(self.st_other).visibility()).unwrap_or(0))
    }
}

/// The symbols of a section as the entries of a table.
#[derive(Debug)]
pub struct Symbols {
    /// The file's class.
    pub class: Class,
    /// The file's order of bytes.
    pub endian: Endian,
    /// The file.
    pub file: Rc<ElfFile>,
    /// The section with the names.
    pub names: u64,
}

const INFO: u8 = 1;
const OTHER: u8 = 2;

impl Entries for Symbols {
    fn size(&self) -> u64 {
        Symbol::size(self.class)
    }

    fn node(&self, index: u64, entry: &Window, out: &mut Rows<'_>) -> Node {
        let Ok(symbol) = Symbol::read(&mut entry.reader(self.endian), self.class) else {
            return Node::gap("symbol", entry.span());
        };
        let name = self.file.name_in(self.names, symbol.st_name);
        let node = Node::new(NodeKind::Item, name, entry.span())
            .indexed()
            .children(out.me, index, Some(Symbol::COUNT));
        let words = [
            SymbolBinding::present(symbol.binding().0.into(), 4),
            SymbolType::present(symbol.kind().0.into(), 4),
        ];
        let mut summary = String::new();
        for word in words {
            let text = match word {
                Value::Unsigned {
                    symbol: Some(name), ..
                } => name.get(4..).unwrap_or(&name).to_owned(),
                other => zeview_core::model::text::value_text(&other),
            };
            summary.push_str(&text);
            summary.push(' ');
        }
        summary.push_str(&self.file.place(symbol.st_shndx, symbol.st_value));
        if symbol.st_size > 0 {
            summary.push_str(&format!(", {} bytes", symbol.st_size));
        }
        let node = node.summary(summary);
        match self.target(&symbol) {
            Some((to, section)) => node.xref("defines", section, to),
            None => node,
        }
    }

    fn count(&self, part: u8) -> u64 {
        match part {
            INFO => SymbolInfo::FIELDS.len() as u64,
            OTHER => SymbolOther::FIELDS.len() as u64,
            _ => Symbol::COUNT,
        }
    }

    fn fields(&self, index: u64, part: u8, entry: &Window, range: Range<u64>, out: &mut Rows<'_>) {
        let Ok(symbol) = Symbol::read(&mut entry.reader(self.endian), self.class) else {
            return;
        };
        match part {
            INFO => push_bits(
                SymbolInfo::FIELDS,
                symbol.st_info,
                symbol.span_of(Symbol::st_info),
                range,
                out,
            ),
            OTHER => push_bits(
                SymbolOther::FIELDS,
                symbol.st_other,
                symbol.span_of(Symbol::st_other),
                range,
                out,
            ),
            _ => {
                for (field, node) in symbol.rows(range) {
                    let node = self.refine(node, field, index, &symbol, out);
                    out.push(node);
                }
            }
        }
    }
}

impl Symbols {
    fn refine(
        &self,
        node: Node,
        field: Field<Symbol>,
        index: u64,
        symbol: &Symbol,
        out: &Rows<'_>,
    ) -> Node {
        match field {
            Symbol::st_name => {
                let name = self.file.name_in(self.names, symbol.st_name);
                let node = node.summary(format!("{name:?}"));
                match self.file.name_span_in(self.names, symbol.st_name) {
                    Some(span) => node.xref("name", name, span),
                    None => node,
                }
            }
            Symbol::st_info => {
                let text = |v: Value| zeview_core::model::text::value_text(&v);
                let summary = format!(
                    "{} {}",
                    text(SymbolBinding::present(symbol.binding().0.into(), 4)),
                    text(SymbolType::present(symbol.kind().0.into(), 4))
                );
                node.summary(summary).children(
                    out.me,
                    table::part(index, INFO),
                    Some(SymbolInfo::FIELDS.len() as u64),
                )
            }
            Symbol::st_other => {
                let visibility = SymbolVisibility::present(symbol.visibility().0.into(), 2);
                node.summary(zeview_core::model::text::value_text(&visibility))
                    .children(
                        out.me,
                        table::part(index, OTHER),
                        Some(SymbolOther::FIELDS.len() as u64),
                    )
            }
            Symbol::st_shndx => match self.file.section(symbol.st_shndx) {
                Some(section) if symbol.st_shndx != 0 => {
                    node.summary(section.label())
                        .xref("section", section.label(), section.place())
                }
                _ => node,
            },
            _ => node,
        }
    }

    fn target(&self, symbol: &Symbol) -> Option<(Span, String)> {
        let section = self.file.section(symbol.st_shndx)?;
        if symbol.st_shndx == 0 || section.bytes.is_empty() {
            return None;
        }
        // In a debug zebin values are addresses.
        let offset = symbol.st_value.checked_sub(section.addr)?;
        let to = section.bytes.subspan(offset, symbol.st_size);
        Some((to, section.label()))
    }
}
