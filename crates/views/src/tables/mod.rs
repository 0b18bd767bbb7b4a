//! Tables: kernels, also grouped or by device, instructions, relocations, symbols, modules,
//! properties, images, files, devices, the lines of a text, source lines, differences between files,
//! changes of a profile.
//!
//! All of them share one interface: rows and columns, a [`query`](mod@query) that filters and sorts
//! them, pages, the row of given bytes, and output with [`write`](mod@write) (CSV, Markdown, JSON).
//! A list is one module with its columns, its [`Declaration`], and an implementation of [`List`]; and
//! one line in the registry ([`ListId`]). [`list`] reads it.

mod cell;
mod change;
mod code_columns;
mod column;
mod declaration;
mod id;
mod list;

pub mod changes;

pub mod devices;

pub mod differences;

pub mod files;

pub mod found;

pub mod gate;

pub mod images;

pub mod instructions;

pub mod kernels;

pub mod lines;

pub mod matrix;

pub mod module_lines;
pub mod modules;

pub mod profile_changes;

pub mod properties;

pub mod query;

pub mod relocations;

pub mod sizes;

pub mod source_lines;

pub mod symbols;

pub mod json;

pub mod table;
mod text_width;

pub mod write;

pub mod writer;
pub use self::cell::{BYTES_SHOWN, Cell, CellValue, Key, WORDS_SHOWN, several};
use self::column::columns;
pub use self::column::{Column, ColumnKind, Presence};
pub use self::declaration::{
    Button, Contents, Declaration, Details, Drawing, Fit, Opens, ReadingKind, Scope, Shape, Tab,
    Toggle, Words,
};
pub use self::id::ListId;
pub use self::kernels::metrics::add_metric_columns;
use self::list::left_out;
pub use self::list::{
    CodeList, CodeRow, CodeWord, Detail, InstructionDetail, KernelRows, List, Match,
    RelatedInstruction, Relation, Row, RowDetails, Secondary,
};
use self::query::Query;
use std::rc::Rc;
pub use zeview_core::analysis::assembly::Annotation;
use zeview_core::model::suggest::unknown_among;
use zeview_core::model::{Document, NodeId, Span};

impl ListId {
    /// Returns the column with an id.
    ///
    /// # Errors
    ///
    /// A message with a suggestion, if there is none.
    pub fn column_called(self, id: &str) -> Result<&'static Column, String> {
        let columns = self.columns();
        let id = id.trim();
        let found = columns.iter().find(|column| column.id == id);
        found.ok_or_else(|| unknown_among("column", id, columns.iter().map(|column| column.id)))
    }
}

/// Whether a document has such a list itself.
pub fn has_list(document: &Document, id: NodeId, list: ListId) -> bool {
    list.is_in(document, id)
}

/// Returns the innermost document around a node (or the node itself) that has such a list.
pub fn document_of(document: &Document, node: NodeId, list: ListId) -> Option<NodeId> {
    let parent = |id: &NodeId| document.node(*id)?.parent;
    let mut around = std::iter::successors(Some(node), parent);
    around.find(|id| {
        let holds_kernels =
            || kernels::are_within(document, *id) || has_list(document, *id, ListId::Files);
        let is_of_images = matches!(list, ListId::Kernels | ListId::Found);
        has_list(document, *id, list) || is_of_images && holds_kernels()
    })
}

/// Returns the documents that have such a list themselves: the opened file or, if it has none, the
/// outermost nested ones.
pub fn documents_with(document: &mut Document, list: ListId) -> Vec<NodeId> {
    document.open_all();
    if has_list(document, NodeId::ROOT, list) {
        return vec![NodeId::ROOT];
    }
    let mut found = Vec::new();
    let mut last = Span::default();
    let spans: Vec<Span> = document.documents().map(|inner| inner.span).collect();
    for span in spans {
        if last.contains(span) {
            continue;
        }
        let mut ids = document.documents_at(span).into_iter();
        if let Some(id) = ids.find(|id| has_list(document, *id, list)) {
            found.push(id);
            last = span;
        }
    }
    found
}

/// Returns the documents that have such a list themselves: the opened file, and nested ones at any depth.
pub fn all_documents_with(document: &mut Document, list: ListId) -> Vec<NodeId> {
    document.open_all();
    let whole = document.root().span;
    let mut found = Vec::new();
    if has_list(document, NodeId::ROOT, list) {
        found.push(NodeId::ROOT);
    }
    let spans: Vec<Span> = document.documents().map(|inner| inner.span).collect();
    for span in spans {
        if Some(span) == whole {
            continue;
        }
        if let Some(id) = document.document_at(span)
            && has_list(document, id, list)
            && !found.contains(&id)
        {
            found.push(id);
        }
    }
    found
}

/// Returns a list of a document: of the opened file (its root), or of one that is nested in it.
/// `of` is the extent of the text, or of the owner of properties. Returns `None` if there is no
/// such list.
pub fn list(
    document: &mut Document,
    id: NodeId,
    list: ListId,
    of: Option<Span>,
) -> Option<Rc<dyn List>> {
    let query = Query {
        of,
        ..Query::default()
    };
    list_for(document, id, list, &query)
}

/// Returns the list for a query, ignoring its filter and order: for its extent, device and row.
pub fn list_for(
    document: &mut Document,
    id: NodeId,
    list: ListId,
    query: &Query,
) -> Option<Rc<dyn List>> {
    list.read(document, id, query)
}
