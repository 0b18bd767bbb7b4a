//! Relocations. gABI, "Relocation"; their types are the [dialect](super::dialect::Dialect)'s.

use std::ops::Range;
use std::rc::Rc;

use super::class::Class;
use super::file::ElfFile;
use super::section::{Section, SectionType};
use super::symbol::Symbol;
use crate::layout;
use crate::names::{Decimal, Hex, known_name};
use crate::reader::{Endian, Reader, Window};
use crate::table::{self, Entries};
use zeview_core::model::{Doc, Node, NodeKind, Rows, Span, Value};

layout! {
    /// A relocation without an addend.
    pub struct Rel: "gABI, Relocation" = goblin::elf32::reloc::Rel | goblin::elf64::reloc::Rel {
        /// The offset of the bytes to patch, in the section that sh_info names.
        r_offset as Hex,
        /// The index of the symbol, and the type.
        r_info as Hex,
    }
}

layout! {
    /// A relocation with an addend.
    pub struct Rela: "gABI, Relocation" = goblin::elf32::reloc::Rela | goblin::elf64::reloc::Rela {
        /// The offset of the bytes to patch, in the section that sh_info names.
        r_offset as Hex,
        /// The index of the symbol, and the type.
        r_info as Hex,
        /// The constant to add to the symbol's address.
        r_addend as Decimal,
    }
}

/// A relocation, with or without addend.
#[derive(Debug, Clone, Copy)]
pub struct Relocation {
    /// Its bytes.
    pub origin: Span,
    /// The offset of the bytes to patch.
    pub offset: u64,
    /// The index of its symbol.
    pub symbol: u64,
    /// Its type, defined by the machine.
    pub kind: u32,
    /// The addend; `None` in a table without addends.
    pub addend: Option<i64>,
    fields: Fields,
}

#[derive(Debug, Clone, Copy)]
enum Fields {
    Rel(Rel),
    Rela(Rela),
}

/// The entry format of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// The file's class.
    pub class: Class,
    /// The file's byte order.
    pub endian: Endian,
    /// Whether entries have an addend: SHT_RELA.
    pub addend: bool,
}

impl Shape {
    /// The format of a section's entries. Returns `None` if it is not a relocation section.
    pub fn of(file: &ElfFile, section: &Section) -> Option<Self> {
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

    /// The size of an entry in bytes.
    pub fn size(self) -> u64 {
        if self.addend {
            Rela::size(self.class)
        } else {
            Rel::size(self.class)
        }
    }

    /// Reads the entry at the window's start. Returns `None` if it is truncated.
    pub fn read(self, entry: &Window) -> Option<Relocation> {
        self.next(&mut entry.reader(self.endian))
    }

    /// Reads the next entry.
    pub fn next(self, reader: &mut Reader<'_>) -> Option<Relocation> {
        let (fields, origin, offset, info, addend) = if self.addend {
            let r = Rela::read(reader, self.class).ok()?;
            (
                Fields::Rela(r),
                r.origin,
                r.r_offset,
                r.r_info,
                Some(r.r_addend),
            )
        } else {
            let r = Rel::read(reader, self.class).ok()?;
            (Fields::Rel(r), r.origin, r.r_offset, r.r_info, None)
        };
        let (symbol, kind) = match self.class {
            Class::Elf32 => (info >> 8, info & 0xff),
            Class::Elf64 => (info >> 32, info & 0xffff_ffff),
        };
        Some(Relocation {
            origin,
            offset,
            symbol,
            kind: u32::try_from(kind).unwrap_or(u32::MAX),
            addend: addend.map(|a| self.signed(a)),
            fields,
        })
    }

    fn signed(self, raw: u64) -> i64 {
        match self.class {
            Class::Elf32 => i64::from(u32::try_from(raw).unwrap_or(0).cast_signed()),
            Class::Elf64 => raw.cast_signed(),
        }
    }

    /// Number of bits of the type in `r_info`; the symbol's index is in the bits above.
    fn type_bits(self) -> u8 {
        match self.class {
            Class::Elf32 => 8,
            Class::Elf64 => 32,
        }
    }
}

/// The relocations of a section as the entries of a table.
#[derive(Debug)]
pub struct Relocations {
    /// The entry format.
    pub shape: Shape,
    /// The file.
    pub file: Rc<ElfFile>,
    /// The section with the symbols.
    pub symbols: u64,
    /// The section to patch.
    pub target: u64,
}

const INFO: u8 = 1;

const SYMBOL_DOC: Doc = Doc::new("The index of the symbol.", "gABI, Relocation");

impl Entries for Relocations {
    fn size(&self) -> u64 {
        self.shape.size()
    }

