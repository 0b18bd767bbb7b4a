//! Relocations and symbols: compared with other readers, on damaged files, through the protocol;
//! and lines of text.

use std::rc::Rc;
use zeview::tables;

use crate::support::{elf, fixtures, open, zebin};
use goblin::elf::Elf;
use zeview::analysis::linkage::Tables;
use zeview::decode::limits::DEMANGLED;
use zeview::model::{Document, NodeId, SourceId, Span};
use zeview::tables::lines::LINE_SHOWN;
use zeview::tables::query::{Order, Query};
use zeview::tables::write::Form;
use zeview::tables::{Detail, List, ListId, Match, writer};
use zeview::worker::handler::Handler;
use zeview::worker::protocol::tree_order::TreeOrder;
use zeview::worker::protocol::{
    Envelope, Follow, ListAt, ListPage, ListRequest, Request, Response, SelectionTarget,
};

fn tables(document: &Document) -> Rc<Tables> {
    let linkage = document.linkage(NodeId::ROOT).expect("no linkage");
    linkage.tables(&document.sources)
}

fn list(document: &Document, list: ListId) -> Rc<dyn List> {
    // On the same file, opened again, as building a list changes a document.
    let whole = document.sources.whole(SourceId::FILE);
    let mut again = open(&document.sources.read(whole).unwrap());
    let made = tables::list(&mut again, NodeId::ROOT, list, None);
    made.expect("no list")
}

/// Returns the rows that match a query.
fn run(document: &Document, list: &dyn List, query: &Query) -> Result<Vec<u32>, String> {
    let order = query.run(list, &document.sources)?;
    Ok(order.from(0, u64::MAX).collect())
}

/// Returns the fixtures without archives.
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

// Comparison with other readers.

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
        for id in [ListId::Relocations, ListId::Symbols] {
            let list = list(&document, id);
            for row in 0..list.count() {
                let span = list.entry(row, &document.sources).unwrap();
                let found = list.rows_at(span, &document.sources);
                assert_eq!(found, Some(row..row + 1), "{}", fixture.name);
                let ancestry = document.nodes_for(span);
                let node = document.node(*ancestry.last().unwrap()).unwrap();
                assert_eq!(node.span, Some(span), "{}", fixture.name);
                let name = list.cell(row, 0, &document.sources).value;
                if id == ListId::Symbols {
                    assert_eq!(node.name, name.text(), "{}", fixture.name);
                }
            }
        }
    }
}

#[test]
fn references_to_symbols_are_counted() {
    let document = open(&fixture("funcs-stackcall.cri.igc2.40.zebin"));
    let tables = tables(&document);
    for (at, symbol) in (0..).zip(&tables.symbols) {
        let users = tables.users(at).count();
        assert_eq!(users, symbol.users as usize, "{}", symbol.name);
    }
    let relocations = list(&document, ListId::Relocations);
    let symbols = list(&document, ListId::Symbols);
    let mut used = 0;
    for row in 0..symbols.count() {
        let entry = symbols.entry(row, &document.sources).unwrap();
        let detail = symbols.about(row, entry, &document.sources).detail;
        let Detail::Symbol {
            relocations: count,
            query,
        } = detail
        else {
            panic!("{detail:?}")
        };
        let found = run(&document, &*relocations, &filter(&query)).unwrap();
        if count > 0 {
            assert_eq!(found.len() as u64, count, "{query}");
            used += 1;
        }
    }
    assert!(used > 2, "only {used} symbols are used");
}

// Contents of the rows.

fn small() -> Document {
    open(&zebin::zebin(&["k", "other"]).build().bytes)
}

/// Returns the cells of the visible columns.
fn texts(document: &Document, id: ListId, row: u32) -> Vec<String> {
    let list = list(document, id);
    let shown = 0..id.default_columns().count();
    let cells = shown.map(|column| list.cell(row, column, &document.sources).value);
    cells.map(|value| value.title().into_owned()).collect()
}

