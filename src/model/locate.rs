//! From bytes to nodes.

use super::document::{Document, PAGE};
use super::node::{Area, Content, Node, NodeId, NodeKind};
use super::span::{SourceId, Span};

/// A leaf's bytes, for colouring a piece of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leaf {
    /// Its value's bytes.
    pub span: Span,
    /// How many bytes before the span introduce it.
    pub head: u32,
    /// Which part of the binary it belongs to.
    pub area: Area,
    /// What sort of thing it is.
    pub kind: NodeKind,
    /// Its place among its siblings: neighbours can be told apart by it.
    pub index: u64,
}

/// Deeper than any tree that a decoder makes; a bound for walks.
const DEPTH_MAX: usize = 2048;

impl Document {
    /// The nodes that hold the byte at `offset`, the outermost first; where several
    /// children of one node claim it, the way to the first of them.
    pub fn nodes_at(&mut self, source: SourceId, offset: u64) -> Vec<NodeId> {
        let mut path = self.way_to(source);
        while let Some(&last) = path.last() {
            if path.len() > DEPTH_MAX {
                break;
            }
            let Some(next) = self.children_at(last, source, offset).into_iter().next() else {
                break;
            };
            path.push(next);
        }
        path
    }

    /// The way to the node whose bytes are `span`: the outermost one that has exactly
    /// these, or else the innermost one that holds them all.
    pub fn nodes_for(&mut self, span: Span) -> Vec<NodeId> {
        let path = self.way_to(span.source);
        let mut best = path.clone();
        let mut budget = 4096;
        self.search_span(span, path, &mut best, &mut budget);
        best
    }

    fn search_span(
        &mut self,
        span: Span,
        path: Vec<NodeId>,
        best: &mut Vec<NodeId>,
        budget: &mut u32,
    ) -> bool {
        let Some(&last) = path.last() else {
            return false;
        };
        if path.len() > best.len() {
            best.clone_from(&path);
        }
        if self.node(last).is_some_and(|n| n.span == Some(span)) {
            *best = path;
            return true;
        }
        if *budget == 0 || path.len() > DEPTH_MAX {
            return false;
        }
        *budget -= 1;
        let at = if span.is_empty() && span.start > 0 && !self.starts_here(last, span) {
            span.start - 1
        } else {
            span.start
        };
        for child in self.children_at(last, span.source, at) {
            let holds = self
                .node(child)
                .and_then(Node::extent)
                .is_some_and(|e| e.contains(span));
            if holds {
                let mut deeper = path.clone();
                deeper.push(child);
                if self.search_span(span, deeper, best, budget) {
                    return true;
                }
            }
        }
        false
    }

    fn starts_here(&self, id: NodeId, span: Span) -> bool {
        self.node(id)
            .and_then(|n| n.span)
            .is_some_and(|s| s.holds(span.start))
    }

    /// The way to the place where positions of `source` begin to count.
    fn way_to(&mut self, source: SourceId) -> Vec<NodeId> {
        let Some(parent) = self.sources.parent(source) else {
            return vec![NodeId::ROOT];
        };
        self.nodes_for(parent)
    }

    /// The children of a node that hold the byte at `offset`, by position.
    fn children_at(&mut self, id: NodeId, source: SourceId, offset: u64) -> Vec<NodeId> {
        let Some(node) = self.node(id) else {
            return Vec::new();
        };
        // The bits of a word all have the word's bytes: the word itself is the answer.
        let Some(indices) = self.indices_at(node, offset) else {
            let count = self.count(node);
            let ids = self.children(id, 0..count);
            return self.that_hold(ids, source, offset);
        };
        let mut ids = Vec::new();
        for index in indices {
            ids.extend(self.children(id, index..index.saturating_add(1)));
        }
        self.that_hold(ids, source, offset)
    }

    fn that_hold(&self, ids: Vec<NodeId>, source: SourceId, offset: u64) -> Vec<NodeId> {
        let holds = |id: &NodeId| {
            self.node(*id).is_some_and(|n| {
                n.bits.is_none()
                    && n.extent()
                        .is_some_and(|e| e.source == source && e.holds(offset))
            })
        };
        ids.into_iter().filter(holds).collect()
    }

    fn indices_at(&self, node: &Node, offset: u64) -> Option<Vec<u64>> {
        let Content::Lazy { expander, item, .. } = node.content else {
            return Some(Vec::new());
        };
        self.registry
            .get(expander)?
            .index_at(item, offset, &self.sources)
    }

    /// The leaves that have bytes in `span`, by position, at most `limit` of them.
    pub fn leaves(&self, span: Span, limit: usize) -> Vec<Leaf> {
        let mut leaves = Vec::new();
        let mark = self.registry.mark();
        let mut wanted = vec![span];
        while let Some(parent) = wanted.last().and_then(|s| self.sources.parent(s.source)) {
            wanted.push(parent);
        }
        self.collect_leaves(self.root(), &wanted, limit, 0, &mut leaves);
        self.registry.release(mark);
        leaves.sort_by_key(|leaf: &Leaf| leaf.span);
        leaves
    }

    /// `way` are the wanted bytes, those that they were unpacked from, and so on.
    fn collect_leaves(
        &self,
        node: &Node,
        way: &[Span],
        limit: usize,
        depth: usize,
        out: &mut Vec<Leaf>,
    ) {
        if depth > DEPTH_MAX || out.len() >= limit {
            return;
        }
        let Some(extent) = node.extent() else { return };
        let Some(wanted) = way.iter().find(|s| s.source == extent.source).copied() else {
            return;
        };
        if !extent.overlaps(wanted) {
            return;
        }
        let elsewhere = way.first() != Some(&wanted);
        let packed = node.kind == NodeKind::Packed;
        if node.is_leaf() || packed || node.kind == NodeKind::Field {
            if let Some(span) = node.span.filter(|_| !elsewhere) {
                out.push(Leaf {
                    span,
                    head: node.head,
                    area: node.area,
                    kind: node.kind,
                    index: node.index,
                });
            }
            if !(packed && elsewhere) {
                return;
            }
        }
        if let Some(span) = node
            .span
            .filter(|s| node.head > 0 && !elsewhere && s.start > wanted.start)
        {
            // What introduces a list or mapping is a piece of its own, with nothing after it.
            out.push(Leaf {
                span: Span::new(span.source, span.start, span.start),
                head: node.head,
                area: node.area,
                kind: node.kind,
                index: node.index,
            });
        }
        let count = self.count(node);
        let hint = self.indices_at(node, wanted.start.max(extent.start));
        let hinted = hint.is_some();
        // Where several claim the byte, others may do so before the first of them.
        let mut at = match hint.as_deref() {
            Some([only]) => *only,
            _ => 0,
        };
        while at < count && out.len() < limit {
            let end = count.min(at.saturating_add(PAGE));
            for child in self.make(node, at..end) {
                if hinted && child.extent().is_some_and(|e| e.start >= wanted.end) {
                    return;
                }
                self.collect_leaves(&child, way, limit, depth + 1, out);
            }
            at = end;
        }
    }
}
