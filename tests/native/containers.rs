//! Containers of device files: archives, host files, bundles; nested, compressed, damaged.

use std::time::Instant;

use crate::support::compressed::bomb;
use crate::support::containers::*;
use crate::support::elf::Section;
use crate::support::spirv;
use crate::support::syclbin::{Entry as Image, Offload};
use crate::support::tree::{Tree, walk_all};
use crate::support::watchdog::Watchdog;
use crate::support::zebin::{code, small};
use zeview::decode::compression::Method;
use zeview::decode::rules;
use zeview::model::json::DiagnosticJson;
use zeview::model::{Capabilities, Document, NodeId, NodeKind, Severity, SourceId};

fn rules_of(document: &Document) -> Vec<&str> {
    document.diagnostics.iter().map(|d| &*d.rule).collect()
}

/// Returns the names of the documents in a file.
fn documents(tree: &Tree) -> Vec<String> {
    let nested = tree.nodes.iter().filter(|f| f.node.kind == NodeKind::File);
    let names = nested.skip(1).map(|f| f.node.name.clone().into_owned());
    names.collect()
}

fn facts(document: &Document) -> Vec<String> {
    let facts = document.summary.facts.iter();
    facts.map(|f| format!("{}: {}", f.label, f.text)).collect()
}

#[test]
fn an_archive_says_which_devices_it_is_for() {
    let document = crate::support::open(&ocloc_archive());
    assert_eq!(document.summary.title, "ocloc archive");
    // Its SPIR-V has another kernel than its native code.
    let rule = rules::ZEBIN_KERNEL_ONLY_IN_SPIRV.id;
    assert!(document.diagnostics.iter().all(|found| found.rule == rule));
    assert_eq!(document.diagnostics.len(), 2);
    let tree = walk_all(&document).unwrap();
    let devices = tree.nodes.iter().filter(|f| f.node.name == "device");
    let devices: Vec<_> = devices.map(|f| f.node.value.clone()).collect();
    let text = |t: &str| zeview::model::Value::text(t.to_owned());
    assert_eq!(devices, [text("bmg-g21, 64 bit"), text("dg2 c0, 64 bit")]);
    let names: Vec<_> = tree
        .children(&tree.nodes[0])
        .iter()
        .map(|f| &*f.node.name)
        .collect();
    let long = "a_name_that_is_longer_than_16_bytes";
    let expected = [
        "magic",
        "//",
        "64.20.1.0",
        "pad_0",
        "64.dg2.c0",
        long,
        "generic_ir",
    ];
    assert_eq!(names, expected);
    assert!(documents(&tree).iter().any(|name| name == "SPIRV Object"));
}

#[test]
fn other_archives_are_identified() {
    let package = crate::support::open(&module_package());
    assert_eq!(package.summary.title, "Level Zero module package");
    assert_eq!(package.diagnostics, []);
    let library = archive(&[member("/", &[0; 4]), member("a.o/", &host_object())]);
    assert_eq!(crate::support::open(&library).summary.title, "archive");
}

#[test]
fn host_files_hold_images() {
    let image = spirv::kernel().build();
    for (name, kind) in [
        (BUNDLE_SECTION, 1),
        (".llvm.offloading", 0x6fff_4c0b),
        (".llvm.offloading", 1),
    ] {
        let document = crate::support::open(&host_elf(name, kind, &image).build().bytes);
        assert_eq!(document.summary.format, "elf");
        assert_eq!(document.diagnostics, [], "{name}");
        let found = format!("image: {name}: SPIR-V 1.4 · 1 kernel");
        assert!(facts(&document).contains(&found), "{:?}", facts(&document));
        assert_eq!(documents(&walk_all(&document).unwrap()), [name]);
    }
    let document = crate::support::open(&host_object());
    assert_eq!(documents(&walk_all(&document).unwrap()), [BUNDLE_SECTION]);
    // A section with this name in a file that does not identify its contents.
    let odd = host_elf(BUNDLE_SECTION, 1, b"words").build().bytes;
    let document = crate::support::open(&odd);
    assert_eq!(document.diagnostics, []);
    assert_eq!(documents(&walk_all(&document).unwrap()), [""; 0]);
}

