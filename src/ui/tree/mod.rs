//! A file's tree: expanded branches, and the rows received from the decoder so far.

pub mod differing;
pub mod flat;
mod kept;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use self::flat::Group;
use crate::model::{NodeId, SourceId, Value};
use crate::worker::protocol::{Opened, Row};

/// Number of rows per page.
pub const PAGE: u64 = 256;

/// Children of a node that was expanded at least once.
#[derive(Debug, Clone, PartialEq)]
pub struct Branch {
    /// The node.
    pub row: Rc<Row>,
    /// The node is expanded.
    pub open: bool,
    /// Their number, once known.
    pub count: Option<u64>,
    /// Expanded children, by index.
    pub open_children: BTreeMap<u64, NodeId>,
    /// Expanded ranges of children, by start and end.
    pub open_groups: BTreeSet<(u64, u64)>,
    pages: BTreeMap<u64, Rc<[Row]>>,
}

impl Branch {
    /// Loaded rows, by index.
    pub fn rows(&self) -> impl Iterator<Item = &Row> {
        self.pages.values().flat_map(|page| page.iter())
    }
}

/// The tree of one file.
#[derive(Debug, Clone, PartialEq)]
pub struct Tree {
    root: Rc<Row>,
    branches: BTreeMap<NodeId, Branch>,
    version: u64,
    /// The largest number of a source that the rows so far have bytes of.
    last_source: SourceId,
}

impl Tree {
    /// The tree of a newly opened file: the root is expanded.
    pub fn new(opened: &Opened) -> Tree {
        let root = Rc::new(opened.root.clone());
        let mut tree = Tree {
            root: Rc::clone(&root),
            branches: BTreeMap::new(),
            version: 0,
            last_source: SourceId::FILE,
        };
        tree.open(&root);
        if let Some(count) = opened.root.count {
            tree.set_count(NodeId::ROOT, count);
        }
        tree.insert(NodeId::ROOT, 0, &opened.rows);
        tree
    }

    /// The tree by kernel, given the number of the root's children; none are loaded. Returns `None`
    /// for a file without kernels.
    pub fn by_kernel(opened: &Opened) -> Option<Tree> {
        let root = Rc::new(Row {
            count: Some(opened.by_kernel?),
            ..opened.root.clone()
        });
        let mut tree = Tree {
            root: Rc::clone(&root),
            branches: BTreeMap::new(),
            version: 0,
            last_source: SourceId::FILE,
        };
        tree.open(&root);
        Some(tree)
    }

    /// The root's row.
    pub fn root(&self) -> &Rc<Row> {
        &self.root
    }

    /// A node's children, if it is expanded.
    pub fn open_branch(&self, id: NodeId) -> Option<&Branch> {
        self.branches.get(&id).filter(|branch| branch.open)
    }

    /// Whether the node is expanded.
    pub fn is_open(&self, id: NodeId) -> bool {
        self.open_branch(id).is_some()
    }

    /// Whether the range of children is expanded.
    pub fn is_group_open(&self, group: Group) -> bool {
        self.branches
            .get(&group.parent)
            .is_some_and(|b| b.open_groups.contains(&group.key()))
    }

    /// Revision number; changes with each modification.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Number of a node's children, if known.
    pub fn count(&self, row: &Row) -> Option<u64> {
        row.count
            .or_else(|| self.branches.get(&row.id).and_then(|b| b.count))
    }

    /// A child, if it is loaded.
    pub fn child(&self, parent: NodeId, index: u64) -> Option<&Row> {
        let page = self.branches.get(&parent)?.pages.get(&(index / PAGE))?;
        page.get(usize::try_from(index % PAGE).ok()?)
    }

    /// Whether the page with this child is loaded.
    pub fn has_page(&self, parent: NodeId, index: u64) -> bool {
        self.branches
            .get(&parent)
            .is_some_and(|b| b.pages.contains_key(&(index / PAGE)))
    }

    /// Loaded rows of a node's children, by index.
    pub fn loaded(&self, parent: NodeId) -> impl Iterator<Item = &Row> {
        let branch = self.branches.get(&parent);
        branch.into_iter().flat_map(Branch::rows)
    }

