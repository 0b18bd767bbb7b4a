//! A correct zebin with everything that the driver reads.

use super::elf::{Elf, Relocation, Section, Symbol};
use super::zebin::{code, small, ze_info};

/// Index of the first symbol of [`full`] that [`small`] does not have: the variable `v`.
pub const VARIABLE: u64 = 4;
/// The index of the function `f`.
pub const FUNCTION: u64 = 5;

/// Returns the `.ze_info` of [`full`].
pub fn text() -> String {
    ze_info(&["k"])
        .replace(
            "kernels:",
            "global_host_access_table:
  - device_name:     v
    host_name:       h
functions:
  - name:            f
    execution_env:
      grf_count:       128
      simd_size:       32
kernels:",
        )
        .replace(
            "    payload_arguments:",
            "    inline_samplers:
      - sampler_index:   0
        addrmode:        repeat
        filtermode:      linear
    payload_arguments:",
        )
        .replace(
            "    per_thread_payload",
            "      - arg_type:        const_base
        offset:          32
        size:            8
        addrmode:        stateless
      - arg_type:        global_base
        offset:          40
        size:            8
        addrmode:        stateless
      - arg_type:        printf_buffer
        offset:          48
        size:            8
      - arg_type:        inline_sampler
        offset:          56
        size:            4
        sampler_index:   0
      - arg_type:        arg_byvalue
        offset:          64
        size:            4
        arg_index:       1
    per_thread_payload",
        )
        .replace(
            "...",
            "    per_thread_memory_buffers:
      - type:            scratch
        usage:           single_space
        size:            64
    binding_table_indices:
      - bti_value:       0
        arg_index:       0
kernels_misc_info:
  - name:            k
    args_info:
      - index:           0
        name:            a
        type_name:       'int*;8'
      - index:           1
        name:            b
        type_name:       'int;4'
",
        )
}

/// Returns the sections of [`small`], and all others that the driver reads.
pub fn full() -> Elf {
    let text_of = ".text";
    let mut elf = small()
        .symbol(Symbol::new("v", 1, 1, ".data.global").at(0, 8))
        .symbol(Symbol::new("f", 1, 2, text_of).at(0, 64))
        .bytes(".ze_info", text());
    let to = |offset, symbol, kind| Relocation {
        offset,
        symbol,
        kind,
        addend: 0,
    };
    *elf.named(".rel.text.k") = Section::relocations(
        ".text.k",
        vec![to(0x0c, 3, 2), to(0x10, VARIABLE, 2), to(0x20, FUNCTION, 1)],
        false,
    );
    elf.section(Section::new(text_of, 1, code(12)).flags(6))
        .section(Section::new(".data.const", 1, [0; 16]))
        .section(Section::new(".data.global", 1, [0; 16]))
        .section(Section::new(".bss.global", 8, []).size(64))
        .section(Section::new(".spv", 0xff00_0009, [3, 2, 35, 7]))
        .section(Section::new(".debug_info", 1, [0; 64]))
        .section(Section::relocations(
            text_of,
            vec![to(0x10, FUNCTION, 2)],
            false,
        ))
        .section(Section::relocations(
            ".data.global",
            vec![to(8, VARIABLE, 1)],
            false,
        ))
        .section(Section::relocations(
            ".debug_info",
            vec![to(0, VARIABLE, 1)],
            true,
        ))
}

/// Returns the `.ze_info` of [`small`].
pub fn text_of_small() -> String {
    ze_info(&["k"])
}
