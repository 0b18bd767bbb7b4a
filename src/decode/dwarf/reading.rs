//! The debug sections of a file, taken apart with gimli when somebody opens them.
//!
//! gimli reads copies in which the relocations are applied; values are shown as they stand in
//! the file, and beside them what they mean. What cannot be read is one piece, and the rest is
//! shown.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

use gimli::{Abbreviations, DebugAbbrev, DebugAbbrevOffset, EndianSlice, RunTimeEndian};

use super::abbrev::Tables;
use super::bytes::{Cursor, short};
use super::info::{Entries, Unit};
use super::line::{LineAt, Program, Steps};
use super::lists::Lists;
use super::relocate::{self, Fix};
use super::{flag, kind};
use crate::decode::deep::{Piece, Reading, top};
use crate::decode::reader::Endian;
use crate::model::{ExpanderId, Node, SourceId, Span};

/// Bytes with the relocations applied.
pub(super) type Slice<'a> = EndianSlice<'a, RunTimeEndian>;

/// The debug sections of a file.
pub struct Dwarf {
    pieces: Vec<Piece>,
    /// The bytes of the debug sections with the relocations applied.
    patched: Vec<Vec<u8>>,
    fixes: Vec<Fix>,
    flags: u64,
    address_size: u8,
    /// The units of `.debug_info`.
    pub(super) units: Vec<Unit>,
    /// The tables of `.debug_abbrev`.
    pub(super) tables: Tables,
    /// The programs of `.debug_line`.
    pub(super) programs: Vec<Program>,
    /// The lists of `.debug_loc` and `.debug_ranges`.
    pub(super) lists: [Lists; 2],
    abbreviations: Cache<Option<Abbreviations>>,
    pub(super) entries: Cache<Entries>,
    pub(super) steps: Cache<Steps>,
    pub(super) lines: OnceCell<HashMap<u32, Vec<LineAt>>>,
}

/// What was last asked for, by number.
pub(super) struct Cache<T>(RefCell<Vec<(usize, Rc<T>)>>);

impl<T> Cache<T> {
    const MOST: usize = 8;

    fn new() -> Cache<T> {
        Cache(RefCell::new(Vec::new()))
    }

    pub(super) fn get(&self, key: usize, make: impl FnOnce() -> T) -> Rc<T> {
        let known = self.0.borrow().iter().find(|(k, _)| *k == key).cloned();
        if let Some((_, known)) = known {
            return known;
        }
        let made = Rc::new(make());
        let mut list = self.0.borrow_mut();
        if list.len() >= Self::MOST {
            list.remove(0);
        }
        list.push((key, Rc::clone(&made)));
        made
    }
}

/// What an item stands for: the kind of thing, and which one.
pub(super) mod item {
    /// Thirty-six bits tell which.
    pub const BITS: u32 = 36;
    /// The section itself.
    pub const SECTION: u64 = 0;
    /// A unit, a line program, a table of abbreviations: by number.
    pub const UNIT: u64 = 1;
    /// The header of one.
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
}

/// A node with children.
pub(super) fn lazy(node: Node, part: u32, kind: u64, number: usize, count: Option<u64>) -> Node {
    let item = top(part) | (kind << item::BITS) | number as u64;
    node.children(ExpanderId(0), item, count)
}

impl Dwarf {
    /// The sections in these pieces.
    pub fn new(pieces: Vec<Piece>) -> Dwarf {
        let fixes = relocate::fixes(&pieces);
        let flags = pieces.first().map_or(0, |piece| piece.numbers[3]);
        let patched = (0..).zip(&pieces).map(|(part, piece)| {
            let is_debug = piece.numbers[0] == kind::DEBUG;
            patched(part, piece, &fixes)
                .filter(|_| is_debug)
                .unwrap_or_default()
        });
        let mut dwarf = Dwarf {
            patched: patched.collect(),
            pieces,
            fixes,
            flags,
            address_size: if flags & flag::NARROW == 0 { 8 } else { 4 },
            units: Vec::new(),
            tables: Tables::default(),
            programs: Vec::new(),
            lists: [Lists::default(), Lists::default()],
            abbreviations: Cache::new(),
            entries: Cache::new(),
            steps: Cache::new(),
            lines: OnceCell::new(),
        };
        dwarf.tables = dwarf.find_tables();
        dwarf.units = dwarf.find_units();
        let first = dwarf.units.first().and_then(|unit| dwarf.unit_header(unit));
        let size = first.map(|header| header.address_size());
        if let Some(size) = size.filter(|size| matches!(size, 4 | 8)) {
            dwarf.address_size = size;
        }
        dwarf.programs = dwarf.find_programs();
        dwarf.lists = [true, false].map(|locations| dwarf.find_lists(locations));
        dwarf
    }

