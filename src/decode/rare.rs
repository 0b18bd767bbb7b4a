//! What few files need, and what takes much to read: names of C++, and YAML that no compiler
//! writes.
//!
//! Natively [`built_in`] reads them (feature `rare`). In the browser they are a module of
//! their own, which is loaded when a file needs it (`worker::rare_module`): checking a file
//! says so with [`Rare::needed`] before anything is asked, so that loading can happen in
//! between. Reading then always has the same result, wherever it is done.

#[cfg(feature = "rare")]
mod names;
#[cfg(feature = "rare")]
mod yaml;

use std::rc::Rc;

use super::Context;
use super::deep::{Asked, Piece, Subject};
use super::inflate::{Method, Unpacked};
use super::rules;
use crate::model::Span;

/// Longer texts are not read as general YAML: it takes twenty times as long as the other way.
pub const TEXT_MAX: usize = 16 << 20;
/// More values are not shown: aliases can make many of a short text.
pub const VALUES_MAX: usize = 1 << 18;

/// Reads what few files need.
pub trait Rare {
    /// Something in the file is going to be asked for. `false`: it will not be answered.
    fn needed(&self) -> bool;

    /// A mangled name of C++ as people write it; nothing where it is not one.
    fn demangled(&self, name: &str) -> Option<String>;

    /// What a text means by the rules of YAML; nothing if that cannot be told here.
    fn yaml(&self, text: &[u8]) -> Option<Vec<Item>>;

    /// A reading of what lies [`deep`](super::deep); `pieces` gives its parts with their bytes.
    fn read(&self, subject: Subject, pieces: &dyn Fn() -> Vec<Piece>) -> Asked {
        let _ = (subject, pieces);
        Asked::Never
    }

    /// Unpacks at most `most` bytes of a [compressed stream](super::inflate).
    fn inflate(&self, method: Method, packed: &[u8], most: u64) -> Unpacked {
        let _ = (method, packed, most);
        Unpacked::Never
    }
}

/// Reads everything, if that is built in.
pub fn built_in() -> Rc<dyn Rare> {
    #[cfg(feature = "rare")]
    return Rc::new(BuiltIn);
    #[cfg(not(feature = "rare"))]
    return Rc::new(Absent);
}

/// Reports that names or a text will not be read, if it is so.
pub fn need(cx: &Context<'_>, span: Span) {
    if !cx.rare.needed() {
        cx.report(
            &rules::RARE_MISSING,
            span,
            "zeview's part that reads C++ names and general YAML is not loaded",
        );
    }
}

/// Might a name be a mangled one?
pub fn is_mangled(name: &str) -> bool {
    name.starts_with("_Z")
}

/// Reads nothing.
pub struct Absent;

impl Rare for Absent {
    fn needed(&self) -> bool {
        false
    }

    fn demangled(&self, _: &str) -> Option<String> {
        None
    }

    fn yaml(&self, _: &[u8]) -> Option<Vec<Item>> {
        None
    }
}

/// Reads everything.
#[cfg(feature = "rare")]
pub struct BuiltIn;

#[cfg(feature = "rare")]
impl Rare for BuiltIn {
    fn needed(&self) -> bool {
        true
    }

    fn demangled(&self, name: &str) -> Option<String> {
        names::demangled(name)
    }

    fn yaml(&self, text: &[u8]) -> Option<Vec<Item>> {
        Some(yaml::items(text))
    }

    #[cfg(feature = "deep")]
    fn read(&self, subject: Subject, pieces: &dyn Fn() -> Vec<Piece>) -> Asked {
        Asked::Here(super::deep::read(subject, pieces()))
    }

    #[cfg(feature = "deep")]
    fn inflate(&self, method: Method, packed: &[u8], most: u64) -> Unpacked {
        Unpacked::Here(super::inflate::streams::inflate(method, packed, most))
    }
}

/// A value of a YAML text. Those below one follow it, a level deeper.
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    /// How many values it is within.
    pub depth: u32,
    /// Its key.
    pub name: String,
    /// What it is.
    pub what: What,
}

