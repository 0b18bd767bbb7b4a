//! Relocations and symbols: against readers of their own, on damaged files, through the
//! protocol; and the lines of texts.

use std::rc::Rc;

use crate::support::{elf, fixtures, open, zebin};
use goblin::elf::Elf;
use zeview::model::kernels::table::Form;
use zeview::model::linkage::Tables;
use zeview::model::linkage::list::{self, ListId, Query};
use zeview::model::{Document, NodeId, SourceId, Span};
use zeview::worker::answer::Desk;
use zeview::worker::protocol::{Ask, Envelope, LINE_SHOWN, ListPage, ListPlace, Request, Response};

fn tables(document: &Document) -> Rc<Tables> {
    let linkage = document.linkage(NodeId::ROOT).expect("no linkage");
    linkage.tables(&document.sources)
}

/// Without the archives.
fn elf_files() -> Vec<fixtures::Fixture> {
    let mut files = fixtures::zebins();
    files.retain(|file| file.bytes.starts_with(b"\x7fELF"));
    files
}

fn fixture(name: &str) -> Vec<u8> {
    std::fs::read(fixtures::folder().join("zebin").join(name)).unwrap()
}

fn filter(text: &str) -> Query {
    Query {
        filter: text.to_owned(),
        ..Query::default()
    }
}

// Against other readers.

#[test]
fn symbols_and_relocations_are_those_that_goblin_reads() {
    let mut compared = 0;
    for fixture in elf_files() {
        let document = open(&fixture.bytes);
        let tables = tables(&document);
        let Ok(theirs) = Elf::parse(&fixture.bytes) else {
            continue;
        };
        for (ours, index) in tables.symbols.iter().zip(0..) {
            let symbol = theirs.syms.get(index).unwrap();
            let name = theirs.strtab.get_at(symbol.st_name).unwrap_or("");
            assert_eq!(
                (&*ours.name, ours.value, ours.size),
                (name, symbol.st_value, symbol.st_size)
            );
            let binding = goblin::elf::sym::bind_to_str(symbol.st_bind());
            assert_eq!(ours.binding, binding, "{}", fixture.name);
        }
        assert_eq!(tables.symbols.len(), theirs.syms.len(), "{}", fixture.name);
        let mut theirs_relocations = Vec::new();
        for (section, list) in &theirs.shdr_relocs {
            let patches = theirs.section_headers[*section].sh_info;
            for one in list.iter() {
                theirs_relocations.push((patches, one.r_offset, one.r_sym as u64, one.r_addend));
            }
        }
        let ours: Vec<_> = tables
            .relocations
            .iter()
            .map(|one| {
                (
                    one.section.unwrap(),
                    one.offset,
                    one.symbol_index,
                    one.addend,
                )
            })
            .collect();
        assert_eq!(ours, theirs_relocations, "{}", fixture.name);
        compared += ours.len();
    }
    assert!(compared > 100, "only {compared}");
}

#[test]
fn each_row_leads_to_its_node_and_is_found_by_it() {
    for fixture in elf_files() {
        let mut document = open(&fixture.bytes);
        let tables = tables(&document);
        for list in [ListId::Relocations, ListId::Symbols] {
            for at in tables.all(list) {
                let span = tables.row_span(list, at).unwrap();
                assert_eq!(tables.find(list, span), Some(at), "{}", fixture.name);
                let way = document.nodes_for(span);
                let node = document.node(*way.last().unwrap()).unwrap();
                assert_eq!(node.span, Some(span), "{}", fixture.name);
                let row = tables.row(list, at, &document.sources).unwrap();
                assert_eq!(row.cells.len(), list.columns().len());
                let first = &row.cells[0];
                let name = first.other.as_ref().unwrap_or(&first.text);
                if list == ListId::Symbols {
                    assert_eq!(node.name, *name, "{}", fixture.name);
                }
            }
        }
    }
}

