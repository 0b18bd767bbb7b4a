//! Messages to the data caches before the load/store cache.

use super::text::{Form, entry, letters, number};
use super::{Access, Action, Block, Coordinates, Data, MessageInput, Request, Scratch, Surface};
use crate::encoding::SendGroup;
use crate::tables::{HDC_FLOAT_ATOMIC, HDC_INT_ATOMIC, Meaning};

/// What the text adds to the name of an operation.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Tail {
    Nothing,
    /// The number of blocks of 16 bytes, by its code.
    Blocks16(u32),
    /// The number of blocks of 32 bytes, or of elements.
    Blocks(u32),
    /// The size of an element, by its code.
    Bytes(u32),
    /// The mask of disabled components.
    Components(u32),
    /// A typed surface: whether the upper channels, whether with status; the mask of disabled
    /// components.
    Typed(bool, bool, u32),
    /// An atomic operation.
    Integer(u32),
    /// An atomic operation, its size in bits, and whether it returns the old value.
    Float(u32, u32, bool),
    /// The setting of vertical lines.
    Lines(u32),
    /// An offset per slot.
    SlotOffset(bool),
}

/// A fence.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PortFence {
    synchronized: bool,
    /// The memory: 254 is shared local memory, 0 is global.
    surface: u32,
    /// Whether it flushes the first-level cache.
    first_level: bool,
    /// The data of the third-level cache that it flushes.
    third_level: u32,
}

pub(super) fn decode(q: &MessageInput) -> Request {
    let mut request = match q.sfid {
        Some(Meaning::DP_DC0) => dc0(q),
        Some(Meaning::DP_DC1) => dc1(q),
        Some(Meaning::DP_DCRO) => dcro(q),
        _ => Request::default(),
    };
    let has_header = q.bit(19);
    request.data = request.access.map(|access| access.data);
    if has_header {
        // With a header, there is one address, which is in it. Without, there is one per channel.
        request.access = None;
    } else {
        request.block = None;
    }
    request.has_header = has_header && matches!(q.sfid, Some(Meaning::DP_DC0 | Meaning::DP_DC1));
    // Index 254 of the binding table stands for shared local memory. Scratch blocks have their
    // offset in these bits.
    request.is_local = q.bits(0, 8) == 254 && request.scratch.is_none();
    request
}

impl Request {
    /// Replaces the name by one with a tail.
    fn tail(mut self, tail: Tail) -> Request {
        if let Form::Name(name) = self.form {
            self.form = Form::Named(name, tail);
        }
        self
    }

    /// Adds addresses of the channels of so many bytes, each of so many elements.
    fn lanes(self, address: u32, register: u32, elements: u32) -> Request {
        let group = match self.action {
            Action::Load => SendGroup::Load,
            Action::Store => SendGroup::Store,
            _ => SendGroup::Atomic,
        };
        let data = Data {
            memory: register,
            register,
            elements,
            transposed: false,
        };
        Request {
            access: Some(Access {
                group,
                address,
                data,
                swaps: false,
                scale: 0,
                by_length: true,
            }),
            ..self
        }
    }

    /// Sets the bytes of an element in memory, where they are fewer than in a register.
    fn of_bytes(mut self, bytes: u32) -> Request {
        if let Some(access) = &mut self.access {
            access.data.memory = bytes;
        }
        self
    }

    /// Makes the addresses relative to the surface of the descriptor.
    fn at_surface(self, q: &MessageInput) -> Request {
        Request {
            surface: Surface::Table(Some(q.bits(0, 8))),
            ..self
        }
    }

    /// Adds blocks of 16 bytes at the address in the header.
    fn owords(self, q: &MessageInput, aligned: bool) -> Request {
        let code = q.bits(8, 3);
        let bytes = match code {
            0 => Some(16),
            2..=5 => Some(16 << (code - 1)),
            _ => None,
        };
        Request {
            block: bytes.map(|bytes| Block { bytes, aligned }),
            ..self.tail(Tail::Blocks16(code))
        }
    }

    /// Adds coordinates as addresses.
    fn typed(self, q: &MessageInput) -> Request {
        Request {
            coordinates: Some(Coordinates {
                channels: q.full() / 2,
                bits: 32,
                samples: false,
            }),
            ..self
        }
    }
}

