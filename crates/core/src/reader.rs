//! A cursor over bytes that tracks its position in the file.

use crate::model::{Bytes, SourceError, Sources, Span, Spanned};

/// The byte order of numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Endian {
    /// Lowest byte first: everything that this project decodes, except foreign ELF files.
    #[default]
    Little,
    /// Highest byte first.
    Big,
}

/// An error of a read. Turned into a diagnostic where it is caught; never passed on further.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReadError {
    /// The bytes are out of bounds.
    OutOfBounds {
        /// The requested span.
        wanted: Span,
        /// The available span.
        available: Span,
    },
    /// The source could not be read.
    Source(SourceError),
}

impl From<SourceError> for ReadError {
    fn from(error: SourceError) -> ReadError {
        ReadError::Source(error)
    }
}

/// A read's outcome.
pub type ReadResult<T> = Result<T, ReadError>;

/// Bytes of a file together with their span: the input of a [`Reader`].
#[derive(Debug, Clone)]
pub struct Window {
    bytes: Bytes,
    span: Span,
}

impl Window {
    /// Reads all bytes of `span`.
    ///
    /// # Errors
    ///
    /// Returns an error if they are out of bounds or cannot be read.
    pub fn read(sources: &Sources, span: Span) -> ReadResult<Window> {
        let bytes = sources.read(span)?;
        Ok(Window { bytes, span })
    }

    /// Reads the part of `span` that is in the file; empty if it cannot be read.
    pub fn clamped(sources: &Sources, span: Span) -> Window {
        let span = span.intersect(sources.whole(span.source));
        match sources.read(span) {
            Ok(bytes) => Window { bytes, span },
            Err(_) => Window {
                bytes: Bytes::from(Vec::new()),
                span: Span::new(span.source, span.start, span.start),
            },
        }
    }

    /// The first `len` bytes, without reading ahead: see [`Sources::peek`].
    pub fn peek(sources: &Sources, span: Span, len: u64) -> Window {
        let span = span.subspan(0, len).intersect(sources.whole(span.source));
        match sources.peek(span) {
            Ok(bytes) => Window { bytes, span },
            Err(_) => Window::clamped(sources, span.subspan(0, 0)),
        }
    }

    /// Pads the bytes with zeros to at least `len`.
    pub fn padded(self, len: u64) -> Window {
        let len = usize::try_from(len).unwrap_or(0);
        if self.bytes.len() >= len {
            return self;
        }
        let mut bytes = self.bytes.to_vec();
        bytes.resize(len, 0);
        Window {
            bytes: Bytes::from(bytes),
            span: self.span,
        }
    }

    /// The span of the bytes.
    pub fn span(&self) -> Span {
        self.span
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// A cursor at the first byte.
    pub fn reader(&self, endian: Endian) -> Reader<'_> {
        Reader {
            data: &self.bytes,
            origin: self.span,
            pos: 0,
            endian,
        }
    }
}

/// A bounds-checked cursor. Its positions are file positions at any depth, because readers made
/// from another one keep the absolute origin.
#[derive(Debug, Clone, Copy)]
pub struct Reader<'a> {
    data: &'a [u8],
    origin: Span,
    pos: u64,
    endian: Endian,
}

