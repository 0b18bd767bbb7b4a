//! `zeview kernels`: order, filters, limits; `zeview modules` of several files: as a process.

use std::process::{Command, Stdio};

use serde_json::Value;

use crate::cli::{damaged, stderr, stdout, temporary, zeview};
use crate::support::elf::Elf;
use crate::support::syclbin::Syclbin;
use crate::support::{containers, zebin};

const SPILLS: &str = "www/samples/spill.dg2.zebin";

fn names(arguments: &[&str]) -> Vec<String> {
    let output = zeview(&[&["kernels", "--json"], arguments].concat());
    let rows: Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    let rows = rows.as_array().expect("it is an array").iter();
    assert!(rows.clone().all(|row| row["schema"] == 1));
    rows.map(|row| row["name"].as_str().unwrap().to_owned())
        .collect()
}

fn file(name: &str, elf: &Elf) -> String {
    temporary(name, &elf.build().bytes).display().to_string()
}

#[test]
fn kernels_in_order() {
    let other = file("order.zebin", &zebin::zebin(&["aaa", "zzz"]));
    assert_eq!(names(&[SPILLS]), ["bigprivate", "hugeprivate", "spill"]);
    for by in ["-private_size", "private_size:desc"] {
        assert_eq!(
            names(&["--sort", by, SPILLS]),
            ["hugeprivate", "bigprivate", "spill"]
        );
    }
    for by in ["private_size", "private_size:asc"] {
        assert_eq!(
            names(&["--sort", by, SPILLS]),
            ["spill", "bigprivate", "hugeprivate"]
        );
    }
    // Files are sorted together; the sort is stable.
    let all = ["aaa", "bigprivate", "hugeprivate", "spill", "zzz"];
    assert_eq!(names(&["--sort=name", SPILLS, &other]), all);
    let text = stdout(&zeview(&["kernels", "--sort=-spill_size", &other, SPILLS]));
    let first = text.lines().nth(2).unwrap();
    assert!(
        first.starts_with(SPILLS) && first.contains(" spill "),
        "{text}"
    );
    for nonsense in ["nothing", "-", "name:up"] {
        let output = zeview(&["kernels", "--sort", nonsense, SPILLS]);
        assert_eq!(output.status.code(), Some(2), "{nonsense}");
    }
}

#[test]
fn some_kernels() {
    assert_eq!(names(&["--filter", "spill_size>0", SPILLS]), ["spill"]);
    let both = "private and not huge or spill_size>0";
    let found = names(&["--filter", both, "--sort=-name", SPILLS]);
    assert_eq!(found, ["spill", "bigprivate"]);
    let none = zeview(&["kernels", "--filter", "nothing", SPILLS]);
    assert_eq!(none.status.code(), Some(0));
    assert!(none.stdout.is_empty());
    assert_eq!(stderr(&none), "zeview: no kernel matches --filter\n");
    let wrong = zeview(&["kernels", "--filter", "nonsense>0", SPILLS]);
    assert_eq!(wrong.status.code(), Some(2));
}

