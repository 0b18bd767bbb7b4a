//! Large files that are expensive to process: excessive counts, overlapping tables, endless names,
//! text without structure. Each is about 10 MB.

use super::elf::{Class, Elf, Relocation, Section, Symbol, get, place, put, size_of};
use super::notes::Notes;
use super::syclbin::{Entry, Offload, Syclbin, Text, words};
use super::zebin::{small, ze_info_kernel};

const SIZE: usize = 10_000_000;

/// Function that builds a file.
pub type Make = fn() -> Vec<u8>;

/// All files, by name.
pub const ALL: &[(&str, Make)] = &[
    ("zero bytes", || vec![0; SIZE]),
    ("one long line", || vec![b'a'; SIZE]),
    ("2^32 sections", || counted(1 << 32)),
    ("2^64 - 1 sections", || counted(u64::MAX)),
    ("150 000 null sections", || counted(150_000)),
    ("symbols with names without end", names_without_end),
    ("80 000 tables over the whole file", tables_over_each_other),
    ("80 000 sections with one long name", one_long_name),
    ("80 000 texts over the whole file", texts_over_each_other),
    ("80 000 parts, one in the other", parts_in_each_other),
    ("notes without content", || notes(vec![0; SIZE])),
    ("a note of 4 GB", || {
        notes(
            Notes::new()
                .lying(8, u32::MAX, b"IntelGT\0", 1, &[0; SIZE])
                .build(),
        )
    }),
    ("400 000 notes of one type", || {
        let one = Notes::new().number(1, 7).build();
        notes(one.repeat(SIZE / one.len()))
    }),
    ("relocations at random", || table(9, 16)),
    ("symbols at random", || table(2, 24)),
    ("ze_info: lines deeper and deeper", || {
        text(
            (0..4400)
                .map(|i| format!("{}a:\n", " ".repeat(i)))
                .collect(),
        )
    }),
    ("ze_info: dashes", || text("- ".repeat(SIZE / 2))),
    ("ze_info: brackets", || {
        text(format!("a: {}", "[".repeat(SIZE)))
    }),
    ("ze_info: braces", || {
        text(format!("a: {}", "{a: ".repeat(SIZE / 4)))
    }),
    ("ze_info: commas", || {
        text(format!("a: [{}]", ",".repeat(SIZE)))
    }),
    ("ze_info: open quotes", || text("a: 'b\n".repeat(SIZE / 6))),
    ("ze_info: one key again and again", || {
        text("a: 1\n".repeat(SIZE / 5))
    }),
    ("ze_info: a million keys", || {
        text((0..1_000_000).map(|i| format!("k{i}: 1\n")).collect())
    }),
    ("ze_info: comments", || text("#\n".repeat(SIZE / 2))),
    ("ze_info: anchors", || text("a: &a *a\n".repeat(SIZE / 9))),
    ("ze_info: documents", || {
        text("---\na: 1\n...\n".repeat(SIZE / 13))
    }),
    ("ze_info: tabs", || text("\t\t\t\ta:\t1\n".repeat(SIZE / 9))),
    ("ze_info: bytes that are not text", || {
        small().bytes(".ze_info", vec![0xff; SIZE]).build().bytes
    }),
    ("ze_info: kernels of one name", || {
        let kernel = ze_info_kernel("k");
        text(format!("kernels:\n{}", kernel.repeat(SIZE / kernel.len())))
    }),
    ("ze_info: escapes", || {
        text(format!("a: \"{}\"\n", "\\x41".repeat(SIZE / 4)))
    }),
    ("ze_info: huge argument indices", || {
        let index = |n: usize| {
            let kernel = ze_info_kernel(&format!("k{n}"));
            kernel.replace("arg_index:       0", "arg_index: 134217727")
        };
        text(format!(
            "kernels:\n{}",
            (0..8000).map(index).collect::<String>()
        ))
    }),
    ("relocations of names without end", endless_names),
    (
        "relocation sections over each other",
        relocations_over_each_other,
    ),
    ("GTPin ranges without end", gtpin),
    ("archives in archives", archives),
    ("150 000 members", members),
    ("syclbin: modules that all have all", modules_that_have_all),
    ("syclbin: texts over each other", texts_of_modules),
    ("offload: strings over each other", strings_over_each_other),
    ("offload: keys without end", keys_without_end),
    ("offload: images over each other", images_over_each_other),
    ("offload: 300 000 empty ones", || {
        Offload::new(2, vec![]).build().repeat(SIZE / 32)
    }),
    ("properties: one key again and again", || {
        properties("a=1|1\n".repeat(SIZE / 6))
    }),
    ("properties: a million sets", || {
        properties((0..1_000_000).map(|i| format!("[{i}]\n")).collect())
    }),
    ("properties: one long line", || {
        properties(format!("a=2|{}", "A".repeat(SIZE)))
    }),
    ("properties: lines that are none", || {
        properties("x\n".repeat(SIZE / 2))
    }),
];