#[test]
fn who_refers_to_a_symbol_is_counted() {
    let document = open(&fixture("funcs-stackcall.cri.igc2.40.zebin"));
    let tables = tables(&document);
    let mut used = 0;
    for (at, symbol) in (0..).zip(&tables.symbols) {
        let users = tables.users(at).count();
        assert_eq!(users, symbol.users as usize, "{}", symbol.name);
        let (count, text) = tables.uses(at);
        let found = filter(&text).run(&tables, ListId::Relocations).unwrap();
        if !symbol.name.is_empty() && symbol.users > 0 {
            assert_eq!(found.len() as u64, count, "{text}");
            used += 1;
        }
    }
    assert!(used > 2, "only {used} symbols are used");
}

// What is in the rows.

fn small() -> (Document, Rc<Tables>) {
    let document = open(&zebin::zebin(&["k", "other"]).build().bytes);
    let tables = tables(&document);
    (document, tables)
}

fn texts(document: &Document, tables: &Tables, list: ListId, at: u32) -> Vec<String> {
    let row = tables.row(list, at, &document.sources).unwrap();
    row.cells.into_iter().map(|cell| cell.text).collect()
}

#[test]
fn rows_say_it_in_words() {
    let (document, tables) = small();
    let relocation = texts(&document, &tables, ListId::Relocations, 0);
    let symbol = "__INTEL_PATCH_CROSS_THREAD_OFFSET_OFF_R0";
    assert_eq!(
        relocation[..5],
        [symbol, "R_SYM_ADDR_32", ".text.k", "0xc", ""]
    );
    assert_eq!(
        relocation[5].len(),
        11,
        "four bytes in hex: {}",
        relocation[5]
    );
    assert_eq!(relocation[6], "undefined");
    assert_eq!(
        texts(&document, &tables, ListId::Symbols, 1),
        [
            "_entry", "NOTYPE", ".text.k", "0x20", "0", "0", "k", "LOCAL", "DEFAULT"
        ]
    );
    let undefined = texts(&document, &tables, ListId::Symbols, 5);
    assert_eq!(undefined[2..7], ["undefined", "0x0", "0", "4", ""]);
    let (title, links) = tables.links(ListId::Relocations, 0);
    assert_eq!(title, ".text.k + 0xc");
    let why: Vec<&str> = links.iter().map(|link| &*link.why).collect();
    assert_eq!(why, ["patches", "symbol", "kernel"]);
}

#[test]
fn bytes_lead_back() {
    let (document, tables) = small();
    let patched = tables.relocations[2].patched.unwrap();
    assert_eq!(tables.find(ListId::Relocations, patched), Some(2));
    // The instruction around it.
    let around = Span::new(patched.source, patched.start - 12, patched.start + 4);
    assert_eq!(tables.find(ListId::Relocations, around), Some(2));
    let code = tables.symbols[4].target.unwrap();
    assert_eq!(tables.find(ListId::Symbols, code.sub(3, 1)), Some(4));
    let header = Span::at(SourceId::FILE, 0, 4);
    assert_eq!(tables.find(ListId::Relocations, header), None);
    assert!(document.linkage(NodeId::ROOT).is_some());
}

#[test]
fn rows_are_filtered_and_sorted() {
    let (_, tables) = small();
    let run = |text: &str, list| filter(text).run(&tables, list).unwrap();
    let relocations = |text| run(text, ListId::Relocations);
    assert_eq!(relocations(""), [0, 1, 2, 3]);
    assert_eq!(relocations("section==.text.other"), [2, 3]);
    assert_eq!(relocations("offset>0xc OTHER"), [3]);
    assert_eq!(relocations("offset!=0xc"), [1, 3]);
    assert_eq!(relocations("type!=R_SYM_ADDR_32 offset<=16"), [1, 3]);
    assert_eq!(relocations("nothing"), [0; 0]);
    assert_eq!(run("kernel==k", ListId::Symbols), [1, 2]);
    assert_eq!(run("relocations>0", ListId::Symbols), [5]);
    let mut query = filter("");
    query.sort = Some("offset".into());
    query.descending = true;
    assert_eq!(
        query.run(&tables, ListId::Relocations).unwrap(),
        [1, 3, 0, 2]
    );
    query.sort = Some("name".into());
    query.descending = false;
    assert_eq!(
        query.run(&tables, ListId::Symbols).unwrap(),
        [5, 1, 3, 2, 4]
    );
    query.sort = Some("nothing".into());
    assert!(query.run(&tables, ListId::Symbols).is_err());
}

