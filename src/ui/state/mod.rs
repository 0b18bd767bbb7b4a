//! State of the page and its reducer, independent of the browser.

pub mod answer;
pub mod bookmarks;
pub mod code;
pub mod code_rows;
pub mod commands;
pub mod compare;
mod dock;
pub mod guide;
mod layout;
mod link;
pub mod list;
pub mod occupancy;
pub mod paged;
mod panel_id;
mod panes;
pub mod problem_list;
pub mod profile;
pub mod samples;
pub mod selection;
mod shown_panel;
pub mod terms;
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
use crate::tables::{ListId, Scope};
use crate::ui::graphs::graph_view::{GraphChange, GraphView};
use crate::ui::state::bookmarks::{Bookmark, Bookmarks};
use crate::ui::state::guide::Guide;
use crate::ui::state::list::ListChange;
use crate::ui::state::profile::ProfileChange;
use crate::ui::state::selection::{Selection, SelectionOrigin};
use crate::ui::state::texts::TextsChange;
use crate::ui::text::route::ViewOptions;
use crate::ui::tree::Tree;
use crate::ui::tree::flat::Group;
use crate::worker::protocol::tree_order::TreeOrder;
use crate::worker::protocol::{Detail, ListAt, Opened, Row};

pub use self::dock::Dock;
pub use self::layout::{Layout, Theme};
pub use self::panel_id::{Level, PanelId};
pub use self::panes::{PaneSets, Panes};
pub use self::shown_panel::shown_beside;
pub use self::view::{Lists, View};

/// Id of an open file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct TabId(pub u32);

impl TabId {
    /// Element id of its tab.
    pub fn element(self) -> String {
        format!("file-{}", self.0)
    }
}

/// Origin of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// Dropped, chosen or pasted: links contain its name and wait until it is opened.
    Local,
    /// From a URL (`?url=`), which links contain.
    Link(AttrValue),
}

/// Why a file cannot be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// One-line summary.
    pub title: AttrValue,
    /// The cause.
    pub message: AttrValue,
    /// The suggested action.
    pub advice: AttrValue,
}

/// Loading state of a file.
#[derive(Debug, Clone, PartialEq)]
pub enum Phase {
    /// Opened when it is first shown.
    Waiting,
    /// Downloaded once the user allows it: the embedding page requests it from another site.
    Asking {
        /// The host of the file.
        host: AttrValue,
        /// The origin of the embedding page, if it is known.
        page: Option<AttrValue>,
    },
    /// Downloading.
    Fetching {
        /// Number of bytes received.
        got: u64,
        /// Total size, if the server sent it.
        total: Option<u64>,
    },
    /// The files of a folder are listed.
    Listing {
        /// Number of files so far.
        files: usize,
    },
    /// The decoder is opening it.
    Decoding,
    /// Loaded.
    Ready(Rc<View>),
    /// Failed.
    Failed(Failure),
}

/// The decoder's response to a selection.
#[derive(Debug, Clone, PartialEq)]
pub struct SelectionDetails {
    /// The selection; `None` if it was known when requested.
    pub selection: Option<Selection>,
    /// Path to the selected node, with child counts.
    pub ancestry: Rc<[Row]>,
    /// The path in the tree by kernel, if requested.
    pub by_kernel: Option<Rc<[Row]>>,
    /// Details of the selected node.
    pub detail: Rc<Detail>,
    /// The first of the selected bytes, if included.
    pub preview: Option<Rc<[u8]>>,
    /// The row of the selection in this list, for this generation.
    pub list: Option<(ListId, u32, Option<Box<ListAt>>)>,
}

/// Selection and open branches of a file's earlier version, in the newer one.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Restored {
    /// Path to the selection; empty if it does not exist any more.
    pub selected: Rc<[Row]>,
    /// See [`Tree::open_again`].
    pub open: Vec<(Rc<[Row]>, bool)>,
}

/// An open file.
#[derive(Debug, Clone, PartialEq)]
pub struct Tab {
    /// Its id.
    pub id: TabId,
    /// Its name.
    pub name: AttrValue,
    /// Its origin.
    pub origin: Origin,
    /// Its loading state.
    pub phase: Phase,
    /// Whether it is watched for changes on disk.
    pub following: Following,
    /// What its decoder works on, if for more than a second.
    pub work: Option<DecoderWork>,
}

/// What a decoder works on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DecoderWork {
    /// What it does: `Comparing`.
    pub text: &'static str,
    /// For how long, in seconds.
    pub seconds: u32,
    /// Number of bytes of the file that were read for it.
    pub bytes: u64,
}

impl Tab {
    /// The view of a loaded file.
    pub fn view(&self) -> Option<&Rc<View>> {
        match &self.phase {
            Phase::Ready(view) => Some(view),
            _ => None,
        }
    }
}

/// The open dialog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Dialog {
    /// Keyboard shortcuts and supported formats.
    Help,
    /// All rules with explanations.
    Rules,
    /// Asks for a URL.
    Link,
    /// Asks for a location in a file; shows its name if two files are visible.
    GoTo(TabId, Option<AttrValue>),
    /// Edits the comment of a bookmark.
    Comment(TabId, Rc<Bookmark>),
    /// Text that could not be copied to the clipboard.
    Copy(AttrValue),
}

