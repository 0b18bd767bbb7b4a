//! Device images in host files: the index, images found without it, lazily opened images, and
//! damaged files.

use std::fs;

use zeview::analysis::host_images::{Entry, HostImage};
use zeview::decode::rules;
use zeview::model::{Document, NodeId, NodeKind, Span};

use crate::support::containers::ocloc_archive;
use crate::support::elf::{Class, Elf, Section, put};
use crate::support::hosts::{Host, Place, differences, images, unpacked, usual, with_size};
use crate::support::invariants::{Depth, hold, hold_for_all, violations};
use crate::support::syclbin::Syclbin;
use crate::support::watchdog::Watchdog;
use crate::support::zebin::small;
use crate::support::{damage, fixtures, open, spirv, zebin};

fn names<'a>(entries: &[&'a Entry]) -> Vec<&'a str> {
    entries.iter().map(|entry| &*entry.name).collect()
}

fn rules_of(document: &Document) -> Vec<String> {
    let found = document.diagnostics.iter();
    let mut rules: Vec<String> = found.map(|d| d.rule.to_string()).collect();
    rules.dedup();
    rules
}

#[test]
fn another_reader_agrees() {
    for file in fixtures::hosts() {
        let reference = file.path.with_file_name(format!("{}.json", file.name));
        let reference = serde_json::from_slice(&fs::read(reference).unwrap()).unwrap();
        let mut document = open(&file.bytes);
        let wrong = differences(&mut document, &reference);
        assert_eq!(wrong, [""; 0], "{}", file.name);
        let without_sections = file.name.contains("noshdr");
        let expected: &[&str] = if without_sections {
            &["layout/gap"]
        } else {
            &[]
        };
        let found = rules_of(&document);
        assert!(
            found.iter().all(|rule| expected.contains(&rule.as_str())),
            "{}: {found:?}",
            file.name
        );
    }
}

#[test]
fn document_invariants_hold() {
    for file in fixtures::hosts() {
        hold(&file.name, &file.bytes, Depth::Full);
    }
    let (spirv, zebin) = (spirv::kernel().build(), small().build().bytes);
    for class in [Class::Elf32, Class::Elf64] {
        for version in 1..=3 {
            for relocated in [false, true] {
                let mut host = usual(class, version, &spirv, &zebin);
                host.relocated = relocated;
                let what = format!("{class:?}, version {version}, relocated: {relocated}");
                hold(&what, &host.build(), Depth::Full);
            }
        }
    }
}

#[test]
fn every_version_for_every_class() {
    let (spirv, zebin) = (spirv::kernel().build(), small().build().bytes);
    for class in [Class::Elf32, Class::Elf64] {
        for version in 1..=3 {
            for relocated in [false, true] {
                let mut host = usual(class, version, &spirv, &zebin);
                host.relocated = relocated;
                let mut document = open(&host.build());
                let what = format!("{class:?}, version {version}, relocated: {relocated}");
                assert_eq!(rules_of(&document), [""; 0], "{what}");
                let found = images(&document);
                let kinds: Vec<_> = found.iter().map(|image| image.kind).collect();
                assert_eq!(kinds, ["spirv", "zebin"], "{what}");
                for (image, target) in found.iter().zip(["spir64", "spir64_gen"]) {
                    let described = image.described.as_ref().unwrap();
                    assert_eq!(described.target, target, "{what}");
                    let kernels: &[&str] = match version {
                        // The first version has no properties.
                        1 => &["k", "exported"],
                        _ => &["k"],
                    };
                    assert_eq!(names(&described.kernels()), kernels, "{what}");
                }
                // The zebin is judged when it is opened.
                document.open_all();
                let [zebin] = document.loadable()[..] else {
                    panic!("{what}: {:?}", document.loadable());
                };
                assert_eq!(zebin, found[1].span);
                let node = document.nodes_for(zebin).pop().unwrap();
                assert!(document.verdict(node, None).unwrap().outcome.loads());
            }
        }
    }
}

