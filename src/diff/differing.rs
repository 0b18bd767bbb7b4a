//! Which bytes of the two files differ: what marks the rows of their trees.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::Comparison;
use super::entry::{Change, Entry};
use crate::model::{Document, SourceId, Sources, Span, sort};

/// So many runs of bytes are told apart on each side; further ones are joined with their neighbours.
pub const RUNS_MAX: usize = 1 << 15;

/// What of a file differs from another one.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct DifferenceIndex {
    /// The bytes: by position, apart from each other, none of them empty. At most 32 768 runs.
    pub bytes: Vec<Span>,
    /// The kernels that have such bytes in one of their parts, by their place in the list of kernels,
    /// ascending; none of a file that has no order by kernel.
    pub kernels: Vec<u32>,
    /// So has what belongs to no kernel.
    pub rest: bool,
}

/// What of the first file and of the second differs in meaning. Of what was added or removed it is all
/// of it; of what was changed, the values, and the code. With something that is unpacked, the bytes that
/// it is packed in.
pub fn differing(
    comparison: &Comparison,
    (one, other): (&Document, &Document),
) -> (DifferenceIndex, DifferenceIndex) {
    let (mut a, mut b) = (Vec::new(), Vec::new());
    for entry in &comparison.entries {
        collect(entry, &mut a, &mut b);
    }
    (DifferenceIndex::new(a, one), DifferenceIndex::new(b, other))
}

impl DifferenceIndex {
    fn new(spans: Vec<Span>, document: &Document) -> DifferenceIndex {
        let exact = joined(with_packed(spans, &document.sources), 0);
        // Of files that mean the same nothing has to be looked for.
        let order = if exact.is_empty() {
            None
        } else {
            document.kernel_order()
        };
        let (kernels, rest) = order.map_or_else(Default::default, |order| {
            order.parts_with(|part| overlaps(&exact, part))
        });
        DifferenceIndex {
            bytes: bounded(exact),
            kernels,
            rest,
        }
    }

    /// Do any of these bytes differ?
    pub fn has(&self, span: Span) -> bool {
        overlaps(&self.bytes, span)
    }
}

/// Does one of the runs, which are by position and apart from each other, have bytes of a span?
fn overlaps(runs: &[Span], span: Span) -> bool {
    let after = runs.partition_point(|run| (run.source, run.end) <= (span.source, span.start));
    let first = runs.get(after);
    first.is_some_and(|run| run.source == span.source && run.start < span.end)
}

fn with_packed(mut spans: Vec<Span>, sources: &Sources) -> Vec<Span> {
    let found: BTreeSet<SourceId> = spans.iter().map(|span| span.source).collect();
    for mut source in found {
        while let Some(packed) = sources.parent(source) {
            spans.push(packed);
            source = packed.source;
        }
    }
    spans
}

fn collect(entry: &Entry, a: &mut Vec<Span>, b: &mut Vec<Span>) {
    let code = entry.code.as_ref().filter(|code| !code.equal);
    let has_parts = code.is_some() || !entry.fields.is_empty();
    let is_whole = matches!(entry.change, Change::Added | Change::Removed);
    if is_whole || !has_parts {
        a.extend(entry.a);
        b.extend(entry.b);
    }
    if let Some(code) = code {
        a.push(code.a);
        b.push(code.b);
    }
    for field in &entry.fields {
        a.extend(field.from.as_ref().and_then(|side| side.span));
        b.extend(field.to.as_ref().and_then(|side| side.span));
    }
}

/// The spans by position, those that overlap or touch as one, and those that are no further apart than
/// so many bytes.
fn joined(mut spans: Vec<Span>, near: u64) -> Vec<Span> {
    spans.retain(|span| !span.is_empty());
    sort::ascending(&mut spans);
    let mut runs: Vec<Span> = Vec::new();
    for span in spans {
        match runs.last_mut() {
            Some(last)
                if last.source == span.source && span.start <= last.end.saturating_add(near) =>
            {
                last.end = last.end.max(span.end);
            }
            _ => runs.push(span),
        }
    }
    runs
}

/// Where the runs are too many, those that are near as one.
fn bounded(mut runs: Vec<Span>) -> Vec<Span> {
    let mut near = 16;
    // The sources remain: a run never joins two of them.
    while runs.len() > RUNS_MAX && near <= 1 << 40 {
        runs = joined(runs, near);
        near *= 4;
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(start: u64, end: u64) -> Span {
        Span::new(SourceId::FILE, start, end)
    }

    #[test]
    fn spans_that_touch_are_one_run() {
        let spans = vec![span(8, 9), span(0, 4), span(4, 6), span(5, 5), span(2, 3)];
        assert_eq!(joined(spans, 0), [span(0, 6), span(8, 9)]);
    }

    #[test]
    fn bytes_that_differ_are_found() {
        let runs = [span(4, 6), span(8, 9)];
        let found = |start, end| overlaps(&runs, span(start, end));
        assert!(found(0, 5) && found(5, 6) && found(6, 20) && found(0, 90) && found(5, 5));
        assert!(!found(0, 4) && !found(6, 8) && !found(9, 20) && !found(6, 6));
        let unpacked = Span::new(SourceId(1), 4, 6);
        assert!(!overlaps(&runs, unpacked));
    }

    #[test]
    fn too_many_runs_are_joined() {
        let many = (0..4 * RUNS_MAX as u64).map(|at| span(at * 8, at * 8 + 1));
        let far = span(1 << 30, (1 << 30) + 1);
        let runs = bounded(joined(many.chain([far]).collect(), 0));
        assert_eq!(runs, [span(0, 32 * RUNS_MAX as u64 - 7), far]);
    }
}
