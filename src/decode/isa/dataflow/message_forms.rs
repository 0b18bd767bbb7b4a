//! The parts of a message that determine what it accesses: its address and its surface.

use super::build::DataFlow;
use super::footprint_messages::{cache_access, header_block, legacy_access, wide_access};
use super::regset::{Piece, RegisterFile};
use crate::decode::isa::encoding::SendGroup;
use crate::decode::isa::instruction::{Descriptor, Instruction, Message, OperandKind};
use crate::decode::isa::tables::Meaning;
use crate::decode::isa::word::sign_extend;

/// The surface of messages without a surface, and of those with addresses relative to the start of
/// the device's memory for kernels.
const STATELESS: [u32; 2] = [253, 255];

/// The parts of a message that determine its address.
pub(super) struct Form {
    /// The register with the address and its size in bytes.
    pub address: Piece,
    /// The scalar register with a further address.
    pub base: Option<Piece>,
    pub offset: i64,
    /// Number of consecutive bytes, if it accesses a block.
    pub block: Option<u32>,
    pub loads: bool,
    /// Whether the address is relative to the start of the memory for kernels.
    pub is_relative: bool,
}

impl DataFlow {
    /// The form of a message. Returns `None` if it has no address, or no constant descriptor.
    pub(super) fn form(&self, i: &Instruction) -> Option<Form> {
        let m = i.message.as_ref()?;
        let exec = i.exec.map_or(1, |exec| exec.size).clamp(1, 32);
        let register = |file: RegisterFile, at: u32, bytes: u32| self.piece_at(file, at, bytes);
        let number = match i.sources.first().filter(|_| i.source_count > 0)?.kind {
            OperandKind::Register { number, .. } | OperandKind::Payload { number, .. } => number,
            _ => return None,
        };
        let start = u32::from(number) * u32::from(self.sizes().general);
        if let Some(wide) = &m.wide {
            let access = wide_access(m.sfid.filter(|s| *s == Meaning::UGM), wide.value)?;
            let scale = wide.value >> 44 & 3;
            let is_block = access.transposed && exec == 1 && access.memory == access.register;
            // Surfaces have no address.
            if wide.value >> 14 & 3 == 3 {
                return None;
            }
            let base = wide.indirect[0]?;
            let elements = sign_extend(wide.value >> 22, 22).cast_signed();
            let is_scaled = scale != 0;
            return Some(Form {
                address: register(RegisterFile::General, start, access.address)?,
                base: Some(register(RegisterFile::Scalar, base.into(), 8)?),
                offset: elements * i64::from(access.memory),
                block: (is_block && !is_scaled).then_some(access.elements * access.memory),
                loads: access.group == SendGroup::Load,
                is_relative: false,
            });
        }
        let Descriptor::Immediate(descriptor) = m.descriptor else {
            return None;
        };
        let rank = self.accesses.encoding.rank;
        if let Some(access) = cache_access(rank, m.sfid.filter(|s| *s == Meaning::UGM), descriptor)
        {
            let kind = descriptor >> 29 & 3;
            let surface = match m.extended {
                Descriptor::Immediate(value) => Some(value >> 24),
                Descriptor::Register(_) => None,
            };
            let is_relative = kind == 3 && surface.is_some_and(|s| STATELESS.contains(&s));
            if kind != 0 && !is_relative {
                return None;
            }
            let is_block = access.transposed && exec == 1 && access.memory == access.register;
            return Some(Form {
                address: register(RegisterFile::General, start, access.address)?,
                base: None,
                offset: cache_offset(rank, kind, m),
                block: is_block.then_some(access.elements * access.memory),
                loads: access.group == SendGroup::Load,
                is_relative,
            });
        }
        let legacy = legacy_access(m.sfid, descriptor);
        if let Some(access) = legacy.filter(|access| access.address == 8) {
            return Some(Form {
                address: register(RegisterFile::General, start, access.address)?,
                base: None,
                offset: 0,
                block: None,
                loads: access.group == SendGroup::Load,
                is_relative: false,
            });
        }
        // The offset is in the third dword of the header.
        let bytes = header_block(m.sfid.filter(|s| *s == Meaning::DP_DC0), descriptor)?;
        let is_aligned_read = descriptor >> 14 & 0x1f == 1;
        (is_aligned_read && STATELESS.contains(&(descriptor & 0xff))).then_some(Form {
            address: register(RegisterFile::General, start + 8, 4)?,
            base: None,
            offset: 0,
            block: Some(bytes),
            loads: true,
            is_relative: true,
        })
    }

    /// The surface of a message by its index in the binding table.
    pub(super) fn surface(&self, row: u32) -> Option<u32> {
        let i = self.instruction(row)?;
        let m = i.message.as_ref()?;
        let (Descriptor::Immediate(descriptor), None) = (m.descriptor, &m.wide) else {
            return None;
        };
        let rank = self.accesses.encoding.rank;
        let kind = descriptor >> 14 & 0x1f;
        let has_surface = match m.sfid? {
            Meaning::UGM | Meaning::UGML | Meaning::TGM => {
                let Descriptor::Immediate(extended) = m.extended else {
                    return None;
                };
                let is_fence = descriptor & 0x3f == 31;
                return (descriptor >> 29 & 3 == 3 && !is_fence).then_some(extended >> 24);
            }
            Meaning::DP_DC0 => matches!(kind, 0..=5 | 8..=13),
            Meaning::DP_DC1 => matches!(kind, 1..=14 | 27 | 28),
            Meaning::DP_DCRO => matches!(kind, 0 | 1 | 3),
            Meaning::SAMPLER => rank < 43,
            _ => false,
        };
        has_surface.then_some(descriptor & 0xff)
    }
}

/// The constant that a message to the load/store cache adds to its addresses.
fn cache_offset(rank: u8, kind: u32, m: &Message) -> i64 {
    if rank < 30 {
        return 0;
    }
    let signed = |value: u32, width| sign_extend(value.into(), width).cast_signed();
    match (kind, m.extended) {
        (0, Descriptor::Immediate(value)) => signed(value >> 12, 20),
        (0, Descriptor::Register(_)) => signed(m.offset >> 12, 20),
        (3, Descriptor::Immediate(value)) => signed(value >> 12 & 0xfff, 12),
        _ => 0,
    }
}
