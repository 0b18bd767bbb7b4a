//! The data flow of code: live registers, producers, waits, costs.
//!
//! Plain data, created by a decoder on demand
//! ([`Listing::data_flow`](super::assembly::Listing::data_flow)).

use std::fmt;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::figure::{Figure, Unknown};
use super::functions::FunctionReport;
use super::kernel_inputs::{InputUses, KernelInput};

/// Provides the data flow of a section of code. A row is the index of an instruction, as in
/// [`Listing`](super::assembly::Listing).
pub trait Flows {
    /// Returns the data flow of an instruction, or `None` if it is not covered.
    fn instruction(&self, row: u32) -> Option<InstructionFlow>;

    /// Returns the bytes and registers that are live before an instruction, including the values of
    /// channels that wait while others run, or `None` if they are unknown.
    fn live(&self, row: u32) -> Option<LiveBytes>;

    /// As [`live`](Self::live), as the Intel Graphics Assembler (IGA) computes it: divergence is
    /// ignored.
    fn live_iga(&self, row: u32) -> Option<LiveBytes>;

    /// Returns the instructions that read the results of an instruction, or `None` if they are
    /// unknown.
    fn uses(&self, row: u32) -> Option<Vec<u32>>;

    /// Returns the registers of each operand of an instruction.
    fn operands(&self, row: u32) -> Vec<OperandRegisters>;

    /// Returns the cycles of an instruction per iteration of its innermost loop, or per run of the
    /// code outside of loops: its wait and its issue, as assumed by the compiler's scheduler. Returns
    /// `None` if they are unknown.
    fn cycles(&self, row: u32) -> Option<u64>;

    /// Returns the rows of the outermost loop whose code starts at an offset, in order; empty if no
    /// loop starts there.
    fn loop_rows(&self, start: u32) -> Vec<Range<u32>>;

    /// Returns the figures for the kernel table.
    fn counts(&self) -> FlowCounts;

    /// Returns the summary.
    fn report(&self) -> FlowReport;

    /// Returns the functions of the code, in code order.
    ///
    /// # Errors
    ///
    /// If the code takes too much work, or the analysis does not cover it.
    fn functions(&self) -> Figure<Vec<FunctionReport>>;

    /// Returns the values from outside of the kernel that an instruction uses: arguments, ids,
    /// surfaces, patched addresses, data of the file. Empty if the payload's layout is unknown; `None`
    /// if that takes too much work.
    fn inputs(&self, row: u32) -> Option<Vec<KernelInput>>;

    /// Returns the values from outside of the kernel, each with the instructions that use it.
    ///
    /// # Errors
    ///
    /// If the code takes too much work, or the analysis does not cover it.
    fn input_uses(&self) -> Figure<Vec<InputUses>>;

    /// Returns the offset of an instruction in the code.
    fn pc(&self, row: u32) -> Option<u32>;

    /// Returns the instruction that starts at an offset in the code.
    fn row_of(&self, pc: u32) -> Option<u32>;

    /// Returns the costs of an instruction.
    fn cost(&self, row: u32) -> InstructionCost;

    /// Returns what a message does with scratch memory, or `None` for other instructions.
    fn scratch(&self, row: u32) -> Option<ScratchMessage>;
}

/// A message that accesses scratch memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScratchMessage {
    /// Why it does.
    pub role: ScratchRole,
    /// The bytes that it accesses; `None` for an unknown address, and for a message with an address for
    /// each channel.
    pub place: Option<ScratchPlace>,
}

/// Why a message accesses scratch memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ScratchRole {
    /// It spills registers.
    Spill,
    /// It fills spilled registers.
    Fill,
    /// It saves registers for a call.
    Save,
    /// It restores registers after a call.
    Restore,
}

impl ScratchRole {
    /// Its name: a verb.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            ScratchRole::Spill => "spill",
            ScratchRole::Fill => "fill",
            ScratchRole::Save => "save",
            ScratchRole::Restore => "restore",
        }
    }

    /// Whether it writes scratch memory.
    #[must_use]
    pub fn is_store(self) -> bool {
        matches!(self, ScratchRole::Spill | ScratchRole::Save)
    }
}

/// Bytes of scratch memory that a message accesses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScratchPlace {
    /// The address: an offset, or a base and an offset.
    pub address: String,
    /// Number of bytes.
    pub bytes: u32,
}

