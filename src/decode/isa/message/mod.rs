//! Decoding of messages into IGA's comments.

mod cache;
mod data;
mod other;
mod wide;
mod wide_other;

pub(super) use wide::answer;

use super::instruction::{Descriptor, Instruction, Message, OperandKind};
use super::number::push_decimal;
use super::tables::{Meaning, SFID_PRE_XE_TEXT};

/// The decoded properties of a message.
#[derive(Debug, Default)]
pub(super) struct Decoded {
    /// Its short form.
    pub symbol: String,
    /// Its description, if it has no short form.
    pub description: String,
    /// Whether the bits are invalid.
    pub error: bool,
    /// Whether the addresses are coordinates.
    pub coordinates: bool,
    /// Number of channels.
    pub channels: u32,
    /// The size of an address in bits.
    pub address_bits: u32,
    /// Whether the last coordinate is a sample index.
    pub samples: bool,
    /// The size of the response in bytes.
    pub answer: Option<u32>,
}

/// The parts of a message that determine its meaning.
#[derive(Clone, Copy, Debug)]
pub(super) struct MessageInput {
    pub rank: u8,
    pub sfid: Option<Meaning>,
    pub channels: u32,
    pub descriptor: u32,
    pub extended: Descriptor,
    pub offset: u32,
}

impl MessageInput {
    /// Returns `width` bits of the descriptor from bit `low` on.
    pub fn bits(&self, low: u32, width: u32) -> u32 {
        (self.descriptor >> low) & ((1 << width) - 1)
    }

    pub fn bit(&self, at: u32) -> bool {
        self.bits(at, 1) != 0
    }

    /// Returns the number of channels of a full message.
    pub fn full(&self) -> u32 {
        if self.rank >= 24 { 32 } else { 16 }
    }
}

/// Appends a decimal number.
pub(super) fn number(out: &mut String, value: impl Into<u64>) {
    push_decimal(out, value.into());
}

/// Appends the comment of a send.
pub(super) fn comment(rank: u8, i: &Instruction, message: &Message, out: &mut String) {
    let channels = i.exec.map_or(1, |exec| exec.size);
    if let Some(wide) = &message.wide {
        return wide::comment(i, message, wide, channels, out);
    }
    let register = |out: &mut String, descriptor: Descriptor, bits: &str| match descriptor {
        Descriptor::Register(sub) => {
            out.push_str("a0.");
            number(out, sub);
            out.push_str(bits);
        }
        Descriptor::Immediate(_) => out.push('?'),
    };
    let [first, second, answer] = message.lengths;
    let sfid = message.sfid;
    out.push_str("wr:");
    match first {
        Some(length) => number(out, length),
        None => register(out, message.descriptor, "[28:25]"),
    }
    let cache = matches!(
        sfid,
        Some(Meaning::UGM | Meaning::UGML | Meaning::SLM | Meaning::TGM)
    ) || rank >= 40 && sfid == Some(Meaning::URB);
    if let Descriptor::Immediate(value) = message.descriptor
        && !cache
        && value & 1 << 19 != 0
    {
        out.push('h');
    }
    out.push('+');
    match second {
        Some(length) => number(out, length),
        None => register(out, message.extended, "[10:6]"),
    }
    out.push_str(", rd:");
    match (message.descriptor, answer) {
        (Descriptor::Immediate(_), Some(length)) => number(out, length),
        (descriptor, _) => register(out, descriptor, "[24:20]"),
    }
    if rank < 20 {
        out.push_str("; ");
        match message.extended {
            Descriptor::Register(_) => {
                out.push_str("sfid ");
                register(out, message.extended, "[3:0]");
            }
            Descriptor::Immediate(value) => {
                let at = usize::try_from(value & 0xf).unwrap_or_default();
                out.push_str(SFID_PRE_XE_TEXT.get(at).copied().unwrap_or("?"));
            }
        }
    }
    let Descriptor::Immediate(descriptor) = message.descriptor else {
        return;
    };
    let input = MessageInput {
        rank,
        sfid,
        channels,
        descriptor,
        extended: message.extended,
        offset: message.offset,
    };
    let decoded = decode(&input);
    out.push_str("; ");
    if !decoded.error && !decoded.symbol.is_empty() {
        out.push_str(&decoded.symbol);
    } else if !decoded.description.is_empty() {
        out.push_str(&decoded.description);
    } else {
        out.push('?');
    }
    let register_bits = if rank >= 24 { 512 } else { 256 };
    coordinates(&decoded, first, register_bits, out);
}

fn decode(input: &MessageInput) -> Decoded {
    match input.sfid {
        Some(Meaning::UGM | Meaning::UGML | Meaning::SLM | Meaning::TGM) => cache::decode(input),
        Some(Meaning::URB) if input.rank >= 30 => cache::decode(input),
        Some(Meaning::DP_DC0 | Meaning::DP_DC1 | Meaning::DP_DCRO) => data::decode(input),
        _ => other::decode(input),
    }
}

/// Appends the names of the coordinates in a payload.
pub(super) fn coordinates(
    decoded: &Decoded,
    length: Option<u8>,
    register_bits: u32,
    out: &mut String,
) {
    let Some(length) = length else {
        return;
    };
    if !decoded.coordinates {
        return;
    }
    let each = (decoded.channels * decoded.address_bits / register_bits).max(1);
    out.push_str(match u32::from(length) / each {
        0 => "; ?",
        1 => "; u",
        2 => "; u,v",
        3 => "; u,v,r",
        4 if decoded.samples => "; u,v,r,si",
        4 => "; u,v,r,lod",
        _ => "; ???",
    });
}

/// Returns whether the destination is the null register.
pub(super) fn no_answer(i: &Instruction) -> bool {
    i.destination
        .is_some_and(|d| matches!(d.kind, OperandKind::Register { name, .. } if name.is_null()))
}
