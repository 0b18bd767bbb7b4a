//! Gates, `--fail-if` of `zeview kernels` and `zeview diff`: nothing passes unjudged. As a process.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use zeview::tables;

use zeview::decode::zebin::verdict::rules;
use zeview::model::{Effect, NodeId};
use zeview::tables::ListId;
use zeview::tables::gate::{Condition, Damage, Gate, Outcome, READING_RULES};

use crate::cli::{stderr, temporary, zeview};
use crate::support::random::Random;
use crate::support::{containers, fixtures, gate, hosts, open, spirv, zebin};

/// `.ze_info` of the kernels `calm` and `hot`, one of which spills.
fn spilling_text(spill: &str) -> String {
    let text = zebin::ze_info(&["calm", "hot"]);
    let at = text.rfind("      simd_size:").unwrap();
    let (before, after) = text.split_at(at);
    format!("{before}      {spill}\n{after}")
}

fn with_text(text: &str) -> Vec<u8> {
    let elf = zebin::zebin(&["calm", "hot"]).bytes(".ze_info", text);
    elf.build().bytes
}

fn spilling(spill: u32) -> Vec<u8> {
    with_text(&spilling_text(&format!("spill_size:      {spill}")))
}

/// Folders of one test.
struct Folders(PathBuf);

impl Folders {
    fn new(name: &str) -> Folders {
        let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = fs::remove_dir_all(&root);
        for folder in ["old", "new"] {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        Folders(root)
    }

    fn with(self, path: &str, bytes: &[u8]) -> Folders {
        let path = self.0.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
        self
    }

    fn run(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_zeview"));
        command.arg("diff").args(arguments).args(["old", "new"]);
        command.current_dir(&self.0).output().expect("zeview runs")
    }

    /// Returns the exit status with a condition, which is the same in all forms, and the messages.
    fn gate(&self, condition: &str) -> (Option<i32>, String) {
        let condition = format!("--fail-if={condition}");
        let output = self.run(&[&condition]);
        let found = (output.status.code(), stderr(&output));
        for form in ["--json", "--markdown", "--html"] {
            let output = self.run(&[&condition, form]);
            assert_eq!((output.status.code(), stderr(&output)), found, "{form}");
        }
        found
    }
}

const SPILLS: &str = "spill_size increased";

#[test]
fn new_files_of_a_folder_are_judged() {
    let (calm, hot) = (spilling(0), spilling(9999));
    let new = Folders::new("gate-new")
        .with("old/a.zebin", &calm)
        .with("new/a.zebin", &calm)
        .with("new/deep/b.zebin", &hot);
    let (status, said) = new.gate(SPILLS);
    assert_eq!(status, Some(1), "{said}");
    let name = Path::new("deep").join("b.zebin").display().to_string();
    assert_eq!(
        said,
        format!("zeview: {name}: hot: spill_size is 9999, and the kernel is new\n")
    );
    assert_eq!(new.gate("spill_size increased 9999").0, Some(0));
    // A new name does not hide the contents of the file.
    let renamed = Folders::new("gate-renamed")
        .with("old/a.zebin", &calm)
        .with("old/same.zebin", &calm)
        .with("new/same.zebin", &calm)
        .with("new/b.zebin", &hot);
    assert_eq!(renamed.gate(SPILLS).0, Some(1));
}

#[test]
fn folders_with_nothing_to_compare_do_not_pass() {
    let calm = spilling(0);
    let empty = Folders::new("gate-empty");
    let (status, said) = empty.gate(SPILLS);
    assert_eq!(status, Some(2));
    assert!(said.contains("no kernels to judge"), "{said}");
    // Without a condition too.
    for form in [&[][..], &["--json"], &["--markdown"], &["--html"]] {
        let output = empty.run(form);
        assert_eq!(output.status.code(), Some(2), "{form:?}");
        assert!(stderr(&output).contains("no files to compare"));
    }
    let json: serde_json::Value =
        serde_json::from_slice(&empty.run(&["--json"]).stdout).expect("it is JSON");
    assert_eq!(
        (&json["same_meaning"], &json["complete"]),
        (&false.into(), &false.into())
    );
    let removed = Folders::new("gate-removed").with("old/a.zebin", &calm);
    assert_eq!(removed.gate(SPILLS).0, Some(2));
    assert_eq!(removed.run(&[]).status.code(), Some(1));
    // An empty or unrelated earlier folder is nothing to compare with.
    let added = Folders::new("gate-added").with("new/a.zebin", &calm);
    assert_eq!(added.gate(SPILLS).0, Some(2));
    assert_eq!(added.run(&[]).status.code(), Some(1));
    let apart = Folders::new("gate-apart")
        .with("old/a.zebin", &calm)
        .with("old/README.txt", b"words")
        .with("new/README.txt", b"words")
        .with("new/b.zebin", &calm);
    let (status, said) = apart.gate(SPILLS);
    assert_eq!(status, Some(2));
    assert!(
        said.contains("no kernels are in files of both folders"),
        "{said}"
    );
}

#[test]
fn files_without_device_code_are_skipped_and_counted() {
    let calm = spilling(0);
    let folders = Folders::new("gate-skipped")
        .with("old/a.zebin", &calm)
        .with("new/a.zebin", &calm)
        .with("old/README.txt", b"words")
        .with("new/README.txt", b"other words")
        .with("new/NOTES.txt", b"more words");
    let skipped = "zeview: 2 files without kernels skipped by --fail-if\n";
    assert_eq!(folders.gate(SPILLS), (Some(0), skipped.to_owned()));
    // Damaged files, and files that had kernels, are not skipped.
    let lost = Folders::new("gate-lost")
        .with("old/a.zebin", &calm)
        .with("new/a.zebin", &calm)
        .with("old/b.zebin", &calm)
        .with("new/b.zebin", b"words");
    let (status, said) = lost.gate(SPILLS);
    assert_eq!(status, Some(2));
    assert!(
        said.contains("b.zebin: the first file has kernels, the second has none"),
        "{said}"
    );
    for damaged in [&b""[..], &calm[..calm.len() / 2]] {
        let cut = Folders::new("gate-cut")
            .with("old/a.zebin", &calm)
            .with("new/a.zebin", &calm)
            .with("new/b.zebin", damaged);
        let (status, said) = cut.gate(SPILLS);
        assert_eq!(status, Some(2), "{said}");
        assert!(said.contains("b.zebin: "), "{said}");
    }
}

/// Texts with an unreadable value, and the name of the reported value.
fn unread() -> Vec<(String, &'static str)> {
    let good = spilling_text("spill_size:      9999");
    let last = good.rfind("execution_env:").unwrap();
    let without_colon = {
        let mut text = good.clone();
        text.replace_range(last + 13..=last + 13, " ");
        text
    };
    vec![
        (good.replace("spill_size", "spill_sizx"), "unknown key"),
        (good.replace("9999", "9x99"), "32-bit number"),
        (good.replace("spill_size:     ", "spill_size      "), "hot"),
        (good.replace("     9999", "    '9999'"), "spill_size"),
        (without_colon, "hot"),
        (good.replace("spill_size:", "\u{1}pill_size:"), "hot"),
    ]
}

#[test]
fn unreadable_values_do_not_pass() {
    let good = spilling(9999);
    let a = temporary("unread-a.zebin", &good).display().to_string();
    for (at, (text, reason)) in unread().into_iter().enumerate() {
        let bytes = with_text(&text);
        let b = temporary(&format!("unread-{at}.zebin"), &bytes);
        let b = b.display().to_string();
        for arguments in [
            &["kernels", "--fail-if", "spill_size>0", &b][..],
            &["kernels", "--json", "--fail-if", "spill_size>0", &b],
            &[
                "kernels",
                "--fail-if",
                "spill_size>0",
                &a.replace("-a.", "-0."),
                &b,
            ],
            &["diff", "--fail-if", "spill_size>0", &a, &b],
            &["diff", "--fail-if", "spill_size increased", &a, &b],
        ] {
            let output = zeview(arguments);
            let said = stderr(&output);
            assert_eq!(output.status.code(), Some(2), "{at}: {arguments:?} {said}");
            assert!(said.contains(": --fail-if cannot be judged"), "{said}");
            assert!(
                said.contains(reason) && said.contains("hot"),
                "{at}: {said}"
            );
        }
        // The earlier value counts too, if it is compared.
        let back = ["diff", "--fail-if", "spill_size decreased", &b, &a];
        assert_eq!(zeview(&back).status.code(), Some(2), "{at}");
        // A failed condition takes precedence over unknown values.
        let both = ["kernels", "--fail-if", "spill_size>0", &b, &a];
        assert_eq!(zeview(&both).status.code(), Some(1), "{at}");
        let both = ["kernels", "--fail-if", "spill_size>0", &a, "no-such-file"];
        assert_eq!(zeview(&both).status.code(), Some(1), "{at}");
    }
}

/// A damaged image in a container does not pass, nor does one known only by name.
#[test]
fn unreadable_images_do_not_pass() {
    let (text, _) = unread().remove(1);
    let members = [
        containers::member("a/", &spilling(0)),
        containers::member("b/", &with_text(&text)),
    ];
    let file = temporary("unread.a", &containers::archive(&members));
    let file = file.display().to_string();
    let output = zeview(&["kernels", "--fail-if", "spill_size>9999", &file]);
    assert_eq!(output.status.code(), Some(2));
    let said = stderr(&output);
    assert!(
        said.contains("unread.a:b/") && said.contains("hot"),
        "{said}"
    );
    // Each image separately.
    let output = zeview(&[
        "kernels",
        "--path",
        "a/a",
        "--fail-if",
        "spill_size>9999",
        &file,
    ]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let both = hosts::usual(
        crate::support::elf::Class::Elf64,
        3,
        &spirv::kernel().build(),
        &spilling(0),
    );
    let file = temporary("gate-host.so", &both.build())
        .display()
        .to_string();
    let output = zeview(&["kernels", "--fail-if", "spill_size>0", &file]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stderr(&output).contains("without native code skipped by --fail-if"));
}

/// A number that a kernel does not have is not judged, unless the rest of the condition decides.
#[test]
fn missing_numbers_are_not_judged() {
    let good = spilling_text("spill_size:      64");
    let at = good.rfind("      simd_size:").unwrap();
    let end = good[at..].find('\n').unwrap();
    let text = format!("{}{}", &good[..at], &good[at + end + 1..]);
    let elf = zebin::zebin(&["calm", "hot"])
        .bytes(".ze_info", text)
        .build();
    let mut document = open(&elf.bytes);
    let list = tables::list(&mut document, NodeId::ROOT, ListId::Kernels, None).unwrap();
    for (condition, expected) in [
        ("simd_size<8", Outcome::NotJudged),
        ("simd_size<8 and spill_size>64", Outcome::Passes),
        ("simd_size<8 or spill_size>63", Outcome::Fails),
        ("simd_size!=8", Outcome::NotJudged),
        ("not simd_size>=8", Outcome::NotJudged),
        ("spill_size>64", Outcome::Passes),
    ] {
        let conditions = [Condition::parse(condition).unwrap()];
        let mut gate = Gate::new(&conditions);
        // Damage is reported separately.
        let mut damage = Damage::default();
        let at = (&*list, 1, &document.sources);
        gate.judge("", (at, &mut damage), None);
        assert_eq!(gate.outcome(), expected, "{condition}");
    }
}

#[test]
fn a_closed_pipe_hides_no_failure() {
    let (calm, hot) = (spilling(0), spilling(9999));
    let folders = Folders::new("gate-pipe")
        .with("old/a.zebin", &calm)
        .with("new/a.zebin", &hot)
        .with("old/b.zebin", &zebin::many(200))
        .with("new/b.zebin", &zebin::many(300));
    let run = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_zeview"));
        command.args(arguments).current_dir(&folders.0);
        // The pipe is closed from the start.
        let (reader, writer) = std::io::pipe().expect("there are pipes");
        drop(reader);
        command.stdout(writer).stderr(Stdio::null());
        command.status().expect("zeview runs").code()
    };
    let pairs = [["old", "new"], ["old/a.zebin", "new/a.zebin"]];
    for form in ["--color=never", "--json", "--markdown", "--html", "--code"] {
        for [a, b] in pairs {
            assert_eq!(run(&["diff", form, a, b]), Some(1), "{form} {a}");
            let failing = ["diff", form, "--fail-if=spill_size increased", a, b];
            assert_eq!(run(&failing), Some(1), "{form} {a}");
            let passing = ["diff", form, "--fail-if=spill_size>99999", a, b];
            assert_eq!(run(&passing), Some(2), "{form} {a}");
        }
        assert_eq!(run(&["diff", form, "old", "missing"]), Some(2), "{form}");
    }
    let missing = "missing.zebin";
    for arguments in [
        &["check", "--json", "new/b.zebin", missing][..],
        &["lines", "new/b.zebin", missing],
        &["images", "new/b.zebin", missing],
        &["modules", "new/b.zebin", missing],
        &["report", "new/b.zebin", missing],
        &["kernels", "new/b.zebin", missing],
        &["kernels", "--occupancy", "new/b.zebin", missing],
        &["new/b.zebin", missing],
    ] {
        assert_eq!(run(arguments), Some(2), "{arguments:?}");
    }
    for (arguments, status) in [
        (
            [
                "analyze",
                "--summary",
                "--fail-if=spill_size>99",
                "new/a.zebin",
            ],
            1,
        ),
        (
            [
                "analyze",
                "--summary",
                "--fail-if=spill_size>99999",
                "new/a.zebin",
            ],
            2,
        ),
        (["sizes", "--all", "--fail-if=total > 1", "new/b.zebin"], 1),
        (
            ["sizes", "--all", "--fail-if=total > 1 GB", "new/b.zebin"],
            2,
        ),
    ] {
        assert_eq!(run(&arguments), Some(status), "{arguments:?}");
    }
    let bad = Path::new("bad.zebin");
    fs::write(folders.0.join(bad), &calm[..calm.len() / 2]).unwrap();
    for form in ["--json", "--sarif", "--color=never"] {
        assert_eq!(run(&["check", form, "bad.zebin"]), Some(1), "{form}");
        let both = ["check", form, "bad.zebin", "new/b.zebin"];
        assert_eq!(run(&both), Some(1), "{form}");
    }
    // Closing the pipe of a list is not a failure.
    assert_eq!(run(&["dump", "new/b.zebin"]), Some(0));
    assert_eq!(run(&["ls", "-r", "new/b.zebin"]), Some(0));
}

fn www_sample(name: &str) -> String {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("www/samples");
    samples.join(name).display().to_string()
}

/// Kernels of SPIR-V have no figures, also none that differ from a number.
#[test]
fn kernels_without_code_are_skipped() {
    let wheel = www_sample("vectors-1.0-py3-none-linux_x86_64.whl");
    let gate = "simd_size!=32";
    let output = zeview(&["kernels", "--fail-if", gate, &wheel]);
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.contains("without native code skipped"), "{said}");
    let output = zeview(&["diff", "--fail-if", gate, &wheel, &wheel]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
}

#[test]
fn conditions_name_devices_that_exist() {
    let file = www_sample("spill.dg2.zebin");
    let condition = "device=bgm and spill_size>0";
    for command in ["kernels", "analyze", "diff"] {
        let mut arguments = vec![command, "--fail-if", condition, &file];
        match command {
            "analyze" => arguments.push("--summary"),
            "diff" => arguments.push(&file),
            _ => {}
        }
        let output = zeview(&arguments);
        assert_eq!(output.status.code(), Some(2), "{command}");
        let said = stderr(&output);
        assert!(said.contains("did you mean \"bmg\"?"), "{command}: {said}");
    }
    let known = condition.replace("bgm", "B580");
    let output = zeview(&["kernels", "--fail-if", &known, &file]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
}

/// Compilers write files with warnings and with values unknown to the driver; they are judged.
#[test]
fn files_of_compilers_are_judged() {
    let conditions = [Condition::parse("spill_size>99999999").unwrap()];
    let mut kernels = 0;
    for file in fixtures::zebins() {
        let mut document = open(&file.bytes);
        let mut gate = Gate::new(&conditions);
        let judged = gate.judge_document("", &mut document, None);
        let said = gate.take_messages();
        let expected = match judged {
            0 => Outcome::NotJudged,
            _ => Outcome::Passes,
        };
        assert_eq!(gate.outcome(), expected, "{}", file.name);
        assert_eq!(said, Vec::<String>::new(), "{}", file.name);
        kernels += judged;
    }
    assert!(kernels > 40, "{kernels} kernels");
}

#[test]
fn unreadable_rules_are_driver_rules() {
    for id in READING_RULES {
        let rule = rules::ALL.iter().find(|rule| rule.id == *id);
        let effect = rule.and_then(|rule| rule.effect);
        assert!(
            effect.is_some_and(|effect| !effect.allows_loading()),
            "{id}"
        );
        assert_ne!(effect, Some(Effect::NotJudged), "{id}");
    }
}

/// Changes every byte of the entry; the fuzz target `gate` changes several.
#[test]
fn no_change_of_a_byte_makes_it_pass() {
    let text = gate::text();
    assert_eq!(gate::violation(text.as_bytes()), None);
    // The driver treats a carriage return as a blank, and ignores a key after it.
    let joined = text.replace("\n      spill_size", "\r      spilx_size");
    assert_eq!(gate::violation(joined.as_bytes()), None);
    let entry = text.rfind("  - name:").unwrap();
    let mut found = Vec::new();
    for at in (0..28).chain(entry..text.len()) {
        for byte in *b"\0\t\n\r !\"#%&'*,-.0:>?@Z[]`x{|}~\x7f\x80" {
            let mut changed = text.clone().into_bytes();
            changed[at] = byte;
            found.extend(gate::violation(&changed));
        }
    }
    assert!(found.is_empty(), "{} {}", found.len(), found[0]);
}

/// Changes up to four bytes, like the fuzz target. `ZEVIEW_GATE_ROUNDS` sets the number of rounds.
#[test]
fn no_change_of_several_bytes_makes_it_pass() {
    let rounds = std::env::var("ZEVIEW_GATE_ROUNDS").ok();
    let rounds = rounds
        .and_then(|rounds| rounds.parse().ok())
        .unwrap_or(4000);
    let text = gate::text();
    let value = text.find("spill_size").unwrap();
    let mut random = Random::named("gate");
    for round in 0..rounds {
        let mut changed = text.clone().into_bytes();
        for _ in 0..=random.below(4) {
            // Half of them near the value.
            let at = match random.below(2) {
                0 => random.below(text.len()),
                _ => (value + random.below(64)).saturating_sub(32),
            };
            changed[at] = match random.below(3) {
                0 => random.below(256) as u8,
                1 => b" \n\r\t#:-\"'0x[]{}.~|>"[random.below(19)],
                _ => text.as_bytes()[random.below(text.len())],
            };
        }
        assert_eq!(gate::violation(&changed), None, "round {round}");
    }
}
