//! Symbols. gABI, "Symbol Table"; zebin ELF, "ZE symbols".

use std::ops::Range;
use std::rc::Rc;

use super::{Class, ElfFile};
use crate::decode::names::{BitField, Dec, Hex, Present};
use crate::decode::reader::{Endian, Window};
use crate::decode::table::{self, Entries};
use crate::model::{Node, NodeKind, Rows, Span, Value};
use crate::{bit_fields, layout, open_enum};

open_enum! {
    /// The upper half of `st_info`. gABI, "Symbol Binding".
    pub struct SymbolBinding(u8) {
        /// Not visible outside of this file.
        STB_LOCAL = 0,
        /// Visible to all files.
        STB_GLOBAL = 1,
        /// As global, with lower precedence.
        STB_WEAK = 2,
    }
}

open_enum! {
    /// The lower half of `st_info`. gABI, "Symbol Types".
    pub struct SymbolType(u8) {
        /// Not said; `_entry` and undefined symbols have it.
        STT_NOTYPE = 0,
        /// Data.
        STT_OBJECT = 1,
        /// Code: a kernel or function.
        STT_FUNC = 2,
        /// A section.
        STT_SECTION = 3,
        /// The source file.
        STT_FILE = 4,
        /// Uninitialised common data.
        STT_COMMON = 5,
        /// Storage of each thread.
        STT_TLS = 6,
    }
}

open_enum! {
    /// The lowest bits of `st_other`. gABI, "Symbol Visibility".
    pub struct SymbolVisibility(u8) {
        /// As the binding says.
        STV_DEFAULT = 0,
        /// Reserved.
        STV_INTERNAL = 1,
        /// Not visible to other components.
        STV_HIDDEN = 2,
        /// Visible, but not preemptable.
        STV_PROTECTED = 3,
    }
}

open_enum! {
    /// Reserved section indices. gABI, "Special Section Indexes".
    pub struct SectionIndex(u16) {
        /// Undefined: defined somewhere else.
        SHN_UNDEF = 0,
        /// An absolute value.
        SHN_ABS = 0xfff1,
        /// Common data.
        SHN_COMMON = 0xfff2,
        /// The index stands in the SHT_SYMTAB_SHNDX section.
        SHN_XINDEX = 0xffff,
    }
}

bit_fields! {
    /// `st_info`.
    pub const ST_INFO: "gABI, Symbol Table" {
        /// What the symbol stands for.
        type: SymbolType = 0..4,
        /// How it is linked.
        binding: SymbolBinding = 4..8,
    }
}

bit_fields! {
    /// `st_other`.
    pub const ST_OTHER: "gABI, Symbol Table" {
        /// Who can see it.
        visibility: SymbolVisibility = 0..2,
        /// Of no meaning.
        reserved: Hex = 2..8,
    }
}

layout! {
    /// A symbol.
    pub struct Symbol: "gABI, Symbol Table" = goblin::elf32::sym::Sym | goblin::elf64::sym::Sym {
        /// Where its name starts in the linked string table.
        st_name as Hex,
        /// Its type and binding.
        st_info as Hex,
        /// Its visibility.
        st_other as Hex,
        /// The index of the section where it lives.
        st_shndx as SectionIndex,
        /// Its value: in a zebin the offset in its section.
        st_value as Hex,
        /// Its size in bytes.
        st_size as Dec,
    }
}

impl Symbol {
    /// The lower half of `st_info`.
    pub fn kind(&self) -> SymbolType {
        SymbolType(u8::try_from(self.st_info & 15).unwrap_or(0))
    }

    /// The upper half of `st_info`.
    pub fn binding(&self) -> SymbolBinding {
        SymbolBinding(u8::try_from((self.st_info >> 4) & 15).unwrap_or(0))
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
                other => crate::model::text::value_text(&other),
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
            INFO => ST_INFO.len() as u64,
            OTHER => ST_OTHER.len() as u64,
            _ => Symbol::COUNT,
        }
    }

    fn fields(&self, index: u64, part: u8, entry: &Window, range: Range<u64>, out: &mut Rows<'_>) {
        let Ok(symbol) = Symbol::read(&mut entry.reader(self.endian), self.class) else {
            return;
        };
        match part {
            INFO => push_bits(
                ST_INFO,
                symbol.st_info,
                symbol.span_of("st_info"),
                range,
                out,
            ),
            OTHER => push_bits(
                ST_OTHER,
                symbol.st_other,
                symbol.span_of("st_other"),
                range,
                out,
            ),
            _ => {
                let mut specs: Vec<_> = symbol.fields.iter().collect();
                specs.sort_by_key(|s| s.offset);
                let skip = usize::try_from(range.start).unwrap_or(usize::MAX);
                let take = usize::try_from(range.end - range.start).unwrap_or(0);
                for spec in specs.into_iter().skip(skip).take(take) {
                    let node = spec.row(symbol.raw(spec.name), symbol.origin);
                    out.push(self.refine(node, spec.name, index, &symbol, out));
                }
            }
        }
    }
}

/// Pushes the bit fields `range` of a word.
pub fn push_bits(
    fields: &'static [BitField],
    raw: u64,
    word: Span,
    range: Range<u64>,
    out: &mut Rows<'_>,
) {
    let skip = usize::try_from(range.start).unwrap_or(usize::MAX);
    let take = usize::try_from(range.end.saturating_sub(range.start)).unwrap_or(0);
    for field in fields.iter().skip(skip).take(take) {
        out.push(field.row(raw, word));
    }
}

impl Symbols {
    fn refine(&self, node: Node, field: &str, index: u64, symbol: &Symbol, out: &Rows<'_>) -> Node {
        match field {
            "st_name" => {
                let name = self.file.name_in(self.names, symbol.st_name);
                let node = node.summary(format!("{name:?}"));
                match self.file.name_span_in(self.names, symbol.st_name) {
                    Some(span) => node.xref("name", name, span),
                    None => node,
                }
            }
            "st_info" => {
                let text = |v: Value| crate::model::text::value_text(&v);
                let summary = format!(
                    "{} {}",
                    text(SymbolBinding::present(symbol.binding().0.into(), 4)),
                    text(SymbolType::present(symbol.kind().0.into(), 4))
                );
                node.summary(summary).children(
                    out.me,
                    table::part(index, INFO),
                    Some(ST_INFO.len() as u64),
                )
            }
            "st_other" => {
                let visibility = SymbolVisibility::present(symbol.st_other & 3, 2);
                node.summary(crate::model::text::value_text(&visibility))
                    .children(
                        out.me,
                        table::part(index, OTHER),
                        Some(ST_OTHER.len() as u64),
                    )
            }
            "st_shndx" => match self.file.section(symbol.st_shndx) {
                Some(section) if symbol.st_shndx != 0 => {
                    let to = if section.bytes.is_empty() {
                        section.header
                    } else {
                        section.bytes
                    };
                    node.summary(section.name.clone())
                        .xref("section", section.name.clone(), to)
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
        let to = section.bytes.sub(offset, symbol.st_size);
        Some((to, section.name.clone()))
    }
}
