//! The file in the driver's memory. The driver adds offsets to addresses without a check, so a
//! range can start before the file, or end far past it.

use super::findings::{Findings, Refused};
use super::rules;
use crate::limits;
use crate::reader::Window;
use zeview_core::model::{Bytes, Sources, Span};

/// A file in memory.
#[derive(Clone, Copy)]
pub struct Image<'a> {
    /// The bytes.
    pub sources: &'a Sources,
    /// The span of the file.
    pub file: Span,
}

/// A range of memory, relative to the start of the file.
#[derive(Debug, Clone, Copy)]
pub struct MemRange {
    /// The start offset; above 2^63: before the file.
    pub start: u64,
    /// The length in bytes, as stored in the file.
    pub len: u64,
    /// Whether there is no memory at all.
    pub null: bool,
}

/// The location of a range of memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Location {
    /// In the file.
    InFile(Span),
    /// It starts this number of bytes before the file, with unknown contents.
    Before(u64),
    /// It ends far past the file: reading it crashes.
    Behind,
    /// Nowhere: reading it crashes.
    Null,
}

/// Number of bytes before and after the file that are probably readable.
pub const READABLE_NEAR_FILE: u64 = 4096;

/// Number of entries before and after a list in memory that are probably readable.
pub const READABLE_BEHIND_LIST: u64 = 10_000;

impl Image<'_> {
    /// The size of the file.
    pub fn len(&self) -> u64 {
        self.file.len()
    }

    /// The bytes at an offset, clipped to the file.
    pub fn span(&self, start: u64, len: u64) -> Span {
        self.file.subspan(start, len)
    }

    /// Locates a range of memory.
    pub fn locate(&self, range: MemRange) -> Location {
        if range.null {
            return Location::Null;
        }
        // The driver adds the offset to a pointer: as a signed number, it leads before the file.
        if range.start > i64::MAX.unsigned_abs() {
            return Location::Before(range.start.wrapping_neg());
        }
        match range.start.checked_add(range.len) {
            Some(end) if end <= self.len() => Location::InFile(self.span(range.start, range.len)),
            _ => Location::Behind,
        }
    }

    /// Reads the bytes of a span of the file.
    ///
    /// # Errors
    ///
    /// Returns an error if there are too many, or they cannot be read.
    pub fn read(&self, span: Span, findings: &mut Findings) -> Result<Bytes, Refused> {
        if span.len() > limits::ZE_INFO {
            let message = format_args!("{} bytes exceed the read limit", span.len());
            return findings.refuse(&rules::NOT_JUDGED, span, message);
        }
        findings.spend(span.len(), span)?;
        self.sources
            .read(span)
            .or_else(|error| findings.refuse(&rules::NOT_JUDGED, span, error))
    }

    /// Like [`read`](Self::read), for a table of records.
    ///
    /// # Errors
    ///
    /// Returns an error as [`read`](Self::read).
    pub fn window(&self, span: Span, findings: &mut Findings) -> Result<Window, Refused> {
        // Kept in memory, so that the same bytes are not read twice.
        let _bytes = self.read(span, findings)?;
        Ok(Window::clamped(self.sources, span))
    }

    /// `len` bytes at an offset, for a record; zeros past the end of the file.
    pub fn record(&self, start: u64, len: u64) -> Window {
        Window::clamped(self.sources, self.span(start, len)).padded(len)
    }
}

/// The 32-bit number at `at`; 0 if it is truncated.
pub fn word(bytes: &[u8], at: usize) -> u32 {
    let field = bytes.get(at..).and_then(|rest| rest.first_chunk());
    field.map_or(0, |field| u32::from_le_bytes(*field))
}
