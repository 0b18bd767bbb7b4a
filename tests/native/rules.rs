//! Every rule fires where it should, at the faulty bytes, and stays silent elsewhere. A rule
//! without a case fails the last test.

mod packages;
mod syclbin;

use std::ops::Range;

use crate::support::elf::{Built, Class, Elf, Relocation, Section, Symbol};
use crate::support::igc_debug::{Kernel, Program, program};
use crate::support::notes::{Notes, battlemage};
use crate::support::spirv;
use crate::support::zebin::{small, ze_info};
use crate::support::{compressed, containers, elf, hosts};
use zeview::decode::compression::Method;
use zeview::decode::decode;
use zeview::decode::rule::Rule;
use zeview::decode::rules as r;
use zeview::model::{ByteSource, Bytes, Document, MemorySource, SourceError, SourceId, Span};

/// A file in which a rule fires, and a similar one in which it does not.
pub struct Case {
    rule: &'static Rule,
    fires: Vec<u8>,
    /// Bytes of the finding; `None` accepts any.
    at: Option<Range<usize>>,
    silent: Vec<u8>,
}

/// The rule fires at these bytes, and not in a correct file.
fn case(rule: &'static Rule, file: Built, at: Range<usize>) -> Case {
    Case {
        rule,
        fires: file.bytes,
        at: Some(at),
        silent: small().build().bytes,
    }
}

impl Case {
    /// Adds a file in which the rule does not fire.
    fn silent_in(mut self, silent: impl Into<Vec<u8>>) -> Case {
        self.silent = silent.into();
        self
    }
}

fn bytes(rule: &'static Rule, fires: &[u8], at: Range<usize>, silent: &[u8]) -> Case {
    Case {
        rule,
        fires: fires.to_vec(),
        at: Some(at),
        silent: silent.to_vec(),
    }
}

/// A kernel that the compiler has dropped.
fn only_in_spirv() -> Case {
    let with = |name: &str| {
        let module = spirv::Module::new(9)
            .op(14, &[2, 2])
            .op_text(15, &[6, 1], name)
            .build();
        small()
            .section(Section::new(".spv", 0xff00_0009, module))
            .build()
    };
    let fires = with("lost");
    let at = fires.find(".spv", b"lost");
    case(&r::ZEBIN_KERNEL_ONLY_IN_SPIRV, fires, at).silent_in(with("k").bytes)
}

fn built() -> Built {
    small().build()
}

/// Changes a field of the ELF header.
fn header(rule: &'static Rule, field: &str, value: u64) -> Case {
    let file = built().with_header(field, value);
    let at = file.header(field);
    case(rule, file, at)
}

/// Changes a field of a section's header; the finding is at the field.
fn field(rule: &'static Rule, section: &str, field: &str, value: u64) -> Case {
    let file = built().with_section(section, field, value);
    let at = file.section_field(section, field);
    case(rule, file, at)
}

/// Changes a field of a section's header; the finding is at the whole header.
fn of_header(rule: &'static Rule, section: &str, field: &str, value: u64) -> Case {
    let file = built().with_section(section, field, value);
    let at = file.section_header(section);
    case(rule, file, at)
}

/// Adds a section; the finding is at its header.
fn with_section(rule: &'static Rule, name: &str, kind: u64, bytes: &[u8]) -> Case {
    let file = small().section(Section::new(name, kind, bytes)).build();
    let at = file.section_header(name);
    case(rule, file, at)
}

const COMPAT: &str = ".note.intelgt.compat";

/// Replaces the notes; the finding is at these of their bytes.
fn notes(rule: &'static Rule, notes: Vec<u8>, at: Range<usize>) -> Case {
    let file = small().bytes(COMPAT, notes).build();
    let start = file.content(COMPAT).start;
    case(rule, file, start + at.start..start + at.end)
}

/// Replaces `.ze_info`; the finding is at the first occurrence of these words.
fn text(rule: &'static Rule, text: &str, words: &str) -> Case {
    let file = small().bytes(".ze_info", text).build();
    let at = file.find(".ze_info", words.as_bytes());
    case(rule, file, at)
}

/// Replaces a piece of the default `.ze_info`.
fn replaced(rule: &'static Rule, old: &str, new: &str, words: &str) -> Case {
    let usual = ze_info(&["k"]);
    assert!(usual.contains(old), "no {old}");
    text(rule, &usual.replacen(old, new, 1), words)
}

/// Returns an archive with one member.
fn archive(size: &str, end: &str, data: &[u8]) -> Vec<u8> {
    let mut file = b"!<arch>\n".to_vec();
    let header = format!(
        "{:<16}{:<12}{:<6}{:<6}{:<8}{size:<10}{end}",
        "a/", 0, 0, 0, 644
    );
    file.extend(header.bytes());
    file.extend(data);
    file
}

