//! State of the comparison with another file.

use std::rc::Rc;

use yew::AttrValue;

use super::TabId;
use super::answer::Answer;
use crate::diff::{ComparedKernel, Options};
use crate::ui::tree::differing::DifferenceIndex;
use crate::worker::protocol::{CompareReport, ListReading};

/// The comparison of a file with another one.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CompareState {
    /// The other file.
    pub base: Option<Base>,
    /// What is compared.
    pub options: Options,
    /// A kernel that waits for another one to be compared with.
    pub first: Option<ComparedKernel>,
    /// The result by the number of the comparison, or why it failed.
    answer: Answer<u32, Result<Rc<CompareReport>, AttrValue>>,
    /// What the running comparison waits for, and whether it is stopped there.
    reading: Option<(ListReading, bool)>,
    /// Whether a comparison with that file had a result: its place stays while the next one is
    /// awaited.
    pub has_result: bool,
    /// The difference that is shown in full.
    pub chosen: Option<ChosenDifference>,
    /// Differing rows of the other file and of this one, as of an earlier result.
    differing: Option<(DifferenceIndex, DifferenceIndex)>,
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
    /// A comparison with this file has started; its number.
    Requested(Base, Options, u32),
    /// A kernel waits for another one, or no longer.
    First(Option<ComparedKernel>),
    /// What a comparison waits for.
    Reading(u32, ListReading),
    /// The comparison is stopped where it is.
    Stop,
    /// The result of a comparison, or why it failed.
    Answered(u32, Result<Rc<CompareReport>, AttrValue>),
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
            CompareChange::Requested(base, options, run) => {
                if self.base.as_ref() != Some(&base) {
                    self.has_result = false;
                    self.differing = None;
                }
                self.base = Some(base);
                self.options = options;
                self.first = None;
                self.answer.ask(run);
                self.reading = None;
            }
            CompareChange::Answered(run, answer) => {
                let report = answer.as_ref().ok().cloned();
                if !self.answer.put(&run, answer) {
                    return;
                }
                self.has_result = report.is_some();
                if let Some(report) = report {
                    let chosen = ChosenDifference {
                        index: report.kept.unwrap_or(0),
                        place: None,
                    };
                    self.chosen = (report.differences > 0).then_some(chosen);
                    self.results = self.results.wrapping_add(1);
                }
            }
            CompareChange::Reading(run, left) if self.answer.is_asked(&run) => {
                let is_stopped = self.reading.as_ref().is_some_and(|(_, is)| *is);
                self.reading = Some((left, is_stopped));
            }
            CompareChange::Reading(..) => {}
            CompareChange::Stop => {
                if let Some((_, is_stopped)) = &mut self.reading {
                    *is_stopped = true;
                }
            }
            CompareChange::First(first) => self.first = first,
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

    fn latest(&self) -> Option<&Result<Rc<CompareReport>, AttrValue>> {
        self.answer.to(self.answer.question()?)
    }

    /// The result of the latest comparison, once it is known.
    pub fn report(&self) -> Option<&Rc<CompareReport>> {
        self.latest()?.as_ref().ok()
    }

    /// Why the latest comparison failed.
    pub fn failed(&self) -> Option<&AttrValue> {
        self.latest()?.as_ref().err()
    }

    /// Whether a comparison is running.
    pub fn is_working(&self) -> bool {
        self.base.is_some() && self.latest().is_none()
    }

    /// What the running comparison waits for, and whether it is stopped there.
    pub fn reading(&self) -> Option<(&ListReading, bool)> {
        let (left, is_stopped) = self.reading.as_ref()?;
        self.is_working().then_some((left, *is_stopped))
    }

    /// Whether the differing rows of the latest result are known.
    pub fn knows_differing(&self) -> bool {
        let is_current = self.report().is_some() && self.results == self.differing_of;
        self.differing.is_some() && is_current
    }

    /// The differing rows of both files in the latest comparison, once they are known.
    pub fn differing_rows(&self) -> Option<&(DifferenceIndex, DifferenceIndex)> {
        self.differing.as_ref().filter(|_| self.knows_differing())
    }
}
