//! The functions of `.debug_info`, and the calls that are inlined into them. DWARF 5, 3.3 Subroutine
//! and Entry Point Entries.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use gimli::constants::{self, DwTag};
use gimli::{Attribute, AttributeValue};

use super::attribute::LocatedAttribute;
use super::cursor::Cursor;
use super::info::Unit;
use super::lists::Position;
use super::section::{Section, Slice};
use super::sections::DebugSections;
use crate::demangle::demangle;
use crate::reader::uint;
use zeview_core::model::{Span, sort};

/// A function with code, or an inlined call.
pub(super) struct Found {
    pub(super) function: Rc<str>,
    /// The index of the scope around it; `None` if it is not inlined.
    pub(super) caller: Option<u32>,
    /// The number of the line program of the file, and of the file in it.
    pub(super) file: Option<(usize, u64)>,
    pub(super) line: u64,
    pub(super) column: u64,
    pub(super) discriminator: u64,
    pub(super) entry: Span,
}

/// The scopes of all units.
#[derive(Default)]
pub(super) struct Scopes {
    pub(super) list: Vec<Found>,
    /// The code of the innermost scopes, by the index of the section: start, end, scope.
    pub(super) ranges: BTreeMap<u64, Vec<(u64, u64, u32)>>,
    pub(super) left_out: u64,
}

/// A range of a scope: start and end in its section, nesting depth, and scope.
type Range = (u64, u64, u32, u32);

/// What the entries of a unit refer to.
#[derive(Default)]
struct Bases {
    /// The base of range lists.
    low: Option<Position>,
    addresses: usize,
    lists: usize,
    program: Option<usize>,
}

/// An entry with code.
#[derive(Default)]
struct Scope {
    origin: Option<usize>,
    name: Option<String>,
    linkage_name: Option<String>,
    low: Option<Position>,
    high: Option<High>,
    lists: Option<List>,
    file: u64,
    line: u64,
    column: u64,
    discriminator: u64,
}

enum High {
    Address(u64),
    Length(u64),
}

/// A range list.
#[derive(Clone, Copy)]
enum List {
    At(usize),
    Index(usize),
}

/// `DW_AT_GNU_discriminator`.
const GNU_DISCRIMINATOR: constants::DwAt = constants::DW_AT_GNU_discriminator;

/// Maximum number of entries that lead from a call to the name of its function.
const ORIGINS: usize = 8;

/// Maximum length of a name in bytes.
const NAME_MAX: usize = 1 << 16;

/// Maximum nesting of entries. Compilers write a few dozen levels.
const DEPTH: usize = 1024;

/// Maximum number of scopes and ranges: fewer for small sections.
const SCOPES: usize = 1 << 20;
const SCOPES_MORE: usize = 1 << 12;

/// Maximum number of attributes per byte of a unit, beyond a fixed number: some take no bytes.
const ATTRIBUTES_MORE: usize = 4096;

impl DebugSections {
    /// Reads the functions of all units.
    pub(super) fn scopes(&self) -> Scopes {
        let mut reading = ScopeReading {
            all: self,
            scopes: Scopes::default(),
            ranges: BTreeMap::new(),
            names: HashMap::new(),
            left: (self.info.bytes.len() / 4 + SCOPES_MORE).min(SCOPES),
        };
        for unit in &self.units {
            reading.unit(unit);
        }
        let ScopeReading {
            mut scopes, ranges, ..
        } = reading;
        for (section, ranges) in ranges {
            scopes.ranges.insert(section, innermost(&ranges));
        }
        scopes
    }

    /// The address in an attribute.
    fn address_of(
        &self,
        unit: &Unit,
        placed: &LocatedAttribute<'_>,
        addresses: usize,
    ) -> Option<Position> {
        match placed.attribute.value() {
            AttributeValue::Addr(address) => {
                let fix = self.info.fix(placed.from);
                Some(Position {
                    address,
                    text: fix.and_then(|fix| fix.text),
                })
            }
            AttributeValue::DebugAddrIndex(index) => self.indexed_address(unit, index.0, addresses),
            _ => None,
        }
    }

    /// An address of `.debug_addr`.
    fn indexed_address(&self, unit: &Unit, index: usize, base: usize) -> Option<Position> {
        let size = usize::from(unit.encoding.address_size);
        let at = index.checked_mul(size)?.checked_add(base)?;
        read_address(&self.addr, at, size)
    }

