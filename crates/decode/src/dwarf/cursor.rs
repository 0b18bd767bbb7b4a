//! A cursor over a debug section that creates the rows of the fields it reads.

use super::section::Section;
use crate::reader::uint;
use zeview_core::model::text::cut_end;
use zeview_core::model::{Doc, Node, Span, Value};

/// A cursor over a section's bytes, as stored in the file.
#[derive(Clone, Copy)]
pub(super) struct Cursor<'a> {
    /// The section.
    pub(super) section: &'a Section,
    /// Its offset in the section.
    pub(super) at: usize,
    /// Its end offset in the section.
    pub(super) end: usize,
}

impl<'a> Cursor<'a> {
    /// Reads the next bytes.
    pub(super) fn take(&mut self, len: usize) -> Option<&'a [u8]> {
        let to = self.at.checked_add(len).filter(|to| *to <= self.end)?;
        let bytes = self.section.bytes.get(self.at..to)?;
        self.at = to;
        Some(bytes)
    }

    /// Reads a number of `len` bytes.
    pub(super) fn number(&mut self, len: usize) -> Option<u64> {
        let endian = self.section.endian;
        self.take(len).map(|bytes| uint(bytes, endian))
    }

    /// Reads an unsigned LEB128 number. Returns `None` if it has more than 64 bits.
    pub(super) fn leb(&mut self) -> Option<u64> {
        let (mut raw, mut shift) = (0u64, 0u32);
        loop {
            let byte = *self.take(1)?.first()?;
            // The tenth byte contains the last bit.
            if shift == 63 && byte > 1 {
                return None;
            }
            raw |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(raw);
            }
            shift += 7;
        }
    }

    /// Reads a signed LEB128 number. Returns `None` if it has more than 64 bits.
    pub(super) fn signed_leb(&mut self) -> Option<i64> {
        let (mut raw, mut shift) = (0u64, 0u32);
        loop {
            let byte = *self.take(1)?.first()?;
            // The tenth byte contains the last bit and its sign extension.
            if shift == 63 && !matches!(byte, 0 | 0x7f) {
                return None;
            }
            raw |= u64::from(byte & 0x7f) << shift;
            shift += 7;
            if byte & 0x80 == 0 {
                let unused = 64u32.saturating_sub(shift);
                return Some((raw << unused).cast_signed() >> unused);
            }
        }
    }

    /// Reads the bytes up to a NUL, and skips the NUL.
    pub(super) fn text(&mut self) -> Option<&'a [u8]> {
        let rest = self.section.bytes.get(self.at..self.end)?;
        let len = rest.iter().position(|byte| *byte == 0)?;
        self.take(len + 1)?.get(..len)
    }

    /// Returns the bytes from `from` up to the cursor.
    pub(super) fn since(&self, from: usize) -> Span {
        self.section.place(from, self.at)
    }

    /// Returns the remaining bytes.
    pub(super) fn rest(&self) -> Span {
        self.section.place(self.at, self.end)
    }

    /// Reads a number of `len` bytes as a row.
    pub(super) fn field(
        &mut self,
        name: &'static str,
        len: usize,
        hex: bool,
        doc: &'static Doc,
    ) -> Option<(u64, Node)> {
        let from = self.at;
        let raw = self.number(len)?;
        let bits = u8::try_from(len * 8).unwrap_or(u8::MAX);
        let value = if hex {
            Value::hex(raw, bits)
        } else {
            Value::decimal(raw, bits)
        };
        Some((raw, Node::field(name, value, self.since(from)).doc(doc)))
    }

    /// Reads a LEB128 number as a row.
    pub(super) fn leb_field(
        &mut self,
        name: &'static str,
        doc: &'static Doc,
    ) -> Option<(u64, Node)> {
        let from = self.at;
        let raw = self.leb()?;
        let node = Node::field(name, Value::decimal(raw, 64), self.since(from));
        Some((raw, node.doc(doc)))
    }
}

/// Shortens text for a summary.
pub(super) fn short(bytes: &[u8]) -> String {
    const SHORT_LEN: usize = 120;
    // One more than is kept, in characters of at most four bytes.
    let start = bytes.get(..4 * (SHORT_LEN + 1)).unwrap_or(bytes);
    cut_end(&String::from_utf8_lossy(start), SHORT_LEN).into_owned()
}
