//! `zeview find`: finds instructions in the code of all kernels.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use zeview::kernel_names::{self, KernelQuery};
use zeview::model::account::Account;
use zeview::model::text::{counted, escaped, place_text};
use zeview::model::{Document, NodeId, Sources};
use zeview::tables::found::Finding;
use zeview::tables::kernels::search::{FoundTotals, SearchOptions};
use zeview::tables::query::{CodeQuery, code_columns};
use zeview::tables::write::Form;
use zeview::tables::{CellValue, Column, List, ListId};

use crate::FileArgument;
use crate::argument::{Failure, complain_of_devices, known_device};
use crate::files::{Inputs, name_of, while_reading};
use crate::output::{self, complain};
use crate::rows::ListRows;
use crate::style;

const LIST: ListId = ListId::Found;

#[derive(Args)]
#[command(after_long_help = query_help())]
pub struct Options {
    /// What to find: `marks=spill and loop>=2`, `dpas device=bmg`, `marks=fill writes=?a then
    /// marks=spill reads=?a`. See below.
    #[arg(value_name = "QUERY", value_parser = query)]
    query: String,
    /// The files and folders; `-` reads standard input.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<FileArgument>,
    /// Print each instruction with its offset and text. Default: each kernel with the number of
    /// instructions.
    #[arg(long)]
    rows: bool,
    /// Stop after this number of kernels, with --rows of instructions.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    limit: Option<u64>,
    /// Only this kernel: its name in the file, its demangled name, the short name that tables print,
    /// or a pattern.
    #[arg(long, value_name = "NAME")]
    kernel: Option<String>,
    /// Only the code for this device, by any of its names.
    #[arg(long, value_name = "DEVICE", value_parser = known_device)]
    device: Option<String>,
    /// Only the code in this image: its name or number as `zeview kernels` prints it, its path, or a
    /// pattern.
    #[arg(long, value_name = "IMAGE")]
    image: Option<String>,
    /// Only the code in this file of a package or folder: its path, the end of its path, or a pattern.
    #[arg(long = "file", id = "file_in_package", value_name = "PATH")]
    file: Option<String>,
    /// Print a JSON array with one object per kernel, with --rows per instruction: schema, file, and
    /// all columns.
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Print comma-separated values with a header line.
    #[arg(long)]
    csv: bool,
    /// Print full demangled names. Default: short names, as `zeview kernels`.
    #[arg(long)]
    full_names: bool,
    /// Also search images that are byte-for-byte copies of another image.
    #[arg(long)]
    all: bool,
}

fn query(text: &str) -> Result<String, String> {
    let parsed = CodeQuery::parse(text)?;
    if parsed.is_empty() {
        return Err("the query is empty".to_owned());
    }
    Ok(text.to_owned())
}

fn query_help() -> String {
    let mut help = "\
Query: conditions and words, combined with and, or, not and parentheses, as for --filter of other
commands. Words are searched in the instruction as it is printed. Sequences:
  A then B                       B is one of the 16 instructions after A
  A then within 40 B             one of the 40 after A
  A then without (C) B           no instruction between A and B meets C
  COLUMN=?a                      the same register (or other value) in several conditions

Columns of instructions:
"
    .to_owned();
    let columns = code_columns();
    let width = columns
        .iter()
        .map(|column| column.id.len())
        .max()
        .unwrap_or(0);
    let instructions = ListId::Instructions.columns().len();
    for (at, column) in columns.iter().enumerate() {
        if at == instructions {
            help.push_str("\nColumns of kernels:\n");
        }
        let (id, doc) = (column.id, column.doc);
        help.push_str(&format!("  {id:width$} {doc}\n"));
    }
    help.push_str(
        "\nExit status: 2 if a file could not be read completely, a value that is compared is unknown, or \
         no kernel has the --kernel, --image or --file. Otherwise 0, also if nothing is found.",
    );
    help
}

impl Options {
    fn form(&self) -> Form {
        match (self.json, self.csv) {
            (true, _) => Form::Json,
            (_, true) => Form::Csv,
            _ => Form::Plain,
        }
    }

