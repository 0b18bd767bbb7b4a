//! Malformed files with one fault each, named after the fault.

use super::damage::Mutant;
use super::elf::{Class, Elf, Index, Relocation, Section, Symbol};
use super::notes::{Notes, battlemage};
use super::zebin::{small, zebin, zebin_of};

fn case(what: &str, bytes: impl Into<Vec<u8>>) -> Mutant {
    Mutant {
        what: what.to_owned(),
        bytes: bytes.into(),
    }
}

/// Returns all of them; they are small.
pub fn malformed() -> Vec<Mutant> {
    let mut all = no_elf();
    all.extend(headers());
    all.extend(sections());
    all.extend(tables());
    all.extend(notes());
    all.extend(texts());
    all
}

fn no_elf() -> Vec<Mutant> {
    let mut head = small().build().bytes;
    head.truncate(63);
    vec![
        case("empty", []),
        case("one-byte", [0x7f]),
        case("one-zero-byte", [0]),
        case("magic-only", *b"\x7fELF"),
        case("ident-only", head[..16].to_vec()),
        case("header-cut-by-one", head),
        case("text", "Not a binary at all, but words.\nOn two lines.\n"),
        case("zeros", [0; 4096]),
        case("ones", [0xff; 4096]),
        case("archive-magic", *b"!<arch>\n"),
        case("spirv", [3, 2, 0x23, 7, 0, 0, 1, 0]),
    ]
}

fn headers() -> Vec<Mutant> {
    let built = || small().build();
    let narrow = || zebin_of(Class::Elf32, &["k"]).build();
    let header =
        |what: &str, field: &str, value| case(what, built().with_header(field, value).bytes);
    let ident = |what: &str, at, value| case(what, built().with_bytes(at, &[value]).bytes);
    vec![
        ident("class-zero", 4, 0),
        ident("class-narrow-in-a-wide-file", 4, 1),
        case(
            "class-wide-in-a-narrow-file",
            narrow().with_bytes(4, &[2]).bytes,
        ),
        ident("data-encoding-zero", 5, 0),
        ident("data-encoding-big-in-a-little-file", 5, 2),
        header("section-headers-at-the-end-of-numbers", "e_shoff", u64::MAX),
        header("section-headers-at-4-gib", "e_shoff", 1 << 32),
        header("section-headers-at-the-sign", "e_shoff", 1 << 63),
        header("section-headers-over-the-header", "e_shoff", 0),
        header("section-headers-odd", "e_shoff", 65),
        case(
            "section-headers-at-the-end-of-numbers-32",
            narrow().with_header("e_shoff", 0xffff_ffff).bytes,
        ),
        header("section-count-largest", "e_shnum", 0xffff),
        header("section-count-zero", "e_shnum", 0),
        header("section-count-one", "e_shnum", 1),
        header("section-header-size-zero", "e_shentsize", 0),
        header("section-header-size-small", "e_shentsize", 63),
        header("section-header-size-large", "e_shentsize", 0xffff),
        header("section-header-size-72", "e_shentsize", 72),
        header("section-names-in-null", "e_shstrndx", 0),
        header("section-names-in-code", "e_shstrndx", 1),
        header("section-names-nowhere", "e_shstrndx", 99),
        header("section-names-extended", "e_shstrndx", 0xffff),
        header("header-size-wrong", "e_ehsize", 7),
        header("type-legacy", "e_type", 0xff12),
        header("type-debug", "e_type", 2),
        header("type-container", "e_type", 3),
        header("type-opencl", "e_type", 0xff04),
        header("machine-host", "e_machine", 62),
        header("flags-set", "e_flags", 0xffff_ffff),
        case(
            "segments-nowhere",
            built()
                .with_header("e_phnum", 3)
                .with_header("e_phoff", u64::MAX)
                .bytes,
        ),
        case(
            "segments-over-everything",
            built()
                .with_header("e_phnum", 0xffff)
                .with_header("e_phentsize", 1)
                .bytes,
        ),
        case("many-sections-in-section-zero", {
            let built = built().with_header("e_shnum", 0);
            let size = built.section_headers + 32;
            built.put(size..size + 8, 1 << 32).bytes
        }),
        case("most-sections-in-section-zero", {
            let built = built().with_header("e_shnum", 0);
            let size = built.section_headers + 32;
            built.put(size..size + 8, u64::MAX).bytes
        }),
    ]
}

