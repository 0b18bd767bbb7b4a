//! The rows of a property set's text.

use std::cell::OnceCell;
use std::ops::Range;

use super::line::{self, Line, Parts, Read};
use super::{Found, known, place};
use crate::decode::limits;
use crate::decode::reader::Window;
use crate::model::{Doc, Expand, Node, NodeKind, Rows, Sources, Span, Value};

/// The item of the text itself.
pub const TOP: u64 = u64::MAX;
/// Set in the item of the parts of a value: the number of its line.
const VALUE: u64 = 1 << 56;

const SET_DOC: Doc = doc("A property set.");
const KEY_DOC: Doc = doc("A property: its key, the number of its type, and its value.");
const WRONG_DOC: Doc = doc("A line that is neither the name of a set nor a property.");
const ENCODED_DOC: Doc = doc(
    "The bytes as text: three of them are a number of 24 bits, lowest byte first, that is written as four digits of base64, lowest first; before all stands the number of bits, 64 bits wide.",
);
const END_DOC: Doc = doc("What ends the last line.");
const AFTER_DOC: Doc = doc("Readers of the text stop at a NUL: what follows is not read.");

const fn doc(text: &'static str) -> Doc {
    Doc {
        text,
        source: "PropertySets.md",
        known: &[],
    }
}

/// Makes the rows.
pub struct Sets {
    span: Span,
    index: OnceCell<Index>,
}

/// Where the lines are; taken apart are only those that are looked at.
struct Index {
    text: Window,
    /// Where the lines start that are not blank.
    lines: Vec<u32>,
    /// The rows right below the text, by their first lines.
    tops: Vec<Top>,
}

/// A set, or a line that is in none.
struct Top {
    is_set: bool,
    /// Its lines; the first one of a set has its name.
    lines: Range<usize>,
}

impl Sets {
    /// The rows of a text.
    pub fn new(span: Span) -> Sets {
        Sets {
            span,
            index: OnceCell::new(),
        }
    }

    fn index(&self, sources: &Sources) -> &Index {
        self.index.get_or_init(|| {
            let text = Window::clamped(sources, self.span);
            let (mut lines, mut tops) = (Vec::new(), Vec::<Top>::new());
            for range in line::lines(text.bytes()) {
                let number = lines.len();
                lines.push(u32::try_from(range.start).unwrap_or(u32::MAX));
                let first = text.bytes().get(range).unwrap_or(&[]);
                let is_set = matches!(line::read(first), Line::Set(_));
                match tops.last_mut() {
                    Some(top) if top.is_set && !is_set => top.lines.end = number + 1,
                    _ => tops.push(Top {
                        is_set,
                        lines: number..number + 1,
                    }),
                }
            }
            Index { text, lines, tops }
        })
    }
}

impl Index {
    /// The bytes of a line, without what ends it.
    fn line(&self, number: usize) -> Range<usize> {
        let start = self.lines.get(number).copied().unwrap_or(u32::MAX);
        let start = usize::try_from(start).unwrap_or(usize::MAX);
        let rest = self.text.bytes().get(start..).unwrap_or(&[]);
        let len = line::lines(rest).next().map_or(0, |line| line.end);
        start..start.saturating_add(len)
    }

    /// Where the line before ends: what introduces this one starts there.
    fn end_before(&self, number: usize) -> usize {
        number
            .checked_sub(1)
            .map_or(0, |before| self.line(before).end)
    }

    fn tail(&self) -> Span {
        let end = self.end_before(self.lines.len());
        self.text.span().from(end as u64)
    }

