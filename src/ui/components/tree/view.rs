//! The tree pane.

use std::cell::RefCell;
use std::rc::Rc;

use yew::prelude::*;

use super::keys::{self, TreeRequest};
use super::row::{self, RowState, tree_row};
use crate::model::text::escaped;
use crate::model::{NodeId, NodeKind};
use crate::ui::browser::dom::{focus, number_near, set_text, text_of};
use crate::ui::browser::keys::pressed;
use crate::ui::components::ptr_eq::PtrEq;
use crate::ui::hooks::{
    Debounce, Local, VirtualRows, use_change, use_later, use_local, use_row_count, use_virtual_rows,
};
use crate::ui::session::{Session, SessionContext};
use crate::ui::state::TabId;
use crate::ui::state::bookmarks::Bookmarks;
use crate::ui::state::commands::Command;
use crate::ui::state::selection::{Selection, SelectionOrigin};
use crate::ui::text::format;
use crate::ui::tree::Tree;
use crate::ui::tree::differing::DifferenceIndex;
use crate::ui::tree::flat::{Flat, Item, Root, Show, stem};
use crate::worker::protocol::tree_order::{RowId, TreeOrder};

/// Row height in pixels; equals `--row` in the styles.
const ROW: f64 = 20.0;
/// Delay of the filter, in milliseconds.
const PAUSE: i32 = 120;
/// Timeout of type-ahead, in milliseconds.
const TYPE_AHEAD: i32 = 800;

/// Properties of the tree.
#[derive(Properties, PartialEq)]
pub struct Props {
    /// The session.
    pub session: SessionContext,
    /// The file's tab.
    pub tab: TabId,
    /// Its tree.
    pub tree: PtrEq<Tree>,
    /// The selection.
    pub selection: Selection,
    /// The bookmarks.
    pub bookmarks: PtrEq<Bookmarks>,
    /// Whether padding is hidden.
    pub no_padding: bool,
    /// Whether defaults of values that the file omits are hidden.
    pub no_defaults: bool,
    /// Order of the tree; `None` if the file has only one.
    pub order: Option<TreeOrder>,
    /// Rows that differ from another file, and whether the others are visible, too.
    pub differing: Option<(DifferenceIndex, bool)>,
    /// Name of the file, if it is the one beside the file in front.
    pub beside: Option<AttrValue>,
    /// Title of the pane, in the line that also shows the ancestors of the first visible row.
    #[prop_or_default]
    pub head: Html,
}

/// Element ids of the tree and its filter field.
fn ids(beside: bool) -> (&'static str, &'static str) {
    if beside {
        ("tree-beside", "tree-beside-filter")
    } else {
        ("tree", "tree-filter")
    }
}

/// The row of the selection; `None` while it is unknown.
fn selected_item(selection: &Selection, order: TreeOrder) -> Option<Item> {
    Some(match selection.path_in(order)?.last() {
        Some(row) => Item::Child {
            parent: row.parent.unwrap_or(NodeId::ROOT),
            index: row.index,
        },
        None => Item::Root,
    })
}

/// A focused row that is not selected: a range of children, a row that is loading, or one whose
/// selection is pending.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Cursor {
    item: Item,
    /// Dropped when the selection has another serial.
    serial: u32,
    /// Dropped in another order.
    order: TreeOrder,
    /// Whether the selection of its node is pending.
    is_pending: bool,
}

/// Cached flat tree; valid for the same tree.
#[derive(Default)]
struct FlattenedCache(RefCell<Option<Flattened>>);

/// A tree, the visibility of its rows, and its flat form.
type Flattened = (PtrEq<Tree>, Show, Rc<Flat>);

impl FlattenedCache {
    fn flat(&self, tree: &PtrEq<Tree>, show: Show) -> Rc<Flat> {
        let mut kept = self.0.borrow_mut();
        if let Some((of, as_shown, flat)) = &*kept
            && of == tree
            && *as_shown == show
        {
            return Rc::clone(flat);
        }
        let flat = Rc::new(Flat::new(tree, show.clone()));
        *kept = Some((tree.clone(), show, Rc::clone(&flat)));
        flat
    }
}

