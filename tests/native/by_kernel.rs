//! The tree by kernel: it contains every part of the file exactly once, and every selection is
//! found in it.

use std::collections::{BTreeMap, VecDeque};
use std::path::Path;

use crate::decoder::Decoder;
use crate::support::{fixtures, full_zebin, zebin};
use zeview::model::{NodeId, NodeKind};
use zeview::worker::protocol::tree_order::{RowId, TreeOrder};
use zeview::worker::protocol::{Opened, Request, Response, Row, Selected, SelectionTarget};

struct File {
    decoder: Decoder,
    opened: Opened,
}

impl File {
    fn open(bytes: &[u8]) -> File {
        let (decoder, opened) = Decoder::open("file", bytes);
        File { decoder, opened }
    }

    fn sample(name: &str) -> File {
        File::open(&std::fs::read(Path::new("www/samples").join(name)).unwrap())
    }

    fn ask(&mut self, request: Request) -> Response {
        self.decoder.ask(request)
    }

    fn page(&mut self, order: TreeOrder, node: NodeId, start: u64) -> (u64, Vec<Row>) {
        let count = 256;
        let request = Request::Rows {
            order,
            node,
            start,
            count,
        };
        match self.ask(request) {
            Response::Rows { count, rows } => (count, rows),
            other => panic!("{other:?}"),
        }
    }

    /// Returns all children of a row.
    fn rows(&mut self, order: TreeOrder, node: NodeId) -> Vec<Row> {
        let (count, mut rows) = self.page(order, node, 0);
        while (rows.len() as u64) < count {
            let more = self.page(order, node, rows.len() as u64).1;
            assert!(!more.is_empty());
            rows.extend(more);
        }
        for (index, row) in (0..).zip(&rows) {
            assert_eq!((row.parent, row.index), (Some(node), index), "{}", row.name);
        }
        rows
    }

    fn by_kernel(&mut self, node: NodeId) -> Vec<Row> {
        self.rows(TreeOrder::Kernels, node)
    }

    fn select(&mut self, order: TreeOrder, place: SelectionTarget) -> Selected {
        let request = Request::Select {
            order,
            place,
            follow: None,
        };
        match self.ask(request) {
            Response::Selected(selected) => *selected,
            other => panic!("{other:?}"),
        }
    }

    /// Returns the kernel with this name.
    fn kernel(&mut self, name: &str) -> Row {
        let rows = self.by_kernel(NodeId::ROOT).into_iter();
        let mut rows = rows.filter(|row| row.name == name);
        rows.next().expect("no such kernel")
    }

    fn rest(&mut self) -> Vec<Row> {
        self.by_kernel(RowId::Rest.id())
    }
}

fn names(rows: &[Row]) -> Vec<&str> {
    rows.iter().map(|row| &*row.name).collect()
}

/// Zebins with kernels, and generated files.
fn files() -> Vec<(String, Vec<u8>)> {
    let mut files = fixtures::zebins();
    files.extend(fixtures::hostile());
    files.extend(fixtures::in_folder(Path::new("www/samples"), "zebin"));
    let mut files: Vec<(String, Vec<u8>)> = files
        .into_iter()
        .map(|file| (file.name, file.bytes))
        .collect();
    let same = ["k", "other", "k", ""];
    files.push(("of one name".to_owned(), zebin::zebin(&same).build().bytes));
    files.push(("full".to_owned(), full_zebin::full().build().bytes));
    files
}

#[test]
fn every_part_of_a_file_occurs_once() {
    let mut seen = 0;
    for (name, bytes) in files() {
        let mut file = File::open(&bytes);
        let Some(count) = file.opened.by_kernel else {
            continue;
        };
        seen += 1;
        let top = file.by_kernel(NodeId::ROOT);
        assert_eq!(top.len() as u64, count, "{name}");
        let last = top.last().map(|row| RowId::of(row.id));
        assert_eq!(last, Some(RowId::Rest), "{name}");
        let mut wholes = Vec::new();
        let mut entries = Vec::new();
        for row in &top {
            let parts = file.by_kernel(row.id);
            assert_eq!(row.count, Some(parts.len() as u64), "{name}");
            for part in parts {
                match RowId::of(part.id) {
                    RowId::Node(id) => wholes.push(id),
                    RowId::Entry(id) => entries.push((id, part.span)),
                    other => panic!("{name}: {other:?}"),
                }
            }
        }
        let mut parts: Vec<NodeId> = file
            .rows(TreeOrder::File, NodeId::ROOT)
            .iter()
            .map(|row| row.id)
            .collect();
        parts.sort();
        wholes.sort();
        assert_eq!(wholes, parts, "{name}");
        let ids: std::collections::BTreeSet<_> = entries.iter().map(|(id, _)| *id).collect();
        assert_eq!(ids.len(), entries.len(), "{name}: an entry stands twice");
    }
    assert!(seen >= 25, "{seen}");
}