/// Returns the capabilities of a file and of the documents in it, as letters.
fn capabilities(bytes: &[u8]) -> (String, String) {
    let summary = crate::support::open(bytes).summary;
    let letters = |has: Capabilities| -> String {
        let all = [
            (has.kernels, 'k'),
            (has.symbols, 's'),
            (has.modules, 'm'),
            (has.text, 't'),
            (has.loadable, 'v'),
        ];
        let set = all.into_iter().filter(|(has, _)| *has);
        set.map(|(_, letter)| letter).collect()
    };
    (letters(summary.has), letters(summary.within))
}

#[test]
fn summary_has_capabilities() {
    let zebin = small().build().bytes;
    let host = host_elf(BUNDLE_SECTION, 1, &zebin).build().bytes;
    let plain_host = host_elf(".text", 1, &[0; 16]).build().bytes;
    let cut_off = &zebin[..60];
    let offload = Offload::new(2, vec![Image::of_kind(1, zebin.clone())]).build();
    let cases: &[(&str, &[u8], &str, &str)] = &[
        ("a zebin", &zebin, "kstv", ""),
        ("a host's file", &plain_host, "s", ""),
        ("a host's file with a zebin", &host, "s", "kstv"),
        ("a cut-off file", cut_off, "v", ""),
        ("an archive", &archive(&[member("a/", &host)]), "", "kstv"),
        ("an OffloadBinary", &offload, "", "kstv"),
        ("an OpenCL container", &opencl_elf(0xff04), "kst", "ktv"),
        ("an OpenMP container", &openmp_container(), "sv", "kt"),
        ("a bundle", &usual_bundle(), "", "kstv"),
        ("patch tokens", &patch_tokens(), "v", ""),
        ("SPIR-V", &spirv::kernel().build(), "kt", ""),
        ("other bytes", &[1, 2, 3], "", ""),
    ];
    for (what, bytes, has, within) in cases {
        let found = capabilities(bytes);
        assert_eq!(
            (found.0.as_str(), found.1.as_str()),
            (*has, *within),
            "{what}"
        );
        let document = crate::support::open(bytes);
        let judged = document.verdict(NodeId::ROOT, None).is_some();
        assert_eq!(judged, has.contains('v'), "{what}");
        assert_eq!(
            document.kernels(NodeId::ROOT).is_some(),
            has.contains('k'),
            "{what}"
        );
        assert_eq!(
            document.linkage(NodeId::ROOT).is_some(),
            has.contains('s'),
            "{what}"
        );
    }
}

#[test]
fn files_of_windows_hold_images() {
    let image = spirv::kernel().build();
    let text: (&str, &[u8]) = (".text", &[0xc3; 16]);
    for (program, name, title) in [
        (false, BUNDLE_SECTION, "COFF object"),
        (false, ".llvm.offloading", "COFF object"),
        (true, ".llvm.of", "Windows program"),
    ] {
        let file = coff(program, &[text, (name, &image)]);
        let document = crate::support::open(&file);
        assert_eq!(document.summary.title, title);
        assert_eq!(document.diagnostics, [], "{name}");
        assert_eq!(documents(&walk_all(&document).unwrap()), [name]);
        assert!(facts(&document).contains(&format!("image: {name}: SPIR-V 1.4 · 1 kernel")));
    }
    // A file with only the same first two bytes.
    let other = [&[0x64, 0x86][..], &[0x20; 100]].concat();
    assert_eq!(crate::support::open(&other).summary.format, "raw");
}

#[test]
fn large_host_files_cost_their_headers() {
    let size = 200 << 20;
    let elf = host_elf(BUNDLE_SECTION, 1, &small().build().bytes);
    let elf = elf
        .section(Section::new(".data", 1, vec![1; size]))
        .build()
        .bytes;
    let zebin = small().build().bytes;
    let data = vec![1; size];
    let windows = coff(false, &[(".data", &data), (BUNDLE_SECTION, &zebin)]);
    let bundle = bundle(&[("host-x86_64", &elf), ("sycl-spir64_gen", &zebin)]);
    for file in [elf, windows, bundle] {
        let document = crate::support::open(&file);
        assert_eq!(document.diagnostics, []);
        let read = document.sources.bytes_read();
        assert!(read < 1 << 20, "{read} bytes of {}", file.len());
    }
}

#[test]
fn large_binaries_are_recognized_by_their_headers() {
    let zebin = small().bytes(".text.k", code(4 << 20)).build().bytes;
    assert!(zebin.len() > 64 << 20);
    let mut document = crate::support::open(&archive(&[member("64.20.1.0/", &zebin)]));
    let inner: Vec<_> = document.documents().map(|inner| inner.span).collect();
    let [inner] = inner[..] else {
        panic!("{inner:?}");
    };
    let node = document.nodes_for(inner).pop().unwrap();
    assert!(document.verdict(node, None).unwrap().outcome.loads());
    let read = document.sources.bytes_read();
    assert!(read < 1 << 20, "{read} bytes of {}", zebin.len());
}

