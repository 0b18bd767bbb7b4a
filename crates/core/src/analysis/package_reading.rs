//! Opening the files of a package that may have device code, one after the other.

use std::collections::VecDeque;
use std::rc::Rc;

use serde::{Deserialize, Serialize};

use super::package::{FileStatus, PackageAccount, PackageFiles};
use crate::model::{Document, NodeId, NodeKind, Sources, Span, Str, sort};

/// Number of bytes of a file that are restored or read in one step.
const STEP: u64 = 8 << 20;
/// Maximum number of files in one step that are only looked at.
const LOOKED_AT: usize = 16;

/// Size below which a file is small: it is unpacked in a fraction of a second.
const SMALL: u64 = 32 << 20;

/// The files of a package, as far as they are opened. Files without device code are only looked at;
/// packages in the package are opened as well.
pub struct PackageReading {
    package: NodeId,
    left: VecDeque<Task>,
    account: PackageAccount,
    /// Whether files were left out: the account is not that of the package.
    is_partial: bool,
    /// Whether the caller does something else while the source inflates a file.
    may_wait: bool,
    /// How far the next file is prepared.
    preparing: Preparing,
}

/// How far the next file is prepared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Preparing {
    /// Nothing was done yet.
    #[default]
    Not,
    /// This number of bytes was restored or read.
    Here(u64),
    /// The source inflates it, with this number of bytes so far.
    Elsewhere(u64),
}

/// A file of a package that is being unpacked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unpacking {
    /// Its path in the package.
    pub path: Str,
    /// The number of bytes that were unpacked, and of all.
    pub bytes: u64,
    /// See `bytes`.
    pub of: u64,
}

/// A file that is not opened yet.
struct Task {
    files: Rc<dyn PackageFiles>,
    index: usize,
    /// The path of its package in the outermost one, with a slash; empty for the outermost.
    within: Rc<str>,
}

/// A file that was opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenedFile {
    /// Its document.
    pub node: NodeId,
    /// Its path in the package.
    pub path: Str,
}

/// The result of opening a file.
enum Opened {
    /// A file that may have device code.
    File(OpenedFile),
    /// A package, whose files come next.
    Package,
    /// The file is damaged, nested too deeply, or exceeds a limit: a diagnostic has the reason.
    Unread,
}

impl Document {
    /// Starts to open the files of a package. Returns `None` for other documents.
    pub fn package_reading(&self, id: NodeId) -> Option<PackageReading> {
        let files = self.package_files(id)?;
        let outermost = Rc::from("");
        let tasks = tasks(&files, &outermost);
        Some(PackageReading {
            package: id,
            left: tasks.collect(),
            account: PackageAccount::default(),
            is_partial: false,
            may_wait: false,
            preparing: Preparing::Not,
        })
    }

    /// Opens all files of a package that may have device code. Does nothing for other documents.
    pub fn open_files(&mut self, id: NodeId) {
        if let Some(mut reading) = self.package_reading(id) {
            while reading.has_more() {
                reading.step(self);
            }
            self.keep_package_account(id, reading.account());
        }
    }
}

fn tasks<'a>(
    files: &'a Rc<dyn PackageFiles>,
    within: &'a Rc<str>,
) -> impl DoubleEndedIterator<Item = Task> + 'a {
    (0..files.count()).map(|index| Task {
        files: Rc::clone(files),
        index,
        within: Rc::clone(within),
    })
}

/// Reports that a file was not read, unless that was reported since `before` findings.
fn report_unread(task: &Task, reason: &str, before: u64, document: &mut Document) {
    // A package can be read several times: for its kernels, and for its images.
    let places = [
        task.files.data(task.index, &document.sources),
        task.files
            .file(task.index)
            .map_or(Span::default(), |file| file.entry),
    ];
    let is_known = document
        .unread()
        .any(|found| places.contains(&found.primary.span));
    if document.unread_count() == before && !is_known {
        let found = task.files.unread(task.index, reason, &document.sources);
        document.add_findings(found);
    }
}

impl PackageReading {
    /// Whether files are left.
    pub fn has_more(&self) -> bool {
        !self.left.is_empty()
    }

    /// Lets the source inflate files in the background, if it can. While it does, a [step](Self::step)
    /// does nothing and the reading [waits](Self::waits).
    pub fn may_wait(&mut self, may_wait: bool) {
        self.may_wait = may_wait;
    }

    /// Whether the last step did nothing but wait for the source.
    pub fn waits(&self) -> bool {
        matches!(self.preparing, Preparing::Elsewhere(_))
    }

    /// Returns the file that is being unpacked.
    pub fn unpacking(&self) -> Option<Unpacking> {
        let (Preparing::Here(bytes) | Preparing::Elsewhere(bytes)) = self.preparing else {
            return None;
        };
        let task = self.left.front()?;
        let file = task.files.file(task.index)?;
        Some(Unpacking {
            path: format!("{}{}", task.within, file.path).into(),
            bytes: bytes.min(file.size),
            of: file.size,
        })
    }

    /// Prepares the next file. Returns whether there is more to do.
    fn prepare(&mut self, sources: &Sources) -> bool {
        let Some(task) = self.left.front() else {
            return false;
        };
        // Nested packages come as streams, which the source does not inflate.
        let next = self.left.iter().skip(1);
        let mut next = next
            .filter(|next| Rc::ptr_eq(&next.files, &task.files))
            .map(|next| next.index);
        if self.may_wait
            && let Some(bytes) = task.files.inflate(task.index, &mut next, sources)
        {
            self.preparing = Preparing::Elsewhere(bytes);
            return true;
        }
        let left = task.files.prepare(task.index, STEP, sources);
        let size = task.files.file(task.index).map_or(0, |file| file.size);
        self.preparing = Preparing::Here(size.saturating_sub(left));
        left > 0
    }

