//! Bytes and the leaves that contain them.

use crate::model::{Bytes, Document, Leaf, SourceError, Span};
use crate::worker::handler::{Answer, failed};
use crate::worker::protocol::{BYTES_MAX, LeafRow, Response};

/// Maximum number of leaves in one answer: one per byte that a screen can show.
const LEAVES_MAX: usize = 16 * 1024;

pub(crate) fn bytes(document: &Document, span: Span, with_leaves: bool) -> Answer {
    match read(document, span) {
        Ok((span, bytes)) => Answer {
            response: Response::Bytes {
                span,
                leaves: if with_leaves {
                    leaves(document, span)
                } else {
                    Vec::new()
                },
            },
            bytes: Some(bytes),
        },
        Err(error) => failed(error.to_string()),
    }
}

/// Reads the bytes of `span`, at most [`BYTES_MAX`], and returns them with their position.
///
/// # Errors
///
/// If the bytes cannot be read.
pub fn read(document: &Document, span: Span) -> Result<(Span, Bytes), SourceError> {
    let whole = document.sources.whole(span.source);
    let start = span.start.min(whole.end);
    let span = Span::new(span.source, start, span.end.min(whole.end)).subspan(0, BYTES_MAX);
    let bytes = document.sources.read(span)?;
    Ok((span, bytes))
}

/// Shades restart in each block of this many bytes.
const BLOCK: u64 = 4096;

fn leaves(document: &Document, span: Span) -> Vec<LeafRow> {
    if span.is_empty() {
        return Vec::new();
    }
    let before = span.start % BLOCK;
    let aligned = Span::new(span.source, span.start - before, span.end);
    let leaves = document.leaves(aligned, LEAVES_MAX);
    let mut shades = shades(&leaves).into_iter();
    leaves
        .into_iter()
        .filter_map(|leaf| {
            let odd = shades.next()?;
            let head = u64::from(leaf.head);
            let starts = leaf.span.start.saturating_sub(head);
            (leaf.span.end > span.start && starts < span.end).then_some(LeafRow {
                start: leaf.span.start,
                end: leaf.span.end,
                head: leaf.head,
                area: leaf.area,
                kind: leaf.kind,
                odd,
            })
        })
        .collect()
}

/// Returns a shade for each leaf. Neighbors differ, and a leaf has the same shade in every
/// requested range.
///
/// Alternating by index works within a record, but the last field of one record and the first of
/// the next may be equal: then the later one changes. Such changes propagate, so shades restart in
/// each block; a leaf that crosses into another block always has the shade of its index.
fn shades(leaves: &[Leaf]) -> Vec<bool> {
    let mut before: Option<(u64, bool)> = None;
    leaves
        .iter()
        .map(|leaf| {
            let last_byte = leaf.span.end.saturating_sub(1);
            let (first, last) = (leaf.span.start / BLOCK, last_byte / BLOCK);
            let by_place = leaf.index % 2 == 1;
            let odd = match before {
                Some((block, odd)) if block == first && first >= last => !odd,
                _ => by_place,
            };
            before = Some((last, odd));
            odd
        })
        .collect()
}
