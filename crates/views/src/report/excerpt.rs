//! An excerpt of a report, as a part of another page: the output of a notebook's cell.

use crate::tables;
use std::io::{self, Write};
use std::rc::Rc;

use super::{CellStyle, cell, class, columns, heads, more};
use crate::report::html::safe;
use crate::tables::ListId;
use zeview_core::model::account::{Account, MeteredWriter};
use zeview_core::model::text::cut_end;
use zeview_core::model::{Document, NodeId, Tone};

/// Maximum length of a text, in characters.
const TEXT: usize = 160;

const STYLE: CellStyle = CellStyle {
    length: TEXT,
    // Notebooks align all cells to the right.
    text: " style=\"text-align:left\"",
};

/// Writes the summary of a file, and at most `rows` rows of the first of `lists` that it has,
/// limited to about `limit` bytes. There are no styles: notebooks format tables of the class
/// `dataframe`.
///
/// # Errors
///
/// If writing to `out` fails.
pub fn write_excerpt(
    document: &mut Document,
    lists: &[ListId],
    rows: u32,
    limit: u64,
    out: &mut dyn Write,
) -> io::Result<()> {
    let account = Rc::new(Account::new(limit));
    let out: &mut dyn Write = &mut MeteredWriter::new(out, Rc::clone(&account));
    let text = |text: &str| safe(&cut_end(text, TEXT));
    let name = text(&document.root().name);
    let summary = &document.summary;
    write!(out, "<p><strong>{name}</strong> {}", text(&summary.title))?;
    for fact in summary.facts.iter().filter(|fact| fact.headline) {
        write!(
            out,
            " · <span{}>{}</span>",
            class(fact.tone),
            text(&fact.text)
        )?;
    }
    if let Some(verdict) = document.verdict(NodeId::ROOT, None) {
        let tone = if verdict.outcome.loads() {
            Tone::Good
        } else {
            Tone::Bad
        };
        write!(
            out,
            " · <span{}>{}</span>",
            class(tone),
            text(&verdict.headline())
        )?;
    }
    writeln!(out, "</p>")?;
    let found = lists.iter().find_map(|list| {
        let is_its = tables::document_of(document, NodeId::ROOT, *list) == Some(NodeId::ROOT);
        let list = is_its.then(|| tables::list(document, NodeId::ROOT, *list, None))??;
        (list.primary() > 0).then_some(list)
    });
    let Some(list) = found else {
        return Ok(());
    };
    let columns = columns(&*list);
    writeln!(out, "<table class=\"dataframe\"><thead><tr>")?;
    heads(&columns, &STYLE, out)?;
    writeln!(out, "</tr></thead><tbody>")?;
    let mut listed = 0;
    for row in (0..list.primary().min(rows)).take_while(|_| !account.is_overdrawn()) {
        listed += 1;
        write!(out, "<tr>")?;
        for (place, column) in &columns {
            let found = list.cell(row, *place, &document.sources);
            cell(&found, column, &STYLE, out)?;
        }
        writeln!(out, "</tr>")?;
    }
    writeln!(out, "</tbody></table>")?;
    more(
        usize::try_from(list.primary()).unwrap_or(usize::MAX),
        listed,
        out,
    )
}
