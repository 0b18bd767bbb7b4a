//! Profiles whose figures are columns of the kernel table.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;
use zeview::tables;

use zeview::analysis::profile::{ProfileReport, add_profile, apply_profile, total};
use zeview::decode::demangle::demangle_briefly;
use zeview::model::Document;
use zeview::model::text::plural;
use zeview::tables::{ListId, add_metric_columns};

use crate::FileArgument;
use crate::files::while_reading;
use crate::output::complain;
use crate::profile;

/// Maximum number of kernels of a profile that are reported as not matched.
const UNMATCHED: usize = 20;

/// A kernel of a profile: its device and name.
type Kernel = (Option<u32>, String);

/// The profiles.
pub struct Profiles<'a>(Vec<Applied<'a>>);

struct Applied<'a> {
    path: &'a Path,
    reading: profile::Reading,
    matched: HashSet<Kernel>,
    /// Number of samples of each kernel at instructions, in the file with most of them.
    located: HashMap<Kernel, u64>,
    /// The kernels that were not matched in a file, with the reason.
    unmatched: BTreeMap<Kernel, String>,
}

impl<'a> Profiles<'a> {
    /// Reads profiles, and adds columns for their metrics. Returns `None` if a file cannot be read,
    /// which is reported.
    pub fn read(paths: &'a [FileArgument]) -> Option<Profiles<'a>> {
        let mut all = Vec::new();
        for path in paths {
            let reading = while_reading(path, |_| profile::read(path))
                .inspect_err(|error| complain!("{}: {error}", path.display()))
                .ok()?;
            add_metric_columns(reading.profile.metric_names().iter().map(String::as_str));
            all.push(Applied {
                path,
                reading,
                located: HashMap::new(),
                matched: HashSet::new(),
                unmatched: BTreeMap::new(),
            });
        }
        Some(Profiles(all))
    }

    /// Finds the kernels of the profiles in a file.
    pub fn apply(&mut self, document: &mut Document) {
        if self.0.is_empty() {
            return;
        }
        let images = tables::documents_with(document, ListId::Kernels);
        for of in &mut self.0 {
            let report = apply_profile(
                document,
                &images,
                &of.reading.profile,
                None,
                &demangle_briefly,
            );
            of.note(&report);
            add_profile(document, report);
        }
    }

    /// Reports problems of the profiles, and kernels that are in no file. Returns whether rows were
    /// skipped, or no kernel of a profile is in a file.
    pub fn complain(&self) -> bool {
        let mut has_failed = false;
        for of in &self.0 {
            has_failed |= of.reading.complain();
            has_failed |= of.complain();
        }
        has_failed
    }
}

impl Applied<'_> {
    fn note(&mut self, report: &ProfileReport) {
        let mut located: HashMap<Kernel, u64> = HashMap::new();
        for kernel in &report.kernels {
            let codes = kernel.codes.iter();
            let of_codes = codes.map(|code| total(&code.samples(report.types.len())));
            let key = (kernel.device, kernel.name.clone());
            *located.entry(key).or_default() += of_codes.max().unwrap_or(0);
        }
        for (key, count) in located {
            let known = self.located.entry(key).or_default();
            *known = count.max(*known);
        }
        let kernels = report
            .kernels
            .iter()
            .map(|kernel| (kernel.device, &kernel.name, None));
        let unmatched = report.unmatched.iter();
        let unmatched = unmatched.map(|kernel| (kernel.device, &kernel.name, Some(&kernel.reason)));
        let metrics = report.metrics.iter();
        let metrics = metrics.map(|kernel| (kernel.device, &kernel.name, kernel.reason.as_ref()));
        let timings = report.timings.iter();
        let timings = timings.map(|kernel| (None, &kernel.name, kernel.reason.as_ref()));
        let counts = report.counts.iter();
        let counts = counts.map(|kernel| (None, &kernel.name, kernel.reason.as_ref()));
        let others = metrics.chain(timings).chain(counts);
        for (device, name, reason) in kernels.chain(unmatched).chain(others) {
            let kernel = (device, name.clone());
            match reason {
                None => {
                    self.unmatched.remove(&kernel);
                    self.matched.insert(kernel);
                }
                Some(_) if self.matched.contains(&kernel) => {}
                Some(reason) => {
                    self.unmatched.insert(kernel, reason.clone());
                }
            }
        }
    }

    fn complain(&self) -> bool {
        let path = self.path.display();
        let read = &self.reading.profile;
        let samples = read.kernels.iter();
        let samples = samples.map(|kernel| total(&kernel.samples(read.types.len())));
        let all = samples.fold(0, u64::saturating_add);
        let located = self.located.values().copied();
        let lost = all.saturating_sub(located.fold(0, u64::saturating_add));
        let mut is_lost = false;
        if read.is_empty() && read.problems.is_empty() {
            complain!("{path}: {}", profile::EMPTY);
        } else if self.matched.is_empty() {
            complain!("{path}: no kernel of the profile matches");
        } else if lost > all - lost {
            is_lost = true;
            complain!("{path}: {}", profile::lost_samples(lost, all));
        }
        for ((device, name), reason) in self.unmatched.iter().take(UNMATCHED) {
            let device = device.map(|device| format!(", device {device}"));
            let device = device.unwrap_or_default();
            complain!("{path}: kernel {name}{device} is not matched: {reason}");
        }
        let more = self.unmatched.len().saturating_sub(UNMATCHED) as u64;
        if more > 0 {
            let more = plural(more, "more kernel");
            complain!("{path}: {more} not matched; zeview profile lists all");
        }
        is_lost || self.matched.is_empty()
    }
}
