//! The ELF file as the driver reads it: compute-runtime, elf_decoder.cpp, decodeElf. The driver
//! always reads little endian, checks bounds with sums that can overflow, and uses indices and name
//! offsets without a check.

use std::ffi::CStr;

use super::findings::{Findings, Refused};
use super::image::{Image, Location, MemRange, READABLE_BEHIND_LIST, READABLE_NEAR_FILE};
use super::rules;
use crate::elf::Class;
use crate::elf::header::{FileType, Header};
use crate::elf::relocation::Shape;
use crate::elf::section::{SectionHeader, SectionType};
use crate::elf::segment::ProgramHeader;
use crate::elf::symbol::Symbol;
use crate::limits;
use crate::reader::{Endian, Window};
use zeview_core::model::{Bytes, Effect, Span};

/// A section.
#[derive(Debug, Clone, Copy)]
pub struct Section {
    /// Its header.
    pub header: Span,
    /// `sh_name`
    pub name: u32,
    /// `sh_type`
    pub kind: SectionType,
    /// Its bytes.
    pub data: MemRange,
    /// `sh_size`
    pub size: u64,
    /// `sh_info`
    pub info: u32,
    /// `sh_addralign`
    pub align: u64,
    entsize: u64,
}

/// A relocation, except those of debug data.
#[derive(Debug, Clone, Copy)]
pub struct Relocation {
    /// Its entry.
    pub entry: Span,
    /// The index of the section to patch.
    pub target: u32,
    /// The index of its symbol.
    pub symbol: u64,
    /// Its type.
    pub kind: u32,
    /// The offset to patch.
    pub offset: u64,
}

/// The work on a relocation. Counted twice: it is in memory in addition to the file and its rows.
const RELOCATION_STEPS: u64 = 2 * size_of::<Relocation>() as u64;

/// An ELF file.
pub struct Elf<'a> {
    /// Its bytes.
    pub image: Image<'a>,
    /// `e_machine`
    pub machine: u32,
    /// `e_flags`
    pub flags: u32,
    /// The sections.
    pub sections: Vec<Section>,
    /// The relocations, except those of debug data.
    pub relocations: Vec<Relocation>,
    /// The number of symbols.
    pub symbol_count: u64,
    class: Class,
    header: Header,
    names: Names,
    symbols: Window,
}

/// The names of sections and symbols, which the driver reads from the same table.
struct Names {
    bytes: Bytes,
    place: Span,
    start: u64,
    limit: u64,
    null: bool,
}

impl Names {
    /// Returns whether memory at an offset is readable.
    fn is_readable(&self, offset: u64) -> bool {
        !self.null
            && (offset < self.bytes.len() as u64 || self.start.wrapping_add(offset) < self.limit)
    }

    /// The text at an offset, up to [`limits::C_STRING`] bytes; empty if there is none.
    fn get(&self, offset: u64, findings: &mut Findings) -> Result<&[u8], Refused> {
        let at = usize::try_from(offset).unwrap_or(usize::MAX);
        let rest = self.bytes.get(at..).unwrap_or(&[]);
        let most = usize::try_from(limits::C_STRING).unwrap_or(usize::MAX);
        let rest = rest.get(..most).unwrap_or(rest);
        let text = CStr::from_bytes_until_nul(rest).map_or(rest, CStr::to_bytes);
        findings.spend(text.len() as u64 + 1, self.place)?;
        Ok(text)
    }
}

const LITTLE: Endian = Endian::Little;

/// The number of a field of at most 32 bits.
fn narrow(field: u64) -> u32 {
    u32::try_from(field).unwrap_or(u32::MAX)
}

