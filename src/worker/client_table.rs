//! A small sorted map.
//!
//! What the page looks up has a few dozen entries, and the code of a `BTreeMap` for each
//! type of them would be a tenth of what a visitor downloads.

/// Keys in order, and their values.
#[derive(Debug, Clone, PartialEq)]
pub struct Table<K, V>(Vec<(K, V)>);

impl<K, V> Default for Table<K, V> {
    fn default() -> Table<K, V> {
        Table(Vec::new())
    }
}

impl<K: Ord + Copy, V> Table<K, V> {
    fn place(&self, key: K) -> Result<usize, usize> {
        let at = self.0.partition_point(|(k, _)| *k < key);
        match self.0.get(at) {
            Some((k, _)) if *k == key => Ok(at),
            _ => Err(at),
        }
    }

    /// The value of a key.
    pub fn get(&self, key: K) -> Option<&V> {
        self.0.get(self.place(key).ok()?).map(|(_, value)| value)
    }

    /// The value of a key, to be changed.
    pub fn get_mut(&mut self, key: K) -> Option<&mut V> {
        let at = self.place(key).ok()?;
        self.0.get_mut(at).map(|(_, value)| value)
    }

    /// Is the key there?
    pub fn has(&self, key: K) -> bool {
        self.place(key).is_ok()
    }

    /// Sets the value of a key; says whether the key is new.
    pub fn put(&mut self, key: K, value: V) -> bool {
        match self.place(key) {
            Ok(at) => {
                if let Some(entry) = self.0.get_mut(at) {
                    entry.1 = value;
                }
                false
            }
            Err(at) => {
                self.0.insert(at, (key, value));
                true
            }
        }
    }

    /// Takes a key away.
    pub fn take(&mut self, key: K) -> Option<V> {
        let at = self.place(key).ok()?;
        Some(self.0.remove(at).1)
    }

    /// The entries from `start` up to, and without, `end`.
    pub fn between(&self, start: K, end: K) -> &[(K, V)] {
        let from = self.0.partition_point(|(k, _)| *k < start);
        let to = self.0.partition_point(|(k, _)| *k < end);
        self.0.get(from..to).unwrap_or(&[])
    }

    /// All entries.
    pub fn all(&self) -> &[(K, V)] {
        &self.0
    }

    /// Takes everything away.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Is nothing there?
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The values.
    pub fn into_values(self) -> impl Iterator<Item = V> {
        self.0.into_iter().map(|(_, value)| value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_in_order() {
        let mut table = Table::default();
        for key in [5, 1, 3, 5] {
            table.put(key, key * 10);
        }
        assert_eq!(table.all(), [(1, 10), (3, 30), (5, 50)]);
        assert_eq!(table.get(3), Some(&30));
        assert!(!table.has(2));
        assert_eq!(table.between(2, 5), [(3, 30)]);
        assert_eq!(table.take(1), Some(10));
        assert_eq!(table.take(1), None);
        assert!(table.put(1, 0) && !table.put(1, 1));
    }
}
