//! Decoding a section of code into a graph of reads and writes.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use super::cost;
use super::footprint::{Accesses, Certainty, Footprint, Role};
use super::frames::Frames;
use super::functions::Functions;
use super::live::LiveRows;
use super::loops::Timing;
use super::messages::Facts;
use super::operations::{self, Operations};
use super::payload::Loaded;
use super::reaching::{Consumers, EntryDefinitions};
use super::regset::{FLAGS, Piece, Pieces, RegisterFile, Sizes, UNITS, Unit};
use super::waits::{Awaited, Issue, Issued};
use super::work::{Done, Work};
pub(super) use crate::cfg::index;
use crate::cfg::{Blocks, Cfg, Graph};
use crate::instruction::{Instruction, OperandKind, Region};
use crate::limits;
use crate::tables::{Meaning, Op};
use crate::windows::for_each_word_of;
use crate::words::is_padding;
use crate::{Decoder, targets};
use zeview_core::analysis::kernel_inputs::KernelInputs;
use zeview_core::model::sort;

/// The index that stands for no piece.
pub(super) const NONE: u32 = u32::MAX;

/// Bytes that an instruction writes in one register.
#[derive(Clone, Copy, Debug)]
pub(super) struct Write {
    pub piece: Piece,
    /// The instruction.
    pub row: u32,
    /// The previous write to the register in the block.
    pub previous: u32,
}

/// Bytes that an instruction reads in one register.
#[derive(Clone, Copy, Debug)]
pub(super) struct Read {
    pub piece: Piece,
    /// The last write to the register in the block before the instruction.
    pub definition: u32,
}

/// A predicate: its flag bytes, and whether it is inverted. Without bytes, there is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Guard {
    pub flags: u16,
    pub inverse: bool,
}

/// Summary of an instruction.
#[derive(Clone, Debug)]
pub(super) struct Row {
    /// Offset in the code.
    pub pc: u32,
    pub block: u32,
    pub op: Op,
    pub is_send: bool,
    /// Whether the word is not an instruction.
    pub invalid: bool,
    pub guard: Guard,
    /// Whether it writes all channels, not only the enabled ones: `(W)`.
    pub no_mask: bool,
    /// The flag bytes that it writes.
    pub flags: u16,
    pub latency: u16,
    pub occupancy: u8,
    /// Cycles in which it occupies its pipe, however many threads run.
    pub pipe_cycles: u16,
    pub issue: Issue,
    /// The arithmetic operations that it does.
    pub operations: Option<Operations>,
    /// The first of its reads and writes.
    pub reads: u32,
    pub writes: u32,
}

impl Row {
    /// Whether it replaces the values of all channels in the bytes that it writes.
    pub fn replaces_all(&self) -> bool {
        self.replaces(true)
    }

    /// Whether it replaces the values of all channels. `is_divergent` states whether channels may wait
    /// while it runs.
    pub fn replaces(&self, is_divergent: bool) -> bool {
        (self.no_mask || !is_divergent) && self.guard.flags == 0
    }
}

/// A basic block.
#[derive(Clone, Debug, Default)]
pub(super) struct Node {
    pub first: u32,
    /// The row after the last one.
    pub end: u32,
    /// The last write to each register that the block writes, by register.
    pub last: Vec<(Unit, u32)>,
}

/// The reason why the analysis ends before the code does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The code ends within an instruction.
    Truncated,
    /// There are more instructions or operands than the limit.
    Limit,
}

/// The extent of an analysis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// The offset of the first byte that is not covered, and the reason.
    pub stop: Option<(u32, Stop)>,
    /// Number of words of zeros: padding behind the code, and no instructions.
    pub padding: u32,
    /// Number of words that are no instructions of the encoding.
    pub unknown: u32,
    /// Number of jumps out of the code or into the middle of an instruction.
    pub astray: u32,
    /// Number of calls and returns. Live registers and producers are not followed through them.
    pub calls: u32,
    /// Number of operands whose registers are unknown because the number is in a register.
    pub indirect: u32,
    /// Number of operands with an assumed length.
    pub assumed: u32,
}

