//! Verdict rules: files with one change, and the driver's behavior. The cases were observed with
//! release 26.27; the files are generated, so no corpus is needed.

use crate::support::elf::{Class, Elf, Relocation, Section, Symbol};
use crate::support::notes::{Notes, battlemage};
use crate::support::open;
use crate::support::zebin::{small, ze_info, ze_info_kernel, zebin_of};
use zeview::analysis::{DriverModel, Verdict};
use zeview::decode::zebin::verdict::{ComputeRuntime, rules};
use zeview::model::{NodeId, Outcome, SourceId};

const LOADS: &str = "loads";

/// Returns the verdict of the driver model, whatever the bytes.
fn verdict_on(bytes: &[u8], device: Option<&str>) -> Verdict {
    let document = open(bytes);
    let whole = document.sources.whole(SourceId::FILE);
    let verdict = ComputeRuntime.load(&document.sources, whole, device.into());
    let verdict = verdict.expect("a known device");
    // The verdict of the document is the same, if it has one.
    if let Some(same) = document.verdict(NodeId::ROOT, device) {
        assert_eq!(same, verdict);
    }
    verdict
}

/// Returns `loads`, or the decisive rule; for warnings, the first rule.
fn result(verdict: &Verdict) -> String {
    let decisive = verdict.decisive.map(|at| &verdict.findings[at]);
    let warning = || {
        verdict
            .findings
            .iter()
            .find(|f| f.effect.outcome() == Outcome::LoadsWithWarnings)
    };
    let finding = match verdict.outcome {
        Outcome::Loads => return LOADS.to_owned(),
        Outcome::LoadsWithWarnings => warning(),
        _ => decisive,
    };
    let finding = finding.expect("a finding");
    assert_eq!(finding.effect.outcome(), verdict.outcome);
    finding.rule.strip_prefix("driver/").unwrap().to_owned()
}

fn of(bytes: &[u8]) -> String {
    result(&verdict_on(bytes, Some("bmg-g21")))
}

fn of_elf(elf: &Elf) -> String {
    of(&elf.build().bytes)
}

/// Replaces `.ze_info`.
fn of_text(text: impl AsRef<[u8]>) -> String {
    of_elf(&small().bytes(".ze_info", text.as_ref()))
}

/// Replaces a piece of the default text.
fn replaced(from: &str, to: &str) -> String {
    let text = ze_info(&["k"]);
    assert!(text.contains(from), "{from}");
    text.replacen(from, to, 1)
}

fn with(from: &str, to: &str) -> String {
    of_text(replaced(from, to))
}

/// Adds lines to the environment, before `payload_arguments`.
fn env(lines: &str) -> String {
    with(
        "    payload_arguments:",
        &format!("{lines}    payload_arguments:"),
    )
}

/// Adds a payload argument.
fn arg(lines: &str) -> String {
    let lines: String = lines
        .split(", ")
        .enumerate()
        .map(|(i, line)| format!("      {} {line}\n", if i == 0 { "-" } else { " " }))
        .collect();
    with(
        "    per_thread_payload",
        &format!("{lines}    per_thread_payload"),
    )
}

/// Adds a table at the end of the kernel.
fn table(name: &str, items: &[&str]) -> String {
    let mut lines = format!("    {name}:\n");
    for item in items {
        for (i, line) in item.split(", ").enumerate() {
            lines += &format!("      {} {line}\n", if i == 0 { "-" } else { " " });
        }
    }
    with("...", &format!("{lines}..."))
}

#[track_caller]
fn cases(verdict: impl Fn(&str) -> String, cases: &[(&str, &str)]) {
    for (change, wanted) in cases {
        assert_eq!(verdict(change), *wanted, "{change:?}");
    }
}

fn args(list: &[(&str, &str)]) {
    cases(arg, list);
}

fn texts(list: &[(&str, &str)]) {
    cases(|text| of_text(text), list);
}

#[test]
fn good_files_load() {
    assert_eq!(of_elf(&small()), LOADS);
    let narrow = zebin_of(Class::Elf32, &["k"]);
    assert_eq!(of_elf(&narrow), LOADS);
    let verdict = verdict_on(&small().build().bytes, None);
    assert_eq!(verdict.device.as_deref(), Some("bmg-g21"));
    assert_eq!(verdict.headline(), "driver 26.27 on bmg-g21: loads");
    assert!(verdict.findings.is_empty() && !verdict.requested);
}

#[test]
fn every_rule_has_an_explanation_and_an_id_of_its_own() {
    let mut ids: Vec<&str> = rules::ALL.iter().map(|rule| rule.id).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), rules::ALL.len());
    for rule in rules::ALL {
        assert!(
            rule.effect.is_some() && rule.docs.ends_with(['.', ')']),
            "{}",
            rule.id
        );
        assert!(
            !rule.docs.contains("  ") && !rule.summary.ends_with('.'),
            "{}",
            rule.id
        );
    }
}

// The container.

#[test]
fn headers() {
    let built = || small().build();
    for (field, value, wanted) in [
        ("e_type", 0, "not-a-zebin"),
        ("e_type", 2, "not-a-zebin"),
        ("e_type", 0xff11, "not-a-zebin"),
        ("e_type", 0xff12, LOADS),
        ("e_machine", 1274, LOADS),
        ("e_machine", 62, "other-device"),
        ("e_version", 0, LOADS),
        ("e_flags", 0xffff_ffff, LOADS),
        ("e_ehsize", 0, LOADS),
        ("e_phoff", 1 << 40, "header-table-out-of-bounds"),
        ("e_shoff", 1 << 40, "header-table-out-of-bounds"),
        ("e_shentsize", 65, "header-table-out-of-bounds"),
        ("e_shentsize", 0, "no-target"),
        ("e_shnum", 0, "no-target"),
        ("e_shnum", 1, "no-target"),
        ("e_shstrndx", 0, "section-name-table"),
        ("e_shstrndx", 0xffff, "section-name-table"),
        ("e_shstrndx", 1, "no-target"),
    ] {
        let file = built().with_header(field, value);
        assert_eq!(of(&file.bytes), wanted, "{field} = {value:#x}");
    }
    for (at, byte, wanted) in [
        (1, 0, "not-a-zebin"),
        (4, 0, "not-a-zebin"),
        (4, 3, "not-a-zebin"),
        (5, 2, LOADS),
        (6, 0, LOADS),
        (7, 9, LOADS),
        (8, 255, LOADS),
    ] {
        let file = built().with_bytes(at, &[byte]);
        assert_eq!(of(&file.bytes), wanted, "byte {at} = {byte}");
    }
    let phnum = built()
        .with_header("e_phoff", u64::MAX - 10)
        .with_header("e_phnum", 1);
    assert_eq!(
        of(&phnum.with_header("e_phentsize", 56).bytes),
        "reads-outside-of-file"
    );
    assert_eq!(
        of(&built().with_header("e_shoff", u64::MAX - 63).bytes),
        "header-table-out-of-bounds"
    );
}

#[test]
fn cut_files() {
    let bytes = small().build().bytes;
    for (len, wanted) in [
        (0, "not-a-zebin"),
        (3, "not-a-zebin"),
        (63, "not-a-zebin"),
        (64, "header-table-out-of-bounds"),
        (bytes.len() - 1, "header-table-out-of-bounds"),
    ] {
        assert_eq!(of(&bytes[..len]), wanted, "{len} bytes");
    }
    let mut more = bytes.clone();
    more.extend([0xaa; 1000]);
    assert_eq!(of(&more), LOADS);
}

