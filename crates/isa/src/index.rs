//! Positions of the instructions of some code, which is never decoded for them.

use std::cell::RefCell;
use std::ops::Range;

use super::windows::for_each_word;
use super::words::is_padding;
use zeview_core::model::{Sources, Span};

/// Number of instructions between recorded positions.
const STRIDE: u64 = 64;

/// The largest instruction in bytes.
const LONGEST: u64 = 16;

/// Where the instructions of some code are.
#[derive(Debug)]
pub struct WordIndex {
    code: Span,
    /// The offsets of the instructions 0, 64, 128 … in the code.
    starts: Vec<u64>,
    count: u64,
    compacted: u64,
    padding: u64,
    end: u64,
    /// The most recent block of instructions: the number of the first, and the spans of all.
    block: RefCell<(u64, Vec<Span>)>,
}

impl WordIndex {
    /// Finds the instructions of the code.
    #[must_use]
    pub fn new(code: Span, sources: &Sources) -> WordIndex {
        let mut index = WordIndex {
            code,
            starts: Vec::new(),
            count: 0,
            compacted: 0,
            padding: 0,
            end: 0,
            block: RefCell::default(),
        };
        index.end = for_each_word(sources, code, &mut |at, word| {
            if index.count.is_multiple_of(STRIDE) {
                index.starts.push(at);
            }
            index.count += 1;
            index.compacted += u64::from(word.len() == 8);
            index.padding += u64::from(is_padding(word));
            true
        });
        index
    }

    /// Number of whole instructions, with padding.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Number of compacted instructions.
    #[must_use]
    pub fn compacted(&self) -> u64 {
        self.compacted
    }

    /// Number of words of zeros.
    #[must_use]
    pub fn padding(&self) -> u64 {
        self.padding
    }

    /// Returns the bytes after the last whole instruction; mostly none.
    #[must_use]
    pub fn rest(&self) -> Span {
        self.code.skip(self.end)
    }

    /// Calls `f` with the numbers and the bytes of some instructions, until it returns `false`.
    pub fn walk(&self, rows: Range<u64>, sources: &Sources, f: &mut dyn FnMut(u64, Span) -> bool) {
        let last = rows.end.min(self.count);
        let block = rows.start / STRIDE;
        let start = usize::try_from(block).ok();
        let start = start.and_then(|block| self.starts.get(block));
        let Some(start) = start.filter(|_| rows.start < last) else {
            return;
        };
        let mut row = block * STRIDE;
        let from = self.code.subspan(*start, (last - row) * LONGEST);
        for_each_word(sources, from, &mut |at, word| {
            let span = Span::with_len(from.source, from.start + at, word.len() as u64);
            let more = row < rows.start || f(row, span);
            row += 1;
            more && row < last
        });
    }

    /// Returns the bytes of an instruction.
    #[must_use]
    pub fn span(&self, row: u64, sources: &Sources) -> Option<Span> {
        let first = row / STRIDE * STRIDE;
        let mut block = self.block.borrow_mut();
        if block.0 != first || block.1.is_empty() {
            let mut spans = Vec::new();
            self.walk(
                first..first.saturating_add(STRIDE),
                sources,
                &mut |_, span| {
                    spans.push(span);
                    true
                },
            );
            *block = (first, spans);
        }
        block.1.get(usize::try_from(row - first).ok()?).copied()
    }

    /// Returns the number of the instruction that contains the byte at an offset of the source.
    #[must_use]
    pub fn row_at(&self, offset: u64, sources: &Sources) -> Option<u64> {
        let at = offset.checked_sub(self.code.start)?;
        let block = self.starts.partition_point(|start| *start <= at);
        let first = (block as u64).checked_sub(1)? * STRIDE;
        let mut found = None;
        self.walk(
            first..first.saturating_add(STRIDE),
            sources,
            &mut |row, span| {
                found = span.contains_offset(offset).then_some(row);
                found.is_none()
            },
        );
        found
    }
}
