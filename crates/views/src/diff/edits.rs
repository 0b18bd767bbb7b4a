//! The shortest list of edits between two sequences: E. W. Myers, "An O(ND) difference algorithm
//! and its variations", 1986.
//!
//! The search traverses a table: at the point (x, y), x elements of the first sequence and y of the
//! second are done. An edit moves right (removes an element of the first) or down (adds one of the
//! second); equal elements move along the diagonal x − y at no cost. After d edits the diagonals
//! −d, −d + 2 … d are reached; here they are numbered 0, 1, 2 … d.

use std::ops::Range;

use super::work::Work;

/// Marks a diagonal that was not reached; other values are x + 1 for the furthest x.
const UNREACHED: u32 = 0;

/// A search, edit by edit.
pub(super) struct Search<'s> {
    a: &'s [u32],
    b: &'s [u32],
    /// The furthest point on each diagonal, row by row. Each row ends with [`UNREACHED`].
    places: Vec<u32>,
    /// A row for each number of edits.
    rows: Vec<Row>,
}

/// The diagonals for a number of edits that can still lead to the end. Once one is past the end of
/// a sequence, those beyond it cannot, and neither can its neighbors after the next edit.
#[derive(Clone, Copy, Default)]
struct Row {
    /// Index of its first diagonal in the list.
    start: usize,
    /// Number of its first diagonal.
    first: usize,
    /// Number of its last diagonal.
    last: usize,
    /// Whether a diagonal is past the end of the second sequence.
    is_past_b: bool,
    /// Whether a diagonal is past the end of the first sequence.
    is_past_a: bool,
}

/// An edit: a range of the first sequence, and its replacement from the second.
pub(super) type Edit = (Range<usize>, Range<usize>);

impl<'s> Search<'s> {
    pub fn new(a: &'s [u32], b: &'s [u32]) -> Search<'s> {
        Search {
            a,
            b,
            places: Vec::new(),
            rows: Vec::new(),
        }
    }

    /// Finds the shortest list, if it has at most `most` edits and the work suffices.
    pub fn run(mut self, most: usize, work: &mut Work) -> Option<Vec<Edit>> {
        for _ in 0..=most.min(self.a.len() + self.b.len()) {
            let (walked, is_found) = self.step();
            work.spend(walked);
            if is_found {
                return Some(self.edits());
            }
            if work.is_over() {
                break;
            }
        }
        None
    }

    /// Allows one more edit (none at first). Returns the work, and whether it has reached the end.
    fn step(&mut self) -> (u64, bool) {
        let (n, m) = (number(self.a.len()), number(self.b.len()));
        let start = self.places.len();
        let edits = self.rows.len();
        let mut row = self.rows.last().map_or_else(Row::default, |before| Row {
            start,
            first: before.first + usize::from(before.is_past_b),
            last: before.last + usize::from(!before.is_past_a),
            ..*before
        });
        let count = (row.last + 1).saturating_sub(row.first);
        self.places.resize(start + count + 1, UNREACHED);
        let (done, now) = self.places.split_at_mut(start);
        let before = self.rows.last().and_then(|before| done.get(before.start..));
        // Above each diagonal is the one on its right; the one on its left comes before that.
        let mut above = before.unwrap_or(&[UNREACHED]).iter();
        let mut left = if row.is_past_b {
            above.next().copied().unwrap_or(UNREACHED)
        } else {
            UNREACHED
        };
        let mut walked = count as u64;
        let mut is_found = false;
        // y − x.
        let mut down = number(edits).wrapping_sub(number(2 * row.first));
        let diagonals = (row.first..).zip(now.iter_mut().take(count).zip(above));
        for (at, (place, right)) in diagonals {
            let mut x = (*right).max(left + 1) - 1;
            let mut y = x.wrapping_add(down);
            left = *right;
            down = down.wrapping_sub(2);
            if x > n {
                row.is_past_a = true;
                row.last = at.saturating_sub(1);
                break;
            }
            if y > m {
                row.is_past_b = true;
                row.start += at + 1 - row.first;
                row.first = at + 1;
                continue;
            }
            let from = x;
            while let (Some(one), Some(other)) = (self.a.get(x as usize), self.b.get(y as usize))
                && one == other
            {
                (x, y) = (x + 1, y + 1);
            }
            walked += u64::from(x - from);
            *place = x + 1;
            if x == n && y == m {
                is_found = true;
                break;
            }
        }
        self.places
            .truncate(row.start + (row.last + 2).saturating_sub(row.first));
        self.rows.push(row);
        (walked, is_found)
    }

    /// Returns the edits of the path to the end, in order, after the step that has reached it.
    fn edits(&self) -> Vec<Edit> {
        let (mut x, mut y) = (self.a.len(), self.b.len());
        let mut found = Vec::with_capacity(self.rows.len());
        for (edits, before) in self.rows.iter().enumerate().rev().skip(1) {
            // The number of the diagonal, and of the one on its right before the edit.
            let at = (edits + 1 + x).saturating_sub(y) / 2;
            let reached = |at: usize| {
                let place = at.checked_sub(before.first).map(|at| before.start + at);
                place.and_then(|place| self.places.get(place)).copied()
            };
            let right = reached(at).unwrap_or(UNREACHED);
            let left = at.checked_sub(1).and_then(reached).unwrap_or(UNREACHED);
            let is_down = left < right;
            let from_x = (right.max(left)).saturating_sub(1) as usize;
            let from_y = if is_down {
                (from_x + y).saturating_sub(x + 1)
            } else {
                (from_x + y + 1).saturating_sub(x)
            };
            found.push(if is_down {
                (from_x..from_x, from_y..from_y + 1)
            } else {
                (from_x..from_x + 1, from_y..from_y)
            });
            (x, y) = (from_x, from_y);
        }
        found.reverse();
        found
    }
}

fn number(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}
