//! Files of any size that are expensive to process: one construct each, repeated. Their cost must
//! be linear in their size.

use zeview::decode::compression::Method;

use super::compressed::packed;
use super::containers::{archive, member};
use super::dwarf::{Abbrev, Kind, Lines, Shape, table, unit};
use super::dwarf_files::{of_sections, with_lines};
use super::elf::{Class, Elf, Relocation, Section, Symbol, place, size_of};
use super::igc_debug::{Kernel, program};
use super::notes::Notes;
use super::packages::{deflated, pax, stored, tar, tar_entry, zip};
use super::spirv::{Module, text};
use super::syclbin::{Entry, Offload, Syclbin, Text};
use super::zebin::{code, small, ze_info, ze_info_kernel};

/// Returns a file of about this size in bytes.
pub type Make = fn(usize) -> Vec<u8>;

/// All constructs, by name.
pub const ALL: &[(&str, Make)] = &[
    ("sections", sections),
    ("files of a zip", |size| {
        let file = |index| stored(&format!("folder/{index}"), b"words");
        zip(&(0..size / 140).map(file).collect::<Vec<_>>())
    }),
    ("files of a zip over each other", |size| {
        let one = deflated("a.zebin", &small().build().bytes);
        let mut whole = zip(&vec![one; (size / 60).min(60_000)]);
        let start = whole.windows(4).position(|word| word == b"PK\x01\x02");
        let mut at = start.unwrap();
        while whole[at..].starts_with(b"PK\x01\x02") {
            // All entries lead to the first file.
            whole[at + 42..at + 46].fill(0);
            at += 46 + "a.zebin".len();
        }
        whole
    }),
    ("files of a tar", |size| {
        let one = tar_entry("a", b'0', b"words");
        tar(&vec![one; size / 1024])
    }),
    ("pax records", |size| {
        let one = pax("key", "value");
        tar(&[
            tar_entry("x", b'x', &one.repeat(size / one.len())),
            tar_entry("a", b'0', b"words"),
        ])
    }),
    ("sections over each other", |size| {
        over_each_other(size, 1, 0xff00_0011)
    }),
    ("relocations", |size| relocations(size / 16).build().bytes),
    ("relocation sections over each other", |size| {
        over_each_other(size, 16, 9)
    }),
    ("symbols", symbols),
    ("entry points", |size| {
        let mut module = Module::new(9).op(14, &[2, 2]);
        let count = u32::try_from(size / 80).unwrap();
        for id in 1..=count {
            module = module.op_text(15, &[6, id], &format!("kernel_{id}"));
        }
        for id in 1..=count {
            module = module.op(16, &[id, 35, 16]);
        }
        module = module.op(21, &[0x10_0000, 32, 0]);
        for id in 1..=count {
            module = module
                .op(54, &[0x10_0000, id, 0, 0])
                .op(55, &[0x10_0000, 0x20_0000 + id])
                .op(56, &[]);
        }
        module.build()
    }),
    ("modules in an unknown format", |size| {
        let one = Module::new(9).op(17, &[6]).build();
        [b"\x01unknown".to_vec(), one.repeat(size / one.len())].concat()
    }),
    ("bundles in sequence", |size| {
        let one = super::containers::bundle(&[("hip-spirv64----generic", b"words")]);
        one.repeat(size / one.len())
    }),
    ("notes", |size| {
        let one = Notes::new().number(1, 7).build();
        let notes = one.repeat(size / one.len());
        small().bytes(".note.intelgt.compat", notes).build().bytes
    }),
    ("kernels", |size| ze_info_text(kernels(size))),
    ("kernels of one name", |size| {
        let kernel = ze_info_kernel("k");
        let list = kernel.repeat(size / kernel.len());
        ze_info_text(format!("kernels:\n{list}"))
    }),
    ("arguments", arguments),
    ("keys of ze_info", |size| {
        ze_info_text((0..size / 10).map(|i| format!("k{i}: 1\n")).collect())
    }),
    ("braces", |size| ze_info_text("{".repeat(size))),
    ("brackets", |size| ze_info_text("[".repeat(size))),
    ("aliases", |size| {
        let one = "a: &a [x, x, x, x, x, x, x, x]\nb: [*a, *a, *a, *a, *a, *a]\n";
        ze_info_text(one.repeat(size / one.len()))
    }),
    ("anchors of anchors", |size| {
        let line = |i: usize| format!("a{i}: &a{i} [*a{}, *a{}]\n", i / 2, i / 3);
        let lines: String = (1..size / 24).map(line).collect();
        ze_info_text(format!("a0: &a0 [x, x]\n{lines}"))
    }),
    ("units", |size| {
        let one = unit(FOUR, Kind::Compile, 0, [1, 0]);
        entries(one.repeat(size / one.len()))
    }),
    ("entries, one after the other", |size| {
        let list = [&[1][..], &vec![2; size], &[0]].concat();
        entries(unit(FOUR, Kind::Compile, 0, list))
    }),
    ("entries, one in the other", |size| {
        entries(unit(FOUR, Kind::Compile, 0, vec![1; size]))
    }),
    ("entries in pairs", |size| {
        let list = [1, 1, 2, 0, 2, 0].repeat(size / 6);
        entries(unit(FOUR, Kind::Compile, 0, list))
    }),
    ("attributes", attributes),
    ("attributes without bytes", |size| {
        let abbrev = (0..size / 4).fold(Abbrev::new(1, 0x34, false), |abbrev, _| {
            abbrev.with(0x3f, FLAG_PRESENT)
        });
        let list = unit(FOUR, Kind::Compile, 0, vec![1; size / 2]);
        debug(list, table(&[abbrev]), Vec::new())
    }),
    ("names in one long string", |size| {
        let abbrev = Abbrev::new(1, 0x34, false).with(3, STRP);
        let one = |at: usize| [&[1][..], &u32::try_from(at).unwrap().to_le_bytes()].concat();
        let list: Vec<u8> = (0..size / 10).flat_map(one).collect();
        let list = unit(FOUR, Kind::Compile, 0, list);
        let mut string = vec![b's'; size / 2];
        string.push(0);
        debug(list, table(&[abbrev]), string)
    }),
    ("references to one entry", |size| {
        let list = [
            Abbrev::new(1, 0x34, false).with(3, STRING),
            Abbrev::new(2, 0x34, false).with(0x49, REF4),
        ];
        let name = [&[1][..], &vec![b'n'; size / 2], &[0]].concat();
        let reference = [2, 11, 0, 0, 0].repeat(size / 10);
        let entries = unit(FOUR, Kind::Compile, 0, [name, reference].concat());
        debug(entries, table(&list), Vec::new())
    }),
    ("operations", |size| {
        let abbrev = Abbrev::new(1, 0x34, false).with(2, EXPRLOC);
        let list = FOUR.bytes().uleb(1).uleb(size as u64).raw(vec![0x30; size]);
        let list = unit(FOUR, Kind::Compile, 0, list.bytes);
        debug(list, table(&[abbrev]), Vec::new())
    }),
    ("expressions", |size| {
        let count = size / 4;
        let abbrev = (0..count).fold(Abbrev::new(1, 0x34, false), |abbrev, _| {
            abbrev.with(2, EXPRLOC)
        });
        let list = [&[1][..], &[1, 0x30].repeat(count)].concat();
        debug(
            unit(FOUR, Kind::Compile, 0, list),
            table(&[abbrev]),
            Vec::new(),
        )
    }),
    ("abbreviations", |size| {
        let list = (1..size as u64 / 5).map(|i| Abbrev::new(i, 0x34, false));
        debug(Vec::new(), table(&list.collect::<Vec<_>>()), Vec::new())
    }),
    ("tables of abbreviations", |size| {
        debug(Vec::new(), vec![0; size], Vec::new())
    }),
    ("tables of abbreviations, compressed", |size| {
        let plain = vec![0; size * 8];
        small()
            .section(packed(".debug_abbrev", Method::Zlib, &plain))
            .build()
            .bytes
    }),
    ("directories", |size| {
        let paths = FOUR.bytes().raw(b"a\0".repeat(size / 2)).u8(0).u8(0);
        with_lines(Lines::new(FOUR).paths(paths).build())
            .build()
            .bytes
    }),
    ("files", |size| {
        let paths = FOUR.bytes().u8(0).raw(b"a\0\0\0\0".repeat(size / 5)).u8(0);
        with_lines(Lines::new(FOUR).paths(paths).build())
            .build()
            .bytes
    }),
    ("opcodes", |size| {
        let paths = FOUR.bytes().u8(0).raw(b"a.cl\0\0\0\0").u8(0);
        let lines = Lines::new(FOUR).paths(paths);
        let special = lines.special(0, 1);
        let opcodes = vec![u8::try_from(special).unwrap(); size];
        let lines = lines.opcodes(FOUR.bytes().raw(opcodes));
        with_lines(lines.build()).build().bytes
    }),
    ("line programs", |size| {
        let paths = FOUR.bytes().u8(0).u8(0);
        let one = Lines::new(FOUR).paths(paths).build();
        with_lines(one.repeat(size / one.len())).build().bytes
    }),
    ("locations", |size| {
        let one = FOUR.bytes().u64(1).u64(2).u16(1).u8(0x30).bytes;
        let list = [one.repeat(size / one.len()), vec![0; 16]].concat();
        of_sections(vec![(".debug_loc", list)]).build().bytes
    }),
    ("lists of locations", |size| {
        of_sections(vec![(".debug_loc", vec![0; size])])
            .build()
            .bytes
    }),
    ("ids", |size| {
        let ids = 1..u32::try_from(size / 8).unwrap();
        ids.fold(Module::new(1 << 20), |module, id| module.op(19, &[id]))
            .build()
    }),
    ("a long name that all refer to", |size| {
        let name = text(&"n".repeat(size.min(4 * 60_000) / 2));
        let module = Module::new(100).op(5, &[&[1][..], &name].concat());
        let module = module.op(19, &[1]);
        (0..size / 16)
            .fold(module, |module, _| module.op(61, &[1]))
            .build()
    }),
    ("operands", |size| {
        let count = (size / 4).min(65_000);
        let module = Module::new(100).op(19, &[1]);
        (0..=size / (4 * count))
            .fold(module, |module, _| module.op(22, &vec![1; count]))
            .build()
    }),
    ("entries of an OffloadBinary", |size| {
        let one = Entry::of_kind(1, vec![0; 8]).string("triple", "spir64");
        Offload::new(2, vec![one; size / 100]).build()
    }),
    ("OffloadBinaries in a row", |size| {
        Offload::new(2, vec![]).build().repeat(size / 32)
    }),
    ("members", |size| {
        let one = member("64.12.0.0/", b"!<arch>\n");
        archive(&vec![one; size / 68])
    }),
    ("archives in an archive", |size| {
        let inner = archive(&[member("a/", b"abcd")]);
        archive(&vec![member("b/", &inner); size / 140])
    }),
    ("nested ELF files", |size| {
        let elf = Elf::new(Class::Elf64).build().bytes;
        let elf = &elf[..64];
        let one = |i: usize| Kernel::named(&format!("k{i}")).visa(elf);
        program((0..size / 84).map(one).collect()).build()
    }),
    ("properties", |size| {
        let mut syclbin = Syclbin::small();
        let lines = (0..size / 12).map(|i| format!("k{i}=1|1\n"));
        let text = format!("[s]\n{}", lines.collect::<String>());
        syclbin.modules[0].text = Text(text.into_bytes());
        syclbin.v1()
    }),
    ("sets of properties", |size| {
        let mut syclbin = Syclbin::small();
        let lines = (0..size / 10).map(|i| format!("[s{i}]\n"));
        syclbin.modules[0].text = Text(lines.collect::<String>().into_bytes());
        syclbin.v1()
    }),
    ("modules", |size| Syclbin::many(size / 1000 + 1).v2()),
];

