//! Checks the structure of `src`: which folder imports which, circles of imports, and the sizes of
//! folders and files.
//!
//! * [`imports`]: the imports of a file, from its tokens.
//! * [`graph`]: circles in a graph.
//!
//! An import is a `use` or a path that names a module of the crate, outside of tests. It leads to the
//! file that defines the name: re-exports are followed, and are no imports themselves.

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

/// The folders of `src` from the bottom up. A folder imports only those of lower floors, and nothing
/// of its own floor.
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

/// Maximum number of files in a circle of imports.
const CIRCLE_MAX: usize = 8;

/// Maximum number of files in a folder, not counting those in its subfolders.
const FILES_MAX: usize = 25;

/// Maximum number of lines in a file.
const LINES_MAX: usize = 600;

/// Files with more lines, each with the reason.
const TABLES: &[(&str, &str)] = &[(
    "decode/isa/tables.rs",
    "generated: the encodings of all instructions",
)];

/// Folders beside each other that import each other, each with the reason.
const ENTANGLED: &[(&str, &[&str], &str)] = &[
    (
        "decode",
        &["offload_binary", "syclbin"],
        "a SYCLBIN of version 2 is an OffloadBinary, which shows what is in it as a SYCLBIN does",
    ),
    (
        "decode",
        &["ar", "dwarf", "elf", "host", "zebin"],
        "an ELF file shows its DWARF and its device images, whose tables are those of an ELF file",
    ),
];

/// Folders in which only these files may stand; the others belong into a subfolder.
const LOOSE: &[(&str, &[&str])] = &[("", &["lib.rs"]), ("ui", &["app.rs", "mod.rs"])];

/// `cargo xtask structure`
pub fn run(project: &Project) -> Outcome {
    let mut files = BTreeMap::new();
    let root = project.root.join("src");
    read(&root, &root, &mut files).map_err(|error| format!("{}: {error}", root.display()))?;
    let report = check(&files, &Rules::default())?;
    say(report.summary());
    match report.problems.is_empty() {
        true => Ok(()),
        false => Err(format!(
            "{} in the structure of src:\n{}",
            match report.problems.len() {
                1 => "1 problem".to_owned(),
                count => format!("{count} problems"),
            },
            report.problems.join("\n")
        )),
    }
}

/// Reads a folder's files, by their paths below `root`. Only files in Rust have their text.
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

/// What a tree must satisfy.
struct Rules<'a> {
    floors: &'a [&'a [&'a str]],
    circle_max: usize,
    files_max: usize,
    lines_max: usize,
    tables: &'a [(&'a str, &'a str)],
    loose: &'a [(&'a str, &'a [&'a str])],
    entangled: &'a [(&'a str, &'a [&'a str], &'a str)],
}

impl Default for Rules<'_> {
    fn default() -> Self {
        Rules {
            floors: FLOORS,
            circle_max: CIRCLE_MAX,
            files_max: FILES_MAX,
            lines_max: LINES_MAX,
            tables: TABLES,
            loose: LOOSE,
            entangled: ENTANGLED,
        }
    }
}

/// What was counted, and what is wrong.
#[derive(Debug, Default)]
struct Report {
    files: usize,
    imports: usize,
    largest_circle: usize,
    largest_folder: usize,
    longest_file: usize,
    problems: Vec<String>,
}

impl Report {
    fn summary(&self) -> String {
        format!(
            "{} files, {} imports; largest circle: {} files; largest folder: {} files; longest file: {} lines",
            self.files, self.imports, self.largest_circle, self.largest_folder, self.longest_file
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
    check_circles(&imports, rules, &mut report);
    check_folders(&imports, rules, &mut report);
    Ok(report)
}

fn check_sizes(files: &BTreeMap<String, String>, rules: &Rules<'_>, report: &mut Report) {
    let mut folders: BTreeMap<&str, usize> = BTreeMap::new();
    for (path, text) in files {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        *folders.entry(folder).or_default() += 1;
        let loose = rules.loose.iter().find(|(of, _)| *of == folder);
        if loose.is_some_and(|(_, allowed)| !allowed.contains(&name)) {
            report
                .problems
                .push(format!("{path}: stands loose; move it into a subfolder"));
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
            report
                .problems
                .push(format!("{table}: there is no such table"));
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

fn check_circles(imports: &[Import], rules: &Rules<'_>, report: &mut Report) {
    let edges = imports.iter().map(|i| (i.from.as_str(), i.to.as_str()));
    for circle in graph::circles(edges) {
        report.largest_circle = report.largest_circle.max(circle.len());
        if circle.len() > rules.circle_max {
            let within = imports.iter().filter(|import| {
                circle.contains(import.from.as_str()) && circle.contains(import.to.as_str())
            });
            let arrows: Vec<String> = within
                .map(|i| format!("  {} -> {}: {}", i.from, i.to, i.name))
                .collect();
            report.problems.push(format!(
                "a circle of {} files, {} at most:\n{}",
                circle.len(),
                rules.circle_max,
                arrows.join("\n")
            ));
        }
    }
}

/// Folders beside each other must not import each other in a circle.
fn check_folders(imports: &[Import], rules: &Rules<'_>, report: &mut Report) {
    let mut siblings: BTreeMap<String, Vec<(String, String, &Import)>> = BTreeMap::new();
    for import in imports {
        let from: Vec<&str> = import.from.split('/').collect();
        let to: Vec<&str> = import.to.split('/').collect();
        let common = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
        // Both are in subfolders of the innermost folder that has both.
        if from.len() > common + 1 && to.len() > common + 1 {
            let parent = from[..common].join("/");
            let edge = (from[common].to_owned(), to[common].to_owned(), import);
            siblings.entry(parent).or_default().push(edge);
        }
    }
    let mut unused: Vec<_> = rules.entangled.iter().collect();
    for (parent, edges) in siblings {
        let names = edges.iter().map(|(a, b, _)| (a.as_str(), b.as_str()));
        for circle in graph::circles(names) {
            let is_known = |(of, folders, _): &(&str, &[&str], &str)| {
                *of == parent && circle.iter().copied().eq(folders.iter().copied())
            };
            if let Some(at) = unused.iter().position(|known| is_known(known)) {
                unused.remove(at);
                continue;
            }
            let within = edges
                .iter()
                .filter(|(a, b, _)| circle.contains(a.as_str()) && circle.contains(b.as_str()));
            let arrows: Vec<String> = within
                .map(|(_, _, i)| format!("  {} -> {}: {}", i.from, i.to, i.name))
                .collect();
            let folders: Vec<&str> = circle.into_iter().collect();
            report.problems.push(format!(
                "{parent}/: a circle between its folders {}:\n{}",
                folders.join(", "),
                arrows.join("\n")
            ));
        }
    }
    for (parent, folders, _) in unused {
        let folders = folders.join(", ");
        report.problems.push(format!(
            "{parent}/: no circle between {folders}: needs no exception"
        ));
    }
}
