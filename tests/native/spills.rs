//! What spill means: a number, *not stated* with an upper bound, or the reservation for a call
//! stack. Every surface gives the same answer.

use std::path::PathBuf;

use serde_json::Value;
use zeview::analysis::figure::{Figure, Unknown};
use zeview::analysis::kernels::{HazardKind, KernelRow};
use zeview::model::{NodeId, text::GROUP};
use zeview::tables::query::Query;
use zeview::tables::{Cell, ListId};
use zeview::worker::handler::Handler;
use zeview::worker::protocol::{Envelope, ListRequest, Request, Response};

use crate::cli::{stderr, stdout, temporary, zeview};
use crate::support::elf::Class;
use crate::support::hosts::usual;
use crate::support::{open, spirv, zebin};

/// The kernels of the tests, and what is known of their spills.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Spill {
    Number(i64),
    NotStated(u64),
    Ignored(u64),
    CallStack(u64),
}

impl Spill {
    /// Returns the text of a cell; with the messages in the code, which has none.
    fn text(self) -> String {
        match self {
            Spill::Number(size) => size.to_string(),
            Spill::NotStated(up_to) => format!("not stated (vector compute), up to {up_to} bytes"),
            Spill::Ignored(up_to) => format!(
                "not stated (the driver ignores the key before ze_info 1.39), up to {up_to} bytes"
            ),
            Spill::CallStack(reserved) => {
                format!("call stack, reserved ({reserved} bytes); no spill messages in the code")
            }
        }
    }

    fn of(figure: Figure<i64>) -> Spill {
        match figure {
            Ok(size) => Spill::Number(size),
            Err(Unknown::NotStated { up_to }) => Spill::NotStated(up_to),
            Err(Unknown::Ignored { up_to }) => Spill::Ignored(up_to),
            Err(Unknown::CallStack { reserved, .. }) => Spill::CallStack(reserved),
            Err(unknown) => panic!("{unknown}"),
        }
    }

    fn limit(self) -> i64 {
        match self {
            Spill::Number(size) => size,
            Spill::NotStated(limit) | Spill::Ignored(limit) | Spill::CallStack(limit) => {
                limit.try_into().unwrap()
            }
        }
    }

    /// The exit status of a gate on `spill_size>0`.
    fn status(self) -> i32 {
        match self {
            Spill::Number(0) => 0,
            Spill::Number(_) => 1,
            _ => 2,
        }
    }
}

fn text(version: &str, simd: u32, environment: &str, buffers: &str) -> String {
    format!(
        "version: '{version}'\nkernels:\n  - name: k\n    execution_env:\n      grf_count: 128\n      \
         simd_size: {simd}\n{environment}{buffers}"
    )
}

fn scratch(usage: &str, size: u64) -> String {
    format!(
        "    per_thread_memory_buffers:\n      - type: scratch\n        usage: {usage}\n        size: {size}\n"
    )
}

fn with_text(text: &str) -> Vec<u8> {
    let elf = zebin::zebin(&["k"]).bytes(".ze_info", text);
    elf.build().bytes
}

const STACK: &str = "      has_stack_calls: true\n";

