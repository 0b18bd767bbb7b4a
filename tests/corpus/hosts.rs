//! Hosts of device images, compared with what another reader says of them.

use std::fs;
use std::path::{Path, PathBuf};

use libtest_mimic::Failed;
use zeview::decode::decode;
use zeview::model::{Document, FileSource, Severity};

use crate::support::hosts::differences;
use crate::support::invariants::{Depth, violations};

pub const TESTS: &[(&str, super::Test)] = &[
    ("small hosts are read as by another reader", small),
    (
        "what holds for every document holds for small hosts",
        invariants,
    ),
    ("libraries are read as by another reader", wild),
];

/// The files of a folder whose names end so.
fn files(folder: &Path, end: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files(&path, end));
        } else if path.to_string_lossy().ends_with(end) {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn open(path: &Path) -> Document {
    decode(Box::new(FileSource::open(path).unwrap()), "file")
}

fn compare(path: &Path, reference: &Path) -> Result<(), Failed> {
    let reference = serde_json::from_slice(&fs::read(reference)?)?;
    let mut document = open(path);
    let wrong = differences(&mut document, &reference);
    if let Some(first) = wrong.first() {
        return Err(format!("{}: {first}, {} in all", path.display(), wrong.len()).into());
    }
    let errors = document.diagnostics.iter();
    let mut errors = errors.filter(|diagnostic| diagnostic.severity == Severity::Error);
    match errors.next() {
        Some(error) => Err(format!("{}: {}", path.display(), error.message).into()),
        None => Ok(()),
    }
}

fn small(corpus: &Path) -> Result<(), Failed> {
    let references = files(&corpus.join("samples/hosts"), ".host.json");
    if references.is_empty() {
        return Err("the corpus has no hosts".into());
    }
    for reference in references {
        compare(&reference.with_extension(""), &reference)?;
    }
    Ok(())
}

fn invariants(corpus: &Path) -> Result<(), Failed> {
    for path in files(&corpus.join("samples/hosts"), ".host") {
        let wrong = violations(&fs::read(&path)?, Depth::Full);
        if let Some(first) = wrong.first() {
            return Err(format!("{}: {first}", path.display()).into());
        }
    }
    Ok(())
}

/// Libraries as people have them, in the folder that `ZEVIEW_WILD` names.
fn wild(corpus: &Path) -> Result<(), Failed> {
    let Some(folder) = std::env::var_os("ZEVIEW_WILD").map(PathBuf::from) else {
        return Ok(());
    };
    let mut count = 0;
    for reference in files(&corpus.join("samples/wild/reference"), ".json") {
        let said: serde_json::Value = serde_json::from_slice(&fs::read(&reference)?)?;
        let name = said["file"].as_str().unwrap_or_default();
        let same_size =
            |path: &PathBuf| fs::metadata(path).is_ok_and(|there| said["bytes"] == there.len());
        let found = files(&folder, name).into_iter().find(same_size);
        let path = found.ok_or_else(|| format!("{name} is not in {}", folder.display()))?;
        compare(&path, &reference)?;
        count += 1;
    }
    match count {
        0 => Err("the corpus has no references".into()),
        _ => Ok(()),
    }
}
