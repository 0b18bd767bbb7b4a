//! Search in code: the same instructions as if each was looked at, whatever decides them.

use std::rc::Rc;

use crate::cli::{fixture, stderr, stdout, zeview};
use crate::decoder::Decoder;
use crate::support::found::{CASES, cell, codes, find, looked_at, rows};
use crate::support::{built, fixtures, open};
use serde_json::Value;
use zeview::analysis::assembly::Listing;
use zeview::api::operations::{FindRequest, find_code};
use zeview::decode::isa::{Code, Decoder as Instructions, Platform};
use zeview::model::{Document, MemorySource, NodeId, SourceId, Sources};
use zeview::tables::query::{FindOptions, Query, RowOptions};
use zeview::tables::{CellValue, List, ListId, list_for};
use zeview::worker::protocol::{ListRequest, Request, Response};

const SPILL: &[u8] = include_bytes!("../../www/samples/spill.dg2.zebin");
const PROGRAM: &[u8] = include_bytes!("../../www/samples/program.host");

/// All files of the tests.
fn files() -> Vec<(String, Vec<u8>)> {
    let fixtures = [
        fixtures::zebins(),
        fixtures::syclbins(),
        fixtures::hosts(),
        fixtures::packages(),
        fixtures::hostile(),
    ];
    let files = fixtures.into_iter().flatten();
    let files = files.map(|file| (file.name, file.bytes));
    let built = built::all().into_iter();
    let built = built.map(|(name, bytes)| (name.to_owned(), bytes));
    let samples = [("spill", SPILL), ("program", PROGRAM)];
    let samples = samples.map(|(name, bytes)| (name.to_owned(), bytes.to_vec()));
    files.chain(built).chain(samples).collect()
}

/// Checks that the classes of instructions have what each instruction has.
fn check_classes(name: &str, listing: &dyn Listing, sources: &Sources) {
    let mut count = 0;
    let mut seen = Vec::new();
    listing.each_class(sources, &mut |row, span, class| {
        seen.push((row, span, Rc::clone(class)));
        true
    });
    for (row, span, class) in seen {
        assert_eq!(row, count, "{name}");
        count += 1;
        assert_eq!(listing.span(row, sources), Some(span), "{name}, {row}");
        let line = listing.line(row, sources).unwrap();
        let marks: Vec<&str> = line.marks.iter().map(|mark| &*mark.text).collect();
        let of: Vec<&str> = class.marks.iter().map(|mark| &**mark).collect();
        assert_eq!(
            (
                class.mnemonic,
                &*class.operation,
                class.kind,
                &*class.message,
                of
            ),
            (
                line.mnemonic,
                &*line.operation,
                line.kind,
                &*line.message_name,
                marks
            ),
            "{name}, {row}: {}",
            line.text
        );
    }
    assert_eq!(count, listing.count(), "{name}: a row is lost");
    let classes = listing.classes(sources);
    let sum: u32 = classes.iter().map(|class| class.count).sum();
    assert_eq!(sum, count, "{name}");
}

#[test]
fn classes_have_what_the_instructions_have() {
    let mut searched = 0;
    for (name, bytes) in files() {
        let mut document = open(&bytes);
        for (kernel, _, listing) in codes(&mut document) {
            check_classes(&format!("{name}, {kernel}"), &*listing, &document.sources);
            searched += 1;
        }
    }
    assert!(searched > 50, "{searched}");
}

#[test]
fn classes_of_random_words_have_what_the_instructions_have() {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    // Words of real code with changed bits, and words of no code.
    let mut document = open(SPILL);
    let codes = codes(&mut document);
    let bytes = document.sources.read(codes[0].2.code()).unwrap().to_vec();
    for platform in Platform::ALL {
        let mut words = Vec::new();
        for word in bytes.chunks_exact(16).take(400) {
            let mut word = u128::from_le_bytes(word.try_into().unwrap());
            for _ in 0..next() % 4 {
                word ^= 1 << (next() % 128);
            }
            words.extend(word.to_le_bytes());
        }
        for _ in 0..400 {
            words.extend(next().to_le_bytes());
        }
        words.extend([0; 40]);
        let sources = Sources::new("words", Box::new(MemorySource::from(words)));
        let whole = sources.whole(SourceId::FILE);
        let code = Code::new(Some(Instructions::of(platform)), whole, &sources);
        // Twice: the patterns are known the second time.
        for _ in 0..2 {
            check_classes(platform.name(), &code, &sources);
        }
    }
}

