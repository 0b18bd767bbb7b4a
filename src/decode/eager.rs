//! Expanders that are made when somebody opens them, and small trees that are made as a whole.

use std::cell::OnceCell;
use std::ops::Range;

use crate::model::{Expand, Node, Rows, Sources};

/// A tree of nodes in memory. For small things of irregular shape; tables and texts have
/// expanders that make only what is asked for.
#[derive(Debug, Default)]
pub struct Eager {
    nodes: Vec<Node>,
    /// The children of the top (0) and of each node (its place + 1).
    children: Vec<Vec<usize>>,
}

/// A place in an [`Eager`] tree under which nodes are put.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place(usize);

impl Eager {
    /// The top.
    pub const TOP: Place = Place(0);

    /// Puts a node under `place`; gives the place under the new node.
    pub fn push(&mut self, place: Place, node: Node) -> Place {
        let at = self.nodes.len();
        self.nodes.push(node);
        self.children.resize(self.nodes.len() + 1, Vec::new());
        if let Some(children) = self.children.get_mut(place.0) {
            children.push(at);
        }
        Place(at + 1)
    }

    /// All nodes, in the order in which they were put there.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// How many nodes there are right under `place`.
    pub fn count_at(&self, place: Place) -> u64 {
        self.list(place.0 as u64).len() as u64
    }

    fn list(&self, item: u64) -> &[usize] {
        usize::try_from(item)
            .ok()
            .and_then(|i| self.children.get(i))
            .map_or(&[], Vec::as_slice)
    }
}

/// Makes an expander when it is first asked for a row, and keeps it: an [`Eager`] tree, or one
/// that holds the bytes that its rows tell of.
pub struct Tree<T, F> {
    make: F,
    made: OnceCell<T>,
}

impl<T: Expand, F: Fn(&Sources) -> T> Tree<T, F> {
    /// The expander that `make` makes; it must make the same each time.
    pub fn new(make: F) -> Tree<T, F> {
        Tree {
            make,
            made: OnceCell::new(),
        }
    }

    fn made(&self, sources: &Sources) -> &T {
        self.made.get_or_init(|| (self.make)(sources))
    }
}

impl<T: Expand, F: Fn(&Sources) -> T> Expand for Tree<T, F> {
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

impl Expand for Eager {
    fn count(&self, item: u64, _sources: &Sources) -> u64 {
        self.list(item).len() as u64
    }

    fn rows(&self, item: u64, range: Range<u64>, out: &mut Rows<'_>) {
        let skip = usize::try_from(range.start).unwrap_or(usize::MAX);
        let take = usize::try_from(range.end.saturating_sub(range.start)).unwrap_or(0);
        for at in self.list(item).iter().skip(skip).take(take) {
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
