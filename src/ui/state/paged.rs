//! The rows of something long, as far as they are here.

use std::collections::BTreeMap;
use std::rc::Rc;

/// Rows are asked for in pages of so many.
pub const PAGE: u64 = 128;
/// So many pages are kept.
pub(crate) const KEEP: usize = 8;

/// Rows in pages; after another question those from before stay until others are here.
#[derive(Debug, Clone, PartialEq)]
pub struct Paged<R> {
    /// Another number for each question: what was asked for before is not wanted any more.
    pub generation: u32,
    /// How many rows there are; nothing before it is known.
    pub found: Option<u64>,
    pages: BTreeMap<u64, Rc<Vec<R>>>,
    /// The generation of the pages.
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
    /// Other rows are wanted.
    pub fn renew(&mut self) {
        self.generation = self.generation.wrapping_add(1);
    }

    /// Other rows are wanted, of something else.
    pub fn reset(&mut self) {
        self.renew();
        self.pages.clear();
        self.found = None;
    }

    /// Takes what is known for none.
    pub fn fail(&mut self) {
        self.pages.clear();
        self.of = self.generation;
        self.found = Some(0);
    }

    /// Are the rows those of a question from before?
    pub fn is_stale(&self) -> bool {
        self.of != self.generation
    }

    /// Are there no rows yet that answer the question?
    pub fn is_waiting(&self) -> bool {
        self.is_stale() || self.found.is_none()
    }

    /// Keeps the rows from `start` on, of `found` in all, and forgets the page that is the
    /// farthest away if there are too many.
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

    /// The row at a place, if it is here.
    pub fn row(&self, place: u64) -> Option<&R> {
        let page = self.pages.get(&(place / PAGE))?;
        page.get((place % PAGE) as usize)
    }

    /// The place of the first of the rows here that is such.
    pub fn find(&self, is_such: impl Fn(&R) -> bool) -> Option<u64> {
        let mut pages = self.pages.iter();
        pages.find_map(|(number, rows)| {
            let at = rows.iter().position(&is_such)?;
            Some(number * PAGE + at as u64)
        })
    }

    /// The pages of these rows that are not here.
    pub fn missing(&self, start: u64, end: u64) -> Vec<u64> {
        let stale = self.is_stale();
        let end = match self.found {
            Some(found) if !stale => end.min(found),
            // At least one: how many there are is not known.
            Some(found) => end.min(found).max(start / PAGE * PAGE + 1),
            None => 1,
        };
        (start / PAGE..end.div_ceil(PAGE))
            .filter(|page| stale || !self.pages.contains_key(page))
            .collect()
    }

    /// Another number whenever rows may be missing that were there.
    pub fn version(&self) -> u64 {
        u64::from(self.generation) << 1 | u64::from(self.is_waiting())
    }
}
