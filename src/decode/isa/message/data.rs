//! Messages to the data caches before the load/store cache.

use super::{Decoded, MessageInput, number};
use crate::decode::isa::tables::{HDC_FLOAT_ATOMIC, HDC_INT_ATOMIC, Meaning};

pub(crate) fn decode(q: &MessageInput) -> Decoded {
    let mut decoded = Decoded {
        address_bits: 32,
        channels: q.full() / 2,
        ..Decoded::default()
    };
    match q.sfid {
        Some(Meaning::DP_DC0) => dc0(q, &mut decoded),
        Some(Meaning::DP_DC1) => dc1(q, &mut decoded),
        _ => dcro(q, &mut decoded),
    }
    decoded
}

/// Appends the number of 16-byte blocks.
fn blocks16(q: &MessageInput, out: &mut String) {
    out.push_str(match q.bits(8, 3) {
        0 => " x1",
        1 => " x1H",
        2 => " x2",
        3 => " x4",
        4 => " x8",
        5 => " x16",
        _ => " x0",
    });
}

/// Appends the number of 32-byte blocks.
fn blocks32(bits: u32, out: &mut String) {
    out.push_str(" x");
    number(out, 1_u32 << bits);
}

fn components(q: &MessageInput, out: &mut String) {
    out.push_str(" with ");
    let disabled = q.bits(8, 4);
    for (at, letter) in "xyzw".chars().enumerate() {
        if disabled & 1 << at == 0 {
            out.push(letter);
        }
    }
}

fn byte_size(q: &MessageInput, out: &mut String) {
    out.push_str(match q.bits(10, 2) {
        0 => " 8b",
        1 => " 16b",
        2 => " 32b",
        _ => "",
    });
}

fn dc0(q: &MessageInput, decoded: &mut Decoded) {
    let out = &mut decoded.description;
    match q.bits(14, 5) {
        0 => {
            out.push_str("oword block read");
            blocks16(q, out);
        }
        1 if q.rank >= 22 && q.bit(13) => {
            out.push_str("hword aligned block read");
            blocks32(q.bits(8, 3), out);
        }
        1 => {
            out.push_str("oword aligned block read");
            blocks16(q, out);
        }
        8 => {
            out.push_str("oword block write");
            blocks16(q, out);
        }
        9 => {
            out.push_str("hword aligned block write");
            blocks16(q, out);
        }
        2 => out.push_str("oword dual block read"),
        10 => out.push_str("oword dual block write"),
        4 => {
            out.push_str("byte gathering read");
            byte_size(q, out);
        }
        12 => {
            out.push_str("byte scattering write");
            byte_size(q, out);
        }
        kind @ (3 | 11) => {
            out.push_str(if kind == 3 {
                "dword gathering read"
            } else {
                "dword scattering write"
            });
            if q.bits(10, 2) != 0 {
                blocks32(q.bits(10, 2), out);
            }
        }
        5 => out.push_str("qword gathering read"),
        13 => out.push_str("qword scattering write"),
        7 => fence(q, out),
        _ if q.bit(18) => {
            out.push_str("hword scratch block ");
            out.push_str(if q.bit(17) { "write" } else { "read" });
            blocks32(q.bits(12, 2), out);
        }
        _ => {}
    }
}

fn fence(q: &MessageInput, out: &mut String) {
    if q.bit(13) {
        out.push_str("synchronized ");
    }
    match q.bits(0, 8) {
        254 => out.push_str("SLM fence"),
        0 => {
            out.push_str("global fence flushing");
            if q.bit(8) {
                out.push_str(" L1");
            }
            match q.bits(9, 4) {
                0 => {}
                15 => out.push_str(" all L3 data"),
                targets => {
                    out.push_str(" L3");
                    if targets & 8 != 0 {
                        out.push_str(" r/w data");
                    }
                    let mut first = true;
                    for (bit, text) in [
                        (4, " constant data"),
                        (2, " texture data"),
                        (1, " instruction data"),
                    ] {
                        if targets & bit != 0 {
                            if !first {
                                out.push(',');
                            }
                            first = false;
                            out.push_str(text);
                        }
                    }
                }
            }
        }
        _ => {}
    }
}

