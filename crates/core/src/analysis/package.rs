//! The files of a package or folder: a wheel, a zip or tar archive, a compiler's cache.
//!
//! Plain data; the decoder reads the list of files and opens them on demand.

use std::collections::HashMap;
use std::rc::Rc;

use serde::{Deserialize, Serialize};

use crate::model::{Document, Findings, NodeId, Sources, Span, Str};

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

    /// Returns what the first bytes of a file say of its contents.
    fn status(&self, index: usize, sources: &Sources) -> FileStatus;

    /// Compares a file with its entry, and returns what is wrong: its header and its checksum, as
    /// far as its bytes are [prepared](Self::prepare), and bytes behind it that no entry has.
    /// Nothing is found twice.
    fn examine(&self, index: usize, sources: &Sources) -> Findings;

    /// Whether the package did not report why the file is not read, so that opening it does.
    fn may_open(&self, index: usize) -> bool;

    /// Returns a finding that a file was not read, for a reason that no other finding has.
    fn unread(&self, index: usize, reason: &str, sources: &Sources) -> Findings;

    /// Lets the source inflate a file while the caller does something else, and begins with the
    /// `next` ones. Returns the number of bytes so far; `None` if it does not, or has finished: then
    /// the file can be [prepared](PackageFiles::prepare).
    fn inflate(
        &self,
        index: usize,
        next: &mut dyn Iterator<Item = usize>,
        sources: &Sources,
    ) -> Option<u64>;

    /// Prepares a file for random access, and computes its checksum, by restoring or reading at most
    /// `most` further bytes of it. Returns the number of bytes that are left.
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

/// The account of a file of a package, after a look at its first bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileStatus {
    /// It has this format, which may contain device code: `ELF`, `zebin`, `tar` …
    Readable(&'static str),
    /// Its format is unknown: device code may start at any byte. It is searched while it is
    /// [prepared](PackageFiles::prepare), and then has another status.
    Unknown,
    /// Its beginning, or a search of all its bytes, found no device code. Its kind is `text`,
    /// `folder` …, or empty if it is unknown.
    NoCode(&'static str),
    /// It is not read, for this reason.
    Unread(Str),
}

impl FileStatus {
    /// Returns the kind of the file; empty if it is unknown.
    pub fn kind(&self) -> &'static str {
        match self {
            FileStatus::Readable(kind) | FileStatus::NoCode(kind) => kind,
            FileStatus::Unknown | FileStatus::Unread(_) => "",
        }
    }
}

/// The number of entries of a package, and of the packages in it, by what was read of them. The
/// numbers add up to the entries that are known; [`Document::unread`] also has what lies between
/// entries, and parts of files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PackageAccount {
    /// Files of formats that may contain device code, which were opened.
    pub read: u64,
    /// Files in which no device code was found, by their beginning or by a search of all their
    /// bytes; folders, and links.
    pub without_code: u64,
    /// Files that were not read, or not to their end.
    pub unread: u64,
    /// Files that were not looked at yet.
    pub pending: u64,
}

impl PackageAccount {
    /// Returns the number of known entries.
    pub fn entries(&self) -> u64 {
        let looked_at = self.read.saturating_add(self.without_code);
        looked_at
            .saturating_add(self.unread)
            .saturating_add(self.pending)
    }
}

/// The accounts of the packages that were read, by their bytes.
#[derive(Default)]
struct PackageAccounts(HashMap<Span, PackageAccount>);

impl Document {
    /// Returns the account of a package whose files were read completely, for a list of its kernels
    /// or images, or for its verdict.
    pub fn package_account(&self, package: NodeId) -> Option<PackageAccount> {
        let accounts = self.extensions.get::<PackageAccounts>()?;
        accounts.0.get(&self.node(package)?.span?).copied()
    }

    /// Keeps the account of a package.
    pub(super) fn keep_package_account(&mut self, package: NodeId, account: PackageAccount) {
        let Some(span) = self.node(package).and_then(|node| node.span) else {
            return;
        };
        let accounts = self.extensions.remove::<PackageAccounts>();
        let mut accounts = accounts.unwrap_or_default();
        accounts.0.insert(span, account);
        self.extensions.insert(accounts);
    }

    /// Returns the files of a package: the opened one (its root), or one that is nested in it.
    pub fn package_files(&self, document: NodeId) -> Option<Rc<dyn PackageFiles>> {
        self.interfaces(document).files
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