/// Costs of an instruction for one thread, as assumed by the compiler's scheduler.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct InstructionCost {
    /// Cycles to issue it.
    pub issue: u32,
    /// Cycles that it waits before; `None` if unknown.
    pub stall: Option<u32>,
    /// Whether it has a condition to wait for.
    pub waits: bool,
    /// Whether it writes scratch memory.
    pub is_spill: bool,
    /// Whether it reads scratch memory.
    pub is_fill: bool,
}

impl InstructionCost {
    /// Returns the cycles to issue it, and that it waits; `None` if unknown.
    #[must_use]
    pub fn cycles(&self) -> Option<u64> {
        Some(u64::from(self.stall?) + u64::from(self.issue))
    }
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
    /// The offset of the instruction in the code, or `None` for an initial value of the kernel.
    pub pc: Option<u32>,
    /// The bytes that it produces: `r8`, `r8:2`, `r6[12-15]`.
    pub bytes: Vec<String>,
}

/// An instruction that another waits for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WaitFor {
    /// The offset of the instruction waited for, or `None` if no path has one.
    pub pc: Option<u32>,
    /// The condition: `F@2`, `$5.dst`.
    pub on: String,
    /// The bytes of this instruction that require the wait; empty if none do.
    pub bytes: Vec<String>,
    /// Number of further instructions, on longer paths, that the condition may refer to and that are
    /// not listed. Only the last one that is listed for a condition has a number.
    pub others: u32,
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
    /// The producers of the values that it reads.
    pub producers: Vec<Producer>,
}

/// The data flow of an instruction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InstructionFlow {
    /// The bytes of registers that it reads.
    pub reads: Vec<String>,
    /// The registers sent by a gather message; source 0 has their numbers.
    pub gathers: Vec<String>,
    /// The bytes of registers that it writes.
    pub writes: Vec<String>,
    /// The producers of the values that it reads.
    pub defs: Vec<Producer>,
    /// The registers that are live before it, including the values of channels that wait while others
    /// run; `None` if unknown.
    pub live: Option<LiveBytes>,
    /// The same without these values, as the Intel Graphics Assembler (IGA) computes it.
    pub live_iga: Option<LiveBytes>,
    /// The instructions that it waits for.
    pub waits: Vec<WaitFor>,
    /// Cycles until its result is available, as assumed by the compiler's scheduler.
    pub latency: u32,
    /// Cycles to issue it, as assumed by the compiler's scheduler.
    pub occupancy: u32,
    /// Whether its results are never read; `None` if unknown.
    pub dead: Option<bool>,
    /// The reason why producers and waits may be missing, as a sentence.
    pub limit: Option<String>,
}

/// A live range of a general register.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiveRange {
    /// The register.
    pub register: String,
    /// The offset of the first instruction that writes the value, or `None` for an initial value of
    /// the kernel.
    pub from: Option<u32>,
    /// The offset of the last instruction that reads it.
    pub to: u32,
    /// Number of instructions in between.
    pub instructions: u32,
}

/// The position with the most live registers.
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
    /// The position with the most live registers without the values of waiting channels, as the Intel
    /// Graphics Assembler (IGA) computes them.
    pub iga: Option<IgaPeak>,
}

/// The position with the most live registers if divergence is ignored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct IgaPeak {
    /// The offset of the instruction.
    pub pc: u32,
    /// General registers with a live byte before it.
    pub registers: u32,
    /// Live bytes of general registers.
    pub bytes: u32,
}

/// Why a value is in registers at a position. A value has the first cause that applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PressureCause {
    /// Only channels that wait while others run need it.
    WaitingChannels,
    /// A call runs between its computation and its next use.
    KeptOverCalls,
    /// A systolic multiplication accumulates it.
    DpasAccumulators,
    /// It has 64-bit integers, or 64-bit addresses of a message.
    WideAddresses,
    /// An iteration of the loop computes it for the next one.
    LoopCarried,
    /// It is computed before the loop, and each iteration uses it.
    UsedInLoop,
    /// It is computed before the loop and used behind it.
    KeptThroughLoop,
    /// The kernel starts with it: the header of the thread, or its payload.
    Inputs,
    /// Nothing writes it before, and it is no part of the payload: the value is undefined. Usually a
    /// write of some channels, before a read of all.
    Undefined,
    /// A message loads it.
    Loaded,
    /// An instruction computes it.
    Computed,
}

