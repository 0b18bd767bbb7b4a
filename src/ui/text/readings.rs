//! Interpretations of bytes as values, and as text for other programs.

use crate::model::text::{escaped, push_byte};

/// A text format for bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ByteForm {
    /// `7f 45 4c 46`.
    Hex,
    /// UTF-8.
    Text,
    /// An array in C.
    C,
    /// An array in Rust.
    Rust,
    /// `bytes` in Python.
    Python,
    /// Base64.
    Base64,
}

impl ByteForm {
    /// All formats with their labels.
    pub const ALL: [(ByteForm, &'static str); 6] = [
        (ByteForm::Hex, "Copy as hex"),
        (ByteForm::Text, "Copy as text"),
        (ByteForm::C, "Copy as C array"),
        (ByteForm::Rust, "Copy as Rust array"),
        (ByteForm::Python, "Copy as Python bytes"),
        (ByteForm::Base64, "Copy as Base64"),
    ];
}

/// An interpretation of the first bytes of a range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    /// Type: `u32`.
    pub name: &'static str,
    /// The value.
    pub text: String,
}

impl Reading {
    /// Creates an interpretation.
    pub fn new(name: &'static str, text: String) -> Reading {
        Reading { name, text }
    }
}

/// The first bytes as little-endian numbers of each width that fits.
pub fn numbers(bytes: &[u8]) -> Vec<Reading> {
    let mut out = Vec::new();
    let mut push = |name, text| out.push(Reading { name, text });
    if let Some([b]) = first::<1>(bytes) {
        push("u8", b.to_string());
        push("i8", (b as i8).to_string());
    }
    if let Some(b) = first::<2>(bytes) {
        push("u16", u16::from_le_bytes(b).to_string());
        push("i16", i16::from_le_bytes(b).to_string());
        push("f16", float(f64::from(half(u16::from_le_bytes(b)))));
    }
    if let Some(b) = first::<4>(bytes) {
        push("u32", u32::from_le_bytes(b).to_string());
        push("i32", i32::from_le_bytes(b).to_string());
        push("f32", float(f64::from(f32::from_le_bytes(b))));
    }
    if let Some(b) = first::<8>(bytes) {
        push("u64", u64::from_le_bytes(b).to_string());
        push("i64", i64::from_le_bytes(b).to_string());
        push("f64", float(f64::from_le_bytes(b)));
    }
    out
}

fn first<const N: usize>(bytes: &[u8]) -> Option<[u8; N]> {
    bytes.get(..N)?.try_into().ok()
}

/// Shortest form, with an exponent for very large and small numbers. In the browser, by JavaScript.
#[cfg(target_arch = "wasm32")]
pub fn float(number: f64) -> String {
    js_sys::Number::from(number)
        .to_string_with_radix(10)
        .map_or_else(|_| String::new(), String::from)
}

/// Shortest form, with an exponent for very large and small numbers.
#[cfg(not(target_arch = "wasm32"))]
pub fn float(number: f64) -> String {
    let size = number.abs();
    if number == 0.0 || !number.is_finite() || (1e-4..1e9).contains(&size) {
        format!("{number}")
    } else {
        format!("{number:e}")
    }
}

/// An IEEE 754 binary16 number.
pub fn half(bits: u16) -> f32 {
    let sign = if bits & 0x8000 == 0 { 1.0 } else { -1.0 };
    let exponent = i32::from((bits >> 10) & 0x1f);
    let fraction = f32::from(bits & 0x3ff);
    sign * match exponent {
        0 => fraction * 2f32.powi(-24),
        31 if fraction == 0.0 => f32::INFINITY,
        31 => f32::NAN,
        _ => (1.0 + fraction / 1024.0) * 2f32.powi(exponent - 15),
    }
}

/// The bytes as text, if they are mostly text.
pub fn text(bytes: &[u8]) -> Option<String> {
    let printable = |b: &&u8| matches!(**b, b' '..=b'~' | b'\n' | b'\r' | b'\t');
    let until_zero = bytes.split(|b| *b == 0).next().unwrap_or(&[]);
    if until_zero.len() < 2 || until_zero.iter().filter(printable).count() != until_zero.len() {
        return None;
    }
    let text = std::str::from_utf8(until_zero).ok()?;
    (!text.trim().is_empty()).then(|| escaped(text))
}

