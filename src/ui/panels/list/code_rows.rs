//! What rows of code show besides those of other lists.

use yew::prelude::*;

use super::rows::{Grid, cell};
use crate::model::Span;
use crate::tables::{Cell, Column, Row};
use crate::ui::panels::assembly::{self, InstructionContext};
use crate::ui::panels::data_flow;
use crate::ui::state::code_rows::{LIVE, SAMPLES};
use crate::worker::protocol::{CodeSamples, FlowOverview};

/// Maximum width of a fitted column of code, in characters.
const LONGEST: u32 = 240;

impl Grid {
    /// The samples of the visible code.
    pub(super) fn samples(&self) -> Option<&CodeSamples> {
        let of = self.data().query.of;
        let samples = self.view.profile.samples_of(of.filter(|_| self.is_code()));
        samples.map(|samples| &**samples)
    }

    /// Width of a column of code, in characters; `None`: that of other lists.
    pub(super) fn code_width(&self, column: &Column) -> Option<u32> {
        let least = match column.id {
            // Loops have a button.
            "offset" => return self.flow().map(|_| column.width + 1),
            // The title needs room.
            "jumps" => return Some((self.data().maximum("jumps") as u32).max(4)),
            // A mark has a border.
            "label" => 8,
            _ => 5,
        };
        let longest = self.data().longest(column.id)?;
        Some(longest.clamp(least, LONGEST))
    }

    /// The width in a narrow panel: operands take precedence over the columns beside them.
    pub(super) fn tight(&self, column: &Column) -> Option<u32> {
        if !self.is_code() {
            return None;
        }
        match column.id {
            "offset" | SAMPLES => Some(self.width(column)),
            "jumps" => Some((self.data().maximum("jumps") as u32).max(1)),
            "label" => Some(self.data().longest("label").unwrap_or(0).clamp(5, LONGEST)),
            // The summary says where most are live.
            LIVE => Some(0),
            "text" => Some(self.data().code.as_ref()?.tight().clamp(5, LONGEST)),
            _ => None,
        }
    }

    /// A cell of an instruction.
    pub(super) fn code_cell(&self, id: &str, found: &Cell<'_>, row: &Row) -> Html {
        let query = &self.data().query;
        let in_order = self.in_order();
        let start = self.loop_start(row.entry);
        let flow = self.flow();
        let context = InstructionContext {
            row: row.code.as_deref(),
            of: query.of,
            lit: self.lit,
            related: data_flow::relation_of(self.data().detail(), row.entry),
            loop_mark: flow
                .zip(start)
                .and_then(|(flow, start)| data_flow::loop_mark(flow, start, query.folded())),
        };
        let drawn = assembly::cell(id, found, &context, in_order);
        let drawn = drawn.unwrap_or_else(|| cell(found));
        if id != "offset" {
            return drawn;
        }
        let fold = flow
            .zip(start)
            .and_then(|(flow, start)| data_flow::fold_of(flow, start, query.folded()));
        let sign = context.related;
        html! { <>
            <>{ fold }</>
            <>{ sign.map(|related| data_flow::sign(related.relation)) }</>
            { drawn }
        </> }
    }

    /// The data flow of the visible code.
    pub(super) fn flow(&self) -> Option<&FlowOverview> {
        let code = self.view.flow();
        code.filter(|_| self.is_code()).map(|flow| &**flow)
    }

    pub(super) fn awaits_flow(&self) -> bool {
        self.is_code() && self.view.awaits_flow()
    }

    /// The offset of an instruction in the code, as that of a loop that can be folded.
    pub(super) fn loop_start(&self, entry: Span) -> Option<u32> {
        let of = self.data().query.of.filter(|_| self.in_order())?;
        u32::try_from(entry.start.checked_sub(of.start)?).ok()
    }
}
