//! Sorting. The standard library's is made anew for each type, some kilobytes each time: in a
//! program that is downloaded that adds up. This one sorts places, and there is one of it.

use std::cmp::Ordering;

/// Sorts by a comparison; what is equal stays in its order.
pub fn by<T>(items: &mut [T], mut order: impl FnMut(&T, &T) -> Ordering) {
    // Most things are written down in their order.
    if items.is_sorted_by(|a, b| order(a, b).is_le()) {
        return;
    }
    let mut sources: Vec<usize> = (0..items.len()).collect();
    places(
        &mut sources,
        &mut |a, b| match (items.get(a), items.get(b)) {
            (Some(a), Some(b)) => order(a, b),
            _ => Ordering::Equal,
        },
    );
    // Along each cycle, every item goes to its place; what was there goes on.
    for start in 0..items.len() {
        let mut at = start;
        while let Some(source) = sources.get_mut(at) {
            let from = std::mem::replace(source, at);
            if from == start || from == at {
                break;
            }
            items.swap(at, from);
            at = from;
        }
    }
}

/// Sorts by a key; what is equal stays in its order.
pub fn by_key<T, K: Ord>(items: &mut [T], key: impl Fn(&T) -> K) {
    by(items, |a, b| key(a).cmp(&key(b)));
}

#[inline(never)]
fn places(places: &mut [usize], order: &mut dyn FnMut(usize, usize) -> Ordering) {
    places.sort_by(|a, b| order(*a, *b));
}

#[cfg(test)]
mod tests {
    #[test]
    fn as_the_standard_library_does_it() {
        let mut state = 1u32;
        for len in 0..200u32 {
            let mut items: Vec<(u32, u32)> = (0..len)
                .map(|at| {
                    state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    (state >> 16 & (len / 2), at)
                })
                .collect();
            let mut expected = items.clone();
            expected.sort_by_key(|item| item.0);
            super::by_key(&mut items, |item| item.0);
            assert_eq!(items, expected);
            super::by(&mut items, |a, b| b.cmp(a));
            expected.sort_by(|a, b| b.cmp(a));
            assert_eq!(items, expected);
        }
    }
}
