//! Document comparison: against dumps, on copies with known changes, and on damaged and hostile
//! files.

use std::collections::BTreeSet;
use zeview::diff::{ComparisonSteps, differing_from_base, keep_base};

use serde_json::Value;
use zeview::decode::compression::Method;
use zeview::decode::isa::Platform;
use zeview::diff::{Change, Comparison, Options, Outcome, Part, compare, overlaps};
use zeview::model::{Document, Span};

use crate::support::diff::{diff, disagreements, violations, wrong_quantities};
use crate::support::dump_diff::{dump, kernels};
use crate::support::elf::{Class, Elf, Relocation, Section, Symbol};
use crate::support::fixtures::{self, Fixture};
use crate::support::isa;
use crate::support::layout::unfounded_claims;
use crate::support::random::Random;
use crate::support::syclbin::{Syclbin, Text};
use crate::support::watchdog::Watchdog;
use crate::support::{built, compressed, damage, hosts, open, packages, spirv, zebin};

fn stem(name: &str) -> &str {
    name.split(['.', '-']).next().unwrap()
}

/// Returns zebins of the same source for other devices, from other compilers, or with other
/// options.
fn related() -> Vec<(Fixture, Fixture)> {
    let files = fixtures::zebins();
    let zebins: Vec<Fixture> = files
        .into_iter()
        .filter(|file| open(&file.bytes).summary.title.starts_with("zebin"))
        .collect();
    let mut pairs = Vec::new();
    for (at, a) in zebins.iter().enumerate() {
        for b in &zebins[at + 1..] {
            if stem(&a.name) == stem(&b.name) {
                let copy = |file: &Fixture| Fixture {
                    name: file.name.clone(),
                    bytes: file.bytes.clone(),
                    path: file.path.clone(),
                };
                pairs.push((copy(a), copy(b)));
            }
        }
    }
    pairs
}

