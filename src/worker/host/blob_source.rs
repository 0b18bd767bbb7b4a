//! Byte sources for JavaScript objects: files and blobs, read in pieces, and arrays.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use js_sys::{ArrayBuffer, Promise, Reflect, Uint8Array};
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, FileReaderSync};

use super::inflater::Inflater;
use crate::model::{ByteSource, Bytes, DeflatedPart, Inflation, SourceError, SourceId, Span};

/// Maximum length of a read, in bytes.
const PIECE: u64 = 4 * 1024 * 1024;
/// Minimum length of a read from a file longer than [`PIECE`], in bytes.
const GRAIN: u64 = 128 * 1024;

/// A `File` or `Blob`, read on demand. For workers only: windows cannot block on a read.
pub struct BlobSource {
    blob: Blob,
    reader: FileReaderSync,
    len: u64,
    ahead: Rc<ReadAhead>,
    inflater: Rc<Inflater>,
}

impl BlobSource {
    /// Wraps a blob without reading it.
    ///
    /// # Errors
    ///
    /// If this is not a worker.
    pub fn new(blob: Blob, inflater: &Rc<Inflater>) -> Result<BlobSource, String> {
        let reader = FileReaderSync::new()
            .map_err(|_| "files can only be read by position in a worker".to_owned())?;
        let len = whole_number(blob.size()).unwrap_or(0);
        Ok(BlobSource {
            blob,
            reader,
            len,
            ahead: Rc::default(),
            inflater: Rc::clone(inflater),
        })
    }

    /// Returns the bytes that are fetched in the background. Who answers requests from this source
    /// lets them arrive in between ([`ReadAhead::catch_up`]).
    pub fn read_ahead(&self) -> Rc<ReadAhead> {
        Rc::clone(&self.ahead)
    }

    fn slice(&self, start: u64, end: u64) -> Result<Blob, JsValue> {
        // Positions are floating-point numbers: 32 bits end at 4 GB.
        self.blob.slice_with_f64_and_f64(number(start), number(end))
    }

    /// Returns `None` if fewer bytes are available.
    fn piece(&self, start: u64, end: u64) -> Result<Option<Uint8Array>, JsValue> {
        let slice = self.slice(start, end)?;
        let buffer: ArrayBuffer = self.reader.read_as_array_buffer(&slice)?;
        super::tell_read(u64::from(buffer.byte_length()));
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

    fn announce(&self, start: u64, len: u64) {
        let end = start.saturating_add(len);
        if let Ok(slice) = self.slice(start, end) {
            self.ahead.add(start, end, slice.array_buffer());
        }
    }

    fn is_ready(&self, start: u64, len: u64) -> bool {
        self.ahead.holds(start, start.saturating_add(len))
    }

    fn inflate_ahead(&self, part: &DeflatedPart) {
        self.inflater.begin(&self.blob, part, false);
    }

    fn inflate(&self, part: &DeflatedPart) -> Inflation {
        self.inflater.inflate(&self.blob, part)
    }

    fn read(&self, start: u64, len: u64) -> Result<Bytes, SourceError> {
        let (mut bytes, end) = room(start, len, self.len)?;
        if let Some(piece) = self.ahead.take(start, end) {
            return Ok(Bytes::from(piece.to_vec()));
        }
        let mut at = start;
        while at < end {
            let until = end.min(at.saturating_add(PIECE));
            match self.piece(at, until) {
                Ok(Some(piece)) if (at, until) == (start, end) => {
                    return Ok(Bytes::from(piece.to_vec()));
                }
                Ok(Some(piece)) => bytes.extend_from_slice(&piece.to_vec()),
                Ok(None) => return Err(error(start, len, "the file was truncated")),
                Err(thrown) => return Err(error(start, len, &reason(&thrown))),
            }
            at = until;
        }
        Ok(Bytes::from(bytes))
    }
}

/// Pieces of a blob that were announced. A read that blocks waits several times as long as one in
/// the background: the browser's other processes and threads take part in both.
#[derive(Default)]
pub struct ReadAhead(RefCell<VecDeque<Fetched>>);

/// Bytes `start..end`.
struct Fetched {
    start: u64,
    end: u64,
    promise: Promise,
    /// The bytes, once they have arrived.
    bytes: Option<Uint8Array>,
}

/// Maximum number of pieces that are kept.
const PIECES: usize = 12;

impl ReadAhead {
    fn add(&self, start: u64, end: u64, promise: Promise) {
        let mut pieces = self.0.borrow_mut();
        if pieces.iter().any(|of| (of.start, of.end) == (start, end)) {
            return;
        }
        pieces.truncate(PIECES - 1);
        pieces.push_front(Fetched {
            start,
            end,
            promise,
            bytes: None,
        });
    }

