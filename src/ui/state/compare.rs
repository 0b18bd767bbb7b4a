//! What the page knows of the comparison of a file with another one.

use std::rc::Rc;

use yew::AttrValue;

use super::TabId;
use crate::ui::tree::differing::DifferenceIndex;
use crate::worker::protocol::CompareReport;

/// The comparison of a file with another one, as far as it is known.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CompareState {
    /// The file that it is compared with.
    pub base: Option<Base>,
    /// Registers and scoreboard tokens may have other numbers.
    pub renumbered: bool,
    /// The result; the last one stays while another is on its way.
    pub report: Option<Rc<CompareReport>>,
    /// It is being compared.
    pub is_working: bool,
    /// Why it could not be compared.
    pub failed: Option<AttrValue>,
    /// The difference that is shown in full.
    pub chosen: Option<ChosenDifference>,
    /// What differs of the first file and of this one, once somebody has asked; the last one stays while
    /// another is on its way.
    pub differing: Option<(DifferenceIndex, DifferenceIndex)>,
    /// Counts the results.
    pub results: u32,
    /// The count of the result that `differing` is of.
    pub differing_of: u32,
}

/// The file that another one is compared with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Base {
    /// Its tab, which may have been closed since.
    pub tab: TabId,
    /// Its name.
    pub name: AttrValue,
    /// Its address, if it came from one.
    pub url: Option<AttrValue>,
}

/// Whether a file is opened again when it changes on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Following {
    /// No.
    #[default]
    No,
    /// Yes; it has not changed so far.
    Yes,
    /// Yes; it has changed, and what it was before can be compared with.
    Changed,
}

/// A row of the list of differences.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChosenDifference {
    /// Its place in the list, whatever the query.
    pub index: u64,
    /// Its place among those that the query finds, and the generation of the list that this is
    /// true for; `None` if it is not known.
    pub place: Option<(u64, u32)>,
}

/// A change of what is known.
pub enum CompareChange {
    /// The file is compared with this one.
    Asked(Base, bool),
    /// The result.
    Answered(Rc<CompareReport>),
    /// It could not be compared; in words.
    Failed(AttrValue),
    /// A difference is shown in full.
    Choose(ChosenDifference),
    /// What of both files differs.
    Differing(DifferenceIndex, DifferenceIndex),
}

impl CompareState {
    /// Changes it.
    pub fn apply(&mut self, change: CompareChange) {
        match change {
            CompareChange::Asked(base, renumbered) => {
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
        }
    }

    /// Is it known what differs, by the last result?
    pub fn knows_differing(&self) -> bool {
        self.differing.is_some() && self.results == self.differing_of
    }
}
