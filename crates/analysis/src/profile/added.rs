//! The profile that was added to a document.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use super::report::{Cause, InstructionSamples, ProfileReport};
use super::timing::COMPILED;
use super::{Profile, add, total};
use zeview_core::analysis::kernels::KernelRow;
use zeview_core::model::{Document, NodeId, Span, sort};

/// The figures of a profile for kernels, by their entry. Lists share them with the document, so that
/// those made before a profile was added have them, too.
pub type ProfiledKernels = Rc<RefCell<HashMap<Span, ProfiledKernel>>>;

/// The figures of a profile for a kernel.
#[derive(Debug, Default)]
pub struct ProfiledKernel {
    /// Number of samples.
    pub samples: Option<u64>,
    /// The metrics, by name.
    pub metrics: Vec<(String, f64)>,
    /// How it was compiled ([`COMPILED`]).
    pub compiled: Option<String>,
}

impl ProfiledKernel {
    /// Whether it has a figure with a name, or a text.
    pub fn has(&self, name: &str) -> bool {
        self.metric(name).is_some() || name == COMPILED && self.compiled.is_some()
    }

    /// Returns a metric.
    pub fn metric(&self, name: &str) -> Option<f64> {
        let mut metrics = self.metrics.iter();
        Some(metrics.find(|(known, _)| known == name)?.1)
    }
}

/// Type under which a document keeps the report of its profile.
struct AddedProfile(Rc<ProfileReport>);

/// Type under which a document keeps its profiles with samples: the current one, and the one that it
/// is compared with.
#[derive(Default, Clone)]
struct SampledProfiles {
    current: Option<Rc<Profile>>,
    earlier: Option<Rc<Profile>>,
}

/// Adds the report of a profile, for lists and for the page. It replaces that of an earlier
/// profile; but a profile that has only samples or only metrics keeps the others. Returns the
/// report of both.
pub fn add_profile(document: &mut Document, mut report: ProfileReport) -> Rc<ProfileReport> {
    if let Some(earlier) = added_profile(document) {
        report.keep(&earlier);
    }
    let report = Rc::new(report);
    let mut profiled: HashMap<Span, ProfiledKernel> = HashMap::new();
    for (id, index, counts) in report.by_kernel() {
        if let Some(entry) = kernel_entry(document, id, index) {
            profiled.entry(entry).or_default().samples = Some(total(&counts));
        }
    }
    for kernel in report.kernel_figures() {
        if let Some(entry) = kernel_entry(document, kernel.document, kernel.index) {
            let profiled = profiled.entry(entry).or_default();
            profiled.metrics = kernel.figures;
            profiled.compiled = kernel.compiled;
        }
    }
    profiled_kernels(document).replace(profiled);
    document.extensions.insert(AddedProfile(Rc::clone(&report)));
    report
}

/// Keeps a profile with samples that was added, to compare it with a later one. The previous one
/// becomes the earlier profile.
pub fn keep_profile(document: &mut Document, profile: Rc<Profile>) {
    let mut kept = sampled_profiles(document);
    kept.earlier = kept.current.replace(profile).or(kept.earlier);
    document.extensions.insert(kept);
}

/// Sets the profile that the current one is compared with.
pub fn set_earlier_profile(document: &mut Document, profile: Rc<Profile>) {
    let mut kept = sampled_profiles(document);
    kept.earlier = Some(profile);
    document.extensions.insert(kept);
}

/// Returns the profile that the current one is compared with.
pub fn earlier_profile(document: &Document) -> Option<Rc<Profile>> {
    sampled_profiles(document).earlier
}

fn sampled_profiles(document: &Document) -> SampledProfiles {
    let kept = document.extensions.get::<SampledProfiles>();
    kept.cloned().unwrap_or_default()
}

fn kernel_entry(document: &Document, id: NodeId, index: u64) -> Option<Span> {
    let rows = document.kernels(id)?.rows(&document.sources);
    let is_it = |row: &&KernelRow| row.index == index;
    let at = usize::try_from(index).ok().and_then(|at| rows.get(at));
    let row = at.filter(is_it).or_else(|| rows.iter().find(is_it))?;
    Some(row.entry)
}