#[test]
fn section_headers() {
    let far = u64::MAX - 15;
    for (section, field, value, wanted) in [
        (".ze_info", "sh_offset", 1 << 40, "data-out-of-bounds"),
        (".ze_info", "sh_size", 1 << 62, "data-out-of-bounds"),
        (".ze_info", "sh_offset", far, "text-outside-of-file"),
        (".text.k", "sh_offset", far, LOADS),
        (".symtab", "sh_offset", far, "reads-outside-of-file"),
        (
            ".note.intelgt.compat",
            "sh_offset",
            far,
            "note-out-of-bounds",
        ),
        (".note.intelgt.metrics", "sh_offset", far, LOADS),
        (".symtab", "sh_entsize", 0, "entry-size"),
        (".symtab", "sh_entsize", 48, "entry-size"),
        (".rel.text.k", "sh_entsize", 8, "entry-size"),
        (".ze_info", "sh_entsize", 7, LOADS),
        (".symtab", "sh_size", 0, "relocations-without-symbols"),
        (".symtab", "sh_type", 0, "relocations-without-symbols"),
        (".rel.text.k", "sh_size", 0, LOADS),
        (".rel.text.k", "sh_size", 31, LOADS),
        (".rel.text.k", "sh_info", 0, LOADS),
        (".rel.text.k", "sh_info", 200, LOADS),
        (".rel.text.k", "sh_link", 200, LOADS),
        (".text.k", "sh_flags", u64::MAX, LOADS),
        (".text.k", "sh_addralign", 3, LOADS),
        (".text.k", "sh_size", 0, "kernel-without-code"),
        (".text.k", "sh_type", 8, "kernel-without-code"),
        (".text.k", "sh_name", 0, "progbits-name"),
        (".ze_info", "sh_name", 0, LOADS),
        (".ze_info", "sh_name", 0x10_0000, "section-name"),
        (".strtab", "sh_type", 0, LOADS),
        (".strtab", "sh_size", 0, "section-name-table"),
        (".strtab", "sh_type", 8, "section-name-table"),
        (".strtab", "sh_type", 1, "progbits-name"),
        (".ze_info", "sh_type", 0, "link-no-such-kernel"),
        (".ze_info", "sh_size", 0, "link-no-such-kernel"),
        (".ze_info", "sh_type", 6, "section-type"),
        (".ze_info", "sh_type", 0xff00_0010, "section-type"),
        (
            ".note.intelgt.metrics",
            "sh_type",
            0xff00_0011,
            "duplicate-section",
        ),
        (".note.intelgt.metrics", "sh_type", 0xff00_0013, LOADS),
        (
            ".note.intelgt.metrics",
            "sh_type",
            0xff00_0014,
            "section-ignored",
        ),
        (".note.intelgt.compat", "sh_type", 0, "no-target"),
    ] {
        let file = small().build().with_section(section, field, value);
        let got = of(&file.bytes);
        assert_eq!(got, wanted, "{section} {field} = {value:#x}");
    }
    let narrow = zebin_of(Class::Elf32, &["k"]).build();
    let file = narrow.with_section(".ze_info", "sh_offset", 0xffff_fff0);
    assert_eq!(of(&file.bytes), "reads-outside-of-file");
}

#[test]
fn sections_by_name() {
    for (name, kind, len, wanted) in [
        (".data", 1, 1, "progbits-name"),
        (".rodata", 1, 1, "progbits-name"),
        ("", 1, 0, "progbits-name"),
        (".textk", 1, 4, "progbits-name"),
        (".debug_foo", 1, 4, LOADS),
        (".zdebug_info", 1, 4, "progbits-name"),
        (".text.extra", 1, 64, LOADS),
        (".text.k", 1, 64, LOADS),
        (".text", 1, 64, LOADS),
        (".text", 1, 0, LOADS),
        (".data.const", 1, 64, LOADS),
        (".data.global_const", 1, 64, "misspelled-section-name"),
        (".note.other", 7, 4, "section-ignored"),
        (".note.intelgt.metrics", 7, 4, LOADS),
        (".note.intelgt.compat", 7, 0, "no-target"),
        (".bss.other", 8, 0, "section-ignored"),
        (".misc.other", 0xff00_0014, 4, "section-ignored"),
        (".misc.specConstantsIds", 0xff00_0014, 3, LOADS),
        (".misc.buildOptions", 0xff00_0014, 3, LOADS),
        (".gtpin_info", 0xff00_0012, 4, "section-ignored"),
        (".gtpin_info.nobody", 0xff00_0012, 4, LOADS),
        (".spv", 0xff00_0009, 4, LOADS),
        (".pisa", 0xff00_0015, 4, LOADS),
        (".strtab", 3, 4, LOADS),
        (".ze_info2", 0xff00_0011, 15, "duplicate-section"),
        (".hash", 5, 4, "section-type"),
        (".dynsym", 11, 4, "section-type"),
    ] {
        let mut elf = small();
        elf.sections
            .insert(1, Section::new(name, kind, vec![0; len]));
        assert_eq!(of_elf(&elf), wanted, "{name} of type {kind:#x}");
    }
    for (name, kind, wanted) in [
        (".text", 1, "duplicate-section"),
        (".data.const.string", 1, "duplicate-section"),
        (".spv", 0xff00_0009, "duplicate-section"),
        (".pisa", 0xff00_0015, "duplicate-section"),
        (".bss.const", 8, "duplicate-section"),
        (
            ".misc.specConstantsValues",
            0xff00_0014,
            "duplicate-section",
        ),
        (".misc.buildOptions", 0xff00_0014, LOADS),
        (".gtpin_info.k", 0xff00_0012, LOADS),
        (".visaasm", 0xff00_0013, LOADS),
        (".debug_info", 1, LOADS),
    ] {
        let twice = small().section(Section::new(name, kind, [0; 8]));
        let twice = twice.section(Section::new(name, kind, [0; 8]));
        assert_eq!(of_elf(&twice), wanted, "{name} twice");
    }
    let mixed = small().section(Section::new(".data.const", 1, [0; 8]));
    let mixed = mixed.section(Section::new(".data.global_const", 1, [0; 8]));
    assert_eq!(of_elf(&mixed), "duplicate-section");
    let none = small()
        .without(".ze_info")
        .without(".rel.text.k")
        .without(".symtab");
    assert_eq!(of_elf(&none), "no-ze-info");
}

// Target.

fn notes(notes: Notes) -> String {
    of_elf(&small().bytes(".note.intelgt.compat", notes.build()))
}

#[test]
fn notes_decide_about_the_device() {
    let config = |value| Notes::new().number(6, value);
    assert_eq!(notes(config(0x0500_4000)), LOADS);
    assert_eq!(notes(config(0x0500_4004)), LOADS);
    assert_eq!(notes(config(0x0500_8000)), "other-device");
    assert_eq!(notes(config(0)), "no-target");
    assert_eq!(notes(config(1).number(6, 0x0500_4000)), LOADS);
    assert_eq!(
        notes(
            config(0x0500_4000)
                .number(1, 5)
                .number(2, 5)
                .number(3, 0x3f00)
        ),
        LOADS
    );
    let families = |product, core| Notes::new().number(1, product).number(2, core);
    assert_eq!(notes(families(1274, 3081)), LOADS);
    assert_eq!(notes(families(0, 3081)), LOADS);
    assert_eq!(notes(families(1274, 0)), LOADS);
    assert_eq!(notes(families(0, 0)), "no-target");
    assert_eq!(notes(families(1275, 3081)), "other-device");
    assert_eq!(notes(families(1274, 3080)), "other-device");
    // Both families are named.
    let other = small().bytes(".note.intelgt.compat", families(1275, 3081).build());
    let other = verdict_on(&other.build().bytes, Some("bmg-g21"));
    let message = &other.findings[other.decisive.unwrap()].message;
    let is_named = |number| {
        let (words, _) = message.split_once(&format!(" ({number})")).expect(message);
        words.ends_with(char::is_alphanumeric)
    };
    assert!(is_named(1275) && is_named(1274), "{message}");
    let rule = other.matching.unwrap().rule;
    assert!(rule.contains("(3081)") && rule.contains("(1275)"), "{rule}");
    let stepping = |word| families(1274, 3081).number(3, word);
    assert_eq!(notes(stepping(0x1f_2000)), LOADS);
    assert_eq!(notes(stepping(0x00_3f00)), "other-device");
    assert_eq!(notes(stepping(0x00_5f00)), LOADS);
    assert_eq!(notes(Notes::new()), "no-target");
    assert_eq!(
        of_elf(&small().without(".note.intelgt.compat")),
        "no-target"
    );
}

