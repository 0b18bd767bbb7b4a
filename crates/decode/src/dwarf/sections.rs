//! The debug sections of a file, decoded with gimli when they are opened.
//!
//! gimli reads copies in which the relocations are applied. Values are shown as stored in the file,
//! with their meaning next to them. Bytes that cannot be decoded form a single node; the rest is
//! shown.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;

use gimli::Abbreviations;

use super::abbrev::Tables;
use super::cursor::short;
use super::info::{Entries, Unit};
use super::line::{Lines, Program, Run};
use super::line_header::LineProgramHeader;
use super::lists::Lists;
use super::paged::{Paged, STRIDE};
use super::relocate::{Symbols, patched};
use super::section::{Part, Section};
use crate::elf::class::Class;
use crate::elf::file::ElfFile;
use crate::elf::section;
use crate::elf::section::SectionType;
use crate::limits;
use zeview_core::model::sort;
use zeview_core::model::{Bytes, ExpanderId, Node, SourceId, Sources, Span};

/// The debug sections of a file.
pub(super) struct DebugSections {
    file: Rc<ElfFile>,
    pub(super) info: Section,
    pub(super) abbrev: Section,
    pub(super) line: Section,
    pub(super) loc: Section,
    pub(super) ranges: Section,
    pub(super) str: Section,
    pub(super) line_str: Section,
    pub(super) str_offsets: Section,
    pub(super) rnglists: Section,
    pub(super) addr: Section,
    /// The indexes of the code sections.
    texts: Vec<u64>,
    /// The code sections that have an address, by address.
    placed: Vec<(u64, u64)>,
    /// The sections that others refer to.
    places: Vec<(&'static str, Span)>,
    address_size: u8,
    /// The units of `.debug_info`.
    pub(super) units: Vec<Unit>,
    /// The tables of `.debug_abbrev`.
    pub(super) tables: Tables,
    /// The programs of `.debug_line`.
    pub(super) programs: Vec<Program>,
    /// The lists of `.debug_loc`.
    pub(super) loc_lists: Lists,
    /// The lists of `.debug_ranges`.
    pub(super) range_lists: Lists,
    /// Empty abbreviations for gimli.
    pub(super) none: Abbreviations,
    pub(super) entries: Cache<Entries>,
    pub(super) heads: Cache<LineProgramHeader>,
    pub(super) runs: Cache<Run>,
    lines: OnceCell<BTreeMap<u64, Lines>>,
}

/// Caches items by number: the most recent small ones, and all large ones.
pub(super) struct Cache<T> {
    small: RefCell<Vec<(usize, Rc<T>)>>,
    large: RefCell<BTreeMap<usize, Rc<T>>>,
}

impl<T> Cache<T> {
    const SMALL_MAX: usize = 8;
    /// Size above which an item is large, in bytes.
    const LARGE: usize = 256;

    fn new() -> Cache<T> {
        Cache {
            small: RefCell::default(),
            large: RefCell::default(),
        }
    }

    /// Returns the item with the number `key`, or makes it. `size` is its size in the file, in
    /// bytes.
    pub(super) fn get(&self, key: usize, size: usize, make: impl FnOnce() -> T) -> Rc<T> {
        if let Some(known) = self.large.borrow().get(&key) {
            return Rc::clone(known);
        }
        let known = self.small.borrow().iter().find(|(k, _)| *k == key).cloned();
        if let Some((_, known)) = known {
            return known;
        }
        let made = Rc::new(make());
        // Kept for good: together they are not larger than their section.
        if size > Self::LARGE {
            self.large.borrow_mut().insert(key, Rc::clone(&made));
            return made;
        }
        let mut list = self.small.borrow_mut();
        if list.len() >= Self::SMALL_MAX {
            list.remove(0);
        }
        list.push((key, Rc::clone(&made)));
        made
    }
}

/// Encodes the items of a section: the kind and the number.
pub(super) mod item {
    /// Number of bits for the number.
    pub const BITS: u32 = 56;
    /// The section itself.
    pub const SECTION: u64 = 0;
    /// A unit, a line program, a table of abbreviations: by number.
    pub const UNIT: u64 = 1;
    /// The header of a unit or line program: by number.
    pub const HEADER: u64 = 2;
    /// A debugging entry, an abbreviation: by offset.
    pub const ENTRY: u64 = 3;
    /// The expression of an attribute: by offset.
    pub const EXPRESSION: u64 = 4;
    /// The opcodes of a line program: by number.
    pub const OPCODES: u64 = 5;
    /// A directory of a line program: by offset.
    pub const DIRECTORY: u64 = 6;
    /// A file of a line program: by offset.
    pub const FILE: u64 = 7;

