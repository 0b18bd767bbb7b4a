//! Runs programs and prints progress.
//!
//! What runs beside other steps writes into a file ([`Beside`]), so that the outputs are not mixed.

use std::cell::RefCell;
use std::ffi::OsStr;
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Result of all functions here. An error is one message.
pub type Outcome<T = ()> = Result<T, String>;

/// Where the output of a thread goes instead of the terminal, and whether it is to end.
#[derive(Clone)]
pub struct Beside {
    output: Arc<File>,
    stop: Arc<AtomicBool>,
}

thread_local! {
    static BESIDE: RefCell<Option<Beside>> = const { RefCell::new(None) };
}

impl Beside {
    /// Creates the file of the output.
    pub fn new(output: &Path) -> Outcome<Self> {
        let file =
            File::create(output).map_err(|error| format!("{}: {error}", output.display()))?;
        Ok(Self {
            output: Arc::new(file),
            stop: Arc::default(),
        })
    }

    /// Of the current thread, for a thread that it starts.
    pub fn current() -> Option<Self> {
        BESIDE.with_borrow(Clone::clone)
    }

    /// Sends the output of the current thread there.
    pub fn enter(beside: Option<Self>) {
        BESIDE.set(beside);
    }

    /// Lets no further program start.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

/// Prints a line and flushes, so that it precedes the output of a program.
pub fn say(line: impl AsRef<str>) {
    if let Some(beside) = Beside::current() {
        // A full disk shows in the programs.
        let _ = writeln!(&*beside.output, "{}", line.as_ref());
        return;
    }
    println!("{}", line.as_ref());
    flush();
}

pub fn flush() {
    // A failure means that the reader has gone.
    let _ = std::io::stdout().flush();
}

/// Prints a command and runs it; fails unless it succeeds.
pub fn run(command: &mut Command) -> Outcome {
    let line = written(command);
    if let Some(beside) = Beside::current() {
        if beside.stop.load(Ordering::Relaxed) {
            return Err(format!("{line}: not started, because another step failed"));
        }
        let output = || beside.output.try_clone().map_err(|error| error.to_string());
        command.stdout(output()?).stderr(output()?);
    }
    say(format!("$ {line}"));
    let status = command.stdin(Stdio::null()).status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{line}: {status}")),
        Err(error) => Err(format!("{line}: {error}")),
    }
}

/// Returns the standard output of a command, or `None` if it fails or is missing.
pub fn output(command: &mut Command) -> Option<String> {
    let output = command.stdin(Stdio::null()).output().ok()?;
    output
        .status
        .success()
        .then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Returns a command for a program that is a script on Windows (npm and what it installs).
pub fn script(name: impl AsRef<OsStr>) -> Command {
    let mut program = name.as_ref().to_owned();
    if cfg!(windows) {
        program.push(".cmd");
    }
    Command::new(program)
}

/// Formats a command as typed, with the program's name only.
fn written(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let program = program.file_name().unwrap_or(program.as_os_str());
    let mut line = program.to_string_lossy().into_owned();
    for argument in command.get_args() {
        let argument = argument.to_string_lossy();
        line.push(' ');
        if argument.is_empty() || argument.contains([' ', '*']) {
            line.push_str(&format!("'{argument}'"));
        } else {
            line.push_str(&argument);
        }
    }
    line
}

/// Formats a duration: `0.4 s`, `2 min 05 s`.
pub fn duration(time: Duration) -> String {
    let seconds = time.as_secs();
    if seconds < 60 {
        format!("{:.1} s", time.as_secs_f64())
    } else {
        format!("{} min {:02} s", seconds / 60, seconds % 60)
    }
}

#[cfg(test)]
mod tests {
    use super::{duration, written};
    use std::process::Command;
    use std::time::Duration;

    #[test]
    fn commands_are_written_as_typed() {
        let mut command = Command::new("/usr/bin/cargo");
        command.args(["test", "--test", "wasm_*"]);
        assert_eq!(written(&command), "cargo test --test 'wasm_*'");
    }

    #[test]
    fn durations_are_readable() {
        assert_eq!(duration(Duration::from_millis(420)), "0.4 s");
        assert_eq!(duration(Duration::from_secs(125)), "2 min 05 s");
    }
}
