//! What differs: one entry for each kernel, section, symbol … and its fields.

use std::rc::Rc;

use serde::{Deserialize, Serialize};

use super::code::CodeChange;
use super::measure::Measure;
use crate::model::text::value_text;
use crate::model::{Radix, Span, Value};

/// What kind of thing differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Part {
    /// A kernel: its entry in `.ze_info`, and its code.
    Kernel,
    /// A function that other modules can call.
    Function,
    /// What is said outside of kernels: in headers, in `.ze_info`.
    Attribute,
    /// A section, or other bytes with a name.
    Section,
    /// A note.
    Note,
    /// A symbol.
    Symbol,
    /// The relocations of one kind that patch a section with the address of a symbol.
    Relocation,
    /// A module of a SYCLBIN.
    Module,
    /// A device image.
    Image,
    /// A property.
    Property,
    /// Bytes that nothing else explains: of an unknown format, in a gap, reserved.
    Bytes,
}

impl Part {
    /// All, in the order in which they are listed.
    pub const ALL: [Part; 11] = [
        Part::Kernel,
        Part::Function,
        Part::Image,
        Part::Module,
        Part::Property,
        Part::Attribute,
        Part::Note,
        Part::Section,
        Part::Symbol,
        Part::Relocation,
        Part::Bytes,
    ];

    /// Its name in the plural, as in JSON: `kernels`.
    pub fn name(self) -> &'static str {
        match self {
            Part::Kernel => "kernels",
            Part::Function => "functions",
            Part::Attribute => "attributes",
            Part::Section => "sections",
            Part::Note => "notes",
            Part::Symbol => "symbols",
            Part::Relocation => "relocations",
            Part::Module => "modules",
            Part::Image => "images",
            Part::Property => "properties",
            Part::Bytes => "bytes",
        }
    }

    /// One of it: `kernel`.
    pub fn singular(self) -> &'static str {
        match self {
            Part::Property => "property",
            Part::Bytes => "bytes",
            part => part.name().trim_end_matches('s'),
        }
    }
}

/// How it differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Change {
    /// It is only in the first file.
    Removed,
    /// It is only in the second file.
    Added,
    /// It has another name, and maybe other contents.
    Renamed,
    /// It is in both, and differs.
    Changed,
}

impl Change {
    /// In a word.
    pub fn name(self) -> &'static str {
        match self {
            Change::Removed => "removed",
            Change::Added => "added",
            Change::Renamed => "renamed",
            Change::Changed => "changed",
        }
    }
}

/// Something that differs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// What it is.
    pub part: Part,
    /// How it differs.
    pub change: Change,
    /// The documents that it is of: a place in [`Comparison::pairs`](super::Comparison::pairs).
    pub pair: u32,
    /// Its name: of what was added, in the second file; else in the first.
    pub name: String,
    /// The name demangled, where it is mangled.
    pub demangled: Option<Rc<str>>,
    /// Its name in the second file, if that is another one.
    pub new_name: Option<String>,
    /// Its bytes in the first file.
    pub a: Option<Span>,
    /// Its bytes in the second file.
    pub b: Option<Span>,
    /// What differs in it; of what was added or removed, all of it.
    pub fields: Vec<Field>,
    /// How its code differs; of a kernel in both files whose code could be compared.
    pub code: Option<CodeChange>,
    /// Of a kernel, the numbers that differ, with defaults filled in.
    pub measures: Vec<Measure>,
}

impl Entry {
    /// An entry without details.
    pub fn new(part: Part, change: Change, pair: u32, name: impl Into<String>) -> Entry {
        Entry {
            part,
            change,
            pair,
            name: name.into(),
            demangled: None,
            new_name: None,
            a: None,
            b: None,
            fields: Vec::new(),
            code: None,
            measures: Vec::new(),
        }
    }

    /// The same with its bytes.
    pub fn at(mut self, a: Option<Span>, b: Option<Span>) -> Entry {
        self.a = a;
        self.b = b;
        self
    }

    /// The same with what differs in it.
    pub fn with(mut self, fields: Vec<Field>) -> Entry {
        self.fields = fields;
        self
    }

    /// The name for people.
    pub fn title(&self) -> &str {
        self.demangled.as_deref().unwrap_or(&self.name)
    }
}

