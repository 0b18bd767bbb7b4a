//! Checks the structure of `src`: imports between folders, import cycles, and the sizes of folders
//! and files.
//!
//! * [`imports`]: the imports of a file, from its tokens.
//! * [`graph`]: cycles in a graph.
//!
//! An import is a `use` or a path that names a module of the crate, outside of tests. It counts for
//! the file that defines the name: re-exports are followed, and are not imports themselves.

mod graph;
mod imports;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use crate::project::Project;
use crate::shell::{Outcome, say};
use imports::Import;

/// Folders of `src` from the bottom up. A folder imports only from lower floors, never from its
/// own.
const FLOORS: &[&[&str]] = &[
    &["model"],
    &["analysis"],
    &["decode", "diff"],
    &["tables"],
    &["report"],
    &["worker"],
    &["api", "ui"],
    &["bin"],
];

/// Maximum number of files in an import cycle.
const CYCLE_MAX: usize = 9;

/// Maximum number of files in a folder, not counting those in its subfolders.
const FILES_MAX: usize = 30;

/// Maximum number of lines in a file.
const LINES_MAX: usize = 650;

/// Longer files, each with the reason.
const TABLES: &[(&str, &str)] = &[(
    "decode/isa/tables.rs",
    "generated: the encodings of all instructions",
)];

/// Folders that may contain only these files; all others belong in a subfolder.
const LOOSE: &[(&str, &[&str])] = &[("", &["lib.rs"]), ("ui", &["app.rs", "mod.rs"])];

/// `cargo xtask structure`
pub fn run(project: &Project) -> Outcome {
    let mut files = BTreeMap::new();
    let root = project.root.join("src");
    read(&root, &root, &mut files).map_err(|error| format!("{}: {error}", root.display()))?;
    let report = check(&files, &Rules::default())?;
    say(report.summary());
    if report.problems.is_empty() {
        Ok(())
    } else {
        Err(format!(
            "{} in the structure of src:\n{}",
            match report.problems.len() {
                1 => "1 problem".to_owned(),
                count => format!("{count} problems"),
            },
            report.problems.join("\n")
        ))
    }
}

/// Reads a folder's files, by paths relative to `root`. Only Rust files include their text.
fn read(root: &Path, folder: &Path, files: &mut BTreeMap<String, String>) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            read(root, &path, files)?;
            continue;
        }
        let name = path.strip_prefix(root).unwrap_or(&path);
        let name = name.to_string_lossy().replace('\\', "/");
        let is_rust = name.ends_with(".rs");
        let text = if is_rust {
            fs::read_to_string(&path)?
        } else {
            String::new()
        };
        files.insert(name, text);
    }
    Ok(())
}

/// Rules for a tree.
struct Rules<'a> {
    floors: &'a [&'a [&'a str]],
    cycle_max: usize,
    files_max: usize,
    lines_max: usize,
    tables: &'a [(&'a str, &'a str)],
    loose: &'a [(&'a str, &'a [&'a str])],
}

impl Default for Rules<'_> {
    fn default() -> Self {
        Rules {
            floors: FLOORS,
            cycle_max: CYCLE_MAX,
            files_max: FILES_MAX,
            lines_max: LINES_MAX,
            tables: TABLES,
            loose: LOOSE,
        }
    }
}

/// Counts and problems.
#[derive(Debug, Default)]
struct Report {
    files: usize,
    imports: usize,
    largest_cycle: usize,
    largest_folder: usize,
    longest_file: usize,
    problems: Vec<String>,
}

impl Report {
    fn summary(&self) -> String {
        format!(
            "{} files, {} imports; largest cycle: {} files; largest folder: {} files; longest file: {} lines",
            self.files, self.imports, self.largest_cycle, self.largest_folder, self.longest_file
        )
    }
}

fn check(files: &BTreeMap<String, String>, rules: &Rules<'_>) -> Outcome<Report> {
    let imports = imports::of(files)?;
    let mut report = Report {
        files: files.len(),
        imports: imports.len(),
        ..Report::default()
    };
    check_sizes(files, rules, &mut report);
    check_floors(&imports, rules, &mut report);
    check_cycles(&imports, rules, &mut report);
    check_folders(&imports, &mut report);
    Ok(report)
}

