//! One vocabulary: each outcome has one word in the command line, the page, JSON, SARIF, the
//! packages for other languages, and the documentation. The guide has the table of words.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use zeview::model::{Effect, Outcome};

use crate::cli::{stdout, zeview};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Returns the cells of the table of the guide that begins with a heading.
fn table(heading: &str) -> Vec<Vec<String>> {
    let text = read("docs/src/guides/devices.md");
    let start = text
        .find(heading)
        .unwrap_or_else(|| panic!("no table {heading}"));
    let rows = text[start..]
        .lines()
        .skip(2)
        .take_while(|line| line.starts_with('|'));
    let cells = |line: &str| {
        let cells = line.trim_matches('|').split('|');
        cells
            .map(|cell| cell.trim().trim_matches('`').to_owned())
            .collect()
    };
    rows.map(cells).collect()
}

/// The words of outcomes, with those beside them.
fn words() -> BTreeSet<String> {
    let mut words: BTreeSet<String> = Outcome::ALL
        .iter()
        .map(|outcome| outcome.words().to_owned())
        .collect();
    let others = table("| Word | Where |");
    words.extend(
        others
            .iter()
            .flat_map(|row| row[0].split(", ").map(str::to_owned)),
    );
    words
}

const EFFECTS: [Effect; 8] = [
    Effect::Passes,
    Effect::Warns,
    Effect::NeedsLinking,
    Effect::Recompiles,
    Effect::Refuses,
    Effect::LinkFails,
    Effect::Crashes,
    Effect::NotJudged,
];

#[test]
fn the_guide_has_all_words() {
    let rows = table("| Verdict | In JSON |");
    let rows: Vec<[&str; 3]> = rows
        .iter()
        .map(|row| [&*row[0], &*row[1], &*row[2]])
        .collect();
    let expected =
        Outcome::ALL.map(|outcome| [outcome.words(), outcome.name(), outcome.predicate()]);
    assert_eq!(rows, expected);
    let rows = table("| Effect in JSON |");
    let rows: Vec<[&str; 2]> = rows.iter().map(|row| [&*row[0], &*row[1]]).collect();
    assert_eq!(rows, EFFECTS.map(|effect| [effect.name(), effect.words()]));
}

/// Files whose images and verdicts differ: archives, host programs, SYCLBINs, damaged files.
fn files() -> Vec<String> {
    let folders = [
        "www/samples",
        "tests/fixtures/verdicts",
        "tests/fixtures/package",
    ];
    let mut files = vec![
        "tests/fixtures/hostile/linkfail.zebin".to_owned(),
        "tests/fixtures/zebin/vecadd-fatnoir.dg2+pvc.igc2.40.zebin".to_owned(),
        "tests/fixtures/syclbin/v2_ir_zero.syclbin".to_owned(),
    ];
    for folder in folders {
        let entries = fs::read_dir(root().join(folder)).unwrap();
        let paths = entries.map(|entry| entry.unwrap().path());
        let is_binary = |path: &PathBuf| {
            let extension = path.extension().and_then(|extension| extension.to_str());
            path.is_file()
                && !matches!(
                    extension,
                    Some("md" | "tsv" | "csv" | "json" | "py" | "cl" | "zip")
                )
        };
        files.extend(
            paths
                .filter(is_binary)
                .map(|path| path.display().to_string()),
        );
    }
    let relative = |file: String| root().join(file).display().to_string();
    files.into_iter().map(relative).collect()
}

const DEVICES: [&str; 6] = ["acm-g10", "bmg-g21", "lnl-m", "ptl-h", "tgllp", "pvc"];

/// Returns the outcome at the start of a text: `loads with warnings (2)`, `refused: no target`.
fn outcome(text: &str) -> String {
    let end = text.find([':', '(', ';']).unwrap_or(text.len());
    text[..end].trim().to_owned()
}

/// Collects the words in a statement about one API or both: `loads; OpenCL: recompiled`, `Level
/// Zero loads it; OpenCL recompiles it: kernel k uses bindless buffers`.
fn of_statement(text: &str, found: &mut BTreeSet<String>) {
    let sentence = |text: &str| {
        let predicate = outcome(text);
        let known = Outcome::ALL
            .iter()
            .find(|outcome| outcome.predicate() == predicate);
        known.map_or(predicate, |outcome| outcome.words().to_owned())
    };
    if let Some(rest) = text.strip_prefix("Level Zero ") {
        found.insert(sentence(rest));
        if let Some((_, opencl)) = rest.split_once("; OpenCL ") {
            found.insert(sentence(opencl));
        }
        return;
    }
    found.insert(outcome(text));
    if let Some((_, opencl)) = text.split_once("; OpenCL: ") {
        found.insert(outcome(opencl));
    }
}

