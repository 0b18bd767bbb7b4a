//! The short names of the kernels in the index of a host binary.

use std::cell::OnceCell;
use std::rc::Rc;

use zeview_analysis::naming::ShortNames;
use zeview_core::analysis::images::Images;
use zeview_core::model::{Document, NodeId, Sources};

/// The short names of the kernels in a host binary's index. They are the same in all lists of the
/// binary, and are computed for the first one that needs them.
#[derive(Clone, Default)]
pub(in crate::tables) struct IndexNames(Rc<OnceCell<Rc<ShortNames>>>);

impl IndexNames {
    /// Returns the names if they are computed.
    pub(in crate::tables) fn known(&self) -> Option<Rc<ShortNames>> {
        self.0.get().cloned()
    }

    /// Returns the names; `images` are the images of the binary.
    pub(in crate::tables) fn of(&self, images: &Images, sources: &Sources) -> &Rc<ShortNames> {
        self.0.get_or_init(|| {
            let names = images.kernel_names(sources);
            let names = names.iter();
            let names = names.map(|(name, demangled)| (&**name, demangled.as_deref()));
            Rc::new(ShortNames::new(names))
        })
    }

    /// Provides the names, if they are not yet known.
    pub(in crate::tables) fn provide(&self, names: Rc<ShortNames>) {
        self.0.get_or_init(|| names);
    }
}

/// Returns the names in the index of a document: of the opened file, those for all its lists.
pub(in crate::tables) fn index_names(document: &mut Document, id: NodeId) -> IndexNames {
    if id != NodeId::ROOT || !document.summary.has.host {
        return IndexNames::default();
    }
    if let Some(names) = document.extensions.get::<IndexNames>() {
        return names.clone();
    }
    let names = IndexNames::default();
    document.extensions.insert(names.clone());
    names
}
