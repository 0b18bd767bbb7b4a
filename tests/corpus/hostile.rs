//! Files that broke a promise: each command ends in time, with a documented status, and prints no
//! more than is allowed.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::Test;
use crate::support::watchdog::Watchdog;
use libtest_mimic::Failed;
use zeview::decode::limits;

/// The tests of this file.
pub const TESTS: &[(&str, Test)] = &[("commands_end", commands_end)];

/// As many bytes as a file may take in memory, for each of its own, and at least.
const MEMORY: u64 = 10;
const MEMORY_LEAST: u64 = 64 << 20;

fn commands_end(folder: &Path) -> Result<(), Failed> {
    let watchdog = Watchdog::start();
    let mut wrong = Vec::new();
    let folder = folder.join("samples/hostile");
    let mut paths: Vec<_> = fs::read_dir(&folder)?.flatten().map(|e| e.path()).collect();
    paths.sort();
    for path in paths {
        let size = fs::metadata(&path)?.len();
        let commands: [&[&str]; 8] = [
            &[],
            &["check"],
            &["kernels"],
            &["dump"],
            &["dump", "--json"],
            &["ls", "-r"],
            &["ls", "--symbols"],
            &["ls", "--relocations"],
        ];
        for command in commands {
            let name = format!("{} {command:?}", path.display());
            watchdog.case(&name);
            let output = limited(size)
                .arg(zeview())
                .args(command)
                .arg(&path)
                .output()?;
            let status = output.status.code();
            if !matches!(status, Some(0..=2)) {
                wrong.push(format!("{name}: {status:?}"));
            }
            if output.stdout.len() as u64 > limits::output(size) + (4 << 20) {
                wrong.push(format!("{name}: {} bytes of output", output.stdout.len()));
            }
        }
    }
    watchdog.case("");
    match wrong.is_empty() {
        true => Ok(()),
        false => Err(wrong.join("\n").into()),
    }
}

fn zeview() -> &'static str {
    env!("CARGO_BIN_EXE_zeview")
}

/// Runs a program with a limit on its data: an allocation beyond it fails, and ends the program.
fn limited(size: u64) -> Command {
    let most = (size * MEMORY).max(MEMORY_LEAST) / 1024;
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("ulimit -d {most}; exec \"$@\""), "sh"]);
    shell
}
