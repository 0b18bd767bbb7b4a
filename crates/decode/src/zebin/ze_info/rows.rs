//! The rows of a `.ze_info`: one row per key, with its meaning from the schema.
//!
//! An absent optional key has a row too, after the present keys: a derived row with the default and
//! the word `(default)`. There is no such row if the key does not apply (such as a sampler index
//! for an argument that is not a sampler), or if it is newer than the text's version. The page dims
//! these rows. `dump` and its JSON omit them ([`Node::is_default`]) to keep the output short.

use std::borrow::Cow;
use std::ops::Range;
use std::rc::Rc;

use super::ZeInfo;
use super::general;
use super::kernels::default_value;
use super::schema::{Default, Key, Table, Type};
use super::yaml::{self, Index, Kind, ROOT};
use crate::demangle::demangle;
use crate::text::plural;
use crate::tree::LazyTree;
use crate::zebin::links::Links;
use zeview_core::model::{Doc, Expand, Node, NodeKind, Rows, Sources, Str, Value};

const UNKNOWN_DOC: Doc = Doc::new(
    "A key that the specification (to version 1.73) does not define here.",
    "ZE Info 1.73",
);
const ENTRY_DOC: Doc = Doc::new("An entry of a sequence.", "ZE Info 1.73");
const SYNTAX_DOC: Doc = Doc::new("Part of the syntax, not of the data.", "YAML");
const RAW_DOC: Doc = Doc::new("A line that is not valid YAML.", "YAML");

/// The expander of a `.ze_info`.
pub struct ZeInfoRows {
    /// The text.
    pub info: Rc<ZeInfo>,
    /// The links to a kernel's other parts.
    pub links: Rc<Links>,
}

/// The item of the section.
pub const SECTION: u64 = ROOT as u64;

/// The keys that name a list item, in order of preference.
const NAMING_KEYS: &[&str] = &["name", "arg_type", "device_name", "type"];

/// The keys that distinguish items of the same kind, and the words before their numbers.
const ITEM_WORDS: [(&str, &str); 5] = [
    ("arg_index", "argument "),
    ("index", "argument "),
    ("bti_value", "index "),
    ("offset", "offset "),
    ("size", ""),
];

/// The names of the numbers of an `int32x3`.
const AXES: [&str; 3] = ["x", "y", "z"];

/// The context of an item's children.
struct Family {
    item: Index,
    node: yaml::Node,
    /// The table of its keys, if it is a mapping.
    table: Option<&'static Table>,
    /// Its key, if it is a sequence.
    key: Option<&'static Key>,
}

impl ZeInfoRows {
    /// The children of an item. The document's children and those of its mapping are merged: a row
    /// for the mapping itself would be useless.
    fn children(&self, item: Index) -> (Range<u32>, Option<(u32, Range<u32>)>) {
        let yaml = &self.info.yaml;
        let count = |i: Index| yaml.node(i).map_or(0, yaml::Node::child_count);
        let own = 0..count(item);
        if item != ROOT {
            return (own, None);
        }
        let content = yaml.content();
        let mapping = content.filter(|c| yaml.node(*c).is_some_and(|n| n.kind == Kind::Mapping));
        let first = yaml.child(ROOT, 0).unwrap_or(ROOT);
        (own, mapping.map(|c| (c.saturating_sub(first), 0..count(c))))
    }

    /// The `nth` child of an item, and the number of bytes before it that introduce it.
    fn child(&self, item: Index, nth: u64) -> Option<(Index, u32)> {
        let yaml = &self.info.yaml;
        let nth = u32::try_from(nth).ok()?;
        let (_, mapping) = self.children(item);
        let Some((at, inner)) = mapping else {
            return Some((yaml.child(item, nth)?, 0));
        };
        if nth < at {
            return Some((yaml.child(item, nth)?, 0));
        }
        let content = yaml.child(item, at)?;
        match nth - at {
            within if within < inner.end => {
                let head = yaml.node(content)?.head().len();
                let extra = if within == 0 { head } else { 0 };
                Some((yaml.child(content, within)?, extra))
            }
            within => Some((yaml.child(item, at + 1 + (within - inner.end))?, 0)),
        }
    }

    /// Number of rows with bytes.
    fn written(&self, item: Index) -> u64 {
        match self.children(item) {
            (own, None) => own.end.into(),
            (own, Some((_, inner))) => u64::from(own.end) + u64::from(inner.end) - 1,
        }
    }

