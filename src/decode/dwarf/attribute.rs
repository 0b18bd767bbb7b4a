//! The attributes of a debugging entry. DWARF 5, 7.5.4 Attribute Encodings, 7.5.6 Form
//! Encodings; Intel's attribute from IGC's debug information library.

use gimli::constants::DwAt;
use gimli::{
    Attribute, AttributeValue, EntriesRaw, Expression, Reader, UnitHeader, UnitOffset, constants,
};

use super::abbrev::form_text;
use super::cursor::short;
use super::info::{Entry, Unit};
use super::sections::{DebugSections, Slice, item, lazy};
use crate::decode::reader::uint;
use crate::model::{Doc, Node, NodeKind, Span, Value};

const CODE_DOC: Doc = Doc {
    text: "The number of the abbreviation that says what the entry is, and which attributes follow.",
    source: "DWARF 5, 7.5.2 Debugging Information Entry",
    known: &[],
};
const ATTRIBUTE_DOC: Doc = Doc {
    text: "An attribute of the entry. The abbreviation says in which form it stands.",
    source: "DWARF 5, 7.5.4 Attribute Encodings",
    known: &[],
};
const SIMD_DOC: Doc = Doc {
    text: "How many work items an instruction of the kernel works on at once.",
    source: "IGC, DebugInfo: DW_AT_INTEL_simd_width",
    known: &[],
};
const UNREADABLE_DOC: Doc = Doc {
    text: "The form of the attribute cannot be read.",
    source: "DWARF 5, 7.5.6 Form Encodings",
    known: &[],
};

/// Intel's attribute that gimli does not know.
const DW_AT_INTEL_SIMD_WIDTH: DwAt = DwAt(0x2400);

/// So many attributes without bytes are shown of one entry; real ones have a few.
const WITHOUT_BYTES: usize = 16;

/// `DW_AT_name`
pub(super) fn name_text(name: DwAt) -> String {
    match (name, name.static_string()) {
        (DW_AT_INTEL_SIMD_WIDTH, _) => "DW_AT_INTEL_simd_width".to_owned(),
        (_, Some(name)) => name.to_owned(),
        (DwAt(raw), None) => format!("attribute {raw:#x}"),
    }
}

/// An attribute with its place in the section.
pub(super) struct Placed<'a> {
    pub(super) attribute: Attribute<Slice<'a>>,
    pub(super) from: usize,
    pub(super) to: usize,
}

