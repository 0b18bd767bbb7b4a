//! Instruction mix of a code section.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::code::is_illegal;
use super::instruction::{Operand, OperandKind, Region, RegisterName, Stride, Subfunction};
use super::message;
use super::tables::{Meaning, Op};
use super::windows::for_each_word;
use super::words::{MessageEffect, is_padding, kind, message_name, remarks};
use super::{Decoder, Instruction};
use crate::analysis::assembly::{MessageCount, Mix, Tally};
use crate::analysis::blocks::BlockGraph;
use crate::model::sort;
use crate::model::{Sources, Span};

/// Counts the instructions of a code section.
pub(super) struct CodeTally {
    decoder: Option<Rc<Decoder>>,
    code: Span,
    at: u64,
    counted: Counted,
}

#[derive(Default)]
struct Counted {
    mix: Mix,
    kinds: BTreeMap<&'static str, u64>,
    messages: BTreeMap<String, (u64, u64, u64)>,
    /// Bit set of general registers.
    registers: [u128; 4],
    comment: String,
}

impl CodeTally {
    pub fn new(decoder: Option<Rc<Decoder>>, code: Span, blocks: &BlockGraph) -> CodeTally {
        let mut counted = Counted::default();
        counted.mix.blocks = blocks.blocks.len() as u64;
        counted.mix.loops = blocks.loops.len() as u64;
        counted.mix.nesting = blocks.nesting();
        CodeTally {
            decoder,
            code,
            at: 0,
            counted,
        }
    }
}

impl Tally for CodeTally {
    fn step(&mut self, most: u64, sources: &Sources) -> u64 {
        let rest = self.code.skip(self.at);
        let counted = &mut self.counted;
        let decoder = self.decoder.as_deref();
        let read = for_each_word(sources, rest, &mut |at, word| {
            counted.mix.bytes += word.len() as u64;
            if is_padding(word) {
                counted.mix.padding += 1;
                return at < most;
            }
            counted.mix.instructions += 1;
            counted.mix.compacted += u64::from(word.len() == 8);
            if let Some(decoder) = decoder
                && let Some(instruction) = decoder.decode(word)
            {
                counted.add(decoder, &instruction);
            }
            at < most
        });
        self.at += read;
        // Bytes after the last whole instruction do not count.
        match read {
            0 => 0,
            _ => rest.len() - read,
        }
    }

    fn mix(&self) -> Mix {
        let counted = &self.counted;
        let mut mix = counted.mix.clone();
        let kinds = counted.kinds.iter();
        mix.kinds = kinds
            .map(|(kind, count)| ((*kind).into(), *count))
            .collect();
        sort::by_key(&mut mix.kinds, |(_, count)| std::cmp::Reverse(*count));
        let messages = counted.messages.iter();
        let messages = messages.map(|(name, (count, sent, received))| MessageCount {
            name: name.clone(),
            count: *count,
            sent: *sent,
            received: *received,
        });
        mix.messages = messages.collect();
        sort::by_key(&mut mix.messages, |m| std::cmp::Reverse(m.count));
        let registers = counted.registers.iter();
        mix.registers = registers.map(|bits| u64::from(bits.count_ones())).sum();
        mix
    }
}

impl Counted {
    fn add(&mut self, decoder: &Decoder, i: &Instruction) {
        *self.kinds.entry(kind(i)).or_default() += 1;
        self.mix.illegal += u64::from(is_illegal(i));
        let scoreboard = &i.scoreboard;
        let own = |wait: &str| wait.is_empty();
        let waits =
            scoreboard.distance.is_some() || scoreboard.token.is_some_and(|(_, wait)| !own(wait));
        self.mix.waits += u64::from(waits);
        self.comment.clear();
        if let Some(m) = &i.message {
            message::comment(decoder.encoding.rank, i, m, &mut self.comment);
            let grf = u64::from(decoder.encoding.grf_bytes);
            let bytes = |length: Option<u8>| length.map_or(0, u64::from) * grf;
            let [first, second, answer] = m.lengths;
            let name = message_name(&self.comment);
            let count = match self.messages.get_mut(name) {
                Some(count) => count,
                None => self.messages.entry(name.to_owned()).or_default(),
            };
            count.0 += 1;
            count.1 += bytes(first) + bytes(second);
            count.2 += bytes(answer);
        }
        for remark in remarks(i, &self.comment) {
            match remark {
                MessageEffect::Spill => self.mix.spills += 1,
                MessageEffect::Fill => self.mix.fills += 1,
                MessageEffect::Atomic => self.mix.atomics += 1,
                MessageEffect::Barrier => self.mix.barriers += 1,
                _ => {}
            }
        }
        self.registers(decoder, i);
    }

    /// Marks the general registers of an instruction.
    fn registers(&mut self, decoder: &Decoder, i: &Instruction) {
        let grf = u32::from(decoder.encoding.grf_bytes).max(1);
        let channels = i.exec.map_or(1, |exec| exec.size).clamp(1, 32);
        let answer = i.message.and_then(|m| m.lengths[2]);
        let payload = i.message.and_then(|m| m.lengths[0]);
        if let Some(destination) = &i.destination {
            let bytes = match (answer, dpas(i, channels)) {
                (Some(length), _) if i.message.is_some() => Some(u32::from(length) * grf),
                (_, Some([bytes, ..])) => Some(bytes),
                _ => None,
            };
            self.touch(destination, channels, bytes, grf);
        }
        let sources = i.sources.iter().take(i.source_count).enumerate();
        for (at, source) in sources {
            let bytes = match (at, payload, dpas(i, channels)) {
                (0, Some(length), _) => Some(u32::from(length) * grf),
                (at, _, Some([_, sources @ ..])) => sources.get(at).copied(),
                _ => None,
            };
            self.touch(source, channels, bytes, grf);
        }
    }

    /// Marks the registers of an operand: `bytes` bytes, or those that its region covers.
    fn touch(&mut self, operand: &Operand, channels: u32, bytes: Option<u32>, grf: u32) {
        let (number, sub, count) = match operand.kind {
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
            _ => return,
        };
        let size = operand.data_type.map_or(4, type_bytes);
        let bytes = match (count, bytes) {
            (Some(length), _) => u32::from(length) * grf,
            (None, Some(bytes)) => bytes,
            (None, None) => u32::from(sub) * size + reach(operand.region, channels) * size,
        };
        let last = u32::from(number) + bytes.saturating_sub(1) / grf;
        for register in u32::from(number)..=last {
            let place = usize::try_from(register / 128).unwrap_or(usize::MAX);
            if let Some(bits) = self.registers.get_mut(place) {
                *bits |= 1 << (register % 128);
            }
        }
    }
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
    match data_type.name() {
        "q" | "uq" | "df" => 8,
        "w" | "uw" | "hf" | "bf" => 2,
        "b" | "ub" | "bf8" | "hf8" => 1,
        _ => 4,
    }
}
