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
//! An instruction with `(W)` also reads the registers of channels that wait: a spill stores all channels of
//! a register, of which code under the mask has changed some. In the code of such regions, a write under
//! the mask does not end the value that a read of all channels sees.
//!
//! Not followed: waiting channels of a caller in called functions, and regions by which a channel reads
//! the element of another one.

use std::collections::BTreeMap;

use super::build::{DataFlow, Row, Write, index};
use super::regset::{RegisterFile, file_of};
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

/// What channels keep while they wait.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    /// The bytes that they need at the end of each block, for each register.
    pub ends: Vec<u64>,
    /// Whether channels may wait while a block runs.
    pub divergent: Vec<bool>,
}

impl DataFlow {
    /// The bytes that waiting channels need at the end of each block, for each register of `units`.
    /// `starts` has the live bytes at the start of each block.
    pub(super) fn find_waiting(&self, units: &[u16], starts: &[u64]) -> Waiting {
        let mut waiting = Waiting {
            ends: vec![0_u64; starts.len()],
            divergent: vec![false; self.nodes.len()],
        };
        let forks: Vec<Fork> = (0..self.blocks()).map(|block| self.fork(block)).collect();
        if self.follow_waits(&forks, units, starts, &mut waiting) {
            self.follow_reads_of_all(&forks, units, &mut waiting);
        }
        waiting
    }

    /// Adds the bytes that channels need at the places where they wait. Returns whether there are such
    /// places, and the work was done.
    fn follow_waits(
        &self,
        forks: &[Fork],
        units: &[u16],
        starts: &[u64],
        waiting: &mut Waiting,
    ) -> bool {
        let width = units.len();
        let out = &mut waiting.ends;
        // For each target, the blocks with which the code in between starts.
        let mut targets: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for fork in forks {
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
            return false;
        }
        let replaced = self.replaced(units);
        let mut places = vec![NONE; forks.len()];
        for (target, from) in targets {
            let at = index(target) * width;
            let live = starts.get(at..at + width).unwrap_or_default();
            let columns = (0..).zip(live).filter(|(_, mask)| **mask != 0);
            let columns: Vec<(usize, u64)> =
                columns.map(|(column, mask)| (column, *mask)).collect();
            let region = self.between(forks, target, from);
            // Backward, because liveness flows from the target to the branch.
            for (place, block) in region.iter().rev().enumerate() {
                if let Some(to) = places.get_mut(index(*block)) {
                    *to = place;
                }
                if let Some(divergent) = waiting.divergent.get_mut(index(*block)) {
                    *divergent = true;
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
                        return false;
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
        true
    }

    /// Adds the bytes that instructions read in all channels, while others wait.
    fn follow_reads_of_all(&self, forks: &[Fork], units: &[u16], waiting: &mut Waiting) {
        let width = units.len();
        let mut kept = vec![u64::MAX; self.nodes.len() * width];
        let mut starts = vec![0_u64; self.nodes.len() * width];
        let mut any = false;
        for (at, node) in self.nodes.iter().enumerate() {
            let is_divergent = waiting.divergent.get(at).copied().unwrap_or(false);
            let column = |unit: u16| {
                let column = units.binary_search(&unit);
                column.ok().map(|column| at * width + column)
            };
            for row in (node.first..node.end).rev() {
                let Some(record) = self.row(row) else {
                    continue;
                };
                if record.replaces(is_divergent) {
                    for write in self.writes_of(row) {
                        let Some(place) = column(write.piece.unit) else {
                            continue;
                        };
                        if let (Some(kept), Some(start)) =
                            (kept.get_mut(place), starts.get_mut(place))
                        {
                            *kept &= !write.piece.mask;
                            *start &= !write.piece.mask;
                        }
                    }
                }
                if is_divergent && self.reads_all(row) {
                    for read in self.reads_of(row) {
                        let start = column(read.piece.unit).and_then(|at| starts.get_mut(at));
                        if let Some(start) = start {
                            *start |= read.piece.mask;
                            any = true;
                        }
                    }
                }
            }
        }
        if !any {
            return;
        }
        let mut now = vec![0_u64; width];
        let mut changed = true;
        while changed {
            changed = false;
            for block in (0..self.blocks()).rev() {
                if !self.spend(width as u64 / 8 + 1) {
                    return;
                }
                now.fill(0);
                for next in forks.get(index(block)).map_or(&[][..], |fork| &fork.next) {
                    let at = index(*next) * width;
                    for (now, start) in now.iter_mut().zip(starts.iter().skip(at)) {
                        *now |= start;
                    }
                }
                let own = index(block) * width..(index(block) + 1) * width;
                let (Some(starts), Some(ends), Some(kept)) = (
                    starts.get_mut(own.clone()),
                    waiting.ends.get_mut(own.clone()),
                    kept.get(own),
                ) else {
                    continue;
                };
                for (((start, end), kept), now) in starts.iter_mut().zip(ends).zip(kept).zip(&now) {
                    *end |= now;
                    let more = *start | now & kept;
                    changed |= more != *start;
                    *start = more;
                }
            }
        }
    }

    /// Whether an instruction uses the values of all channels: `(W)`. Two forms only seem to: a `mov` to
    /// the null register waits until a message has read its sources, and a `mul` to the accumulator is
    /// the first half of a multiplication whose second half, under the mask, takes the enabled channels.
    pub(super) fn reads_all(&self, row: u32) -> bool {
        let Some(record) = self.row(row) else {
            return false;
        };
        let writes = self.writes_of(row);
        let is_accumulator =
            |write: &Write| file_of(write.piece.unit).0 == RegisterFile::Accumulator;
        let is_wait = record.op == Op::Mov && writes.is_empty();
        let is_half = !writes.is_empty() && writes.iter().all(is_accumulator);
        record.no_mask && !is_wait && !is_half
    }

    /// The bytes that each block writes for all channels.
    fn replaced(&self, units: &[u16]) -> Vec<u64> {
        let mut out = vec![0_u64; self.nodes.len() * units.len()];
        for (at, node) in self.nodes.iter().enumerate() {
            for row in node.first..node.end {
                if !self.row(row).is_some_and(Row::replaces_all) {
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
