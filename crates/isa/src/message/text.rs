//! The assembler's text of messages.

use super::cache::{CacheForm, FenceForm, StateForm};
use super::data::{PortFence, Tail};
use super::other::{RenderForm, RenderXe2Form, SamplerForm};
use super::wide::WideForm;
use super::wide_other::{WideRenderForm, WideSamplerForm};
use super::{Descriptor, Message, Offset, Request};
use crate::number::{push_decimal, push_signed, push_signed_hex};
use crate::tables::{Meaning, SFID_PRE_XE_TEXT};

/// What the text of a message is written from.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) enum Form {
    /// The bits have no meaning.
    #[default]
    Unknown,
    /// A name.
    Name(&'static str),
    /// A name in two parts.
    Pair(&'static str, &'static str),
    /// A name, and what is added to it.
    Named(&'static str, Tail),
    Cache(CacheForm),
    Fence(FenceForm),
    State(StateForm),
    ReadState {
        is_invalid: bool,
    },
    PortFence(PortFence),
    /// Threads: what precedes the number of channels, the number, and what follows.
    Threads(&'static str, u32, &'static str),
    Sampler(SamplerForm),
    Render(RenderForm),
    RenderXe2(RenderXe2Form),
    Wide(WideForm),
    WideFence {
        op: u32,
        scope: u32,
    },
    WideRender(WideRenderForm),
    WideSampler(WideSamplerForm),
}

/// Appends a decimal number.
pub(super) fn number(out: &mut String, value: impl Into<u64>) {
    push_decimal(out, value.into());
}

/// Returns the text with this number.
pub(super) fn entry<'a>(list: &[&'a str], at: u32) -> Option<&'a str> {
    list.get(usize::try_from(at).unwrap_or(usize::MAX)).copied()
}

/// Appends the letters whose bits are set.
pub(super) fn letters(letters: &str, mask: u32, out: &mut String) {
    for (at, letter) in letters.chars().enumerate() {
        if mask & 1 << at != 0 {
            out.push(letter);
        }
    }
}

impl Offset {
    /// Appends the offset with its sign; nothing if there is none.
    pub(super) fn write(self, out: &mut String) {
        match self {
            Offset::None => {}
            Offset::Bytes(bytes) => {
                if bytes >= 0 {
                    out.push('+');
                }
                push_signed_hex(out, bytes);
            }
            Offset::Block(x, y) => {
                out.push_str("+(");
                push_signed_hex(out, x);
                out.push(',');
                push_signed_hex(out, y);
                out.push(')');
            }
            Offset::Coordinates(all) => {
                out.push('+');
                coordinate_offset(all, out);
            }
        }
    }
}

/// Appends offsets of coordinates: `(1,0,0)`.
pub(super) fn coordinate_offset(all: [i64; 3], out: &mut String) {
    let mut separator = '(';
    for one in all {
        out.push(separator);
        push_signed(out, one);
        separator = ',';
    }
    out.push(')');
}

/// Appends the comment of a send.
pub(crate) fn comment(rank: u8, message: &Message, out: &mut String) {
    if message.wide.is_some() {
        if let Some(bytes) = message.request.response {
            out.push_str("rd:");
            number(out, bytes);
            out.push_str(" B; ");
        }
        operation(message, out);
        coordinates(message, 512, out);
        return;
    }
    lengths(rank, message, out);
    if rank < 20 {
        out.push_str("; ");
        shared_function(message, out);
    }
    if let Descriptor::Register(_) = message.descriptor {
        return;
    }
    out.push_str("; ");
    operation(message, out);
    coordinates(message, if rank >= 24 { 512 } else { 256 }, out);
}

/// Appends the name of a message, without sizes, caches and addresses: `load.ugm`.
pub(crate) fn name(rank: u8, message: &Message, out: &mut String) {
    match (message.descriptor, message.request.form) {
        (Descriptor::Register(_), _) if rank >= 20 => out.push_str("by register"),
        (Descriptor::Register(_), _) | (_, Form::Unknown) if rank < 20 => {
            shared_function(message, out);
        }
        _ => {
            let end = operation(message, out);
            out.truncate(end);
        }
    }
}

/// Appends the part of the comment that identifies what a message does: its operation and its
/// address, without numbers of registers where it can.
pub(crate) fn identity(rank: u8, message: &Message, out: &mut String) {
    match message.descriptor {
        Descriptor::Register(_) if rank < 20 => shared_function(message, out),
        Descriptor::Register(_) => lengths(rank, message, out),
        Descriptor::Immediate(_) => {
            operation(message, out);
        }
    }
}

