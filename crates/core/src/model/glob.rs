//! Path patterns (`.text.*`, `**/simd_size`), and the walk that finds their matches.

use std::collections::HashMap;

use super::account::Account;
use super::document::{Document, PAGE};
use super::locate::DEPTH_MAX;
use super::node::{Node, NodeId, NodeKind};
use super::path::{PathError, escape};
use super::span::SourceId;
use super::value::Str;

/// Maximum number of matches, all of which are kept. Small files have a lower limit.
const MATCHES_MAX: u64 = 100_000;
/// Number of matches that are always allowed, which is enough for `**` in usual files, and bytes of
/// the file per further match.
const MATCHES_MORE: u64 = 32768;
const MATCH_BYTES: u64 = 64;
/// Visit budget of a search, per byte of the file and for files of any size. Most nodes of real
/// files have two bytes or more; nodes that share bytes are visited once for each of those that
/// share them.
const VISITS: u64 = 2;
const VISITS_MORE: u64 = 1 << 17;
/// Cost of an instruction, which is its minimum length in bytes; of other nodes it is 1.
const INSTRUCTION_COST: u64 = 8;

/// The error for a search that visited more nodes than its budget allows.
pub struct BudgetExceeded;

/// A step from a node to one of its children.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// Zero-based index of the child among its siblings.
    pub index: u64,
    /// The segment of the path for the child.
    pub segment: String,
    /// One-based ordinal among siblings with the same name.
    nth: u32,
}

impl Document {
    /// Visits everything below a node, parents first, without keeping the nodes; skips defaults.
    /// `each` gets a node and the steps that lead to it, and returns whether to continue below it.
    ///
    /// # Errors
    ///
    /// The first error of `each`.
    pub fn walk<E>(
        &self,
        from: &Node,
        each: &mut impl FnMut(&Node, &[Step]) -> Result<bool, E>,
    ) -> Result<(), E> {
        self.walk_below(from, &mut Vec::new(), each)
    }

