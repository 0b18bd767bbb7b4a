//! The result: a profile on the code of a file.

use serde::{Deserialize, Serialize};

use super::{DeviceTimes, MemoryAccess, Metric, OffsetSamples, RunProperties, add, total};
use zeview_core::analysis::inlining::SourceFrame;
use zeview_core::model::{NodeId, Span};

/// A profile on the code of a file. Counts of samples are in the order of
/// [`types`](ProfileReport::types).
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ProfileReport {
    /// The stall types: `Active`, `SbidStall`.
    pub types: Vec<String>,
    /// Number of samples by type, of all kernels of the profile.
    pub samples: Vec<u64>,
    /// Number of these that are at an instruction of the file.
    pub located: u64,
    /// The kernels that are in the file, in descending order of samples.
    pub kernels: Vec<KernelProfile>,
    /// The kernels that could not be matched, in descending order of samples.
    pub unmatched: Vec<UnmatchedKernel>,
    /// The metrics of kernels, by device and name.
    pub metrics: Vec<KernelMetrics>,
    /// The device times and properties of kernels and commands, in the order of the profile.
    pub timings: Vec<KernelTiming>,
    /// The executions of instructions, in the order of the profile.
    pub counts: Vec<KernelCounts>,
}

/// The samples of a kernel on a device, of all modules with the same code.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KernelProfile {
    /// The number of the device, or `None` if the profile does not name it.
    pub device: Option<u32>,
    /// The name of the kernel in the profile.
    pub name: String,
    /// Number of blocks of rows: of modules that were loaded.
    pub blocks: u64,
    /// Number of blocks with this name on the device.
    pub of_blocks: u64,
    /// Why the code is this one, if the samples fit others, too.
    pub assumption: Option<String>,
    /// Number of samples by type.
    pub samples: Vec<u64>,
    /// The code that the samples fit, without copies. More than one if the file has different builds
    /// and the samples fit several of them: then it is not known which one ran.
    pub codes: Vec<CodeProfile>,
    /// The images that have the kernel, but other code.
    pub rejected: Vec<RejectedImage>,
}

/// The samples of a kernel on code that they fit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CodeProfile {
    /// The images that have this code.
    pub images: Vec<ImageKernel>,
    /// The offset after the last instruction of the kernel and the functions in its section.
    pub end: u64,
    /// Samples at offsets after the end: in code that follows the kernel in memory, as functions of the
    /// module and kernels of the driver.
    pub after_end: Vec<OffsetSamples>,
    /// Samples at offsets that are not starts of instructions.
    pub between: Vec<OffsetSamples>,
    /// The instructions with samples, by offset.
    pub instructions: Vec<InstructionSamples>,
    /// The basic blocks with samples, by offset.
    pub blocks: Vec<RangeSamples>,
    /// The loops with samples, by offset. Samples of a nested loop count for the loops around it,
    /// too.
    pub loops: Vec<RangeSamples>,
    /// The source lines with samples, by file and line; empty without debug information.
    pub lines: Vec<LineSamples>,
    /// The lines where chains of inlined calls begin, by file and line: samples of an inlined function
    /// count for the line that calls it in the function with code of its own. Empty if nothing is inlined.
    pub outermost_lines: Vec<LineSamples>,
    /// The functions of the source with samples, by name; empty without debug information.
    pub source_functions: Vec<SourceFunctionSamples>,
    /// The functions of the code with samples, by offset.
    pub functions: Vec<FunctionSamples>,
    /// Number of samples of instructions that are in no function, as no path from the start of one
    /// reaches them, by type.
    pub in_no_function: Vec<u64>,
    /// The limits of the data flow analysis, in sentences: causes may be missing.
    pub limits: Vec<String>,
}

/// A kernel of an image.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImageKernel {
    /// The image.
    pub document: NodeId,
    /// The path of the image; empty for the opened file.
    pub path: String,
    /// The index of the kernel in the list of kernels of the image.
    pub index: u64,
    /// The name of the kernel in the image.
    pub kernel: String,
    /// The device that the image is for, or `None` if it is unknown.
    pub target: Option<String>,
    /// The bytes of the code; empty if the kernel has none.
    pub code: Span,
}

/// The samples of an instruction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InstructionSamples {
    /// Bytes from the first instruction of the kernel.
    pub offset: u64,
    /// The index of the instruction.
    pub row: u32,
    /// The function that it belongs to, or `None` if it belongs to the kernel itself.
    pub function: Option<String>,
    /// Number of samples by type.
    pub counts: Vec<u64>,
    /// The text of the instruction; empty if the encoding is unknown.
    pub text: String,
    /// The source line.
    pub line: Option<SourcePosition>,
    /// The functions that it is of: the innermost first, then those that it is inlined into. Empty
    /// without debug information.
    pub frames: Vec<SourceFrame>,
    /// The instructions that it waits for, if it stalls for one.
    pub causes: Vec<Cause>,
}

