//! Small trees: correct ones, and one for each kind of problem.

use std::collections::BTreeMap;

use super::{Report, Rules, check, graph};

const RULES: Rules<'static> = Rules {
    floors: &[&["model"], &["decode"], &["ui"], &["bin"]],
    cycle_max: 2,
    files_max: 3,
    lines_max: 5,
    tables: &[],
    loose: &[("ui", &["mod.rs"])],
};

fn tree(files: &[(&str, &str)]) -> BTreeMap<String, String> {
    let files = files.iter();
    files
        .map(|(path, text)| ((*path).to_owned(), (*text).to_owned()))
        .collect()
}

fn report(files: &[(&str, &str)]) -> Report {
    check(&tree(files), &RULES).unwrap()
}

/// Returns the only problem of a tree.
fn problem(files: &[(&str, &str)]) -> String {
    let mut report = report(files);
    assert_eq!(report.problems.len(), 1, "{:#?}", report.problems);
    report.problems.remove(0)
}

#[test]
fn arrows_down_are_counted() {
    let report = report(&[
        ("lib.rs", "pub mod model; pub mod decode;"),
        ("model/mod.rs", "mod node; pub use node::Node;"),
        ("model/node.rs", "pub struct Node;"),
        (
            "decode/mod.rs",
            "use crate::model::Node; fn f() { crate::model::g() }",
        ),
        ("bin/app.rs", "fn main() { zeview::decode::run() }"),
    ]);
    assert_eq!(report.problems, [""; 0]);
    // decode -> node, decode -> model, app -> decode.
    assert_eq!(report.imports, 3);
    assert_eq!(report.largest_cycle, 0);
}

#[test]
fn an_arrow_up_is_a_problem() {
    let found = problem(
        &[
            (
                "model/mod.rs",
                "use crate::decode::{self, deep::{One, Two}};",
            ),
            ("decode/mod.rs", "pub mod deep;"),
            ("decode/deep.rs", "use super::nothing;"),
        ]
        .map(|(path, text)| (path, text.replace("self, deep::{One, Two}", "deep::{One}")))
        .iter()
        .map(|(path, text)| (*path, text.as_str()))
        .collect::<Vec<_>>(),
    );
    assert_eq!(
        found,
        "model/mod.rs: imports One from decode/deep.rs, which is not below it"
    );
}

#[test]
fn an_arrow_up_in_a_path_or_a_macro_is_a_problem() {
    for text in [
        "fn f() { crate::decode::run() }",
        "macro_rules! m { () => { $crate::decode::run() } }",
        "html! { <crate::decode::run /> }",
        "use super::decode as d;",
    ] {
        let found = problem(&[("model/mod.rs", text), ("decode/mod.rs", "")]);
        assert!(
            found.starts_with("model/mod.rs: imports"),
            "{text}: {found}"
        );
    }
}

#[test]
fn tests_comments_and_strings_are_not_imports() {
    let report = report(&[
        (
            "model/mod.rs",
            "//! [`x`](crate::decode)\n#[cfg(test)] mod tests { use crate::decode::run; }\n#[cfg(test)] use crate::decode::{a, b};\nconst A: &str = \"crate::decode::run\"; fn a() {}\npub(in crate::decode) fn b() {}",
        ),
        ("model/tests.rs", "use crate::decode::run;"),
        ("decode/mod.rs", ""),
    ]);
    assert_eq!(report.imports, 0);
    assert_eq!(report.problems, [""; 0]);
}

#[test]
fn code_after_a_test_is_read() {
    let found = problem(&[
        (
            "model/mod.rs",
            "#[cfg(test)] mod tests;\nuse crate::decode::run;",
        ),
        ("decode/mod.rs", ""),
    ]);
    assert!(found.contains("imports run"), "{found}");
}

#[test]
fn a_large_cycle_is_a_problem() {
    let files = [
        ("model/mod.rs", "mod a; mod b; mod c;"),
        ("decode/a.rs", "use super::b::B;"),
        ("decode/b.rs", "use super::c::C;"),
        ("decode/c.rs", "use super::a::A;"),
    ];
    let found = problem(&files);
    assert!(
        found.starts_with("a cycle of 3 files, 2 at most:"),
        "{found}"
    );
    assert!(found.contains("  decode/c.rs -> decode/a.rs: A"), "{found}");
    let mut files = files;
    files[3].1 = "use super::b::B;";
    let report = report(&files);
    assert_eq!(report.problems, [""; 0]);
    assert_eq!(report.largest_cycle, 2);
}

