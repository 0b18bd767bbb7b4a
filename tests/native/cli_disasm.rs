//! `zeview disasm`.

use std::fs;
use std::process::Output;

use crate::cli::{stdout, temporary, zeview};
use crate::support::isa::hex;

fn disasm(arguments: &[&str]) -> Output {
    zeview(&[&["disasm"], arguments].concat())
}

fn text(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    stdout(output)
}

#[test]
fn raw_code_requires_a_platform() {
    // add, then nop.
    let mut code = hex("401a0080200225120406000224050000");
    code.extend(hex("60000000000000000000000000000000"));
    let path = temporary("disasm_code.bin", &code);
    let path = path.to_str().expect("a plain name");
    assert_eq!(disasm(&["--raw", path]).status.code(), Some(2));
    let add =
        "(W)     add (1|M0)               r18.1<1>:ud   r6.0<0;1,0>:ud    r5.1<0;1,0>:ud   {I@2}";
    for platform in ["xe_hpg", "dg2"] {
        let printed = text(&disasm(&["--raw", path, "--platform", platform]));
        let lines: Vec<&str> = printed.lines().map(str::trim_end).collect();
        assert_eq!(lines, ["L0:", add, "        nop"], "{platform}");
    }
    let printed = text(&disasm(&[
        "--raw",
        "-n",
        "--offsets",
        "--bytes",
        path,
        "--platform",
        "xe_hpg",
    ]));
    let first = format!("/* [00000000] */ /* 401a0080200225120406000224050000 */ {add}");
    assert_eq!(
        printed.lines().next().map(str::trim_end),
        Some(first.as_str())
    );
    let printed = text(&disasm(&["--raw", "--json", path, "--platform", "xe_hpg"]));
    let json: serde_json::Value = serde_json::from_str(&printed).expect("it is JSON");
    assert_eq!(json[0]["mnemonic"], "add");
    assert_eq!(json[1]["start"], 16);
    assert_eq!(json[0]["operands"][2]["text"], "r18.1<1>:ud");
}

#[test]
fn source_lines_precede_their_instructions() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/zebin/");
    let file = format!("{folder}debugme.tgllp.igc1.12504.zebin");
    let printed = text(&disasm(&["--source", &file]));
    assert!(printed.lines().any(|line| line == "// debugme.cl:5"));
    let is_line = |line: &&str| line.starts_with("// debugme.cl:");
    let without: Vec<&str> = printed.lines().filter(|line| !is_line(line)).collect();
    let plain = text(&disasm(&[&file]));
    assert_eq!(without, plain.lines().collect::<Vec<_>>());
    let json = text(&disasm(&["--json", &file]));
    let json: Vec<serde_json::Map<_, _>> = serde_json::from_str(&json).expect("it is JSON");
    for instruction in &json {
        let keys: Vec<&str> = instruction.keys().map(String::as_str).collect();
        assert_eq!(
            keys,
            [
                "comment", "end", "frames", "kernel", "line", "mnemonic", "offset", "operands",
                "schema", "start", "target", "targets", "text"
            ]
        );
        let first = instruction["targets"].get(0).cloned();
        assert_eq!(instruction["target"], first.unwrap_or_default());
    }
    assert_eq!(json[2]["line"]["file"], "debugme.cl");
    assert_eq!(json[2]["line"]["line"], 5);
}

#[test]
fn missing_line_tables_are_reported() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/www/samples/");
    let output = disasm(&["--source", &format!("{folder}spill.dg2.zebin")]);
    assert_eq!(output.status.code(), Some(0));
    let said = crate::cli::stderr(&output);
    assert!(said.contains("no line tables"), "{said}");
    let silent = disasm(&[&format!("{folder}spill.dg2.zebin")]);
    assert_eq!(crate::cli::stderr(&silent), "");
}

#[test]
fn platform_defaults_to_the_device() {
    let folder = format!("{}/tests/fixtures/zebin", env!("CARGO_MANIFEST_DIR"));
    let mut kernels = 0;
    for entry in fs::read_dir(folder).expect("there are fixtures") {
        let path = entry.expect("it can be listed").path();
        if path.extension().is_none_or(|e| e != "zebin") {
            continue;
        }
        let output = disasm(&[path.to_str().expect("a plain name")]);
        if output.status.success() {
            let printed = text(&output);
            if printed.lines().take(2).any(|line| line == "; SPIR-V") {
                // It has no native code.
                continue;
            }
            kernels += printed
                .lines()
                .filter(|l| l.starts_with("// kernel "))
                .count();
            assert!(printed.contains("L0:"), "{}", path.display());
        } else {
            assert_eq!(output.status.code(), Some(2), "{}", path.display());
        }
    }
    assert!(kernels > 3, "{kernels} kernels");
}
