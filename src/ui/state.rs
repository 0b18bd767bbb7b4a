//! What the page shows, and how it changes: one reducer, without a browser in it.

use std::rc::Rc;

use yew::{AttrValue, Reducible};

use super::bookmarks::{Bookmark, Bookmarks};
use super::code_state::{CodeChange, CodeState};
use super::compare_state::{CompareChange, CompareState, Following};
use super::flat::Group;
use super::graph_view::{GraphChange, GraphView};
use super::guide::Guide;
use super::list::{List, ListChange};
use super::occupancy_state::{OccupancyChange, OccupancyState};
use super::route::Shown;
use super::selection::{Selection, Via};
use super::texts::{Texts, TextsChange};
use super::tree::Tree;
use super::verdict_state::{VerdictChange, VerdictState};
use crate::model::list::query::Query;
use crate::model::list::{Detail as ListDetail, ListId};
use crate::model::modules::Holder;
use crate::model::{NodeId, SourceId, Span, Summary};
use crate::worker::protocol::{Detail, ListAt, Opened, Row};
use crate::worker::tree_order::TreeOrder;

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

    /// The theme that pages which embed this one call so.
    pub fn named(name: &str) -> Option<Theme> {
        match name {
            "auto" => Some(Theme::Auto),
            "light" => Some(Theme::Light),
            "dark" => Some(Theme::Dark),
            _ => None,
        }
    }

    /// In a word.
    pub fn name(self) -> &'static str {
        match self {
            Theme::Auto => "system",
            Theme::Light => "light",
            Theme::Dark => "dark",
        }
    }
}

/// What can be chosen in the middle of the page.
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
    /// The instructions of a kernel.
    Assembly,
    /// The source lines of the code.
    SourceLines,
    /// The images of a container.
    Images,
    /// What the driver does on each device.
    Devices,
    /// What differs from another file.
    Compare,
    /// What is wrong or remarkable.
    Problems,
    /// What somebody has marked.
    Bookmarks,
}

impl PanelId {
    /// All panels, in the order of their tabs.
    pub const ALL: [PanelId; 15] = [
        PanelId::Overview,
        PanelId::Kernels,
        PanelId::Arguments,
        PanelId::Assembly,
        PanelId::Relocations,
        PanelId::Symbols,
        PanelId::Text,
        PanelId::SourceLines,
        PanelId::Modules,
        PanelId::Properties,
        PanelId::Images,
        PanelId::Devices,
        PanelId::Compare,
        PanelId::Problems,
        PanelId::Bookmarks,
    ];

