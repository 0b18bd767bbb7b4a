//! Positions of bytes in sources.

use serde::{Deserialize, Serialize};

/// Identifies a byte source.
///
/// [`SourceId::FILE`] is the opened file. A part of it (a section, a device image) stays in the
/// same source, so its positions are positions in the file; only decompressed data becomes a source
/// of its own.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize,
)]
pub struct SourceId(pub u32);

impl SourceId {
    /// The opened file.
    pub const FILE: SourceId = SourceId(0);
}

/// A half-open range of bytes in one source, from `start` up to, but not including, `end`.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize,
)]
pub struct Span {
    /// The source of the bytes.
    pub source: SourceId,
    /// The first byte.
    pub start: u64,
    /// The byte after the last one; never below `start`.
    pub end: u64,
}

impl Span {
    /// Creates the span `start..end`; if `end` is below `start`, it is empty.
    pub const fn new(source: SourceId, start: u64, end: u64) -> Span {
        Span {
            source,
            start,
            end: if end < start { start } else { end },
        }
    }

    /// Creates a span of `len` bytes at `start`, which saturates at the end of the 64-bit range.
    pub const fn with_len(source: SourceId, start: u64, len: u64) -> Span {
        Span {
            source,
            start,
            end: start.saturating_add(len),
        }
    }

    /// Returns the length in bytes.
    pub const fn len(self) -> u64 {
        self.end.saturating_sub(self.start)
    }

    /// Whether the span is empty.
    pub const fn is_empty(self) -> bool {
        self.end <= self.start
    }

    /// Whether the byte at `offset` lies in this span.
    pub const fn contains_offset(self, offset: u64) -> bool {
        self.start <= offset && offset < self.end
    }

    /// Whether all of `other` lies in this span. An empty span counts as its start.
    pub fn contains(self, other: Span) -> bool {
        self.source == other.source && self.start <= other.start && other.end <= self.end
    }

    /// Whether the spans share a byte.
    pub fn overlaps(self, other: Span) -> bool {
        self.source == other.source && self.start < other.end && other.start < self.end
    }

    /// Returns `len` bytes at `offset` within this span, clipped to its end.
    pub fn subspan(self, offset: u64, len: u64) -> Span {
        let start = self.start.saturating_add(offset).min(self.end);
        Span {
            source: self.source,
            start,
            end: start.saturating_add(len).min(self.end),
        }
    }

    /// Returns the rest of this span from `offset` on.
    pub fn skip(self, offset: u64) -> Span {
        self.subspan(offset, u64::MAX)
    }

    /// Returns the common bytes; if there are none, an empty span at the later start.
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
