//! `zeview report`: as a process.

use std::fs;

use crate::cli::{damaged, fixture, stderr, stdout, temporary, vecadd, zeview};
use crate::journey::assert_nested;
use crate::support::fixtures::folder;
use crate::support::golden::difference;
use crate::support::zebin;

fn path(path: &std::path::Path) -> String {
    path.display().to_string()
}

#[test]
fn a_page_of_a_file() {
    let file = vecadd();
    let output = zeview(&["report", &file]);
    assert!(output.status.success(), "{}", stderr(&output));
    let text = stdout(&output);
    let golden = folder().join("report.html");
    if std::env::var_os("BLESS").is_some_and(|value| value == "1") {
        fs::write(&golden, &text).unwrap();
    }
    let expected = fs::read_to_string(&golden).unwrap_or_default();
    let difference = difference(&expected, &text);
    assert!(difference.is_none(), "{}", difference.unwrap_or_default());
}

#[test]
fn pages_of_all_sorts_of_files() {
    let files = [
        fixture("assertk.dg2.igc2.40.zebin"),
        damaged(),
        path(&temporary("none.bin", b"no binary")),
        path(&temporary("many.zebin", &zebin::many(30))),
    ];
    let mut arguments = vec!["report"];
    arguments.extend(files.iter().map(String::as_str));
    let output = zeview(&arguments);
    assert!(output.status.success(), "{}", stderr(&output));
    let text = stdout(&output);
    assert_nested(&text);
    assert_eq!(text.matches("<article>").count(), files.len());
    assert!(text.contains("<h2>Kernels (30)</h2>"));
    for refused in ["<script", "http-equiv", "src=", "href=", "url("] {
        assert!(!text.contains(refused), "{refused}");
    }
}

#[test]
fn names_are_not_markup() {
    let name = "k<script>alert(1)</script>&\u{202e}\u{1b}[31m";
    let file = path(&temporary(
        "markup.zebin",
        &zebin::zebin(&[name]).build().bytes,
    ));
    let text = stdout(&zeview(&["report", &file]));
    assert_nested(&text);
    assert!(!text.contains("<script"));
    assert!(!text.contains(['\u{202e}', '\u{1b}']));
}

#[test]
fn written_to_a_file_and_never_onto_its_input() {
    let file = path(&temporary("input.zebin", &zebin::many(2)));
    let before = fs::read(&file).unwrap();
    let output = zeview(&["report", &file, "-o", &file]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(fs::read(&file).unwrap(), before);
    let page = path(&temporary("page.html", b"before"));
    let output = zeview(&["report", &file, "--output", &page]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(
        fs::read_to_string(&page)
            .unwrap()
            .starts_with("<!doctype html>")
    );
    let missing = zeview(&["report", "not-there.zebin", &file]);
    assert_eq!(missing.status.code(), Some(2));
    assert_nested(&stdout(&missing));
}
