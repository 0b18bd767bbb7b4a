//! Values from outside of a kernel, named at the instructions that use them.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::rc::Rc;
use zeview::tables;

use zeview::analysis::data_flow::Flows;
use zeview::analysis::kernel_inputs::{InputKind, KernelInput};
use zeview::decode::isa::dataflow::DataFlow;
use zeview::decode::isa::{Decoder, Platform};
use zeview::model::Document;
use zeview::tables::ListId;

use crate::support::isa::hex;
use crate::support::open;

fn fixtures() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/zebin")
}

/// An instruction with a value from outside of its kernel.
struct Use {
    kernel: String,
    operation: String,
    /// The instruction, with the meaning of its message.
    text: String,
    inputs: Vec<KernelInput>,
}

fn uses(document: &mut Document) -> Vec<Use> {
    let mut out = Vec::new();
    for id in tables::documents_with(document, ListId::Kernels) {
        // SPIR-V has no code.
        let Some(assembly) = document.assembly(id) else {
            continue;
        };
        let sections = assembly.sections();
        for section in sections.iter() {
            let listing = document
                .listing(id, Some(section.bytes), None)
                .expect("a listing");
            let Some(flow) = listing.data_flow(&document.sources) else {
                continue;
            };
            for row in 0..listing.count() {
                let inputs = flow.inputs(row).unwrap();
                let line = listing.line(row, &document.sources).expect("a line");
                if !inputs.is_empty() {
                    out.push(Use {
                        kernel: section.name.trim_start_matches(".text.").to_owned(),
                        operation: line.operation.clone(),
                        text: format!("{} // {}", line.text, line.comment),
                        inputs,
                    });
                }
            }
        }
    }
    out
}

fn uses_of(name: &str) -> Vec<Use> {
    uses(&mut open(
        &fs::read(fixtures().join(name)).expect("a fixture"),
    ))
}

/// The buffer that a message accesses: by address, surface, or offset of the surface.
fn buffer(input: &KernelInput) -> Option<&str> {
    match input.from {
        InputKind::Address | InputKind::Surface => Some(&input.name),
        InputKind::Payload if input.operand == "descriptor" => {
            input.name.strip_prefix("surface of ")
        }
        _ => None,
    }
}

/// `c[i] = a[i] + b[i]` if `i < n`: on each device, messages load from a and b and store to c, and
/// a comparison reads n.
#[test]
fn arguments_of_vecadd_are_those_of_the_source() {
    let mut files = 0;
    for entry in fs::read_dir(fixtures()).expect("a folder") {
        let name = entry
            .expect("an entry")
            .file_name()
            .into_string()
            .expect("a name");
        // The compiler left the messages out of this one.
        if !name.starts_with("vecadd") || !name.ends_with(".zebin") || name.contains("eff64") {
            continue;
        }
        let uses = uses_of(&name);
        // An archive of files in an older format.
        if uses.is_empty() {
            continue;
        }
        // Some files do not have the names.
        let named = |name: &str| match name {
            "argument 0" => "a".to_owned(),
            "argument 1" => "b".to_owned(),
            "argument 2" => "c".to_owned(),
            "argument 3" => "n".to_owned(),
            name => name.to_owned(),
        };
        files += 1;
        let of = |words: [&str; 2]| -> BTreeSet<String> {
            let messages = uses.iter().filter(|of| of.operation.starts_with("send"));
            let messages = messages.filter(|of| words.iter().any(|word| of.text.contains(word)));
            let buffers = messages.flat_map(|of| of.inputs.iter().filter_map(buffer));
            buffers.map(named).collect()
        };
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let loaded: BTreeSet<String> = names(&["a", "b"]);
        assert_eq!(of(["load.", " read"]), loaded, "{name}");
        assert_eq!(of(["store.", " write"]), names(&["c"]), "{name}");
        let compared = uses.iter().filter(|of| of.operation.starts_with("cmp"));
        let mut compared = compared.flat_map(|of| &of.inputs);
        assert!(compared.any(|input| named(&input.name) == "n"), "{name}");
        let mut inputs = uses.iter().flat_map(|of| &of.inputs);
        assert!(inputs.any(|input| input.name == "local_id.x"), "{name}");
    }
    assert!(files > 10, "{files}");
}

/// The bytes of an input are those of its record in the text, which states its offset and size.
#[test]
fn inputs_refer_to_their_records() {
    let mut checked = 0;
    for name in [
        "vecadd.wcl.igc2.40.zebin",
        "restrict_arginfo.skl.igc1.17791.zebin",
        "images.bmg.igc2.40.zebin",
        "regiongroup.cri.igc2.40.zebin",
    ] {
        let mut document = open(&fs::read(fixtures().join(name)).expect("a fixture"));
        for of in uses(&mut document) {
            for input in of.inputs {
                if !matches!(input.from, InputKind::Payload | InputKind::PerThread) {
                    continue;
                }
                let span = input.span.expect("a record");
                let record = document.sources.read(span).expect("bytes");
                let record = String::from_utf8(record.to_vec()).expect("text");
                let number = |key: &str| -> u64 {
                    let mut lines = record
                        .lines()
                        .map(|line| line.trim_start_matches(['-', ' ']));
                    let line = lines.find_map(|line| line.strip_prefix(key)?.strip_prefix(':'));
                    line.and_then(|line| line.trim().parse().ok())
                        .expect("a number")
                };
                let (offset, size) = (number("offset"), number("size"));
                assert!(
                    (offset..offset + size).contains(&input.offset),
                    "{name} {}: {} {record}",
                    of.text,
                    input.text
                );
                checked += 1;
            }
        }
    }
    assert!(checked > 100, "{checked}");
}

