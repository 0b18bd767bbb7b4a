//! The instruction list of code: same text as the listing, linked to bytes, lines and symbols.

use std::rc::Rc;
use zeview::tables;

use zeview::analysis::assembly::{Mix, TextPartKind, TextRole};
use zeview::decode::isa::Platform;
use zeview::model::{Document, Node, NodeId, NodeKind, Span};
use zeview::tables::instructions::assembly;
use zeview::tables::query::{Order, Query, RowOptions};
use zeview::tables::{Cell, CellValue, Detail, List, ListId, Presence};

use crate::support::notes::Notes;
use crate::support::tree::walk_all;
use crate::support::{fixtures, isa, open, zebin};

fn fixture(name: &str) -> Document {
    open(&std::fs::read(fixtures::folder().join("zebin").join(name)).unwrap())
}

fn spilling() -> Document {
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/www/samples/spill.dg2.zebin");
    open(&std::fs::read(sample).unwrap())
}

fn section(document: &Document, name: &str) -> Span {
    let assembly = document.assembly(NodeId::ROOT).expect("it has code");
    let sections = assembly.sections();
    let found = sections.iter().find(|section| section.name == name);
    found.expect(name).bytes
}

fn list(document: &mut Document, of: Span) -> Rc<dyn List> {
    let list = tables::list(document, NodeId::ROOT, ListId::Instructions, Some(of));
    list.expect("it has code")
}

fn cell(document: &Document, list: &dyn List, row: u32, id: &str) -> Cell<'static> {
    let mut columns = ListId::Instructions.columns().iter();
    let place = columns.position(|column| column.id == id).expect(id);
    list.cell(row, place, &document.sources).shown()
}

fn text(document: &Document, list: &dyn List, row: u32, id: &str) -> String {
    cell(document, list, row, id).value.text().into_owned()
}

fn mix(document: &Document, of: Span) -> Mix {
    let listing = document.listing(NodeId::ROOT, Some(of), None).unwrap();
    let mut tally = listing.tally(&document.sources);
    let mut left = u64::MAX;
    // Counting in small pieces gives the same result.
    while left > 0 {
        let now = tally.step(100, &document.sources);
        assert!(now < left, "{now} of {left}");
        left = now;
    }
    let mix = tally.mix();
    // In one piece, bytes after the last whole instruction do not count.
    let mut whole = listing.tally(&document.sources);
    assert_eq!(whole.step(of.len(), &document.sources), 0);
    assert_eq!(whole.mix(), mix);
    mix
}

#[test]
fn rows_are_the_lines_of_the_listing() {
    let mut rows = 0;
    for file in fixtures::zebins() {
        let mut document = open(&std::fs::read(&file.path).unwrap());
        let Some(assembly) = document.assembly(NodeId::ROOT) else {
            continue;
        };
        for section in assembly.sections().iter() {
            let of = section.bytes;
            let listing = document.listing(NodeId::ROOT, Some(of), None).unwrap();
            if listing.encoding().is_none() {
                continue;
            }
            let expected = listing.text(&document.sources, 1 << 24).unwrap();
            let mut expected = expected.lines().peekable();
            let list = list(&mut document, of);
            let mut at = of.start;
            for row in 0..list.count() {
                let said = |id| text(&document, &*list, row, id);
                let label = said("label");
                if !label.is_empty() {
                    assert_eq!(expected.next(), Some(&*format!("{label}:")));
                }
                let line = expected.next().expect("a line for each row");
                let (code, comment) = line.split_once(" // ").unwrap_or((line, ""));
                assert_eq!(said("text"), code.trim_end(), "{} {row}", section.name);
                assert_eq!(said("comment"), comment);
                // Rows are contiguous.
                let span = list.entry(row, &document.sources).unwrap();
                assert_eq!(span.start, at);
                at = span.end;
                rows += 1;
            }
            // Labels after the last instruction.
            assert!(expected.all(|line| line.ends_with(':')));
        }
    }
    assert!(rows > 1000, "{rows} rows");
}

