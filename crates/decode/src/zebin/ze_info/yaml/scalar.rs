//! Single values: quotes, escapes, and the runtime's interpretation of numbers and booleans.

use std::borrow::Cow;

use super::Style;

/// A scalar or key without its quotes and escapes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Decoded<'t> {
    /// The text.
    pub text: Cow<'t, str>,
    /// Whether invalid UTF-8 was replaced, or an escape was left unchanged.
    pub lossy: bool,
}

/// Decodes the exact bytes of a scalar or key.
pub(super) fn decode(bytes: &[u8], style: Style) -> Decoded<'_> {
    match style {
        Style::Plain | Style::Block => utf8(bytes),
        Style::SingleQuoted => {
            let mut decoded = utf8(between_quotes(bytes));
            if decoded.text.contains('\'') {
                decoded.text = Cow::Owned(decoded.text.replace("''", "'"));
            }
            decoded
        }
        Style::DoubleQuoted => {
            let inside = between_quotes(bytes);
            if inside.contains(&b'\\') {
                unescape(inside)
            } else {
                utf8(inside)
            }
        }
    }
}

fn utf8(bytes: &[u8]) -> Decoded<'_> {
    // Several times as fast if nothing has to be replaced, which is almost always.
    match std::str::from_utf8(bytes) {
        Ok(text) => Decoded {
            text: text.into(),
            lossy: false,
        },
        Err(_) => Decoded {
            text: String::from_utf8_lossy(bytes),
            lossy: true,
        },
    }
}

/// The bytes between the quotes; the closing one may be missing.
fn between_quotes(bytes: &[u8]) -> &[u8] {
    match quoted_len(bytes) {
        Some(len) => bytes.get(1..len.saturating_sub(1)),
        None => bytes.get(1..),
    }
    .unwrap_or_default()
}

/// The length, with both quotes, of the quoted text at the start of `line`. Returns `None` if it is
/// not closed.
///
/// This is YAML's rule. The runtime ends single-quoted text at the first quote
/// (observed with release 26.27), so it reads `'it''s'`, which IGC writes, as `it`.
pub(super) fn quoted_len(line: &[u8]) -> Option<usize> {
    let (&quote, rest) = line.split_first()?;
    let mut bytes = rest.iter().zip(2..).peekable();
    while let Some((&byte, len)) = bytes.next() {
        if byte == b'\\' && quote == b'"' {
            bytes.next();
        } else if byte == quote {
            let doubled = quote == b'\'' && bytes.peek().is_some_and(|&(&next, _)| next == quote);
            if !doubled {
                return Some(len);
            }
            bytes.next();
        }
    }
    None
}

/// The first escape that YAML does not define, as a range in `quoted`.
pub(super) fn bad_escape(quoted: &[u8]) -> Option<(usize, usize)> {
    let mut at = 0;
    loop {
        let rest = quoted.get(at..)?;
        let start = at + rest.iter().position(|&byte| byte == b'\\')?;
        match escape(quoted.get(start + 1..)?) {
            Some((_, len)) => at = start + 1 + len,
            None => return Some((start, quoted.len().min(start + 2))),
        }
    }
}

fn unescape(mut bytes: &[u8]) -> Decoded<'static> {
    let mut text = String::with_capacity(bytes.len());
    let mut lossy = false;
    let mut literal = |bytes: &[u8]| {
        let decoded = utf8(bytes);
        lossy |= decoded.lossy;
        decoded.text.into_owned()
    };
    let mut incomplete = false;
    while let Some((before, after)) = split_at_backslash(bytes) {
        text.push_str(&literal(before));
        if let Some((char, len)) = escape(after) {
            text.push(char);
            bytes = after.get(len..).unwrap_or_default();
        } else {
            text.push('\\');
            incomplete = true;
            bytes = after;
        }
    }
    text.push_str(&literal(bytes));
    Decoded {
        text: Cow::Owned(text),
        lossy: lossy || incomplete,
    }
}

fn split_at_backslash(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = bytes.iter().position(|&byte| byte == b'\\')?;
    Some((bytes.get(..at)?, bytes.get(at + 1..)?))
}

/// The escape after a backslash: the character and the number of bytes.
/// YAML 1.2.2, "5.7. Escaped Characters".
fn escape(after: &[u8]) -> Option<(char, usize)> {
    let simple = match *after.first()? {
        b'0' => '\0',
        b'a' => '\x07',
        b'b' => '\x08',
        b't' | b'\t' => '\t',
        b'n' => '\n',
        b'v' => '\x0b',
        b'f' => '\x0c',
        b'r' => '\r',
        b'e' => '\x1b',
        b'N' => '\u{85}',
        b'_' => '\u{a0}',
        b'L' => '\u{2028}',
        b'P' => '\u{2029}',
        byte @ (b' ' | b'"' | b'/' | b'\\') => char::from(byte),
        b'x' => return code_point(after, 2),
        b'u' => return code_point(after, 4),
        b'U' => return code_point(after, 8),
        _ => return None,
    };
    Some((simple, 1))
}

fn code_point(after: &[u8], digits: usize) -> Option<(char, usize)> {
    let hex = std::str::from_utf8(after.get(1..=digits)?).ok()?;
    Some((
        char::from_u32(u32::try_from(hexadecimal(hex)?).ok()?)?,
        1 + digits,
    ))
}

/// Digits only: Rust's own parser also accepts a sign.
fn hexadecimal(digits: &str) -> Option<i64> {
    if digits.starts_with(['+', '-']) {
        return None;
    }
    i64::from_str_radix(digits, 16).ok()
}

/// An integer as the runtime reads it: decimal, where leading zeros do not mean octal, with
/// an optional sign, or hexadecimal with `0x`. compute-runtime, `yaml_parser.cpp`
/// (`readValueChecked`); observed with release 26.27, where `1e1`, `32.0`, `0x`, `[ 32 ]` and
/// quoted numbers are no integers, and neither is what does not fit into the type of the key.
pub fn as_int(text: &str) -> Option<i64> {
    if let Some(digits) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        return hexadecimal(digits);
    }
    // Rust's parser accepts what the runtime accepts: a sign, then digits.
    text.parse().ok()
}

/// A boolean as the runtime reads it: `y`, `yes`, `true`, `on` and `n`, `no`, `false`, `off`
/// in upper and lower case, mixed too (`tRUE`; observed with release 26.27). `0`, `1`, `t`
/// and quoted text are no booleans. compute-runtime, `yaml_parser.cpp`.
pub fn as_bool(text: &str) -> Option<bool> {
    let matches = |word: &&str| text.eq_ignore_ascii_case(word);
    if ["true", "y", "yes", "on"].iter().any(matches) {
        Some(true)
    } else if ["false", "n", "no", "off"].iter().any(matches) {
        Some(false)
    } else {
        None
    }
}
