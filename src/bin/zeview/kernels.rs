//! `zeview kernels`: the kernel table of files.

use std::io::{self, BufWriter, Write};
use std::process::ExitCode;
use std::rc::Rc;

use clap::Args;
use zeview::model::kernels::FLAGS;
use zeview::model::list::query::Filter;
use zeview::model::list::write::Form;
use zeview::model::list::writer::Writer;
use zeview::model::list::{Column, List, ListId, Presence};
use zeview::model::text::escaped;
use zeview::model::{Document, PathError, Sources};

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
    /// Fail (exit status 1) if a kernel fulfils the condition: a column, one of > >= < <= = !=,
    /// and a number, yes, no, or (with = and !=) a text, in quotes if it has blanks. Conditions
    /// may be combined by and, or, not and parentheses. May be given several times.
    #[arg(long, value_name = "CONDITION", value_parser = condition)]
    fail_if: Vec<Condition>,
}

fn columns() -> &'static [Column] {
    ListId::Kernels.columns()
}

fn column(name: &str) -> Result<&'static Column, String> {
    let column = columns().iter().find(|column| column.id == name.trim());
    column.ok_or_else(|| "there is no such column; --help lists them".to_owned())
}

#[derive(Clone)]
struct Condition {
    filter: Filter,
    /// The places of the columns in it.
    compared: Vec<usize>,
}

fn condition(text: &str) -> Result<Condition, String> {
    let filter = Filter::parse(text, ListId::Kernels)?;
    match filter.compared() {
        Ok(compared) if !compared.is_empty() => Ok(Condition { filter, compared }),
        Ok(_) => Err("it is empty".to_owned()),
        Err(text) => Err(format!(
            "{text:?} compares nothing: write for example spill_size>0"
        )),
    }
}

fn columns_help() -> String {
    let widths = columns().iter().map(|column| column.id.len());
    let width = widths.max().unwrap_or(0);
    let mut help = "Columns (those with a star are in the table anyway):\n".to_owned();
    for column in columns() {
        let is_default = column.presence == Presence::Default;
        let star = if is_default { '*' } else { ' ' };
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
    let columns: Vec<&Column> = match (options.columns.as_slice(), form) {
        ([], Form::Plain) => ListId::Kernels.default_columns().collect(),
        // For programs: everything but the flags, which have a cell of their own.
        ([], _) => columns().iter().filter(|c| !is_flag(c)).collect(),
        (columns, _) => columns.to_vec(),
    };
    let with_file = form != Form::Plain || options.files.len() > 1;
    let writer = |with_file| Writer::new(ListId::Kernels, &columns, form, with_file);
    let mut table: Option<Writer> = None;
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
            let with_file = with_file || !path.is_empty();
            let table = table.get_or_insert_with(|| writer(with_file));
            let sources = &document.sources;
            for row in 0..kernels.count() - kernels.secondary() {
                table.push(&*kernels, row, sources, Some(&place));
                let mut conditions = options.fail_if.iter();
                if let Some(met) = conditions.find(|c| c.filter.holds(&*kernels, row, sources)) {
                    say_failed(&place, &*kernels, row, met, sources);
                    status = status.max(1);
                }
            }
            out.write_all(table.take().as_bytes())?;
        }
    }
    drop(progress);
    let table = table.unwrap_or_else(|| writer(with_file));
    out.write_all(table.finish().as_bytes())?;
    out.flush()?;
    Ok(ExitCode::from(status))
}

fn is_flag(column: &Column) -> bool {
    FLAGS.iter().any(|(key, _)| *key == column.id)
}

/// A path, and the kernels of the document there.
type Named = (String, Rc<dyn List>);

/// The kernels, with the paths of the documents that have them.
fn kernels(document: &mut Document, path: Option<&str>) -> Result<Vec<Named>, PathError> {
    let documents = match path {
        Some(path) => vec![document.find(path)?],
        None => document.documents_with(ListId::Kernels),
    };
    let named = documents.into_iter().filter_map(|id| {
        let list = document.list(id, ListId::Kernels, None)?;
        Some((document.path(id), list))
    });
    Ok(named.collect())
}

fn say_failed(file: &str, list: &dyn List, row: u32, met: &Condition, sources: &Sources) {
    let said = met.compared.iter().filter_map(|place| {
        let id = columns().get(*place)?.id;
        let value = list.cell(row, *place, sources).value;
        Some(format!("{id} is {}", escaped(&value.text())))
    });
    let said: Vec<String> = said.collect();
    let name = list.cell(row, 0, sources).value;
    eprintln!(
        "zeview: {file}: {}: {}",
        escaped(&name.title()),
        said.join(", ")
    );
}
