//! Expanders that are made when somebody opens them, and small trees that are made as a whole.

use std::cell::OnceCell;
use std::ops::Range;

use super::table::slice;
use crate::model::{Expand, Node, Rows, Sources};

/// A tree of nodes in memory. For small things of irregular shape; tables and texts have
/// expanders that make only what is asked for.
#[derive(Debug, Default)]
pub struct StaticTree {
    nodes: Vec<Node>,
    /// The children of the top (0) and of each node (its index + 1).
    children: Vec<Vec<usize>>,
}

/// A node of a [`StaticTree`] under which others are put, or its top.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parent(usize);

impl StaticTree {
    /// The top.
    pub const TOP: Parent = Parent(0);

    /// Puts a node under `parent`. Returns the node as a parent of others.
    pub fn push(&mut self, parent: Parent, node: Node) -> Parent {
        let at = self.nodes.len();
        self.nodes.push(node);
        self.children.resize(self.nodes.len() + 1, Vec::new());
        if let Some(children) = self.children.get_mut(parent.0) {
            children.push(at);
        }
        Parent(at + 1)
    }

    /// Puts nodes under `parent`.
    pub fn extend(&mut self, parent: Parent, nodes: impl IntoIterator<Item = Node>) {
        for node in nodes {
            self.push(parent, node);
        }
    }

    /// All nodes, in the order in which they were put there.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// How many nodes there are right under `parent`.
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

/// Makes an expander when it is first asked for a row, and keeps it: a [`StaticTree`], or one
/// that holds the bytes of its rows.
pub struct LazyTree<T, F> {
    make: F,
    made: OnceCell<T>,
}

impl<T: Expand, F: Fn(&Sources) -> T> LazyTree<T, F> {
    /// The expander that `make` makes; it must make the same each time.
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
