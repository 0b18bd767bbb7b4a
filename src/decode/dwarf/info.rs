//! `.debug_info`: units, and the tree of their debugging entries. DWARF 5, 7.5.

use std::ops::Range;
use std::rc::Rc;

use gimli::constants::DwTag;
use gimli::{DebugInfo, DebugInfoOffset, UnitHeader, UnitOffset};

use super::Part;
use super::abbrev::tag_text;
use super::sections::{DebugSections, Slice, item, lazy, some};
use crate::model::{Doc, Node, NodeKind, Value};

const SOURCE: &str = "DWARF 5, 7.5.1 Unit Headers";

const fn doc(text: &'static str) -> Doc {
    Doc {
        text,
        source: SOURCE,
        known: &[],
    }
}

static UNIT_DOC: Doc = doc("A unit: a header, and the entries that describe a source file.");
static HEADER_DOC: Doc = doc("The size and version of the unit, and where its abbreviations are.");
static ESCAPE_DOC: Doc = doc("Says that offsets and lengths have 64 bits.");
static LENGTH_DOC: Doc = doc("The size of the unit, without this field.");
static VERSION_DOC: Doc = doc("The version of DWARF.");
static TYPE_DOC: Doc = doc("What sort of unit it is. Since DWARF 5.");
static ABBREV_DOC: Doc = doc("Where in .debug_abbrev the unit's abbreviations start.");
static ADDRESS_DOC: Doc = doc("The size of an address in bytes.");
static ID_DOC: Doc = doc("What identifies the unit: of a skeleton or split unit, or a type.");
static TYPE_OFFSET_DOC: Doc = doc("Where in the unit the entry of the type is.");
static NULL_DOC: Doc = Doc {
    text: "The end of the children of an entry.",
    source: "DWARF 5, 7.5.2 Debugging Information Entry",
    known: &[],
};
static ENTRY_DOC: Doc = Doc {
    text: "A debugging entry: what it is, its attributes, and the entries that belong to it.",
    source: "DWARF 5, 2.1 The Debugging Information Entry",
    known: &[],
};
static REST_DOC: Doc = Doc {
    text: "What stands here cannot be read as entries.",
    source: "DWARF 5, 7.5 Format of Debugging Information",
    known: &[],
};

/// Where a unit is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Unit {
    pub(super) start: usize,
    pub(super) end: usize,
    /// Where its entries start.
    pub(super) root: usize,
    /// Where its abbreviations are.
    pub(super) abbreviations: usize,
}

/// The entries of a unit, in the order of their bytes.
#[derive(Debug, Default)]
pub(super) struct Entries {
    list: Vec<Entry>,
    /// How many of them belong to no other.
    roots: u64,
    /// The first byte that could not be read.
    rest: usize,
}

/// An entry. Offsets count from the section's start.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    pub(super) start: u32,
    /// The first byte after its attributes.
    pub(super) end: u32,
    /// The first byte after its children.
    close: u32,
    /// The entry after its children.
    next: u32,
    /// How many children it has, with the one that ends them.
    children: u32,
    tag: u16,
    null: bool,
}

/// So many attributes are read for each byte of a unit, and some: some forms take no bytes.
const ATTRIBUTES: u64 = 4;
const ATTRIBUTES_MORE: u64 = 4096;