/// The data flow of a section of code.
pub struct DataFlow {
    pub(super) decoder: Rc<Decoder>,
    pub(super) code: Rc<[u8]>,
    pub(super) accesses: Accesses,
    pub(super) rows: Vec<Row>,
    pub(super) nodes: Vec<Node>,
    pub(super) reads: Vec<Read>,
    pub(super) writes: Vec<Write>,
    /// The rows that write flags, with the flag bytes.
    pub(super) flag_writes: Vec<(u32, u16)>,
    /// The registers that gather messages send, by row.
    gathered: HashMap<u32, Vec<u8>>,
    extent: Extent,
    pub(super) work: Work,
    pub(super) entries: RefCell<EntryDefinitions>,
    pub(super) live: OnceCell<Done<LiveRows>>,
    pub(super) consumers: OnceCell<Done<Consumers>>,
    /// The edges between the blocks.
    pub(super) graph: Rc<Graph>,
    pub(super) timing: OnceCell<Done<Timing>>,
    pub(super) functions: OnceCell<Done<Functions>>,
    pub(super) frames: OnceCell<Done<Frames>>,
    pub(super) issued: OnceCell<Issued>,
    /// The instructions that instructions wait for, by row.
    pub(super) awaited: RefCell<HashMap<u32, Awaited>>,
    /// The messages, by row.
    pub(super) messages: HashMap<u32, Facts>,
    /// The values that the kernel starts with.
    pub(super) inputs: Rc<KernelInputs>,
    /// The parts of the payload that messages load, by row.
    pub(super) loads: RefCell<HashMap<u32, Option<Loaded>>>,
    /// Whether the address of a message is computed that may load the payload.
    pub(super) in_load: Cell<bool>,
    /// Number of values that may still be considered for an address.
    pub(super) values_left: Cell<u32>,
}

/// The immediate values in the scalar register, by byte.
type Scalars = [Option<u8>; 64];

impl DataFlow {
    /// Analyzes some code. Never fails: [`extent`](DataFlow::extent) is the analyzed part.
    #[must_use]
    pub fn new(decoder: Rc<Decoder>, code: impl Into<Rc<[u8]>>) -> DataFlow {
        let code = code.into();
        let mut words = |f: &mut dyn FnMut(u64, &[u8]) -> bool| {
            // Otherwise the graph of code that is too long would be built to its end, to be cut off
            // then.
            let mut left = limits::DATA_FLOW_ROWS;
            for_each_word_of(&code, &mut |at, word| {
                left = left.saturating_sub(1);
                f(at, word) && left > 0
            });
        };
        let blocks = Blocks::of(&decoder, &mut words);
        let cfg = Cfg::new(&blocks, usize::MAX, &mut words);
        DataFlow::with_cfg(decoder, code, &cfg)
    }

    /// Analyzes some code whose blocks are known.
    pub(crate) fn with_cfg(decoder: Rc<Decoder>, code: Rc<[u8]>, cfg: &Cfg) -> DataFlow {
        let mut flow = DataFlow {
            accesses: Accesses::new(decoder.encoding),
            decoder,
            code,
            rows: Vec::new(),
            nodes: Vec::new(),
            reads: Vec::new(),
            writes: Vec::new(),
            flag_writes: Vec::new(),
            gathered: HashMap::new(),
            extent: Extent::default(),
            work: Work::default(),
            entries: RefCell::default(),
            live: OnceCell::new(),
            consumers: OnceCell::new(),
            graph: Rc::default(),
            timing: OnceCell::new(),
            functions: OnceCell::new(),
            frames: OnceCell::new(),
            issued: OnceCell::new(),
            awaited: RefCell::default(),
            messages: HashMap::new(),
            inputs: Rc::default(),
            loads: RefCell::default(),
            in_load: Cell::new(false),
            values_left: Cell::new(0),
        };
        let mut jumps = Vec::new();
        flow.decode(cfg, &mut jumps);
        let count = flow.blocks();
        let last = count.checked_sub(1).and_then(|last| cfg.end_row(last));
        // The analysis may end within a block. Edges to later blocks would lead nowhere.
        let is_cut = last.is_some_and(|end| end > flow.count());
        flow.graph = if count == cfg.graph.count() && !is_cut {
            Rc::clone(&cfg.graph)
        } else {
            Rc::new(cfg.graph.prefix(count, is_cut))
        };
        // Only now are all starts of instructions known: jumps also go forward.
        let is_astray = |place: &&i32| {
            let place = u32::try_from(**place).ok();
            place.and_then(|pc| flow.row_of(pc)).is_none()
        };
        let astray = jumps.iter().filter(is_astray).count();
        flow.extent.astray = u32::try_from(astray).unwrap_or(u32::MAX);
        flow
    }

    /// Adds the values that the kernel starts with, for
    /// [`Flows::inputs`](zeview_core::analysis::data_flow::Flows::inputs).
    #[must_use]
    pub fn with_inputs(mut self, inputs: Rc<KernelInputs>) -> DataFlow {
        self.inputs = inputs;
        self
    }