#[test]
fn a_filter_says_what_is_wrong_with_it() {
    let trouble = |text: &str| filter(text).trouble(ListId::Symbols);
    for fine in ["", "a->b", "operator<", "size>0x10", "value>=-1", "name!=k"] {
        assert_eq!(trouble(fine), None, "{fine}");
    }
    for (bad, why) in [
        ("size>x", "no number"),
        ("siz==0", "no column"),
        ("name>k", "only be compared by"),
    ] {
        let said = trouble(bad).unwrap();
        assert!(said.contains(why), "{bad}: {said}");
    }
}

#[test]
fn names_are_as_people_write_them() {
    let file = zebin::zebin(&["k"]).symbol(elf::Symbol::new("_Z3addii", 1, 2, ".text.k").at(0, 16));
    let document = open(&file.build().bytes);
    let tables = tables(&document);
    let at = (tables.symbols.len() - 1) as u32;
    let row = tables.row(ListId::Symbols, at, &document.sources).unwrap();
    assert_eq!(row.cells[0].text, "add(int, int)");
    assert_eq!(row.cells[0].other.as_deref(), Some("_Z3addii"));
    for text in ["add(int", "_z3add"] {
        assert_eq!(
            filter(text).run(&tables, ListId::Symbols).unwrap(),
            [at],
            "{text}"
        );
    }
}

#[test]
fn lists_are_written() {
    let (document, tables) = small();
    let write = |form, limit| {
        let rows: Vec<u32> = tables.all(ListId::Symbols).collect();
        list::write(
            &tables,
            ListId::Symbols,
            &rows,
            form,
            &document.sources,
            limit,
        )
    };
    let csv = write(Form::Csv, 1 << 20).unwrap();
    let mut lines = csv.lines();
    let head = "name,type,section,value,size,relocations,kernel,binding,visibility";
    assert_eq!(lines.next(), Some(head));
    assert_eq!(
        lines.next(),
        Some("_entry,NOTYPE,.text.k,0x20,0,0,k,LOCAL,DEFAULT")
    );
    assert_eq!(csv.lines().count(), 6);
    let markdown = write(Form::Markdown, 1 << 20).unwrap();
    assert!(markdown.starts_with("| Symbol | Kind |"), "{markdown}");
    assert!(markdown.contains("\n| --- | --- |"), "{markdown}");
    let tabs = write(Form::Tabs, 1 << 20).unwrap();
    assert!(tabs.starts_with("Symbol\tKind\t"), "{tabs}");
    assert!(write(Form::Csv, 10).is_err());
    assert!(write(Form::Json, 1 << 20).is_err());
}

// Damage.

#[test]
fn any_bytes_have_lists() {
    let whole = zebin::zebin(&["k"]).build().bytes;
    for len in (0..whole.len()).step_by(37) {
        let document = open(&whole[..len]);
        let Some(linkage) = document.linkage(NodeId::ROOT) else {
            continue;
        };
        let tables = linkage.tables(&document.sources);
        for list in [ListId::Relocations, ListId::Symbols] {
            for at in tables.all(list) {
                let _ = tables.row(list, at, &document.sources);
                let _ = tables.links(list, at);
            }
        }
    }
}

#[test]
fn dangling_relocations_are_shown() {
    let list = vec![elf::Relocation {
        offset: 1 << 40,
        symbol: 77,
        kind: 99,
        addend: -8,
    }];
    let file = zebin::zebin(&["k"])
        .without(".rel.text.k")
        .section(elf::Section::relocations(".text.k", list, true));
    let document = open(&file.build().bytes);
    let tables = tables(&document);
    assert_eq!(
        texts(&document, &tables, ListId::Relocations, 0),
        [
            "symbol 77",
            "type 99",
            ".text.k",
            "0x10000000000",
            "-8",
            "",
            ""
        ]
    );
    assert_eq!(tables.relocations[0].patched, None);
}

