//! The file that a document is compared with, and the comparison.
//!
//! The lists are [`ListId::Differences`](crate::tables::ListId::Differences) and, for a single
//! difference, [`ListId::Changes`](crate::tables::ListId::Changes).

use std::cell::RefCell;
use std::rc::Rc;

use super::{Comparison, DifferenceIndex, Options, compare, differing};
use zeview_core::model::Document;

/// The file that a document is compared with.
#[derive(Clone)]
pub struct Base {
    /// The file. It has its own sources: a span belongs to one of the two documents.
    pub document: Rc<RefCell<Document>>,
    /// The differences.
    pub comparison: Rc<Comparison>,
}

/// Comparing a document with another one.
pub trait Comparing {
    /// Returns the file that the document is compared with.
    fn base(&self) -> Option<&Base>;

    /// Compares the document with another file, and keeps that file: `base` is the first file of
    /// the comparison, the document the second.
    fn compare_with(&mut self, base: Document, options: &Options) -> Rc<Comparison>;

    /// Repeats the comparison with other options. Returns `None` if there is no base.
    fn compare_again(&mut self, options: &Options) -> Option<Rc<Comparison>>;

    /// Returns the comparison with that file.
    fn comparison(&self) -> Option<&Rc<Comparison>>;

    /// Returns the differing bytes of that file, and of the document, as from [`differing`].
    fn differing(&self) -> Option<(DifferenceIndex, DifferenceIndex)>;

    /// Drops the file that the document is compared with.
    fn forget_base(&mut self);
}

impl Comparing for Document {
    fn base(&self) -> Option<&Base> {
        self.extensions.get()
    }

    fn compare_with(&mut self, mut base: Document, options: &Options) -> Rc<Comparison> {
        let comparison = Rc::new(compare(&mut base, self, options));
        self.extensions.insert(Base {
            document: Rc::new(RefCell::new(base)),
            comparison: Rc::clone(&comparison),
        });
        comparison
    }

    fn compare_again(&mut self, options: &Options) -> Option<Rc<Comparison>> {
        let base = self.extensions.remove::<Base>()?;
        let made = compare(&mut base.document.borrow_mut(), self, options);
        let comparison = Rc::new(made);
        self.extensions.insert(Base {
            comparison: Rc::clone(&comparison),
            ..base
        });
        Some(comparison)
    }

    fn comparison(&self) -> Option<&Rc<Comparison>> {
        self.base().map(|base| &base.comparison)
    }

    fn differing(&self) -> Option<(DifferenceIndex, DifferenceIndex)> {
        let base = self.base()?;
        let other = base.document.borrow();
        Some(differing(&base.comparison, (&other, self)))
    }

    fn forget_base(&mut self) {
        self.extensions.remove::<Base>();
    }
}