    fn holds(&self, start: u64, end: u64) -> bool {
        let pieces = self.0.borrow();
        let holds = |of: &Fetched| of.bytes.is_some() && of.start <= start && end <= of.end;
        pieces.iter().any(holds)
    }

    /// Returns the bytes if they have arrived, and forgets a piece that is read to its
    /// last unit of the cache.
    fn take(&self, start: u64, end: u64) -> Option<Uint8Array> {
        let mut pieces = self.0.borrow_mut();
        let at = pieces
            .iter()
            .position(|of| of.bytes.is_some() && of.start <= start && end <= of.end)?;
        let piece = pieces.get(at)?;
        let from = u32::try_from(start.checked_sub(piece.start)?).ok()?;
        let to = u32::try_from(end.checked_sub(piece.start)?).ok()?;
        let bytes = piece.bytes.as_ref()?.subarray(from, to);
        if end + GRAIN > piece.end {
            pieces.remove(at);
        }
        Some(bytes)
    }

    /// Returns the start and promise of the oldest piece that has not arrived.
    fn pending(&self) -> Option<(u64, Promise)> {
        let pieces = self.0.borrow();
        let oldest = pieces.iter().rfind(|of| of.bytes.is_none());
        oldest.map(|of| (of.start, of.promise.clone()))
    }

    /// Whether fewer than half of the announced pieces have arrived. The others arrive while those
    /// are read.
    pub fn is_behind(&self) -> bool {
        let pieces = self.0.borrow();
        let arrived = pieces.iter().filter(|of| of.bytes.is_some()).count();
        arrived * 2 < pieces.len()
    }

    /// Waits until the source [is not behind](ReadAhead::is_behind). Bytes that cannot be read are
    /// forgotten: reading them reports the error.
    pub async fn catch_up(&self) {
        while self.is_behind()
            && let Some((start, promise)) = self.pending()
        {
            let read = JsFuture::from(promise).await;
            let bytes = read.ok().map(|buffer| Uint8Array::new(&buffer));
            self.0.borrow_mut().retain_mut(|of| {
                if of.start != start || of.bytes.is_some() {
                    return true;
                }
                let complete = |bytes: &Uint8Array| u64::from(bytes.length()) == of.end - of.start;
                of.bytes = bytes.clone().filter(complete);
                of.bytes.is_some()
            });
        }
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
        let (_, end) = room(start, len, self.len)?;
        // An array whose buffer was transferred is empty from then on.
        let is_intact = u64::from(self.array.length()) == self.len;
        match u32::try_from(start).ok().zip(u32::try_from(end).ok()) {
            Some((start, end)) if is_intact => {
                Ok(Bytes::from(self.array.subarray(start, end).to_vec()))
            }
            _ => Err(error(start, len, "the array was transferred or truncated")),
        }
    }
}

/// Allocates an empty buffer for the available bytes and returns it with their end.
pub(super) fn room(start: u64, len: u64, available: u64) -> Result<(Vec<u8>, u64), SourceError> {
    let end = start.checked_add(len).filter(|end| *end <= available);
    let Some(end) = end else {
        return Err(error(start, len, "out of range"));
    };
    // A failed allocation would end the process.
    let mut bytes = Vec::new();
    match usize::try_from(len).map(|len| bytes.try_reserve_exact(len)) {
        Ok(Ok(())) => Ok((bytes, end)),
        _ => Err(error(start, len, "not enough memory")),
    }
}

pub(super) fn error(start: u64, len: u64, message: &str) -> SourceError {
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
