//! What requests about lists are answered.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use super::answer_export::EXPORT_MAX;
use super::protocol::{Ask, Follow, ListAt, ListPage, ListPlace, ROWS_MAX, Response};
use crate::model::list::query::{Order, Query};
use crate::model::list::write::Form;
use crate::model::list::{Column, List, ListId, Row, lines, writer};
use crate::model::modules::Holder;
use crate::model::{Document, NodeId, NodeKind, Span, Str};

/// Of each list the one that was asked for last, and its order: what is scrolled through is
/// neither made nor sorted anew for each page.
#[derive(Default)]
pub(super) struct Lists(BTreeMap<ListId, Found>);

/// A list, and the rows that a query finds in it.
pub(super) struct Found {
    /// The document whose list it is.
    pub(super) document: NodeId,
    list: Rc<dyn List>,
    query: Query,
    /// Or what is wrong with the query.
    pub(super) order: Result<Order, String>,
    maxima: OnceCell<Vec<(Str, f64)>>,
}

impl Lists {
    /// The list of a document: the one that was made last, if it is of that document.
    pub(super) fn known(
        &self,
        document: &mut Document,
        id: NodeId,
        list: ListId,
    ) -> Option<Rc<dyn List>> {
        let known = self.0.get(&list).filter(|found| found.document == id);
        match known {
            Some(found) => Some(Rc::clone(&found.list)),
            None => document.list(id, list, None),
        }
    }

    /// The rows that a query finds in the list of the innermost document around a node that has
    /// such a list.
    ///
    /// # Errors
    ///
    /// When there is none; says so in words.
    pub(super) fn get(
        &mut self,
        document: &mut Document,
        node: NodeId,
        list: ListId,
        query: &Query,
    ) -> Result<&Found, String> {
        let none = || {
            format!(
                "This part of the file has no {}.",
                list.name().replace('-', " ")
            )
        };
        let id = document.document_of(node, list).ok_or_else(none)?;
        let known = self.0.remove(&list);
        let is_same = |found: &Found| {
            let other = &found.query;
            found.document == id
                && (other.of, other.row) == (query.of, query.row)
                && other.device == query.device
                && (list != ListId::Changes || other.all == query.all)
        };
        let known = known.filter(is_same);
        let found = match known {
            Some(found) if found.query == *query => found,
            known => {
                let (list, maxima) = match known {
                    Some(found) => (found.list, found.maxima),
                    None => {
                        let made = document.list_for(id, list, query);
                        (made.ok_or_else(none)?, OnceCell::new())
                    }
                };
                Found {
                    document: id,
                    order: query.run(&*list, &document.sources),
                    list,
                    query: query.clone(),
                    maxima,
                }
            }
        };
        Ok(self.0.entry(list).or_insert(found))
    }

    /// Makes a list anew when it is asked for next.
    pub(super) fn forget(&mut self, list: ListId) {
        self.0.remove(&list);
    }

    pub(super) fn answer(
        &mut self,
        document: &mut Document,
        id: NodeId,
        list: ListId,
        query: &Query,
        ask: &Ask,
    ) -> Result<Response, String> {
        Ok(match ask {
            Ask::Rows {
                start,
                count,
                columns,
            } => {
                let found = self.get(document, id, list, query)?;
                let columns = chosen(&*found.list, columns)?;
                Response::List(Box::new(found.page(document, *start, *count, &columns)))
            }
            Ask::At {
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
            Ask::Written {
                columns,
                form,
                rows,
            } => {
                let text = match (query.of, list, form) {
                    // A text is not a table of its lines, a listing none of instructions.
                    (Some(text), ListId::Lines, Form::Plain) => {
                        lines::text(text, &document.sources, EXPORT_MAX)
                    }
                    (_, ListId::Instructions, Form::Plain) if rows.is_none() => {
                        let none = || "This part of the file has no instructions.".to_owned();
                        let around = document.document_of(id, list).ok_or_else(none)?;
                        let encoding = query.device.as_deref();
                        let listing = document.listing(around, query.of, encoding);
                        listing
                            .ok_or_else(none)?
                            .text(&document.sources, EXPORT_MAX)
                    }
                    _ => {
                        let found = self.get(document, id, list, query)?;
                        let columns = chosen(&*found.list, columns)?.into_iter();
                        let columns: Vec<_> = columns.map(|(_, column)| column).collect();
                        let order = found.order.as_ref().map_err(String::clone)?;
                        let (list, sources) = (&*found.list, &document.sources);
                        writer::write(list, order, &columns, *form, *rows, sources, EXPORT_MAX)
                    }
                };
                Response::Text(text?)
            }
            Ask::Find {
                typed,
                from,
                forward,
            } => {
                let list = Rc::clone(&self.get(document, id, list, query)?.list);
                let found = list.find(typed, *from, *forward, &document.sources);
                Response::Match(found.map_err(|error| error.to_string())?)
            }
        })
    }

    /// The entry of the row at a place.
    pub(super) fn entry(
        &mut self,
        document: &mut Document,
        follow: &Follow,
        place: u64,
    ) -> Option<Span> {
        let found = self.get(document, follow.document, follow.list, &follow.query);
        let found = found.ok()?;
        let row = found.order.as_ref().ok()?.row(place)?;
        found.list.entry(row, &document.sources)
    }

    /// The list that goes with a selection, and the row that the selection belongs to.
    pub(super) fn at(
        &mut self,
        document: &mut Document,
        node: NodeId,
        span: Option<Span>,
        follow: &Follow,
    ) -> Option<ListAt> {
        let list = follow.list;
        let shown = document.document_of(follow.document, list);
        let around = document.document_of(node, list);
        // The row of a container's list that somebody has chosen does not lead away from it.
        if let (Some(shown), Some(around)) = (shown, around)
            && shown != around
            && matches!(list, ListId::Kernels | ListId::Images)
            && let Ok(found) = self.get(document, shown, list, &follow.query)
            && found.leads_to(document, span?, follow.current)
        {
            return Some(ListAt {
                document: shown,
                of: follow.query.of,
                found: found.count(),
                place: found.place(document, span, follow.current, false),
            });
        }
        let id = around.or(shown)?;
        let of = match list {
            ListId::Lines => text_around(document, node),
            ListId::Properties if around.is_some() => {
                let graph = document.modules(id)?.graph(&document.sources);
                let holder = span.and_then(|span| graph.holder_at(span));
                Some(graph.bytes_of(holder.unwrap_or(Holder::Whole)))
            }
            ListId::Instructions => {
                let code = span.and_then(|span| document.code_of(id, span));
                // Before any was chosen it is the first.
                code.or(follow.query.of).or_else(|| {
                    let sections = document.assembly(id)?.sections();
                    sections.first().map(|section| section.bytes)
                })
            }
            _ => None,
        };
        let query = Query {
            of: of.or(follow.query.of),
            ..follow.query.clone()
        };
        let of = query.of;
        let current = follow.current.filter(|_| shown == Some(id));
        let (found, place) = match self.get(document, id, list, &query) {
            Ok(found) => (
                found.count(),
                found.place(document, span, current, follow.or_first),
            ),
            // No text has been chosen yet.
            Err(_) if list == ListId::Lines => (0, None),
            Err(_) => return None,
        };
        Some(ListAt {
            document: id,
            of,
            found,
            place,
        })
    }
}

impl Found {
    /// How many rows the query finds.
    pub(super) fn count(&self) -> u64 {
        self.order.as_ref().map_or(0, Order::count).into()
    }

