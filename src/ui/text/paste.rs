//! Bytes from pasted text: common hex notations or Base64.

/// Decodes the bytes of a text; `None` if it is neither hex nor Base64.
pub fn bytes(text: &str) -> Option<Vec<u8>> {
    dump(text).or_else(|| hex(text)).or_else(|| base64(text))
}

/// Output of `xxd` and `hexdump -C`: an offset, bytes, and the same as text.
fn dump(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut lines = 0;
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let line = line.trim();
        let (offset, rest) = line.split_once([':', ' ']).unwrap_or((line, ""));
        let offset = u64::from_str_radix(offset, 16)
            .ok()
            .filter(|_| offset.len() >= 6)?;
        // The last line of `hexdump` is the length. Lines must be contiguous: `*` in place of equal
        // lines would be misread.
        if offset != bytes.len() as u64 {
            return None;
        }
        if !rest.trim().is_empty() {
            let columns = rest.trim_start();
            let columns = columns.split("  |").next().unwrap_or(columns);
            // `xxd` has two blanks before the text, `hexdump` also within the bytes.
            let columns = if rest.contains("  |") {
                columns
            } else {
                first_column(columns)
            };
            bytes.extend(hex_digits(columns)?);
        }
        lines += 1;
    }
    (lines > 0 && !bytes.is_empty()).then_some(bytes)
}

fn first_column(line: &str) -> &str {
    line.split("  ").next().unwrap_or(line)
}

/// `7f 45 4c 46`, `7f454c46`, `0x7f, 0x45`, `\x7f\x45`, in braces or not.
fn hex(text: &str) -> Option<Vec<u8>> {
    let text = text.trim().trim_matches(['{', '}', '[', ']', '"', ';']);
    let plain = text
        .replace("0x", " ")
        .replace("0X", " ")
        .replace("\\x", " ");
    hex_digits(&plain)
}

fn hex_digits(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() / 2);
    for word in text.split([' ', ',', '\n', '\r', '\t', ';']) {
        if word.len() % 2 == 1 || !word.is_ascii() {
            return None;
        }
        for pair in word.as_bytes().chunks(2) {
            let pair = std::str::from_utf8(pair).ok()?;
            bytes.push(u8::from_str_radix(pair, 16).ok()?);
        }
    }
    (!bytes.is_empty()).then_some(bytes)
}

/// Either alphabet, with or without padding; ignores line breaks.
fn base64(text: &str) -> Option<Vec<u8>> {
    let text = match text.trim().strip_prefix("data:") {
        Some(url) => url.split_once(";base64,")?.1,
        None => text,
    };
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let (mut word, mut bits) = (0_u32, 0);
    let mut padded = false;
    for byte in text.trim().bytes().filter(|b| !matches!(b, b'\r' | b'\n')) {
        let digit = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            b'=' => {
                padded = true;
                continue;
            }
            _ => return None,
        };
        if padded {
            return None;
        }
        word = (word << 6) | u32::from(digit);
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push((word >> bits) as u8);
            word &= (1 << bits) - 1;
        }
    }
    // Unused bits must be zero, which rules out most words of prose.
    (bytes.len() >= 3 && bits < 6 && word == 0).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ELF: &[u8] = b"\x7fELF";

    #[test]
    fn hex_in_many_forms() {
        for text in [
            "7f 45 4c 46",
            "7f454c46",
            "7F45 4C46\n",
            "0x7f, 0x45, 0x4c, 0x46",
            "{ 0x7f,0x45,\n 0x4c,0x46 };",
            "\\x7f\\x45\\x4c\\x46",
        ] {
            assert_eq!(bytes(text).as_deref(), Some(ELF), "{text}");
        }
    }

    #[test]
    fn dumps() {
        let xxd = "00000000: 7f45 4c46 0201 0100 0000 0000 0000 0000  .ELF............\n00000010: 0900                                     ..\n";
        let read = bytes(xxd).expect("xxd");
        assert_eq!((read.len(), read.get(..4)), (18, Some(ELF)));
        let hexdump = "00000000  7f 45 4c 46 02 01 01 00  00 00 00 00 00 00 00 00  |.ELF............|\n00000010\n";
        let read = bytes(hexdump).expect("hexdump");
        assert_eq!((read.len(), read.get(..4)), (16, Some(ELF)));
    }

    #[test]
    fn base64_in_both_alphabets() {
        assert_eq!(bytes("f0VMRg==").as_deref(), Some(ELF));
        assert_eq!(bytes("f0VM\nRg").as_deref(), Some(ELF));
        assert_eq!(bytes("-_-_").as_deref(), Some(&[0xfb, 0xff, 0xbf][..]));
        assert_eq!(bytes("data:x/y;base64,f0VMRg==").as_deref(), Some(ELF));
    }

    #[test]
    fn prose_is_not_decoded() {
        assert_eq!(bytes("Hello, world"), None);
        assert_eq!(bytes(""), None);
        assert_eq!(bytes("kernel"), None);
        assert_eq!(bytes("0x7f 0x4"), None);
    }
}
