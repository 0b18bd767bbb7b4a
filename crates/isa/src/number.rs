//! Numbers in the assembler's notation.

use std::fmt::{self, LowerExp, Write as _};
use std::str::FromStr;

/// Appends a decimal number. Optimized for numbers as small as those of registers.
#[inline]
pub fn push_decimal(out: &mut String, value: u64) {
    match u8::try_from(value) {
        Ok(small @ 0..10) => out.push(char::from(b'0' + small)),
        Ok(small @ 10..100) => {
            out.push(char::from(b'0' + small / 10));
            out.push(char::from(b'0' + small % 10));
        }
        _ => push_large(out, value),
    }
}

fn push_large(out: &mut String, value: u64) {
    push_decimal(out, value / 100);
    let [rest, ..] = (value % 100).to_le_bytes();
    out.push(char::from(b'0' + rest / 10));
    out.push(char::from(b'0' + rest % 10));
}

/// Appends a signed decimal number.
pub fn push_signed(out: &mut String, value: i64) {
    if value < 0 {
        out.push('-');
    }
    push_decimal(out, value.unsigned_abs());
}

/// Appends `0x` and at least `width` upper-case digits.
pub fn push_hex(out: &mut String, value: u64, width: u32) {
    out.push_str("0x");
    let needed = (64 - value.leading_zeros()).div_ceil(4).max(1);
    for at in (0..needed.max(width)).rev() {
        let digit = value.checked_shr(at * 4).unwrap_or_default() & 0xf;
        let digit = digit.to_le_bytes()[0];
        out.push(char::from(match digit {
            0..=9 => b'0' + digit,
            _ => b'A' + digit - 10,
        }));
    }
}

/// Appends a signed hexadecimal number, sign first.
pub fn push_signed_hex(out: &mut String, value: i64) {
    if value < 0 {
        out.push('-');
    }
    push_hex(out, value.unsigned_abs(), 0);
}

/// Converts half-precision to single-precision bits.
fn half_to_single(bits: u16) -> u32 {
    let sign = u32::from(bits >> 15) << 31;
    let exponent = u32::from(bits >> 10) & 0x1f;
    let fraction = u32::from(bits) & 0x3ff;
    sign | match (exponent, fraction) {
        (0, 0) => 0,
        (0, fraction) => {
            let shift = fraction.leading_zeros() - 21;
            ((113 - shift) << 23) | ((fraction << shift) & 0x3ff) << 13
        }
        (0x1f, fraction) => 0x7f80_0000 | fraction << 13,
        _ => (exponent + 112) << 23 | fraction << 13,
    }
}

/// Appends a single-precision float.
pub fn push_single(out: &mut String, bits: u32) {
    let value = f32::from_bits(bits);
    if value.is_nan() {
        let quiet = bits & 0x0040_0000 != 0;
        return push_nan(out, bits >> 31 != 0, quiet, u64::from(bits & 0x003f_ffff));
    }
    if !push_shortest(out, value, f64::from(value), f32::MIN_POSITIVE.into()) {
        push_hex(out, bits.into(), 0);
    }
}

/// Appends a half-precision float, with the digits of single precision.
pub fn push_half(out: &mut String, bits: u16) {
    let value = f32::from_bits(half_to_single(bits));
    if value.is_nan() {
        // The payload is that of the half, not of the wider number.
        let quiet = bits & 0x200 != 0;
        return push_nan(out, bits >> 15 != 0, quiet, u64::from(bits & 0x1ff));
    }
    if !push_shortest(out, value, f64::from(value), f32::MIN_POSITIVE.into()) {
        push_hex(out, bits.into(), 0);
    }
}

/// Appends a double-precision float.
pub fn push_double(out: &mut String, bits: u64) {
    let value = f64::from_bits(bits);
    if value.is_nan() {
        let quiet = bits & (1 << 51) != 0;
        return push_nan(out, bits >> 63 != 0, quiet, bits & ((1 << 51) - 1));
    }
    if !push_shortest(out, value, value, f64::MIN_POSITIVE) {
        push_hex(out, bits, 0);
    }
}

fn push_nan(out: &mut String, negative: bool, quiet: bool, payload: u64) {
    if negative {
        out.push('-');
    }
    out.push_str(if quiet { "qnan(" } else { "snan(" });
    push_hex(out, payload, 0);
    out.push(')');
}