/// Files with a kernel `k`, and the answer.
fn cases() -> Vec<(&'static str, Vec<u8>, Spill)> {
    let fixture = |name: &str| std::fs::read(fixture(name)).unwrap();
    let single = |size| scratch("single_space", size);
    let spill = |size: u64| format!("      spill_size: {size}\n");
    let stack = |size: u64| format!("{STACK}{}", spill(size));
    let indirect = format!("      has_indirect_calls: true\n{}", spill(131_072));
    let older = "      private_size: 2048\n      spill_size: 77\n";
    let texts = [
        (
            "stated",
            text("1.64", 16, &spill(1600), &single(2048)),
            Spill::Number(1600),
        ),
        ("none", text("1.64", 16, "", ""), Spill::Number(0)),
        // The scratch memory of GTPin: other compilers leave out only sizes of 0.
        (
            "gtpin",
            text("1.64", 16, "", &single(1024)),
            Spill::Number(0),
        ),
        (
            "vector",
            text("1.64", 1, "", &single(10_688)),
            Spill::NotStated(10_688),
        ),
        (
            "vector-own",
            text("1.64", 1, "", &scratch("spill_fill_space", 64)),
            Spill::NotStated(64),
        ),
        ("vector-none", text("1.64", 1, "", ""), Spill::Number(0)),
        (
            "vector-stated",
            text("1.64", 1, &spill(64), &single(64)),
            Spill::Number(64),
        ),
        (
            "vector-stack",
            text("1.64", 1, STACK, &single(131_072)),
            Spill::CallStack(131_072),
        ),
        // oneDNN writes the keys into a text of a version that does not have them.
        (
            "older",
            text("1.8", 16, older, &single(2048)),
            Spill::Number(2048),
        ),
        (
            "older-key",
            text("1.8", 16, &spill(77), ""),
            Spill::Ignored(77),
        ),
        (
            "older-vector",
            text("1.8", 1, "", &single(2048)),
            Spill::Number(2048),
        ),
        (
            "older-stack",
            text("1.8", 16, STACK, &scratch("spill_fill_space", 131_072)),
            Spill::CallStack(131_072),
        ),
        (
            "stack",
            text("1.73", 16, &stack(131_072), ""),
            Spill::CallStack(131_072),
        ),
        (
            "stack-computed",
            text("1.73", 16, &stack(1600), ""),
            Spill::Number(1600),
        ),
        (
            "indirect",
            text("1.73", 16, &indirect, ""),
            Spill::CallStack(131_072),
        ),
        (
            "as-large",
            text("1.73", 16, &spill(131_072), ""),
            Spill::Number(131_072),
        ),
    ];
    let built = texts
        .into_iter()
        .map(|(name, text, spill)| (name, with_text(&text), spill));
    let mut cases: Vec<_> = built.collect();
    cases.push((
        "esimd-spill",
        fixture("spills/esimd-spill.zebin"),
        Spill::NotStated(10_688),
    ));
    cases.push((
        "esimd-nospill",
        fixture("spills/esimd-nospill.zebin"),
        Spill::Number(0),
    ));
    cases
}

fn fixture(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures")
        .join(name)
}

fn file(name: &str, bytes: &[u8]) -> String {
    let path = temporary(&format!("spills-{name}.zebin"), bytes);
    path.to_str().unwrap().to_owned()
}

fn rows(bytes: &[u8]) -> Vec<KernelRow> {
    let document = open(bytes);
    let kernels = document.kernels(NodeId::ROOT).unwrap();
    kernels.rows(&document.sources).to_vec()
}

fn json(arguments: &[&str]) -> Value {
    serde_json::from_slice(&zeview(arguments).stdout).unwrap()
}

