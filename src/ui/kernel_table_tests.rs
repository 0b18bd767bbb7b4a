use super::super::tree::tests::row as tree_row;
use super::*;
use crate::model::kernels::{Flag, Given};
use crate::model::{SourceId, Span};
use crate::ui::pages::{KEEP, PAGE};
use crate::ui::selection::Via;

fn at(start: u64, len: u64) -> Span {
    Span::at(SourceId::FILE, start, len)
}

pub(crate) fn kernel(index: u64) -> KernelRow {
    KernelRow {
        index,
        is_function: false,
        name: Given::at(format!("k{index}"), at(100 * index, 2)),
        demangled: None,
        entry: at(100 * index, 100),
        simd_size: Given::at(32, at(100 * index + 10, 2)),
        grf_count: Given {
            value: 128,
            span: None,
        },
        eu_thread_count: Given::default(),
        spill_size: Given::default(),
        private_size: Given::default(),
        from_scratch_slots: false,
        slm_size: Given::default(),
        barrier_count: Given::default(),
        required_sub_group_size: Given::default(),
        required_work_group_size: Given::default(),
        inline_data_payload_size: Given::default(),
        indirect_stateless_count: Given::default(),
        argument_count: 0,
        explicit_arguments: 0,
        implicit_arguments: 0,
        payload_size: 0,
        code_size: None,
        flags: vec![Flag {
            key: "has_dpas".into(),
            span: at(100 * index + 20, 4),
        }],
        hazards: Vec::new(),
    }
}

fn page(start: u64, found: u64) -> Box<KernelPage> {
    Box::new(KernelPage {
        rows: (start..found.min(start + PAGE)).map(kernel).collect(),
        start,
        found,
        kernels: found,
        functions: 0,
        maxima: vec![("spill_size".into(), 64.0)],
        trouble: None,
    })
}

fn column(id: &str) -> &'static Column {
    Column::named(id).expect("a column")
}

#[test]
fn rows_are_asked_for_page_by_page() {
    let mut table = KernelTable::default();
    assert_eq!(table.rows.missing(0, 40), [0], "before anything is known");
    table.apply(KernelChange::Page(0, page(0, 600)));
    assert_eq!(table.rows.missing(0, 40), [0; 0]);
    assert_eq!(table.rows.missing(120, 160), [1]);
    assert_eq!(table.rows.missing(590, 10_000), [4]);
    assert_eq!(
        table.rows.row(127).map(|row| row.name.value.as_str()),
        Some("k127")
    );
    assert_eq!(table.rows.row(128), None);
    assert_eq!(table.maximum("spill_size"), 64.0);
    assert_eq!(table.maximum("simd_size"), 0.0);
}

#[test]
fn only_so_many_pages_are_kept() {
    let mut table = KernelTable::default();
    for number in 0..100 {
        table.apply(KernelChange::Page(0, page(number * PAGE, 60_000)));
    }
    let is_kept = |number: &u64| table.rows.row(number * PAGE).is_some();
    assert_eq!((0..100).filter(is_kept).count(), KEEP);
    assert!(table.rows.row(99 * PAGE).is_some() && table.rows.row(0).is_none());
}

#[test]
fn what_was_asked_before_another_query_is_dropped() {
    let mut table = KernelTable::default();
    table.apply(KernelChange::Page(0, page(0, 600)));
    let current = KernelPlace {
        index: 7,
        place: Some(7),
    };
    table.apply(KernelChange::Current(NodeId::ROOT, Some(current)));
    let query = table.sorted_by(column("spill_size"));
    table.apply(KernelChange::Query(query.clone()));
    assert_eq!((table.rows.generation, table.rows.is_stale()), (1, true));
    assert_eq!(table.rows.missing(0, 40), [0]);
    assert!(table.rows.row(0).is_some(), "until others are here");
    assert_eq!(table.current.map(|current| current.place), Some(None));
    table.apply(KernelChange::Page(0, page(0, 600)));
    table.apply(KernelChange::Failed(0, "late".into()));
    assert!(table.rows.is_stale() && table.failed.is_none());
    table.apply(KernelChange::Page(1, page(128, 200)));
    assert_eq!((table.rows.found, table.rows.row(0)), (Some(200), None));
    assert_eq!(table.rows.missing(0, 40), [0]);
    table.apply(KernelChange::Query(query));
    assert_eq!(table.rows.generation, 1, "the same query again");
    table.apply(KernelChange::Document(NodeId(9)));
    assert_eq!((table.rows.generation, table.current), (2, None));
    table.apply(KernelChange::Current(NodeId::ROOT, Some(current)));
    assert_eq!(table.current, None, "of another document");
    table.apply(KernelChange::Failed(2, "none here".into()));
    assert_eq!(table.rows.missing(0, 40), [0; 0]);
}

#[test]
fn a_header_sorts_one_way_then_the_other_then_not() {
    let mut table = KernelTable::default();
    let mut press = |id: &str| {
        let query = table.sorted_by(column(id));
        table.apply(KernelChange::Query(query.clone()));
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
fn columns_come_and_go_but_the_name_stays() {
    let mut table = KernelTable::default();
    let usual: Vec<_> = Column::usual().map(|column| column.id).collect();
    let without = table.toggled("slm_size");
    assert!(!without.contains(&"slm_size") && without.len() + 1 == usual.len());
    table.apply(KernelChange::Columns(Some(without)));
    let with = table.toggled("slm_size");
    assert_eq!(*with, usual[..]);
    assert!(table.toggled("name").contains(&"name"));
    assert!(table.toggled("has_dpas").contains(&"has_dpas"));
}

#[test]
fn a_kernel_in_full_belongs_to_the_one_that_is_looked_at() {
    let mut table = KernelTable::default();
    let place = |index| {
        Some(KernelPlace {
            index,
            place: Some(index),
        })
    };
    let detail = |index| {
        Rc::new(KernelDetail {
            row: kernel(index),
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
        })
    };
    table.apply(KernelChange::Current(NodeId::ROOT, place(3)));
    table.apply(KernelChange::Detail(NodeId::ROOT, detail(2)));
    assert_eq!(table.detail, None);
    table.apply(KernelChange::Detail(NodeId::ROOT, detail(3)));
    assert!(table.detail.is_some());
    table.apply(KernelChange::Current(NodeId::ROOT, place(3)));
    assert!(table.detail.is_some(), "the same kernel again");
    table.apply(KernelChange::Current(NodeId::ROOT, place(4)));
    assert_eq!(table.detail, None);
}

#[test]
fn cells_lead_to_their_bytes() {
    let row = kernel(2);
    assert_eq!(cell_span(&row, "name"), Some(at(200, 2)));
    assert_eq!(cell_span(&row, "simd_size"), Some(at(210, 2)));
    assert_eq!(cell_span(&row, "has_dpas"), Some(at(220, 4)));
    assert_eq!(cell_span(&row, "grf_count"), None);
    assert!(is_default(&row, "grf_count") && is_default(&row, "spill_dwords_per_lane"));
    assert!(!is_default(&row, "simd_size") && !is_default(&row, "argument_count"));
}

#[test]
fn the_document_is_the_innermost_file() {
    let mut file = tree_row(5, Some(0), 1, Some(3));
    file.kind = NodeKind::File;
    let way = [
        tree_row(2, Some(0), 1, None),
        file,
        tree_row(8, Some(5), 0, None),
    ];
    let selection = Selection::node(Rc::from(way), Via::Jump);
    assert_eq!(document_of(&selection), NodeId(5));
    assert_eq!(document_of(&Selection::root(None)), NodeId::ROOT);
}
