//! The control flow of some code: its basic blocks, and the transfers between them.
//!
//! [`Blocks`] has the starts of blocks, which are the labels of a listing, and the instructions that
//! end them. A [`Cfg`] has the blocks by rows, with their edges and loops. Offsets are relative to
//! the start of the code, which is at most 2 GiB long.

use std::cell::OnceCell;
use std::rc::Rc;

use super::forest::Forest;
use super::format::falls_through;
use super::instruction::{Instruction, Options};
use super::tables::Op;
use super::windows::{for_each_word, for_each_word_of};
use super::{Decoder, targets};
use zeview_core::analysis::blocks::{Block, BlockGraph, Edge, Loop, Transfer};
use zeview_core::model::{Sources, Span, sort};

/// Passes the offset and the bytes of each instruction to a function, until it returns `false`.
pub(super) type Words<'a> = &'a mut dyn FnMut(&mut dyn FnMut(u64, &[u8]) -> bool);

/// Where basic blocks start and end.
#[derive(Debug, Default)]
pub struct Blocks {
    /// After branches, after the end of the thread, and at branch targets, in order. They may be
    /// outside of the code or within an instruction.
    starts: Vec<i32>,
    /// The instructions that end a block, in order.
    pub(super) ends: Vec<End>,
}

/// The end of a block: a branch or the end of the thread.
#[derive(Clone, Copy, Debug)]
pub(super) struct End {
    /// The offset of the next instruction.
    pub next: i32,
    /// The branch targets.
    pub targets: [Option<i32>; 2],
    exit: Exit,
    /// Whether control can continue with the next instruction.
    falls_through: bool,
    /// Whether that must be assumed: channels that do not branch wait there.
    may_wait: bool,
}

/// How control leaves a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Exit {
    /// To its successors.
    #[default]
    Within,
    /// By a call, which continues after the block.
    Call,
    /// By a return for all channels, or for some.
    Return { all: bool },
}

impl End {
    fn new(i: &Instruction, at: i32, next: i32) -> End {
        let mut targets = targets(i, at);
        let is_always = i.predicate.is_none();
        End {
            next,
            targets: [targets.next(), targets.next()],
            exit: match i.op {
                Op::Call | Op::Calla => Exit::Call,
                Op::Ret => Exit::Return { all: is_always },
                _ => Exit::Within,
            },
            falls_through: falls_through(i),
            may_wait: !(i.op == Op::Jmpi && is_always || i.options.has(Options::EOT)),
        }
    }

    /// Returns the distinct successors.
    fn successors(&self) -> impl Iterator<Item = (i32, Transfer)> {
        let next = self
            .falls_through
            .then_some((self.next, Transfer::FallThrough));
        let transfer = match self.exit {
            Exit::Call => Transfer::Call,
            Exit::Within | Exit::Return { .. } => Transfer::Taken,
        };
        let [first, second] = self.targets;
        let second = second.filter(|place| Some(*place) != first);
        let others = first.into_iter().chain(second);
        let others = others.filter(|place| !self.falls_through || *place != self.next);
        next.into_iter()
            .chain(others.map(move |place| (place, transfer)))
    }
}

impl Blocks {
    /// Finds the blocks of the code.
    #[must_use]
    pub fn find(decoder: &Decoder, code: &[u8]) -> Blocks {
        Blocks::of(decoder, &mut |f| {
            for_each_word_of(code, f);
        })
    }

    /// Finds the blocks of code that is read in pieces.
    pub(super) fn read(decoder: &Decoder, code: Span, sources: &Sources) -> Blocks {
        Blocks::of(decoder, &mut |f| {
            for_each_word(sources, code, f);
        })
    }

    pub(super) fn of(decoder: &Decoder, words: Words<'_>) -> Blocks {
        let mut starts = sort::set([0]);
        let mut ends = Vec::new();
        let mut instruction = Instruction::default();
        words(&mut |at, word| {
            let Ok(at) = i32::try_from(at) else {
                return false;
            };
            if !decoder.decode_end(word, &mut instruction) {
                return true;
            }
            let next = at.saturating_add(i32::from(instruction.length));
            let end = End::new(&instruction, at, next);
            starts.insert(next);
            starts.extend(end.targets.into_iter().flatten());
            ends.push(end);
            true
        });
        Blocks {
            starts: starts.into_iter().collect(),
            ends,
        }
    }

