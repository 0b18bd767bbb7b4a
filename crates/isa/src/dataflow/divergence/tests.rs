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
        0..=4 => Statement::Copy {
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
                    self.aim(end, end + 1, true);
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
