//! Wording of text for people: shortened texts, counts, shares, sizes, bytes.

use std::borrow::Cow;

use super::text::push_hex;

/// Shortens text to its first `most` characters, followed by `…`.
#[must_use]
pub fn cut_end(text: &str, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()).into(),
        None => text.into(),
    }
}

/// Shortens text to `most` characters, with `…` in place of its middle.
#[must_use]
pub fn cut_middle(text: &str, most: usize) -> Cow<'_, str> {
    cut_before(text, most, most.saturating_sub(1) / 2)
}

/// Shortens text to `most` characters, with `…` before the last `tail` ones.
#[must_use]
pub fn cut_before(text: &str, most: usize, tail: usize) -> Cow<'_, str> {
    let count = text.chars().count();
    if count <= most {
        return text.into();
    }
    let head = most.saturating_sub(tail).saturating_sub(1);
    let place = |at| text.char_indices().nth(at).map_or(text.len(), |(at, _)| at);
    let head = text.get(..place(head)).unwrap_or_default();
    let tail = text.get(place(count.saturating_sub(tail))..);
    format!("{head}…{}", tail.unwrap_or_default()).into()
}

/// Appends a byte as two hexadecimal digits.
pub fn push_byte(out: &mut String, byte: u8) {
    push_hex(out, byte.into(), 2);
}

/// Formats bytes as hexadecimal digits, with `between` them.
#[must_use]
pub fn hex(bytes: &[u8], between: &str) -> String {
    let mut out = String::with_capacity(bytes.len().saturating_mul(2 + between.len()));
    for byte in bytes {
        out.push_str(if out.is_empty() { "" } else { between });
        push_byte(&mut out, *byte);
    }
    out
}

/// Formats a share in percent, with one decimal near both ends: only a complete share is `100 %`.
/// A share of nothing is `0.0 %`.
#[must_use]
pub fn percent(part: u64, whole: u64) -> String {
    if whole > 0 && part >= whole {
        return "100 %".to_owned();
    }
    let rounded = (u128::from(part) * 2000 / u128::from(whole.max(1))).div_ceil(2);
    match rounded.min(999) {
        _ if part > 0 && u128::from(part) * 1000 < u128::from(whole) => "< 0.1 %".to_owned(),
        tenths if (100..=900).contains(&tenths) => format!("{} %", (tenths + 5) / 10),
        tenths => format!("{}.{} %", tenths / 10, tenths % 10),
    }
}

/// Separator of digit groups: a no-break space.
pub const GROUP: char = '\u{a0}';

/// Groups digits: `51 336`.
#[must_use]
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + 6);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(GROUP);
        }
        out.push(digit);
    }
    out
}

/// `1 symbol`, `8 symbols`, `2 entries`.
#[must_use]
pub fn plural(count: u64, noun: &str) -> String {
    let many = match noun.strip_suffix('y') {
        Some(stem) => format!("{stem}ies"),
        None => format!("{noun}s"),
    };
    count_of(count, noun, &many)
}

/// `1 copy is`, `2048 copies are`; for text that programs read.
#[must_use]
pub fn count_of(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// Formats where something is, from the outermost part to the innermost one: `bmg-g21 · a.so · image 2`. A part
/// that is empty, or that says what the one before it says (an image that is a whole file), is left out.
pub fn place_text<'a>(parts: impl IntoIterator<Item = &'a str>) -> String {
    let mut parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.dedup();
    parts.join(" · ")
}

/// `1 warning`, `2 048 warnings`; for text that people read.
#[must_use]
pub fn counted(number: u64, one: &str, many: &str) -> String {
    let noun = if number == 1 { one } else { many };
    format!("{} {noun}", grouped(number))
}

/// Formats a size: `512 B`, `21 KB`, `1.0 MB`, in decimal units, with two digits below ten.
pub fn size(bytes: u64) -> String {
    let units = ["KB", "MB", "GB", "TB", "PB", "EB"];
    if bytes < 1000 {
        return format!("{bytes} B");
    }
    // In tenths of the unit, rounded.
    let mut unit = 0;
    let mut divisor: u64 = 1000;
    while bytes / divisor >= 1000 && unit + 1 < units.len() {
        divisor = divisor.saturating_mul(1000);
        unit += 1;
    }
    let tenths = (u128::from(bytes) * 10 + u128::from(divisor) / 2) / u128::from(divisor);
    let name = units.get(unit).copied().unwrap_or("B");
    match tenths {
        0..100 => format!("{}.{} {name}", tenths / 10, tenths % 10),
        _ => format!("{} {name}", tenths / 10),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_names_each_part_once() {
        assert_eq!(
            place_text(["bmg", "a.so", "image 2", ""]),
            "bmg · a.so · image 2"
        );
        assert_eq!(place_text(["bmg", "a.zebin", "a.zebin"]), "bmg · a.zebin");
        assert_eq!(place_text(["", ""]), "");
    }

    #[test]
    fn long_text_is_cut() {
        assert_eq!(cut_end("äbc", 3), "äbc");
        assert_eq!(cut_end("äbcd", 3), "äbc…");
        assert_eq!(cut_middle("abcdef", 6), "abcdef");
        assert_eq!(cut_middle("abcdefä", 6), "abc…fä");
        assert_eq!(cut_middle("abc", 1), "…");
        assert_eq!(cut_before("abcdefgh", 6, 1), "abcd…h");
        assert_eq!(cut_before("abcdefgh", 2, 4), "…efgh");
    }

    #[test]
    fn counts_shares_and_bytes() {
        assert_eq!(plural(1, "entry"), "1 entry");
        assert_eq!(plural(2048, "entry"), "2048 entries");
        assert_eq!(counted(2048, "row", "rows"), "2\u{a0}048 rows");
        assert_eq!(hex(&[0, 255], " "), "00 ff");
        assert_eq!(hex(&[0, 255], ""), "00ff");
        for (part, whole, text) in [
            (10, 10, "100 %"),
            (9_999, 10_000, "99.9 %"),
            (1, 100_000, "< 0.1 %"),
            (0, 5, "0.0 %"),
            (0, 0, "0.0 %"),
            (1, 3, "33 %"),
            (1, 20, "5.0 %"),
        ] {
            assert_eq!(percent(part, whole), text);
        }
    }
}
