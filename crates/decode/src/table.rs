//! Tables of entries of equal size.

use std::ops::Range;

use super::reader::{Endian, Window};
use zeview_core::model::{Doc, Expand, Node, Rows, Sources, Span};

/// The item of the table itself. Any other item is the index of an entry, with a part number in the
/// highest byte.
pub const TABLE: u64 = u64::MAX;

/// The item of part `part` (from 1) of entry `index`: a word with rows for its bits.
pub const fn part(index: u64, part: u8) -> u64 {
    index | ((part as u64) << 56)
}

const INDEX_MASK: u64 = (1 << 56) - 1;

const REMAINDER_DOC: Doc = Doc::new(
    "Remaining bytes: the size of the table is not a multiple of the size of its entries.",
    "",
);

/// The format of a table's entries.
pub trait Entries {
    /// The size of an entry in bytes; never 0.
    fn size(&self) -> u64;

    /// The row of the entry `index`, whose bytes are at the start of the window. The node's
    /// children are the item `index` of the expander `out.me`.
    fn node(&self, index: u64, entry: &Window, out: &mut Rows<'_>) -> Node;

    /// Number of rows below an entry (`part` 0), or below a part of it.
    fn count(&self, part: u8) -> u64;

    /// The rows `range` below entry `index` (`part` 0), or below a part of it.
    fn fields(&self, index: u64, part: u8, entry: &Window, range: Range<u64>, out: &mut Rows<'_>);
}

/// A table in a file.
#[derive(Debug)]
pub struct Table<E> {
    /// All its bytes.
    pub span: Span,
    /// The byte order.
    pub endian: Endian,
    /// Its entries.
    pub entries: E,
}

impl<E: Entries> Table<E> {
    /// Number of whole entries.
    pub fn len(&self) -> u64 {
        self.span.len() / self.entries.size().max(1)
    }

    /// Returns whether there is no whole entry.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes after the last whole entry.
    pub fn remainder(&self) -> Span {
        self.span.skip(self.len() * self.entries.size())
    }

    fn entry_span(&self, index: u64) -> Span {
        self.span.subspan(
            index.saturating_mul(self.entries.size()),
            self.entries.size(),
        )
    }
}

impl<E: Entries> Expand for Table<E> {
    fn count(&self, item: u64, _sources: &Sources) -> u64 {
        if item == TABLE {
            return self.len() + u64::from(!self.remainder().is_empty());
        }
        self.entries.count(part_of(item))
    }

    fn rows(&self, item: u64, range: Range<u64>, out: &mut Rows<'_>) {
        if item != TABLE {
            let index = item & INDEX_MASK;
            let entry = Window::clamped(out.sources, self.entry_span(index));
            self.entries
                .fields(index, part_of(item), &entry, range, out);
            return;
        }
        for index in range {
            if index < self.len() {
                let entry = Window::clamped(out.sources, self.entry_span(index));
                let node = self.entries.node(index, &entry, out);
                out.push(node);
            } else {
                out.push(Node::gap("remainder", self.remainder()).doc(&REMAINDER_DOC));
            }
        }
    }

    fn index_at(&self, item: u64, offset: u64, _sources: &Sources) -> Option<Vec<u64>> {
        if item != TABLE {
            return None;
        }
        let within = offset.checked_sub(self.span.start)?;
        Some(vec![(within / self.entries.size().max(1)).min(self.len())])
    }
}

/// The elements `range` of a list, clipped to it.
pub fn slice<T>(list: &[T], range: Range<u64>) -> &[T] {
    let at = |place: u64| usize::try_from(place).unwrap_or(usize::MAX).min(list.len());
    let (start, end) = (at(range.start), at(range.end));
    list.get(start..end).unwrap_or(&[])
}

fn part_of(item: u64) -> u8 {
    u8::try_from(item >> 56).unwrap_or(0)
}
