//! The GitHub action with names and inputs that do harm if they become options, commands or markup,
//! and with patterns that match folders, links and nothing.
#![cfg(unix)]

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

use crate::cli::vecadd;
use crate::cli_action::{Place, outside_of_fences, sample};
use crate::support::hostile_names::names;

/// Names that are options, standard input, patterns, or mean something to a shell or to the runner.
const NAMES: &[&str] = &[
    "-",
    "--",
    "-h",
    "-V",
    "--help",
    "--version",
    "-h.zebin",
    "--help.zebin",
    "--color=never",
    "--json",
    "--fail-if=spill_size<0",
    "--profile=x.zebin",
    "@file",
    "@file.zebin",
    "=x",
    "a b",
    " ",
    " x ",
    "'\"",
    "$(touch TRAP)",
    "`touch TRAP`",
    ";touch TRAP;",
    "&& touch TRAP",
    "|touch TRAP",
    ">TRAP",
    "x\n",
    "\nx",
    "a\nsarif=FORGED",
    "::set-output name=x::FORGED",
    "\n::error::FORGED",
    "%0A::error::FORGED",
    "##[error]FORGED",
    "x ##[add-path]FORGED",
    "```",
    "\n```\n<img src=x>",
    "# FORGED",
    "[x](command:FORGED)",
    "*",
    "**",
    "?",
    "[a-z]",
    "*.zebin",
    "!(x)",
    "{a,b}",
    "~",
    "~root",
    "\\",
    "a\\",
    "\\*",
];

/// All names that a file can have.
fn all_names() -> BTreeSet<OsString> {
    let texts = NAMES.iter().map(|name| (*name).to_owned()).chain(names());
    let is_name = |name: &String| {
        !name.contains(['/', '\0']) && name.len() < 250 && !matches!(&**name, "." | "..")
    };
    let mut all: BTreeSet<OsString> = texts.filter(is_name).map(OsString::from).collect();
    // Not UTF-8.
    for bytes in [&b"\xff\xfe\x80"[..], b"-\xed\xa0\x80x", b"\xc0\xae\xc0\xae"] {
        all.insert(OsStr::from_bytes(bytes).to_owned());
    }
    assert!(all.len() > 70, "{}", all.len());
    all
}

/// A program in place of zeview that writes the arguments of each call to `calls`: each with a NUL
/// at its end, and an empty line after the last. It has found problems, and prints a log of SARIF.
fn recorder(place: &Place) -> String {
    let path = place.0.join("recorder");
    let script = "#!/bin/sh\nprintf '%s\\0' \"$@\" '\n' >>\"$CALLS\"\n\
                  if [ \"$1\" = - ]; then cat; fi\nprintf '{}'\nexit 1\n";
    fs::write(&path, script).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path.display().to_string()
}

/// Runs the action in a folder with the recorder in another one, and returns the arguments of each
/// call.
fn calls(place: &Place, at: &Place, inputs: &[(&str, &str)]) -> (Output, Vec<Vec<OsString>>) {
    let program = recorder(place);
    let calls = place.0.join("calls");
    let _ = fs::remove_file(&calls);
    let path = calls.display().to_string();
    let own = [("ZEVIEW", &*program), ("CALLS", &*path)];
    let output = at.run(&[&own[..], inputs].concat());
    (output, read_calls(&calls))
}

fn read_calls(path: &Path) -> Vec<Vec<OsString>> {
    let bytes = fs::read(path).unwrap_or_default();
    let mut all = vec![Vec::new()];
    for word in bytes.split(|byte| *byte == 0) {
        if word == b"\n" {
            all.push(Vec::new());
        } else if let Some(last) = all.last_mut() {
            last.push(OsStr::from_bytes(word).to_owned());
        }
    }
    // After the last NUL.
    let last = all.pop();
    assert!(last.is_none_or(|last| last.iter().all(|word| word.is_empty())));
    all
}

/// Returns the command, the options and the files of a call.
fn parts(call: &[OsString]) -> (&OsStr, &[OsString], &[OsString]) {
    let end = call.iter().position(|word| word == "--");
    let end = end.unwrap_or_else(|| panic!("no -- in {call:?}"));
    let (options, files) = (&call[1..end], &call[end + 1..]);
    for file in files {
        assert!(!file.as_bytes().starts_with(b"-"), "{file:?}");
    }
    (&call[0], options, files)
}

