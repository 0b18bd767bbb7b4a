//! The attributes of a debugging information entry. DWARF 5, 7.5.4 Attribute Encodings, 7.5.6 Form
//! Encodings; Intel's attribute from IGC's debug information library.

use std::ops::Range;

use gimli::constants::{DwAt, DwForm};
use gimli::{
    Attribute, AttributeValue, Encoding, EntriesRaw, Expression, Reader, UnitOffset, constants,
};

use super::abbrev::{form_text, next_attribute};
use super::cursor::{Cursor, short};
use super::info::Unit;
use super::paged::State;
use super::section::Slice;
use super::sections::{DebugSections, item, lazy};
use crate::reader::uint;
use zeview_core::model::text::value_text;
use zeview_core::model::{Doc, Node, NodeKind, Span, Value};

pub(super) const CODE_DOC: Doc = Doc {
    text: "The abbreviation code, which gives the tag and the attributes of the entry.",
    source: "DWARF 5, 7.5.2 Debugging Information Entry",
    known: &[],
};
const ATTRIBUTE_DOC: Doc = Doc {
    text: "An attribute of the entry. The abbreviation gives its form.",
    source: "DWARF 5, 7.5.4 Attribute Encodings",
    known: &[],
};
const SIMD_DOC: Doc = Doc {
    text: "The SIMD width of the kernel: the number of work-items per hardware thread.",
    source: "IGC, DebugInfo: DW_AT_INTEL_simd_width",
    known: &[],
};
const UNREADABLE_DOC: Doc = Doc {
    text: "The form of the attribute is not supported.",
    source: "DWARF 5, 7.5.6 Form Encodings",
    known: &[],
};

/// Intel's attribute, which gimli does not define.
const DW_AT_INTEL_SIMD_WIDTH: DwAt = DwAt(0x2400);

/// Maximum number of rows for attributes without bytes per entry; real entries have a few.
const WITHOUT_BYTES: usize = 16;

/// `DW_AT_name`
pub(super) fn name_text(name: DwAt) -> String {
    match (name, name.static_string()) {
        (DW_AT_INTEL_SIMD_WIDTH, _) => "DW_AT_INTEL_simd_width".to_owned(),
        (_, Some(name)) => name.to_owned(),
        (DwAt(raw), None) => format!("attribute {raw:#x}"),
    }
}

/// An attribute with its offsets in the section.
pub(super) struct LocatedAttribute<'a> {
    pub(super) attribute: Attribute<Slice<'a>>,
    pub(super) from: usize,
    pub(super) to: usize,
}

/// Iterator over the attributes of an entry. Ends with `None` if gimli cannot read an attribute.
pub(super) struct Reading<'a> {
    sections: &'a DebugSections,
    encoding: Encoding,
    /// The offset in `.debug_info`, initially after the abbreviation code.
    pub(super) at: usize,
    /// The end of the unit.
    end: usize,
    pub(super) tag: u64,
    pub(super) has_children: bool,
    /// Whether it is a null entry.
    pub(super) is_null: bool,
    /// The remaining attributes of the abbreviation.
    pub(super) attributes: Cursor<'a>,
}

impl<'a> Reading<'a> {
    fn raw(&self) -> Option<EntriesRaw<'a, Slice<'a>>> {
        let mut bytes = self.sections.info.slice();
        bytes.skip(self.at).ok()?;
        bytes.truncate(self.end.checked_sub(self.at)?).ok()?;
        // Of gimli's readers, this one gives the offsets after single attributes. Its abbreviations
        // are not used: each call gets the specification of its attribute.
        let (none, offset) = (&self.sections.none, UnitOffset(self.at));
        Some(EntriesRaw::new(bytes, self.encoding, none, offset))
    }

    /// Skips the next attribute. Returns `None` if it is unreadable.
    pub(super) fn skip_one(&mut self) -> Option<bool> {
        let spec = next_attribute(&mut self.attributes)?;
        let skip = |spec| {
            let mut raw = self.raw()?;
            raw.skip_attributes(&[spec]).ok()?;
            Some(raw.next_offset().0)
        };
        let to = spec.and_then(skip);
        self.at = to.unwrap_or(self.at);
        Some(to.is_some())
    }
}

impl<'a> Iterator for Reading<'a> {
    type Item = Option<LocatedAttribute<'a>>;

