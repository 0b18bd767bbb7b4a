//! `zeview check` over many files, and for machines: as a process.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use crate::cli::{damaged, fixture, stderr, stdout, temporary, vecadd, zeview};
use crate::support::{containers, zebin};

/// A folder with two good files, a malformed one, a host object with images, and others.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(folder.join("b/inner")).unwrap();
    let good = zebin::small().build().bytes;
    fs::write(folder.join("z.zebin"), &good).unwrap();
    fs::write(folder.join("b/inner/a.zebin"), &good).unwrap();
    fs::copy(damaged(), folder.join("b/damaged.zebin")).unwrap();
    fs::write(folder.join("host.o"), containers::host_object()).unwrap();
    fs::write(folder.join("README"), "words").unwrap();
    fs::write(folder.join("b/log.txt"), "more words").unwrap();
    folder
}

fn status(output: &Output) -> Option<i32> {
    output.status.code()
}

#[test]
fn folders_are_checked_in_order() {
    let folder = folder("checked");
    let name = folder.display().to_string();
    let output = zeview(&["check", &name]);
    assert_eq!(status(&output), Some(1));
    let text = stdout(&output);
    let starts = text.lines().filter(|line| line.starts_with(&name));
    let files: Vec<&str> = starts
        .map(|line| line[name.len() + 1..].split(':').next().unwrap())
        .collect();
    assert_eq!(
        files,
        ["b/damaged.zebin", "b/inner/a.zebin", "host.o", "z.zebin"]
    );
    let last = text.lines().last().unwrap();
    assert!(last.starts_with("4 files: "), "{last}");
    assert!(
        last.contains(", 1 malformed; 2 of unknown format skipped"),
        "{last}"
    );
    // A named file is not skipped.
    let readme = folder.join("README").display().to_string();
    let output = zeview(&[
        "check",
        &readme,
        &folder.join("z.zebin").display().to_string(),
    ]);
    assert_eq!(status(&output), Some(0));
    let text = stdout(&output);
    assert!(
        text.starts_with(&format!("{readme}: not a format zeview reads (text)\n")),
        "{text}"
    );
    assert!(
        text.ends_with("\n2 files: 1 loads, 1 of unknown format\n"),
        "{text}"
    );
}

#[test]
fn folders_with_unusual_contents() {
    let folder = folder("held");
    let name = folder.display().to_string();
    fs::remove_file(folder.join("b/damaged.zebin")).unwrap();
    fs::remove_file(folder.join("host.o")).unwrap();
    let output = zeview(&["check", &name]);
    assert_eq!(status(&output), Some(0), "{}", stdout(&output));
    assert!(stdout(&output).ends_with("\n2 files: 2 load; 2 of unknown format skipped\n"));
    // A link cycle, and a link to a file.
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(&folder, folder.join("b/circle")).unwrap();
        std::os::unix::fs::symlink(folder.join("z.zebin"), folder.join("y.zebin")).unwrap();
        let output = zeview(&["check", &name]);
        assert!(
            stdout(&output).contains("\n3 files: 3 load;"),
            "{}",
            stdout(&output)
        );
    }
    // A failed compiler may leave an empty file.
    fs::write(folder.join("empty.zebin"), "").unwrap();
    let output = zeview(&["check", &name]);
    assert_eq!(status(&output), Some(1));
    assert!(
        stdout(&output).contains("file/empty"),
        "{}",
        stdout(&output)
    );
    // Nothing to check is not success.
    let empty = folder.join("nothing");
    fs::create_dir(&empty).unwrap();
    let output = zeview(&["check", &empty.display().to_string()]);
    assert_eq!(status(&output), Some(2));
    assert!(stderr(&output).contains("there are no files to check"));
}

