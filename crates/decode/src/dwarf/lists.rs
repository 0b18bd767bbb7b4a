//! `.debug_loc` and `.debug_ranges`: the locations of variables for each address range, and the
//! address ranges of entries. DWARF 4, 2.6.2 and 2.17.3; version 5 has other sections for them.
//!
//! ```text
//! begin │ end │ of locations: size (2 bytes), expression     addresses from the unit's on
//! …
//! 0 │ 0
//! ```

use std::ops::Range;

use gimli::{Encoding, Expression, Format, Reader};

use super::cursor::Cursor;
use super::paged::State;
use super::section::{Part, Section, Slice};
use super::sections::{DebugSections, item, lazy};
use crate::text::plural;
use zeview_core::model::{Doc, Node, NodeKind, Value};

const fn doc(text: &'static str) -> Doc {
    Doc {
        text,
        source: "DWARF 4, 2.6.2 Location Lists, 2.17.3 Non-Contiguous Address Ranges",
        known: &[],
    }
}

static LOCATIONS_DOC: Doc = doc("The location of a variable for each range of addresses.");
static RANGES_DOC: Doc = doc("The address ranges of an entry.");
static ENTRY_DOC: Doc = doc("A range of addresses, and the location of the value in it.");
static RANGE_DOC: Doc = doc("A range of addresses.");
static BASE_DOC: Doc = doc("The base of the addresses that follow.");
static BEGIN_DOC: Doc = doc("The first address of the range, relative to the base address.");
static FROM_DOC: Doc = doc("All bits set: a base address follows.");
static BASE_ADDRESS_DOC: Doc = doc("The base address.");
static LAST_DOC: Doc =
    doc("The end address of the range (exclusive), relative to the base address.");
static SIZE_DOC: Doc = doc("The size of the expression in bytes.");
static END_DOC: Doc = doc("The end of the list.");
static REST_DOC: Doc = doc("Bytes that cannot be decoded as a list.");

/// An address of code.
#[derive(Debug, Clone, Copy)]
pub(super) struct Position {
    pub(super) address: u64,
    /// The index of the code section, if a relocation names it.
    pub(super) text: Option<u64>,
}

impl Position {
    /// The address plus an offset, in the same section.
    pub(super) fn plus(self, offset: u64) -> Option<Position> {
        let address = self.address.checked_add(offset)?;
        Some(Position { address, ..self })
    }
}

/// The lists of a section, by offset.
#[derive(Debug, Default)]
pub(super) struct Lists {
    starts: Vec<(usize, u64)>,
    /// The end of the last list.
    end: usize,
}

/// An entry: its range, and the offset of its expression.
struct Entry {
    begin: u64,
    end: u64,
    base: bool,
    last: bool,
    expression: Option<(usize, usize)>,
}

impl DebugSections {
    /// Finds the lists of a section.
    pub(super) fn find_lists(&self, part: Part) -> Lists {
        let mut lists = Lists::default();
        let (section, _) = self.lists_of(part);
        let mut cursor = section.cursor(0..usize::MAX);
        let mut count = 0;
        while let Some(entry) = self.list_entry(&mut cursor, part) {
            count += 1;
            if entry.last {
                lists.starts.push((lists.end, count));
                lists.end = cursor.at;
                count = 0;
            }
        }
        lists
    }

    fn list_entry(&self, cursor: &mut Cursor<'_>, part: Part) -> Option<Entry> {
        let size = usize::from(self.address_size());
        let base_escape = if size == 8 { u64::MAX } else { u32::MAX.into() };
        let at = cursor.at;
        let (begin, end) = (cursor.number(size)?, cursor.number(size)?);
        let section = cursor.section;
        let patched = |place: usize| section.fix(place).is_some();
        let value = |place: usize, raw: u64| section.fix(place).map_or(raw, |fix| fix.value);
        // With relocations, the stored zeros do not count: the addends are in the table.
        let last = begin == 0 && end == 0 && !patched(at) && !patched(at + size);
        let base = begin == base_escape;
        let mut expression = None;
        if part == Part::Loc && !last && !base {
            let len = usize::try_from(cursor.number(2)?).ok()?;
            let from = cursor.at;
            cursor.take(len)?;
            expression = Some((from, cursor.at));
        }
        Some(Entry {
            begin: value(at, begin),
            end: value(at + size, end),
            base,
            last,
            expression,
        })
    }

    /// Calls `f` with the start and end of each range of the list at an offset of `.debug_ranges`,
    /// until it returns `false`. `base` is the start of the unit's code.
    pub(super) fn each_range(
        &self,
        start: usize,
        mut base: Option<Position>,
        f: &mut dyn FnMut(Position, u64) -> bool,
    ) -> Option<()> {
        let mut cursor = self.ranges.cursor(start..usize::MAX);
        loop {
            let at = cursor.at;
            let entry = self.list_entry(&mut cursor, Part::Ranges)?;
            if entry.last {
                return Some(());
            }
            let text = |place: usize| self.ranges.fix(place).and_then(|fix| fix.text);
            if entry.base {
                let place = at + usize::from(self.address_size());
                base = Some(Position {
                    address: entry.end,
                    text: text(place),
                });
                continue;
            }
            let (begin, end) = match (text(at), base) {
                // A relocated address is not relative to the base.
                (None, Some(base)) => (base.plus(entry.begin)?, base.plus(entry.end)?.address),
                (text, _) => {
                    let address = entry.begin;
                    (Position { address, text }, entry.end)
                }
            };
            if !f(begin, end) {
                return Some(());
            }
        }
    }

