//! The kinds of artifacts, by their names, and the files in them.

use crate::shell::Outcome;
use flate2::read::GzDecoder;
use std::fs::File;
use std::io::Read;
use std::path::PathBuf;

/// What a file of a release is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The page as a folder of static files.
    Page,
    /// The page in one file.
    SingleFile,
    /// The JavaScript library.
    Npm,
    /// The command line for a system.
    CommandLine,
    /// The Python package for a system.
    Wheel,
    /// The VS Code extension.
    Extension,
    /// The manifest for Homebrew.
    Homebrew,
    /// The manifest for Scoop.
    Scoop,
    /// The checksums.
    Sums,
}

/// Kinds without which a release is incomplete on any system.
pub const REQUIRED: &[(Kind, &str)] = &[
    (Kind::Page, "the page"),
    (Kind::SingleFile, "the page in one file"),
    (Kind::Npm, "the JavaScript library"),
    (Kind::Extension, "the VS Code extension"),
    (Kind::CommandLine, "the command line"),
    (Kind::Wheel, "the Python package"),
    (Kind::Sums, "the list of checksums"),
];

impl Kind {
    /// Returns the kind of a file by its name, which contains the version. Returns `None` if a
    /// release of the version has no such file.
    pub fn of(name: &str, version: &str) -> Option<Kind> {
        match name {
            "SHA256SUMS" => return Some(Kind::Sums),
            "zeview.rb" => return Some(Kind::Homebrew),
            "zeview.json" => return Some(Kind::Scoop),
            _ => {}
        }
        let rest = name.strip_prefix("zeview-")?.strip_prefix(version)?;
        let ends = |suffix: &str| rest.ends_with(suffix);
        match rest {
            "-page.zip" => Some(Kind::Page),
            ".html" => Some(Kind::SingleFile),
            ".tgz" => Some(Kind::Npm),
            ".vsix" => Some(Kind::Extension),
            _ if !rest.starts_with('-') => None,
            _ if ends(".whl") => Some(Kind::Wheel),
            _ if ends(".tar.gz") || ends(".zip") => Some(Kind::CommandLine),
            _ => None,
        }
    }
}

/// A file of a release.
pub struct Artifact {
    pub name: String,
    pub kind: Kind,
    pub path: PathBuf,
}

/// A file in an archive.
pub struct Entry {
    /// The path in the archive, with `/`.
    pub path: String,
    pub bytes: Vec<u8>,
}

impl Artifact {
    /// Returns the files in an archive, or `None` if the artifact is no archive.
    pub fn entries(&self) -> Outcome<Option<Vec<Entry>>> {
        let fail = |error: &dyn std::fmt::Display| format!("{}: {error}", self.name);
        let ends = |suffix: &str| self.name.ends_with(suffix);
        let is_tar = ends(".tar.gz") || ends(".tgz");
        if !is_tar && !ends(".zip") && !ends(".whl") && !ends(".vsix") {
            return Ok(None);
        }
        let file = File::open(&self.path).map_err(|error| fail(&error))?;
        let mut entries = Vec::new();
        if is_tar {
            let mut archive = tar::Archive::new(GzDecoder::new(file));
            for entry in archive.entries().map_err(|error| fail(&error))? {
                let mut entry = entry.map_err(|error| fail(&error))?;
                if !entry.header().entry_type().is_file() {
                    continue;
                }
                let path = entry.path().map_err(|error| fail(&error))?;
                let path = path.to_string_lossy().replace('\\', "/");
                let mut bytes = Vec::new();
                entry
                    .read_to_end(&mut bytes)
                    .map_err(|error| fail(&error))?;
                entries.push(Entry { path, bytes });
            }
        } else {
            let mut archive = zip::ZipArchive::new(file).map_err(|error| fail(&error))?;
            for index in 0..archive.len() {
                let mut entry = archive.by_index(index).map_err(|error| fail(&error))?;
                if entry.is_dir() {
                    continue;
                }
                let path = entry.name().map_err(|error| fail(&error))?;
                let path = path.replace('\\', "/");
                let mut bytes = Vec::new();
                entry
                    .read_to_end(&mut bytes)
                    .map_err(|error| fail(&error))?;
                entries.push(Entry { path, bytes });
            }
        }
        Ok(Some(entries))
    }

    /// Returns the target of an archive of the command line, which its name contains.
    pub fn target(&self, version: &str) -> Option<&str> {
        let rest = self.name.strip_prefix("zeview-")?.strip_prefix(version)?;
        let rest = rest.strip_prefix('-')?;
        rest.strip_suffix(".tar.gz")
            .or_else(|| rest.strip_suffix(".zip"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_the_version() {
        let kind = |name| Kind::of(name, "1.2.3");
        assert_eq!(kind("zeview-1.2.3-page.zip"), Some(Kind::Page));
        assert_eq!(kind("zeview-1.2.3.html"), Some(Kind::SingleFile));
        assert_eq!(kind("zeview-1.2.3.tgz"), Some(Kind::Npm));
        let wheel = "zeview-1.2.3-cp39-abi3-manylinux_2_34_x86_64.whl";
        assert_eq!(kind(wheel), Some(Kind::Wheel));
        let archive = "zeview-1.2.3-x86_64-pc-windows-msvc.zip";
        assert_eq!(kind(archive), Some(Kind::CommandLine));
        assert_eq!(kind("zeview-1.2.2.tgz"), None);
        assert_eq!(kind("zeview-1.2.31.tgz"), None);
        assert_eq!(kind("notes.txt"), None);
    }

    #[test]
    fn archives_are_for_a_target() {
        let artifact = Artifact {
            name: "zeview-1.2.3-aarch64-apple-darwin.tar.gz".to_owned(),
            kind: Kind::CommandLine,
            path: PathBuf::new(),
        };
        assert_eq!(artifact.target("1.2.3"), Some("aarch64-apple-darwin"));
    }
}
