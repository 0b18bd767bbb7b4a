//! What requests about relocations and symbols are answered.

use std::rc::Rc;

use super::answer::EXPORT_MAX;
use super::protocol::{Ask, ListPage, ListPlace, ROWS_MAX, Response};
use crate::model::linkage::list::{self, ListId, Query};
use crate::model::linkage::{Linkage, Tables};
use crate::model::{Document, NodeId};

/// Answers about relocations and symbols, and the order that was asked for last: a list that is
/// scrolled is not sorted anew for each page.
#[derive(Default)]
pub(super) struct ListDesk {
    last: Option<Found>,
}

struct Found {
    list: ListId,
    query: Query,
    tables: Rc<Tables>,
    order: Rc<Vec<u32>>,
}

/// The innermost document around `id` that can have symbols.
fn linkage(document: &Document, mut id: NodeId) -> Option<(NodeId, Rc<dyn Linkage>)> {
    loop {
        if let Some(linkage) = document.linkage(id) {
            return Some((id, linkage));
        }
        id = document.node(id)?.parent?;
    }
}

impl ListDesk {
    pub(super) fn answer(
        &mut self,
        document: &Document,
        id: NodeId,
        list: ListId,
        query: &Query,
        ask: &Ask,
    ) -> Result<Response, String> {
        let (id, linkage) = linkage(document, id).ok_or("There are no symbols in this.")?;
        let sources = &document.sources;
        let tables = linkage.tables(sources);
        let order = self.order(list, query, &tables)?;
        Ok(match ask {
            Ask::Rows(start, count) => {
                let skip = usize::try_from(*start).unwrap_or(usize::MAX);
                let take = usize::try_from((*count).min(ROWS_MAX)).unwrap_or(0);
                let wanted = order.iter().skip(skip).take(take);
                Response::List(Box::new(ListPage {
                    rows: wanted
                        .filter_map(|at| tables.row(list, *at, sources))
                        .collect(),
                    start: *start,
                    found: order.len() as u64,
                    total: tables.count(list),
                    left_out: tables.left_out,
                    longest: 0,
                    trouble: query.trouble(list),
                }))
            }
            Ask::At(span) => {
                let at = tables.find(list, *span);
                let (title, links) = at.map(|at| tables.links(list, at)).unwrap_or_default();
                let uses = at.filter(|_| list == ListId::Symbols);
                let (count, filter) = uses.map(|at| tables.uses(at)).unwrap_or_default();
                let place = order.iter().position(|other| at == Some(*other));
                Response::ListAt(Box::new(ListPlace {
                    document: id,
                    place: place.map(|place| place as u64),
                    entry: at.and_then(|at| tables.row_span(list, at)),
                    title,
                    links,
                    count,
                    filter,
                }))
            }
            Ask::Written(form) => Response::Text(list::write(
                &tables, list, &order, *form, sources, EXPORT_MAX,
            )?),
            Ask::Find(..) => return Err("This is found by a filter.".to_owned()),
        })
    }

    /// The order that a query gives the rows.
    fn order(
        &mut self,
        list: ListId,
        query: &Query,
        tables: &Rc<Tables>,
    ) -> Result<Rc<Vec<u32>>, String> {
        let known = |last: &Found| {
            last.list == list && last.query == *query && Rc::ptr_eq(&last.tables, tables)
        };
        if let Some(last) = self.last.as_ref().filter(|last| known(last)) {
            return Ok(Rc::clone(&last.order));
        }
        let order = Rc::new(query.run(tables, list)?);
        self.last = Some(Found {
            list,
            query: query.clone(),
            tables: Rc::clone(tables),
            order: Rc::clone(&order),
        });
        Ok(order)
    }
}
