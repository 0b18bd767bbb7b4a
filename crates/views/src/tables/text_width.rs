//! The width of text in terminals: characters of East Asian scripts and emoji take two cells, combining
//! marks none.

use std::borrow::Cow;

use zeview_core::model::text::cut_middle;

/// Characters of two cells: those that are wide or fullwidth in Unicode 14 (UAX #11), with what is not
/// assigned between them.
#[rustfmt::skip]
const WIDE: &[(u32, u32)] = &[
    (0x1100, 0x115f), (0x231a, 0x231b), (0x2329, 0x232a), (0x23e9, 0x23ec), (0x23f0, 0x23f0),
    (0x23f3, 0x23f3), (0x25fd, 0x25fe), (0x2614, 0x2615), (0x2648, 0x2653), (0x267f, 0x267f),
    (0x2693, 0x2693), (0x26a1, 0x26a1), (0x26aa, 0x26ab), (0x26bd, 0x26be), (0x26c4, 0x26c5),
    (0x26ce, 0x26ce), (0x26d4, 0x26d4), (0x26ea, 0x26ea), (0x26f2, 0x26f3), (0x26f5, 0x26f5),
    (0x26fa, 0x26fa), (0x26fd, 0x26fd), (0x2705, 0x2705), (0x270a, 0x270b), (0x2728, 0x2728),
    (0x274c, 0x274c), (0x274e, 0x274e), (0x2753, 0x2755), (0x2757, 0x2757), (0x2795, 0x2797),
    (0x27b0, 0x27b0), (0x27bf, 0x27bf), (0x2b1b, 0x2b1c), (0x2b50, 0x2b50), (0x2b55, 0x2b55),
    (0x2e80, 0x303e), (0x3041, 0x3247), (0x3250, 0x4dbf), (0x4e00, 0xa4c6), (0xa960, 0xa97c),
    (0xac00, 0xd7a3), (0xf900, 0xfad9), (0xfe10, 0xfe19), (0xfe30, 0xfe6b), (0xff01, 0xff60),
    (0xffe0, 0xffe6), (0x16fe0, 0x1b2fb), (0x1f004, 0x1f004), (0x1f0cf, 0x1f0cf),
    (0x1f18e, 0x1f18e), (0x1f191, 0x1f19a), (0x1f200, 0x1f320), (0x1f32d, 0x1f335),
    (0x1f337, 0x1f37c), (0x1f37e, 0x1f393), (0x1f3a0, 0x1f3ca), (0x1f3cf, 0x1f3d3),
    (0x1f3e0, 0x1f3f0), (0x1f3f4, 0x1f3f4), (0x1f3f8, 0x1f43e), (0x1f440, 0x1f440),
    (0x1f442, 0x1f4fc), (0x1f4ff, 0x1f53d), (0x1f54b, 0x1f54e), (0x1f550, 0x1f567),
    (0x1f57a, 0x1f57a), (0x1f595, 0x1f596), (0x1f5a4, 0x1f5a4), (0x1f5fb, 0x1f64f),
    (0x1f680, 0x1f6c5), (0x1f6cc, 0x1f6cc), (0x1f6d0, 0x1f6d2), (0x1f6d5, 0x1f6df),
    (0x1f6eb, 0x1f6ec), (0x1f6f4, 0x1f6fc), (0x1f7e0, 0x1f7f0), (0x1f90c, 0x1f93a),
    (0x1f93c, 0x1f945), (0x1f947, 0x1f9ff), (0x1fa70, 0x1faf6), (0x20000, 0x3134a),
];

/// Characters that take no cell: combining marks of common scripts, joiners, and variation selectors.
const EMPTY: &[(u32, u32)] = &[
    (0x300, 0x36f),
    (0x483, 0x489),
    (0x591, 0x5bd),
    (0x610, 0x61a),
    (0x64b, 0x65f),
    (0x93c, 0x93c),
    (0x941, 0x948),
    (0xe34, 0xe3a),
    (0xe47, 0xe4e),
    (0x200b, 0x200f),
    (0x20d0, 0x20f0),
    (0x302a, 0x302d),
    (0x3099, 0x309a),
    (0xfe00, 0xfe0f),
    (0xfe20, 0xfe2f),
    (0xe0100, 0xe01ef),
];

fn is_in(ranges: &[(u32, u32)], c: u32) -> bool {
    let at = ranges.partition_point(|(_, end)| *end < c);
    ranges.get(at).is_some_and(|(start, _)| *start <= c)
}

/// Returns the number of cells of a terminal that a character takes.
fn char_width(c: char) -> usize {
    let c = u32::from(c);
    match c {
        ..0x300 => 1,
        _ if is_in(EMPTY, c) => 0,
        _ if is_in(WIDE, c) => 2,
        _ => 1,
    }
}

/// Returns the number of cells of a terminal that text takes.
pub(super) fn width(text: &str) -> usize {
    if text.is_ascii() {
        return text.len();
    }
    text.chars().map(char_width).sum()
}

/// Shortens text to `most` cells, with `…` in place of its middle.
pub(super) fn cut(text: &str, most: usize) -> Cow<'_, str> {
    if text.is_ascii() {
        return cut_middle(text, most);
    }
    if width(text) <= most {
        return text.into();
    }
    let tail = most.saturating_sub(1) / 2;
    let head = start(text, most.saturating_sub(1).saturating_sub(tail));
    let mut rest = text.len();
    let mut left = tail;
    for (at, c) in text.char_indices().rev() {
        match left.checked_sub(char_width(c)) {
            Some(less) => (left, rest) = (less, at),
            None => break,
        }
    }
    format!("{head}…{}", text.get(rest..).unwrap_or_default()).into()
}

/// Returns the start of text that takes at most `most` cells.
pub(super) fn start(text: &str, most: usize) -> &str {
    let mut left = most;
    for (at, c) in text.char_indices() {
        match left.checked_sub(char_width(c)) {
            Some(less) => left = less,
            None => return text.get(..at).unwrap_or_default(),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_have_widths() {
        for (text, cells) in [
            ("abc", 3),
            ("größe", 5),
            ("カーネル", 8),
            ("e\u{301}", 1),
            ("ﾈ", 1),
            ("…", 1),
            ("🚀x", 3),
            ("한글", 4),
            ("", 0),
        ] {
            assert_eq!(width(text), cells, "{text}");
        }
        for ranges in [WIDE, EMPTY] {
            let is_sorted = ranges.windows(2).all(|pair| pair[0].1 < pair[1].0);
            assert!(is_sorted && ranges.iter().all(|(start, end)| start <= end));
        }
    }

    #[test]
    fn cut_text_fits() {
        let name = "カーネルgemm_カーネル_カーネル";
        for most in 1..40 {
            let cut = cut(name, most);
            assert!(width(&cut) <= most, "{most}: {cut}");
            // At most one cell is left: a character of two does not fit into it, at both ends.
            assert!(width(&cut) + 2 >= most.min(width(name)), "{most}: {cut}");
        }
        assert_eq!(cut(name, 11), "カー…ネル");
    }
}
