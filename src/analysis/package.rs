//! The files of a package or folder: a wheel, a zip or tar archive, a compiler's cache.
//!
//! Plain data; the decoder reads the list of files and opens them on demand.

use std::rc::Rc;

use crate::model::{Document, NodeId, Sources, Span, Str};

/// Provides the files of a package or folder.
pub trait PackageFiles {
    /// Returns the number of files.
    fn count(&self) -> usize;

    /// Returns a file by index, in the order of the package's directory.
    fn file(&self, index: usize) -> Option<&PackageFile>;

    /// Returns the stored bytes of a file: the span of its document, or of its compressed data.
    fn data(&self, index: usize, sources: &Sources) -> Span;

    /// Returns the index of the file with these bytes, or whose entry has them.
    fn file_at(&self, span: Span) -> Option<usize>;

    /// Returns the kind of a file by its first bytes.
    fn kind(&self, index: usize, sources: &Sources) -> FileKind;

    /// Prepares a compressed file for random access, by restoring at most `most` further bytes of
    /// it. Returns the number of bytes that are left.
    fn prepare(&self, index: usize, most: u64, sources: &Sources) -> u64;
}

/// A file of a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackageFile {
    /// Its path in the package, with slashes. Only a name: it is never used as a path of the
    /// operating system.
    pub path: Str,
    /// Its size in bytes, as stored in the package.
    pub size: u64,
    /// The size of its stored bytes.
    pub packed: u64,
    /// The time of its last change: `2026-10-26 07:20:00`; empty if it is not stored.
    pub modified: Str,
    /// The compression method: `stored`, `deflate` …
    pub method: Str,
    /// Its entry in the directory of the package.
    pub entry: Span,
}

impl PackageFile {
    /// Returns the path without the extensions of the file's name: files that belong together have
    /// the same stem.
    pub fn stem(&self) -> &str {
        let name = self
            .path
            .rfind('/')
            .map_or(0, |slash| slash.saturating_add(1));
        let after = self.path.get(name..).unwrap_or_default();
        // A leading dot does not start an extension.
        let dot = after.get(1..).and_then(|rest| rest.find('.'));
        let end = dot.map_or(self.path.len(), |dot| {
            name.saturating_add(dot).saturating_add(1)
        });
        self.path.get(..end).unwrap_or(&self.path)
    }
}

/// The kind of a file, by its first bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileKind {
    /// Its name: `ELF`, `zebin`, `SPIR-V`, `text` …; empty if it is unknown.
    pub name: &'static str,
    /// Whether its format can contain device code.
    pub may_have_code: bool,
}

impl Document {
    /// Returns the files of a package: the opened one (its root), or one that is nested in it.
    pub fn package_files(&self, document: NodeId) -> Option<Rc<dyn PackageFiles>> {
        self.interface(document)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stems() {
        let stem = |path: &'static str| {
            let file = PackageFile {
                path: path.into(),
                size: 0,
                packed: 0,
                modified: Str::default(),
                method: Str::default(),
                entry: Span::default(),
            };
            file.stem().to_owned()
        };
        assert_eq!(stem("a/b.zebin"), "a/b");
        assert_eq!(stem("a.b/c.asm.txt"), "a.b/c");
        assert_eq!(stem("a/.hidden"), "a/.hidden");
        assert_eq!(stem("a/.hidden.spv"), "a/.hidden");
        assert_eq!(stem("plain"), "plain");
        assert_eq!(stem(""), "");
    }
}
