//! Parts of a container that numbers in it tell the places of: in the order of their bytes,
//! with what lies between them. As a [`Layout`](super::layout::Layout), but of thousands of parts:
//! each is three numbers, and its row is made when somebody looks at it.

use super::context::Context;
use super::layout::is_zero;
use super::limits;
use super::rules;
use crate::model::{Doc, Node, SourceId, Span};

/// A part of a container.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece {
    /// Its bytes.
    pub start: u64,
    /// The byte after the last one.
    pub end: u64,
    /// What it is: a number of the container, [`PADDING`] or [`GAP`].
    pub what: u64,
}

impl Piece {
    /// The bytes of a span.
    pub fn new(what: u64, span: Span) -> Piece {
        Piece {
            start: span.start,
            end: span.end,
            what,
        }
    }

    /// Are these its bytes?
    pub fn is(self, span: Span) -> bool {
        (self.start, self.end) == (span.start, span.end)
    }
}

/// Zero bytes up to the next part.
pub const PADDING: u64 = u64::MAX;
/// Bytes that nothing refers to.
pub const GAP: u64 = u64::MAX - 1;

/// A number that says which of a kind of parts it is: the kind in the highest byte.
pub const fn id(kind: u8, index: u64) -> u64 {
    ((kind as u64) << 56) | (index & INDEX)
}

const INDEX: u64 = (1 << 56) - 1;

/// The kind and the number of an [`id`].
pub fn split(id: u64) -> (u8, u64) {
    (u8::try_from(id >> 56).unwrap_or(0), id & INDEX)
}

const PADDING_DOC: Doc = Doc {
    text: "Zero bytes up to the next part's alignment.",
    source: "",
    known: &[],
};

const GAP_DOC: Doc = Doc {
    text: "Nothing in the container refers to these bytes.",
    source: "",
    known: &[],
};

/// The parts of a container or of a table in it; together they hold every byte of it, each
/// once.
#[derive(Debug, Default)]
pub struct Pieces {
    source: SourceId,
    list: Vec<Piece>,
}

impl Pieces {
    /// Puts the parts of `whole` in order, and adds what lies between them. A byte that several
    /// claim goes to the first of them: what is left of the others may be nothing, then they
    /// have no row here. `name` says what a part is, for the report.
    pub fn arrange(
        cx: &Context<'_>,
        whole: Span,
        mut claims: Vec<Piece>,
        name: &dyn Fn(u64) -> String,
    ) -> Pieces {
        claims.sort_by(|a, b| (a.start, b.end, a.what).cmp(&(b.start, a.end, b.what)));
        let mut list: Vec<Piece> = Vec::with_capacity(claims.len());
        let mut at = whole.start;
        let mut holes = 0;
        for claim in claims {
            let end = claim.end.min(whole.end);
            let start = claim.start.clamp(whole.start, whole.end);
            if start >= end {
                continue;
            }
            if start > at {
                holes += 1;
                let hole = Span::new(whole.source, at, start);
                list.push(fill(cx, hole, holes <= limits::HOLES));
            } else if let Some(before) = list.last().filter(|_| start < at) {
                let shared = Span::new(whole.source, start, end.min(at));
                cx.report(
                    &rules::SHARED_BYTES,
                    shared,
                    format_args!(
                        "{} and {} share {} bytes",
                        name(before.what),
                        name(claim.what),
                        shared.len()
                    ),
                );
            }
            let start = start.max(at);
            if start < end {
                let what = claim.what;
                list.push(Piece { start, end, what });
                at = end;
            }
        }
        if at < whole.end {
            let hole = Span::new(whole.source, at, whole.end);
            list.push(fill(cx, hole, true));
        }
        Pieces {
            source: whole.source,
            list,
        }
    }

    /// How many there are.
    pub fn len(&self) -> u64 {
        self.list.len() as u64
    }

    /// Not a single one.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// One of them.
    pub fn get(&self, index: u64) -> Option<(u64, Span)> {
        let piece = self.list.get(usize::try_from(index).ok()?)?;
        Some((piece.what, Span::new(self.source, piece.start, piece.end)))
    }

    /// Which one holds the byte.
    pub fn index_at(&self, offset: u64) -> u64 {
        self.list.partition_point(|piece| piece.end <= offset) as u64
    }

    /// All of them.
    pub fn list(&self) -> &[Piece] {
        &self.list
    }
}

fn fill(cx: &Context<'_>, hole: Span, may_read: bool) -> Piece {
    if may_read && hole.len() <= limits::PADDING && is_zero(cx.sources, hole) {
        cx.padding(hole);
        return Piece::new(PADDING, hole);
    }
    cx.gap(hole);
    cx.report(
        &rules::GAP,
        hole,
        format_args!("{} bytes belong to no part of the container", hole.len()),
    );
    Piece::new(GAP, hole)
}

/// The row of what lies between parts; nothing for a part.
pub fn filler(what: u64, span: Span) -> Option<Node> {
    match what {
        PADDING => Some(Node::padding(span).doc(&PADDING_DOC)),
        GAP => Some(Node::gap("gap", span).doc(&GAP_DOC)),
        _ => None,
    }
}
