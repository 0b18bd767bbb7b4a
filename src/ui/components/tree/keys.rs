//! Keyboard navigation of the tree, following the ARIA authoring practices.

use crate::ui::tree::flat::{Flat, Item};
use crate::ui::tree::{self, Tree};
use crate::worker::protocol::Row;

/// Maximum number of rows that type-ahead examines.
const LOOK_AHEAD: u64 = 5000;

/// Action of a key.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum TreeRequest {
    /// Moves to the row at this index.
    Move(u64),
    /// Expands or collapses the row.
    Open(bool),
    /// Expands the row and its siblings.
    OpenSiblings,
}

/// The node of a row, if it is loaded.
pub(crate) fn node(tree: &Tree, item: Item) -> Option<&Row> {
    match item {
        Item::Root => Some(tree.root()),
        Item::Child { parent, index } => tree.child(parent, index),
        Item::Group(_) | Item::Unknown { .. } => None,
    }
}

/// Whether a row is expanded; `None` for a leaf.
pub(crate) fn is_open(tree: &Tree, item: Item) -> Option<bool> {
    match item {
        Item::Group(group) => Some(tree.is_group_open(group)),
        item => {
            let row = node(tree, item)?;
            let empty = tree.count(row) == Some(0);
            (tree::is_branch(row) && !empty).then(|| tree.is_open(row.id))
        }
    }
}

/// Action of a key on the row at index `at`; `page` rows are visible.
pub(crate) fn request(
    key: &str,
    flat: &Flat,
    tree: &Tree,
    at: u64,
    page: u64,
) -> Option<TreeRequest> {
    let last = flat.len().saturating_sub(1);
    let item = flat.row(at)?.item;
    Some(match key {
        "ArrowDown" => TreeRequest::Move((at + 1).min(last)),
        "ArrowUp" => TreeRequest::Move(at.saturating_sub(1)),
        "PageDown" => TreeRequest::Move((at + page).min(last)),
        "PageUp" => TreeRequest::Move(at.saturating_sub(page)),
        "Home" => TreeRequest::Move(0),
        "End" => TreeRequest::Move(last),
        "*" => TreeRequest::OpenSiblings,
        "ArrowRight" => {
            if !is_open(tree, item)? {
                TreeRequest::Open(true)
            } else {
                TreeRequest::Move((at + 1).min(last))
            }
        }
        "ArrowLeft" if is_open(tree, item) == Some(true) => TreeRequest::Open(false),
        "ArrowLeft" => TreeRequest::Move(above(flat, at)?),
        "Enter" | " " => TreeRequest::Open(!is_open(tree, item)?),
        _ => return None,
    })
}

/// The parent of a row.
fn above(flat: &Flat, at: u64) -> Option<u64> {
    let depth = flat.row(at)?.depth;
    (0..at)
        .rev()
        .find(|n| flat.row(*n).is_some_and(|row| row.depth < depth))
}

/// The name of a row; for a run of sections, of its first.
fn name(tree: &Tree, item: Item) -> Option<&str> {
    match item {
        Item::Group(group) if group.named => Some(&*tree.child(group.parent, group.start)?.name),
        item => node(tree, item).map(|row| &*row.name),
    }
}

/// The next row whose name starts with the typed text; wraps around.
pub(crate) fn type_ahead(typed: &str, flat: &Flat, tree: &Tree, at: u64) -> Option<u64> {
    let typed = typed.to_ascii_lowercase();
    // While more is typed, a row that still matches stays current.
    let first = if typed.chars().count() > 1 {
        at
    } else {
        at + 1
    };
    let len = flat.len().max(1);
    (0..len.min(LOOK_AHEAD))
        .map(|i| (first + i) % len)
        .find(|n| {
            let name = flat.row(*n).and_then(|row| name(tree, row.item));
            // Section names match without their dot.
            let begins = |name: &str| name.to_ascii_lowercase().starts_with(&typed);
            name.is_some_and(|name| begins(name) || name.strip_prefix('.').is_some_and(begins))
        })
}

/// Whether the key is for type-ahead; page shortcuts cannot start one.
pub(crate) fn is_letter(key: &str, typed: &str) -> bool {
    let mut chars = key.chars();
    let (Some(letter), None) = (chars.next(), chars.next()) else {
        return false;
    };
    // They lead away from the tree, which may have the focus because the panel is empty.
    let everywhere = matches!(letter, 'g' | 'l' | 'o' | '1'..='9') && typed.is_empty();
    (letter.is_ascii_alphanumeric() || !letter.is_ascii() || matches!(letter, '.' | '_'))
        && !everywhere
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::NodeId;
    use crate::ui::tree::flat::Show;
    use crate::ui::tree::tests::opened;

    #[test]
    fn arrows_expand_collapse_and_move() {
        let mut tree = Tree::new(&opened(3));
        let flat = Flat::new(&tree, Show::default());
        let press = |key, tree: &Tree, flat: &Flat, at| request(key, flat, tree, at, 10);
        assert_eq!(
            press("ArrowRight", &tree, &flat, 1),
            Some(TreeRequest::Open(true))
        );
        assert_eq!(
            press("ArrowLeft", &tree, &flat, 1),
            Some(TreeRequest::Move(0))
        );
        assert_eq!(
            press("ArrowLeft", &tree, &flat, 0),
            Some(TreeRequest::Open(false))
        );
        assert_eq!(press("End", &tree, &flat, 0), Some(TreeRequest::Move(3)));
        let first = tree.child(NodeId::ROOT, 0).cloned().map(std::rc::Rc::new);
        tree.open(&first.expect("here"));
        let flat = Flat::new(&tree, Show::default());
        assert_eq!(
            press("ArrowRight", &tree, &flat, 1),
            Some(TreeRequest::Move(2))
        );
        assert_eq!(
            press("ArrowLeft", &tree, &flat, 5),
            Some(TreeRequest::Move(1))
        );
    }

    #[test]
    fn type_ahead_matches_prefixes() {
        let tree = Tree::new(&opened(12));
        let flat = Flat::new(&tree, Show::default());
        assert_eq!(type_ahead("n", &flat, &tree, 3), Some(4));
        assert_eq!(type_ahead("N1", &flat, &tree, 10), Some(10));
        assert_eq!(type_ahead("x", &flat, &tree, 3), None);
    }

    #[test]
    fn page_shortcuts_do_not_start_type_ahead() {
        assert!(is_letter("k", "") && is_letter(".", "") && is_letter("o", "n"));
        assert!(is_letter("1", "n") && !is_letter("1", "") && !is_letter("l", ""));
        assert!(!is_letter("g", "") && !is_letter("/", "") && !is_letter("Tab", ""));
    }
}