/// The open dialog and its serial number.
///
/// Browsers report that a dialog was closed later; by then, the user may have opened another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenDialog {
    /// Identifies its `<dialog>`.
    pub serial: u32,
    /// What it shows.
    pub dialog: Dialog,
}

/// State of the page.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct State {
    /// The open files.
    pub tabs: Vec<Rc<Tab>>,
    /// The file in front.
    pub active: Option<TabId>,
    /// The open dialog.
    pub dialog: Option<OpenDialog>,
    /// The layout.
    pub layout: Layout,
    /// The tour of a sample.
    pub guide: Option<Guide>,
    /// A short message that disappears by itself.
    pub notice: Option<AttrValue>,
    /// Number of selections and dialogs so far.
    serial: u32,
}

/// A change of the tree.
pub enum TreeChange {
    /// Expands a node.
    Open(Rc<Row>),
    /// Collapses a node.
    Close(NodeId),
    /// Expands or collapses a range of children.
    Group(Group, bool),
    /// A page of children: index of the first, and total number.
    Rows(NodeId, u64, u64, Vec<Row>),
}

/// A change of the page.
pub enum Action {
    /// A file is added.
    Add(Tab),
    /// A file comes to the front.
    Activate(TabId),
    /// The start page is shown; the files stay open.
    Home,
    /// A file is closed.
    Close(TabId),
    /// The loading state of a file changes.
    Phase(TabId, Phase),
    /// A decoder works for more than a second, or has answered.
    Work(TabId, Option<DecoderWork>),
    /// The decoder has opened a file.
    Opened(TabId, Rc<Opened>),
    /// A link is followed in a file.
    Show(TabId, ViewOptions),
    /// The tree of this order changes.
    Tree(TabId, TreeOrder, Vec<TreeChange>),
    /// The verdict changes.
    Verdict(TabId, VerdictChange),
    /// The occupancy of a kernel changes.
    Occupancy(TabId, OccupancyChange),
    /// The visible code changes.
    Code(TabId, CodeChange),
    /// The profile of a file changes.
    Profile(TabId, ProfileChange),
    /// A file is watched, not watched any more, or has changed.
    Follow(TabId, Following),
    /// The comparison with another file changes.
    Compare(TabId, CompareChange),
    /// The bookmarks change.
    Bookmarks(TabId, Rc<Bookmarks>),
    /// A newer version replaces a file.
    Reopened(TabId, Rc<Opened>, Box<Restored>),
    /// A list changes.
    List(TabId, ListId, ListChange),
    /// The readable texts change.
    Texts(TabId, TextsChange),
    /// The graph of modules, images or basic blocks is drawn differently.
    Graph(TabId, ListId, GraphChange),
    /// A known row was selected; its list row was requested.
    Select(TabId, Selection, Option<ListId>),
    /// The decoder's response to a selection.
    Selected(TabId, Box<SelectionDetails>),
    /// The first of these bytes have arrived.
    Preview(TabId, Span, Rc<[u8]>),
    /// The layout changes.
    Layout(Layout),
    /// A drag of files over the page starts or ends.
    Dragging(bool),
    /// The window becomes narrow or wide.
    Narrow(bool),
    /// The user chose a panel.
    Panel(PanelId),
    /// A panel of a file is shown.
    PanelOf(TabId, PanelId),
    /// A file cannot be read any more; the message.
    Changed(TabId, AttrValue),
    /// A dialog opens and replaces an open one.
    Dialog(Dialog),
    /// The dialog with this serial number was closed.
    DialogClosed(u32),
    /// The tour starts, continues or ends.
    Guide(Option<Guide>),
    /// A short message.
    Notice(Option<AttrValue>),
}

impl State {
    /// The file in front.
    pub fn active(&self) -> Option<&Rc<Tab>> {
        self.tab(self.active?)
    }

    /// An open file.
    pub fn tab(&self, id: TabId) -> Option<&Rc<Tab>> {
        self.tabs.iter().find(|tab| tab.id == id)
    }

    /// What the open dialog shows.
    pub fn dialog(&self) -> Option<&Dialog> {
        Some(&self.dialog.as_ref()?.dialog)
    }