    fn lists_of(&self, part: Part) -> (&Section, &Lists) {
        match part {
            Part::Loc => (&self.loc, &self.loc_lists),
            _ => (&self.ranges, &self.range_lists),
        }
    }

    /// Returns the rows of the lists.
    pub(super) fn list_nodes(&self, part: Part, range: Option<Range<u64>>) -> (u64, Vec<Node>) {
        let (section, lists) = self.lists_of(part);
        let all = lists.starts.len();
        let rest = section.cursor(lists.end..usize::MAX).rest();
        let count = all as u64 + u64::from(!rest.is_empty());
        let range = range.unwrap_or(0..0);
        let numbers = (range.start..range.end.min(count)).filter_map(|i| usize::try_from(i).ok());
        let rows = numbers.map(|number| {
            let Some((start, entries)) = lists.starts.get(number).copied() else {
                let node = Node::new(NodeKind::Blob, "no list", rest).value(Value::Bytes);
                return node.doc(&REST_DOC);
            };
            let end = lists
                .starts
                .get(number + 1)
                .map_or(lists.end, |(next, _)| *next);
            let (name, doc) = match part {
                Part::Loc => ("location list", &LOCATIONS_DOC),
                _ => ("ranges", &RANGES_DOC),
            };
            let node = Node::new(NodeKind::Table, name, section.place(start, end))
                .indexed()
                .summary(format!("at {start:#x}, {}", plural(entries - 1, "entry")))
                .doc(doc);
            lazy(node, item::UNIT, start, Some(entries))
        });
        (count, rows.collect())
    }

    fn encoding(&self) -> Encoding {
        Encoding {
            address_size: self.address_size(),
            format: Format::Dwarf32,
            version: 4,
        }
    }

    /// Returns the entries of the list at an offset.
    pub(super) fn list_rows(
        &self,
        part: Part,
        start: usize,
        range: Option<Range<u64>>,
    ) -> (u64, Vec<Node>) {
        let (section, _) = self.lists_of(part);
        let mut step = |state: &mut State| {
            let from = state.at;
            let mut cursor = section.cursor(from..usize::MAX);
            let entry = match state.phase {
                0 => self.list_entry(&mut cursor, part)?,
                _ => return None,
            };
            state.at = cursor.at;
            let own = cursor.since(from);
            if entry.last {
                state.phase = 1;
                let node = Node::new(NodeKind::Item, "end", own).value(Value::Bytes);
                return Some(node.doc(&END_DOC));
            }
            let (name, doc) = match (entry.base, part) {
                (true, _) => ("base address", &BASE_DOC),
                (false, Part::Loc) => ("location", &ENTRY_DOC),
                (false, _) => ("range", &RANGE_DOC),
            };
            let mut summary = if entry.base {
                format!("{:#x}", entry.end)
            } else {
                format!("{:#x} to {:#x}", entry.begin, entry.end)
            };
            if let Some((from, to)) = entry.expression {
                let text = self.expression_text(expression(section, from, to), self.encoding());
                if !text.is_empty() {
                    summary.push_str(": ");
                    summary.push_str(&text);
                }
            }
            let node = Node::new(NodeKind::Item, name, own)
                .indexed()
                .summary(summary);
            Some(lazy(node.doc(doc), item::ENTRY, from, None))
        };
        let key = item::of(item::UNIT, start);
        section.paged.rows(key, State::at(start), range, &mut step)
    }

    /// Returns the fields of the entry at an offset.
    pub(super) fn list_entry_rows(
        &self,
        part: Part,
        start: usize,
        range: Option<Range<u64>>,
    ) -> (u64, Vec<Node>) {
        let (section, _) = self.lists_of(part);
        let Some(entry) = self.list_entry(&mut section.cursor(start..usize::MAX), part) else {
            return (0, Vec::new());
        };
        let size = usize::from(self.address_size());
        let names = if entry.base {
            [("escape", &FROM_DOC), ("base", &BASE_ADDRESS_DOC)]
        } else {
            [("begin", &BEGIN_DOC), ("end", &LAST_DOC)]
        };
        let mut step = |state: &mut State| {
            let mut cursor = section.cursor(state.at..usize::MAX);
            let phase = state.phase;
            if phase > 2 {
                let (_, to) = entry.expression?;
                return self.operation(section, state, to, self.encoding());
            }
            let node = match names.get(usize::from(phase)) {
                Some((name, doc)) => {
                    let (_, node) = cursor.field(name, size, true, doc)?;
                    let fix = section.fix(state.at);
                    let place = fix.and_then(|fix| self.code_at(fix.value, fix.text));
                    match place.and_then(|place| self.code_text(place)) {
                        Some((text, to)) => node.xref("code", text, to),
                        None => node,
                    }
                }
                None => {
                    entry.expression?;
                    cursor.field("size", 2, false, &SIZE_DOC)?.1
                }
            };
            state.phase += 1;
            state.at = cursor.at;
            Some(node)
        };
        let key = item::of(item::ENTRY, start);
        section.paged.rows(key, State::at(start), range, &mut step)
    }

    /// Returns the list that contains an offset.
    pub(super) fn list_at(&self, part: Part, offset: usize) -> Option<u64> {
        let (_, lists) = self.lists_of(part);
        if offset >= lists.end {
            return Some(lists.starts.len() as u64);
        }
        let after = lists.starts.partition_point(|(start, _)| *start <= offset);
        Some(after.checked_sub(1)? as u64)
    }
}

fn expression(section: &Section, from: usize, to: usize) -> Expression<Slice<'_>> {
    let mut slice = section.slice();
    if slice.skip(from).is_err() || slice.truncate(to - from).is_err() {
        slice.empty();
    }
    Expression(slice)
}
