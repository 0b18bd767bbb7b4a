//! Differences that the comparison by meaning does not explain.
//!
//! Before two files with different bytes are considered equal in meaning, their canonical digests
//! ([`digest`](super::digest)) must be equal. If they are not, the differing parts are listed with
//! their bytes.

use std::collections::HashMap;

use super::code::Dictionary;
use super::digest::{BudgetExceeded, Content, Digest, Digester};
use super::entry::{Change, Entry, Field, FieldValue, Part, Side};
use super::matching::by_key;
use super::{Comparand, Comparer, Comparison, Options, Work};
use zeview_core::model::{Document, Node, NodeKind, Span, sort};

/// Maximum number of differing parts that are listed with a field.
const PARTS_MAX: usize = 1000;
/// Maximum depth of a listed part below the file.
const DEPTH_MAX: usize = 24;

/// Bytes of compared differences that are not selected, in the first file and in the second. They
/// do not have to be explained.
#[derive(Debug, Default)]
pub(super) struct Exemptions {
    a: Vec<Span>,
    b: Vec<Span>,
}

impl Exemptions {
    pub(super) fn is_empty(&self) -> bool {
        self.a.is_empty() && self.b.is_empty()
    }

    /// Adds the bytes of a difference in both files.
    pub(super) fn add(&mut self, a: Option<Span>, b: Option<Span>) {
        self.a.extend(a);
        self.b.extend(b);
    }

    /// Sorts the bytes, as required by [`covers`](Exemptions::covers).
    fn sort(&mut self) {
        for spans in [&mut self.a, &mut self.b] {
            *spans = merged(std::mem::take(spans));
        }
    }

    /// Whether all bytes of a part are exempt in each file that has it.
    fn covers(&self, a: Option<&Node>, b: Option<&Node>) -> bool {
        let is_in = |spans: &[Span], node: Option<&Node>| {
            let Some(node) = node else {
                return true;
            };
            node.span.is_some_and(|span| {
                let after =
                    spans.partition_point(|s| (s.source, s.start) <= (span.source, span.start));
                let around = after.checked_sub(1).and_then(|at| spans.get(at));
                around.is_some_and(|around| around.contains(span))
            })
        };
        is_in(&self.a, a) && is_in(&self.b, b)
    }
}

/// Merges spans that overlap or touch, and sorts them.
fn merged(mut spans: Vec<Span>) -> Vec<Span> {
    sort::by_key(&mut spans, |span| (span.source, span.start, span.end));
    let mut out: Vec<Span> = Vec::new();
    for span in spans {
        match out.last_mut() {
            Some(last) if last.source == span.source && span.start <= last.end => {
                last.end = last.end.max(span.end);
            }
            _ => out.push(span),
        }
    }
    out
}

/// A part that differs, or that only one of the files has.
struct ChangedPart {
    /// The path to it.
    path: Vec<String>,
    a: Option<Node>,
    b: Option<Node>,
}

/// Both documents while their digests are compared.
struct Audit<'d> {
    a: Digester<'d>,
    b: Digester<'d>,
    excused: Exemptions,
    path: Vec<String>,
    found: Vec<ChangedPart>,
    /// Number of differing parts that are not listed.
    left_out: u64,
    /// Number of differing parts that are exempt.
    excused_parts: u64,
}