    fn len(&self, item: Index) -> u64 {
        let extra = if item == ROOT {
            usize::from(self.has_general())
        } else {
            self.info.defaults(item).count()
        };
        self.written(item) + extra as u64
    }

    /// `len` of a value whose table is known.
    fn len_of(&self, item: Index, table: Option<&'static Table>) -> u64 {
        self.written(item) + self.info.defaults_in(item, table).count() as u64
    }

    /// Returns whether the text was also read as general YAML.
    fn has_general(&self) -> bool {
        self.info.has_second_reading()
    }

    fn node(&self, index: Index, node: &yaml::Node, family: &Family, out: &Rows<'_>) -> Node {
        let info = &*self.info;
        let in_sequence = family.node.kind.is_sequence() && node.kind.is_value();
        let written_key = info.key_bytes(index, node);
        let key = written_key
            .as_ref()
            .and_then(|written| family.table?.key(written));
        let name: Str = match (&written_key, key) {
            // A wildcard key does not have the name of the actual key.
            (Some(written), Some(key)) if **written == *key.name.as_bytes() => key.name.into(),
            (Some(_), _) => {
                let decoded = info.yaml.key_text(&info.text, index);
                decoded.unwrap_or_default().text.into_owned().into()
            }
            (None, _) if in_sequence => self.item_name(index, family).into(),
            (None, _) => syntax_name(node, node.value.of(&info.text)).into(),
        };
        let kind = match node.kind {
            Kind::Mapping | Kind::FlowMapping => NodeKind::Mapping,
            Kind::Sequence | Kind::FlowSequence => NodeKind::Sequence,
            Kind::Raw => NodeKind::Gap,
            Kind::Scalar | Kind::Null | Kind::Document => NodeKind::Field,
            _ => NodeKind::Syntax,
        };
        let ty = match (key, family.key) {
            (Some(key), _) => Some(key.ty),
            (None, Some(key)) if in_sequence => Some(key.ty),
            _ => None,
        };
        let table = family.table_below(info, index, node, key);
        let mut row = Node::new(kind, name, info.at(node.value));
        row.head = node.head().len();
        let written = || Value::text_from(node.value.of(&info.text));
        match kind {
            NodeKind::Field => row.value = info.value(index, node, ty),
            NodeKind::Syntax => (row.value, row.doc) = (written(), Some(&SYNTAX_DOC)),
            NodeKind::Gap => (row.value, row.doc) = (written(), Some(&RAW_DOC)),
            _ => row = self.collection(row, (index, node), table, out),
        }
        if node.kind.is_value() {
            row.doc = Some(match (key, table) {
                (Some(key), _) => &key.doc,
                (None, Some(table)) if in_sequence => &table.doc,
                (None, None) if in_sequence => &ENTRY_DOC,
                (None, _) => &UNKNOWN_DOC,
            });
        }
        if let Some(key) = key.filter(|k| kind == NodeKind::Field && !k.unit.is_empty()) {
            row.summary = Some(key.unit.into());
        }
        if in_sequence {
            row.indexed = true;
            if row.kind == NodeKind::Mapping && family.is_kernels() {
                row.xrefs = self.links.of_kernel(&row.name);
            }
            let name = family.table_of_items().and(Some(&row.name));
            if let Some(words) = name.and_then(|name| demangle(name)) {
                row.summary = Some(String::from(&*words).into());
            } else if row.kind == NodeKind::Mapping {
                row.summary = self.item_text(index).map(Into::into);
            }
        }
        row
    }

    /// Distinguishes items of the same kind: `argument 2 · offset 40 · 8 bytes`.
    fn item_text(&self, index: Index) -> Option<String> {
        let info = &*self.info;
        // The first number of each key.
        let mut numbers = [const { None }; ITEM_WORDS.len()];
        for (child, node) in info.yaml.children(index) {
            let Some(key) = info.key_bytes(child, node) else {
                continue;
            };
            let known = ITEM_WORDS.iter().zip(&mut numbers);
            for ((word, ..), number) in known {
                if number.is_none() && *key == *word.as_bytes() {
                    *number = Some(info.int32(node));
                }
            }
        }
        let mut words = String::new();
        for ((key, word), number) in ITEM_WORDS.into_iter().zip(numbers) {
            let Some(number) = number.flatten() else {
                continue;
            };
            let text = match (key, u64::try_from(number)) {
                ("size", Ok(size)) => plural(size, "byte"),
                ("size", Err(_)) => continue,
                _ => number.to_string(),
            };
            for piece in [if words.is_empty() { "" } else { " · " }, word, &text] {
                words.push_str(piece);
            }
        }
        (!words.is_empty()).then_some(words)
    }