    fn bases(&self, unit: &Unit) -> Bases {
        let mut bases = Bases::default();
        let attributes: Vec<LocatedAttribute<'_>> =
            self.first_attributes(unit, unit.root).collect();
        for placed in &attributes {
            match placed.attribute.value() {
                AttributeValue::DebugAddrBase(base) => bases.addresses = base.0,
                AttributeValue::DebugRngListsBase(base) => bases.lists = base.0,
                AttributeValue::DebugLineRef(at) => {
                    let found = self.programs.binary_search_by_key(&at.0, |p| p.start);
                    bases.program = found.ok();
                }
                _ => {}
            }
        }
        let mut attributes = attributes.iter();
        let low = attributes.find(|p| p.attribute.name() == constants::DW_AT_low_pc);
        bases.low = low.and_then(|low| self.address_of(unit, low, bases.addresses));
        bases
    }

    /// The whole text of an attribute.
    fn text_of<'a>(&'a self, unit: &Unit, attribute: &Attribute<Slice<'a>>) -> Option<String> {
        let read = |section: &Section, offset: usize| {
            let rest = section.bytes.get(offset..)?;
            let rest = rest.get(..NAME_MAX).unwrap_or(rest);
            let len = rest.iter().position(|byte| *byte == 0)?;
            Some(String::from_utf8_lossy(rest.get(..len)?).into_owned())
        };
        match attribute.raw_value() {
            AttributeValue::String(text) => Some(text.to_string_lossy().into_owned()),
            AttributeValue::DebugStrRef(offset) => read(&self.str, offset.0),
            AttributeValue::DebugLineStrRef(offset) => read(&self.line_str, offset.0),
            AttributeValue::DebugStrOffsetsIndex(index) => {
                let word = usize::from(unit.encoding.format.word_size());
                let base = self.str_offsets_base(unit)?;
                let at = index.0.checked_mul(word)?.checked_add(base)?;
                let bytes = self
                    .str_offsets
                    .slice()
                    .slice()
                    .get(at..at.checked_add(word)?)?;
                let offset = uint(bytes, self.str_offsets.endian);
                read(&self.str, usize::try_from(offset).ok()?)
            }
            _ => None,
        }
    }

    /// Calls `f` with the ranges of a list of `.debug_rnglists`, until it returns `false`. DWARF 5,
    /// 7.25.
    fn each_range_5(
        &self,
        unit: &Unit,
        start: usize,
        bases: &Bases,
        f: &mut dyn FnMut(Position, u64) -> bool,
    ) -> Option<()> {
        let size = usize::from(unit.encoding.address_size);
        let mut cursor = self.rnglists.cursor(start..usize::MAX);
        let mut base = bases.low;
        let index = |cursor: &mut Cursor<'_>| {
            let index = usize::try_from(cursor.leb()?).ok()?;
            self.indexed_address(unit, index, bases.addresses)
        };
        let address = |cursor: &mut Cursor<'_>| {
            let at = cursor.at;
            cursor.take(size)?;
            read_address(&self.rnglists, at, size)
        };
        loop {
            let kind = u8::try_from(cursor.number(1)?).ok()?;
            let (start, end) = match constants::DwRle(kind) {
                constants::DW_RLE_end_of_list => return Some(()),
                constants::DW_RLE_base_addressx => {
                    base = Some(index(&mut cursor)?);
                    continue;
                }
                constants::DW_RLE_base_address => {
                    base = Some(address(&mut cursor)?);
                    continue;
                }
                constants::DW_RLE_startx_endx => {
                    let start = index(&mut cursor)?;
                    (start, index(&mut cursor)?.address)
                }
                constants::DW_RLE_startx_length => {
                    let start = index(&mut cursor)?;
                    (start, start.address.checked_add(cursor.leb()?)?)
                }
                constants::DW_RLE_offset_pair => {
                    let (from, to) = (cursor.leb()?, cursor.leb()?);
                    let base = base?;
                    (base.plus(from)?, base.address.checked_add(to)?)
                }
                constants::DW_RLE_start_end => {
                    let start = address(&mut cursor)?;
                    (start, address(&mut cursor)?.address)
                }
                constants::DW_RLE_start_length => {
                    let start = address(&mut cursor)?;
                    (start, start.address.checked_add(cursor.leb()?)?)
                }
                _ => return None,
            };
            if !f(start, end) {
                return Some(());
            }
        }
    }

    /// The offset of an indexed range list.
    fn indexed_list(&self, unit: &Unit, index: usize, base: usize) -> Option<usize> {
        let word = usize::from(unit.encoding.format.word_size());
        let at = index.checked_mul(word)?.checked_add(base)?;
        let bytes = self
            .rnglists
            .slice()
            .slice()
            .get(at..at.checked_add(word)?)?;
        let offset = usize::try_from(uint(bytes, self.rnglists.endian)).ok()?;
        base.checked_add(offset)
    }
}

/// The address at an offset of a section, relocated.
fn read_address(section: &Section, at: usize, size: usize) -> Option<Position> {
    let bytes = section.slice().slice().get(at..at.checked_add(size)?)?;
    Some(Position {
        address: uint(bytes, section.endian),
        text: section.fix(at).and_then(|fix| fix.text),
    })
}

