//! The data flow of code.

use crate::analysis::data_flow::ScratchMessage;
use crate::model::{NodeId, Span};
use serde::{Deserialize, Serialize};

/// Maximum size of code whose data flow is analyzed without being asked for, in bytes: the decoder
/// answers nothing else in the meantime.
pub const FLOW_MAX: u64 = 256 << 10;

/// Maximum size of code whose rows follow after its data flow, in bytes. Longer code would appear
/// later than without it.
pub const FIRST_FLOW_MAX: u64 = 32 << 10;

/// Maximum number of rows of a [`FlowTable`]: the page renders all of them with the code.
pub const FLOW_ROWS_MAX: usize = 100;

/// Maximum number of loops that can be folded.
pub const LOOPS_MAX: usize = 500;

/// The data flow of a section of code in summary.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlowOverview {
    /// The document of the code.
    pub document: NodeId,
    /// The section of code.
    pub of: Span,
    /// The results; aspects without any are left out.
    pub topics: Vec<FlowTopic>,
    /// The limits of the analysis, in sentences.
    pub limits: Vec<String>,
    /// The costliest loops, at most [`LOOPS_MAX`], the costliest first.
    pub loops: Vec<FlowLoop>,
    /// The index of the first instruction of the costliest loop, at which the listing opens.
    pub opens: Option<u64>,
    /// The maximum number of live general registers.
    pub peak: u32,
    /// The general registers of a thread of the kernel; `None` if the code belongs to no kernel, or the
    /// file does not state them.
    pub registers: Option<u32>,
    /// The length of a full bar of live registers: the kernel's registers, or the peak.
    pub most: u32,
    /// The largest number of registers with which the device runs more threads of the kernel;
    /// `None` if more are impossible or the device is unknown.
    pub more_threads: Option<u32>,
    /// The number of general registers that are live before each instruction.
    pub live: Vec<u16>,
    /// The messages that access scratch memory, by the index of the instruction.
    pub scratch: Vec<(u32, ScratchMessage)>,
}

/// What results of code are about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Aspect {
    /// Spills and fills: the slots of scratch memory.
    Spills,
    /// Live registers.
    Registers,
    /// Loops.
    Loops,
    /// Waits for results.
    Waits,
    /// Functions, and calls between them.
    Functions,
    /// Samples of a profile.
    Samples,
    /// Its size and its kinds of instructions.
    Code,
}

impl Aspect {
    /// All aspects, the most important first.
    pub const ALL: [Aspect; 7] = [
        Aspect::Spills,
        Aspect::Registers,
        Aspect::Loops,
        Aspect::Waits,
        Aspect::Functions,
        Aspect::Samples,
        Aspect::Code,
    ];

    /// Returns its title.
    pub fn title(self) -> &'static str {
        match self {
            Aspect::Spills => "Spills and fills",
            Aspect::Registers => "Live registers",
            Aspect::Loops => "Loops",
            Aspect::Waits => "Waits",
            Aspect::Functions => "Functions",
            Aspect::Samples => "Samples",
            Aspect::Code => "Instruction mix",
        }
    }
}

/// The results about one aspect of code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlowTopic {
    /// The aspect.
    pub aspect: Aspect,
    /// The most important results in sentences.
    pub facts: Vec<FlowFact>,
    /// Tables with rows, the most important first.
    pub tables: Vec<FlowTable>,
}

impl FlowOverview {
    /// Returns the loop whose code starts at an offset, if it has more than one instruction.
    pub fn loop_at(&self, start: u32) -> Option<&FlowLoop> {
        let mut loops = self.loops.iter();
        loops.find(|found| found.start == start && found.instructions > 1)
    }

    /// Returns what an instruction does with scratch memory.
    pub fn scratch_of(&self, row: u64) -> Option<&ScratchMessage> {
        let row = u32::try_from(row).ok()?;
        let at = self.scratch.binary_search_by_key(&row, |(row, _)| *row);
        Some(&self.scratch.get(at.ok()?)?.1)
    }

    /// Returns the results about an aspect.
    pub fn topic(&self, aspect: Aspect) -> Option<&FlowTopic> {
        let mut topics = self.topics.iter();
        topics.find(|topic| topic.aspect == aspect)
    }
}

/// A piece of a sentence about code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum FlowPiece {
    /// Words.
    Text(String),
    /// The instruction at an offset of the code.
    At(u32),
}

/// A result in a sentence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlowFact {
    /// Its explanation; may be empty.
    pub title: String,
    /// Its text.
    pub text: Vec<FlowPiece>,
}

/// A table of results.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlowTable {
    /// Its title.
    pub title: String,
    /// Number of rows, including those that are left out.
    pub count: u64,
    /// The columns.
    pub columns: Vec<FlowColumn>,
    /// The first rows, at most [`FLOW_ROWS_MAX`].
    pub rows: Vec<FlowRow>,
    /// An explanation.
    pub note: String,
}

/// A row of a [`FlowTable`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlowRow {
    /// A cell for each column.
    pub cells: Vec<FlowCell>,
    /// The offset of the loop that it is about.
    pub loop_at: Option<u32>,
}

/// A cell of a [`FlowTable`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum FlowCell {
    /// A number.
    Number(u64),
    /// A text.
    Text(Vec<FlowPiece>),
}

/// A column of a [`FlowTable`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlowColumn {
    /// Its title.
    pub title: String,
    /// The kind of its cells.
    pub kind: FlowColumnKind,
    /// Whether it is left out where there is little room.
    pub is_detail: bool,
}

/// The kind of the cells in a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum FlowColumnKind {
    /// Words.
    Text,
    /// Numbers.
    Number,
    /// Offsets, registers, addresses.
    Code,
}

/// A loop that can be folded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlowLoop {
    /// The offset of its code.
    pub start: u32,
    /// The ranges of its code: the first offset, and the offset after the last instruction.
    pub ranges: Vec<(u32, u32)>,
    /// The index of its first instruction, and of the one after its last.
    pub rows: (u32, u32),
    /// The nesting depth: 1 for an outermost loop.
    pub depth: u32,
    /// Number of instructions.
    pub instructions: u32,
    /// Cycles of an iteration of one thread.
    pub cycles: u64,
    /// Cycles of these in which instructions are issued.
    pub issue: u64,
    /// Its name: `loop`, `costliest loop`.
    pub name: String,
}
