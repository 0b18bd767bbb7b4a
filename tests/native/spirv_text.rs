//! SPIR-V as text: equal to that of `spirv-dis`, and complete for damaged modules.

use std::fs;
use std::rc::Rc;

use crate::support::fixtures;
use crate::support::random::Random;
use crate::support::spirv::{Module, kernel};
use zeview::analysis::module_text::{IdStyle, ModuleText, TextLine, TokenKind};
use zeview::model::{Document, NodeId, Span};
use zeview::tables::query::{Query, RowOptions};
use zeview::tables::{ListId, list_for, module_lines};

const STYLES: [(IdStyle, &str); 2] = [(IdStyle::Names, "spvasm"), (IdStyle::Numbers, "raw.spvasm")];

/// Returns the text of the only module in a file.
fn module(document: &mut Document) -> Rc<dyn ModuleText> {
    let mut found = document.module_texts(NodeId::ROOT);
    assert_eq!(found.len(), 1);
    found.remove(0).1
}

fn lines(text: &dyn ModuleText, ids: IdStyle, document: &Document) -> Vec<TextLine> {
    let rows = 0..text.count(&document.sources);
    let line = |row| text.line(row, ids, &document.sources).unwrap();
    rows.map(line).collect()
}

/// Returns the whole text, as it is printed.
pub fn whole(text: &dyn ModuleText, ids: IdStyle, document: &Document) -> Vec<u8> {
    let lines = lines(text, ids, document).into_iter();
    lines
        .flat_map(|line| [line.text, b"\n".to_vec()].concat())
        .collect()
}

fn text_of(bytes: &[u8], ids: IdStyle) -> String {
    let mut document = crate::support::open(bytes);
    let text = module(&mut document);
    String::from_utf8(whole(&*text, ids, &document)).unwrap()
}

/// Returns the modules of the fixtures, with the name of each.
fn modules() -> Vec<(String, Vec<u8>)> {
    let folder = fixtures::folder().join("spirv");
    let own = fs::read(folder.join("literals.spv")).unwrap();
    let mut all = vec![("literals".to_owned(), own)];
    for fixture in fixtures::zebins() {
        let name = fixture.name.trim_end_matches(".zebin").to_owned();
        if folder.join(format!("{name}.spvasm")).exists() {
            all.push((name, fixture.bytes.clone()));
        }
    }
    assert!(all.len() > 5);
    all
}

#[test]
fn text_equals_that_of_spirv_dis() {
    let folder = fixtures::folder().join("spirv");
    for (name, bytes) in modules() {
        for (ids, extension) in STYLES {
            let expected = fs::read_to_string(folder.join(format!("{name}.{extension}"))).unwrap();
            let mut document = crate::support::open(&bytes);
            let text = module(&mut document);
            let text = String::from_utf8(whole(&*text, ids, &document)).unwrap();
            for (number, (line, expected)) in text.lines().zip(expected.lines()).enumerate() {
                assert_eq!(line, expected, "{name}.{extension}:{}", number + 1);
            }
            assert_eq!(text, expected, "{name}.{extension}");
        }
    }
}

/// Checks that each byte of a module belongs to one token, and that the tokens are parts of the
/// text.
fn check(bytes: &[u8], what: &str) {
    let document = crate::support::open(bytes);
    let Some(text) = document.module_text(NodeId::ROOT) else {
        return;
    };
    let sources = &document.sources;
    let mut known = 0;
    for (ids, _) in STYLES {
        let mut at = 0;
        for (row, line) in lines(&*text, ids, &document).into_iter().enumerate() {
            let row = u32::try_from(row).unwrap();
            assert_eq!(line.span.start, at, "{what}: row {row}");
            assert_eq!(
                text.bytes_of(row, sources),
                Some(line.span),
                "{what}: row {row}"
            );
            let mut tokens: Vec<Span> = line.tokens.iter().map(|token| token.span).collect();
            // The result is written first.
            tokens.sort();
            for span in tokens.iter().filter(|span| !span.is_empty()) {
                assert_eq!(span.start, at, "{what}: row {row}");
                at = span.end;
                assert_eq!(text.row_at(span.start, sources), Some(row), "{what}");
            }
            assert_eq!(line.span.end, at, "{what}: row {row}");
            let mut end = 0;
            for token in &line.tokens {
                assert!(
                    token.start >= end && token.end >= token.start,
                    "{what}: row {row}"
                );
                end = token.end;
                if let TokenKind::Result(id) = token.kind {
                    let first = text.definition(id, sources).unwrap();
                    assert!(first <= row, "{what}: row {row}");
                    known = id;
                }
            }
            assert!(end as usize <= line.text.len(), "{what}: row {row}");
            let (readable, tokens) = line.readable();
            for token in tokens {
                let part = readable.get(token.start as usize..token.end as usize);
                assert!(part.is_some(), "{what}: row {row}");
            }
        }
        assert_eq!(at, bytes.len() as u64, "{what}");
    }
    let count = text.count(sources);
    assert_eq!(text.line(count, IdStyle::Names, sources), None);
    for row in text.uses(known, 0, 100, sources) {
        let line = text.line(row, IdStyle::Names, sources).unwrap();
        let is_use = |kind| kind == TokenKind::Id(known);
        assert!(
            line.tokens.iter().any(|token| is_use(token.kind)),
            "{what}: row {row}"
        );
    }
    let mut end = 0;
    for function in text.functions(sources) {
        assert!(
            function.rows.start >= end && function.rows.end <= count,
            "{what}"
        );
        end = function.rows.end;
    }
}

