//! A tree with expanded and collapsed branches as a flat list of rows.
//!
//! The list is stored as runs, so its cost depends on the number of expanded branches, not rows: a
//! table of 600 000 entries is a handful of runs. Nodes with more than [`GROUP`] children show
//! ranges, `[0 … 999]`, which expand like nodes but exist only here. Parts of the opened file are
//! shown individually up to [`ROOT_GROUP`], except for long runs of sections with a common prefix
//! (`.text.* (600)`).
//!
//! [`Show`] restricts the visible rows.

use std::ops::Range;

use super::differing::DifferenceIndex;
use super::{Branch, Tree};
use crate::model::sort;
use crate::model::{NodeId, NodeKind};
use crate::worker::protocol::Row;

/// A node with more children shows them in ranges of this many (or its powers).
pub const GROUP: u64 = 1000;

/// Maximum number of the file's parts that are shown individually.
pub const ROOT_GROUP: u64 = 16 * 1024;

/// Minimum number of consecutive sections with a common prefix that are grouped in one row.
const RUN: usize = 24;

/// Which rows are visible.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Show {
    /// Without padding.
    pub no_padding: bool,
    /// Without defaults of values that the file omits.
    pub no_defaults: bool,
    /// Only loaded rows whose names contain this text (in lower case), and their ancestors.
    pub names: String,
    /// Only rows that differ from another file.
    pub only: Option<DifferenceIndex>,
    /// Only this node and its descendants.
    pub root: Option<Root>,
}

/// A node shown as the root of the tree in place of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Root {
    /// The node.
    pub id: NodeId,
    /// Its parent.
    pub parent: NodeId,
    /// Its index among its siblings.
    pub index: u64,
}

impl Show {
    fn hides_any(&self) -> bool {
        self.no_padding || self.no_defaults || self.only.is_some()
    }

    fn hides(&self, row: &Row) -> bool {
        let is_same = |differing: &DifferenceIndex| !differing.has(row);
        self.only.as_ref().is_some_and(is_same)
            || (self.no_padding && row.kind == NodeKind::Padding)
            || (self.no_defaults && row.is_default)
    }
}

/// A row that matches the filter, or one with matching descendants.
struct FilteredRow {
    index: u64,
    id: NodeId,
    is_match: bool,
    below: Vec<FilteredRow>,
}

/// A group of children in one row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Group {
    /// The parent of the children.
    pub parent: NodeId,
    /// Index of the first child.
    pub start: u64,
    /// Index after the last child.
    pub end: u64,
    /// Consecutive sections with a common prefix.
    pub named: bool,
}

impl Group {
    /// Whether it contains the child with this index.
    pub fn has(self, index: u64) -> bool {
        (self.start..self.end).contains(&index)
    }

    /// Key by which an expanded group is remembered; more sections may be added later.
    pub(crate) fn key(self) -> (u64, u64) {
        (self.start, if self.named { u64::MAX } else { self.end })
    }
}

/// Contents of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Item {
    /// The opened file.
    Root,
    /// A child of a node.
    Child {
        /// The node.
        parent: NodeId,
        /// Index of the child.
        index: u64,
    },
    /// A range of a node's children.
    Group(Group),
    /// Placeholder for a node's children while their number is unknown.
    Unknown {
        /// The node.
        parent: NodeId,
    },
}

/// A row and its position in the tree, in ARIA's terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FlatRow {
    /// Its contents.
    pub item: Item,
    /// Depth; the root is at 0.
    pub depth: u32,
    /// One-based position among its siblings.
    pub position: u64,
    /// Number of siblings, including itself.
    pub siblings: u64,
}

#[derive(Debug, Clone)]
struct Run {
    /// Index of its first row.
    first: u64,
    len: u64,
    depth: u32,
    kind: RowKind,
    /// Position of the first row and number of siblings.
    position: u64,
    siblings: u64,
}

#[derive(Debug, Clone, Copy)]
enum RowKind {
    Root,
    Children {
        parent: NodeId,
        start: u64,
    },
    /// Groups of `size` children from `start` on; the last one ends at `end`.
    Groups {
        parent: NodeId,
        start: u64,
        end: u64,
        size: u64,
        named: bool,
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
    show: Show,
    matches: u64,
}

impl Flat {
    /// The rows of a tree in its current state.
    pub fn new(tree: &Tree, show: Show) -> Flat {
        let mut flat = Flat {
            show,
            ..Flat::default()
        };
        let (top, id) = match flat.show.root {
            Some(Root { id, parent, index }) => (
                RowKind::Children {
                    parent,
                    start: index,
                },
                id,
            ),
            None => (RowKind::Root, NodeId::ROOT),
        };
        flat.push(top, 1, 0, 1, 1);
        if !flat.show.names.is_empty() {
            let found = flat.search(tree, id);
            flat.found(tree, id, &found, 1);
        } else if let Some(branch) = tree.open_branch(id) {
            flat.branch(tree, id, branch, 1);
        }
        flat
    }