    /// Path to a child, from the root's child to itself.
    pub fn ancestry(&self, row: &Row) -> Vec<Row> {
        let mut ancestry = vec![row.clone()];
        let mut at = row.parent;
        while let Some(branch) = at
            .filter(|id| *id != NodeId::ROOT)
            .and_then(|id| self.branches.get(&id))
        {
            ancestry.push((*branch.row).clone());
            at = branch.row.parent;
        }
        ancestry.reverse();
        ancestry
    }

    /// Expands a node.
    pub fn open(&mut self, row: &Rc<Row>) {
        self.version += 1;
        match self.branches.get_mut(&row.id) {
            Some(branch) => {
                branch.open = true;
                branch.count = branch.count.or(row.count);
            }
            None => {
                let branch = Branch {
                    row: Rc::clone(row),
                    open: true,
                    count: row.count,
                    open_children: BTreeMap::new(),
                    open_groups: BTreeSet::new(),
                    pages: BTreeMap::new(),
                };
                self.branches.insert(row.id, branch);
            }
        }
        if let Some(parent) = row.parent.and_then(|p| self.branches.get_mut(&p)) {
            parent.open_children.insert(row.index, row.id);
        }
    }

    /// Collapses a node, but remembers its expanded descendants.
    pub fn close(&mut self, id: NodeId) {
        let Some(branch) = self.branches.get_mut(&id) else {
            return;
        };
        self.version += 1;
        branch.open = false;
        let row = Rc::clone(&branch.row);
        if let Some(parent) = row.parent.and_then(|p| self.branches.get_mut(&p)) {
            parent.open_children.remove(&row.index);
        }
    }

    /// Expands or collapses a range of children.
    pub fn set_group(&mut self, group: Group, open: bool) {
        if let Some(branch) = self.branches.get_mut(&group.parent) {
            self.version += 1;
            let key = group.key();
            if open {
                branch.open_groups.insert(key);
            } else {
                branch.open_groups.remove(&key);
            }
        }
    }

    /// Records the number of a node's children.
    pub fn set_count(&mut self, id: NodeId, count: u64) {
        if let Some(branch) = self.branches.get_mut(&id)
            && branch.count != Some(count)
        {
            self.version += 1;
            branch.count = Some(count);
        }
    }

    /// Records the child counts of rows.
    pub fn learn(&mut self, rows: &[Row]) {
        for row in rows {
            if let Some(count) = row.count {
                self.set_count(row.id, count);
            }
        }
    }

    /// The largest number of a source that the rows so far have bytes of.
    pub fn last_source(&self) -> SourceId {
        self.last_source
    }

    /// Adds children sent by the decoder; `start` is the start of a page.
    pub fn insert(&mut self, parent: NodeId, start: u64, rows: &[Row]) {
        let Some(branch) = self.branches.get_mut(&parent) else {
            return;
        };
        self.version += 1;
        let sources = rows.iter().filter_map(|row| Some(row.span?.source));
        self.last_source = sources.fold(self.last_source, SourceId::max);
        let page = usize::try_from(PAGE).unwrap_or(1);
        for (number, rows) in (start / PAGE..).zip(rows.chunks(page)) {
            // A truncated page is useless, except for the last one.
            let end = number * PAGE + rows.len() as u64;
            if rows.len() == page || branch.count.is_none_or(|count| end >= count) {
                branch.pages.insert(number, Rc::from(rows));
            }
        }
    }

    /// Expands all ancestors of the last row of a path.
    pub fn reveal(&mut self, ancestry: &[Row]) {
        let mut above = Rc::clone(&self.root);
        for row in ancestry {
            self.open(&above);
            let count = self.count(&above);
            if let Some(count) = count {
                let mut groups = flat::groups_around(above.id, count, row.index);
                if let Some(branch) = self.branches.get(&above.id) {
                    let runs = flat::runs(above.id, branch);
                    groups.extend(runs.into_iter().filter(|run| run.has(row.index)));
                }
                for group in groups {
                    self.set_group(group, true);
                }
            }
            above = Rc::new(row.clone());
        }
    }
}

/// Whether the row can have children.
pub fn is_branch(row: &Row) -> bool {
    row.count != Some(0)
}

/// Whether the row has a value besides its name.
pub fn has_value(row: &Row) -> bool {
    !matches!(row.value, Value::None | Value::Bytes)
}

#[cfg(test)]
pub(super) mod tests;