#[test]
fn notes_with_driver_problems() {
    let good = || Notes::new().number(6, 0x0500_4000);
    let word = 7_u32.to_le_bytes();
    for (name, notes_then, wanted) in [
        ("foreign", good().note(b"GNU\0", 1, &word), "note-owner"),
        ("no owner", good().note(b"", 1, &word), "note-owner"),
        (
            "more NULs",
            good().note(b"IntelGT\0\0\0\0\0", 1, &word),
            "note-owner",
        ),
        (
            "no NUL",
            good().note(b"IntelGT", 1, &word),
            "note-owner-without-nul",
        ),
        (
            "garbage",
            good().note(&[0xff; 8], 1, &word),
            "note-owner-without-nul",
        ),
        ("unknown", good().number(9, 1), "note-type"),
        ("zero", good().number(0, 1), "note-type"),
        ("empty 1", good().intel(1, b""), "note-without-description"),
        ("empty 4", good().intel(4, b""), "note-without-description"),
        ("empty 8", good().intel(8, b""), "note-without-description"),
        ("empty 5", good().intel(5, b""), LOADS),
        ("long", good().intel(7, &[0; 8]), LOADS),
        (
            "too long",
            good().lying(8, 400, b"IntelGT\0", 1, &word),
            "note-out-of-bounds",
        ),
        (
            "wraps",
            good().lying(u32::MAX, u32::MAX, b"", 1, b""),
            "note-owner-without-nul",
        ),
        ("open", good().intel(4, b"1.73"), "note-version-without-nul"),
        ("newer", good().intel(4, b"1.74\0"), "newer-version"),
        ("older", good().intel(4, b"1.2\0"), LOADS),
        ("more parts", good().intel(4, b" 1.73.5\0"), LOADS),
        ("major", good().intel(4, b"2.0\0"), "note-version"),
        ("malformed", good().intel(4, b"100\0"), "note-version"),
        (
            "zeros",
            Notes::new().lying(0, 0, b"", 0, b"").number(6, 0x0500_4000),
            "note-owner",
        ),
    ] {
        assert_eq!(notes(notes_then), wanted, "{name}");
    }
    let mut stray = battlemage(Notes::new());
    stray.extend([0; 4]);
    let file = small().bytes(".note.intelgt.compat", stray);
    assert_eq!(of_elf(&file), "note-out-of-bounds");
    // If e_machine has the product family, notes do not matter.
    assert_eq!(
        of(&file.build().with_header("e_machine", 1274).bytes),
        LOADS
    );
}

#[test]
fn device_is_the_target_or_the_requested_one() {
    let bytes = small().build().bytes;
    for (device, wanted) in [
        ("bmg", LOADS),
        ("20.1.0", LOADS),
        ("0x05004000", LOADS),
        ("bmg-g31", LOADS),
        ("ptl-h", "other-device"),
        ("pvc", "other-device"),
        ("skl", "device-not-supported"),
    ] {
        let verdict = verdict_on(&bytes, Some(device));
        assert_eq!(result(&verdict), wanted, "{device}");
        assert!(verdict.requested);
    }
    assert!(
        open(&bytes)
            .verdict(NodeId::ROOT, Some("nonsense"))
            .is_none()
    );
    assert!(open(&bytes).devices().iter().any(|name| name == "acm-g10"));
    let unknown = Notes::new().number(6, 0x0a00_4001).build();
    let verdict = verdict_on(
        &small().bytes(".note.intelgt.compat", unknown).build().bytes,
        None,
    );
    assert_eq!(verdict.device.as_deref(), Some("40.1.1"));
    assert_eq!(result(&verdict), LOADS);
}

#[test]
fn host_programs_have_no_verdict() {
    let verdict = |elf: &Elf| open(&elf.build().bytes).verdict(NodeId::ROOT, None);
    let program = |machine| {
        let mut elf = Elf::new(Class::Elf64);
        elf.machine = machine;
        elf.section(Section::new(".text", 1, [0x90; 64]))
    };
    // 80386, ARM, x86-64, AArch64, AMD GPU, RISC-V.
    for machine in [3, 40, 62, 183, 224, 243] {
        let elf = program(machine);
        assert!(verdict(&elf).is_none(), "machine {machine}");
        // With or without images.
        let image = small().build().bytes;
        let with = elf.section(Section::new(".llvm.offloading", 1, image));
        let document = open(&with.build().bytes);
        assert!(document.verdict(NodeId::ROOT, None).is_none());
        assert!(!document.is_loadable(NodeId::ROOT));
    }
    assert!(verdict(&program(205)).is_some());
    // These machines are unknown to the driver.
    for machine in [0, 0x7777] {
        let document = open(&program(machine).build().bytes);
        assert!(document.is_loadable(NodeId::ROOT), "machine {machine}");
        let verdict = document.verdict(NodeId::ROOT, None);
        assert_eq!(verdict.unwrap().outcome, Outcome::Refused);
    }
    let text = open(b"not a program at all");
    assert!(text.verdict(NodeId::ROOT, None).is_none());
}

#[test]
fn spirv_helps_only_against_the_wrong_device() {
    let file = small().section(Section::new(".spv", 0xff00_0009, [3, 2, 35, 7]));
    let bytes = file.build().bytes;
    let other = verdict_on(&bytes, Some("pvc"));
    assert!(other.rebuild.unwrap().helps);
    let broken = file.bytes(".ze_info", replaced("simd_size", "simd_sice"));
    let broken = verdict_on(&broken.build().bytes, None);
    assert_eq!(result(&broken), "unknown-key");
    assert!(!broken.rebuild.unwrap().helps);
    assert!(
        verdict_on(&small().build().bytes, Some("pvc"))
            .rebuild
            .is_none()
    );
}

// The text.

#[test]
fn layout_of_the_text() {
    let text = ze_info(&["k"]);
    let crlf = text.replace('\n', "\r\n");
    let cr = text.replace('\n', "\r");
    let blanks = text.replace('\n', "   \n\n");
    let indented = format!(
        "  {}",
        text.trim_start_matches("---\n").replace('\n', "\n  ")
    );
    let first_indented = text.replacen("version", "  version", 1);
    let commented = format!(
        "# {{ ' \"\n{}",
        text.replace("simd_size:       32", "simd_size: 32# \"{")
    );
    texts(&[
        (text.as_str(), LOADS),
        (text.trim_start_matches("---\n"), LOADS),
        (text.trim_end_matches("...\n"), LOADS),
        (text.trim_end_matches("\n...\n"), "yaml-open-end"),
        (&crlf, LOADS),
        (&blanks, LOADS),
        (&format!("{text}\0\0\0"), LOADS),
        (&indented, LOADS),
        (&first_indented, "yaml-first-line-indented"),
        (&commented, LOADS),
        ("", "link-no-such-kernel"),
        (" ", "link-no-such-kernel"),
        ("\r", "link-no-such-kernel"),
        ("---\n...\n", "link-no-such-kernel"),
        ("# only a comment\n", "link-no-such-kernel"),
        ("foo", "yaml-key-without-colon"),
        ("foo\n", "yaml-key-without-colon"),
        (":\n", "yaml-line-start"),
        ("::\n", "yaml-line-start"),
        ("'version': '1.73'\n", "yaml-line-start"),
        ("5: 1\n", "yaml-line-start"),
        ("[\n", "yaml-inline-list"),
        ("{\"a\": 1}\n", "yaml-brace"),
        ("\u{feff}version: '1.73'\n", "yaml-character"),
    ]);
    // Old Mac line ends make it one line.
    assert!(of_text(&cr).starts_with("yaml-"));
}

