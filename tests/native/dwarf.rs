//! DWARF: lines and entries compared with other readers, and invariants of damaged sections.

mod built;

use std::collections::BTreeSet;
use std::process::Command;

use crate::support::damage;
use crate::support::fixtures::{self, Fixture};
use crate::support::invariants::hold_for_all;
use crate::support::random::Random;
use crate::support::tree::{Flat, Tree, walk_all};
use crate::support::watchdog::Watchdog;
use zeview::decode::decode;
use zeview::model::text::{TextOptions, value_text, write_tree};
use zeview::model::{Document, FileSource, NodeKind};

/// Returns zebins with DWARF: fixtures, and corpus files if available.
fn samples() -> Vec<Fixture> {
    let mut files = fixtures::zebins();
    if let Some(corpus) = fixtures::corpus() {
        files.extend(fixtures::in_folder(&corpus.join("samples/zebin"), "zebin"));
    }
    let has_lines = |file: &Fixture| file.bytes.windows(12).any(|w| w == b".debug_line\0");
    // The largest files add nothing new.
    files.retain(|file| has_lines(file) && file.bytes.len() < 1 << 20);
    assert!(files.len() >= 2, "only {} files with DWARF", files.len());
    files
}

fn section<'a>(tree: &'a Tree, name: &str) -> Option<&'a Flat> {
    let top = tree.children(&tree.nodes[0]).iter();
    top.into_iter().find(|f| f.node.name == name)
}

/// Returns all descendants of a node.
fn below<'a>(tree: &'a Tree, flat: &'a Flat) -> Vec<&'a Flat> {
    let mut all = vec![flat];
    let mut at = 0;
    while let Some(flat) = all.get(at).copied() {
        all.extend(tree.children(flat));
        at += 1;
    }
    all
}

