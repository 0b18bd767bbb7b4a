//! The shortest list of edits that makes one sequence of another: E. W. Myers, "An O(ND) difference
//! algorithm and its variations", 1986.
//!
//! The search goes through a table: x elements of the first sequence and y of the second are done at
//! the place (x, y). An edit goes right (an element of the first is left out) or down (one of the
//! second is added); elements that are the same lead further on the diagonal x − y for nothing. After
//! d edits the diagonals −d, −d + 2 … d are reached; here they have the numbers 0, 1, 2 … d.

use std::ops::Range;

use super::work::Work;

/// A diagonal that nobody has come to; otherwise x + 1, where x is how far in the first sequence.
const NOBODY: u32 = 0;

/// A search, edit by edit.
pub(super) struct Search<'s> {
    a: &'s [u32],
    b: &'s [u32],
    /// How far each diagonal has come, row by row. Behind the last diagonal of a row stands
    /// [`NOBODY`].
    places: Vec<u32>,
    /// A row for each number of edits.
    rows: Vec<Row>,
}

/// The diagonals of some number of edits that can still lead to the end. Where one has come past the
/// end of a sequence, those beyond it cannot, and neither can its neighbours after the next edit.
#[derive(Clone, Copy, Default)]
struct Row {
    /// Where its first diagonal stands in the list.
    start: usize,
    /// The number of its first diagonal.
    first: usize,
    /// The number of its last.
    last: usize,
    /// Some came past the end of the second sequence.
    is_past_b: bool,
    /// Some came past the end of the first sequence.
    is_past_a: bool,
}

/// An edit: what is taken out of the first sequence, and what of the second stands there.
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

    /// Finds the shortest list, if it has at most so many edits and the work is not over before.
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

    /// Allows one edit more, none at first. Returns how much work that was, and whether it has come to
    /// the end.
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
        self.places.resize(start + count + 1, NOBODY);
        let (done, now) = self.places.split_at_mut(start);
        let before = self.rows.last().and_then(|before| done.get(before.start..));
        // Above each diagonal is the one on its right; the one on its left came before that.
        let mut above = before.unwrap_or(&[NOBODY]).iter();
        let mut left = if row.is_past_b {
            above.next().copied().unwrap_or(NOBODY)
        } else {
            NOBODY
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

    /// The edits of the way to the end, in order; after the step that has come there.
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
            let right = reached(at).unwrap_or(NOBODY);
            let left = at.checked_sub(1).and_then(reached).unwrap_or(NOBODY);
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
