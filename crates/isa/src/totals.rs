//! Contributions of instructions to the totals of code.

use std::rc::Rc;

use super::encoding::Encoding;
use super::format::operation;
use super::instruction::{
    Instruction, Message, Operand, OperandKind, Region, RegisterName, Stride, Subfunction,
};
use super::message;
use super::tables::{Meaning, Op};
use super::words::{MessageEffect, PADDING, kind, marks, remarks};
use foldhash::HashMap;
use zeview_core::analysis::assembly::WordClass;

/// The kinds of instructions, in alphabetical order.
const KINDS: [&str; 16] = [
    "call",
    "compare",
    "control",
    "double",
    "dpas",
    "float",
    "half",
    "illegal",
    "integer",
    "integer 64",
    "logic",
    "math",
    "message",
    "move",
    "nop",
    "sync",
];

/// The effects that are counted, in the order of [`Totals::effects`].
const EFFECTS: [MessageEffect; 4] = [
    MessageEffect::Spill,
    MessageEffect::Fill,
    MessageEffect::Atomic,
    MessageEffect::Barrier,
];

/// What an instruction adds to the totals.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Facts {
    /// The index of its kind.
    kind: usize,
    illegal: bool,
    /// The number of its class.
    pub class: u32,
    /// Whether it waits on the software scoreboard.
    pub waits: bool,
    effects: [u8; 4],
    message: Option<MessageFacts>,
    /// The general registers of its operands: the destination and the sources.
    pub registers: [Option<Registers>; 6],
}

/// A message of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct MessageFacts {
    /// The index of its name.
    name: usize,
    /// Bytes of the registers that it sends and receives.
    sent: u64,
    received: u64,
}

/// Consecutive general registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Registers {
    /// The first one.
    pub first: u16,
    /// Number of further ones.
    more: u32,
}

/// Names of messages, and classes of instructions, numbered in the order of their first use.
#[derive(Debug, Default)]
pub(super) struct Names {
    all: Vec<Box<str>>,
    /// The name that is looked up.
    name: String,
    classes: Vec<Rc<WordClass>>,
    /// The numbers of the classes, with what tells them apart beside their key.
    numbers: HashMap<ClassKey, Vec<(Subfunction, u32)>>,
    /// The class of padding.
    padding: Option<Rc<WordClass>>,
}

/// The operation, the index of the kind, the number of the message's name, and the marks.
type ClassKey = (u8, usize, Option<usize>, u8);

impl Names {
    /// Returns the number of a message's name.
    fn of(&mut self, rank: u8, m: &Message) -> usize {
        self.name.clear();
        message::name(rank, m, &mut self.name);
        let known = self.all.iter().position(|known| **known == *self.name);
        known.unwrap_or_else(|| {
            self.all.push(self.name.as_str().into());
            self.all.len() - 1
        })
    }

    pub fn get(&self, number: usize) -> &str {
        self.all.get(number).map_or("", |name| name)
    }

    /// Returns the number of an instruction's class; `message` is the number of its message's name.
    fn class_of(&mut self, i: &Instruction, kind_index: usize, message: Option<usize>) -> u32 {
        let marked = remarks(i).fold(0, |marked, remark| marked | 1 << remark as u8);
        let key = (i.op as u8, kind_index, message, marked);
        let known = self.numbers.entry(key).or_default();
        if let Some((_, number)) = known.iter().find(|(of, _)| *of == i.subfunction) {
            return *number;
        }
        let number = u32::try_from(self.classes.len()).unwrap_or(u32::MAX);
        known.push((i.subfunction, number));
        let name = message.and_then(|message| self.all.get(message));
        self.classes.push(Rc::new(WordClass {
            mnemonic: i.op.name(),
            operation: operation(i).into(),
            kind: kind(i),
            message: name.cloned().unwrap_or_default(),
            marks: marks(i).into_iter().map(|mark| mark.text).collect(),
        }));
        number
    }

    /// Returns a class.
    pub fn class(&self, number: u32) -> Option<&Rc<WordClass>> {
        self.classes.get(usize::try_from(number).ok()?)
    }

