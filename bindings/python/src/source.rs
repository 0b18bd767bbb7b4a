//! The bytes of a document.

use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PySlice;
use zeview::model::{ByteSource, Bytes, FileSource, SourceError, SourceId, Span};

/// The bytes of a document, for any thread: clones share them.
#[derive(Clone)]
pub enum Source {
    /// A file, read by position.
    File(FileSource),
    /// A `bytes` object, not copied.
    Bytes(Arc<PyBackedBytes>),
    /// A `memoryview` of bytes, and its length; slices are copied on demand.
    Buffer(Arc<Py<PyAny>>, u64),
}

/// A source whose reads fail once it is canceled, so that the work on it ends.
pub struct CancelableSource {
    /// The bytes.
    pub source: Source,
    /// Whether to fail.
    pub is_canceled: Arc<AtomicBool>,
}

impl ByteSource for CancelableSource {
    fn len(&self) -> u64 {
        match &self.source {
            Source::File(file) => file.len(),
            Source::Bytes(bytes) => bytes.len() as u64,
            Source::Buffer(_, len) => *len,
        }
    }

    fn is_cheap(&self) -> bool {
        true
    }

    fn read(&self, start: u64, len: u64) -> Result<Bytes, SourceError> {
        let fail = |message: String| SourceError {
            span: Span::with_len(SourceId::FILE, start, len),
            message,
        };
        if self.is_canceled.load(Ordering::Relaxed) {
            return Err(fail("canceled".to_owned()));
        }
        match &self.source {
            Source::File(file) => file.read(start, len),
            Source::Bytes(bytes) => {
                let read = slice(bytes, start, len).map(|bytes| Bytes::from(bytes.to_vec()));
                read.ok_or_else(|| fail("out of range".to_owned()))
            }
            Source::Buffer(view, whole) => {
                let end = start.checked_add(len).filter(|end| end <= whole);
                let end = end.ok_or_else(|| fail("out of range".to_owned()))?;
                let read = Python::try_attach(|py| copy(view.bind(py), start, end));
                match read {
                    Some(Ok(bytes)) if bytes.len() as u64 == len => Ok(Bytes::from(bytes)),
                    Some(Ok(_)) => Err(fail("the buffer has become shorter".to_owned())),
                    Some(Err(error)) => Err(fail(error.to_string())),
                    None => Err(fail("the interpreter is shutting down".to_owned())),
                }
            }
        }
    }
}

fn slice(bytes: &[u8], start: u64, len: u64) -> Option<&[u8]> {
    let start = usize::try_from(start).ok()?;
    bytes.get(start..start.checked_add(usize::try_from(len).ok()?)?)
}

/// Copies a range of a `memoryview`.
fn copy(view: &Bound<'_, PyAny>, start: u64, end: u64) -> PyResult<Vec<u8>> {
    let slice = PySlice::new(view.py(), isize::try_from(start)?, isize::try_from(end)?, 1);
    let part = view.get_item(slice)?;
    let bytes: PyBackedBytes = part.call_method0("tobytes")?.extract()?;
    part.call_method0("release")?;
    Ok(bytes.deref().to_vec())
}