#[test]
fn rows_have_readable_values() {
    let document = small();
    let relocation = texts(&document, ListId::Relocations, 0);
    let symbol = "__INTEL_PATCH_CROSS_THREAD_OFFSET_OFF_R0";
    assert_eq!(
        relocation[..6],
        [symbol, "R_SYM_ADDR_32", "undefined", ".text.k", "0xc", ""]
    );
    assert_eq!(
        relocation[6].len(),
        11,
        "four bytes in hex: {}",
        relocation[6]
    );
    assert_eq!(
        texts(&document, ListId::Symbols, 0),
        [
            "_entry", "NOTYPE", ".text.k", "0x20", "0", "0", "k", "LOCAL", "DEFAULT"
        ]
    );
    let undefined = texts(&document, ListId::Symbols, 4);
    assert_eq!(undefined[2..7], ["undefined", "0x0", "0", "4", ""]);
    let relocations = list(&document, ListId::Relocations);
    let entry = relocations.entry(0, &document.sources).unwrap();
    let about = relocations.about(0, entry, &document.sources);
    assert_eq!(about.title, ".text.k + 0xc");
    let why: Vec<&str> = about.links.iter().map(|link| &*link.why).collect();
    assert_eq!(why, ["patches", "within", "symbol", "kernel"]);
    assert_eq!(about.links[1].label, "k + 0xc");
}

#[test]
fn patched_values_are_shown_if_known() {
    use elf::{Class, Elf, Relocation, Section, Symbol};
    let file = |addr: u64| {
        let list = [(1, 8), (2, -4), (3, 0), (7, 0)].into_iter().enumerate();
        let list = list.map(|(at, (kind, addend))| Relocation {
            offset: 8 * at as u64,
            symbol: 1,
            kind,
            addend,
        });
        let file = Elf::new(Class::Elf64)
            .section(Section::new(".data.const", 1, vec![0; 64]).flags(2))
            .section(Section::new(".data.global", 1, vec![0; 64]).flags(3))
            .section(Section::symbols(vec![
                Symbol::new("table", 0, 1, ".data.const").at(addr + 16, 32),
                Symbol::new("pointer", 0, 1, ".data.global").at(8, 8),
                Symbol::new("all", 0, 1, ".data.global").at(0, 64),
            ]))
            .section(Section::relocations(".data.global", list.collect(), true))
            .section(Section::new(
                ".ze_info",
                0xff00_0011,
                zebin::ze_info::<&str>(&[]),
            ))
            .build()
            .with_section(".data.const", "sh_addr", addr);
        open(&file.bytes)
    };
    let said = |document: &Document| -> Vec<[String; 2]> {
        let list = list(document, ListId::Relocations);
        let rows = 0..list.count();
        let row = |row| {
            let entry = list.entry(row, &document.sources).unwrap();
            let links = list.about(row, entry, &document.sources).links;
            ["within", "value after patching"].map(|why| {
                let link = links.iter().find(|link| link.why == why);
                link.map_or_else(String::new, |link| link.label.to_string())
            })
        };
        rows.map(row).collect()
    };
    let relocatable = [
        ["all", "address of .data.const + 0x18"],
        ["pointer", "low 32 bits of address of .data.const + 0xc"],
        [
            "all + 0x10",
            "high 32 bits of address of .data.const + 0x10",
        ],
        // Not only an address.
        ["all + 0x18", ""],
    ];
    assert_eq!(
        said(&file(0)),
        relocatable.map(|row| row.map(str::to_owned))
    );
    let placed = said(&file(0x1_0000));
    assert_eq!(placed[0][1], "0x10018, .data.const + 0x18");
}

#[test]
fn symbol_without_a_size_selects_its_contents() {
    let mut handler = handler(&zebin::zebin(&["k"]).build().bytes);
    let query = Query::default();
    let page = page(&mut handler, ListId::Symbols, &query, 0, 10);
    let row = &page.rows[0];
    assert_eq!(row.cells[0].value.text(), "_entry");
    let place = row.cells[3].span.unwrap();
    assert!(place.is_empty());
    let request = Request::Select {
        order: TreeOrder::File,
        place: SelectionTarget::Span(place),
        follow: Some(Follow {
            document: NodeId::ROOT,
            list: ListId::Symbols,
            query,
            current: Some(row.entry),
            or_first: false,
        }),
    };
    let Response::Selected(selected) = answer(&mut handler, request) else {
        panic!("nothing is there");
    };
    let instruction = selected.ancestry.last().unwrap();
    assert_eq!(instruction.name, "+0x20");
    assert_eq!(
        instruction.span,
        Some(Span::with_len(place.source, place.start, 16))
    );
    assert_eq!(selected.preview.len(), 16);
    // The row stays, although the bytes are within the function's instruction.
    assert_eq!(selected.list.unwrap().place.unwrap().entry, row.entry);
}

