//! What the page shows, and how it changes: one reducer, without a browser in it.

use std::rc::Rc;

use yew::{AttrValue, Reducible};

use super::flat::Group;
use super::kernel_table::{KernelChange, KernelTable};
use super::lists::{ListChange, Lists};
use super::module_view::{ModuleChange, ModuleView};
use super::panels::PanelId;
use super::selection::Selection;
use super::tree::Tree;
use super::verdict_state::{VerdictChange, VerdictState};
use crate::model::linkage::list::ListId;
use crate::model::{NodeId, SourceId, Span};
use crate::worker::protocol::{Detail, Opened, Row};

/// One of the open files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct TabId(pub u32);

/// Where a file came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// Dropped, chosen or pasted: links never name it.
    Local,
    /// From an address (`?url=`): links name it.
    Link(AttrValue),
}

/// Why a file is not shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// One line.
    pub title: AttrValue,
    /// What happened.
    pub message: AttrValue,
    /// What to do.
    pub advice: AttrValue,
}

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

    /// In a word.
    pub fn name(self) -> &'static str {
        match self {
            Theme::Auto => "as the system",
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
    /// More of the parts by size are shown.
    pub more_parts: bool,
}

/// How far a file has come.
#[derive(Debug, Clone, PartialEq)]
pub enum Phase {
    /// It is opened when somebody looks at it.
    Waiting,
    /// It is on its way over the network.
    Fetching {
        /// So many bytes are here.
        got: u64,
        /// Of so many, if the server says it.
        total: Option<u64>,
    },
    /// The decoder works on it.
    Decoding,
    /// It is shown.
    Ready(Rc<View>),
    /// It is not shown.
    Failed(Failure),
}

/// A file that is shown.
#[derive(Debug, Clone, PartialEq)]
pub struct View {
    /// What the decoder said when it was opened.
    pub opened: Rc<Opened>,
    /// Its tree as far as it is known.
    pub tree: Rc<Tree>,
    /// What is selected.
    pub selection: Selection,
    /// Everything about the selected node, once it is here.
    pub detail: Option<Rc<Detail>>,
    /// The first of the selected bytes, once they are here.
    pub preview: Rc<[u8]>,
    /// Its kernels, as far as somebody has asked for them.
    pub kernels: Rc<KernelTable>,
    /// What the driver does with it, as far as it is known.
    pub verdict: Rc<VerdictState>,
    /// Its relocations, symbols and texts, as far as somebody has asked for them.
    pub lists: Rc<Lists>,
    /// The modules of a SYCLBIN, as far as somebody has asked for them.
    pub modules: Rc<ModuleView>,
    /// The panel that is shown.
    pub panel: PanelId,
    /// It was changed, moved or deleted since; in words.
    pub changed: Option<AttrValue>,
}

/// An open file.
#[derive(Debug, Clone, PartialEq)]
pub struct Tab {
    /// Which.
    pub id: TabId,
    /// Its name.
    pub name: AttrValue,
    /// Where it came from.
    pub origin: Origin,
    /// How far it has come.
    pub phase: Phase,
}

impl Tab {
    /// What is shown of it.
    pub fn view(&self) -> Option<&Rc<View>> {
        match &self.phase {
            Phase::Ready(view) => Some(view),
            _ => None,
        }
    }
}

/// What lies over the page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Dialog {
    /// The keys, and what is read.
    Help,
    /// Every rule, explained.
    Rules,
    /// Asks for an address.
    Link,
    /// Asks for a place.
    GoTo,
    /// Text that could not be put on the clipboard.
    Copy(AttrValue),
}

/// Everything that the page shows.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct State {
    /// The open files.
    pub tabs: Vec<Rc<Tab>>,
    /// The one that is looked at.
    pub active: Option<TabId>,
    /// What lies over the page.
    pub dialog: Option<Dialog>,
    /// How it is arranged.
    pub layout: Layout,
    /// A short message that goes away again.
    pub notice: Option<AttrValue>,
    /// Counts what was selected.
    serial: u32,
}

