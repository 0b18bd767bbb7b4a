//! Messages with 64-bit descriptors (`sendg`).

use super::{Decoded, coordinates, no_answer, number};
use crate::decode::isa::encoding::SendGroup;
use crate::decode::isa::format::push_offset;
use crate::decode::isa::instruction::{Instruction, Message, WideDescriptor};
use crate::decode::isa::number::{push_hex, push_signed};
use crate::decode::isa::tables::{
    LSC64, LSC64_ADDR_TYPE_UGM, LSC64_CACHE_ATOMIC, LSC64_CACHE_LOAD, LSC64_CACHE_STORE,
    LSC64_CCTRL_SIZE_TEXT, LSC64_DATA_SIZE_TEXT, LSC64_FENCE_OP_TEXT, LSC64_FENCE_SCOPE_TEXT,
    LSC64_SURFACE_HINT_TEXT, Meaning, SendOp,
};
use crate::decode::isa::word::sign_extend;

pub(crate) const REGISTER: u32 = 64;

pub(crate) struct Reader<'a> {
    wide: &'a WideDescriptor,
    sfid: Option<Meaning>,
    pub channels: u32,
    pub lengths: [u32; 2],
}

pub(crate) fn comment(
    i: &Instruction,
    message: &Message,
    wide: &WideDescriptor,
    channels: u32,
    out: &mut String,
) {
    let decoded = decode(message, wide, channels);
    if let Some(bytes) = answer_of(i, &decoded) {
        out.push_str("rd:");
        number(out, bytes);
        out.push_str(" B; ");
    }
    match decoded.description.as_str() {
        "" => out.push_str("???"),
        text => out.push_str(text),
    }
    coordinates(&decoded, message.lengths[0], 512, out);
}

/// Returns the size of the response in bytes, if known.
pub(crate) fn answer(
    i: &Instruction,
    message: &Message,
    wide: &WideDescriptor,
    channels: u32,
) -> Option<u32> {
    answer_of(i, &decode(message, wide, channels))
}

fn answer_of(i: &Instruction, decoded: &Decoded) -> Option<u32> {
    if no_answer(i) {
        Some(0)
    } else {
        decoded.answer
    }
}

fn decode(message: &Message, wide: &WideDescriptor, channels: u32) -> Decoded {
    let [first, second, _] = message.lengths;
    let reader = Reader {
        wide,
        sfid: message.sfid,
        channels,
        lengths: [
            first.unwrap_or_default().into(),
            second.unwrap_or_default().into(),
        ],
    };
    let mut decoded = Decoded {
        channels,
        ..Decoded::default()
    };
    match message.sfid {
        Some(Meaning::UGM | Meaning::SLM | Meaning::TGM | Meaning::URB) => {
            reader.cache(&mut decoded);
        }
        Some(Meaning::GATEWAY) => reader.gateway(&mut decoded),
        Some(Meaning::RTA) if reader.bits(4, 2) == 0 => {
            decoded.description.push_str(SendOp::TraceRay.info().text);
            decoded.answer = Some(REGISTER);
        }
        Some(Meaning::BTD) => reader.spawn(&mut decoded),
        Some(Meaning::DP_RC) => reader.render(&mut decoded),
        Some(Meaning::SAMPLER) => reader.sampler(&mut decoded),
        _ => {}
    }
    decoded
}

fn entry<'a>(list: &[&'a str], at: u32) -> Option<&'a str> {
    list.get(usize::try_from(at).unwrap_or(usize::MAX)).copied()
}

/// The parts of the text for a message to the load/store cache.
#[derive(Default)]
struct Text {
    controls: String,
    data: String,
    vector: String,
    address: &'static str,
    overfetch: bool,
    cache: &'static str,
    more: String,
    surface: bool,
    flat: bool,
    surface_index: u32,
    scale: u32,
    offset: String,
    /// Whether source 0 contains addresses.
    addressed: bool,
    elements: u32,
    in_memory: u32,
    in_register: u32,
    transposed: bool,
}

