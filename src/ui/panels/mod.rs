//! The panels in the middle of the page. A new panel is one entry in [`PANELS`].

mod arguments;
mod assembly;
mod bookmarks;
mod compare;
mod data_flow;
mod graph;
mod kernel_occupancy;
mod kernel_ruler;
mod kernel_tables;
mod list;
mod overview;
mod problems;
mod profile;
mod props;
mod sizes;
mod survey;
mod verdict;

use yew::prelude::*;

use super::state::{PanelId, View};
use crate::model::Tone;

pub use self::list::about;
pub use self::overview::undecoded_message;
pub use self::problems::Problems;
pub use self::props::PanelProps;

/// A panel and its tab.
pub struct Panel {
    /// Its id.
    pub id: PanelId,
    /// Title of the tab.
    pub name: &'static str,
    /// Whether it shows tables of the file itself: its tab comes after those about kernels.
    pub is_of_file: bool,
    /// Badge of the tab: number and tone.
    pub badge: fn(&View) -> Option<(u64, Tone)>,
    /// Renders the panel.
    pub render: fn(&PanelProps) -> Html,
}

/// A panel with tables of the file itself, without a badge.
const fn of_file(id: PanelId, name: &'static str, render: fn(&PanelProps) -> Html) -> Panel {
    Panel {
        is_of_file: true,
        ..panel(id, name, render)
    }
}

/// A panel without a badge.
const fn panel(id: PanelId, name: &'static str, render: fn(&PanelProps) -> Html) -> Panel {
    Panel {
        id,
        name,
        is_of_file: false,
        badge: |_| None,
        render,
    }
}

/// All panels in tab order: first those about kernels, then those about the file.
pub const PANELS: &[Panel] = &[
    panel(PanelId::Overview, "Overview", overview::overview),
    panel(PanelId::Files, "Files", list::list),
    panel(PanelId::Matrix, "By device", list::list),
    panel(PanelId::Kernels, "Kernels", list::list),
    panel(PanelId::Arguments, "Arguments", |props| {
        html! { <arguments::Arguments ..props.clone() /> }
    }),
    panel(PanelId::Assembly, "Assembly", list::list),
    panel(PanelId::Images, "Images", list::list),
    panel(PanelId::Devices, "Devices", list::list),
    Panel {
        badge: compare::badge,
        ..panel(
            PanelId::Compare,
            "Compare",
            |props| html! { <compare::Compare ..props.clone() /> },
        )
    },
    Panel {
        badge: problems::badge,
        ..panel(PanelId::Problems, "Problems", |props| {
            html! { <Problems ..props.clone() /> }
        })
    },
    of_file(PanelId::Modules, "Modules", list::list),
    of_file(PanelId::Properties, "Properties", list::list),
    of_file(PanelId::Text, "Text", list::list),
    of_file(PanelId::SourceLines, "Source lines", list::list),
    of_file(PanelId::Symbols, "Symbols", list::list),
    of_file(PanelId::Relocations, "Relocations", list::list),
    Panel {
        badge: bookmarks::badge,
        ..of_file(
            PanelId::Bookmarks,
            "Bookmarks",
            |props| html! { <bookmarks::BookmarkList ..props.clone() /> },
        )
    },
];

/// The panels that have content.
pub fn shown(view: &View) -> impl Iterator<Item = &'static Panel> + use<'_> {
    PANELS.iter().filter(|panel| panel.id.is_shown(view))
}

/// The visible panel: the chosen one, if it has content.
pub fn current(view: &View) -> Option<&'static Panel> {
    let current = view.current_panel();
    PANELS.iter().find(|panel| panel.id == current)
}
