//! Memory image of a host's ELF file: segments and dynamic relocations. Without section headers,
//! the dynamic section locates the relocations.

use std::cell::RefCell;

use crate::context::Context;
use crate::elf::check;
use crate::elf::class::Class;
use crate::elf::file::ElfFile;
use crate::elf::header::{FileType, Machine};
use crate::elf::header_tables::HeaderTable;
use crate::elf::section::{Section, SectionFlags, SectionType};
use crate::elf::segment::{ProgramHeader, SegmentFlags, SegmentType};
use crate::elf::symbol::Symbol;
use crate::host::memory::{IN_PLACE, Memory, Relocation, Segment};
use crate::host::{Host, index};
use crate::limits;
use crate::reader::{Endian, Window, uint};
use zeview_core::model::Span;

/// The images of a host's file, if it has any, and the relocation tables that were read, with their
/// symbols checked.
pub(super) fn find(
    cx: &Context<'_>,
    file: &ElfFile,
    table: Option<HeaderTable>,
) -> (Option<Host>, Vec<Span>) {
    if file.endian != Endian::Little || file.dialect.is_loadable(&file.header) {
        return (None, Vec::new());
    }
    let named = file.sections.iter();
    let mut named = named.map(|section| section.name.as_str());
    let may_have = named.any(|name| name == ".tgtimg" || index::is_device_section(name));
    // Without section headers, only the index itself locates the images.
    let kind = FileType(u16::try_from(file.header.e_type).unwrap_or(0));
    let is_program = matches!(kind, FileType::ET_EXEC | FileType::ET_DYN);
    if !(may_have || file.sections.is_empty() && is_program) {
        return (None, Vec::new());
    }
    let reader = Reader {
        cx,
        file,
        is_wide: file.class == Class::Elf64,
        checked: RefCell::default(),
    };
    let headers = reader.program_headers(table);
    let dynamic = reader.dynamic(&headers);
    let memory = reader.memory(&headers, &dynamic);
    (Host::find(cx, memory), reader.checked.into_inner())
}

struct Reader<'a, 'b> {
    cx: &'a Context<'b>,
    file: &'a ElfFile,
    is_wide: bool,
    /// The tables whose symbols were checked.
    checked: RefCell<Vec<Span>>,
}

/// The entry format of a relocation table.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Table {
    Rel,
    Rela,
    Relr,
}

/// Tags of the dynamic section. gABI, "Dynamic Section".
mod tag {
    pub const SYMTAB: u64 = 6;
    pub const RELA: u64 = 7;
    pub const RELASZ: u64 = 8;
    pub const REL: u64 = 17;
    pub const RELSZ: u64 = 18;
    pub const RELRSZ: u64 = 35;
    pub const RELR: u64 = 36;
}

impl Reader<'_, '_> {
    fn program_headers(&self, table: Option<HeaderTable>) -> Vec<ProgramHeader> {
        let Some(table) = table else {
            return Vec::new();
        };
        let size = ProgramHeader::size(self.file.class);
        let count = table.span.len() / table.stride.max(1);
        let headers = (0..count).filter_map(|index| {
            let span = table.span.subspan(index * table.stride, size);
            let window = Window::clamped(self.cx.sources, span);
            ProgramHeader::read(&mut window.reader(self.file.endian), self.file.class).ok()
        });
        headers.collect()
    }

    fn bytes(&self, header: &ProgramHeader) -> Span {
        self.file.span.subspan(header.p_offset, header.p_filesz)
    }

    fn is_kind(header: &ProgramHeader, kind: SegmentType) -> bool {
        header.p_type == u64::from(kind.0)
    }

    /// The entries of the dynamic section.
    fn dynamic(&self, headers: &[ProgramHeader]) -> Vec<(u64, u64)> {
        let mut dynamic = headers.iter();
        let dynamic = dynamic.find(|header| Self::is_kind(header, SegmentType::PT_DYNAMIC));
        let Some(bytes) = dynamic.map(|header| self.bytes(header)) else {
            return Vec::new();
        };
        let window = Window::clamped(self.cx.sources, bytes.subspan(0, 1 << 16));
        let word = self.word();
        let entries = window.bytes().chunks_exact(word * 2);
        let entries = entries.map(|entry| {
            let (tag, value) = entry.split_at(word);
            (uint(tag, Endian::Little), uint(value, Endian::Little))
        });
        entries.take_while(|(tag, _)| *tag != 0).collect()
    }

    fn word(&self) -> usize {
        if self.is_wide { 8 } else { 4 }
    }

    /// The bytes at an address of a segment.
    fn at(&self, headers: &[ProgramHeader], address: u64) -> Option<Span> {
        let mut loaded = headers
            .iter()
            .filter(|header| Self::is_kind(header, SegmentType::PT_LOAD));
        loaded.find_map(|header| {
            let offset = address.checked_sub(header.p_vaddr)?;
            let bytes = self.bytes(header);
            (offset < bytes.len()).then(|| bytes.skip(offset))
        })
    }

