//! `.debug_abbrev`: the tags, attributes and forms of entries. DWARF 5, 7.5.3.

use std::ops::Range;

use gimli::AttributeSpecification;
use gimli::constants::{DwAt, DwForm, DwTag};

use super::attribute;
use super::cursor::Cursor;
use super::info::{narrow, wide};
use super::paged::{State, numbered};
use super::sections::{DebugSections, item, lazy};
use crate::text::plural;
use zeview_core::model::sort;
use zeview_core::model::{Doc, Node, NodeKind, Value};

const SOURCE: &str = "DWARF 5, 7.5.3 Abbreviations Tables";

const fn doc(text: &'static str) -> Doc {
    Doc {
        text,
        source: SOURCE,
        known: &[],
    }
}

static TABLE_DOC: Doc = doc("The abbreviations of one or more units; a code of 0 ends the table.");
static ABBREVIATION_DOC: Doc =
    doc("The tag, children flag and attributes of entries with this code.");
static CODE_DOC: Doc = doc("The code that entries use to refer to this abbreviation.");
static TAG_DOC: Doc = doc("The tag: the kind of the entries.");
static CHILDREN_DOC: Doc = doc("Whether the entries have children.");
static ATTRIBUTE_DOC: Doc = doc("An attribute and the form of its value.");
static END_DOC: Doc = doc("The end of the list.");
static REST_DOC: Doc = doc("Bytes that cannot be decoded as an abbreviation.");

/// The tables of the section.
#[derive(Debug, Default)]
pub(super) struct Tables {
    list: Vec<Table>,
    /// The offsets of the abbreviations of all tables, by table and code.
    codes: Vec<u32>,
    /// The end of the last table.
    end: usize,
    /// Whether there are too many to read all.
    too_many: bool,
}

#[derive(Debug, Clone, Copy)]
struct Table {
    start: u32,
    end: u32,
    /// Index of its first abbreviation in [`Tables::codes`].
    from: u32,
    to: u32,
}

/// Limits the number of tables by their average size in bytes, beyond a fixed number; the smallest
/// useful table has 6 bytes.
const TABLE_BYTES: usize = 6;
const TABLES_MORE: usize = 1 << 14;

/// The tag and attributes of the entries with a code.
pub(super) struct Abbreviation<'a> {
    pub(super) tag: u64,
    pub(super) has_children: bool,
    /// Cursor over its attributes: see [`next_attribute`].
    pub(super) attributes: Cursor<'a>,
}

/// Reads the next attribute of an abbreviation. Returns `Some(None)` for one that gimli cannot
/// read.
pub(super) fn next_attribute(cursor: &mut Cursor<'_>) -> Option<Option<AttributeSpecification>> {
    let (name, form) = (cursor.leb()?, cursor.leb()?);
    if name == 0 && form == 0 {
        return None;
    }
    let constant = if form == IMPLICIT_CONST {
        Some(cursor.signed_leb()?)
    } else {
        None
    };
    let (Ok(name), Ok(form)) = (u16::try_from(name), u16::try_from(form)) else {
        return Some(None);
    };
    let (name, form) = (DwAt(name), DwForm(form));
    Some(Some(AttributeSpecification::new(name, form, constant)))
}

/// `DW_FORM_implicit_const`: the abbreviation contains the value.
const IMPLICIT_CONST: u64 = 0x21;

const CODE: &str = "code";

