//! Which bytes of the two files differ: what marks the rows of their trees.

use std::collections::BTreeSet;

use super::Comparison;
use super::entry::{Change, Entry};
use crate::model::source::Sources;
use crate::model::span::{SourceId, Span};

/// So many runs of bytes are told apart on each side; further ones are joined with their neighbours.
pub const RUNS_MAX: usize = 1 << 15;

/// The bytes of the first file and of the second that differ in meaning: by position, apart from
/// each other, none of them empty. Of what was added or removed, all of it; of what was changed, the
/// values, and the code. With something that is unpacked, the bytes that it is packed in.
pub fn differing(
    comparison: &Comparison,
    (one, other): (&Sources, &Sources),
) -> (Vec<Span>, Vec<Span>) {
    let (mut a, mut b) = (Vec::new(), Vec::new());
    for entry in &comparison.entries {
        collect(entry, &mut a, &mut b);
    }
    (joined(with_packed(a, one)), joined(with_packed(b, other)))
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

/// The spans by position, those that overlap or touch as one; where they are too many, those that
/// are near, too.
fn joined(mut spans: Vec<Span>) -> Vec<Span> {
    spans.retain(|span| !span.is_empty());
    spans.sort_unstable();
    let mut near = 0;
    loop {
        let mut runs: Vec<Span> = Vec::new();
        for span in &spans {
            match runs.last_mut() {
                Some(last)
                    if last.source == span.source
                        && span.start <= last.end.saturating_add(near) =>
                {
                    last.end = last.end.max(span.end);
                }
                _ => runs.push(*span),
            }
        }
        // The sources remain: a run never joins two of them.
        if runs.len() <= RUNS_MAX || near > 1 << 40 {
            return runs;
        }
        near = (near * 4).max(16);
        spans = runs;
    }
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
        assert_eq!(joined(spans), [span(0, 6), span(8, 9)]);
    }

    #[test]
    fn too_many_runs_are_joined() {
        let many = (0..4 * RUNS_MAX as u64).map(|at| span(at * 8, at * 8 + 1));
        let far = span(1 << 30, (1 << 30) + 1);
        let runs = joined(many.chain([far]).collect());
        assert_eq!(runs, [span(0, 32 * RUNS_MAX as u64 - 7), far]);
    }
}