    /// The extent of the analysis.
    #[must_use]
    pub fn extent(&self) -> Extent {
        self.extent
    }

    /// Number of analyzed instructions.
    #[must_use]
    pub fn count(&self) -> u32 {
        u32::try_from(self.rows.len()).unwrap_or(u32::MAX)
    }

    /// Whether an instruction is a word of zeros: padding behind the code.
    pub(super) fn is_padding(&self, row: u32) -> bool {
        let start = self.row(row).and_then(|row| usize::try_from(row.pc).ok());
        let rest = start.and_then(|start| self.code.get(start..));
        rest.is_some_and(|rest| is_padding(rest.get(..16).unwrap_or(rest)))
    }

    /// The offset of an instruction in the code.
    #[must_use]
    pub fn pc(&self, row: u32) -> Option<u32> {
        Some(self.row(row)?.pc)
    }

    /// The instruction that starts at an offset.
    #[must_use]
    pub fn row_of(&self, pc: u32) -> Option<u32> {
        let at = self.rows.binary_search_by_key(&pc, |row| row.pc).ok()?;
        u32::try_from(at).ok()
    }

    /// Number of basic blocks.
    #[must_use]
    pub fn blocks(&self) -> u32 {
        u32::try_from(self.nodes.len()).unwrap_or(u32::MAX)
    }

    /// The basic block of an instruction.
    #[must_use]
    pub fn block_of(&self, row: u32) -> Option<u32> {
        Some(self.row(row)?.block)
    }

    /// The rows of a basic block.
    #[must_use]
    pub fn block_rows(&self, block: u32) -> std::ops::Range<u32> {
        self.node(block).map_or(0..0, |node| node.first..node.end)
    }

    /// The registers that an instruction reads and writes, by operand.
    #[must_use]
    pub fn footprint(&self, row: u32) -> Footprint {
        let instruction = self.instruction(row);
        instruction.map_or_else(Footprint::default, |instruction| {
            let gathered = self.gathered.get(&row);
            self.accesses
                .footprint(&instruction, gathered.map(Vec::as_slice))
        })
    }

    /// Decodes an instruction again.
    pub(super) fn instruction(&self, row: u32) -> Option<Instruction> {
        let pc = self.row(row)?.pc;
        let bytes = self.code.get(usize::try_from(pc).ok()?..)?;
        let start = u64::from(pc);
        let is_patched = self.inputs.patches_in(start, start + 16).next().is_some();
        // Decoded instructions would take many times the memory of the code; a query needs a few. The
        // operand that the driver patches is found by its bits, which only this decodes.
        let mut instruction = if is_patched {
            self.decoder.decode_fields(bytes)?.0
        } else {
            self.decoder.decode(bytes)?
        };
        restore_region(self.accesses.encoding.rank, bytes, &mut instruction);
        Some(instruction)
    }

    pub(super) fn row(&self, row: u32) -> Option<&Row> {
        self.rows.get(index(row))
    }

    pub(super) fn node(&self, block: u32) -> Option<&Node> {
        self.nodes.get(index(block))
    }

    pub(super) fn sizes(&self) -> Sizes {
        self.accesses.sizes
    }

    pub(super) fn reads_of(&self, row: u32) -> &[Read] {
        let start = self.row(row).map_or(NONE, |row| row.reads);
        let end = row.checked_add(1).and_then(|next| self.row(next));
        let end = end.map_or(self.reads.len(), |next| index(next.reads));
        self.reads.get(index(start)..end).unwrap_or_default()
    }

    pub(super) fn writes_of(&self, row: u32) -> &[Write] {
        let start = self.row(row).map_or(NONE, |row| row.writes);
        let end = row.checked_add(1).and_then(|next| self.row(next));
        let end = end.map_or(self.writes.len(), |next| index(next.writes));
        self.writes.get(index(start)..end).unwrap_or_default()
    }

