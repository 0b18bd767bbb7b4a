//! Rows of the tree by kernel.

use std::ops::Range;
use std::rc::Rc;

use super::rows::{row, rows};
use crate::analysis::kernel_order::{KernelOrder, KernelPart};
use crate::analysis::kernels::KernelRow;
use crate::decode::text::plural;
use crate::model::{Area, Document, NodeId, NodeKind, Str, Value};
use crate::worker::protocol::Row;
use crate::worker::protocol::tree_order::RowId;
use zeview_analysis::kernel_order;

/// Name of the row that contains everything that belongs to no kernel.
const REST: &str = "rest of the file";

/// The order of a file by kernel; built on first use.
#[derive(Default)]
pub(crate) struct ByKernel(Option<Rc<KernelOrder>>);

impl ByKernel {
    fn order(&mut self, document: &Document) -> Option<Rc<KernelOrder>> {
        if self.0.is_none() {
            self.0 = kernel_order::kernel_order(document).map(Rc::new);
        }
        self.0.clone()
    }

    /// Returns the number of children of the row `parent`, and the children in `range`. Returns
    /// `None` for a file without kernels, or if there is no such row.
    pub(crate) fn rows(
        &mut self,
        document: &mut Document,
        parent: NodeId,
        range: Range<u64>,
    ) -> Option<(u64, Vec<Row>)> {
        let order = self.order(document)?;
        let order = &*order;
        let within = |count: u64| range.start.min(count)..range.end.min(count);
        Some(match RowId::of(parent) {
            RowId::Node(NodeId::ROOT) => {
                let count = order.kernels().len() as u64 + 1;
                let rows = within(count).filter_map(|at| top_row(order, document, at));
                (count, rows.collect())
            }
            RowId::Kernel(kernel) => {
                let parts = order.parts(kernel.into());
                let count = parts.len() as u64;
                let rows = within(count).filter_map(|at| {
                    let part = *parts.get(usize::try_from(at).ok()?)?;
                    part_row(order, document, kernel, at, part)
                });
                (count, rows.collect())
            }
            RowId::Rest => {
                let count = order.rest().len() as u64;
                let rows = within(count).filter_map(|at| {
                    let part = *order.rest().get(usize::try_from(at).ok()?)?;
                    whole_row(document, part, parent, at)
                });
                (count, rows.collect())
            }
            RowId::Entry(id) => {
                let count = document.count(document.node(id)?);
                let rows = rows(document, id, range).into_iter();
                (count, rows.map(below_entry).collect())
            }
            RowId::Node(id) => {
                let count = document.count(document.node(id)?);
                (count, rows(document, id, range))
            }
        })
    }

    /// Returns the node to select for a row; for a kernel, its entry in `.ze_info`.
    pub(crate) fn node_of(&mut self, document: &mut Document, id: NodeId) -> Option<NodeId> {
        match RowId::of(id) {
            RowId::Node(id) | RowId::Entry(id) => Some(id),
            RowId::Rest => None,
            RowId::Kernel(kernel) => {
                let order = self.order(document)?;
                let row = order.kernels().get(usize::try_from(kernel).ok()?)?;
                document.nodes_for(row.entry).pop()
            }
        }
    }

    /// Returns the rows on the path to a node, each with its count, given the nodes from the root
    /// down to it in the order of the file. The root has no row.
    pub(crate) fn path_to(&mut self, document: &mut Document, ids: &[NodeId]) -> Option<Vec<Row>> {
        let order = self.order(document)?;
        let Some((top, below)) = ids.get(1..).and_then(<[NodeId]>::split_first) else {
            return Some(Vec::new());
        };
        let mut entry = None;
        for (at, id) in below.iter().enumerate() {
            let place = document.node(*id)?.span;
            let place = place.and_then(|span| order.position_of_entry(span));
            if let Some(place) = place {
                entry = Some((below.get(at..)?, place));
                break;
            }
        }
        let (rest, place) = match entry {
            Some((rest, place)) => (rest, place),
            None => (below, order.position_of(document.node(*top)?.index)?),
        };
        let first = place.kernel.unwrap_or(order.kernels().len() as u64);
        let mut path = vec![top_row(&order, document, first)?];
        if entry.is_some() {
            let kernel = u32::try_from(first).ok()?;
            let part = order.parts(first).get(usize::try_from(place.index).ok()?)?;
            path.push(part_row(&order, document, kernel, place.index, *part)?);
        } else {
            let parent = path.first()?.id;
            let part = document.node(*top)?.index;
            path.push(whole_row(document, part, parent, place.index)?);
        }
        let below = rest.iter().skip(usize::from(entry.is_some()));
        for id in below {
            let node = document.node(*id)?;
            let found = row(document, *id, node);
            path.push(match entry {
                Some(_) => below_entry(found),
                None => found,
            });
        }
        for row in &mut path {
            row.count = match RowId::of(row.id) {
                RowId::Node(id) | RowId::Entry(id) => Some(document.count(document.node(id)?)),
                RowId::Kernel(_) | RowId::Rest => row.count,
            };
        }
        Some(path)
    }
}