    /// The bytes of a table of the dynamic section.
    fn dynamic_table(
        &self,
        headers: &[ProgramHeader],
        dynamic: &[(u64, u64)],
        (address, size): (u64, u64),
    ) -> Option<Span> {
        let value = |tag: u64| dynamic.iter().find(|entry| entry.0 == tag).map(|e| e.1);
        let bytes = self.at(headers, value(address)?)?;
        Some(bytes.subspan(0, value(size)?))
    }

    fn is_object(&self) -> bool {
        self.file.header.e_type == u64::from(FileType::ET_REL.0)
    }

    /// The memory of the file. An object's sections have no addresses yet; their offsets stand for
    /// them.
    fn memory(&self, headers: &[ProgramHeader], dynamic: &[(u64, u64)]) -> Memory {
        let file = self.file;
        let code = SegmentFlags::PF_X;
        let mut segments: Vec<Segment> = headers
            .iter()
            .filter(|header| Self::is_kind(header, SegmentType::PT_LOAD))
            .map(|header| Segment {
                address: header.p_vaddr,
                bytes: self.bytes(header),
                is_code: header.p_flags & code != 0,
            })
            .collect();
        let mut relocations = Vec::new();
        let mut entry_size = 0;
        if self.is_object() {
            segments = file
                .sections
                .iter()
                .filter(|section| {
                    section.flags & SectionFlags::ALLOC != 0 && !section.bytes.is_empty()
                })
                .map(|section| Segment {
                    address: section.bytes.start - file.span.start,
                    bytes: section.bytes,
                    is_code: section.flags & SectionFlags::EXECINSTR != 0,
                })
                .collect();
            for section in &file.sections {
                let table = match section.kind {
                    SectionType::SHT_RELA => Table::Rela,
                    SectionType::SHT_REL => Table::Rel,
                    _ => continue,
                };
                let symbols = file.section(section.link).map(|symbols| symbols.bytes);
                let base = file.section(section.info).map(|target| target.bytes.start);
                let base = base.unwrap_or(0).saturating_sub(file.span.start);
                self.read(table, section.bytes, symbols, base, &mut relocations);
                entry_size = self.size(table);
            }
        } else {
            let symbols = dynamic.iter().find(|entry| entry.0 == tag::SYMTAB);
            let symbols = symbols.and_then(|entry| self.at(headers, entry.1));
            let tables = [
                (Table::Rela, (tag::RELA, tag::RELASZ)),
                (Table::Rel, (tag::REL, tag::RELSZ)),
                (Table::Relr, (tag::RELR, tag::RELRSZ)),
            ];
            for (table, tags) in tables {
                if let Some(bytes) = self.dynamic_table(headers, dynamic, tags) {
                    let before = relocations.len();
                    self.read(table, bytes, symbols, 0, &mut relocations);
                    if relocations.len() > before {
                        entry_size = self.size(table);
                    }
                }
            }
        }
        let pointer = self.word() as u64;
        let cx = self.cx;
        let mut memory = Memory::new(cx, file.span, pointer, segments, relocations, entry_size);
        // The i386 ABI aligns 64-bit numbers to 4 bytes.
        if file.header.e_machine == u64::from(Machine::EM_386.0) {
            memory.align = 4;
        }
        memory.is_object = self.is_object();
        let sections = file.sections.iter();
        memory.sections = sections
            .filter(|section| !section.bytes.is_empty())
            .map(|section| (section.name.clone(), section.bytes))
            .collect();
        memory
    }

    fn size(&self, table: Table) -> u64 {
        let word = self.word() as u64;
        match table {
            Table::Rela => word * 3,
            Table::Rel => word * 2,
            Table::Relr => word,
        }
    }

    /// Reads a table of relocations whose offsets count from `base`.
    fn read(
        &self,
        table: Table,
        bytes: Span,
        symbols: Option<Span>,
        base: u64,
        out: &mut Vec<Relocation>,
    ) {
        // A multiple of the sizes of all entries (4, 8, 12, 16 and 24), so that none is cut.
        const PIECE: u64 = 24 << 12;
        let section = self.section_of(table, bytes);
        let size = self.size(table);
        let word = self.word();
        let limit = limits::host_relocations(self.file.span.len());
        let count = match table {
            Table::Relr => self.count_relr(bytes),
            _ => usize::try_from(bytes.len() / size).unwrap_or(usize::MAX),
        };
        // Tables are large, and most of their entries are kept.
        out.reserve_exact(count.min(limit.saturating_sub(out.len())));
        let mut at = 0;
        // The base address of RELR bitmaps.
        let mut next = 0u64;
        while at < bytes.len() {
            let window = Window::clamped(self.cx.sources, bytes.subspan(at, PIECE));
            let step = usize::try_from(size).unwrap_or(8);
            let mut entry = bytes.start + at;
            for record in window.bytes().chunks_exact(step) {
                if out.len() >= limit {
                    return;
                }
                let mut words = record.chunks_exact(word);
                let mut number = || uint(words.next().unwrap_or(&[]), Endian::Little);
                let first = number();
                if table == Table::Relr {
                    self.push_relr(first, &mut next, entry, limit, out);
                } else {
                    let info = number();
                    if let Some((section, count)) = section
                        && self.symbol_in(info).0 >= count
                    {
                        let span = Span::with_len(bytes.source, entry, size);
                        let index = (entry - bytes.start) / size;
                        let symbol = self.symbol_in(info).0;
                        check::relocation_symbol(self.cx, section, index, span, symbol);
                    }
                    let addend = (table == Table::Rela).then(&mut number);
                    let value = self.value(info, addend, symbols);
                    if let Some(value) = value {
                        out.push(Relocation {
                            at: base.saturating_add(first),
                            value,
                            entry,
                        });
                    }
                }
                entry += size;
            }
            at += PIECE;
        }
        self.checked.borrow_mut().extend(section.map(|_| bytes));
    }