/// Bytes as text for other programs.
pub fn written(bytes: &[u8], form: ByteForm) -> String {
    let len = bytes.len();
    let array = |before: String, after| before + &lines(bytes, "    ", "0x", ", ", "") + after;
    match form {
        ByteForm::Hex => lines(bytes, "", "", " ", ""),
        // A NUL would end the text in many programs.
        ByteForm::Text => String::from_utf8_lossy(bytes).replace('\0', "\u{fffd}"),
        ByteForm::C => array(
            format!("static const uint8_t bytes[{len}] = {{\n"),
            "\n};\n",
        ),
        ByteForm::Rust => array(format!("const BYTES: [u8; {len}] = [\n"), "\n];\n"),
        ByteForm::Python => {
            let body = lines(bytes, "    b\"", "\\x", "", "\"");
            format!("data = (\n{body}\n)\n")
        }
        ByteForm::Base64 => base64(bytes),
    }
}

/// Lines of 16 bytes, with a prefix and suffix per line and per byte.
fn lines(bytes: &[u8], start: &str, before: &str, between: &str, end: &str) -> String {
    let mut out = String::with_capacity(bytes.len() * 6);
    for (number, line) in bytes.chunks(16).enumerate() {
        if number > 0 {
            out.push_str(between.trim_end());
            out.push('\n');
        }
        out.push_str(start);
        for (i, byte) in line.iter().enumerate() {
            if i > 0 {
                out.push_str(between);
            }
            out.push_str(before);
            push_byte(&mut out, *byte);
        }
        out.push_str(end);
    }
    out
}

/// Base64 (RFC 4648, section 4) without line breaks.
fn base64(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len() / 3 * 4 + 4);
    for group in bytes.chunks(3) {
        let byte = |i: usize| u32::from(group.get(i).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for i in 0..4 {
            out.push(match (bits >> (18 - 6 * i)) as u8 & 63 {
                _ if i as usize > group.len() => '=',
                digit @ 0..26 => char::from(b'A' + digit),
                digit @ 26..52 => char::from(b'a' + digit - 26),
                digit @ 52..62 => char::from(b'0' + digit - 52),
                62 => '+',
                _ => '/',
            });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves() {
        for (bits, number) in [
            (0x0000, 0.0),
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x7bff, 65504.0),
            (0x0001, 5.960_464_5e-8),
            (0x7c00, f32::INFINITY),
        ] {
            assert_eq!(half(bits), number, "{bits:#x}");
        }
        assert!(half(0x7e00).is_nan());
    }

    #[test]
    fn as_many_readings_as_bytes() {
        assert_eq!(numbers(&[]).len(), 0);
        assert_eq!(numbers(&[0xff]).len(), 2);
        assert_eq!(numbers(&[0xff; 3]).len(), 5);
        let eight = numbers(&[0xff; 8]);
        let of = |name| {
            eight
                .iter()
                .find(|r| r.name == name)
                .map(|r| r.text.as_str())
        };
        assert_eq!(of("i64"), Some("-1"));
        assert_eq!(of("u64"), Some("18446744073709551615"));
        assert_eq!(of("f64"), Some("NaN"));
    }

    #[test]
    fn text_ends_at_zero() {
        assert_eq!(text(b"abc\0\xff").as_deref(), Some("abc"));
        assert_eq!(text(b"\0abc"), None);
        assert_eq!(text(b"a\x01bc"), None);
    }

    #[test]
    fn arrays() {
        assert_eq!(written(&[0; 17], ByteForm::Hex).lines().count(), 2);
        assert_eq!(
            written(&[1, 0xff], ByteForm::C),
            "static const uint8_t bytes[2] = {\n    0x01, 0xff\n};\n"
        );
        assert!(written(&[0; 17], ByteForm::Rust).contains("0x00,\n    0x00\n"));
        let python = written(&[0x22; 17], ByteForm::Python);
        assert!(
            python.starts_with("data = (\n    b\"\\x22\\x22"),
            "{python}"
        );
        assert!(python.ends_with("\\x22\"\n    b\"\\x22\"\n)\n"), "{python}");
        assert_eq!(written(b"a\0\xff", ByteForm::Text), "a\u{fffd}\u{fffd}");
    }

    #[test]
    fn base64_round_trips() {
        let bytes: Vec<u8> = (0..=255).collect();
        for len in [4, 5, 6, 255, 256] {
            let text = written(&bytes[..len], ByteForm::Base64);
            // Four digits are also valid hex.
            let url = format!("data:;base64,{text}");
            assert_eq!(
                crate::ui::text::paste::bytes(&url).as_deref(),
                Some(&bytes[..len])
            );
        }
        assert_eq!(written(b"\xfb\xff", ByteForm::Base64), "+/8=");
    }
}
