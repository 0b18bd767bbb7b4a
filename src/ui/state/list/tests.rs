use super::*;
use crate::analysis::figure::SizeFigure;
use crate::analysis::kernels::KernelDetail;
use crate::model::{SourceId, Xref};
use crate::tables::RowDetails;
use crate::tables::query::{GroupBy, RowOptions};
use crate::ui::state::paged::{KEEP, PAGE};

fn at(start: u64, len: u64) -> Span {
    Span::with_len(SourceId::FILE, start, len)
}

fn row(index: u64) -> Row {
    let cell = |value| Cell::new(value).at(Some(at(100 * index + 10, 2)));
    let columns = ListId::Kernels.page_columns().into_iter();
    Row {
        index,
        entry: at(100 * index, 100),
        cells: columns.map(|_| cell(CellValue::Count(index))).collect(),
        code: None,
    }
}

fn page(start: u64, found: u64) -> Box<ListPage> {
    Box::new(ListPage {
        document: NodeId::ROOT,
        subject: String::new(),
        rows: (start..found.min(start + PAGE)).map(row).collect(),
        start,
        found,
        total: found,
        names: None,
        secondary: Default::default(),
        notes: Vec::new(),
        columns: ListId::Kernels
            .page_columns()
            .iter()
            .map(|column| column.id.into())
            .collect(),
        maxima: vec![("spill_size".into(), 64.0)],
        counts: Vec::new(),
        devices: Vec::new(),
        trouble: None,
        map: None,
        reading: None,
    })
}

fn at_row(document: u32, index: u64) -> Box<ListAt> {
    let links = vec![Xref {
        why: "symbol".into(),
        label: "a".into(),
        to: at(5000, 24),
    }];
    Box::new(ListAt {
        document: NodeId(document),
        of: None,
        folded: Vec::new(),
        found: 600,
        place: Some(ListPlace {
            index,
            count: 1,
            place: Some(index),
            entry: at(100 * index, 100),
            about: RowDetails {
                links,
                ..RowDetails::default()
            },
            short_title: None,
        }),
    })
}

fn kernels() -> List {
    List::new(ListId::Kernels)
}

fn column(id: &str) -> &'static Column {
    kernels().column(id).expect("a column")
}

fn query(filter: &str) -> Query {
    Query {
        filter: filter.to_owned(),
        options: RowOptions::grouped(initial_grouping(ListId::Kernels)),
        ..Query::default()
    }
}

#[test]
fn rows_are_requested_by_page() {
    let mut list = kernels();
    assert_eq!(list.rows.missing(0, 40), [0], "before anything is known");
    list.apply(ListChange::Page(0, page(0, 600)));
    assert_eq!(list.rows.missing(0, 40), [0; 0]);
    assert_eq!(list.rows.missing(120, 160), [1]);
    assert_eq!(list.rows.missing(590, 10_000), [4]);
    assert_eq!(list.rows.row(127), Some(&row(127)));
    assert_eq!(list.rows.row(128), None);
    assert_eq!(list.maximum("spill_size"), 64.0);
    assert_eq!(list.maximum("simd_size"), 0.0);
    let page = list.page.expect("here");
    assert_eq!((page.total, page.rows.len()), (600, 0));
}

#[test]
fn the_number_of_cached_pages_is_limited() {
    let mut list = kernels();
    for number in 0..100 {
        list.apply(ListChange::Page(0, page(number * PAGE, 60_000)));
    }
    let is_kept = |number: &u64| list.rows.row(number * PAGE).is_some();
    assert_eq!((0..100).filter(is_kept).count(), KEEP);
    assert!(list.rows.row(99 * PAGE).is_some() && list.rows.row(0).is_none());
}

