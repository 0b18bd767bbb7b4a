//! Compares live registers with those that runs of made programs need.
//!
//! A program is a tree of statements, from which the code is encoded. It is run as a tree, without
//! branches: each run takes random decisions for each channel, and the trace says which values of
//! which channels are read later.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::DataFlow;
use crate::dataflow::RegisterFile;
use crate::{Decoder, Platform};

/// Number of channels of a run.
const CHANNELS: usize = 3;

/// Number of registers; the first is 10.
const REGISTERS: u8 = 6;

struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }

    fn register(&mut self) -> u8 {
        u8::try_from(self.below(REGISTERS.into())).unwrap_or(0)
    }
}

/// A statement. Rows are set when it is encoded.
enum Statement {
    /// A copy under the mask.
    Copy { to: u8, from: u8, row: usize },
    /// A constant for all channels.
    Set { to: u8, row: usize },
    /// `if`, `else` and `endif`.
    If {
        first: Vec<Statement>,
        second: Option<Vec<Statement>>,
        rows: [usize; 3],
    },
    /// A loop that ends with `while`.
    Loop { body: Vec<Statement>, row: usize },
    /// `break`, within a loop.
    Break { row: usize },
}

fn block(random: &mut Random, depth: u32, in_loop: bool) -> Vec<Statement> {
    let count = 1 + random.below(4);
    let one = |random: &mut Random| match random.below(if depth > 0 { 9 } else { 5 }) {
        0 => Statement::Set {
            to: random.register(),
            row: 0,
        },
        1 if in_loop => Statement::Break { row: 0 },
        1..=4 => Statement::Copy {
            to: random.register(),
            from: random.register(),
            row: 0,
        },
        5 | 6 => Statement::If {
            first: block(random, depth - 1, in_loop),
            second: (random.below(2) == 0).then(|| block(random, depth - 1, in_loop)),
            rows: [0; 3],
        },
        _ => Statement::Loop {
            body: block(random, depth - 1, true),
            row: 0,
        },
    };
    (0..count).map(|_| one(random)).collect()
}

/// Encodes programs for Xe2.
#[derive(Default)]
struct Code {
    words: Vec<[u8; 16]>,
    /// The branches whose targets are not known yet: those of the innermost loop to its end.
    breaks: Vec<Vec<usize>>,
    /// The branches that jump to the next place where channels wait.
    joins: Vec<usize>,
}

impl Code {
    fn push(&mut self, bytes: [u8; 8]) -> usize {
        let mut word = [0; 16];
        word[..8].copy_from_slice(&bytes);
        self.words.push(word);
        self.words.len() - 1
    }

    /// Sets the jump of a branch (JIP), or the other one (UIP).
    fn aim(&mut self, at: usize, to: usize, is_jump: bool) {
        let distance = (i32::try_from(to).unwrap() - i32::try_from(at).unwrap()) * 16;
        let place = if is_jump { 12 } else { 8 };
        self.words[at][place..place + 4].copy_from_slice(&distance.to_le_bytes());
    }

    fn copy(&mut self, to: u8, from: u8) -> usize {
        let row = self.push([0x61, 0, 0x10, 0, 0x20, 0x02, 0x05, 10 + to]);
        self.words[row][8..12].copy_from_slice(&[0x04, 10 + from, 0x10, 0]);
        row
    }

    /// The next place where channels wait is the next row.
    fn join(&mut self) {
        let next = self.words.len();
        for at in std::mem::take(&mut self.joins) {
            self.aim(at, next, true);
        }
    }