/// Context of the event handlers.
struct View {
    session: Rc<Session>,
    tab: TabId,
    tree: PtrEq<Tree>,
    flat: Rc<Flat>,
    rows: Rc<VirtualRows>,
    selection: Selection,
    bookmarks: PtrEq<Bookmarks>,
    order: TreeOrder,
    cursor: Local<Option<Cursor>>,
    waiting: Option<Item>,
    active: Option<u64>,
    /// The row that a key moved to since the last rendering: further keys may precede the next one.
    moved: Rc<RefCell<Option<u64>>>,
    /// Whether the focused row stays in view when other rows come and go: until the user opens or
    /// closes a branch, which must not move.
    follows: Rc<RefCell<bool>>,
    typed: Rc<RefCell<String>>,
    later: Debounce,
    /// Rows that are marked because they differ; `None` if only those are visible.
    differing: Option<DifferenceIndex>,
    beside: bool,
}

impl View {
    fn set_open(&self, item: Item, open: bool) {
        *self.follows.borrow_mut() = false;
        if let Item::Group(group) = item {
            return self.session.set_group(self.tab, group, open);
        }
        let Some(row) = keys::node(&self.tree, item) else {
            return;
        };
        self.session.set_open(self.tab, row, open);
        let path = self.selection.path_in(self.order).unwrap_or(&[]);
        let hides = path.iter().rev().skip(1).any(|r| r.id == row.id);
        if !open && (hides || row.id == NodeId::ROOT) {
            self.choose(item, SelectionOrigin::Step);
        }
    }

    /// Focuses a row and selects its node, if it has one.
    fn choose(&self, item: Item, origin: SelectionOrigin) {
        let node = keys::node(&self.tree, item);
        let node = node.filter(|row| RowId::of(row.id) != RowId::Rest);
        if node.is_none() || self.order == TreeOrder::Kernels {
            let cursor = Cursor {
                item,
                serial: self.selection.serial,
                order: self.order,
                is_pending: node.is_some(),
            };
            self.cursor.change(|before| *before = Some(cursor));
        }
        if let Some(node) = node {
            self.session.select_row(self.tab, node, origin);
        }
    }

    fn go(&self, number: u64, origin: SelectionOrigin) {
        let Some(row) = self.flat.row(number) else {
            return;
        };
        self.rows.reveal(number);
        *self.moved.borrow_mut() = Some(number);
        self.choose(row.item, origin);
    }

    fn key(&self, event: &KeyboardEvent) {
        let Some(key) = pressed(event) else { return };
        let (flat, tree) = (&self.flat, &self.tree);
        let at = self.moved.borrow().or(self.active).unwrap_or(0);
        if let Some(request) = keys::request(&key, flat, tree, at, self.rows.page()) {
            event.prevent_default();
            self.typed.borrow_mut().clear();
            match (request, flat.row(at).map(|row| row.item)) {
                (TreeRequest::Move(number), _) => self.go(number, SelectionOrigin::Step),
                (TreeRequest::Open(open), Some(item)) => self.set_open(item, open),
                (TreeRequest::OpenSiblings, Some(item)) => {
                    if let Some(node) = keys::node(tree, item) {
                        self.session.open_siblings(self.tab, node);
                    }
                }
                _ => {}
            }
            return;
        }
        let mut typed = self.typed.borrow_mut();
        if keys::is_letter(&key, &typed) {
            event.prevent_default();
            typed.push_str(&key);
            let clear = Rc::clone(&self.typed);
            self.later
                .after(TYPE_AHEAD, Box::new(move || clear.borrow_mut().clear()));
            if let Some(number) = keys::type_ahead(&typed, flat, tree, at) {
                self.go(number, SelectionOrigin::Step);
            }
        }
    }

    fn click(&self, event: &MouseEvent) {
        let Some(number) = number_near(event, "data-row") else {
            return;
        };
        focus(&self.rows.container);
        let Some(row) = self.flat.row(number) else {
            return;
        };
        let open = keys::is_open(&self.tree, row.item);
        let on_twisty = number_near(event, "data-twisty").is_some();
        let is_group = matches!(row.item, Item::Group(_));
        let twice = event.detail() == 2 && !on_twisty && !is_group;
        match open {
            Some(open) if on_twisty || is_group || twice => self.set_open(row.item, !open),
            _ if event.detail() < 2 => self.go(number, SelectionOrigin::Jump),
            _ => {}
        }
    }

    /// Scrolls to the focused row.
    fn follow(&self) {
        *self.follows.borrow_mut() = true;
        if let Some(number) = self.active {
            self.rows.reveal(number);
        }
    }

