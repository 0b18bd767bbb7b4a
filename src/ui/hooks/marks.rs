//! What goes with the bookmarks of a tab's file, besides what is shown of them.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use crate::ui::bookmarks::{BookmarkChange, Bookmarks, Content};

/// What the state does not say of a file's bookmarks.
#[derive(Default)]
pub(super) struct Marks {
    pub(super) now: RefCell<Rc<Bookmarks>>,
    pub(super) content: RefCell<Option<Content>>,
    /// Changes that are not kept yet.
    pub(super) unsaved: RefCell<Vec<BookmarkChange>>,
    pub(super) is_saving: Cell<bool>,
    /// Counts the contents that the tab has shown.
    pub(super) edition: Cell<u32>,
}

impl Marks {
    /// The tab shows another content from now on.
    pub(super) fn forget(&self) {
        self.edition.set(self.edition.get().wrapping_add(1));
        self.now.take();
        self.content.take();
        self.unsaved.take();
    }
}
