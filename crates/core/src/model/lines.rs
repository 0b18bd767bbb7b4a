//! Line index of a text.

use super::source::{Bytes, Sources};
use super::span::Span;

/// Number of lines between two positions of an index.
pub const STRIDE: u64 = 64;

/// Maximum number of bytes read at once.
pub const CHUNK: u64 = 256 * 1024;

/// The starts of the lines of a text.
#[derive(Debug)]
pub struct LineIndex {
    /// The text.
    pub span: Span,
    /// The number of lines.
    pub count: u64,
    /// The length of the longest line, in bytes.
    pub longest: u64,
    /// The starts of the lines 0, 64, 128 …
    starts: Vec<u64>,
}

impl LineIndex {
    /// Scans the text once.
    pub fn new(sources: &Sources, span: Span) -> LineIndex {
        let mut index = LineIndex {
            span,
            count: 0,
            longest: 0,
            starts: Vec::new(),
        };
        for_each_line(sources, span, &mut |line| {
            if index.count.is_multiple_of(STRIDE) {
                index.starts.push(line.start);
            }
            index.count += 1;
            index.longest = index.longest.max(line.len());
            true
        });
        index
    }

    /// Calls `f` with the number and span of each line from `first` on, until it returns false.
    pub fn lines_from(&self, sources: &Sources, first: u64, f: &mut dyn FnMut(u64, Span) -> bool) {
        let block = usize::try_from(first / STRIDE).unwrap_or(usize::MAX);
        let Some(start) = self.starts.get(block) else {
            return;
        };
        let from = Span::new(self.span.source, *start, self.span.end);
        let mut number = first / STRIDE * STRIDE;
        for_each_line(sources, from, &mut |line| {
            let more = number < first || f(number, line);
            number += 1;
            more
        });
    }

    /// Returns the number of the line that contains the byte at `offset`.
    pub fn line_at(&self, sources: &Sources, offset: u64) -> Option<u64> {
        let block = self
            .starts
            .partition_point(|s| *s <= offset)
            .checked_sub(1)?;
        let mut found = None;
        self.lines_from(sources, block as u64 * STRIDE, &mut |number, line| {
            if line.contains_offset(offset) {
                found = Some(number);
            }
            found.is_none() && line.start <= offset
        });
        found
    }
}

/// Calls `f` for each line until it returns false. A line ends after its `\n`.
pub fn for_each_line(sources: &Sources, span: Span, f: &mut dyn FnMut(Span) -> bool) {
    let mut line = span.start;
    let mut at = span.start;
    while at < span.end {
        let bytes = sources.read_clamped(span.subspan(at - span.start, CHUNK));
        let bytes = bytes.unwrap_or_else(|_| Bytes::from(Vec::new()));
        if bytes.is_empty() {
            return;
        }
        for (place, _) in bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n') {
            let end = at + place as u64 + 1;
            if !f(Span::new(span.source, line, end)) {
                return;
            }
            line = end;
        }
        at += bytes.len() as u64;
    }
    if line < span.end {
        f(Span::new(span.source, line, span.end));
    }
}

/// Strips the line break.
pub fn without_break(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}