    fn walk_below<E>(
        &self,
        node: &Node,
        steps: &mut Vec<Step>,
        each: &mut impl FnMut(&Node, &[Step]) -> Result<bool, E>,
    ) -> Result<(), E> {
        let count = self.walked_children(node);
        if count == 0 || steps.len() > DEPTH_MAX {
            return Ok(());
        }
        let mark = self.registry.mark();
        let mut seen: HashMap<Str, u32> = HashMap::new();
        let mut outcome = Ok(());
        let mut at = 0;
        'pages: while at < count {
            let end = count.min(at.saturating_add(PAGE));
            for child in self.make(node, at..end) {
                let nth = seen.entry(child.name.clone()).or_default();
                *nth += 1;
                let nth = *nth;
                if child.is_default() {
                    continue;
                }
                steps.push(Step {
                    index: child.index,
                    segment: segment(&child, nth),
                    nth,
                });
                outcome = match each(&child, steps) {
                    Ok(true) => self.walk_below(&child, steps, each),
                    Ok(false) => Ok(()),
                    Err(error) => Err(error),
                };
                steps.pop();
                if outcome.is_err() {
                    break 'pages;
                }
            }
            at = end;
        }
        self.registry.release(mark);
        outcome
    }

    /// Returns the nodes that match a path pattern: `*` matches any text within a name, `?` any
    /// character, and `**` any number of segments. A path without these is a plain
    /// [`Document::find`].
    ///
    /// # Errors
    ///
    /// If there are no matches, or too many.
    pub fn find_all(&mut self, path: &str) -> Result<Vec<NodeId>, PathError> {
        let mut segments = path.split('/').filter(|s| !s.is_empty()).peekable();
        let mut from = NodeId::ROOT;
        while let Some(segment) = segments.next_if(|s| !is_pattern(s)) {
            from = self.find_child(from, segment)?;
        }
        let pattern: Vec<&str> = segments.collect();
        if pattern.is_empty() {
            return Ok(vec![from]);
        }
        let no_match = |document: &mut Document, limit: Option<usize>| PathError {
            segment: shortened(&pattern.join("/")),
            within: document.path(from),
            near: None,
            is_pattern: true,
            limit: limit.map(|limit| limit as u64),
            is_cut: false,
        };
        let size = self.sources.whole(SourceId::FILE).len();
        let most = (MATCHES_MORE + size / MATCH_BYTES).min(MATCHES_MAX);
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        let visits = Account::for_file(size, VISITS, VISITS_MORE);
        let Ok(paths) = self.matches(from, &pattern, most, &visits) else {
            return Err(PathError {
                is_cut: true,
                ..no_match(self, None)
            });
        };
        if paths.len() > most {
            return Err(no_match(self, Some(most)));
        }
        let mut found = Vec::new();
        for ancestry in paths {
            let mut at = Some(from);
            for index in ancestry {
                let next = |id| self.children(id, index..index.saturating_add(1)).pop();
                at = at.and_then(next);
            }
            found.extend(at);
        }
        if found.is_empty() {
            Err(no_match(self, None))
        } else {
            Ok(found)
        }
    }

    /// Returns the paths of indices from a node to its matches.
    ///
    /// # Errors
    ///
    /// If the search exceeds the budget `visits`.
    pub fn matches(
        &self,
        from: NodeId,
        pattern: &[&str],
        most: usize,
        visits: &Account,
    ) -> Result<Vec<Vec<u64>>, BudgetExceeded> {
        let mut parts: Vec<Part> = pattern.iter().map(|text| Part::new(text)).collect();
        // `**/**` equals `**`; this limits the states of a node to twice its depth.
        parts.dedup_by(|a, b| matches!((a, b), (Part::Any, Part::Any)));
        let mut paths = Vec::new();
        // For each node on the path to the current one, the parts that its children may match.
        let mut states = vec![State::default()];
        if let Some(state) = states.first_mut() {
            state.add(0, &parts);
        }
        let Some(from) = self.node(from) else {
            return Ok(paths);
        };
        self.walk(from, &mut |node, steps| {
            let cost = match node.kind {
                NodeKind::Instruction => INSTRUCTION_COST,
                _ => 1,
            };
            if !visits.take(cost) {
                return Err(BudgetExceeded);
            }
            states.truncate(steps.len());
            let next = match states.last() {
                Some(state) if paths.len() <= most => state.after(node, steps, &parts),
                _ => State::default(),
            };
            if next.0.contains(&parts.len()) {
                paths.push(steps.iter().map(|step| step.index).collect());
            }
            let goes_on = next.0.iter().any(|part| *part < parts.len());
            states.push(next);
            Ok(goes_on)
        })?;
        Ok(paths)
    }
}

/// Returns whether a name matches a pattern: `*` is any text, `?` any character.
pub fn matches_pattern(name: &str, pattern: &str) -> bool {
    is_like(name, &signs(pattern))
}

/// Shortens a pattern for a message.
fn shortened(pattern: &str) -> String {
    const LONG: usize = 200;
    super::text::cut_end(pattern, LONG).into_owned()
}

/// Whether a path contains pattern characters.
pub fn is_pattern(path: &str) -> bool {
    path.contains(['*', '?'])
}

/// Formats a node as a segment of a path.
fn segment(node: &Node, nth: u32) -> String {
    match nth {
        _ if node.indexed || node.name.is_empty() => format!("[{}]", node.index),
        1 => escape(&node.name),
        nth => format!("{}#{nth}", escape(&node.name)),
    }
}

/// Indices of the parts of a pattern that may match next; one past the last means a full match.
#[derive(Default)]
struct State(Vec<usize>);

impl State {
    fn add(&mut self, part: usize, parts: &[Part]) {
        if self.0.contains(&part) {
            return;
        }
        self.0.push(part);
        // `**` may match no segment, except at the end, where it matches what is below.
        let is_last = part.saturating_add(1) == parts.len();
        if matches!(parts.get(part), Some(Part::Any)) && !is_last {
            self.add(part + 1, parts);
        }
    }

