//! The command line on host files with device images, as a process.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use serde_json::Value;

use crate::support::elf::Class;
use crate::support::hosts::{Host, usual, with_size};
use crate::support::spirv;
use crate::support::zebin::small;

fn zeview(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_zeview"));
    command.args(arguments).output().expect("zeview runs")
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("the output is UTF-8")
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).to_owned()
}

fn temporary(name: &str, bytes: &[u8]) -> String {
    let path = folder().join(name);
    std::fs::write(&path, bytes).expect("the folder for tests is writable");
    path.display().to_string()
}

fn library(name: &str) -> String {
    let (spirv, zebin) = (spirv::kernel().build(), small().build().bytes);
    temporary(name, &usual(Class::Elf64, 3, &spirv, &zebin).build())
}

#[test]
fn images_for_a_device() {
    let file = library("device.so");
    let text = stdout(&zeview(&["images", "--device", "bmg-g21", &file]));
    let rows: Vec<&str> = text.lines().collect();
    assert!(
        rows[2].contains("not used: its kernels run from native images"),
        "{text}"
    );
    assert!(rows[3].contains("loads: "), "{text}");
    assert_eq!(
        rows[0],
        "kernels on bmg-g21: no kernel compiles at first use"
    );
    let output = zeview(&["images", "--json", "--device", "bmg-g21", &file]);
    let all: Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    assert_eq!(
        (&all[0]["chosen"], &all[1]["chosen"]),
        (&false.into(), &true.into())
    );
    assert!(all[0]["kernels"][0] == "k" && all[0]["exported"][0] == "exported");
    let output = zeview(&["images", "--json", &file]);
    let all: Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    assert!(all[0].get("chosen").is_none());
    let output = zeview(&["images", "--device", "voodoo", &file]);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn kernels_of_all_images_have_an_image_and_a_device() {
    let file = library("kernels.so");
    let text = stdout(&zeview(&["kernels", &file]));
    let rows: Vec<Vec<&str>> = text
        .lines()
        .map(|row| row.split_whitespace().collect())
        .collect();
    assert_eq!(rows[0][..3], ["Kernel", "Image", "Device"]);
    let kernel: Vec<_> = rows
        .iter()
        .filter(|row| row.first() == Some(&"k"))
        .collect();
    assert_eq!(kernel[0][..4], ["k", "image", "0", "SPIR-V"]);
    assert!(text.contains("bmg-g21"), "{text}");
}

#[test]
fn every_zebin_is_judged_and_the_host_is_not() {
    let file = library("check.so");
    let output = zeview(&["check", "--json", &file]);
    assert_eq!(output.status.code(), Some(0));
    let all: Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    assert_eq!(all[0]["well_formed"], true);
    let documents = all[0]["documents"].as_array().expect("there are some");
    assert_eq!(documents.len(), 1);
    assert_eq!(documents[0]["verdict"], "loads");
    // The host's own code is not judged.
    assert!(all[0]["findings"].as_array().is_none_or(Vec::is_empty));
}

#[test]
fn a_library_without_kernels_is_not_rejected() {
    let mut host = Host::new(Class::Elf64);
    let target = host.text("spir64");
    let image = host.image(&spirv::kernel().build());
    let entries = host.entries(&[]);
    let first = host.image_struct(3, target, image, entries, None);
    host.descriptor(first, 1);
    let file = temporary("empty.so", &host.build());
    let output = zeview(&["check", "--device", "pvc", &file]);
    assert_eq!(output.status.code(), Some(0), "{}", stdout(&output));
}

#[test]
fn images_are_written_unpacked_and_packed() {
    let plain = spirv::kernel().build();
    let packed = compress_to_vec(&*plain, CompressionLevel::Fastest);
    let packed = with_size(&packed, plain.len());
    let mut host = Host::new(Class::Elf64);
    let target = host.text("spir64");
    let images = [host.image(&packed), host.image(&plain)];
    let entries = host.entries(&["_ZTS3add"]);
    let first = host.image_struct(3, target, images[0], entries, None);
    host.image_struct(3, target, images[1], entries, None);
    host.descriptor(first, 2);
    let file = temporary("packed.so", &host.build());
    let out = folder().join("image").display().to_string();
    let read = |path: &Path| std::fs::read(path).expect("it was written");
    for (arguments, expected) in [
        (vec!["extract", &file, "image 0", "-o", &out], &plain),
        (
            vec!["extract", "--packed", &file, "image 0", "-o", &out],
            &packed,
        ),
        (vec!["extract", &file, "image 1", "-o", &out], &plain),
    ] {
        let output = zeview(&arguments);
        assert!(output.status.success(), "{arguments:?}");
        assert_eq!(&read(Path::new(&out)), expected, "{arguments:?}");
    }
    for (packing, name, expected) in [
        (None, "image-0.spir64._ZTS3add.spv", &plain),
        (Some("--packed"), "image-0.spir64._ZTS3add.spv.zst", &packed),
    ] {
        let all = folder().join(format!("all{}", packing.unwrap_or_default()));
        let _ = std::fs::remove_dir_all(&all);
        let to = all.display().to_string();
        let mut arguments = vec!["extract", file.as_str(), "--all", to.as_str()];
        arguments.extend(packing);
        let output = zeview(&arguments);
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        assert_eq!(&read(&all.join(name)), expected);
        assert_eq!(std::fs::read_dir(&all).unwrap().count(), 2);
    }
}

#[test]
fn images_of_packages_have_a_file() {
    let folder = folder().join("two libraries");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    for name in ["one.so", "two.so"] {
        std::fs::copy(library("images.so"), folder.join(name)).unwrap();
    }
    let folder = folder.display().to_string();
    let text = stdout(&zeview(&["images", &folder]));
    for name in ["one.so", "two.so"] {
        assert_eq!(
            text.lines().filter(|line| line.contains(name)).count(),
            2,
            "{text}"
        );
    }
    let all = Path::new(env!("CARGO_TARGET_TMPDIR")).join("images of two libraries");
    let _ = std::fs::remove_dir_all(&all);
    let output = zeview(&["extract", &folder, "--all", &all.display().to_string()]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert_eq!(std::fs::read_dir(&all).unwrap().count(), 4);
}
