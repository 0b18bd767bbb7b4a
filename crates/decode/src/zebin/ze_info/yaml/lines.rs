//! Splits the text into lines: their ends, their indentation, and their bytes.

use std::ops::Range;

use super::reader::Reader;
use super::{Extent, ProblemKind, offset};

/// compute-runtime, `yaml_parser.cpp`: a tab counts as four blanks.
const TAB_COLUMNS: usize = 4;

impl Reader<'_> {
    /// Advances to the next line. Returns `false` at the end of the text.
    pub(super) fn next_line(&mut self) -> bool {
        if std::mem::take(&mut self.again) {
            return true;
        }
        if self.next_line >= self.stop {
            return false;
        }
        let start = self.next_line;
        let run = printable_run(self.text.get(start..self.stop).unwrap_or_default());
        let end = start + run.len;
        self.line = start..end;
        self.line_number = self.line_number.saturating_add(1);
        self.only_colon = run.only_colon.map(|colon| start + colon);
        self.next_line = end + 1;
        if self.text.get(end) != Some(&b'\n') {
            self.end_odd_line(end);
        }
        true
    }

    /// Ends a line with bytes other than printable ASCII before the line feed, at `odd`.
    #[cold]
    fn end_odd_line(&mut self, odd: usize) {
        let rest = self.text.get(odd..self.stop).unwrap_or_default();
        let is_break = |byte: &u8| matches!(byte, b'\n' | b'\r');
        let end = odd + rest.iter().position(is_break).unwrap_or(rest.len());
        self.line.end = end;
        self.next_line = end + 1;
        if end > odd {
            self.only_colon = None;
            self.check_bytes();
        }
        match self.text.get(end..).unwrap_or_default() {
            [b'\r', b'\n', ..] => self.next_line = end + 2,
            [b'\r', ..] => self.problem(ProblemKind::BareCarriageReturn, end..end + 1),
            _ => {}
        }
    }

    /// Leaves the line to the next call of [`next_line`](Self::next_line).
    pub(super) fn read_again(&mut self) {
        self.again = true;
    }

    fn check_bytes(&mut self) {
        let start = self.line.start;
        let text = self.text;
        let line = text.get(self.line.clone()).unwrap_or_default();
        if let Some(at) = line.iter().position(|&byte| byte < b' ' && byte != b'\t') {
            self.problem(ProblemKind::ControlCharacter, start + at..start + at + 1);
        }
        let line = match std::str::from_utf8(line) {
            Ok(line) => line,
            Err(error) => {
                let at = start + error.valid_up_to();
                let end = error.error_len().map_or(self.line.end, |len| at + len);
                self.problem(ProblemKind::NotUtf8, at..end);
                return;
            }
        };
        for (kind, wanted) in [
            (
                ProblemKind::UnicodeLineBreak,
                ['\u{85}', '\u{2028}', '\u{2029}'].as_slice(),
            ),
            (ProblemKind::ByteOrderMark, &['\u{feff}']),
        ] {
            if let Some((at, found)) = line.match_indices(wanted).next() {
                self.problem(kind, start + at..start + at + found.len());
            }
        }
    }

    /// The rest of the line from `at`.
    pub(super) fn rest(&self, at: usize) -> &[u8] {
        self.text.get(at..self.line.end).unwrap_or_default()
    }

    /// The byte at `at`; a line feed at the end of the line.
    pub(super) fn byte(&self, at: usize) -> u8 {
        self.rest(at).first().copied().unwrap_or(b'\n')
    }

    pub(super) fn skip_blanks(&self, mut at: usize) -> usize {
        loop {
            at += leading_spaces(self.rest(at));
            if self.byte(at) != b'\t' {
                return at;
            }
            at += 1;
        }
    }

    /// Removes blanks from the end of a range.
    #[inline(always)]
    pub(super) fn trim(&self, range: Range<usize>) -> Range<usize> {
        let bytes = self.text.get(range.clone()).unwrap_or_default();
        let len = bytes
            .iter()
            .rposition(|byte| !is_blank(*byte))
            .map_or(0, |last| last + 1);
        range.start..range.start + len
    }

    /// The position and the column of the first byte from `at` that is not a blank, if `at` is in
    /// `column`.
    #[inline(always)]
    pub(super) fn indentation(&mut self, at: usize, column: usize) -> (usize, usize) {
        let spaces = leading_spaces(self.rest(at));
        let (mut at, mut column) = (at + spaces, column + spaces);
        if self.byte(at) != b'\t' {
            return (at, column);
        }
        let tab = at;
        while is_blank(self.byte(at)) {
            column = column.saturating_add(if self.byte(at) == b'\t' {
                TAB_COLUMNS
            } else {
                1
            });
            at += 1;
        }
        // Tabs on a blank line are no indentation of anything.
        if at < self.line.end {
            self.problem(ProblemKind::TabIndentation, tab..at);
        }
        (at, column)
    }

    /// Returns whether `---` or `...` starts at `at`.
    pub(super) fn is_marker(&self, at: usize) -> bool {
        at == self.line.start
            && match self.rest(at) {
                [b'-', b'-', b'-', rest @ ..] | [b'.', b'.', b'.', rest @ ..] => {
                    is_blank_or_end(rest.first())
                }
                _ => false,
            }
    }
}

