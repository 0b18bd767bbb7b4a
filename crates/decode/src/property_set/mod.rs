//! Property sets: metadata of device code that SYCL's tools and runtime exchange, as text. Follows
//! PropertySets.md and PropertySetIO of intel/llvm.
//!
//! ```text
//! [SYCL/device requirements]
//! aspects=2|ABAAAAAAAAAgAAAABAAAAA        type 2: bytes, in a base64 variant
//! [SYCL/misc properties]
//! optLevel=1|2                            type 1: a number
//! ```

pub mod base64;
pub mod known;
pub mod line;
pub mod meaning;
mod rows;

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::rc::Rc;

use self::known::Form;
use self::line::{Line, Parts, Read};
use self::rows::Sets;
use super::Context;
use super::limits;
use super::reader::Window;
use super::rules;
use super::tree::LazyTree;
use zeview_core::analysis::kernels::Located;
use zeview_core::analysis::modules::{Property, PropertySet, PropertyValue};
use zeview_core::model::{Area, Doc, Node, NodeKind, Rows, Sources, Span, Str, Value};

const TEXT_DOC: Doc = Doc {
    text: "Property sets as text. Each set starts with its name in brackets; each property is a line with a key, a type number and a value.",
    source: "PropertySets.md",
    known: &[],
};

/// The span of a part of the text.
fn place(text: Span, range: &Range<usize>) -> Span {
    let len = range.end.saturating_sub(range.start) as u64;
    text.subspan(range.start as u64, len)
}

/// A set, or a key in one.
type Name<'a> = (&'a [u8], Option<&'a [u8]>);

/// The names seen so far: a few are compared in sequence, many are hashed.
#[derive(Default)]
struct Names<'a> {
    few: Vec<Name<'a>>,
    many: HashSet<Name<'a>>,
}

/// Maximum number of names compared in sequence.
const FEW: usize = 16;

impl<'a> Names<'a> {
    /// Inserts a name and returns whether it is new.
    fn insert(&mut self, name: Name<'a>) -> bool {
        if self.few.len() >= FEW {
            self.many.extend(self.few.drain(..));
        }
        if !self.many.is_empty() {
            return self.many.insert(name);
        }
        let new = !self.few.contains(&name);
        if new {
            self.few.push(name);
        }
        new
    }
}

/// Walks a text and reports its errors. Returns `false` if the text is too large to walk. Only
/// listed names are compared.
pub fn check(cx: &Context<'_>, text: Span) -> bool {
    if text.len() > limits::PROPERTIES {
        let message = format_args!("{} bytes of properties are not parsed", text.len());
        cx.report(&rules::TOO_LARGE, text, message);
        return false;
    }
    if !cx.may_walk(text) {
        return false;
    }
    let window = Window::clamped(cx.sources, text);
    let bytes = window.bytes();
    let mut names = Names::default();
    let twice = |noun: &str, at: &Range<usize>| {
        let message = format_args!("duplicate {noun}");
        cx.report(&rules::PROPERTY_TWICE, place(text, at), message);
    };
    let mut set: Option<&[u8]> = None;
    let mut count = 0;
    let mut is_listed = |range: &Range<usize>| {
        count += 1;
        if count == limits::PROPERTY_ENTRIES + 1 {
            let message = format_args!(
                "only the first {} sets and properties are listed and compared",
                limits::PROPERTY_ENTRIES
            );
            cx.report(&rules::TOO_MANY, place(text, range), message);
        }
        count <= limits::PROPERTY_ENTRIES
    };
    for range in line::lines(bytes) {
        let line = bytes.get(range.clone()).unwrap_or(&[]);
        let within = |part: &Range<usize>| {
            let at = |offset: usize| range.start.saturating_add(offset);
            at(part.start)..at(part.end)
        };
        match line::read(line) {
            Line::Set(name) => {
                let text = line.get(name.clone()).unwrap_or(&[]);
                set = Some(text);
                if is_listed(&range) && !names.insert((text, None)) {
                    twice("set", &within(&name));
                }
            }
            Line::Wrong(why) => cx.report(&rules::PROPERTY_LINE, place(text, &range), why),
            Line::Property(parts) => {
                let Some(set) = set else {
                    let message = "property before the first set name";
                    cx.report(&rules::PROPERTY_WITHOUT_SET, place(text, &range), message);
                    continue;
                };
                let is_listed = is_listed(&range);
                if let Err(wrong) = line::value(line, &parts) {
                    cx.report(wrong.rule, place(text, &within(&wrong.at)), wrong.message);
                }
                let key = line.get(parts.key.clone()).unwrap_or(&[]);
                if is_listed && !names.insert((set, Some(key))) {
                    twice("key", &within(&parts.key));
                }
            }
        }
    }
    if let Some(at) = bytes.iter().position(|b| *b == 0) {
        let message = "NUL: readers stop here";
        cx.report(&rules::PROPERTY_NUL, text.subspan(at as u64, 1), message);
    }
    true
}