/// Windows programs have the same index; pointers are stored in place, and a table lists their
/// locations.
#[test]
fn programs_of_windows() {
    let (spirv, zebin) = (spirv::kernel().build(), small().build().bytes);
    for class in [Class::Elf32, Class::Elf64] {
        for version in 1..=3 {
            for relocated in [false, true] {
                let mut host = usual(class, version, &spirv, &zebin);
                host.relocated = relocated;
                let bytes = host.build_program();
                let mut document = open(&bytes);
                let what = format!("{class:?}, version {version}, relocated: {relocated}");
                assert_eq!(
                    document.summary.title, "Windows program with device images",
                    "{what}"
                );
                assert_eq!(rules_of(&document), [""; 0], "{what}");
                let found = images(&document);
                for (image, target) in found.iter().zip(["spir64", "spir64_gen"]) {
                    let described = image.described.as_ref().unwrap();
                    assert_eq!(described.target, target, "{what}");
                }
                let elf = images(&open(&host.build()));
                let lengths = |images: &[HostImage]| -> Vec<u64> {
                    images.iter().map(|image| image.span.len()).collect()
                };
                assert_eq!(lengths(&found), lengths(&elf), "{what}");
                let row = document.find(".data/descriptor 0/DeviceImages").unwrap();
                let row = document.node(row).unwrap().clone();
                let whys: Vec<_> = row.xrefs.iter().map(|xref| &*xref.why).collect();
                let expected: &[&str] = if relocated {
                    &["relocation", "points to"]
                } else {
                    &["points to"]
                };
                assert_eq!(whys, expected, "{what}");
                if relocated {
                    let entry = document.nodes_for(row.xrefs[0].to).pop().unwrap();
                    assert_eq!(document.path(entry), ".reloc");
                }
                hold(&what, &bytes, Depth::Full);
            }
        }
    }
}

#[test]
fn every_row_of_the_index_leads_further() {
    let (spirv, zebin) = (spirv::kernel().build(), small().build().bytes);
    let mut host = usual(Class::Elf64, 3, &spirv, &zebin);
    host.relocated = true;
    let mut document = open(&host.build());
    let found = document.find(".data/descriptor 0/DeviceImages").unwrap();
    let node = document.node(found).unwrap().clone();
    let whys: Vec<_> = node.xrefs.iter().map(|xref| &*xref.why).collect();
    assert_eq!(whys, ["relocation", "points to"]);
    let structs = document.nodes_for(node.xrefs[1].to).pop().unwrap();
    assert_eq!(
        document.path(structs),
        ".data/image structs of descriptor 0"
    );
    let relocation = document.nodes_for(node.xrefs[0].to).pop().unwrap();
    assert_eq!(document.path(relocation), ".rela");
    let target = ".data/image structs of descriptor 0/[1]/DeviceTargetSpec";
    let target = document.find(target).unwrap();
    let target = document.node(target).unwrap();
    assert_eq!(target.summary.as_deref(), Some("spir64_gen"));
    let image = document.find("__CLANG_OFFLOAD_BUNDLE__sycl-spir64/image 1");
    let image = document.node(image.unwrap()).unwrap();
    let whys: Vec<_> = image.xrefs.iter().map(|xref| &*xref.why).collect();
    assert_eq!(whys, ["struct", "entries", "property sets"]);
    let reference = document.find(".tgtimg/images/[1]").unwrap();
    let reference = document.node(reference).unwrap();
    assert_eq!(reference.summary.as_deref(), Some("image 1"));
}

#[test]
fn images_are_found_without_their_descriptor() {
    let (spirv, zebin) = (spirv::kernel().build(), small().build().bytes);
    let usual = usual(Class::Elf64, 3, &spirv, &zebin);
    let whole = images(&open(&usual.build()));
    let spans: Vec<Span> = whole.iter().map(|image| image.span).collect();
    // The version of the descriptor.
    let mut damaged = usual.build();
    let descriptor = damaged
        .windows(8)
        .rposition(|w| w == [1, 0, 2, 0, 0, 0, 0, 0]);
    damaged[descriptor.unwrap()] = 9;
    for (name, how) in [(".tgtimg", "tgtimg"), (".tgtxxx", "carved")] {
        let at = damaged
            .windows(7)
            .rposition(|w| w.starts_with(b".tgt"))
            .unwrap();
        damaged[at..at + 7].copy_from_slice(name.as_bytes());
        let document = open(&damaged);
        let found = images(&document);
        let found_spans: Vec<Span> = found.iter().map(|image| image.span).collect();
        assert_eq!(found_spans, spans, "{how}");
        assert!(
            found
                .iter()
                .all(|image| image.method == how && image.described.is_none())
        );
        let carved = rules_of(&document).contains(&rules::HOST_CARVED.id.to_owned());
        assert_eq!(carved, how == "carved");
        let facts: Vec<_> = document
            .summary
            .facts
            .iter()
            .map(|f| f.text.clone())
            .collect();
        assert!(
            facts.iter().any(|text| text.contains("2 images found by")),
            "{facts:?}"
        );
    }
}

