//! Search for names, values, text and bytes.

use std::borrow::Cow;
use std::ops::Range;

use super::document::{Document, PAGE};
use super::node::{Area, Node};
use super::source::Sources;
use super::span::{SourceId, Span};
use super::text::value_text;
use super::value::Value;

/// A search query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Query {
    /// Text in names and values, ignoring case.
    Text(String),
    /// Bytes; `None` matches any byte.
    Bytes(Vec<Option<u8>>),
}

impl Query {
    /// Parses user input: `4d 5a ?? 00` and `"abc"` are bytes, everything else is text. Returns
    /// `None` for blank input.
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
            // Two digits alone are a number.
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

/// A search result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    /// Its bytes.
    pub span: Span,
    /// The names on the path to it.
    pub path: Vec<String>,
    /// The text to display.
    pub text: String,
}

/// Maximum number of nodes visited, so that every search ends.
const NODES_MAX: u64 = 3_000_000;
/// Number of further nodes searched for better hits once there are enough.
const NODES_MORE: u64 = 300_000;
/// Maximum number of bytes read by a search for bytes.
const BYTES_MAX: u64 = 1 << 30;
/// Number of nodes visited, or bytes read, per step.
const NODES_STEP: u64 = 1 << 15;
const BYTES_STEP: u64 = 32 << 20;
/// Maximum depth of the visited nodes.
const DEPTH_MAX: usize = 512;

impl Document {
    /// Searches the whole document for `query`, for at most `limit` hits. Names and values equal to
    /// the text, or numbers equal to it, come first, then symbols that contain it, then all other
    /// matches, then offsets that name instructions, and last the symbols of a host binary; each in
    /// tree order. The flag tells whether there may be more.
    pub fn search(&self, query: &Query, limit: usize) -> (Vec<Hit>, bool) {
        let mut search = Search::new(query.clone(), limit);
        while !search.step(self) {}
        search.found()
    }
}

/// A search in steps, which reports its progress and can be cancelled.
#[derive(Debug)]
pub struct Search {
    limit: usize,
    /// The hits by [`Rank`], one more than the limit: that one means that there are more.
    hits: [Vec<Hit>; RANKS],
    by: Criterion,
}

#[derive(Debug)]
enum Criterion {
    Text(Text),
    Bytes {
        pattern: Vec<Option<u8>>,
        /// The position to continue from.
        at: u64,
        /// The size of the file.
        of: u64,
        /// Whether a read failed and ended the search.
        is_cut: bool,
    },
}

impl Search {
    /// Starts a search like [`Document::search`].
    pub fn new(query: Query, limit: usize) -> Search {
        let by = match query {
            Query::Text(text) => Criterion::Text(Text {
                number: number(&text),
                text,
                budget: NODES_MAX,
                stack: vec![(0, 1)],
            }),
            Query::Bytes(pattern) => Criterion::Bytes {
                pattern,
                at: 0,
                of: u64::MAX,
                is_cut: false,
            },
        };
        Search {
            limit,
            hits: Default::default(),
            by,
        }
    }

    /// Runs one step. Returns whether the search is over.
    pub fn step(&mut self, document: &Document) -> bool {
        match &mut self.by {
            Criterion::Text(text) => {
                let mark = document.registry.mark();
                let mut walk = Walk {
                    document,
                    limit: self.limit,
                    left: NODES_STEP.min(text.budget),
                    text,
                    depth: 0,
                    path: Vec::new(),
                    hits: &mut self.hits,
                };
                walk.children(std::slice::from_ref(document.root()), 0);
                document.registry.release(mark);
            }
            Criterion::Bytes {
                pattern,
                at,
                of,
                is_cut,
            } => {
                *of = document.sources.whole(SourceId::FILE).end;
                let [hits, ..] = &mut self.hits;
                let end = at.saturating_add(BYTES_STEP).min(*of).min(BYTES_MAX);
                *is_cut = !bytes_in(&document.sources, pattern, *at..end, self.limit, hits);
                *at = end;
            }
        }
        self.is_over()
    }

    /// Whether nothing is left to search, or nothing better can be found.
    pub fn is_over(&self) -> bool {
        let [best, ..] = &self.hits;
        let is_enough = best.len() > self.limit;
        is_enough
            || match &self.by {
                Criterion::Text(text) => text.is_over(),
                Criterion::Bytes { at, of, is_cut, .. } => *is_cut || *at >= BYTES_MAX.min(*of),
            }
    }