impl<'a> Elf<'a> {
    /// Reads the container, up to the point where the driver reads its contents.
    pub fn decode(image: Image<'a>, findings: &mut Findings) -> Result<Elf<'a>, Refused> {
        let (class, header) = read_header(&image, findings)?;
        let none = Window::clamped(image.sources, image.span(0, 0));
        let mut elf = Elf {
            image,
            machine: narrow(header.e_machine),
            flags: narrow(header.e_flags),
            sections: Vec::new(),
            relocations: Vec::new(),
            symbol_count: 0,
            class,
            header,
            names: Names {
                bytes: Bytes::from(Vec::new()),
                place: header.span_of(Header::e_shstrndx),
                start: 0,
                limit: image.len().saturating_add(READABLE_NEAR_FILE),
                null: true,
            },
            symbols: none,
        };
        // In the order of decodeElf: the first error is the one that the driver reports.
        elf.check_tables(findings)?;
        elf.check_segments(findings)?;
        elf.read_sections(findings)?;
        elf.read_names(findings)?;
        elf.read_symbols(findings)?;
        elf.read_relocations(findings)?;
        // Only here: with relocations, the driver fails earlier, and files without reach this point
        // (observed).
        if header.e_shstrndx == 0 {
            let place = elf.shstrndx_span();
            return findings.refuse(&rules::NAME_TABLE_INDEX, place, "e_shstrndx is 0");
        }
        Ok(elf)
    }

    /// `phoff + phnum × phentsize` and `shoff + shnum × shentsize` must not exceed the size of the
    /// file; the driver's sums can overflow.
    fn check_tables(&self, findings: &mut Findings) -> Result<(), Refused> {
        let (header, len) = (&self.header, self.image.len());
        let program = header.e_phnum * header.e_phentsize;
        let section = header.e_shnum * header.e_shentsize;
        for (offset, size, field, noun) in [
            (header.e_phoff, program, Header::e_phoff, "program"),
            (header.e_shoff, section, Header::e_shoff, "section"),
        ] {
            let place = header.span_of(field);
            let end = self.sum(offset, size);
            if end > len {
                let message =
                    format_args!("the {noun} header table ends at {end:#x}, the file at {len:#x}");
                return findings.refuse(&rules::TABLE_OUT_OF_BOUNDS, place, message);
            }
            if offset > len && size > 0 {
                // The driver reads the entries before the file; observed: the first section header
                // is out of bounds, a program header crashes.
                let rule = match (noun, self.class) {
                    ("section", Class::Elf64) => &rules::TABLE_OUT_OF_BOUNDS,
                    _ => &rules::OVERFLOW_READ,
                };
                let message = format_args!("the {noun} header table at {offset:#x} overflows");
                return findings.refuse(rule, place, message);
            }
        }
        Ok(())
    }

    fn check_segments(&self, findings: &mut Findings) -> Result<(), Refused> {
        let (header, size) = (&self.header, ProgramHeader::size(self.class));
        for index in 0..header.e_phnum {
            let at = header.e_phoff.saturating_add(index * header.e_phentsize);
            let record = self.image.record(at, size);
            let Ok(segment) = ProgramHeader::read(&mut record.reader(LITTLE), self.class) else {
                break;
            };
            if self.sum(segment.p_offset, segment.p_filesz) > self.image.len() {
                let message = format_args!("segment {index} extends past the end of the file");
                let place = self.image.span(at, header.e_phentsize);
                return findings.refuse(&rules::DATA_OUT_OF_BOUNDS, place, message);
            }
        }
        Ok(())
    }

    fn read_sections(&mut self, findings: &mut Findings) -> Result<(), Refused> {
        let (header, len) = (self.header, self.image.len());
        let size = SectionHeader::size(self.class);
        for index in 0..header.e_shnum {
            let at = header.e_shoff.saturating_add(index * header.e_shentsize);
            let record = self.image.record(at, size);
            let Ok(fields) = SectionHeader::read(&mut record.reader(LITTLE), self.class) else {
                break;
            };
            let place = self.image.span(at, size);
            let kind = SectionType(narrow(fields.sh_type));
            let data = MemRange {
                start: fields.sh_offset,
                len: fields.sh_size,
                null: kind == SectionType::SHT_NOBITS,
            };
            if !data.null && self.sum(data.start, data.len) > len {
                let message = format_args!("section {index} extends past the end of the file");
                return findings.refuse(&rules::DATA_OUT_OF_BOUNDS, place, message);
            }
            // The sum passes the check above by wrapping. That only matters once somebody reads the
            // data.
            let end = data.start.checked_add(data.len);
            if !data.null && end.is_none_or(|end| end > len) {
                let message = format_args!("section {index}: sh_offset + sh_size overflows");
                findings.note(&rules::OVERFLOW, place, message);
            }
            self.sections.push(Section {
                header: place,
                name: narrow(fields.sh_name),
                kind,
                data,
                size: fields.sh_size,
                info: narrow(fields.sh_info),
                align: fields.sh_addralign,
                entsize: fields.sh_entsize,
            });
        }
        Ok(())
    }

    fn read_names(&mut self, findings: &mut Findings) -> Result<(), Refused> {
        let at = usize::try_from(self.header.e_shstrndx).ok();
        let table = at.and_then(|at| self.sections.get(at));
        // The driver has no address for a section without bytes.
        let Some(table) = table.filter(|t| !t.data.null && t.size > 0) else {
            return Ok(());
        };
        let (image, start) = (&self.image, table.data.start);
        let before = start.wrapping_neg();
        self.names.place = table.header;
        self.names.start = start;
        if start > image.len() && before <= READABLE_NEAR_FILE {
            // The memory before the file is unknown: assume zeros.
            let mut bytes = vec![0; usize::try_from(before).unwrap_or(0)];
            let rest = image.read(image.span(0, table.size), findings)?;
            bytes.extend_from_slice(&rest);
            self.names.bytes = Bytes::from(bytes);
            self.names.null = false;
        } else if start <= image.len() {
            // An unterminated name continues past the table.
            let len = table.size.saturating_add(READABLE_NEAR_FILE);
            self.names.bytes = image.read(image.span(start, len), findings)?;
            self.names.null = false;
        }
        Ok(())
    }

    /// A sum in the width of the file's class.
    fn sum(&self, a: u64, b: u64) -> u64 {
        match self.class {
            Class::Elf64 => a.wrapping_add(b),
            Class::Elf32 => a.wrapping_add(b) & u64::from(u32::MAX),
        }
    }

    /// Returns whether the section with the names exists.
    pub fn has_names(&self) -> bool {
        self.header.e_shstrndx < self.sections.len() as u64
    }

    /// The bytes of `e_shstrndx`.
    pub fn shstrndx_span(&self) -> Span {
        self.header.span_of(Header::e_shstrndx)
    }

    /// The bytes of `e_machine`.
    pub fn machine_span(&self) -> Span {
        self.header.span_of(Header::e_machine)
    }

    /// The name of the section with that index; empty if there is none.
    pub fn section_name(&self, index: u32, findings: &mut Findings) -> Result<&[u8], Refused> {
        let section = usize::try_from(index)
            .ok()
            .and_then(|at| self.sections.get(at));
        match section {
            Some(section) if self.has_names() => self.name_of(section, findings),
            _ => Ok(&[]),
        }
    }

    /// The name of a section.
    pub fn name_of(&self, section: &Section, findings: &mut Findings) -> Result<&[u8], Refused> {
        if !self.names.is_readable(section.name.into()) {
            let message = format_args!("sh_name is {:#x}", section.name);
            return findings.refuse(&rules::SECTION_NAME, section.header, message);
        }
        self.names.get(section.name.into(), findings)
    }

    /// The name of a symbol.
    pub fn symbol_name(&self, symbol: &Symbol, findings: &mut Findings) -> Result<&[u8], Refused> {
        self.check_name(symbol, findings)?;
        self.names.get(symbol.st_name, findings)
    }

    /// Checks that a symbol's name is in memory.
    fn check_name(&self, symbol: &Symbol, findings: &mut Findings) -> Result<(), Refused> {
        if self.names.is_readable(symbol.st_name) {
            Ok(())
        } else {
            let message = format_args!("st_name is {:#x}", symbol.st_name);
            findings.refuse(&rules::SYMBOL_NAME, symbol.origin, message)
        }
    }

    /// The symbol with that index.
    pub fn symbol(&self, index: u64) -> Option<Symbol> {
        let size = Symbol::size(self.class);
        let at = index
            .checked_mul(size)
            .filter(|_| index < self.symbol_count)?;
        let mut entry = self.symbols.reader(LITTLE).at(at, size).ok()?;
        Symbol::read(&mut entry, self.class).ok()
    }

    /// The bytes of the symbol whose entry starts at `start`.
    pub fn symbol_place(&self, start: u64) -> Span {
        let whole = self.symbols.span();
        Span::with_len(whole.source, start, Symbol::size(self.class))
    }

    fn read_symbols(&mut self, findings: &mut Findings) -> Result<(), Refused> {
        let size = Symbol::size(self.class);
        let mut result = Ok(());
        for section in self
            .sections
            .iter()
            .filter(|s| s.kind == SectionType::SHT_SYMTAB)
        {
            // The driver goes on with the next section and reports all of them.
            if section.entsize != size {
                result = wrong_entry_size("symbols", section, size, findings);
                continue;
            }
            self.symbol_count = section.size / size;
            match self.image.locate(section.data) {
                Location::InFile(span) => self.symbols = self.image.window(span, findings)?,
                _ if self.symbol_count == 0 => {}
                _ => {
                    let message = "the symbols are outside of the file";
                    return findings.refuse(&rules::OVERFLOW_READ, section.header, message);
                }
            }
        }
        result
    }

    fn read_relocations(&mut self, findings: &mut Findings) -> Result<(), Refused> {
        let mut result = Ok(());
        for index in 0..self.sections.len() {
            let Some(section) = self.sections.get(index).copied() else {
                break;
            };
            let shape = |addend| Shape {
                class: self.class,
                endian: LITTLE,
                addend,
            };
            let (shape, noun) = match section.kind {
                SectionType::SHT_RELA => (shape(true), "rela entries"),
                SectionType::SHT_REL => (shape(false), "rel entries"),
                _ => continue,
            };
            if section.entsize != shape.size() {
                result = wrong_entry_size(noun, &section, shape.size(), findings);
                continue;
            }
            self.read_table(&section, shape, findings)?;
        }
        result
    }

    fn read_table(
        &mut self,
        section: &Section,
        shape: Shape,
        findings: &mut Findings,
    ) -> Result<(), Refused> {
        if !self.has_names() || self.header.e_shstrndx == 0 || self.names.null {
            let message = format_args!(
                "e_shstrndx is {}, which is not a string table; relocations need it",
                self.header.e_shstrndx
            );
            let place = self.shstrndx_span();
            return findings.refuse(&rules::NAME_TABLE_INDEX, place, message);
        }
        let target = self.section_name(section.info, findings)?;
        // Relocations of debug sections are only applied for debuggers.
        let debug = target.starts_with(b".debug_");
        let count = section.size / shape.size();
        if count == 0 {
            return Ok(());
        }
        let Location::InFile(span) = self.image.locate(section.data) else {
            let message = "the relocations are outside of the file";
            return findings.refuse(&rules::OVERFLOW_READ, section.header, message);
        };
        let window = self.image.window(span, findings)?;
        let mut reader = window.reader(LITTLE);
        if !debug {
            let most = usize::try_from(span.len() / shape.size()).unwrap_or(0);
            let list = &mut self.relocations;
            if list.capacity() - list.len() < most {
                // Grows by half, up to the entries kept: doubling needs twice the memory.
                let kept = findings.steps_left() / RELOCATION_STEPS + 1;
                let wanted = most.max(list.len() / 2);
                list.reserve_exact(wanted.min(usize::try_from(kept).unwrap_or(usize::MAX)));
            }
        }
        for _ in 0..count {
            let Some(relocation) = shape.next(&mut reader) else {
                break;
            };
            findings.spend(RELOCATION_STEPS, span)?;
            let Some(symbol) = self.symbol(relocation.symbol) else {
                self.no_symbol(relocation.symbol, relocation.origin, debug, findings)?;
                continue;
            };
            self.check_name(&symbol, findings)?;
            if !debug {
                self.relocations.push(Relocation {
                    entry: relocation.origin,
                    target: section.info,
                    symbol: relocation.symbol,
                    kind: relocation.kind,
                    offset: relocation.offset,
                });
            }
        }
        Ok(())
    }

    /// Reports a relocation whose symbol does not exist.
    fn no_symbol(
        &self,
        symbol: u64,
        place: Span,
        debug: bool,
        findings: &mut Findings,
    ) -> Result<(), Refused> {
        let rule = match self.symbol_count {
            0 => &rules::NO_SYMBOL_TABLE,
            _ if debug && symbol < READABLE_BEHIND_LIST => &rules::DEBUG_RELOCATION_SYMBOL,
            _ => &rules::RELOCATION_SYMBOL,
        };
        let message = format_args!(
            "symbol index {symbol} out of range ({} symbols)",
            self.symbol_count
        );
        if rule.effect.is_some_and(Effect::allows_loading) {
            findings.note(rule, place, message);
            return Ok(());
        }
        findings.refuse(rule, place, message)
    }
}

fn wrong_entry_size(
    noun: &str,
    section: &Section,
    size: u64,
    findings: &mut Findings,
) -> Result<(), Refused> {
    let message = format_args!(
        "{noun} have {size} bytes, sh_entsize is {}",
        section.entsize
    );
    findings.refuse(&rules::ENTRY_SIZE, section.header, message)
}

fn read_header(image: &Image<'_>, findings: &mut Findings) -> Result<(Class, Header), Refused> {
    let head = Window::clamped(image.sources, image.span(0, 64));
    let class = match head.bytes() {
        [0x7f, b'E', b'L', b'F', 1, ..] => Some(Class::Elf32),
        [0x7f, b'E', b'L', b'F', 2, ..] => Some(Class::Elf64),
        _ => None,
    };
    let header = class.and_then(|class| {
        let header = Header::read(&mut head.reader(LITTLE), class).ok()?;
        Some((class, header))
    });
    let Some((class, header)) = header else {
        let message = "no valid ELF header";
        return findings.refuse(&rules::NOT_A_ZEBIN, image.span(0, 64), message);
    };
    let kinds = [FileType::ET_REL, FileType::ET_ZEBIN_EXE];
    if !kinds.iter().any(|kind| u64::from(kind.0) == header.e_type) {
        let message = format_args!("e_type is {:#x}", header.e_type);
        return findings.refuse(&rules::NOT_A_ZEBIN, header.span_of(Header::e_type), message);
    }
    Ok((class, header))
}
