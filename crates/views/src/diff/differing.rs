//! The bytes that differ between two files, which mark the rows of their trees.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::Comparison;
use super::entry::{Change, Entry};
use zeview_analysis::kernel_order;
use zeview_core::model::{Document, SourceId, Sources, Span, UnpackedSource, number_of, sort};

/// Maximum number of runs on each side; further ones are merged with their neighbors.
pub const RUNS_MAX: usize = 1 << 15;

/// The parts of a file that differ from another file.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct DifferenceIndex {
    /// The bytes: disjoint non-empty runs, sorted by position. At most 32 768.
    pub bytes: Vec<Span>,
    /// The indices of the kernels with such bytes in their parts, ascending; empty for a file
    /// without an order by kernel.
    pub kernels: Vec<u32>,
    /// Whether parts that belong to no kernel have such bytes.
    pub rest: bool,
    /// The unpacked sources of such bytes, by number. Another decoder of the same file may have
    /// numbered them differently.
    pub sources: Vec<UnpackedSource>,
}

/// Returns the bytes of the first and the second file that differ in meaning: the whole item if it
/// was added or removed, otherwise the values and the code. For unpacked data, they include the
/// packed bytes.
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
        // If the files have the same meaning, no kernel has to be searched.
        let order = if exact.is_empty() {
            None
        } else {
            kernel_order::kernel_order(document)
        };
        let (kernels, rest) = order.map_or_else(Default::default, |order| {
            order.parts_with(|part| overlaps(&exact, part))
        });
        let mut sources: Vec<UnpackedSource> = Vec::new();
        for run in &exact {
            // Runs are sorted by source, and parents have smaller numbers.
            if sources.last().is_none_or(|last| last.id != run.source) {
                sources.extend(document.sources.unpacked_source(run.source));
            }
        }
        DifferenceIndex {
            bytes: bounded(exact),
            kernels,
            rest,
            sources,
        }
    }

    /// Returns the bytes with the numbers that another decoder of the file gave to its sources, as
    /// from [`Sources::numbers_of`]. Bytes of sources without a number are left out.
    pub fn renumbered(&self, numbers: &[(SourceId, SourceId)]) -> Vec<Span> {
        let renumbered = self.bytes.iter().filter_map(|span| {
            let source = match span.source {
                SourceId::FILE => SourceId::FILE,
                source => number_of(numbers, source)?,
            };
            Some(Span { source, ..*span })
        });
        let mut renumbered: Vec<Span> = renumbered.collect();
        sort::ascending(&mut renumbered);
        renumbered
    }
}

/// Whether a span overlaps one of the runs, which are sorted and disjoint.
pub fn overlaps(runs: &[Span], span: Span) -> bool {
    let after = runs.partition_point(|run| (run.source, run.end) <= (span.source, span.start));
    let first = runs.get(after);
    first.is_some_and(|run| run.source == span.source && run.start < span.end)
}

fn with_packed(mut spans: Vec<Span>, sources: &Sources) -> Vec<Span> {
    let found: BTreeSet<SourceId> = sort::set(spans.iter().map(|span| span.source));
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

/// Sorts spans by position, and merges those that overlap, touch, or are at most `near` bytes
/// apart.
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

/// Merges neighboring runs if there are too many.
fn bounded(mut runs: Vec<Span>) -> Vec<Span> {
    let mut near = 16;
    // This terminates with one run per source: runs of different sources are never merged.
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
