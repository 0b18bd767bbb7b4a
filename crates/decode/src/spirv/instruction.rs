//! Instructions as rows (opcode, word count, operands), and as lines of text.

use std::fmt::Write;

use super::grammar::NamedValues;
use super::module::{Instruction, Module};
use super::operands::{Number, Operand, OperandContent};
use crate::reader::Endian;
use zeview_core::model::text::cut_end;
use zeview_core::model::{Doc, Node, NodeKind, Span, Str, Value};

const INSTRUCTION_DOC: Doc = Doc {
    text: "An instruction: its opcode, word count and operands. The line shows the result id, then the operands.",
    source: "SPIR-V, 3.3 Instructions",
    known: &[],
};
const UNKNOWN_DOC: Doc = Doc {
    text: "The opcode is not in the grammar of SPIR-V 1.6 and its extensions. The operands are shown as raw words.",
    source: "SPIR-V, 3.3 Instructions",
    known: &[],
};
const OPCODE_DOC: Doc = Doc {
    text: "The opcode: the low 16 bits of the first word.",
    source: "SPIR-V, 2.3 Physical Layout of a SPIR-V Module and Instruction",
    known: &[],
};
const WORD_COUNT_DOC: Doc = Doc {
    text: "The number of words of the instruction, including this one: the high 16 bits of the first word.",
    source: "SPIR-V, 2.3 Physical Layout of a SPIR-V Module and Instruction",
    known: &[],
};
const RESULT_DOC: Doc = Doc {
    text: "The result id; other instructions refer to the result by it.",
    source: "SPIR-V, 2.2.1 Instructions",
    known: &[],
};
const ID_DOC: Doc = Doc {
    text: "The result id of another instruction.",
    source: "SPIR-V, 2.2.1 Instructions",
    known: &[],
};
const LITERAL_DOC: Doc = Doc {
    text: "A literal: a number or string in the instruction itself.",
    source: "SPIR-V, 2.2.1 Instructions",
    known: &[],
};
const NAMED_DOC: Doc = Doc {
    text: "An enumerant or a bit mask of the specification.",
    source: "SPIR-V, 3 Binary Form",
    known: &[],
};
const WORDS_DOC: Doc = Doc {
    text: "Words for which the grammar has no operands.",
    source: "SPIR-V, 3.3 Instructions",
    known: &[],
};

/// Maximum length of a line of text, in characters.
const LINE: usize = 160;
/// Maximum length of a name or text in a line, in characters.
const PIECE: usize = 48;

/// Returns the number of rows of an instruction.
pub(super) fn count(module: &Module, number: u32) -> u64 {
    module.instruction(number).map_or(0, |instruction| {
        2 + module.operands(&instruction).len() as u64
    })
}

/// Returns the row of an instruction, without its children.
pub(super) fn node(module: &Module, number: u32) -> Option<Node> {
    let instruction = module.instruction(number)?;
    let operands = module.operands(&instruction);
    let node = Node::new(NodeKind::Item, opcode(&instruction), instruction.span).indexed();
    let line = line(module, &operands);
    let node = if line.is_empty() {
        node
    } else {
        node.summary(line)
    };
    Some(match instruction.grammar {
        Some(_) => node.doc(&INSTRUCTION_DOC),
        None => node.doc(&UNKNOWN_DOC),
    })
}

/// `OpTypeInt`
pub(super) fn opcode(instruction: &Instruction) -> Str {
    match instruction.grammar {
        Some(grammar) => format!("Op{}", grammar.opname).into(),
        None => "unknown instruction".into(),
    }
}

