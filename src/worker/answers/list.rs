//! Answers to requests about lists.

use crate::tables;
use crate::tables::kernels;
use crate::tables::kernels::{totals_by, worst_kernels};
use crate::tables::profile_changes;
use crate::tables::sizes;
use std::cell::{Cell, OnceCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use zeview_analysis::unread;

use super::code::same_code;
use super::export::EXPORT_MAX;
use super::find::Searching;
use super::images::code_document;
use super::reading::{Reading, Renewal, STEP_MAX, Sizing};
use super::rows::shorten_details;
use crate::analysis::figure::Unknown;
use crate::analysis::module_text::ModuleText;
use crate::analysis::modules::PropertyOwner;
use crate::analysis::package_reading::PackageReading;
use crate::analysis::survey::Progress;
use crate::decode::demangle::demangle_briefly;
use crate::model::{Document, NodeId, NodeKind, Sources, Span, Str};
use crate::tables::query::{Order, Query, QueryRun};
use crate::tables::write::Form;
use crate::tables::{
    CellValue, CodeList, Column, KernelRows, List, ListId, Presence, ReadingKind, Row, Scope,
    Shape, instructions, lines, module_lines, writer,
};
use crate::worker::protocol::{
    Follow, ListAt, ListPage, ListPlace, ListReading, ListRequest, ROWS_MAX, Response,
    SurveyReport, Totals, TotalsRow, WorstRow,
};

/// The last requested list of each kind with its order: scrolling neither rebuilds nor re-sorts it
/// for each page.
pub(crate) struct Lists {
    pub(super) found: BTreeMap<ListId, QueriedList>,
    pub(super) reading: Option<Reading>,
    /// When the lists of what is being read are made again.
    pub(super) renewal: Renewal,
    /// The last report, and the renewal that it belongs to.
    surveyed: Option<(u64, Box<SurveyReport>)>,
    /// The package whose files are being opened for its images.
    pub(super) opening: Option<(NodeId, PackageReading)>,
    /// The sizes of the opened file, which are being read.
    pub(super) sizing: Option<Sizing>,
    /// The search in code.
    pub(super) searching: Option<Searching>,
    /// Returns the time in milliseconds.
    pub(super) clock: fn() -> f64,
}

/// A list and the rows that match a query.
pub(crate) struct QueriedList {
    /// The document that the list belongs to.
    pub(crate) document: NodeId,
    pub(super) list: Rc<dyn List>,
    query: Query,
    /// The order of the rows that were judged, or an error message about the query.
    pub(crate) order: Result<Order, String>,
    /// The run of the query, until all rows were judged.
    run: Option<QueryRun>,
    /// A note about the rows that the filter cannot judge.
    undecided: Option<String>,
    maxima: OnceCell<Vec<(Str, f64)>>,
    /// See [`ListPage::counts`] and [`ListPage::devices`].
    counts: OnceCell<(Vec<Option<u64>>, Vec<Str>)>,
    /// The first row of the last page, and the number of its rows whose code was analyzed.
    analyzed: Cell<(u64, u64)>,
    /// See [`ListPage::names`].
    names: OnceCell<Option<u32>>,
}

/// Returns the kernels of a list to look at first.
///
/// # Errors
///
/// If there is no such column, as a message.
fn worst(
    list: &Rc<dyn List>,
    columns: &[Str],
    count: u64,
    document: &Document,
) -> Result<Vec<WorstRow>, String> {
    let columns = columns_of(&**list, columns)?;
    let sources = &document.sources;
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    let worst = worst_kernels(&**list, sources, count).into_iter();
    let rows = worst.filter_map(|worst| {
        Some(WorstRow {
            row: row_of(&**list, worst.row, &columns, false, sources)?,
            others: worst.others,
        })
    });
    Ok(rows.collect())
}

/// Whether a list shows a column by default.
fn shows_column(list: &dyn List, id: &str) -> bool {
    let column = list.id().columns().iter().find(|column| column.id == id);
    column.is_some_and(|column| list.shows(column))
}

/// Returns the first `count` totals of kernels by a column, each with its worst kernel.
fn totals(
    list: &dyn List,
    by: &str,
    (columns, count): (&[(usize, &'static Column)], u64),
    sources: &Sources,
) -> Totals {
    let all = totals_by(list, by, sources);
    let first = usize::try_from(count).unwrap_or(usize::MAX);
    let count = all.len() as u64;
    let rows = all.into_iter().take(first).filter_map(|(totals, worst)| {
        let worst = row_of(list, worst, columns, false, sources)?;
        Some(TotalsRow { totals, worst })
    });
    Totals {
        rows: rows.collect(),
        count,
    }
}

/// Returns a row for the page. With `is_pending`, cells that need the code of kernels are unknown.
fn row_of(
    list: &dyn List,
    row: u32,
    columns: &[(usize, &'static Column)],
    is_pending: bool,
    sources: &Sources,
) -> Option<Row> {
    let cells = columns.iter().map(|column| {
        if is_pending && column.1.presence == Presence::Counted {
            return tables::Cell::unknown(Unknown::Pending, 1.0);
        }
        kernels::page_cell(list, row, *column, sources).shown()
    });
    Some(Row {
        index: row.into(),
        entry: list.entry(row, sources)?,
        cells: cells.collect(),
        code: list.code_row(row, sources).map(Box::new),
    })
}

impl Lists {
    /// Returns an empty cache; `clock` returns the time in milliseconds.
    pub(crate) fn new(clock: fn() -> f64) -> Lists {
        Lists {
            found: BTreeMap::new(),
            reading: None,
            renewal: Renewal::default(),
            surveyed: None,
            opening: None,
            sizing: None,
            searching: None,
            clock,
        }
    }

    /// Reads more of a container, then reports its contents by device as far as they are read, and
    /// the kernels with the worst hazards.
    fn survey(
        &mut self,
        document: &mut Document,
        node: NodeId,
        columns: &[Str],
        count: u64,
    ) -> Result<Response, String> {
        let none = || "This part of the file has no images with kernels.".to_owned();
        let progress = self.read_kernels(document, node, false).ok_or_else(none)?;
        let started = (self.clock)();
        let reading = self.reading.as_mut().ok_or_else(none)?;
        let unpacking = reading.kernels.unpacking();
        let is_same = |(of, report): &&mut (u64, Box<SurveyReport>)| {
            *of == self.renewal.number && report.document == reading.document
        };
        if let Some((_, known)) = self.surveyed.as_mut().filter(is_same) {
            known.progress = progress;
            known.unpacking = unpacking;
            return Ok(Response::Survey(known.clone()));
        }
        let (id, survey) = (reading.document, reading.kernels.survey());
        let list = reading.kernels.list(&document.sources);
        let columns = columns_of(&*list, columns)?;
        let totals = |by| totals(&*list, by, (&columns, count), &document.sources);
        let families = totals("family");
        let is_package = shows_column(&*list, "package_file");
        let report = Box::new(SurveyReport {
            document: id,
            survey,
            progress,
            unpacking,
            families,
            files: if is_package {
                totals("package_file")
            } else {
                Totals::default()
            },
        });
        self.surveyed = Some((self.renewal.number, report.clone()));
        self.renewal.was_made(started, (self.clock)());
        Ok(Response::Survey(report))
    }

    /// Returns the cached list if it belongs to this document.
    pub(crate) fn known(
        &mut self,
        document: &mut Document,
        id: NodeId,
        list: ListId,
    ) -> Option<Rc<dyn List>> {
        // Groups are other rows than those of the list.
        let is_of = |found: &&QueriedList| {
            let kernels = found.list.as_kernels();
            found.document == id && kernels.and_then(KernelRows::grouping).is_none()
        };
        let known = self.found.get(&list).filter(is_of);
        let reading = self.reading.as_mut();
        let reading = reading.filter(|of| list == ListId::Kernels && of.document == id);
        match (known, reading) {
            (Some(found), _) => Some(Rc::clone(&found.list)),
            (None, Some(reading)) => Some(reading.kernels.list(&document.sources)),
            (None, None) => tables::list(document, id, list, None),
        }
    }

    /// Returns the rows that match a query in the list of the innermost document around a node that
    /// has such a list.
    ///
    /// # Errors
    ///
    /// If there is no such list, as a message.
    #[inline(never)]
    pub(crate) fn get(
        &mut self,
        document: &mut Document,
        node: NodeId,
        list: ListId,
        query: &Query,
    ) -> Result<&QueriedList, String> {
        let none = || {
            format!(
                "This part of the file has no {}.",
                list.name().replace('-', " ")
            )
        };
        let id = tables::document_of(document, node, list).ok_or_else(none)?;
        if list == ListId::Found
            && self
                .found
                .get(&list)
                .is_none_or(|of| of.document != id || of.query != *query)
        {
            let found = self.found_so_far(document, id, query);
            self.found.insert(list, found);
        }
        let known = self.found.remove(&list);
        let is_same = |found: &QueriedList| {
            let other = &found.query;
            found.document == id
                && other.of == query.of
                && other.options.has_same_rows(&query.options)
                && (list != ListId::Changes || other.all == query.all)
        };
        let known = known.filter(is_same);
        let found = match known {
            Some(found) if found.query == *query => found,
            known => {
                let is_read = list.declaration().reading == ReadingKind::Kernels;
                let reading = self.reading.as_mut();
                let reading = reading.filter(|of| is_read && of.document == id);
                match (known, reading) {
                    (Some(known), _) => QueriedList {
                        // Both are of all rows, whatever the query.
                        maxima: known.maxima,
                        counts: known.counts,
                        names: known.names,
                        ..QueriedList::new(id, known.list, query, document)
                    },
                    (None, None) if list.declaration().reading == ReadingKind::Sizes => {
                        let sizes = self.sizes(document);
                        QueriedList::new(id, sizes::list(&sizes, query), query, document)
                    }
                    (None, Some(reading)) if list == ListId::Matrix => {
                        let list = reading.kernels.matrix_list(&document.sources);
                        QueriedList::new(id, list, query, document)
                    }
                    (None, Some(reading)) => {
                        let list = reading.kernels.list(&document.sources);
                        let list = kernels::grouped(list, query.by(), &document.sources);
                        QueriedList::new(id, list, query, document)
                    }
                    (None, None) => {
                        if list == ListId::ProfileChanges {
                            profile_changes::compare(document, &demangle_briefly);
                        }
                        let made = tables::list_for(document, id, list, query).ok_or_else(none)?;
                        QueriedList::new(id, made, query, document)
                    }
                }
            }
        };
        Ok(self.found.entry(list).or_insert(found))
    }

    /// Judges more rows of a query that needs the code of kernels. Returns the progress, or `None` if all are
    /// judged.
    fn judge_more(
        &mut self,
        document: &mut Document,
        node: NodeId,
        list: ListId,
        query: &Query,
    ) -> Result<Option<Progress>, String> {
        self.get(document, node, list, query)?;
        let clock = self.clock;
        let started = clock();
        let found = self.found.get_mut(&list);
        Ok(found.and_then(|found| found.judge(&document.sources, || clock() - started < STEP_MAX)))
    }

    /// Returns the cached list of instructions if it is of this code.
    pub(super) fn instructions(&self, document: NodeId, query: &Query) -> Option<&dyn CodeList> {
        let found = self.found.get(&ListId::Instructions)?;
        let is_same = found.document == document
            && found.query.of == query.of
            && found.query.encoding() == query.encoding();
        found.list.as_code().filter(|_| is_same)
    }

    /// Drops a cached list, so that the next request rebuilds it.
    pub(crate) fn forget(&mut self, list: ListId) {
        self.found.remove(&list);
    }

    pub(crate) fn answer(
        &mut self,
        document: &mut Document,
        id: NodeId,
        list: ListId,
        query: &Query,
        ask: &ListRequest,
    ) -> Result<Response, String> {
        Ok(match ask {
            ListRequest::Rows {
                start,
                count,
                columns,
            } => {
                let (reading, searching) = match list {
                    ListId::Found => (None, self.search_more(document, id, query, false)),
                    _ => (self.read_more(document, id, list, false), None),
                };
                let started = (self.clock)();
                let reading = reading.filter(|progress| !progress.is_over());
                let searching = searching.filter(|progress| !progress.is_over());
                let judging = self.judge_more(document, id, list, query)?;
                let reading = match (reading, judging) {
                    _ if searching.is_some() => {
                        searching.map(|images| ListReading::Searched(images, self.unpacking(list)))
                    }
                    (Some(images), _) => Some(ListReading::Images(images, self.unpacking(list))),
                    (None, Some(kernels)) => Some(ListReading::Code(kernels)),
                    (None, None) => None,
                };
                let clock = self.clock;
                let begun = clock();
                let found = self.get(document, id, list, query)?;
                let columns = columns_of(&*found.list, columns)?;
                // Reading goes on meanwhile.
                let budget = if reading.is_some() {
                    STEP_MAX / 4.0
                } else {
                    STEP_MAX
                };
                let page = found.page(document, (*start, *count), &columns, || {
                    clock() - begun < budget
                });
                let page = ListPage {
                    reading: reading.or(page.reading.clone()),
                    ..page
                };
                if list.declaration().reading == ReadingKind::Kernels {
                    self.renewal.was_made(started, (self.clock)());
                }
                Response::List(Box::new(page))
            }
            ListRequest::Worst { columns, count } => {
                let reading = self.read_kernels(document, id, false);
                if reading.is_some_and(|progress| !progress.is_over()) {
                    // The survey has them, as far as they are read.
                    return Ok(Response::Worst(Vec::new()));
                }
                let list = self.get(document, id, list, query)?.list.clone();
                Response::Worst(worst(&list, columns, *count, document)?)
            }
            ListRequest::Survey { columns, count } => self.survey(document, id, columns, *count)?,
            ListRequest::At {
                node,
                span,
                current,
                or_first,
            } => {
                let follow = Follow {
                    document: id,
                    list,
                    query: query.clone(),
                    current: *current,
                    or_first: *or_first,
                };
                Response::ListAt(self.at(document, *node, *span, &follow).map(Box::new))
            }
            ListRequest::Written {
                columns,
                form,
                rows,
            } => {
                let (query, rows) = &self.whole(document, id, query, *rows)?;
                let text = match (query.of, list.declaration().shape, form) {
                    // Texts have no table of lines, and listings no table of instructions.
                    (Some(text), Shape::Text, Form::Plain) => {
                        let module = module_around(document, id, text);
                        let sources = &document.sources;
                        match module {
                            Some(module) => modules_text(&*module, text, sources),
                            None => lines::text(text, sources, EXPORT_MAX),
                        }
                    }
                    (_, Shape::Code, Form::Plain) if rows.is_none() => {
                        let none = || "This part of the file has no instructions.".to_owned();
                        let around = tables::document_of(document, id, list).ok_or_else(none)?;
                        let encoding = query.encoding().map(|name| &**name);
                        let listing = document.listing(around, query.of, encoding);
                        listing
                            .ok_or_else(none)?
                            .text(&document.sources, EXPORT_MAX)
                    }
                    (_, Shape::Code, Form::Plain) => {
                        let found = self.get(document, id, list, query)?;
                        let order = found.order.as_ref().map_err(String::clone)?;
                        let (list, sources) = (&*found.list, &document.sources);
                        let rows = rows.unwrap_or((0, u64::MAX));
                        instructions::assembly(list, order, rows, sources, EXPORT_MAX)
                    }
                    _ => {
                        if list == ListId::Found {
                            self.search_more(document, id, query, true);
                        } else {
                            self.read_more(document, id, list, true);
                        }
                        self.get(document, id, list, query)?;
                        if let Some(found) = self.found.get_mut(&list) {
                            found.judge(&document.sources, || true);
                        }
                        let found = self.get(document, id, list, query)?;
                        let columns = columns_of(&*found.list, columns)?.into_iter();
                        let mut columns: Vec<_> = columns.map(|(_, column)| column).collect();
                        name_families(&*found.list, &mut columns);
                        let order = found.order.as_ref().map_err(String::clone)?;
                        let (list, sources) = (&*found.list, &document.sources);
                        writer::write(list, order, &columns, *form, *rows, sources, EXPORT_MAX)
                    }
                };
                Response::Text(text?)
            }
            ListRequest::Find {
                typed,
                from,
                forward,
            } => {
                let text = query.of.ok_or("This part of the file has no text.")?;
                let module = module_around(document, id, text);
                let sources = &document.sources;
                let found = match module {
                    Some(module) => Ok(module_lines::find(
                        &*module, typed, *from, *forward, sources,
                    )),
                    None => lines::find(text, typed, *from, *forward, sources),
                };
                Response::Match(found.map_err(|error| error.to_string())?)
            }
        })
    }

    /// Returns the entry of the row at an index of the query's result, or of the list if
    /// `is_of_list`.
    pub(crate) fn entry(
        &mut self,
        document: &mut Document,
        follow: &Follow,
        place: u64,
        is_of_list: bool,
    ) -> Option<Span> {
        let found = self.get(document, follow.document, follow.list, &follow.query);
        let found = found.ok()?;
        let row = if is_of_list {
            u32::try_from(place).ok()?
        } else {
            found.order.as_ref().ok()?.row(place)?
        };
        found.list.entry(row, &document.sources)
    }

    /// Returns the list for a selection and the row that the selection belongs to.
    pub(crate) fn at(
        &mut self,
        document: &mut Document,
        node: NodeId,
        span: Option<Span>,
        follow: &Follow,
    ) -> Option<ListAt> {
        let list = follow.list;
        let scope = list.declaration().scope;
        let shown = tables::document_of(document, follow.document, list);
        let around = tables::document_of(document, node, list);
        // A row that the user has selected in a container's list stays in that list.
        if let (Some(shown), Some(around)) = (shown, around)
            && shown != around
            && scope == Scope::Container
            && let Ok(found) = self.get(document, shown, list, &follow.query)
            && found.leads_to(document, span?, follow.current)
        {
            return Some(ListAt {
                document: shown,
                of: follow.query.of,
                folded: Vec::new(),
                found: found.count(),
                place: found.place(document, span, follow.current, false),
            });
        }
        let id = match scope {
            // The code of another image never matches the selection.
            Scope::Code => code_document(document, node, span)?,
            _ => around.or(shown)?,
        };
        let of = match scope {
            Scope::Text => text_around(document, node),
            Scope::Owner if around.is_some() => {
                let graph = document.modules(id)?.graph(&document.sources);
                let owner = span.and_then(|span| graph.owner_at(span));
                Some(graph.bytes_of(owner.unwrap_or(PropertyOwner::Whole)))
            }
            Scope::Code => {
                let code = span.and_then(|span| document.code_of(id, span));
                code.or_else(|| same_code(document, id, shown, follow.query.of))
            }
            _ => None,
        };
        let mut query = Query {
            of: of.or(follow.query.of),
            ..follow.query.clone()
        };
        let of = query.of;
        self.unfold(document, id, span, follow, &mut query);
        let current = follow.current.filter(|_| shown == Some(id));
        let (found, mut place) = match self.get(document, id, list, &query) {
            Ok(found) => (
                found.count(),
                found.place(document, span, current, follow.or_first),
            ),
            // No text has been selected yet.
            Err(_) if scope == Scope::Text => (0, None),
            Err(_) => return None,
        };
        if let Some(place) = &mut place {
            place.short_title = shorten_details(document, id, &mut place.about);
        }
        Some(ListAt {
            document: id,
            of,
            folded: query.folded().to_vec(),
            found,
            place,
        })
    }
}

impl QueriedList {
    /// Replaces the rows by an error about the query.
    pub(super) fn with_trouble(self, trouble: String) -> QueriedList {
        QueriedList {
            order: Err(trouble),
            run: None,
            ..self
        }
    }

    #[inline(never)]
    pub(super) fn new(
        id: NodeId,
        list: Rc<dyn List>,
        query: &Query,
        document: &Document,
    ) -> QueriedList {
        let (order, run) = match QueryRun::new(query, &*list) {
            Ok(run) => (Ok(Order::Rows(Vec::new())), Some(run)),
            Err(trouble) => (Err(trouble), None),
        };
        let mut made = QueriedList {
            document: id,
            order,
            run,
            undecided: None,
            list,
            query: query.clone(),
            maxima: OnceCell::new(),
            counts: OnceCell::new(),
            analyzed: Cell::default(),
            names: OnceCell::new(),
        };
        // Rows whose code is needed are judged step by step, as they are requested.
        if made.run.as_ref().is_some_and(|run| !run.needs_code()) {
            made.judge(&document.sources, || true);
        }
        made
    }

    /// Judges more rows, as long as `goes_on`. Returns the progress, or `None` after the last row.
    fn judge(&mut self, sources: &Sources, mut goes_on: impl FnMut() -> bool) -> Option<Progress> {
        let run = self.run.as_mut()?;
        // At least one row, or a slow decoder would never come to an end.
        while !run.is_over() {
            run.step(&*self.list, sources);
            if !goes_on() {
                break;
            }
        }
        self.order = Ok(run.order(&*self.list, sources));
        self.undecided = run.undecided_note();
        let (done, of) = run.progress();
        if run.is_over() {
            self.run = None;
            return None;
        }
        Some(Progress {
            done: done.into(),
            of: of.into(),
        })
    }

    /// Returns the number of matching rows.
    pub(crate) fn count(&self) -> u64 {
        self.order.as_ref().map_or(0, Order::count).into()
    }

    /// Returns at most `count` rows from `start` on. Some cells need the analysis of a kernel's code. When
    /// the time limit is reached, these cells of the remaining rows are [`Unknown::Pending`], and
    /// [`ListPage::reading`] has the progress.
    fn page(
        &self,
        document: &Document,
        (start, count): (u64, u64),
        columns: &[(usize, &'static Column)],
        goes_on: impl Fn() -> bool,
    ) -> ListPage {
        let (list, sources) = (&self.list, &document.sources);
        let places = self.order.iter();
        let places = places.flat_map(|order| order.from(start, count.min(ROWS_MAX)));
        let places: Vec<u32> = places.collect();
        let needs_code = columns
            .iter()
            .any(|(_, column)| column.presence == Presence::Counted);
        let mut rows = Vec::with_capacity(places.len());
        let mut done = 0_u64;
        let mut is_over = false;
        // At least one more row than the last time, or a slow decoder would never come to an end.
        let (of, known) = self.analyzed.get();
        let known = if of == start { known } else { 0 };
        for row in &places {
            rows.extend(row_of(&**list, *row, columns, is_over, sources));
            if !is_over {
                done += 1;
                is_over = needs_code && done > known && !goes_on();
            }
        }
        self.analyzed.set((start, done));
        let of = places.len() as u64;
        let reading = (done < of).then_some(ListReading::Code(Progress { done, of }));
        let maxima = self.maxima.get_or_init(|| {
            let columns = list.id().columns().iter().enumerate();
            columns
                .filter_map(|(at, column)| Some((column.id.into(), list.largest(at, sources)?)))
                .collect()
        });
        let (counts, devices) = self.counts.get_or_init(|| self.count_toggles(document));
        ListPage {
            document: self.document,
            subject: list.subject(),
            rows,
            start,
            found: self.count(),
            total: list.primary().into(),
            names: self
                .names
                .get_or_init(|| list.as_kernels()?.names())
                .map(u64::from),
            secondary: list.secondary(),
            notes: self.notes(document),
            columns: columns.iter().map(|(_, column)| column.id.into()).collect(),
            maxima: maxima.clone(),
            counts: counts.clone(),
            devices: devices.clone(),
            trouble: self.order.as_ref().err().cloned(),
            map: list.size_map().map(|map| Rc::new(map.clone())),
            reading,
        }
    }

    /// Returns the numbers of rows that meet the toggles of the list, and the devices of its rows.
    #[inline(never)]
    fn count_toggles(&self, document: &Document) -> (Vec<Option<u64>>, Vec<Str>) {
        let id = self.list.id();
        let (mut counts, mut devices) = (Vec::new(), Vec::new());
        for toggle in id.declaration().toggles {
            let query = Query {
                filter: toggle.filter.to_owned(),
                ..Query::default()
            };
            let found = QueriedList::new(self.document, Rc::clone(&self.list), &query, document);
            counts.push(found.run.is_none().then(|| found.count()));
        }
        let device = id.columns().iter().position(|column| column.id == "device");
        if let Some(device) = device.filter(|_| !counts.is_empty()) {
            for row in 0..self.list.primary() {
                let value = self.list.value(row, device, &document.sources);
                add_devices(&value, &mut devices);
            }
        }
        (counts, devices)
    }

    /// Returns the notes of the list; for a package, also what was not read of it so far.
    fn notes(&self, document: &Document) -> Vec<String> {
        let mut notes = self.list.notes();
        notes.extend(self.undecided.clone());
        let is_of_files = self.list.id().declaration().reading != ReadingKind::Whole;
        let unread = unread::unread_parts(document);
        if document.summary.has.package && is_of_files && !unread.is_empty() {
            let text = unread.text();
            // The list may say so itself.
            if !notes.contains(&text) {
                notes.push(text);
            }
        }
        notes
    }

    /// Returns whether the bytes lie in a row or the current row refers to them.
    fn leads_to(&self, document: &Document, span: Span, current: Option<Span>) -> bool {
        let (list, sources) = (&self.list, &document.sources);
        let current = current.and_then(|entry| list.rows_at(entry, sources));
        list.rows_at(span, sources).is_some()
            || current.is_some_and(|rows| self.row_leads_to(rows.start, document, span))
    }

    /// Returns whether the cells of a row, or its related bytes, match these bytes.
    fn row_leads_to(&self, row: u32, document: &Document, span: Span) -> bool {
        let (list, sources) = (&self.list, &document.sources);
        let mut columns = 0..list.id().columns().len();
        let links = || list.about(row, span, sources).links;
        columns.any(|column| leads_to(list.cell(row, column, sources).span, span))
            || links().iter().any(|link| leads_to(Some(link.to), span))
    }

    /// Returns the row that the bytes belong to, else the current one.
    fn place(
        &self,
        document: &Document,
        span: Option<Span>,
        current: Option<Span>,
        or_first: bool,
    ) -> Option<ListPlace> {
        let (list, sources) = (&self.list, &document.sources);
        let current = current.and_then(|entry| list.rows_at(entry, sources));
        let mut rows = span.and_then(|span| list.rows_at(span, sources));
        if let (Some(span), Some(current)) = (span, &current)
            && rows.as_ref().is_some_and(|rows| rows != current)
        {
            // The current row stays if it contains the bytes or refers to them.
            let row = current.start;
            let entry = list.entry(row, sources);
            if entry.is_some_and(|entry| entry.contains(span))
                || self.row_leads_to(row, document, span)
            {
                rows = Some(current.clone());
            }
        }
        let order = self.order.as_ref().ok();
        let first = || {
            let row = order.filter(|_| or_first)?.row(0)?;
            Some(row..row.saturating_add(1))
        };
        let rows = rows.or(current).or_else(first)?;
        let (first, last) = (rows.start, rows.end.saturating_sub(1));
        let entry = list.entry(first, sources)?;
        let end = list.entry(last, sources)?.end;
        let entry = Span::new(entry.source, entry.start, end);
        Some(ListPlace {
            index: first.into(),
            count: rows.len() as u64,
            place: order.and_then(|order| order.place(first)),
            entry,
            about: list.about(first, span.unwrap_or(entry), sources),
            short_title: None,
        })
    }
}

/// Adds the devices of a row to those that are known.
fn add_devices(value: &CellValue<'_>, devices: &mut Vec<Str>) {
    let texts = match value {
        CellValue::Words(words) => words,
        CellValue::Text(text) => std::slice::from_ref(text),
        _ => return,
    };
    for text in texts {
        if devices.len() < DEVICES_MAX && !devices.iter().any(|known| **known == **text) {
            devices.push(text.to_string().into());
        }
    }
}

/// Maximum number of devices that can be chosen.
const DEVICES_MAX: usize = 64;

/// Returns whether bytes lead to `span`: if they are equal, or empty and within it.
fn leads_to(from: Option<Span>, span: Span) -> bool {
    from.is_some_and(|from| from == span || (from.is_empty() && span.contains(from)))
}

/// Returns the columns with these ids and their indexes; the default columns if `ids` is empty.
fn columns_of(list: &dyn List, ids: &[Str]) -> Result<Vec<(usize, &'static Column)>, String> {
    let all = list.id().columns().iter().enumerate();
    if ids.is_empty() && list.id() == ListId::Kernels {
        let columns = list.id().columns();
        let shown = kernels::page_columns(list).into_iter();
        return Ok(shown
            .filter_map(|at| Some((at, columns.get(at)?)))
            .collect());
    }
    if ids.is_empty() {
        return Ok(all.filter(|(_, column)| list.shows(column)).collect());
    }
    let named = |id: &Str| {
        let found = all.clone().find(|(_, column)| column.id == id);
        found.ok_or_else(|| {
            let error = list.id().column_called(id).err();
            error.unwrap_or_default()
        })
    };
    ids.iter().map(named).collect()
}

/// Adds the names of kernels to a table that is written: the page draws them in the cells of families.
fn name_families(list: &dyn List, columns: &mut Vec<&'static Column>) {
    let has = |id: &str| columns.iter().any(|column| column.id == id);
    let is_without = list.id() == ListId::Kernels && has("family") && !has("name");
    if let Some(name) = list.id().columns().first().filter(|_| is_without) {
        columns.insert(0, name);
    }
}

/// Returns the module that contains bytes of a document.
fn module_around(document: &mut Document, node: NodeId, span: Span) -> Option<Rc<dyn ModuleText>> {
    let around = tables::document_of(document, node, ListId::Lines)?;
    let modules = document.module_texts(around).into_iter();
    let mut modules = modules.map(|(_, module)| module);
    modules.find(|module| module.span().contains(span))
}

fn modules_text(module: &dyn ModuleText, of: Span, sources: &Sources) -> Result<String, String> {
    module_lines::text(module, of, sources, EXPORT_MAX)
}

/// Returns the module around a node, or the outermost text, within the innermost document.
fn text_around(document: &Document, node: NodeId) -> Option<Span> {
    let parent = |id: &NodeId| document.node(*id)?.parent;
    let around = std::iter::successors(Some(node), parent);
    for id in around.clone() {
        if let Some(module) = document.module_text(id) {
            return Some(module.span());
        }
        if document.node(id)?.kind == NodeKind::File {
            break;
        }
    }
    let nodes = around.filter_map(|id| document.node(id));
    let within = nodes.take_while(|node| node.kind != NodeKind::File);
    let texts = within.filter(|node| node.kind == NodeKind::Text);
    let texts = texts.filter_map(|node| node.span);
    // Lines are texts as well.
    texts.filter(|span| !span.is_empty()).last()
}
