//! The base64 variant of property sets. Follows LLVM's Base64.h (intel/llvm) and SYCLBIN's
//! PropertySets.md.
//!
//! Three bytes form a 24-bit little-endian number, which is written as four 6-bit digits, lowest
//! first. Two remaining bytes give three digits, one byte gives two; there is no padding. A byte
//! value starts with its number of *bits*, as a 64-bit number.

/// An error in the digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// One digit is left over; no number of bytes has this encoding.
    Length,
    /// The character at this index is not a digit.
    Character(usize),
    /// The bit count, 8 bytes, is truncated.
    NoCount,
    /// The bit count does not match the number of bytes that follow.
    Count {
        /// The bit count.
        bits: u64,
        /// Number of bytes that follow.
        bytes: u64,
    },
}

fn digit(character: u8) -> Option<u32> {
    Some(u32::from(match character {
        b'A'..=b'Z' => character - b'A',
        b'a'..=b'z' => character - b'a' + 26,
        b'0'..=b'9' => character - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    }))
}

/// Decodes digits to bytes.
///
/// # Errors
///
/// Returns an error if a character is not a digit, or if one digit is left over.
pub fn decode(text: &[u8]) -> Result<Vec<u8>, Fault> {
    if text.len() % 4 == 1 {
        return Err(Fault::Length);
    }
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3 + 2);
    for (group, digits) in text.chunks(4).enumerate() {
        let mut number = 0;
        for (at, character) in digits.iter().enumerate() {
            let value = digit(*character).ok_or(Fault::Character(group * 4 + at))?;
            number |= value << (6 * at);
        }
        let [first, second, third, _] = number.to_le_bytes();
        let all = [first, second, third];
        bytes.extend_from_slice(all.get(..digits.len() - 1).unwrap_or(&all));
    }
    Ok(bytes)
}

/// Decodes the bit count and the bytes of a value.
///
/// # Errors
///
/// Returns an error if the digits are invalid, or the bit count does not match the bytes.
pub fn value(text: &[u8]) -> Result<(u64, Vec<u8>), Fault> {
    let mut bytes = decode(text)?;
    let head: [u8; 8] = bytes
        .get(..8)
        .and_then(|head| head.try_into().ok())
        .ok_or(Fault::NoCount)?;
    let bits = u64::from_le_bytes(head);
    bytes.drain(..8);
    let len = bytes.len() as u64;
    if bits.div_ceil(8) == len {
        Ok((bits, bytes))
    } else {
        Err(Fault::Count { bits, bytes: len })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_the_specification() {
        assert_eq!(value(b"AAAAAAAAAAA"), Ok((0, vec![])));
        assert_eq!(value(b"IAAAAAAAAAQA"), Ok((8, vec![1])));
        let five = vec![0xff, 0xff, 0x7f, 0xff, 0x70];
        assert_eq!(value(b"oAAAAAAAAAw///3/wB"), Ok((40, five)));
        let text = value(b"wCAAAAAAAAwcwlmc2QTL152au92du1Sdutmbvdnb").unwrap();
        assert_eq!(text, (176, b"spir64-unknown-unknown".to_vec()));
        let numbers = vec![128, 0, 0, 0, 1, 0, 0, 0];
        assert_eq!(value(b"ABAAAAAAAAAgAAAABAAAAA"), Ok((64, numbers)));
    }

    #[test]
    fn partial_bytes() {
        assert_eq!(value(b"BAAAAAAAAAQA"), Ok((1, vec![1])));
        assert_eq!(value(b"JAAAAAAAAAw/BA"), Ok((9, vec![255, 1])));
    }

    #[test]
    fn invalid_digits() {
        assert_eq!(decode(b"A"), Err(Fault::Length));
        assert_eq!(decode(b"AAAAA"), Err(Fault::Length));
        assert_eq!(decode(b"AAA="), Err(Fault::Character(3)));
        assert_eq!(decode(b"AAAAA-"), Err(Fault::Character(5)));
        assert_eq!(decode(b"").unwrap(), b"");
        assert_eq!(decode(b"//").unwrap(), [0xff]);
        assert_eq!(decode(b"///").unwrap(), [0xff, 0xff]);
        assert_eq!(decode(b"////").unwrap(), [0xff, 0xff, 0xff]);
    }

    #[test]
    fn mismatched_bit_counts() {
        assert_eq!(value(b""), Err(Fault::NoCount));
        assert_eq!(value(b"IAAAAAAAA"), Err(Fault::Length));
        assert_eq!(value(b"IAAAAAAAAA"), Err(Fault::NoCount));
        let none = Fault::Count { bits: 8, bytes: 0 };
        assert_eq!(value(b"IAAAAAAAAAA"), Err(none));
        let most = Fault::Count {
            bits: u64::MAX,
            bytes: 1,
        };
        assert_eq!(value(b"//////////PA"), Err(most));
    }
}
