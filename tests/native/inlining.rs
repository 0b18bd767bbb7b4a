//! Chains of inlined calls, compared with what pyelftools and llvm-symbolizer find.

use std::fs;
use std::path::PathBuf;

use zeview::model::NodeId;
use zeview::tables::{self, Detail, ListId};

use crate::cli::{stdout, zeview};
use crate::support::inlining::{chains, written};
use crate::support::{fixtures, open};

fn folder() -> PathBuf {
    fixtures::folder().join("inlining")
}

fn reference(name: &str) -> String {
    fs::read_to_string(folder().join(format!("{name}.tsv"))).unwrap()
}

/// As pyelftools finds them (`zebins.py`).
#[test]
fn chains_of_zebins_are_those_of_pyelftools() {
    for name in ["debugme-lines.ptl-h.igc2.40", "debugme.tgllp.igc1.12504"] {
        let file = fixtures::folder().join(format!("zebin/{name}.zebin"));
        let document = open(&fs::read(file).unwrap());
        let found = written(&chains(&document, 8));
        assert!(found.contains("energy|") && found.contains(" < step|"));
        assert_eq!(found, reference(name), "{name}");
    }
}

/// As `llvm-symbolizer` finds them (`symbolize.py`): four levels, DWARF 4 and 5, with range lists, with
/// indexed addresses and strings, discriminators, and mangled names, at every byte.
#[test]
fn chains_of_host_programs_are_those_of_llvm() {
    for name in ["nested-dwarf4", "nested-dwarf5", "indexed-dwarf5"] {
        let document = open(&fs::read(folder().join(format!("{name}.elf"))).unwrap());
        let reference = reference(name);
        let number = |text: &str| u64::from_str_radix(text.trim_start_matches("0x"), 16).unwrap();
        let first = reference.split('\t').next().map(number).unwrap();
        let rows = chains(&document, 1);
        let found: String = rows
            .iter()
            .map(|(_, start, end, frames)| {
                let frames = if frames.is_empty() { "|:0:0:0" } else { frames };
                format!("{:#x}\t{:#x}\t{frames}\n", first + start, first + end)
            })
            .collect();
        assert_eq!(found, reference, "{name}");
    }
}

/// The inspector gets the chain, and the columns of the listing have it.
#[test]
fn the_inspector_shows_the_chain() {
    let file = fixtures::folder().join("zebin/debugme.tgllp.igc1.12504.zebin");
    let mut document = open(&fs::read(file).unwrap());
    let list = tables::list(&mut document, NodeId::ROOT, ListId::Instructions, None).unwrap();
    let columns = ListId::Instructions.columns().iter();
    let place = |id: &str| columns.clone().position(|column| column.id == id).unwrap();
    let (function, inlined) = (place("function"), place("inlined"));
    let mut seen = 0;
    for row in 0..list.count() {
        let span = list.entry(row, &document.sources).unwrap();
        let about = list.about(row, span, &document.sources);
        let Detail::Instruction(detail) = about.detail else {
            panic!("{:?}", about.detail);
        };
        let text = |column| {
            let cell = list.cell(row, column, &document.sources).shown();
            cell.value.text().into_owned()
        };
        let first = detail.frames.first();
        assert_eq!(text(function), first.map_or("", |frame| &frame.function));
        if text(function) == "energy" {
            seen += 1;
            let names: Vec<&str> = detail.frames.iter().map(|of| &*of.function).collect();
            assert_eq!(names, ["energy", "step"]);
            assert_eq!(text(inlined), "debugme.cl:9 in step");
        } else {
            assert_eq!(text(inlined), "");
        }
    }
    assert_eq!(seen, 4);
}

/// Any byte of the debug sections may be wrong.
#[test]
fn damaged_debug_information_gives_chains_all_the_same() {
    let bytes = fs::read(folder().join("indexed-dwarf5.elf")).unwrap();
    let whole = chains(&open(&bytes), 1).len();
    let mut different = 0;
    for at in (0..bytes.len()).step_by(7) {
        for value in [0, 0x7f, 0xff] {
            let mut bytes = bytes.clone();
            bytes[at] = value;
            different += usize::from(chains(&open(&bytes), 16).len() != whole);
        }
    }
    assert!(different > 0);
}

/// The chain is in the listing, in the lines, and in the figures.
#[test]
fn commands_show_the_chain() {
    let file = fixtures::folder().join("zebin/debugme.tgllp.igc1.12504.zebin");
    let file = file.to_str().unwrap();
    let listing = stdout(&zeview(&["disasm", "--source", "--kernel", "step", file]));
    assert!(
        listing.contains("// debugme.cl:2 in energy, inlined at debugme.cl:9 in step\n"),
        "{listing}"
    );
    assert!(listing.contains("// debugme.cl:5\n"), "{listing}");
    let lines = stdout(&zeview(&["lines", "--filter", "function=energy", file]));
    assert!(lines.contains("debugme.cl:9 in step"), "{lines}");
    assert_eq!(
        lines.lines().filter(|line| line.contains("energy")).count(),
        4,
        "{lines}"
    );
    let json = zeview(&["analyze", "--json", "--all", "--kernel", "step", file]);
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    let kernel = &json[0];
    let functions = kernel["source_functions"].as_array().unwrap();
    let of = |name: &str| {
        let mut functions = functions.iter();
        functions.find(|of| of["function"] == name).unwrap()
    };
    let (step, energy) = (of("step"), of("energy"));
    assert_eq!(energy["inlined_calls"], 1);
    assert_eq!(step["inlined_calls"], 0);
    let sum = |key: &str| {
        let own = [step, energy].map(|of| of["own"][key].as_u64().unwrap());
        assert_eq!(step["with_inlined"][key], own[0] + own[1], "{key}");
    };
    for key in ["instructions", "cycles", "stalls"] {
        sum(key);
    }
    // What is inlined counts for the line of the call.
    let of_line = |list: &str, line: u32| {
        let mut lines = kernel[list].as_array().unwrap().iter();
        let found = lines.find(|of| of["line"] == line);
        found.map_or(0, |of| of["instructions"].as_u64().unwrap())
    };
    let inlined = energy["own"]["instructions"].as_u64().unwrap();
    assert!(inlined > 0);
    assert_eq!(of_line("lines", 2), inlined);
    assert_eq!(of_line("outermost_lines", 2), 0);
    assert_eq!(of_line("outermost_lines", 9), of_line("lines", 9) + inlined);
}
