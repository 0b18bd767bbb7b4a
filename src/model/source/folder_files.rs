//! The files of a folder on the disk.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use super::ListedFile;
use crate::model::sort;

/// Returns the files of a folder and the folders in it, in the order of their names, for
/// [`FolderSource`](super::FolderSource). What cannot be read has the reason in place of its size.
///
/// # Errors
///
/// If the folder itself cannot be read.
pub fn folder_files(folder: &Path) -> io::Result<Vec<(PathBuf, ListedFile)>> {
    fs::read_dir(folder)?;
    let mut files = Vec::new();
    let mut unreadable = Vec::new();
    find_files(folder, &mut |path| files.push(path), &mut |path, error| {
        unreadable.push((path.to_owned(), error.to_string()));
    });
    let relative = |path: &Path| {
        let path = path.strip_prefix(folder).unwrap_or(path);
        let parts = path.iter().map(|part| part.to_string_lossy());
        parts.collect::<Vec<_>>().join("/")
    };
    let files = files.into_iter().map(|path| {
        let metadata = fs::metadata(&path);
        let modified = metadata.as_ref().ok().and_then(|metadata| {
            let time = metadata.modified().ok()?;
            Some(time.duration_since(UNIX_EPOCH).ok()?.as_secs())
        });
        let file = ListedFile {
            path: relative(&path),
            modified,
            size: metadata
                .map(|metadata| metadata.len())
                .map_err(|error| error.to_string()),
        };
        (path, file)
    });
    let unreadable = unreadable.into_iter().map(|(path, reason)| {
        let file = ListedFile {
            path: format!("{}/", relative(&path)),
            modified: None,
            size: Err(reason),
        };
        (path, file)
    });
    Ok(files.chain(unreadable).collect())
}

/// Passes the files of a folder and the folders in it to `file`, in the order of their names, and
/// each folder that cannot be read to `error`. Pipes and devices are skipped, and links to folders
/// are not followed, as they may form cycles.
pub fn find_files(
    folder: &Path,
    file: &mut dyn FnMut(PathBuf),
    error: &mut dyn FnMut(&Path, io::Error),
) {
    let entries = fs::read_dir(folder).and_then(|entries| entries.collect::<io::Result<Vec<_>>>());
    let mut entries = match entries {
        Ok(entries) => entries,
        Err(found) => return error(folder, found),
    };
    sort::by_key(&mut entries, fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            find_files(&path, file, error);
        } else if path.is_file() {
            file(path);
        }
    }
}
