//! `.debug_info`: units, and the tree of their debugging information entries. DWARF 5, 7.5.

use std::ops::Range;
use std::rc::Rc;

use gimli::{DebugInfo, Encoding};

use super::abbrev::tag_text;
use super::attribute::CODE_DOC;
use super::paged::{State, numbered};
use super::section::Part;
use super::sections::{DebugSections, item, lazy};
use zeview_core::model::{Doc, Node, NodeKind, Value};

const SOURCE: &str = "DWARF 5, 7.5.1 Unit Headers";

const fn doc(text: &'static str) -> Doc {
    Doc {
        text,
        source: SOURCE,
        known: &[],
    }
}

static UNIT_DOC: Doc = doc("A unit: a header, and the entries that describe a source file.");
static HEADER_DOC: Doc =
    doc("The size and version of the unit, and the offset of its abbreviations.");
static ESCAPE_DOC: Doc =
    doc("Marks the 64-bit DWARF format: offsets and lengths are 64 bits wide.");
static LENGTH_DOC: Doc = doc("The size of the unit in bytes, without this field.");
static VERSION_DOC: Doc = doc("The DWARF version.");
static TYPE_DOC: Doc = doc("The kind of the unit. Since DWARF 5.");
static ABBREV_DOC: Doc = doc("The offset of the unit's abbreviations in .debug_abbrev.");
static ADDRESS_DOC: Doc = doc("The size of an address in bytes.");
static ID_DOC: Doc = doc("The id of a skeleton or split unit, or the signature of a type.");
static TYPE_OFFSET_DOC: Doc = doc("The offset of the type's entry in the unit.");
static NULL_DOC: Doc = Doc {
    text: "Ends the list of children of an entry.",
    source: "DWARF 5, 7.5.2 Debugging Information Entry",
    known: &[],
};
static ENTRY_DOC: Doc = Doc {
    text: "A debugging information entry (DIE): its tag, attributes and children.",
    source: "DWARF 5, 2.1 The Debugging Information Entry",
    known: &[],
};
static LIMIT_DOC: Doc = Doc {
    text: "Entries beyond a limit of zeview, which no compiler's output reaches.",
    source: "DWARF 5, 7.5 Format of Debugging Information",
    known: &[],
};
static REST_DOC: Doc = Doc {
    text: "Bytes that cannot be decoded as entries.",
    source: "DWARF 5, 7.5 Format of Debugging Information",
    known: &[],
};

/// A unit's location and encoding.
#[derive(Debug, Clone, Copy)]
pub(super) struct Unit {
    pub(super) start: usize,
    pub(super) end: usize,
    /// The start of its entries.
    pub(super) root: usize,
    /// The offset of its abbreviations.
    pub(super) abbreviations: usize,
    /// The encoding of its values.
    pub(super) encoding: Encoding,
}

/// The entries of a unit, in the order of their bytes.
#[derive(Debug, Default)]
pub(super) struct Entries {
    list: Vec<Entry>,
    /// The first byte that was not read.
    rest: usize,
    /// Whether there are too many entries or attributes to read all.
    too_many: bool,
}

/// An entry. Stores only offsets, to take less memory than most entries have bytes.
#[derive(Debug, Clone, Copy)]
struct Entry {
    /// Its offset in the section. It ends where the next one starts.
    start: u32,
    /// The entry after its children.
    next: u32,
}

impl Entries {
    /// Returns the start of an entry, or the end of the last one if there is no such entry.
    fn start(&self, number: usize) -> usize {
        let entry = self.list.get(number);
        entry.map_or(self.rest, |entry| wide(entry.start))
    }

    /// Returns the entry after the children of an entry.
    fn next(&self, number: usize) -> usize {
        let entry = self.list.get(number);
        entry.map_or(self.list.len(), |entry| wide(entry.next))
    }

    /// Returns the entry that starts at an offset.
    fn find(&self, start: usize) -> Option<usize> {
        let start = u32::try_from(start).ok()?;
        let list = &self.list;
        list.binary_search_by_key(&start, |entry| entry.start).ok()
    }
}

pub(super) fn wide(offset: u32) -> usize {
    usize::try_from(offset).unwrap_or(usize::MAX)
}

