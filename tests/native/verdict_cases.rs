//! Every verdict rule fires where it should, at the relevant bytes, and stays silent on a file with
//! everything that the driver reads. A rule without a case fails the last test.

use std::ops::Range;

use crate::support::elf::{Built, Elf, Relocation, Section, Symbol};
use crate::support::full_zebin::{self, full};
use crate::support::notes::Notes;
use crate::support::open;
use crate::support::syclbin::{Code, Syclbin, native_text};
use crate::support::zebin::{small, zebin};
use zeview::analysis::Verdict;
use zeview::decode::rule::Rule;
use zeview::decode::zebin::verdict::rules as r;
use zeview::model::{Effect, NodeId, Outcome, SourceId, Span};

const DEVICE: &str = "bmg-g21";
const COMPAT: &str = ".note.intelgt.compat";
/// An offset that overflows with any size.
const FAR: u64 = u64::MAX - 15;

/// A file in which a rule fires, at these bytes.
struct Case {
    rule: &'static Rule,
    device: &'static str,
    file: Vec<u8>,
    at: Range<usize>,
}

fn case(rule: &'static Rule, file: Built, at: Range<usize>) -> Case {
    Case {
        rule,
        device: DEVICE,
        file: file.bytes,
        at,
    }
}

/// Changes a field of the ELF header.
fn header(rule: &'static Rule, field: &str, value: u64) -> Case {
    let file = full().build().with_header(field, value);
    let at = file.header(field);
    case(rule, file, at)
}

/// Changes a field of a section's header.
fn section(rule: &'static Rule, name: &str, field: &str, value: u64) -> Case {
    let file = full().build().with_section(name, field, value);
    let at = file.section_header(name);
    case(rule, file, at)
}

/// Adds a section.
fn added(rule: &'static Rule, name: &str, kind: u64) -> Case {
    let file = full().section(Section::new(name, kind, [0; 8])).build();
    let at = file.section_header(name);
    case(rule, file, at)
}

/// Replaces the notes; the finding is at the second one, or at the rest of the section.
fn notes(rule: &'static Rule, second: Notes) -> Case {
    let first = Notes::new().number(6, 0x0500_4000).build();
    let (start, bytes) = (first.len(), [first, second.build()].concat());
    let file = full().bytes(COMPAT, bytes).build();
    let content = file.content(COMPAT);
    case(rule, file, content.start + start..content.end)
}

/// Replaces all notes; the finding is at the first one.
fn target(rule: &'static Rule, notes: Notes) -> Case {
    let file = full().bytes(COMPAT, notes.build()).build();
    let at = file.content(COMPAT);
    case(rule, file, at)
}

/// Replaces a part of the text; the finding is at the first occurrence of `words`.
fn text(rule: &'static Rule, old: &str, new: &str, words: &str) -> Case {
    let usual = full_zebin::text();
    assert!(usual.contains(old), "no {old:?}");
    whole_text(rule, &usual.replacen(old, new, 1), words)
}

/// Replaces a part of the text with a fault; the finding is at its first byte.
fn fault(rule: &'static Rule, old: &str, new: &str, words: &str) -> Case {
    let mut case = text(rule, old, new, words);
    case.at.end = case.at.start + 1;
    case
}

fn whole_text(rule: &'static Rule, text: &str, words: &str) -> Case {
    let file = full().bytes(".ze_info", text).build();
    let at = file.find(".ze_info", words.as_bytes());
    case(rule, file, at)
}

/// Adds a payload argument; the finding is at these words.
fn argument(rule: &'static Rule, lines: &str, words: &str) -> Case {
    let lines = lines.replace(", ", "\n        ");
    let new = format!("      - {lines}\n    per_thread_payload");
    text(rule, "    per_thread_payload", &new, words)
}

/// Adds relocations of the kernel's code; the finding is at the first one.
fn relocation(rule: &'static Rule, elf: Elf, symbol: u64, kind: u64, offset: u64) -> Case {
    let mut elf = elf;
    let list = vec![Relocation {
        offset,
        symbol,
        kind,
        addend: 0,
    }];
    *elf.named(".rel.text.k") = Section::relocations(".text.k", list, false);
    let file = elf.build();
    let at = file.entry(".rel.text.k", 0, 16);
    case(rule, file, at)
}

