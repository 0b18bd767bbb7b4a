//! Differences: an entry for each kernel, section, symbol …, with its fields.

use std::rc::Rc;

use serde::{Deserialize, Serialize};

use super::code::CodeChange;
use super::measure::Measure;
use zeview_core::model::text::{hex, value_text};
use zeview_core::model::{Radix, Span, Str, Value};

/// The kind of item that differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Part {
    /// A kernel: its entry in `.ze_info`, and its code.
    Kernel,
    /// A function that other modules can call.
    Function,
    /// A value outside of kernels: in headers, in `.ze_info`.
    Attribute,
    /// A section, or other bytes with a name.
    Section,
    /// A note.
    Note,
    /// A symbol.
    Symbol,
    /// The relocations with the same type, section and symbol.
    Relocation,
    /// A module of a SYCLBIN.
    Module,
    /// A device image.
    Image,
    /// A property.
    Property,
    /// Unexplained bytes: of an unknown format, in a gap, reserved.
    Bytes,
}

impl Part {
    /// All parts, in the order of listings.
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

    /// Returns its plural name, as in JSON: `kernels`.
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

    /// Returns its singular name: `kernel`.
    pub fn singular(self) -> &'static str {
        match self {
            Part::Property => "property",
            Part::Bytes => "bytes",
            part => part.name().trim_end_matches('s'),
        }
    }
}

/// The kind of change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Change {
    /// It is only in the first file.
    Removed,
    /// It is only in the second file.
    Added,
    /// It has another name, and possibly other contents.
    Renamed,
    /// It is in both, and differs.
    Changed,
}

impl Change {
    /// Returns its name.
    pub fn name(self) -> &'static str {
        match self {
            Change::Removed => "removed",
            Change::Added => "added",
            Change::Renamed => "renamed",
            Change::Changed => "changed",
        }
    }
}

/// An item that differs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// Its kind.
    pub part: Part,
    /// The kind of change.
    pub change: Change,
    /// The documents that contain it: an index in [`Comparison::pairs`](super::Comparison::pairs).
    pub pair: u32,
    /// Its name: in the second file if it was added, otherwise in the first.
    pub name: String,
    /// The demangled name, if the name is mangled.
    pub demangled: Option<Rc<str>>,
    /// The device of a kernel in a library or package.
    pub device: Option<Str>,
    /// Its name in the second file, if it differs.
    pub new_name: Option<String>,
    /// Its bytes in the first file.
    pub a: Option<Span>,
    /// Its bytes in the second file.
    pub b: Option<Span>,
    /// The values that differ; all values if it was added or removed.
    pub fields: Vec<Field>,
    /// The change of its code, for a kernel in both files whose code could be compared.
    pub code: Option<CodeChange>,
    /// For a kernel: the measures that differ, with defaults filled in.
    pub measures: Vec<Measure>,
}

impl Entry {
    /// Creates an entry without details.
    pub fn new(part: Part, change: Change, pair: u32, name: impl Into<String>) -> Entry {
        Entry {
            part,
            change,
            pair,
            name: name.into(),
            demangled: None,
            device: None,
            new_name: None,
            a: None,
            b: None,
            fields: Vec::new(),
            code: None,
            measures: Vec::new(),
        }
    }

    /// Sets the bytes.
    pub fn at(mut self, a: Option<Span>, b: Option<Span>) -> Entry {
        self.a = a;
        self.b = b;
        self
    }

    /// Sets the fields.
    pub fn with(mut self, fields: Vec<Field>) -> Entry {
        self.fields = fields;
        self
    }

    /// Returns the name for display.
    pub fn title(&self) -> &str {
        self.demangled.as_deref().unwrap_or(&self.name)
    }
}

/// A value that differs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Field {
    /// Its key in the format: `spill_size`.
    pub key: String,
    /// Its path within the entry, including the key: `execution_env/spill_size`.
    pub path: String,
    /// The value in the first file; `None` if it is absent.
    pub from: Option<Side>,
    /// The value in the second file; `None` if it is absent.
    pub to: Option<Side>,
}

/// The value on one side.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Side {
    /// The value.
    pub value: FieldValue,
    /// Its bytes.
    pub span: Option<Span>,
}

impl Side {
    /// Creates the value of a side.
    pub fn new(value: FieldValue, span: impl Into<Option<Span>>) -> Side {
        Side {
            value,
            span: span.into(),
        }
    }
}

/// A value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum FieldValue {
    /// A number, and its name in the specification.
    Number(i128, Option<String>),
    /// A hexadecimal number, and its name in the specification.
    Hex(u64, Option<String>),
    /// A floating-point number.
    Real(f64),
    /// A boolean.
    Bool(bool),
    /// Text.
    Text(String),
    /// Several values.
    List(Vec<FieldValue>),
    /// Bytes: the first of them, and their total number.
    Bytes(Vec<u8>, u64),
}

/// Number of bytes that are kept of a value.
pub const BYTES_KEPT: u64 = 64;
/// Number of bytes that are displayed.
const BYTES_SHOWN: usize = 16;

impl FieldValue {
    /// Creates a count.
    pub fn count(number: u64) -> FieldValue {
        FieldValue::Number(number.into(), None)
    }

    /// Converts the value of a node; `None` for bytes.
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

    /// Like [`text`](FieldValue::text), consuming the value.
    pub fn into_text(self) -> String {
        match self {
            FieldValue::Text(text) => text,
            value => value.text(),
        }
    }

    /// Formats the value in one line.
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
                let shown = hex(bytes.get(..BYTES_SHOWN).unwrap_or(bytes), " ");
                if *count > BYTES_SHOWN as u64 {
                    format!("{shown} … ({count} bytes)")
                } else {
                    shown
                }
            }
        }
    }

    /// Returns the number in it, if there is one.
    pub fn number(&self) -> Option<i128> {
        match self {
            FieldValue::Number(number, _) => Some(*number),
            FieldValue::Hex(number, _) => Some((*number).into()),
            FieldValue::Bool(yes) => Some((*yes).into()),
            _ => None,
        }
    }
}
