//! Reports: a file as one page, with its summary, verdict, kernels, modules, images and problems.

pub mod analysis;
pub mod check;
pub mod code;
pub mod comparison;
mod excerpt;
mod html;
pub mod profile;

pub use excerpt::write_excerpt;
pub use html::safe;

use crate::tables;
use crate::tables::kernels;
use std::cmp::Reverse;
use std::io::{self, Write};
use std::rc::Rc;

use crate::report::html::{begin, end};
use crate::tables::{Cell, CellValue, Column, ColumnKind, Key, List, ListId};
use zeview_analysis::survey::{NO_COUNT, TITLES};
use zeview_core::model::account::{Account, MeteredWriter};
use zeview_core::model::text::{count_of, cut_end};
use zeview_core::model::{Document, NodeId, Sources, Span, Tone, sort};

/// Maximum number of rows per table, and of problems, in a report.
const ROWS: usize = 2000;
/// Maximum number of kernels: trackers accept some megabytes, and names are long.
const KERNELS: usize = 300;
const PROBLEMS: usize = 500;

/// The tables, in order.
static TABLES: [(ListId, &str); 3] = [
    (ListId::Kernels, "Kernels"),
    (ListId::Images, "Images"),
    (ListId::Modules, "Modules"),
];

/// Writes the beginning of a report.
///
/// # Errors
///
/// If writing to `out` fails.
pub fn write_head(title: &str, out: &mut dyn Write) -> io::Result<()> {
    begin(title, out)
}

/// Writes the end of a report.
///
/// # Errors
///
/// If writing to `out` fails.
pub fn write_end(out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "<footer class=\"dim\"><p>zeview {}</p></footer>",
        env!("CARGO_PKG_VERSION")
    )?;
    end(out)
}

/// Writes the report of one file, limited to about `limit` bytes: beyond it, tables are truncated
/// with the number of rows left out.
///
/// # Errors
///
/// If writing to `out` fails.
pub fn write_file(document: &mut Document, limit: u64, out: &mut dyn Write) -> io::Result<()> {
    let account = Rc::new(Account::new(limit));
    let out: &mut dyn Write = &mut MeteredWriter::new(out, Rc::clone(&account));
    let name = document.root().name.clone();
    let title = document.summary.title.clone();
    writeln!(out, "<article><h1>{}</h1>", safe(&name))?;
    writeln!(out, "<p>{}</p>", safe(&title))?;
    overview(document, out)?;
    verdict(document, &account, out)?;
    survey(document, &account, out)?;
    for (list, title) in TABLES {
        // For a container, the kernels of all its images.
        if tables::document_of(document, NodeId::ROOT, list) == Some(NodeId::ROOT)
            && let Some(made) = tables::list(document, NodeId::ROOT, list, None)
        {
            table(&*made, title, &document.sources, &account, out)?;
        }
    }
    problems(document, &account, out)?;
    writeln!(out, "</article>")
}

fn overview(document: &Document, out: &mut dyn Write) -> io::Result<()> {
    let size = document.root().span.map_or(0, Span::len);
    let coverage = document.coverage;
    writeln!(out, "<h2>Overview</h2>\n<table><tbody>")?;
    let mut line = |label: &str, text: &str, tone: Tone| {
        writeln!(
            out,
            "<tr><th scope=\"row\">{}</th><td{}>{}</td></tr>",
            safe(label),
            class(tone),
            safe(text)
        )
    };
    line("size", &format!("{size} bytes"), Tone::Plain)?;
    for fact in &document.summary.facts {
        line(&fact.label, &fact.text, fact.tone)?;
    }
    let explained = format!(
        "{} bytes in known parts, {} padding, {} in no known part",
        coverage.explained, coverage.padding, coverage.gap
    );
    let tone = match coverage.gap {
        0 => Tone::Plain,
        _ => Tone::Warning,
    };
    line("coverage", &explained, tone)?;
    writeln!(out, "</tbody></table>")
}

