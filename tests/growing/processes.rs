//! Whole processes: every command that reads a file, on files that are made to cost much. Memory is
//! bounded by a limit of the system, output is counted.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use super::ALONE;
use super::support::growing::Make;
use super::support::growing_hosts::HOSTS;
use super::support::processes::{COMMANDS, Outcome, output_allowed, run, write_files};
use super::support::watchdog::Watchdog;

/// The sizes of the files in bytes, each twice the one before.
const SIZES: [usize; 3] = [32 << 10, 64 << 10, 128 << 10];

/// Commands that run at the same time.
const THREADS: usize = 2;

#[test]
fn every_command_is_bounded() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let watchdog = Watchdog::start();
    let folder = std::env::temp_dir().join(format!("zeview-growing-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let wrong = Mutex::new(Vec::new());
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                while let Some((name, make)) = HOSTS.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let found = construct(name, *make, &folder, &watchdog);
                    wrong.lock().unwrap().extend(found);
                }
            });
        }
    });
    watchdog.case("");
    fs::remove_dir_all(&folder).unwrap();
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Runs all commands on files of a construct. Returns what is wrong.
fn construct(name: &str, make: Make, folder: &Path, watchdog: &Watchdog) -> Vec<String> {
    let folder = folder.join(name.replace(|c: char| !c.is_ascii_alphanumeric(), "-"));
    fs::create_dir_all(&folder).unwrap();
    let mut wrong = Vec::new();
    let mut outputs = vec![Vec::new(); COMMANDS.len()];
    for size in SIZES {
        let bytes = make(size);
        let size = bytes.len() as u64;
        write_files(&folder, &bytes).unwrap();
        for (command, outputs) in COMMANDS.iter().zip(&mut outputs) {
            let case = format!("{name}, {size} bytes, {}", command.join(" "));
            watchdog.case(&case);
            let Outcome { status, output } =
                run(env!("CARGO_BIN_EXE_zeview"), command, size, &folder).unwrap();
            if !matches!(status, Some(0..=2)) {
                wrong.push(format!("{case}: status {status:?}"));
            }
            if output > output_allowed(size) {
                wrong.push(format!("{case}: {output} bytes of output"));
            }
            outputs.push(output);
        }
    }
    for (command, outputs) in COMMANDS.iter().zip(outputs) {
        // Up to the limit that every file has, twice the file may be four times the output.
        let is_even = |pair: &[u64]| pair[1] <= (pair[0] * 5 / 2).max(output_allowed(0));
        if !outputs.windows(2).all(is_even) {
            wrong.push(format!(
                "{name}, {}: output of {outputs:?}",
                command.join(" ")
            ));
        }
    }
    wrong
}
