//! Bytes that the messages of a kernel transfer, and messages that spill.

use crate::encoding::Encoding;
use crate::instruction::Instruction;
use crate::message::{Action, Descriptor, Message, Scratch, Surface, sfid_text};
use crate::tables::{Meaning, SendOp};
use crate::words::MessageEffect;

/// The memory that messages access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Memory {
    /// Global memory, by address or through a surface of bytes.
    Global,
    /// Shared local memory.
    Local,
    /// Scratch memory of the thread.
    Scratch,
    /// Surfaces that are read through the cache for constants.
    Constant,
    /// Images and other surfaces whose elements have a format.
    Typed,
    /// Images, read by the sampler.
    Sampler,
    /// Render targets.
    Render,
    /// The unified return buffer.
    Urb,
    /// Global or shared local memory: the descriptor that determines it is in a register.
    Unknown,
}

impl Memory {
    /// The name: `global`, `slm`, `scratch`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Memory::Global => "global",
            Memory::Local => "slm",
            Memory::Scratch => "scratch",
            Memory::Constant => "constant",
            Memory::Typed => "typed",
            Memory::Sampler => "sampler",
            Memory::Render => "render",
            Memory::Urb => "urb",
            Memory::Unknown => "unknown",
        }
    }
}

/// Bytes that a message loads and stores, or the reason why they are unknown.
pub type Bytes = Result<(u64, u64), &'static str>;

/// Bytes that messages transfer for all channels of their execution size, by memory and cache
/// setting. Which channels the mask enables is known only at run time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Traffic {
    /// The memory.
    pub memory: Memory,
    /// The shared function: `ugm`, `slm`, `dc1`.
    pub function: &'static str,
    /// The cache setting as the assembler writes it: `.ca.cc`; empty by default.
    pub cache: &'static str,
    /// Number of messages.
    pub messages: u32,
    /// Number of these that only load into a cache. Their bytes are not counted.
    pub prefetches: u32,
    /// Bytes loaded and stored.
    pub bytes: Bytes,
}

/// Properties of a message.
#[derive(Clone, Copy, Debug)]
pub(super) struct Facts {
    pub traffic: Option<Traffic>,
    pub spills: bool,
    pub fills: bool,
    /// Number of registers that it sends.
    pub sent: u16,
    /// Number of registers that it receives.
    pub received: u16,
}

impl Facts {
    /// The facts of the message of an instruction.
    pub fn of(encoding: &Encoding, i: &Instruction, m: &Message) -> Facts {
        let effect = MessageEffect::of(m);
        let [first, second, received] = m.lengths;
        let has_result = i.destination.is_some_and(|to| !to.is_null());
        Facts {
            traffic: traffic(encoding.rank, encoding.grf_bytes, i, m),
            spills: effect == Some(MessageEffect::Spill),
            fills: effect == Some(MessageEffect::Fill),
            sent: first.map_or(4, u16::from) + second.map_or(8, u16::from),
            received: if has_result {
                received.map_or(8, u16::from)
            } else {
                0
            },
        }
    }
}

const INDIRECT: &str = "the descriptor is in a register";
const FORMAT: &str = "the surface determines the size";
const SAMPLED: &str = "the sampler reads as many texels as its state says";
const UNDECODED: &str = "the size of the message is not known";

/// The memory of a message; `None` if it accesses none.
fn memory(m: &Message) -> Option<Memory> {
    let request = &m.request;
    let is_scratch = request.scratch.is_some() || request.surface == Surface::Scratch;
    Some(match m.sfid? {
        Meaning::SLM => Memory::Local,
        Meaning::TGM => Memory::Typed,
        Meaning::UGM | Meaning::UGML if is_scratch => Memory::Scratch,
        Meaning::UGM | Meaning::UGML => Memory::Global,
        Meaning::DP_DC0 | Meaning::DP_DC1 | Meaning::DP_DC2 | Meaning::DP_DCRO
            if request.action == Action::Unknown =>
        {
            Memory::Unknown
        }
        _ if request.is_local => Memory::Local,
        Meaning::DP_DC0 | Meaning::DP_DC1 | Meaning::DP_DC2 if is_scratch => Memory::Scratch,
        Meaning::DP_DC1 if request.coordinates.is_some() => Memory::Typed,
        Meaning::DP_DC0 | Meaning::DP_DC1 | Meaning::DP_DC2 => Memory::Global,
        Meaning::DP_DCRO => Memory::Constant,
        Meaning::URB => Memory::Urb,
        Meaning::SAMPLER => Memory::Sampler,
        Meaning::DP_RC => Memory::Render,
        _ => return None,
    })
}