/// The row of a checked text.
pub fn node(out: &Rows<'_>, name: impl Into<Str>, text: Span, checked: bool) -> Node {
    let node = Node::new(NodeKind::Text, name, text)
        .area(Area::Meta)
        .doc(&TEXT_DOC);
    if text.is_empty() || !checked {
        return node.value(Value::Bytes);
    }
    let rows = out.register(Rc::new(LazyTree::new(move |sources| {
        Sets::read(sources, text)
    })));
    node.children(rows, rows::TOP, None)
}

/// Sets the meanings of properties, as shown in the rows of their text.
pub fn explain(sets: &mut [PropertySet]) {
    for set in sets {
        let known = known::set(set.name.as_bytes());
        set.doc = known.map_or(&rows::SET_DOC, |set| &set.doc).text.into();
        for entry in &mut set.entries {
            let key = known.and_then(|set| set.key(entry.key.as_bytes()));
            let form = key.map_or(Form::Any, |key| key.form);
            entry.meaning = match &entry.value {
                PropertyValue::Number(number) => meaning::of_number(form, *number).words,
                PropertyValue::Bytes { bits, bytes } => meaning::of_bytes(form, *bits, bytes).words,
                PropertyValue::Unreadable(_) => String::new(),
            };
            entry.doc = key.map_or(&rows::KEY_DOC, |key| &key.doc).text.into();
        }
    }
}

/// The properties of a text as its readers see them: repeated sets and keys count once. [`explain`]
/// adds their meanings.
pub fn sets(sources: &Sources, text: Span) -> Vec<PropertySet> {
    let mut sets: Vec<PropertySet> = Vec::new();
    let mut places: HashMap<Str, u32> = HashMap::new();
    let mut now = 0;
    each(sources, text, &mut |item| match item {
        Item::Set(name, span) => {
            let new = u32::try_from(sets.len()).unwrap_or(u32::MAX);
            now = *places.entry(name.to_string().into()).or_insert(new);
            if now == new {
                sets.push(PropertySet {
                    name,
                    span,
                    doc: Str::default(),
                    entries: Vec::new(),
                });
            }
        }
        Item::Property(property) => {
            let index = usize::try_from(now).unwrap_or(usize::MAX);
            let Some(set) = sets.get_mut(index) else {
                return;
            };
            // Set names cannot contain line breaks.
            let name = format!("{now}\n{}", property.key);
            let new = u32::try_from(set.entries.len()).unwrap_or(u32::MAX);
            let at = *places.entry(name.into()).or_insert(new);
            let old = usize::try_from(at).ok();
            match old.and_then(|at| set.entries.get_mut(at)) {
                Some(old) => *old = property,
                None => set.entries.push(property),
            }
        }
    });
    sets
}

/// An item found by [`each`].
pub enum Item {
    /// The name of a set.
    Set(String, Span),
    /// A property of the preceding set.
    Property(Property),
}

/// Calls `f` with the sets and properties of a text, in order, up to [`limits::PROPERTY_ENTRIES`];
/// [`check`] reports the limit.
pub fn each(sources: &Sources, text: Span, f: &mut dyn FnMut(Item)) {
    if text.is_empty() || text.len() > limits::PROPERTIES {
        return;
    }
    let window = Window::clamped(sources, text);
    let bytes = window.bytes();
    let mut any = false;
    let mut count = 0;
    for range in line::lines(bytes) {
        let line = bytes.get(range.clone()).unwrap_or(&[]);
        let whole = place(text, &range);
        match line::read(line) {
            Line::Set(name) => {
                any = true;
                count += 1;
                if count > limits::PROPERTY_ENTRIES {
                    return;
                }
                let title = line.get(name.clone()).unwrap_or(&[]);
                let text = String::from_utf8_lossy(title).into_owned();
                f(Item::Set(text, place(whole, &name)));
            }
            Line::Property(parts) if any => {
                count += 1;
                if count > limits::PROPERTY_ENTRIES {
                    return;
                }
                f(Item::Property(property(whole, line, &parts)));
            }
            _ => {}
        }
    }
}

fn property(place_of: Span, line: &[u8], parts: &Parts) -> Property {
    let bytes = |range: &Range<usize>| line.get(range.clone()).unwrap_or(&[]);
    let text = |range| String::from_utf8_lossy(bytes(range)).into_owned();
    let kind = line::decimal(bytes(&parts.kind)).unwrap_or(0);
    Property {
        key: text(&parts.key),
        key_span: place(place_of, &parts.key),
        kind: Located::at(kind, place(place_of, &parts.kind)),
        value: match line::value(line, parts).map(|reading| reading.value) {
            Ok(Read::Number(number)) => PropertyValue::Number(number),
            Ok(Read::Bytes(bits, bytes)) => PropertyValue::Bytes { bits, bytes },
            Err(_) => PropertyValue::Unreadable(text(&parts.value)),
        },
        span: place(place_of, &parts.value),
        meaning: String::new(),
        doc: Str::default(),
    }
}