fn check_sizes(files: &BTreeMap<String, String>, rules: &Rules<'_>, report: &mut Report) {
    let mut folders: BTreeMap<&str, usize> = BTreeMap::new();
    for (path, text) in files {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        *folders.entry(folder).or_default() += 1;
        let loose = rules.loose.iter().find(|(of, _)| *of == folder);
        if loose.is_some_and(|(_, allowed)| !allowed.contains(&name)) {
            report.problems.push(format!(
                "{path}: not allowed in this folder; move it into a subfolder"
            ));
        }
        let lines = text.lines().count();
        let table = rules.tables.iter().find(|(table, _)| table == path);
        match table {
            None if lines > rules.lines_max => report.problems.push(format!(
                "{path}: {lines} lines, {} at most",
                rules.lines_max
            )),
            None => report.longest_file = report.longest_file.max(lines),
            Some(_) if lines <= rules.lines_max => report.problems.push(format!(
                "{path}: {lines} lines, needs no exception as a table"
            )),
            Some(_) => {}
        }
    }
    for (folder, count) in folders {
        report.largest_folder = report.largest_folder.max(count);
        if count > rules.files_max {
            report.problems.push(format!(
                "{folder}/: {count} files, {} at most",
                rules.files_max
            ));
        }
    }
    for (table, _) in rules.tables {
        if !files.contains_key(*table) {
            report.problems.push(format!("{table}: no such table"));
        }
    }
}

fn check_floors(imports: &[Import], rules: &Rules<'_>, report: &mut Report) {
    let floor = |path: &str| {
        let folder = path.split('/').next().unwrap_or_default();
        let floor = rules
            .floors
            .iter()
            .position(|floor| floor.contains(&folder));
        floor.map(|floor| (floor, folder.to_owned()))
    };
    let mut unknown = BTreeSet::new();
    for import in imports {
        let (Some(from), Some(to)) = (floor(&import.from), floor(&import.to)) else {
            for path in [&import.from, &import.to] {
                if path.contains('/') && floor(path).is_none() {
                    unknown.insert(path.split('/').next().unwrap_or_default().to_owned());
                }
            }
            continue;
        };
        if from.1 != to.1 && from.0 <= to.0 {
            report.problems.push(format!(
                "{}: imports {} from {}, which is not below it",
                import.from, import.name, import.to
            ));
        }
    }
    for folder in unknown {
        report.problems.push(format!("{folder}/: is on no floor"));
    }
}

fn check_cycles(imports: &[Import], rules: &Rules<'_>, report: &mut Report) {
    let edges = imports.iter().map(|i| (i.from.as_str(), i.to.as_str()));
    for cycle in graph::cycles(edges) {
        report.largest_cycle = report.largest_cycle.max(cycle.len());
        if cycle.len() > rules.cycle_max {
            let within = imports.iter().filter(|import| {
                cycle.contains(import.from.as_str()) && cycle.contains(import.to.as_str())
            });
            let arrows: Vec<String> = within
                .map(|i| format!("  {} -> {}: {}", i.from, i.to, i.name))
                .collect();
            report.problems.push(format!(
                "a cycle of {} files, {} at most:\n{}",
                cycle.len(),
                rules.cycle_max,
                arrows.join("\n")
            ));
        }
    }
}

/// Sibling folders must not form an import cycle.
fn check_folders(imports: &[Import], report: &mut Report) {
    let mut siblings: BTreeMap<String, Vec<(String, String, &Import)>> = BTreeMap::new();
    for import in imports {
        let from: Vec<&str> = import.from.split('/').collect();
        let to: Vec<&str> = import.to.split('/').collect();
        let common = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
        // Both are in subfolders of their innermost common folder.
        if from.len() > common + 1 && to.len() > common + 1 {
            let parent = from[..common].join("/");
            let edge = (from[common].to_owned(), to[common].to_owned(), import);
            siblings.entry(parent).or_default().push(edge);
        }
    }
    for (parent, edges) in siblings {
        let names = edges.iter().map(|(a, b, _)| (a.as_str(), b.as_str()));
        for cycle in graph::cycles(names) {
            let within = edges
                .iter()
                .filter(|(a, b, _)| cycle.contains(a.as_str()) && cycle.contains(b.as_str()));
            let arrows: Vec<String> = within
                .map(|(_, _, i)| format!("  {} -> {}: {}", i.from, i.to, i.name))
                .collect();
            let folders: Vec<&str> = cycle.into_iter().collect();
            report.problems.push(format!(
                "{parent}/: a cycle between its folders {}:\n{}",
                folders.join(", "),
                arrows.join("\n")
            ));
        }
    }
}
