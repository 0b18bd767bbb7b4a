//! What of a file differs from another one: which rows of its tree do.

use std::rc::Rc;

use crate::diff;
use crate::worker::protocol::Row;
use crate::worker::protocol::tree_order::RowId;

/// What differs. Equal if it is the same answer.
#[derive(Debug, Clone)]
pub struct DifferenceIndex(Rc<diff::DifferenceIndex>);

impl PartialEq for DifferenceIndex {
    fn eq(&self, other: &DifferenceIndex) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for DifferenceIndex {}

impl DifferenceIndex {
    /// What the decoder has found.
    pub fn new(differing: diff::DifferenceIndex) -> DifferenceIndex {
        DifferenceIndex(Rc::new(differing))
    }

    /// Does nothing differ?
    pub fn is_empty(&self) -> bool {
        self.0.bytes.is_empty()
    }

    /// Does the row, or something in it?
    pub fn has(&self, row: &Row) -> bool {
        match RowId::of(row.id) {
            RowId::Kernel(kernel) => self.0.kernels.binary_search(&kernel).is_ok(),
            RowId::Rest => self.0.rest,
            RowId::Node(_) | RowId::Entry(_) => row.span.is_some_and(|span| self.0.has(span)),
        }
    }
}
