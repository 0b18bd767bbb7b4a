//! The bytes of a file that differ from another one: which rows of its tree do.

use std::rc::Rc;

use crate::model::Span;
use crate::worker::protocol::Row;
use crate::worker::tree_order::RowId;

/// The bytes that differ, by position and apart from each other. Equal if they are the same answer.
#[derive(Debug, Clone)]
pub struct Differing(Rc<[Span]>);

impl PartialEq for Differing {
    fn eq(&self, other: &Differing) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Differing {}

impl Differing {
    /// These bytes.
    pub fn new(spans: Vec<Span>) -> Differing {
        Differing(spans.into())
    }

    /// Do none differ?
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Does the row, or something in it? Of the rows of a tree by kernel that are no nodes nobody
    /// knows: they are taken to.
    pub fn has(&self, row: &Row) -> bool {
        let Some(span) = row.span else {
            return matches!(RowId::of(row.id), RowId::Kernel(_) | RowId::Rest);
        };
        let after = self
            .0
            .partition_point(|run| (run.source, run.end) <= (span.source, span.start));
        let first = self.0.get(after);
        first.is_some_and(|run| run.source == span.source && run.start < span.end)
    }
}