    fn encode(&mut self, statements: &mut [Statement]) {
        for statement in statements {
            match statement {
                Statement::Copy { to, from, row } => *row = self.copy(*to, *from),
                Statement::Set { to, row } => {
                    *row = self.push([0x61, 0, 0x10, 0x80, 0x20, 0x42, 0x05, 10 + *to]);
                }
                Statement::If {
                    first,
                    second,
                    rows,
                } => {
                    // Those from before it wait behind it.
                    let outer = std::mem::take(&mut self.joins);
                    let start = self.push([0x22, 0, 0x10, 0x04, 0, 0xc0, 0, 0]);
                    self.encode(first);
                    let mut other = None;
                    if let Some(second) = second {
                        self.join();
                        let middle = self.push([0x24, 0, 0x10, 0, 0, 0xc0, 0, 0]);
                        self.aim(start, middle + 1, true);
                        self.encode(second);
                        other = Some(middle);
                    }
                    self.join();
                    let end = self.push([0x25, 0, 0x10, 0, 0, 0x40, 0, 0]);
                    self.aim(start, end, false);
                    match other {
                        None => self.aim(start, end, true),
                        Some(middle) => {
                            self.aim(middle, end, true);
                            self.aim(middle, end, false);
                        }
                    }
                    *rows = [start, other.unwrap_or(end), end];
                    self.joins = outer;
                    // Without channels, as all have left the loop, it goes on to where others wait.
                    self.joins.push(end);
                }
                Statement::Loop { body, row } => {
                    let outer = std::mem::take(&mut self.joins);
                    let head = self.words.len();
                    self.breaks.push(Vec::new());
                    self.encode(body);
                    self.join();
                    *row = self.push([0x27, 0, 0x10, 0x04, 0, 0x40, 0, 0]);
                    self.aim(*row, head, true);
                    for at in self.breaks.pop().unwrap_or_default() {
                        self.aim(at, *row, false);
                    }
                    self.joins = outer;
                }
                Statement::Break { row } => {
                    *row = self.push([0x28, 0, 0x10, 0x04, 0, 0xc0, 0, 0]);
                    self.joins.push(*row);
                    self.breaks.last_mut().expect("a loop").push(*row);
                }
            }
        }
    }
}

/// What ran: the row, the channels, the register that it writes, and the one that it reads.
type Event = (usize, [bool; CHANNELS], Option<u8>, Option<u8>);

struct Run<'a> {
    random: &'a mut Random,
    trace: Vec<Event>,
    /// The channels that have left the innermost loop.
    left: Vec<[bool; CHANNELS]>,
}

impl Run<'_> {
    fn coins(&mut self, of: [bool; CHANNELS]) -> [bool; CHANNELS] {
        of.map(|active| active && self.random.below(2) == 0)
    }

    /// The channels that have not left the innermost loop.
    fn remain(&self, of: [bool; CHANNELS]) -> [bool; CHANNELS] {
        let left = self.left.last().copied().unwrap_or_default();
        std::array::from_fn(|at| of[at] && !left[at])
    }

    fn run(&mut self, statements: &[Statement], mask: [bool; CHANNELS]) {
        for statement in statements {
            let mask = self.remain(mask);
            if mask == [false; CHANNELS] {
                return;
            }
            match statement {
                Statement::Copy { to, from, row } => {
                    self.trace.push((*row, mask, Some(*to), Some(*from)));
                }
                Statement::Set { to, row } => {
                    self.trace.push((*row, [true; CHANNELS], Some(*to), None));
                }
                Statement::If {
                    first,
                    second,
                    rows: [start, middle, end],
                } => {
                    let taken = self.coins(mask);
                    self.trace.push((*start, mask, None, None));
                    self.run(first, taken);
                    if let Some(second) = second {
                        self.trace.push((*middle, mask, None, None));
                        let others = std::array::from_fn(|at| mask[at] && !taken[at]);
                        self.run(second, others);
                    }
                    self.trace.push((*end, mask, None, None));
                }
                Statement::Loop { body, row } => {
                    self.left.push([false; CHANNELS]);
                    let mut mask = mask;
                    for _ in 0..6 {
                        self.run(body, mask);
                        mask = self.remain(mask);
                        self.trace.push((*row, mask, None, None));
                        mask = self.coins(mask);
                        if mask == [false; CHANNELS] {
                            break;
                        }
                    }
                    self.left.pop();
                }
                Statement::Break { row } => {
                    self.trace.push((*row, mask, None, None));
                    let leave = self.coins(mask);
                    if let Some(left) = self.left.last_mut() {
                        *left = std::array::from_fn(|at| left[at] || leave[at]);
                    }
                }
            }
        }
    }
}