    /// Decodes the instructions, and links the reads and writes of each block.
    fn decode(&mut self, cfg: &Cfg, jumps: &mut Vec<i32>) {
        let mut starts = cfg.blocks.iter().map(|block| block.first).peekable();
        let mut instruction = Instruction::default();
        let (mut reads, mut writes) = (Pieces::default(), Pieces::default());
        // The last write to each register, and its block.
        // Storing the block beside the write saves clearing the table at each block.
        let mut last = vec![(NONE, NONE); UNITS];
        let mut scalars: Scalars = [None; 64];
        let mut place = 0_usize;
        let (decoder, code) = (Rc::clone(&self.decoder), Rc::clone(&self.code));
        while let Some(bytes) = code.get(place..).filter(|bytes| !bytes.is_empty()) {
            let row = self.count();
            let pc = u32::try_from(place).unwrap_or(u32::MAX);
            let full = self.rows.len() >= limits::DATA_FLOW_ROWS
                || self.reads.len() + self.writes.len() >= limits::DATA_FLOW_OPERANDS;
            if full {
                self.extent.stop = Some((pc, Stop::Limit));
                break;
            }
            let Some(length) = decoder.decode_into(bytes, &mut instruction) else {
                // Zero bytes are padding.
                if bytes.iter().any(|byte| *byte != 0) {
                    self.extent.stop = Some((pc, Stop::Truncated));
                }
                break;
            };
            self.extent.padding += u32::from(bytes.get(..length).is_some_and(is_padding));
            restore_region(self.accesses.encoding.rank, bytes, &mut instruction);
            let at = i32::try_from(place).unwrap_or(i32::MAX);
            if starts.next_if_eq(&row).is_some() {
                if let Some(node) = self.nodes.last_mut() {
                    node.end = row;
                }
                self.nodes.push(Node {
                    first: row,
                    ..Node::default()
                });
                // As the assembler does, constants in s0 are only followed within a block.
                scalars = [None; 64];
            }
            let block = u32::try_from(self.nodes.len().saturating_sub(1)).unwrap_or(NONE);
            place += length;

            reads.0.clear();
            writes.0.clear();
            let gathered = gathered(&instruction, &scalars);
            let guard = self.visit(&instruction, gathered.as_deref(), &mut reads, &mut writes);
            if let Some(gathered) = gathered {
                self.gathered.insert(row, gathered);
            }
            if let Some(message) = &instruction.message {
                let facts = Facts::of(self.accesses.encoding, &instruction, message);
                self.messages.insert(row, facts);
            }
            set_scalars(&instruction, &writes, &mut scalars);
            jumps.extend(targets(&instruction, at));
            self.extent.unknown += u32::from(instruction.invalid);
            // Results of called functions are not known, which figures have to say.
            let calls = matches!(instruction.op, Op::Call | Op::Calla | Op::Ret);
            self.extent.calls += u32::from(calls);
            let (latency, occupancy) = cost::cycles(self.accesses.encoding, &instruction);
            let facts = self.messages.get(&row);
            let transferred = facts.map_or(0, |facts| facts.sent.max(facts.received));
            let pipe_cycles = cost::pipe_cycles(self.accesses.encoding, &instruction, transferred);
            let mut record = Row {
                pc,
                block,
                op: instruction.op,
                is_send: instruction.kind.is_send(),
                invalid: instruction.invalid,
                guard,
                no_mask: instruction.no_mask,
                flags: 0,
                latency,
                occupancy,
                pipe_cycles,
                issue: Issue::of(self.accesses.encoding.rank, &instruction),
                operations: operations::operations(&instruction),
                reads: u32::try_from(self.reads.len()).unwrap_or(NONE),
                writes: u32::try_from(self.writes.len()).unwrap_or(NONE),
            };
            let known = |last: &[(u32, u32)], unit: Unit| match last.get(usize::from(unit)) {
                Some((of, write)) if *of == block => *write,
                _ => NONE,
            };
            for piece in &reads.0 {
                self.reads.push(Read {
                    piece: *piece,
                    definition: known(&last, piece.unit),
                });
            }
            for piece in &writes.0 {
                let write = u32::try_from(self.writes.len()).unwrap_or(NONE);
                self.writes.push(Write {
                    piece: *piece,
                    row,
                    previous: known(&last, piece.unit),
                });
                if let Some(last) = last.get_mut(usize::from(piece.unit)) {
                    *last = (block, write);
                }
                record.flags |= flag_bits(piece);
            }
            if record.flags != 0 {
                self.flag_writes.push((row, record.flags));
            }
            self.rows.push(record);
        }
        let count = self.count();
        if let Some(node) = self.nodes.last_mut() {
            node.end = count;
        }
        for node in &mut self.nodes {
            let first = self.rows.get(index(node.first)).map_or(NONE, |r| r.writes);
            let end = self.rows.get(index(node.end));
            let end = end.map_or(self.writes.len(), |row| index(row.writes));
            let writes = self.writes.get(index(first)..end).unwrap_or_default();
            let mut last: Vec<(Unit, u32)> = Vec::new();
            for (write, at) in writes.iter().zip(first..) {
                last.push((write.piece.unit, at));
            }
            // The last write to each register.
            // Sorted by register: `last_write` searches here for each block that a value passes.
            sort::by_key(&mut last, |(unit, at)| (*unit, std::cmp::Reverse(*at)));
            last.dedup_by_key(|(unit, _)| *unit);
            node.last = last;
        }
    }