fn sections() -> Vec<Mutant> {
    let built = || small().build();
    let field = |what: &str, section: &str, field: &str, value| {
        case(what, built().with_section(section, field, value).bytes)
    };
    let narrow = zebin_of(Class::Elf32, &["k"]).build();
    vec![
        field("section-offset-largest", ".text.k", "sh_offset", u64::MAX),
        field(
            "section-offset-just-outside",
            ".text.k",
            "sh_offset",
            built().bytes.len() as u64 + 1,
        ),
        field("section-size-largest", ".text.k", "sh_size", u64::MAX),
        field("section-size-4-gib", ".ze_info", "sh_size", 1 << 32),
        field("section-size-zero", ".ze_info", "sh_size", 0),
        field("section-size-one-more", ".strtab", "sh_size", 1 << 40),
        field("section-type-unknown", ".text.k", "sh_type", 0xff00_0099),
        field("section-type-null", ".text.k", "sh_type", 0),
        field("section-type-nobits", ".text.k", "sh_type", 8),
        field("section-type-notes", ".text.k", "sh_type", 7),
        field("section-type-symbols", ".text.k", "sh_type", 2),
        field("section-type-strings", ".text.k", "sh_type", 3),
        field("section-type-gtpin", ".text.k", "sh_type", 0xff00_0012),
        field("section-type-spirv", ".text.k", "sh_type", 0xff00_0009),
        field("section-type-misc", ".text.k", "sh_type", 0xff00_0014),
        field("section-type-visaasm", ".text.k", "sh_type", 0xff00_0013),
        field(
            "section-type-second-ze-info",
            ".text.k",
            "sh_type",
            0xff00_0011,
        ),
        field("section-name-nowhere", ".text.k", "sh_name", 0xffff_ffff),
        field("section-name-empty", ".text.k", "sh_name", 0),
        field("section-over-the-whole-file", ".text.k", "sh_offset", 0),
        case("section-wraps-64", {
            let b = built().with_section(".text.k", "sh_offset", u64::MAX - 0xff);
            b.with_section(".text.k", "sh_size", 0x1000).bytes
        }),
        case("section-wraps-32", {
            let b = narrow
                .clone()
                .with_section(".text.k", "sh_offset", 0xffff_ff00);
            b.with_section(".text.k", "sh_size", 0x1000).bytes
        }),
        case("all-sections-over-the-whole-file", {
            let mut b = built();
            let len = b.bytes.len() as u64;
            for name in [
                ".text.k",
                ".symtab",
                ".ze_info",
                ".rel.text.k",
                ".note.intelgt.compat",
            ] {
                b = b
                    .with_section(name, "sh_offset", 0)
                    .with_section(name, "sh_size", len);
            }
            b.bytes
        }),
        case("sections-one-in-the-other", {
            let b = built();
            let ze_info = b.content(".ze_info");
            let at = ze_info.start as u64 + 16;
            b.with_section(".text.k", "sh_offset", at)
                .with_section(".text.k", "sh_size", 64)
                .bytes
        }),
        case("sections-cross", {
            let b = built();
            let ze_info = b.content(".ze_info");
            let at = ze_info.end as u64 - 16;
            b.with_section(".text.k", "sh_offset", at)
                .with_section(".text.k", "sh_size", 64)
                .bytes
        }),
        case("names-that-look-like-paths", {
            let elf = small().section(Section::new(".text.a/b%2F#2", 1, [1; 32]));
            let elf = elf
                .section(Section::new("[3]", 1, [2; 8]))
                .section(Section::new("7", 1, [3; 8]));
            elf.section(Section::new("x#2", 1, [4; 8]))
                .section(Section::new("x", 1, [5; 8]))
                .section(Section::new("x", 1, [6; 8]))
                .section(Section::new("..", 1, [7; 8]))
                .build()
                .bytes
        }),
        case("names-that-are-not-utf-8", {
            let elf = small().section(Section::new(b".text.\xff\xfe\x80", 1, [1; 32]));
            elf.section(Section::new(b".text.\xe2\x80\xaeevil\n", 1, [1; 32]))
                .build()
                .bytes
        }),
        case("name-of-64-kb", {
            let name = "n".repeat(65_000);
            zebin(&[name]).build().bytes
        }),
        case("sections-twice", {
            let mut elf = small();
            let again = elf.sections.clone();
            elf.sections.extend(again);
            elf.build().bytes
        }),
        case("gap-and-trailing-bytes", {
            let mut bytes = built().bytes;
            bytes.extend(b"something at the end that nobody speaks of");
            bytes
        }),
        case("strings-without-end", {
            let b = built();
            let strings = b.content(".strtab");
            let len = strings.len();
            b.with_bytes(strings.start, &vec![b'x'; len]).bytes
        }),
    ]
}