/// Adds the registers that are read later before each row of a trace.
fn needed(trace: &[Event], rows: &mut [BTreeSet<u8>]) {
    let mut needed = [[false; CHANNELS]; REGISTERS as usize];
    for (row, mask, to, from) in trace.iter().rev() {
        for channel in 0..CHANNELS {
            if let Some(to) = to.filter(|_| mask[channel]) {
                needed[usize::from(to)][channel] = false;
            }
            if let Some(from) = from.filter(|_| mask[channel]) {
                needed[usize::from(from)][channel] = true;
            }
        }
        for register in 0..REGISTERS {
            if needed[usize::from(register)].contains(&true) {
                rows[*row].insert(register);
            }
        }
    }
}

#[test]
fn registers_that_runs_need_are_live() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let (mut all, mut not_needed, mut missed_by_iga) = (0, 0, 0);
    for program in 0..300 {
        let mut statements = block(&mut random, 3, false);
        let mut code = Code::default();
        code.encode(&mut statements);
        code.join();
        // The end reads some registers in all channels.
        let ends: Vec<(usize, u8)> = (0..3)
            .map(|from| (code.copy(REGISTERS, from), from))
            .collect();
        let mut rows = vec![BTreeSet::new(); code.words.len()];
        for _ in 0..400 {
            let mut run = Run {
                random: &mut random,
                trace: Vec::new(),
                left: Vec::new(),
            };
            run.run(&statements, [true; CHANNELS]);
            for (row, from) in &ends {
                run.trace.push((*row, [true; CHANNELS], None, Some(*from)));
            }
            needed(&run.trace, &mut rows);
        }
        let bytes = code.words.concat();
        let flow = DataFlow::new(Rc::new(Decoder::new(Platform::Xe2)), bytes);
        assert_eq!(flow.count() as usize, code.words.len());
        assert_eq!(flow.extent().unknown + flow.extent().astray, 0, "{program}");
        for (row, needed) in (0_u32..).zip(&rows) {
            if needed.is_empty() {
                continue;
            }
            let general = |set: crate::dataflow::ByteSet| -> BTreeSet<u8> {
                let registers = set.registers();
                let general = registers.filter(|(file, ..)| *file == RegisterFile::General);
                general
                    .map(|(_, number, _)| u8::try_from(number).unwrap() - 10)
                    .collect()
            };
            let live = general(flow.live_set(row));
            let waiting = general(flow.waiting_set(row));
            assert!(
                needed.is_subset(&live),
                "program {program}, row {row}: needed {needed:?}, live {live:?}"
            );
            assert_eq!(usize::from(flow.live(row).unwrap().registers), live.len());
            let iga = usize::from(flow.live_iga(row).unwrap().registers);
            assert_eq!(iga, live.len() - waiting.len());
            missed_by_iga += needed.intersection(&waiting).count();
            not_needed += live.difference(needed).count();
            all += live.len();
        }
    }
    // Otherwise the programs would test nothing.
    assert!(missed_by_iga * 50 > all, "{missed_by_iga} of {all}");
    // What is live but was not needed in any run: paths that are rare, or that channels cannot take.
    assert!(not_needed * 20 < all, "{not_needed} of {all}");
}

/// An instruction of unstructured code. Targets are rows.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// A copy under the mask.
    Copy { to: u8, from: u8 },
    /// A copy of all channels, whatever the mask.
    CopyAll { to: u8, from: u8 },
    /// A constant for all channels.
    Set { to: u8 },
    /// Each channel that is running decides. Those that take it continue at the target.
    Goto { target: usize },
    /// Channels that wait here continue.
    Join,
}

