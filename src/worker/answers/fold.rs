//! Folded loops in the list of instructions.

use super::list::Lists;
use crate::model::{Document, NodeId, Span};
use crate::tables::ListId;
use crate::tables::query::{Query, RowOptions};
use crate::worker::protocol::Follow;

impl Lists {
    /// Unfolds the loops that hide the selected instructions; all loops, if other code is shown.
    pub(super) fn unfold(
        &mut self,
        document: &mut Document,
        id: NodeId,
        span: Option<Span>,
        follow: &Follow,
        query: &mut Query,
    ) {
        let RowOptions::Code(mut code) = query.options.clone() else {
            return;
        };
        if query.of != follow.query.of {
            code.folded.clear();
        } else if let Some(span) = span
            && let Ok(found) = self.get(document, id, follow.list, query)
            && let Some(rows) = found.list.rows_at(span, &document.sources)
        {
            code.reveal(&rows, &*found.list, &document.sources);
        }
        query.fold(code.folded);
    }

    /// Returns a query for a text of rows of the visible list, and the range of these rows: loops
    /// are written in full, folded or not.
    pub(super) fn whole(
        &mut self,
        document: &mut Document,
        id: NodeId,
        query: &Query,
        rows: Option<(u64, u64)>,
    ) -> Result<(Query, Option<(u64, u64)>), String> {
        let mut whole = query.clone();
        whole.fold(Vec::new());
        let is_cut = query.filter.is_empty() && query.sort.is_none() && !query.folded().is_empty();
        let Some((first, last)) = rows.filter(|_| is_cut) else {
            return Ok((whole, rows));
        };
        let found = self.get(document, id, ListId::Instructions, query)?;
        let order = found.order.as_ref().map_err(String::clone)?;
        let row = |place: u64| order.row(place).map_or(u64::MAX, u64::from);
        // Up to the row before the next visible one.
        let last = row(last.saturating_add(1)).saturating_sub(1);
        Ok((whole, Some((row(first), last))))
    }
}
