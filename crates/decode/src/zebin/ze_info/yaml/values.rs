//! Values in block structure: scalars of all styles, anchors and tags.

use std::ops::Range;

use super::keys::indicator;
use super::lines::{is_blank, is_blank_or_end, leading_spaces};
use super::reader::{Entry, Reader};
use super::{ProblemKind, Style, scalar};

impl Reader<'_> {
    /// Reads the value of `entry`, whose first byte is at `at`.
    pub(super) fn value(&mut self, mut entry: Entry, at: usize) {
        let at = self.skip_properties(at);
        entry.value = at;
        match self.byte(at) {
            b'\n' | b'#' => {
                entry.value = self.trim(self.line.start..at).end;
                self.await_value(entry, at);
            }
            b'\'' | b'"' => {
                let end = self.quoted(&entry, at);
                self.after_value(end);
            }
            b'[' | b'{' => {
                if let Some(end) = self.flow(entry, at) {
                    self.after_value(end);
                }
            }
            b'|' | b'>' => self.block_scalar(&entry, at),
            _ => {
                let (value, comment) = self.plain(at);
                self.scalar(Style::Plain, &entry, value);
                if let Some(comment) = comment {
                    self.comment(comment);
                }
            }
        }
    }

    /// Skips anchors and tags, which become part of the head.
    fn skip_properties(&mut self, mut at: usize) -> usize {
        loop {
            let kind = match self.byte(at) {
                b'&' => ProblemKind::Anchor,
                b'!' => ProblemKind::Tag,
                _ => return at,
            };
            let len = self
                .rest(at)
                .iter()
                .take_while(|byte| !is_blank(**byte))
                .count();
            self.problem(kind, at..at + len);
            at = self.skip_blanks(at + len);
        }
    }

    /// Reads a quoted scalar and returns the position after it.
    pub(super) fn quoted(&mut self, entry: &Entry, at: usize) -> usize {
        let (value, style) = self.quoted_extent(at);
        self.scalar(style, entry, value.clone());
        value.end
    }

    /// The extent of the quoted text at `at`: to the end of the line if it is not closed.
    pub(super) fn quoted_extent(&mut self, at: usize) -> (Range<usize>, Style) {
        let value = match scalar::quoted_len(self.rest(at)) {
            Some(len) => at..at + len,
            None => {
                self.problem(ProblemKind::UnclosedQuote, at..self.line.end);
                self.trim(at..self.line.end)
            }
        };
        if self.byte(at) == b'\'' {
            return (value, Style::SingleQuoted);
        }
        let quoted = self.text.get(value.clone()).unwrap_or_default();
        if let Some((start, end)) = scalar::bad_escape(quoted) {
            self.problem(ProblemKind::BadEscape, at + start..at + end);
        }
        (value, Style::DoubleQuoted)
    }

    /// The extent of the plain scalar at `at`, and the position of a following comment.
    #[inline(always)]
    pub(super) fn plain(&mut self, at: usize) -> (Range<usize>, Option<usize>) {
        if let Some(kind) = indicator(self.rest(at)) {
            self.problem(kind, at..self.line.end);
        }
        // The colon of the key is the only one and there is no `#`: nothing can end the value.
        if self.only_colon.is_some_and(|colon| colon < at) {
            return (self.trim(at..self.line.end), None);
        }
        let mut comment = None;
        let mut colon = None;
        let mut before = b' ';
        for (here, &byte) in (at..).zip(self.rest(at)) {
            match byte {
                b'#' if is_blank(before) => {
                    comment = Some(here);
                    break;
                }
                b':' if is_blank_or_end(self.rest(here + 1).first()) => colon = Some(here),
                _ => {}
            }
            before = byte;
        }
        if let Some(colon) = colon {
            self.problem(ProblemKind::ColonInValue, colon..colon + 1);
        }
        (self.trim(at..comment.unwrap_or(self.line.end)), comment)
    }

    /// Handles the text after a closing quote or bracket.
    fn after_value(&mut self, at: usize) {
        let at = self.skip_blanks(at);
        match self.byte(at) {
            b'\n' => {}
            b'#' => self.comment(at),
            _ => {
                self.problem(ProblemKind::TextAfterValue, at..self.line.end);
                self.raw(at);
            }
        }
    }

    /// `|` or `>`, and the lines below that are indented deeper than their key.
    fn block_scalar(&mut self, entry: &Entry, at: usize) {
        self.problem(ProblemKind::BlockScalar, at..self.line.end);
        let mut end = self.trim(at..self.line.end).end;
        while self.next_line() {
            let spaces = leading_spaces(self.rest(self.line.start));
            let first = self.line.start + spaces;
            let is_empty = self.skip_blanks(first) == self.line.end;
            // Columns count from 1: the line is in column `spaces + 1`.
            if !is_empty && (spaces < entry.column || self.is_marker(first)) {
                self.read_again();
                break;
            }
            if !is_empty {
                end = self.trim(self.line.clone()).end;
            }
        }
        self.scalar(Style::Block, entry, at..end);
    }
}