    /// The file beside the one in front: the other file of its comparison, if that is visible and
    /// there is room.
    pub fn beside(&self) -> Option<&Rc<Tab>> {
        let layout = &self.layout;
        let view = self.active()?.view()?;
        // Kernels of one file have one tree.
        let is_one = view.compare.options.kernels.is_some();
        let is_wanted =
            layout.side_by_side && !layout.narrow && !is_one && view.panel == PanelId::Compare;
        let base = view
            .compare
            .base
            .as_ref()
            .filter(|_| view.compare.has_result);
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
            last_of_level: Default::default(),
            verdict: Rc::default(),
            occupancy: Rc::default(),
            code: Rc::default(),
            profile: Rc::default(),
            compare: Rc::default(),
            bookmarks: Rc::default(),
            lists: Lists::default(),
            texts: Rc::default(),
            graph: Rc::default(),
            images: Rc::new(GraphView::hidden_behind_table()),
            blocks: Rc::new(GraphView::hidden_behind_table()),
            detail: None,
            preview: Rc::from([]),
            changed: None,
        };
        self.change(id, |tab| tab.phase = Phase::Ready(Rc::new(view)));
    }

    /// Like [`State::opened`], but keeps what still applies from the previous version.
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
            tree.open_again(&restored.open);
            tree.reveal(&restored.selected);
            // A list of the file, or of a container around the selection.
            let again = |document: NodeId| match document {
                NodeId::ROOT => Some(NodeId::ROOT),
                document => {
                    let mut rows = before.selection.ancestry.iter();
                    let place = rows.position(|row| row.id == document)?;
                    Some(restored.selected.get(place)?.id)
                }
            };
            let documents = ListId::ALL.map(|list| before.lists.get(list).document.and_then(again));
            if !restored.selected.is_empty() {
                view.selection = Selection {
                    serial: view.selection.serial,
                    ..Selection::node(restored.selected, SelectionOrigin::Address)
                };
            }
            for (list, document) in ListId::ALL.into_iter().zip(documents) {
                view.list_changed(list, before.lists.get(list).for_new_version());
                let is_of_container = list.declaration().scope == Scope::Container;
                if let Some(document) = document.filter(|_| is_of_container) {
                    view.list_changed(list, ListChange::Restored(document));
                }
            }
        });
    }

    /// `requested`: the list whose row was requested.
    fn select(&mut self, id: TabId, mut selection: Selection, requested: Option<ListId>) {
        self.serial += 1;
        selection.serial = self.serial;
        self.change_view(id, |view| {
            Rc::make_mut(&mut view.tree).reveal(&selection.ancestry);
            view.reveal_by_kernel(selection.by_kernel.as_deref());
            if view.selection.span != selection.span {
                view.preview = Rc::from([]);
            }
            if let Some(list) = requested {
                view.list_changed(list, ListChange::AtAsked(selection.serial));
            }
            view.selection = selection;
        });
    }

    fn selected(&mut self, id: TabId, found: SelectionDetails) {
        if let Some(selection) = found.selection {
            // The row was found in earlier rows; it is requested again.
            let lists = self
                .tab(id)
                .and_then(|tab| tab.view())
                .map(|view| &view.lists);
            let of = |list| lists.map(|lists| lists.get(list).rows.generation);
            let fits = found
                .list
                .as_ref()
                .filter(|found| of(found.0) == Some(found.1));
            let requested = fits.map(|(list, ..)| *list);
            self.select(id, selection, requested);
        }
        self.change_view(id, |view| {
            let node = found.ancestry.last().map_or(NodeId::ROOT, |row| row.id);
            if node != view.selection.node_id() {
                return;
            }
            Rc::make_mut(&mut view.tree).learn(&found.ancestry);
            view.selection.ancestry = found.ancestry;
            if view.selection.by_kernel.is_none() {
                view.reveal_by_kernel(found.by_kernel.as_deref());
                view.selection.by_kernel = found.by_kernel;
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
            Action::Work(id, work) => state.change(id, |tab| tab.work = work),
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
                if matches!(change, VerdictChange::Survey(..)) {
                    view.lists.files_were_read();
                }
                Rc::make_mut(&mut view.verdict).apply(change);
            }),
            Action::Occupancy(id, change) => state.change_view(id, |view| {
                Rc::make_mut(&mut view.occupancy).apply(change);
            }),
            Action::Code(id, change) => state.change_view(id, |view| {
                Rc::make_mut(&mut view.code).apply(change);
                view.show_live_registers();
            }),
            Action::Profile(id, change) => {
                state.change_view(id, |view| view.profile_changed(change));
            }
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
            Action::Select(id, selection, requested) => state.select(id, selection, requested),
            Action::Selected(id, found) => state.selected(id, *found),
            Action::Preview(id, span, bytes) => state.change_view(id, |view| {
                if view.selection.span == Some(span) {
                    view.preview = bytes;
                }
            }),
            Action::Layout(layout) => state.layout = layout,
            Action::Dragging(is_dragging) => state.layout.is_dragging = is_dragging,
            Action::Narrow(narrow) => state.layout.narrow = narrow,
            Action::Panel(panel) => {
                state.layout.upper_is_panel = true;
                if let Some(id) = state.active {
                    state.change_view(id, |view| view.choose(panel));
                }
            }
            Action::PanelOf(id, panel) => {
                state.layout.upper_is_panel = true;
                state.change_view(id, |view| view.choose(panel));
            }
            Action::Changed(id, why) => {
                state.change_view(id, |view| view.changed = Some(why));
            }
            Action::Dialog(dialog) => {
                state.serial += 1;
                let serial = state.serial;
                state.dialog = Some(OpenDialog { serial, dialog });
            }
            Action::DialogClosed(serial) => {
                state.dialog = state.dialog.filter(|open| open.serial != serial);
            }
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
