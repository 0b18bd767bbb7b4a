//! Basic blocks of code, and the jumps between them.

use std::collections::{BTreeMap, BTreeSet};

use super::format::falls_through;
use super::instruction::Instruction;
use super::tables::Op;
use super::windows::for_each_word;
use super::{Decoder, targets};
use crate::analysis::blocks::{Block, BlockGraph, Edge, Transfer};
use crate::decode::limits;
use crate::model::sort;
use crate::model::{Sources, Span};

/// Maximum number of lanes for jumps in a listing. Jumps that do not fit are not drawn.
const LANES: usize = 8;

/// The blocks and jumps of some code. Offsets are relative to its start; code is at most 2 GiB long.
#[derive(Debug, Default)]
pub struct Flow {
    /// The block starts, in order: after branches, after the end of the thread, and at branch
    /// targets. They may be outside of the code or within an instruction.
    pub starts: Vec<i32>,
    /// The instructions that end a block, in order.
    ends: Vec<End>,
    /// The drawn jumps, by the smaller of their two offsets; one map per lane, the innermost first.
    lanes: Vec<BTreeMap<i32, Jump>>,
}

/// The end of a block: a branch or the end of the thread.
#[derive(Clone, Copy, Debug)]
struct End {
    /// The offset of the next instruction.
    next: i32,
    /// Whether control can continue there.
    falls_through: bool,
    transfer: Transfer,
    targets: [Option<i32>; 2],
}

impl End {
    fn new(i: &Instruction, at: i32, next: i32) -> End {
        let mut targets = targets(i, at);
        End {
            next,
            falls_through: falls_through(i),
            transfer: match i.op {
                Op::Call | Op::Calla => Transfer::Call,
                _ => Transfer::Taken,
            },
            targets: [targets.next(), targets.next()],
        }
    }

    /// Returns the distinct successors.
    fn successors(&self) -> impl Iterator<Item = (i32, Transfer)> {
        let next = self
            .falls_through
            .then_some((self.next, Transfer::FallThrough));
        let [first, second] = self.targets;
        let second = second.filter(|place| Some(*place) != first);
        let others = first.into_iter().chain(second);
        let others = others.filter(|place| !self.falls_through || *place != self.next);
        next.into_iter()
            .chain(others.map(|place| (place, self.transfer)))
    }
}

#[derive(Clone, Copy, Debug)]
struct Jump {
    end: i32,
    /// Whether the target is the larger offset.
    down: bool,
}

impl Flow {
    /// Finds the blocks and jumps of some code.
    #[must_use]
    pub fn find(decoder: &Decoder, code: Span, sources: &Sources) -> Flow {
        let mut starts = BTreeSet::from([0]);
        let mut jumps = BTreeSet::new();
        let mut ends = Vec::new();
        let mut instruction = Instruction::default();
        for_each_word(sources, code, &mut |at, word| {
            let Ok(at) = i32::try_from(at) else {
                return false;
            };
            if !decoder.decode_end(word, &mut instruction) {
                return true;
            }
            let next = at.saturating_add(i32::from(instruction.length));
            starts.insert(next);
            ends.push(End::new(&instruction, at, next));
            for target in targets(&instruction, at) {
                starts.insert(target);
                if target != next {
                    jumps.insert((at, target));
                }
            }
            true
        });
        let length = i32::try_from(code.len()).unwrap_or(i32::MAX);
        let mut within: Vec<(i32, i32)> = jumps.iter().copied().collect();
        within.retain(|(_, to)| (0..length).contains(to));
        let mut flow = Flow {
            starts: starts.into_iter().collect(),
            ends,
            lanes: Vec::new(),
        };
        sort::by_key(&mut within, |(from, to)| (from.abs_diff(*to), *from));
        for (from, to) in within {
            flow.place(from.min(to), from.max(to), to > from);
        }
        flow
    }

