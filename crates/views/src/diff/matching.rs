//! Matches the items of two lists by key.

use std::collections::HashMap;
use std::hash::Hash;

/// The matches between two lists.
pub(super) struct Matches {
    /// For each item of the first list, the index of its match in the second.
    pub of_a: Vec<Option<usize>>,
    /// For each item of the second list, whether it has a match.
    pub is_matched: Vec<bool>,
}

/// Matches the first item with a key to the first item with that key in the other list, the second
/// to the second, and so on.
pub(super) fn by_key<K: Eq + Hash>(a: &[K], b: &[K]) -> Matches {
    // For each key, the next unmatched index; and for each index, the one after it.
    let mut next: HashMap<&K, usize> = HashMap::with_capacity(b.len());
    let mut after: Vec<Option<usize>> = vec![None; b.len()];
    for ((place, key), after) in b.iter().enumerate().zip(&mut after).rev() {
        *after = next.insert(key, place);
    }
    let mut is_matched = vec![false; b.len()];
    let of_a = a.iter().map(|key| {
        let place = next.remove(key)?;
        if let Some(after) = after.get(place).copied().flatten() {
            next.insert(key, after);
        }
        if let Some(matched) = is_matched.get_mut(place) {
            *matched = true;
        }
        Some(place)
    });
    Matches {
        of_a: of_a.collect(),
        is_matched,
    }
}

/// Returns the one-based ordinal of each item among those with the same key.
pub(super) fn ordinals<K: Eq + Hash>(keys: impl ExactSizeIterator<Item = K>) -> Vec<u32> {
    let mut seen: HashMap<K, u32> = HashMap::with_capacity(keys.len());
    let count = |key| {
        let nth = seen.entry(key).or_default();
        *nth += 1;
        *nth
    };
    keys.map(count).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_keys_match_in_order() {
        let matches = by_key(&["x", "y", "x", "x", "z"], &["x", "x", "w", "y", "y"]);
        assert_eq!(matches.of_a, [Some(0), Some(3), Some(1), None, None]);
        assert_eq!(matches.is_matched, [true, true, false, true, false]);
    }

    #[test]
    fn keys_are_counted() {
        assert_eq!(ordinals(["x", "y", "x", "x"].into_iter()), [1, 1, 2, 3]);
    }
}