#[test]
fn differences_match_the_dumps() {
    let watchdog = Watchdog::start();
    let pairs = related();
    assert!(pairs.len() > 50, "{}", pairs.len());
    let mut wrong = Vec::new();
    for (a, b) in &pairs {
        watchdog.case(format!("{} and {}", a.name, b.name));
        for line in disagreements(&a.bytes, &b.bytes) {
            wrong.push(format!("{} → {}: {line}", a.name, b.name));
        }
    }
    watchdog.case("");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_numbers_that_differ_are_those_of_the_kernel_tables() {
    let mut wrong = Vec::new();
    for (a, b) in &related() {
        for line in wrong_quantities(&a.bytes, &b.bytes) {
            wrong.push(format!("{} → {}: {line}", a.name, b.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Before ze_info 1.39, the sizes are in scratch slots. One cause is one difference.
#[test]
fn sizes_in_scratch_slots() {
    let with = |version: &str, env: &str, buffers: &str| {
        let text = zebin::ze_info(&["k"]);
        let text = text.replacen(
            "version:         '1.73'",
            &format!("version: '{version}'"),
            1,
        );
        let text = text.replacen("      simd_size:", &format!("{env}      simd_size:"), 1);
        let arguments = "    payload_arguments:";
        let text = text.replacen(arguments, &format!("{buffers}{arguments}"), 1);
        zebin::zebin(&["k"]).bytes(".ze_info", text).build().bytes
    };
    let slot = |size: u32| {
        format!(
            "    per_thread_memory_buffers:\n      - type:            scratch\n        usage:           spill_fill_space\n        size:            {size}\n        slot:            0\n"
        )
    };
    let old = with("1.20", "", &slot(512));
    for (size, is_same) in [(512, true), (1024, false)] {
        let new = with("1.73", &format!("      spill_size:      {size}\n"), "");
        for (a, b) in [(&old, &new), (&new, &old)] {
            let said = diff(a, b);
            let changed = said["kernels"]["changed"].as_array().unwrap();
            let measures: Vec<&Value> = changed
                .iter()
                .flat_map(|entry| entry["measures"].as_array())
                .flatten()
                .collect();
            let fields: Vec<&Value> = changed
                .iter()
                .flat_map(|entry| entry["fields"].as_array().unwrap())
                .collect();
            assert_eq!(measures.len(), usize::from(!is_same), "{said:#}");
            assert_eq!(fields.len(), usize::from(!is_same), "{said:#}");
            if !is_same {
                assert_eq!(measures[0]["key"], "spill_size");
                assert_eq!(fields[0]["key"], "spill_size");
                assert!(fields[0]["a"].is_object() && fields[0]["b"].is_object());
            }
        }
    }
}

/// A thread of 32 lanes does the work of two of 16, so its resources are judged per lane.
#[test]
fn numbers_of_threads_with_different_lanes() {
    let with = |lanes: u32, spill: u32| {
        let text = zebin::ze_info(&["k"]);
        let text = text.replacen(
            "      simd_size:       32",
            &format!("      spill_size:      {spill}\n      simd_size:       {lanes}"),
            1,
        );
        zebin::zebin(&["k"]).bytes(".ze_info", text).build().bytes
    };
    for (from, to, better) in [
        ((16, 1024), (32, 1536), "better"),
        ((16, 1024), (32, 3072), "worse"),
        ((16, 1024), (32, 2048), ""),
        ((32, 1024), (32, 1536), "worse"),
    ] {
        let result = compared(&with(from.0, from.1), &with(to.0, to.1));
        let measures = result.entries.iter().flat_map(|entry| &entry.measures);
        let spill = measures
            .into_iter()
            .find(|m| m.key == "spill_size")
            .unwrap();
        assert_eq!(spill.better.name(), better, "{from:?} {to:?}");
        let per_lane = (from.0 != to.0).then(|| {
            let divided = |(lanes, size): (u32, u32)| f64::from(size) / f64::from(lanes);
            (divided(from), divided(to))
        });
        assert_eq!(spill.per_lane(), per_lane);
    }
}

/// Lines with the same visible text differ by their line ends, or far from their start.
#[test]
fn lines_that_look_alike() {
    let text = "kernels:\n- name: a\n".repeat(40);
    let cut = text.strip_suffix('\n').unwrap();
    let (long, longer) = ("x".repeat(5000), "x".repeat(5001));
    let returns = text.replace('\n', "\r\n");
    for (a, b) in [(text.as_str(), cut), (&long, &longer), (&text, &returns)] {
        for (a, b) in [(a, b), (b, a)] {
            let found = violations(a.as_bytes(), b.as_bytes());
            assert!(found.is_empty(), "{}", found.join("\n"));
            let result = compare(
                &mut open(a.as_bytes()),
                &mut open(b.as_bytes()),
                &Options::default(),
            );
            let mut fields = result.entries.iter().flat_map(|entry| &entry.fields);
            assert!(fields.any(|field| field.key == "size" || field.key == "contents"));
        }
    }
}

#[test]
fn invariants_hold_for_every_pair() {
    let watchdog = Watchdog::start();
    let mut wrong = Vec::new();
    let mut hold = |what: String, a: &[u8], b: &[u8]| {
        watchdog.case(&what);
        wrong.extend(
            violations(a, b)
                .into_iter()
                .map(|line| format!("{what}: {line}")),
        );
    };
    for (a, b) in &related() {
        hold(format!("{} and {}", a.name, b.name), &a.bytes, &b.bytes);
    }
    let others = [fixtures::syclbins(), fixtures::hosts(), fixtures::hostile()];
    for files in &others {
        for pair in files.windows(2) {
            let what = format!("{} and {}", pair[0].name, pair[1].name);
            hold(what, &pair[0].bytes, &pair[1].bytes);
        }
        for file in files {
            hold(
                format!("{} and itself", file.name),
                &file.bytes,
                &file.bytes,
            );
        }
    }
    let built = built::all();
    for pair in built.windows(2) {
        let what = format!("{} and {}", pair[0].0, pair[1].0);
        hold(what, &pair[0].1, &pair[1].1);
    }
    watchdog.case("");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Everything is compared: if a changed byte makes no difference, the format defines it as layout.
#[test]
fn one_changed_byte_is_a_difference_or_layout() {
    let watchdog = Watchdog::start();
    let mut wrong = Vec::new();
    let mut files = built::all();
    let fixtures = [
        fixtures::zebins(),
        fixtures::syclbins(),
        fixtures::hosts(),
        fixtures::hostile(),
    ];
    let fixtures: Vec<(String, Vec<u8>)> = fixtures
        .into_iter()
        .flatten()
        .map(|file| (file.name, file.bytes))
        .collect();
    let built = files
        .drain(..)
        .map(|(name, bytes)| (name.to_owned(), bytes));
    for (name, bytes) in built.chain(fixtures) {
        watchdog.case(&name);
        let count = if bytes.len() < 100 << 10 { 24 } else { 2 };
        let found = unfounded_claims(&bytes, &mut Random::named(&name), count);
        wrong.extend(found.into_iter().map(|line| format!("{name}: {line}")));
    }
    watchdog.case("");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Undecoded bytes always differ, with their ranges.
#[test]
fn bytes_without_a_format_differ() {
    let mut random = Random::named("unknown");
    let mut bytes = |head: &[u8], length: usize| -> Vec<u8> {
        let rest = (0..length).map(|_| random.below(256) as u8);
        head.iter().copied().chain(rest).collect()
    };
    let text = |word: &str| {
        format!("{word} and more text\n")
            .repeat(400_000)
            .into_bytes()
    };
    let zstd = |bytes: &[u8]| compressed::stream(Method::Zstd, bytes);
    let bitcode = b"BC\xc0\xde";
    let pairs = [
        (bytes(b"", 1000), bytes(b"", 1000)),
        (bytes(b"", 1000), bytes(b"", 1001)),
        (bytes(bitcode, 800), bytes(bitcode, 800)),
        (zstd(b"some bytes"), zstd(b"other bytes")),
        // Longer than the limit of the comparison by lines.
        (text("long"), text("much")),
        (b"one".to_vec(), b"two".to_vec()),
        (b"one".to_vec(), Vec::new()),
    ];
    for (a, b) in pairs {
        for (a, b) in [(&a, &b), (&b, &a)] {
            let result = compared(a, b);
            assert_eq!(result.outcome(), Outcome::Different, "{:?}", result.a);
            let mut fields = result.entries.iter().flat_map(|entry| &entry.fields);
            let has_bytes = fields.any(|field| {
                let sides = [&field.from, &field.to];
                sides
                    .iter()
                    .any(|side| side.as_ref().is_some_and(|side| side.span.is_some()))
            });
            assert!(has_bytes, "{:#?}", result.entries);
        }
        assert_eq!(compared(&a, &a).outcome(), Outcome::Identical);
    }
    // After the parts of a file, and between them.
    let file = zebin::small().build().bytes;
    let with = |last: u8| [&file[..], b"somebody else's byte", &[last]].concat();
    let result = compared(&with(1), &with(2));
    assert_eq!(result.outcome(), Outcome::Different);
    assert!(result.entries.iter().all(|entry| entry.part == Part::Bytes));
}

/// Segments and addresses, which are not compared by meaning.
#[test]
fn fields_that_only_matter_to_the_loader_differ() {
    let host = hosts::usual(
        Class::Elf64,
        2,
        &spirv::kernel().build(),
        &zebin::small().build().bytes,
    )
    .build();
    // e_phnum is not 0: p_type, p_flags, p_vaddr of the first program header.
    let start = usize::try_from(u64::from_le_bytes(host[32..40].try_into().unwrap())).unwrap();
    assert!(u16::from_le_bytes(host[56..58].try_into().unwrap()) > 0);
    for (offset, what) in [
        (0, "p_type"),
        (4, "p_flags"),
        (16, "p_vaddr"),
        (24, "p_paddr"),
    ] {
        let mut changed = host.clone();
        changed[start + offset] ^= 2;
        let result = compared(&host, &changed);
        assert_eq!(result.outcome(), Outcome::Different, "{what}");
        // With another type or address, the host's index is not found.
        let mut fields = result.entries.iter().flat_map(|entry| &entry.fields);
        let is_listed = fields.any(|field| field.key == what);
        assert!(
            is_listed || result.of(Part::Image).count() > 0,
            "{:#?}",
            result.entries
        );
    }
}

/// Bits that no field of an instruction covers, and names that are equal in the first 4 096 bytes.
#[test]
fn equal_text_may_differ() {
    let named = |name: &str| {
        let mut elf = zebin::small();
        elf = elf.symbol(Symbol::new(name, 1, 0, 0));
        elf.build().bytes
    };
    let long = "s".repeat(5000);
    let result = compared(&named(&format!("{long}a")), &named(&format!("{long}b")));
    assert_eq!(result.outcome(), Outcome::Different);
    // A nop with reserved bits set is displayed as nop.
    let code = |byte: u8| {
        let mut code = zebin::code(4);
        code[..16].copy_from_slice(&[0x60, 0, 0, 0, 0, 0, 0, 0, byte, 0, 0, 0, 0, 0, 0, 0]);
        zebin::small().bytes(".text.k", code).build().bytes
    };
    let result = compared(&code(0), &code(1));
    assert_eq!(result.outcome(), Outcome::Different);
}

#[test]
fn invariants_hold_for_damaged_copies() {
    let watchdog = Watchdog::start();
    let mut wrong = Vec::new();
    let mut files: Vec<(String, Vec<u8>)> = built::all()
        .into_iter()
        .map(|(name, bytes)| (name.to_owned(), bytes))
        .filter(|(_, bytes)| bytes.len() < 16 << 10)
        .collect();
    files.push(("small".to_owned(), zebin::small().build().bytes));
    for (name, bytes) in &files {
        let mut random = Random::named(name);
        let mut mutants = Vec::new();
        let bits = random.sample(bytes.len() * 8, 12);
        mutants.extend(bits.into_iter().map(|bit| damage::flip(bytes, bit)));
        let lengths = random.sample(bytes.len(), 6);
        mutants.extend(lengths.into_iter().map(|len| damage::prefix(bytes, len)));
        mutants.extend((0..6).map(|_| damage::shuffle(bytes, &mut random)));
        for mutant in mutants {
            let what = format!("{name}, {}", mutant.what);
            watchdog.case(&what);
            let found = violations(bytes, &mutant.bytes);
            wrong.extend(found.into_iter().map(|line| format!("{what}: {line}")));
        }
    }
    watchdog.case("");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Returns `.ze_info` with one changed line, and a description.
fn changed(text: &str, random: &mut Random) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let scalars: Vec<usize> = (0..lines.len())
        .filter(|at| {
            let line = lines[*at].trim_start();
            let is_key =
                line.contains(": ") && !line.starts_with('-') && !line.starts_with("version");
            is_key && lines[*at].starts_with("    ")
        })
        .collect();
    let at = scalars[random.below(scalars.len())];
    let line = lines[at].clone();
    match random.below(4) {
        0 => {
            lines.remove(at);
        }
        1 => {
            let indent = &line[..line.len() - line.trim_start().len()];
            lines.insert(
                at,
                format!("{indent}spill_size:      {}", random.below(9000)),
            );
        }
        _ => {
            let (key, value) = line.split_once(": ").unwrap();
            let value = match value.trim() {
                "true" => "false".to_owned(),
                value if value.parse::<i64>().is_ok() => random.below(4096).to_string(),
                value if value.starts_with('[') => "[ 8, 4, 2 ]".to_owned(),
                _ => format!("other{}", random.below(9)),
            };
            lines[at] = format!("{key}: {value}");
        }
    }
    lines.join("\n") + "\n"
}

#[test]
fn changes_applied_to_one_model_give_the_other() {
    let mut random = Random::named("changes");
    let names = ["first", "second", "third"];
    let text = zebin::ze_info(&names);
    let a = zebin::zebin(&names).build().bytes;
    let before = kernels(&dump(&mut open(&a)));
    let (mut reported, mut rounds) = (0, 0);
    for _ in 0..300 {
        let mut other = text.clone();
        for _ in 0..=random.below(4) {
            other = changed(&other, &mut random);
        }
        let b = zebin::zebin(&names)
            .bytes(".ze_info", other.clone())
            .build()
            .bytes;
        let after = kernels(&dump(&mut open(&b)));
        let said = diff(&a, &b);
        let mut applied = before.clone();
        for entry in said["kernels"]["changed"].as_array().unwrap() {
            let kernel = applied.get_mut(entry["name"].as_str().unwrap()).unwrap();
            for field in entry["fields"].as_array().unwrap() {
                reported += 1;
                let path = field["path"].as_str().unwrap().to_owned();
                let key = field["key"].as_str().unwrap();
                assert!(path.ends_with(key), "{path} {key}");
                let was = kernel.get(&path).cloned().unwrap_or(Value::Null);
                assert_eq!(was, field["from"], "{path}");
                match &field["to"] {
                    Value::Null => kernel.remove(&path),
                    value => kernel.insert(path, value.clone()),
                };
            }
        }
        assert_eq!(applied, after, "{other}");
        assert_eq!(said["same_meaning"] == true, before == after);
        rounds += 1;
    }
    assert!(reported > rounds, "{reported}");
}

#[test]
fn the_order_of_arguments_and_sections_is_layout() {
    let elf = zebin::zebin(&["one", "two"]);
    let a = elf.build().bytes;
    let mut moved = elf.clone();
    moved.align = 64;
    let b = moved.build().bytes;
    let said = diff(&a, &b);
    assert_eq!(said["equal"], false);
    assert_eq!(said["same_meaning"], true, "{said:#}");
    // The entries of a list by index and kind.
    let text = zebin::ze_info(&["one", "two"]);
    let first = "      - arg_type:        global_id_offset\n        offset:          0\n        size:            12\n";
    assert!(text.contains(first));
    let swapped = text.replace(first, "");
    let swapped = swapped.replace(
        "        access_type:     readwrite\n",
        &format!("        access_type:     readwrite\n{first}"),
    );
    assert_ne!(text, swapped);
    let c = elf.clone().bytes(".ze_info", swapped).build().bytes;
    assert_eq!(diff(&a, &c)["same_meaning"], true);
}

#[test]
fn kernels_under_other_names() {
    let elf = zebin::zebin(&["before", "same"]);
    let mut other = zebin::zebin(&["after", "same"]);
    let said = diff(&elf.build().bytes, &other.build().bytes);
    assert_eq!(
        said["kernels"]["renamed"],
        serde_json::json!([["before", "after"]])
    );
    assert_eq!(said["kernels"]["changed"], serde_json::json!([]));
    assert_eq!(said["kernels"]["unchanged"], 1);
    assert_eq!(said["sections"]["added"], serde_json::json!([]), "{said:#}");
    // With another value too, it is renamed and changed.
    let text = zebin::ze_info(&["after", "same"]);
    let text = text.replacen("simd_size:       32", "simd_size:       16", 1);
    other = other.bytes(".ze_info", text);
    let said = diff(&elf.build().bytes, &other.build().bytes);
    let changed = &said["kernels"]["changed"][0];
    assert_eq!(changed["name"], "before");
    assert_eq!(changed["new_name"], "after");
    assert_eq!(changed["fields"][0]["key"], "simd_size");
    assert_eq!(changed["fields"][0]["from"], 32);
    assert_eq!(changed["fields"][0]["to"], 16);
    // Other code and other arguments make another kernel.
    let text = zebin::ze_info(&["after", "same"]).replacen("arg_bypointer", "arg_byvalue", 1);
    let other = other
        .bytes(".ze_info", text)
        .bytes(".text.after", vec![0x40; 160]);
    let said = diff(&elf.build().bytes, &other.build().bytes);
    assert_eq!(said["kernels"]["added"], serde_json::json!(["after"]));
    assert_eq!(said["kernels"]["removed"], serde_json::json!(["before"]));
}

#[test]
fn code_that_only_moves_is_the_same() {
    let files = fixtures::zebins();
    let file = files
        .iter()
        .find(|file| file.name.starts_with("vecadd.wcl"))
        .unwrap();
    let document = &mut open(&file.bytes);
    let sections = document
        .assembly(zeview::model::NodeId::ROOT)
        .unwrap()
        .sections();
    let code = sections[0].bytes;
    // The same instructions after an additional one: jumps have other offsets and the same targets.
    let at = |place: u64| usize::try_from(place).unwrap();
    let mut bytes = file.bytes.clone();
    let nop = [0x60, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    let room = bytes[at(code.start)..at(code.end)]
        .iter()
        .rev()
        .take_while(|b| **b == 0)
        .count();
    assert!(room >= 16, "there is padding behind the code");
    bytes.splice(at(code.start)..at(code.start), nop);
    bytes.drain(at(code.end)..at(code.end) + 16);
    let said = diff(&file.bytes, &bytes);
    let entry = &said["kernels"]["changed"][0]["code"];
    assert_eq!(entry["instructions_added"], 1, "{said:#}");
    assert_eq!(entry["instructions_removed"], 0, "{said:#}");
}

#[test]
fn renumbered_registers() {
    let listing = |code: &[u8]| {
        let elf = zebin::small().bytes(".text.k", code.to_vec());
        elf.build().bytes
    };
    // mov (16|M0) r127.0<1>:ud 0x0:ud, and the same with r126.
    let word = |register: u8| {
        let mut word = [0_u8; 16];
        word[..8].copy_from_slice(&[0x61, 0x00, 0x10, 0x80, 0x20, 0x42, 0x05, register]);
        word
    };
    let (a, b) = (listing(&word(127).repeat(4)), listing(&word(126).repeat(4)));
    for renumbered in [false, true] {
        let options = Options {
            renumbered,
            ..Options::default()
        };
        let result = compare(&mut open(&a), &mut open(&b), &options);
        assert_eq!(result.same_meaning(), renumbered, "{:?}", result.entries);
    }
}

#[test]
fn properties_of_syclbins() {
    for make in [Syclbin::v1 as fn(&Syclbin) -> Vec<u8>, Syclbin::v2] {
        let small = Syclbin::small();
        let a = make(&small);
        assert_eq!(diff(&a, &a)["equal"], true);
        let mut other = small.clone();
        other.modules[0].text = Text::default()
            .set("SYCL/kernel names")
            .number("vecadd", 1)
            .set("SYCL/imported symbols")
            .number("_Z5scalei", 1)
            .set("SYCL/device requirements")
            .bytes("aspects", &crate::support::syclbin::words(&[2, 9]))
            .number("reqd_sub_group_size", 16);
        let said = diff(&a, &make(&other));
        let changed = said["properties"]["changed"].as_array().unwrap();
        assert_eq!(changed.len(), 1, "{said:#}");
        assert_eq!(
            changed[0]["name"],
            "abstract module 0: SYCL/device requirements"
        );
        let fields = changed[0]["fields"].as_array().unwrap();
        let keys: Vec<&str> = fields.iter().map(|f| f["key"].as_str().unwrap()).collect();
        assert_eq!(keys, ["aspects", "reqd_sub_group_size"]);
        assert_eq!(fields[1]["from"], Value::Null);
        assert_eq!(fields[1]["to"], 16);
        for part in ["kernels", "modules", "images", "attributes", "sections"] {
            for key in ["added", "removed", "changed"] {
                assert_eq!(said[part][key], serde_json::json!([]), "{part} {key}");
            }
        }
        // The zebin in it is compared as a zebin.
        let mut other = small.clone();
        let text = zebin::ze_info(&["k"]).replace("grf_count:       128", "grf_count:       256");
        other.modules[1].native[0].bytes = zebin::small().bytes(".ze_info", text).build().bytes;
        let said = diff(&a, &make(&other));
        let kernel = &said["kernels"]["changed"][0];
        assert_eq!(kernel["name"], "k", "{said:#}");
        assert_eq!(kernel["fields"].as_array().unwrap().len(), 1);
        assert_eq!(kernel["fields"][0]["key"], "grf_count");
        assert!(
            kernel["document"].as_str().unwrap().contains("native"),
            "{kernel}"
        );
        assert_eq!(said["images"]["changed"], serde_json::json!([]));
    }
}

#[test]
fn the_bytes_that_differ() {
    let text = zebin::ze_info(&["k"]);
    let with = |text: &str| zebin::small().bytes(".ze_info", text).build().bytes;
    let (a, b) = (
        with(&text),
        with(&text.replace("grf_count:       128", "grf_count:       1024")),
    );
    let mut document = open(&b);
    assert_eq!(differing_from_base(&document), None);
    compare_with(&mut document, open(&a));
    let (from, to) = differing_from_base(&document).unwrap();
    let texts = |bytes: &[u8], spans: &[Span]| -> Vec<String> {
        let text = |span: &Span| &bytes[span.start as usize..span.end as usize];
        let texts = spans.iter().map(text);
        texts
            .map(|text| String::from_utf8_lossy(text).into_owned())
            .collect()
    };
    assert_eq!(texts(&a, &from.bytes), ["128"]);
    assert_eq!(texts(&b, &to.bytes), ["1024"]);
    // A new kernel includes all of its parts, and none of the others'.
    let two = zebin::zebin(&["k", "other"]).build().bytes;
    let mut document = open(&two);
    let one = zebin::zebin(&["k"]).build().bytes;
    compare_with(&mut document, open(&one));
    let (_, to) = differing_from_base(&document).unwrap();
    let code = |document: &mut Document, name: &str| {
        let id = document.find(name).unwrap();
        document.node(id).unwrap().span.unwrap()
    };
    let marked = |span: Span| overlaps(&to.bytes, span);
    assert!(marked(code(&mut document, ".text.other")));
    assert!(!marked(code(&mut document, ".text.k")));
}

/// Found by fuzzing.
#[test]
fn a_property_with_fewer_bits_of_the_same_bytes() {
    let with = |bits: u64| {
        let mut syclbin = Syclbin::small();
        let text = Text::default().set("EDGE/bits");
        syclbin.modules[0].text = text.bits("flags", bits, &[0xff, 0xff]);
        syclbin.v1()
    };
    let (a, b) = (with(15), with(14));
    let said = diff(&a, &b);
    let field = &said["properties"]["changed"][0]["fields"][0];
    assert_eq!(field["key"], "bits", "{said:#}");
    assert_eq!(field["path"], "EDGE/bits/flags/bits");
    assert_eq!(
        (field["from"].as_u64(), field["to"].as_u64()),
        (Some(15), Some(14))
    );
    assert_eq!(violations(&a, &b), [] as [String; 0]);
}

/// Found by fuzzing.
#[test]
fn notes_that_are_something_else_in_the_other_file() {
    let built = || zebin::zebin(&["k"]).build();
    let notes = built().bytes;
    let owner = notes.windows(8).position(|bytes| bytes == b"IntelGT\0");
    let desc = owner.unwrap() + 8;
    for other in [1, 3, 7] {
        let other_type = built().with_section(".note.intelgt.compat", "sh_type", other);
        let mut bytes = other_type.bytes;
        bytes[desc] ^= 1;
        assert_eq!(violations(&notes, &bytes), [] as [String; 0]);
        let said = diff(&notes, &bytes);
        let count = said["notes"]["removed"].as_array().unwrap().len();
        assert_eq!(count > 0, other != 7, "{said:#}");
    }
}

#[test]
fn modules_in_another_order() {
    let many = Syclbin::many(40);
    let mut other = many.clone();
    other.modules.reverse();
    for make in [Syclbin::v1 as fn(&Syclbin) -> Vec<u8>, Syclbin::v2] {
        // Modules are matched; their order is not layout.
        let result = compared(&make(&many), &make(&other));
        assert_eq!(result.outcome(), Outcome::Different);
        let mut parts = result.entries.iter().map(|entry| entry.part);
        assert!(
            parts.all(|part| part == Part::Bytes),
            "{:#?}",
            result.entries
        );
    }
    let mut fewer = many.clone();
    fewer.modules.remove(7);
    let said = diff(&many.v1(), &fewer.v1());
    assert_eq!(
        said["modules"]["removed"],
        serde_json::json!(["abstract module 7"])
    );
    assert_eq!(said["images"]["removed"].as_array().unwrap().len(), 1);
    assert_eq!(said["modules"]["changed"], serde_json::json!([]));
}

#[test]
fn images_of_host_files() {
    let spirv = spirv::kernel().build();
    let host = |simd: &str| {
        let text = zebin::ze_info(&["k"]).replace("simd_size:       32", simd);
        let zebin = zebin::small().bytes(".ze_info", text).build().bytes;
        hosts::usual(Class::Elf64, 2, &spirv, &zebin).build()
    };
    let (a, b) = (host("simd_size:       32"), host("simd_size:       16"));
    let said = diff(&a, &b);
    let kernel = &said["kernels"]["changed"][0];
    assert_eq!(kernel["name"], "k", "{said:#}");
    assert_eq!(kernel["fields"][0]["key"], "simd_size");
    assert_eq!(said["images"]["added"], serde_json::json!([]));
    assert_eq!(said["images"]["removed"], serde_json::json!([]));
    let fewer = {
        let mut host = hosts::Host::new(Class::Elf64);
        let target = host.text("spir64");
        let image = host.image(&spirv);
        let entries = host.entries(&["k", "exported"]);
        let sets = host.set("SYCL/exported symbols", &[("exported", 1)]);
        let first = host.image_struct(2, target, image, entries, Some(sets));
        host.descriptor(first, 1);
        host.build()
    };
    let said = diff(&a, &fewer);
    assert_eq!(
        said["images"]["removed"],
        serde_json::json!(["image 1"]),
        "{said:#}"
    );
}

#[test]
fn only_differing_images_are_opened() {
    let spirv = spirv::kernel().build();
    let zebin = |names: &[&str]| zebin::zebin(names).build().bytes;
    let host = |last: &[u8]| hosts::usual(Class::Elf64, 2, &spirv, last).build();
    let a = host(&zebin(&["k"]));
    let result = |b: &[u8]| compare(&mut open(&a), &mut open(b), &Options::default());
    assert_eq!(result(&host(&zebin(&["k", "l"]))).pairs.len(), 2);
    let mut same = a.clone();
    same.push(0);
    assert_eq!(result(&same).pairs.len(), 1);
}

#[test]
fn a_truncated_copy_shows_what_is_missing() {
    let files = fixtures::zebins();
    let file = files
        .iter()
        .find(|file| file.name.starts_with("globals.bmg"))
        .unwrap();
    // The headers are at the end: without them, sections are unknown.
    let cut = &file.bytes[..file.bytes.len() * 3 / 4];
    let said = diff(&file.bytes, cut);
    assert_eq!(said["same_meaning"], false);
    assert!(
        !said["kernels"]["removed"].as_array().unwrap().is_empty(),
        "{said:#}"
    );
    let result = compare(&mut open(&file.bytes), &mut open(cut), &Options::default());
    assert!(
        result.notes.iter().any(|note| note.contains("damaged")),
        "{:?}",
        result.notes
    );
    let removed = result
        .entries
        .iter()
        .filter(|entry| entry.change == Change::Removed);
    assert!(removed.count() > 3);
}

/// Damage is reported separately from the differing notes.
#[test]
fn json_has_the_outcome_and_what_could_not_be_compared() {
    let file = zebin::zebin(&["k"]).build().bytes;
    let said = diff(&file[..file.len() / 2], &file[..file.len() / 2 + 100]);
    assert_eq!(said["outcome"], "different", "{said:#}");
    assert_eq!(said["same_meaning"], false);
    let reasons = said["not_compared"].as_array().unwrap();
    assert_eq!(reasons.len(), 2, "{said:#}");
    assert!(
        reasons
            .iter()
            .all(|reason| reason.as_str().unwrap().contains("damaged"))
    );
    assert!(said["notes"]["changed"].is_array());
    assert!(!said["bytes"]["changed"].as_array().unwrap().is_empty());
    let same = diff(&file, &file);
    assert_eq!(
        (&same["outcome"], &same["equal"]),
        (&"identical".into(), &true.into())
    );
}

#[test]
fn unrelated_files_are_reported() {
    let files = fixtures::zebins();
    let find = |start: &str| {
        &files
            .iter()
            .find(|file| file.name.starts_with(start))
            .unwrap()
            .bytes
    };
    let (a, b) = (find("vecadd.wcl"), find("vecadd.icllp"));
    let result = compare(&mut open(a), &mut open(b), &Options::default());
    assert!(
        result
            .remarks
            .iter()
            .any(|remark| remark.contains("devices")),
        "{:?}",
        result.remarks
    );
    let result = compare(&mut open(a), &mut open(b"text"), &Options::default());
    let attributes: Vec<_> = result.of(Part::Attribute).collect();
    assert_eq!(attributes[0].fields[0].key, "format");
}

#[test]
fn most_important_differences_come_first() {
    let names = ["calm", "spilling", "smaller"];
    let text = zebin::ze_info(&names);
    let mut kernels: Vec<String> = text.split("  - name:").map(str::to_owned).collect();
    let add = |kernel: &mut String, line: &str| {
        *kernel = kernel.replace(
            "      simd_size:",
            &format!("      {line}\n      simd_size:"),
        );
    };
    add(&mut kernels[2], "spill_size:      4096");
    kernels[1] = kernels[1].replace("simd_size:       32", "simd_size:       16");
    let text = kernels.join("  - name:");
    let a = zebin::zebin(&names).build().bytes;
    let b = zebin::zebin(&names).bytes(".ze_info", text).build().bytes;
    let said = diff(&a, &b);
    let changed = said["kernels"]["changed"].as_array().unwrap();
    assert_eq!(changed[0]["name"], "spilling");
    assert_eq!(changed[0]["measures"][0]["key"], "spill_size");
    assert_eq!(changed[0]["measures"][0]["from"], 0);
    assert_eq!(changed[0]["measures"][0]["to"], 4096);
    assert_eq!(changed[0]["measures"][0]["better"], "worse");
    assert_eq!(changed[1]["name"], "calm");
    assert_eq!(said["kernels"]["unchanged"], 1);
    // The reverse direction is an improvement.
    let back = diff(&b, &a);
    let measure = &back["kernels"]["changed"][0]["measures"][0];
    assert_eq!(measure["key"], "spill_size");
    assert_eq!(
        (&measure["from"], &measure["to"]),
        (&4096.into(), &0.into())
    );
    assert_eq!(measure["better"], "better");
}

#[test]
fn the_work_of_many_kernels_is_linear() {
    let run = |count: usize| {
        let names: Vec<String> = (0..count).map(|at| format!("kernel_{at:06}")).collect();
        let elf: Elf = zebin::zebin(&names);
        let text = zebin::ze_info(&names).replace("simd_size:       32", "simd_size:       16");
        let (a, b) = (elf.build().bytes, elf.bytes(".ze_info", text).build().bytes);
        let (mut a, mut b) = (open(&a), open(&b));
        let result = compare(&mut a, &mut b, &Options::default());
        assert_eq!(result.of(Part::Kernel).count(), count);
        assert!(!result.is_cut);
        result.steps
    };
    let (small, large) = (run(100), run(1600));
    assert!(large < small * 20, "{small} {large}");
    // All kernels renamed.
    let names = |word: &str| -> Vec<String> { (0..2000).map(|at| format!("{word}{at}")).collect() };
    let (a, b) = (zebin::zebin(&names("old")), zebin::zebin(&names("new")));
    let result = compare(
        &mut open(&a.build().bytes),
        &mut open(&b.build().bytes),
        &Options::default(),
    );
    let renamed = result
        .of(Part::Kernel)
        .filter(|e| e.change == Change::Renamed);
    assert_eq!(renamed.count(), 2000);
    assert!(!result.is_cut);
}

#[test]
fn many_names_are_matched_once() {
    let said = diff(&zebin::many(40), &zebin::many(41));
    assert_eq!(
        said["kernels"]["added"],
        serde_json::json!(["kernel_number_000040"])
    );
    assert_eq!(said["kernels"]["unchanged"], 40);
}

fn compared(a: &[u8], b: &[u8]) -> Comparison {
    compare(&mut open(a), &mut open(b), &Options::default())
}

#[test]
fn kernels_are_counted_in_all_images() {
    let zebin = |names: &[&str]| zebin::zebin(names).build().bytes;
    let of = |names: &[&str]| {
        let mut syclbin = Syclbin::small();
        syclbin.modules[1].native[0].bytes = zebin(names);
        let one = syclbin.modules[1].native[0].clone();
        syclbin.modules[0].native.push(one);
        syclbin.v2()
    };
    let result = compared(&zebin(&["a", "b", "c"]), &zebin(&["a", "b"]));
    assert_eq!(result.kernels, (3, 2));
    let result = compared(&of(&["a", "b", "c"]), &of(&[]));
    // Its SPIR-V has one more kernel.
    assert_eq!(result.kernels, (7, 1));
    assert_eq!(compared(b"text", &zebin(&["a"])).kernels, (0, 1));
}

/// Each differing byte is in a range, and the ranges are as short as their maximum number allows.
#[test]
fn ranges_of_bytes_that_differ() {
    let file = |bytes: &[u8]| {
        let names = [".data.const", ".data.global"];
        let sections = names.map(|name| Section::new(name, 1, bytes).flags(2));
        let elf = sections.into_iter().fold(zebin::small(), Elf::section);
        let built = elf.build();
        let start = built.content(".data.const").start as u64;
        (built.bytes, start)
    };
    // Bytes are read in several pieces.
    let before = vec![0x33; 600 << 10];
    let mut random = Random::named("ranges");
    for count in [1, 2, 9, 16, 40] {
        // Distant bytes; two adjacent bytes are one range.
        let pairs = random.sample(before.len() / 64, count).into_iter();
        let pairs: BTreeSet<u64> = pairs.map(|at| at as u64 * 64 + 7).collect();
        let mut after = before.clone();
        for at in &pairs {
            for place in [*at, *at + 1] {
                after[place as usize] ^= 0xff;
            }
        }
        let ((a, _), (b, start)) = (file(&before), file(&after));
        let result = compared(&a, &b);
        assert!(
            !result.is_cut && result.notes.is_empty(),
            "{:?}",
            result.notes
        );
        let mut entries = result.of(Part::Section);
        let entry = entries.next().expect("it differs");
        assert_eq!(entry.name, ".data.const");
        // The other file is checked too.
        let other = entries.next().expect("it differs");
        assert_eq!(other.fields.len(), entry.fields.len());
        let fields = entry.fields.iter().filter(|field| field.key == "contents");
        let spans = fields.map(|field| field.to.as_ref().unwrap().span.unwrap());
        let found: Vec<(u64, u64)> = spans.map(|s| (s.start - start, s.end - start)).collect();
        let expected: Vec<(u64, u64)> = pairs.iter().map(|at| (*at, *at + 2)).collect();
        let most = found.len().min(expected.len());
        assert!(expected.len() <= 16 || most == 16, "{count}: {most}");
        assert_eq!(found[..most - 1], expected[..most - 1]);
        // The last range spans the rest.
        assert_eq!(found.len(), most);
        assert_eq!(found[most - 1].0, expected[most - 1].0);
        assert_eq!(found[most - 1].1, expected[expected.len() - 1].1);
    }
}

/// Among several new kernels, the one with the most similar code is chosen; among equally similar
/// ones, the one with the same arguments.
#[test]
fn the_new_name_of_a_kernel_that_has_changed() {
    let table = isa::table(&fixtures::folder().join("isa"), Platform::Xe2);
    let rows = isa::rows(&table, [Some(0), Some(1), Some(2), Some(3)]);
    let words = rows.into_iter().filter(|row| row.status == "ok");
    let words: Vec<Vec<u8>> = words.map(|row| row.bytes).take(160).collect();
    // Every n-th instruction differs.
    let code = |every: usize| -> Vec<u8> {
        let mut words = words.clone();
        let (head, tail) = words.split_at_mut(120);
        for (place, other) in (every / 2..head.len()).step_by(every).zip(tail) {
            head[place].clone_from(other);
        }
        words[..120].concat()
    };
    let file = |kernels: &[(&str, usize, &str)]| {
        let names: Vec<&str> = kernels.iter().map(|kernel| kernel.0).collect();
        let mut elf = zebin::zebin(&names);
        let mut text = String::from("version: '1.73'\nkernels:\n");
        for (name, every, kind) in kernels {
            elf = elf.bytes(&format!(".text.{name}"), code(*every));
            text += &zebin::ze_info_kernel(name).replace("arg_bypointer", kind);
        }
        elf.bytes(".ze_info", text).build().bytes
    };
    const SAME: &str = "arg_bypointer";
    const OTHER: &str = "arg_byvalue";
    let a = file(&[("before", 200, SAME)]);
    let renamed = |kernels: &[(&str, usize, &str)]| {
        let said = diff(&a, &file(kernels));
        said["kernels"]["renamed"].clone()
    };
    let first = renamed(&[("first", 100, OTHER), ("second", 100, SAME)]);
    assert_eq!(first, serde_json::json!([["before", "second"]]));
    // The less similar kernel alone is similar enough.
    let alone = renamed(&[("second", 16, SAME)]);
    assert_eq!(alone, serde_json::json!([["before", "second"]]));
    let better = renamed(&[("first", 100, OTHER), ("second", 16, SAME)]);
    assert_eq!(better, serde_json::json!([["before", "first"]]));
}

#[test]
fn lines_of_texts() {
    let lines: Vec<String> = (0..30).map(|at| format!("line of text {at}\n")).collect();
    let file = |text: String| {
        let section = Section::new(".visaasm.k", 0xff00_0013, text);
        zebin::small().section(section).build().bytes
    };
    let mut more = lines.clone();
    more.insert(3, "a new one\n".to_owned());
    more[20] = "another one\n".to_owned();
    let said = diff(&file(lines.concat()), &file(more.concat()));
    let changed = &said["sections"]["changed"][0];
    assert_eq!(changed["name"], ".visaasm.k", "{said:#}");
    let fields = changed["fields"].as_array().unwrap().iter();
    let fields = fields.filter(|field| field["key"].as_str().unwrap().starts_with("line "));
    let sides = |field: &Value| [field["from"].clone(), field["to"].clone()];
    let found: Vec<[Value; 2]> = fields.map(sides).collect();
    let expected = serde_json::json!([[null, "a new one"], ["line of text 19", "another one"]]);
    assert_eq!(serde_json::to_value(found).unwrap(), expected);
}

/// Lists whose entries have no identity are compared in order.
#[test]
fn entries_without_names() {
    let file = |list: &str| {
        let text = zebin::ze_info(&["k"]);
        let text = text.replace(
            "kernels:\n",
            &format!("of_somebody_else: {list}\nkernels:\n"),
        );
        zebin::small().bytes(".ze_info", text).build().bytes
    };
    let said = diff(
        &file("[ [ 1, 2 ], [ 3, 4 ], [ 5, 6 ], [ 7, 8 ] ]"),
        &file("[ [ 1, 2 ], [ 3, 9 ], [ 5, 6 ], [ 7, 8 ] ]"),
    );
    assert_eq!(said["same_meaning"], false, "{said:#}");
    let fields: Vec<&Value> = Part::ALL
        .iter()
        .flat_map(|part| said[part.name()]["changed"].as_array().unwrap())
        .flat_map(|entry| entry["fields"].as_array().unwrap())
        .collect();
    assert_eq!(fields.len(), 1, "{said:#}");
    assert_eq!(fields[0]["from"], "item [ 3, 4 ]");
    assert_eq!(fields[0]["to"], "item [ 3, 9 ]");
}

/// Relocations move with changed code; elsewhere, another offset is a difference.
#[test]
fn places_of_relocations() {
    let file = |offset: u64, code: Vec<u8>| {
        let list = |offset| {
            let of = |offset, kind| Relocation {
                offset,
                symbol: 3,
                kind,
                addend: 0,
            };
            vec![of(offset, 2), of(0x10, 7)]
        };
        let mut elf = zebin::small().bytes(".text.k", code);
        *elf.named(".rel.text.k") = Section::relocations(".text.k", list(offset), false);
        elf.build().bytes
    };
    let (code, mut other) = (zebin::code(20), zebin::code(20));
    let fields = |a: &[u8], b: &[u8]| -> Vec<Value> {
        let said = diff(a, b);
        let changed = said["relocations"]["changed"].as_array().unwrap().iter();
        changed
            .flat_map(|entry| entry["fields"].as_array().unwrap().clone())
            .collect()
    };
    let moved = fields(&file(0x0c, code.clone()), &file(0x1c, code.clone()));
    assert_eq!(moved.len(), 1, "{moved:?}");
    assert_eq!(moved[0]["key"], "r_offset");
    other[..16].copy_from_slice(&[0x60, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    let moved = fields(&file(0x0c, code), &file(0x1c, other));
    assert_eq!(moved, Vec::<Value>::new());
}

/// Compares a document with another file, which it keeps.
fn compare_with(document: &mut Document, mut base: Document) {
    let kernels = (None, None);
    let mut steps = ComparisonSteps::new(&base, document, kernels, Options::default());
    while steps.step(&mut base, document) {}
    keep_base(document, base, steps.finish());
}

/// The kernels of two libraries, step by step, with the progress so far.
#[test]
fn steps_count_the_kernels() {
    let wheel = |simd: &[u8; 19]| {
        let names: Vec<String> = (0..100).map(|at| format!("k{at}")).collect();
        let names: Vec<&str> = names.iter().map(|name| &**name).collect();
        let mut built = zebin::zebin(&names).build().bytes;
        let written = b"simd_size:       32";
        let places: Vec<usize> = (0..built.len())
            .filter(|at| built[*at..].starts_with(written))
            .collect();
        assert_eq!(places.len(), 100);
        for at in places {
            built[at..at + written.len()].copy_from_slice(simd);
        }
        packages::zip(&[packages::stored("a.zebin", &built)])
    };
    let (one, other) = (wheel(b"simd_size:       32"), wheel(b"simd_size:       16"));
    let (mut a, mut b) = (open(&one), open(&other));
    let mut steps = ComparisonSteps::new(&a, &b, (None, None), Options::default());
    let mut seen = Vec::new();
    while steps.step(&mut a, &mut b) {
        seen.extend(
            steps
                .progress()
                .map(|progress| (progress.done, progress.of)),
        );
    }
    assert!(seen.len() > 2 && seen.is_sorted(), "{seen:?}");
    assert!(
        seen.iter().all(|(done, of)| *of == 100 && done < of),
        "{seen:?}"
    );
    let (whole, kernels) = steps.finish();
    assert_eq!(whole.of(Part::Kernel).count(), 100);
    // Stopped in the middle, and begun again with what was read.
    let mut steps = ComparisonSteps::new(&a, &b, kernels, Options::default());
    steps.step(&mut a, &mut b);
    steps.step(&mut a, &mut b);
    let (_, kernels) = steps.finish();
    let mut steps = ComparisonSteps::new(&a, &b, kernels, Options::default());
    while steps.step(&mut a, &mut b) {}
    assert_eq!(steps.finish().0, whole);
}