/// Returns the files in which a rule fires.
pub fn firing() -> Vec<(&'static Rule, Vec<u8>)> {
    let cases = cases().into_iter();
    cases.map(|case| (case.rule, case.fires)).collect()
}

fn cases() -> Vec<Case> {
    let mut all = files();
    all.extend(compression());
    all.extend(containers());
    all.extend(elf_header());
    all.extend(elf_sections());
    all.extend(elf_tables());
    all.extend(limits_and_layout());
    all.extend(zebin_sections());
    all.extend(zebin_notes());
    all.extend(spirv_and_debug_data());
    all.extend(ze_info_text());
    all.extend(ze_info_keys());
    all.extend(syclbin::cases());
    all.extend(packages::zips());
    all.extend(packages::folders());
    all.extend(packages::tars());
    all.extend(packages::gzips());
    all
}

fn files() -> Vec<Case> {
    let usual = built().bytes;
    let good = archive("4", "`\n", b"data");
    vec![
        bytes(&r::EMPTY_FILE, b"", 0..0, b"x"),
        bytes(&r::UNRECOGNIZED, b"words", 0..5, &usual),
        bytes(
            &r::AR_HEADER,
            &archive("four", "`\n", b"data"),
            8 + 48..8 + 58,
            &good,
        ),
        bytes(&r::AR_HEADER, &archive("4", "xx", b"data"), 8..68, &good),
        bytes(
            &r::AR_MEMBER_OUT_OF_BOUNDS,
            &archive("5", "`\n", b"data"),
            8 + 48..8 + 58,
            &good,
        ),
    ]
}

/// Returns a compressed section with these numbers in its header.
fn compressed(kind: u32, size: u64, stream: &[u8]) -> Built {
    let section = compressed::section(".debug_loc", kind, size, stream);
    small().section(section).build()
}

fn compression() -> Vec<Case> {
    let stream = compressed::stream(Method::Zlib, &[7; 1000]);
    let good = compressed(1, 1000, &stream).bytes;
    // The stream of the section, or the first bytes of its header.
    let part = |rule: &'static Rule, file: Built, part: Range<usize>| {
        let start = file.content(".debug_loc").start;
        case(rule, file, start + part.start..start + part.end).silent_in(good.clone())
    };
    let stream_at = 24..24 + stream.len();
    let mut flipped = stream.clone();
    flipped[5] ^= 0x40;
    let mut short = compressed(1, 1000, &[]);
    let field = short.section_field(".debug_loc", "sh_size");
    short = short.put(field, 23);
    vec![
        part(&r::ELF_COMPRESSION_HEADER, short, 0..23),
        part(&r::ELF_COMPRESSION_TYPE, compressed(3, 1000, &stream), 0..4),
        part(
            &r::PACKED_DAMAGED,
            compressed(1, 1000, &flipped),
            stream_at.clone(),
        ),
        part(
            &r::PACKED_DAMAGED,
            compressed(2, 1000, &stream),
            stream_at.clone(),
        ),
        part(
            &r::PACKED_DAMAGED,
            compressed(1, 1000, &stream[..9]),
            24..33,
        ),
        part(
            &r::UNPACKED_SIZE,
            compressed(1, 999, &stream),
            stream_at.clone(),
        ),
        part(&r::UNPACKED_SIZE, compressed(1, 1001, &stream), stream_at),
        too_much_unpacked(),
    ]
}

/// Returns a stream that unpacks to 300 MB.
fn too_much_unpacked() -> Case {
    let stream = compressed::bomb(2400);
    let file = compressed(2, u64::MAX, &stream);
    let start = file.content(".debug_loc").start;
    case(
        &r::UNPACKED_TOO_LARGE,
        file,
        start + 24..start + 24 + stream.len(),
    )
}

