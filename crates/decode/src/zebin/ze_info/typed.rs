//! Converts a value to the type of its key.

use std::borrow::Cow;

use super::ZeInfo;
use super::schema::{EnumValue, Key, Table, Type};
use super::yaml::{self, Index, Kind, Node, ROOT, Style};
use zeview_core::model::{Radix, Value};

/// The result of checking a value against its type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fit {
    /// The value has the type.
    Fits,
    /// The value has another type.
    Differs,
    /// The sequence has this number of values instead of three.
    Length(usize),
    /// The word is not in the enumeration.
    UnknownWord,
    /// The value is YAML that is not decoded here.
    Unknown,
}

impl ZeInfo {
    /// The integer in a plain scalar.
    pub fn int(&self, node: &Node) -> Option<i64> {
        if node.kind != Kind::Scalar || node.style != Style::Plain {
            return None;
        }
        let digits = node.value.of(&self.text);
        // The usual case: few decimal digits.
        if digits.len() < 10 && digits.iter().all(u8::is_ascii_digit) && !digits.is_empty() {
            let sum = |sum: i64, digit: &u8| sum * 10 + i64::from(digit - b'0');
            return Some(digits.iter().fold(0, sum));
        }
        yaml::as_int(std::str::from_utf8(digits).ok()?)
    }

    /// The integer in a plain scalar, if it fits into 32 bits.
    pub fn int32(&self, node: &Node) -> Option<i64> {
        self.int(node)
            .filter(|number| i32::try_from(*number).is_ok())
    }

    /// The boolean in a plain scalar.
    pub fn boolean(&self, node: &Node) -> Option<bool> {
        if node.kind != Kind::Scalar || node.style != Style::Plain {
            return None;
        }
        yaml::as_bool(std::str::from_utf8(node.value.of(&self.text)).ok()?)
    }

    /// The floating-point number in a plain scalar.
    pub fn float(&self, node: &Node) -> Option<f64> {
        if node.kind != Kind::Scalar || node.style != Style::Plain {
            return None;
        }
        std::str::from_utf8(node.value.of(&self.text))
            .ok()?
            .parse()
            .ok()
    }

