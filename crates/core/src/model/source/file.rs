//! A file of the operating system.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;

use super::{ByteSource, Bytes, SourceError};
use crate::model::span::{SourceId, Span};

/// A file, read by position. Clones share it, and can be used in other threads.
#[derive(Debug, Clone)]
pub struct FileSource {
    file: Arc<File>,
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
            file: Arc::new(file),
            len: metadata.len(),
        })
    }
}

impl FileSource {
    #[cfg(unix)]
    fn read_at(&self, start: u64, into: &mut [u8]) -> io::Result<()> {
        use std::os::unix::fs::FileExt;
        self.file.read_exact_at(into, start)
    }

    // The position of the file moves, but is never used.
    #[cfg(windows)]
    fn read_at(&self, mut start: u64, mut into: &mut [u8]) -> io::Result<()> {
        use std::os::windows::fs::FileExt;
        while !into.is_empty() {
            match self.file.seek_read(into, start) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(len) => {
                    into = into.get_mut(len..).unwrap_or_default();
                    start += len as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    #[cfg(not(any(unix, windows)))]
    fn read_at(&self, start: u64, into: &mut [u8]) -> io::Result<()> {
        use std::io::{Read, Seek, SeekFrom};
        let mut file = &*self.file;
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

    fn file(&self) -> Option<FileSource> {
        Some(self.clone())
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
