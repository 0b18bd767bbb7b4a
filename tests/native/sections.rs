//! The table of sections: its types match the specification, and the checks, the rows of the tree
//! and the verdict use each of its rows.

use std::collections::BTreeSet;

use crate::support::elf::{Elf, Section};
use crate::support::notes::{Notes, battlemage};
use crate::support::open;
use crate::support::tree::walk_all;
use crate::support::zebin::{code, small, ze_info};
use zeview::decode::elf::section::SectionType;
use zeview::decode::zebin::sections::{
    Content, Driver, Name, SECTIONS, SectionSpec, Spelling, segment_of, spec_of,
};
use zeview::decode::zebin::verdict::rules;
use zeview::model::{Area, NodeId, Outcome};

/// Returns a section name for the row.
fn name_for(spec: &SectionSpec) -> String {
    match spec.name {
        Name::Exact(name) => name.to_owned(),
        Name::Prefix(start) => format!("{start}other"),
        Name::Any => ".other".to_owned(),
    }
}

/// Returns a section for the row, with contents of its type.
fn section_for(spec: &SectionSpec) -> Section {
    let bytes = match spec.content {
        Content::Code => code(4),
        Content::ZeInfo => ze_info(&["k"]).into_bytes(),
        Content::Notes => battlemage(Notes::new()),
        _ => vec![0; 48],
    };
    let mut section = Section::new(name_for(spec), spec.kind.0.into(), bytes);
    section.entsize = match spec.kind {
        SectionType::SHT_SYMTAB | SectionType::SHT_RELA => 24,
        SectionType::SHT_REL => 16,
        _ => 0,
    };
    section
}

/// Returns a zebin with `count` sections for the row.
fn zebin_with(spec: &SectionSpec, count: usize) -> Elf {
    let mut elf = small();
    for _ in 0..count {
        elf.sections.insert(1, section_for(spec));
    }
    elf
}

#[test]
fn types_match_the_specification() {
    let numbers = |text: &str| -> BTreeSet<u32> {
        let rows = text.lines().filter(|l| !l.starts_with('#')).skip(1);
        let first = rows.map(|row| row.split('\t').next().expect("a number"));
        let number = |text: &str| match text.strip_prefix("0x") {
            Some(hex) => u32::from_str_radix(hex, 16).expect("a number"),
            None => text.parse().expect("a number"),
        };
        first.map(number).collect()
    };
    let standard = numbers(include_str!("../spec/sht.tsv"));
    let zebin = numbers(include_str!("../spec/sht_zebin.tsv"));
    let ours: BTreeSet<u32> = SECTIONS.iter().map(|spec| spec.kind.0).collect();
    assert!(ours.is_superset(&zebin), "{ours:x?}");
    let others: BTreeSet<u32> = ours.difference(&zebin).copied().collect();
    assert!(others.is_subset(&standard), "{others:x?}");
}

#[test]
fn each_row_is_found_by_its_type_and_name() {
    for spec in SECTIONS {
        let name = name_for(spec);
        let found = spec_of(spec.kind, name.as_bytes()).expect("a row");
        assert!(std::ptr::eq(found, spec), "{name}: {found:?}");
        if spec.segment.is_some() {
            assert_eq!(segment_of(name.as_bytes()), spec.segment, "{name}");
        }
    }
}

#[test]
fn each_row_is_shown_and_checked() {
    for spec in SECTIONS {
        let name = name_for(spec);
        let document = open(&zebin_with(spec, 1).build().bytes);
        let tree = walk_all(&document).unwrap();
        let found = tree.nodes.iter().find(|found| found.node.name == name);
        let node = &found.unwrap_or_else(|| panic!("no row {name}")).node;
        assert_eq!(node.doc.map(|doc| doc.text), Some(spec.doc.text), "{name}");
        if spec.area != Area::Inherit {
            assert_eq!(node.area, spec.area, "{name}");
        }
        let fired = |rule: &str| document.diagnostics.iter().any(|d| d.rule == rule);
        let unknown = spec.spelling == Spelling::Unknown;
        assert_eq!(fired("zebin/unknown-section-name"), unknown, "{name}");
        let misspelled = matches!(spec.spelling, Spelling::Misspelled(_));
        assert_eq!(fired("zebin/misspelled-section-name"), misspelled, "{name}");
        let twice = open(&zebin_with(spec, 2).build().bytes);
        let again = |rule: &str| twice.diagnostics.iter().any(|d| d.rule == rule);
        let once = matches!(spec.driver, Driver::Once(_));
        assert_eq!(again("zebin/duplicate-section"), once, "{name}");
    }
}

#[test]
fn driver_behavior_matches_each_row() {
    for spec in SECTIONS {
        let name = name_for(spec);
        let (count, rule) = match spec.driver {
            Driver::Once(_) => (2, rules::DUPLICATE_SECTION.id),
            Driver::Kernel | Driver::Skips => (1, ""),
            Driver::Warns => (1, rules::SECTION_IGNORED.id),
            Driver::Refuses => (1, rules::PROGBITS_NAME.id),
        };
        let document = open(&zebin_with(spec, count).build().bytes);
        let verdict = document.verdict(NodeId::ROOT, None).expect("a verdict");
        let wanted = match rule {
            "" => Outcome::Loads,
            id if id == rules::SECTION_IGNORED.id => Outcome::LoadsWithWarnings,
            _ => Outcome::Refused,
        };
        assert_eq!(verdict.outcome, wanted, "{name}: {:?}", verdict.findings);
        let met = verdict.findings.iter().any(|f| f.rule == rule);
        assert!(met || rule.is_empty(), "{name}: {:?}", verdict.findings);
    }
}