fn containers() -> Vec<Case> {
    let host = hosts::usual(
        elf::Class::Elf64,
        3,
        &spirv::kernel().build(),
        &built().bytes,
    )
    .build();
    let tokens = containers::patch_tokens();
    let bundle = containers::usual_bundle();
    let header = 32 + 24 + "host-x86_64-unknown-linux-gnu".len();
    let packed = containers::packed_bundle(3, Method::Zlib, &bundle);
    let packed_with = |at: usize, byte| {
        let mut file = packed.clone();
        file[at] = byte;
        file
    };
    let coff = containers::coff_object();
    let texts = containers::text_bundle();
    let end = texts.find("; __CLANG_OFFLOAD_BUNDLE____END__").unwrap();
    let start = texts.find(';').unwrap();
    let first = start..texts[start..].find('\n').unwrap() + start + 1;
    let deep = (0..17).fold(small().build().bytes, |bytes, _| {
        containers::archive(&[containers::member("64.20.1.0/", &bytes)])
    });
    let mut big = bundle.clone();
    big[header + 15] = 1;
    let count = containers::bundle_header(70_000, &[]);
    let many = [count, vec![0; 24 * 70_000]].concat();
    vec![
        bytes(&r::PATCH_TOKENS_CUT_OFF, &tokens[..20], 0..20, &tokens),
        bytes(&r::PATCH_TOKENS_CUT_OFF, &tokens[..30], 24..28, &tokens),
        bytes(&r::COFF_HEADER, &coff[..99], 2..4, &coff),
        bytes(&r::COFF_OUT_OF_BOUNDS, &coff[..110], 40..44, &coff),
        bytes(&r::BUNDLE_HEADER, &bundle[..30], 0..30, &bundle),
        bytes(&r::BUNDLE_HEADER, &bundle[..70], 24..32, &bundle),
        bytes(
            &r::BUNDLE_OUT_OF_BOUNDS,
            &big,
            header + 8..header + 16,
            &bundle,
        ),
        bytes(&r::TOO_MANY, &many, 24..32, &bundle),
        bytes(&r::BUNDLE_HEADER, &packed[..31], 0..31, &packed),
        bytes(&r::BUNDLE_VERSION, &packed_with(4, 9), 4..6, &packed),
        bytes(&r::BUNDLE_VERSION, &packed_with(6, 7), 6..8, &packed),
        bytes(
            &r::BUNDLE_OUT_OF_BOUNDS,
            &packed_with(12, 1),
            8..16,
            &packed,
        ),
        bytes(
            &r::BUNDLE_TEXT,
            &texts.as_bytes()[..end],
            first.clone(),
            texts.as_bytes(),
        ),
        Case {
            rule: &r::HOST_STRUCT,
            fires: hosts::with_bad(&host, "struct"),
            at: Some(hosts::field(&host, "struct")),
            silent: host.clone(),
        },
        Case {
            rule: &r::HOST_REFERENCE,
            fires: hosts::with_bad(&host, "reference"),
            at: Some(hosts::field(&host, "reference")),
            silent: host.clone(),
        },
        Case {
            rule: &r::HOST_CARVED,
            fires: hosts::without_index(&host),
            at: None,
            silent: host.clone(),
        },
        Case {
            rule: &r::TOO_DEEP,
            fires: deep,
            at: None,
            silent: containers::ocloc_archive(),
        },
    ]
}

fn elf_header() -> Vec<Case> {
    let usual = built().bytes;
    let len = usual.len() as u64;
    let segments = |offset| {
        let mut elf = small();
        elf.segments
            .push(vec![("p_type", 1), ("p_offset", offset), ("p_filesz", 4)]);
        elf.build()
    };
    let stretched = segments(64).with_header("e_phentsize", 57);
    let stretched_at = stretched.header("e_phentsize");
    let beyond = built()
        .with_header("e_phoff", 1 << 40)
        .with_header("e_phnum", 1);
    let beyond = beyond.with_header("e_phentsize", 56);
    let beyond_at = beyond.header("e_phoff");
    vec![
        bytes(&r::ELF_TRUNCATED_HEADER, &usual[..40], 0..40, &usual[..64]),
        case(&r::ELF_BAD_CLASS, built().with_bytes(4, &[3]), 4..5),
        case(&r::ELF_BAD_DATA, built().with_bytes(5, &[0]), 5..6),
        case(&r::ELF_BIG_ENDIAN, small().big_endian().build(), 5..6),
        header(&r::ELF_HEADER_SIZE, "e_ehsize", 52),
        Case {
            at: Some(built().header("e_shoff")),
            ..header(&r::ELF_SECTION_HEADERS_OUT_OF_BOUNDS, "e_shnum", 0xfff)
        },
        case(&r::ELF_PROGRAM_HEADERS_OUT_OF_BOUNDS, beyond, beyond_at)
            .silent_in(segments(64).bytes),
        // The offset is wrong even without program headers.
        case(
            &r::ELF_PROGRAM_HEADERS_OUT_OF_BOUNDS,
            built().with_header("e_phoff", len + 1),
            built().header("e_phoff"),
        )
        .silent_in(built().with_header("e_phoff", len).bytes),
        header(&r::ELF_SECTION_HEADER_SIZE, "e_shentsize", 65),
        case(&r::ELF_PROGRAM_HEADER_SIZE, stretched, stretched_at).silent_in(segments(64).bytes),
        header(&r::ELF_BAD_SHSTRNDX, "e_shstrndx", 0),
        case(&r::ELF_SEGMENT_OUT_OF_BOUNDS, segments(1 << 30), 72..80)
            .silent_in(segments(64).bytes),
    ]
}

