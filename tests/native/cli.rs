//! The command line, as a process.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::support::fixtures::folder;
use serde_json::Value;

pub fn zeview(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_zeview"));
    command.args(arguments).output().expect("zeview runs")
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("UTF-8")
}

pub fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("the output is UTF-8")
}

pub fn fixture(name: &str) -> String {
    folder().join("zebin").join(name).display().to_string()
}

pub fn vecadd() -> String {
    fixture("vecadd.wcl.igc2.40.zebin")
}

pub fn damaged() -> String {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("www/samples");
    samples.join("damaged.zebin").display().to_string()
}

/// Writes a file for one test.
pub fn temporary(name: &str, bytes: &[u8]) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, bytes).expect("the folder for tests is writable");
    path
}

#[test]
fn dump_prints_the_golden_tree() {
    let output = zeview(&["dump", &vecadd()]);
    assert!(output.status.success());
    let golden = std::fs::read_to_string(format!("{}.tree", vecadd())).expect("it is there");
    let (tree, _) = golden.split_once("\n\n").expect("facts follow the tree");
    assert_eq!(stdout(&output).trim_end(), tree);
}

#[test]
fn dump_of_a_depth_and_of_a_path() {
    let lines = |arguments: &[&str]| {
        let output = zeview(arguments);
        assert!(output.status.success(), "{arguments:?}");
        stdout(&output).lines().count()
    };
    let file = vecadd();
    assert_eq!(lines(&["dump", "--depth", "0", &file]), 1);
    let first = lines(&["dump", "--depth", "1", &file]);
    assert!(first > 8 && first < 20, "{first} lines");
    let all = lines(&["dump", &file]);
    assert!(all > 300, "{all} lines");
    let text = stdout(&zeview(&[
        "dump",
        "--path",
        ".ze_info/kernels/[0]/execution_env/simd_size",
        &file,
    ]));
    assert!(text.contains("simd_size  32"), "{text}");
    let by_name = stdout(&zeview(&[
        "dump",
        "--path",
        ".ze_info/kernels/vecadd/execution_env/simd_size",
        &file,
    ]));
    assert_eq!(by_name, text);
}

#[test]
fn unknown_path() {
    let output = zeview(&["dump", "--path", ".ze_info/nothing", &vecadd()]);
    assert_eq!(output.status.code(), Some(2));
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(
        message.contains("nothing") && message.contains(".ze_info"),
        "{message}"
    );
    assert!(output.stdout.is_empty());
}

#[test]
fn dump_as_json() {
    let output = zeview(&["dump", "--json", &vecadd()]);
    let json: Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    let size = std::fs::metadata(vecadd()).expect("it is there").len();
    assert_eq!(json["file"], "vecadd.wcl.igc2.40.zebin");
    assert_eq!(json["format"], "zebin");
    assert_eq!(json["size"], size);
    let coverage = &json["coverage"];
    let sum: u64 = ["explained", "padding", "gap"]
        .iter()
        .filter_map(|k| coverage[k].as_u64())
        .sum();
    assert_eq!(sum, size);
    assert!(json["diagnostics"].as_array().is_some_and(Vec::is_empty));
    let mut values = 0;
    check_node(&json["tree"], 0, size, &mut values);
    assert!(values > 200, "only {values} values");
}

/// Checks that a node has a name, a kind and locations within its parent.
fn check_node(node: &Value, from: u64, to: u64, values: &mut usize) {
    assert!(
        node["name"].is_string() && node["kind"].is_string(),
        "{node}"
    );
    let place = |key: &str| node[key].as_u64();
    match (place("start"), place("end")) {
        (Some(start), Some(end)) => assert!(from <= start && start <= end && end <= to, "{node}"),
        (None, None) => assert_eq!(node["kind"], "derived", "{node}"),
        _ => panic!("half a place: {node}"),
    }
    if let Some(value) = node.get("value") {
        assert!(
            value.is_number() || value.is_string() || value.is_boolean(),
            "{value}"
        );
        *values += 1;
    }
    let (start, end) = (place("start").unwrap_or(from), place("end").unwrap_or(to));
    for child in node["children"].as_array().into_iter().flatten() {
        check_node(child, start, end, values);
    }
}

