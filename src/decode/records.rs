//! Tables of records whose fields are numbers, all of one kind of expander: their declarations
//! say what differs.

use std::ops::Range;
use std::rc::Rc;

use super::reader::{Endian, Window, uint};
use super::record::{FieldSpec, push_rows};
use super::table::{Entries, TABLE, Table};
use crate::model::{Area, Doc, ExpanderId, Node, NodeKind, Rows, Span};

/// What is to be said of a record, besides its fields.
pub trait Remarks {
    /// Completes the row of record `index` of the table `table`.
    fn record(&self, table: u8, index: u64, node: Node, out: &Rows<'_>) -> Node;
}

/// A kind of records.
#[derive(Debug)]
pub struct Kind {
    /// The number by which [`Remarks`] knows the table.
    pub table: u8,
    /// What a record is called.
    pub name: &'static str,
    /// The fields.
    pub fields: &'static [FieldSpec],
    /// The size of a record in bytes.
    pub size: u64,
    /// What a record is.
    pub doc: Doc,
}

/// The size of a record with these fields.
pub fn size(fields: &[FieldSpec]) -> u64 {
    let ends = fields.iter().map(|field| field.offset + field.size);
    ends.max().unwrap_or(0)
}

/// The number of the field `name` of a record.
pub fn number(fields: &[FieldSpec], bytes: &[u8], name: &str) -> u64 {
    let Some(field) = fields.iter().find(|field| field.name == name) else {
        return 0;
    };
    let at = |offset: u64| usize::try_from(offset).unwrap_or(usize::MAX);
    let bytes = bytes.get(at(field.offset)..at(field.offset.saturating_add(field.size)));
    uint(bytes.unwrap_or(&[]), Endian::Little)
}

/// Where some fields of a record are, for those who read the same ones of many records.
#[derive(Debug, Clone, Copy)]
pub struct Columns<const N: usize>([(usize, usize); N]);

impl<const N: usize> Columns<N> {
    /// The fields of these names; one that there is not counts as 0.
    pub fn new(fields: &[FieldSpec], names: [&str; N]) -> Columns<N> {
        let at = |offset: u64| usize::try_from(offset).unwrap_or(usize::MAX);
        Columns(names.map(|name| {
            let field = fields.iter().find(|field| field.name == name);
            field.map_or((0, 0), |f| {
                (at(f.offset), at(f.offset.saturating_add(f.size)))
            })
        }))
    }

    /// Their numbers.
    pub fn read(&self, bytes: &[u8]) -> [u64; N] {
        let number = |(from, to)| uint(bytes.get(from..to).unwrap_or(&[]), Endian::Little);
        self.0.map(number)
    }
}

/// The bytes of the field `name` of a record.
pub fn field_span(fields: &[FieldSpec], record: Span, name: &str) -> Span {
    let field = fields.iter().find(|field| field.name == name);
    field.map_or(record, |field| field.span(record))
}

/// The row of a table of such records.
pub fn table(
    out: &Rows<'_>,
    name: &'static str,
    span: Span,
    kind: &'static Kind,
    remarks: Rc<dyn Remarks>,
) -> Node {
    let table = Table {
        span,
        endian: Endian::Little,
        entries: Records { kind, remarks },
    };
    let count = table.len();
    let rows: ExpanderId = out.register(Rc::new(table));
    Node::new(NodeKind::Table, name, span)
        .area(Area::Header)
        .summary(super::elf::plural(count, "entry"))
        .children(rows, TABLE, None)
        .doc(&kind.doc)
}

struct Records {
    kind: &'static Kind,
    remarks: Rc<dyn Remarks>,
}

impl Entries for Records {
    fn size(&self) -> u64 {
        self.kind.size
    }

    fn node(&self, index: u64, entry: &Window, out: &mut Rows<'_>) -> Node {
        let count = self.kind.fields.len() as u64;
        let node = Node::new(NodeKind::Item, self.kind.name, entry.span())
            .indexed()
            .children(out.me, index, Some(count))
            .doc(&self.kind.doc);
        self.remarks.record(self.kind.table, index, node, out)
    }

    fn count(&self, _part: u8) -> u64 {
        self.kind.fields.len() as u64
    }

    fn fields(
        &self,
        _index: u64,
        _part: u8,
        entry: &Window,
        range: Range<u64>,
        out: &mut Rows<'_>,
    ) {
        push(self.kind.fields, entry, range, out);
    }
}

/// Pushes the rows of the fields `range` of a record.
pub fn push(fields: &'static [FieldSpec], record: &Window, range: Range<u64>, out: &mut Rows<'_>) {
    let raw = |name| number(fields, record.bytes(), name);
    push_rows(fields, record.span(), range, raw, out);
}
