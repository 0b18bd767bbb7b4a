//! Which panels a file has, and which one is visible.

use super::{Level, PanelId, State, View};
use crate::model::Capabilities;
use crate::tables::{Contents, ListId};

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

/// What decides about the tabs of lists.
fn contents(view: &View) -> Contents {
    Contents {
        any: has(view),
        own: view.opened.summary.has,
        holds_images: holds_images(view),
    }
}

impl PanelId {
    /// Whether the panel has content for this file and selection.
    pub fn is_shown(self, view: &View) -> bool {
        match self {
            PanelId::Overview | PanelId::Problems => true,
            PanelId::List(list) => {
                let tab = list.declaration().tab.as_ref();
                tab.is_some_and(|tab| tab.is_shown(&contents(view)))
            }
            PanelId::Arguments => PanelId::KERNELS.is_shown(view),
            PanelId::Step => PanelId::ASSEMBLY.is_shown(view),
            PanelId::Compare => !view.opened.summary.has.unknown || view.compare.base.is_some(),
            // Hidden otherwise to save space in the tab bar.
            PanelId::Bookmarks => {
                !view.bookmarks.all().is_empty() || view.panel == PanelId::Bookmarks
            }
        }
    }
}

impl View {
    /// Whether the opened file itself has a list; lists without a tab belong to any file.
    pub fn has_itself(&self, list: ListId) -> bool {
        let own = self.opened.summary.has;
        let contents = Contents {
            any: own,
            ..contents(self)
        };
        let tab = list.declaration().tab.as_ref();
        tab.is_none_or(|tab| (tab.offered)(&contents))
    }

    /// Chooses a panel; its level shows it again later.
    pub(super) fn choose(&mut self, panel: PanelId) {
        self.panel = panel;
        if let Some(last) = self.last_of_level.get_mut(panel.level() as usize) {
            *last = Some(panel);
        }
    }

    /// The panel that a level shows: the one that was chosen last, or its first. `None` if it has no
    /// content.
    pub fn panel_of(&self, level: Level) -> Option<PanelId> {
        let last = self.last_of_level.get(level as usize).copied().flatten();
        let all = PanelId::all().into_iter();
        let mut of_level = all.filter(|panel| panel.level() == level && panel.is_shown(self));
        last.filter(|panel| panel.is_shown(self))
            .or_else(|| of_level.next())
    }

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
