//! The container as the driver sees it: compute-runtime, elf_decoder.cpp, decodeElf. It reads
//! little endian whatever the file says, checks ends with sums that overflow, and takes
//! indices and name offsets as they come.

use std::ffi::CStr;

use super::findings::{Findings, Stop};
use super::image::{AROUND, Image, Piece, Where, number, number32};
use super::rules;
use crate::decode::elf::section::SectionType;
use crate::model::{Bytes, Span};

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
    pub data: Piece,
    /// `sh_size`
    pub size: u64,
    /// `sh_info`
    pub info: u32,
    /// `sh_addralign`
    pub align: u64,
    entsize: u64,
}

/// A symbol.
#[derive(Debug, Clone, Copy)]
pub struct Symbol {
    /// `st_name`
    pub name: u32,
    /// Bits 7:4 of `st_info`
    pub binding: u8,
    /// Bits 3:0 of `st_info`
    pub kind: u8,
    /// `st_shndx`
    pub section: u16,
    /// `st_value`
    pub value: u64,
    /// `st_size`
    pub size: u64,
}

/// A relocation that is not for debug data.
#[derive(Debug, Clone, Copy)]
pub struct Relocation {
    /// Its entry.
    pub entry: Span,
    /// The index of the section that it patches.
    pub target: u32,
    /// The index of its symbol.
    pub symbol: u32,
    /// Its type.
    pub kind: u32,
    /// Where it patches.
    pub offset: u64,
}

/// An ELF file.
pub struct Elf<'a> {
    /// Its bytes.
    pub image: Image<'a>,
    /// 64 bits.
    pub wide: bool,
    /// `e_machine`
    pub machine: u32,
    /// `e_flags`
    pub flags: u32,
    /// The bytes of `e_machine` and of `e_shstrndx`.
    pub machine_span: Span,
    shstrndx_span: Span,
    shstrndx: u64,
    /// The sections.
    pub sections: Vec<Section>,
    /// The relocations but those of debug data.
    pub relocations: Vec<Relocation>,
    names: Names,
    symbols: Bytes,
    symbols_span: Span,
    /// How many symbols there are.
    pub symbol_count: u64,
}

/// The names of sections and symbols; of both the driver looks in the same table.
struct Names {
    bytes: Vec<u8>,
    start: u64,
    limit: u64,
    null: bool,
}

impl Names {
    /// The text at an offset; `None`: the driver reads where no memory is.
    fn get(&self, offset: u32) -> Option<&[u8]> {
        if self.null {
            return None;
        }
        let at = usize::try_from(offset).unwrap_or(usize::MAX);
        match self.bytes.get(at..) {
            Some(rest) if !rest.is_empty() => {
                let text = CStr::from_bytes_until_nul(rest);
                Some(text.map_or(rest, CStr::to_bytes))
            }
            _ if self.start.wrapping_add(offset.into()) < self.limit => Some(&[]),
            _ => None,
        }
    }
}

/// The header's fields.
struct Fields {
    wide: bool,
    kind: u32,
    machine: u32,
    flags: u32,
    phoff: u64,
    phentsize: u64,
    phnum: u64,
    shoff: u64,
    shentsize: u64,
    shnum: u64,
    shstrndx: u64,
    /// Where the fields of the tables' places are.
    places: Places,
}

/// Offsets of fields in the header.
struct Places {
    phoff: u64,
    shoff: u64,
    shstrndx: u64,
}

const EXECUTABLE: u32 = 0xff12;

impl Fields {
    fn read(image: &Image<'_>) -> Option<Fields> {
        let head: [u8; 64] = image.record(0);
        if !head.starts_with(b"\x7fELF") {
            return None;
        }
        let (wide, size) = match head.get(4) {
            Some(1) => (false, 52),
            Some(2) => (true, 64),
            _ => return None,
        };
        if image.len() < size {
            return None;
        }
        let half = |at| number(&head, at, 2);
        let fields = if wide {
            Fields {
                wide,
                kind: number32(&head, 16, 2),
                machine: number32(&head, 18, 2),
                flags: number32(&head, 48, 4),
                phoff: number(&head, 32, 8),
                shoff: number(&head, 40, 8),
                phentsize: half(54),
                phnum: half(56),
                shentsize: half(58),
                shnum: half(60),
                shstrndx: half(62),
                places: Places {
                    phoff: 32,
                    shoff: 40,
                    shstrndx: 62,
                },
            }
        } else {
            Fields {
                wide,
                kind: number32(&head, 16, 2),
                machine: number32(&head, 18, 2),
                flags: number32(&head, 36, 4),
                phoff: number(&head, 28, 4),
                shoff: number(&head, 32, 4),
                phentsize: half(42),
                phnum: half(44),
                shentsize: half(46),
                shnum: half(48),
                shstrndx: half(50),
                places: Places {
                    phoff: 28,
                    shoff: 32,
                    shstrndx: 50,
                },
            }
        };
        Some(fields)
    }

