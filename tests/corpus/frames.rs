//! Stack frames in real code with calls: each load from scratch memory is paired with the stores that an
//! interpreter of the listing finds.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::Test;
use crate::support::frames::{analyzed, sections, walk};
use libtest_mimic::Failed;
use zeview::analysis::kernels::KernelRow;
use zeview::model::{Document, FileSource, NodeId};
use zeview::tables::{self, ListId};

/// The tests of this file.
pub const TESTS: &[(&str, Test)] = &[("frames_are_those_of_an_interpreter", corpus)];

/// The tests of libraries, which the reference does not describe.
pub const WILD_TESTS: &[(&str, Test)] = &[("frames_of_libraries", wild)];

/// Numbers of loads.
#[derive(Debug, Default)]
struct Count {
    /// Kernels with stack calls, as their files state.
    stated: usize,
    sections: usize,
    loads: usize,
    /// Loads with the same stores in both.
    equal: usize,
    /// Loads that no path reached after their store.
    unreached: usize,
    /// Other loads with stores in the analysis that no path reached.
    more: usize,
}

fn corpus(folder: &Path) -> Result<(), Failed> {
    let mut files: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(folder.join("samples/zebin"))? {
        files.push(entry?.path());
    }
    check(files, 30)?;
    Ok(())
}

fn wild(folder: &Path) -> Result<(), Failed> {
    let mut files = Vec::new();
    let mut work = vec![folder.to_owned()];
    while let Some(folder) = work.pop() {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                work.push(path);
            } else if path
                .extension()
                .is_some_and(|ext| ext == "so" || ext == "zebin" || ext == "ar")
            {
                files.push(path);
            }
        }
    }
    let count = check(files, 0)?;
    // Few libraries have kernels with stack calls. If there is one, its code was compared.
    if count.stated > 0 && (count.sections == 0 || count.equal == 0) {
        return Err(format!("kernels have stack calls, but none was compared: {count:?}").into());
    }
    // Each load has its own store: saves around calls are paired, whatever else the frame holds.
    if count.more > 0 {
        return Err(format!("loads with further stores: {count:?}").into());
    }
    Ok(())
}

/// The kernels of a document whose `.ze_info` states stack calls.
fn with_stack_calls(document: &Document, node: NodeId) -> usize {
    let Some(kernels) = document.kernels(node) else {
        return 0;
    };
    let rows = kernels.rows(&document.sources);
    let has = |row: &&KernelRow| row.flags.iter().any(|flag| flag.key == "has_stack_calls");
    rows.iter().filter(has).count()
}

fn check(mut files: Vec<PathBuf>, least: usize) -> Result<Count, Failed> {
    files.sort();
    let mut count = Count::default();
    let mut failed = Vec::new();
    let mut seen: BTreeSet<Vec<u8>> = BTreeSet::new();
    for path in files {
        let Ok(source) = FileSource::open(&path) else {
            continue;
        };
        let mut document: Document = zeview::decode::decode(Box::new(source), "file");
        document.open_files(NodeId::ROOT);
        for node in tables::documents_with(&mut document, ListId::Instructions) {
            count.stated += with_stack_calls(&document, node);
            for (section, code, listing) in sections(&document, node) {
                let bytes = document.sources.read(code).map(|bytes| bytes.to_vec());
                if !bytes.is_ok_and(|bytes| seen.insert(bytes)) {
                    continue;
                }
                let grf = match listing.encoding().as_deref() {
                    Some("gen9" | "gen11" | "xe_gen12lp" | "xe_hpg") => 32,
                    _ => 64,
                };
                let walked = walk(&*listing, &document.sources, grf, 7);
                if walked.calls == 0 || walked.loads.is_empty() {
                    continue;
                }
                let Some(flow) = listing.data_flow(&document.sources) else {
                    continue;
                };
                let found = analyzed(&flow.report());
                count.sections += 1;
                for load in &walked.loads {
                    let stores = walked.pairs.get(load).cloned().unwrap_or_default();
                    let of = found.get(load).cloned().unwrap_or_default();
                    count.loads += 1;
                    count.equal += usize::from(of == stores);
                    // Paths are random: some pairs are on none.
                    let is_unreached = stores.is_empty() && !of.is_empty();
                    count.unreached += usize::from(is_unreached);
                    let is_more = of != stores && of.is_superset(&stores) && !is_unreached;
                    count.more += usize::from(is_more);
                    if !of.is_superset(&stores) {
                        let path = path.display();
                        failed.push(format!(
                            "{path} {section} {load:#x}: {of:x?}, not {stores:x?}"
                        ));
                    }
                }
            }
        }
    }
    println!("{count:?}");
    if count.equal < least {
        failed.push(format!("only {count:?}"));
    }
    if failed.is_empty() {
        Ok(count)
    } else {
        failed.truncate(40);
        Err(failed.join("\n").into())
    }
}
