//! Cells of a list.

use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::cmp::Ordering;
use zeview_core::analysis::assembly::Annotation;
use zeview_core::analysis::figure::{Figure, SizeFigure, Unknown};
use zeview_core::model::text::hex;
use zeview_core::model::{Span, Str, Tone};

/// The value of a cell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum CellValue<'a> {
    /// No value. It may exist: the file does not have it, or it was not computed.
    Empty,
    /// No value, and it is known that there is none: cycles of a loop of code without loops.
    Absent,
    /// A number.
    Int(i64),
    /// A count, a size.
    Count(u64),
    /// An offset, an address.
    Hex(u64),
    /// A floating-point number.
    Real(f64),
    /// A boolean.
    Bool(bool),
    /// Three numbers.
    Ints([i64; 3]),
    /// Text.
    Text(Cow<'a, str>),
    /// A name.
    Name {
        /// The name in the file.
        name: Cow<'a, str>,
        /// The demangled name, if the name is mangled.
        demangled: Option<Cow<'a, str>>,
        /// The [short name](zeview_analysis::naming), if it differs from the name in the file.
        short: Option<Cow<'a, str>>,
    },
    /// Several words.
    Words(Vec<Cow<'a, str>>),
    /// The distinct numbers in a group of rows, at least two.
    Several(Vec<f64>),
    /// Bytes.
    Bytes(Vec<u8>),
    /// A number that is unknown.
    Unknown {
        /// The reason.
        reason: Unknown,
        /// The largest value that it may have, if it has a limit. The smallest is 0.
        up_to: Option<f64>,
    },
}

/// A cell: its value, and the bytes that it was read from or refers to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Cell<'a> {
    /// The value.
    pub value: CellValue<'a>,
    /// Its bytes; `None` for defaults and computed values.
    pub span: Option<Span>,
    /// Its bytes in the file that the document is compared with.
    pub base: Option<Span>,
    /// Whether the value is the specification's default, because the file does not specify it.
    pub is_default: bool,
    /// Annotations: hazards, or the origin of the value.
    pub marks: Vec<Annotation>,
}

impl<'a> Cell<'a> {
    /// Creates a cell without bytes.
    pub fn new(value: CellValue<'a>) -> Cell<'a> {
        Cell {
            value,
            span: None,
            base: None,
            is_default: false,
            marks: Vec::new(),
        }
    }

    /// Creates an empty cell.
    pub fn empty() -> Cell<'a> {
        Cell::new(CellValue::Empty)
    }

