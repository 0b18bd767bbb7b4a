//! Examples in the documentation: runs every `$ zeview …` in a text block in the folder of the
//! samples and compares the output. `BLESS=1` writes the output into the documentation.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

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

/// Splits a line at its pipes, which are not between quotation marks.
fn stages(line: &str) -> Vec<&str> {
    let mut stages = Vec::new();
    let (mut start, mut quoted) = (0, false);
    for (at, c) in line.char_indices() {
        match c {
            '\'' => quoted = !quoted,
            '|' if !quoted => {
                stages.push(line[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    stages.push(line[start..].trim());
    stages
}

/// Passes lines through `head -N`, `grep TEXT`, `grep -AN TEXT` or `jq …`. Returns `None` if the machine has no jq.
fn piped(lines: Vec<String>, stage: &str) -> Option<Vec<String>> {
    if let Some(count) = stage.strip_prefix("head -") {
        let count = count.parse().expect("a number of lines");
        return Some(lines.into_iter().take(count).collect());
    }
    if let Some(rest) = stage.strip_prefix("grep ") {
        let (count, text) = match rest.strip_prefix("-A") {
            Some(rest) => rest.split_once(' ').expect("a text"),
            None => ("0", rest),
        };
        let count: usize = count.parse().expect("a number of lines");
        let text = text.trim_matches('"');
        let mut left = 0;
        let keep = |line: &String| {
            left = if line.contains(text) { count + 1 } else { left };
            let keeps = left > 0;
            left = left.saturating_sub(1);
            keeps
        };
        return Some(lines.into_iter().filter(keep).collect());
    }
    assert!(stage.starts_with("jq "), "{stage}");
    let words = words(stage);
    let mut jq = Command::new(&words[0]);
    jq.args(&words[1..])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    let mut child = jq.spawn().ok()?;
    let mut input = child.stdin.take().unwrap();
    let text = lines.join("\n");
    let writer = std::thread::spawn(move || input.write_all(text.as_bytes()));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    assert!(output.status.success(), "{stage}");
    let text = String::from_utf8(output.stdout).unwrap();
    Some(text.lines().map(str::to_owned).collect())
}

/// Runs `zeview …` in a folder, optionally with pipes, and returns the output as on a terminal.
fn shown(line: &str, folder: &Path) -> Option<String> {
    let stages = stages(line);
    let output = Command::new(env!("CARGO_BIN_EXE_zeview"))
        .args(words(stages[0]))
        .current_dir(folder)
        .output()
        .unwrap();
    let out = String::from_utf8(output.stdout).unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    let mut lines: Vec<String> = out.lines().map(str::to_owned).collect();
    for stage in &stages[1..] {
        lines = piped(lines, stage)?;
    }
    let mut shown = String::new();
    for line in lines.iter().map(String::as_str).chain(errors.lines()) {
        shown.push_str(line.trim_end());
        shown.push('\n');
    }
    match output.status.code() {
        Some(0) => {}
        code => shown.push_str(&format!("(exit status {})\n", code.unwrap_or(-1))),
    }
    Some(shown)
}

/// Returns the folder in which the examples of a page run: that of the samples, or the one that a comment names.
fn folder(text: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let named = text
        .split_once("<!-- examples: ")
        .and_then(|(_, rest)| rest.split_once(" -->"));
    named.map_or(root.join("www/samples"), |(name, _)| {
        root.join("docs/src").join(name)
    })
}

/// Returns the text with the output of its examples, and their number.
fn with_output(text: &str) -> (String, usize) {
    const START: &str = "```text\n$ zeview ";
    let mut out = String::new();
    let mut count = 0;
    let mut rest = text;
    let folder = folder(text);
    while let Some((before, block)) = rest.split_once(START) {
        let (block, after) = block.split_once("\n```").expect("the block ends");
        let line = block.lines().next().unwrap_or_default();
        let documented = block.split_once('\n').map_or("", |(_, text)| text);
        let shown = shown(line, &folder).unwrap_or_else(|| format!("{documented}\n"));
        out.push_str(&format!("{before}{START}{line}\n{shown}```"));
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
    assert_eq!(stages("a 'b | c' | jq d"), ["a 'b | c'", "jq d"]);
}
