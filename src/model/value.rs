//! Values as the file has them: the raw number, the specification's name for it, and the
//! base in which the specification writes it. How they look is the renderer's business.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// Text that is mostly static (names of fields) and sometimes made (names of kernels).
pub type Str = Cow<'static, str>;

/// The base in which the specification writes a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Radix {
    /// Counts, sizes, versions.
    Decimal,
    /// Offsets, addresses, masks, magic numbers.
    Hex,
}

/// What a node's bytes say.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Value {
    /// Nothing of its own: a node that only holds others.
    None,
    /// A number without a sign.
    Unsigned {
        /// The number.
        raw: u64,
        /// Its width in bits.
        bits: u8,
        /// The base in which it is written.
        radix: Radix,
        /// The specification's name of this number.
        symbol: Option<Str>,
    },
    /// A number with a sign.
    Signed {
        /// The number.
        raw: i64,
        /// Its width in bits.
        bits: u8,
    },
    /// A number with a fraction.
    Float(f64),
    /// Yes or no.
    Bool(bool),
    /// A word of bits with names.
    Flags {
        /// The word.
        raw: u64,
        /// Its width in bits.
        bits: u8,
        /// The names of the bits that are set, lowest first.
        set: Vec<Str>,
        /// The set bits that have no name.
        rest: u64,
    },
    /// Text.
    Text {
        /// The text; what is not UTF-8 stands as U+FFFD.
        text: Str,
        /// Some of it was not UTF-8.
        lossy: bool,
    },
    /// The bytes themselves; the node's span says which.
    Bytes,
}

impl Value {
    /// A decimal number of `bits` bits.
    pub fn decimal(raw: u64, bits: u8) -> Value {
        Value::Unsigned {
            raw,
            bits,
            radix: Radix::Decimal,
            symbol: None,
        }
    }

    /// A hexadecimal number of `bits` bits.
    pub fn hex(raw: u64, bits: u8) -> Value {
        Value::Unsigned {
            raw,
            bits,
            radix: Radix::Hex,
            symbol: None,
        }
    }

    /// Text from the program, or from a file that is known to be UTF-8.
    pub fn text(text: impl Into<Str>) -> Value {
        Value::Text {
            text: text.into(),
            lossy: false,
        }
    }

    /// Text from a file; bytes that are not UTF-8 are replaced and flagged.
    pub fn text_from(bytes: &[u8]) -> Value {
        match String::from_utf8_lossy(bytes) {
            Cow::Borrowed(text) => Value::text(text.to_owned()),
            Cow::Owned(text) => Value::Text {
                text: text.into(),
                lossy: true,
            },
        }
    }

    /// The same value, named.
    pub fn named(mut self, name: impl Into<Str>) -> Value {
        if let Value::Unsigned { symbol, .. } = &mut self {
            *symbol = Some(name.into());
        }
        self
    }

    /// The number of an unsigned value or a flag word.
    pub fn as_u64(&self) -> Option<u64> {
        match self {
            Value::Unsigned { raw, .. } | Value::Flags { raw, .. } => Some(*raw),
            Value::Signed { raw, .. } => u64::try_from(*raw).ok(),
            _ => None,
        }
    }
}
