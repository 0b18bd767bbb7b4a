//! Loops: the contents and the cost of an iteration, by the model of the compiler's scheduler.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use super::build::{DataFlow, index};
use super::messages::Traffic;
use super::waits::WaitOn;
use crate::decode::isa::tables::Op;
use crate::model::sort;

/// The bottleneck of a loop for one thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// The instructions that are issued.
    Issue,
    /// A wait for a message, or for another instruction that runs out of order: the instruction that
    /// waits, and the one that it waits for.
    Wait {
        /// The instruction that waits.
        row: u32,
        /// The instruction that it waits for.
        producer: u32,
    },
    /// Waits for results of an in-order pipe; its name, empty on devices with one.
    Pipe(&'static str),
}

/// A natural loop: the blocks between its head and the jumps back to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Loop {
    /// The target of the jumps back.
    pub head: u32,
    /// The blocks, in order, including those of inner loops.
    pub blocks: Vec<u32>,
    /// The nesting depth: 1 for an outermost loop.
    pub depth: u32,
    /// The index of the enclosing loop.
    pub parent: Option<usize>,
    /// Whether it contains no other loop.
    pub innermost: bool,
    /// Number of instructions.
    pub instructions: u32,
    /// Number of systolic multiplications.
    pub dpas: u32,
    /// Number of messages.
    pub sends: u32,
    /// Number of messages that write scratch memory.
    pub spills: u32,
    /// Number of messages that read scratch memory.
    pub fills: u32,
    /// Number of instructions that wait for others.
    pub waits: u32,
    /// Bytes that an iteration loads and stores.
    pub traffic: Vec<Traffic>,
    /// Cycles of an iteration for one thread, as the compiler's scheduler assumes: each instruction
    /// runs once.
    pub cycles: u64,
    /// Cycles of these in which instructions are issued.
    pub issue: u64,
    /// The part with most of the cycles.
    pub bound: Bound,
}

/// Times of a row at which its result is available and its sources have been read.
type Finished = HashMap<u32, (u64, u64)>;

/// State of a simulated run of rows in order.
#[derive(Default)]
struct Run {
    now: u64,
    issued: u64,
    finished: Finished,
}

/// A wait in a run: the row, the cycles, and the instruction that it waits for.
type Stall = (u32, u64, Option<(u32, WaitOn)>);

impl DataFlow {
    /// The loops, in the order of their heads; outer loops before inner ones.
    #[must_use]
    pub fn loops(&self) -> Rc<[Loop]> {
        Rc::clone(self.loops.get_or_init(|| self.find_loops().into()))
    }

    /// The innermost loop of a block, by index.
    #[must_use]
    pub fn loop_of(&self, block: u32) -> Option<usize> {
        let loops = self.loops();
        let around = loops.iter().enumerate();
        let around = around.filter(|(_, l)| l.blocks.binary_search(&block).is_ok());
        around.max_by_key(|(_, l)| l.depth).map(|(at, _)| at)
    }

    /// Cycles that an instruction waits per iteration of its innermost loop, or per run of the code
    /// outside of loops.
    #[must_use]
    pub fn stall(&self, row: u32) -> u32 {
        let stalls = self.stalls.get_or_init(|| self.find_stalls());
        stalls.get(index(row)).copied().unwrap_or(0)
    }

    /// Cycles of a basic block for one thread alone, as the compiler's scheduler assumes.
    #[must_use]
    pub fn block_cycles(&self, block: u32) -> u64 {
        let mut run = Run::default();
        for row in self.block_rows(block) {
            self.issue(row, &mut run);
        }
        run.now
    }

    fn find_stalls(&self) -> Vec<u32> {
        let mut out = vec![0_u32; self.rows.len()];
        let mut run = Run::default();
        let loops = self.loops();
        let mut set = |stall: Stall| {
            if let Some(place) = out.get_mut(index(stall.0)) {
                *place = u32::try_from(stall.1).unwrap_or(u32::MAX);
            }
        };
        for row in 0..self.count() {
            set(self.issue(row, &mut run));
        }
        // Inner loops come after the outer ones.
        for found in loops.iter() {
            self.iterate(found, &mut set);
        }
        out
    }

