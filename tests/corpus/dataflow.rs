//! The data flow of the kernels of the corpus, as the assembler computes it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::Test;
use crate::isa::listed;
use crate::support::dataflow::{Count, compare, references, text};
use libtest_mimic::Failed;

/// The tests of this file.
pub const TESTS: &[(&str, Test)] = &[("data_flow_is_the_assemblers", data_flow)];

fn data_flow(folder: &Path) -> Result<(), Failed> {
    let manifest = fs::read_to_string(folder.join("isa/listings/LISTINGS.tsv"))?;
    let files = fs::read_to_string(folder.join("isa/dataflow/DATAFLOW.tsv"))?;
    let mut files = files.lines().skip(1);
    let mut counts: BTreeMap<String, Count> = BTreeMap::new();
    let mut shown: BTreeMap<(String, String, String), usize> = BTreeMap::new();
    listed(folder, &manifest, 1, |listed| {
        let file = files.next().and_then(|line| line.rsplit('\t').next());
        let file = file.ok_or("too few tables")?;
        let table = fs::read_to_string(folder.join("isa/dataflow").join(file))?;
        let grf = match listed.option {
            "9" | "11" | "12p1" | "12p71" => 32,
            _ => 64,
        };
        let count = counts.entry(listed.option.to_owned()).or_default();
        let references = references(&table, grf);
        let code = &listed.code;
        compare(
            listed.platform,
            code,
            &references,
            count,
            &mut |row, what, difference| {
                let pc = references[row as usize].pc;
                let line = text(listed.platform, code, pc);
                let words: Vec<&str> = line.split_whitespace().collect();
                let op = words
                    .iter()
                    .find(|w| !w.starts_with('(') && !w.ends_with(')'));
                let key = (
                    listed.option.to_owned(),
                    what.to_owned(),
                    op.unwrap_or(&"").to_string(),
                );
                let seen = shown.entry(key).or_default();
                *seen += 1;
                if *seen <= 2 {
                    println!(
                        "{} {file} {pc:#x} {what}: {difference}\n    {line}",
                        listed.option
                    );
                }
            },
        );
        Ok(())
    })?;
    for (key, seen) in &shown {
        println!("{key:?}: {seen}");
    }
    for (platform, count) in &counts {
        println!("-p {platform}: {count:?}");
    }
    Ok(())
}
