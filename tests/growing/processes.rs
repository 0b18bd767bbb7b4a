//! Whole processes: every command that reads a file, on hostile files. The system limits memory;
//! output is counted.

use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::support::growing_hosts::HOSTS;
use super::support::growing_pairs::PAIRS;
use super::support::growing_zebins::ZEBINS;
use super::support::processes::{
    COMMANDS, COMPARISONS, Outcome, changed, output_allowed, run, serve, write_files,
};
use super::support::watchdog::Watchdog;

/// Sizes of the files in bytes, each twice the previous one.
const SIZES: [usize; 3] = [32 << 10, 64 << 10, 128 << 10];

/// Number of commands that run concurrently.
const THREADS: usize = 2;

/// Hostile files, and the commands that read them.
struct Construct {
    name: String,
    make: Box<dyn Fn(usize) -> [Vec<u8>; 2] + Send + Sync>,
    commands: &'static [&'static [&'static str]],
}

fn constructs() -> Vec<Construct> {
    let files = HOSTS.iter().chain(ZEBINS).map(|(name, make)| Construct {
        name: (*name).to_owned(),
        make: Box::new(|size| {
            let bytes = make(size);
            let other = changed(&bytes);
            [bytes, other]
        }),
        commands: COMMANDS,
    });
    let pairs = PAIRS.iter().map(|(name, make)| Construct {
        name: format!("compared: {name}"),
        make: Box::new(make),
        commands: COMPARISONS,
    });
    files.chain(pairs).collect()
}

const PROGRAM: &str = env!("CARGO_BIN_EXE_zeview");

#[test]
fn every_command_is_bounded() {
    let folder = std::env::temp_dir().join(format!("zeview-growing-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let constructs = constructs();
    let wrong = Mutex::new(Vec::new());
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                let watchdog = Watchdog::start();
                while let Some(construct) = constructs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let found = run_all(construct, &folder, &watchdog);
                    wrong.lock().unwrap().extend(found);
                }
                watchdog.case("");
            });
        }
    });
    fs::remove_dir_all(&folder).unwrap();
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Runs all commands on files of a construct. Returns violations.
fn run_all(construct: &Construct, folder: &Path, watchdog: &Watchdog) -> Vec<String> {
    let Construct { name, commands, .. } = construct;
    let folder = folder.join(name.replace(|c: char| !c.is_ascii_alphanumeric(), "-"));
    fs::create_dir_all(&folder).unwrap();
    let mut wrong = Vec::new();
    let mut outputs = vec![Vec::new(); commands.len()];
    for size in SIZES {
        let files = (construct.make)(size);
        let size = files.iter().map(Vec::len).max().unwrap_or_default() as u64;
        write_files(&folder, &files).unwrap();
        for (command, outputs) in commands.iter().zip(&mut outputs) {
            let case = format!("{name}, {size} bytes, {}", command.join(" "));
            watchdog.case(&case);
            let Outcome { status, output } = run(PROGRAM, command, size, &folder).unwrap();
            if !matches!(status, Some(0..=2)) {
                wrong.push(format!("{case}: status {status:?}"));
            }
            if output > output_allowed(size) {
                wrong.push(format!("{case}: {output} bytes of output"));
            }
            outputs.push(output);
        }
        watchdog.case(format!("{name}, {size} bytes, open"));
        let served = serve(PROGRAM, size, &folder).unwrap();
        if served != files[0].len() as u64 {
            wrong.push(format!("{name}, {size} bytes, open: {served} bytes"));
        }
    }
    for (command, outputs) in commands.iter().zip(outputs) {
        // Up to the minimum limit, twice the file may have four times the output.
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

/// Writes files of all constructs for measurements: `ZEVIEW_GROWING` names a folder, `ZEVIEW_BYTES`
/// their size.
#[test]
#[ignore = "writes files"]
fn write_constructs() {
    let folder = std::env::var_os("ZEVIEW_GROWING").expect("ZEVIEW_GROWING is not set");
    let size = std::env::var("ZEVIEW_BYTES").expect("ZEVIEW_BYTES is not set");
    let size: usize = size.parse().unwrap();
    for construct in constructs() {
        let name = construct.name.replace(['/', ' ', ',', ':'], "-");
        let folder = Path::new(&folder).join(name);
        fs::create_dir_all(&folder).unwrap();
        write_files(&folder, &(construct.make)(size)).unwrap();
    }
}