/// Makes unstructured code: forward branches that overlap, and loops with several exits. A `join`
/// stands wherever channels may wait.
fn unstructured(random: &mut Random) -> Vec<Step> {
    let count = usize::try_from(6 + random.below(10)).unwrap();
    let mut steps: Vec<Step> = (0..count)
        .map(|at| {
            let to = random.register();
            let from = random.register();
            let target = usize::try_from(random.below(count as u64 + 1)).unwrap();
            match random.below(10) {
                0 => Step::Set { to },
                1 => Step::CopyAll { to, from },
                2..=5 => Step::Copy { to, from },
                _ if target == at + 1 => Step::Copy { to, from },
                _ => Step::Goto { target },
            }
        })
        .collect();
    let waits = |at: usize| {
        let forward = (0..at)
            .any(|from| matches!(steps.get(from), Some(Step::Goto { target }) if *target == at));
        let back = at
            .checked_sub(1)
            .and_then(|before| steps.get(before).map(|step| (before, step)));
        forward || matches!(back, Some((before, Step::Goto { target })) if *target <= before)
    };
    let joins: Vec<bool> = (0..=count).map(waits).collect();
    // Where a step is once the joins are inserted: at its join, if it has one.
    let place = |at: usize| at + joins[..at].iter().filter(|join| **join).count();
    for step in &mut steps {
        if let Step::Goto { target } = step {
            *target = place(*target);
        }
    }
    let mut out = Vec::new();
    for (at, join) in joins.iter().enumerate() {
        out.extend(join.then_some(Step::Join));
        out.extend(steps.get(at));
    }
    out
}

/// Returns the next `join` behind a row, or the end.
fn next_join(steps: &[Step], at: usize) -> usize {
    let next = (at + 1..steps.len()).find(|at| matches!(steps[*at], Step::Join));
    next.unwrap_or(steps.len())
}

fn encode_steps(steps: &[Step]) -> Code {
    let mut code = Code::default();
    for (at, step) in steps.iter().enumerate() {
        match *step {
            Step::Copy { to, from } => {
                code.copy(to, from);
            }
            Step::CopyAll { to, from } => {
                let row = code.copy(to, from);
                code.words[row][3] |= 0x80;
            }
            Step::Set { to } => {
                code.push([0x61, 0, 0x10, 0x80, 0x20, 0x42, 0x05, 10 + to]);
            }
            Step::Goto { target } => {
                let back = u8::from(target <= at) << 1;
                let row = code.push([0x2e, 0, 0x10, 0x04, back, 0xc0, 0, 0]);
                code.aim(row, next_join(steps, at), true);
                code.aim(row, target, false);
            }
            Step::Join => {
                let row = code.push([0x2f, 0, 0x10, 0, 0, 0x40, 0, 0]);
                code.aim(row, next_join(steps, at), true);
            }
        }
    }
    code
}

