//! What goes with the bookmarks of a tab's file, besides what is shown of them.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use crate::ui::state::bookmarks::{BookmarkChange, Bookmarks, Content};

/// What the state does not say of a file's bookmarks.
#[derive(Default)]
pub(crate) struct BookmarkRuntime {
    pub(crate) now: RefCell<Rc<Bookmarks>>,
    pub(crate) content: RefCell<Option<Content>>,
    /// Changes that are not kept yet.
    pub(crate) unsaved: RefCell<Vec<BookmarkChange>>,
    pub(crate) is_saving: Cell<bool>,
    /// Counts the contents that the tab has shown.
    pub(crate) edition: Cell<u32>,
}

impl BookmarkRuntime {
    /// The tab shows another content from now on.
    pub(crate) fn forget(&self) {
        self.edition.set(self.edition.get().wrapping_add(1));
        self.now.take();
        self.content.take();
        self.unsaved.take();
    }
}