/// Returns the output of llvm-dwarfdump, if it is installed.
fn dwarfdump(option: &str, file: &Fixture) -> Option<String> {
    let output = Command::new("llvm-dwarfdump")
        .arg(option)
        .arg(&file.path)
        .output();
    let output = output.ok()?;
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Returns the address, line and column of each row, in table order.
fn rows(tree: &Tree) -> Vec<(u64, u64, u64)> {
    let Some(lines) = section(tree, ".debug_line") else {
        return Vec::new();
    };
    let row = |flat: &&Flat| {
        let summary = flat.node.summary.as_deref()?;
        let (_, row) = summary.split_once("row 0x")?;
        let (address, place) = row.split_once(": ")?;
        let address = u64::from_str_radix(address, 16).ok()?;
        let numbers = place.replace(", line ", ":").replace(", column ", ":");
        let mut numbers = numbers.split(':').skip(1).map(|n| n.parse().unwrap());
        match place {
            "end" => None,
            _ => Some((address, numbers.next()?, numbers.next().unwrap_or(0))),
        }
    };
    below(tree, lines).iter().filter_map(row).collect()
}

#[test]
fn rows_of_lines_are_those_of_llvm() {
    for file in samples() {
        let Some(text) = dwarfdump("--debug-line", &file) else {
            eprintln!("llvm-dwarfdump is not installed");
            return;
        };
        let row = |line: &str| {
            let numbers: Vec<&str> = line.split_ascii_whitespace().collect();
            let address = numbers.first()?.strip_prefix("0x")?;
            let address = u64::from_str_radix(address, 16).ok()?;
            let is_row = numbers.len() >= 6 && !numbers.contains(&"end_sequence");
            let number = |i: usize| numbers.get(i)?.parse().ok();
            is_row.then_some((address, number(1)?, number(2)?))
        };
        let expected: Vec<(u64, u64, u64)> = text.lines().filter_map(row).collect();
        let document = crate::support::open(&file.bytes);
        let made = rows(&walk_all(&document).unwrap());
        assert!(!made.is_empty(), "{}", file.name);
        assert_eq!(made, expected, "{}", file.name);
    }
}

#[test]
fn entries_are_those_of_llvm() {
    for file in samples() {
        let Some(text) = dwarfdump("--debug-info", &file) else {
            eprintln!("llvm-dwarfdump is not installed");
            return;
        };
        let entry = |line: &str| {
            let (offset, rest) = line.split_once(':')?;
            let offset = u64::from_str_radix(offset.strip_prefix("0x")?, 16).ok()?;
            let tag = rest.trim();
            tag.starts_with("DW_TAG_").then(|| (offset, tag.to_owned()))
        };
        let expected: BTreeSet<(u64, String)> = text.lines().filter_map(entry).collect();
        let document = crate::support::open(&file.bytes);
        let tree = walk_all(&document).unwrap();
        let info = section(&tree, ".debug_info").unwrap();
        let units = below(&tree, info);
        let mut offsets = units
            .iter()
            .filter(|f| f.node.name == "debug_abbrev_offset");
        // It does not know these relocations, and uses the first table for all units.
        if offsets.any(|f| {
            f.node
                .xrefs
                .iter()
                .any(|x| x.label != value_text(&f.node.value))
        }) {
            continue;
        }
        let start = info.node.span.unwrap().start;
        let entries = below(&tree, info)
            .into_iter()
            .filter(|f| f.node.name.starts_with("DW_TAG_"));
        let made = entries.map(|f| (f.node.span.unwrap().start - start, f.node.name.to_string()));
        let made: BTreeSet<(u64, String)> = made.collect();
        assert!(!made.is_empty() && made == expected, "{}", file.name);
    }
}

#[test]
fn nothing_in_real_files_is_unreadable() {
    for file in samples() {
        let document = crate::support::open(&file.bytes);
        let text = crate::support::invariants::text_of(&document);
        for words in [
            "unreadable",
            "no unit",
            "no line program",
            "no list",
            "rest of the header",
        ] {
            assert!(!text.contains(words), "{}: {words}", file.name);
        }
    }
}

#[test]
fn instructions_know_their_lines_and_lines_their_instructions() {
    let file = fixtures::zebins();
    let file = file
        .iter()
        .find(|f| f.name == "debugme-lines.ptl-h.igc2.40.zebin")
        .unwrap();
    let document = crate::support::open(&file.bytes);
    let tree = walk_all(&document).unwrap();
    let with = |why: &str| -> Vec<&Flat> {
        let all = tree.nodes.iter();
        all.filter(|f| f.node.xrefs.iter().any(|x| x.why == why))
            .collect()
    };
    let instructions = with("source");
    assert!(instructions.len() > 50, "{}", instructions.len());
    let text = section(&tree, ".text.step").unwrap().node.span.unwrap();
    for instruction in instructions {
        let span = instruction.node.span.unwrap();
        let source = instruction
            .node
            .xrefs
            .iter()
            .find(|x| x.why == "source")
            .unwrap();
        assert!(text.contains(span), "{span:?}");
        // The referenced row refers back to it, or to an earlier one.
        let row = tree
            .nodes
            .iter()
            .find(|f| f.node.span == Some(source.to))
            .unwrap();
        let code = row.node.xrefs.iter().find(|x| x.why == "code").unwrap();
        assert!(code.to.start <= span.start, "{span:?}");
        let place = row.node.summary.as_deref().unwrap();
        assert!(place.contains(&*source.label), "{place}: {}", source.label);
    }
}

#[test]
fn symbols_are_resolved_by_name() {
    // The code of both kernels starts at 0: only relocations distinguish them.
    let name = "debugme.tgllp.igc1.12504.zebin";
    let file = fixtures::zebins()
        .into_iter()
        .find(|f| f.name == name)
        .unwrap();
    let document = crate::support::open(&file.bytes);
    let tree = walk_all(&document).unwrap();
    let info = section(&tree, ".debug_info").unwrap();
    let all = below(&tree, info);
    let low = all.iter().filter(|f| f.node.name == "DW_AT_low_pc");
    for node in low.map(|f| &f.node) {
        let code = node.xrefs.iter().find(|x| x.why == "code").unwrap();
        let label = &code.label;
        assert!(label.starts_with(".text."), "{label}");
    }
}

/// Damages DWARF, its relocations and their symbols.
#[test]
fn damaged_sections() {
    let watchdog = Watchdog::start();
    for file in fixtures::zebins() {
        let document = crate::support::open(&file.bytes);
        let tree = walk_all(&document).unwrap();
        let names = [
            ".debug_info",
            ".debug_abbrev",
            ".debug_line",
            ".debug_loc",
            ".debug_ranges",
        ];
        let Some(_) = section(&tree, ".debug_info") else {
            continue;
        };
        let mut random = Random::named(&file.name);
        let mut mutants = Vec::new();
        let relocations = [".rela.debug_info", ".rela.debug_line", ".symtab"];
        for name in names.iter().chain(&relocations) {
            let Some(span) = section(&tree, name).and_then(|f| f.node.span) else {
                continue;
            };
            for _ in 0..50 {
                let at = span.start as usize + random.below(span.len() as usize);
                mutants.push(damage::flip(&file.bytes, at * 8 + random.below(8)));
            }
            for value in [0, 0xff, 0x80] {
                let mut bytes = file.bytes.clone();
                let from = span.start as usize + random.below(span.len() as usize);
                bytes[from..(from + 24).min(span.end as usize)].fill(value);
                let what = format!("{name} filled with {value:#x}");
                mutants.push(damage::Mutant { what, bytes });
            }
        }
        hold_for_all(&file.name, &watchdog, mutants.into_iter());
    }
}

/// Reads a file of another compiler: the test program itself, if readable.
#[test]
fn a_host_program_with_debug_information() {
    let Ok(path) = std::env::current_exe() else {
        return;
    };
    let Ok(source) = FileSource::open(&path) else {
        return;
    };
    let document: Document = decode(Box::new(source), "test");
    let root = document.root().clone();
    let count = document.count(&root);
    let top = document.make(&root, 0..count);
    let lines = top.iter().find(|node| node.name == ".debug_line");
    let Some(lines) = lines.filter(|node| node.kind == NodeKind::Table) else {
        return;
    };
    let mut out = Vec::new();
    let options = TextOptions {
        depth: Some(1),
        ..TextOptions::default()
    };
    write_tree(&document, lines, options, &mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    assert!(text.contains("line program"), "{text}");
}