#[test]
fn table_without_rows_has_no_header() {
    let output = zeview(&["kernels", "no-such-file"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty());
    let json = zeview(&["kernels", "--json", "no-such-file"]);
    assert_eq!(stdout(&json), "[]\n");
    let csv = zeview(&["kernels", "--csv", "no-such-file"]);
    assert!(stdout(&csv).starts_with("file,name,"));
}

#[test]
fn a_table_is_as_wide_as_it_needs_where_there_is_no_terminal() {
    let name = "k".repeat(300);
    let long = file("long.zebin", &zebin::zebin(&[&name]));
    let mut command = Command::new(env!("CARGO_BIN_EXE_zeview"));
    command.args(["kernels", &long]).env("COLUMNS", "40");
    let text = stdout(&command.output().unwrap());
    assert!(text.contains(&name), "{text}");
}

/// Code is decoded only for named columns.
#[test]
fn columns_that_need_the_code_are_printed_on_request() {
    let head = |arguments: &[&str]| {
        let text = stdout(&zeview(&[&["kernels"], arguments, &[SPILLS]].concat()));
        text.lines().next().unwrap().to_owned()
    };
    let csv = head(&["--csv"]);
    assert!(csv.starts_with("file,name,simd_size,grf_count,"), "{csv}");
    assert!(csv.ends_with(",code_size,flags"), "{csv}");
    assert_eq!(head(&["--csv", "--columns=name,loops"]), "file,name,loops");
    let keys = |arguments: &[&str]| {
        let output = zeview(&[&["kernels", "--json"], arguments, &[SPILLS]].concat());
        let rows: Value = serde_json::from_slice(&output.stdout).unwrap();
        rows[0].as_object().unwrap().keys().cloned().collect()
    };
    let (all, named): (Vec<String>, Vec<String>) = (keys(&[]), keys(&["--columns=name,loops"]));
    assert!(all.iter().any(|key| key == "has_dpas"), "{all:?}");
    for key in ["instructions", "loops", "scoreboard_waits"] {
        assert!(!all.iter().any(|other| other == key), "{key}: {all:?}");
    }
    let added: Vec<&String> = named.iter().filter(|key| !all.contains(key)).collect();
    assert_eq!(added, ["loops"]);
}

#[test]
fn limits_pass_or_fail() {
    let gate = |condition: &str, file: &str| {
        let output = zeview(&["kernels", "--fail-if", condition, file]);
        (output.status.code(), stderr(&output))
    };
    assert_eq!(gate("spill_size>4096", SPILLS), (Some(0), String::new()));
    let (status, said) = gate("spill_size>0", SPILLS);
    assert_eq!(status, Some(1));
    assert_eq!(
        said,
        format!("zeview: {SPILLS}: spill: spill_size is 3328\n")
    );
    // Only filtered kernels are judged.
    let filtered = [
        "kernels",
        "--filter=private",
        "--fail-if=spill_size>0",
        SPILLS,
    ];
    assert_eq!(zeview(&filtered).status.code(), Some(0));
}

#[test]
fn limits_that_cannot_be_judged_fail() {
    let whole = std::fs::read(SPILLS).unwrap();
    let cut = temporary("gate-cut.zebin", &whole[..3000]);
    let misspelt = {
        let built = zebin::small().build();
        let at = built.find(".ze_info", b"kernels:").start;
        temporary(
            "gate-misspelt.zebin",
            &built.with_bytes(at, b"kernelz:").bytes,
        )
    };
    let text = temporary("gate.txt", b"words");
    let empty = temporary("gate.empty", b"");
    let none = temporary("gate-none.zebin", &zebin::zebin::<&str>(&[]).build().bytes);
    for file in [&cut, &misspelt, &text, &empty, &none] {
        let file = file.display().to_string();
        let output = zeview(&["kernels", "--fail-if", "spill_size>0", &file]);
        assert_eq!(output.status.code(), Some(2), "{file}");
        let said = stderr(&output);
        assert!(
            said.contains("--fail-if cannot be judged"),
            "{file}: {said}"
        );
        // Also next to a file that passes; without a condition it is not a failure.
        let both = zeview(&["kernels", "--fail-if", "spill_size>9999", SPILLS, &file]);
        assert_eq!(both.status.code(), Some(2), "{file}");
        let free = zeview(&["kernels", &file]);
        assert_eq!(free.status.code(), Some(0), "{file}");
        assert!(!stderr(&free).contains("--fail-if"));
    }
    let missing = zeview(&["kernels", "--fail-if", "spill_size>0", "no-such-file"]);
    assert_eq!(missing.status.code(), Some(2));
    let filtered = [
        "kernels",
        "--filter",
        "nothing",
        "--fail-if",
        "spill_size>0",
        SPILLS,
    ];
    let output = zeview(&filtered);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("no kernel matches --filter: --fail-if cannot be judged"));
    let part = [
        "kernels",
        "--path",
        ".symtab",
        "--fail-if",
        "spill_size>0",
        SPILLS,
    ];
    assert_eq!(zeview(&part).status.code(), Some(2));
}