impl DebugSections {
    /// Walks through the headers.
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
            });
        }
        units
    }

    pub(super) fn unit_header(&self, unit: &Unit) -> Option<UnitHeader<Slice<'_>>> {
        let section = DebugInfo::from(self.info.slice());
        section.header_from_offset(DebugInfoOffset(unit.start)).ok()
    }

    /// The unit that holds an offset.
    pub(super) fn unit_at(&self, offset: usize) -> Option<(usize, &Unit)> {
        let after = self.units.partition_point(|unit| unit.start <= offset);
        let number = after.checked_sub(1)?;
        let unit = self.units.get(number).filter(|unit| offset < unit.end)?;
        Some((number, unit))
    }

    pub(super) fn entries_of(&self, number: usize) -> Rc<Entries> {
        self.entries.get(number, || {
            self.units
                .get(number)
                .and_then(|unit| self.walk(unit))
                .unwrap_or_else(|| Entries {
                    rest: self.units.get(number).map_or(0, |unit| unit.root),
                    ..Entries::default()
                })
        })
    }

    /// Walks through the entries of a unit.
    fn walk(&self, unit: &Unit) -> Option<Entries> {
        let header = self.unit_header(unit)?;
        let abbreviations = self.abbreviations(unit.abbreviations);
        let abbreviations = Option::as_ref(&abbreviations)?;
        let mut raw = header.entries_raw(abbreviations, None).ok()?;
        let mut entries = Entries::default();
        let mut open: Vec<usize> = Vec::new();
        let size = (unit.end - unit.start) as u64;
        let mut budget = size * ATTRIBUTES + ATTRIBUTES_MORE;
        let place = |offset: UnitOffset| u32::try_from(unit.start + offset.0).unwrap_or(u32::MAX);
        let mut at = place(raw.next_offset());
        while !raw.is_empty() {
            let Ok(abbreviation) = raw.read_abbreviation() else {
                break;
            };
            if let Some(abbreviation) = abbreviation {
                let specs = abbreviation.attributes();
                budget = budget.saturating_sub(specs.len() as u64);
                if budget == 0 || raw.skip_attributes(specs).is_err() {
                    break;
                }
            }
            let end = place(raw.next_offset());
            let number = entries.list.len();
            let next = u32::try_from(number + 1).unwrap_or(u32::MAX);
            match open.last().and_then(|parent| entries.list.get_mut(*parent)) {
                Some(parent) => parent.children += 1,
                None => entries.roots += 1,
            }
            entries.list.push(Entry {
                start: at,
                end,
                close: end,
                next,
                children: 0,
                tag: abbreviation.map_or(0, |abbreviation| abbreviation.tag().0),
                null: abbreviation.is_none(),
            });
            match abbreviation {
                Some(abbreviation) if abbreviation.has_children() => open.push(number),
                Some(_) => {}
                None => {
                    let closed = open.pop().and_then(|parent| entries.list.get_mut(parent));
                    if let Some(parent) = closed {
                        (parent.close, parent.next) = (end, next);
                    }
                }
            }
            at = end;
        }
        let last = u32::try_from(entries.list.len()).unwrap_or(u32::MAX);
        for parent in open {
            if let Some(parent) = entries.list.get_mut(parent) {
                (parent.close, parent.next) = (at, last);
            }
        }
        entries.rest = usize::try_from(at).unwrap_or(usize::MAX);
        Some(entries)
    }

    /// The units.
    pub(super) fn unit_nodes(&self) -> Vec<Node> {
        let mut rows = Vec::new();
        for (number, unit) in self.units.iter().enumerate() {
            let mut words = Vec::new();
            words.extend(self.name_at(unit, unit.root));
            if let Some(header) = self.unit_header(unit) {
                words.push(format!("DWARF {}", header.version()));
            }
            let node = Node::new(
                NodeKind::Record,
                "unit",
                self.info.place(unit.start, unit.end),
            )
            .indexed()
            .summary(words.join(", "))
            .doc(&UNIT_DOC);
            rows.push(lazy(node, item::UNIT, number, None));
        }
        let end = self.units.last().map_or(0, |unit| unit.end);
        let rest = self.info.cursor(end..usize::MAX).rest();
        if !rest.is_empty() {
            let node = Node::new(NodeKind::Blob, "no unit", rest).value(Value::Bytes);
            rows.push(node.doc(&REST_DOC));
        }
        rows
    }

    /// The header of a unit, its entries, and what cannot be read.
    pub(super) fn unit_rows(&self, number: usize, range: Option<Range<u64>>) -> (u64, Vec<Node>) {
        let Some(unit) = self.units.get(number) else {
            return (0, Vec::new());
        };
        let entries = self.entries_of(number);
        let header = Node::new(
            NodeKind::Record,
            "header",
            self.info.place(unit.start, unit.root),
        );
        let header = lazy(header.doc(&HEADER_DOC), item::HEADER, number, None);
        let mut after = Vec::new();
        if entries.rest < unit.end {
            let rest = self.info.place(entries.rest, unit.end);
            let node = Node::new(NodeKind::Blob, "unreadable entries", rest);
            after.push(node.value(Value::Bytes).doc(&REST_DOC));
        }
        self.around(
            unit,
            &entries,
            vec![header],
            (0, entries.roots),
            after,
            range,
        )
    }

    /// Rows, then entries, then rows.
    fn around(
        &self,
        unit: &Unit,
        entries: &Entries,
        before: Vec<Node>,
        (first, count): (u32, u64),
        after: Vec<Node>,
        range: Option<Range<u64>>,
    ) -> (u64, Vec<Node>) {
        let (head, tail) = (before.len() as u64, after.len() as u64);
        let all = head + count + tail;
        let Some(range) = range else {
            return (all, Vec::new());
        };
        let (_, mut rows) = some(before, Some(range.clone()));
        let mut at = first;
        for number in head..head + count {
            let entry = usize::try_from(at).ok().and_then(|at| entries.list.get(at));
            let Some(entry) = entry.filter(|_| number < range.end) else {
                break;
            };
            if range.contains(&number) {
                rows.push(self.entry_node(unit, entry));
            }
            at = entry.next;
        }
        let shifted = |at: u64| at.saturating_sub(head + count);
        let (_, rest) = some(after, Some(shifted(range.start)..shifted(range.end)));
        rows.extend(rest);
        (all, rows)
    }

    fn entry_node(&self, unit: &Unit, entry: &Entry) -> Node {
        let offset = |at: u32| usize::try_from(at).unwrap_or(usize::MAX);
        let whole = self.info.place(offset(entry.start), offset(entry.close));
        if entry.null {
            let node = Node::new(NodeKind::Field, "null entry", whole).value(Value::Bytes);
            return node.doc(&NULL_DOC);
        }
        let node = Node::new(NodeKind::Item, tag_text(entry.tag.into()), whole);
        let node = match self.name_at(unit, offset(entry.start)) {
            Some(name) => node.summary(name),
            None => node,
        };
        lazy(node.doc(&ENTRY_DOC), item::ENTRY, offset(entry.start), None)
    }

    /// The attributes of an entry, then its children.
    pub(super) fn entry_rows(&self, start: usize, range: Option<Range<u64>>) -> (u64, Vec<Node>) {
        let Some((number, unit)) = self.unit_at(start) else {
            return (0, Vec::new());
        };
        let entries = self.entries_of(number);
        let offset = u32::try_from(start).unwrap_or(u32::MAX);
        let found = entries
            .list
            .binary_search_by_key(&offset, |entry| entry.start);
        let Some((at, entry)) = found.ok().and_then(|at| Some((at, *entries.list.get(at)?))) else {
            return (0, Vec::new());
        };
        let own = self.attribute_rows(unit, &entry);
        let first = u32::try_from(at + 1).unwrap_or(u32::MAX);
        let children = (first, u64::from(entry.children));
        self.around(unit, &entries, own, children, Vec::new(), range)
    }

    /// The entry whose attributes hold an offset.
    pub(super) fn entry_holding(&self, offset: usize) -> Option<(&Unit, Entry)> {
        let (number, unit) = self.unit_at(offset)?;
        let entries = self.entries_of(number);
        let offset = u32::try_from(offset).ok()?;
        let after = entries.list.partition_point(|entry| entry.start <= offset);
        let entry = *entries.list.get(after.checked_sub(1)?)?;
        (offset < entry.end).then_some((unit, entry))
    }

    /// What the entry at an offset of the section is, and its name.
    pub(super) fn title_at(&self, offset: usize) -> Option<String> {
        let (_, unit) = self.unit_at(offset)?;
        let tag = self.tag_at(unit, offset)?;
        let tag = tag
            .static_string()
            .map_or_else(|| tag_text(tag.0.into()), str::to_owned);
        let tag = tag.strip_prefix("DW_TAG_").unwrap_or(&tag).to_owned();
        Some(match self.name_at(unit, offset) {
            Some(name) => format!("{tag} {name}"),
            None => tag,
        })
    }

    fn tag_at(&self, unit: &Unit, offset: usize) -> Option<DwTag> {
        let header = self.unit_header(unit)?;
        let abbreviations = self.abbreviations(unit.abbreviations);
        let abbreviations = Option::as_ref(&abbreviations)?;
        let start = UnitOffset(offset.checked_sub(unit.start)?);
        let mut raw = header.entries_raw(abbreviations, Some(start)).ok()?;
        Some(raw.read_abbreviation().ok()??.tag())
    }

    /// The fields of a unit's header.
    pub(super) fn unit_header_rows(&self, number: usize) -> Vec<Node> {
        let mut rows = Vec::new();
        if let Some(unit) = self.units.get(number) {
            // All of it has been read before.
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
                let table = place.sub(unit.abbreviations as u64, 1);
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
