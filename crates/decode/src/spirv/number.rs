//! Literal numbers as text, as SPIRV-Tools writes them.

use std::fmt::Write;

use super::operands::{Number, NumberForm};

/// A binary floating-point format.
struct Format {
    exponent_bits: u32,
    fraction_bits: u32,
    bias: i64,
}

const HALF: Format = Format {
    exponent_bits: 5,
    fraction_bits: 10,
    bias: 15,
};
const SINGLE: Format = Format {
    exponent_bits: 8,
    fraction_bits: 23,
    bias: 127,
};
const DOUBLE: Format = Format {
    exponent_bits: 11,
    fraction_bits: 52,
    bias: 1023,
};
const BFLOAT16: Format = Format {
    exponent_bits: 8,
    fraction_bits: 7,
    bias: 127,
};
const FLOAT8_E4M3: Format = Format {
    exponent_bits: 4,
    fraction_bits: 3,
    bias: 7,
};
const FLOAT8_E5M2: Format = Format {
    exponent_bits: 5,
    fraction_bits: 2,
    bias: 15,
};

/// Significant decimal digits that determine a number.
const SINGLE_DIGITS: usize = 9;
const DOUBLE_DIGITS: usize = 17;

/// Formats the words of a number, lowest first. As SPIRV-Tools, writes nothing for numbers of more
/// than 64 bits, and for formats that it does not know.
pub(super) fn literal(words: &[u32], number: Number) -> String {
    match (words, number.form) {
        ([word], NumberForm::Unsigned) => word.to_string(),
        ([word], NumberForm::Signed) => word.cast_signed().to_string(),
        ([word], NumberForm::Float(encoding)) => short_float(*word, number.bits, encoding),
        ([low, high], form) => {
            let bits = u64::from(*high) << 32 | u64::from(*low);
            match form {
                NumberForm::Unsigned => bits.to_string(),
                NumberForm::Signed => bits.cast_signed().to_string(),
                NumberForm::Float(_) => double(bits),
            }
        }
        _ => String::new(),
    }
}

fn short_float(word: u32, bits: u32, encoding: Option<u32>) -> String {
    match (encoding, bits) {
        (Some(NumberForm::BFLOAT16), _) => hexadecimal((word & 0xffff).into(), &BFLOAT16),
        (Some(NumberForm::FLOAT8_E4M3), _) => hexadecimal((word & 0xff).into(), &FLOAT8_E4M3),
        (Some(NumberForm::FLOAT8_E5M2), _) => hexadecimal((word & 0xff).into(), &FLOAT8_E5M2),
        (_, 16) => hexadecimal((word & 0xffff).into(), &HALF),
        (_, 32) => single(word),
        _ => String::new(),
    }
}

/// Formats a 32-bit float.
pub(super) fn single(word: u32) -> String {
    let value = f32::from_bits(word);
    if value == 0.0 || value.is_normal() {
        return decimal(value.into(), SINGLE_DIGITS);
    }
    hexadecimal(word.into(), &SINGLE)
}

fn double(bits: u64) -> String {
    let value = f64::from_bits(bits);
    if value == 0.0 || value.is_normal() {
        return decimal(value, DOUBLE_DIGITS);
    }
    hexadecimal(bits, &DOUBLE)
}

