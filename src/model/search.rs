//! Finding names, values, text and bytes.

use std::borrow::Cow;
use std::ops::Range;

use super::document::{Document, PAGE};
use super::node::Node;
use super::span::{SourceId, Span};
use super::text::value_text;
use super::value::Value;

/// What is looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Query {
    /// Text in names and values, capitals or not.
    Text(String),
    /// Bytes; `None` stands for any.
    Bytes(Vec<Option<u8>>),
}

impl Query {
    /// Reads what somebody has typed: `4d 5a ?? 00` and `"abc"` are bytes, everything else
    /// is text. Nothing for blanks.
    pub fn parse(typed: &str) -> Option<Query> {
        let typed = typed.trim();
        if typed.is_empty() {
            return None;
        }
        let quoted = typed
            .strip_prefix('"')
            .and_then(|t| t.strip_suffix('"'))
            .filter(|t| !t.is_empty());
        if let Some(text) = quoted {
            return Some(Query::Bytes(text.bytes().map(Some).collect()));
        }
        let pattern: Option<Vec<_>> = typed.split_ascii_whitespace().map(pattern_byte).collect();
        match pattern {
            Some(bytes) if bytes.len() > 1 && bytes.iter().any(Option::is_some) => {
                Some(Query::Bytes(bytes))
            }
            _ => Some(Query::Text(typed.to_lowercase())),
        }
    }
}

fn pattern_byte(word: &str) -> Option<Option<u8>> {
    match word {
        "??" => Some(None),
        _ if word.len() == 2 => u8::from_str_radix(word, 16).ok().map(Some),
        _ => None,
    }
}

/// Something that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    /// Its bytes.
    pub span: Span,
    /// The names on the way to it.
    pub path: Vec<String>,
    /// What stands there.
    pub text: String,
}

/// A walk stops after this many nodes: a search must end.
const NODES_MAX: u64 = 3_000_000;
/// When there are as many hits as wanted, better ones are looked for in this many more nodes.
const NODES_MORE: u64 = 300_000;
/// A search for bytes reads at most this much.
const BYTES_MAX: u64 = 1 << 30;

impl Document {
    /// Looks for `query` in all that there is; at most `limit` hits. Names and values that are
    /// the text, or numbers that are equal to it, come first, then what contains it, and last the
    /// offsets that name instructions; each in the order of the tree. The flag says whether there
    /// may be more.
    pub fn search(&self, query: &Query, limit: usize) -> (Vec<Hit>, bool) {
        match query {
            Query::Text(text) => {
                let mut walk = Walk {
                    document: self,
                    text,
                    number: number(text),
                    limit,
                    budget: NODES_MAX,
                    path: Vec::new(),
                    hits: Default::default(),
                };
                let mark = self.registry.mark();
                walk.visit(self.root());
                self.registry.release(mark);
                let more =
                    walk.hits.iter().map(Vec::len).sum::<usize>() > limit || walk.budget == 0;
                let mut hits: Vec<Hit> = walk.hits.into_iter().flatten().collect();
                hits.truncate(limit);
                (hits, more)
            }
            Query::Bytes(pattern) => self.search_bytes(pattern, limit, 0..BYTES_MAX),
        }
    }

    /// Looks for bytes that begin in a range of the file; as [`search`](Document::search).
    pub fn search_bytes(
        &self,
        pattern: &[Option<u8>],
        limit: usize,
        range: Range<u64>,
    ) -> (Vec<Hit>, bool) {
        let mut hits = Vec::new();
        let overlap = (pattern.len() as u64).saturating_sub(1);
        let whole = self.sources.whole(SourceId::FILE);
        let end = whole.end.min(range.end);
        // Of most places one byte says that it is not there.
        let fixed = pattern.iter().enumerate();
        let Some((skip, first)) = fixed.filter_map(|(i, byte)| Some((i, (*byte)?))).next() else {
            return (hits, false);
        };
        let mut at = range.start;
        while at < end {
            let starts = (end - at).min(1 << 20);
            let window = whole.subspan(at, starts + overlap);
            let Ok(bytes) = self.sources.read(window) else {
                return (hits, true);
            };
            let rest = bytes.get(skip..).unwrap_or(&[]).iter().enumerate();
            for (i, _) in rest.filter(|(_, byte)| **byte == first) {
                let Some(candidate) = bytes.get(i..i + pattern.len()) else {
                    break;
                };
                let same = |(byte, wanted): (&u8, &Option<u8>)| wanted.is_none_or(|w| w == *byte);
                if candidate.iter().zip(pattern).all(same) {
                    if hits.len() >= limit {
                        return (hits, true);
                    }
                    let start = at + i as u64;
                    hits.push(Hit {
                        span: Span::with_len(SourceId::FILE, start, pattern.len() as u64),
                        path: Vec::new(),
                        text: format!("{start:#x}"),
                    });
                }
            }
            at += starts;
        }
        (hits, end < whole.end)
    }
}

