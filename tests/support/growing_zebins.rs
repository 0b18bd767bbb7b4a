//! Zebins and archives of any size that are expensive to process: code shared by many sections,
//! code with many jumps, and long names with many references.

use std::fmt::Write;

use super::containers::{archive, member};
use super::elf::{Class, Elf, Section, Symbol, place, put};
use super::growing::Make;
use super::notes::{Notes, battlemage};
use super::random::Random;
use super::zebin::{code, ze_info_kernel, zebin};

/// All constructs, by name.
pub const ZEBINS: &[(&str, Make)] = &[
    ("code sections over each other", |size| {
        code_over_each_other(size)
    }),
    ("a long kernel name, code", |size| {
        let name = "k".repeat(size / 4);
        let mut elf = zebin(&[name.as_str()]);
        elf = elf.bytes(&format!(".text.{name}"), code(size / 64));
        elf.build().bytes
    }),
    ("code at random", |size| of_code(random(size, 2))),
    ("code of zeros", |size| of_code(vec![0; size])),
    ("all jump to the start", |size| jumps(size, |_, _| 0)),
    ("all jump to the end", |size| {
        jumps(size, |_, count| count - 1)
    }),
    ("jumps mirrored", |size| {
        jumps(size, |at, count| count - 1 - at)
    }),
    ("jumps all over", |size| {
        jumps(size, |at, count| (at * 7919 + 13) % count)
    }),
    ("jumps one back", |size| {
        jumps(size, |at, _| (at - 1).max(0))
    }),
    ("loops in loops", |size| {
        jumps(
            size,
            |at, count| if at > count / 2 { count - at } else { at + 1 },
        )
    }),
    ("kernels of one name, one code", |size| {
        let kernels = ze_info_kernel("k").repeat(size / 2 / 500);
        zebin(&["k"])
            .bytes(".text.k", code(size / 32))
            .bytes(".ze_info", format!("kernels:\n{kernels}"))
            .build()
            .bytes
    }),
    ("symbols over one code", |size| {
        let names = (0..size / 4 / 40).map(|at| format!("k{at}"));
        let whole = |name: &str| Symbol::new(name, 0, 2, ".text.k").at(0, size as u64 / 2);
        let elf = zebin(&["k"]).bytes(".text.k", code(size / 32));
        let elf = names.fold(elf, |elf, name| elf.symbol(whole(&name)));
        elf.build().bytes
    }),
    ("kernels of long mangled names", |size| {
        let name = |at| format!("_ZTS{}1x{}{at}", "N2ab".repeat(200), "E".repeat(200));
        of_kernels((0..size / 1800).map(name))
    }),
    ("kernels of mangled substitutions", |size| {
        let pairs = "St4pairIS_S0_E".repeat(100);
        let name = |at| format!("_Z1fIi{pairs}E{}v{at}", "S1_".repeat(50));
        of_kernels((0..size / 2200).map(name))
    }),
    ("a deep mangled name", |size| {
        let (pointers, functions) = ("P".repeat(size / 2), "PF".repeat(size / 8));
        let ends = "E".repeat(size / 8);
        of_kernels(
            [
                format!("_Z1f{pointers}i"),
                format!("_Z1f{functions}v{ends}"),
            ]
            .into_iter(),
        )
    }),
    ("flags of a kernel", |size| {
        let flags = "      has_dpas: true\n".repeat(size / 21);
        let kernel =
            ze_info_kernel("k").replace("      simd_size", &format!("{flags}      simd_size"));
        zebin(&["k"])
            .bytes(".ze_info", format!("kernels:\n{kernel}"))
            .build()
            .bytes
    }),
    ("sections with many errors", |size| {
        let section = |at| Section::new(format!(".text.k{at}"), 0x7fff, []).flags(0xffff);
        let sections = (0..size / 80).map(|at| section(at).link(9999).info(9999).size(1 << 40));
        sections.fold(zebin(&["k"]), Elf::section).build().bytes
    }),
    ("symbols of a long name", |size| {
        let name = "s".repeat(size / 2);
        let symbols = symbols((0..size / 2 / 24).map(|_| (1, 0)));
        named(&name).section(symbols).build().bytes
    }),
    ("relocations of a long name", |size| {
        let name = "s".repeat(size / 2);
        let mut relocations = Vec::new();
        for at in 0..size as u64 / 2 / 16 {
            relocations.extend((at % 4000).to_le_bytes());
            relocations.extend((1_u64 << 32 | 1).to_le_bytes());
        }
        let mut section = Section::new(".rel.text.k", 9, relocations);
        section.entsize = 16;
        named(&name)
            .bytes(".text.k", vec![0; 4096])
            .section(symbols([(1, 0)].into_iter()))
            .section(section.link(".symtab").info(".text.k"))
            .build()
            .bytes
    }),
    ("notes over each other", |size| {
        let notes = (0..size as u32 / 2 / 20).fold(Notes::new(), |notes, at| notes.number(7, at));
        over_each_other(size, Section::new(".note.z", 7, notes.build()).flags(2), 7)
    }),
    ("sections of data over each other", |size| {
        over_each_other(size, Section::new(".z", 1, vec![0; size / 2]).flags(2), 1)
    }),
    ("archives in archives, 14 deep", |size| {
        (0..14).fold(vec![0; size], |bytes, _| {
            archive(&[member("aaaaaaaaaaaaaa/", &bytes)])
        })
    }),
    ("sections of long names", |size| {
        let name = |at| format!("{}{at}", "a".repeat(4000));
        let sections = (0..size / 4100).map(|at| Section::new(name(at), 1, *b"x").flags(2));
        sections.fold(zebin(&["k"]), Elf::section).build().bytes
    }),
];

