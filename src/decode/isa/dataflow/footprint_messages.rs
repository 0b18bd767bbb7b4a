//! The registers that messages send and receive.

use super::regset::Sizes;
use crate::decode::isa::encoding::SendGroup;
use crate::decode::isa::instruction::{Descriptor, Instruction, Message, WideDescriptor};
use crate::decode::isa::message;
use crate::decode::isa::tables::{LSC, LSC64, Meaning, SendOp};

/// Number of registers that the assembler assumes if the length is in a register.
const ASSUMED: [u32; 3] = [4, 8, 8];

/// The registers of a payload, starting at its first one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Payload {
    /// Whole registers.
    Registers(u32),
    /// Whole registers of unknown number.
    Assumed(u32),
    /// Elements, each starting at a register boundary.
    Elements {
        /// Number of elements.
        count: u32,
        /// Bytes of an element.
        bytes: u32,
    },
}

impl Payload {
    fn packed(bytes: u32) -> Payload {
        Payload::Elements { count: 1, bytes }
    }
}

/// The payloads of a message.
#[derive(Clone, Copy, Debug)]
pub(super) struct Payloads {
    pub sources: [Payload; 2],
    pub answer: Payload,
}

/// A load, store or atomic operation on addresses of the channels.
#[derive(Clone, Copy, Debug)]
pub(super) struct Access {
    /// The operation, if it belongs to the load/store cache.
    pub op: Option<SendOp>,
    /// Load, store or atomic.
    pub group: SendGroup,
    /// Bytes of an address in a register.
    pub address: u32,
    /// Bytes of an element in a register.
    pub register: u32,
    /// Bytes of an element in memory.
    pub memory: u32,
    /// Elements at each address.
    pub elements: u32,
    /// Whether the elements of a channel are consecutive in a register.
    pub transposed: bool,
    /// Whether source 1 has two values per channel.
    pub swaps: bool,
}

impl Payloads {
    /// The payloads of a message that runs on `exec` channels.
    pub fn of(rank: u8, sizes: Sizes, i: &Instruction, m: &Message, exec: u32) -> Payloads {
        let mut payloads = Payloads::whole(m);
        if let Some(wide) = &m.wide {
            payloads.of_wide(sizes, i, m, wide, exec);
            return payloads;
        }
        let Descriptor::Immediate(descriptor) = m.descriptor else {
            return payloads;
        };
        if let Some(access) = cache_access(rank, m.sfid, descriptor) {
            payloads.of_access(&access, exec);
        } else if let Some(data) = header_block(m.sfid, descriptor) {
            // The offset is in the third dword of the header, which is a whole register.
            payloads.answer = Payload::packed(data);
            payloads.sources[1] = Payload::packed(data);
        } else if let Some(access) = legacy_access(m.sfid, descriptor) {
            payloads.of_legacy(&access, sizes, m, exec);
        }
        if rank >= 24 && has_header(m.sfid, descriptor) {
            // Xe-HPC uses such messages only for scratch memory. The header is r0, which kernels
            // preserve; the assembler counts it.
            payloads.sources[0] = Payload::packed(4);
        }
        payloads
    }

    /// The payloads by the lengths in the word.
    fn whole(m: &Message) -> Payloads {
        let [first, second, answer] = m.lengths;
        let payload = |length: Option<u8>, at: usize| match length {
            Some(length) => Payload::Registers(length.into()),
            None => Payload::Assumed(ASSUMED.get(at).copied().unwrap_or(8)),
        };
        Payloads {
            sources: [payload(first, 0), payload(second, 1)],
            answer: payload(answer, 2),
        }
    }

    fn of_access(&mut self, access: &Access, exec: u32) {
        self.sources[0] = Payload::packed(exec * access.address);
        self.answer = access.data(exec, 1);
        self.sources[1] = access.data(exec, if access.swaps { 2 } else { 1 });
    }

    /// A message of the data ports before the load/store cache. The number of elements follows from
    /// the length of the payload.
    fn of_legacy(&mut self, access: &Access, sizes: Sizes, m: &Message, exec: u32) {
        let size = u32::from(sizes.general);
        // Lanes of dwords.
        let lanes = exec.max(size / 4);
        let each = (lanes * access.register).div_ceil(size).max(1);
        let data = |length: Option<u8>| {
            let count = match length {
                Some(length) => u32::from(length) / each,
                None => access.elements,
            };
            Payload::Elements {
                count: count.max(1),
                bytes: exec * access.register,
            }
        };
        self.sources[0] = Payload::packed(exec * access.address);
        self.sources[1] = data(m.lengths[1]);
        self.answer = data(m.lengths[2]);
    }

