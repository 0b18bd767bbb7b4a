//! Profiles of unitrace, on the code of a file.
//!
//! [`Reader`] reads a CSV file in pieces: stall samples (`unitrace --stall-sampling`) or metrics of
//! kernels (`unitrace -k`, `unitrace -q`). [`apply_profile`]
//! finds the kernels in a file and attributes the samples to instructions, blocks, loops and source
//! lines.
//!
//! A sample belongs to the instruction at which a thread was when the hardware sampled it: the
//! instruction that waits, not the one that it waits for. [`Cause`] has the latter, from the data
//! flow.

mod added;
mod attribution;
mod comparison;
mod fields;
mod functions;
mod kernel_index;
mod matching;
mod metrics;
mod reader;
mod report;
mod table;

pub use added::{
    ProfiledKernel, ProfiledKernels, add_profile, added_profile, earlier_profile, keep_profile,
    most_stalled, profiled_kernels, set_earlier_profile,
};
pub use comparison::{Aligner, InstructionChange, KernelChange, ProfileComparison};
pub use kernel_index::{Demangler, base_name, canonical};
pub use matching::apply_profile;
pub use metrics::{INSTANCES, KernelFigures, unit};
pub use reader::Reader;
pub use report::{
    Cause, CodeProfile, FunctionSamples, ImageKernel, InstructionSamples, KernelMetrics,
    KernelProfile, LineSamples, ProfileReport, RangeSamples, RejectedImage, SourceFunctionSamples,
    SourcePosition, UnmatchedKernel,
};

use std::rc::Rc;

use serde::{Deserialize, Serialize};

/// The stall type that counts samples of threads that issue instructions.
pub const ACTIVE: &str = "Active";

/// A profile.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Profile {
    /// The stall types, without their unit: `Active`, `SbidStall`. Counts are in this order.
    pub types: Vec<String>,
    /// The samples of each kernel, by device and name.
    pub kernels: Vec<SampledKernel>,
    /// The metrics of each kernel, by device and name.
    pub metrics: Vec<MeasuredKernel>,
    /// Number of rows that were read.
    pub rows: u64,
    /// Number of rows that belong to no kernel: the device was idle.
    pub idle_rows: u64,
    /// Number of rows that were skipped, each because of one of the problems.
    pub skipped_rows: u64,
    /// The problems of the file, in its order; only the first ones.
    pub problems: Vec<Problem>,
    /// Number of problems that are not in the list.
    pub more_problems: u64,
}

/// A problem of a profile.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// One-based line number.
    pub line: u64,
    /// The offset of the first byte that it refers to.
    pub start: u64,
    /// The offset after the last byte.
    pub end: u64,
    /// The problem, and its consequence.
    pub message: String,
}

/// The samples of a kernel on a device.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SampledKernel {
    /// The number of the device, or `None` if the file does not name it.
    pub device: Option<u32>,
    /// The name of the kernel in the profile.
    pub name: String,
    /// The samples, by offset.
    pub offsets: Vec<OffsetSamples>,
}

/// The samples at an offset.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OffsetSamples {
    /// Bytes from the first instruction of the kernel.
    pub offset: u64,
    /// Number of samples by stall type, in the order of [`Profile::types`].
    pub counts: Vec<u64>,
}

/// The metrics of a kernel on a device.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MeasuredKernel {
    /// The number of the device, or `None` if the file does not name it.
    pub device: Option<u32>,
    /// The name of the kernel in the profile, with its SIMD width and sizes.
    pub name: String,
    /// Number of times that it ran while it was measured.
    pub instances: u64,
    /// Number of rows: one per instance and subdevice (`-q`), or per sampling interval (`-k`).
    pub rows: u64,
    /// The metrics, in the order of the columns.
    pub metrics: Vec<Metric>,
}

/// A metric of a kernel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Metric {
    /// The name, with its unit: `GpuTime[ns]`, `XVE_STALL[%]`.
    pub name: Rc<str>,
    /// Number of rows that have a value.
    pub count: u64,
    /// The sum of the values.
    pub sum: f64,
    /// The mean of the values. Of a rate (`%`, `MHz`), each is weighted by the `GpuTime[ns]` of its
    /// row, if there is one.
    pub mean: f64,
    /// The smallest value.
    pub minimum: f64,
    /// The largest value.
    pub maximum: f64,
}

impl Profile {
    /// Whether it has no row of a kernel.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.kernels.is_empty() && self.metrics.is_empty()
    }
}

impl SampledKernel {
    /// Returns the number of samples by stall type.
    #[must_use]
    pub fn samples(&self, types: usize) -> Vec<u64> {
        let mut sum = vec![0; types];
        for at in &self.offsets {
            add(&mut sum, &at.counts);
        }
        sum
    }
}

/// Adds counts by stall type. Sums of more than 64 bits saturate.
fn add(sum: &mut [u64], counts: &[u64]) {
    for (sum, count) in sum.iter_mut().zip(counts) {
        *sum = sum.saturating_add(*count);
    }
}

/// Returns the number of samples of all types.
#[must_use]
pub fn total(counts: &[u64]) -> u64 {
    counts
        .iter()
        .fold(0, |sum, count| sum.saturating_add(*count))
}

/// Returns the number of samples at which the thread did not issue: the sum of all types but
/// [`ACTIVE`].
#[must_use]
pub fn stalled(types: &[String], counts: &[u64]) -> u64 {
    let both = types.iter().zip(counts);
    let stalls = both.filter(|(name, _)| *name != ACTIVE);
    stalls.fold(0, |sum, (_, count)| sum.saturating_add(*count))
}