#[test]
fn legacy_containers_hold_images() {
    let document = crate::support::open(&opencl_elf(0xff04));
    assert_eq!(document.summary.format, "opencl-elf");
    assert_eq!(document.diagnostics, []);
    let names = documents(&walk_all(&document).unwrap());
    assert_eq!(names, ["SPIRV Object", "Intel(R) OpenCL Device Binary"]);
    let document = crate::support::open(&openmp_container());
    assert_eq!(document.summary.format, "openmp-container");
    assert_eq!(document.diagnostics, []);
    assert_eq!(
        documents(&walk_all(&document).unwrap()),
        ["__openmp_offload_spirv_0"]
    );
}

#[test]
fn patch_tokens_name_their_device() {
    let document = crate::support::open(&patch_tokens());
    assert_eq!(document.summary.title, "patch tokens");
    assert_eq!(document.diagnostics, []);
    assert!(facts(&document).contains(&"target: IGFX_GEN9_CORE".to_owned()));
}

#[test]
fn bundles_are_the_same_compressed() {
    let plain = usual_bundle();
    let document = crate::support::open(&plain);
    assert_eq!(document.diagnostics, []);
    let inside = documents(&walk_all(&document).unwrap());
    let ids = [
        "sycl-spir64_gen-unknown-unknown",
        "sycl-spir64-unknown-unknown",
    ];
    assert_eq!(inside, ids);
    for method in [Method::Zlib, Method::Zstd] {
        for version in 1..=3 {
            let packed = crate::support::open(&packed_bundle(version, method, &plain));
            assert_eq!(packed.diagnostics, [], "{version}");
            let names = documents(&walk_all(&packed).unwrap());
            assert_eq!(names[0], "bundle");
            assert_eq!(names[1..], ids);
            assert_eq!(facts(&packed)[..3], facts(&document)[..3]);
        }
    }
}

#[test]
fn offload_binaries_are_the_same_compressed() {
    let plain = Offload::new(3, vec![Image::of_kind(1, small().build().bytes)]).build();
    let inside = documents(&walk_all(&crate::support::open(&plain)).unwrap());
    for method in [Method::Zlib, Method::Zstd] {
        let packed = packed_offload(method, &plain);
        let document = crate::support::open(&packed);
        assert_eq!(document.diagnostics, []);
        assert_eq!(document.summary.title, "compressed OffloadBinary 3");
        let names = documents(&walk_all(&document).unwrap());
        assert_eq!(names[0], "unpacked");
        assert_eq!(names[1..], inside);
        // Wrong sizes, and missing bytes.
        for (at, byte, rule) in [
            (32, packed[32] ^ 1, &rules::UNPACKED_SIZE),
            (33, 0xff, &rules::UNPACKED_SIZE),
            (50, packed[50] ^ 0x55, &rules::PACKED_DAMAGED),
        ] {
            let mut file = packed.clone();
            file[at] = byte;
            let document = crate::support::open(&file);
            assert!(
                rules_of(&document).contains(&rule.id),
                "{at} {:?}",
                rules_of(&document)
            );
        }
        // An unknown method.
        let mut file = packed.clone();
        file[40] = 0;
        let found = crate::support::open(&file);
        assert_eq!(rules_of(&found), [rules::OFFLOAD_COMPRESSED.id]);
    }
}

#[test]
fn packed_files_have_the_same_diagnostics() {
    let mut damaged = usual_bundle();
    // The section header string table's index of the zebin.
    let zebin = damaged.windows(4).position(|w| w == b"\x7fELF").unwrap();
    damaged[zebin + 62] = 0x77;
    let packed = packed_bundle(3, Method::Zlib, &damaged);
    let packed = packed_bundle(2, Method::Zstd, &packed);
    let document = crate::support::open(&packed);
    // In JSON, a finding has the source of its bytes if it is not the file.
    for found in &document.diagnostics {
        let json = DiagnosticJson::new(found, String::new());
        let json = serde_json::to_value(json).unwrap();
        let source = found.primary.span.source;
        let expected = (source != SourceId::FILE).then(|| source.0.into());
        assert_eq!(json.get("source").cloned(), expected, "{json}");
    }
    let sources = document.diagnostics.iter().map(|d| d.primary.span.source);
    assert!(sources.clone().any(|source| source != SourceId::FILE));
    let worst = |node: &zeview::model::Node| document.severity(node);
    assert_eq!(worst(document.root()), Some(Severity::Error));
    let tree = walk_all(&document).unwrap();
    let names = ["header", "compressed bundle"];
    let top = tree.children(&tree.nodes[0]);
    for (flat, name) in top.iter().zip(names) {
        assert_eq!(flat.node.name, name);
        let expected = (name != "header").then_some(Severity::Error);
        assert_eq!(worst(&flat.node), expected, "{name}");
    }
}