impl fmt::Display for PressureCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            PressureCause::WaitingChannels => "waiting channels",
            PressureCause::KeptOverCalls => "kept over calls",
            PressureCause::DpasAccumulators => "dpas accumulators",
            PressureCause::WideAddresses => "64-bit addresses and integers",
            PressureCause::LoopCarried => "loop-carried",
            PressureCause::UsedInLoop => "used in each iteration",
            PressureCause::KeptThroughLoop => "kept through the loop",
            PressureCause::Inputs => "inputs",
            PressureCause::Undefined => "not written before",
            PressureCause::Loaded => "loaded",
            PressureCause::Computed => "computed",
        })
    }
}

/// The values with the same cause at a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CauseTotal {
    /// The cause.
    pub cause: PressureCause,
    /// General registers with a byte of such a value. Values with different causes may share one.
    pub registers: u32,
    /// Live bytes.
    pub bytes: u32,
    /// Number of values.
    pub values: u32,
}

/// A value that is live at a position: bytes with the same producers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiveValue {
    /// The arguments and other inputs that it holds.
    pub names: Vec<String>,
    /// The instruction that computes it, the first one if there are several.
    pub computed_by: Option<String>,
    /// The bytes that hold it: `r8:2`.
    pub bytes: Vec<String>,
    /// Number of bytes.
    pub size: u32,
    /// Whether, on some path, it is a value that the kernel starts with: the header of the thread, or
    /// its payload; of functions, and if the payload is unknown, any register.
    pub is_input: bool,
    /// Whether no instruction writes it on any path, and it is no value that the kernel starts with.
    pub is_undefined: bool,
    /// The offsets of the first instructions that compute it.
    pub born: Vec<u32>,
    /// The offset of the next instruction that reads it, on the shortest path; `None` if none was found.
    pub next_use: Option<u32>,
    /// Number of instructions until then.
    pub distance: Option<u32>,
    /// Whether that is in the next iteration of the loop.
    pub in_next_iteration: bool,
    /// Why it is in registers.
    pub cause: PressureCause,
    /// Whether it could be computed again at its uses. Only known at the peak; `false` elsewhere.
    pub recomputable: bool,
    /// The source line of the instruction that computes it: `file:line`.
    pub line: Option<String>,
}

impl LiveValue {
    /// Returns what it is: its names, the source line, and the instruction that computes it.
    #[must_use]
    pub fn title(&self) -> String {
        let mut parts: Vec<String> = Vec::new();
        if !self.names.is_empty() {
            parts.push(self.names.join(", "));
        }
        parts.extend(self.line.clone());
        if self.names.is_empty() {
            parts.extend(self.computed_by.clone());
        }
        if self.is_undefined {
            return "undefined: not written before".to_owned();
        }
        if parts.is_empty() {
            parts.push("value at the start".to_owned());
        }
        parts.join(": ")
    }
}

impl LiveValue {
    /// Returns where it is used next, after the offset: `, next iteration`, or nothing. Without an offset,
    /// a called function or the caller uses it.
    #[must_use]
    pub fn next_use_note(&self) -> &'static str {
        match (self.next_use, self.in_next_iteration) {
            (None, _) => "in another function",
            (Some(_), true) => ", next iteration",
            (Some(_), false) => "",
        }
    }
}

/// The values that are live at a position.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pressure {
    /// The position: `peak`, `spill`.
    pub at: String,
    /// The offset of the instruction.
    pub pc: u32,
    /// General registers with a live byte before it.
    pub registers: u32,
    /// Live bytes of general registers.
    pub bytes: u32,
    /// The values by cause, those with the most bytes first.
    pub causes: Vec<CauseTotal>,
    /// The values, the largest first.
    pub values: Vec<LiveValue>,
    /// Number of values that are not listed.
    pub others: u32,
}

/// Bytes that messages load and store for all channels of their execution size, by memory and cache
/// setting. Which channels are enabled is known only at run time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moved {
    /// The memory: `global`, `slm`, `scratch`, `constant`, `typed`, `sampler`, `render`, `urb`, or
    /// `unknown` if that is in a register.
    pub space: String,
    /// The shared function: `ugm`, `slm`, `dc1`.
    pub memory: String,
    /// The cache setting: `.ca.cc`; empty by default.
    pub cache: String,
    /// Number of messages.
    pub messages: u32,
    /// Number of these that only load into a cache; their bytes are not counted.
    pub prefetches: u32,
    /// Bytes loaded; `None` if unknown.
    pub loaded: Option<u64>,
    /// Bytes stored; `None` if unknown.
    pub stored: Option<u64>,
    /// The reason why the bytes are unknown.
    pub unknown: Option<String>,
}