#[test]
fn surfaces_images_and_ids_have_names() {
    let texts = |file: &str, kernel: &str| -> BTreeSet<String> {
        let uses = uses_of(file).into_iter().filter(|of| of.kernel == kernel);
        uses.flat_map(|of| of.inputs)
            .map(|input| input.text)
            .collect()
    };
    let found = texts("images.bmg.igc2.40.zebin", "img2d");
    for text in [
        "r4.5:q = payload +72 = smp",
        "r1 = payload of the thread +0 = local_id.x",
        "r2 = payload of the thread +64 = local_id.y",
        "r3.4 = payload +16 = enqueued_local_size.y",
    ] {
        assert!(found.contains(text), "{text}: {found:#?}");
    }
    let images = found.iter().filter(|text| text.contains("surface of src"));
    assert!(images.count() > 0, "{found:#?}");
}

/// `g_scalar` and others are read at constant offsets from the start of `.data.global`.
#[test]
fn data_of_a_section_is_linked() {
    let mut document =
        open(&fs::read(fixtures().join("globals.bmg.igc2.40.zebin")).expect("a fixture"));
    let uses = uses(&mut document);
    let data: Vec<&KernelInput> = uses
        .iter()
        .filter(|of| of.kernel == "use")
        .flat_map(|of| &of.inputs)
        .filter(|input| input.from == InputKind::Data)
        .collect();
    let found = data
        .iter()
        .find(|input| input.name == ".data.global + 0x18");
    let span = found.and_then(|input| input.span).expect("bytes");
    // Three dwords from g_init[6] on: 7, 8, and g_scalar.
    let bytes = document.sources.read(span).expect("bytes");
    let words: Vec<u32> = bytes
        .chunks(4)
        .map(|word| u32::from_le_bytes(word.try_into().expect("a dword")))
        .collect();
    assert_eq!(words, [7, 8, 42]);
}

/// With another mask, the address in r0 is not that of the payload.
#[test]
fn other_addresses_than_the_payloads_have_no_names() {
    let file = fixtures().join("vecadd.wcl.igc2.40.zebin");
    let mut bytes = fs::read(file).expect("a fixture");
    let names = |bytes: &[u8]| -> BTreeSet<String> {
        let uses = uses(&mut open(bytes));
        uses.into_iter()
            .flat_map(|of| of.inputs)
            .map(|input| input.name)
            .collect()
    };
    let before = names(&bytes);
    for name in ["a", "b", "c", "n", "local_id.x"] {
        assert!(before.contains(name), "{before:?}");
    }
    let mask = [0xc0, 0xff, 0xff, 0xff];
    let places: Vec<usize> = (0..bytes.len() - 4)
        .filter(|at| bytes[*at..*at + 4] == mask)
        .collect();
    // For the local ids, then for the cross-thread payload.
    assert_eq!(places.len(), 2);
    bytes[places[1]] = 0x80;
    let after = names(&bytes);
    assert!(
        after.contains("a") && after.contains("local_id.x"),
        "{after:?}"
    );
    for name in ["b", "c", "n"] {
        assert!(!after.contains(name), "{after:?}");
    }
    bytes[places[0]] = 0x80;
    assert!(!names(&bytes).contains("local_id.x"));
}

/// `add (1|M0) rD.1:ud rA.0:ud rB.1:ud`, for Xe-HPG.
fn add(destination: u8, first: u8, second: u8) -> Vec<u8> {
    let mut code = hex("401a0080200225120406000224050000");
    (code[7], code[9], code[13]) = (destination, first, second);
    code
}

fn recomputable(code: &[Vec<u8>]) -> Vec<(String, Vec<u32>)> {
    let decoder = Rc::new(Decoder::new(Platform::XeHpg));
    let report = DataFlow::new(decoder, code.concat()).report();
    let found = report
        .patterns
        .into_iter()
        .flatten()
        .filter(|pattern| pattern.kind == "recomputable");
    found
        .map(|pattern| (pattern.address, pattern.places))
        .collect()
}

#[test]
fn a_value_can_be_computed_again_if_its_sources_are_kept() {
    let code = [
        // The value; most registers are live before the next instruction.
        add(20, 6, 5),
        add(21, 7, 8),
        add(22, 9, 10),
        add(23, 6, 21),
        add(24, 6, 22),
        // The use.
        add(25, 6, 20),
        add(26, 6, 5),
    ];
    let found = recomputable(&code);
    assert_eq!(found, [("r20[4-7]".to_owned(), vec![0, 80])]);
    // A source is written in between.
    let mut changed = code.clone();
    changed[3] = add(5, 6, 21);
    assert_eq!(recomputable(&changed), []);
    // A source is not needed after the value.
    let mut freed = code.clone();
    freed[6] = add(26, 6, 8);
    assert_eq!(recomputable(&freed), []);
    // The value replaces its own source.
    let mut own = code;
    own[0] = add(5, 6, 5);
    own[5] = add(25, 6, 5);
    assert_eq!(recomputable(&own), []);
}
