//! Tables: kernels, instructions, relocations, symbols, modules, properties, images, files,
//! devices, the lines of a text, source lines, differences between files.
//!
//! All of them share one interface: rows and columns, a [`query`](mod@query) that filters and sorts
//! them, pages, the row of given bytes, and output with [`write`](mod@write) (CSV, Markdown, JSON).
//! A new table is an implementation of [`List`] with its columns; [`Document::list`] finds it.

use crate::diff::Comparing;
use crate::tables::changes::ChangeLists;
use crate::tables::devices::DeviceLists;
use crate::tables::differences::DifferenceLists;
use crate::tables::files::FileLists;
use crate::tables::images::ImageLists;
use crate::tables::instructions::InstructionLists;
use crate::tables::kernels::MatrixList;
use crate::tables::kernels::reading::KernelParts;
use crate::tables::profile_changes::ComparingProfiles;
use crate::tables::profile_changes::ProfileChangeLists;
mod cell;
mod change;
mod code_columns;
mod column;
mod id;
mod list;

pub mod changes;

pub mod devices;

pub mod differences;

pub mod files;

pub mod gate;

pub mod images;

pub mod instructions;

pub mod kernels;

pub mod lines;

pub mod matrix;

pub mod modules;

pub mod profile_changes;

pub mod properties;

pub mod query;

pub mod relocations;

pub mod source_lines;

pub mod symbols;

pub mod json;

pub mod table;

pub mod write;

pub mod writer;
pub use self::cell::{BYTES_SHOWN, Cell, CellValue, Key, WORDS_SHOWN, several};
use self::column::columns;
pub use self::column::{Column, ColumnKind, Presence};
pub use self::id::ListId;
use self::kernels::KernelGroups;
pub use self::kernels::metrics::add_metric_columns;
use self::list::left_out;
pub use self::list::{
    Detail, InstructionDetail, List, Match, RelatedInstruction, Relation, Row, RowDetails,
    Secondary,
};
use self::query::{GroupBy, Query};
use std::rc::Rc;
pub use zeview_core::analysis::assembly::Annotation;
use zeview_core::model::suggest::{nearest, unknown_name};
use zeview_core::model::{Document, NodeId, NodeKind, Span};

impl ListId {
    /// Returns its columns, in the order of the table.
    pub fn columns(self) -> &'static [Column] {
        match self {
            ListId::Kernels => kernels::metrics::columns(),
            ListId::Relocations => relocations::COLUMNS,
            ListId::Symbols => symbols::COLUMNS,
            ListId::Modules => modules::COLUMNS,
            ListId::Properties => properties::COLUMNS,
            ListId::Images => images::COLUMNS,
            ListId::Files => files::COLUMNS,
            ListId::Matrix => matrix::COLUMNS,
            ListId::Devices => devices::COLUMNS,
            ListId::Lines => lines::COLUMNS,
            ListId::SourceLines => source_lines::COLUMNS,
            ListId::Instructions => instructions::COLUMNS,
            ListId::Differences => differences::COLUMNS,
            ListId::Changes => changes::COLUMNS,
            ListId::ProfileChanges => profile_changes::COLUMNS,
        }
    }

    /// Returns the columns that are visible by default in the list of a single document.
    pub fn default_columns(self) -> impl Iterator<Item = &'static Column> {
        let columns = self.columns().iter();
        columns.filter(|column| column.presence == Presence::Default)
    }

    /// Returns its plural name, for URLs, file names and elements: `kernels`.
    pub fn name(self) -> &'static str {
        match self {
            ListId::Kernels => "kernels",
            ListId::Relocations => "relocations",
            ListId::Symbols => "symbols",
            ListId::Modules => "modules",
            ListId::Properties => "properties",
            ListId::Images => "images",
            ListId::Files => "files",
            ListId::Matrix => "matrix",
            ListId::Devices => "devices",
            ListId::Lines => "lines",
            ListId::SourceLines => "source-lines",
            ListId::Instructions => "instructions",
            ListId::Differences => "differences",
            ListId::Changes => "changes",
            ListId::ProfileChanges => "profile-changes",
        }
    }

    /// Returns the column with an id.
    ///
    /// # Errors
    ///
    /// A message with a suggestion, if there is none.
    pub fn column_called(self, id: &str) -> Result<&'static Column, String> {
        let columns = self.columns();
        let id = id.trim();
        let found = columns.iter().find(|column| column.id == id);
        found.ok_or_else(|| {
            let near = nearest(id, columns.iter().map(|column| column.id));
            unknown_name("column", id, near.as_slice())
        })
    }

    /// Returns the list with a [name](ListId::name).
    pub fn named(name: &str) -> Option<ListId> {
        ListId::ALL.into_iter().find(|list| list.name() == name)
    }
}

/// The lists of a document.
pub trait DocumentLists {
    /// Groups kernels if they are those of several images.
    fn grouped(&self, list: Rc<dyn List>, by: Option<GroupBy>) -> Rc<dyn List>;

    /// Returns the innermost document around a node (or the node itself) that has such a list.
    fn document_of(&self, node: NodeId, list: ListId) -> Option<NodeId>;

    /// Returns the documents that have such a list themselves: the opened file or, if it has none,
    /// the outermost nested ones.
    fn documents_with(&mut self, list: ListId) -> Vec<NodeId>;