fn elf_sections() -> Vec<Case> {
    let nobits = Section::new(".bss.global", 8, []).size(1 << 40);
    let len = built().bytes.len() as u64;
    let rest = len - built().content(".text.k").start as u64;
    let empty = || small().section(Section::new(".data.const", 1, [])).build();
    let empty_at = |offset| empty().with_section(".data.const", "sh_offset", offset);
    let empty_end = empty().bytes.len() as u64;
    let strings = built().content(".strtab");
    let last = strings.end - ".strtab\0".len()..strings.end - 1;
    let short = built().with_section(".strtab", "sh_size", strings.len() as u64 - 1);
    vec![
        field(&r::ELF_SECTION_OUT_OF_BOUNDS, ".text.k", "sh_offset", len)
            .silent_in(small().section(nobits).build().bytes),
        // The offset is wrong even for an empty section; at the end of the file it may be empty.
        case(
            &r::ELF_SECTION_OUT_OF_BOUNDS,
            empty_at(empty_end + 1),
            empty_at(0).section_field(".data.const", "sh_offset"),
        )
        .silent_in(empty_at(empty_end).bytes),
        // A section may end where the file ends.
        case(
            &r::ELF_SECTION_OUT_OF_BOUNDS,
            built().with_section(".text.k", "sh_size", rest + 1),
            built().section_field(".text.k", "sh_offset"),
        )
        .silent_in(built().with_section(".text.k", "sh_size", rest).bytes),
        field(&r::ELF_SECTION_WRAPS, ".text.k", "sh_offset", u64::MAX - 15),
        field(&r::ELF_SECTION_NAME, ".text.k", "sh_name", 0xffff),
        case(&r::ELF_UNTERMINATED_NAME, short, last),
        case(
            &r::ELF_STRING_TABLE_START,
            built().with_bytes(strings.start, b"x"),
            strings.start..strings.start + 1,
        ),
        of_header(&r::ELF_BAD_LINK, ".symtab", "sh_link", 1),
        of_header(&r::ELF_BAD_LINK, ".rel.text.k", "sh_link", 1),
        of_header(&r::ELF_BAD_INFO, ".rel.text.k", "sh_info", 99),
        of_host(1).silent_in(of_host(3).fires),
        of_header(&r::ELF_ENTRY_SIZE, ".symtab", "sh_entsize", 25),
        of_header(&r::ELF_ENTRY_SIZE, ".rel.text.k", "sh_entsize", 24),
        of_header(&r::ELF_LOCAL_COUNT, ".symtab", "sh_info", 1),
        of_header(&r::ELF_RELOCATION_WITHOUT_SYMBOLS, ".symtab", "sh_type", 1)
            .at_header_of(".rel.text.k"),
    ]
}

impl Case {
    fn at_header_of(mut self, section: &str) -> Case {
        self.at = Some(built().section_header(section));
        self
    }
}

/// Returns a case with a host file of this type. Relocations of an object belong to a section;
/// those of a program belong to the dynamic linker.
fn of_host(file_type: u64) -> Case {
    let mut elf = Elf::new(Class::Elf64);
    elf.machine = 62;
    let list = vec![Relocation {
        offset: 0,
        symbol: 0,
        kind: 8,
        addend: 0,
    }];
    let relocations = Section::relocations("", list, true).info(0);
    let file = elf.section(relocations).build();
    let file = file.with_header("e_type", file_type);
    let at = file.section_header(".rela");
    case(&r::ELF_BAD_INFO, file, at)
}

fn elf_tables() -> Vec<Case> {
    let symbol = |rule, name: &str, value| {
        let file = built().with_symbol(2, name, value);
        let at = file.symbol_field(2, name);
        case(rule, file, at)
    };
    let relocation = |rule, offset, symbol, kind| {
        let list = vec![Relocation {
            offset,
            symbol,
            kind,
            addend: 0,
        }];
        let section = Section::relocations(".ze_info", list, true);
        let file = small().section(section).build();
        let at = file.content(".rela.ze_info");
        case(rule, file, at)
    };
    let end = built().content(".ze_info").len() as u64;
    let symbols = built().content(".symtab");
    let odd = built().with_section(".symtab", "sh_size", symbols.len() as u64 - 20);
    let remainder = symbols.end - 24..symbols.end - 20;
    vec![
        case(&r::ELF_TABLE_REMAINDER, odd, remainder),
        symbol(&r::ELF_SYMBOL_NAME, "st_name", 0x00ff_ffff),
        symbol(&r::ELF_SYMBOL_SECTION, "st_shndx", 77)
            .silent_in(built().with_symbol(2, "st_shndx", 0xfff1).bytes),
        relocation(&r::ELF_RELOCATION_SYMBOL, 0, 99, 2),
        relocation(&r::ELF_RELOCATION_OFFSET, end - 3, 1, 2)
            .silent_in(relocation(&r::ELF_RELOCATION_OFFSET, end - 4, 1, 2).fires),
        relocation(&r::ELF_RELOCATION_OFFSET, u64::MAX, 1, 1),
        relocation(&r::ZEBIN_RELOCATION_TYPE, 0, 1, 8)
            .silent_in(relocation(&r::ZEBIN_RELOCATION_TYPE, 0, 1, 7).fires),
    ]
}

