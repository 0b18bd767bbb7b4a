//! Messages to the sampler, the gateway, the render cache, ray tracing and the like.

use super::{Decoded, MessageInput, number};
use crate::decode::isa::instruction::Descriptor;
use crate::decode::isa::tables::{
    GATEWAY, Meaning, SAMPLER_MODES_GEN9, SAMPLER_MODES_XE_HPG, SAMPLER_MODES_XE2, SAMPLER_OLD,
    SAMPLER_OLD_SIMD32, SAMPLER_XE2,
};

pub(crate) fn decode(q: &MessageInput) -> Decoded {
    let mut decoded = Decoded::default();
    let out = &mut decoded.description;
    match q.sfid {
        Some(Meaning::GATEWAY) => {
            let code = q.bits(0, 4);
            let op = GATEWAY.iter().find(|(c, _)| u32::from(*c) == code);
            out.push_str(op.map_or("", |(_, op)| op.info().text));
        }
        Some(Meaning::SPAWNER) if q.bits(0, 3) == 0 => out.push_str("end of thread"),
        Some(Meaning::BTD) => {
            let over = match q.bits(14, 4) {
                1 => "",
                2 => " overdispatched",
                _ => return decoded,
            };
            out.push_str("bindless simd");
            number(out, if q.bit(8) { 16_u32 } else { 8 });
            out.push_str(" spawn thread");
            out.push_str(over);
        }
        Some(Meaning::RTA) if q.bits(14, 4) == 0 => {
            out.push_str("simd");
            number(out, if q.bit(8) { 16_u32 } else { 8 });
            out.push_str(" trace ray");
        }
        Some(Meaning::URB) => urb(q, out),
        Some(Meaning::SAMPLER) => sampler(q, out),
        Some(Meaning::DP_RC) if q.rank >= 30 => render_xe2(q, out),
        Some(Meaning::DP_RC) => render(q, out),
        _ => {}
    }
    decoded
}

fn urb(q: &MessageInput, out: &mut String) {
    match q.bits(0, 4) {
        7 => {
            out.push_str("urb dword ");
            if q.bit(15) {
                out.push_str("masked ");
            }
            out.push_str("write");
        }
        8 => out.push_str("urb dword read"),
        9 => return out.push_str("urb fence"),
        _ => return,
    }
    if q.bit(17) {
        out.push_str(" with per-slot offset enabled");
    }
}

fn sampler(q: &MessageInput, out: &mut String) {
    let modes = match q.rank {
        ..22 => &SAMPLER_MODES_GEN9,
        22..30 => &SAMPLER_MODES_XE_HPG,
        _ => &SAMPLER_MODES_XE2,
    };
    let mode = q.bits(29, 1) << 2 | q.bits(17, 2);
    let at = usize::try_from(mode).unwrap_or_default();
    out.push_str(modes.get(at).copied().unwrap_or_default());
    if q.bit(30) {
        out.push_str(" 16b");
    }
    out.push(' ');
    let code = q.bits(31, 1) << 5 | q.bits(12, 5);
    if q.rank >= 30 {
        match SAMPLER_XE2.iter().find(|(c, _)| u32::from(*c) == code) {
            Some((_, op)) => {
                out.push_str(op.name);
                let half = matches!(mode, 5 | 6);
                let mut separator = ":";
                for (short, full) in op.parameters {
                    let name = if half { short } else { full };
                    if *name == "none" {
                        break;
                    }
                    out.push_str(separator);
                    out.push_str(name);
                    separator = ",";
                }
            }
            None => out.push_str("<<invalid>>:"),
        }
    } else {
        let list: &[(u8, &str)] = match (mode, q.rank) {
            (3, ..22) => &SAMPLER_OLD_SIMD32,
            _ => &SAMPLER_OLD,
        };
        let op = list.iter().find(|(c, _)| u32::from(*c) == code);
        out.push_str(op.map_or("?", |(_, text)| text));
    }
    out.push_str(" using sampler index ");
    number(out, q.bits(8, 4));
}

fn render(q: &MessageInput, out: &mut String) {
    let kind = q.bits(14, 4);
    let (write, read) = (kind == 12, kind == 13);
    out.push_str(if q.bit(30) { "half" } else { "full" });
    out.push_str("-precision ");
    out.push_str(match (write, read) {
        (true, _) => "render target write",
        (_, true) => "render target read",
        _ => "unknown render target op",
    });
    let full = q.full();
    let sub = q.bits(8, 3);
    let (text, size) = match (write, sub) {
        (true, 0) => (" SIMD", full),
        (true, 1) => (" replicated SIMD", full),
        (true, 2) => (" of low SIMD", full / 2),
        (true, 3) => (" of high SIMD", full / 2),
        (true, 4) => (" SIMD", full / 2),
        (true, _) => ("unknown write subop", 0),
        (false, 0) if read => (" SIMD", full),
        (false, 1) if read => (" SIMD", full / 2),
        (false, _) if read => ("unknown read subop", 0),
        _ => ("", 0),
    };
    out.push_str(text);
    if size != 0 {
        number(out, size);
    }
    if write && q.bit(18) {
        out.push_str(" with Per-Coarse Pixel PS outputs enable");
    }
    if q.bit(13) {
        out.push_str(" with Per-Sample Pixel PS outputs enable");
    }
    if write && q.bit(12) {
        out.push_str("; last render target");
    }
    if q.bit(11) {
        out.push_str(" slot group high");
    }
    out.push_str(" to surface ");
    number(out, q.bits(0, 8));
}

fn render_xe2(q: &MessageInput, out: &mut String) {
    let kind = q.bits(14, 4);
    let (write, read) = (kind == 12, kind == 13);
    out.push_str(match (write, read, q.bits(8, 2)) {
        (true, _, 2) => "render write dual",
        (true, _, 0) => "render write",
        (_, true, _) => "render read",
        _ => "unknown render target op",
    });
    for (applies, bit, text) in [
        (write, 29, "  multirate coarse pixel shading"),
        (write, 18, "  per-sample outputs coarse pixel shading"),
        (true, 13, "  per-sample pixel shading"),
        (true, 12, "  last render target select"),
    ] {
        if applies && q.bit(bit) {
            out.push_str(text);
        }
    }
    if q.channels != 32 && q.bit(11) {
        out.push_str(" slot group high16");
    }
    out.push_str(" to bti[");
    number(out, q.bits(0, 8));
    out.push(']');
    if let Descriptor::Immediate(extended) = q.extended {
        if !read {
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
}
