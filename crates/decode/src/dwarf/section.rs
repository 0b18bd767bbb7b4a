//! A debug section.

use std::cell::OnceCell;
use std::ops::Range;

use gimli::{EndianSlice, RunTimeEndian};

use super::cursor::{Cursor, short};
use super::paged::Paged;
use super::relocate::PatchedField;
use crate::reader::Endian;
use zeview_core::model::{Bytes, Span};

/// A section that zeview decodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Info,
    Abbrev,
    Line,
    Loc,
    Ranges,
}

impl Part {
    pub(super) const ALL: [Part; 5] = [
        Part::Info,
        Part::Abbrev,
        Part::Line,
        Part::Loc,
        Part::Ranges,
    ];

    /// Returns its name in the file.
    pub(super) fn name(self) -> &'static str {
        match self {
            Part::Info => ".debug_info",
            Part::Abbrev => ".debug_abbrev",
            Part::Line => ".debug_line",
            Part::Loc => ".debug_loc",
            Part::Ranges => ".debug_ranges",
        }
    }
}

/// Bytes with the relocations applied.
pub(super) type Slice<'a> = EndianSlice<'a, RunTimeEndian>;

/// A debug section; empty if the file has none of that name.
pub(super) struct Section {
    /// Its bytes in the file.
    pub(super) span: Span,
    /// The stored bytes.
    pub(super) bytes: Bytes,
    /// The bytes with the relocations applied.
    pub(super) patched: Bytes,
    pub(super) fixes: Vec<PatchedField>,
    /// Its byte order.
    pub(super) endian: Endian,
    /// The checkpoints of its rows.
    pub(super) paged: Paged,
    /// The first NUL from the start of each [`BLOCK`] on: many references may point into one long
    /// string.
    pub(super) nuls: OnceCell<Vec<u32>>,
}

const BLOCK: usize = 256;

impl Section {
    /// Returns the bytes with the relocations applied.
    pub(super) fn slice(&self) -> Slice<'_> {
        let endian = match self.endian {
            Endian::Little => RunTimeEndian::Little,
            Endian::Big => RunTimeEndian::Big,
        };
        EndianSlice::new(&self.patched, endian)
    }

    /// Returns a cursor over the bytes `range`, as stored in the file.
    pub(super) fn cursor(&self, range: Range<usize>) -> Cursor<'_> {
        let end = self.bytes.len();
        Cursor {
            section: self,
            at: range.start.min(end),
            end: range.end.min(end),
        }
    }

    /// Returns the location in the file of the bytes `from..to`.
    pub(super) fn place(&self, from: usize, to: usize) -> Span {
        self.span
            .subspan(from as u64, to.saturating_sub(from) as u64)
    }

    /// Returns the relocation of the bytes at an offset.
    pub(super) fn fix(&self, at: usize) -> Option<&PatchedField> {
        let found = self.fixes.binary_search_by_key(&at, |fix| fix.offset);
        self.fixes.get(found.ok()?)
    }

    /// Returns the string at an offset, and its bytes.
    pub(super) fn string(&self, offset: u64) -> Option<(String, Span)> {
        let from = usize::try_from(offset).ok()?;
        let nul = self.nul_from(from)?;
        let text = self.bytes.get(from..nul)?;
        Some((short(text), self.place(from, nul + 1)))
    }

    /// Returns the first NUL from an offset on.
    fn nul_from(&self, from: usize) -> Option<usize> {
        let is_nul = |byte: &u8| *byte == 0;
        let block_end = (from / BLOCK + 1).checked_mul(BLOCK)?;
        let rest = self.bytes.get(from..block_end.min(self.bytes.len()))?;
        if let Some(at) = rest.iter().position(is_nul) {
            return Some(from + at);
        }
        let nuls = self.nuls.get_or_init(|| {
            let mut next = u32::MAX;
            let mut nuls = Vec::new();
            for (number, block) in self.bytes.chunks(BLOCK).enumerate().rev() {
                if let Some(at) = block.iter().position(is_nul) {
                    next = u32::try_from(number * BLOCK + at).unwrap_or(u32::MAX);
                }
                nuls.push(next);
            }
            nuls.reverse();
            nuls
        });
        let nul = *nuls.get(block_end / BLOCK)?;
        usize::try_from(nul).ok().filter(|_| nul != u32::MAX)
    }
}

/// The source line from an offset in a code section up to the next line.
#[derive(Debug, Clone)]
pub struct Line {
    /// `file.cl:12`; empty if the line is unknown.
    pub place: String,
    /// The bytes of the line table that define it.
    pub span: Span,
}
