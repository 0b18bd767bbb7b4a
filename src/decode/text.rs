//! Readable text: a row for each line, with its bytes; and words for counts.

use std::cell::OnceCell;
use std::ops::Range;
use std::rc::Rc;

use super::context::Context;
use super::reader::Window;
use crate::model::{Doc, Expand, Node, NodeKind, Rows, Sources, Span, Value};

const LINE_DOC: Doc = Doc::new("A line of the text, with its line break.", "");

/// `1 symbol`, `8 symbols`, `2 entries`.
pub fn plural(count: u64, what: &str) -> String {
    match (count, what.strip_suffix('y')) {
        (1, _) => format!("1 {what}"),
        (_, Some(stem)) => format!("{count} {stem}ies"),
        _ => format!("{count} {what}s"),
    }
}

/// Every so many lines the position is remembered.
const STRIDE: u64 = 64;

/// So much of one line is shown; the rest of a longer one is in the bytes.
const SHOWN: u64 = 64 * 1024;

/// Where the lines of a text start.
#[derive(Debug)]
pub struct LineIndex {
    /// The text.
    pub span: Span,
    /// How many lines it has.
    pub count: u64,
    /// The bytes of the longest one.
    pub longest: u64,
    /// Where the lines 0, 64, 128 … start.
    starts: Vec<u64>,
}

impl LineIndex {
    /// Walks through the text once.
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

    /// Calls `f` with the lines from `first` on and their numbers, until it returns false.
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

    /// The number of the line that contains the byte at `offset`. Returns `None` if the text
    /// does not contain it.
    pub fn line_at(&self, sources: &Sources, offset: u64) -> Option<u64> {
        let block = self
            .starts
            .partition_point(|s| *s <= offset)
            .checked_sub(1)?;
        let mut found = None;
        self.lines_from(sources, block as u64 * STRIDE, &mut |number, line| {
            if line.holds(offset) {
                found = Some(number);
            }
            found.is_none() && line.start <= offset
        });
        found
    }
}

/// A line without its line break.
pub fn without_break(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// Text, taken apart into lines when somebody opens it.
#[derive(Debug)]
pub struct Lines {
    span: Span,
    index: OnceCell<LineIndex>,
}

impl Lines {
    /// The text in these bytes.
    pub fn new(span: Span) -> Lines {
        Lines {
            span,
            index: OnceCell::new(),
        }
    }

    fn index(&self, sources: &Sources) -> &LineIndex {
        self.index
            .get_or_init(|| LineIndex::new(sources, self.span))
    }
}

/// The node of a text: a row for each line.
pub fn lines_node(cx: &Context<'_>, bytes: Span, node: Node) -> Node {
    if !cx.may_walk(bytes) {
        return node.value(Value::Bytes);
    }
    let rows = cx.register(Rc::new(Lines::new(bytes)));
    let mut node = node.children(rows, 0, None);
    node.kind = NodeKind::Text;
    node
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
        self.index(sources).count
    }

    fn rows(&self, _item: u64, range: Range<u64>, out: &mut Rows<'_>) {
        let sources = out.sources;
        let index = self.index(sources);
        index.lines_from(sources, range.start, &mut |number, line| {
            if number >= range.end {
                return false;
            }
            let bytes = Window::clamped(sources, line.sub(0, SHOWN));
            out.push(
                Node::new(NodeKind::Text, format!("line {}", number + 1), line)
                    .value(Value::text_from(without_break(bytes.bytes())))
                    .doc(&LINE_DOC),
            );
            true
        });
    }

    fn index_at(&self, _item: u64, offset: u64, sources: &Sources) -> Option<Vec<u64>> {
        let found = self.index(sources).line_at(sources, offset);
        Some(found.into_iter().collect())
    }
}
