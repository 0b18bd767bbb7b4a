//! The files of a command: named files, the files in named folders, and whether all were read.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use zeview::analysis::unread;
use zeview::model::{Document, find_files};

use crate::input;
use crate::output::print_error;
use crate::progress::Progress;

/// A file to process.
pub struct Target {
    pub path: PathBuf,
    /// Whether the file was found in a folder, not named.
    pub is_found: bool,
}

/// The files that a command reads, and whether everything was read and printed.
#[derive(Default)]
pub struct Inputs {
    is_incomplete: bool,
}

impl Inputs {
    /// Returns the files; the files of each folder are sorted. Reports folders that cannot be read.
    pub fn targets(&mut self, named: &[PathBuf]) -> Vec<Target> {
        let mut targets = Vec::new();
        for path in named {
            if path.as_path() != Path::new("-") && path.is_dir() {
                let mut found = |path| {
                    targets.push(Target {
                        path,
                        is_found: true,
                    });
                };
                let mut error = |folder: &Path, error| self.fail(folder, &error);
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

    /// Opens a file, or reports why it cannot be read.
    pub fn open(&mut self, path: &Path) -> Option<Document> {
        let opened = while_reading(path, |_| input::open(path));
        opened.map_err(|error| self.fail(path, &error)).ok()
    }

    /// Opens each file in turn, and passes it to `work`. Reports those that cannot be read.
    ///
    /// # Errors
    ///
    /// The first error of `work`, which is one of writing output.
    pub fn each<P: AsRef<Path>>(
        &mut self,
        paths: impl IntoIterator<Item = P>,
        mut work: impl FnMut(&mut Inputs, &Path, Document) -> io::Result<()>,
    ) -> io::Result<()> {
        for path in paths {
            let path = path.as_ref();
            if let Some(document) = self.open(path) {
                work(self, path, document)?;
            }
        }
        Ok(())
    }

    /// Reports a problem of a file, so that the exit status is 2.
    pub fn fail(&mut self, path: &Path, problem: &dyn fmt::Display) {
        print_error(format_args!("{}: {problem}", path.display()));
        self.is_incomplete = true;
    }

    /// Reports what was not read of a file, in one line.
    pub fn report_unread(&mut self, path: &Path, document: &Document) {
        let unread = unread::unread_parts(document);
        if !unread.is_empty() {
            self.fail(path, &unread.text());
        }
    }

    /// Notes a problem that was already reported.
    pub fn note_problem(&mut self) {
        self.is_incomplete = true;
    }

    /// Whether everything was read and printed.
    pub fn is_complete(&self) -> bool {
        !self.is_incomplete
    }

    /// Returns the exit status.
    pub fn status(&self) -> ExitCode {
        ExitCode::from(if self.is_incomplete { 2 } else { 0 })
    }
}

/// Shows progress while a file is read.
pub fn while_reading<R>(path: &Path, read: impl FnOnce(&Progress) -> R) -> R {
    let progress = Progress::start();
    progress.set(|| format!("reading {}", path.display()));
    read(&progress)
}

/// Returns the name of a document in a file: `FILE`, or `FILE:PATH`.
pub fn name_of(file: &Path, path: &str) -> String {
    match path {
        "" => file.display().to_string(),
        path => format!("{}:{path}", file.display()),
    }
}