    /// Returns the progress in percent.
    pub fn percent(&self) -> u8 {
        let share = match &self.by {
            Criterion::Text(text) => text.share(),
            Criterion::Bytes { at, of, .. } => *at as f64 / (*of).max(1) as f64,
        };
        // From 0 to 100.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let percent = (share * 100.0).clamp(0.0, 100.0) as u8;
        percent
    }

    /// Returns the hits so far, the best first, and whether there may be more.
    pub fn found(&self) -> (Vec<Hit>, bool) {
        let is_cut = match &self.by {
            Criterion::Text(text) => !text.stack.is_empty(),
            Criterion::Bytes { at, of, is_cut, .. } => *is_cut || at < of,
        };
        let count: usize = self.hits.iter().map(Vec::len).sum();
        let hits = self.hits.iter().flatten().take(self.limit).cloned();
        (hits.collect(), is_cut || count > self.limit)
    }
}

/// Searches a range of the file for bytes, until there is one hit more than `limit`. Returns
/// whether the file could be read.
fn bytes_in(
    sources: &Sources,
    pattern: &[Option<u8>],
    range: Range<u64>,
    limit: usize,
    hits: &mut Vec<Hit>,
) -> bool {
    let whole = sources.whole(SourceId::FILE);
    let overlap = (pattern.len() as u64).saturating_sub(1);
    // For most positions, comparing a single byte is enough.
    let fixed = pattern.iter().enumerate();
    let Some((skip, first)) = fixed.filter_map(|(i, byte)| Some((i, (*byte)?))).next() else {
        return true;
    };
    let mut at = range.start;
    while at < range.end {
        let starts = (range.end - at).min(1 << 20);
        let Ok(bytes) = sources.read(whole.subspan(at, starts + overlap)) else {
            return false;
        };
        let rest = bytes.get(skip..).unwrap_or(&[]).iter().enumerate();
        for (i, _) in rest.filter(|(_, byte)| **byte == first) {
            let Some(candidate) = bytes.get(i..i + pattern.len()) else {
                break;
            };
            let same = |(byte, wanted): (&u8, &Option<u8>)| wanted.is_none_or(|w| w == *byte);
            if candidate.iter().zip(pattern).all(same) {
                let start = at + i as u64;
                hits.push(Hit {
                    span: Span::with_len(SourceId::FILE, start, pattern.len() as u64),
                    path: Vec::new(),
                    text: format!("{start:#x}"),
                });
                if hits.len() > limit {
                    return true;
                }
            }
        }
        at += starts;
    }
    true
}

/// Parses a number: `40`, `0x28`, `-1`, optionally after a `=`.
fn number(text: &str) -> Option<i128> {
    let text = text.strip_prefix('=').unwrap_or(text).trim();
    match text.strip_prefix("0x") {
        Some(digits) => i128::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

/// The quality of a match, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rank {
    Equal,
    /// Symbols of device code.
    Symbol,
    Contains,
    /// The name is synthetic: the offset of an instruction.
    Offset,
    /// Symbols of a host binary: thousands of them mention a kernel.
    Host,
}

/// The number of ranks.
const RANKS: usize = 5;

/// The sections with a host binary's own symbols.
const HOST_SYMBOLS: [&str; 4] = [".symtab", ".dynsym", ".strtab", ".dynstr"];

/// A search for text, and its progress.
#[derive(Debug)]
struct Text {
    text: String,
    number: Option<i128>,
    /// Number of nodes that may still be visited.
    budget: u64,
    /// For each level the next node, and the number of nodes; empty at the end.
    stack: Vec<(u64, u64)>,
}

impl Text {
    fn is_over(&self) -> bool {
        self.stack.is_empty() || self.budget == 0
    }

    /// Estimates the share that is done, as if all nodes of a level had equal subtrees.
    fn share(&self) -> f64 {
        if self.is_over() {
            return 1.0;
        }
        let add = |(share, part): (f64, f64), &(next, count): &(u64, u64)| {
            let part = part / count.max(1) as f64;
            (share + part * next as f64, part)
        };
        self.stack.iter().fold((0.0, 1.0), add).0
    }
}

/// One step of a text search: descends to the position of the last step and continues there. Only
/// the path is kept between two steps, because its nodes may be dropped meanwhile.
struct Walk<'a> {
    document: &'a Document,
    text: &'a mut Text,
    limit: usize,
    /// Number of nodes that may still be visited in this step.
    left: u64,
    /// The number of levels above.
    depth: usize,
    path: Vec<String>,
    hits: &'a mut [Vec<Hit>; RANKS],
}