/// A descriptor of clang's has no host entries; one that has them is rejected.
#[test]
fn descriptors_have_no_entries_of_the_host() {
    let spirv = spirv::kernel().build();
    let how = |entries: Option<Place>| {
        let mut host = Host::new(Class::Elf64);
        let target = host.text("spir64");
        let image = host.image(&spirv);
        let kernels = host.entries(&["k"]);
        let at = host.image_struct(3, target, image, kernels, None);
        host.here();
        host.number(1, 2);
        host.number(1, 2);
        host.pointer(Some(at));
        host.pointer(entries);
        host.pointer(entries);
        let found = images(&open(&host.build()));
        assert_eq!(found.len(), 1);
        (found[0].method.to_owned(), found[0].described.is_some())
    };
    assert!(how(None).1);
    assert_eq!(how(Some(Place::Data(0))), ("carved".to_owned(), false));
}

/// In a file with section headers, only image sections have names of images; without them, the
/// index decides.
#[test]
fn sections_for_images_have_their_names() {
    let (spirv, zebin) = (spirv::kernel().build(), small().build().bytes);
    let mut host = usual(Class::Elf64, 3, &spirv, &zebin);
    let without_sections = |mut bytes: Vec<u8>| {
        let fields = Class::Elf64.header().iter();
        for (_, at, size) in fields.filter(|field| field.0.starts_with("e_sh")) {
            put(&mut bytes, *at..at + size, 0, false);
        }
        bytes
    };
    let count = |bytes: &[u8]| images(&open(bytes)).len();
    let named = host.build();
    assert_eq!(count(&named), 2);
    assert_eq!(count(&without_sections(named)), 2);
    host.device = ".somewhere".to_owned();
    let other = host.build();
    let at = other.windows(8).rposition(|w| w == b".tgtimg\0").unwrap();
    let mut other = other;
    other[at..at + 7].copy_from_slice(b".tgtxxx");
    assert_eq!(count(&other), 0);
    assert_eq!(count(&without_sections(other)), 2);
}

/// The end of a zstd frame follows from its blocks: raw ones and run-length ones (RFC 8878,
/// 3.1.1.2).
#[test]
fn frames_of_all_kinds_of_blocks() {
    let spirv = spirv::kernel().build();
    let block = |kind: u32, size: usize, is_last: bool| {
        let word = (size as u32) << 3 | kind << 1 | u32::from(is_last);
        word.to_le_bytes()[..3].to_vec()
    };
    let size = (spirv.len() + 400) as u32;
    let frame = [
        // One segment, its size in four bytes.
        &[0x28, 0xb5, 0x2f, 0xfd, 0xa0][..],
        &size.to_le_bytes(),
        &block(0, spirv.len(), false),
        &spirv,
        &block(1, 400, true),
        &[0],
    ]
    .concat();
    // Only the bytes themselves show where it ends.
    let mut host = Host::new(Class::Elf64);
    host.image(&frame);
    host.image(&spirv);
    let mut document = open(&host.build());
    let found = images(&document);
    let lengths: Vec<u64> = found.iter().map(|image| image.span.len()).collect();
    assert_eq!(lengths, [frame.len() as u64, spirv.len() as u64]);
    assert_eq!(unpacked(&mut document, &found[0])[..spirv.len()], spirv);
}

/// The kind of an image is known before it is opened.
#[test]
fn images_have_a_kind() {
    let zebin = small().build().bytes;
    let frame =
        ruzstd::encoding::compress_to_vec(&*zebin, ruzstd::encoding::CompressionLevel::Fastest);
    for (bytes, expected) in [
        (spirv::kernel().build(), "SPIR-V 1.4"),
        (zebin.clone(), "ELF"),
        (ocloc_archive(), "archive"),
        (b"BC\xc0\xde0123456789".to_vec(), "LLVM bitcode"),
        (Syclbin::small().v1(), "SYCLBIN"),
        (Syclbin::small().v2(), "OffloadBinary"),
        (
            with_size(&frame, zebin.len()),
            &format!("zstd, {} bytes decompressed", zebin.len()),
        ),
        (b"what nobody knows".to_vec(), "unknown format"),
    ] {
        let mut host = Host::new(Class::Elf64);
        let target = host.text("spir64");
        let image = host.image(&bytes);
        let entries = host.entries(&["k"]);
        let at = host.image_struct(3, target, image, entries, None);
        host.descriptor(at, 1);
        let mut document = open(&host.build());
        let id = document.find(&format!("{}/image 0", host.device)).unwrap();
        let summary = document.node(id).unwrap().summary.clone().unwrap();
        assert_eq!(summary, format!("spir64 · {expected}"));
    }
}