/// Names without a NUL: each of many symbols has one of 64 KB.
fn long_names() -> Built {
    let mut elf = full().symbol(Symbol::new(&"n".repeat(100_000), 1, 0, 0));
    for _ in 0..400 {
        elf = elf.symbol(Symbol::new("", 1, 0, 0));
    }
    let mut file = elf.build();
    let long = file.symbol_field(6, "st_name");
    let start = u32::from_le_bytes(file.bytes[long].try_into().unwrap());
    for index in 0..400 {
        file = file.with_symbol(7 + index, "st_name", u64::from(start) + 1 + index as u64);
    }
    file
}

/// Returns the files in which a rule fires.
pub fn firing() -> Vec<(&'static Rule, &'static str, Vec<u8>)> {
    let cases = cases().into_iter();
    cases
        .map(|case| (case.rule, case.device, case.file))
        .collect()
}

fn cases() -> Vec<Case> {
    let mut all = container();
    all.extend(devices());
    all.extend(yaml());
    all.extend(sections());
    all.extend(values());
    all.extend(arguments());
    all.extend(linking());
    all
}

fn container() -> Vec<Case> {
    let names = long_names();
    let names_at = names.section_header(".strtab");
    let symbols = full().build().with_section(".symtab", "sh_size", 0);
    let first = symbols.entry(".rel.text.k", 0, 16);
    let name = full().build().with_symbol(3, "st_name", 0x10_0000);
    let symbol = name.entry(".symtab", 3, 24);
    // A zebin of 2020, which needs no notes: e_machine has its device.
    let unnamed = small().without(".rel.text.k").build();
    let unnamed = unnamed.with_header("e_type", 0xff12);
    let unnamed = unnamed.with_header("e_machine", 1274);
    let unnamed = unnamed.with_header("e_shstrndx", 0xffff);
    let index = unnamed.header("e_shstrndx");
    let no_names = full().build().with_section(".strtab", "sh_size", 0);
    let debug = full().build();
    let entry = debug.entry(".rela.debug_info", 0, 24);
    let of_debug = debug.put(entry.start + 12..entry.start + 16, 1000);
    let far_debug = full().build();
    let far_debug = far_debug.put(entry.start + 12..entry.start + 16, 1_000_000);
    vec![
        case(&r::NOT_JUDGED, names, names_at),
        header(&r::NOT_A_ZEBIN, "e_type", 2),
        header(&r::TABLE_OUT_OF_BOUNDS, "e_shoff", 1 << 40),
        section(&r::DATA_OUT_OF_BOUNDS, ".ze_info", "sh_offset", 1 << 40),
        section(&r::OVERFLOW, ".text.k", "sh_offset", FAR),
        section(&r::OVERFLOW_READ, ".symtab", "sh_offset", FAR),
        section(&r::OVERFLOW_TEXT, ".ze_info", "sh_offset", FAR),
        section(&r::ENTRY_SIZE, ".symtab", "sh_entsize", 0),
        case(&r::NO_SYMBOL_TABLE, symbols, first),
        relocation(&r::RELOCATION_SYMBOL, full(), 6, 2, 0),
        case(&r::DEBUG_RELOCATION_SYMBOL, of_debug, entry.clone()),
        case(&r::RELOCATION_SYMBOL, far_debug, entry),
        case(&r::SYMBOL_NAME, name, symbol),
        section(&r::SECTION_NAME, ".ze_info", "sh_name", 0x10_0000),
        header(&r::NAME_TABLE_INDEX, "e_shstrndx", 0),
        case(&r::NAME_TABLE_INDEX, no_names, index.clone()),
        case(&r::NAME_TABLE_INDEX_REFUSED, unnamed, index),
    ]
}