    /// The text of a scalar; empty for an absent value.
    pub fn str(&self, index: Index) -> Cow<'_, str> {
        self.yaml.scalar_text(&self.text, index).text
    }

    /// The three numbers of a sequence.
    pub fn ints(&self, index: Index) -> Option<[i64; 3]> {
        let mut numbers = self.yaml.values(index).map(|(_, node)| self.int32(node));
        let three = [numbers.next()??, numbers.next()??, numbers.next()??];
        numbers.next().is_none().then_some(three)
    }

    /// The value of a key; the last one of duplicates, as in the driver.
    pub(super) fn last(&self, mapping: Index, key: &str) -> Option<Index> {
        self.yaml.get_all(&self.text, mapping, key).next_back()
    }

    /// The table of a mapping's keys. For an entry of a sequence, the table of the mapping that it
    /// should be.
    pub(super) fn table_of(&self, mapping: Index) -> Option<&'static Table> {
        self.table_above(mapping, 16)
    }

    fn table_above(&self, index: Index, depth: u32) -> Option<&'static Table> {
        let node = self.yaml.node(index)?;
        let parent = self.yaml.parent(index)?;
        if parent == ROOT {
            return node.kind.is_mapping().then_some(&super::schema::CONTAINER);
        }
        let depth = depth.checked_sub(1)?;
        match node.key() {
            Some(_) => {
                let table = self.table_above(parent, depth)?;
                self.key_in(table, index, node)?.table_of_value()
            }
            None => self.key_of_list(parent, depth)?.table_of_entries(),
        }
    }

    /// The key of a sequence.
    pub(super) fn list_key(&self, list: Index) -> Option<&'static Key> {
        self.key_of_list(list, 16)
    }

    fn key_of_list(&self, list: Index, depth: u32) -> Option<&'static Key> {
        let node = self.yaml.node(list)?;
        node.key()?;
        self.key_in(
            self.table_above(self.yaml.parent(list)?, depth)?,
            list,
            node,
        )
    }

    /// The key of a node, in a table.
    pub(super) fn key_in(
        &self,
        table: &'static Table,
        index: Index,
        node: &Node,
    ) -> Option<&'static Key> {
        table.key(&self.key_bytes(index, node)?)
    }

    /// A key without quotes and escapes.
    pub(super) fn key_bytes(&self, index: Index, node: &Node) -> Option<Cow<'_, [u8]>> {
        let key = node.key()?.of(&self.text);
        if node.key_style == Some(Style::Plain) {
            return Some(Cow::Borrowed(key));
        }
        let decoded = self.yaml.key_text(&self.text, index)?;
        Some(Cow::Owned(decoded.text.into_owned().into_bytes()))
    }

    /// Checks a value against the type of its key.
    pub(super) fn fit(&self, index: Index, node: &Node, ty: Type) -> Fit {
        let fit = |fits: bool| if fits { Fit::Fits } else { Fit::Differs };
        let scalar = node.kind == Kind::Scalar;
        if scalar && self.is_foreign(node) {
            return Fit::Unknown;
        }
        match ty {
            Type::Int32 => fit(self.int32(node).is_some()),
            Type::Int64 => fit(self.int(node).is_some()),
            Type::Float => fit(self.float(node).is_some()),
            Type::Bool => fit(self.boolean(node).is_some()),
            Type::Str => fit(scalar),
            Type::Enum(_) if scalar => match self.word(index, node, ty) {
                Some(_) => Fit::Fits,
                None => Fit::UnknownWord,
            },
            Type::Int32x3 if node.kind.is_sequence() => {
                let values = self.yaml.values(index);
                let (count, numbers) = values.fold((0, 0), |(count, numbers), (_, value)| {
                    let number = usize::from(self.int32(value).is_some());
                    (count + 1, numbers + number)
                });
                match (count, numbers) {
                    (3, 3) => Fit::Fits,
                    (count, numbers) if count == numbers => Fit::Length(count),
                    _ => Fit::Differs,
                }
            }
            Type::Strings => fit(node.kind.is_sequence()
                && self
                    .yaml
                    .values(index)
                    .all(|(_, value)| value.kind == Kind::Scalar)),
            // A list without entries may be written without a value.
            Type::Sequence(_) => fit(node.kind.is_sequence() || node.kind == Kind::Null),
            Type::Mapping(_) => fit(node.kind.is_mapping() || node.kind == Kind::Null),
            Type::Either(_) => fit(node.kind.is_collection() || node.kind == Kind::Null),
            Type::Enum(_) | Type::Int32x3 => Fit::Differs,
        }
    }

    /// The enumeration value of a scalar.
    pub(super) fn word(&self, index: Index, node: &Node, ty: Type) -> Option<&'static EnumValue> {
        let Type::Enum(list) = ty else { return None };
        match (node.kind, node.style) {
            (Kind::Scalar, Style::Plain) => list.value(node.value.of(&self.text)),
            (Kind::Scalar, _) => list.value(self.str(index).as_bytes()),
            _ => None,
        }
    }

    /// Returns whether only a general YAML reader can decode the scalar: an alias, a block scalar.
    fn is_foreign(&self, node: &Node) -> bool {
        match node.style {
            Style::Block => true,
            Style::Plain => node.value.of(&self.text).starts_with(b"*"),
            _ => false,
        }
    }

    /// A scalar as a value of its type, or as the type that it appears to have.
    pub(super) fn value(&self, index: Index, node: &Node, ty: Option<Type>) -> Value {
        if node.kind == Kind::Null {
            return Value::None;
        }
        let bits = match ty {
            Some(Type::Int32 | Type::Int32x3) => 32,
            _ => 64,
        };
        let found = match ty {
            None => self.plain_value(node),
            Some(Type::Int32 | Type::Int32x3) => {
                self.int32(node).map(|n| self.number(node, n, bits))
            }
            Some(Type::Int64) => self.int(node).map(|n| self.number(node, n, bits)),
            Some(Type::Float) => self.float(node).map(Value::Float),
            Some(Type::Bool) => self.boolean(node).map(Value::Bool),
            Some(_) => None,
        };
        found.unwrap_or_else(|| {
            let decoded = self.yaml.scalar_text(&self.text, index);
            Value::Text {
                text: decoded.text.into_owned().into(),
                lossy: decoded.lossy,
            }
        })
    }

    /// The value of a scalar of unknown type.
    fn plain_value(&self, node: &Node) -> Option<Value> {
        if let Some(number) = self.int(node) {
            return Some(self.number(node, number, 64));
        }
        match node.value.of(&self.text) {
            // Of unknown keys, only the spelling that IGC writes: `on` or `y` may be a text.
            b"true" if node.style == Style::Plain => Some(Value::Bool(true)),
            b"false" if node.style == Style::Plain => Some(Value::Bool(false)),
            _ => None,
        }
    }

    /// A number, in the base in which it is written.
    fn number(&self, node: &Node, number: i64, bits: u8) -> Value {
        let written = node.value.of(&self.text);
        let hex = written.starts_with(b"0x") || written.starts_with(b"0X");
        match u64::try_from(number) {
            Ok(raw) => Value::Unsigned {
                raw,
                bits,
                radix: if hex { Radix::Hex } else { Radix::Decimal },
                symbol: None,
            },
            Err(_) => Value::Signed { raw: number, bits },
        }
    }
}