#[test]
fn a_damaged_image_among_good_ones_is_not_judged() {
    let good = zebin::small().build().bytes;
    let bad = {
        let built = zebin::small().build();
        let at = built.find(".ze_info", b"kernels:").start;
        built.with_bytes(at, b"kernelz:").bytes
    };
    let members = [
        containers::member("a/", &good),
        containers::member("b/", &bad),
    ];
    let file = temporary("gate.a", &containers::archive(&members));
    let output = zeview(&[
        "kernels",
        "--fail-if",
        "spill_size>0",
        &file.display().to_string(),
    ]);
    assert_eq!(output.status.code(), Some(2));
    let said = stderr(&output);
    assert!(
        said.contains("the kernels of b cannot be read: --fail-if cannot be judged"),
        "{said}"
    );
}

#[test]
fn closed_pipe_does_not_pass() {
    let many = temporary("gate-many.zebin", &zebin::many(2000));
    let many = many.display().to_string();
    let run = |condition: Option<&str>, form: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_zeview"));
        command.args(["kernels", form, &many]);
        command.args(condition.map(|condition| format!("--fail-if={condition}")));
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("zeview runs");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("it ends");
        (output.status.code(), stderr(&output))
    };
    for form in ["--csv", "--json", "--color=never"] {
        let (status, said) = run(Some("simd_size>0"), form);
        assert_eq!(status, Some(1), "{form}: {said}");
        assert_eq!(said.lines().count(), 2000);
        let (status, said) = run(Some("spill_size>0"), form);
        assert_eq!(status, Some(2), "{form}");
        assert!(
            said.contains("the output was not read to its end"),
            "{said}"
        );
        assert_eq!(run(None, form), (Some(0), String::new()), "{form}");
    }
}

#[test]
fn modules_of_several_files() {
    let first = temporary("several1.syclbin", &Syclbin::small().v1())
        .display()
        .to_string();
    let second = temporary("several2.syclbin", &Syclbin::small().v2())
        .display()
        .to_string();
    let text = stdout(&zeview(&["modules", &first, &second]));
    assert!(
        text.starts_with(&format!("{first}: SYCLBIN 1 · object")),
        "{text}"
    );
    assert!(
        text.contains(&format!("\n\n{second}: SYCLBIN 2 · object")),
        "{text}"
    );
    let json = zeview(&["modules", "--json", &first, &second]);
    let json: Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(json.as_array().map(Vec::len), Some(2));
    assert_eq!(
        (&json[1]["schema"], &json[1]["file"]),
        (&1.into(), &second.as_str().into())
    );
    let one = zeview(&["modules", "--json", &first]);
    let one: Value = serde_json::from_slice(&one.stdout).unwrap();
    assert_eq!(one, json[0]);
    // Readable files are listed.
    let output = zeview(&["modules", "--json", &damaged(), &second]);
    assert_eq!(output.status.code(), Some(0));
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json.as_array().map(Vec::len), Some(1));
    let none = zeview(&["modules", "--json", &damaged(), &damaged()]);
    assert_eq!(stdout(&none), "[]\n");
}

