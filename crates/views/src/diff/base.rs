//! The file that a document is compared with, and the comparison.
//!
//! The lists are [`ListId::Differences`](crate::tables::ListId::Differences) and, for a single
//! difference, [`ListId::Changes`](crate::tables::ListId::Changes).

use std::cell::RefCell;
use std::rc::Rc;

use super::{Comparison, DifferenceIndex, KernelsRead, Options, compare_read, differing};
use zeview_core::model::Document;

/// The file that a document is compared with.
#[derive(Clone)]
pub struct Base {
    /// The file. It has its own sources: a span belongs to one of the two documents.
    pub document: Rc<RefCell<Document>>,
    /// The differences.
    pub comparison: Rc<Comparison>,
    /// The kernels of both, for the comparison with other options.
    kernels: Rc<RefCell<KernelsRead>>,
}

/// Returns the file that a document is compared with.
pub fn base(document: &Document) -> Option<&Base> {
    document.extensions.get()
}

/// Keeps a file that a document was compared with, and the comparison: `base` is the first file, the
/// document the second.
pub fn keep_base(
    document: &mut Document,
    base: Document,
    (comparison, kernels): (Comparison, KernelsRead),
) -> Rc<Comparison> {
    let comparison = Rc::new(comparison);
    document.extensions.insert(Base {
        document: Rc::new(RefCell::new(base)),
        comparison: Rc::clone(&comparison),
        kernels: Rc::new(RefCell::new(kernels)),
    });
    comparison
}

/// Repeats the comparison with other options. Returns `None` if there is no base.
pub fn compare_again(document: &mut Document, options: &Options) -> Option<Rc<Comparison>> {
    let base = document.extensions.remove::<Base>()?;
    let made = compare_read(
        &mut base.document.borrow_mut(),
        document,
        &mut base.kernels.borrow_mut(),
        options,
    );
    let comparison = Rc::new(made);
    document.extensions.insert(Base {
        comparison: Rc::clone(&comparison),
        ..base
    });
    Some(comparison)
}

/// Returns the comparison of a document with its base.
pub fn comparison(document: &Document) -> Option<&Rc<Comparison>> {
    base(document).map(|base| &base.comparison)
}

/// Returns the differing bytes of the base, and of the document, as from [`differing`].
pub fn differing_from_base(document: &Document) -> Option<(DifferenceIndex, DifferenceIndex)> {
    let base = base(document)?;
    let other = base.document.borrow();
    Some(differing(&base.comparison, (&other, document)))
}
