//! Behind `--`, everything is a file: in each command, for names that are options, commands or
//! patterns.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::cli::{stderr, stdout, vecadd, zeview};

/// Arguments of each command that reads files. FILE is the name.
const USES: &[(&str, &[&str])] = &[
    ("", &["-- FILE", "-- FILE FILE"]),
    ("ls", &["-- FILE", "-- FILE .ze_info"]),
    ("dump", &["--depth 1 -- FILE"]),
    ("disasm", &["-- FILE"]),
    ("analyze", &["--markdown -- FILE"]),
    ("profile", &["-- FILE FILE"]),
    ("check", &["-- FILE", "--json -- FILE", "--sarif -- FILE"]),
    ("kernels", &["-- FILE", "--fail-if simd_size>0 -- FILE"]),
    ("images", &["-- FILE"]),
    ("matrix", &["-- FILE"]),
    (
        "diff",
        &[
            "-- FILE FILE",
            "--markdown --fail-if=spill_size>0 -- FILE FILE",
        ],
    ),
    ("report", &["-o out.html -- FILE"]),
    ("lines", &["-- FILE"]),
    ("sizes", &["-- FILE", "--json -- FILE"]),
    ("find", &["dpas -- FILE", "--json dpas -- FILE FILE"]),
    ("step", &["-- FILE", "--json -- FILE"]),
    ("extract", &["-o out -- FILE .ze_info"]),
    ("modules", &["-- FILE"]),
];

/// Commands without files, and one that runs until it is killed (`tests/native/cli_open.rs`).
const OTHERS: [&str; 5] = ["completions", "devices", "man", "open", "rules"];

/// `-` is not here: it is standard input everywhere.
const NAMES: &[&str] = &[
    "-h",
    "--help",
    "-V",
    "--version",
    "--",
    "---",
    "-x",
    "-rf",
    "--json",
    "--color=never",
    "--help.zebin",
    "@file",
    "check",
    "help",
    "*",
    "=",
];

fn folder() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("names-behind-hyphens");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn run(folder: &Path, command: &str, line: &str, name: &str) -> Output {
    for made in ["out", "out.html"] {
        let _ = fs::remove_file(folder.join(made));
        let _ = fs::remove_dir_all(folder.join(made));
    }
    let words = [command].into_iter().chain(line.split(' '));
    let words = words.filter(|word| !word.is_empty());
    Command::new(env!("CARGO_BIN_EXE_zeview"))
        .args(words.map(|word| if word == "FILE" { name } else { word }))
        .current_dir(folder)
        .output()
        .unwrap()
}

/// The output without the name, and without the spaces that depend on its width.
fn said(text: &str, name: &str) -> String {
    let text = text.replace(name, "plain");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
#[cfg_attr(not(unix), ignore = "only Unix allows such names")]
fn everything_behind_two_hyphens_is_a_file() {
    let folder = folder();
    for name in NAMES.iter().chain(&["plain"]) {
        fs::copy(vecadd(), folder.join(name)).unwrap();
    }
    for (command, lines) in USES {
        for line in *lines {
            let plain = run(&folder, command, line, "plain");
            // Of a zebin, some commands have nothing to say but its name.
            let has_read = plain.status.success() || stderr(&plain).contains("plain:");
            assert!(has_read, "{command} {line}: {plain:?}");
            assert!(!stderr(&plain).contains("Usage:"), "{command} {line}");
            for name in NAMES {
                let found = run(&folder, command, line, name);
                assert_eq!(
                    found.status.code(),
                    plain.status.code(),
                    "{command} {line} {name}: {found:?}"
                );
                assert!(
                    !stderr(&found).contains("Usage:"),
                    "{command} {line} {name}"
                );
                // Names that occur in other words are not compared.
                if name.len() > 2 && name.contains(['.', '=', '@']) {
                    let (found, plain) = (stdout(&found), stdout(&plain));
                    assert_eq!(
                        said(&found.replace("\\-", "-"), name),
                        said(&plain, "plain"),
                        "{command} {line} {name}"
                    );
                }
            }
        }
    }
    // No command is forgotten.
    let manual = folder.join("manual");
    assert!(
        zeview(&["man", &manual.display().to_string()])
            .status
            .success()
    );
    let commands: BTreeSet<String> = fs::read_dir(manual)
        .unwrap()
        .filter_map(|entry| {
            let name = entry.unwrap().file_name().into_string().unwrap();
            let name = name.strip_prefix("zeview")?.strip_suffix(".1")?;
            Some(name.trim_start_matches('-').to_owned())
        })
        .collect();
    let used = USES.iter().map(|(command, _)| *command).chain(OTHERS);
    assert_eq!(commands, used.map(str::to_owned).collect());
}