fn devices() -> Vec<Case> {
    let word = [7, 0, 0, 0];
    let other = |device| Case {
        device,
        ..target(&r::OTHER_TARGET, Notes::new().number(6, 0x0500_4000))
    };
    let gone = Case {
        device: "skl",
        ..target(&r::DEVICE_GONE, Notes::new().number(6, 0x0500_4000))
    };
    vec![
        notes(
            &r::NOTE_OUT_OF_BOUNDS,
            Notes::new().lying(8, 400, b"IntelGT\0", 1, &word),
        ),
        notes(&r::NOTE_OWNER, Notes::new().note(b"GNU\0", 1, &word)),
        notes(&r::NOTE_OWNER_OPEN, Notes::new().note(b"IntelGT", 1, &word)),
        notes(&r::NOTE_EMPTY, Notes::new().intel(1, b"")),
        notes(&r::NOTE_TYPE, Notes::new().number(9, 1)),
        notes(&r::NOTE_VERSION_OPEN, Notes::new().intel(4, b"1.73")),
        notes(&r::NOTE_VERSION, Notes::new().intel(4, b"2.0\0")),
        notes(&r::NEWER_VERSION, Notes::new().intel(4, b"1.74\0")),
        target(&r::NO_TARGET, Notes::new().number(6, 0)),
        other("pvc"),
        gone,
    ]
}

fn yaml() -> Vec<Case> {
    let simd = "simd_size:       32";
    let usual = full_zebin::text();
    let indented = usual.replacen("version", "  version", 1);
    let mut outdent = whole_text(&r::YAML_OUTDENT, &indented, "global_host");
    outdent.at.end = outdent.at.start + 1;
    let open = format!("{}\n  - a: b", usual.trim_end());
    let mut open_dash = whole_text(&r::YAML_OPEN_DASH_LINE, &open, "a: b");
    open_dash.at.end = open_dash.at.start + 1;
    // Many short items after long lines: the estimated number of nodes is too low.
    let items = format!(
        "{usual}{}",
        "  - name: a\n    args_info:\n      - index: 0\n".repeat(170)
    );
    let nodes = (0..60).map(|n| format!("{items}{}", "  - name: b\n".repeat(n)));
    let nodes = nodes.map(|text| full().bytes(".ze_info", text).build());
    let too_many = |file: &Built| {
        let verdict = verdict(&file.bytes, DEVICE);
        spans(&verdict, &r::YAML_TOO_MANY_NODES).len() == 1
    };
    let mut nodes = nodes;
    let nodes = nodes.find(too_many).expect("one of them is too much");
    // The very last node.
    let end = nodes.content(".ze_info").end - "- name: b\n".len();
    let nodes = case(&r::YAML_TOO_MANY_NODES, nodes, end..end + 1);
    let unfinished = usual.trim_end();
    let mut open_end = whole_text(&r::YAML_OPEN_END, unfinished, "'int;4'");
    // After the cut at kernels_misc_info, the end is not checked.
    let cut = usual.find("kernels_misc_info").unwrap();
    let no_misc = usual[..cut].trim_end();
    open_end.file = full().bytes(".ze_info", no_misc).build().bytes;
    let last = full()
        .bytes(".ze_info", no_misc)
        .build()
        .content(".ze_info")
        .end;
    open_end.at = last - 1..last;
    let empty = full().bytes(".ze_info", "---\n...\n").build();
    let empty_at = empty.content(".ze_info");
    vec![
        fault(&r::YAML_BRACE, simd, "simd_size: {}", "{}"),
        fault(&r::YAML_CHARACTER, simd, "simd_size: &a 32", "&a"),
        fault(&r::YAML_INLINE_LIST, "[ 16, 1, 1 ]", "[ -1, 0, 0 ]", "[ -1"),
        fault(
            &r::YAML_OPEN_QUOTE,
            "host_name:       h",
            "host_name: 'h",
            "'h",
        ),
        fault(&r::YAML_LINE_START, "version:", "'version':", "'version'"),
        fault(
            &r::YAML_INDENTATION,
            simd,
            "   simd_size: 32\n     has_dpas: true",
            "has_dpas",
        ),
        outdent,
        fault(
            &r::YAML_EMPTY_TABLE,
            "    payload_arguments:",
            "    per_thread_memory_buffers:\n    payload_arguments:",
            "per_thread_memory_buffers",
        ),
        fault(
            &r::YAML_KEY_WITHOUT_COLON,
            simd,
            "simd_size",
            "simd_size\nkernels",
        ),
        fault(
            &r::YAML_DASH_LINE,
            "  - name:            k\n    execution_env",
            "  - name:\n    execution_env",
            "name:\n    execution_env",
        ),
        open_dash,
        fault(
            &r::YAML_LIST_LINE,
            "[ 16, 1, 1 ]",
            "x [ 16, 1, 1 ]",
            "required_work",
        ),
        nodes,
        fault(&r::YAML_TAB, "      simd_size", "\t  simd_size", "\t"),
        open_end,
        case(&r::ZE_INFO_EMPTY, empty, empty_at),
    ]
}

