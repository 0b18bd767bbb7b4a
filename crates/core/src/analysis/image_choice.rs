//! Which images of a container run on a device.

use serde::{Deserialize, Serialize};

use crate::model::{Outcome, Str};

/// A runtime's decision about an image on a device.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pick {
    /// Whether the runtime selects it.
    pub is_chosen: bool,
    /// The result, if it is selected.
    pub outcome: Option<Outcome>,
    /// The result in OpenCL, if it is selected.
    pub opencl: Option<Outcome>,
    /// The reason, in words.
    pub why: Str,
}

impl Pick {
    /// Formats the decision; if the APIs differ, the outcomes of both: `loads; OpenCL: recompiled`.
    pub fn statement(&self) -> String {
        let words = self.words();
        match self.opencl.filter(|_| self.is_chosen) {
            Some(opencl) if Some(opencl) != self.outcome => {
                format!("{words}; OpenCL: {}", opencl.words())
            }
            _ => words.to_owned(),
        }
    }

    /// Formats the decision: the outcome of a selected image, or that it is not selected.
    pub fn words(&self) -> &'static str {
        match self.outcome.filter(|_| self.is_chosen) {
            Some(outcome) => outcome.words(),
            None => "not used",
        }
    }
}

/// The images of a container that run on a device.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choice {
    /// The device, by name.
    pub device: Str,
    /// The worst outcome of the selected images; [`Outcome::DoesNotRun`] if no image is selected.
    pub outcome: Outcome,
    /// The worst outcome of the selected images in OpenCL.
    pub opencl: Outcome,
    /// One entry per image, in the order of the list.
    pub picks: Vec<Pick>,
    /// The selection rule, one line.
    pub rule: Str,
}

impl Choice {
    /// Returns the indices of the selected images.
    pub fn chosen(&self) -> impl Iterator<Item = usize> {
        let picks = self.picks.iter().enumerate();
        picks
            .filter(|(_, pick)| pick.is_chosen)
            .map(|(place, _)| place)
    }

    /// Returns the outcome for display; if the APIs differ, a sentence about both.
    pub fn statement(&self) -> String {
        if self.outcome == self.opencl {
            return self.outcome.words().to_owned();
        }
        let (level_zero, opencl) = (self.outcome.predicate(), self.opencl.predicate());
        format!("Level Zero {level_zero}; OpenCL {opencl}")
    }
}