pub(super) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

pub(super) fn is_blank_or_end(byte: Option<&u8>) -> bool {
    byte.is_none_or(|&byte| is_blank(byte))
}

/// The number of line breaks (LF, CR LF, CR) that start in `extent`.
pub(super) fn line_breaks(text: &[u8], extent: Extent) -> u32 {
    let is_break = |at: &usize| match text.get(*at) {
        Some(b'\n') => true,
        Some(b'\r') => text.get(at + 1) != Some(&b'\n'),
        _ => false,
    };
    offset(extent.range().filter(is_break).count())
}

/// A run of printable ASCII at the start of a text.
struct Run {
    len: usize,
    /// The position of a colon, if there is exactly one and no `#`.
    only_colon: Option<usize>,
}

/// Eight bytes at a time, because every byte of the text is processed here.
fn printable_run(text: &[u8]) -> Run {
    let (words, rest) = text.as_chunks::<8>();
    let mut only_colon = None;
    let mut is_special = false;
    let mut at = 0;
    for word in words {
        let word = u64::from_le_bytes(*word);
        // The high bit of a byte is set where it is set in the text, or where the subtraction
        // borrows. A borrow affects only bytes above the first match.
        let odd = (word | word.wrapping_sub(eight(b' '))) & eight(0x80);
        let run = odd.wrapping_sub(1) & !odd;
        let colons = zero_bytes(word ^ eight(b':')) & run;
        let hashes = zero_bytes(word ^ eight(b'#')) & run;
        if colons | hashes != 0 {
            is_special |= only_colon.is_some() || hashes != 0 || !colons.is_power_of_two();
            only_colon = Some(at + lowest_byte(colons));
        }
        if odd != 0 {
            let len = at + lowest_byte(odd);
            return Run {
                len,
                only_colon: only_colon.filter(|_| !is_special),
            };
        }
        at += 8;
    }
    // The last bytes of the text are examined later.
    let len = at
        + rest
            .iter()
            .take_while(|byte| (b' '..0x80).contains(*byte))
            .count();
    Run {
        len,
        only_colon: None,
    }
}

/// Number of spaces at the start of `text`.
pub(super) fn leading_spaces(text: &[u8]) -> usize {
    let (words, rest) = text.as_chunks::<8>();
    let mut at = 0;
    for word in words {
        let other = u64::from_le_bytes(*word) ^ eight(b' ');
        if other != 0 {
            return at + lowest_byte(other);
        }
        at += 8;
    }
    at + rest.iter().take_while(|byte| **byte == b' ').count()
}

const fn eight(byte: u8) -> u64 {
    u64::from_ne_bytes([byte; 8])
}

/// Sets the high bit of each zero byte, and possibly of bytes above the lowest one.
fn zero_bytes(word: u64) -> u64 {
    word.wrapping_sub(eight(1)) & !word & eight(0x80)
}

/// The index of the first byte, in text order, with a bit set.
fn lowest_byte(word: u64) -> usize {
    word.trailing_zeros() as usize / 8
}
