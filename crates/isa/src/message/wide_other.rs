//! Messages with 64-bit descriptors to shared functions other than the cache.

use super::other::gateway;
use super::text::{Form, coordinate_offset, number};
use super::wide::{REGISTER, Reader, components, hint};
use super::{Action, Offset, Request};
use crate::encoding::SamplerOp;
use crate::tables::{GATEWAY, SAMPLER_XE2, SendOp};

/// A message to the render cache.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WideRenderForm {
    name: &'static str,
    components: u32,
    last: bool,
    null: bool,
    /// Output mask, depth, stencil, alpha.
    extra: [bool; 4],
}

/// A message to the sampler.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WideSamplerForm {
    op: &'static SamplerOp,
    /// The component that is gathered, or the mask of those that are returned.
    components: u32,
    hint: u32,
    half_coordinates: bool,
    half: bool,
    status: bool,
    feedback: bool,
    /// The index of the sampler's state, and that of the surface.
    indices: [u32; 2],
    offset: Offset,
    /// Number of parameters in the payload.
    parameters: u32,
}

impl Reader<'_> {
    pub(super) fn gateway(&self) -> Request {
        let code = self.bits(0, 6);
        let op = match code {
            5 => Some(SendOp::SignalNamedBarrier),
            0 | 4 | 8..=12 => GATEWAY
                .iter()
                .find(|(c, _)| u32::from(*c) == code)
                .map(|(_, op)| *op),
            _ => None,
        };
        let response = Some(match code {
            8 => REGISTER,
            12 => 4,
            _ => 0,
        });
        let Some(op) = op else {
            return Request {
                response,
                ..Request::default()
            };
        };
        let more = match code {
            0 => match self.bits(7, 2) {
                0 => "",
                1 => " (replay saved)",
                2 => " (replay not run)",
                _ => " (empty state)",
            },
            4 | 5 | 12 if self.bits(7, 1) == 0 => " (include exited)",
            _ => "",
        };
        let text = op.info().text;
        Request {
            response,
            form: Form::Pair(text, more),
            ..gateway(op, text)
        }
    }

    pub(super) fn spawn(&self) -> Request {
        let text = SendOp::Spawn.info().text;
        let form = match self.bits(0, 6) {
            1 => Form::Name(text),
            2 => Form::Pair(text, " (with overdispatch)"),
            _ => Form::Name("?"),
        };
        Request {
            response: Some(0),
            ..Request::named(Action::Other, form)
        }
    }

    pub(super) fn render(&self) -> Request {
        let code = self.bits(0, 6);
        let (action, name) = match code {
            2 => (Action::Load, SendOp::RenderRead.info().text),
            5 => (Action::Store, "render write (dual source write)"),
            6 => (Action::Store, SendOp::RenderWrite.info().text),
            _ => (Action::Unknown, "?"),
        };
        let components = self.bits(7, 4);
        let extra = [34, 35, 36, 37].map(|at| self.bits(at, 1) != 0);
        let response = match code {
            2 => {
                let each = if self.channels == 32 { 2 } else { 1 };
                let more: u32 = extra.iter().map(|set| u32::from(*set)).sum();
                Some(REGISTER * each * (components.count_ones() + more))
            }
            5 | 6 => Some(0),
            _ => None,
        };
        let form = Form::WideRender(WideRenderForm {
            name,
            components,
            last: self.bits(14, 1) != 0,
            null: self.bits(21, 1) != 0,
            extra,
        });
        Request {
            response,
            ..Request::named(action, form)
        }
    }

    pub(super) fn sampler(&self) -> Request {
        let code = self.bits(0, 6);
        let Some((_, op)) = SAMPLER_XE2.iter().find(|(c, _)| u32::from(*c) == code) else {
            return Request::default();
        };
        let gathers = op.op.info().gather4;
        let components = if gathers {
            self.bits(9, 2)
        } else {
            self.bits(7, 4)
        };
        let half = self.bits(15, 1) != 0;
        let status = self.bits(20, 1) != 0;
        let feedback = self.bits(21, 1);
        let [first, second] = self.lengths;
        let elements = if gathers { 4 } else { components.count_ones() };
        let each = (self.channels * if half { 16 } else { 32 } / 8).max(REGISTER);
        let mut bytes = each * elements;
        if status {
            bytes += REGISTER * if self.channels == 32 { 2 } else { 1 };
        }
        let form = Form::WideSampler(WideSamplerForm {
            op,
            components,
            hint: self.bits(11, 3),
            half_coordinates: self.bits(14, 1) != 0,
            half,
            status,
            feedback: feedback != 0,
            indices: [self.bits(27, 3), self.bits(22, 5)],
            offset: self.coordinate_offset(),
            parameters: (first + second).saturating_sub(feedback) / 2,
        });
        Request {
            response: Some(bytes),
            ..Request::named(Action::Sample, form)
        }
    }
}

impl WideRenderForm {
    /// Appends the text. Returns the end of the name.
    pub(super) fn write(&self, out: &mut String) -> usize {
        out.push_str(self.name);
        out.push_str(" of ");
        components("xyzw", self.components, out);
        let end = out.len();
        if self.last {
            out.push_str(" with last render target select");
        }
        if self.null {
            out.push_str(" with null target");
        }
        let names = ["output mask", "depth", "stencil", "alpha"];
        let mut separator = " with ";
        for (is_set, name) in self.extra.into_iter().zip(names) {
            if is_set {
                out.push_str(separator);
                out.push_str(name);
                separator = ", ";
            }
        }
        end
    }
}

impl WideSamplerForm {
    /// Appends the text. Returns the end of the name.
    pub(super) fn write(&self, out: &mut String) -> usize {
        let info = self.op.op.info();
        out.push_str(info.mnemonic);
        let end = out.len();
        if info.gather4 {
            out.push_str(match self.components {
                0 => ".r",
                1 => ".g",
                2 => ".b",
                _ => ".a",
            });
        } else {
            components("rgba", self.components, out);
        }
        hint(self.hint, out);
        for (is_set, text) in [
            (self.half_coordinates, ".a16"),
            (self.half, ".d16"),
            (self.status, ".trtt"),
            (self.feedback, ".feedback"),
        ] {
            if is_set {
                out.push_str(text);
            }
        }
        let [sampler, surface] = self.indices;
        if (1..=6).contains(&sampler) {
            out.push_str(".smsidx=");
            number(out, sampler);
        }
        if surface != 0 {
            out.push_str(".ssidx=");
            number(out, surface);
        }
        if let Offset::Coordinates(all) = self.offset {
            out.push_str(".uvroff");
            coordinate_offset(all, out);
        }
        let mut separator = ": ";
        for (at, (_, name)) in (0_u32..).zip(self.op.parameters) {
            if *name == "none" || (at > 0 && at >= self.parameters) {
                break;
            }
            out.push_str(separator);
            out.push_str(name);
            separator = ",";
        }
        end
    }
}
