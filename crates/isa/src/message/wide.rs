//! Messages with 64-bit descriptors (`sendg`).

use super::cache::action;
use super::text::{Form, entry, letters, number, sfid_text};
use super::{
    Access, Action, Coordinates, Data, LENGTHS, Message, Offset, Request, Surface, WideDescriptor,
};
use crate::encoding::SendGroup;
use crate::number::push_hex;
use crate::tables::{
    LSC64, LSC64_ADDR_TYPE_UGM, LSC64_CACHE_ATOMIC, LSC64_CACHE_LOAD, LSC64_CACHE_STORE,
    LSC64_CCTRL_SIZE_TEXT, LSC64_DATA_SIZE_TEXT, LSC64_FENCE_OP_TEXT, LSC64_FENCE_SCOPE_TEXT,
    LSC64_SURFACE_HINT_TEXT, Meaning, SendOp,
};
use crate::word::sign_extend;

pub(super) const REGISTER: u32 = 64;

pub(super) struct Reader<'a> {
    wide: &'a WideDescriptor,
    sfid: Option<Meaning>,
    pub channels: u32,
    pub lengths: [u32; 2],
}

pub(super) fn decode(message: &Message, wide: &WideDescriptor, channels: u32) -> Request {
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
    match message.sfid {
        Some(Meaning::UGM | Meaning::SLM | Meaning::TGM | Meaning::URB) => reader.cache(),
        Some(Meaning::GATEWAY) => reader.gateway(),
        Some(Meaning::RTA) if reader.bits(4, 2) == 0 => Request {
            response: Some(REGISTER),
            ..Request::named(Action::Other, Form::Name(SendOp::TraceRay.info().text))
        },
        Some(Meaning::BTD) => reader.spawn(),
        Some(Meaning::DP_RC) => reader.render(),
        Some(Meaning::SAMPLER) => reader.sampler(),
        _ => Request::default(),
    }
}

/// What precedes the size of the data.
#[derive(Clone, Copy, Debug, Default)]
enum Control {
    #[default]
    Nothing,
    /// The code of the kind of surface.
    Hint(u32),
    /// The number of a watchpoint.
    Watchpoint(u32),
}

/// The elements at an address.
#[derive(Clone, Copy, Debug, Default)]
enum Vector {
    #[default]
    Nothing,
    /// The components that are enabled.
    Components(u32),
    Elements {
        count: u32,
        transposed: bool,
    },
    /// Whether the elements of a block are transposed and packed.
    Block {
        transposed: bool,
        packed: bool,
    },
}

/// What follows the cache setting.
#[derive(Clone, Copy, Debug)]
struct CacheControl {
    action: u32,
    size: u32,
}

/// A message to the load/store cache.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WideForm {
    op: SendOp,
    control: Control,
    size: &'static str,
    vector: Vector,
    address: &'static str,
    overfetch: bool,
    cache_control: Option<CacheControl>,
    /// Whether the addresses are relative to a surface, whose index is added.
    surface: Option<u32>,
    /// Whether the addresses are relative to a scalar register.
    flat: bool,
    scale: u32,
    /// Whether source 0 contains addresses.
    addressed: bool,
}

/// A message to the load/store cache that is being decoded.
struct Parts {
    request: Request,
    form: WideForm,
    /// Bits of an element in a register.
    in_register: u32,
    elements: u32,
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