#[test]
fn lines_of_the_text() {
    for (from, to, wanted) in [
        ("      simd_size:       32", "\t  simd_size: 32", "yaml-tab"),
        ("simd_size:       32", "simd_size:\t32\t", LOADS),
        ("simd_size:       32", "simd_size : 32", LOADS),
        ("simd_size:       32", "simd_size:32", LOADS),
        ("simd_size:       32", "simd_size:: 32", "value-not-read"),
        ("simd_size:       32", "simd_size", "yaml-key-without-colon"),
        ("simd_size:       32", "simd_size: // c", "yaml-character"),
        ("simd_size:       32", "simd_size: &a 32", "yaml-character"),
        ("simd_size:       32", "simd_size: *a", "yaml-character"),
        (
            "simd_size:       32",
            "simd_size: !!int 32",
            "yaml-character",
        ),
        (
            "simd_size:       32",
            "simd_size: |\n        32",
            "yaml-character",
        ),
        ("simd_size:       32", "simd_size: ~", "yaml-character"),
        (
            "simd_size:       32",
            "<<: 5\n      simd_size: 32",
            "yaml-character",
        ),
        (
            "simd_size:       32",
            "? simd_size\n      : 32",
            "yaml-character",
        ),
        ("simd_size:       32", "%simd_size: 32", "yaml-character"),
        ("simd_size:       32", "simd_size: {}", "yaml-brace"),
        ("simd_size:       32", "simd_size: '32", "yaml-open-quote"),
        ("simd_size:       32", " simd_size: 32", "simd-size"),
        (
            "simd_size:       32",
            "   simd_size: 32\n     has_dpas: true",
            "yaml-indentation",
        ),
        ("  - name:            k", "  -\n    name: k", LOADS),
        ("  - name:            k", "  -name: k", LOADS),
        ("  - name:            k", "  - name:", "yaml-dash-line"),
        (
            "  - name:            k",
            "  - name: # c",
            "kernel-without-code",
        ),
        (
            "  - name:            k",
            "- name:            k",
            "unknown-key",
        ),
        ("name:            k", "name: 'k'", LOADS),
        ("name:            k", "name: \"k\"", LOADS),
        ("name:            k", "name: k # c", LOADS),
        ("name:            k", "name: k#c", LOADS),
        ("name:            k", "name: a:k", LOADS),
        ("name:            k", "name: k:a", "kernel-without-code"),
        ("name:            k", "name: '{k}'", "kernel-without-code"),
        ("name:            k", "name: {k}", "yaml-brace"),
        ("name:            k", "name: .k", "kernel-without-code"),
        ("name:            k", "name: 1k", "yaml-character"),
        ("name:            k", "name: k$", "yaml-character"),
        ("name:            k", "name: 'k''s'", LOADS),
        (
            "name:            k",
            "name: \"k\\\"\"",
            "kernel-without-code",
        ),
    ] {
        assert_eq!(with(from, to), wanted, "{to:?}");
    }
}

#[test]
fn lists_in_brackets() {
    for (list, wanted) in [
        ("[ 0, 1, 2 ]", LOADS),
        ("[0,1,2]", LOADS),
        ("[ 0 , 1 , 2 , ]", LOADS),
        ("[ 0x1, 0x2, 0x3 ]", LOADS),
        ("[]", "list-length"),
        ("[ 1 ]", "list-length"),
        ("[ 1, 2, 3, 4 ]", "list-length"),
        ("5", "list-length"),
        ("[ a, b, c ]", "value-not-read"),
        ("[ -1, 0, 0 ]", "yaml-inline-list"),
        ("[ 1.5, 0, 0 ]", "yaml-inline-list"),
        ("[ '1', 0, 0 ]", "yaml-inline-list"),
        ("[ 1_0, 0, 0 ]", "yaml-inline-list"),
        ("[ 0 1 2 ]", "yaml-inline-list"),
        ("[ 0,, 1, 2 ]", "yaml-inline-list"),
        ("[ ,0, 1, 2 ]", "yaml-inline-list"),
        ("[ [ 0 ], 1, 2 ]", "yaml-inline-list"),
        ("[ 0, 1,\n        2 ]", "yaml-inline-list"),
        ("[ 0, 1, 2 ] # c", "yaml-inline-list"),
        ("[ 0, 1, 2", "yaml-inline-list"),
        ("0, 1, 2 ]", "yaml-inline-list"),
        ("x [ 0, 1, 2 ]", "yaml-list-line"),
        ("\n        - 0\n        - 1\n        - 2", LOADS),
        ("\n      - 0\n      - 1\n      - 2", "list-length"),
    ] {
        assert_eq!(with("[ 16, 1, 1 ]", list), wanted, "{list:?}");
    }
}

#[test]
fn empty_tables() {
    for (name, wanted) in [
        ("binding_table_indices", "yaml-empty-table"),
        ("per_thread_memory_buffers", "yaml-empty-table"),
        ("inline_samplers", LOADS),
        ("experimental_properties", LOADS),
        ("user_attributes", LOADS),
        ("debug_env", LOADS),
    ] {
        for value in ["", " []"] {
            let before = env(&format!("    {name}:{value}\n"));
            assert_eq!(before, wanted, "{name}:{value} before a key");
            let last = with("...", &format!("    {name}:{value}\n..."));
            assert_eq!(last, LOADS, "{name}:{value} as the last key");
        }
    }
    let top = "---\nversion: '1.73'\n";
    let unlinked = |text: &str| {
        let elf = small().without(".rel.text.k").bytes(".ze_info", text);
        of_elf(&elf)
    };
    for (rest, wanted) in [
        ("kernels:\nfunctions: x\n", LOADS),
        ("kernels: []\nfunctions: x\n", LOADS),
        ("functions:\nkernels: []\n", "yaml-empty-table"),
        (
            "global_host_access_table: []\nkernels: []\n",
            "yaml-empty-table",
        ),
        ("kernels: x\n", LOADS),
        ("kernels:\n  - x\n", "kernel-incomplete"),
        ("kernels:\n  a: 1\n", "kernel-incomplete"),
        ("functions:\n  - x\n", LOADS),
        ("", LOADS),
    ] {
        assert_eq!(unlinked(&format!("{top}{rest}")), wanted, "{rest:?}");
    }
}

#[test]
fn the_text_is_cut_at_kernels_misc_info() {
    let text = ze_info(&["k"]);
    let end = |more: &str| text.replace("...\n", more);
    let misc =
        "kernels_misc_info:\n  - name: k\n    args_info:\n      - index: 0\n        name: a\n";
    texts(&[
        (&end(misc), LOADS),
        (&end(&format!("foo: 1\n{misc}")), "unknown-key"),
        (&end(&format!("{misc}foo: 1\n")), LOADS),
        (&end(&format!("{misc}kernels_cost_info: []\n")), LOADS),
        (&end("kernels_cost_info: []\n"), "unknown-key"),
        (&end(&format!("{misc}{{}}\n")), LOADS),
        (
            &end(&format!("{misc}      bad\n")),
            "yaml-key-without-colon",
        ),
        (&end(&format!("{misc}    foo: 1\n")), LOADS),
        (
            &end("kernels_misc_info:\n  - name:\n    args_info: []\n"),
            "yaml-dash-line",
        ),
        (
            &end("kernels_misc_info:\n  - name: other\n    args_info: []\n"),
            LOADS,
        ),
        (&end("kernels_misc_info: 5\n"), LOADS),
        (
            &misc
                .replace("index: 0", "index: 99")
                .replacen("", &end(""), 1),
            "misc-info-index",
        ),
        (&format!("{misc}{text}"), "link-no-such-kernel"),
        (
            &text
                .replace("version:         '1.73'\n", "")
                .replace("...\n", &format!("{misc}version: '1.73'\n")),
            "no-version",
        ),
        // It loads, but the part after the cut is checked when a program requests names.
        (
            &text.replace(
                "    payload_arguments",
                "    # kernels_misc_info\n    payload_arguments",
            ),
            "yaml-key-without-colon",
        ),
        (
            &text.replace(
                "    payload_arguments",
                "    # kernels_misc_info:\n    payload_arguments",
            ),
            "yaml-open-end",
        ),
        (
            &text.replace(
                "    execution_env",
                "    # kernels_misc_info\n    execution_env",
            ),
            "kernel-incomplete",
        ),
        (
            &end(&format!("{misc}required_libs:\n  - libfoo\n")),
            "required-libraries",
        ),
        (&end(&format!("{misc}required_libs: []\n")), LOADS),
        (
            &end(&format!("{misc}foo: 1\nrequired_libs: []\n")),
            "unknown-key",
        ),
        (&end("l1_cache_policy: wb\n"), LOADS),
        (&end("l1_cache_policy: foo\n"), "unknown-value"),
        (&end("l1_cache_policy: 'wb'\n"), "unknown-value"),
        (&end("l1_cache_policy:\n"), "unknown-value"),
        (&end(&format!("{misc}l1_cache_policy: foo\n")), LOADS),
    ]);
}

