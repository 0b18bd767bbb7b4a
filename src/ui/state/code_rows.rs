//! What the rows of code have besides those of other lists.

use super::list::characters;
use crate::tables::Row;

/// The column of live registers.
pub const LIVE: &str = "live";

/// The column of samples.
pub const SAMPLES: &str = "samples";

/// What a list of instructions has besides its rows.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CodeRows {
    /// Whether the number of live registers is known, which is shown by default then.
    has_live: bool,
    /// Whether there are samples of a profile, which are shown by default then.
    has_samples: bool,
    /// See [`tight`](CodeRows::tight).
    tight: u32,
}

/// A change of this state.
pub enum CodeRowsChange {
    /// Whether the number of live registers is known or expected.
    Live(bool),
    /// Whether the code has samples.
    Samples(bool),
}

impl CodeRows {
    pub(super) fn apply(&mut self, change: CodeRowsChange) {
        match change {
            CodeRowsChange::Live(is_shown) => self.has_live = is_shown,
            CodeRowsChange::Samples(is_shown) => self.has_samples = is_shown,
        }
    }

    /// Forgets what depends on the code.
    pub(super) fn reset(&mut self) {
        self.tight = 0;
    }

    /// The columns that are visible by default: those of the decoder, and what is known besides.
    pub(super) fn columns(&self, mut ids: Vec<&'static str>) -> Vec<&'static str> {
        ids.retain(|id| ![LIVE, SAMPLES].contains(id));
        for (id, is_shown) in [(LIVE, self.has_live), (SAMPLES, self.has_samples)] {
            if is_shown {
                let before = ids.iter().position(|id| *id == "jumps");
                ids.insert(before.map_or(0, |at| at + 1), id);
            }
        }
        ids
    }

    /// Records the length of the longest of these instructions, whose texts are at this place.
    pub(super) fn measure(&mut self, place: usize, rows: &[Row]) {
        let lengths = rows.iter().filter_map(|row| {
            let closed = row.code.as_ref()?.closed();
            Some(characters(row.cells.get(place)?).saturating_sub(closed))
        });
        self.tight = lengths.max().unwrap_or(0).max(self.tight);
    }

    /// Length of the longest loaded instruction in characters, with its gaps closed.
    pub fn tight(&self) -> u32 {
        self.tight
    }
}