/// What the runner obeys in the output: workflow commands, in both of their forms.
fn commands(output: &Output) -> Vec<String> {
    let mut found = Vec::new();
    for stream in [&output.stdout, &output.stderr] {
        let mut until: Option<String> = None;
        for line in String::from_utf8_lossy(stream).split(['\n', '\r']) {
            let line = line.trim_start();
            match &until {
                Some(end) if line == end => until = None,
                Some(_) => {}
                None => match line.strip_prefix("::stop-commands::") {
                    Some(token) => until = Some(format!("::{token}::")),
                    None if line.starts_with("::") || line.contains("##[") => {
                        found.push(line.to_owned());
                    }
                    None => {}
                },
            }
        }
        assert_eq!(until, None, "workflow commands stay off");
    }
    found
}

fn check(place: &Place, output: &Output) {
    assert_eq!(commands(output), Vec::<String>::new());
    let summary = fs::read(place.0.join("summary")).unwrap_or_default();
    let summary = String::from_utf8_lossy(&summary);
    let outside = outside_of_fences(&summary).join("\n");
    assert!(!outside.contains("FORGED"), "{outside}");
    let outputs = place.read("output");
    assert!(outputs.lines().count() <= 1, "{outputs:?}");
    for folder in [&place.0, &place.0.join("build")] {
        assert!(!folder.join("TRAP").exists());
    }
}

#[test]
fn names_are_files_in_every_call() {
    let place = Place::new("action-names");
    let names = all_names();
    fs::create_dir(place.0.join("in")).unwrap();
    for name in &names {
        fs::write(place.0.join("in").join(name), "x").unwrap();
    }
    let inputs = [
        ("ZEVIEW_FAIL_IF", "spill_size>0\n-x\n--help"),
        ("ZEVIEW_DEVICE", "-h"),
        ("ZEVIEW_STRICT", "true"),
        ("ZEVIEW_BASE", "-h"),
        ("ZEVIEW_HEAD", "--help"),
        ("ZEVIEW_DIFF_FAIL_IF", "--help"),
    ];
    for (pattern, prefix) in [("*", ""), ("**", ""), ("./*", "./"), ("../in/*", "../in/")] {
        // In the folder of the names.
        let own = Place(place.0.join("in"));
        let files = [
            ("ZEVIEW_FILES", pattern),
            ("ZEVIEW_SARIF", "../log.sarif"),
            ("GITHUB_STEP_SUMMARY", "../summary"),
            ("GITHUB_OUTPUT", "../output"),
        ];
        for file in ["summary", "output", "log.sarif"] {
            let _ = fs::remove_file(place.0.join(file));
        }
        let (output, calls) = calls(&place, &own, &[&files[..], &inputs].concat());
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        check(&place, &output);
        let commands: Vec<&OsStr> = calls.iter().map(|call| parts(call).0).collect();
        // Inputs are tried first, on an empty file; kernels that fail are listed alone, too.
        let expected = [
            "check", "kernels", "diff", "check", "check", "kernels", "kernels", "diff",
        ];
        assert_eq!(commands, expected);
        let (tried, calls) = calls.split_at(3);
        for call in tried {
            let (_, _, files) = parts(call);
            assert!(
                files
                    .iter()
                    .all(|file| file.as_bytes().ends_with(b"/empty"))
            );
        }
        for call in calls {
            let (command, options, files) = parts(call);
            let expected: &[&str] = match command.to_str() {
                Some("check") => &["--strict", "--device=-h", "--sarif"],
                Some("kernels") => &[
                    "--fail-if=spill_size>0",
                    "--fail-if=-x",
                    "--fail-if=--help",
                    "--failing",
                ],
                _ => &["--fail-if=--help", "--markdown"],
            };
            assert!(
                options
                    .iter()
                    .all(|option| expected.iter().any(|e| option == e)),
                "{options:?}"
            );
            if command == "diff" {
                assert_eq!(files, ["./-h", "./--help"]);
                continue;
            }
            let found: BTreeSet<OsString> = files
                .iter()
                .map(|file| {
                    let bytes = file.as_bytes();
                    let name = bytes.strip_prefix(prefix.as_bytes()).unwrap();
                    let name = name.strip_prefix(b"./").unwrap_or(name);
                    OsStr::from_bytes(name).to_owned()
                })
                .collect();
            let is_shown = |name: &&OsString| !name.as_bytes().starts_with(b".");
            let expected: BTreeSet<OsString> = names.iter().filter(is_shown).cloned().collect();
            assert_eq!(files.len(), found.len(), "a file is checked twice");
            assert_eq!(found, expected, "{pattern}");
        }
    }
}