#[test]
fn what_is_found_is_what_each_instruction_says() {
    let mut matches = 0;
    for (name, bytes) in files() {
        let mut document = open(&bytes);
        for (query, is) in CASES {
            let wanted = looked_at(&mut document, is);
            // The second time, the classes of instructions are known.
            for _ in 0..2 {
                let (list, totals) = find(&mut document, query, true);
                let found = rows(&*list, &document.sources);
                if totals.unsearched == 0 {
                    assert_eq!(found.len(), wanted.len(), "{name}: {query}");
                    let offsets = |rows: &[(String, String, u64)]| -> Vec<(String, u64)> {
                        rows.iter()
                            .map(|(name, _, at)| (name.clone(), *at))
                            .collect()
                    };
                    assert_eq!(offsets(&found), offsets(&wanted), "{name}: {query}");
                }
                assert_eq!(totals.matches, found.len() as u64, "{name}: {query}");
                let (kernels, sums) = find(&mut document, query, false);
                assert_eq!(sums, totals, "{name}: {query}");
                let counts = (0..kernels.count()).map(|row| {
                    let count = cell(&*kernels, row, "found", &document.sources);
                    count.parse::<u64>().unwrap()
                });
                assert_eq!(counts.sum::<u64>(), totals.matches, "{name}: {query}");
            }
            matches += wanted.len();
        }
    }
    assert!(matches > 10_000, "{matches}");
}

/// The rows of the list of instructions that match a filter, in each section of code.
fn filtered(document: &mut Document, filter: &str) -> Vec<(String, u64)> {
    let sections = document.assembly(NodeId::ROOT).unwrap().sections();
    let mut found = Vec::new();
    for section in sections.iter() {
        let query = Query {
            filter: filter.to_owned(),
            of: Some(section.bytes),
            ..Query::default()
        };
        let list = list_for(document, NodeId::ROOT, ListId::Instructions, &query).unwrap();
        let order = query.run(&*list, &document.sources).unwrap();
        for row in order.from(0, u64::MAX) {
            let at = list.entry(row, &document.sources).unwrap().start - section.bytes.start;
            let name = section.name.trim_start_matches(".text.").to_owned();
            found.push((name, at));
        }
    }
    found.sort();
    found
}

#[test]
fn conditions_mean_what_they_mean_in_the_list_of_instructions() {
    let queries = [
        "marks=spill",
        "loop>=1 kind=message",
        "loop=0 and not operation=mov",
        "offset>=0x80 size=8",
        "message=load.ugm or message=store.ugm",
        "reads=r1 or writes>3",
        "live>20 kind=float",
        "target>0",
    ];
    let mut matches = 0;
    for file in fixtures::zebins() {
        let mut document = open(&file.bytes);
        if document.assembly(NodeId::ROOT).is_none() || document.kernels(NodeId::ROOT).is_none() {
            continue;
        }
        for query in queries {
            let (list, totals) = find(&mut document, query, true);
            let found = rows(&*list, &document.sources);
            let found: Vec<(String, u64)> =
                found.into_iter().map(|(name, _, at)| (name, at)).collect();
            let mut wanted = filtered(&mut document, query);
            // Code that no kernel or function names is not searched.
            let known: Vec<String> = codes(&mut document)
                .into_iter()
                .map(|(name, ..)| name)
                .collect();
            wanted.retain(|(name, _)| known.contains(name));
            if totals.unsearched == 0 {
                assert_eq!(found, wanted, "{}: {query}", file.name);
            }
            matches += found.len();
        }
    }
    assert!(matches > 1000, "{matches}");
}

