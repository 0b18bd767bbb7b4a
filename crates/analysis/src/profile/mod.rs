//! Profiles of unitrace, oneprof and GTPin, on the code of a file.
//!
//! [`Reader`] reads a file in pieces: stall samples (`unitrace --stall-sampling`), metrics of kernels
//! (`unitrace -k`, `unitrace -q`, oneprof), device times and properties of kernels (`unitrace -d`), or
//! executions and memory accesses of instructions (`instcount` and `memaccess`, tools of PTI that use
//! GTPin, with `--json-output`). [`apply_profile`] finds the kernels in a file and attributes the
//! samples to instructions, functions, blocks, loops and source lines.
//!
//! unitrace knows the address of the first instruction of each launched kernel, and no end: a sample
//! belongs to the kernel with the greatest address at or below it. So an offset may lie in a function
//! that the kernel calls, in the same section, or in whatever follows the kernel in memory. Rows are
//! in the order of addresses: an offset that does not rise within a name is of another module, which
//! may be another build.
//!
//! A sample belongs to the instruction at which a thread was when the hardware sampled it: the
//! instruction that waits, not the one that it waits for. [`Cause`] has the latter, from the data
//! flow.

mod added;
mod attribution;
mod comparison;
mod counts;
mod fields;
mod fit;
mod functions;
mod gtpin;
mod json_tokens;
mod kernel_index;
mod layout;
mod matching;
mod metrics;
mod reader;
mod recognition;
mod report;
mod table;
mod timing;

pub use added::{
    ProfiledKernel, ProfiledKernels, add_profile, added_profile, earlier_profile, keep_profile,
    most_stalled, profiled_kernels, set_earlier_profile,
};
pub use comparison::{Aligner, InstructionChange, KernelChange, ProfileComparison};
pub use kernel_index::{Demangler, base_name, canonical};
pub use matching::apply_profile;
pub use metrics::{INSTANCES, KernelFigures, unit};
pub use reader::Reader;
pub use recognition::{device_of_name, is_profile};
pub use report::{
    Cause, CodeProfile, CountedCode, CountedLoop, FunctionSamples, ImageKernel, InstructionCounts,
    InstructionSamples, KernelCounts, KernelMetrics, KernelProfile, KernelTiming, LineSamples,
    ProfileReport, RangeSamples, RejectedImage, SourceFunctionSamples, SourcePosition,
    UnmatchedKernel,
};
pub use timing::{COMPILED, TIMING_COLUMNS};

use std::rc::Rc;

use serde::{Deserialize, Serialize};

/// Bytes of a cache line.
const CACHE_LINE: u64 = 64;

/// The stall type that counts samples of threads that issue instructions.
pub const ACTIVE: &str = "Active";

/// A profile.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Profile {
    /// The stall types, without their unit: `Active`, `SbidStall`. Counts are in this order.
    pub types: Vec<String>,
    /// The samples of each kernel, in the order of the file: a block for each module.
    pub kernels: Vec<SampledKernel>,
    /// The metrics of each kernel, by device and name.
    pub metrics: Vec<MeasuredKernel>,
    /// The device times of kernels, in the order of the file.
    pub timings: Vec<TimedKernel>,
    /// The executions of the instructions of kernels, in the order of the file.
    pub counted: Vec<CountedKernel>,
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

/// A block of samples: those of a kernel of one module on a device, or of several modules whose samples
/// are at the same offsets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SampledKernel {
    /// The number of the device, or `None` if the file does not name it.
    pub device: Option<u32>,
    /// The name of the kernel in the profile.
    pub name: Rc<str>,
    /// Number of blocks with these offsets, whose samples are summed.
    pub blocks: u64,
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
    /// Number of times that it ran while it was measured, or `None` if the rows do not identify runs.
    pub instances: Option<u64>,
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

/// The device times of a kernel or a command, and the properties of the kernel (`unitrace -d`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimedKernel {
    /// The number of the tile (`--separate-tiles`), or `None` for all.
    pub tile: Option<u32>,
    /// The name in the profile; with its SIMD width and sizes under `-v`.
    pub name: String,
    /// Its times, or `None` if the profile has only its properties.
    pub times: Option<DeviceTimes>,
    /// Its properties, or `None` if the profile does not list them.
    pub properties: Option<RunProperties>,
}

/// Times of a kernel on the device, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceTimes {
    /// Number of times that it ran.
    pub calls: u64,
    /// The sum of its times.
    pub total: u64,
    /// The shortest time.
    pub minimum: u64,
    /// The longest time.
    pub maximum: u64,
}

/// The properties of a kernel, as the driver reports them. `None` is what the profile does not state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RunProperties {
    /// Whether its module was passed to the driver as native code (`AOT`), not as SPIR-V (`JIT`). The
    /// driver may have recompiled native code.
    pub is_aot: Option<bool>,
    /// The SIMD width; 1 if the kernel runs with any.
    pub simd: Option<u64>,
    /// Number of arguments.
    pub arguments: Option<u64>,
    /// Shared local memory, in bytes per work-group.
    pub slm: Option<u64>,
    /// Private memory, in bytes per thread.
    pub private: Option<u64>,
    /// Spill memory, in bytes per thread.
    pub spill: Option<u64>,
    /// Number of general registers per thread.
    pub registers: Option<u64>,
}