#[test]
fn the_drivers_list_of_nodes() {
    // Many short items after long lines: the estimated number of nodes is too low.
    let mut text = ze_info(&["k"]).replace("...\n", "kernels_misc_info:\n");
    assert_eq!(of_text(&text), LOADS);
    text += &"  - name: a\n    args_info:\n      - index: 0\n".repeat(170);
    let enough = of_text(&text);
    let items: Vec<String> = (0..60)
        .map(|n| of_text(format!("{text}{}", "  - name: b\n".repeat(n))))
        .collect();
    assert!(
        items.iter().any(|got| got == "yaml-node-list"),
        "{enough} {items:?}"
    );
    assert!(items.iter().any(|got| got == LOADS), "{items:?}");
}

// Contents of the text.

#[test]
fn versions() {
    for (version, wanted) in [
        ("'1.73'", LOADS),
        ("1.73", LOADS),
        ("1.0", LOADS),
        ("1.0073", LOADS),
        ("'1.73.1'", LOADS),
        ("' 1.73'", LOADS),
        ("'1. 73'", LOADS),
        ("'1.74'", "newer-version"),
        ("'1.-5'", "newer-version"),
        ("1.99999999999999999999", "newer-version"),
        ("100", "version"),
        ("'12.'", "version"),
        ("'.12'", "version"),
        ("'.'", "version"),
        ("''", "version"),
        ("abc", "version"),
        ("'1,73'", "version"),
        ("true", "version"),
        ("- 1.73", "version"),
        ("[ 1, 73 ]", "version"),
        ("", "version"),
        ("'2.0'", "version"),
        ("'0.9'", "version"),
        ("'a.b'", "version"),
        ("'-1.73'", "version"),
    ] {
        assert_eq!(
            with("version:         '1.73'", &format!("version: {version}")),
            wanted,
            "{version}"
        );
    }
    assert_eq!(with("version:         '1.73'\n", ""), "no-version");
    assert_eq!(with("version:", "Version:"), "unknown-key");
    assert_eq!(
        with("kernels:", "version: '1.73'\nkernels:"),
        "duplicate-key"
    );
}

#[test]
fn numbers_words_and_yes_or_no() {
    for (value, wanted) in [
        ("0x20", LOADS),
        ("032", LOADS),
        ("+32", LOADS),
        ("32 # c", LOADS),
        ("'32'", "value-not-read"),
        ("1e1", "yaml-character"),
        ("32abc", "yaml-character"),
        ("32.0", "value-not-read"),
        ("0x", "value-not-read"),
        ("2147483648", "value-not-read"),
        ("-2147483649", "value-not-read"),
        ("true", "value-not-read"),
        ("[ 32 ]", "value-not-read"),
        ("", "value-not-read"),
        ("7", "simd-size"),
        ("64", "simd-size"),
        ("0", "simd-size"),
    ] {
        assert_eq!(
            with("simd_size:       32", &format!("simd_size: {value}")),
            wanted,
            "{value}"
        );
    }
    for yes in [
        "y", "Y", "yes", "Yes", "on", "ON", "true", "tRUE", "n", "No", "off", "False",
    ] {
        assert_eq!(env(&format!("      has_dpas: {yes}\n")), LOADS, "{yes}");
    }
    for other in ["0", "1", "'true'", "t", "null", "", "yesno", "truer"] {
        assert_eq!(
            env(&format!("      has_dpas: {other}\n")),
            "value-not-read",
            "{other}"
        );
    }
    for (mode, wanted) in [
        ("age_based", LOADS),
        ("'age_based'", "unknown-value"),
        ("0", "unknown-value"),
        ("", "unknown-value"),
        ("Age_based", "unknown-value"),
    ] {
        assert_eq!(
            env(&format!("      thread_scheduling_mode: {mode}\n")),
            wanted,
            "{mode}"
        );
    }
}

#[test]
fn the_environment() {
    for (line, wanted) in [
        ("foo: 1", "unknown-key"),
        ("quantum_size: 1", "unknown-key"),
        ("generate_local_id: true", "unknown-key"),
        ("has_device_enqueue: true", "unknown-key"),
        ("actual_kernel_start_offset: foo", LOADS),
        ("hw_preemption_mode: 1", LOADS),
        ("require_iab: true", LOADS),
        ("has_bindless_image_read: 1", "value-not-read"),
        ("simd_size: 7", "simd-size"),
        ("grf_count: 1000000", LOADS),
        ("barrier_count: -1", LOADS),
        ("slm_size: 131072", LOADS),
        ("slm_size: 131073", "slm-size"),
        ("slm_size: -1", "slm-size"),
        ("slm_alloc_mode: 1", LOADS),
        ("slm_alloc_mode: 2", "slm-alloc-mode"),
        ("spill_size: -1", LOADS),
    ] {
        assert_eq!(env(&format!("      {line}\n")), wanted, "{line}");
    }
    assert_eq!(with("      grf_count:       128\n", ""), LOADS);
    assert_eq!(with("      simd_size:       32\n", ""), "simd-size");
    assert_eq!(
        with("simd_size:       32", "simd_size: 7\n      simd_size: 32"),
        LOADS
    );
}

#[test]
fn kernels_and_functions() {
    let text = ze_info(&["k"]);
    let kernel = ze_info_kernel("k");
    assert_eq!(of_text(text.replace("...", &kernel)), LOADS);
    assert_eq!(with("  - name:            k", "  - foo: 1"), "unknown-key");
    assert_eq!(
        with("  - name:            k\n", "  -\n"),
        "kernel-incomplete"
    );
    assert_eq!(
        with("name:            k", "name: k\n    name: k"),
        "duplicate-key"
    );
    assert_eq!(
        with("name:            k", "name: other"),
        "kernel-without-code"
    );
    assert_eq!(
        with("name:            k", "name: ''"),
        "kernel-without-code"
    );
    assert_eq!(with("    execution_env:", "    attributes:"), "unknown-key");
    assert_eq!(
        with("    execution_env:\n", "    execution_env:\n      - a\n"),
        "unknown-key"
    );
}

#[test]
fn functions() {
    let functions = |lines: &str| with("kernels:", &format!("functions:\n{lines}kernels:"));
    assert_eq!(functions("  - name: f\n"), LOADS);
    assert_eq!(
        functions("  - name: f\n    execution_env:\n      simd_size: 16\n"),
        LOADS
    );
    assert_eq!(
        functions("  - name: f\n    execution_env:\n      grf_count: 16\n"),
        "simd-size"
    );
    assert_eq!(
        functions("  - name: f\n    payload_arguments: []\n"),
        "unknown-key"
    );
    assert_eq!(
        functions("  - execution_env:\n      simd_size: 16\n"),
        "yaml-dash-line"
    );
    assert_eq!(functions("  - x\n"), LOADS);
}