fn sections() -> Vec<Case> {
    let twice = full().section(Section::new(".spv2", 0xff00_0009, [0; 8]));
    let twice = twice.build();
    let second = twice.section_header(".spv2");
    let none = small().without(".ze_info").without(".rel.text.k").build();
    vec![
        added(&r::SECTION_TYPE, ".hash", 5),
        added(&r::PROGBITS_NAME, ".rodata", 1),
        added(&r::SECTION_IGNORED, ".note.other", 7),
        added(&r::MISSPELLED, ".data.global_const", 1),
        case(&r::DUPLICATE_SECTION, twice, second),
        case(&r::NO_ZE_INFO, none, 0..0),
        section(&r::KERNEL_WITHOUT_TEXT, ".text.k", "sh_size", 0).at_text("k\n    execution_env"),
    ]
}

impl Case {
    /// Expects the finding at the first line of these words in the text.
    fn at_text(mut self, words: &str) -> Case {
        let file = full().build();
        let found = file.find(".ze_info", words.as_bytes());
        let line = words.lines().next().unwrap_or(words);
        self.at = found.start..found.start + line.len();
        self
    }
}

fn values() -> Vec<Case> {
    let simd = "simd_size:       32\n      required";
    let set = |line: &str| format!("simd_size:       32\n      {line}\n      required");
    let kernel = "  - name:            k\n    execution_env";
    vec![
        text(&r::VERSION, "'1.73'", "'2.0'", "'2.0'"),
        text(&r::NEWER_VERSION, "'1.73'", "'1.74'", "'1.74'"),
        text(&r::NO_VERSION, "version:         '1.73'\n", "", "---").within(0..0),
        text(&r::UNKNOWN_KEY, simd, &set("foo: 1"), "foo"),
        text(
            &r::DUPLICATE_KEY,
            "kernels:\n",
            "version: '1.0'\nkernels:\n",
            "version: '1.0'",
        )
        .within(0..7),
        text(&r::VALUE_NOT_READ, simd, &set("has_dpas: 12345"), "12345"),
        text(
            &r::UNKNOWN_VALUE,
            simd,
            &set("thread_scheduling_mode: foo"),
            "foo",
        ),
        text(
            &r::UNKNOWN_VALUE,
            simd,
            &set("thread_scheduling_mode: ''"),
            "''",
        ),
        text(
            &r::EMPTY_TEXT,
            "host_name:       h",
            "host_name:",
            "host_name",
        ),
        text(
            &r::LIST_LENGTH,
            "[ 16, 1, 1 ]",
            "[ 1 ]",
            "required_work_group_size",
        ),
        text(
            &r::KERNEL_INCOMPLETE,
            kernel,
            "  -\n    execution_env",
            "execution_env:\n      grf_count:       128\n      has",
        )
        .within(0..13),
        text(
            &r::SIMD_SIZE,
            simd,
            "simd_size: 7\n      required",
            "7\n      required",
        )
        .within(0..1),
        text(
            &r::SLM_ALLOC_MODE,
            simd,
            &set("slm_alloc_mode: 2"),
            "2\n      required",
        )
        .within(0..1),
        text(&r::SLM_SIZE, simd, &set("slm_size: 131073"), "131073"),
        text(
            &r::PER_THREAD,
            "size:            192",
            "size: 63",
            "arg_type:        local_id",
        )
        .within(0..8),
        text(
            &r::PER_THREAD_SKIPPED,
            "size:            192",
            "size: 0",
            "arg_type:        local_id",
        )
        .within(0..8),
        text(
            &r::INLINE_SAMPLER,
            "sampler_index:   0\n        addrmode",
            "sampler_index: -1\n        addrmode",
            "sampler_index: -1",
        )
        .within(0..13),
        text(
            &r::MEMORY_BUFFER,
            "size:            64",
            "size: 0",
            "type:            scratch",
        )
        .within(0..4),
        text(
            &r::NEGATIVE_SLOT,
            "size:            64",
            "size: 64\n        slot: -1",
            "type:            scratch",
        )
        .within(0..4),
        text(&r::MISC_INFO, "index:           1", "index: x", "index: x").within(0..5),
        text(
            &r::MISC_INFO_INDEX,
            "index:           1",
            "index: 9",
            "index: 9",
        )
        .within(0..5),
        text(
            &r::LIBRARIES,
            "kernels:\n",
            "required_libs:\n  - libfoo\nkernels:\n",
            "libfoo",
        ),
    ]
}

