//! Iteration over the words of code that is read in pieces.
//!
//! An instruction is 16 bytes long, or 8 if it is compacted: bit 29 of its first word (CmptCtrl),
//! in all generations since Gen6.

use zeview_core::model::{Sources, Span};
use zeview_core::reader::Window;

/// Number of bytes read at once.
const PIECE: u64 = 64 * 1024;

/// Returns the length of the instruction at the start of the bytes. Returns `None` if they are too
/// short.
#[must_use]
pub fn length(bytes: &[u8]) -> Option<usize> {
    let compacted = bytes.get(3)? & 1 << 5 != 0;
    let length = if compacted { 8 } else { 16 };
    (bytes.len() >= length).then_some(length)
}

/// Calls `f` with the offset and the bytes of each instruction of the code, until it returns `false`.
/// Returns the offset after the last whole instruction, or after the instruction where `f` stopped,
/// and whether it stopped.
pub fn for_each_word_of(code: &[u8], f: &mut dyn FnMut(u64, &[u8]) -> bool) -> (u64, bool) {
    let (mut rest, mut at) = (code, 0);
    while let Some(length) = length(rest)
        && let Some((word, after)) = rest.split_at_checked(length)
    {
        rest = after;
        let here = at;
        at += length as u64;
        if !f(here, word) {
            return (at, true);
        }
    }
    (at, false)
}

/// Calls `f` with the offset in the code and the bytes of each instruction, until it returns
/// `false`. Returns the offset after the last whole instruction, or after the instruction where `f`
/// stopped.
pub fn for_each_word(sources: &Sources, code: Span, f: &mut dyn FnMut(u64, &[u8]) -> bool) -> u64 {
    let mut at = 0;
    loop {
        let window = Window::clamped(sources, code.subspan(at, PIECE));
        let before = at;
        let (length, is_stopped) =
            for_each_word_of(window.bytes(), &mut |offset, word| f(before + offset, word));
        at += length;
        if is_stopped {
            return at;
        }
        if at == before {
            return at;
        }
    }
}