#[test]
fn occupancy_of_kernels() {
    let text = stdout(&zeview(&["kernels", "--occupancy", SPILLS]));
    assert_eq!(
        text.matches("an EU of acm-g10 runs all its 8 threads")
            .count(),
        3,
        "{text}"
    );
    for said in [
        "published; the driver asks the device",
        "file, 0x",
        "choose",
    ] {
        assert!(text.contains(said), "{said}: {text}");
    }
    let all = [
        "kernels",
        "--occupancy",
        "--work-group=16x16",
        "--eus=4",
        "--device=tgllp",
        "--filter=name=spill",
    ];
    let text = stdout(&zeview(&[&all[..], &[SPILLS]].concat()));
    // 4 EUs × 7 threads, 256 / SIMD: one kernel.
    assert_eq!(
        text.matches("an EU of tgllp runs all its 7 threads")
            .count(),
        1,
        "{text}"
    );
    assert!(
        text.contains("* threads of a sub-slice / threads of a work-group"),
        "{text}"
    );
    let json = stdout(&zeview(&[&all[..], &["--json", SPILLS]].concat()));
    let json: Value = serde_json::from_str(&json).unwrap();
    let kernel = &json[0];
    assert_eq!(
        (&kernel["schema"], &kernel["name"]),
        (&1.into(), &"spill".into())
    );
    assert_eq!(
        (&kernel["device"], &kernel["device_origin"]),
        (&"tgllp".into(), &"chosen".into())
    );
    let term = |id: &str| {
        let terms = kernel["terms"].as_array().unwrap();
        terms.iter().find(|term| term["id"] == id).unwrap().clone()
    };
    assert_eq!(
        (&term("threads")["value"], &term("eus")["origin"]),
        (&28.into(), &"chosen".into())
    );
    assert!(term("grf_count")["origin"]["file"]["start"].is_u64());
    assert!(kernel["more_threads"].is_null(), "{kernel}");
    let large = "tests/fixtures/zebin/spill.nvl-p.igc2.40.zebin";
    let json = stdout(&zeview(&[
        "kernels",
        "--occupancy",
        "--json",
        "--filter=grf_count=256",
        large,
    ]));
    let json: Value = serde_json::from_str(&json).unwrap();
    let more = &json[0]["more_threads"];
    assert_eq!(
        (&more["registers"], &more["threads"]),
        (&192.into(), &5.into())
    );
    for wrong in [
        ["--occupancy", "--work-group=0"].as_slice(),
        &["--occupancy", "--eus=x"],
        &["--occupancy", "--csv"],
        &["--eus=3"],
        &["--occupancy", "--device=nothing"],
    ] {
        let output = zeview(&[&["kernels"], wrong, &[SPILLS]].concat());
        assert_eq!(output.status.code(), Some(2), "{wrong:?}");
    }
}

/// A device has the same names in filters as for `--device`.
#[test]
fn filters_take_all_names_of_devices() {
    let matmul = concat!(env!("CARGO_MANIFEST_DIR"), "/www/samples/matmul.syclbin");
    let found = |filter: &str| {
        let output = zeview(&["kernels", "--csv", "--filter", filter, matmul]);
        (output.status.code(), stdout(&output), stderr(&output))
    };
    let (status, own, _) = found("device=bmg-g21");
    assert_eq!((status, own.lines().count()), (Some(0), 2), "{own}");
    for name in ["bmg", "BMG-G21", "B580", "battlemage", "intel_gpu_bmg_g21"] {
        assert_eq!(found(&format!("device={name}")).1, own, "{name}");
    }
    let all = stdout(&zeview(&["kernels", "--csv", matmul]))
        .lines()
        .count();
    let others = found("device!=bmg").1.lines().count();
    assert_eq!(others, all - 1);
    // A name that no device has is an error, with a suggestion; a device that the file lacks is none.
    let (status, _, said) = found("device=bmg-g22");
    assert_eq!(status, Some(2), "{said}");
    assert!(
        said.contains("no device is called") && said.contains("bmg-g21"),
        "{said}"
    );
    assert_eq!(found("device=tgl").0, Some(0));
}

/// A kernel without loops has no loop that could cost too much.
#[test]
fn kernels_without_loops_pass_limits_on_loops() {
    let samples = concat!(env!("CARGO_MANIFEST_DIR"), "/www/samples/");
    let (without, with) = (
        format!("{samples}vecadd.bmg.zebin"),
        format!("{samples}spill.dg2.zebin"),
    );
    let gate = |condition: &str, file: &str| {
        let output = zeview(&["kernels", "--fail-if", condition, file]);
        (output.status.code(), stderr(&output))
    };
    for condition in [
        "loop_cycles>0",
        "loop_cycles<100",
        "loop_intensity<1",
        "loop_global_bytes>=0",
    ] {
        assert_eq!(gate(condition, &without).0, Some(0), "{condition}");
    }
    assert_eq!(gate("loop_cycles!=5", &without).0, Some(1));
    assert_eq!(gate("loop_cycles>100", &with).0, Some(1));
    assert_eq!(gate("loop_cycles>1000000", &with).0, Some(0));
}
