//! The instructions of a document's code: text, parts and statistics.
//!
//! Plain data, created by a decoder on demand ([`Document::assembly`]).
//! `tables` presents the instructions of a section of code.

use std::rc::Rc;

use serde::{Deserialize, Serialize};

use super::blocks::BlockGraph;
use super::data_flow::Flows;
use super::kernel_inputs::KernelInputs;
use super::source_lines::CodeSection;
use crate::analysis::module_text::TokenKind;
use crate::model::Tone;
use crate::model::{Bits, Document, NodeId, Sources, Span, Str};

/// Provides the instructions of a document.
pub trait Assembly {
    /// Returns the sections of code, in file order.
    fn sections(&self) -> Rc<[CodeSection]>;

    /// Returns the name of the encoding of the file's device, or `None` if it is unknown.
    fn encoding(&self) -> Option<Str>;

    /// Returns the instructions of a section. `encoding` is the name of an encoding or a device; by
    /// default that of the file's device.
    ///
    /// # Errors
    ///
    /// A message, if there is no such encoding or device.
    fn listing(
        &self,
        code: Span,
        encoding: Option<&str>,
        sources: &Sources,
    ) -> Result<Rc<dyn Listing>, String>;

    /// Returns the values that the code in a section starts with.
    fn inputs(&self, code: Span, sources: &Sources) -> Rc<KernelInputs>;
}

/// The instructions of a section of code. A row is an index below [`count`](Listing::count).
pub trait Listing {
    /// Returns the bytes of the code.
    fn code(&self) -> Span;

    /// Returns the name of the encoding, or `None` if it is unknown; then the instructions have no
    /// text.
    fn encoding(&self) -> Option<Str>;

    /// Returns the number of complete instructions.
    fn count(&self) -> u32;

    /// Returns the bytes of an instruction.
    fn span(&self, row: u32, sources: &Sources) -> Option<Span>;

    /// Returns the instruction at an offset of the source; the last one if the offset is after it.
    fn row_at(&self, offset: u64, sources: &Sources) -> Option<u32>;

    /// Returns the text of an instruction.
    fn line(&self, row: u32, sources: &Sources) -> Option<Rc<Line>>;

    /// Returns the parts of an instruction, with the bits of each.
    fn parts(&self, row: u32, sources: &Sources) -> Vec<Part>;

    /// Returns the control-flow graph; empty if the encoding is unknown.
    fn blocks(&self, sources: &Sources) -> Rc<BlockGraph>;

    /// Returns the parts of an instruction's text, in the order of the text. Empty if the encoding is
    /// not known.
    fn text_parts(&self, row: u32, sources: &Sources) -> Vec<TextPart>;

    /// Returns the data flow of the instructions, computed on first use, or `None` if the encoding
    /// is unknown or the code cannot be read.
    fn data_flow(&self, sources: &Sources) -> Option<Rc<dyn Flows>>;

    /// Returns the whole listing in assembler syntax.
    ///
    /// # Errors
    ///
    /// A message, if it would be longer than `limit` bytes, or cannot be read.
    fn text(&self, sources: &Sources, limit: usize) -> Result<String, String>;

    /// Passes all instructions in order to `to`, in comparable form, until it returns false. With
    /// `renumbered`, general registers and scoreboard tokens have no numbers.
    fn shapes(&self, renumbered: bool, sources: &Sources, to: &mut dyn Shapes);

    /// Returns the classes of the instructions, in the order of their first instruction. Classes are
    /// found without decoding each instruction; empty if the encoding is unknown.
    fn classes(&self, sources: &Sources) -> Vec<ClassCount>;

    /// Passes the class of each instruction to `to`, with its row and its bytes, until it returns
    /// false.
    fn each_class(&self, sources: &Sources, to: &mut dyn FnMut(u32, Span, &Rc<WordClass>) -> bool);

    /// Starts counting the instructions.
    fn tally(&self, sources: &Sources) -> Box<dyn Tally>;
}