#[test]
fn attributes_and_properties() {
    for (line, wanted) in [
        ("vec_type_hint: 'float4'", LOADS),
        ("some_hint_of_mine: [ 1, 2 ]", LOADS),
        ("foo: 1", "unknown-key"),
        ("invalid_kernel:", LOADS),
        ("reqd_work_group_size: [ 1, 2 ]", "list-length"),
        ("intel_reqd_sub_group_size: true", "value-not-read"),
    ] {
        assert_eq!(
            env(&format!("    user_attributes:\n      {line}\n")),
            wanted,
            "{line}"
        );
    }
    for (lines, wanted) in [
        ("      sip_surface_bti: 0\n", LOADS),
        ("      sip_surface_bti: -1\n", LOADS),
        ("      foo: 0\n", "unknown-key"),
        (
            "      - sip_surface_bti: 0\n        sip_surface_offset: 0\n",
            "unknown-key",
        ),
    ] {
        assert_eq!(env(&format!("    debug_env:\n{lines}")), wanted, "{lines}");
    }
    for (lines, wanted) in [
        ("      has_non_kernel_arg_load: foo\n      bar: 1\n", LOADS),
        (
            "      - has_non_kernel_arg_load: 1\n        has_non_kernel_arg_store: 1\n",
            LOADS,
        ),
        ("      - has_non_kernel_arg_load: true\n", "value-not-read"),
        (
            "      - has_non_kernel_arg_load: 1\n        bar: 1\n",
            "unknown-key",
        ),
    ] {
        assert_eq!(
            env(&format!("    experimental_properties:\n{lines}")),
            wanted,
            "{lines}"
        );
    }
}

#[test]
fn per_thread_arguments() {
    let local = |change: &dyn Fn(String) -> String| of_text(change(ze_info(&["k"])));
    for (simd, size, wanted) in [
        (32, 0, "per-thread-argument-of-size-0"),
        (32, 63, "per-thread-argument"),
        (32, 64, LOADS),
        (32, 191, LOADS),
        (32, 255, LOADS),
        (32, 256, "per-thread-argument"),
        (32, -192, "per-thread-argument"),
        (16, 32, "per-thread-argument"),
        (16, 64, LOADS),
        (8, 192, LOADS),
    ] {
        let got = local(&|text: String| {
            text.replace("simd_size:       32", &format!("simd_size: {simd}"))
                .replace("size:            192", &format!("size: {size}"))
        });
        assert_eq!(
            got, wanted,
            "simd {simd}, size {size}, registers of 64 bytes"
        );
    }
    // Registers of 32 bytes.
    let dg2 = Notes::new().number(6, 0x030d_c008).build();
    for (simd, size, wanted) in [
        (16, 32, LOADS),
        (16, 96, LOADS),
        (16, 128, "per-thread-argument"),
        (32, 96, LOADS),
    ] {
        let text = ze_info(&["k"])
            .replace("simd_size:       32", &format!("simd_size: {simd}"))
            .replace("size:            192", &format!("size: {size}"));
        let elf = small()
            .bytes(".note.intelgt.compat", dg2.clone())
            .bytes(".ze_info", text);
        let got = result(&verdict_on(&elf.build().bytes, None));
        assert_eq!(
            got, wanted,
            "simd {simd}, size {size}, registers of 32 bytes"
        );
    }
    for (entry, wanted) in [
        ("arg_type: packed_local_ids, offset: 0, size: 6", LOADS),
        ("arg_type: packed_local_ids, offset: 0, size: 3", LOADS),
        (
            "arg_type: packed_local_ids, offset: 0, size: 1",
            "per-thread-argument",
        ),
        (
            "arg_type: packed_local_ids, offset: 0, size: 8",
            "per-thread-argument",
        ),
        ("arg_type: local_size, offset: 0, size: 12", "unknown-value"),
        ("arg_type: foo, offset: 0, size: 12", "unknown-value"),
        (
            "arg_type: local_id, offset: 4, size: 192",
            "per-thread-argument",
        ),
        ("arg_type: local_id, size: 192", "per-thread-argument"),
        ("arg_type: local_id, offset: 0", "per-thread-argument"),
        (
            "arg_type: local_id, offset: 0, size: 192, foo: 1",
            "unknown-key",
        ),
    ] {
        let lines = entry.replace(", ", "\n        ");
        let old =
            "arg_type:        local_id\n        offset:          0\n        size:            192";
        assert_eq!(with(old, &lines), wanted, "{entry}");
    }
}

#[test]
fn argument_types_and_sizes() {
    args(&[
        ("arg_type: local_size, offset: 32, size: 4", LOADS),
        ("arg_type: local_size, offset: 32, size: 0", "argument-size"),
        (
            "arg_type: group_count, offset: 32, size: 7",
            "argument-size",
        ),
        (
            "arg_type: global_size, offset: 32, size: 16",
            "argument-size",
        ),
        (
            "arg_type: work_dimensions, offset: 32, size: 8",
            "argument-size",
        ),
        (
            "arg_type: region_group_dimension, offset: 32, size: 4",
            LOADS,
        ),
        (
            "arg_type: region_group_size, offset: 32, size: 12",
            "unknown-value",
        ),
        (
            "arg_type: region_group_wg_count, offset: 32, size: 4",
            "unknown-value",
        ),
        (
            "arg_type: region_group_barrier_buffer, offset: 32, size: 8",
            "unknown-value",
        ),
        (
            "arg_type: image_srgb_channel_order, offset: 32, size: 4, arg_index: 1",
            "unknown-value",
        ),
        (
            "arg_type: flat_image_pitch, offset: 32, size: 4, arg_index: 1",
            LOADS,
        ),
        (
            "arg_type: implicit_local_id_buffer, offset: 32, size: 4",
            "unknown-value",
        ),
        ("arg_type: local_id, offset: 32, size: 64", "argument-type"),
        (
            "arg_type: packed_local_ids, offset: 32, size: 6",
            "argument-type",
        ),
        (
            "arg_type: vme_mb_block_type, offset: 32, size: 4, arg_index: 1",
            "argument-type",
        ),
        (
            "arg_type: 'work_dimensions', offset: 32, size: 4",
            "unknown-value",
        ),
        ("arg_type: scratch_pointer, offset: 32, size: 8", LOADS),
        ("arg_type: assert_buffer, offset: 32, size: 8", LOADS),
        ("arg_type: sync_buffer, offset: -1, size: 8", LOADS),
        (
            "arg_type: implicit_arg_buffer, offset: 100000, size: 8",
            LOADS,
        ),
        ("arg_type: printf_buffer, offset: 32, size: 8", LOADS),
        ("arg_type: printf_buffer, offset: 32, size: 4", LOADS),
        (
            "arg_type: printf_buffer, offset: 32, size: 0",
            "pointer-size",
        ),
        (
            "arg_type: printf_buffer, offset: 32, size: 300",
            "pointer-size",
        ),
        (
            "arg_type: private_base_stateless, offset: 32, size: 0",
            LOADS,
        ),
        ("offset: 32, size: 8", "argument-type"),
        (
            "arg_type: work_dimensions, offset: 32, size: 4, foo: 1",
            "unknown-key",
        ),
        (
            "arg_type: work_dimensions, offset: 32, size: 8, size: 4",
            LOADS,
        ),
    ]);
}

#[test]
fn arguments_of_the_source() {
    args(&[
        (
            "arg_type: arg_byvalue, offset: 32, size: 4, arg_index: 1",
            LOADS,
        ),
        (
            "arg_type: arg_byvalue, offset: 32, size: 4, arg_index: 40000",
            LOADS,
        ),
        (
            "arg_type: arg_byvalue, offset: 32, size: 4",
            "argument-index",
        ),
        (
            "arg_type: arg_byvalue, offset: 32, size: 4, arg_index: -1",
            "argument-index",
        ),
        (
            "arg_type: arg_byvalue, offset: 32, size: 4, arg_index: -5",
            "argument-index",
        ),
        (
            "arg_type: arg_bypointer, offset: 32, size: 8, arg_index: -5, addrmode: stateless",
            LOADS,
        ),
        (
            "arg_type: arg_bypointer, offset: 32, size: 8, arg_index: -1, addrmode: stateless",
            "argument-index",
        ),
        (
            "arg_type: arg_bypointer, offset: 32, size: 8, arg_index: -50000, addrmode: stateless",
            "argument-index",
        ),
        (
            "arg_type: arg_byvalue, offset: 32, size: 4, arg_index: 2147483647",
            "argument-index",
        ),
        (
            "arg_type: arg_byvalue, offset: 32, size: 4, arg_index: foo",
            "value-not-read",
        ),
        (
            "arg_type: arg_byvalue, offset: 32, size: 4, arg_index: 0",
            "argument-kind",
        ),
        (
            "arg_type: image_width, offset: 32, size: 4, arg_index: 0",
            "argument-kind",
        ),
        (
            "arg_type: image_width, offset: 32, size: 4",
            "argument-index",
        ),
        (
            "arg_type: sampler_address, offset: 32, size: 4, arg_index: 1",
            LOADS,
        ),
        (
            "arg_type: buffer_offset, offset: 32, size: 4, arg_index: 0",
            LOADS,
        ),
        (
            "arg_type: buffer_offset, offset: 32, size: 8, arg_index: 0",
            "argument-size",
        ),
        (
            "arg_type: buffer_size, offset: 32, size: 8, arg_index: 0",
            LOADS,
        ),
        (
            "arg_type: buffer_size, offset: 32, size: 4, arg_index: 0",
            "argument-size",
        ),
    ]);
    let two = |first: &str, second: &str| {
        let element = |more: &str| {
            format!(
                "      - arg_type: arg_byvalue\n        offset: 32\n        size: 4\n        arg_index: 1\n{more}"
            )
        };
        let lines = format!(
            "{}{}    per_thread_payload",
            element(first),
            element(second)
        );
        with("    per_thread_payload", &lines)
    };
    let offset = "        source_offset: 4\n";
    assert_eq!(two(offset, offset), LOADS);
    assert_eq!(two("", offset), LOADS);
    assert_eq!(two(offset, ""), "source-offset");
    assert_eq!(
        two(offset, "        source_offset: foo\n"),
        "value-not-read"
    );
}