    /// The part of that name.
    pub(super) fn part(&self, name: &str) -> Option<u32> {
        let at = self.pieces.iter().position(|piece| piece.name == name)?;
        u32::try_from(at).ok()
    }

    pub(super) fn piece(&self, part: u32) -> Option<&Piece> {
        self.pieces.get(usize::try_from(part).ok()?)
    }

    /// The bytes of a part as they stand in the file.
    pub(super) fn bytes(&self, part: u32) -> &[u8] {
        self.piece(part).map_or(&[], |piece| &piece.bytes)
    }

    /// The same with the relocations applied.
    pub(super) fn slice(&self, part: u32) -> Slice<'_> {
        let bytes = usize::try_from(part)
            .ok()
            .and_then(|part| self.patched.get(part));
        let endian = match self.endian() {
            Endian::Little => RunTimeEndian::Little,
            Endian::Big => RunTimeEndian::Big,
        };
        EndianSlice::new(bytes.map_or(&[], Vec::as_slice), endian)
    }

    pub(super) fn named(&self, name: &str) -> Slice<'_> {
        self.slice(self.part(name).unwrap_or(u32::MAX))
    }

    pub(super) fn endian(&self) -> Endian {
        relocate::endian(self.flags)
    }

    /// Has it been written for Intel's GPUs?
    pub(super) fn is_intel(&self) -> bool {
        self.flags & flag::INTEL != 0
    }

    /// How many bytes an address has where the section does not say so: as in the first unit.
    /// In 32-bit files IGC writes 8.
    pub(super) fn address_size(&self) -> u8 {
        self.address_size
    }

    /// A cursor over the bytes `range` of a part, as they stand in the file.
    pub(super) fn cursor(&self, part: u32, range: Range<usize>) -> Cursor<'_> {
        let bytes = self.bytes(part);
        Cursor {
            bytes,
            part,
            at: range.start.min(bytes.len()),
            end: range.end.min(bytes.len()),
            endian: self.endian(),
        }
    }

    /// The relocation of the bytes at a place.
    pub(super) fn fix(&self, part: u32, at: u64) -> Option<&Fix> {
        let found = self
            .fixes
            .binary_search_by_key(&(part, at), |fix| fix.place);
        self.fixes.get(found.ok()?)
    }

    /// Where in the code an address is: the part, and the offset in it. `text` is what a
    /// relocation says; without one the sections' own addresses tell.
    pub(super) fn place(&self, address: u64, text: Option<u32>) -> Option<(u32, u64)> {
        let offset = |part: u32| {
            let piece = self.piece(part)?;
            let offset = address.checked_sub(piece.numbers[1])?;
            (offset <= piece.len).then_some((part, offset))
        };
        if let Some(part) = text {
            return offset(part);
        }
        let texts = || {
            (0u32..)
                .zip(&self.pieces)
                .filter(|(_, p)| p.numbers[0] == kind::TEXT)
        };
        let placed = |p: &Piece| p.numbers[1] != 0;
        let mut holding = texts().filter(|(part, p)| placed(p) && offset(*part).is_some());
        match (holding.next(), texts().count()) {
            (Some((part, _)), _) => offset(part),
            // Relocatable, and nothing says which: there is only one.
            (None, 1) => texts().next().and_then(|(part, _)| offset(part)),
            _ => None,
        }
    }

    /// `.text.kernel + 0x40`, and its bytes.
    pub(super) fn place_text(&self, place: (u32, u64)) -> Option<(String, Span)> {
        let (part, offset) = place;
        let piece = self.piece(part)?;
        let start = offset.min(piece.len.saturating_sub(1));
        let span = Span::at(SourceId(part), start, 1.min(piece.len));
        Some((format!("{} + {offset:#x}", piece.name), span))
    }

    /// The string at an offset of a section of strings, and its bytes.
    pub(super) fn string(&self, section: &str, offset: u64) -> Option<(String, Span)> {
        let part = self.part(section)?;
        let from = usize::try_from(offset).ok()?;
        let mut cursor = self.cursor(part, from..usize::MAX);
        let text = cursor.text()?;
        Some((short(text), cursor.since(from)))
    }

    /// The abbreviations at an offset of `.debug_abbrev`.
    pub(super) fn abbreviations(&self, offset: usize) -> Rc<Option<Abbreviations>> {
        self.abbreviations.get(offset, || {
            if !self.tables.may_read(offset) {
                return None;
            }
            let section = self.named(".debug_abbrev");
            let section = DebugAbbrev::from(section);
            section.abbreviations(DebugAbbrevOffset(offset)).ok()
        })
    }

    /// What the rows of an item are, and how many; the range says which are wanted.
    fn answer(&self, item: u64, range: Option<Range<u64>>) -> (u64, Vec<Node>) {
        let Ok(part) = u32::try_from(item >> 40) else {
            return (0, Vec::new());
        };
        let kind = (item >> item::BITS) & 15;
        let Ok(number) = usize::try_from(item & ((1 << item::BITS) - 1)) else {
            return (0, Vec::new());
        };
        let name = self.piece(part).map_or("", |piece| &piece.name);
        let rows = match (name, kind) {
            (".debug_info", item::SECTION) => self.unit_nodes(part),
            (".debug_info", item::UNIT) => return self.unit_rows(part, number, range),
            (".debug_info", item::HEADER) => self.unit_header_rows(part, number),
            (".debug_info", item::ENTRY) => return self.entry_rows(part, number, range),
            (".debug_info", item::EXPRESSION) => self.expression_rows(part, number),
            (".debug_abbrev", item::SECTION) => self.table_nodes(part),
            (".debug_abbrev", item::UNIT) => self.table_rows(part, number),
            (".debug_abbrev", item::ENTRY) => self.abbreviation_rows(part, number),
            (".debug_line", item::SECTION) => self.program_nodes(part),
            (".debug_line", item::UNIT) => self.program_rows(part, number),
            (".debug_line", item::HEADER) => self.program_header_rows(part, number),
            (".debug_line", item::OPCODES) => return self.opcode_rows(part, number, range),
            (".debug_line", item::DIRECTORY) => self.path_rows(part, number, false),
            (".debug_line", item::FILE) => self.path_rows(part, number, true),
            (".debug_loc", item::SECTION) => return self.list_nodes(part, true, range),
            (".debug_ranges", item::SECTION) => return self.list_nodes(part, false, range),
            (".debug_loc" | ".debug_ranges", item::UNIT) => self.list_rows(part, number),
            (".debug_loc" | ".debug_ranges", item::ENTRY) => self.list_entry_rows(part, number),
            (_, item::SECTION) => return self.lines_of(part, range),
            _ => Vec::new(),
        };
        some(rows, range)
    }
}

