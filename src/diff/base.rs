//! The file that a document is compared with, and what differs.
//!
//! The lists of it are [`ListId::Differences`](crate::tables::ListId::Differences) and, of one
//! difference, [`ListId::Changes`](crate::tables::ListId::Changes).

use std::cell::RefCell;
use std::rc::Rc;

use super::{Comparison, DifferenceIndex, Options, compare, differing};
use crate::model::Document;

/// The file that a document is compared with.
#[derive(Clone)]
pub(crate) struct Base {
    /// The file. Its bytes are not those of the document: a span says which of the two it is of.
    pub(crate) document: Rc<RefCell<Document>>,
    /// What differs.
    pub(crate) comparison: Rc<Comparison>,
}

impl Document {
    /// Compares the document with another file, which it keeps: `base` is the first file of the
    /// comparison, the document the second.
    pub fn compare_with(&mut self, mut base: Document, options: &Options) -> Rc<Comparison> {
        let comparison = Rc::new(compare(&mut base, self, options));
        self.extensions.insert(Base {
            document: Rc::new(RefCell::new(base)),
            comparison: Rc::clone(&comparison),
        });
        comparison
    }

    /// Compares it again with the same file, in another way. Returns `None` if there is none.
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

    /// The file that it is compared with.
    pub(crate) fn base(&self) -> Option<&Base> {
        self.extensions.get()
    }

    /// What differs from the file that it is compared with.
    pub fn comparison(&self) -> Option<&Rc<Comparison>> {
        self.base().map(|base| &base.comparison)
    }

    /// What differs of the file that it is compared with, and of its own; as [`differing`] has it.
    pub fn differing(&self) -> Option<(DifferenceIndex, DifferenceIndex)> {
        let base = self.base()?;
        let other = base.document.borrow();
        Some(differing(&base.comparison, (&other, self)))
    }

    /// Forgets the file that it is compared with.
    pub fn forget_base(&mut self) {
        self.extensions.remove::<Base>();
    }
}