#[test]
fn pointers() {
    let pointer = |rest: &str| {
        arg(&format!(
            "arg_type: arg_bypointer, offset: 32, size: 8, arg_index: 1, {rest}"
        ))
    };
    cases(
        pointer,
        &[
            ("addrmode: stateless, addrspace: local", LOADS),
            ("addrmode: stateless", LOADS),
            (
                "addrmode: stateful, addrspace: global, access_type: readonly",
                LOADS,
            ),
            ("addrmode: stateless, addrspace: image", "address-mode"),
            ("addrmode: stateless, addrspace: sampler", "address-mode"),
            ("addrmode: slm, addrspace: constant", LOADS),
            ("addrmode: slm, addrspace: image", "argument-kind"),
            (
                "addrmode: shared_local_memory, addrspace: local",
                "unknown-value",
            ),
            ("addrmode: bindless, addrspace: sampler", LOADS),
            ("addrspace: global", "address-mode"),
            ("addrmode: stateless, addrspace: foo", "unknown-value"),
            ("addrmode: stateless, access_type: foo", "unknown-value"),
            ("addrmode: stateless, is_pipe: 1", "value-not-read"),
            ("addrmode: slm, slm_alignment: 0", LOADS),
            ("addrmode: slm, slm_alignment: 8", LOADS),
            ("addrmode: slm, slm_alignment: -1", "value-not-read"),
            (
                "addrmode: stateful, addrspace: image, image_type: image_cube",
                "unknown-value",
            ),
            (
                "addrmode: stateful, addrspace: image, image_type: image_cube_array",
                LOADS,
            ),
            (
                "addrmode: stateful, addrspace: sampler, sampler_type: sample_8x8_minmax",
                "unknown-value",
            ),
            (
                "addrmode: stateful, addrspace: sampler, sampler_type: ve",
                LOADS,
            ),
            (
                "addrmode: stateful, addrspace: sampler, sampler_index: 300",
                LOADS,
            ),
            (
                "addrmode: stateful, addrspace: sampler, sampler_index: foo",
                "value-not-read",
            ),
        ],
    );
}

#[test]
fn bindless_beside_stateful() {
    let both = |first: &str, second: &str| {
        let argument = |index: u32, rest: &str| {
            let rest = rest.replace(", ", "\n        ");
            format!(
                "      - arg_type: arg_bypointer\n        offset: 32\n        size: 8\n        arg_index: {index}\n        {rest}\n"
            )
        };
        let lines = format!(
            "{}{}    per_thread_payload",
            argument(1, first),
            argument(2, second)
        );
        with("    per_thread_payload", &lines)
    };
    let buffer = |mode| format!("addrmode: {mode}, addrspace: global");
    let image = |mode| format!("addrmode: {mode}, addrspace: image");
    let sampler = |mode| format!("addrmode: {mode}, addrspace: sampler");
    assert_eq!(
        both(&buffer("bindless"), &buffer("stateful")),
        "mixed-addressing"
    );
    assert_eq!(
        both(&image("stateful"), &image("bindless")),
        "mixed-addressing"
    );
    assert_eq!(both(&image("bindless"), &buffer("stateful")), LOADS);
    assert_eq!(both(&buffer("bindless"), &image("stateful")), LOADS);
    assert_eq!(both(&buffer("bindless"), &sampler("stateful")), LOADS);
    assert_eq!(both(&buffer("bindless"), &buffer("bindless")), LOADS);
    // Anything bindless beside an entry of the binding table that is there by then.
    let bindless = "      - arg_type: arg_bypointer\n        offset: 32\n        size: 8\n        arg_index: 1\n        addrmode: bindless\n        addrspace: global\n    per_thread_payload";
    let debug = replaced("    per_thread_payload", bindless).replace(
        "    payload_arguments",
        "    debug_env:\n      sip_surface_bti: 0\n    payload_arguments",
    );
    assert_eq!(of_text(debug), "mixed-addressing");
    let table = replaced("    per_thread_payload", bindless).replace(
        "...",
        "    binding_table_indices:\n      - bti_value: 0\n        arg_index: 1\n...",
    );
    assert_eq!(of_text(table), LOADS);
    args(&[
        (
            "arg_type: const_base, offset: 32, size: 8, addrmode: bindless, bti_value: 3",
            LOADS,
        ),
        (
            "arg_type: global_base, addrmode: bindless, offset: 32, size: 4",
            LOADS,
        ),
    ]);
}

#[test]
fn addresses_of_data() {
    let base = |kind: &str, rest: &str| {
        let text = replaced(
            "    per_thread_payload",
            &format!("      - arg_type: {kind}\n        {rest}\n    per_thread_payload"),
        );
        small().bytes(".ze_info", text)
    };
    let stateless = "offset: 32\n        size: 8\n        addrmode: stateless";
    let entry = "addrmode: stateful\n        bti_value: 3";
    let odd = "offset: 32\n        size: 6\n        addrmode: stateless";
    let constants = || Section::new(".data.const", 1, [0; 16]);
    let variables = || Section::new(".bss.global", 8, []).size(16);
    assert_eq!(of_elf(&base("const_base", stateless)), "no-data-section");
    assert_eq!(of_elf(&base("const_base", entry)), "no-data-section");
    // Without an entry and an offset, there is no address.
    assert_eq!(of_elf(&base("const_base", "addrmode: stateful")), LOADS);
    assert_eq!(
        of_elf(&base("const_base", stateless).section(constants())),
        LOADS
    );
    assert_eq!(
        of_elf(&base("const_base", stateless).section(variables())),
        "no-data-section"
    );
    assert_eq!(
        of_elf(&base("global_base", entry).section(variables())),
        LOADS
    );
    assert_eq!(
        of_elf(&base("const_base", odd).section(constants())),
        "pointer-size"
    );
    assert_eq!(
        of_elf(&small().section(variables().size(1 << 40))),
        "allocation"
    );
    assert_eq!(of_elf(&small().section(variables().size(10 << 30))), LOADS);
}

