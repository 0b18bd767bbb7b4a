//! The functions of a section of code: a kernel, the functions that it calls, and their callers.
//!
//! Plain data, created by a decoder on demand
//! ([`Flows::functions`](super::data_flow::Flows::functions)).

use std::fmt;

use serde::{Deserialize, Serialize};

/// A function of a section of code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FunctionReport {
    /// The name of its symbol, demangled; `function at 0x780` without a symbol.
    pub name: String,
    /// Its kind.
    pub kind: FunctionKind,
    /// The offset of its first instruction in the code.
    pub start: u32,
    /// The ranges of its code: the first offset, and the offset after the last instruction.
    pub ranges: Vec<(u32, u32)>,
    /// The calls in it, in code order.
    pub calls: Vec<CallSite>,
    /// The indexes of the functions that call it, in ascending order.
    pub callers: Vec<u32>,
    /// Whether it calls itself, directly or through other functions of the section.
    pub recursive: bool,
    /// The costs of its own instructions.
    pub own: FunctionCosts,
    /// The costs with those of the functions that it calls.
    pub with_callees: FunctionCosts,
    /// The reason why the costs with callees are incomplete, as a sentence: recursion, or calls of code
    /// that is not known.
    pub limit: Option<String>,
}

/// Kind of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FunctionKind {
    /// A kernel, which the driver starts.
    Kernel,
    /// A function with a symbol.
    Function,
    /// A function without a symbol, which a call leads to.
    Subroutine,
}

impl fmt::Display for FunctionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FunctionKind::Kernel => "kernel",
            FunctionKind::Function => "function",
            FunctionKind::Subroutine => "subroutine",
        })
    }
}

/// A call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallSite {
    /// The offset of the instruction.
    pub pc: u32,
    /// The nesting depth of the loops around it in its function.
    pub depth: u32,
    /// The function that is called.
    pub callee: Callee,
}

/// The function that a call leads to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Callee {
    /// The index of a function of the section.
    Function(u32),
    /// Code in another section or file, by its symbol.
    Symbol(String),
    /// The address is a value at run time: an indirect call.
    Indirect,
    /// The target is out of the code or within an instruction.
    Astray,
}

/// Costs of a function for one thread, as assumed by the compiler's scheduler. Counts are of
/// instructions in the code: with callees, each function counts once. Cycles are of runs: with callees,
/// each call counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FunctionCosts {
    /// Number of instructions, without padding.
    pub instructions: u32,
    /// Cycles if each instruction runs once; `None` if unknown.
    pub cycles: Option<u64>,
    /// Cycles if each loop runs ten times; `None` if unknown.
    pub estimated_cycles: Option<u64>,
    /// Number of loops.
    pub loops: u32,
    /// Number of messages.
    pub sends: u32,
    /// Number of systolic multiplications.
    pub dpas: u32,
    /// Number of instructions that wait.
    pub waits: u32,
    /// Number of messages that spill registers, without those that save them for calls.
    pub spills: u32,
    /// Number of messages that fill spilled registers, without those that restore them after calls.
    pub fills: u32,
    /// Number of messages that save registers for calls.
    pub saves: u32,
    /// Number of messages that restore registers after calls.
    pub restores: u32,
    /// The maximum number of general registers that are live before one of its instructions; `None` if
    /// unknown.
    pub peak_live_registers: Option<u32>,
}

impl FunctionCosts {
    /// Adds the counts of another function, but not its cycles.
    pub fn add_counts(&mut self, other: &FunctionCosts) {
        self.instructions += other.instructions;
        self.loops += other.loops;
        self.sends += other.sends;
        self.dpas += other.dpas;
        self.waits += other.waits;
        self.spills += other.spills;
        self.fills += other.fills;
        self.saves += other.saves;
        self.restores += other.restores;
        let peak = self.peak_live_registers.zip(other.peak_live_registers);
        self.peak_live_registers = peak.map(|(one, other)| one.max(other));
    }
}

/// A symbol of a function in a section of code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FunctionSymbol {
    /// The offset of its first byte in the code.
    pub start: u64,
    /// The offset after its last byte.
    pub end: u64,
    /// Its name, demangled.
    pub name: String,
}

impl FunctionReport {
    /// Returns whether an offset is in its code.
    #[must_use]
    pub fn contains(&self, pc: u32) -> bool {
        let after = self.ranges.partition_point(|range| range.0 <= pc);
        let range = after.checked_sub(1).and_then(|at| self.ranges.get(at));
        range.is_some_and(|range| pc < range.1)
    }

    /// Returns the offsets of its indirect calls.
    pub fn indirect_calls(&self) -> impl Iterator<Item = u32> {
        let calls = self.calls.iter();
        let indirect = calls.filter(|call| call.callee == Callee::Indirect);
        indirect.map(|call| call.pc)
    }
}

/// Returns the index of the function whose code has an offset.
#[must_use]
pub fn function_at(functions: &[FunctionReport], pc: u32) -> Option<usize> {
    functions.iter().position(|found| found.contains(pc))
}
