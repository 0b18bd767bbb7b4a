//! Messages to the load/store cache with 32-bit descriptors.

use super::{Decoded, MessageInput, number};
use crate::decode::isa::encoding::SendGroup;
use crate::decode::isa::format::push_offset;
use crate::decode::isa::instruction::Descriptor;
use crate::decode::isa::number::push_hex;
use crate::decode::isa::tables::{
    LSC, LSC_ADDR_TYPE_TEXT, LSC_CACHE3_LOAD, LSC_CACHE3_STORE_ATOMIC, LSC_DATA_SIZE_TEXT,
    LSC_FENCE_OP_TEXT, LSC_FENCE_SCOPE_TEXT, Meaning, SendOp,
};
use crate::decode::isa::word::sign_extend;

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

fn entry<'a>(list: &[&'a str], at: u32) -> Option<&'a str> {
    list.get(usize::try_from(at).unwrap_or(usize::MAX)).copied()
}

pub(crate) fn decode(q: &MessageInput) -> Decoded {
    let mut decoded = Decoded {
        channels: q.channels,
        ..Decoded::default()
    };
    let sfid = q.sfid.map_or("", crate::decode::isa::parts::sfid_text);
    let code = q.bits(0, 6);
    match code {
        29 => state_control(q, sfid, &mut decoded),
        30 => {
            decoded.symbol = format!("read_state.{sfid}");
            decoded.description.push_str("read state information");
            let surface = surface(q, &mut decoded);
            decoded.error |= q.bits(29, 2) == FLAT;
            place(q, &surface, String::new(), &mut decoded);
            decoded.coordinates = true;
            decoded.channels = 1;
            decoded.address_bits = 64;
        }
        31 => fence(q, sfid, &mut decoded),
        _ => match LSC.iter().find(|(c, _)| u32::from(*c) == code) {
            Some((_, (op, text))) => vector(q, sfid, *op, text, &mut decoded),
            None => decoded.error = true,
        },
    }
    decoded
}

fn fence(q: &MessageInput, sfid: &str, decoded: &mut Decoded) {
    let (op, scope) = match q.sfid {
        Some(Meaning::SLM) => (0, 0),
        _ => (q.bits(12, 3), q.bits(9, 3)),
    };
    match (
        entry(&LSC_FENCE_OP_TEXT, op),
        entry(&LSC_FENCE_SCOPE_TEXT, scope),
    ) {
        (Some(op), Some(scope)) => decoded.symbol = format!("fence.{sfid}.{op}.{scope}"),
        _ => decoded.error = true,
    }
    let op = entry(&FENCE_OPS, op).unwrap_or("invalid flush type");
    let scope = entry(&FENCE_SCOPES, scope).unwrap_or("invalid flush scope");
    decoded.description = format!("fence {op} scoped to {scope}");
}

/// Decodes the control of the compression state.
fn state_control(q: &MessageInput, sfid: &str, decoded: &mut Decoded) {
    let sub = q.bits(17, 3);
    let Some((name, text)) = STATE_CONTROL.get(usize::try_from(sub).unwrap_or_default()) else {
        decoded.error = true;
        decoded
            .description
            .push_str("compression-state controlinvalid ccs sop");
        return;
    };
    decoded.description.push_str(text);
    decoded.symbol = format!("{name}.{sfid}");
    let surface = surface(q, decoded);
    if sub == 0 || sub == 2 {
        decoded.error |= q.bits(29, 2) != FLAT || q.bits(7, 2) != 3;
    } else {
        decoded.symbol.push_str(".a32");
    }
    place(q, &surface, String::new(), decoded);
}

/// Returns the surface, without the dot.
fn surface(q: &MessageInput, _decoded: &mut Decoded) -> String {
    let kind = q.bits(29, 2);
    let mut out = String::new();
    if kind == FLAT {
        return out;
    }
    out.push_str(entry(&LSC_ADDR_TYPE_TEXT, kind).unwrap_or("?"));
    out.push('[');
    match q.extended {
        Descriptor::Register(sub) => {
            out.push_str("a0.");
            number(&mut out, sub);
        }
        Descriptor::Immediate(value) if kind == BTI => number(&mut out, value >> 24),
        Descriptor::Immediate(value) => push_hex(&mut out, u64::from(value & !0x7ff), 0),
    }
    out.push(']');
    out
}

/// Appends the surface and the address offset.
fn place(_q: &MessageInput, surface: &str, offset: String, decoded: &mut Decoded) {
    if !surface.is_empty() {
        decoded.symbol.push('.');
        decoded.symbol.push_str(surface);
    } else if !offset.is_empty() {
        decoded.symbol.push_str(".flat");
    }
    if !offset.is_empty() {
        decoded.symbol.push_str("[A");
        decoded.symbol.push_str(&offset);
        decoded.symbol.push(']');
    }
}

