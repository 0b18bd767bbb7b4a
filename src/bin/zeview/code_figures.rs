//! Computes the columns that need the code of kernels on all processors.

use std::sync::mpsc::{self, Receiver, SyncSender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use zeview::analysis::kernels::{CodeResult, CodeTask};
use zeview::model::Sources;
use zeview::tables::List;

use crate::parallel::STACK;

/// Number of waiting tasks per thread. Each has a copy of its code.
const WAITING: usize = 4;

/// Number of rows whose figures are computed before the first of them is used.
pub const CHUNK: usize = 512;

/// A row of a list, with the sources of its document.
pub type Row<'a> = (&'a dyn List, u32, &'a Sources);

/// The tasks, each with the index of its row.
type Queue = Arc<Mutex<Receiver<(usize, CodeTask)>>>;

/// Threads that compute figures of code. They start with the first task.
#[derive(Default)]
pub struct Workers(Option<Channels>);

struct Channels {
    tasks: SyncSender<(usize, CodeTask)>,
    /// The results in any order; tasks without a result have an empty one.
    results: Receiver<(usize, Option<CodeResult>)>,
}

impl Channels {
    fn new() -> Option<Channels> {
        let threads = thread::available_parallelism().map_or(1, usize::from);
        if threads < 2 {
            return None;
        }
        let (tasks, queue) = mpsc::sync_channel(threads * WAITING);
        let (sender, results) = mpsc::channel();
        let queue = Arc::new(Mutex::new(queue));
        for _ in 0..threads {
            let (sender, queue) = (sender.clone(), Queue::clone(&queue));
            let run = move || {
                while let Some((row, task)) = next(&queue)
                    && sender.send((row, task())).is_ok()
                {}
            };
            let thread = thread::Builder::new().stack_size(STACK);
            // Without any thread, the queue is closed: sending fails.
            drop(thread.spawn(run));
        }
        Some(Channels { tasks, results })
    }
}

impl Workers {
    /// Computes the values of the columns that need the code of kernels before they are printed.
    /// They are the same without it: lists compute missing values themselves.
    pub fn compute(&mut self, rows: &[Row<'_>], columns: &[usize]) {
        let needed = |(list, ..): &Row<'_>| {
            let kernels = list.as_kernels();
            kernels.is_some_and(|kernels| !kernels.code_columns(columns).is_empty())
        };
        if rows.len() < 2 || !rows.iter().any(needed) {
            return;
        }
        if self.0.is_none() {
            self.0 = Channels::new();
        }
        let Some(Channels { tasks, results }) = &self.0 else {
            return;
        };
        let keep = |(row, result): (usize, Option<CodeResult>)| {
            if let Some((list, row, _)) = rows.get(row)
                && let Some(kernels) = list.as_kernels()
                && let Some(result) = result
            {
                kernels.keep_result(*row, result);
            }
        };
        let mut pending = 0_usize;
        for (at, (list, row, sources)) in rows.iter().enumerate() {
            let Some(kernels) = list.as_kernels() else {
                continue;
            };
            for column in kernels.code_columns(columns) {
                if let Some(task) = kernels.code_task(*row, column, sources)
                    && tasks.send((at, task)).is_ok()
                {
                    pending += 1;
                }
            }
            for result in results.try_iter() {
                pending -= 1;
                keep(result);
            }
        }
        for result in results.iter().take(pending) {
            keep(result);
        }
    }
}

/// Waits for the next task. Returns `None` after the last one.
fn next(queue: &Queue) -> Option<(usize, CodeTask)> {
    let queue = queue.lock().unwrap_or_else(PoisonError::into_inner);
    queue.recv().ok()
}
