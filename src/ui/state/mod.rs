//! What the page shows, and how it changes: one reducer, without a browser in it.

pub mod bookmarks;
pub mod code;
pub mod commands;
pub mod compare;
pub mod guide;
mod layout;
mod link;
pub mod list;
pub mod occupancy;
pub mod paged;
mod panel_id;
mod panes;
pub mod problem_list;
pub mod samples;
pub mod selection;
mod shown_panel;
pub mod texts;
pub mod verdict;
mod view;

use std::rc::Rc;

use yew::{AttrValue, Reducible};

use self::code::CodeChange;
use self::compare::{CompareChange, Following};
use self::occupancy::OccupancyChange;
use self::verdict::VerdictChange;
use crate::model::{NodeId, Span};
use crate::tables::ListId;
use crate::ui::graphs::graph_view::{GraphChange, GraphView};
use crate::ui::state::bookmarks::{Bookmark, Bookmarks};
use crate::ui::state::guide::Guide;
use crate::ui::state::list::ListChange;
use crate::ui::state::selection::{Selection, SelectionOrigin};
use crate::ui::state::texts::TextsChange;
use crate::ui::text::route::ViewOptions;
use crate::ui::tree::Tree;
use crate::ui::tree::flat::Group;
use crate::worker::protocol::tree_order::TreeOrder;
use crate::worker::protocol::{Detail, ListAt, Opened, Row};

pub use self::layout::{Layout, Theme};
pub use self::panel_id::PanelId;
pub use self::panes::{PaneSets, Panes};
pub use self::shown_panel::shown_beside;
pub use self::view::{Lists, View};

/// One of the open files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct TabId(pub u32);

impl TabId {
    /// The id of its tab in the page.
    pub fn element(self) -> String {
        format!("file-{}", self.0)
    }
}

/// Where a file came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// Dropped, chosen or pasted: a copied link has its name, and waits for it.
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

/// How far a file has come.
#[derive(Debug, Clone, PartialEq)]
pub enum Phase {
    /// It is opened when somebody looks at it.
    Waiting,
    /// It is fetched when somebody allows it: the page around this one wants it from this host.
    Asking(AttrValue),
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

/// What the decoder has found of a selection.
#[derive(Debug, Clone, PartialEq)]
pub struct SelectionDetails {
    /// What is selected; `None` if that is known since it was asked.
    pub selection: Option<Selection>,
    /// The rows on the way to the selected node, with their counts.
    pub ancestry: Rc<[Row]>,
    /// The same in the tree by kernel, if that was asked for.
    pub way: Option<Rc<[Row]>>,
    /// What is known of the selected node.
    pub detail: Rc<Detail>,
    /// The first of the selected bytes, if they are here.
    pub preview: Option<Rc<[u8]>>,
    /// What goes with it of this list, for this generation.
    pub list: Option<(ListId, u32, Option<Box<ListAt>>)>,
}

/// What was selected and open in an earlier version of a file, as it is in the newer one.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Restored {
    /// The rows on the way to what was selected; empty if that is not there any more.
    pub selected: Rc<[Row]>,
    /// As for [`Tree::open_again`].
    pub ways: Vec<(Rc<[Row]>, bool)>,
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
    /// Whether it is opened again when it changes on disk.
    pub following: Following,
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
    /// Asks for a place in a file; of two that are shown, in the one with this name.
    GoTo(TabId, Option<AttrValue>),
    /// Asks for the comment of a bookmark of a file.
    Comment(TabId, Rc<Bookmark>),
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
    /// The short look at a sample.
    pub guide: Option<Guide>,
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
    /// Children that have arrived: the place of the first, how many there are in all.
    Rows(NodeId, u64, u64, Vec<Row>),
}

