//! Accounting of gaps and padding. Each byte counts once, although parts may overlap and documents
//! that are opened later add theirs.

use super::span::Span;
use super::summary::Coverage;
use crate::model::sort;

/// The holes that a decoder found.
#[derive(Debug, Clone, Default)]
pub struct Holes {
    /// Bytes that nothing explains.
    pub gaps: Vec<Span>,
    /// Bytes that only fill up to an alignment.
    pub padding: Vec<Span>,
    /// Number of bytes claimed by more than one section or table.
    pub overlap: u64,
}

/// The accounting of a file's bytes, for the holes found so far.
pub struct Accounts {
    whole: Span,
    gaps: Runs,
    padding: Runs,
}

impl Accounts {
    /// Creates an accounting without holes.
    pub fn new(whole: Span) -> Accounts {
        Accounts {
            whole,
            gaps: Runs::default(),
            padding: Runs::default(),
        }
    }

    /// Adds holes. Gaps take precedence over padding.
    pub fn add(&mut self, holes: Holes, coverage: &mut Coverage) {
        coverage.overlap = coverage.overlap.saturating_add(holes.overlap);
        for gap in self.of_file(holes.gaps) {
            for part in self.gaps.missing(gap) {
                let missing = self.padding.missing(part).into_iter();
                let explained = missing.map(Span::len).sum();
                let padding = part.len().saturating_sub(explained);
                coverage.gap = coverage.gap.saturating_add(part.len());
                coverage.explained = coverage.explained.saturating_sub(explained);
                coverage.padding = coverage.padding.saturating_sub(padding);
            }
            self.gaps.add(gap);
        }
        for padding in self.of_file(holes.padding) {
            for part in self.padding.missing(padding) {
                let missing = self.gaps.missing(part).into_iter();
                let explained = missing.map(Span::len).sum();
                coverage.padding = coverage.padding.saturating_add(explained);
                coverage.explained = coverage.explained.saturating_sub(explained);
            }
            self.padding.add(padding);
        }
    }

    /// Clips the spans to the file and sorts them by position, so that runs grow at their end.
    fn of_file(&self, mut spans: Vec<Span>) -> Vec<Span> {
        spans.retain(|span| span.overlaps(self.whole));
        spans
            .iter_mut()
            .for_each(|span| *span = span.intersect(self.whole));
        sort::ascending(&mut spans);
        spans
    }
}

/// Disjoint runs of bytes of one source, sorted by position.
#[derive(Default)]
struct Runs(Vec<Span>);

impl Runs {
    /// Returns the parts of a span that no run covers.
    fn missing(&self, span: Span) -> Vec<Span> {
        let first = self.0.partition_point(|run| run.end <= span.start);
        let runs = self.0.iter().skip(first);
        let mut missing = Vec::new();
        let mut at = span.start;
        for run in runs.take_while(|run| run.start < span.end) {
            if at < run.start {
                missing.push(Span::new(span.source, at, run.start));
            }
            at = at.max(run.end);
        }
        if at < span.end {
            missing.push(Span::new(span.source, at, span.end));
        }
        missing
    }

    /// Adds a span, merging it with the runs that it touches.
    fn add(&mut self, span: Span) {
        let first = self.0.partition_point(|run| run.end < span.start);
        let after = self.0.partition_point(|run| run.start <= span.end);
        let touched = self.0.get(first..after).unwrap_or(&[]).iter();
        let joined = touched.fold(span, |all, run| {
            Span::new(all.source, all.start.min(run.start), all.end.max(run.end))
        });
        self.0.splice(first..after.max(first), [joined]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::span::SourceId;

    fn span(start: u64, end: u64) -> Span {
        Span::new(SourceId::FILE, start, end)
    }

    fn holes(gaps: &[(u64, u64)], padding: &[(u64, u64)]) -> Holes {
        let spans = |list: &[(u64, u64)]| list.iter().map(|(a, b)| span(*a, *b)).collect();
        Holes {
            gaps: spans(gaps),
            padding: spans(padding),
            overlap: 0,
        }
    }

    #[test]
    fn each_byte_counts_once() {
        let mut accounts = Accounts::new(span(0, 100));
        let mut coverage = Coverage {
            explained: 100,
            ..Coverage::default()
        };
        let mut counts = |found: Holes| {
            accounts.add(found, &mut coverage);
            let sum = coverage.explained + coverage.padding + coverage.gap;
            assert_eq!(sum, 100);
            (coverage.padding, coverage.gap)
        };
        assert_eq!(counts(holes(&[(10, 20)], &[(15, 25), (30, 40)])), (15, 10));
        // The same again, and past the end of the file.
        assert_eq!(counts(holes(&[(12, 18)], &[(31, 39), (95, 120)])), (20, 10));
        // A gap over padding, padding over a gap.
        assert_eq!(counts(holes(&[(18, 35)], &[(19, 41)])), (11, 25));
        assert_eq!(counts(holes(&[(0, 100)], &[(0, 100)])), (0, 100));
        assert_eq!(counts(holes(&[], &[(50, 60)])), (0, 100));
    }
}
