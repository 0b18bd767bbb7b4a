//! The basic blocks of some code, and how control goes between them.
//!
//! Plain data, made by a decoder when somebody asks
//! ([`Listing::blocks`](super::assembly::Listing::blocks)).

use serde::{Deserialize, Serialize};

use crate::model::Span;

/// So many blocks, or groups of blocks, are drawn at once.
pub const FAN: u64 = 48;

/// Instructions that run one after the other: control enters at the first and leaves after the
/// last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Block {
    /// The bytes of its instructions.
    pub span: Span,
    /// The row of the first instruction.
    pub row: u32,
    /// How many instructions.
    pub rows: u32,
    /// In how many loops it is.
    pub depth: u32,
}

/// How control goes from one block to another.
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

/// Control can go from one block to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edge {
    /// The number of the block that control leaves.
    pub from: u32,
    /// The number of the block that it enters.
    pub to: u32,
    /// How.
    pub way: Transfer,
}

/// A loop: from a block to the last one that branches back to it. Blocks are in the order of the
/// code, so a loop is a range of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Loop {
    /// The number of the first block, which is branched back to.
    pub head: u32,
    /// The number of the last block that branches back.
    pub last: u32,
    /// In how many loops it is, with itself.
    pub depth: u32,
}

/// The basic blocks of some code.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BlockGraph {
    /// The blocks, in the order of the code. They lie without gaps.
    pub blocks: Vec<Block>,
    /// The edges, by the block that they leave.
    pub edges: Vec<Edge>,
    /// The loops, by their first block.
    pub loops: Vec<Loop>,
    /// Jumps that lead out of the code, or into the middle of an instruction.
    pub astray: u64,
    /// The code that is not part of the graph, because there are too many blocks before it.
    pub rest: Option<Span>,
}

/// Blocks that follow each other in the code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockGroup {
    /// The number of the first.
    pub start: u64,
    /// How many.
    pub count: u64,
    /// How many instructions they have.
    pub instructions: u64,
    /// The bytes of all of these.
    pub span: Span,
}

impl BlockGraph {
    /// A graph of blocks, with the loops that its edges make.
    #[must_use]
    pub fn new(
        blocks: Vec<Block>,
        edges: Vec<Edge>,
        astray: u64,
        rest: Option<Span>,
    ) -> BlockGraph {
        let mut graph = BlockGraph {
            blocks,
            edges,
            loops: Vec::new(),
            astray,
            rest,
        };
        graph.find_loops();
        graph
    }

    /// Finds the loops, and in how many each block is.
    fn find_loops(&mut self) {
        // The last block that branches back to each, if any.
        let mut last: Vec<Option<u32>> = vec![None; self.blocks.len()];
        let back = |edge: &&Edge| edge.way == Transfer::Taken && edge.to <= edge.from;
        for edge in self.edges.iter().filter(back) {
            if let Some(last) = last.get_mut(index(edge.to)) {
                *last = (*last).max(Some(edge.from));
            }
        }
        // How many loops end with each block.
        let mut ends = vec![0_u32; self.blocks.len()];
        for end in last.iter().flatten() {
            if let Some(ends) = ends.get_mut(index(*end)) {
                *ends += 1;
            }
        }
        let mut depth = 0_u32;
        let places = (0_u32..).zip(&mut self.blocks).zip(last.iter().zip(ends));
        for ((head, block), (last, ends)) in places {
            if let Some(last) = *last {
                depth += 1;
                self.loops.push(Loop { head, last, depth });
            }
            block.depth = depth;
            depth = depth.saturating_sub(ends);
        }
    }

    /// How deep the loops are nested.
    #[must_use]
    pub fn nesting(&self) -> u64 {
        let depths = self.loops.iter().map(|found| found.depth);
        depths.max().unwrap_or(0).into()
    }

    /// The number of the block that holds a byte, by its offset in the source.
    #[must_use]
    pub fn at(&self, offset: u64) -> Option<u64> {
        let after = self
            .blocks
            .partition_point(|block| block.span.end <= offset);
        let block = self.blocks.get(after)?;
        block.span.contains_offset(offset).then_some(after as u64)
    }

    /// The blocks from a place on, at most so many; with the number of the first.
    #[must_use]
    pub fn part(&self, start: u64, count: u64) -> &[Block] {
        let from = usize::try_from(start).unwrap_or(usize::MAX);
        let to = usize::try_from(start.saturating_add(count)).unwrap_or(usize::MAX);
        let to = to.min(self.blocks.len());
        self.blocks.get(from.min(to)..to).unwrap_or_default()
    }

    /// The edges that leave a block.
    #[must_use]
    pub fn edges_of(&self, block: u32) -> &[Edge] {
        let from = self.edges.partition_point(|edge| edge.from < block);
        let to = self.edges.partition_point(|edge| edge.from <= block);
        self.edges.get(from..to).unwrap_or_default()
    }

    /// These blocks in groups of `size`; `start` is the number of the first.
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

fn index(block: u32) -> usize {
    usize::try_from(block).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::SourceId;

    /// So many blocks of an instruction each, and edges by branches.
    fn graph(count: u32, taken: &[(u32, u32)]) -> BlockGraph {
        let block = |row: u32| Block {
            span: Span::with_len(SourceId::FILE, u64::from(row) * 16, 16),
            row,
            rows: 1,
            depth: 0,
        };
        let edge = |(from, to): &(u32, u32)| Edge {
            from: *from,
            to: *to,
            way: Transfer::Taken,
        };
        let blocks = (0..count).map(block).collect();
        BlockGraph::new(blocks, taken.iter().map(edge).collect(), 0, None)
    }

    fn loops(graph: &BlockGraph) -> Vec<(u32, u32, u32)> {
        let loops = graph.loops.iter();
        loops.map(|l| (l.head, l.last, l.depth)).collect()
    }

    #[test]
    fn loops_are_nested() {
        // Two beside each other in one, which has two ways back; one block that is a loop.
        let graph = graph(8, &[(2, 1), (3, 3), (4, 0), (5, 0), (6, 7), (7, 7)]);
        assert_eq!(loops(&graph), [(0, 5, 1), (1, 2, 2), (3, 3, 2), (7, 7, 1)]);
        let depths: Vec<u32> = graph.blocks.iter().map(|block| block.depth).collect();
        assert_eq!(depths, [1, 2, 2, 2, 1, 1, 0, 1]);
        assert_eq!(graph.nesting(), 2);
    }

    #[test]
    fn a_call_backwards_is_no_loop() {
        let mut edges = graph(3, &[(2, 0)]).edges;
        edges[0].way = Transfer::Call;
        let graph = BlockGraph::new(graph(3, &[]).blocks, edges, 0, None);
        assert_eq!((loops(&graph), graph.nesting()), (Vec::new(), 0));
    }

    #[test]
    fn blocks_are_found_and_grouped() {
        let graph = graph(5, &[]);
        assert_eq!(graph.at(47), Some(2));
        assert_eq!(graph.at(80), None);
        let groups = BlockGraph::groups(graph.part(1, 100), 1, 3);
        let said: Vec<_> = groups.iter().map(|g| (g.start, g.count)).collect();
        assert_eq!(said, [(1, 3), (4, 1)]);
        assert_eq!((groups[0].span.start, groups[0].span.end), (16, 64));
    }
}
