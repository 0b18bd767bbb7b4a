//! Comparison with other readers: goblin, readelf, serde_yaml.

use std::process::Command;

use crate::support::elf::Class;
use crate::support::fixtures::{Fixture, zebins};
use crate::support::view::{Entry, view};
use crate::support::{readelf, yaml, zebin};
use goblin::elf::Elf;
use zeview::model::{NodeKind, Span};

/// Returns the ELF files among the fixtures.
fn files() -> Vec<Fixture> {
    let mut files = zebins();
    files.retain(|f| f.bytes.starts_with(b"\x7fELF"));
    files
}

fn get(entry: &Entry, name: &str) -> u64 {
    *entry
        .numbers
        .get(name)
        .unwrap_or_else(|| panic!("no {name} in {entry:?}"))
}

fn goblin_agrees(name: &str, bytes: &[u8]) {
    let elf = Elf::parse(bytes).unwrap_or_else(|e| panic!("{name}: {e}"));
    let view = view(bytes);
    let header = elf.header;
    let pairs = [
        ("e_type", u64::from(header.e_type)),
        ("e_machine", header.e_machine.into()),
        ("e_version", header.e_version.into()),
        ("e_entry", header.e_entry),
        ("e_phoff", header.e_phoff),
        ("e_shoff", header.e_shoff),
        ("e_flags", header.e_flags.into()),
        ("e_ehsize", header.e_ehsize.into()),
        ("e_phentsize", header.e_phentsize.into()),
        ("e_phnum", header.e_phnum.into()),
        ("e_shentsize", header.e_shentsize.into()),
        ("e_shnum", header.e_shnum.into()),
        ("e_shstrndx", header.e_shstrndx.into()),
    ];
    for (field, theirs) in pairs {
        assert_eq!(view.header.get(field), Some(&theirs), "{name}: {field}");
    }
    assert_eq!(
        view.sections.len(),
        elf.section_headers.len(),
        "{name}: sections"
    );
    for (ours, theirs) in view.sections.iter().zip(&elf.section_headers) {
        let ours = &ours.header;
        let title = elf.shdr_strtab.get_at(theirs.sh_name);
        assert_eq!(Some(&*ours.name), title, "{name}");
        let pairs = [
            ("sh_type", u64::from(theirs.sh_type)),
            ("sh_flags", theirs.sh_flags),
            ("sh_addr", theirs.sh_addr),
            ("sh_offset", theirs.sh_offset),
            ("sh_size", theirs.sh_size),
            ("sh_link", theirs.sh_link.into()),
            ("sh_info", theirs.sh_info.into()),
            ("sh_addralign", theirs.sh_addralign),
            ("sh_entsize", theirs.sh_entsize),
        ];
        for (field, theirs) in pairs {
            assert_eq!(get(ours, field), theirs, "{name}: {} {field}", ours.name);
        }
    }
    let table = view
        .sections
        .iter()
        .find(|s| get(&s.header, "sh_type") == 2);
    let symbols = table.map_or(&[][..], |t| t.entries.as_slice());
    assert_eq!(symbols.len(), elf.syms.len(), "{name}: symbols");
    for (ours, theirs) in symbols.iter().zip(elf.syms.iter()) {
        assert_eq!(
            Some(&*ours.name),
            elf.strtab.get_at(theirs.st_name),
            "{name}"
        );
        let pairs = [
            ("st_info", u64::from(theirs.st_info)),
            ("st_other", theirs.st_other.into()),
            ("st_shndx", theirs.st_shndx as u64),
            ("st_value", theirs.st_value),
            ("st_size", theirs.st_size),
            ("type", theirs.st_type().into()),
            ("binding", theirs.st_bind().into()),
        ];
        for (field, theirs) in pairs {
            assert_eq!(
                get(ours, field),
                theirs,
                "{name}: symbol {} {field}",
                ours.name
            );
        }
    }
    for (index, relocations) in &elf.shdr_relocs {
        let section = &view.sections[*index];
        assert_eq!(
            section.entries.len(),
            relocations.len(),
            "{name}: {}",
            section.header.name
        );
        for (ours, theirs) in section.entries.iter().zip(relocations.iter()) {
            assert_eq!(get(ours, "r_offset"), theirs.r_offset, "{name}");
            assert_eq!(get(ours, "symbol"), theirs.r_sym as u64, "{name}");
            assert_eq!(get(ours, "type"), u64::from(theirs.r_type), "{name}");
            let addend = ours.numbers.get("r_addend").map(|a| a.cast_signed());
            assert_eq!(addend, theirs.r_addend, "{name}");
        }
    }
}

#[test]
fn goblin() {
    for file in files() {
        goblin_agrees(&file.name, &file.bytes);
    }
    let narrow = zebin::zebin_of(Class::Elf32, &["a", "b"]);
    goblin_agrees("narrow", &narrow.build().bytes);
    goblin_agrees("big endian", &zebin::small().big_endian().build().bytes);
    goblin_agrees("narrow, big endian", &narrow.big_endian().build().bytes);
    goblin_agrees("300 kernels", &zebin::many(300));
}

#[test]
fn readelf_where_it_is_installed() {
    if Command::new("readelf").arg("--version").output().is_err() {
        eprintln!("skipped: readelf is not installed");
        return;
    }
    let mut wrong = Vec::new();
    for file in files() {
        let mut command = Command::new("readelf");
        let output = command
            .arg("-aW")
            .arg(&file.path)
            .env("LC_ALL", "C")
            .output();
        let output = output.expect("readelf runs");
        let listing = readelf::parse(&String::from_utf8_lossy(&output.stdout));
        for difference in readelf::differences(&file.bytes, &listing) {
            wrong.push(format!("{}: {difference}", file.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Returns the bytes of a file's `.ze_info`.
fn ze_info(bytes: &[u8]) -> Option<Span> {
    let document = crate::support::open(bytes);
    let root = document.root();
    let parts = document.make(root, 0..document.count(root));
    let part = parts
        .into_iter()
        .find(|p| p.name == ".ze_info" && p.kind == NodeKind::Text);
    part.and_then(|p| p.span)
}

#[test]
fn serde_yaml() {
    let mut compared = 0;
    for file in files() {
        let Some(span) = ze_info(&file.bytes) else {
            continue;
        };
        let text = &file.bytes[span.start as usize..span.end as usize];
        let count = yaml::compare(&file.bytes, text);
        compared += count.unwrap_or_else(|e| panic!("{}: {e}", file.name));
    }
    assert!(compared > 3000, "only {compared} values");
}
