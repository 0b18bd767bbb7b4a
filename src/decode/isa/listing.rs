//! Whole listings, with labels as `iga64 -d` writes them.

use std::collections::BTreeSet;

use super::format::Labels;
use super::instruction::OperandKind;
use super::operand_text::{absolute, push_label};
use super::windows::length;
use super::{Decoder, Instruction};

/// The places of a listing where a label stands: after branches, after the end of the thread, and
/// where branches go. Code is at most 2 GiB long.
#[derive(Debug, Default)]
pub struct Blocks(Vec<i32>);

impl Blocks {
    /// Finds the blocks of some code.
    #[must_use]
    pub fn find(decoder: &Decoder, code: &[u8]) -> Blocks {
        let mut starts = BTreeSet::from([0]);
        let mut place = 0;
        let mut instruction = Instruction::default();
        while let Some(rest) = code.get(place..)
            && let Some(length) = length(rest)
        {
            let at = i32::try_from(place).unwrap_or(i32::MAX);
            place += length;
            if decoder.decode_end(rest, &mut instruction) {
                starts.insert(at.wrapping_add(i32::from(instruction.length)));
                starts.extend(targets(&instruction, at));
            }
        }
        Blocks(starts.into_iter().collect())
    }

    /// Where the blocks start, in order. A place can be outside of the code, or within an
    /// instruction.
    #[must_use]
    pub fn starts(&self) -> &[i32] {
        &self.0
    }
}

/// Where an instruction at an offset can go.
pub fn targets(instruction: &Instruction, at: i32) -> impl Iterator<Item = i32> {
    let sources = instruction.sources.iter();
    sources
        .take(instruction.source_count)
        .filter_map(move |source| match source.kind {
            OperandKind::Label(target) => Some(absolute(instruction, target, at)),
            _ => None,
        })
}

impl Decoder {
    /// Appends the listing of some code: a label before each block if there are `blocks`, and a
    /// line for each instruction. `prefix` gets the offset and the length of each instruction and
    /// appends what its line begins with. `flush` gets the text from time to time and empties it, and says
    /// whether to go on.
    pub fn list(
        &self,
        code: &[u8],
        blocks: Option<&Blocks>,
        prefix: &mut dyn FnMut(usize, usize, &mut String),
        out: &mut String,
        flush: &mut dyn FnMut(&mut String) -> bool,
    ) {
        let mut starts = blocks.map_or(&[][..], |b| b.starts()).iter().peekable();
        let label = |out: &mut String, start: i32| {
            push_label(out, start);
            out.push_str(":\n");
        };
        if !code.is_empty()
            && let Some(start) = starts.next()
        {
            label(out, *start);
        }
        let mut place = 0;
        let mut instruction = Instruction::default();
        while let Some(rest) = code.get(place..)
            && let Some(length) = self.decode_into(rest, &mut instruction)
        {
            let at = i32::try_from(place).unwrap_or(i32::MAX);
            // The assembler goes one block on, even if several start here.
            if let Some(start) = starts.next_if(|start| **start <= at) {
                label(out, *start);
            }
            let labels = match blocks {
                Some(_) => Labels::Names(at),
                None => Labels::Numeric,
            };
            prefix(place, length, out);
            self.format(&instruction, labels, out);
            out.push('\n');
            place += length;
            if out.len() > 64 * 1024 && !flush(out) {
                return;
            }
        }
        if !code.is_empty() {
            starts.for_each(|start| label(out, *start));
        }
        flush(out);
    }
}
