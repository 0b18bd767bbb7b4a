//! Byte sources for JavaScript objects: files and blobs, read in pieces, and arrays.

use std::iter::repeat_n;
use std::rc::Rc;

use js_sys::{ArrayBuffer, Reflect, Uint8Array};
use wasm_bindgen::JsValue;
use web_sys::{Blob, FileReaderSync};

use crate::model::{ByteSource, Bytes, SourceError, SourceId, Span};

/// Maximum length of a read, in bytes.
const PIECE: u64 = 4 * 1024 * 1024;
/// Minimum length of a read from a file longer than [`PIECE`], in bytes.
const GRAIN: u64 = 128 * 1024;

/// A `File` or `Blob`, read on demand. For workers only: windows cannot block on a read.
pub struct BlobSource {
    blob: Blob,
    reader: FileReaderSync,
    len: u64,
}

impl BlobSource {
    /// Wraps a blob without reading it.
    ///
    /// # Errors
    ///
    /// If this is not a worker.
    pub fn new(blob: Blob) -> Result<BlobSource, String> {
        let reader = FileReaderSync::new()
            .map_err(|_| "files can only be read by position in a worker".to_owned())?;
        let len = whole_number(blob.size()).unwrap_or(0);
        Ok(BlobSource { blob, reader, len })
    }

    /// Returns `None` if fewer bytes are available.
    fn piece(&self, start: u64, end: u64) -> Result<Option<Uint8Array>, JsValue> {
        // Positions are floating-point numbers: 32 bits end at 4 GB.
        let slice = self
            .blob
            .slice_with_f64_and_f64(number(start), number(end))?;
        let buffer: ArrayBuffer = self.reader.read_as_array_buffer(&slice)?;
        let complete = u64::from(buffer.byte_length()) == end - start;
        Ok(complete.then(|| Uint8Array::new(&buffer)))
    }
}

impl ByteSource for BlobSource {
    fn len(&self) -> u64 {
        self.len
    }

    /// Each read is a message to another process and back, which takes more than a millisecond, as
    /// long as reading megabytes. So small files are read at once.
    fn grain(&self) -> u64 {
        if self.len <= PIECE { self.len } else { GRAIN }
    }

    fn read(&self, start: u64, len: u64) -> Result<Bytes, SourceError> {
        let (mut bytes, end) = room(start, len, self.len)?;
        let target = Rc::get_mut(&mut bytes).unwrap_or_default();
        let mut at = start;
        for target in target.chunks_mut(usize::try_from(PIECE).unwrap_or(usize::MAX)) {
            let until = end.min(at.saturating_add(PIECE));
            match self.piece(at, until) {
                Ok(Some(piece)) => piece.copy_to(target),
                Ok(None) => return Err(error(start, len, "the file was truncated")),
                Err(thrown) => return Err(error(start, len, &reason(&thrown))),
            }
            at = until;
        }
        Ok(Bytes::from(bytes))
    }
}

/// The memory of a JavaScript array. Copies only what is read, so the array must not change while
/// this is in use.
pub struct ArraySource {
    array: Uint8Array,
    len: u64,
}

impl ArraySource {
    /// Wraps an array.
    pub fn new(array: Uint8Array) -> ArraySource {
        let len = u64::from(array.length());
        ArraySource { array, len }
    }
}

impl ByteSource for ArraySource {
    fn len(&self) -> u64 {
        self.len
    }

    fn read(&self, start: u64, len: u64) -> Result<Bytes, SourceError> {
        let (mut bytes, end) = room(start, len, self.len)?;
        // An array whose buffer was transferred is empty from then on.
        let is_intact = u64::from(self.array.length()) == self.len;
        match u32::try_from(start).ok().zip(u32::try_from(end).ok()) {
            Some((start, end)) if is_intact => {
                let target = Rc::get_mut(&mut bytes).unwrap_or_default();
                self.array.subarray(start, end).copy_to(target);
                Ok(Bytes::from(bytes))
            }
            _ => Err(error(start, len, "the array was transferred or truncated")),
        }
    }
}

/// Allocates a buffer for the available bytes and returns it with their end.
fn room(start: u64, len: u64, available: u64) -> Result<(Rc<[u8]>, u64), SourceError> {
    let end = start.checked_add(len).filter(|end| *end <= available);
    let Some(end) = end else {
        return Err(error(start, len, "out of range"));
    };
    // A failed allocation of shared memory would end the process, so reserve as much first.
    let length = usize::try_from(len).ok();
    let length = length.filter(|len| Vec::<u8>::new().try_reserve_exact(*len).is_ok());
    match length {
        Some(length) => Ok((repeat_n(0, length).collect(), end)),
        None => Err(error(start, len, "not enough memory")),
    }
}

fn error(start: u64, len: u64, message: &str) -> SourceError {
    SourceError {
        span: Span::with_len(SourceId::FILE, start, len),
        message: message.to_owned(),
    }
}

/// Describes a thrown value. Chromium and Firefox throw `NotReadableError` for a file that was
/// modified since it was opened, and `NotFoundError` for one that is gone.
pub(crate) fn reason(thrown: &JsValue) -> String {
    let member = |name: &str| {
        let value = Reflect::get(thrown, &name.into()).ok();
        value.and_then(|value| value.as_string())
    };
    match member("name").as_deref() {
        Some("NotReadableError") => {
            "the file was changed after it was chosen, or is not readable".to_owned()
        }
        Some("NotFoundError") => "the file was moved or deleted".to_owned(),
        Some("NotAllowedError" | "SecurityError") => "the browser denies access".to_owned(),
        _ => member("message").unwrap_or_else(|| "unknown browser error".to_owned()),
    }
}

/// Converts a JavaScript number to a count.
pub(crate) fn whole_number(number: f64) -> Option<u64> {
    const MAX: f64 = 9_007_199_254_740_991.0;
    let whole = (0.0..=MAX).contains(&number) && number.fract() == 0.0;
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    whole.then_some(number as u64)
}

/// Converts a position to a JavaScript number: exact to 2⁵³, and no file is larger.
#[allow(clippy::cast_precision_loss)]
pub(crate) fn number(count: u64) -> f64 {
    count as f64
}