impl Comparer<'_> {
    /// Returns the differences of two files beyond layout, except for those in exempt bytes. Adds a
    /// note to `comparison` about anything that could not be compared.
    pub(super) fn audit_of(
        a: &mut Document,
        b: &mut Document,
        options: &Options,
        comparison: &mut Comparison,
        excused: Exemptions,
    ) -> Vec<Entry> {
        let mut comparer = Comparer {
            a,
            b,
            options,
            work: Work::new(0),
            dictionary: Dictionary::default(),
            result: std::mem::take(comparison),
            repeated: Vec::new(),
            depth: 0,
            has_kernels: false,
            kernels: (None, None),
        };
        comparer.audit(excused);
        *comparison = comparer.result;
        std::mem::take(&mut comparison.entries)
    }

    /// Lists differences beyond layout that are not exempt, for files without other differences.
    pub(super) fn audit(&mut self, mut excused: Exemptions) {
        excused.sort();
        let (a, b) = (self.a.root().clone(), self.b.root().clone());
        let (found, left_out) = {
            let renumbered = self.options.renumbered;
            let mut audit = Audit {
                a: Digester::new(self.a, renumbered),
                b: Digester::new(self.b, renumbered),
                excused,
                path: Vec::new(),
                found: Vec::new(),
                left_out: 0,
                excused_parts: 0,
            };
            match audit.run(&a, &b) {
                Ok(true) => {
                    // The comparison is complete after all.
                    self.result.is_cut = false;
                    self.work = Work::new(0);
                    return;
                }
                Ok(false) if audit.found.is_empty() && audit.excused_parts > 0 => return,
                Ok(false) => (audit.found, audit.left_out),
                Err(BudgetExceeded) => (Vec::new(), 0),
            }
        };
        // Reading each byte of both files once is always affordable.
        let sizes = [&a, &b].map(|node| node.span.map_or(0, |span| span.len()));
        self.work = Work::new(sizes.iter().sum::<u64>().saturating_mul(4));
        if left_out > 0 {
            self.note(format!(
                "{left_out} more parts differ in their bytes; the first {PARTS_MAX} are listed"
            ));
        }
        self.list(found);
        if self.result.entries.is_empty() {
            let fields = self.contents(a.span.unwrap_or_default(), b.span.unwrap_or_default());
            let entry = Entry::new(Part::Bytes, Change::Changed, 0, "file");
            self.push(entry.at(a.span, b.span).with(fields));
        }
        if self.result.entries.is_empty() {
            self.result.is_cut = true;
        }
    }

    /// Adds an entry for each outermost part, with the bytes that differ in it.
    fn list(&mut self, found: Vec<ChangedPart>) {
        let mut entries: Vec<(String, Vec<ChangedPart>)> = Vec::new();
        let mut places: HashMap<String, usize> = HashMap::new();
        for part in found {
            let name = part
                .path
                .first()
                .cloned()
                .unwrap_or_else(|| "file".to_owned());
            let place = *places.entry(name.clone()).or_insert(entries.len());
            match entries.get_mut(place) {
                Some((_, parts)) => parts.push(part),
                None => entries.push((name, vec![part])),
            }
        }
        for (name, parts) in entries {
            let mut fields = Vec::new();
            let mut spans = (None, None);
            for part in &parts {
                let path = part.path.get(1..).unwrap_or_default().join("/");
                self.part_fields(&path, part, &mut fields);
                spans.0 = spans.0.or(part.a.as_ref().and_then(|node| node.span));
                spans.1 = spans.1.or(part.b.as_ref().and_then(|node| node.span));
            }
            let change = match spans {
                (Some(_), None) => Change::Removed,
                (None, Some(_)) => Change::Added,
                _ => Change::Changed,
            };
            if !fields.is_empty() {
                let entry = Entry::new(Part::Bytes, change, 0, name);
                self.push(entry.at(spans.0, spans.1).with(fields));
            }
        }
    }

    fn part_fields(&mut self, path: &str, part: &ChangedPart, fields: &mut Vec<Field>) {
        let join = |name: &str| match path {
            "" => name.to_owned(),
            path => format!("{path}/{name}"),
        };
        let side = |comparer: &Self, which, node: &Node| {
            let span = node.span?;
            let value = FieldValue::of(&node.value);
            let value = value.unwrap_or_else(|| comparer.bytes_value(which, span));
            Some(Side::new(value, span))
        };
        let key = |node: &Node| match path {
            "" => "contents".to_owned(),
            _ => node.name.clone().into_owned(),
        };
        match (&part.a, &part.b) {
            (Some(a), Some(b)) => {
                let (from, to) = (side(self, Comparand::A, a), side(self, Comparand::B, b));
                let is_value = a.kind == NodeKind::Field && b.kind == NodeKind::Field;
                let differs = from.as_ref().map(|s| &s.value) != to.as_ref().map(|s| &s.value);
                if is_value && differs {
                    let path = match path {
                        "" => key(a),
                        path => path.to_owned(),
                    };
                    fields.push(Field {
                        key: key(a),
                        path,
                        from,
                        to,
                    });
                    return;
                }
                let spans = (a.span.unwrap_or_default(), b.span.unwrap_or_default());
                let contents = self.contents(spans.0, spans.1).into_iter();
                fields.extend(contents.map(|field| Field {
                    path: join(&field.path),
                    ..field
                }));
            }
            (a, b) => {
                let node = a.as_ref().or(b.as_ref());
                let from = a.as_ref().and_then(|node| side(self, Comparand::A, node));
                let to = b.as_ref().and_then(|node| side(self, Comparand::B, node));
                if from.is_some() || to.is_some() {
                    fields.push(Field {
                        key: node.map(key).unwrap_or_default(),
                        path: join("contents"),
                        from,
                        to,
                    });
                }
            }
        }
    }
}