/// The number that a text is: `40`, `0x28`, `-1`, also with a `=` before it.
fn number(text: &str) -> Option<i128> {
    let text = text.strip_prefix('=').unwrap_or(text).trim();
    match text.strip_prefix("0x") {
        Some(digits) => i128::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

/// How well a node fits; the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rank {
    Equal,
    Contains,
    /// The name is made up: the offset of an instruction.
    Offset,
}

struct Walk<'a> {
    document: &'a Document,
    text: &'a str,
    number: Option<i128>,
    limit: usize,
    budget: u64,
    path: Vec<String>,
    /// By [`Rank`]. One more than the limit are kept: there are more.
    hits: [Vec<Hit>; 3],
}

impl Walk<'_> {
    fn visit(&mut self, node: &Node) {
        if self.is_over() || self.path.len() > 512 {
            return;
        }
        self.budget -= 1;
        // The opened file itself is no hit.
        if let Some(span) = node.span.filter(|_| !self.path.is_empty())
            && let Some(rank) = self.rank(node)
            && let Some(hits) = self.hits.get_mut(rank as usize)
            && hits.len() <= self.limit
        {
            hits.push(Hit {
                span,
                path: self.path.clone(),
                text: headline(node),
            });
            if hits.len() == self.limit {
                self.budget = self.budget.min(NODES_MORE);
            }
        }
        let count = self.document.walked(node);
        self.path.push(node.name.to_string());
        let mut at = 0;
        while at < count && !self.is_over() {
            let end = count.min(at + PAGE);
            for child in self.document.make(node, at..end) {
                self.visit(&child);
            }
            at = end;
        }
        self.path.pop();
    }

    /// Nothing better can be found, or enough was looked at.
    fn is_over(&self) -> bool {
        let [best, ..] = &self.hits;
        best.len() > self.limit || self.budget == 0
    }

    fn rank(&self, node: &Node) -> Option<Rank> {
        let is_equal = |text: &str| text.eq_ignore_ascii_case(self.text);
        let number = match &node.value {
            Value::Signed { raw, .. } => Some(i128::from(*raw)),
            value => value.as_u64().map(i128::from),
        };
        let is_number = number.is_some() && number == self.number;
        let value = match &node.value {
            Value::None | Value::Bytes => Cow::Borrowed(""),
            Value::Text { text, .. } => Cow::Borrowed(&**text),
            other => Cow::Owned(value_text(other)),
        };
        if is_number || is_equal(&node.name) || (!value.is_empty() && is_equal(&value)) {
            return Some(Rank::Equal);
        }
        let is_both =
            || self.text.contains(' ') && contains(&format!("{} {value}", node.name), self.text);
        let found = contains(&node.name, self.text) || contains(&value, self.text) || is_both();
        match node.name.starts_with("+0x") {
            true => found.then_some(Rank::Offset),
            false => found.then_some(Rank::Contains),
        }
    }
}

fn headline(node: &Node) -> String {
    match &node.value {
        Value::None | Value::Bytes => node.name.to_string(),
        value => format!("{} {}", node.name, value_text(value)),
    }
}

/// `needle` is in lower case; most text here is ASCII.
fn contains(text: &str, needle: &str) -> bool {
    if text.len() < needle.len() {
        return false;
    }
    if text.is_ascii() {
        return text
            .as_bytes()
            .windows(needle.len())
            .any(|w| w.eq_ignore_ascii_case(needle.as_bytes()));
    }
    text.to_lowercase().contains(needle)
}