#[test]
fn samplers_and_buffers_and_tables() {
    let sampler = |entry: &str| table("inline_samplers", &[entry]);
    cases(
        sampler,
        &[
            (
                "sampler_index: 0, addrmode: repeat, filtermode: linear",
                LOADS,
            ),
            (
                "sampler_index: 300, addrmode: none, filtermode: nearest, normalized: true",
                LOADS,
            ),
            (
                "sampler_index: -2, addrmode: none, filtermode: nearest",
                LOADS,
            ),
            (
                "sampler_index: -1, addrmode: none, filtermode: nearest",
                "inline-sampler",
            ),
            ("addrmode: none, filtermode: nearest", "inline-sampler"),
            ("sampler_index: 0, filtermode: nearest", "inline-sampler"),
            ("sampler_index: 0, addrmode: none", "inline-sampler"),
            (
                "sampler_index: 0, addrmode: stateful, filtermode: nearest",
                "unknown-value",
            ),
            (
                "sampler_index: 0, addrmode: none, filtermode: nearest, normalized: 1",
                "value-not-read",
            ),
        ],
    );
    args(&[
        (
            "arg_type: inline_sampler, offset: 32, size: 8, sampler_index: 0",
            LOADS,
        ),
        (
            "arg_type: inline_sampler, offset: 32, size: 8, sampler_index: 1",
            "sampler-index",
        ),
        (
            "arg_type: inline_sampler, offset: 32, size: 8, sampler_index: -2",
            LOADS,
        ),
    ]);
    let memory = |entry: &str| table("per_thread_memory_buffers", &[entry]);
    cases(
        memory,
        &[
            ("type: scratch, usage: single_space, size: 64", LOADS),
            ("type: scratch, size: 64, slot: 1", LOADS),
            ("type: scratch, size: 64, slot: 2", "memory-buffer"),
            ("type: scratch, size: 64, slot: -1", LOADS),
            (
                "type: scratch, usage: private_base, size: 64",
                "unknown-value",
            ),
            (
                "type: global, usage: private_space, size: 64, slot: 5",
                LOADS,
            ),
            (
                "type: global, usage: single_space, size: 64",
                "memory-buffer",
            ),
            ("type: global, size: 64", "memory-buffer"),
            ("type: slm, usage: private_space, size: 64", "memory-buffer"),
            ("usage: private_space, size: 64", "memory-buffer"),
            (
                "type: scratch, usage: single_space, size: 0",
                "memory-buffer",
            ),
            (
                "type: scratch, usage: single_space, size: -1",
                "memory-buffer",
            ),
            (
                "type: scratch, usage: single_space, size: 2147483647",
                "memory-buffer",
            ),
            (
                "type: global, usage: private_space, size: 200000000, is_simt_thread: true",
                "memory-buffer",
            ),
        ],
    );
    let scratch = "type: scratch, usage: spill_fill_space, size: 64, slot: 0";
    assert_eq!(
        table("per_thread_memory_buffers", &[scratch, scratch]),
        "memory-buffer"
    );
    let global = "type: global, usage: private_space, size: 64";
    assert_eq!(table("per_thread_memory_buffers", &[global, global]), LOADS);
    let binding = |entry: &str| table("binding_table_indices", &[entry]);
    cases(
        binding,
        &[
            ("bti_value: 0, arg_index: 0", LOADS),
            ("bti_value: 2147483647, arg_index: 0", LOADS),
            ("bti_value: true, arg_index: 0", "value-not-read"),
            ("bti_value: 0", LOADS),
            ("arg_index: 0", LOADS),
            ("bti_value: 0, arg_index: 1", "binding-table-argument"),
            ("bti_value: 0, arg_index: -1", "binding-table-argument"),
            ("bti_value: 0, arg_index: -20000", "binding-table-index"),
            ("bti_value: 0, arg_index: 2000000000", "binding-table-index"),
        ],
    );
}

// Linking.

/// Returns a file whose first relocation is against another symbol.
fn linked(symbol: Symbol, kind: u64, offset: u64) -> Elf {
    let mut elf = small();
    let code = Symbol::new("k", 0, 2, ".text.k").at(0, 16);
    let relocations = vec![Relocation {
        offset,
        symbol: 2,
        kind,
        addend: 0,
    }];
    let symbols = Section::symbols(vec![code, symbol]);
    *elf.named(".symtab") = symbols;
    *elf.named(".rel.text.k") = Section::relocations(".text.k", relocations, false);
    elf
}

#[test]
fn symbols_and_relocations() {
    let variable = || Symbol::new("v", 1, 1, ".data.global").at(0, 8);
    let data = || Section::new(".data.global", 1, [0; 16]);
    let good = linked(variable(), 1, 0).section(data());
    assert_eq!(of_elf(&good), LOADS);
    assert_eq!(
        of_elf(&linked(variable(), 2, 1 << 20).section(data())),
        "link-relocation-out-of-bounds"
    );
    assert_eq!(
        of_elf(&linked(variable(), 5, 0).section(data())),
        "relocation-type"
    );
    assert_eq!(of_elf(&linked(variable(), 4, 0).section(data())), LOADS);
    let far = Symbol::new("v", 1, 1, ".data.global").at(1 << 30, 8);
    assert_eq!(
        of_elf(&linked(far, 1, 0).section(data())),
        "link-symbol-out-of-bounds"
    );
    assert_eq!(
        of_elf(&linked(Symbol::new("w", 1, 0, 0), 1, 0)),
        "link-undefined-symbol"
    );
    for name in ["__SubDeviceID", "__INTEL_PER_THREAD_OFF", ""] {
        assert_eq!(
            of_elf(&linked(Symbol::new(name, 1, 0, 0), 2, 0)),
            LOADS,
            "{name}"
        );
    }
    let string = Symbol::new("s", 1, 1, ".data.const.string").at(8, 16);
    let strings = Section::new(".data.const.string", 1, [0; 16]);
    assert_eq!(
        of_elf(&linked(string, 1, 0).section(strings)),
        "link-symbol-out-of-bounds"
    );
    let gone = |elf: &Elf, kind| {
        of(&elf
            .build()
            .with_section(".data.global", "sh_type", kind)
            .bytes)
    };
    assert_eq!(gone(&good, 0), "link-symbol-out-of-bounds");
    // The buffer exists anyway; relocations patch it by the section's name.
    let zeros = Section::new(".bss.global", 8, []).size(4096);
    let patch = Relocation {
        offset: 8,
        symbol: 2,
        kind: 1,
        addend: 0,
    };
    let patched = Section::relocations(".data.global", vec![patch], false);
    let both = good.section(zeros).section(patched);
    assert_eq!(of_elf(&both), LOADS);
    assert_eq!(gone(&both, 0), LOADS);
    assert_eq!(gone(&both, 8), "section-ignored");
}

#[test]
fn indices_of_symbols() {
    let relocation = |symbol| {
        let mut elf = small();
        let list = vec![Relocation {
            offset: 0,
            symbol,
            kind: 2,
            addend: 0,
        }];
        *elf.named(".rel.text.k") = Section::relocations(".text.k", list, false);
        of_elf(&elf)
    };
    assert_eq!(relocation(0), LOADS);
    // Neither a function nor an object.
    assert_eq!(relocation(1), LOADS);
    assert_eq!(relocation(4), "relocation-symbol");
    assert_eq!(relocation(0xffff_ffff), "relocation-symbol");
    // The relocations refer to the third symbol.
    let name = |index, value| of(&small().build().with_symbol(index, "st_name", value).bytes);
    assert_eq!(name(3, 0x10_0000), "symbol-name");
    assert_eq!(name(1, 0x10_0000), LOADS);
}

#[test]
fn functions_and_variables_by_name() {
    let table = |name: &str| {
        let text = replaced(
            "kernels:",
            &format!(
                "global_host_access_table:\n  - device_name: {name}\n    host_name: h\nkernels:"
            ),
        );
        let variable = Symbol::new("v", 1, 1, ".data.global").at(0, 8);
        let elf = linked(variable, 1, 0).section(Section::new(".data.global", 1, [0; 16]));
        of_elf(&elf.bytes(".ze_info", text))
    };
    assert_eq!(table("v"), LOADS);
    assert_eq!(table("other"), "host-access-name");
    assert_eq!(table("5"), "value-not-read");
    assert_eq!(table("-"), "value-not-read");
    let unnamed = replaced(
        "kernels:",
        "global_host_access_table:\n  - host_name: h\nkernels:",
    );
    assert_eq!(of_text(unnamed), "host-access-name");
    let empty = replaced(
        "kernels:",
        "global_host_access_table:\n  - device_name: v\n    host_name:\nkernels:",
    );
    assert_eq!(of_text(empty), "empty-text");
}
