//! The work of a verdict is linear in the size of the file; a file beyond the limit is not judged.
//! Work is counted, not timed.

use crate::support::elf::{Elf, Relocation, Section, Symbol};
use crate::support::open;
use crate::support::zebin::{code, small, ze_info, zebin};
use zeview::analysis::Verdict;
use zeview::decode::limits::verdict_steps;
use zeview::decode::zebin::verdict::release::Release;
use zeview::decode::zebin::verdict::{load, rules};
use zeview::model::{NodeId, Outcome, SourceId};

/// Returns the verdict, the work, and the size of the file.
fn judge(bytes: &[u8]) -> (Verdict, u64, u64) {
    let document = open(bytes);
    let file = document.sources.whole(SourceId::FILE);
    let (verdict, steps) = load(&document.sources, file, None, Release::default(), None);
    assert_eq!(
        document.verdict(NodeId::ROOT, None).as_ref(),
        Some(&verdict)
    );
    (verdict, steps, bytes.len() as u64)
}

/// Checks that the work for files of sizes 1, 2 and 4 is linear.
fn grows_evenly(what: &str, make: impl Fn(usize) -> Vec<u8>) {
    let [one, two, four] = [1, 2, 4].map(|times| {
        let (verdict, steps, _) = judge(&make(500 * times));
        assert_eq!(
            verdict.outcome,
            Outcome::Loads,
            "{what}: {:?}",
            verdict.findings
        );
        steps as f64
    });
    let growth = (four - two) / (two - one);
    assert!((1.9..2.1).contains(&growth), "{what}: {one} {two} {four}");
}

/// Returns kernels with everything that is looked up by name: argument names, functions that call
/// each other, relocations of both.
fn kernels(count: usize) -> Vec<u8> {
    let names: Vec<String> = (0..count).map(|i| format!("kernel_{i:06}")).collect();
    let mut functions = "functions:\n".to_owned();
    let mut misc = "kernels_misc_info:\n".to_owned();
    for (i, name) in names.iter().enumerate() {
        functions += &format!("  - name: function_{i:06}\n");
        misc += &format!(
            "  - name: {name}\n    args_info:\n      - index: 0\n        name: a\n        type_name: int\n"
        );
    }
    let text = ze_info(&names).replace("kernels:", &format!("{functions}kernels:"));
    let mut elf = zebin(&names).bytes(".ze_info", text.replace("...\n", &misc));
    let first = names.len() as u64 * 2 + 2;
    for i in 0..count {
        let name = format!("function_{i:06}");
        elf = elf.symbol(Symbol::new(&name, 1, 2, ".text").at(i as u64 * 16, 16));
    }
    let call = |offset: u64, function: usize| Relocation {
        offset,
        symbol: first + function as u64,
        kind: 2,
        addend: 0,
    };
    let calls = (0..count).map(|i| call(i as u64 * 16, (i * 7) % count));
    elf = elf.section(Section::new(".text", 1, vec![0; count * 16]));
    elf = elf.section(Section::relocations(".text", calls.collect(), false));
    for (i, name) in names.iter().enumerate() {
        let text = format!(".text.{name}");
        *elf.named(&format!(".rel{text}")) =
            Section::relocations(&text, vec![call(0x0c, i), call(0x10, 0)], false);
    }
    elf.build().bytes
}

/// Returns one function with many relocations.
fn of_one_function(name: &str, count: usize) -> Elf {
    let mut elf = small()
        .symbol(Symbol::new(".symtab", 0, 0, 0))
        .symbol(Symbol::new(".strtab", 0, 0, 0))
        .symbol(Symbol::new(name, 1, 2, ".text.k"));
    let one = Relocation {
        offset: 0,
        symbol: 6,
        kind: 2,
        addend: 0,
    };
    *elf.named(".rel.text.k") = Section::relocations(".text.k", vec![one; count], false);
    elf
}

#[test]
fn work_grows_with_the_file() {
    grows_evenly("kernels", kernels);
    grows_evenly("relocations of one long name", |count| {
        of_one_function(&"n".repeat(60_000), 20 * count)
            .build()
            .bytes
    });
    grows_evenly("sections", |count| {
        let mut elf = small();
        for i in 0..count {
            elf = elf.section(Section::new(format!(".text.k{i:06}"), 1, code(1)));
        }
        elf.build().bytes
    });
    grows_evenly("arguments", |count| {
        let one = "      - arg_type: arg_byvalue\n        offset: 32\n        size: 4\n        source_offset: 0\n        arg_index: 1\n";
        let lines = format!("{}    per_thread_payload", one.repeat(count));
        let text = ze_info(&["k"]).replace("    per_thread_payload", &lines);
        small().bytes(".ze_info", text).build().bytes
    });
}

#[test]
fn a_real_files_work_is_far_from_the_limit() {
    let (_, steps, size) = judge(&kernels(2000));
    assert!(steps < 10 * size, "{steps} steps for {size} bytes");
    let (_, steps, _) = judge(&small().build().bytes);
    assert!(steps < 100_000, "{steps} steps");
}

#[test]
fn shared_relocation_name_is_read_once() {
    let name = "n".repeat(5_000_000);
    let mut elf = of_one_function(&name, 200_000);
    // Its name comes last in the string table, and has no NUL.
    let at = elf.sections.iter().position(|s| s.name == b".symtab");
    let symbols = elf.sections.remove(at.unwrap());
    elf.sections.push(symbols);
    let file = elf.build();
    let end = file.find(".strtab", name.as_bytes()).end;
    assert_eq!(end + 1, file.content(".strtab").end);
    let file = file.with_bytes(end, b"n");
    let (verdict, steps, size) = judge(&file.bytes);
    assert_eq!(verdict.outcome, Outcome::Loads, "{:?}", verdict.findings);
    assert!(steps < 10 * size, "{steps} steps for {size} bytes");
}

#[test]
fn files_beyond_the_limit_are_not_judged() {
    let name = "n".repeat(200_000);
    let mut elf = small().symbol(Symbol::new(&name, 1, 0, 0));
    for _ in 0..400 {
        elf = elf.symbol(Symbol::new("", 1, 0, 0));
    }
    let mut file = elf.build();
    let long = file.symbol_field(4, "st_name");
    let start = u32::from_le_bytes(file.bytes[long].try_into().unwrap());
    for index in 0..400 {
        file = file.with_symbol(5 + index, "st_name", u64::from(start) + index as u64);
    }
    let (verdict, steps, size) = judge(&file.bytes);
    assert_eq!(verdict.outcome, Outcome::NotJudged);
    assert!(!verdict.outcome.loads());
    let decisive = &verdict.findings[verdict.decisive.unwrap()];
    assert_eq!(decisive.rule, rules::NOT_JUDGED.id);
    let table = file.section_header(".strtab");
    assert_eq!(decisive.span.start, table.start as u64);
    assert!(steps > verdict_steps(size) && steps < verdict_steps(size) + 100_000);
    assert_eq!(verdict.headline(), "driver 26.27 on bmg-g21: not judged");
}

#[test]
fn a_text_of_nothing_but_tokens_is_not_judged() {
    let text = ":".repeat(2_000_000);
    let (verdict, steps, size) = judge(&small().bytes(".ze_info", text).build().bytes);
    assert_eq!(verdict.outcome, Outcome::NotJudged);
    assert!(steps < verdict_steps(size) + 1000);
}
