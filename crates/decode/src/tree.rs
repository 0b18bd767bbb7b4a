//! Expanders that are built on demand, and small trees that are built at once.

use std::cell::OnceCell;
use std::ops::Range;

use super::table::slice;
use zeview_core::model::{Expand, Node, Rows, Sources};

/// A tree of nodes in memory, for small structures of irregular shape. Tables and texts have
/// expanders that build only the requested rows.
#[derive(Debug, Default)]
pub struct StaticTree {
    nodes: Vec<Node>,
    /// The children of the top (0) and of each node (its index + 1).
    children: Vec<Vec<usize>>,
}

/// A parent of nodes: a node of a [`StaticTree`], or its top.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parent(usize);

impl StaticTree {
    /// The top.
    pub const TOP: Parent = Parent(0);

    /// Adds a node below `parent`. Returns it as a parent of others.
    pub fn push(&mut self, parent: Parent, node: Node) -> Parent {
        let at = self.nodes.len();
        self.nodes.push(node);
        self.children.resize(self.nodes.len() + 1, Vec::new());
        if let Some(children) = self.children.get_mut(parent.0) {
            children.push(at);
        }
        Parent(at + 1)
    }

    /// Adds nodes below `parent`.
    pub fn extend(&mut self, parent: Parent, nodes: impl IntoIterator<Item = Node>) {
        for node in nodes {
            self.push(parent, node);
        }
    }

    /// All nodes, in insertion order.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Number of nodes directly below `parent`.
    pub fn count_at(&self, parent: Parent) -> u64 {
        self.list(parent.0 as u64).len() as u64
    }

    fn list(&self, item: u64) -> &[usize] {
        usize::try_from(item)
            .ok()
            .and_then(|i| self.children.get(i))
            .map_or(&[], Vec::as_slice)
    }
}

/// Builds an expander when a row is first requested, and keeps it: a [`StaticTree`], or one that
/// owns the bytes of its rows.
pub struct LazyTree<T, F> {
    make: F,
    made: OnceCell<T>,
}

impl<T: Expand, F: Fn(&Sources) -> T> LazyTree<T, F> {
    /// Creates the tree; `make` must return equal expanders each time.
    pub fn new(make: F) -> LazyTree<T, F> {
        LazyTree {
            make,
            made: OnceCell::new(),
        }
    }

    fn made(&self, sources: &Sources) -> &T {
        self.made.get_or_init(|| (self.make)(sources))
    }
}

impl<T: Expand, F: Fn(&Sources) -> T> Expand for LazyTree<T, F> {
    fn count(&self, item: u64, sources: &Sources) -> u64 {
        self.made(sources).count(item, sources)
    }

    fn rows(&self, item: u64, range: Range<u64>, out: &mut Rows<'_>) {
        self.made(out.sources).rows(item, range, out);
    }

    fn index_at(&self, item: u64, offset: u64, sources: &Sources) -> Option<Vec<u64>> {
        self.made(sources).index_at(item, offset, sources)
    }
}

impl Expand for StaticTree {
    fn count(&self, item: u64, _sources: &Sources) -> u64 {
        self.list(item).len() as u64
    }

    fn rows(&self, item: u64, range: Range<u64>, out: &mut Rows<'_>) {
        for at in slice(self.list(item), range) {
            let Some(node) = self.nodes.get(*at) else {
                continue;
            };
            let below = *at as u64 + 1;
            let count = self.list(below).len() as u64;
            out.push(if count > 0 {
                node.clone().children(out.me, below, Some(count))
            } else {
                node.clone()
            });
        }
    }
}
