//! A folder as one document.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use zeview::decode::decode;
use zeview::model::{Document, FolderSource, ListedFile};

use crate::files::targets;

/// Opens a folder. Files and folders in it that cannot be read become rows with a diagnostic.
///
/// # Errors
///
/// Fails if the folder itself cannot be read.
pub fn open(folder: &Path) -> io::Result<Document> {
    fs::read_dir(folder)?;
    let mut unreadable: Vec<(PathBuf, String)> = Vec::new();
    let found = targets(&[folder.to_owned()], |path, error| {
        unreadable.push((path.to_owned(), error.to_string()));
    });
    let relative = |path: &Path| {
        let path = path.strip_prefix(folder).unwrap_or(path);
        let parts = path.iter().map(|part| part.to_string_lossy());
        parts.collect::<Vec<_>>().join("/")
    };
    let mut files: Vec<(PathBuf, ListedFile)> = Vec::new();
    for target in found {
        let metadata = fs::metadata(&target.path);
        let modified = metadata.as_ref().ok().and_then(|metadata| {
            let time = metadata.modified().ok()?;
            Some(time.duration_since(UNIX_EPOCH).ok()?.as_secs())
        });
        let file = ListedFile {
            path: relative(&target.path),
            modified,
            size: metadata
                .map(|metadata| metadata.len())
                .map_err(|error| error.to_string()),
        };
        files.push((target.path, file));
    }
    for (path, reason) in unreadable {
        let file = ListedFile {
            path: format!("{}/", relative(&path)),
            modified: None,
            size: Err(reason),
        };
        files.push((path, file));
    }
    let name = folder
        .file_name()
        .map(|name| name.to_string_lossy().into_owned());
    let name = name.unwrap_or_else(|| folder.display().to_string());
    Ok(decode(Box::new(FolderSource::new(files)), &name))
}
