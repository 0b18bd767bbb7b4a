//! Answers to requests about profiles.

use std::rc::Rc;

use crate::analysis::profile::{
    CodeProfile, ImageKernel, InstructionSamples, KernelProfile, Profile, ProfileReport, Reader,
    most_stalled, total,
};
use crate::decode::demangle::demangle_briefly;
use crate::model::{ByteSource, Document, NodeId, SourceError, Span};
use crate::tables::ListId;
use crate::worker::protocol::{
    CodeSamples, PROFILED_MAX, ProfileOverview, ProfiledKernel, RejectedKernel, Response,
    STALLS_MAX,
};

/// Number of bytes of a profile read before each answer.
const STEP: u64 = 8 << 20;

/// Maximum length of a read, in bytes.
const PIECE: u64 = 1 << 20;

/// Maximum number of images listed for a kernel.
const IMAGES: usize = 16;

/// The profile that is being read.
#[derive(Default)]
pub(crate) struct Profiling(Option<Reading>);

struct Reading {
    name: String,
    source: Box<dyn ByteSource>,
    /// Number of bytes read.
    at: u64,
    reader: Reader,
}

impl Profiling {
    /// Starts to read a profile, instead of the one that is being read.
    pub(crate) fn start(&mut self, name: &str, source: Box<dyn ByteSource>) {
        self.0 = Some(Reading {
            name: name.to_owned(),
            source,
            at: 0,
            reader: Reader::new(),
        });
    }

    /// Reads on. At the end, adds the profile to the document.
    ///
    /// # Errors
    ///
    /// If the file is no profile or cannot be read, as a message.
    pub(crate) fn step(&mut self, document: &mut Document, name: &str) -> Result<Response, String> {
        let reading = self.0.take().filter(|reading| reading.name == name);
        let mut reading = reading.ok_or_else(|| format!("{name} is not being read."))?;
        let read = reading.step();
        read.map_err(|error| format!("{name} cannot be read: {}", error.message))?;
        let len = reading.source.len();
        if reading.at < len {
            let percent = u128::from(reading.at) * 100 / u128::from(len.max(1));
            self.0 = Some(reading);
            let percent = u8::try_from(percent).unwrap_or(100);
            return Ok(Response::ReadingProfile { percent });
        }
        let profile = reading.reader.finish();
        if profile.kernels.is_empty() && profile.metrics.is_empty() {
            return Err(refusal(name, &profile));
        }
        let images = document.documents_with(ListId::Kernels);
        let report = document.apply_profile(&images, &profile, None, &demangle_briefly);
        let overview = overview(name, profile, &report);
        document.set_profile(Rc::new(report));
        Ok(Response::Profile(Box::new(overview)))
    }
}

impl Reading {
    fn step(&mut self) -> Result<(), SourceError> {
        let len = self.source.len();
        let end = len.min(self.at.saturating_add(STEP));
        while self.at < end {
            let piece = PIECE.min(end - self.at);
            self.reader.push(&self.source.read(self.at, piece)?);
            self.at += piece;
        }
        Ok(())
    }
}

/// Explains why a file is no profile.
fn refusal(name: &str, profile: &Profile) -> String {
    match profile.problems.as_slice() {
        [] => format!("{name} has no samples: all of its rows are idle time, or it has no rows."),
        [first, others @ ..] => {
            let more = others.len() as u64 + profile.more_problems;
            let more = match more {
                0 => String::new(),
                1 => " 1 more line has a problem.".to_owned(),
                more => format!(" {more} more lines have problems."),
            };
            format!(
                "{name} is not a readable profile. Line {}: {}.{more}",
                first.line, first.message
            )
        }
    }
}

fn overview(name: &str, mut profile: Profile, report: &ProfileReport) -> ProfileOverview {
    let cut = |len: usize| len.saturating_sub(PROFILED_MAX) as u64;
    let more_problems = profile.more_problems + cut(profile.problems.len());
    profile.problems.truncate(PROFILED_MAX);
    let kernels = report.kernels.iter().take(PROFILED_MAX);
    let unmatched = report.unmatched.iter().take(PROFILED_MAX);
    ProfileOverview {
        name: name.to_owned(),
        rows: profile.rows,
        skipped_rows: profile.skipped_rows,
        problems: profile.problems,
        more_problems,
        types: report.types.clone(),
        samples: report.samples.clone(),
        kernels: kernels.map(|kernel| profiled(report, kernel)).collect(),
        unmatched: unmatched
            .map(|kernel| RejectedKernel {
                device: kernel.device,
                name: kernel.name.clone(),
                samples: total(&kernel.samples),
                reason: kernel.reason.clone(),
            })
            .collect(),
        left_out: cut(report.kernels.len()) + cut(report.unmatched.len()),
        metrics: report.metrics.len() as u64,
    }
}

fn profiled(report: &ProfileReport, kernel: &KernelProfile) -> ProfiledKernel {
    let first = kernel.codes.first();
    let stalls = first.map_or(&[][..], |code: &CodeProfile| &code.instructions);
    let stalls = most_stalled(&report.types, stalls, STALLS_MAX);
    let images = kernel.codes.iter().flat_map(|code| &code.images);
    let images: Vec<ImageKernel> = images.take(IMAGES).cloned().collect();
    ProfiledKernel {
        device: kernel.device,
        name: kernel.name.clone(),
        samples: kernel.samples.clone(),
        images,
        is_ambiguous: kernel.codes.len() > 1,
        stalls: stalls.into_iter().cloned().collect(),
    }
}

/// Returns the samples in a section of code of the innermost document around a node.
///
/// # Errors
///
/// If there is no code, as a message.
pub(crate) fn code_samples(
    document: &mut Document,
    node: NodeId,
    of: Span,
) -> Result<Response, String> {
    let id = document.document_of(node, ListId::Instructions);
    let id = id.ok_or("This part of the file has no instructions.")?;
    let samples = document.profile().map(|report| {
        let mut rows = report.on_code(of);
        let offsets = |at: &InstructionSamples| at.offset;
        let stalls = most_stalled(&report.types, &rows, STALLS_MAX);
        let stalls: Vec<u64> = stalls.into_iter().map(offsets).collect();
        let place = |offset: &u64| rows.binary_search_by_key(offset, offsets).ok();
        let stalls: Vec<u32> = stalls
            .iter()
            .filter_map(|offset| u32::try_from(place(offset)?).ok())
            .collect();
        let mut samples = vec![0; report.types.len()];
        for (at, row) in (0..).zip(&mut rows) {
            for (sum, count) in samples.iter_mut().zip(&row.counts) {
                *sum = u64::saturating_add(*sum, *count);
            }
            if !stalls.contains(&at) {
                row.text = String::new();
                for cause in &mut row.causes {
                    cause.text.clear();
                    cause.operation.clear();
                }
            }
        }
        Box::new(CodeSamples {
            document: id,
            of,
            types: report.types.clone(),
            samples,
            most: rows.iter().map(|at| total(&at.counts)).max().unwrap_or(0),
            rows,
            stalls,
        })
    });
    Ok(Response::CodeSamples(samples))
}
