//! The comparison as the page asks for it: the requests, the list of differences, and one
//! difference in full with both files side by side.

use zeview::model::diff::align::Hunk;
use zeview::model::diff::listing::{Row as Paired, rows};
use zeview::model::diff::{CodeChange, Comparison, Options, compare};
use zeview::model::list::query::Query;
use zeview::model::list::{ListId, Row};
use zeview::model::{MemorySource, NodeId};
use zeview::worker::handler::Handler;
use zeview::worker::protocol::{
    Ask, CompareForm, CompareReport, Envelope, ListPage, ROWS_MAX, Request, Response,
};

use crate::support::fixtures::{self, Fixture};
use crate::support::random::Random;
use crate::support::syclbin::Syclbin;
use crate::support::zebin::{small as small_zebin, ze_info};
use crate::support::{built, open};

fn zebin(name: &str) -> Fixture {
    let mut files = fixtures::zebins().into_iter();
    files.find(|file| file.name.starts_with(name)).unwrap()
}

fn request(request: Request) -> Envelope {
    Envelope {
        id: 2,
        about: Some(1),
        request,
    }
}

fn asked(handler: &mut Handler, asked: Request) -> Response {
    handler.answer(&request(asked)).response
}

/// A handler that has opened `b` and compared it with `a`.
fn compared(a: &[u8], b: &[u8], renumbered: bool) -> (Handler, CompareReport) {
    let mut handler = Handler::new(|| 0.0);
    let source = |bytes: &[u8]| Box::new(MemorySource::from(bytes.to_vec()));
    handler.open(1, "b.zebin", source(b));
    let compare = request(Request::Compare {
        name: "a.zebin".to_owned(),
        renumbered,
    });
    match handler.compare(&compare, source(a)).response {
        Response::Compared(report) => (handler, *report),
        other => panic!("{other:?}"),
    }
}

fn page(handler: &mut Handler, list: ListId, query: &Query, start: u64) -> ListPage {
    let request = Request::List {
        document: NodeId::ROOT,
        list,
        query: query.clone(),
        ask: Ask::Rows {
            start,
            count: ROWS_MAX,
            columns: list
                .columns()
                .iter()
                .map(|column| column.id.into())
                .collect(),
        },
    };
    match asked(handler, request) {
        Response::List(page) => *page,
        other => panic!("{other:?}"),
    }
}

fn all_rows(handler: &mut Handler, list: ListId, query: &Query) -> Vec<Row> {
    let mut rows = Vec::new();
    loop {
        let page = page(handler, list, query, rows.len() as u64);
        assert_eq!(page.trouble, None);
        rows.extend(page.rows);
        if rows.len() as u64 >= page.found {
            return rows;
        }
    }
}

fn text(list: ListId, row: &Row, column: &str) -> String {
    let mut columns = list.columns().iter();
    let place = columns.position(|other| other.id == column).unwrap();
    row.cells[place].value.text().into_owned()
}

fn of(row: usize, all: bool) -> Query {
    Query {
        row: Some(row as u64),
        all,
        ..Query::default()
    }
}

/// The rows of the page say what the comparison says.
fn holds(a: &[u8], b: &[u8]) -> Comparison {
    let (mut one, mut other) = (open(a), open(b));
    let expected = compare(&mut one, &mut other, &Options::default());
    let (mut handler, report) = compared(a, b, false);
    assert_eq!(report.differences, expected.entries.len() as u64);
    assert_eq!(
        (report.equal, report.same_meaning),
        (expected.equal, expected.same_meaning())
    );
    let differences = all_rows(&mut handler, ListId::Differences, &Query::default());
    assert_eq!(differences.len(), expected.entries.len());
    for (at, (row, entry)) in differences.iter().zip(&expected.entries).enumerate() {
        let said = |column| text(ListId::Differences, row, column);
        assert_eq!(said("name"), entry.name);
        assert_eq!(said("change"), entry.change.name());
        assert_eq!(said("fields"), entry.fields.len().to_string());
        assert_eq!(row.cells[0].span, entry.b);
        let rows_of = |handler: &mut Handler, all| all_rows(handler, ListId::Changes, &of(at, all));
        let (folded, whole) = (rows_of(&mut handler, false), rows_of(&mut handler, true));
        let differing = |rows: &[Row]| {
            let differs = |row: &&Row| !text(ListId::Changes, row, "change").is_empty();
            rows.iter().filter(differs).count()
        };
        assert_eq!(differing(&folded), differing(&whole), "{}", entry.name);
        // Each field is there, with its bytes in its own file.
        for field in &entry.fields {
            let said = |side: &Option<zeview::model::diff::Side>| {
                side.as_ref()
                    .map_or_else(String::new, |side| side.said.text())
            };
            let is_it = |row: &&Row| {
                let said_of = |column| text(ListId::Changes, row, column);
                said_of("key") == field.path
                    && said_of("from") == said(&field.from)
                    && said_of("to") == said(&field.to)
            };
            let row = whole.iter().find(is_it);
            let row = row.unwrap_or_else(|| panic!("{}: {field:?}", entry.name));
            let base = row.cells.iter().find_map(|cell| cell.base);
            assert_eq!(base, field.from.as_ref().and_then(|side| side.span));
        }
        let Some(code) = &entry.code else { continue };
        let pairs = rows(code, None);
        let listed = &whole[whole.len() - pairs.len()..];
        let listings = (
            one.listing_of(code.a).unwrap(),
            other.listing_of(code.b).unwrap(),
        );
        for (pair, row) in pairs.iter().zip(listed) {
            let (from, to) = match pair {
                Paired::Same(from, to) => (Some(*from), Some(*to)),
                Paired::Differs(from, to) => (*from, *to),
                Paired::Folded(_) => panic!("folded"),
            };
            let from = from.map(|from| {
                let line = listings.0.line(from, &one.sources).unwrap();
                (line.text.clone(), listings.0.span(from, &one.sources))
            });
            let to = to.map(|to| {
                let line = listings.1.line(to, &other.sources).unwrap();
                (line.text.clone(), listings.1.span(to, &other.sources))
            });
            let said = |column| text(ListId::Changes, row, column);
            let (from, to) = (from.unwrap_or_default(), to.unwrap_or_default());
            assert_eq!((said("from"), said("to")), (from.0, to.0));
            assert_eq!(row.cells.iter().find_map(|cell| cell.base), from.1);
            let mut columns = ListId::Changes.columns().iter();
            let place = columns.position(|column| column.id == "to").unwrap();
            assert_eq!(row.cells[place].span, to.1);
        }
    }
    expected
}

