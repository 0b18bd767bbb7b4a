//! `zeview profile`.

use serde_json::Value;

use crate::cli::{fixture, stderr, stdout, temporary, zeview};

fn sample(name: &str) -> String {
    format!("{}/www/samples/{name}", env!("CARGO_MANIFEST_DIR"))
}

fn made(name: &str) -> String {
    format!(
        "{}/tests/fixtures/profiles/{name}",
        env!("CARGO_MANIFEST_DIR")
    )
}

fn text(arguments: &[&str]) -> String {
    let output = zeview(arguments);
    assert!(output.status.success(), "{output:?}");
    stdout(&output)
}

#[test]
fn the_most_stalled_instruction_comes_first_with_its_cause() {
    let (file, csv) = (sample("vecadd.bmg.zebin"), made("banner.csv"));
    let printed = text(&["profile", &file, &csv]);
    let rest = printed
        .split_once("most stalled instructions:\n")
        .unwrap()
        .1;
    let lines: Vec<&str> = rest.lines().take(3).collect();
    assert!(lines[0].contains("SbidStall"), "{rest}");
    assert!(lines[2].contains("SbidStall waits for 0x"), "{rest}");
    assert!(printed.contains("kernel vecadd, device 0\n"), "{printed}");
    assert!(printed.contains("code: the file (bmg-g21)\n"), "{printed}");
    let one = text(&["profile", &file, &csv, "--top", "1"]);
    assert!(one.lines().count() < printed.lines().count());

    let markdown = text(&["profile", "--markdown", &file, &csv]);
    assert!(
        markdown.contains("\n## kernel vecadd, device 0\n"),
        "{markdown}"
    );
    assert!(
        markdown.contains("\n### most stalled instructions\n"),
        "{markdown}"
    );
}

#[test]
fn loops_and_source_lines_are_listed() {
    let (file, csv) = (sample("matmul.syclbin"), sample("matmul.csv"));
    let printed = text(&["profile", &file, &csv]);
    let expected = "  loops:\n    loop         depth  samples   share  stalled\n    0x220-0x650";
    assert!(printed.contains(expected), "{printed}");
    let (file, csv) = (
        fixture("debugme-lines.ptl-h.igc2.40.zebin"),
        made("lines.csv"),
    );
    let printed = text(&["profile", &file, &csv]);
    let expected = "  source lines:\n    line       samples  share  stalled\n    file 1:";
    assert!(printed.contains(expected), "{printed}");
}

#[test]
fn json_has_all_instructions() {
    let (file, csv) = (sample("matmul.syclbin"), made("devices.csv"));
    let printed = text(&["profile", "--json", "--top", "1", &file, &csv]);
    let all: Value = serde_json::from_str(&printed).unwrap();
    assert_eq!(all["kernels"].as_array().unwrap().len(), 2);
    let code = &all["kernels"][0]["codes"][0];
    assert!(code["instructions"].as_array().unwrap().len() > 50);
    assert!(
        code["images"][0]["path"]
            .as_str()
            .unwrap()
            .contains("image")
    );
    assert_eq!(all["unmatched"][0]["reason"], "no kernel of this name");
    assert!(!printed.contains("\"document\""));
}

#[test]
fn kernels_are_selected_by_name() {
    let (file, csv) = (sample("matmul.syclbin"), made("devices.csv"));
    let other = "copy(float*, float const*)";
    let printed = text(&["profile", &file, &csv, "--kernel", "matmul"]);
    assert!(printed.contains("kernel matmul, device 3") && !printed.contains(other));
    // It is in the profile, but not in the file.
    let output = zeview(&["profile", &file, &csv, "--kernel", other]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stdout(&output).contains(&format!("kernel {other}, device 0: ")),
        "{output:?}"
    );
    let output = zeview(&["profile", &file, &csv, "--kernel", "matmul2"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).contains("no kernel is called \"matmul2\"; did you mean \"matmul\"?"),
        "{output:?}"
    );
}

#[test]
fn profiles_of_other_builds_are_refused() {
    let output = zeview(&[
        "profile",
        &sample("vecadd-O0.bmg.zebin"),
        &made("banner.csv"),
    ]);
    assert_eq!(output.status.code(), Some(2));
    let printed = stdout(&output);
    assert!(
        printed.contains("this profile is of another build"),
        "{printed}"
    );
    assert!(
        stderr(&output).contains("no kernel of the profile matches"),
        "{output:?}"
    );
}

