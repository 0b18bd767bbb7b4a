//! Loops: the contents and the cost of an iteration, by the model of the compiler's scheduler.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::rc::Rc;

use super::build::{DataFlow, NONE, index};
use super::messages::Traffic;
use super::operations::Operations;
use super::waits::WaitOn;
use super::work::Done;
use crate::tables::{Meaning, Op};
use zeview_core::analysis::data_flow::ScratchRole;
use zeview_core::analysis::figure::Figure;
use zeview_core::model::sort;

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

/// A natural loop: the blocks between its head and the jumps back to it
/// ([`DataFlow::loop_blocks`]).
#[derive(Clone, Debug, PartialEq)]
pub struct Loop {
    /// The target of the jumps back.
    pub head: u32,
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
    /// Arithmetic operations of an iteration, by kind and type.
    pub operations: Vec<Operations>,
    /// Number of calls. What the called functions do is not included in any figure.
    pub calls: u32,
    /// Number of words that are no instructions.
    pub unknown: u32,
    /// Cycles of an iteration for one thread, as the compiler's scheduler assumes: each instruction
    /// runs once.
    pub cycles: u64,
    /// Cycles of these in which instructions are issued.
    pub issue: u64,
    /// The pipes that it uses.
    pub pipes: Vec<PipeTime>,
    /// The part with most of the cycles.
    pub bound: Bound,
}

/// The cycles of an iteration in a pipe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PipeTime {
    /// The letter of a pipe that runs in order, empty on devices with one; `dpas`, `math`, `send`.
    pub pipe: &'static str,
    /// Cycles in which its instructions occupy it, with the hardware's width of the pipe.
    pub occupied: u64,
    /// Cycles that the thread waits for its results.
    pub latency: u64,
}

/// Times of a row at which its result is available and its sources have been read.
type Finished = HashMap<u32, (u64, u64)>;

/// State of a simulated run of rows in order.
#[derive(Default)]
struct Run {
    now: u64,
    issued: u64,
    finished: Finished,
    /// The last rows issued to each in-order pipe, with the times of their results.
    pipes: BTreeMap<&'static str, VecDeque<(u32, u64)>>,
}

/// Number of rows that are kept for each pipe: the greatest distance of a wait.
const DISTANCES: usize = 8;

impl Run {
    /// The row at a distance in a pipe, and the time of its result.
    fn at_distance(&self, pipe: &str, distance: u8) -> Option<(u32, u64)> {
        let issued = self.pipes.get(pipe)?;
        let at = issued.len().checked_sub(distance.into())?;
        issued.get(at).copied()
    }
}

/// A wait in a run: the row, the cycles, and the instruction that it waits for.
type Stall = (u32, u64, Option<(u32, WaitOn)>);

/// The costs of loops, and the stalls of all instructions.
#[derive(Debug)]
pub(super) struct Timing {
    pub loops: Rc<[Loop]>,
    pub stalls: Vec<u32>,
}

impl DataFlow {
    /// The loops, in the order of their heads.
    ///
    /// # Errors
    ///
    /// If the code takes too much work, or the analysis does not cover it.
    pub fn loops(&self) -> Figure<Rc<[Loop]>> {
        self.figure(|| Rc::clone(&self.timing().loops))
    }

    /// The blocks of a loop by index, in order, including those of inner loops.
    #[must_use]
    pub fn loop_blocks(&self, at: usize) -> Vec<u32> {
        self.graph.forest().blocks(at)
    }

    /// The innermost loop of a block, by index.
    #[must_use]
    pub fn loop_of(&self, block: u32) -> Option<usize> {
        self.graph.forest().loop_of(block)
    }

    /// Cycles that an instruction waits per iteration of its innermost loop, or per run of the code
    /// outside of loops. Returns `None` if that takes too much work.
    #[must_use]
    pub fn stall(&self, row: u32) -> Option<u32> {
        let Done { value, is_cut } = self.part(|| {
            let stalls = &self.timing().stalls;
            stalls.get(index(row)).copied().unwrap_or(0)
        });
        (!is_cut).then_some(value)
    }