/// Runs code as the hardware does: each channel has its own position, and the thread executes an
/// instruction for the channels that are there. Returns what ran, or `None` if it does not end.
fn execute(random: &mut Random, steps: &[Step]) -> Option<Vec<StepEvent>> {
    let mut at = 0;
    let mut channels = [0; CHANNELS];
    let mut trace = Vec::new();
    for _ in 0..300 {
        let Some(step) = steps.get(at) else {
            return channels.iter().all(|own| *own == at).then_some(trace);
        };
        let mask = channels.map(|own| own == at);
        let is_empty = mask == [false; CHANNELS];
        // The thread runs ahead of no channel.
        assert!(channels.iter().all(|own| *own >= at), "{steps:?}");
        let mut next = at + 1;
        let mut event = (at, mask, None, None, false);
        match *step {
            Step::Copy { to, from } => event = (at, mask, Some(to), Some(from), false),
            Step::CopyAll { to, from } => event = (at, mask, Some(to), Some(from), true),
            Step::Set { to } => event = (at, mask, Some(to), None, true),
            Step::Join if is_empty => next = next_join(steps, at),
            Step::Join => {}
            Step::Goto { target } => {
                let taken = mask.map(|runs| runs && random.below(2) == 0);
                let stays = (0..CHANNELS).any(|c| mask[c] && !taken[c]);
                let takes = taken.contains(&true);
                for channel in 0..CHANNELS {
                    if mask[channel] {
                        channels[channel] = if taken[channel] { target } else { at + 1 };
                    }
                }
                if target <= at {
                    next = if takes { target } else { at + 1 };
                } else if !stays {
                    next = next_join(steps, at);
                }
                trace.push(event);
                at = next;
                continue;
            }
        }
        for channel in 0..CHANNELS {
            if mask[channel] {
                channels[channel] = next;
            }
        }
        trace.push(event);
        at = next;
    }
    None
}

/// What ran: the row, the channels, the register that it writes, the one that it reads, and whether
/// it is for all channels.
type StepEvent = (usize, [bool; CHANNELS], Option<u8>, Option<u8>, bool);

/// Adds the registers that are read later before each row of a trace. Channels that were read only
/// for a copy of all channels count, too.
fn needed_by_steps(trace: &[StepEvent], rows: &mut [BTreeSet<u8>]) {
    // One more, which the end writes.
    let mut needed = [[false; CHANNELS]; REGISTERS as usize + 1];
    for (row, mask, to, from, all) in trace.iter().rev() {
        for channel in (0..CHANNELS).filter(|channel| mask[*channel] || *all) {
            if let Some(to) = to {
                needed[usize::from(*to)][channel] = false;
            }
            if let Some(from) = from {
                needed[usize::from(*from)][channel] = true;
            }
        }
        for register in 0..REGISTERS {
            if needed[usize::from(register)].contains(&true) {
                rows[*row].insert(register);
            }
        }
    }
}

#[test]
fn registers_that_unstructured_code_needs_are_live() {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let (mut all, mut not_needed, mut missed_by_iga, mut ran) = (0, 0, 0, 0);
    for program in 0..600 {
        let mut steps = unstructured(&mut random);
        for from in 0..3 {
            steps.push(Step::Copy {
                to: REGISTERS,
                from,
            });
        }
        let code = encode_steps(&steps);
        let mut rows = vec![BTreeSet::new(); steps.len()];
        for _ in 0..300 {
            if let Some(trace) = execute(&mut random, &steps) {
                ran += 1;
                needed_by_steps(&trace, &mut rows);
            }
        }
        let flow = DataFlow::new(Rc::new(Decoder::new(Platform::Xe2)), code.words.concat());
        assert_eq!(flow.count() as usize, steps.len());
        for (row, needed) in (0_u32..).zip(&rows) {
            let general = |set: crate::dataflow::ByteSet| -> BTreeSet<u8> {
                let registers = set.registers();
                let general = registers.filter(|(file, ..)| *file == RegisterFile::General);
                general
                    .map(|(_, number, _)| u8::try_from(number).unwrap() - 10)
                    .collect()
            };
            let live = general(flow.live_set(row));
            assert!(
                needed.is_subset(&live),
                "program {program}, row {row}: needed {needed:?}, live {live:?}\n{steps:#?}"
            );
            if !needed.is_empty() {
                missed_by_iga += needed.intersection(&general(flow.waiting_set(row))).count();
                not_needed += live.difference(needed).count();
                all += live.len();
            }
        }
    }
    assert!(ran > 50_000, "{ran}");
    assert!(missed_by_iga * 50 > all, "{missed_by_iga} of {all}");
    assert!(not_needed * 10 < all, "{not_needed} of {all}");
}
