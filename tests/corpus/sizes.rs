//! The sizes of every sample and library add up to the file, and agree with readelf.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use libtest_mimic::Failed;

use crate::support::fixtures::in_folder;
use crate::support::readelf;
use zeview::analysis::kernels::SECTION_PREFIXES;
use zeview::decode::decode;
use zeview::model::{Document, FileSource, MemorySource};
use zeview::sizes::{SizeKey, SizeReading};

pub const TESTS: &[(&str, super::Test)] = &[
    ("sizes of samples add up", samples),
    ("sizes of sections agree with readelf", sections),
];

type WildTest = fn(&Path, &Path) -> Result<(), Failed>;

pub const WILD_TESTS: &[(&str, WildTest)] = &[("sizes of libraries add up", wild)];

/// Returns what is wrong with the sizes of a document.
fn wrong(document: &mut Document) -> Option<String> {
    let whole = document.root().span?.len();
    let sizes = SizeReading::read_all(document);
    let stored: u64 = sizes.pieces.iter().map(|piece| piece.stored).sum();
    if (sizes.total, stored) != (whole, whole) {
        return Some(format!("{whole} bytes, but {} and {stored}", sizes.total));
    }
    for by in SizeKey::ALL {
        let rows = sizes.rows(by, &[]);
        let stored: u64 = rows.iter().map(|row| row.stored).sum();
        let unpacked: u64 = rows.iter().map(|row| row.unpacked).sum();
        if (stored, unpacked) != (whole, sizes.unpacked()) {
            return Some(format!("by {}: {stored} of {whole} bytes", by.name()));
        }
    }
    None
}

fn all(wrong: Vec<String>) -> Result<(), Failed> {
    match wrong.len() {
        0 => Ok(()),
        _ => Err(wrong.join("\n").into()),
    }
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            files(&path, found);
        } else {
            found.push(path);
        }
    }
}

fn check(folder: &Path, is_wanted: fn(&Path) -> bool) -> Result<(), Failed> {
    let mut found = Vec::new();
    files(folder, &mut found);
    found.retain(|path| is_wanted(path));
    if found.len() < 20 {
        return Err(format!("only {} files", found.len()).into());
    }
    let found = found.iter().filter_map(|path| {
        let name = path.display();
        match FileSource::open(path) {
            Err(error) => Some(format!("{name}: {error}")),
            Ok(source) => {
                let mut document = decode(Box::new(source), "file");
                Some(format!("{name}: {}", wrong(&mut document)?))
            }
        }
    });
    all(found.collect())
}

fn samples(corpus: &Path) -> Result<(), Failed> {
    check(&corpus.join("samples"), |path| {
        let end = path.extension().and_then(|end| end.to_str());
        // Archives of reference texts take long, and say nothing about device code.
        !matches!(end, Some("json" | "txt" | "xz" | "md" | "tsv"))
    })
}

fn wild(_: &Path, folder: &Path) -> Result<(), Failed> {
    check(folder, |path| {
        let end = path.extension().and_then(|end| end.to_str());
        matches!(end, Some("so" | "dll" | "pyd" | "exe" | "lib" | "a" | "o"))
    })
}

fn sections(corpus: &Path) -> Result<(), Failed> {
    let mut wrong = Vec::new();
    let mut compared = 0;
    for file in in_folder(&corpus.join("samples/zebin"), "zebin") {
        let reference = corpus.join("samples/zebin-reference").join(&file.name);
        let path = reference.join("readelf.txt");
        let Ok(text) = std::fs::read_to_string(&path) else {
            continue;
        };
        let mut wanted: BTreeMap<String, u64> = BTreeMap::new();
        for line in readelf::parse(&text).sections {
            // SHT_NULL and SHT_NOBITS; the header of the metrics describes other bytes.
            if matches!(line.kind, Some(0 | 8)) || line.name == ".note.intelgt.metrics" {
                continue;
            }
            let mut prefixes = SECTION_PREFIXES.iter();
            let prefix = prefixes.find(|prefix| line.name.starts_with(**prefix));
            let name = prefix.map_or(&*line.name, |prefix| prefix.trim_end_matches('.'));
            *wanted.entry(name.to_owned()).or_default() += line.numbers[2];
        }
        let mut document = decode(Box::new(MemorySource::from(file.bytes)), "file");
        let rows = SizeReading::read_all(&mut document).rows(SizeKey::Section, &[]);
        for (name, size) in wanted.into_iter().filter(|(_, size)| *size > 0) {
            let row = rows.iter().find(|row| row.name == name);
            let found = row.map(|row| row.unpacked);
            compared += 1;
            if found != Some(size) {
                wrong.push(format!("{}: {name}: {size}, not {found:?}", file.name));
            }
        }
    }
    if compared < 1000 {
        wrong.push(format!("only {compared} sections"));
    }
    all(wrong)
}
