//! Expanders: children on demand.

use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;

use super::deferred::DeferredDocuments;
use super::document::PAGE;
use super::findings::Findings;
use super::interfaces::Interfaces;
use super::node::{Content, ExpanderId, Node};
use super::source::Sources;

/// Creates the children of nodes.
///
/// One expander serves a whole table or section; `item` identifies the node to expand (the table
/// itself, or entry 17 of it). It is called repeatedly for the same range and must give the same
/// result each time.
pub trait Expand {
    /// Returns the number of children of `item`.
    fn count(&self, item: u64, sources: &Sources) -> u64;

    /// Returns the number of children of a mapping that are in the file. The others, such as
    /// defaults, come after them.
    fn count_written(&self, item: u64, sources: &Sources) -> u64 {
        self.count(item, sources)
    }

    /// Pushes the children `range` of `item`, one node for each index of the range.
    fn rows(&self, item: u64, range: Range<u64>, out: &mut Rows<'_>);

    /// Returns what `item` offers beyond its rows, if it is a document: its kernels, its code and
    /// the like. Cheap: it is called for every question.
    fn interfaces(&self, item: u64) -> Interfaces {
        let _ = item;
        Interfaces::default()
    }

    /// Opens `item` if it is a deferred document ([`Content::Deferred`]). The ids of its
    /// expanders count from `first`. The result must be the same each time: documents that have not
    /// been used for long are dropped and opened again.
    fn open(&self, item: u64, sources: &Sources, first: ExpanderId) -> Option<DeferredDocument> {
        let _ = (item, sources, first);
        None
    }

    /// Returns the children of `item` that contain the byte at `offset`, or `None` if all children
    /// have to be searched.
    fn index_at(&self, item: u64, offset: u64, sources: &Sources) -> Option<Vec<u64>> {
        let _ = (item, offset, sources);
        None
    }
}

/// A deferred document, after it was opened.
#[derive(Default)]
pub struct DeferredDocument {
    /// The content of its node; the expander is one of its own.
    pub content: Content,
    /// Its findings and expanders.
    pub findings: Findings,
}

/// Collects the children that an expander creates.
pub struct Rows<'a> {
    /// The byte sources.
    pub sources: &'a Sources,
    /// The id of the expander itself, for the content of its nodes.
    pub me: ExpanderId,
    registry: &'a Registry,
    nodes: Vec<Node>,
}

impl<'a> Rows<'a> {
    /// Creates a list with room for about `count` children.
    pub fn new(
        sources: &'a Sources,
        registry: &'a Registry,
        me: ExpanderId,
        count: u64,
    ) -> Rows<'a> {
        let count = usize::try_from(count.min(PAGE)).unwrap_or(0);
        Rows {
            sources,
            me,
            registry,
            nodes: Vec::with_capacity(count),
        }
    }

    /// Adds a child.
    pub fn push(&mut self, mut node: Node) {
        if let Content::Lazy { expander, .. } | Content::Deferred { expander, .. } =
            &mut node.content
            && *expander == ExpanderId::SELF
        {
            *expander = self.me;
        }
        self.nodes.push(node);
    }

    /// Adds the children in `range`, from an iterator over all children.
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

    /// Returns the number of children so far.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are no children yet.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Registers an expander for children that are only now known. It lives as long as the nodes
    /// pushed here: a walk that keeps no nodes drops it when it is done, and its id is reused.
    /// Therefore no other expander may cache the id, or a node with it.
    pub fn register(&self, expander: Rc<dyn Expand>) -> ExpanderId {
        self.registry.add(expander)
    }

    /// Returns the rows.
    pub fn into_nodes(self) -> Vec<Node> {
        self.nodes
    }
}

/// The expanders of a document.
#[derive(Default)]
pub struct Registry {
    list: RefCell<Vec<Rc<dyn Expand>>>,
    deferred: DeferredDocuments,
}

impl Registry {
    pub fn from(list: Vec<Rc<dyn Expand>>) -> Registry {
        Registry {
            list: RefCell::new(list),
            deferred: DeferredDocuments::default(),
        }
    }

    pub fn get(&self, id: ExpanderId, sources: &Sources) -> Option<Rc<dyn Expand>> {
        if id >= DeferredDocuments::FIRST {
            return self.deferred.get(id, sources);
        }
        let index = usize::try_from(id.0).ok()?;
        self.list.borrow().get(index).cloned()
    }

    /// Opens the document if the content is deferred.
    pub fn resolve(&self, content: Content, sources: &Sources) -> Content {
        let Content::Deferred { expander, item } = content else {
            return content;
        };
        if let Some(content) = self.deferred.opened((expander, item)) {
            return content;
        }
        let by = self.get(expander, sources);
        by.map_or(Content::Leaf, |by| {
            self.deferred.open(expander, item, by, sources)
        })
    }

    /// Returns the findings of the documents opened since the last call.
    pub fn found(&self) -> Vec<Findings> {
        self.deferred.found()
    }

    /// Returns the current number of expanders, for [`release`](Self::release).
    pub fn mark(&self) -> usize {
        self.list.borrow().len()
    }

    /// Drops the expanders added since the mark: a walk that keeps no nodes does not need theirs
    /// either.
    pub fn release(&self, mark: usize) {
        self.list.borrow_mut().truncate(mark);
    }

    fn add(&self, expander: Rc<dyn Expand>) -> ExpanderId {
        let mut list = self.list.borrow_mut();
        let id = u32::try_from(list.len()).unwrap_or(u32::MAX);
        list.push(expander);
        ExpanderId(id)
    }
}