#[test]
fn selected_rows_are_copied_as_assembly() {
    let mut document = fixture("dpas.lnl-m.igc2.40.zebin");
    let of = section(&document, ".text.gemm_i8");
    let list = list(&mut document, of);
    let listing = document.listing(NodeId::ROOT, Some(of), None).unwrap();
    let whole = listing.text(&document.sources, 1 << 24).unwrap();
    let words = |text: &str| -> Vec<String> {
        let lines = text.lines();
        let words = lines.map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
        words.collect()
    };
    let order = Order::All(list.count());
    let copy = |rows, limit| assembly(&*list, &order, rows, &document.sources, limit);
    let all = copy((0, u64::MAX), 1 << 24).unwrap();
    let mut expected = words(&whole);
    // A label after the last instruction belongs to no row.
    expected.truncate(words(&all).len());
    assert_eq!(words(&all), expected);
    let some = copy((2, 4), 1 << 24).unwrap();
    assert_eq!(some.lines().count(), 3, "{some}");
    assert!(all.contains(&some));
    assert!(copy((0, u64::MAX), 100).is_err());
}

/// The tree counts the instructions of each function, the listing those of a section including the
/// zero words after it.
#[test]
fn tree_and_listing_count_the_same_instructions() {
    let mut compared = 0;
    for file in fixtures::zebins() {
        let document = open(&std::fs::read(&file.path).unwrap());
        let Some(assembly) = document.assembly(NodeId::ROOT) else {
            continue;
        };
        let tree = walk_all(&document).unwrap();
        for section in assembly.sections().iter() {
            let mix = mix(&document, section.bytes);
            let counts = tree.nodes.iter().filter_map(|flat| {
                let function = &tree.nodes[flat.parent?].node;
                let is_within = section.bytes.contains(function.span?);
                let is_count = flat.node.kind == NodeKind::Derived;
                let is_count = is_count && flat.node.name == "instructions";
                flat.node.value.as_u64().filter(|_| is_count && is_within)
            });
            let counted: u64 = counts.sum();
            assert_eq!(
                counted, mix.instructions,
                "{} in {:?}",
                section.name, file.path
            );
            compared += u64::from(mix.padding > 0);
        }
    }
    assert!(compared > 5, "{compared} sections with padding");
}

#[test]
fn code_statistics_add_up() {
    for file in fixtures::zebins() {
        let mut document = open(&std::fs::read(&file.path).unwrap());
        let Some(assembly) = document.assembly(NodeId::ROOT) else {
            continue;
        };
        for section in assembly.sections().iter() {
            let list = list(&mut document, section.bytes);
            let mix = mix(&document, section.bytes);
            let words = mix.instructions + mix.padding;
            assert_eq!(words, u64::from(list.count()));
            assert_eq!(mix.bytes, 16 * words - 8 * mix.compacted);
            let of_kinds: u64 = mix.kinds.iter().map(|(_, count)| count).sum();
            let is_known = !mix.kinds.is_empty();
            assert_eq!(of_kinds, if is_known { mix.instructions } else { 0 });
            let messages: u64 = mix.messages.iter().map(|message| message.count).sum();
            let kinds = mix.kinds.iter().find(|(kind, _)| kind == "message");
            assert_eq!(messages, kinds.map_or(0, |(_, count)| *count));
            assert!(mix.nesting <= mix.loops);
        }
    }
}

