//! What makes a file large: the sizes of all groups add up to the file, at every step of the reading.

use std::collections::BTreeMap;

use crate::cli::{stderr, stdout, temporary, zeview};
use crate::support::compressed;
use crate::support::containers::{archive, member};
use crate::support::elf::Class;
use crate::support::packages::{deflated, stored, zip};
use crate::support::zebin::{small, zebin};
use crate::support::{built, fixtures, hosts, open, spirv};
use zeview::decode::compression::Method;
use zeview::model::{Document, NodeId, SourceId};
use zeview::sizes::{Part, SizeFilter, SizeKey, SizeReading, Sizes};

fn sizes(bytes: &[u8]) -> Sizes {
    SizeReading::read_all(&mut open(bytes))
}

/// Checks that the sizes add up, however they are grouped. `whole` is the size of the file.
fn check(name: &str, sizes: &Sizes, whole: u64) {
    assert_eq!(sizes.total, whole, "{name}");
    let stored: u64 = sizes.pieces.iter().map(|piece| piece.stored).sum();
    assert_eq!(stored, whole, "{name}: stored sizes do not add up");
    for by in SizeKey::ALL {
        let rows = sizes.rows(by, &[]);
        let stored: u64 = rows.iter().map(|row| row.stored).sum();
        let unpacked: u64 = rows.iter().map(|row| row.unpacked).sum();
        assert_eq!(
            (stored, unpacked),
            (whole, sizes.unpacked()),
            "{name}, {by:?}"
        );
        for row in &rows {
            let parts: u64 = row.parts.iter().sum();
            assert_eq!(parts, row.stored, "{name}, {by:?}, {}", row.name);
            let within = [SizeFilter {
                key: by,
                name: row.name.clone(),
            }];
            let sum = sizes.sum(&within);
            assert_eq!(
                (sum.stored, sum.unpacked),
                (row.stored, row.unpacked),
                "{name}, {by:?}"
            );
        }
        let map = sizes.map(by, &[]);
        let groups: u64 = map.groups.iter().map(|group| group.stored).sum();
        assert_eq!((map.stored, groups), (whole, whole), "{name}, {by:?}");
        for group in &map.groups {
            let cells: u64 = group.cells.iter().map(|cell| cell.stored).sum();
            assert_eq!(cells, group.stored, "{name}, {by:?}, {}", group.name);
        }
    }
}

/// The length of a document without the list of a folder, which is in no file.
fn len(document: &Document) -> u64 {
    let whole = document.sources.whole(SourceId::FILE).len();
    if &*document.summary.format != "folder" {
        return whole;
    }
    let list = document.make(document.root(), 0..1);
    whole - list[0].span.unwrap().len()
}

#[test]
fn sizes_of_every_file_add_up_at_every_step() {
    let fixtures = [
        fixtures::zebins(),
        fixtures::syclbins(),
        fixtures::hosts(),
        fixtures::packages(),
        fixtures::hostile(),
    ];
    let files = fixtures
        .into_iter()
        .flatten()
        .map(|file| (file.name, file.bytes));
    let built = built::all()
        .into_iter()
        .map(|(name, bytes)| (name.to_owned(), bytes));
    for (name, bytes) in files.chain(built) {
        let mut document = open(&bytes);
        let whole = document.sources.whole(SourceId::FILE).len();
        let mut reading = SizeReading::new(&document);
        let mut steps = 0;
        while reading.step(&mut document) {
            steps += 1;
            let progress = reading.progress();
            assert!(progress.done <= progress.of, "{name}: {progress:?}");
            if steps < 8 {
                let so_far = reading.sizes(&document);
                let stored: u64 = so_far.pieces.iter().map(|piece| piece.stored).sum();
                assert_eq!(stored, so_far.total, "{name}, step {steps}");
                assert!(so_far.total <= whole);
            }
        }
        assert!(reading.progress().is_over(), "{name}");
        check(&name, &reading.sizes(&document), len(&document));
    }
}