/// Appends bits of a descriptor in a register.
fn register(out: &mut String, descriptor: Descriptor, bits: &str) {
    match descriptor {
        Descriptor::Register(sub) => {
            out.push_str("a0.");
            number(out, sub);
            out.push_str(bits);
        }
        Descriptor::Immediate(_) => out.push('?'),
    }
}

/// Appends the lengths of the payloads and of the response.
fn lengths(rank: u8, message: &Message, out: &mut String) {
    let [first, second, answer] = message.lengths;
    let sfid = message.sfid;
    out.push_str("wr:");
    match first {
        Some(length) => number(out, length),
        None => register(out, message.descriptor, "[28:25]"),
    }
    // Bit 19 marks a header, except in messages to the load/store cache, which have none (for URB
    // only from Xe3 on, as in the assembler).
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
}

/// Appends the shared function, before Xe.
fn shared_function(message: &Message, out: &mut String) {
    match message.extended {
        Descriptor::Register(_) => {
            out.push_str("sfid ");
            register(out, message.extended, "[3:0]");
        }
        Descriptor::Immediate(value) => {
            out.push_str(entry(&SFID_PRE_XE_TEXT, value & 0xf).unwrap_or("?"));
        }
    }
}

/// Appends the operation and its address. Returns the end of its name.
fn operation(message: &Message, out: &mut String) -> usize {
    let sfid = message.sfid;
    let start = out.len();
    let request = &message.request;
    let end = match request.form {
        Form::Unknown => out.len(),
        Form::Name(name) => {
            out.push_str(name);
            out.len()
        }
        Form::Pair(name, more) => {
            out.push_str(name);
            out.push_str(more);
            out.len()
        }
        Form::Named(name, tail) => {
            out.push_str(name);
            tail.write(out)
        }
        Form::Cache(form) => form.write(message, out),
        Form::Fence(form) => form.write(sfid, out),
        Form::State(form) => form.write(message, out),
        Form::ReadState { is_invalid } => super::cache::read_state(is_invalid, message, out),
        Form::PortFence(fence) => fence.write(out),
        Form::Threads(before, channels, after) => {
            out.push_str(before);
            number(out, channels);
            out.push_str(after);
            out.len()
        }
        Form::Sampler(form) => form.write(out),
        Form::Render(form) => form.write(out),
        Form::RenderXe2(form) => form.write(out),
        Form::Wide(form) => form.write(message, out),
        Form::WideFence { op, scope } => super::wide::fence(sfid, op, scope, out),
        Form::WideRender(form) => form.write(out),
        Form::WideSampler(form) => form.write(out),
    };
    if out.len() == start {
        out.push_str(if message.wide.is_some() { "???" } else { "?" });
        return out.len();
    }
    end
}

/// Appends the names of the coordinates in the payload.
fn coordinates(message: &Message, register_bits: u32, out: &mut String) {
    let Request { coordinates, .. } = message.request;
    let (Some(length), Some(coordinates)) = (message.lengths[0], coordinates) else {
        return;
    };
    let each = (coordinates.channels * coordinates.bits / register_bits).max(1);
    out.push_str(match u32::from(length) / each {
        0 => "; ?",
        1 => "; u",
        2 => "; u,v",
        3 => "; u,v,r",
        4 if coordinates.samples => "; u,v,r,si",
        4 => "; u,v,r,lod",
        _ => "; ???",
    });
}

/// Returns the short name of a shared function; empty if it has none.
pub(crate) fn sfid_text(sfid: Meaning) -> &'static str {
    match sfid {
        Meaning::NULL => "null",
        Meaning::SAMPLER => "smpl",
        Meaning::GATEWAY => "gtwy",
        Meaning::DP_DC2 => "dc2",
        Meaning::DP_RC => "rc",
        Meaning::URB => "urb",
        Meaning::SPAWNER => "ts",
        Meaning::VME => "vme",
        Meaning::DP_DCRO => "dcro",
        Meaning::DP_DC0 => "dc0",
        Meaning::PI => "pixi",
        Meaning::DP_DC1 => "dc1",
        Meaning::CRE => "cre",
        Meaning::BTD => "btd",
        Meaning::RTA => "rta",
        Meaning::TGM => "tgm",
        Meaning::SLM => "slm",
        Meaning::UGM => "ugm",
        Meaning::UGML => "ugml",
        _ => "",
    }
}
