//! Commands on files with shared parts: omissions are reported, with exit status 2, and JSON stays
//! valid.

use std::path::Path;

use serde_json::Value;

use crate::cli::{stderr, temporary, zeview};
use crate::support::growing_hosts::HOSTS;
use crate::support::growing_zebins::ZEBINS;

/// Writes a file of a construct, of about this size.
fn file(construct: &str, size: usize) -> String {
    let mut all = HOSTS.iter().chain(ZEBINS);
    let (_, make) = all.find(|(name, _)| *name == construct).unwrap();
    let name = construct.replace(|c: char| !c.is_ascii_alphanumeric(), "-");
    temporary(&format!("limits-{name}"), &make(size))
        .display()
        .to_string()
}

/// Runs a command whose output is cut. Returns its output and the message.
fn limited(arguments: &[&str]) -> (Vec<u8>, String) {
    let output = zeview(arguments);
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {message}");
    (output.stdout, message)
}

fn objects(json: &[u8]) -> usize {
    let value: Value = serde_json::from_slice(json).expect("it is JSON");
    value.as_array().map_or(1, Vec::len)
}

#[test]
fn names_and_properties_that_images_share() {
    for construct in ["host: entries shared", "host: properties shared"] {
        let file = file(construct, 256 << 10);
        let (json, message) = limited(&["images", "--json", &file]);
        assert!(message.contains("left out"), "{construct}: {message}");
        assert!(objects(&json) > 1000, "{construct}");
    }
}

#[test]
fn too_many_images_are_a_diagnostic() {
    let file = file("host: words like descriptors", 512 << 10);
    let output = zeview(&["check", "--json", &file]);
    let all: Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    let found = all[0]["diagnostics"].as_array().expect("an array");
    let found = found
        .iter()
        .find(|d| d["rule"] == "limits/too-many-entries");
    let found = found.expect("the limit is reported");
    let message = found["message"].as_str().unwrap();
    assert!(message.starts_with("too many for the size of the file: only "));
    assert!(found["end"].as_u64() > found["start"].as_u64());
}

#[test]
fn images_that_are_not_decompressed_are_a_diagnostic() {
    let file = file("host: small zstd frames of large images", 64 << 10);
    let output = zeview(&["check", "--json", &file]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("too much of the file is decompressed already"));
}

#[test]
fn assembly_of_sections_over_each_other() {
    let file = file("code sections over each other", 256 << 10);
    let (json, message) = limited(&["disasm", "--json", &file]);
    assert!(message.contains(": the output is too long; name a --kernel"));
    assert!(objects(&json) > 1000);
    let (text, message) = limited(&["disasm", &file]);
    assert!(message.contains(": stopped in ") && text.len() < 60 << 20);
}

#[test]
fn a_kernel_of_a_long_name_in_rows() {
    let file = file("host: a long kernel name, many entries", 256 << 10);
    let (json, message) = limited(&["kernels", "--json", "--fail-if", "spill_size>0", &file]);
    assert!(message.contains("left out"), "{message}");
    objects(&json);
}

#[test]
fn files_of_sections_over_each_other() {
    let file = file("code sections over each other", 128 << 10);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("limits-extract");
    let _ = std::fs::remove_dir_all(&folder);
    let to = format!("{}/", folder.display());
    let (_, message) = limited(&["extract", &file, ".text.*", "-o", &to]);
    assert!(message.contains(" not written: all together are too large"));
    let sizes = std::fs::read_dir(&folder).unwrap();
    let sum: u64 = sizes
        .map(|entry| entry.unwrap().metadata().unwrap().len())
        .sum();
    let size = std::fs::metadata(&file).unwrap().len();
    assert!(sum <= 200 * size, "{sum}");
}

#[test]
fn parts_of_sections_over_each_other() {
    let file = file("code sections over each other", 256 << 10);
    let size = std::fs::metadata(&file).unwrap().len();
    let output = zeview(&["ls", "-r", "--json", &file]);
    objects(&output.stdout);
    assert!(output.stdout.len() as u64 <= 200 * size + (64 << 10));
}
