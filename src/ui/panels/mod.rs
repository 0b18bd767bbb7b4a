//! What can be chosen in the middle of the page. A new panel is one entry in [`PANELS`].

mod arguments;
mod kernel_ruler;
mod kernel_tables;
mod kernels;
mod lists;
mod modules;
mod overview;
mod problems;
mod properties;
mod sizes;
mod verdict;

use yew::prelude::*;

use super::hooks::SessionContext;
use super::shared::Shared;
use super::state::View;
use crate::model::linkage::list::ListId;
use crate::model::{Capabilities, Severity, Tone};
use crate::worker::protocol::Opened;

pub use self::overview::spoken as spoken_coverage;
pub use self::problems::Problems;

/// A panel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PanelId {
    /// The file in a few lines, and where its bytes go.
    #[default]
    Overview,
    /// The kernels, one row each.
    Kernels,
    /// One kernel in full.
    Arguments,
    /// The relocations, one row each.
    Relocations,
    /// The symbols, one row each.
    Symbols,
    /// What can be read as it stands: `.ze_info`, vISA assembly, build options.
    Text,
    /// The modules of a SYCLBIN.
    Modules,
    /// The property sets of what is selected in it.
    Properties,
    /// What is wrong or remarkable.
    Problems,
}

/// What every panel is given.
#[derive(Properties, Clone, PartialEq)]
pub struct PanelProps {
    /// The session.
    pub session: SessionContext,
    /// What is shown of the file.
    pub view: Shared<View>,
    /// More is to be shown where there is much.
    pub more: bool,
}

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

/// What can be asked of the file, or of a document in it.
fn has(view: &View) -> Capabilities {
    view.opened.summary.anywhere()
}

/// All panels, in the order of their tabs.
pub const PANELS: &[Panel] = &[
    Panel {
        id: PanelId::Overview,
        name: "Overview",
        shown: |_| true,
        badge: |_| None,
        render: overview::overview,
    },
    Panel {
        id: PanelId::Kernels,
        name: "Kernels",
        shown: |view| has(view).kernels,
        badge: |_| None,
        render: |props| html! { <kernels::Kernels ..props.clone() /> },
    },
    Panel {
        id: PanelId::Arguments,
        name: "Arguments",
        shown: |view| has(view).kernels,
        badge: |_| None,
        render: |props| html! { <arguments::Arguments ..props.clone() /> },
    },
    Panel {
        id: PanelId::Relocations,
        name: "Relocations",
        shown: |view| has(view).symbols,
        badge: |_| None,
        render: |props| lists::list(ListId::Relocations, props),
    },
    Panel {
        id: PanelId::Symbols,
        name: "Symbols",
        shown: |view| has(view).symbols,
        badge: |_| None,
        render: |props| lists::list(ListId::Symbols, props),
    },
    Panel {
        id: PanelId::Text,
        name: "Text",
        shown: |view| has(view).text,
        badge: |_| None,
        render: |props| lists::list(ListId::Lines, props),
    },
    Panel {
        id: PanelId::Modules,
        name: "Modules",
        shown: |view| has(view).modules,
        badge: |_| None,
        render: |props| html! { <modules::Modules ..props.clone() /> },
    },
    Panel {
        id: PanelId::Properties,
        name: "Properties",
        shown: |view| has(view).modules,
        badge: |_| None,
        render: |props| html! { <properties::Properties ..props.clone() /> },
    },
    Panel {
        id: PanelId::Problems,
        name: "Problems",
        shown: |_| true,
        badge: problems::badge,
        render: |props| html! { <Problems ..props.clone() /> },
    },
];

/// How many errors there are: any, and the file is not well-formed.
pub fn errors(opened: &Opened) -> u64 {
    let all = opened.diagnostics.iter();
    all.filter(|problem| problem.diagnostic.severity == Severity::Error)
        .count() as u64
}

/// The panels that have something to show, with their places in [`PANELS`].
pub fn shown(view: &View) -> impl Iterator<Item = (usize, &'static Panel)> + use<'_> {
    PANELS
        .iter()
        .enumerate()
        .filter(|(_, panel)| (panel.shown)(view))
}