#[test]
fn each_byte_of_a_damaged_module_belongs_to_one_token() {
    let literals = fs::read(fixtures::folder().join("spirv/literals.spv")).unwrap();
    for (name, bytes) in [("literals", literals), ("kernel", kernel().build())] {
        check(&bytes, name);
        let mut random = Random::named(name);
        for round in 0..300 {
            let mut damaged = bytes.clone();
            for _ in 0..=random.below(4) {
                let at = 4 + random.below(damaged.len() - 4);
                match random.below(4) {
                    0 => damaged[at] ^= 1 << random.below(8),
                    1 => damaged[at] = random.next() as u8,
                    2 => damaged.truncate(at.max(8)),
                    _ => {
                        // A whole word, in which small numbers are likely.
                        let at = at / 4 * 4;
                        let word = (random.next() as u32) >> random.below(32);
                        if let Some(bytes) = damaged.get_mut(at..at + 4) {
                            bytes.copy_from_slice(&word.to_le_bytes());
                        }
                    }
                }
            }
            check(&damaged, &format!("{name}, round {round}"));
        }
    }
}

#[test]
fn what_does_not_match_the_grammar_is_named() {
    let text = text_of(&kernel().build(), IdStyle::Names);
    let ends = [
        "!0x00047ffe !0x00000001 !0x00000002 !0x00000003 ; 0x00000210: unknown opcode 32766",
        "OpTypeInt ; 0x00000220: ends before the operand Literal",
        "OpTypeVoid !0x0000001b !0x0000001c ; 0x00000228: 2 words after the last operand",
        "OpDecorate %add LinkageAttributes \"linked\" ; 0x00000098: ends before the operand Linkage Type",
    ];
    for end in ends {
        assert!(
            text.lines().any(|line| line.ends_with(end)),
            "{end}\n{text}"
        );
    }
    let base = || {
        let start = Module::new(9).op_text(11, &[1], "OpenCL.std");
        start.op(19, &[2]).op(21, &[3, 32, 0])
    };
    let cases: [(Module, &str); 8] = [
        (
            base().op(71, &[2, 0x7777_7777, 5]),
            "OpDecorate %void !0x77777777 !0x00000005 ; 0x00000040: unknown Decoration 2004318071",
        ),
        (
            base().op(61, &[3, 4, 5, 0x8000_0002, 4]),
            "%4 = OpLoad %uint %5 !0x80000002 4 ; 0x00000040: unknown Memory Operands 2147483648",
        ),
        (
            base().op(12, &[2, 4, 1, 9999, 3]),
            "%4 = OpExtInst %void %1 !0x0000270f %uint ; 0x00000040: unknown extended instruction 9999",
        ),
        (
            base().op(12, &[2, 4, 3, 1]),
            "%4 = OpExtInst %void %uint !0x00000001 ; 0x00000040: %3 is not an imported instruction set",
        ),
        (
            base().op(43, &[2, 4, 1]),
            "%4 = OpConstant %void !0x00000001 ; 0x00000040: the type of the number is unknown",
        ),
        (
            base().op(5, &[2, 0x6161_6161]),
            "OpName %void \"aaaa\" ; 0x00000040: text without an end",
        ),
        (
            base().op(52, &[3, 4, 19, 1]),
            "%4 = OpSpecConstantOp %uint TypeVoid !0x00000001 ; 0x00000040: unknown operation 19",
        ),
        (
            base().words(&[0x0009_0015, 1]),
            "; 0x00000040: 8 bytes: the word count extends past the end of the module",
        ),
    ];
    for (module, end) in cases {
        let text = text_of(&module.build(), IdStyle::Names);
        assert_eq!(text.lines().last().unwrap().trim_start(), end);
    }
    let odd = [&base().build()[..], &[1]].concat();
    let last = "; 0x00000040: 1 byte: less than a word\n";
    assert!(text_of(&odd, IdStyle::Numbers).ends_with(last));
    let cut = &base().build()[..10];
    assert_eq!(
        text_of(cut, IdStyle::Names),
        "; SPIR-V\n; Version: 1.4\n; 0x00000008: 2 bytes: the header of five words is truncated\n"
    );
    let unknown = Module::new(1).with(2, 0xfff0_0007).build();
    let text = text_of(&unknown, IdStyle::Names);
    assert!(text.contains("; Generator: Unknown(65520); 7\n"), "{text}");
}

