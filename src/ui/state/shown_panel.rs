//! Which panels a file has, and which one is visible.

use super::{PanelId, State, View};
use crate::model::Capabilities;

/// A summary flag of the file, a document in it, or the selection's document: images of a host file
/// are opened on demand. While the summary of that document is not known, the tabs are those of the
/// one before.
fn has(view: &View) -> Capabilities {
    let inner = match view.summary() {
        Some(summary) => summary.has,
        None => view.verdict_parts().has,
    };
    view.opened.summary.anywhere() | inner
}

/// Whether the file is a container of device code.
fn holds_images(view: &View) -> bool {
    let summary = &view.opened.summary;
    let holds = summary.within.image || summary.anywhere().host || summary.has.package;
    holds && !summary.has.loadable && !summary.has.kernels
}

/// Whether the file has kernels, or the index of a host file names some.
fn has_kernels(view: &View) -> bool {
    has(view).kernels || has(view).host || has(view).package
}

/// Whether the file has instructions, or images that may have some.
fn has_code(view: &View) -> bool {
    has(view).code || has(view).host || has(view).package
}

/// Whether the file has readable texts, or images that may have some.
fn has_text(view: &View) -> bool {
    has(view).text || has(view).host || has(view).package
}

impl PanelId {
    /// Whether the panel has content for this file and selection.
    pub fn is_shown(self, view: &View) -> bool {
        match self {
            PanelId::Overview | PanelId::Problems => true,
            PanelId::Kernels | PanelId::Arguments => has_kernels(view),
            PanelId::Assembly => has_code(view),
            PanelId::Images => holds_images(view),
            PanelId::Files | PanelId::Matrix => has(view).package,
            PanelId::Devices => view.opened.summary.has.loadable || holds_images(view),
            PanelId::Compare => !view.opened.summary.has.unknown || view.compare.base.is_some(),
            PanelId::Modules | PanelId::Properties => has(view).modules,
            PanelId::Text => has_text(view),
            PanelId::SourceLines => has(view).lines,
            PanelId::Symbols | PanelId::Relocations => has(view).symbols,
            // Hidden otherwise to save space in the tab bar.
            PanelId::Bookmarks => {
                !view.bookmarks.all().is_empty() || view.panel == PanelId::Bookmarks
            }
        }
    }
}

impl View {
    /// The visible panel: the chosen one, if it has content.
    pub fn current_panel(&self) -> PanelId {
        Some(self.panel)
            .filter(|panel| panel.is_shown(self))
            .unwrap_or_default()
    }
}

/// The panel whose panes are shown: where the tree replaces it in a narrow window, the overview.
pub fn shown_beside(state: &State, view: &View) -> PanelId {
    let layout = &state.layout;
    if layout.narrow && !layout.upper_is_panel {
        PanelId::Overview
    } else {
        view.current_panel()
    }
}
