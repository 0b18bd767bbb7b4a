//! Writes minimal zebins, as the compiler would for kernels with these names.

use super::elf::{Class, Elf, Relocation, Section, Symbol};
use super::notes::{Notes, battlemage};

/// Returns the metadata of a kernel, as the compiler writes it.
pub fn ze_info_kernel(name: &str) -> String {
    format!(
        "  - name:            {name}
    execution_env:
      grf_count:       128
      has_no_stateless_write: true
      simd_size:       32
      required_work_group_size: [ 16, 1, 1 ]
    payload_arguments:
      - arg_type:        global_id_offset
        offset:          0
        size:            12
      - arg_type:        arg_bypointer
        offset:          24
        size:            8
        arg_index:       0
        addrmode:        stateless
        addrspace:       global
        access_type:     readwrite
    per_thread_payload_arguments:
      - arg_type:        local_id
        offset:          0
        size:            192
"
    )
}

/// Returns `.ze_info` with kernels of these names.
pub fn ze_info<S: AsRef<str>>(kernels: &[S]) -> String {
    let entries: String = kernels.iter().map(|k| ze_info_kernel(k.as_ref())).collect();
    format!("---\nversion:         '1.73'\nkernels:\n{entries}...\n")
}

/// Returns machine code of `count` instructions; two compacted ones replace every fourth.
pub fn code(count: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    for i in 0..count {
        let compacted = i % 4 == 3;
        for _ in 0..if compacted { 2 } else { 1 } {
            let word = 0x0080_0061 | u32::from(compacted) << 29;
            bytes.extend(word.to_le_bytes());
            bytes.extend([0x5a; 4]);
            if !compacted {
                bytes.extend((i as u64).to_le_bytes());
            }
        }
    }
    bytes
}

/// Returns a correct zebin with kernels of these names.
pub fn zebin<S: AsRef<str>>(kernels: &[S]) -> Elf {
    zebin_of(Class::Elf64, kernels)
}

/// Returns a correct zebin of this class.
pub fn zebin_of<S: AsRef<str>>(class: Class, kernels: &[S]) -> Elf {
    let mut elf = Elf::new(class);
    let mut symbols = Vec::new();
    let mut relocations = Vec::new();
    // Local symbols come first: two for each kernel.
    let undefined = kernels.len() as u64 * 2 + 1;
    for name in kernels {
        let text = format!(".text.{}", name.as_ref());
        let mut bytes = code(12);
        let size = bytes.len() as u64;
        bytes.resize(bytes.len() + 64, 0);
        elf = elf.section(Section::new(&text, 1, bytes).flags(6));
        symbols.push(Symbol::new("_entry", 0, 0, &*text).at(0x20, 0));
        symbols.push(Symbol::new(name.as_ref(), 0, 2, &*text).at(0, size));
        let list = vec![
            Relocation {
                offset: 0x0c,
                symbol: undefined,
                kind: 2,
                addend: 0,
            },
            Relocation {
                offset: 0x10,
                symbol: undefined,
                kind: 7,
                addend: 0,
            },
        ];
        relocations.push(Section::relocations(&text, list, false));
    }
    symbols.push(Symbol::new(
        "__INTEL_PATCH_CROSS_THREAD_OFFSET_OFF_R0",
        1,
        0,
        0,
    ));
    elf = elf.section(Section::symbols(symbols));
    elf = elf.section(Section::new(".note.intelgt.metrics", 7, [0; 64]));
    elf.sections.extend(relocations);
    elf = elf.section(Section::new(".ze_info", 0xff00_0011, ze_info(kernels)));
    elf.section(Section::new(
        ".note.intelgt.compat",
        7,
        battlemage(Notes::new()),
    ))
}

/// Returns a zebin with one kernel named `k`.
pub fn small() -> Elf {
    zebin(&["k"])
}

/// Returns a file with `count` kernels, with parts as long as the compiler's.
pub fn many(count: usize) -> Vec<u8> {
    let names: Vec<String> = (0..count)
        .map(|i| format!("kernel_number_{i:06}"))
        .collect();
    zebin(&names).build().bytes
}