fn verdict(document: &Document, account: &Account, out: &mut dyn Write) -> io::Result<()> {
    let Some(verdict) = document.verdict(NodeId::ROOT, None) else {
        return Ok(());
    };
    let tone = if verdict.outcome.loads() {
        Tone::Good
    } else {
        Tone::Bad
    };
    writeln!(
        out,
        "<h2>Driver</h2>\n<p><strong{}>{}</strong></p>",
        class(tone),
        safe(&verdict.headline())
    )?;
    if let Some(matching) = &verdict.matching {
        writeln!(out, "<p>{}</p>", safe(&matching.rule))?;
    }
    if verdict.findings.is_empty() {
        return Ok(());
    }
    writeln!(
        out,
        "<div class=\"wide\"><table><thead><tr><th>The driver</th><th>Because</th><th class=\"num\">Offset</th><th>Rule</th></tr></thead><tbody>"
    )?;
    let findings = verdict.findings.iter().take(PROBLEMS);
    let mut listed = 0;
    for found in findings.take_while(|_| !account.is_overdrawn()) {
        listed += 1;
        writeln!(
            out,
            "<tr><td>{}</td><td>{}</td><td class=\"num mono\">{:#x}</td><td class=\"mono\">{}</td></tr>",
            safe(found.effect.words()),
            safe(&found.message),
            found.span.start,
            safe(&found.rule)
        )?;
    }
    writeln!(out, "</tbody></table></div>")?;
    more(verdict.findings.len(), listed, out)
}

/// Writes the summary of a container by device.
fn survey(document: &mut Document, account: &Account, out: &mut dyn Write) -> io::Result<()> {
    let Some(survey) = kernels::survey(document, NodeId::ROOT) else {
        return Ok(());
    };
    writeln!(out, "<h2>Native code</h2>")?;
    if let Some(words) = survey.without_code(&count_of) {
        return writeln!(out, "<p>{}</p>", safe(&words));
    }
    write!(out, "<div class=\"wide\"><table><thead><tr>")?;
    let numbers = 1..TITLES.len() - 1;
    for (place, title) in TITLES.iter().enumerate() {
        let class = if numbers.contains(&place) {
            " class=\"num\""
        } else {
            ""
        };
        write!(out, "<th{class}>{title}</th>")?;
    }
    writeln!(out, "</tr></thead><tbody>")?;
    for row in survey.rows().take_while(|_| !account.is_overdrawn()) {
        write!(out, "<tr><td>{}</td>", safe(row.device()))?;
        for text in row.texts(&|count| count.to_string()) {
            let dim = if text == NO_COUNT { " dim" } else { "" };
            write!(out, "<td class=\"num{dim}\">{text}</td>")?;
        }
        let size = row.size(&|bytes| count_of(bytes, "byte", "bytes"));
        let fallback = row.fallback(&count_of);
        writeln!(out, "<td class=\"num\">{size}</td><td>{fallback}</td></tr>")?;
    }
    writeln!(out, "</tbody></table></div>")?;
    match survey.copies_message(&count_of) {
        Some(words) => writeln!(out, "<p>{}</p>", safe(&words)),
        None => Ok(()),
    }
}

fn table(
    list: &dyn List,
    title: &str,
    sources: &Sources,
    account: &Account,
    out: &mut dyn Write,
) -> io::Result<()> {
    let count = list.primary();
    if count == 0 {
        return Ok(());
    }
    let columns = columns(list);
    writeln!(
        out,
        "<h2>{title} ({count})</h2>\n<div class=\"wide\"><table><thead><tr>"
    )?;
    heads(&columns, &CELLS, out)?;
    writeln!(out, "</tr></thead><tbody>")?;
    let mut listed = 0;
    let rows = worst_first(list, sources);
    for row in rows.into_iter().take_while(|_| !account.is_overdrawn()) {
        listed += 1;
        write!(out, "<tr>")?;
        for (place, column) in &columns {
            cell(&list.cell(row, *place, sources), column, &CELLS, out)?;
        }
        writeln!(out, "</tr>")?;
    }
    writeln!(out, "</tbody></table></div>")?;
    for note in list.notes() {
        writeln!(out, "<p class=\"warn\">{}</p>", safe(&note))?;
    }
    let rows = usize::try_from(count).unwrap_or(usize::MAX);
    more(rows, listed, out)
}

/// Returns the first rows for a report: kernels with the worst findings first, others in their order.
fn worst_first(list: &dyn List, sources: &Sources) -> Vec<u32> {
    let mut rows: Vec<u32> = (0..list.primary()).collect();
    let columns = list.id().columns().iter();
    let findings = columns.zip(0..).find(|(column, _)| column.id == "hazards");
    let most = match findings {
        Some((_, findings)) => {
            // Equal ones stay in the order of the list.
            sort::by_cached_key(&mut rows, |row| match list.key(*row, findings, sources) {
                Key::Ints(key) => Reverse(key),
                _ => Reverse([0; 3]),
            });
            KERNELS
        }
        None => ROWS,
    };
    rows.truncate(most);
    rows
}

