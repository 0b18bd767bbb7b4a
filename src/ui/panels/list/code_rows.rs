//! What rows of code show besides those of other lists.

use yew::prelude::*;

use super::rows::{Grid, cell};
use crate::analysis::assembly::ScratchAccess;
use crate::model::Span;
use crate::tables::{Cell, Column, Detail, Relation, Row};
use crate::ui::panels::assembly::{self, InstructionContext};
use crate::ui::panels::data_flow;
use crate::ui::state::code_rows::{LIVE, SAMPLES};
use crate::worker::protocol::{CodeSamples, FlowOverview};

/// Maximum width of a fitted column of code, in characters.
const LONGEST: u32 = 240;

/// Minimum and maximum width of the instructions, in characters; longer ones push their row.
const TEXTS: (f64, f64) = (52.0, 74.0);

/// Width of a digit of the code, in pixels.
const DIGIT: f64 = 7.23;

/// Blank pixels behind a cell.
const PADDING: u32 = 8;

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
            "offset" => return Some(column.width),
            // A mark has a border.
            "label" => 8,
            _ => 5,
        };
        let longest = self.data().longest(column.id)?;
        Some(longest.clamp(least, LONGEST))
    }

    /// Width of a column of code in pixels, if it does not depend on the column's title.
    pub(super) fn exact(&self, column: &Column) -> Option<u32> {
        if !self.is_code() {
            return None;
        }
        Some(match column.id {
            // Brackets of loops, seven digits, and the letter of a spill.
            "offset" => 86,
            LIVE => 50,
            SAMPLES => 60,
            "text" => {
                let (least, most) = TEXTS;
                (self.data().maximum("text").clamp(least, most) * DIGIT) as u32 + PADDING
            }
            // And the letter of a compacted instruction.
            "waits" => {
                ((self.data().maximum("waits").clamp(9.0, 16.0) + 3.0) * DIGIT) as u32 + PADDING
            }
            // What is left; scoreboard options are rather seen whole.
            "comment" => 72,
            _ => return None,
        })
    }

    /// The width in a narrow panel.
    pub(super) fn tight(&self, column: &Column) -> Option<u32> {
        // The summary says where most are live.
        (self.is_code() && column.id == LIVE).then_some(0)
    }

    /// Classes of a row: spills and fills, its relation to the selected instruction, and whether jumps
    /// lead to it.
    pub(super) fn code_class(&self, row: u64) -> Classes {
        let row = self.data().rows.row(row).filter(|_| self.is_code());
        let Some((row, code)) = row.and_then(|row| Some((row, row.code.as_deref()?))) else {
            return Classes::new();
        };
        let related = data_flow::relation_of(self.data().detail(), row.entry);
        classes!(
            code.scratch.map(|access| match access {
                ScratchAccess::Store => "spill",
                ScratchAccess::Load => "fill",
            }),
            related.map(|related| match related.relation {
                Relation::Producer => "producer",
                Relation::Waited => "waited",
                Relation::Consumer => "consumer",
            }),
            (code.is_target && self.in_order()).then_some("target"),
        )
    }

    fn has_column(&self, id: &str) -> bool {
        self.columns.iter().any(|column| column.id == id)
    }

    /// A cell of an instruction.
    pub(super) fn code_cell(&self, id: &str, found: &Cell<'_>, row: &Row) -> Html {
        let query = &self.data().query;
        let start = self.loop_start(row.entry);
        let flow = self.flow();
        let detail = self.data().detail();
        // Notes are beside the message, or else beside the instruction.
        let has_notes = id == "comment" || id == "text" && !self.has_column("comment");
        let found_loop = flow.zip(start).filter(|_| has_notes);
        let context = InstructionContext {
            row: row.code.as_deref(),
            of: query.of,
            lit: self.lit,
            related: data_flow::relation_of(detail, row.entry).filter(|_| has_notes),
            has_related: has_notes && matches!(detail, Detail::Instruction(_)),
            fold: found_loop
                .and_then(|(flow, start)| data_flow::fold_of(flow, start, query.folded())),
            loop_mark: found_loop
                .and_then(|(flow, start)| data_flow::loop_mark(flow, start, query.folded())),
            loops: flow
                .filter(|_| id == "offset")
                .and_then(|flow| self.brackets(flow, row.entry)),
            scratch: flow.and_then(|flow| flow.scratch_of(row.index)),
            has_options: self.has_column("waits"),
        };
        let drawn = assembly::cell(id, found, &context);
        drawn.unwrap_or_else(|| cell(found))
    }

    /// Classes of the brackets of the loops around an instruction.
    fn brackets(&self, flow: &FlowOverview, entry: Span) -> Option<Classes> {
        let of = self.data().query.of.filter(|_| self.in_order())?;
        let at = u32::try_from(entry.start.checked_sub(of.start)?).ok()?;
        let next = u32::try_from(entry.end.checked_sub(of.start)?).ok()?;
        let mut found = Classes::new();
        for (place, around) in flow.loops.iter().enumerate() {
            let is_in = |range: &(u32, u32)| range.0 <= at && at < range.1;
            if !around.ranges.iter().any(is_in) {
                continue;
            }
            let is_start = around.ranges.first().is_some_and(|range| range.0 == at);
            let is_end = around.ranges.last().is_some_and(|range| range.1 <= next);
            // Deeper ones share the second lane.
            let [inside, start, end, hot] = match around.depth {
                0 | 1 => ["ain", "ast", "aen", "ahot"],
                _ => ["bin", "bst", "ben", "bhot"],
            };
            found.push(inside);
            found.extend(is_start.then_some(start));
            found.extend(is_end.then_some(end));
            found.extend((place == 0).then_some(hot));
        }
        (!found.is_empty()).then_some(found)
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