impl Case {
    /// Expects only this part of the bytes.
    fn within(mut self, part: Range<usize>) -> Case {
        self.at = self.at.start + part.start..self.at.start + part.end;
        self
    }
}

fn arguments() -> Vec<Case> {
    let pointer = |rule, rest: &str, words: &str| {
        let lines = format!("arg_type: arg_bypointer, offset: 72, size: 8, {rest}");
        argument(rule, &lines, words)
    };
    let table = |rule, index: &str| {
        text(
            rule,
            "arg_index:       0\nkernels_misc_info",
            &format!("arg_index: {index}\nkernels_misc_info"),
            &format!("{index}\nkernels_misc_info"),
        )
        .within(0..index.len())
    };
    let bindless = "      - arg_type: arg_bypointer
        offset: 72
        size: 8
        arg_index: 2
        addrmode: bindless
        addrspace: global
      - arg_type: arg_bypointer
        offset: 80
        size: 8
        arg_index: 3
        addrmode: stateful
        addrspace: global
    per_thread_payload";
    let kind = "arg_bypointer\n        offset: 72";
    vec![
        argument(
            &r::SAMPLER_INDEX,
            "arg_type: inline_sampler, offset: 72, size: 4, sampler_index: 9",
            "inline_sampler\n        offset: 72",
        )
        .within(0..14),
        argument(
            &r::ARGUMENT_TYPE,
            "arg_type: local_id, offset: 72, size: 64",
            "local_id\n        offset: 72",
        )
        .within(0..8),
        argument(
            &r::ARGUMENT_SIZE,
            "arg_type: work_dimensions, offset: 72, size: 8",
            "work_dimensions",
        ),
        pointer(
            &r::ARGUMENT_INDEX,
            "arg_index: -1, addrmode: stateless",
            kind,
        )
        .within(0..13),
        pointer(
            &r::ARGUMENT_INDEX_NEGATIVE,
            "arg_index: -5, addrmode: stateless",
            kind,
        )
        .within(0..13),
        pointer(&r::ARGUMENT_KIND, "arg_index: 1, addrmode: stateless", kind).within(0..13),
        pointer(&r::ADDRESS_MODE, "arg_index: 2", kind).within(0..13),
        pointer(
            &r::VALUE_NOT_READ,
            "arg_index: 2, addrmode: slm, slm_alignment: -1",
            "-1",
        ),
        argument(
            &r::SOURCE_OFFSET,
            "arg_type: arg_byvalue, offset: 72, size: 4, arg_index: 1",
            "arg_byvalue\n        offset: 72",
        )
        .within(0..11),
        text(
            &r::MIXED_ADDRESSING,
            "    per_thread_payload",
            bindless,
            kind,
        )
        .within(0..13),
        table(&r::BINDING_TABLE, "1"),
        table(&r::BINDING_TABLE, "-1"),
        table(&r::BINDING_TABLE_INDEX, "2000000000"),
        text(
            &r::POINTER_SIZE,
            "offset:          48\n        size:            8",
            "offset:          48\n        size: 6",
            "printf_buffer",
        ),
    ]
}