/// Arithmetic operations for all channels of the execution size: a multiply-add is two.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OperationCount {
    /// `float`, `dpas`, `integer` or `logic` (shifts and operations on bits).
    pub kind: String,
    /// The type that they compute in: `f`, `hf`, `d`; of systolic operations the types of both
    /// matrices, if they are different: `bf`, `s8×u4`.
    #[serde(rename = "type")]
    pub data_type: String,
    /// The number; `None` if unknown.
    pub count: Option<u64>,
}

/// Figures of the costliest loop of some code, for the kernel table. All are of an iteration of one
/// thread.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LoopFigures {
    /// Cycles, as assumed by the compiler's scheduler.
    pub cycles: u64,
    /// Cycles of these in which instructions are issued.
    pub issue: u64,
    /// Floating-point operations.
    pub float: Figure<u64>,
    /// Systolic operations.
    pub dpas: Figure<u64>,
    /// Integer operations, shifts, and operations on bits.
    pub integer: Figure<u64>,
    /// Bytes of global memory, and of surfaces for constants.
    pub global: Figure<u64>,
    /// Bytes of shared local memory.
    pub local: Figure<u64>,
    /// Floating-point and systolic operations per byte of global memory.
    pub intensity: Figure<f64>,
}

impl LoopReport {
    /// Returns the number of operations of a kind.
    ///
    /// # Errors
    ///
    /// If some of them are unknown.
    pub fn operations_of(&self, kind: &str) -> Figure<u64> {
        if self.calls > 0 {
            return Err(Unknown::Calls);
        }
        let is_of = |of: &&OperationCount| of.kind == "unknown" || of.kind == kind;
        let counts = self.operations.iter().filter(is_of);
        let sum = counts.map(|of| of.count).sum::<Option<u64>>();
        sum.ok_or(Unknown::Undecoded)
    }

    /// Returns the bytes loaded and stored in memories.
    ///
    /// # Errors
    ///
    /// If the bytes of some messages to them are unknown, or those of a message to an unknown memory.
    pub fn bytes_of(&self, spaces: &[&str]) -> Figure<u64> {
        if self.calls > 0 {
            return Err(Unknown::Calls);
        }
        let is_of = |of: &&Moved| of.space == "unknown" || spaces.contains(&&*of.space);
        let moved = self.moved.iter().filter(is_of);
        let sums = moved.map(|of| Some(of.loaded?.saturating_add(of.stored?)));
        sums.sum::<Option<u64>>().ok_or(Unknown::Messages)
    }

    /// Computes the floating-point and systolic operations per byte of global memory.
    ///
    /// # Errors
    ///
    /// If the operations or bytes are unknown, or there are operations but no bytes.
    #[expect(
        clippy::cast_precision_loss,
        reason = "counts of one iteration are far below the precision"
    )]
    pub fn find_intensity(&self) -> Figure<f64> {
        let operations = self
            .operations_of("float")?
            .saturating_add(self.operations_of("dpas")?);
        match (operations, self.bytes_of(&OUTSIDE)?) {
            (_, 0) => Err(Unknown::NoBytes),
            (operations, bytes) => Ok(operations as f64 / bytes as f64),
        }
    }

    /// Returns the figures for the kernel table.
    #[must_use]
    pub fn figures(&self) -> LoopFigures {
        let integer = self.operations_of("integer");
        let logic = self.operations_of("logic");
        LoopFigures {
            cycles: self.cycles,
            issue: self.issue,
            float: self.operations_of("float"),
            dpas: self.operations_of("dpas"),
            integer: integer.and_then(|integer| Ok(integer.saturating_add(logic?))),
            global: self.bytes_of(&OUTSIDE),
            local: self.bytes_of(&["slm"]),
            intensity: self.find_intensity(),
        }
    }
}

/// The memories outside of the core whose bytes an intensity is relative to. Scratch memory is not
/// the kernel's data.
const OUTSIDE: [&str; 6] = ["global", "constant", "typed", "sampler", "render", "urb"];