/// What changes the page.
pub enum Action {
    /// A file was chosen, dropped, pasted or asked for.
    Add(Tab),
    /// A file is looked at.
    Activate(TabId),
    /// No file is looked at; they stay open.
    Home,
    /// A file is closed.
    Close(TabId),
    /// A file has come further.
    Phase(TabId, Phase),
    /// The decoder has opened a file.
    Opened(TabId, Rc<Opened>),
    /// A link says what is shown of a file.
    Show(TabId, ViewOptions),
    /// The tree in this order has changed.
    Tree(TabId, TreeOrder, Vec<TreeChange>),
    /// More is known of what the driver does with it.
    Verdict(TabId, VerdictChange),
    /// More is known of what limits a kernel.
    Occupancy(TabId, OccupancyChange),
    /// More is known of the code that is shown.
    Code(TabId, CodeChange),
    /// A file is followed, or not any more, or has changed.
    Follow(TabId, Following),
    /// More is known of what differs from another file.
    Compare(TabId, CompareChange),
    /// Something else is marked.
    Bookmarks(TabId, Rc<Bookmarks>),
    /// A newer version of a file is shown.
    Reopened(TabId, Rc<Opened>, Box<Restored>),
    /// More is known of a list.
    List(TabId, ListId, ListChange),
    /// More is known of its readable texts.
    Texts(TabId, TextsChange),
    /// The graph of its modules, or of the basic blocks of its code, is shown differently.
    Graph(TabId, ListId, GraphChange),
    /// Something was selected whose row is known; what goes with it of a list is on its way.
    Select(TabId, Selection, Option<ListId>),
    /// What the decoder has found of a selection.
    Selected(TabId, Box<SelectionDetails>),
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
    /// A panel of a file is shown.
    PanelOf(TabId, PanelId),
    /// A file cannot be read any more; in words.
    Changed(TabId, AttrValue),
    /// Something lies over the page, or not any more.
    Dialog(Option<Dialog>),
    /// The short look at a sample begins, goes on, or ends.
    Guide(Option<Guide>),
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

