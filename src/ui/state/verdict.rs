//! State of the verdict on the selection's document.

use std::rc::Rc;

use yew::AttrValue;

use super::View;
use super::answer::Answer;
use crate::analysis::Verdict;
use crate::model::{Capabilities, Effect, NodeId, Outcome, Severity, Str, Summary, Tone};
use crate::tables::{Annotation, Row};
use crate::ui::text::format;
use crate::worker::protocol::{ImagesReport, Opened, SurveyReport, VerdictReport, WorstRow};

/// A document, and the device that it is judged for; `None`: its own.
pub type Judged = (NodeId, Option<AttrValue>);

/// The parts that the latest answer has, whatever they say. They are shown while the next answer is
/// awaited, so that nothing jumps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Parts {
    /// The contents of the document.
    pub has: Capabilities,
    /// A verdict.
    pub verdict: bool,
    /// Images of a container.
    pub images: bool,
}

/// The verdict on a document.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct VerdictState {
    /// The chosen device, for all documents; `None`: the document's own.
    pub device: Option<AttrValue>,
    /// The verdict, or the images of a container; or why there is none: an unknown device.
    pub report: Answer<Judged, Result<Rc<VerdictReport>, AttrValue>>,
    /// The kernels to look at.
    pub worst: Answer<NodeId, Rc<[WorstRow]>>,
    /// The first images of a container.
    pub images: Answer<Judged, Rc<[Row]>>,
    /// Survey of a container's images and devices, as far as it is read.
    pub survey: Answer<NodeId, Rc<SurveyReport>>,
    /// The parts of the latest verdict.
    pub parts: Parts,
}

/// A change of this state.
pub enum VerdictChange {
    /// The verdict on a document for a device was requested.
    Requested(Judged),
    /// The response: the verdict, or why there is none.
    Answered(Judged, Result<Rc<VerdictReport>, AttrValue>),
    /// The worst kernels of a document.
    Worst(NodeId, Rc<[WorstRow]>),
    /// The first images of a document.
    Images(Judged, Rc<[Row]>),
    /// The survey of a document.
    Survey(NodeId, Rc<SurveyReport>),
}

impl VerdictState {
    /// Applies a change.
    pub fn apply(&mut self, change: VerdictChange) {
        match change {
            VerdictChange::Requested(judged) => {
                self.worst.ask(judged.0);
                self.survey.ask(judged.0);
                self.images.ask(judged.clone());
                self.device = judged.1.clone();
                self.report.ask(judged);
            }
            VerdictChange::Answered(judged, report) => {
                let parts = report.as_ref().ok().map(|report| Parts {
                    has: report
                        .summary
                        .as_ref()
                        .map(|inner| inner.has)
                        .unwrap_or_default(),
                    verdict: report.verdict.is_some(),
                    images: report.images.is_some(),
                });
                if self.report.put(&judged, report)
                    && let Some(parts) = parts
                {
                    self.parts = parts;
                }
            }
            VerdictChange::Worst(document, worst) => {
                self.worst.put(&document, worst);
            }
            VerdictChange::Images(judged, images) => {
                self.images.put(&judged, images);
            }
            VerdictChange::Survey(document, survey) => {
                self.survey.put(&document, survey);
            }
        }
    }

    /// The document of the latest request.
    pub fn document(&self) -> Option<NodeId> {
        Some(self.report.question()?.0)
    }
}

/// What is known about the selection's document, on the chosen device.
impl View {
    fn judged(&self) -> Judged {
        (self.selection.document(), self.verdict.device.clone())
    }

    fn verdict_answer(&self) -> Option<&Result<Rc<VerdictReport>, AttrValue>> {
        self.verdict.report.to(&self.judged())
    }

    /// Whether the verdict is not known yet.
    pub fn awaits_verdict(&self) -> bool {
        self.verdict_answer().is_none()
    }

    /// The answer about the verdict, once it is known.
    pub fn verdict_report(&self) -> Option<&VerdictReport> {
        self.verdict_answer()?.as_deref().ok()
    }

    /// Why there is no verdict.
    pub fn verdict_error(&self) -> Option<&AttrValue> {
        self.verdict_answer()?.as_ref().err()
    }

    /// The verdict, once it is known.
    pub fn driver_verdict(&self) -> Option<&Verdict> {
        self.verdict_report()?.verdict.as_ref()
    }

    /// The images of a container, once they are known.
    pub fn container(&self) -> Option<&ImagesReport> {
        self.verdict_report()?.images.as_ref()
    }

    /// The summary of the selection's document, once it is known.
    pub fn summary(&self) -> Option<&Summary> {
        if self.selection.document() == NodeId::ROOT {
            return Some(&self.opened.summary);
        }
        let report = self.verdict_report()?;
        Some(report.summary.as_ref().unwrap_or(&self.opened.summary))
    }

    /// The device that the selection's document names itself, once it is known; may be empty.
    pub fn device(&self) -> Option<&Str> {
        if self.selection.document() == NodeId::ROOT {
            return Some(&self.opened.device);
        }
        Some(&self.verdict_report()?.device)
    }

    /// The parts of the answer about the verdict, or of the one before while it is awaited.
    pub fn verdict_parts(&self) -> Parts {
        self.verdict.parts
    }

    /// The kernels with the worst hazards, once they are known.
    pub fn worst_kernels(&self) -> Option<&Rc<[WorstRow]>> {
        self.verdict.worst.to(&self.selection.document())
    }

    /// The first images of a container for the chosen device, once they are known.
    pub fn first_images(&self) -> Option<&Rc<[Row]>> {
        self.verdict.images.to(&self.judged())
    }

    /// The survey of a container, as far as it is read.
    pub fn survey(&self) -> Option<&Rc<SurveyReport>> {
        self.verdict.survey.to(&self.selection.document())
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
    if images.unread.is_some() {
        return (Tone::Plain, "not known yet".to_owned());
    }
    if images.outcome.is_none() && images.count == 0 {
        return (Tone::Plain, "no images".to_owned());
    }
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