/// The sizes of the sections of a 64-bit little-endian ELF file by name, without those that have no
/// bytes: read independently of the decoder.
fn sections(bytes: &[u8]) -> BTreeMap<String, u64> {
    let number = |at: usize, len: usize| {
        let mut word = [0; 8];
        word[..len].copy_from_slice(&bytes[at..at + len]);
        u64::from_le_bytes(word)
    };
    let table = number(0x28, 8) as usize;
    let (entry, count, names) = (number(0x3a, 2), number(0x3c, 2), number(0x3e, 2));
    let header = |index: u64| table + (index * entry) as usize;
    let strings = number(header(names) + 0x18, 8) as usize;
    let mut found = BTreeMap::new();
    for at in (1..count).map(header) {
        let name = &bytes[strings + number(at, 4) as usize..];
        let end = name.iter().position(|byte| *byte == 0).unwrap();
        let name = String::from_utf8_lossy(&name[..end]).into_owned();
        if number(at + 4, 4) != 8 {
            *found.entry(name).or_default() += number(at + 0x20, 8);
        }
    }
    found
}

#[test]
fn sections_have_the_sizes_of_their_headers() {
    let mut compared = 0;
    for file in fixtures::zebins() {
        let is_plain = file.bytes.get(..6) == Some(b"\x7fELF\x02\x01");
        if !is_plain || !open(&file.bytes).diagnostics.is_empty() {
            continue;
        }
        let mut wanted: BTreeMap<String, u64> = BTreeMap::new();
        for (name, size) in sections(&file.bytes) {
            let prefixes = [
                ".text.",
                ".rel.text.",
                ".rela.text.",
                ".gtpin_info.",
                ".visaasm.",
            ];
            let found = prefixes.iter().find(|prefix| name.starts_with(**prefix));
            let name = found.map_or(&*name, |prefix| prefix.trim_end_matches('.'));
            *wanted.entry(name.to_owned()).or_default() += size;
        }
        let sizes = sizes(&file.bytes);
        let rows = sizes.rows(SizeKey::Section, &[]);
        for (name, size) in wanted.into_iter().filter(|(_, size)| *size > 0) {
            // Its header describes other bytes (IGC, zebin_builder.cpp).
            if name == ".note.intelgt.metrics" {
                continue;
            }
            let row = rows.iter().find(|row| row.name == name);
            assert_eq!(
                row.map(|row| row.unpacked),
                Some(size),
                "{}: {name}",
                file.name
            );
            compared += 1;
        }
    }
    assert!(compared > 200, "only {compared} sections");
}

fn part(sizes: &Sizes, part: Part) -> u64 {
    sizes.sum(&[]).part(part)
}

#[test]
fn a_wheel_shares_the_bytes_of_its_streams() {
    let library = hosts::usual(
        Class::Elf64,
        3,
        &spirv::kernel().build(),
        &small().build().bytes,
    );
    let library = library.build();
    let text = vec![b'a'; 100_000];
    let wheel = zip(&[
        deflated("pkg/lib.so", &library),
        deflated("pkg/lib.so.1", &library),
        deflated("pkg/text.py", &text),
        stored("pkg/other.zebin", &small().build().bytes),
    ]);
    let sizes = sizes(&wheel);
    check("wheel", &sizes, wheel.len() as u64);
    let files = sizes.rows(SizeKey::File, &[]);
    let file = |name: &str| files.iter().find(|row| row.name == name).unwrap();
    // The file, and its header in the package.
    let headers = |name: &str| 30 + name.len() as u64;
    assert_eq!(
        file("pkg/text.py").unpacked,
        100_000 + headers("pkg/text.py")
    );
    assert!(file("pkg/text.py").stored < 1000);
    let lib = file("pkg/lib.so");
    assert_eq!(lib.unpacked, library.len() as u64 + headers("pkg/lib.so"));
    assert_eq!(lib.part(Part::Copies), 0);
    // The second one has the same bytes, and so has the image beside.
    let copy = file("pkg/lib.so.1");
    assert_eq!(
        copy.stored,
        copy.part(Part::Copies) + copy.part(Part::Container)
    );
    assert!(file("pkg/other.zebin").part(Part::Copies) > 0);
    assert!(part(&sizes, Part::Instructions) > 0 && part(&sizes, Part::Intermediate) > 0);
    assert_eq!(part(&sizes, Part::NotRead), 0);
}

