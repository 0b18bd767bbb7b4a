//! Bookmark bookkeeping of a tab that is not part of `State`.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use crate::ui::state::bookmarks::{BookmarkChange, Bookmarks, Content};

/// Bookmark bookkeeping of a file.
#[derive(Default)]
pub(crate) struct BookmarkRuntime {
    pub(crate) now: RefCell<Rc<Bookmarks>>,
    pub(crate) content: RefCell<Option<Content>>,
    /// Changes that are not stored yet.
    pub(crate) unsaved: RefCell<Vec<BookmarkChange>>,
    pub(crate) is_saving: Cell<bool>,
    /// Incremented for each content that the tab shows.
    pub(crate) edition: Cell<u32>,
}

impl BookmarkRuntime {
    /// Resets it for a new content of the tab.
    pub(crate) fn forget(&self) {
        self.edition.set(self.edition.get().wrapping_add(1));
        self.now.take();
        self.content.take();
        self.unsaved.take();
    }
}