#[test]
fn the_index_of_openmp() {
    let spirv = spirv::kernel().build();
    let mut host = Host::new(Class::Elf64);
    host.device = "__CLANG_OFFLOAD_BUNDLE__openmp-spir64".to_owned();
    host.relocated = true;
    let image = host.image(&spirv);
    let array = host.here();
    for place in [image.0, image.1, Place::Data(0), Place::Data(0)] {
        host.pointer(Some(place));
    }
    host.here();
    host.number(1, 4);
    host.number(0, 4);
    host.pointer(Some(array));
    host.pointer(None);
    host.pointer(None);
    host.reference(image.0, spirv.len() as u64);
    let bytes = host.build();
    let mut document = open(&bytes);
    assert_eq!(images(&document)[0].method, "tgtimg");
    for path in [
        ".data/OpenMP image 0/ImageStart",
        ".data/OpenMP descriptor 0",
    ] {
        assert!(document.find(path).is_ok(), "{path}");
    }
    hold("OpenMP", &bytes, Depth::Full);
}

#[test]
fn functions_of_the_host_have_no_bytes() {
    let mut host = Host::new(Class::Elf64);
    let target = host.text("native_cpu");
    let functions = host.here();
    host.number(0x55, 8);
    let entries = host.entries(&["k"]);
    let image = host.image_struct(3, target, (functions, functions), entries, None);
    host.descriptor(image, 1);
    host.image(&[0; 16]);
    let document = open(&host.build());
    assert_eq!(rules_of(&document), ["layout/gap"; 0]);
    let facts: Vec<_> = document
        .summary
        .facts
        .iter()
        .map(|f| f.text.clone())
        .collect();
    assert!(facts.contains(&"native_cpu: 1 image".into()), "{facts:?}");
    assert!(facts.contains(&"1 kernel".into()), "{facts:?}");
}

#[test]
fn an_object_with_finished_images() {
    let spirv = spirv::kernel().build();
    // In an object, relocation offsets are relative to their section.
    let mut data = Vec::new();
    let number = |data: &mut Vec<u8>, value: u64, size: usize| {
        data.extend(&value.to_le_bytes()[..size]);
    };
    number(&mut data, 1, 2);
    number(&mut data, 1, 2);
    data.resize(32, 0);
    number(&mut data, 3, 2);
    number(&mut data, 4, 1);
    data.resize(32 + 80, 0);
    data.extend(b"spir64\0");
    let relocation = |offset: u64, symbol: u64, addend: i64| crate::support::elf::Relocation {
        offset,
        symbol,
        kind: 1,
        addend,
    };
    let symbol = |section: &str| crate::support::elf::Symbol::new("", 0, 3, section);
    let mut elf = Elf::new(Class::Elf64)
        .section(Section::new("spir64", 1, spirv.clone()).flags(2))
        .section(Section::new(".data.rel.ro", 1, data).flags(3))
        .section(Section::new(".tgtimg", 1, vec![0; 16]).flags(3))
        .section(Section::symbols(vec![
            symbol("spir64"),
            symbol(".data.rel.ro"),
        ]))
        .section(Section::relocations(
            ".data.rel.ro",
            vec![
                relocation(8, 2, 32),
                relocation(40, 2, 112),
                relocation(64, 1, 0),
                relocation(72, 1, spirv.len() as i64 - 1),
            ],
            true,
        ));
    elf.machine = 62;
    let document = open(&elf.build().bytes);
    let found = images(&document);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].described.as_ref().unwrap().target, "spir64");
    assert_eq!(found[0].section, "spir64");
}