impl<'a> Reader<'a> {
    /// `len` bytes at `offset` of this reader's bytes, as a reader of their own.
    ///
    /// The only place where a file offset becomes an index.
    ///
    /// # Errors
    ///
    /// Returns an error if they are out of bounds.
    pub fn at(&self, offset: u64, len: u64) -> ReadResult<Reader<'a>> {
        let start = self.origin.start.saturating_add(offset);
        let wanted = Span::with_len(self.origin.source, start, len);
        let slice = || {
            let from = usize::try_from(offset).ok()?;
            let to = from.checked_add(usize::try_from(len).ok()?)?;
            self.data.get(from..to)
        };
        match slice() {
            Some(data) => Ok(Reader {
                data,
                origin: wanted,
                pos: 0,
                endian: self.endian,
            }),
            None => Err(ReadError::OutOfBounds {
                wanted,
                available: self.origin,
            }),
        }
    }

    /// The next `len` bytes.
    ///
    /// # Errors
    ///
    /// Returns an error if they are out of bounds; the cursor stays.
    pub fn bytes(&mut self, len: u64) -> ReadResult<Spanned<&'a [u8]>> {
        let inner = self.at(self.pos, len)?;
        self.pos += len;
        Ok(Spanned {
            value: inner.data,
            span: inner.origin,
        })
    }

    /// The next number.
    ///
    /// # Errors
    ///
    /// Returns an error if its bytes are out of bounds; the cursor stays.
    pub fn read<T: Scalar>(&mut self) -> ReadResult<Spanned<T>> {
        let bytes = self.bytes(T::SIZE)?;
        Ok(Spanned {
            value: T::decode(bytes.value, self.endian),
            span: bytes.span,
        })
    }

    /// The next number of `size` bytes (at most 8), widened.
    ///
    /// # Errors
    ///
    /// Returns an error if its bytes are out of bounds; the cursor stays.
    pub fn uint(&mut self, size: u64) -> ReadResult<Spanned<u64>> {
        let bytes = self.bytes(size)?;
        Ok(Spanned {
            value: uint(bytes.value, self.endian),
            span: bytes.span,
        })
    }

    /// The span of the unread bytes.
    pub fn rest(&self) -> Span {
        self.origin.skip(self.pos)
    }

    /// The distance of the cursor from this reader's first byte.
    pub fn position(&self) -> u64 {
        self.pos
    }

    /// The byte order.
    pub fn endian(&self) -> Endian {
        self.endian
    }
}

/// A number of fixed size.
pub trait Scalar: Sized {
    /// Its size in bytes.
    const SIZE: u64;
    /// Its size as a length in memory.
    const BYTES: usize;
    /// Decodes exactly [`Self::SIZE`] bytes.
    fn decode(bytes: &[u8], endian: Endian) -> Self;
}

/// Up to eight bytes as a number.
pub fn uint(bytes: &[u8], endian: Endian) -> u64 {
    let add = |sum: u64, byte: &u8| (sum << 8) | u64::from(*byte);
    match endian {
        Endian::Little => bytes.iter().rev().fold(0, add),
        Endian::Big => bytes.iter().fold(0, add),
    }
}

macro_rules! scalar {
    ($($ty:ident = $size:literal),*) => {$(
        impl Scalar for $ty {
            const SIZE: u64 = $size;
            const BYTES: usize = $size;
            fn decode(bytes: &[u8], endian: Endian) -> $ty {
                let raw: Result<[u8; $size], _> = bytes.try_into();
                match (raw, endian) {
                    (Ok(raw), Endian::Little) => $ty::from_le_bytes(raw),
                    (Ok(raw), Endian::Big) => $ty::from_be_bytes(raw),
                    (Err(_), _) => 0,
                }
            }
        }
    )*};
}

scalar!(u8 = 1, u16 = 2, u32 = 4, u64 = 8);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{MemorySource, SourceId};

    fn window(bytes: &[u8]) -> Window {
        let sources = Sources::new("t", Box::new(MemorySource::from(bytes.to_vec())));
        Window::read(&sources, sources.whole(SourceId::FILE)).unwrap()
    }

    #[test]
    fn positions_stay_absolute() {
        let window = window(&[1, 2, 3, 4, 5, 6, 7, 8]);
        let reader = window.reader(Endian::Little);
        let mut inner = reader.at(2, 6).unwrap().at(1, 4).unwrap();
        let number = inner.read::<u16>().unwrap();
        assert_eq!(number.value, 0x0504);
        assert_eq!((number.span.start, number.span.end), (3, 5));
        assert_eq!(inner.rest().start, 5);
    }

    #[test]
    fn errors_contain_the_missing_bytes() {
        let window = window(&[1, 2, 3]);
        let mut reader = window.reader(Endian::Big);
        assert_eq!(reader.read::<u16>().unwrap().value, 0x0102);
        let Err(ReadError::OutOfBounds { wanted, available }) = reader.read::<u32>() else {
            panic!("read past the end");
        };
        assert_eq!((wanted.start, wanted.end), (2, 6));
        assert_eq!((available.start, available.end), (0, 3));
        assert!(reader.at(u64::MAX, 1).is_err());
        assert!(reader.at(1, u64::MAX).is_err());
    }
}