/// Returns the visible columns of a list, with their indices.
fn columns(list: &dyn List) -> Vec<(usize, &'static Column)> {
    let all = list.id().columns().iter().enumerate();
    all.filter(|(_, column)| list.shows(column)).collect()
}

/// The style of a table's cells.
struct CellStyle {
    /// Maximum length of the text, in characters.
    length: usize,
    /// Attributes of cells that are not numbers.
    text: &'static str,
}

/// The cells of a report.
const CELLS: CellStyle = CellStyle {
    length: usize::MAX,
    text: "",
};

fn heads(columns: &[(usize, &Column)], style: &CellStyle, out: &mut dyn Write) -> io::Result<()> {
    for (_, column) in columns {
        let class = match column.kind {
            ColumnKind::Number => " class=\"num\"",
            _ => style.text,
        };
        writeln!(out, "<th{class}>{}</th>", safe(&column.header()))?;
    }
    Ok(())
}

fn cell(
    cell: &Cell<'_>,
    column: &Column,
    style: &CellStyle,
    out: &mut dyn Write,
) -> io::Result<()> {
    let classes = match (column.kind, &cell.value) {
        (ColumnKind::Number, _) => " class=\"num\"",
        (_, CellValue::Bytes(_) | CellValue::Name { .. }) => " class=\"mono\"",
        _ => "",
    };
    let text = match column.kind {
        ColumnKind::Number => "",
        _ => style.text,
    };
    write!(out, "<td{classes}{text}>")?;
    for mark in &cell.marks {
        write!(
            out,
            "<strong{}>{}</strong> ",
            class(mark.tone),
            safe(&mark.text)
        )?;
    }
    let text = safe(&cut_end(&cell.value.title(), style.length));
    if cell.is_default {
        write!(out, "<span class=\"dim\">{text}</span></td>")
    } else {
        write!(out, "{text}</td>")
    }
}

fn problems(document: &mut Document, account: &Account, out: &mut dyn Write) -> io::Result<()> {
    let count = document.diagnostics.len();
    if count == 0 {
        return writeln!(out, "<h2>Problems</h2>\n<p>None.</p>");
    }
    let found: Vec<_> = document
        .diagnostics
        .iter()
        .take(PROBLEMS)
        .cloned()
        .collect();
    writeln!(
        out,
        "<h2>Problems ({count})</h2>\n<div class=\"wide\"><table><thead><tr><th>Severity</th><th>Problem</th><th class=\"num\">Offset</th><th>Where</th><th>Rule</th></tr></thead><tbody>"
    )?;
    let mut listed = 0;
    for diagnostic in found {
        if account.is_overdrawn() {
            break;
        }
        listed += 1;
        let span = diagnostic.primary.span;
        let path = document.path_of_span(span);
        let tone = match diagnostic.severity {
            zeview_core::model::Severity::Error => Tone::Bad,
            zeview_core::model::Severity::Warning => Tone::Warning,
            zeview_core::model::Severity::Info => Tone::Plain,
        };
        writeln!(
            out,
            "<tr><td{}>{}</td><td>{}</td><td class=\"num mono\">{:#x}</td><td class=\"mono\">{}</td><td class=\"mono\">{}</td></tr>",
            class(tone),
            diagnostic.severity.name(),
            safe(&diagnostic.message),
            span.start,
            safe(&path),
            safe(&diagnostic.rule)
        )?;
    }
    writeln!(out, "</tbody></table></div>")?;
    more(count, listed, out)
}

fn class(tone: Tone) -> &'static str {
    match tone {
        Tone::Plain => "",
        Tone::Good => " class=\"good\"",
        Tone::Warning => " class=\"warn\"",
        Tone::Bad => " class=\"bad\"",
    }
}

fn more(count: usize, listed: usize, out: &mut dyn Write) -> io::Result<()> {
    match count.saturating_sub(listed) {
        0 => Ok(()),
        left => writeln!(out, "<p class=\"dim\">{left} more are not listed here.</p>"),
    }
}
