//! What the page knows of the kernels of a file, and how it changes: without a browser.

use std::rc::Rc;

use yew::AttrValue;

use super::pages::Pages;
use super::selection::Selection;
use crate::model::kernels::columns::{Column, ColumnKind};
use crate::model::kernels::query::Query;
use crate::model::kernels::{HazardKind, KernelDetail, KernelRow};
use crate::model::{NodeId, NodeKind, Span, Str};
use crate::worker::protocol::{KernelPage, KernelPlace};

/// The kernels of the document that is looked at.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct KernelTable {
    /// The opened file, or a document in it.
    pub document: NodeId,
    /// Which kernels, in which order.
    pub query: Query,
    /// The rows that the query finds.
    pub rows: Pages<KernelRow>,
    /// How many kernels there are.
    pub kernels: u64,
    /// How many functions there are.
    pub functions: u64,
    /// The largest numbers, by column.
    pub maxima: Vec<(Str, f64)>,
    /// The columns that are shown; nothing: the usual ones.
    pub columns: Option<Rc<[&'static str]>>,
    /// The kernel that is looked at.
    pub current: Option<KernelPlace>,
    /// That kernel in full, once it is here.
    pub detail: Option<Rc<KernelDetail>>,
    /// What is wrong with the filter.
    pub trouble: Option<AttrValue>,
    /// Why there is no table.
    pub failed: Option<AttrValue>,
}

/// A change of what is known.
pub enum KernelChange {
    /// Another document is looked at.
    Document(NodeId),
    /// Other kernels, or another order.
    Query(Query),
    /// A page has arrived, for this generation.
    Page(u32, Box<KernelPage>),
    /// There is no table, for this generation.
    Failed(u32, AttrValue),
    /// This kernel is looked at, if the document still is.
    Current(NodeId, Option<KernelPlace>),
    /// A kernel in full, if the document still is looked at.
    Detail(NodeId, Rc<KernelDetail>),
    /// Other columns.
    Columns(Option<Rc<[&'static str]>>),
}

impl KernelTable {
    /// Changes it.
    pub fn apply(&mut self, change: KernelChange) {
        let current = self.rows.generation;
        match change {
            KernelChange::Document(document) if document != self.document => {
                self.rows.reset();
                self.failed = None;
                self.document = document;
                self.current = None;
                self.detail = None;
            }
            KernelChange::Query(query) if query != self.query => {
                self.rows.renew();
                self.query = query;
                // Where it is now has to be asked.
                if let Some(current) = &mut self.current {
                    current.place = None;
                }
            }
            KernelChange::Page(of, page) if of == current => {
                self.kernels = page.kernels;
                self.functions = page.functions;
                self.maxima = page.maxima;
                self.trouble = page.trouble.map(AttrValue::from);
                self.failed = None;
                self.rows.put(page.start, page.rows, page.found);
            }
            KernelChange::Failed(of, why) if of == current => {
                self.rows.fail();
                self.failed = Some(why);
            }
            KernelChange::Current(document, current) if document == self.document => {
                let index = |place: &Option<KernelPlace>| place.map(|place| place.index);
                if index(&current) != index(&self.current) {
                    self.detail = None;
                }
                self.current = current;
            }
            KernelChange::Detail(document, detail)
                if document == self.document
                    && self.current.map(|current| current.index) == Some(detail.row.index) =>
            {
                self.detail = Some(detail);
            }
            KernelChange::Columns(columns) => self.columns = columns,
            _ => {}
        }
    }

    /// The columns that are shown.
    pub fn shown(&self) -> Vec<&'static Column> {
        match &self.columns {
            Some(names) => names.iter().filter_map(|id| Column::named(id)).collect(),
            None => Column::usual().collect(),
        }
    }

    /// The columns with one more, or one less; the names always stay. In the order of all
    /// columns.
    pub fn toggled(&self, id: &str) -> Rc<[&'static str]> {
        let shown = self.shown();
        let all = crate::model::kernels::columns::COLUMNS.iter();
        all.filter(|column| {
            let is_shown = shown.iter().any(|other| other.id == column.id);
            column.id == "name" || is_shown != (column.id == id)
        })
        .map(|column| column.id)
        .collect()
    }

    /// The query after a press on a column's header: numbers first with the largest on top,
    /// then the other way round, then in the order of the file.
    pub fn sorted_by(&self, column: &Column) -> Query {
        let first_descending = column.kind != ColumnKind::Text;
        let is_sorted = self.query.sort.as_deref() == Some(column.id);
        let descending = self.query.descending;
        let (sort, descending) = match (is_sorted, descending == first_descending) {
            (false, _) => (Some(column.id.into()), first_descending),
            (true, true) => (Some(column.id.into()), !first_descending),
            (true, false) => (None, false),
        };
        Query {
            sort,
            descending,
            ..self.query.clone()
        }
    }

    /// The largest number of a column.
    pub fn maximum(&self, id: &str) -> f64 {
        let found = self.maxima.iter().find(|(name, _)| name == id);
        found.map_or(0.0, |(_, largest)| *largest)
    }
}

/// The innermost document that the selection is in.
pub fn document_of(selection: &Selection) -> NodeId {
    let mut rows = selection.way.iter().rev();
    let document = rows.find(|row| row.kind == NodeKind::File);
    document.map_or(NodeId::ROOT, |row| row.id)
}

/// The bytes that a cell was read from; nothing for what is computed, or a default.
pub fn cell_span(row: &KernelRow, id: &str) -> Option<Span> {
    match id {
        "name" | "demangled" => row.name.span,
        "simd_size" => row.simd_size.span,
        "grf_count" => row.grf_count.span,
        "eu_thread_count" => row.eu_thread_count.span,
        "spill_size" | "spill_dwords_per_lane" => row.spill_size.span,
        "private_size" => row.private_size.span,
        "slm_size" => row.slm_size.span,
        "barrier_count" => row.barrier_count.span,
        "required_sub_group_size" => row.required_sub_group_size.span,
        "required_work_group_size" => row.required_work_group_size.span,
        "inline_data_payload_size" => row.inline_data_payload_size.span,
        "indirect_stateless_count" => row.indirect_stateless_count.span,
        "code_size" => row.code_size.and_then(|size| size.span),
        key => {
            let flag = row.flags.iter().find(|flag| flag.key == key);
            flag.map(|flag| flag.span)
        }
    }
}

/// Is the cell a default, that no byte of the file says?
pub fn is_default(row: &KernelRow, id: &str) -> bool {
    const GIVEN: [&str; 10] = [
        "simd_size",
        "grf_count",
        "eu_thread_count",
        "spill_size",
        "private_size",
        "slm_size",
        "barrier_count",
        "required_sub_group_size",
        "required_work_group_size",
        "inline_data_payload_size",
    ];
    let id = if id == "spill_dwords_per_lane" {
        "spill_size"
    } else {
        id
    };
    GIVEN.contains(&id) && cell_span(row, id).is_none()
}

/// The column that a hazard is marked in.
pub fn hazard_column(kind: HazardKind) -> &'static str {
    match kind {
        HazardKind::LargeGrf => "grf_count",
        HazardKind::Private => "private_size",
        HazardKind::Spills | HazardKind::HeavySpills => "spill_size",
        HazardKind::LargeSlm => "slm_size",
    }
}

#[cfg(test)]
#[path = "kernel_table_tests.rs"]
mod tests;
