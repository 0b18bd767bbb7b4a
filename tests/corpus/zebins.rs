//! The reference corpus: every sample decodes without diagnostics, and agrees with readelf and its
//! `.ze_info` text.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::Test;
use crate::support::fixtures::{Fixture, in_folder};
use crate::support::invariants::{Depth, violations};
use crate::support::readelf;
use crate::support::watchdog::Watchdog;
use libtest_mimic::Failed;
use zeview::model::Severity;

/// Diagnostics expected in real files, with the reason.
const EXPECTED: &[(&str, &str, &str)] = &[
    (
        "globals-visaonly.",
        "elf/relocations-without-symbol-table",
        "the internal option -emit-visa-only writes relocations and no symbols",
    ),
    (
        "enqueue.",
        "zebin/kernel-only-in-spirv",
        "the compiler drops the kernel of a block",
    ),
    ("nokernel.", "zebin/no-code", "a program without kernels"),
    ("extern_lib.", "zebin/no-code", "a library without kernels"),
    (
        "extern_lib-plain.",
        "zebin/no-code",
        "a library without kernels",
    ),
];

/// The tests of this file.
pub const TESTS: &[(&str, Test)] = &[
    ("samples_hold_the_invariants", invariants),
    ("samples_are_explained_without_a_remark", explained),
    ("samples_agree_with_readelf", listings),
    ("ze_info_agrees_with_the_reference_text", ze_info),
    ("changed_files_hold_the_invariants", changed),
];

/// Returns the ELF files among the samples; archives are another format.
fn samples(folder: &Path) -> Vec<Fixture> {
    let mut files = in_folder(&folder.join("samples/zebin"), "zebin");
    files.retain(|f| f.bytes.starts_with(b"\x7fELF"));
    assert!(files.len() > 200, "only {} samples", files.len());
    files
}

fn reference(folder: &Path, file: &Fixture) -> PathBuf {
    folder.join("samples/zebin-reference").join(&file.name)
}

fn all(wrong: Vec<String>) -> Result<(), Failed> {
    match wrong.len() {
        0 => Ok(()),
        len => {
            let shown: Vec<_> = wrong.into_iter().take(20).collect();
            Err(format!("{len} files:\n{}", shown.join("\n")).into())
        }
    }
}

fn invariants(folder: &Path) -> Result<(), Failed> {
    let watchdog = Watchdog::start();
    let mut wrong = Vec::new();
    for file in samples(folder) {
        watchdog.case(&file.name);
        let depth = if file.bytes.len() < 200_000 {
            Depth::Full
        } else {
            Depth::Quick
        };
        let found = violations(&file.bytes, depth);
        if !found.is_empty() {
            wrong.push(format!("{}:\n  {}", file.name, found.join("\n  ")));
        }
    }
    all(wrong)
}

fn explained(folder: &Path) -> Result<(), Failed> {
    let mut wrong = Vec::new();
    for file in samples(folder) {
        let document = crate::support::open(&file.bytes);
        let coverage = document.coverage;
        if coverage.gap + coverage.overlap > 0
            || coverage.explained + coverage.padding != file.bytes.len() as u64
        {
            wrong.push(format!("{}: {coverage:?}", file.name));
        }
        for diagnostic in &document.diagnostics {
            let expected = EXPECTED
                .iter()
                .any(|(name, rule, _)| file.name.starts_with(name) && diagnostic.rule == *rule);
            if !expected && diagnostic.severity > Severity::Info {
                wrong.push(format!(
                    "{}: {}: {}",
                    file.name, diagnostic.rule, diagnostic.message
                ));
            }
        }
    }
    all(wrong)
}

fn listings(folder: &Path) -> Result<(), Failed> {
    let mut wrong = Vec::new();
    for file in samples(folder) {
        let path = reference(folder, &file).join("readelf.txt");
        let text = fs::read(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        let listing = readelf::parse(&String::from_utf8_lossy(&text));
        for difference in readelf::differences(&file.bytes, &listing) {
            wrong.push(format!("{}: {difference}", file.name));
        }
    }
    all(wrong)
}

fn ze_info(folder: &Path) -> Result<(), Failed> {
    let mut wrong = Vec::new();
    let mut compared = 0;
    for file in samples(folder) {
        let path = reference(folder, &file).join("ze_info.yaml");
        let Ok(text) = fs::read(&path) else {
            continue;
        };
        match crate::support::yaml::compare(&file.bytes, &text) {
            Ok(count) => compared += count,
            Err(message) => wrong.push(format!("{}: {message}", file.name)),
        }
    }
    eprintln!("{compared} values compared");
    all(wrong)
}

/// Files with one change each.
fn changed(folder: &Path) -> Result<(), Failed> {
    let watchdog = Watchdog::start();
    let mut wrong = Vec::new();
    let mut files = BTreeMap::new();
    collect(&folder.join("verdicts/files"), &mut files);
    assert!(files.len() > 500, "only {} changed files", files.len());
    for (path, bytes) in files {
        let name = path.display().to_string();
        watchdog.case(&name);
        let found = violations(&bytes, Depth::Quick);
        if !found.is_empty() {
            wrong.push(format!("{name}:\n  {}", found.join("\n  ")));
        }
    }
    all(wrong)
}

fn collect(folder: &Path, files: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files);
        } else if let Ok(bytes) = fs::read(&path) {
            files.insert(path, bytes);
        }
    }
}
