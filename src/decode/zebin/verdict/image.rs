//! The file as the driver has it in memory. It adds offsets to addresses without a thought, so
//! that a piece of the file can also be before it, or far behind it.

use crate::decode::reader::{Endian, Window, uint};
use crate::model::{Bytes, Sources, Span};

/// A file in memory.
#[derive(Clone, Copy)]
pub struct Image<'a> {
    /// The bytes.
    pub sources: &'a Sources,
    /// All of the file.
    pub file: Span,
}

/// A piece of memory, relative to the start of the file.
#[derive(Debug, Clone, Copy)]
pub struct Piece {
    /// Where it starts; above 2^63: before the file.
    pub start: u64,
    /// How long it is said to be.
    pub len: u64,
    /// There is no memory at all.
    pub null: bool,
}

/// Where a piece of memory is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Where {
    /// In the file.
    Inside(Span),
    /// It starts so many bytes before the file: whatever was there.
    Before(u64),
    /// It runs far behind the file: reading it crashes.
    Behind,
    /// Nowhere: reading it crashes.
    Null,
}

/// So far around the file memory can be read, most likely.
pub const AROUND: u64 = 4096;

impl Piece {
    /// No memory.
    pub const NULL: Piece = Piece {
        start: 0,
        len: 0,
        null: true,
    };
}

impl Image<'_> {
    /// How long the file is.
    pub fn len(&self) -> u64 {
        self.file.len()
    }

    /// The bytes at an offset, as far as they are in the file.
    pub fn span(&self, start: u64, len: u64) -> Span {
        self.file.sub(start, len)
    }

    /// Where a piece of memory is.
    pub fn locate(&self, piece: Piece) -> Where {
        if piece.null {
            return Where::Null;
        }
        if piece.start > i64::MAX.unsigned_abs() {
            return Where::Before(piece.start.wrapping_neg());
        }
        match piece.start.checked_add(piece.len) {
            Some(end) if end <= self.len() => Where::Inside(self.span(piece.start, piece.len)),
            _ => Where::Behind,
        }
    }

    /// The bytes of a span of the file.
    pub fn read(&self, span: Span) -> Bytes {
        self.sources
            .read(span)
            .unwrap_or_else(|_| Bytes::from(Vec::new()))
    }

    /// `len` bytes at an offset; zeros where there are none.
    pub fn record<const LEN: usize>(&self, start: u64) -> [u8; LEN] {
        let window = Window::clamped(self.sources, self.span(start, LEN as u64));
        let mut record = [0; LEN];
        for (to, from) in record.iter_mut().zip(window.bytes()) {
            *to = *from;
        }
        record
    }
}

/// A little-endian number of `len` bytes at `at`; 0 where there are none.
pub fn number(bytes: &[u8], at: usize, len: usize) -> u64 {
    let field = bytes.get(at..).and_then(|rest| rest.get(..len));
    field.map_or(0, |field| uint(field, Endian::Little))
}

/// The same, of at most 4 bytes.
pub fn number32(bytes: &[u8], at: usize, len: usize) -> u32 {
    u32::try_from(number(bytes, at, len.min(4))).unwrap_or(0)
}