fn limits_and_layout() -> Vec<Case> {
    let usual = built();
    let (text, info) = (usual.content(".text.k"), usual.content(".ze_info"));
    let over = built().with_section(".text.k", "sh_offset", info.start as u64 + 8);
    let mut trailing = usual.bytes.clone();
    trailing.extend(b"trailing bytes");
    let mut zeros = usual.bytes.clone();
    zeros.extend([0; 8]);
    let deep: String = (0..200).map(|i| format!("{}a:\n", " ".repeat(i))).collect();
    // Symbol tables, each over the whole of a large section.
    let mut heap = small().section(Section::new(".debug_x", 1, vec![0; 240_000]));
    for i in 0..100 {
        heap = heap.section(Section::new(format!(".s{i}"), 11, []).link(".strtab"));
    }
    let mut heap = heap.build();
    let large = heap.content(".debug_x");
    for i in 0..100 {
        let name = format!(".s{i}");
        heap = heap.with_section(&name, "sh_offset", large.start as u64);
        heap = heap.with_section(&name, "sh_size", large.len() as u64);
    }
    let gtpin = |len: usize| {
        let section = Section::new(".gtpin_info.k", 0xff00_0012, vec![0; len]).info(2);
        small().section(section).build()
    };
    let large = gtpin((1 << 20) + 1);
    let large_at = large.content(".gtpin_info.k");
    vec![
        case(
            &r::OVERLAP,
            over,
            info.start + 8..info.start + 8 + text.len(),
        ),
        bytes(
            &r::GAP,
            &trailing,
            usual.bytes.len()..trailing.len(),
            &zeros,
        ),
        Case {
            at: None,
            ..replaced(
                &r::TOO_MANY,
                "kernels:",
                &format!("{deep}kernels:"),
                "kernels",
            )
        },
        Case {
            rule: &r::TOO_MUCH,
            fires: heap.bytes,
            at: None,
            silent: usual.bytes.clone(),
        },
        case(&r::TOO_LARGE, large, large_at).silent_in(gtpin(100).bytes),
    ]
}

fn zebin_sections() -> Vec<Case> {
    let misc = |ids: usize, values: usize| {
        let ids = Section::new(".misc.specConstantsIds", 0xff00_0014, vec![1; ids]);
        let values = Section::new(".misc.specConstantsValues", 0xff00_0014, vec![1; values]);
        small().section(ids).section(values).build()
    };
    let ids = misc(8, 8).content(".misc.specConstantsIds");
    let gtpin = |symbol: u64, bytes: &[u8]| {
        let section = Section::new(".gtpin_info.k", 0xff00_0012, bytes).info(symbol);
        small().section(section).build()
    };
    let good: Vec<u8> = [5u32, 0, 0, 0, 1, 3, 12, 128]
        .iter()
        .flat_map(|w| w.to_le_bytes())
        .collect();
    let cut = gtpin(2, &good[..good.len() - 4]);
    let token = cut.content(".gtpin_info.k").start + 20..cut.content(".gtpin_info.k").end;
    let content = |rule, name: &str, kind, bytes: &[u8], at: Range<usize>, silent: &[u8]| {
        let make = |bytes: &[u8]| small().section(Section::new(name, kind, bytes)).build();
        let start = make(bytes).content(name).start;
        case(rule, make(bytes), start + at.start..start + at.end).silent_in(make(silent).bytes)
    };
    let twice = small().section(Section::new(".data.const", 1, [1; 8]));
    let again = twice
        .clone()
        .section(Section::new(".data.const", 1, [2; 8]))
        .build();
    let second = again.section_header(".data.const");
    let second = second.start + 64..second.end + 64;
    let other = small().bytes(".ze_info", ze_info(&["other"])).build();
    let name = other.find(".ze_info", b"other");
    let debug = small().section(Section::new(".debug_x", 1, [1; 8])).build();
    vec![
        of_header(&r::ZEBIN_SECTION_TYPE, ".text.k", "sh_type", 0xff00_0099),
        with_section(&r::ZEBIN_SECTION_NAME, ".other", 1, &[1; 8]).silent_in(debug.bytes),
        with_section(&r::ZEBIN_MISSPELLED, ".data.global_const", 1, &[1; 8])
            .silent_in(twice.build().bytes),
        case(&r::ZEBIN_DUPLICATE_SECTION, again, second).silent_in(twice.build().bytes),
        case(&r::ZEBIN_KERNEL_WITHOUT_TEXT, other, name),
        case(&r::ZEBIN_SPEC_CONSTANTS, misc(8, 8), ids).silent_in(misc(8, 16).bytes),
        Case {
            at: Some(gtpin(1, &good).section_header(".gtpin_info.k")),
            ..case(&r::ZEBIN_GTPIN_SYMBOL, gtpin(1, &good), 0..0).silent_in(gtpin(2, &good).bytes)
        },
        case(&r::ZEBIN_GTPIN_DATA, cut, token).silent_in(gtpin(2, &good).bytes),
        content(
            &r::ZEBIN_IR,
            ".spv",
            0xff00_0009,
            b"what is it",
            0..4,
            b"BC\xc0\xde1234",
        ),
        only_in_spirv(),
        {
            let note = battlemage(Notes::new());
            let note = Section::new(".note.intelgt.compat", 7, note);
            case(
                &r::ZEBIN_NO_CODE,
                Elf::new(Class::Elf64).section(note).build(),
                0..64,
            )
        },
        {
            let mut file = 5840_u64.to_le_bytes().to_vec();
            file.extend(&small().build().bytes);
            let at = 8..file.len();
            bytes(&r::CACHE_SIZE, &file, at, &small().build().bytes)
        },
        content(
            &r::ZEBIN_TEXT_ENCODING,
            ".visaasm.k",
            0xff00_0013,
            b"ab\xff\n",
            2..3,
            "é\n".as_bytes(),
        ),
    ]
}