fn traffic(rank: u8, grf: u16, i: &Instruction, m: &Message) -> Option<Traffic> {
    let request = &m.request;
    let memory = memory(m)?;
    let is_access = match request.action {
        Action::Load | Action::Store | Action::Atomic | Action::Sample | Action::Unknown => true,
        // Fences and reads of a surface's state.
        Action::Fence | Action::Barrier | Action::EndOfThread => false,
        Action::Other => memory == Memory::Render,
    };
    if !is_access {
        return None;
    }
    let has_result = i.destination.is_some_and(|to| !to.is_null());
    // Loads without a destination only move lines into a cache.
    let is_prefetch =
        request.action == Action::Load && rank >= 22 && !has_result && request.op.is_some();
    let bytes = if is_prefetch {
        Ok((0, 0))
    } else {
        bytes(grf, i, m, memory, has_result)
    };
    let cache = match m.sfid {
        // Local memory is not cached; the bits of the setting mean nothing there.
        Some(Meaning::SLM) => None,
        _ => request.cache,
    };
    Some(Traffic {
        memory,
        function: m.sfid.map_or("", sfid_text),
        cache: cache.unwrap_or_default(),
        messages: 1,
        prefetches: u32::from(is_prefetch),
        bytes,
    })
}

fn bytes(grf: u16, i: &Instruction, m: &Message, memory: Memory, has_result: bool) -> Bytes {
    let request = &m.request;
    let is_indirect = m.wide.is_none() && matches!(m.descriptor, Descriptor::Register(_));
    let by_action = |bytes: u64| match request.action {
        Action::Load => (bytes, 0),
        Action::Store => (0, bytes),
        // Atomics do both.
        _ => (bytes, bytes),
    };
    match (request.action, memory) {
        (_, Memory::Sampler) => return Err(SAMPLED),
        _ if is_indirect => return Err(INDIRECT),
        (_, Memory::Render) => return Err(FORMAT),
        (Action::Unknown, _) => return Err(UNDECODED),
        _ => {}
    }
    let of_channels = request.access.map(|access| access.data);
    // Those of the load/store cache without addresses of the channels are blocks.
    let legacy = request.data.filter(|_| request.op.is_none());
    if let Some(data) = of_channels.or(legacy) {
        let exec = u64::from(i.exec.map_or(1, |exec| exec.size).clamp(1, 32));
        let elements = exec * u64::from(data.elements);
        return Ok(by_action(elements * u64::from(data.memory)));
    }
    if let Some(Scratch::Block { bytes, .. }) = request.scratch {
        return Ok(by_action(bytes.into()));
    }
    if let Some(block) = request.block {
        return Ok(by_action(block.bytes.into()));
    }
    let is_block = matches!(request.op, Some(SendOp::LoadBlock2d | SendOp::StoreBlock2d));
    if memory == Memory::Typed && !is_block {
        return Err(FORMAT);
    }
    // Blocks fill registers, those of two dimensions up to their padding.
    let [_, sent, received] = m.lengths;
    let registers = match request.action {
        Action::Load if has_result => received,
        Action::Store => sent,
        _ => None,
    };
    let registers = registers.filter(|count| *count > 0).ok_or(UNDECODED)?;
    Ok(by_action(u64::from(registers) * u64::from(grf)))
}