#[test]
fn spills_and_fills_are_marked_and_counted() {
    let mut document = spilling();
    let of = section(&document, ".text.spill");
    let list = list(&mut document, of);
    let listing = document.listing(NodeId::ROOT, Some(of), None).unwrap();
    let printed = listing.text(&document.sources, 1 << 24).unwrap();
    let mix = mix(&document, of);
    let count = |part: &str| printed.matches(part).count() as u64;
    assert_eq!(mix.spills, count("scratch block write"));
    assert_eq!(mix.fills, count("scratch block read"));
    assert!(mix.spills > 50 && mix.fills > 50, "{mix:?}");
    let query = Query {
        filter: "marks=spill".to_owned(),
        ..Query::default()
    };
    let found = query.run(&*list, &document.sources).unwrap();
    assert_eq!(u64::from(found.count()), mix.spills);
    // The table of kernels has the same counts, on request.
    let kernels = tables::list(&mut document, NodeId::ROOT, ListId::Kernels, None).unwrap();
    let columns = ListId::Kernels.columns().iter();
    let place = |id| columns.clone().position(|column| column.id == id).unwrap();
    let row = (0..kernels.count()).find(|row| {
        let name = kernels.cell(*row, place("name"), &document.sources);
        name.value.text() == "spill"
    });
    let cell = kernels.cell(row.unwrap(), place("spill_messages"), &document.sources);
    assert_eq!(cell.value, CellValue::Count(mix.spills));
    assert_eq!(cell.span, Some(of));
}

#[test]
fn calls_name_the_symbol_that_is_patched_in() {
    let mut document = fixture("funcs-stackcall.cri.igc2.40.zebin");
    let of = section(&document, ".text.k1");
    let list = list(&mut document, of);
    let patched: Vec<u32> = (0..list.count())
        .filter(|row| !text(&document, &*list, *row, "symbol").is_empty())
        .collect();
    assert!(!patched.is_empty());
    for row in patched {
        let name = text(&document, &*list, row, "symbol");
        let marks = cell(&document, &*list, row, "text").marks;
        assert!(marks.iter().any(|mark| mark.text == name), "{marks:?}");
        let span = list.entry(row, &document.sources).unwrap();
        let about = list.about(row, span, &document.sources);
        let relocation = about.links.iter().find(|link| link.why == "relocation");
        // The relocation leads back.
        let entry = relocation.expect("a link to it").to;
        let back = list.rows_at(entry, &document.sources).unwrap();
        let first = list.entry(back.start, &document.sources).unwrap();
        assert!(first.start <= span.start && span.start < first.start + 32);
    }
}

#[test]
fn instructions_have_source_lines() {
    let mut document = fixture("debugme.tgllp.igc1.12504.zebin");
    document.add_source_text("debugme.cl", "one\ntwo\nthree\nfour\n\tfive\n");
    let of = section(&document, ".text.step");
    let list = list(&mut document, of);
    let said = |row, id| text(&document, &*list, row, id);
    assert_eq!(said(0, "source"), "debugme.cl:4");
    assert_eq!(said(2, "source"), "debugme.cl:5");
    assert_eq!(
        (said(1, "source_text"), said(2, "source_text")),
        (String::new(), "    five".into())
    );
    let columns = ListId::Instructions.columns().iter();
    let shown: Vec<&str> = columns
        .filter(|column| list.shows(column) && column.presence == Presence::Filled)
        .map(|c| c.id)
        .collect();
    assert_eq!(shown, ["source", "source_text"]);
}

#[test]
fn bytes_lead_to_instructions() {
    let mut document = spilling();
    let of = section(&document, ".text.spill");
    let list = list(&mut document, of);
    let at = |row| list.entry(row, &document.sources).unwrap();
    let rows = |span| list.rows_at(span, &document.sources);
    let (first, third) = (at(0), at(2));
    assert_eq!(rows(first), Some(0..1));
    assert_eq!(
        rows(Span::new(first.source, first.start + 3, third.start + 1)),
        Some(0..3)
    );
    assert_eq!(rows(of), None);
    let entry = document.assembly(NodeId::ROOT).unwrap().sections()[0]
        .kernel
        .clone();
    let (_, entry) = entry.expect("a kernel");
    assert_eq!(rows(entry), None);
    // The kernel's entry belongs to its code.
    let code = document.assembly(NodeId::ROOT).unwrap().sections()[0].bytes;
    assert_eq!(document.code_of(NodeId::ROOT, entry), Some(code));
    assert_eq!(document.code_of(NodeId::ROOT, first), Some(of));
}

