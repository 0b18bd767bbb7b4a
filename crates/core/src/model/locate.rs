//! Finds the nodes of given bytes.

use std::collections::VecDeque;
use std::rc::Rc;

use super::document::{Document, PAGE};
use super::node::{Area, Node, NodeId, NodeKind};
use super::span::{SourceId, Span};
use crate::model::sort;

/// The bytes of a leaf, for coloring a part of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leaf {
    /// The bytes of its value.
    pub span: Span,
    /// The length of the head before the span, in bytes.
    pub head: u32,
    /// The part of the binary that it belongs to.
    pub area: Area,
    /// The kind of the node.
    pub kind: NodeKind,
    /// Zero-based index among its siblings; it distinguishes neighbors.
    pub index: u64,
}

/// The positions of a node's children.
pub struct ChildPositions {
    /// The children that have bytes, sorted by position.
    list: Vec<ChildPosition>,
    /// For each child, the largest end among it and those before it.
    ends: Vec<u64>,
}

/// The position of a child. There may be one for every byte of the file, so it is kept small.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct ChildPosition {
    source: SourceId,
    start: u64,
    end: u64,
    /// Zero-based index among its siblings.
    index: u32,
}

impl ChildPosition {
    fn of(child: &Node) -> Option<ChildPosition> {
        let extent = child.extent().filter(|_| child.bits.is_none())?;
        let place = ChildPosition {
            source: extent.source,
            index: u32::try_from(child.index).ok()?,
            start: extent.start,
            end: extent.end,
        };
        (!extent.is_empty()).then_some(place)
    }
}

/// The child positions of the large nodes that were searched last.
#[derive(Default)]
pub struct PositionCache(VecDeque<(NodeId, Rc<ChildPositions>)>);

/// Maximum number of cached positions; those of the last node are always kept.
const POSITIONS_KEPT: usize = 1 << 18;

impl PositionCache {
    fn get(&self, id: NodeId) -> Option<Rc<ChildPositions>> {
        let mut kept = self.0.iter();
        kept.find_map(|(of, places)| (*of == id).then(|| Rc::clone(places)))
    }

    fn keep(&mut self, id: NodeId, places: &Rc<ChildPositions>) {
        self.0.push_back((id, Rc::clone(places)));
        let count = |kept: &VecDeque<(NodeId, Rc<ChildPositions>)>| -> usize {
            kept.iter().map(|(_, places)| places.list.len()).sum()
        };
        while self.0.len() > 1 && count(&self.0) > POSITIONS_KEPT {
            self.0.pop_front();
        }
    }
}

impl ChildPositions {
    fn new(list: Vec<ChildPosition>) -> ChildPositions {
        let mut furthest = (SourceId::FILE, 0);
        let ends = list.iter().map(|place| {
            let before = if furthest.0 == place.source {
                furthest.1
            } else {
                0
            };
            furthest = (place.source, place.end.max(before));
            furthest.1
        });
        ChildPositions {
            ends: ends.collect(),
            list,
        }
    }

    /// Returns the indices of the children that contain a byte.
    fn at(&self, source: SourceId, offset: u64) -> Vec<u64> {
        let is_before = |place: &ChildPosition| (place.source, place.start) <= (source, offset);
        let after = self.list.partition_point(is_before);
        let mut found = Vec::new();
        for (place, end) in self.list.iter().zip(&self.ends).take(after).rev() {
            if place.source != source || *end <= offset {
                break;
            }
            if place.end > offset {
                found.push(place.index.into());
            }
        }
        sort::ascending(&mut found);
        found
    }
}

/// Depth limit of walks; no decoder creates a deeper tree.
pub const DEPTH_MAX: usize = 2048;

