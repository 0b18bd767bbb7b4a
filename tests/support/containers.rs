//! Builds containers of device files from the format descriptions: `ocloc` archives, legacy OpenCL
//! containers, OpenMP offload containers, clang bundles, host files.

use zeview::decode::compression::Method;

use super::compressed::stream;
use super::elf::{Elf, Section};
use super::notes::Notes;
use super::spirv;
use super::zebin::small;

/// An archive member, with the name as in the header.
pub fn member(name: &str, data: &[u8]) -> Vec<u8> {
    let size = data.len();
    let mut bytes =
        format!("{name:<16}{:<12}{:<6}{:<6}{:<8}{size:<10}`\n", 0, 0, 0, 644).into_bytes();
    bytes.extend(data);
    if size % 2 == 1 {
        bytes.push(b'\n');
    }
    bytes
}

pub fn archive(members: &[Vec<u8>]) -> Vec<u8> {
    [b"!<arch>\n".to_vec(), members.concat()].concat()
}

/// An archive as `ocloc` writes it for several devices: with alignment, SPIR-V for other devices,
/// and a long name.
pub fn ocloc_archive() -> Vec<u8> {
    let zebin = small().build().bytes;
    archive(&[
        member("//", b"a_name_that_is_longer_than_16_bytes/\n"),
        member("64.20.1.0/", &zebin),
        member("pad_0/", &[0; 6]),
        member("64.dg2.c0/", &zebin),
        member("/0", b"words"),
        member("generic_ir/", &opencl_elf(0xff02)),
    ])
}

pub fn module_package() -> Vec<u8> {
    let text = b"version:\n  major: 1\n  minor: 0\nunits:\n  - filename: pkg.unit.0\n";
    archive(&[
        member("modules.pkg.yml/", text),
        member("pkg.unit.0/", &small().build().bytes),
    ])
}

/// A legacy Intel OpenCL container with a section of each kind.
pub fn opencl_elf(kind: u64) -> Vec<u8> {
    let words = |list: &[u32]| -> Vec<u8> { list.iter().flat_map(|w| w.to_le_bytes()).collect() };
    let spirv = spirv::kernel().build();
    let mut elf = Elf::default()
        .section(Section::new("SPIRV Object", 0xff00_0009, spirv))
        .section(Section::new("BuildOptions", 0xff00_0006, "-cl-std=CL3.0"))
        .section(Section::new("Ids", 0xff00_000b, words(&[1, 7])))
        .section(Section::new("Values", 0xff00_000c, words(&[42, 0, 43, 0])))
        .section(Section::new(
            "Intel(R) OpenCL Device Binary",
            0xff00_0005,
            patch_tokens(),
        ));
    elf.kind = kind;
    elf.machine = 0;
    elf.build().bytes
}

/// The header of a program for Gen9 without kernels, and a patch list.
pub fn patch_tokens() -> Vec<u8> {
    let header = [0x494e_5443u32, 1082, 12, 8, 0, 6, 8];
    let mut bytes: Vec<u8> = header.iter().flat_map(|word| word.to_le_bytes()).collect();
    bytes.extend([1, 0, 0, 0, 8, 0, 0, 0]);
    bytes
}

/// An OpenMP offload container with one image.
pub fn openmp_container() -> Vec<u8> {
    let owner = b"INTELONEOMPOFFLOAD\0";
    let notes = Notes::new()
        .note(owner, 1, b"1.0")
        .note(owner, 2, b"1")
        .note(owner, 3, b"0\x001\0-cl-opt-disable\0");
    let mut elf = Elf::default()
        .section(Section::new(".note.inteloneompoffload", 7, notes.build()))
        .section(Section::new(
            "__openmp_offload_spirv_0",
            1,
            spirv::kernel().build(),
        ));
    elf.kind = 3;
    elf.build().bytes
}

/// A host object with a device image in a section of this name and type.
pub fn host_elf(name: &str, kind: u64, image: &[u8]) -> Elf {
    let mut elf = Elf::default()
        .section(Section::new(".text", 1, [0xc3; 16]).flags(6))
        .section(Section::new(name, kind, image).flags(0x8000_0000));
    elf.machine = 62;
    elf
}

/// Section of device images in objects of Intel's compilers.
pub const BUNDLE_SECTION: &str = "__CLANG_OFFLOAD_BUNDLE__sycl-spir64_gen-unknown-unknown";

