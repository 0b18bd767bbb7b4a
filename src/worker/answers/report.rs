//! The report of a file: first the code that is visible, then the file.

use std::io::{self, Write};

use super::export::EXPORT_MAX;
use super::profile::code_samples;
use crate::decode::demangle::demangle_briefly;
use crate::decode::limits;
use crate::model::{Document, SourceId};
use crate::report::{safe, write_end, write_file, write_head};
use crate::tables::query::{Query, RowOptions};
use crate::tables::{self, List, ListId};
use crate::worker::protocol::{
    CodeSamples, FlowCell, FlowColumnKind, FlowOverview, FlowPiece, FlowTable, ReportedCode,
    Response,
};

/// Number of instructions before and after the selected one.
const AROUND: u64 = 40;

/// Maximum number of rows of a table about the code.
const ROWS: usize = 20;

/// Returns a report about the file as HTML, with what is known of some code; `flow` is its data flow, or the
/// reason why there is none.
pub(crate) fn report(
    document: &mut Document,
    code: Option<&ReportedCode>,
    flow: Result<&FlowOverview, &str>,
) -> Result<Response, String> {
    let title = document.root().name.clone();
    let size = document.sources.whole(SourceId::FILE).len();
    let limit = limits::output(size).min(EXPORT_MAX as u64);
    let mut out = Vec::new();
    let written = write_head(&title, &mut out)
        .and_then(|()| match code {
            Some(code) => write_code(document, code, flow, &mut out),
            None => Ok(()),
        })
        .and_then(|()| write_file(document, limit, &mut out))
        .and_then(|()| write_end(&mut out));
    written.map_err(|error| error.to_string())?;
    let text = String::from_utf8(out).map_err(|error| error.to_string())?;
    Ok(Response::Text(text))
}

fn write_code(
    document: &mut Document,
    code: &ReportedCode,
    flow: Result<&FlowOverview, &str>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let Some(list) = listing(document, code) else {
        return Ok(());
    };
    let name = section_name(document, code).unwrap_or_default();
    let name = name.strip_prefix(".text.").unwrap_or(&name);
    let file = document.root().name.clone();
    let path = document.path(code.document);
    writeln!(
        out,
        "<article><h1>{}</h1>",
        safe(demangle_briefly(name).as_deref().unwrap_or(name))
    )?;
    writeln!(out, "<table><tbody>")?;
    let mut line = |label: &str, text: &str| {
        writeln!(
            out,
            "<tr><th scope=\"row\">{label}</th><td>{}</td></tr>",
            safe(text)
        )
    };
    line("kernel", name)?;
    line("file", &file)?;
    if !path.is_empty() {
        line("image", &path)?;
    }
    if let Some(verdict) = document.verdict(code.document, None) {
        line("driver", &verdict.headline())?;
    }
    writeln!(out, "</tbody></table>")?;
    match flow {
        Ok(flow) => {
            for topic in &flow.topics {
                writeln!(out, "<h2>{}</h2>", topic.aspect.title())?;
                for fact in &topic.facts {
                    writeln!(out, "<p>{}</p>", safe(&text_of(&fact.text)))?;
                }
                for table in &topic.tables {
                    write_table(table, out)?;
                }
            }
            for limit in &flow.limits {
                writeln!(out, "<p class=\"dim\">{}</p>", safe(limit))?;
            }
        }
        Err(why) => writeln!(out, "<p class=\"warn\">No data flow: {}</p>", safe(why))?,
    }
    let samples = match code_samples(document, code.document, code.of) {
        Ok(Response::CodeSamples(samples)) => samples,
        _ => None,
    };
    if let Some(samples) = samples.as_deref() {
        write_samples(samples, out)?;
    }
    let opens = flow.ok().and_then(|flow| flow.opens);
    let at = code.row.or(opens).unwrap_or(0);
    write_listing(&*list, document, (at, code.row), samples.as_deref(), out)?;
    writeln!(out, "</article>")
}

impl ReportedCode {
    /// Returns the query for its listing.
    pub(crate) fn query(&self) -> Query {
        Query {
            of: Some(self.of),
            options: RowOptions::code(self.encoding.clone(), Vec::new()),
            ..Query::default()
        }
    }
}

fn listing(document: &mut Document, code: &ReportedCode) -> Option<std::rc::Rc<dyn List>> {
    tables::list_for(document, code.document, ListId::Instructions, &code.query())
}