fn spirv_and_debug_data() -> Vec<Case> {
    let right = spirv::kernel();
    let good = right.build();
    let odd = [&good[..], &[1, 2, 3]].concat();
    let usual = program(vec![Kernel::named("k").visa(b"data")]);
    let debug = |change: fn(&mut Program)| {
        let mut file = usual.clone();
        change(&mut file);
        file.build()
    };
    let silent = usual.build();
    let len = silent.len();
    vec![
        bytes(&r::SPIRV_HEADER, &good[..19], 0..19, &good),
        bytes(
            &r::SPIRV_VERSION,
            &right.clone().with(1, 0x0002_0000).build(),
            4..8,
            &good,
        ),
        bytes(&r::SPIRV_ODD_SIZE, &odd, good.len()..good.len() + 3, &good),
        bytes(&r::IGC_DEBUG_HEADER, &silent[..27], 0..27, &silent),
        bytes(
            &r::IGC_DEBUG_KERNELS,
            &debug(|file| file.count = Some(2)),
            24..28,
            &silent,
        ),
        bytes(
            &r::IGC_DEBUG_OUT_OF_BOUNDS,
            &silent[..len - 1],
            28..40,
            &silent,
        ),
        bytes(
            &r::IGC_DEBUG_NAME_SIZE,
            &debug(|file| file.kernels[0].name_size = Some(2)),
            28..32,
            &silent,
        ),
        bytes(
            &r::IGC_DEBUG_NAME,
            &debug(|file| file.kernels[0].name = b"name".to_vec()),
            28..32,
            &silent,
        ),
        bytes(
            &r::IGC_DEBUG_TRAILING,
            &debug(|file| file.trailing = vec![0; 5]),
            len..len + 5,
            &silent,
        ),
    ]
}

fn zebin_notes() -> Vec<Case> {
    let new = Notes::new;
    let with = |more: Notes| {
        let mut bytes = battlemage(new());
        bytes.extend(more.build());
        bytes
    };
    // Where the first of further notes starts.
    let end = battlemage(new()).len();
    let desc = end + 20..end + 24;
    let mut stray = battlemage(new());
    stray.extend([1, 2, 3, 4, 5]);
    let silent = small().bytes(COMPAT, new().number(7, 10).build()).build();
    let silent_at = silent.section_header(COMPAT);
    vec![
        notes(
            &r::ELF_NOTE_OUT_OF_BOUNDS,
            with(new().lying(8, 400, b"IntelGT\0", 1, &[1; 4])),
            end..end + 8,
        ),
        notes(&r::ELF_NOTE_REMAINDER, stray, end..end + 5),
        notes(
            &r::ZEBIN_NOTE_TYPE,
            with(new().number(9, 1)),
            end + 8..end + 12,
        ),
        notes(
            &r::ZEBIN_NOTE_OWNER,
            with(new().note(b"GNU\0", 1, &[1; 4])),
            end + 12..end + 16,
        ),
        notes(
            &r::ZEBIN_NOTE_OWNER_UNTERMINATED,
            with(new().note(b"IntelGT", 1, &[1; 4])),
            end + 12..end + 19,
        ),
        notes(
            &r::ZEBIN_NOTE_SIZE,
            with(new().intel(5, &[1; 8])),
            end + 20..end + 28,
        ),
        notes(
            &r::ZEBIN_NOTE_SIZE,
            with(new().intel(5, &[])),
            end..end + 20,
        ),
        notes(
            &r::ZEBIN_NOTE_VERSION,
            with(new().intel(4, b"two\0")),
            desc.clone(),
        ),
        notes(
            &r::ZEBIN_NOTE_VERSION,
            with(new().intel(4, b"1.73")),
            desc.clone(),
        ),
        notes(
            &r::ZEBIN_NOTE_DUPLICATE,
            with(new().number(7, 10)),
            end..end + 24,
        ),
        notes(
            &r::ZEBIN_RESERVED_BITS,
            with(new().number(3, 0x0120_0000)),
            desc.clone(),
        ),
        notes(
            &r::ZEBIN_UNKNOWN_DEVICE,
            with(new().number(6, 0x053f_c000)),
            desc.clone(),
        ),
        notes(&r::ZEBIN_UNKNOWN_DEVICE, with(new().number(1, 4711)), desc),
        case(&r::ZEBIN_NO_TARGET, silent, silent_at),
    ]
}