/// Returns the row of a kernel, or of the rest of the file.
fn top_row(order: &KernelOrder, document: &Document, index: u64) -> Option<Row> {
    let Some(kernel) = order.kernels().get(usize::try_from(index).ok()?) else {
        let count = order.rest().len() as u64;
        return Some(Row {
            name: REST.into(),
            kind: NodeKind::File,
            summary: Some(plural(count, "part").into()),
            ..virtual_row(RowId::Rest, index, count)
        });
    };
    let findings = document.diagnostics_in(kernel.entry);
    let place = u32::try_from(index).ok()?;
    Some(Row {
        name: kernel.name.value.clone().into(),
        area: Area::Code,
        summary: Some(summary(kernel)),
        severity: findings.map(|finding| finding.severity).max(),
        ..virtual_row(RowId::Kernel(place), index, order.parts(index).len() as u64)
    })
}

/// Returns a row without a node and without content.
fn virtual_row(row: RowId, index: u64, count: u64) -> Row {
    Row {
        id: row.id(),
        parent: Some(NodeId::ROOT),
        index,
        name: Str::default(),
        short: None,
        indexed: false,
        kind: NodeKind::Record,
        is_module: false,
        area: Area::Header,
        value: Value::None,
        summary: None,
        is_default: false,
        span: None,
        head: 0,
        bits: None,
        count: Some(count),
        severity: None,
    }
}

/// Summarizes a kernel: `SIMD16 · 1344 B of code · spills`.
fn summary(kernel: &KernelRow) -> Str {
    let mut words: Vec<String> = kernel
        .demangled
        .as_deref()
        .map(Into::into)
        .into_iter()
        .collect();
    if kernel.is_function {
        words.push("function".to_owned());
    }
    if kernel.simd_size.span.is_some() {
        words.push(format!("SIMD{}", kernel.simd_size.value));
    }
    if let Some(size) = kernel.code_size {
        words.push(format!("{} B of code", size.value));
    }
    words.extend(kernel.hazards.iter().map(|hazard| hazard.text.to_string()));
    words.join(" · ").into()
}

/// Returns the row of a part of a kernel.
fn part_row(
    order: &KernelOrder,
    document: &mut Document,
    kernel: u32,
    index: u64,
    part: KernelPart,
) -> Option<Row> {
    let parent = RowId::Kernel(kernel).id();
    let span = match part {
        KernelPart::Whole(part) => return whole_row(document, part, parent, index),
        KernelPart::Entry(span) => span,
    };
    let ids = document.nodes_for(span);
    let id = *ids.last()?;
    let found = row(document, id, document.node(id)?);
    let of = order.kernels().get(usize::try_from(kernel).ok()?)?;
    let place = place_name(document, &ids);
    Some(Row {
        id: RowId::Entry(id).id(),
        parent: Some(parent),
        index,
        indexed: false,
        name: if found.name == of.name.value {
            place.into()
        } else {
            format!("{place} {}", found.name).into()
        },
        ..found
    })
}

/// Returns the location of an entry: `.symtab/[3]`.
fn place_name(document: &Document, ids: &[NodeId]) -> String {
    let nodes = ids.iter().skip(1).filter_map(|id| document.node(*id));
    let names = nodes.map(|node| {
        if node.indexed {
            format!("[{}]", node.index)
        } else {
            node.name.to_string()
        }
    });
    names.collect::<Vec<_>>().join("/")
}

/// Returns the row of a part of the file, as a child of a kernel or of the rest.
fn whole_row(document: &mut Document, part: u64, parent: NodeId, index: u64) -> Option<Row> {
    let id = document
        .children(NodeId::ROOT, part..part.checked_add(1)?)
        .pop()?;
    let found = row(document, id, document.node(id)?);
    Some(Row {
        parent: Some(parent),
        index,
        ..found
    })
}

/// Gives a row below an entry the ids of such rows.
fn below_entry(row: Row) -> Row {
    Row {
        id: RowId::Entry(row.id).id(),
        parent: row.parent.map(|id| RowId::Entry(id).id()),
        ..row
    }
}
