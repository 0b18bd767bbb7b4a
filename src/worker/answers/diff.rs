//! Answers to requests about the comparison with another file.

use std::rc::Rc;

use super::export::EXPORT_MAX;
use super::list::Lists;
use super::reading::STEP_MAX;
use crate::analysis::survey::Progress;
use crate::diff::{Comparison, ComparisonSteps, Options};
use crate::model::json::Versioned;
use crate::model::{Document, NodeId, SourceId};
use crate::report::comparison::{counts, json, verdict_text, write_html, write_markdown};
use crate::tables::ListId;
use crate::tables::kernels::reading::KernelReading;
use crate::worker::protocol::{CompareForm, CompareReport, ListReading, Response};
use zeview_views::diff;

/// A file to compare with, while its kernels and those of the open file are read and compared.
pub(crate) struct Comparing {
    base: Document,
    /// The comparison, once the kernels are read.
    steps: Option<ComparisonSteps>,
    /// The kernels of the images in it.
    reading: Option<KernelReading>,
    /// Whether the comparison needs the kernels of the open file, too.
    reads_all: bool,
}

impl Comparing {
    pub(crate) fn new(mut base: Document, document: &Document) -> Comparing {
        let reads_all = diff::reads_all_kernels(&base, document);
        let reading = reads_all.then(|| KernelReading::new(&mut base, NodeId::ROOT));
        let mut reading = reading.flatten();
        if let Some(reading) = &mut reading {
            reading.may_wait(true);
        }
        Comparing {
            base,
            steps: None,
            reading,
            reads_all,
        }
    }

    /// Reads on in both files, then compares. Returns what is left, or `None` at the end.
    pub(crate) fn step(
        &mut self,
        document: &mut Document,
        lists: &mut Lists,
        options: &Options,
    ) -> Option<ListReading> {
        let started = (lists.clock)();
        // Two kernels are found without reading the others.
        if self.steps.is_none() && options.kernels.is_none() {
            let left = self.read(document, lists);
            if left.is_some() {
                return left;
            }
            let reading = self.reading.take().map(|reading| reading.kernels());
            let known = lists.kernels_read().filter(|_| self.reads_all);
            let kernels = (reading, known);
            let steps = ComparisonSteps::new(&self.base, document, kernels, options.clone());
            self.steps = Some(steps);
        }
        if self.steps.is_none() {
            let steps = ComparisonSteps::new(&self.base, document, (None, None), options.clone());
            self.steps = Some(steps);
        }
        // Other options may be chosen while it goes on.
        if let Some(steps) = self.steps.take_if(|steps| *steps.options() != *options) {
            let (_, kernels) = steps.finish();
            let steps = ComparisonSteps::new(&self.base, document, kernels, options.clone());
            self.steps = Some(steps);
        }
        let steps = self.steps.as_mut()?;
        while steps.step(&mut self.base, document) {
            if (lists.clock)() - started >= STEP_MAX {
                let progress = steps.progress().unwrap_or(Progress { done: 0, of: 1 });
                return Some(ListReading::Compared(progress));
            }
        }
        None
    }

    /// Reads on in both files. Returns what is left, or `None` if all was read.
    fn read(&mut self, document: &mut Document, lists: &mut Lists) -> Option<ListReading> {
        let mut total = Progress { done: 0, of: 0 };
        let mut add = |progress: Progress| {
            total.done = total.done.saturating_add(progress.done);
            total.of = total.of.saturating_add(progress.of);
        };
        let mut unpacking = None;
        if let Some(reading) = &mut self.reading {
            let started = (lists.clock)();
            while reading.step(&mut self.base) {
                let is_ready = reading.is_ready(&self.base.sources);
                if !is_ready || (lists.clock)() - started >= STEP_MAX {
                    break;
                }
            }
            reading.announce(&self.base.sources);
            unpacking = reading.unpacking();
            add(reading.progress());
        }
        if self.reads_all
            && let Some(progress) = lists.read_kernels(document, NodeId::ROOT, false)
        {
            unpacking = unpacking.or_else(|| lists.unpacking(ListId::Kernels));
            add(progress);
        }
        (!total.is_over()).then_some(ListReading::Images(total, unpacking))
    }

    /// Keeps the result for later requests.
    fn finish(self, document: &mut Document) -> Option<Rc<Comparison>> {
        Some(diff::keep_base(document, self.base, self.steps?.finish()))
    }
}

/// Compares a document with another file, or again with the same file; in that case the result also
/// locates the difference at index `keep`.
///
/// # Errors
///
/// If there is no previous comparison, as a message.
pub(crate) fn compare(
    document: &mut Document,
    base: Option<Comparing>,
    options: &Options,
    keep: Option<u64>,
) -> Result<Response, String> {
    let before = diff::comparison(document)
        .filter(|_| base.is_none())
        .cloned();
    let compared = match base {
        Some(base) => base.finish(document),
        None => diff::compare_again(document, options),
    };
    let comparison = compared.ok_or(NONE)?;
    let kept = before.and_then(|before| comparison.find_again(&before, keep?));
    Ok(Response::Compared(Box::new(CompareReport {
        kept,
        ..report(&comparison)
    })))
}

const NONE: &str = "The file is not compared with another one.";

fn report(comparison: &Comparison) -> CompareReport {
    CompareReport {
        from: comparison.a.clone(),
        to: comparison.b.clone(),
        equal: comparison.equal,
        same_meaning: comparison.same_meaning(),
        differences: comparison.entries.len() as u64,
        verdict: verdict_text(comparison).into(),
        counts: counts(comparison).split_off(comparison.devices.len()),
        devices: comparison.by_device(),
        is_kernels_only: comparison.is_kernels_only,
        remarks: comparison.remarks.clone(),
        is_cut: comparison.is_cut,
        notes: comparison.notes.clone(),
        kept: None,
    }
}

/// Returns the indexes of the bytes that differ, one per file.
///
/// # Errors
///
/// If the file is not compared, as a message.
pub(crate) fn differing(document: &Document) -> Result<Response, String> {
    let differing = diff::differing_from_base(document).ok_or(NONE)?;
    Ok(Response::Differing(Box::new(differing)))
}

/// Finds the path of an unpacked source of the first file.
///
/// # Errors
///
/// If the file is not compared, as a message.
pub(crate) fn base_path(document: &Document, source: SourceId) -> Result<Response, String> {
    let base = diff::base(document).ok_or(NONE)?;
    let mut base = base.document.borrow_mut();
    let whole = base.sources.whole(source);
    let node = base.nodes_for(whole).last().copied();
    let node = node.filter(|id| base.node(*id).is_some_and(|node| node.span == Some(whole)));
    Ok(Response::BasePath(node.map(|id| base.path(id))))
}

/// Writes the whole comparison as text.
///
/// # Errors
///
/// If the file is not compared, or the text would be too long, as a message.
pub(crate) fn written(document: &Document, form: CompareForm) -> Result<Response, String> {
    let comparison = diff::comparison(document).ok_or(NONE)?;
    let mut out = Vec::new();
    let written = match form {
        CompareForm::Markdown => write_markdown(comparison, &mut out),
        CompareForm::Html => write_html(comparison, &mut out),
        CompareForm::Json => serde_json::to_writer(&mut out, &Versioned::new(json(comparison)))
            .map_err(std::io::Error::from),
    };
    written.map_err(|error| error.to_string())?;
    if out.len() > EXPORT_MAX {
        return Err("This comparison is too long. Use the command line: zeview diff.".to_owned());
    }
    String::from_utf8(out)
        .map(Response::Text)
        .map_err(|error| error.to_string())
}