impl Walk<'_> {
    /// Continues with the nodes of one level, the first of which is number `first`. Returns whether
    /// it has reached their end.
    fn children(&mut self, nodes: &[Node], first: u64) -> bool {
        for (node, place) in nodes.iter().zip(first..) {
            // Continue below a node that was visited before.
            let is_new = self.text.stack.len() == self.depth + 1;
            if is_new {
                if self.pauses() {
                    return false;
                }
                self.look(node);
            }
            if !self.below(node, is_new) {
                return false;
            }
            if let Some((next, _)) = self.text.stack.get_mut(self.depth) {
                *next = place + 1;
            }
        }
        if self.depth == 0 {
            self.text.stack.clear();
        }
        true
    }

    /// Visits everything below a node. Returns whether it has reached the end.
    fn below(&mut self, node: &Node, is_new: bool) -> bool {
        if self.depth >= DEPTH_MAX {
            return true;
        }
        let count = self.document.walked_children(node);
        if is_new {
            self.text.stack.push((0, count));
        }
        self.depth += 1;
        self.path.push(node.name.to_string());
        let mut is_done = true;
        while is_done
            && let Some(&(next, _)) = self.text.stack.get(self.depth)
            && next < count
        {
            let end = count.min((next / PAGE + 1) * PAGE);
            let nodes = self.document.make(node, next..end);
            is_done = self.children(&nodes, next);
            // Nodes that could not be created count as visited.
            if is_done && let Some((next, _)) = self.text.stack.get_mut(self.depth) {
                *next = end;
            }
        }
        self.path.pop();
        self.depth -= 1;
        if is_done {
            self.text.stack.truncate(self.depth + 1);
        }
        is_done
    }

    /// Whether nothing better can be found, or the step has visited enough.
    fn pauses(&self) -> bool {
        let [best, ..] = &*self.hits;
        best.len() > self.limit || self.left == 0 || self.text.budget == 0
    }

    fn look(&mut self, node: &Node) {
        self.left -= 1;
        self.text.budget -= 1;
        // The opened file itself is not a hit.
        if let Some(span) = node.span.filter(|_| self.depth > 0)
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
                self.text.budget = self.text.budget.min(NODES_MORE);
            }
        }
    }

    fn rank(&self, node: &Node) -> Option<Rank> {
        let is_equal = |text: &str| text.eq_ignore_ascii_case(&self.text.text);
        let number = match &node.value {
            Value::Signed { raw, .. } => Some(i128::from(*raw)),
            value => value.as_u64().map(i128::from),
        };
        let is_number = number.is_some() && number == self.text.number;
        let value = match &node.value {
            Value::None | Value::Bytes => Cow::Borrowed(""),
            Value::Text { text, .. } => Cow::Borrowed(&**text),
            other => Cow::Owned(value_text(other)),
        };
        let section = self.path.get(1).map(String::as_str);
        let is_of_host = self.document.summary.has.host
            && section.is_some_and(|section| HOST_SYMBOLS.contains(&section));
        if !is_of_host
            && (is_number || is_equal(&node.name) || (!value.is_empty() && is_equal(&value)))
        {
            return Some(Rank::Equal);
        }
        let text = &*self.text.text;
        let is_both = || text.contains(' ') && contains(&format!("{} {value}", node.name), text);
        let found = contains(&node.name, text) || contains(&value, text) || is_both();
        let rank = match node.area {
            _ if is_of_host => Rank::Host,
            _ if node.name.starts_with("+0x") => Rank::Offset,
            Area::Symbol => Rank::Symbol,
            _ => Rank::Contains,
        };
        (found || (is_of_host && is_number)).then_some(rank)
    }
}

fn headline(node: &Node) -> String {
    match &node.value {
        Value::None | Value::Bytes => node.name.to_string(),
        value => format!("{} {}", node.name, value_text(value)),
    }
}

/// Whether `text` contains `needle`, which is in lower case. Most text here is ASCII.
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