pub(super) fn narrow(offset: usize) -> u32 {
    u32::try_from(offset).unwrap_or(u32::MAX)
}

/// Maximum number of attributes per byte of a unit, beyond a fixed number: some forms take no
/// bytes.
const ATTRIBUTES: usize = 1;
const ATTRIBUTES_MORE: usize = 4096;

/// Limits the number of entries by their average size in bytes, beyond a fixed number; real ones
/// have ten bytes.
const ENTRY_BYTES: usize = 2;
const ENTRIES_MORE: usize = 1 << 16;

/// Maximum nesting of decoded entries. Compilers write a few dozen levels.
const DEPTH: usize = 128;

impl DebugSections {
    /// Finds the units by their headers.
    pub(super) fn find_units(&self) -> Vec<Unit> {
        let section = DebugInfo::from(self.info.slice());
        let mut units = Vec::new();
        let mut iter = section.units();
        while let Ok(Some(header)) = iter.next() {
            let Some(offset) = header.debug_info_offset() else {
                break;
            };
            units.push(Unit {
                start: offset.0,
                end: offset.0.saturating_add(header.length_including_self()),
                root: offset.0.saturating_add(header.header_size()),
                abbreviations: header.debug_abbrev_offset().0,
                encoding: header.encoding(),
            });
        }
        units
    }

    /// Returns the unit that contains an offset.
    pub(super) fn unit_at(&self, offset: usize) -> Option<(usize, &Unit)> {
        let after = self.units.partition_point(|unit| unit.start <= offset);
        let number = after.checked_sub(1)?;
        let unit = self.units.get(number).filter(|unit| offset < unit.end)?;
        Some((number, unit))
    }

    fn entries_of(&self, number: usize, unit: &Unit) -> Rc<Entries> {
        let size = unit.end - unit.start;
        self.entries.get(number, size, || self.walk(unit))
    }

    /// Reads the structure of a unit's entries.
    fn walk(&self, unit: &Unit) -> Entries {
        let mut entries = Entries {
            rest: unit.root,
            ..Entries::default()
        };
        let (mut open, mut deeper) = (Vec::new(), 0usize);
        let size = unit.end - unit.start;
        let mut attributes = size.saturating_mul(ATTRIBUTES) + ATTRIBUTES_MORE;
        let max_entries = size / ENTRY_BYTES + ENTRIES_MORE;
        while entries.rest < unit.end {
            let start = entries.rest;
            let Some(mut reading) = self.read_entry(unit, start) else {
                break;
            };
            let mut is_whole = true;
            while let Some(skipped) = reading.skip_one().filter(|_| is_whole) {
                attributes = attributes.saturating_sub(1);
                is_whole = skipped && attributes > 0;
            }
            entries.too_many = attributes == 0 || entries.list.len() >= max_entries;
            if !is_whole || entries.too_many {
                break;
            }
            entries.rest = reading.at;
            let number = entries.list.len();
            // Deeper entries belong to the last one within the limit.
            let is_listed = open.len() < DEPTH;
            if is_listed {
                entries.list.push(Entry {
                    start: narrow(start),
                    next: narrow(number + 1),
                });
            }
            match (reading.has_children, reading.is_null) {
                (true, _) if is_listed => open.push(number),
                // Counted, so that their ends do not close entries within the limit.
                (true, _) => deeper += 1,
                (_, true) if deeper > 0 => deeper -= 1,
                (_, true) => {
                    let parent = open.pop().and_then(|parent| entries.list.get_mut(parent));
                    if let Some(parent) = parent {
                        parent.next = narrow(number + usize::from(is_listed));
                    }
                }
                _ => {}
            }
        }
        let last = narrow(entries.list.len());
        // In a unit that is cut off, the lists of children have no end.
        for parent in open {
            if let Some(parent) = entries.list.get_mut(parent) {
                parent.next = last;
            }
        }
        entries
    }

