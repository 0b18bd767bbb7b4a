//! How the page is arranged.

use super::PaneSets;
use crate::worker::protocol::tree_order::TreeOrder;

/// Which colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Theme {
    /// As the system has it.
    #[default]
    Auto,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

impl Theme {
    /// The one that a press on the button leads to.
    pub fn next(self) -> Theme {
        match self {
            Theme::Auto => Theme::Light,
            Theme::Light => Theme::Dark,
            Theme::Dark => Theme::Auto,
        }
    }

    /// The theme that pages which embed this one call so.
    pub fn named(name: &str) -> Option<Theme> {
        match name {
            "auto" => Some(Theme::Auto),
            "light" => Some(Theme::Light),
            "dark" => Some(Theme::Dark),
            _ => None,
        }
    }

    /// In a word.
    pub fn name(self) -> &'static str {
        match self {
            Theme::Auto => "system",
            Theme::Light => "light",
            Theme::Dark => "dark",
        }
    }
}

/// How the page is arranged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Layout {
    /// The colours.
    pub theme: Theme,
    /// The page stands in another one: without header and status line.
    pub embed: bool,
    /// The window is narrow: the panes are stacked.
    pub narrow: bool,
    /// Files are held over the page.
    pub over: bool,
    /// Of stacked panes: a panel is shown above, and not the tree.
    pub upper_is_panel: bool,
    /// Of stacked panes: the inspector is shown below, and not the bytes.
    pub lower_is_inspector: bool,
    /// The panes beside each panel.
    pub panes: PaneSets,
    /// More of the parts by size are shown.
    pub more_parts: bool,
    /// Bytes that only fill up are not shown in the tree.
    pub no_padding: bool,
    /// The defaults of what is not in the file are not shown.
    pub no_defaults: bool,
    /// In which order the tree shows files that have kernels.
    pub order: TreeOrder,
    /// The two files of a comparison are shown beside each other.
    pub side_by_side: bool,
    /// The trees then show what is the same in both, too.
    pub unchanged: bool,
}