/// Decodes loads, stores and atomic operations.
fn vector(q: &MessageInput, sfid: &str, op: SendOp, text: &str, decoded: &mut Decoded) {
    let info = op.info();
    let typed = q.sfid == Some(Meaning::TGM);
    let block = matches!(op, SendOp::LoadBlock2d | SendOp::StoreBlock2d);
    decoded.description.push_str(text);
    if op == SendOp::LoadStatus {
        decoded.error |= q.bit(15) || q.bits(20, 5) != 1;
    }
    if let Descriptor::Immediate(value) = q.extended {
        decoded.error |= value & 0x7ff != 0;
    }
    let surface = surface(q, decoded);
    let kind = q.bits(29, 2);
    let quad = matches!(
        op,
        SendOp::LoadQuad
            | SendOp::StoreQuad
            | SendOp::StoreUncompressedQuad
            | SendOp::LoadQuadMsrt
            | SendOp::StoreQuadMsrt
    );
    decoded.coordinates = typed && (quad || block || info.group == SendGroup::Atomic);
    decoded.samples = matches!(op, SendOp::LoadQuadMsrt | SendOp::StoreQuadMsrt);
    if block && typed {
        decoded.error |= !matches!(kind, 1 | BTI);
    }
    let mut symbol = format!("{}.{sfid}.", info.mnemonic);
    let size = q.bits(9, 3);
    match entry(&LSC_DATA_SIZE_TEXT, size) {
        _ if block && typed => symbol.push_str("d32"),
        Some(text) => symbol.push_str(text),
        None => push_hex(&mut symbol, size.into(), 0),
    }
    if info.component_mask {
        let mask = q.bits(12, 4);
        decoded.error |= mask == 0;
        symbol.push('.');
        for (at, letter) in "xyzw".chars().enumerate() {
            if mask & 1 << at != 0 {
                symbol.push(letter);
            }
        }
    } else {
        const LENGTHS: [u8; 8] = [1, 2, 3, 4, 8, 16, 32, 64];
        let length = usize::try_from(q.bits(12, 3)).unwrap_or_default();
        let length = LENGTHS.get(length).copied().unwrap_or(1);
        let transposed = q.bit(15);
        if length > 1 || (transposed && !block) {
            symbol.push('x');
            number(&mut symbol, length);
        }
        if transposed {
            symbol.push('t');
        }
        if op == SendOp::LoadBlock2d && q.bit(7) {
            symbol.push('v');
        }
    }
    decoded.address_bits = match q.bits(7, 2) {
        _ if block && typed => 32,
        _ if block => 64,
        _ if matches!(
            op,
            SendOp::AtomicAcadd | SendOp::AtomicAcsub | SendOp::AtomicAcstore
        ) =>
        {
            32
        }
        1 => 16,
        2 => 32,
        3 => 64,
        _ => {
            decoded.error = true;
            0
        }
    };
    symbol.push_str(".a");
    number(&mut symbol, decoded.address_bits);
    if q.sfid != Some(Meaning::SLM) && info.group != SendGroup::Other {
        match caching(q, info.group == SendGroup::Load) {
            Some(text) => symbol.push_str(text),
            None => decoded.error = true,
        }
    }
    decoded.symbol = symbol;
    let offset = offset(q, kind, block, decoded);
    place(q, &surface, offset, decoded);
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
        5 if load => Some(".uc.cc"),
        9 if load => Some(".ca.cc"),
        14 if load => Some(".ri.ri"),
        code => entry(list, code >> 1),
    }
}

/// Returns the address offset, since Xe2.
fn offset(q: &MessageInput, kind: u32, block: bool, decoded: &mut Decoded) -> String {
    let mut out = String::new();
    if q.rank < 30 {
        return out;
    }
    let (value, register) = match q.extended {
        Descriptor::Immediate(value) => (value, false),
        Descriptor::Register(_) => (q.offset, true),
    };
    let signed = |value: u32, width| sign_extend(value.into(), width).cast_signed();
    let scalar = match kind {
        _ if block => {
            let (x, y) = (signed(value >> 12, 10), signed(value >> 22, 10));
            if x != 0 || y != 0 {
                out.push_str("+(");
                push_offset(&mut out, x);
                out.push(',');
                push_offset(&mut out, y);
                out.push(')');
            }
            return out;
        }
        FLAT => signed(value >> 12, 20),
        BTI if !register => signed((value >> 12) & 0xfff, 12),
        BTI => {
            decoded.error |= value != 0;
            0
        }
        1 | 2 if register && q.sfid == Some(Meaning::UGM) => {
            signed((value >> 19) << 4 | (value >> 12) & 0xf, 17)
        }
        _ => 0,
    };
    if scalar != 0 {
        if scalar > 0 {
            out.push('+');
        }
        push_offset(&mut out, scalar);
    }
    out
}