    /// Returns why no kernel is searched, if a name, an image or a file is wanted.
    fn missing(&self, document: &mut Document) -> Option<Failure> {
        let query = self.search().kernels;
        let found = match &self.kernel {
            Some(_) => kernel_names::find(document, &query),
            None if self.image.is_some() || self.file.is_some() => {
                kernel_names::all(document, &query)
            }
            None => return None,
        };
        let error = found.err()?;
        Some(Failure::of_name(&error, document))
    }

    fn search(&self) -> SearchOptions {
        SearchOptions {
            kernels: KernelQuery {
                device: self.device.clone(),
                image: self.image.clone(),
                file: self.file.clone(),
                ..KernelQuery::with_code(self.kernel.clone().unwrap_or_default())
            },
            each: self.rows,
            rows_max: usize::MAX,
            copies: self.all,
        }
    }
}

pub fn run(options: &Options) -> io::Result<ExitCode> {
    let mut inputs = Inputs::default();
    let mut printer = Printer {
        options,
        left: options.limit.unwrap_or(u64::MAX),
        rows: None,
        account: output::account(),
        is_cut: false,
        left_out: 0,
        printed: 0,
        unknown: None,
    };
    // Only a name that no device has cannot be found.
    if let Ok(query) = CodeQuery::parse(&options.query)
        && complain_of_devices(query.devices())
    {
        inputs.note_problem();
    }
    let mut sum = FoundTotals::default();
    let mut files = 0_u64;
    inputs.each(&options.files, |inputs, file, mut document| {
        output::allow(&printer.account, &document);
        let totals = printer.find(file, &mut document, inputs)?;
        inputs.report_unread(file, &document);
        files += 1;
        sum.searched += totals.searched;
        sum.kernels += totals.kernels;
        sum.matches += totals.matches;
        Ok(())
    })?;
    if printer.left_out > 0 {
        complain!(
            "{} left out: the output is too long; use --kernel or --limit",
            counted(printer.left_out, "row", "rows")
        );
        inputs.note_problem();
    }
    if sum.searched == 0
        && let Some((file, failure)) = printer.unknown.take()
    {
        failure.report(&file, &mut inputs);
    }
    printer.finish(&sum, files)?;
    Ok(inputs.status())
}

struct Printer<'o> {
    options: &'o Options,
    /// The number of rows that may still be printed.
    left: u64,
    /// The output of JSON and CSV.
    rows: Option<ListRows>,
    account: std::rc::Rc<Account>,
    /// Whether the limit was reached.
    is_cut: bool,
    left_out: u64,
    /// Number of instructions in the printed rows, each of a kernel.
    printed: u64,
    /// Why the first file has no kernel of the wanted name, image or file.
    unknown: Option<(PathBuf, Failure)>,
}