/// An instruction that another waits for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cause {
    /// The index of the stall type that it explains.
    pub stall: u32,
    /// The condition: `$5.dst`, `F@2`.
    pub on: String,
    /// The offset of the instruction waited for.
    pub offset: u64,
    /// The index of that instruction.
    pub row: u32,
    /// The bytes of registers that require the wait; empty if no data does.
    pub bytes: Vec<String>,
    /// The text of that instruction.
    pub text: String,
    /// The operation of its message and the address, or its text if it sends none.
    pub operation: String,
    /// Its source line.
    pub line: Option<SourcePosition>,
}

/// A line of the source.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SourcePosition {
    /// The name of the file, without directories.
    pub file: String,
    /// One-based line number.
    pub line: u32,
}

/// The samples of a block or a loop.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RangeSamples {
    /// The offset of its first instruction.
    pub start: u64,
    /// The offset after its last instruction.
    pub end: u64,
    /// Of a block, the number of enclosing loops; of a loop, its nesting depth: 1 for an outermost
    /// loop.
    pub depth: u32,
    /// Number of samples by type.
    pub counts: Vec<u64>,
}

/// The samples of a source line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineSamples {
    /// The line.
    pub line: SourcePosition,
    /// Number of samples by type.
    pub counts: Vec<u64>,
    /// The offsets of its instructions with samples.
    pub offsets: Vec<u64>,
}

/// The samples of a function of the code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FunctionSamples {
    /// Its name.
    pub function: String,
    /// The offset of its first instruction.
    pub start: u64,
    /// Number of samples of its own instructions, by type.
    pub own: Vec<u64>,
    /// Number of samples with those of all functions that it calls, by type. Samples do not say who
    /// called: a function with several callers counts in full for each.
    pub with_callees: Vec<u64>,
}

/// The samples of a function of the source, wherever it was inlined.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceFunctionSamples {
    /// Its name, demangled.
    pub function: String,
    /// Number of samples of its own lines, by type.
    pub own: Vec<u64>,
    /// Number of samples with those of the functions that are inlined into it, by type.
    pub with_inlined: Vec<u64>,
}

/// An image that has a kernel of the name, but other code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RejectedImage {
    /// The image.
    pub image: ImageKernel,
    /// The reason.
    pub reason: String,
}

/// A kernel of a profile that could not be matched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnmatchedKernel {
    /// The number of the device, or `None` if the profile does not name it.
    pub device: Option<u32>,
    /// The name of the kernel in the profile.
    pub name: String,
    /// Number of samples by type.
    pub samples: Vec<u64>,
    /// The reason.
    pub reason: String,
    /// The images that have a kernel of this name; only the first ones.
    pub rejected: Vec<RejectedImage>,
}

/// The metrics of a kernel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KernelMetrics {
    /// The number of the device, or `None` if the profile does not name it.
    pub device: Option<u32>,
    /// The name of the kernel in the profile, with its SIMD width and sizes.
    pub name: String,
    /// Number of times that it ran while it was measured, or `None` if the profile does not identify runs.
    pub instances: Option<u64>,
    /// Number of rows.
    pub rows: u64,
    /// The metrics, in the order of the columns.
    pub metrics: Vec<Metric>,
    /// The kernels of that name and SIMD width. Metrics have no offsets, so the code is not
    /// compared.
    pub images: Vec<ImageKernel>,
    /// Why there are none.
    pub reason: Option<String>,
}

/// The device times and properties of a kernel or a command.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KernelTiming {
    /// The number of the tile, or `None` for all.
    pub tile: Option<u32>,
    /// The name in the profile.
    pub name: String,
    /// Its times, or `None` if the profile has only its properties.
    pub times: Option<DeviceTimes>,
    /// Its properties, or `None` if the profile does not list them.
    pub properties: Option<RunProperties>,
    /// How it was compiled, in words: `AOT`, `JIT`, `AOT, but the driver recompiled it`.
    pub compiled: Option<String>,
    /// Differences between the kernel that ran and the one in the file, in sentences.
    pub notes: Vec<String>,
    /// The kernels of that name and SIMD width. Code is not compared.
    pub images: Vec<ImageKernel>,
    /// Why there are none.
    pub reason: Option<String>,
}

