//! Expressions: the location of a variable's value. DWARF 5, 2.5 and 7.7.1; Intel's operations from
//! IGC's debug information library, registers from its RegisterNumbering.

use gimli::constants::DwOp;
use gimli::{DieReference, Encoding, Expression, Operation, Reader, Register};

use super::paged::State;
use super::section::{Section, Slice};
use super::sections::DebugSections;
use zeview_core::model::{Doc, Node, NodeKind, Value};

const OPERATION_DOC: Doc = Doc {
    text: "An operation of a DWARF expression: it works on the stack, or gives the location of a piece of the value.",
    source: "DWARF 5, 2.5 DWARF Expressions",
    known: &[],
};
const INTEL_DOC: Doc = Doc {
    text: "An Intel extension: it describes registers and lanes of SIMD instructions.",
    source: "IGC, DebugInfo",
    known: &[],
};
const UNKNOWN_DOC: Doc = Doc {
    text: "An unknown operation. The rest of the expression cannot be decoded.",
    source: "DWARF 5, 7.7.1 DWARF Expressions",
    known: &[],
};

/// Intel's operations: code, name, size of the operands in bytes.
const INTEL: &[(u8, &str, usize)] = &[
    (0xeb, "DW_OP_INTEL_regs", 0),
    (0xec, "DW_OP_INTEL_push_bit_piece_stack", 0),
    (0xed, "DW_OP_INTEL_push_simd_lane", 0),
    (0xee, "DW_OP_INTEL_piece_stack", 0),
    (0xef, "DW_OP_INTEL_bit_piece_stack", 0),
    (0xfe, "DW_OP_INTEL_regval_bits", 1),
];

/// Maximum length of an expression's text, in characters.
const LINE: usize = 120;

/// An operation: its name, operands and size in bytes.
struct Step {
    name: String,
    operand: String,
    len: usize,
    doc: &'static Doc,
}

impl DebugSections {
    /// Formats an expression as one line.
    pub(super) fn expression_text(
        &self,
        expression: Expression<Slice<'_>>,
        encoding: Encoding,
    ) -> String {
        let mut bytes = expression.0;
        let mut line = String::new();
        while let Some(step) = step(&mut bytes, encoding, self.is_intel()) {
            if !line.is_empty() {
                line.push_str(", ");
            }
            if line.len() > LINE {
                line.push('…');
                break;
            }
            line.push_str(step.name.strip_prefix("DW_OP_").unwrap_or(&step.name));
            if !step.operand.is_empty() {
                line.push(' ');
                line.push_str(&step.operand);
            }
        }
        line
    }

    /// Returns the row of the operation at the state's offset, before `end`.
    pub(super) fn operation(
        &self,
        section: &Section,
        state: &mut State,
        end: usize,
        encoding: Encoding,
    ) -> Option<Node> {
        let mut bytes = section.slice();
        bytes.skip(state.at).ok()?;
        bytes.truncate(end.checked_sub(state.at)?).ok()?;
        let step = step(&mut bytes, encoding, self.is_intel())?;
        let own = section.place(state.at, state.at + step.len);
        state.at += step.len;
        let node = Node::new(NodeKind::Field, step.name, own).value(Value::Bytes);
        let node = match step.operand.as_str() {
            "" => node,
            operand => node.summary(operand.to_owned()),
        };
        Some(node.doc(step.doc))
    }
}