#[test]
fn conditions_on_kernels_exclude_them() {
    let mut document = open(PROGRAM);
    let (all, _) = find(&mut document, "kind=message", true);
    let all = rows(&*all, &document.sources);
    let devices: std::collections::BTreeSet<&String> =
        all.iter().map(|(_, device, _)| device).collect();
    assert!(devices.len() > 1, "{devices:?}");
    for device in devices {
        let (list, _) = find(
            &mut document,
            &format!("kind=message device={device}"),
            true,
        );
        let found = rows(&*list, &document.sources);
        let wanted: Vec<_> = all
            .iter()
            .filter(|(_, of, _)| of == device)
            .cloned()
            .collect();
        assert_eq!(found, wanted, "{device}");
    }
    let (none, totals) = find(&mut document, "kind=message name=nobody", false);
    assert_eq!((none.count(), totals.matches), (0, 0));
    assert!(totals.searched > 0);
    // Words are not searched in the names of kernels.
    let (name, ..) = &all[0];
    let wanted = looked_at(&mut document, &|_| false).len();
    let (list, _) = find(&mut document, &format!("\"{name}\" kind=float"), true);
    assert_eq!(list.count() as usize, wanted);
    // Figures of the code of a kernel, and of its description.
    let (list, _) = find(&mut document, "kind=message sends>0 simd_size>0", true);
    assert_eq!(rows(&*list, &document.sources), all);
    let (list, _) = find(&mut document, "kind=message sends>100000", true);
    assert_eq!(list.count(), 0);
}

/// The words of a cell of the list of instructions.
fn words(list: &dyn List, row: u32, id: &str, sources: &Sources) -> Vec<String> {
    let columns = ListId::Instructions.columns();
    let at = columns.iter().position(|column| column.id == id).unwrap();
    match list.value(row, at, sources) {
        CellValue::Words(words) => words.into_iter().map(|word| word.into_owned()).collect(),
        value => vec![value.text().into_owned()],
    }
}

/// The places where an instruction writes a register that another one reads within some rows, and
/// nothing in between writes; each found by comparing all pairs.
fn pairs(
    document: &mut Document,
    (first, second): (&str, &str),
    within: u32,
    without: bool,
) -> usize {
    let sections = document.assembly(NodeId::ROOT).unwrap().sections();
    let mut count = 0;
    for section in sections.iter() {
        let query = Query {
            of: Some(section.bytes),
            ..Query::default()
        };
        let list = list_for(document, NodeId::ROOT, ListId::Instructions, &query).unwrap();
        let sources = &document.sources;
        let marked =
            |row, mark: &str| words(&*list, row, "marks", sources).contains(&mark.to_owned());
        for row in (0..list.count()).filter(|row| marked(*row, first)) {
            let written = words(&*list, row, "writes", sources);
            let last = (row + within).min(list.count() - 1);
            let is_found = (row + 1..=last)
                .filter(|row| marked(*row, second))
                .any(|other| {
                    let read = words(&*list, other, "reads", sources);
                    written
                        .iter()
                        .filter(|register| read.contains(register))
                        .any(|register| {
                            let between = row + 1..other;
                            !without
                                || !between.clone().any(|at| {
                                    words(&*list, at, "writes", sources).contains(register)
                                })
                        })
                });
            count += usize::from(is_found);
        }
    }
    count
}

#[test]
fn sequences_share_registers() {
    let mut document = open(SPILL);
    for (marks, within) in [
        (("fill", "spill"), 16),
        (("fill", "spill"), 200),
        (("fill", "fill"), 64),
        (("spill", "spill"), 16),
    ] {
        for without in [false, true] {
            let (first, second) = marks;
            let between = if without { "without (writes=?a) " } else { "" };
            let query = format!(
                "marks={first} writes=?a then within {within} {between}marks={second} and reads=?a"
            );
            let wanted = pairs(&mut document, marks, within, without);
            let (list, totals) = find(&mut document, &query, true);
            assert_eq!(totals.matches, wanted as u64, "{query}");
            // Both instructions of each are listed.
            assert_eq!(u64::from(list.count()), 2 * totals.matches, "{query}");
            let (_, sums) = find(&mut document, &query, false);
            assert_eq!(sums, totals);
        }
    }
    let (list, totals) = find(&mut document, "marks=spill then within 1 marks=spill", true);
    assert!(totals.matches > 0);
    for row in (0..list.count()).step_by(2) {
        let sources = &document.sources;
        let at = |row| list.entry(row, sources).unwrap();
        assert_eq!(at(row).end, at(row + 1).start, "they are adjacent");
        assert_eq!(cell(&*list, row, "step", sources), "1");
        assert_eq!(cell(&*list, row + 1, "step", sources), "2");
        assert_eq!(
            cell(&*list, row, "match", sources),
            cell(&*list, row + 1, "match", sources)
        );
    }
    // An instruction that reads what it writes.
    let (list, _) = find(&mut document, "kind=float reads=?a writes=?a", true);
    let wanted = filtered(&mut document, "kind=float");
    assert!(list.count() > 0 && (list.count() as usize) < wanted.len());
}

