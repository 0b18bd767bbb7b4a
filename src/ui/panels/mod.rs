//! What can be chosen in the middle of the page. A new panel is one entry in [`PANELS`].

mod arguments;
mod assembly;
mod bookmarks;
mod compare;
mod graph;
mod kernel_occupancy;
mod kernel_ruler;
mod kernel_tables;
mod list;
mod overview;
mod problems;
mod props;
mod sizes;
mod survey;
mod verdict;

use yew::prelude::*;

use super::state::{PanelId, State, View};
use crate::model::{Capabilities, Tone};

pub use self::list::about;
pub use self::overview::spoken as spoken_coverage;
pub use self::problems::Problems;
pub use self::props::PanelProps;

/// A panel's entry in the row of tabs.
pub struct Panel {
    /// Which.
    pub id: PanelId,
    /// The name on its tab.
    pub name: &'static str,
    /// It shows the file's own tables: its tab comes after those about kernels.
    pub is_of_file: bool,
    /// Is there anything to show for this file and what is selected in it?
    pub shown: fn(&View) -> bool,
    /// The number beside its name, and how bad it is.
    pub badge: fn(&View) -> Option<(u64, Tone)>,
    /// The panel itself.
    pub render: fn(&PanelProps) -> Html,
}

/// What can be asked of the file, of a document in it, or of the one that the selection is in: the
/// images of a host's file are opened when somebody asks.
fn has(view: &View) -> Capabilities {
    view.opened.summary.anywhere() | view.summary().has
}

/// Is the file a container of device code?
fn holds_images(view: &View) -> bool {
    let summary = &view.opened.summary;
    let holds = summary.within.image || summary.anywhere().host;
    holds && !summary.has.loadable && !summary.has.kernels
}

/// Are there kernels in the file, or does the index of a host's file name some?
fn has_kernels(view: &View) -> bool {
    has(view).kernels || has(view).host
}

/// Whether there are instructions in the file, or images that may have some.
fn has_code(view: &View) -> bool {
    has(view).code || has(view).host
}

/// Whether there are readable texts in the file, or images that may have some.
fn has_text(view: &View) -> bool {
    has(view).text || has(view).host
}

/// A panel of the file's own tables, without a number on its tab.
const fn of_file(
    id: PanelId,
    name: &'static str,
    shown: fn(&View) -> bool,
    render: fn(&PanelProps) -> Html,
) -> Panel {
    Panel {
        is_of_file: true,
        ..panel(id, name, shown, render)
    }
}

/// A panel without a number on its tab.
const fn panel(
    id: PanelId,
    name: &'static str,
    shown: fn(&View) -> bool,
    render: fn(&PanelProps) -> Html,
) -> Panel {
    Panel {
        id,
        name,
        is_of_file: false,
        shown,
        badge: |_| None,
        render,
    }
}

/// All panels, in the order of their tabs: first what the kernels are, then what the file is.
pub const PANELS: &[Panel] = &[
    panel(PanelId::Overview, "Overview", |_| true, overview::overview),
    panel(PanelId::Kernels, "Kernels", has_kernels, list::list),
    panel(PanelId::Arguments, "Arguments", has_kernels, |props| {
        html! { <arguments::Arguments ..props.clone() /> }
    }),
    panel(PanelId::Assembly, "Assembly", has_code, list::list),
    panel(PanelId::Images, "Images", holds_images, list::list),
    panel(
        PanelId::Devices,
        "Devices",
        |view| view.opened.summary.has.loadable || holds_images(view),
        list::list,
    ),
    Panel {
        badge: compare::badge,
        ..panel(
            PanelId::Compare,
            "Compare",
            |view| !view.opened.summary.has.unknown || view.compare.base.is_some(),
            |props| html! { <compare::Compare ..props.clone() /> },
        )
    },
    Panel {
        badge: problems::badge,
        ..panel(
            PanelId::Problems,
            "Problems",
            |_| true,
            |props| {
                html! { <Problems ..props.clone() /> }
            },
        )
    },
    of_file(
        PanelId::Modules,
        "Modules",
        |view| has(view).modules,
        list::list,
    ),
    of_file(
        PanelId::Properties,
        "Properties",
        |view| has(view).modules,
        list::list,
    ),
    of_file(PanelId::Text, "Text", has_text, list::list),
    of_file(
        PanelId::SourceLines,
        "Source lines",
        |view| has(view).lines,
        list::list,
    ),
    of_file(
        PanelId::Symbols,
        "Symbols",
        |view| has(view).symbols,
        list::list,
    ),
    of_file(
        PanelId::Relocations,
        "Relocations",
        |view| has(view).symbols,
        list::list,
    ),
    Panel {
        badge: bookmarks::badge,
        ..of_file(
            PanelId::Bookmarks,
            "Bookmarks",
            // The row of tabs is full enough without it.
            |view| !view.bookmarks.all().is_empty() || view.panel == PanelId::Bookmarks,
            |props| html! { <bookmarks::BookmarkList ..props.clone() /> },
        )
    },
];

/// The panels that have something to show.
pub fn shown(view: &View) -> impl Iterator<Item = &'static Panel> + use<'_> {
    PANELS.iter().filter(|panel| (panel.shown)(view))
}

/// The panel that is shown: the chosen one, if it has something to show.
pub fn current(view: &View) -> Option<&'static Panel> {
    let chosen = shown(view).find(|panel| panel.id == view.panel);
    chosen.or(PANELS.first())
}

/// The panel whose panes are shown: in a narrow window the tree may be in its place, which has those
/// of the overview.
pub fn shown_beside(state: &State, view: &View) -> PanelId {
    let layout = &state.layout;
    match current(view) {
        Some(panel) if !layout.narrow || layout.upper_is_panel => panel.id,
        _ => PanelId::Overview,
    }
}