/// Of two files with the same bytes, the first is no copy.
#[test]
fn the_first_of_equal_files_is_no_copy() {
    let file = small().build().bytes;
    let wheel = zip(&[stored("a.zebin", &file), stored("b.zebin", &file)]);
    let sizes = sizes(&wheel);
    check("two", &sizes, wheel.len() as u64);
    assert_eq!(part(&sizes, Part::Copies), file.len() as u64);
    assert!(part(&sizes, Part::Instructions) > 0);
}

#[test]
fn devices_have_the_bytes_of_their_images() {
    let both = zebin(&["first", "second"]).build().bytes;
    let one = zebin(&["other"]).build().bytes;
    let module = spirv::kernel().build();
    let file = archive(&[
        member("64.20.1.0/", &both),
        member("64.20.1.0a/", &both),
        member("64.dg2/", &one),
        member("spv/", &module),
    ]);
    let sizes = sizes(&file);
    check("archive", &sizes, file.len() as u64);
    let rows = sizes.rows(SizeKey::Device, &[]);
    let spirv = rows.iter().find(|row| row.name == "SPIR-V").unwrap();
    assert_eq!(spirv.stored, module.len() as u64);
    let native: u64 = sizes.devices().iter().map(|(_, stored)| stored).sum();
    assert_eq!(native, (2 * both.len() + one.len()) as u64);
    // The code of all kernels is the same, too.
    assert!(part(&sizes, Part::Copies) >= both.len() as u64);
    let kernels = sizes.rows(SizeKey::Kernel, &[]);
    let mut names: Vec<&str> = kernels.iter().map(|row| &*row.name).collect();
    names.retain(|name| !name.starts_with('['));
    names.sort_unstable();
    assert_eq!(names, ["add", "first", "other", "second"]);
}

#[test]
fn what_is_not_read_has_a_reason() {
    let mut wheel = zip(&[deflated("a.zebin", &small().build().bytes)]);
    // The stream is damaged.
    let at = 30 + "a.zebin".len() + 40;
    for byte in &mut wheel[at..at + 60] {
        *byte = 0xff;
    }
    let sizes = sizes(&wheel);
    check("damaged", &sizes, wheel.len() as u64);
    assert!(part(&sizes, Part::NotRead) > 0);
    let sections = sizes.rows(SizeKey::Section, &[]);
    assert!(
        sections
            .iter()
            .any(|row| row.name.starts_with("not read: ")),
        "{sections:#?}"
    );
    assert!(!sizes.notes.is_empty());
}

#[test]
fn limits_decide_about_the_exit_status() {
    let file = archive(&[
        member("64.20.1.0/", &zebin(&["first"]).build().bytes),
        member("64.dg2/", &zebin(&["other"]).build().bytes),
    ]);
    let path = temporary("sizes-limits.ar", &file).display().to_string();
    for (limit, status) in [
        ("total > 1 GB", 0),
        ("total > 1 kB", 1),
        ("device bmg-g21 > 1 kB", 1),
        ("device bmg-g21 > 1 MB", 0),
        ("device B580 > 1 kB", 1),
        ("device B580 > 1 MB", 0),
        ("device pvc > 0", 0),
        ("kernel oth* copies > 10", 1),
        ("kernel oth* instructions > 0", 0),
        ("instructions > 10", 1),
        ("debug > 0", 0),
        ("device > 0", 2),
    ] {
        let output = zeview(&["sizes", &path, "--fail-if", limit]);
        let found = output.status.code();
        assert_eq!(found, Some(status), "{limit}: {}", stderr(&output));
        // A limit that is not understood is repeated, too.
        let is_named = stderr(&output).contains(limit);
        assert_eq!(is_named, status > 0, "{}", stderr(&output));
    }
    let output = zeview(&["sizes", &path, "--fail-if", "device bgm > 1 MB"]);
    assert_eq!(output.status.code(), Some(2));
    let said = stderr(&output);
    assert!(said.contains("no device is called \"bgm\""), "{said}");
    let within = |group: &str| {
        let output = zeview(&["sizes", &path, "--within", group]);
        let text = stdout(&output) + &stderr(&output);
        (output.status.code(), text)
    };
    let (status, own) = within("device=bmg-g21");
    assert_eq!(status, Some(0), "{own}");
    assert!(!own.contains(": 0 bytes"), "{own}");
    assert_eq!(within("device=B580"), (Some(0), own));
    // No file needs to have code for each device.
    let (status, none) = within("device=pvc");
    assert_eq!(status, Some(0), "{none}");
    assert!(none.contains("device pvc: 0 bytes"), "{none}");
    for (group, suggestion) in [
        ("device=bgm", "no device is called \"bgm\""),
        (
            "kernel=first1",
            "no kernel is called \"first1\"; did you mean \"first\"?",
        ),
    ] {
        let (status, said) = within(group);
        assert_eq!(status, Some(2), "{said}");
        assert!(said.contains(suggestion), "{said}");
    }
}

