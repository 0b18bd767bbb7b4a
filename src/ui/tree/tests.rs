use super::differing::DifferenceIndex;
use super::flat::{Flat, Group, Item, Show, stem};
use super::*;
use crate::diff;
use crate::model::{Area, Coverage, NodeKind, SourceId, Span, Summary};
use crate::worker::protocol::tree_order::RowId;

pub(crate) fn row(id: u32, parent: Option<u32>, index: u64, count: Option<u64>) -> Row {
    Row {
        id: NodeId(id),
        parent: parent.map(NodeId),
        index,
        name: format!("n{id}").into(),
        short: None,
        indexed: false,
        kind: NodeKind::Table,
        is_module: false,
        area: Area::Header,
        value: Value::None,
        summary: None,
        is_default: false,
        span: None,
        head: 0,
        bits: None,
        count,
        severity: None,
    }
}

pub(crate) fn opened(children: u64) -> Opened {
    let shown = children.min(512);
    Opened {
        device: "".into(),
        name: "a.zebin".to_owned(),
        size: 4096,
        summary: Summary::new("zebin", "zebin", Vec::new()),
        coverage: Coverage::default(),
        root: row(0, None, 0, Some(children)),
        rows: (0..shown)
            .map(|i| row(1 + i as u32, Some(0), i, Some(10)))
            .collect(),
        diagnostics: Vec::new(),
        rules: Vec::new(),
        by_kernel: Some(children),
        devices: Vec::new(),
        code: None,
        bytes_read: 100,
        millis: 1.0,
    }
}

fn rows(tree: &Tree) -> Vec<(u32, Item)> {
    let flat = Flat::new(tree, Show::default());
    (0..flat.len())
        .map(|i| flat.row(i).expect("within"))
        .map(|row| (row.depth, row.item))
        .collect()
}

fn child(parent: u32, index: u64) -> Item {
    Item::Child {
        parent: NodeId(parent),
        index,
    }
}

#[test]
fn children_follow_their_parent() {
    let mut tree = Tree::new(&opened(3));
    tree.open(&Rc::new(row(2, Some(0), 1, Some(2))));
    let expected = [
        (0, Item::Root),
        (1, child(0, 0)),
        (1, child(0, 1)),
        (2, child(2, 0)),
        (2, child(2, 1)),
        (1, child(0, 2)),
    ];
    assert_eq!(rows(&tree), expected);
    tree.close(NodeId(2));
    assert_eq!(rows(&tree).len(), 4);
}

#[test]
fn positions_are_counted_for_aria() {
    let mut tree = Tree::new(&opened(3));
    tree.open(&Rc::new(row(1, Some(0), 0, Some(2))));
    let flat = Flat::new(&tree, Show::default());
    let last = flat.row(5).expect("within");
    assert_eq!((last.position, last.siblings, last.depth), (3, 3, 1));
    let inner = flat.row(3).expect("within");
    assert_eq!((inner.position, inner.siblings, inner.depth), (2, 2, 2));
    assert_eq!(flat.row(6), None);
}

#[test]
fn many_children_are_shown_in_ranges() {
    let mut tree = Tree::new(&opened(600_000));
    let flat = Flat::new(&tree, Show::default());
    assert_eq!(flat.len(), 601);
    let last = Group {
        parent: NodeId(0),
        start: 599_000,
        end: 600_000,
        named: false,
    };
    assert_eq!(flat.row(600).map(|r| r.item), Some(Item::Group(last)));
    tree.set_group(last, true);
    let flat = Flat::new(&tree, Show::default());
    assert_eq!(flat.len(), 1601);
    assert_eq!(flat.find(child(0, 599_999)), Some(1600));
    assert_eq!(flat.find(Item::Group(last)), Some(600));
    assert_eq!(flat.find(child(0, 5)), None);
}

#[test]
fn the_last_partial_range_is_found() {
    let mut tree = Tree::new(&opened(1));
    tree.open(&Rc::new(row(1, Some(0), 0, Some(1_500))));
    let flat = Flat::new(&tree, Show::default());
    assert_eq!(flat.len(), 4);
    let last = Group {
        parent: NodeId(1),
        start: 1000,
        end: 1500,
        named: false,
    };
    assert_eq!(flat.find(Item::Group(last)), Some(3));
}

