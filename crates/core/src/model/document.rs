//! A decoded file.
use super::arena::Arena;
use super::diagnostic::{Diagnostic, RuleInfo, Severity};
use super::documents::{Documents, Opened};
use super::expand::{Expand, Registry, Rows};
use super::extension::Extensions;
use super::findings::{Findings, Parts};
use super::holes::Accounts;
use super::interfaces::Interfaces;
use super::locate::PositionCache;
use super::node::{Area, Content, Node, NodeId, NodeKind};
use super::path::CountedNames;
use super::source::Sources;
use super::span::{SourceId, Span};
use super::summary::{Coverage, InnerDocument, Summary};
use super::value::Str;
use crate::model::sort;
use std::collections::{HashMap, HashSet, VecDeque};
use std::ops::Range;
use std::rc::Rc;

/// Maximum number of diagnostics kept per rule.
const RULE_DIAGNOSTICS_MAX: usize = 100;

/// Number of children that are created at once by code that walks all of them.
pub const PAGE: u64 = 256;
/// Number of children that are created at once when some of them are requested, and kept. Small,
/// because a child may read bytes: the first ones of an image in a library, say.
pub(super) const KEPT: u64 = 32;

/// A decoded file: an arena of the nodes created so far, and the expanders that create the rest.
pub struct Document {
    /// The byte sources: the opened file, and data unpacked from it.
    pub sources: Sources,
    /// The diagnostics, sorted by position.
    pub diagnostics: Vec<Diagnostic>,
    /// Their number by rule, once documents were opened.
    counts: HashMap<Str, usize>,
    /// The rules that fired.
    pub rules: Vec<RuleInfo>,
    /// Number of findings of unread bytes so far, including those that are not listed.
    unread: u64,
    /// The summary of the file.
    pub summary: Summary,
    /// The numbers of bytes in known parts, of padding, and of the rest.
    pub coverage: Coverage,
    accounts: Accounts,
    /// The expanders of all rows.
    pub registry: Registry,
    /// Data that other layers attach to the document.
    pub extensions: Extensions,
    documents: Documents,
    /// Nested documents that are not opened yet.
    deferred: Vec<Span>,
    /// Total size of the deferred documents that were opened before one is selected, in bytes.
    deferred_opened: u64,
    loadable: HashSet<Span>,
    nodes: Arena,
    pages: HashMap<(NodeId, u64), NodeId>,
    /// For children without an index: the ordinal of each among siblings with the same name.
    pub ordinals: HashMap<NodeId, CountedNames>,
    /// The positions of the children of large nodes.
    pub positions: PositionCache,
}

/// Maximum total size of the deferred documents opened for a table, in bytes, for a file of `size`
/// bytes. Deferred documents may overlap.
pub fn deferred_limit(size: u64) -> u64 {
    size.saturating_mul(2).saturating_add(1 << 20)
}

impl Document {
    /// Creates a document from a decoder's results.
    pub fn new(parts: Parts) -> Document {
        let Findings {
            mut diagnostics,
            rules,
            unread,
            holes,
            expanders,
            of: _,
            documents,
            deferred,
            within,
            loadable,
        } = parts.findings;
        sort::by_key(&mut diagnostics, |d| d.primary.span);
        let mut summary = parts.summary;
        summary.within = within;
        let whole = parts.sources.whole(SourceId::FILE);
        let mut coverage = Coverage {
            explained: whole.len(),
            ..Coverage::default()
        };
        let mut accounts = Accounts::new(whole);
        accounts.add(holes, &mut coverage);
        let mut nodes = Arena::default();
        nodes.push(parts.root);
        Document {
            sources: parts.sources,
            diagnostics,
            counts: HashMap::new(),
            rules,
            unread,
            summary,
            coverage,
            accounts,
            extensions: Extensions::default(),
            registry: Registry::from(expanders),
            documents: Documents::new(documents),
            deferred,
            deferred_opened: 0,
            loadable: loadable.into_iter().collect(),
            nodes,
            pages: HashMap::new(),
            ordinals: HashMap::new(),
            positions: PositionCache::default(),
        }
    }

    /// Adds the findings of documents opened since the last call.
    fn add_found(&mut self) {
        let found = self.registry.found();
        self.merge(found);
    }

