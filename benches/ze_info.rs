//! Reads the `.ze_info` of a file completely: with zeview's reader, which keeps offsets, and with
//! `serde_yaml`. `cargo xtask bench peers` runs it.
//!
//! Prints the milliseconds of both: medians of alternating runs in one process.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)]

use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

use zeview::decode::decode;
use zeview::decode::zebin::ze_info::yaml;
use zeview::model::FileSource;

const RUNS: usize = 15;

fn text_of(file: &Path) -> Vec<u8> {
    let source = FileSource::open(file).expect("the file can be opened");
    let mut document = decode(Box::new(source), "file");
    let id = document.find(".ze_info").expect(".ze_info");
    let span = document.node(id).unwrap().span.unwrap();
    document.sources.read(span).unwrap().to_vec()
}

fn time<T>(f: impl FnOnce() -> T) -> Duration {
    let start = Instant::now();
    drop(black_box(f()));
    start.elapsed()
}

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort();
    times[times.len() / 2].as_secs_f64() * 1000.0
}

fn main() {
    // Cargo passes `--bench`.
    let file = std::env::args().skip(1).find(|arg| !arg.starts_with("--"));
    let text = text_of(Path::new(&file.expect("the path of a file")));
    let ours = || time(|| yaml::parse(&text, yaml::Limits::default()));
    let serde = || time(|| serde_yaml::from_slice::<serde_yaml::Value>(&text).unwrap());
    // The first run is cold.
    let runs = (0..=RUNS).map(|_| (ours(), serde())).skip(1);
    let (ours, serde) = runs.unzip();
    println!("{} {}", median(ours), median(serde));
}