fn tables() -> Vec<Mutant> {
    let built = || small().build();
    let symbol =
        |what: &str, field: &str, value| case(what, built().with_symbol(2, field, value).bytes);
    let relocated = |relocation| {
        let list = vec![relocation];
        small()
            .section(Section::relocations(".text.k", list, true))
            .build()
            .bytes
    };
    let entry = Relocation {
        offset: 0,
        symbol: 1,
        kind: 1,
        addend: -5,
    };
    vec![
        symbol("symbol-name-nowhere", "st_name", 0xffff_ffff),
        symbol("symbol-section-nowhere", "st_shndx", 0x7777),
        symbol("symbol-section-reserved", "st_shndx", 0xfff1),
        symbol("symbol-value-largest", "st_value", u64::MAX),
        symbol("symbol-size-largest", "st_size", u64::MAX),
        symbol("symbol-info-unknown", "st_info", 0xff),
        symbol("symbol-other-unknown", "st_other", 0xff),
        case(
            "symbols-cut",
            built().with_section(".symtab", "sh_size", 61).bytes,
        ),
        case(
            "symbols-entry-size-zero",
            built().with_section(".symtab", "sh_entsize", 0).bytes,
        ),
        case(
            "symbols-without-names",
            built().with_section(".symtab", "sh_link", 0).bytes,
        ),
        case("symbols-named-by-themselves", {
            let b = built();
            let index = b.index(".symtab") as u64;
            b.with_section(".symtab", "sh_link", index).bytes
        }),
        case("symbols-over-each-other", {
            let text = ".text.k";
            let elf = small().symbol(Symbol::new("a", 1, 2, text).at(8, 40));
            let elf = elf.symbol(Symbol::new("b", 1, 2, text).at(0x18, 400));
            elf.symbol(Symbol::new("c", 1, 2, text).at(u64::MAX, u64::MAX))
                .build()
                .bytes
        }),
        case("relocation-addend", relocated(entry)),
        case(
            "relocation-symbol-nowhere",
            relocated(Relocation {
                symbol: 0xffff_ffff,
                ..entry
            }),
        ),
        case(
            "relocation-offset-largest",
            relocated(Relocation {
                offset: u64::MAX,
                ..entry
            }),
        ),
        case(
            "relocation-type-unknown",
            relocated(Relocation {
                kind: 0xffff,
                ..entry
            }),
        ),
        case("relocation-of-itself", {
            let b = built();
            let index = b.index(".rel.text.k") as u64;
            b.with_section(".rel.text.k", "sh_info", index).bytes
        }),
        case(
            "relocations-without-symbols",
            small().without(".symtab").build().bytes,
        ),
        case(
            "relocations-odd",
            built().with_section(".rel.text.k", "sh_size", 21).bytes,
        ),
        case("big-endian", {
            let mut elf = small().big_endian();
            let notes = battlemage(Notes::big_endian());
            elf = elf.bytes(".note.intelgt.compat", notes);
            elf.build().bytes
        }),
        case("big-endian-narrow", {
            let elf = zebin_of(Class::Elf32, &["k"]).big_endian();
            elf.bytes(".note.intelgt.compat", battlemage(Notes::big_endian()))
                .build()
                .bytes
        }),
        case("narrow", zebin_of(Class::Elf32, &["k", "l"]).build().bytes),
        case("segments", {
            let mut elf = Elf { kind: 2, ..small() };
            elf.segments
                .push(vec![("p_type", 1), ("p_offset", 0x80), ("p_filesz", 0x20)]);
            elf.segments
                .push(vec![("p_type", 7), ("p_offset", u64::MAX), ("p_filesz", 2)]);
            elf.build().bytes
        }),
        case("dangling-everything", {
            let mut elf = small();
            for section in &mut elf.sections {
                (section.link, section.info) = (Index::Number(77), Index::Number(78));
            }
            elf.build().bytes
        }),
    ]
}

