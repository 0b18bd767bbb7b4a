//! Numbers as the assembler writes them.

/// Appends a decimal number.
pub fn push_decimal(out: &mut String, value: u64) {
    let digit = |value: u64| char::from(b'0' + (value % 10).to_le_bytes()[0]);
    if value < 10 {
        return out.push(digit(value));
    }
    let mut power = 10_u64;
    while value / power >= 10 {
        power *= 10;
    }
    while power > 0 {
        out.push(digit(value / power));
        power /= 10;
    }
}

/// Appends a signed decimal number.
pub fn push_signed(out: &mut String, value: i64) {
    if value < 0 {
        out.push('-');
    }
    push_decimal(out, value.unsigned_abs());
}

/// Appends `0x` and a number with upper-case digits, of at least `width`.
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

/// Appends a signed hexadecimal number, the sign in front.
pub fn push_signed_hex(out: &mut String, value: i64) {
    if value < 0 {
        out.push('-');
    }
    push_hex(out, value.unsigned_abs(), 0);
}

/// A float of half precision as one of single precision: the bits.
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

/// Appends a float of single precision.
pub fn push_single(out: &mut String, bits: u32) {
    let value = f32::from_bits(bits);
    if value.is_nan() {
        let quiet = bits & 0x0040_0000 != 0;
        return push_nan(out, bits >> 31 != 0, quiet, u64::from(bits & 0x003f_ffff));
    }
    if value.is_infinite() {
        out.push_str(if value > 0.0 { "inf" } else { "-inf" });
        return;
    }
    let same = |text: &str| text.parse::<f32>().is_ok_and(|v| v == value);
    push_shortest(
        out,
        &format!("{value:.5e}"),
        &format!("{value:.6e}"),
        &same,
        u64::from(bits),
    );
}

/// Appends a float of half precision, with the digits of single precision.
pub fn push_half(out: &mut String, bits: u16) {
    let single = half_to_single(bits);
    let value = f32::from_bits(single);
    if value.is_nan() {
        let quiet = bits & 0x200 != 0;
        return push_nan(out, bits >> 15 != 0, quiet, u64::from(bits & 0x1ff));
    }
    let mut text = String::new();
    push_single(&mut text, single);
    match text.starts_with("0x") {
        true => push_hex(out, bits.into(), 0),
        false => out.push_str(&text),
    }
}

/// Appends a float of double precision.
pub fn push_double(out: &mut String, bits: u64) {
    let value = f64::from_bits(bits);
    if value.is_nan() {
        let quiet = bits & (1 << 51) != 0;
        return push_nan(out, bits >> 63 != 0, quiet, bits & ((1 << 51) - 1));
    }
    if value.is_infinite() {
        out.push_str(if value > 0.0 { "inf" } else { "-inf" });
        return;
    }
    let same = |text: &str| text.parse::<f64>().is_ok_and(|v| v == value);
    push_shortest(
        out,
        &format!("{value:.5e}"),
        &format!("{value:.6e}"),
        &same,
        bits,
    );
}

fn push_nan(out: &mut String, negative: bool, quiet: bool, payload: u64) {
    if negative {
        out.push('-');
    }
    out.push_str(if quiet { "qnan(" } else { "snan(" });
    push_hex(out, payload, 0);
    out.push(')');
}

/// The six digits that C's `%g` writes if they say the same, else the seven of `%e`, else the
/// bits.
fn push_shortest(out: &mut String, six: &str, seven: &str, same: &dyn Fn(&str) -> bool, bits: u64) {
    let short = general(six);
    if same(&short) {
        out.push_str(&short);
        if !short.contains(['.', 'e']) {
            out.push_str(".0");
        }
        return;
    }
    let long = scientific(seven);
    if same(&long) {
        out.push_str(&long);
        return;
    }
    push_hex(out, bits, 0);
}

/// Rust's `1.5e-7` as C's `1.5e-07`.
fn scientific(text: &str) -> String {
    let (digits, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let (sign, exponent) = match exponent.strip_prefix('-') {
        Some(exponent) => ('-', exponent),
        None => ('+', exponent),
    };
    let mut out = String::from(digits);
    out.push('e');
    out.push(sign);
    if exponent.len() < 2 {
        out.push('0');
    }
    out.push_str(exponent);
    out
}

/// Scientific notation as `%g` has it: without zeros at the end, and plain between 1e-4 and 1e6.
fn general(text: &str) -> String {
    let (digits, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or_default();
    let (sign, digits) = match digits.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", digits),
    };
    let plain: String = digits.chars().filter(char::is_ascii_digit).collect();
    let kept = plain.trim_end_matches('0');
    let kept = if kept.is_empty() { "0" } else { kept };
    let (first, rest) = kept.split_at_checked(1).unwrap_or((kept, ""));
    let mut out = String::from(sign);
    match exponent {
        -4..0 => {
            out.push_str("0.");
            for _ in exponent..-1 {
                out.push('0');
            }
            out.push_str(kept);
        }
        0..6 => {
            let whole = exponent.unsigned_abs() as usize + 1;
            for at in 0..whole.max(kept.len()) {
                if at == whole {
                    out.push('.');
                }
                out.push_str(kept.get(at..=at).unwrap_or("0"));
            }
        }
        _ => {
            let mut digits = String::from(first);
            if !rest.is_empty() {
                digits.push('.');
                digits.push_str(rest);
            }
            digits.push('e');
            digits.push_str(text.split_once('e').map_or("0", |(_, exponent)| exponent));
            out.push_str(&scientific(&digits));
        }
    }
    out
}
