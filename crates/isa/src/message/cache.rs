//! Messages to the load/store cache with 32-bit descriptors.

use super::text::{Form, entry, letters, number, sfid_text};
use super::{
    Access, Action, Coordinates, Data, Descriptor, LENGTHS, Message, MessageInput, Offset, Request,
    Scratch, Surface,
};
use crate::encoding::SendGroup;
use crate::number::push_hex;
use crate::tables::{
    LSC, LSC_ADDR_TYPE_TEXT, LSC_CACHE3_LOAD, LSC_CACHE3_STORE_ATOMIC, LSC_DATA_SIZE_TEXT,
    LSC_FENCE_OP_TEXT, LSC_FENCE_SCOPE_TEXT, Meaning, SendOp,
};
use crate::word::sign_extend;

const FLAT: u32 = 0;
const BTI: u32 = 3;

const FENCE_OPS: [&str; 6] = [
    "no op",
    "evict (dirty lines invalidated and evicted)",
    "invalidate (all clean lines, but do not evict)",
    "discard (dirty and clean lines invalidated without eviction)",
    "clean (dirty lines written out, but kept in clean state)",
    "flush L3 only",
];
const FENCE_SCOPES: [&str; 7] = [
    "thread group",
    "slice",
    "tile",
    "gpu",
    "all gpus",
    "system release",
    "system acquire",
];
const STATE_CONTROL: [(&str, &str); 4] = [
    ("ccs_pc", "compression-state control page clear (64k)"),
    (
        "ccs_sc",
        "compression-state control sector clear (2-cachelines)",
    ),
    ("ccs_pu", "compression-state control page uncompress (64k)"),
    (
        "ccs_su",
        "compression-state control sector uncompress (2-cachelines)",
    ),
];

/// The elements at an address.
#[derive(Clone, Copy, Debug)]
enum Vector {
    /// The components that are enabled.
    Components(u32),
    Elements {
        count: u32,
        transposed: bool,
        /// Whether elements are packed by columns.
        packed: bool,
    },
}

/// A load, store or atomic operation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CacheForm {
    op: SendOp,
    /// What the operation is called if the bits are invalid.
    text: &'static str,
    is_invalid: bool,
    /// The code of the data size; `None` for blocks of typed surfaces.
    size: Option<u32>,
    vector: Vector,
    address_bits: u32,
}

/// A fence.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FenceForm {
    op: u32,
    scope: u32,
}

/// The control of the compression state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StateForm {
    control: u32,
    is_invalid: bool,
}

pub(super) fn decode(q: &MessageInput) -> Request {
    let kind = q.bits(29, 2);
    let mut request = Request {
        action: Action::Other,
        surface: Surface::of(kind, q.extended),
        first_level: first_level(q),
        ..Request::default()
    };
    let code = q.bits(0, 6);
    match code {
        29 => {
            let control = q.bits(17, 3);
            request.form = Form::State(StateForm {
                control,
                is_invalid: matches!(control, 0 | 2) && (kind != FLAT || q.bits(7, 2) != 3),
            });
        }
        30 => {
            request.form = Form::ReadState {
                is_invalid: kind == FLAT,
            };
            request.coordinates = Some(Coordinates {
                channels: 1,
                bits: 64,
                samples: false,
            });
        }
        31 => {
            request.action = Action::Fence;
            request.surface = Surface::None;
            let (op, scope) = match q.sfid {
                Some(Meaning::SLM) => (0, 0),
                _ => (q.bits(12, 3), q.bits(9, 3)),
            };
            request.form = Form::Fence(FenceForm { op, scope });
        }
        _ => match LSC.iter().find(|(c, _)| u32::from(*c) == code) {
            Some((_, (op, text))) => vector(q, *op, text, &mut request),
            None => request.action = Action::Unknown,
        },
    }
    request
}