    /// Creates a cell with a count or size.
    pub fn count(number: u64) -> Cell<'a> {
        Cell::new(CellValue::Count(number))
    }

    /// Creates a cell with a figure of code.
    pub fn figure(figure: Figure<u64>) -> Cell<'a> {
        match figure {
            Ok(number) => Cell::count(number),
            Err(unknown) => Cell::unknown(unknown, 1.0),
        }
    }

    /// Creates a cell with a size of memory.
    pub fn size(size: SizeFigure) -> Cell<'a> {
        let cell = match size.figure {
            Ok(number) => Cell::new(CellValue::Int(number)),
            Err(unknown) => Cell::unknown(unknown, 1.0),
        };
        Cell {
            is_default: size.span.is_none(),
            ..cell.at(size.span)
        }
    }

    /// Creates a cell with an unknown number, which has `divisor` times the unit of the figure.
    pub fn unknown(reason: Unknown, divisor: f64) -> Cell<'a> {
        // Exact below 2^53.
        #[allow(clippy::cast_precision_loss)]
        let up_to = reason.limit().map(|limit| limit as f64 / divisor);
        Cell::new(CellValue::Unknown { reason, up_to })
    }

    /// Creates a cell with text; empty text makes an empty cell.
    pub fn text(text: impl Into<Cow<'a, str>>) -> Cell<'a> {
        match text.into() {
            text if text.is_empty() => Cell::empty(),
            text => Cell::new(CellValue::Text(text)),
        }
    }

    /// Creates a cell with several words.
    pub fn words<W: Into<Cow<'a, str>>>(words: impl Iterator<Item = W>) -> Cell<'a> {
        Cell::new(CellValue::Words(words.map(Into::into).collect()))
    }

    /// Sets the bytes.
    pub fn at(self, span: Option<Span>) -> Cell<'a> {
        Cell { span, ..self }
    }

    /// Sets the bytes in the file that the document is compared with.
    pub fn in_base(self, base: Option<Span>) -> Cell<'a> {
        Cell { base, ..self }
    }

    /// Prepares the cell for a response: of many words or bytes it keeps the first, and `…`.
    pub fn shown(self) -> Cell<'static> {
        let owned = |text: Cow<'_, str>| Cow::Owned(text.into_owned());
        let value = match self.value {
            CellValue::Words(mut words) => {
                if words.len() > WORDS_SHOWN {
                    words.truncate(WORDS_SHOWN);
                    words.push("…".into());
                }
                CellValue::Words(words.into_iter().map(owned).collect())
            }
            CellValue::Bytes(mut bytes) if bytes.len() > BYTES_SHOWN => {
                bytes.truncate(BYTES_SHOWN);
                let text = CellValue::Bytes(bytes);
                CellValue::Text(format!("{} …", text.text()).into())
            }
            CellValue::Text(text) => CellValue::Text(owned(text)),
            CellValue::Name {
                name,
                demangled,
                short,
            } => CellValue::Name {
                name: owned(name),
                demangled: demangled.map(owned),
                short: short.map(owned),
            },
            CellValue::Empty => CellValue::Empty,
            CellValue::Absent => CellValue::Absent,
            CellValue::Int(number) => CellValue::Int(number),
            CellValue::Count(number) => CellValue::Count(number),
            CellValue::Hex(number) => CellValue::Hex(number),
            CellValue::Real(number) => CellValue::Real(number),
            CellValue::Bool(yes) => CellValue::Bool(yes),
            CellValue::Ints(numbers) => CellValue::Ints(numbers),
            CellValue::Several(mut numbers) => {
                // Many numbers are formatted as their minimum and maximum.
                if numbers.len() > WORDS_SHOWN {
                    let ends = ends(&numbers);
                    numbers.truncate(WORDS_SHOWN - 2);
                    numbers.extend(ends);
                }
                CellValue::Several(numbers)
            }
            CellValue::Bytes(bytes) => CellValue::Bytes(bytes),
            CellValue::Unknown { reason, up_to } => CellValue::Unknown { reason, up_to },
        };
        Cell {
            value,
            span: self.span,
            base: self.base,
            is_default: self.is_default,
            marks: self.marks,
        }
    }

    /// Adds an annotation.
    pub fn mark(mut self, tone: Tone, text: impl Into<Str>, doc: impl Into<Str>) -> Cell<'a> {
        self.marks.push(Annotation {
            tone,
            text: text.into(),
            doc: doc.into(),
        });
        self
    }
}

/// Maximum number of a cell's words in a response.
pub const WORDS_SHOWN: usize = 32;

/// Maximum number of a cell's bytes in a response.
pub const BYTES_SHOWN: usize = 24;

/// A sort key: empty cells first, then numbers, then text.
#[derive(Debug, Clone, PartialEq)]
pub enum Key<'a> {
    /// Nothing.
    Empty,
    /// A whole number, or several, compared in order.
    Ints([i128; 3]),
    /// A floating-point number.
    Real(f64),
    /// Text.
    Text(Cow<'a, str>),
}

impl Key<'_> {
    /// Compares two keys.
    pub fn order(&self, other: &Key<'_>) -> Ordering {
        // The keys of a column have the same kind, except for empty ones.
        let rank = |key: &Key<'_>| match key {
            Key::Empty => 0,
            Key::Ints(_) => 1,
            Key::Real(_) => 2,
            Key::Text(_) => 3,
        };
        match (self, other) {
            (Key::Ints(a), Key::Ints(b)) => a.cmp(b),
            (Key::Real(a), Key::Real(b)) => a.total_cmp(b),
            (Key::Text(a), Key::Text(b)) => a.cmp(b),
            (a, b) => rank(a).cmp(&rank(b)),
        }
    }
}

