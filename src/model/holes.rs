//! The bytes of a file that nothing explains, and those that only fill up, each counted once: parts
//! may lie over each other, and documents that are opened late add theirs.

use super::span::Span;
use super::summary::Coverage;
use crate::model::sort;

/// Holes that a decoder has found.
#[derive(Debug, Clone, Default)]
pub struct Holes {
    /// Bytes that nothing explains.
    pub gaps: Vec<Span>,
    /// Bytes that only fill up to an alignment.
    pub padding: Vec<Span>,
    /// How many bytes more than one section or table claims.
    pub overlap: u64,
}

/// How the bytes of a file are accounted for, as far as its holes are known.
pub(crate) struct Accounts {
    whole: Span,
    gaps: Runs,
    padding: Runs,
}

impl Accounts {
    /// Without holes.
    pub(crate) fn new(whole: Span) -> Accounts {
        Accounts {
            whole,
            gaps: Runs::default(),
            padding: Runs::default(),
        }
    }

    /// Counts more holes. Gaps count before padding.
    pub(crate) fn add(&mut self, holes: Holes, coverage: &mut Coverage) {
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

    /// What of the spans is in the file, by position: so runs grow at their end.
    fn of_file(&self, mut spans: Vec<Span>) -> Vec<Span> {
        spans.retain(|span| span.overlaps(self.whole));
        spans
            .iter_mut()
            .for_each(|span| *span = span.intersect(self.whole));
        sort::ascending(&mut spans);
        spans
    }
}

/// Runs of bytes of one source, by position, apart from each other.
#[derive(Default)]
struct Runs(Vec<Span>);

impl Runs {
    /// The parts of a span that are in none of them.
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

    /// Adds a span; those that it touches become one with it.
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
        // The same again, and over the end of the file.
        assert_eq!(counts(holes(&[(12, 18)], &[(31, 39), (95, 120)])), (20, 10));
        // A gap over padding, padding over a gap.
        assert_eq!(counts(holes(&[(18, 35)], &[(19, 41)])), (11, 25));
        assert_eq!(counts(holes(&[(0, 100)], &[(0, 100)])), (0, 100));
        assert_eq!(counts(holes(&[], &[(50, 60)])), (0, 100));
    }
}