#[test]
fn selections_match_their_rows() {
    for (name, bytes) in files() {
        let mut file = File::open(&bytes);
        if file.opened.by_kernel.is_none() {
            continue;
        }
        let mut nodes = VecDeque::from([NodeId::ROOT]);
        for _ in 0..150 {
            let Some(node) = nodes.pop_front() else { break };
            // The first children, and the last.
            let (count, rows) = file.page(TreeOrder::File, node, 0);
            nodes.extend(rows.iter().take(12).map(|row| row.id));
            let last = file.page(TreeOrder::File, node, count.saturating_sub(1)).1;
            nodes.extend(last.iter().map(|row| row.id));
            let selected = file.select(TreeOrder::Kernels, SelectionTarget::Node(node));
            assert_eq!(selected.detail.node, node, "{name}");
            let by_kernel = selected.by_kernel.expect("it has kernels");
            let mut above = NodeId::ROOT;
            for row in &by_kernel {
                let found = file.page(TreeOrder::Kernels, above, row.index).1;
                let same = Row {
                    count: row.count,
                    ..found[0].clone()
                };
                assert_eq!(&same, row, "{name}");
                above = row.id;
            }
            let found = match RowId::of(above) {
                RowId::Node(id) | RowId::Entry(id) => id,
                other => panic!("{name}: {other:?}"),
            };
            assert_eq!(found, node, "{name}");
            // Both ids lead to the same node.
            let again = file.select(TreeOrder::Kernels, SelectionTarget::Node(above));
            assert_eq!(again.detail, selected.detail, "{name}");
            assert_eq!(again.ancestry, selected.ancestry, "{name}");
            // In file order, nothing changes.
            let plain = file.select(TreeOrder::File, SelectionTarget::Node(node));
            assert_eq!(plain.ancestry, selected.ancestry, "{name}");
            assert_eq!(plain.by_kernel, None);
        }
    }
}

#[test]
fn the_parts_of_a_kernel() {
    let mut file = File::sample("vecadd.bmg.zebin");
    let top = file.by_kernel(NodeId::ROOT);
    assert_eq!(names(&top), ["vecadd", "rest of the file"]);
    assert_eq!(top[0].summary.as_deref(), Some("SIMD32 · 560 B of code"));
    assert_eq!(top[1].kind, NodeKind::File);
    let parts = file.by_kernel(top[0].id);
    assert_eq!(
        names(&parts),
        [
            ".ze_info/kernels/[0]",
            ".text.vecadd",
            ".rel.text.vecadd",
            ".symtab/[1] _entry",
            ".symtab/[2]",
            ".ze_info/kernels_misc_info/[0]",
        ]
    );
    // Its attributes are expanded like those in `.ze_info`.
    let keys = file.by_kernel(parts[0].id);
    assert!(
        names(&keys).contains(&"execution_env"),
        "{:?}",
        names(&keys)
    );
    assert!(
        keys.iter()
            .all(|row| matches!(RowId::of(row.id), RowId::Entry(_)))
    );
    assert!(names(&file.rest()).contains(&".ze_info"));
}

