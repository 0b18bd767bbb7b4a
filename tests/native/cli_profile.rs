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
    let expected = "  source lines:\n    line       samples   share  stalled\n    file 1:";
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
    assert!(stderr(&output).contains("no kernel matmul2"), "{output:?}");
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