struct ScopeReading<'a> {
    all: &'a DebugSections,
    scopes: Scopes,
    ranges: BTreeMap<u64, Vec<Range>>,
    /// The names of functions, by the offset of their entry.
    names: HashMap<usize, Rc<str>>,
    /// Number of scopes and ranges that are still allowed.
    left: usize,
}

impl<'a> ScopeReading<'a> {
    fn unit(&mut self, unit: &Unit) {
        let bases = self.all.bases(unit);
        let mut at = unit.root;
        let mut attributes = unit.end.saturating_sub(unit.start) + ATTRIBUTES_MORE;
        // The scopes around the current entry.
        let mut open: Vec<Option<(u32, u32)>> = Vec::new();
        while at < unit.end {
            let all: &'a DebugSections = self.all;
            let Some(mut reading) = all.read_entry(unit, at) else {
                return;
            };
            let tag = u16::try_from(reading.tag).map(DwTag);
            let is_inlined = tag == Ok(constants::DW_TAG_inlined_subroutine);
            let is_scope = is_inlined || tag == Ok(constants::DW_TAG_subprogram);
            let mut scope = Scope::default();
            if is_scope {
                for placed in reading.by_ref() {
                    let Some(placed) = placed.filter(|_| attributes > 0) else {
                        return;
                    };
                    attributes -= 1;
                    self.attribute(unit, &placed, &bases, &mut scope);
                }
            } else {
                while let Some(is_read) = reading.skip_one() {
                    attributes = attributes.saturating_sub(1);
                    if !is_read || attributes == 0 {
                        return;
                    }
                }
            }
            let around = open.last().copied().flatten();
            let mut inner = around;
            if is_scope {
                // A function in another one has code of its own.
                let outer = around.filter(|_| is_inlined);
                inner = self.scope(unit, at, scope, outer, &bases).or(outer);
            }
            if reading.is_null {
                open.pop();
                if open.is_empty() {
                    return;
                }
            } else if reading.has_children {
                if open.len() >= DEPTH {
                    self.scopes.left_out += 1;
                    return;
                }
                open.push(inner);
            }
            at = reading.at;
        }
    }

    fn attribute(
        &self,
        unit: &Unit,
        placed: &LocatedAttribute<'a>,
        bases: &Bases,
        scope: &mut Scope,
    ) {
        use constants as c;
        let attribute = &placed.attribute;
        let number = || attribute.udata_value().unwrap_or(0);
        match attribute.name() {
            c::DW_AT_abstract_origin | c::DW_AT_specification => {
                scope.origin = reference(unit, attribute);
            }
            c::DW_AT_name => scope.name = self.all.text_of(unit, attribute),
            c::DW_AT_linkage_name | c::DW_AT_MIPS_linkage_name => {
                scope.linkage_name = self.all.text_of(unit, attribute);
            }
            c::DW_AT_low_pc => scope.low = self.all.address_of(unit, placed, bases.addresses),
            c::DW_AT_high_pc => {
                let address = self.all.address_of(unit, placed, bases.addresses);
                scope.high = match address {
                    Some(end) => Some(High::Address(end.address)),
                    None => attribute.udata_value().map(High::Length),
                };
            }
            c::DW_AT_ranges => {
                scope.lists = match attribute.value() {
                    AttributeValue::RangeListsRef(at) => Some(List::At(at.0)),
                    AttributeValue::DebugRngListsIndex(index) => Some(List::Index(index.0)),
                    AttributeValue::SecOffset(at) => Some(List::At(at)),
                    _ => None,
                };
            }
            c::DW_AT_call_file => {
                scope.file = match attribute.value() {
                    AttributeValue::FileIndex(file) => file,
                    _ => number(),
                };
            }
            c::DW_AT_call_line => scope.line = number(),
            c::DW_AT_call_column => scope.column = number(),
            GNU_DISCRIMINATOR => scope.discriminator = number(),
            _ => {}
        }
    }

