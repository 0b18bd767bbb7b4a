//! The assembler's text of the instructions of the corpus.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::Test;
use crate::support::isa::{compare, rows};
use libtest_mimic::Failed;
use zeview::decode::isa::{Blocks, Decoder, Platform};

/// The tests of this file.
pub const TESTS: &[(&str, Test)] = &[
    ("compiled_instructions_have_the_assemblers_text", compiled),
    ("altered_words_have_the_assemblers_text", altered),
    ("kernels_have_the_assemblers_listing", listings),
];

/// A table, unpacked by `xz`.
fn unpacked(folder: &Path, name: &str) -> Result<Vec<u8>, Failed> {
    let path = folder.join(format!("isa/tables/{name}.tsv.xz"));
    let output = Command::new("xz").arg("-dc").arg(&path).output()?;
    match output.status.success() {
        true => Ok(output.stdout),
        false => Err(format!("{}: xz fails", path.display()).into()),
    }
}

fn tables(folder: &Path, prefix: &str, columns: [Option<usize>; 4]) -> Result<(), Failed> {
    let mut failed = Vec::new();
    for platform in Platform::ALL {
        let table = unpacked(folder, &format!("{prefix}{}", platform.name()))?;
        let count = compare(platform, &rows(&table, columns));
        println!("{prefix}{}: {count}", platform.name());
        if !count.is_whole() || count.rows < 5_000 {
            failed.extend(count.differences);
            failed.push(format!("{prefix}{} is not whole", platform.name()));
        }
    }
    match failed.is_empty() {
        true => Ok(()),
        false => Err(failed.join("\n").into()),
    }
}

fn compiled(folder: &Path) -> Result<(), Failed> {
    tables(folder, "", [Some(0), None, Some(2), Some(3)])
}

fn altered(folder: &Path) -> Result<(), Failed> {
    tables(folder, "fuzz-", [Some(0), Some(2), Some(3), Some(4)])
}

/// The name that the assembler's `-p` takes for each platform.
const PLATFORMS: [&str; 8] = ["9", "11", "12p1", "12p71", "12p72", "2", "3", "3pxpc"];

fn listings(folder: &Path) -> Result<(), Failed> {
    let manifest = fs::read_to_string(folder.join("isa/listings/LISTINGS.tsv"))?;
    let mut counts: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
    let mut failed = Vec::new();
    for line in manifest.lines().skip(1) {
        let [file, section, _, platform, listing] = line.split('\t').collect::<Vec<_>>()[..] else {
            continue;
        };
        let bytes = fs::read(folder.join("samples/zebin").join(file))?;
        let elf = goblin::elf::Elf::parse(&bytes)?;
        let header = elf
            .section_headers
            .iter()
            .find(|h| elf.shdr_strtab.get_at(h.sh_name) == Some(section))
            .ok_or(format!("{file} has no {section}"))?;
        let code = &bytes[header.file_range().ok_or("no bytes")?];
        let at = PLATFORMS.iter().position(|p| *p == platform);
        let decoder = Decoder::new(Platform::ALL[at.ok_or("an unknown platform")?]);
        let mut text = String::new();
        let blocks = Blocks::find(&decoder, code);
        decoder.list(
            code,
            Some(&blocks),
            &mut |_, _, _| (),
            &mut String::new(),
            &mut |part| {
                text.push_str(part);
                part.clear();
                true
            },
        );
        let wanted = fs::read(folder.join("isa/listings").join(listing))?;
        let wanted: String = wanted.iter().map(|b| char::from(*b)).collect();
        let count = counts.entry(platform).or_default();
        count[1] += 1;
        if text == wanted {
            count[0] += 1;
        } else {
            failed.push(listing.to_owned());
        }
    }
    for (platform, [equal, all]) in &counts {
        println!("-p {platform}: {equal} of {all} listings");
    }
    match failed.is_empty() && counts.len() == PLATFORMS.len() {
        true => Ok(()),
        false => Err(failed.join("\n").into()),
    }
}