    /// Adds findings, in one pass over the documents.
    fn merge(&mut self, all: Vec<Findings>) {
        if all.is_empty() {
            return;
        }
        let before = self.diagnostics.len();
        if before > 0 && self.counts.is_empty() {
            for diagnostic in &self.diagnostics {
                *self.counts.entry(diagnostic.rule.clone()).or_default() += 1;
            }
        }
        // The opened documents by their bytes, each with the documents nested in it.
        let mut opened = Opened::new();
        let (mut order, mut others) = (Vec::new(), Vec::new());
        for found in all {
            self.accounts.add(found.holes, &mut self.coverage);
            self.unread = self.unread.saturating_add(found.unread);
            match found.of {
                Some(of) => {
                    order.push(of.span);
                    opened.insert(of.span, (of, found.documents));
                }
                None => others.extend(found.documents),
            }
            self.deferred.extend(found.deferred);
            self.loadable.extend(found.loadable);
            self.summary.within = self.summary.within | found.within;
            for diagnostic in found.diagnostics {
                let count = self.counts.entry(diagnostic.rule.clone()).or_default();
                if *count <= RULE_DIAGNOSTICS_MAX {
                    *count += 1;
                    self.diagnostics.push(diagnostic);
                }
            }
            for rule in found.rules {
                if !self.rules.iter().any(|known| known.id == rule.id) {
                    self.rules.push(rule);
                }
            }
        }
        if self.diagnostics.len() > before {
            sort::by_key(&mut self.diagnostics, |d| d.primary.span);
        }
        // Documents opened later are inserted after the one that contains them.
        self.documents.open(order, opened);
        self.documents.append(others);
    }

    /// Opens all deferred documents, up to [`deferred_limit`] in total.
    pub fn open_all(&mut self) {
        let whole = self.root().span.unwrap_or_default();
        self.open_within(whole);
    }

    /// Opens the deferred documents within `extent`, up to [`deferred_limit`] in total.
    pub fn open_within(&mut self, extent: Span) {
        let deferred = std::mem::take(&mut self.deferred);
        let (wanted, others): (Vec<Span>, _) =
            deferred.into_iter().partition(|s| extent.contains(*s));
        self.deferred = others;
        let mut wanted = VecDeque::from(wanted);
        let mut found = Vec::new();
        while let Some(span) = wanted.pop_front() {
            let opened = self.deferred_opened.saturating_add(span.len());
            if opened > deferred_limit(self.sources.size()) {
                wanted.push_front(span);
                break;
            }
            self.deferred_opened = opened;
            for id in self.documents_at(span) {
                self.expander_of(id);
            }
            for mut findings in self.registry.found() {
                wanted.extend(std::mem::take(&mut findings.deferred));
                found.push(findings);
            }
        }
        self.merge(found);
        self.deferred.extend(wanted);
    }

    /// Returns the expander and item of a node in the arena, or `None` for a leaf.
    fn expander_of(&self, id: NodeId) -> Option<(Rc<dyn Expand>, u64)> {
        self.expander(self.node(id)?)
    }

    /// Returns the expander and item of a node, or `None` for a leaf.
    pub fn expander(&self, node: &Node) -> Option<(Rc<dyn Expand>, u64)> {
        match self.registry.resolve(node.content, &self.sources) {
            Content::Lazy { expander, item, .. } => {
                Some((self.registry.get(expander, &self.sources)?, item))
            }
            _ => None,
        }
    }

    /// Returns all nested documents, at any depth, in the order in which they were opened.
    /// [`nodes_for`](Self::nodes_for) finds their nodes.
    pub fn documents(&self) -> impl Iterator<Item = &InnerDocument> + Clone {
        self.documents.iter()
    }

    /// Returns the nested document with these bytes: the first one of several.
    pub fn inner_document(&self, span: Span) -> Option<&InnerDocument> {
        self.documents.starting_at(span).next()
    }

    /// Returns the nested documents that may lie in a container: the bytes of the opened file, or
    /// of a document. The document itself is the first one. The files of a package do not overlap,
    /// so each is followed by what is in it; otherwise, any of the file's documents may lie in it.
    pub fn documents_around(
        &self,
        container: Span,
    ) -> impl Iterator<Item = &InnerDocument> + Clone {
        let is_whole = self.root().span == Some(container);
        let is_one = self.summary.has.package && !is_whole;
        let (all, within) = if is_one {
            (None, Some(self.documents.starting_at(container)))
        } else {
            (Some(self.documents.iter()), None)
        };
        let within = within.into_iter().flatten();
        let within = within.take_while(move |inner| self.is_within(inner.span, container));
        all.into_iter().flatten().chain(within)
    }

    /// Whether one of the nested documents in `whole`, or in what was unpacked from a part of it,
    /// satisfies `wanted`.
    pub(crate) fn any_document_within(
        &self,
        whole: Span,
        wanted: impl Fn(&InnerDocument) -> bool,
    ) -> bool {
        let mut parts = vec![whole];
        while let Some(part) = parts.pop() {
            if self.documents.within(part).any(&wanted) {
                return true;
            }
            let unpacked = self.sources.unpacked_directly(part).into_iter();
            parts.extend(unpacked.map(|id| self.sources.whole(id)));
        }
        false
    }

