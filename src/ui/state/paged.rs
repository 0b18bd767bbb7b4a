//! Rows of a long list, loaded in pages.

use std::collections::BTreeMap;
use std::rc::Rc;

/// Number of rows per page.
pub const PAGE: u64 = 128;
/// Maximum number of cached pages.
pub(crate) const KEEP: usize = 8;

/// Paged rows; after a new query the previous ones stay until others arrive.
#[derive(Debug, Clone, PartialEq)]
pub struct Paged<R> {
    /// Incremented for each query; earlier responses are ignored.
    pub generation: u32,
    /// Number of rows; 0 until it is known.
    pub found: Option<u64>,
    pages: BTreeMap<u64, Rc<Vec<R>>>,
    /// Generation of the cached pages.
    of: u32,
}

impl<R> Default for Paged<R> {
    fn default() -> Paged<R> {
        Paged {
            generation: 0,
            found: None,
            pages: BTreeMap::new(),
            of: 0,
        }
    }
}

impl<R> Paged<R> {
    /// Invalidates the rows for a new query.
    pub fn renew(&mut self) {
        self.generation = self.generation.wrapping_add(1);
    }

    /// Invalidates the rows for a query whose rows say something else; their number stays so far, so
    /// that nothing jumps.
    pub fn forget(&mut self) {
        self.renew();
        self.pages.clear();
    }

    /// Discards the rows for a list of another document.
    pub fn reset(&mut self) {
        self.renew();
        self.pages.clear();
        self.found = None;
    }

    /// Discards all rows.
    pub fn fail(&mut self) {
        self.pages.clear();
        self.of = self.generation;
        self.found = Some(0);
    }

    /// Whether the rows belong to an earlier query.
    pub fn is_stale(&self) -> bool {
        self.of != self.generation
    }

    /// Whether no rows for the current query have arrived.
    pub fn is_waiting(&self) -> bool {
        self.is_stale() || self.found.is_none()
    }

    /// Stores the rows from `start` on, of `found` in total, and evicts the most distant page if
    /// there are too many.
    pub fn put(&mut self, start: u64, rows: Vec<R>, found: u64) {
        if self.is_stale() {
            self.pages.clear();
            self.of = self.generation;
        }
        self.found = Some(found);
        let number = start / PAGE;
        self.pages.insert(number, Rc::new(rows));
        if self.pages.len() > KEEP {
            let numbers = self.pages.keys().copied();
            if let Some(far) = numbers.max_by_key(|other| other.abs_diff(number)) {
                self.pages.remove(&far);
            }
        }
    }

    /// The row at an index, if it is loaded.
    pub fn row(&self, place: u64) -> Option<&R> {
        let page = self.pages.get(&(place / PAGE))?;
        page.get((place % PAGE) as usize)
    }

    /// Index of the first loaded row that satisfies the predicate.
    pub fn find(&self, is_such: impl Fn(&R) -> bool) -> Option<u64> {
        let mut pages = self.pages.iter();
        pages.find_map(|(number, rows)| {
            let at = rows.iter().position(&is_such)?;
            Some(number * PAGE + at as u64)
        })
    }

    /// Missing pages of these rows.
    pub fn missing(&self, start: u64, end: u64) -> Vec<u64> {
        let stale = self.is_stale();
        let end = match self.found {
            Some(found) if !stale => end.min(found),
            // At least one while the number of rows is unknown.
            Some(found) => end.min(found).max(start / PAGE * PAGE + 1),
            None => end.max(start / PAGE * PAGE + 1),
        };
        (start / PAGE..end.div_ceil(PAGE))
            .filter(|page| stale || !self.pages.contains_key(page))
            .collect()
    }

    /// Changes whenever loaded rows may have been dropped.
    pub fn version(&self) -> u64 {
        u64::from(self.generation) << 1 | u64::from(self.is_waiting())
    }
}