impl DebugSections {
    /// Finds the tables of the section. Only reads bytes that start a table: abbreviations from
    /// other offsets would overlap.
    pub(super) fn find_tables(&self) -> Tables {
        let mut tables = Tables::default();
        let max_tables = self.abbrev.bytes.len() / TABLE_BYTES + TABLES_MORE;
        loop {
            tables.too_many = tables.list.len() >= max_tables;
            if tables.too_many {
                return tables;
            }
            let (start, from) = (tables.end, tables.codes.len());
            let mut cursor = self.abbrev.cursor(start..usize::MAX);
            loop {
                let at = cursor.at;
                match self.skip_abbreviation(&mut cursor) {
                    Some(true) => tables.codes.push(narrow(at)),
                    Some(false) => break,
                    None => {
                        // The end of the section, or a table that is cut off: its bytes are shown
                        // as a rest.
                        tables.codes.truncate(from);
                        return tables;
                    }
                }
            }
            tables.end = cursor.at;
            let own = tables.codes.get_mut(from..).unwrap_or_default();
            sort::by_key(own, |at| self.abbreviation_code(*at));
            tables.list.push(Table {
                start: narrow(start),
                end: narrow(tables.end),
                from: narrow(from),
                to: narrow(tables.codes.len()),
            });
        }
    }

    /// Skips an abbreviation and returns `true`, or the terminating 0 and returns `false`.
    fn skip_abbreviation(&self, cursor: &mut Cursor<'_>) -> Option<bool> {
        if cursor.leb()? == 0 {
            return Some(false);
        }
        cursor.leb()?;
        cursor.take(1)?;
        loop {
            let (name, form) = (cursor.leb()?, cursor.leb()?);
            if form == IMPLICIT_CONST {
                cursor.signed_leb()?;
            }
            if name == 0 && form == 0 {
                return Some(true);
            }
        }
    }

    fn abbreviation_code(&self, at: u32) -> u64 {
        let at = usize::try_from(at).unwrap_or(usize::MAX);
        self.abbrev.cursor(at..usize::MAX).leb().unwrap_or(0)
    }

    /// Reads the abbreviation with a code, in the table at an offset.
    pub(super) fn abbreviation(&self, table: usize, code: u64) -> Option<Abbreviation<'_>> {
        let list = &self.tables.list;
        let found = list.binary_search_by_key(&table, |table| wide(table.start));
        let table = list.get(found.ok()?)?;
        let codes = self.tables.codes.get(wide(table.from)..wide(table.to))?;
        let at = *codes.get(codes.partition_point(|at| self.abbreviation_code(*at) < code))?;
        let at = usize::try_from(at).ok()?;
        let mut cursor = self.abbrev.cursor(at..wide(table.end));
        if cursor.leb()? != code {
            return None;
        }
        Some(Abbreviation {
            tag: cursor.leb()?,
            has_children: cursor.number(1)? == 1,
            attributes: cursor,
        })
    }

    /// Returns the rows of the tables.
    pub(super) fn table_nodes(&self, range: Option<Range<u64>>) -> (u64, Vec<Node>) {
        let tables = &self.tables;
        let rest = self.abbrev.cursor(tables.end..usize::MAX).rest();
        let count = tables.list.len() + usize::from(!rest.is_empty());
        numbered(count, range, |number| {
            let Some(table) = tables.list.get(number) else {
                let node = if tables.too_many {
                    Node::new(NodeKind::Blob, "further abbreviations", rest)
                        .summary("too many for the size of the section: not decoded")
                } else {
                    Node::new(NodeKind::Blob, "no abbreviations", rest)
                };
                return Some(node.value(Value::Bytes).doc(&REST_DOC));
            };
            let own = u64::from(table.to - table.from);
            let span = self.abbrev.place(wide(table.start), wide(table.end));
            let node = Node::new(NodeKind::Table, "abbreviations", span)
                .indexed()
                .summary(plural(own, "abbreviation"))
                .doc(&TABLE_DOC);
            Some(lazy(node, item::UNIT, number, Some(own + 1)))
        })
    }

    /// Returns the table that contains an offset.
    pub(super) fn table_at(&self, offset: usize) -> Option<u64> {
        let list = &self.tables.list;
        let number = list.partition_point(|table| wide(table.end) <= offset);
        Some(number as u64)
    }

    /// Returns the rows of a table's abbreviations, and of its end.
    pub(super) fn table_rows(&self, number: usize, range: Option<Range<u64>>) -> (u64, Vec<Node>) {
        let Some(table) = self.tables.list.get(number) else {
            return (0, Vec::new());
        };
        let mut step = |state: &mut State| {
            let from = state.at;
            let mut cursor = self.abbrev.cursor(from..wide(table.end));
            let is_one = self.skip_abbreviation(&mut cursor)?;
            state.at = cursor.at;
            let own = cursor.since(from);
            if !is_one {
                let node = Node::field("end", Value::Bytes, own);
                return Some(node.doc(&END_DOC));
            }
            let mut cursor = self.abbrev.cursor(from..wide(table.end));
            let code = cursor.leb().unwrap_or(0);
            let tag = cursor.leb().unwrap_or(0);
            let node = Node::new(NodeKind::Item, tag_text(tag), own)
                .summary(format!("code {code}"))
                .doc(&ABBREVIATION_DOC);
            Some(lazy(node, item::ENTRY, from, None))
        };
        let key = item::of(item::UNIT, number);
        let first = State::at(wide(table.start));
        self.abbrev.paged.rows(key, first, range, &mut step)
    }

    /// Returns the fields of an abbreviation.
    pub(super) fn abbreviation_rows(
        &self,
        start: usize,
        range: Option<Range<u64>>,
    ) -> (u64, Vec<Node>) {
        let mut step = |state: &mut State| {
            let mut cursor = self.abbrev.cursor(state.at..usize::MAX);
            let node = match state.phase {
                0 => cursor.leb_field(CODE, &CODE_DOC)?.1,
                1 => {
                    let (tag, node) = cursor.leb_field("tag", &TAG_DOC)?;
                    node.value(Value::decimal(tag, 64).named(tag_text(tag)))
                }
                2 => {
                    let (children, node) = cursor.field("children", 1, false, &CHILDREN_DOC)?;
                    match children {
                        0 => node.value(Value::decimal(0, 8).named("DW_CHILDREN_no")),
                        1 => node.value(Value::decimal(1, 8).named("DW_CHILDREN_yes")),
                        _ => node,
                    }
                }
                3 => attribute_node(&mut cursor)?,
                _ => return None,
            };
            // Nothing follows the end of the attributes.
            let is_end = state.phase == 3 && node.doc == Some(&END_DOC);
            state.phase += u8::from(state.phase < 3 || is_end);
            state.at = cursor.at;
            Some(node)
        };
        let key = item::of(item::ENTRY, start);
        let first = State::at(start);
        self.abbrev.paged.rows(key, first, range, &mut step)
    }
}

