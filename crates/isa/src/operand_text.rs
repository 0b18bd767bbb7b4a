//! Text of operands.

use super::decode::{low8, low16, low32};
use super::format::{Labels, Line};
use super::instruction::{Instruction, Operand, OperandKind, Region, RegisterName};
use super::number::{push_double, push_half, push_hex, push_signed, push_single};
use super::tables::{Meaning, Op};

/// Writes a register with its number.
fn bare(name: RegisterName, number: u16, line: &mut Line<'_>) {
    match name {
        RegisterName::General => {
            line.text("r");
            line.decimal(number);
        }
        RegisterName::Architecture(register) => {
            line.text(register.name);
            if register.count > 0 || number != 0 {
                line.decimal(number);
            }
        }
        RegisterName::Unknown => line.text("RegName::???"),
    }
}

fn write_register(name: RegisterName, number: u16, sub: u16, shows: bool, line: &mut Line<'_>) {
    bare(name, number, line);
    let has = match name {
        RegisterName::General => true,
        RegisterName::Architecture(register) => register.subregisters,
        RegisterName::Unknown => return,
    };
    // Also of registers without subregisters: the bits are there, and the assembler prints them.
    if has && shows || sub != 0 {
        line.text(".");
        line.decimal(sub);
    }
}

fn write_indirect(sub: u16, offset: i16, line: &mut Line<'_>) {
    line.text("r[a0.");
    line.decimal(sub);
    if offset != 0 {
        line.text(",");
        push_signed(line.out, offset.into());
    }
    line.text("]");
}

fn write_extra(extra: Option<Meaning>, line: &mut Line<'_>) {
    match extra {
        Some(extra) => {
            line.text(".");
            line.text(extra.name());
        }
        None => line.text("MathMacroExt::INVALID"),
    }
}

fn write_region(region: Region, line: &mut Line<'_>) {
    let (vertical, width, horizontal) = match region {
        Region::Hidden => return,
        Region::Invalid => (None, None, None),
        Region::Full(vertical, width, horizontal) => (vertical, width, horizontal),
        Region::Ternary(vertical, horizontal) => (vertical, None, horizontal),
        Region::Horizontal(horizontal) => (None, None, horizontal),
        Region::Vxh(width, horizontal) => {
            if let (Some(width), Some(horizontal)) = (width, horizontal) {
                line.text("<");
                line.decimal(width);
                line.text(",");
                line.decimal(horizontal);
                line.text(">");
            } else if let Some(horizontal) = horizontal {
                line.text("<31;");
                line.decimal(horizontal);
                line.text(">");
            } else {
                line.text("Region::INVALID");
            }
            return;
        }
    };
    match (vertical, width, horizontal) {
        (Some(vertical), Some(width), Some(horizontal)) => {
            line.text("<");
            line.decimal(vertical);
            line.text(";");
            line.decimal(width);
            line.text(",");
            line.decimal(horizontal);
        }
        (Some(vertical), None, Some(horizontal)) => {
            line.text("<");
            line.decimal(vertical);
            line.text(";");
            line.decimal(horizontal);
        }
        (None, None, Some(horizontal)) => {
            line.text("<");
            line.decimal(horizontal);
        }
        // The assembler's own bit pattern: 6 for the vertical stride, 5 for the width.
        (None, Some(width), Some(horizontal)) => {
            line.text("<0x");
            let bits = 0x3f | u32::from(width) << 6 | u32::from(horizontal) << 11;
            let mut hex = String::new();
            push_hex(&mut hex, bits.into(), 0);
            hex.make_ascii_lowercase();
            line.text(hex.trim_start_matches("0x"));
            line.text("?");
        }
        _ => {
            line.text("Region::INVALID");
            return;
        }
    }
    line.text(">");
}

fn write_type(operand: &Operand, line: &mut Line<'_>) {
    if !operand.shows_type {
        return;
    }
    line.text(":");
    line.text(operand.data_type.map_or("Type::INVALID", Meaning::name));
}

pub(super) fn write_destination(destination: &Operand, line: &mut Line<'_>) {
    if destination.saturate {
        line.text("(sat)");
    }
    match destination.kind {
        OperandKind::Register {
            name,
            number,
            sub,
            shows_sub,
        } => write_register(name, number, sub, shows_sub, line),
        OperandKind::Macro {
            name,
            number,
            extra,
        } => {
            bare(name, number, line);
            write_extra(extra, line);
        }
        OperandKind::Indirect { sub, offset } => write_indirect(sub, offset, line),
        _ => line.text("Operand::Kind::?"),
    }
    write_region(destination.region, line);
    write_type(destination, line);
}