fn load(name: &'static str) -> Request {
    Request::named(Action::Load, Form::Name(name))
}

fn store(name: &'static str) -> Request {
    Request::named(Action::Store, Form::Name(name))
}

fn dc0(q: &MessageInput) -> Request {
    let count = 1 << q.bits(10, 2);
    let more = match q.bits(10, 2) {
        0 => Tail::Nothing,
        _ => Tail::Blocks(count),
    };
    let request = match q.bits(14, 5) {
        0 => load("oword block read").owords(q, false),
        1 if q.bit(13) && q.rank >= 22 => {
            load("hword aligned block read").tail(Tail::Blocks(1 << q.bits(8, 3)))
        }
        1 if q.bit(13) => load("oword aligned block read").tail(Tail::Blocks16(q.bits(8, 3))),
        1 => load("oword aligned block read").owords(q, true),
        8 => store("oword block write").owords(q, false),
        9 => store("hword aligned block write").tail(Tail::Blocks16(q.bits(8, 3))),
        2 => load("oword dual block read"),
        10 => store("oword dual block write"),
        4 => load("byte gathering read")
            .tail(Tail::Bytes(q.bits(10, 2)))
            .lanes(4, 4, 1)
            .of_bytes(count),
        12 => store("byte scattering write")
            .tail(Tail::Bytes(q.bits(10, 2)))
            .lanes(4, 4, 1)
            .of_bytes(count),
        3 => load("dword gathering read").tail(more).lanes(4, 4, count),
        11 => store("dword scattering write")
            .tail(more)
            .lanes(4, 4, count),
        5 => load("qword gathering read").lanes(4, 8, count),
        13 => store("qword scattering write").lanes(4, 8, count),
        7 => return fence(q),
        _ if q.bit(18) => return scratch(q),
        _ => return Request::default(),
    };
    request.at_surface(q)
}

/// A block of scratch memory, in units of 32 bytes.
fn scratch(q: &MessageInput) -> Request {
    let count = 1 << q.bits(12, 2);
    let request = if q.bit(17) {
        store("hword scratch block write")
    } else {
        load("hword scratch block read")
    };
    Request {
        scratch: Some(Scratch::Block {
            offset: i64::from(q.bits(0, 12)) * 32,
            bytes: 32 * count,
        }),
        ..request.tail(Tail::Blocks(count))
    }
}

fn fence(q: &MessageInput) -> Request {
    let fence = PortFence {
        synchronized: q.bit(13),
        surface: q.bits(0, 8),
        first_level: q.bit(8),
        third_level: q.bits(9, 4),
    };
    Request::named(Action::Fence, Form::PortFence(fence))
}