/// Decodes loads, stores and atomic operations.
fn vector(q: &MessageInput, op: SendOp, text: &'static str, request: &mut Request) {
    let info = op.info();
    let kind = q.bits(29, 2);
    let typed = q.sfid == Some(Meaning::TGM);
    let block = matches!(op, SendOp::LoadBlock2d | SendOp::StoreBlock2d);
    // Like the assembler: such bits do not make the instruction illegal, but its text falls back
    // from the symbol to a description.
    let mut is_invalid = op == SendOp::LoadStatus && (q.bit(15) || q.bits(20, 5) != 1);
    if let Descriptor::Immediate(value) = q.extended {
        is_invalid |= value & 0x7ff != 0;
    }
    is_invalid |= block && typed && !matches!(kind, 1 | BTI);
    let vector = if info.component_mask {
        let mask = q.bits(12, 4);
        is_invalid |= mask == 0;
        Vector::Components(mask)
    } else {
        let at = usize::try_from(q.bits(12, 3)).unwrap_or_default();
        Vector::Elements {
            count: LENGTHS.get(at).copied().unwrap_or(1),
            transposed: q.bit(15),
            packed: op == SendOp::LoadBlock2d && q.bit(7),
        }
    };
    // Bytes of an address in the payload.
    let address = match q.bits(7, 2) {
        0 => None,
        code => Some(1 << code),
    };
    let address_bits = match op {
        _ if block && typed => 32,
        _ if block => 64,
        SendOp::AtomicAcadd | SendOp::AtomicAcsub | SendOp::AtomicAcstore => 32,
        _ => address.unwrap_or(0) * 8,
    };
    is_invalid |= address_bits == 0;
    // Local memory is not cached: the assembler prints no setting, whatever the bits are.
    let has_cache = q.sfid != Some(Meaning::SLM) && info.group != SendGroup::Other;
    request.cache = if has_cache {
        caching(q, info.group == SendGroup::Load)
    } else {
        Some("")
    };
    is_invalid |= request.cache.is_none();
    request.offset = offset(q, kind, block, &mut is_invalid);
    let (elements, transposed) = match vector {
        Vector::Components(mask) => (mask.count_ones(), false),
        Vector::Elements {
            count, transposed, ..
        } => (count, transposed),
    };
    let size = q.bits(9, 3);
    request.data = Data::of(size, elements, transposed);
    request.access = address
        .filter(|_| !typed)
        .and_then(|address| Access::of(op, address, request.data));
    let quad = matches!(
        op,
        SendOp::LoadQuad
            | SendOp::StoreQuad
            | SendOp::StoreUncompressedQuad
            | SendOp::LoadQuadMsrt
            | SendOp::StoreQuadMsrt
    );
    if typed && (quad || block || info.group == SendGroup::Atomic) {
        request.coordinates = Some(Coordinates {
            channels: q.channels,
            bits: address_bits,
            samples: matches!(op, SendOp::LoadQuadMsrt | SendOp::StoreQuadMsrt),
        });
    }
    request.action = action(info.group);
    if !is_invalid {
        request.op = Some(op);
        request.scratch = (request.surface == Surface::Scratch).then_some(Scratch::Surface);
    }
    request.form = Form::Cache(CacheForm {
        op,
        text,
        is_invalid,
        size: (!block || !typed).then_some(size),
        vector,
        address_bits,
    });
}

pub(super) fn action(group: SendGroup) -> Action {
    match group {
        SendGroup::Load => Action::Load,
        SendGroup::Store => Action::Store,
        SendGroup::Atomic => Action::Atomic,
        SendGroup::Sample => Action::Sample,
        SendGroup::Other => Action::Other,
    }
}

/// Whether the cache setting lets an access hit the first-level cache.
fn first_level(q: &MessageInput) -> bool {
    let code = match q.rank {
        30.. => q.bits(16, 4),
        _ => q.bits(17, 3) << 1,
    };
    matches!(code, 4 | 5 | 8..=15)
}

fn caching(q: &MessageInput, load: bool) -> Option<&'static str> {
    let list = if load {
        &LSC_CACHE3_LOAD
    } else {
        &LSC_CACHE3_STORE_ATOMIC
    };
    if q.rank < 30 {
        return entry(list, q.bits(17, 3));
    }
    match q.bits(16, 4) {
        // The settings that Xe2 added. The others are those of 3 bits, in the upper ones.
        5 if load => Some(".uc.cc"),
        9 if load => Some(".ca.cc"),
        14 if load => Some(".ri.ri"),
        code => entry(list, code >> 1),
    }
}

/// Returns the address offset, since Xe2.
fn offset(q: &MessageInput, kind: u32, block: bool, is_invalid: &mut bool) -> Offset {
    if q.rank < 30 {
        return Offset::None;
    }
    let (value, register) = match q.extended {
        Descriptor::Immediate(value) => (value, false),
        Descriptor::Register(_) => (q.offset, true),
    };
    let signed = |value: u32, width| sign_extend(value.into(), width).cast_signed();
    Offset::bytes(match kind {
        _ if block => return Offset::block(signed(value >> 12, 10), signed(value >> 22, 10)),
        FLAT => signed(value >> 12, 20),
        BTI if !register => signed((value >> 12) & 0xfff, 12),
        BTI => {
            // As in the assembler: an offset together with an index in a register is an error.
            *is_invalid |= value != 0;
            0
        }
        _ if register && q.sfid == Some(Meaning::UGM) => {
            signed((value >> 19) << 4 | (value >> 12) & 0xf, 17)
        }
        _ => 0,
    })
}