    /// Whether a span lies within `whole`, or was unpacked from a part of it.
    pub fn is_within(&self, mut span: Span, whole: Span) -> bool {
        while span.source != whole.source {
            match self.sources.parent(span.source) {
                Some(parent) => span = parent,
                None => return false,
            }
        }
        whole.contains(span)
    }

    /// Returns the spans of the documents that can be loaded by a driver, in the same order.
    pub fn loadable(&self) -> Vec<Span> {
        let documents = self.documents.iter().map(|inner| inner.span);
        documents
            .filter(|span| self.loadable.contains(span))
            .collect()
    }

    /// Returns the innermost document with exactly these bytes.
    pub fn document_at(&mut self, span: Span) -> Option<NodeId> {
        self.documents_at(span).into_iter().find(|id| {
            let kind = self.node(*id).map(|node| node.kind);
            matches!(kind, Some(NodeKind::File | NodeKind::Packed))
        })
    }

    /// Returns the nodes with exactly these bytes, the innermost first: a document may contain
    /// nothing but another one.
    pub fn documents_at(&mut self, span: Span) -> Vec<NodeId> {
        let mut ancestry = self.path_to_document(span);
        ancestry.reverse();
        ancestry.retain(|id| self.node(*id).is_some_and(|node| node.span == Some(span)));
        ancestry
    }

    /// Returns the bytes of a part of the file; of a compressed device image, its decompressed bytes
    /// unless `packed`. Returns `None` if the node has no bytes.
    pub fn part(&mut self, id: NodeId, packed: bool) -> Option<Span> {
        let node = self.node(id)?;
        let is_image = matches!(node.content, Content::Deferred { .. });
        let span = node.span;
        if packed || !is_image || node.kind != NodeKind::Packed {
            return span;
        }
        // Damaged images stay as stored.
        let unpacked = self.children(id, 0..1);
        let unpacked = unpacked.first().and_then(|id| self.node(*id)?.span);
        unpacked.or(span)
    }

    /// Whether the document is one that a program passes to the driver.
    pub fn is_loadable(&self, document: NodeId) -> bool {
        self.file_of(document).is_some()
    }

    /// Returns what a document offers beyond its rows: the opened file (its root) or one that is nested
    /// in it.
    pub fn interfaces(&self, document: NodeId) -> Interfaces {
        let node = self.node(document);
        node.map_or_else(Interfaces::default, |node| self.interfaces_of(node))
    }

    /// Returns what the document of a node offers beyond its rows: nothing for other nodes.
    pub fn interfaces_of(&self, node: &Node) -> Interfaces {
        match self.expander(node) {
            Some((expander, item)) => expander.interfaces(item),
            None => Interfaces::default(),
        }
    }

    /// Returns the span of a document that can be loaded by a driver.
    pub fn file_of(&self, document: NodeId) -> Option<Span> {
        let node = self.node(document)?;
        let file = node.span.filter(|_| node.kind == NodeKind::File)?;
        self.loadable.contains(&file).then_some(file)
    }

    /// Returns the node of the opened file.
    pub fn root(&self) -> &Node {
        // The arena is created with the root, and nothing is ever removed from it.
        self.nodes.get(0).unwrap_or(&NOWHERE)
    }

    /// Returns a node that was created before.
    pub fn node(&self, id: NodeId) -> Option<&Node> {
        self.nodes.get(usize::try_from(id.0).ok()?)
    }

    /// Returns the number of nodes created so far.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Always false: there is always the root.
    pub fn is_empty(&self) -> bool {
        self.nodes.len() == 0
    }

    /// Drops all nodes but the root. Every other [`NodeId`] becomes invalid.
    pub fn forget_nodes(&mut self) {
        self.nodes.truncate_to_first();
        self.pages.clear();
        self.ordinals.clear();
        self.positions = PositionCache::default();
    }

    /// Returns the number of children of a node, asking its expander if the node does not store it.
    pub fn count(&self, node: &Node) -> u64 {
        match self.registry.resolve(node.content, &self.sources) {
            Content::Lazy {
                count: Some(count), ..
            } => count,
            Content::Lazy { expander, item, .. } => self
                .registry
                .get(expander, &self.sources)
                .map_or(0, |e| e.count(item, &self.sources)),
            Content::Leaf | Content::Deferred { .. } => 0,
        }
    }

    /// Returns the number of children that a full walk visits: 0 for instructions, whose fields are
    /// numerous and alike.
    pub fn walked_children(&self, node: &Node) -> u64 {
        match node.kind {
            NodeKind::Instruction => 0,
            _ => self.count(node),
        }
    }

