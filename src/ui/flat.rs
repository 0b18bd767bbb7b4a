//! A tree with closed and opened branches as a list of rows.
//!
//! The list is kept in runs, so that it costs the number of opened branches and not of
//! rows: a table of 600 000 entries is a handful of runs. Above [`GROUP`] children a node
//! shows ranges of them, `[0 … 999]`, which are opened like nodes but exist only here. The
//! parts of the opened file are what everybody looks for first: they are shown one by one
//! up to [`ROOT_GROUP`].

use std::ops::Range;

use super::tree::{Branch, Tree};
use crate::model::NodeId;

/// A node with more children shows them in ranges of this many (or its powers).
pub const GROUP: u64 = 1000;

/// The opened file shows so many parts one by one.
pub const ROOT_GROUP: u64 = 16 * 1024;

/// Children that one row stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Group {
    /// Whose children.
    pub parent: NodeId,
    /// The first of them.
    pub start: u64,
    /// The one after the last.
    pub end: u64,
}

/// What a row shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Item {
    /// The opened file.
    Root,
    /// A child of a node.
    Child {
        /// The node.
        parent: NodeId,
        /// Which child.
        index: u64,
    },
    /// A range of a node's children.
    Group(Group),
    /// The children of a node, while nobody knows how many there are.
    Unknown {
        /// The node.
        parent: NodeId,
    },
}

/// One row and its place in the tree, counted as ARIA does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FlatRow {
    /// What it shows.
    pub item: Item,
    /// How deep; the root is at 0.
    pub depth: u32,
    /// Its place among its siblings, from 1.
    pub position: u64,
    /// How many siblings, itself among them.
    pub siblings: u64,
}

#[derive(Debug, Clone)]
struct Run {
    /// The number of its first row.
    first: u64,
    len: u64,
    depth: u32,
    what: What,
    /// Position of the first row and number of siblings.
    position: u64,
    siblings: u64,
}

#[derive(Debug, Clone, Copy)]
enum What {
    Root,
    Children {
        parent: NodeId,
        start: u64,
    },
    /// Groups of `size` children, the first from `start` on; `end` cuts the last one off.
    Groups {
        parent: NodeId,
        start: u64,
        end: u64,
        size: u64,
    },
    Unknown {
        parent: NodeId,
    },
}

/// All rows of a tree.
#[derive(Debug, Clone, Default)]
pub struct Flat {
    runs: Vec<Run>,
    len: u64,
}

impl Flat {
    /// The rows of a tree as it is opened now.
    pub fn new(tree: &Tree) -> Flat {
        let mut flat = Flat::default();
        flat.push(What::Root, 1, 0, 1, 1);
        if let Some(branch) = tree.open_branch(NodeId::ROOT) {
            flat.branch(tree, NodeId::ROOT, branch, 1);
        }
        flat
    }

    /// How many rows there are.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// There is always the root.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The row with a number.
    pub fn row(&self, number: u64) -> Option<FlatRow> {
        let after = self.runs.partition_point(|run| run.first <= number);
        let run = self.runs.get(after.checked_sub(1)?)?;
        let offset = number - run.first;
        if offset >= run.len {
            return None;
        }
        let item = match run.what {
            What::Root => Item::Root,
            What::Unknown { parent } => Item::Unknown { parent },
            What::Children { parent, start } => Item::Child {
                parent,
                index: start + offset,
            },
            What::Groups {
                parent,
                start,
                end,
                size,
            } => {
                let start = start + offset * size;
                Item::Group(Group {
                    parent,
                    start,
                    end: end.min(start + size),
                })
            }
        };
        Some(FlatRow {
            item,
            depth: run.depth,
            position: run.position + offset,
            siblings: run.siblings,
        })
    }

