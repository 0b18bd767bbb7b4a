//! Rows of the tree, and the details of one row.

use crate::tables;
use crate::tables::kernels;
use std::ops::Range;
use std::rc::Rc;

use crate::analysis::kernels::SECTION_PREFIXES;
use crate::analysis::naming::ShortNames;
use crate::model::{Bits, Content, Document, Node, NodeId, NodeKind, Span, Str};
use crate::tables::{ListId, RowDetails};
use crate::worker::protocol::{Detail, KnownRow, Row};

/// Maximum number of diagnostics in a node's detail.
const DETAIL_DIAGNOSTICS_MAX: usize = 50;
/// Maximum number of texts in one answer.
const TEXTS_MAX: usize = 2000;

/// Kernel names longer than this, in bytes, are shortened.
const LONG: usize = 48;

/// Shortens the names of rows that are named after kernels, as the lists of the file do.
pub(crate) fn shorten<'a>(
    document: &mut Document,
    around: NodeId,
    rows: impl IntoIterator<Item = &'a mut Row>,
) {
    let mut names = None;
    for row in rows {
        row.short = short_name(document, around, &row.name, &mut names);
    }
}

/// Returns a name with the kernel's short name in it. `names` caches the short names of the file.
pub(crate) fn short_name(
    document: &mut Document,
    around: NodeId,
    name: &str,
    names: &mut Option<Option<Rc<ShortNames>>>,
) -> Option<Str> {
    if name.len() <= LONG {
        return None;
    }
    let prefixes = SECTION_PREFIXES.iter();
    let prefix = prefixes.filter(|prefix| name.starts_with(**prefix));
    let prefix = prefix.max_by_key(|prefix| prefix.len()).unwrap_or(&"");
    let kernel = name.get(prefix.len()..)?;
    // SYCL names kernels after types.
    if !kernel.starts_with("_ZTS") {
        return None;
    }
    let names = names.get_or_insert_with(|| kernels::short_names(document, around));
    let short = names.as_ref()?.get(kernel)?;
    Some(format!("{prefix}{short}").into())
}

/// Returns a place in a section (its name and perhaps an offset) with the kernel's short name in it.
fn short_place(
    document: &mut Document,
    around: NodeId,
    text: &str,
    names: &mut Option<Option<Rc<ShortNames>>>,
) -> Option<Str> {
    let (name, offset) = text.split_at(text.find(" + ").unwrap_or(text.len()));
    let short = short_name(document, around, name, names)?;
    Some(format!("{short}{offset}").into())
}

/// Replaces the names of kernels in the details of a row by short ones, except in its title, whose
/// short form is returned.
pub(crate) fn shorten_details(
    document: &mut Document,
    around: NodeId,
    details: &mut RowDetails,
) -> Option<Str> {
    let mut names = None;
    let mut short = |text: &str| short_place(document, around, text, &mut names);
    for link in &mut details.links {
        if let Some(short) = short(&link.label) {
            link.label = short;
        }
    }
    short(&details.title)
}

/// Returns the rows of a node's children in the order of the file.
pub(crate) fn rows(document: &mut Document, parent: NodeId, range: Range<u64>) -> Vec<Row> {
    let ids = document.children(parent, range);
    rows_of(document, &ids)
}

/// Returns whether a node is a module with a text.
fn is_module(document: &Document, node: &Node) -> bool {
    matches!(node.kind, NodeKind::File | NodeKind::Record)
        && document.interfaces_of(node).text.is_some()
}

/// Returns the readable texts among the children of a node, and the modules: the node itself, or
/// children.
pub(crate) fn texts(document: &mut Document, parent: NodeId) -> Vec<Row> {
    let is_text =
        |node: &Node| node.kind == NodeKind::Text && node.span.is_some_and(|span| !span.is_empty());
    let mut ids = document.children_that(parent, is_text, TEXTS_MAX);
    let modules = document.module_texts(parent).into_iter();
    ids.extend(modules.map(|(node, _)| node).take(TEXTS_MAX));
    rows_of(document, &ids)
}

fn rows_of(document: &Document, ids: &[NodeId]) -> Vec<Row> {
    let row = |id: &NodeId| Some(row(document, *id, document.node(*id)?));
    ids.iter().filter_map(row).collect()
}

