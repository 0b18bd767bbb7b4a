//! A row of bytes: offset, hex and text.

use yew::prelude::*;

use super::paint::{self, Highlights, Paint};
use crate::model::text::push_byte;
use crate::worker::protocol::LeafRow;

/// Character width, and horizontal padding of a row, in pixels.
const CHARACTER: f64 = 7.23;
const AROUND: f64 = 10.0;

/// Bytes of a row and their meaning.
pub(crate) struct Line<'a> {
    /// Index of the row.
    pub number: u64,
    /// Offset of the first byte.
    pub offset: u64,
    /// Number of digits of offsets.
    pub digits: usize,
    /// Number of bytes per row.
    pub width: usize,
    /// The bytes; `None` until they arrive.
    pub bytes: Option<&'a [u8]>,
    /// Their number.
    pub len: usize,
    /// Their leaves, by position.
    pub leaves: &'a [LeafRow],
}

/// Number of hex characters per row.
pub(crate) fn columns(width: usize) -> u32 {
    (width * 3 - 1 + gaps(width)) as u32
}

/// Number of bytes per row of this width in pixels, with offsets of this many digits: a power of
/// two, so that offsets are easy to read and no row spans two pieces.
pub(crate) fn bytes_in(pixels: u32, digits: usize) -> u64 {
    if pixels == 0 {
        return 16;
    }
    let fits = |width: &usize| {
        let characters = digits + 4 + columns(*width) as usize + *width;
        AROUND + CHARACTER * characters as f64 <= f64::from(pixels)
    };
    [64, 32, 16].into_iter().find(fits).unwrap_or(8) as u64
}

fn gaps(width: usize) -> usize {
    width.saturating_sub(1) / 8
}

/// Index of the byte at a column of the hex.
pub(crate) fn byte_of(column: u32, width: usize) -> usize {
    let mut column = column as usize;
    let mut first = 0;
    // Each group of 8 takes 25 columns: 8 · 3 and one more blank.
    while column >= 25 && first + 8 < width {
        column -= 25;
        first += 8;
    }
    (first + (column / 3).min(7)).min(width - 1)
}

/// A row.
pub(crate) fn hex_row(line: &Line<'_>, marks: &Highlights) -> Html {
    let offset = format!("{:0digits$x}", line.offset, digits = line.digits);
    let (hex, text) = match line.bytes {
        Some(bytes) => painted(line, bytes, marks),
        None => (vec![plain(pending(line))], Vec::new()),
    };
    html! {
        <div key={line.number} class={if marks.is_in(line.offset, line.len) { "hr in" } else { "hr" }} role="row" aria-rowindex={(line.number + 1).to_string()}
             data-line={line.number.to_string()}>
            <span class="o" role="rowheader">{ offset }</span>
            <span class="h" role="gridcell">{ for hex }</span>
            <span class="t" role="gridcell">{ for text }</span>
        </div>
    }
}

fn pending(line: &Line<'_>) -> String {
    let mut out = String::new();
    for i in 0..line.len {
        push_separator(&mut out, i);
        out.push_str("··");
    }
    out
}

/// Hex and text as runs of bytes with equal appearance.
fn painted(line: &Line<'_>, bytes: &[u8], marks: &Highlights) -> (Vec<Html>, Vec<Html>) {
    let (mut hex, mut text) = (Vec::new(), Vec::new());
    let paint_of = |i: usize| paint::paint(line.leaves, marks, line.offset + i as u64);
    let mut from = 0;
    let mut before = None;
    while from < bytes.len() {
        let paint = paint_of(from);
        let mut to = from + 1;
        while to < bytes.len() && paint_of(to) == paint {
            to += 1;
        }
        let run = bytes.get(from..to).unwrap_or(&[]);
        let mut separator = String::new();
        push_separator(&mut separator, from);
        let mut digits = String::with_capacity(run.len() * 3);
        let mut letters = String::with_capacity(run.len());
        for (i, byte) in run.iter().enumerate() {
            if i > 0 {
                push_separator(&mut digits, from + i);
            }
            push_byte(&mut digits, *byte);
            letters.push(letter(*byte));
        }
        // The blank between two bytes of one value belongs to the value.
        match before.filter(|before: &Paint| before.continues(&paint)) {
            Some(before) => hex.push(drawn(&before.without_cursor(), separator)),
            None => hex.push(plain(separator)),
        }
        before = Some(paint);
        hex.push(drawn(&paint, digits));
        text.push(drawn(&paint, letters));
        from = to;
    }
    // Pad the last row, so that the pointer finds its columns.
    let missing = columns(line.width) as usize - columns_of(bytes.len());
    if missing > 0 {
        hex.push(plain(" ".repeat(missing)));
        text.push(plain(" ".repeat(line.width - bytes.len())));
    }
    (hex, text)
}

fn columns_of(count: usize) -> usize {
    if count == 0 {
        0
    } else {
        columns(count) as usize
    }
}

/// Separator before a byte.
fn push_separator(out: &mut String, index: usize) {
    if index > 0 {
        out.push(' ');
        if index.is_multiple_of(8) {
            out.push(' ');
        }
    }
}

fn plain(text: String) -> Html {
    yew::virtual_dom::VText::new(text).into()
}

fn drawn(paint: &Paint, text: String) -> Html {
    if paint.is_plain() {
        plain(text)
    } else {
        html! { <b class={paint.classes()}>{ text }</b> }
    }
}

fn letter(byte: u8) -> char {
    match byte {
        b' '..=b'~' => char::from(byte),
        _ => '·',
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_as_wide_as_the_pane() {
        for (pixels, bytes) in [
            (0, 16),
            (400, 8),
            (555, 8),
            (560, 16),
            (780, 16),
            (1300, 32),
            (2100, 64),
        ] {
            assert_eq!(bytes_in(pixels, 8), bytes, "{pixels}");
        }
        assert_eq!((columns(32), byte_of(97, 32)), (98, 31));
    }

    #[test]
    fn columns_lead_to_bytes() {
        assert_eq!(columns(16), 48);
        assert_eq!(columns(8), 23);
        assert_eq!(byte_of(0, 16), 0);
        assert_eq!(byte_of(22, 16), 7);
        assert_eq!(byte_of(24, 16), 7);
        assert_eq!(byte_of(25, 16), 8);
        assert_eq!(byte_of(47, 16), 15);
        assert_eq!(byte_of(48, 16), 15);
        assert_eq!(byte_of(30, 8), 7);
    }
}
