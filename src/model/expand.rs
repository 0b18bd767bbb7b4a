//! Children on demand.

use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;

use super::kernels::Kernels;
use super::linkage::Linkage;
use super::modules::Modules;
use super::node::{Content, Node};
use super::source::Sources;

/// An [`Expand`] of one document: an index into its list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ExpanderId(pub u32);

impl ExpanderId {
    /// The expander that makes the node: [`Rows::push`] puts its number in this one's place.
    pub const SELF: ExpanderId = ExpanderId(u32::MAX);
}

/// Makes the children of nodes.
///
/// One expander serves a whole table or section; `item` tells which of its things is
/// opened (the table itself, or entry 17 of it). It is asked again and again for the same
/// range and must answer the same each time.
pub trait Expand {
    /// How many children `item` has.
    fn count(&self, item: u64, sources: &Sources) -> u64;

    /// Pushes the children `range` of `item`, one node for each index of the range.
    fn rows(&self, item: u64, range: Range<u64>, out: &mut Rows<'_>);

    /// Who knows the kernels, if `item` is a document that has some.
    fn kernels(&self, item: u64) -> Option<Rc<dyn Kernels>> {
        let _ = item;
        None
    }

    /// Who knows the modules, if `item` is a document that has some.
    fn modules(&self, item: u64) -> Option<Rc<dyn Modules>> {
        let _ = item;
        None
    }

    /// Who knows the relocations and symbols, if `item` is a document that can have some.
    fn linkage(&self, item: u64) -> Option<Rc<dyn Linkage>> {
        let _ = item;
        None
    }

    /// The children of `item` that hold the byte at `offset`, where that can be told
    /// faster than by looking at all of them.
    fn index_at(&self, item: u64, offset: u64, sources: &Sources) -> Option<Vec<u64>> {
        let _ = (item, offset, sources);
        None
    }
}

/// Where an expander puts the children that it makes.
pub struct Rows<'a> {
    /// The bytes.
    pub sources: &'a Sources,
    /// The expander that is asked, for the content of the nodes that it makes.
    pub me: ExpanderId,
    registry: &'a Registry,
    nodes: Vec<Node>,
}

impl<'a> Rows<'a> {
    pub(super) fn new(sources: &'a Sources, registry: &'a Registry, me: ExpanderId) -> Rows<'a> {
        Rows {
            sources,
            me,
            registry,
            nodes: Vec::new(),
        }
    }

    /// Adds a child.
    pub fn push(&mut self, mut node: Node) {
        if let Content::Lazy { expander, .. } = &mut node.content
            && *expander == ExpanderId::SELF
        {
            *expander = self.me;
        }
        self.nodes.push(node);
    }

    /// Adds those of `all` children that are in `range`.
    pub fn push_range(&mut self, all: impl IntoIterator<Item = Node>, range: Range<u64>) {
        let skip = usize::try_from(range.start).unwrap_or(usize::MAX);
        let take = usize::try_from(range.end.saturating_sub(range.start)).unwrap_or(0);
        self.extend(all.into_iter().skip(skip).take(take));
    }

    /// Adds children.
    pub fn extend(&mut self, nodes: impl IntoIterator<Item = Node>) {
        for node in nodes {
            self.push(node);
        }
    }

    /// How many there are so far.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// None so far.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Adds an expander for the children of things that are only now known. It lives as long as
    /// the nodes that are pushed here: a walk that keeps no nodes forgets it when it is done, and
    /// the next expander gets its id. So no expander that was there before may cache the id, or
    /// a node that has it.
    pub fn register(&self, expander: Rc<dyn Expand>) -> ExpanderId {
        self.registry.add(expander)
    }

    pub(super) fn into_nodes(self) -> Vec<Node> {
        self.nodes
    }
}

/// All expanders of a document.
#[derive(Default)]
pub(super) struct Registry(RefCell<Vec<Rc<dyn Expand>>>);

impl Registry {
    pub(super) fn from(list: Vec<Rc<dyn Expand>>) -> Registry {
        Registry(RefCell::new(list))
    }

    pub(super) fn get(&self, id: ExpanderId) -> Option<Rc<dyn Expand>> {
        let index = usize::try_from(id.0).ok()?;
        self.0.borrow().get(index).cloned()
    }

    /// How many there are now.
    pub(super) fn mark(&self) -> usize {
        self.0.borrow().len()
    }

    /// Forgets those that were added since the mark: a walk that keeps no nodes needs no
    /// expanders for them either.
    pub(super) fn release(&self, mark: usize) {
        self.0.borrow_mut().truncate(mark);
    }

    fn add(&self, expander: Rc<dyn Expand>) -> ExpanderId {
        let mut list = self.0.borrow_mut();
        let id = u32::try_from(list.len()).unwrap_or(u32::MAX);
        list.push(expander);
        ExpanderId(id)
    }
}