#[test]
fn rows_say_what_the_comparison_says() {
    let mut changed = 0;
    for (a, b) in [
        ("vecadd", "spill"),
        ("assertk.dg2", "assertk.tgllp"),
        ("empty.pvc", "empty.skl"),
        ("extern_lib-cllib", "extern_lib.dg2"),
        ("debugme-lines", "debugme.tgllp"),
    ] {
        let comparison = holds(&zebin(a).bytes, &zebin(b).bytes);
        changed += comparison
            .entries
            .iter()
            .filter(|entry| entry.code.is_some())
            .count();
    }
    assert!(changed > 0);
    for files in [fixtures::syclbins(), fixtures::hosts()] {
        for pair in files.windows(2).take(6) {
            holds(&pair[0].bytes, &pair[1].bytes);
        }
    }
}

#[test]
fn a_file_and_itself() {
    let file = zebin("assertk.dg2");
    let (mut handler, report) = compared(&file.bytes, &file.bytes, false);
    assert!(report.equal && report.same_meaning);
    assert_eq!(report.differences, 0);
    let none = page(&mut handler, ListId::Differences, &Query::default(), 0);
    assert_eq!((none.total, none.rows.len()), (0, 0));
}

#[test]
fn registers_with_other_numbers() {
    let (a, b) = (zebin("assertk.dg2"), zebin("assertk.tgllp"));
    let (mut handler, by_number) = compared(&a.bytes, &b.bytes, false);
    let again = Request::Compare {
        name: "a.zebin".to_owned(),
        renumbered: true,
    };
    let Response::Compared(renumbered) = asked(&mut handler, again) else {
        panic!("not compared again");
    };
    let (_, fresh) = compared(&a.bytes, &b.bytes, true);
    assert_eq!(*renumbered, fresh);
    assert!(renumbered.differences <= by_number.differences);
}

#[test]
fn nothing_to_compare_with() {
    let file = zebin("assertk.dg2");
    let mut handler = Handler::new(|| 0.0);
    handler.open(1, "b.zebin", Box::new(MemorySource::from(file.bytes)));
    for request in [
        Request::Compare {
            name: "a.zebin".to_owned(),
            renumbered: true,
        },
        Request::WriteComparison {
            form: CompareForm::Json,
        },
        Request::List {
            document: NodeId::ROOT,
            list: ListId::Changes,
            query: of(0, false),
            ask: Ask::Rows {
                start: 0,
                count: 10,
                columns: Vec::new(),
            },
        },
    ] {
        let answer = asked(&mut handler, request);
        assert!(
            matches!(answer, Response::Failed { changed: false, .. }),
            "{answer:?}"
        );
    }
}

#[test]
fn written_as_the_command_line_writes_it() {
    let (a, b) = (zebin("assertk.dg2"), zebin("assertk.tgllp"));
    let (mut handler, _) = compared(&a.bytes, &b.bytes, false);
    for (form, begins) in [
        (CompareForm::Markdown, "- from a.zebin"),
        (CompareForm::Html, "<!doctype html>"),
        (CompareForm::Json, "\"schema\":1"),
    ] {
        let Response::Text(text) = asked(&mut handler, Request::WriteComparison { form }) else {
            panic!("{form:?}");
        };
        assert!(
            text.to_lowercase().contains(begins),
            "{form:?}: {}",
            &text[..200]
        );
    }
}

