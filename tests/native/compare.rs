//! The comparison as requested by the page: the list of differences, and one difference in full
//! with both files side by side.

use zeview::diff::align::Hunk;
use zeview::diff::listing::{Row as Paired, rows};
use zeview::diff::listing_of;
use zeview::diff::{
    CodeChange, ComparedKernel, Comparison, DifferenceIndex, Options, compare, compare_kernels,
    overlaps,
};
use zeview::kernel_names::{self, KernelQuery};
use zeview::model::{ByteSource, Bytes, NodeId, SourceError, SourceId, Span};
use zeview::tables::query::{Query, RowOptions};
use zeview::tables::{ListId, Row};
use zeview::worker::protocol::tree_order::{RowId, TreeOrder};
use zeview::worker::protocol::{
    CompareForm, CompareReport, ListPage, ListRequest, ROWS_MAX, Request, Response,
};

use crate::decoder::Decoder;
use crate::support::fixtures::{self, Fixture};
use crate::support::random::Random;
use crate::support::syclbin::Syclbin;
use crate::support::zebin::{small as small_zebin, ze_info, zebin as built_zebin};
use crate::support::{built, open};

fn zebin(name: &str) -> Fixture {
    let mut files = fixtures::zebins().into_iter();
    files.find(|file| file.name.starts_with(name)).unwrap()
}

/// Returns a decoder that has opened `b` and compared it with `a`.
fn compared(a: &[u8], b: &[u8], renumbered: bool) -> (Decoder, CompareReport) {
    let (mut decoder, _) = Decoder::open("b.zebin", b);
    let compare = Request::Compare {
        name: "a.zebin".to_owned(),
        options: zeview::diff::Options {
            renumbered,
            ..Default::default()
        },
        keep: None,
    };
    match decoder.ask_with(compare, a) {
        Response::Compared(report) => (decoder, *report),
        other => panic!("{other:?}"),
    }
}

fn page(decoder: &mut Decoder, list: ListId, query: &Query, start: u64) -> ListPage {
    let request = Request::List {
        document: NodeId::ROOT,
        list,
        query: query.clone(),
        ask: ListRequest::Rows {
            start,
            count: ROWS_MAX,
            columns: list
                .columns()
                .iter()
                .map(|column| column.id.into())
                .collect(),
        },
    };
    match decoder.ask(request) {
        Response::List(page) => *page,
        other => panic!("{other:?}"),
    }
}

fn all_rows(decoder: &mut Decoder, list: ListId, query: &Query) -> Vec<Row> {
    let mut rows = Vec::new();
    loop {
        let page = page(decoder, list, query, rows.len() as u64);
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
        options: RowOptions::Difference(row as u64),
        all,
        ..Query::default()
    }
}

#[test]
fn two_kernels_of_a_file_are_compared_as_the_command_line_does() {
    let spill = std::fs::read(fixtures::folder().join("zebin/spill.nvl-p.igc2.40.zebin")).unwrap();
    let archive = std::fs::read(fixtures::folder().join("verdicts/vectors.ar")).unwrap();
    for (bytes, names) in [
        (spill, ["spill", "bigprivate"]),
        (archive, ["vecadd", "vecadd"]),
    ] {
        let mut document = open(&bytes);
        let mut builds = Vec::new();
        for (at, name) in names.iter().enumerate() {
            let found = kernel_names::find(&mut document, &KernelQuery::with_code(*name)).unwrap();
            builds.push(found[at.min(found.len() - 1)].clone());
        }
        let places = builds.iter().map(|build| {
            let rows = document.kernels(build.document).unwrap();
            let rows = rows.rows(&document.sources);
            let row = rows.iter().find(|row| row.name.value == build.name);
            ComparedKernel {
                name: build.name.clone(),
                entry: row.unwrap().entry,
            }
        });
        let places: Vec<ComparedKernel> = places.collect();
        assert_ne!(places[0].entry, places[1].entry);
        // Nodes are of their own document.
        let again = |at: usize| {
            let mut document = open(&bytes);
            let query = KernelQuery::with_code(names[at]);
            let found = kernel_names::find(&mut document, &query).unwrap();
            let build = found[at.min(found.len() - 1)].clone();
            (document, build)
        };
        let ((mut one, a), (mut other, b)) = (again(0), again(1));
        let (first, second) = ((&mut one, &a), (&mut other, &b));
        let expected = compare_kernels(first, second, &Options::default()).unwrap();
        assert!(!expected.entries.is_empty());
        let (mut decoder, _) = Decoder::open("b", &bytes[..]);
        let compare = Request::Compare {
            name: "b".to_owned(),
            options: Options {
                kernels: Some(Box::new(places.try_into().unwrap())),
                ..Options::default()
            },
            keep: None,
        };
        let Response::Compared(report) = decoder.ask_with(compare, &bytes[..]) else {
            panic!("not compared at once");
        };
        let rows = all_rows(&mut decoder, ListId::Differences, &Query::default());
        assert_eq!(rows.len(), expected.entries.len());
        for (row, entry) in rows.iter().zip(&expected.entries) {
            assert_eq!(text(ListId::Differences, row, "name"), entry.name);
            let fields = text(ListId::Differences, row, "fields");
            assert_eq!(fields, entry.fields.len().to_string());
        }
        let heads = [&report.from.target, &report.to.target];
        assert_eq!(heads, [&expected.a.target, &expected.b.target]);
    }
}