/// Every surface that lists kernels says the same of a kernel.
#[test]
fn every_surface_gives_the_same_answer() {
    for (name, bytes, spill) in cases() {
        let row = &rows(&bytes)[0];
        assert_eq!(Spill::of(row.spill_size.figure), spill, "{name}");
        let path = file(name, &bytes);
        let words = spill.text();
        let is_known = matches!(spill, Spill::Number(_));

        // JSON.
        let json = json(&["kernels", "--json", &path]);
        let row = &json[0];
        assert_eq!(row["spill_limit"], spill.limit(), "{name}");
        if is_known {
            assert_eq!(row["spill_size"], spill.limit(), "{name}");
            assert!(row["unknown"]["spill_size"].is_null(), "{name}");
        } else {
            assert!(
                row["spill_size"].is_null() && row["spill_dwords_per_lane"].is_null(),
                "{name}"
            );
            assert_eq!(row["unknown"]["spill_size"], *words, "{name}");
        }
        let hazards = row["hazards"].as_array().unwrap();
        let hazards: Vec<&str> = hazards
            .iter()
            .map(|hazard| hazard.as_str().unwrap())
            .collect();
        let hazards: Vec<&str> = hazards
            .into_iter()
            .filter(|text| text.contains("spill") || text.contains("stack"))
            .collect();
        match spill {
            Spill::Number(0) => assert!(hazards.is_empty(), "{name}: {hazards:?}"),
            Spill::Number(_) => assert!(hazards[0].starts_with("spills"), "{name}: {hazards:?}"),
            Spill::NotStated(_) | Spill::Ignored(_) => {
                assert_eq!(hazards, ["spills not stated"], "{name}")
            }
            Spill::CallStack(_) => assert_eq!(hazards, ["call stack, reserved"], "{name}"),
        }

        // Text, CSV, groups.
        for form in [
            &["kernels", "--columns", "name,spill_size"][..],
            &["kernels", "--csv"],
            &["kernels", "--csv", "--group-by", "kernel"],
        ] {
            let output = zeview(&[form, &[&path]].concat());
            assert!(
                stdout(&output).contains(&words),
                "{name}: {form:?}: {}",
                stdout(&output)
            );
        }

        // The report, the summary, and the data flow.
        assert!(
            stdout(&zeview(&["report", &path])).contains(&words),
            "{name}: report"
        );
        let summary = stdout(&zeview(&[&path]));
        let expected = match spill {
            Spill::Number(0) => None,
            Spill::Number(size) => Some(format!("1 spills (up to {size} B/thread)")),
            Spill::NotStated(up_to) | Spill::Ignored(up_to) => {
                Some(format!("1 with spills not stated (up to {up_to} B/thread)"))
            }
            Spill::CallStack(size) => Some(format!(
                "1 with call stack, reserved (up to {size} B/thread)"
            )),
        };
        match expected {
            Some(expected) => assert!(summary.contains(&expected), "{name}: {summary}"),
            None => assert!(!summary.contains(" spill"), "{name}: {summary}"),
        }
        let analyzed = stdout(&zeview(&["analyze", &path]));
        let size = if is_known {
            format!("{words} bytes per hardware thread")
        } else {
            words.clone()
        };
        assert!(
            analyzed.contains(&format!("spill size: {size}\n")),
            "{name}: {analyzed}"
        );
        let analyzed = self::json(&["analyze", "--json", &path]);
        let figures = analyzed[0]["unknown"].as_array().unwrap();
        let unknown = figures
            .iter()
            .find(|figure| figure["figure"] == "spill size");
        match unknown {
            Some(unknown) => assert_eq!(unknown["reason"], *words, "{name}"),
            None => assert_eq!(analyzed[0]["spill_size"], spill.limit(), "{name}"),
        }

        // Gates and filters.
        let output = zeview(&["kernels", "--fail-if", "spill_size>0", &path]);
        assert_eq!(output.status.code(), Some(spill.status()), "{name}");
        if !is_known {
            let expected = format!("k: spill_size is {words}: --fail-if cannot be judged");
            let is_k = !name.starts_with("esimd");
            assert!(
                !is_k || stderr(&output).contains(&expected),
                "{name}: {}",
                stderr(&output)
            );
        }
        // A limit that no value can exceed is kept.
        let output = zeview(&[
            "kernels",
            "--fail-if",
            &format!("spill_size>{}", spill.limit()),
            &path,
        ]);
        assert_eq!(output.status.code(), Some(0), "{name}");
        let output = zeview(&["kernels", "--json", "--filter", "spill_size>0", &path]);
        let found: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(
            found.as_array().unwrap().len(),
            usize::from(spill.status() == 1),
            "{name}"
        );
        let undecided = "1 row is not judged by the filter";
        assert_eq!(
            stderr(&output).contains(undecided),
            !is_known,
            "{name}: {}",
            stderr(&output)
        );
        assert_eq!(
            output.status.code(),
            Some(if is_known { 0 } else { 2 }),
            "{name}"
        );

        // The page's table and its filter.
        let (cells, notes) = page(&bytes, "", &["spill_size"]);
        assert_eq!(cells, [[words.clone()]], "{name}");
        assert!(notes.is_empty(), "{name}: {notes:?}");
        let (cells, notes) = page(&bytes, "spill_size>0", &["spill_size"]);
        assert_eq!(cells.len(), usize::from(spill.status() == 1), "{name}");
        assert_eq!(
            notes.iter().any(|note| note.contains(undecided)),
            !is_known,
            "{name}"
        );
    }
}