    /// Returns the block starts, in order. They may be outside the code or within an instruction.
    #[must_use]
    pub fn starts(&self) -> &[i32] {
        &self.starts
    }
}

/// A basic block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Range {
    /// The offset of its first byte, and of the first one behind it.
    start: u64,
    end: u64,
    /// Its first row, and the number of rows.
    pub first: u32,
    rows: u32,
}

/// The control-flow graph of some code.
#[derive(Debug, Default)]
pub struct Cfg {
    /// The blocks, in code order and without gaps.
    pub(super) blocks: Vec<Range>,
    /// The transfers of control, by source block.
    edges: Vec<Edge>,
    /// Number of jumps out of the code, or into the middle of an instruction.
    astray: u64,
    /// The offset of code that is omitted, because there are too many blocks.
    pub(super) rest: Option<u64>,
    /// The edges that data and loops follow.
    pub(super) graph: Rc<Graph>,
}

impl Cfg {
    /// Divides the code of [`Blocks::of`] into at most so many blocks.
    pub(super) fn new(found: &Blocks, most: usize, words: Words<'_>) -> Cfg {
        let mut cfg = Cfg::default();
        cfg.divide(&found.starts, most, words);
        let count = cfg.blocks.len();
        // The edges for data: also to where channels wait.
        let mut followed = Vec::new();
        let mut exits = vec![Exit::Within; count];
        let mut ends = found.ends.iter().peekable();
        for (from, (block, exit)) in (0_u32..).zip(cfg.blocks.iter().zip(&mut exits)) {
            let is_last = index(from) + 1 >= count;
            let next = (!is_last).then_some(from + 1);
            // Both lists are in code order, and each end starts a block behind it: one pass joins
            // them.
            let end = ends.next_if(|end| u64::try_from(end.next) == Ok(block.end));
            let Some(end) = end else {
                followed.extend(next.map(|to| (from, to)));
                let transfer = Transfer::FallThrough;
                cfg.edges.extend(next.map(|to| Edge { from, to, transfer }));
                continue;
            };
            *exit = end.exit;
            followed.extend(next.filter(|_| end.may_wait).map(|to| (from, to)));
            let targets = end.targets.iter().flatten();
            let targets = targets.filter_map(|place| cfg.block_at(*place));
            followed.extend(targets.map(|to| (from, to)));
            for (place, transfer) in end.successors() {
                match cfg.block_at(place) {
                    Some(to) => cfg.edges.push(Edge { from, to, transfer }),
                    // The successors are unknown beyond the end and in omitted code.
                    None => {
                        let is_unknown = transfer == Transfer::FallThrough || cfg.rest.is_some();
                        cfg.astray += u64::from(!is_unknown);
                    }
                }
            }
        }
        cfg.graph = Rc::new(Graph::new(&exits, followed));
        cfg
    }

    /// Finds the rows of the blocks that have these starts.
    fn divide(&mut self, starts: &[i32], most: usize, words: Words<'_>) {
        let mut starts = starts.iter().copied().peekable();
        let mut row = 0_u32;
        words(&mut |at, word| {
            let Ok(place) = i32::try_from(at) else {
                return false;
            };
            // A start before it is outside of the code or within an instruction.
            while starts.next_if(|start| *start < place).is_some() {}
            if starts.next_if_eq(&place).is_some() {
                if self.blocks.len() == most {
                    self.rest = Some(at);
                    return false;
                }
                self.blocks.push(Range {
                    start: at,
                    end: at,
                    first: row,
                    rows: 0,
                });
            }
            if let Some(block) = self.blocks.last_mut() {
                block.end += word.len() as u64;
                block.rows += 1;
            }
            row = row.saturating_add(1);
            true
        });
    }

    /// Returns the block that starts at an offset.
    fn block_at(&self, place: i32) -> Option<u32> {
        let place = u64::try_from(place).ok()?;
        let found = self
            .blocks
            .binary_search_by_key(&place, |block| block.start);
        u32::try_from(found.ok()?).ok()
    }

    /// Returns the row behind a block.
    pub(super) fn end_row(&self, block: u32) -> Option<u32> {
        let block = self.blocks.get(index(block))?;
        Some(block.first.saturating_add(block.rows))
    }

