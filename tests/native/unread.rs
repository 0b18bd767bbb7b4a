//! Nothing unread passes: the account of what was read of packages and folders.

use std::fs;
use std::path::{Path, PathBuf};

use zeview::analysis::LoadOptions;
use zeview::report::check::VerdictRow;
use zeview::tables::gate::{Condition, Gate, Outcome};

use crate::cli::{stderr, stdout, zeview};
use crate::support::hidden::account;
use crate::support::invariants::{Depth, violations};
use crate::support::packages::*;
use crate::support::random::Random;
use crate::support::{hidden, open};

/// Creates an empty folder.
fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("unread-{name}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// Returns which of the gates pass: the check of the file, and a condition on its kernels.
fn passing(bytes: &[u8]) -> Vec<&'static str> {
    let mut passing = Vec::new();
    let mut document = open(bytes);
    let judged = VerdictRow::file(&mut document, LoadOptions::default());
    if judged.is_well_formed() == Some(true) && judged.loads() {
        passing.push("check");
    }
    assert_eq!(judged.is_well_formed().is_none() && judged.is_known, {
        let errors = judged.count(zeview::model::Severity::Error);
        errors == 0 && !judged.unread.is_empty()
    });
    let conditions = [Condition::parse("spill_size>0").unwrap()];
    let mut gate = Gate::new(&conditions);
    gate.judge_document("", &mut open(bytes), None);
    if gate.outcome() == Outcome::Passes {
        passing.push("gate");
    }
    passing
}

#[test]
fn no_hidden_file_passes() {
    for (name, bytes) in hidden::cases() {
        assert_eq!(passing(&bytes), [""; 0], "{name}");
        let found = account(&mut open(&bytes));
        assert!(found.is_none_or(|found| found.entries() >= 1), "{name}");
    }
}

/// What hides a file also hides none of its bytes.
#[test]
fn all_bytes_of_such_packages_are_in_rows() {
    // The others are like these, with more files or zeros.
    let small = |(_, bytes): &(String, Vec<u8>)| bytes.len() < 100_000;
    for (name, bytes) in hidden::cases().into_iter().filter(small) {
        let found = violations(&bytes, Depth::Tree);
        assert!(found.is_empty(), "{name}: {}", found.join("\n"));
    }
}

/// A package that hides nothing passes, whatever is in it.
#[test]
fn complete_packages_pass() {
    let good = hidden::good();
    // It has first bytes of images, but no images.
    let unknown = [0x91, 0x7f, b'E', b'L', b'F', 3, 2, 0x23, 7].repeat(200_000);
    let many = (0..1500).map(|number| stored(&format!("d/{number}"), b"text"));
    for (name, bytes) in [
        (
            "zip",
            zip(&[
                deflated("a.zebin", &good),
                stored("b.zebin", &good),
                stored("c/", b""),
            ]),
        ),
        (
            "descriptor",
            zip(&[deflated("a.zebin", &good).with_descriptor()]),
        ),
        ("zip64", zip(&[deflated("a.zebin", &good).with_zip64()])),
        (
            "nested",
            zip(&[stored("b.whl", &zip(&[deflated("a.zebin", &good)]))]),
        ),
        (
            "many",
            zip(&many.chain([deflated("a.zebin", &good)]).collect::<Vec<_>>()),
        ),
        (
            "tar",
            tar(&[
                tar_entry("d/", b'5', b""),
                tar_entry("a", b'0', &good),
                tar_entry("l", b'2', b""),
            ]),
        ),
        (
            "tar.gz",
            gzip("x.tar", &tar(&[tar_entry("a", b'0', &good)])),
        ),
        (
            "folder",
            folder(&[
                ("a.zebin", Ok(&good)),
                ("b.txt", Ok(b"text")),
                ("c.bin", Ok(&unknown)),
            ]),
        ),
        (
            "unknown formats without an image",
            zip(&[
                deflated("a.zebin", &good),
                deflated("b", &unknown),
                stored("c", &unknown),
            ]),
        ),
    ] {
        assert_eq!(passing(&bytes), ["check", "gate"], "{name}");
        let mut document = open(&bytes);
        let found = account(&mut document).unwrap();
        assert_eq!(found.unread, 0, "{name}: {found:?}");
        assert_eq!(document.unread_count(), 0, "{name}");
    }
}