    /// Simulates a row. Returns its stall in cycles.
    fn issue(&self, row: u32, run: &mut Run) -> Stall {
        let Some(record) = self.row(row) else {
            return (row, 0, None);
        };
        let mut ready = (run.now, None);
        let mut wait = |at: u64, producer: u32, on: WaitOn| {
            if at > ready.0 {
                ready = (at, Some((producer, on)));
            }
        };
        if self.accesses.encoding.rank >= 20 {
            if self.has_waits(row) {
                for (on, producers) in self.producers(row) {
                    for producer in producers {
                        if let Some((result, sources)) = run.finished.get(&producer) {
                            let at = match on {
                                WaitOn::Sources(_) => *sources,
                                _ => *result,
                            };
                            wait(at, producer, on);
                        }
                    }
                }
            }
        } else {
            // The hardware checks the registers.
            for definition in self.all_definitions(row) {
                if let Some(producer) = definition.row
                    && let Some((result, _)) = run.finished.get(&producer)
                {
                    let on = match self.row(producer) {
                        Some(row) if row.is_send => WaitOn::Result(0),
                        _ => WaitOn::Distance("", 1),
                    };
                    wait(*result, producer, on);
                }
            }
        }
        let (start, cause) = ready;
        let stall = start - run.now;
        let issue = u64::from(record.occupancy);
        let sent = self.messages().get(&row).map_or(0, |facts| facts.sent);
        let result = start + u64::from(record.latency);
        let sources = start + 8 + u64::from(sent);
        if record.latency > 0 {
            run.finished
                .insert(row, (result, sources.min(result.max(start + 8))));
        }
        run.now = start + issue;
        run.issued += issue;
        (row, stall, cause)
    }

    /// Simulates three iterations of a loop and records the stalls of the last one. Returns its
    /// cycles and its issue cycles.
    fn iterate(&self, found: &Loop, f: &mut dyn FnMut(Stall)) -> (u64, u64) {
        let mut run = Run::default();
        let mut cycles = (0, 0);
        for iteration in 0..3 {
            let before = (run.now, run.issued);
            for block in &found.blocks {
                for row in self.block_rows(*block) {
                    if !self.spend(1) {
                        return cycles;
                    }
                    let stall = self.issue(row, &mut run);
                    if iteration == 2 {
                        f(stall);
                    }
                }
            }
            cycles = (run.now - before.0, run.issued - before.1);
        }
        cycles
    }

    fn find_loops(&self) -> Vec<Loop> {
        let dominators = self.dominators();
        let order = |block: u32| {
            let entry = dominators.get(index(block)).copied().flatten();
            entry.map_or(u32::MAX, |(_, order)| order)
        };
        let dominates = |head: u32, mut block: u32| {
            while order(block) > order(head) && self.spend(1) {
                match dominators.get(index(block)).copied().flatten() {
                    Some((above, _)) => block = above,
                    None => return false,
                }
            }
            block == head
        };
        let mut tails: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (block, _) in (0..self.blocks()).zip(&self.nodes) {
            let is_reached = dominators.get(index(block)).is_some_and(Option::is_some);
            for to in self.jumps(block) {
                if is_reached && dominates(*to, block) {
                    tails.entry(*to).or_default().push(block);
                }
            }
        }
        let mut loops: Vec<Loop> = Vec::new();
        for (head, tails) in tails {
            let blocks = self.body(head, &tails);
            loops.push(self.new_loop(head, blocks));
        }
        // Outer loops first.
        sort::by_key(&mut loops, |l| (l.head, std::cmp::Reverse(l.blocks.len())));
        for at in 0..loops.len() {
            let head = loops.get(at).map_or(0, |l| l.head);
            let around = loops.iter().enumerate();
            let around = around.filter(|(other, l)| {
                *other != at && l.blocks.binary_search(&head).is_ok() && self.spend(1)
            });
            let around: Vec<(usize, usize)> =
                around.map(|(other, l)| (l.blocks.len(), other)).collect();
            let parent = around.iter().min().map(|(_, other)| *other);
            let depth = u32::try_from(around.len() + 1).unwrap_or(u32::MAX);
            if let Some(parent) = parent.and_then(|parent| loops.get_mut(parent)) {
                parent.innermost = false;
            }
            if let Some(found) = loops.get_mut(at) {
                found.parent = parent;
                found.depth = depth;
            }
        }
        for found in &mut loops {
            self.measure(found);
        }
        loops
    }

    /// The successors of a block, ignoring calls.
    fn jumps(&self, block: u32) -> &[u32] {
        let Some(node) = self.node(block) else {
            return &[];
        };
        let last = node.end.checked_sub(1).and_then(|last| self.row(last));
        match last.map(|row| row.op) {
            Some(Op::Call | Op::Calla) => {
                let next = node.successors.iter().position(|to| *to == block + 1);
                let next = next.and_then(|at| node.successors.get(at..=at));
                next.unwrap_or_default()
            }
            _ => &node.successors,
        }
    }

    /// The blocks from which a tail can be reached without passing the head.
    fn body(&self, head: u32, tails: &[u32]) -> Vec<u32> {
        let mut body = std::collections::BTreeSet::from([head]);
        let mut work = tails.to_vec();
        while let Some(block) = work.pop() {
            if !self.spend(1) {
                break;
            }
            if body.insert(block)
                && let Some(node) = self.node(block)
            {
                work.extend(&node.predecessors);
            }
        }
        body.into_iter().collect()
    }

