//! Data flow of the corpus's kernels, compared with the assembler.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::rc::Rc;

use crate::Test;
use crate::isa::each_listing;
use crate::support::dataflow::{Count, compare, references, text};
use libtest_mimic::Failed;
use zeview::decode::isa::Decoder;
use zeview::decode::isa::dataflow::{DataFlow, WaitOn};

/// The tests of this file.
pub const TESTS: &[(&str, Test)] = &[
    ("data_flow_is_the_assemblers", data_flow),
    ("tokens_have_producers_on_every_path", waits),
];

/// Returns whether a known difference from the assembler explains a line:
///
/// * Data port messages with a header (`wr:1h`): the header is a whole register, with the offset in
///   its third dword. The assembler counts its first 4 bytes.
/// * Typed surfaces: the addresses are coordinates u, v, r, and lod, each of a register or more. The
///   assembler counts u, and as many registers of data as fit the channel mask, from the first register
///   of source 1 on, whatever else is in it.
/// * Gather messages of more than 8 registers (Xe3): the register numbers are in two scalars. The
///   assembler uses those of the first, and r0 for the others.
///
/// Live bytes before such a message differ too.
fn explains(line: &str) -> bool {
    let gathers = || {
        let length = line
            .split("wr:")
            .nth(1)
            .and_then(|rest| rest.split('+').next());
        let length = length.and_then(|length| length.parse::<u32>().ok());
        line.contains("r[s0.") && length.is_some_and(|length| length > 8)
    };
    let typed = line.contains(".tgm ") || line.contains("; typed surface");
    line.contains("wr:1h") || line.contains("wr:2h") || typed || gathers()
}

fn data_flow(folder: &Path) -> Result<(), Failed> {
    let manifest = fs::read_to_string(folder.join("isa/listings/LISTINGS.tsv"))?;
    let files = fs::read_to_string(folder.join("isa/dataflow/DATAFLOW.tsv"))?;
    let mut files = files.lines().skip(1);
    // All kernels, and those without such messages.
    let mut counts: BTreeMap<String, [Count; 2]> = BTreeMap::new();
    let mut failed = Vec::new();
    each_listing(folder, &manifest, 1, |listed| {
        let file = files.next().and_then(|line| line.rsplit('\t').next());
        let file = file.ok_or("too few tables")?;
        let table = fs::read_to_string(folder.join("isa/dataflow").join(file))?;
        let grf = match listed.option {
            "9" | "11" | "12p1" | "12p71" => 32,
            _ => 64,
        };
        let references = references(&table, grf);
        let code = &listed.code;
        let lines: Vec<String> = references
            .iter()
            .map(|reference| text(listed.platform, code, reference.pc))
            .collect();
        let differs = lines.iter().any(|line| explains(line));
        let [all, plain] = counts.entry(listed.option.to_owned()).or_default();
        let mut count = Count::default();
        compare(
            listed.platform,
            code,
            &references,
            &mut count,
            &mut |row, what, difference| {
                let line = &lines[row as usize];
                let explained = match what {
                    "live" => differs,
                    "writes" => false,
                    _ => explains(line),
                };
                if !explained {
                    let pc = references[row as usize].pc;
                    failed.push(format!(
                        "{} {file} {pc:#x} {what}: {difference}\n    {line}",
                        listed.option
                    ));
                }
            },
        );
        all.add(&count);
        if !differs {
            plain.add(&count);
        }
        Ok(())
    })?;
    for (platform, [all, plain]) in &counts {
        println!("-p {platform}: {all}; without messages that differ: {plain}");
        let enough = |equal: usize| equal * 1000 >= all.all * 999;
        let is_new = matches!(platform.as_str(), "12p72" | "2" | "3" | "3pxpc");
        if is_new && !(enough(all.writes) && enough(all.reads) && enough(all.defs)) {
            failed.push(format!("{platform} is not equal for 99.9 %"));
        }
        if plain.equal != plain.all || plain.all == 0 {
            failed.push(format!("{platform} is not equal"));
        }
    }
    if failed.is_empty() {
        Ok(())
    } else {
        Err(failed.join("\n").into())
    }
}

/// Each wait for a token has an instruction that allocates it, on every path, but for the first
/// iterations of loops whose body waits for the one before, and `sync` for all tokens.
///
/// Prints the waits without a reason in the data. Those that were looked into:
///
/// * `mov null 0x30433 {$1.src}` and the like on Xe-HPC (nearly all there): a workaround of the compiler
///   for reads of a message's sources.
/// * `mov r59.8 … {$0.src}` behind a message that reads r59[0-3], `mov r127.3 … {$2.src}`, `mov a0.2
///   r126.6 {$3.src}`: the scoreboard has whole registers, the footprints bytes.
/// * `call r127.4 {$7.src}` behind a store with r127 as address: the same; the callee writes r127.
/// * `add … {$12.src}` behind a fence, `mov … {$9.src}` behind a load: the token is allocated again soon.
/// * `@1` at `or cr0.0`, and behind it: the control register is not tracked.
fn waits(folder: &Path) -> Result<(), Failed> {
    let manifest = fs::read_to_string(folder.join("isa/listings/LISTINGS.tsv"))?;
    let mut failed = Vec::new();
    // By platform and kind of wait: total, and without a reason.
    let mut counts: BTreeMap<(String, &str), [usize; 2]> = BTreeMap::new();
    each_listing(folder, &manifest, 1, |listed| {
        let decoder = Rc::new(Decoder::new(listed.platform));
        let flow = DataFlow::new(decoder, listed.code.as_slice());
        // Built for Xe3 with an option for later devices: the compiler left the messages out.
        let is_without_messages = ["vecadd-eff64.ptl-h", "vecadd-heapless.ptl-h"]
            .iter()
            .any(|name| listed.name.starts_with(name));
        let mut shown = 0;
        for row in 0..flow.count() {
            for wait in flow.waits(row) {
                let kind = match wait.on {
                    WaitOn::Distance(..) => "@",
                    WaitOn::Result(_) => ".dst",
                    WaitOn::Sources(_) => ".src",
                };
                let count = counts.entry((listed.option.to_owned(), kind)).or_default();
                count[0] += 1;
                let pc = flow.pc(row).ok_or("a row")?;
                let line = text(listed.platform, &listed.code, pc);
                if !wait.has_reason() && !line.contains(" sync") {
                    count[1] += 1;
                    if shown < 2 && kind != "@" {
                        shown += 1;
                        let from = wait.producers.first().and_then(|row| flow.pc(*row));
                        let from = from.map(|pc| text(listed.platform, &listed.code, pc));
                        println!(
                            "no reason: {} {pc:#x} {}\n  {line}\n  {from:?}",
                            listed.name,
                            wait.on.text()
                        );
                    }
                }
                if kind != "@" && wait.producers.is_empty() && !is_without_messages {
                    failed.push(format!(
                        "{} {pc:#x} {}: {line}",
                        listed.name,
                        wait.on.text()
                    ));
                } else if kind != "@" && wait.from_entry {
                    println!(
                        "not on every path: {} {pc:#x} {}: {line}",
                        listed.name,
                        wait.on.text()
                    );
                    let all = counts.entry((listed.option.to_owned(), "not on every path"));
                    all.or_default()[0] += 1;
                }
            }
        }
        Ok(())
    })?;
    for ((platform, kind), [all, without]) in &counts {
        println!("-p {platform} {kind}: {all} waits, {without} without a reason in the data");
    }
    if failed.is_empty() {
        Ok(())
    } else {
        Err(failed.join("\n").into())
    }
}
