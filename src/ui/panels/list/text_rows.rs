//! Rows of a text.

use yew::prelude::*;

use super::rows::Grid;
use crate::model::text::escaped;
use crate::tables::Row;
use crate::tables::lines::LINE_SHOWN;
use crate::ui::components::{GridColumn, GridData, plain, span_button};
use crate::ui::state::list::{parts, rest, text};
use crate::ui::text::format;

impl Grid {
    /// Columns of a text: line number and line.
    pub(super) fn text_columns(&self) -> Vec<GridColumn> {
        let digits = self.rows().max(100).to_string().len() as u32;
        let longest = self.data().maximum("text") as u64;
        // A long line also has a button.
        let is_cut = longest > LINE_SHOWN;
        let most = longest.min(LINE_SHOWN) as u32 + 24 * u32::from(is_cut);
        let column = |number, width| GridColumn {
            number,
            width,
            grows: !number,
            ..GridColumn::default()
        };
        vec![column(true, digits), column(false, most)]
    }

    /// A line, with the selection marked; a button stands for the rest of a long line.
    pub(super) fn line(&self, place: u64, line: &Row) -> Html {
        let is_one = self.data().current().is_some_and(|row| row.count == 1);
        let is_current = is_one && self.is_selected(place);
        let selected = self.view.selection.span.filter(|_| is_current);
        html! { <>
            if let Some([before, within, behind]) = selected.and_then(|span| parts(line, span)) {
                { tabbed(before) }<mark>{ tabbed(within) }</mark>{ tabbed(behind) }
            } else {
                { tabbed(text(line)) }
            }
            { for rest(line).map(|rest| {
                let label = format!("… {} more", format::bytes(rest.len()));
                span_button("btn2", rest, plain(&label))
            }) }
        </> }
    }
}

/// Text with control characters escaped, except for tabs.
fn tabbed(text: &str) -> Html {
    let parts: Vec<String> = text.split('\t').map(escaped).collect();
    plain(&parts.join("\t"))
}
