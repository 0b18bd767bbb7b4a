//! Flow sequences and mappings: `[ 0, 1, 2 ]`, `{a: 1}`, nested and over several lines.
//!
//! LLVM's writer breaks long flow sequences over lines; the runtime rejects those
//! (observed with release 26.27).

use std::ops::Range;

use super::keys::{Key, indicator};
use super::lines::{is_blank, is_blank_or_end};
use super::reader::{Entry, Reader};
use super::{Kind, ProblemKind, Style};

/// A flow collection while it is read, with its contents.
struct Flow {
    /// Number of open collections around it.
    depth: usize,
    /// Column of its key or dash: further lines are indented deeper.
    column: usize,
    /// The position after the last token, and its line.
    at: usize,
    line: u32,
    /// Whether an item has been read since the last comma.
    after_item: bool,
    /// Whether a key awaits its value.
    key: Option<Entry>,
}

impl Reader<'_> {
    /// Reads the flow collection at `at` and returns the position after it. Returns `None` if it is
    /// not closed: the current line may then not belong to it.
    pub(super) fn flow(&mut self, entry: Entry, at: usize) -> Option<usize> {
        let mut flow = Flow {
            depth: self.depth(),
            column: entry.column,
            at,
            line: self.line_number,
            after_item: false,
            key: Some(entry),
        };
        self.open_bracket(&mut flow, at);
        while self.depth() > flow.depth {
            match self.next_token(&mut flow) {
                Some(at) => self.token(&mut flow, at),
                None => {
                    self.close_unclosed(&mut flow);
                    return None;
                }
            }
        }
        Some(flow.at)
    }

    /// The position of the next token, on this or a later line. Comments in between become nodes.
    /// Returns `None` if the text does not continue the collection.
    fn next_token(&mut self, flow: &mut Flow) -> Option<usize> {
        let mut at = self.skip_blanks(flow.at);
        loop {
            match self.byte(at) {
                b'\n' => {}
                b'#' => {
                    self.flow_value_missing(flow);
                    self.comment(at);
                    (flow.at, flow.line) = (self.consumed(), self.line_number);
                }
                _ => return Some(at),
            }
            if !self.next_line() {
                return None;
            }
            at = self.skip_blanks(self.line.start);
            if at < self.line.end && !self.continues_flow(flow, at) {
                self.read_again();
                return None;
            }
        }
    }

    /// Returns whether the line with its first text at `at` belongs to the collection. If the line
    /// is indented like the surrounding block, or looks like a line of it, a bracket is missing,
    /// which must not affect the rest of the text.
    fn continues_flow(&self, flow: &Flow, at: usize) -> bool {
        at - self.line.start >= flow.column
            && !self.is_marker(at)
            && !(self.innermost_kind() == Kind::FlowSequence && self.is_structure(at))
    }

    fn token(&mut self, flow: &mut Flow, at: usize) {
        // A line can have any number of values, so the limit of nodes is checked here as well.
        if self.is_full() {
            return self.give_up(flow, ProblemKind::TooManyNodes, at);
        }
        let line_before = std::mem::replace(&mut flow.line, self.line_number);
        match self.byte(at) {
            b',' => self.comma(flow, at, line_before),
            b']' | b'}' => self.close_bracket(flow, at),
            b'[' | b'{' => {
                self.start_item(flow, at);
                if flow.key.is_none() && self.innermost_kind() == Kind::FlowMapping {
                    self.problem(ProblemKind::ComplexKey, at..at + 1);
                }
                self.open_bracket(flow, at);
            }
            b'\'' | b'"' => self.flow_quoted(flow, at),
            _ => self.flow_plain(flow, at),
        }
    }

    fn open_bracket(&mut self, flow: &mut Flow, at: usize) {
        let mut entry = flow.key.take().unwrap_or(self.unkeyed(at, flow.column));
        entry.value = at;
        let kind = if self.byte(at) == b'[' {
            Kind::FlowSequence
        } else {
            Kind::FlowMapping
        };
        if kind == Kind::FlowMapping {
            self.problem(ProblemKind::FlowMapping, at..at + 1);
        }
        if !self.open(kind, &entry, flow.column) {
            return self.give_up(flow, ProblemKind::TooDeep, at);
        }
        flow.after_item = false;
        flow.at = at + 1;
    }

    fn close_bracket(&mut self, flow: &mut Flow, at: usize) {
        let expected = if self.innermost_kind() == Kind::FlowSequence {
            b']'
        } else {
            b'}'
        };
        if self.byte(at) != expected {
            self.problem(ProblemKind::FlowSyntax, at..at + 1);
        }
        self.flow_value_missing(flow);
        self.leaf(Kind::Syntax, at..at + 1);
        self.close();
        flow.at = at + 1;
        flow.after_item = true;
    }

    fn comma(&mut self, flow: &mut Flow, at: usize, line_before: u32) {
        self.flow_value_missing(flow);
        if !flow.after_item {
            self.problem(ProblemKind::FlowSyntax, at..at + 1);
            let nothing = self.unkeyed(flow.at, flow.column);
            self.null(&Entry {
                line: line_before,
                ..nothing
            });
        }
        flow.at = at + 1;
        flow.after_item = false;
    }

    /// Ends an awaited flow value as missing.
    fn flow_value_missing(&mut self, flow: &mut Flow) {
        if let Some(entry) = flow.key.take() {
            self.null(&entry);
            flow.after_item = true;
        }
    }

    fn start_item(&mut self, flow: &Flow, at: usize) {
        if flow.after_item {
            self.problem(ProblemKind::FlowSyntax, at..at + 1);
        }
    }

    fn flow_quoted(&mut self, flow: &mut Flow, at: usize) {
        self.start_item(flow, at);
        if flow.key.is_none()
            && let Some(key) = self.quoted_key(at)
        {
            return self.flow_key(flow, &key);
        }
        let (value, style) = self.quoted_extent(at);
        self.flow_scalar(flow, style, value);
    }

    fn flow_plain(&mut self, flow: &mut Flow, at: usize) {
        self.start_item(flow, at);
        // Readers disagree about `[?a]`: YAML 1.2 has the scalar `?a`, libyaml a complex key.
        let complex = (self.byte(at) == b'?').then_some(ProblemKind::ComplexKey);
        if let Some(kind) = complex.or_else(|| indicator(self.rest(at))) {
            self.problem(kind, at..self.line.end);
        }
        let end = at + flow_plain_len(self.rest(at));
        let value = self.trim(at..end);
        if self.byte(end) != b':' {
            return self.flow_scalar(flow, Style::Plain, value);
        }
        if flow.key.is_some() || value.is_empty() {
            // A second colon, or a colon without a key, is part of the value.
            self.problem(ProblemKind::FlowSyntax, end..end + 1);
            return self.flow_scalar(flow, Style::Plain, at..end + 1);
        }
        self.flow_key(
            flow,
            &Key {
                extent: value,
                style: Style::Plain,
                colon: end,
            },
        );
    }

    fn flow_key(&mut self, flow: &mut Flow, key: &Key) {
        if self.innermost_kind() == Kind::FlowSequence {
            self.problem(ProblemKind::FlowPair, key.extent.clone());
        }
        flow.at = key.colon + 1;
        flow.key = Some(self.keyed(key, flow.column, flow.at));
        flow.after_item = false;
    }

    /// Reads a scalar as an item or value, or in a mapping without a preceding key, as a key.
    fn flow_scalar(&mut self, flow: &mut Flow, style: Style, value: Range<usize>) {
        flow.at = value.end;
        flow.after_item = true;
        if flow.key.is_none() && self.innermost_kind() == Kind::FlowMapping {
            let key = Key {
                extent: value.clone(),
                style,
                colon: value.end,
            };
            let entry = self.keyed(&key, flow.column, value.end);
            return self.null(&entry);
        }
        let mut entry = flow
            .key
            .take()
            .unwrap_or(self.unkeyed(value.start, flow.column));
        entry.value = value.start;
        self.scalar(style, &entry, value);
    }

    /// Keeps the rest of the line undecoded.
    fn give_up(&mut self, flow: &mut Flow, kind: ProblemKind, at: usize) {
        self.problem(kind, at..self.line.end);
        self.flow_value_missing(flow);
        let rest = self.trim(at..self.line.end);
        self.leaf(Kind::Raw, rest.clone());
        while self.depth() > flow.depth {
            self.close();
        }
        flow.at = rest.end;
    }

    /// Closes collections when the text ends or continues with something else.
    fn close_unclosed(&mut self, flow: &mut Flow) {
        // The opening bracket, or a comma without a following item.
        let last = flow.at - 1..flow.at;
        self.problem_on(flow.line, ProblemKind::UnclosedBracket, last.clone());
        self.flow_value_missing(flow);
        if self.consumed() < flow.at {
            self.leaf_on(flow.line, Kind::Syntax, last);
        }
        while self.depth() > flow.depth {
            self.close();
        }
    }
}

/// The end of the plain scalar or key at the start of `line`, including blanks: at a comma, a
/// bracket, a comment, or a colon that is followed by a blank, comma or bracket.
fn flow_plain_len(line: &[u8]) -> usize {
    let mut before = b'a';
    for (at, &byte) in line.iter().enumerate() {
        let ends = match byte {
            b',' | b'[' | b']' | b'{' | b'}' => true,
            b'#' => is_blank(before),
            b':' => {
                let next = line.get(at + 1);
                is_blank_or_end(next) || matches!(next, Some(b',' | b'[' | b']' | b'{' | b'}'))
            }
            _ => false,
        };
        if ends {
            return at;
        }
        before = byte;
    }
    line.len()
}