impl Document {
    /// Returns the nodes that contain the byte at `offset`, the outermost first. If several
    /// children of one node claim it, the path leads to the first.
    pub fn nodes_at(&mut self, source: SourceId, offset: u64) -> Vec<NodeId> {
        let mut path = self.ancestry_of(source);
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

    /// Returns the path to the node with the bytes of `span`: the outermost with exactly these, or
    /// else the innermost that contains them all.
    pub fn nodes_for(&mut self, span: Span) -> Vec<NodeId> {
        let path = self.ancestry_of(span.source);
        let mut best = path.clone();
        // Parts that overlap make many paths to the same bytes.
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
        // Empty bytes at the end of a node are found by the byte before them.
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
            .is_some_and(|s| s.contains_offset(span.start))
    }

    /// Returns the path to the node where offsets of `source` start.
    fn ancestry_of(&mut self, source: SourceId) -> Vec<NodeId> {
        let Some(parent) = self.sources.parent(source) else {
            return vec![NodeId::ROOT];
        };
        let mut path = self.path_to_document(parent);
        // A file that consists of compressed bytes: offsets start in these.
        while let Some(&last) = path.last()
            && let Some(node) = self.node(last)
            && node.kind == NodeKind::File
            && node.span == Some(parent)
        {
            let within = self.children_at(last, parent.source, parent.start);
            let is_packed = |id: &NodeId| {
                let node = self.node(*id);
                node.is_some_and(|node| node.span == Some(parent) && node.kind == NodeKind::Packed)
            };
            let Some(next) = within.into_iter().find(is_packed) else {
                break;
            };
            path.push(next);
        }
        path
    }

    /// Like [`nodes_for`](Self::nodes_for), but continues down to the document or compressed bytes:
    /// a section may contain nothing but an image.
    pub fn path_to_document(&mut self, span: Span) -> Vec<NodeId> {
        let mut path = self.nodes_for(span);
        while let Some((id, node)) = path.last().and_then(|id| Some((*id, self.node(*id)?))) {
            let is_document = matches!(node.kind, NodeKind::File | NodeKind::Packed);
            if node.span != Some(span) || is_document && id != NodeId::ROOT {
                break;
            }
            let within = self.children_at(id, span.source, span.start);
            let same = |id: &NodeId| self.node(*id).is_some_and(|n| n.span == Some(span));
            let Some(next) = within.into_iter().find(same) else {
                break;
            };
            path.push(next);
        }
        path
    }

    /// Returns the children of a node that contain the byte at `offset`, by position.
    fn children_at(&mut self, id: NodeId, source: SourceId, offset: u64) -> Vec<NodeId> {
        let Some(node) = self.node(id) else {
            return Vec::new();
        };
        // All bit fields of a word share the word's bytes, so the word itself is the answer.
        let Some(indices) = self.indices_at(node, offset) else {
            let count = self.count(node);
            if count > PAGE {
                return self.many_children_at(id, count, source, offset);
            }
            let ids = self.children(id, 0..count);
            return self.containing(ids, source, offset);
        };
        let mut ids = Vec::new();
        for index in indices {
            ids.extend(self.children(id, index..index.saturating_add(1)));
        }
        self.containing(ids, source, offset)
    }

    /// Like `children_at`, for a node with many children: they are scanned once, and not kept.
    fn many_children_at(
        &mut self,
        id: NodeId,
        count: u64,
        source: SourceId,
        offset: u64,
    ) -> Vec<NodeId> {
        let places = match self.positions.get(id) {
            Some(places) => places,
            None => {
                let places = Rc::new(self.places_of(id, count));
                self.positions.keep(id, &places);
                places
            }
        };
        let mut ids = Vec::new();
        for index in places.at(source, offset) {
            ids.extend(self.children(id, index..index.saturating_add(1)));
        }
        ids
    }

    fn places_of(&self, id: NodeId, count: u64) -> ChildPositions {
        let mut list = Vec::new();
        let mut start = 0;
        while let Some(node) = self.node(id).filter(|_| start < count) {
            let end = count.min(start.saturating_add(PAGE));
            let mark = self.registry.mark();
            list.extend(
                self.make(node, start..end)
                    .iter()
                    .filter_map(ChildPosition::of),
            );
            self.registry.release(mark);
            start = end;
        }
        sort::ascending(&mut list);
        ChildPositions::new(list)
    }

    fn containing(&self, ids: Vec<NodeId>, source: SourceId, offset: u64) -> Vec<NodeId> {
        let holds = |id: &NodeId| {
            self.node(*id).is_some_and(|n| {
                n.bits.is_none()
                    && n.extent()
                        .is_some_and(|e| e.source == source && e.contains_offset(offset))
            })
        };
        ids.into_iter().filter(holds).collect()
    }

    fn indices_at(&self, node: &Node, offset: u64) -> Option<Vec<u64>> {
        let Some((expander, item)) = self.expander(node) else {
            return Some(Vec::new());
        };
        expander.index_at(item, offset, &self.sources)
    }

    /// Returns the leaves that have bytes in `span`, by position, at most `limit` of them.
    pub fn leaves(&self, span: Span, limit: usize) -> Vec<Leaf> {
        let mut leaves = Vec::new();
        let mark = self.registry.mark();
        let mut wanted = vec![span];
        while let Some(parent) = wanted.last().and_then(|s| self.sources.parent(s.source)) {
            wanted.push(parent);
        }
        self.collect_leaves(self.root(), &wanted, limit, 0, &mut leaves);
        self.registry.release(mark);
        sort::by_key(&mut leaves, |leaf: &Leaf| leaf.span);
        leaves
    }

    /// Collects the leaves below `node`. `ancestry` contains the requested bytes, the bytes that they
    /// were decompressed from, and so on.
    fn collect_leaves(
        &self,
        node: &Node,
        ancestry: &[Span],
        limit: usize,
        depth: usize,
        out: &mut Vec<Leaf>,
    ) {
        if depth > DEPTH_MAX || out.len() >= limit {
            return;
        }
        let Some(extent) = node.extent() else { return };
        let Some(wanted) = ancestry.iter().find(|s| s.source == extent.source).copied() else {
            return;
        };
        if !extent.overlaps(wanted) {
            return;
        }
        let elsewhere = ancestry.first() != Some(&wanted);
        let packed = node.kind == NodeKind::Packed;
        let is_word = matches!(node.kind, NodeKind::Field | NodeKind::Instruction);
        if node.is_leaf() || packed || is_word {
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
            // The head of a list or mapping is an empty leaf.
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
        // If several children claim the byte, others may do so before the first of them.
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
                self.collect_leaves(&child, ancestry, limit, depth + 1, out);
            }
            at = end;
        }
    }
}
