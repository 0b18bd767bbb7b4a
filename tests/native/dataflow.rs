//! The data flow of code: registers, producers, live bytes, waits, loops, spills.

use std::fs;
use std::path::PathBuf;
use std::rc::Rc;

use zeview::analysis::data_flow::Flows;
use zeview::decode::isa::dataflow::{Certainty, DataFlow, RegisterFile, Role, WaitOn};
use zeview::decode::isa::{Decoder, Platform};

use crate::support::dataflow::{Count, compare, references, text};
use crate::support::isa::hex;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/isa/dataflow")
}

fn code(name: &str) -> Vec<u8> {
    let digits = fs::read_to_string(folder().join(format!("{name}.hex"))).expect("a fixture");
    hex(&digits.split_whitespace().collect::<String>())
}

fn flow(platform: Platform, code: &[u8]) -> DataFlow {
    DataFlow::new(Rc::new(Decoder::new(platform)), code)
}

/// The kernels of the fixtures of a platform.
fn kernels(platform: Platform) -> Vec<Vec<u8>> {
    let name = |at: u32| format!("{}-{at}", platform.name());
    (1..=2).map(|at| code(&name(at))).collect()
}

/// Reads, writes, producers and live bytes match `iga64`, except for messages with a header before
/// Xe-HPC: see `the_header_of_a_message_is_a_whole_register`.
#[test]
fn data_flow_matches_the_assembler() {
    for platform in Platform::ALL {
        let grf = match platform {
            Platform::Gen9 | Platform::Gen11 | Platform::XeLp | Platform::XeHpg => 32,
            _ => 64,
        };
        let mut count = Count::default();
        for (at, code) in (1..).zip(kernels(platform)) {
            let table = folder().join(format!("{}-{at}.tsv", platform.name()));
            let references = references(&fs::read_to_string(table).expect("a table"), grf);
            assert!(references.len() > 10);
            compare(
                platform,
                &code,
                &references,
                &mut count,
                &mut |row, what, text_| {
                    let line = text(platform, &code, references[row as usize].pc);
                    let explained = grf == 32 && (what == "live" || line.contains("wr:1h"));
                    assert!(explained, "{platform:?} {line}: {what}: {text_}");
                },
            );
        }
        assert!(count.all > 50, "{platform:?}");
    }
}

/// `add (1) r127.2 …`, then `send.dc0 … r127` with a header: the offset is the third dword of the
/// header. The assembler counts 4 bytes of r127, and links the message to another write.
#[test]
fn the_header_of_a_message_is_a_whole_register() {
    // mov (8) r127:ud r0:ud; add (1) r127.2:ud r0.0:ud 0x40:uw; send.dc0 (8) r1 r127 with one
    // register of header, "oword aligned block read x8".
    let all = code("xe_hpg-header");
    let flow = flow(Platform::XeHpg, &all);
    let is_block = |row: &u32| {
        let pc = flow.pc(*row).expect("a row");
        text(Platform::XeHpg, &all, pc).contains("wr:1h")
    };
    let row = (0..flow.count()).find(is_block).expect("a block message");
    let footprint = flow.footprint(row);
    let header = footprint
        .reads()
        .find(|access| access.role == Role::Source(0));
    let header = header.expect("a header");
    assert_eq!(header.bytes.to_string(), "r127");
    assert_eq!(header.certainty, Certainty::Exact);
    let definitions = flow.all_definitions(row);
    let offset = definitions.iter().find(|definition| {
        let mut registers = definition.bytes.registers();
        registers.any(|(file, number, mask)| {
            (file, number) == (RegisterFile::General, 127) && mask & 0xf00 == 0xf00
        })
    });
    let offset = offset
        .and_then(|definition| definition.row)
        .expect("a write of the offset");
    let line = text(Platform::XeHpg, &all, flow.pc(offset).expect("a row"));
    assert!(line.contains("r127.2<1>"), "{line}");
}

/// A gather message of 14 registers gets their numbers from two moves. The assembler knows the
/// first eight, and uses r0 for the others.
#[test]
fn a_gather_message_reads_the_registers_that_its_scalars_name() {
    let all = code("xe3-gather");
    let flow = flow(Platform::Xe3, &all);
    let gather = (0..flow.count()).find_map(|row| {
        let footprint = flow.footprint(row);
        let found = footprint
            .reads()
            .find(|access| access.role == Role::Gathered)?;
        (found.bytes.bytes(RegisterFile::General) == 14 * 64).then(|| found.bytes.to_string())
    });
    let gather = gather.expect("a gather message of 14 registers");
    assert!(!gather.contains("r0"), "{gather}");
}