    /// The number of the row that shows an item.
    pub fn find(&self, item: Item) -> Option<u64> {
        self.runs.iter().find_map(|run| {
            let offset = match (run.what, item) {
                (What::Root, Item::Root) => 0,
                (What::Children { parent, start }, Item::Child { parent: p, index })
                    if parent == p && index >= start =>
                {
                    index - start
                }
                (
                    What::Groups {
                        parent,
                        start,
                        end,
                        size,
                    },
                    Item::Group(group),
                ) if parent == group.parent
                    && group.start >= start
                    && group.end == end.min(group.start + size)
                    && (group.start - start).is_multiple_of(size) =>
                {
                    (group.start - start) / size
                }
                (What::Unknown { parent }, Item::Unknown { parent: p }) if parent == p => 0,
                _ => return None,
            };
            (offset < run.len).then_some(run.first + offset)
        })
    }

    fn push(&mut self, what: What, len: u64, depth: u32, position: u64, siblings: u64) {
        if len == 0 {
            return;
        }
        self.runs.push(Run {
            first: self.len,
            len,
            depth,
            what,
            position,
            siblings,
        });
        self.len += len;
    }

    fn branch(&mut self, tree: &Tree, parent: NodeId, branch: &Branch, depth: u32) {
        match branch.count {
            None => self.push(What::Unknown { parent }, 1, depth, 1, 1),
            Some(count) => self.range(tree, parent, branch, 0..count, depth),
        }
    }

    fn range(
        &mut self,
        tree: &Tree,
        parent: NodeId,
        branch: &Branch,
        range: Range<u64>,
        depth: u32,
    ) {
        let Some(size) = group_size(parent, range.end - range.start) else {
            return self.children(tree, parent, branch, range, depth);
        };
        let siblings = (range.end - range.start).div_ceil(size);
        let mut at = range.start;
        let mut position = 1;
        let opened = branch.open_groups.range((range.start, 0)..(range.end, 0));
        for &(start, end) in opened {
            let fits = (start - range.start).is_multiple_of(size);
            if !fits || end != range.end.min(start + size) {
                continue;
            }
            let next = range.end.min(start + size);
            let len = (next - at).div_ceil(size);
            let what = What::Groups {
                parent,
                start: at,
                end: range.end,
                size,
            };
            self.push(what, len, depth, position, siblings);
            self.range(tree, parent, branch, start..end, depth + 1);
            at = next;
            position += len;
        }
        let what = What::Groups {
            parent,
            start: at,
            end: range.end,
            size,
        };
        self.push(
            what,
            (range.end - at).div_ceil(size),
            depth,
            position,
            siblings,
        );
    }

    fn children(
        &mut self,
        tree: &Tree,
        parent: NodeId,
        branch: &Branch,
        range: Range<u64>,
        depth: u32,
    ) {
        let siblings = range.end - range.start;
        let mut at = range.start;
        let position = |index: u64| index - range.start + 1;
        for (&index, &id) in branch.open_children.range(range.clone()) {
            let Some(inner) = tree.open_branch(id) else {
                continue;
            };
            let what = What::Children { parent, start: at };
            self.push(what, index + 1 - at, depth, position(at), siblings);
            self.branch(tree, id, inner, depth + 1);
            at = index + 1;
        }
        let what = What::Children { parent, start: at };
        self.push(what, range.end - at, depth, position(at), siblings);
    }
}

/// How many children each row stands for; nothing where they all fit.
pub fn group_size(parent: NodeId, count: u64) -> Option<u64> {
    if count <= GROUP || (parent == NodeId::ROOT && count <= ROOT_GROUP) {
        return None;
    }
    let mut size = GROUP;
    while count.div_ceil(size) > GROUP {
        size = size.saturating_mul(GROUP);
    }
    Some(size)
}

/// The groups around a child, the outermost first.
pub fn groups_around(parent: NodeId, count: u64, index: u64) -> Vec<Group> {
    let mut groups = Vec::new();
    let (mut start, mut end) = (0, count);
    while let Some(size) = group_size(parent, end - start) {
        start += (index.saturating_sub(start)) / size * size;
        end = end.min(start + size);
        groups.push(Group { parent, start, end });
    }
    groups
}