/// Collects the values of `verdict` in JSON.
fn of_json(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Array(list) => list.iter().for_each(|value| of_json(value, found)),
        Value::Object(map) => {
            for (key, value) in map {
                match (key.as_str(), value) {
                    ("verdict" | "outcome", Value::String(word)) => {
                        found.insert(word.clone());
                    }
                    (_, value) => of_json(value, found),
                }
            }
        }
        _ => {}
    }
}

#[test]
fn commands_use_the_words() {
    let (mut text, mut names, mut effects) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for file in &files() {
        for device in DEVICES {
            // The lines of images, and of the file: `  image 1: refused: …`, `  on pvc: loads (…)`,
            // `  driver 26.27 on pvc: loads`.
            let checked = stdout(&zeview(&["check", "--device", device, file]));
            for line in checked
                .lines()
                .filter(|line| line.starts_with("  ") && !line.starts_with("    "))
            {
                let line = line.trim_start();
                let is_summary = line.starts_with("on ") || line.starts_with("driver ");
                if let Some((subject, statement)) = line.split_once(": ")
                    && (is_summary || subject.contains("image"))
                {
                    of_statement(statement, &mut text);
                }
            }
            let images = stdout(&zeview(&["images", "--device", device, file]));
            // The line about the first use, and the titles.
            for line in images.lines().skip(2) {
                let cell = line
                    .rsplit("  ")
                    .find(|cell| !cell.is_empty())
                    .unwrap_or_default();
                of_statement(cell.trim(), &mut text);
            }
            for arguments in [["check", "--json"], ["images", "--json"]] {
                let output = zeview(&[&arguments[..], &["--device", device, file]].concat());
                let json = serde_json::from_slice(&output.stdout).unwrap_or_default();
                of_json(&json, &mut names);
            }
            let output = zeview(&["check", "--sarif", "--device", device, file]);
            let json: Value = serde_json::from_slice(&output.stdout).unwrap();
            for result in json["runs"][0]["results"].as_array().unwrap() {
                let message = result["message"]["text"].as_str().unwrap();
                let Some(rest) = message.strip_prefix("driver 26.27 ") else {
                    continue;
                };
                let rest = rest.strip_prefix("(OpenCL) ").unwrap_or(rest);
                let rest = rest
                    .split_once(&format!("on {device} "))
                    .map_or(rest, |(_, rest)| rest);
                effects.insert(outcome(rest));
            }
        }
        let all = zeview(&["check", "--json", "--device", "all", file]);
        of_json(
            &serde_json::from_slice(&all.stdout).unwrap_or_default(),
            &mut names,
        );
        // A cell is a build (widths), or the outcome of a kernel without one.
        let matrix = stdout(&zeview(&["matrix", file]));
        let rows = matrix
            .lines()
            .skip(2)
            .take_while(|line| line.contains("  "));
        for row in rows {
            let cells = row
                .split("  ")
                .map(str::trim)
                .filter(|cell| !cell.is_empty())
                .skip(1);
            // The last column has the bytes of code.
            let is_number = |cell: &str| cell.starts_with(|c: char| c.is_ascii_digit());
            let is_word = |cell: &&str| !is_number(cell) && *cell != "–";
            text.extend(cells.filter(is_word).map(str::to_owned));
        }
    }
    let allowed = words();
    let strange: Vec<&String> = text.difference(&allowed).collect();
    assert!(strange.is_empty(), "no words of the guide: {strange:?}");
    let known: BTreeSet<String> = Outcome::ALL
        .iter()
        .map(|outcome| outcome.name().to_owned())
        .collect();
    // Tables have words in their cells, also in JSON.
    let known = &known | &allowed;
    let strange: Vec<&String> = names.difference(&known).collect();
    assert!(strange.is_empty(), "no names of the guide: {strange:?}");
    let known: BTreeSet<String> = EFFECTS
        .iter()
        .map(|effect| effect.words().to_owned())
        .collect();
    let strange: Vec<&String> = effects.difference(&known).collect();
    assert!(strange.is_empty(), "no effects of the guide: {strange:?}");
    // The files have most of them.
    for word in ["loads", "recompiled", "refused", "does not run", "not used"] {
        assert!(text.contains(word), "{word}: {text:?}");
    }
    assert!(
        names.len() >= 5 && effects.len() >= 3,
        "{names:?} {effects:?}"
    );
}

