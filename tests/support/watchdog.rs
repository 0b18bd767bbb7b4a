//! Ends the test run when one case takes too long: a hang has no other symptom.

use std::io::{Write, stderr};
use std::process::abort;
use std::sync::{Arc, Mutex, Weak};
use std::thread;
use std::time::{Duration, Instant};

/// What one case may take in the release profile, with a factor for builds that are not
/// optimized and for machines that are busy.
const PATIENCE: Duration = Duration::from_secs(if cfg!(debug_assertions) { 120 } else { 20 });

/// Names the case at hand, and ends the process when it does not change in time.
pub struct Watchdog(Arc<Mutex<(String, Instant)>>);

impl Watchdog {
    pub fn start() -> Watchdog {
        let state = Arc::new(Mutex::new((String::new(), Instant::now())));
        let weak = Arc::downgrade(&state);
        thread::spawn(move || watch(&weak));
        Watchdog(state)
    }

    /// The next case begins.
    pub fn case(&self, name: impl Into<String>) {
        if let Ok(mut state) = self.0.lock() {
            *state = (name.into(), Instant::now());
        }
    }
}

fn watch(state: &Weak<Mutex<(String, Instant)>>) {
    while let Some(state) = state.upgrade() {
        if let Ok(state) = state.lock() {
            let (name, since) = &*state;
            if since.elapsed() > PATIENCE && !name.is_empty() {
                // Not `eprintln`, which a test's thread keeps for itself.
                let _ = writeln!(
                    stderr(),
                    "{name}: no end after {} s",
                    since.elapsed().as_secs()
                );
                abort();
            }
        }
        drop(state);
        thread::sleep(Duration::from_millis(200));
    }
}