    /// Returns the class of padding, which is not a valid instruction.
    pub fn padding(&mut self) -> &Rc<WordClass> {
        self.padding.get_or_insert_with(|| {
            let none = Instruction::default();
            Rc::new(WordClass {
                mnemonic: none.op.name(),
                operation: operation(&none).into(),
                kind: PADDING,
                message: Box::default(),
                marks: Vec::new(),
            })
        })
    }
}

/// The sums of some code.
#[derive(Debug, Default)]
pub(super) struct Totals {
    kinds: [u64; KINDS.len()],
    pub illegal: u64,
    pub waits: u64,
    /// Spills, fills, atomic operations, barriers.
    pub effects: [u64; 4],
    /// Number of messages, and the bytes that they send and receive, by number of their name.
    messages: Vec<(u64, u64, u64)>,
    /// Bit set of general registers.
    registers: [u128; 4],
}

impl Totals {
    /// Adds an instruction, whose registers are added separately.
    #[inline]
    pub fn add(&mut self, facts: &Facts, waits: bool) {
        if let Some(count) = self.kinds.get_mut(facts.kind) {
            *count += 1;
        }
        self.waits += u64::from(waits);
        if let Some(message) = &facts.message {
            self.message(message);
        }
        for (sum, count) in self.effects.iter_mut().zip(facts.effects) {
            *sum += u64::from(count);
        }
        self.illegal += u64::from(facts.illegal);
    }

    fn message(&mut self, message: &MessageFacts) {
        if self.messages.len() <= message.name {
            self.messages.resize(message.name + 1, (0, 0, 0));
        }
        if let Some(count) = self.messages.get_mut(message.name) {
            count.0 += 1;
            count.1 += message.sent;
            count.2 += message.received;
        }
    }

    /// Adds registers, the first of which has this number.
    #[inline]
    pub fn touch(&mut self, registers: &Registers, first: u16) {
        let last = u32::from(first).saturating_add(registers.more);
        for register in u32::from(first)..=last {
            let place = usize::try_from(register / 128).unwrap_or(usize::MAX);
            let Some(bits) = self.registers.get_mut(place) else {
                return;
            };
            *bits |= 1 << (register % 128);
        }
    }

    /// Returns the kinds of instructions with their number, in alphabetical order.
    pub fn kinds(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let all = KINDS.into_iter().zip(self.kinds);
        all.filter(|(_, count)| *count > 0)
    }

    /// Returns the messages by number of their name: their count, and the bytes that they send and
    /// receive.
    pub fn messages(&self) -> impl Iterator<Item = (usize, (u64, u64, u64))> {
        let all = self.messages.iter().copied().enumerate();
        all.filter(|(_, (count, ..))| *count > 0)
    }

    /// Number of general registers.
    pub fn registers(&self) -> u64 {
        let bits = self.registers.iter();
        bits.map(|bits| u64::from(bits.count_ones())).sum()
    }
}

impl Facts {
    /// Returns the contribution of an instruction.
    pub fn of(encoding: &Encoding, i: &Instruction, names: &mut Names) -> Facts {
        let mut found = None;
        if let Some(m) = &i.message {
            let grf = u64::from(encoding.grf_bytes);
            let bytes = |length: Option<u8>| length.map_or(0, u64::from) * grf;
            let [first, second, answer] = m.lengths;
            found = Some(MessageFacts {
                name: names.of(encoding.rank, m),
                sent: bytes(first) + bytes(second),
                received: bytes(answer),
            });
        }
        let mut effects = [0; EFFECTS.len()];
        for remark in remarks(i) {
            for (count, effect) in effects.iter_mut().zip(EFFECTS) {
                *count += u8::from(remark == effect);
            }
        }
        let kind = kind(i);
        let kind = KINDS.iter().position(|known| *known == kind);
        let kind = kind.unwrap_or(KINDS.len());
        Facts {
            kind,
            class: names.class_of(i, kind, found.map(|message| message.name)),
            illegal: i.op == Op::Illegal,
            waits: i.scoreboard.waits(),
            effects,
            message: found,
            registers: registers(encoding, i),
        }
    }
}

