//! The data flow of the instructions of a document's code: registers alive, producers, waits, costs.
//!
//! Plain data, made by a decoder when somebody asks
//! ([`Listing::data_flow`](super::assembly::Listing::data_flow)).

use serde::{Deserialize, Serialize};

/// Who knows the data flow of a section of code. A row is a number of an instruction, as in
/// [`Listing`](super::assembly::Listing).
pub trait Flows {
    /// The data flow of an instruction. Returns `None` behind the last one that is covered.
    fn instruction(&self, row: u32) -> Option<InstructionFlow>;

    /// The bytes and registers that are live before an instruction.
    fn live(&self, row: u32) -> LiveBytes;

    /// The instructions that read what an instruction writes.
    fn uses(&self, row: u32) -> Vec<u32>;

    /// The registers of each operand of an instruction.
    fn operands(&self, row: u32) -> Vec<OperandRegisters>;

    /// The figures for the table of kernels.
    fn counts(&self) -> FlowCounts;

    /// The summary.
    fn report(&self) -> FlowReport;
}

/// Bytes and registers whose values are read later.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct LiveBytes {
    /// Bytes of general registers.
    pub r: u32,
    /// Bytes of accumulators.
    pub acc: u32,
    /// Bytes of flags.
    pub f: u32,
    /// Bytes of address registers.
    pub a: u32,
    /// Bytes of the scalar register.
    pub s: u32,
    /// General registers with a live byte.
    pub registers: u32,
}

/// A producer of a value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Producer {
    /// The offset of the instruction in the code, or `None` for a value that the kernel starts with.
    pub pc: Option<u32>,
    /// The bytes that come from it: `r8`, `r8:2`, `r6[12-15]`.
    pub bytes: Vec<String>,
}

/// An instruction that another waits for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WaitFor {
    /// The offset of the instruction that is waited for, or `None` if no path has one.
    pub pc: Option<u32>,
    /// The condition: `F@2`, `$5.dst`.
    pub on: String,
    /// The bytes that are the reason. Empty if there is none in the data.
    pub bytes: Vec<String>,
}

/// The registers of an operand.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OperandRegisters {
    /// The operand: `destination`, `source 1`, `predicate`, `descriptor`.
    pub operand: String,
    /// Whether it is written.
    pub writes: bool,
    /// The bytes: `r8:2`.
    pub bytes: Vec<String>,
    /// The registers, by file (`r`, `a`, `acc`, `f`, `s`) and number.
    pub registers: Vec<(String, u16)>,
    /// `exact`, `assumed` if the length is in a register, `unknown` if the number is.
    pub certainty: String,
    /// The producers of what it reads.
    pub producers: Vec<Producer>,
}

/// The data flow of an instruction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InstructionFlow {
    /// The bytes of registers that it reads.
    pub reads: Vec<String>,
    /// The registers that a gather message sends; source 0 has their numbers.
    pub gathers: Vec<String>,
    /// The bytes of registers that it writes.
    pub writes: Vec<String>,
    /// The producers of what it reads.
    pub defs: Vec<Producer>,
    /// What is live before it.
    pub live: LiveBytes,
    /// The instructions that it waits for.
    pub waits: Vec<WaitFor>,
    /// Cycles until its result is there, as the compiler's scheduler assumes.
    pub latency: u32,
    /// Cycles that its issue takes, as the compiler's scheduler assumes.
    pub occupancy: u32,
    /// Nobody reads what it writes.
    pub dead: bool,
}

/// A live range of a general register.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiveRange {
    /// The register.
    pub register: String,
    /// The offset of the first instruction that writes the value, or `None` if the kernel starts
    /// with it.
    pub from: Option<u32>,
    /// The offset of the last instruction that reads it.
    pub to: u32,
    /// Number of instructions in between.
    pub instructions: u32,
}

/// The place where most registers are live.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Peak {
    /// The offset of the instruction.
    pub pc: u32,
    /// General registers with a live byte before it.
    pub registers: u32,
    /// Live bytes of general registers.
    pub bytes: u32,
    /// The longest live range across it.
    pub longest: Option<LiveRange>,
}

