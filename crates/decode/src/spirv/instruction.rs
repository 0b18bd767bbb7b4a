//! Instructions as rows (opcode, word count, operands), and as lines of text.

use std::fmt::Write;

use super::grammar::{self, Kind};
use super::module::{Instruction, Module};
use super::operands::{Number, NumberForm, Piece};
use super::words::text as words_text;
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
    let line = line(module, &instruction, &operands);
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
        Some(grammar) => format!("Op{}", grammar.name).into(),
        None => "unknown instruction".into(),
    }
}

/// Returns the words of an operand.
pub(super) fn words<'a>(instruction: &'a Instruction, operand: &Piece) -> &'a [u32] {
    let (at, len) = (usize::from(operand.at), usize::from(operand.len));
    instruction.words.get(at..at + len).unwrap_or(&[])
}

/// Formats the result and the operands as one line.
pub(super) fn line(module: &Module, instruction: &Instruction, operands: &[Piece]) -> String {
    let result = operands.iter().find(|operand| operand.kind == Kind::Result);
    let result = result.and_then(|result| words(instruction, result).first());
    let mut line = result.map_or(String::new(), |id| format!("{} =", id_text(module, *id)));
    for operand in operands.iter().filter(|of| of.kind != Kind::Result) {
        if line.len() > LINE {
            line.push_str(" …");
            break;
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(&text(module, instruction, operand));
    }
    line
}

/// Formats an operand.
pub(super) fn text(module: &Module, instruction: &Instruction, operand: &Piece) -> String {
    let words = words(instruction, operand);
    let raw = words.first().copied().unwrap_or(0);
    match operand.kind {
        Kind::ResultType | Kind::Result | Kind::Id | Kind::Scope | Kind::Semantics => {
            id_text(module, raw)
        }
        Kind::Integer | Kind::NumberAndId | Kind::IdAndInteger => raw.to_string(),
        Kind::Float => literal_text(words, Some(FLOAT)),
        Kind::Number => literal_text(words, operand.number),
        Kind::Value(_) | Kind::Extended | Kind::Operation => {
            let name = name(module, instruction, operand.kind, raw);
            name.map_or_else(|| raw.to_string(), |name| name.to_string())
        }
        Kind::Bits(_) => {
            let (names, rest) = bits(operand.kind, raw);
            bits_text(&names, rest)
        }
        Kind::Text => format!("{:?}", cut_end(&words_text(words).0, PIECE)),
        Kind::Words => match words {
            [one] => format!("{one:#x}"),
            _ => format!("{} words", operand.len),
        },
    }
}

/// The type of a literal float.
const FLOAT: Number = Number {
    bits: 32,
    form: NumberForm::Float(None),
};

/// Returns the name of a number: an enumerant, an extended instruction, or an opcode.
fn name(module: &Module, instruction: &Instruction, kind: Kind, raw: u32) -> Option<Str> {
    match kind {
        Kind::Extended => module
            .extended(instruction, raw)
            .map(|found| found.name.into()),
        Kind::Operation => {
            let found = u16::try_from(raw).ok().and_then(grammar::instruction);
            found.map(|found| format!("Op{}", found.name).into())
        }
        _ => kind.enumerant(raw).map(|found| found.name.into()),
    }
}

/// Returns the names of the bits in a word, and the unnamed bits.
fn bits(kind: Kind, word: u32) -> (Vec<&'static str>, u32) {
    let (mut names, mut rest) = (Vec::new(), 0);
    for (bit, found) in kind.bits(word) {
        match found {
            Some(found) => names.push(found.name),
            None => rest |= bit,
        }
    }
    (names, rest)
}

fn bits_text(names: &[&str], rest: u32) -> String {
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
    let Some(number) = number else {
        return raw.to_string();
    };
    match (number.form, number.bits) {
        (NumberForm::Float(None), 64) => f64::from_bits(raw).to_string(),
        (NumberForm::Float(None), 32) => {
            f32::from_bits(words.first().copied().unwrap_or(0)).to_string()
        }
        (NumberForm::Float(None), 16) => half(raw).to_string(),
        (NumberForm::Float(_), _) => format!("{raw:#x}"),
        (NumberForm::Signed, bits) if (1..=64).contains(&bits) => {
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
        let at = u64::from(operand.at) * 4;
        let span = instruction.span.subspan(at, u64::from(operand.len) * 4);
        rows.push(row(module, &instruction, &operand, span));
    }
    rows
}

fn row(module: &Module, instruction: &Instruction, operand: &Piece, span: Span) -> Node {
    let words = words(instruction, operand);
    let raw = words.first().copied().unwrap_or(0);
    let title = operand.kind.title();
    let field = |value| Node::field(title, value, span);
    let decimal = || Value::decimal(raw.into(), 32);
    match operand.kind {
        Kind::Result => match module.name(raw) {
            Some(name) => field(decimal()).summary(name),
            None => field(decimal()),
        }
        .doc(&RESULT_DOC),
        Kind::ResultType | Kind::Id | Kind::Scope | Kind::Semantics => {
            id_row(module, raw, field(decimal())).doc(&ID_DOC)
        }
        Kind::Integer | Kind::NumberAndId | Kind::IdAndInteger => {
            field(decimal()).doc(&LITERAL_DOC)
        }
        Kind::Value(_) | Kind::Extended | Kind::Operation => {
            match name(module, instruction, operand.kind, raw) {
                Some(name) => field(decimal().named(name)),
                None => field(decimal()),
            }
            .doc(&NAMED_DOC)
        }
        Kind::Bits(_) => {
            let (names, rest) = bits(operand.kind, raw);
            field(Value::Flags {
                raw: raw.into(),
                bits: 32,
                set: names.into_iter().map(Str::from).collect(),
                rest: rest.into(),
            })
            .doc(&NAMED_DOC)
        }
        Kind::Text => {
            let (text, _) = words_text(words);
            match module.endian() {
                Endian::Little => field(Value::text(text)),
                // The bytes of each word are in reverse order.
                Endian::Big => field(Value::Bytes).summary(format!("{text:?}")),
            }
            .doc(&LITERAL_DOC)
        }
        Kind::Float => literal_row(module, words, Some(FLOAT), title, span),
        Kind::Number => literal_row(module, words, operand.number, title, span),
        Kind::Words => field(Value::Bytes).doc(&WORDS_DOC),
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
    let form = number.map(|number| number.form);
    let value = match (whole, form) {
        (false, _) => Value::Bytes,
        (true, Some(NumberForm::Float(_))) => Value::hex(wide(words), bits),
        (true, Some(NumberForm::Signed)) if words.len() == 1 => Value::Signed {
            raw: words.first().map_or(0, |word| word.cast_signed().into()),
            bits,
        },
        (true, Some(NumberForm::Signed)) => Value::Signed {
            raw: wide(words).cast_signed(),
            bits,
        },
        (true, _) => Value::decimal(wide(words), bits),
    };
    let node = Node::field(name, value.clone(), span).doc(&LITERAL_DOC);
    let plain = matches!(value, Value::Unsigned { .. } | Value::Signed { .. });
    match form {
        Some(NumberForm::Unsigned | NumberForm::Signed) | None if plain => node,
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
