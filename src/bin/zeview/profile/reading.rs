//! Reads profiles: files, and folders of `unitrace --result-dir`.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use zeview::analysis::profile::{Problem, Profile, Reader, device_of_name, is_profile};
use zeview::model::find_files;
use zeview::model::text::plural;

use crate::input;
use crate::output::complain;

/// Number of bytes of a file in a folder that decide whether it is a profile.
const START: u64 = 1 << 16;

/// A profile that was read from one or more files.
#[derive(Default)]
pub struct Reading {
    pub profile: Profile,
    /// The size of the files in bytes.
    pub size: u64,
    /// The files with problems.
    problems: Vec<FileProblems>,
}

/// The problems of a file.
struct FileProblems {
    path: PathBuf,
    problems: Vec<Problem>,
    more: u64,
}

impl Reading {
    /// Reports the problems of the files. Returns whether there are any.
    pub fn complain(&self) -> bool {
        for file in &self.problems {
            let name = file.path.display();
            for problem in &file.problems {
                let (line, start, end) = (problem.line, problem.start, problem.end);
                complain!("{name}:{line}: {} (bytes {start}..{end})", problem.message);
            }
            if file.more > 0 {
                complain!("{name}: {}", plural(file.more, "more problem"));
            }
        }
        !self.problems.is_empty()
    }

    fn add(&mut self, path: &Path) -> io::Result<()> {
        let mut reader = Reader::new();
        self.size += input::read(path, &mut |piece| reader.push(piece))?;
        let mut profile = reader.finish();
        let name = path.file_name().map(|name| name.to_string_lossy());
        if let Some(device) = name.as_deref().and_then(device_of_name) {
            profile.set_device(device);
        }
        if !profile.problems.is_empty() {
            self.problems.push(FileProblems {
                path: path.to_owned(),
                problems: profile.problems.clone(),
                more: profile.more_problems,
            });
        }
        let (problems, more) = (std::mem::take(&mut profile.problems), profile.more_problems);
        self.profile.join(profile);
        self.profile.problems.extend(problems);
        self.profile.more_problems += more;
        Ok(())
    }

    /// Adds the profiles in a folder and the folders in it; other files of the run, as `chrome_trace.json`,
    /// are skipped.
    fn add_folder(&mut self, folder: &Path) -> io::Result<()> {
        std::fs::read_dir(folder)?;
        let mut files = Vec::new();
        let mut failed = None;
        find_files(folder, &mut |path| files.push(path), &mut |path, error| {
            failed.get_or_insert(format!("{}: {error}", path.display()));
        });
        if let Some(failed) = failed {
            return Err(io::Error::other(failed));
        }
        let mut count = 0;
        for path in files {
            let of_file =
                |error: io::Error| io::Error::other(format!("{}: {error}", path.display()));
            let mut start = Vec::new();
            let file = File::open(&path).map_err(of_file)?;
            file.take(START).read_to_end(&mut start).map_err(of_file)?;
            if is_profile(&start) {
                self.add(&path).map_err(of_file)?;
                count += 1;
            }
        }
        if count == 0 {
            let message =
                "no profile in this folder: expected the files of `unitrace --result-dir`";
            return Err(io::Error::other(message));
        }
        Ok(())
    }
}

/// Reads a profile, or all profiles in a folder.
pub fn read(path: &Path) -> io::Result<Reading> {
    read_all(&mut std::iter::once(path))
}

/// Reads profiles of one run.
pub fn read_all(paths: &mut dyn Iterator<Item = &Path>) -> io::Result<Reading> {
    let mut all = Reading::default();
    for path in paths {
        if path != Path::new("-") && path.is_dir() {
            all.add_folder(path)?;
        } else {
            all.add(path)?;
        }
    }
    Ok(all)
}