/// Appends the six digits of C's `%g` if they round-trip, else the seven of `%e`. Returns whether
/// either does. `wide` is the same value; from `normal` on floats have full precision.
fn push_shortest<F>(out: &mut String, value: F, wide: f64, normal: f64) -> bool
where
    F: LowerExp + FromStr + PartialEq,
{
    if wide.is_infinite() {
        out.push_str(if wide > 0.0 { "inf" } else { "-inf" });
        return true;
    }
    // Whole numbers below a million are written with all digits.
    if wide.abs() < 1e6 && wide.trunc() == wide {
        if wide.is_sign_negative() {
            out.push('-');
        }
        push_whole(out, wide.abs());
        out.push_str(".0");
        return true;
    }
    if wide.abs() >= normal {
        return push_few(out, &value);
    }
    let start = out.len();
    let same = |out: &str| {
        let text = out.get(start..).unwrap_or_default();
        text.parse::<F>().is_ok_and(|read| read == value)
    };
    let mut digits = Short::default();
    if write!(digits, "{value:.5e}").is_ok() {
        push_general(out, digits.text());
        if same(out) {
            if !out.get(start..).unwrap_or_default().contains(['.', 'e']) {
                out.push_str(".0");
            }
            return true;
        }
    }
    out.truncate(start);
    let mut digits = Short::default();
    if write!(digits, "{value:.6e}").is_ok() {
        push_scientific(out, digits.text());
        if same(out) {
            return true;
        }
    }
    out.truncate(start);
    false
}

/// Does the same for a full-precision float. Six decimal digits are less precise, so at most one
/// such number round-trips: if the shortest text has no more digits, it is that number. With seven,
/// the shortest text is the closest to the float.
fn push_few(out: &mut String, value: &impl LowerExp) -> bool {
    let mut digits = Short::default();
    if write!(digits, "{value:e}").is_err() {
        return false;
    }
    let text = digits.text();
    let before = text.split_once('e').map_or("", |(digits, _)| digits);
    let count = before.bytes().filter(u8::is_ascii_digit).count();
    match count {
        0..=6 => {
            let start = out.len();
            push_general(out, text);
            if !out.get(start..).unwrap_or_default().contains(['.', 'e']) {
                out.push_str(".0");
            }
        }
        7 => push_scientific(out, text),
        _ => return false,
    }
    true
}

/// Appends a whole number below a million.
fn push_whole(out: &mut String, value: f64) {
    let mut whole = 0_u64;
    // Works bit by bit, because there is no lossless conversion.
    for bit in (0..20).rev() {
        let with = whole | 1 << bit;
        if f64::from(u32::try_from(with).unwrap_or(u32::MAX)) <= value {
            whole = with;
        }
    }
    push_decimal(out, whole);
}

/// A short text on the stack.
#[derive(Default)]
struct Short {
    bytes: [u8; 24],
    len: usize,
}

impl Short {
    fn text(&self) -> &str {
        let bytes = self.bytes.get(..self.len).unwrap_or_default();
        std::str::from_utf8(bytes).unwrap_or_default()
    }
}

impl fmt::Write for Short {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let end = self.len + text.len();
        let place = self.bytes.get_mut(self.len..end).ok_or(fmt::Error)?;
        place.copy_from_slice(text.as_bytes());
        self.len = end;
        Ok(())
    }
}

/// Converts Rust's `1.5e-7` to C's `1.5e-07`.
fn push_scientific(out: &mut String, text: &str) {
    let (digits, exponent) = text.split_once('e').unwrap_or((text, "0"));
    out.push_str(digits);
    push_exponent(out, exponent);
}

fn push_exponent(out: &mut String, exponent: &str) {
    let (sign, exponent) = match exponent.strip_prefix('-') {
        Some(exponent) => ("e-", exponent),
        None => ("e+", exponent),
    };
    out.push_str(sign);
    if exponent.len() < 2 {
        out.push('0');
    }
    out.push_str(exponent);
}

/// Appends scientific notation in the style of `%g`: without trailing zeros, and plain between 1e-4
/// and 1e6.
fn push_general(out: &mut String, text: &str) {
    let (digits, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let digits = match digits.strip_prefix('-') {
        Some(digits) => {
            out.push('-');
            digits
        }
        None => digits,
    };
    // A digit, a point, and five more digits.
    let (first, rest) = digits.split_once('.').unwrap_or((digits, ""));
    let rest = rest.trim_end_matches('0');
    let places = exponent.parse().unwrap_or(0_i32);
    match places {
        -4..0 => {
            out.push_str("0.");
            for _ in places..-1 {
                out.push('0');
            }
            out.push_str(first);
            out.push_str(rest);
        }
        0..6 => {
            let whole = places.unsigned_abs() as usize;
            out.push_str(first);
            let (before, after) = rest.split_at_checked(whole).unwrap_or((rest, ""));
            out.push_str(before);
            for _ in before.len()..whole {
                out.push('0');
            }
            if !after.is_empty() {
                out.push('.');
                out.push_str(after);
            }
        }
        _ => {
            out.push_str(first);
            if !rest.is_empty() {
                out.push('.');
                out.push_str(rest);
            }
            push_exponent(out, exponent);
        }
    }
}
