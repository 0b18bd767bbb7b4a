//! `.debug_abbrev`: which attributes the entries of a kind have, in which form. DWARF 5, 7.5.3.

use gimli::constants::{DwAt, DwForm, DwTag};

use super::attribute;
use super::sections::{DebugSections, item, lazy};
use crate::decode::text::plural;
use crate::model::{Doc, Node, NodeKind, Value};

const SOURCE: &str = "DWARF 5, 7.5.3 Abbreviations Tables";

const fn doc(text: &'static str) -> Doc {
    Doc {
        text,
        source: SOURCE,
        known: &[],
    }
}

static TABLE_DOC: Doc = doc("The abbreviations of one or more units, up to a code of 0.");
static ABBREVIATION_DOC: Doc =
    doc("What entries of this code are, whether they have children, and their attributes.");
static CODE_DOC: Doc = doc("The number by which entries name this abbreviation.");
static TAG_DOC: Doc = doc("What the entries are.");
static CHILDREN_DOC: Doc = doc("Whether entries follow that belong to one of these.");
static ATTRIBUTE_DOC: Doc = doc("An attribute, and the form in which its values stand.");
static END_DOC: Doc = doc("The end of the list.");
static REST_DOC: Doc = doc("Bytes that are no abbreviation.");

/// The tables of the section.
#[derive(Debug, Default)]
pub(super) struct Tables {
    /// Where each starts and ends, and how many rows it has.
    list: Vec<(usize, usize, u64)>,
    /// Where the last one ends.
    end: usize,
}

impl Tables {
    /// Only what starts a table is read: others' abbreviations overlap, and reading them again
    /// and again has no end.
    pub(super) fn may_read(&self, offset: usize) -> bool {
        self.list
            .binary_search_by_key(&offset, |(start, ..)| *start)
            .is_ok()
    }
}

const CODE: &str = "code";

impl DebugSections {
    /// Walks through the section.
    pub(super) fn find_tables(&self) -> Tables {
        let mut tables = Tables::default();
        while let Some((starts, end)) = self.walk_table(tables.end) {
            tables.list.push((tables.end, end, starts.len() as u64));
            tables.end = end;
        }
        tables
    }

    /// Where the abbreviations of the table at `start` start, and the code of 0 after them; and
    /// where that ends.
    fn walk_table(&self, start: usize) -> Option<(Vec<usize>, usize)> {
        let mut cursor = self.abbrev.cursor(start..usize::MAX);
        let mut starts = Vec::new();
        loop {
            starts.push(cursor.at);
            if cursor.leb()? == 0 {
                return Some((starts, cursor.at));
            }
            cursor.leb()?;
            cursor.take(1)?;
            loop {
                let (name, form) = (cursor.leb()?, cursor.leb()?);
                // DW_FORM_implicit_const: the value stands here.
                if form == 0x21 {
                    cursor.leb()?;
                }
                if name == 0 && form == 0 {
                    break;
                }
            }
        }
    }

    /// The tables.
    pub(super) fn table_nodes(&self) -> Vec<Node> {
        let tables = &self.tables;
        let mut rows = Vec::new();
        for (number, (start, end, own)) in tables.list.iter().enumerate() {
            let node = Node::new(
                NodeKind::Table,
                "abbreviations",
                self.abbrev.place(*start, *end),
            )
            .indexed()
            .summary(plural(own - 1, "abbreviation"))
            .doc(&TABLE_DOC);
            rows.push(lazy(node, item::UNIT, number, Some(*own)));
        }
        let rest = self.abbrev.cursor(tables.end..usize::MAX).rest();
        if !rest.is_empty() {
            let node = Node::new(NodeKind::Blob, "no abbreviations", rest).value(Value::Bytes);
            rows.push(node.doc(&REST_DOC));
        }
        rows
    }

    /// The abbreviations of a table, and its end.
    pub(super) fn table_rows(&self, number: usize) -> Vec<Node> {
        let table = self.tables.list.get(number);
        let Some((starts, end)) = table.and_then(|(start, ..)| self.walk_table(*start)) else {
            return Vec::new();
        };
        let mut rows = Vec::new();
        for (from, to) in starts.iter().zip(starts.iter().skip(1)) {
            let mut cursor = self.abbrev.cursor(*from..end);
            let code = cursor.leb().unwrap_or(0);
            let tag = cursor.leb().unwrap_or(0);
            let fields = self.abbreviation_rows(*from);
            let node = Node::new(NodeKind::Item, tag_text(tag), self.abbrev.place(*from, *to))
                .summary(format!("code {code}"))
                .doc(&ABBREVIATION_DOC);
            rows.push(lazy(node, item::ENTRY, *from, Some(fields.len() as u64)));
        }
        if let Some(last) = starts.last() {
            let node = Node::field("end", Value::Bytes, self.abbrev.place(*last, end));
            rows.push(node.doc(&END_DOC));
        }
        rows
    }

    /// The fields of an abbreviation.
    pub(super) fn abbreviation_rows(&self, start: usize) -> Vec<Node> {
        let mut cursor = self.abbrev.cursor(start..usize::MAX);
        let mut rows = Vec::new();
        let Some((_, code)) = cursor.leb_field(CODE, &CODE_DOC) else {
            return rows;
        };
        rows.push(code);
        if let Some((tag, node)) = cursor.leb_field("tag", &TAG_DOC) {
            rows.push(node.value(Value::decimal(tag, 64).named(tag_text(tag))));
        }
        if let Some((children, node)) = cursor.field("children", 1, false, &CHILDREN_DOC) {
            rows.push(match children {
                0 => node.value(Value::decimal(0, 8).named("DW_CHILDREN_no")),
                1 => node.value(Value::decimal(1, 8).named("DW_CHILDREN_yes")),
                _ => node,
            });
        }
        loop {
            let from = cursor.at;
            let (Some(name), Some(form)) = (cursor.leb(), cursor.leb()) else {
                return rows;
            };
            let constant = match form {
                0x21 => cursor.leb(),
                _ => None,
            };
            let field = |name: String| Node::field(name, Value::Bytes, cursor.since(from));
            if name == 0 && form == 0 {
                rows.push(field("end".to_owned()).doc(&END_DOC));
                return rows;
            }
            let attribute = u16::try_from(name).map_or_else(
                |_| format!("attribute {name:#x}"),
                |name| attribute::name_text(DwAt(name)),
            );
            let mut summary = u16::try_from(form).map_or_else(
                |_| format!("form {form:#x}"),
                |form| form_text(DwForm(form)),
            );
            if constant.is_some() {
                summary.push_str(", the value stands here");
            }
            rows.push(field(attribute).summary(summary).doc(&ATTRIBUTE_DOC));
        }
    }
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
