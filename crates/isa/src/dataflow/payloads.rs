//! The registers that messages send and receive.

use super::regset::Sizes;
use crate::instruction::Message;
use crate::message::Access;
use crate::tables::Meaning;

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

impl Payloads {
    /// The payloads of a message that runs on `exec` channels.
    pub fn of(rank: u8, sizes: Sizes, m: &Message, exec: u32) -> Payloads {
        let mut payloads = Payloads::whole(m);
        if m.wide.is_some() {
            payloads.of_wide(sizes, m, exec);
            return payloads;
        }
        match (&m.request.access, m.request.block) {
            (Some(access), _) if access.by_length => payloads.of_length(access, sizes, m, exec),
            (Some(access), _) => payloads.of_access(access, exec),
            (None, Some(block)) => {
                // The offset is in the third dword of the header, which is a whole register.
                payloads.answer = Payload::packed(block.bytes);
                payloads.sources[1] = Payload::packed(block.bytes);
            }
            (None, None) => {}
        }
        if rank >= 24 && m.request.has_header {
            // Xe-HPC uses such messages only for scratch memory. The header is r0, which kernels
            // preserve; the assembler counts it.
            // Lanes of dwords.
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
        self.answer = data(access, exec, 1);
        self.sources[1] = data(access, exec, if access.swaps { 2 } else { 1 });
    }

    /// A message whose number of elements follows from the length of the payload.
    fn of_length(&mut self, access: &Access, sizes: Sizes, m: &Message, exec: u32) {
        let size = u32::from(sizes.general);
        // Lanes of dwords.
        let lanes = exec.max(size / 4);
        let each = (lanes * access.data.register).div_ceil(size).max(1);
        let data = |length: Option<u8>| {
            let count = match length {
                Some(length) => u32::from(length) / each,
                None => access.data.elements,
            };
            Payload::Elements {
                count: count.max(1),
                bytes: exec * access.data.register,
            }
        };
        self.sources[0] = Payload::packed(exec * access.address);
        self.sources[1] = data(m.lengths[1]);
        self.answer = data(m.lengths[2]);
    }

    fn of_wide(&mut self, sizes: Sizes, m: &Message, exec: u32) {
        if let Some(access) = &m.request.access {
            self.of_access(access, exec);
            // For few channels, the descriptor determines the length of the addresses.
            let is_short = exec * access.address < sizes.general.into();
            if !access.data.transposed && is_short {
                self.sources[0] = Payloads::whole(m).sources[0];
            }
            return;
        }
        if m.sfid == Some(Meaning::GATEWAY) {
            self.sources[0] = Payload::packed(12);
        }
        if let Some(bytes) = m.request.response {
            self.answer = Payload::packed(bytes);
        }
    }
}

/// The payload of the data of an access; `values` for each channel and element.
fn data(access: &Access, exec: u32, values: u32) -> Payload {
    let data = &access.data;
    if data.transposed {
        Payload::packed(data.elements * exec * data.register)
    } else {
        Payload::Elements {
            count: data.elements * values,
            bytes: exec * data.register,
        }
    }
}
