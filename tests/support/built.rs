//! Files that no compiler here writes, made by builders from their specifications.

use zeview::decode::inflate::Method;

use super::compressed::{gnu, packed};
use super::elf::Section;
use super::igc_debug::{Kernel, program};
use super::{containers, fixtures, spirv, zebin};

/// All of them, with a name each.
pub fn all() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("spirv-kernel", spirv::kernel().build()),
        ("spirv-big-endian", spirv::kernel().big().build()),
        ("igc-debug", igc_debug()),
        ("compressed-debug", compressed_debug()),
        ("ocloc-archive", containers::ocloc_archive()),
        ("module-package", containers::module_package()),
        ("opencl-elf", containers::opencl_elf(0xff02)),
        ("openmp-container", containers::openmp_container()),
        ("host-object", containers::host_object()),
        ("bundle", containers::usual_bundle()),
        ("compressed-bundle", compressed_bundle()),
        ("text-bundle", containers::text_bundle().into_bytes()),
        ("patch-tokens", containers::patch_tokens()),
    ]
}

/// A kernel with debug data that a compiler has written, one with Gen ISA debug data, one
/// without.
fn igc_debug() -> Vec<u8> {
    let mut old = Kernel::named("old").visa(b"not an ELF file");
    old.generated = vec![1, 2, 3, 4, 5, 6, 7, 8];
    program(vec![
        Kernel::named("debugme").visa(&debug_elf()),
        old,
        Kernel::named("without"),
    ])
    .build()
}

/// A zebin whose DWARF is compressed, a section in each way.
fn compressed_debug() -> Vec<u8> {
    let bytes = debug_elf();
    let elf = goblin::elf::Elf::parse(&bytes).unwrap();
    let section = |name: &str| {
        let named = |header: &&goblin::elf::SectionHeader| {
            elf.shdr_strtab.get_at(header.sh_name) == Some(name)
        };
        let header = elf.section_headers.iter().find(named).unwrap();
        &bytes[header.file_range().unwrap()]
    };
    zebin::small()
        .section(packed(".debug_info", Method::Zlib, section(".debug_info")))
        .section(packed(
            ".debug_abbrev",
            Method::Zstd,
            section(".debug_abbrev"),
        ))
        .section(gnu(".zdebug_line", section(".debug_line")))
        .section(Section::new(".debug_ranges", 1, section(".debug_ranges")))
        .build()
        .bytes
}

/// A bundle in each of the three versions, the outer ones for what is in them.
fn compressed_bundle() -> Vec<u8> {
    let one = containers::packed_bundle(1, Method::Zlib, &containers::usual_bundle());
    let two = containers::packed_bundle(2, Method::Zstd, &one);
    containers::packed_bundle(3, Method::Zlib, &two)
}

/// An ELF file with DWARF.
pub fn debug_elf() -> Vec<u8> {
    let name = "debugme-lines.ptl-h.igc2.40.zebin";
    let all = fixtures::zebins();
    all.into_iter().find(|f| f.name == name).unwrap().bytes
}