#[test]
fn parts_of_a_file_are_shown_individually() {
    let tree = Tree::new(&opened(1_500));
    assert_eq!(Flat::new(&tree, Show::default()).len(), 1_501);
    assert_eq!(
        Flat::new(&tree, Show::default()).find(child(0, 1_499)),
        Some(1_500)
    );
}

#[test]
fn ranges_of_ranges() {
    let mut tree = Tree::new(&opened(3_000_000));
    tree.reveal(&[row(9, Some(0), 2_000_500, Some(0))]);
    let flat = Flat::new(&tree, Show::default());
    // The root, 3 ranges of a million, 1000 ranges of a thousand, 1000 children.
    assert_eq!(flat.len(), 1 + 3 + 1000 + 1000);
    let at = flat.find(child(0, 2_000_500)).expect("revealed");
    assert_eq!(flat.row(at).map(|r| r.depth), Some(3));
}

#[test]
fn a_path_is_revealed() {
    let mut tree = Tree::new(&opened(3));
    let ancestry = [
        row(3, Some(0), 2, Some(10)),
        row(50, Some(3), 4, Some(5)),
        row(60, Some(50), 1, Some(0)),
    ];
    tree.reveal(&ancestry);
    let flat = Flat::new(&tree, Show::default());
    assert_eq!(flat.find(child(50, 1)), Some(3 + 5 + 2));
    assert!(!tree.has_page(NodeId(50), 1));
    tree.insert(
        NodeId(50),
        0,
        &(0..5)
            .map(|i| row(59 + i, Some(50), i.into(), Some(0)))
            .collect::<Vec<_>>(),
    );
    let names: Vec<_> = tree
        .ancestry(tree.child(NodeId(50), 1).expect("here"))
        .iter()
        .map(|r| r.id.0)
        .collect();
    assert_eq!(names, [3, 50, 60]);
}

#[test]
fn partial_pages_are_dropped() {
    let mut tree = Tree::new(&opened(600));
    assert!(tree.has_page(NodeId::ROOT, 511));
    tree.insert(NodeId::ROOT, 512, &[row(900, Some(0), 512, Some(0))]);
    assert!(!tree.has_page(NodeId::ROOT, 512));
}

#[test]
fn an_unknown_number_of_children_is_one_row() {
    let mut tree = Tree::new(&opened(1));
    tree.open(&Rc::new(row(1, Some(0), 0, None)));
    assert_eq!(rows(&tree).len(), 3);
    tree.set_count(NodeId(1), 7);
    assert_eq!(rows(&tree).len(), 9);
}

#[test]
fn each_change_increments_the_revision() {
    let mut tree = Tree::new(&opened(3));
    let version = tree.version();
    tree.learn(&[row(1, Some(0), 0, Some(7))]);
    assert_eq!(tree.version(), version, "it was never opened");
    tree.open(&Rc::new(row(1, Some(0), 0, None)));
    let opened = tree.version();
    assert_ne!(opened, version);
    tree.learn(&[row(1, Some(0), 0, Some(7))]);
    assert_ne!(tree.version(), opened);
    assert_eq!(rows(&tree).len(), 4 + 7);
}

/// A file with these parts.
fn named(names: &[String]) -> Tree {
    let mut opened = opened(names.len() as u64);
    for (row, name) in opened.rows.iter_mut().zip(names) {
        row.name = name.clone().into();
        if name == "padding" {
            row.kind = NodeKind::Padding;
        }
    }
    Tree::new(&opened)
}

#[test]
fn long_runs_of_sections_are_grouped() {
    let text = (0..30).flat_map(|i| [format!(".text.k{i}"), "padding".to_owned()]);
    let mut names = vec!["ELF header".to_owned()];
    names.extend(text);
    names.extend((0..3).map(|i| format!(".rel.text.k{i}")));
    let mut tree = named(&names);
    let flat = Flat::new(&tree, Show::default());
    let run = Group {
        parent: NodeId(0),
        start: 1,
        end: 60,
        named: true,
    };
    let last = flat.row(2).expect("the run");
    assert_eq!(
        (last.item, last.position, last.siblings),
        (Item::Group(run), 2, 6)
    );
    assert_eq!(flat.len(), 7);
    assert_eq!(flat.find(child(0, 5)), None);
    tree.reveal(&[row(6, Some(0), 5, Some(0))]);
    let flat = Flat::new(&tree, Show::default());
    assert_eq!(flat.find(child(0, 5)), Some(7));
    let no_padding = Show {
        no_padding: true,
        ..Show::default()
    };
    let flat = Flat::new(&tree, no_padding);
    assert_eq!(
        flat.len(),
        36,
        "the file, the header, the run and its 30, three"
    );
    let third = flat.find(child(0, 5)).and_then(|number| flat.row(number));
    assert_eq!(
        third.map(|row| (row.position, row.siblings, row.depth)),
        Some((3, 30, 2))
    );
}

