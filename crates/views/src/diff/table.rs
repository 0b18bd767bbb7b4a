//! The shortest list of edits between two sequences, by a table of their common subsequences: for
//! sequences that are short enough for the table.
//!
//! The entry (x, y) of the table is the length of the longest common subsequence of the first x
//! elements of one and the first y of the other. A row has a bit for each step of y: 0 where the
//! length grows. So a machine word holds 64 entries, and is computed at once from the one above (H.
//! Hyyrö, "Bit-parallel LCS-length computation revisited", 2004).
//!
//! Of several shortest lists it finds the one that [`Search`](super::edits::Search) finds.

use super::edits::Edit;
use zeview_core::model::sort;

/// Maximum length of a sequence: the table takes 128 KB, and so do the positions of all elements.
const LONGEST: usize = 1024;

const BITS: usize = u64::BITS as usize;

/// The table of two sequences.
struct Table {
    /// Words per row.
    width: usize,
    /// The rows, for 0, 1, 2 … elements of the first sequence.
    words: Vec<u64>,
}

impl Table {
    fn new(a: &[u32], b: &[u32]) -> Table {
        let width = b.len().div_ceil(BITS);
        let masks = Masks::new(b, width);
        let mut words = Vec::with_capacity((a.len() + 1) * width);
        words.resize(width, u64::MAX);
        for (x, element) in a.iter().enumerate() {
            // Without equal elements, the row is the same as the one above.
            let mask = masks.of(*element);
            let mut carry = false;
            for at in 0..width {
                let above = words.get(x * width + at).copied().unwrap_or(u64::MAX);
                let same = mask.get(at).copied().unwrap_or(0);
                let (sum, first) = above.overflowing_add(above & same);
                let (sum, second) = sum.overflowing_add(carry.into());
                carry = first || second;
                words.push(sum | above & !same);
            }
        }
        Table { width, words }
    }

    /// Returns the row for the first `x` elements of the first sequence.
    fn row(&self, x: usize) -> &[u64] {
        let start = x * self.width;
        self.words
            .get(start..start + self.width)
            .unwrap_or_default()
    }

    /// Whether an entry is larger than the one on its left.
    fn grows(&self, x: usize, y: usize) -> bool {
        let Some(left) = y.checked_sub(1) else {
            return false;
        };
        let word = self.row(x).get(left / BITS).copied().unwrap_or(u64::MAX);
        word >> (left % BITS) & 1 == 0
    }

    /// Computes an entry: the number of bits before it that mark growth.
    fn common(&self, x: usize, y: usize) -> u32 {
        let row = self.row(x);
        let whole = row.iter().take(y / BITS).map(|word| word.count_zeros());
        let rest = row.get(y / BITS).copied().unwrap_or(u64::MAX);
        let before = (1 << (y % BITS)) - 1;
        whole.sum::<u32>() + (!rest & before).count_ones()
    }
}

/// The positions of each element of a sequence, as bit masks.
struct Masks {
    elements: Vec<u32>,
    words: Vec<u64>,
    width: usize,
}

impl Masks {
    fn new(sequence: &[u32], width: usize) -> Masks {
        let mut places: Vec<(u32, usize)> = sequence.iter().copied().zip(0..).collect();
        sort::ascending(&mut places);
        let (mut elements, mut words) = (Vec::new(), Vec::new());
        for (element, place) in places {
            if elements.last() != Some(&element) {
                elements.push(element);
                words.resize(elements.len() * width, 0);
            }
            let start = words.len() - width;
            if let Some(word) = words.get_mut(start + place / BITS) {
                *word |= 1 << (place % BITS);
            }
        }
        Masks {
            elements,
            words,
            width,
        }
    }

    /// Returns the positions of an element; empty if it does not occur.
    fn of(&self, element: u32) -> &[u64] {
        let Ok(at) = self.elements.binary_search(&element) else {
            return &[];
        };
        let start = at * self.width;
        self.words
            .get(start..start + self.width)
            .unwrap_or_default()
    }
}

/// Returns the shortest list of edits and its cost in steps, or `None` if a sequence is too long.
pub(super) fn edits(a: &[u32], b: &[u32]) -> Option<(Vec<Edit>, u64)> {
    if a.len().max(b.len()) > LONGEST {
        return None;
    }
    let table = Table::new(a, b);
    let (mut x, mut y) = (a.len(), b.len());
    let mut common = table.common(x, y);
    let mut found = Vec::new();
    while x > 0 || y > 0 {
        if !table.grows(x, y) && y > 0 {
            y -= 1;
            found.push((x..x, y..y + 1));
        } else if x > 0 && table.common(x - 1, y) == common {
            x -= 1;
            found.push((x..x + 1, y..y));
        } else {
            // Equal elements.
            (x, y) = (x.saturating_sub(1), y.saturating_sub(1));
            common = common.saturating_sub(1);
        }
    }
    found.reverse();
    let work = table.words.len() + a.len() + b.len();
    Some((found, work as u64))
}
