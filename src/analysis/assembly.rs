//! The instructions of a document's code: their text, and what they come to.
//!
//! Plain data, made by a decoder when somebody asks ([`Document::assembly`]).
//! [`tables`](crate::tables::instructions) shows the instructions of a section of code.

use std::rc::Rc;

use serde::{Deserialize, Serialize};

use super::blocks::BlockGraph;
use super::data_flow::Flows;
use super::source_lines::CodeSection;
use crate::model::Tone;
use crate::model::{Bits, Document, NodeId, Sources, Span, Str};

/// Who knows the instructions of a document.
pub trait Assembly {
    /// The sections of code, in the order of the file.
    fn sections(&self) -> Rc<[CodeSection]>;

    /// The name of the encoding that the file's device has. Returns `None` if it is not known.
    fn encoding(&self) -> Option<Str>;

    /// The instructions of a section. `encoding` is the name of one, or of a device; that of the
    /// file's device without.
    ///
    /// # Errors
    ///
    /// When there is no such encoding or device; says so in words.
    fn listing(
        &self,
        code: Span,
        encoding: Option<&str>,
        sources: &Sources,
    ) -> Result<Rc<dyn Listing>, String>;
}

/// The instructions of a section of code. A row is a number below [`count`](Listing::count).
pub trait Listing {
    /// The code.
    fn code(&self) -> Span;

    /// The name of the encoding. Returns `None` if it is not known: then the instructions have
    /// no text.
    fn encoding(&self) -> Option<Str>;

    /// How many whole instructions there are.
    fn count(&self) -> u32;

    /// The bytes of an instruction.
    fn span(&self, row: u32, sources: &Sources) -> Option<Span>;

    /// The instruction that holds the byte at an offset of the source; behind the last one, that.
    fn row_at(&self, offset: u64, sources: &Sources) -> Option<u32>;

    /// An instruction in words.
    fn line(&self, row: u32, sources: &Sources) -> Option<Rc<Line>>;

    /// The parts of an instruction, and the bits that each is made of.
    fn parts(&self, row: u32, sources: &Sources) -> Vec<Part>;

    /// The jumps that start at an instruction, end there, or pass it; see [`Line::text`] for
    /// their targets. A character for each, the outermost first, and `►` at the target.
    fn jumps(&self, row: u32, sources: &Sources) -> String;

    /// How many jumps are beside each other at most.
    fn lanes(&self, sources: &Sources) -> u32;

    /// Its basic blocks, and how control goes between them. None if the encoding is not known.
    fn blocks(&self, sources: &Sources) -> Rc<BlockGraph>;

    /// The parts of an instruction's text with a meaning of their own, in the order of the text. Empty if
    /// the encoding is not known.
    fn text_parts(&self, row: u32, sources: &Sources) -> Vec<TextPart>;

    /// The data flow of the instructions, found when somebody asks first. Returns `None` if the
    /// encoding is not known or the code cannot be read.
    fn data_flow(&self, sources: &Sources) -> Option<Rc<dyn Flows>>;

    /// The whole listing, as the assembler reads it.
    ///
    /// # Errors
    ///
    /// When it would be longer than `limit` bytes, or cannot be read; says so in words.
    fn text(&self, sources: &Sources, limit: usize) -> Result<String, String>;

    /// Gives all instructions in order, as listings are compared, until nobody wants more. With
    /// `renumbered`, general registers and the tokens of the scoreboard have no numbers.
    fn shapes(&self, renumbered: bool, sources: &Sources, to: &mut dyn Shapes);

    /// Counts what the instructions come to.
    fn tally(&self, sources: &Sources) -> Box<dyn Tally>;
}

/// Counts what the instructions of some code come to, a piece at a time.
pub trait Tally {
    /// Goes on by at most so many bytes of code. Returns how many are left.
    fn step(&mut self, most: u64, sources: &Sources) -> u64;

    /// What was counted so far.
    fn mix(&self) -> Mix;
}

/// Takes the instructions of a listing that is compared.
pub trait Shapes {
    /// Takes an instruction by its word, if the same word was there before in this encoding. Returns
    /// whether it was.
    fn again(&mut self, at: i32, word: u128) -> bool;