    fn cache(&self) -> Request {
        let code = self.bits(0, 6);
        let mut request = Request {
            first_level: self.bits(16, 4) > 2,
            ..Request::default()
        };
        let Some((_, op)) = LSC64.iter().find(|(c, _)| u32::from(*c) == code) else {
            return request;
        };
        let op = *op;
        if op == SendOp::Fence {
            return Request {
                action: Action::Fence,
                form: Form::WideFence {
                    op: self.bits(8, 3),
                    scope: self.bits(11, 3),
                },
                response: Some(0),
                ..request
            };
        }
        let info = op.info();
        let typed = self.sfid == Some(Meaning::TGM);
        request.op = Some(op);
        request.action = action(info.group);
        request.cache = Some("");
        let mut parts = Parts {
            request,
            form: WideForm {
                op,
                control: Control::Nothing,
                size: "",
                vector: Vector::Nothing,
                address: "",
                overfetch: false,
                cache_control: None,
                surface: None,
                flat: false,
                scale: 0,
                addressed: false,
            },
            in_register: 0,
            elements: 0,
            transposed: false,
        };
        // Bytes of an address in the payload.
        let mut address = 4;
        if op == SendOp::ExtendedCacheCtrl {
            parts.form.address = ".a64";
        } else if !typed {
            address = self.address_kind(&mut parts);
        }
        self.operation(op, typed, &mut parts);
        let Parts { mut request, .. } = parts;
        if !typed {
            let (elements, transposed) = if info.component_mask {
                (self.bits(7, 4).count_ones(), false)
            } else {
                (self.length(), self.bits(10, 1) != 0)
            };
            let size = self.bits(11, 3);
            let data = Data::of(size, elements, transposed);
            request.data = data.filter(|_| entry(&LSC64_DATA_SIZE_TEXT, size).is_some());
            request.access = Access::of(op, address, request.data).map(|access| Access {
                scale: parts.form.scale,
                ..access
            });
        }
        request.form = Form::Wide(parts.form);
        request
    }

    /// Decodes what the operation has.
    fn operation(&self, op: SendOp, typed: bool, parts: &mut Parts) {
        let info = op.info();
        match op {
            SendOp::ReadState if typed => {
                self.at_surface(parts);
                parts.form.addressed = true;
                parts.request.response = Some(REGISTER);
            }
            SendOp::Load
            | SendOp::LoadStatus
            | SendOp::Store
            | SendOp::LoadQuad
            | SendOp::LoadQuadStatus
            | SendOp::StoreQuad
                if !typed =>
            {
                self.elements(info.component_mask, parts);
                self.data_size(parts);
                self.caching(info.group, parts);
                parts.form.overfetch = self.bits(21, 1) != 0;
                self.linear_offset(parts);
                self.scaling(parts);
                parts.form.addressed = true;
                self.answer(op, parts);
            }
            SendOp::LoadBlock2d | SendOp::StoreBlock2d => {
                if typed {
                    self.stateful(parts);
                    self.coordinates(op, 0, parts);
                }
                parts.form.vector = Vector::Block {
                    transposed: self.bits(10, 1) != 0,
                    packed: self.bits(9, 1) != 0,
                };
                if self.data_size(parts) != 0 {
                    parts.request.offset = Offset::block(self.signed(22, 12), self.signed(34, 12));
                }
                self.caching(info.group, parts);
                parts.form.addressed = true;
                if info.group == SendGroup::Store {
                    parts.request.response = Some(0);
                }
            }
            SendOp::LoadQuad
            | SendOp::StoreQuad
            | SendOp::LoadQuadMsrt
            | SendOp::StoreQuadMsrt
            | SendOp::LoadQuadStatus
                if typed =>
            {
                parts.form.surface = Some(self.bits(22, 5));
                parts.form.control = Control::Hint(self.bits(11, 3));
                self.elements(true, parts);
                let half = self.bits(14, 1) != 0;
                parts.form.address = if half { ".a16" } else { ".a32" };
                self.coordinates(op, if half { 16 } else { 32 }, parts);
                let half = self.bits(15, 1) != 0;
                parts.form.size = if half { ".d16" } else { ".d32" };
                parts.in_register = if half { 16 } else { 32 };
                self.caching(info.group, parts);
                parts.request.offset = self.coordinate_offset();
                parts.form.addressed = true;
                self.answer(op, parts);
            }
            SendOp::GetWatchpoint | SendOp::SetWatchpoint if !typed => {
                parts.form.control = Control::Watchpoint(self.bits(7, 3));
                parts.request.response = Some(match op {
                    SendOp::GetWatchpoint => 10,
                    _ => 0,
                });
            }
            SendOp::ExtendedCacheCtrl if !typed => {
                self.caching(SendGroup::Load, parts);
                parts.form.cache_control = Some(CacheControl {
                    action: self.bits(7, 4),
                    size: self.bits(11, 2),
                });
            }
            _ if info.group == SendGroup::Atomic => {
                self.elements(info.component_mask, parts);
                self.data_size(parts);
                self.caching(info.group, parts);
                if typed {
                    self.coordinates(op, 32, parts);
                    self.at_surface(parts);
                    parts.request.offset = self.coordinate_offset();
                } else {
                    self.linear_offset(parts);
                    self.scaling(parts);
                }
                parts.form.addressed = true;
                self.answer(op, parts);
            }
            _ => {}
        }
    }

