//! Recognizes the start of a line, or of the rest of a line: a dash, a key, a value.

use std::ops::Range;

use super::lines::{is_blank, is_blank_or_end};
use super::reader::Reader;
use super::{ProblemKind, Style, scalar};

/// The start of a line, or of the rest of a line.
pub(super) enum Shape {
    /// `- `
    Item,
    /// `key:`
    Entry(Key),
    Text,
}

/// A key: its bytes, and the position of its colon.
pub(super) struct Key {
    pub(super) extent: Range<usize>,
    pub(super) style: Style,
    pub(super) colon: usize,
}

impl Reader<'_> {
    #[inline(always)]
    pub(super) fn shape(&self, at: usize) -> Shape {
        if self.is_item(at) {
            return Shape::Item;
        }
        self.key(at).map_or(Shape::Text, Shape::Entry)
    }

    /// Returns whether an item or entry starts at `at`.
    pub(super) fn is_structure(&self, at: usize) -> bool {
        !matches!(self.shape(at), Shape::Text)
    }

    /// `- `, and `-key:`, which the runtime reads as an item (observed with release 26.27).
    #[inline(always)]
    fn is_item(&self, at: usize) -> bool {
        match self.rest(at) {
            [b'-'] | [b'-', b' ' | b'\t', ..] => true,
            [b'-', b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'\'' | b'"', ..] => {
                self.key(at + 1).is_some()
            }
            _ => false,
        }
    }

    #[inline(always)]
    pub(super) fn key(&self, at: usize) -> Option<Key> {
        let line = self.rest(at);
        match line.first()? {
            b'\'' | b'"' => self.quoted_key(at),
            _ if indicator(line).is_some() => None,
            _ => {
                let colon = match self.only_colon {
                    Some(colon) if colon > at && is_blank_or_end(self.rest(colon + 1).first()) => {
                        colon
                    }
                    _ => at + plain_key(line)?,
                };
                Some(Key {
                    extent: self.trim(at..colon),
                    style: Style::Plain,
                    colon,
                })
            }
        }
    }

    /// `'key':` or `"key":`.
    pub(super) fn quoted_key(&self, at: usize) -> Option<Key> {
        let end = at + scalar::quoted_len(self.rest(at))?;
        let colon = self.skip_blanks(end);
        let style = if self.byte(at) == b'\'' {
            Style::SingleQuoted
        } else {
            Style::DoubleQuoted
        };
        (self.byte(colon) == b':').then_some(Key {
            extent: at..end,
            style,
            colon,
        })
    }
}

/// The position of the colon after the plain key at the start of `line`: the first colon before a
/// blank, or, as the runtime reads it, the one after a name (`key:value`).
fn plain_key(line: &[u8]) -> Option<usize> {
    let mut first_colon = None;
    let mut before = b' ';
    for (at, &byte) in line.iter().enumerate() {
        match byte {
            b':' if is_blank_or_end(line.get(at + 1)) => return Some(at),
            b':' if first_colon.is_none() => first_colon = Some(at),
            b'#' if is_blank(before) => break,
            _ => {}
        }
        before = byte;
    }
    first_colon.filter(|&colon| {
        is_name(line.get(..colon).unwrap_or_default())
            // `std::name` and `http://` are values, not keys without a blank.
            && !matches!(line.get(colon + 1), Some(b':' | b'/'))
    })
}

/// Letters, digits and `_`, followed by blanks.
fn is_name(bytes: &[u8]) -> bool {
    let name = bytes.trim_ascii_end();
    name.first()
        .is_some_and(|first| first.is_ascii_alphabetic() || *first == b'_')
        && name
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
}

/// The problem of a plain scalar or key that starts with an indicator character. YAML 1.2.2,
/// "7.3.3. Plain Style".
#[inline]
pub(super) fn indicator(text: &[u8]) -> Option<ProblemKind> {
    let (first, rest) = text.split_first()?;
    if first.is_ascii_alphanumeric() {
        None
    } else {
        punctuation(*first, rest)
    }
}

fn punctuation(first: u8, rest: &[u8]) -> Option<ProblemKind> {
    Some(match first {
        b'?' if is_blank_or_end(rest.first()) => ProblemKind::ComplexKey,
        b'-' | b':' if is_blank_or_end(rest.first()) => ProblemKind::ReservedIndicator,
        b'&' => ProblemKind::Anchor,
        b'*' => ProblemKind::Alias,
        b'!' => ProblemKind::Tag,
        b'|' | b'>' => ProblemKind::BlockScalar,
        b'@' | b'`' | b'%' | b',' | b'[' | b']' | b'{' | b'}' => ProblemKind::ReservedIndicator,
        _ => return None,
    })
}