    /// The bytes that an instruction reads and writes, and its predicate.
    fn visit(
        &mut self,
        instruction: &Instruction,
        gathered: Option<&[u8]>,
        reads: &mut Pieces,
        writes: &mut Pieces,
    ) -> Guard {
        let mut guard = Guard::default();
        let (mut indirect, mut assumed) = (0, 0);
        self.accesses
            .visit(instruction, gathered, &mut |role, certainty, pieces| {
                indirect += u32::from(certainty == Certainty::Unknown);
                assumed += u32::from(certainty == Certainty::Assumed);
                let to = if role.writes() {
                    &mut *writes
                } else {
                    &mut *reads
                };
                for piece in &pieces.0 {
                    to.add_mask(piece.unit, piece.mask);
                    // `sel` reads its flag as a source (`ImplicitRead`): it writes all channels.
                    if role == Role::Predicate {
                        guard.flags |= flag_bits(piece);
                    }
                }
            });
        guard.inverse = instruction.predicate.is_some_and(|p| p.inverse);
        self.extent.indirect += indirect;
        self.extent.assumed += assumed;
        guard
    }
}

/// The flag bytes of a piece, four for each flag register.
pub(super) fn flag_bits(piece: &Piece) -> u16 {
    match piece.unit.checked_sub(FLAGS) {
        Some(number @ 0..4) => u16::try_from((piece.mask & 0xf) << (4 * number)).unwrap_or(0),
        _ => 0,
    }
}

/// The registers that a gather message sends, if their numbers are constants.
fn gathered(i: &Instruction, scalars: &Scalars) -> Option<Vec<u8>> {
    let message = i.message.as_ref()?;
    let sources = i.sources.get(..i.source_count)?;
    let gather = sources.iter().find_map(|source| match source.kind {
        OperandKind::Gather { sub, length, .. } => Some((sub, length)),
        _ => None,
    })?;
    let (sub, length) = (usize::from(gather.0), gather.1.or(message.lengths[0])?);
    let bytes = scalars.get(sub..sub + usize::from(length))?;
    bytes.iter().copied().collect()
}

/// Keeps the constants that an instruction moves into the scalar register.
fn set_scalars(i: &Instruction, writes: &Pieces, scalars: &mut Scalars) {
    let is_scalar = |piece: &&Piece| super::regset::file_of(piece.unit).0 == RegisterFile::Scalar;
    let Some(written) = writes.0.iter().find(is_scalar) else {
        return;
    };
    let value = match (i.op, i.sources.first()) {
        // What other instructions write to s0 is not a constant, so the bytes become unknown.
        (Op::Mov, Some(source)) if i.source_count == 1 && i.predicate.is_none() => {
            match (source.kind, source.data_type) {
                (
                    OperandKind::Immediate(value),
                    Some(Meaning::uq | Meaning::q | Meaning::ud | Meaning::d | Meaning::uw),
                ) => Some(value),
                _ => None,
            }
        }
        _ => None,
    };
    let mut bytes = value.map(|value| value.to_le_bytes().into_iter());
    for (at, byte) in scalars.iter_mut().enumerate() {
        if written.mask >> at & 1 != 0 {
            *byte = bytes.as_mut().and_then(Iterator::next);
        }
    }
}

/// Reads the region of `ret` before Xe, which the text omits.
fn restore_region(rank: u8, bytes: &[u8], i: &mut Instruction) {
    let word = bytes
        .first_chunk::<16>()
        .map(|bytes| u128::from_le_bytes(*bytes));
    // The assembler hides the region of `ret`, but the word has one, and it decides what is read.
    let word = word.filter(|_| rank < 20 && i.op == Op::Ret && i.length == 16);
    let (Some(word), [source, ..]) = (word, &mut i.sources) else {
        return;
    };
    let field = |low: u32, width: u32| {
        let bits = word >> low & ((1 << width) - 1);
        u8::try_from(bits).unwrap_or(0)
    };
    let stride = |code: u8| match code {
        0 => Some(0),
        1..=6 => Some(1 << (code - 1)),
        _ => None,
    };
    let width = Some(1_u8 << field(82, 3).min(4));
    source.region = Region::Full(stride(field(85, 4)), width, stride(field(80, 2)));
}
