//! Messages survive serialization, and every request gets a response.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::Range;
use std::rc::Rc;

use serde::Serialize;
use serde::de::DeserializeOwned;
use zeview::model::{
    Area, ByteSource, Bytes, Diagnostic, Doc, Document, Expand, ExpanderId, FileSource, Findings,
    KnownValue, Label, MemorySource, Node, NodeId, NodeKind, Parts, Rows, Severity, SourceError,
    SourceId, Sources, Span, Summary, Value,
};
use zeview::worker::answers::export;
use zeview::worker::handler::{Answer, HITS_MAX, Handler, PATHS_MAX};
use zeview::worker::protocol::tree_order::{RowId, TreeOrder};
use zeview::worker::protocol::{
    BYTES_MAX, Envelope, ExportForm, HitRow, LeafRow, Opened, PREVIEW, ROWS_MAX, Request, Response,
    Row, SearchStep, Selected, SelectionTarget,
};

use crate::decoder::passed;
use crate::journey::journey;

// Messages. Each request and answer of the tests is serialized (`Decoder`).

/// The variants of an enum, as the encoding numbers them, that can be decoded: all that it has.
fn all_variants<T: DeserializeOwned>() -> BTreeSet<u8> {
    // The shortest message of a variant has zeros behind its number.
    let exists = |variant: &u8| {
        let message = [&[*variant][..], &[0; 512]].concat();
        postcard::take_from_bytes::<T>(&message).is_ok()
    };
    (0..127).take_while(exists).collect()
}

/// The variants of messages.
fn variants<'a, T: Serialize + 'a>(messages: impl Iterator<Item = &'a T>) -> BTreeSet<u8> {
    let encoded = messages.map(|message| postcard::to_allocvec(message).unwrap()[0]);
    encoded.collect()
}

/// The journey asks for everything that a page can ask for, and gets each kind of answer, so all of them
/// are serialized by it.
#[test]
fn a_journey_has_each_kind_of_message() {
    let record = journey();
    let asked = variants(record.iter().map(|(envelope, _)| &envelope.request));
    let answered = variants(record.iter().map(|(_, response)| response));
    let all_but = |mut all: BTreeSet<u8>, others: &[u8]| {
        all.retain(|kind| !others.contains(kind));
        all
    };
    // `Decoder::open` has checked the first kind of both.
    assert_eq!(asked, all_but(all_variants::<Request>(), &[0]));
    // Progress of a search, of reading a profile and of a comparison is answered for large files only,
    // by their tests.
    assert_eq!(
        answered,
        all_but(all_variants::<Response>(), &[0, 4, 19, 23])
    );
}

// A synthetic document: a header of two fields with a word of bits, a table of records with a
// lazily determined count, and the rest.

const ENTRIES: u64 = 1000;
const ENTRY: u64 = 12;
const TABLE: u64 = 8;
const SIZE: u64 = TABLE + ENTRIES * ENTRY + 100;

static DOC: Doc = Doc {
    text: "what sort it is",
    source: "a specification, 1.2",
    known: &[KnownValue {
        raw: 0,
        name: "ZERO",
        doc: "nothing",
    }],
};

struct Example;

impl Expand for Example {
    fn count(&self, item: u64, _: &Sources) -> u64 {
        match item {
            0 => 3,
            1 => 2,
            2 => ENTRIES,
            _ => 3,
        }
    }

    fn rows(&self, item: u64, range: Range<u64>, out: &mut Rows<'_>) {
        let me = out.me;
        for index in range {
            out.push(match (item, index) {
                (0, 0) => Node::new(NodeKind::Record, "header", at(0, 8))
                    .area(Area::Header)
                    .children(me, 1, Some(2)),
                (0, 1) => Node::new(NodeKind::Table, "table", at(TABLE, ENTRIES * ENTRY))
                    .area(Area::Symbol)
                    .children(me, 2, None),
                (0, _) => Node::gap("rest", at(TABLE + ENTRIES * ENTRY, 100)),
                (1, 0) => Node::field("kind", Value::hex(u64::MAX, 64), at(0, 4)).doc(&DOC),
                (1, _) => Node::field("name", Value::text("Needle"), at(4, 4)).xref(
                    "table",
                    "table",
                    at(TABLE, ENTRIES * ENTRY),
                ),
                (2, i) => Node::new(NodeKind::Item, "entry", at(TABLE + i * ENTRY, ENTRY))
                    .indexed()
                    .children(me, 100 + i, Some(3)),
                (item, i) => {
                    let start = TABLE + (item - 100) * ENTRY + 4 * i;
                    Node::field("part", Value::decimal(item, 32), at(start, 4))
                }
            });
        }
    }
}

