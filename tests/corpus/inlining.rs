//! Chains of inlined calls of all files of the corpus with debug information, compared with pyelftools.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::Test;
use crate::support::inlining::{chains, written};
use crate::support::{fixtures, open};
use libtest_mimic::Failed;

/// The tests of this file.
pub const TESTS: &[(&str, Test)] = &[("inlining_is_that_of_pyelftools", inlining)];

/// The 64-bit FNV-1a hash.
fn fnv(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    })
}

fn inlining(folder: &Path) -> Result<(), Failed> {
    let table = fs::read_to_string(fixtures::folder().join("inlining/corpus.tsv"))?;
    let rows = table.lines().skip(1).map(|line| {
        let (name, sums) = line.split_once('\t').expect("columns");
        (name, sums)
    });
    let mut expected: BTreeMap<&str, &str> = rows.collect();
    let mut failed = Vec::new();
    for entry in fs::read_dir(folder.join("samples/zebin"))? {
        let path = entry?.path();
        let bytes = fs::read(&path)?;
        if !bytes.starts_with(b"\x7fELF") {
            continue;
        }
        let found = written(&chains(&open(&bytes), 8));
        let name = path
            .file_name()
            .and_then(|name| name.to_str())
            .unwrap_or("");
        let inlined = found.lines().filter(|line| line.contains(" < ")).count();
        let sums = format!("{}\t{inlined}\t{:016x}", found.lines().count(), fnv(&found));
        match (expected.remove(name), found.is_empty()) {
            (None, true) => {}
            (Some(expected), false) if expected == sums => {}
            (expected, _) => failed.push(format!("{name}: {sums}, not {expected:?}")),
        }
    }
    failed.extend(
        expected
            .keys()
            .map(|name| format!("{name} is not in the corpus")),
    );
    if failed.is_empty() {
        Ok(())
    } else {
        Err(failed.join("\n").into())
    }
}