    /// The set that a line is in.
    fn set_of(&self, number: usize) -> Option<&'static known::Set> {
        let after = self.tops.partition_point(|top| top.lines.start <= number);
        let top = self.tops.get(after.checked_sub(1)?)?;
        let range = self.line(top.lines.start);
        match line::read(self.text.bytes().get(range.clone())?) {
            Line::Set(name) if top.is_set => {
                let from = range.start.saturating_add(name.start);
                let to = range.start.saturating_add(name.end);
                known::set(self.text.bytes().get(from..to)?)
            }
            _ => None,
        }
    }

    fn top(&self, number: usize, out: &Rows<'_>) -> Node {
        let text = self.text.span();
        let Some(top) = self.tops.get(number) else {
            let tail = self.tail();
            let blank = Window::clamped(out.sources, tail);
            return match blank.bytes().contains(&0) {
                true => Node::new(NodeKind::Blob, "after the end of the text", tail)
                    .value(Value::Bytes)
                    .doc(&AFTER_DOC),
                false => Node::new(NodeKind::Syntax, "line break", tail).doc(&END_DOC),
            };
        };
        if !top.is_set {
            return self.entry(top.lines.start, None, out);
        }
        let first = self.line(top.lines.start);
        let last = self.line(top.lines.end.saturating_sub(1));
        let line = self.text.bytes().get(first.clone()).unwrap_or(&[]);
        let name = match line::read(line) {
            Line::Set(name) => line.get(name).unwrap_or(&[]),
            _ => &[],
        };
        let count = top.lines.len() as u64 - 1;
        let before = self.end_before(top.lines.start);
        let node = Node::new(
            NodeKind::Mapping,
            shown(name),
            place(text, &(first.end..last.end)),
        )
        .head(head(before, first.end))
        .children(out.me, number as u64, Some(count));
        node.summary(crate::decode::elf::plural(count, "property"))
            .doc(known::set(name).map_or(&SET_DOC, |set| &set.doc))
    }

    fn entry(&self, number: usize, set: Option<&'static known::Set>, out: &Rows<'_>) -> Node {
        let text = self.text.span();
        let range = self.line(number);
        let line = self.text.bytes().get(range.clone()).unwrap_or(&[]);
        let before = self.end_before(number);
        let parts = match line::read(line) {
            Line::Property(parts) => parts,
            _ => {
                return Node::new(NodeKind::Text, "wrong line", place(text, &range))
                    .value(Value::text_from(cut(line)))
                    .head(head(before, range.start))
                    .doc(&WRONG_DOC);
            }
        };
        let found = Found {
            set,
            line,
            parts: &parts,
        };
        let start = range.start.saturating_add(parts.value.start);
        let span = place(text, &(start..range.end));
        let doc = found.known().map_or(&KEY_DOC, |key| &key.doc);
        let node = Node::field(shown(found.bytes(&parts.key)), Value::None, span)
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
                match meaning.words.is_empty() {
                    true => node.value(value),
                    false => node.value(value).summary(meaning.words),
                }
            }
            Read::Bytes(..) => {
                let mut node = node.summary(meaning.words);
                node.kind = NodeKind::Mapping;
                let count = meaning.parts.len() as u64 + 2;
                node.children(out.me, VALUE | number as u64, Some(count))
            }
        }
    }

    /// The rows below a value of bytes.
    fn parts(&self, number: usize, range: Range<u64>, out: &mut Rows<'_>) {
        let bounds = self.line(number);
        let line = self.text.bytes().get(bounds.clone()).unwrap_or(&[]);
        let Line::Property(parts) = line::read(line) else {
            return;
        };
        let Ok(reading) = line::value(line, &parts) else {
            return;
        };
        let found = Found {
            set: self.set_of(number),
            line,
            parts: &parts,
        };
        let Read::Bytes(bits, _) = reading.value else {
            return;
        };
        let mut rows = vec![
            self.encoded(&bounds, &found, &parts),
            Node::derived("bits", Value::decimal(bits, 64)),
        ];
        let meaning = found.meaning(&reading.value);
        let derived = meaning.parts.into_iter();
        rows.extend(derived.map(|(name, value)| Node::derived(name, value)));
        let skip = usize::try_from(range.start).unwrap_or(usize::MAX);
        let take = usize::try_from(range.end - range.start).unwrap_or(usize::MAX);
        for row in rows.into_iter().skip(skip).take(take) {
            out.push(row);
        }
    }

    fn encoded(&self, line: &Range<usize>, found: &Found<'_>, parts: &Parts) -> Node {
        let start = line.start.saturating_add(parts.value.start);
        let span = place(self.text.span(), &(start..line.end));
        let value = Value::text_from(cut(found.bytes(&parts.value)));
        Node::field("encoded", value, span).doc(&ENCODED_DOC)
    }
}

fn head(from: usize, to: usize) -> u32 {
    u32::try_from(to.saturating_sub(from)).unwrap_or(0)
}

/// A name that is shown: not all of a very long one.
fn shown(name: &[u8]) -> String {
    let name = name.get(..limits::NAME_SHOWN).unwrap_or(name);
    String::from_utf8_lossy(name).into_owned()
}

/// So much of a value is shown.
fn cut(value: &[u8]) -> &[u8] {
    value.get(..64 * 1024).unwrap_or(value)
}

fn number(item: u64) -> usize {
    usize::try_from(item & !VALUE).unwrap_or(usize::MAX)
}

impl Expand for Sets {
    fn count(&self, item: u64, sources: &Sources) -> u64 {
        let index = self.index(sources);
        match item {
            TOP => index.tops.len() as u64 + u64::from(!index.tail().is_empty()),
            // The others say it themselves.
            _ => 0,
        }
    }

    fn rows(&self, item: u64, range: Range<u64>, out: &mut Rows<'_>) {
        let index = self.index(out.sources);
        if item == TOP {
            for top in range {
                let node = index.top(number(top), out);
                out.push(node);
            }
            return;
        }
        if item & VALUE != 0 {
            index.parts(number(item), range, out);
            return;
        }
        let Some(top) = index.tops.get(number(item)) else {
            return;
        };
        let set = index.set_of(top.lines.start);
        for entry in range {
            let line = top
                .lines
                .start
                .saturating_add(1)
                .saturating_add(number(entry));
            let node = index.entry(line, set, out);
            out.push(node);
        }
    }

    fn index_at(&self, item: u64, offset: u64, sources: &Sources) -> Option<Vec<u64>> {
        let index = self.index(sources);
        let within = usize::try_from(offset.checked_sub(self.span.start)?).ok()?;
        // The line whose end is behind the byte: what introduces a line belongs to it.
        let line = partition(index.lines.len(), |line| index.line(line).end <= within);
        if item == TOP {
            let after = index.tops.partition_point(|top| top.lines.end <= line);
            return Some(vec![after as u64]);
        }
        if item & VALUE != 0 {
            return Some(vec![0]);
        }
        let top = index.tops.get(number(item))?;
        let first = top.lines.start.saturating_add(1);
        Some(
            line.checked_sub(first)
                .map(|at| at as u64)
                .into_iter()
                .collect(),
        )
    }
}

/// The first number below `count` that does not fulfil the condition.
fn partition(count: usize, holds: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, count);
    while low < high {
        let middle = low.midpoint(high);
        match holds(middle) {
            true => low = middle + 1,
            false => high = middle,
        }
    }
    low
}