#[test]
fn ids_lead_to_their_definition_and_uses() {
    let document = crate::support::open(&kernel().build());
    let text = document.module_text(NodeId::ROOT).unwrap();
    let sources = &document.sources;
    let line = |row| {
        let line = text.line(row, IdStyle::Names, sources).unwrap();
        String::from_utf8(line.text).unwrap().trim().to_owned()
    };
    assert_eq!(
        line(text.definition(2, sources).unwrap()),
        "%uint = OpTypeInt 32 0"
    );
    let uses = text.uses(14, 0, 100, sources);
    // Not the extended instruction with this number.
    assert_eq!(uses.len(), 1);
    assert_eq!(
        line(uses[0]),
        "%19 = OpSpecConstantOp %uint IAdd %uint_7 %uint_7"
    );
    assert_eq!(text.uses(2, 0, 2, sources).len(), 2);
    assert_eq!(text.definition(99, sources), None);
    let functions = text.functions(sources);
    assert_eq!(functions.len(), 1);
    assert_eq!(functions[0].id, 12);
    assert_eq!(
        line(functions[0].rows.start),
        "%add = OpFunction %void None %9"
    );
    assert_eq!(line(functions[0].rows.end - 1), "OpFunctionEnd");
    assert_eq!(text.name(12, IdStyle::Names, sources), "add");
    assert_eq!(text.name(12, IdStyle::Numbers, sources), "12");
}

/// Names could double with each level of nested arrays, and equal names would be searched for
/// again and again.
#[test]
fn names_take_linear_time_and_memory() {
    let mut nested = Module::new(70_000).op(19, &[1]);
    for id in 2..2_000 {
        nested = nested.op(28, &[id, id - 1, id - 1]);
    }
    let mut equal = Module::new(70_000);
    for id in 1..60_000 {
        equal = equal.op_text(5, &[id], "x");
    }
    for module in [nested, equal] {
        let start = std::time::Instant::now();
        let text = text_of(&module.build(), IdStyle::Names);
        assert!(text.len() < 500_000_000);
        assert!(start.elapsed().as_secs() < 20);
    }
    let mut equal = Module::new(9);
    for id in [3, 5, 4] {
        equal = equal.op_text(5, &[id], "x");
    }
    let text = text_of(&equal.build(), IdStyle::Names);
    assert!(text.ends_with(
        "OpName %x \"x\"\n               OpName %x_0 \"x\"\n               OpName %x_1 \"x\"\n"
    ));
}

/// The tab Text: a line of the module in each row, of the module or of the section that has it.
#[test]
fn the_list_of_lines_shows_a_module() {
    for (name, bytes) in modules() {
        let mut document = crate::support::open(&bytes);
        let module = module(&mut document);
        let query = |folded: Vec<u32>| Query {
            of: Some(module.span()),
            options: RowOptions::code(None, folded),
            ..Query::default()
        };
        let all = query(Vec::new());
        let list = list_for(&mut document, NodeId::ROOT, ListId::Lines, &all).unwrap();
        let sources = &document.sources;
        assert_eq!(list.count(), module.count(sources), "{name}");
        let written = module_lines::text(&*module, module.span(), sources, usize::MAX).unwrap();
        let whole = String::from_utf8(whole(&*module, IdStyle::Names, &document)).unwrap();
        assert_eq!(written, whole, "{name}");
        for row in 0..list.count() {
            let line = module.line(row, IdStyle::Names, sources).unwrap();
            let tokens = line.tokens.len();
            let cell = list.cell(row, 1, sources);
            assert_eq!(cell.value.text().as_bytes(), line.text, "{name}: row {row}");
            assert_eq!(list.code_row(row, sources).unwrap().words.len(), tokens);
            assert_eq!(list.entry(row, sources), Some(line.span));
            assert_eq!(list.rows_at(line.span, sources), Some(row..row + 1));
        }
        let function = module.functions(sources)[0].clone();
        let folded = query(vec![function.rows.start]);
        let order = folded.run(&*list, sources).unwrap();
        let hidden = function.rows.end - function.rows.start - 1;
        assert_eq!(order.count(), list.count() - hidden, "{name}");

        // The definition of an id has links to its uses.
        let void = module.functions(sources).len();
        let row = (0..list.count()).find(|row| {
            let text = list.cell(*row, 1, sources).value.text().into_owned();
            text.ends_with("= OpTypeVoid")
        });
        let row = row.unwrap();
        let about = list.about(row, list.entry(row, sources).unwrap(), sources);
        assert_eq!(about.title, "%void = OpTypeVoid");
        assert!(about.links.len() >= void, "{name}");

        let find = |from, forward| {
            module_lines::find(&*module, "opfunctionend", from, forward, sources).unwrap()
        };
        let first = find(module.span().start, true);
        assert_eq!((first.ordinal, first.count), (1, void as u64));
        assert_eq!(find(first.span.start, false).ordinal, void as u64);
    }
}