/// `ZEVIEW_MINUTES` sets the duration, as for other tests of this kind.
#[test]
fn random_packages_add_up() {
    let rounds = match std::env::var("ZEVIEW_ROUNDS") {
        Ok(rounds) => rounds.parse().unwrap(),
        Err(_) => 400,
    };
    let seed = std::env::var("ZEVIEW_SEED").map_or(1, |seed| seed.parse().unwrap());
    let mut random = Random::new(seed);
    for round in 0..rounds {
        let mut package = hidden::random(&mut random, 2);
        if random.below(2) == 0 {
            hidden::damage(&mut package, &mut random);
        }
        // What fails can be opened.
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("hidden-{seed}.bin"));
        fs::write(&path, &package).unwrap();
        let mut document = open(&package);
        account(&mut document);
        // What is left of a damaged package may be one file of another format.
        if document.summary.has.package {
            assert_eq!(
                passing(&package),
                [""; 0],
                "round {round}: {}",
                path.display()
            );
        }
    }
}

/// Every command has the same answer to what it did not read.
#[test]
fn commands_agree() {
    let good = hidden::good();
    let cases = [
        (
            "encrypted.zip",
            zip(&[
                deflated("good.zebin", &good),
                ZipFile {
                    flags: 1,
                    ..deflated("secret.zebin", &good)
                },
            ]),
            "secret.zebin: encrypted",
        ),
        (
            "gap.tar",
            [tar(&[tar_entry("good.zebin", b'0', &good)]), vec![7; 5000]].concat(),
            "bytes that no entry of the package has",
        ),
        (
            "sparse.tar",
            tar(&[
                tar_entry("good.zebin", b'0', &good),
                tar_entry("holes", b'S', &good),
            ]),
            "holes: a sparse file",
        ),
        (
            "deep.zip",
            zip(&[
                deflated("good.zebin", &good),
                stored("7z", b"7z\xbc\xaf\x27\x1c\0\0\0\0"),
            ]),
            "7z: a 7z archive",
        ),
    ];
    let folder = scratch("unread");
    for (name, bytes, reason) in cases {
        let path = folder.join(name);
        fs::write(&path, bytes).unwrap();
        let path = path.to_str().unwrap();
        for arguments in [
            vec!["check"],
            vec!["check", "--json"],
            vec!["check", "--quiet"],
            vec!["check", "--device", "all"],
            vec!["kernels"],
            vec!["kernels", "--json"],
            vec!["kernels", "--fail-if", "spill_size>0"],
            vec!["images"],
            vec!["images", "--json"],
            vec!["matrix"],
            vec!["matrix", "--json"],
            vec!["report"],
            vec!["lines"],
            vec!["modules"],
            vec![],
        ] {
            let arguments = [arguments.as_slice(), &["--", path]].concat();
            let output = zeview(&arguments);
            let said = format!("{}{}", stdout(&output), stderr(&output));
            assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
            assert!(said.contains(reason), "{arguments:?}: {said}");
        }
        let output = zeview(&["diff", "--fail-if", "spill_size>0", "--", path, path]);
        assert_eq!(output.status.code(), Some(2), "{name}");
        assert!(stderr(&output).contains(reason), "{}", stderr(&output));
    }
}

#[test]
fn parts_of_a_package_are_judged_on_their_own() {
    let good = hidden::good();
    let encrypted = ZipFile {
        flags: 1,
        ..deflated("secret.zebin", &good)
    };
    let path = scratch("parts").join("a.zip");
    fs::write(&path, zip(&[deflated("good.zebin", &good), encrypted])).unwrap();
    let path = path.to_str().unwrap();
    for arguments in [
        ["kernels", path, "--path", "good.zebin/**"],
        ["check", path, "--path", "good.zebin/data/unpacked"],
    ] {
        let output = zeview(&arguments);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    }
}