    fn next(&mut self) -> Option<Option<LocatedAttribute<'a>>> {
        let spec = next_attribute(&mut self.attributes)?;
        let from = self.at;
        let read = |spec| {
            let mut raw = self.raw()?;
            let attribute = raw.read_attribute(spec).ok()?;
            let to = raw.next_offset().0;
            Some(LocatedAttribute {
                attribute,
                from,
                to,
            })
        };
        let placed = spec.and_then(read);
        self.at = placed.as_ref().map_or(from, |placed| placed.to);
        Some(placed)
    }
}

/// Maximum number of attributes, and of bytes, that are searched for the name of an entry and the
/// properties of a unit: they are among the first.
const FIRST: usize = 64;
const FIRST_BYTES: usize = 4096;

impl DebugSections {
    /// Reads the entry at an offset of `.debug_info`. Returns `None` if it has no abbreviation.
    pub(super) fn read_entry(&self, unit: &Unit, start: usize) -> Option<Reading<'_>> {
        let mut cursor = self.info.cursor(start..unit.end);
        let code = cursor.leb()?;
        let abbreviation = match code {
            0 => None,
            code => Some(self.abbreviation(unit.abbreviations, code)?),
        };
        let none = self.abbrev.cursor(0..0);
        let (tag, has_children, attributes) =
            abbreviation.map_or((0, false, none), |a| (a.tag, a.has_children, a.attributes));
        Some(Reading {
            sections: self,
            encoding: unit.encoding,
            at: cursor.at,
            end: unit.end,
            tag,
            has_children,
            is_null: code == 0,
            attributes,
        })
    }

    /// Reads the first attributes of the entry at an offset of `.debug_info`.
    pub(super) fn first_attributes(
        &self,
        unit: &Unit,
        start: usize,
    ) -> impl Iterator<Item = LocatedAttribute<'_>> {
        let mut reading = self.read_entry(unit, start);
        if let Some(reading) = &mut reading {
            reading.end = reading.end.min(start.saturating_add(FIRST_BYTES));
        }
        reading
            .into_iter()
            .flatten()
            .take(FIRST)
            .map_while(|placed| placed)
    }

    /// Returns the name of the entry at an offset of `.debug_info`.
    pub(super) fn name_at(&self, unit: &Unit, start: usize) -> Option<String> {
        let mut attributes = self.first_attributes(unit, start);
        let name = attributes.find(|p| p.attribute.name() == constants::DW_AT_name)?;
        let (text, _) = self.string_of(unit, &name.attribute)?;
        (!text.is_empty()).then_some(text)
    }

    /// Returns the row of the next attribute of an entry, or, if it is unreadable, of the rest up
    /// to `end`. The state has the offsets of its value and in the abbreviation, and the number of
    /// attributes without bytes so far.
    pub(super) fn attribute_row_at(
        &self,
        unit: &Unit,
        entry: &Reading<'_>,
        end: usize,
        state: &mut State,
    ) -> Option<Node> {
        let mut reading = self.resume(entry, state);
        while let Some(placed) = reading.next() {
            let Some(placed) = placed else {
                let rest = self.info.place(state.at, end);
                (state.at, state.next) = (end, reading.attributes.end);
                let node = Node::new(NodeKind::Blob, "unreadable attributes", rest);
                let node = node.value(Value::Bytes).doc(&UNREADABLE_DOC);
                return (!rest.is_empty()).then_some(node);
            };
            (state.at, state.next) = (reading.at, reading.attributes.at);
            state.count += usize::from(placed.from == placed.to);
            if placed.from < placed.to || state.count <= WITHOUT_BYTES {
                return Some(self.attribute_row(unit, &placed));
            }
        }
        None
    }

    fn resume<'a>(&'a self, entry: &Reading<'a>, state: &State) -> Reading<'a> {
        let mut attributes = entry.attributes;
        attributes.at = state.next;
        Reading {
            at: state.at,
            attributes,
            ..*entry
        }
    }

    fn attribute_row<'a>(&'a self, unit: &Unit, placed: &LocatedAttribute<'a>) -> Node {
        let attribute = &placed.attribute;
        let own = self.info.place(placed.from, placed.to);
        let name = name_text(attribute.name());
        let (form, start) = self.form_of(placed);
        let value = self.file_value(form, start, placed.to);
        let indirect = attribute.form() == constants::DW_FORM_indirect;
        let shown = if indirect {
            Value::Bytes
        } else {
            value.clone()
        };
        let node = Node::field(name, shown, own);
        let node = match attribute.name() {
            DW_AT_INTEL_SIMD_WIDTH => node.doc(&SIMD_DOC),
            _ => node.doc(&ATTRIBUTE_DOC),
        };
        if let Some(expression) = expression_of(attribute) {
            let text = self.expression_text(expression, unit.encoding);
            let node = node.value(Value::None).summary(text);
            return lazy(node, item::EXPRESSION, placed.from, None);
        }
        let node = self.meaning(unit, placed, node);
        match (attribute.raw_value(), &node.summary) {
            // The abbreviation contains the value, so it has no bytes here.
            (AttributeValue::Sdata(raw), None) if placed.from == placed.to => {
                node.summary(raw.to_string())
            }
            (_, summary) if indirect => {
                let summary = summary.as_deref().map_or(value_text(&value), str::to_owned);
                node.summary(match summary.as_str() {
                    "" => form_text(form),
                    summary => format!("{}: {summary}", form_text(form)),
                })
            }
            _ => node,
        }
    }

    /// Returns the form of the value and its start. An indirect form precedes the value.
    fn form_of(&self, placed: &LocatedAttribute<'_>) -> (DwForm, usize) {
        let mut form = placed.attribute.form();
        let mut cursor = self.info.cursor(placed.from..placed.to);
        while form == constants::DW_FORM_indirect {
            let raw = cursor.leb().and_then(|raw| u16::try_from(raw).ok());
            let Some(raw) = raw else {
                break;
            };
            form = DwForm(raw);
        }
        (form, cursor.at)
    }

    /// Returns the value as stored in the file.
    fn file_value(&self, form: DwForm, from: usize, to: usize) -> Value {
        use constants as c;
        let bytes = self.info.bytes.get(from..to).unwrap_or(&[]);
        let mut cursor = self.info.cursor(from..to);
        let bits = u8::try_from(bytes.len() * 8).unwrap_or(0);
        let raw = uint(bytes.get(..8).unwrap_or(bytes), self.info.endian);
        match form {
            c::DW_FORM_flag_present | c::DW_FORM_implicit_const => Value::None,
            c::DW_FORM_data1
            | c::DW_FORM_data2
            | c::DW_FORM_data4
            | c::DW_FORM_data8
            | c::DW_FORM_flag => Value::decimal(raw, bits),
            c::DW_FORM_string => Value::text_from(bytes.strip_suffix(&[0]).unwrap_or(bytes)),
            c::DW_FORM_udata
            | c::DW_FORM_strx
            | c::DW_FORM_addrx
            | c::DW_FORM_loclistx
            | c::DW_FORM_rnglistx
            | c::DW_FORM_GNU_str_index
            | c::DW_FORM_GNU_addr_index
            | c::DW_FORM_ref_udata => match (cursor.leb(), cursor.at == cursor.end) {
                (Some(raw), true) => Value::decimal(raw, 64),
                _ => Value::Bytes,
            },
            c::DW_FORM_sdata => match (cursor.signed_leb(), cursor.at == cursor.end) {
                (Some(raw), true) => Value::Signed { raw, bits: 64 },
                _ => Value::Bytes,
            },
            c::DW_FORM_block
            | c::DW_FORM_block1
            | c::DW_FORM_block2
            | c::DW_FORM_block4
            | c::DW_FORM_data16
            | c::DW_FORM_indirect => Value::Bytes,
            _ if (1..=8).contains(&bytes.len()) => Value::hex(raw, bits),
            _ => Value::Bytes,
        }
    }

    /// Adds the meaning of the value and its references to a node.
    fn meaning<'a>(&'a self, unit: &Unit, placed: &LocatedAttribute<'a>, node: Node) -> Node {
        let attribute = &placed.attribute;
        let named = |mut node: Node, raw: u64, name: Option<&'static str>| {
            let Some(name) = name else {
                return node;
            };
            if node.value.as_u64() == Some(raw) {
                node.value = node.value.named(name);
                return node;
            }
            // The value has no bytes, or was relocated.
            node.summary(name)
        };
        let fix = self.info.fix(placed.from);
        match attribute.value() {
            AttributeValue::Encoding(v) => named(node, v.0.into(), v.static_string()),
            AttributeValue::Language(v) => named(node, v.0.into(), v.static_string()),
            AttributeValue::Accessibility(v) => named(node, v.0.into(), v.static_string()),
            AttributeValue::Visibility(v) => named(node, v.0.into(), v.static_string()),
            AttributeValue::Virtuality(v) => named(node, v.0.into(), v.static_string()),
            AttributeValue::CallingConvention(v) => named(node, v.0.into(), v.static_string()),
            AttributeValue::Inline(v) => named(node, v.0.into(), v.static_string()),
            AttributeValue::Ordering(v) => named(node, v.0.into(), v.static_string()),
            AttributeValue::IdentifierCase(v) => named(node, v.0.into(), v.static_string()),
            AttributeValue::DecimalSign(v) => named(node, v.0.into(), v.static_string()),
            AttributeValue::Endianity(v) => named(node, v.0.into(), v.static_string()),
            AttributeValue::FileIndex(index) => match self.file_of(unit, index) {
                Some(file) => node.summary(file),
                None => node,
            },
            AttributeValue::Flag(yes) if placed.from == placed.to => node.summary(yes.to_string()),
            AttributeValue::Addr(address) => {
                let place = self.code_at(address, fix.and_then(|fix| fix.text));
                match place.and_then(|place| self.code_text(place)) {
                    Some((text, to)) => node.xref("code", text, to),
                    None => node,
                }
            }
            AttributeValue::UnitRef(to) => self.refer(unit.start.saturating_add(to.0), node),
            AttributeValue::DebugInfoRef(to) => self.refer(to.0, node),
            AttributeValue::DebugLineRef(to) => self.into(".debug_line", to.0, node),
            AttributeValue::LocationListsRef(to) => {
                let section = if unit.encoding.version < 5 {
                    ".debug_loc"
                } else {
                    ".debug_loclists"
                };
                self.into(section, to.0, node)
            }
            AttributeValue::RangeListsRef(to) => {
                let section = if unit.encoding.version < 5 {
                    ".debug_ranges"
                } else {
                    ".debug_rnglists"
                };
                self.into(section, to.0, node)
            }
            _ => match self.string_of(unit, attribute) {
                Some((text, to)) if attribute.form() != constants::DW_FORM_string => {
                    let node = node.summary(format!("{text:?}"));
                    match to {
                        Some(to) => node.xref("string", "", to),
                        None => node,
                    }
                }
                _ => node,
            },
        }
    }

    /// Adds a reference to another entry.
    fn refer(&self, to: usize, node: Node) -> Node {
        let start = self.info.cursor(to..usize::MAX).rest().subspan(0, 1);
        match self.title_at(to) {
            Some(title) => node.summary(title.clone()).xref("entry", title, start),
            None => node.summary("no entry"),
        }
    }

    /// Adds a reference into another section.
    fn into(&self, section: &'static str, offset: usize, node: Node) -> Node {
        let node = match &node.value {
            // The stored value was relocated.
            Value::Unsigned { raw, .. } if *raw != offset as u64 => {
                node.summary(format!("{offset:#x}"))
            }
            _ => node,
        };
        match self.place_of(section) {
            Some(place) => {
                let to = place.subspan(offset as u64, 1);
                node.xref("section", format!("{section} + {offset:#x}"), to)
            }
            None => node,
        }
    }

    /// Returns the string of an attribute, and its bytes if they are in a string section.
    fn string_of<'a>(
        &'a self,
        unit: &Unit,
        attribute: &Attribute<Slice<'a>>,
    ) -> Option<(String, Option<Span>)> {
        let found = |(text, span)| (text, Some(span));
        match attribute.raw_value() {
            AttributeValue::String(text) => Some((short(text.slice()), None)),
            AttributeValue::DebugStrRef(offset) => self.str.string(offset.0 as u64).map(found),
            AttributeValue::DebugLineStrRef(offset) => {
                self.line_str.string(offset.0 as u64).map(found)
            }
            AttributeValue::DebugStrOffsetsIndex(index) => {
                let word = usize::from(unit.encoding.format.word_size());
                let base = self.str_offsets_base(unit)?;
                let at = index.0.checked_mul(word)?.checked_add(base)?;
                let section = self.str_offsets.slice();
                let bytes = section.slice().get(at..at.checked_add(word)?)?;
                let offset = uint(bytes, self.str_offsets.endian);
                self.str.string(offset).map(found)
            }
            _ => None,
        }
    }

    /// Returns the start of the unit's string offsets.
    pub(super) fn str_offsets_base(&self, unit: &Unit) -> Option<usize> {
        let mut attributes = self.first_attributes(unit, unit.root);
        attributes.find_map(|placed| match placed.attribute.value() {
            AttributeValue::DebugStrOffsetsBase(offset) => Some(offset.0),
            _ => None,
        })
    }

    /// Returns a file of the unit's line table by its number.
    fn file_of(&self, unit: &Unit, index: u64) -> Option<String> {
        let mut attributes = self.first_attributes(unit, unit.root);
        let program = attributes.find_map(|placed| match placed.attribute.value() {
            AttributeValue::DebugLineRef(offset) => Some(offset.0),
            _ => None,
        });
        self.file_name(program?, index)
    }

    /// Returns the attribute at an offset.
    fn attribute_at(&self, start: usize) -> Option<(&Unit, LocatedAttribute<'_>)> {
        let (unit, entry) = self.entry_holding(start)?;
        let entry_start = entry;
        let mut reading = self.read_entry(unit, entry)?;
        let key = item::of(item::ENTRY, entry_start);
        let near = || {
            let is_before = |state: &State| state.phase < 2 && state.at <= start;
            self.info
                .paged
                .near(key, is_before)
                .filter(|(from, _)| *from > 0)
        };
        if near().is_none() {
            // Counting creates the checkpoints of a large entry.
            self.entry_rows(entry_start, None);
        }
        if let Some((_, state)) = near() {
            reading = self.resume(&reading, &state);
        }
        let mut attributes = reading.map_while(|placed| placed);
        let placed = attributes.find(|placed| placed.from == start && placed.to > start)?;
        Some((unit, placed))
    }

    /// Returns the operations of the attribute at an offset.
    pub(super) fn expression_rows(
        &self,
        start: usize,
        range: Option<Range<u64>>,
    ) -> (u64, Vec<Node>) {
        let found = self.attribute_at(start).and_then(|(unit, placed)| {
            let Expression(bytes) = expression_of(&placed.attribute)?;
            Some((unit, placed.to - bytes.len(), placed))
        });
        let Some((unit, from, placed)) = found else {
            return (0, Vec::new());
        };
        let before = self.length_rows(&placed, from);
        let mut step = |state: &mut State| {
            if let Some(row) = before.get(state.next) {
                state.next += 1;
                state.at = from;
                return Some(row.clone());
            }
            self.operation(&self.info, state, placed.to, unit.encoding)
        };
        let key = item::of(item::EXPRESSION, start);
        let first = State::at(start);
        self.info.paged.rows(key, first, range, &mut step)
    }
}