/// A value that differs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Field {
    /// Its key, as the format spells it: `spill_size`.
    pub key: String,
    /// Where it is within its entry, with the key: `execution_env/spill_size`.
    pub path: String,
    /// What it was; nothing where it was not there.
    pub from: Option<Side>,
    /// What it is now; nothing where it is not there any more.
    pub to: Option<Side>,
}

/// What is said on one side.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Side {
    /// The value.
    pub said: FieldValue,
    /// Its bytes.
    pub span: Option<Span>,
}

impl Side {
    /// A value and its bytes.
    pub fn new(said: FieldValue, span: impl Into<Option<Span>>) -> Side {
        Side {
            said,
            span: span.into(),
        }
    }
}

/// A value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum FieldValue {
    /// A number, and its name in the specification.
    Number(i128, Option<String>),
    /// A number that is written in hex, and its name in the specification.
    Hex(u64, Option<String>),
    /// A number with a fraction.
    Real(f64),
    /// Yes or no.
    Bool(bool),
    /// Text.
    Text(String),
    /// Several values.
    List(Vec<FieldValue>),
    /// Bytes: the first of them, and how many there are.
    Bytes(Vec<u8>, u64),
}

/// So many bytes are kept of a value that is bytes.
pub const BYTES_KEPT: u64 = 64;
/// So many are shown.
const BYTES_SHOWN: usize = 16;

impl FieldValue {
    /// A count.
    pub fn count(number: u64) -> FieldValue {
        FieldValue::Number(number.into(), None)
    }

    /// What a node says, but for bytes.
    pub fn of(value: &Value) -> Option<FieldValue> {
        Some(match value {
            Value::None | Value::Bytes => return None,
            Value::Unsigned {
                raw,
                radix: Radix::Hex,
                symbol,
                ..
            } => FieldValue::Hex(*raw, symbol.as_deref().map(str::to_owned)),
            Value::Unsigned { raw, symbol, .. } => {
                FieldValue::Number((*raw).into(), symbol.as_deref().map(str::to_owned))
            }
            Value::Signed { raw, .. } => FieldValue::Number((*raw).into(), None),
            Value::Float(number) => FieldValue::Real(*number),
            Value::Bool(yes) => FieldValue::Bool(*yes),
            Value::Flags { raw, .. } => FieldValue::Hex(*raw, Some(value_text(value))),
            Value::Text { text, .. } => FieldValue::Text(text.clone().into_owned()),
        })
    }

    /// As [`text`](FieldValue::text), of a value that is not needed any more.
    pub fn into_text(self) -> String {
        match self {
            FieldValue::Text(text) => text,
            said => said.text(),
        }
    }

    /// In one line, for people.
    pub fn text(&self) -> String {
        match self {
            FieldValue::Number(number, None) => number.to_string(),
            FieldValue::Number(number, Some(name)) => format!("{name} ({number})"),
            FieldValue::Hex(number, None) => format!("{number:#x}"),
            FieldValue::Hex(number, Some(name)) if name.starts_with("0x") => {
                let _ = number;
                name.clone()
            }
            FieldValue::Hex(number, Some(name)) => format!("{name} ({number:#x})"),
            FieldValue::Real(number) => number.to_string(),
            FieldValue::Bool(yes) => yes.to_string(),
            FieldValue::Text(text) => text.clone(),
            FieldValue::List(list) => {
                let words: Vec<String> = list.iter().map(FieldValue::text).collect();
                words.join(" ")
            }
            FieldValue::Bytes(bytes, count) => {
                let shown = bytes.iter().take(BYTES_SHOWN);
                let shown: Vec<String> = shown.map(|byte| format!("{byte:02x}")).collect();
                if *count > BYTES_SHOWN as u64 {
                    format!("{} … ({count} bytes)", shown.join(" "))
                } else {
                    shown.join(" ")
                }
            }
        }
    }

    /// The number in it, if it is one.
    pub fn number(&self) -> Option<i128> {
        match self {
            FieldValue::Number(number, _) => Some(*number),
            FieldValue::Hex(number, _) => Some((*number).into()),
            FieldValue::Bool(yes) => Some((*yes).into()),
            _ => None,
        }
    }
}