/// Returns the rows of these nodes with their counts. Omits the root, unless it is the only one.
pub(crate) fn ancestry(document: &Document, ids: &[NodeId]) -> Vec<Row> {
    let shown = match ids {
        [_root, rest @ ..] if !rest.is_empty() => rest,
        ids => ids,
    };
    let counted = |id: &NodeId| {
        let node = document.node(*id)?;
        let count = Some(document.count(node));
        let row = row(document, *id, node);
        Some(Row { count, ..row })
    };
    shown.iter().filter_map(counted).collect()
}

/// Returns the bits behind a position in the text of an instruction.
pub(crate) fn part_bits(
    document: &Document,
    word: NodeId,
    span: Span,
    at: u32,
    encoding: Option<&str>,
) -> Option<Bits> {
    let around = tables::document_of(document, word, ListId::Instructions)?;
    let code = document.code_of(around, span)?;
    let listing = document.listing(around, Some(code), encoding)?;
    let row = listing.row_at(span.start, &document.sources)?;
    let parts = listing.parts(row, &document.sources);
    let part = parts.iter().rfind(|part| part.at <= at)?;
    (part.bits.count() > 0).then_some(part.bits)
}

/// Returns the field below a word that shares the most bits with `bits`.
pub(crate) fn field_of(document: &mut Document, word: NodeId, bits: Bits) -> Option<NodeId> {
    let node = document.node(word)?;
    let count = match node.kind {
        NodeKind::Instruction => document.count(&node.clone()),
        _ => 0,
    };
    let fields = document.children(word, 0..count).into_iter();
    let shared = |id: &NodeId| {
        let own = document.node(*id).and_then(|field| field.bits);
        own.map_or(0, |own| own.and(bits).count())
    };
    // The first of equals.
    let widest = fields.rev().max_by_key(shared)?;
    (shared(&widest) > 0).then_some(widest)
}

/// Returns the nodes from the root down to `id`.
pub(crate) fn lineage(document: &Document, id: NodeId) -> Vec<NodeId> {
    let parent = |id: &NodeId| document.node(*id)?.parent;
    let mut ids: Vec<NodeId> = std::iter::successors(Some(id), parent).collect();
    ids.reverse();
    ids
}

/// Returns the row of a node in the order of the file.
pub(crate) fn row(document: &Document, id: NodeId, node: &Node) -> Row {
    Row {
        id,
        parent: node.parent,
        index: node.index,
        name: node.name.clone(),
        short: None,
        indexed: node.indexed,
        kind: node.kind,
        is_module: is_module(document, node),
        area: node.area,
        value: node.value.clone(),
        summary: node.summary.clone(),
        is_default: node.is_default(),
        span: node.span,
        head: node.head,
        bits: node.bits,
        count: match node.content {
            Content::Leaf => Some(0),
            Content::Lazy { count, .. } => count,
            // Counting would open the document.
            Content::Deferred { .. } => None,
        },
        severity: document.severity(node),
    }
}

pub(crate) fn detail(document: &mut Document, id: NodeId) -> Option<Detail> {
    let path = document.path(id);
    let mut xrefs = document.node(id)?.xrefs.clone();
    let mut names = None;
    for xref in &mut xrefs {
        if let Some(short) = short_place(document, id, &xref.label, &mut names) {
            xref.label = short;
        }
    }
    let node = document.node(id)?;
    let doc = node.doc;
    let known = doc.map_or(&[][..], |doc| doc.known);
    Some(Detail {
        node: id,
        bits: node.bits,
        path,
        doc: doc.map(|doc| doc.text.to_owned()),
        doc_source: doc.map(|doc| doc.source.to_owned()),
        known: known
            .iter()
            .map(|known| KnownRow {
                raw: known.raw,
                name: known.name.into(),
                doc: known.doc.into(),
            })
            .collect(),
        xrefs,
        diagnostics: diagnostics_in(document, node),
    })
}

/// Returns the indexes of the document's diagnostics about bytes of the node.
fn diagnostics_in(document: &Document, node: &Node) -> Vec<u32> {
    let Some(extent) = node.extent() else {
        return Vec::new();
    };
    let place = (extent.source, extent.start);
    let first = document.diagnostics.partition_point(|diagnostic| {
        let span = diagnostic.primary.span;
        (span.source, span.start) < place
    });
    let from_first = document.diagnostics.iter().enumerate().skip(first);
    from_first
        .take_while(|(_, diagnostic)| {
            let span = diagnostic.primary.span;
            span.source == extent.source && span.start <= extent.end
        })
        .filter(|(_, diagnostic)| extent.contains(diagnostic.primary.span))
        .take(DETAIL_DIAGNOSTICS_MAX)
        .filter_map(|(index, _)| u32::try_from(index).ok())
        .collect()
}
