//! Instructions without what depends on where they stand, for comparing listings.

use super::format::Labels;
use super::instruction::{Instruction, OperandKind, Options, RegisterName};
use super::windows::for_each_word;
use super::words::is_padding;
use super::{Decoder, targets};
use crate::model::assembly::Shape;
use crate::model::{Sources, Span};

/// Calls `each` with the instructions of some code, until it says no.
pub(super) fn shapes(
    decoder: Option<&Decoder>,
    code: Span,
    renumbered: bool,
    sources: &Sources,
    each: &mut dyn FnMut(Shape<'_>) -> bool,
) {
    let (mut text, mut to) = (String::new(), Vec::new());
    for_each_word(sources, code, &mut |at, word| {
        let at = i32::try_from(at).unwrap_or(i32::MAX);
        text.clear();
        to.clear();
        let decoded = decoder.and_then(|decoder| Some((decoder, decoder.decode(word)?)));
        let mut operation = "";
        match decoded {
            Some((decoder, mut instruction)) => {
                to.extend(targets(&instruction, at));
                operation = instruction.op.name();
                instruction.strip(renumbered);
                decoder.format(&instruction, Labels::Numeric, &mut text);
                // What a word that is none means cannot be told.
                if instruction.invalid {
                    push_bytes(word, &mut text);
                }
            }
            None => push_bytes(word, &mut text),
        }
        each(Shape {
            at,
            text: &text,
            operation,
            targets: &to,
            is_padding: is_padding(word),
        })
    });
}

fn push_bytes(word: &[u8], text: &mut String) {
    for byte in word {
        text.push_str(&format!("{byte:02x}"));
    }
}

impl Instruction {
    /// Takes away where it can go, and whether it is compacted; with `renumbered` also the numbers
    /// of general registers and of the scoreboard's tokens.
    fn strip(&mut self, renumbered: bool) {
        self.options.0 &= !Options::COMPACTED;
        for operand in self.destination.iter_mut().chain(&mut self.sources) {
            match &mut operand.kind {
                OperandKind::Label(to) => *to = 0,
                OperandKind::Register {
                    name: RegisterName::General,
                    number,
                    ..
                }
                | OperandKind::Macro {
                    name: RegisterName::General,
                    number,
                    ..
                }
                | OperandKind::Payload {
                    name: RegisterName::General,
                    number,
                    ..
                } if renumbered => *number = 0,
                _ => {}
            }
        }
        if let Some((token, _)) = &mut self.scoreboard.token
            && renumbered
        {
            *token = 0;
        }
    }
}