    /// Returns the number of children in the file: as `walked_children`, but without the default values of a mapping.
    pub fn written(&self, node: &Node) -> u64 {
        match self.registry.resolve(node.content, &self.sources) {
            Content::Lazy { expander, item, .. } if node.kind == NodeKind::Mapping => self
                .registry
                .get(expander, &self.sources)
                .map_or(0, |e| e.count_written(item, &self.sources)),
            _ => self.walked_children(node),
        }
    }

    /// Returns the children `range` of a node, creating them on first use.
    pub fn children(&mut self, id: NodeId, range: Range<u64>) -> Vec<NodeId> {
        let Some(node) = self.node(id) else {
            return Vec::new();
        };
        let count = self.count(node);
        let range = range.start.min(count)..range.end.min(count);
        let mut ids = Vec::new();
        for page in range.start / KEPT..range.end.div_ceil(KEPT) {
            let first = self.page(id, page, count);
            let start = page * KEPT;
            let from = range.start.max(start) - start;
            let to = range.end.min(start + KEPT) - start;
            // A page has at most KEPT nodes.
            #[allow(clippy::cast_possible_truncation)]
            ids.extend((from..to).map(|i| NodeId(first.0.saturating_add(i as u32))));
        }
        self.add_found();
        ids
    }

    fn page(&mut self, id: NodeId, page: u64, count: u64) -> NodeId {
        if let Some(first) = self.pages.get(&(id, page)) {
            return *first;
        }
        let first = NodeId(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX));
        let start = page * KEPT;
        if let Some(node) = self.node(id).cloned() {
            let children = self.make(&node, start..count.min(start + KEPT));
            for mut child in children {
                child.parent = Some(id);
                self.nodes.push(child);
            }
        }
        self.pages.insert((id, page), first);
        first
    }

    /// Creates the children `range` of a node without keeping them, for code that walks everything
    /// once.
    pub fn make(&self, node: &Node, range: Range<u64>) -> Vec<Node> {
        let content = self.registry.resolve(node.content, &self.sources);
        let Content::Lazy { expander, item, .. } = content else {
            return Vec::new();
        };
        let Some(expand) = self.registry.get(expander, &self.sources) else {
            return Vec::new();
        };
        let count = range.end - range.start;
        let mut rows = Rows::new(&self.sources, &self.registry, expander, count);
        expand.rows(item, range.clone(), &mut rows);
        let mut nodes = rows.into_nodes();
        // An expander that cannot read (the file has changed) pushes fewer nodes than requested;
        // the rows exist all the same.
        let wanted = usize::try_from(count).unwrap_or(usize::MAX);
        while nodes.len() < wanted {
            let at = node.span.map_or(Span::default(), |s| s.skip(u64::MAX));
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

    /// Returns the first children of a node that satisfy `wanted`, at most `limit`. The others are
    /// created, but not kept.
    pub fn children_that(
        &mut self,
        id: NodeId,
        wanted: impl Fn(&Node) -> bool,
        limit: usize,
    ) -> Vec<NodeId> {
        let indices = self.indices_that(id, wanted, limit).into_iter();
        indices
            .flat_map(|index| self.children(id, index..index.saturating_add(1)))
            .collect()
    }

    /// Returns the `nth` child of a node that satisfies `wanted`, counting from 1.
    pub fn child_that(
        &mut self,
        id: NodeId,
        nth: usize,
        wanted: impl Fn(&Node) -> bool,
    ) -> Option<NodeId> {
        let index = *self
            .indices_that(id, wanted, nth)
            .get(nth.checked_sub(1)?)?;
        self.children(id, index..index.saturating_add(1)).pop()
    }

    fn indices_that(&self, id: NodeId, wanted: impl Fn(&Node) -> bool, limit: usize) -> Vec<u64> {
        let mut indices = Vec::new();
        let Some(node) = self.node(id) else {
            return indices;
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
        indices
    }

    /// Returns the diagnostics whose bytes lie within `span`.
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

    /// Returns the diagnostics about bytes that were not read so far, each with its rule's severity:
    /// device code in them is in no list. [`unread_count`](Self::unread_count) also counts those that
    /// are not listed.
    pub fn unread(&self) -> impl Iterator<Item = &Diagnostic> {
        let all = self.diagnostics.iter();
        all.filter(|found| self.is_about_unread(found))
    }

    /// Returns whether a diagnostic is about bytes that were not read.
    pub fn is_about_unread(&self, found: &Diagnostic) -> bool {
        let mut rules = self.rules.iter();
        rules.any(|rule| rule.is_unread && rule.id == found.rule)
    }

    /// Returns the number of findings of unread bytes so far.
    pub fn unread_count(&self) -> u64 {
        self.unread
    }

    /// Adds the findings of an examination that opens no document.
    pub fn add_findings(&mut self, findings: Findings) {
        self.merge(vec![findings]);
    }

    /// Returns the highest severity of the diagnostics within a node or the data unpacked from it.
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