    /// Number of rows that match the filter.
    pub fn matches(&self) -> u64 {
        self.matches
    }

    fn search(&self, tree: &Tree, parent: NodeId) -> Vec<FilteredRow> {
        let rows = tree.loaded(parent).filter(|row| !self.show.hides(row));
        let found = rows.map(|row| FilteredRow {
            index: row.index,
            id: row.id,
            is_match: row.name.to_ascii_lowercase().contains(&self.show.names),
            below: self.search(tree, row.id),
        });
        let found = found.filter(|found| found.is_match || !found.below.is_empty());
        found.collect()
    }

    fn found(&mut self, tree: &Tree, parent: NodeId, all: &[FilteredRow], depth: u32) {
        for (position, found) in (1..).zip(all) {
            let start = found.index;
            let kind = RowKind::Children { parent, start };
            self.push(kind, 1, depth, position, all.len() as u64);
            self.matches += u64::from(found.is_match);
            match tree.open_branch(found.id) {
                // Expanding a match shows all of its children.
                Some(branch) if found.is_match && found.below.is_empty() => {
                    self.branch(tree, found.id, branch, depth + 1);
                }
                _ => self.found(tree, found.id, &found.below, depth + 1),
            }
        }
    }

    /// Whether the row is visible.
    pub fn shows(&self, row: &Row) -> bool {
        !self.show.hides(row)
    }