#[test]
fn each_of_many_kernels_has_its_own_parts() {
    let mut file = File::sample("kernels600.dg2.zebin");
    assert_eq!(file.opened.by_kernel, Some(601));
    let kernel = file.kernel("k0300_int");
    assert_eq!(RowId::of(kernel.id), RowId::Kernel(kernel.index as u32));
    let parts = file.by_kernel(kernel.id);
    let sections: Vec<&str> = parts
        .iter()
        .filter(|row| matches!(RowId::of(row.id), RowId::Node(_)))
        .map(|row| &*row.name)
        .collect();
    assert_eq!(sections, [".text.k0300_int", ".rel.text.k0300_int"]);
    // Symbols are those whose target is in the code.
    let code = parts[1].span.expect("code");
    let symbols = parts.iter().filter(|row| row.name.starts_with(".symtab/"));
    let mut count = 0;
    for symbol in symbols {
        let selected = file.select(TreeOrder::Kernels, SelectionTarget::Node(symbol.id));
        let to = selected.detail.xrefs.iter();
        assert!(to.map(|xref| xref.to).any(|to| code.contains(to)));
        count += 1;
    }
    assert_eq!(count, 2);
    let rest = file.rest();
    let left: Vec<&str> = names(&rest)
        .into_iter()
        .filter(|name| name.starts_with(".text.") || name.starts_with(".rel.text."))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn gtpin_data_and_symbols_belong_to_their_functions() {
    let folder = fixtures::folder().join("zebin");
    let bytes = std::fs::read(folder.join("recursion-gtpin.ptl-h.igc2.40.zebin")).unwrap();
    let mut file = File::open(&bytes);
    let kernel = file.kernel("k_parity");
    let parts = file.by_kernel(kernel.id);
    assert_eq!(
        names(&parts),
        [
            ".ze_info/kernels/[1]",
            ".text.k_parity",
            ".rel.text.k_parity",
            ".symtab/[4] _entry",
            ".symtab/[5] odd",
            ".symtab/[6] even",
            ".symtab/[7]",
            ".ze_info/kernels_misc_info/[1]",
            ".gtpin_info.k_parity",
        ]
    );
    let rest = file.rest();
    // A function that `.ze_info` does not list.
    assert!(names(&rest).contains(&".gtpin_info.odd"));
}

#[test]
fn functions_follow_the_kernels() {
    let mut file = File::open(&full_zebin::full().build().bytes);
    let top = file.by_kernel(NodeId::ROOT);
    assert_eq!(names(&top), ["k", "f", "rest of the file"]);
    assert_eq!(top[1].summary.as_deref(), Some("function · SIMD32"));
    let symbol = format!(".symtab/[{}]", full_zebin::FUNCTION);
    let parts = file.by_kernel(top[1].id);
    assert_eq!(names(&parts), [".ze_info/functions/[0]", symbol.as_str()]);
}

#[test]
fn sections_belong_to_the_first_of_equally_named_kernels() {
    let mut file = File::open(&zebin::zebin(&["k", "k"]).build().bytes);
    let counts: BTreeMap<u64, Option<u64>> = file
        .by_kernel(NodeId::ROOT)
        .iter()
        .map(|row| (row.index, row.count))
        .collect();
    assert_eq!(counts[&1], Some(1), "{counts:?}");
    assert!(counts[&0] > Some(2), "{counts:?}");
}

#[test]
fn a_file_without_kernels_has_no_such_order() {
    let folder = fixtures::folder().join("zebin");
    for name in [
        "nokernel.bmg.igc2.40.zebin",
        // An archive's zebins have kernels; the archive itself has none.
        "vecadd-fatpt.tgllp+dg2-g10.igc1.12504.zebin",
    ] {
        let mut file = File::open(&std::fs::read(folder.join(name)).unwrap());
        assert_eq!(file.opened.by_kernel, None, "{name}");
        for node in [NodeId::ROOT, RowId::Rest.id(), RowId::Kernel(0).id()] {
            let request = Request::Rows {
                order: TreeOrder::Kernels,
                node,
                start: 0,
                count: 1,
            };
            assert!(matches!(file.ask(request), Response::Failed { .. }));
        }
    }
}

#[test]
fn missing_rows_are_rejected() {
    let mut file = File::sample("vecadd.bmg.zebin");
    for id in [RowId::Kernel(7), RowId::Entry(NodeId(1 << 29))] {
        let request = Request::Rows {
            order: TreeOrder::Kernels,
            node: id.id(),
            start: 0,
            count: 9,
        };
        match file.ask(request) {
            Response::Rows { rows, .. } => assert!(rows.is_empty()),
            Response::Failed { .. } => {}
            other => panic!("{other:?}"),
        }
    }
}
