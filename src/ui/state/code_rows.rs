//! What the rows of code have besides those of other lists.

use super::list::characters;
use crate::tables::{CellValue, Row};

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
        let cells = rows.iter().filter_map(|row| row.cells.get(place));
        let closed = cells.map(|cell| match &cell.value {
            CellValue::Text(text) => characters(cell).saturating_sub(closed(text)),
            _ => 0,
        });
        self.tight = closed.max().unwrap_or(0).max(self.tight);
    }

    /// Length of the longest loaded instruction in characters, with its [gaps](kept) closed.
    pub fn tight(&self) -> u32 {
        self.tight
    }
}

/// Number of blanks kept before a part of an instruction in a narrow panel: opcodes still align,
/// with or without the mask `(W)`.
pub fn kept(at: usize, blanks: usize) -> usize {
    match (at, blanks) {
        (0, 8) => 4,
        (3, 5) => 1,
        (5.., 3..) => 2,
        (_, blanks) => blanks,
    }
}

/// Number of blanks in the collapsible gaps of an instruction.
fn closed(text: &str) -> u32 {
    let (mut sum, mut done) = (0, 0);
    while let Some(blanks) = text.get(done..).and_then(|rest| rest.find(|c| c != ' ')) {
        sum += blanks - kept(done, blanks);
        let rest = text.get(done + blanks..).unwrap_or("");
        done += blanks + rest.find(' ').unwrap_or(rest.len());
    }
    u32::try_from(sum).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_of_instructions_can_be_closed() {
        for (text, left_out) in [
            ("(W)     mov (8|M0)               r127.0<1>:ud  0x0:ud", 17),
            ("        nop", 4),
            (
                "        sync.nop          null                  {Compacted}",
                28,
            ),
            ("(W&f0.0.any)     jmpi   L64", 4),
        ] {
            assert_eq!(closed(text), left_out, "{text}");
        }
    }
}