    /// Returns the graph for drawing; the code is that of its offsets.
    pub(super) fn draw(&self, code: Span) -> BlockGraph {
        let forest = self.graph.forest();
        let blocks = (0_u32..).zip(&self.blocks).map(|(at, block)| Block {
            span: code.subspan(block.start, block.end - block.start),
            row: block.first,
            rows: block.rows,
            depth: forest.depth(at),
        });
        let loops = forest.loops.iter().enumerate().map(|(at, found)| Loop {
            head: found.head,
            last: forest.blocks(at).last().copied().unwrap_or(found.head),
            depth: found.depth,
        });
        BlockGraph {
            blocks: blocks.collect(),
            edges: self.edges.clone(),
            loops: loops.collect(),
            astray: self.astray,
            rest: self.rest.map(|at| code.skip(at)),
        }
    }
}

/// The blocks as a graph of numbers.
#[derive(Debug, Default)]
pub(super) struct Graph {
    nodes: Vec<Node>,
    forest: OnceCell<Forest>,
}

/// A basic block.
#[derive(Clone, Debug, Default)]
struct Node {
    successors: Vec<u32>,
    predecessors: Vec<u32>,
    exit: Exit,
}

impl Graph {
    pub fn new(exits: &[Exit], mut edges: Vec<(u32, u32)>) -> Graph {
        let node = |exit: &Exit| Node {
            exit: *exit,
            ..Node::default()
        };
        let mut nodes: Vec<Node> = exits.iter().map(node).collect();
        sort::ascending(&mut edges);
        edges.dedup();
        for (from, to) in edges {
            if let Some(node) = nodes.get_mut(index(from)) {
                node.successors.push(to);
            }
            if let Some(node) = nodes.get_mut(index(to)) {
                node.predecessors.push(from);
            }
        }
        Graph {
            nodes,
            forest: OnceCell::new(),
        }
    }

    /// Returns the graph of the first blocks. `is_cut` states whether the end of the last one is
    /// missing.
    pub fn prefix(&self, count: u32, is_cut: bool) -> Graph {
        let nodes = self.nodes.get(..index(count)).unwrap_or(&self.nodes);
        let mut exits: Vec<Exit> = nodes.iter().map(|node| node.exit).collect();
        let mut edges = Vec::new();
        for (from, node) in (0_u32..).zip(nodes) {
            let leaves = !is_cut || from + 1 < count;
            let within = node.successors.iter().filter(|to| leaves && **to < count);
            edges.extend(within.map(|to| (from, *to)));
        }
        // What ends the block is in the part that is missing.
        if let Some(exit) = exits.last_mut()
            && is_cut
        {
            *exit = Exit::Within;
        }
        Graph::new(&exits, edges)
    }

    /// Number of blocks.
    pub fn count(&self) -> u32 {
        u32::try_from(self.nodes.len()).unwrap_or(u32::MAX)
    }

    pub fn successors(&self, block: u32) -> &[u32] {
        let node = self.nodes.get(index(block));
        node.map_or(&[], |node| &node.successors)
    }

    pub fn predecessors(&self, block: u32) -> &[u32] {
        let node = self.nodes.get(index(block));
        node.map_or(&[], |node| &node.predecessors)
    }

    /// The successors of a block in its function.
    pub fn within(&self, block: u32) -> &[u32] {
        let Some(node) = self.nodes.get(index(block)) else {
            return &[];
        };
        match node.exit {
            // A call comes back behind itself, and the blocks of the callee belong to another
            // function.
            Exit::Call | Exit::Return { all: false } => {
                let next = node.successors.iter().position(|to| *to == block + 1);
                let next = next.and_then(|at| node.successors.get(at..=at));
                next.unwrap_or_default()
            }
            Exit::Return { all: true } => &[],
            Exit::Within => &node.successors,
        }
    }

    /// How control leaves a block.
    pub fn exit(&self, block: u32) -> Exit {
        let node = self.nodes.get(index(block));
        node.map_or(Exit::Within, |node| node.exit)
    }

    /// Whether a block ends with a call.
    pub fn calls(&self, block: u32) -> bool {
        let node = self.nodes.get(index(block));
        node.is_some_and(|node| node.exit == Exit::Call)
    }

    /// The nesting of the loops; computed on first use.
    pub fn forest(&self) -> &Forest {
        self.forest.get_or_init(|| Forest::find(self))
    }
}

/// Converts a row or block number to an index.
pub(super) fn index(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
