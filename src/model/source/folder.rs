//! The files of a folder, of which only a few are open at the same time.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::path::PathBuf;
use std::rc::Rc;

use super::{ByteSource, Bytes, FileSource, SourceError};
use crate::model::span::{SourceId, Span};

/// Maximum number of open files: systems allow a process about a thousand.
const OPEN: usize = 64;

/// The files of a folder that are open, the last used last.
#[derive(Debug, Clone, Default)]
pub struct OpenFiles(Rc<RefCell<VecDeque<(PathBuf, FileSource)>>>);

/// A file of a folder, opened when it is read.
#[derive(Debug)]
pub struct FolderSource {
    path: PathBuf,
    len: u64,
    open: OpenFiles,
}

impl FolderSource {
    /// A file of `len` bytes.
    pub fn new(path: PathBuf, len: u64, open: &OpenFiles) -> FolderSource {
        FolderSource {
            path,
            len,
            open: open.clone(),
        }
    }

    /// Returns the open file.
    fn file(&self) -> Result<FileSource, String> {
        let mut open = self.open.0.borrow_mut();
        let known = open.iter().position(|(path, _)| *path == self.path);
        let file = match known.and_then(|known| open.remove(known)) {
            Some((_, file)) => file,
            None => FileSource::open(&self.path).map_err(|error| error.to_string())?,
        };
        if file.len() != self.len {
            return Err("the file was changed since the folder was opened".to_owned());
        }
        if open.len() >= OPEN {
            open.pop_front();
        }
        open.push_back((self.path.clone(), file.clone()));
        Ok(file)
    }
}

impl ByteSource for FolderSource {
    fn len(&self) -> u64 {
        self.len
    }

    fn is_cheap(&self) -> bool {
        true
    }

    fn read(&self, start: u64, len: u64) -> Result<Bytes, SourceError> {
        let file = self.file().map_err(|message| SourceError {
            span: Span::with_len(SourceId::FILE, start, len),
            message,
        })?;
        file.read(start, len)
    }
}
