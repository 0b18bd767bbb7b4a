//! Loops that were worked out by hand from their listings: `tests/fixtures/loops/by-hand.md`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::support::fixtures::corpus;
use libtest_mimic::Failed;
use zeview::analysis::data_flow::{Bottleneck, LoopReport};
use zeview::decode::decode;
use zeview::model::{Document, FileSource, NodeId};
use zeview::tables::{self, ListId};

/// A loop of the file.
struct Worked {
    folder: String,
    file: String,
    /// The kernel; of a library, a part of the path of its document.
    kernel: String,
    start: u32,
    /// The figures by key.
    figures: BTreeMap<String, String>,
}

/// Compares each loop whose file is there. Returns an error if a figure differs.
pub fn by_hand(wild: Option<&Path>) -> Result<(), Failed> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let all = read(&fs::read_to_string(root.join("loops/by-hand.md"))?)?;
    assert_eq!(all.len(), 18);
    let mut wrong = Vec::new();
    let mut seen = 0;
    for worked in &all {
        let folder: Option<PathBuf> = match &*worked.folder {
            "fixture" => Some(root.join("zebin")),
            "corpus" => corpus().map(|corpus| corpus.join("samples/zebin")),
            _ => wild.map(Path::to_owned),
        };
        let path = folder.map(|folder| folder.join(&worked.file));
        // Not everybody has all packages.
        let Some(path) = path.filter(|path| worked.folder != "wild" || path.exists()) else {
            continue;
        };
        let name = format!("{} {} {:#x}", worked.file, worked.kernel, worked.start);
        let found = find(&path, worked).ok_or_else(|| format!("{name}: no such loop"))?;
        seen += 1;
        for (key, value) in figures(&found) {
            let expected = worked.figures.get(key);
            if expected != Some(&value) {
                wrong.push(format!("{name}: {key}: {value}, by hand {expected:?}"));
            }
        }
    }
    println!("{seen} of {} loops", all.len());
    match wrong.as_slice() {
        [] => Ok(()),
        wrong => Err(wrong.join("\n").into()),
    }
}

fn read(text: &str) -> Result<Vec<Worked>, Failed> {
    let mut all = Vec::new();
    for block in text.split("```loop\n").skip(1) {
        let block = block.split("```").next().unwrap_or_default();
        let pairs = block.lines().filter_map(|line| line.split_once(": "));
        let mut figures: BTreeMap<String, String> = pairs
            .map(|(key, value)| (key.to_owned(), value.to_owned()))
            .collect();
        let at = figures.remove("at").ok_or("a loop without a place")?;
        let [folder, file, kernel, start] = at.split(' ').collect::<Vec<_>>()[..] else {
            return Err(format!("not a place: {at}").into());
        };
        all.push(Worked {
            folder: folder.to_owned(),
            file: file.to_owned(),
            kernel: kernel.to_owned(),
            start: u32::from_str_radix(start.trim_start_matches("0x"), 16)?,
            figures,
        });
    }
    Ok(all)
}

fn find(path: &Path, worked: &Worked) -> Option<LoopReport> {
    let mut document = decode(Box::new(FileSource::open(path).ok()?), "file");
    document.open_files(NodeId::ROOT);
    let documents = tables::documents_with(&mut document, ListId::Kernels);
    let is_library = worked.folder == "wild";
    documents.into_iter().find_map(|id| {
        if is_library && !document.path(id).contains(&worked.kernel) {
            return None;
        }
        let name = (!is_library).then_some(&*worked.kernel);
        find_in(&document, id, name, worked)
    })
}

fn find_in(
    document: &Document,
    id: NodeId,
    kernel: Option<&str>,
    worked: &Worked,
) -> Option<LoopReport> {
    let assembly = document.assembly(id)?;
    let instructions = worked.figures.get("instructions")?;
    let sections = assembly.sections();
    let mut sections = sections.iter().filter(|section| {
        kernel.is_none_or(|kernel| section.name.strip_prefix(".text.") == Some(kernel))
    });
    sections.find_map(|section| {
        let listing = assembly
            .listing(section.bytes, None, &document.sources)
            .ok()?;
        let report = listing.data_flow(&document.sources)?.report();
        let mut loops = report.loops?.into_iter();
        loops.find(|found| {
            found.start == worked.start && found.instructions.to_string() == *instructions
        })
    })
}

/// The figures of a loop, as the file writes them.
fn figures(found: &LoopReport) -> Vec<(&'static str, String)> {
    let operations = found.operations.iter().map(|of| {
        let count = of
            .count
            .map_or("unknown".to_owned(), |count| count.to_string());
        format!("{} {} {count}", of.kind, of.data_type)
    });
    let mut bytes: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    for moved in &found.moved {
        let sum = bytes.entry(&moved.space).or_default();
        sum.0 += moved.loaded.expect("known");
        sum.1 += moved.stored.expect("known");
    }
    let bytes = bytes
        .iter()
        .map(|(space, (loaded, stored))| format!("{space} {loaded} {stored}"));
    vec![
        ("instructions", found.instructions.to_string()),
        ("operations", operations.collect::<Vec<_>>().join(", ")),
        ("bytes", bytes.collect::<Vec<_>>().join(", ")),
        ("waits", found.waits.to_string()),
        ("issue", found.issue.to_string()),
        ("cycles", found.cycles.to_string()),
        (
            "bound",
            match &found.bottleneck {
                Bottleneck::Issue => "issue".to_owned(),
                Bottleneck::Pipe(pipe) => format!("pipe {pipe}"),
                Bottleneck::Wait { pc, producer } => format!("wait {pc:#x} {producer:#x}"),
            },
        ),
        (
            "intensity",
            match found.intensity {
                Some(intensity) => intensity.to_string(),
                None => "unknown".to_owned(),
            },
        ),
    ]
}