/// The executions of the instructions of a kernel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KernelCounts {
    /// The name of the kernel in the profile.
    pub name: String,
    /// Number of times that it ran.
    pub runs: u64,
    /// Number of these runs that were counted, or `None` if the profile does not state it.
    pub collected_runs: Option<u64>,
    /// Number of executions of all instructions.
    pub executions: u64,
    /// The code that the offsets fit, without copies.
    pub codes: Vec<CountedCode>,
    /// The images that have the kernel, but other code.
    pub rejected: Vec<RejectedImage>,
    /// Why there is no code.
    pub reason: Option<String>,
}

/// The executions of the instructions of some code.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CountedCode {
    /// The images that have this code.
    pub images: Vec<ImageKernel>,
    /// Number of executions of the first instruction: of threads, or `None` if it was not counted.
    pub threads: Option<u64>,
    /// The instructions that were counted, by offset.
    pub instructions: Vec<InstructionCounts>,
    /// The loops whose first instruction was counted, by offset.
    pub loops: Vec<CountedLoop>,
    /// Executions at offsets that are no instruction of the code.
    pub elsewhere: Vec<OffsetSamples>,
}

/// The executions of an instruction.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct InstructionCounts {
    /// Bytes from the first instruction of the kernel.
    pub offset: u64,
    /// The index of the instruction.
    pub row: u32,
    /// The function that it belongs to, or `None` if it belongs to the kernel itself.
    pub function: Option<String>,
    /// Number of times that a thread executed it.
    pub executions: u64,
    /// Number of SIMD lanes that were enabled at these executions, or `None` if they were not counted.
    pub lanes: Option<u64>,
    /// The memory that it accesses, if that was counted.
    pub access: Option<MemoryAccess>,
    /// Cycles to issue it and that it waits, of all executions, as assumed by the compiler's scheduler;
    /// `None` if they are unknown.
    pub cycles: Option<u64>,
    /// The text of the instruction; empty if the encoding is unknown.
    pub text: String,
    /// The source line.
    pub line: Option<SourcePosition>,
}

/// The executions of a loop.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CountedLoop {
    /// The offset of its first instruction.
    pub start: u64,
    /// The offset after its last instruction.
    pub end: u64,
    /// Its nesting depth: 1 for an outermost loop.
    pub depth: u32,
    /// Number of iterations of all threads: executions of its first instruction.
    pub iterations: u64,
    /// Cycles of all iterations without those of inner loops, as assumed by the compiler's scheduler.
    pub cycles: u64,
}

impl CodeProfile {
    /// Returns the number of samples by type at instructions of the code.
    #[must_use]
    pub fn samples(&self, types: usize) -> Vec<u64> {
        let mut sum = vec![0; types];
        for at in &self.instructions {
            add(&mut sum, &at.counts);
        }
        sum
    }

    /// Returns the number of samples that are not at an instruction of the code.
    #[must_use]
    pub fn elsewhere(&self) -> u64 {
        let offsets = self.after_end.iter().chain(&self.between);
        offsets.fold(0, |sum, at| sum.saturating_add(total(&at.counts)))
    }
}

impl ProfileReport {
    /// Whether most samples are at no instruction of the file.
    #[must_use]
    pub fn is_mostly_lost(&self) -> bool {
        let all = total(&self.samples);
        self.located < all.saturating_sub(self.located)
    }

    /// Returns the number of samples by type at instructions, for each image and kernel, to be joined with
    /// the kernel table: the image, the index of the kernel, the counts of all devices. If samples fit
    /// several images, each has all of them.
    #[must_use]
    pub fn by_kernel(&self) -> Vec<(NodeId, u64, Vec<u64>)> {
        let mut all: Vec<(NodeId, u64, Vec<u64>)> = Vec::new();
        let mut known = std::collections::HashMap::new();
        for kernel in &self.kernels {
            for code in &kernel.codes {
                let samples = code.samples(self.types.len());
                for image in &code.images {
                    let key = (image.document, image.index);
                    let at = *known.entry(key).or_insert_with(|| {
                        all.push((image.document, image.index, vec![0; self.types.len()]));
                        all.len() - 1
                    });
                    if let Some((.., counts)) = all.get_mut(at) {
                        add(counts, &samples);
                    }
                }
            }
        }
        all
    }
}

impl KernelProfile {
    /// Returns the code, if the samples fit only one.
    #[must_use]
    pub fn code(&self) -> Option<&CodeProfile> {
        match self.codes.as_slice() {
            [code] => Some(code),
            _ => None,
        }
    }
}

impl From<&InstructionSamples> for OffsetSamples {
    fn from(of: &InstructionSamples) -> OffsetSamples {
        OffsetSamples {
            offset: of.offset,
            counts: of.counts.clone(),
        }
    }
}