/// Computes instruction statistics, a piece at a time.
pub trait Tally {
    /// Processes at most `most` bytes of code. Returns the number of bytes left.
    fn step(&mut self, most: u64, sources: &Sources) -> u64;

    /// Returns the statistics so far.
    fn mix(&self) -> Mix;
}

/// What instructions have in common that differ only in registers, constants, jump targets and
/// scoreboard options, and some that differ in types and regions.
#[derive(Debug, PartialEq, Eq)]
pub struct WordClass {
    /// As [`Line::mnemonic`].
    pub mnemonic: &'static str,
    /// As [`Line::operation`].
    pub operation: Box<str>,
    /// As [`Line::kind`].
    pub kind: &'static str,
    /// As [`Line::message_name`].
    pub message: Box<str>,
    /// The texts of [`Line::marks`].
    pub marks: Vec<Str>,
}

/// The instructions of a class in some code.
#[derive(Debug, Clone)]
pub struct ClassCount {
    /// The class.
    pub class: Rc<WordClass>,
    /// Number of its instructions.
    pub count: u32,
    /// The row of the first one.
    pub row: u32,
    /// The bytes of the first one.
    pub first: Span,
}

/// Receives the instructions of a listing for comparison.
pub trait Shapes {
    /// Receives an instruction by its word, if the same word occurred before in this encoding.
    /// Returns whether it is known.
    fn repeated(&mut self, at: i32, word: u128) -> bool;

    /// Receives an instruction; `word` is `None` for one with jump targets. Returns whether to
    /// continue.
    fn shape(&mut self, word: Option<u128>, shape: &Shape<'_>) -> bool;
}

/// An instruction in comparable form, independent of its position.
#[derive(Debug, Clone, Copy)]
pub struct Shape<'a> {
    /// Its offset in the code.
    pub at: i32,
    /// Its text, with 0 in place of jump targets, and without the compaction flag. If the encoding
    /// is unknown, its bytes.
    pub text: &'a str,
    /// The operation.
    pub operation: &'a str,
    /// The jump targets, as offsets in the code.
    pub targets: &'a [i32],
    /// Its contribution to the statistics.
    pub counts: Counts,
}

/// Statistics of one or more instructions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Padding: zero bytes that the hardware may prefetch.
    pub padding: u64,
    /// Messages.
    pub sends: u64,
    /// Messages that write scratch memory.
    pub spills: u64,
    /// Messages that read scratch memory.
    pub fills: u64,
    /// Atomic operations in memory.
    pub atomics: u64,
    /// Barriers: signals and waits.
    pub barriers: u64,
    /// Systolic multiplications.
    pub dpas: u64,
    /// Instructions that wait on the software scoreboard.
    pub waits: u64,
}

impl std::ops::AddAssign for Counts {
    fn add_assign(&mut self, other: Counts) {
        self.padding += other.padding;
        self.sends += other.sends;
        self.spills += other.spills;
        self.fills += other.fills;
        self.atomics += other.atomics;
        self.barriers += other.barriers;
        self.dpas += other.dpas;
        self.waits += other.waits;
    }
}

/// The text of an instruction.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Line {
    /// The label before it; empty if it has no label.
    pub label: String,
    /// Its text, as the Intel Graphics Assembler writes it, without the comment.
    pub text: String,
    /// The meaning of its message.
    pub comment: String,
    /// The end of the comment: the operation of the message and its address, without the numbers of
    /// registers.
    pub message: String,
    /// The name of a message without sizes, caches and addresses: `load.ugm`. Empty for other
    /// instructions.
    pub message_name: String,
    /// The operation without its subfunction: `mov`, `send`.
    pub mnemonic: &'static str,
    /// The operation: `mov`, `send.ugm`.
    pub operation: String,
    /// The meaning of the operation.
    pub meaning: Str,
    /// The kind of instruction: `float`, `integer`, `message` …
    pub kind: &'static str,
    /// The jump targets, as offsets in the code.
    pub targets: Vec<i32>,
    /// Annotations.
    pub marks: Vec<Annotation>,
    /// Scoreboard options: the instructions that it waits for, and the token that others wait for.
    pub waits: String,
    /// All options in braces as in the text, apart from the compaction; `Atomic` is `At`. Empty
    /// without options.
    pub options: String,
    /// Whether it is compacted to 8 bytes.
    pub is_compacted: bool,
    /// What it is.
    pub class: InstructionClass,
    /// Its access to scratch memory: a spill or a fill, or one of private memory.
    pub scratch: Option<ScratchAccess>,
}

