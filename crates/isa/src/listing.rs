//! Complete listings, with labels as `iga64 -d` writes them.

use super::format::Labels;
use super::instruction::OperandKind;
use super::operand_text::{absolute, push_label};
use super::{Blocks, Decoder, Instruction};

/// Returns the branch targets of an instruction at an offset.
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
    /// Appends the listing of the code: a line for each instruction, and labels if `blocks` is
    /// given. `prefix` appends the start of each line, given the offset and length of the
    /// instruction. `flush` regularly drains the text and returns whether to continue.
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
            // The assembler advances by one block only, even if several start here.
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
