//! One line of a property set's text.
//!
//! ```text
//! [category]        from the first `[` to the last `]`
//! key=type|value    the key to the first `=`, the type to the first `|` after it
//! ```

use std::ops::Range;

use super::base64;
use crate::rule::Rule;
use crate::rules;

/// A parsed line; ranges count from its first byte.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Line {
    /// The name of a set that starts here.
    Set(Range<usize>),
    /// A property.
    Property(Parts),
    /// A malformed line.
    Wrong(&'static str),
}

/// The parts of a property.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parts {
    /// The key, from the start of the line.
    pub key: Range<usize>,
    /// The type.
    pub kind: Range<usize>,
    /// The value, to the end of the line.
    pub value: Range<usize>,
}

/// An error in a property, and its location.
pub struct LineError {
    /// The rule.
    pub rule: &'static Rule,
    /// The bytes of the line.
    pub at: Range<usize>,
    /// The message.
    pub message: String,
}

/// A property's type and value.
pub struct Reading {
    /// The number of the type, if it is valid.
    pub kind: u64,
    /// The value.
    pub value: Read,
}

/// A decoded value.
pub enum Read {
    /// Type 1.
    Number(u64),
    /// Type 2: the bit count and the bytes.
    Bytes(u64, Vec<u8>),
}

/// Parses a line without its line break; the line must not be empty.
pub fn read(line: &[u8]) -> Line {
    let find = |byte: u8, from: usize| {
        let rest = line.get(from..)?;
        Some(from + rest.iter().position(|b| *b == byte)?)
    };
    if line.first() == Some(&b'[') {
        return match line.iter().rposition(|b| *b == b']') {
            Some(end) => Line::Set(1..end),
            None => Line::Wrong("the name of the set does not end with ]"),
        };
    }
    let equals = find(b'=', 0).filter(|at| *at > 0);
    let Some(equals) = equals.filter(|at| at + 1 < line.len()) else {
        return Line::Wrong("not a property: expected key=type|value");
    };
    let bar = find(b'|', equals).filter(|at| *at > equals + 1);
    let Some(bar) = bar.filter(|at| at + 1 < line.len()) else {
        return Line::Wrong("missing type or value: expected key=type|value");
    };
    Line::Property(Parts {
        key: 0..equals,
        kind: equals + 1..bar,
        value: bar + 1..line.len(),
    })
}

/// The type and value of a property.
///
/// # Errors
///
/// Returns an error if one of them is invalid.
pub fn value(line: &[u8], parts: &Parts) -> Result<Reading, LineError> {
    let bytes = |range: &Range<usize>| line.get(range.clone()).unwrap_or(&[]);
    let text_at = |range: &Range<usize>| String::from_utf8_lossy(bytes(range)).into_owned();
    let wrong = |rule, at: &Range<usize>, message| LineError {
        rule,
        at: at.clone(),
        message,
    };
    let kind = decimal(bytes(&parts.kind));
    let value = match kind {
        Some(1) => {
            let number = decimal(bytes(&parts.value)).filter(|n| u32::try_from(*n).is_ok());
            Read::Number(number.ok_or_else(|| {
                let text = text_at(&parts.value);
                let message = format!("{text:?} is not a 32-bit decimal number");
                wrong(&rules::PROPERTY_NUMBER, &parts.value, message)
            })?)
        }
        Some(2) => {
            let (bits, bytes) = base64::value(bytes(&parts.value)).map_err(|fault| {
                let (rule, message) = describe(fault);
                let at = match fault {
                    base64::Fault::Character(at) => {
                        let start = parts.value.start.saturating_add(at);
                        start..start.saturating_add(1)
                    }
                    _ => parts.value.clone(),
                };
                wrong(rule, &at, message)
            })?;
            Read::Bytes(bits, bytes)
        }
        _ => {
            let text = text_at(&parts.kind);
            let message = format!("unknown type {text:?}: expected 1 (number) or 2 (bytes)");
            return Err(wrong(&rules::PROPERTY_TYPE, &parts.kind, message));
        }
    };
    let kind = kind.unwrap_or(0);
    Ok(Reading { kind, value })
}