    /// Returns the rows of the units.
    pub(super) fn unit_nodes(&self, range: Option<Range<u64>>) -> (u64, Vec<Node>) {
        let end = self.units.last().map_or(0, |unit| unit.end);
        let rest = self.info.cursor(end..usize::MAX).rest();
        let count = self.units.len() + usize::from(!rest.is_empty());
        numbered(count, range, |number| {
            let Some(unit) = self.units.get(number) else {
                let node = Node::new(NodeKind::Blob, "no unit", rest).value(Value::Bytes);
                return Some(node.doc(&REST_DOC));
            };
            let mut words = Vec::new();
            words.extend(self.name_at(unit, unit.root));
            words.push(format!("DWARF {}", unit.encoding.version));
            let span = self.info.place(unit.start, unit.end);
            let node = Node::new(NodeKind::Record, "unit", span)
                .indexed()
                .summary(words.join(", "))
                .doc(&UNIT_DOC);
            Some(lazy(node, item::UNIT, number, None))
        })
    }

    /// Returns the rows of a unit: its header, its entries and unreadable bytes.
    pub(super) fn unit_rows(&self, number: usize, range: Option<Range<u64>>) -> (u64, Vec<Node>) {
        let Some(unit) = self.units.get(number) else {
            return (0, Vec::new());
        };
        let entries = self.entries_of(number, unit);
        let mut step = |state: &mut State| {
            if state.phase == 0 {
                (state.phase, state.at) = (1, unit.root);
                let span = self.info.place(unit.start, unit.root);
                let header = Node::new(NodeKind::Record, "header", span);
                return Some(lazy(header.doc(&HEADER_DOC), item::HEADER, number, None));
            }
            if state.next < entries.list.len() {
                return Some(self.entry_node(unit, &entries, state));
            }
            if entries.rest >= unit.end || state.phase > 1 {
                return None;
            }
            (state.phase, state.at) = (2, unit.end);
            let rest = self.info.place(entries.rest, unit.end);
            Some(if entries.too_many {
                Node::new(NodeKind::Blob, "further entries", rest)
                    .value(Value::Bytes)
                    .summary("too many for the size of the unit: not decoded")
                    .doc(&LIMIT_DOC)
            } else {
                Node::new(NodeKind::Blob, "unreadable entries", rest)
                    .value(Value::Bytes)
                    .doc(&REST_DOC)
            })
        };
        let key = item::of(item::UNIT, number);
        let first = State::at(unit.start);
        self.info.paged.rows(key, first, range, &mut step)
    }

    /// Returns the row of the entry with the state's number. Advances the state to its sibling.
    fn entry_node(&self, unit: &Unit, entries: &Entries, state: &mut State) -> Node {
        let start = entries.start(state.next);
        state.next = entries.next(state.next);
        state.at = entries.start(state.next);
        let whole = self.info.place(start, state.at);
        let reading = self.read_entry(unit, start).filter(|entry| !entry.is_null);
        let Some(reading) = reading else {
            let node = Node::new(NodeKind::Field, "null entry", whole).value(Value::Bytes);
            return node.doc(&NULL_DOC);
        };
        let node = Node::new(NodeKind::Item, tag_text(reading.tag), whole);
        let node = match self.name_at(unit, start) {
            Some(name) => node.summary(name),
            None => node,
        };
        lazy(node.doc(&ENTRY_DOC), item::ENTRY, start, None)
    }

    /// Returns the rows of an entry: its attributes, then its children.
    pub(super) fn entry_rows(&self, start: usize, range: Option<Range<u64>>) -> (u64, Vec<Node>) {
        let Some((number, unit)) = self.unit_at(start) else {
            return (0, Vec::new());
        };
        let entries = self.entries_of(number, unit);
        let (Some(entry), Some(reading)) = (entries.find(start), self.read_entry(unit, start))
        else {
            return (0, Vec::new());
        };
        let end = entries.next(entry);
        let code = reading.at;
        let mut step = |state: &mut State| {
            if state.phase == 0 {
                (state.phase, state.at) = (1, code);
                state.next = reading.attributes.at;
                let mut cursor = self.info.cursor(start..code);
                return cursor
                    .leb_field("abbreviation code", &CODE_DOC)
                    .map(|code| code.1);
            }
            if state.phase == 1 {
                let children = entries.start(entry + 1);
                if let Some(row) = self.attribute_row_at(unit, &reading, children, state) {
                    return Some(row);
                }
                (state.phase, state.next) = (2, entry + 1);
                if state.at < children {
                    let deeper = self.info.place(state.at, children);
                    state.at = children;
                    let node = Node::new(NodeKind::Blob, "deeper entries", deeper)
                        .value(Value::Bytes)
                        .summary(format!("nested more than {DEPTH} deep: not decoded"));
                    return Some(node.doc(&LIMIT_DOC));
                }
            }
            (state.next < end).then(|| self.entry_node(unit, &entries, state))
        };
        let key = item::of(item::ENTRY, start);
        let first = State::at(start);
        self.info.paged.rows(key, first, range, &mut step)
    }

