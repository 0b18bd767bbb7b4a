//! Parts of a container in the order of their bytes, with what lies between them.

use super::context::Context;
use super::limits;
use super::rules;
use crate::model::{Doc, Expand, Node, NodeKind, Rows, Sources, Span};

/// So many of the parts that claim one byte are found: in a hostile file it may be all.
const OWNERS: usize = 8;

const PADDING_DOC: Doc = Doc {
    text: "Zero bytes up to the next part's alignment.",
    source: "",
    known: &[],
};

const GAP_DOC: Doc = Doc {
    text: "No header, table or section refers to these bytes.",
    source: "",
    known: &[],
};

/// The parts of a container, in file order; together they hold every byte of it.
#[derive(Debug)]
pub struct Layout {
    parts: Vec<Node>,
    /// No part starts before its predecessor ends: a byte is found by bisection.
    disjoint: bool,
}

impl Layout {
    /// Puts `parts` in order, cuts them to `whole`, and adds nodes for the bytes between
    /// them. Reports overlaps and gaps.
    pub fn arrange(cx: &Context<'_>, whole: Span, mut parts: Vec<Node>) -> Layout {
        for part in &mut parts {
            part.span = part.span.map(|s| {
                Span::new(
                    whole.source,
                    s.start.clamp(whole.start, whole.end),
                    s.end.min(whole.end),
                )
            });
        }
        parts.sort_by_key(|p| p.span.map(|s| (s.start, std::cmp::Reverse(s.end))));
        let holes = find_holes(whole, &parts);
        let disjoint = check_overlaps(cx, &parts);
        for (number, hole) in holes.into_iter().enumerate() {
            parts.push(hole_node(cx, hole, number < limits::HOLES));
        }
        parts.sort_by_key(|p| p.span.map(|s| (s.start, std::cmp::Reverse(s.end))));
        Layout { parts, disjoint }
    }

    /// How many rows there are.
    pub fn len(&self) -> u64 {
        self.parts.len() as u64
    }

    /// A container without a single byte.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }
}

/// The bytes that no part claims.
fn find_holes(whole: Span, parts: &[Node]) -> Vec<Span> {
    let mut holes = Vec::new();
    let mut at = whole.start;
    for span in parts.iter().filter_map(|p| p.span) {
        if span.start > at && !span.is_empty() {
            holes.push(Span::new(whole.source, at, span.start));
        }
        if !span.is_empty() {
            at = at.max(span.end);
        }
    }
    if at < whole.end {
        holes.push(Span::new(whole.source, at, whole.end));
    }
    holes
}

fn check_overlaps(cx: &Context<'_>, parts: &[Node]) -> bool {
    let mut disjoint = true;
    let mut last: Option<(Span, &Node)> = None;
    let mut counted = 0;
    for part in parts {
        let Some(span) = part.span.filter(|s| !s.is_empty()) else {
            continue;
        };
        if let Some((before, node)) = last.filter(|(before, _)| before.overlaps(span)) {
            disjoint = false;
            let shared = span.intersect(before);
            // A byte that three parts claim counts once.
            cx.overlap(shared.from(counted - shared.start.min(counted)).len());
            counted = counted.max(shared.end);
            cx.report_with(
                &rules::OVERLAP,
                shared,
                format_args!(
                    "{} and {} share {} bytes",
                    node.name,
                    part.name,
                    shared.len()
                ),
                &[(before, "the first"), (span, "the second")],
                None,
            );
        }
        if last.is_none_or(|(before, _)| before.end < span.end) {
            last = Some((span, part));
        }
    }
    disjoint
}

fn hole_node(cx: &Context<'_>, hole: Span, may_read: bool) -> Node {
    if may_read && hole.len() <= limits::PADDING && is_zero(cx.sources, hole) {
        cx.padding(hole);
        return Node::padding(hole).doc(&PADDING_DOC);
    }
    cx.gap(hole);
    cx.report(
        &rules::GAP,
        hole,
        format_args!("{} bytes belong to no part of the file", hole.len()),
    );
    Node::gap("gap", hole).doc(&GAP_DOC)
}

/// Are all these bytes zero?
pub fn is_zero(sources: &Sources, span: Span) -> bool {
    sources
        .read(span)
        .is_ok_and(|bytes| bytes.iter().all(|b| *b == 0))
}

impl Expand for Layout {
    fn count(&self, _item: u64, _sources: &Sources) -> u64 {
        self.len()
    }

    fn rows(&self, _item: u64, range: std::ops::Range<u64>, out: &mut Rows<'_>) {
        let from = usize::try_from(range.start).unwrap_or(usize::MAX);
        let to = usize::try_from(range.end).unwrap_or(usize::MAX);
        for part in self
            .parts
            .get(from..to.min(self.parts.len()))
            .unwrap_or(&[])
        {
            out.push(part.clone());
        }
    }

    fn index_at(&self, _item: u64, offset: u64, _sources: &Sources) -> Option<Vec<u64>> {
        let after = self
            .parts
            .partition_point(|p| p.span.is_some_and(|s| s.start <= offset));
        let before = self.parts.get(..after).unwrap_or(&[]);
        let holds = |p: &Node| p.span.is_some_and(|s| s.holds(offset));
        let indices = before.iter().enumerate().rev();
        if self.disjoint {
            // Parts without bytes may stand between the byte and the part that holds it.
            let at = indices
                .take_while(|(_, p)| holds(p) || p.span.is_some_and(Span::is_empty))
                .find(|(_, p)| holds(p));
            return Some(at.map(|(i, _)| i as u64).into_iter().collect());
        }
        // The last that starts before the byte is the one that says most about it.
        let all = indices
            .filter(|(_, p)| holds(p))
            .map(|(i, _)| i as u64)
            .take(OWNERS)
            .collect();
        Some(all)
    }
}

/// Is the node one that [`Layout::arrange`] has added?
pub fn is_filler(node: &Node) -> bool {
    matches!(node.kind, NodeKind::Gap | NodeKind::Padding)
}