#[test]
fn standard_input() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_zeview"))
        .args(["dump", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("zeview runs");
    let bytes = std::fs::read(vecadd()).expect("it is there");
    let mut stdin = child.stdin.take().expect("it is piped");
    stdin.write_all(&bytes).expect("zeview reads");
    drop(stdin);
    let output = child.wait_with_output().expect("it ends");
    let from_file = stdout(&zeview(&["dump", &vecadd()]));
    let (_, rows) = from_file.split_once('\n').expect("many lines");
    assert!(stdout(&output).ends_with(rows));
}

#[test]
fn check_has_an_exit_status() {
    assert_eq!(zeview(&["check", &vecadd()]).status.code(), Some(0));
    assert_eq!(zeview(&["check", &damaged()]).status.code(), Some(1));
    assert_eq!(zeview(&["check", "no-such-file"]).status.code(), Some(2));
    // Warnings are not errors.
    let warned = fixture("globals-visaonly.pvc.igc2.40.zebin");
    let output = zeview(&["check", &warned]);
    assert!(stdout(&output).contains("warning["));
    // A failure takes precedence over unreadable files, and every file is checked.
    let output = zeview(&["check", &vecadd(), "no-such-file"]);
    assert_eq!(output.status.code(), Some(2));
    let output = zeview(&["check", &damaged(), "no-such-file", &vecadd()]);
    assert_eq!(output.status.code(), Some(1));
    let text = stdout(&output);
    assert!(
        text.contains("damaged.zebin: ") && text.contains("vecadd.wcl.igc2.40.zebin: "),
        "{text}"
    );
    assert!(String::from_utf8_lossy(&output.stderr).contains("no-such-file"));
    assert_eq!(zeview(&["check"]).status.code(), Some(2));
}

#[test]
fn check_names_bytes_and_rows() {
    let text = stdout(&zeview(&["check", &damaged()]));
    assert!(
        text.contains("error[elf/relocation-symbol-out-of-bounds]"),
        "{text}"
    );
    assert!(
        text.contains("at 0x9c0..0x9d0 (.rel.text.vecadd/[1])"),
        "{text}"
    );
}

#[test]
fn check_as_json() {
    let output = zeview(&["check", "--json", &damaged(), &vecadd()]);
    assert_eq!(output.status.code(), Some(1));
    let json: Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    let files = json.as_array().expect("an array");
    assert_eq!(files.len(), 2);
    for file in files {
        assert!(file["file"].is_string() && file["format"] == "zebin");
        let counts = ["explained", "padding", "gap", "overlap"];
        assert!(
            counts.iter().all(|k| file["coverage"][k].is_u64()),
            "{file}"
        );
    }
    let diagnostics = files[0]["diagnostics"].as_array().expect("an array");
    assert!(diagnostics.len() >= 8);
    for diagnostic in diagnostics {
        let texts = ["rule", "severity", "message", "path"];
        assert!(
            texts.iter().all(|k| diagnostic[k].is_string()),
            "{diagnostic}"
        );
        assert!(
            diagnostic["start"].as_u64() < diagnostic["end"].as_u64(),
            "{diagnostic}"
        );
    }
    assert!(
        files[1]["diagnostics"]
            .as_array()
            .is_some_and(Vec::is_empty)
    );
    let none = zeview(&["check", "--json", "no-such-file"]);
    let json: Value = serde_json::from_slice(&none.stdout).expect("it is JSON");
    assert!(json.as_array().is_some_and(Vec::is_empty));
}

#[test]
fn inputs_that_are_not_files() {
    let nowhere = format!("{}/no such file", env!("CARGO_TARGET_TMPDIR"));
    for command in ["dump", "kernels", "modules", "ls"] {
        let output = zeview(&[command, &nowhere]);
        assert_eq!(output.status.code(), Some(2), "{command}");
        assert!(!output.stderr.is_empty());
    }
    assert_eq!(zeview(&[&nowhere]).status.code(), Some(2));
    let empty = temporary("empty", b"");
    let output = zeview(&["check", &empty.display().to_string()]);
    // There is nothing to load.
    assert_eq!(output.status.code(), Some(1));
    assert!(stdout(&output).contains("file/empty"));
}

#[test]
fn closed_pipe_is_not_an_error() {
    let bytes = crate::support::zebin::many(400);
    let file = temporary("many.zebin", &bytes);
    let mut child = Command::new(env!("CARGO_BIN_EXE_zeview"))
        .arg("dump")
        .arg(&file)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("zeview runs");
    let mut reader = BufReader::new(child.stdout.take().expect("it is piped"));
    let mut line = String::new();
    reader.read_line(&mut line).expect("there is a line");
    drop(reader);
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{output:?}");
    assert!(output.stderr.is_empty(), "{output:?}");
}

#[test]
fn control_characters_of_files_are_escaped() {
    use crate::support::elf::Section;
    let name = "\u{1b}[31m\u{202e}evil\n";
    let file = crate::support::zebin::small()
        .section(Section::new(name, 1, [1; 8]))
        .build();
    let path = temporary("evil.zebin", &file.bytes);
    for command in ["dump", "check"] {
        let output = stdout(&zeview(&[command, &path.display().to_string()]));
        let bad = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
        let line = output.lines().find(|l| l.contains(bad));
        assert_eq!(line, None, "{command}");
    }
}

#[test]
fn help_and_version() {
    for argument in ["--help", "--version"] {
        assert!(zeview(&[argument]).status.success());
    }
    assert!(stdout(&zeview(&["--help"])).contains("check"));
    assert_eq!(zeview(&["no-such-command"]).status.code(), Some(2));
}

#[test]
fn verdicts_and_rules() {
    let file = temporary(
        "verdict.zebin",
        &crate::support::zebin::small().build().bytes,
    );
    let path = file.display().to_string();
    let own = zeview(&["check", &path]);
    assert_eq!(own.status.code(), Some(0));
    assert!(stdout(&own).contains("driver 26.27 on bmg-g21: loads\n"));
    let other = zeview(&["check", "--json", "--device", "12.60.7", &path]);
    assert_eq!(other.status.code(), Some(1));
    let json: Value = serde_json::from_slice(&other.stdout).expect("it is JSON");
    assert_eq!(json[0]["verdict"], "refused");
    assert_eq!(json[0]["well_formed"], true);
    assert_eq!(json[0]["device"], "pvc");
    assert_eq!(json[0]["findings"][0]["rule"], "driver/other-device");
    assert_eq!(json[0]["findings"][0]["effect"], "refuses");
    assert_eq!(json[0]["findings"][0]["decisive"], true);
    let nonsense = zeview(&["check", "--device", "nonsense", &path]);
    assert_eq!(nonsense.status.code(), Some(2));
    let rules = stdout(&zeview(&["rules"]));
    assert!(rules.contains("driver/unknown-key") && rules.contains("elf/bad-class"));
    let one = stdout(&zeview(&["rules", "driver/unknown-key"]));
    assert!(one.contains("refuses") && one.contains("zeinfo_decoder.cpp"));
    assert_eq!(zeview(&["rules", "no/such-rule"]).status.code(), Some(2));
}

#[test]
fn extract_leaves_its_input_alone() {
    let bytes = crate::support::zebin::small().build().bytes;
    let file = temporary("extracted.zebin", &bytes);
    let name = file.display().to_string();
    let output = zeview(&["extract", &name, ".ze_info", "-o", &name]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("the output is the input file"));
    assert_eq!(std::fs::read(&file).unwrap(), bytes);

    // An existing file is replaced as a whole, or not at all.
    let there = temporary("extracted.there", b"before");
    let target = there.display().to_string();
    let output = zeview(&["extract", &name, "no such part", "-o", &target]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(std::fs::read(&there).unwrap(), b"before");
    let output = zeview(&["extract", &name, ".ze_info", "-o", &target]);
    assert!(output.status.success(), "{}", stderr(&output));
    let part = std::fs::read(&there).unwrap();
    assert!(part.starts_with(b"---") || part.starts_with(b"version"));
    assert!(bytes.windows(part.len()).any(|window| window == part));
}

#[cfg(unix)]
#[test]
fn a_pipe_is_read_as_a_file_is() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("www/samples/vecadd.bmg.zebin");
    let run = |name: &Path, input: Stdio| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_zeview"));
        command.arg("kernels").arg("--csv").arg(name).stdin(input);
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", stderr(&output));
        stdout(&output).replace(&name.display().to_string(), "FILE")
    };
    let mut cat = Command::new("cat")
        .arg(&file)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let pipe = Stdio::from(cat.stdout.take().unwrap());
    let piped = run(Path::new("/dev/stdin"), pipe);
    cat.wait().unwrap();
    assert_eq!(piped, run(&file, Stdio::null()));
}