/// Returns the cells of the page's table of kernels, and its notes.
fn page(bytes: &[u8], filter: &str, columns: &[&str]) -> (Vec<Vec<String>>, Vec<String>) {
    let mut handler = Handler::new(|| 0.0);
    handler.show(1, "file", open(bytes));
    let query = Query {
        filter: filter.to_owned(),
        ..Query::default()
    };
    let rows = ListRequest::Rows {
        start: 0,
        count: 10,
        columns: columns.iter().map(|id| (*id).to_owned().into()).collect(),
    };
    let request = Request::List {
        document: NodeId::ROOT,
        list: ListId::Kernels,
        query,
        ask: rows,
    };
    let envelope = Envelope {
        id: 2,
        about: None,
        request,
    };
    let Response::List(page) = handler.answer(&envelope).response else {
        panic!("no rows");
    };
    let texts = |cells: &[Cell<'_>]| {
        let texts = cells.iter().map(|cell| cell.value.text().into_owned());
        texts.collect()
    };
    let rows = page.rows.iter().map(|row| texts(&row.cells));
    (rows.collect(), page.notes)
}

/// A reservation or a size that is not stated does not come before spills.
#[test]
fn unknown_sizes_are_not_the_worst() {
    let files: Vec<String> = cases()
        .iter()
        .map(|(name, bytes, _)| file(&format!("sorted-{name}"), bytes))
        .collect();
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    for column in ["spill_size", "spill_dwords_per_lane", "hazards"] {
        let sort = format!("-{column}");
        let sorted = json(&[&["kernels", "--json", "--sort", &sort], &files[..]].concat());
        let sorted = sorted.as_array().unwrap();
        assert_eq!(sorted.len(), files.len());
        let worst = sorted.iter().position(|row| row["spill_size"].is_null());
        let last = sorted
            .iter()
            .rposition(|row| row["spill_size"].as_i64() > Some(0));
        assert!(worst > last, "{column}: {worst:?} {last:?}");
    }
    // Of the hazards, one that is not stated comes before a reservation.
    let kinds = |name: &str| {
        let (_, bytes, _) = cases().into_iter().find(|(of, ..)| *of == name).unwrap();
        let rows = rows(&bytes);
        let kinds = rows[0].hazards.iter().map(|hazard| hazard.kind);
        kinds.max().unwrap()
    };
    assert!(kinds("vector") > kinds("stack"));
    assert!(kinds("stack") < HazardKind::LargeGrf && kinds("vector") < HazardKind::Spills);
}

/// A comparison states both values, and does not judge a change to or from an unknown one.
#[test]
fn comparisons_do_not_judge_unknown_sizes() {
    let all = cases();
    let find = |name: &str| {
        let (_, bytes, spill) = all.iter().find(|(of, ..)| *of == name).unwrap();
        (file(&format!("diff-{name}"), bytes), *spill)
    };
    for (from, to) in [
        ("none", "vector"),
        ("vector", "none"),
        ("stated", "stack"),
        ("stack", "stated"),
        ("vector", "vector-own"),
    ] {
        let ((a, from_is), (b, to_is)) = (find(from), find(to));
        // The number of messages needs the code, which a comparison has in other measures.
        let short = |spill: Spill| spill.text().split(';').next().unwrap().to_owned();
        let change = format!("{} → {}", short(from_is), short(to_is));
        for form in [&["diff"][..], &["diff", "--markdown"]] {
            let text = stdout(&zeview(&[form, &[&a, &b]].concat()));
            let text = text.replace(GROUP, "");
            assert!(text.contains(&change), "{from} {to}: {change:?} in {text}");
        }
        let json = json(&["diff", "--json", &a, &b]);
        let measures = json["kernels"]["changed"][0]["measures"]
            .as_array()
            .unwrap();
        let measure = measures.iter().find(|m| m["key"] == "spill_size").unwrap();
        for (side, spill) in [("from", from_is), ("to", to_is)] {
            match spill {
                Spill::Number(size) => assert_eq!(measure[side], size),
                _ => assert_eq!(measure["unknown"][side], short(spill)),
            }
        }
        assert!(measure["better"].is_null());
        for condition in [
            "spill_size increased",
            "spill_size decreased",
            "spill_size changed",
        ] {
            let output = zeview(&["diff", "--fail-if", condition, &a, &b]);
            let code = output.status.code();
            assert_eq!(
                code,
                Some(2),
                "{from} {to} {condition}: {}",
                stderr(&output)
            );
            assert!(stderr(&output).contains("cannot be judged"));
        }
    }
}

