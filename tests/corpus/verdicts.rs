//! Agreement with the driver: `SAMPLES.tsv` and `VERDICTS.tsv` of the reference corpus record the
//! behavior of release 26.27 for each file; this counts how often the verdict agrees.
//!
//! The rules were written with the files of these tables at hand. Counts are therefore printed
//! separately for a fifth of the files, chosen by a hash of the name, and for the rest. From now
//! on, rules change only for files of the rest, so that agreement on the fifth is a result.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use libtest_mimic::Failed;
use zeview::analysis::DriverModel;
use zeview::decode::decode;
use zeview::decode::zebin::verdict::ComputeRuntime;
use zeview::model::{MemorySource, NodeId, Outcome, Severity, SourceId};

use crate::Test;

/// The tests of this file.
pub const TESTS: &[(&str, Test)] = &[
    ("agrees_with_the_driver_on_changed_files", changed),
    ("agrees_with_the_driver_on_real_files", real),
    ("no_real_file_is_malformed", well_formed),
];

/// Known disagreements, with the reason.
const DISAGREEMENTS: &[(&str, &str)] = &[];

/// Returns whether a file belongs to the fifth that is held back: FNV-1a of the name, 64 bits.
fn is_held_back(file: &str) -> bool {
    let hash = file.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    });
    hash % 5 == 0
}

struct Row {
    file: String,
    mutation: String,
    device: String,
    driver: String,
    messages: String,
    with_ir: Option<String>,
}

fn rows(table: &Path) -> Vec<Row> {
    let text = fs::read_to_string(table).unwrap();
    let mut lines = text.lines().filter(|line| !line.starts_with('#'));
    let header: Vec<&str> = lines.next().unwrap().split('\t').collect();
    let column = |name: &str| header.iter().position(|title| *title == name);
    lines
        .map(|line| {
            let cells: Vec<&str> = line.split('\t').collect();
            let cell = |name: &str| Some((*cells.get(column(name)?)?).to_owned());
            Row {
                file: cell("file").unwrap(),
                mutation: cell("mutation").unwrap_or_default(),
                device: cell("driver_device").unwrap(),
                driver: cell("driver").unwrap(),
                messages: cell("driver_messages").unwrap_or_default(),
                with_ir: cell("driver_with_spirv"),
            }
        })
        .collect()
}

fn observed(row: &Row) -> Outcome {
    match row.driver.as_str() {
        "accepted" if row.messages.trim().is_empty() => Outcome::Loads,
        "accepted" => Outcome::LoadsWithWarnings,
        "build-failure" => Outcome::Refused,
        "link-failure" => Outcome::LinkFailure,
        "crash" | "abort" | "abort-at-kernel-use" => Outcome::MayCrash,
        other => panic!("an unknown verdict: {other}"),
    }
}

#[derive(Default)]
struct Count {
    files: usize,
    loads: usize,
    class: usize,
    rebuilt: (usize, usize),
    table: BTreeMap<(&'static str, &'static str), usize>,
    differences: Vec<String>,
    unexplained: usize,
}