/// Returns the figures of kernels, shared with later profiles.
pub fn profiled_kernels(document: &mut Document) -> ProfiledKernels {
    if let Some(known) = document.extensions.get::<ProfiledKernels>() {
        return Rc::clone(known);
    }
    let profiled = ProfiledKernels::default();
    document.extensions.insert(Rc::clone(&profiled));
    profiled
}

/// Returns the report of the profile that was added.
pub fn added_profile(document: &Document) -> Option<Rc<ProfileReport>> {
    let added = document.extensions.get::<AddedProfile>()?;
    Some(Rc::clone(&added.0))
}

impl ProfileReport {
    /// Keeps the samples, metrics, times or counts of an earlier profile of the same file, if this one has
    /// none.
    fn keep(&mut self, earlier: &ProfileReport) {
        if !self.has_samples() {
            self.types.clone_from(&earlier.types);
            self.samples.clone_from(&earlier.samples);
            self.located = earlier.located;
            self.kernels.clone_from(&earlier.kernels);
            self.unmatched.clone_from(&earlier.unmatched);
        }
        if self.metrics.is_empty() {
            self.metrics.clone_from(&earlier.metrics);
        }
        if self.timings.is_empty() {
            self.timings.clone_from(&earlier.timings);
        }
        // Executions and memory accesses are counted by two tools.
        let has_accesses = |report: &ProfileReport| {
            let codes = report.counts.iter().flat_map(|kernel| &kernel.codes);
            let mut instructions = codes.flat_map(|code| &code.instructions);
            instructions.any(|of| of.access.is_some())
        };
        if self.counts.is_empty() {
            self.counts.clone_from(&earlier.counts);
        } else if has_accesses(self) != has_accesses(earlier) {
            self.counts.extend(earlier.counts.iter().cloned());
        }
    }

    /// Whether the profile has samples.
    #[must_use]
    pub fn has_samples(&self) -> bool {
        !self.kernels.is_empty() || !self.unmatched.is_empty()
    }

    /// Whether it has kernels of the profile, in the file or not.
    #[must_use]
    pub fn has_kernels(&self) -> bool {
        let is_empty = self.metrics.is_empty() && self.timings.is_empty() && self.counts.is_empty();
        self.has_samples() || !is_empty
    }

    /// Whether a kernel of the profile is in the file.
    #[must_use]
    pub fn is_matched(&self) -> bool {
        let mut measured = self.metrics.iter();
        let mut timed = self.timings.iter();
        let mut counted = self.counts.iter();
        !self.kernels.is_empty()
            || measured.any(|kernel| !kernel.images.is_empty())
            || timed.any(|kernel| !kernel.images.is_empty())
            || counted.any(|kernel| !kernel.codes.is_empty())
    }

    /// Returns the instructions with samples in a section of code, by offset. Sums the samples of
    /// all devices and kernels whose samples fit the code.
    #[must_use]
    pub fn on_code(&self, code: Span) -> Vec<InstructionSamples> {
        let codes = self.kernels.iter().flat_map(|kernel| &kernel.codes);
        let codes = codes.filter(|found| found.images.iter().any(|image| image.code == code));
        let mut all: BTreeMap<u64, InstructionSamples> = BTreeMap::new();
        for samples in codes.flat_map(|found| &found.instructions) {
            match all.get_mut(&samples.offset) {
                Some(known) => {
                    add(&mut known.counts, &samples.counts);
                    let new = |cause: &&Cause| !known.causes.contains(cause);
                    let more: Vec<Cause> = samples.causes.iter().filter(new).cloned().collect();
                    known.causes.extend(more);
                }
                None => {
                    all.insert(samples.offset, samples.clone());
                }
            }
        }
        all.into_values().collect()
    }
}

/// Returns the `count` instructions with the most stalls, in descending order.
#[must_use]
pub fn most_stalled<'a>(
    types: &[String],
    instructions: &'a [InstructionSamples],
    count: usize,
) -> Vec<&'a InstructionSamples> {
    let stalled = |at: &InstructionSamples| super::stalled(types, &at.counts);
    let mut order: Vec<&InstructionSamples> = instructions.iter().collect();
    order.retain(|at| stalled(at) > 0);
    sort::by(&mut order, |a, b| {
        let key = |at: &InstructionSamples| (stalled(at), total(&at.counts));
        key(b).cmp(&key(a)).then(a.offset.cmp(&b.offset))
    });
    order.truncate(count);
    order
}
