//! Pairs of real files: `zeview diff` against their dumps.

use std::path::Path;
use std::time::{Duration, Instant};

use libtest_mimic::Failed;

use crate::Test;
use crate::support::diff::{disagreements, violations, wrong_quantities};
use crate::support::fixtures::{Fixture, in_folder};
use crate::support::layout::unfounded_claims;
use crate::support::open;
use crate::support::random::Random;
use crate::support::watchdog::Watchdog;

pub const TESTS: &[(&str, Test)] = &[
    ("pairs_of_zebins", pairs_of_zebins),
    ("pairs_of_others", pairs_of_others),
    ("hostile_files", hostile_files),
    ("changed_bytes", changed_bytes),
];

/// Environment variable: duration of the test of changed bytes in minutes; a few seconds without
/// it.
const MINUTES: &str = "ZEVIEW_MINUTES";

/// Maximum size of a file in bytes; larger files have large dumps and are compared elsewhere.
const LARGE: usize = 200 << 10;

/// Returns the source of a file, with its compiler options.
fn stem(name: &str) -> &str {
    name.split(['.', '-']).next().unwrap_or(name)
}

fn report(wrong: &[String]) -> Result<(), Failed> {
    if wrong.is_empty() {
        Ok(())
    } else {
        Err(wrong.join("\n").into())
    }
}

fn pairs_of_zebins(folder: &Path) -> Result<(), Failed> {
    let watchdog = Watchdog::start();
    let mut files = in_folder(&folder.join("samples/zebin"), "zebin");
    files.retain(|file| {
        file.bytes.len() < LARGE && open(&file.bytes).summary.title.starts_with("zebin")
    });
    let (mut wrong, mut count) = (Vec::new(), 0);
    for (at, a) in files.iter().enumerate() {
        let others = files[at + 1..].iter();
        let related = others.filter(|b| stem(&a.name) == stem(&b.name));
        // Adjacent files, and more distant ones: another compiler, device or options.
        let related: Vec<&Fixture> = related.collect();
        for b in related.iter().take(2).chain(related.last()) {
            watchdog.case(format!("{} and {}", a.name, b.name));
            count += 1;
            let mut found = disagreements(&a.bytes, &b.bytes);
            found.extend(wrong_quantities(&a.bytes, &b.bytes));
            wrong.extend(
                found
                    .iter()
                    .map(|line| format!("{} → {}: {line}", a.name, b.name)),
            );
        }
    }
    watchdog.case("");
    eprintln!("{count} pairs of zebins");
    if count < 100 {
        return Err(format!("only {count} pairs").into());
    }
    report(&wrong)
}

fn pairs_of_others(folder: &Path) -> Result<(), Failed> {
    let watchdog = Watchdog::start();
    let mut wrong = Vec::new();
    for (path, ending) in [
        ("samples/hosts", "host"),
        ("samples/syclbin-good", "syclbin"),
        ("samples/syclbin-bad", "syclbin"),
    ] {
        let mut files = in_folder(&folder.join(path), ending);
        files.retain(|file| file.bytes.len() < LARGE);
        for pair in files.windows(2) {
            let what = format!("{} and {}", pair[0].name, pair[1].name);
            watchdog.case(&what);
            let found = violations(&pair[0].bytes, &pair[1].bytes);
            wrong.extend(found.iter().map(|line| format!("{what}: {line}")));
        }
    }
    watchdog.case("");
    report(&wrong)
}

/// Compares copies with one changed byte: a difference, or layout. Covers all files once, then
/// repeats until the time limit.
fn changed_bytes(folder: &Path) -> Result<(), Failed> {
    let minutes = std::env::var(MINUTES)
        .ok()
        .and_then(|text| text.parse::<u64>().ok());
    let end = Instant::now() + Duration::from_secs(minutes.unwrap_or(0) * 60);
    let watchdog = Watchdog::start();
    let mut files = Vec::new();
    for (path, ending) in [
        ("samples/zebin", "zebin"),
        ("samples/syclbin-good", "syclbin"),
        ("samples/syclbin-bad", "syclbin"),
        ("samples/hosts", "host"),
        ("samples/hostile", "zebin"),
        ("samples/hostile/gates", "zebin"),
    ] {
        files.extend(in_folder(&folder.join(path), ending));
    }
    files.retain(|file| file.bytes.len() < LARGE);
    let (mut wrong, mut count, mut round) = (Vec::new(), 0, 0);
    while round == 0 || Instant::now() < end {
        for file in &files {
            if round > 0 && Instant::now() >= end {
                break;
            }
            watchdog.case(&file.name);
            let random = &mut Random::named(&format!("{} {round}", file.name));
            count += 2;
            let found = unfounded_claims(&file.bytes, random, 2);
            wrong.extend(found.iter().map(|line| format!("{}: {line}", file.name)));
        }
        round += 1;
    }
    watchdog.case("");
    eprintln!("{count} changed bytes of {} files", files.len());
    report(&wrong)
}

/// Compares hostile files with a copy that has a few changed bytes.
fn hostile_files(corpus: &Path) -> Result<(), Failed> {
    let watchdog = Watchdog::start();
    let mut wrong = Vec::new();
    let mut paths = Vec::new();
    for folder in [
        "samples/hostile",
        "samples/hostile/second",
        "samples/hostile/gates",
    ] {
        for entry in std::fs::read_dir(corpus.join(folder))? {
            paths.extend(Some(entry?.path()).filter(|path| path.is_file()));
        }
    }
    for path in paths {
        let bytes = std::fs::read(&path)?;
        let name = path.display().to_string();
        watchdog.case(&name);
        let mut other = bytes.clone();
        for byte in other.iter_mut().skip(1024).step_by(4093) {
            *byte ^= 1;
        }
        let found = violations(&bytes, &other);
        wrong.extend(found.iter().map(|line| format!("{name}: {line}")));
    }
    watchdog.case("");
    report(&wrong)
}
