//! `zeview check --device all`: the outcome on each device.

use std::io::{self, Write};
use std::path::Path;
use zeview::analysis::unread;
use zeview::tables;

use serde::Serialize;
use serde_json::value::RawValue;
use zeview::analysis::LoadOptions;
use zeview::analysis::unread::Unread;
use zeview::model::json::Versioned;
use zeview::model::text::escaped;
use zeview::model::{Document, NodeId, Outcome, Severity, Tone};
use zeview::tables::query::Query;
use zeview::tables::write::Form;
use zeview::tables::writer::Writer;
use zeview::tables::{Column, ListId};

use super::tally::FileOutcome;
use crate::output::{Visible, fit, print_table};
use crate::style;

/// Output for a document.
pub enum Text {
    /// The document has no code for the driver.
    None,
    Table(zeview::tables::table::Table),
    Json(String),
}

/// Returns the device table of a document and its outcome. A document fails if it runs on no
/// device.
pub fn table(
    document: &mut Document,
    id: NodeId,
    options: LoadOptions<'_>,
    as_json: bool,
) -> (FileOutcome, Text) {
    document.open_files(id);
    let is_malformed = document
        .diagnostics
        .iter()
        .any(|found| found.severity == Severity::Error);
    let is_incomplete = !unread::unread_parts(document).is_empty();
    let query = Query {
        options: tables::query::RowOptions::for_device(
            None,
            options.release.map(|release| release.to_owned().into()),
        ),
        ..Query::default()
    };
    let Some(list) = tables::list_for(document, id, ListId::Devices, &query) else {
        let outcome = if document.summary.has.unknown {
            FileOutcome::Unknown
        } else if is_malformed {
            FileOutcome::Malformed
        } else if is_incomplete {
            FileOutcome::Incomplete
        } else {
            FileOutcome::WellFormed
        };
        return (outcome, Text::None);
    };
    let columns: Vec<&'static Column> = ListId::Devices
        .columns()
        .iter()
        .filter(|column| list.shows(column))
        .collect();
    let form = if as_json { Form::Json } else { Form::Plain };
    let mut writer = Writer::new(ListId::Devices, &columns, form, false);
    let sources = &document.sources;
    let verdict = ListId::Devices.columns();
    let verdict = verdict.iter().position(|column| column.id == "verdict");
    let verdict = verdict.unwrap_or_default();
    let (mut loads, mut is_undecided) = (false, false);
    for row in 0..list.count() {
        // The mark is bad if the driver does not load the code on the device.
        let cell = list.cell(row, verdict, sources);
        let words = cell.value.text();
        let is_judged = !words.is_empty() && !words.starts_with(Outcome::NotJudged.words());
        loads |= is_judged && cell.marks.iter().all(|mark| mark.tone != Tone::Bad);
        is_undecided |= !is_judged;
        writer.push(&*list, row, sources, None);
    }
    let outcome = match (is_malformed, loads) {
        (true, _) => FileOutcome::Malformed,
        (_, true) if is_incomplete => FileOutcome::Incomplete,
        (_, true) => FileOutcome::Loads,
        (_, false) if is_undecided => FileOutcome::Incomplete,
        (_, false) => FileOutcome::Rejected,
    };
    let text = if as_json {
        Text::Json(writer.finish())
    } else {
        Text::Table(writer.table())
    };
    (outcome, text)
}

/// JSON object of a file, or of a document in it.
#[derive(Serialize)]
struct DevicesJson<'a> {
    file: &'a str,
    path: Option<&'a str>,
    devices: Option<&'a RawValue>,
    unread: &'a [String],
}

/// Prints the device table of a file, or of a document in it.
pub fn print(
    file: &Path,
    unread: &Unread,
    path: Option<&str>,
    text: &Text,
    as_json: bool,
    out: &mut Visible<impl Write>,
) -> io::Result<()> {
    let name = file.display().to_string();
    if as_json {
        let devices = match text {
            Text::Json(rows) => Some(serde_json::from_str(rows)?),
            _ => None,
        };
        let object = Versioned::new(DevicesJson {
            file: &name,
            path,
            devices,
            unread: &unread.reasons,
        });
        return Ok(serde_json::to_writer(out, &object)?);
    }
    write!(out, "{}", escaped(&name))?;
    if let Some(path) = path {
        write!(out, ":{}", escaped(path))?;
    }
    if !unread.is_empty() {
        write!(out, ": ")?;
        out.paint(style::WARNING, escaped(&unread.text()))?;
    }
    match text {
        Text::Table(table) => {
            writeln!(out, ":")?;
            let mut table = table.clone();
            fit(&mut table);
            print_table(&table, out, |_| style::PLAIN)
        }
        _ => writeln!(out, ": contains no code for the driver"),
    }
}
