//! Sorting with a single compiled copy.
//!
//! `slice::sort_by_key` and its relatives are compiled anew for each type and key: 4.6 KB of
//! WebAssembly each, an eighth of the page's decoder when there were seventy. These functions sort
//! positions with one copy of that code and move the items afterwards. All are stable. Clippy
//! rejects the standard ones in the library (`clippy.toml`).

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

/// Sorts by a comparison, as [`slice::sort_by`] does.
pub fn by<T>(items: &mut [T], mut compare: impl FnMut(&T, &T) -> Ordering) {
    if items.is_sorted_by(|a, b| compare(a, b).is_le()) {
        return;
    }
    let sorted = positions(
        items.len(),
        &mut |a, b| match (items.get(a), items.get(b)) {
            (Some(a), Some(b)) => compare(a, b),
            // The positions are always in range.
            _ => Ordering::Equal,
        },
    );
    arrange(items, sorted);
}

/// Sorts by a key, as [`slice::sort_by_key`] does.
pub fn by_key<T, K: Ord>(items: &mut [T], mut key: impl FnMut(&T) -> K) {
    by(items, |a, b| key(a).cmp(&key(b)));
}

/// Sorts by a key that is computed once per item, as [`slice::sort_by_cached_key`] does.
pub fn by_cached_key<T, K: Ord>(items: &mut [T], key: impl FnMut(&T) -> K) {
    let keys: Vec<K> = items.iter().map(key).collect();
    let sorted = positions(keys.len(), &mut |a, b| keys.get(a).cmp(&keys.get(b)));
    arrange(items, sorted);
}

/// Sorts by the items' own order, as [`slice::sort`] does.
pub fn ascending<T: Ord>(items: &mut [T]) {
    by(items, Ord::cmp);
}

/// Collects a map by inserting one item after the other. [`Iterator::collect`] sorts the items first,
/// with a copy of the sort algorithm for their type.
pub fn map<K: Ord, V>(items: impl IntoIterator<Item = (K, V)>) -> BTreeMap<K, V> {
    let mut found = BTreeMap::new();
    found.extend(items);
    found
}

/// Collects a set, as [`map`].
pub fn set<T: Ord>(items: impl IntoIterator<Item = T>) -> BTreeSet<T> {
    let mut found = BTreeSet::new();
    found.extend(items);
    found
}

/// Returns the sorted positions of `count` items.
#[inline(never)]
#[allow(clippy::disallowed_methods)]
fn positions(count: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<usize> {
    let mut positions: Vec<usize> = (0..count).collect();
    positions.sort_by(|a, b| compare(*a, *b));
    positions
}

/// Permutes items: `sorted` has, for each index, the current index of the item that belongs there.
/// Each cycle is walked once; visited entries are set to themselves.
fn arrange<T>(items: &mut [T], mut sorted: Vec<usize>) {
    for first in 0..sorted.len() {
        let mut to = first;
        while let Some(from) = sorted.get_mut(to).map(|from| std::mem::replace(from, to)) {
            if from == first {
                break;
            }
            items.swap(to, from);
            to = from;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn collects_as_the_standard_library_does() {
        let items = [(3, 'a'), (1, 'b'), (3, 'c'), (2, 'd')];
        assert_eq!(map(items), items.into_iter().collect());
        assert_eq!(set(items), items.into_iter().collect());
    }

    #[test]
    fn sorts_as_the_standard_library_does() {
        // Few keys, so that stability shows; a multiplicative generator, so that runs differ.
        let mut state = 1_u32;
        for count in [0, 1, 2, 3, 20, 21, 100, 1000] {
            let items: Vec<(u32, usize)> = (0..count)
                .map(|at| {
                    state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    (state >> 28, at)
                })
                .collect();
            let mut wanted = items.clone();
            wanted.sort_by_key(|(key, _)| *key);
            let mut by_key_found = items.clone();
            by_key(&mut by_key_found, |(key, _)| *key);
            assert_eq!(by_key_found, wanted);
            let mut cached = items.clone();
            by_cached_key(&mut cached, |(key, _)| *key);
            assert_eq!(cached, wanted);

            wanted.sort_by(|a, b| b.cmp(a));
            let mut reversed = items.clone();
            by(&mut reversed, |a, b| b.cmp(a));
            assert_eq!(reversed, wanted);
            wanted.reverse();
            ascending(&mut reversed);
            assert_eq!(reversed, wanted);
        }
    }
}
