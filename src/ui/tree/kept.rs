//! Expanded branches of a tree in a form that also fits another version of the file.

use std::rc::Rc;

use super::Tree;
use crate::model::{NodeId, escape};
use crate::worker::protocol::Row;

/// Maximum number of branches and ranges that are reopened.
pub const KEPT_MAX: usize = 200;

/// An expanded branch, or a child that an expanded range shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenBranch {
    /// Its path, by names if rows have some: indices may change between versions.
    pub path: String,
    /// Whether it is expanded itself.
    pub open: bool,
}

impl Tree {
    /// The expanded branches in order, without those that contain others.
    pub fn kept(&self) -> Vec<OpenBranch> {
        let mut kept = Vec::new();
        self.keep(NodeId::ROOT, "", &mut kept);
        kept
    }

    fn keep(&self, id: NodeId, path: &str, kept: &mut Vec<OpenBranch>) {
        let Some(branch) = self.open_branch(id) else {
            return;
        };
        let before = kept.len();
        for &child in branch.open_children.values() {
            let Some(row) = self.branches.get(&child).map(|branch| &branch.row) else {
                continue;
            };
            if kept.len() < KEPT_MAX {
                self.keep(child, &self.below(path, row), kept);
            }
        }
        for &(start, _) in &branch.open_groups {
            if kept.len() < KEPT_MAX {
                let path = match self.child(id, start) {
                    Some(row) => self.below(path, row),
                    None => joined(path, &format!("[{start}]")),
                };
                kept.push(OpenBranch { path, open: false });
            }
        }
        if kept.len() == before && id != NodeId::ROOT {
            let path = path.to_owned();
            kept.push(OpenBranch { path, open: true });
        }
    }

    /// The path of the last of these rows, which start at the root's child.
    pub fn path_by_names(&self, ancestry: &[Row]) -> String {
        let path = String::new();
        ancestry
            .iter()
            .fold(path, |path, row| self.below(&path, row))
    }

    /// The path of a child, given that of its parent. Equal names get ordinals, as far as the
    /// preceding rows are loaded.
    fn below(&self, path: &str, row: &Row) -> String {
        if row.name.is_empty() {
            return joined(path, &format!("[{}]", row.index));
        }
        let rows = row.parent.map(|parent| self.loaded(parent));
        let before = rows
            .into_iter()
            .flatten()
            .take_while(|other| other.index < row.index);
        let name = escape(&row.name);
        joined(
            path,
            &match before.filter(|other| other.name == row.name).count() {
                0 => name,
                nth => format!("{name}#{}", nth + 1),
            },
        )
    }

    /// Continues from the tree of an earlier version, so that revision numbers are not reused.
    pub fn follow(&mut self, before: &Tree) {
        self.version = self.version.max(before.version) + 1;
    }

    /// Reopens branches of an earlier version: the rows along each path, and whether the last is
    /// expanded itself.
    pub fn open_again(&mut self, branches: &[(Rc<[Row]>, bool)]) {
        for (path, open) in branches {
            self.reveal(path);
            if let Some(row) = path.last().filter(|_| *open) {
                self.open(&Rc::new(row.clone()));
            }
        }
    }
}

fn joined(path: &str, name: &str) -> String {
    match path {
        "" => name.to_owned(),
        path => format!("{path}/{name}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::tree::PAGE;
    use crate::ui::tree::flat::{GROUP, Group};
    use crate::ui::tree::tests::{opened, row};

    fn named(id: u32, parent: u32, index: u64, name: &str) -> Row {
        Row {
            name: name.to_owned().into(),
            ..row(id, Some(parent), index, Some(3))
        }
    }

    /// The root's children `n1` … `n4`; `n2` holds `a`, `x/y`, `a`, and a row without a name.
    fn tree() -> Tree {
        let mut tree = Tree::new(&opened(4));
        open(&mut tree, NodeId::ROOT, 1);
        let names = ["a", "x/y", "a", ""];
        let rows: Vec<Row> = (0..4)
            .zip(names)
            .map(|(i, name)| named(20 + i, 2, i.into(), name))
            .collect();
        tree.set_count(NodeId(2), 4);
        tree.insert(NodeId(2), 0, &rows);
        tree
    }

    fn open(tree: &mut Tree, parent: NodeId, index: u64) {
        let row = tree.child(parent, index).cloned().expect("here");
        tree.open(&Rc::new(row));
    }

    fn paths(tree: &Tree) -> Vec<String> {
        let sign = |open| if open { "+" } else { "" };
        let kept = tree.kept().into_iter();
        kept.map(|kept| format!("{}{}", kept.path, sign(kept.open)))
            .collect()
    }

    #[test]
    fn innermost_open_branches_are_kept_by_name() {
        let mut tree = tree();
        assert_eq!(paths(&tree), ["n2+"]);
        for index in [0, 1, 2, 3] {
            open(&mut tree, NodeId(2), index);
        }
        open(&mut tree, NodeId::ROOT, 3);
        assert_eq!(
            paths(&tree),
            ["n2/a+", "n2/x%2Fy+", "n2/a#2+", "n2/[3]+", "n4+"]
        );
        // A collapsed branch is not reopened.
        tree.close(NodeId(2));
        assert_eq!(paths(&tree), ["n4+"]);
    }

    #[test]
    fn open_ranges_are_kept_by_their_first_child() {
        let mut tree = Tree::new(&opened(2));
        open(&mut tree, NodeId::ROOT, 0);
        tree.set_count(NodeId(1), 5000);
        let range = |start| Group {
            parent: NodeId(1),
            start,
            end: start + GROUP,
            named: false,
        };
        tree.set_group(range(2000), true);
        assert_eq!(paths(&tree), ["n1/[2000]"]);
    }

    #[test]
    fn a_hostile_tree_keeps_no_more_than_the_limit() {
        let mut tree = Tree::new(&opened(500));
        for index in 0..500 {
            open(&mut tree, NodeId::ROOT, index);
        }
        assert_eq!(tree.kept().len(), KEPT_MAX);
    }

    #[test]
    fn open_branches_are_restored_in_the_next_tree() {
        let before = tree();
        let mut after = Tree::new(&opened(3));
        let version = before.version();
        after.follow(&before);
        assert!(after.version() > version);
        let path: Rc<[Row]> = Rc::from([named(3, 0, 2, "n2"), named(30, 3, 1, "a")]);
        after.open_again(&[(Rc::clone(&path), true)]);
        assert!(after.is_open(NodeId(3)) && after.is_open(NodeId(30)));
        // The tree has another row of that name before it.
        assert_eq!(after.path_by_names(&path), "n2#2/a");
        // Only visible.
        let mut after = Tree::new(&opened(3));
        after.open_again(&[(path, false)]);
        assert!(after.is_open(NodeId(3)) && !after.is_open(NodeId(30)));
    }

    #[test]
    fn missing_pages_do_not_affect_ordinals() {
        let mut tree = Tree::new(&opened(2));
        open(&mut tree, NodeId::ROOT, 0);
        tree.set_count(NodeId(1), 2 * PAGE);
        tree.insert(NodeId(1), PAGE, &[named(40, 1, PAGE, "k")]);
        let row = named(40, 1, PAGE, "k");
        assert_eq!(tree.below("n1", &row), "n1/k");
    }
}
