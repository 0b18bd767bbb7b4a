//! A file of the operating system.

use std::cell::RefCell;
use std::fs::File;
use std::io;
use std::path::Path;

use super::{ByteSource, Bytes, SourceError};
use crate::model::span::{SourceId, Span};

/// A file, read by position.
#[derive(Debug)]
pub struct FileSource {
    file: RefCell<File>,
    len: u64,
}

impl FileSource {
    /// Opens a file.
    ///
    /// # Errors
    ///
    /// If it cannot be opened, or has no length: pipes and directories.
    pub fn open(path: &Path) -> io::Result<FileSource> {
        let file = File::open(path)?;
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "not a regular file",
            ));
        }
        Ok(FileSource {
            file: RefCell::new(file),
            len: metadata.len(),
        })
    }
}

impl FileSource {
    #[cfg(unix)]
    fn read_at(&self, start: u64, into: &mut [u8]) -> io::Result<()> {
        use std::os::unix::fs::FileExt;
        self.file.borrow().read_exact_at(into, start)
    }

    #[cfg(not(unix))]
    fn read_at(&self, start: u64, into: &mut [u8]) -> io::Result<()> {
        use std::io::{Read, Seek, SeekFrom};
        let mut file = self.file.borrow_mut();
        file.seek(SeekFrom::Start(start))?;
        file.read_exact(into)
    }
}

impl ByteSource for FileSource {
    fn len(&self) -> u64 {
        self.len
    }

    fn is_cheap(&self) -> bool {
        true
    }

    fn read(&self, start: u64, len: u64) -> Result<Bytes, SourceError> {
        let fail = |message: String| SourceError {
            span: Span::with_len(SourceId::FILE, start, len),
            message,
        };
        let end = start.checked_add(len).filter(|end| *end <= self.len);
        let length = usize::try_from(len).ok().filter(|_| end.is_some());
        let Some(length) = length else {
            return Err(fail("out of range".to_owned()));
        };
        let mut bytes = vec![0; length];
        self.read_at(start, &mut bytes)
            .map_err(|error| fail(error.to_string()))?;
        Ok(Bytes::from(bytes))
    }
}