    /// Returns the item with a kind and a number.
    pub fn of(kind: u64, number: usize) -> u64 {
        (kind << BITS) | number as u64
    }
}

/// The item of a section.
pub(super) const TOP: u64 = item::SECTION << item::BITS;

/// Makes a node with children.
pub(super) fn lazy(node: Node, kind: u64, number: usize, count: Option<u64>) -> Node {
    node.children(ExpanderId::SELF, item::of(kind, number), count)
}

const STR: &str = ".debug_str";
const LINE_STR: &str = ".debug_line_str";
const STR_OFFSETS: &str = ".debug_str_offsets";
const RNGLISTS: &str = ".debug_rnglists";
const ADDR: &str = ".debug_addr";

/// The sections that are read for references from others.
const REFERRED: [&str; 5] = [STR, LINE_STR, STR_OFFSETS, RNGLISTS, ADDR];

/// The sections that offsets in others point into.
const PLACES: [&str; 6] = [
    ".debug_abbrev",
    ".debug_line",
    ".debug_loc",
    ".debug_loclists",
    ".debug_ranges",
    ".debug_rnglists",
];

/// Maximum number of code sections linked to lines. A file of 60 000 kernels has as many.
const TEXTS: usize = 1 << 17;

impl DebugSections {
    /// Reads the sections of a file. Returns `None` if they exceed [`limits::DEEP`], or if they
    /// overlap: then they are larger than the file.
    pub(super) fn read(file: &Rc<ElfFile>, sources: &Sources) -> Option<DebugSections> {
        let is_text = |s: &&section::Section| {
            s.kind == SectionType::SHT_PROGBITS && s.name.starts_with(".text")
        };
        let texts = file.sections.iter().filter(is_text).take(TEXTS);
        let texts: Vec<u64> = texts.map(|s| s.index).collect();
        let mut reader = Reader {
            file,
            sources,
            symbols: Symbols::new(file, sources, &texts),
        };
        let sizes = Part::ALL.map(Part::name).into_iter().chain(REFERRED);
        let size = sizes.fold(0u64, |sum, name| sum.saturating_add(reader.size(name)));
        let whole = |id: SourceId| sources.whole(id).len();
        let bytes = sources.ids().into_iter().map(whole);
        if size > limits::DEEP || size > bytes.fold(0, u64::saturating_add) {
            return None;
        }
        let place = |name: &&'static str| Some((*name, file.debug_section(name)?.bytes));
        let places = PLACES.iter().filter_map(place).collect();
        let address = |index: &u64| Some((file.section(*index)?.addr, *index));
        let mut placed: Vec<(u64, u64)> = texts.iter().filter_map(address).collect();
        // gABI: 0 is no address, but a section that is not loaded.
        placed.retain(|(address, _)| *address != 0);
        sort::ascending(&mut placed);
        let mut sections = DebugSections {
            info: reader.section(Part::Info.name()),
            abbrev: reader.section(Part::Abbrev.name()),
            line: reader.section(Part::Line.name()),
            loc: reader.section(Part::Loc.name()),
            ranges: reader.section(Part::Ranges.name()),
            str: reader.section(STR),
            line_str: reader.section(LINE_STR),
            str_offsets: reader.section(STR_OFFSETS),
            rnglists: reader.section(RNGLISTS),
            addr: reader.section(ADDR),
            file: Rc::clone(file),
            texts,
            placed,
            places,
            address_size: match file.class {
                Class::Elf32 => 4,
                Class::Elf64 => 8,
            },
            units: Vec::new(),
            tables: Tables::default(),
            programs: Vec::new(),
            loc_lists: Lists::default(),
            range_lists: Lists::default(),
            none: Abbreviations::default(),
            entries: Cache::new(),
            heads: Cache::new(),
            runs: Cache::new(),
            lines: OnceCell::new(),
        };
        sections.tables = sections.find_tables();
        sections.units = sections.find_units();
        let first = sections.units.first();
        let size = first.map(|unit| unit.encoding.address_size);
        if let Some(size) = size.filter(|size| matches!(size, 4 | 8)) {
            sections.address_size = size;
        }
        sections.programs = sections.find_programs();
        sections.loc_lists = sections.find_lists(Part::Loc);
        sections.range_lists = sections.find_lists(Part::Ranges);
        Some(sections)
    }