    /// Leaves out the files of the outermost package whose paths are not `wanted`.
    pub fn only(&mut self, wanted: impl Fn(&str) -> bool) {
        let before = self.left.len();
        self.left.retain(|task| {
            let file = task.files.file(task.index);
            file.is_some_and(|file| wanted(&file.path))
        });
        self.is_partial |= self.left.len() < before;
    }

    /// Reads small files first, so that the first results come early. Large ones keep their order: any
    /// of them takes seconds to unpack, and the one with kernels need not be the smallest.
    pub fn small_first(&mut self) {
        let size = |task: &Task| task.files.file(task.index).map_or(0, |file| file.size);
        let key = |size: u64| if size < SMALL { size } else { SMALL };
        let mut left: Vec<Task> = std::mem::take(&mut self.left).into();
        sort::by_cached_key(&mut left, |task| key(size(task)));
        self.left = left.into();
    }

    /// Returns the number of files that were opened or looked at.
    pub fn done(&self) -> u64 {
        self.account.entries()
    }

    /// Returns the number of files known so far.
    pub fn count(&self) -> u64 {
        self.account().entries()
    }

    /// Returns the account of the files known so far.
    pub fn account(&self) -> PackageAccount {
        PackageAccount {
            pending: self.left.len() as u64,
            ..self.account
        }
    }

    /// Opens the next file with device code, or does a part of the work for it. Returns the file
    /// if it was opened.
    pub fn step(&mut self, document: &mut Document) -> Option<OpenedFile> {
        for _ in 0..LOOKED_AT {
            let task = self.left.front()?;
            let sources = &document.sources;
            let status = task.files.status(task.index, sources);
            let is_unread = matches!(status, FileStatus::Unread(_));
            let was_unknown = status == FileStatus::Unknown;
            if !is_unread && self.prepare(sources) {
                return None;
            }
            self.preparing = Preparing::Not;
            let task = self.left.pop_front()?;
            let found = task.files.examine(task.index, sources);
            let is_intact = found.unread == 0;
            if !found.diagnostics.is_empty() {
                document.add_findings(found);
            }
            let status = if was_unknown {
                task.files.status(task.index, &document.sources)
            } else {
                status
            };
            let opened = match status {
                FileStatus::Unknown => {
                    self.account.unread = self.account.unread.saturating_add(1);
                    let before = document.unread_count();
                    self.open(&task, document);
                    if is_intact {
                        let reason = "not all of its bytes can be read";
                        report_unread(&task, reason, before, document);
                    }
                    None
                }
                FileStatus::NoCode(_) => {
                    let count = if is_intact {
                        &mut self.account.without_code
                    } else {
                        &mut self.account.unread
                    };
                    *count = count.saturating_add(1);
                    None
                }
                FileStatus::Unread(reason) => {
                    self.account.unread = self.account.unread.saturating_add(1);
                    // Reports the damage. Otherwise, the package has reported the reason.
                    if task.files.may_open(task.index) {
                        let before = document.unread_count();
                        self.open(&task, document);
                        report_unread(&task, &reason, before, document);
                    }
                    None
                }
                FileStatus::Readable(_) => {
                    let before = document.unread_count();
                    let opened = self.open(&task, document);
                    if is_intact && matches!(opened, Opened::Unread) {
                        report_unread(&task, "it cannot be opened", before, document);
                    }
                    // What is not read of a package are its files, which follow.
                    let is_read = match opened {
                        Opened::File(_) => document.unread_count() == before,
                        Opened::Package => true,
                        Opened::Unread => false,
                    };
                    let is_read = is_intact && is_read;
                    let count = if is_read {
                        &mut self.account.read
                    } else {
                        &mut self.account.unread
                    };
                    *count = count.saturating_add(1);
                    Some(opened)
                }
            };
            if self.left.is_empty() && !self.is_partial {
                document.keep_package_account(self.package, self.account);
            }
            match opened {
                Some(Opened::File(file)) => return Some(file),
                Some(_) => return None,
                None => {}
            }
        }
        None
    }

    fn open(&mut self, task: &Task, document: &mut Document) -> Opened {
        match self.opened_node(task, document) {
            Some((node, path)) => match document.package_files(node) {
                Some(files) => {
                    let within = Rc::from(format!("{path}/"));
                    // Before the files that follow the package, in their order.
                    for task in tasks(&files, &within).rev() {
                        self.left.push_front(task);
                    }
                    Opened::Package
                }
                None => Opened::File(OpenedFile {
                    node,
                    path: path.into(),
                }),
            },
            None => Opened::Unread,
        }
    }

    /// Opens a file. Returns its node and its path in the outermost package.
    fn opened_node(&self, task: &Task, document: &mut Document) -> Option<(NodeId, String)> {
        let data = task.files.data(task.index, &document.sources);
        let path = &task.files.file(task.index)?.path;
        let path = format!("{}{path}", task.within);
        let stored = document.document_at(data)?;
        let node = match document.node(stored)?.kind {
            NodeKind::Packed => document.children(stored, 0..1).pop()?,
            _ => {
                // Opens it.
                document.children(stored, 0..0);
                stored
            }
        };
        (document.node(node)?.kind == NodeKind::File).then_some((node, path))
    }
}
