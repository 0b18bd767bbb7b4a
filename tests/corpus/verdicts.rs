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
use zeview::decode::device::Device;
use zeview::decode::zebin::verdict::ComputeRuntime;
use zeview::decode::zebin::verdict::release::Word;
use zeview::model::{MemorySource, NodeId, Outcome, Severity, SourceId};

use crate::Test;

/// The tests of this file.
pub const TESTS: &[(&str, Test)] = &[
    ("agrees_with_the_driver_on_changed_files", changed),
    ("agrees_with_the_driver_on_real_files", real),
    ("no_real_file_is_malformed", well_formed),
    ("agrees_with_both_apis_on_pairs", pairs),
    ("agrees_with_both_apis_on_more_pairs", more_pairs),
    ("device_properties_are_the_drivers", properties),
    ("releases_know_the_words_of_the_drivers", releases),
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
            .or_else(|| ComputeRuntime.load(&document.sources, whole, device.into()))
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

/// Files whose pairs are not all predicted, with the reason.
const EXPLAINED: &[(&str, &str)] = &[
    (
        "regiongroup.cri.igc2.40.zebin",
        "IGC refuses the SPIR-V for other devices: region_group_size is not supported on this platform",
    ),
    (
        "media.skl.igc1.17791.zebin",
        "IGC aborts while it compiles media block reads for Xe2 and later",
    ),
];

/// The class of an outcome in the tables of pairs.
fn class(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Loads | Outcome::LoadsWithWarnings | Outcome::NeedsLinking => "loads",
        Outcome::Recompiled => "recompiled",
        Outcome::MayCrash => "crash",
        _ => "refused",
    }
}

/// Sets the headers of sections with SPIR-V to SHT_NULL.
fn without_spirv(bytes: &mut [u8]) {
    let number = |bytes: &[u8], at: usize, len: usize| {
        let field = bytes[at..at + len].iter().rev();
        field.fold(0usize, |number, byte| number << 8 | usize::from(*byte))
    };
    let (table, size, count) = match bytes[4] {
        2 => (
            number(bytes, 40, 8),
            number(bytes, 58, 2),
            number(bytes, 60, 2),
        ),
        _ => (
            number(bytes, 32, 4),
            number(bytes, 46, 2),
            number(bytes, 48, 2),
        ),
    };
    for index in 0..count {
        let at = table + index * size + 4;
        if number(bytes, at, 4) == 0xff00_0009 {
            bytes[at..at + 4].fill(0);
        }
    }
}

/// Judges pairs of a sample and a device for both APIs: file, device, Level Zero, OpenCL, and whether
/// the SPIR-V is active.
fn check_pairs(corpus: &Path, table: &str) -> Result<(), Failed> {
    let mut wrong = Vec::new();
    let mut count = 0;
    for line in table.lines().skip(1) {
        let cells: Vec<&str> = line.split('\t').collect();
        let (file, device, expected) = (cells[0], cells[1], (cells[2], cells[3]));
        let mut bytes = fs::read(corpus.join("samples/zebin").join(file))?;
        if cells.get(4) == Some(&"none") {
            without_spirv(&mut bytes);
        }
        let document = decode(Box::new(MemorySource::from(bytes)), file);
        let verdict = document.verdict(NodeId::ROOT, Some(device));
        let verdict = verdict.ok_or_else(|| format!("{file} has no verdict on {device}"))?;
        let found = (class(verdict.outcome), class(verdict.opencl.outcome));
        count += 1;
        let is_explained = EXPLAINED.iter().any(|(known, _)| *known == file);
        if found != expected && !is_explained {
            wrong.push(format!(
                "{file} on {device}: driver {expected:?}, here {found:?}"
            ));
        }
    }
    eprintln!("{count} pairs, {} wrong", wrong.len());
    match wrong.as_slice() {
        [] => Ok(()),
        wrong => Err(wrong.join("\n").into()),
    }
}

fn pairs(corpus: &Path) -> Result<(), Failed> {
    let table = fs::read_to_string(corpus.join("verdicts/DRIVER_PAIRS.tsv"))?;
    check_pairs(corpus, &table)
}

fn more_pairs(corpus: &Path) -> Result<(), Failed> {
    check_pairs(corpus, include_str!("../fixtures/verdicts/pairs.tsv"))
}

/// The table of device properties, against what the driver prints. The work-group size depends on
/// the number of EUs of the simulated device.
fn properties(corpus: &Path) -> Result<(), Failed> {
    let table = fs::read_to_string(corpus.join("verdicts/DEVICE_PROPERTIES.tsv"))?;
    let mut wrong = Vec::new();
    for line in table.lines().skip(1) {
        let cells: Vec<&str> = line.split('\t').collect();
        let value = |key: &str| {
            let mut values = cells[2]
                .split(' ')
                .filter_map(|value| value.split_once('='));
            values
                .find(|(name, _)| *name == key)
                .map_or("", |(_, value)| value)
        };
        let device = Device::usual().find(|device| device.abbreviation() == Some(cells[0]));
        let known = device.and_then(|device| device.properties());
        let known = known.ok_or_else(|| format!("{} has no properties", cells[0]))?;
        let sub_groups: Vec<String> = known.sub_groups.iter().map(u32::to_string).collect();
        let eus: u32 = value("eus_per_subslice").parse().unwrap();
        let items = known.threads * eus * known.sub_groups[0];
        let largest = 1 << items.ilog2();
        // The driver limits it to 1024 unless more threads exist.
        let group = largest.min(known.work_group);
        for (key, own) in [
            ("fp64", u32::from(known.fp64).to_string()),
            ("subgroups", sub_groups.join(",")),
            ("slm", known.local_memory.to_string()),
            ("threads_per_eu", known.threads.to_string()),
            ("max_group", group.to_string()),
            ("fp16", "1".to_owned()),
            ("atomic64", "1".to_owned()),
        ] {
            if value(key) != own {
                wrong.push(format!("{}: {key} is {}, here {own}", cells[0], value(key)));
            }
        }
    }
    match wrong.as_slice() {
        [] => Ok(()),
        wrong => Err(wrong.join("\n").into()),
    }
}

/// The table of releases, against the words in the tags of the driver.
fn releases(corpus: &Path) -> Result<(), Failed> {
    let table = fs::read_to_string(corpus.join("verdicts/KEYS_BY_RELEASE.txt"))?;
    let mut wrong = Vec::new();
    let lines = table
        .lines()
        .filter_map(|line| line.split_once(" lack later: "));
    for (known, lost) in lines {
        let (word, version) = known.split_once(' ').unwrap_or((known, ""));
        let found = Word::of(word.as_bytes());
        let own = found.map_or_else(String::new, Word::version);
        let until = found.and_then(|word| word.until);
        let until = until.map_or_else(String::new, |(year, week)| format!("{year}.{week:02}"));
        let first_lost = lost.split(',').next().unwrap_or_default().trim();
        if own != version || until != first_lost {
            wrong.push(format!(
                "{word}: {version} to {first_lost}, here {own} to {until}"
            ));
        }
    }
    match wrong.as_slice() {
        [] => Ok(()),
        wrong => Err(wrong.join("\n").into()),
    }
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
