//! Aborts the test run if one case takes too much work, as a hang has no other symptom.
//!
//! Work is processor time of the thread that runs the case: on a busy machine, a case waits for longer
//! than it works.

use std::fs;
use std::io::{Write, stderr};
use std::path::{Path, PathBuf};
use std::process::abort;
use std::sync::{Arc, Mutex, Weak};
use std::thread;
use std::time::{Duration, Instant};

/// Processor time of a case in the release profile, with a factor for unoptimized builds.
const PATIENCE: Duration = Duration::from_secs(if cfg!(debug_assertions) { 120 } else { 20 });

/// Time of a case that waits: for another process, for a lock, or where processor time is unknown.
const PATIENCE_WAITING: Duration = Duration::from_secs(1200);

/// Clock ticks per second in `/proc`: `USER_HZ`, the same on all architectures that Rust supports.
const TICKS: u64 = 100;

/// Names the current case, and ends the process if it does not change in time.
pub struct Watchdog(Arc<Mutex<Case>>);

struct Case {
    name: String,
    began: Instant,
    /// Processor time of the thread when the case began.
    worked: Duration,
    /// The thread's entry in `/proc`; `None` where there is none.
    thread: Option<PathBuf>,
}

impl Watchdog {
    /// Watches the current thread.
    pub fn start() -> Watchdog {
        let thread = fs::read_link("/proc/thread-self").ok();
        let case = Case {
            name: String::new(),
            began: Instant::now(),
            worked: Duration::ZERO,
            thread: thread.map(|thread| Path::new("/proc").join(thread)),
        };
        let state = Arc::new(Mutex::new(case));
        let weak = Arc::downgrade(&state);
        thread::spawn(move || watch(&weak));
        Watchdog(state)
    }

    /// Starts the next case.
    pub fn case(&self, name: impl Into<String>) {
        if let Ok(mut case) = self.0.lock() {
            case.name = name.into();
            case.began = Instant::now();
            case.worked = case.processor_time().unwrap_or_default();
        }
    }
}

impl Case {
    /// Returns the processor time of the thread so far.
    fn processor_time(&self) -> Option<Duration> {
        let text = fs::read_to_string(self.thread.as_ref()?.join("stat")).ok()?;
        // The name, the second field, may contain anything. `utime` and `stime` are fields 14 and 15.
        let (_, fields) = text.rsplit_once(") ")?;
        let mut fields = fields.split(' ').skip(11);
        let mut next = || fields.next()?.parse::<u64>().ok();
        let ticks = next()? + next()?;
        Some(Duration::from_millis(ticks * 1000 / TICKS))
    }

    fn is_hanging(&self) -> bool {
        let worked = self.processor_time();
        let worked = worked.is_some_and(|time| time.saturating_sub(self.worked) > PATIENCE);
        worked || self.began.elapsed() > PATIENCE_WAITING
    }
}

fn watch(state: &Weak<Mutex<Case>>) {
    while let Some(state) = state.upgrade() {
        if let Ok(case) = state.lock()
            && !case.name.is_empty()
            && case.is_hanging()
        {
            // `eprintln` would be captured by the test harness.
            let _ = writeln!(
                stderr(),
                "{}: no end after {} s",
                case.name,
                case.began.elapsed().as_secs()
            );
            abort();
        }
        drop(state);
        thread::sleep(Duration::from_millis(200));
    }
}
