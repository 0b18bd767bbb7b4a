//! Properties of all panels.

use std::rc::Rc;

use yew::prelude::*;

use crate::ui::components::ptr_eq::PtrEq;
use crate::ui::session::SessionContext;
use crate::ui::state::{Dock, TabId, View};

/// Properties of all panels.
#[derive(Properties, Clone, PartialEq)]
pub struct PanelProps {
    /// The session.
    pub session: SessionContext,
    /// The view of the file.
    pub view: PtrEq<View>,
    /// Whether details of the current row are shown below a list, because no inspector is visible.
    pub has_strip: bool,
    /// Whether the header is visible, which says where one is.
    pub has_header: bool,
    /// Whether the row of tabs has room for the figures of code.
    pub has_wide_tabs: bool,
    /// The figures of code that are shown.
    pub dock: Dock,
    /// Whether long tables are expanded.
    pub more: bool,
    /// Whether compared files are shown side by side; `None` if there is no room for that.
    pub sides: Option<bool>,
    /// The other open files, with names.
    pub others: Rc<[(TabId, AttrValue)]>,
}