/// Decodes the next operation; returns all remaining bytes if it is unknown.
fn step(bytes: &mut Slice<'_>, encoding: Encoding, intel: bool) -> Option<Step> {
    let code = *bytes.slice().first()?;
    let before = bytes.len();
    // Codes from 0xe0 on belong to vendors (DWARF 5, 7.7.1): elsewhere they mean other operations.
    if let Some((_, name, more)) = INTEL.iter().find(|(known, ..)| intel && *known == code) {
        let len = (1 + more).min(before);
        let operand = bytes.slice().get(1..len).and_then(<[u8]>::first);
        let operand = operand.map_or(String::new(), u8::to_string);
        bytes.skip(len).ok()?;
        return Some(Step {
            name: (*name).to_owned(),
            operand,
            len,
            doc: &INTEL_DOC,
        });
    }
    let name = DwOp(code).static_string();
    let name = name.map_or_else(|| format!("operation {code:#x}"), str::to_owned);
    let mut after = *bytes;
    let Ok(operation) = Operation::parse(&mut after, encoding) else {
        bytes.empty();
        return Some(Step {
            name,
            operand: String::new(),
            len: before,
            doc: &UNKNOWN_DOC,
        });
    };
    let len = before - after.len();
    *bytes = after;
    Some(Step {
        name,
        operand: operand(&operation, len, intel),
        len,
        doc: &OPERATION_DOC,
    })
}

/// Formats the operands of an operation that are not part of its name.
fn operand(operation: &Operation<Slice<'_>>, len: usize, intel: bool) -> String {
    match operation {
        Operation::RegisterOffset {
            register,
            base_type,
            ..
        } if base_type.0 != 0 => {
            format!(
                "{} of type {:#x}",
                register_text(*register, intel),
                base_type.0
            )
        }
        Operation::RegisterOffset {
            register, offset, ..
        } => format!("{} {offset:+}", register_text(*register, intel)),
        Operation::Register { register } => register_text(*register, intel),
        _ if len == 1 => String::new(),
        Operation::UnsignedConstant { value } | Operation::PlusConstant { value } => {
            value.to_string()
        }
        Operation::SignedConstant { value } => value.to_string(),
        Operation::FrameOffset { offset } => format!("{offset:+}"),
        Operation::Address { address } => format!("{address:#x}"),
        Operation::Bra { target } | Operation::Skip { target } => format!("{target:+}"),
        Operation::Pick { index } => index.to_string(),
        Operation::Deref {
            size, base_type, ..
        } => match base_type.0 {
            0 => size.to_string(),
            of => format!("{size} of type {of:#x}"),
        },
        Operation::TypedLiteral { base_type, value } => {
            format!("{} bytes of type {:#x}", value.len(), base_type.0)
        }
        Operation::Convert { base_type } | Operation::Reinterpret { base_type } => {
            format!("{:#x}", base_type.0)
        }
        Operation::Call { offset } => match offset {
            DieReference::UnitRef(to) => format!("{:#x}", to.0),
            DieReference::DebugInfoRef(to) => format!("{:#x}", to.0),
        },
        Operation::VariableValue { offset } => format!("{:#x}", offset.0),
        Operation::ParameterRef { offset } => format!("{:#x}", offset.0),
        Operation::ImplicitPointer { value, byte_offset } => {
            format!("{:#x} {byte_offset:+}", value.0)
        }
        Operation::Piece {
            size_in_bits,
            bit_offset,
        } => match bit_offset {
            Some(offset) => format!("{size_in_bits} bits at {offset}"),
            None => format!("{size_in_bits} bits"),
        },
        Operation::ImplicitValue { data } => format!("{} bytes", data.len()),
        Operation::EntryValue { expression } => format!("{} bytes", expression.len()),
        Operation::AddressIndex { index } | Operation::ConstantIndex { index } => {
            index.0.to_string()
        }
        _ => String::new(),
    }
}

/// Returns the name of a register in IGC's numbering.
fn register_text(Register(number): Register, intel: bool) -> String {
    match number {
        _ if !intel => format!("register {number}"),
        0 => "ip".to_owned(),
        1 => "emask".to_owned(),
        5 => "bindingtable".to_owned(),
        6 => "scratch".to_owned(),
        7 => "generalstate".to_owned(),
        8 => "surfacestate".to_owned(),
        9 => "bindlesssurfacestate".to_owned(),
        10 => "bindlesssamplerstate".to_owned(),
        16..=271 => format!("r{}", number - 16),
        272..=287 => format!("a0.{}", number - 272),
        288..=303 => format!("f{}", number - 288),
        304..=334 => format!("acc{}", number - 304),
        335..=350 => format!("mme{}", number - 335),
        _ => format!("register {number}"),
    }
}
