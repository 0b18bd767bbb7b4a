//! Rows of a file's tree that differ from another file.

use std::rc::Rc;

use crate::diff;
use crate::worker::protocol::Row;
use crate::worker::protocol::tree_order::RowId;

/// The differing rows. Equal only to the same response.
#[derive(Debug, Clone)]
pub struct DifferenceIndex(Rc<diff::DifferenceIndex>);

impl PartialEq for DifferenceIndex {
    fn eq(&self, other: &DifferenceIndex) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for DifferenceIndex {}

impl DifferenceIndex {
    /// Creates it from the decoder's response.
    pub fn new(differing: diff::DifferenceIndex) -> DifferenceIndex {
        DifferenceIndex(Rc::new(differing))
    }

    /// Whether nothing differs.
    pub fn is_empty(&self) -> bool {
        self.0.bytes.is_empty()
    }

    /// Whether the row or one of its descendants differs.
    pub fn has(&self, row: &Row) -> bool {
        match RowId::of(row.id) {
            RowId::Kernel(kernel) => self.0.kernels.binary_search(&kernel).is_ok(),
            RowId::Rest => self.0.rest,
            RowId::Node(_) | RowId::Entry(_) => row.span.is_some_and(|span| self.0.has(span)),
        }
    }
}
