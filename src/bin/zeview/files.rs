//! Resolves arguments to files: named files, and the files in named folders.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A file to process.
pub struct Target {
    pub path: PathBuf,
    /// Whether the file was found in a folder, not named.
    pub is_found: bool,
}

/// Returns the files; the files of each folder are sorted. Calls `error` for each folder that
/// cannot be read.
pub fn targets(named: &[PathBuf], mut error: impl FnMut(&Path, io::Error)) -> Vec<Target> {
    let mut targets = Vec::new();
    for path in named {
        if path.as_path() != Path::new("-") && path.is_dir() {
            find(path, &mut targets, &mut error);
        } else {
            targets.push(Target {
                path: path.clone(),
                is_found: false,
            });
        }
    }
    targets
}

/// Pipes and devices are skipped, and links to folders are not followed, as they may form cycles.
fn find(folder: &Path, targets: &mut Vec<Target>, error: &mut impl FnMut(&Path, io::Error)) {
    let entries = fs::read_dir(folder).and_then(|entries| entries.collect::<io::Result<Vec<_>>>());
    let mut entries = match entries {
        Ok(entries) => entries,
        Err(found) => return error(folder, found),
    };
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            find(&path, targets, error);
        } else if path.is_file() {
            targets.push(Target {
                path,
                is_found: true,
            });
        }
    }
}