    /// Number of rows.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Always false: there is a root.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The row at an index.
    pub fn row(&self, number: u64) -> Option<FlatRow> {
        let after = self.runs.partition_point(|run| run.first <= number);
        let run = self.runs.get(after.checked_sub(1)?)?;
        let offset = number - run.first;
        if offset >= run.len {
            return None;
        }
        let item = match run.kind {
            RowKind::Root => Item::Root,
            RowKind::Unknown { parent } => Item::Unknown { parent },
            RowKind::Children { parent, start } => Item::Child {
                parent,
                index: start + offset,
            },
            RowKind::Groups {
                parent,
                start,
                end,
                size,
                named,
            } => {
                let start = start + offset * size;
                Item::Group(Group {
                    parent,
                    start,
                    end: end.min(start + size),
                    named,
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

    /// Index of the row that shows an item.
    pub fn find(&self, item: Item) -> Option<u64> {
        self.runs.iter().find_map(|run| {
            let offset = match (run.kind, item) {
                (RowKind::Root, Item::Root) => 0,
                (RowKind::Children { parent, start }, Item::Child { parent: p, index })
                    if parent == p && index >= start =>
                {
                    index - start
                }
                (
                    RowKind::Groups {
                        parent,
                        start,
                        end,
                        size,
                        named,
                    },
                    Item::Group(group),
                ) if parent == group.parent
                    && named == group.named
                    && group.start >= start
                    && group.end == end.min(group.start + size)
                    && (group.start - start).is_multiple_of(size) =>
                {
                    (group.start - start) / size
                }
                (RowKind::Unknown { parent }, Item::Unknown { parent: p }) if parent == p => 0,
                _ => return None,
            };
            (offset < run.len).then_some(run.first + offset)
        })
    }

    fn push(&mut self, kind: RowKind, len: u64, depth: u32, position: u64, siblings: u64) {
        if len == 0 {
            return;
        }
        self.runs.push(Run {
            first: self.len,
            len,
            depth,
            kind,
            position,
            siblings,
        });
        self.len += len;
    }

    fn branch(&mut self, tree: &Tree, parent: NodeId, branch: &Branch, depth: u32) {
        match branch.count {
            None => self.push(RowKind::Unknown { parent }, 1, depth, 1, 1),
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
            return self.level(tree, parent, branch, range, depth);
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
            let kind = RowKind::Groups {
                parent,
                start: at,
                end: range.end,
                size,
                named: false,
            };
            self.push(kind, len, depth, position, siblings);
            self.range(tree, parent, branch, start..end, depth + 1);
            at = next;
            position += len;
        }
        let kind = RowKind::Groups {
            parent,
            start: at,
            end: range.end,
            size,
            named: false,
        };
        self.push(
            kind,
            (range.end - at).div_ceil(size),
            depth,
            position,
            siblings,
        );
    }

    /// Individual children, with runs of sections as one row each.
    fn level(
        &mut self,
        tree: &Tree,
        parent: NodeId,
        branch: &Branch,
        range: Range<u64>,
        depth: u32,
    ) {
        let runs = runs(parent, branch);
        let hidden = self.hidden(branch, &range);
        let within = |run: &Group| range.start <= run.start && run.end <= range.end;
        // Filtering may leave only a few of a run.
        let is_long = |run: &Group| {
            let hidden_count = hidden.iter().filter(|at| run.has(**at)).count() as u64;
            hidden_count == 0 || run.end - run.start - hidden_count >= RUN as u64
        };
        let runs = runs.into_iter().filter(within).filter(is_long);
        let runs: Vec<Group> = runs.collect();
        let folded: u64 = runs.iter().map(|run| run.end - run.start - 1).sum();
        let outside = |at: &&u64| !runs.iter().any(|run| run.has(**at));
        let hidden_count = hidden.iter().filter(outside).count() as u64;
        let siblings = range.end - range.start - folded - hidden_count;
        let (mut at, mut position) = (range.start, 1);
        for run in runs {
            self.children(tree, branch, at..run.start, depth, &mut position, siblings);
            let (start, end) = (run.start, run.end);
            let kind = RowKind::Groups {
                parent,
                start,
                end,
                size: end - start,
                named: true,
            };
            self.push(kind, 1, depth, position, siblings);
            position += 1;
            if branch.open_groups.contains(&run.key()) {
                let inner = end - start - self.hidden(branch, &(start..end)).len() as u64;
                self.children(tree, branch, start..end, depth + 1, &mut 1, inner);
            }
            at = end;
        }
        self.children(tree, branch, at..range.end, depth, &mut position, siblings);
    }

    /// Loaded children of a range that are hidden.
    fn hidden(&self, branch: &Branch, range: &Range<u64>) -> Vec<u64> {
        if !self.show.hides_any() {
            return Vec::new();
        }
        let rows = branch.rows().filter(|row| range.contains(&row.index));
        let hidden = rows.filter(|row| self.show.hides(row));
        hidden.map(|row| row.index).collect()
    }

    fn children(
        &mut self,
        tree: &Tree,
        branch: &Branch,
        range: Range<u64>,
        depth: u32,
        position: &mut u64,
        siblings: u64,
    ) {
        let parent = branch.row.id;
        let opened = branch.open_children.range(range.clone());
        let opened = opened.filter_map(|(&index, &id)| Some((index, tree.open_branch(id)?)));
        let hidden = self.hidden(branch, &range).into_iter();
        let mut cuts: Vec<(u64, Option<&Branch>)> = hidden.map(|index| (index, None)).collect();
        cuts.extend(opened.map(|(index, inner)| (index, Some(inner))));
        sort::by_key(&mut cuts, |(index, inner)| (*index, inner.is_some()));
        let mut at = range.start;
        let mut push = |flat: &mut Flat, start: u64, end: u64| {
            let len = end.saturating_sub(start);
            let kind = RowKind::Children { parent, start };
            flat.push(kind, len, depth, *position, siblings);
            *position += len;
        };
        for (index, inner) in cuts {
            if index < at {
                continue;
            }
            match inner {
                None => push(self, at, index),
                Some(inner) => {
                    push(self, at, index + 1);
                    self.branch(tree, inner.row.id, inner, depth + 1);
                }
            }
            at = index + 1;
        }
        push(self, at, range.end);
    }
}

/// Common prefix of a run of sections: `.text.` of `.text.add`, `.rel.text.` of `.rel.text.add`.
pub fn stem(name: &str) -> Option<&str> {
    let skip = [".rela", ".rel"].into_iter().find_map(|prefix| {
        let rest = name.strip_prefix(prefix)?;
        rest.starts_with('.').then_some(prefix.len())
    });
    let from = skip.unwrap_or(0);
    let rest = name.get(from..)?.strip_prefix('.')?;
    let end = from + 1 + rest.find('.')? + 1;
    name.get(..end).filter(|stem| stem.len() < name.len())
}

/// Long runs of sections among the children of a file. Padding between them does not end a run.
pub fn runs(parent: NodeId, branch: &Branch) -> Vec<Group> {
    let mut out: Vec<(Group, usize)> = Vec::new();
    let is_file = parent == NodeId::ROOT || branch.row.kind == NodeKind::File;
    let (mut of, mut next) = (None, 0);
    for row in branch.rows().filter(|_| is_file) {
        let goes_on = of.is_some() && row.index == next;
        next = row.index + 1;
        if goes_on && row.kind == NodeKind::Padding {
            continue;
        }
        let stem = stem(&row.name);
        match out.last_mut() {
            Some((group, count)) if goes_on && stem == of => {
                group.end = next;
                *count += 1;
            }
            _ => {
                let group = Group {
                    parent,
                    start: row.index,
                    end: next,
                    named: true,
                };
                out.extend(stem.map(|_| (group, 1)));
                of = stem;
            }
        }
    }
    let long = out.into_iter().filter(|(_, count)| *count >= RUN);
    long.map(|(group, _)| group).collect()
}

/// Number of children per row; `None` if they all fit.
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

/// The groups that contain a child, outermost first.
pub fn groups_around(parent: NodeId, count: u64, index: u64) -> Vec<Group> {
    let mut groups = Vec::new();
    let (mut start, mut end) = (0, count);
    while let Some(size) = group_size(parent, end - start) {
        start += (index.saturating_sub(start)) / size * size;
        end = end.min(start + size);
        let named = false;
        groups.push(Group {
            parent,
            start,
            end,
            named,
        });
    }
    groups
}