fn linking() -> Vec<Case> {
    let huge = full().section(Section::new(".bss.const", 8, []).size(1 << 40));
    let huge = huge.build();
    let huge_at = huge.section_header(".bss.const");
    let no_data = full().without(".data.const").build();
    let base = no_data.find(".ze_info", b"const_base");
    let outside = full().build().with_symbol(4, "st_value", 1 << 30);
    let symbol = outside.entry(".symtab", 4, 24);
    let dropped = full()
        .build()
        .with_section(".rel.data.global", "sh_info", 200);
    let entry = dropped.entry(".rel.data.global", 0, 16);
    let other = zebin(&["k", "other"]);
    let mut owner = other.clone();
    owner.named(".rel.text.other").info = ".text.other".into();
    let no_kernel = other.bytes(".ze_info", full_zebin::text_of_small());
    let no_kernel = no_kernel.build();
    let first = no_kernel.entry(".rel.text.other", 0, 16);
    let functions = text(
        &r::LINK_FUNCTION,
        "  - name:            f\n",
        "  - name:            g\n",
        "- name:            g",
    );
    let call = full().build().entry(".rel.text.k", 2, 16);
    let undefined = full().symbol(Symbol::new("w", 1, 0, 0));
    vec![
        case(&r::ALLOCATION, huge, huge_at),
        case(&r::NO_BUFFER, no_data, base),
        case(&r::LINK_KERNEL, no_kernel, first),
        case(&r::LINK_SYMBOL, outside, symbol),
        relocation(&r::LINK_OFFSET, full(), 4, 2, 1 << 20),
        relocation(&r::LINK_UNDEFINED, undefined, 6, 2, 0),
        // A symbol of the file that is neither a function nor an object.
        relocation(&r::LINK_NO_ADDRESS, full(), 1, 2, 0),
        relocation(&r::RELOCATION_TYPE, full(), 4, 5, 0),
        Case {
            at: call,
            ..functions
        },
        text(
            &r::HOST_ACCESS,
            "device_name:     v",
            "device_name: other",
            "other",
        ),
        text(
            &r::HOST_ACCESS,
            "  - device_name:     v\n    host_name:       h",
            "  - host_name: h",
            "host_name",
        ),
        case(&r::RELOCATION_DROPPED, dropped, entry),
    ]
}

fn verdict(file: &[u8], device: &str) -> Verdict {
    let document = open(file);
    document
        .verdict(NodeId::ROOT, Some(device))
        .expect("a verdict")
}

fn spans(verdict: &Verdict, rule: &Rule) -> Vec<Span> {
    let of_rule = verdict
        .findings
        .iter()
        .filter(|found| found.rule == rule.id);
    of_rule.map(|found| found.span).collect()
}