    /// Scrolls to the focused row after its number has changed, unless the user has scrolled.
    fn keep_in_view(&self) {
        if let Some(number) = self.active
            && *self.follows.borrow()
            && self.rows.is_revealed()
        {
            self.rows.reveal(number);
        }
    }

    /// Requests missing visible rows, and selects the row that the cursor waited for.
    fn load(&self) {
        let (start, end) = self.rows.shown();
        for row in (start..end).filter_map(|n| self.flat.row(n)) {
            match row.item {
                Item::Child { parent, index } if !self.tree.has_page(parent, index) => {
                    self.session.load_page(self.tab, parent, index);
                }
                // The first page has their number.
                Item::Unknown { parent } => self.session.load_page(self.tab, parent, 0),
                _ => {}
            }
        }
        if let Some(row) = self.waiting.and_then(|item| keys::node(&self.tree, item)) {
            self.session
                .select_row(self.tab, row, SelectionOrigin::Step);
        }
    }

    /// Whether the next row is a child of this one, which a filter may show in collapsed branches.
    fn is_above(&self, number: u64) -> bool {
        let depth = |number| self.flat.row(number).map(|row| row.depth);
        depth(number + 1) > depth(number)
    }

    fn row(&self, number: u64) -> Option<Html> {
        let row = self.flat.row(number)?;
        let standing = RowState {
            number,
            row,
            open: keys::is_open(&self.tree, row.item).map(|open| open || self.is_above(number)),
            selected: self.active == Some(number),
            count: 0,
            differs: false,
            beside: self.beside,
        };
        if let Item::Group(group) = row.item
            && group.named
        {
            let first = self.tree.child(group.parent, group.start);
            let of = first.and_then(|row| stem(&row.name));
            let rows = self.tree.loaded(group.parent);
            let rows = rows.filter(|row| {
                group.has(row.index) && stem(&row.name) == of && self.flat.shows(row)
            });
            let count = rows.count() as u64;
            return Some(tree_row(RowState { count, ..standing }, first, None));
        }
        let node = keys::node(&self.tree, row.item);
        let has = |differing: &DifferenceIndex| node.is_some_and(|node| differing.has(node));
        let standing = RowState {
            differs: self.differing.as_ref().is_some_and(has),
            ..standing
        };
        let marked = node.filter(|_| !self.bookmarks.all().is_empty());
        let bookmark = marked.and_then(|node| match node.id {
            NodeId::ROOT => self.bookmarks.of(&[]),
            _ => self.bookmarks.of(&self.tree.ancestry(node)),
        });
        Some(tree_row(standing, node, bookmark))
    }
}

