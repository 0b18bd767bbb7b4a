//! Rows of a file's tree that differ from another file.

use std::rc::Rc;

use crate::diff;
use crate::model::{SourceId, Span, UnpackedSource};
use crate::worker::protocol::Row;
use crate::worker::protocol::tree_order::RowId;

/// The differing rows. Equal only to the same response with the same numbers.
#[derive(Debug, Clone)]
pub struct DifferenceIndex {
    index: Rc<diff::DifferenceIndex>,
    /// The bytes, if the file's own decoder numbers its sources differently.
    bytes: Option<Rc<Vec<Span>>>,
}

impl PartialEq for DifferenceIndex {
    fn eq(&self, other: &DifferenceIndex) -> bool {
        let bytes = |index: &DifferenceIndex| index.bytes.as_ref().map(Rc::as_ptr);
        Rc::ptr_eq(&self.index, &other.index) && bytes(self) == bytes(other)
    }
}

impl Eq for DifferenceIndex {}

impl DifferenceIndex {
    /// Creates it from the decoder's response.
    pub fn new(differing: diff::DifferenceIndex) -> DifferenceIndex {
        DifferenceIndex {
            index: Rc::new(differing),
            bytes: None,
        }
    }

    /// With the numbers that the file's own decoder gave to its sources.
    pub fn renumbered(&self, numbers: &[(SourceId, SourceId)]) -> DifferenceIndex {
        DifferenceIndex {
            index: Rc::clone(&self.index),
            bytes: Some(Rc::new(self.index.renumbered(numbers))),
        }
    }

    /// The unpacked sources with differing bytes.
    pub fn sources(&self) -> &[UnpackedSource] {
        &self.index.sources
    }

    /// Whether nothing differs.
    pub fn is_empty(&self) -> bool {
        self.index.bytes.is_empty()
    }

    /// Whether the row or one of its descendants differs.
    pub fn has(&self, row: &Row) -> bool {
        let bytes = self.bytes.as_deref().unwrap_or(&self.index.bytes);
        match RowId::of(row.id) {
            RowId::Kernel(kernel) => self.index.kernels.binary_search(&kernel).is_ok(),
            RowId::Rest => self.index.rest,
            RowId::Node(_) | RowId::Entry(_) => {
                row.span.is_some_and(|span| diff::overlaps(bytes, span))
            }
        }
    }
}