/// Formats a number as `%.*g` of C does: with up to `digits` significant digits, without trailing
/// zeros.
fn decimal(value: f64, digits: usize) -> String {
    let scientific = format!("{value:.*e}", digits.saturating_sub(1));
    let Some((fraction, exponent)) = scientific.split_once('e') else {
        return scientific;
    };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let trimmed = |number: &str| {
        if number.contains('.') {
            let number = number.trim_end_matches('0');
            number.strip_suffix('.').unwrap_or(number).to_owned()
        } else {
            number.to_owned()
        }
    };
    let most = i32::try_from(digits).unwrap_or(i32::MAX);
    if (-4..most).contains(&exponent) {
        let decimals = usize::try_from(most - 1 - exponent).unwrap_or(0);
        return trimmed(&format!("{value:.decimals$}"));
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{}e{sign}{:02}", trimmed(fraction), exponent.unsigned_abs())
}

/// Formats the bits of a float as a hexadecimal number: `-0x1.8p+1`. Infinities and NaN are written
/// as the numbers that their bits would be.
fn hexadecimal(bits: u64, format: &Format) -> String {
    let nibbles = format.fraction_bits.div_ceil(4);
    // The fraction starts at a nibble.
    let width = nibbles * 4;
    let exponent_mask = (1_u64 << format.exponent_bits) - 1;
    let biased = bits >> format.fraction_bits & exponent_mask;
    let is_negative = bits >> (format.fraction_bits + format.exponent_bits) & 1 == 1;
    let fraction = bits & ((1_u64 << format.fraction_bits) - 1);
    let mut fraction = fraction << (width - format.fraction_bits);
    let is_zero = biased == 0 && fraction == 0;
    let mut exponent = biased.cast_signed() - format.bias;
    if is_zero {
        exponent = 0;
    } else if biased == 0 {
        // A denormal number: the leading 1 is in the fraction.
        let top = 1_u64 << (width - 1);
        while fraction & top == 0 {
            fraction <<= 1;
            exponent -= 1;
        }
        fraction = fraction << 1 & ((1_u64 << width) - 1);
    }
    let mut left = nibbles;
    while left > 0 && fraction & 0xf == 0 {
        fraction >>= 4;
        left -= 1;
    }
    let mut text = format!(
        "{}0x{}",
        if is_negative { "-" } else { "" },
        u8::from(!is_zero)
    );
    if left > 0 {
        let digits = usize::try_from(left).unwrap_or(0);
        let _ = write!(text, ".{fraction:0digits$x}");
    }
    let _ = write!(text, "p{exponent:+}");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn float(words: &[u32], bits: u32) -> String {
        let form = NumberForm::Float(None);
        literal(words, Number { bits, form })
    }

    #[test]
    fn floats_are_written_as_by_spirv_dis() {
        let cases = [
            (0.0_f32, "0"),
            (-0.0, "-0"),
            (1.0, "1"),
            (-5.0, "-5"),
            (0.1, "0.100000001"),
            (1e9, "1e+09"),
            (123_456_789.0, "123456792"),
            (0.000_1, "9.99999975e-05"),
            // Exactly between two numbers of 9 digits: to even.
            (1.0 / 8192.0, "0.000122070312"),
            (f32::MAX, "3.40282347e+38"),
            (f32::INFINITY, "0x1p+128"),
            (f32::NEG_INFINITY, "-0x1p+128"),
            (f32::from_bits(0x7fc0_0000), "0x1.8p+128"),
            (f32::from_bits(1), "0x1p-149"),
            (f32::from_bits(0x007f_ffff), "0x1.fffffcp-127"),
        ];
        for (value, text) in cases {
            assert_eq!(float(&[value.to_bits()], 32), text);
        }
        let double = |value: f64| {
            let bits = value.to_bits();
            let word = |shift: u32| u32::try_from(bits >> shift & 0xffff_ffff).unwrap();
            float(&[word(0), word(32)], 64)
        };
        assert_eq!(double(0.1), "0.10000000000000001");
        assert_eq!(double(1e300), "1.0000000000000001e+300");
        assert_eq!(double(5e-324), "0x1p-1074");
        assert_eq!(double(f64::NAN), "0x1.8p+1024");
        assert_eq!(float(&[0x3c00], 16), "0x1p+0");
        assert_eq!(float(&[0xc400], 16), "-0x1p+2");
        assert_eq!(float(&[0x7c00], 16), "0x1p+16");
        assert_eq!(float(&[1], 16), "0x1p-24");
        assert_eq!(float(&[0], 16), "0x0p+0");
        assert_eq!(float(&[0x3c00], 24), "");
    }
}
