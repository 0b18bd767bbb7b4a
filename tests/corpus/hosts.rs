//! Host files with device images, compared with another reader.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use zeview::tables;

use libtest_mimic::Failed;
use zeview::analysis::naming::{ShortNames, WIDTH};
use zeview::decode::decode;
use zeview::model::{Area, Document, FileSource, NodeId, NodeKind, Severity};
use zeview::tables::ListId;

use crate::support::hosts::differences;
use crate::support::invariants::{Depth, violations};
use crate::support::tree::walk_all;

pub const TESTS: &[(&str, super::Test)] = &[
    ("small hosts are read as by another reader", small),
    (
        "what holds for every document holds for small hosts",
        invariants,
    ),
    ("fields of the index changed", |corpus| {
        // Other changes in each host, one per field: all of them take minutes.
        changed(corpus, |host, fields| {
            let is_chosen = |field: usize| (field + host).is_multiple_of(4);
            let choose = |(field, new): (usize, Vec<u64>)| {
                let new = new
                    .get(field / 4 % new.len().max(1))
                    .filter(|_| is_chosen(field));
                new.copied().into_iter().collect()
            };
            fields.into_iter().enumerate().map(choose).collect()
        })
    }),
];

/// Tests that run only on request: `cargo test --test corpus -- --ignored`.
pub const SLOW_TESTS: &[(&str, super::Test)] = &[(
    "every field of the index changed to every value",
    |corpus| changed(corpus, |_, fields| fields),
)];

/// The corpus and the folder of libraries.
type WildTest = fn(&Path, &Path) -> Result<(), Failed>;

pub const WILD_TESTS: &[(&str, WildTest)] = &[
    ("libraries are read as by another reader", wild),
    ("kernels have short names", short_names),
];

/// Checks short names of the kernels of all libraries: they are distinct within an image and
/// device, independent of the order, and almost all are short.
fn short_names(_: &Path, folder: &Path) -> Result<(), Failed> {
    let (mut count, mut too_long) = (0, 0);
    for path in [".so", ".dll", ".pyd"]
        .iter()
        .flat_map(|end| files(folder, end))
    {
        let mut document = open(&path);
        let Some(list) = tables::list(&mut document, NodeId::ROOT, ListId::Kernels, None) else {
            continue;
        };
        let column = |id: &str| {
            let mut columns = ListId::Kernels.columns().iter();
            columns.position(|column| column.id == id).unwrap()
        };
        let [device, demangled, short] = ["device", "demangled", "short_name"].map(column);
        let mut seen = HashMap::new();
        let mut names = BTreeMap::new();
        for row in 0..list.count() - list.secondary().functions {
            let text = |column| {
                list.cell(row, column, &document.sources)
                    .value
                    .text()
                    .into_owned()
            };
            let (name, short) = (text(0), text(short));
            let place = (
                list.as_kernels().unwrap().path(row).to_owned(),
                text(device),
                short.clone(),
            );
            if seen
                .insert(place, name.clone())
                .is_some_and(|other| other != name)
            {
                return Err(format!("{}: two kernels are {short}", path.display()).into());
            }
            names.insert(name, (text(demangled), short));
        }
        let reversed = names.iter().rev().map(|(name, (demangled, _))| {
            (&**name, Some(&**demangled).filter(|text| *text != name))
        });
        let reversed = ShortNames::new(reversed);
        for (name, (_, short)) in &names {
            if reversed.get(name) != Some(short) {
                return Err(format!("{}: {name} depends on the order", path.display()).into());
            }
            count += 1;
            too_long += usize::from(short.chars().count() > WIDTH);
        }
    }
    if count == 0 || too_long * 100 > count {
        Err(format!("{too_long} of {count} short names are too long").into())
    } else {
        Ok(())
    }
}