    /// The immediate dominator of each block that is reachable from the first, and its position in
    /// reverse postorder.
    fn dominators(&self) -> Vec<Option<(u32, u32)>> {
        let count = self.nodes.len();
        let mut order = Vec::new();
        let mut seen = vec![false; count];
        let mut stack: Vec<(u32, usize)> = Vec::new();
        if let Some(first) = seen.first_mut() {
            *first = true;
            stack.push((0, 0));
        }
        while let Some((block, next)) = stack.last_mut() {
            let to = self.jumps(*block).get(*next).copied();
            *next += 1;
            match to {
                Some(to) => {
                    if let Some(seen) = seen.get_mut(index(to))
                        && !std::mem::replace(seen, true)
                    {
                        stack.push((to, 0));
                    }
                }
                None => {
                    order.push(*block);
                    stack.pop();
                }
            }
        }
        order.reverse();
        let mut out: Vec<Option<(u32, u32)>> = vec![None; count];
        let mut place = vec![u32::MAX; count];
        for (at, block) in (0_u32..).zip(&order) {
            if let Some(place) = place.get_mut(index(*block)) {
                *place = at;
            }
        }
        if let Some(first) = out.first_mut() {
            *first = Some((0, 0));
        }
        let mut changed = true;
        while changed {
            changed = false;
            for (at, block) in (0_u32..).zip(&order).skip(1) {
                let Some(node) = self.node(*block) else {
                    continue;
                };
                let mut found: Option<u32> = None;
                for from in &node.predecessors {
                    if out.get(index(*from)).copied().flatten().is_none() {
                        continue;
                    }
                    found = Some(match found {
                        None => *from,
                        Some(other) => self.common(other, *from, &out, &place),
                    });
                }
                if let Some(found) = found
                    && let Some(entry) = out.get_mut(index(*block))
                    && *entry != Some((found, at))
                {
                    *entry = Some((found, at));
                    changed = true;
                }
            }
            if !self.spend(order.len() as u64) {
                break;
            }
        }
        out
    }

    /// The nearest common dominator of two blocks.
    fn common(
        &self,
        mut one: u32,
        mut other: u32,
        dominators: &[Option<(u32, u32)>],
        place: &[u32],
    ) -> u32 {
        let at = |block: u32| place.get(index(block)).copied().unwrap_or(u32::MAX);
        let up = |block: u32| dominators.get(index(block)).copied().flatten();
        while one != other && self.spend(1) {
            let later = if at(one) > at(other) {
                &mut one
            } else {
                &mut other
            };
            match up(*later) {
                Some((above, _)) if above != *later => *later = above,
                _ => return 0,
            }
        }
        one
    }

    fn new_loop(&self, head: u32, blocks: Vec<u32>) -> Loop {
        Loop {
            head,
            blocks,
            depth: 1,
            parent: None,
            innermost: true,
            instructions: 0,
            dpas: 0,
            sends: 0,
            spills: 0,
            fills: 0,
            waits: 0,
            traffic: Vec::new(),
            cycles: 0,
            issue: 0,
            bound: Bound::Issue,
        }
    }

    /// Counts the instructions, messages and cycles of an iteration.
    fn measure(&self, found: &mut Loop) {
        let mut traffic: Vec<Traffic> = Vec::new();
        let rows = found
            .blocks
            .iter()
            .flat_map(|block| self.block_rows(*block));
        for row in rows.collect::<Vec<_>>() {
            let Some(record) = self.row(row) else {
                continue;
            };
            found.instructions += 1;
            found.dpas += u32::from(matches!(record.op, Op::Dpas | Op::Dpasw | Op::Bdpas));
            found.sends += u32::from(record.is_send);
            found.waits += u32::from(self.has_waits(row));
            let Some(facts) = self.messages().get(&row) else {
                continue;
            };
            found.spills += u32::from(facts.spills);
            found.fills += u32::from(facts.fills);
            let Some(moved) = facts.traffic else { continue };
            let same = |t: &&mut Traffic| (t.memory, t.cache) == (moved.memory, moved.cache);
            match traffic.iter_mut().find(same) {
                Some(sum) => {
                    sum.messages += 1;
                    sum.loaded += moved.loaded;
                    sum.stored += moved.stored;
                }
                None => traffic.push(moved),
            }
        }
        found.traffic = traffic;
        let mut pipes: BTreeMap<&'static str, u64> = BTreeMap::new();
        let (mut longest, mut messages) = ((0, None), 0);
        let (cycles, issue) = self.iterate(found, &mut |(row, stall, cause)| match cause {
            Some((_, WaitOn::Distance(pipe, _))) => *pipes.entry(pipe).or_default() += stall,
            Some((producer, _)) => {
                messages += stall;
                if stall > longest.0 {
                    longest = (stall, Some((row, producer)));
                }
            }
            None => {}
        });
        found.cycles = cycles;
        found.issue = issue;
        let pipe = pipes.iter().max_by_key(|(_, stall)| **stall);
        found.bound = match (longest, pipe) {
            _ if issue.saturating_mul(2) >= cycles => Bound::Issue,
            ((_, Some((row, producer))), pipe)
                if pipe.is_none_or(|(_, cycles)| *cycles <= messages) =>
            {
                Bound::Wait { row, producer }
            }
            (_, Some((pipe, _))) => Bound::Pipe(pipe),
            _ => Bound::Issue,
        };
    }
}