/// The tree of a file.
#[component]
pub fn TreeView(props: &Props) -> Html {
    let beside = props.beside.is_some();
    let (id, filter_id) = ids(beside);
    let kept = use_mut_ref(FlattenedCache::default);
    let names = use_local::<String>();
    let filter = names.get();
    let differing = props.differing.as_ref().map(|(differing, _)| differing);
    // Otherwise the tree of equivalent files would be empty.
    let differing = differing.filter(|differing| !differing.is_empty()).cloned();
    let rooted = use_local::<Option<Root>>();
    let order = props.order.unwrap_or_default();
    // A new selection must be visible.
    let root = rooted.get().filter(|root| {
        let path = &props.selection.ancestry;
        order == TreeOrder::File && path.iter().any(|row| row.id == root.id)
    });
    let is_only = props.differing.as_ref().is_some_and(|(_, all)| !all);
    let show = Show {
        no_padding: props.no_padding,
        no_defaults: props.no_defaults,
        names: filter.clone(),
        only: differing.clone().filter(|_| is_only),
        root,
    };
    let flat = kept.borrow().flat(&props.tree, show);
    let matches = flat.matches();
    let rows = use_virtual_rows(ROW);
    use_row_count(&rows, flat.len());
    let cursor = use_local::<Option<Cursor>>();
    let serial = props.selection.serial;
    let focused = cursor.get();
    let focused = focused.filter(|cursor| (cursor.serial, cursor.order) == (serial, order));
    let waiting = focused.filter(|cursor| !cursor.is_pending);
    let waiting = waiting.map(|cursor| cursor.item);
    let item = focused.map(|cursor| cursor.item);
    let item = item.or_else(|| selected_item(&props.selection, order));
    let moved = use_mut_ref(|| None::<u64>);
    moved.borrow_mut().take();
    let view = Rc::new(View {
        session: Rc::clone(&props.session.0),
        tab: props.tab,
        tree: props.tree.clone(),
        active: item.and_then(|item| flat.find(item)),
        flat,
        rows: Rc::clone(&rows),
        selection: props.selection.clone(),
        bookmarks: props.bookmarks.clone(),
        order,
        cursor,
        waiting,
        moved,
        follows: use_mut_ref(bool::default),
        typed: use_mut_ref(String::new),
        later: use_later(),
        differing: differing.filter(|_| !is_only),
        beside,
    });
    let here = Rc::clone(&view);
    use_change(
        [
            serial.into(),
            filter.is_empty().into(),
            order as u64
                | u64::from(is_only) << 1
                | root.map_or(0, |root| u64::from(root.id.0) << 2),
            item.is_some().into(),
        ],
        Box::new(move || here.follow()),
    );
    let here = Rc::clone(&view);
    let number = view.active.map_or(0, |number| number + 1);
    use_change([number, 0, 0, 0], Box::new(move || here.keep_in_view()));
    let (start, end) = rows.shown();
    let waits = u64::from(view.waiting.is_some());
    let here = Rc::clone(&view);
    use_change(
        [props.tree.version() << 1 | order as u64, start, end, waits],
        Box::new(move || here.load()),
    );

    let here = Rc::clone(&view);
    let onkeydown = Callback::from(move |event: KeyboardEvent| here.key(&event));
    let here = Rc::clone(&view);
    let onclick = Callback::from(move |event: MouseEvent| here.click(&event));
    let later = use_later();
    let typed = names.clone();
    let oninput = Callback::from(move |_: InputEvent| {
        let names = typed.clone();
        let filter = move || {
            let typed = text_of(filter_id).trim().to_ascii_lowercase();
            names.change(|names| *names = typed);
        };
        later.after(PAUSE, Box::new(filter));
    });
    let container = rows.container.clone();
    let clear = Callback::from(move |event: KeyboardEvent| {
        match pressed(&event).as_deref() {
            Some("Escape") => {
                set_text(filter_id, "");
                names.change(String::clear);
                focus(&container);
            }
            Some("ArrowDown" | "Enter") => focus(&container),
            _ => return,
        }
        event.prevent_default();
    });
    let (label, filter_label) = labels(props);
    let in_window = view.active.filter(|n| (start..end).contains(n));
    html! { <>
        { above(&view, props, root, rooted) }
        <div class="tree-bar">
            <input id={filter_id} type="search" placeholder="Filter names" aria-label={filter_label}
                   autocomplete="off" spellcheck="false" {oninput} onkeydown={clear} />
            { shown_menu(props) }
        </div>
        <p class="tree-found small dim" role="status">
            if !filter.is_empty() {
                { format!("{} among the rows that are loaded. ", format::counted(matches, "match", "matches")) }
                { "Search (/) finds all." }
            }
        </p>
        <div class="scroll tree" {id} ref={&rows.container} role="tree" tabindex="0" aria-label={label}
             aria-activedescendant={in_window.map(|number| row::id(number, beside))} {onclick} {onkeydown}>
            <div class="spacer" ref={&rows.spacer} role="presentation">
                <div class="window" ref={&rows.window} role="presentation">
                    { for (start..end).filter_map(|number| view.row(number)) }
                </div>
            </div>
        </div>
    </> }
}