#[test]
fn a_cycle_between_folders_is_a_problem() {
    let found = problem(&[
        ("decode/elf/read.rs", "use crate::decode::zebin::mine::A;"),
        ("decode/elf/other.rs", ""),
        ("decode/zebin/mine.rs", ""),
        ("decode/zebin/rows.rs", "use super::super::elf::other::B;"),
    ]);
    assert_eq!(
        found,
        "decode/: a cycle between its folders elf, zebin:\n  \
         decode/elf/read.rs -> decode/zebin/mine.rs: A\n  \
         decode/zebin/rows.rs -> decode/elf/other.rs: B"
    );
}

#[test]
fn a_re_export_leads_to_the_file_that_defines_the_name() {
    let found = problem(&[
        ("model/mod.rs", "pub use self::node::{Node as Row};"),
        ("model/node.rs", "use crate::model::tree::T;"),
        ("model/tree.rs", "use super::Row;"),
        ("decode/mod.rs", "use super::ui::X;"),
        ("ui/mod.rs", "use crate::model::Row;"),
    ]);
    assert!(found.starts_with("decode/mod.rs: imports X"), "{found}");
    let report = report(&[
        ("model/mod.rs", "pub use self::node::{Node as Row};"),
        ("model/node.rs", "use crate::model::tree::T;"),
        ("model/tree.rs", "use super::Row;"),
    ]);
    assert_eq!(report.largest_cycle, 2);
}

#[test]
fn sizes_are_limited() {
    let long = "\n".repeat(6);
    assert_eq!(
        problem(&[("model/a.rs", &long)]),
        "model/a.rs: 6 lines, 5 at most"
    );
    let four = ["model/a.rs", "model/b.rs", "model/c.rs", "model/types.ts"];
    let files: Vec<(&str, &str)> = four.iter().map(|path| (*path, "")).collect();
    assert_eq!(problem(&files), "model/: 4 files, 3 at most");
    assert_eq!(
        problem(&[("ui/loose.rs", "")]),
        "ui/loose.rs: not allowed in this folder; move it into a subfolder"
    );
}

#[test]
fn an_exception_must_be_needed() {
    let rules = Rules {
        tables: &[
            ("model/a.rs", "why"),
            ("model/b.rs", "why"),
            ("model/c.rs", "why"),
        ],
        ..RULES
    };
    let files = tree(&[("model/a.rs", ""), ("model/b.rs", &"\n".repeat(9))]);
    let report = check(&files, &rules).unwrap();
    assert_eq!(
        report.problems,
        [
            "model/a.rs: 0 lines, needs no exception as a table",
            "model/c.rs: no such table"
        ]
    );
}

#[test]
fn a_folder_without_a_floor_is_a_problem() {
    let found = problem(&[
        ("extra/mod.rs", "use crate::model::A;"),
        ("model/mod.rs", ""),
    ]);
    assert_eq!(found, "extra/: is on no floor");
}

#[test]
fn text_that_is_not_rust_is_an_error() {
    let error = check(&tree(&[("model/mod.rs", "fn (")]), &RULES).unwrap_err();
    assert!(error.starts_with("src/model/mod.rs: not Rust"), "{error}");
}

#[test]
fn cycles_are_the_strongly_connected_components() {
    let edges = [
        ("a", "b"),
        ("b", "c"),
        ("c", "a"),
        ("c", "d"),
        ("d", "e"),
        ("e", "d"),
        ("e", "f"),
    ];
    let cycles = graph::cycles(edges);
    let cycles: Vec<Vec<&str>> = cycles
        .into_iter()
        .map(|c| c.into_iter().collect())
        .collect();
    assert_eq!(cycles.len(), 2);
    assert!(cycles.contains(&vec!["a", "b", "c"]));
    assert!(cycles.contains(&vec!["d", "e"]));
}