/// A class of instructions, as readers of a listing tell them apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum InstructionClass {
    /// Moves, comparisons, logic and arithmetic.
    #[default]
    Arithmetic,
    /// A message to a shared function.
    Message,
    /// A systolic multiplication.
    Systolic,
    /// An extended math function.
    Math,
    /// A branch or call.
    Control,
    /// Waiting and nothing else: `sync`, `wait`, `nop`, padding.
    Synchronization,
    /// Not a valid instruction of the encoding.
    Illegal,
}

/// What a message does with scratch memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ScratchAccess {
    /// Writes it: a spill.
    Store,
    /// Reads it: a fill.
    Load,
}

/// A part of an instruction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// Its role: `destination`, `source 0`.
    pub name: Str,
    /// Its text.
    pub text: String,
    /// Its byte offset in the line.
    pub at: u32,
    /// The bits of the instruction that encode it.
    pub bits: Bits,
    /// The meaning; may be empty.
    pub meaning: Str,
}

/// Statistics of the instructions of some code.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Mix {
    /// Number of instructions, without padding.
    pub instructions: u64,
    /// Number of zero words that follow the code for prefetching.
    pub padding: u64,
    /// Size of the code in bytes, including padding.
    pub bytes: u64,
    /// Number of compacted (8-byte) instructions.
    pub compacted: u64,
    /// Number of instructions by kind, in descending order.
    pub kinds: Vec<(Str, u64)>,
    /// The messages, in descending order of their number.
    pub messages: Vec<MessageCount>,
    /// Messages that write scratch memory.
    pub spills: u64,
    /// Messages that read scratch memory.
    pub fills: u64,
    /// Atomic operations in memory.
    pub atomics: u64,
    /// Barriers: signals and waits.
    pub barriers: u64,
    /// Basic blocks.
    pub blocks: u64,
    /// Loops: blocks that are targets of back edges.
    pub loops: u64,
    /// Maximum nesting depth of the loops.
    pub nesting: u64,
    /// General registers that are accessed directly.
    pub registers: u64,
    /// Instructions that wait on the software scoreboard.
    pub waits: u64,
    /// Words that are not valid instructions of the encoding.
    pub illegal: u64,
}

impl Mix {
    /// Takes the messages that save registers around calls out of [`Mix::spills`] and [`Mix::fills`]. Only
    /// the data flow tells them apart, which is analyzed if the code has calls and such messages.
    #[must_use]
    pub fn without_saves(mut self, listing: &dyn Listing, sources: &Sources) -> Mix {
        let has_calls = self.kinds.iter().any(|(kind, _)| kind == "call");
        if has_calls
            && (self.spills > 0 || self.fills > 0)
            && let Some(flows) = listing.data_flow(sources)
        {
            let report = flows.report();
            let saves = report.saves.unwrap_or(0).into();
            let restores = report.restores.unwrap_or(0).into();
            self.spills = self.spills.saturating_sub(saves);
            self.fills = self.fills.saturating_sub(restores);
        }
        self
    }
}

/// The messages with the same operation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageCount {
    /// The operation: `load.ugm`.
    pub name: String,
    /// Number of messages.
    pub count: u64,
    /// Bytes of the registers that they send, where instructions specify it.
    pub sent: u64,
    /// Bytes of the registers that they receive.
    pub received: u64,
}