fn text(text: String) -> Vec<u8> {
    small().bytes(".ze_info", text).build().bytes
}

fn notes(bytes: Vec<u8>) -> Vec<u8> {
    small().bytes(".note.intelgt.compat", bytes).build().bytes
}

/// 200 000 relocations of 100 000 symbols, each with its own name in a string table without a NUL.
fn endless_names() -> Vec<u8> {
    let count = 100_000;
    let mut elf = small().symbol(Symbol::new(&"n".repeat(5_000_000), 1, 0, 0));
    for _ in 0..count {
        elf = elf.symbol(Symbol::new("", 1, 1, ".text.k"));
    }
    let list = (0..2 * count).map(|i| Relocation {
        offset: 0,
        symbol: 5 + i % count,
        kind: 2,
        addend: 0,
    });
    *elf.named(".rel.text.k") = Section::relocations(".text.k", list.collect(), false);
    let mut file = elf.build();
    let long = file.symbol_field(4, "st_name");
    let start = get(&file.bytes, long, false);
    for index in 0..count {
        file = file.with_symbol(5 + index as usize, "st_name", start + index);
    }
    file.bytes
}

/// Many relocation sections with all relocations each.
fn relocations_over_each_other() -> Vec<u8> {
    let list = |count| {
        let one = Relocation {
            offset: 0x0c,
            symbol: 3,
            kind: 2,
            addend: 0,
        };
        Section::relocations(".text.k", vec![one; count], false)
    };
    let mut elf = small();
    *elf.named(".rel.text.k") = list(500_000);
    for _ in 0..2000 {
        elf = elf.section(list(1));
    }
    let file = elf.build();
    let (whole, bytes) = (file.content(".rel.text.k"), file.bytes.len());
    let mut file = file;
    let size = size_of(Class::Elf64.section_header());
    for index in 0..file.count() {
        let header = file.section_headers + index * size;
        let kind = header + 4..header + 8;
        if get(&file.bytes, kind, false) == 9 {
            let field = |name| {
                let place = place(Class::Elf64.section_header(), name);
                header + place.start..header + place.end
            };
            file = file.put(field("sh_offset"), whole.start as u64);
            file = file.put(field("sh_size"), whole.len() as u64);
        }
    }
    assert!(bytes < 2 * SIZE);
    file.bytes
}

/// A header, and zero bytes in place of the sections; section 0 has their count.
fn counted(count: u64) -> Vec<u8> {
    let class = Class::Elf64;
    let mut bytes = Elf::new(class).build().bytes;
    bytes.truncate(64);
    bytes.resize(SIZE, 0);
    put(&mut bytes, place(class.header(), "e_shoff"), 64, false);
    put(&mut bytes, place(class.header(), "e_shnum"), 0, false);
    let size = place(class.section_header(), "sh_size");
    put(&mut bytes, 64 + size.start..64 + size.end, count, false);
    bytes
}

/// Random bytes.
fn noise(len: usize) -> Vec<u8> {
    let mut random = super::random::Random::new(len as u64);
    (0..len / 8)
        .flat_map(|_| random.next().to_le_bytes())
        .collect()
}

