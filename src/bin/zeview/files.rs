//! Resolves arguments to files: named files, and the files in named folders.

use std::io;
use std::path::{Path, PathBuf};

use zeview::model::find_files;

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
            let mut found = |path| {
                targets.push(Target {
                    path,
                    is_found: true,
                });
            };
            find_files(path, &mut found, &mut error);
        } else {
            targets.push(Target {
                path: path.clone(),
                is_found: false,
            });
        }
    }
    targets
}