    fn page(
        &self,
        document: &Document,
        start: u64,
        count: u64,
        columns: &[(usize, &'static Column)],
    ) -> ListPage {
        let (list, sources) = (&self.list, &document.sources);
        let row = |row: u32| {
            Some(Row {
                index: row.into(),
                entry: list.entry(row, sources)?,
                cells: columns
                    .iter()
                    .map(|(column, _)| list.cell(row, *column, sources).shown())
                    .collect(),
            })
        };
        let rows = self.order.iter();
        let rows = rows.flat_map(|order| order.from(start, count.min(ROWS_MAX)));
        let maxima = self.maxima.get_or_init(|| {
            let columns = list.id().columns().iter().enumerate();
            columns
                .filter_map(|(at, column)| Some((column.id.into(), list.largest(at, sources)?)))
                .collect()
        });
        ListPage {
            document: self.document,
            subject: list.subject(),
            rows: rows.filter_map(row).collect(),
            start,
            found: self.count(),
            total: list.count().saturating_sub(list.secondary()).into(),
            secondary: list.secondary().into(),
            notes: list.notes(),
            columns: columns.iter().map(|(_, column)| column.id.into()).collect(),
            maxima: maxima.clone(),
            trouble: self.order.as_ref().err().cloned(),
        }
    }

    /// Are the bytes in a row, or what the current one leads to?
    fn leads_to(&self, document: &Document, span: Span, current: Option<Span>) -> bool {
        let (list, sources) = (&self.list, &document.sources);
        let current = current.and_then(|entry| list.rows_at(entry, sources));
        list.rows_at(span, sources).is_some()
            || current.is_some_and(|rows| self.row_leads_to(rows.start, document, span))
    }

    /// Do the cells of a row, or what belongs to it, stand at these bytes?
    fn row_leads_to(&self, row: u32, document: &Document, span: Span) -> bool {
        let (list, sources) = (&self.list, &document.sources);
        let mut columns = 0..list.id().columns().len();
        let links = || list.about(row, span, sources).links;
        columns.any(|column| leads_to(list.cell(row, column, sources).span, span))
            || links().iter().any(|link| leads_to(Some(link.to), span))
    }

    /// The row that bytes belong to; else the current one.
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
            // What is in the current row, or what it leads to, does not lead away from it.
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
        })
    }
}

/// Is `span` what bytes lead to? Without bytes, that is what stands at their place.
fn leads_to(from: Option<Span>, span: Span) -> bool {
    from.is_some_and(|from| from == span || (from.is_empty() && span.contains(from)))
}

/// The columns of these ids and their places; the default ones if there are none.
fn chosen(list: &dyn List, ids: &[Str]) -> Result<Vec<(usize, &'static Column)>, String> {
    let all = list.id().columns().iter().enumerate();
    if ids.is_empty() {
        return Ok(all.filter(|(_, column)| list.shows(column)).collect());
    }
    let named = |id: &Str| {
        let found = all.clone().find(|(_, column)| column.id == id);
        found.ok_or_else(|| format!("no column {id:?}"))
    };
    ids.iter().map(named).collect()
}

/// The outermost text around a node, within the innermost document.
fn text_around(document: &Document, node: NodeId) -> Option<Span> {
    let parent = |id: &NodeId| document.node(*id)?.parent;
    let around = std::iter::successors(Some(node), parent);
    let nodes = around.filter_map(|id| document.node(id));
    let within = nodes.take_while(|node| node.kind != NodeKind::File);
    let texts = within.filter(|node| node.kind == NodeKind::Text);
    let texts = texts.filter_map(|node| node.span);
    // Lines are texts, too.
    texts.filter(|span| !span.is_empty()).last()
}