    /// Whether a document has such a list itself.
    fn has_list(&self, id: NodeId, list: ListId) -> bool;

    /// Returns a list of a document: of the opened file (its root), or of one that is nested in it.
    /// `of` is the extent of the text, or of the owner of properties. Returns `None` if there is no
    /// such list.
    fn list(&mut self, document: NodeId, list: ListId, of: Option<Span>) -> Option<Rc<dyn List>>;

    /// Returns the list for a query, ignoring its filter and order: for its extent, device and row.
    fn list_for(&mut self, document: NodeId, list: ListId, query: &Query) -> Option<Rc<dyn List>>;
}

impl DocumentLists for Document {
    fn grouped(&self, list: Rc<dyn List>, by: Option<GroupBy>) -> Rc<dyn List> {
        match by.filter(|_| list.is_of_several()) {
            Some(by) => Rc::new(KernelGroups::new(list, by, &self.sources)),
            None => list,
        }
    }

    fn document_of(&self, node: NodeId, list: ListId) -> Option<NodeId> {
        let parent = |id: &NodeId| self.node(*id)?.parent;
        let mut around = std::iter::successors(Some(node), parent);
        around.find(|id| match list {
            ListId::Kernels => {
                self.has_list(*id, list)
                    || self.has_kernels(*id)
                    || self.has_list(*id, ListId::Files)
            }
            _ => self.has_list(*id, list),
        })
    }

    fn documents_with(&mut self, list: ListId) -> Vec<NodeId> {
        self.open_all();
        let has = |document: &Document, id| document.has_list(id, list);
        if has(self, NodeId::ROOT) {
            return vec![NodeId::ROOT];
        }
        let mut found = Vec::new();
        let mut last = Span::default();
        let spans: Vec<Span> = self.documents().map(|inner| inner.span).collect();
        for span in spans {
            if last.contains(span) {
                continue;
            }
            let mut ids = self.documents_at(span).into_iter();
            if let Some(id) = ids.find(|id| has(self, *id)) {
                found.push(id);
                last = span;
            }
        }
        found
    }

    fn has_list(&self, id: NodeId, list: ListId) -> bool {
        match list {
            ListId::Kernels => self.kernels(id).is_some(),
            ListId::Relocations | ListId::Symbols => self.linkage(id).is_some(),
            ListId::Modules | ListId::Properties => self.modules(id).is_some(),
            ListId::Images => self.has_images(id) || self.package_files(id).is_some(),
            ListId::Files => self.package_files(id).is_some(),
            ListId::Matrix => {
                self.kernels(id).is_none()
                    && (self.package_files(id).is_some() || self.has_kernels(id))
            }
            ListId::Devices => self.is_loadable(id) || self.has_images(id) || self.is_spirv(id),
            ListId::Lines => self
                .node(id)
                .is_some_and(|node| node.kind == NodeKind::File),
            ListId::SourceLines => self.source_lines(id).is_some(),
            ListId::Instructions => self.assembly(id).is_some(),
            ListId::Differences | ListId::Changes => {
                id == NodeId::ROOT && self.comparison().is_some()
            }
            ListId::ProfileChanges => id == NodeId::ROOT && self.has_earlier_profile(),
        }
    }

    fn list(&mut self, document: NodeId, list: ListId, of: Option<Span>) -> Option<Rc<dyn List>> {
        let query = Query {
            of,
            ..Query::default()
        };
        self.list_for(document, list, &query)
    }

    fn list_for(&mut self, document: NodeId, list: ListId, query: &Query) -> Option<Rc<dyn List>> {
        let (of, device) = (query.of, query.device.as_deref());
        let release = query.release.as_deref();
        match list {
            ListId::Differences => return self.difference_list(),
            ListId::Changes => return self.change_list(query.row?, query.all),
            ListId::ProfileChanges => return self.profile_change_list(),
            ListId::Kernels => {
                let list = self.kernel_list(document)?;
                return Some(self.grouped(list, query.by));
            }
            ListId::Images => return self.image_list(document, device, release),
            ListId::Files => return self.file_list(document),
            ListId::Matrix => return self.matrix_list(document),
            ListId::Devices => return self.device_list(document, release),
            ListId::Instructions => return self.instruction_list(document, of, device),
            _ => {}
        }
        let sources = &self.sources;
        Some(match list {
            ListId::Kernels
            | ListId::Images
            | ListId::Files
            | ListId::Matrix
            | ListId::Devices
            | ListId::Instructions
            | ListId::Differences
            | ListId::Changes
            | ListId::ProfileChanges => return None,
            ListId::Relocations => relocations::list(self.linkage(document)?.tables(sources)),
            ListId::Symbols => symbols::list(self.linkage(document)?.tables(sources)),
            ListId::Modules => modules::list(self.modules(document)?, sources),
            ListId::Properties => properties::list(&*self.modules(document)?, of, sources),
            ListId::Lines => lines::list(of?, sources),
            ListId::SourceLines => {
                let lines = self.source_lines(document)?;
                let texts = self.source_texts();
                Rc::new(source_lines::list(
                    lines,
                    texts,
                    self.assembly(document),
                    sources,
                ))
            }
        })
    }
}