    fn node(&self, index: u64, entry: &Window, out: &mut Rows<'_>) -> Node {
        let Some(relocation) = self.shape.read(entry) else {
            return Node::gap("relocation", entry.span());
        };
        let (name, defined) = self.symbol(&relocation, out);
        let kind = self.file.relocation_type(relocation.kind);
        let mut summary = format!("{kind} at {:#x}", relocation.offset);
        match relocation.addend {
            Some(addend) if addend < 0 => summary.push_str(&format!(", addend {addend}")),
            Some(addend) if addend > 0 => summary.push_str(&format!(", addend {addend:#x}")),
            _ => {}
        }
        let mut node = Node::new(NodeKind::Item, name.clone(), entry.span())
            .indexed()
            .summary(summary)
            .children(out.me, index, Some(self.count(0)));
        if let Some((patched, section)) = self.patched(&relocation) {
            node = node.xref("patches", section, patched);
        }
        match defined {
            Some(to) => node.xref("symbol", name, to),
            None => node,
        }
    }

    fn count(&self, part: u8) -> u64 {
        if part == INFO || !self.shape.addend {
            2
        } else {
            3
        }
    }

    fn fields(&self, index: u64, part: u8, entry: &Window, range: Range<u64>, out: &mut Rows<'_>) {
        let Some(relocation) = self.shape.read(entry) else {
            return;
        };
        if part == INFO {
            let info = match relocation.fields {
                Fields::Rel(r) => r.span_of(Rel::r_info),
                Fields::Rela(r) => r.span_of(Rela::r_info),
            };
            let rows = self.info_rows(&relocation, info, out);
            for (at, node) in (0..).zip(rows) {
                if range.contains(&at) {
                    out.push(node);
                }
            }
            return;
        }
        match relocation.fields {
            Fields::Rel(rel) => {
                for (field, node) in rel.rows(range) {
                    out.push(match field {
                        Rel::r_info => node.children(out.me, table::part(index, INFO), Some(2)),
                        _ => self.link_patched(node, &relocation),
                    });
                }
            }
            Fields::Rela(rela) => {
                for (field, mut node) in rela.rows(range) {
                    out.push(match field {
                        Rela::r_info => node.children(out.me, table::part(index, INFO), Some(2)),
                        Rela::r_addend => {
                            node.value = Value::Signed {
                                raw: relocation.addend.unwrap_or(0),
                                bits: self.shape.class.bits(),
                            };
                            node
                        }
                        _ => self.link_patched(node, &relocation),
                    });
                }
            }
        }
    }
}

impl Relocations {
    /// Links the row of `r_offset` to the patched bytes.
    fn link_patched(&self, node: Node, relocation: &Relocation) -> Node {
        match self.patched(relocation) {
            Some((to, section)) => node.xref("patches", section, to),
            None => node,
        }
    }

    fn info_rows(&self, relocation: &Relocation, word: Span, out: &Rows<'_>) -> [Node; 2] {
        let split = self.shape.type_bits();
        let (name, defined) = self.symbol(relocation, out);
        let types = self.file.dialect.relocation_types();
        let kind = Value::decimal(relocation.kind.into(), split);
        let kind = match known_name(types.known, relocation.kind.into()) {
            Some(name) => kind.named(name),
            None => kind,
        };
        let kind = Node::field("type", kind, word)
            .bits(0, split)
            .doc(&types.doc);
        // Its bits are 8 to 31 of a 32-bit file, and 32 to 63 of a 64-bit one.
        let symbol = Value::decimal(relocation.symbol, 64 - split);
        let symbol = Node::field("symbol", symbol, word)
            .summary(format!("{name:?}"))
            .doc(&SYMBOL_DOC)
            .bits(split, split * if split == 8 { 4 } else { 2 });
        match defined {
            Some(to) => [kind, symbol.xref("symbol", name, to)],
            None => [kind, symbol],
        }
    }

    /// The name of the relocation's symbol, and the bytes of its entry.
    fn symbol(&self, relocation: &Relocation, out: &Rows<'_>) -> (String, Option<Span>) {
        let unknown = (format!("symbol {}", relocation.symbol), None);
        let Some(table) = self.file.section(self.symbols) else {
            return unknown;
        };
        let size = Symbol::size(self.shape.class);
        let span = table
            .bytes
            .subspan(relocation.symbol.saturating_mul(size), size);
        let window = Window::clamped(out.sources, span);
        match Symbol::read(&mut window.reader(self.shape.endian), self.shape.class) {
            Ok(symbol) => (
                self.file.name_in(table.link, symbol.st_name),
                Some(symbol.origin),
            ),
            Err(_) => unknown,
        }
    }

    /// The patched bytes, and the name of their section. Returns `None` if they are outside the
    /// section.
    fn patched(&self, relocation: &Relocation) -> Option<(Span, String)> {
        let target = self.file.section(self.target)?;
        let to = self.file.patched(target, relocation);
        (!to.is_empty()).then(|| (to, target.label()))
    }
}
