//! A decoded file.

use std::collections::{HashMap, HashSet};
use std::ops::{BitOr, Range};
use std::rc::Rc;

use serde::{Deserialize, Serialize};

use super::diagnostic::{Diagnostic, RuleInfo, Severity};
use super::expand::{Expand, Registry, Rows};
use super::list::ListId;
use super::node::{Area, Content, Node, NodeId, NodeKind};
use super::path::CountedNames;
use super::source::Sources;
use super::span::Span;
use super::value::Str;
use super::verdict::{DriverModel, Verdict};

/// Children are made and kept in pages of this many.
pub(super) const PAGE: u64 = 256;

/// How the bytes of the opened file are accounted for; the first three add up to its size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Coverage {
    /// Bytes that belong to a leaf.
    pub explained: u64,
    /// Bytes that only fill up to an alignment.
    pub padding: u64,
    /// Bytes that nothing explains.
    pub gap: u64,
    /// Bytes that more than one section or table claims.
    pub overlap: u64,
}

/// How a fact sounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Tone {
    /// Just so.
    Plain,
    /// Good news.
    Good,
    /// Look at it.
    Warning,
    /// Bad news.
    Bad,
}

/// One thing worth saying about the whole file, in a few words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fact {
    /// What it is about: `target`, `ze_info version`.
    pub label: Str,
    /// What is so.
    pub text: Str,
    /// How it sounds.
    pub tone: Tone,
    /// The bytes that say so.
    pub span: Option<Span>,
    /// One of the few that the top of the page shows.
    pub headline: bool,
}

impl Fact {
    /// The label of the device that a file is for.
    pub const TARGET: &str = "target";
    /// The label of the number of kernels.
    pub const KERNELS: &str = "kernels";

    /// A plain fact.
    pub fn new(label: &'static str, text: impl Into<Str>, span: impl Into<Option<Span>>) -> Fact {
        Fact {
            label: label.into(),
            text: text.into(),
            tone: Tone::Plain,
            span: span.into(),
            headline: false,
        }
    }

    /// The same, as one of the few that the top of the page shows.
    pub fn headline(mut self) -> Fact {
        self.headline = true;
        self
    }
}

/// What can be asked of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Capabilities {
    /// Its format lists kernels.
    pub kernels: bool,
    /// It has symbols and relocations.
    pub symbols: bool,
    /// It has the modules of a SYCLBIN.
    pub modules: bool,
    /// It has readable text.
    pub text: bool,
    /// It can be given to the driver: there is a verdict.
    pub loadable: bool,
}

impl BitOr for Capabilities {
    type Output = Capabilities;

    fn bitor(self, other: Capabilities) -> Capabilities {
        Capabilities {
            kernels: self.kernels || other.kernels,
            symbols: self.symbols || other.symbols,
            modules: self.modules || other.modules,
            text: self.text || other.text,
            loadable: self.loadable || other.loadable,
        }
    }
}

/// The file in a few lines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    /// The format's identifier: `zebin`, `elf`, `raw` …
    pub format: Str,
    /// The format in words.
    pub title: Str,
    /// What else there is to say, in the order of importance.
    pub facts: Vec<Fact>,
    /// What can be asked of the document itself.
    pub has: Capabilities,
    /// Of the opened file: what can be asked of the documents in it.
    pub within: Capabilities,
}

impl Summary {
    /// The summary of a document of which nothing can be asked.
    pub fn new(format: &'static str, title: impl Into<Str>, facts: Vec<Fact>) -> Summary {
        Summary {
            format: format.into(),
            title: title.into(),
            facts,
            has: Capabilities::default(),
            within: Capabilities::default(),
        }
    }

    /// The same, of a document of which this can be asked.
    pub fn with(mut self, has: Capabilities) -> Summary {
        self.has = has;
        self
    }

    /// What can be asked of the document, or of one in it.
    pub fn anywhere(&self) -> Capabilities {
        self.has | self.within
    }
}

/// What a decoder hands over to make a document of.
pub struct Parts {
    /// The bytes.
    pub sources: Sources,
    /// The opened file's node.
    pub root: Node,
    /// Who makes its children, and theirs.
    pub expanders: Vec<Rc<dyn Expand>>,
    /// What was found.
    pub diagnostics: Vec<Diagnostic>,
    /// The rules that fired.
    pub rules: Vec<RuleInfo>,
    /// The file in a few lines.
    pub summary: Summary,
    /// How its bytes are accounted for.
    pub coverage: Coverage,
    /// The places of all documents that are nested in it, and in those.
    pub documents: Vec<Span>,
    /// The places of the documents that a driver can be given: the file, nested ones.
    pub loadable: Vec<Span>,
    /// That driver.
    pub driver: Option<&'static dyn DriverModel>,
}

