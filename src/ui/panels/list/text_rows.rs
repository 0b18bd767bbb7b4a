//! Rows of a text.

use yew::prelude::*;

use super::rows::Grid;
use crate::analysis::assembly::TextPartKind;
use crate::analysis::module_text::TokenKind;
use crate::model::text::escaped;
use crate::tables::lines::LINE_SHOWN;
use crate::tables::{CodeRow, CodeWord, Row};
use crate::ui::components::{GridColumn, GridData, plain, span_button};
use crate::ui::state::commands::Command;
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
        if let Some(code) = &line.code {
            return self.module_line(line, code);
        }
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

    /// A line of a module: its tokens, with links from ids to their definitions.
    fn module_line(&self, line: &Row, code: &CodeRow) -> Html {
        let shown = text(line);
        let mut parts = Vec::new();
        let mut done = 0;
        for word in &code.words {
            let (start, end) = (word.start as usize, word.end as usize);
            parts.push(tabbed(shown.get(done..start).unwrap_or("")));
            done = end;
            parts.push(self.token(word, shown.get(start..end).unwrap_or("")));
        }
        parts.push(tabbed(shown.get(done..).unwrap_or("")));
        html! { <span class="module">{ for parts }</span> }
    }

    fn token(&self, word: &CodeWord, shown: &str) -> Html {
        let Some(TextPartKind::Token {
            kind,
            span,
            definition,
            function,
        }) = &word.kind
        else {
            return tabbed(shown);
        };
        let inner = match definition {
            Some(definition) => span_button("link", *definition, tabbed(shown)),
            None => tabbed(shown),
        };
        let class = match kind {
            TokenKind::Opcode => "op",
            TokenKind::Text => "str",
            TokenKind::Header | TokenKind::Comment => "dim",
            TokenKind::Unknown => "warn",
            TokenKind::Result(_) => "res",
            TokenKind::Id(_) | TokenKind::Number | TokenKind::Name => "part",
        };
        let at = word.start.to_string();
        let is_selected = !span.is_empty() && Some(*span) == self.view.selection.span;
        html! { <>
            { function.map_or_else(Html::default, |row| self.fold_button(row)) }
            if is_selected {
                <mark data-part={at}>{ inner }</mark>
            } else {
                <span {class} data-part={at}>{ inner }</span>
            }
        </> }
    }

    /// The button that folds or unfolds the function that starts at a row.
    fn fold_button(&self, row: u32) -> Html {
        let is_folded = self.data().query.folded().contains(&row);
        let label = if is_folded {
            "Unfold the function"
        } else {
            "Fold the function"
        };
        let command = Command::FoldFunction(row.into()).to_string();
        html! {
            <button type="button" class="fold-loop" title={label} aria-label={label} aria-expanded={(!is_folded).to_string()} data-command={command}></button>
        }
    }
}

/// Text with control characters escaped, except for tabs.
fn tabbed(text: &str) -> Html {
    let parts: Vec<String> = text.split('\t').map(escaped).collect();
    plain(&parts.join("\t"))
}