    /// The section with this table, and its number of symbols. Returns `None` if its entries are
    /// checked elsewhere.
    fn section_of(&self, table: Table, bytes: Span) -> Option<(&Section, u64)> {
        let kind = match table {
            Table::Rela => SectionType::SHT_RELA,
            Table::Rel => SectionType::SHT_REL,
            Table::Relr => return None,
        };
        let mut sections = self.file.sections.iter();
        let section = sections.find(|s| s.kind == kind && s.bytes == bytes)?;
        let symbols = self.file.section(section.link)?;
        let is_table = matches!(
            symbols.kind,
            SectionType::SHT_SYMTAB | SectionType::SHT_DYNSYM
        );
        let is_all =
            bytes.len() / self.size(table) <= limits::host_relocations(self.file.span.len()) as u64;
        let count = symbols.bytes.len() / Symbol::size(self.file.class);
        (is_table && is_all && !self.is_object()).then_some((section, count))
    }

    /// The symbol and the type in `r_info`.
    fn symbol_in(&self, info: u64) -> (u64, u64) {
        if self.is_wide {
            (info >> 32, info & 0xffff_ffff)
        } else {
            (info >> 8, info & 0xff)
        }
    }

    /// The relocated value. Returns `None` if it is not an address in this file.
    fn value(&self, info: u64, addend: Option<u64>, symbols: Option<Span>) -> Option<u64> {
        let (symbol, kind) = self.symbol_in(info);
        let machine = u16::try_from(self.file.header.e_machine).unwrap_or(0);
        // R_*_RELATIVE, and R_AARCH64_ABS64, R_RISCV_64, R_X86_64_64 or R_386_32.
        let (relative, absolute) = match Machine(machine) {
            Machine::EM_AARCH64 => (1027, 257),
            Machine::EM_RISCV => (3, 2),
            _ => (8, 1),
        };
        if kind == relative {
            return Some(addend.unwrap_or(IN_PLACE));
        }
        if kind != absolute {
            return None;
        }
        let value = self.symbol(symbol, symbols?)?;
        Some(value.wrapping_add(addend.unwrap_or(0)))
    }

    /// The address of a symbol defined in the file.
    fn symbol(&self, index: u64, symbols: Span) -> Option<u64> {
        let (size, section, value) = if self.is_wide {
            (24, 6..8, 8..16)
        } else {
            (16, 14..16, 4..8)
        };
        let bytes = symbols.subspan(index.checked_mul(size)?, size);
        let window = Window::clamped(self.cx.sources, bytes);
        let section = uint(window.bytes().get(section)?, Endian::Little);
        let value = uint(window.bytes().get(value)?, Endian::Little);
        match (section, self.is_object()) {
            (0, _) => None,
            (_, false) => Some(value),
            (index, true) => {
                let section = self.file.section(index)?;
                let base = section.bytes.start.checked_sub(self.file.span.start)?;
                base.checked_add(value)
            }
        }
    }

    /// Number of relocations in a RELR table.
    fn count_relr(&self, bytes: Span) -> usize {
        const PIECE: u64 = 1 << 16;
        let mut count = 0_usize;
        for at in (0..bytes.len()).step_by(1 << 16) {
            let window = Window::clamped(self.cx.sources, bytes.subspan(at, PIECE));
            for word in window.bytes().chunks_exact(self.word()) {
                let word = uint(word, Endian::Little);
                // The lowest bit marks a bitmap and represents no word.
                let ones = if word & 1 == 0 {
                    1
                } else {
                    word.count_ones() - 1
                };
                count = count.saturating_add(usize::try_from(ones).unwrap_or(64));
            }
        }
        count
    }

    /// Decodes a word of RELR: an even one is an address, an odd one is a bitmap of the following
    /// words. gABI, Relative Relocation Table.
    fn push_relr(
        &self,
        word: u64,
        next: &mut u64,
        entry: u64,
        limit: usize,
        out: &mut Vec<Relocation>,
    ) {
        let size = self.word() as u64;
        let mut push = |at: u64| {
            if out.len() < limit {
                out.push(Relocation {
                    at,
                    value: IN_PLACE,
                    entry,
                });
            }
        };
        if word & 1 == 0 {
            push(word);
            *next = word.saturating_add(size);
            return;
        }
        for bit in 1..size * 8 {
            if word >> bit & 1 == 1 {
                push(next.saturating_add((bit - 1) * size));
            }
        }
        *next = next.saturating_add((size * 8 - 1) * size);
    }
}