/// RFC 1950: two bytes, together a multiple of 31; the second one has the level.
#[test]
fn the_header_of_zlib() {
    for level in [0x01, 0x5e, 0x9c, 0xda_u8] {
        assert_eq!(Method::sniff(&[0x78, level]), Some(Method::Zlib));
        let others = (1..31).filter_map(|more| level.checked_add(more));
        for flags in others {
            assert_eq!(Method::sniff(&[0x78, flags]), None, "{flags:#x}");
        }
    }
    assert_eq!(Method::sniff(&[0x78]), None);
}

#[test]
fn bundles_of_texts() {
    let text = text_bundle();
    let document = crate::support::open(text.as_bytes());
    assert_eq!(document.summary.title, "clang offload bundle of texts");
    assert_eq!(document.diagnostics, []);
    for comment in ["# ", "// "] {
        let text = text.replace("; __CLANG", &format!("{comment}__CLANG"));
        assert_eq!(
            facts(&crate::support::open(text.as_bytes())),
            facts(&document)
        );
    }
}

/// Opens a hostile file within the time limit.
fn open_quickly(name: &str, watchdog: &Watchdog, bytes: &[u8]) -> Document {
    watchdog.case(name);
    let begin = Instant::now();
    let document = crate::support::open(bytes);
    let nodes = walk_all(&document).unwrap().nodes.len();
    let found = document.diagnostics.len();
    eprintln!(
        "{name}: {:?}, {nodes} rows, {found} findings",
        begin.elapsed()
    );
    document
}

#[test]
fn nested_a_thousand_deep() {
    let watchdog = Watchdog::start();
    let zebin = small().build().bytes;
    let in_archive = |bytes: Vec<u8>| archive(&[member("64.20.1.0/", &bytes)]);
    let in_bundle = |bytes: Vec<u8>| bundle(&[("sycl", &bytes)]);
    let in_section = |bytes: Vec<u8>| host_elf(BUNDLE_SECTION, 1, &bytes).build().bytes;
    type Ancestry<'a> = (&'a str, &'a dyn Fn(Vec<u8>) -> Vec<u8>);
    let wrappers: [Ancestry<'_>; 3] = [
        ("archives", &in_archive),
        ("bundles", &in_bundle),
        ("sections", &in_section),
    ];
    for (name, wrap) in wrappers {
        let bytes = (0..1000).fold(zebin.clone(), |bytes, _| wrap(bytes));
        let document = open_quickly(name, &watchdog, &bytes);
        assert_eq!(rules_of(&document), [rules::TOO_DEEP.id], "{name}");
    }
    let packed = |bytes: Vec<u8>| packed_bundle(3, Method::Zlib, &bytes);
    let bytes = (0..100).fold(usual_bundle(), |bytes, _| packed(bytes));
    let document = open_quickly("compressed bundles", &watchdog, &bytes);
    assert_eq!(rules_of(&document), [rules::TOO_DEEP.id]);
    // Not deeper than the limit.
    let bytes = (0..6).fold(zebin, |bytes, _| in_section(in_bundle(bytes)));
    assert_eq!(open_quickly("twelve", &watchdog, &bytes).diagnostics, []);
}

#[test]
fn a_bundle_that_holds_itself_many_times() {
    let watchdog = Watchdog::start();
    let size = 32 + 1000 * 25;
    let entry = || Entry {
        id: "x",
        offset: 0,
        size,
    };
    let entries: Vec<_> = (0..1000).map(|_| entry()).collect();
    let document = open_quickly("itself", &watchdog, &bundle_header(1000, &entries));
    assert!(rules_of(&document).contains(&rules::TOO_DEEP.id));
}

