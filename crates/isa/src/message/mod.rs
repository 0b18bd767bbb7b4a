//! Messages: what they do, decoded once from their descriptors, and the assembler's text of it.
//!
//! `decode` returns a [`Request`]. The counts, the data flow and the descriptions read it, and
//! `comment` writes it in the format of the Intel Graphics Assembler.

mod cache;
mod data;
mod other;
mod text;
mod wide;
mod wide_other;

pub(super) use text::{comment, identity, name, sfid_text};

use super::encoding::SendGroup;
use super::tables::{Meaning, SendOp};
use text::Form;

/// Number of elements at an address, by its code in a descriptor.
const LENGTHS: [u32; 8] = [1, 2, 3, 4, 8, 16, 32, 64];

/// A descriptor of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Descriptor {
    /// Its value.
    Immediate(u32),
    /// The subregister of the address register that contains it.
    Register(u16),
}

/// A message to a shared function.
#[derive(Clone, Copy, Debug)]
pub struct Message {
    /// The shared function, if it has a name.
    pub sfid: Option<Meaning>,
    /// The descriptor.
    pub descriptor: Descriptor,
    /// The bits of the descriptor.
    pub descriptor_bits: u128,
    /// The extended descriptor.
    pub extended: Descriptor,
    /// The bits of the extended descriptor.
    pub extended_bits: u128,
    /// The offset added to the address if the extended descriptor is in a register.
    pub offset: u32,
    /// The lengths of the payloads and of the response in registers, if the word specifies them.
    pub lengths: [Option<u8>; 3],
    /// The 64-bit descriptor of a `sendg`.
    pub wide: Option<WideDescriptor>,
    /// What the descriptors ask for.
    pub request: Request,
}

/// A 64-bit descriptor.
#[derive(Clone, Copy, Debug)]
pub struct WideDescriptor {
    /// Its value.
    pub value: u64,
    /// The subregisters of the scalar register with the indirect descriptors.
    pub indirect: [Option<u16>; 2],
    /// The bits of the value and of the two subregisters.
    pub bits: [u128; 3],
}

/// What a message does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Action {
    /// Unknown: the descriptor is in a register, or its bits have no meaning.
    #[default]
    Unknown,
    /// Reads memory.
    Load,
    /// Writes memory.
    Store,
    /// Reads and writes memory in one step.
    Atomic,
    /// Orders accesses to memory.
    Fence,
    /// Signals, saves or restores a barrier.
    Barrier,
    /// Reads an image with the sampler.
    Sample,
    /// Ends the thread.
    EndOfThread,
    /// Anything else.
    Other,
}

/// The scratch memory that a message reads or writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scratch {
    /// A block at a constant offset in bytes, whose base is in the header.
    Block {
        /// Its offset.
        offset: i64,
        /// Its size in bytes.
        bytes: u32,
    },
    /// The scratch surface, at the address in the payload.
    Surface,
}

/// What the addresses of a message are relative to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Surface {
    /// Unknown, or the message has no addresses in a surface.
    #[default]
    None,
    /// Nothing: addresses are those of the memory.
    Flat,
    /// A surface by the address of its state.
    Bindless,
    /// The scratch surface, or another one by its state's offset.
    Scratch,
    /// A surface by its index in the binding table; `None` if the index is in a register.
    Table(Option<u32>),
}

impl Surface {
    /// By the code in a 32-bit descriptor of the load/store cache.
    fn of(code: u32, extended: Descriptor) -> Surface {
        match (code, extended) {
            (0, _) => Surface::Flat,
            (1, _) => Surface::Bindless,
            (2, _) => Surface::Scratch,
            (_, Descriptor::Immediate(value)) => Surface::Table(Some(value >> 24)),
            (_, Descriptor::Register(_)) => Surface::Table(None),
        }
    }
}

/// The data at an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Data {
    /// Bytes of an element in memory.
    pub memory: u32,
    /// Bytes of an element in a register.
    pub register: u32,
    /// Number of elements.
    pub elements: u32,
    /// Whether the elements of a channel are consecutive in a register.
    pub transposed: bool,
}

impl Data {
    /// The data of a message to the load/store cache, by the code of the size. Returns `None` if the
    /// code has no meaning.
    fn of(size: u32, elements: u32, transposed: bool) -> Option<Data> {
        const SIZES: [(u32, u32); 7] = [(1, 1), (2, 2), (4, 4), (8, 8), (1, 4), (2, 4), (2, 4)];
        let (memory, register) = *SIZES.get(usize::try_from(size).ok()?)?;
        Some(Data {
            memory,
            register,
            elements,
            transposed,
        })
    }
}