#[test]
fn an_empty_query_finds_nothing() {
    let mut document = open(SPILL);
    let (list, totals) = find(&mut document, "  ", true);
    assert_eq!((list.count(), totals.searched), (0, 0));
    let error = find_code(&mut document, &FindRequest::default()).unwrap_err();
    assert_eq!(error.code, "bad-query");
}

#[test]
fn all_surfaces_find_the_same() {
    let path = fixture("dpas.lnl-m.igc2.40.zebin");
    let sample = std::fs::read(&path).unwrap();
    for (bytes, file, query) in [
        (&*sample, path.clone(), "dpas"),
        (
            SPILL,
            "www/samples/spill.dg2.zebin".to_owned(),
            "marks=fill writes=?a then marks=spill reads=?a",
        ),
        (
            PROGRAM,
            "www/samples/program.host".to_owned(),
            "kind=message",
        ),
    ] {
        for each in [false, true] {
            let mut arguments = vec!["find", "--json", query, &file];
            arguments.extend(each.then_some("--rows"));
            let output = zeview(&arguments);
            assert_eq!(stderr(&output), "");
            let printed: Vec<Value> = serde_json::from_str(&stdout(&output)).unwrap();
            assert!(!printed.is_empty(), "{query}");
            // The same rows for programs in other languages.
            let mut document = open(bytes);
            let request = FindRequest {
                query: query.to_owned(),
                rows: each,
                ..FindRequest::default()
            };
            let rows = find_code(&mut document, &request).unwrap();
            let rows: Vec<Value> = serde_json::from_str(&rows).unwrap();
            let plain = |row: &Value| {
                let mut row = row.as_object().unwrap().clone();
                // The version, and the name of the file before the path in it.
                row.remove("schema");
                row.remove("file");
                row
            };
            let all = |rows: &[Value]| rows.iter().map(plain).collect::<Vec<_>>();
            assert_eq!(all(&printed), all(&rows), "{query}");
            let first = FindRequest {
                limit: Some(1),
                ..request
            };
            let first: Vec<Value> =
                serde_json::from_str(&find_code(&mut document, &first).unwrap()).unwrap();
            assert_eq!(first.len(), 1);
            // The page reads and searches in steps.
            let (mut decoder, _) = Decoder::open("file", bytes);
            let page = loop {
                let request = Request::List {
                    document: NodeId::ROOT,
                    list: ListId::Found,
                    query: Query {
                        filter: query.to_owned(),
                        options: RowOptions::found(FindOptions { each }),
                        ..Query::default()
                    },
                    ask: ListRequest::Rows {
                        start: 0,
                        count: 100,
                        columns: ["name", "offset", "text"].map(Into::into).to_vec(),
                    },
                };
                let Response::List(page) = decoder.ask(request) else {
                    panic!("no list");
                };
                if page.reading.is_none() {
                    break page;
                }
            };
            assert_eq!(page.found, printed.len() as u64, "{query}");
            for (row, printed) in page.rows.iter().zip(&printed) {
                let cell = |at: usize| row.cells[at].value.text().into_owned();
                assert_eq!(cell(0), printed["name"].as_str().unwrap());
                assert_eq!(cell(2), printed["text"].as_str().unwrap());
            }
        }
    }
}