/// Ancestors of the first visible row, and the choice of a nested file as the root of the tree.
fn above(view: &Rc<View>, props: &Props, root: Option<Root>, rooted: Local<Option<Root>>) -> Html {
    let (first, _) = view.rows.in_view();
    let parent = match view.flat.row(first).map(|row| row.item) {
        Some(Item::Child { parent, .. } | Item::Unknown { parent }) => Some(parent),
        Some(Item::Group(group)) => Some(group.parent),
        Some(Item::Root) | None => None,
    };
    let branch = parent.and_then(|parent| view.tree.open_branch(parent));
    let branch = branch.filter(|branch| branch.row.id != NodeId::ROOT);
    let rows = branch.map_or_else(Vec::new, |branch| view.tree.ancestry(&branch.row));
    let here = Rc::clone(view);
    let onclick = Callback::from(move |event: MouseEvent| {
        let Some(depth) = number_near(&event, "data-above") else {
            return;
        };
        let depth = usize::try_from(depth).unwrap_or(0);
        let row = branch_at(&here, depth);
        if let Some(row) = row {
            here.session
                .select_row(here.tab, &row, SelectionOrigin::Jump);
        }
    });
    // The innermost file that contains the selection can be the root.
    let mut files = props.selection.ancestry.iter().rev();
    let file = files.find(|row| row.kind == NodeKind::File);
    let can = file.filter(|_| view.order == TreeOrder::File && root.is_none());
    let top = can.and_then(|row| {
        Some(Root {
            id: row.id,
            parent: row.parent?,
            index: row.index,
        })
    });
    let name = can.map_or_else(String::new, |row| escaped(&row.name));
    let label = match root {
        Some(_) => "Whole file".to_owned(),
        None => format!("Only {name}"),
    };
    let change = Callback::from(move |_: MouseEvent| rooted.change(|now| *now = top));
    let rows_above = match &props.beside {
        Some(name) => format!("Rows above, in {}", escaped(name)),
        None => "Rows above".to_owned(),
    };
    html! {
        <div class="head tree-above">
            { props.head.clone() }
            <nav class="names" aria-label={rows_above} {onclick}>
                { for rows.iter().enumerate().map(|(depth, row)| html! { <>
                    if depth > 0 { <span class="arrow" aria-hidden="true">{ "▸" }</span> }
                    <button type="button" class="link" data-above={depth.to_string()} title={escaped(&row.name)}>{ crate::ui::state::selection::name(row) }</button>
                </> }) }
            </nav>
            <span class="grow" />
            if root.is_some() || top.is_some() {
                <button type="button" class="link" onclick={change} title={label.clone()}>{ if root.is_some() { "Whole file" } else { "Only this file" } }</button>
            }
        </div>
    }
}

/// The ancestor at a depth of the first visible row.
fn branch_at(view: &View, depth: usize) -> Option<crate::worker::protocol::Row> {
    let (first, _) = view.rows.in_view();
    let parent = match view.flat.row(first)?.item {
        Item::Child { parent, .. } | Item::Unknown { parent } => parent,
        Item::Group(group) => group.parent,
        Item::Root => return None,
    };
    let branch = view.tree.open_branch(parent)?;
    view.tree.ancestry(&branch.row).get(depth).cloned()
}

/// Title of the tree and its filter field.
fn labels(props: &Props) -> (String, String) {
    let of = props
        .beside
        .as_ref()
        .map(|name| format!(" of {}", escaped(name)));
    let of = of.unwrap_or_default();
    (
        format!("Structure{of}"),
        format!("Filter the structure{of} by name"),
    )
}

/// Options: order and hidden rows.
fn shown_menu(props: &Props) -> Html {
    let choice = |hidden: bool, command: Command, label: &'static str| {
        html! {
            <button type="button" class="choice" role="checkbox" aria-checked={(!hidden).to_string()} data-command={command.to_string()}>
                <span aria-hidden="true">{ if hidden { "☐" } else { "☑" } }</span>{ label }
            </button>
        }
    };
    let orders = |of: TreeOrder| {
        let radio = |order: TreeOrder, label: &'static str| {
            let on = order == of;
            html! {
                <button type="button" class="choice" role="radio" aria-checked={on.to_string()} data-command={Command::Order(order).to_string()}>
                    <span aria-hidden="true">{ if on { "◉" } else { "○" } }</span>{ label }
                </button>
            }
        };
        html! {
            <div class="choices orders" role="radiogroup" aria-label="Order">
                { radio(TreeOrder::File, "As in the file") }
                { radio(TreeOrder::Kernels, "By kernel") }
            </div>
        }
    };
    html! {
        <details class="menu">
            <summary class="btn2">{ "Show" }</summary>
            <div class="pop">
                { for props.order.map(orders) }
                <div class="choices" role="group" aria-label="Show">
                    if let Some((_, all)) = &props.differing {
                        { choice(!all, Command::ToggleUnchanged, "Rows that are equal in both files") }
                    }
                    { choice(props.no_padding, Command::TogglePadding, "Padding") }
                    { choice(props.no_defaults, Command::ToggleDefaults, "Defaults of absent keys") }
                </div>
            </div>
        </details>
    }
}
