//! The kernel table: compared with its source text, on damaged text, through the command line and
//! the protocol.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use zeview::tables;

use crate::support::{fixtures, open, tree, zebin};
use serde_yaml::Value as Yaml;
use zeview::analysis::figure::Figure;
use zeview::analysis::kernels::{HazardKind, KernelDetail, KernelRow};
use zeview::model::{Document, NodeId, Severity, Span, Tone};
use zeview::tables::query::Query;
use zeview::tables::write::Form;
use zeview::tables::{Cell, Detail, ListId, Presence};
use zeview::worker::handler::Handler;
use zeview::worker::protocol::{Envelope, ListAt, ListPage, ListRequest, Request, Response};

fn zeview(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_zeview"));
    command.args(arguments).output().unwrap()
}

fn fixture(name: &str) -> PathBuf {
    fixtures::folder().join("zebin").join(name)
}

fn rows(document: &Document) -> Vec<KernelRow> {
    let kernels = document.kernels(NodeId::ROOT).expect("no kernels");
    kernels.rows(&document.sources).to_vec()
}

fn detail(document: &Document, index: usize) -> KernelDetail {
    let kernels = document.kernels(NodeId::ROOT).expect("no kernels");
    kernels
        .detail(index, &document.sources)
        .expect("no such kernel")
}

/// Returns a zebin with this text.
fn with_text(text: &[u8]) -> Document {
    let file = zebin::zebin(&["k"]).bytes(".ze_info", text).build();
    open(&file.bytes)
}

// Comparison with the text.

/// Returns the fields of a line of CSV.
fn csv_fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut quoted = false;
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        let field = fields.last_mut().unwrap();
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => {
                field.push('"');
                chars.next();
            }
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(String::new()),
            c => field.push(c),
        }
    }
    fields
}

/// Returns the values of a kernel, read independently from the text.
fn expected(info: &Yaml, kernel: &Yaml) -> HashMap<&'static str, i64> {
    let environment = &kernel["execution_env"];
    let get = |key: &str| environment[key].as_i64().unwrap_or(0);
    let mut expected = HashMap::new();
    for key in [
        "simd_size",
        "grf_count",
        "eu_thread_count",
        "slm_size",
        "barrier_count",
        "inline_data_payload_size",
        "indirect_stateless_count",
    ] {
        expected.insert(key, get(key));
    }
    let minor = info["version"]
        .as_str()
        .and_then(|version| version.split_once('.')?.1.parse::<u32>().ok());
    let (mut spill, mut private) = (get("spill_size"), get("private_size"));
    if minor.is_none_or(|minor| minor < 39) {
        for buffer in kernel["per_thread_memory_buffers"]
            .as_sequence()
            .unwrap_or(&Vec::new())
        {
            let size = buffer["size"].as_i64().unwrap();
            let slot = buffer["slot"].as_i64().unwrap_or(0);
            let lanes = match buffer["is_simt_thread"].as_bool() {
                Some(true) => get("simd_size"),
                _ => 1,
            };
            match (buffer["type"].as_str().unwrap(), slot) {
                ("scratch", 0) => spill = size,
                ("scratch", 1) => private = size,
                ("global", _) => private = size * lanes,
                other => panic!("{other:?}"),
            }
        }
    }
    expected.insert("spill_size", spill);
    expected.insert("private_size", private);
    let arguments = kernel["payload_arguments"]
        .as_sequence()
        .cloned()
        .unwrap_or_default();
    let explicit = arguments.iter().filter(|a| {
        matches!(
            a["arg_type"].as_str(),
            Some("arg_byvalue" | "arg_bypointer")
        )
    });
    let indices = explicit.map(|a| a["arg_index"].as_i64().unwrap());
    expected.insert("argument_count", indices.max().map_or(0, |last| last + 1));
    expected
}

/// Compares `zeview kernels --csv` of a file with its text; returns the number of kernels.
fn compare(file: &Path, text: &[u8]) -> usize {
    let what = file.display();
    let columns = ListId::Kernels.columns().iter();
    let columns = columns.filter(|column| column.presence != Presence::Counted);
    let columns: Vec<&str> = columns.map(|column| column.id).collect();
    let columns = columns.join(",");
    let path = file.to_str().unwrap();
    let output = zeview(&["kernels", "--all", "--csv", "--columns", &columns, path]);
    assert!(output.status.success(), "{what}");
    let table = String::from_utf8(output.stdout).unwrap();
    let mut lines = table.lines();
    let head = csv_fields(lines.next().unwrap());
    let info: Yaml = serde_yaml::from_slice(text).unwrap();
    let kernels = info["kernels"].as_sequence().cloned().unwrap_or_default();
    let mut count = 0;
    for kernel in &kernels {
        let fields = csv_fields(lines.next().unwrap_or_else(|| panic!("{what}: too few")));
        assert_eq!(fields.len(), head.len(), "{what}: {fields:?}");
        let cell = |id: &str| &fields[head.iter().position(|h| h == id).unwrap()];
        let name = kernel["name"].as_str().unwrap();
        assert_eq!(cell("name"), name, "{what}");
        for (key, value) in expected(&info, kernel) {
            let cell = cell(key);
            // The size of a call stack, not of spills (`spills.rs`).
            if cell.starts_with("call stack, reserved") {
                let environment = &kernel["execution_env"];
                assert_eq!(
                    environment["has_stack_calls"].as_bool(),
                    Some(true),
                    "{what}: {name}"
                );
                assert!(
                    cell.contains(&format!("({value} bytes)")),
                    "{what}: {name}: {cell}"
                );
                continue;
            }
            assert_eq!(*cell, value.to_string(), "{what}: {name}: {key}");
        }
        count += 1;
    }
    // What follows is only in its SPIR-V.
    for line in lines {
        let fields = csv_fields(line);
        let cell = |id: &str| &fields[head.iter().position(|h| h == id).unwrap()];
        assert_eq!(
            (cell("device").as_str(), cell("grf_count").as_str()),
            ("SPIR-V", ""),
            "{what}"
        );
    }
    count
}

