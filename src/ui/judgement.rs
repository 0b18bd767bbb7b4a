//! What the page knows of the verdict on the document that is looked at.

use std::rc::Rc;

use yew::AttrValue;

use super::format;
use crate::model::list::{Mark, Row};
use crate::model::{Effect, NodeId, Outcome, Severity, Tone, Verdict};
use crate::worker::protocol::{Judged, Opened};

/// The verdict on a document, as far as it is known.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Judgement {
    /// The document that was asked about last.
    pub document: Option<NodeId>,
    /// The device that was asked for; nothing: the document's own.
    pub device: Option<AttrValue>,
    /// The verdict; nothing while it is not known, or where there is none.
    pub judged: Option<Rc<Judged>>,
    /// Why there is none: no such device.
    pub trouble: Option<AttrValue>,
    /// The kernels with the worst hazards.
    pub worst: Rc<[Row]>,
}

/// A change of what is known.
pub enum JudgementChange {
    /// This is being asked.
    Asked(NodeId, Option<AttrValue>),
    /// The answer about a document and a device: the verdict, or why there is none.
    Judged(
        NodeId,
        Option<AttrValue>,
        Result<Option<Rc<Judged>>, AttrValue>,
    ),
    /// The worst kernels of a document.
    Worst(NodeId, Rc<[Row]>),
}

impl Judgement {
    /// Changes it.
    pub fn apply(&mut self, change: JudgementChange) {
        match change {
            JudgementChange::Asked(document, device) => {
                if self.document != Some(document) {
                    self.worst = Rc::default();
                }
                self.document = Some(document);
                self.device = device;
                self.trouble = None;
            }
            JudgementChange::Judged(document, device, judged)
                if self.document == Some(document) && self.device == device =>
            {
                match judged {
                    Ok(judged) => self.judged = judged,
                    Err(trouble) => self.trouble = Some(trouble),
                }
            }
            JudgementChange::Worst(document, worst) if self.document == Some(document) => {
                self.worst = worst;
            }
            _ => {}
        }
    }

    /// The verdict.
    pub fn verdict(&self) -> Option<&Verdict> {
        self.judged.as_ref().map(|judged| &judged.verdict)
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

/// How an outcome is coloured.
pub fn tone(outcome: Outcome) -> Tone {
    match outcome {
        Outcome::Loads => Tone::Good,
        Outcome::LoadsWithWarnings => Tone::Warning,
        Outcome::Refused | Outcome::LinkFailure | Outcome::MayCrash => Tone::Bad,
    }
}

/// How a finding is coloured.
pub fn effect_tone(effect: Effect) -> Tone {
    match effect {
        Effect::Passes => Tone::Plain,
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
