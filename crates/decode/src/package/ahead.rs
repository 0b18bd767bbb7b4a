//! Restoring the next files of a package in other threads, while this one reads the files before
//! them. Only the positions from which a file can be restored are kept, not its bytes.

use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

use super::Package;
use crate::compression::{DeflateStream, Restoration};
use zeview_core::model::{ByteSource, DeflatedPart, FileSource, Sources};

/// The files that are restored in other threads.
#[derive(Default)]
pub(super) struct Ahead {
    jobs: RefCell<Vec<Job>>,
    /// The first file that was not considered yet.
    next: Cell<usize>,
}

struct Job {
    index: usize,
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<Restoration>>,
}

impl Job {
    fn begin(index: usize, file: FileSource, part: DeflatedPart) -> Option<Job> {
        let is_over = Arc::new(AtomicBool::new(false));
        let stop = Arc::clone(&is_over);
        let run = move || {
            let stream = DeflateStream::new(part.len, part.size, Some(part.crc));
            let packed = |start, len| file.read(part.start.saturating_add(start), len);
            stream.restoration(&packed, &|| stop.load(Ordering::Relaxed))
        };
        // Without a thread, the file is restored when it is its turn.
        let thread = thread::Builder::new().spawn(run).ok()?;
        Some(Job {
            index,
            is_over,
            thread: Some(thread),
        })
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
    }
}

impl Package {
    /// Begins to restore a file and the next large ones that will be opened, one for each processor.
    pub(super) fn begin_ahead(&self, index: usize, sources: &Sources) {
        let most = thread::available_parallelism().map_or(1, usize::from);
        let file = sources.file().filter(|_| most > 1);
        let Some(file) = file else {
            return;
        };
        let mut jobs = self.ahead.jobs.borrow_mut();
        jobs.retain(|job| job.index >= index);
        let mut next = self.ahead.next.get().max(index);
        while jobs.len() < most && next < self.members.len() {
            if let Some(part) = self.large_file(next, sources) {
                jobs.extend(Job::begin(next, file.clone(), part));
            }
            next = next.saturating_add(1);
        }
        self.ahead.next.set(next);
    }

    /// Waits for a file that another thread restores. Returns `None` if there is none.
    pub(super) fn restored_ahead(&self, index: usize) -> Option<Restoration> {
        let mut jobs = self.ahead.jobs.borrow_mut();
        let at = jobs.iter().position(|job| job.index == index)?;
        let mut job = jobs.remove(at);
        drop(jobs);
        job.thread.take()?.join().ok()
    }
}