/// A loop.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LoopReport {
    /// The offset of its first instruction.
    pub start: u32,
    /// The offset after its last instruction.
    pub end: u32,
    /// The ranges of its code: the first offset, and the offset after the last instruction.
    pub ranges: Vec<(u32, u32)>,
    /// The nesting depth: 1 for an outermost loop.
    pub depth: u32,
    /// The index of the enclosing loop.
    pub parent: Option<u32>,
    /// Whether it contains no other loop.
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
    /// Number of instructions that wait.
    pub waits: u32,
    /// Bytes per iteration, by memory and cache setting.
    pub moved: Vec<Moved>,
    /// Arithmetic operations per iteration, by kind and type.
    pub operations: Vec<OperationCount>,
    /// Number of calls. What the called functions do is not included.
    pub calls: u32,
    /// Floating-point and systolic operations per byte of global memory; `None` if unknown.
    pub intensity: Option<f64>,
    /// The reason why the intensity is unknown.
    pub intensity_unknown: Option<String>,
    /// Cycles per iteration of one thread, as assumed by the compiler's scheduler.
    pub cycles: u64,
    /// Cycles of these in which instructions are issued.
    pub issue: u64,
    /// The other cycles: the thread waits for results.
    pub latency: u64,
    /// The cycles in which the busiest pipe is occupied, with the hardware's width of the pipe: a lower
    /// limit of the cycles per iteration of a thread, however many threads run.
    pub throughput: u64,
    /// The least number of threads of an execution unit that keep the busiest pipe occupied all the time:
    /// with fewer, the latency of one thread bounds the loop, with more, the throughput. `None` if no pipe
    /// is occupied.
    pub saturating_threads: Option<u64>,
    /// The pipes that the loop uses.
    pub pipes: Vec<PipeCycles>,
    /// The larger one of issue and latency, and the cause of most of the latency.
    pub bottleneck: Bottleneck,
}

impl LoopReport {
    /// Returns the throughput with its pipe: `3200 (F)`.
    #[must_use]
    pub fn throughput_text(&self) -> String {
        let busiest = self.pipes.iter().find(|of| of.occupied == self.throughput);
        busiest.map_or_else(
            || self.throughput.to_string(),
            |of| format!("{} ({})", self.throughput, of.pipe),
        )
    }

    /// Returns what bounds the loop if `threads` threads of an execution unit run it: the busiest pipe, or
    /// the cycles of one thread, which the others do not cover.
    #[must_use]
    pub fn bound_of_threads(&self, threads: u64) -> ThreadsBound {
        let busiest = self.pipes.iter().find(|of| of.occupied == self.throughput);
        let occupied = self.throughput.saturating_mul(threads);
        match busiest {
            Some(of) if occupied >= self.cycles => ThreadsBound::Throughput {
                pipe: of.pipe.clone(),
                cycles: occupied,
            },
            _ if self.bottleneck == Bottleneck::Issue && threads < 2 => ThreadsBound::Issue,
            _ => ThreadsBound::Latency {
                cycles: self.cycles,
            },
        }
    }
}

/// What bounds a loop that several threads of an execution unit run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ThreadsBound {
    /// The busiest pipe: it is occupied all the time.
    Throughput {
        /// The pipe, as in [`PipeCycles`].
        pipe: String,
        /// The cycles in which an iteration of each thread occupies it.
        cycles: u64,
    },
    /// The thread is alone and its instructions are.
    Issue,
    /// The iteration of one thread: the others do not cover its waits.
    Latency {
        /// The cycles of an iteration of one thread.
        cycles: u64,
    },
}

impl fmt::Display for ThreadsBound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ThreadsBound::Throughput { pipe, cycles } => {
                write!(f, "throughput of {pipe}, {cycles} cycles")
            }
            ThreadsBound::Issue => f.write_str("issue"),
            ThreadsBound::Latency { cycles } => write!(f, "latency, {cycles} cycles"),
        }
    }
}

/// The cycles of a loop iteration in a pipe.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PipeCycles {
    /// The pipe: `F`, `I`, `L`, `M` or `S` in order, `dpas`, `math`, `send` or `other` out of order.
    pub pipe: String,
    /// Cycles in which its instructions occupy it, with the hardware's width of the pipe. Of messages:
    /// the registers that they transfer, one per cycle.
    pub occupied: u64,
    /// Cycles that the thread waits for its results.
    pub latency: u64,
}

