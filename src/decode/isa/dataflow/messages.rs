//! Bytes that the messages of a kernel transfer, and messages that spill.

use std::collections::HashMap;

use super::build::DataFlow;
use super::footprint_messages::{cache_access, legacy_access, wide_access};
use crate::decode::isa::encoding::SendGroup;
use crate::decode::isa::instruction::{Descriptor, Instruction, Message};
use crate::decode::isa::message;
use crate::decode::isa::tables::{
    LSC_CACHE3_LOAD, LSC_CACHE3_STORE_ATOMIC, LSC64_CACHE_ATOMIC, LSC64_CACHE_LOAD,
    LSC64_CACHE_STORE, Meaning,
};
use crate::decode::isa::words::{MessageEffect, remarks};

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
        let rank = self.accesses.encoding.rank;
        let mut comment = String::new();
        message::comment(rank, &i, &m, &mut comment);
        let remarks = remarks(&i, &comment);
        let [first, second, _] = m.lengths;
        let sent = first.map_or(4, u16::from) + second.map_or(8, u16::from);
        Some(Facts {
            traffic: traffic(rank, &i, &m),
            spills: remarks.contains(&MessageEffect::Spill),
            fills: remarks.contains(&MessageEffect::Fill),
            sent,
        })
    }
}

fn traffic(rank: u8, i: &Instruction, m: &Message) -> Option<Traffic> {
    let (access, value) = match (&m.wide, m.descriptor) {
        (Some(wide), _) => (wide_access(m.sfid, wide.value), wide.value),
        (None, Descriptor::Immediate(value)) => {
            let access = cache_access(rank, m.sfid, value);
            (
                access.or_else(|| legacy_access(m.sfid, value)),
                value.into(),
            )
        }
        (None, Descriptor::Register(_)) => (None, 0),
    };
    let access = access?;
    let exec = u64::from(i.exec.map_or(1, |exec| exec.size).clamp(1, 32));
    let bytes = exec * u64::from(access.elements) * u64::from(access.memory);
    let (loaded, stored) = match access.group {
        SendGroup::Load => (bytes, 0),
        SendGroup::Store => (0, bytes),
        _ => (bytes, bytes),
    };
    let cache = match (access.op, m.sfid) {
        (None, _) | (_, Some(Meaning::SLM)) => "",
        _ if m.wide.is_some() => wide_cache(access.group, value),
        _ => cache(rank, access.group, value),
    };
    Some(Traffic {
        memory: m.sfid.map_or("", crate::decode::isa::parts::sfid_text),
        cache,
        messages: 1,
        loaded,
        stored,
    })
}

/// The cache setting of a descriptor of 32 bits.
fn cache(rank: u8, group: SendGroup, value: u64) -> &'static str {
    let load = group == SendGroup::Load;
    let list = if load {
        &LSC_CACHE3_LOAD
    } else {
        &LSC_CACHE3_STORE_ATOMIC
    };
    let code = match rank {
        30.. => match value >> 16 & 0xf {
            5 if load => return ".uc.cc",
            9 if load => return ".ca.cc",
            14 if load => return ".ri.ri",
            code => code >> 1,
        },
        _ => value >> 17 & 7,
    };
    let at = usize::try_from(code).unwrap_or(usize::MAX);
    list.get(at).copied().unwrap_or("")
}

/// The cache setting of a descriptor of 64 bits.
fn wide_cache(group: SendGroup, value: u64) -> &'static str {
    let list: &[(u8, &str)] = match group {
        SendGroup::Store => &LSC64_CACHE_STORE,
        SendGroup::Atomic => &LSC64_CACHE_ATOMIC,
        _ => &LSC64_CACHE_LOAD,
    };
    let code = value >> 16 & 0xf;
    let found = list.iter().find(|(c, _)| u64::from(*c) == code);
    found.filter(|(c, _)| *c != 0).map_or("", |(_, text)| *text)
}
