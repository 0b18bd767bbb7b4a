//! State of the comparison with another file.

use std::rc::Rc;

use yew::AttrValue;

use super::TabId;
use crate::ui::tree::differing::DifferenceIndex;
use crate::worker::protocol::CompareReport;

/// The comparison of a file with another one.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CompareState {
    /// The other file.
    pub base: Option<Base>,
    /// Whether register and scoreboard token numbers are ignored.
    pub renumbered: bool,
    /// The result; the previous one stays until it arrives.
    pub report: Option<Rc<CompareReport>>,
    /// Whether the comparison is running.
    pub is_working: bool,
    /// Why it failed.
    pub failed: Option<AttrValue>,
    /// The difference that is shown in full.
    pub chosen: Option<ChosenDifference>,
    /// Differing rows of the other file and of this one, once requested; the previous ones stay
    /// until they arrive.
    pub differing: Option<(DifferenceIndex, DifferenceIndex)>,
    /// Number of results so far.
    pub results: u32,
    /// The result, by that number, that `differing` belongs to.
    pub differing_of: u32,
}

/// The other file of a comparison.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Base {
    /// Its tab, which may be closed already.
    pub tab: TabId,
    /// Its name.
    pub name: AttrValue,
    /// Its URL, if it was downloaded.
    pub url: Option<AttrValue>,
}

/// Whether a file is watched for changes on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Following {
    /// Not watched.
    #[default]
    No,
    /// Watched, and unchanged so far.
    Yes,
    /// Watched and reloaded; its previous version is available for comparison.
    Changed,
}

/// A row of the list of differences.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChosenDifference {
    /// Index in the list, independent of the query.
    pub index: u64,
    /// Index among the rows that match the query, with the list generation for which that is valid;
    /// `None` if unknown.
    pub place: Option<(u64, u32)>,
}

/// A change of this state.
pub enum CompareChange {
    /// A comparison with this file has started.
    Requested(Base, bool),
    /// The result.
    Answered(Rc<CompareReport>),
    /// It failed; the message.
    Failed(AttrValue),
    /// A difference is shown in full.
    Choose(ChosenDifference),
    /// The differing rows of both files.
    Differing(DifferenceIndex, DifferenceIndex),
    /// The differing rows of the other file, with the numbers that its own decoder gave to sources.
    Renumbered(DifferenceIndex),
}

impl CompareState {
    /// Applies a change.
    pub fn apply(&mut self, change: CompareChange) {
        match change {
            CompareChange::Requested(base, renumbered) => {
                if self.base.as_ref() != Some(&base) {
                    self.report = None;
                    self.differing = None;
                }
                self.base = Some(base);
                self.renumbered = renumbered;
                self.is_working = true;
                self.failed = None;
            }
            CompareChange::Answered(report) => {
                let chosen = ChosenDifference {
                    index: report.kept.unwrap_or(0),
                    place: None,
                };
                self.chosen = (report.differences > 0).then_some(chosen);
                self.report = Some(report);
                self.results = self.results.wrapping_add(1);
                self.is_working = false;
            }
            CompareChange::Failed(why) => {
                self.report = None;
                self.is_working = false;
                self.failed = Some(why);
            }
            CompareChange::Choose(chosen) => self.chosen = Some(chosen),
            CompareChange::Differing(from, to) => {
                self.differing = Some((from, to));
                self.differing_of = self.results;
            }
            CompareChange::Renumbered(from) => {
                if let Some((before, _)) = &mut self.differing {
                    *before = from;
                }
            }
        }
    }

    /// Whether the differing rows of the latest result are known.
    pub fn knows_differing(&self) -> bool {
        self.differing.is_some() && self.results == self.differing_of
    }
}
