//! Search in the code of kernels, in steps.

use std::rc::Rc;

use super::list::{Lists, QueriedList};
use super::reading::RENEWAL;
use crate::analysis::survey::Progress;
use crate::model::{Document, NodeId};
use crate::tables::found::{self, ROWS_MAX};
use crate::tables::kernels::reading::KernelReading;
use crate::tables::kernels::search::{CodeSearch, SearchOptions};
use crate::tables::query::{CodeQuery, Query};
use crate::tables::{self, List, ListId};

/// Minimum time of a step of a search, in milliseconds: other requests wait for it.
const STEP: f64 = 50.0;

/// A search that is partly done.
pub(super) struct Searching {
    document: NodeId,
    query: Query,
    search: CodeSearch,
    /// Whether more was found than the list has.
    is_stale: bool,
    /// The time in milliseconds at which the list was made, and the time that took.
    made: f64,
    cost: f64,
}

impl Lists {
    /// Returns the kernels that are read for a document.
    fn kernels_of(&mut self, id: NodeId) -> Option<&mut KernelReading> {
        let reading = self.reading.as_mut().filter(|of| of.document == id)?;
        Some(&mut reading.kernels)
    }

    /// Returns the search for a query; a new one if it is another.
    fn searching(
        &mut self,
        document: &mut Document,
        id: NodeId,
        query: &Query,
    ) -> Result<&mut Searching, String> {
        let is_same = |known: &Searching| {
            known.document == id
                && known.query.filter == query.filter
                && known.query.options == query.options
        };
        let searching = match self.searching.take().filter(is_same) {
            Some(known) => known,
            None => {
                let parsed = Rc::new(CodeQuery::parse(&query.filter)?);
                let options = SearchOptions {
                    each: query.find().each,
                    rows_max: ROWS_MAX,
                    ..SearchOptions::default()
                };
                self.found.remove(&ListId::Found);
                Searching {
                    document: id,
                    query: query.clone(),
                    search: CodeSearch::new(document, id, parsed, options),
                    is_stale: false,
                    made: 0.0,
                    cost: 0.0,
                }
            }
        };
        Ok(self.searching.insert(searching))
    }

    /// Searches the code of more kernels, or of all if `is_all`. Returns the progress; `None` if there is
    /// nothing to search. Malformed queries find nothing.
    pub(super) fn search_more(
        &mut self,
        document: &mut Document,
        node: NodeId,
        query: &Query,
        is_all: bool,
    ) -> Option<Progress> {
        if query.filter.trim().is_empty() {
            return None;
        }
        let id = tables::document_of(document, node, ListId::Found)?;
        self.searching(document, id, query).ok()?;
        let clock = self.clock;
        self.read_kernels_of(document, id, is_all);
        let started = clock();
        let mut searching = self.searching.take()?;
        let search = &mut searching.search;
        let before = search.totals();
        // At least one kernel, or a slow decoder would never come to an end.
        while search.step(document, self.kernels_of(id)) {
            if !is_all && clock() - started >= STEP {
                break;
            }
        }
        let progress = search.progress(self.kernels_of(id).map(|kernels| &*kernels));
        searching.is_stale |= search.totals() != before;
        let is_time = clock() - searching.made >= RENEWAL * searching.cost;
        if searching.is_stale && (is_time || progress.is_over()) {
            searching.is_stale = false;
            self.found.remove(&ListId::Found);
        }
        self.searching = Some(searching);
        Some(progress)
    }

    /// Returns the list of what was found so far, or an error about the query.
    pub(super) fn found_so_far(
        &mut self,
        document: &mut Document,
        id: NodeId,
        query: &Query,
    ) -> QueriedList {
        let clock = self.clock;
        let started = clock();
        let trouble = self.searching(document, id, query).err();
        let sources = &document.sources;
        let names = self
            .kernels_of(id)
            .and_then(|kernels| kernels.short_names(sources));
        let list: Rc<dyn List> = match &mut self.searching {
            Some(searching) if trouble.is_none() => {
                let list = found::list(&searching.search, names);
                searching.made = clock();
                searching.cost = searching.made - started;
                list
            }
            _ => found::none(query.find().each),
        };
        let made = QueriedList::new(id, list, query, document);
        match trouble {
            Some(trouble) => made.with_trouble(trouble),
            None => made,
        }
    }
}
