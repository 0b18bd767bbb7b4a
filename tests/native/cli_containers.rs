//! The command line on containers, as a process.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::support::syclbin::{Entry, Offload, Syclbin};
use crate::support::zebin;
use serde_json::{Value, json};

fn zeview(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_zeview"));
    command.args(arguments).output().expect("zeview runs")
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("the output is UTF-8")
}

/// Writes a file for one test.
fn temporary(name: &str, bytes: &[u8]) -> String {
    let path = folder().join(name);
    std::fs::write(&path, bytes).expect("the folder for tests is writable");
    path.display().to_string()
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).to_owned()
}

const IMAGE: &str = "native device code image 0/code";

#[test]
fn modules_as_json() {
    let syclbin = Syclbin::small();
    let bytes = syclbin.v2();
    let file = temporary("modules.syclbin", &bytes);
    let output = zeview(&["modules", "--json", &file]);
    assert!(output.status.success());
    let all: Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    assert_eq!((&all["version"], &all["state"]), (&json!(2), &json!(1)));
    let global = json!([{
        "name": "SYCLBIN/global metadata",
        "entries": [{ "key": "state", "type": 1, "value": 1 }],
    }]);
    assert_eq!(all["global_properties"], global);
    let first = &all["abstract_modules"][0];
    let aspects = json!({
        "key": "aspects",
        "type": 2,
        "value": { "bits": 64, "hex": "0200000006000000" },
    });
    assert_eq!(first["properties"][2]["entries"][0], aspects);
    let second = &all["abstract_modules"][1];
    assert_eq!(second["ir_modules"][0]["type"], 0);
    assert_eq!(second["ir_modules"][0]["target"], "spir64-unknown-unknown");
    let native = &second["native_device_code_images"][0];
    assert_eq!(native["arch"], "bmg_g21");
    assert_eq!(native["target"], "spir64_gen-unknown-unknown");
    let place = |name: &str| native[name].as_u64().expect("it is a number") as usize;
    let code = &bytes[place("start")..place("end")];
    assert_eq!(code, syclbin.modules[1].native[0].bytes);
}

#[test]
fn modules_as_text() {
    let file = temporary("text.syclbin", &Syclbin::small().v1());
    let text = stdout(&zeview(&["modules", &file]));
    for line in [
        "SYCLBIN 1 · object · 2 abstract modules, 2 IR modules, 1 native device code image",
        "    aspects  gpu, fp64",
        "  _Z5scalei: 0 from 1",
    ] {
        assert!(
            text.lines().any(|l| l == line),
            "{line:?} is not in\n{text}"
        );
    }
}

#[test]
fn a_file_without_modules_says_so() {
    let file = temporary("no-modules.zebin", &zebin::small().build().bytes);
    let output = zeview(&["modules", &file]);
    assert_eq!(output.status.code(), Some(0));
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(error.contains("has no modules"), "{error}");
}

#[test]
fn modules_of_a_file_in_a_file() {
    let inner = Syclbin::small().v2();
    let other = Offload::new(1, vec![Entry::of_kind(6, vec![1, 2, 3])]).build();
    let file = temporary("row.syclbin", &[other, inner.clone(), inner].concat());
    let output = zeview(&["modules", &file]);
    assert!(output.status.success());
    let other = String::from_utf8_lossy(&output.stderr);
    assert!(other.contains("--path \"binary 2\""), "{other}");
    let text = stdout(&output);
    assert!(text.starts_with("SYCLBIN 2 · object"), "{text}");
    let second = zeview(&["modules", "--path", "binary 2", &file]);
    assert!(stdout(&second).starts_with("SYCLBIN 2 · object"));
    let none = zeview(&["modules", "--path", "binary 0", &file]);
    assert_eq!(none.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&none.stderr).contains("has no modules"));
    let nowhere = zeview(&["modules", "--path", "nowhere", &file]);
    assert_eq!(nowhere.status.code(), Some(2));
}

#[test]
fn an_image_is_extracted_as_it_is() {
    let syclbin = Syclbin::small();
    let file = temporary("extract.syclbin", &syclbin.v2());
    let image = &syclbin.modules[1].native[0].bytes;
    let to = folder().join("extracted.zebin").display().to_string();
    let output = zeview(&["extract", &file, IMAGE, "-o", &to]);
    assert!(output.status.success());
    assert_eq!(&std::fs::read(&to).expect("it is written"), image);
    let output = zeview(&["extract", &file, IMAGE, "-o", "-"]);
    assert_eq!(&output.stdout, image);
    for path in ["nowhere", "global metadata/nothing"] {
        let output = zeview(&["extract", &file, path, "-o", &to]);
        assert_eq!(output.status.code(), Some(2), "{path}");
    }
}

