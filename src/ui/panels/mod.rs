//! What can be chosen in the middle of the page. A new panel is one entry in [`PANELS`].

mod overview;
mod problems;
mod sizes;

use yew::prelude::*;

use super::shared::Shared;
use super::state::{TabId, View};
use crate::model::Severity;
use crate::worker::protocol::Opened;

pub use self::overview::{Overview, spoken as spoken_coverage};
pub use self::problems::{Problems, SEVERITIES, step as step_problem};
pub use self::sizes::Sizes;

/// A panel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PanelId {
    /// The file in a few lines, and where its bytes go.
    #[default]
    Overview,
    /// What is wrong or remarkable.
    Problems,
}

/// A number beside a panel's name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Badge {
    /// The number.
    pub count: u64,
    /// How bad it is.
    pub severity: Severity,
}

/// What every panel is given.
#[derive(Properties, Clone, PartialEq)]
pub struct PanelProps {
    /// The file's tab.
    pub tab: TabId,
    /// What is shown of it.
    pub view: Shared<View>,
}

/// A panel's entry in the row of tabs.
pub struct Panel {
    /// Which.
    pub id: PanelId,
    /// The name on its tab.
    pub name: &'static str,
    /// Is there anything to show for this file?
    pub shown: fn(&Opened) -> bool,
    /// The number beside its name.
    pub badge: fn(&Opened) -> Option<Badge>,
    /// The panel itself.
    pub render: fn(PanelProps) -> Html,
}

/// All panels, in the order of their tabs.
pub const PANELS: &[Panel] = &[
    Panel {
        id: PanelId::Overview,
        name: "Overview",
        shown: |_| true,
        badge: |_| None,
        render: |props| html! { <Overview ..props /> },
    },
    Panel {
        id: PanelId::Problems,
        name: "Problems",
        shown: |_| true,
        badge: problems::badge,
        render: |props| html! { <Problems ..props /> },
    },
];

/// The panels that have something to show for a file.
pub fn shown(opened: &Opened) -> impl Iterator<Item = &'static Panel> + use<'_> {
    PANELS.iter().filter(|panel| (panel.shown)(opened))
}