#[test]
fn bad_rows_are_reported_with_line_and_bytes() {
    let path = made("damaged/bad-count.csv");
    let output = zeview(&["profile", &sample("vecadd.bmg.zebin"), &path]);
    assert_eq!(output.status.code(), Some(2));
    let expected = "bad-count.csv:3: `-1` in column Active[Events] is not a count; the row is \
                    skipped (bytes 90..92)";
    assert!(stderr(&output).contains(expected), "{}", stderr(&output));
    // The other row is shown.
    assert!(stdout(&output).contains("kernel vecadd\n"), "{output:?}");
    for file in ["empty.csv", "not-a-profile.csv"] {
        let output = zeview(&[
            "profile",
            &sample("vecadd.bmg.zebin"),
            &made(&format!("damaged/{file}")),
        ]);
        assert_eq!(output.status.code(), Some(2), "{file}");
    }
    let output = zeview(&["profile", &sample("vecadd.bmg.zebin"), "missing.csv"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("missing.csv: "), "{output:?}");
}

#[test]
fn two_profiles_are_compared() {
    let heads = "Kernel, IP[Address], Active[Events], SbidStall[Events]\n";
    let before = temporary(
        "before.csv",
        format!("{heads}\"vecadd\", 1a0, 1, 99\n").as_bytes(),
    );
    let after = temporary(
        "after.csv",
        format!("{heads}\"vecadd\", 1a0, 1, 49\n").as_bytes(),
    );
    let (before, after) = (before.display().to_string(), after.display().to_string());
    let file = sample("vecadd.bmg.zebin");
    let printed = text(&["profile", &file, &after, "--before", &before]);
    let expected = "0x1a0: 100 → 50 samples (-50.0 %), stalled 99 → 49";
    assert!(printed.contains(expected), "{printed}");
    let output = zeview(&["profile", "-", "-"]);
    assert!(stderr(&output).contains("named twice"), "{output:?}");
}

#[test]
fn profiles_of_two_builds_are_compared_by_instructions() {
    let heads = "Kernel, IP[Address], Active[Events], SbidStall[Events]\n";
    let table = |name: &str, rows: &str| {
        let path = temporary(name, format!("{heads}{rows}").as_bytes());
        path.display().to_string()
    };
    let after = table(
        "of_builds_after.csv",
        "\"vecadd\", 0, 4, 0\n\"vecadd\", 1a0, 1, 49\n",
    );
    let before = table("of_builds_before.csv", "\"vecadd\", 0, 2, 0\n");
    let (file, earlier) = (sample("vecadd.bmg.zebin"), sample("vecadd-O0.bmg.zebin"));
    let both = [
        "profile",
        &file,
        &after,
        "--before",
        &before,
        "--before-file",
        &earlier,
    ];
    let printed = text(&both);
    for expected in [
        "kernel vecadd: 2 → 54 samples",
        "by type: SbidStall 0 → 49, Active 2 → 5",
        "0x1a0",
    ] {
        assert!(printed.contains(expected), "{printed}");
    }
    let json: serde_json::Value =
        serde_json::from_str(&text(&[&both[..], &["--json"]].concat())).unwrap();
    let kernel = &json["comparison"]["kernels"][0];
    assert_eq!(kernel["reason"], serde_json::Value::Null);
    assert!(
        kernel["instructions"].as_array().unwrap().len() >= 2,
        "{kernel}"
    );
    // The same build: each instruction is compared with itself.
    let same = [
        "profile",
        &file,
        &after,
        "--before",
        &after,
        "--before-file",
        &file,
        "--json",
    ];
    let json: serde_json::Value = serde_json::from_str(&text(&same)).unwrap();
    for at in json["comparison"]["kernels"][0]["instructions"]
        .as_array()
        .unwrap()
    {
        assert_eq!(at["offsets"][0], at["offsets"][1]);
        assert_eq!(at["samples"][0], at["samples"][1]);
    }
    // It needs the earlier profile.
    let output = zeview(&["profile", &file, &after, "--before-file", &earlier]);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn kernels_have_the_figures_of_profiles() {
    let file = sample("vecadd.bmg.zebin");
    let (metrics, samples) = (made("metrics.csv"), made("banner.csv"));
    let columns = "name,samples,Instances,GpuTime[ns],XVE_STALL[%]";
    let arguments = [
        "kernels",
        &file,
        "--profile",
        &metrics,
        "--profile",
        &samples,
        "--csv",
    ];
    let output = zeview(&[&arguments[..], &["--columns", columns]].concat());
    // A kernel of the profile is of another file.
    assert_eq!(output.status.code(), Some(0));
    let reason = "kernel fill(int*, int)[SIMD16 {1; 1; 1} {64; 1; 1}], device 0 is not matched: \
                  no kernel of this name";
    assert!(stderr(&output).contains(reason), "{output:?}");
    let printed = stdout(&output);
    let mut lines = printed.lines();
    assert_eq!(
        lines.next(),
        Some("file,name,samples,Instances,GpuTime[ns],XVE_STALL[%]")
    );
    let row = lines.next().unwrap();
    assert!(row.ends_with(",4,238000,81.8"), "{row}");
    // Metrics are columns of all options, in any order.
    let gate = [
        "kernels",
        "--fail-if",
        "gputime>200000",
        "--profile",
        &metrics,
        &file,
    ];
    assert_eq!(zeview(&gate).status.code(), Some(1));
    let gate = [
        "kernels",
        "--fail-if",
        "XVE_STALL[%]>90",
        "--profile",
        &metrics,
        &file,
    ];
    assert_eq!(zeview(&gate).status.code(), Some(0));
    let without = ["kernels", "--filter", "XVE_STALL[%]>90", &file];
    let output = zeview(&without);
    assert_eq!(output.status.code(), Some(2));
    let expected = "error: invalid value 'XVE_STALL[%]>90' for '--filter <QUERY>': no column";
    assert!(stderr(&output).starts_with(expected), "{output:?}");
    // A build with another SIMD width, and rows that are skipped.
    let heads = "Kernel,GlobalInstanceId,SubDeviceId,GpuTime[ns]\n";
    let other =
        format!("{heads}\"vecadd[SIMD16 {{1; 1; 1}} {{1; 1; 1}}]\",1,0,5\n\"vecadd\",1,0,x\n");
    let other = temporary("of_simd.csv", other.as_bytes())
        .display()
        .to_string();
    let output = zeview(&["kernels", &file, "--profile", &other]);
    assert_eq!(output.status.code(), Some(2));
    for expected in [
        "of_simd.csv:3: `x` in column GpuTime[ns] is not a number",
        "the kernel of this name has SIMD width 32; this profile is of another build",
    ] {
        assert!(stderr(&output).contains(expected), "{output:?}");
    }
}

/// A gate must not pass because nothing was measured.
#[test]
fn a_profile_without_kernels_of_the_file_fails() {
    const METRICS: &str = "Kernel,GlobalInstanceId,GpuTime[ns]\n";
    const SAMPLES: &str = "Kernel, IP[Address], Active[Events]\n";
    let file = sample("vecadd.bmg.zebin");
    for (name, text, message) in [
        (
            "other-metrics.csv",
            format!("{METRICS}other,1,5\n"),
            "no kernel of the profile matches",
        ),
        (
            "other-samples.csv",
            format!("{SAMPLES}other, 0, 1\n"),
            "no kernel of the profile matches",
        ),
        (
            "no-metrics.csv",
            METRICS.to_owned(),
            "no kernel was measured",
        ),
        (
            "no-samples.csv",
            SAMPLES.to_owned(),
            "no kernel was measured",
        ),
        (
            "idle.csv",
            format!("{METRICS}NoKernel,1,5\n"),
            "no kernel was measured",
        ),
    ] {
        let csv = temporary(name, text.as_bytes()).display().to_string();
        for arguments in [
            &["profile", &file, &csv][..],
            &["kernels", "--profile", &csv, &file],
        ] {
            let output = zeview(arguments);
            assert_eq!(output.status.code(), Some(2), "{arguments:?}");
            assert!(stderr(&output).contains(message), "{output:?}");
        }
    }
    let both = temporary(
        "one-metric.csv",
        format!("{METRICS}other,1,5\nvecadd,1,5\n").as_bytes(),
    );
    let both = both.display().to_string();
    assert_eq!(zeview(&["profile", &file, &both]).status.code(), Some(0));
}

/// A value that has no sum is skipped, and the figure is not judged.
#[test]
fn values_that_are_not_finite_are_skipped() {
    let file = sample("vecadd.bmg.zebin");
    for value in ["1e400", "inf", "-inf", "NaN", "1e99"] {
        let text = format!("Kernel,GlobalInstanceId,GpuTime[ns]\nvecadd,1,5\nvecadd,2,{value}\n");
        let csv = temporary("not-finite.csv", text.as_bytes())
            .display()
            .to_string();
        let gate = [
            "kernels",
            "--profile",
            &csv,
            "--fail-if",
            "GpuTime[ns]>100",
            &file,
        ];
        let output = zeview(&gate);
        assert_eq!(output.status.code(), Some(2), "{value}");
        let message = stderr(&output);
        assert!(message.contains("not-finite.csv:3: "), "{message}");
        assert!(
            message.contains("is not a number; the row is skipped"),
            "{message}"
        );
    }
}

#[test]
fn functions_and_code_that_follows_are_listed() {
    let (file, csv) = (
        fixture("funcs-stackcall.cri.igc2.40.zebin"),
        made("functions.csv"),
    );
    let printed = text(&["profile", &file, &csv]);
    for expected in [
        "functions:\n    function ",
        "(in no function)        3",
        "0x4a0 in vecfun: 91 samples",
        "91 samples (",
        "after the end of the code (0x590): of code that follows in memory",
        "0x900: 91",
    ] {
        assert!(printed.contains(expected), "{expected}: {printed}");
    }
}

#[test]
fn most_samples_without_an_instruction_are_a_failure() {
    let heads = "Kernel, IP[Address], Active[Events], SbidStall[Events]\n";
    let rows = |lost: u64| format!("{heads}\"vecadd\", 1a0, 1, 99\n\"other\", 0, 0, {lost}\n");
    let file = sample("vecadd.bmg.zebin");
    for (lost, status) in [(100, 0), (101, 2)] {
        let csv = temporary("lost.csv", rows(lost).as_bytes());
        let csv = csv.display().to_string();
        for arguments in [
            &["profile", &file, &csv][..],
            &["kernels", &file, "--profile", &csv],
        ] {
            let output = zeview(arguments);
            assert_eq!(output.status.code(), Some(status), "{output:?}");
            let expected = "101 of 201 samples (50 %) are at no instruction of the file";
            assert_eq!(
                stderr(&output).contains(expected),
                status == 2,
                "{output:?}"
            );
        }
        // What is selected does not matter.
        let output = zeview(&["profile", &file, &csv, "--kernel", "vecadd"]);
        assert_eq!(output.status.code(), Some(status), "{output:?}");
    }
}

#[test]
fn the_files_of_a_run_are_one_profile() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("a-run-of-unitrace");
    // Of a run that failed.
    let _ = std::fs::remove_dir_all(&folder);
    let metrics = folder.join("app.12/metrics");
    std::fs::create_dir_all(&metrics).unwrap();
    let banner = std::fs::read_to_string(made("banner.csv")).unwrap();
    let table = banner.split_once("===\n\n").unwrap().1;
    for device in 0..2 {
        std::fs::write(metrics.join(format!("metrics_{device}.csv")), table).unwrap();
    }
    let timing = std::fs::read(made("timing.csv")).unwrap();
    std::fs::write(folder.join("app.12/device_timing.txt"), timing).unwrap();
    std::fs::write(
        folder.join("app.12/chrome_trace.json"),
        "{\"traceEvents\": []}",
    )
    .unwrap();
    std::fs::write(folder.join("app.12/run_config.json"), "{}").unwrap();
    let file = sample("vecadd.bmg.zebin");
    let run = folder.display().to_string();
    let printed = text(&["profile", &file, &run]);
    for expected in [
        "kernel vecadd, device 0\n",
        "kernel vecadd, device 1\n",
        "device times\n",
    ] {
        assert!(printed.contains(expected), "{expected}: {printed}");
    }
    let columns = "name,samples,Calls,DeviceTime[%],Compiled,RunSpill[B/thread]";
    let arguments = [
        "kernels",
        &file,
        "--profile",
        &run,
        "--csv",
        "--columns",
        columns,
    ];
    let printed = stdout(&zeview(&arguments));
    assert!(printed.contains("vecadd,872,4,94.1"), "{printed}");
    assert!(printed.contains(",AOT,0"), "{printed}");
    // The same files, named.
    let parts = ["banner.csv", "timing.csv"].map(made);
    let printed = text(&["profile", &file, &parts[0], &parts[1]]);
    assert!(printed.contains("kernel vecadd, device 0\n") && printed.contains("device times\n"));
    // A folder without a profile.
    std::fs::remove_dir_all(&folder).unwrap();
    std::fs::create_dir_all(&folder).unwrap();
    let output = zeview(&["profile", &file, &run]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).contains("no profile in this folder"),
        "{output:?}"
    );
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn executions_and_accesses_are_listed() {
    let (file, counts) = (sample("matmul.syclbin"), made("executions.json"));
    let printed = text(&["profile", &file, &counts, "--top", "2"]);
    for expected in [
        "executions of matmul\n",
        "64 threads",
        "loops, by measured iterations",
        // 64 threads with 16 iterations.
        "0x220-0x650      1        1024          16",
        "costliest instructions:",
        "1024 executions, 32 lanes",
    ] {
        assert!(printed.contains(expected), "{expected}: {printed}");
    }
    let printed = text(&[
        "profile",
        &sample("vecadd.bmg.zebin"),
        &made("accesses.json"),
    ]);
    let expected = "0x170: read, 1 element of 4 bytes per lane, 2 cache lines per execution, 100 % of their \
                    bytes used, < 0.1 % not aligned to a cache line";
    assert!(printed.contains(expected), "{printed}");
}
