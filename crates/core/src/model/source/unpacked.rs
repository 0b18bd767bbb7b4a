//! Unpacked sources, identified independently of the order in which they were unpacked.

use serde::{Deserialize, Serialize};

use super::Sources;
use crate::model::span::{SourceId, Span};

/// An unpacked source, identified by the bytes that it was unpacked from. Its number is not stable: it
/// depends on the order in which a decoder unpacks sources.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnpackedSource {
    /// Its number.
    pub id: SourceId,
    /// Its name.
    pub name: String,
    /// The bytes that it was unpacked from.
    pub parent: Span,
}

impl Sources {
    /// Returns an unpacked source; `None` for the opened file and an unknown number.
    pub fn unpacked_source(&self, id: SourceId) -> Option<UnpackedSource> {
        let entry = self.entry(id)?;
        Some(UnpackedSource {
            id,
            name: entry.name.clone(),
            parent: entry.parent?,
        })
    }

    /// Returns the number here of each source that another decoder has unpacked from the same file,
    /// after its number there. Parents come first. Sources that are not unpacked here are left out.
    pub fn numbers_of(&self, others: &[UnpackedSource]) -> Vec<(SourceId, SourceId)> {
        let mut numbers: Vec<(SourceId, SourceId)> = Vec::new();
        let unpacked = self.unpacked.borrow();
        for other in others {
            let parent = match other.parent.source {
                SourceId::FILE => Some(SourceId::FILE),
                parent => number_of(&numbers, parent),
            };
            let ids = parent.and_then(|parent| unpacked.get(&(parent, other.parent.start)));
            let mut ids = ids.into_iter().flatten();
            let own = ids.find(|id| {
                self.entry(**id)
                    .is_some_and(|entry| entry.name == other.name)
            });
            numbers.extend(own.map(|own| (other.id, *own)));
        }
        numbers
    }
}

/// Returns the second number of a pair, given the first; the pairs are sorted.
pub fn number_of(numbers: &[(SourceId, SourceId)], source: SourceId) -> Option<SourceId> {
    let at = numbers
        .binary_search_by_key(&source, |(there, _)| *there)
        .ok()?;
    numbers.get(at).map(|(_, here)| *here)
}
