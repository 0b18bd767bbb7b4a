//! Examples in the documentation: runs every `$ zeview …` in a text block in the folder of the
//! samples and compares the output. `BLESS=1` writes the output into the documentation.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Collects the Markdown files under a folder.
fn pages(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            pages(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            found.push(path);
        }
    }
}

/// Splits a command into words, with quotation marks only around whole words.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut rest = line.trim();
    while !rest.is_empty() {
        let (word, after) = match rest.strip_prefix('\'') {
            Some(quoted) => quoted.split_once('\'').expect("a closing quotation mark"),
            None => rest.split_once(' ').unwrap_or((rest, "")),
        };
        words.push(word.to_owned());
        rest = after.trim_start();
    }
    words
}

/// Runs `zeview …`, optionally with `| head -N`, and returns the output as on a terminal.
fn shown(line: &str) -> String {
    let (command, head) = match line.split_once(" | head -") {
        Some((command, count)) => (command, count.parse().expect("a number of lines")),
        None => (line, usize::MAX),
    };
    let output = Command::new(env!("CARGO_BIN_EXE_zeview"))
        .args(words(command))
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("www/samples"))
        .output()
        .unwrap();
    let out = String::from_utf8(output.stdout).unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    let lines = out.lines().take(head).chain(errors.lines());
    let mut shown = String::new();
    for line in lines {
        shown.push_str(line.trim_end());
        shown.push('\n');
    }
    match output.status.code() {
        Some(0) => {}
        code => shown.push_str(&format!("(exit status {})\n", code.unwrap_or(-1))),
    }
    shown
}

/// Returns the text with the output of its examples, and their number.
fn with_output(text: &str) -> (String, usize) {
    const START: &str = "```text\n$ zeview ";
    let mut out = String::new();
    let mut count = 0;
    let mut rest = text;
    while let Some((before, block)) = rest.split_once(START) {
        let (block, after) = block.split_once("\n```").expect("the block ends");
        let line = block.lines().next().unwrap_or_default();
        out.push_str(&format!("{before}{START}{line}\n{}```", shown(line)));
        rest = after;
        count += 1;
    }
    out.push_str(rest);
    (out, count)
}

#[test]
fn examples_print_the_documented_output() {
    let mut found = Vec::new();
    pages(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/src"),
        &mut found,
    );
    let mut examples = 0;
    let mut stale = Vec::new();
    for page in found {
        let text = fs::read_to_string(&page).unwrap();
        let (expected, count) = with_output(&text);
        examples += count;
        if expected == text {
            continue;
        }
        if std::env::var_os("BLESS").is_some() {
            fs::write(&page, expected).unwrap();
        } else {
            stale.push(page);
        }
    }
    assert!(examples > 5, "only {examples} examples were found");
    assert!(
        stale.is_empty(),
        "run BLESS=1 cargo test --all-features --test native doc_examples: {stale:?}"
    );
}

#[test]
fn words_are_split_like_in_a_shell() {
    assert_eq!(words("a 'b c' -d"), ["a", "b c", "-d"]);
}
