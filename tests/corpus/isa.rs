//! Disassembly of the corpus, compared with the assembler.

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
    ("compiled_instructions_match_the_assembler", compiled),
    ("altered_words_match_the_assembler", altered),
    ("listings_match_the_assembler", listings),
    ("listings_assemble_to_the_same_bytes", assembled),
];

/// Returns a table, unpacked by `xz`.
fn unpacked(folder: &Path, name: &str) -> Result<Vec<u8>, Failed> {
    let path = folder.join(format!("isa/tables/{name}.tsv.xz"));
    let output = Command::new("xz").arg("-dc").arg(&path).output()?;
    if output.status.success() {
        Ok(output.stdout)
    } else {
        Err(format!("{}: xz fails", path.display()).into())
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
            failed.push(format!("{prefix}{} is incomplete", platform.name()));
        }
    }
    if failed.is_empty() {
        Ok(())
    } else {
        Err(failed.join("\n").into())
    }
}

fn compiled(folder: &Path) -> Result<(), Failed> {
    tables(folder, "", [Some(0), None, Some(2), Some(3)])
}

fn altered(folder: &Path) -> Result<(), Failed> {
    tables(folder, "fuzz-", [Some(0), Some(2), Some(3), Some(4)])
}

/// The assembler's `-p` for each platform.
const PLATFORMS: [&str; 8] = ["9", "11", "12p1", "12p71", "12p72", "2", "3", "3pxpc"];

/// A line of the manifest of listings: name, `-p`, and code.
pub struct ManifestEntry<'a> {
    pub name: &'a str,
    pub option: &'a str,
    pub platform: Platform,
    pub code: Vec<u8>,
}

/// Calls `each` with every n-th listing of the manifest.
pub fn each_listing<'a>(
    folder: &Path,
    manifest: &'a str,
    every: usize,
    mut each: impl FnMut(ManifestEntry<'a>) -> Result<(), Failed>,
) -> Result<(), Failed> {
    for line in manifest.lines().skip(1).step_by(every) {
        let [file, section, _, option, name] = line.split('\t').collect::<Vec<_>>()[..] else {
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
        let at = PLATFORMS.iter().position(|p| *p == option);
        each(ManifestEntry {
            name,
            option,
            platform: Platform::ALL[at.ok_or("an unknown platform")?],
            code: code.to_vec(),
        })?;
    }
    Ok(())
}

/// Returns the listing of some code.
fn listing(platform: Platform, code: &[u8]) -> String {
    let decoder = Decoder::new(platform);
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
    text
}

fn listings(folder: &Path) -> Result<(), Failed> {
    let manifest = fs::read_to_string(folder.join("isa/listings/LISTINGS.tsv"))?;
    let mut counts: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
    let mut failed = Vec::new();
    each_listing(folder, &manifest, 1, |listed| {
        let text = listing(listed.platform, &listed.code);
        let wanted = fs::read(folder.join("isa/listings").join(listed.name))?;
        let wanted: String = wanted.iter().map(|b| char::from(*b)).collect();
        let count = counts.entry(listed.option).or_default();
        count[1] += 1;
        if text == wanted {
            count[0] += 1;
        } else {
            failed.push(listed.name.to_owned());
        }
        Ok(())
    })?;
    for (platform, [equal, all]) in &counts {
        println!("-p {platform}: {equal} of {all} listings");
    }
    if failed.is_empty() && counts.len() == PLATFORMS.len() {
        Ok(())
    } else {
        Err(failed.join("\n").into())
    }
}

/// Distance between two listings that are assembled.
const EVERY: usize = 4;

/// Checks that `iga64`, if installed, assembles our text into bytes of the same meaning: some
/// instructions have several encodings.
fn assembled(folder: &Path) -> Result<(), Failed> {
    if Command::new("iga64").arg("-h").output().is_err() {
        println!("iga64 is not installed: skipped");
        return Ok(());
    }
    let manifest = fs::read_to_string(folder.join("isa/listings/LISTINGS.tsv"))?;
    let work = std::env::temp_dir().join(format!("zeview-iga-{}", std::process::id()));
    fs::create_dir_all(&work)?;
    let (source, binary) = (work.join("code.asm"), work.join("code.krn"));
    let mut counts: BTreeMap<&str, [usize; 3]> = BTreeMap::new();
    let mut failed = Vec::new();
    each_listing(folder, &manifest, EVERY, |listed| {
        let text = listing(listed.platform, &listed.code);
        // The tool reads and writes one byte per character.
        let bytes: Vec<u8> = text.chars().map(|c| c as u8).collect();
        fs::write(&source, bytes)?;
        let output = Command::new("iga64")
            .args(["-a", "-p", listed.option, "-o"])
            .args([&binary, &source])
            .output()?;
        let stderr = String::from_utf8_lossy(&output.stderr);
        let count = counts.entry(listed.option).or_default();
        if stderr.contains("invalid platform option") {
            // The installed release may be older than the platform.
            return Ok(());
        }
        count[2] += 1;
        let assembled = fs::read(&binary).unwrap_or_default();
        // The listing omits an incomplete instruction at the end.
        let rest = listed.code.get(assembled.len()..).unwrap_or_default();
        if listed.code.starts_with(&assembled) && rest.len() < 16 && output.status.success() {
            count[0] += 1;
        } else if listing(listed.platform, &assembled) == text {
            count[1] += 1;
        } else if stderr.contains("warning: implicit type") {
            // Before Xe, calls and returns have types, which the assembler does not keep.
            println!(
                "{}: iga64 changes the types of calls and returns",
                listed.name
            );
        } else {
            failed.push(format!("{}: {stderr}", listed.name));
        }
        Ok(())
    })?;
    fs::remove_dir_all(&work)?;
    for (platform, [equal, same, all]) in &counts {
        println!(
            "-p {platform}: of {all} listings {equal} have the same bytes, {same} the same text"
        );
    }
    if failed.is_empty() {
        Ok(())
    } else {
        Err(failed.join("\n").into())
    }
}
