//! The file that a document is compared with, and the comparison.
//!
//! The lists are [`ListId::Differences`](crate::tables::ListId::Differences) and, for a single
//! difference, [`ListId::Changes`](crate::tables::ListId::Changes).

use std::cell::RefCell;
use std::rc::Rc;

use super::{Comparison, DifferenceIndex, Options, compare, differing};
use crate::model::Document;

/// The file that a document is compared with.
#[derive(Clone)]
pub(crate) struct Base {
    /// The file. It has its own sources: a span belongs to one of the two documents.
    pub(crate) document: Rc<RefCell<Document>>,
    /// The differences.
    pub(crate) comparison: Rc<Comparison>,
}

impl Document {
    /// Compares the document with another file, and keeps that file: `base` is the first file of
    /// the comparison, the document the second.
    pub fn compare_with(&mut self, mut base: Document, options: &Options) -> Rc<Comparison> {
        let comparison = Rc::new(compare(&mut base, self, options));
        self.extensions.insert(Base {
            document: Rc::new(RefCell::new(base)),
            comparison: Rc::clone(&comparison),
        });
        comparison
    }

    /// Repeats the comparison with other options. Returns `None` if there is no base.
    pub fn compare_again(&mut self, options: &Options) -> Option<Rc<Comparison>> {
        let base = self.extensions.remove::<Base>()?;
        let made = compare(&mut base.document.borrow_mut(), self, options);
        let comparison = Rc::new(made);
        self.extensions.insert(Base {
            comparison: Rc::clone(&comparison),
            ..base
        });
        Some(comparison)
    }

    /// Returns the file that the document is compared with.
    pub(crate) fn base(&self) -> Option<&Base> {
        self.extensions.get()
    }

    /// Returns the comparison with that file.
    pub fn comparison(&self) -> Option<&Rc<Comparison>> {
        self.base().map(|base| &base.comparison)
    }

    /// Returns the differing bytes of that file, and of the document, as from [`differing`].
    pub fn differing(&self) -> Option<(DifferenceIndex, DifferenceIndex)> {
        let base = self.base()?;
        let other = base.document.borrow();
        Some(differing(&base.comparison, (&other, self)))
    }

    /// Drops the file that the document is compared with.
    pub fn forget_base(&mut self) {
        self.extensions.remove::<Base>();
    }
}