fn ze_info_text() -> Vec<Case> {
    let empty = small().bytes(".ze_info", []).build();
    let empty_at = empty.section_header(".ze_info");
    let mut not_utf8 = ze_info(&["k"]).into_bytes();
    let at = not_utf8
        .windows(10)
        .position(|w| w == b"local_id\n ")
        .expect("there is one");
    not_utf8[at] = 0xff;
    let encoding = small().bytes(".ze_info", not_utf8).build();
    let start = encoding.content(".ze_info").start + at;
    vec![
        case(&r::ZE_INFO_EMPTY, empty, empty_at),
        case(&r::ZE_INFO_ENCODING, encoding, start..start + 1),
        replaced(
            &r::ZE_INFO_SUBSET,
            "name:            k",
            "name: &anchor    k",
            "&anchor",
        ),
        replaced(
            &r::ZE_INFO_SYNTAX,
            "simd_size:       32",
            "simd_size        32",
            "simd_size        32",
        ),
        replaced(
            &r::ZE_INFO_TAB,
            "      simd_size:",
            "\t\tsimd_size:",
            "\t\t",
        ),
        replaced(
            &r::ZE_INFO_DUPLICATE_KEY,
            "addrmode:  ",
            "arg_index: ",
            "arg_index:       stateless",
        )
        .narrow("arg_index".len()),
    ]
}

impl Case {
    /// Accepts a finding at any bytes.
    fn anywhere(mut self) -> Case {
        self.at = None;
        self
    }

    /// Expects only the first `len` bytes.
    fn narrow(mut self, len: usize) -> Case {
        if let Some(at) = &mut self.at {
            at.end = at.start + len;
        }
        self
    }
}

/// A key of version 1.24 in a text with an older version.
fn newer_key() -> Case {
    let usual = ze_info(&["k"]).replace("has_no_stateless_write: true", "eu_thread_count: 8");
    let silent = small().bytes(".ze_info", usual.clone()).build();
    let older = usual.replace("'1.73'", "'1.0'");
    text(&r::ZE_INFO_NEWER_KEY, &older, "eu_thread_count").silent_in(silent.bytes)
}

/// An alias and a block scalar in place of numbers.
fn foreign_values() -> Vec<u8> {
    let text = ze_info(&["k"]);
    let text = text.replacen("simd_size:       32", "simd_size:       *width", 1);
    let text = text.replacen(
        "grf_count:       128",
        "grf_count:       |\n          128",
        1,
    );
    assert!(text.contains("*width") && text.contains('|'), "{text}");
    small().bytes(".ze_info", text).build().bytes
}

fn ze_info_keys() -> Vec<Case> {
    vec![
        replaced(
            &r::ZE_INFO_UNKNOWN_KEY,
            "simd_size:",
            "simd_sizes:",
            "simd_sizes",
        ),
        replaced(
            &r::ZE_INFO_UNKNOWN_VALUE,
            "addrmode:        stateless",
            "addrmode:        statefree",
            "statefree",
        ),
        newer_key(),
        replaced(
            &r::ZE_INFO_LEGACY,
            "has_no_stateless_write: true",
            "actual_kernel_start_offset: 0",
            "actual_kernel_start_offset",
        ),
        replaced(
            &r::ZE_INFO_TYPE,
            "simd_size:       32",
            "simd_size:       many",
            "many",
        ),
        // Findings that require a general reader are not judged.
        replaced(
            &r::ZE_INFO_TYPE,
            "simd_size:       32",
            "simd_size:       many",
            "many",
        )
        .silent_in(foreign_values()),
        replaced(&r::ZE_INFO_LENGTH, "[ 16, 1, 1 ]", "[ 16, 1 ]", "[ 16, 1 ]"),
        replaced(
            &r::ZE_INFO_RANGE,
            "simd_size:       32",
            "simd_size:       33",
            "33",
        ),
        replaced(
            &r::ZE_INFO_MISSING_KEY,
            "offset:          24\n        size",
            "size",
            "size",
        )
        .anywhere(),
        replaced(&r::ZE_INFO_VERSION, "'1.73'", "'one'", "'one'"),
        replaced(&r::ZE_INFO_NEWER, "'1.73'", "'1.9999'", "'1.9999'"),
        replaced(&r::ZE_INFO_MAJOR, "'1.73'", "'2.0'", "'2.0'"),
    ]
}

