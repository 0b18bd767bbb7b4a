//! Answers to requests for everything that the page shows of a selection.

use super::list::Lists;
use super::order::ByKernel;
use super::rows::{ancestry, detail, field_of, lineage, part_bits, shorten};
use crate::kernel_names::{self, Build, KernelQuery, Reason};
use crate::model::{Document, NodeId};
use crate::tables::Scope;
use crate::worker::protocol::tree_order::TreeOrder;
use crate::worker::protocol::{Follow, PREVIEW, Response, Selected, SelectionTarget};

/// Returns the only build of a kernel.
fn build(document: &mut Document, query: &KernelQuery) -> Result<Build, String> {
    let found = kernel_names::one(document, query);
    found.map_err(|error| match error.reason {
        Reason::Several(_) => format!("{error}\nThe link needs a target, image or file."),
        _ => error.to_string(),
    })
}

/// Returns the entry of a kernel, or the node at the first of the paths below it that exists.
fn kernel_entry(
    document: &mut Document,
    query: &KernelQuery,
    paths: &[String],
) -> Result<NodeId, String> {
    let build = build(document, query)?;
    let kernels = document.kernels(build.document);
    let rows = kernels.map(|kernels| kernels.rows(&document.sources));
    let mut rows = rows.iter().flat_map(|rows| rows.iter());
    let row = rows.find(|row| row.name.value == build.name);
    let entry = row.map(|row| row.entry);
    let Some(span) = entry.or(build.code) else {
        return Ok(build.document);
    };
    let ids = document.nodes_for(span);
    let node = ids.last().copied().unwrap_or(build.document);
    let path = document.path(node);
    let mut within = paths.iter().map(|below| format!("{path}/{below}"));
    let found = within.find_map(|path| document.find(&path).ok());
    Ok(found.unwrap_or(node))
}

/// Selects a position, and returns what the page shows of it.
///
/// # Errors
///
/// If there is no such position, as a message.
pub(crate) fn select(
    document: &mut Document,
    (lists, by_kernel): (&mut Lists, &mut ByKernel),
    (order, place): (TreeOrder, &SelectionTarget),
    follow: Option<&Follow>,
) -> Result<Response, String> {
    let mut selected = None;
    let mut marked = None;
    let ids = match place {
        SelectionTarget::Node(id) => {
            let node = match order {
                TreeOrder::File => Some(*id),
                TreeOrder::Kernels => by_kernel.node_of(document, *id),
            };
            lineage(document, node.ok_or("No such node in the tree.")?)
        }
        SelectionTarget::Byte(source, offset) => document.nodes_at(*source, *offset),
        SelectionTarget::Span(span) => {
            let ids = document.nodes_for(*span);
            let node = ids.last().and_then(|id| document.node(*id)?.span);
            if span.is_empty() && node != Some(*span) {
                document.nodes_at(span.source, span.start)
            } else {
                selected = Some(*span);
                ids
            }
        }
        SelectionTarget::Around { span, within } => {
            let ids = document.nodes_for(*span);
            let node = ids.last().and_then(|id| document.node(*id)?.span);
            selected = Some(*span).filter(|_| node.is_none_or(|node| node.contains(*within)));
            ids
        }
        SelectionTarget::Part { span, at, encoding } => {
            let mut ids = document.nodes_for(*span);
            let word = ids.last().copied();
            marked =
                word.and_then(|word| part_bits(document, word, *span, *at, encoding.as_deref()));
            let field = word.zip(marked);
            let field = field.and_then(|(word, bits)| field_of(document, word, bits));
            ids.extend(field);
            ids
        }
        SelectionTarget::Path(path) => {
            let id = document.find(path).map_err(|error| error.to_string())?;
            lineage(document, id)
        }
        SelectionTarget::Kernel { query, paths } => {
            let id = kernel_entry(document, query, paths)?;
            lineage(document, id)
        }
        SelectionTarget::Instruction { query, offset } => {
            let build = build(document, query)?;
            let code = build.code.ok_or("The kernel has no native code.")?;
            document.nodes_at(code.source, code.start.saturating_add(*offset))
        }
        SelectionTarget::Row(at) | SelectionTarget::ListRow(at) => {
            let is_of_list = matches!(place, SelectionTarget::ListRow(_));
            let entry = follow.and_then(|follow| lists.entry(document, follow, *at, is_of_list));
            let entry = entry.ok_or("No such row in the list.")?;
            document.nodes_for(entry)
        }
    };
    let node = *ids.last().ok_or("No such node in the tree.")?;
    let mut detail = detail(document, node).ok_or("No such node in the tree.")?;
    detail.bits = marked.or(detail.bits);
    let selected = selected.or_else(|| document.node(node)?.span);
    let list = follow.and_then(|follow| {
        let whole = document.node(node)?;
        // A line starts with the bytes that introduce its value.
        let span = match follow.list.declaration().scope {
            Scope::Text if selected == whole.span => whole.extent(),
            _ => selected,
        };
        lists.at(document, node, span, follow)
    });
    let preview =
        selected.and_then(|span| document.sources.read_clamped(span.subspan(0, PREVIEW)).ok());
    let mut ancestry = ancestry(document, &ids);
    let mut in_kernels = match order {
        TreeOrder::File => None,
        TreeOrder::Kernels => by_kernel.path_to(document, &ids),
    };
    let shown = ancestry.iter_mut().chain(in_kernels.iter_mut().flatten());
    shorten(document, node, shown);
    Ok(Response::Selected(Box::new(Selected {
        by_kernel: in_kernels,
        ancestry,
        detail,
        preview: preview.map_or_else(Vec::new, |bytes| bytes.to_vec()),
        list: list.map(Box::new),
    })))
}
