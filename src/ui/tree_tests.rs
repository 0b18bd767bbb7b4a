use super::super::flat::{Flat, Item};
use super::*;
use crate::model::{Area, Coverage, NodeKind, Summary};

pub(crate) fn row(id: u32, parent: Option<u32>, index: u64, count: Option<u64>) -> Row {
    Row {
        id: NodeId(id),
        parent: parent.map(NodeId),
        index,
        name: format!("n{id}").into(),
        indexed: false,
        kind: NodeKind::Table,
        area: Area::Header,
        value: Value::None,
        summary: None,
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
        devices: Vec::new(),
        bytes_read: 100,
        millis: 1.0,
    }
}

fn rows(tree: &Tree) -> Vec<(u32, Item)> {
    let flat = Flat::new(tree);
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
fn opened_branches_are_between_their_siblings() {
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
    let flat = Flat::new(&tree);
    let last = flat.row(5).expect("within");
    assert_eq!((last.position, last.siblings, last.depth), (3, 3, 1));
    let inner = flat.row(3).expect("within");
    assert_eq!((inner.position, inner.siblings, inner.depth), (2, 2, 2));
    assert_eq!(flat.row(6), None);
}

#[test]
fn many_children_are_shown_in_ranges() {
    let mut tree = Tree::new(&opened(600_000));
    let flat = Flat::new(&tree);
    assert_eq!(flat.len(), 601);
    let last = Group {
        parent: NodeId(0),
        start: 599_000,
        end: 600_000,
    };
    assert_eq!(flat.row(600).map(|r| r.item), Some(Item::Group(last)));
    tree.set_group(last, true);
    let flat = Flat::new(&tree);
    assert_eq!(flat.len(), 1601);
    assert_eq!(flat.find(child(0, 599_999)), Some(1600));
    assert_eq!(flat.find(Item::Group(last)), Some(600));
    assert_eq!(flat.find(child(0, 5)), None);
}

#[test]
fn a_cut_off_range_at_the_end_is_found() {
    let mut tree = Tree::new(&opened(1));
    tree.open(&Rc::new(row(1, Some(0), 0, Some(1_500))));
    let flat = Flat::new(&tree);
    assert_eq!(flat.len(), 4);
    let last = Group {
        parent: NodeId(1),
        start: 1000,
        end: 1500,
    };
    assert_eq!(flat.find(Item::Group(last)), Some(3));
}

#[test]
fn the_parts_of_a_file_are_shown_one_by_one() {
    let tree = Tree::new(&opened(1_500));
    assert_eq!(Flat::new(&tree).len(), 1_501);
    assert_eq!(Flat::new(&tree).find(child(0, 1_499)), Some(1_500));
}

#[test]
fn ranges_of_ranges() {
    let mut tree = Tree::new(&opened(3_000_000));
    tree.reveal(&[row(9, Some(0), 2_000_500, Some(0))]);
    let flat = Flat::new(&tree);
    // The root, 3 ranges of a million, 1000 ranges of a thousand, 1000 children.
    assert_eq!(flat.len(), 1 + 3 + 1000 + 1000);
    let at = flat.find(child(0, 2_000_500)).expect("revealed");
    assert_eq!(flat.row(at).map(|r| r.depth), Some(3));
}

#[test]
fn a_way_is_revealed() {
    let mut tree = Tree::new(&opened(3));
    let way = [
        row(3, Some(0), 2, Some(10)),
        row(50, Some(3), 4, Some(5)),
        row(60, Some(50), 1, Some(0)),
    ];
    tree.reveal(&way);
    let flat = Flat::new(&tree);
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
        .way(tree.child(NodeId(50), 1).expect("here"))
        .iter()
        .map(|r| r.id.0)
        .collect();
    assert_eq!(names, [3, 50, 60]);
}

#[test]
fn half_a_page_is_not_kept() {
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
fn a_tree_has_another_number_after_each_change() {
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