/// A change of the tree.
pub enum TreeChange {
    /// Shows a node's children.
    Open(Rc<Row>),
    /// Hides them.
    Close(NodeId),
    /// Shows or hides a range of children.
    Group(Group, bool),
    /// So many children a node has.
    Count(NodeId, u64),
    /// Children that have arrived.
    Rows(NodeId, u64, Vec<Row>),
}

/// What changes the page.
pub enum Action {
    /// A file was chosen, dropped, pasted or asked for.
    Add(Tab),
    /// A file is looked at.
    Activate(TabId),
    /// A file is closed.
    Close(TabId),
    /// A file has come further.
    Phase(TabId, Phase),
    /// The decoder has opened a file.
    Opened(TabId, Rc<Opened>),
    /// The tree has changed.
    Tree(TabId, Vec<TreeChange>),
    /// More is known of its kernels.
    Kernels(TabId, KernelChange),
    /// More is known of what the driver does with it.
    Verdict(TabId, VerdictChange),
    /// More is known of its relocations, symbols or texts.
    List(TabId, ListId, ListChange),
    /// More is known of its modules.
    Modules(TabId, ModuleChange),
    /// Something was selected.
    Select(TabId, Selection),
    /// Everything about the selected node has arrived.
    Detail(TabId, Rc<Detail>),
    /// The first of these bytes have arrived.
    Preview(TabId, Span, Rc<[u8]>),
    /// It is arranged differently.
    Layout(Layout),
    /// Files are dragged over the page, or not any more.
    Over(bool),
    /// The window is narrow, or not any more.
    Narrow(bool),
    /// A panel was chosen.
    Panel(PanelId),
    /// A file cannot be read any more; in words.
    Changed(TabId, AttrValue),
    /// Something lies over the page, or not any more.
    Dialog(Option<Dialog>),
    /// A short message.
    Notice(Option<AttrValue>),
}

impl State {
    /// The file that is looked at.
    pub fn active(&self) -> Option<&Rc<Tab>> {
        self.tab(self.active?)
    }

    /// An open file.
    pub fn tab(&self, id: TabId) -> Option<&Rc<Tab>> {
        self.tabs.iter().find(|tab| tab.id == id)
    }

    fn change(&mut self, id: TabId, change: impl FnOnce(&mut Tab)) {
        if let Some(tab) = self.tabs.iter_mut().find(|tab| tab.id == id) {
            change(Rc::make_mut(tab));
        }
    }

    fn change_view(&mut self, id: TabId, change: impl FnOnce(&mut View)) {
        self.change(id, |tab| {
            if let Phase::Ready(view) = &mut tab.phase {
                change(Rc::make_mut(view));
            }
        });
    }

    fn close(&mut self, id: TabId) {
        let Some(place) = self.tabs.iter().position(|tab| tab.id == id) else {
            return;
        };
        self.tabs.remove(place);
        if self.active == Some(id) {
            let next = self.tabs.get(place).or(self.tabs.last());
            self.active = next.map(|tab| tab.id);
        }
    }

    fn opened(&mut self, id: TabId, opened: Rc<Opened>) {
        let panel = self
            .tab(id)
            .and_then(|tab| tab.view())
            .map_or(PanelId::default(), |view| view.panel);
        self.serial += 1;
        let mut selection = Selection::root(opened.root.span);
        selection.serial = self.serial;
        let view = View {
            tree: Rc::new(Tree::new(&opened)),
            selection,
            opened,
            panel,
            kernels: Rc::default(),
            verdict: Rc::default(),
            lists: Rc::default(),
            modules: Rc::default(),
            detail: None,
            preview: Rc::from([]),
            changed: None,
        };
        self.change(id, |tab| tab.phase = Phase::Ready(Rc::new(view)));
    }