    /// Returns the location of a debug section, if the file has one of that name.
    pub(super) fn place_of(&self, name: &str) -> Option<Span> {
        let mut places = self.places.iter();
        places
            .find(|(known, _)| *known == name)
            .map(|(_, span)| *span)
    }

    /// Returns whether the file targets an Intel GPU.
    pub(super) fn is_intel(&self) -> bool {
        self.file.dialect.has_intel_dwarf()
    }

    /// Returns the size of an address in bytes for sections that do not specify it: that of the
    /// first unit. In 32-bit files IGC writes 8.
    pub(super) fn address_size(&self) -> u8 {
        self.address_size
    }

    /// Returns the code section and offset of an address. `text` is the section from a relocation;
    /// without one, the sections' addresses determine it.
    pub(super) fn code_at(&self, address: u64, text: Option<u64>) -> Option<(u64, u64)> {
        let offset = |index: u64| {
            let section = self.file.section(index)?;
            let offset = address.checked_sub(section.addr)?;
            (offset <= section.bytes.len()).then_some((index, offset))
        };
        if let Some(text) = text {
            return offset(text);
        }
        let after = self.placed.partition_point(|(start, _)| *start <= address);
        let before = after.checked_sub(1).and_then(|at| self.placed.get(at));
        let found = before.and_then(|(_, text)| offset(*text));
        found.or_else(|| match *self.texts.as_slice() {
            // Relocatable without a relocation: only one section is unambiguous.
            [only] => offset(only),
            _ => None,
        })
    }

    /// Returns the position after the byte at an address.
    pub(super) fn code_after(&self, address: u64) -> Option<(u64, u64)> {
        let (text, offset) = self.code_at(address, None)?;
        let len = self.file.section(text)?.bytes.len();
        (offset < len).then_some((text, offset + 1))
    }

    /// Formats a position as `.text.kernel + 0x40`, and returns its bytes.
    pub(super) fn code_text(&self, place: (u64, u64)) -> Option<(String, Span)> {
        let (index, offset) = place;
        let section = self.file.section(index)?;
        let len = section.bytes.len();
        let span = section.bytes.subspan(offset.min(len.saturating_sub(1)), 1);
        let name = short(section.name.as_bytes());
        Some((format!("{name} + {offset:#x}"), span))
    }

    /// Returns the lines of the code section with this index.
    pub(super) fn lines(&self, section: u64) -> Option<&Lines> {
        let all = self.lines.get_or_init(|| self.collect_lines());
        all.get(&section)
    }

    fn section_of(&self, part: Part) -> &Section {
        match part {
            Part::Info => &self.info,
            Part::Abbrev => &self.abbrev,
            Part::Line => &self.line,
            Part::Loc => &self.loc,
            Part::Ranges => &self.ranges,
        }
    }

    /// Returns the number of rows of an item of a section, or the rows of the range.
    pub(super) fn answer(
        &self,
        part: Part,
        item: u64,
        range: Option<Range<u64>>,
    ) -> (u64, Vec<Node>) {
        let kind = item >> item::BITS;
        let Ok(number) = usize::try_from(item & ((1 << item::BITS) - 1)) else {
            return (0, Vec::new());
        };
        let rows = match (part, kind) {
            (Part::Info, item::SECTION) => return self.unit_nodes(range),
            (Part::Info, item::UNIT) => return self.unit_rows(number, range),
            (Part::Info, item::HEADER) => self.unit_header_rows(number),
            (Part::Info, item::ENTRY) => return self.entry_rows(number, range),
            (Part::Info, item::EXPRESSION) => return self.expression_rows(number, range),
            (Part::Abbrev, item::SECTION) => return self.table_nodes(range),
            (Part::Abbrev, item::UNIT) => return self.table_rows(number, range),
            (Part::Abbrev, item::ENTRY) => return self.abbreviation_rows(number, range),
            (Part::Line, item::SECTION) => return self.program_nodes(range),
            (Part::Line, item::UNIT) => self.program_rows(number),
            (Part::Line, item::HEADER) => return self.program_header_rows(number, range),
            (Part::Line, item::OPCODES) => return self.opcode_rows(number, range),
            (Part::Line, item::DIRECTORY) => self.path_rows(number, false),
            (Part::Line, item::FILE) => self.path_rows(number, true),
            (Part::Loc | Part::Ranges, item::SECTION) => return self.list_nodes(part, range),
            (Part::Loc | Part::Ranges, item::UNIT) => return self.list_rows(part, number, range),
            (Part::Loc | Part::Ranges, item::ENTRY) => {
                return self.list_entry_rows(part, number, range);
            }
            _ => Vec::new(),
        };
        page(rows, range)
    }