    /// The file that is shown beside the one in front: what that is compared with, where the
    /// comparison is looked at and there is room.
    pub fn beside(&self) -> Option<&Rc<Tab>> {
        let layout = &self.layout;
        let view = self.active()?.view()?;
        let is_wanted = layout.side_by_side && !layout.narrow && view.panel == PanelId::Compare;
        let base = view.compare.report.as_ref().and(view.compare.base.as_ref());
        self.tab(base.filter(|_| is_wanted)?.tab)
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
            by_kernel: Tree::by_kernel(&opened).map(Rc::new),
            selection,
            opened,
            opening: self.serial,
            panel,
            verdict: Rc::default(),
            occupancy: Rc::default(),
            code: Rc::default(),
            compare: Rc::default(),
            bookmarks: Rc::default(),
            lists: Lists::default(),
            texts: Rc::default(),
            graph: Rc::default(),
            images: Rc::new(GraphView::behind_table()),
            blocks: Rc::new(GraphView::behind_table()),
            detail: None,
            preview: Rc::from([]),
            changed: None,
        };
        self.change(id, |tab| tab.phase = Phase::Ready(Rc::new(view)));
    }

    /// As [`State::opened`]; what can stay as it was in the version before does.
    fn reopened(&mut self, id: TabId, opened: Rc<Opened>, restored: Restored) {
        let before = self.tab(id).and_then(|tab| tab.view()).cloned();
        self.opened(id, opened);
        let Some(before) = before else { return };
        self.change_view(id, |view| {
            let tree = Rc::make_mut(&mut view.tree);
            tree.follow(&before.tree);
            if let (Some(tree), Some(before)) = (&mut view.by_kernel, &before.by_kernel) {
                Rc::make_mut(tree).follow(before);
            }
            tree.open_again(&restored.ways);
            tree.reveal(&restored.selected);
            if !restored.selected.is_empty() {
                view.selection = Selection {
                    serial: view.selection.serial,
                    ..Selection::node(restored.selected, SelectionOrigin::Address)
                };
            }
            for list in ListId::ALL {
                view.list_changed(list, before.lists.get(list).again());
            }
        });
    }

    /// `asked`: what goes with it of this list is on its way.
    fn select(&mut self, id: TabId, mut selection: Selection, asked: Option<ListId>) {
        self.serial += 1;
        selection.serial = self.serial;
        self.change_view(id, |view| {
            Rc::make_mut(&mut view.tree).reveal(&selection.ancestry);
            view.reveal_by_kernel(selection.way.as_deref());
            if view.selection.span != selection.span {
                view.preview = Rc::from([]);
            }
            if let Some(list) = asked {
                view.list_changed(list, ListChange::AtAsked(selection.serial));
            }
            view.selection = selection;
        });
    }

    fn selected(&mut self, id: TabId, found: SelectionDetails) {
        if let Some(selection) = found.selection {
            // What was found for rows of before is asked for again.
            let lists = self
                .tab(id)
                .and_then(|tab| tab.view())
                .map(|view| &view.lists);
            let of = |list| lists.map(|lists| lists.get(list).rows.generation);
            let fits = found
                .list
                .as_ref()
                .filter(|found| of(found.0) == Some(found.1));
            let asked = fits.map(|(list, ..)| *list);
            self.select(id, selection, asked);
        }
        self.change_view(id, |view| {
            let node = found.ancestry.last().map_or(NodeId::ROOT, |row| row.id);
            if node != view.selection.node_id() {
                return;
            }
            Rc::make_mut(&mut view.tree).learn(&found.ancestry);
            view.selection.ancestry = found.ancestry;
            if view.selection.way.is_none() {
                view.reveal_by_kernel(found.way.as_deref());
                view.selection.way = found.way;
            }
            view.detail = Some(found.detail);
            if let Some(preview) = found.preview {
                view.preview = preview;
            }
            if let Some((list, generation, at)) = found.list {
                let serial = view.selection.serial;
                view.list_changed(list, ListChange::At(serial, generation, at));
            }
        });
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
            Action::Home => state.active = None,
            Action::Close(id) => state.close(id),
            Action::Follow(id, following) => state.change(id, |tab| tab.following = following),
            Action::Phase(id, phase) => state.change(id, |tab| tab.phase = phase),
            Action::Opened(id, opened) => state.opened(id, opened),
            Action::Show(id, shown) => {
                state.layout.upper_is_panel |= !shown.panel.is_empty();
                state.change_view(id, |view| view.show(&shown));
            }
            Action::Tree(id, order, changes) => state.change_view(id, |view| {
                let tree = view.tree_mut(order);
                for change in changes {
                    apply(tree, change);
                }
            }),
            Action::Verdict(id, change) => state.change_view(id, |view| {
                Rc::make_mut(&mut view.verdict).apply(change);
            }),
            Action::Occupancy(id, change) => state.change_view(id, |view| {
                Rc::make_mut(&mut view.occupancy).apply(change);
            }),
            Action::Code(id, change) => state.change_view(id, |view| {
                Rc::make_mut(&mut view.code).apply(change);
            }),
            Action::Compare(id, change) => {
                state.change_view(id, |view| view.compare_changed(change));
            }
            Action::Reopened(id, opened, restored) => state.reopened(id, opened, *restored),
            Action::Bookmarks(id, bookmarks) => {
                state.change_view(id, |view| view.bookmarks = bookmarks);
            }
            Action::List(id, list, change) => {
                state.change_view(id, |view| view.list_changed(list, change));
            }
            Action::Texts(id, change) => state.change_view(id, |view| view.texts_changed(change)),
            Action::Graph(id, list, change) => {
                state.change_view(id, |view| view.graph_changed(list, change));
            }
            Action::Select(id, selection, asked) => state.select(id, selection, asked),
            Action::Selected(id, found) => state.selected(id, *found),
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
            Action::PanelOf(id, panel) => {
                state.layout.upper_is_panel = true;
                state.change_view(id, |view| view.panel = panel);
            }
            Action::Changed(id, why) => {
                state.change_view(id, |view| view.changed = Some(why));
            }
            Action::Dialog(dialog) => state.dialog = dialog,
            Action::Guide(guide) => state.guide = guide,
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
        TreeChange::Rows(id, start, count, rows) => {
            tree.set_count(id, count);
            tree.insert(id, start, &rows);
        }
    }
}

#[cfg(test)]
mod tests;
