//! What the page knows of a file's tree: which branches are open, and the rows that the
//! decoder has sent so far.

use std::rc::Rc;

use super::flat::{self, Group};
use crate::model::{NodeId, Value};
use crate::worker::client_table::Table;
use crate::worker::protocol::{Opened, Row};

/// Rows are asked for, and kept, in pages of this many.
pub const PAGE: u64 = 256;

/// The children of a node that has been opened at least once.
#[derive(Debug, Clone, PartialEq)]
pub struct Branch {
    /// The node.
    pub row: Rc<Row>,
    /// Its children are shown.
    pub open: bool,
    /// How many there are, once that is known.
    pub count: Option<u64>,
    /// The children that are open, by index.
    pub open_children: Table<u64, NodeId>,
    /// The ranges of children that are open, by start and end.
    pub open_groups: Table<(u64, u64), ()>,
    pages: Table<u64, Rc<[Row]>>,
}

/// The tree of one file.
#[derive(Debug, Clone, PartialEq)]
pub struct Tree {
    root: Rc<Row>,
    branches: Table<NodeId, Branch>,
}

impl Tree {
    /// The tree of a file that has just been opened: the root's children are shown.
    pub fn new(opened: &Opened) -> Tree {
        let root = Rc::new(opened.root.clone());
        let mut tree = Tree {
            root: Rc::clone(&root),
            branches: Table::default(),
        };
        tree.open(&root);
        if let Some(count) = opened.root.count {
            tree.set_count(NodeId::ROOT, count);
        }
        tree.insert(NodeId::ROOT, 0, &opened.rows);
        tree
    }

    /// The opened file's row.
    pub fn root(&self) -> &Rc<Row> {
        &self.root
    }

    /// A node's children, if they are shown.
    pub fn open_branch(&self, id: NodeId) -> Option<&Branch> {
        self.branches.get(id).filter(|branch| branch.open)
    }

    /// Are the node's children shown?
    pub fn is_open(&self, id: NodeId) -> bool {
        self.open_branch(id).is_some()
    }

    /// Is the range of children opened?
    pub fn is_group_open(&self, group: Group) -> bool {
        self.branches
            .get(group.parent)
            .is_some_and(|b| b.open_groups.has((group.start, group.end)))
    }

    /// How many children a node has, if that is known.
    pub fn count(&self, row: &Row) -> Option<u64> {
        row.count
            .or_else(|| self.branches.get(row.id).and_then(|b| b.count))
    }

    /// A child, if it is here.
    pub fn child(&self, parent: NodeId, index: u64) -> Option<&Row> {
        let page = self.branches.get(parent)?.pages.get(index / PAGE)?;
        page.get(usize::try_from(index % PAGE).ok()?)
    }

    /// Is the page with this child here?
    pub fn has_page(&self, parent: NodeId, index: u64) -> bool {
        self.branches
            .get(parent)
            .is_some_and(|b| b.pages.has(index / PAGE))
    }

    /// The rows of a node's children that are here, by index.
    pub fn loaded(&self, parent: NodeId) -> impl Iterator<Item = &Row> {
        let pages = self.branches.get(parent).map(|b| b.pages.all());
        pages
            .into_iter()
            .flatten()
            .flat_map(|(_, page)| page.iter())
    }

    /// The rows on the way to a child, from the root's child to itself.
    pub fn way(&self, row: &Row) -> Vec<Row> {
        let mut way = vec![row.clone()];
        let mut at = row.parent;
        while let Some(branch) = at
            .filter(|id| *id != NodeId::ROOT)
            .and_then(|id| self.branches.get(id))
        {
            way.push((*branch.row).clone());
            at = branch.row.parent;
        }
        way.reverse();
        way
    }

    /// Shows a node's children.
    pub fn open(&mut self, row: &Rc<Row>) {
        match self.branches.get_mut(row.id) {
            Some(branch) => branch.open = true,
            None => {
                let branch = Branch {
                    row: Rc::clone(row),
                    open: true,
                    count: row.count,
                    open_children: Table::default(),
                    open_groups: Table::default(),
                    pages: Table::default(),
                };
                self.branches.put(row.id, branch);
            }
        }
        if let Some(parent) = row.parent.and_then(|p| self.branches.get_mut(p)) {
            parent.open_children.put(row.index, row.id);
        }
    }

    /// Hides a node's children; which of them were open is remembered.
    pub fn close(&mut self, id: NodeId) {
        let Some(branch) = self.branches.get_mut(id) else {
            return;
        };
        branch.open = false;
        let row = Rc::clone(&branch.row);
        if let Some(parent) = row.parent.and_then(|p| self.branches.get_mut(p)) {
            parent.open_children.take(row.index);
        }
    }

    /// Shows or hides a range of children.
    pub fn set_group(&mut self, group: Group, open: bool) {
        if let Some(branch) = self.branches.get_mut(group.parent) {
            let key = (group.start, group.end);
            if open {
                branch.open_groups.put(key, ());
            } else {
                branch.open_groups.take(key);
            }
        }
    }

    /// Takes note of how many children a node has.
    pub fn set_count(&mut self, id: NodeId, count: u64) {
        if let Some(branch) = self.branches.get_mut(id) {
            branch.count = Some(count);
        }
    }

    /// Keeps children that the decoder has sent; `start` is the start of a page.
    pub fn insert(&mut self, parent: NodeId, start: u64, rows: &[Row]) {
        let Some(branch) = self.branches.get_mut(parent) else {
            return;
        };
        let page = usize::try_from(PAGE).unwrap_or(1);
        for (number, rows) in (start / PAGE..).zip(rows.chunks(page)) {
            // A page that is cut off is of no use, but for the last one.
            let end = number * PAGE + rows.len() as u64;
            if rows.len() == page || branch.count.is_none_or(|count| end >= count) {
                branch.pages.put(number, Rc::from(rows));
            }
        }
    }

    /// Opens everything that hides the last row of a way.
    pub fn reveal(&mut self, way: &[Row]) {
        let mut above = Rc::clone(&self.root);
        for row in way {
            self.open(&above);
            let count = self.count(&above);
            if let Some(count) = count {
                for group in flat::groups_around(above.id, count, row.index) {
                    self.set_group(group, true);
                }
            }
            above = Rc::new(row.clone());
        }
    }
}

/// Can the row have children?
pub fn is_branch(row: &Row) -> bool {
    row.count != Some(0)
}

/// Does the row have something to say besides its name?
pub fn has_value(row: &Row) -> bool {
    !matches!(row.value, Value::None | Value::Bytes)
}

#[cfg(test)]
#[path = "tree_tests.rs"]
pub(super) mod tests;