#[test]
fn a_byte_of_each_kind_of_operand_is_found() {
    // add (1|M0) r18.1<1>:ud r6.0<0;1,0>:ud r5.1<0;1,0>:ud
    let add = hex("401a0080200225120406000224050000");
    let flow = flow(Platform::XeHpg, &add);
    let row = flow.instruction(0).expect("an instruction");
    assert_eq!(row.writes, ["r18[4-7]"]);
    assert_eq!(row.reads, ["r5[4-7]", "r6[0-3]"]);
    let def = &row.defs[0];
    assert_eq!(
        (def.pc, &*def.bytes),
        (None, &["r5[4-7]".to_owned(), "r6[0-3]".to_owned()][..])
    );
    let live = row.live.expect("all of the code is analyzed");
    assert_eq!((live.r, live.registers), (8, 2));
    assert_eq!((row.latency, row.occupancy), (10, 1));
    assert_eq!(row.dead, Some(true));
    assert_eq!(row.limit, None);
    assert!(flow.instruction(1).is_none());
}

#[test]
fn limits_of_the_analysis_are_reported() {
    let mut add = hex("401a0080200225120406000224050000");
    add.extend(&add.clone()[..9]);
    let report = flow(Platform::XeHpg, &add).report();
    assert_eq!(report.instructions, 1);
    assert_eq!(
        report.limits,
        ["The code ends within the instruction at 0x10."]
    );
    let unknown = [0x7e; 32];
    let report = flow(Platform::Xe2, &unknown).report();
    assert!(
        report.limits[0].contains("no instructions of the encoding"),
        "{report:?}"
    );
    assert!(flow(Platform::Xe2, &[]).report().peak.is_none());
}

/// Each wait for a token has an allocating instruction.
#[test]
fn tokens_are_allocated_before_they_are_waited_for() {
    let mut tokens = 0;
    for platform in Platform::ALL {
        for code in kernels(platform) {
            let flow = flow(platform, &code);
            for row in 0..flow.count() {
                for wait in flow.waits(row) {
                    if let WaitOn::Result(_) | WaitOn::Sources(_) = wait.on {
                        tokens += 1;
                        assert!(!wait.producers.is_empty(), "{platform:?} {row} {wait:?}");
                    }
                }
            }
        }
    }
    assert!(tokens > 50, "{tokens}");
}

#[test]
fn loops_have_costs() {
    let mut loops = 0;
    for platform in Platform::ALL {
        for code in kernels(platform) {
            let report = flow(platform, &code).report();
            assert_eq!(report.unknown, []);
            for found in report.loops.iter().flatten() {
                loops += 1;
                assert!(found.instructions > 0 && found.cycles >= found.issue);
                assert!(found.cycles > 0 && !found.bottleneck.to_string().is_empty());
            }
            let peak = report.peak.expect("registers are used");
            assert!(peak.registers > 0 && peak.longest.is_some());
        }
    }
    assert!(loops > 0);
}

/// From an attention kernel: four registers are filled, two of them are changed by moves under the
/// execution mask, and spilled again with all channels.
#[test]
fn a_value_that_is_filled_and_spilled_again_is_a_pattern() {
    let mut code = hex(concat!(
        "318f038000c2260a0c0200fa00003c84618f01280a0e1000410000200e141006",
        "41000020fc19100641980020fd441006611300280b0e1000410000200e151006",
        "41000020fe4510063170028000c202000c0208fa140a3884",
    ));
    let report = flow(Platform::Xe2, &code).report();
    let Some([pattern]) = report.patterns.as_deref() else {
        panic!("{report:?}");
    };
    assert_eq!(pattern.kind, "spilled again");
    assert_eq!(pattern.places, [0, 16, 72]);
    assert!(pattern.text.starts_with("128 of the 128 bytes "));
    // Under the mask, the spill stores only what was changed.
    code[75] &= 0x7f;
    let patterns = flow(Platform::Xe2, &code).report().patterns;
    assert_eq!(patterns, Some(Vec::new()));
}
