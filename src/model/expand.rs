//! Children on demand.

use std::any::Any;
use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;

use super::document::PAGE;
use super::extension::InterfaceRequest;
use super::findings::Findings;
use super::late::DeferredDocuments;
use super::node::{Content, ExpanderId, Node};
use super::source::Sources;

/// Makes the children of nodes.
///
/// One expander serves a whole table or section; `item` tells which of its things is
/// opened (the table itself, or entry 17 of it). It is asked again and again for the same
/// range and must answer the same each time.
pub trait Expand {
    /// How many children `item` has.
    fn count(&self, item: u64, sources: &Sources) -> u64;

    /// How many of the children of a mapping stand in the file. Those that do not, such as defaults,
    /// come after them.
    fn count_written(&self, item: u64, sources: &Sources) -> u64 {
        self.count(item, sources)
    }

    /// Pushes the children `range` of `item`, one node for each index of the range.
    fn rows(&self, item: u64, range: Range<u64>, out: &mut Rows<'_>);

    /// Answers with the interfaces to `item`, if it is a document that has some: to its kernels, its
    /// code and the like.
    fn interfaces(&self, item: u64, request: &mut InterfaceRequest) {
        let _ = (item, request);
    }

    /// Opens `item`, if it is a document that is only opened when somebody asks for what is in it
    /// ([`Content::DeferredDocument`]). The ids of its expanders count from `first`. It must find the same
    /// each time: a document that was not used for long is forgotten and opened again.
    fn open(&self, item: u64, sources: &Sources, first: ExpanderId) -> Option<DeferredDocument> {
        let _ = (item, sources, first);
        None
    }

    /// The children of `item` that hold the byte at `offset`, where that can be told
    /// faster than by looking at all of them.
    fn index_at(&self, item: u64, offset: u64, sources: &Sources) -> Option<Vec<u64>> {
        let _ = (item, offset, sources);
        None
    }
}

impl dyn Expand {
    /// Returns an interface to `item`, such as `Rc<dyn Kernels>`, if it is a document that has it.
    pub fn interface<T: Any>(&self, item: u64) -> Option<T> {
        InterfaceRequest::ask(|request| self.interfaces(item, request))
    }
}

/// A document that was opened because somebody asked for what is in it.
#[derive(Default)]
pub struct DeferredDocument {
    /// Who makes its rows; one of its own expanders.
    pub content: Content,
    /// What was found in it, and its expanders.
    pub findings: Findings,
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
    /// A place for about so many children.
    pub(crate) fn new(
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
        if let Content::Lazy { expander, .. } | Content::Late { expander, .. } = &mut node.content
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

    pub(crate) fn into_nodes(self) -> Vec<Node> {
        self.nodes
    }
}

/// All expanders of a document.
#[derive(Default)]
pub(crate) struct Registry {
    list: RefCell<Vec<Rc<dyn Expand>>>,
    late: DeferredDocuments,
}

impl Registry {
    pub(crate) fn from(list: Vec<Rc<dyn Expand>>) -> Registry {
        Registry {
            list: RefCell::new(list),
            late: DeferredDocuments::default(),
        }
    }

    pub(crate) fn get(&self, id: ExpanderId, sources: &Sources) -> Option<Rc<dyn Expand>> {
        if id >= DeferredDocuments::FIRST {
            return self.late.get(id, sources);
        }
        let index = usize::try_from(id.0).ok()?;
        self.list.borrow().get(index).cloned()
    }

    /// Opens what is opened late.
    pub(crate) fn resolve(&self, content: Content, sources: &Sources) -> Content {
        let Content::Late { expander, item } = content else {
            return content;
        };
        if let Some(content) = self.late.opened((expander, item)) {
            return content;
        }
        let by = self.get(expander, sources);
        by.map_or(Content::Leaf, |by| {
            self.late.open(expander, item, by, sources)
        })
    }

    /// What was found in documents that were opened since this was asked last.
    pub(crate) fn found(&self) -> Vec<Findings> {
        self.late.found()
    }

    /// How many there are now.
    pub(crate) fn mark(&self) -> usize {
        self.list.borrow().len()
    }

    /// Forgets those that were added since the mark: a walk that keeps no nodes needs no
    /// expanders for them either.
    pub(crate) fn release(&self, mark: usize) {
        self.list.borrow_mut().truncate(mark);
    }

    fn add(&self, expander: Rc<dyn Expand>) -> ExpanderId {
        let mut list = self.list.borrow_mut();
        let id = u32::try_from(list.len()).unwrap_or(u32::MAX);
        list.push(expander);
        ExpanderId(id)
    }
}