/// Returns the general registers of an instruction.
fn registers(encoding: &Encoding, i: &Instruction) -> [Option<Registers>; 6] {
    let grf = u32::from(encoding.grf_bytes).max(1);
    let channels = i.exec.map_or(1, |exec| exec.size).clamp(1, 32);
    let answer = i.message.and_then(|m| m.lengths[2]);
    let payload = i.message.and_then(|m| m.lengths[0]);
    let systolic = dpas(i, channels);
    let mut all = [None; 6];
    let [first, others @ ..] = &mut all;
    if let Some(destination) = &i.destination {
        let bytes = match (answer, systolic) {
            (Some(length), _) if i.message.is_some() => Some(u32::from(length) * grf),
            (_, Some([bytes, ..])) => Some(bytes),
            _ => None,
        };
        *first = operand(destination, channels, bytes, grf);
    }
    let sources = i.sources.iter().take(i.source_count).enumerate();
    for ((at, source), to) in sources.zip(others) {
        let bytes = match (at, payload, systolic) {
            (0, Some(length), _) => Some(u32::from(length) * grf),
            (at, _, Some([_, sources @ ..])) => sources.get(at).copied(),
            _ => None,
        };
        *to = operand(source, channels, bytes, grf);
    }
    all
}

/// Returns the general registers of an operand: `bytes` bytes, or those that its region covers.
fn operand(operand: &Operand, channels: u32, bytes: Option<u32>, grf: u32) -> Option<Registers> {
    let (first, sub, count) = match operand.kind {
        OperandKind::Register {
            name: RegisterName::General,
            number,
            sub,
            ..
        } => (number, sub, None),
        OperandKind::Macro {
            name: RegisterName::General,
            number,
            ..
        } => (number, 0, None),
        OperandKind::Payload {
            name: RegisterName::General,
            number,
            length,
        } => (number, 0, length),
        _ => return None,
    };
    let size = operand.data_type.map_or(4, type_bytes);
    let bytes = match (count, bytes) {
        (Some(length), _) => u32::from(length) * grf,
        (None, Some(bytes)) => bytes,
        (None, None) => u32::from(sub) * size + reach(operand.region, channels) * size,
    };
    Some(Registers {
        first,
        more: bytes.saturating_sub(1) / grf,
    })
}

/// Returns the sizes in bytes of the destination and the three sources of a systolic instruction.
fn dpas(i: &Instruction, channels: u32) -> Option<[u32; 4]> {
    let (depth, repeat) = match (i.op, i.subfunction) {
        (Op::Dpas | Op::Dpasw, Subfunction::Dpas(depth, repeat)) => {
            (u32::from(depth), u32::from(repeat))
        }
        _ => return None,
    };
    let rows = repeat.max(1) * channels * 4;
    let result = i
        .destination
        .and_then(|d| d.data_type)
        .map_or(4, type_bytes);
    let result = repeat.max(1) * channels * result.min(4);
    Some([
        result,
        rows,
        depth.max(1) * channels * 4,
        depth.max(1) * repeat.max(1) * 4,
    ])
}

/// Returns the number of elements that a region spans.
fn reach(region: Region, channels: u32) -> u32 {
    let stride = |stride: Stride| stride.map_or(1, u32::from);
    let last = channels.saturating_sub(1);
    1 + match region {
        Region::Full(vertical, width, horizontal) => {
            let width = stride(width).clamp(1, channels);
            (channels.div_ceil(width) - 1) * stride(vertical) + (width - 1) * stride(horizontal)
        }
        Region::Ternary(_, horizontal) | Region::Horizontal(horizontal) => {
            last * stride(horizontal)
        }
        Region::Hidden | Region::Vxh(..) | Region::Invalid => 0,
    }
}

/// Returns the size of a type in bytes.
fn type_bytes(data_type: Meaning) -> u32 {
    match data_type {
        Meaning::q | Meaning::uq | Meaning::df => 8,
        Meaning::w | Meaning::uw | Meaning::hf | Meaning::bf => 2,
        Meaning::b | Meaning::ub | Meaning::bf8 | Meaning::hf8 => 1,
        _ => 4,
    }
}
