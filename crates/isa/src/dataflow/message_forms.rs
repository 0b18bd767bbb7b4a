//! The parts of a message that determine what it accesses: its address and its surface.

use super::build::DataFlow;
use super::regset::{Piece, RegisterFile};
use crate::encoding::SendGroup;
use crate::instruction::{Instruction, OperandKind};
use crate::message::{Action, Offset, Surface};
use crate::tables::Meaning;

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
        let request = &m.request;
        let stateless =
            |surface| matches!(surface, Surface::Table(Some(index)) if STATELESS.contains(&index));
        if let Some(access) = &request.access {
            let is_global = m.sfid == Some(Meaning::UGM);
            // Older devices have 64-bit addresses only in global memory.
            if !(is_global || access.by_length && access.address == 8) {
                return None;
            }
            let is_relative = is_global && stateless(request.surface);
            // Other surfaces have no address.
            if is_global && !is_relative && request.surface != Surface::Flat {
                return None;
            }
            let base = match &m.wide {
                Some(wide) => Some(register(RegisterFile::Scalar, wide.indirect[0]?.into(), 8)?),
                None => None,
            };
            let data = &access.data;
            // Transposed messages of one channel access consecutive bytes; with a scale or a
            // conversion, memory and registers have different layouts.
            let is_block =
                data.transposed && exec == 1 && data.memory == data.register && access.scale == 0;
            return Some(Form {
                address: register(RegisterFile::General, start, access.address)?,
                base,
                offset: match request.offset {
                    Offset::Bytes(bytes) => bytes,
                    _ => 0,
                },
                block: is_block.then_some(data.elements * data.memory),
                loads: access.group == SendGroup::Load,
                is_relative,
            });
        }
        // The offset is in the third dword of the header.
        let block = request.block.filter(|block| block.aligned)?;
        let is_read = m.sfid == Some(Meaning::DP_DC0) && request.action == Action::Load;
        (is_read && stateless(request.surface)).then_some(Form {
            address: register(RegisterFile::General, start + 8, 4)?,
            base: None,
            offset: 0,
            block: Some(block.bytes),
            loads: true,
            is_relative: true,
        })
    }

    /// The surface of a message by its index in the binding table.
    pub(super) fn surface(&self, row: u32) -> Option<u32> {
        let m = self.instruction(row)?.message?;
        match (m.sfid?, m.request.surface) {
            // These have one memory.
            (Meaning::SLM | Meaning::URB, _) => None,
            (_, Surface::Table(index)) => index,
            _ => None,
        }
    }
}
