//! What requests about kernels are answered.

use std::rc::Rc;

use super::answer::{Answer, EXPORT_MAX, failed};
use super::protocol::{KernelPage, KernelPlace, ROWS_MAX, Request, Response};
use crate::model::kernels::columns::Column;
use crate::model::kernels::query::{Query, maxima};
use crate::model::kernels::table::{Form, Table};
use crate::model::kernels::{KernelRow, Kernels};
use crate::model::{Document, NodeId, Span, Str};

/// Answers about kernels, and the order that was asked for last: a table that is scrolled is
/// not sorted anew for each page.
#[derive(Default)]
pub(super) struct KernelDesk {
    last: Option<Found>,
}

struct Found {
    document: NodeId,
    query: Query,
    order: Rc<Vec<u32>>,
    maxima: Vec<(Str, f64)>,
}

impl KernelDesk {
    pub(super) fn answer(&mut self, document: &Document, request: &Request) -> Answer {
        let answered = match request {
            Request::Kernels {
                document: id,
                query,
                start,
                count,
            } => self.page(document, *id, query, *start, *count),
            Request::Kernel {
                document: id,
                index,
            } => kernel(document, *id, *index),
            Request::KernelAt {
                document: id,
                span,
                query,
            } => self.place(document, *id, *span, query),
            Request::KernelTable {
                document: id,
                query,
                columns,
                form,
            } => self.table(document, *id, query, columns, *form),
            _ => Err("this is no question about kernels".to_owned()),
        };
        answered.map_or_else(failed, Answer::from)
    }

    /// The rows of a document, and the order that a query gives them.
    fn find(
        &mut self,
        document: &Document,
        id: NodeId,
        query: &Query,
    ) -> Result<(Rc<Vec<KernelRow>>, &Found), String> {
        let rows = kernels(document, id)?.rows(&document.sources);
        let known = |last: &Found| last.document == id && last.query == *query;
        let found = match self.last.take() {
            Some(last) if known(&last) => last,
            last => Found {
                document: id,
                query: query.clone(),
                order: Rc::new(query.run(&rows)?),
                maxima: match last {
                    Some(last) if last.document == id => last.maxima,
                    _ => maxima(&rows),
                },
            },
        };
        Ok((rows, self.last.insert(found)))
    }

    fn page(
        &mut self,
        document: &Document,
        id: NodeId,
        query: &Query,
        start: u64,
        count: u64,
    ) -> Result<Response, String> {
        let (rows, found) = self.find(document, id, query)?;
        let skip = usize::try_from(start).unwrap_or(usize::MAX);
        let take = usize::try_from(count.min(ROWS_MAX)).unwrap_or(0);
        let wanted = found.order.iter().skip(skip).take(take);
        let functions = rows.iter().filter(|row| row.is_function).count() as u64;
        Ok(Response::Kernels(Box::new(KernelPage {
            rows: wanted.filter_map(|at| row(&rows, *at)).cloned().collect(),
            start,
            found: found.order.len() as u64,
            kernels: rows.len() as u64 - functions,
            functions,
            maxima: found.maxima.clone(),
            trouble: query.trouble(),
        })))
    }

    fn place(
        &mut self,
        document: &Document,
        id: NodeId,
        span: Span,
        query: &Query,
    ) -> Result<Response, String> {
        let (rows, found) = self.find(document, id, query)?;
        let kernel = rows.iter().find(|row| row.entry.contains(span));
        let place = kernel.map(|kernel| {
            let mut order = found.order.iter();
            KernelPlace {
                index: kernel.index,
                place: order
                    .position(|at| u64::from(*at) == kernel.index)
                    .map(|place| place as u64),
            }
        });
        Ok(Response::KernelAt(place))
    }

    fn table(
        &mut self,
        document: &Document,
        id: NodeId,
        query: &Query,
        columns: &[Str],
        form: Form,
    ) -> Result<Response, String> {
        let columns: Vec<&Column> = match columns {
            [] => Column::usual().collect(),
            names => {
                let column =
                    |id: &Str| Column::named(id).ok_or_else(|| format!("there is no column {id}"));
                names.iter().map(column).collect::<Result<_, _>>()?
            }
        };
        let (rows, found) = self.find(document, id, query)?;
        let mut table = Table::new(&columns, form, false);
        let mut text = String::new();
        for row in found.order.iter().filter_map(|at| row(&rows, *at)) {
            table.push(row, None);
            text.push_str(&table.take());
            if text.len() > EXPORT_MAX {
                return Err("This table is too long to be copied: filter it.".to_owned());
            }
        }
        text.push_str(&table.finish());
        Ok(Response::Text(text))
    }
}

fn row(rows: &[KernelRow], at: u32) -> Option<&KernelRow> {
    rows.get(usize::try_from(at).ok()?)
}

fn kernels(document: &Document, id: NodeId) -> Result<Rc<dyn Kernels>, String> {
    let kernels = document.kernels(id);
    kernels.ok_or_else(|| "there are no kernels in this".to_owned())
}

fn kernel(document: &Document, id: NodeId, index: u64) -> Result<Response, String> {
    let place = usize::try_from(index).unwrap_or(usize::MAX);
    let detail = kernels(document, id)?.detail(place, &document.sources);
    let detail = detail.ok_or_else(|| format!("there is no kernel {index}"))?;
    Ok(Response::Kernel(Box::new(detail)))
}
