//! Compares two trees by names, and collects the fields that differ.

use std::borrow::Cow;
use std::collections::HashMap;

use super::entry::{Field, FieldValue, Side};
use super::matching::{by_key, ordinals};
use super::names::{identity, is_layout};
use super::{Comparand, Comparer};
use zeview_core::model::{Content, Node, NodeKind, PAGE, Span, Str, Value};

/// Maximum depth of the walk; files have less nesting.
const DEPTH_MAX: usize = 64;

/// Maximum length of a name in a value's path, in bytes.
const NAME_MAX: usize = 1024;

/// Maximum number of differing lines of a text with a field each.
const LINES_MAX: usize = 1000;

/// The path from an entry to one of its values.
#[derive(Debug, Default)]
pub(super) struct ValuePath {
    text: String,
    /// The length of the text before each segment.
    steps: Vec<usize>,
}

impl ValuePath {
    pub(super) fn enter(&mut self, name: &str, is_entry: bool) {
        let end = name.floor_char_boundary(NAME_MAX);
        let name = name.get(..end).unwrap_or(name);
        self.steps.push(self.text.len());
        if is_entry {
            self.text.push('[');
            self.text.push_str(name);
            self.text.push(']');
        } else {
            if !self.text.is_empty() {
                self.text.push('/');
            }
            self.text.push_str(name);
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

/// Maximum number of children compared per node; all are in memory at once.
const CHILDREN_MAX: u64 = 64 * 1024;

/// Maximum number of nodes kept from matching the entries of a list; those of further entries are
/// created again for the comparison.
const KEPT_MAX: usize = 4096;

/// The children of a node, if they were created before.
type KnownChildren = Option<Vec<Node>>;

/// A child of a node, with its key for matching.
struct KeyedChild {
    /// Its name; for an entry of a list, the values that identify it.
    key: Str,
    /// One-based index among siblings with the same key.
    nth: u32,
    node: Node,
    children: KnownChildren,
}

impl KeyedChild {
    fn new(key: Str, node: Node, children: KnownChildren) -> KeyedChild {
        KeyedChild {
            key,
            nth: 1,
            node,
            children,
        }
    }

    /// Formats the key, with the index if it is not the first.
    fn name(&self) -> Cow<'_, str> {
        match self.nth {
            1 => Cow::Borrowed(&self.key),
            nth => Cow::Owned(format!("{}#{nth}", self.key)),
        }
    }
}

impl Comparer<'_> {
    /// Returns the children of a node, excluding padding, gaps and derived rows.
    pub(super) fn children(&mut self, which: Comparand, node: &Node) -> Vec<Node> {
        let document = self.document(which);
        let all = document.written(node);
        let count = all.min(CHILDREN_MAX);
        // Nodes are large: those of one page are not moved, and those of several pages are moved
        // once.
        let mut found = match usize::try_from(count) {
            Ok(most) if count > PAGE => Vec::with_capacity(most),
            _ => Vec::new(),
        };
        let (mut at, mut made) = (0, 0);
        while at < count && made < self.work.left() {
            let end = count.min(at.saturating_add(PAGE));
            let mut page = document.make(node, at..end);
            made = made.saturating_add(page.len() as u64);
            page.retain(|child| !is_layout(child));
            page.iter_mut().for_each(with_string);
            if count <= PAGE {
                found = page
            } else {
                found.append(&mut page)
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

    /// Drops the expanders that `f` registers.
    pub(super) fn with_temporary_expanders<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        let marks = (self.a.registry.mark(), self.b.registry.mark());
        let result = f(self);
        self.a.registry.release(marks.0);
        self.b.registry.release(marks.1);
        result
    }

    /// Collects the fields that differ in two nodes of the same name.
    pub(super) fn fields(
        &mut self,
        a: &Node,
        b: &Node,
        path: &mut ValuePath,
        out: &mut Vec<Field>,
    ) {
        self.fields_in((a, None), (b, None), path, out);
    }

    /// Like `fields`, for nodes whose children may be known.
    fn fields_in(
        &mut self,
        (a, of_a): (&Node, KnownChildren),
        (b, of_b): (&Node, KnownChildren),
        path: &mut ValuePath,
        out: &mut Vec<Field>,
    ) {
        if self.work.is_over() || path.steps.len() > DEPTH_MAX {
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
            self.lines(spans.0, spans.1, path, out);
            return;
        }
        let children = (
            of_a.unwrap_or_else(|| self.children(Comparand::A, a)),
            of_b.unwrap_or_else(|| self.children(Comparand::B, b)),
        );
        let is_leaf = children.0.is_empty() && children.1.is_empty();
        if is_leaf && a.value == b.value && !is_list(a, &children.0) {
            let has_rows = |which, node: &Node| self.document(which).walked_children(node) > 0;
            if has_rows(Comparand::A, a) || has_rows(Comparand::B, b) {
                // Everything below them is layout.
                return;
            }
        }
        if is_leaf || is_list(a, &children.0) && is_list(b, &children.1) {
            let from = self.value(Comparand::A, a, &children.0);
            let to = self.value(Comparand::B, b, &children.1);
            if from != to {
                self.field(path, from.map(|s| (s, a)), to.map(|s| (s, b)), out);
            }
            return;
        }
        // For a word with named bits, the bits are the differences.
        self.matched(children, path, out);
    }

    fn field(
        &mut self,
        path: &ValuePath,
        from: Option<(FieldValue, &Node)>,
        to: Option<(FieldValue, &Node)>,
        out: &mut Vec<Field>,
    ) {
        let text = path.text();
        let key = text.rsplit('/').next().unwrap_or(text);
        let key = match key.split_once('[') {
            Some((key, _)) if !key.is_empty() => key,
            _ => key,
        };
        let side =
            |side: Option<(FieldValue, &Node)>| side.map(|(v, node)| Side::new(v, node.span));
        self.work.spend(8 + text.len() as u64 / 8);
        out.push(Field {
            key: key.to_owned(),
            path: text.to_owned(),
            from: side(from),
            to: side(to),
        });
    }

    /// Returns the value of a node without named parts.
    fn value(&mut self, which: Comparand, node: &Node, children: &[Node]) -> Option<FieldValue> {
        if !children.is_empty() {
            let list = children.iter().map(|child| FieldValue::of(&child.value));
            return Some(FieldValue::List(
                list.map(|s| s.unwrap_or(FieldValue::List(Vec::new())))
                    .collect(),
            ));
        }
        if let Some(value) = FieldValue::of(&node.value) {
            return Some(value);
        }
        match node.span {
            Some(_) if matches!(node.kind, NodeKind::Sequence | NodeKind::Mapping) => {
                Some(FieldValue::List(Vec::new()))
            }
            Some(span) => Some(self.bytes_value(which, span)),
            None => None,
        }
    }

    /// Aligns the entries of two lists that only their values identify.
    fn in_order(&mut self, (a, b): (&[Node], &[Node]), path: &mut ValuePath, out: &mut Vec<Field>) {
        let mut ids: HashMap<String, u32> = HashMap::new();
        let mut number = |nodes: &[Node]| -> Vec<u32> {
            let words = nodes.iter().map(entry_text);
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
                        path.text()
                    ));
                    return;
                }
                fn at(nodes: &[Node], place: Option<u32>) -> Option<(FieldValue, &Node)> {
                    let node = nodes.get(usize::try_from(place?).ok()?)?;
                    Some((FieldValue::Text(entry_text(node)), node))
                }
                path.enter(&place.to_string(), true);
                self.field(path, at(a, x), at(b, y), out);
                path.leave();
            }
        }
        self.same_words((a, b), &alignment, path, out);
    }

    /// Whether entries with the same text have the same contents.
    fn same_words(
        &mut self,
        (a, b): (&[Node], &[Node]),
        alignment: &super::align::Alignment,
        path: &mut ValuePath,
        out: &mut Vec<Field>,
    ) {
        for (place, node) in (0_u32..).zip(a) {
            if self.work.is_over() {
                return;
            }
            let (other, is_same) = alignment.counterpart(place);
            let other = usize::try_from(other).ok().and_then(|at| b.get(at));
            if let Some(other) = other.filter(|_| is_same) {
                path.enter(&place.to_string(), true);
                self.pair_or_fields((node, None), (other, None), path, out);
                path.leave();
            }
        }
    }

    /// Matches children by name or identity, and compares the matches.
    fn matched(
        &mut self,
        (a, b): (Vec<Node>, Vec<Node>),
        path: &mut ValuePath,
        out: &mut Vec<Field>,
    ) {
        let is_list = |nodes: &[Node]| nodes.iter().all(|node| node.indexed && !is_document(node));
        let mut first = (None, None);
        if is_list(&a) && is_list(&b) {
            first = (
                a.first().map(|node| self.children(Comparand::A, node)),
                b.first().map(|node| self.children(Comparand::B, node)),
            );
            let has_identity = |children: &KnownChildren| {
                let children = children.as_deref().unwrap_or_default();
                identity(children).is_some()
            };
            if !has_identity(&first.0) && !has_identity(&first.1) {
                self.in_order((&a, &b), path, out);
                return;
            }
        }
        let a = self.keyed(Comparand::A, a, first.0);
        let mut b = self.keyed(Comparand::B, b, first.1);
        let mut known: Vec<KnownChildren> =
            b.iter_mut().map(|child| child.children.take()).collect();
        fn keys(children: &[KeyedChild]) -> Vec<&str> {
            children.iter().map(|child| &*child.key).collect()
        }
        let matches = by_key(&keys(&a), &keys(&b));
        for (child, place) in a.into_iter().zip(matches.of_a) {
            path.enter(&child.name(), child.node.indexed);
            match place.and_then(|place| Some((place, b.get(place)?))) {
                Some((place, other)) => {
                    let of_other = known.get_mut(place).and_then(Option::take);
                    let sides = ((&child.node, child.children), (&other.node, of_other));
                    self.pair_or_fields(sides.0, sides.1, path, out);
                }
                None => self.only_in(Comparand::A, (&child.node, child.children), path, out),
            }
            path.leave();
        }
        for ((child, children), is_matched) in b.iter().zip(known).zip(matches.is_matched) {
            if !is_matched {
                path.enter(&child.name(), child.node.indexed);
                self.only_in(Comparand::B, (&child.node, children), path, out);
                path.leave();
            }
        }
    }

    fn pair_or_fields(
        &mut self,
        a: (&Node, KnownChildren),
        b: (&Node, KnownChildren),
        path: &mut ValuePath,
        out: &mut Vec<Field>,
    ) {
        if is_document(a.0) && is_document(b.0) {
            self.nested(a.0, b.0, path.text(), path.text())
        } else {
            self.fields_in(a, b, path, out)
        }
    }

    /// Returns the children of a node with their keys; `first` are the children of the first child,
    /// if known.
    fn keyed(
        &mut self,
        which: Comparand,
        nodes: Vec<Node>,
        mut first: KnownChildren,
    ) -> Vec<KeyedChild> {
        let mut kept = 0;
        let keyed = nodes.into_iter().map(|node| {
            if !node.indexed {
                let key = node.name.clone();
                return KeyedChild::new(key, node, None);
            }
            let mark = self.document(which).registry.mark();
            let children = first.take().unwrap_or_else(|| self.children(which, &node));
            let key = identity(&children).unwrap_or_else(|| node.index.to_string());
            kept += children.len();
            if kept <= KEPT_MAX {
                return KeyedChild::new(key.into(), node, Some(children));
            }
            self.document(which).registry.release(mark);
            KeyedChild::new(key.into(), node, None)
        });
        let mut keyed: Vec<KeyedChild> = keyed.collect();
        let numbers = ordinals(keyed.iter().map(|child| &*child.key));
        for (child, nth) in keyed.iter_mut().zip(numbers) {
            child.nth = nth;
        }
        keyed
    }

    /// Collects all values of a node that is only on one side.
    pub(super) fn only(
        &mut self,
        which: Comparand,
        node: &Node,
        path: &mut ValuePath,
        out: &mut Vec<Field>,
    ) {
        self.only_in(which, (node, None), path, out);
    }

    /// Like `only`, for a node whose children may be known.
    fn only_in(
        &mut self,
        which: Comparand,
        (node, known): (&Node, KnownChildren),
        path: &mut ValuePath,
        out: &mut Vec<Field>,
    ) {
        if self.work.is_over() || path.steps.len() > DEPTH_MAX {
            return;
        }
        let children = if is_document(node) || node.kind == NodeKind::Text {
            Vec::new()
        } else {
            known.unwrap_or_else(|| self.children(which, node))
        };
        if children.is_empty() || is_list(node, &children) {
            let value = self.value(which, node, &children);
            let value = value.map(|value| (value, node));
            match which {
                Comparand::A => self.field(path, value, None, out),
                Comparand::B => self.field(path, None, value, out),
            }
            return;
        }
        for child in self.keyed(which, children, None) {
            path.enter(&child.name(), child.node.indexed);
            self.only_in(which, (&child.node, child.children), path, out);
            path.leave();
        }
    }

    /// Whether both are texts whose rows are lines.
    pub(super) fn is_lines(&self, a: &Node, b: &Node) -> bool {
        let is = |which, node: &Node| {
            let document = self.document(which);
            let count = document.walked_children(node);
            let first = document.make(node, 0..count.min(1));
            let first = first.first();
            let is_empty = node.span.is_none_or(Span::is_empty);
            first.map_or(is_empty, |line| line.name.starts_with("line "))
        };
        is(Comparand::A, a) && is(Comparand::B, b)
    }

    /// Collects the differing lines of two texts.
    pub(super) fn lines(&mut self, a: Span, b: Span, path: &mut ValuePath, out: &mut Vec<Field>) {
        let mut ids: HashMap<Vec<u8>, u32> = HashMap::new();
        let one = self.line_ids(Comparand::A, a, &mut ids);
        let other = self.line_ids(Comparand::B, b, &mut ids);
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
                path.enter(&format!("line {}", u64::from(number) + 1), false);
                let from = x.and_then(|at| line(&one, at));
                let to = y.and_then(|at| line(&other, at));
                let side = |comparer: &Comparer<'_>, which, span: Option<Span>| {
                    let span = span?;
                    let sources = &comparer.document(which).sources;
                    let bytes = sources.read_clamped(span.subspan(0, 4096)).ok()?;
                    let text = String::from_utf8_lossy(&bytes);
                    let text = text.trim_end_matches(['\n', '\r']).to_owned();
                    Some(Side::new(FieldValue::Text(text), span))
                };
                let field = Field {
                    key: path.text().rsplit('/').next().unwrap_or("").to_owned(),
                    path: path.text().to_owned(),
                    from: side(self, Comparand::A, from),
                    to: side(self, Comparand::B, to),
                };
                let value = |side: &Option<Side>| side.as_ref().map(|side| side.value.clone());
                match (from, to) {
                    // They differ in their line breaks, or beyond the displayed part.
                    (Some(from), Some(to)) if value(&field.from) == value(&field.to) => {
                        let fields = self.contents(from, to).into_iter();
                        out.extend(fields.map(|field| Field {
                            path: format!("{}/{}", path.text(), field.path),
                            ..field
                        }));
                    }
                    _ => out.push(field),
                }
                path.leave();
            }
        }
        if shown >= LINES_MAX {
            let (added, removed) = (alignment.added(), alignment.removed());
            self.note(format!(
                "{}: {removed} lines differ from {added}; the first {LINES_MAX} are listed",
                path.text()
            ));
        }
    }

    /// Numbers the lines of a text: equal lines have equal numbers.
    fn line_ids(
        &mut self,
        which: Comparand,
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

/// Formats the value of an entry of a list.
fn entry_text(node: &Node) -> String {
    let mut words = node.name.clone().into_owned();
    if let Some(value) = FieldValue::of(&node.value) {
        words.push(' ');
        words.push_str(&value.text());
    }
    if let Some(summary) = &node.summary {
        words.push(' ');
        words.push_str(summary);
    }
    words
}

/// Makes the entry of a string table a string, because the table tells which strings are keys.
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

/// Whether a node is a nested document.
pub(super) fn is_document(node: &Node) -> bool {
    node.kind == NodeKind::File || node.kind == NodeKind::Packed
}

/// Whether the children form one value: `[ 16, 1, 1 ]`.
fn is_list(node: &Node, children: &[Node]) -> bool {
    node.kind == NodeKind::Sequence
        && children
            .iter()
            .all(|child| child.is_leaf() && child.kind == NodeKind::Field)
}
