//! The rows of a property set's text, and the meaning of its values.

use std::ops::Range;

use super::known;
use super::line::{self, Line, Parts, Read};
use super::meaning::{self, Meaning};
use crate::limits;
use zeview_core::model::{
    Bytes, Doc, Expand, ExpanderId, Node, NodeKind, Rows, Sources, Span, Value,
};

/// The item of the text itself.
pub(super) const TOP: u64 = 0;
/// Set in the items of sets: the rest is the set's index among the rows of the text.
const SET: u64 = 1 << 48;
/// Set in the items of value parts: the rest is the line number.
const VALUE: u64 = 1 << 49;

pub(super) const SET_DOC: Doc = doc("A property set.");
pub(super) const KEY_DOC: Doc = doc("A property: its key, type number and value.");
const WRONG_DOC: Doc = doc("A line that is neither a set name nor a property.");
const ENCODED_DOC: Doc = doc(
    "Bytes in a base64 variant. Each group of three bytes is a 24-bit little-endian number, written as four digits, lowest first. The bytes start with a 64-bit bit count.",
);
const END_DOC: Doc = doc("The line break.");
const AFTER_DOC: Doc = doc("Readers stop at a NUL; the rest of the text is ignored.");

const fn doc(text: &'static str) -> Doc {
    Doc {
        text,
        source: "PropertySets.md",
        known: &[],
    }
}

/// A text split into lines; lines are parsed when they are display_name.
pub(super) struct Sets {
    span: Span,
    text: Bytes,
    /// The starts of the lines that are not blank.
    lines: Vec<u32>,
    /// The top-level rows of the text, by their first lines.
    tops: Vec<SetOrLine>,
}

/// A set, or a line outside of any set.
struct SetOrLine {
    is_set: bool,
    /// Its lines; the first line of a set is its name.
    lines: Range<usize>,
}

/// A property in a line, and the known facts about its key.
struct PropertyLine<'a> {
    set: Option<&'static known::Set>,
    line: &'a [u8],
    parts: &'a Parts,
}

impl PropertyLine<'_> {
    fn bytes(&self, range: &Range<usize>) -> &[u8] {
        self.line.get(range.clone()).unwrap_or(&[])
    }

    fn known(&self) -> Option<&'static known::Key> {
        self.set?.key(self.bytes(&self.parts.key))
    }

    fn meaning(&self, value: &Read) -> Meaning {
        let form = self.known().map_or(known::Form::Any, |key| key.form);
        match value {
            Read::Number(number) => meaning::of_number(form, *number),
            Read::Bytes(bits, bytes) => meaning::of_bytes(form, *bits, bytes),
        }
    }
}

impl Sets {
    /// Reads the text at `span`.
    pub(super) fn read(sources: &Sources, span: Span) -> Sets {
        let text = sources.read(span);
        let text = text.unwrap_or_else(|_| Bytes::from(Vec::new()));
        let (mut lines, mut tops) = (Vec::new(), Vec::<SetOrLine>::new());
        for range in line::lines(&text) {
            let number = lines.len();
            lines.push(u32::try_from(range.start).unwrap_or(u32::MAX));
            let first = text.get(range).unwrap_or(&[]);
            let is_set = matches!(line::read(first), Line::Set(_));
            match tops.last_mut() {
                Some(top) if top.is_set && !is_set => top.lines.end = number + 1,
                _ => tops.push(SetOrLine {
                    is_set,
                    lines: number..number + 1,
                }),
            }
        }
        Sets {
            span,
            text,
            lines,
            tops,
        }
    }

    fn place(&self, range: &Range<usize>) -> Span {
        super::place(self.span, range)
    }

    fn bytes(&self, range: &Range<usize>) -> &[u8] {
        self.text.get(range.clone()).unwrap_or(&[])
    }

