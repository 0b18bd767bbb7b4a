//! What can be chosen in the middle of the page. A new panel is one entry in [`PANELS`].

mod arguments;
mod kernel_ruler;
mod kernel_tables;
mod list;
mod module_graph;
mod overview;
mod problems;
mod props;
mod sizes;
mod verdict;

use yew::prelude::*;

use super::state::{PanelId, View};
use crate::model::Tone;
use crate::model::list::ListId;
use crate::model::modules::TITLE;
use crate::worker::protocol::Row;

pub use self::overview::spoken as spoken_coverage;
pub use self::problems::Problems;
pub use self::props::PanelProps;

/// A panel's entry in the row of tabs.
pub struct Panel {
    /// Which.
    pub id: PanelId,
    /// The name on its tab.
    pub name: &'static str,
    /// Is there anything to show for this file and what is selected in it?
    pub shown: fn(&View) -> bool,
    /// The number beside its name, and how bad it is.
    pub badge: fn(&View) -> Option<(u64, Tone)>,
    /// The panel itself.
    pub render: fn(&PanelProps) -> Html,
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
        shown,
        badge: |_| None,
        render,
    }
}

/// All panels, in the order of their tabs.
pub const PANELS: &[Panel] = &[
    panel(PanelId::Overview, "Overview", |_| true, overview::overview),
    panel(PanelId::Kernels, "Kernels", may_have_kernels, list::list),
    panel(PanelId::Arguments, "Arguments", may_have_kernels, |props| {
        html! { <arguments::Arguments ..props.clone() /> }
    }),
    panel(
        PanelId::Relocations,
        "Relocations",
        may_have_kernels,
        list::list,
    ),
    panel(PanelId::Symbols, "Symbols", may_have_kernels, list::list),
    panel(PanelId::Text, "Text", may_have_text, list::list),
    panel(PanelId::Modules, "Modules", may_have_modules, list::list),
    panel(
        PanelId::Properties,
        "Properties",
        may_have_modules,
        list::list,
    ),
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
];

/// Is the file none of those that have no kernels and no document with kernels in them?
fn may_have_kernels(view: &View) -> bool {
    !matches!(&*view.opened.summary.format, "raw" | "spirv" | "igc-debug")
}

fn may_have_text(view: &View) -> bool {
    &*view.opened.summary.format != "raw"
}

/// Is the file one that may be a SYCLBIN, or is or was something in one selected?
fn may_have_modules(view: &View) -> bool {
    let summary = |row: &Row| row.summary.as_deref().unwrap_or("").starts_with(TITLE);
    matches!(&*view.opened.summary.format, "syclbin" | "offload-binary")
        || view.lists.get(ListId::Modules).document.is_some()
        || view
            .selection
            .documents()
            .iter()
            .any(|(_, row)| summary(row))
}

/// The panels that have something to show.
pub fn shown(view: &View) -> impl Iterator<Item = &'static Panel> + use<'_> {
    PANELS.iter().filter(|panel| (panel.shown)(view))
}
