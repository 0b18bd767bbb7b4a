//! Classifies bytes as layout, independently of the program's tables: the oracle for comparisons
//! with the result "same meaning".

use zeview::diff::{Options, Outcome, compare};
use zeview::model::{Document, NodeKind, SourceId};

use super::open;
use super::random::Random;

/// Fields that only contain locations: gABI, SYCLBIN, OffloadBinary.
const OFFSETS: [&str; 11] = [
    "e_phoff",
    "e_shoff",
    "sh_offset",
    "p_offset",
    "EntriesOffset",
    "StringOffset",
    "ImageOffset",
    "KeyOffset",
    "ValueOffset",
    "GlobalMetadataOffset",
    "MetadataOffset",
];
/// Fields that identify a section, symbol or string.
const REFERENCES: [&str; 8] = [
    "sh_name",
    "st_name",
    "sh_link",
    "sh_info",
    "st_shndx",
    "e_shstrndx",
    "r_info",
    "symbol",
];
/// Attributes of an archive member.
const NOTED: [&str; 4] = ["ar_date", "ar_uid", "ar_gid", "ar_mode"];

/// Returns the row of the layout table for a byte, or `None` for content.
pub fn layout(document: &mut Document, offset: u64) -> Option<&'static str> {
    let ids = document.nodes_at(SourceId::FILE, offset);
    let path: Vec<_> = ids
        .iter()
        .filter_map(|id| document.node(*id).cloned())
        .collect();
    let last = path.last()?;
    let is_inside = last
        .span
        .is_some_and(|span| (span.start..span.end).contains(&offset));
    let name = &*last.name;
    let any = |kind: NodeKind| path.iter().any(|node| node.kind == kind);
    match last.kind {
        NodeKind::Padding => return Some("padding"),
        NodeKind::Syntax => return Some("punctuation of .ze_info"),
        // Indentation, a colon, blanks before a value.
        _ if !is_inside => return Some("punctuation of .ze_info"),
        NodeKind::Field if OFFSETS.contains(&name) => return Some("offset"),
        NodeKind::Field if name == "sh_size" => return Some("size of a section"),
        NodeKind::Field if REFERENCES.contains(&name) => return Some("reference"),
        NodeKind::Field if NOTED.contains(&name) => return Some("archiver"),
        _ => {}
    }
    if any(NodeKind::Packed) {
        return Some("compression");
    }
    // A bundle's table of entries.
    if name == "offset" && last.kind == NodeKind::Field {
        return Some("offset");
    }
    let is_code = path.iter().any(|node| node.name.starts_with(".text"));
    if is_code && (name == "prefetch padding" || last.kind == NodeKind::Instruction) {
        let span = last.span?;
        let bytes = document.sources.read(span).ok()?;
        return bytes
            .iter()
            .all(|byte| *byte == 0)
            .then_some("zeros behind code");
    }
    None
}

/// Checks the outcome of comparing two files of the same length: "identical" only if they are,
/// "same meaning" only if each differing byte is layout. Returns a description of a violation.
pub fn unfounded(a: &[u8], b: &[u8]) -> Option<String> {
    let (mut one, mut other) = (open(a), open(b));
    let result = compare(&mut one, &mut other, &Options::default());
    let outcome = result.outcome();
    if (outcome == Outcome::Identical) != (a == b) {
        return Some(format!("{} bytes: {outcome:?}", a.len()));
    }
    if outcome == Outcome::Different
        && result.entries.iter().all(|entry| {
            entry.fields.is_empty()
                && entry.code.is_none()
                && entry.a.is_some() == entry.b.is_some()
        })
    {
        return Some("it differs, without saying where".to_owned());
    }
    if outcome == Outcome::Unknown && result.notes.is_empty() {
        return Some("it is unknown, without saying why".to_owned());
    }
    if outcome != Outcome::SameMeaning {
        return None;
    }
    let differing = a.iter().zip(b).enumerate().filter(|(_, (x, y))| x != y);
    for (at, (x, y)) in differing {
        let offset = at as u64;
        if layout(&mut one, offset).is_none() || layout(&mut other, offset).is_none() {
            return Some(format!("byte {at:#x}: {x:#04x} → {y:#04x} is no layout"));
        }
    }
    None
}

/// Checks the outcomes for a file and copies of it with one changed byte, at `count` random
/// offsets.
pub fn unfounded_claims(bytes: &[u8], random: &mut Random, count: usize) -> Vec<String> {
    let mut wrong = Vec::new();
    for at in random.sample(bytes.len(), count) {
        let mut changed = bytes.to_vec();
        // Flip single bits as often as replacing the byte.
        changed[at] ^= match random.below(2) {
            0 => 1 << random.below(8),
            _ => u8::try_from(1 + random.below(255)).unwrap(),
        };
        wrong.extend(unfounded(bytes, &changed));
    }
    wrong
}
