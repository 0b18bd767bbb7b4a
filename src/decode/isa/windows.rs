//! The words of code that is read piece by piece.
//!
//! An instruction is 16 bytes long, or 8 if it is compacted: bit 29 of its first word (CmptCtrl),
//! in all generations since Gen6.

use crate::decode::reader::Window;
use crate::model::{Sources, Span};

/// So much is read at once.
const PIECE: u64 = 64 * 1024;

/// How long the instruction is that some bytes begin with. Returns `None` if they end before it
/// does.
#[must_use]
pub fn length(bytes: &[u8]) -> Option<usize> {
    let compacted = bytes.get(3)? & 1 << 5 != 0;
    let length = if compacted { 8 } else { 16 };
    (bytes.len() >= length).then_some(length)
}

/// Calls `f` with the offset in the code and the bytes of each instruction, until it says no.
/// Returns the offset of the first byte that is no whole instruction any more, or of the
/// instruction after the one where `f` has stopped.
pub fn for_each_word(sources: &Sources, code: Span, f: &mut dyn FnMut(u64, &[u8]) -> bool) -> u64 {
    let mut at = 0;
    loop {
        let window = Window::clamped(sources, code.subspan(at, PIECE));
        let mut rest = window.bytes();
        let before = at;
        while let Some(length) = length(rest)
            && let Some((word, after)) = rest.split_at_checked(length)
        {
            rest = after;
            let here = at;
            at += length as u64;
            if !f(here, word) {
                return at;
            }
        }
        if at == before {
            return at;
        }
    }
}