#[test]
fn the_page_says_what_is_wrong_with_a_query() {
    let (mut decoder, _) = Decoder::open("spill", SPILL);
    let ask = |filter: &str| Request::List {
        document: NodeId::ROOT,
        list: ListId::Found,
        query: Query {
            filter: filter.to_owned(),
            ..Query::default()
        },
        ask: ListRequest::Rows {
            start: 0,
            count: 10,
            columns: Vec::new(),
        },
    };
    for (filter, trouble) in [
        ("", None),
        ("marks=spill", None),
        (
            "marks=spill then",
            Some("missing instruction after then: step 2 is empty"),
        ),
        ("marks=fill", None),
    ] {
        let Response::List(page) = decoder.ask(ask(filter)) else {
            panic!("no list");
        };
        assert_eq!(page.trouble.as_deref(), trouble, "{filter}");
        let is_any = page.found > 0;
        assert_eq!(is_any, !filter.is_empty() && trouble.is_none(), "{filter}");
    }
}

#[test]
fn the_command_prints_kernels_or_instructions() {
    let file = "www/samples/spill.dg2.zebin";
    let output = zeview(&["find", "marks=spill", file]);
    let text = stdout(&output);
    let mut lines = text.lines();
    let count: u64 = lines
        .next()
        .unwrap()
        .split_whitespace()
        .next()
        .unwrap()
        .parse()
        .unwrap();
    assert!(count > 1);
    assert!(text.contains(" instructions in 1 of "), "{text}");
    let output = zeview(&["find", "--rows", "marks=spill", file]);
    let printed = stdout(&output);
    assert_eq!(printed.lines().count() as u64, count + 2, "{printed}");
    // The same instructions as those that the disassembler prints at these offsets.
    let assembly = zeview(&["disasm", "--offsets", "--kernel", "spill", file]);
    let assembly = stdout(&assembly);
    for line in printed.lines().skip(1).take(3) {
        let (offset, text) = line.trim().split_once("  ").unwrap();
        let offset = u64::from_str_radix(offset.trim_start_matches("0x"), 16).unwrap();
        let wanted = format!("/* [{offset:08X}] */");
        let of = assembly
            .lines()
            .find(|line| line.starts_with(&wanted))
            .unwrap();
        let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(plain(of).ends_with(&plain(text)), "{of}\n{text}");
    }
    let output = zeview(&["find", "--rows", "--limit", "2", "marks=spill", file]);
    assert_eq!(stdout(&output).lines().count(), 4);
    // The sum is that of the printed kernels.
    let output = zeview(&["find", "--limit", "1", "send", file]);
    let text = stdout(&output);
    let lines: Vec<&str> = text.lines().collect();
    let [kernel, sum] = lines.as_slice() else {
        panic!("{text}");
    };
    let first = |line: &str| line.split_whitespace().next().map(str::to_owned);
    assert_eq!(first(kernel), first(sum), "{text}");
    // A mistake is no answer.
    for (option, name) in [("--kernel", "spil"), ("--image", "image 9")] {
        let output = zeview(&["find", option, name, "send", file]);
        assert_eq!(output.status.code(), Some(2), "{option}");
        if option == "--kernel" {
            let said = stderr(&output);
            assert!(said.contains("did you mean \"spill\"?"), "{said}");
        }
    }
    for (arguments, problem) in [
        (
            vec!["find", "knd=spill", file],
            "no column is called \"knd\"",
        ),
        (vec!["find", "", file], "the query is empty"),
        (vec!["find", "a then", file], "step 2 is empty"),
        (vec!["find", "dpas device=nothing", file], "nothing"),
        (vec!["find", "dpas", "--device", "nothing", file], "nothing"),
    ] {
        let output = zeview(&arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(stderr(&output).contains(problem), "{}", stderr(&output));
    }
    let none = zeview(&["find", "marks=spill", "--kernel", "nobody", file]);
    assert_eq!(none.status.code(), Some(2));
    assert!(
        stdout(&none).starts_with("0 instructions in 0 of 0 kernels"),
        "{}",
        stdout(&none)
    );
}