#[test]
fn values_are_those_of_the_text() {
    let mut count = 0;
    for file in fixtures::zebins() {
        let mut document = open(&file.bytes);
        let Ok(id) = document.find(".ze_info") else {
            continue;
        };
        let span = document.node(id).unwrap().span.unwrap();
        count += compare(&file.path, &document.sources.read(span).unwrap());
    }
    assert!(count > 50, "{count}");
    let Some(corpus) = fixtures::corpus() else {
        eprintln!("ZEVIEW_CORPUS is not set: only the fixtures are read");
        return;
    };
    let mut files = 0;
    for file in fixtures::in_folder(&corpus.join("samples/zebin"), "zebin") {
        let text = corpus
            .join("samples/zebin-reference")
            .join(&file.name)
            .join("ze_info.yaml");
        if let Ok(text) = std::fs::read(text) {
            count += compare(&file.path, &text);
            files += 1;
        }
    }
    assert!(
        files > 200 && count > 4000,
        "{files} files, {count} kernels"
    );
}

/// Each value has the bytes of its location.
#[test]
fn values_have_their_bytes() {
    for file in fixtures::zebins() {
        let document = open(&file.bytes);
        let Some(kernels) = document.kernels(NodeId::ROOT) else {
            continue;
        };
        let text = |span| String::from_utf8(document.sources.read(span).unwrap().to_vec()).unwrap();
        for row in kernels.rows(&document.sources).iter() {
            let name = text(row.name.span.unwrap());
            assert_eq!(
                name.trim_matches(['\'', '"']),
                row.name.value,
                "{}",
                file.name
            );
            assert!(row.entry.contains(row.name.span.unwrap()));
            for given in [
                row.simd_size,
                row.grf_count,
                row.slm_size,
                row.barrier_count,
            ] {
                match given.span {
                    Some(span) => assert_eq!(text(span), given.value.to_string()),
                    None => assert_eq!(given.value, 0),
                }
            }
            for flag in &row.flags {
                assert_eq!(text(flag.span), "true");
            }
        }
    }
}

// One kernel in full.

const MAP: &str = "\
---
version:         '1.73'
kernels:
  - name:            k
    user_attributes:
      reqd_work_group_size: [ 8, 4, 2 ]
      intel_reqd_sub_group_size: 16
    execution_env:
      grf_count:       256
      has_dpas:        true
      has_global_atomics: false
      inline_data_payload_size: 32
      simd_size:       16
      slm_size:        70000
      spill_size:      2048
    payload_arguments:
      - arg_type:        global_id_offset
        offset:          0
        size:            12
      - arg_type:        arg_bypointer
        offset:          16
        size:            8
        arg_index:       0
        addrmode:        stateless
        addrspace:       global
        access_type:     readwrite
      - arg_type:        arg_byvalue
        offset:          24
        size:            4
        arg_index:       2
        source_offset:   8
      - arg_type:        buffer_size
        offset:          26
        size:            8
        arg_index:       0
      - arg_type:        arg_bypointer
        offset:          0
        size:            0
        arg_index:       0
        addrmode:        stateful
        addrspace:       global
    per_thread_payload_arguments:
      - arg_type:        local_id
        offset:          0
        size:            192
    binding_table_indices:
      - bti_value:       3
        arg_index:       0
    per_thread_memory_buffers:
      - type:            scratch
        usage:           spill_fill_space
        size:            2048
    inline_samplers:
      - sampler_index:   0
        addrmode:        repeat
        filtermode:      linear
functions:
  - name:            f
    execution_env:
      grf_count:       128
      simd_size:       8
kernels_misc_info:
  - name:            k
    args_info:
      - index:           0
        name:            out
        address_qualifier: __global
        access_qualifier: NONE
        type_name:       'float*;8'
        type_qualifiers: 'restrict const'
      - index:           1
        address_qualifier: __private
        access_qualifier: NONE
        type_name:       'int;4'
        type_qualifiers: NONE
...
";

#[test]
fn the_row_of_a_kernel() {
    let document = with_text(MAP.as_bytes());
    let all = rows(&document);
    assert_eq!(all.len(), 2);
    let row = &all[0];
    assert_eq!(row.required_work_group_size.value, [8, 4, 2]);
    assert_eq!(row.required_sub_group_size.value, 16);
    assert_eq!(row.spill_dwords_per_lane(), Some(Ok(32.0)));
    assert_eq!(
        (
            row.argument_count,
            row.explicit_arguments,
            row.implicit_arguments
        ),
        (3, 2, 2)
    );
    assert_eq!(row.payload_size, 34);
    let flags: Vec<&str> = row.flags.iter().map(|flag| flag.word()).collect();
    assert_eq!(flags, ["dpas"]);
    let hazards: Vec<HazardKind> = row.hazards.iter().map(|hazard| hazard.kind).collect();
    let expected = [
        HazardKind::HeavySpills,
        HazardKind::LargeGrf,
        HazardKind::LargeSlm,
    ];
    assert_eq!(hazards, expected);
    assert!(!row.from_scratch_slots && !row.is_function && all[1].is_function);
    // The size of the code is the symbol's, not the section's.
    let code = row.code_size.unwrap();
    assert_eq!(code.value, 12 * 16);
    assert!(code.span.is_some());
}

