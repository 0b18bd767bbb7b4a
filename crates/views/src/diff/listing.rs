//! Two listings side by side: a row for each pair of instructions, with long equal parts folded.

use std::ops::Range;

use super::code::CodeChange;

/// A row of two listings side by side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Row {
    /// Equal instructions: their rows in both listings.
    Same(u32, u32),
    /// An instruction that differs, or is in one listing only.
    Differs(Option<u32>, Option<u32>),
    /// A number of equal instructions.
    Folded(u32),
}

/// Returns the rows of a comparison of code: the differences, with `context` equal rows around
/// them. Without a context nothing is folded.
pub fn rows(change: &CodeChange, context: Option<u32>) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut from = (0_u32, 0_u32);
    let last = change.hunks.len();
    let end = (change.counts.0, change.counts.1);
    for (number, hunk) in change.hunks.iter().enumerate() {
        same(&mut rows, from, hunk.a.start, context, (number > 0, true));
        let length = hunk.a.len().max(hunk.b.len());
        let at = |range: &Range<u32>, place: usize| {
            let place = u32::try_from(place).unwrap_or(u32::MAX);
            let row = range.start.saturating_add(place);
            range.contains(&row).then_some(row)
        };
        let differ = (0..length).map(|place| Row::Differs(at(&hunk.a, place), at(&hunk.b, place)));
        rows.extend(differ);
        from = (hunk.a.end, hunk.b.end);
    }
    same(&mut rows, from, end.0, context, (last > 0, false));
    rows
}

/// Adds the equal rows up to a row of the first listing.
fn same(
    rows: &mut Vec<Row>,
    (a, b): (u32, u32),
    end: u32,
    context: Option<u32>,
    (has_before, has_after): (bool, bool),
) {
    let count = end.saturating_sub(a);
    let (head, tail) = match context {
        None => (count, 0),
        Some(context) => {
            let head = if has_before { context } else { 0 };
            let tail = if has_after { context } else { 0 };
            if u64::from(head) + u64::from(tail) + 1 >= u64::from(count) {
                (count, 0)
            } else {
                (head, tail)
            }
        }
    };
    let row = |place: u32| Row::Same(a.saturating_add(place), b.saturating_add(place));
    rows.extend((0..head).map(row));
    let folded = count.saturating_sub(head).saturating_sub(tail);
    if folded > 0 {
        rows.push(Row::Folded(folded));
    }
    rows.extend((count.saturating_sub(tail).max(head)..count).map(row));
}
