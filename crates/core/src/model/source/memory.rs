//! Bytes in memory.

use std::rc::Rc;

use super::{ByteSource, Bytes, SourceError};
use crate::model::span::{SourceId, Span};

/// Bytes in memory: tests, pasted text, data from JavaScript, decompressed data.
#[derive(Debug, Clone)]
pub struct MemorySource(Rc<Vec<u8>>);

impl<T: Into<Vec<u8>>> From<T> for MemorySource {
    fn from(bytes: T) -> MemorySource {
        MemorySource(Rc::new(bytes.into()))
    }
}

impl ByteSource for MemorySource {
    fn len(&self) -> u64 {
        self.0.len() as u64
    }

    fn read(&self, start: u64, len: u64) -> Result<Bytes, SourceError> {
        let range = || {
            let from = usize::try_from(start).ok()?;
            let to = from.checked_add(usize::try_from(len).ok()?)?;
            (to <= self.0.len()).then(|| Bytes::from(Rc::clone(&self.0)).slice(from, to))
        };
        range().ok_or_else(|| SourceError {
            span: Span::with_len(SourceId::FILE, start, len),
            message: "out of range".to_owned(),
        })
    }
}
