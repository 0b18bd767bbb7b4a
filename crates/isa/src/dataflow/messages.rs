//! Bytes that the messages of a kernel transfer, and messages that spill.

use crate::encoding::SendGroup;
use crate::instruction::Instruction;
use crate::message::{Message, sfid_text};
use crate::tables::Meaning;
use crate::words::MessageEffect;

/// Bytes that messages transfer for all channels, by memory and cache setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Traffic {
    /// The shared function: `ugm`, `slm`, `dc1`.
    pub memory: &'static str,
    /// The cache setting as the assembler writes it: `.ca.cc`; empty by default.
    pub cache: &'static str,
    /// Number of messages.
    pub messages: u32,
    /// Bytes loaded.
    pub loaded: u64,
    /// Bytes stored.
    pub stored: u64,
}

/// Properties of a message.
#[derive(Clone, Copy, Debug)]
pub(super) struct Facts {
    pub traffic: Option<Traffic>,
    pub spills: bool,
    pub fills: bool,
    /// Number of registers that it sends.
    pub sent: u16,
}

impl Facts {
    /// The facts of the message of an instruction.
    pub fn of(i: &Instruction, m: &Message) -> Facts {
        let effect = MessageEffect::of(m);
        let [first, second, _] = m.lengths;
        Facts {
            traffic: traffic(i, m),
            spills: effect == Some(MessageEffect::Spill),
            fills: effect == Some(MessageEffect::Fill),
            sent: first.map_or(4, u16::from) + second.map_or(8, u16::from),
        }
    }
}

fn traffic(i: &Instruction, m: &Message) -> Option<Traffic> {
    let access = m.request.access?;
    let exec = u64::from(i.exec.map_or(1, |exec| exec.size).clamp(1, 32));
    let bytes = exec * u64::from(access.data.elements) * u64::from(access.data.memory);
    let (loaded, stored) = match access.group {
        SendGroup::Load => (bytes, 0),
        SendGroup::Store => (0, bytes),
        // Atomics do both.
        _ => (bytes, bytes),
    };
    let cache = match m.sfid {
        // Local memory is not cached; the bits of the setting mean nothing there.
        Some(Meaning::SLM) => None,
        _ => m.request.cache,
    };
    Some(Traffic {
        memory: m.sfid.map_or("", sfid_text),
        cache: cache.unwrap_or_default(),
        messages: 1,
        loaded,
        stored,
    })
}
