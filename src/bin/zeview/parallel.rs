//! Processes several files in parallel.

use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

/// Stack size of a thread, as the main thread usually has.
pub const STACK: usize = 8 << 20;

/// Calls `work` for each number below `count` on one thread per processor, and passes the results
/// to `each` in order. Results that finish early are buffered.
///
/// # Errors
///
/// Returns the first error of `each`, after which no further work starts, or the error of starting
/// a thread.
pub fn in_order<R: Send>(
    count: usize,
    work: impl Fn(usize) -> R + Sync,
    mut each: impl FnMut(usize, R) -> io::Result<()>,
) -> io::Result<()> {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    if threads.min(count) <= 1 {
        return (0..count).try_for_each(|number| each(number, work(number)));
    }
    let begun = AtomicUsize::new(0);
    thread::scope(|scope| {
        let (sender, results) = mpsc::channel();
        for _ in 0..threads.min(count) {
            let (sender, begun, work) = (sender.clone(), &begun, &work);
            let run = move || {
                loop {
                    let number = begun.fetch_add(1, Ordering::Relaxed);
                    if number >= count || sender.send((number, work(number))).is_err() {
                        return;
                    }
                }
            };
            let thread = thread::Builder::new().stack_size(STACK);
            thread.spawn_scoped(scope, run)?;
        }
        // The results end when all threads have dropped their senders.
        drop(sender);
        let mut waiting = BTreeMap::new();
        let mut next = 0;
        for (number, result) in results {
            waiting.insert(number, result);
            while let Some(result) = waiting.remove(&next) {
                each(next, result)?;
                next += 1;
            }
        }
        Ok(())
    })
}
