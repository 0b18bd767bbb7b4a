//! Compares the decoder's tables with facts copied from the specifications and the writers' sources
//! into `tests/spec/*.tsv`, in both directions.

use std::collections::BTreeMap;

use zeview::decode::device::{CONFIGS, CoreFamily, GmdId, ProductFamily};
use zeview::decode::elf::section::SectionType;
use zeview::decode::names::{BitField, Present};
use zeview::decode::zebin::gtpin_info::Token;
use zeview::decode::zebin::note_intelgt::{NoteType, VOCABULARY};
use zeview::decode::zebin::relocation::RelocationType;
use zeview::decode::zebin::target_metadata::TargetMetadata;
use zeview::model::KnownValue;

/// Returns the rows of a table, each by column name.
fn table(text: &'static str) -> Vec<BTreeMap<&'static str, &'static str>> {
    let mut lines = text.lines().filter(|l| !l.starts_with('#'));
    let columns: Vec<_> = lines.next().expect("a head").split('\t').collect();
    let row = |line: &'static str| columns.iter().copied().zip(line.split('\t')).collect();
    lines.map(row).collect()
}

fn number(text: &str) -> u64 {
    match text.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).expect("a number"),
        None => text.parse().expect("a number"),
    }
}

fn names(text: &'static str) -> BTreeMap<u64, String> {
    let rows = table(text).into_iter();
    rows.map(|r| (number(r["number"]), r["name"].to_owned()))
        .collect()
}

fn known(list: &[KnownValue]) -> BTreeMap<u64, String> {
    let map: BTreeMap<_, _> = list.iter().map(|k| (k.raw, k.name.to_owned())).collect();
    assert_eq!(map.len(), list.len(), "a number is there twice");
    map
}

#[test]
fn section_types() {
    let ours = known(<SectionType as Present>::KNOWN);
    let standard = names(include_str!("../spec/sht.tsv"));
    let zebin = names(include_str!("../spec/sht_zebin.tsv"));
    for (number, name) in standard.iter().chain(&zebin) {
        assert_eq!(ours.get(number), Some(name), "{number:#x}");
    }
    // Also those of LLVM, GNU and the legacy container.
    for (number, name) in &ours {
        let other = ["SHT_OPENCL_", "SHT_LLVM_", "SHT_GNU_"]
            .iter()
            .any(|p| name.starts_with(p));
        let listed = standard.contains_key(number) || zebin.contains_key(number);
        assert!(listed != other, "{name}");
    }
}

#[test]
fn note_types() {
    let text = include_str!("../spec/nt_intelgt.tsv");
    assert_eq!(known(<NoteType as Present>::KNOWN), names(text));
    for row in table(text) {
        let kind = u32::try_from(number(row["number"])).expect("32 bits");
        let size = row["descsz"].parse().ok();
        assert_eq!((VOCABULARY.size)(kind), size, "{}", row["name"]);
    }
}

#[test]
fn relocation_types() {
    let text = include_str!("../spec/relocations.tsv");
    assert_eq!(known(<RelocationType as Present>::KNOWN), names(text));
    for row in table(text) {
        let kind = RelocationType(u32::try_from(number(row["number"])).expect("32 bits"));
        assert_eq!(kind.width(), number(row["bytes"]), "{}", row["name"]);
    }
}

#[test]
fn product_families() {
    let spec = names(include_str!("../spec/product_family.tsv"));
    assert_eq!(known(<ProductFamily as Present>::KNOWN), spec);
}

#[test]
fn core_families() {
    let spec = names(include_str!("../spec/core_family.tsv"));
    assert_eq!(known(<CoreFamily as Present>::KNOWN), spec);
}

#[test]
fn product_configurations() {
    let rows = table(include_str!("../spec/product_config.tsv"));
    let mut spec = BTreeMap::new();
    for row in &rows {
        let value = u32::try_from(number(row["number"])).expect("32 bits");
        assert_eq!(GmdId(value).to_string(), row["version"], "{}", row["name"]);
        assert!(
            spec.insert(value, row).is_none(),
            "{value:#x} is there twice"
        );
    }
    assert_eq!(CONFIGS.len(), spec.len());
    for config in CONFIGS {
        let row = spec
            .get(&config.value)
            .unwrap_or_else(|| panic!("{:#x}", config.value));
        assert_eq!(config.name, row["name"]);
        let devices = match row["devices"] {
            "-" => Vec::new(),
            list => list.split(',').collect(),
        };
        if row["release"] != "legacy" {
            assert_eq!(config.release, row["release"], "{}", config.name);
            assert_eq!(config.devices, devices, "{}", config.name);
        }
    }
}

#[test]
fn gtpin_tokens() {
    let rows = table(include_str!("../spec/gtpin_tokens.tsv")).into_iter();
    let spec: BTreeMap<u64, String> = rows
        .map(|r| {
            (
                number(r["number"]),
                format!("GTPIN_IGC_TOKEN_{}", r["name"]),
            )
        })
        .collect();
    assert_eq!(known(<Token as Present>::KNOWN), spec);
}

fn bits(ours: &[BitField], text: &'static str) {
    let rows = table(text);
    assert_eq!(ours.len(), rows.len());
    for (field, row) in ours.iter().zip(rows) {
        let (low, high) = (u64::from(field.low), u64::from(field.high));
        assert_eq!(
            (low, high - 1),
            (number(row["low"]), number(row["high"])),
            "{}",
            field.name
        );
        // Two fields are named reserved.
        assert!(
            field.name.starts_with(row["name"]),
            "{} for {}",
            field.name,
            row["name"]
        );
    }
}

#[test]
fn bits_of_words() {
    bits(
        TargetMetadata::FIELDS,
        include_str!("../spec/target_metadata.tsv"),
    );
    bits(GmdId::FIELDS, include_str!("../spec/gmd_id.tsv"));
}