fn table(kind: u64, entry: u64) -> Vec<u8> {
    let mut section = Section::new(".table", kind, noise(SIZE))
        .link(".strtab")
        .info(1);
    section.entsize = entry;
    small()
        .without(".symtab")
        .without(".rel.text.k")
        .section(section)
        .build()
        .bytes
}

fn names_without_end() -> Vec<u8> {
    let symbols = Section::new(".names", 2, vec![1; SIZE / 2]).link(".text.k");
    let elf = small().without(".symtab").section(symbols);
    let mut elf = elf.bytes(".text.k", vec![b'x'; SIZE / 2]);
    elf.named(".names").entsize = 24;
    elf.named(".text.k").kind = 3;
    elf.build().bytes
}

/// Many sections; `change` sets the fields of each header by index.
fn sections(count: usize, change: impl Fn(usize, &mut dyn FnMut(&str, u64))) -> Vec<u8> {
    let class = Class::Elf64;
    let mut elf = Elf::new(class);
    for _ in 0..count {
        elf = elf.section(Section::new("s", 1, []));
    }
    elf = elf.section(Section::new(".rest", 1, noise(SIZE - count * 64)));
    let built = elf.build();
    let (headers, mut bytes) = (built.section_headers, built.bytes);
    let fields = class.section_header();
    for index in 1..=count {
        let start = headers + index * size_of(fields);
        change(index, &mut |field, value| {
            let at = place(fields, field);
            put(&mut bytes, start + at.start..start + at.end, value, false);
        });
    }
    bytes
}

fn tables_over_each_other() -> Vec<u8> {
    let kinds = [
        2,
        3,
        4,
        7,
        9,
        11,
        0xff00_0011,
        0xff00_0012,
        0xff00_0014,
        0xff00_0009,
    ];
    sections(80_000, |index, set| {
        set("sh_type", kinds[index % kinds.len()]);
        set("sh_offset", 0);
        set("sh_size", SIZE as u64);
        set("sh_link", index as u64 - 1);
        set("sh_info", index as u64 / 2);
        set("sh_entsize", 24);
    })
}

fn texts_over_each_other() -> Vec<u8> {
    sections(80_000, |index, set| {
        set("sh_type", [0xff00_0013, 0xff00_0011, 3][index % 3]);
        set("sh_offset", index as u64);
        set("sh_size", SIZE as u64 - index as u64);
    })
}

fn parts_in_each_other() -> Vec<u8> {
    sections(80_000, |index, set| {
        set("sh_offset", index as u64 * 16);
        set("sh_size", (SIZE - index * 40) as u64);
    })
}

fn one_long_name() -> Vec<u8> {
    let count = 80_000;
    let mut bytes = sections(count, |_, set| set("sh_name", 1));
    // Replace NULs in the noise, which makes it one name.
    let class = Class::Elf64;
    let fields = class.section_header();
    let headers = super::elf::get(&bytes, place(class.header(), "e_shoff"), false) as usize;
    let rest = headers + (count + 1) * size_of(fields);
    let number = |bytes: &[u8], name| {
        let at = place(fields, name);
        super::elf::get(bytes, rest + at.start..rest + at.end, false) as usize
    };
    let (start, len) = (number(&bytes, "sh_offset"), number(&bytes, "sh_size"));
    bytes[start..start + len].fill(b'n');
    put(
        &mut bytes,
        place(class.header(), "e_shstrndx"),
        0xffff,
        false,
    );
    let link = place(fields, "sh_link");
    put(
        &mut bytes,
        headers + link.start..headers + link.end,
        count as u64 + 1,
        false,
    );
    let flag = place(fields, "sh_type");
    put(&mut bytes, rest + flag.start..rest + flag.end, 3, false);
    bytes
}

fn gtpin() -> Vec<u8> {
    let words = [5u32, 0, 0, 0, u32::MAX, 0, u32::MAX, 0xdead_d00d, u32::MAX];
    let mut bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    bytes.resize(1 << 20, 1);
    let mut elf = small();
    for i in 0..9 {
        elf = elf.section(Section::new(
            format!(".gtpin_info.k{i}"),
            0xff00_0012,
            &*bytes,
        ));
    }
    elf.build().bytes
}