#[test]
fn images_of_offload_binaries_have_symbols() {
    use crate::support::syclbin::{Entry as Image, Offload};
    // The symbol table of newer compilers, and the lines of older ones.
    let mut table = 2u32.to_le_bytes().to_vec();
    for (offset, len) in [(20u32, 2u32), (23, 1)] {
        table.extend(offset.to_le_bytes());
        table.extend(len.to_le_bytes());
    }
    table.extend(b"k1\0f\0");
    for (symbols, is_table) in [(table, true), (b"k1\nf".to_vec(), false)] {
        let mut image = Image::of_kind(6, spirv::kernel().build());
        image
            .strings
            .push((b"triple".to_vec(), b"spirv64-unknown-unknown".to_vec()));
        image.strings.push((b"symbols".to_vec(), symbols));
        let offload = Offload::new(2, vec![image]).build();
        let elf = crate::support::containers::host_elf(".sycl_fatbin", 1, &offload);
        let bytes = elf.build().bytes;
        let mut document = open(&bytes);
        assert_eq!(rules_of(&document), [""; 0]);
        let id = document.find(".sycl_fatbin").unwrap();
        let images = document.host_images(id).unwrap();
        let image = images.image(0, &document.sources).unwrap();
        assert_eq!((image.method, image.kind), ("offload-binary", "spirv"));
        let described = image.described.unwrap();
        assert_eq!(names(&described.kernels()), ["k1", "f"]);
        assert_eq!(described.target, "spirv64-unknown-unknown");
        let tree = crate::support::tree::walk_all(&document).unwrap();
        let has_table = tree.nodes.iter().any(|flat| flat.node.name == "symbols");
        assert_eq!(has_table, is_table);
        hold("symbols", &bytes, Depth::Full);
    }
}

#[test]
fn unpacked_images_are_forgotten_and_unpacked_again() {
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};
    let mut host = Host::new(Class::Elf64);
    let target = host.text("spir64");
    let mut structs = None;
    let count = 5;
    let mut places = Vec::new();
    let mut plain = Vec::new();
    for index in 0..count {
        // A module and 8 MB that compress well.
        let mut bytes = spirv::kernel().build();
        bytes.resize(8 << 20, index);
        let packed = with_size(
            &compress_to_vec(&*bytes, CompressionLevel::Fastest),
            bytes.len(),
        );
        places.push(host.image(&packed));
        plain.push(bytes);
    }
    let entries = host.entries(&["k"]);
    for place in places {
        let at = host.image_struct(3, target, place, entries, None);
        structs.get_or_insert(at);
    }
    host.descriptor(structs.unwrap(), count.into());
    let mut document = open(&host.build());
    assert_eq!(rules_of(&document), [""; 0]);
    assert!(document.sources.ids().len() == 1, "nothing is unpacked yet");
    let all = images(&document);
    for _ in 0..2 {
        for (image, plain) in all.iter().zip(&plain) {
            assert_eq!(image.kind, "spirv");
            assert_eq!(image.unpacked, Some(Some(8 << 20)));
            let bytes = crate::support::hosts::unpacked(&mut document, image);
            assert!(bytes == *plain);
        }
    }
    assert_eq!(document.sources.ids().len(), 1 + usize::from(count));
}

#[test]
fn frames_with_incorrect_sizes() {
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};
    let plain = spirv::kernel().build();
    let packed = compress_to_vec(&*plain, CompressionLevel::Fastest);
    let host = |bytes: &[u8]| {
        let mut host = Host::new(Class::Elf64);
        let target = host.text("spir64");
        let image = host.image(bytes);
        let entries = host.entries(&["k"]);
        let at = host.image_struct(3, target, image, entries, None);
        host.descriptor(at, 1);
        host.build()
    };
    let mut trailing = with_size(&packed, plain.len());
    trailing.extend([0; 100]);
    for (bytes, rule) in [
        (with_size(&packed, plain.len() + 1), &rules::UNPACKED_SIZE),
        (with_size(&packed, plain.len() - 1), &rules::UNPACKED_SIZE),
        (
            with_size(&packed, u32::MAX as usize),
            &rules::UNPACKED_TOO_LARGE,
        ),
        (trailing, &rules::PACKED_DAMAGED),
        (
            with_size(&packed, plain.len())[..packed.len() - 9].to_vec(),
            &rules::PACKED_DAMAGED,
        ),
    ] {
        let bytes = host(&bytes);
        let mut document = open(&bytes);
        assert_eq!(rules_of(&document), [""; 0]);
        document.open_all();
        assert!(
            rules_of(&document).contains(&rule.id.to_owned()),
            "{}: {:?}",
            rule.id,
            rules_of(&document)
        );
        hold(rule.id, &bytes, Depth::Quick);
    }
}

