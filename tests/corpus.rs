//! The reference corpus: every sample is decoded without a remark, and agrees with what
//! readelf and the ze_info text beside it say. `ZEVIEW_CORPUS` names its folder; without it
//! these tests are reported as ignored.

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};
use support::fixtures::{Fixture, corpus, in_folder};
use support::invariants::{Depth, violations};
use support::readelf;
use support::watchdog::Watchdog;
use zeview::model::Severity;

/// What is reported of real files, and why.
const EXPECTED: &[(&str, &str, &str)] = &[(
    "globals-visaonly.",
    "elf/relocations-without-symbol-table",
    "the internal option -emit-visa-only writes relocations and no symbols",
)];

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let tests = match corpus() {
        Some(folder) => tests(&folder),
        None => NAMES
            .iter()
            .map(|name| Trial::test(*name, || Ok(())).with_ignored_flag(true))
            .collect(),
    };
    libtest_mimic::run(&arguments, tests).exit_code()
}

/// One for each test below.
const NAMES: &[&str] = &[
    "samples_hold_the_invariants",
    "samples_are_explained_without_a_remark",
    "samples_agree_with_readelf",
    "ze_info_agrees_with_the_reference_text",
    "changed_files_hold_the_invariants",
];

type Test = fn(&Path) -> Result<(), Failed>;

fn tests(folder: &Path) -> Vec<Trial> {
    let tests: &[Test] = &[invariants, explained, listings, ze_info, changed];
    let trial = |(name, test): (&&str, &Test)| {
        let (folder, test) = (folder.to_owned(), *test);
        Trial::test(*name, move || test(&folder))
    };
    NAMES.iter().zip(tests).map(trial).collect()
}

/// The ELF files among the samples; archives are another format.
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
        let document = support::open(&file.bytes);
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
        match support::yaml::compare(&file.bytes, &text) {
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
