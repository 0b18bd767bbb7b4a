//! Values as they are in the file: the raw number, the specification's name for it, and the base in
//! which the specification writes it. Formatting is left to the renderer.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// Text: static (names of fields) or built at run time (names of kernels).
pub type Str = Cow<'static, str>;

/// The base in which the specification writes a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Radix {
    /// Counts, sizes, versions.
    Decimal,
    /// Offsets, addresses, masks, magic numbers.
    Hex,
}

/// The decoded value of a node.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Value {
    /// No value: the node only groups others.
    None,
    /// An unsigned number.
    Unsigned {
        /// The number.
        raw: u64,
        /// Its width in bits.
        bits: u8,
        /// The base for display.
        radix: Radix,
        /// The specification's name for this number.
        symbol: Option<Str>,
    },
    /// A signed number.
    Signed {
        /// The number.
        raw: i64,
        /// Its width in bits.
        bits: u8,
    },
    /// A floating-point number.
    Float(f64),
    /// A boolean.
    Bool(bool),
    /// A word of named bits.
    Flags {
        /// The word.
        raw: u64,
        /// Its width in bits.
        bits: u8,
        /// The names of the bits that are set, lowest first.
        set: Vec<Str>,
        /// The set bits without a name.
        rest: u64,
    },
    /// Text.
    Text {
        /// The text, with U+FFFD in place of invalid UTF-8.
        text: Str,
        /// Whether some of it was not valid UTF-8.
        lossy: bool,
    },
    /// The raw bytes of the node's span.
    Bytes,
}

impl Value {
    /// Creates a decimal number of `bits` bits.
    pub fn decimal(raw: u64, bits: u8) -> Value {
        Value::Unsigned {
            raw,
            bits,
            radix: Radix::Decimal,
            symbol: None,
        }
    }

    /// Creates a hexadecimal number of `bits` bits.
    pub fn hex(raw: u64, bits: u8) -> Value {
        Value::Unsigned {
            raw,
            bits,
            radix: Radix::Hex,
            symbol: None,
        }
    }

    /// Creates text from the program, or from a file that is known to be UTF-8.
    pub fn text(text: impl Into<Str>) -> Value {
        Value::Text {
            text: text.into(),
            lossy: false,
        }
    }

    /// Creates text from a file. Invalid UTF-8 is replaced and flagged.
    pub fn text_from(bytes: &[u8]) -> Value {
        match String::from_utf8_lossy(bytes) {
            Cow::Borrowed(text) => Value::text(text.to_owned()),
            Cow::Owned(text) => Value::Text {
                text: text.into(),
                lossy: true,
            },
        }
    }

    /// Sets the specification's name of an unsigned number.
    pub fn named(mut self, name: impl Into<Str>) -> Value {
        if let Value::Unsigned { symbol, .. } = &mut self {
            *symbol = Some(name.into());
        }
        self
    }

    /// Returns an unsigned value, a flag word, or a signed value that is not negative.
    pub fn as_u64(&self) -> Option<u64> {
        match self {
            Value::Unsigned { raw, .. } | Value::Flags { raw, .. } => Some(*raw),
            Value::Signed { raw, .. } => u64::try_from(*raw).ok(),
            _ => None,
        }
    }
}