/// The executions of the instructions of a kernel (GTPin).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CountedKernel {
    /// The name of the kernel in the profile.
    pub name: String,
    /// Number of times that it ran.
    pub runs: u64,
    /// Number of these runs that were counted, or `None` if the file does not state it.
    pub collected_runs: Option<u64>,
    /// The offsets of all of its instructions, in ascending order; empty if the file lists none.
    pub offsets: Vec<u64>,
    /// The counts, by offset: sums of all runs and tiles.
    pub instructions: Vec<CountedInstruction>,
}

/// The executions of an instruction. Counts are sums of all runs, tiles and threads.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CountedInstruction {
    /// Bytes from the first instruction of the kernel.
    pub offset: u64,
    /// Number of times that a thread executed it.
    pub executions: u64,
    /// Number of SIMD lanes that were enabled at these executions, or `None` if they were not counted.
    pub lanes: Option<u64>,
    /// The memory that it accesses, if that was counted.
    pub access: Option<MemoryAccess>,
}

/// The memory accesses of an instruction (`memaccess`).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct MemoryAccess {
    /// Number of cache lines of 64 bytes that were accessed: each as often as an execution touched it.
    pub cache_lines: u64,
    /// Number of executions whose address was not aligned to a cache line.
    pub unaligned: u64,
    /// The differences between the addresses of adjacent lanes in bytes, and how often each occurred.
    pub strides: Vec<(i64, u64)>,
    /// Number of differences below, and above, the range that was counted.
    pub other_strides: [u64; 2],
    /// Bytes of an element.
    pub element_size: u64,
    /// Number of elements per lane.
    pub elements: u64,
    /// Whether it writes.
    pub is_write: bool,
    /// Whether it is an atomic operation.
    pub is_atomic: bool,
    /// Whether each lane has an address of its own.
    pub is_scatter: bool,
    /// Whether it accesses shared local memory.
    pub is_slm: bool,
    /// Whether it accesses scratch memory.
    pub is_scratch: bool,
}

impl Profile {
    /// Whether it has no row of a kernel.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.kernels.is_empty()
            && self.metrics.is_empty()
            && self.timings.is_empty()
            && self.counted.is_empty()
    }

    /// Adds the rows of another file of the same run. Its problems are not added: their lines are of
    /// that file.
    pub fn join(&mut self, other: Profile) {
        let mut places = Vec::with_capacity(other.types.len());
        for name in other.types {
            let known = self.types.iter().position(|known| *known == name);
            places.push(known.unwrap_or(self.types.len()));
            if known.is_none() {
                self.types.push(name);
            }
        }
        let count = self.types.len();
        for kernel in &mut self.kernels {
            for at in &mut kernel.offsets {
                at.counts.resize(count, 0);
            }
        }
        for mut kernel in other.kernels {
            for at in &mut kernel.offsets {
                let mut counts = vec![0; count];
                for (place, count) in places.iter().zip(&at.counts) {
                    if let Some(to) = counts.get_mut(*place) {
                        *to = *count;
                    }
                }
                at.counts = counts;
            }
            self.kernels.push(kernel);
        }
        self.metrics.extend(other.metrics);
        self.timings.extend(other.timings);
        self.counted.extend(other.counted);
        self.rows += other.rows;
        self.idle_rows += other.idle_rows;
        self.skipped_rows += other.skipped_rows;
    }

    /// Sets the device of everything whose device the file does not name.
    pub fn set_device(&mut self, device: u32) {
        for kernel in &mut self.kernels {
            kernel.device.get_or_insert(device);
        }
        for kernel in &mut self.metrics {
            kernel.device.get_or_insert(device);
        }
    }
}

impl MemoryAccess {
    /// Bytes of the cache lines that were accessed. An element that is larger than a cache line counts all
    /// of its lines.
    #[must_use]
    pub fn transferred_bytes(&self) -> u64 {
        let of_lane = self.element_size.saturating_mul(self.elements);
        let lines = self
            .cache_lines
            .saturating_mul(of_lane.div_ceil(CACHE_LINE).max(1));
        lines.saturating_mul(CACHE_LINE)
    }

    /// Bytes that lanes accessed: `lanes` is the number of lanes enabled at all executions.
    #[must_use]
    pub fn used_bytes(&self, lanes: u64) -> u64 {
        let of_lane = self.element_size.saturating_mul(self.elements);
        lanes.saturating_mul(of_lane)
    }

    /// Adds the counts of the same instruction.
    pub(crate) fn add(&mut self, other: &MemoryAccess) {
        let sum = |sum: &mut u64, of: u64| *sum = sum.saturating_add(of);
        sum(&mut self.cache_lines, other.cache_lines);
        sum(&mut self.unaligned, other.unaligned);
        for (sum, of) in self.other_strides.iter_mut().zip(other.other_strides) {
            *sum = sum.saturating_add(of);
        }
        for (stride, count) in &other.strides {
            match self.strides.iter_mut().find(|(known, _)| known == stride) {
                Some((_, known)) => *known = known.saturating_add(*count),
                None => self.strides.push((*stride, *count)),
            }
        }
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