fn section_name(document: &Document, code: &ReportedCode) -> Option<String> {
    let assembly = document.assembly(code.document)?;
    let sections = assembly.sections();
    let section = sections.iter().find(|section| section.bytes == code.of)?;
    Some(section.name.to_string())
}

/// The text of pieces; an offset of the code as in the listing.
fn text_of(pieces: &[FlowPiece]) -> String {
    let piece = |piece: &FlowPiece| match piece {
        FlowPiece::Text(text) => text.clone(),
        FlowPiece::At(offset) => format!("+{offset:#x}"),
    };
    pieces.iter().map(piece).collect()
}

fn write_table(table: &FlowTable, out: &mut dyn Write) -> io::Result<()> {
    let class = |kind| match kind {
        FlowColumnKind::Number => " class=\"num\"",
        FlowColumnKind::Code => " class=\"mono\"",
        FlowColumnKind::Text => "",
    };
    writeln!(
        out,
        "<div class=\"wide\"><table><caption>{} ({})</caption><thead><tr>",
        safe(&table.title),
        table.count
    )?;
    for column in &table.columns {
        write!(
            out,
            "<th{}>{}</th>",
            class(column.kind),
            safe(&column.title)
        )?;
    }
    writeln!(out, "</tr></thead><tbody>")?;
    for row in table.rows.iter().take(ROWS) {
        write!(out, "<tr>")?;
        for (cell, column) in row.cells.iter().zip(&table.columns) {
            let text = match cell {
                FlowCell::Number(number) => number.to_string(),
                FlowCell::Text(pieces) => text_of(pieces),
            };
            write!(out, "<td{}>{}</td>", class(column.kind), safe(&text))?;
        }
        writeln!(out, "</tr>")?;
    }
    writeln!(out, "</tbody></table></div>")?;
    let listed = table.rows.len().min(ROWS) as u64;
    match table.count.saturating_sub(listed) {
        0 => Ok(()),
        left => writeln!(out, "<p class=\"dim\">{left} more are not listed here.</p>"),
    }
}

fn write_samples(samples: &CodeSamples, out: &mut dyn Write) -> io::Result<()> {
    let all: u64 = samples.samples.iter().sum();
    writeln!(out, "<h2>Samples</h2>\n<p>{all} samples of the profile</p>")?;
    writeln!(out, "<table><tbody>")?;
    let types = samples.types.iter().zip(&samples.samples);
    for (name, count) in types.filter(|(_, count)| **count > 0) {
        writeln!(
            out,
            "<tr><th scope=\"row\">{}</th><td class=\"num\">{count}</td></tr>",
            safe(name)
        )?;
    }
    writeln!(out, "</tbody></table>")
}

/// Writes the instructions around one, with the samples of each; `selected` is marked.
fn write_listing(
    list: &dyn List,
    document: &Document,
    (at, selected): (u64, Option<u64>),
    samples: Option<&CodeSamples>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let all = u64::from(list.count());
    let (first, last) = (
        at.saturating_sub(AROUND),
        at.saturating_add(AROUND).min(all),
    );
    writeln!(
        out,
        "<h2>Assembly</h2>\n<p>Instructions {first} to {last} of {all}</p>\n<pre class=\"wide\">"
    )?;
    let columns = list.id().columns();
    let cell = |row: u32, id: &str| {
        let place = columns.iter().position(|column| column.id == id);
        place.map_or_else(String::new, |place| {
            list.cell(row, place, &document.sources)
                .value
                .text()
                .into_owned()
        })
    };
    for row in first..last {
        let number = u32::try_from(row).unwrap_or(u32::MAX);
        let mark = if selected == Some(row) { "→" } else { " " };
        let label = cell(number, "label");
        if !label.is_empty() {
            writeln!(out, "{}:", safe(&label))?;
        }
        write!(out, "{mark} {:>8}  ", cell(number, "offset"))?;
        if let Some(samples) = samples {
            let counts = samples.row(row).map(|row| row.counts.iter().sum::<u64>());
            let text = counts.map_or_else(String::new, |count| count.to_string());
            write!(out, "{text:>7}  ")?;
        }
        write!(out, "{}", safe(&cell(number, "text")))?;
        match cell(number, "comment") {
            comment if comment.is_empty() => writeln!(out)?,
            comment => writeln!(out, " // {}", safe(&comment))?,
        }
    }
    writeln!(out, "</pre>")
}
