//! The values that channels keep while they wait.
//!
//! At a divergent branch, some channels continue and others wait for the thread to reach their target.
//! Until then, the thread runs code whose writes under the execution mask leave their bytes alone: what
//! the waiting channels read later is live there, even if the running channels have overwritten it.
//! Only a write to all channels, `(W)` without predicate, replaces it.
//!
//! For each target of waiting channels, the code that runs in between is what the thread reaches from
//! the branch without passing the target. What is live at the target is followed back through that
//! code. In structured code, these are the other side of an `if`, and a loop that some channels have
//! left.
//!
//! The compiler's allocator (IGC, `LivenessAnalysis::writeWholeRegion`) has the same reason for a more
//! cautious rule: in divergent code, a write under the mask never ends a variable. Variables are not
//! known here, registers are: that rule would join unrelated values that share a register.
//!
//! Not followed: waiting channels of a caller in called functions, and the registers of disabled
//! channels that an instruction with `(W)` reads.

use std::collections::BTreeMap;

use super::build::{DataFlow, index};
use crate::cfg::Exit;
use crate::tables::Op;
use crate::targets;

/// No position.
const NONE: usize = usize::MAX;

/// The transfers at the end of a block.
struct Fork {
    /// The blocks that the thread may run next.
    next: Vec<u32>,
    /// The blocks for which channels may wait.
    waits: Vec<u32>,
}

impl DataFlow {
    /// The bytes that waiting channels need at the end of each block, for each register of `units`.
    /// `starts` has the live bytes at the start of each block.
    pub(super) fn find_waiting(&self, units: &[u16], starts: &[u64]) -> Vec<u64> {
        let width = units.len();
        let mut out = vec![0_u64; starts.len()];
        let forks: Vec<Fork> = (0..self.blocks()).map(|block| self.fork(block)).collect();
        // For each target, the blocks with which the code in between starts.
        let mut targets: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for fork in &forks {
            for target in &fork.waits {
                // The thread runs the channels with the lowest address first.
                let next = fork.next.iter().filter(|next| *next < target);
                let next: Vec<u32> = next.copied().collect();
                if !next.is_empty() {
                    targets.entry(*target).or_default().extend(next);
                }
            }
        }
        if targets.is_empty() {
            return out;
        }
        let replaced = self.replaced(units);
        let mut places = vec![NONE; forks.len()];
        for (target, from) in targets {
            let at = index(target) * width;
            let live = starts.get(at..at + width).unwrap_or_default();
            let columns = (0..).zip(live).filter(|(_, mask)| **mask != 0);
            let columns: Vec<(usize, u64)> =
                columns.map(|(column, mask)| (column, *mask)).collect();
            let region = self.between(&forks, target, from);
            // Backward, because liveness flows from the target to the branch.
            for (place, block) in region.iter().rev().enumerate() {
                if let Some(to) = places.get_mut(index(*block)) {
                    *to = place;
                }
            }
            let count = columns.len();
            let mut before = vec![0_u64; region.len() * count];
            let mut now = vec![0_u64; count];
            let mut changed = true;
            while changed {
                changed = false;
                for (place, block) in region.iter().rev().enumerate() {
                    // A step of words is far cheaper than one of the search.
                    if !self.spend(count as u64 / 8 + 1) {
                        return out;
                    }
                    now.fill(0);
                    let next = forks.get(index(*block)).map_or(&[][..], |fork| &fork.next);
                    for next in next {
                        let from = places.get(index(*next)).copied().unwrap_or(NONE);
                        if *next == target {
                            for (now, (_, mask)) in now.iter_mut().zip(&columns) {
                                *now |= mask;
                            }
                        } else if from != NONE
                            && let Some(before) = before.get(from * count..(from + 1) * count)
                        {
                            for (now, mask) in now.iter_mut().zip(before) {
                                *now |= mask;
                            }
                        }
                    }
                    let own = index(*block) * width;
                    let before = before.get_mut(place * count..(place + 1) * count);
                    let before = before.into_iter().flatten();
                    for ((before, now), (column, _)) in before.zip(&now).zip(&columns) {
                        if let Some(out) = out.get_mut(own + column) {
                            *out |= now;
                        }
                        let rest = now & !replaced.get(own + column).copied().unwrap_or(0);
                        changed |= rest != *before;
                        *before = rest;
                    }
                }
            }
            for block in &region {
                if let Some(place) = places.get_mut(index(*block)) {
                    *place = NONE;
                }
            }
        }
        out
    }

