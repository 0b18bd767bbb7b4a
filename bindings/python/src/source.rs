//! The bytes of a document.

use std::ops::Deref;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PySlice;
use zeview::model::{
    ByteSource, Bytes, FileSource, FolderSource, ListedFile, SourceError, SourceId, Span,
};

/// The bytes of a document, for any thread: clones share them.
#[derive(Clone)]
pub enum Source {
    /// A file, read by position.
    File(FileSource),
    /// The files of a folder.
    Folder(Arc<Vec<(PathBuf, ListedFile)>>),
    /// A `bytes` object, not copied.
    Bytes(SharedBytes),
    /// A `memoryview`.
    Buffer(Buffer),
}

impl Source {
    /// Returns the bytes for one thread.
    fn open(self) -> Box<dyn ByteSource> {
        match self {
            Source::File(file) => Box::new(file),
            Source::Folder(files) => Box::new(FolderSource::new(files.to_vec())),
            Source::Bytes(bytes) => Box::new(bytes),
            Source::Buffer(buffer) => Box::new(buffer),
        }
    }
}

/// A source whose reads fail once it is canceled, so that the work on it ends.
pub struct CancelableSource {
    bytes: Box<dyn ByteSource>,
    is_canceled: Arc<AtomicBool>,
}

impl CancelableSource {
    /// Opens a source for one thread. Its reads fail once `is_canceled` is set.
    pub fn new(source: Source, is_canceled: Arc<AtomicBool>) -> CancelableSource {
        CancelableSource {
            bytes: source.open(),
            is_canceled,
        }
    }
}

impl ByteSource for CancelableSource {
    fn len(&self) -> u64 {
        self.bytes.len()
    }

    fn is_cheap(&self) -> bool {
        true
    }

    // Other threads read it, too: they end with the work.
    fn file(&self) -> Option<FileSource> {
        self.bytes.file()
    }

    fn read(&self, start: u64, len: u64) -> Result<Bytes, SourceError> {
        if self.is_canceled.load(Ordering::Relaxed) {
            return Err(failure(start, len, "canceled"));
        }
        self.bytes.read(start, len)
    }
}

/// A `bytes` object.
#[derive(Clone)]
pub struct SharedBytes(pub Arc<PyBackedBytes>);

impl ByteSource for SharedBytes {
    fn len(&self) -> u64 {
        self.0.len() as u64
    }

    fn read(&self, start: u64, len: u64) -> Result<Bytes, SourceError> {
        let read = slice(&self.0, start, len).map(|bytes| Bytes::from(bytes.to_vec()));
        read.ok_or_else(|| failure(start, len, "out of range"))
    }
}

/// A `memoryview` of bytes, whose slices are copied on demand.
#[derive(Clone)]
pub struct Buffer {
    /// The `memoryview`.
    pub view: Arc<Py<PyAny>>,
    /// Its length in bytes.
    pub len: u64,
}

impl ByteSource for Buffer {
    fn len(&self) -> u64 {
        self.len
    }

    fn read(&self, start: u64, len: u64) -> Result<Bytes, SourceError> {
        let fail = |message: &str| failure(start, len, message);
        let end = start.checked_add(len).filter(|end| *end <= self.len);
        let end = end.ok_or_else(|| fail("out of range"))?;
        let read = Python::try_attach(|py| copy(self.view.bind(py), start, end));
        match read {
            Some(Ok(bytes)) if bytes.len() as u64 == len => Ok(Bytes::from(bytes)),
            Some(Ok(_)) => Err(fail("the buffer has become shorter")),
            Some(Err(error)) => Err(fail(&error.to_string())),
            None => Err(fail("the interpreter is shutting down")),
        }
    }
}

fn failure(start: u64, len: u64, message: &str) -> SourceError {
    SourceError {
        span: Span::with_len(SourceId::FILE, start, len),
        message: message.to_owned(),
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
