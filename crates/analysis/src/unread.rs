//! What was not read of a file: damaged, encrypted or too deeply nested files of packages, bytes
//! between them, parts beyond a limit.
//!
//! Exit statuses, messages and "well-formed" depend on nothing else.

use zeview_core::analysis::package::FileStatus;
use zeview_core::model::{Diagnostic, Document, NodeId, SourceId, Sources, Span};

/// What was not read of a document so far, or of parts of it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Unread {
    /// Number of findings: files of packages, parts of files, bytes between files.
    pub count: u64,
    /// The first findings: each names the file or part, and the reason.
    pub reasons: Vec<String>,
    /// Whether all findings are files of packages.
    pub is_files: bool,
}

/// Number of findings whose reasons are kept.
const REASONS: usize = 3;

/// The areas and ids of rules about files of packages.
static FILE_RULES: [&str; 5] = [
    "folder/unreadable-file",
    "limits/too-deep",
    "package/damaged-file",
    "package/unread-file",
    "zip/method",
];

/// The endings of messages that the text already has.
static ENDINGS: [&str; 3] = [": not read", ": not opened", ": not decompressed"];

impl Unread {
    /// Returns whether everything was read.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    fn add(&mut self, found: &Diagnostic) {
        self.is_files &= FILE_RULES.contains(&&*found.rule);
        if self.reasons.len() < REASONS {
            let text = ENDINGS
                .iter()
                .find_map(|ending| found.message.strip_suffix(ending));
            let text = text.unwrap_or(&found.message);
            self.reasons.push(text.to_owned());
        }
    }

    /// Adds images that exceed the number that is listed, and so were not judged.
    pub fn with_images(mut self, left_out: u64) -> Unread {
        if left_out > 0 {
            self.is_files = false;
            self.count = self.count.saturating_add(left_out);
            self.reasons.push(format!("{left_out} images are too many"));
        }
        self
    }

    /// `2 files were not read: a.zebin: encrypted; b.zebin: encrypted`. Empty if everything was
    /// read.
    pub fn text(&self) -> String {
        let noun = match (self.is_files, self.count) {
            (_, 0) => return String::new(),
            (true, 1) => "file was",
            (true, _) => "files were",
            (false, 1) => "part was",
            (false, _) => "parts were",
        };
        let mut text = format!(
            "{} {noun} not read: {}",
            self.count,
            self.reasons.join("; ")
        );
        if self.count > self.reasons.len() as u64 {
            text.push_str(" …");
        }
        text
    }
}

/// Returns which files of a package are not read, as far as their first bytes and their entries
/// say. Reads the first bytes of all files, but not of those in packages in the package.
pub fn unread_files(document: &Document, package: NodeId) -> Unread {
    let mut unread = Unread {
        is_files: true,
        ..Unread::default()
    };
    let Some(files) = document.package_files(package) else {
        return unread;
    };
    for index in 0..files.count() {
        let FileStatus::Unread(reason) = files.status(index, &document.sources) else {
            continue;
        };
        unread.count = unread.count.saturating_add(1);
        if unread.reasons.len() < REASONS
            && let Some(file) = files.file(index)
        {
            unread.reasons.push(format!("{}: {reason}", file.path));
        }
    }
    unread
}

/// Returns what was not read of the document so far. A list of the kernels or images of a
/// package, and a verdict, read all its files.
pub fn unread_parts(document: &Document) -> Unread {
    let mut unread = Unread {
        is_files: true,
        ..Unread::default()
    };
    for found in document.unread() {
        unread.add(found);
    }
    unread.count = document.unread_count();
    unread
}

/// Returns what was not read so far of the parts with these bytes, and of what is unpacked from
/// them.
pub fn unread_within(document: &Document, parts: &[Span]) -> Unread {
    let mut unread = Unread {
        is_files: true,
        ..Unread::default()
    };
    for found in document.unread() {
        if is_within(found.primary.span, parts, &document.sources) {
            unread.add(found);
            unread.count = unread.count.saturating_add(1);
        }
    }
    unread
}

/// Returns whether bytes lie in one of the parts, or were unpacked from bytes that do.
fn is_within(mut span: Span, parts: &[Span], sources: &Sources) -> bool {
    loop {
        if parts.iter().any(|part| part.contains(span)) {
            return true;
        }
        match sources.parent(span.source) {
            Some(parent) if span.source != SourceId::FILE => span = parent,
            _ => return false,
        }
    }
}