#[test]
fn the_argument_map() {
    let document = with_text(MAP.as_bytes());
    let detail = detail(&document, 0);
    let map = &detail.payload;
    assert_eq!((map.used, map.total, map.inline_data), (30, 34, 32));
    let pieces: Vec<_> = map
        .pieces
        .iter()
        .map(|p| (p.start, p.end, p.entry))
        .collect();
    let expected = [
        (0, 12, Some(0)),
        (12, 16, None),
        (16, 24, Some(1)),
        (24, 28, Some(2)),
        (28, 34, Some(3)),
    ];
    assert_eq!(pieces, expected);
    assert_eq!(map.overlaps.len(), 1);
    assert_eq!((map.overlaps[0].start, map.overlaps[0].end), (26, 28));
    let titles: Vec<&str> = map.entries.iter().map(|entry| &*entry.title).collect();
    let expected = [
        "global_id_offset",
        "float* out",
        "argument 2 + 8",
        "buffer_size of out",
        "float* out",
    ];
    assert_eq!(titles, expected);

    let arguments = &detail.arguments;
    assert_eq!(
        arguments.iter().map(|a| a.index).collect::<Vec<_>>(),
        [0, 1, 2]
    );
    assert_eq!(arguments[0].type_size, Some(8));
    assert_eq!(
        arguments[0].type_qualifiers.as_deref(),
        Some("restrict const")
    );
    assert_eq!(arguments[0].access_qualifier, None);
    assert_eq!(arguments[0].entries, [1, 3, 4]);
    assert_eq!(arguments[0].bti_value, Some(3));
    // The compiler dropped it: it is not in the payload.
    assert!(arguments[1].entries.is_empty() && arguments[1].span.is_some());
    assert!(arguments[2].span.is_none());

    assert_eq!(detail.binding_table[0].name.as_deref(), Some("out"));
    assert_eq!(detail.per_thread_payload[0].size, Some(192));
    assert_eq!(detail.memory_buffers[0].slot, 0);
    assert!(!detail.inline_samplers[0].normalized);
    let property = |key: &str| detail.execution_env.iter().find(|p| p.key == key).unwrap();
    assert!(property("slm_size").span.is_some() && property("has_stack_calls").span.is_none());
    assert_eq!(
        property("work_group_walk_order_dimensions")
            .words
            .as_deref(),
        Some("[0, 1, 2]")
    );
    let whys: Vec<&str> = detail.links.iter().map(|link| &*link.why).collect();
    assert!(whys.contains(&"code") && whys.contains(&"symbol") && whys.contains(&"arguments"));
}

/// Returns the spill and private size of a kernel.
fn sizes(row: &KernelRow) -> (Figure<i64>, Figure<i64>) {
    (row.spill_size.figure, row.private_size.figure)
}

#[test]
fn sizes_come_from_scratch_slots_before_1_39() {
    let text = "version: '1.38'\nkernels:\n  - name: k\n    execution_env:\n      grf_count: 128\n      simd_size: 16\n    per_thread_memory_buffers:\n      - type: scratch\n        usage: spill_fill_space\n        size: 1024\n      - type: scratch\n        usage: private_space\n        size: 2048\n        slot: 1\n";
    let row = &rows(&with_text(text.as_bytes()))[0];
    assert!(row.from_scratch_slots);
    assert_eq!(sizes(row), (Ok(1024), Ok(2048)));
    let newer = text.replace("1.38", "1.39");
    let row = &rows(&with_text(newer.as_bytes()))[0];
    assert!(!row.from_scratch_slots);
    assert_eq!(sizes(row), (Ok(0), Ok(0)));
    let lanes = text.replace("type: scratch\n        usage: private_space\n        size: 2048\n        slot: 1", "type: global\n        usage: private_space\n        size: 24\n        is_simt_thread: true");
    let row = &rows(&with_text(lanes.as_bytes()))[0];
    assert_eq!(sizes(row), (Ok(1024), Ok(24 * 16)));
}

#[test]
fn cpp_names_are_demangled() {
    let text = MAP.replace(
        "name:            k\n",
        "name:            _ZTSZ4mainE6VecAdd\n",
    );
    let row = &rows(&with_text(text.as_bytes()))[0];
    assert_eq!(row.name.value, "_ZTSZ4mainE6VecAdd");
    assert_eq!(row.demangled.as_deref(), Some("main::VecAdd"));
    assert_eq!(row.title(), "main::VecAdd");
}

// Damage.