pub(super) fn write_source(i: &Instruction, source: &Operand, labels: Labels, line: &mut Line<'_>) {
    if let Some(modifier) = source.modifier {
        let bitwise = matches!(i.op, Op::And | Op::Or | Op::Xor | Op::Not | Op::Bfn);
        line.text(match modifier {
            Meaning::Absolute => "(abs)",
            Meaning::Negative if bitwise => "~",
            Meaning::Negative => "-",
            Meaning::Negative_Absolute => "-(abs)",
            _ => "",
        });
    }
    match source.kind {
        OperandKind::None => line.text("???"),
        OperandKind::Register {
            name,
            number,
            sub,
            shows_sub,
        } => write_register(name, number, sub, shows_sub, line),
        OperandKind::Macro {
            name,
            number,
            extra,
        } => {
            bare(name, number, line);
            write_extra(extra, line);
        }
        OperandKind::Indirect { sub, offset } => write_indirect(sub, offset, line),
        OperandKind::Immediate(value) => immediate(value, source.data_type, line),
        OperandKind::Label(target) => label(i, target, labels, line),
        OperandKind::Payload {
            name,
            number,
            length,
        } => {
            if matches!(name, RegisterName::Unknown) {
                return line.text("???");
            }
            bare(name, number, line);
            line.text(":");
            if let Some(length) = length {
                line.decimal(length);
            } else {
                line.text("-1");
            }
        }
        OperandKind::Gather {
            number,
            sub,
            length,
        } => {
            line.text("r[s");
            line.decimal(number);
            line.text(".");
            line.decimal(sub);
            line.text("]");
            if let Some(length) = length {
                line.text(":");
                line.decimal(length);
            }
        }
    }
    write_region(source.region, line);
    write_type(source, line);
}

/// Writes the tokens that `sync` waits for.
pub(super) fn tokens(set: u32, line: &mut Line<'_>) {
    line.text("(");
    let mut first = true;
    for token in 0..32_u8 {
        if set & 1 << token != 0 {
            line.text(if first { "$" } else { ",$" });
            line.decimal(token);
            first = false;
        }
    }
    line.text(")");
}

fn label(i: &Instruction, target: i32, labels: Labels, line: &mut Line<'_>) {
    match labels {
        Labels::Numeric => line.uncounted(|out| push_signed(out, target.into())),
        Labels::Names(at) => {
            let target = absolute(i, target, at);
            line.uncounted(|out| push_label(out, target));
        }
    }
}

/// Returns the absolute branch target of an instruction at an offset.
#[must_use]
pub fn absolute(i: &Instruction, target: i32, at: i32) -> i32 {
    match i.op {
        Op::Calla => target,
        _ => target.wrapping_add(at),
    }
}

/// Appends the label of an offset.
pub fn push_label(out: &mut String, target: i32) {
    out.push('L');
    if target < 0 {
        out.push_str("_N");
    }
    // The assembler negates in 32 bits.
    push_signed(out, target.wrapping_abs().into());
}

fn immediate(value: u64, data_type: Option<Meaning>, line: &mut Line<'_>) {
    let signed = |bits: u32| super::word::sign_extend(value, bits).cast_signed();
    let Some(data_type) = data_type else {
        line.text("???");
        return;
    };
    match data_type {
        // The assembler writes the byte as a character. Control characters would break the line.
        Meaning::b => line.uncounted(|out| match char::from(low8(value)) {
            letter if letter.is_control() => push_hex(out, low8(value).into(), 0),
            letter => out.push(letter),
        }),
        Meaning::w => line.uncounted(|out| push_signed(out, signed(16))),
        Meaning::d => line.uncounted(|out| push_signed(out, signed(32))),
        Meaning::q => line.uncounted(|out| push_signed(out, signed(64))),
        Meaning::ub | Meaning::bf8 | Meaning::hf8 => {
            line.uncounted(|out| push_hex(out, low8(value).into(), 0));
        }
        Meaning::uw | Meaning::bf => line.uncounted(|out| push_hex(out, low16(value).into(), 0)),
        Meaning::ud | Meaning::v | Meaning::uv | Meaning::vf => {
            line.uncounted(|out| push_hex(out, low32(value).into(), 0));
        }
        Meaning::uq => line.uncounted(|out| push_hex(out, value, 0)),
        Meaning::hf => {
            line.uncounted(|out| push_half(out, low16(value)));
        }
        Meaning::f | Meaning::tf32 => line.uncounted(|out| push_single(out, low32(value))),
        Meaning::df => line.uncounted(|out| push_double(out, value)),
        _ => line.text("???"),
    }
}
