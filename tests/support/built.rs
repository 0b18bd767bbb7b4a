//! Files that no compiler here writes, made by builders from their specifications.

use super::igc_debug::{Kernel, program};
use super::{fixtures, spirv};

/// All of them, with a name each.
pub fn all() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("spirv-kernel", spirv::kernel().build()),
        ("spirv-big-endian", spirv::kernel().big().build()),
        ("igc-debug", igc_debug()),
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

/// An ELF file with DWARF.
pub fn debug_elf() -> Vec<u8> {
    let name = "debugme-lines.ptl-h.igc2.40.zebin";
    let all = fixtures::zebins();
    all.into_iter().find(|f| f.name == name).unwrap().bytes
}