    fn after(&self, node: &Node, steps: &[Step], parts: &[Part]) -> State {
        let mut next = State::default();
        for at in &self.0 {
            match (parts.get(*at), steps.last()) {
                (Some(Part::Any), _) => {
                    next.add(*at, parts);
                    if at + 1 == parts.len() {
                        next.add(at + 1, parts);
                    }
                }
                (Some(part), Some(step)) if part.matches(node, step) => next.add(at + 1, parts),
                _ => {}
            }
        }
        next
    }
}

/// A part of a pattern.
enum Part {
    /// `**`
    Any,
    Exactly(String),
    Like(Vec<Sign>),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Sign {
    Is(char),
    /// `?`
    One,
    /// `*`
    Many,
}

/// Escapes of the characters that are special in a path.
static ESCAPES: [(&str, char); 6] = [
    ("%25", '%'),
    ("%2F", '/'),
    ("%5B", '['),
    ("%23", '#'),
    ("%2A", '*'),
    ("%3F", '?'),
];

impl Part {
    fn new(text: &str) -> Part {
        match text {
            "**" => Part::Any,
            text if is_pattern(text) => Part::Like(signs(text)),
            text => Part::Exactly(text.to_owned()),
        }
    }

    fn matches(&self, node: &Node, step: &Step) -> bool {
        let by_name = !node.name.is_empty();
        match self {
            Part::Any => true,
            Part::Exactly(text) => {
                *text == step.segment
                    || (node.indexed && by_name && step.nth == 1 && escape(&node.name) == *text)
                    || (node.indexed && text.parse() == Ok(step.index))
            }
            Part::Like(signs) => {
                let by_index = node.indexed || !by_name;
                (by_name && is_like(&node.name, signs))
                    || (by_index && is_like(&step.segment, signs))
            }
        }
    }
}

fn signs(text: &str) -> Vec<Sign> {
    let mut signs = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let mut escapes = ESCAPES.iter();
        if let Some((escape, c)) = escapes.find(|(escape, _)| rest.starts_with(escape)) {
            signs.push(Sign::Is(*c));
            rest = rest.get(escape.len()..).unwrap_or("");
            continue;
        }
        signs.push(match c {
            '*' => Sign::Many,
            '?' => Sign::One,
            c => Sign::Is(c),
        });
        rest = rest.get(c.len_utf8()..).unwrap_or("");
    }
    signs
}

/// Backtracks to the last `*` only, so it takes at most the product of both lengths.
fn is_like(name: &str, signs: &[Sign]) -> bool {
    let (mut name, mut signs) = (name.chars(), signs);
    let mut retry = None;
    loop {
        match (signs.split_first(), name.clone().next()) {
            (Some((Sign::Many, rest)), _) => {
                signs = rest;
                retry = Some((name.clone(), rest));
            }
            (Some((sign, rest)), Some(c)) if *sign == Sign::One || *sign == Sign::Is(c) => {
                signs = rest;
                name.next();
            }
            (None, None) => return true,
            _ => {
                let Some((from, rest)) = &mut retry else {
                    return false;
                };
                if from.next().is_none() {
                    return false;
                }
                (name, signs) = (from.clone(), *rest);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_of_names() {
        for (name, pattern, like) in [
            (".text.vecadd", ".text.*", true),
            (".text.vecadd", "*add", true),
            (".text.vecadd", "*a?d*", true),
            (".text.vecadd", ".text.", false),
            (".text.vecadd", "*.text", false),
            ("", "*", true),
            ("", "?", false),
            ("ä", "?", true),
            ("a*b", "a%2Ab", true),
            ("axb", "a%2Ab*", false),
            ("a/b", "a%2F?", true),
            ("aXbXc", "a*b*c", true),
            ("100%", "100%*", true),
            ("[3]", "[?]", true),
            ("3", "[3]*", false),
        ] {
            assert_eq!(is_like(name, &signs(pattern)), like, "{name:?} {pattern:?}");
        }
    }

    #[test]
    fn many_stars_are_fast() {
        let name = "a".repeat(10_000);
        assert!(!is_like(&name, &signs(&format!("{}b", "*a".repeat(50)))));
    }
}