/// What a value of a YAML text is.
#[derive(Debug, Clone, PartialEq)]
pub enum What {
    /// Null, or something that has others below it.
    Nothing,
    /// A sequence of so many.
    Sequence(u64),
    /// Yes or no.
    Bool(bool),
    /// A whole number.
    Unsigned(u64),
    /// A whole number below 0.
    Signed(i64),
    /// A number with a fraction.
    Float(f64),
    /// Text, or the tag of the one value below it.
    Text(String),
    /// No value: why there are none, or no more.
    Note(String),
}

/// Items as bytes, for the way from one wasm module to another.
pub fn pack(items: &[Item]) -> Vec<u8> {
    let mut out = Vec::new();
    for item in items {
        out.extend_from_slice(&item.depth.to_le_bytes());
        push_text(&mut out, &item.name);
        let (tag, word, text) = match &item.what {
            What::Nothing => (0, 0, None),
            What::Sequence(count) => (1, *count, None),
            What::Bool(yes) => (2, u64::from(*yes), None),
            What::Unsigned(raw) => (3, *raw, None),
            What::Signed(raw) => (4, raw.cast_unsigned(), None),
            What::Float(number) => (5, number.to_bits(), None),
            What::Text(text) => (6, 0, Some(text)),
            What::Note(text) => (7, 0, Some(text)),
        };
        out.push(tag);
        match text {
            None => out.extend_from_slice(&word.to_le_bytes()),
            Some(text) => push_text(&mut out, text),
        }
    }
    out
}

fn push_text(out: &mut Vec<u8>, text: &str) {
    let len = u32::try_from(text.len()).unwrap_or(0);
    let text = if len == 0 { "" } else { text };
    out.extend_from_slice(&len.to_le_bytes());
    out.extend_from_slice(text.as_bytes());
}

/// The other way of [`pack`]; nothing where the bytes are not from there.
pub fn unpack(mut bytes: &[u8]) -> Option<Vec<Item>> {
    let mut items = Vec::new();
    while !bytes.is_empty() {
        let from = &mut bytes;
        items.push(Item {
            depth: u32::from_le_bytes(take(from)?),
            name: take_text(from)?,
            what: match take::<1>(from)? {
                [6] => What::Text(take_text(from)?),
                [7] => What::Note(take_text(from)?),
                [tag] => {
                    let word = u64::from_le_bytes(take(from)?);
                    match tag {
                        0 => What::Nothing,
                        1 => What::Sequence(word),
                        2 => What::Bool(word != 0),
                        3 => What::Unsigned(word),
                        4 => What::Signed(word.cast_signed()),
                        5 => What::Float(f64::from_bits(word)),
                        _ => return None,
                    }
                }
            },
        });
    }
    Some(items)
}

fn take<const N: usize>(from: &mut &[u8]) -> Option<[u8; N]> {
    let (taken, rest) = from.split_first_chunk()?;
    *from = rest;
    Some(*taken)
}

fn take_text(from: &mut &[u8]) -> Option<String> {
    let len = usize::try_from(u32::from_le_bytes(take(from)?)).ok()?;
    let (text, rest) = from.split_at_checked(len)?;
    *from = rest;
    String::from_utf8(text.to_vec()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_survive_the_way() {
        let whats = [
            What::Nothing,
            What::Sequence(3),
            What::Bool(true),
            What::Unsigned(u64::MAX),
            What::Signed(-7),
            What::Float(0.5),
            What::Text("ä".to_owned()),
            What::Note(String::new()),
        ];
        let items: Vec<Item> = (0..)
            .zip(whats)
            .map(|(depth, what)| Item {
                depth,
                name: format!("name {depth}"),
                what,
            })
            .collect();
        let bytes = pack(&items);
        assert_eq!(unpack(&bytes).as_deref(), Some(&*items));
        assert_eq!(unpack(&bytes[..bytes.len() - 1]), None);
        assert_eq!(unpack(&[]), Some(Vec::new()));
    }
}