#[test]
fn long_names_over_each_other_are_cut() {
    let name = "n".repeat(4000);
    let mut file = zebin::zebin(&["k"]);
    for _ in 0..3000 {
        file = file.symbol(elf::Symbol::new(&name, 1, 0, 0));
    }
    let built = file.build();
    let document = open(&built.bytes);
    let tables = tables(&document);
    let kept: usize = tables.symbols.iter().map(|symbol| symbol.name.len()).sum();
    assert!(tables.symbols.len() > 3000);
    assert!(
        kept < 4 * built.bytes.len() + (2 << 20),
        "{kept} bytes of names"
    );
}

// Through the protocol.

fn desk(bytes: &[u8]) -> Desk {
    let mut desk = Desk::new(|| 0.0);
    let source = zeview::model::MemorySource::from(bytes);
    desk.open(1, "file", Box::new(source));
    desk
}

fn ask(desk: &mut Desk, list: ListId, query: &Query, ask: Ask) -> Response {
    let request = Request::List {
        document: NodeId::ROOT,
        list,
        query: query.clone(),
        ask,
    };
    answer(desk, request)
}

fn answer(desk: &mut Desk, request: Request) -> Response {
    let envelope = Envelope {
        id: 2,
        about: None,
        request,
    };
    desk.answer(&envelope).response
}

fn page(response: Response) -> ListPage {
    match response {
        Response::List(page) => *page,
        other => panic!("{other:?}"),
    }
}

fn place(response: Response) -> ListPlace {
    match response {
        Response::ListAt(place) => *place,
        other => panic!("{other:?}"),
    }
}

#[test]
fn pages_and_places_of_a_long_list() {
    let list = |symbol| {
        let one = |offset: u64| elf::Relocation {
            offset: offset * 8,
            symbol,
            kind: 1,
            addend: 0,
        };
        (0..20_000).map(one).collect()
    };
    let file = zebin::zebin(&["k"])
        .section(elf::Section::relocations(".text.k", list(3), false))
        .build();
    let mut desk = desk(&file.bytes);
    let query = Query {
        sort: Some("offset".into()),
        descending: true,
        ..filter("type==R_SYM_ADDR")
    };
    let rows = ask(&mut desk, ListId::Relocations, &query, Ask::Rows(256, 128));
    let page = page(rows);
    assert_eq!(
        (page.found, page.total, page.rows.len()),
        (20_000, 20_002, 128)
    );
    assert_eq!(
        page.rows[0].cells[3].text,
        format!("{:#x}", (20_000 - 257) * 8)
    );
    let at = ask(
        &mut desk,
        ListId::Relocations,
        &query,
        Ask::At(page.rows[5].span),
    );
    let at = place(at);
    assert_eq!((at.place, at.entry), (Some(261), Some(page.rows[5].span)));
    assert!(at.links.iter().any(|link| link.why == "symbol"));
}

#[test]
fn a_file_without_symbols_says_so() {
    let mut desk = desk(b"no ELF file");
    let rows = ask(&mut desk, ListId::Symbols, &filter(""), Ask::Rows(0, 10));
    let Response::Failed { message, .. } = rows else {
        panic!("{rows:?}");
    };
    assert_eq!(message, "There are no symbols in this.");
}

/// The texts of a file, and the query for the lines of the one of that name.
fn text(desk: &mut Desk, name: &str) -> Query {
    let texts = Request::Texts {
        document: NodeId::ROOT,
    };
    let Response::Rows(rows) = answer(desk, texts) else {
        panic!("no texts");
    };
    let row = rows
        .iter()
        .find(|row| row.name == name)
        .expect("no such text");
    Query {
        text: row.span,
        ..Query::default()
    }
}

