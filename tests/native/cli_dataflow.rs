//! `zeview analyze`, `zeview disasm --dataflow` and `--live`, and the columns of the kernel table.

use serde_json::Value;
use zeview::decode::isa::limits;

use crate::cli::{stderr, stdout, temporary, zeview};
use crate::support::growing_flows::{beyond_the_limit, small_loops};
use crate::support::growing_zebins::{ZEBINS, of_code};

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
        markdown.contains("## kernel spill\n") && markdown.contains("| loop | depth |"),
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

/// The analysis of a file with figures that are unknown.
fn unknown_json(file: &str) -> Value {
    let output = zeview(&["analyze", "--json", file]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    serde_json::from_str(&stdout(&output)).expect("it is JSON")
}

/// Writes a zebin whose code is longer than the analysis covers, with values that live behind that.
fn long() -> String {
    let code = beyond_the_limit((limits::DATA_FLOW_ROWS / 2) + 8);
    let path = temporary("long.zebin", &of_code(code));
    path.display().to_string()
}

#[test]
fn figures_of_code_that_is_too_long_are_unknown_in_all_forms() {
    const COLUMNS: &str = "name,peak_live_registers,dead_writes,innermost_loop_cycles";
    let file = long();
    let list = |more: &[&str]| {
        let arguments = ["kernels", "--columns", COLUMNS, &file];
        text(&[&arguments, more].concat())
    };
    let unknown = "unknown: the code is too long";
    assert_eq!(list(&[]).matches(unknown).count(), 3);
    assert_eq!(list(&["--csv"]).matches(unknown).count(), 3);
    let table: Value = serde_json::from_str(&list(&["--json"])).expect("it is JSON");
    for column in [
        "peak_live_registers",
        "dead_writes",
        "innermost_loop_cycles",
    ] {
        assert!(table[0][column].is_null(), "{table}");
        assert_eq!(table[0]["unknown"][column], "the code is too long");
    }
    assert_eq!(
        list(&["--sort", "peak_live_registers"])
            .matches(unknown)
            .count(),
        3
    );
    assert_eq!(list(&["--group-by", "kernel"]).matches(unknown).count(), 3);
    for filter in [
        "peak_live_registers>=0",
        "peak_live_registers<1",
        "peak_live_registers!=7",
    ] {
        let output = zeview(&["kernels", "--filter", filter, &file]);
        assert!(!stdout(&output).contains('k'), "{filter}: {output:?}");
    }
    for condition in [
        "peak_live_registers>20",
        "innermost_loop_cycles>20",
        "dead_writes>0",
        "peak_live_registers!=20",
        "not peak_live_registers>20",
    ] {
        let output = zeview(&["kernels", "--fail-if", condition, &file]);
        assert_eq!(output.status.code(), Some(2), "{condition}");
        let message = stderr(&output);
        assert!(message.contains(": k: "), "{message}");
        assert!(
            message.contains("is unknown: the code is too long"),
            "{message}"
        );
        assert!(message.contains("cannot be judged"), "{message}");
    }
    let condition = "peak_live_registers increased";
    let output = zeview(&["diff", "--fail-if", condition, &file, &file]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");

    let report = unknown_json(&file);
    for key in [
        "peak",
        "dead_writes",
        "spills",
        "fills",
        "slots",
        "loops",
        "waits",
    ] {
        assert!(report[0][key].is_null(), "{key}: {report}");
    }
    let reasons = report[0]["unknown"].as_array().expect("an array").iter();
    let reasons: Vec<&Value> = reasons.map(|of| &of["reason"]).collect();
    assert!(reasons.len() >= 6, "{reasons:?}");
    assert!(
        reasons
            .iter()
            .all(|reason| *reason == "the code is too long")
    );
    let output = zeview(&["analyze", &file]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(stderr(&output).contains("unknown: the code is too long"));
    let printed = stdout(&output);
    for figure in [
        "peak pressure",
        "dead writes",
        "spills by slot",
        "loops",
        "waits",
    ] {
        let line = format!("  {figure}: {unknown}\n");
        assert!(printed.contains(&line), "{figure}: {printed}");
    }
}

/// The nesting of loops makes the costs of all loops quadratic, and those of the innermost not.
#[test]
fn loops_that_take_too_much_work_are_unknown() {
    let file = |size| {
        let bytes = of_code(small_loops(size));
        let path = temporary(&format!("loops-{size}.zebin"), &bytes);
        path.display().to_string()
    };
    let few = json(&["analyze", "--json", &file(4 << 10)]);
    assert_eq!(few[0]["loops"].as_array().map(Vec::len), Some(84), "{few}");
    assert_eq!(few[0]["unknown"], Value::Array(Vec::new()));
    let many = file(400 << 10);
    let report = unknown_json(&many);
    assert!(report[0]["loops"].is_null(), "{report}");
    let unknown = report[0]["unknown"].to_string();
    assert!(unknown.contains(r#"{"figure":"loops","reason":"the code takes too much work"}"#));
    let table = json(&[
        "kernels",
        "--json",
        "--columns",
        "innermost_loop_cycles",
        &many,
    ]);
    assert!(
        table[0]["innermost_loop_cycles"].as_u64() > Some(0),
        "{table}"
    );
}

#[test]
fn code_of_many_kernels_in_one_place_is_analyzed_once() {
    let (_, make) = ZEBINS[0];
    let path = temporary("code-over.zebin", &make(64 << 10));
    let file = path.display().to_string();
    let output = zeview(&["analyze", &file]);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(stderr(&output).contains("the code of many kernels overlaps"));
}

fn sample(name: &str) -> String {
    format!("{}/www/samples/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// The figures are worked out from the listing: 16 `mad` of 32 channels and two `mov` of one channel in the
/// float pipe; messages by the registers that they send or receive: two loads of global memory with 4
/// registers of addresses, two stores with 4 registers, 16 loads of 2 and 4 of 8 registers, two fences and two
/// signals of one.
#[test]
fn throughput_has_the_width_of_the_hardware() {
    let matmul = sample("matmul.syclbin");
    let of = |device: &str| {
        let arguments = [
            "analyze", "--json", "--device", device, "--kernel", "matmul",
        ];
        json(&[&arguments[..], &[&matmul]].concat())[0]["loops"][0].clone()
    };
    let found = of("bmg-g21");
    let occupied = |pipe: &str| {
        let pipes = found["pipes"].as_array().unwrap();
        let pipe = pipes.iter().find(|of| of["pipe"] == pipe).unwrap();
        pipe["occupied"].as_u64().unwrap()
    };
    assert_eq!(occupied("F"), 16 * 2 + 2);
    assert_eq!(occupied("send"), 2 * 4 + 2 * 4 + 16 * 2 + 4 * 8 + 2 + 2);
    assert_eq!(found["throughput"], 84);
    // The scheduler's model of one thread is as before: passes of 8 channels.
    assert_eq!(
        (&found["cycles"], &found["issue"]),
        (&549.into(), &159.into())
    );
    assert_eq!(found["saturating_threads"], 549_u32.div_ceil(84));
    // Six threads wait, seven and more fill the pipe of messages.
    let printed = text(&[
        "analyze", "--device", "bmg-g21", "--kernel", "matmul", &matmul,
    ]);
    assert!(printed.contains("bound of 8 threads"), "{printed}");
    assert!(
        printed.contains("throughput of send, 672 cycles"),
        "{printed}"
    );
}

/// Only r0 is the header of a thread, undefined values have no producer, and each value has a next use.
#[test]
fn values_in_registers_are_what_they_are_called() {
    let (mut values, mut undefined, mut carried) = (0, 0, 0);
    let folder = format!("{}/tests/fixtures/zebin", env!("CARGO_MANIFEST_DIR"));
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().flatten().collect();
    files.sort_by_key(std::fs::DirEntry::path);
    for file in files {
        let path = file.path();
        if path.extension().is_none_or(|of| of != "zebin") {
            continue;
        }
        let output = zeview(&["analyze", "--json", &path.display().to_string()]);
        let Ok(Value::Array(kernels)) = serde_json::from_slice(&output.stdout) else {
            continue;
        };
        for kernel in &kernels {
            let functions = kernel["functions"].as_array().into_iter().flatten();
            let mut calls = functions
                .clone()
                .flat_map(|of| of["calls"].as_array().unwrap());
            // Functions keep registers of their callers.
            let is_function = |of: &Value| of["kind"] != "kernel";
            let has_calls = calls.next().is_some() || functions.clone().any(is_function);
            for pressure in kernel["pressures"].as_array().into_iter().flatten() {
                let at = pressure["pc"].as_u64().unwrap();
                for value in pressure["values"].as_array().unwrap() {
                    let place = format!("{} {} {at:#x}: {value}", path.display(), kernel["kernel"]);
                    let names = value["names"].as_array().unwrap();
                    let is_r0 = |of: &Value| {
                        let of = of.as_str().unwrap();
                        of == "r0" || of.starts_with("r0[")
                    };
                    let bytes = value["bytes"].as_array().unwrap();
                    if names.iter().any(|name| name == "thread header") {
                        assert!(bytes.iter().all(is_r0), "{place}");
                    }
                    if value["is_undefined"] == true {
                        assert_eq!(value["born"].as_array().map(Vec::len), Some(0), "{place}");
                        assert_eq!(value["is_input"], false, "{place}");
                        assert!(!bytes.iter().any(is_r0), "{place}");
                        assert_eq!(value["cause"], "undefined", "{place}");
                        undefined += 1;
                    }
                    let next = value["next_use"].as_u64();
                    // Called functions use arguments, callers results.
                    assert!(next.is_some() || has_calls, "{place}");
                    if value["in_next_iteration"] == true {
                        assert!(next.unwrap() < at, "{place}");
                        carried += 1;
                    }
                    values += 1;
                }
            }
        }
    }
    println!("{values} values, {undefined} undefined, {carried} used in the next iteration");
    assert!(values > 500 && undefined > 0 && carried > 10);
}

/// The spilled bytes are 3328 of registers of 32 bytes; the device has 256 registers for half of the threads.
#[test]
fn a_larger_register_file_is_judged() {
    let spill = sample("spill.dg2.zebin");
    let all = json(&["analyze", "--json", &spill]);
    let of = |name: &str| {
        let mut all = all.as_array().unwrap().iter();
        all.find(|of| of["kernel"] == name).unwrap().clone()
    };
    let spilling = of("spill");
    let peak = spilling["peak"]["registers"].as_u64().unwrap();
    let larger = &spilling["larger_file"];
    assert_eq!(larger["spilled"], 3328 / 32);
    assert_eq!(larger["needed"], peak + 104);
    assert_eq!(
        (&larger["registers"], &larger["fits"]),
        (&256.into(), &true.into())
    );
    assert_eq!(
        (&larger["threads"], &larger["threads_now"]),
        (&4.into(), &8.into())
    );
    assert_eq!(of("bigprivate")["larger_file"], Value::Null);
    let printed = text(&["analyze", "--kernel", "spill", &spill]);
    let line = format!(
        "with 256 registers, all values fit: at most {} are needed ({peak} live at the peak, 104 spilled); 4 instead of 8 threads per EU",
        peak + 104
    );
    assert!(printed.contains(&line), "{printed}");
    // Equal patterns are one line, with their number; --all prints each.
    let lines = |text: &str| {
        let start = text.find("cost more than necessary").unwrap();
        let table = text[start..].lines().skip(2);
        let rows = table.take_while(|line| line.starts_with("    "));
        rows.map(str::to_owned).collect::<Vec<String>>()
    };
    let grouped = lines(&printed);
    let every = lines(&text(&["analyze", "--all", "--kernel", "spill", &spill]));
    let patterns = spilling["patterns"].as_array().unwrap().len();
    assert_eq!(every.len(), patterns);
    assert!(grouped.len() * 4 < patterns, "{grouped:?}");
    let counts = grouped.iter().filter_map(|line| {
        let mut words = line
            .split("  ")
            .map(str::trim)
            .filter(|word| !word.is_empty());
        words.nth(1)?.parse::<usize>().ok()
    });
    assert_eq!(counts.sum::<usize>(), patterns);
}

/// The builds for other devices are beside the one that was chosen.
#[test]
fn other_builds_of_a_kernel_are_beside_it() {
    let matmul = sample("matmul.syclbin");
    let one = [
        "analyze", "--json", "--device", "bmg-g21", "--kernel", "matmul", &matmul,
    ];
    let chosen = json(&one);
    let others = chosen[0]["other_builds"].as_array().unwrap();
    let every = json(&[
        "analyze",
        "--json",
        "--all-builds",
        "--kernel",
        "matmul",
        &matmul,
    ]);
    let every = every.as_array().unwrap();
    assert_eq!(others.len(), every.len() - 1);
    assert!(others.len() > 3);
    for other in others {
        let is_same = |of: &&Value| of["path"] == other["path"];
        let same = every.iter().find(is_same).unwrap();
        assert_eq!(other["spill_size"], same["spill_size"]);
        assert_eq!(other["peak_live_registers"], same["peak"]["registers"]);
        assert_eq!(other["threads_per_eu"], same["threads_per_eu"]);
        assert_eq!(other["grf_bytes"], same["grf_bytes"]);
    }
    let printed = text(&[
        "analyze", "--device", "bmg-g21", "--kernel", "matmul", &matmul,
    ]);
    let table = printed.split("builds of the same kernel").nth(1).unwrap();
    for device in ["bmg-g21", "pvc", "ptl-h"] {
        assert!(table.contains(device), "{table}");
    }
}
