//! The control-flow graph of a section of code.
//!
//! Plain data, created by a decoder on demand
//! ([`Listing::blocks`](super::assembly::Listing::blocks)).

use serde::{Deserialize, Serialize};

use crate::model::Span;

/// Maximum number of blocks, or groups of blocks, drawn at once.
pub const FAN: u64 = 48;

/// A basic block: instructions that run in sequence. Control enters at the first and leaves after
/// the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Block {
    /// The bytes of its instructions.
    pub span: Span,
    /// The row of the first instruction.
    pub row: u32,
    /// Number of instructions.
    pub rows: u32,
    /// Number of enclosing loops.
    pub depth: u32,
}

/// The kind of a control transfer between blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Transfer {
    /// To the next instruction: after a branch that is not taken, a call that returns, or no
    /// branch at all.
    FallThrough,
    /// By a branch.
    Taken,
    /// By a call.
    Call,
}

/// A control transfer between two blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edge {
    /// The index of the source block.
    pub from: u32,
    /// The index of the target block.
    pub to: u32,
    /// The kind of the transfer.
    pub transfer: Transfer,
}

/// A natural loop: the blocks between its head and the branches back to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Loop {
    /// The index of its head, the target of the back edges.
    pub head: u32,
    /// The index of its last block in code order.
    pub last: u32,
    /// The nesting depth: 1 for an outermost loop.
    pub depth: u32,
}

/// The basic blocks of a section of code, with edges and loops.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BlockGraph {
    /// The blocks, in code order and without gaps.
    pub blocks: Vec<Block>,
    /// The edges, by source block.
    pub edges: Vec<Edge>,
    /// The loops, by their heads.
    pub loops: Vec<Loop>,
    /// Number of jumps out of the code, or into the middle of an instruction.
    pub astray: u64,
    /// The code beyond the maximum number of blocks, which is not part of the graph.
    pub rest: Option<Span>,
}

/// Consecutive blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockGroup {
    /// The index of the first block.
    pub start: u64,
    /// Number of blocks.
    pub count: u64,
    /// Number of instructions.
    pub instructions: u64,
    /// The bytes of all of these.
    pub span: Span,
}

impl BlockGraph {
    /// Returns the maximum nesting depth of the loops.
    #[must_use]
    pub fn nesting(&self) -> u64 {
        let depths = self.loops.iter().map(|found| found.depth);
        depths.max().unwrap_or(0).into()
    }

    /// Returns the index of the block that contains the byte at an offset of the source.
    #[must_use]
    pub fn at(&self, offset: u64) -> Option<u64> {
        let after = self
            .blocks
            .partition_point(|block| block.span.end <= offset);
        let block = self.blocks.get(after)?;
        block.span.contains_offset(offset).then_some(after as u64)
    }

    /// Returns at most `count` blocks, starting at block `start`.
    #[must_use]
    pub fn part(&self, start: u64, count: u64) -> &[Block] {
        let from = usize::try_from(start).unwrap_or(usize::MAX);
        let to = usize::try_from(start.saturating_add(count)).unwrap_or(usize::MAX);
        let to = to.min(self.blocks.len());
        self.blocks.get(from.min(to)..to).unwrap_or_default()
    }

    /// Returns the edges that leave a block.
    #[must_use]
    pub fn edges_of(&self, block: u32) -> &[Edge] {
        let from = self.edges.partition_point(|edge| edge.from < block);
        let to = self.edges.partition_point(|edge| edge.from <= block);
        self.edges.get(from..to).unwrap_or_default()
    }

    /// Groups consecutive blocks by `size`; `start` is the index of the first.
    #[must_use]
    pub fn groups(blocks: &[Block], start: u64, size: u64) -> Vec<BlockGroup> {
        let size = usize::try_from(size).unwrap_or(usize::MAX).max(1);
        let groups = blocks.chunks(size).zip((start..).step_by(size));
        let group = |(chunk, start): (&[Block], u64)| {
            let (first, last) = (chunk.first()?.span, chunk.last()?.span);
            Some(BlockGroup {
                start,
                count: chunk.len() as u64,
                instructions: chunk.iter().map(|block| u64::from(block.rows)).sum(),
                span: Span::new(first.source, first.start, last.end),
            })
        };
        groups.filter_map(group).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::SourceId;

    /// Creates `count` blocks of one instruction.
    fn graph(count: u32) -> BlockGraph {
        let block = |row: u32| Block {
            span: Span::with_len(SourceId::FILE, u64::from(row) * 16, 16),
            row,
            rows: 1,
            depth: 0,
        };
        BlockGraph {
            blocks: (0..count).map(block).collect(),
            ..BlockGraph::default()
        }
    }

    #[test]
    fn blocks_are_found_and_grouped() {
        let graph = graph(5);
        assert_eq!(graph.at(47), Some(2));
        assert_eq!(graph.at(80), None);
        let groups = BlockGraph::groups(graph.part(1, 100), 1, 3);
        let found: Vec<_> = groups.iter().map(|g| (g.start, g.count)).collect();
        assert_eq!(found, [(1, 3), (4, 1)]);
        assert_eq!((groups[0].span.start, groups[0].span.end), (16, 64));
    }
}