/// A load, store or atomic operation on addresses of the channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// Load, store or atomic.
    pub group: SendGroup,
    /// Bytes of an address in a register.
    pub address: u32,
    /// The data at each address.
    pub data: Data,
    /// Whether source 1 has two values per channel.
    pub swaps: bool,
    /// Bytes that a unit of the address stands for; 0 if the address is in bytes.
    pub scale: u32,
    /// Whether the number of elements follows from the length of the payload, before the load/store
    /// cache.
    pub by_length: bool,
}

impl Access {
    /// A message to the load/store cache. Returns `None` for operations without addresses of the
    /// channels, and for blocks.
    fn of(op: SendOp, address: u32, data: Option<Data>) -> Option<Access> {
        let group = op.info().group;
        let has_lanes = !matches!(
            op,
            SendOp::LoadBlock2d
                | SendOp::StoreBlock2d
                | SendOp::LoadStatus
                | SendOp::LoadQuadStatus
                | SendOp::LoadStrided
                | SendOp::StoreStrided
        );
        (has_lanes && group != SendGroup::Other).then_some(Access {
            group,
            address,
            data: data?,
            swaps: matches!(
                op,
                SendOp::AtomicIcas | SendOp::AtomicFcas | SendOp::AtomicBfcas
            ),
            scale: 0,
            by_length: false,
        })
    }
}

/// Consecutive bytes that a message with a header reads or writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// Number of bytes.
    pub bytes: u32,
    /// Whether it starts at a multiple of its size.
    pub aligned: bool,
}

/// A constant that a message adds to its addresses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Offset {
    /// No constant.
    #[default]
    None,
    /// Bytes; not 0.
    Bytes(i64),
    /// Elements and lines of a block.
    Block(i64, i64),
    /// Coordinates: u, v, r.
    Coordinates([i64; 3]),
}

impl Offset {
    fn bytes(bytes: i64) -> Offset {
        match bytes {
            0 => Offset::None,
            bytes => Offset::Bytes(bytes),
        }
    }

    fn block(x: i64, y: i64) -> Offset {
        match (x, y) {
            (0, 0) => Offset::None,
            (x, y) => Offset::Block(x, y),
        }
    }
}

/// Addresses that are coordinates of a typed surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Coordinates {
    /// Number of channels.
    pub channels: u32,
    /// The size of a coordinate in bits.
    pub bits: u32,
    /// Whether the last one is a sample index.
    pub samples: bool,
}

/// What a message asks its shared function to do.
#[derive(Clone, Copy, Debug, Default)]
pub struct Request {
    /// What it does.
    pub action: Action,
    /// The operation of the load/store cache. `None` for other shared functions and invalid bits.
    pub op: Option<SendOp>,
    /// The data at each address; also of messages with a header, before the load/store cache.
    pub data: Option<Data>,
    /// The addresses of the channels and their data. `None` for other messages, and for typed
    /// surfaces, whose addresses are coordinates.
    pub access: Option<Access>,
    /// The block whose address is in the header.
    pub block: Option<Block>,
    /// Whether the payload starts with a header, before the load/store cache.
    pub has_header: bool,
    /// What the addresses are relative to.
    pub surface: Surface,
    /// The scratch memory that it reads or writes.
    pub scratch: Option<Scratch>,
    /// Whether it accesses shared local memory by a surface, before the load/store cache.
    pub is_local: bool,
    /// The constant that it adds to its addresses.
    pub offset: Offset,
    /// The cache setting as the assembler writes it: `.ca.cc`; empty by default, `None` if the bits
    /// are invalid.
    pub cache: Option<&'static str>,
    /// Whether the setting lets it hit the first-level cache.
    pub first_level: bool,
    /// The coordinates.
    pub coordinates: Option<Coordinates>,
    /// The size of the response in bytes, if a 64-bit descriptor determines it.
    pub response: Option<u32>,
    /// What the text is written from.
    pub(super) form: Form,
}

impl Request {
    /// A message that is described by a name.
    fn named(action: Action, form: Form) -> Request {
        Request {
            action,
            form,
            ..Request::default()
        }
    }
}

/// The parts of a message that determine its meaning.
#[derive(Clone, Copy, Debug)]
struct MessageInput {
    rank: u8,
    sfid: Option<Meaning>,
    channels: u32,
    descriptor: u32,
    extended: Descriptor,
    offset: u32,
}

impl MessageInput {
    /// Returns `width` bits of the descriptor from bit `low` on.
    fn bits(&self, low: u32, width: u32) -> u32 {
        (self.descriptor >> low) & ((1 << width) - 1)
    }

    fn bit(&self, at: u32) -> bool {
        self.bits(at, 1) != 0
    }

