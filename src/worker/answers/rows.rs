//! The rows of the tree, and what is known of one of them.

use std::ops::Range;
use std::rc::Rc;

use crate::analysis::kernels::SECTION_PREFIXES;
use crate::analysis::naming::ShortNames;
use crate::model::{Bits, Content, Document, Node, NodeId, NodeKind, Span, Str};
use crate::tables::ListId;
use crate::worker::protocol::{Detail, KnownRow, Row};

/// So many of a node's diagnostics are named in its detail.
const DETAIL_DIAGNOSTICS_MAX: usize = 50;
/// At most so many texts are offered.
const TEXTS_MAX: usize = 2000;

/// Longer names of kernels get short ones.
const LONG: usize = 48;

/// Gives rows named after kernels short names, as these have in the lists of the file.
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

/// A name with the short name of the kernel in it; `names` are those of the file, once they were
/// looked up.
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
    let names = names.get_or_insert_with(|| document.short_names(around));
    let short = names.as_ref()?.get(kernel)?;
    Some(format!("{prefix}{short}").into())
}

/// The rows of a node's children in the order of the file.
pub(crate) fn rows(document: &mut Document, parent: NodeId, range: Range<u64>) -> Vec<Row> {
    let ids = document.children(parent, range);
    rows_of(document, &ids)
}

/// The readable texts among the children of a node.
pub(crate) fn texts(document: &mut Document, parent: NodeId) -> Vec<Row> {
    let is_text =
        |node: &Node| node.kind == NodeKind::Text && node.span.is_some_and(|span| !span.is_empty());
    let ids = document.children_that(parent, is_text, TEXTS_MAX);
    rows_of(document, &ids)
}

fn rows_of(document: &Document, ids: &[NodeId]) -> Vec<Row> {
    let row = |id: &NodeId| Some(row(document, *id, document.node(*id)?));
    ids.iter().filter_map(row).collect()
}

/// The rows of these nodes with their counts: without the root, unless there is nothing else.
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

/// The bits of the part of an instruction's text that stands at a place of it.
pub(crate) fn part_bits(
    document: &Document,
    word: NodeId,
    span: Span,
    at: u32,
    encoding: Option<&str>,
) -> Option<Bits> {
    let around = document.document_of(word, ListId::Instructions)?;
    let code = document.code_of(around, span)?;
    let listing = document.listing(around, Some(code), encoding)?;
    let row = listing.row_at(span.start, &document.sources)?;
    let parts = listing.parts(row, &document.sources);
    let part = parts.iter().rfind(|part| part.at <= at)?;
    (part.bits.count() > 0).then_some(part.bits)
}

/// The field below a word that has the most of some bits.
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
    // Of equal ones the first.
    let widest = fields.rev().max_by_key(shared)?;
    (shared(&widest) > 0).then_some(widest)
}

/// The nodes from the root down to `id`.
pub(crate) fn lineage(document: &Document, id: NodeId) -> Vec<NodeId> {
    let parent = |id: &NodeId| document.node(*id)?.parent;
    let mut ids: Vec<NodeId> = std::iter::successors(Some(id), parent).collect();
    ids.reverse();
    ids
}

/// The row of a node in the order of the file.
pub(crate) fn row(document: &Document, id: NodeId, node: &Node) -> Row {
    Row {
        id,
        parent: node.parent,
        index: node.index,
        name: node.name.clone(),
        short: None,
        indexed: node.indexed,
        kind: node.kind,
        area: node.area,
        value: node.value.clone(),
        summary: node.summary.clone(),
        span: node.span,
        head: node.head,
        bits: node.bits,
        count: match node.content {
            Content::Leaf => Some(0),
            Content::Lazy { count, .. } => count,
            // To know it would be to open the document.
            Content::Late { .. } => None,
        },
        severity: document.severity(node),
    }
}

pub(crate) fn detail(document: &mut Document, id: NodeId) -> Option<Detail> {
    let path = document.path(id);
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
        xrefs: node.xrefs.clone(),
        diagnostics: diagnostics_in(document, node),
    })
}

/// Which of the document's diagnostics are about bytes of the node.
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
