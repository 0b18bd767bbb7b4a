//! Files that no installed compiler writes, built from their specifications.

use zeview::decode::compression::Method;

use super::compressed::{gnu, packed};
use super::elf::Section;
use super::igc_debug::{Kernel, program};
use super::syclbin::{Entry, Offload, Syclbin, Text, words};
use super::{containers, dwarf_files, fixtures, packages, spirv, zebin};

/// Returns all files, with their names.
pub fn all() -> Vec<(&'static str, Vec<u8>)> {
    let mut all = vec![
        ("spirv-kernel", spirv::kernel().build()),
        ("spirv-big-endian", spirv::kernel().big().build()),
        ("igc-debug", igc_debug()),
        ("syclbin-1", Syclbin::small().v1()),
        ("syclbin-2", Syclbin::small().v2()),
        ("syclbin-1-in-3", wrapped(3)),
        ("property-sets", property_sets()),
        ("compressed-debug", compressed_debug()),
        ("compressed-syclbin", compressed_syclbin()),
        ("ocloc-archive", containers::ocloc_archive()),
        ("module-package", containers::module_package()),
        ("opencl-elf", containers::opencl_elf(0xff02)),
        ("openmp-container", containers::openmp_container()),
        ("host-object", containers::host_object()),
        ("bundle", containers::usual_bundle()),
        ("compressed-bundle", compressed_bundle()),
        ("text-bundle", containers::text_bundle().into_bytes()),
        ("patch-tokens", containers::patch_tokens()),
        ("coff-object", containers::coff_object()),
        ("hip-object", containers::hip_object()),
        ("static-library", containers::static_library()),
        ("unknown-container", containers::unknown_container()),
        (
            "ze-info-text",
            zebin::ze_info(&["k", "second"]).into_bytes(),
        ),
        (
            "sycl-cache-bin",
            containers::sycl_cache_binary(true, &zebin::small().build().bytes),
        ),
        ("sycl-cache-src", containers::sycl_cache_source()),
        ("cache-stats", containers::cache_statistics()),
        ("dropped-kernel", spirv::with_dropped_kernel()),
        ("zip", packages::usual_zip()),
        ("tar", packages::usual_tar()),
        ("folder", packages::usual_folder()),
        (
            "tar-gz",
            packages::gzip("usual.tar", &packages::usual_tar()),
        ),
    ];
    all.extend(dwarf_files::all());
    all
}

/// Kernels with debug data written by a compiler, with Gen ISA debug data, and without any.
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

/// A zebin with compressed DWARF: each section with another method.
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

/// A first-generation SYCLBIN in a compressed OffloadBinary.
fn compressed_syclbin() -> Vec<u8> {
    let image = Entry::of_kind(7, Syclbin::small().v1());
    let plain = Offload::new(3, vec![image]).build();
    containers::packed_offload(Method::Zstd, &plain)
}

/// Nested bundles, one of each of the three versions.
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

/// A SYCLBIN in an OffloadBinary, between two other entries.
fn wrapped(version: u32) -> Vec<u8> {
    let entry = Entry::of_kind(7, Syclbin::small().v1()).string("triple", "spir64");
    let other = Offload::new(1, vec![Entry::of_kind(2, b"BC\xc0\xde".to_vec())]).build();
    [
        &other[..],
        &Offload::new(version, vec![entry]).build(),
        &other,
    ]
    .concat()
}

/// A SYCLBIN with every form of property.
fn property_sets() -> Vec<u8> {
    let mut syclbin = Syclbin::small();
    let text = Text::default()
        .set("SYCL/specialization constants")
        .bytes("constant", &words(&[0, 0, 4, 1, 4, 8]))
        .set("SYCL/specialization constants default values")
        .bytes("all", &[42, 0, 0, 0, 0, 0, 0x80, 0x3f])
        .set("SYCL/devicelib req mask")
        .number("DeviceLibReqMask", 0x8000_000f)
        .set("SYCL/kernel param opt")
        .bits("void f<int, 3>(x)", 9, &[0b1011_0001, 1])
        .set("SYCL/program metadata")
        .bytes("k@reqd_work_group_size", &words(&[8, 4, 1]))
        .bytes("k@work_group_num_dim", &words(&[3]))
        .bytes("k@global_id_mapping", b"a:b")
        .set("SYCL/misc properties")
        .number("isEsimdImage", 0)
        .number("sycl-register-alloc-mode", 2)
        .bytes("sanUsed", b"asan")
        .line("")
        .set("SYCL/device globals")
        .bytes("global", &words(&[1024, 1]))
        .set("SYCL/device requirements")
        .bytes("aspects", &words(&[2, 6, 999]))
        .bytes("joint_matrix", b"a,8;b,16")
        .set("SYCL/host pipes")
        .bytes("pipe", &words(&[64]))
        .set("SYCL/virtual functions")
        .bytes("uses-virtual-functions-set", b"a,b")
        .set("of somebody else")
        .bytes("empty", &[])
        .bytes("numbers", &words(&[1, 0x100]))
        .bytes("bytes", &[0xff, 0, 1])
        .set("empty");
    syclbin.modules[0].text = text;
    syclbin.v2()
}
