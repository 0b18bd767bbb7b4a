//! Stack frames and functions: each load from scratch memory is paired with the stores that an interpreter
//! of the listing finds, and saves for calls are no spills.

use std::fs;

use zeview::analysis::functions::{Callee, FunctionKind, FunctionReport};
use zeview::model::{Document, NodeId};

use crate::cli::{stdout, zeview};
use crate::support::frames::{analyzed, sections, walk};
use crate::support::{fixtures, open};

fn zebin(name: &str) -> Document {
    let file = fixtures::folder().join(format!("zebin/{name}.zebin"));
    open(&fs::read(file).unwrap())
}

/// The functions of a section.
fn functions(document: &Document, name: &str) -> Vec<FunctionReport> {
    let mut found = sections(document, NodeId::ROOT).into_iter();
    let (_, _, listing) = found.find(|(of, ..)| of == name).unwrap();
    let flow = listing.data_flow(&document.sources).unwrap();
    flow.functions().unwrap()
}

/// Kernels with stacks in scratch memory. Those of Xe3P address it by `s0`, which no mark of the listing
/// tells from other memory.
const STACKS: [&str; 1] = ["recursion-gtpin.ptl-h.igc2.40"];

#[test]
fn loads_are_paired_as_an_interpreter_of_the_listing_pairs_them() {
    let mut loads = 0;
    for name in STACKS {
        let document = zebin(name);
        for (section, _, listing) in sections(&document, NodeId::ROOT) {
            let flow = listing.data_flow(&document.sources).unwrap();
            let report = flow.report();
            let walked = walk(&*listing, &document.sources, 64, 1);
            let found = analyzed(&report);
            for load in &walked.loads {
                let stores = walked.pairs.get(load).cloned().unwrap_or_default();
                let of = found.get(load);
                assert_eq!(of, Some(&stores), "{name} {section} {load:#x}");
                loads += usize::from(!stores.is_empty());
            }
        }
    }
    assert!(loads >= 4, "{loads}");
}

#[test]
fn saves_for_calls_are_no_spills() {
    for name in STACKS {
        let document = zebin(name);
        let mut saves = 0;
        for (section, _, listing) in sections(&document, NodeId::ROOT) {
            let report = listing.data_flow(&document.sources).unwrap().report();
            assert_eq!(
                (report.spills, report.fills),
                (Some(0), Some(0)),
                "{name} {section}"
            );
            saves += report.saves.unwrap() + report.restores.unwrap();
            for slot in report.slots.unwrap() {
                assert!(slot.saves, "{name} {section} {}", slot.address);
            }
        }
        assert!(saves > 0, "{name}");
    }
}

#[test]
fn recursion_is_named_and_makes_the_cycles_unknown() {
    let document = zebin("recursion-gtpin.ptl-h.igc2.40");
    let functions = functions(&document, ".text.k_fib");
    let kernel = &functions[0];
    assert_eq!(
        (kernel.kind, &*kernel.name),
        (FunctionKind::Kernel, "k_fib")
    );
    assert!(!kernel.recursive && kernel.callers.is_empty());
    let recursive: Vec<usize> = (0..functions.len())
        .filter(|at| functions[*at].recursive)
        .collect();
    let [at] = recursive[..] else {
        panic!("{functions:?}");
    };
    let fib = &functions[at];
    let own = u32::try_from(at).unwrap();
    assert!(fib.callers.contains(&own) && fib.callers.contains(&0));
    let calls = fib
        .calls
        .iter()
        .filter(|call| call.callee == Callee::Function(own));
    assert_eq!(calls.count(), 2);
    assert_eq!(fib.with_callees.cycles, None);
    assert_eq!(fib.limit.as_deref(), Some("it calls itself"));
    assert_eq!(kernel.with_callees.cycles, None);
    assert!(kernel.limit.is_some() && kernel.own.cycles.is_some());
    // The instructions count once.
    let sum: u32 = functions.iter().map(|of| of.own.instructions).sum();
    assert_eq!(kernel.with_callees.instructions, sum);
    // All calls are of known functions; their ranges do not overlap.
    let mut ranges: Vec<(u32, u32)> = functions.iter().flat_map(|of| of.ranges.clone()).collect();
    ranges.sort_unstable();
    assert!(ranges.windows(2).all(|two| two[0].1 <= two[1].0));
}

/// The driver writes the addresses of these functions, which are in another section, into two halves of a
/// register. `calla` reads them there, or from a copy.
#[test]
fn calls_by_relocated_addresses_are_named() {
    let document = zebin("funcs-stackcall.cri.igc2.40");
    let calls = |section: &str| {
        let functions = functions(&document, section);
        let all = functions.iter().flat_map(|of| &of.calls);
        all.filter_map(|call| match &call.callee {
            Callee::Symbol(name) => Some((call.pc, name.clone())),
            Callee::Function(_) => None,
            other => panic!("{section} {:#x}: {other:?}", call.pc),
        })
        .collect::<Vec<(u32, String)>>()
    };
    assert_eq!(calls(".text.k1"), [(0x280, "mid".to_owned())]);
    let two = [(0x2c0, "leaf".to_owned()), (0x340, "mid".to_owned())];
    assert_eq!(calls(".text.k2"), two);
}

#[test]
fn indirect_calls_are_named() {
    let document = zebin("syncfn-fp.cri.igc2.40");
    let functions = functions(&document, ".text.sk");
    let kernel = &functions[0];
    let indirect: Vec<u32> = kernel.indirect_calls().collect();
    // The address comes from memory.
    assert_eq!((indirect.len(), kernel.calls.len()), (1, 1), "{kernel:?}");
    let limit = kernel.limit.as_deref();
    assert_eq!(limit, Some("1 call of unknown code"));
    let file = fixtures::folder().join("zebin/recursion-gtpin.ptl-h.igc2.40.zebin");
    let text = stdout(&zeview(&[
        "analyze",
        "--kernel",
        "k_fib",
        file.to_str().unwrap(),
    ]));
    assert!(text.contains("recursive"), "{text}");
    assert!(
        text.contains("messages that save registers for calls"),
        "{text}"
    );
    assert!(text.contains("frame+0x"), "{text}");
}

/// Costs with callees: those of each function once, and cycles by call.
#[test]
fn costs_of_callees_are_added() {
    let document = zebin("debugme.tgllp.igc1.12504");
    let mut summed = 0;
    for (_, _, listing) in sections(&document, NodeId::ROOT) {
        let flow = listing.data_flow(&document.sources).unwrap();
        let functions = flow.functions().unwrap();
        for of in &functions {
            let mut cycles = of.own.cycles;
            for call in &of.calls {
                cycles = match call.callee {
                    Callee::Function(to) => {
                        let to = &functions[usize::try_from(to).unwrap()];
                        cycles
                            .zip(to.with_callees.cycles)
                            .map(|(one, more)| one + more)
                    }
                    _ => None,
                };
            }
            assert_eq!(of.with_callees.cycles, cycles, "{}", of.name);
            assert_eq!(of.limit.is_none(), cycles.is_some());
            summed += usize::from(!of.calls.is_empty() && cycles.is_some());
        }
    }
    assert!(summed > 0);
}
