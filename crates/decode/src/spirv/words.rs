//! The instructions of a module, in order, without the module in memory.

use super::module::split;
use super::{Header, order};
use crate::reader::{Endian, Window};
use zeview_core::model::{Sources, Span};

/// Number of bytes read at once.
const PIECE: u64 = 1 << 14;

/// Reads one instruction after the other, in pieces.
pub(super) struct Words<'a> {
    sources: &'a Sources,
    span: Span,
    endian: Endian,
    window: Window,
    /// The offset of the next instruction in the module.
    at: u64,
}

impl<'a> Words<'a> {
    /// Starts at the first instruction. Returns `None` if the bytes are no module.
    pub(super) fn new(sources: &'a Sources, span: Span) -> Option<Words<'a>> {
        let window = Window::clamped(sources, span.subspan(0, PIECE));
        Some(Words {
            endian: order(window.bytes())?,
            sources,
            span,
            window,
            at: Header::SIZE,
        })
    }

    /// The bytes from the next instruction on, at least `len` if the module has as many.
    fn rest(&mut self, len: u64) -> &[u8] {
        let from = self.span.start.saturating_add(self.at);
        let needed = self.span.subspan(self.at, len);
        if !self.window.span().contains(needed) {
            let piece = self.span.subspan(self.at, len.max(PIECE));
            self.window = Window::clamped(self.sources, piece);
        }
        let skip = from.saturating_sub(self.window.span().start);
        let skip = usize::try_from(skip).unwrap_or(usize::MAX);
        self.window.bytes().get(skip..).unwrap_or(&[])
    }

    /// Reads the next instruction: its opcode, the words after the first, and its bytes. Returns
    /// `None` at the end of the instructions.
    pub(super) fn next(&mut self) -> Option<(u16, Vec<u32>, Span)> {
        let endian = self.endian;
        let word = |bytes: &[u8]| {
            let bytes: [u8; 4] = bytes.try_into().ok()?;
            Some(match endian {
                Endian::Little => u32::from_le_bytes(bytes),
                Endian::Big => u32::from_be_bytes(bytes),
            })
        };
        let (opcode, count) = split(word(self.rest(4).get(..4)?)?);
        let len = u64::from(count) * 4;
        let bytes = self.rest(len).get(4..usize::from(count) * 4)?;
        let words = bytes.chunks_exact(4).filter_map(word).collect();
        let span = self.span.subspan(self.at, len);
        self.at += len;
        Some((opcode, words, span))
    }
}

/// Returns the bytes of the text in words, without the NUL.
pub(super) fn string(words: &[u32]) -> Vec<u8> {
    // SPIR-V, 2.2.1: the first byte is the lowest of the word, in either byte order of the module.
    let bytes = words.iter().flat_map(|word| word.to_le_bytes());
    bytes.take_while(|byte| *byte != 0).collect()
}

/// Returns the text in words, and its length in bytes without the NUL.
pub(super) fn text(words: &[u32]) -> (String, u64) {
    let bytes = string(words);
    let text = String::from_utf8_lossy(&bytes).into_owned();
    (text, bytes.len() as u64)
}