    /// The sum of the cycles of the innermost loops.
    pub(super) fn innermost_cycles(&self) -> u64 {
        let loops = self.graph.forest().loops.iter().enumerate();
        let innermost = loops.filter(|(_, found)| found.innermost);
        let cycles = innermost.map(|(at, _)| self.iterate(at, &mut |_| {}).0);
        cycles.sum()
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

    pub(super) fn timing(&self) -> &Timing {
        self.known(&self.timing, || self.find_timing())
    }

    fn find_timing(&self) -> Timing {
        let mut stalls = vec![0_u32; self.rows.len()];
        let mut set = |stall: Stall| {
            if let Some(place) = stalls.get_mut(index(stall.0)) {
                *place = u32::try_from(stall.1).unwrap_or(u32::MAX);
            }
        };
        let mut run = Run::default();
        for row in 0..self.count() {
            set(self.issue(row, &mut run));
        }
        let forest = self.graph.forest();
        let loops = forest.loops.iter().map(|found| Loop {
            head: found.head,
            depth: found.depth,
            parent: found.parent,
            innermost: found.innermost,
            instructions: 0,
            dpas: 0,
            sends: 0,
            spills: 0,
            fills: 0,
            waits: 0,
            traffic: Vec::new(),
            operations: Vec::new(),
            calls: 0,
            unknown: 0,
            cycles: 0,
            issue: 0,
            pipes: Vec::new(),
            bound: Bound::Issue,
        });
        let mut loops: Vec<Loop> = loops.collect();
        // The stalls of an inner loop replace those of the loop around it.
        let mut order: Vec<(u32, usize)> = loops.iter().map(|found| found.depth).zip(0..).collect();
        sort::ascending(&mut order);
        for (_, at) in order {
            if let Some(found) = loops.get_mut(at) {
                self.measure(at, found, &mut set);
            }
        }
        Timing {
            loops: loops.into(),
            stalls,
        }
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
                for (on, producers) in self.producers(row).iter() {
                    self.spend(producers.len() as u64);
                    // The instruction may be that of the iteration before, although this one has it,
                    // too.
                    if let WaitOn::Distance(pipe, distance) = on
                        && let Some((producer, result)) = run.at_distance(pipe, *distance)
                        && producers.contains(&producer)
                    {
                        wait(result, producer, *on);
                        continue;
                    }
                    for producer in producers {
                        if let Some((result, sources)) = run.finished.get(producer) {
                            let at = match on {
                                WaitOn::Sources(_) => *sources,
                                _ => *result,
                            };
                            wait(at, *producer, *on);
                        }
                    }
                }
            }
        } else {
            // The hardware checks the registers.
            let mut producers: Vec<u32> = Vec::new();
            for read in self.reads_of(row) {
                self.each_definition(row, read.piece, &mut |from, _| {
                    producers.extend((from != NONE).then_some(from));
                    true
                });
            }
            sort::ascending(&mut producers);
            producers.dedup();
            for producer in producers {
                if let Some((result, _)) = run.finished.get(&producer) {
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
        let sent = self.messages.get(&row).map_or(0, |facts| facts.sent);
        let result = start + u64::from(record.latency);
        let sources = start + 8 + u64::from(sent);
        // `sync` and `nop` produce nothing that others could wait for.
        if record.latency > 0 {
            run.finished
                .insert(row, (result, sources.min(result.max(start + 8))));
        }
        if let Some(pipe) = self.in_order_pipe(row) {
            let issued = run.pipes.entry(pipe).or_default();
            issued.push_back((row, result));
            if issued.len() > DISTANCES {
                issued.pop_front();
            }
        }
        run.now = start + issue;
        run.issued += issue;
        (row, stall, cause)
    }

    /// Simulates three iterations of a loop and records the stalls of the last one. Returns its
    /// cycles and its issue cycles.
    fn iterate(&self, at: usize, f: &mut dyn FnMut(Stall)) -> (u64, u64) {
        let mut run = Run::default();
        let mut cycles = (0, 0);
        if !self.spend(self.graph.forest().len(at) as u64) {
            return cycles;
        }
        let blocks = self.loop_blocks(at);
        // The first ones only fill `finished`: values that are carried around a loop come from the
        // iteration before.
        for iteration in 0..3 {
            let before = (run.now, run.issued);
            for block in &blocks {
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

    /// The pipe that an instruction occupies; `None` if it only waits.
    fn pipe_name(&self, row: u32) -> Option<&'static str> {
        let record = self.row(row)?;
        match (record.issue.pipe, record.op) {
            _ if record.is_send => Some("send"),
            (Some(_), _) if self.accesses.encoding.rank < 22 => Some("in order"),
            (Some(pipe), _) => Some(pipe.letter()),
            (None, Op::Dpas | Op::Dpasw | Op::Bdpas) => Some("dpas"),
            (None, Op::Math) => Some("math"),
            (None, Op::Sync | Op::Nop | Op::Illegal) => None,
            (None, _) => Some("other"),
        }
    }

    /// Counts the instructions, messages and cycles of an iteration. Calls `f` with the stalls.
    fn measure(&self, at: usize, found: &mut Loop, f: &mut dyn FnMut(Stall)) {
        if !self.spend(self.graph.forest().len(at) as u64) {
            return;
        }
        let mut traffic: Vec<Traffic> = Vec::new();
        let blocks = self.loop_blocks(at);
        let rows = blocks.iter().flat_map(|block| self.block_rows(*block));
        for row in rows.take_while(|_| self.spend(1)) {
            let Some(record) = self.row(row) else {
                continue;
            };
            found.instructions += 1;
            found.dpas += u32::from(matches!(record.op, Op::Dpas | Op::Dpasw | Op::Bdpas));
            found.sends += u32::from(record.is_send);
            found.waits += u32::from(self.has_waits(row));
            found.calls += u32::from(matches!(record.op, Op::Call | Op::Calla));
            found.unknown += u32::from(record.invalid);
            if let Some(done) = record.operations {
                add_operations(&mut found.operations, done);
            }
            let Some(facts) = self.messages.get(&row) else {
                continue;
            };
            let role = self.scratch_role(row);
            found.spills += u32::from(role == Some(ScratchRole::Spill));
            found.fills += u32::from(role == Some(ScratchRole::Fill));
            let Some(moved) = facts.traffic else { continue };
            add_traffic(&mut traffic, moved);
        }
        found.traffic = traffic;
        sort::by_key(&mut found.operations, |of| {
            (of.kind, of.data_type.name(), of.second.map(Meaning::name))
        });
        // Ordered, so that pipes with equal cycles give the same answer each time.
        let mut pipes: BTreeMap<&'static str, u64> = BTreeMap::new();
        let mut times: BTreeMap<&'static str, (u64, u64)> = BTreeMap::new();
        let (mut longest, mut messages) = ((0, None), 0);
        let (cycles, issue) = self.iterate(at, &mut |(row, stall, cause)| {
            f((row, stall, cause));
            let occupied = self.row(row).map_or(0, |record| record.pipe_cycles);
            if let Some(name) = self.pipe_name(row) {
                times.entry(name).or_default().0 += u64::from(occupied);
            }
            if let Some(name) = cause.and_then(|(producer, _)| self.pipe_name(producer)) {
                times.entry(name).or_default().1 += stall;
            }
            match cause {
                Some((_, WaitOn::Distance(pipe, _))) => *pipes.entry(pipe).or_default() += stall,
                Some((producer, _)) => {
                    messages += stall;
                    if stall > longest.0 {
                        longest = (stall, Some((row, producer)));
                    }
                }
                None => {}
            }
        });
        found.cycles = cycles;
        found.issue = issue;
        let times = times.into_iter();
        found.pipes = times
            .map(|(pipe, (occupied, latency))| PipeTime {
                pipe,
                occupied,
                latency,
            })
            .collect();
        let pipe = pipes.iter().max_by_key(|(_, stall)| **stall);
        found.bound = match (longest, pipe) {
            // No wait can cost more than the issues then.
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

/// Adds operations to those of their kind and types.
fn add_operations(all: &mut Vec<Operations>, done: Operations) {
    let key = |of: &Operations| (of.kind, of.data_type, of.second, of.count.is_none());
    match all.iter_mut().find(|sum| key(sum) == key(&done)) {
        Some(sum) => {
            let counts = sum.count.zip(done.count);
            sum.count = counts.map(|(sum, count)| sum.saturating_add(count));
        }
        None => all.push(done),
    }
}

/// Adds a message to those of its memory and cache setting. Messages of unknown size are separate.
fn add_traffic(all: &mut Vec<Traffic>, moved: Traffic) {
    let key = |of: &Traffic| (of.memory, of.function, of.cache, of.bytes.err());
    match all.iter_mut().find(|sum| key(sum) == key(&moved)) {
        Some(sum) => {
            sum.messages += 1;
            sum.prefetches += moved.prefetches;
            if let (Ok(sum), Ok(bytes)) = (&mut sum.bytes, moved.bytes) {
                sum.0 += bytes.0;
                sum.1 += bytes.1;
            }
        }
        None => all.push(moved),
    }
}