fn at(start: u64, len: u64) -> Span {
    Span::with_len(SourceId::FILE, start, len)
}

fn finding(span: Span, severity: Severity) -> Diagnostic {
    Diagnostic {
        rule: "example/rule".into(),
        severity,
        message: "something".to_owned(),
        primary: Label {
            span,
            text: "".into(),
        },
        secondary: Vec::new(),
        help: None,
    }
}

fn document(diagnostics: Vec<Diagnostic>) -> Document {
    let bytes: Vec<u8> = (0..SIZE).map(|i| (i % 251) as u8).collect();
    let source = MemorySource::from(bytes);
    Document::new(Parts {
        sources: Sources::new("example", Box::new(source)),
        root: Node::new(NodeKind::File, "example", at(0, SIZE)).children(ExpanderId(0), 0, Some(3)),
        summary: Summary::new("example", "an example", Vec::new()),
        findings: Findings {
            expanders: vec![Rc::new(Example)],
            diagnostics,
            ..Findings::default()
        },
    })
}

fn handler() -> (Handler, Opened) {
    let mut handler = Handler::new(|| 0.0);
    let entry = TABLE + 700 * ENTRY;
    let diagnostics = vec![
        finding(at(entry, 4), Severity::Error),
        finding(at(entry, 4), Severity::Info),
        finding(at(0, 8), Severity::Warning),
    ];
    let answer = handler.show(1, "example", document(diagnostics));
    let Response::Opened(opened) = answer.response else {
        panic!("{answer:?}");
    };
    (handler, *opened)
}

fn ask(handler: &mut Handler, request: Request) -> Answer {
    handler.answer(&Envelope {
        id: 9,
        about: None,
        request,
    })
}