/// Checks the rows of the page against the comparison.
fn holds(a: &[u8], b: &[u8]) -> Comparison {
    let (mut one, mut other) = (open(a), open(b));
    let expected = compare(&mut one, &mut other, &Options::default());
    let (mut decoder, report) = compared(a, b, false);
    assert_eq!(report.differences, expected.entries.len() as u64);
    assert_eq!(
        (report.equal, report.same_meaning),
        (expected.equal, expected.same_meaning())
    );
    let differences = all_rows(&mut decoder, ListId::Differences, &Query::default());
    assert_eq!(differences.len(), expected.entries.len());
    for (at, (row, entry)) in differences.iter().zip(&expected.entries).enumerate() {
        let said = |column| text(ListId::Differences, row, column);
        assert_eq!(said("name"), entry.name);
        assert_eq!(said("change"), entry.change.name());
        assert_eq!(said("fields"), entry.fields.len().to_string());
        assert_eq!(row.cells[0].span, entry.b);
        let rows_of = |decoder: &mut Decoder, all| all_rows(decoder, ListId::Changes, &of(at, all));
        let (folded, whole) = (rows_of(&mut decoder, false), rows_of(&mut decoder, true));
        let differing = |rows: &[Row]| {
            let differs = |row: &&Row| !text(ListId::Changes, row, "change").is_empty();
            rows.iter().filter(differs).count()
        };
        assert_eq!(differing(&folded), differing(&whole), "{}", entry.name);
        // Each field is present, with its bytes in its own file.
        for field in &entry.fields {
            let said = |side: &Option<zeview::diff::Side>| {
                side.as_ref()
                    .map_or_else(String::new, |side| side.value.text())
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
            listing_of(&mut one, code.a).unwrap(),
            listing_of(&mut other, code.b).unwrap(),
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
fn rows_match_the_comparison() {
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
    let (mut decoder, report) = compared(&file.bytes, &file.bytes, false);
    assert!(report.equal && report.same_meaning);
    assert_eq!(report.differences, 0);
    let none = page(&mut decoder, ListId::Differences, &Query::default(), 0);
    assert_eq!((none.total, none.rows.len()), (0, 0));
}

#[test]
fn registers_with_other_numbers() {
    let (a, b) = (zebin("assertk.dg2"), zebin("assertk.tgllp"));
    let (mut decoder, by_number) = compared(&a.bytes, &b.bytes, false);
    let again = Request::Compare {
        name: "a.zebin".to_owned(),
        options: zeview::diff::Options {
            renumbered: true,
            ..Default::default()
        },
        keep: None,
    };
    let Response::Compared(renumbered) = decoder.ask(again) else {
        panic!("not compared again");
    };
    let (_, fresh) = compared(&a.bytes, &b.bytes, true);
    assert_eq!(*renumbered, fresh);
    assert!(renumbered.differences <= by_number.differences);
}

/// A difference is found again, if it still exists, when register numbers are ignored or not.
#[test]
fn a_difference_is_found_again() {
    let (mut kept, mut moved, mut gone) = (0, 0, 0);
    // mov (16|M0) r127.0<1>:ud 0x0:ud, and the same with other registers and numbers.
    let word = |register: u8, number: u8| {
        let head = [0x61, 0x00, 0x10, 0x80, 0x20, 0x42, 0x05, register];
        let tail = [0, 0, 0, 0, number, 0, 0, 0];
        [head, tail].concat()
    };
    // The code of one kernel uses another register, that of the other another number.
    let of = |register: u8, number: u8| {
        let elf = built_zebin(&["one", "two"]).bytes(".text.one", word(register, 0).repeat(4));
        let elf = elf.bytes(".text.two", word(127, number).repeat(4));
        elf.build().bytes
    };
    let file = |name| zebin(name).bytes;
    for (a, b) in [
        (of(127, 0), of(126, 1)),
        (file("assertk.dg2"), file("assertk.tgllp")),
        (file("debugme-lines"), file("debugme.tgllp")),
    ] {
        let (mut decoder, report) = compared(&a, &b, false);
        assert_eq!(report.kept, None);
        let facts = |decoder: &mut Decoder| {
            let rows = all_rows(decoder, ListId::Differences, &Query::default());
            let said = |row: &Row, column| text(ListId::Differences, row, column);
            let rows = rows.iter().map(|row| {
                let bytes = (row.cells[0].base, row.cells[0].span);
                (said(row, "part"), said(row, "name"), bytes)
            });
            rows.collect::<Vec<_>>()
        };
        for place in 0..report.differences {
            let mut again = |renumbered| {
                let before = facts(&mut decoder);
                let request = Request::Compare {
                    name: "a.zebin".to_owned(),
                    options: zeview::diff::Options {
                        renumbered,
                        ..Default::default()
                    },
                    keep: Some(place),
                };
                let Response::Compared(report) = decoder.ask(request) else {
                    panic!("not compared again");
                };
                let place = usize::try_from(place).unwrap();
                (before.get(place).cloned(), report.kept, facts(&mut decoder))
            };
            let (before, found, after) = again(true);
            let before = before.unwrap();
            match found {
                Some(found) => {
                    assert_eq!(after[usize::try_from(found).unwrap()], before);
                    kept += 1;
                    moved += usize::from(found != place);
                }
                None => {
                    assert!(!after.contains(&before));
                    gone += 1;
                }
            }
            again(false);
        }
    }
    assert!(kept > 20 && moved > 0 && gone > 0, "{kept} {moved} {gone}");
    // No difference at such an index; in other files nothing is found again.
    let (a, b) = (zebin("vecadd").bytes, zebin("spill").bytes);
    let (mut decoder, report) = compared(&a, &b, false);
    let far = Request::Compare {
        name: "a.zebin".to_owned(),
        options: zeview::diff::Options {
            renumbered: true,
            ..Default::default()
        },
        keep: Some(report.differences + 100),
    };
    let Response::Compared(far) = decoder.ask(far) else {
        panic!("not compared again");
    };
    assert_eq!(far.kept, None);
    let other = Request::Compare {
        name: "a.zebin".to_owned(),
        options: Default::default(),
        keep: Some(0),
    };
    match decoder.ask_with(other, b) {
        Response::Compared(report) => assert_eq!(report.kept, None),
        other => panic!("{other:?}"),
    }
}

/// Returns the kernels of a file by name, and whether the rows of the tree show a difference in
/// each; and whether the rest of the file has one.
fn differing_rows(
    decoder: &mut Decoder,
    differing: &DifferenceIndex,
) -> (Vec<(String, bool)>, bool) {
    let mut rows = |node: NodeId| {
        let mut rows = Vec::new();
        loop {
            let request = Request::Rows {
                order: TreeOrder::Kernels,
                node,
                start: rows.len() as u64,
                count: ROWS_MAX,
            };
            let Response::Rows { count, rows: more } = decoder.ask(request) else {
                return rows;
            };
            rows.extend(more);
            if rows.len() as u64 >= count {
                return rows;
            }
        }
    };
    let (mut kernels, mut rest) = (Vec::new(), false);
    for top in rows(NodeId::ROOT) {
        let mut spans = rows(top.id).into_iter().filter_map(|row| row.span);
        let differs = spans.any(|span| overlaps(&differing.bytes, span));
        match RowId::of(top.id) {
            RowId::Kernel(_) => kernels.push((top.name.to_string(), differs)),
            _ => rest |= differs,
        }
    }
    (kernels, rest)
}

/// Checks that the differing kernels are those with a differing row.
fn kernels_differ(a: &[u8], b: &[u8]) -> [Vec<(String, bool)>; 2] {
    let (mut decoder, _) = compared(a, b, false);
    let Response::Differing(differing) = decoder.ask(Request::Differing) else {
        panic!("nothing is known of what differs");
    };
    let (mut other, _) = compared(b, a, false);
    let sides = [(&mut other, &differing.0), (&mut decoder, &differing.1)];
    sides.map(|(decoder, differing)| {
        let (kernels, rest) = differing_rows(decoder, differing);
        let differs = |(_, (_, differs)): &(u32, &(String, bool))| *differs;
        let expected = (0_u32..).zip(&kernels).filter(differs);
        let expected: Vec<u32> = expected.map(|(place, _)| place).collect();
        assert_eq!(differing.kernels, expected);
        assert_eq!(differing.rest, rest);
        kernels
    })
}

#[test]
fn differing_kernels_are_distinguished() {
    let file = |text: String| small_zebin().bytes(".ze_info", text).build().bytes;
    let before = ze_info(&["one", "two", "three"]);
    let kernels = |differs: [bool; 3]| {
        let names = ["one", "two", "three"].into_iter().map(str::to_owned);
        names.zip(differs).collect::<Vec<_>>()
    };
    let at = before.find("two").unwrap();
    let (head, tail) = before.split_at(at);
    // Equal, in another encoding.
    let spaced = tail.replacen("grf_count:       128", "grf_count: 128", 1);
    let after = format!("{head}{spaced}");
    assert_ne!(before, after);
    let none = kernels([false, false, false]);
    assert_eq!(
        kernels_differ(&file(before.clone()), &file(after)),
        [none.clone(), none]
    );
    let tail = tail.replacen("grf_count:       128", "grf_count:       256", 1);
    let after = format!("{head}{tail}");
    assert_ne!(before, after);
    let second = kernels([false, true, false]);
    assert_eq!(
        kernels_differ(&file(before), &file(after)),
        [second.clone(), second]
    );
    let (mut same, mut differ) = (0, 0);
    let files = fixtures::zebins();
    for pair in files.windows(2) {
        for (_, differs) in kernels_differ(&pair[0].bytes, &pair[1].bytes).concat() {
            *if differs { &mut differ } else { &mut same } += 1;
        }
        let equal = kernels_differ(&pair[0].bytes, &pair[0].bytes).concat();
        same += equal.iter().filter(|(_, differs)| !differs).count();
        assert!(equal.iter().all(|(_, differs)| !differs));
    }
    assert!(same > 0 && differ > 0, "{same} {differ}");
}

/// A source that cannot be read.
struct Broken;

impl ByteSource for Broken {
    fn len(&self) -> u64 {
        4096
    }

    fn read(&self, start: u64, len: u64) -> Result<Bytes, SourceError> {
        Err(SourceError {
            span: Span::new(SourceId::FILE, start, start + len),
            message: "gone".to_owned(),
        })
    }
}

/// A request for a previous file does not affect the open one.
#[test]
fn comparison_with_a_closed_file_is_rejected() {
    let (a, b) = (zebin("vecadd").bytes, zebin("spill").bytes);
    let (mut decoder, _) = compared(&a, &b, false);
    let late = Request::Compare {
        name: "broken.zebin".to_owned(),
        options: Default::default(),
        keep: None,
    };
    decoder.about = 7;
    let refused = decoder.ask_with_source(late, Box::new(Broken));
    decoder.about = 1;
    let Response::Failed { message, .. } = refused else {
        panic!("{refused:?}");
    };
    assert!(message.contains("another file"), "{message}");
    let next = decoder.ask(Request::Differing);
    assert!(matches!(next, Response::Differing(_)), "{next:?}");
}

#[test]
fn nothing_to_compare_with() {
    let file = zebin("assertk.dg2");
    let (mut decoder, _) = Decoder::open("b.zebin", file.bytes);
    for request in [
        Request::Compare {
            name: "a.zebin".to_owned(),
            options: zeview::diff::Options {
                renumbered: true,
                ..Default::default()
            },
            keep: None,
        },
        Request::WriteComparison {
            form: CompareForm::Json,
        },
        Request::List {
            document: NodeId::ROOT,
            list: ListId::Changes,
            query: of(0, false),
            ask: ListRequest::Rows {
                start: 0,
                count: 10,
                columns: Vec::new(),
            },
        },
    ] {
        let answer = decoder.ask(request);
        assert!(
            matches!(answer, Response::Failed { changed: false, .. }),
            "{answer:?}"
        );
    }
}

#[test]
fn written_as_the_command_line_writes_it() {
    let (a, b) = (zebin("assertk.dg2"), zebin("assertk.tgllp"));
    let (mut decoder, _) = compared(&a.bytes, &b.bytes, false);
    for (form, begins) in [
        (CompareForm::Markdown, "- from a.zebin"),
        (CompareForm::Html, "<!doctype html>"),
        (CompareForm::Json, "\"schema\":1"),
    ] {
        let Response::Text(text) = decoder.ask(Request::WriteComparison { form }) else {
            panic!("{form:?}");
        };
        assert!(
            text.to_lowercase().contains(begins),
            "{form:?}: {}",
            &text[..200]
        );
    }
}

/// A missing row, and a filter with matches.
#[test]
fn missing_rows_and_filtered_rows() {
    let (a, b) = (zebin("assertk.dg2"), zebin("assertk.tgllp"));
    let (mut decoder, report) = compared(&a.bytes, &b.bytes, false);
    let beyond = Request::List {
        document: NodeId::ROOT,
        list: ListId::Changes,
        query: of(report.differences as usize, false),
        ask: ListRequest::Rows {
            start: 0,
            count: 10,
            columns: Vec::new(),
        },
    };
    assert!(matches!(decoder.ask(beyond), Response::Failed { .. }));
    let kernels = Query {
        filter: "part=kernel".to_owned(),
        ..Query::default()
    };
    let found = page(&mut decoder, ListId::Differences, &kernels, 0);
    assert!(found.found > 0 && found.found < report.differences);
}

/// If several documents of a file differ, each row names its document.
#[test]
fn rows_of_several_documents_say_which() {
    let is_shown = |a: &[u8], b: &[u8]| {
        let (mut document, mut base) = (open(b), open(a));
        let comparison = compare(&mut base, &mut document, &Options::default());
        let (mut decoder, _) = compared(a, b, false);
        let request = Request::List {
            document: NodeId::ROOT,
            list: ListId::Differences,
            query: Query::default(),
            ask: ListRequest::Rows {
                start: 0,
                count: 1,
                columns: Vec::new(),
            },
        };
        let Response::List(page) = decoder.ask(request) else {
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

/// Two listings side by side contain all differences, with context; rows in between are counted.
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
                        // A single row is not folded.
                        assert!(count > 1, "{hunks:?} {context:?}");
                        for row in at..at + count {
                            assert!(!differs(row) && !is_near(row), "{hunks:?} {context:?}");
                        }
                        (at, other) = (at + count, other + count);
                    }
                }
            }
            assert_eq!((at, other), change.counts, "{hunks:?} {context:?}");
            // Distant rows are folded, except single ones.
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

/// Compares files of all formats, including damaged ones: no request fails.
#[test]
fn any_two_files() {
    let files = built::all();
    for pair in files.windows(2) {
        let (mut decoder, report) = compared(&pair[0].1, &pair[1].1, false);
        let differences = page(&mut decoder, ListId::Differences, &Query::default(), 0);
        assert_eq!(differences.found, report.differences);
        for row in 0..differences.rows.len().min(20) {
            page(&mut decoder, ListId::Changes, &of(row, true), 0);
        }
    }
}
