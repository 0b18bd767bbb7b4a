//! Progress on a terminal for slow commands.

use std::io::{IsTerminal, Write, stderr};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{JoinHandle, spawn};
use std::time::{Duration, Instant};

use zeview::model::text::escaped;

/// Delay before progress is shown, and interval of updates.
const PATIENCE: Duration = Duration::from_millis(700);

/// Shows the current step until it is dropped. Does nothing unless standard error is a terminal
/// that can erase it.
pub struct Progress(Option<(Sender<String>, JoinHandle<()>)>);

impl Progress {
    /// Starts the timer.
    pub fn start() -> Progress {
        let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        if is_dumb || !stderr().is_terminal() {
            return Progress(None);
        }
        let (sender, receiver) = channel::<String>();
        let began = Instant::now();
        let thread = spawn(move || {
            let (mut now, mut shown) = (String::new(), false);
            loop {
                match receiver.recv_timeout(PATIENCE) {
                    Ok(text) => now = escaped(&text),
                    Err(RecvTimeoutError::Timeout) => {
                        shown = true;
                        eprint!("\r\x1b[K{now} … {} s", began.elapsed().as_secs());
                        let _ = stderr().flush();
                    }
                    Err(RecvTimeoutError::Disconnected) => break,
                }
            }
            if shown {
                eprint!("\r\x1b[K");
            }
        });
        Progress(Some((sender, thread)))
    }

    /// Sets the current step.
    pub fn set(&self, text: impl FnOnce() -> String) {
        if let Some((sender, _)) = &self.0 {
            let _ = sender.send(text());
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some((sender, thread)) = self.0.take() {
            drop(sender);
            let _ = thread.join();
        }
    }
}
