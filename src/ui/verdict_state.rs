//! What the page knows of the verdict on the document of the selection.

use std::rc::Rc;

use yew::AttrValue;

use super::format;
use crate::model::list::{Mark, Row};
use crate::model::{Effect, NodeId, Outcome, Severity, Tone, Verdict};
use crate::worker::protocol::{Opened, VerdictReport};

/// The verdict on a document, as far as it is known.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct VerdictState {
    /// The document of the last request.
    pub document: Option<NodeId>,
    /// The device of the last request; `None`: the document's own.
    pub device: Option<AttrValue>,
    /// The verdict; `None` while it is not known, or if there is none.
    pub report: Option<Rc<VerdictReport>>,
    /// Why the last request was not answered: there is no such device, or the decoder has
    /// crashed on it.
    pub error: Option<AttrValue>,
    /// The kernels with the worst hazards.
    pub worst: Rc<[Row]>,
}

/// A change of what is known.
pub enum VerdictChange {
    /// A document and a device were asked about.
    Asked(NodeId, Option<AttrValue>),
    /// The answer about a document and a device: the verdict, or why there is none.
    Answered(
        NodeId,
        Option<AttrValue>,
        Result<Option<Rc<VerdictReport>>, AttrValue>,
    ),
    /// The worst kernels of a document.
    Worst(NodeId, Rc<[Row]>),
}

impl VerdictState {
    /// Changes it.
    pub fn apply(&mut self, change: VerdictChange) {
        match change {
            VerdictChange::Asked(document, device) => {
                if self.document != Some(document) {
                    self.worst = Rc::default();
                }
                self.document = Some(document);
                self.device = device;
                self.error = None;
            }
            VerdictChange::Answered(document, device, report)
                if self.document == Some(document) && self.device == device =>
            {
                match report {
                    Ok(report) => self.report = report,
                    Err(error) => self.error = Some(error),
                }
            }
            VerdictChange::Worst(document, worst) if self.document == Some(document) => {
                self.worst = worst;
            }
            _ => {}
        }
    }

    /// The verdict.
    pub fn verdict(&self) -> Option<&Verdict> {
        self.report.as_ref().map(|report| &report.verdict)
    }
}

/// The columns of the worst kernels: the name, and those that hazards are marked in.
pub const WORST_COLUMNS: [&str; 5] = [
    "name",
    "grf_count",
    "spill_size",
    "private_size",
    "slm_size",
];

/// The hazards of a kernel.
pub fn hazards(row: &Row) -> impl Iterator<Item = &Mark> {
    let marks = row.cells.iter().flat_map(|cell| &cell.marks);
    marks.filter(|mark| mark.tone != Tone::Plain)
}

/// How many errors there are: any, and the file is not well-formed.
pub fn errors(opened: &Opened) -> u64 {
    let all = opened.diagnostics.iter();
    all.filter(|problem| problem.diagnostic.severity == Severity::Error)
        .count() as u64
}

/// The colour of an outcome.
pub fn tone(outcome: Outcome) -> Tone {
    match outcome {
        Outcome::Loads => Tone::Good,
        Outcome::LoadsWithWarnings => Tone::Warning,
        Outcome::Refused | Outcome::LinkFailure | Outcome::MayCrash => Tone::Bad,
        Outcome::NotJudged => Tone::Plain,
    }
}

/// The colour of a finding.
pub fn effect_tone(effect: Effect) -> Tone {
    match effect {
        Effect::Passes | Effect::NotJudged => Tone::Plain,
        Effect::Warns => Tone::Warning,
        Effect::Refuses | Effect::LinkFails | Effect::Crashes => Tone::Bad,
    }
}

/// What the driver does, in a few words: `loads, 2 warnings`.
pub fn outcome_words(verdict: &Verdict) -> String {
    let warns = |found: &&crate::model::Finding| found.effect == Effect::Warns;
    match verdict.outcome {
        Outcome::LoadsWithWarnings => {
            let count = verdict.findings.iter().filter(warns).count() as u64;
            format!("loads, {}", format::counted(count, "warning", "warnings"))
        }
        outcome => outcome.words().to_owned(),
    }
}