#[test]
fn every_rule_fires_where_it_should() {
    let mut wrong = Vec::new();
    for case in cases() {
        let verdict = verdict(&case.file, case.device);
        let found = spans(&verdict, case.rule);
        let expected = Span::new(SourceId::FILE, case.at.start as u64, case.at.end as u64);
        if !found.contains(&expected) {
            let at = |span: &Span| {
                let bytes = &case.file[span.start as usize..span.end as usize];
                String::from_utf8_lossy(&bytes[..bytes.len().min(40)]).into_owned()
            };
            let found: Vec<_> = found.iter().map(|span| (span, at(span))).collect();
            let others: Vec<_> = verdict.findings.iter().map(|f| &*f.rule).collect();
            wrong.push(format!(
                "{} at {found:?} instead of {expected:?} {:?}; {others:?}",
                case.rule.id,
                at(&expected)
            ));
            continue;
        }
        // The rule is decisive, unless it lets the file load.
        let effect = case.rule.effect.expect("every rule of the verdict has one");
        // Or the file is for another device, and has SPIR-V.
        let is_recompiled = effect == Effect::Refuses && verdict.outcome == Outcome::Recompiled;
        if verdict.outcome != effect.outcome() && !effect.allows_loading() && !is_recompiled {
            wrong.push(format!("{}: {:?}", case.rule.id, verdict.outcome));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_rule_stays_silent_on_a_correct_file() {
    for elf in [small(), full(), zebin(&["a", "b"])] {
        let verdict = verdict(&elf.build().bytes, DEVICE);
        assert_eq!(verdict.outcome, Outcome::Loads, "{:?}", verdict.findings);
        assert_eq!(verdict.findings, [], "no rule fires");
    }
}

/// Rules that depend on the API, the release or another device: tests/native/verdict_apis.rs.
const ELSEWHERE: [&str; 6] = [
    "driver/compatible-device",
    "driver/cache-policy",
    "driver/bindless-in-opencl",
    "driver/spirv-needs",
    "driver/stateful-buffer",
    "driver/unknown-key-ignored",
];

#[test]
fn every_rule_has_a_case() {
    let cases = cases();
    let missing: Vec<_> = r::ALL
        .iter()
        .filter(|rule| !ELSEWHERE.contains(&rule.id))
        .filter(|rule| !cases.iter().any(|case| case.rule.id == rule.id))
        .map(|rule| rule.id)
        .collect();
    assert_eq!(missing, [""; 0], "rules without a case");
}

/// Adds relocations of `k` against symbols: 6 is the first that the full zebin adds.
fn with_relocations(elf: Elf, symbols: &[(u64, u64)]) -> Elf {
    let mut elf = elf;
    let list = symbols.iter().enumerate();
    let list = list.map(|(at, (symbol, offset))| Relocation {
        offset: offset + 8 * at as u64,
        symbol: *symbol,
        kind: 2,
        addend: 0,
    });
    *elf.named(".rel.text.k") = Section::relocations(".text.k", list.collect(), false);
    elf
}

#[test]
fn a_file_with_imports_must_be_linked() {
    let elf = full().symbol(Symbol::new("w", 1, 0, 0));
    let elf = elf.symbol(Symbol::new("x", 1, 0, 0));
    let file = with_relocations(elf.clone(), &[(6, 0), (7, 0), (6, 0)]).build();
    let verdict_of = |file: &Built| verdict(&file.bytes, DEVICE);
    let found = verdict_of(&file);
    assert_eq!(found.outcome, Outcome::NeedsLinking);
    assert!(found.outcome.loads());
    let imports: Vec<_> = found.imports.iter().map(|i| (&*i.symbol, i.span)).collect();
    let span = |entry| {
        let at = file.entry(".rel.text.k", entry, 16);
        Span::new(SourceId::FILE, at.start as u64, at.end as u64)
    };
    assert_eq!(imports, [("w", span(0)), ("x", span(1))]);

    // A file that cannot be linked at all is rejected before and after.
    for list in [[(6, 0), (4, 1 << 20)], [(4, 1 << 20), (6, 0)]] {
        let found = verdict_of(&with_relocations(elf.clone(), &list).build());
        assert_eq!(found.outcome, Outcome::LinkFailure, "{list:?}");
    }
}

#[test]
fn imports_name_the_modules_that_export_them() {
    let elf = full().symbol(Symbol::new("_Z5scalei", 1, 0, 0));
    let elf = elf.symbol(Symbol::new("nowhere", 1, 0, 0));
    let file = with_relocations(elf, &[(6, 0), (7, 0)]).build();
    let mut syclbin = Syclbin::small();
    syclbin.modules[0].native.push(Code {
        text: native_text("bmg_g21", "spir64_gen-unknown-unknown"),
        bytes: file.bytes,
    });
    for (version, file) in [(1, syclbin.v1()), (2, syclbin.v2())] {
        let mut document = open(&file);
        let spans: Vec<_> = document.documents().map(|inner| inner.span).collect();
        let verdicts: Vec<Verdict> = spans
            .into_iter()
            .filter_map(|span| {
                let id = document.nodes_for(span).pop()?;
                document.verdict(id, Some(DEVICE))
            })
            .collect();
        let importing = verdicts.iter().find(|v| !v.imports.is_empty()).unwrap();
        assert_eq!(importing.outcome, Outcome::NeedsLinking);
        let imports = importing.imports.iter();
        let imports: Vec<_> = imports
            .map(|i| (&*i.symbol, i.exported_by.clone()))
            .collect();
        let expected = [
            ("_Z5scalei", vec!["abstract module 1".into()]),
            ("nowhere", vec![]),
        ];
        assert_eq!(imports, expected, "version {version}");
    }
}