/// The bottleneck of a loop for one thread.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Bottleneck {
    /// The instructions that are issued.
    Issue,
    /// Waits for results of an in-order pipe; its letter, empty on devices with one.
    Pipe(String),
    /// A wait for a message, or for another instruction that runs out of order.
    Wait {
        /// The offset of the instruction that waits.
        pc: u32,
        /// The offset of the instruction that it waits for.
        producer: u32,
    },
}

impl fmt::Display for Bottleneck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Bottleneck::Issue => f.write_str("issue"),
            Bottleneck::Pipe(pipe) if pipe.is_empty() => f.write_str("latency of results"),
            Bottleneck::Pipe(pipe) => write!(f, "latency of {pipe} results"),
            Bottleneck::Wait { pc, producer } => {
                write!(f, "latency of {producer:#x}, waited for at {pc:#x}")
            }
        }
    }
}

/// A spill slot in scratch memory.
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
    /// The loop depth of the innermost of them.
    pub depth: u32,
    /// The loads, each with the stores that it may read.
    pub loads: Vec<SlotLoad>,
    /// Whether the slot only saves registers for calls.
    pub saves: bool,
}

/// A message that reads a slot in scratch memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SlotLoad {
    /// The offset of the message.
    pub pc: u32,
    /// The offsets of the messages that may have written what it reads last; empty if none did.
    pub stores: Vec<u32>,
}

/// A pattern of spills that costs more than necessary.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpillPattern {
    /// The pattern: `innermost loop`, `spilled again`, `constant`, `recomputable`.
    pub kind: String,
    /// The address of the slot, or the registers of a value that is not spilled.
    pub address: String,
    /// The offsets of the instructions, in the order in which they run.
    pub places: Vec<u32>,
    /// An explanation, a sentence.
    pub text: String,
    /// Whether the value is in registers, and not spilled.
    pub in_registers: bool,
}

impl SpillPattern {
    /// Whether the value is spilled. The others are in registers.
    #[must_use]
    pub fn is_of_spill(&self) -> bool {
        !self.in_registers
    }
}

/// Groups patterns with the same explanation, in the order of their first ones: a kernel that spills a lot
/// has the same pattern in dozens of slots.
#[must_use]
pub fn pattern_groups(patterns: &[SpillPattern]) -> Vec<Vec<&SpillPattern>> {
    let mut groups: Vec<Vec<&SpillPattern>> = Vec::new();
    for pattern in patterns {
        let key = |of: &SpillPattern| (of.in_registers, of.kind.clone(), of.text.clone());
        let own = key(pattern);
        let is_own =
            |group: &&mut Vec<&SpillPattern>| group.first().is_some_and(|first| key(first) == own);
        match groups.iter_mut().find(is_own) {
            Some(group) => group.push(pattern),
            None => groups.push(vec![pattern]),
        }
    }
    groups
}

/// An instruction that waits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WaitReport {
    /// The offset of the instruction.
    pub pc: u32,
    /// Cycles of one wait, as assumed by the compiler's scheduler.
    pub cycles: u32,
    /// The loop depth.
    pub depth: u32,
    /// The instructions that it waits for.
    pub waits: Vec<WaitFor>,
}

/// Figures of a kernel's data flow, for the kernel table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FlowCounts {
    /// The maximum number of general registers that are live at once, including the values of channels
    /// that wait while others run.
    pub peak_live_registers: Figure<u64>,
    /// The same without these values, as the Intel Graphics Assembler (IGA) computes it.
    pub peak_live_registers_iga: Figure<u64>,
    /// Number of instructions whose results are never read.
    pub dead_writes: Figure<u64>,
    /// Cycles per iteration of the innermost loops, summed, as assumed by the scheduler.
    pub innermost_loop_cycles: Figure<u64>,
    /// The costliest loop, by [`loop_costs`]; `None` without loops.
    pub costliest_loop: Figure<Option<LoopFigures>>,
}

impl FlowCounts {
    /// Creates the figures of code that is not analyzed.
    #[must_use]
    pub fn unknown(reason: Unknown) -> FlowCounts {
        FlowCounts {
            peak_live_registers: Err(reason),
            peak_live_registers_iga: Err(reason),
            dead_writes: Err(reason),
            innermost_loop_cycles: Err(reason),
            costliest_loop: Err(reason),
        }
    }
}

/// A figure of a report that is unknown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnknownFigure {
    /// The figure: `loops`, `peak pressure`.
    pub figure: String,
    /// The reason.
    pub reason: String,
}

