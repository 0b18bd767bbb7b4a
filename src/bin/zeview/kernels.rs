//! `zeview kernels`: the kernel table of files.

use std::io::{self, BufWriter, Write};
use std::process::ExitCode;
use std::rc::Rc;

use clap::Args;
use zeview::model::kernels::columns::{COLUMNS, Column};
use zeview::model::kernels::query::Condition;
use zeview::model::kernels::table::{Form, Table};
use zeview::model::kernels::{KernelRow, Kernels};
use zeview::model::text::escaped;
use zeview::model::{Document, PathError};

use crate::FileArgument;
use crate::input;
use crate::progress::Progress;

#[derive(Args)]
#[command(after_long_help = columns_help())]
pub struct Options {
    /// The files; `-` reads standard input.
    #[arg(required = true)]
    files: Vec<FileArgument>,
    /// Print a JSON array with one object a kernel: every column, defaults filled in, and
    /// `file`.
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Print comma-separated values, with the columns' names in the first line.
    #[arg(long)]
    csv: bool,
    /// Only those of this document within the file: names as the dump shows them, `[3]` for the
    /// entries of tables. Without it, those of the file, or of all documents in it.
    #[arg(long, value_name = "PATH")]
    path: Option<String>,
    /// Print these columns: names as in .ze_info, separated by commas.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = column)]
    columns: Vec<&'static Column>,
    /// Fail (exit status 1) if a kernel fulfils the condition: a column, one of > >= < <= == !=,
    /// and a number, true, false, or (with == and !=) a text. May be given several times.
    #[arg(long, value_name = "CONDITION")]
    fail_if: Vec<Condition>,
}

fn column(name: &str) -> Result<&'static Column, String> {
    let column = Column::named(name.trim());
    column.ok_or_else(|| "there is no such column; --help lists them".to_owned())
}

fn columns_help() -> String {
    let width = COLUMNS
        .iter()
        .map(|column| column.id.len())
        .max()
        .unwrap_or(0);
    let mut help = "Columns (those with a star are in the table anyway):\n".to_owned();
    for column in COLUMNS {
        let star = if column.usual { '*' } else { ' ' };
        let id = column.id;
        help.push_str(&format!("  {id:width$} {star} {}\n", column.doc));
    }
    help.push_str(
        "\nExit status: 0; 1 where a kernel fulfils a --fail-if; 2 where a file could not be read \
         or the command line is wrong.",
    );
    help
}

pub fn run(options: &Options) -> io::Result<ExitCode> {
    let form = match (options.json, options.csv) {
        (true, _) => Form::Json,
        (_, true) => Form::Csv,
        _ => Form::Plain,
    };
    let usual = || match form {
        Form::Plain => Column::usual().collect(),
        // For programs: everything but the flags, which have a cell of their own.
        _ => COLUMNS.iter().filter(|c| !is_flag(c)).collect::<Vec<_>>(),
    };
    let columns = match options.columns.as_slice() {
        [] => usual(),
        columns => columns.to_vec(),
    };
    let with_file = form != Form::Plain || options.files.len() > 1;
    let mut table: Option<Table<'_>> = None;
    let mut out = BufWriter::new(io::stdout().lock());
    let mut status = 0;
    let progress = Progress::start();
    for file in &options.files {
        progress.say(|| format!("reading {}", file.display()));
        let mut document = match input::open(file) {
            Ok(document) => document,
            Err(error) => {
                eprintln!("zeview: {}: {error}", file.display());
                status = 2;
                continue;
            }
        };
        let name = file.display().to_string();
        let tables = match kernels(&mut document, options.path.as_deref()) {
            Ok(tables) => tables,
            Err(error) => {
                eprintln!("zeview: {name}: {error}");
                status = 2;
                continue;
            }
        };
        if tables.is_empty() {
            let title = &document.summary.title;
            eprintln!("zeview: {name}: {title} has no kernels to list");
        }
        for (path, kernels) in tables {
            let place = match path.is_empty() {
                true => name.clone(),
                false => format!("{name}:{path}"),
            };
            let table = table
                .get_or_insert_with(|| Table::new(&columns, form, with_file || !path.is_empty()));
            let rows = kernels.rows(&document.sources);
            for row in rows.iter().filter(|row| !row.is_function) {
                table.push(row, Some(&place));
                if let Some(condition) = options.fail_if.iter().find(|c| c.holds(row)) {
                    say_failed(&place, row, condition);
                    status = status.max(1);
                }
            }
            out.write_all(table.take().as_bytes())?;
        }
    }
    drop(progress);
    let table = table.unwrap_or_else(|| Table::new(&columns, form, with_file));
    out.write_all(table.finish().as_bytes())?;
    out.flush()?;
    Ok(ExitCode::from(status))
}

fn is_flag(column: &Column) -> bool {
    zeview::model::kernels::FLAGS
        .iter()
        .any(|(key, _)| *key == column.id)
}

/// A path, and the kernel table of the document there.
type Named = (String, Rc<dyn Kernels>);

/// The kernel tables, with the paths of the documents that have them.
fn kernels(document: &mut Document, path: Option<&str>) -> Result<Vec<Named>, PathError> {
    let Some(path) = path else {
        let tables = document.kernel_tables();
        let named = tables.into_iter();
        return Ok(named
            .map(|(id, table)| (document.path(id), table))
            .collect());
    };
    let id = document.find(path)?;
    let table = document.kernels(id);
    Ok(table
        .map(|table| (document.path(id), table))
        .into_iter()
        .collect())
}

fn say_failed(file: &str, row: &KernelRow, condition: &Condition) {
    let column = condition.column();
    let cell = column.cell(row).text();
    eprintln!(
        "zeview: {file}: {}: {} is {}",
        escaped(row.title()),
        column.id,
        escaped(&cell)
    );
}
