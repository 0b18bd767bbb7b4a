//! The thread that a document lives in.
//!
//! A document is bound to a thread, because its parts share each other without locks. So each one
//! has a thread of its own, which runs what the threads of Python send. It ends when the document is
//! closed or dropped.
//!
//! A thread that is canceled is replaced by another one, with another document of the same bytes. The ids
//! of sources that the first one has given to Python never mean other bytes in the second one.

use std::io;
use std::mem;
use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::{self, JoinHandle};

use zeview::decode::decode;
use zeview::model::{Document, SourceId, Span};

use crate::source::{CancelableSource, Source};

/// Work on a document, which sends its own result.
type Task = Box<dyn FnOnce(&mut Document) + Send>;

/// Stack size of the thread, as the main thread of the command line usually has.
const STACK: usize = 8 << 20;

/// The name of a source that a canceled thread had.
pub const ENDED: &str = "(ended)";

/// A running thread with a document.
pub struct Worker {
    is_canceled: Arc<AtomicBool>,
    /// The number of sources that Python may know.
    sources: Arc<AtomicU32>,
    /// The process with the thread: a forked one has a copy of this, but no thread.
    process: u32,
    /// `None` once it ends.
    running: Option<Running>,
}

/// The way to a thread.
struct Running {
    tasks: Sender<Task>,
    thread: JoinHandle<()>,
}

impl Worker {
    /// Starts the thread, which decodes the bytes first. `sources` is the number of sources that earlier
    /// threads of the document had.
    ///
    /// # Errors
    ///
    /// If the system has no more threads.
    pub fn start(source: Source, name: String, sources: Arc<AtomicU32>) -> io::Result<Worker> {
        let is_canceled = Arc::new(AtomicBool::new(false));
        let (tasks, queue) = mpsc::channel::<Task>();
        let flag = Arc::clone(&is_canceled);
        let known = sources.load(Ordering::Relaxed);
        let run = move || {
            let source = CancelableSource::new(source, Arc::clone(&flag));
            let mut document = decode(Box::new(source), &name);
            reserve(&document, known);
            for task in queue {
                // The senders of the remaining results are dropped.
                if flag.load(Ordering::Relaxed) {
                    return;
                }
                task(&mut document);
            }
        };
        let thread = thread::Builder::new()
            .name("zeview".to_owned())
            .stack_size(STACK);
        let thread = thread.spawn(run)?;
        Ok(Worker {
            is_canceled,
            sources,
            process: process::id(),
            running: Some(Running { tasks, thread }),
        })
    }

    /// Sends work to the thread and returns the receiver of its result, which gets none if the
    /// thread is canceled or fails.
    pub fn send<R: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Document) -> R + Send + 'static,
    ) -> Receiver<R> {
        let (sender, receiver) = mpsc::channel();
        let flag = Arc::clone(&self.is_canceled);
        let sources = Arc::clone(&self.sources);
        let task = move |document: &mut Document| {
            let result = work(document);
            // The result of canceled work may lack what could not be read.
            if !flag.load(Ordering::Relaxed) {
                sources.fetch_max(document.sources.count(), Ordering::Relaxed);
                // The thread of Python may have been interrupted.
                let _ = sender.send(result);
            }
        };
        if let Some(running) = &self.running {
            // If the thread has failed, the receiver learns it.
            let _ = running.tasks.send(Box::new(task));
        }
        receiver
    }

    /// Whether the thread can work: it has not failed, and belongs to this process.
    pub fn is_alive(&self) -> bool {
        let running = self.running.as_ref();
        self.is_here() && running.is_some_and(|running| !running.thread.is_finished())
    }

    fn is_here(&self) -> bool {
        self.process == process::id()
    }

    /// Makes the thread end soon, without waiting for it.
    pub fn cancel(self) {
        self.is_canceled.store(true, Ordering::Relaxed);
    }

    /// Makes the thread end, and waits for it. The caller must not hold what its reads need.
    pub fn stop(mut self) {
        self.is_canceled.store(true, Ordering::Relaxed);
        if self.is_here()
            && let Some(Running { tasks, thread }) = self.running.take()
        {
            drop(tasks);
            // A thread that failed has already printed why.
            let _ = thread.join();
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // After a fork, the thread is not there, and may have held the locks of the queue: both are left
        // alone.
        if !self.is_here() {
            mem::forget(self.running.take());
        }
    }
}

/// Adds empty sources, so that the document has at least `known`. Those that it has after it was decoded
/// are the same each time.
fn reserve(document: &Document, known: u32) {
    let sources = &document.sources;
    // They are within no part of the file.
    let nothing = Span::new(SourceId(u32::MAX), 0, 0);
    for _ in sources.count()..known {
        sources.part(ENDED, nothing);
    }
}
