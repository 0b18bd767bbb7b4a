//! Search in code finds the instructions of every sample that looking at each of them finds.

use std::path::{Path, PathBuf};

use libtest_mimic::Failed;

use crate::support::found::{CASES, find, looked_at, rows};
use zeview::decode::decode;
use zeview::model::MemorySource;

pub const TESTS: &[(&str, super::Test)] = &[("code of samples is searched", samples)];

/// Maximum size of a sample: each instruction is decoded for each query.
const SIZE_MAX: u64 = 1 << 20;

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            files(&path, found);
        } else {
            found.push(path);
        }
    }
}

fn samples(folder: &Path) -> Result<(), Failed> {
    let mut all = Vec::new();
    files(folder, &mut all);
    all.retain(|path| {
        let is_code = ["zebin", "syclbin", "host"]
            .map(Some)
            .contains(&path.extension().and_then(|extension| extension.to_str()));
        is_code && path.metadata().is_ok_and(|of| of.len() <= SIZE_MAX)
    });
    let mut matches = 0;
    for path in &all {
        let bytes = std::fs::read(path)?;
        let mut document = decode(Box::new(MemorySource::from(bytes)), "sample");
        for (query, is) in CASES {
            let wanted = looked_at(&mut document, is);
            let (list, totals) = find(&mut document, query, true);
            let found = rows(&*list, &document.sources);
            let offsets = |rows: &[(String, String, u64)]| -> Vec<(String, u64)> {
                rows.iter()
                    .map(|(name, _, at)| (name.clone(), *at))
                    .collect()
            };
            if totals.unsearched == 0 && offsets(&found) != offsets(&wanted) {
                let (found, wanted) = (found.len(), wanted.len());
                let path = path.display();
                return Err(format!("{path}: {query}: {found} found, {wanted} wanted").into());
            }
            matches += wanted.len();
        }
    }
    if matches < 10_000 {
        return Err(format!("only {matches} instructions in {} files", all.len()).into());
    }
    Ok(())
}