/// The summary of the data flow of a section of code.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct FlowReport {
    /// Number of instructions covered by the analysis.
    pub instructions: u32,
    /// The limits of the analysis, in sentences.
    pub limits: Vec<String>,
    /// The figures that are unknown, with the reasons. Their fields below are `None`.
    pub unknown: Vec<UnknownFigure>,
    /// The position with the most live registers; `None` also if no register is live.
    pub peak: Option<Peak>,
    /// The values that are live at the peak, and at the spills in the deepest loops.
    pub pressures: Option<Vec<Pressure>>,
    /// Number of instructions whose results are never read.
    pub dead_writes: Option<u32>,
    /// Number of messages that spill registers to scratch memory.
    pub spills: Option<u32>,
    /// Number of messages that fill registers from scratch memory.
    pub fills: Option<u32>,
    /// Number of messages that save registers for calls: they are no spills.
    pub saves: Option<u32>,
    /// Number of messages that restore registers after calls: they are no fills.
    pub restores: Option<u32>,
    /// The functions of the code, in code order.
    pub functions: Option<Vec<FunctionReport>>,
    /// The spills by slot.
    pub slots: Option<Vec<SlotReport>>,
    /// Spills that cost more than necessary, by slot.
    pub patterns: Option<Vec<SpillPattern>>,
    /// The offsets of the messages to scratch memory whose slot is unknown.
    pub other_scratch: Option<Vec<u32>>,
    /// The loops, in code order.
    pub loops: Option<Vec<LoopReport>>,
    /// The index of the costliest loop, by [`loop_costs`].
    pub hottest: Option<u32>,
    /// The number of iterations of each loop that costs assume: nothing in the code states it.
    pub assumed_iterations: u32,
    /// The most expensive waits, the deepest loops first.
    pub waits: Option<Vec<WaitReport>>,
}

/// The number of iterations of each loop that estimates assume.
pub const ASSUMED_ITERATIONS: u32 = 10;

/// Returns the number of times that a loop at a nesting depth runs per run of the code, for estimates:
/// with [`ASSUMED_ITERATIONS`] of each loop.
pub fn estimated_runs(depth: u32) -> u64 {
    u64::from(ASSUMED_ITERATIONS).saturating_pow(depth.min(8))
}

/// Returns the estimated cycles of each loop per run of the code: of its instructions that are in no
/// inner loop, and with [`ASSUMED_ITERATIONS`] of each loop.
#[must_use]
pub fn loop_costs(loops: &[LoopReport]) -> Vec<u64> {
    loop_costs_with(loops, |found| estimated_runs(found.depth))
}

/// Returns the cycles of each loop: of its instructions that are in no inner loop, and with the number of
/// iterations that `runs` returns.
#[must_use]
pub fn loop_costs_with(loops: &[LoopReport], runs: impl Fn(&LoopReport) -> u64) -> Vec<u64> {
    let mut costs: Vec<u64> = loops.iter().map(|found| found.cycles).collect();
    for found in loops {
        let parent = found.parent.and_then(|at| usize::try_from(at).ok());
        if let Some(outer) = parent.and_then(|at| costs.get_mut(at)) {
            *outer = outer.saturating_sub(found.cycles);
        }
    }
    for (cost, found) in costs.iter_mut().zip(loops) {
        *cost = cost.saturating_mul(runs(found));
    }
    costs
}

impl FlowReport {
    /// Returns a figure, or records why it is unknown.
    pub fn known<T>(&mut self, figure: &str, value: Figure<T>) -> Option<T> {
        let unknown = |reason: Unknown| UnknownFigure {
            figure: figure.to_owned(),
            reason: reason.reason().into_owned(),
        };
        value
            .map_err(|reason| self.unknown.push(unknown(reason)))
            .ok()
    }

    /// Returns the first figure that a limit or the end of the code left unknown. What the code itself
    /// leaves open, by addressing registers indirectly, does not count.
    pub fn beyond_a_limit(&self) -> Option<&UnknownFigure> {
        let open = Unknown::Indirect.reason();
        self.unknown.iter().find(|of| of.reason != open)
    }

    /// Returns the limits of the analysis, and the figures that are unknown, in sentences.
    pub fn all_limits(&self) -> impl Iterator<Item = String> {
        let unknown = self.unknown.iter();
        let unknown = unknown.map(|of| format!("{}: unknown: {}", of.figure, of.reason));
        self.limits.iter().cloned().chain(unknown)
    }
}