    fn collection(
        &self,
        row: Node,
        (index, node): (Index, &yaml::Node),
        table: Option<&'static Table>,
        out: &Rows<'_>,
    ) -> Node {
        let row = row.children(out.me, index.into(), Some(self.len_of(index, table)));
        match node.kind {
            Kind::Sequence => {
                let count = self.info.yaml.values(index).count();
                row.summary(count.to_string())
            }
            Kind::FlowSequence | Kind::FlowMapping => {
                let text = node.value.of(&self.info.text);
                row.summary(String::from_utf8_lossy(text.get(..64).unwrap_or(text)).into_owned())
            }
            _ => row,
        }
    }

    /// The name of an item, from the value of a naming key.
    fn item_name(&self, index: Index, family: &Family) -> String {
        let info = &*self.info;
        if matches!(family.key.map(|key| key.ty), Some(Type::Int32x3)) {
            let first = info.yaml.values(family.item).take(AXES.len());
            let mut axes = first.zip(AXES).filter(|((value, _), _)| *value == index);
            if let Some((_, axis)) = axes.next() {
                return axis.to_owned();
            }
        }
        let named = NAMING_KEYS.iter().find_map(|key| {
            let value = info.yaml.get(&info.text, index, key)?;
            Some(info.yaml.scalar_text(&info.text, value).text.into_owned())
        });
        named.unwrap_or_else(|| "item".to_owned())
    }

    fn family(&self, item: Index) -> Option<Family> {
        let node = *self.info.yaml.node(item)?;
        Some(Family {
            item,
            node,
            table: node
                .kind
                .is_mapping()
                .then(|| self.info.table_of(item))
                .flatten(),
            key: node
                .kind
                .is_sequence()
                .then(|| self.info.list_key(item))
                .flatten(),
        })
    }
}

impl Family {
    /// The table of a child's keys, or of the mapping that it should be, like [`ZeInfo::table_of`]
    /// but without walking up to the document.
    fn table_below(
        &self,
        info: &ZeInfo,
        index: Index,
        node: &yaml::Node,
        key: Option<&'static Key>,
    ) -> Option<&'static Table> {
        // The document, and pairs in a flow sequence, which `.ze_info` does not use.
        if self.item == ROOT || self.node.kind.is_sequence() && node.key().is_some() {
            return info.table_of(index);
        }
        match (node.key(), key, self.key) {
            (Some(_), Some(key), _) => key.table_of_value(),
            (None, _, Some(key)) => key.table_of_entries(),
            _ => None,
        }
    }

    fn is_kernels(&self) -> bool {
        self.key.is_some_and(|key| key.name == "kernels")
    }

    /// The table of the mappings in a sequence that are named after kernels or functions.
    fn table_of_items(&self) -> Option<&'static Table> {
        let table = self.key?.table()?;
        table.keys.first().filter(|key| key.name == "name")?;
        Some(table)
    }
}

impl ZeInfo {
    /// The keys with a default that are absent from a mapping.
    pub(super) fn defaults(&self, mapping: Index) -> impl Iterator<Item = &'static Key> + '_ {
        self.defaults_in(mapping, self.table_of(mapping))
    }

    /// Like `defaults`, for a mapping whose table is known.
    fn defaults_in(
        &self,
        mapping: Index,
        table: Option<&'static Table>,
    ) -> impl Iterator<Item = &'static Key> + '_ {
        let node = self.yaml.node(mapping);
        let table = table.filter(|_| node.is_some_and(|node| node.kind.is_mapping()));
        let mut present = 0u64;
        if let Some(table) = table {
            for (child, node) in self.yaml.children(mapping) {
                let place = self
                    .key_bytes(child, node)
                    .and_then(|name| table.place(&name));
                let bit = place.and_then(|at| 1u64.checked_shl(u32::try_from(at).ok()?));
                present |= bit.unwrap_or(0);
            }
        }
        let keys = table.map_or(&[][..], |table| table.keys);
        let mut last = None;
        (0u32..)
            .zip(keys)
            .filter(move |(at, key)| {
                present.checked_shr(*at).unwrap_or(0) & 1 == 0
                    && key.default != Default::None
                    && key
                        .since
                        .is_some_and(|since| self.minor.is_none_or(|m| since <= m))
                    && key.removed.is_none()
                    && self.applies(mapping, key, &mut last)
            })
            .map(|(_, key)| key)
    }