#[test]
fn an_instruction_is_explained_by_its_parts() {
    let mut document = spilling();
    let of = section(&document, ".text.spill");
    let list = list(&mut document, of);
    for row in 0..list.count().min(200) {
        let span = list.entry(row, &document.sources).unwrap();
        let about = list.about(row, span, &document.sources);
        let Detail::Instruction(detail) = about.detail else {
            panic!("{:?}", about.detail);
        };
        assert!(!detail.meaning.is_empty());
        let line = text(&document, &*list, row, "text");
        for part in detail.parts.iter().filter(|part| part.name != "message") {
            assert!(line.contains(&part.text), "{line}: {part:?}");
            let last = part.bits.stretches().last();
            let width = 8 * span.len();
            assert!(
                last.is_none_or(|(_, end)| u64::from(end) <= width),
                "{part:?}"
            );
        }
    }
}

/// Returns instructions of the assembler's table as a list: text, kind, and meaning of the
/// operation.
fn explained(platform: Platform, config: u32) -> Vec<[String; 3]> {
    let table = isa::table(&fixtures::folder().join("isa"), platform);
    let rows = isa::rows(&table, [Some(0), Some(1), Some(2), Some(3)]);
    let words: Vec<Vec<u8>> = rows.iter().map(|row| row.bytes.clone()).collect();
    let file = zebin::small().bytes(".text.k", words.concat()).bytes(
        ".note.intelgt.compat",
        Notes::new().number(6, config).build(),
    );
    let mut document = open(&file.build().bytes);
    let of = section(&document, ".text.k");
    let list = list(&mut document, of);
    assert_eq!(list.count() as usize, words.len());
    let row = |row| {
        let span = list.entry(row, &document.sources).unwrap();
        let detail = list.about(row, span, &document.sources).detail;
        let meaning = match detail {
            Detail::Instruction(detail) => detail.meaning.into_owned(),
            other => panic!("{other:?}"),
        };
        let said = |id| text(&document, &*list, row, id);
        [said("text"), said("kind"), meaning]
    };
    (0..list.count()).map(row).collect()
}

/// Returns the operation: the word after mask and predicate.
fn operation(text: &str) -> &str {
    let mut words = text.split_whitespace();
    words
        .find(|word| !word.starts_with('('))
        .unwrap_or_default()
}

#[test]
fn each_shared_function_is_described() {
    for (platform, config) in [
        (Platform::XeHpg, 12 << 22 | 55 << 14 | 8),
        (Platform::Xe2, 20 << 22 | 1 << 14),
    ] {
        let rows = explained(platform, config);
        let sends = rows.iter().filter_map(|[text, kind, meaning]| {
            let function = operation(text).strip_prefix("send.")?;
            Some((function, kind, meaning))
        });
        let sends: Vec<_> = sends.filter(|send| !send.0.is_empty()).collect();
        let (_, _, general) = sends.iter().find(|send| send.0 == "null").unwrap();
        for (function, kind, meaning) in &sends {
            assert_eq!(*kind, "message");
            assert_eq!(meaning == general, *function == "null", "{function}");
        }
        assert!(sends.len() > 50);
    }
}

#[test]
fn instructions_have_kinds() {
    let rows = explained(Platform::Xe2, 20 << 22 | 1 << 14);
    let mut seen = 0;
    for [text, kind, _] in &rows {
        let operation = operation(text);
        let expected = match operation.split('.').next().unwrap_or_default() {
            "illegal" => "illegal",
            "nop" => "nop",
            "sync" => "sync",
            "math" => "math",
            "dpas" => "dpas",
            "send" | "sendc" => "message",
            "call" | "calla" => "call",
            "jmpi" | "goto" | "join" | "ret" | "if" | "else" | "endif" => "control",
            "mov" | "sel" | "csel" | "srnd" => "move",
            "cmp" | "cmpn" => "compare",
            "and" | "or" | "xor" | "not" | "bfn" | "shl" | "shr" | "asr" | "rol" | "ror" => "logic",
            _ => continue,
        };
        assert_eq!(kind, expected, "{text}");
        seen += 1;
    }
    assert!(seen > 150, "{seen} of {}", rows.len());
}