    /// Takes an instruction; `word` is none of one that can go elsewhere. Returns whether more are
    /// wanted.
    fn shape(&mut self, word: Option<u128>, shape: &Shape<'_>) -> bool;
}

/// An instruction as listings are compared: without what depends on where it stands.
#[derive(Debug, Clone, Copy)]
pub struct Shape<'a> {
    /// Where it starts in the code.
    pub at: i32,
    /// Its text, with 0 for the places where it can go, and without whether it is compacted. Where
    /// the encoding is not known, its bytes.
    pub text: &'a str,
    /// The operation.
    pub operation: &'a str,
    /// Where it can go, as offsets of the code.
    pub targets: &'a [i32],
    /// What it counts as.
    pub counts: Counts,
}

/// What instructions count as, or some of them come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// It only fills up: zero bytes, which the hardware may prefetch.
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
    /// Instructions that wait for others by the software scoreboard.
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

/// An instruction in words.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Line {
    /// The label before it; empty if it has none.
    pub label: String,
    /// Its text, as the Intel Graphics Assembler writes it, without the comment.
    pub text: String,
    /// What its message means.
    pub comment: String,
    /// The operation: `mov`, `send.ugm`.
    pub operation: String,
    /// What the operation does.
    pub meaning: Str,
    /// What kind of instruction it is: `float`, `integer`, `message` …
    pub kind: &'static str,
    /// Where it can go, as offsets of the code.
    pub targets: Vec<i32>,
    /// What is remarkable.
    pub marks: Vec<Annotation>,
    /// What it waits for, and what others wait for: the options of the scoreboard.
    pub waits: String,
}

/// A part of an instruction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// What it is: `destination`, `source 0`.
    pub name: Str,
    /// Its text.
    pub text: String,
    /// Where it begins in the line, in bytes.
    pub at: u32,
    /// The bits of the instruction that it is made of.
    pub bits: Bits,
    /// What it means; may be empty.
    pub meaning: Str,
}

/// What the instructions of some code come to.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Mix {
    /// The number of instructions, without padding.
    pub instructions: u64,
    /// The number of zero words, which follow the code for the hardware to prefetch.
    pub padding: u64,
    /// The size of the code in bytes, with its padding.
    pub bytes: u64,
    /// The number of instructions that are compacted to 8 bytes.
    pub compacted: u64,
    /// The number of instructions of each kind, the most frequent first.
    pub kinds: Vec<(Str, u64)>,
    /// The messages, the most frequent first.
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
    /// Loops: blocks that a later one, or the block itself, branches back to.
    pub loops: u64,
    /// How deep the loops are nested.
    pub nesting: u64,
    /// General registers that are read or written by number.
    pub registers: u64,
    /// Instructions that wait for others by the software scoreboard.
    pub waits: u64,
    /// Words that are no instructions of the encoding.
    pub illegal: u64,
}

/// The messages of one sort.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageCount {
    /// What they do: `load.ugm`.
    pub name: String,
    /// How many.
    pub count: u64,
    /// Bytes of the registers that they send, as far as the instructions say.
    pub sent: u64,
    /// Bytes of the registers that they receive.
    pub received: u64,
}

/// Part of the text of an instruction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextPart {
    /// Its first byte in the text.
    pub start: u32,
    /// The byte behind its last one.
    pub end: u32,
    /// What it refers to.
    pub kind: TextPartKind,
}

/// What part of an instruction's text refers to.
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

/// A word beside a value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Annotation {
    /// How bad it is.
    pub tone: Tone,
    /// The word.
    pub text: Str,
    /// What it means.
    pub doc: Str,
}

impl Document {
    /// Who knows the instructions of a document: of the opened file (its root), or of one that is
    /// nested in it.
    pub fn assembly(&self, document: NodeId) -> Option<Rc<dyn Assembly>> {
        self.interface(document)
    }

    /// The instructions of a section of code (of the first without bytes), in an encoding. Returns
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

    /// The section of code of a document that some bytes belong to: that holds them, or is that of
    /// the kernel whose entry they are in.
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