/// Texts with damage in the middle: the surrounding values are kept, and the damage is reported
/// with its line and bytes.
#[test]
fn the_rest_of_a_damaged_text_is_shown() {
    let long_name = "n".repeat(64 * 1024);
    let deep: String = (0..10_000)
        .map(|i| format!("{}a:\n", " ".repeat(8 + i)))
        .collect();
    let damages: Vec<(&str, Vec<u8>, &str)> = vec![
        (
            "a key that is there twice",
            b"      grf_count: 128\n".to_vec(),
            "ze-info/duplicate-key",
        ),
        (
            "an unknown key",
            b"      no_such_key: 1\n".to_vec(),
            "ze-info/unknown-key",
        ),
        (
            "an ill-typed value",
            b"      slm_size: lots\n".to_vec(),
            "ze-info/wrong-type",
        ),
        ("a tab", b"\t  barrier_count: 1\n".to_vec(), "ze-info/tab"),
        (
            "a flow mapping",
            b"      x_hint: { a: 1 }\n".to_vec(),
            "ze-info/outside-yaml-subset",
        ),
        (
            "an anchor",
            b"      barrier_count: &x 1\n".to_vec(),
            "ze-info/outside-yaml-subset",
        ),
        (
            "an alias",
            b"      barrier_count: *x\n".to_vec(),
            "ze-info/outside-yaml-subset",
        ),
        (
            "a block scalar",
            b"      barrier_count: |\n        1\n".to_vec(),
            "ze-info/outside-yaml-subset",
        ),
        (
            "an open quote",
            b"      barrier_count: '1\n".to_vec(),
            "ze-info/syntax-error",
        ),
        (
            "an open bracket",
            b"      required_work_group_size: [ 1, 2\n".to_vec(),
            "ze-info/syntax-error",
        ),
        (
            "no YAML",
            b"      nonsense\n".to_vec(),
            "ze-info/syntax-error",
        ),
        (
            "no UTF-8",
            b"      barrier_count: \xff\xfe\n".to_vec(),
            "ze-info/not-utf-8",
        ),
        (
            "a NUL",
            b"      barrier_count: \x001\n".to_vec(),
            "ze-info/outside-yaml-subset",
        ),
        (
            "a long key",
            format!("      {long_name}: 1\n").into_bytes(),
            "ze-info/unknown-key",
        ),
        ("deep nesting", deep.into_bytes(), "limits/too-many-entries"),
    ];
    for (what, damage, rule) in damages {
        let mut text = b"---\nversion: '1.73'\nkernels:\n  - name: k\n    execution_env:\n      grf_count: 128\n".to_vec();
        let (line, at) = (7, text.len());
        text.extend(&damage);
        text.extend(b"      simd_size: 16\n    payload_arguments: []\n  - name: second\n    execution_env:\n      grf_count: 64\n      simd_size: 8\n...\n");
        let document = with_text(&text);
        let found = document.diagnostics.iter().find(|d| d.rule == rule);
        let found = found.unwrap_or_else(|| {
            let all: Vec<_> = document.diagnostics.iter().map(|d| &d.rule).collect();
            panic!("{what}: {all:?}")
        });
        assert!(
            found.message.starts_with("line "),
            "{what}: {}",
            found.message
        );
        assert!(found.message.len() < 200, "{what}: {}", found.message);
        // The bytes are those of the damage.
        let mut document = document;
        let id = document.find(".ze_info").unwrap();
        let start = document.node(id).unwrap().span.unwrap().start;
        let damaged = start + at as u64..start + (at + damage.len()) as u64;
        let span = found_span(&document, rule);
        assert!(
            damaged.contains(&span.start) && span.end <= damaged.end + 1,
            "{what}: {span:?} in {damaged:?}"
        );
        if rule != "limits/too-many-entries" {
            let message = found_message(&document, rule);
            assert!(
                message.starts_with(&format!("line {line}:")),
                "{what}: {message}"
            );
        }
        let kernels = rows(&document);
        assert_eq!(kernels.len(), 2, "{what}");
        assert_eq!(kernels[0].grf_count.value, 128, "{what}");
        assert_eq!(kernels[1].name.value, "second", "{what}");
        assert_eq!(kernels[1].simd_size.value, 8, "{what}");
        assert!(tree::walk_all(&document).is_ok(), "{what}");
    }
}

fn found_span(document: &Document, rule: &str) -> zeview::model::Span {
    let found = document
        .diagnostics
        .iter()
        .find(|d| d.rule == rule)
        .unwrap();
    found.primary.span
}

fn found_message(document: &Document, rule: &str) -> String {
    let found = document
        .diagnostics
        .iter()
        .find(|d| d.rule == rule)
        .unwrap();
    found.message.clone()
}

/// Unusual text with the same meaning.
#[test]
fn other_spellings_are_read() {
    let plain = rows(&with_text(MAP.as_bytes()));
    let commented = MAP.replace(
        "      simd_size:       16\n",
        "      # a comment\n      simd_size:       16   # another\n",
    );
    let variants = [
        ("CRLF", MAP.replace('\n', "\r\n")),
        ("comments", commented),
        ("no markers", MAP.replace("---\n", "").replace("...\n", "")),
        (
            "blank before the colon",
            MAP.replace("grf_count:", "grf_count :"),
        ),
        ("hex", MAP.replace("size:      2048", "size:      0x800")),
        ("trailing NULs", format!("{MAP}\0\0\0")),
    ];
    for (what, text) in variants {
        let document = with_text(text.as_bytes());
        let errors = document
            .diagnostics
            .iter()
            .filter(|d| d.severity == Severity::Error);
        let errors: Vec<_> = errors.map(|d| &d.message).collect();
        assert!(errors.is_empty(), "{what}: {errors:?}");
        let rows = rows(&document);
        assert_eq!(rows.len(), plain.len(), "{what}");
        for (row, plain) in rows.iter().zip(&plain) {
            assert_eq!(row.spill_size.figure, plain.spill_size.figure, "{what}");
            assert_eq!(row.simd_size.value, plain.simd_size.value, "{what}");
            assert_eq!(row.argument_count, plain.argument_count, "{what}");
        }
    }
}