    fn select(&mut self, id: TabId, mut selection: Selection) {
        self.serial += 1;
        selection.serial = self.serial;
        self.change_view(id, |view| {
            Rc::make_mut(&mut view.tree).reveal(&selection.way);
            if view.selection.span != selection.span {
                view.preview = Rc::from([]);
            }
            view.selection = selection;
        });
    }
}

impl View {
    /// The row that is selected, or holds the selected bytes.
    pub fn row(&self) -> &Row {
        self.selection.way.last().unwrap_or(&self.opened.root)
    }

    /// Everything about that row, if it is here already.
    pub fn detail(&self) -> Option<&Detail> {
        self.detail
            .as_deref()
            .filter(|detail| detail.row.id == self.row().id)
    }

    /// All bytes of a source, as far as they are known.
    pub fn whole(&self, source: SourceId) -> Span {
        if source == SourceId::FILE {
            return Span::new(source, 0, self.opened.size);
        }
        self.selection
            .unpacked()
            .filter(|span| span.source == source)
            .unwrap_or(Span::new(source, 0, 0))
    }
}

impl Reducible for State {
    type Action = Action;

    fn reduce(self: Rc<Self>, action: Action) -> Rc<Self> {
        let mut state = (*self).clone();
        match action {
            Action::Add(tab) => {
                state.active = Some(tab.id);
                state.tabs.push(Rc::new(tab));
            }
            Action::Activate(id) => state.active = Some(id),
            Action::Close(id) => state.close(id),
            Action::Phase(id, phase) => state.change(id, |tab| tab.phase = phase),
            Action::Opened(id, opened) => state.opened(id, opened),
            Action::Tree(id, changes) => state.change_view(id, |view| {
                let tree = Rc::make_mut(&mut view.tree);
                for change in changes {
                    apply(tree, change);
                }
            }),
            Action::Kernels(id, change) => state.change_view(id, |view| {
                Rc::make_mut(&mut view.kernels).apply(change);
            }),
            Action::Verdict(id, change) => state.change_view(id, |view| {
                Rc::make_mut(&mut view.verdict).apply(change);
            }),
            Action::List(id, list, change) => state.change_view(id, |view| {
                Rc::make_mut(&mut view.lists).apply(list, change);
            }),
            Action::Modules(id, change) => state.change_view(id, |view| {
                Rc::make_mut(&mut view.modules).apply(change);
            }),
            Action::Select(id, selection) => state.select(id, selection),
            Action::Detail(id, detail) => state.change_view(id, |view| {
                if view.selection.node_id() == detail.row.id {
                    view.detail = Some(detail);
                }
            }),
            Action::Preview(id, span, bytes) => state.change_view(id, |view| {
                if view.selection.span == Some(span) {
                    view.preview = bytes;
                }
            }),
            Action::Layout(layout) => state.layout = layout,
            Action::Over(over) => state.layout.over = over,
            Action::Narrow(narrow) => state.layout.narrow = narrow,
            Action::Panel(panel) => {
                state.layout.upper_is_panel = true;
                if let Some(id) = state.active {
                    state.change_view(id, |view| view.panel = panel);
                }
            }
            Action::Changed(id, why) => {
                state.change_view(id, |view| view.changed = Some(why));
            }
            Action::Dialog(dialog) => state.dialog = dialog,
            Action::Notice(notice) => state.notice = notice,
        }
        Rc::new(state)
    }
}

fn apply(tree: &mut Tree, change: TreeChange) {
    match change {
        TreeChange::Open(row) => tree.open(&row),
        TreeChange::Close(id) => tree.close(id),
        TreeChange::Group(group, open) => tree.set_group(group, open),
        TreeChange::Count(id, count) => tree.set_count(id, count),
        TreeChange::Rows(id, start, rows) => tree.insert(id, start, &rows),
    }
}

#[cfg(test)]
#[path = "state_tests.rs"]
mod tests;