    fn of_wide(
        &mut self,
        sizes: Sizes,
        i: &Instruction,
        m: &Message,
        wide: &WideDescriptor,
        exec: u32,
    ) {
        if let Some(access) = wide_access(m.sfid, wide.value) {
            self.of_access(&access, exec);
            // For few channels, the descriptor determines the length of the addresses.
            let is_short = exec * access.address < sizes.general.into();
            if !access.transposed && is_short {
                self.sources[0] = Payloads::whole(m).sources[0];
            }
            return;
        }
        if m.sfid == Some(Meaning::GATEWAY) {
            self.sources[0] = Payload::packed(12);
        }
        let bytes = message::answer(i, m, wide, exec);
        if let Some(bytes) = bytes {
            self.answer = Payload::packed(bytes);
        }
    }
}

impl Access {
    /// The payload of the data; `values` for each channel and element.
    fn data(&self, exec: u32, values: u32) -> Payload {
        if self.transposed {
            Payload::packed(self.elements * exec * self.register)
        } else {
            Payload::Elements {
                count: self.elements * values,
                bytes: exec * self.register,
            }
        }
    }
}

/// Number of elements of a vector.
fn vector_length(code: u32) -> u32 {
    const LENGTHS: [u32; 8] = [1, 2, 3, 4, 8, 16, 32, 64];
    let at = usize::try_from(code).unwrap_or(usize::MAX);
    LENGTHS.get(at).copied().unwrap_or(1)
}

/// Bytes of an element: in memory, in a register.
fn element_bytes(code: u32) -> Option<(u32, u32)> {
    const SIZES: [(u32, u32); 7] = [(1, 1), (2, 2), (4, 4), (8, 8), (1, 4), (2, 4), (2, 4)];
    SIZES.get(usize::try_from(code).ok()?).copied()
}

/// Whether the operation sends or receives an element for each address.
fn is_vector(op: SendOp) -> bool {
    !matches!(
        op,
        SendOp::LoadBlock2d
            | SendOp::StoreBlock2d
            | SendOp::LoadStatus
            | SendOp::LoadQuadStatus
            | SendOp::LoadStrided
            | SendOp::StoreStrided
    )
}

fn swaps(op: SendOp) -> bool {
    matches!(
        op,
        SendOp::AtomicIcas | SendOp::AtomicFcas | SendOp::AtomicBfcas
    )
}

/// Width of a field in a descriptor.
fn bits(value: u64, low: u32, width: u32) -> u32 {
    u32::try_from((value >> low) & ((1 << width) - 1)).unwrap_or_default()
}

/// A message to the load/store cache. Returns `None` for messages without addresses of the channels,
/// for blocks, and for typed surfaces, whose addresses are coordinates.
pub(super) fn cache_access(rank: u8, sfid: Option<Meaning>, descriptor: u32) -> Option<Access> {
    match sfid? {
        Meaning::UGM | Meaning::UGML | Meaning::SLM => {}
        Meaning::URB if rank >= 30 => {}
        _ => return None,
    }
    let value = u64::from(descriptor);
    let code = bits(value, 0, 6);
    let (_, (op, _)) = LSC.iter().find(|(c, _)| u32::from(*c) == code)?;
    let info = op.info();
    if info.group == SendGroup::Other || !is_vector(*op) {
        return None;
    }
    let (memory, register) = element_bytes(bits(value, 9, 3))?;
    let (elements, transposed) = if info.component_mask {
        (bits(value, 12, 4).count_ones(), false)
    } else {
        (vector_length(bits(value, 12, 3)), bits(value, 15, 1) != 0)
    };
    let address = match bits(value, 7, 2) {
        1 => 2,
        2 => 4,
        3 => 8,
        _ => return None,
    };
    Some(Access {
        op: Some(*op),
        group: info.group,
        address,
        register,
        memory,
        elements,
        transposed,
        swaps: swaps(*op),
    })
}