#[test]
fn cells_lead_to_bytes() {
    let document = small();
    let tables = tables(&document);
    let to = |id, row, column| {
        let list = list(&document, id);
        let columns = ListId::columns(id).iter();
        let at = columns.into_iter().position(|c| c.id == column).unwrap();
        list.cell(row, at, &document.sources).span
    };
    let relocation = &tables.relocations[0];
    for column in ["offset", "bytes"] {
        let span = to(ListId::Relocations, 0, column);
        assert_eq!(span, relocation.patched, "{column}");
    }
    let section = tables.patches(relocation).unwrap();
    let (_, kernel) = section.kernel.as_ref().unwrap();
    assert_eq!(to(ListId::Relocations, 0, "section"), Some(section.bytes));
    assert_eq!(to(ListId::Symbols, 0, "section"), Some(section.bytes));
    assert_eq!(to(ListId::Symbols, 0, "kernel"), Some(*kernel));
    assert_eq!(to(ListId::Symbols, 0, "value"), tables.symbols[1].target);
    assert_eq!(to(ListId::Symbols, 0, "name"), None);
}

#[test]
fn bytes_lead_back() {
    let document = small();
    let tables = tables(&document);
    let find = |id, span| list(&document, id).rows_at(span, &document.sources);
    let patched = tables.relocations[2].patched.unwrap();
    assert_eq!(find(ListId::Relocations, patched), Some(2..3));
    // The instruction that contains it.
    let around = Span::new(patched.source, patched.start - 12, patched.start + 4);
    assert_eq!(find(ListId::Relocations, around), Some(2..3));
    let code = tables.symbols[4].target.unwrap();
    assert_eq!(find(ListId::Symbols, code.subspan(3, 1)), Some(3..4));
    let header = Span::with_len(SourceId::FILE, 0, 4);
    assert_eq!(find(ListId::Relocations, header), None);
}

#[test]
fn rows_are_filtered_and_sorted() {
    let document = small();
    let run = |query: &Query, id| run(&document, &*list(&document, id), query);
    let relocations = |text| run(&filter(text), ListId::Relocations).unwrap();
    assert_eq!(relocations(""), [0, 1, 2, 3]);
    assert_eq!(relocations("section==.text.other"), [2, 3]);
    assert_eq!(relocations("patches = .text.other"), [2, 3]);
    assert_eq!(relocations("offset>0xc OTHER"), [3]);
    assert_eq!(relocations("0xc"), [0, 2]);
    assert_eq!(relocations("offset!=0xc"), [1, 3]);
    assert_eq!(relocations("type!=R_SYM_ADDR_32 offset<=16"), [1, 3]);
    assert_eq!(relocations("nothing"), [0; 0]);
    let symbols = |text| run(&filter(text), ListId::Symbols).unwrap();
    assert_eq!(symbols("kernel==k"), [0, 1]);
    assert_eq!(symbols("relocations>0"), [4]);
    assert_eq!(
        symbols("kind=FUNC and not kernel=k"),
        symbols("kind=FUNC kernel!=k")
    );
    let sorted = |id: &'static str, descending| Query {
        sort: Some(id.into()),
        descending,
        ..filter("")
    };
    let by_offset = run(&sorted("offset", true), ListId::Relocations);
    assert_eq!(by_offset.unwrap(), [1, 3, 0, 2]);
    let by_name = run(&sorted("name", false), ListId::Symbols);
    assert_eq!(by_name.unwrap(), [4, 0, 2, 1, 3]);
    assert!(run(&sorted("nothing", true), ListId::Symbols).is_err());
    assert!(
        run(&filter("siz==0"), ListId::Symbols).is_ok(),
        "the beginning"
    );
    assert!(run(&filter("sizes==0"), ListId::Symbols).is_err());
}

