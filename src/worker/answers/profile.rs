//! Answers to requests about profiles.

use crate::tables;
use crate::tables::profile_changes;
use std::rc::Rc;
use zeview_analysis::profile;

use crate::analysis::profile::{
    ImageKernel, InstructionCounts, InstructionSamples, KernelCounts, KernelProfile, OffsetSamples,
    Profile, ProfileReport, Reader, device_of_name, most_stalled, total,
};
use crate::decode::demangle::demangle_briefly;
use crate::model::{ByteSource, Document, NodeId, SourceError, Span};
use crate::tables::{ListId, add_metric_columns};
use crate::worker::protocol::{
    CodeSamples, CountedKernel, PROFILED_MAX, ProfileOverview, ProfiledKernel, RejectedKernel,
    Response, STALLS_MAX,
};

/// Number of bytes of a profile read before each answer.
const STEP: u64 = 8 << 20;

/// Maximum length of a read, in bytes.
const PIECE: u64 = 1 << 20;

/// Maximum number of images listed for a kernel.
const IMAGES: usize = 16;

/// The profile that is being read, and those that were added.
#[derive(Default)]
pub(crate) struct Profiling {
    reading: Option<Reading>,
    /// The files of a run that were read before its last one.
    parts: Parts,
    /// The names of the files with the samples, with the metrics, with the times and with the counts.
    names: [String; 4],
    /// The summary of the profile that was added.
    overview: Option<ProfileOverview>,
}

