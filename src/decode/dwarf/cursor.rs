//! A cursor over a debug section; it creates the rows of the fields that it reads.

use super::section::Section;
use crate::decode::reader::uint;
use crate::model::{Doc, Node, Span, Value};

/// A cursor over a section's bytes, as they stand in the file.
#[derive(Clone, Copy)]
pub(super) struct Cursor<'a> {
    /// The section.
    pub(super) section: &'a Section,
    /// Where it stands.
    pub(super) at: usize,
    /// Where it ends.
    pub(super) end: usize,
}

impl<'a> Cursor<'a> {
    /// The next bytes.
    pub(super) fn take(&mut self, len: usize) -> Option<&'a [u8]> {
        let to = self.at.checked_add(len).filter(|to| *to <= self.end)?;
        let bytes = self.section.bytes.get(self.at..to)?;
        self.at = to;
        Some(bytes)
    }

    /// A number of so many bytes.
    pub(super) fn number(&mut self, len: usize) -> Option<u64> {
        let endian = self.section.endian;
        self.take(len).map(|bytes| uint(bytes, endian))
    }

    /// A number in LEB128. Returns `None` if it has more than 64 bits.
    pub(super) fn leb(&mut self) -> Option<u64> {
        let (mut raw, mut shift) = (0u64, 0u32);
        loop {
            let byte = *self.take(1)?.first()?;
            // The tenth byte has the last bit.
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

    /// The same with a sign.
    pub(super) fn signed_leb(&mut self) -> Option<i64> {
        let (mut raw, mut shift) = (0u64, 0u32);
        loop {
            let byte = *self.take(1)?.first()?;
            // The tenth byte has the last bit, and repeats it.
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

    /// The bytes up to a NUL, which is skipped.
    pub(super) fn text(&mut self) -> Option<&'a [u8]> {
        let rest = self.section.bytes.get(self.at..self.end)?;
        let len = rest.iter().position(|byte| *byte == 0)?;
        self.take(len + 1)?.get(..len)
    }

    /// The bytes from `from` up to the cursor.
    pub(super) fn since(&self, from: usize) -> Span {
        self.section.place(from, self.at)
    }

    /// What is left.
    pub(super) fn rest(&self) -> Span {
        self.section.place(self.at, self.end)
    }

    /// The row of a number of so many bytes.
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

    /// The row of a number in LEB128.
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

/// Text for a summary: the start of a long one.
pub(super) fn short(bytes: &[u8]) -> String {
    const MOST: usize = 120;
    let text = String::from_utf8_lossy(bytes.get(..MOST).unwrap_or(bytes));
    if bytes.len() > MOST {
        format!("{text}…")
    } else {
        text.into_owned()
    }
}
