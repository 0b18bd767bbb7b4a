//! Opening the files of a package that may have device code, one after the other.

use std::collections::VecDeque;
use std::rc::Rc;

use super::package::PackageFiles;
use crate::model::{Document, NodeId, NodeKind, Str};

/// Number of bytes of a compressed file that are restored in one step.
const STEP: u64 = 8 << 20;
/// Maximum number of files in one step that are only looked at.
const LOOKED_AT: usize = 16;

/// The files of a package, as far as they are opened. Files without device code are only looked at;
/// packages in the package are opened as well.
pub struct PackageReading {
    left: VecDeque<Task>,
    done: u64,
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

impl Document {
    /// Starts to open the files of a package. Returns `None` for other documents.
    pub fn package_reading(&self, id: NodeId) -> Option<PackageReading> {
        let files = self.package_files(id)?;
        let outermost = Rc::from("");
        let tasks = tasks(&files, &outermost);
        Some(PackageReading {
            left: tasks.collect(),
            done: 0,
        })
    }

    /// Opens all files of a package that may have device code. Does nothing for other documents.
    pub fn open_files(&mut self, id: NodeId) {
        if let Some(mut reading) = self.package_reading(id) {
            while reading.has_more() {
                reading.step(self);
            }
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

impl PackageReading {
    /// Whether files are left.
    pub fn has_more(&self) -> bool {
        !self.left.is_empty()
    }

    /// Returns the number of files that were opened or looked at.
    pub fn done(&self) -> u64 {
        self.done
    }

    /// Returns the number of files known so far.
    pub fn count(&self) -> u64 {
        self.done.saturating_add(self.left.len() as u64)
    }

    /// Opens the next file with device code, or does a part of the work for it. Returns the file
    /// if it was opened.
    pub fn step(&mut self, document: &mut Document) -> Option<OpenedFile> {
        for _ in 0..LOOKED_AT {
            let task = self.left.front()?;
            let sources = &document.sources;
            let may_have_code = task.files.kind(task.index, sources).may_have_code;
            if may_have_code && task.files.prepare(task.index, STEP, sources) > 0 {
                return None;
            }
            let task = self.left.pop_front()?;
            self.done = self.done.saturating_add(1);
            if may_have_code {
                return self.open(&task, document);
            }
        }
        None
    }

    fn open(&mut self, task: &Task, document: &mut Document) -> Option<OpenedFile> {
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
        if document.node(node)?.kind != NodeKind::File {
            return None;
        }
        if let Some(files) = document.package_files(node) {
            let within = Rc::from(format!("{path}/"));
            for task in tasks(&files, &within).rev() {
                self.left.push_front(task);
            }
            return None;
        }
        Some(OpenedFile {
            node,
            path: path.into(),
        })
    }
}