    /// Returns whether the sibling values let a key apply. `last` caches the last lookup, since
    /// most keys of a mapping depend on the same sibling.
    fn applies<'a>(&'a self, mapping: Index, key: &Key, last: &mut Option<KeyedValue<'a>>) -> bool {
        key.when.iter().all(|(other, words)| {
            let value = match last {
                Some((name, value)) if name == other => value,
                _ => {
                    let value = self.yaml.get(&self.text, mapping, other);
                    let value = value.map(|value| self.str(value));
                    &mut last.insert((*other, value)).1
                }
            };
            value.as_deref().is_some_and(|value| words.contains(&value))
        })
    }
}

/// A key of a mapping, and its value.
type KeyedValue<'a> = (&'static str, Option<Cow<'a, str>>);

/// The row of an absent key.
fn default_row(key: &'static Key) -> Node {
    let (value, words) = default_value(key.default);
    Node::default_value(key.name, value, words).doc(&key.doc)
}

fn syntax_name(node: &yaml::Node, text: &[u8]) -> &'static str {
    match node.kind {
        Kind::Marker if text.starts_with(b"---") => "document start",
        Kind::Marker => "document end",
        Kind::Comment => "comment",
        Kind::Directive => "directive",
        Kind::Syntax => "closing bracket",
        Kind::Blank => "end of text",
        Kind::Raw => "not YAML",
        Kind::Mapping | Kind::FlowMapping => "mapping",
        Kind::Sequence | Kind::FlowSequence => "sequence",
        Kind::Scalar | Kind::Null | Kind::Document => "value",
    }
}

impl Expand for ZeInfoRows {
    fn count(&self, item: u64, _sources: &Sources) -> u64 {
        u32::try_from(item).map_or(0, |item| self.len(item))
    }

    fn count_written(&self, item: u64, _sources: &Sources) -> u64 {
        u32::try_from(item).map_or(0, |item| self.written(item))
    }

    fn rows(&self, item: u64, range: Range<u64>, out: &mut Rows<'_>) {
        let Ok(item) = u32::try_from(item) else {
            return;
        };
        let yaml = &self.info.yaml;
        let written = self.written(item);
        let mut family: Option<Family> = None;
        for nth in range.start..range.end.min(written) {
            let Some((child, extra)) = self.child(item, nth) else {
                return;
            };
            let (Some(node), Some(parent)) = (yaml.node(child), yaml.parent(child)) else {
                return;
            };
            if family.as_ref().is_none_or(|f| f.item != parent) {
                family = self.family(parent);
            }
            let Some(family) = &family else { return };
            let mut row = self.node(child, node, family, out);
            row.head = row.head.saturating_add(extra);
            out.push(row);
        }
        if item == ROOT {
            if self.has_general() && range.end > written {
                out.push(self.general_row(out));
            }
            return;
        }
        let take = usize::try_from(range.end.saturating_sub(range.start.max(written))).unwrap_or(0);
        if take == 0 {
            return;
        }
        let skip = usize::try_from(range.start.saturating_sub(written)).unwrap_or(usize::MAX);
        for key in self.info.defaults(item).skip(skip).take(take) {
            out.push(default_row(key));
        }
    }

    fn index_at(&self, item: u64, offset: u64, _sources: &Sources) -> Option<Vec<u64>> {
        let item = u32::try_from(item).ok()?;
        let within = offset.checked_sub(self.info.span.start)?;
        let count = self.written(item);
        // Children tile their parent: the first one that ends after the byte contains it.
        let (mut low, mut high) = (0, count);
        while low < high {
            let middle = low + (high - low) / 2;
            let (child, _) = self.child(item, middle)?;
            if u64::from(self.info.yaml.node(child)?.value.end) <= within {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        Some((low < count).then_some(low).into_iter().collect())
    }
}

impl ZeInfoRows {
    /// The row of the text as general YAML.
    fn general_row(&self, out: &Rows<'_>) -> Node {
        let info = Rc::clone(&self.info);
        let tree = LazyTree::new(move |_: &Sources| general::tree(&info.text));
        Node::derived("as general YAML", Value::None)
            .doc(&general::DOC)
            .children(out.register(Rc::new(tree)), 0, None)
    }
}