const FOUR: Shape = Shape {
    version: 4,
    wide: false,
    big: false,
    address: 8,
};

const STRING: u64 = 0x08;
const STRP: u64 = 0x0e;
const REF4: u64 = 0x13;
const EXPRLOC: u64 = 0x18;
const FLAG_PRESENT: u64 = 0x19;

fn ze_info_text(text: String) -> Vec<u8> {
    small().bytes(".ze_info", text).build().bytes
}

fn kernels(size: usize) -> String {
    let one = ze_info_kernel("k").len();
    let names: Vec<String> = (0..size / one).map(|i| format!("k{i}")).collect();
    ze_info(&names)
}

fn arguments(size: usize) -> Vec<u8> {
    let one = "      - arg_type: arg_byvalue\n        offset: 32\n        size: 4\n        source_offset: 0\n        arg_index: 1\n";
    let lines = format!("{}    per_thread_payload", one.repeat(size / one.len()));
    ze_info_text(ze_info(&["k"]).replace("    per_thread_payload", &lines))
}

fn sections(size: usize) -> Vec<u8> {
    let list = (0..size / 200).map(|i| Section::new(format!(".text.k{i}"), 1, code(1)));
    list.fold(small(), Elf::section).build().bytes
}

fn symbols(size: usize) -> Vec<u8> {
    let list = (0..size / 34).map(|i| Symbol::new(&format!("symbol{i}"), 1, 2, ".text.k"));
    list.fold(small(), Elf::symbol).build().bytes
}

