//! Alignment of two sequences.
//!
//! Finds the shortest list of edits, up to a limit (`table`, `edits`). Sequences that differ more
//! are cut at elements that occur once in both (as in patience sorting), and the parts in between
//! are aligned in the same manner. Parts without such elements count as entirely different, and the
//! alignment is marked as not the shortest.

use std::collections::HashMap;
use std::ops::Range;

use super::edits::{Edit, Search};
use super::table;
use super::work::Work;
use zeview_core::model::sort;

/// Maximum number of edits per search, which takes time and memory quadratic in it.
const EDITS: usize = 1024;

/// Maximum number of edits between two elements that occur once.
const EDITS_BETWEEN: usize = 256;

/// Maximum nesting of cuts.
const DEPTH: u32 = 16;

/// A differing part: its range in the first and in the second sequence.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Hunk {
    /// The range in the first sequence.
    pub a: Range<u32>,
    /// The range in the second sequence.
    pub b: Range<u32>,
}

/// An alignment of two sequences.
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub struct Alignment {
    /// The differing parts, in order; the parts in between are equal.
    pub hunks: Vec<Hunk>,
    /// Whether the list of differences is the shortest possible.
    pub is_shortest: bool,
}

impl Alignment {
    /// Returns the number of elements that are only in the second sequence.
    pub fn added(&self) -> u64 {
        self.hunks.iter().map(|hunk| hunk.b.len() as u64).sum()
    }

    /// Returns the number of elements that are only in the first sequence.
    pub fn removed(&self) -> u64 {
        self.hunks.iter().map(|hunk| hunk.a.len() as u64).sum()
    }

    /// Returns the equal element in the second sequence, and `true`; for an element in a differing
    /// part, the first element after that part in the second sequence, and `false`.
    pub fn counterpart(&self, a: u32) -> (u32, bool) {
        let after = self.hunks.partition_point(|hunk| hunk.a.start <= a);
        let last = after.checked_sub(1).and_then(|at| self.hunks.get(at));
        match last {
            Some(hunk) if hunk.a.contains(&a) => (hunk.b.end, false),
            Some(hunk) => (hunk.b.end.saturating_add(a - hunk.a.end), true),
            None => (a, true),
        }
    }
}

/// Aligns two sequences.
pub fn align(a: &[u32], b: &[u32], work: &mut Work) -> Alignment {
    let mut aligner = Aligner {
        a,
        b,
        work,
        hunks: Vec::new(),
        is_shortest: true,
    };
    let all = (0..a.len(), 0..b.len());
    aligner.align(all, EDITS, 0);
    let is_shortest = aligner.is_shortest;
    let mut hunks: Vec<Hunk> = Vec::new();
    for (a, b) in aligner.hunks {
        let number = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let (a, b) = (
            number(a.start)..number(a.end),
            number(b.start)..number(b.end),
        );
        match hunks.last_mut() {
            Some(last) if last.a.end == a.start && last.b.end == b.start => {
                last.a.end = a.end;
                last.b.end = b.end;
            }
            _ => hunks.push(Hunk { a, b }),
        }
    }
    Alignment { hunks, is_shortest }
}

struct Aligner<'s> {
    a: &'s [u32],
    b: &'s [u32],
    work: &'s mut Work,
    /// In order.
    hunks: Vec<Edit>,
    is_shortest: bool,
}