/// Appends the shared function after a name. Returns the end.
fn of_function(sfid: Option<Meaning>, out: &mut String) -> usize {
    out.push('.');
    out.push_str(sfid.map_or("", sfid_text));
    out.len()
}

/// Appends the surface and the address offset.
fn place(message: &Message, offset: Offset, out: &mut String) {
    let kind = match message.request.surface {
        Surface::None | Surface::Flat => FLAT,
        Surface::Bindless => 1,
        Surface::Scratch => 2,
        Surface::Table(_) => BTI,
    };
    if kind != FLAT {
        out.push('.');
        out.push_str(entry(&LSC_ADDR_TYPE_TEXT, kind).unwrap_or("?"));
        out.push('[');
        match (message.extended, message.request.surface) {
            (Descriptor::Register(sub), _) => {
                out.push_str("a0.");
                number(out, sub);
            }
            (_, Surface::Table(Some(index))) => number(out, index),
            (Descriptor::Immediate(value), _) => push_hex(out, u64::from(value & !0x7ff), 0),
        }
        out.push(']');
    }
    if offset != Offset::None {
        if kind == FLAT {
            out.push_str(".flat");
        }
        out.push_str("[A");
        offset.write(out);
        out.push(']');
    }
}

impl CacheForm {
    /// Appends the text. Returns the end of the name.
    pub(super) fn write(&self, message: &Message, out: &mut String) -> usize {
        if self.is_invalid {
            out.push_str(self.text);
            return out.len();
        }
        let info = self.op.info();
        out.push_str(info.mnemonic);
        let end = of_function(message.sfid, out);
        out.push('.');
        match self
            .size
            .map(|size| (size, entry(&LSC_DATA_SIZE_TEXT, size)))
        {
            None => out.push_str("d32"),
            Some((_, Some(text))) => out.push_str(text),
            Some((size, None)) => push_hex(out, size.into(), 0),
        }
        match self.vector {
            Vector::Components(mask) => {
                out.push('.');
                letters("xyzw", mask, out);
            }
            Vector::Elements {
                count,
                transposed,
                packed,
            } => {
                let block = matches!(self.op, SendOp::LoadBlock2d | SendOp::StoreBlock2d);
                if count > 1 || (transposed && !block) {
                    out.push('x');
                    number(out, count);
                }
                if transposed {
                    out.push('t');
                }
                if packed {
                    out.push('v');
                }
            }
        }
        out.push_str(".a");
        number(out, self.address_bits);
        out.push_str(message.request.cache.unwrap_or_default());
        place(message, message.request.offset, out);
        end
    }
}

impl FenceForm {
    /// Appends the text. Returns the end of the name.
    pub(super) fn write(&self, sfid: Option<Meaning>, out: &mut String) -> usize {
        let op = entry(&LSC_FENCE_OP_TEXT, self.op);
        if let (Some(op), Some(scope)) = (op, entry(&LSC_FENCE_SCOPE_TEXT, self.scope)) {
            out.push_str("fence");
            let end = of_function(sfid, out);
            for part in [op, scope] {
                out.push('.');
                out.push_str(part);
            }
            return end;
        }
        out.push_str("fence ");
        out.push_str(entry(&FENCE_OPS, self.op).unwrap_or("invalid flush type"));
        out.push_str(" scoped to ");
        out.push_str(entry(&FENCE_SCOPES, self.scope).unwrap_or("invalid flush scope"));
        out.len()
    }
}

impl StateForm {
    /// Appends the text. Returns the end of the name.
    pub(super) fn write(&self, message: &Message, out: &mut String) -> usize {
        let at = usize::try_from(self.control).unwrap_or_default();
        match STATE_CONTROL.get(at) {
            Some((name, _)) if !self.is_invalid => {
                out.push_str(name);
                let end = of_function(message.sfid, out);
                if !matches!(self.control, 0 | 2) {
                    out.push_str(".a32");
                }
                place(message, Offset::None, out);
                end
            }
            Some((_, text)) => {
                out.push_str(text);
                out.len()
            }
            None => {
                out.push_str("compression-state controlinvalid ccs sop");
                out.len()
            }
        }
    }
}

/// Appends the text of a message that reads a surface's state. Returns the end of the name.
pub(super) fn read_state(is_invalid: bool, message: &Message, out: &mut String) -> usize {
    if is_invalid {
        out.push_str("read state information");
        return out.len();
    }
    out.push_str("read_state");
    let end = of_function(message.sfid, out);
    place(message, Offset::None, out);
    end
}