#[test]
fn every_field_of_the_index_damaged() {
    let watchdog = Watchdog::start();
    let (spirv, zebin) = (spirv::kernel().build(), small().build().bytes);
    for class in [Class::Elf32, Class::Elf64] {
        let bytes = usual(class, 3, &spirv, &zebin).build();
        let start = bytes.windows(7).position(|w| w == b"spir64\0").unwrap();
        let mutants = (start..start + 700.min(bytes.len() - start))
            .step_by(2)
            .flat_map(|at| {
                let bytes = bytes.clone();
                [1u64, 0xffff].into_iter().map(move |value| {
                    let mut bytes = bytes.clone();
                    put(&mut bytes, at..at + 2, value, false);
                    damage::Mutant {
                        what: format!("{at:#x} is {value:#x}"),
                        bytes,
                    }
                })
            });
        assert!(hold_for_all("host", &watchdog, mutants) > 0);
    }
}

#[test]
fn work_grows_with_the_number_of_images() {
    let spirv = spirv::kernel().build();
    let read = |count: u64| {
        let mut host = Host::new(Class::Elf64);
        host.relocated = true;
        let target = host.text("spir64");
        let places: Vec<_> = (0..count)
            .map(|_| {
                let mut bytes = spirv.clone();
                bytes.resize(32 << 10, 0);
                host.image(&bytes)
            })
            .collect();
        let entries: Vec<_> = (0..count)
            .map(|at| host.entries(&[&format!("k{at}")]))
            .collect();
        let mut first = None;
        for (place, entries) in places.into_iter().zip(entries) {
            let at = host.image_struct(3, target, place, entries, None);
            first.get_or_insert(at);
        }
        host.descriptor(first.unwrap(), count);
        let bytes = host.build();
        let document = open(&bytes);
        assert_eq!(
            document.host_images(NodeId::ROOT).unwrap().count() as u64,
            count
        );
        (document.sources.bytes_read(), bytes.len() as u64)
    };
    let ((few, _), (many, size)) = (read(200), read(2000));
    assert!(
        many < few * 12,
        "{few} bytes read for 200 images, {many} for 2000"
    );
    assert!(many * 20 < size, "{many} bytes of {size} are read");
}

#[test]
fn images_that_lie_over_each_other() {
    let watchdog = Watchdog::start();
    watchdog.case("overlapping");
    // Each image extends to the end of the file, and is the same host again.
    let mut host = Host::new(Class::Elf64);
    let target = host.text("spir64");
    let inner = usual(
        Class::Elf64,
        3,
        &spirv::kernel().build(),
        &small().build().bytes,
    )
    .build();
    let (start, end) = host.image(&inner.repeat(50));
    let Place::Image(first) = start else {
        unreachable!()
    };
    let entries = host.entries(&["k"]);
    let mut structs = None;
    for index in 0..50 {
        let place = (Place::Image(first + index * inner.len()), end);
        let at = host.image_struct(3, target, place, entries, None);
        structs.get_or_insert(at);
    }
    host.descriptor(structs.unwrap(), 50);
    let mut document = open(&host.build());
    document.open_all();
    let found = rules_of(&document);
    assert!(found.contains(&rules::SHARED_BYTES.id.to_owned()));
    // A table of all images does not open all of them.
    assert!(found.contains(&rules::TOO_MUCH.id.to_owned()));
}

#[test]
fn opening_one_image_opens_no_other() {
    let (spirv, zebin) = (spirv::kernel().build(), small().build().bytes);
    let mut document = open(&usual(Class::Elf64, 3, &spirv, &zebin).build());
    let kernels = |document: &Document| document.loadable().len();
    assert_eq!(kernels(&document), 0);
    let section = document
        .find("__CLANG_OFFLOAD_BUNDLE__sycl-spir64")
        .unwrap();
    let rows = document.children(section, 0..9);
    let files = rows
        .iter()
        .filter(|id| document.node(**id).unwrap().kind == NodeKind::File);
    assert_eq!(files.count(), 2);
    assert_eq!(kernels(&document), 0, "to list them opens none");
    let image = *rows.last().unwrap();
    document.children(image, 0..1);
    assert_eq!(kernels(&document), 1);
    assert!(document.kernels(image).is_some());
}

/// Found by fuzzing: program headers over an image, whose padding is found when the image is
/// opened.
#[test]
fn padding_in_a_gap_is_counted_once() {
    let zebin = zebin::zebin_of(Class::Elf64, &["k"]).build().bytes;
    let mut host = usual(Class::Elf64, 3, &spirv::kernel().build(), &zebin);
    host.relocated = false;
    let mut file = host.build();
    let at = 0x1c71 % file.len();
    file[at..at + 8].copy_from_slice(&[0x71, 0x1c, 0xc7, 0x01, 0x2b, 0x00, 0x08, 0x06]);
    assert_eq!(violations(&file, Depth::Tree), [] as [String; 0]);
}