#[test]
fn only_differing_rows_are_shown() {
    let at = |id: u32, index: u64, start: u64| Row {
        name: format!(".text.k{index}").into(),
        span: Some(Span::new(SourceId::FILE, start, start + 10)),
        ..row(id, Some(0), index, Some(0))
    };
    let rows: Vec<Row> = (0..40)
        .map(|i| at(i + 1, i.into(), 10 * u64::from(i)))
        .collect();
    let mut tree = Tree::new(&opened(40));
    tree.insert(NodeId::ROOT, 0, &rows);
    let span = |start, end| Span::new(SourceId::FILE, start, end);
    let items = |spans: Vec<Span>| {
        let only = Some(DifferenceIndex::new(diff::DifferenceIndex {
            bytes: spans,
            ..Default::default()
        }));
        let flat = Flat::new(
            &tree,
            Show {
                only,
                ..Show::default()
            },
        );
        let rows = (0..flat.len()).filter_map(|at| flat.row(at));
        rows.map(|row| (row.item, row.position, row.siblings))
            .collect::<Vec<_>>()
    };
    // The end of one part, the next, and all of another; only the file contains them.
    let found = items(vec![span(25, 26), span(99, 110)]);
    let expected = [(2, 1), (9, 2), (10, 3)].map(|(index, at)| (child(0, index), at, 3));
    assert_eq!(found[0].0, Item::Root);
    assert_eq!(found[1..], expected);
    assert_eq!(items(vec![span(400, 500)]).len(), 1);
    // A long run is one row.
    assert_eq!(items(vec![span(0, 300)]).len(), 2);
}

#[test]
fn kernels_differ_only_if_something_in_them_does() {
    let differing = DifferenceIndex::new(diff::DifferenceIndex {
        bytes: vec![Span::new(SourceId::FILE, 25, 26)],
        kernels: vec![1, 3],
        rest: false,
        sources: Vec::new(),
    });
    // They have no bytes of their own.
    let has = |of: RowId| differing.has(&row(of.id().0, Some(0), 0, Some(1)));
    let kernels: Vec<bool> = (0..5).map(|kernel| has(RowId::Kernel(kernel))).collect();
    assert_eq!(kernels, [false, true, false, true, false]);
    assert!(!has(RowId::Rest));
    let entry = Row {
        span: Some(Span::new(SourceId::FILE, 20, 30)),
        ..row(RowId::Entry(NodeId(4)).id().0, Some(0), 0, Some(1))
    };
    assert!(differing.has(&entry));
}

#[test]
fn common_prefixes_of_section_names() {
    for (name, expected) in [
        (".text.add", Some(".text.")),
        (".rel.text.a.b", Some(".rel.text.")),
        (".rela.debug_info.k", Some(".rela.debug_info.")),
        (".relax.k", Some(".relax.")),
        (".text", None),
        (".rel.text", None),
        (".text.", None),
        ("text.k", None),
    ] {
        assert_eq!(stem(name), expected, "{name}");
    }
}

#[test]
fn a_filter_shows_matches_and_their_ancestors() {
    let names: Vec<String> = (0..40).map(|i| format!(".text.k{i}")).collect();
    let mut tree = named(&names);
    tree.open(&Rc::new(row(8, Some(0), 7, Some(3))));
    let below: Vec<Row> = (0..3)
        .map(|i| row(100 + i, Some(8), i.into(), Some(0)))
        .collect();
    tree.insert(NodeId(8), 0, &below);
    tree.close(NodeId(8));
    let filter = |names: &str| {
        let show = Show {
            names: names.to_owned(),
            ..Show::default()
        };
        let flat = Flat::new(&tree, show);
        let items = (0..flat.len())
            .filter_map(|i| flat.row(i))
            .map(|row| row.item);
        (items.collect::<Vec<_>>(), flat.matches())
    };
    assert_eq!(
        filter("n101"),
        (vec![Item::Root, child(0, 7), child(8, 1)], 1)
    );
    assert_eq!(filter("k39"), (vec![Item::Root, child(0, 39)], 1));
    assert_eq!(filter("nothing"), (vec![Item::Root], 0));
}