/// The opcode is in the seven lowest bits of each instruction.
#[test]
fn codes_of_operations_are_their_bits() {
    for name in ["vecadd.icllp", "assertk.dg2", "globals.bmg", "vecadd.nvl-s"] {
        let mut files = fixtures::zebins().into_iter();
        let file = files.find(|file| file.name.starts_with(name)).unwrap();
        let tree = walk_all(&open(&file.bytes)).unwrap();
        let mut codes = 0;
        for flat in &tree.nodes {
            let node = &flat.node;
            // SPIR-V also has opcodes.
            let is_code = node.name == "Opcode" && node.bits.is_some();
            let Some(span) = node.span.filter(|_| is_code) else {
                continue;
            };
            let first = file.bytes[usize::try_from(span.start).unwrap()];
            assert_eq!(node.value.as_u64(), Some(u64::from(first & 0x7f)));
            codes += 1;
        }
        assert!(codes > 0, "no code in {}", file.name);
    }
}

/// Collects the instructions of the tree below a node.
fn instructions(document: &mut Document, id: NodeId, out: &mut Vec<NodeId>) {
    let node = document.node(id).unwrap().clone();
    if node.kind == NodeKind::Instruction {
        return out.push(id);
    }
    let count = document.count(&node);
    for child in document.children(id, 0..count) {
        instructions(document, child, out);
    }
}

#[test]
fn fields_of_an_instruction_are_its_bits() {
    for name in [
        "dpas.lnl-m.igc2.40.zebin",
        "funcs-stackcall.cri.igc2.40.zebin",
    ] {
        let mut document = fixture(name);
        let text = document
            .children(NodeId::ROOT, 0..100)
            .into_iter()
            .find(|id| {
                let node = document.node(*id).unwrap();
                node.name.starts_with(".text.")
            });
        let mut words = Vec::new();
        instructions(&mut document, text.unwrap(), &mut words);
        assert!(words.len() > 50, "{}", words.len());
        for id in words {
            let word = document.node(id).unwrap().clone();
            let count = document.count(&word);
            assert!(count >= 2);
            let fields = document.children(id, 0..count);
            let fields: Vec<Node> = fields
                .into_iter()
                .map(|id| document.node(id).unwrap().clone())
                .collect();
            let mut names: Vec<&str> = fields.iter().map(|field| &*field.name).collect();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), fields.len(), "{fields:?}");
            for field in &fields {
                assert_eq!(field.span, word.span);
                let bits = field.bits.expect("bits of the word");
                let end = bits.stretches().last().map_or(0, |(_, end)| end);
                assert!(u64::from(end) <= 8 * word.span.unwrap().len(), "{field:?}");
            }
            // A byte selects the instruction: its fields all have the same bytes.
            let span = word.span.unwrap();
            let innermost = document.nodes_at(span.source, span.start + 5);
            assert_eq!(innermost.last(), Some(&id));
        }
    }
}

#[test]
fn any_encoding_can_be_chosen() {
    let mut document = spilling();
    let of = section(&document, ".text.spill");
    let mut on = |name| {
        let query = Query {
            of: Some(of),
            options: RowOptions::code(Some(str::to_owned(name).into()), Vec::new()),
            ..Query::default()
        };
        tables::list_for(&mut document, NodeId::ROOT, ListId::Instructions, &query)
    };
    let (own, other) = (on("dg2").unwrap(), on("xe2").unwrap());
    assert_eq!(own.count(), other.count());
    assert!(on("nothing").is_none());
    let said = |list: &Rc<dyn List>| text(&document, &**list, 0, "text");
    assert_ne!(said(&own), said(&other));
}

/// Returns the general registers named in a text: `r34` in `r34.0<1>:ud`.
fn named_registers(text: &str) -> Vec<u16> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric());
    let numbers = words.filter_map(|word| word.strip_prefix('r')?.parse().ok());
    numbers.collect()
}

