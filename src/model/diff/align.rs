//! Two sequences side by side: what is in both, and what only in one.
//!
//! The shortest edit script (E. W. Myers, "An O(ND) difference algorithm and its variations", 1986)
//! up to a number of edits. Sequences that differ more are cut at elements that occur once in both
//! (as in patience sorting), and what lies between is aligned in the same way; where nothing occurs
//! once, it is taken to differ as a whole, and the alignment says that it is not the shortest.

use std::collections::HashMap;
use std::ops::Range;

use super::work::Work;

/// The edits that are looked for at once. The search takes the square of it in time and memory.
const EDITS: usize = 1024;

/// The edits that are looked for between two elements that occur once.
const EDITS_BETWEEN: usize = 256;

/// Cuts within cuts.
const DEPTH: u32 = 16;

/// A part that differs: what stands there in the first sequence, and in the second.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Hunk {
    /// In the first sequence.
    pub a: Range<u32>,
    /// In the second.
    pub b: Range<u32>,
}

/// Two sequences side by side.
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub struct Alignment {
    /// The parts that differ, in order; between them the two are the same.
    pub hunks: Vec<Hunk>,
    /// No shorter list of differences is possible.
    pub is_shortest: bool,
}

impl Alignment {
    /// How many elements are only in the second sequence.
    pub fn added(&self) -> u64 {
        self.hunks.iter().map(|hunk| hunk.b.len() as u64).sum()
    }

    /// How many elements are only in the first sequence.
    pub fn removed(&self) -> u64 {
        self.hunks.iter().map(|hunk| hunk.a.len() as u64).sum()
    }

    /// The element of the second sequence that an element of the first is the same as; or, where it
    /// is within a part that differs, the first element of the second sequence behind that part.
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

type Part = (Range<usize>, Range<usize>);

struct Aligner<'s> {
    a: &'s [u32],
    b: &'s [u32],
    work: &'s mut Work,
    /// In order.
    hunks: Vec<Part>,
    is_shortest: bool,
}

impl Aligner<'_> {
    fn align(&mut self, (mut a, mut b): Part, edits: usize, depth: u32) {
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
        let anchors = match depth < DEPTH && !self.work.is_over() {
            true => self.anchors(&a, &b),
            false => Vec::new(),
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

    /// Finds the shortest edit script, if it has at most so many edits.
    fn shortest(&mut self, a: &Range<usize>, b: &Range<usize>, edits: usize) -> bool {
        let of_a = self.a.get(a.clone()).unwrap_or_default();
        let of_b = self.b.get(b.clone()).unwrap_or_default();
        let (n, m) = (of_a.len(), of_b.len());
        if n.abs_diff(m) > edits {
            return false;
        }
        let most = edits.min(n + m);
        // How far in `a` each diagonal k = x − y has come after 0, 1, 2 … edits: those of d edits are
        // −d, −d + 2 … d, so that each stands between two of those of d − 1 edits.
        let mut trace: Vec<u32> = Vec::new();
        for d in 0..=most {
            self.work.spend(d as u64 + 1);
            if self.work.is_over() {
                return false;
            }
            let before = trace.len() - d;
            let mut walked = 0;
            let mut left = 0;
            for at in 0..=d {
                let right = match at < d {
                    true => trace.get(before + at).map_or(0, |x| *x as usize),
                    false => 0,
                };
                let down = at == 0 || at < d && left < right;
                let mut x = if down { right } else { left + 1 };
                left = right;
                let mut y = (x + d).saturating_sub(2 * at);
                let from = x;
                while let (Some(one), Some(other)) = (of_a.get(x), of_b.get(y)) {
                    if one != other {
                        break;
                    }
                    (x, y) = (x + 1, y + 1);
                }
                walked += x - from;
                trace.push(u32::try_from(x).unwrap_or(u32::MAX));
                if x >= n && y >= m {
                    self.work.spend(walked as u64);
                    self.backtrack(&trace, d, (a.start, b.start), (n, m));
                    return true;
                }
            }
            self.work.spend(walked as u64);
        }
        false
    }

    /// Walks the trace back from the end and notes the edits.
    fn backtrack(
        &mut self,
        trace: &[u32],
        edits: usize,
        start: (usize, usize),
        (n, m): (usize, usize),
    ) {
        let (mut x, mut y) = (n, m);
        let mut found: Vec<Part> = Vec::new();
        for d in (1..=edits).rev() {
            let signed = d.cast_signed();
            let k = x.cast_signed() - y.cast_signed();
            // The diagonals after d − 1 edits.
            let before = d - 1;
            let first = before * d / 2;
            let at = |k: isize| {
                let place = usize::try_from((k + before.cast_signed()) / 2).ok();
                place
                    .and_then(|at| trace.get(first + at))
                    .map_or(0, |x| *x as usize)
            };
            let down = k == -signed || k != signed && at(k - 1) < at(k + 1);
            let from = if down { k + 1 } else { k - 1 };
            let from_x = at(from);
            let from_y = from_x.saturating_add_signed(-from);
            let (a, b) = (start.0 + from_x, start.1 + from_y);
            found.push(match down {
                true => (a..a, b..b + 1),
                false => (a..a + 1, b..b),
            });
            (x, y) = (from_x, from_y);
        }
        found.reverse();
        self.hunks.extend(found);
    }

    /// The elements that occur once in both, those of the longest rising sequence of them.
    fn anchors(&mut self, a: &Range<usize>, b: &Range<usize>) -> Vec<(usize, usize)> {
        let of_a = self.a.get(a.clone()).unwrap_or_default();
        let of_b = self.b.get(b.clone()).unwrap_or_default();
        self.work.spend(4 * (of_a.len() + of_b.len()) as u64);
        // Where an element is in each, or that it is there more often.
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
        once.sort_unstable();
        // The last of each length, and which comes before it.
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
#[path = "align_tests.rs"]
mod tests;