    /// The bytes of a line without its line break.
    fn line(&self, number: usize) -> Range<usize> {
        let start = self.lines.get(number).copied().unwrap_or(u32::MAX);
        let start = usize::try_from(start).unwrap_or(usize::MAX);
        let rest = self.text.get(start..).unwrap_or(&[]);
        let len = line::lines(rest).next().map_or(0, |line| line.end);
        start..start.saturating_add(len)
    }

    /// The end of the previous line, where the prefix of this one starts.
    fn end_before(&self, number: usize) -> usize {
        number
            .checked_sub(1)
            .map_or(0, |before| self.line(before).end)
    }

    fn tail(&self) -> Range<usize> {
        self.end_before(self.lines.len())..self.text.len()
    }

    /// The set of a line.
    fn set_of(&self, number: usize) -> Option<&'static known::Set> {
        let after = self.tops.partition_point(|top| top.lines.start <= number);
        let top = self.tops.get(after.checked_sub(1)?)?;
        let line = self.bytes(&self.line(top.lines.start));
        match line::read(line) {
            Line::Set(name) if top.is_set => known::set(line.get(name)?),
            _ => None,
        }
    }

    fn top(&self, number: usize) -> Node {
        let Some(top) = self.tops.get(number) else {
            let tail = self.tail();
            let span = self.place(&tail);
            return if self.bytes(&tail).contains(&0) {
                Node::new(NodeKind::Blob, "after the end of the text", span)
                    .value(Value::Bytes)
                    .doc(&AFTER_DOC)
            } else {
                Node::new(NodeKind::Syntax, "line break", span).doc(&END_DOC)
            };
        };
        if !top.is_set {
            return self.entry(top.lines.start, None);
        }
        let first = self.line(top.lines.start);
        let last = self.line(top.lines.end.saturating_sub(1));
        let line = self.bytes(&first);
        let name = match line::read(line) {
            Line::Set(name) => line.get(name).unwrap_or(&[]),
            _ => &[],
        };
        let count = top.lines.len() as u64 - 1;
        let before = self.end_before(top.lines.start);
        let node = Node::new(
            NodeKind::Mapping,
            display_name(name),
            self.place(&(first.end..last.end)),
        )
        .head(head(before, first.end))
        .children(ExpanderId::SELF, SET | number as u64, Some(count));
        node.summary(crate::text::plural(count, "property"))
            .doc(known::set(name).map_or(&SET_DOC, |set| &set.doc))
    }

    fn entry(&self, number: usize, set: Option<&'static known::Set>) -> Node {
        let range = self.line(number);
        let line = self.bytes(&range);
        let before = self.end_before(number);
        let parts = match line::read(line) {
            Line::Property(parts) => parts,
            _ => {
                return Node::new(NodeKind::Text, "malformed line", self.place(&range))
                    .value(Value::text_from(cut(line)))
                    .head(head(before, range.start))
                    .doc(&WRONG_DOC);
            }
        };
        let found = PropertyLine {
            set,
            line,
            parts: &parts,
        };
        let start = range.start.saturating_add(parts.value.start);
        let span = self.place(&(start..range.end));
        let doc = found.known().map_or(&KEY_DOC, |key| &key.doc);
        let node = Node::field(display_name(found.bytes(&parts.key)), Value::None, span)
            .head(head(before, start))
            .doc(doc);
        let Ok(reading) = line::value(line, &parts) else {
            let value = Value::text_from(cut(found.bytes(&parts.value)));
            return node.value(value);
        };
        let meaning = found.meaning(&reading.value);
        match reading.value {
            Read::Number(number) => {
                let value = Value::decimal(number, 32);
                if meaning.words.is_empty() {
                    node.value(value)
                } else {
                    node.value(value).summary(meaning.words)
                }
            }
            Read::Bytes(..) => {
                let mut node = node.summary(meaning.words);
                node.kind = NodeKind::Mapping;
                let count = meaning.parts.len() as u64 + 2;
                node.children(ExpanderId::SELF, VALUE | number as u64, Some(count))
            }
        }
    }

    /// The rows below a byte value.
    fn parts(&self, number: usize) -> Vec<Node> {
        let bounds = self.line(number);
        let line = self.bytes(&bounds);
        let Line::Property(parts) = line::read(line) else {
            return Vec::new();
        };
        let Ok(reading) = line::value(line, &parts) else {
            return Vec::new();
        };
        let found = PropertyLine {
            set: self.set_of(number),
            line,
            parts: &parts,
        };
        let Read::Bytes(bits, _) = reading.value else {
            return Vec::new();
        };
        let mut rows = vec![
            self.encoded(&bounds, &found, &parts),
            Node::derived("bits", Value::decimal(bits, 64)),
        ];
        let meaning = found.meaning(&reading.value);
        let derived = meaning.parts.into_iter();
        rows.extend(derived.map(|(name, value)| Node::derived(name, value)));
        rows
    }

    fn encoded(&self, line: &Range<usize>, found: &PropertyLine<'_>, parts: &Parts) -> Node {
        let start = line.start.saturating_add(parts.value.start);
        let span = self.place(&(start..line.end));
        let value = Value::text_from(cut(found.bytes(&parts.value)));
        Node::field("encoded", value, span).doc(&ENCODED_DOC)
    }
}

