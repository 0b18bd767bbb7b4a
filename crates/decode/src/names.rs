//! Numbers with names: open enumerations, flag words and bit fields.
//!
//! A file can contain any number, so none of these is a closed `enum`: the number is kept, and its
//! name is added if it has one.

use std::ops::Range;

use super::table::slice;
use zeview_core::model::{Doc, KnownValue, Node, Rows, Span, Str, Value};

/// Presentation of a field's number, and its named values.
pub trait Present {
    /// The named numbers.
    const KNOWN: &'static [KnownValue] = &[];
    /// The number as a value of `bits` bits.
    fn present(raw: u64, bits: u8) -> Value;
}

/// A count, size or version: decimal.
#[derive(Debug)]
pub struct Decimal;

impl Present for Decimal {
    fn present(raw: u64, bits: u8) -> Value {
        Value::decimal(raw, bits)
    }
}

/// An offset, address, mask or magic number: hexadecimal.
#[derive(Debug)]
pub struct Hex;

impl Present for Hex {
    fn present(raw: u64, bits: u8) -> Value {
        Value::hex(raw, bits)
    }
}

/// The name of a number in a table. Returns `None` if it has none.
pub fn known_name(known: &'static [KnownValue], raw: u64) -> Option<&'static str> {
    known.iter().find(|k| k.raw == raw).map(|k| k.name)
}

/// The flag word `raw`: the names of its bits, and the remaining unnamed bits.
pub fn flags_value(known: &'static [KnownValue], raw: u64, bits: u8) -> Value {
    let mut rest = raw;
    let mut set: Vec<Str> = Vec::new();
    for flag in known {
        if flag.raw != 0 && raw & flag.raw == flag.raw {
            set.push(flag.name.into());
            rest &= !flag.raw;
        }
    }
    Value::Flags {
        raw,
        bits,
        set,
        rest,
    }
}

/// One field of a word, as [`bit_fields!`](crate::bit_fields) declares it.
#[derive(Debug)]
pub struct BitField {
    /// The specification's name.
    pub name: &'static str,
    /// Its lowest bit.
    pub low: u8,
    /// The bit after its highest one.
    pub high: u8,
    /// Its presentation.
    pub present: fn(u64, u8) -> Value,
    /// Its meaning.
    pub doc: Doc,
}

impl BitField {
    /// The field's number in the word `raw`.
    pub fn of(&self, raw: u64) -> u64 {
        let width = self.high.saturating_sub(self.low);
        let mask = 1u64.checked_shl(width.into()).map_or(u64::MAX, |m| m - 1);
        raw.checked_shr(self.low.into()).unwrap_or(0) & mask
    }

    /// The field's row: the word's bytes, and the field's bits in them.
    pub fn row(&'static self, raw: u64, word: Span) -> Node {
        let width = self.high.saturating_sub(self.low);
        Node::field(self.name, (self.present)(self.of(raw), width), word)
            .bits(self.low, self.high)
            .doc(&self.doc)
    }
}

/// Pushes the bit fields `range` of a word.
pub fn push_bits(
    fields: &'static [BitField],
    raw: u64,
    word: Span,
    range: Range<u64>,
    out: &mut Rows<'_>,
) {
    for field in slice(fields, range) {
        out.push(field.row(raw, word));
    }
}

/// Declares numbers with names.
///
/// ```
/// zeview_decode::open_enum! {
///     /// Description of the enumeration. Source.
///     pub struct Color(u32) {
///         /// Description of the value.
///         RED = 1,
///         /// Description of the value.
///         BLUE = 2,
///     }
/// }
/// assert_eq!(Color::BLUE.name(), Some("BLUE"));
/// assert_eq!(Color(7).name(), None);
/// ```
#[macro_export]
macro_rules! open_enum {
    ($(#[doc = $sd:expr])* $vis:vis struct $name:ident($repr:ident) {
        $($(#[doc = $d:expr])* $variant:ident = $value:expr),* $(,)?
    }) => {
        $(#[doc = $sd])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        $vis struct $name(pub $repr);

        #[allow(missing_docs, non_upper_case_globals, dead_code)]
        impl $name {
            $($(#[doc = $d])* pub const $variant: $name = $name($value);)*

            /// The specification's name of this number.
            pub fn name(self) -> Option<&'static str> {
                $crate::names::known_name(
                    <Self as $crate::names::Present>::KNOWN,
                    self.0.into(),
                )
            }
        }

        impl $crate::names::Present for $name {
            const KNOWN: &'static [zeview_core::model::KnownValue] = &[$(
                zeview_core::model::KnownValue {
                    raw: $value as u64,
                    name: stringify!($variant),
                    doc: concat!($($d),*).trim_ascii(),
                }
            ),*];

            fn present(raw: u64, bits: u8) -> zeview_core::model::Value {
                let value = $crate::open_enum!(@radix $repr, raw, bits);
                match $crate::names::known_name(Self::KNOWN, raw) {
                    Some(name) => value.named(name),
                    None => value,
                }
            }
        }
    };
    // Small numbers are more readable in decimal; the vendor ranges in hex.
    (@radix u8, $raw:expr, $bits:expr) => { zeview_core::model::Value::decimal($raw, $bits) };
    (@radix $repr:ident, $raw:expr, $bits:expr) => {
        if $raw >= 0xff00 {
            zeview_core::model::Value::hex($raw, $bits)
        } else {
            zeview_core::model::Value::decimal($raw, $bits)
        }
    };
}

/// Declares the named bits of a word. Like [`open_enum!`](crate::open_enum), but a number is shown
/// as the names of all its bits.
#[macro_export]
macro_rules! flags {
    ($(#[doc = $sd:expr])* $vis:vis struct $name:ident {
        $($(#[doc = $d:expr])* $variant:ident = $value:expr),* $(,)?
    }) => {
        $(#[doc = $sd])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        $vis struct $name;

        #[allow(missing_docs, dead_code)]
        impl $name {
            $($(#[doc = $d])* pub const $variant: u64 = $value;)*
        }

        impl $crate::names::Present for $name {
            const KNOWN: &'static [zeview_core::model::KnownValue] = &[$(
                zeview_core::model::KnownValue {
                    raw: $value,
                    name: stringify!($variant),
                    doc: concat!($($d),*).trim_ascii(),
                }
            ),*];

            fn present(raw: u64, bits: u8) -> zeview_core::model::Value {
                $crate::names::flags_value(Self::KNOWN, raw, bits)
            }
        }
    };
}

/// Declares the fields of a word, lowest bit first, each with the name of its accessor.
///
/// ```
/// use zeview_decode::names::Decimal;
/// zeview_decode::bit_fields! {
///     /// A word.
///     pub struct Word(u32): "spec, section" {
///         /// The low half.
///         loHalf as low: Decimal = 0..4,
///         /// The high half.
///         hiHalf as high: Decimal = 4..8,
///     }
/// }
/// assert_eq!(Word(0x7a).high(), 7);
/// assert_eq!(Word::FIELDS[1].name, "hiHalf");
/// ```
#[macro_export]
macro_rules! bit_fields {
    ($(#[doc = $sd:expr])* $vis:vis struct $name:ident($repr:ident): $source:literal {
        $($(#[doc = $d:expr])* $field:ident as $get:ident: $present:ty = $low:literal..$high:literal),* $(,)?
    }) => {
        $(#[doc = $sd])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        $vis struct $name(pub $repr);

        #[allow(dead_code)]
        impl $name {
            /// The fields, lowest bit first.
            pub const FIELDS: &'static [$crate::names::BitField] = &[$(
                $crate::names::BitField {
                    name: stringify!($field),
                    low: $low,
                    high: $high,
                    present: <$present as $crate::names::Present>::present,
                    doc: zeview_core::model::Doc::new(concat!($($d),*).trim_ascii(), $source)
                        .known(<$present as $crate::names::Present>::KNOWN),
                }
            ),*];

            $($(#[doc = $d])* pub const fn $get(self) -> $repr {
                (self.0 >> $low) & ($repr::MAX >> ($repr::BITS - ($high - $low)))
            })*
        }
    };
}
