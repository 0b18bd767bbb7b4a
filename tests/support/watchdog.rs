//! Aborts the test run if one case takes too long, as a hang has no other symptom.

use std::io::{Write, stderr};
use std::process::abort;
use std::sync::{Arc, Mutex, Weak};
use std::thread;
use std::time::{Duration, Instant};

/// Time limit of a case in the release profile, with a factor for unoptimized builds and busy
/// machines.
const PATIENCE: Duration = Duration::from_secs(if cfg!(debug_assertions) { 120 } else { 20 });

/// Names the current case, and ends the process if it does not change in time.
pub struct Watchdog(Arc<Mutex<(String, Instant)>>);

impl Watchdog {
    pub fn start() -> Watchdog {
        let state = Arc::new(Mutex::new((String::new(), Instant::now())));
        let weak = Arc::downgrade(&state);
        thread::spawn(move || watch(&weak));
        Watchdog(state)
    }

    /// Starts the next case.
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
                // `eprintln` would be captured by the test harness.
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