/// Returns the files of a folder whose names have this suffix.
fn files(folder: &Path, end: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files(&path, end));
        } else if path.to_string_lossy().ends_with(end) {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn open(path: &Path) -> Document {
    decode(Box::new(FileSource::open(path).unwrap()), "file")
}

fn compare(path: &Path, reference: &Path) -> Result<(), Failed> {
    let reference = serde_json::from_slice(&fs::read(reference)?)?;
    let mut document = open(path);
    let wrong = differences(&mut document, &reference);
    if let Some(first) = wrong.first() {
        return Err(format!("{}: {first}, {} in all", path.display(), wrong.len()).into());
    }
    let errors = document.diagnostics.iter();
    let mut errors = errors.filter(|diagnostic| diagnostic.severity == Severity::Error);
    match errors.next() {
        Some(error) => Err(format!("{}: {}", path.display(), error.message).into()),
        None => Ok(()),
    }
}

fn small(corpus: &Path) -> Result<(), Failed> {
    let references = files(&corpus.join("samples/hosts"), ".host.json");
    if references.is_empty() {
        return Err("the corpus has no hosts".into());
    }
    for reference in references {
        compare(&reference.with_extension(""), &reference)?;
    }
    Ok(())
}

fn invariants(corpus: &Path) -> Result<(), Failed> {
    for path in files(&corpus.join("samples/hosts"), ".host") {
        let wrong = violations(&fs::read(&path)?, Depth::Full);
        if let Some(first) = wrong.first() {
            return Err(format!("{}: {first}", path.display()).into());
        }
    }
    Ok(())
}

/// Returns the values to write into a field of `size` bytes: zero, all ones, the adjacent values,
/// and the size of the file.
fn changes(value: u64, size: usize, file: usize) -> Vec<u64> {
    let mask = u64::MAX >> (64 - 8 * size.clamp(1, 8));
    let changed = [
        0,
        mask,
        value.wrapping_add(1),
        value.wrapping_sub(8),
        file as u64,
    ];
    let changed = changed.into_iter().map(|new| new & mask);
    let mut changed: Vec<u64> = changed.filter(|new| *new != value).collect();
    changed.sort_unstable();
    changed.dedup();
    changed
}

/// Returns the leaves of the index, and of the loader's relocations of its pointers.
fn index_fields(document: &Document) -> Vec<(u64, usize)> {
    let tree = walk_all(document).unwrap();
    let is_of_index = |at: usize| {
        let mut above = std::iter::successors(Some(at), |at| tree.nodes[*at].parent);
        above.any(|at| {
            let node = &tree.nodes[at].node;
            let is_table = matches!(node.kind, NodeKind::Table | NodeKind::Record);
            is_table && node.area == Area::Meta || node.name.starts_with(".rel")
        })
    };
    let numbers = tree.nodes.iter().enumerate().filter_map(|(at, flat)| {
        let span = flat
            .node
            .span
            .filter(|span| (1..=8).contains(&span.len()))?;
        (flat.node.value.as_u64().is_some() && is_of_index(at))
            .then_some((span.start, span.len() as usize))
    });
    let mut numbers: Vec<_> = numbers.collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

/// Selects the changes to make to a field with this number.
type Choose = fn(usize, Vec<Vec<u64>>) -> Vec<Vec<u64>>;

fn changed(corpus: &Path, choose: Choose) -> Result<(), Failed> {
    let mut wrong = Vec::new();
    let hosts = files(&corpus.join("samples/hosts"), ".host");
    for (number, path) in hosts.into_iter().enumerate() {
        let bytes = fs::read(&path)?;
        let fields = index_fields(&open(&path));
        if fields.len() < 40 {
            return Err(format!("{}: only {} fields", path.display(), fields.len()).into());
        }
        let range = |(at, size): (u64, usize)| at as usize..at as usize + size;
        let all = fields.iter().map(|field| {
            let mut word = [0; 8];
            word[..field.1].copy_from_slice(&bytes[range(*field)]);
            changes(u64::from_le_bytes(word), field.1, bytes.len())
        });
        for (field, changes) in fields.iter().zip(choose(number, all.collect())) {
            for new in changes {
                let mut bytes = bytes.clone();
                bytes[range(*field)].copy_from_slice(&new.to_le_bytes()[..field.1]);
                if let Some(first) = violations(&bytes, Depth::Quick).first() {
                    let at = field.0;
                    wrong.push(format!("{}: {at:#x} is {new:#x}: {first}", path.display()));
                }
            }
        }
    }
    let some = wrong.iter().step_by(wrong.len() / 20 + 1);
    let some: Vec<&str> = some.map(String::as_str).collect();
    match wrong.len() {
        0 => Ok(()),
        count => Err(format!("{count}, among them\n{}", some.join("\n")).into()),
    }
}

/// Compares real libraries.
fn wild(corpus: &Path, folder: &Path) -> Result<(), Failed> {
    let mut count = 0;
    for reference in files(&corpus.join("samples/wild/reference"), ".json") {
        let said: serde_json::Value = serde_json::from_slice(&fs::read(&reference)?)?;
        let name = said["file"].as_str().unwrap_or_default();
        let same_size =
            |path: &PathBuf| fs::metadata(path).is_ok_and(|there| said["bytes"] == there.len());
        let found = files(folder, name).into_iter().find(same_size);
        let path = found.ok_or_else(|| format!("{name} is not in {}", folder.display()))?;
        compare(&path, &reference)?;
        count += 1;
    }
    match count {
        0 => Err("the corpus has no references".into()),
        _ => Ok(()),
    }
}
