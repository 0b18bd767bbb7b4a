//! Positions: which bytes of which source.

use serde::{Deserialize, Serialize};

/// Which run of bytes a position counts in.
///
/// [`SourceId::FILE`] is the file that was opened. Something carved out of it (a section,
/// a device image) stays in the same source, so its positions are positions in the file;
/// only bytes that had to be unpacked (decompressed) become a source of their own.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize,
)]
pub struct SourceId(pub u32);

impl SourceId {
    /// The opened file.
    pub const FILE: SourceId = SourceId(0);
}

/// A half-open range of bytes in one source: `start` belongs to it, `end` does not.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize,
)]
pub struct Span {
    /// The source that `start` and `end` count in.
    pub source: SourceId,
    /// The first byte.
    pub start: u64,
    /// The byte after the last one; never below `start`.
    pub end: u64,
}

impl Span {
    /// The bytes `start..end`; an `end` below `start` makes an empty span at `start`.
    pub const fn new(source: SourceId, start: u64, end: u64) -> Span {
        Span {
            source,
            start,
            end: if end < start { start } else { end },
        }
    }

    /// `len` bytes at `start`; stops at the end of the 64-bit range.
    pub const fn with_len(source: SourceId, start: u64, len: u64) -> Span {
        Span {
            source,
            start,
            end: start.saturating_add(len),
        }
    }

    /// How many bytes.
    pub const fn len(self) -> u64 {
        self.end.saturating_sub(self.start)
    }

    /// No byte at all.
    pub const fn is_empty(self) -> bool {
        self.end <= self.start
    }

    /// Does the byte at `offset` belong to this span?
    pub const fn contains_offset(self, offset: u64) -> bool {
        self.start <= offset && offset < self.end
    }

    /// Is every byte of `other` in this span? (An empty span is where it starts.)
    pub fn contains(self, other: Span) -> bool {
        self.source == other.source && self.start <= other.start && other.end <= self.end
    }

    /// Do the two share a byte?
    pub fn overlaps(self, other: Span) -> bool {
        self.source == other.source && self.start < other.end && other.start < self.end
    }

    /// `len` bytes at `offset` of this span, cut off where this span ends.
    pub fn subspan(self, offset: u64, len: u64) -> Span {
        let start = self.start.saturating_add(offset).min(self.end);
        Span {
            source: self.source,
            start,
            end: start.saturating_add(len).min(self.end),
        }
    }

    /// What is left of this span from `offset` on.
    pub fn skip(self, offset: u64) -> Span {
        self.subspan(offset, u64::MAX)
    }

    /// The bytes that both have; empty, at the later start, where there are none.
    pub fn intersect(self, other: Span) -> Span {
        let start = self.start.max(other.start);
        Span::new(self.source, start, self.end.min(other.end).max(start))
    }
}

/// A value and the bytes that it was read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spanned<T> {
    /// The value.
    pub value: T,
    /// Its bytes.
    pub span: Span,
}