#[test]
fn responses_to_earlier_queries_are_dropped() {
    let mut list = kernels();
    list.apply(ListChange::Page(0, page(0, 600)));
    list.apply(ListChange::At(3, 0, Some(at_row(0, 7))));
    assert_eq!((list.place(), list.is_current_for(3)), (Some(7), true));
    list.apply(ListChange::Query(query("x")));
    assert_eq!((list.rows.generation, list.rows.is_stale()), (1, true));
    assert_eq!(list.rows.missing(0, 40), [0]);
    assert!(list.rows.row(0).is_some(), "until others are here");
    assert!(!list.is_current_for(3), "it has another place now");
    list.apply(ListChange::At(3, 0, Some(at_row(0, 8))));
    assert_eq!(list.place(), Some(7), "the answer to the question before");
    list.apply(ListChange::Page(0, page(0, 600)));
    list.apply(ListChange::Failed(0, "late".into()));
    assert!(list.rows.is_stale() && list.failed.is_none());
    list.apply(ListChange::Page(1, page(128, 200)));
    assert_eq!((list.rows.found, list.rows.row(0)), (Some(200), None));
    assert_eq!(list.rows.missing(0, 40), [0]);
    list.apply(ListChange::Query(query("x")));
    assert_eq!(list.rows.generation, 1, "the same query again");
    list.apply(ListChange::Failed(1, "none here".into()));
    assert_eq!(list.rows.missing(0, 40), [0; 0]);
}

#[test]
fn another_document_discards_the_rows() {
    let mut list = kernels();
    list.apply(ListChange::At(1, 0, Some(at_row(0, 7))));
    assert_eq!(list.rows.generation, 0, "the first document");
    list.apply(ListChange::Page(0, page(0, 600)));
    list.apply(ListChange::At(2, 0, None));
    assert_eq!(list.place(), Some(7), "no document: the list stays");
    assert!(list.is_current_for(2));
    list.apply(ListChange::At(3, 0, Some(at_row(9, 1))));
    assert_eq!((list.document, list.place()), (Some(NodeId(9)), Some(1)));
    assert_eq!(list.rows.missing(0, 40), [0]);
    assert!(list.is_current_for(3) && list.page.is_none());
    list.apply(ListChange::Page(1, page(0, 600)));
    assert_eq!(list.rows.found, None, "rows of the document before");
    assert_eq!(list.document, Some(NodeId(9)));
    let generation = list.rows.generation;
    assert_eq!(generation, 2, "they are requested again");
    list.apply(ListChange::Failed(generation, "none here".into()));
    list.apply(ListChange::At(4, generation, Some(at_row(9, 1))));
    assert_eq!((list.failed.as_ref(), list.rows.generation), (None, 3));
}

#[test]
fn earlier_selections_do_not_replace_later_ones() {
    let mut list = kernels();
    list.apply(ListChange::AtAsked(5));
    assert!(list.is_current_for(5), "its row is pending");
    list.apply(ListChange::At(4, 0, Some(at_row(0, 1))));
    assert_eq!(list.place(), None);
    list.apply(ListChange::At(5, 0, Some(at_row(0, 2))));
    assert_eq!(list.place(), Some(2));
}

#[test]
fn rows_stay_current_in_lists_of_related_targets() {
    for (id, stays) in [
        (ListId::Kernels, true),
        (ListId::Symbols, true),
        (ListId::Modules, false),
        (ListId::Lines, false),
    ] {
        let mut list = List::new(id);
        list.apply(ListChange::At(1, 0, Some(at_row(0, 1))));
        assert_eq!(list.pinned(), stays.then_some(at(100, 100)), "{id:?}");
    }
}

#[test]
fn only_values_that_differ_widen_a_column_of_numbers() {
    let mut list = kernels();
    let mut first = page(0, 2);
    let spill = first.columns.iter().position(|of| of == "spill_size");
    first.rows[0].cells[spill.unwrap()].value = CellValue::Several(vec![64.0, 12800.0]);
    list.apply(ListChange::Page(0, first));
    assert_eq!(list.longest("spill_size"), Some(11));
    assert_eq!(list.longest("slm_size"), None);
    let by = Some(GroupBy::Kernel);
    let query = Query {
        options: RowOptions::grouped(by),
        ..Query::default()
    };
    list.apply(ListChange::Query(query));
    assert_eq!(list.longest("spill_size"), None);
}

