//! Files that broke a guarantee: each command ends in time, with a documented status, within the
//! limits of memory and output.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use libtest_mimic::Failed;

use crate::Test;
use crate::support::processes::{COMMANDS, changed, output_allowed, run, write_files};
use crate::support::watchdog::Watchdog;

/// The tests of this file.
pub const TESTS: &[(&str, Test)] = &[("commands_end", commands_end)];

/// Time per megabyte, and for smaller files, in milliseconds. Longer times are only printed.
const MILLIS: u128 = 1000;

fn commands_end(folder: &Path) -> Result<(), Failed> {
    let watchdog = Watchdog::start();
    let mut wrong = Vec::new();
    let mut paths = Vec::new();
    files(&folder.join("samples/hostile"), &mut paths)?;
    paths.sort();
    let scratch = std::env::temp_dir().join(format!("zeview-hostile-{}", std::process::id()));
    fs::create_dir_all(&scratch)?;
    for path in paths {
        let bytes = fs::read(&path)?;
        let size = bytes.len() as u64;
        let other = changed(&bytes);
        write_files(&scratch, &[bytes, other])?;
        for command in COMMANDS {
            let name = format!("{}: {}", path.display(), command.join(" "));
            watchdog.case(&name);
            let start = Instant::now();
            let outcome = run(env!("CARGO_BIN_EXE_zeview"), command, size, &scratch)?;
            let millis = start.elapsed().as_millis();
            if millis > MILLIS.max(MILLIS * u128::from(size) / 1_000_000) {
                eprintln!("{name}: {millis} ms for {size} bytes");
            }
            if !matches!(outcome.status, Some(0..=2)) {
                wrong.push(format!("{name}: {:?}", outcome.status));
            }
            if outcome.output > output_allowed(size) {
                wrong.push(format!("{name}: {} bytes of output", outcome.output));
            }
        }
    }
    watchdog.case("");
    fs::remove_dir_all(&scratch)?;
    if wrong.is_empty() {
        Ok(())
    } else {
        Err(wrong.join("\n").into())
    }
}

/// Collects the files in a folder and its subfolders.
fn files(folder: &Path, found: &mut Vec<PathBuf>) -> Result<(), Failed> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            files(&path, found)?
        } else {
            found.push(path)
        }
    }
    Ok(())
}
