//! Messages to the sampler, the gateway, the render cache, ray tracing and the like.

use super::data::Tail;
use super::text::{Form, entry, number};
use super::{Action, Descriptor, MessageInput, Request, Surface};
use crate::encoding::SamplerOp;
use crate::tables::{
    GATEWAY, Meaning, SAMPLER_MODES_GEN9, SAMPLER_MODES_XE_HPG, SAMPLER_MODES_XE2, SAMPLER_OLD,
    SAMPLER_OLD_SIMD32, SAMPLER_XE2, SendOp,
};

/// An operation of the sampler.
#[derive(Clone, Copy, Debug)]
enum Sample {
    /// With the names of its parameters.
    Named(&'static SamplerOp),
    /// By name, before Xe2.
    Old(&'static str),
    Invalid,
}

/// A message to the sampler.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SamplerForm {
    mode: &'static str,
    /// Whether the parameters have 16 bits.
    has_half_parameters: bool,
    is_half: bool,
    op: Sample,
    sampler: u32,
}

/// A message to the render cache, before Xe2.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RenderForm {
    is_half: bool,
    access: Option<Action>,
    text: &'static str,
    /// Number of channels, or 0.
    channels: u32,
    per_coarse_pixel: bool,
    per_sample: bool,
    last: bool,
    high: bool,
    surface: u32,
}

/// A message to the render cache.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RenderXe2Form {
    name: &'static str,
    is_read: bool,
    /// Coarse pixels at several rates, outputs per sample, pixels per sample, last target.
    flags: [bool; 4],
    high: bool,
    surface: u32,
    extended: Option<u32>,
}

pub(super) fn decode(q: &MessageInput) -> Request {
    let channels = |wide: bool| if wide { 16 } else { 8 };
    let threads = |before, after| {
        let form = Form::Threads(before, channels(q.bit(8)), after);
        Request::named(Action::Other, form)
    };
    match q.sfid {
        Some(Meaning::GATEWAY) => {
            let code = q.bits(0, 4);
            let op = GATEWAY.iter().find(|(c, _)| u32::from(*c) == code);
            op.map_or_else(Request::default, |(_, op)| gateway(*op, op.info().text))
        }
        Some(Meaning::SPAWNER) if q.bits(0, 3) == 0 => {
            Request::named(Action::EndOfThread, Form::Name("end of thread"))
        }
        Some(Meaning::BTD) => match q.bits(14, 4) {
            1 => threads("bindless simd", " spawn thread"),
            2 => threads("bindless simd", " spawn thread overdispatched"),
            _ => Request::default(),
        },
        Some(Meaning::RTA) if q.bits(14, 4) == 0 => threads("simd", " trace ray"),
        Some(Meaning::URB) => urb(q),
        Some(Meaning::SAMPLER) => sampler(q),
        Some(Meaning::DP_RC) if q.rank >= 30 => render_xe2(q),
        Some(Meaning::DP_RC) => render(q),
        _ => Request::default(),
    }
}

/// Returns a message to the gateway.
pub(super) fn gateway(op: SendOp, text: &'static str) -> Request {
    let action = match op {
        SendOp::SignalBarrier
        | SendOp::SignalNamedBarrier
        | SendOp::SignalSystemRoutineBarrier
        | SendOp::SaveBarrier
        | SendOp::RestoreBarrier => Action::Barrier,
        SendOp::Eot | SendOp::Eotr => Action::EndOfThread,
        _ => Action::Other,
    };
    Request::named(action, Form::Name(text))
}

fn urb(q: &MessageInput) -> Request {
    let tail = Tail::SlotOffset(q.bit(17));
    let (action, name) = match q.bits(0, 4) {
        7 if q.bit(15) => (Action::Store, "urb dword masked write"),
        7 => (Action::Store, "urb dword write"),
        8 => (Action::Load, "urb dword read"),
        9 => return Request::named(Action::Fence, Form::Name("urb fence")),
        _ => return Request::default(),
    };
    Request::named(action, Form::Named(name, tail))
}

fn sampler(q: &MessageInput) -> Request {
    let modes = match q.rank {
        ..22 => &SAMPLER_MODES_GEN9,
        22..30 => &SAMPLER_MODES_XE_HPG,
        _ => &SAMPLER_MODES_XE2,
    };
    let mode = q.bits(29, 1) << 2 | q.bits(17, 2);
    let code = q.bits(31, 1) << 5 | q.bits(12, 5);
    let op = if q.rank >= 30 {
        let op = SAMPLER_XE2.iter().find(|(c, _)| u32::from(*c) == code);
        op.map_or(Sample::Invalid, |(_, op)| Sample::Named(op))
    } else {
        let list: &[(u8, &str)] = match (mode, q.rank) {
            (3, ..22) => &SAMPLER_OLD_SIMD32,
            _ => &SAMPLER_OLD,
        };
        let op = list.iter().find(|(c, _)| u32::from(*c) == code);
        Sample::Old(op.map_or("?", |(_, text)| text))
    };
    let form = Form::Sampler(SamplerForm {
        mode: entry(modes, mode).unwrap_or_default(),
        has_half_parameters: matches!(mode, 5 | 6),
        is_half: q.bit(30),
        op,
        sampler: q.bits(8, 4),
    });
    let surface = match q.rank {
        ..43 => Surface::Table(Some(q.bits(0, 8))),
        _ => Surface::None,
    };
    Request {
        surface,
        ..Request::named(Action::Sample, form)
    }
}

