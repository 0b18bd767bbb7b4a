//! What the rows of code have besides those of other lists.

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

    /// The columns that are visible by default: those of the decoder, and what is known besides.
    pub(super) fn columns(&self, mut ids: Vec<&'static str>) -> Vec<&'static str> {
        ids.retain(|id| ![LIVE, SAMPLES].contains(id));
        for (id, is_shown) in [(LIVE, self.has_live), (SAMPLES, self.has_samples)] {
            if is_shown {
                // Before the instruction, and behind its source line.
                let at = ids.iter().position(|id| *id == "text");
                ids.insert(at.unwrap_or(ids.len()), id);
            }
        }
        ids
    }
}
