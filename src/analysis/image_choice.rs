//! Which images of a container run on a device.

use serde::{Deserialize, Serialize};

use crate::model::{Outcome, Str};

/// A runtime's decision about an image on a device.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pick {
    /// Whether the runtime selects it.
    pub is_chosen: bool,
    /// The reason, in words.
    pub why: Str,
}

/// The images of a container that run on a device.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choice {
    /// The device, by name.
    pub device: Str,
    /// The worst outcome of the selected images; `None` if no image is selected.
    pub outcome: Option<Outcome>,
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

    /// Returns the outcome for display.
    pub fn words(&self) -> &'static str {
        self.outcome.map_or("no image runs", Outcome::words)
    }
}
