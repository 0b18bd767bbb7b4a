//! The profile that was added to a document.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use super::report::{Cause, InstructionSamples, ProfileReport};
use super::{add, total};
use crate::model::{Document, Span, sort};

/// The number of samples of kernels, by their entry. Lists share it with the document, so that those
/// made before a profile was added have it, too.
pub(crate) type KernelSamples = Rc<RefCell<HashMap<Span, u64>>>;

/// Type under which a document keeps the report of its profile.
struct AddedProfile(Rc<ProfileReport>);

impl Document {
    /// Keeps the report of a profile for lists; replaces the previous one.
    pub fn set_profile(&mut self, report: Rc<ProfileReport>) {
        let mut samples = HashMap::new();
        for (document, index, counts) in report.by_kernel() {
            let rows = self
                .kernels(document)
                .map(|kernels| kernels.rows(&self.sources));
            let mut all = rows.iter().flat_map(|rows| rows.iter());
            if let Some(row) = all.find(|row| row.index == index) {
                samples.insert(row.entry, total(&counts));
            }
        }
        self.kernel_samples().replace(samples);
        self.extensions.insert(AddedProfile(report));
    }

    /// Returns the number of samples of kernels, shared with later profiles.
    pub(crate) fn kernel_samples(&mut self) -> KernelSamples {
        if let Some(known) = self.extensions.get::<KernelSamples>() {
            return Rc::clone(known);
        }
        let samples = KernelSamples::default();
        self.extensions.insert(Rc::clone(&samples));
        samples
    }

    /// Returns the report of the profile that was added.
    pub fn profile(&self) -> Option<Rc<ProfileReport>> {
        let added = self.extensions.get::<AddedProfile>()?;
        Some(Rc::clone(&added.0))
    }
}

impl ProfileReport {
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
