//! Expressions: how to get at the value of a variable. DWARF 5, 2.5 and 7.7.1; Intel's
//! operations from IGC's debug information library, registers from its RegisterNumbering.

use gimli::constants::DwOp;
use gimli::{Encoding, Expression, Operation, Reader, Register};

use super::attribute::LENGTH_DOC;
use super::sections::{DebugSections, Section, Slice};
use crate::model::{Doc, Node, NodeKind, Value};

const OPERATION_DOC: Doc = Doc {
    text: "An operation: it works on a stack, or says where a piece of the value is.",
    source: "DWARF 5, 2.5 DWARF Expressions",
    known: &[],
};
const INTEL_DOC: Doc = Doc {
    text: "An operation of Intel's: it tells registers and lanes of SIMD instructions.",
    source: "IGC, DebugInfo",
    known: &[],
};
const UNKNOWN_DOC: Doc = Doc {
    text: "An operation that is not known; where it ends and what follows cannot be told.",
    source: "DWARF 5, 7.7.1 DWARF Expressions",
    known: &[],
};

/// Intel's operations: code, name, bytes of operands.
const INTEL: &[(u8, &str, usize)] = &[
    (0xeb, "DW_OP_INTEL_regs", 0),
    (0xec, "DW_OP_INTEL_push_bit_piece_stack", 0),
    (0xed, "DW_OP_INTEL_push_simd_lane", 0),
    (0xee, "DW_OP_INTEL_piece_stack", 0),
    (0xef, "DW_OP_INTEL_bit_piece_stack", 0),
    (0xfe, "DW_OP_INTEL_regval_bits", 1),
];

/// A text of an expression is cut off after so many characters.
const LINE: usize = 120;

/// An operation: its name, what it works with, and how many bytes it has.
struct Step {
    name: String,
    operand: String,
    len: usize,
    doc: &'static Doc,
}

impl DebugSections {
    /// An expression in one line.
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

    /// The rows of an expression in `.debug_info`: its length from `places.0` to `places.1`, then operations.
    pub(super) fn operation_rows(
        &self,
        places: (usize, usize, usize),
        encoding: Encoding,
    ) -> Vec<Node> {
        let (start, at, end) = places;
        let mut cursor = self.info.cursor(start..at);
        let length = cursor.leb_field("length", &LENGTH_DOC);
        let mut rows = vec![match length.filter(|_| cursor.at == at) {
            Some((_, node)) => node,
            // Old versions have a number of fixed size.
            None => {
                Node::field("length", Value::Bytes, self.info.place(start, at)).doc(&LENGTH_DOC)
            }
        }];
        rows.extend(self.operations(&self.info, at, end, encoding));
        rows
    }

    /// The rows of operations.
    pub(super) fn operations(
        &self,
        section: &Section,
        mut at: usize,
        end: usize,
        encoding: Encoding,
    ) -> Vec<Node> {
        let mut rows = Vec::new();
        let mut bytes = section.slice();
        if bytes.skip(at).is_err() || bytes.truncate(end - at).is_err() {
            return rows;
        }
        while let Some(step) = step(&mut bytes, encoding, self.is_intel()) {
            let own = section.place(at, at + step.len);
            at += step.len;
            let node = Node::new(NodeKind::Field, step.name, own).value(Value::Bytes);
            let node = match step.operand.as_str() {
                "" => node,
                operand => node.summary(operand.to_owned()),
            };
            rows.push(node.doc(step.doc));
        }
        rows
    }
}

/// The next operation; all that is left, if it is not known.
fn step(bytes: &mut Slice<'_>, encoding: Encoding, intel: bool) -> Option<Step> {
    let code = *bytes.slice().first()?;
    let before = bytes.len();
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

/// What an operation works with, where that is not in its name.
fn operand(operation: &Operation<Slice<'_>>, len: usize, intel: bool) -> String {
    match operation {
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
        Operation::Deref { size, .. } => size.to_string(),
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

/// The name that IGC's numbering of registers has.
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