#[test]
fn names_are_demangled() {
    let file = zebin::zebin(&["k"]).symbol(elf::Symbol::new("_Z3addii", 1, 2, ".text.k").at(0, 16));
    let document = open(&file.build().bytes);
    let symbols = list(&document, ListId::Symbols);
    let last = symbols.count() - 1;
    let name = symbols.cell(last, 0, &document.sources).value;
    assert_eq!(
        (&*name.title(), &*name.text()),
        ("add(int, int)", "_Z3addii")
    );
    for text in [
        "add(int",
        "_z3add",
        "name=\"add(int, int)\"",
        "name=_Z3addii",
    ] {
        let found = run(&document, &*symbols, &filter(text));
        assert_eq!(found.unwrap(), [last], "{text}");
    }
}

/// Demangling is limited: later names are shown as in the file.
#[test]
fn names_are_demangled_up_to_a_limit() {
    let mut file = zebin::zebin(&["k"]);
    for at in 0..10_000 {
        let name = format!("_Z1000f{}{at:05}ii", "n".repeat(994));
        file = file.symbol(elf::Symbol::new(&name, 1, 0, 0));
    }
    let tables = tables(&open(&file.build().bytes));
    let made = tables.symbols.iter().filter_map(|s| s.demangled.as_ref());
    let made: Vec<&Rc<str>> = made.collect();
    assert!(made[0].ends_with("00000(int, int)"), "{}", made[0]);
    let kept: usize = made.iter().map(|name| name.len()).sum();
    assert!((1 << 20..DEMANGLED).contains(&kept), "{kept} bytes");
    assert!(tables.symbols.last().unwrap().demangled.is_none());
}

/// Only device code sections have a kernel.
#[test]
fn sections_of_kernels() {
    let kernels = |bytes: &[u8]| -> Vec<String> {
        let tables = tables(&open(bytes));
        let sections = tables.sections.iter();
        let kernels = sections.filter_map(|section| section.kernel.clone());
        kernels.map(|(name, _)| name).collect()
    };
    let mut file = zebin::zebin(&["k", "other"]);
    assert_eq!(kernels(&file.build().bytes), ["k", "other"]);
    file.machine = 62;
    file = file
        .without(".ze_info")
        .without(".note.intelgt.compat")
        .without(".note.intelgt.metrics");
    assert_eq!(kernels(&file.build().bytes), [""; 0]);
}