impl DebugSections {
    /// Returns the rows before the operations of an expression: its length, after the form if that
    /// is indirect.
    fn length_rows(&self, placed: &LocatedAttribute<'_>, to: usize) -> Vec<Node> {
        let (form, from) = self.form_of(placed);
        let mut rows = Vec::new();
        if from > placed.from {
            let before = self.info.place(placed.from, from);
            let node = Node::field("form", Value::Bytes, before).summary(form_text(form));
            rows.push(node.doc(&FORM_DOC));
        }
        let mut cursor = self.info.cursor(from..to);
        let mut sized = |len| cursor.field("length", len, false, &LENGTH_DOC);
        let length = match form {
            constants::DW_FORM_block1 => sized(1),
            constants::DW_FORM_block2 => sized(2),
            constants::DW_FORM_block4 => sized(4),
            _ => cursor.leb_field("length", &LENGTH_DOC),
        };
        rows.extend(length.map(|(_, node)| node));
        rows
    }
}

/// Returns the expression of an attribute. In DWARF 2 and 3 it is a block.
fn expression_of<'a>(attribute: &Attribute<Slice<'a>>) -> Option<Expression<Slice<'a>>> {
    match attribute.value() {
        AttributeValue::Exprloc(expression) => Some(expression),
        _ => None,
    }
}

const FORM_DOC: Doc = Doc {
    text: "The form of the expression.",
    source: "DWARF 5, 7.5.3 Abbreviations Tables: DW_FORM_indirect",
    known: &[],
};
const LENGTH_DOC: Doc = Doc {
    text: "The size of the expression in bytes.",
    source: "DWARF 5, 7.5.5 Classes and Forms: exprloc",
    known: &[],
};