#[test]
fn a_header_cycles_through_sort_orders() {
    let mut list = kernels();
    let mut press = |id: &str| {
        let query = list.sorted_by(column(id));
        list.apply(ListChange::Query(query.clone()));
        (query.sort.map(|id| id.to_string()), query.descending)
    };
    assert_eq!(press("spill_size"), (Some("spill_size".to_owned()), true));
    assert_eq!(press("spill_size"), (Some("spill_size".to_owned()), false));
    assert_eq!(press("spill_size"), (None, false));
    assert_eq!(press("name"), (Some("name".to_owned()), false));
    assert_eq!(press("name"), (Some("name".to_owned()), true));
    assert_eq!(press("slm_size"), (Some("slm_size".to_owned()), true));
}

#[test]
fn the_first_column_cannot_be_hidden() {
    let mut list = kernels();
    let default: Vec<_> = ListId::Kernels
        .page_columns()
        .iter()
        .map(|column| column.id)
        .collect();
    let without = list.toggled("code_size");
    assert!(!without.contains(&"code_size") && without.len() + 1 == default.len());
    list.apply(ListChange::Columns(Some(without)));
    assert!(list.toggled("code_size").contains(&"code_size"));
    assert!(list.toggled("family").contains(&"family"));
    assert!(list.toggled("has_dpas").contains(&"has_dpas"));
}

#[test]
fn columns_keep_their_chosen_order() {
    let mut list = kernels();
    let ids = |list: &List| -> Vec<_> { list.shown().iter().map(|column| column.id).collect() };
    let before = ids(&list);
    let [first, second, third] = before[..3] else {
        panic!("three columns");
    };
    list.apply(ListChange::Columns(Some(list.moved(second, 2))));
    assert_eq!(ids(&list)[..3], [first, third, second]);
    // The first column cannot move, nor can a column move beyond an end.
    let last = before.len() - 1;
    for (id, to) in [(first, 1), (third, 0), (before[last], last + 1)] {
        assert_eq!(*list.moved(id, to), ids(&list)[..], "{id}");
    }
    assert_eq!(
        list.moved(before[last], 1)[..3],
        [first, before[last], third]
    );
    list.apply(ListChange::Columns(Some(list.toggled(second))));
    assert_eq!(ids(&list)[..2], [first, third]);
    list.apply(ListChange::Columns(Some(list.toggled(second))));
    assert_eq!(ids(&list)[..3], [first, second, third]);
    list.apply(ListChange::Widths(Rc::from([(third, 200)])));
    assert_eq!((list.width(third), list.width(second)), (Some(200), None));
}

#[test]
fn loaded_rows_keep_their_columns() {
    let mut list = kernels();
    list.apply(ListChange::Page(0, page(0, 600)));
    let slm = column("code_size");
    let dpas = column("has_dpas");
    let place = list.shown().iter().position(|other| other.id == slm.id);
    let place = place.expect("a default column");
    let known = |list: &List, column| {
        let row = list.rows.row(2).expect("here");
        list.cell(row, column).cloned()
    };
    assert_eq!(known(&list, slm).as_ref(), row(2).cells.get(place));
    list.apply(ListChange::Columns(Some(list.toggled("has_dpas"))));
    assert!(list.rows.is_stale(), "they are requested again");
    assert_eq!(known(&list, slm).as_ref(), row(2).cells.get(place));
    assert_eq!(known(&list, dpas), None);
    list.apply(ListChange::Page(1, {
        let mut page = page(0, 600);
        for row in &mut page.rows {
            row.cells.push(Cell::new(CellValue::Bool(true)));
        }
        page.columns.push(dpas.id.into());
        page
    }));
    assert_eq!(
        known(&list, dpas).map(|cell| cell.value),
        Some(CellValue::Bool(true))
    );
}

