//! Agreement with the driver: `SAMPLES.tsv` and `VERDICTS.tsv` of the reference corpus say
//! what release 26.27 did with each file; here is counted how often the verdict says the same.
//!
//! The corpus is not in the repository: set `ZEVIEW_CORPUS` to its directory. Without it the
//! test says so and passes.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use zeview::decode::decode;
use zeview::model::{MemorySource, NodeId, Outcome, Severity};

/// Files on which the two differ, and why.
const DISAGREEMENTS: &[(&str, &str)] = &[];

/// Files on which the driver's answer depends on what its memory holds: either one counts.
const CHANCE: &[&str] = &[];

fn corpus() -> Option<PathBuf> {
    let Some(path) = std::env::var_os("ZEVIEW_CORPUS") else {
        eprintln!("skipped: ZEVIEW_CORPUS is not set");
        return None;
    };
    Some(path.into())
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

fn count(rows: &[Row], files: &Path) -> Count {
    let mut count = Count::default();
    for row in rows.iter().filter(|row| !row.driver.is_empty()) {
        let bytes = fs::read(files.join(&row.file)).unwrap();
        let document = decode(Box::new(MemorySource::from(bytes)), &row.file);
        let verdict = document
            .verdict(NodeId::ROOT, Some(&row.device))
            .unwrap_or_else(|| {
                panic!("{} has no verdict on {}", row.file, row.device);
            });
        let (ours, theirs) = (verdict.outcome, observed(row));
        count.files += 1;
        *count.table.entry((theirs.name(), ours.name())).or_default() += 1;
        let chance = CHANCE.contains(&row.file.as_str());
        count.loads += usize::from(chance || ours.loads() == theirs.loads());
        count.class += usize::from(chance || ours == theirs);
        if let Some(with_ir) = &row.with_ir {
            let rebuilt = verdict.rebuild.as_ref().is_some_and(|r| r.helps) && !ours.loads();
            count.rebuilt.1 += 1;
            count.rebuilt.0 += usize::from(rebuilt == with_ir.starts_with("ACCEPTED"));
            if rebuilt != with_ir.starts_with("ACCEPTED") {
                count.differences.push(format!(
                    "{}: rebuilt {rebuilt}, driver: {with_ir}",
                    row.file
                ));
            }
        }
        if ours != theirs && !chance {
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

fn check(title: &str, count: &Count) {
    print(title, count);
    assert!(
        count.loads * 1000 >= count.files * 995,
        "{title}: loads or not"
    );
    assert!(
        count.class * 1000 >= count.files * 990,
        "{title}: finer class"
    );
    assert_eq!(
        count.unexplained, 0,
        "{title}: disagreements without a reason"
    );
}

#[test]
fn agrees_with_the_driver_on_changed_files() {
    let Some(corpus) = corpus() else { return };
    let rows = rows(&corpus.join("verdicts/VERDICTS.tsv"));
    check(
        "VERDICTS.tsv",
        &count(&rows, &corpus.join("verdicts/files")),
    );
}

#[test]
fn agrees_with_the_driver_on_real_files() {
    let Some(corpus) = corpus() else { return };
    let rows = rows(&corpus.join("verdicts/SAMPLES.tsv"));
    check("SAMPLES.tsv", &count(&rows, &corpus.join("samples/zebin")));
}

#[test]
fn no_real_file_is_malformed() {
    let Some(corpus) = corpus() else { return };
    let mut wrong = Vec::new();
    for entry in fs::read_dir(corpus.join("samples/zebin")).unwrap() {
        let path = entry.unwrap().path();
        let bytes = fs::read(&path).unwrap();
        let document = decode(
            Box::new(MemorySource::from(bytes)),
            &path.display().to_string(),
        );
        let errors = document
            .diagnostics
            .iter()
            .filter(|d| d.severity == Severity::Error);
        wrong.extend(errors.map(|d| format!("{}: {} {}", path.display(), d.rule, d.message)));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