fn describe(fault: base64::Fault) -> (&'static Rule, String) {
    use base64::Fault;
    match fault {
        Fault::Length => (
            &rules::PROPERTY_BASE64,
            "invalid number of digits: one more than a multiple of 4".to_owned(),
        ),
        Fault::Character(_) => (&rules::PROPERTY_BASE64, "invalid base64 digit".to_owned()),
        Fault::NoCount => (
            &rules::PROPERTY_BITS,
            "the value ends within its bit count".to_owned(),
        ),
        Fault::Count { bits, bytes } => (
            &rules::PROPERTY_BITS,
            format!("the bit count is {bits}, but {bytes} bytes follow"),
        ),
    }
}

/// Parses decimal digits; rejects anything else.
pub fn decimal(text: &[u8]) -> Option<u64> {
    if text.is_empty() || !text.iter().all(u8::is_ascii_digit) {
        return None;
    }
    std::str::from_utf8(text).ok()?.parse().ok()
}

/// The ranges of the non-blank lines, without their line breaks. The text ends at a NUL, as it does
/// for other readers.
pub fn lines(text: &[u8]) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let rest = text.get(at..).filter(|rest| !rest.is_empty())?;
            let start = at;
            let len = rest.iter().position(|b| matches!(b, b'\n' | 0));
            let line = rest.get(..len.unwrap_or(rest.len())).unwrap_or(rest);
            let (line, next) = match len.and_then(|len| rest.get(len)) {
                Some(b'\n') => (
                    line.strip_suffix(b"\r").unwrap_or(line),
                    start + line.len() + 1,
                ),
                _ => (line, text.len()),
            };
            at = next;
            if !line.is_empty() {
                return Some(start..start + line.len());
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn non_blank_lines(text: &[u8]) -> Vec<&[u8]> {
        lines(text).map(|line| &text[line]).collect()
    }

    #[test]
    fn lines_end_at_line_breaks_and_nul() {
        let none: [&[u8]; 0] = [];
        assert_eq!(non_blank_lines(b""), none);
        assert_eq!(non_blank_lines(b"\n\r\n\n"), none);
        assert_eq!(non_blank_lines(b"a\nb"), [b"a", b"b"]);
        assert_eq!(non_blank_lines(b"\n\na\r\nb\r\n"), [b"a", b"b"]);
        assert_eq!(non_blank_lines(b"a\0b\nc\n"), [b"a"]);
        assert_eq!(non_blank_lines(b"a\rb"), [b"a\rb"]);
    }

    #[test]
    fn parts_of_a_line() {
        let parts = |key, kind, value| Line::Property(Parts { key, kind, value });
        assert_eq!(read(b"[SYCL/x]"), Line::Set(1..7));
        assert_eq!(read(b"[a]b]c"), Line::Set(1..4));
        assert_eq!(read(b"[]"), Line::Set(1..1));
        assert_eq!(read(b"k=1|7"), parts(0..1, 2..3, 4..5));
        assert_eq!(
            read(b"void f<int, 3>|x=2|A=|b"),
            parts(0..16, 17..18, 19..23)
        );
        for line in [
            "[x", "k", "=1|1", "k=", "k=1", "k=1|", "k=|1", "# no", "k|1=",
        ] {
            let Line::Wrong(_) = read(line.as_bytes()) else {
                panic!("{line} is a property");
            };
        }
    }

    #[test]
    fn values_by_type() {
        let rule_of = |line: &str| {
            let Line::Property(parts) = read(line.as_bytes()) else {
                panic!("{line} is not a property");
            };
            value(line.as_bytes(), &parts).err().map(|w| w.rule.id)
        };
        for line in ["k=1|0", "k=1|4294967295", "k=2|AAAAAAAAAAA", "k=1|007"] {
            assert_eq!(rule_of(line), None, "{line}");
        }
        for line in ["k=0|1", "k=3|1", "k=+1|1", "k= 1|1", "k=4294967297|1"] {
            assert_eq!(rule_of(line), Some(rules::PROPERTY_TYPE.id), "{line}");
        }
        for line in [
            "k=1|4294967296",
            "k=1|-1",
            "k=1|0x1",
            "k=1| 1",
            "k=1|99999999999999999999",
        ] {
            assert_eq!(rule_of(line), Some(rules::PROPERTY_NUMBER.id), "{line}");
        }
        assert_eq!(rule_of("k=2|A"), Some(rules::PROPERTY_BASE64.id));
        assert_eq!(rule_of("k=2|IAAAAAAAAAA"), Some(rules::PROPERTY_BITS.id));
    }
}