    /// Returns the row of a large item that contains the byte at an offset of the section.
    pub(super) fn row_at(&self, part: Part, item: u64, offset: usize) -> Option<u64> {
        if item == TOP {
            return match part {
                Part::Info => Some(self.units.partition_point(|unit| unit.end <= offset) as u64),
                Part::Abbrev => self.table_at(offset),
                Part::Line => Some(
                    self.programs
                        .partition_point(|program| program.end <= offset)
                        as u64,
                ),
                Part::Loc | Part::Ranges => self.list_at(part, offset),
            };
        }
        if let (Part::Line, item::OPCODES) = (part, item >> item::BITS) {
            let number = usize::try_from(item & ((1 << item::BITS) - 1)).ok()?;
            return self.opcode_at(number, offset);
        }
        // Counting creates the checkpoints of a large item.
        let (count, _) = self.answer(part, item, None);
        let section = self.section_of(part);
        let near = section.paged.near(item, |state| state.at <= offset);
        let (from, _) = near.unwrap_or_default();
        let (_, rows) = self.answer(part, item, Some(from..count.min(from + STRIDE)));
        let at = section.place(offset, offset + 1);
        let found = rows.iter().position(|row| {
            let span = row.span.filter(|span| !span.is_empty());
            span.is_some_and(|span| span.contains(at))
        });
        found.map(|at| from + at as u64)
    }
}

/// Reads sections.
struct Reader<'a> {
    file: &'a ElfFile,
    sources: &'a Sources,
    symbols: Symbols<'a>,
}

impl<'a> Reader<'a> {
    /// Returns the size of the section of that name and of its relocations.
    fn size(&self, name: &str) -> u64 {
        let Some(section) = self.file.debug_section(name) else {
            return 0;
        };
        let relocations = self.relocations_of(section);
        let more = relocations.map_or(0, |table| table.bytes.len());
        section.bytes.len().saturating_add(more)
    }

    fn section(&mut self, name: &str) -> Section {
        let section = self.file.debug_section(name);
        let span = section.map_or(Span::default(), |section| section.bytes);
        // The source reports read errors itself.
        let bytes = self.sources.read(span);
        let bytes = bytes.unwrap_or_else(|_| Bytes::from(Vec::new()));
        let table = section.and_then(|section| self.relocations_of(section));
        let fixes = table.map_or(Vec::new(), |table| self.symbols.fixes(table, &bytes));
        let endian = self.file.endian;
        let patched = if fixes.is_empty() {
            bytes.clone()
        } else {
            Bytes::from(patched(&bytes, &fixes, endian))
        };
        Section {
            span,
            bytes,
            patched,
            fixes,
            endian,
            paged: Paged::default(),
            nuls: OnceCell::new(),
        }
    }

    /// Returns the first relocations of a section. Other machines have their own types.
    fn relocations_of(&self, section: &section::Section) -> Option<&'a section::Section> {
        let is_of = |s: &&section::Section| {
            let is_table = matches!(s.kind, SectionType::SHT_REL | SectionType::SHT_RELA);
            is_table && s.info == section.index
        };
        let mut sections = self.file.sections.iter();
        sections
            .find(is_of)
            .filter(|_| self.file.dialect.has_intel_dwarf())
    }
}

/// Returns the number of rows, and the rows of the range.
pub(super) fn page(rows: Vec<Node>, range: Option<Range<u64>>) -> (u64, Vec<Node>) {
    let count = rows.len() as u64;
    let range = range.unwrap_or(0..0);
    let from = usize::try_from(range.start).unwrap_or(usize::MAX);
    let most = usize::try_from(range.end.saturating_sub(range.start)).unwrap_or(0);
    (count, rows.into_iter().skip(from).take(most).collect())
}