/// Other words for outcomes, in strings of the program and in the documentation.
const SYNONYMS: &[&str] = &[
    "JIT compil",
    "for JIT",
    "just in time",
    "just-in-time",
    "after compilation",
    "loads after",
    "runs after",
    "gets recompiled",
    "recompilation",
    "rejected by the driver",
    "the driver rejects",
    "driver accepts the file",
    "cannot be loaded",
    "cannot run on",
    "will not run",
    "won't run",
    "fails to load",
    "linking fails",
    "is incompatible",
];

/// Returns the string literals of a source text, roughly: what is between quotation marks.
fn strings(text: &str) -> Vec<&str> {
    let code = text
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"));
    let literals = code.flat_map(|line| line.split('"').skip(1).step_by(2));
    literals.collect()
}

fn sources(folder: &Path, extensions: &[&str], found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap();
        if path.is_dir() {
            if !["node_modules", "target", "__pycache__", "dist"].contains(&name) {
                sources(&path, extensions, found);
            }
        } else if extensions.iter().any(|extension| name.ends_with(extension)) {
            found.push(path);
        }
    }
}

#[test]
fn there_are_no_other_words() {
    let mut strange = Vec::new();
    let mut check = |path: &Path, text: &str| {
        let synonyms = SYNONYMS.iter().filter(|synonym| text.contains(**synonym));
        strange
            .extend(synonyms.map(|synonym| format!("{}: {synonym:?} in {text:?}", path.display())));
    };
    let mut files = Vec::new();
    for folder in [
        "src/bin",
        "src/ui",
        "crates/analysis/src",
        "crates/core/src/analysis",
        "crates/views/src/tables",
        "crates/views/src/report",
        "src/worker",
        "src/api",
        "crates/core/src/model",
        "crates/decode/src/zebin",
        "crates/views/src/diff",
    ] {
        sources(&root().join(folder), &[".rs"], &mut files);
    }
    sources(&root().join("editors/vscode/src"), &[".ts"], &mut files);
    assert!(files.len() > 300, "{}", files.len());
    for path in &files {
        let text = fs::read_to_string(path).unwrap();
        for literal in strings(&text) {
            check(path, literal);
        }
    }
    // Texts: documentation, types for other languages, texts of the page.
    let mut files = Vec::new();
    sources(&root().join("docs/src"), &[".md", ".json"], &mut files);
    sources(
        &root().join("bindings/python/python"),
        &[".py", ".pyi"],
        &mut files,
    );
    sources(&root().join("src/api"), &[".ts", ".md"], &mut files);
    files.push(root().join("bindings/python/README.md"));
    files.push(root().join("README.md"));
    for path in &files {
        // It explains what others say.
        if path.ends_with("glossary.md") {
            continue;
        }
        let text = fs::read_to_string(path).unwrap();
        for line in text.lines() {
            check(path, line);
        }
    }
    assert!(strange.is_empty(), "{strange:#?}");
}

/// Words for things of the domain that have another word here, with that one. Whole words, also with an `s`; what is
/// code does not count.
const SAME: &[(&str, &str)] = &[
    ("work group", "work-group"),
    ("workgroup", "work-group"),
    ("sub group", "sub-group"),
    ("subgroup", "sub-group"),
    ("work item", "work-item"),
    ("workitem", "work-item"),
    ("sub slice", "sub-slice"),
    ("subslice", "sub-slice"),
    ("scratch space", "scratch memory"),
    ("shared memory", "shared local memory"),
    ("local shared memory", "shared local memory"),
    ("execution unit", "EU"),
    ("vector engine", "EU"),
    ("HW thread", "hardware thread"),
    ("warp", "hardware thread"),
    ("wavefront", "hardware thread"),
    ("SIMD size", "SIMD width"),
    ("shader", "kernel"),
    ("disassembly", "assembly"),
    ("op code", "opcode"),
    ("spill code", "spills"),
    ("register spilling", "spills"),
    ("fatbin", "fat binary"),
    ("zebin file", "zebin"),
    ("zeinfo", ".ze_info"),
    ("Level-Zero", "Level Zero"),
    ("LevelZero", "Level Zero"),
    ("SPIRV", "SPIR-V"),
];

/// Pages that explain the words of others.
const OF_OTHERS: [&str; 3] = ["glossary.md", "coming-from.md", "triton.md"];