/// How many rows there are, and those of the range.
pub(super) fn some(rows: Vec<Node>, range: Option<Range<u64>>) -> (u64, Vec<Node>) {
    let count = rows.len() as u64;
    let range = range.unwrap_or(0..0);
    let from = usize::try_from(range.start).unwrap_or(usize::MAX);
    let most = usize::try_from(range.end.saturating_sub(range.start)).unwrap_or(0);
    (count, rows.into_iter().skip(from).take(most).collect())
}

/// The bytes of a part with the relocations applied.
fn patched(part: u32, piece: &Piece, fixes: &[Fix]) -> Option<Vec<u8>> {
    let mut bytes = piece.bytes.clone();
    let big = piece.numbers[3] & flag::BIG != 0;
    let first = fixes.partition_point(|fix| fix.place.0 < part);
    let own = fixes
        .get(first..)?
        .iter()
        .take_while(|fix| fix.place.0 == part);
    for fix in own {
        let from = usize::try_from(fix.place.1).ok()?;
        let place = bytes.get_mut(from..from.checked_add(fix.width)?)?;
        let value = fix.value.to_le_bytes();
        let value = value.get(..fix.width)?;
        place.copy_from_slice(value);
        if big {
            place.reverse();
        }
    }
    Some(bytes)
}

impl Reading for Dwarf {
    fn count(&self, item: u64) -> u64 {
        self.answer(item, None).0
    }

    fn rows(&self, item: u64, range: Range<u64>) -> Vec<Node> {
        self.answer(item, Some(range)).1
    }
}
