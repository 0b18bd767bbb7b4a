//! A file of the operating system.

use std::cell::RefCell;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::iter::repeat_n;
use std::path::Path;
use std::rc::Rc;

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
    /// When it cannot be opened, or has no length: pipes and directories.
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

impl ByteSource for FileSource {
    fn len(&self) -> u64 {
        self.len
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
        // Read to where they stay.
        let mut bytes: Rc<[u8]> = repeat_n(0, length).collect();
        let mut file = self.file.borrow_mut();
        file.seek(SeekFrom::Start(start))
            .and_then(|_| file.read_exact(Rc::get_mut(&mut bytes).unwrap_or_default()))
            .map_err(|error| fail(error.to_string()))?;
        Ok(Bytes::from(bytes))
    }
}
