//! Messages with 64-bit descriptors to shared functions other than the cache.

use super::wide::{REGISTER, Reader};
use super::{Decoded, number};
use crate::decode::isa::tables::{GATEWAY, SAMPLER_XE2, SendOp};

impl Reader<'_> {
    pub fn gateway(&self, decoded: &mut Decoded) {
        let code = self.bits(0, 6);
        let op = match code {
            5 => Some(SendOp::SignalNamedBarrier),
            0 | 4 | 8..=12 => GATEWAY
                .iter()
                .find(|(c, _)| u32::from(*c) == code)
                .map(|(_, op)| *op),
            _ => None,
        };
        decoded.answer = Some(match code {
            8 => REGISTER,
            12 => 4,
            _ => 0,
        });
        let Some(op) = op else {
            return;
        };
        let out = &mut decoded.description;
        out.push_str(op.info().text);
        match code {
            0 => out.push_str(match self.bits(7, 2) {
                0 => "",
                1 => " (replay saved)",
                2 => " (replay not run)",
                _ => " (empty state)",
            }),
            4 | 5 | 12 if self.bits(7, 1) == 0 => out.push_str(" (include exited)"),
            _ => {}
        }
    }

    pub fn spawn(&self, decoded: &mut Decoded) {
        let out = &mut decoded.description;
        match self.bits(0, 6) {
            1 => out.push_str(SendOp::Spawn.info().text),
            2 => {
                out.push_str(SendOp::Spawn.info().text);
                out.push_str(" (with overdispatch)");
            }
            _ => out.push('?'),
        }
        decoded.answer = Some(0);
    }

    pub fn render(&self, decoded: &mut Decoded) {
        let code = self.bits(0, 6);
        let out = &mut decoded.description;
        match code {
            2 => out.push_str(SendOp::RenderRead.info().text),
            5 => {
                out.push_str(SendOp::RenderWrite.info().text);
                out.push_str(" (dual source write)");
            }
            6 => out.push_str(SendOp::RenderWrite.info().text),
            _ => out.push('?'),
        }
        out.push_str(" of ");
        let elements = self.mask("xyzw", out);
        if self.bits(14, 1) != 0 {
            out.push_str(" with last render target select");
        }
        if self.bits(21, 1) != 0 {
            out.push_str(" with null target");
        }
        let mut extra = 0;
        for (at, name) in (34..).zip(["output mask", "depth", "stencil", "alpha"]) {
            if self.bits(at, 1) != 0 {
                out.push_str(if extra == 0 { " with " } else { ", " });
                out.push_str(name);
                extra += 1;
            }
        }
        decoded.answer = match code {
            2 => {
                let each = if self.channels == 32 { 2 } else { 1 };
                Some(REGISTER * each * (elements + extra))
            }
            5 | 6 => Some(0),
            _ => None,
        };
    }

    pub fn sampler(&self, decoded: &mut Decoded) {
        let code = self.bits(0, 6);
        let Some((_, op)) = SAMPLER_XE2.iter().find(|(c, _)| u32::from(*c) == code) else {
            return;
        };
        let info = op.op.info();
        let out = &mut decoded.description;
        out.push_str(info.mnemonic);
        let elements = if info.gather4 {
            out.push_str(match self.bits(9, 2) {
                0 => ".r",
                1 => ".g",
                2 => ".b",
                _ => ".a",
            });
            4
        } else {
            self.mask("rgba", out)
        };
        self.hint(out);
        if self.bits(14, 1) != 0 {
            out.push_str(".a16");
        }
        let half = self.bits(15, 1) != 0;
        if half {
            out.push_str(".d16");
        }
        let status = self.bits(20, 1) != 0;
        if status {
            out.push_str(".trtt");
        }
        let feedback = self.bits(21, 1);
        if feedback != 0 {
            out.push_str(".feedback");
        }
        let index = self.bits(27, 3);
        if (1..=6).contains(&index) {
            out.push_str(".smsidx=");
            number(out, index);
        }
        let index = self.bits(22, 5);
        if index != 0 {
            out.push_str(".ssidx=");
            number(out, index);
        }
        let mut offset = String::new();
        self.coordinate_offset(&mut offset);
        if !offset.is_empty() {
            out.push_str(".uvroff");
            out.push_str(&offset);
        }
        let [first, second] = self.lengths;
        let count = (first + second).saturating_sub(feedback) / 2;
        let mut separator = ": ";
        for (at, (_, name)) in (0_u32..).zip(op.parameters) {
            if *name == "none" || (at > 0 && at >= count) {
                break;
            }
            out.push_str(separator);
            out.push_str(name);
            separator = ",";
        }
        let each = (self.channels * if half { 16 } else { 32 } / 8).max(REGISTER);
        let mut bytes = each * elements;
        if status {
            bytes += REGISTER * if self.channels == 32 { 2 } else { 1 };
        }
        decoded.answer = Some(bytes);
    }
}