    /// Adds a scope if it has code. Returns its index and depth.
    fn scope(
        &mut self,
        unit: &Unit,
        at: usize,
        scope: Scope,
        outer: Option<(u32, u32)>,
        bases: &Bases,
    ) -> Option<(u32, u32)> {
        let number = u32::try_from(self.scopes.list.len()).ok()?;
        let depth = outer.map_or(0, |(_, depth)| depth.saturating_add(1));
        let mut ranges: Vec<(u64, u64, u64)> = Vec::new();
        let (mut left, mut is_cut) = (self.left, false);
        let all = self.all;
        let mut add = |start: Position, end: u64| {
            is_cut |= left == 0;
            let len = end.checked_sub(start.address).filter(|len| *len > 0);
            let place = len.and_then(|len| Some((all.code_at(start.address, start.text)?, len)));
            if let Some(((section, offset), len)) = place.filter(|_| left > 0) {
                left -= 1;
                ranges.push((section, offset, offset.saturating_add(len)));
            }
            left > 0
        };
        if let Some(list) = scope.lists {
            let at = match list {
                List::At(at) => Some(at),
                List::Index(index) => all.indexed_list(unit, index, bases.lists),
            };
            // A list that cannot be read to its end has ranges all the same.
            let _ = at.map(|at| match unit.encoding.version {
                5.. => all.each_range_5(unit, at, bases, &mut add),
                _ => all.each_range(at, bases.low, &mut add),
            });
        } else if let (Some(low), Some(high)) = (scope.low, &scope.high) {
            let end = match high {
                High::Address(end) => Some(*end),
                High::Length(len) => low.address.checked_add(*len),
            };
            end.map(|end| add(low, end));
        }
        self.left = left;
        self.scopes.left_out += u64::from(is_cut);
        if ranges.is_empty() {
            return None;
        }
        for (section, start, end) in ranges {
            let list = self.ranges.entry(section).or_default();
            list.push((start, end, depth, number));
        }
        let function = self.function(at, &scope);
        let small = |caller: (u32, u32)| caller.0;
        self.scopes.list.push(Found {
            function,
            caller: outer.map(small),
            file: bases.program.map(|program| (program, scope.file)),
            line: scope.line,
            column: scope.column,
            discriminator: scope.discriminator,
            entry: all.info.place(at, at.saturating_add(1)),
        });
        Some((number, depth))
    }

    /// The name of the function of an entry.
    fn function(&mut self, at: usize, scope: &Scope) -> Rc<str> {
        if let Some(known) = self.names.get(&at) {
            return Rc::clone(known);
        }
        let (mut linkage, mut plain) = (scope.linkage_name.clone(), scope.name.clone());
        let mut next = scope.origin;
        for _ in 0..ORIGINS {
            if linkage.is_some() {
                break;
            }
            let Some(origin) = next.take() else { break };
            if let Some(known) = self.names.get(&origin).filter(|_| plain.is_none()) {
                return Rc::clone(known);
            }
            let Some((_, unit)) = self.all.unit_at(origin) else {
                break;
            };
            for placed in self.all.first_attributes(unit, origin) {
                use constants as c;
                match placed.attribute.name() {
                    c::DW_AT_abstract_origin | c::DW_AT_specification => {
                        next = reference(unit, &placed.attribute);
                    }
                    c::DW_AT_linkage_name | c::DW_AT_MIPS_linkage_name => {
                        linkage = self.all.text_of(unit, &placed.attribute);
                    }
                    c::DW_AT_name if plain.is_none() => {
                        plain = self.all.text_of(unit, &placed.attribute);
                    }
                    _ => {}
                }
            }
        }
        let name = linkage.or(plain).unwrap_or_default();
        let name = demangle(&name).unwrap_or_else(|| name.into());
        // Calls of one function share its name.
        self.names
            .insert(scope.origin.unwrap_or(at), Rc::clone(&name));
        name
    }
}

/// The offset in `.debug_info` that an attribute refers to.
fn reference(unit: &Unit, attribute: &Attribute<Slice<'_>>) -> Option<usize> {
    match attribute.value() {
        AttributeValue::UnitRef(to) => unit.start.checked_add(to.0),
        AttributeValue::DebugInfoRef(to) => Some(to.0),
        _ => None,
    }
}

/// The innermost scopes of the ranges of a section, without overlaps.
fn innermost(ranges: &[Range]) -> Vec<(u64, u64, u32)> {
    // The edges of ranges: at one offset, those that end come first.
    let mut edges: Vec<(u64, bool, (u32, u32))> = Vec::new();
    for (start, end, depth, scope) in ranges {
        edges.push((*start, true, (*depth, *scope)));
        edges.push((*end, false, (*depth, *scope)));
    }
    sort::ascending(&mut edges);
    let mut active: BTreeMap<(u32, u32), u32> = BTreeMap::new();
    let mut out: Vec<(u64, u64, u32)> = Vec::new();
    let mut before = 0;
    for (offset, starts, scope) in edges {
        if let Some(((_, scope), _)) = active.last_key_value().filter(|_| before < offset) {
            match out.last_mut() {
                Some(last) if last.1 == before && last.2 == *scope => last.1 = offset,
                _ => out.push((before, offset, *scope)),
            }
        }
        before = offset;
        if starts {
            *active.entry(scope).or_default() += 1;
        } else if let Some(count) = active.get_mut(&scope) {
            *count -= 1;
            if *count == 0 {
                active.remove(&scope);
            }
        }
    }
    out
}