fn head(from: usize, to: usize) -> u32 {
    u32::try_from(to.saturating_sub(from)).unwrap_or(0)
}

/// A name for display, truncated if very long.
fn display_name(name: &[u8]) -> String {
    let name = name.get(..limits::NAME_SHOWN).unwrap_or(name);
    String::from_utf8_lossy(name).into_owned()
}

/// The start of a value, for display.
fn cut(value: &[u8]) -> &[u8] {
    value.get(..64 * 1024).unwrap_or(value)
}

fn number(item: u64) -> usize {
    usize::try_from(item & !(SET | VALUE)).unwrap_or(usize::MAX)
}

impl Expand for Sets {
    fn count(&self, item: u64, _sources: &Sources) -> u64 {
        match item {
            TOP => self.tops.len() as u64 + u64::from(!self.tail().is_empty()),
            _ if item & VALUE != 0 => self.parts(number(item)).len() as u64,
            _ => {
                let top = self.tops.get(number(item));
                top.map_or(0, |top| top.lines.len().saturating_sub(1) as u64)
            }
        }
    }

    fn rows(&self, item: u64, range: Range<u64>, out: &mut Rows<'_>) {
        if item == TOP {
            for top in range {
                out.push(self.top(number(top)));
            }
        } else if item & VALUE != 0 {
            out.push_range(self.parts(number(item)), range);
        } else if let Some(top) = self.tops.get(number(item)) {
            let set = self.set_of(top.lines.start);
            let first = top.lines.start.saturating_add(1);
            for entry in range {
                out.push(self.entry(first.saturating_add(number(entry)), set));
            }
        }
    }

    fn index_at(&self, item: u64, offset: u64, _sources: &Sources) -> Option<Vec<u64>> {
        let within = usize::try_from(offset.checked_sub(self.span.start)?).ok()?;
        // The first line that ends after the byte: a line's prefix belongs to it.
        let line = partition(self.lines.len(), |line| self.line(line).end <= within);
        if item == TOP {
            let after = self.tops.partition_point(|top| top.lines.end <= line);
            return Some(vec![after as u64]);
        }
        if item & VALUE != 0 {
            return Some(vec![0]);
        }
        let top = self.tops.get(number(item))?;
        let first = top.lines.start.saturating_add(1);
        Some(
            line.checked_sub(first)
                .map(|at| at as u64)
                .into_iter()
                .collect(),
        )
    }
}

/// The first number below `count` that does not satisfy the condition.
fn partition(count: usize, holds: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, count);
    while low < high {
        let middle = low.midpoint(high);
        if holds(middle) {
            low = middle + 1
        } else {
            high = middle
        }
    }
    low
}
