//! The source lines of code as a list, with the text of source files.

use zeview::model::{Document, NodeId, SourceId};
use zeview::tables;
use zeview::tables::query::Query;
use zeview::tables::{Cell, CellValue, Detail, List, ListId};
use zeview::worker::handler::Handler;
use zeview::worker::protocol::{Envelope, ListRequest, Request, Response};

use crate::support::dwarf::{Lines, Shape};
use crate::support::{dwarf_files, fixtures, open};

fn fixture(name: &str) -> Vec<u8> {
    std::fs::read(fixtures::folder().join("zebin").join(name)).unwrap()
}

fn list(document: &Document) -> std::rc::Rc<dyn List> {
    // Of the same file, opened again: to make a list changes a document.
    let whole = document.sources.whole(SourceId::FILE);
    let mut again = open(&document.sources.read(whole).unwrap());
    let list = tables::list(&mut again, NodeId::ROOT, ListId::SourceLines, None);
    list.expect("it has line tables")
}

fn cell(document: &Document, row: u32, id: &str) -> Cell<'static> {
    let columns = ListId::SourceLines.columns().iter();
    let place = columns.clone().position(|column| column.id == id).unwrap();
    list(document).cell(row, place, &document.sources).shown()
}

fn text(document: &Document, row: u32, id: &str) -> String {
    cell(document, row, id).value.text().into_owned()
}

#[test]
fn rows_are_ranges_of_code_and_bytes_lead_back() {
    let document = open(&fixture("debugme.tgllp.igc1.12504.zebin"));
    let list = list(&document);
    let row = |row| {
        [
            "source_file",
            "line",
            "column",
            "section",
            "offset",
            "size",
            "instructions",
        ]
        .map(|id| text(&document, row, id))
    };
    assert_eq!(
        row(0),
        ["debugme.cl", "4", "", ".text.step", "0x0", "32", "2"]
    );
    assert_eq!(
        row(1),
        ["debugme.cl", "5", "13", ".text.step", "0x20", "104", "7"]
    );
    let mut end = None;
    for row in 0..list.count() {
        let code = list.entry(row, &document.sources).unwrap();
        // Contiguous, without overlap.
        assert!(end.is_none_or(|end| end <= code.start));
        end = Some(code.end);
        for bytes in [code, code.subspan(0, 8), code.skip(code.len() - 1)] {
            assert_eq!(list.rows_at(bytes, &document.sources), Some(row..row + 1));
        }
        let entry = cell(&document, row, "line").span.unwrap();
        assert_eq!(list.rows_at(entry, &document.sources), Some(row..row + 1));
    }
    assert_eq!(text(&document, 0, "kernel"), "step");
}

/// IGC leaves the symbol of one code section unnamed; its lines are listed too.
#[test]
fn code_without_a_symbol_has_no_section() {
    let row = |document: &Document| {
        ["section", "kernel", "offset", "size", "instructions"].map(|id| text(document, 0, id))
    };
    let named = open(&dwarf_files::relocated(true).build().bytes);
    assert_eq!(list(&named).count(), 1);
    assert_eq!(row(&named), [".text.other", "other", "0x0", "16", "1"]);
    let document = open(&dwarf_files::relocated_by_no_name().build().bytes);
    let list = list(&document);
    assert_eq!(list.count(), 1);
    assert_eq!(row(&document), ["", "", "0x0", "16", ""]);
    // Its bytes are those of the line table, and lead back.
    let entry = list.entry(0, &document.sources).unwrap();
    assert_eq!(Some(entry), cell(&document, 0, "line").span);
    assert_eq!(list.rows_at(entry, &document.sources), Some(0..1));
}

#[test]
fn the_code_of_a_line_is_found() {
    let document = open(&fixture("debugme.tgllp.igc1.12504.zebin"));
    let list = list(&document);
    let code = list.entry(5, &document.sources).unwrap();
    let about = list.about(5, code, &document.sources);
    assert_eq!(about.title, "debugme.cl, line 2");
    let Detail::Line {
        ranges,
        bytes,
        query,
    } = about.detail
    else {
        panic!("{:?}", about.detail);
    };
    let query = Query {
        filter: query,
        ..Query::default()
    };
    let found = query.run(&*list, &document.sources).unwrap();
    assert_eq!(u64::from(found.count()), ranges);
    assert!(ranges > 3);
    let sizes = found
        .from(0, u64::MAX)
        .map(|row| match cell(&document, row, "size").value {
            CellValue::Count(size) => size,
            other => panic!("{other:?}"),
        });
    assert_eq!(sizes.sum::<u64>(), bytes);
}

