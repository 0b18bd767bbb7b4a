//! Readable text: a row for each line, with its bytes.

use std::cell::OnceCell;
use std::ops::Range;

use super::reader::Window;
use crate::model::{Doc, Expand, Node, NodeKind, Rows, Sources, Span, Value};

const LINE_DOC: Doc = Doc {
    text: "A line of the text, with its line break.",
    source: "",
    known: &[],
};

/// Every so many lines the position is remembered.
const STRIDE: u64 = 64;

/// So much of one line is shown; the rest of a longer one is in the bytes.
const SHOWN: u64 = 64 * 1024;

/// Text, taken apart into lines when somebody opens it.
#[derive(Debug)]
pub struct Lines {
    span: Span,
    /// Where the lines 0, 64, 128 … start, and how many there are.
    index: OnceCell<(Vec<u64>, u64)>,
}

impl Lines {
    /// The text in these bytes.
    pub fn new(span: Span) -> Lines {
        Lines {
            span,
            index: OnceCell::new(),
        }
    }

    fn index(&self, sources: &Sources) -> &(Vec<u64>, u64) {
        self.index.get_or_init(|| {
            let mut starts = Vec::new();
            let mut count = 0;
            for_each_line(sources, self.span, &mut |line| {
                if count % STRIDE == 0 {
                    starts.push(line.start);
                }
                count += 1;
                true
            });
            (starts, count)
        })
    }
}

/// Calls `f` for each line until it returns false. A line ends after its `\n`.
pub fn for_each_line(sources: &Sources, span: Span, f: &mut dyn FnMut(Span) -> bool) {
    let mut at = span.start;
    let mut line = span.start;
    while at < span.end {
        let window = Window::clamped(
            sources,
            Span::at(span.source, at, 256 * 1024).intersect(span),
        );
        if window.bytes().is_empty() {
            return;
        }
        for (i, _) in window
            .bytes()
            .iter()
            .enumerate()
            .filter(|(_, b)| **b == b'\n')
        {
            let end = at + i as u64 + 1;
            if !f(Span::new(span.source, line, end)) {
                return;
            }
            line = end;
        }
        at = window.span().end;
    }
    if line < span.end {
        f(Span::new(span.source, line, span.end));
    }
}

impl Expand for Lines {
    fn count(&self, _item: u64, sources: &Sources) -> u64 {
        self.index(sources).1
    }

    fn rows(&self, _item: u64, range: Range<u64>, out: &mut Rows<'_>) {
        let sources = out.sources;
        let (starts, _) = self.index(sources);
        let block = usize::try_from(range.start / STRIDE).unwrap_or(usize::MAX);
        let Some(start) = starts.get(block) else {
            return;
        };
        let from = Span::new(self.span.source, *start, self.span.end);
        let mut number = range.start / STRIDE * STRIDE;
        for_each_line(sources, from, &mut |line| {
            if number >= range.end {
                return false;
            }
            if number >= range.start {
                let bytes = Window::clamped(sources, line.sub(0, SHOWN));
                let text = bytes.bytes();
                let text = text.strip_suffix(b"\n").unwrap_or(text);
                let text = text.strip_suffix(b"\r").unwrap_or(text);
                out.push(
                    Node::new(NodeKind::Text, format!("line {}", number + 1), line)
                        .value(Value::text_from(text))
                        .doc(&LINE_DOC),
                );
            }
            number += 1;
            true
        });
    }

    fn index_at(&self, _item: u64, offset: u64, sources: &Sources) -> Option<Vec<u64>> {
        let (starts, _) = self.index(sources);
        let block = starts.partition_point(|s| *s <= offset).checked_sub(1)?;
        let mut number = block as u64 * STRIDE;
        let mut found = None;
        let from = Span::new(self.span.source, *starts.get(block)?, self.span.end);
        for_each_line(sources, from, &mut |line| {
            if line.holds(offset) {
                found = Some(number);
                return false;
            }
            number += 1;
            line.start <= offset
        });
        Some(found.into_iter().collect())
    }
}