#[track_caller]
fn rows(answer: Answer) -> Vec<Row> {
    match answer.response {
        Response::Rows { rows, .. } => rows,
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn failure(answer: Answer) -> (String, bool) {
    match answer.response {
        Response::Failed { message, changed } => (message, changed),
        other => panic!("{other:?}"),
    }
}

fn select(place: SelectionTarget) -> Request {
    Request::Select {
        order: TreeOrder::File,
        place,
        follow: None,
    }
}

#[track_caller]
fn selected(handler: &mut Handler, place: SelectionTarget) -> Selected {
    match ask(handler, select(place)).response {
        Response::Selected(selected) => *selected,
        other => panic!("{other:?}"),
    }
}

fn names(rows: &[Row]) -> Vec<&str> {
    rows.iter().map(|row| &*row.name).collect()
}

/// Returns the nodes of a path, including the ancestors.
fn find(handler: &mut Handler, path: &str) -> Vec<Row> {
    selected(handler, SelectionTarget::Path(path.to_owned())).ancestry
}

fn id(handler: &mut Handler, path: &str) -> NodeId {
    find(handler, path).pop().unwrap().id
}

#[test]
fn opening_tells_what_the_page_shows_first() {
    let (_, opened) = handler();
    assert_eq!(opened.size, SIZE);
    assert_eq!(opened.root.count, Some(3));
    assert_eq!(opened.root.severity, Some(Severity::Error));
    assert_eq!(names(&opened.rows), ["header", "table", "rest"]);
    let counts: Vec<_> = opened.rows.iter().map(|row| row.count).collect();
    assert_eq!(counts, [Some(2), None, Some(0)]);
    assert_eq!(opened.rows[0].severity, Some(Severity::Warning));
    assert_eq!(opened.rows[2].severity, None);
    let paths: Vec<_> = opened.diagnostics.iter().map(|p| p.path.as_str()).collect();
    assert_eq!(paths, ["header", "table/[700]/part", "table/[700]/part"]);
}

#[test]
fn paths_of_problems_are_limited() {
    let all = (0..2000).map(|i| finding(at(TABLE + i, 1), Severity::Info));
    let answer = Handler::new(|| 0.0).show(1, "example", document(all.collect()));
    let Response::Opened(opened) = answer.response else {
        panic!();
    };
    assert_eq!(opened.diagnostics.len(), 2000);
    assert!(opened.diagnostics[PATHS_MAX - 1].path.ends_with("/part#2"));
    assert_eq!(opened.diagnostics[PATHS_MAX].path, "");
}

#[test]
fn rows_come_in_pages() {
    let (mut handler, _) = handler();
    let node = id(&mut handler, "table");
    let mut page = |start, count| {
        rows(ask(
            &mut handler,
            Request::Rows {
                order: TreeOrder::File,
                node,
                start,
                count,
            },
        ))
    };
    let all = page(0, u64::MAX);
    assert_eq!(all.len() as u64, ROWS_MAX);
    let some = page(600, 3);
    let indices: Vec<_> = some.iter().map(|row| row.index).collect();
    assert_eq!(indices, [600, 601, 602]);
    assert_eq!(some[0].parent, Some(node));
    assert_eq!(page(600, 3), some);
    assert_eq!(page(998, 10).len(), 2);
    assert_eq!(page(u64::MAX, u64::MAX).len(), 0);
    assert_eq!(page(0, 0).len(), 0);
}

#[test]
fn rows_come_with_their_number() {
    let (mut handler, _) = handler();
    for (path, expected) in [("table", ENTRIES), ("header", 2), ("rest", 0), ("", 3)] {
        let node = id(&mut handler, path);
        let request = Request::Rows {
            order: TreeOrder::File,
            node,
            start: 1,
            count: 1,
        };
        let Response::Rows { count, rows } = ask(&mut handler, request).response else {
            panic!();
        };
        assert_eq!(count, expected, "{path}");
        assert_eq!(rows.len(), usize::from(expected > 1), "{path}");
    }
}

#[test]
fn a_selection_tells_everything() {
    let (mut handler, opened) = handler();
    let table = selected(&mut handler, SelectionTarget::Node(opened.rows[1].id));
    assert_eq!(table.ancestry.len(), 1);
    assert_eq!(table.ancestry[0].count, Some(ENTRIES));
    assert_eq!(table.detail.diagnostics, [1, 2]);
    assert_eq!(table.detail.node, opened.rows[1].id);
    assert!(table.list.is_none());

    let node = id(&mut handler, "header/kind");
    let kind = selected(&mut handler, SelectionTarget::Node(node));
    assert_eq!(names(&kind.ancestry), ["header", "kind"]);
    assert_eq!(kind.preview, [0, 1, 2, 3]);
    let kind = kind.detail;
    assert_eq!(kind.path, "header/kind");
    assert_eq!(kind.doc.as_deref(), Some(DOC.text));
    assert_eq!(kind.doc_source.as_deref(), Some(DOC.source));
    assert_eq!(kind.known[0].name, "ZERO");
    assert!(kind.diagnostics.is_empty());

    let name = selected(
        &mut handler,
        SelectionTarget::Path("header/name".to_owned()),
    );
    assert_eq!(name.detail.xrefs[0].to.start, TABLE);
    let entry = selected(
        &mut handler,
        SelectionTarget::Path("table/[700]".to_owned()),
    );
    assert_eq!(entry.detail.diagnostics, [1, 2]);
    assert_eq!(entry.preview.len(), ENTRY as usize);
    // The number of children of each node is included.
    let counts: Vec<_> = entry.ancestry.iter().map(|row| row.count).collect();
    assert_eq!(counts, [Some(ENTRIES), Some(3)]);

    let root = selected(&mut handler, SelectionTarget::Node(NodeId::ROOT));
    assert_eq!(root.detail.path, "");
    assert_eq!(names(&root.ancestry), ["example"]);
    assert_eq!(root.preview.len() as u64, PREVIEW);
    assert_eq!(root.detail.diagnostics, [0, 1, 2]);
}

#[test]
fn paths_lead_to_bytes_and_names() {
    let (mut handler, _) = handler();
    let byte = |offset| SelectionTarget::Byte(SourceId::FILE, offset);
    let offset = TABLE + 3 * ENTRY + 5;
    let found = selected(&mut handler, byte(offset));
    assert_eq!(names(&found.ancestry), ["table", "entry", "part"]);
    assert_eq!((found.ancestry[1].index, found.ancestry[2].index), (3, 1));
    // The first bytes of the field, for any byte within it.
    assert_eq!(u64::from(found.preview[0]), (TABLE + 3 * ENTRY + 4) % 251);
    assert_eq!(found.preview.len(), 4);
    let span = at(TABLE + 3 * ENTRY, ENTRY);
    let found = selected(&mut handler, SelectionTarget::Span(span));
    assert_eq!(names(&found.ancestry), ["table", "entry"]);
    // Bytes without a node: the containing node, and exactly these bytes.
    let found = selected(
        &mut handler,
        SelectionTarget::Span(at(TABLE + 3 * ENTRY + 2, 4)),
    );
    assert_eq!(names(&found.ancestry), ["table", "entry"]);
    assert_eq!(u64::from(found.preview[0]), (TABLE + 3 * ENTRY + 2) % 251);
    assert_eq!(found.preview.len(), 4);
    // The containing node, if it is only a part of something.
    let around = |within| SelectionTarget::Around {
        span: at(TABLE + 3 * ENTRY + 2, 4),
        within,
    };
    for (within, first) in [(at(0, SIZE), 0), (span, 2)] {
        let found = selected(&mut handler, around(within));
        assert_eq!(names(&found.ancestry), ["table", "entry"]);
        let first = TABLE + 3 * ENTRY + first;
        assert_eq!(u64::from(found.preview[0]), first % 251);
    }
    assert_eq!(names(&find(&mut handler, "table/[3]")), ["table", "entry"]);
    assert_eq!(names(&find(&mut handler, "")), ["example"]);
    let found = selected(&mut handler, byte(SIZE + 5));
    assert_eq!(names(&found.ancestry), ["example"]);
    let path = SelectionTarget::Path("table/nothing".to_owned());
    let (message, changed) = failure(ask(&mut handler, select(path)));
    assert!(message.contains("nothing") && !changed, "{message}");
}

fn bytes(handler: &mut Handler, span: Span) -> (Span, Vec<LeafRow>, Vec<u8>) {
    let answer = ask(handler, Request::Bytes { span, leaves: true });
    let bytes = answer.bytes.expect("bytes").to_vec();
    match answer.response {
        Response::Bytes { span, leaves } => (span, leaves, bytes),
        other => panic!("{other:?}"),
    }
}

#[test]
fn bytes_are_cut_off_and_colored() {
    let (mut handler, _) = handler();
    let (span, leaves, data) = bytes(&mut handler, at(2, 8));
    assert_eq!(span, at(2, 8));
    assert_eq!(data, [2, 3, 4, 5, 6, 7, 8, 9]);
    let places: Vec<_> = leaves.iter().map(|leaf| (leaf.start, leaf.area)).collect();
    let expected = [(0, Area::Header), (4, Area::Header), (TABLE, Area::Symbol)];
    assert_eq!(places, expected);

    let (span, leaves, data) = bytes(&mut handler, at(SIZE - 1, 50));
    assert_eq!((span, data.len()), (at(SIZE - 1, 1), 1));
    assert_eq!(leaves[0].kind, NodeKind::Gap);
    let (span, leaves, data) = bytes(&mut handler, at(SIZE + 50, u64::MAX));
    assert!(span.is_empty() && leaves.is_empty() && data.is_empty());
    let span = Span::with_len(SourceId(99), 0, 4);
    let leaves = true;
    let (message, changed) = failure(ask(&mut handler, Request::Bytes { span, leaves }));
    assert!(message.contains("unknown source") && !changed, "{message}");
}

#[test]
fn bytes_per_request_are_limited() {
    let mut handler = Handler::new(|| 0.0);
    handler.open(1, "big", Box::new(MemorySource::from(vec![0; 6 << 20])));
    let span = at(0, u64::MAX);
    let answer = ask(
        &mut handler,
        Request::Bytes {
            span,
            leaves: false,
        },
    );
    assert_eq!(answer.bytes.unwrap().len() as u64, BYTES_MAX);
    let expected = Response::Bytes {
        span: at(0, BYTES_MAX),
        leaves: Vec::new(),
    };
    assert_eq!(answer.response, expected);
}

#[test]
fn shades_are_the_same_in_every_window() {
    let (mut handler, _) = handler();
    let mut shade_at = BTreeMap::new();
    for start in (0..SIZE).step_by(997) {
        let (_, leaves, _) = bytes(&mut handler, at(start, 5000));
        for leaf in &leaves {
            let shade = *shade_at.entry(leaf.start).or_insert(leaf.odd);
            assert_eq!(shade, leaf.odd, "at {}", leaf.start);
        }
    }
    assert_eq!(shade_at.len() as u64, 2 + 3 * ENTRIES + 1);
    let shades: Vec<bool> = shade_at.into_values().collect();
    let alike = shades.windows(2).filter(|pair| pair[0] == pair[1]).count();
    // Adjacent shades may be equal only at the start of a block of 4096 bytes.
    assert!(alike <= 3, "{alike}");
}

fn hits(handler: &mut Handler, typed: &str, limit: u32) -> (Vec<HitRow>, bool) {
    let mut step = SearchStep::Begin;
    loop {
        let typed = typed.to_owned();
        match ask(handler, Request::Search { typed, limit, step }).response {
            Response::Searching { percent } => assert!(percent <= 100),
            Response::Hits { hits, more } => return (hits, more),
            other => panic!("{other:?}"),
        }
        step = SearchStep::GoOn;
    }
}

#[test]
fn long_files_are_searched_in_steps() {
    let mut bytes = vec![0; 70 << 20];
    // Across the end of a step, and after it.
    for at in [(32 << 20) - 1, 65 << 20] {
        bytes[at..at + 2].copy_from_slice(&[0xab, 0xcd]);
    }
    let mut handler = Handler::new(|| 0.0);
    handler.open(1, "zeros", Box::new(MemorySource::from(bytes)));
    let mut ask_step = |step| {
        let typed = "ab cd".to_owned();
        let limit = 10;
        ask(&mut handler, Request::Search { typed, limit, step }).response
    };
    let percent = |percent| Response::Searching { percent };
    let starts = |response| match response {
        Response::Hits { hits, more } => {
            let starts: Vec<u64> = hits.iter().map(|hit| hit.span.start).collect();
            (starts, more)
        }
        other => panic!("{other:?}"),
    };
    assert_eq!(ask_step(SearchStep::Begin), percent(45));
    assert_eq!(
        starts(ask_step(SearchStep::Stop)),
        (vec![(32 << 20) - 1], true)
    );
    assert_eq!(ask_step(SearchStep::Begin), percent(45));
    assert_eq!(ask_step(SearchStep::GoOn), percent(91));
    let all = vec![(32 << 20) - 1, 65 << 20];
    assert_eq!(starts(ask_step(SearchStep::GoOn)), (all, false));
    // It is forgotten when complete.
    assert_eq!(ask_step(SearchStep::GoOn), percent(45));
}

#[test]
fn searches_find_names_values_and_bytes() {
    let (mut handler, _) = handler();
    let (found, more) = hits(&mut handler, "needle", 10);
    assert_eq!((found.len(), more), (1, false));
    assert_eq!(found[0].path, ["header"]);
    assert_eq!(found[0].span, at(4, 4));
    let (found, more) = hits(&mut handler, "part", 10);
    assert_eq!((found.len(), more), (10, true));
    assert_eq!(hits(&mut handler, "part", u32::MAX).0.len(), HITS_MAX);
    let (found, _) = hits(&mut handler, "05 06", 1);
    assert_eq!(found[0].path, ["header", "name"]);
    assert_eq!(hits(&mut handler, "  ", 10), (Vec::new(), false));
}

#[test]
fn exports_are_bounded() {
    let (mut handler, _) = handler();
    let node = id(&mut handler, "header");
    let mut export = |form| ask(&mut handler, Request::Export { node, form }).response;
    let Response::Text(text) = export(ExportForm::Text) else {
        panic!();
    };
    assert_eq!(text.lines().count(), 3);
    let Response::Text(json) = export(ExportForm::Json) else {
        panic!();
    };
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["children"][1]["value"], "Needle");

    let document = document(Vec::new());
    for form in [ExportForm::Json, ExportForm::Text] {
        let message = export::export(&document, document.root(), form, 1 << 20);
        assert!(message.is_ok());
        let message = export::export(&document, document.root(), form, 1000).unwrap_err();
        assert!(message.contains("zeview dump"), "{message}");
    }
}

#[test]
fn invalid_requests_are_reported() {
    let mut empty = Handler::new(|| 0.0);
    let node = NodeId(4_000_000);
    assert_eq!(
        failure(ask(&mut empty, select(SelectionTarget::Node(node)))).0,
        "no file is open"
    );
    let (mut handler, _) = handler();
    let form = ExportForm::Text;
    for request in [
        select(SelectionTarget::Node(node)),
        select(SelectionTarget::Row(0)),
        Request::Export { node, form },
        Request::Rows {
            order: TreeOrder::File,
            node,
            start: 0,
            count: 1,
        },
        Request::Open {
            name: "x".to_owned(),
            encoding: None,
        },
    ] {
        let (message, changed) = failure(ask(&mut handler, request));
        assert!(!message.is_empty() && !changed);
    }
}

#[test]
fn requests_for_an_older_file_are_rejected() {
    let (mut handler, _) = handler();
    let mut about = |about| {
        handler.answer(&Envelope {
            id: 2,
            about,
            request: Request::Rows {
                order: TreeOrder::File,
                node: NodeId::ROOT,
                start: 0,
                count: 9,
            },
        })
    };
    assert_eq!(rows(about(Some(1))).len(), 3);
    assert_eq!(rows(about(None)).len(), 3);
    assert!(failure(about(Some(0))).0.contains("another file"));
}

/// A file that disappears.
struct Fading {
    there: Rc<Cell<bool>>,
    bytes: MemorySource,
}

impl ByteSource for Fading {
    fn len(&self) -> u64 {
        self.bytes.len()
    }

    fn read(&self, start: u64, len: u64) -> Result<Bytes, SourceError> {
        if self.there.get() {
            return self.bytes.read(start, len);
        }
        Err(SourceError {
            span: at(start, len),
            message: "the file was moved".to_owned(),
        })
    }
}

/// A file whose short reads cost as much as longer ones.
struct Coarse {
    bytes: MemorySource,
    grain: u64,
    reads: Rc<RefCell<Vec<(u64, u64)>>>,
}

impl ByteSource for Coarse {
    fn len(&self) -> u64 {
        self.bytes.len()
    }

    fn grain(&self) -> u64 {
        self.grain
    }

    fn read(&self, start: u64, len: u64) -> Result<Bytes, SourceError> {
        self.reads.borrow_mut().push((start, len));
        self.bytes.read(start, len)
    }
}

#[test]
fn short_reads_are_extended() {
    let sample = include_bytes!("../../www/samples/kernels600.dg2.zebin");
    let end = sample.len() as u64;
    // More than the read-ahead, more than the file, and invalid values.
    for grain in [128 * 1024, 1 << 20, 1 << 40, u64::MAX, 0] {
        let reads = Rc::new(RefCell::new(Vec::new()));
        let source = Coarse {
            bytes: MemorySource::from(&sample[..]),
            grain,
            reads: Rc::clone(&reads),
        };
        let mut handler = Handler::new(|| 0.0);
        let opened = handler.open(1, "kernels600", Box::new(source));
        assert!(matches!(opened.response, Response::Opened(..)));
        let reads = reads.borrow();
        // Reads longer than the read-ahead are not extended.
        let least = grain.min(512 * 1024);
        let is_whole = |(start, len): &(u64, u64)| *len >= least || start + len == end;
        assert!(reads.iter().all(is_whole), "{grain}: {reads:?}");
        assert!(grain == 0 || reads.len() <= 8, "{grain}: {reads:?}");
    }
}

#[test]
fn a_file_that_has_changed_is_noticed() {
    let there = Rc::new(Cell::new(false));
    let source = || Fading {
        there: Rc::clone(&there),
        bytes: MemorySource::from(vec![1; 5 << 20]),
    };
    let mut handler = Handler::new(|| 0.0);
    let (message, changed) = failure(handler.open(1, "folder", Box::new(source())));
    assert_eq!(message, "folder cannot be read: the file was moved");
    assert!(changed);

    there.set(true);
    let answer = handler.open(2, "file", Box::new(source()));
    assert!(matches!(answer.response, Response::Opened(_)), "{answer:?}");
    let span = at(4 << 20, 64);
    let request = |span| Request::Bytes { span, leaves: true };
    assert_eq!(ask(&mut handler, request(span)).bytes.unwrap().len(), 64);
    there.set(false);
    let (message, changed) = failure(ask(&mut handler, request(at(3 << 20, 64))));
    assert!(
        changed && message.contains("the file was moved"),
        "{message}"
    );
    let typed = "ab cd".to_owned();
    let search = Request::Search {
        typed,
        limit: 1,
        step: SearchStep::Begin,
    };
    assert!(failure(ask(&mut handler, search)).1);
}

#[test]
fn answers_about_real_files_survive() {
    let mut seen = 0;
    for entry in std::fs::read_dir("www/samples").unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension == "md") {
            continue;
        }
        let source = FileSource::open(&path).unwrap();
        let mut handler = Handler::new(|| 0.0);
        let answer = handler.open(1, "sample", Box::new(source));
        passed(&answer.response);
        let mut nodes = VecDeque::from([NodeId::ROOT]);
        for _ in 0..300 {
            let Some(node) = nodes.pop_front() else { break };
            let (start, count) = (0, 20);
            for request in [
                select(SelectionTarget::Node(node)),
                Request::Rows {
                    order: TreeOrder::File,
                    node,
                    start,
                    count,
                },
            ] {
                let response = ask(&mut handler, request).response;
                passed(&response);
                match response {
                    Response::Rows { rows, .. } => nodes.extend(rows.iter().map(|row| row.id)),
                    Response::Selected(selected) => {
                        // The path of a node leads back to it.
                        let ancestry = find(&mut handler, &selected.detail.path);
                        assert_eq!(ancestry.last().map(|row| row.id), Some(node));
                    }
                    other => panic!("{other:?}"),
                }
            }
        }
        by_kernel_survives(&mut handler);
        seen += 1;
    }
    assert!(seen > 0);
}

/// Checks the same for the tree by kernel, if the file has one.
fn by_kernel_survives(handler: &mut Handler) {
    let order = TreeOrder::Kernels;
    let mut nodes = VecDeque::from([NodeId::ROOT]);
    for _ in 0..300 {
        let Some(node) = nodes.pop_front() else { break };
        let (start, count) = (0, 20);
        let request = Request::Rows {
            order,
            node,
            start,
            count,
        };
        let response = ask(handler, request).response;
        passed(&response);
        match response {
            Response::Rows { rows, .. } => nodes.extend(rows.iter().map(|row| row.id)),
            Response::Failed { .. } if node == NodeId::ROOT => return,
            other => panic!("{other:?}"),
        }
        let request = Request::Select {
            order,
            place: SelectionTarget::Node(node),
            follow: None,
        };
        let response = ask(handler, request).response;
        passed(&response);
        match response {
            Response::Selected(selected) => assert!(selected.by_kernel.is_some()),
            Response::Failed { .. } => assert_eq!(RowId::of(node), RowId::Rest),
            other => panic!("{other:?}"),
        }
    }
}