/// Formats the result and the operands as one line.
pub(super) fn line(module: &Module, operands: &[Operand]) -> String {
    let result = operands.iter().find_map(|operand| match operand.content {
        OperandContent::Result(id) => Some(id),
        _ => None,
    });
    let mut line = result.map_or(String::new(), |id| format!("{} =", id_text(module, id)));
    for operand in operands {
        if matches!(operand.content, OperandContent::Result(_)) {
            continue;
        }
        if line.len() > LINE {
            line.push_str(" …");
            break;
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(&text(module, operand));
    }
    line
}

/// Formats an operand.
pub(super) fn text(module: &Module, operand: &Operand) -> String {
    match &operand.content {
        OperandContent::Result(id) | OperandContent::Id(id) => id_text(module, *id),
        OperandContent::Number(raw) => raw.to_string(),
        OperandContent::Literal(number) => literal_text(&operand.words, *number),
        OperandContent::Named(NamedValues::One(Some(name))) | OperandContent::Of(Some(name)) => {
            name.clone()
        }
        OperandContent::Named(NamedValues::One(None)) | OperandContent::Of(None) => {
            operand.words.first().map_or(String::new(), u32::to_string)
        }
        OperandContent::Named(NamedValues::Bits(names, rest)) => bits_text(names, *rest),
        OperandContent::Text(text) => format!("{:?}", cut_end(text, PIECE)),
        OperandContent::Words => match operand.words.as_slice() {
            [one] => format!("{one:#x}"),
            _ => format!("{} words", operand.len),
        },
    }
}

fn bits_text(names: &[String], rest: u32) -> String {
    let mut text = names.join("|");
    if rest != 0 || text.is_empty() {
        let mark = if text.is_empty() { "" } else { "|" };
        let _ = match rest {
            0 => write!(text, "None"),
            rest => write!(text, "{mark}{rest:#x}"),
        };
    }
    text
}

/// Formats an id as `%7`, or as `%7:name` if it has a name.
pub(super) fn id_text(module: &Module, id: u32) -> String {
    match module.name(id) {
        Some(name) => format!("%{id}:{}", cut_end(&name, PIECE)),
        None => format!("%{id}"),
    }
}

/// Combines words to a number, lowest first.
fn wide(words: &[u32]) -> u64 {
    words
        .iter()
        .take(2)
        .rev()
        .fold(0, |sum, word| (sum << 32) | u64::from(*word))
}

fn literal_text(words: &[u32], number: Option<Number>) -> String {
    let raw = wide(words);
    match number {
        Some(Number {
            float: true,
            bits: 64,
            ..
        }) => f64::from_bits(raw).to_string(),
        Some(Number {
            float: true,
            bits: 32,
            ..
        }) => f32::from_bits(words.first().copied().unwrap_or(0)).to_string(),
        Some(Number {
            float: true,
            bits: 16,
            ..
        }) => half(raw).to_string(),
        Some(Number { float: true, .. }) => format!("{raw:#x}"),
        Some(Number {
            signed: true, bits, ..
        }) if (1..=64).contains(&bits) => {
            let shift = 64 - bits;
            ((raw << shift).cast_signed() >> shift).to_string()
        }
        _ => raw.to_string(),
    }
}

/// Converts an IEEE 754 binary16 number.
fn half(raw: u64) -> f32 {
    let raw = u32::try_from(raw & 0xffff).unwrap_or(0);
    let (sign, exponent, fraction) = ((raw >> 15) << 31, (raw >> 10) & 31, raw & 0x3ff);
    match exponent {
        0 => {
            // The fraction counts in steps of 2^-24.
            let size = f32::from(u16::try_from(fraction).unwrap_or(0)) / 16_777_216.0;
            if sign == 0 { size } else { -size }
        }
        31 => f32::from_bits(sign | 0x7f80_0000 | (fraction << 13)),
        _ => f32::from_bits(sign | ((exponent + 112) << 23) | (fraction << 13)),
    }
}

/// Returns the rows of an instruction.
pub(super) fn rows(module: &Module, number: u32) -> Vec<Node> {
    let Some(instruction) = module.instruction(number) else {
        return Vec::new();
    };
    let first = instruction.span.subspan(0, 4);
    let (low, high) = match module.endian() {
        Endian::Little => (first.subspan(0, 2), first.subspan(2, 2)),
        Endian::Big => (first.subspan(2, 2), first.subspan(0, 2)),
    };
    let mut value = Value::decimal(instruction.opcode.into(), 16);
    if instruction.grammar.is_some() {
        value = value.named(opcode(&instruction));
    }
    let words = Value::decimal(instruction.words.len() as u64, 16);
    let mut rows = vec![
        Node::field("Opcode", value, low).doc(&OPCODE_DOC),
        Node::field("Word Count", words, high).doc(&WORD_COUNT_DOC),
    ];
    // In the order of the bytes.
    if module.endian() == Endian::Big {
        rows.reverse();
    }
    for operand in module.operands(&instruction) {
        let at = operand.at as u64 * 4;
        let span = instruction.span.subspan(at, operand.len as u64 * 4);
        rows.push(row(module, &instruction, &operand, span));
    }
    rows
}

fn row(module: &Module, instruction: &Instruction, operand: &Operand, span: Span) -> Node {
    let words = instruction.words.get(operand.at..).unwrap_or(&[]);
    let words = words.get(..operand.len).unwrap_or(words);
    let raw = words.first().copied().unwrap_or(0);
    let field = |value| Node::field(operand.name, value, span);
    let decimal = || Value::decimal(raw.into(), 32);
    match &operand.content {
        OperandContent::Result(id) => match module.name(*id) {
            Some(name) => field(decimal()).summary(name),
            None => field(decimal()),
        }
        .doc(&RESULT_DOC),
        OperandContent::Id(id) => id_row(module, *id, field(decimal())).doc(&ID_DOC),
        OperandContent::Number(_) => field(decimal()).doc(&LITERAL_DOC),
        OperandContent::Named(NamedValues::One(name)) | OperandContent::Of(name) => match name {
            Some(name) => field(decimal().named(name.clone())),
            None => field(decimal()),
        }
        .doc(&NAMED_DOC),
        OperandContent::Named(NamedValues::Bits(names, rest)) => field(Value::Flags {
            raw: raw.into(),
            bits: 32,
            set: names.iter().cloned().map(Str::from).collect(),
            rest: (*rest).into(),
        })
        .doc(&NAMED_DOC),
        OperandContent::Text(text) => match module.endian() {
            Endian::Little => field(Value::text(text.clone())),
            // The bytes of each word are in reverse order.
            Endian::Big => field(Value::Bytes).summary(format!("{text:?}")),
        }
        .doc(&LITERAL_DOC),
        OperandContent::Literal(number) => literal_row(module, words, *number, operand.name, span),
        OperandContent::Words => field(Value::Bytes).doc(&WORDS_DOC),
    }
}

fn id_row(module: &Module, id: u32, node: Node) -> Node {
    let Some((_, definition)) = module.definition(id) else {
        return node.summary("not defined");
    };
    let name = module.name(id);
    let opcode = opcode(&definition);
    match name {
        Some(name) => node.summary(name),
        None => node,
    }
    .xref("defined by", opcode, definition.span)
}

fn literal_row(
    module: &Module,
    words: &[u32],
    number: Option<Number>,
    name: &'static str,
    span: Span,
) -> Node {
    let bits = u8::try_from(words.len() * 32).unwrap_or(u8::MAX);
    // The low word comes first (SPIR-V, 2.2.1), so two big-endian words are no number in the file.
    let whole = words.len() == 1 || (words.len() == 2 && module.endian() == Endian::Little);
    let value = match (whole, number) {
        (false, _) => Value::Bytes,
        (true, Some(Number { float: true, .. })) => Value::hex(wide(words), bits),
        (true, Some(Number { signed: true, .. })) if words.len() == 1 => Value::Signed {
            raw: words.first().map_or(0, |word| word.cast_signed().into()),
            bits,
        },
        (true, Some(Number { signed: true, .. })) => Value::Signed {
            raw: wide(words).cast_signed(),
            bits,
        },
        (true, _) => Value::decimal(wide(words), bits),
    };
    let node = Node::field(name, value.clone(), span).doc(&LITERAL_DOC);
    let plain = matches!(value, Value::Unsigned { .. } | Value::Signed { .. });
    match number {
        Some(Number { float: false, .. }) | None if plain => node,
        _ if words.len() > 2 => node,
        _ => node.summary(literal_text(words, number)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves() {
        let cases = [
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x0001, 5.960_464_5e-8),
            (0, 0.0),
        ];
        for (raw, number) in cases {
            assert!((half(raw) - number).abs() < f32::EPSILON * 1e-3, "{raw:#x}");
        }
        assert!(half(0x7c00).is_infinite() && half(0x7e00).is_nan());
    }
}