    /// Returns the unit and the start of the entry that contains an offset.
    pub(super) fn entry_holding(&self, offset: usize) -> Option<(&Unit, usize)> {
        let (number, unit) = self.unit_at(offset)?;
        let entries = self.entries_of(number, unit);
        let offset = u32::try_from(offset).ok()?;
        let after = entries.list.partition_point(|entry| entry.start <= offset);
        Some((unit, entries.start(after.checked_sub(1)?)))
    }

    /// Returns the tag and name of the entry at an offset of the section.
    pub(super) fn title_at(&self, offset: usize) -> Option<String> {
        let (_, unit) = self.unit_at(offset)?;
        let entry = self.read_entry(unit, offset)?;
        let tag = tag_text(Some(entry.tag).filter(|_| !entry.is_null)?);
        let tag = tag.strip_prefix("DW_TAG_").unwrap_or(&tag).to_owned();
        Some(match self.name_at(unit, offset) {
            Some(name) => format!("{tag} {name}"),
            None => tag,
        })
    }

    /// Returns the fields of a unit's header.
    pub(super) fn unit_header_rows(&self, number: usize) -> Vec<Node> {
        let mut rows = Vec::new();
        if let Some(unit) = self.units.get(number) {
            // The header was read successfully before.
            let _ = self.push_unit_header(unit, &mut rows);
        }
        rows
    }

    fn push_unit_header(&self, unit: &Unit, rows: &mut Vec<Node>) -> Option<()> {
        let mut cursor = self.info.cursor(unit.start..unit.root);
        let mut word = 4;
        let (length, mut node) = cursor.field("unit_length", 4, false, &LENGTH_DOC)?;
        if length == 0xffff_ffff {
            word = 8;
            node.name = "escape".into();
            rows.push(node.doc(&ESCAPE_DOC));
            node = cursor.field("unit_length", 8, false, &LENGTH_DOC)?.1;
        }
        rows.push(node);
        let (version, node) = cursor.field("version", 2, false, &VERSION_DOC)?;
        rows.push(node);
        let mut kind = 0;
        if version >= 5 {
            let (raw, node) = cursor.field("unit_type", 1, false, &TYPE_DOC)?;
            kind = raw;
            let name = u8::try_from(raw).ok().map(gimli::constants::DwUt);
            let name = name.and_then(|name| name.static_string());
            rows.push(match name {
                Some(name) => node.value(Value::decimal(raw, 8).named(name)),
                None => node,
            });
            rows.push(cursor.field("address_size", 1, false, &ADDRESS_DOC)?.1);
        }
        let node = cursor
            .field("debug_abbrev_offset", word, true, &ABBREV_DOC)?
            .1;
        rows.push(match self.place_of(Part::Abbrev.name()) {
            Some(place) => {
                let table = place.subspan(unit.abbreviations as u64, 1);
                node.xref("abbreviations", format!("{:#x}", unit.abbreviations), table)
            }
            None => node,
        });
        if version < 5 {
            rows.push(cursor.field("address_size", 1, false, &ADDRESS_DOC)?.1);
        }
        // DW_UT_type, DW_UT_skeleton, DW_UT_split_compile, DW_UT_split_type.
        if matches!(kind, 2 | 4 | 5 | 6) {
            rows.push(cursor.field("id", 8, true, &ID_DOC)?.1);
        }
        if matches!(kind, 2 | 6) {
            rows.push(cursor.field("type_offset", word, true, &TYPE_OFFSET_DOC)?.1);
        }
        Some(())
    }
}