/// No name turns a check off: the other file violates the condition.
#[test]
fn no_name_hides_another_file() {
    let place = Place::new("action-hiding");
    for name in [
        "-h.zebin",
        "--help.zebin",
        "--version.zebin",
        "-.zebin",
        "*.zebin",
        "@x.zebin",
    ] {
        let folder = place.0.join("in");
        let _ = fs::remove_dir_all(&folder);
        place.copy(sample("spill.dg2.zebin"), "in/bad.zebin");
        fs::copy(vecadd(), folder.join(name)).unwrap();
        let own = Place(folder);
        for pattern in ["*.zebin", "**/*.zebin", "*", "[!x]*"] {
            let output = own.run(&[
                ("ZEVIEW_FILES", pattern),
                ("ZEVIEW_FAIL_IF", "spill_size>0"),
                ("ZEVIEW_SARIF", "../log.sarif"),
                ("GITHUB_STEP_SUMMARY", "../summary"),
                ("GITHUB_OUTPUT", "../output"),
            ]);
            assert_eq!(
                output.status.code(),
                Some(1),
                "{name} {pattern}: {output:?}"
            );
            let text = String::from_utf8_lossy(&output.stdout);
            assert!(
                text.contains("bad.zebin: spill: spill_size is 3328"),
                "{text}"
            );
            assert!(text.contains("2 files: 2 load"), "{text}");
            let sarif: Value = serde_json::from_str(&place.read("log.sarif")).unwrap();
            assert_eq!(
                sarif["runs"][0]["invocations"][0]["executionSuccessful"],
                true
            );
        }
    }
}

#[test]
fn inputs_are_inert() {
    let place = Place::new("action-inputs");
    let good = "build/deep/good.zebin";
    for value in all_names() {
        // As in action.yml, an input is text; and variables have no NUL.
        let Some(value) = value.to_str() else {
            continue;
        };
        let base = [("ZEVIEW_FILES", good)];
        for input in [
            "ZEVIEW_DEVICE",
            "ZEVIEW_FAIL_IF",
            "ZEVIEW_BASE",
            "ZEVIEW_STRICT",
        ] {
            let (output, calls) = calls(&place, &place, &[&base[..], &[(input, value)]].concat());
            check(&place, &output);
            if input == "ZEVIEW_STRICT" {
                assert_eq!(output.status.code(), Some(2), "{value:?}");
                assert!(calls.is_empty());
                continue;
            }
            assert_eq!(output.status.code(), Some(1), "{input} {value:?}");
            for call in &calls {
                let (command, options, files) = parts(call);
                for option in options {
                    let option = option.to_str().unwrap();
                    let (name, text) = option.split_once('=').unwrap_or((option, ""));
                    assert!(
                        matches!(
                            name,
                            "--device" | "--fail-if" | "--failing" | "--sarif" | "--markdown"
                        ),
                        "{option}"
                    );
                    if name == "--device" {
                        assert_eq!(text, value);
                    }
                    if name == "--fail-if" {
                        assert!(value.lines().any(|line| line == text), "{option}");
                    }
                }
                assert_eq!(files.len(), if command == "diff" { 2 } else { 1 });
            }
        }
        // The path of the log is one word, a file in the folder, and one line of the outputs.
        let (output, _) = calls(
            &place,
            &place,
            &[&base[..], &[("ZEVIEW_SARIF", value)]].concat(),
        );
        check(&place, &output);
        if value.contains(['\n', '\r']) {
            assert_eq!(output.status.code(), Some(2), "{value:?}");
        } else {
            assert_eq!(place.read("output"), format!("sarif={value}\n"));
            assert_eq!(fs::read(place.0.join(value)).unwrap(), b"{}", "{value:?}");
            fs::remove_file(place.0.join(value)).unwrap();
        }
    }
}

/// What a pattern matches is checked, or said not to be read. Returns the status and the summary.
fn judged(place: &Place, pattern: &str) -> (Option<i32>, String) {
    let output = place.run(&[("ZEVIEW_FILES", pattern)]);
    check(place, &output);
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code(), place.read("summary") + &errors)
}

