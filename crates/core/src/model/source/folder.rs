//! A folder as one sequence of bytes, of whose files only a few are open at the same time.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::path::PathBuf;

use super::folder_list::{ListedFile, folder_list};
use super::{ByteSource, Bytes, FileSource, SourceError};
use crate::model::span::{SourceId, Span};

/// Maximum number of open files: systems allow a process about a thousand.
const OPEN: usize = 64;

/// The files of a folder: their [list](folder_list), then their bytes. A file is opened when it is
/// read.
pub struct FolderSource {
    list: Bytes,
    /// The files with bytes, by position.
    files: Vec<Placed>,
    len: u64,
    /// The files that are open with their indices, the last used last.
    open: RefCell<VecDeque<(usize, FileSource)>>,
}

struct Placed {
    start: u64,
    len: u64,
    path: PathBuf,
}

impl FolderSource {
    /// Creates the bytes of a folder. Reads nothing.
    pub fn new(files: Vec<(PathBuf, ListedFile)>) -> FolderSource {
        let (paths, listed): (Vec<PathBuf>, Vec<ListedFile>) = files.into_iter().unzip();
        let list = folder_list(&listed).into_bytes();
        let mut len = list.len() as u64;
        let mut placed = Vec::new();
        for (path, file) in paths.into_iter().zip(listed) {
            let size = file.size.unwrap_or(0);
            if size > 0 {
                placed.push(Placed {
                    start: len,
                    len: size,
                    path,
                });
                len = len.saturating_add(size);
            }
        }
        FolderSource {
            list: Bytes::from(list),
            files: placed,
            len,
            open: RefCell::default(),
        }
    }

    /// Returns a file, which must be as long as when the folder was opened.
    fn file(&self, index: usize, placed: &Placed) -> Result<FileSource, String> {
        let mut open = self.open.borrow_mut();
        let known = open.iter().position(|(other, _)| *other == index);
        let file = match known.and_then(|known| open.remove(known)) {
            Some((_, file)) => file,
            None => FileSource::open(&placed.path).map_err(|error| error.to_string())?,
        };
        if file.len() != placed.len {
            return Err("the file was changed since the folder was opened".to_owned());
        }
        if open.len() >= OPEN {
            open.pop_front();
        }
        open.push_back((index, file.clone()));
        Ok(file)
    }

    /// Reads bytes of the list or of one file, as many of `len` as it has at `start`.
    fn part(&self, start: u64, len: u64) -> Result<Bytes, String> {
        let list = self.list.len() as u64;
        if start < list {
            let at = |offset: u64| usize::try_from(offset).unwrap_or(usize::MAX);
            let end = start.saturating_add(len).min(list);
            return Ok(self.list.slice(at(start), at(end)));
        }
        let after = self.files.partition_point(|file| file.start <= start);
        let index = after.checked_sub(1).ok_or("out of range")?;
        let placed = self.files.get(index).ok_or("out of range")?;
        let within = start.saturating_sub(placed.start);
        let len = len.min(placed.len.saturating_sub(within));
        let read = self.file(index, placed)?.read(within, len);
        read.map_err(|error| error.message)
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
        let fail = |message: String| SourceError {
            span: Span::with_len(SourceId::FILE, start, len),
            message,
        };
        if start.checked_add(len).is_none_or(|end| end > self.len) {
            return Err(fail("out of range".to_owned()));
        }
        let first = self.part(start, len).map_err(fail)?;
        if first.len() as u64 == len {
            return Ok(first);
        }
        let mut bytes = first.to_vec();
        while (bytes.len() as u64) < len {
            let done = bytes.len() as u64;
            let next = self.part(start.saturating_add(done), len.saturating_sub(done));
            let next = next.map_err(fail)?;
            if next.is_empty() {
                return Err(fail("out of range".to_owned()));
            }
            bytes.extend_from_slice(&next);
        }
        Ok(Bytes::from(bytes))
    }
}
