//! `zeview lines`: prints the source lines of code.

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use zeview::tables;

use clap::Args;
use zeview::model::text::plural;
use zeview::model::{Document, NodeId};
use zeview::tables::query::{Filter, Query};
use zeview::tables::write::Form;
use zeview::tables::{Column, ListId, Presence};

use crate::argument::{InputFiles, TableFormat, Within, own_help};
use crate::files::{Inputs, name_of};
use crate::output::{self, complain};
use crate::rows::ListRows;

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
    LIST.column_called(name)
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
    let form = options.format.form();
    let columns: Vec<&'static Column> = match (options.columns.as_slice(), form) {
        ([], Form::Plain) => LIST
            .default_columns()
            .filter(|column| column.id != "text" || !options.source.is_empty())
            .collect(),
        ([], _) => LIST.columns().iter().collect(),
        (columns, _) => columns.to_vec(),
    };
    let mut inputs = Inputs::default();
    let mut texts = Vec::new();
    for path in &options.source {
        match std::fs::read(path) {
            Ok(bytes) => texts.push((path, String::from_utf8_lossy(&bytes).into_owned())),
            Err(error) => inputs.fail(path, &error),
        }
    }
    let with_file = form != Form::Plain || options.input.files.len() > 1;
    let account = output::account();
    let mut rows = ListRows::new(LIST, &columns, form, with_file, &account);
    inputs.each(&options.input.files, |inputs, file, mut document| {
        for (path, text) in &texts {
            document.add_source_text(&path.display().to_string(), text);
        }
        output::allow(&account, &document);
        match add(file, options, &mut document, &mut rows)? {
            Ok(0) => {}
            Ok(left_out) => {
                let left_out = plural(left_out, "row");
                let problem = format!(
                    "{left_out} left out: the output is too long; use --filter or --columns"
                );
                inputs.fail(file, &problem);
            }
            Err(error) => inputs.fail(file, &error),
        }
        inputs.report_unread(file, &document);
        Ok(())
    })?;
    rows.finish()?;
    Ok(inputs.status())
}

/// Adds the rows of a file. Returns the number of rows that exceed the output budget, or why the
/// rows cannot be listed.
fn add(
    file: &Path,
    options: &Options,
    document: &mut Document,
    rows: &mut ListRows,
) -> io::Result<Result<u64, String>> {
    let ids = match &options.within.path {
        Some(path) => match document.find_all(path) {
            Ok(found) => found,
            Err(error) => return Ok(Err(error.to_string())),
        },
        None => {
            document.open_files(NodeId::ROOT);
            tables::documents_with(document, LIST)
        }
    };
    let query = Query {
        filter: options.filter.clone().unwrap_or_default(),
        sort: options.sort.map(|(column, _)| column.into()),
        descending: options.sort.is_some_and(|(_, descending)| descending),
        ..Query::default()
    };
    let (mut found, mut left_out) = (false, 0);
    for id in ids {
        let Some(list) = tables::list(document, id, LIST, None) else {
            continue;
        };
        found = true;
        let place = name_of(file, &document.path(id));
        let sources = &document.sources;
        let order = match query.run(&*list, sources) {
            Ok(order) => order,
            Err(error) => return Ok(Err(error)),
        };
        for row in order.from(0, u64::MAX) {
            left_out += u64::from(!rows.push(&*list, row, sources, &place)?);
        }
        for note in list.notes() {
            complain!("{place}: {note}");
        }
    }
    if !found {
        let title = &document.summary.title;
        complain!("{}: {title} has no line tables", file.display());
    }
    Ok(Ok(left_out))
}