impl Aligner<'_> {
    fn align(&mut self, (mut a, mut b): Edit, edits: usize, depth: u32) {
        let (all_a, all_b) = (self.a, self.b);
        let (of_a, of_b) = (
            all_a.get(a.clone()).unwrap_or_default(),
            all_b.get(b.clone()).unwrap_or_default(),
        );
        let same = of_a.iter().zip(of_b).take_while(|(a, b)| a == b).count();
        a.start += same;
        b.start += same;
        let rest_a = of_a.get(same..).unwrap_or_default().iter().rev();
        let rest_b = of_b.get(same..).unwrap_or_default().iter().rev();
        let end = rest_a.zip(rest_b).take_while(|(a, b)| a == b).count();
        a.end -= end;
        b.end -= end;
        self.work.spend((same + end) as u64);
        if a.is_empty() && b.is_empty() {
            return;
        }
        if a.is_empty() || b.is_empty() {
            self.hunks.push((a, b));
            return;
        }
        if self.shortest(&a, &b, edits) {
            return;
        }
        self.is_shortest = false;
        let anchors = if depth < DEPTH && !self.work.is_over() {
            self.anchors(&a, &b)
        } else {
            Vec::new()
        };
        if anchors.is_empty() {
            self.hunks.push((a, b));
            return;
        }
        let (mut from_a, mut from_b) = (a.start, b.start);
        for (at_a, at_b) in anchors.into_iter().chain([(a.end, b.end)]) {
            self.align((from_a..at_a, from_b..at_b), EDITS_BETWEEN, depth + 1);
            (from_a, from_b) = (at_a + 1, at_b + 1);
        }
    }

    /// Finds the shortest edit script, if it has at most `edits` edits.
    fn shortest(&mut self, a: &Range<usize>, b: &Range<usize>, edits: usize) -> bool {
        let of_a = self.a.get(a.clone()).unwrap_or_default();
        let of_b = self.b.get(b.clone()).unwrap_or_default();
        if of_a.len().abs_diff(of_b.len()) > edits {
            return false;
        }
        let found = match table::edits(of_a, of_b) {
            Some((found, work)) => {
                self.work.spend(work);
                Some(found).filter(|found| found.len() <= edits)
            }
            None => Search::new(of_a, of_b).run(edits, self.work),
        };
        let is_found = found.is_some();
        let at = |start: usize, edit: Range<usize>| start + edit.start..start + edit.end;
        let found = found.into_iter().flatten();
        self.hunks
            .extend(found.map(|(x, y)| (at(a.start, x), at(b.start, y))));
        is_found
    }

    /// Returns the elements that occur once in both, reduced to a longest increasing subsequence.
    fn anchors(&mut self, a: &Range<usize>, b: &Range<usize>) -> Vec<(usize, usize)> {
        let of_a = self.a.get(a.clone()).unwrap_or_default();
        let of_b = self.b.get(b.clone()).unwrap_or_default();
        self.work.spend(4 * (of_a.len() + of_b.len()) as u64);
        // The position of an element in each, and whether it is repeated.
        let mut places: HashMap<u32, (Option<usize>, Option<usize>, bool)> = HashMap::new();
        for (at, element) in of_a.iter().enumerate() {
            let entry = places.entry(*element).or_default();
            entry.2 |= entry.0.is_some();
            entry.0 = Some(at);
        }
        for (at, element) in of_b.iter().enumerate() {
            let entry = places.entry(*element).or_default();
            entry.2 |= entry.1.is_some();
            entry.1 = Some(at);
        }
        let mut once: Vec<(usize, usize)> = places
            .into_values()
            .filter(|(.., often)| !often)
            .filter_map(|(a, b, _)| Some((a?, b?)))
            .collect();
        sort::ascending(&mut once);
        // The last element for each length, and its predecessor.
        let mut tops: Vec<usize> = Vec::new();
        let mut before: Vec<Option<usize>> = Vec::with_capacity(once.len());
        for (at, (_, place)) in once.iter().enumerate() {
            let length = tops.partition_point(|top| once.get(*top).is_some_and(|o| o.1 < *place));
            before.push(length.checked_sub(1).and_then(|l| tops.get(l)).copied());
            match tops.get_mut(length) {
                Some(top) => *top = at,
                None => tops.push(at),
            }
        }
        let mut found = Vec::new();
        let mut next = tops.last().copied();
        while let Some(at) = next {
            found.extend(once.get(at).map(|(x, y)| (a.start + x, b.start + y)));
            next = before.get(at).copied().flatten();
        }
        found.reverse();
        found
    }
}

#[cfg(test)]
mod tests;