/// Part of the text of an instruction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextPart {
    /// Its first byte in the text.
    pub start: u32,
    /// The byte after its last one.
    pub end: u32,
    /// Length of an operand's name in bytes: the region and the type follow it. 0 for constants.
    pub name: u32,
    /// Its role in the instruction.
    pub role: TextRole,
    /// What is known of it besides.
    pub kind: Option<TextPartKind>,
}

/// Role of a part of an instruction's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum TextRole {
    /// Mask and predicate.
    Predicate,
    /// The operation with its subfunction.
    Operation,
    /// The execution size and channel offset.
    Execution,
    /// The flag that is set.
    Flag,
    /// The destination.
    Destination,
    /// A source, by number.
    Source(u8),
    /// The extended descriptor of a message.
    ExtendedDescriptor,
    /// The descriptor of a message.
    Descriptor,
    /// The options in braces.
    Options,
    /// The decoded message, behind the instruction; no part of its text.
    Comment,
}

impl TextRole {
    /// Returns whether it is before the operands.
    #[must_use]
    pub fn is_head(self) -> bool {
        use TextRole::{Execution, Flag, Operation, Predicate};
        matches!(self, Predicate | Operation | Execution | Flag)
    }
}

/// Kind of a part of an instruction's text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum TextPartKind {
    /// The operation, with its subfunction.
    Operation,
    /// Registers, as far as the instruction determines them.
    Registers {
        /// Whether they are written.
        writes: bool,
        /// All registers of the operand, not only the one that the text names.
        ranges: Vec<RegisterRange>,
    },
    /// A branch target: an offset in the code, in bytes.
    Target(u32),
    /// A token of the text of a module.
    Token {
        /// Its kind.
        kind: TokenKind,
        /// Its bytes.
        span: Span,
        /// For an id, the bytes of the line that defines it.
        definition: Option<Span>,
        /// For the operation that starts a function, the row of its line: its other lines can be
        /// folded.
        function: Option<u32>,
    },
}

/// Consecutive registers of one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RegisterRange {
    /// Index of the register file.
    pub file: u8,
    /// The first register.
    pub first: u16,
    /// The last register.
    pub last: u16,
}

impl RegisterRange {
    /// Returns whether two ranges have a register in common.
    pub fn overlaps(self, other: RegisterRange) -> bool {
        self.file == other.file && self.first <= other.last && other.first <= self.last
    }
}

/// A label beside a value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Annotation {
    /// The tone.
    pub tone: Tone,
    /// The label.
    pub text: Str,
    /// The explanation.
    pub doc: Str,
}

impl Document {
    /// Returns the instructions of a document: of the opened file (its root), or of one that is
    /// nested in it.
    pub fn assembly(&self, document: NodeId) -> Option<Rc<dyn Assembly>> {
        self.interfaces(document).assembly
    }

    /// Returns the instructions of a section of code (by default the first), in an encoding, or
    /// `None` if there are none.
    pub fn listing(
        &self,
        document: NodeId,
        of: Option<Span>,
        encoding: Option<&str>,
    ) -> Option<Rc<dyn Listing>> {
        let assembly = self.assembly(document)?;
        let sections = assembly.sections();
        let named = sections.iter().find(|section| Some(section.bytes) == of);
        let code = named.or_else(|| sections.first())?.bytes;
        assembly.listing(code, encoding, &self.sources).ok()
    }

    /// Returns the section of code that contains the bytes, or that of the kernel whose entry
    /// contains them.
    pub fn code_of(&self, document: NodeId, span: Span) -> Option<Span> {
        let sections = self.assembly(document)?.sections();
        let holds = sections.iter().find(|section| section.bytes.contains(span));
        let of_kernel = |section: &&CodeSection| {
            let kernel = section.kernel.as_ref();
            kernel.is_some_and(|(_, entry)| entry.contains(span))
        };
        let found = holds.or_else(|| sections.iter().find(of_kernel))?;
        Some(found.bytes)
    }
}