    /// Its name in commands and links.
    pub fn name(self) -> &'static str {
        match self {
            PanelId::Overview => "overview",
            PanelId::Kernels => "kernels",
            PanelId::Arguments => "arguments",
            PanelId::Relocations => "relocations",
            PanelId::Symbols => "symbols",
            PanelId::Text => "text",
            PanelId::Assembly => "assembly",
            PanelId::SourceLines => "source-lines",
            PanelId::Modules => "modules",
            PanelId::Properties => "properties",
            PanelId::Images => "images",
            PanelId::Devices => "devices",
            PanelId::Compare => "compare",
            PanelId::Problems => "problems",
            PanelId::Bookmarks => "bookmarks",
        }
    }

    /// The panel with a name.
    pub fn named(name: &str) -> Option<PanelId> {
        PanelId::ALL.into_iter().find(|panel| panel.name() == name)
    }

    /// The list whose row it shows with the selection.
    pub fn list(self) -> Option<ListId> {
        match self {
            PanelId::Kernels | PanelId::Arguments => Some(ListId::Kernels),
            PanelId::Relocations => Some(ListId::Relocations),
            PanelId::Symbols => Some(ListId::Symbols),
            PanelId::Text => Some(ListId::Lines),
            PanelId::Assembly => Some(ListId::Instructions),
            PanelId::SourceLines => Some(ListId::SourceLines),
            PanelId::Modules => Some(ListId::Modules),
            PanelId::Properties => Some(ListId::Properties),
            PanelId::Images => Some(ListId::Images),
            PanelId::Devices => Some(ListId::Devices),
            PanelId::Compare => Some(ListId::Differences),
            PanelId::Overview | PanelId::Problems | PanelId::Bookmarks => None,
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
    /// Bytes that only fill up are not shown in the tree.
    pub no_padding: bool,
    /// The defaults of what is not in the file are not shown.
    pub no_defaults: bool,
    /// In which order the tree shows files that have kernels.
    pub order: TreeOrder,
    /// The two files of a comparison are shown beside each other.
    pub side_by_side: bool,
    /// The trees then show what is the same in both, too.
    pub unchanged: bool,
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

/// A file that is shown.
#[derive(Debug, Clone, PartialEq)]
pub struct View {
    /// What the decoder said when it was opened.
    pub opened: Rc<Opened>,
    /// Another number each time that a file is opened.
    pub opening: u32,
    /// Its tree as far as it is known.
    pub tree: Rc<Tree>,
    /// The same by kernel, if it has some.
    pub by_kernel: Option<Rc<Tree>>,
    /// What is selected.
    pub selection: Selection,
    /// Everything about the selected node, once it is here.
    pub detail: Option<Rc<Detail>>,
    /// The first of the selected bytes, once they are here.
    pub preview: Rc<[u8]>,
    /// What the driver does with it, as far as it is known.
    pub verdict: Rc<VerdictState>,
    /// What limits the kernel that is shown, as far as it is known.
    pub occupancy: Rc<OccupancyState>,
    /// The code that is shown, as far as it is known.
    pub code: Rc<CodeState>,
    /// What differs from another file, as far as somebody has asked.
    pub compare: Rc<CompareState>,
    /// What somebody has marked in it.
    pub bookmarks: Rc<Bookmarks>,
    /// Its lists, as far as somebody has asked for them.
    pub lists: Lists,
    /// Its readable texts, as far as somebody has asked for them.
    pub texts: Rc<Texts>,
    /// The graph of its modules.
    pub graph: Rc<GraphView>,
    /// The graph of the images of a host's file.
    pub images: Rc<GraphView>,
    /// The graph of the basic blocks of the code that is shown.
    pub blocks: Rc<GraphView>,
    /// The panel that is shown.
    pub panel: PanelId,
    /// It was changed, moved or deleted since; in words.
    pub changed: Option<AttrValue>,
}

/// One list of each sort.
#[derive(Debug, Clone, PartialEq)]
pub struct Lists([Rc<List>; ListId::ALL.len()]);

impl Default for Lists {
    fn default() -> Lists {
        Lists(ListId::ALL.map(|list| Rc::new(List::new(list))))
    }
}

impl Lists {
    /// One of them.
    pub fn get(&self, list: ListId) -> &List {
        &self.0[list as usize]
    }

    /// Changes one of them.
    pub fn apply(&mut self, list: ListId, change: ListChange) {
        Rc::make_mut(&mut self.0[list as usize]).apply(change);
    }
}

/// What the decoder has found of a selection.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
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
    Show(TabId, Shown),
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
    Selected(TabId, Box<Found>),
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
                    ..Selection::node(restored.selected, Via::Address)
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

    fn selected(&mut self, id: TabId, found: Found) {
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

impl View {
    /// The order in which its tree is shown: by kernel only if it has some.
    pub fn order(&self, layout: &Layout) -> TreeOrder {
        match self.by_kernel {
            Some(_) => layout.order,
            None => TreeOrder::File,
        }
    }

    /// Its tree in this order.
    pub fn tree_in(&self, order: TreeOrder) -> &Rc<Tree> {
        let by_kernel = self.by_kernel.as_ref();
        let by_kernel = by_kernel.filter(|_| order == TreeOrder::Kernels);
        by_kernel.unwrap_or(&self.tree)
    }

    fn tree_mut(&mut self, order: TreeOrder) -> &mut Tree {
        match (order, &mut self.by_kernel) {
            (TreeOrder::Kernels, Some(tree)) => Rc::make_mut(tree),
            _ => Rc::make_mut(&mut self.tree),
        }
    }

    fn reveal_by_kernel(&mut self, way: Option<&[Row]>) {
        if let (Some(tree), Some(way)) = (&mut self.by_kernel, way) {
            Rc::make_mut(tree).reveal(way);
        }
    }

    /// The summary of the document that the selection is in, as far as it is known.
    pub fn summary(&self) -> &Summary {
        let report = self.verdict.report.as_ref();
        let inner = report.and_then(|report| report.summary.as_ref());
        inner.unwrap_or(&self.opened.summary)
    }

    /// The row that is selected, or holds the selected bytes.
    pub fn row(&self) -> &Row {
        self.selection.ancestry.last().unwrap_or(&self.opened.root)
    }

    /// Everything about that row, if it is here already.
    pub fn detail(&self) -> Option<&Detail> {
        self.detail
            .as_deref()
            .filter(|detail| detail.node == self.row().id)
    }

    pub(super) fn list_changed(&mut self, list: ListId, change: ListChange) {
        let known = self.lists.get(list);
        let before = (known.document, known.rows.generation);
        let (of, encoding) = (known.query.of, known.query.device.clone());
        let is_at = matches!(change, ListChange::At(..));
        self.lists.apply(list, change);
        let list = self.lists.get(list);
        match list.id {
            ListId::Modules | ListId::Images => {
                let graph = Rc::make_mut(match list.id {
                    ListId::Images => &mut self.images,
                    _ => &mut self.graph,
                });
                if before.1 != list.rows.generation {
                    graph.renew(before.0 != list.document);
                }
                if is_at {
                    graph.follow(list.place());
                }
            }
            ListId::Instructions if (of, &encoding) != (list.query.of, &list.query.device) => {
                Rc::make_mut(&mut self.blocks).renew(true);
            }
            // After a comparison, or in another order.
            ListId::Differences if self.difference().is_none() => self.place_difference(),
            ListId::Lines => {
                Rc::make_mut(&mut self.texts).follow(list.query.of, &self.selection.ancestry);
            }
            _ => {}
        }
    }

    fn compare_changed(&mut self, change: CompareChange) {
        let is_new = matches!(change, CompareChange::Answered(_));
        Rc::make_mut(&mut self.compare).apply(change);
        if is_new {
            self.lists.apply(ListId::Differences, ListChange::Reset);
            self.lists.apply(ListId::Changes, ListChange::Reset);
            self.place_difference();
        }
        let query = Query {
            row: self.compare.chosen.map(|chosen| chosen.index),
            ..self.lists.get(ListId::Changes).query.clone()
        };
        self.lists.apply(ListId::Changes, ListChange::Query(query));
    }

    /// Finds the difference that is shown in full among those that are listed, as far as they are here.
    fn place_difference(&mut self) {
        let Some(index) = self.compare.chosen.map(|chosen| chosen.index) else {
            return;
        };
        let list = self.lists.get(ListId::Differences);
        let is_all = list.query.filter.is_empty() && list.query.sort.is_none();
        let place = match is_all {
            // Each is at its own place.
            true => Some(index),
            false if list.rows.is_waiting() => None,
            false => list.rows.find(|row| row.index == index),
        };
        let place = place.map(|place| (place, list.rows.generation));
        if let Some(chosen) = &mut Rc::make_mut(&mut self.compare).chosen {
            chosen.place = place;
        }
    }

    /// The place of the difference that is shown in full among those that are listed.
    pub fn difference(&self) -> Option<u64> {
        let (place, of) = self.compare.chosen?.place?;
        let generation = self.lists.get(ListId::Differences).rows.generation;
        (of == generation).then_some(place)
    }

    fn texts_changed(&mut self, change: TextsChange) {
        let texts = Rc::make_mut(&mut self.texts);
        let of = |texts: &Texts| texts.shown.as_ref().and_then(|text| text.span);
        let before = of(texts);
        texts.apply(change, self.selection.text().is_some());
        if of(texts) != before {
            let query = Query {
                of: of(texts),
                ..self.lists.get(ListId::Lines).query.clone()
            };
            self.lists.apply(ListId::Lines, ListChange::Query(query));
        }
    }

    /// The graph that belongs to a list: that of the instructions or images, or else of the modules.
    pub fn graph_of(&self, list: ListId) -> &GraphView {
        match list {
            ListId::Instructions => &self.blocks,
            ListId::Images => &self.images,
            _ => &self.graph,
        }
    }

    /// The list whose graph the panel shows.
    pub fn graph_list(&self) -> ListId {
        match self.panel {
            PanelId::Assembly => ListId::Instructions,
            PanelId::Images => ListId::Images,
            _ => ListId::Modules,
        }
    }

    fn graph_changed(&mut self, id: ListId, change: GraphChange) {
        if let GraphChange::Page(_, _, page) = &change {
            let answered = ListChange::Document(page.document());
            self.lists.apply(id, answered);
        }
        let list = self.lists.get(id);
        let generation = list.rows.generation;
        match id {
            ListId::Instructions => Rc::make_mut(&mut self.blocks).apply(change, generation, None),
            ListId::Images => {
                let place = list.place();
                Rc::make_mut(&mut self.images).apply(change, generation, place);
            }
            _ => {
                let place = list.place();
                Rc::make_mut(&mut self.graph).apply(change, generation, place);
            }
        }
    }

    /// What of the drawn modules, or of the drawn images, is selected.
    pub fn holder(&self) -> Option<Holder> {
        if self.graph_list() == ListId::Images {
            return self.images.modules()?.holder_at(self.selection.span?);
        }
        let page = self.graph.modules()?;
        match self.lists.get(ListId::Modules).detail() {
            ListDetail::Module(holder) => Some(*holder),
            _ => {
                let selected = self.selection.span?;
                page.span.contains(selected).then_some(Holder::Whole)
            }
        }
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
#[path = "state_tests.rs"]
mod tests;