#[test]
fn lines_are_those_of_the_text() {
    for fixture in elf_files() {
        // Some have code without metadata.
        if !fixture.bytes.windows(9).any(|part| part == b".ze_info\0") {
            continue;
        }
        let mut desk = desk(&fixture.bytes);
        let query = text(&mut desk, ".ze_info");
        let span = query.text.unwrap();
        let all = &fixture.bytes[span.start as usize..span.end as usize];
        let expected: Vec<&str> = std::str::from_utf8(all).unwrap().lines().collect();
        let mut lines = Vec::new();
        loop {
            let start = lines.len() as u64;
            let page = page(ask(&mut desk, ListId::Lines, &query, Ask::Rows(start, 100)));
            assert_eq!(page.found, expected.len() as u64, "{}", fixture.name);
            if page.rows.is_empty() {
                break;
            }
            lines.extend(page.rows);
        }
        let texts: Vec<&str> = lines.iter().map(|line| &*line.cells[0].text).collect();
        assert_eq!(texts, expected, "{}", fixture.name);
        for (number, line) in (0..).zip(&lines).step_by(7) {
            if line.span.is_empty() || line.cells[0].text.trim().is_empty() {
                continue;
            }
            let at = place(ask(&mut desk, ListId::Lines, &query, Ask::At(line.span)));
            assert_eq!((at.place, at.count), (Some(number), 1), "{}", fixture.name);
            assert!(at.entry.unwrap().contains(line.span));
        }
        let Response::Text(copied) =
            ask(&mut desk, ListId::Lines, &query, Ask::Written(Form::Tabs))
        else {
            panic!("not copied");
        };
        assert_eq!(copied.as_bytes(), all);
    }
}

#[test]
fn visa_and_build_options_are_texts() {
    for (file, name) in [
        ("vecadd-visa.cri.igc2.40.zebin", ".visaasm"),
        ("vecadd-visa.cri.igc2.40.zebin", ".ze_info"),
        ("funcs-stackcall.cri.igc2.40.zebin", ".misc.buildOptions"),
    ] {
        let mut desk = desk(&fixture(file));
        let query = text(&mut desk, name);
        let page = page(ask(&mut desk, ListId::Lines, &query, Ask::Rows(0, 10)));
        assert!(!page.rows.is_empty(), "{name}");
    }
}

#[test]
fn long_lines_and_bytes_that_are_no_text() {
    let long = "x".repeat(200_000);
    let info = format!("version: '1.73' # {long}\nkernels:\n").into_bytes();
    let mut info = info;
    info.extend(b"  - name: \xff\xfek\n");
    let file = zebin::zebin(&["k"]).bytes(".ze_info", info).build();
    let mut desk = desk(&file.bytes);
    let query = text(&mut desk, ".ze_info");
    let page = page(ask(&mut desk, ListId::Lines, &query, Ask::Rows(0, 10)));
    assert_eq!(page.longest, 200_019);
    let first = &page.rows[0];
    assert_eq!(first.cells[0].text.len() as u64, LINE_SHOWN);
    assert_eq!(first.cells[0].to.unwrap().len(), 200_018 - LINE_SHOWN);
    assert_eq!(page.rows[2].cells[0].text, "  - name: \\xff\\xfek");
}

#[test]
fn what_stands_in_a_text_is_found_one_after_the_other() {
    let mut desk = desk(&fixture("funcs-stackcall.cri.igc2.40.zebin"));
    let query = text(&mut desk, ".ze_info");
    let mut from = 0;
    let mut seen = Vec::new();
    for _ in 0..6 {
        let find = Ask::Find("SIMD_size".to_owned(), from, true);
        let found = place(ask(&mut desk, ListId::Lines, &query, find));
        let span = found.entry.unwrap();
        assert_eq!(span.len(), 9);
        seen.push((found.place.unwrap(), found.count));
        from = span.start + 1;
    }
    assert_eq!(
        seen,
        [(1, 5), (2, 5), (3, 5), (4, 5), (5, 5), (1, 5)],
        "around the end"
    );
}