/// Returns whether a text has a word, not as a part of another one. Words with capitals are compared as they are.
fn has_word(text: &str, word: &str) -> bool {
    let has_capitals = word.contains(char::is_uppercase);
    let text = if has_capitals {
        text.to_owned()
    } else {
        text.to_lowercase()
    };
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    text.match_indices(word).any(|(start, found)| {
        let before = text[..start].chars().next_back();
        let after = &text[start + found.len()..];
        let mut after = after.strip_prefix('s').unwrap_or(after).chars();
        // A full stop ends a sentence, or is a part of a name.
        let is_longer = match after.next() {
            Some('.') => after.next().is_some_and(char::is_alphanumeric),
            Some(c) => is_part(c),
            None => false,
        };
        !before.is_some_and(is_part) && !is_longer
    })
}

/// Returns the prose of a page: without code.
fn prose(text: &str) -> String {
    let mut out = String::new();
    let mut is_code = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        } else if !is_code {
            out.extend(line.split('`').step_by(2));
        }
        out.push('\n');
    }
    out
}

/// Documentation, help (which is in the reference of commands), and texts of the page and of messages.
#[test]
fn things_have_one_word() {
    let mut strange = Vec::new();
    let mut check = |path: &Path, text: &str| {
        let found = SAME.iter().filter(|(word, _)| has_word(text, word));
        strange.extend(found.map(|(word, ours)| {
            format!(
                "{}: write {ours:?} for {word:?} in {text:?}",
                path.display()
            )
        }));
    };
    let mut pages = Vec::new();
    sources(&root().join("docs/src"), &[".md"], &mut pages);
    for readme in [
        "README.md",
        "bindings/python/README.md",
        "editors/vscode/README.md",
        "packaging/skill/SKILL.md",
    ] {
        pages.push(root().join(readme));
    }
    for path in pages {
        if OF_OTHERS.iter().any(|page| path.ends_with(page)) {
            continue;
        }
        for line in prose(&fs::read_to_string(&path).unwrap()).lines() {
            check(&path, line);
        }
    }
    let mut files = Vec::new();
    for folder in [
        "src/bin",
        "src/ui",
        "src/worker",
        "src/api",
        "crates/analysis/src",
        "crates/core/src/analysis",
        "crates/views/src",
    ] {
        sources(&root().join(folder), &[".rs"], &mut files);
    }
    for path in &files {
        for literal in strings(&fs::read_to_string(path).unwrap()) {
            // A text has several words. Titles of unitrace's tables are its own.
            if literal.contains(' ') && !path.ends_with("profile/layout.rs") {
                check(path, literal);
            }
        }
    }
    assert!(strange.is_empty(), "{strange:#?}");
}

#[test]
fn only_whole_words_count() {
    assert!(has_word("Two workgroups.", "workgroup") && has_word("a shader, b", "shader"));
    assert!(
        !has_word("NonSemantic.Shader.DebugInfo", "shader") && !has_word("zeinfo.md", "zeinfo")
    );
    assert_eq!(prose("a `b` c\n```text\nd\n```\ne"), "a  c\n\n\n\ne\n");
}

/// Values that other languages describe or compare are names of outcomes.
#[test]
fn schemas_and_packages_have_the_names() {
    let names: Vec<&str> = Outcome::ALL.iter().map(|outcome| outcome.name()).collect();
    let mut count = 0;
    let mut files = Vec::new();
    sources(&root().join("docs/src/schemas"), &[".json"], &mut files);
    fn enums(value: &Value, found: &mut Vec<Vec<String>>) {
        match value {
            Value::Array(list) => list.iter().for_each(|value| enums(value, found)),
            Value::Object(map) => {
                if let Some(Value::Array(values)) = map.get("enum") {
                    let texts = values
                        .iter()
                        .filter_map(|value| value.as_str().map(str::to_owned));
                    found.push(texts.collect());
                }
                map.values().for_each(|value| enums(value, found));
            }
            _ => {}
        }
    }
    for path in files {
        let schema: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
        let mut found = Vec::new();
        enums(&schema, &mut found);
        // The outcomes of a comparison are other ones.
        for list in found
            .iter()
            .filter(|list| list.iter().any(|name| name == "refused"))
        {
            let of_tables = Outcome::ALL.map(Outcome::words);
            let is_known = |name: &String| {
                names.contains(&name.as_str()) || of_tables.contains(&name.as_str())
            };
            assert!(list.iter().all(is_known), "{}: {list:?}", path.display());
            assert!(list.len() >= names.len(), "{}: {list:?}", path.display());
            count += 1;
        }
    }
    assert!(count >= 2, "{count}");
    let types = read("src/api/types.ts");
    for name in names {
        assert!(types.contains(&format!("\"{name}\"")), "types.ts: {name}");
    }
}
