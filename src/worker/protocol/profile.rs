//! Profiles.

use crate::analysis::profile::{
    FunctionSamples, ImageKernel, InstructionCounts, InstructionSamples, KernelTiming, Problem,
};
use crate::model::{NodeId, Span};
use serde::{Deserialize, Serialize};

/// Maximum number of kernels, of kernels without code, and of problems in a [`ProfileOverview`].
pub const PROFILED_MAX: usize = 200;

/// Maximum number of the most stalled instructions of a kernel.
pub const STALLS_MAX: usize = 20;

/// A profile on the code of the file, in summary. Counts of samples are in the order of the types.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ProfileOverview {
    /// The name of the profile's file, or of two: one with samples, one with metrics.
    pub name: String,
    /// Number of rows that were read.
    pub rows: u64,
    /// Number of rows that were skipped, each because of a problem.
    pub skipped_rows: u64,
    /// The first problems.
    pub problems: Vec<Problem>,
    /// Number of problems that are left out.
    pub more_problems: u64,
    /// The stall types: `Active`, `SbidStall`.
    pub types: Vec<String>,
    /// Number of samples by type, of all kernels of the profile.
    pub samples: Vec<u64>,
    /// Number of samples that are at no instruction of the file.
    pub lost: u64,
    /// The kernels that are in the file, in descending order of samples.
    pub kernels: Vec<ProfiledKernel>,
    /// The kernels that could not be matched, in descending order of samples.
    pub unmatched: Vec<RejectedKernel>,
    /// Number of kernels that are left out.
    pub left_out: u64,
    /// The device times and properties of kernels and commands, in the order of the profile; the first
    /// ones.
    pub timings: Vec<KernelTiming>,
    /// Time of all kernels and commands, in nanoseconds.
    pub device_time: u64,
    /// The kernels whose executions were counted, in the order of the profile; the first ones.
    pub counts: Vec<CountedKernel>,
    /// The names of the metrics, which are columns of the kernel table.
    pub metrics: Vec<String>,
    /// Whether the profile that was added last has samples.
    pub is_sampled: bool,
    /// Whether there is an earlier profile to compare it with: [`ListId::ProfileChanges`](crate::tables::ListId::ProfileChanges).
    pub is_compared: bool,
}

/// The samples of a kernel on a device.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProfiledKernel {
    /// The number of the device, or `None` if the profile does not name it.
    pub device: Option<u32>,
    /// The name of the kernel in the profile.
    pub name: String,
    /// Number of samples by type.
    pub samples: Vec<u64>,
    /// The images that have the code; the first ones.
    pub images: Vec<ImageKernel>,
    /// Whether the samples fit several builds of the kernel.
    pub is_ambiguous: bool,
    /// Number of blocks of rows, of modules that were loaded, and of all blocks with this name.
    pub blocks: [u64; 2],
    /// Why the code is this one, if the samples fit others, too.
    pub assumption: Option<String>,
    /// Number of samples after the end of the code of the first image, and between its instructions.
    pub elsewhere: [u64; 2],
    /// The kernel and its functions with samples; empty if only the kernel has samples.
    pub functions: Vec<FunctionSamples>,
    /// The most stalled instructions of the first image; fewer than [`STALLS_MAX`].
    pub stalls: Vec<InstructionSamples>,
}

/// A kernel whose executions were counted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CountedKernel {
    /// The name of the kernel in the profile.
    pub name: String,
    /// Number of times that it ran.
    pub runs: u64,
    /// Number of executed instructions.
    pub executions: u64,
    /// Number of threads, if the first instruction was counted.
    pub threads: Option<u64>,
    /// The images that have the code; the first ones.
    pub images: Vec<ImageKernel>,
    /// The costliest instruction of the first image: by executions and the cycles of the compiler's
    /// scheduler.
    pub costliest: Option<InstructionCounts>,
    /// Why there is no code.
    pub reason: Option<String>,
}

/// A kernel of a profile that could not be matched.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RejectedKernel {
    /// The number of the device, or `None` if the profile does not name it.
    pub device: Option<u32>,
    /// The name of the kernel in the profile.
    pub name: String,
    /// Number of samples.
    pub samples: u64,
    /// The reason.
    pub reason: String,
}

/// The samples in a section of code.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CodeSamples {
    /// The document of the code.
    pub document: NodeId,
    /// The instructions whose executions were counted, by offset.
    pub counts: Vec<InstructionCounts>,
    /// The section of code.
    pub of: Span,
    /// The stall types.
    pub types: Vec<String>,
    /// Number of samples by type, of all instructions.
    pub samples: Vec<u64>,
    /// The largest number of samples of an instruction.
    pub most: u64,
    /// The instructions with samples, by offset. Only the most stalled ones have texts.
    pub rows: Vec<InstructionSamples>,
    /// Indices of the most stalled instructions in the rows, at most [`STALLS_MAX`], in descending
    /// order.
    pub stalls: Vec<u32>,
}

impl CodeSamples {
    /// Returns the samples of the instruction at an index of the code.
    pub fn row(&self, row: u64) -> Option<&InstructionSamples> {
        let row = u32::try_from(row).ok()?;
        let at = self.rows.binary_search_by_key(&row, |at| at.row).ok()?;
        self.rows.get(at)
    }

    /// Returns the samples of the instruction at an offset of the code.
    pub fn at(&self, offset: u64) -> Option<&InstructionSamples> {
        let at = self.rows.binary_search_by_key(&offset, |at| at.offset);
        self.rows.get(at.ok()?)
    }

    /// Returns the executions of the instruction at an offset of the code.
    pub fn counts_at(&self, offset: u64) -> Option<&InstructionCounts> {
        let at = self.counts.binary_search_by_key(&offset, |at| at.offset);
        self.counts.get(at.ok()?)
    }

    /// Returns the most stalled instructions.
    pub fn most_stalled(&self) -> impl Iterator<Item = &InstructionSamples> {
        self.stalls
            .iter()
            .filter_map(|at| self.rows.get(*at as usize))
    }
}
