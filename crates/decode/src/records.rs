//! Tables of records whose fields are numbers, all with the same expander: only their declarations
//! differ.

use std::ops::Range;
use std::rc::Rc;

use super::reader::{Endian, Window};
use super::record::FieldSpec;
use super::table::{Entries, TABLE, Table, slice};
use zeview_core::model::{Area, Doc, ExpanderId, Node, NodeKind, Rows, Span};

/// Additional facts about a record.
pub trait RecordNotes {
    /// Completes the row of record `index` of the table `table`.
    fn record(&self, table: u8, index: u64, node: Node, out: &Rows<'_>) -> Node;
}

/// A kind of records.
#[derive(Debug)]
pub struct Kind {
    /// The number of the table, for [`RecordNotes`].
    pub table: u8,
    /// The name of a record.
    pub name: &'static str,
    /// The fields.
    pub fields: &'static [FieldSpec],
    /// The size of a record in bytes.
    pub size: u64,
    /// Documentation of a record.
    pub doc: Doc,
}

/// The row of a table of such records.
pub fn table(
    out: &Rows<'_>,
    name: &'static str,
    span: Span,
    kind: &'static Kind,
    remarks: Rc<dyn RecordNotes>,
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
        .summary(super::text::plural(count, "entry"))
        .children(rows, TABLE, None)
        .doc(&kind.doc)
}

struct Records {
    kind: &'static Kind,
    remarks: Rc<dyn RecordNotes>,
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
    for field in slice(fields, range) {
        let number = field.number(record.bytes(), Endian::Little);
        out.push(field.row(number, record.span()));
    }
}