/// A decoded file: an arena of the nodes that somebody has asked for, and what it takes to
/// make the others.
pub struct Document {
    /// The bytes.
    pub sources: Sources,
    /// What was found, by position.
    pub diagnostics: Vec<Diagnostic>,
    /// The rules that fired.
    pub rules: Vec<RuleInfo>,
    /// The file in a few lines.
    pub summary: Summary,
    /// How the bytes are accounted for.
    pub coverage: Coverage,
    pub(super) registry: Registry,
    documents: Vec<Span>,
    loadable: HashSet<Span>,
    driver: Option<&'static dyn DriverModel>,
    nodes: Vec<Node>,
    pages: HashMap<(NodeId, u64), NodeId>,
    /// For children without an index: the how manieth of its name each is.
    pub(super) ordinals: HashMap<NodeId, CountedNames>,
}

impl Document {
    /// Puts a decoder's parts together.
    pub fn new(parts: Parts) -> Document {
        let mut diagnostics = parts.diagnostics;
        diagnostics.sort_by_key(|d| d.primary.span);
        Document {
            sources: parts.sources,
            diagnostics,
            rules: parts.rules,
            summary: parts.summary,
            coverage: parts.coverage,
            registry: Registry::from(parts.expanders),
            documents: parts.documents,
            loadable: parts.loadable.into_iter().collect(),
            driver: parts.driver,
            nodes: vec![parts.root],
            pages: HashMap::new(),
            ordinals: HashMap::new(),
        }
    }

    /// The places of all documents that are nested in this one, and in those, in the order in
    /// which they were opened: [`nodes_for`](Self::nodes_for) leads there.
    pub fn documents(&self) -> &[Span] {
        &self.documents
    }

    /// The documents that have such a list themselves: the opened file or, if it has none, the
    /// outermost of those in it.
    pub fn documents_with(&mut self, list: ListId) -> Vec<NodeId> {
        let has = |document: &Document, id| document.document_of(id, list) == Some(id);
        if has(self, NodeId::ROOT) {
            return vec![NodeId::ROOT];
        }
        let mut found = Vec::new();
        let mut last = Span::default();
        for span in self.documents.clone() {
            if last.contains(span) {
                continue;
            }
            let mut ids = self.documents_at(span).into_iter();
            if let Some(id) = ids.find(|id| has(self, *id)) {
                found.push(id);
                last = span;
            }
        }
        found
    }

    /// The nodes that have exactly these bytes, the innermost first: a document may hold nothing
    /// but another one.
    fn documents_at(&mut self, span: Span) -> Vec<NodeId> {
        let mut way = self.nodes_for(span);
        way.reverse();
        way.retain(|id| self.node(*id).is_some_and(|node| node.span == Some(span)));
        way
    }

    /// What today's driver does with a document (the opened file, or one that is nested in it)
    /// on a device, or on the file's own. Returns `None` if nobody would give the document to
    /// the driver, or if there is no device of that name. Computed anew each time.
    pub fn verdict(&self, document: NodeId, device: Option<&str>) -> Option<Verdict> {
        let file = self.file_of(document)?;
        self.driver?.load(&self.sources, file, device)
    }

    /// Would anybody give the document to the driver?
    pub fn is_loadable(&self, document: NodeId) -> bool {
        self.file_of(document).is_some()
    }

    /// The devices of [`verdict`](Self::verdict), by name.
    pub fn devices(&self) -> Vec<Str> {
        self.driver.map_or_else(Vec::new, DriverModel::devices)
    }

    fn file_of(&self, document: NodeId) -> Option<Span> {
        let node = self.node(document)?;
        let file = node.span.filter(|_| node.kind == NodeKind::File)?;
        self.loadable.contains(&file).then_some(file)
    }

    /// The opened file's node.
    pub fn root(&self) -> &Node {
        // The arena is made with the root in it, and nothing is ever removed.
        self.nodes.first().unwrap_or(&NOWHERE)
    }

    /// A node that was made before.
    pub fn node(&self, id: NodeId) -> Option<&Node> {
        self.nodes.get(usize::try_from(id.0).ok()?)
    }

    /// How many nodes were made so far.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// There is always the root.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// How many children a node has; asks its expander where that was not known.
    pub fn count(&self, node: &Node) -> u64 {
        match node.content {
            Content::Leaf => 0,
            Content::Lazy {
                count: Some(count), ..
            } => count,
            Content::Lazy { expander, item, .. } => self
                .registry
                .get(expander)
                .map_or(0, |e| e.count(item, &self.sources)),
        }
    }

