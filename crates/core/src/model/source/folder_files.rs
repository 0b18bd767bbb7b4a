//! The files of a folder on the disk.

use std::ffi::OsString;
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
        let slash = if path.is_dir() { "/" } else { "" };
        let file = ListedFile {
            path: format!("{}{slash}", relative(&path)),
            modified: None,
            size: Err(reason),
        };
        (path, file)
    });
    Ok(files.chain(unreadable).collect())
}

/// Passes the files of a folder and the folders in it to `file`, in the order of their names, and
/// everything else to `error`, with the reason why it is not read: folders that cannot be listed or
/// searched, links that lead nowhere or in circles, pipes and devices, and links to folders outside
/// of the folder. A link to a folder inside of it is skipped: its files are found where they are.
pub fn find_files(
    folder: &Path,
    file: &mut dyn FnMut(PathBuf),
    error: &mut dyn FnMut(&Path, io::Error),
) {
    let root = fs::canonicalize(folder);
    // A stack of its own: folders can be nested deeper than the program's stack allows.
    let mut stack = vec![entries(folder, error).into_iter()];
    while let Some(rest) = stack.last_mut() {
        let Some(path) = rest.next() else {
            stack.pop();
            continue;
        };
        // The link itself, then what it leads to.
        let is_link = fs::symlink_metadata(&path).is_ok_and(|found| found.is_symlink());
        match fs::metadata(&path) {
            Ok(found) if found.is_file() => file(path),
            Ok(found) if found.is_dir() && is_link => {
                if let Some(reason) = leads_out(&path, &root) {
                    error(&path, reason);
                }
            }
            Ok(found) if found.is_dir() => {
                let within = entries(&path, error);
                stack.push(within.into_iter());
            }
            Ok(_) => error(&path, io::Error::other("neither a file nor a folder")),
            Err(found) => error(&path, found),
        }
    }
}

/// Returns the paths in a folder, in the order of their names.
fn entries(folder: &Path, error: &mut dyn FnMut(&Path, io::Error)) -> Vec<PathBuf> {
    let all = fs::read_dir(folder).and_then(|entries| {
        let names = entries.map(|entry| Ok(entry?.file_name()));
        names.collect::<io::Result<Vec<OsString>>>()
    });
    match all {
        Ok(mut names) => {
            sort::ascending(&mut names);
            names.into_iter().map(|name| folder.join(name)).collect()
        }
        Err(found) => {
            error(folder, found);
            Vec::new()
        }
    }
}

/// Returns why a link to a folder is not followed, unless its files are found without it.
fn leads_out(link: &Path, root: &io::Result<PathBuf>) -> Option<io::Error> {
    let target = match fs::canonicalize(link) {
        Ok(target) => target,
        Err(error) => return Some(error),
    };
    let is_inside = root.as_ref().is_ok_and(|root| target.starts_with(root));
    (!is_inside).then(|| {
        let target = target.display();
        io::Error::other(format!(
            "a link to the folder {target}, which is not followed"
        ))
    })
}