fn notes() -> Vec<Mutant> {
    let with = |what: &str, notes: Vec<u8>| {
        case(
            what,
            small().bytes(".note.intelgt.compat", notes).build().bytes,
        )
    };
    let new = Notes::new;
    vec![
        with("notes-empty", Vec::new()),
        with("notes-one-byte", vec![8]),
        with("notes-zero", vec![0; 64]),
        with(
            "notes-largest-sizes",
            new()
                .lying(u32::MAX, u32::MAX, b"IntelGT\0", 1, &[1; 4])
                .build(),
        ),
        with(
            "notes-largest-name",
            new().lying(u32::MAX, 0, b"IntelGT\0", 1, &[]).build(),
        ),
        with(
            "notes-largest-description",
            new().lying(8, u32::MAX, b"IntelGT\0", 1, &[]).build(),
        ),
        with(
            "notes-foreign",
            new().note(b"GNU\0", 3, &[7; 20]).number(1, 1270).build(),
        ),
        with(
            "notes-foreign-text",
            new()
                .note(b"OTHER\0", 1, b"words\0")
                .number(1, 1270)
                .build(),
        ),
        with(
            "notes-without-owner",
            new().note(b"", 1, &[7; 4]).number(1, 1270).build(),
        ),
        with(
            "notes-owner-without-end",
            new().note(b"IntelGT", 1, &[7; 4]).build(),
        ),
        with(
            "notes-empty-description",
            new().intel(1, &[]).intel(6, &[]).build(),
        ),
        with("notes-long-description", new().intel(6, &[1; 12]).build()),
        with(
            "notes-odd-description",
            new().intel(6, &[1; 5]).number(1, 1270).build(),
        ),
        with("notes-last-without-padding", {
            let mut bytes = new().number(1, 1270).intel(4, b"1.73\0").build();
            bytes.truncate(bytes.len() - 3);
            bytes
        }),
        with(
            "notes-version-odd",
            new().number(1, 1270).intel(4, b"one\0").build(),
        ),
        with(
            "notes-version-long",
            new().number(1, 1270).intel(4, &[b'1'; 5000]).build(),
        ),
        with("notes-twice", new().number(1, 1270).number(1, 1271).build()),
        with(
            "notes-unknown-type",
            new()
                .number(1, 1270)
                .number(99, 5)
                .intel(u32::MAX, &[])
                .build(),
        ),
        with(
            "notes-all-bits",
            new().number(3, u32::MAX).number(6, u32::MAX).build(),
        ),
        with(
            "notes-openmp",
            new()
                .note(b"INTELONEOMPOFFLOAD\0", 3, b"0\x001\x00-g\x00")
                .build(),
        ),
    ]
}

