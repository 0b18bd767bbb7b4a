//! What every panel is given.

use std::rc::Rc;

use yew::prelude::*;

use crate::ui::components::ptr_eq::PtrEq;
use crate::ui::session::SessionContext;
use crate::ui::state::{TabId, View};

/// What every panel is given.
#[derive(Properties, Clone, PartialEq)]
pub struct PanelProps {
    /// The session.
    pub session: SessionContext,
    /// What is shown of the file.
    pub view: PtrEq<View>,
    /// Details of the current row are shown below a list: no inspector is there to show them.
    pub has_strip: bool,
    /// More is to be shown where there is much.
    pub more: bool,
    /// Files that are compared are shown beside each other; `None` where there is no room for that.
    pub sides: Option<bool>,
    /// The other open files, by name.
    pub others: Rc<[(TabId, AttrValue)]>,
}