impl Printer<'_> {
    fn find(
        &mut self,
        file: &Path,
        document: &mut Document,
        inputs: &mut Inputs,
    ) -> io::Result<FoundTotals> {
        let options = self.options;
        let started = Finding::new(document, NodeId::ROOT, &options.query, options.search());
        let mut finding = match started {
            Ok(finding) => finding,
            Err(error) => {
                inputs.fail(file, &error);
                return Ok(FoundTotals::default());
            }
        };
        while_reading(file, |progress| {
            finding.read(document, |reading| {
                let done = reading.progress();
                let name = file.display();
                progress.set(|| format!("reading {name}: {} of {}", done.done, done.of));
            });
        });
        for note in finding.notes() {
            inputs.fail(file, &note);
        }
        while !self.is_cut {
            let goes_on = finding.step(document);
            if let Some(list) = finding.take(&document.sources) {
                self.print(file, &*list, &document.sources)?;
            }
            if !goes_on {
                break;
            }
        }
        let totals = finding.totals();
        if totals.searched == 0 && !self.is_cut {
            if self.unknown.is_none() {
                let failure = options.missing(document);
                self.unknown = failure.map(|failure| (file.to_owned(), failure));
            }
            let title = &document.summary.title;
            complain!(
                "{}: {title} has no such kernels with native code",
                file.display()
            );
        }
        for note in totals.notes() {
            inputs.fail(file, &note);
        }
        Ok(totals)
    }

    /// Prints what was found in a kernel.
    fn print(&mut self, file: &Path, list: &dyn List, sources: &Sources) -> io::Result<()> {
        let options = self.options;
        if options.form() == Form::Plain {
            return self.print_text(file, list, sources);
        }
        let form = options.form();
        let account = &self.account;
        let rows = self.rows.get_or_insert_with(|| {
            let columns: Vec<&'static Column> = LIST.columns().iter().collect();
            ListRows::new(LIST, &columns, form, true, account)
        });
        for row in 0..list.count() {
            let Some(left) = self.left.checked_sub(1) else {
                self.is_cut = true;
                break;
            };
            self.left = left;
            let path = list.as_kernels().map_or("", |kernels| kernels.path(row));
            let is_printed = rows.push(list, row, sources, &name_of(file, path))?;
            self.left_out += u64::from(!is_printed);
        }
        Ok(())
    }

    /// Prints the number of instructions, the kernel and where it is; then its instructions.
    fn print_text(&mut self, file: &Path, list: &dyn List, sources: &Sources) -> io::Result<()> {
        let options = self.options;
        let mut out = output::text_within(&self.account);
        let cell = |row: u32, id: &str| {
            let at = LIST.columns().iter().position(|column| column.id == id);
            at.map_or_else(String::new, |at| {
                let value = list.cell(row, at, sources).value;
                let text = match id {
                    "name" if options.full_names => value.in_full().title().into_owned(),
                    _ => value.title().into_owned(),
                };
                escaped(&text)
            })
        };
        let mut last = String::new();
        let mut columns = LIST.columns().iter();
        let found_column = columns.position(|column| column.id == "found");
        let found_column = found_column.unwrap_or_default();
        for row in 0..list.count() {
            if self.account.is_overdrawn() {
                self.left_out += 1;
                continue;
            }
            let Some(left) = self.left.checked_sub(1) else {
                self.is_cut = true;
                break;
            };
            self.left = left;
            if let CellValue::Count(found) = list.value(row, found_column, sources) {
                self.printed += found;
            }
            let places = ["device", "package_file", "image", "member"].map(|id| cell(row, id));
            let name = if options.files.len() > 1 {
                let path = list.as_kernels().map_or("", |kernels| kernels.path(row));
                escaped(&name_of(file, path))
            } else {
                String::new()
            };
            let places = [&name].into_iter().chain(&places);
            let head = format!(
                "{:>7}  {}  ({})",
                cell(row, "found"),
                cell(row, "name"),
                place_text(places.map(String::as_str))
            );
            let head = head.trim_end_matches("  ()");
            if head != last {
                out.paint(style::HEAD, head)?;
                writeln!(out)?;
                last = head.to_owned();
            }
            if options.rows {
                let comment = cell(row, "comment");
                let comment = if comment.is_empty() {
                    comment
                } else {
                    format!("  // {comment}")
                };
                let is_first = cell(row, "step") == "1";
                let step = match (list.shows(column("step")), is_first) {
                    (true, true) => "- ",
                    (true, false) => "  ",
                    (false, _) => "",
                };
                writeln!(
                    out,
                    "  {:>8}  {step}{}{comment}",
                    cell(row, "offset"),
                    cell(row, "text")
                )?;
            }
        }
        out.flush()
    }

    fn finish(self, sum: &FoundTotals, files: u64) -> io::Result<()> {
        let form = self.options.form();
        if form != Form::Plain {
            let columns: Vec<&'static Column> = LIST.columns().iter().collect();
            let rows = self.rows;
            let start = || ListRows::new(LIST, &columns, form, true, &self.account);
            return rows.unwrap_or_else(start).finish();
        }
        if files == 0 {
            return Ok(());
        }
        let mut out = output::text();
        let is_sequence =
            CodeQuery::parse(&self.options.query).is_ok_and(|query| query.is_sequence());
        // With --rows, the row of a kernel has the number of all its instructions.
        let is_partial = self.is_cut && !self.options.rows;
        let count = if is_partial {
            self.printed
        } else {
            sum.matches
        };
        let found = if is_sequence {
            counted(count, "place", "places")
        } else {
            counted(count, "instruction", "instructions")
        };
        let kernels = counted(sum.searched, "kernel", "kernels");
        if self.is_cut {
            writeln!(out, "{found} so far; stopped by --limit")?;
        } else {
            writeln!(out, "{found} in {} of {kernels}", sum.kernels)?;
        }
        out.flush()
    }
}

fn column(id: &str) -> &'static Column {
    let found = LIST.columns().iter().find(|column| column.id == id);
    found.unwrap_or(&LIST.columns()[0])
}
