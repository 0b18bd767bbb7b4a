//! Which panels there are for a file, and which one is shown.

use super::{PanelId, State, View};
use crate::model::Capabilities;

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

impl PanelId {
    /// Is there anything to show for this file and what is selected in it?
    pub fn is_shown(self, view: &View) -> bool {
        match self {
            PanelId::Overview | PanelId::Problems => true,
            PanelId::Kernels | PanelId::Arguments => has_kernels(view),
            PanelId::Assembly => has_code(view),
            PanelId::Images => holds_images(view),
            PanelId::Devices => view.opened.summary.has.loadable || holds_images(view),
            PanelId::Compare => !view.opened.summary.has.unknown || view.compare.base.is_some(),
            PanelId::Modules | PanelId::Properties => has(view).modules,
            PanelId::Text => has_text(view),
            PanelId::SourceLines => has(view).lines,
            PanelId::Symbols | PanelId::Relocations => has(view).symbols,
            // The row of tabs is full enough without it.
            PanelId::Bookmarks => {
                !view.bookmarks.all().is_empty() || view.panel == PanelId::Bookmarks
            }
        }
    }
}

impl View {
    /// The panel that is shown: the chosen one, if it has something to show.
    pub fn current_panel(&self) -> PanelId {
        Some(self.panel)
            .filter(|panel| panel.is_shown(self))
            .unwrap_or_default()
    }
}

/// The panel whose panes are shown: in a narrow window the tree may be in its place, which has those
/// of the overview.
pub fn shown_beside(state: &State, view: &View) -> PanelId {
    let layout = &state.layout;
    if layout.narrow && !layout.upper_is_panel {
        PanelId::Overview
    } else {
        view.current_panel()
    }
}