    /// Decodes the type of an address. Returns its bytes in the payload.
    fn address_kind(&self, parts: &mut Parts) -> u32 {
        if self.sfid != Some(Meaning::UGM) {
            parts.form.address = ".a32";
            parts.form.flat = true;
            return 4;
        }
        let kind = self.bits(14, 2);
        parts.form.address = entry(&LSC64_ADDR_TYPE_UGM, kind).unwrap_or_default();
        parts.form.flat = kind != 3;
        if kind == 3 {
            parts.form.surface = Some(0);
            parts.request.surface = Surface::Bindless;
        } else {
            parts.request.surface = Surface::Flat;
        }
        if kind == 2 { 8 } else { 4 }
    }

    fn stateful(&self, parts: &mut Parts) {
        if self.bits(14, 2) == 3 {
            parts.form.address = ".a32";
        }
    }

    /// Makes the addresses relative to a typed surface.
    fn at_surface(&self, parts: &mut Parts) {
        self.stateful(parts);
        parts.form.surface = Some(self.bits(22, 5));
    }

    fn coordinates(&self, op: SendOp, bits: u32, parts: &mut Parts) {
        parts.request.coordinates = Some(Coordinates {
            channels: self.channels,
            bits,
            samples: matches!(op, SendOp::LoadQuadMsrt | SendOp::StoreQuadMsrt),
        });
    }

    fn length(&self) -> u32 {
        let at = usize::try_from(self.bits(7, 3)).unwrap_or_default();
        LENGTHS.get(at).copied().unwrap_or(1)
    }

    fn elements(&self, mask: bool, parts: &mut Parts) {
        if mask {
            let mask = self.bits(7, 4);
            parts.elements = mask.count_ones();
            parts.form.vector = Vector::Components(mask);
            return;
        }
        parts.elements = self.length();
        parts.transposed = self.bits(10, 1) != 0;
        parts.form.vector = Vector::Elements {
            count: parts.elements,
            transposed: parts.transposed,
        };
    }

    /// Decodes the size of the data. Returns the bytes of an element in memory, 0 if the code has no
    /// meaning.
    fn data_size(&self, parts: &mut Parts) -> u32 {
        let code = self.bits(11, 3);
        let Some(text) = entry(&LSC64_DATA_SIZE_TEXT, code) else {
            parts.form.size = ".d??";
            return 0;
        };
        parts.form.size = text;
        let data = Data::of(code, 1, false);
        parts.in_register = data.map_or(0, |data| data.register * 8);
        data.map_or(0, |data| data.memory)
    }

    fn caching(&self, group: SendGroup, parts: &mut Parts) {
        let list: &[(u8, &str)] = match group {
            SendGroup::Store => &LSC64_CACHE_STORE,
            SendGroup::Atomic => &LSC64_CACHE_ATOMIC,
            _ => &LSC64_CACHE_LOAD,
        };
        let code = self.bits(16, 4);
        parts.request.cache = match list.iter().find(|(c, _)| u32::from(*c) == code) {
            Some((0, _)) => Some(""),
            Some((_, cache)) => Some(cache),
            None => None,
        };
    }

    fn linear_offset(&self, parts: &mut Parts) {
        let elements = match &mut parts.form.surface {
            Some(index) => {
                *index = self.bits(22, 5);
                self.signed(27, 17)
            }
            None => self.signed(22, 22),
        };
        parts.request.offset = Offset::bytes(elements * i64::from(self.data_size(parts)));
    }

    fn scaling(&self, parts: &mut Parts) {
        if self.bits(44, 2) != 0 && parts.elements != 0 {
            parts.form.scale = self.data_size(parts) * parts.elements;
        }
    }

    pub fn coordinate_offset(&self) -> Offset {
        let all = [self.signed(38, 4), self.signed(34, 4), self.signed(30, 4)];
        match all {
            [0, 0, 0] => Offset::None,
            all => Offset::Coordinates(all),
        }
    }