fn dc1(q: &MessageInput) -> Request {
    let kind = q.bits(14, 5);
    let disabled = q.bits(8, 4);
    let enabled = 4 - disabled.count_ones();
    let count = 1 << q.bits(10, 2);
    let components = Tail::Components(disabled);
    match kind {
        1 => load("untyped surface read")
            .tail(components)
            .lanes(4, 4, enabled)
            .at_surface(q),
        9 => store("untyped surface write")
            .tail(components)
            .lanes(4, 4, enabled)
            .at_surface(q),
        17 => load("a64 untyped surface read")
            .tail(components)
            .lanes(8, 4, enabled),
        25 => store("a64 untyped surface write")
            .tail(components)
            .lanes(8, 4, enabled),
        16 | 26 => {
            let size = q.bits(8, 2);
            let request = match (kind == 16, size) {
                (true, 1) => load("a64 dword gathering read"),
                (true, 2) => load("a64 qword gathering read"),
                (true, _) => load("a64 byte gathering read"),
                (false, 1) => store("a64 dword scattering write"),
                (false, 2) => store("a64 qword scattering write"),
                (false, _) => store("a64 byte scattering write"),
            };
            match size {
                1 => request.lanes(8, 4, count),
                2 => request.lanes(8, 8, count),
                0 => request
                    .tail(Tail::Bytes(q.bits(10, 2)))
                    .lanes(8, 4, 1)
                    .of_bytes(count),
                _ => request.tail(Tail::Bytes(q.bits(10, 2))),
            }
        }
        20 | 21 => match (kind == 20, q.bits(11, 2)) {
            (true, 0) => load("a64 unaligned oword block read").owords(q, false),
            (true, 1) => load("a64 aligned oword block read").owords(q, true),
            (false, 0) => store("a64 unaligned oword block write").owords(q, false),
            (false, 1) => store("a64 aligned oword block write").owords(q, true),
            // Two blanks, as in the assembler.
            (true, 2) => load("a64 dual block  read"),
            (false, 2) => store("a64 dual block  write"),
            (true, _) => {
                load("a64 unaligned hword block read").tail(Tail::Blocks(1 << q.bits(8, 3)))
            }
            (false, _) => {
                store("a64 unaligned hword block write").tail(Tail::Blocks(1 << q.bits(8, 3)))
            }
        },
        29 => float_atomic(q, "a64 float atomic", 32).lanes(8, 4, 1),
        27 => float_atomic(q, "float atomic", 32)
            .lanes(4, 4, 1)
            .at_surface(q),
        30 => since_xe(q, float_atomic(q, "a64 untyped half-float atomic", 16))
            .lanes(8, 4, 1)
            .of_bytes(2),
        28 => since_xe(q, float_atomic(q, "untyped half-float atomic", 16))
            .lanes(4, 4, 1)
            .of_bytes(2)
            .at_surface(q),
        18 if q.bit(12) => int_atomic(q, "untyped a64 atomic int64").lanes(8, 8, 1),
        18 => int_atomic(q, "untyped a64 atomic int32").lanes(8, 4, 1),
        2 => int_atomic(q, "untyped atomic int32")
            .lanes(4, 4, 1)
            .at_surface(q),
        19 => since_xe(q, int_atomic(q, "untyped a64 atomic int16"))
            .lanes(8, 4, 1)
            .of_bytes(2),
        3 => since_xe(q, int_atomic(q, "untyped atomic int16"))
            .lanes(4, 4, 1)
            .of_bytes(2)
            .at_surface(q),
        4 => load("media block read")
            .tail(Tail::Lines(q.bits(8, 3)))
            .at_surface(q),
        10 => store("media block write")
            .tail(Tail::Lines(q.bits(8, 3)))
            .at_surface(q),
        5 | 13 | 14 => {
            let request = match kind {
                13 => store("typed surface write"),
                _ => load("typed surface read"),
            };
            let tail = Tail::Typed(q.bits(12, 2) == 2, kind == 14, disabled);
            request.tail(tail).typed(q).at_surface(q)
        }
        11 => int_atomic(q, "typed atomic 32-bit counter")
            .typed(q)
            .at_surface(q),
        12 => int_atomic(q, "typed atomic 16-bit counter")
            .typed(q)
            .at_surface(q),
        6 | 7 => {
            let name = match (kind, q.bit(12)) {
                (6, false) => "typed atomic 32-bit integer",
                (6, true) => "typed_sgh atomic 32-bit integer (slot group high)",
                (_, false) => "typed atomic 16-bit integer",
                (_, true) => "typed_sgh atomic 16-bit integer (slot group high)",
            };
            let request = int_atomic(q, name).at_surface(q);
            match kind {
                7 => request.typed(q),
                _ => request,
            }
        }
        _ => Request::default(),
    }
}

/// Returns the message, or an unknown one before Xe.
fn since_xe(q: &MessageInput, request: Request) -> Request {
    match q.rank {
        20.. => request,
        _ => Request::default(),
    }
}

fn int_atomic(q: &MessageInput, name: &'static str) -> Request {
    let form = Form::Named(name, Tail::Integer(q.bits(8, 4)));
    Request::named(Action::Atomic, form)
}

fn float_atomic(q: &MessageInput, name: &'static str, bits: u32) -> Request {
    let op = q.bits(8, 3);
    if op == 0 {
        return Request::default();
    }
    let tail = Tail::Float(op, if op >= 6 { 64 } else { bits }, q.bit(13));
    Request::named(Action::Atomic, Form::Named(name, tail))
}