#[test]
fn folders_links_and_nothing() {
    let place = Place::new("action-links");
    let at = |path: &str| place.0.join(path);
    place.copy(vecadd(), "elsewhere/deep/other.zebin");
    place.copy(vecadd(), "a [b]/x.zebin");
    let unread = "### Files: could not be judged\n";

    for nothing in ["none", "build/*.zebin", "build/deep/*.spv", "none/**"] {
        let (status, said) = judged(&place, nothing);
        assert_eq!(status, Some(2), "{said}");
        assert!(said.contains("matches no file"), "{said}");
    }
    // A folder, and patterns that match folders with files and without.
    let (status, said) = judged(&place, "build");
    assert_eq!(status, Some(2), "{said}");
    assert!(
        said.contains("build is a folder: write build/** for its files"),
        "{said}"
    );
    let (status, said) = judged(&place, "build/*");
    assert_eq!(status, Some(2), "{said}");
    assert!(said.contains("matches no file"), "{said}");
    for pattern in [
        "build/**",
        "build/*/*",
        "a [b]/x.zebin",
        "build/**\nbuild/deep/*",
    ] {
        let (status, said) = judged(&place, pattern);
        assert_eq!(status, Some(0), "{pattern}: {said}");
    }
    // Links to files and folders are followed where a pattern names them.
    symlink("good.zebin", at("build/deep/link.zebin")).unwrap();
    symlink("../elsewhere", at("build/linked")).unwrap();
    let (status, said) = judged(&place, "build/deep/*.zebin\nbuild/linked/deep/*.zebin");
    assert_eq!(status, Some(0), "{said}");
    assert!(said.contains("3 files: 3 load"), "{said}");
    // `**` does not follow links to folders elsewhere, and says so.
    let (status, said) = judged(&place, "build/**/*.zebin");
    assert_eq!(status, Some(2), "{said}");
    assert!(
        said.contains(unread) && said.contains("build/linked/ is a link"),
        "{said}"
    );
    assert!(said.contains("### Check: passed"), "{said}");
    fs::remove_file(at("build/linked")).unwrap();
    // Links within the folder lead to what is searched anyway, also in circles.
    symlink("deep", at("build/latest")).unwrap();
    symlink("..", at("build/deep/up")).unwrap();
    let (status, said) = judged(&place, "build/**/*.zebin");
    assert_eq!(status, Some(0), "{said}");
    // A link to nothing, and a pipe, which is not waited for.
    symlink("nothing", at("build/deep/gone.zebin")).unwrap();
    let (status, said) = judged(&place, "build/**/*.zebin");
    assert_eq!(status, Some(2), "{said}");
    assert!(
        said.contains(unread) && said.contains("gone.zebin is a link to nothing"),
        "{said}"
    );
    let (status, said) = judged(&place, "build/deep/gone.zebin");
    assert_eq!(status, Some(2), "{said}");
    assert!(said.contains("is a link to nothing"), "{said}");
    fs::remove_file(at("build/deep/gone.zebin")).unwrap();
    let made = Command::new("mkfifo")
        .arg(at("build/deep/pipe.zebin"))
        .status();
    assert!(made.unwrap().success());
    let (status, said) = judged(&place, "build/**/*.zebin");
    assert_eq!(status, Some(2), "{said}");
    assert!(said.contains("pipe.zebin is not a file"), "{said}");
}

/// Runs the action as a user who is not root, who may read everything.
fn unprivileged(folder: &Path, pattern: &str) -> Output {
    let is_root = fs::metadata("/proc/self").is_ok_and(|own| {
        use std::os::unix::fs::MetadataExt as _;
        own.uid() == 0
    });
    let mut command = if is_root {
        let mut command = Command::new("setpriv");
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups", "bash"]);
        command
    } else {
        Command::new("bash")
    };
    // The folder of the script may be closed to that user.
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("action/run.sh");
    let text = fs::read_to_string(script).unwrap();
    command
        .args(["-c", &text])
        .current_dir(folder)
        .env("ZEVIEW", "./recorder")
        .env("CALLS", "calls")
        .env("ZEVIEW_FILES", pattern)
        .env("GITHUB_STEP_SUMMARY", "summary");
    command.output().expect("bash runs")
}

#[test]
fn folders_that_cannot_be_read() {
    // Every user can enter it.
    let folder = tempfile::tempdir().unwrap();
    let all = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode));
    all(folder.path(), 0o777).unwrap();
    let place = Place(folder.path().to_owned());
    recorder(&place);
    for name in ["open/x.zebin", "closed/x.zebin"] {
        place.copy(vecadd(), name);
    }
    let closed: PathBuf = folder.path().join("closed");
    for (mode, patterns) in [
        (0o000, &["**/*.zebin", "*/*.zebin", "**"][..]),
        // Its files are listed, but cannot be opened.
        (0o444, &["**/*.zebin", "*/*.zebin", "*/x.zebin"]),
        (0o111, &["**/*.zebin", "*/*.zebin"]),
    ] {
        all(&closed, mode).unwrap();
        for pattern in patterns {
            let _ = fs::remove_file(folder.path().join("summary"));
            let output = unprivileged(folder.path(), pattern);
            let said = place.read("summary");
            assert!(
                said.contains("closed/ is a folder that cannot be searched"),
                "{mode:o} {pattern}: {said} {output:?}"
            );
            assert!(said.contains("### Check: failed"), "{said}");
        }
    }
    all(&closed, 0o777).unwrap();
    let output = unprivileged(folder.path(), "**/*.zebin");
    assert!(!place.read("calls").is_empty(), "{output:?}");
}
