//! Finding names, values, text and bytes.

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
/// A search for bytes reads at most this much.
const BYTES_MAX: u64 = 1 << 30;

impl Document {
    /// Looks for `query` in all that there is; at most `limit` hits, in the order of the
    /// tree. The flag says whether there may be more.
    pub fn search(&self, query: &Query, limit: usize) -> (Vec<Hit>, bool) {
        match query {
            Query::Text(text) => {
                let mut walk = Walk {
                    document: self,
                    text,
                    limit,
                    budget: NODES_MAX,
                    path: Vec::new(),
                    hits: Vec::new(),
                };
                let mark = self.registry.mark();
                walk.visit(self.root());
                self.registry.release(mark);
                let more = walk.hits.len() >= limit || walk.budget == 0;
                (walk.hits, more)
            }
            Query::Bytes(pattern) => self.search_bytes(pattern, limit),
        }
    }

    fn search_bytes(&self, pattern: &[Option<u8>], limit: usize) -> (Vec<Hit>, bool) {
        let mut hits = Vec::new();
        let overlap = (pattern.len() as u64).saturating_sub(1);
        let whole = self.sources.whole(SourceId::FILE);
        let end = whole.end.min(BYTES_MAX);
        let mut at = 0;
        while at < end {
            let window = whole.sub(at, (1 << 20) + overlap);
            let Ok(bytes) = self.sources.read(window) else {
                return (hits, true);
            };
            for (i, candidate) in bytes.windows(pattern.len().max(1)).enumerate() {
                let same = |(byte, wanted): (&u8, &Option<u8>)| wanted.is_none_or(|w| w == *byte);
                if candidate.iter().zip(pattern).all(same) {
                    if hits.len() >= limit {
                        return (hits, true);
                    }
                    let start = at + i as u64;
                    hits.push(Hit {
                        span: Span::at(SourceId::FILE, start, pattern.len() as u64),
                        path: Vec::new(),
                        text: format!("{start:#x}"),
                    });
                }
            }
            at += 1 << 20;
        }
        (hits, end < whole.end)
    }
}

struct Walk<'a> {
    document: &'a Document,
    text: &'a str,
    limit: usize,
    budget: u64,
    path: Vec<String>,
    hits: Vec<Hit>,
}

impl Walk<'_> {
    fn visit(&mut self, node: &Node) {
        if self.hits.len() >= self.limit || self.budget == 0 || self.path.len() > 512 {
            return;
        }
        self.budget -= 1;
        if let Some(span) = node
            .span
            .filter(|_| self.path_is_inside() && self.matches(node))
        {
            self.hits.push(Hit {
                span,
                path: self.path.clone(),
                text: headline(node),
            });
        }
        let count = self.document.count(node);
        self.path.push(node.name.to_string());
        let mut at = 0;
        while at < count && self.hits.len() < self.limit && self.budget > 0 {
            let end = count.min(at + PAGE);
            for child in self.document.make(node, at..end) {
                self.visit(&child);
            }
            at = end;
        }
        self.path.pop();
    }

    /// The opened file itself is no hit.
    fn path_is_inside(&self) -> bool {
        !self.path.is_empty()
    }

    fn matches(&self, node: &Node) -> bool {
        contains(&node.name, self.text)
            || match &node.value {
                Value::None | Value::Bytes => false,
                Value::Text { text, .. } => contains(text, self.text),
                other => contains(&value_text(other), self.text),
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