// The command line.

/// A temporary file, deleted on drop.
struct Written(PathBuf);

impl Written {
    fn new(name: &str, text: &str) -> Written {
        let file = zebin::zebin(&["k"]).bytes(".ze_info", text).build();
        let name = format!("zeview-{name}-{}.zebin", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::write(&path, &file.bytes).unwrap();
        Written(path)
    }

    fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }
}

impl Drop for Written {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

#[test]
fn a_budget_fails_and_names_the_kernels() {
    let file = Written::new("budget", MAP);
    let file = file.path();
    let status = |conditions: &[&str]| {
        let mut arguments = vec!["kernels"];
        for condition in conditions {
            arguments.extend(["--fail-if", condition]);
        }
        arguments.push(file);
        let output = zeview(&arguments);
        (
            output.status.code().unwrap(),
            String::from_utf8(output.stderr).unwrap(),
        )
    };
    assert_eq!(status(&[]), (0, String::new()));
    let (code, said) = status(&["spill_size>0"]);
    assert_eq!(code, 1);
    assert!(said.contains(": k: spill_size is 2048"), "{said}");
    // One satisfied condition is enough.
    assert_eq!(status(&["grf_count>1000", "name==k"]).0, 1);
    assert_eq!(status(&["grf_count>1000"]).0, 0);
    assert_eq!(status(&["no_such_column>0"]).0, 2);
    assert_eq!(status(&["spill_size"]).0, 2);
    assert_eq!(status(&[""]).0, 2);
    assert_eq!(status(&["(spill_size>0"]).0, 2);
    // Same as the page's filter.
    let (code, said) = status(&["spill size > 0 and not (grf_count<256 or has_dpas=no)"]);
    assert_eq!(code, 1);
    let all = "spill_size is 2048, grf_count is 256, has_dpas is true";
    assert!(said.contains(all), "{said}");
}

#[test]
fn json_has_the_keys_of_ze_info() {
    let file = fixture("dpas.lnl-m.igc2.40.zebin");
    let output = zeview(&["kernels", "--json", file.to_str().unwrap()]);
    assert!(output.status.success());
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let kernels = json.as_array().unwrap();
    assert!(!kernels.is_empty());
    for kernel in kernels {
        for key in [
            "file",
            "name",
            "demangled",
            "required_work_group_size",
            "flags",
        ] {
            assert!(!kernel[key].is_null(), "{key}");
        }
        for key in [
            "simd_size",
            "grf_count",
            "spill_size",
            "private_size",
            "slm_size",
            "barrier_count",
            "spill_dwords_per_lane",
            "code_size",
            "argument_count",
            "eu_thread_count",
        ] {
            assert!(kernel[key].is_number(), "{key}: {}", kernel[key]);
        }
        assert!(kernel["has_dpas"].is_boolean());
    }
}

#[test]
fn columns_are_chosen_and_files_are_named() {
    let file = fixture("dpas.lnl-m.igc2.40.zebin");
    let file = file.to_str().unwrap();
    let output = zeview(&["kernels", "--csv", "--columns", "name,simd_size", file]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(text.lines().next(), Some("file,name,simd_size"));
    let output = zeview(&["kernels", "--columns", "name,nothing", file]);
    assert_eq!(output.status.code(), Some(2));
    let output = zeview(&["kernels", file, "/no/such/file"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(!output.stdout.is_empty());
}

#[test]
fn text_cells_cannot_become_formulas() {
    let text = MAP.replace(
        "name:            k\n",
        "name:            '=HYPERLINK(\"x\")'\n",
    );
    let file = Written::new("formula", &text);
    let output = zeview(&["kernels", "--csv", "--columns", "name", file.path()]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.lines()
            .nth(1)
            .unwrap()
            .ends_with(",\"'=HYPERLINK(\"\"x\"\")\""),
        "{text}"
    );
}

// The list.

/// Returns the cells of a row, by column id.
fn cells(document: &mut Document, row: u32) -> HashMap<&'static str, Cell<'static>> {
    let list = tables::list(document, NodeId::ROOT, ListId::Kernels, None).unwrap();
    let columns = ListId::Kernels.columns().iter().enumerate();
    let cell = |at| list.cell(row, at, &document.sources).shown();
    columns.map(|(at, column)| (column.id, cell(at))).collect()
}

#[test]
fn cells_have_the_origin_of_their_values() {
    let mut document = with_text(MAP.as_bytes());
    let cells = cells(&mut document, 0);
    let text = |id: &str| {
        let bytes = document.sources.read(cells[id].span.unwrap()).unwrap();
        String::from_utf8(bytes.to_vec()).unwrap()
    };
    for (id, value, read) in [
        ("name", "k", "k"),
        ("grf_count", "256", "256"),
        ("spill_size", "2048", "2048"),
        ("spill_dwords_per_lane", "32", "2048"),
        ("required_work_group_size", "8 4 2", "[ 8, 4, 2 ]"),
        ("required_sub_group_size", "16", "16"),
        ("has_dpas", "true", "true"),
    ] {
        assert_eq!(cells[id].value.text(), value, "{id}");
        assert_eq!(text(id), read, "{id}");
        assert!(!cells[id].is_default, "{id}");
    }
    for id in [
        "barrier_count",
        "private_size",
        "eu_thread_count",
        "indirect_stateless_count",
    ] {
        assert_eq!(cells[id].value.text(), "0", "{id}");
        assert!(cells[id].is_default && cells[id].span.is_none(), "{id}");
    }
    for id in [
        "argument_count",
        "payload_size",
        "has_sample",
        "flags",
        "hazards",
    ] {
        assert!(!cells[id].is_default && cells[id].span.is_none(), "{id}");
    }
    // The SIMD size has no default.
    let mut document = with_text(MAP.replace("      simd_size:       16\n", "").as_bytes());
    let simd = &self::cells(&mut document, 0)["simd_size"];
    assert_eq!(*simd, Cell::empty());
}

#[test]
fn hazards_mark_the_cells_that_they_are_about() {
    let mut document = with_text(MAP.as_bytes());
    let cells = cells(&mut document, 0);
    let marks = |id: &str| -> Vec<(Tone, &str, &str)> {
        let marks = cells[id].marks.iter();
        marks
            .map(|mark| (mark.tone, &*mark.text, &*mark.doc))
            .collect()
    };
    assert_eq!(
        marks("spill_size"),
        [(Tone::Bad, "spills", "spills 32 dwords/lane")]
    );
    // The number is sufficient, as all kernels of a library may have it.
    assert!(marks("grf_count").is_empty());
    assert_eq!(
        marks("slm_size"),
        [(Tone::Bad, "> 64 KB", "SLM above 64 KB")]
    );
    assert!(marks("name").is_empty() && marks("private_size").is_empty());
    let function = self::cells(&mut document, 1);
    assert_eq!(function["name"].marks[0].text, "fn");

    let old = "version: '1.38'\nkernels:\n  - name: k\n    execution_env:\n      simd_size: 16\n    per_thread_memory_buffers:\n      - type: scratch\n        usage: private_space\n        size: 2048\n        slot: 1\n";
    let mut document = with_text(old.as_bytes());
    let cells = self::cells(&mut document, 0);
    let words: Vec<&str> = cells["private_size"]
        .marks
        .iter()
        .map(|m| &*m.text)
        .collect();
    assert_eq!(words, ["slot", "private"]);
    assert!(cells["spill_size"].marks.is_empty(), "it is a default");
}

// The protocol.

fn handler(text: &str) -> Handler {
    let file = zebin::zebin(&["k"]).bytes(".ze_info", text).build();
    let mut handler = Handler::new(|| 0.0);
    let source = zeview::model::MemorySource::from(file.bytes);
    handler.open(1, "a.zebin", Box::new(source));
    handler
}

pub fn ask(handler: &mut Handler, query: &Query, ask: ListRequest) -> Response {
    let envelope = Envelope {
        id: 2,
        about: None,
        request: Request::List {
            document: NodeId::ROOT,
            list: ListId::Kernels,
            query: query.clone(),
            ask,
        },
    };
    handler.answer(&envelope).response
}

fn many(count: usize) -> String {
    let mut text = "---\nversion: '1.73'\nkernels:\n".to_owned();
    for kernel in 0..count {
        let spill = kernel * 7919 % count * 64;
        text.push_str(&format!("  - name: kernel_{kernel}\n    execution_env:\n      grf_count: 128\n      simd_size: 16\n      spill_size: {spill}\n"));
    }
    text
}

fn page(handler: &mut Handler, query: &Query, start: u64, count: u64) -> ListPage {
    let rows = ListRequest::Rows {
        start,
        count,
        columns: Vec::new(),
    };
    match ask(handler, query, rows) {
        Response::List(page) => *page,
        other => panic!("{other:?}"),
    }
}

fn at(handler: &mut Handler, query: &Query, span: Option<Span>, or_first: bool) -> ListAt {
    let at = ListRequest::At {
        node: NodeId::ROOT,
        span,
        current: None,
        or_first,
    };
    match ask(handler, query, at) {
        Response::ListAt(Some(at)) => *at,
        other => panic!("{other:?}"),
    }
}

fn filter(text: &str) -> Query {
    Query {
        filter: text.to_owned(),
        ..Query::default()
    }
}

fn sorted(id: &'static str) -> Query {
    Query {
        sort: Some(id.into()),
        descending: true,
        ..Query::default()
    }
}

/// Returns the cells of a column of a page.
fn column(page: &ListPage, id: &str) -> Vec<String> {
    let at = page.columns.iter().position(|column| column == id).unwrap();
    let cells = page.rows.iter().map(|row| row.cells[at].value.text());
    cells.map(|text| text.into_owned()).collect()
}

#[test]
fn the_page_gets_pieces_of_the_table() {
    let mut handler = handler(&many(1000));
    let plain = page(&mut handler, &Query::default(), 990, 100);
    assert_eq!(
        (
            plain.rows.len(),
            plain.found,
            plain.total,
            plain.secondary.count()
        ),
        (10, 1000, 1000, 0)
    );
    assert_eq!(column(&plain, "family")[0], "kernel_990");
    assert_eq!(plain.rows[0].index, 990);
    let maximum = |id: &str| plain.maxima.iter().find(|(column, _)| column == id);
    assert_eq!(maximum("spill_size").unwrap().1, 999.0 * 64.0);
    assert_eq!(maximum("slm_size").unwrap().1, 0.0);
    assert!(maximum("name").is_none());

    let by_spill = sorted("spill_size");
    let first = page(&mut handler, &by_spill, 0, 3);
    assert_eq!(column(&first, "spill_size"), ["63936", "63872", "63808"]);
    // The sort is stable in both directions.
    let alike = page(&mut handler, &sorted("grf_count"), 0, 2);
    assert_eq!(column(&alike, "family"), ["kernel_0", "kernel_1"]);

    let filtered = filter("KERNEL_99 spill_size>100");
    let found = page(&mut handler, &filtered, 0, 500);
    assert_eq!((found.found, found.total), (11, 1000));

    let spill = first.rows[0].cells[4].span.unwrap();
    let place = at(&mut handler, &by_spill, Some(spill), false)
        .place
        .unwrap();
    assert_eq!(
        (place.index, place.place, place.count),
        (first.rows[0].index, Some(0), 1)
    );
    assert_eq!(place.entry, first.rows[0].entry);
    assert_eq!(place.about.title, column(&first, "family")[0]);
    let Detail::Kernel(detail) = place.about.detail else {
        panic!("{:?}", place.about.detail)
    };
    assert_eq!(detail.row.index, place.index);
    // It is not among the matches.
    let place = at(&mut handler, &filter("nothing"), Some(spill), false).place;
    assert_eq!(place.unwrap().place, None);
}

#[test]
fn the_page_gets_rows_before_their_code_is_analyzed() {
    thread_local! {
        static NOW: std::cell::Cell<f64> = const { std::cell::Cell::new(0.0) };
    }
    /// A clock with which each step exceeds the time limit of a response.
    fn slow() -> f64 {
        NOW.set(NOW.get() + 1000.0);
        NOW.get()
    }
    let bytes = std::fs::read("www/samples/spill.dg2.zebin").unwrap();
    let mut handler = Handler::new(slow);
    handler.open(
        1,
        "spill.zebin",
        Box::new(zeview::model::MemorySource::from(bytes)),
    );
    for analyzed in 1..=3 {
        let page = page(&mut handler, &Query::default(), 0, 10);
        assert_eq!(
            column(&page, "family"),
            ["bigprivate", "hugeprivate", "spill"]
        );
        assert!(
            column(&page, "code_size")
                .iter()
                .all(|size| !size.is_empty())
        );
        let live = column(&page, "peak_live_registers");
        let pending = live
            .iter()
            .filter(|text| *text == "unknown: not analyzed yet");
        assert_eq!(pending.count(), 3 - analyzed);
        let reading = page.reading.map(|reading| reading.progress().done);
        assert_eq!(reading, (analyzed < 3).then_some(analyzed as u64));
    }
}

#[test]
fn the_page_counts_rows_for_its_buttons() {
    let mut handler = handler(&many(1000));
    let page = page(&mut handler, &filter("spill_size>0"), 0, 3);
    // One kernel of the thousand has no spills; loops need the code.
    assert_eq!(page.counts, [Some(999), None, Some(0)]);
    assert_eq!(page.found, 999);
    assert!(page.devices.len() <= 1, "{:?}", page.devices);
}

/// The current row stays if the selection belongs to no row, or if the row leads there.
#[test]
fn a_selection_has_its_kernel() {
    let mut handler = handler(&many(10));
    let query = sorted("spill_size");
    let nothing = at(&mut handler, &query, None, false);
    assert_eq!((nothing.found, nothing.place), (10, None));
    let first = at(&mut handler, &query, None, true).place.unwrap();
    assert_eq!((first.place, first.index), (Some(0), 1));
    let elsewhere = Span::with_len(first.entry.source, 0, 4);
    assert_eq!(at(&mut handler, &query, Some(elsewhere), false).place, None);
    let stays = ListRequest::At {
        node: NodeId::ROOT,
        span: Some(elsewhere),
        current: Some(first.entry),
        or_first: false,
    };
    let Response::ListAt(Some(stays)) = ask(&mut handler, &query, stays) else {
        panic!("it does not stay")
    };
    assert_eq!(stays.place.unwrap().index, 1);
}

#[test]
fn the_worst_kernels_come_first() {
    let text = "version: '1.73'\nkernels:\n".to_owned()
        + &[(0, 0, 128), (64, 0, 128), (0, 64, 128), (0, 0, 256), (64, 64, 128), (8192, 0, 128)]
            .iter()
            .enumerate()
            .map(|(at, (spill, private, grf))| format!("  - name: k{at}\n    execution_env:\n      simd_size: 16\n      spill_size: {spill}\n      private_size: {private}\n      grf_count: {grf}\n"))
            .collect::<String>();
    let page = page(&mut handler(&text), &sorted("hazards"), 0, 9);
    assert_eq!(
        column(&page, "family"),
        ["k5", "k4", "k1", "k2", "k3", "k0"]
    );
}

#[test]
fn functions_are_listed_on_request() {
    let mut handler = handler(MAP);
    assert_eq!(page(&mut handler, &Query::default(), 0, 9).found, 1);
    let all = Query {
        all: true,
        ..Query::default()
    };
    let all = page(&mut handler, &all, 0, 9);
    assert_eq!((all.found, all.total, all.secondary.functions), (2, 1, 1));
    let function = at(
        &mut handler,
        &Query::default(),
        Some(all.rows[1].entry),
        false,
    );
    let function = function.place.unwrap();
    assert_eq!((function.index, function.place), (1, None));
    let Detail::Kernel(detail) = function.about.detail else {
        panic!("no detail")
    };
    assert!(detail.row.is_function && detail.execution_env.len() > 2);
}

#[test]
fn tables_are_copied_as_text() {
    let mut handler = handler(MAP);
    let mut copy = |query: &Query, form| {
        let written = ListRequest::Written {
            columns: vec!["name".into(), "spill_size".into()],
            form,
            rows: None,
        };
        match ask(&mut handler, query, written) {
            Response::Text(text) => text,
            other => panic!("{other:?}"),
        }
    };
    let all = Query::default();
    assert_eq!(copy(&all, Form::Csv), "name,spill_size\nk,2048\n");
    assert_eq!(copy(&all, Form::Tabs), "Kernel\tSpill, B/thread\nk\t2048\n");
    assert_eq!(
        copy(&all, Form::Markdown),
        "| Kernel | Spill, B/thread |\n| --- | ---: |\n| k | 2048 |\n"
    );
    assert_eq!(
        copy(&all, Form::Plain),
        "Kernel     Spill\n        B/thread\nk           2048\n"
    );
    let json: serde_json::Value = serde_json::from_str(&copy(&all, Form::Json)).unwrap();
    assert_eq!(json[0]["spill_dwords_per_lane"], 32);
    assert_eq!(copy(&filter("nothing"), Form::Json), "[]\n");
}

#[test]
fn invalid_queries_are_reported() {
    let mut handler = handler(MAP);
    // An invalid query is reported, with no rows.
    for query in [sorted("nothing"), filter("spill_siz>0 or (")] {
        let page = page(&mut handler, &query, 0, 9);
        assert_eq!((page.found, page.rows.len(), page.total), (0, 0, 1));
        assert!(page.trouble.is_some());
        let at = at(&mut handler, &query, None, true);
        assert_eq!((at.found, at.place), (0, None));
        let written = ListRequest::Written {
            columns: Vec::new(),
            form: Form::Csv,
            rows: None,
        };
        let said = ask(&mut handler, &query, written);
        let Response::Failed { message, .. } = said else {
            panic!("{said:?}")
        };
        assert_eq!(Some(message), page.trouble);
    }
    let rows = ListRequest::Rows {
        start: 0,
        count: 1,
        columns: vec!["nothing".into()],
    };
    let answer = ask(&mut handler, &Query::default(), rows.clone());
    assert!(matches!(answer, Response::Failed { .. }), "{answer:?}");
    let nowhere = Request::List {
        document: NodeId(7000),
        list: ListId::Kernels,
        query: Query::default(),
        ask: rows,
    };
    let answer = handler.answer(&Envelope {
        id: 3,
        about: None,
        request: nowhere,
    });
    assert!(matches!(answer.response, Response::Failed { .. }));
    // A page after the end is empty.
    let behind = page(&mut handler, &Query::default(), u64::MAX, u64::MAX);
    assert!(behind.rows.is_empty() && behind.found == 1);
}

/// The table is built on first use, once.
#[test]
fn table_is_built_once() {
    let document = with_text(many(100).as_bytes());
    let kernels = document.kernels(NodeId::ROOT).unwrap();
    let first = kernels.rows(&document.sources);
    let second = document
        .kernels(NodeId::ROOT)
        .unwrap()
        .rows(&document.sources);
    assert!(std::rc::Rc::ptr_eq(&first, &second));
}

/// A file without `.ze_info` has no kernels.
#[test]
fn other_files_have_no_kernels() {
    let file = zebin::zebin(&["k"]).without(".ze_info").build();
    assert!(open(&file.bytes).kernels(NodeId::ROOT).is_none());
    assert!(open(b"no ELF").kernels(NodeId::ROOT).is_none());
    let file = zebin::zebin(&["k"])
        .bytes(".ze_info", "kernels: []\n")
        .build();
    assert!(rows(&open(&file.bytes)).is_empty());
}

/// A hazard is above its bound, not at it.
#[test]
fn hazards_start_above_their_bounds() {
    let kinds = |spill: i64, grf: i64, slm: i64| -> Vec<HazardKind> {
        let text = zebin::ze_info(&["k"])
            .replacen("grf_count:       128", &format!("grf_count: {grf}"), 1)
            .replacen(
                "simd_size:       32",
                &format!("simd_size: 16\n      spill_size: {spill}\n      slm_size: {slm}"),
                1,
            );
        let rows = rows(&with_text(text.as_bytes()));
        rows[0].hazards.iter().map(|hazard| hazard.kind).collect()
    };
    use HazardKind::{HeavySpills, LargeGrf, LargeSlm, Spills};
    // 16 dwords in each of 16 lanes.
    assert_eq!(kinds(1024, 128, 65536), [Spills]);
    assert_eq!(kinds(1025, 128, 65536), [HeavySpills]);
    assert_eq!(kinds(0, 129, 65536), [LargeGrf]);
    assert_eq!(kinds(0, 128, 65537), [LargeSlm]);
    assert_eq!(kinds(0, 0, 0), []);
}
