//! Whole processes compared with other tools: `cargo xtask bench compare`. Prints Markdown tables.
//! `cargo bench --bench compare --features cli -- code` prints the tables of one part.
//!
//! Times are medians of alternating runs of whole processes. Memory is the peak resident set, read
//! while the process waits to write its last line.

#[allow(dead_code)]
#[path = "../../tests/support/compressed.rs"]
mod compressed;
#[allow(dead_code)]
#[path = "../../tests/support/elf.rs"]
mod elf;
#[allow(dead_code)]
#[path = "../../tests/support/hostile.rs"]
mod hostile;
#[allow(dead_code)]
#[path = "../../tests/support/notes.rs"]
mod notes;
#[allow(dead_code)]
#[path = "../../tests/support/random.rs"]
mod random;
#[allow(dead_code)]
#[path = "../../tests/support/spirv.rs"]
mod spirv;
#[allow(dead_code)]
#[path = "../../tests/support/syclbin.rs"]
mod syclbin;
#[allow(dead_code)]
#[path = "../../tests/support/zebin.rs"]
mod zebin;

mod code;
mod diffs;
mod hosts;
mod process;
mod syclbins;
mod zebins;

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Parts, with the functions that print their tables.
type Part = (&'static str, fn() -> io::Result<()>);

const PARTS: [Part; 5] = [
    ("zebins", zebins::run),
    ("syclbins", syclbins::run),
    ("code", code::run),
    ("diffs", diffs::run),
    ("hosts", hosts::run),
];

fn main() -> io::Result<()> {
    // Cargo adds an option.
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let is_named = |name: &str| wanted.iter().any(|word| word == name);
    let is_any = PARTS.iter().any(|(name, _)| is_named(name));
    for (name, run) in PARTS {
        if !is_any || is_named(name) {
            run()?;
        }
    }
    Ok(())
}

/// Folder for generated files.
fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
}

/// The samples of the corpus, if it is available.
fn samples() -> Option<PathBuf> {
    let corpus = std::env::var_os("ZEVIEW_CORPUS")?;
    Some(Path::new(&corpus).join("samples"))
}

fn name(path: &Path) -> String {
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

fn megabytes(bytes: u64) -> String {
    format!("{:.2} MB", bytes as f64 / 1e6)
}

fn milliseconds(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1e3)
}
