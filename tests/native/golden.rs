//! Golden trees: the whole decoded file as text, for real files and for malformed ones.
//!
//! `BLESS=1 cargo test --test native golden` updates them: review the changes before you commit
//! them.

use std::fs;
use std::path::Path;

use crate::support::fixtures::{folder, hostile, in_folder, syclbins, zebins};
use crate::support::golden::{difference, render};
use crate::support::{built, cases, fixtures};

fn is_blessing() -> bool {
    std::env::var_os("BLESS").is_some_and(|v| v == "1")
}

/// Compares with a golden file, or writes it.
pub fn compare(golden: &Path, actual: &str) -> Result<(), String> {
    if is_blessing() {
        fs::write(golden, actual).map_err(|e| format!("{}: {e}", golden.display()))?;
        return Ok(());
    }
    let name = golden.file_name().unwrap_or_default().to_string_lossy();
    let expected =
        fs::read_to_string(golden).map_err(|e| format!("{name}: {e}; BLESS=1 writes it"))?;
    match difference(&expected, actual) {
        None => Ok(()),
        Some(text) => Err(format!("{name}, {text}")),
    }
}

pub fn report(wrong: &[String]) {
    assert!(
        wrong.is_empty(),
        "{}\n{} golden files differ; BLESS=1 writes them anew",
        wrong.join("\n"),
        wrong.len()
    );
}

/// Maximum size of kept output in bytes: hundreds of findings say no more than a few.
const FINDINGS: usize = 8192;

/// Truncates long text, with a line that says so.
fn cut(text: &str) -> String {
    if text.len() <= FINDINGS {
        return text.to_owned();
    }
    let end = text.floor_char_boundary(FINDINGS);
    let kept = text[..end].rsplit_once('\n').map_or("", |(kept, _)| kept);
    let left = text.lines().count() - kept.lines().count();
    format!("{kept}\n(cut: {left} more lines)\n")
}

#[test]
fn real_files() {
    let wrong: Vec<String> = zebins()
        .iter()
        .chain(&syclbins())
        .chain(&fixtures::hosts())
        .chain(&fixtures::packages())
        .filter_map(|file| {
            let golden = file.path.with_file_name(format!("{}.tree", file.name));
            compare(&golden, &render(&file.name, &file.bytes)).err()
        })
        .collect();
    report(&wrong);
}

/// Golden trees of hostile files are truncated: the starts of the tree and of the findings are
/// kept.
#[test]
fn hostile_files() {
    let wrong: Vec<String> = hostile()
        .iter()
        .filter_map(|file| {
            let golden = file.path.with_file_name(format!("{}.tree", file.name));
            let text = render(&file.name, &file.bytes);
            let (tree, findings) = text.split_once("\n\n").unwrap_or((&text, ""));
            let text = format!("{}\n{}", cut(&format!("{tree}\n")), cut(findings));
            compare(&golden, &text).err()
        })
        .collect();
    report(&wrong);
}

#[test]
fn built_files() {
    let wrong: Vec<String> = built::all()
        .iter()
        .filter_map(|(name, bytes)| {
            let golden = folder().join("built").join(format!("{name}.tree"));
            compare(&golden, &render(name, bytes)).err()
        })
        .collect();
    report(&wrong);
}

#[test]
fn malformed_files() {
    let wrong: Vec<String> = cases::malformed()
        .iter()
        .filter(|case| case.bytes.len() < 8192)
        .filter_map(|case| {
            let golden = folder()
                .join("malformed")
                .join(format!("{}.tree", case.what));
            let text = render(&case.what, &case.bytes);
            // The correct parts of the generated files are equal in all of them.
            let findings = text.split_once("\n\n").map_or("", |(_, after)| after);
            compare(&golden, &cut(findings)).err()
        })
        .collect();
    report(&wrong);
}

#[test]
fn every_fixture_has_its_origin_and_source() {
    let sources = fixtures::folder().join("src");
    for file in zebins() {
        let text = fs::read_to_string(file.path.with_extension("zebin.md"));
        let text = text.unwrap_or_else(|e| panic!("{}: {e}", file.name));
        for row in ["source", "compiler", "device", "command", "license"] {
            assert!(
                text.contains(&format!("\n| {row} | ")),
                "{}: no {row}",
                file.name
            );
        }
        let source = text
            .split("tests/fixtures/src/")
            .nth(1)
            .and_then(|t| t.split('`').next());
        let source = sources.join(source.unwrap_or_default());
        assert!(source.is_file(), "{}: no {}", file.name, source.display());
    }
}

#[test]
fn every_container_has_its_origin() {
    let packages = fixtures::packages();
    for file in syclbins().into_iter().chain(hostile()).chain(packages) {
        let text = fs::read_to_string(file.path.with_file_name(format!("{}.md", file.name)));
        let text = text.unwrap_or_else(|e| panic!("{}: {e}", file.name));
        for row in ["source", "writer", "license"] {
            let row = format!("\n| {row} | ");
            assert!(text.contains(&row), "{}: no {row}", file.name);
        }
    }
}

#[test]
fn every_host_has_its_origin() {
    for file in fixtures::hosts() {
        let text = fs::read_to_string(file.path.with_file_name(format!("{}.md", file.name)));
        let text = text.unwrap_or_else(|e| panic!("{}: {e}", file.name));
        for row in ["source", "compiler", "command", "license"] {
            let row = format!("\n| {row} | ");
            assert!(text.contains(&row), "{}: no {row}", file.name);
        }
    }
}

#[test]
fn no_golden_file_is_unused() {
    for golden in ["zebin", "syclbin", "host", "hostile", "package"]
        .map(|name| in_folder(&folder().join(name), "tree"))
        .concat()
    {
        assert!(golden.path.with_extension("").is_file(), "{}", golden.name);
    }
    let built = built::all();
    for golden in in_folder(&folder().join("built"), "tree") {
        let name = golden.name.strip_suffix(".tree");
        assert!(
            built.iter().any(|(n, _)| Some(*n) == name),
            "{}",
            golden.name
        );
    }
    let cases = cases::malformed();
    for golden in in_folder(&folder().join("malformed"), "tree") {
        let name = golden.name.strip_suffix(".tree");
        assert!(
            cases.iter().any(|c| Some(&*c.what) == name),
            "{}",
            golden.name
        );
    }
}

#[test]
fn wasm_runs_the_same_cases() {
    let list = include_str!("../wasm_golden.rs");
    let containers = [syclbins(), fixtures::hosts(), fixtures::packages()].concat();
    for file in zebins().iter().chain(&containers) {
        assert!(
            list.contains(&format!("\"{}\"", file.name)),
            "{} is missing",
            file.name
        );
    }
}