    /// Puts a jump into the first free lane.
    fn place(&mut self, start: i32, end: i32, down: bool) {
        let is_free = |lane: &BTreeMap<i32, Jump>| {
            let before = lane.range(..=end).next_back();
            before.is_none_or(|(_, jump)| jump.end < start)
        };
        let lane = match self.lanes.iter().position(is_free) {
            Some(lane) => lane,
            None if self.lanes.len() < LANES => {
                self.lanes.push(BTreeMap::new());
                self.lanes.len() - 1
            }
            None => return,
        };
        if let Some(lane) = self.lanes.get_mut(lane) {
            lane.insert(start, Jump { end, down });
        }
    }

    /// Draws the jumps that start, end or pass at an instruction: a character per lane, the
    /// outermost first, and one for the instruction.
    #[must_use]
    pub fn jumps(&self, at: i32) -> String {
        let mut out = String::with_capacity(3 * self.lanes.len() + 3);
        // Lines from the left continue to the instruction.
        let mut across = None;
        for lane in self.lanes.iter().rev() {
            let jump = lane.range(..=at).next_back();
            let jump = jump.filter(|(_, jump)| jump.end >= at);
            let character = match (jump, across) {
                (None, None) => ' ',
                (None, Some(_)) => '─',
                (Some((start, jump)), _) if *start == at || jump.end == at => {
                    let is_upper = *start == at;
                    let is_target = jump.down != is_upper;
                    let before = across.replace(is_target || across == Some(true));
                    match (before, is_upper) {
                        (None, true) => '┌',
                        (None, false) => '└',
                        (Some(_), true) => '┬',
                        (Some(_), false) => '┴',
                    }
                }
                (Some(_), None) => '│',
                (Some(_), Some(_)) => '┼',
            };
            out.push(character);
        }
        if !self.lanes.is_empty() {
            out.push(match across {
                None => ' ',
                Some(false) => '─',
                Some(true) => '►',
            });
        }
        out
    }

    /// Number of lanes.
    #[must_use]
    pub fn lanes(&self) -> u32 {
        u32::try_from(self.lanes.len()).unwrap_or(u32::MAX)
    }

    /// Returns the basic blocks; `code` is that of [`Flow::find`].
    #[must_use]
    pub fn blocks(&self, code: Span, sources: &Sources) -> BlockGraph {
        let mut starts = self.starts.iter().copied().peekable();
        let mut blocks: Vec<Block> = Vec::new();
        let mut row = 0_u32;
        let mut rest = None;
        for_each_word(sources, code, &mut |at, word| {
            let Ok(place) = i32::try_from(at) else {
                return false;
            };
            // A start before it is outside of the code or within an instruction.
            while starts.next_if(|start| *start < place).is_some() {}
            if starts.next_if_eq(&place).is_some() {
                if blocks.len() == limits::BLOCKS {
                    rest = Some(code.skip(at));
                    return false;
                }
                blocks.push(Block {
                    span: code.subspan(at, 0),
                    row,
                    rows: 0,
                    depth: 0,
                });
            }
            if let Some(block) = blocks.last_mut() {
                block.span.end += word.len() as u64;
                block.rows += 1;
            }
            row = row.saturating_add(1);
            true
        });
        let mut edges = Vec::new();
        let mut astray = 0;
        let mut ends = self.ends.iter().peekable();
        for (from, block) in (0_u32..).zip(&blocks) {
            let end = i32::try_from(block.span.end - code.start).unwrap_or(i32::MAX);
            let Some(last) = ends.next_if(|found| found.next == end) else {
                if usize::try_from(from).is_ok_and(|from| from + 1 < blocks.len()) {
                    let (to, transfer) = (from + 1, Transfer::FallThrough);
                    edges.push(Edge { from, to, transfer });
                }
                continue;
            };
            for (place, transfer) in last.successors() {
                let found = u64::try_from(place).ok().and_then(|place| {
                    let start = code.start.saturating_add(place);
                    blocks
                        .binary_search_by_key(&start, |block| block.span.start)
                        .ok()
                });
                match found.and_then(|to| u32::try_from(to).ok()) {
                    Some(to) => edges.push(Edge { from, to, transfer }),
                    // The successors are unknown beyond the end and in omitted code.
                    None => {
                        astray += u64::from(transfer != Transfer::FallThrough && rest.is_none())
                    }
                }
            }
        }
        BlockGraph::new(blocks, edges, astray, rest)
    }
}