#[test]
fn lists_are_written() {
    let document = small();
    let symbols = list(&document, ListId::Symbols);
    let columns: Vec<_> = ListId::Symbols.default_columns().collect();
    let write = |form, limit| {
        let all = Order::All(symbols.count());
        writer::write(
            &*symbols,
            &all,
            &columns,
            form,
            None,
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
    let all = Order::All(symbols.count());
    let (rows, sources) = (Some((1, 2)), &document.sources);
    let rows = writer::write(
        &*symbols,
        &all,
        &columns,
        Form::Tabs,
        rows,
        sources,
        1 << 20,
    );
    let wanted: Vec<_> = tabs.lines().skip(2).take(2).collect();
    assert_eq!(rows.unwrap().lines().collect::<Vec<_>>(), wanted);
    let json: serde_json::Value =
        serde_json::from_str(&write(Form::Json, 1 << 20).unwrap()).unwrap();
    assert_eq!(json[0]["name"], "_entry");
    assert_eq!(
        (&json[0]["value"], &json[0]["index"]),
        (&32.into(), &1.into())
    );
    let plain = write(Form::Plain, 1 << 20).unwrap();
    assert_eq!(plain.lines().count(), 7);
    for form in [
        Form::Csv,
        Form::Tabs,
        Form::Markdown,
        Form::Json,
        Form::Plain,
    ] {
        let said = write(form, 10).unwrap_err();
        assert_eq!(said, "This list is too long to copy. Filter it first.");
    }
}

// Damage.

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
    assert_eq!(
        texts(&document, ListId::Relocations, 0),
        [
            "symbol 77",
            "type 99",
            "",
            ".text.k",
            "0x10000000000",
            "-8",
            ""
        ]
    );
    assert_eq!(tables(&document).relocations[0].patched, None);
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

fn handler(bytes: &[u8]) -> Handler {
    let mut handler = Handler::new(|| 0.0);
    let source = zeview::model::MemorySource::from(bytes);
    handler.open(1, "file", Box::new(source));
    handler
}

fn ask(handler: &mut Handler, list: ListId, query: &Query, ask: ListRequest) -> Response {
    let request = Request::List {
        document: NodeId::ROOT,
        list,
        query: query.clone(),
        ask,
    };
    answer(handler, request)
}

fn answer(handler: &mut Handler, request: Request) -> Response {
    let envelope = Envelope {
        id: 2,
        about: None,
        request,
    };
    handler.answer(&envelope).response
}

fn page(handler: &mut Handler, list: ListId, query: &Query, start: u64, count: u64) -> ListPage {
    let rows = ListRequest::Rows {
        start,
        count,
        columns: Vec::new(),
    };
    match ask(handler, list, query, rows) {
        Response::List(page) => *page,
        other => panic!("{other:?}"),
    }
}

/// Returns the node at a location.
fn node(handler: &mut Handler, place: SelectionTarget) -> NodeId {
    let follow = None;
    match answer(
        handler,
        Request::Select {
            order: TreeOrder::File,
            place,
            follow,
        },
    ) {
        Response::Selected(selected) => selected.ancestry.last().unwrap().id,
        other => panic!("{other:?}"),
    }
}

fn at(
    handler: &mut Handler,
    list: ListId,
    query: &Query,
    span: Span,
    current: Option<Span>,
) -> ListAt {
    let ask = ListRequest::At {
        node: node(handler, SelectionTarget::Span(span)),
        span: Some(span),
        current,
        or_first: false,
    };
    match self::ask(handler, list, query, ask) {
        Response::ListAt(Some(at)) => *at,
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
    let mut handler = handler(&file.bytes);
    let query = Query {
        sort: Some("offset".into()),
        descending: true,
        ..filter("type==R_SYM_ADDR")
    };
    let page = page(&mut handler, ListId::Relocations, &query, 256, 128);
    assert_eq!(
        (page.found, page.total, page.rows.len()),
        (20_000, 20_002, 128)
    );
    assert_eq!(
        page.rows[0].cells[4].value.text(),
        format!("{:#x}", (20_000 - 257) * 8)
    );
    let entry = page.rows[5].entry;
    let place = at(&mut handler, ListId::Relocations, &query, entry, None).place;
    let place = place.unwrap();
    assert_eq!((place.place, place.entry), (Some(261), entry));
    assert_eq!(place.index, page.rows[5].index);
    assert!(place.about.links.iter().any(|link| link.why == "symbol"));
    // The same with the selection and by its position.
    let follow = Follow {
        document: NodeId::ROOT,
        list: ListId::Relocations,
        query,
        current: None,
        or_first: false,
    };
    for place in [SelectionTarget::Span(entry), SelectionTarget::Row(261)] {
        let request = Request::Select {
            order: TreeOrder::File,
            place,
            follow: Some(follow.clone()),
        };
        let Response::Selected(selected) = answer(&mut handler, request) else {
            panic!("not selected");
        };
        assert_eq!(selected.ancestry.last().unwrap().span, Some(entry));
        let list = selected.list.unwrap();
        assert_eq!(list.place.unwrap().place, Some(261));
        let bytes = &file.bytes[entry.start as usize..entry.end as usize];
        assert_eq!(selected.preview, bytes);
    }
    for (place, follow) in [
        (SelectionTarget::Row(20_000), Some(follow)),
        (SelectionTarget::Row(0), None),
    ] {
        let answer = answer(
            &mut handler,
            Request::Select {
                order: TreeOrder::File,
                place,
                follow,
            },
        );
        assert!(matches!(answer, Response::Failed { .. }), "{answer:?}");
    }
}

/// Several relocations patch the same location and name the same symbol.
#[test]
fn following_a_row_keeps_the_row() {
    let one = |kind| elf::Relocation {
        offset: 16,
        symbol: 3,
        kind,
        addend: 0,
    };
    let list = [1, 2, 3].map(one).to_vec();
    let file = zebin::zebin(&["k"])
        .without(".rel.text.k")
        .section(elf::Section::relocations(".text.k", list, false))
        .build();
    let mut handler = handler(&file.bytes);
    let id = ListId::Relocations;
    let rows = page(&mut handler, id, &filter(""), 0, 9).rows;
    let patched = rows[2].cells[4].span.unwrap();
    let mut place = |span, current| {
        let at = at(&mut handler, id, &filter(""), span, current);
        at.place.unwrap().index
    };
    assert_eq!(place(patched, Some(rows[2].entry)), 2);
    assert_eq!(place(rows[1].entry, Some(rows[2].entry)), 1);
    assert_ne!(place(patched, None), 2);
    // The symbol's entry belongs to no relocation.
    let elsewhere = Span::with_len(SourceId::FILE, 0, 16);
    assert_eq!(place(elsewhere, Some(rows[2].entry)), 2);
}

#[test]
fn file_without_symbols_is_reported() {
    let mut handler = handler(b"no ELF file");
    let rows = ListRequest::Rows {
        start: 0,
        count: 10,
        columns: Vec::new(),
    };
    let rows = ask(&mut handler, ListId::Symbols, &filter(""), rows);
    let Response::Failed { message, .. } = rows else {
        panic!("{rows:?}");
    };
    assert_eq!(message, "This part of the file has no symbols.");
    let at = ListRequest::At {
        node: NodeId::ROOT,
        span: None,
        current: None,
        or_first: true,
    };
    let at = ask(&mut handler, ListId::Symbols, &filter(""), at);
    assert_eq!(at, Response::ListAt(None));
}

/// Returns the texts of a file, and the query for the lines of one of them.
fn text(handler: &mut Handler, name: &str) -> Query {
    let texts = Request::Texts {
        document: NodeId::ROOT,
    };
    let Response::Texts(rows) = answer(handler, texts) else {
        panic!("no texts");
    };
    let row = rows
        .iter()
        .find(|row| row.name == name)
        .expect("no such text");
    Query {
        of: row.span,
        ..Query::default()
    }
}

#[test]
fn texts_are_found_among_many_sections() {
    let mut file = zebin::zebin(&["k"]);
    for _ in 0..3000 {
        file = file.section(elf::Section::new(".text.x", 1, [0; 2]));
    }
    let file = file.bytes(".ze_info", "kernels: []\n").build();
    let mut handler = handler(&file.bytes);
    let query = text(&mut handler, ".ze_info");
    assert_eq!(query.of.map(Span::len), Some(12));
}

#[test]
fn lines_are_those_of_the_text() {
    for fixture in elf_files() {
        // Some have code without metadata.
        if !fixture.bytes.windows(9).any(|part| part == b".ze_info\0") {
            continue;
        }
        let mut handler = handler(&fixture.bytes);
        let query = text(&mut handler, ".ze_info");
        let span = query.of.unwrap();
        let all = &fixture.bytes[span.start as usize..span.end as usize];
        let expected: Vec<&str> = std::str::from_utf8(all).unwrap().lines().collect();
        let mut lines = Vec::new();
        loop {
            let start = lines.len() as u64;
            let page = page(&mut handler, ListId::Lines, &query, start, 100);
            assert_eq!(page.found, expected.len() as u64, "{}", fixture.name);
            if page.rows.is_empty() {
                break;
            }
            lines.extend(page.rows);
        }
        let texts: Vec<_> = lines
            .iter()
            .map(|line| line.cells[1].value.text())
            .collect();
        assert_eq!(texts, expected, "{}", fixture.name);
        for (number, line) in (0..).zip(&lines).step_by(7) {
            assert_eq!(line.cells[0].value.text(), (number + 1).to_string());
            if line.entry.is_empty() || line.cells[1].value.text().trim().is_empty() {
                continue;
            }
            let at = at(&mut handler, ListId::Lines, &query, line.entry, None);
            let place = at.place.unwrap();
            assert_eq!((place.place, place.count), (Some(number), 1));
            assert_eq!(place.entry, line.entry, "{}", fixture.name);
            // The selection determines the text.
            assert_eq!(at.of, query.of);
        }
        let written = ListRequest::Written {
            columns: Vec::new(),
            form: Form::Plain,
            rows: None,
        };
        let copied = ask(&mut handler, ListId::Lines, &query, written);
        assert_eq!(
            copied,
            Response::Text(String::from_utf8(all.to_vec()).unwrap())
        );
    }
}

#[test]
fn several_lines_are_one_place() {
    let info = "version: '1.73'\nkernels:\n  - name: k\n    execution_env:\n      simd_size: 16\n";
    let file = zebin::zebin(&["k"]).bytes(".ze_info", info).build();
    let mut handler = handler(&file.bytes);
    let query = text(&mut handler, ".ze_info");
    let text = query.of.unwrap();
    // Without surrounding blanks: from `- name` to `16`.
    let start = info.find("  - name").unwrap() as u64;
    let two = text.skip(start);
    let at = at(&mut handler, ListId::Lines, &filter(""), two, None);
    assert_eq!((at.of, at.found), (query.of, 5));
    let place = at.place.unwrap();
    assert_eq!((place.index, place.count), (2, 3));
    assert_eq!(place.entry, text.subspan(start, two.len() - 1));
    // Another text, or none, has no such line.
    let header = Span::with_len(SourceId::FILE, 0, 4);
    let other = self::at(&mut handler, ListId::Lines, &query, header, None);
    assert_eq!((other.of, other.place), (query.of, None));
    let none = self::at(&mut handler, ListId::Lines, &filter(""), header, None);
    assert_eq!(
        (none.of, none.found, none.document),
        (None, 0, NodeId::ROOT)
    );
    // Lines can be filtered like everything else.
    let with = Query {
        filter: "name or line=5".to_owned(),
        ..query
    };
    let found = page(&mut handler, ListId::Lines, &with, 0, 9);
    let rows: Vec<u64> = found.rows.iter().map(|row| row.index).collect();
    assert_eq!(rows, [2, 4]);
}

#[test]
fn visa_and_build_options_are_texts() {
    for (file, name) in [
        ("vecadd-visa.cri.igc2.40.zebin", ".visaasm"),
        ("vecadd-visa.cri.igc2.40.zebin", ".ze_info"),
        ("funcs-stackcall.cri.igc2.40.zebin", ".misc.buildOptions"),
    ] {
        let mut handler = handler(&fixture(file));
        let query = text(&mut handler, name);
        let page = page(&mut handler, ListId::Lines, &query, 0, 10);
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
    let mut handler = handler(&file.bytes);
    let query = text(&mut handler, ".ze_info");
    let page = page(&mut handler, ListId::Lines, &query, 0, 10);
    assert_eq!(page.maxima, [("text".into(), 200_019.0)]);
    let first = &page.rows[0];
    assert_eq!(first.cells[1].value.text().len() as u64, LINE_SHOWN);
    assert_eq!(first.cells[1].span.unwrap().len(), LINE_SHOWN);
    assert_eq!(first.entry.len(), 200_018);
    assert_eq!(page.rows[2].cells[1].value.text(), "  - name: \\xff\\xfek");
}

#[test]
fn matches_in_a_text_are_found_in_order() {
    let mut handler = handler(&fixture("funcs-stackcall.cri.igc2.40.zebin"));
    let query = text(&mut handler, ".ze_info");
    let mut from = 0;
    let mut seen = Vec::new();
    let mut find = |typed: &str, from| {
        let find = ListRequest::Find {
            typed: typed.to_owned(),
            from,
            forward: true,
        };
        match ask(&mut handler, ListId::Lines, &query, find) {
            Response::Match(found) => found,
            other => panic!("{other:?}"),
        }
    };
    for _ in 0..6 {
        let Match {
            span,
            ordinal,
            count,
        } = find("SIMD_size", from).unwrap();
        assert_eq!(span.len(), 9);
        seen.push((ordinal, count));
        from = span.start + 1;
    }
    assert_eq!(
        seen,
        [(1, 5), (2, 5), (3, 5), (4, 5), (5, 5), (1, 5)],
        "around the end"
    );
    assert_eq!(find("not in there", 0), None);
}