/// Tables by device give the unknown sizes of a library, too.
#[test]
fn libraries_have_unknown_sizes() {
    let find = |name: &str| {
        let (_, bytes, _) = cases().into_iter().find(|(of, ..)| *of == name).unwrap();
        bytes
    };
    for (name, matrix, survey) in [
        ("stated", "spills 1600", "1 "),
        ("vector", "spills not stated", "1 unknown"),
        ("stack", "call stack, reserved", "1 unknown"),
    ] {
        let host = usual(Class::Elf64, 3, &spirv::kernel().build(), &find(name));
        let path = file(&format!("host-{name}"), &host.build());
        let text = stdout(&zeview(&["matrix", &path]));
        assert!(text.contains(matrix), "{name}: {text}");
        let json = json(&["matrix", "--json", &path]);
        assert_eq!(json[0]["spill_size"].is_null(), name != "stated", "{json}");
        assert_eq!(
            json[0]["unknown"]["spill_size"].is_string(),
            name != "stated"
        );
        let text = stdout(&zeview(&[&path]));
        assert!(text.contains(survey), "{name}: {text}");
        let report = stdout(&zeview(&["report", &path]));
        assert!(report.contains(survey.trim_end()), "{name}");
    }
}

/// The spills that code with a reserved call stack really has are counted in its code.
#[test]
fn messages_are_shown_with_a_reservation() {
    let path = fixture("zebin/recursion-gtpin.ptl-h.igc2.40.zebin");
    let bytes = std::fs::read(&path).unwrap();
    let path = path.to_str().unwrap();
    let reserved = rows(&bytes)
        .iter()
        .filter(|row| row.spill_size.figure.is_err())
        .count();
    assert!(reserved > 0);
    let columns = "name,spill_size,spill_messages";
    let rows = json(&["kernels", "--json", "--columns", columns, path]);
    for row in rows.as_array().unwrap() {
        let Some(reason) = row["unknown"]["spill_size"].as_str() else {
            continue;
        };
        let count = row["spill_messages"].as_u64().unwrap();
        let words = match count {
            0 => "no spill messages in the code".to_owned(),
            1 => "1 spill message in the code".to_owned(),
            count => format!("{count} spill messages in the code"),
        };
        assert_eq!(
            reason,
            format!("call stack, reserved (131072 bytes); {words}")
        );
        let name = row["name"].as_str().unwrap();
        let analysis = json(&["analyze", "--json", "--kernel", name, path]);
        let unknown = analysis[0]["unknown"].as_array().unwrap();
        let same = |of: &&Value| of["figure"] == "spill size" && of["reason"] == reason;
        assert_eq!(
            unknown.iter().filter(same).count(),
            1,
            "{name}: {unknown:?}"
        );
    }
}

/// The driver takes a text without a version for one of the newest.
#[test]
fn a_text_without_a_version_has_sizes() {
    let scratch = scratch("single_space", 64);
    for (environment, expected) in [
        ("", Spill::NotStated(64)),
        ("      spill_size: 32\n", Spill::Number(32)),
    ] {
        let text = text("1.64", 1, environment, &scratch).replace("version: '1.64'\n", "");
        let figure = rows(&with_text(&text))[0].spill_size.figure;
        assert_eq!(Spill::of(figure), expected);
    }
}

#[test]
fn reservations_depend_on_the_device() {
    // Ponte Vecchio reserves 64 KB; elsewhere that would be computed.
    let sized = |size: u64| {
        let spill = format!("{STACK}      spill_size: {size}\n");
        with_text(&text("1.73", 16, &spill, ""))
    };
    let of = |size: u64| Spill::of(rows(&sized(size))[0].spill_size.figure);
    // The file names bmg-g21.
    assert_eq!(of(65_536), Spill::Number(65_536));
    assert_eq!(of(131_072), Spill::CallStack(131_072));
    let path = fixture("zebin/funcs-stackcall.cri.igc2.40.zebin");
    let all = rows(&std::fs::read(path).unwrap());
    let all: Vec<Spill> = all
        .iter()
        .take(3)
        .map(|row| Spill::of(row.spill_size.figure))
        .collect();
    assert_eq!(
        all,
        [
            Spill::CallStack(131_072),
            Spill::CallStack(131_072),
            Spill::Number(704)
        ]
    );
}