#[test]
fn numbers_are_not_names() {
    let document = open(&fixture("debugme-lines.ptl-h.igc2.40.zebin"));
    assert_eq!(text(&document, 0, "source_file"), "file 1");
    let list = list(&document);
    let code = list.entry(0, &document.sources).unwrap();
    let about = list.about(0, code, &document.sources);
    assert_eq!(about.title, "file 1, line 4");
}

#[test]
fn every_built_table_is_a_list() {
    for shape in [Shape::version(4), Shape::version(5)] {
        let lines: Lines = dwarf_files::every_opcode(shape);
        let document = open(&dwarf_files::with_lines(lines.build()).build().bytes);
        assert!(document.summary.has.lines);
        assert!(list(&document).count() > 0);
    }
    let mut none = open(&fixture("vecadd.wcl.igc2.40.zebin"));
    assert!(!none.summary.has.lines);
    assert!(tables::list(&mut none, NodeId::ROOT, ListId::SourceLines, None).is_none());
}

const SOURCE: &str = "one\n// two\nthree\n\tfour\nfive\n";

fn add(handler: &mut Handler, name: &str) -> Response {
    ask(
        handler,
        Request::AddSource {
            document: NodeId::ROOT,
            name: name.to_owned(),
            text: SOURCE.to_owned(),
        },
    )
}

fn ask(handler: &mut Handler, request: Request) -> Response {
    let envelope = Envelope {
        id: 2,
        about: None,
        request,
    };
    handler.answer(&envelope).response
}

/// Returns the source column, with its marks.
fn texts(handler: &mut Handler) -> Vec<(String, Vec<String>)> {
    let request = Request::List {
        document: NodeId::ROOT,
        list: ListId::SourceLines,
        query: Query::default(),
        ask: ListRequest::Rows {
            start: 0,
            count: 4,
            columns: vec!["text".into()],
        },
    };
    let Response::List(page) = ask(handler, request) else {
        panic!("no list");
    };
    let rows = page.rows.into_iter();
    rows.map(|row| {
        let marks = row.cells[0].marks.iter().map(|mark| mark.text.to_string());
        (row.cells[0].value.text().into_owned(), marks.collect())
    })
    .collect()
}

fn opened(name: &str) -> Handler {
    let mut handler = Handler::new(|| 0.0);
    handler.show(1, name, open(&fixture(name)));
    handler
}

#[test]
fn added_source_file_provides_text() {
    let mut handler = opened("debugme.tgllp.igc1.12504.zebin");
    assert!(texts(&mut handler).iter().all(|(text, _)| text.is_empty()));
    let Response::Failed { message, changed } = add(&mut handler, "/src/other.cl") else {
        panic!("it is of no line");
    };
    assert_eq!(
        message,
        "No code comes from other.cl. The line tables name debugme.cl."
    );
    assert!(!changed);
    let Response::Text(said) = add(&mut handler, "C:\\src\\debugme.cl") else {
        panic!("it is not taken");
    };
    assert!(
        said.starts_with("debugme.cl: the source of ") && said.ends_with(" rows."),
        "{said}"
    );
    let shown = texts(&mut handler);
    assert_eq!(shown[0], ("    four".to_owned(), vec![]));
    assert_eq!(shown[1], ("five".to_owned(), vec![]));
    // Line 6 of five.
    assert_eq!(shown[2], (String::new(), vec!["no such line".to_owned()]));
}

#[test]
fn unnamed_file_matches_any_added_file() {
    let mut handler = opened("debugme-lines.ptl-h.igc2.40.zebin");
    let Response::Text(said) = add(&mut handler, "debugme.cl") else {
        panic!("it is not taken");
    };
    assert!(
        said.starts_with("debugme.cl: taken for file 1, the source of "),
        "{said}"
    );
    let shown = texts(&mut handler);
    assert_eq!(
        shown[0],
        ("    four".to_owned(), vec!["assumed".to_owned()])
    );
}