#[test]
fn containers_are_judged_by_their_images() {
    let good = fixture("vecadd-fatnoir.dg2+pvc.igc2.40.zebin");
    for arguments in [&["check", &good][..], &["check", "--device", "pvc", &good]] {
        let output = zeview(arguments);
        assert_eq!(output.status.code(), Some(0), "{}", stdout(&output));
    }
    // It has no image for this device.
    let output = zeview(&["check", "--device", "skl", &good]);
    assert_eq!(output.status.code(), Some(1), "{}", stdout(&output));
    for said in [
        "on skl: does not run",
        "64.dg2/data: not used: the driver does not support skl",
    ] {
        assert!(stdout(&output).contains(said), "{}", stdout(&output));
    }
}

#[test]
fn source_lines() {
    let file = "tests/fixtures/zebin/debugme.tgllp.igc1.12504.zebin";
    let text = stdout(&zeview(&["lines", file]));
    let first = text.lines().nth(2).unwrap();
    let words: Vec<&str> = first.split_whitespace().collect();
    assert_eq!(
        words,
        ["debugme.cl", "4", "step", "0x0", "32", "2", ".text.step"],
        "{text}"
    );
    let source = "tests/fixtures/src/debugme.cl";
    let text = stdout(&zeview(&[
        "lines",
        "--source",
        source,
        "--filter",
        "line=9",
        "--sort=-size",
        file,
    ]));
    let rows: Vec<&str> = text.lines().skip(2).collect();
    let line = std::fs::read_to_string(source)
        .unwrap()
        .lines()
        .nth(8)
        .unwrap()
        .trim()
        .to_owned();
    assert!(
        rows.len() > 2 && rows.iter().all(|row| row.contains(&line)),
        "{text}"
    );
    let csv = stdout(&zeview(&["lines", "--csv", "--columns=line,offset", file]));
    assert!(csv.starts_with("file,line,offset\n"), "{csv}");
    let json = stdout(&zeview(&["lines", "--json", file]));
    let rows: Value = serde_json::from_str(&json).unwrap();
    let first = &rows[0];
    assert_eq!(
        (&first["schema"], &first["source_file"]),
        (&1.into(), &"debugme.cl".into())
    );
    assert_eq!(first["file"], file);
    for wrong in [
        ["--filter", "nothing>0", file].as_slice(),
        &["--sort", "nothing", file],
        &["--source", "not/there.cl", file],
        &["not/there.zebin"],
    ] {
        let output = zeview(&[&["lines"], wrong].concat());
        assert_eq!(output.status.code(), Some(2), "{wrong:?}");
    }
}