#[test]
fn quiet_and_strict() {
    let (good, bad) = (vecadd(), damaged());
    let quiet = zeview(&["check", "--quiet", &good, &good]);
    assert_eq!(status(&quiet), Some(0));
    assert!(quiet.stdout.is_empty() && quiet.stderr.is_empty());
    let quiet = zeview(&["check", "-q", &good, &bad]);
    assert_eq!(status(&quiet), Some(1));
    let text = stdout(&quiet);
    assert!(text.starts_with(&bad) && !text.contains(&good), "{text}");
    assert!(text.ends_with("2 files: 1 loads, 1 malformed\n"), "{text}");
    // Warnings: of the specification, of the driver.
    let folder = crate::support::fixtures::folder();
    let warned = folder
        .join("syclbin/v1_multi_direct.syclbin")
        .display()
        .to_string();
    for file in [warned, fixture("nokernel.bmg.igc2.40.zebin")] {
        let plain = zeview(&["check", &file]);
        assert_eq!(status(&plain), Some(0), "{}", stdout(&plain));
        assert!(stdout(&plain).contains("warn"), "{}", stdout(&plain));
        assert!(zeview(&["check", "--quiet", &file]).stdout.is_empty());
        let strict = zeview(&["check", "--strict", "--quiet", &file]);
        assert_eq!(status(&strict), Some(1), "{file}");
        assert!(!strict.stdout.is_empty());
    }
    assert_eq!(status(&zeview(&["check", "--strict", &good])), Some(0));
    let text = temporary("strict.txt", b"words").display().to_string();
    assert_eq!(status(&zeview(&["check", &text])), Some(0));
    assert_eq!(status(&zeview(&["check", "--strict", &text])), Some(1));
}

#[test]
fn unknown_formats_are_neither_good_nor_bad() {
    let text = temporary("unknown.txt", b"words").display().to_string();
    let json = zeview(&["check", "--json", &text, &vecadd()]);
    assert_eq!(status(&json), Some(0));
    let json: Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(json[0]["schema"], 1);
    assert_eq!(json[0]["format"], "raw");
    assert!(json[0]["verdict"].is_null() && json[0]["well_formed"].is_null());
    assert_eq!(
        (&json[1]["verdict"], &json[1]["well_formed"]),
        (&"loads".into(), &true.into())
    );
    let empty = temporary("unknown.empty", b"").display().to_string();
    let json = zeview(&["check", "--json", &empty]);
    assert_eq!(status(&json), Some(1));
    let json: Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(json[0]["well_formed"], false);
}

/// Checks every property that the SARIF 2.1.0 schema requires.
fn check_sarif(log: &Value) {
    assert_eq!(log["version"], "2.1.0");
    assert!(log["$schema"].as_str().unwrap().contains("sarif-2.1.0"));
    for run in log["runs"].as_array().unwrap() {
        let driver = &run["tool"]["driver"];
        assert!(driver["name"].is_string());
        let rules = driver["rules"].as_array().unwrap();
        for rule in rules {
            assert!(rule["id"].is_string());
            assert!(rule["shortDescription"]["text"].is_string());
            assert!(!rule["help"]["text"].as_str().unwrap().is_empty());
            check_level(&rule["defaultConfiguration"]["level"]);
        }
        for result in run["results"].as_array().unwrap() {
            assert!(!result["message"]["text"].as_str().unwrap().is_empty());
            check_level(&result["level"]);
            let rule = &rules[result["ruleIndex"].as_u64().unwrap() as usize];
            assert_eq!(rule["id"], result["ruleId"]);
            let related = result["relatedLocations"].as_array();
            let locations = result["locations"].as_array().unwrap();
            for location in locations.iter().chain(related.into_iter().flatten()) {
                let place = &location["physicalLocation"];
                assert!(place["artifactLocation"]["uri"].is_string(), "{result}");
                let region = &place["region"];
                assert!(region["byteOffset"].is_u64() && region["byteLength"].is_u64());
                for logical in location["logicalLocations"]
                    .as_array()
                    .into_iter()
                    .flatten()
                {
                    assert!(logical["fullyQualifiedName"].is_string());
                }
            }
        }
        for invocation in run["invocations"].as_array().unwrap() {
            assert!(invocation["executionSuccessful"].is_boolean());
            for said in invocation["toolExecutionNotifications"].as_array().unwrap() {
                assert!(said["message"]["text"].is_string());
            }
        }
    }
}

fn check_level(level: &Value) {
    let levels = ["none", "note", "warning", "error"];
    assert!(levels.contains(&level.as_str().unwrap()), "{level}");
}