    /// The bytes that each block writes for all channels.
    fn replaced(&self, units: &[u16]) -> Vec<u64> {
        let mut out = vec![0_u64; self.nodes.len() * units.len()];
        for (at, node) in self.nodes.iter().enumerate() {
            for row in node.first..node.end {
                if !self.row(row).is_some_and(super::build::Row::replaces_all) {
                    continue;
                }
                for write in self.writes_of(row) {
                    let column = units.binary_search(&write.piece.unit);
                    let place = column.ok().map(|column| at * units.len() + column);
                    if let Some(mask) = place.and_then(|place| out.get_mut(place)) {
                        *mask |= write.piece.mask;
                    }
                }
            }
        }
        out
    }

    /// The blocks that the thread reaches from some blocks without passing a target, in order.
    fn between(&self, forks: &[Fork], target: u32, mut work: Vec<u32>) -> Vec<u32> {
        let mut seen = std::collections::BTreeSet::new();
        while let Some(block) = work.pop() {
            if block == target || !seen.insert(block) {
                continue;
            }
            if !self.spend(1) {
                break;
            }
            if let Some(fork) = forks.get(index(block)) {
                work.extend(&fork.next);
            }
        }
        seen.into_iter().collect()
    }

    /// How the thread and its channels leave a block.
    fn fork(&self, block: u32) -> Fork {
        let within = self.graph.within(block);
        let plain = || Fork {
            next: within.to_vec(),
            waits: Vec::new(),
        };
        let last = self.node(block).and_then(|node| node.end.checked_sub(1));
        let record = last.and_then(|row| Some((row, self.row(row)?)));
        let Some((row, record)) = record.filter(|_| self.graph.exit(block) == Exit::Within) else {
            return plain();
        };
        let (has_end, skips) = match record.op {
            // The channels that do not enter it wait for its other side, or its end.
            Op::If => (false, true),
            // Those that have run the first side wait for the end.
            Op::Else => (false, true),
            // Those that leave the loop wait behind it.
            Op::While => (false, false),
            Op::Brd | Op::Brc => (false, true),
            Op::Break | Op::Cont | Op::Halt | Op::Goto => (true, true),
            _ => return plain(),
        };
        let Some(instruction) = self.instruction(row) else {
            return plain();
        };
        let at = i32::try_from(record.pc).unwrap_or(i32::MAX);
        let block_at = |place: i32| {
            let row = self.row_of(u32::try_from(place).ok()?)?;
            self.block_of(row)
        };
        let mut places = targets(&instruction, at).map(block_at);
        let (jump, end) = (places.next().flatten(), places.next().flatten());
        let end = end.filter(|_| has_end).or(jump);
        let behind = block + 1;
        // The thread itself never jumps to where channels wait for each other at last, but to where
        // the next ones wait.
        let is_passed = |to: &&u32| Some(**to) != end || end == jump || **to <= behind;
        Fork {
            next: within.iter().filter(is_passed).copied().collect(),
            waits: {
                let skipped = end.filter(|end| skips && *end > block);
                let skipped = skipped.into_iter();
                // Those that do not jump back wait behind the branch.
                let mut all = jump.iter().chain(&end);
                let back = all.any(|to| *to <= block);
                let waits = skipped.chain(back.then_some(behind));
                waits.filter(|to| *to < self.blocks()).collect()
            },
        }
    }
}

#[cfg(test)]
mod tests;