#[test]
fn kernels_of_all_images() {
    let file = temporary("kernels.syclbin", &Syclbin::small().v2());
    let all = zeview(&["kernels", "--json", &file]);
    let rows: Value = serde_json::from_slice(&all.stdout).expect("it is JSON");
    // Each of two modules of SPIR-V has another kernel, of which only the types are known.
    assert_eq!(rows.as_array().map(Vec::len), Some(3));
    assert_eq!(rows[0]["file"], format!("{file}:{IMAGE}"));
    assert_eq!(rows[1]["device"], "SPIR-V");
    assert_eq!(
        (&rows[1]["argument_count"], &rows[1]["spill_size"]),
        (&1.into(), &Value::Null)
    );
    for (path, row) in [(IMAGE, &rows[0]), ("IR module 0/code", &rows[1])] {
        let one = zeview(&["kernels", "--json", "--path", path, &file]);
        let found: Value = serde_json::from_slice(&one.stdout).expect("it is JSON");
        assert_eq!(found.as_array().map(Vec::len), Some(1), "{path}");
        assert_eq!(
            (&found[0]["name"], &found[0]["file"]),
            (&row["name"], &row["file"])
        );
    }
}

#[test]
fn a_document_in_a_file_is_checked() {
    let file = temporary("check.syclbin", &Syclbin::small().v2());
    let whole = zeview(&["check", &file]);
    assert!(whole.status.success(), "{}", stdout(&whole));
    let image = zeview(&["check", "--json", "--path", IMAGE, &file]);
    let answer: Value = serde_json::from_slice(&image.stdout).expect("it is JSON");
    assert_eq!(answer[0]["path"], IMAGE);
    assert!(answer[0]["verdict"].is_string(), "{answer}");
    assert_eq!(answer[0]["device"], "bmg-g21");
    let dump = stdout(&zeview(&["dump", "--depth", "1", "--path", IMAGE, &file]));
    assert!(dump.contains(".ze_info"), "{dump}");
}

#[test]
fn each_binary_of_an_archive_has_a_verdict() {
    let file = temporary("archive.a", &crate::support::containers::ocloc_archive());
    let output = zeview(&["check", "--json", &file]);
    let all: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(all[0]["verdict"], Value::Null);
    let inner = all[0]["documents"].as_array().unwrap();
    let said = |at: usize, key: &str| inner[at][key].as_str().map(str::to_owned);
    assert_eq!(said(0, "path").as_deref(), Some("64.20.1.0/data"));
    assert_eq!(said(0, "device").as_deref(), Some("bmg-g21"));
    assert_eq!(said(0, "verdict").as_deref(), Some("loads"));
    let text = String::from_utf8(zeview(&["check", &file]).stdout).unwrap();
    assert!(
        text.contains("64.20.1.0/data: driver 26.27 on bmg-g21: loads"),
        "{text}"
    );
    let other = zeview(&["check", "--json", "--device", "skl", &file]);
    let all: Value = serde_json::from_slice(&other.stdout).unwrap();
    assert_eq!(all[0]["documents"][0]["verdict"], "refused");
}

#[test]
fn device_selects_its_image() {
    let fat = "tests/fixtures/zebin/vecadd-fatnoir.dg2+pvc.igc2.40.zebin";
    let fat = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join(fat)
        .display()
        .to_string();
    let output = zeview(&["check", "--device", "pvc", &fat]);
    assert_eq!(output.status.code(), Some(0));
    let text = stdout(&output);
    for line in [
        "  64.12.60.7/data: loads: named for 12.60.7",
        "  64.dg2/data: not used: not named for pvc (12.60.7)",
    ] {
        assert!(
            text.lines().any(|l| l == line),
            "{line:?} is not in\n{text}"
        );
    }
    let output = zeview(&["check", "--json", "--device", "B580", &fat]);
    assert_eq!(output.status.code(), Some(1));
    let all: Value = serde_json::from_slice(&output.stdout).unwrap();
    let choice = &all[0]["choice"];
    assert_eq!(
        (&choice["device"], &choice["verdict"]),
        (&json!("bmg-g21"), &json!("does-not-run"))
    );
    assert_eq!(choice["images"][0]["chosen"], false);
}

#[test]
fn all_devices_in_a_table() {
    let fat = "tests/fixtures/zebin/vecadd-fatnoir.dg2+pvc.igc2.40.zebin";
    let fat = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join(fat)
        .display()
        .to_string();
    let output = zeview(&["check", "--device", "all", &fat]);
    assert_eq!(output.status.code(), Some(0));
    let text = stdout(&output);
    let pvc = text.lines().find(|line| line.starts_with("pvc  "));
    let cells: Vec<&str> = pvc.unwrap().split_whitespace().collect();
    assert_eq!(
        cells[..6],
        ["pvc", "12.60.7", "Xe-HPC", "loads", "loads", "64.12.60.7"],
        "{text}"
    );
    let json = zeview(&["check", "--device", "all", "--json", &fat]);
    let all: Value = serde_json::from_slice(&json.stdout).unwrap();
    let devices = all[0]["devices"].as_array().unwrap();
    let of = |name: &str| {
        devices
            .iter()
            .find(|device| device["device"] == name)
            .unwrap()
    };
    assert_eq!(of("pvc")["verdict"], "loads");
    assert_eq!(of("pvc")["image"], json!(["64.12.60.7"]));
    assert_eq!(of("bmg-g21")["verdict"], "does not run");
    // For an image, and for files without code for the driver.
    let image = zeview(&["check", "--device", "all", "--path", "64.dg2/data", &fat]);
    assert!(stdout(&image).contains("built for"), "{}", stdout(&image));
    let text = temporary("words.txt", b"no binary at all");
    let none = stdout(&zeview(&["check", "--device", "all", &text]));
    assert!(none.contains("contains no code for the driver"), "{none}");
}