/// Returns random bytes.
pub fn random(size: usize, seed: u64) -> Vec<u8> {
    let mut random = Random::new(seed);
    let words = (0..size / 8).flat_map(|_| random.next().to_le_bytes());
    words.collect()
}

/// Returns a zebin with a kernel of this code.
pub fn of_code(code: Vec<u8>) -> Vec<u8> {
    zebin(&["k"]).bytes(".text.k", code).build().bytes
}

/// Returns a zebin with one kernel's code, and metadata of kernels with these names.
pub fn of_kernels(names: impl Iterator<Item = String>) -> Vec<u8> {
    let kernels: String = names.map(|name| ze_info_kernel(&name)).collect();
    zebin(&["k"])
        .bytes(".ze_info", format!("kernels:\n{kernels}"))
        .build()
        .bytes
}

/// Returns a zebin with code of only `goto` instructions.
fn jumps(size: usize, target: fn(i64, i64) -> i64) -> Vec<u8> {
    of_code(jump_code(size, target))
}

/// Returns code of only `goto` instructions; `target` maps the index and count of an instruction to
/// its target.
pub fn jump_code(size: usize, target: fn(i64, i64) -> i64) -> Vec<u8> {
    let count = (size / 16) as i64;
    let mut code = Vec::new();
    for at in 0..count {
        let distance = ((target(at, count) - at) * 16) as i32;
        code.extend(0x0080_002e_u32.to_le_bytes());
        code.extend([0; 4]);
        code.extend(distance.to_le_bytes());
        code.extend(distance.to_le_bytes());
    }
    code
}

/// Returns a zebin whose string table has this name at offset 1.
fn named(name: &str) -> Elf {
    Elf::new(Class::Elf64)
        .section(Section::new(name, 1, [0; 4]))
        .section(Section::new(".text.k", 1, code(4)).flags(6))
        .section(Section::new(".ze_info", 0xff00_0011, "kernels:\n"))
        .section(Section::new(
            ".note.intelgt.compat",
            7,
            battlemage(Notes::new()),
        ))
}

/// Returns `.symtab` with these name offsets and values.
pub fn symbols(list: impl Iterator<Item = (u32, u64)>) -> Section {
    let mut bytes = vec![0; 24];
    for (name, value) in list {
        bytes.extend(name.to_le_bytes());
        // A global object of section 1.
        bytes.extend([0x11, 0, 1, 0]);
        bytes.extend(value.to_le_bytes());
        bytes.extend(8_u64.to_le_bytes());
    }
    let mut section = Section::new(".symtab", 2, bytes);
    section.entsize = 24;
    section.link(".strtab").info(1)
}

/// One half is a section, the other half headers of sections with the same bytes.
fn over_each_other(size: usize, section: Section, kind: u64) -> Vec<u8> {
    let name = String::from_utf8(section.name.clone()).unwrap();
    let others = (0..size / 2 / 80).map(|at| Section::new(format!(".d{}", at % 10), kind, []));
    let elf = zebin(&["k"]).section(section.clone());
    let first = elf.sections.len();
    let file = others.fold(elf, Elf::section).build();
    let whole = file.content(&name);
    let count = file.count() - 1;
    let fields = Class::Elf64.section_header();
    let header = file.section_headers;
    let mut bytes = file.bytes;
    for index in first + 1..count {
        let header = header + index * 64;
        for (field, value) in [("sh_offset", whole.start), ("sh_size", whole.len())] {
            let at = place(fields, field);
            let range = header + at.start..header + at.end;
            put(&mut bytes, range, value as u64, false);
        }
    }
    bytes
}

/// One half is code, the other half headers of sections with the same bytes.
fn code_over_each_other(size: usize) -> Vec<u8> {
    let names: Vec<String> = (0..size / 128).map(|at| format!("k{at}")).collect();
    let mut elf = zebin(&["z"]).bytes(".text.z", code(size / 2 / 16));
    for name in &names {
        elf = elf.section(Section::new(format!(".text.{name}"), 1, []).flags(6));
    }
    let mut file = elf.build();
    let whole = file.content(".text.z");
    let fields = Class::Elf64.section_header();
    for name in &names {
        let header = file.section_header(&format!(".text.{name}")).start;
        for (field, value) in [("sh_offset", whole.start), ("sh_size", whole.len())] {
            let at = place(fields, field);
            put(
                &mut file.bytes,
                header + at.start..header + at.end,
                value as u64,
                false,
            );
        }
    }
    file.bytes
}

/// Returns metadata of a kernel with arguments at these offsets.
pub fn arguments(offsets: impl Iterator<Item = usize>) -> String {
    let mut text = String::from("kernels:\n  - name: k\n    execution_env:\n      simd_size: 16\n");
    text.push_str("    payload_arguments:\n");
    for at in offsets {
        let _ = writeln!(
            text,
            "      - arg_type: arg_byvalue\n        offset: {}\n        size: 4\n        arg_index: {at}",
            at * 4
        );
    }
    text
}