/// The parts of a text are where the text names registers, operations and targets; the range of a part
/// begins with the register that it names, and a message's has as many as its description says.
#[test]
fn parts_of_the_text_have_their_registers() {
    let mut document = spilling();
    let of = section(&document, ".text.spill");
    let list = list(&mut document, of);
    let (mut named, mut wide, mut targets) = (0, 0, 0);
    for row in 0..list.count() {
        let line = text(&document, &*list, row, "text");
        let comment = text(&document, &*list, row, "comment");
        let mut end = 0;
        for part in list.as_code().unwrap().text_parts(row, &document.sources) {
            let (start, stop) = (part.start as usize, part.end as usize);
            assert!(start >= end && stop > start, "{line}");
            end = stop;
            // The description behind the text has parts of its own.
            let Some(words) = line.get(start..stop) else {
                continue;
            };
            match part.kind {
                // Predicates, constants, options: only their role is known.
                None => assert!(part.role != TextRole::Operation, "{line}"),
                Some(TextPartKind::Token { .. }) => panic!("a token of a module"),
                Some(TextPartKind::Operation) => {
                    assert_eq!(part.role, TextRole::Operation);
                    assert_eq!(words, text(&document, &*list, row, "operation"));
                }
                Some(TextPartKind::Target(offset)) => {
                    assert_eq!(words, format!("L{offset}"));
                    targets += 1;
                }
                Some(TextPartKind::Registers { writes, ranges }) => {
                    let general = ranges.iter().find(|range| range.file == 0);
                    let (Some(range), [number]) = (general, &*named_registers(words)) else {
                        continue;
                    };
                    assert_eq!(range.first, *number, "{line}");
                    named += 1;
                    let received = comment.split_once("rd:").map(|(_, rest)| rest);
                    let received = received.and_then(|rest| rest.split([',', ';']).next());
                    if let Some(count) = received.and_then(|count| count.parse::<u16>().ok())
                        && writes
                        && line.contains("send")
                    {
                        assert_eq!(range.last - range.first + 1, count, "{line} {comment}");
                        wide += u32::from(count > 1);
                    }
                }
            }
        }
    }
    assert!(
        named > 1000 && wide > 10 && targets > 0,
        "{named} {wide} {targets}"
    );
}

/// A filter by register finds the message that writes it, though its text names another one; the links
/// of an instruction lead to instructions that write what it reads.
#[test]
fn registers_are_found_and_linked_by_data_flow() {
    let mut document = spilling();
    let of = section(&document, ".text.spill");
    let list = list(&mut document, of);
    let words = |row: u32, id: &str| -> Vec<String> {
        let cell = text(&document, &*list, row, id);
        let words = cell.split([' ', ',']).filter(|word| !word.is_empty());
        words.map(str::to_owned).collect()
    };
    let mut hidden = None;
    for row in 0..list.count() {
        let (reads, writes, all) = (words(row, "reads"), words(row, "writes"), words(row, "reg"));
        for register in reads.iter().chain(&writes) {
            assert!(all.contains(register), "{register} in {all:?}");
        }
        let own = named_registers(&text(&document, &*list, row, "text"));
        let is_hidden = |word: &&String| {
            let number = word
                .strip_prefix('r')
                .and_then(|digits| digits.parse().ok());
            number.is_some_and(|number: u16| !own.contains(&number))
        };
        if let Some(register) = writes.iter().find(is_hidden) {
            hidden.get_or_insert((row, register.clone()));
        }
    }
    let (row, register) = hidden.expect("a message of several registers");
    let query = Query {
        filter: format!("writes={register}"),
        ..Query::default()
    };
    let found: Order = query.run(&*list, &document.sources).unwrap();
    assert!(found.from(0, u64::MAX).any(|at| at == row), "{register}");

    let mut links = 0;
    for row in 0..list.count() {
        let span = list.entry(row, &document.sources).unwrap();
        let reads = words(row, "reads");
        for link in list.about(row, span, &document.sources).links {
            if link.why != "value from" {
                continue;
            }
            let producer = list.rows_at(link.to, &document.sources).unwrap().start;
            let writes = words(producer, "writes");
            assert!(
                writes.iter().any(|register| reads.contains(register)),
                "{row} reads {reads:?}, {producer} writes {writes:?}"
            );
            links += 1;
        }
    }
    assert!(links > 500, "{links}");
}