fn texts() -> Vec<Mutant> {
    let with = |what: &str, text: &[u8]| case(what, small().bytes(".ze_info", text).build().bytes);
    let deep: String = (0..3000)
        .map(|i| format!("{}a:\n", " ".repeat(i)))
        .collect();
    let flow = format!("a: {}", "[".repeat(5000));
    let gtpin = |what: &str, bytes: &[u8]| {
        let section = Section::new(".gtpin_info.k", 0xff00_0012, bytes).info(2);
        case(what, small().section(section).build().bytes)
    };
    let words = |words: &[u32]| {
        words
            .iter()
            .flat_map(|w| w.to_le_bytes())
            .collect::<Vec<u8>>()
    };
    let misc = |what: &str, name: &str, bytes: &[u8]| {
        case(
            what,
            small()
                .section(Section::new(name, 0xff00_0014, bytes))
                .build()
                .bytes,
        )
    };
    vec![
        with("ze-info-nul", b"\0"),
        with("ze-info-blank", b"\n\n  \n"),
        with("ze-info-comment", b"# nothing\n"),
        with("ze-info-scalar", b"words"),
        with("ze-info-sequence", b"- a\n- b\n"),
        with("ze-info-two-documents", b"---\nversion: '1.73'\n---\nversion: '1.74'\n...\n"),
        with("ze-info-anchors", b"---\na: &x 1\nb: *x\nc: |\n  block\n  text\n...\n"),
        with("ze-info-tabs", b"---\nkernels:\n\t- name:\tk\n\t  a:\t1\n...\n"),
        with("ze-info-windows-lines", b"---\r\nversion: '1.73'\r\nkernels:\r\n  - name: k\r\n...\r\n"),
        with("ze-info-not-utf-8", b"---\nversion: '1.73'\nkernels:\n  - name: \xff\xfe\n...\n"),
        with("ze-info-duplicate-keys", b"---\nversion: '1.73'\nversion: '1.74'\nkernels: []\nkernels: []\n...\n"),
        with("ze-info-numbers", b"a: 0x10\nb: -1\nc: 18446744073709551615\nd: 1e3\ne: 99999999999999999999\nf: 010\ng: +5\nh: -0\ni: 0xffffffffffffffff\nj: .5\nk: true\nl: True\nm: null\nn: ~\n"),
        with("ze-info-quotes", b"a: 'it''s'\nb: \"q\\\"\\n\\x41\\u00e9\"\nc: 'open\nd: \"open\ne: ''\nf: \"\"\n'g': 1\n\"h\": 2\n"),
        with("ze-info-no-newline-at-the-end", b"---\nversion: '1.73'\nkernels:\n  - name: k"),
        with("ze-info-trailing-nuls", b"---\nversion: '1.73'\nkernels:\n  - name: k\n...\n\0\0\0\0"),
        with("ze-info-deep", deep.as_bytes()),
        with("ze-info-flow-deep", flow.as_bytes()),
        with("ze-info-flow-odd", b"a: [ 1, {b: 2}, , ]\nb: [\n 1,\n 2 ]\nc: [ 1 ] x\nd: [ '1', \"2\" ]\n"),
        with("ze-info-only-markers", b"---\n...\n---\n...\n"),
        with("ze-info-bytes", &[0x80; 300]),
        gtpin("gtpin-empty", &[]),
        gtpin("gtpin-three-bytes", &[5, 0, 0]),
        gtpin("gtpin-version-0", &words(&[0, 0, 0])),
        gtpin("gtpin-version-1", &words(&[1, 0, 8, 1, 1, 13, 0x40]).into_iter().chain([9]).collect::<Vec<_>>()),
        gtpin("gtpin-all-tokens", &words(&[
            5, 0, 64, 20, 5, 0, 28, 0xdead_d00d, 2, 0x0008_0010, 0x0010_0040, 0xdead_beef, 1, 16, 0, 64, 2, 16, 128, 256,
            3, 12, 128, 4, 20, 1, 0x40, 0x0020_0100,
        ])),
        gtpin("gtpin-token-too-short", &words(&[5, 0, 0, 0, 3, 0, 4, 3, 12, 128])),
        gtpin("gtpin-token-count-largest", &words(&[5, 0, 0, 0, u32::MAX, 3, 12, 128])),
        gtpin("gtpin-token-size-largest", &words(&[5, 0, 0, 0, 1, 3, u32::MAX, 128])),
        gtpin("gtpin-range-count-largest", &words(&[5, 0, 0, 0, 1, 0, 24, 0xdead_d00d, u32::MAX, 1, 2])),
        gtpin("gtpin-unknown-token", &words(&[5, 0, 0, 0, 2, 99, 12, 7, 3, 12, 128, 0])),
        gtpin("gtpin-version-unknown", &words(&[9, 0, 0, 0, 0])),
        misc("constants-odd", ".misc.specConstantsIds", &[1; 7]),
        misc("constants-values-odd", ".misc.specConstantsValues", &[1; 15]),
        misc("options-not-utf-8", ".misc.buildOptions", b"-g \xff\0-O0\n"),
        misc("misc-unknown", ".misc.other", &[1; 7]),
        case("code-cut", small().bytes(".text.k", [0x61; 23]).build().bytes),
        case("code-empty", small().bytes(".text.k", []).build().bytes),
        case("metrics-hidden", {
            let mut bytes = vec![0; 64];
            bytes.extend(b"n/a");
            let mut elf = small().bytes(".note.intelgt.metrics", bytes);
            elf.named(".note.intelgt.metrics").size = Some(3);
            elf.build().bytes
        }),
        case("visaasm-bytes", {
            let mut text = b"line\n".repeat(700);
            text.extend(b"\xff\xfe no end");
            small().section(Section::new(".visaasm.k", 0xff00_0013, text)).build().bytes
        }),
        case("strings-without-nul", {
            small().section(Section::new(".data.const.string", 1, b"no end")).build().bytes
        }),
    ]
}