fn relocations(count: usize) -> Elf {
    let one = Relocation {
        offset: 0x0c,
        symbol: 3,
        kind: 2,
        addend: 0,
    };
    let mut elf = small();
    *elf.named(".rel.text.k") = Section::relocations(".text.k", vec![one; count], false);
    elf
}

/// One half is a section, the other half headers of sections of a type with the same bytes.
fn over_each_other(size: usize, entry: u64, kind: u64) -> Vec<u8> {
    let mut elf = relocations(size / 32);
    for _ in 0..size / 128 {
        let mut section = Section::new("s", kind, []).link(".symtab").info(1);
        section.entsize = entry;
        elf = elf.section(section);
    }
    let mut file = elf.build();
    let whole = file.content(".rel.text.k");
    let fields = Class::Elf64.section_header();
    let first = file.count() - size / 128;
    for index in first..file.count() {
        let header = file.section_headers + index * size_of(fields);
        for (name, value) in [("sh_offset", whole.start), ("sh_size", whole.len())] {
            let at = place(fields, name);
            file = file.put(header + at.start..header + at.end, value as u64);
        }
    }
    file.bytes
}

/// Returns a file with a unit whose abbreviation 1 has children, and 2 none.
fn entries(info: Vec<u8>) -> Vec<u8> {
    let list = [Abbrev::new(1, 0x0b, true), Abbrev::new(2, 0x34, false)];
    debug(info, table(&list), Vec::new())
}

fn attributes(size: usize) -> Vec<u8> {
    const DATA1: u64 = 0x0b;
    let count = size / 4;
    let abbrev = (0..count).fold(Abbrev::new(1, 0x34, false), |abbrev, _| {
        abbrev.with(0x3f, DATA1)
    });
    let list = [&[1][..], &vec![1; count]].concat();
    debug(
        unit(FOUR, Kind::Compile, 0, list),
        table(&[abbrev]),
        Vec::new(),
    )
}

fn debug(info: Vec<u8>, abbrev: Vec<u8>, strings: Vec<u8>) -> Vec<u8> {
    of_sections(vec![
        (".debug_info", info),
        (".debug_abbrev", abbrev),
        (".debug_str", strings),
    ])
    .build()
    .bytes
}
