//! Layout and theme of the page.

use super::{Dock, PaneSets};
use crate::worker::protocol::tree_order::TreeOrder;

/// The color theme.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Theme {
    /// The system's theme.
    #[default]
    Auto,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

impl Theme {
    /// The next theme of the button's cycle.
    pub fn next(self) -> Theme {
        match self {
            Theme::Auto => Theme::Light,
            Theme::Light => Theme::Dark,
            Theme::Dark => Theme::Auto,
        }
    }

    /// The theme with this name in the embedding API.
    pub fn named(name: &str) -> Option<Theme> {
        match name {
            "auto" => Some(Theme::Auto),
            "light" => Some(Theme::Light),
            "dark" => Some(Theme::Dark),
            _ => None,
        }
    }

    /// The name of the theme.
    pub fn name(self) -> &'static str {
        match self {
            Theme::Auto => "system",
            Theme::Light => "light",
            Theme::Dark => "dark",
        }
    }
}

/// Layout of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Layout {
    /// The color theme.
    pub theme: Theme,
    /// The page is embedded in another one: no header and status bar.
    pub embed: bool,
    /// A program shows the page in a document of its own: with a header for search and facts, and
    /// it opens source files.
    pub hosted: bool,
    /// The window is narrow: panes are stacked.
    pub narrow: bool,
    /// Files are being dragged over the page.
    pub is_dragging: bool,
    /// Stacked layout: the panel is shown above instead of the tree.
    pub upper_is_panel: bool,
    /// Stacked layout: the inspector is shown below instead of the bytes.
    pub lower_is_inspector: bool,
    /// The panes beside each panel.
    pub panes: PaneSets,
    /// The figures of code that are shown.
    pub dock: Dock,
    /// More of the parts by size are shown.
    pub more_parts: bool,
    /// Padding is hidden in the tree.
    pub no_padding: bool,
    /// The defaults of values that the file omits are hidden.
    pub no_defaults: bool,
    /// Tree order of files with kernels.
    pub order: TreeOrder,
    /// The two files of a comparison are shown side by side.
    pub side_by_side: bool,
    /// Their trees also show equal rows.
    pub unchanged: bool,
}