/// A row that there is none of, and a filter that finds some.
#[test]
fn rows_that_are_not_there() {
    let (a, b) = (zebin("assertk.dg2"), zebin("assertk.tgllp"));
    let (mut handler, report) = compared(&a.bytes, &b.bytes, false);
    let beyond = Request::List {
        document: NodeId::ROOT,
        list: ListId::Changes,
        query: of(report.differences as usize, false),
        ask: Ask::Rows {
            start: 0,
            count: 10,
            columns: Vec::new(),
        },
    };
    assert!(matches!(
        asked(&mut handler, beyond),
        Response::Failed { .. }
    ));
    let kernels = Query {
        filter: "part=kernel".to_owned(),
        ..Query::default()
    };
    let found = page(&mut handler, ListId::Differences, &kernels, 0);
    assert!(found.found > 0 && found.found < report.differences);
}

/// In what differs in several documents of a file, each row says in which.
#[test]
fn rows_of_several_documents_say_which() {
    let is_shown = |a: &[u8], b: &[u8]| {
        let (mut document, mut base) = (open(b), open(a));
        let comparison = compare(&mut base, &mut document, &Options::default());
        let (mut handler, _) = compared(a, b, false);
        let request = Request::List {
            document: NodeId::ROOT,
            list: ListId::Differences,
            query: Query::default(),
            ask: Ask::Rows {
                start: 0,
                count: 1,
                columns: Vec::new(),
            },
        };
        let Response::List(page) = asked(&mut handler, request) else {
            panic!("no page of the list");
        };
        let is_shown = page.columns.iter().any(|id| *id == "document");
        (comparison.pairs.len(), is_shown)
    };
    let small = Syclbin::small();
    let mut other = small.clone();
    let text = ze_info(&["k"]).replace("grf_count:       128", "grf_count:       256");
    let zebin = small_zebin().bytes(".ze_info", text).build().bytes;
    other.modules[1].native[0].bytes.clone_from(&zebin);
    assert_eq!(is_shown(&small.v2(), &other.v2()), (2, true));
    assert_eq!(is_shown(&small_zebin().build().bytes, &zebin), (1, false));
}

/// Of two listings side by side all is there that differs, so many rows around it, and what is
/// between them is counted.
#[test]
fn rows_around_what_differs() {
    let mut random = Random::named("rows");
    for round in 0..200_usize {
        let mut hunks = Vec::new();
        let (mut a, mut b) = (random.below(9) as u32, 0);
        b += a;
        for _ in 0..round % 4 {
            let (from, to) = (random.below(4) as u32, random.below(4) as u32);
            let to = if from == 0 { to + 1 } else { to };
            hunks.push(Hunk {
                a: a..a + from,
                b: b..b + to,
            });
            let same = 1 + random.below(14) as u32;
            (a, b) = (a + from + same, b + to + same);
        }
        let change = CodeChange {
            hunks: hunks.clone(),
            counts: (a, b),
            ..CodeChange::default()
        };
        let differs = |row: u32| hunks.iter().any(|hunk| hunk.a.contains(&row));
        for context in [None, Some(0), Some(1), Some(3)] {
            let is_near = |row: u32| {
                let Some(context) = context else { return true };
                hunks.iter().any(|hunk| {
                    let before = row < hunk.a.start && row + context >= hunk.a.start;
                    before || row >= hunk.a.end && row < hunk.a.end + context
                })
            };
            let (mut at, mut other) = (0, 0);
            for row in rows(&change, context) {
                match row {
                    Paired::Same(x, y) => {
                        assert_eq!((x, y), (at, other), "{hunks:?} {context:?}");
                        assert!(!differs(x));
                        (at, other) = (at + 1, other + 1);
                    }
                    Paired::Differs(x, y) => {
                        assert!(x.is_none_or(|x| x == at && differs(x)));
                        assert!(y.is_none_or(|y| y == other));
                        assert!(x.is_some() || y.is_some());
                        at += u32::from(x.is_some());
                        other += u32::from(y.is_some());
                    }
                    Paired::Folded(count) => {
                        // A single row is shown as it is.
                        assert!(count > 1, "{hunks:?} {context:?}");
                        for row in at..at + count {
                            assert!(!differs(row) && !is_near(row), "{hunks:?} {context:?}");
                        }
                        (at, other) = (at + count, other + count);
                    }
                }
            }
            assert_eq!((at, other), change.counts, "{hunks:?} {context:?}");
            // What is not near is folded, but for single rows.
            let shown = rows(&change, context);
            let shown = shown.iter().filter(|row| matches!(row, Paired::Same(..)));
            let same = (0..change.counts.0).filter(|row| !differs(*row));
            let near = same.filter(|row| is_near(*row)).count();
            let stretches = hunks.len() + 1;
            let shown = shown.count();
            assert!((near..=near + stretches).contains(&shown), "{shown} {near}");
        }
    }
}

/// Files of all formats, damaged ones too, against each other: no answer fails.
#[test]
fn any_two_files() {
    let files = built::all();
    for pair in files.windows(2) {
        let (mut handler, report) = compared(&pair[0].1, &pair[1].1, false);
        let differences = page(&mut handler, ListId::Differences, &Query::default(), 0);
        assert_eq!(differences.found, report.differences);
        for row in 0..differences.rows.len().min(20) {
            page(&mut handler, ListId::Changes, &of(row, true), 0);
        }
    }
}