fn dcro(q: &MessageInput) -> Request {
    let count = 1 << q.bits(10, 2);
    let other = |name| Request::named(Action::Other, Form::Name(name));
    match q.bits(14, 5) {
        0 => load("constant oword block read")
            .owords(q, false)
            .at_surface(q),
        1 => load("constant aligned oword block read")
            .owords(q, true)
            .at_surface(q),
        3 => load("constant dword gathering read")
            .lanes(4, 4, count)
            .at_surface(q),
        24 => other("A64 untyped surface CCS operation"),
        25 => store("A64 untyped surface uncompressed write"),
        23 => other("A64 page CCS update operation"),
        13 => store("typed surface uncompressed write"),
        12 => other("typed surface CCS update message"),
        9 => store("untyped surface uncompressed write"),
        _ => Request::default(),
    }
}

fn components(disabled: u32, out: &mut String) {
    out.push_str(" with ");
    letters("xyzw", !disabled, out);
}

impl Tail {
    /// Appends the text. Returns the end of the part that belongs to the name.
    pub(super) fn write(self, out: &mut String) -> usize {
        let end = out.len();
        match self {
            Tail::Nothing => {}
            Tail::Blocks16(1) => {
                // Not a number of blocks, but the half of one.
                out.push_str(" x1H");
                return out.len();
            }
            Tail::Blocks16(code) => {
                let text = entry(&[" x1", "", " x2", " x4", " x8", " x16"], code);
                out.push_str(text.unwrap_or(" x0"));
            }
            Tail::Blocks(count) => {
                out.push_str(" x");
                number(out, count);
            }
            Tail::Bytes(code) => {
                out.push_str(entry(&[" 8b", " 16b", " 32b"], code).unwrap_or_default());
                return out.len();
            }
            Tail::Components(disabled) => components(disabled, out),
            Tail::Typed(upper, status, disabled) => {
                if upper {
                    out.push_str(" (high slot group)");
                }
                if status {
                    out.push_str(" returning status");
                }
                let end = out.len();
                components(disabled, out);
                return end;
            }
            Tail::Integer(op) => {
                out.push(' ');
                out.push_str(entry(&HDC_INT_ATOMIC, op).unwrap_or_default());
                return out.len();
            }
            Tail::Float(op, bits, returns) => {
                out.push(' ');
                out.push_str(entry(&HDC_FLOAT_ATOMIC, op).unwrap_or_default());
                out.push_str(" (");
                number(out, bits);
                out.push_str("b)");
                let end = out.len();
                if returns {
                    out.push_str(" with return");
                }
                return end;
            }
            Tail::Lines(0) => {}
            Tail::Lines(stride) => lines(stride, out),
            Tail::SlotOffset(true) => out.push_str(" with per-slot offset enabled"),
            Tail::SlotOffset(false) => {}
        }
        end
    }
}

fn lines(stride: u32, out: &mut String) {
    out.push_str(" with vertical line stride ");
    let mut count = 0;
    if stride & 2 != 0 {
        out.push_str("override");
        count += 1;
    }
    if stride & 1 != 0 {
        out.push_str(if stride & 2 == 0 { " and " } else { "," });
        out.push_str("skip");
        count += 1;
    }
    if stride & 2 != 0 {
        out.push_str(if count >= 2 { ", and " } else { " and " });
        out.push_str("offset");
    }
}

impl PortFence {
    /// Appends the text. Returns its end: all of it is the name.
    pub(super) fn write(&self, out: &mut String) -> usize {
        if self.synchronized {
            out.push_str("synchronized ");
        }
        match self.surface {
            254 => out.push_str("SLM fence"),
            0 => {
                out.push_str("global fence flushing");
                if self.first_level {
                    out.push_str(" L1");
                }
                match self.third_level {
                    0 => {}
                    15 => out.push_str(" all L3 data"),
                    targets => third_level(targets, out),
                }
            }
            _ => {}
        }
        out.len()
    }
}

fn third_level(targets: u32, out: &mut String) {
    out.push_str(" L3");
    if targets & 8 != 0 {
        out.push_str(" r/w data");
    }
    let mut separator = "";
    for (bit, text) in [
        (4, " constant data"),
        (2, " texture data"),
        (1, " instruction data"),
    ] {
        if targets & bit != 0 {
            out.push_str(separator);
            out.push_str(text);
            separator = ",";
        }
    }
}
