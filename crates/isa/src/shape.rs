//! Position-independent forms of instructions, for comparing listings.

use super::format::Labels;
use super::instruction::{Instruction, OperandKind, Options, RegisterName};
use super::tables::Op;
use super::windows::for_each_word;
use super::words::{MessageEffect, is_padding, remarks};
use super::{Decoder, targets};
use zeview_core::analysis::assembly::{Counts, Shape, Shapes};
use zeview_core::model::{Sources, Span};

/// Passes the shapes of the instructions of the code to `to`.
pub(super) fn shapes(
    decoder: Option<&Decoder>,
    code: Span,
    renumbered: bool,
    sources: &Sources,
    to: &mut dyn Shapes,
) {
    let (mut line, mut text, mut places) = (String::new(), String::new(), Vec::new());
    for_each_word(sources, code, &mut |at, word| {
        let at = i32::try_from(at).unwrap_or(i32::MAX);
        let mut bytes = [0; 16];
        if let Some(start) = bytes.get_mut(..word.len()) {
            start.copy_from_slice(word);
        }
        let number = u128::from_le_bytes(bytes);
        let first = word.first().copied().unwrap_or(0);
        let is_branch = decoder.is_some_and(|decoder| decoder.is_branch(first));
        // Equal words of branches go to different places, so their shapes are not shared.
        let own = (!is_branch).then_some(number);
        if own.is_some_and(|own| to.repeated(at, own)) {
            return true;
        }
        text.clear();
        places.clear();
        let decoded = decoder.and_then(|decoder| Some((decoder, decoder.decode(word)?)));
        let (mut operation, mut counts) = ("", Counts::default());
        match decoded {
            Some((decoder, mut instruction)) => {
                places.extend(targets(&instruction, at));
                operation = instruction.op.name();
                counts = counts_of(&instruction);
                instruction.strip(renumbered);
                // Columns are wider on some platforms.
                line.clear();
                decoder.format(&instruction, Labels::Numeric, &mut line);
                for word in line.split_ascii_whitespace() {
                    text.push_str(word);
                    text.push(' ');
                }
                // The meaning of an invalid word is unknown.
                if instruction.invalid {
                    push_bytes(word, &mut text);
                }
            }
            None => push_bytes(word, &mut text),
        }
        if is_padding(word) {
            counts = Counts {
                padding: 1,
                ..Counts::default()
            };
        }
        let shape = Shape {
            at,
            text: &text,
            operation,
            targets: &places,
            counts,
        };
        to.shape(own.filter(|_| places.is_empty()), &shape)
    });
}

/// Returns the totals that an instruction contributes to.
fn counts_of(i: &Instruction) -> Counts {
    let mut counts = Counts {
        sends: u64::from(i.kind.is_send()),
        dpas: u64::from(matches!(i.op, Op::Dpas | Op::Dpasw | Op::Bdpas)),
        waits: u64::from(i.scoreboard.waits()),
        ..Counts::default()
    };
    for remark in remarks(i) {
        match remark {
            MessageEffect::Spill => counts.spills += 1,
            MessageEffect::Fill => counts.fills += 1,
            MessageEffect::Atomic => counts.atomics += 1,
            MessageEffect::Barrier => counts.barriers += 1,
            _ => {}
        }
    }
    counts
}

fn push_bytes(word: &[u8], text: &mut String) {
    for byte in word {
        text.push_str(&format!("{byte:02x}"));
    }
}

impl Instruction {
    /// Removes branch targets and compaction; with `renumbered` also the numbers of general
    /// registers and scoreboard tokens.
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