/// Images of the same name in several libraries, or in several images, are not one.
#[test]
fn images_are_told_apart() {
    let archive = archive(&[
        member("64.20.1.0/", &zebin(&["first"]).build().bytes),
        member("64.dg2/", &zebin(&["other"]).build().bytes),
    ]);
    let module = spirv::kernel().build();
    let library = hosts::usual(Class::Elf64, 2, &module, &archive).build();
    let packed = compressed::stream(Method::Zstd, &archive);
    let packed = hosts::with_size(&packed, archive.len());
    let packed = hosts::usual(Class::Elf64, 2, &module, &packed).build();
    let names = |file: &[u8]| {
        let rows = sizes(file).rows(SizeKey::Image, &[]).into_iter();
        let mut names: Vec<String> = rows
            .filter(|row| row.is_named)
            .map(|row| row.name)
            .collect();
        names.sort_unstable();
        names
    };
    let of_library = [
        "image 0",
        "image 1",
        "image 1 · 64.20.1.0",
        "image 1 · 64.dg2",
    ];
    let members = of_library.map(str::to_owned).to_vec();
    let found = names(&library);
    assert!(found.iter().all(|name| members.contains(name)), "{found:?}");
    assert_eq!(names(&packed), found);
    let wheel = zip(&[stored("a.so", &library), deflated("b.so", &packed)]);
    let both = ["a.so", "b.so"].into_iter();
    let both = both.flat_map(|file| found.iter().map(move |name| format!("{file} · {name}")));
    assert_eq!(names(&wheel), both.collect::<Vec<_>>());
}

#[test]
fn the_command_prints_what_grew() {
    let before = archive(&[member("64.20.1.0/", &zebin(&["first"]).build().bytes)]);
    let after = archive(&[
        member("64.20.1.0/", &zebin(&["first", "second"]).build().bytes),
        member("64.dg2/", &zebin(&["first"]).build().bytes),
    ]);
    let path = |name: &str, bytes: &[u8]| temporary(name, bytes).display().to_string();
    let (before, after) = (
        path("sizes-before.ar", &before),
        path("sizes-after.ar", &after),
    );
    let arguments = [
        "sizes", &after, "--since", &before, "--by", "device", "--json",
    ];
    let output = stdout(&zeview(&arguments));
    let rows: serde_json::Value = serde_json::from_str(&output).unwrap();
    let row = |name: &str| {
        let mut rows = rows.as_array().unwrap().iter();
        rows.find(|row| row["name"] == name)
            .unwrap_or_else(|| panic!("{output}"))
    };
    let device = row("bmg-g21");
    let change = device["stored"].as_i64().unwrap() - device["before"].as_i64().unwrap();
    assert_eq!(device["change"].as_i64(), Some(change));
    assert!(change > 0);
    let arguments = [
        "sizes", &after, "--since", &before, "--by", "kernel", "--json",
    ];
    let output = stdout(&zeview(&arguments));
    let rows: serde_json::Value = serde_json::from_str(&output).unwrap();
    let mut rows = rows.as_array().unwrap().iter();
    let second = rows.find(|row| row["name"] == "second").unwrap();
    assert!(second["before"].is_null() && second["change"] == second["stored"]);
    let text = stdout(&zeview(&["sizes", &after]));
    assert!(
        text.contains("Without bmg-g21, the file would be "),
        "{text}"
    );
}

#[test]
fn every_document_of_the_root_has_the_list() {
    use zeview::tables::{ListId, list};
    let mut document = open(&small().build().bytes);
    let list = list(&mut document, NodeId::ROOT, ListId::Sizes, None).unwrap();
    assert!(list.count() > 0 && list.size_map().is_some());
}
