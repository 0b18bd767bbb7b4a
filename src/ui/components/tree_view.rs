//! The tree.

use std::rc::Rc;

use yew::prelude::*;

use super::tree_keys::{self, Wish};
use super::tree_row::{self, Standing, tree_row};
use crate::model::NodeId;
use crate::ui::flat::{Flat, Item};
use crate::ui::hooks::{focus, number_near, pressed, use_later, use_session, use_virtual_rows};
use crate::ui::selection::{Selection, Via};
use crate::ui::shared::Shared;
use crate::ui::state::TabId;
use crate::ui::tree::Tree;

/// The height of a row; `--row` of the styles is the same.
const ROW: f64 = 22.0;
/// What was typed is forgotten after so many milliseconds.
const TYPE_AHEAD: i32 = 800;

/// The tree's properties.
#[derive(Properties, PartialEq)]
pub struct Props {
    /// The file's tab.
    pub tab: TabId,
    /// Its tree.
    pub tree: Shared<Tree>,
    /// What is selected.
    pub selection: Selection,
}

/// The row that shows what is selected.
fn selected_item(selection: &Selection) -> Item {
    match selection.way.last() {
        Some(row) => Item::Child {
            parent: row.parent.unwrap_or(NodeId::ROOT),
            index: row.index,
        },
        None => Item::Root,
    }
}

/// The tree of a file.
#[component]
pub fn TreeView(props: &Props) -> Html {
    let session = use_session();
    let flat = use_memo(props.tree.clone(), |tree| Flat::new(tree));
    let rows = use_virtual_rows(flat.len(), ROW);
    // A row that has the focus and is not selected: a range of children, or one whose node
    // has not arrived yet.
    let cursor = use_state_eq(|| None::<Item>);
    let typed = use_mut_ref(String::new);
    let later = use_later(TYPE_AHEAD);

    let item = cursor.unwrap_or_else(|| selected_item(&props.selection));
    let active = flat.find(item);

    {
        let (rows, cursor, flat) = (rows.clone(), cursor.setter(), Rc::clone(&flat));
        let item = selected_item(&props.selection);
        use_effect_with((props.tab, props.selection.serial), move |_| {
            cursor.set(None);
            if let Some(number) = flat.find(item) {
                rows.reveal(number);
            }
        });
    }
    {
        let (session, flat, tab) = (session.clone(), Rc::clone(&flat), props.tab);
        let deps = (props.tree.clone(), rows.start, rows.end);
        use_effect_with(deps, move |(tree, start, end)| {
            for row in (*start..*end).filter_map(|n| flat.row(n)) {
                if let Item::Child { parent, index } = row.item
                    && !tree.has_page(parent, index)
                {
                    session.load_page(tab, parent, index);
                }
            }
        });
    }
    {
        // What the cursor waited for has arrived.
        let session = session.clone();
        use_effect_with((props.tree.clone(), *cursor), move |(tree, cursor)| {
            if let Some(row) = cursor.and_then(|item| tree_keys::node(tree, item)) {
                session.select_row(row, Via::Step);
            }
        });
    }

    let set_open = {
        let (session, tree, selection) =
            (session.clone(), props.tree.clone(), props.selection.clone());
        move |item: Item, open: bool| match item {
            Item::Group(group) => session.set_group(group, open),
            item => {
                let Some(row) = tree_keys::node(&tree, item) else {
                    return;
                };
                session.set_open(row, open);
                let hides = selection.way.iter().rev().skip(1).any(|r| r.id == row.id);
                if !open && (hides || row.id == NodeId::ROOT) {
                    session.select_row(row, Via::Step);
                }
            }
        }
    };
    let go = {
        let (session, tree, flat, rows) =
            (session.clone(), props.tree.clone(), Rc::clone(&flat), rows.clone());
        let cursor = cursor.setter();
        move |number: u64, via: Via| {
            let Some(row) = flat.row(number) else { return };
            rows.reveal(number);
            match tree_keys::node(&tree, row.item) {
                Some(node) => session.select_row(node, via),
                None => cursor.set(Some(row.item)),
            }
        }
    };

    let onkeydown = {
        let (session, tree, flat) = (session.clone(), props.tree.clone(), Rc::clone(&flat));
        let (go, set_open, page) = (go.clone(), set_open.clone(), rows.page);
        Callback::from(move |event: KeyboardEvent| {
            let Some(key) = pressed(&event) else { return };
            let at = active.unwrap_or(0);
            if let Some(wish) = tree_keys::wish(&key, &flat, &tree, at, page) {
                event.prevent_default();
                match (wish, flat.row(at)) {
                    (Wish::Move(number), _) => go(number, Via::Step),
                    (Wish::Open(open), Some(row)) => set_open(row.item, open),
                    (Wish::OpenSiblings, Some(row)) => {
                        if let Some(node) = tree_keys::node(&tree, row.item) {
                            session.open_siblings(node);
                        }
                    }
                    _ => {}
                }
            } else if tree_keys::is_letter(&key, &typed.borrow()) {
                event.prevent_default();
                typed.borrow_mut().push_str(&key);
                let clear = Rc::clone(&typed);
                later.emit(Rc::new(move || clear.borrow_mut().clear()));
                if let Some(number) = tree_keys::type_ahead(&typed.borrow(), &flat, &tree, at) {
                    go(number, Via::Step);
                }
            }
        })
    };
    let onclick = {
        let (tree, flat, container) =
            (props.tree.clone(), Rc::clone(&flat), rows.container.clone());
        let (go, set_open) = (go.clone(), set_open.clone());
        Callback::from(move |event: MouseEvent| {
            let Some(number) = number_near(&event, "data-row") else {
                return;
            };
            focus(&container);
            let Some(row) = flat.row(number) else { return };
            let open = tree_keys::is_open(&tree, row.item);
            let on_twisty = number_near(&event, "data-twisty").is_some();
            match open {
                Some(open) if on_twisty || matches!(row.item, Item::Group(_)) => {
                    set_open(row.item, !open);
                }
                _ => go(number, Via::Jump),
            }
        })
    };
    let ondblclick = {
        let (tree, flat) = (props.tree.clone(), Rc::clone(&flat));
        Callback::from(move |event: MouseEvent| {
            let row = number_near(&event, "data-row").and_then(|n| flat.row(n));
            let Some(row) = row.filter(|row| !matches!(row.item, Item::Group(_))) else {
                return;
            };
            if let Some(open) = tree_keys::is_open(&tree, row.item)
                && number_near(&event, "data-twisty").is_none()
            {
                set_open(row.item, !open);
            }
        })
    };

    let in_window = active.filter(|n| (rows.start..rows.end).contains(n));
    html! {
        <div class="scroll tree" id="tree" ref={&rows.container} role="tree" tabindex="0" aria-label="Structure"
             aria-activedescendant={in_window.map(tree_row::id)} {onclick} {ondblclick} {onkeydown}>
            <div class="spacer" ref={&rows.spacer} role="presentation">
                <div class="window" ref={&rows.window} role="presentation">
                    { for (rows.start..rows.end).filter_map(|number| {
                        let row = flat.row(number)?;
                        let standing = Standing {
                            number,
                            row,
                            open: tree_keys::is_open(&props.tree, row.item),
                            selected: active == Some(number),
                        };
                        Some(tree_row(standing, tree_keys::node(&props.tree, row.item)))
                    }) }
                </div>
            </div>
        </div>
    }
}