fn count(rows: &[&Row], files: &Path) -> Count {
    let mut count = Count::default();
    for row in rows.iter().filter(|row| !row.driver.is_empty()) {
        let bytes = fs::read(files.join(&row.file)).unwrap();
        let document = decode(Box::new(MemorySource::from(bytes)), &row.file);
        // A file that is no longer a zebin has no verdict, but the driver model does.
        let whole = document.sources.whole(SourceId::FILE);
        let device = Some(row.device.as_str());
        let verdict = document
            .verdict(NodeId::ROOT, device)
            .or_else(|| ComputeRuntime.load(&document.sources, whole, device))
            .unwrap_or_else(|| {
                panic!("{} has no verdict on {}", row.file, row.device);
            });
        let ours = match verdict.outcome {
            // The table is from a run that links the file alone.
            Outcome::NeedsLinking => Outcome::LinkFailure,
            // And without its SPIR-V.
            Outcome::Recompiled => Outcome::Refused,
            outcome => outcome,
        };
        let theirs = observed(row);
        count.files += 1;
        *count.table.entry((theirs.name(), ours.name())).or_default() += 1;
        count.loads += usize::from(ours.loads() == theirs.loads());
        count.class += usize::from(ours == theirs);
        if let Some(with_ir) = &row.with_ir {
            let rebuilt = verdict.outcome == Outcome::Recompiled;
            count.rebuilt.1 += 1;
            count.rebuilt.0 += usize::from(rebuilt == with_ir.starts_with("ACCEPTED"));
            if rebuilt != with_ir.starts_with("ACCEPTED") {
                count.differences.push(format!(
                    "{}: rebuilt {rebuilt}, driver: {with_ir}",
                    row.file
                ));
            }
        }
        if ours != theirs {
            let why = DISAGREEMENTS.iter().find(|(file, _)| *file == row.file);
            count.unexplained += usize::from(why.is_none());
            let finding = verdict.decisive.and_then(|at| verdict.findings.get(at));
            count.differences.push(format!(
                "{} on {} ({}): driver {} [{:.120}], here {} [{}]: {}",
                row.file,
                row.device,
                row.mutation,
                theirs.name(),
                row.messages,
                ours.name(),
                finding.map_or(String::new(), |f| format!("{} {}", f.rule, f.message)),
                why.map_or("NOT EXPLAINED", |(_, why)| why),
            ));
        }
    }
    count
}

fn print(title: &str, count: &Count) {
    eprintln!("{title}: {} files", count.files);
    eprintln!("  loads or not: {}", count.loads);
    eprintln!("  finer class:  {}", count.class);
    if count.rebuilt.1 > 0 {
        eprintln!("  rebuilt:      {} of {}", count.rebuilt.0, count.rebuilt.1);
    }
    eprintln!("  {:<20} {:<20} files", "driver", "here");
    for ((theirs, ours), files) in &count.table {
        eprintln!("  {theirs:<20} {ours:<20} {files}");
    }
    for line in &count.differences {
        eprintln!("  {line}");
    }
}

/// Counts both parts of a table; every disagreement must have a reason.
fn check(title: &str, rows: &[Row], files: &Path) -> Result<(), Failed> {
    let mut unexplained = 0;
    for (part, held_back) in [("built from", false), ("held back", true)] {
        let rows: Vec<&Row> = rows
            .iter()
            .filter(|row| is_held_back(&row.file) == held_back)
            .collect();
        let count = count(&rows, files);
        if count.files == 0 {
            return Err(format!("{title}: no file is {part}").into());
        }
        print(&format!("{title}, {part}"), &count);
        unexplained += count.unexplained;
    }
    match unexplained {
        0 => Ok(()),
        _ => Err(format!("{title}: {unexplained} disagreements without a reason").into()),
    }
}

fn changed(corpus: &Path) -> Result<(), Failed> {
    let rows = rows(&corpus.join("verdicts/VERDICTS.tsv"));
    check("VERDICTS.tsv", &rows, &corpus.join("verdicts/files"))
}

fn real(corpus: &Path) -> Result<(), Failed> {
    let rows = rows(&corpus.join("verdicts/SAMPLES.tsv"));
    check("SAMPLES.tsv", &rows, &corpus.join("samples/zebin"))
}

fn well_formed(corpus: &Path) -> Result<(), Failed> {
    let mut wrong = Vec::new();
    for entry in fs::read_dir(corpus.join("samples/zebin"))? {
        let path = entry?.path();
        let name = path.display().to_string();
        let document = decode(Box::new(MemorySource::from(fs::read(&path)?)), &name);
        let errors = document
            .diagnostics
            .iter()
            .filter(|d| d.severity == Severity::Error);
        wrong.extend(errors.map(|d| format!("{name}: {} {}", d.rule, d.message)));
    }
    match wrong.as_slice() {
        [] => Ok(()),
        wrong => Err(wrong.join("\n").into()),
    }
}