impl Audit<'_> {
    /// Compares two documents. Returns whether their digests are the same.
    fn run(&mut self, a: &Node, b: &Node) -> Result<bool, BudgetExceeded> {
        let is_same = self.a.digest(a)? == self.b.digest(b)?;
        if !is_same {
            self.differ(a, b)?;
        }
        Ok(is_same)
    }

    /// Finds the differences in two nodes with different digests.
    fn differ(&mut self, a: &Node, b: &Node) -> Result<(), BudgetExceeded> {
        let scopes = (self.a.enter(a), self.b.enter(b));
        let before = self.parts();
        let contents = if self.path.len() < DEPTH_MAX {
            (self.a.content(a)?, self.b.content(b)?)
        } else {
            (Content::Whole, Content::Whole)
        };
        if let (
            Content::Children { children: one, .. },
            Content::Children {
                children: other, ..
            },
        ) = contents
        {
            self.children(one, other)?;
        }
        if self.parts() == before {
            self.push(Some(a.clone()), Some(b.clone()));
        }
        if scopes.0 {
            self.a.leave();
        }
        if scopes.1 {
            self.b.leave();
        }
        Ok(())
    }

    fn children(
        &mut self,
        a: Vec<(Node, Digest)>,
        b: Vec<(Node, Digest)>,
    ) -> Result<(), BudgetExceeded> {
        // Parts that are in both files, at any position, do not differ.
        fn digests(nodes: &[(Node, Digest)]) -> Vec<Digest> {
            nodes.iter().map(|(_, digest)| *digest).collect()
        }
        let same = by_key(&digests(&a), &digests(&b));
        let a = a.into_iter().zip(same.of_a);
        let a: Vec<Node> = a
            .filter(|(_, o)| o.is_none())
            .map(|((n, _), _)| n)
            .collect();
        let b = b.into_iter().zip(same.is_matched);
        let b: Vec<Node> = b.filter(|(_, is)| !is).map(|((n, _), _)| n).collect();
        fn names(nodes: &[Node]) -> Vec<&str> {
            nodes.iter().map(|node| &*node.name).collect()
        }
        let matches = by_key(&names(&a), &names(&b));
        for (node, place) in a.iter().zip(matches.of_a) {
            self.path.push(name(node));
            match place.and_then(|place| b.get(place)) {
                Some(other) => self.differ(node, other)?,
                None => self.push(Some(node.clone()), None),
            }
            self.path.pop();
        }
        for (node, is_matched) in b.iter().zip(matches.is_matched) {
            if !is_matched {
                self.path.push(name(node));
                self.push(None, Some(node.clone()));
                self.path.pop();
            }
        }
        Ok(())
    }

    /// Returns the number of differing parts found.
    fn parts(&self) -> u64 {
        self.found.len() as u64 + self.left_out + self.excused_parts
    }

    fn push(&mut self, a: Option<Node>, b: Option<Node>) {
        if self.excused.covers(a.as_ref(), b.as_ref()) {
            self.excused_parts += 1;
            return;
        }
        if self.found.len() >= PARTS_MAX {
            self.left_out += 1;
            return;
        }
        self.found.push(ChangedPart {
            path: self.path.clone(),
            a,
            b,
        });
    }
}

/// Returns the segment of the path for a node.
fn name(node: &Node) -> String {
    match (node.indexed, node.name.is_empty()) {
        (true, true) => format!("[{}]", node.index),
        (true, false) => format!("[{}] {}", node.index, node.name),
        _ => node.name.clone().into_owned(),
    }
}