/// The files of a run before the last one.
#[derive(Default)]
struct Parts {
    profile: Profile,
    /// Their names.
    names: Vec<String>,
}

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
        self.reading = Some(Reading {
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
    pub(crate) fn step(
        &mut self,
        document: &mut Document,
        name: &str,
        (is_earlier, is_part): (bool, bool),
    ) -> Result<Response, String> {
        let reading = self.reading.take().filter(|reading| reading.name == name);
        let mut reading = reading.ok_or_else(|| format!("{name} is not being read."))?;
        let read = reading.step();
        read.map_err(|error| format!("{name} cannot be read: {}", error.message))?;
        let len = reading.source.len();
        if reading.at < len {
            let percent = u128::from(reading.at) * 100 / u128::from(len.max(1));
            self.reading = Some(reading);
            let percent = u8::try_from(percent).unwrap_or(100);
            return Ok(Response::ReadingProfile { percent });
        }
        let mut profile = reading.reader.finish();
        if let Some(device) = device_of_name(name) {
            profile.set_device(device);
        }
        if is_part {
            self.parts.add(name, profile);
            return Ok(Response::Prepared);
        }
        let mut name = name.to_owned();
        if !self.parts.names.is_empty() {
            self.parts.add(&name, profile);
            let parts = std::mem::take(&mut self.parts);
            name = parts.name();
            profile = parts.profile;
        }
        if profile.is_empty() {
            return Err(refusal(&name, &profile));
        }
        if is_earlier {
            if !profile.kernels.is_empty() {
                profile::set_earlier_profile(document, Rc::new(profile));
            }
            return self.answer(document);
        }
        let images = tables::documents_with(document, ListId::Kernels);
        let report = profile::apply_profile(document, &images, &profile, None, &demangle_briefly);
        let metrics = report.metric_names();
        add_metric_columns(metrics.iter().map(String::as_str));
        let is_first = profile::added_profile(document).is_none();
        let has = [
            report.has_samples(),
            !report.metrics.is_empty(),
            !report.timings.is_empty(),
            !report.counts.is_empty(),
        ];
        for (known, has) in self.names.iter_mut().zip(has) {
            if has || is_first {
                *known = if has { name.clone() } else { String::new() };
            }
        }
        let report = profile::add_profile(document, report);
        self.overview = Some(overview(&self.names(), &profile, &report));
        if !profile.kernels.is_empty() {
            profile::keep_profile(document, Rc::new(profile));
        }
        self.answer(document)
    }

    /// Returns the summary of the profile that was added.
    ///
    /// # Errors
    ///
    /// If no profile was added, as a message.
    fn answer(&mut self, document: &Document) -> Result<Response, String> {
        let overview = self.overview.as_mut();
        let overview = overview.ok_or("Add a profile of this file first.")?;
        overview.is_compared = profile_changes::has_earlier_profile(document);
        Ok(Response::Profile(Box::new(overview.clone())))
    }

    /// Returns the names of the profiles that were added.
    fn names(&self) -> String {
        let mut names: Vec<&str> = Vec::new();
        for name in &self.names {
            if !name.is_empty() && !names.contains(&&**name) {
                names.push(name);
            }
        }
        match names.split_last() {
            Some((last, others)) if !others.is_empty() => {
                format!("{} and {last}", others.join(", "))
            }
            _ => names.concat(),
        }
    }
}

impl Parts {
    fn add(&mut self, name: &str, mut profile: Profile) {
        self.names.push(name.to_owned());
        let problems = std::mem::take(&mut profile.problems);
        self.profile.more_problems += profile.more_problems;
        self.profile.join(profile);
        self.profile.problems.extend(problems);
    }

    /// Returns the name of all files.
    fn name(&self) -> String {
        let first = self.names.first().cloned().unwrap_or_default();
        match self.names.len().saturating_sub(1) {
            0 => first,
            1 => format!("{first} and 1 more file"),
            more => format!("{first} and {more} more files"),
        }
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

fn overview(name: &str, profile: &Profile, report: &ProfileReport) -> ProfileOverview {
    let cut = |len: usize| len.saturating_sub(PROFILED_MAX) as u64;
    let more_problems = profile.more_problems + cut(profile.problems.len());
    let problems = profile.problems.iter().take(PROFILED_MAX);
    let kernels = report.kernels.iter().take(PROFILED_MAX);
    let rejected = report.unmatched.iter().map(|kernel| RejectedKernel {
        device: kernel.device,
        name: kernel.name.clone(),
        samples: total(&kernel.samples),
        reason: kernel.reason.clone(),
    });
    let unmeasured = report.metrics.iter().filter_map(|kernel| {
        Some(RejectedKernel {
            device: kernel.device,
            name: kernel.name.clone(),
            samples: 0,
            reason: format!("no metrics: {}", kernel.reason.as_ref()?),
        })
    });
    let uncounted = report.counts.iter().filter_map(|kernel| {
        Some(RejectedKernel {
            device: None,
            name: kernel.name.clone(),
            samples: 0,
            reason: format!("no executions: {}", kernel.reason.as_ref()?),
        })
    });
    let others = unmeasured.chain(uncounted);
    let unmatched: Vec<RejectedKernel> = rejected.chain(others).collect();
    let times = report.timings.iter().filter_map(|timing| timing.times);
    let unmatched_count = unmatched.len();
    ProfileOverview {
        name: name.to_owned(),
        rows: profile.rows,
        skipped_rows: profile.skipped_rows,
        problems: problems.cloned().collect(),
        more_problems,
        types: report.types.clone(),
        samples: report.samples.clone(),
        lost: total(&report.samples).saturating_sub(report.located),
        timings: report.timings.iter().take(PROFILED_MAX).cloned().collect(),
        device_time: times.fold(0, |sum, times| sum.saturating_add(times.total)),
        counts: report
            .counts
            .iter()
            .take(PROFILED_MAX)
            .map(counted)
            .collect(),
        kernels: kernels.map(|kernel| profiled(report, kernel)).collect(),
        unmatched: unmatched.into_iter().take(PROFILED_MAX).collect(),
        left_out: cut(report.kernels.len()) + cut(unmatched_count),
        metrics: report.metric_names(),
        is_sampled: !profile.kernels.is_empty(),
        is_compared: false,
    }
}

fn profiled(report: &ProfileReport, kernel: &KernelProfile) -> ProfiledKernel {
    let first = kernel.codes.first();
    let stalls = first.map_or(&[][..], |code| &code.instructions);
    let sum = |offsets: &[OffsetSamples]| {
        let counts = offsets.iter().map(|at| total(&at.counts));
        counts.fold(0, u64::saturating_add)
    };
    let elsewhere = first.map_or([0; 2], |code| [sum(&code.after_end), sum(&code.between)]);
    let stalls = most_stalled(&report.types, stalls, STALLS_MAX);
    let images = kernel.codes.iter().flat_map(|code| &code.images);
    let images: Vec<ImageKernel> = images.take(IMAGES).cloned().collect();
    ProfiledKernel {
        device: kernel.device,
        name: kernel.name.clone(),
        samples: kernel.samples.clone(),
        images,
        is_ambiguous: kernel.codes.len() > 1,
        blocks: [kernel.blocks, kernel.of_blocks],
        assumption: kernel.assumption.clone(),
        elsewhere,
        functions: first.map_or_else(Vec::new, |code| code.functions.clone()),
        stalls: stalls.into_iter().cloned().collect(),
    }
}

fn counted(kernel: &KernelCounts) -> CountedKernel {
    let first = kernel.codes.first();
    let instructions = first.map_or(&[][..], |code| &code.instructions);
    let cost = |at: &&InstructionCounts| (at.cycles.unwrap_or(at.executions), at.executions);
    let images = kernel.codes.iter().flat_map(|code| &code.images);
    CountedKernel {
        name: kernel.name.clone(),
        runs: kernel.runs,
        executions: kernel.executions,
        threads: first.and_then(|code| code.threads),
        images: images.take(IMAGES).cloned().collect(),
        costliest: instructions.iter().max_by_key(cost).cloned(),
        reason: kernel.reason.clone(),
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
    let id = tables::document_of(document, node, ListId::Instructions);
    let id = id.ok_or("This part of the file has no instructions.")?;
    let samples = profile::added_profile(document).map(|report| {
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
            counts: report.counts_on_code(of),
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