    /// Computes the size of the response of a load, a store or an atomic operation.
    fn answer(&self, op: SendOp, parts: &mut Parts) {
        let bytes = match op {
            SendOp::LoadStatus | SendOp::LoadQuadStatus => 2 * REGISTER,
            _ if parts.transposed => parts.in_register * parts.elements / 8,
            _ => {
                let mut each = parts.in_register * self.channels / 8;
                if each < REGISTER && parts.elements > 1 {
                    each = REGISTER;
                }
                each * parts.elements
            }
        };
        parts.request.response = match op.info().group {
            SendGroup::Store => Some(0),
            SendGroup::Other => None,
            _ => Some(bytes),
        };
    }
}

/// Appends the kind of surface.
pub(super) fn hint(code: u32, out: &mut String) {
    match entry(&LSC64_SURFACE_HINT_TEXT, code) {
        Some(text) => out.push_str(text),
        None => {
            out.push('.');
            push_hex(out, code.into(), 0);
            out.push('?');
        }
    }
}

/// Appends the enabled components.
pub(super) fn components(names: &str, mask: u32, out: &mut String) {
    out.push('.');
    letters(names, mask, out);
    if mask == 0 {
        out.push_str("<empty>");
    }
}

/// Appends the text of a fence. Returns the end of the name.
pub(super) fn fence(sfid: Option<Meaning>, op: u32, scope: u32, out: &mut String) -> usize {
    out.push_str("fence.");
    out.push_str(sfid.map_or("", sfid_text));
    let end = out.len();
    out.push('.');
    out.push_str(entry(&LSC64_FENCE_OP_TEXT, op).unwrap_or("?"));
    out.push('.');
    out.push_str(entry(&LSC64_FENCE_SCOPE_TEXT, scope).unwrap_or("?"));
    end
}

impl WideForm {
    /// Appends the text. Returns the end of the name.
    pub(super) fn write(&self, message: &Message, out: &mut String) -> usize {
        out.push_str(self.op.info().mnemonic);
        out.push('.');
        out.push_str(message.sfid.map_or("", sfid_text));
        let end = out.len();
        match self.control {
            Control::Nothing => {}
            Control::Hint(code) => hint(code, out),
            Control::Watchpoint(at) => {
                out.push('.');
                out.push_str(self.address);
                out.push_str(".w");
                number(out, at);
            }
        }
        out.push_str(self.size);
        self.write_vector(out);
        out.push_str(self.address);
        if self.overfetch {
            out.push_str(".ovf");
        }
        out.push_str(message.request.cache.unwrap_or(".?"));
        if let Some(control) = self.cache_control {
            out.push_str(match control.action {
                0 => ".set",
                1 => ".reset",
                _ => "",
            });
            out.push_str(entry(&LSC64_CCTRL_SIZE_TEXT, control.size).unwrap_or_default());
        }
        out.push(' ');
        let [first, second] = message.wide.map_or([None; 2], |wide| wide.indirect);
        self.write_surface(first, second, out);
        out.push('[');
        let mut printed = false;
        if let Some(sub) = first
            && self.flat
        {
            out.push_str("s0.");
            number(out, sub);
            printed = true;
        }
        if self.addressed {
            if printed {
                out.push('+');
            }
            if self.scale != 0 {
                push_hex(out, self.scale.into(), 0);
                out.push('*');
            }
            out.push_str("src0");
        }
        message.request.offset.write(out);
        out.push(']');
        end
    }

    fn write_vector(&self, out: &mut String) {
        let (transposed, packed) = match self.vector {
            Vector::Nothing => return,
            Vector::Components(mask) => return components("xyzw", mask, out),
            Vector::Elements { count, transposed } => {
                if count > 1 {
                    out.push('x');
                    number(out, count);
                }
                (transposed, false)
            }
            Vector::Block { transposed, packed } => (transposed, packed),
        };
        if transposed {
            out.push('t');
        }
        if packed {
            out.push('v');
        }
    }

    /// Appends the surface, by the subregisters of its descriptors.
    fn write_surface(&self, first: Option<u16>, second: Option<u16>, out: &mut String) {
        let Some(index) = self.surface else {
            return;
        };
        out.push_str("surf[");
        match first {
            Some(sub) => {
                out.push_str("s0.");
                number(out, sub);
            }
            None => out.push('?'),
        }
        if index != 0 {
            out.push(',');
            number(out, index);
        }
        out.push(']');
        if let Some(sub) = second {
            out.push_str("[,s0.");
            number(out, sub);
            out.push(']');
        }
    }
}