impl DebugSections {
    /// Calls `f` with the attributes of the entry at an offset of the section, until it says
    /// no; gives where the abbreviation code ends and where reading has ended.
    pub(super) fn each_attribute<'a>(
        &'a self,
        unit: &Unit,
        start: usize,
        mut f: impl FnMut(&UnitHeader<Slice<'a>>, Placed<'a>) -> bool,
    ) -> Option<(usize, usize)> {
        let header = self.unit_header(unit)?;
        let abbreviations = self.abbreviations(unit.abbreviations);
        let abbreviations = Option::as_ref(&abbreviations)?;
        let offset = UnitOffset(start.checked_sub(unit.start)?);
        let mut raw = header.entries_raw(abbreviations, Some(offset)).ok()?;
        let place = |raw: &EntriesRaw<'_, Slice<'_>>| unit.start + raw.next_offset().0;
        let abbreviation = raw.read_abbreviation().ok()??;
        let code = place(&raw);
        for spec in abbreviation.attributes() {
            let from = place(&raw);
            let Ok(attribute) = raw.read_attribute(*spec) else {
                return Some((code, from));
            };
            let to = place(&raw);
            let placed = Placed {
                attribute,
                from,
                to,
            };
            if !f(&header, placed) {
                return Some((code, to));
            }
        }
        Some((code, place(&raw)))
    }

    /// The name of the entry at an offset of the section.
    pub(super) fn name_at(&self, unit: &Unit, start: usize) -> Option<String> {
        let mut name = None;
        self.each_attribute(unit, start, |header, placed| {
            let is_name = placed.attribute.name() == constants::DW_AT_name;
            if is_name {
                name = self
                    .string_of(unit, header, &placed.attribute)
                    .map(|(text, _)| text);
            }
            !is_name
        });
        name.filter(|name| !name.is_empty())
    }

    /// The rows of an entry's abbreviation code and attributes.
    pub(super) fn attribute_rows(&self, unit: &Unit, entry: &Entry) -> Vec<Node> {
        let offset = |at: u32| usize::try_from(at).unwrap_or(usize::MAX);
        let (start, end) = (offset(entry.start), offset(entry.end));
        let mut rows = Vec::new();
        let mut without = 0;
        let read = self.each_attribute(unit, start, |header, placed| {
            without += usize::from(placed.from == placed.to);
            if placed.from < placed.to || without <= WITHOUT_BYTES {
                rows.push(self.attribute_row(unit, header, &placed));
            }
            true
        });
        let (code, read) = read.unwrap_or((start, start));
        let mut cursor = self.info.cursor(start..code);
        if let Some((_, node)) = cursor.leb_field("abbreviation code", &CODE_DOC) {
            rows.insert(0, node);
        }
        if read < end {
            let rest = self.info.place(read, end);
            let node = Node::new(NodeKind::Blob, "unreadable attributes", rest);
            rows.push(node.value(Value::Bytes).doc(&UNREADABLE_DOC));
        }
        rows
    }

    fn attribute_row<'a>(
        &'a self,
        unit: &Unit,
        header: &UnitHeader<Slice<'a>>,
        placed: &Placed<'a>,
    ) -> Node {
        let attribute = &placed.attribute;
        let own = self.info.place(placed.from, placed.to);
        let name = name_text(attribute.name());
        let node = Node::field(name, self.file_value(placed), own);
        let node = match attribute.name() {
            DW_AT_INTEL_SIMD_WIDTH => node.doc(&SIMD_DOC),
            _ => node.doc(&ATTRIBUTE_DOC),
        };
        if let Some(expression) = expression_of(attribute) {
            let text = self.expression_text(expression, header.encoding());
            let node = node.value(Value::None).summary(text);
            return lazy(node, item::EXPRESSION, placed.from, None);
        }
        self.meaning(unit, header, placed, node)
    }

    /// The value as it stands in the file.
    fn file_value(&self, placed: &Placed<'_>) -> Value {
        use constants as c;
        let (from, to) = (placed.from, placed.to);
        let bytes = self.info.bytes.get(from..to).unwrap_or(&[]);
        let mut cursor = self.info.cursor(from..to);
        let bits = u8::try_from(bytes.len() * 8).unwrap_or(0);
        let raw = uint(bytes.get(..8).unwrap_or(bytes), self.info.endian);
        match placed.attribute.form() {
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

    /// What the value means, and what it refers to.
    fn meaning<'a>(
        &'a self,
        unit: &Unit,
        header: &UnitHeader<Slice<'a>>,
        placed: &Placed<'a>,
        node: Node,
    ) -> Node {
        let attribute = &placed.attribute;
        let named = |mut node: Node, raw: u64, name: Option<&'static str>| {
            let Some(name) = name else {
                return node;
            };
            if node.value.as_u64() == Some(raw) {
                node.value = node.value.named(name);
                return node;
            }
            // No bytes say it, or others than those in the file.
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
            AttributeValue::Endianity(v) => named(node, v.0.into(), v.static_string()),
            AttributeValue::FileIndex(index) => match self.file_of(unit, index) {
                Some(file) => node.summary(file),
                None => node,
            },
            AttributeValue::Flag(yes) if placed.from == placed.to => node.summary(yes.to_string()),
            AttributeValue::Sdata(raw) if placed.from == placed.to => node.summary(raw.to_string()),
            AttributeValue::Udata(raw) if placed.from == placed.to => node.summary(raw.to_string()),
            AttributeValue::Addr(address) => {
                let place = self.code_at(address, fix.and_then(|fix| fix.text));
                match place.and_then(|place| self.code_text(place)) {
                    Some((text, to)) => node.xref("code", text, to),
                    None => node,
                }
            }
            AttributeValue::UnitRef(to) => self.refer(unit.start + to.0, node),
            AttributeValue::DebugInfoRef(to) => self.refer(to.0, node),
            AttributeValue::DebugLineRef(to) => self.into(".debug_line", to.0, node),
            AttributeValue::LocationListsRef(to) => {
                let section = if header.version() < 5 {
                    ".debug_loc"
                } else {
                    ".debug_loclists"
                };
                self.into(section, to.0, node)
            }
            AttributeValue::RangeListsRef(to) => {
                let section = if header.version() < 5 {
                    ".debug_ranges"
                } else {
                    ".debug_rnglists"
                };
                self.into(section, to.0, node)
            }
            _ => match self.string_of(unit, header, attribute) {
                Some((text, to)) if attribute.form() != constants::DW_FORM_string => {
                    let node = node.summary(format!("{text:?}"));
                    match to {
                        Some(to) => node.xref("string", "", to),
                        None => node,
                    }
                }
                _ if attribute.form() == constants::DW_FORM_indirect => {
                    node.summary(form_text(attribute.form()))
                }
                _ => node,
            },
        }
    }

    /// A reference to another entry.
    fn refer(&self, to: usize, node: Node) -> Node {
        let start = self.info.cursor(to..usize::MAX).rest().sub(0, 1);
        match self.title_at(to) {
            Some(title) => node.summary(title.clone()).xref("entry", title, start),
            None => node.summary("there is no entry"),
        }
    }

    /// A reference into another section.
    fn into(&self, section: &'static str, offset: usize, node: Node) -> Node {
        let node = match &node.value {
            // What stands in the file is patched.
            Value::Unsigned { raw, .. } if *raw != offset as u64 => {
                node.summary(format!("{offset:#x}"))
            }
            _ => node,
        };
        match self.place_of(section) {
            Some(place) => {
                let to = place.sub(offset as u64, 1);
                node.xref("section", format!("{section} + {offset:#x}"), to)
            }
            None => node,
        }
    }

    /// The string that an attribute says, and its bytes where they are in a section of strings.
    fn string_of<'a>(
        &'a self,
        unit: &Unit,
        header: &UnitHeader<Slice<'a>>,
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
                let word = usize::from(header.format().word_size());
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

    /// Where the unit's offsets of strings start.
    fn str_offsets_base(&self, unit: &Unit) -> Option<usize> {
        let mut base = None;
        self.each_attribute(unit, unit.root, |_, placed| {
            if let AttributeValue::DebugStrOffsetsBase(offset) = placed.attribute.value() {
                base = Some(offset.0);
            }
            base.is_none()
        });
        base
    }

    /// The file of that number in the unit's line table.
    fn file_of(&self, unit: &Unit, index: u64) -> Option<String> {
        let mut program = None;
        self.each_attribute(unit, unit.root, |_, placed| {
            if let AttributeValue::DebugLineRef(offset) = placed.attribute.value() {
                program = Some(offset.0);
            }
            program.is_none()
        });
        self.file_name(program?, index)
    }

    /// The operations of the attribute at an offset.
    pub(super) fn expression_rows(&self, start: usize) -> Vec<Node> {
        let Some((unit, entry)) = self.entry_holding(start) else {
            return Vec::new();
        };
        let entry = usize::try_from(entry.start).unwrap_or(usize::MAX);
        let mut rows = Vec::new();
        self.each_attribute(unit, entry, |header, placed| {
            if placed.from != start {
                return true;
            }
            if let Some(Expression(bytes)) = expression_of(&placed.attribute) {
                let from = placed.to - bytes.len();
                rows = self.operation_rows((placed.from, from, placed.to), header.encoding());
            }
            false
        });
        rows
    }
}

/// The expression that an attribute holds. In DWARF 2 and 3 it is a block.
fn expression_of<'a>(attribute: &Attribute<Slice<'a>>) -> Option<Expression<Slice<'a>>> {
    match attribute.value() {
        AttributeValue::Exprloc(expression) => Some(expression),
        _ => None,
    }
}

/// The form in which a block starts, for its length.
pub(super) const LENGTH_DOC: Doc = Doc {
    text: "The size of the expression in bytes.",
    source: "DWARF 5, 7.5.5 Classes and Forms: exprloc",
    known: &[],
};