    /// Returns the number of channels of a full message.
    fn full(&self) -> u32 {
        if self.rank >= 24 { 32 } else { 16 }
    }

    fn has_cache(&self) -> bool {
        match self.sfid {
            Some(Meaning::UGM | Meaning::UGML | Meaning::SLM | Meaning::TGM) => true,
            Some(Meaning::URB) => self.rank >= 30,
            _ => false,
        }
    }
}

/// Decodes a message of so many channels, whose other fields are known.
pub(super) fn decode(rank: u8, channels: u32, has_response: bool, message: &Message) -> Request {
    let mut request = match (&message.wide, message.descriptor) {
        (Some(wide), _) => {
            let mut request = wide::decode(message, wide, channels);
            if !has_response {
                request.response = Some(0);
            }
            request
        }
        (None, Descriptor::Immediate(descriptor)) => {
            let input = MessageInput {
                rank,
                sfid: message.sfid,
                channels,
                descriptor,
                extended: message.extended,
                offset: message.offset,
            };
            match message.sfid {
                _ if input.has_cache() => cache::decode(&input),
                Some(Meaning::DP_DC0 | Meaning::DP_DC1 | Meaning::DP_DC2 | Meaning::DP_DCRO) => {
                    data::decode(&input)
                }
                _ => other::decode(&input),
            }
        }
        (None, Descriptor::Register(_)) => Request::default(),
    };
    // Whatever the descriptor asks for, which may be in a register: the sampler does nothing else.
    if message.sfid == Some(Meaning::SAMPLER) {
        request.action = Action::Sample;
    }
    request
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::MessageEffect;

    /// Decodes a message of 16 channels whose first payload has three registers.
    fn message(rank: u8, sfid: Meaning, descriptor: u32) -> Message {
        let mut message = Message {
            sfid: Some(sfid),
            descriptor: Descriptor::Immediate(descriptor),
            descriptor_bits: 0,
            extended: Descriptor::Immediate(1 << 24),
            extended_bits: 0,
            offset: 0,
            lengths: [Some(3), Some(0), Some(0)],
            wide: None,
            request: Request::default(),
        };
        message.request = decode(rank, 16, true, &message);
        message
    }

    fn text(write: impl FnOnce(&mut String)) -> String {
        let mut out = String::new();
        write(&mut out);
        out
    }

    /// A descriptor of the load/store cache: operation, surface, components, 32 bits.
    fn cache(op: u32, surface: u32) -> u32 {
        op | 2 << 7 | 2 << 9 | 15 << 12 | surface << 29
    }

    #[test]
    fn coordinates_are_not_the_name() {
        let image = message(30, Meaning::TGM, cache(6, 3));
        let comment = text(|out| comment(30, &image, out));
        assert_eq!(
            comment,
            "wr:3+0, rd:0; store_quad.tgm.d32.xyzw.a32.bti[1]; u,v,r"
        );
        assert_eq!(text(|out| name(30, &image, out)), "store_quad.tgm");
        let identity = text(|out| identity(30, &image, out));
        assert_eq!(identity, "store_quad.tgm.d32.xyzw.a32.bti[1]");
    }

    #[test]
    fn only_loads_and_stores_of_scratch_memory_spill() {
        let effect = |op: u32| MessageEffect::of(&message(30, Meaning::UGM, op | 2 << 29 | 2 << 7));
        assert_eq!(effect(0), Some(MessageEffect::Fill));
        assert_eq!(effect(4), Some(MessageEffect::Spill));
        // Atomic store and load; reading the state.
        assert_eq!(effect(11), Some(MessageEffect::Atomic));
        assert_eq!(effect(10), Some(MessageEffect::Atomic));
        assert_eq!(effect(30), None);
    }

    #[test]
    fn the_mode_of_a_sampler_is_not_all_of_its_name() {
        let sample = message(22, Meaning::SAMPLER, 2 << 12);
        let comment = text(|out| comment(22, &sample, out));
        let expected = "simd8 with integer return sample override LOD";
        assert!(
            comment.ends_with(&format!("{expected} using sampler index 0")),
            "{comment}"
        );
        assert_eq!(text(|out| name(22, &sample, out)), expected);
    }

    #[test]
    fn the_offset_of_a_scratch_block_is_not_a_surface() {
        let scratch = message(20, Meaning::DP_DC0, 1 << 18 | 1 << 12 | 254);
        let expected = Scratch::Block {
            offset: 254 * 32,
            bytes: 64,
        };
        assert_eq!(scratch.request.scratch, Some(expected));
        assert!(!scratch.request.is_local);
        assert!(message(20, Meaning::DP_DC0, 4 << 14 | 254).request.is_local);
    }
}