impl Reader<'_> {
    pub fn bits(&self, low: u32, width: u32) -> u32 {
        let value = (self.wide.value >> low) & ((1 << width) - 1);
        u32::try_from(value).unwrap_or_default()
    }

    fn signed(&self, low: u32, width: u32) -> i64 {
        sign_extend(self.wide.value >> low, width).cast_signed()
    }

    fn cache(&self, decoded: &mut Decoded) {
        let code = self.bits(0, 6);
        let Some((_, op)) = LSC64.iter().find(|(c, _)| u32::from(*c) == code) else {
            return;
        };
        let op = *op;
        let info = op.info();
        let typed = self.sfid == Some(Meaning::TGM);
        let mut text = Text::default();
        let block = matches!(op, SendOp::LoadBlock2d | SendOp::StoreBlock2d);
        if !typed && !matches!(op, SendOp::Fence | SendOp::ExtendedCacheCtrl) {
            self.address_kind(&mut text, decoded);
        }
        if op == SendOp::ExtendedCacheCtrl {
            text.address = ".a64";
        }
        let atomic = info.group == SendGroup::Atomic;
        match op {
            SendOp::Fence => return self.fence(decoded),
            SendOp::ReadState if typed => {
                text.surface = true;
                decoded.address_bits = 32;
                self.stateful(&mut text);
                text.surface_index = self.bits(22, 5);
                text.addressed = true;
                decoded.answer = Some(REGISTER);
            }
            SendOp::Load
            | SendOp::LoadStatus
            | SendOp::Store
            | SendOp::LoadQuad
            | SendOp::LoadQuadStatus
            | SendOp::StoreQuad
                if !typed =>
            {
                self.elements(info.component_mask, &mut text);
                self.data_size(&mut text);
                self.caching(info.group, &mut text);
                text.overfetch = self.bits(21, 1) != 0;
                self.linear_offset(&mut text);
                self.scaling(&mut text);
                text.addressed = true;
                self.answer(op, &text, decoded);
            }
            _ if block => {
                if typed {
                    self.stateful(&mut text);
                    decoded.coordinates = true;
                }
                if self.bits(10, 1) != 0 {
                    text.vector.push('t');
                }
                if self.bits(9, 1) != 0 {
                    text.vector.push('v');
                }
                self.data_size(&mut text);
                self.caching(info.group, &mut text);
                if text.in_memory != 0 {
                    let (x, y) = (self.signed(22, 12), self.signed(34, 12));
                    if x != 0 || y != 0 {
                        text.offset.push('(');
                        push_offset(&mut text.offset, x);
                        text.offset.push(',');
                        push_offset(&mut text.offset, y);
                        text.offset.push(')');
                    }
                }
                text.addressed = true;
                if info.group == SendGroup::Store {
                    decoded.answer = Some(0);
                }
            }
            SendOp::LoadQuad
            | SendOp::StoreQuad
            | SendOp::LoadQuadMsrt
            | SendOp::StoreQuadMsrt
            | SendOp::LoadQuadStatus
                if typed =>
            {
                decoded.coordinates = true;
                decoded.samples = matches!(op, SendOp::LoadQuadMsrt | SendOp::StoreQuadMsrt);
                text.surface = true;
                self.hint(&mut text.controls);
                self.elements(true, &mut text);
                let half = self.bits(14, 1) != 0;
                text.address = if half { ".a16" } else { ".a32" };
                decoded.address_bits = if half { 16 } else { 32 };
                let half = self.bits(15, 1) != 0;
                text.data.push_str(if half { ".d16" } else { ".d32" });
                text.in_register = if half { 16 } else { 32 };
                self.caching(info.group, &mut text);
                text.surface_index = self.bits(22, 5);
                self.coordinate_offset(&mut text.offset);
                text.addressed = true;
                self.answer(op, &text, decoded);
            }
            SendOp::GetWatchpoint | SendOp::SetWatchpoint if !typed => {
                text.controls.push('.');
                text.controls.push_str(text.address);
                text.controls.push_str(".w");
                number(&mut text.controls, self.bits(7, 3));
                decoded.answer = Some(match op {
                    SendOp::GetWatchpoint => 10,
                    _ => 0,
                });
            }
            SendOp::ExtendedCacheCtrl if !typed => {
                self.caching(SendGroup::Load, &mut text);
                text.more.push_str(match self.bits(7, 4) {
                    0 => ".set",
                    1 => ".reset",
                    _ => "",
                });
                let size = entry(&LSC64_CCTRL_SIZE_TEXT, self.bits(11, 2));
                text.more.push_str(size.unwrap_or_default());
            }
            _ if atomic => {
                if typed {
                    decoded.coordinates = true;
                    text.surface = true;
                    decoded.address_bits = 32;
                }
                self.elements(info.component_mask, &mut text);
                self.data_size(&mut text);
                self.caching(info.group, &mut text);
                if typed {
                    self.stateful(&mut text);
                    text.surface_index = self.bits(22, 5);
                    self.coordinate_offset(&mut text.offset);
                } else {
                    self.linear_offset(&mut text);
                    self.scaling(&mut text);
                }
                text.addressed = true;
                self.answer(op, &text, decoded);
            }
            _ => {}
        }
        self.write(info.mnemonic, &text, &mut decoded.description);
    }

    fn write(&self, mnemonic: &str, text: &Text, out: &mut String) {
        out.push_str(mnemonic);
        out.push('.');
        out.push_str(self.sfid.map_or("", crate::decode::isa::parts::sfid_text));
        out.push_str(&text.controls);
        out.push_str(&text.data);
        out.push_str(&text.vector);
        out.push_str(text.address);
        if text.overfetch {
            out.push_str(".ovf");
        }
        out.push_str(text.cache);
        out.push_str(&text.more);
        out.push(' ');
        let [first, second] = self.wide.indirect;
        if text.surface {
            out.push_str("surf[");
            match first {
                Some(sub) => {
                    out.push_str("s0.");
                    number(out, sub);
                }
                None => out.push('?'),
            }
            if text.surface_index != 0 {
                out.push(',');
                number(out, text.surface_index);
            }
            out.push(']');
            if let Some(sub) = second {
                out.push_str("[,s0.");
                number(out, sub);
                out.push(']');
            }
        }
        out.push('[');
        let mut printed = false;
        if let Some(sub) = first
            && text.flat
        {
            out.push_str("s0.");
            number(out, sub);
            printed = true;
        }
        if text.addressed {
            if printed {
                out.push('+');
            }
            if text.scale != 0 {
                push_hex(out, text.scale.into(), 0);
                out.push('*');
            }
            out.push_str("src0");
        }
        if !text.offset.is_empty() {
            if !text.offset.starts_with('-') {
                out.push('+');
            }
            out.push_str(&text.offset);
        }
        out.push(']');
    }

    fn address_kind(&self, text: &mut Text, decoded: &mut Decoded) {
        let kind = self.bits(14, 2);
        decoded.address_bits = 32;
        if self.sfid == Some(Meaning::UGM) {
            text.address = entry(&LSC64_ADDR_TYPE_UGM, kind).unwrap_or_default();
            text.surface = kind == 3;
            text.flat = kind != 3;
            if kind == 2 {
                decoded.address_bits = 64;
            }
        } else {
            text.address = ".a32";
            text.flat = true;
        }
    }

    fn stateful(&self, text: &mut Text) {
        if self.bits(14, 2) == 3 {
            text.address = ".a32";
        }
    }

    pub fn hint(&self, out: &mut String) {
        let hint = self.bits(11, 3);
        match entry(&LSC64_SURFACE_HINT_TEXT, hint) {
            Some(text) => out.push_str(text),
            None => {
                out.push('.');
                push_hex(out, hint.into(), 0);
                out.push('?');
            }
        }
    }

    pub fn mask(&self, letters: &str, out: &mut String) -> u32 {
        let mask = self.bits(7, 4);
        out.push('.');
        for (at, letter) in letters.chars().enumerate() {
            if mask & 1 << at != 0 {
                out.push(letter);
            }
        }
        if mask == 0 {
            out.push_str("<empty>");
        }
        mask.count_ones()
    }

    fn elements(&self, mask: bool, text: &mut Text) {
        if mask {
            text.elements = self.mask("xyzw", &mut text.vector);
            return;
        }
        const LENGTHS: [u32; 8] = [1, 2, 3, 4, 8, 16, 32, 64];
        let at = usize::try_from(self.bits(7, 3)).unwrap_or_default();
        text.elements = LENGTHS.get(at).copied().unwrap_or(1);
        if text.elements > 1 {
            text.vector.push('x');
            number(&mut text.vector, text.elements);
        }
        if self.bits(10, 1) != 0 {
            text.vector.push('t');
            text.transposed = true;
        }
    }

    fn data_size(&self, text: &mut Text) {
        const SIZES: [(u32, u32); 6] = [(8, 8), (16, 16), (32, 32), (64, 64), (8, 32), (16, 32)];
        let code = self.bits(11, 3);
        match entry(&LSC64_DATA_SIZE_TEXT, code) {
            Some(size) => text.data.push_str(size),
            None => text.data.push_str(".d??"),
        }
        let at = usize::try_from(code).unwrap_or_default();
        (text.in_memory, text.in_register) = SIZES.get(at).copied().unwrap_or((0, 0));
    }

    fn caching(&self, group: SendGroup, text: &mut Text) {
        let list: &[(u8, &str)] = match group {
            SendGroup::Store => &LSC64_CACHE_STORE,
            SendGroup::Atomic => &LSC64_CACHE_ATOMIC,
            _ => &LSC64_CACHE_LOAD,
        };
        let code = self.bits(16, 4);
        text.cache = match list.iter().find(|(c, _)| u32::from(*c) == code) {
            Some((0, _)) => "",
            Some((_, cache)) => cache,
            None => ".?",
        };
    }

    fn linear_offset(&self, text: &mut Text) {
        let elements = if text.surface {
            text.surface_index = self.bits(22, 5);
            self.signed(27, 17)
        } else {
            self.signed(22, 22)
        };
        let bytes = elements * i64::from(text.in_memory) / 8;
        if bytes != 0 {
            push_offset(&mut text.offset, bytes);
        }
    }

    fn scaling(&self, text: &mut Text) {
        let code = self.bits(44, 2);
        if code != 0 && text.elements != 0 {
            text.scale = text.in_memory / 8 * text.elements;
        }
    }

    pub fn coordinate_offset(&self, out: &mut String) {
        let all = [self.signed(38, 4), self.signed(34, 4), self.signed(30, 4)];
        if all.iter().any(|c| *c != 0) {
            let mut separator = '(';
            for one in all {
                out.push(separator);
                push_signed(out, one);
                separator = ',';
            }
            out.push(')');
        }
    }

    /// Computes the size of the response of a load, a store or an atomic operation.
    fn answer(&self, op: SendOp, text: &Text, decoded: &mut Decoded) {
        let bytes = match op {
            SendOp::LoadStatus | SendOp::LoadQuadStatus => 2 * REGISTER,
            _ if text.transposed => text.in_register * text.elements / 8,
            _ => {
                let mut each = text.in_register * self.channels / 8;
                if each < REGISTER && text.elements > 1 {
                    each = REGISTER;
                }
                each * text.elements
            }
        };
        decoded.answer = match op.info().group {
            SendGroup::Store => Some(0),
            SendGroup::Other => None,
            _ => Some(bytes),
        };
    }

    fn fence(&self, decoded: &mut Decoded) {
        let out = &mut decoded.description;
        out.push_str("fence.");
        out.push_str(self.sfid.map_or("", crate::decode::isa::parts::sfid_text));
        out.push('.');
        out.push_str(entry(&LSC64_FENCE_OP_TEXT, self.bits(8, 3)).unwrap_or("?"));
        out.push('.');
        out.push_str(entry(&LSC64_FENCE_SCOPE_TEXT, self.bits(11, 3)).unwrap_or("?"));
        decoded.answer = Some(0);
    }
}