#[test]
fn row_details_arrive_with_its_position() {
    let mut list = kernels();
    let mut at = at_row(0, 3);
    let place = at.place.as_mut().expect("a row");
    place.about.detail = Detail::Kernel(Box::new(KernelDetail {
        row: kernel(3),
        user_attributes: Vec::new(),
        execution_env: Vec::new(),
        arguments: Vec::new(),
        payload: Default::default(),
        per_thread_payload: Vec::new(),
        binding_table: Vec::new(),
        memory_buffers: Vec::new(),
        inline_samplers: Vec::new(),
        others: Vec::new(),
        links: Vec::new(),
    }));
    assert_eq!(list.detail(), &Detail::None);
    list.apply(ListChange::At(1, 0, Some(at)));
    assert!(matches!(list.detail(), Detail::Kernel(kernel) if kernel.row.index == 3));
    list.apply(ListChange::At(2, 0, Some(at_row(0, 4))));
    assert_eq!(list.detail(), &Detail::None, "another row");
}

fn kernel(index: u64) -> crate::analysis::kernels::KernelRow {
    use crate::analysis::kernels::{KernelRow, Located};
    KernelRow {
        is_spirv: false,
        index,
        is_function: false,
        is_undescribed: false,
        name: Located::at(format!("k{index}"), at(100 * index, 2)),
        demangled: None,
        entry: at(100 * index, 100),
        simd_size: Located::default(),
        grf_count: Located::default(),
        eu_thread_count: Located::default(),
        spill_size: SizeFigure::default(),
        private_size: SizeFigure::default(),
        from_scratch_slots: false,
        slm_size: Located::default(),
        barrier_count: Located::default(),
        required_sub_group_size: Located::default(),
        required_work_group_size: Located::default(),
        inline_data_payload_size: Located::default(),
        indirect_stateless_count: Located::default(),
        argument_count: 0,
        explicit_arguments: 0,
        implicit_arguments: 0,
        payload_size: 0,
        code_size: None,
        flags: Vec::new(),
        hazards: Vec::new(),
    }
}

fn line(start: u64, text: &str) -> Row {
    let bytes = at(start, text.len() as u64);
    let value = CellValue::Text(text.to_owned().into());
    Row {
        index: 0,
        entry: bytes,
        cells: vec![
            Cell::new(CellValue::Count(1)),
            Cell::new(value).at(Some(bytes)),
        ],
        code: None,
    }
}

/// A line of 5000 bytes, of which the cell shows the first.
fn long(start: u64, text: &str) -> Row {
    Row {
        entry: at(start, 5000),
        ..line(start, text)
    }
}

#[test]
fn surrounding_blanks_are_trimmed() {
    assert_eq!(trimmed(&line(100, "    simd_size: 16 ")), at(104, 13));
    assert_eq!(trimmed(&line(100, "   ")), at(100, 3));
    assert_eq!(trimmed(&line(100, "")), at(100, 0));
    assert_eq!(trimmed(&long(100, "\tlong ")), at(101, 4999));
}

#[test]
fn the_hidden_rest_of_a_line_is_known() {
    assert_eq!(rest(&line(100, "short")), None);
    assert_eq!(rest(&long(100, "\tlong ")), Some(at(106, 4994)));
    assert_eq!(text(&long(100, "\tlong ")), "\tlong ");
}

#[test]
fn highlights_match_their_bytes() {
    let text = line(100, "size: \u{e4}16");
    assert_eq!(parts(&text, at(108, 2)), Some(["size: \u{e4}", "16", ""]));
    assert_eq!(parts(&text, at(90, 14)), Some(["", "size", ": \u{e4}16"]));
    assert_eq!(parts(&text, at(107, 2)), None, "within a character");
    assert_eq!(parts(&text, at(110, 5)), None);
    let mut escaped = line(100, "\\xff");
    escaped.cells[1].span = Some(at(100, 1));
    escaped.entry = at(100, 1);
    assert_eq!(parts(&escaped, at(100, 1)), None);
}
