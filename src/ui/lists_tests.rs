use super::super::tree::tests::row as tree_row;
use super::*;
use crate::model::linkage::list::Cell;
use crate::model::{SourceId, Xref};
use crate::ui::pages::PAGE;
use crate::ui::selection::Via;

fn at(start: u64, len: u64) -> Span {
    Span::at(SourceId::FILE, start, len)
}

fn line(start: u64, text: &str) -> Row {
    let cell = Cell {
        text: text.to_owned(),
        other: None,
        to: None,
    };
    Row {
        span: at(start, text.len() as u64),
        cells: vec![cell],
    }
}

fn page(start: u64, found: u64) -> Box<ListPage> {
    let rows = (start..found.min(start + PAGE)).map(|i| line(100 * i, &i.to_string()));
    Box::new(ListPage {
        rows: rows.collect(),
        start,
        found,
        total: found,
        left_out: 0,
        longest: 0,
        trouble: None,
    })
}

fn place(document: u32, entry: Option<Span>) -> Box<ListPlace> {
    Box::new(ListPlace {
        document: NodeId(document),
        place: Some(1),
        entry,
        title: String::new(),
        links: vec![Xref {
            why: "symbol".into(),
            label: "a".into(),
            to: at(5000, 24),
        }],
        count: 0,
        filter: String::new(),
    })
}

fn text(id: u32, name: &'static str) -> protocol::Row {
    protocol::Row {
        kind: NodeKind::Text,
        name: name.into(),
        span: Some(at(1000 * u64::from(id), 100)),
        ..tree_row(id, Some(0), 0, None)
    }
}

#[test]
fn pages_of_an_earlier_question_are_not_shown_as_its_answer() {
    let mut lists = Lists::default();
    let list = ListId::Symbols;
    lists.apply(list, ListChange::Page(0, page(0, 600)));
    assert_eq!(lists.get(list).pages.missing(120, 160), [1]);
    let query = lists.get(list).sorted_by("size", Kind::Number);
    assert!(query.descending, "the largest first");
    lists.apply(list, ListChange::Query(query));
    let pages = &lists.get(list).pages;
    assert!(pages.is_stale() && pages.row(0).is_some());
    assert_eq!(pages.missing(0, 40), [0]);
    lists.apply(list, ListChange::Page(0, page(0, 3)));
    assert_eq!(lists.get(list).pages.found, Some(600), "too late");
    lists.apply(list, ListChange::Page(1, page(0, 3)));
    assert_eq!(lists.get(list).pages.found, Some(3));
    assert_eq!(lists.get(ListId::Relocations).pages.found, None);
}

#[test]
fn a_header_sorts_both_ways_and_then_not() {
    let mut list = List::default();
    let mut orders = Vec::new();
    for _ in 0..3 {
        let query = list.sorted_by("name", Kind::Text);
        orders.push((query.sort.is_some(), query.descending));
        list.apply(ListChange::Query(query));
    }
    assert_eq!(orders, [(true, false), (true, true), (false, false)]);
}

#[test]
fn a_row_stays_when_what_it_leads_to_is_selected() {
    let mut list = List::default();
    list.apply(ListChange::Page(0, page(0, 3)));
    list.apply(ListChange::Current(0, place(0, Some(at(100, 24)))));
    assert_eq!(list.place(), Some(1));
    assert_eq!(list.kept(at(5000, 24)), Some(at(100, 24)));
    assert_eq!(list.kept(at(7000, 24)), None);
    list.apply(ListChange::Current(0, place(0, None)));
    assert_eq!(list.current, None);
}

#[test]
fn another_document_has_other_rows() {
    let mut list = List::default();
    list.apply(ListChange::Failed(0, "there is nothing".into()));
    assert!(list.failed.is_some());
    list.apply(ListChange::Current(0, place(7, Some(at(100, 24)))));
    assert_eq!((list.document, list.failed), (NodeId(7), None));
    assert_eq!(list.pages.missing(0, 40), [0]);
}

#[test]
fn the_metadata_is_the_first_text() {
    let mut lists = Lists::default();
    let texts = vec![text(1, ".visaasm.a"), text(2, ".ze_info")];
    lists.apply(ListId::Lines, ListChange::Texts(NodeId::ROOT, texts, false));
    assert_eq!(lists.get(ListId::Lines).query.text, Some(at(2000, 100)));
    lists.apply(ListId::Lines, ListChange::Text(text(1, ".visaasm.a")));
    assert_eq!(lists.get(ListId::Lines).query.text, Some(at(1000, 100)));
    // A document without texts leaves those from before.
    lists.apply(
        ListId::Lines,
        ListChange::Texts(NodeId(9), Vec::new(), false),
    );
    assert_eq!(lists.texts.len(), 2);
}

#[test]
fn a_text_is_the_outermost_one_around_the_selection() {
    let way = [
        text(2, ".ze_info"),
        tree_row(3, Some(2), 0, None),
        text(4, "line 1"),
    ];
    let selection = Selection::node(way.into(), Via::Jump);
    assert_eq!(text_of(&selection).map(|row| row.id), Some(NodeId(2)));
    assert_eq!(text_of(&Selection::root(None)), None);
}

#[test]
fn blanks_say_nothing() {
    assert_eq!(trimmed(&line(100, "    simd_size: 16 ")), at(104, 13));
    assert_eq!(trimmed(&line(100, "   ")), at(100, 3));
    assert_eq!(trimmed(&line(100, "")), at(100, 0));
    let mut cut = line(100, "\tlong ");
    cut.span = at(100, 5000);
    cut.cells[0].to = Some(at(106, 4994));
    assert_eq!(trimmed(&cut), at(101, 4999));
}

#[test]
fn marks_are_where_the_bytes_are() {
    let text = line(100, "size: \u{e4}16");
    assert_eq!(parts(&text, at(108, 2)), Some(["size: \u{e4}", "16", ""]));
    assert_eq!(parts(&text, at(90, 14)), Some(["", "size", ": \u{e4}16"]));
    assert_eq!(parts(&text, at(107, 2)), None, "within a character");
    assert_eq!(parts(&text, at(110, 5)), None);
    let mut escaped = line(100, "\\xff");
    escaped.span = at(100, 1);
    assert_eq!(parts(&escaped, at(100, 1)), None);
}