fn member(name: &str, data: &[u8]) -> Vec<u8> {
    let size = data.len();
    let mut bytes =
        format!("{name:<16}{:<12}{:<6}{:<6}{:<8}{size:<10}`\n", 0, 0, 0, 644).into_bytes();
    bytes.extend(data);
    if size % 2 == 1 {
        bytes.push(b'\n');
    }
    bytes
}

fn archives() -> Vec<u8> {
    let mut bytes = vec![b'x'; SIZE - 140_000];
    for _ in 0..2000 {
        let inner = member("a/", &bytes);
        bytes = b"!<arch>\n".to_vec();
        bytes.extend(inner);
    }
    bytes
}

fn members() -> Vec<u8> {
    let one = member("64.12.0.0/", b"!<arch>\n");
    let mut bytes = b"!<arch>\n".to_vec();
    bytes.extend(one.repeat(SIZE / one.len()));
    bytes
}

/// A SYCLBIN whose only abstract module has this text.
fn properties(text: String) -> Vec<u8> {
    let mut syclbin = Syclbin::small();
    syclbin.modules[0].text = Text(format!("[s]\n{text}").into_bytes());
    syclbin.v1()
}

/// Header of a SYCLBIN with these numbers of abstract and IR modules.
fn syclbin_head(modules: u32, ir: u32, metadata: u64) -> Vec<u8> {
    let mut file = words(&[0x5359_4249, 1, modules, ir, 0, 0]);
    for number in [metadata, 8, 0, 0] {
        file.extend(number.to_le_bytes());
    }
    file
}

fn modules_that_have_all() -> Vec<u8> {
    let count = 150_000;
    let mut file = syclbin_head(count, count, 0);
    let module = [words(&[0; 4]), words(&[count, 0, 0, 0])].concat();
    file.extend(module.repeat(count as usize));
    file.extend(vec![0; 32 * count as usize + 8]);
    file
}

fn texts_of_modules() -> Vec<u8> {
    let (count, len) = (40_000, 1_000_000u64);
    let mut file = syclbin_head(count, 0, len);
    let module = [0u64.to_le_bytes(), len.to_le_bytes(), [0; 8], [0; 8]].concat();
    file.extend(module.repeat(count as usize));
    file.extend("[s]\nkey=1|1\n".repeat(len as usize / 12 + 1).into_bytes());
    file
}

/// An OffloadBinary that repeats this entry, followed by these bytes.
fn again(numbers: [u64; 4], behind: Vec<u8>) -> Vec<u8> {
    let count = 120_000;
    let mut file = vec![0x10, 0xff, 0x10, 0xad, 2, 0, 0, 0];
    let size = 32 + 40 * count + behind.len() as u64;
    for number in [size, 32, count] {
        file.extend(number.to_le_bytes());
    }
    let mut entry = vec![1, 0, 8, 0, 0, 0, 0, 0];
    entry.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
    file.extend(entry.repeat(count as usize));
    file.extend(behind);
    file
}

/// Offset of the first byte after the entries of [`again`].
const BEHIND: u64 = 32 + 40 * 120_000;

fn strings_over_each_other() -> Vec<u8> {
    let record = [BEHIND, BEHIND, 1].map(u64::to_le_bytes).concat();
    let count = 200_000;
    again([BEHIND, count, 0, 0], record.repeat(count as usize))
}

fn keys_without_end() -> Vec<u8> {
    let record = [BEHIND + 24, BEHIND + 24, 1].map(u64::to_le_bytes).concat();
    again([BEHIND, 1, 0, 0], [record, vec![b'k'; 5_000_000]].concat())
}

fn images_over_each_other() -> Vec<u8> {
    let mut inner = vec![0; 8];
    for _ in 0..8 {
        let entries = vec![Entry::of_kind(1, inner.clone()); 8];
        inner = Offload::new(2, entries).build();
        inner.truncate(5_000_000);
    }
    let len = inner.len() as u64;
    again([0, 0, BEHIND, len], inner)
}
