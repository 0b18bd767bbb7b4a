//! `zeview lines`: prints the source lines of code.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use zeview::decode::text::plural;
use zeview::model::NodeId;
use zeview::tables::query::{Filter, Query};
use zeview::tables::write::Form;
use zeview::tables::writer::Writer;
use zeview::tables::{Column, ListId, Presence};

use crate::argument::{InputFiles, TableFormat, Within, own_help};
use crate::input;
use crate::output::{self, complain, fit, print_table, report_left_out};
use crate::style;
use crate::unread;

const LIST: ListId = ListId::SourceLines;

/// Help of `--json`.
const JSON_HELP: &str = "Print a JSON array with one object per row: schema, file, and all columns. \
    Columns that require the data flow of the code appear only if --columns names them";

/// Help of `--path`.
const PATH_HELP: &str = "List only the lines of these documents within the file: a path as `zeview ls` prints it, \
    or a pattern. Default: the lines of the file, or of all documents in it";

#[derive(Args)]
#[command(mut_args(own_help(&[("json", JSON_HELP), ("path", PATH_HELP)])))]
#[command(after_long_help = columns_help())]
pub struct Options {
    #[command(flatten)]
    pub input: InputFiles,
    #[command(flatten)]
    format: TableFormat,
    #[command(flatten)]
    within: Within,
    /// Print these columns, separated by commas.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = column)]
    columns: Vec<&'static Column>,
    /// List only matching rows: words, conditions, and, or, not, parentheses: `source_file=k.cl and
    /// line>=10`.
    #[arg(long, value_name = "QUERY", value_parser = filter)]
    filter: Option<String>,
    /// Sort by a column in ascending order; -COLUMN sorts in descending order.
    #[arg(long, value_name = "COLUMN", value_parser = sort, allow_hyphen_values = true)]
    sort: Option<(&'static str, bool)>,
    /// A source file for the column `text`, which is matched by file name. Can be given several
    /// times.
    #[arg(long, value_name = "SOURCE")]
    source: Vec<PathBuf>,
}

fn column(name: &str) -> Result<&'static Column, String> {
    let column = LIST
        .columns()
        .iter()
        .find(|column| column.id == name.trim());
    column.ok_or_else(|| "no such column; see --help".to_owned())
}

fn filter(text: &str) -> Result<String, String> {
    Filter::parse(text, LIST).map(|_| text.to_owned())
}

fn sort(text: &str) -> Result<(&'static str, bool), String> {
    let name = text.strip_prefix('-');
    Ok((column(name.unwrap_or(text))?.id, name.is_some()))
}

fn columns_help() -> String {
    let mut help = "Columns (* = shown by default):\n".to_owned();
    for column in LIST.columns() {
        let is_default = column.presence == Presence::Default;
        let star = if is_default { '*' } else { ' ' };
        help.push_str(&format!("  {:12} {star} {}\n", column.id, column.doc));
    }
    help.push_str("\nExit status: 0, or 2 if a file could not be read.");
    help
}

pub fn run(options: &Options) -> io::Result<ExitCode> {
    let form = match (options.format.json, options.format.csv) {
        (true, _) => Form::Json,
        (_, true) => Form::Csv,
        _ => Form::Plain,
    };
    let columns = match (options.columns.as_slice(), form) {
        ([], Form::Plain) => LIST
            .default_columns()
            .filter(|column| column.id != "text" || !options.source.is_empty())
            .collect(),
        ([], _) => LIST.columns().iter().collect(),
        (columns, _) => columns.to_vec(),
    };
    let mut status = 0;
    let mut sources = Vec::new();
    for path in &options.source {
        match std::fs::read(path) {
            Ok(bytes) => sources.push((path, String::from_utf8_lossy(&bytes).into_owned())),
            Err(error) => {
                complain!("{}: {error}", path.display());
                status = 2;
            }
        }
    }
    let with_file = form != Form::Plain || options.input.files.len() > 1;
    let mut writer = Writer::new(LIST, &columns, form, with_file);
    let mut rows = 0;
    let mut out = BufWriter::new(output::of(form));
    for file in &options.input.files {
        match add(file, options, &sources, &mut writer, &mut out) {
            Ok(count) => {
                rows += count.rows;
                if count.is_unread {
                    status = 2;
                }
                if let Some(error) = count.error {
                    return Err(error);
                }
                if count.left_out > 0 {
                    let left_out = plural(count.left_out, "row");
                    complain!(
                        "{}: {left_out} left out: the output is too long; use --filter or --columns",
                        file.display()
                    );
                    status = 2;
                }
            }
            Err(error) => {
                complain!("{}: {error}", file.display());
                status = 2;
            }
        }
    }
    if form != Form::Plain {
        out.write_all(writer.finish().as_bytes())?;
        out.flush()?;
    } else if rows > 0 {
        drop(out);
        let mut table = writer.table();
        let left_out = fit(&mut table);
        let mut out = output::text();
        print_table(&table, &mut out, |_| style::PLAIN)?;
        out.flush()?;
        report_left_out(&left_out);
    }
    Ok(ExitCode::from(status))
}

/// Row counts of a file.
#[derive(Default)]
struct Added {
    rows: u64,
    /// Number of rows that exceed the output budget.
    left_out: u64,
    /// Whether a part of the file was not read.
    is_unread: bool,
    /// Error of writing the output.
    error: Option<io::Error>,
}

/// Adds the rows of a file. Writes them at once, except for tables, which are aligned at the end.
fn add(
    file: &Path,
    options: &Options,
    texts: &[(&PathBuf, String)],
    writer: &mut Writer,
    out: &mut impl Write,
) -> Result<Added, Box<dyn std::error::Error>> {
    let mut document = input::open(file)?;
    for (path, text) in texts {
        document.add_source_text(&path.display().to_string(), text);
    }
    let ids = match &options.within.path {
        Some(path) => document.find_all(path)?,
        None => {
            document.open_files(NodeId::ROOT);
            document.documents_with(LIST)
        }
    };
    let query = Query {
        filter: options.filter.clone().unwrap_or_default(),
        sort: options.sort.map(|(column, _)| column.into()),
        descending: options.sort.is_some_and(|(_, descending)| descending),
        ..Query::default()
    };
    let (mut found, mut added) = (false, Added::default());
    let account = output::budget(&document);
    for id in ids {
        let Some(list) = document.list(id, LIST, None) else {
            continue;
        };
        found = true;
        let place = match document.path(id) {
            path if path.is_empty() => file.display().to_string(),
            path => format!("{}:{path}", file.display()),
        };
        let sources = &document.sources;
        for row in query.run(&*list, sources)?.from(0, u64::MAX) {
            if account.is_overdrawn() {
                added.left_out += 1;
                continue;
            }
            let before = writer.size();
            writer.push(&*list, row, sources, Some(&place));
            added.rows += 1;
            let written = writer.take();
            account.take((written.len() + writer.size() - before) as u64);
            if let Err(error) = out.write_all(written.as_bytes()) {
                added.error = Some(error);
                return Ok(added);
            }
        }
        for note in list.notes() {
            complain!("{place}: {note}");
        }
    }
    added.is_unread = unread::complain_of(file, &document);
    if !found {
        let title = &document.summary.title;
        complain!("{}: {title} has no line tables", file.display());
    }
    Ok(added)
}