impl<'a> CellValue<'a> {
    /// Converts the value to a sort key; names sort by their demangled form.
    pub fn into_key(self) -> Key<'a> {
        if let Some(number) = self.int() {
            return Key::Ints([number, 0, 0]);
        }
        match self {
            CellValue::Real(number) => Key::Real(number),
            CellValue::Ints(numbers) => Key::Ints(numbers.map(Into::into)),
            CellValue::Text(text) => Key::Text(text),
            CellValue::Name {
                name, demangled, ..
            } => Key::Text(demangled.unwrap_or(name)),
            CellValue::Words(words) => Key::Ints([words.len() as i128, 0, 0]),
            _ => Key::Empty,
        }
    }

    /// Returns the whole number in it, with true as 1. Returns `None` if there is none.
    pub fn int(&self) -> Option<i128> {
        match self {
            CellValue::Int(number) => Some((*number).into()),
            CellValue::Count(number) | CellValue::Hex(number) => Some((*number).into()),
            CellValue::Bool(yes) => Some((*yes).into()),
            _ => None,
        }
    }

    /// Returns the number in it, of several the largest, with true as 1, or `None`.
    pub fn number(&self) -> Option<f64> {
        // Exact below 2^53.
        #[allow(clippy::cast_precision_loss)]
        match self {
            CellValue::Several(numbers) => numbers.iter().copied().max_by(f64::total_cmp),
            CellValue::Real(number) => Some(*number),
            value => value.int().map(|number| number as f64),
        }
    }

    /// Formats the value for CSV: numbers without grouping, names as in the file.
    pub fn text(&self) -> Cow<'_, str> {
        match self {
            CellValue::Empty | CellValue::Absent => "".into(),
            CellValue::Int(number) => number.to_string().into(),
            CellValue::Count(number) => number.to_string().into(),
            CellValue::Hex(number) => format!("{number:#x}").into(),
            CellValue::Real(number) => rounded(*number).into(),
            CellValue::Bool(yes) => yes.to_string().into(),
            CellValue::Ints([x, y, z]) => format!("{x} {y} {z}").into(),
            CellValue::Text(text) | CellValue::Name { name: text, .. } => (&**text).into(),
            CellValue::Words(words) => words.join(", ").into(),
            CellValue::Unknown { reason, .. } => reason.to_string().into(),
            CellValue::Several(numbers) => several(numbers, rounded).into(),
            CellValue::Bytes(bytes) => hex(bytes, " ").into(),
        }
    }

    /// Formats the value for display: names in short or demangled form.
    pub fn title(&self) -> Cow<'_, str> {
        match self {
            CellValue::Name {
                short: Some(name), ..
            }
            | CellValue::Name {
                demangled: Some(name),
                ..
            } => (&**name).into(),
            value => value.text(),
        }
    }

    /// Removes the short name.
    pub fn in_full(self) -> CellValue<'a> {
        match self {
            CellValue::Name {
                name, demangled, ..
            } => CellValue::Name {
                name,
                demangled,
                short: None,
            },
            value => value,
        }
    }

    /// Returns the forms of a name: in the file, demangled, and short.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let names = match self {
            CellValue::Name {
                name,
                demangled,
                short,
            } => [Some(&**name), demangled.as_deref(), short.as_deref()],
            _ => [None; 3],
        };
        names.into_iter().flatten()
    }
}

/// Formats distinct numbers: each of them, or the minimum and maximum if there are many.
pub fn several(numbers: &[f64], written: impl Fn(f64) -> String) -> String {
    let is_few = numbers.len() <= SEVERAL_SHOWN;
    let (shown, between) = if is_few {
        (numbers.to_vec(), " · ")
    } else {
        (ends(numbers).collect(), "–")
    };
    let shown: Vec<String> = shown.into_iter().map(written).collect();
    shown.join(between)
}

/// Maximum number of distinct numbers that a cell lists individually.
const SEVERAL_SHOWN: usize = 3;

/// Returns the minimum and maximum of some numbers.
fn ends(numbers: &[f64]) -> impl Iterator<Item = f64> + use<> {
    let least = numbers.iter().copied().min_by(f64::total_cmp);
    let largest = numbers.iter().copied().max_by(f64::total_cmp);
    least.into_iter().chain(largest)
}

/// Formats a number with at most two decimals.
fn rounded(number: f64) -> String {
    let text = format!("{:.2}", (number * 100.0).round_ties_even() / 100.0);
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0" } else { text }.to_owned()
}
