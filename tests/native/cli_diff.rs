//! `zeview diff`: output, exit status, budgets, folders: as a process.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::cli::{damaged, fixture, stderr, stdout, temporary, zeview};
use crate::support::fixtures::folder;
use crate::support::golden::difference;
use crate::support::zebin;

/// Pairs of committed files with golden output.
const PAIRS: [(&str, &str, &str); 4] = [
    (
        "devices",
        "vecadd.adl-n.igc2.40.zebin",
        "vecadd.arl-h.igc2.40.zebin",
    ),
    (
        "compilers",
        "assertk.tgllp.igc1.12504.zebin",
        "assertk.dg2.igc2.40.zebin",
    ),
    (
        "options",
        "vecadd-noirint.bmg.igc2.40.zebin",
        "vecadd-cost.bmg.igc2.40.zebin",
    ),
    (
        "archives",
        "vecadd-fatnoir.dg2+pvc.igc2.40.zebin",
        "vecadd-fat.skl+icllp.igc1.17791.zebin",
    ),
];

fn golden(name: &str, actual: &str) -> Option<String> {
    let path = folder().join("diff").join(name);
    if std::env::var_os("BLESS").is_some_and(|value| value == "1") {
        fs::write(&path, actual).unwrap();
        return None;
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    difference(&expected, actual).map(|text| format!("{name}, {text}"))
}

#[test]
fn goldens() {
    let mut wrong = Vec::new();
    for (name, a, b) in PAIRS {
        let (a, b) = (fixture(a), fixture(b));
        for (form, ending) in [
            (&[][..], "txt"),
            (&["--json"][..], "json"),
            (&["--markdown"][..], "md"),
            (&["--html"][..], "html"),
            (&["--code=2"][..], "code.txt"),
        ] {
            let output = zeview(&[&["diff"], form, &[&a, &b]].concat());
            assert_eq!(output.status.code(), Some(1), "{name} {form:?}");
            let mut text = stdout(&output);
            if ending == "json" {
                let value: Value = serde_json::from_str(&text).unwrap();
                text = format!("{value:#}\n");
            }
            wrong.extend(golden(&format!("{name}.{ending}"), &text));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn file(name: &str, bytes: &[u8]) -> String {
    temporary(name, bytes).display().to_string()
}

fn spilling(name: &str, spill: u32) -> String {
    let text = zebin::ze_info(&["calm", "hot"]);
    let at = text.rfind("      simd_size:").unwrap();
    let text = format!(
        "{}      spill_size:      {spill}\n{}",
        &text[..at],
        &text[at..]
    );
    let elf = zebin::zebin(&["calm", "hot"]).bytes(".ze_info", text);
    file(name, &elf.build().bytes)
}

fn status(arguments: &[&str]) -> Option<i32> {
    zeview(&[&["diff"], arguments].concat()).status.code()
}

#[test]
fn exit_status() {
    let (a, b) = (spilling("diff-a.zebin", 0), spilling("diff-b.zebin", 4096));
    assert_eq!(status(&[&a, &a]), Some(0));
    assert_eq!(status(&[&a, &b]), Some(1));
    assert_eq!(status(&[&a, "no-such-file"]), Some(2));
    assert_eq!(status(&[&a]), Some(2));
    assert_eq!(status(&[&a, "--json", "--markdown", &b]), Some(2));
    // Another layout is not a difference in meaning.
    let mut moved = zebin::small();
    let small = file("diff-small.zebin", &moved.build().bytes);
    moved.align = 64;
    let moved = file("diff-moved.zebin", &moved.build().bytes);
    let output = zeview(&["diff", &small, &moved]);
    assert_eq!(output.status.code(), Some(0));
    assert!(
        stdout(&output).contains("Same meaning, different layout."),
        "{}",
        stdout(&output)
    );
    // A damaged file is compared as far as it can be read.
    let output = zeview(&["diff", &small, &damaged()]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stdout(&output).contains("damaged"), "{}", stdout(&output));
}

#[test]
fn budgets() {
    let (a, b) = (
        spilling("budget-a.zebin", 1024),
        spilling("budget-b.zebin", 4096),
    );
    let gate = |condition: &str, a: &str, b: &str| {
        let output = zeview(&["diff", "--fail-if", condition, a, b]);
        (output.status.code(), stderr(&output))
    };
    let passes = (Some(0), String::new());
    assert_eq!(gate("spill_size increased", &b, &a), passes);
    assert_eq!(gate("spill_size increased", &a, &a), passes);
    assert_eq!(gate("spill_size increased 300%", &a, &b), passes);
    assert_eq!(gate("spill_size increased 3072", &a, &b), passes);
    assert_eq!(gate("code_size changed", &a, &b), passes);
    assert_eq!(gate("spill_size increased and name=calm", &a, &b), passes);
    let fails = |condition: &str| {
        let (status, said) = gate(condition, &a, &b);
        assert_eq!(status, Some(1), "{condition}: {said}");
        assert_eq!(said, "zeview: hot: spill_size 1024 → 4096\n", "{condition}");
    };
    fails("spill_size increased");
    fails("spill_size increased 10%");
    fails("spill_size increased 100");
    fails("spill_size>1024");
    let (status, said) = gate("spill_size>1024 or name=calm", &a, &b);
    assert_eq!(status, Some(1));
    assert!(said.contains("calm"), "{said}");
    for nonsense in [
        "increased",
        "",
        "nonsense increased",
        "spill",
        "spill_size increased x>",
    ] {
        let (status, said) = gate(nonsense, &a, &b);
        assert_eq!(status, Some(2), "{nonsense}: {said}");
    }
    // New kernels increase from zero; files without kernels cannot be judged.
    let (status, _) = gate(
        "spill_size increased",
        &file("budget-new.zebin", &zebin::zebin(&["x"]).build().bytes),
        &a,
    );
    assert_eq!(status, Some(1));
    let text = file("budget.txt", b"words");
    let (status, said) = gate("spill_size increased", &a, &text);
    assert_eq!(status, Some(2));
    assert!(said.contains("cannot be judged"), "{said}");
}

#[test]
fn selections() {
    let (a, b) = (spilling("only-a.zebin", 0), spilling("only-b.zebin", 64));
    assert_eq!(status(&["--ignore", "spill_size", &a, &b]), Some(0));
    assert_eq!(status(&["--ignore", "kernels", &a, &b]), Some(0));
    assert_eq!(status(&["--ignore", "execution_env/*", &a, &b]), Some(0));
    assert_eq!(status(&["--ignore", "hot", &a, &b]), Some(0));
    assert_eq!(status(&["--ignore", "calm,code", &a, &b]), Some(1));
    assert_eq!(status(&["--only", "code,sections", &a, &b]), Some(0));
    assert_eq!(status(&["--only", "spill_size", &a, &b]), Some(1));
    assert_eq!(status(&["--only", "h?t", &a, &b]), Some(1));
}

/// Ignoring one difference does not hide bytes without another explanation.
#[test]
fn ignored_parts_hide_nothing_else() {
    let (a, b) = (spilling("hides-a.zebin", 0), spilling("hides-b.zebin", 64));
    let with_end = |name: &str, path: &str, end: &[u8]| {
        file(name, &[&fs::read(path).unwrap()[..], end].concat())
    };
    let (one, other) = (
        with_end("hides-1.zebin", &a, b"one end"),
        with_end("hides-2.zebin", &b, b"another end"),
    );
    let same = with_end("hides-3.zebin", &b, b"one end");
    for ignored in ["spill_size", "kernels", "hot", "execution_env/*"] {
        assert_eq!(
            status(&["--ignore", ignored, &one, &other]),
            Some(1),
            "{ignored}"
        );
        assert_eq!(
            status(&["--ignore", ignored, &one, &same]),
            Some(0),
            "{ignored}"
        );
        let both = format!("{ignored},bytes");
        assert_eq!(
            status(&["--ignore", &both, &one, &other]),
            Some(0),
            "{ignored}"
        );
    }
    assert_eq!(status(&["--only", "symbols", &one, &other]), Some(0));
    assert_eq!(status(&["--only", "symbols,bytes", &one, &other]), Some(1));
}

fn tree(name: &str, files: &[(&str, &[u8])]) -> PathBuf {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&root);
    for (path, bytes) in files {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    root
}

#[test]
fn folders() {
    let (one, two) = (
        zebin::zebin(&["a"]).build().bytes,
        zebin::zebin(&["a", "b"]).build().bytes,
    );
    let a = tree(
        "diff-a",
        &[
            ("x/same.zebin", &one),
            ("x/other.zebin", &one),
            ("gone.zebin", &one),
        ],
    );
    let b = tree(
        "diff-b",
        &[
            ("x/same.zebin", &one),
            ("x/other.zebin", &two),
            ("new.zebin", &one),
        ],
    );
    let (a, b) = (a.display().to_string(), b.display().to_string());
    let output = zeview(&["diff", &a, &b]);
    assert_eq!(output.status.code(), Some(1));
    let text = stdout(&output);
    let total = "4 files: 1 identical, 0 same meaning, 1 differ, 1 added, 1 removed";
    assert_eq!(text.lines().last(), Some(total), "{text}");
    assert!(
        text.contains("gone.zebin: only in the first folder"),
        "{text}"
    );
    assert!(text.contains("kernel b (added)"), "{text}");
    let output = zeview(&["diff", "--json", &a, &b]);
    let value: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(value["schema"], 1);
    assert_eq!(value["same_meaning"], false);
    assert_eq!(value["added"], serde_json::json!(["new.zebin"]));
    assert_eq!(value["removed"], serde_json::json!(["gone.zebin"]));
    assert_eq!(value["changed"], serde_json::json!(["x/other.zebin"]));
    assert_eq!(
        value["files"][0]["kernels"]["added"],
        serde_json::json!(["b"])
    );
    assert_eq!(zeview(&["diff", &a, &a]).status.code(), Some(0));
    let file = file("diff-file.zebin", &one);
    assert_eq!(zeview(&["diff", &a, &file]).status.code(), Some(2));
}

/// Two kernels of one file: variants of a template.
#[test]
fn two_kernels_of_a_file_are_compared() {
    let samples = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("www/samples");
    let path = samples.join("spill.dg2.zebin").display().to_string();
    let output = zeview(&["diff", &path, "bigprivate", "hugeprivate"]);
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    for part in ["bigprivate", "hugeprivate", "private_size", "code_size"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let json = stdout(&zeview(&[
        "diff",
        "--json",
        &path,
        "bigprivate",
        "hugeprivate",
    ]));
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let changed = &json["kernels"]["changed"][0];
    assert_eq!(changed["name"], "bigprivate");
    assert_eq!(changed["new_name"], "hugeprivate");
    // As many instructions as in the listings of both.
    let lines = |kernel: &str| {
        let code = stdout(&zeview(&["disasm", &path, "--kernel", kernel]));
        code.lines().count() as i64
    };
    let count = |key: &str| changed["code"][key].as_i64().unwrap();
    let difference = count("instructions_added") - count("instructions_removed");
    let padding = 64;
    let lines = lines("hugeprivate") - lines("bigprivate");
    assert!(
        (difference - lines).abs() <= padding,
        "{difference}, {lines}"
    );
    // The same kernel twice.
    let output = zeview(&["diff", &path, "spill", "spill"]);
    assert_eq!(output.status.code(), Some(0), "{}", stdout(&output));
    // No such kernel, and several builds.
    for arguments in [
        vec!["diff", &path, "spill", "nothing"],
        vec!["diff", &path, "spill", "spill", "--device", "pvc"],
        vec!["diff", &path, "spill", "spill", "--only", "code"],
    ] {
        let output = zeview(&arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(!stderr(&output).is_empty());
    }
}
