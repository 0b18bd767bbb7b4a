//! State of the verdict on the selection's document.

use std::rc::Rc;

use yew::AttrValue;

use crate::analysis::Verdict;
use crate::model::{Effect, NodeId, Outcome, Severity, Tone};
use crate::tables::{Annotation, Row};
use crate::ui::text::format;
use crate::worker::protocol::{ImagesReport, Opened, SurveyReport, VerdictReport};

/// The verdict on a document.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct VerdictState {
    /// The document of the last request.
    pub document: Option<NodeId>,
    /// The device of the latest request; `None`: the document's own.
    pub device: Option<AttrValue>,
    /// The verdict, or the images of a container; `None` while unknown.
    pub report: Option<Rc<VerdictReport>>,
    /// Why the latest request failed: unknown device, or the decoder crashed.
    pub error: Option<AttrValue>,
    /// The kernels with the worst hazards.
    pub worst: Rc<[Row]>,
    /// The first images of a container.
    pub images: Rc<[Row]>,
    /// Survey of a container's images and devices, as far as it is read.
    pub survey: Option<Rc<SurveyReport>>,
}

/// A change of this state.
pub enum VerdictChange {
    /// The verdict on a document for a device was requested.
    Requested(NodeId, Option<AttrValue>),
    /// The response: the verdict, or why there is none.
    Answered(
        NodeId,
        Option<AttrValue>,
        Result<Rc<VerdictReport>, AttrValue>,
    ),
    /// The worst kernels of a document.
    Worst(NodeId, Rc<[Row]>),
    /// The first images of a document.
    Images(NodeId, Rc<[Row]>),
    /// The survey of a document.
    Survey(NodeId, Rc<SurveyReport>),
}

impl VerdictState {
    /// Applies a change.
    pub fn apply(&mut self, change: VerdictChange) {
        match change {
            VerdictChange::Requested(document, device) => {
                if self.document != Some(document) {
                    self.worst = Rc::default();
                    self.images = Rc::default();
                    self.survey = None;
                }
                self.document = Some(document);
                self.device = device;
                self.error = None;
            }
            VerdictChange::Answered(document, device, report)
                if self.document == Some(document) && self.device == device =>
            {
                match report {
                    Ok(report) => self.report = Some(report),
                    Err(error) => self.error = Some(error),
                }
            }
            VerdictChange::Worst(document, worst) if self.document == Some(document) => {
                self.worst = worst;
            }
            VerdictChange::Images(document, images) if self.document == Some(document) => {
                self.images = images;
            }
            VerdictChange::Survey(document, survey) if self.document == Some(document) => {
                self.survey = Some(survey);
            }
            _ => {}
        }
    }

    /// The verdict.
    pub fn verdict(&self) -> Option<&Verdict> {
        self.report.as_ref()?.verdict.as_ref()
    }

    /// The images of a container.
    pub fn container(&self) -> Option<&ImagesReport> {
        self.report.as_ref()?.images.as_ref()
    }
}

/// Columns of the worst kernels: the name, and those with hazards.
pub const WORST_COLUMNS: [&str; 5] = [
    "name",
    "grf_count",
    "spill_size",
    "private_size",
    "slm_size",
];

/// The same columns for a container.
pub const SURVEY_COLUMNS: [&str; 6] = [
    "name",
    "device",
    "grf_count",
    "spill_size",
    "private_size",
    "slm_size",
];

/// The hazards of a kernel.
pub fn hazards(row: &Row) -> impl Iterator<Item = &Annotation> {
    let marks = row.cells.iter().flat_map(|cell| &cell.marks);
    marks.filter(|mark| mark.tone != Tone::Plain)
}

/// Number of errors: with any, the file is not well-formed.
pub fn errors(opened: &Opened) -> u64 {
    let all = opened.diagnostics.iter();
    all.filter(|problem| problem.diagnostic.severity == Severity::Error)
        .count() as u64
}

/// Columns of the first images; the last three depend on the device.
pub const IMAGE_COLUMNS: [&str; 6] = ["image", "device", "verdict", "chosen", "reason", "outcome"];

/// The same columns for a host file.
pub const HOST_COLUMNS: [&str; 6] = ["image", "target", "kernel", "chosen", "reason", "outcome"];

/// Tone of an outcome.
pub fn tone(outcome: Outcome) -> Tone {
    match outcome {
        Outcome::Loads => Tone::Good,
        Outcome::LoadsWithWarnings | Outcome::NeedsLinking | Outcome::Recompiled => Tone::Warning,
        Outcome::Refused | Outcome::LinkFailure | Outcome::MayCrash | Outcome::DoesNotRun => {
            Tone::Bad
        }
        Outcome::NotJudged => Tone::Plain,
    }
}

/// Fate of a container's images on a device, and its tone.
pub fn choice_text(images: &ImagesReport) -> (Tone, String) {
    let outcome = images.outcome.unwrap_or(Outcome::NotJudged);
    let text = both(outcome.words().to_owned(), outcome, images.opencl);
    (tone(outcome), text)
}

/// Adds the outcome in OpenCL if it is another one.
fn both(words: String, outcome: Outcome, opencl: Option<Outcome>) -> String {
    match opencl.filter(|opencl| *opencl != outcome) {
        Some(opencl) => format!("{words}; OpenCL: {}", opencl.words()),
        None => words,
    }
}

/// Tone of a finding.
pub fn effect_tone(effect: Effect) -> Tone {
    match effect {
        Effect::Passes | Effect::NotJudged => Tone::Plain,
        Effect::Warns | Effect::NeedsLinking | Effect::Recompiles => Tone::Warning,
        Effect::Refuses | Effect::LinkFails | Effect::Crashes => Tone::Bad,
    }
}

/// The verdict in a few words: `loads with warnings (2)`, `loads; OpenCL: recompiled`.
pub fn outcome_text(verdict: &Verdict) -> String {
    let warns = |found: &&crate::model::Finding| found.effect == Effect::Warns;
    let words = match verdict.outcome {
        Outcome::LoadsWithWarnings => {
            let count = verdict.findings.iter().filter(warns).count() as u64;
            format!("{} ({})", verdict.outcome.words(), format::grouped(count))
        }
        outcome => outcome.words().to_owned(),
    };
    both(words, verdict.outcome, Some(verdict.opencl.outcome))
}
