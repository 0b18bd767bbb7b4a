//! Two trees compared by names: the fields that differ.

use std::collections::HashMap;

use super::entry::{Field, Said, Side};
use super::names::{identity, is_layout};
use super::{Comparer, Which};
use crate::model::document::PAGE;
use crate::model::node::{Content, Node, NodeKind};
use crate::model::span::Span;
use crate::model::value::Value;

/// Levels of a tree that are walked; files are nested less.
const DEPTH_MAX: usize = 64;

/// So many bytes of a name are kept in the way to a value.
const NAME_MAX: usize = 1024;

/// So many lines of a text that differ have a field each.
const LINES_MAX: usize = 1000;

/// The way from an entry to one of its values.
#[derive(Debug, Default)]
pub(super) struct Way {
    text: String,
    /// How long the text was before each step.
    steps: Vec<usize>,
}

impl Way {
    pub(super) fn enter(&mut self, name: &str, is_entry: bool) {
        let end = name.floor_char_boundary(NAME_MAX);
        let name = name.get(..end).unwrap_or(name);
        self.steps.push(self.text.len());
        match is_entry {
            true => {
                self.text.push('[');
                self.text.push_str(name);
                self.text.push(']');
            }
            false => {
                if !self.text.is_empty() {
                    self.text.push('/');
                }
                self.text.push_str(name);
            }
        }
    }

    pub(super) fn leave(&mut self) {
        let length = self.steps.pop().unwrap_or(0);
        self.text.truncate(length);
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }
}

/// So many rows below another are compared: all are held at once.
const CHILDREN_MAX: u64 = 64 * 1024;

