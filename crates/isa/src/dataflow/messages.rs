//! Bytes that the messages of a kernel transfer, and messages that spill.

use std::collections::HashMap;

use super::build::DataFlow;
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

impl DataFlow {
    /// The facts of all messages, by row.
    pub(super) fn messages(&self) -> &HashMap<u32, Facts> {
        self.messages.get_or_init(|| {
            let rows = (0_u32..).zip(&self.rows).filter(|(_, row)| row.is_send);
            let facts = rows.filter_map(|(at, _)| Some((at, self.facts(at)?)));
            facts.collect()
        })
    }

    fn facts(&self, row: u32) -> Option<Facts> {
        let i = self.instruction(row)?;
        let m = i.message?;
        let effect = MessageEffect::of(&m);
        let [first, second, _] = m.lengths;
        // The lengths that IGA assumes if they are in a register.
        let sent = first.map_or(4, u16::from) + second.map_or(8, u16::from);
        Some(Facts {
            traffic: traffic(&i, &m),
            spills: effect == Some(MessageEffect::Spill),
            fills: effect == Some(MessageEffect::Fill),
            sent,
        })
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