/// A host object as Intel's compilers wrote it before 2025.
pub fn host_object() -> Vec<u8> {
    host_elf(BUNDLE_SECTION, 1, &small().build().bytes)
        .section(Section::new(
            "__CLANG_OFFLOAD_BUNDLE__host-x86_64-unknown-linux-gnu",
            1,
            [0],
        ))
        .build()
        .bytes
}

/// An entry of a bundle's header.
pub struct Entry<'a> {
    pub id: &'a str,
    pub offset: u64,
    pub size: u64,
}

/// The header of a bundle.
pub fn bundle_header(count: u64, entries: &[Entry<'_>]) -> Vec<u8> {
    let mut bytes = b"__CLANG_OFFLOAD_BUNDLE__".to_vec();
    bytes.extend(count.to_le_bytes());
    for entry in entries {
        bytes.extend(entry.offset.to_le_bytes());
        bytes.extend(entry.size.to_le_bytes());
        bytes.extend((entry.id.len() as u64).to_le_bytes());
        bytes.extend(entry.id.as_bytes());
    }
    bytes
}

/// A bundle of these images, each aligned to 16 bytes.
pub fn bundle(images: &[(&str, &[u8])]) -> Vec<u8> {
    let ids = images.iter().map(|(id, _)| 24 + id.len());
    let mut at = 32 + ids.sum::<usize>();
    let mut entries = Vec::new();
    for (id, image) in images {
        at = at.next_multiple_of(16);
        entries.push(Entry {
            id,
            offset: at as u64,
            size: image.len() as u64,
        });
        at += image.len();
    }
    let mut bytes = bundle_header(images.len() as u64, &entries);
    for (entry, (_, image)) in entries.iter().zip(images) {
        bytes.resize(entry.offset as usize, 0);
        bytes.extend(*image);
    }
    bytes
}

pub fn usual_bundle() -> Vec<u8> {
    bundle(&[
        ("host-x86_64-unknown-linux-gnu", b""),
        ("sycl-spir64_gen-unknown-unknown", &small().build().bytes),
        ("sycl-spir64-unknown-unknown", &spirv::kernel().build()),
    ])
}

/// A compressed bundle with a header of this version.
pub fn packed_bundle(version: u16, method: Method, bytes: &[u8]) -> Vec<u8> {
    let body = stream(method, bytes);
    let header = match version {
        1 => 20,
        2 => 24,
        _ => 32,
    };
    let sizes = [header + body.len(), bytes.len()].map(|size| size as u64);
    let mut out = b"CCOB".to_vec();
    out.extend(version.to_le_bytes());
    let format = match method {
        Method::Zlib => 0u16,
        Method::Zstd => 1,
        _ => panic!("no bundle has {}", method.name()),
    };
    out.extend(format.to_le_bytes());
    match version {
        1 => out.extend((sizes[1] as u32).to_le_bytes()),
        2 => sizes
            .iter()
            .for_each(|size| out.extend((*size as u32).to_le_bytes())),
        _ => sizes.iter().for_each(|size| out.extend(size.to_le_bytes())),
    }
    // The hash is not checked.
    out.extend(0x0123_4567_89ab_cdefu64.to_le_bytes());
    out.extend(body);
    out
}

/// A bundle of two texts.
pub fn text_bundle() -> String {
    let text = |id: &str, body: &str| {
        format!(
            "\n; __CLANG_OFFLOAD_BUNDLE____START__ {id}\n{body}\n; __CLANG_OFFLOAD_BUNDLE____END__ {id}\n"
        )
    };
    text("sycl-spir64-unknown-unknown", "target triple = \"spir64\"")
        + &text("host-x86_64-unknown-linux-gnu", "define void @f() {\n}")
}

/// A section of a COFF file: its name and its bytes.
pub type CoffSection<'a> = (&'a str, &'a [u8]);

/// A COFF object for x64, or with `program` an executable, which has a DOS stub.
pub fn coff(program: bool, sections: &[CoffSection<'_>]) -> Vec<u8> {
    let mut out = Vec::new();
    if program {
        out.extend(b"MZ");
        out.resize(0x3c, 0);
        out.extend(0x80u32.to_le_bytes());
        out.resize(0x80, 0x90);
        out.extend(b"PE\0\0");
    }
    let mut strings = vec![0; 4];
    let mut headers = Vec::new();
    let mut data: Vec<u8> = Vec::new();
    let start = out.len() + 20 + 40 * sections.len();
    for (name, bytes) in sections {
        let mut short = name.as_bytes().to_vec();
        if short.len() > 8 {
            short = format!("/{}", strings.len()).into_bytes();
            strings.extend(name.as_bytes());
            strings.push(0);
        }
        short.resize(8, 0);
        headers.extend(short);
        let at = (start + data.len()) as u32;
        for word in [0, 0, bytes.len() as u32, at, 0, 0, 0, 0x40] {
            headers.extend(word.to_le_bytes());
        }
        data.extend(*bytes);
    }
    let size = strings.len() as u32;
    strings[..4].copy_from_slice(&size.to_le_bytes());
    let symbols = (start + data.len()) as u32;
    out.extend(0x8664u16.to_le_bytes());
    out.extend((sections.len() as u16).to_le_bytes());
    out.extend(0u32.to_le_bytes());
    out.extend(symbols.to_le_bytes());
    out.extend(1u32.to_le_bytes());
    out.extend([0; 4]);
    out.extend(headers);
    out.extend(data);
    out.extend([7; 18]);
    out.extend(strings);
    out
}

/// A Windows object with a zebin.
pub fn coff_object() -> Vec<u8> {
    let zebin = small().build().bytes;
    coff(false, &[(".text", &[0xc3; 16]), (BUNDLE_SECTION, &zebin)])
}

/// An OffloadBinary of version 3, compressed except for its header.
pub fn packed_offload(method: Method, bytes: &[u8]) -> Vec<u8> {
    let mut out = bytes[..40].to_vec();
    out.extend(stream(method, &bytes[40..]));
    out.resize(out.len().next_multiple_of(8), 0);
    let (stored, inflated) = (out.len() as u64, bytes.len() as u64);
    out[8..16].copy_from_slice(&stored.to_le_bytes());
    out[32..40].copy_from_slice(&inflated.to_le_bytes());
    out
}

/// A program of SYCL's persistent cache, `N.bin`: since 2025, or as before with a count.
pub fn sycl_cache_binary(has_count: bool, binary: &[u8]) -> Vec<u8> {
    let count = has_count.then(|| 1_u64.to_le_bytes());
    let mut bytes: Vec<u8> = count.into_iter().flatten().collect();
    bytes.extend((binary.len() as u64).to_le_bytes());
    bytes.extend(binary);
    bytes
}

/// The source of a program of SYCL's persistent cache, `N.src`, with two images.
pub fn sycl_cache_source() -> Vec<u8> {
    let device = "Runtime over Level-Zero/Arc(TM) B580/20.1.0/1.14.37020+3";
    let image = spirv::kernel().build();
    let parts: [&[u8]; 4] = [
        device.as_bytes(),
        b"-ze-opt-level=O2",
        &[1, 2, 3, 4],
        &[&image[..], &image].concat(),
    ];
    let sized = parts.iter().map(|part| sycl_cache_binary(false, part));
    sized.collect::<Vec<_>>().concat()
}

/// The statistics of the driver's cache.
pub fn cache_statistics() -> Vec<u8> {
    [7_u64, 3, 1].iter().flat_map(|n| n.to_le_bytes()).collect()
}

/// A file of an unknown format, with a zebin and SPIR-V at odd offsets.
pub fn unknown_container() -> Vec<u8> {
    [
        &b"\x01\x02unknown\x7fELF\0"[..],
        &small().build().bytes,
        b"\xffbetween",
        &spirv::kernel().build(),
        b"\0\0\0\0end",
    ]
    .concat()
}

/// A host object with two bundles for HIP, as linked from two translation units.
pub fn hip_object() -> Vec<u8> {
    let image = spirv::kernel().build();
    let mut bundles = bundle(&[
        ("host-x86_64-unknown-linux-gnu", b""),
        ("hip-spirv64----generic", &image),
    ]);
    bundles.resize(bundles.len().next_multiple_of(4096), 0);
    bundles.extend(bundle(&[("hip-spirv64----other", &image)]));
    host_elf(".hip_fatbin", 1, &bundles).build().bytes
}

/// A static library of host objects: with native code by device, and with bitcode.
pub fn static_library() -> Vec<u8> {
    let of = |name: &str, image: &[u8]| {
        let section = format!("__CLANG_OFFLOAD_BUNDLE__sycl-{name}-unknown-unknown");
        host_elf(&section, 1, image).build().bytes
    };
    archive(&[
        member("//", b"name_of_the_first_object.o/\n"),
        member("aot.o/", &of("spir64_gen", &ocloc_archive())),
        member("bitcode.o/", &of("spir64", b"BC\xc0\xde0123456789ab")),
    ])
}