impl Comparer<'_> {
    /// The children of a node that say something: without padding, gaps, and what is derived.
    pub(super) fn children(&mut self, which: Which, node: &Node) -> Vec<Node> {
        let document = self.document(which);
        let all = document.written(node);
        let count = all.min(CHILDREN_MAX);
        let mut found = Vec::new();
        let (mut at, mut made) = (0, 0);
        while at < count && made < self.work.left() {
            let end = count.min(at.saturating_add(PAGE));
            let mut page = document.make(node, at..end);
            made = made.saturating_add(page.len() as u64);
            page.retain(|child| !is_layout(child));
            page.iter_mut().for_each(with_string);
            // Nodes are large: those of one page stay where they are.
            match found.is_empty() {
                true => found = page,
                false => found.append(&mut page),
            }
            at = end;
        }
        self.work.spend(made.saturating_mul(8));
        if count < all {
            self.result.is_cut = true;
            let name = &node.name;
            self.note(format!(
                "{name}: only the first {count} of {all} rows are compared"
            ));
        }
        found
    }

    /// Forgets who makes the children of nodes that were made meanwhile.
    pub(super) fn forgetting<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        let marks = (self.a.registry.mark(), self.b.registry.mark());
        let result = f(self);
        self.a.registry.release(marks.0);
        self.b.registry.release(marks.1);
        result
    }

    /// The fields that differ in two nodes of the same name.
    pub(super) fn fields(&mut self, a: &Node, b: &Node, way: &mut Way, out: &mut Vec<Field>) {
        if self.work.is_over() || way.steps.len() > DEPTH_MAX {
            return;
        }
        let spans = (a.span.unwrap_or_default(), b.span.unwrap_or_default());
        if a.kind == b.kind && self.same_bytes(spans.0, spans.1) == Ok(true) && !spans.0.is_empty()
        {
            // A word of bits has the bytes of its parts.
            if a.bits.is_none() || a.value == b.value {
                return;
            }
        }
        if a.kind == NodeKind::Text && self.is_lines(a, b) {
            self.lines(spans.0, spans.1, way, out);
            return;
        }
        let children = (self.children(Which::A, a), self.children(Which::B, b));
        let is_leaf = children.0.is_empty() && children.1.is_empty();
        let has_rows = self.document(Which::A).walked(a) + self.document(Which::B).walked(b) > 0;
        if is_leaf && has_rows && a.value == b.value && !is_list(a, &children.0) {
            // All that is below them is layout.
            return;
        }
        if is_leaf || is_list(a, &children.0) && is_list(b, &children.1) {
            let from = self.said(Which::A, a, &children.0);
            let to = self.said(Which::B, b, &children.1);
            if from != to {
                self.field(way, from.map(|s| (s, a)), to.map(|s| (s, b)), out);
            }
            return;
        }
        // Of a word whose bits have names, those say what differs.
        self.matched(children, way, out);
    }

    fn field(
        &mut self,
        way: &Way,
        from: Option<(Said, &Node)>,
        to: Option<(Said, &Node)>,
        out: &mut Vec<Field>,
    ) {
        let text = way.text();
        let key = text.rsplit('/').next().unwrap_or(text);
        let key = match key.split_once('[') {
            Some((key, _)) if !key.is_empty() => key,
            _ => key,
        };
        let side =
            |side: Option<(Said, &Node)>| side.map(|(said, node)| Side::new(said, node.span));
        self.work.spend(8 + text.len() as u64 / 8);
        out.push(Field {
            key: key.to_owned(),
            path: text.to_owned(),
            from: side(from),
            to: side(to),
        });
    }

    /// What a node without named parts says.
    fn said(&mut self, which: Which, node: &Node, children: &[Node]) -> Option<Said> {
        if !children.is_empty() {
            let list = children.iter().map(|child| Said::of(&child.value));
            return Some(Said::List(
                list.map(|s| s.unwrap_or(Said::List(Vec::new()))).collect(),
            ));
        }
        if let Some(said) = Said::of(&node.value) {
            return Some(said);
        }
        match node.span {
            Some(_) if matches!(node.kind, NodeKind::Sequence | NodeKind::Mapping) => {
                Some(Said::List(Vec::new()))
            }
            Some(span) => Some(self.bytes_said(which, span)),
            None => None,
        }
    }

    /// Aligns the entries of two lists that nothing tells apart but what they say.
    fn in_order(&mut self, (a, b): (&[Node], &[Node]), way: &mut Way, out: &mut Vec<Field>) {
        let mut ids: HashMap<String, u32> = HashMap::new();
        let mut number = |nodes: &[Node]| -> Vec<u32> {
            let words = nodes.iter().map(entry_words);
            words
                .map(|words| {
                    let next = u32::try_from(ids.len()).unwrap_or(u32::MAX);
                    *ids.entry(words).or_insert(next)
                })
                .collect()
        };
        let (one, other) = (number(a), number(b));
        let alignment = super::align::align(&one, &other, &mut self.work);
        for hunk in &alignment.hunks {
            let (mut from, mut to) = (hunk.a.clone(), hunk.b.clone());
            loop {
                let (x, y) = (from.next(), to.next());
                let Some(place) = x.or(y) else { break };
                if out.len() >= LINES_MAX {
                    let (removed, added) = (alignment.removed(), alignment.added());
                    self.note(format!(
                        "{}: {removed} entries differ from {added}; the first {LINES_MAX} are listed",
                        way.text()
                    ));
                    return;
                }
                fn at(nodes: &[Node], place: Option<u32>) -> Option<(Said, &Node)> {
                    let node = nodes.get(usize::try_from(place?).ok()?)?;
                    Some((Said::Text(entry_words(node)), node))
                }
                way.enter(&place.to_string(), true);
                self.field(way, at(a, x), at(b, y), out);
                way.leave();
            }
        }
        self.same_words((a, b), &alignment, way, out);
    }

    /// Entries that are written alike may differ in what is below them.
    fn same_words(
        &mut self,
        (a, b): (&[Node], &[Node]),
        alignment: &super::align::Alignment,
        way: &mut Way,
        out: &mut Vec<Field>,
    ) {
        for (place, node) in (0_u32..).zip(a) {
            if self.work.is_over() {
                return;
            }
            let (other, is_same) = alignment.counterpart(place);
            let other = usize::try_from(other).ok().and_then(|at| b.get(at));
            if let Some(other) = other.filter(|_| is_same) {
                way.enter(&place.to_string(), true);
                self.pair_or_fields(node, other, way, out);
                way.leave();
            }
        }
    }

    /// Matches children by name or identity, and compares those that match.
    fn matched(&mut self, (a, b): (Vec<Node>, Vec<Node>), way: &mut Way, out: &mut Vec<Field>) {
        let is_list = |nodes: &[Node]| nodes.iter().all(|node| node.indexed && !is_document(node));
        if is_list(&a) && is_list(&b) {
            let mut named = |which, node: Option<&Node>| {
                node.is_some_and(|node| {
                    let children = self.forgetting(|comparer| comparer.children(which, node));
                    identity(&children).is_some()
                })
            };
            if !named(Which::A, a.first()) && !named(Which::B, b.first()) {
                self.in_order((&a, &b), way, out);
                return;
            }
        }
        let a = self.keyed(Which::A, a);
        let mut b = self.keyed(Which::B, b);
        let mut places: HashMap<(String, u32), usize> = HashMap::with_capacity(b.len());
        for (at, (key, nth, ..)) in b.iter().enumerate() {
            places.insert((key.clone(), *nth), at);
        }
        let mut is_matched = vec![false; b.len()];
        for (key, nth, is_entry, node) in a {
            let at = places.get(&(key.clone(), nth)).copied();
            let name = numbered(&key, nth);
            way.enter(&name, is_entry);
            match at.and_then(|at| Some((at, b.get_mut(at)?))) {
                Some((at, (_, _, _, other))) => {
                    if let Some(matched) = is_matched.get_mut(at) {
                        *matched = true;
                    }
                    self.pair_or_fields(&node, other, way, out);
                }
                None => self.only(Which::A, &node, way, out),
            }
            way.leave();
        }
        for ((key, nth, is_entry, node), is_matched) in b.into_iter().zip(is_matched) {
            if !is_matched {
                way.enter(&numbered(&key, nth), is_entry);
                self.only(Which::B, &node, way, out);
                way.leave();
            }
        }
    }

    fn pair_or_fields(&mut self, a: &Node, b: &Node, way: &mut Way, out: &mut Vec<Field>) {
        match is_document(a) && is_document(b) {
            true => self.nested(a, b, way.text(), way.text()),
            false => self.fields(a, b, way, out),
        }
    }

    /// The children with their keys: name or identity, the how manieth, whether it is an entry of
    /// a list.
    fn keyed(&mut self, which: Which, nodes: Vec<Node>) -> Vec<(String, u32, bool, Node)> {
        let mut seen: HashMap<String, u32> = HashMap::with_capacity(nodes.len());
        let mut keyed = Vec::with_capacity(nodes.len());
        for node in nodes {
            let key = match node.indexed {
                true => {
                    let children = self.forgetting(|comparer| comparer.children(which, &node));
                    let place = || node.index.to_string();
                    identity(&children).unwrap_or_else(place)
                }
                false => node.name.clone().into_owned(),
            };
            let nth = seen.entry(key.clone()).or_default();
            *nth += 1;
            keyed.push((key, *nth, node.indexed, node));
        }
        keyed
    }

    /// All values of what is only on one side.
    pub(super) fn only(&mut self, which: Which, node: &Node, way: &mut Way, out: &mut Vec<Field>) {
        if self.work.is_over() || way.steps.len() > DEPTH_MAX {
            return;
        }
        let children = match is_document(node) || node.kind == NodeKind::Text {
            true => Vec::new(),
            false => self.children(which, node),
        };
        if children.is_empty() || is_list(node, &children) {
            let said = self.said(which, node, &children);
            let said = said.map(|said| (said, node));
            match which {
                Which::A => self.field(way, said, None, out),
                Which::B => self.field(way, None, said, out),
            }
            return;
        }
        for (key, nth, is_entry, child) in self.keyed(which, children) {
            way.enter(&numbered(&key, nth), is_entry);
            self.only(which, &child, way, out);
            way.leave();
        }
    }

    /// Are these texts whose rows are lines?
    fn is_lines(&self, a: &Node, b: &Node) -> bool {
        let is = |which, node: &Node| {
            let document = self.document(which);
            let count = document.walked(node);
            let first = document.make(node, 0..count.min(1));
            first
                .first()
                .is_none_or(|line| line.name.starts_with("line "))
        };
        is(Which::A, a) && is(Which::B, b)
    }

    /// The lines of two texts that differ.
    pub(super) fn lines(&mut self, a: Span, b: Span, way: &mut Way, out: &mut Vec<Field>) {
        let mut ids: HashMap<Vec<u8>, u32> = HashMap::new();
        let one = self.line_ids(Which::A, a, &mut ids);
        let other = self.line_ids(Which::B, b, &mut ids);
        let (Some(one), Some(other)) = (one, other) else {
            out.extend(self.contents(a, b));
            return;
        };
        let line = |lines: &[(u32, Span)], at: u32| {
            lines
                .get(usize::try_from(at).unwrap_or(usize::MAX))
                .map(|(_, span)| *span)
        };
        let numbers = |lines: &[(u32, Span)]| lines.iter().map(|(id, _)| *id).collect::<Vec<_>>();
        let alignment = super::align::align(&numbers(&one), &numbers(&other), &mut self.work);
        let mut shown = 0;
        for hunk in &alignment.hunks {
            let mut from = hunk.a.clone();
            let mut to = hunk.b.clone();
            loop {
                let (x, y) = (from.next(), to.next());
                let (Some(number), true) = (x.or(y), shown < LINES_MAX) else {
                    break;
                };
                shown += 1;
                way.enter(&format!("line {}", u64::from(number) + 1), false);
                let from = x.and_then(|at| line(&one, at));
                let to = y.and_then(|at| line(&other, at));
                let side = |comparer: &Comparer<'_>, which, span: Option<Span>| {
                    let span = span?;
                    let sources = &comparer.document(which).sources;
                    let bytes = sources.read_clamped(span.subspan(0, 4096)).ok()?;
                    let text = String::from_utf8_lossy(&bytes);
                    let text = text.trim_end_matches(['\n', '\r']).to_owned();
                    Some(Side::new(Said::Text(text), span))
                };
                let field = Field {
                    key: way.text().rsplit('/').next().unwrap_or_default().to_owned(),
                    path: way.text().to_owned(),
                    from: side(self, Which::A, from),
                    to: side(self, Which::B, to),
                };
                let said = |side: &Option<Side>| side.as_ref().map(|side| side.said.clone());
                match (from, to) {
                    // They differ in how they end, or beyond what is shown.
                    (Some(from), Some(to)) if said(&field.from) == said(&field.to) => {
                        let fields = self.contents(from, to).into_iter();
                        out.extend(fields.map(|field| Field {
                            path: format!("{}/{}", way.text(), field.path),
                            ..field
                        }));
                    }
                    _ => out.push(field),
                }
                way.leave();
            }
        }
        if shown >= LINES_MAX {
            let (added, removed) = (alignment.added(), alignment.removed());
            self.note(format!(
                "{}: {removed} lines differ from {added}; the first {LINES_MAX} are listed",
                way.text()
            ));
        }
    }

    /// The lines of a text as numbers: the same line is the same number.
    fn line_ids(
        &mut self,
        which: Which,
        span: Span,
        ids: &mut HashMap<Vec<u8>, u32>,
    ) -> Option<Vec<(u32, Span)>> {
        self.work.spend(span.len());
        let sources = &self.document(which).sources;
        let bytes = sources.read(span).ok()?;
        let mut lines = Vec::new();
        let mut at = 0;
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            let next = u32::try_from(ids.len()).unwrap_or(u32::MAX);
            let id = *ids.entry(line.to_vec()).or_insert(next);
            lines.push((id, span.subspan(at, line.len() as u64)));
            at += line.len() as u64;
        }
        Some(lines)
    }
}