/// A message to the load/store cache with a 64-bit descriptor.
pub(super) fn wide_access(sfid: Option<Meaning>, value: u64) -> Option<Access> {
    let global = sfid? == Meaning::UGM;
    if !global && !matches!(sfid?, Meaning::SLM | Meaning::URB) {
        return None;
    }
    let code = bits(value, 0, 6);
    let (_, op) = LSC64.iter().find(|(c, _)| u32::from(*c) == code)?;
    let info = op.info();
    if info.group == SendGroup::Other || !is_vector(*op) {
        return None;
    }
    let (memory, register) = element_bytes(bits(value, 11, 3))?;
    let (elements, transposed) = if info.component_mask {
        (bits(value, 7, 4).count_ones(), false)
    } else {
        (vector_length(bits(value, 7, 3)), bits(value, 10, 1) != 0)
    };
    let address = if global && bits(value, 14, 2) == 2 {
        8
    } else {
        4
    };
    Some(Access {
        op: Some(*op),
        group: info.group,
        address,
        register,
        memory,
        elements,
        transposed,
        swaps: swaps(*op),
    })
}

/// The bytes of a block that a message with a header reads or writes. Returns `None` for other
/// messages, and for blocks of partial bytes.
pub(super) fn header_block(sfid: Option<Meaning>, descriptor: u32) -> Option<u32> {
    let value = u64::from(descriptor);
    let owords = || match bits(value, 8, 3) {
        0 => Some(16),
        2 => Some(32),
        3 => Some(64),
        4 => Some(128),
        5 => Some(256),
        _ => None,
    };
    if bits(value, 19, 1) == 0 {
        return None;
    }
    let kind = bits(value, 14, 5);
    match (sfid?, kind) {
        (Meaning::DP_DC0, 1) if bits(value, 13, 1) != 0 => None,
        (Meaning::DP_DC0, 0 | 1 | 8) | (Meaning::DP_DCRO, 0 | 1) => owords(),
        (Meaning::DP_DC1, 20 | 21) if matches!(bits(value, 11, 2), 0 | 1) => owords(),
        _ => None,
    }
}

/// Whether a message to the data ports before the load/store cache has a header.
fn has_header(sfid: Option<Meaning>, descriptor: u32) -> bool {
    let is_data_port = matches!(sfid, Some(Meaning::DP_DC0 | Meaning::DP_DC1));
    is_data_port && descriptor >> 19 & 1 != 0
}

/// A message to the data ports before the load/store cache, on addresses of the channels and
/// without header.
pub(super) fn legacy_access(sfid: Option<Meaning>, descriptor: u32) -> Option<Access> {
    let value = u64::from(descriptor);
    if bits(value, 19, 1) != 0 {
        return None;
    }
    let kind = bits(value, 14, 5);
    let access = |group, address, register, elements| {
        Some(Access {
            op: None,
            group,
            address,
            register,
            memory: register,
            elements,
            transposed: false,
            swaps: false,
        })
    };
    let blocks = |at| 1 << bits(value, at, 2);
    let enabled = 4 - bits(value, 8, 4).count_ones();
    use SendGroup::{Atomic, Load, Store};
    match (sfid?, kind) {
        (Meaning::DP_DC0, 4) => access(Load, 4, 4, 1),
        (Meaning::DP_DC0, 12) => access(Store, 4, 4, 1),
        (Meaning::DP_DC0, 3) | (Meaning::DP_DCRO, 3) => access(Load, 4, 4, blocks(10)),
        (Meaning::DP_DC0, 11) => access(Store, 4, 4, blocks(10)),
        (Meaning::DP_DC0, 5) => access(Load, 4, 8, blocks(10)),
        (Meaning::DP_DC0, 13) => access(Store, 4, 8, blocks(10)),
        (Meaning::DP_DC1, 1) => access(Load, 4, 4, enabled),
        (Meaning::DP_DC1, 9) => access(Store, 4, 4, enabled),
        (Meaning::DP_DC1, 17) => access(Load, 8, 4, enabled),
        (Meaning::DP_DC1, 25) => access(Store, 8, 4, enabled),
        (Meaning::DP_DC1, 16 | 26) => {
            let group = if kind == 16 { Load } else { Store };
            match bits(value, 8, 2) {
                0 => access(group, 8, 4, 1),
                1 => access(group, 8, 4, blocks(10)),
                2 => access(group, 8, 8, blocks(10)),
                _ => None,
            }
        }
        (Meaning::DP_DC1, 18) => {
            let size = if bits(value, 12, 1) != 0 { 8 } else { 4 };
            access(Atomic, 8, size, 1)
        }
        (Meaning::DP_DC1, 2 | 3 | 27 | 28) => access(Atomic, 4, 4, 1),
        (Meaning::DP_DC1, 19 | 29 | 30) => access(Atomic, 8, 4, 1),
        _ => None,
    }
}
