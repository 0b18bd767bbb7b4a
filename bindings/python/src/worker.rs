//! The thread that a document lives in.
//!
//! A document is bound to a thread, because its parts share each other without locks. So each one
//! has a thread of its own, which runs what the threads of Python send. It ends when the document is
//! closed or dropped.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::{self, JoinHandle};

use zeview::decode::decode;
use zeview::model::Document;

use crate::source::{CancelableSource, Source};

/// Work on a document, which sends its own result.
type Task = Box<dyn FnOnce(&mut Document) + Send>;

/// Stack size of the thread, as the main thread of the command line usually has.
const STACK: usize = 8 << 20;

/// A running thread with a document.
pub struct Worker {
    tasks: Sender<Task>,
    is_canceled: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

impl Worker {
    /// Starts the thread, which decodes the bytes first.
    ///
    /// # Errors
    ///
    /// If the system has no more threads.
    pub fn start(source: Source, name: String) -> io::Result<Worker> {
        let is_canceled = Arc::new(AtomicBool::new(false));
        let (tasks, queue) = mpsc::channel::<Task>();
        let flag = Arc::clone(&is_canceled);
        let run = move || {
            let source = CancelableSource::new(source, Arc::clone(&flag));
            let mut document = decode(Box::new(source), &name);
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
        Ok(Worker {
            tasks,
            is_canceled,
            thread: thread.spawn(run)?,
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
        let task = move |document: &mut Document| {
            let result = work(document);
            // The result of canceled work may lack what could not be read.
            if !flag.load(Ordering::Relaxed) {
                // The thread of Python may have been interrupted.
                let _ = sender.send(result);
            }
        };
        // If the thread has failed, the receiver learns it.
        let _ = self.tasks.send(Box::new(task));
        receiver
    }

    /// Whether the thread has ended: it failed.
    pub fn has_ended(&self) -> bool {
        self.thread.is_finished()
    }

    /// Makes the thread end soon, without waiting for it.
    pub fn cancel(self) {
        self.is_canceled.store(true, Ordering::Relaxed);
    }

    /// Makes the thread end, and waits for it. The caller must not hold what its reads need.
    pub fn stop(self) {
        self.is_canceled.store(true, Ordering::Relaxed);
        drop(self.tasks);
        // A thread that failed has already printed why.
        let _ = self.thread.join();
    }
}