/// Reads an attribute of an abbreviation, or the end of the list.
fn attribute_node(cursor: &mut Cursor<'_>) -> Option<Node> {
    let from = cursor.at;
    let (name, form) = (cursor.leb()?, cursor.leb()?);
    if form == IMPLICIT_CONST {
        cursor.signed_leb()?;
    }
    let field = |name: String| Node::field(name, Value::Bytes, cursor.since(from));
    if name == 0 && form == 0 {
        return Some(field("end".to_owned()).doc(&END_DOC));
    }
    let attribute = u16::try_from(name).map_or_else(
        |_| format!("attribute {name:#x}"),
        |name| attribute::name_text(DwAt(name)),
    );
    let mut summary = u16::try_from(form).map_or_else(
        |_| format!("form {form:#x}"),
        |form| form_text(DwForm(form)),
    );
    if form == IMPLICIT_CONST {
        summary.push_str(", the value is stored here");
    }
    Some(field(attribute).summary(summary).doc(&ATTRIBUTE_DOC))
}

/// `DW_TAG_subprogram`
pub(super) fn tag_text(tag: u64) -> String {
    let name = u16::try_from(tag)
        .ok()
        .and_then(|tag| DwTag(tag).static_string());
    name.map_or_else(|| format!("tag {tag:#x}"), str::to_owned)
}

/// `DW_FORM_data1`
pub(super) fn form_text(form: DwForm) -> String {
    form.static_string()
        .map_or_else(|| format!("form {:#x}", form.0), str::to_owned)
}
