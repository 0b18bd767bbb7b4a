//! Loops in the list of instructions: where the listing opens, and what a folded loop hides.

use std::fs;
use std::ops::Range;
use std::path::Path;

use zeview::analysis::data_flow::{FlowReport, LoopReport};
use zeview::model::{NodeId, Span};
use zeview::tables::query::{Query, RowOptions};
use zeview::tables::write::Form;
use zeview::tables::{CellValue, ListId};
use zeview::worker::protocol::tree_order::TreeOrder;
use zeview::worker::protocol::{
    Aspect, BlocksPage, FlowOverview, FlowPiece, Follow, ListAt, ListPage, ListRequest, Request,
    Response, SelectionTarget,
};

use crate::decoder::Decoder;
use crate::support::open;

struct File {
    decoder: Decoder,
    of: Span,
    report: FlowReport,
    /// The first byte of each instruction in the code.
    offsets: Vec<u32>,
}

fn bytes(path: &str) -> Vec<u8> {
    fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

/// Opens a file; the code is that of its kernel with the most loops.
fn file(path: &str) -> File {
    let document = open(&bytes(path));
    let sections = document.assembly(NodeId::ROOT).unwrap().sections();
    let flows = sections.iter().map(|section| {
        let listing = document.listing(NodeId::ROOT, Some(section.bytes), None);
        let listing = listing.unwrap();
        let flow = listing.data_flow(&document.sources).unwrap();
        let start = |row| {
            let span = listing.span(row, &document.sources).unwrap();
            u32::try_from(span.start - section.bytes.start).unwrap()
        };
        let offsets = (0..listing.count()).map(start).collect();
        (section.bytes, flow.report(), offsets)
    });
    let most = flows.max_by_key(|(_, report, _)| report.loops.as_ref().map_or(0, Vec::len));
    let (of, report, offsets) = most.unwrap();
    let (decoder, _) = Decoder::show("file", document);
    File {
        decoder,
        of,
        report,
        offsets,
    }
}

impl File {
    fn loops(&self) -> &[LoopReport] {
        self.report.loops.as_deref().unwrap()
    }

    fn ask(&mut self, request: Request) -> Response {
        self.decoder.ask(request)
    }

    fn query(&self, folded: &[u32]) -> Query {
        Query {
            of: Some(self.of),
            options: RowOptions::code(None, folded.to_vec()),
            ..Query::default()
        }
    }

    fn list(&mut self, query: Query, ask: ListRequest) -> Response {
        self.ask(Request::List {
            document: NodeId::ROOT,
            list: ListId::Instructions,
            query,
            ask,
        })
    }

    /// The offsets of the rows of a query.
    fn rows(&mut self, query: &Query) -> Vec<u32> {
        let mut offsets = Vec::new();
        loop {
            let ask = ListRequest::Rows {
                start: offsets.len() as u64,
                count: u64::MAX,
                columns: vec!["offset".into()],
            };
            let Response::List(page) = self.list(query.clone(), ask) else {
                panic!("no rows");
            };
            let ListPage { rows, found, .. } = *page;
            let cells = rows.iter().map(|row| match row.cells[0].value {
                CellValue::Hex(offset) => u32::try_from(offset).unwrap(),
                _ => panic!("{row:?}"),
            });
            offsets.extend(cells);
            if offsets.len() as u64 == found {
                return offsets;
            }
            assert!(!rows.is_empty());
        }
    }

    /// Selects the instruction at an offset while some loops are folded.
    fn select(&mut self, offset: u32, folded: &[u32]) -> ListAt {
        let at = self.of.start + u64::from(offset);
        let follow = Follow {
            document: NodeId::ROOT,
            list: ListId::Instructions,
            query: self.query(folded),
            current: None,
            or_first: false,
        };
        let request = Request::Select {
            order: TreeOrder::File,
            place: SelectionTarget::Span(Span::new(self.of.source, at, at)),
            follow: Some(follow),
        };
        match self.ask(request) {
            Response::Selected(selected) => *selected.list.unwrap(),
            other => panic!("{other:?}"),
        }
    }

    fn flow(&mut self) -> FlowOverview {
        let request = Request::DataFlow {
            document: NodeId::ROOT,
            query: self.query(&[]),
        };
        match self.ask(request) {
            Response::DataFlow(flow) => *flow,
            other => panic!("{other:?}"),
        }
    }

    fn blocks(&mut self) -> BlocksPage {
        let request = Request::Graph {
            document: NodeId::ROOT,
            list: ListId::Instructions,
            query: self.query(&[]),
            start: 0,
            count: u64::MAX,
            at: None,
        };
        match self.ask(request) {
            Response::Blocks(page) => *page,
            other => panic!("{other:?}"),
        }
    }

    /// The offsets that a folded loop hides, from its ranges in the report.
    fn hidden(&self, start: u32) -> Vec<u32> {
        let mut loops = self.loops().iter();
        let found = loops.find(|found| found.start == start).unwrap();
        let offsets = self.offsets.iter().copied();
        let is_in = |offset: &u32| {
            let mut ranges = found.ranges.iter();
            ranges.any(|(start, end)| (*start..*end).contains(offset))
        };
        offsets.filter(is_in).filter(|at| *at != start).collect()
    }
}

/// A kernel with four loops, one after the other. Query tests have nested ones.
const LOOPS: &str = "tests/fixtures/zebin/pipes.skl.igc1.12504.zebin";

#[test]
fn a_folded_loop_is_one_row() {
    let mut file = file(LOOPS);
    let all = file.rows(&file.query(&[]));
    assert_eq!(all, file.offsets);
    let starts: Vec<u32> = file.loops().iter().map(|found| found.start).collect();
    assert!(starts.iter().any(|start| file.hidden(*start).len() > 10));
    for start in &starts {
        let hidden = file.hidden(*start);
        let rows = file.rows(&file.query(&[*start]));
        let expected: Vec<u32> = all
            .iter()
            .copied()
            .filter(|at| !hidden.contains(at))
            .collect();
        assert_eq!(rows, expected, "{start:#x}");
        assert!(rows.contains(start));
    }
    // All at once, in any order; offsets without a loop are ignored.
    let mut folded: Vec<u32> = starts.iter().rev().copied().collect();
    folded.push(u32::MAX);
    let hidden: Vec<u32> = starts
        .iter()
        .flat_map(|start| file.hidden(*start))
        .collect();
    let expected: Vec<u32> = all
        .iter()
        .copied()
        .filter(|at| !hidden.contains(at))
        .collect();
    assert_eq!(file.rows(&file.query(&folded)), expected);
    // A filter finds what is folded.
    let filtered = |folded: &[u32], file: &File| Query {
        filter: "kind=message".to_owned(),
        ..file.query(folded)
    };
    let found = file.rows(&filtered(&[], &file));
    assert!(found.iter().any(|at| hidden.contains(at)));
    assert_eq!(file.rows(&filtered(&folded, &file)), found);
}

#[test]
fn the_selection_of_a_hidden_instruction_unfolds_its_loop() {
    let mut file = file(LOOPS);
    let starts: Vec<u32> = file.loops().iter().map(|found| found.start).collect();
    let place = |at: &ListAt| at.place.as_ref().unwrap().place.unwrap();
    let visible = |file: &mut File, at: &ListAt, offset: u32| {
        let rows = file.rows(&file.query(&at.folded));
        assert_eq!(rows[usize::try_from(place(at)).unwrap()], offset);
        assert_eq!(at.found, rows.len() as u64);
    };
    for start in &starts {
        // Its first row stays visible.
        let at = file.select(*start, &starts);
        assert_eq!(at.folded, starts);
        visible(&mut file, &at, *start);
        let others: Vec<u32> = starts.iter().copied().filter(|at| at != start).collect();
        for offset in file.hidden(*start) {
            let at = file.select(offset, &starts);
            assert_eq!(at.folded, others, "{offset:#x}");
            visible(&mut file, &at, offset);
        }
    }
    // Elsewhere, nothing changes.
    let at = file.select(0, &starts);
    assert_eq!((at.folded.as_slice(), place(&at)), (&starts[..], 0));
}

#[test]
fn a_row_of_the_strip_is_found_by_its_index_in_the_code() {
    let mut file = file(LOOPS);
    let first = file.loops()[0].start;
    let last = *file.hidden(first).last().unwrap();
    let row = file.offsets.iter().position(|at| *at == last).unwrap();
    let follow = Follow {
        document: NodeId::ROOT,
        list: ListId::Instructions,
        query: file.query(&[first]),
        current: None,
        or_first: false,
    };
    let request = Request::Select {
        order: TreeOrder::File,
        place: SelectionTarget::ListRow(row as u64),
        follow: Some(follow),
    };
    let Response::Selected(selected) = file.ask(request) else {
        panic!("not selected");
    };
    let at = selected.list.unwrap();
    assert!(at.folded.is_empty(), "{:?}", at.folded);
    let place = at.place.unwrap();
    assert_eq!((place.place, place.index), (Some(row as u64), row as u64));
}

#[test]
fn copies_have_the_instructions_of_folded_loops() {
    let mut file = file(LOOPS);
    let outer = file.loops()[1].start;
    let row = file.offsets.iter().position(|at| *at == outer).unwrap() as u64;
    let hidden = file.hidden(outer).len() as u64;
    let mut written = |folded: &[u32], form: Form, rows: Option<Range<u64>>| {
        let ask = ListRequest::Written {
            columns: vec!["offset".into()],
            form,
            rows: rows.map(|rows| (rows.start, rows.end - 1)),
        };
        let query = file.query(folded);
        match file.list(query, ask) {
            Response::Text(text) => text,
            other => panic!("{other:?}"),
        }
    };
    for form in [Form::Tabs, Form::Plain] {
        assert_eq!(
            written(&[outer], form, None),
            written(&[], form, None),
            "{form:?}"
        );
        // The row before the loop, and the folded loop.
        let folded = written(&[outer], form, Some(row - 1..row + 1));
        assert_eq!(folded, written(&[], form, Some(row - 1..row + 1 + hidden)));
        assert!(folded.lines().count() as u64 > hidden, "{folded}");
    }
    // The last row is the folded loop's.
    let rows = file.rows(&file.query(&[outer])).len() as u64;
    assert_eq!(rows + hidden, file.offsets.len() as u64);
}

#[test]
fn the_listing_opens_at_the_costliest_loop() {
    let mut file = file(LOOPS);
    let flow = file.flow();
    let hottest = &file.loops()[file.report.hottest.unwrap() as usize];
    let opens = usize::try_from(flow.opens.unwrap()).unwrap();
    assert_eq!(file.offsets[opens], hottest.start);
    let first = &flow.loops[0];
    assert_eq!(
        (first.start, first.instructions),
        (hottest.start, hottest.instructions)
    );
    assert!(first.name.starts_with("costliest loop"), "{}", first.name);
    assert_eq!(flow.loops.len(), file.loops().len());
    let opens = [
        FlowPiece::Text("opens at the costliest loop: ".to_owned()),
        FlowPiece::At(hottest.start),
    ];
    let topic = flow.topic(Aspect::Loops).unwrap();
    let mut said = topic.facts.iter().map(|fact| &fact.text);
    assert!(said.any(|fact| fact.starts_with(&opens)), "{topic:?}");
    let [loops] = topic.tables.as_slice() else {
        panic!("{topic:?}");
    };
    assert_eq!(loops.title, "Loops");
    assert_eq!(loops.rows[0].loop_at, Some(hottest.start));
    // What is in the brackets beside the code is what can be folded.
    for found in &flow.loops {
        let (start, end) = found.rows;
        assert_eq!(file.offsets[start as usize], found.start);
        assert!(end > start, "{found:?}");
    }
    // Each cell of a table has a column.
    for table in flow.topics.iter().flat_map(|topic| &topic.tables) {
        for row in &table.rows {
            assert_eq!(row.cells.len(), table.columns.len(), "{row:?}");
        }
    }
}

#[test]
fn code_without_loops_opens_at_its_start() {
    let mut file = file("www/samples/vecadd.bmg.zebin");
    let flow = file.flow();
    assert_eq!((flow.opens, flow.loops.as_slice()), (None, &[][..]));
}

#[test]
fn blocks_are_shaded_by_cost() {
    let mut file = file(LOOPS);
    let page = file.blocks();
    let hottest = page.rows.iter().max_by_key(|row| row.heat).unwrap();
    assert_eq!(hottest.heat, 100);
    assert!(hottest.block.depth > 0, "{hottest:?}");
    // The cycles are those of the instructions, in whatever block.
    let flow = {
        let document = open(&bytes(LOOPS));
        let listing = document.listing(NodeId::ROOT, Some(file.of), None).unwrap();
        listing.data_flow(&document.sources).unwrap()
    };
    for row in &page.rows {
        let rows = row.block.row..row.block.row + row.block.rows;
        let cycles: u64 = rows.map(|row| flow.cycles(row).unwrap()).sum();
        let words = row.cost.replace('\u{a0}', "");
        assert_eq!(
            words.split(' ').next(),
            Some(cycles.to_string().as_str()),
            "{row:?}"
        );
        assert_eq!(row.heat > 0, cycles > 0);
    }
}