#[test]
fn the_account_is_in_json() {
    let good = hidden::good();
    let path = scratch("account").join("a.zip");
    let inner = zip(&[deflated("x", b"text"), deflated("y.zebin", &good)]);
    let files = [
        deflated("good.zebin", &good),
        deflated("text", b"text"),
        stored("folder/", b""),
        stored("inner.zip", &inner),
        ZipFile {
            flags: 1,
            ..deflated("secret", &good)
        },
    ];
    fs::write(&path, zip(&files)).unwrap();
    let path = path.to_str().unwrap();
    let output = zeview(&["check", "--json", path]);
    let json: serde_json::Value = serde_json::from_str(&stdout(&output)).unwrap();
    let expected = serde_json::json!({ "read": 3, "without_code": 3, "unread": 1, "pending": 0 });
    assert_eq!(json[0]["files"], expected);
    let unread = json[0]["unread"].as_array().unwrap();
    assert_eq!(unread.len(), 1, "{unread:?}");
    assert_eq!(json[0]["well_formed"], serde_json::Value::Null);
    let output = zeview(&["ls", "--files", "--json", path]);
    let json: serde_json::Value = serde_json::from_str(&stdout(&output)).unwrap();
    let secret = json
        .as_array()
        .unwrap()
        .iter()
        .find(|row| row["path"] == "secret");
    assert_eq!(secret.unwrap()["kind"], "not read");
}

/// The 16 385th image is judged like the first.
#[test]
fn all_images_are_judged() {
    let good = tar_entry("good.zebin", b'0', &hidden::good());
    let mut entries = vec![good; 16_400];
    entries.push(tar_entry("refused.zebin", b'0', &hidden::refused()));
    let mut document = open(&tar(&entries));
    let judged = VerdictRow::file(&mut document, LoadOptions::default());
    assert_eq!(judged.inner.len(), 16_401);
    assert!(!judged.loads());
}

/// What the file system does not let zeview read, in a folder and in the files of a folder.
#[cfg(unix)]
#[test]
fn unreadable_parts_of_a_folder() {
    use std::os::unix::fs::symlink;
    let folder = scratch("unreadable");
    let outside = scratch("outside");
    fs::write(outside.join("hidden.zebin"), hidden::refused()).unwrap();
    type Make<'a> = &'a dyn Fn(&Path);
    let cases: [(&str, Make<'_>, &str); 5] = [
        (
            "nowhere",
            &|at| symlink("missing", at.join("link")).unwrap(),
            "link",
        ),
        (
            "circle",
            &|at| symlink("circle", at.join("circle")).unwrap(),
            "circle",
        ),
        (
            "outside",
            &|at| symlink(&outside, at.join("more")).unwrap(),
            "which is not followed",
        ),
        (
            "socket",
            &|at| drop(std::os::unix::net::UnixListener::bind(at.join("socket")).unwrap()),
            "neither a file nor a folder",
        ),
        ("empty", &|_| {}, ""),
    ];
    for (name, make, reason) in cases {
        let at = folder.join(name);
        let _ = fs::remove_dir_all(&at);
        fs::create_dir_all(at.join("sub")).unwrap();
        fs::write(at.join("sub/good.zebin"), hidden::good()).unwrap();
        // A link to a folder inside hides nothing.
        symlink("sub", at.join("inside")).unwrap();
        make(&at);
        let at = at.to_str().unwrap();
        let expected = if reason.is_empty() { 0 } else { 2 };
        for arguments in [
            vec!["check", at],
            vec!["kernels", at],
            vec!["kernels", "--fail-if", "spill_size>0", at],
            vec!["matrix", at],
            vec!["images", at],
            vec!["ls", "--files", at],
            vec!["diff", "--fail-if", "spill_size>0", at, at],
            vec!["diff", at, at],
            vec!["report", at],
        ] {
            let output = zeview(&arguments);
            let said = format!("{}{}", stdout(&output), stderr(&output));
            assert_eq!(
                output.status.code(),
                Some(expected),
                "{arguments:?}: {said}"
            );
            assert!(said.contains(reason), "{arguments:?}: {said}");
        }
    }
}