/// What an entry of a list says, in words.
fn entry_words(node: &Node) -> String {
    let mut words = node.name.clone().into_owned();
    if let Some(said) = Said::of(&node.value) {
        words.push(' ');
        words.push_str(&said.text());
    }
    if let Some(summary) = &node.summary {
        words.push(' ');
        words.push_str(summary);
    }
    words
}

/// The entry of a table of strings says which strings are key and value: so it is one.
fn with_string(node: &mut Node) {
    let label = |why: &str| {
        let xref = node.xrefs.iter().find(|xref| xref.why == why);
        xref.map(|xref| xref.label.clone())
    };
    if let (true, Some(key), Some(value)) = (node.indexed, label("key"), label("value")) {
        node.name = key;
        node.value = Value::text(value);
        node.indexed = false;
        node.content = Content::Leaf;
        node.summary = None;
    }
}

/// A document within another one.
pub(super) fn is_document(node: &Node) -> bool {
    node.kind == NodeKind::File || node.kind == NodeKind::Packed
}

/// Values in a row, which are one value: `[ 16, 1, 1 ]`.
fn is_list(node: &Node, children: &[Node]) -> bool {
    node.kind == NodeKind::Sequence
        && children
            .iter()
            .all(|child| child.is_leaf() && child.kind == NodeKind::Field)
}

fn numbered(key: &str, nth: u32) -> String {
    match nth {
        1 => key.to_owned(),
        nth => format!("{key}#{nth}"),
    }
}
