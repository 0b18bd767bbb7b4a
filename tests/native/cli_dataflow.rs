//! `zeview analyze`, `zeview disasm --dataflow` and `--live`, and the columns of the kernel table.

use serde_json::Value;

use crate::cli::{stdout, zeview};

fn fixture(name: &str) -> String {
    format!("{}/tests/fixtures/zebin/{name}", env!("CARGO_MANIFEST_DIR"))
}

fn text(arguments: &[&str]) -> String {
    let output = zeview(arguments);
    assert!(output.status.success(), "{output:?}");
    stdout(&output)
}

fn json(arguments: &[&str]) -> Value {
    serde_json::from_str(&text(arguments)).expect("it is JSON")
}

#[test]
fn instructions_have_their_data_flow_in_json() {
    let file = fixture("vecadd.arl-h.igc2.40.zebin");
    let all = json(&["disasm", "--json", "--dataflow", &file]);
    let all = all.as_array().expect("an array");
    let of = |key: &'static str| {
        all.iter()
            .filter(move |i| i[key].as_array().is_some_and(|a| !a.is_empty()))
    };
    for key in ["reads", "writes", "defs", "waits"] {
        assert!(of(key).count() > 3, "{key}");
    }
    let inputs = of("defs").filter(|i| i["defs"][0]["pc"].is_null());
    assert!(inputs.count() > 0, "values that the kernel starts with");
    for instruction in all {
        assert!(instruction["live"]["r"].is_u64() && instruction["latency"].is_u64());
        for def in instruction["defs"].as_array().expect("an array") {
            assert!(def["pc"].is_u64() || def["pc"].is_null());
            assert!(def["bytes"][0].is_string());
        }
    }
    // Absent without the option.
    let plain = json(&["disasm", "--json", &file]);
    assert!(plain[0].get("reads").is_none());
    assert_eq!(
        zeview(&["disasm", "--dataflow", &file]).status.code(),
        Some(2)
    );
}

#[test]
fn the_text_has_a_column_of_live_registers() {
    let file = fixture("vecadd.arl-h.igc2.40.zebin");
    let printed = text(&["disasm", "--live", &file]);
    let lines = printed.lines().filter(|line| line.starts_with("/* live "));
    assert!(lines.clone().count() > 10);
    let highest = lines
        .filter_map(|line| line.get(8..11)?.trim().parse::<u64>().ok())
        .max();
    let table = json(&[
        "kernels",
        "--json",
        "--columns",
        "peak_live_registers",
        &file,
    ]);
    let peak = &table[0]["peak_live_registers"];
    assert_eq!(highest, peak.as_u64(), "{table}");
}

#[test]
fn a_kernel_is_summarized() {
    let file = fixture("spill.nvl-p.igc2.40.zebin");
    let printed = text(&["analyze", &file]);
    for part in [
        "kernel spill",
        "peak pressure: ",
        "loops, with cycles",
        "costliest waits",
    ] {
        assert!(printed.contains(part), "{part}: {printed}");
    }
    let markdown = text(&["analyze", "--markdown", &file]);
    assert!(
        markdown.contains("## spill\n") && markdown.contains("| loop | depth |"),
        "{markdown}"
    );
    let all = json(&["analyze", "--json", "--kernel", "spill", &file]);
    assert_eq!(all.as_array().map(Vec::len), Some(1));
    let report = &all[0];
    assert_eq!(report["kernel"], "spill");
    assert!(report["peak"]["registers"].as_u64() > Some(20), "{report}");
    assert!(
        report["waits"]
            .as_array()
            .is_some_and(|waits| waits.len() == 5),
        "{report}"
    );
    assert_eq!(
        zeview(&["analyze", "--kernel", "nothing", &file])
            .status
            .code(),
        Some(2)
    );
}

#[test]
fn pressure_can_fail_a_build() {
    let file = fixture("spill.nvl-p.igc2.40.zebin");
    let gate = |condition: &str| {
        zeview(&["kernels", "--fail-if", condition, &file])
            .status
            .code()
    };
    assert_eq!(gate("peak_live_registers>3"), Some(1));
    assert_eq!(gate("peak_live_registers>512"), Some(0));
    assert_eq!(gate("innermost_loop_cycles>0"), Some(1));
}

/// The instructions of each line are those that `disasm` shows with that line.
#[test]
fn source_lines_have_figures() {
    let file = fixture("debugme-lines.ptl-h.igc2.40.zebin");
    let all = json(&["disasm", "--json", &file]);
    let mut expected = std::collections::BTreeMap::<(String, u64), u64>::new();
    for line in all.as_array().expect("an array").iter().map(|i| &i["line"]) {
        if let (Some(name), Some(number)) = (line["file"].as_str(), line["line"].as_u64()) {
            *expected.entry((name.to_owned(), number)).or_default() += 1;
        }
    }
    assert!(expected.len() > 5, "{expected:?}");
    let report = json(&["analyze", "--json", "--all", &file]);
    let lines = report[0]["lines"].as_array().expect("an array");
    let number = |line: &Value, key: &str| line[key].as_u64().expect("a number");
    let found = lines.iter().map(|line| {
        let name = line["file"].as_str().expect("a name").to_owned();
        ((name, number(line, "line")), number(line, "instructions"))
    });
    assert_eq!(
        found.collect::<std::collections::BTreeMap<_, _>>(),
        expected
    );
    let cycles: Vec<u64> = lines.iter().map(|line| number(line, "cycles")).collect();
    assert!(cycles.is_sorted_by(|one, other| one >= other), "{cycles:?}");
    for line in lines {
        assert!(number(line, "stalls") <= number(line, "cycles"));
        assert!(number(line, "waits") <= number(line, "instructions"));
    }
    assert!(text(&["analyze", &file]).contains("source lines, with cycles"));
}

#[test]
fn arguments_are_comments_in_the_text() {
    let file = fixture("vecadd.wcl.igc2.40.zebin");
    let printed = text(&["disasm", "--inputs", &file]);
    for line in [
        "// r3.4 = payload +48 = n",
        "// address r9:4 = a + variable",
    ] {
        assert!(
            printed.lines().any(|other| other == line),
            "{line}: {printed}"
        );
    }
    let report = json(&["analyze", "--json", &file]);
    let inputs = report[0]["inputs"].as_array().expect("an array");
    let n = inputs
        .iter()
        .find(|input| input["name"] == "n")
        .expect("n is used");
    assert_eq!(
        (n["from"].as_str(), n["offset"].as_u64()),
        (Some("payload"), Some(48))
    );
    assert!(
        n["places"]
            .as_array()
            .is_some_and(|places| places.len() == 1),
        "{n}"
    );
}