fn spans(document: &Document, rule: &Rule) -> Vec<Span> {
    let of_rule = document.diagnostics.iter().filter(|d| d.rule == rule.id);
    of_rule.map(|d| d.primary.span).collect()
}

#[test]
fn every_rule_fires_where_it_should() {
    let mut wrong = Vec::new();
    for case in cases() {
        let document = crate::support::open(&case.fires);
        let found = spans(&document, case.rule);
        let expected = case
            .at
            .map(|at| Span::new(SourceId::FILE, at.start as u64, at.end as u64));
        if found.is_empty() || expected.is_some_and(|e| !found.contains(&e)) {
            let others: Vec<_> = document.diagnostics.iter().map(|d| &*d.rule).collect();
            wrong.push(format!(
                "{} at {found:?} instead of {expected:?}; {others:?}",
                case.rule.id
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_rule_stays_silent_where_it_should() {
    for case in cases() {
        let found = spans(&crate::support::open(&case.silent), case.rule);
        assert!(found.is_empty(), "{} fires at {found:?}", case.rule.id);
    }
}

/// A source with unreadable bytes.
struct Broken {
    bytes: MemorySource,
    bad: Range<u64>,
}

impl ByteSource for Broken {
    fn len(&self) -> u64 {
        self.bytes.len()
    }

    fn read(&self, start: u64, len: u64) -> Result<Bytes, SourceError> {
        if start < self.bad.end && self.bad.start < start + len {
            return Err(SourceError {
                span: Span::with_len(SourceId::FILE, start, len),
                message: "the medium is broken".to_owned(),
            });
        }
        self.bytes.read(start, len)
    }
}

#[test]
fn bytes_that_cannot_be_read_are_named() {
    let names: Vec<String> = (0..300).map(|i| format!("kernel{i}")).collect();
    let text = ze_info(&names);
    let file = small().bytes(".ze_info", text).build();
    let info = file.content(".ze_info");
    let whole = Span::new(SourceId::FILE, info.start as u64, info.end as u64);
    let middle = (info.start + info.len() / 2) as u64;
    let open = |bad| {
        let bytes = MemorySource::from(file.bytes.clone());
        decode(Box::new(Broken { bytes, bad }), "file")
    };
    assert_eq!(spans(&open(0..0), &r::READ_FAILED), []);
    let document = open(middle..middle + 1);
    assert!(
        spans(&document, &r::READ_FAILED).contains(&whole),
        "{:?}",
        document.diagnostics
    );
}

#[test]
fn every_rule_has_a_case() {
    let cases = cases();
    // These have their own tests, as they are not caused by file contents.
    let others = [r::READ_FAILED.id];
    let tested =
        |rule: &Rule| others.contains(&rule.id) || cases.iter().any(|c| c.rule.id == rule.id);
    let missing: Vec<_> = r::ALL
        .iter()
        .filter(|rule| !tested(rule))
        .map(|rule| rule.id)
        .collect();
    assert_eq!(missing, [""; 0], "rules without a case");
}

#[test]
fn rules_follow_the_style() {
    let mut ids: Vec<_> = r::ALL.iter().map(|rule| rule.id).collect();
    for rule in r::ALL {
        let (area, name) = rule.id.split_once('/').unwrap_or_default();
        let plain = |t: &str| {
            !t.is_empty()
                && t.bytes()
                    .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
        };
        assert!(plain(area) && plain(name), "{}", rule.id);
        assert!(
            !rule.summary.is_empty() && !rule.summary.ends_with('.'),
            "{}",
            rule.id
        );
        assert!(rule.docs.ends_with('.'), "{}: {:?}", rule.id, rule.docs);
    }
    ids.sort_unstable();
    let before = ids.len();
    ids.dedup();
    assert_eq!(ids.len(), before, "ids are unique");
}

#[test]
fn thousands_of_findings_of_one_rule_are_counted() {
    let mut elf = small();
    for i in 0..5000 {
        elf = elf.symbol(Symbol::new(&format!("s{i}"), 1, 1, 77));
    }
    let document = crate::support::open(&elf.build().bytes);
    let found = spans(&document, &r::ELF_SYMBOL_SECTION);
    assert_eq!(found.len(), 101);
    let more = document
        .diagnostics
        .iter()
        .any(|d| d.message.contains("4900 more"));
    assert!(more, "the rest is counted");
}