#[test]
fn a_log_for_reviews() {
    let sarif = |arguments: &[&str]| {
        let output = zeview(&[&["check", "--sarif"], arguments].concat());
        let log: Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
        check_sarif(&log);
        (output, log)
    };
    let bad = damaged();
    let (output, log) = sarif(&[&vecadd(), &bad]);
    assert_eq!(status(&output), Some(1));
    let results = log["runs"][0]["results"].as_array().unwrap();
    let json = zeview(&["check", "--json", &bad]);
    let json: Value = serde_json::from_slice(&json.stdout).unwrap();
    let count = |key: &str| json[0][key].as_array().unwrap().len();
    assert_eq!(results.len(), count("diagnostics") + count("findings"));
    let rule = |id: &str| {
        results
            .iter()
            .find(|result| result["ruleId"] == id)
            .unwrap()
    };
    let verdict = rule("driver/data-out-of-bounds");
    assert_eq!(verdict["level"], "error");
    let error = rule("elf/relocation-symbol-out-of-bounds");
    let location = &error["locations"][0];
    let region = &location["physicalLocation"]["region"];
    assert_eq!(
        (&region["byteOffset"], &region["byteLength"]),
        (&0x9c0.into(), &16.into())
    );
    let logical = &location["logicalLocations"][0]["fullyQualifiedName"];
    assert_eq!(logical, ".rel.text.vecadd/[1]");
    let uri = location["physicalLocation"]["artifactLocation"]["uri"]
        .as_str()
        .unwrap();
    assert!(
        uri.starts_with("file:///") && uri.ends_with("/damaged.zebin"),
        "{uri}"
    );

    // File names are URI references.
    let odd = temporary("odd name%\u{e4}.zebin", &fs::read(&bad).unwrap());
    let (_, log) = sarif(&[&odd.display().to_string()]);
    let place = &log["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
    let uri = place["artifactLocation"]["uri"].as_str().unwrap();
    assert!(uri.ends_with("/odd%20name%25%C3%A4.zebin"), "{uri}");

    // Unreadable files are reported; no finding means no result.
    let (output, log) = sarif(&["no-such-file", &vecadd()]);
    assert_eq!(status(&output), Some(2));
    let run = &log["runs"][0];
    assert_eq!(run["results"].as_array().map(Vec::len), Some(0));
    assert_eq!(run["invocations"][0]["executionSuccessful"], false);
    let said = &run["invocations"][0]["toolExecutionNotifications"][0];
    let place = &said["locations"][0]["physicalLocation"]["artifactLocation"];
    assert_eq!(place["uri"], "no-such-file");

    // The images of containers, several parts of one file.
    let member = containers::member("64.20.1.0", &fs::read(&bad).unwrap());
    let archive = temporary("sarif.a", &containers::archive(&[member]));
    sarif(&[&archive.display().to_string()]);
    sarif(&["--path", ".*", &bad]);
    let packed =
        crate::support::compressed::stream(zeview::decode::compression::Method::Zlib, &[0; 64]);
    let bytes = zebin::small()
        .section(crate::support::elf::Section::new(".debug_info", 1, packed).flags(0x800))
        .build()
        .bytes;
    sarif(&[&temporary("sarif.packed", &bytes).display().to_string()]);
    let both = zeview(&["check", "--sarif", "--json", &bad]);
    assert_eq!(status(&both), Some(2));
}

#[test]
fn closed_pipe_does_not_change_the_status() {
    let good = vecadd();
    let bad = damaged();
    for (last, expected) in [(&bad, 1), (&good, 0)] {
        for form in [&[][..], &["--json"], &["--sarif"]] {
            let mut files = vec![good.as_str(); 400];
            files.push(last);
            let mut child = Command::new(env!("CARGO_BIN_EXE_zeview"))
                .arg("check")
                .args(form)
                .args(files)
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .expect("zeview runs");
            drop(child.stdout.take());
            let output = child.wait_with_output().expect("it ends");
            assert_eq!(status(&output), Some(expected), "{form:?}");
            assert!(output.stderr.is_empty(), "{}", stderr(&output));
        }
    }
}