/// Bytes that messages move.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moved {
    /// The shared function: `ugm`, `slm`.
    pub memory: String,
    /// The cache setting: `.ca.cc`; empty by default.
    pub cache: String,
    /// Number of messages.
    pub messages: u32,
    /// Bytes loaded.
    pub loaded: u64,
    /// Bytes stored.
    pub stored: u64,
}

/// A loop.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoopReport {
    /// The offset of its first instruction.
    pub start: u32,
    /// The offset behind its last instruction.
    pub end: u32,
    /// The offsets of its parts: first instruction, behind the last.
    pub ranges: Vec<(u32, u32)>,
    /// The number of loops around its instructions, with itself.
    pub depth: u32,
    /// The loop around it, by index.
    pub parent: Option<u32>,
    /// Whether there is no loop in it.
    pub innermost: bool,
    /// Number of instructions.
    pub instructions: u32,
    /// Number of systolic multiplications.
    pub dpas: u32,
    /// Number of messages.
    pub sends: u32,
    /// Number of messages that write scratch memory.
    pub spills: u32,
    /// Number of messages that read scratch memory.
    pub fills: u32,
    /// Number of instructions that wait for others.
    pub waits: u32,
    /// Bytes of an iteration, by memory and cache setting.
    pub moved: Vec<Moved>,
    /// Cycles of an iteration for one thread, as the compiler's scheduler assumes.
    pub cycles: u64,
    /// Cycles of these in which instructions are issued.
    pub issue: u64,
    /// What bounds it: `issue`, `pipe F`, `wait at 0x120 for 0x80`.
    pub bound: String,
}

/// A place in scratch memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SlotReport {
    /// The address: an offset, or a base and an offset.
    pub address: String,
    /// Number of bytes.
    pub bytes: u32,
    /// The offsets of the messages that write it.
    pub writers: Vec<u32>,
    /// The offsets of the messages that read it.
    pub readers: Vec<u32>,
    /// The number of loops around the innermost of them.
    pub depth: u32,
}

/// An instruction that waits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WaitReport {
    /// The offset of the instruction.
    pub pc: u32,
    /// Cycles that it waits in one execution, as the compiler's scheduler assumes.
    pub cycles: u32,
    /// The number of loops around it.
    pub depth: u32,
    /// What it waits for.
    pub waits: Vec<WaitFor>,
}

/// Figures of the data flow of a kernel, for the table of kernels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FlowCounts {
    /// The number of general registers that are live at once, at most.
    pub peak_live_registers: u64,
    /// Number of instructions whose result nobody reads; `None` if that is not known.
    pub dead_writes: Option<u64>,
    /// Cycles of an iteration of the innermost loops, summed up, as the compiler's scheduler assumes.
    pub innermost_loop_cycles: u64,
}

/// The summary of the data flow of some code.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FlowReport {
    /// Number of instructions that are covered.
    pub instructions: u32,
    /// What the analysis does not cover, in sentences.
    pub limits: Vec<String>,
    /// The place where most registers are live.
    pub peak: Option<Peak>,
    /// Number of instructions whose result nobody reads; `None` if that is not known.
    pub dead_writes: Option<u32>,
    /// Messages that write scratch memory.
    pub spills: u32,
    /// Messages that read scratch memory.
    pub fills: u32,
    /// The spills by slot.
    pub slots: Vec<SlotReport>,
    /// The offsets of the messages to scratch memory whose slot is not known.
    pub other_scratch: Vec<u32>,
    /// The loops, in the order of the code.
    pub loops: Vec<LoopReport>,
    /// The index of the costliest innermost loop.
    pub hottest: Option<u32>,
    /// The costliest waits, the deepest loops first.
    pub waits: Vec<WaitReport>,
}

impl FlowReport {
    /// The sum of the cycles of the innermost loops.
    #[must_use]
    pub fn innermost_cycles(&self) -> u64 {
        let innermost = self.loops.iter().filter(|found| found.innermost);
        innermost.map(|found| found.cycles).sum()
    }
}