#[test]
fn incorrect_sizes() {
    let watchdog = Watchdog::start();
    for count in [u64::MAX, u64::MAX / 24, 1 << 32] {
        let document = open_quickly("count", &watchdog, &bundle_header(count, &[]));
        assert_eq!(rules_of(&document), [rules::BUNDLE_HEADER.id]);
    }
    for (offset, size) in [
        (u64::MAX, u64::MAX),
        (0, u64::MAX),
        (u64::MAX - 7, 16),
        (1 << 40, 1),
    ] {
        let entry = Entry {
            id: "x",
            offset,
            size,
        };
        let document = open_quickly("place", &watchdog, &bundle_header(1, &[entry]));
        assert!(rules_of(&document).contains(&rules::BUNDLE_OUT_OF_BOUNDS.id));
    }
    // A stream that unpacks to more than it states, and to more than the limit.
    let mut file = packed_bundle(3, Method::Zstd, b"x");
    file.truncate(32);
    file.extend(bomb(100_000));
    let len = file.len() as u64;
    file[8..16].copy_from_slice(&len.to_le_bytes());
    let document = open_quickly("bomb", &watchdog, &file);
    assert!(rules_of(&document).contains(&rules::UNPACKED_SIZE.id));
    file[16..24].copy_from_slice(&u64::MAX.to_le_bytes());
    let document = open_quickly("large bomb", &watchdog, &file);
    assert!(rules_of(&document).contains(&rules::UNPACKED_TOO_LARGE.id));
    let unpacked = document.sources.whole(zeview::model::SourceId(1)).len();
    assert!(unpacked <= 256 << 20);
}

#[test]
fn tens_of_thousands_of_entries_are_read() {
    let entries = vec![Image::of_kind(0, Vec::new()); 30_000];
    let document = crate::support::open(&Offload::new(2, entries).build());
    assert!(!rules_of(&document).contains(&rules::TOO_MANY.id));
    let tree = walk_all(&document).unwrap();
    let table = tree.nodes.iter().find(|f| f.node.name == "entries");
    assert_eq!(table.map(|f| tree.children(f).len()), Some(30_000));
}

#[test]
fn unknown_format_is_not_judged() {
    let mut png = b"\x89PNG\r\n\x1a\n".to_vec();
    png.extend([0; 100]);
    png.extend(b"Copyright somebody");
    png.resize(100_000, 7);
    let document = crate::support::open(&png);
    assert_eq!(document.summary.title, "unknown format");
    assert!(document.summary.has.unknown);
    assert_eq!(document.verdict(NodeId::ROOT, Some("bmg-g21")), None);
    assert_eq!(document.coverage.gap, 100_000);
    let tree = walk_all(&document).unwrap();
    let strings: Vec<_> = tree
        .nodes
        .iter()
        .filter(|f| f.node.name == "string")
        .collect();
    let text = strings[0].node.value.clone();
    assert_eq!(
        text,
        zeview::model::Value::text("Copyright somebody".to_owned())
    );
    assert_eq!(strings[0].node.span.unwrap().start, 108);
    let parts = tree.children(&tree.nodes[0]);
    let summaries: Vec<_> = parts
        .iter()
        .filter_map(|f| f.node.summary.as_deref())
        .collect();
    assert_eq!(summaries[1], "entropy 0.00 bits per byte · 0 strings");

    // Shannon entropy of single bytes.
    for (values, entropy) in [(1, "0.00"), (2, "1.00"), (16, "4.00"), (256, "8.00")] {
        let bytes: Vec<u8> = (0..0x8000).map(|at| (at % values) as u8).collect();
        let document = crate::support::open(&bytes);
        let tree = walk_all(&document).unwrap();
        let mut summaries = tree.nodes.iter().filter_map(|f| f.node.summary.as_deref());
        let expected = format!("entropy {entropy} bits per byte");
        assert!(
            summaries.any(|summary| summary.starts_with(&expected)),
            "{values} values"
        );
    }

    // More parts than are listed at once are grouped, and found in the groups.
    let large = vec![7; 40 << 20];
    let mut document = crate::support::open(&large);
    assert!(document.count(document.root()) <= 256);
    let ancestry = document.nodes_at(SourceId::FILE, 30 << 20);
    let names: Vec<_> = ancestry
        .iter()
        .map(|id| document.node(*id).unwrap().name.clone())
        .collect();
    assert_eq!(names.last().unwrap(), "0x1e00000");
    assert_eq!(names.len(), 3, "{names:?}");
    assert!(document.sources.bytes_read() < 4 << 20);
}
