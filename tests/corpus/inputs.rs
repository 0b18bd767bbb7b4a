//! Names of kernel inputs in the corpus's kernels, compared with the sources and with vISA.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use zeview::tables;

use libtest_mimic::Failed;
use zeview::analysis::kernel_inputs::{InputKind, KernelInput};
use zeview::model::Document;
use zeview::tables::ListId;

use crate::Test;
use crate::support::open;

/// The tests of this file.
pub const TESTS: &[(&str, Test)] = &[
    ("arguments_of_vecadd_are_those_of_the_source", vecadd),
    ("registers_of_the_payload_are_those_of_visa", visa),
];

/// Called with the kernel, the operation, the text and the inputs of an instruction.
type OnUse<'a> = &'a mut dyn FnMut(&str, &str, &str, &[KernelInput]);

/// Calls `f` for each instruction.
fn each_use(document: &mut Document, f: OnUse<'_>) {
    for id in tables::documents_with(document, ListId::Kernels) {
        let Some(assembly) = document.assembly(id) else {
            continue;
        };
        for section in assembly.sections().iter() {
            let listing = document.listing(id, Some(section.bytes), None);
            let sources = &document.sources;
            let Some((listing, flow)) = listing.and_then(|listing| {
                let flow = listing.data_flow(sources)?;
                Some((listing, flow))
            }) else {
                continue;
            };
            let kernel = section.name.trim_start_matches(".text.");
            for row in 0..listing.count() {
                let Some(line) = listing.line(row, sources) else {
                    break;
                };
                let text = format!("{} // {}", line.text, line.comment);
                f(kernel, &line.operation, &text, &flow.inputs(row).unwrap());
            }
        }
    }
}

/// `c[i] = a[i] + b[i]` if `i < n`, on all devices. Not for these: without optimization, arguments go
/// through private memory; two files with an option for later devices lack messages or do not fit their
/// own payload; with bindless buffers on Gen12LP, the offset of the surface is in a sum, and one device adds
/// the halves of addresses.
fn vecadd(folder: &Path) -> Result<(), Failed> {
    let mut failed = Vec::new();
    let mut checked = 0;
    for entry in fs::read_dir(folder.join("samples/zebin"))? {
        let path = entry?.path();
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let is_other = [
            "-O0",
            "eff64",
            "-heapless",
            "-bindless",
            ".12.71.4",
            "-fatpt",
        ];
        if !name.starts_with("vecadd") || is_other.iter().any(|part| name.contains(part)) {
            continue;
        }
        let mut found: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
        each_use(
            &mut open(&fs::read(&path)?),
            &mut |_, operation, text, inputs| {
                for input in inputs {
                    let word = match (operation, &*input.operand) {
                        ("cmp", _) => "compared",
                        (_, "destination") => continue,
                        (operation, _) if operation.starts_with("send") => {
                            let stores = text.contains("store.") || text.contains(" write");
                            if stores { "stored" } else { "loaded" }
                        }
                        _ => continue,
                    };
                    let is_buffer = match input.from {
                        InputKind::Address | InputKind::Surface => true,
                        InputKind::Payload => word == "compared" || input.operand == "descriptor",
                        _ => false,
                    };
                    if is_buffer {
                        let name = input.name.trim_start_matches("surface of ");
                        // Some files do not have the names.
                        let name = match name {
                            "argument 0" => "a",
                            "argument 1" => "b",
                            "argument 2" => "c",
                            "argument 3" => "n",
                            name => name,
                        };
                        found.entry(word).or_default().insert(name.to_owned());
                    }
                }
            },
        );
        checked += 1;
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let expected: BTreeMap<&str, BTreeSet<String>> = BTreeMap::from([
            ("loaded", names(&["a", "b"])),
            ("stored", names(&["c"])),
            ("compared", names(&["n"])),
        ]);
        if found != expected {
            failed.push(format!("{name}: {found:?}"));
        }
    }
    println!("{checked} files");
    if failed.is_empty() && checked > 50 {
        Ok(())
    } else {
        Err(failed.join("\n").into())
    }
}

/// The registers of an input in vISA: kernel, first byte, number of bytes.
type VisaInput = (String, u64, u64);

fn visa_inputs(file: &[u8]) -> Vec<VisaInput> {
    let text = String::from_utf8_lossy(file);
    let (mut kernel, mut out) = (String::new(), Vec::new());
    for line in text.lines() {
        if let Some((_, name)) = line.split_once(".kernel \"") {
            kernel = name.trim_end_matches('"').to_owned();
        }
        let Some(rest) = line.strip_prefix(".input ") else {
            continue;
        };
        let number = |key: &str| {
            let rest = rest.split(key).nth(1)?;
            rest.split_whitespace().next()?.parse::<u64>().ok()
        };
        if let (Some(offset), Some(size)) = (number("offset="), number("size=")) {
            out.push((kernel.clone(), offset, size));
        }
    }
    out
}

/// In files with vISA, its `.input` lines have the registers of each argument after the code that
/// loads the payload. Each argument that an instruction reads from such a register is at the same
/// offset there.
fn visa(folder: &Path) -> Result<(), Failed> {
    let mut failed = Vec::new();
    let mut checked = 0;
    for name in [
        "debugme-all.cri.igc2.40.zebin",
        "funcs-visa.cri.igc2.40.zebin",
        "multi-visa.cri.igc2.40.zebin",
        "vecadd-visa.cri.igc2.40.zebin",
    ] {
        let file = fs::read(folder.join("samples/zebin").join(name))?;
        let all = visa_inputs(&file);
        // The first inputs are the ids of the thread, then the payload follows.
        let mut has_started = BTreeSet::new();
        each_use(&mut open(&file), &mut |kernel, _, text, inputs| {
            // After the code that loads the payload.
            if text.contains("cr0.0") {
                has_started.insert(kernel.to_owned());
            }
            if !has_started.contains(kernel) {
                return;
            }
            let of_kernel = all.iter().filter(|input| input.0 == kernel);
            let mut of_kernel: Vec<&VisaInput> = of_kernel.collect();
            of_kernel.sort_by_key(|input| input.1);
            // The ids have more bytes than the pointer at the start of the payload.
            let first = of_kernel.iter().find(|input| input.2 == 8);
            let Some(start) = first.map(|input| input.1) else {
                return;
            };
            for input in inputs
                .iter()
                .filter(|input| input.from == InputKind::Payload)
            {
                // `r2[32-39]`
                let [bytes] = input.bytes.as_slice() else {
                    continue;
                };
                let parsed = bytes.strip_prefix('r').and_then(|rest| {
                    let (number, rest) = rest.split_once('[')?;
                    let first = rest.trim_end_matches(']').split('-').next()?;
                    Some(number.parse::<u64>().ok()? * 64 + first.parse::<u64>().ok()?)
                });
                let Some(register) = parsed else { continue };
                // Copies of arguments are in other registers.
                let visa = of_kernel
                    .iter()
                    .find(|(_, at, size)| (*at..at + size).contains(&register));
                let Some(_) = visa else { continue };
                checked += 1;
                if register - start != input.offset {
                    failed.push(format!("{name} {kernel}: {} in {text}", input.text));
                }
            }
        });
    }
    println!("{checked} arguments in registers");
    if failed.is_empty() && checked > 20 {
        Ok(())
    } else {
        Err(format!("{checked} checked\n{}", failed.join("\n")).into())
    }
}