    fn word(&self) -> u64 {
        if self.wide { 8 } else { 4 }
    }

    /// A sum in the width of the class.
    fn sum(&self, a: u64, b: u64) -> u64 {
        match self.wide {
            true => a.wrapping_add(b),
            false => a.wrapping_add(b) & u64::from(u32::MAX),
        }
    }
}

impl<'a> Elf<'a> {
    /// Reads the container, as far as the driver does before it looks at what is in it.
    pub fn decode(image: Image<'a>, findings: &mut Findings) -> Result<Elf<'a>, Stop> {
        let fields = match Fields::read(&image) {
            Some(fields) if matches!(fields.kind, 1 | EXECUTABLE) => fields,
            Some(fields) => {
                let message = format!("e_type is {:#x}", fields.kind);
                return Err(findings.stop(&rules::NOT_A_ZEBIN, image.span(16, 2), message));
            }
            None => {
                let message = "no ELF header of 32 or 64 bits";
                return Err(findings.stop(&rules::NOT_A_ZEBIN, image.span(0, 64), message));
            }
        };
        check_tables(&image, &fields, findings)?;
        check_segments(&image, &fields, findings)?;
        let sections = read_sections(&image, &fields, findings)?;
        let names = names_of(&image, &sections, fields.shstrndx);
        let mut elf = Elf {
            image,
            wide: fields.wide,
            machine: fields.machine,
            flags: fields.flags,
            machine_span: image.span(18, 2),
            shstrndx_span: image.span(fields.places.shstrndx, 2),
            shstrndx: fields.shstrndx,
            sections,
            relocations: Vec::new(),
            names,
            symbols: Bytes::from(Vec::new()),
            symbols_span: image.span(0, 0),
            symbol_count: 0,
        };
        elf.read_symbols(findings)?;
        elf.read_relocations(findings)?;
        if elf.shstrndx == 0 {
            let message = "e_shstrndx is 0";
            return Err(findings.stop(&rules::NAME_TABLE_INDEX, elf.shstrndx_span, message));
        }
        Ok(elf)
    }

    /// The index of the section with the names is one that exists.
    pub fn has_names(&self) -> bool {
        self.shstrndx < self.sections.len() as u64
    }

    /// Where `e_shstrndx` is.
    pub fn shstrndx_span(&self) -> Span {
        self.shstrndx_span
    }

    /// The name of a section of that index; empty where there is none.
    pub fn section_name(&self, index: u32, findings: &mut Findings) -> Result<&[u8], Stop> {
        let section = usize::try_from(index)
            .ok()
            .and_then(|at| self.sections.get(at));
        match section {
            Some(section) if self.has_names() => self.name_of(section, findings),
            _ => Ok(&[]),
        }
    }

    /// A section's name.
    pub fn name_of(&self, section: &Section, findings: &mut Findings) -> Result<&[u8], Stop> {
        self.names.get(section.name).ok_or_else(|| {
            let message = format!("sh_name is {:#x}", section.name);
            findings.stop(&rules::SECTION_NAME, section.header, message)
        })
    }

    /// A symbol's name.
    pub fn symbol_name(&self, index: u32, findings: &mut Findings) -> Result<&[u8], Stop> {
        let Some(symbol) = self.symbol(index.into()) else {
            return Ok(&[]);
        };
        self.names.get(symbol.name).ok_or_else(|| {
            let message = format!("symbol {index}: st_name is {:#x}", symbol.name);
            findings.stop(&rules::SYMBOL_NAME, self.symbol_span(index.into()), message)
        })
    }

    /// The symbol of that index.
    pub fn symbol(&self, index: u64) -> Option<Symbol> {
        let size = self.symbol_size();
        let at = usize::try_from(index.checked_mul(size)?).ok()?;
        let end = at.checked_add(usize::try_from(size).ok()?)?;
        let entry = self.symbols.get(at..end)?;
        let (info, section, value, size) = match self.wide {
            true => (4, 6, number(entry, 8, 8), number(entry, 16, 8)),
            false => (12, 14, number(entry, 4, 4), number(entry, 8, 4)),
        };
        let info = entry.get(info).copied().unwrap_or(0);
        Some(Symbol {
            name: number32(entry, 0, 4),
            binding: info >> 4,
            kind: info & 0xf,
            section: u16::try_from(number(entry, section, 2)).unwrap_or(0),
            value,
            size,
        })
    }

    /// The bytes of a symbol's entry.
    pub fn symbol_span(&self, index: u64) -> Span {
        self.symbols_span
            .sub(index.saturating_mul(self.symbol_size()), self.symbol_size())
    }

    fn symbol_size(&self) -> u64 {
        if self.wide { 24 } else { 16 }
    }

    fn read_symbols(&mut self, findings: &mut Findings) -> Result<(), Stop> {
        let size = self.symbol_size();
        let mut wrong = None;
        for section in self
            .sections
            .iter()
            .filter(|s| s.kind == SectionType::SHT_SYMTAB)
        {
            if section.entsize != size {
                let message = format!(
                    "symbols have {size} bytes, sh_entsize is {}",
                    section.entsize
                );
                wrong = Some(findings.stop(&rules::ENTRY_SIZE, section.header, message));
                continue;
            }
            self.symbol_count = section.size / size;
            match self.image.locate(section.data) {
                Where::Inside(span) => {
                    self.symbols_span = span;
                    self.symbols = self.image.read(span);
                }
                _ if self.symbol_count == 0 => {}
                _ => {
                    let message = "the symbols lie outside of the file";
                    return Err(findings.stop(&rules::OVERFLOW_READ, section.header, message));
                }
            }
        }
        wrong.map_or(Ok(()), Err)
    }

    fn read_relocations(&mut self, findings: &mut Findings) -> Result<(), Stop> {
        let mut wrong = None;
        for index in 0..self.sections.len() {
            let Some(section) = self.sections.get(index).copied() else {
                break;
            };
            let (size, addend) = match (section.kind, self.wide) {
                (SectionType::SHT_RELA, true) => (24, true),
                (SectionType::SHT_RELA, false) => (12, true),
                (SectionType::SHT_REL, true) => (16, false),
                (SectionType::SHT_REL, false) => (8, false),
                _ => continue,
            };
            if section.entsize != size {
                let what = if addend { "rela" } else { "rel" };
                let message = format!(
                    "{what} entries have {size} bytes, sh_entsize is {}",
                    section.entsize
                );
                wrong = Some(findings.stop(&rules::ENTRY_SIZE, section.header, message));
                continue;
            }
            self.read_section(&section, size, findings)?;
        }
        wrong.map_or(Ok(()), Err)
    }

    fn read_section(
        &mut self,
        section: &Section,
        size: u64,
        findings: &mut Findings,
    ) -> Result<(), Stop> {
        if !self.has_names() || self.shstrndx == 0 || self.names.null {
            let message = format!(
                "there are relocations, and e_shstrndx is {:#x}",
                self.shstrndx
            );
            return Err(findings.stop(&rules::NAME_TABLE_INDEX, self.shstrndx_span, message));
        }
        let debug = self
            .section_name(section.info, findings)?
            .starts_with(b".debug_");
        let count = section.size / size;
        if count == 0 {
            return Ok(());
        }
        let Where::Inside(span) = self.image.locate(section.data) else {
            let message = "the relocations lie outside of the file";
            return Err(findings.stop(&rules::OVERFLOW_READ, section.header, message));
        };
        let bytes = self.image.read(span);
        let entry_size = usize::try_from(size).unwrap_or(16);
        for (index, entry) in (0..count).zip(bytes.chunks_exact(entry_size)) {
            let place = || span.sub(index.saturating_mul(size), size);
            let (offset, symbol, kind) = match self.wide {
                true => (
                    number(entry, 0, 8),
                    number32(entry, 12, 4),
                    number32(entry, 8, 4),
                ),
                false => {
                    let info = number32(entry, 4, 4);
                    (number(entry, 0, 4), info >> 8, info & 0xff)
                }
            };
            if u64::from(symbol) >= self.symbol_count {
                let rule = match self.symbol_count {
                    0 => &rules::NO_SYMBOL_TABLE,
                    _ => &rules::RELOCATION_SYMBOL,
                };
                let message = format!("symbol {symbol} of {}", self.symbol_count);
                return Err(findings.stop(rule, place(), message));
            }
            self.symbol_name(symbol, findings)?;
            if !debug {
                self.relocations.push(Relocation {
                    entry: place(),
                    target: section.info,
                    symbol,
                    kind,
                    offset,
                });
            }
        }
        Ok(())
    }
}

/// `phoff + phnum × phentsize` and `shoff + shnum × shentsize` must not be above the size of
/// the file; the driver's sums overflow.
fn check_tables(image: &Image<'_>, fields: &Fields, findings: &mut Findings) -> Result<(), Stop> {
    let tables = [
        (
            fields.phoff,
            fields.phnum * fields.phentsize,
            fields.places.phoff,
            "program",
        ),
        (
            fields.shoff,
            fields.shnum * fields.shentsize,
            fields.places.shoff,
            "section",
        ),
    ];
    for (offset, size, place, what) in tables {
        let place = image.span(place, fields.word());
        let end = fields.sum(offset, size);
        if end > image.len() {
            let message = format!("the {what} header table ends at {end:#x}");
            return Err(findings.stop(&rules::TABLE_OUT_OF_BOUNDS, place, message));
        }
        if offset > image.len() && size > 0 {
            let message =
                format!("the {what} header table starts at {offset:#x}, and its end overflows");
            // The entries are whatever stands before the file; observed: the first section
            // header is out of bounds, a program header crashes.
            let rule = match what {
                "section" if fields.wide => &rules::TABLE_OUT_OF_BOUNDS,
                _ => &rules::OVERFLOW_READ,
            };
            return Err(findings.stop(rule, place, message));
        }
    }
    Ok(())
}

fn check_segments(image: &Image<'_>, fields: &Fields, findings: &mut Findings) -> Result<(), Stop> {
    for index in 0..fields.phnum {
        let at = fields.phoff.saturating_add(index * fields.phentsize);
        let header: [u8; 56] = image.record(at);
        let (offset, size) = match fields.wide {
            true => (number(&header, 8, 8), number(&header, 32, 8)),
            false => (number(&header, 4, 4), number(&header, 16, 4)),
        };
        if fields.sum(offset, size) > image.len() {
            let message = format!("segment {index} ends behind the file");
            let place = image.span(at, fields.phentsize);
            return Err(findings.stop(&rules::DATA_OUT_OF_BOUNDS, place, message));
        }
    }
    Ok(())
}

fn read_sections(
    image: &Image<'_>,
    fields: &Fields,
    findings: &mut Findings,
) -> Result<Vec<Section>, Stop> {
    let mut sections = Vec::with_capacity(usize::try_from(fields.shnum).unwrap_or(0));
    let size = if fields.wide { 64 } else { 40 };
    for index in 0..fields.shnum {
        let at = fields.shoff.saturating_add(index * fields.shentsize);
        let bytes: [u8; 64] = image.record(at);
        let header = image.span(at, size);
        let mut section = Section {
            header,
            name: number32(&bytes, 0, 4),
            kind: SectionType(number32(&bytes, 4, 4)),
            data: Piece::NULL,
            size: 0,
            info: 0,
            align: 0,
            entsize: 0,
        };
        let offset = if fields.wide {
            section.size = number(&bytes, 32, 8);
            section.info = number32(&bytes, 44, 4);
            section.align = number(&bytes, 48, 8);
            section.entsize = number(&bytes, 56, 8);
            number(&bytes, 24, 8)
        } else {
            section.size = number(&bytes, 20, 4);
            section.info = number32(&bytes, 28, 4);
            section.align = number(&bytes, 32, 4);
            section.entsize = number(&bytes, 36, 4);
            number(&bytes, 16, 4)
        };
        if section.kind != SectionType::SHT_NOBITS {
            if fields.sum(offset, section.size) > image.len() {
                let message = format!("section {index} ends behind the file");
                return Err(findings.stop(&rules::DATA_OUT_OF_BOUNDS, header, message));
            }
            section.data = Piece {
                start: offset,
                len: section.size,
                null: false,
            };
            if offset
                .checked_add(section.size)
                .is_none_or(|end| end > image.len())
            {
                let message = format!("section {index}: offset and size overflow");
                findings.note(&rules::OVERFLOW, header, message);
            }
        }
        sections.push(section);
    }
    Ok(sections)
}

fn names_of(image: &Image<'_>, sections: &[Section], index: u64) -> Names {
    let table = usize::try_from(index).ok().and_then(|at| sections.get(at));
    let mut names = Names {
        bytes: Vec::new(),
        start: 0,
        limit: image.len().saturating_add(AROUND),
        null: true,
    };
    let Some(table) = table.filter(|t| !t.data.null) else {
        return names;
    };
    let start = table.data.start;
    names.start = start;
    names.null = false;
    let before = start.wrapping_neg();
    if start > image.len() && before <= AROUND {
        // What stands before the file is anybody's guess: zeros.
        names.bytes = vec![0; usize::try_from(before).unwrap_or(0)];
        names
            .bytes
            .extend_from_slice(&image.read(image.span(0, table.size)));
    } else if start <= image.len() {
        // A name without a NUL goes on behind the table.
        let len = table.size.saturating_add(AROUND);
        names.bytes = image.read(image.span(start, len)).to_vec();
    } else {
        names.null = true;
    }
    names
}