fn dc1(q: &MessageInput, decoded: &mut Decoded) {
    let out = &mut decoded.description;
    let kind = q.bits(14, 5);
    match kind {
        1 | 9 | 17 | 25 => {
            if kind >= 17 {
                out.push_str("a64 ");
            }
            out.push_str("untyped surface ");
            out.push_str(if kind & 8 == 0 { "read" } else { "write" });
            components(q, out);
        }
        16 | 26 => {
            let action = if kind == 16 {
                "gathering read"
            } else {
                "scattering write"
            };
            let size = match q.bits(8, 2) {
                1 => "dword ",
                2 => "qword ",
                _ => "byte ",
            };
            out.push_str("a64 ");
            out.push_str(size);
            out.push_str(action);
            if size == "byte " {
                byte_size(q, out);
            }
        }
        20 | 21 => {
            let action = if kind == 20 { "read" } else { "write" };
            match q.bits(11, 2) {
                2 => {
                    out.push_str("a64 dual block  ");
                    out.push_str(action);
                }
                sub => {
                    out.push_str(match sub {
                        0 => "a64 unaligned oword block ",
                        1 => "a64 aligned oword block ",
                        _ => "a64 unaligned hword block ",
                    });
                    out.push_str(action);
                    match sub {
                        3 => blocks32(q.bits(8, 3), out),
                        _ => blocks16(q, out),
                    }
                }
            }
        }
        29 => float_atomic(q, "a64 float atomic", 32, out),
        27 => float_atomic(q, "float atomic", 32, out),
        30 if q.rank >= 20 => float_atomic(q, "a64 untyped half-float atomic", 16, out),
        28 if q.rank >= 20 => float_atomic(q, "untyped half-float atomic", 16, out),
        18 => {
            let name = if q.bit(12) {
                "untyped a64 atomic int64"
            } else {
                "untyped a64 atomic int32"
            };
            int_atomic(q, name, out);
        }
        2 => int_atomic(q, "untyped atomic int32", out),
        19 if q.rank >= 20 => int_atomic(q, "untyped a64 atomic int16", out),
        3 if q.rank >= 20 => int_atomic(q, "untyped atomic int16", out),
        4 | 10 => media(q, kind == 4, out),
        5 | 13 | 14 => {
            out.push_str("typed surface ");
            out.push_str(if kind == 13 { "write" } else { "read" });
            if q.bits(12, 2) == 2 {
                out.push_str(" (high slot group)");
            }
            if kind == 14 {
                out.push_str(" returning status");
            }
            components(q, out);
            decoded.coordinates = true;
        }
        11 | 12 => {
            let name = match kind {
                11 => "typed atomic 32-bit counter",
                _ => "typed atomic 16-bit counter",
            };
            int_atomic(q, name, out);
            decoded.coordinates = true;
        }
        6 | 7 => {
            let name = match (kind, q.bit(12)) {
                (6, false) => "typed atomic 32-bit integer",
                (6, true) => "typed_sgh atomic 32-bit integer (slot group high)",
                (_, false) => "typed atomic 16-bit integer",
                (_, true) => "typed_sgh atomic 16-bit integer (slot group high)",
            };
            int_atomic(q, name, out);
            decoded.coordinates = kind == 7;
        }
        _ => {}
    }
}

fn int_atomic(q: &MessageInput, name: &str, out: &mut String) {
    let op = usize::try_from(q.bits(8, 4)).unwrap_or_default();
    out.push_str(name);
    out.push(' ');
    out.push_str(HDC_INT_ATOMIC.get(op).copied().unwrap_or_default());
}

fn float_atomic(q: &MessageInput, name: &str, size: u32, out: &mut String) {
    let op = q.bits(8, 3);
    if op == 0 {
        return;
    }
    out.push_str(name);
    out.push(' ');
    let at = usize::try_from(op).unwrap_or_default();
    out.push_str(HDC_FLOAT_ATOMIC.get(at).copied().unwrap_or_default());
    out.push_str(" (");
    number(out, if op >= 6 { 64 } else { size });
    out.push_str("b)");
    if q.bit(13) {
        out.push_str(" with return");
    }
}

fn media(q: &MessageInput, read: bool, out: &mut String) {
    out.push_str("media block ");
    out.push_str(if read { "read" } else { "write" });
    let stride = q.bits(8, 3);
    if stride == 0 {
        return;
    }
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

fn dcro(q: &MessageInput, decoded: &mut Decoded) {
    let out = &mut decoded.description;
    match q.bits(14, 5) {
        0 => {
            out.push_str("constant oword block read");
            blocks16(q, out);
        }
        1 => {
            out.push_str("constant aligned oword block read");
            blocks16(q, out);
        }
        3 => out.push_str("constant dword gathering read"),
        24 => out.push_str("A64 untyped surface CCS operation"),
        25 => out.push_str("A64 untyped surface uncompressed write"),
        23 => out.push_str("A64 page CCS update operation"),
        13 => out.push_str("typed surface uncompressed write"),
        12 => out.push_str("typed surface CCS update message"),
        9 => out.push_str("untyped surface uncompressed write"),
        _ => {}
    }
}