fn render(q: &MessageInput) -> Request {
    let access = match q.bits(14, 4) {
        12 => Some(Action::Store),
        13 => Some(Action::Load),
        _ => None,
    };
    let write = access == Some(Action::Store);
    let full = q.full();
    let (text, channels) = match (access, q.bits(8, 3)) {
        (Some(Action::Store), 0) => (" SIMD", full),
        (Some(Action::Store), 1) => (" replicated SIMD", full),
        (Some(Action::Store), 2) => (" of low SIMD", full / 2),
        (Some(Action::Store), 3) => (" of high SIMD", full / 2),
        (Some(Action::Store), 4) => (" SIMD", full / 2),
        (Some(Action::Store), _) => ("unknown write subop", 0),
        (Some(_), 0) => (" SIMD", full),
        (Some(_), 1) => (" SIMD", full / 2),
        (Some(_), _) => ("unknown read subop", 0),
        (None, _) => ("", 0),
    };
    let form = Form::Render(RenderForm {
        is_half: q.bit(30),
        access,
        text,
        channels,
        per_coarse_pixel: write && q.bit(18),
        per_sample: q.bit(13),
        last: write && q.bit(12),
        high: q.bit(11),
        surface: q.bits(0, 8),
    });
    Request::named(access.unwrap_or_default(), form)
}

fn render_xe2(q: &MessageInput) -> Request {
    let kind = q.bits(14, 4);
    let (action, name) = match (kind, q.bits(8, 2)) {
        (12, 2) => (Action::Store, "render write dual"),
        (12, 0) => (Action::Store, "render write"),
        (13, _) => (Action::Load, "render read"),
        _ => (Action::Unknown, "unknown render target op"),
    };
    let write = kind == 12;
    let form = Form::RenderXe2(RenderXe2Form {
        name,
        is_read: kind == 13,
        flags: [write && q.bit(29), write && q.bit(18), q.bit(13), q.bit(12)],
        high: q.channels != 32 && q.bit(11),
        surface: q.bits(0, 8),
        extended: match q.extended {
            Descriptor::Immediate(value) => Some(value),
            Descriptor::Register(_) => None,
        },
    });
    Request::named(action, form)
}

impl SamplerForm {
    /// Appends the text. Returns the end of the name.
    pub(super) fn write(&self, out: &mut String) -> usize {
        out.push_str(self.mode);
        if self.is_half {
            out.push_str(" 16b");
        }
        out.push(' ');
        match self.op {
            Sample::Named(op) => {
                out.push_str(op.name);
                let names = op.parameters.iter().map(|(short, full)| {
                    if self.has_half_parameters {
                        *short
                    } else {
                        *full
                    }
                });
                let mut separator = ":";
                for name in names.take_while(|name| *name != "none") {
                    out.push_str(separator);
                    out.push_str(name);
                    separator = ",";
                }
            }
            Sample::Old(text) => out.push_str(text),
            Sample::Invalid => out.push_str("<<invalid>>:"),
        }
        let end = out.len();
        out.push_str(" using sampler index ");
        number(out, self.sampler);
        end
    }
}

impl RenderForm {
    /// Appends the text. Returns the end of the name.
    pub(super) fn write(&self, out: &mut String) -> usize {
        out.push_str(if self.is_half { "half" } else { "full" });
        out.push_str("-precision ");
        out.push_str(match self.access {
            Some(Action::Store) => "render target write",
            Some(_) => "render target read",
            None => "unknown render target op",
        });
        out.push_str(self.text);
        if self.channels != 0 {
            number(out, self.channels);
        }
        let end = out.len();
        if self.per_coarse_pixel {
            out.push_str(" with Per-Coarse Pixel PS outputs enable");
        }
        if self.per_sample {
            out.push_str(" with Per-Sample Pixel PS outputs enable");
        }
        if self.last {
            out.push_str("; last render target");
        }
        if self.high {
            out.push_str(" slot group high");
        }
        out.push_str(" to surface ");
        number(out, self.surface);
        end
    }
}

impl RenderXe2Form {
    /// Appends the text. Returns the end of the name.
    pub(super) fn write(&self, out: &mut String) -> usize {
        out.push_str(self.name);
        let end = out.len();
        for (flag, text) in self.flags.into_iter().zip([
            "  multirate coarse pixel shading",
            "  per-sample outputs coarse pixel shading",
            "  per-sample pixel shading",
            "  last render target select",
        ]) {
            if flag {
                out.push_str(text);
            }
        }
        if self.high {
            out.push_str(" slot group high16");
        }
        out.push_str(" to bti[");
        number(out, self.surface);
        out.push(']');
        if let Some(extended) = self.extended {
            if !self.is_read {
                out.push_str(".rti[");
                number(out, (extended >> 21) & 7);
                out.push(']');
            }
            if extended & 0xf000 != 0 {
                out.push_str(" with ex params ");
                for (bit, text) in [(15, ".s0a"), (14, ".stncl"), (13, ".sz"), (12, ".om")] {
                    if extended & 1 << bit != 0 {
                        out.push_str(text);
                    }
                }
            }
        }
        end
    }
}