    /// The children `range` of a node, made now if they were not before.
    pub fn children(&mut self, id: NodeId, range: Range<u64>) -> Vec<NodeId> {
        let Some(node) = self.node(id) else {
            return Vec::new();
        };
        let count = self.count(node);
        let range = range.start.min(count)..range.end.min(count);
        let mut ids = Vec::new();
        for page in range.start / PAGE..range.end.div_ceil(PAGE) {
            let first = self.page(id, page, count);
            let start = page * PAGE;
            let from = range.start.max(start) - start;
            let to = range.end.min(start + PAGE) - start;
            // A page has at most PAGE nodes.
            #[allow(clippy::cast_possible_truncation)]
            ids.extend((from..to).map(|i| NodeId(first.0.saturating_add(i as u32))));
        }
        ids
    }

    fn page(&mut self, id: NodeId, page: u64, count: u64) -> NodeId {
        if let Some(first) = self.pages.get(&(id, page)) {
            return *first;
        }
        let first = NodeId(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX));
        let start = page * PAGE;
        if let Some(node) = self.node(id).cloned() {
            for mut child in self.make(&node, start..count.min(start + PAGE)) {
                child.parent = Some(id);
                self.nodes.push(child);
            }
        }
        self.pages.insert((id, page), first);
        first
    }

    /// Makes the children `range` of a node without keeping them: for those who walk
    /// through everything once.
    pub fn make(&self, node: &Node, range: Range<u64>) -> Vec<Node> {
        let Content::Lazy { expander, item, .. } = node.content else {
            return Vec::new();
        };
        let Some(expand) = self.registry.get(expander) else {
            return Vec::new();
        };
        let mut rows = Rows::new(&self.sources, &self.registry, expander);
        expand.rows(item, range.clone(), &mut rows);
        let mut nodes = rows.into_nodes();
        // An expander that cannot read (the file has changed) pushes less than it was
        // asked for: the rows exist all the same.
        let wanted = usize::try_from(range.end - range.start).unwrap_or(usize::MAX);
        while nodes.len() < wanted {
            let at = node.span.map_or(Span::default(), |s| s.from(u64::MAX));
            nodes.push(Node::gap("unreadable", at));
        }
        nodes.truncate(wanted);
        for (index, child) in range.zip(&mut nodes) {
            child.index = index;
            if child.area == Area::Inherit {
                child.area = node.area;
            }
        }
        nodes
    }

    /// The first children of a node for which `wanted` holds, at most `limit`. The others are
    /// made, but not kept.
    pub fn children_that(
        &mut self,
        id: NodeId,
        wanted: impl Fn(&Node) -> bool,
        limit: usize,
    ) -> Vec<NodeId> {
        let mut indices = Vec::new();
        let Some(node) = self.node(id) else {
            return Vec::new();
        };
        let count = self.count(node);
        let mut start = 0;
        while start < count && indices.len() < limit {
            let end = count.min(start + 2 * PAGE);
            let mark = self.registry.mark();
            let made = self.make(node, start..end);
            self.registry.release(mark);
            let found = made.iter().filter(|child| wanted(child));
            indices.extend(found.map(|child| child.index));
            start = end;
        }
        indices.truncate(limit);
        let ids = indices.into_iter();
        ids.flat_map(|index| self.children(id, index..index + 1))
            .collect()
    }

    /// The diagnostics whose bytes lie within `span`.
    pub fn diagnostics_in(&self, span: Span) -> impl Iterator<Item = &Diagnostic> {
        let from = self.diagnostics.partition_point(|d| {
            (d.primary.span.source, d.primary.span.start) < (span.source, span.start)
        });
        self.diagnostics
            .get(from..)
            .unwrap_or(&[])
            .iter()
            .take_while(move |d| {
                d.primary.span.source == span.source && d.primary.span.start <= span.end
            })
            .filter(move |d| span.contains(d.primary.span))
    }

    /// The worst that is said about bytes within a node, or about what is unpacked from them.
    pub fn severity(&self, node: &Node) -> Option<Severity> {
        let extent = node.extent()?;
        let mut spans = self.sources.unpacked_from(extent);
        spans.push(extent);
        let all = spans.into_iter().flat_map(|span| self.diagnostics_in(span));
        all.map(|d| d.severity).max()
    }
}

static NOWHERE: Node = Node {
    parent: None,
    index: 0,
    name: Str::Borrowed("nothing"),
    indexed: false,
    kind: super::node::NodeKind::Gap,
    area: Area::Padding,
    value: super::value::Value::None,
    summary: None,
    span: None,
    head: 0,
    bits: None,
    content: Content::Leaf,
    xrefs: Vec::new(),
    doc: None,
};
