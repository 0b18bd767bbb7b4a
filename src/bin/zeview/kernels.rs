//! `zeview kernels`: prints the kernel table of files.

use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::process::ExitCode;
use std::rc::Rc;

use clap::Args;
use zeview::analysis::kernels::FLAGS;
use zeview::decode::limits;
use zeview::decode::text::plural;
use zeview::model::account::Account;
use zeview::model::{Document, NodeId, PathError, SourceId, Sources, is_pattern};
use zeview::tables::query::{Filter, GroupBy, Query};
use zeview::tables::write::Form;
use zeview::tables::writer::Writer;
use zeview::tables::{Column, Key, List, ListId, Presence};

use crate::FileArgument;
use crate::code_figures::{self, Workers};
use crate::gate::{self, Condition, Damage, Gate, condition};
use crate::input;
use crate::occupancy;
use crate::output::{self, complain, fit, print_table, report_left_out};
use crate::progress::Progress;
use crate::style;

#[derive(Args)]
#[command(after_long_help = columns_help())]
pub struct Options {
    /// The files; `-` reads standard input.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<FileArgument>,
    /// Print a JSON array with one object per kernel: schema, file, and all columns, with defaults
    /// filled in. Columns that require decoding the code appear only if --columns names them.
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Print comma-separated values with a header line: the columns of the table, unless --columns
    /// names others.
    #[arg(long)]
    csv: bool,
    /// List only the kernels of these documents within the file: a path as `zeview ls` prints it,
    /// or a pattern. Default: the kernels of the file, or of all documents in it.
    #[arg(long, value_name = "PATH")]
    path: Option<String>,
    /// Print these columns: ids as in .ze_info, separated by commas.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = column)]
    columns: Vec<&'static Column>,
    /// List only matching kernels. A query has words that names contain, conditions as in
    /// --fail-if, and, or, not, parentheses: `spill_size>0 and not main`.
    #[arg(long, value_name = "QUERY", value_parser = filter)]
    filter: Option<Filter>,
    /// Sort by a column in ascending order; -COLUMN or COLUMN:desc sorts in descending order.
    #[arg(long, value_name = "COLUMN", value_parser = sort, allow_hyphen_values = true)]
    sort: Option<SortOrder>,
    /// Fail (exit status 1) if a kernel meets the condition: a column, one of > >= < <= = !=, and a
    /// number, yes, no, or (with = and !=) text, in quotes if it has spaces. Combine conditions
    /// with and, or, not and parentheses. Can be given several times. If not all kernels can be
    /// judged, the exit status is 2; see below.
    #[arg(long, value_name = "CONDITION", value_parser = condition)]
    fail_if: Vec<Condition>,
    /// Print full demangled names in tables. Default: short names, without wrappers and without the
    /// parts that all names of the file share. CSV and JSON always have full names.
    #[arg(long)]
    full_names: bool,
    /// Also list kernels of images that are byte-for-byte copies of another image, and placeholders
    /// (Intel_Symbol_Table_Void_Program). --fail-if always judges them.
    #[arg(long)]
    all: bool,
    /// For kernels with builds in several images, print one row per kernel, image or device instead
    /// of one per build, with all values that differ.
    #[arg(long, value_name = "kernel|image|device", value_parser = group_by, conflicts_with_all = ["fail_if", "all", "is_requested"])]
    group_by: Option<GroupBy>,
    #[command(flatten)]
    occupancy: occupancy::Limits,
}

fn columns() -> &'static [Column] {
    ListId::Kernels.columns()
}

fn column(name: &str) -> Result<&'static Column, String> {
    let column = columns().iter().find(|column| column.id == name.trim());
    column.ok_or_else(|| "no such column; see --help".to_owned())
}

fn filter(text: &str) -> Result<Filter, String> {
    Filter::parse(text, ListId::Kernels)
}

fn group_by(text: &str) -> Result<GroupBy, String> {
    let found = GroupBy::named(text);
    found.ok_or_else(|| "expected kernel, image or device".to_owned())
}

#[derive(Clone, Copy)]
struct SortOrder {
    /// Index of the column.
    column: usize,
    is_descending: bool,
}

fn sort(text: &str) -> Result<SortOrder, String> {
    let (name, is_descending) = match (text.strip_prefix('-'), text.rsplit_once(':')) {
        (Some(name), _) => (name, true),
        (None, Some((name, "desc"))) => (name, true),
        (None, Some((name, "asc"))) => (name, false),
        (None, _) => (text, false),
    };
    let name = column(name)?.id;
    let place = columns().iter().position(|column| column.id == name);
    Ok(SortOrder {
        column: place.unwrap_or(0),
        is_descending,
    })
}

fn columns_help() -> String {
    let widths = columns().iter().map(|column| column.id.len());
    let width = widths.max().unwrap_or(0);
    let mut help = "Columns (* = shown by default):\n".to_owned();
    for column in columns() {
        let is_default = column.presence == Presence::Default;
        let star = if is_default { '*' } else { ' ' };
        let id = column.id;
        help.push_str(&format!("  {id:width$} {star} {}\n", column.doc));
    }
    help.push_str(
        "\nExit status: 1 if a kernel meets a --fail-if condition. Otherwise 2 if a file could not be \
         read, or with --fail-if, if not everything could be judged: no kernel was judged, a value could not \
         be read (the file has errors, the driver refuses its text, or the kernel has no such number), or \
         the output was not read to its end. Otherwise 0. Kernels without native code are skipped and \
         counted.",
    );
    help
}

pub fn run(options: &Options) -> io::Result<ExitCode> {
    if options.occupancy.is_requested {
        return print_limits(options);
    }
    let mut printer = Printer::new(options);
    let mut gate = Gate::new(&options.fail_if);
    let mut is_unread = false;
    let mut waiting = Vec::new();
    let mut has_kernels = false;
    let progress = Progress::start();
    for file in &options.files {
        progress.set(|| format!("reading {}", file.display()));
        let opened = OpenedFile::new(file, options, &mut gate);
        gate::report(&mut gate);
        let opened = match opened {
            Ok(opened) => opened,
            Err(error) => {
                complain!("{}: {error}", file.display());
                is_unread = true;
                continue;
            }
        };
        has_kernels |= !opened.lists.is_empty();
        if options.sort.is_some() {
            // All of them are sorted together.
            waiting.push(opened);
        } else {
            printer.print(&mut [opened], options, &mut gate)?;
        }
    }
    drop(progress);
    printer.print(&mut waiting, options, &mut gate)?;
    // Rows left out of the output were judged too, but cannot be inspected.
    is_unread |= printer.report_cut();
    printer.finish()?;
    let without_code = gate.without_code();
    if gate.judged() == 0 && without_code > 0 {
        gate.miss("no kernel has native code");
    } else if has_kernels && gate.judged() == 0 {
        gate.miss("no kernel matches --filter");
    } else if without_code > 0 {
        let kernels = plural(without_code, "kernel");
        complain!("{kernels} without native code skipped by --fail-if");
    }
    Ok(ExitCode::from(gate::finish(&mut gate, is_unread)))
}

/// Prints the occupancy limits of each kernel.
fn print_limits(options: &Options) -> io::Result<ExitCode> {
    let mut printer = occupancy::Printer::new(&options.occupancy, options.json);
    let mut gate = Gate::new(&[]);
    let mut status = 0;
    for file in &options.files {
        let opened = OpenedFile::new(file, options, &mut gate);
        gate::report(&mut gate);
        let mut opened = match opened {
            Ok(opened) => opened,
            Err(error) => {
                complain!("{}: {error}", file.display());
                status = 2;
                continue;
            }
        };
        for id in opened.documents() {
            let document = &mut opened.document;
            let (Some(kernels), Some(list)) = (
                document.kernels(id),
                document.list(id, ListId::Kernels, None),
            ) else {
                continue;
            };
            let place = &place(&opened.name, &document.path(id));
            let sources = &document.sources;
            for row in 0..list.primary() {
                let filter = options.filter.as_ref();
                if filter.is_some_and(|filter| !filter.matches(&*list, row, sources)) {
                    continue;
                }
                let name = list.cell(row, 0, sources).value;
                let name = if options.full_names {
                    name.in_full()
                } else {
                    name
                };
                if let Err(why) = printer.kernel(place, &name, &*kernels, row, sources)? {
                    complain!("{place}: {why}");
                    status = 2;
                }
            }
        }
    }
    printer.finish()?;
    Ok(ExitCode::from(status))
}

/// A file with its kernels.
struct OpenedFile {
    document: Document,
    name: String,
    lists: Vec<(NodeId, Rc<dyn List>)>,
    /// Values that could not be read, for --fail-if.
    damage: Damage,
}

impl OpenedFile {
    fn new(
        file: &Path,
        options: &Options,
        gate: &mut Gate<'_>,
    ) -> Result<OpenedFile, Box<dyn std::error::Error>> {
        let path = options.path.as_deref();
        let query = Query {
            by: options.group_by,
            ..Query::default()
        };
        let mut document = input::open(file)?;
        let name = file.display().to_string();
        let mut lists: Vec<(NodeId, Rc<dyn List>)> = Vec::new();
        let mut empty = Vec::new();
        for id in documents(&mut document, path)? {
            // A pattern that matches a container also matches its images.
            if path.is_some_and(is_pattern) && !document.has_list(id, ListId::Kernels) {
                continue;
            }
            let Some(list) = document.list_for(id, ListId::Kernels, &query) else {
                continue;
            };
            for note in list.notes() {
                gate.miss(&format!("{name}: {note}"));
            }
            if list.count() > list.secondary().functions {
                lists.push((id, list))
            } else {
                empty.push((document.path(id), id))
            }
        }
        if lists.is_empty() {
            let title = &document.summary.title;
            gate.miss(&format!("{name}: {title} has no kernels to list"));
        } else {
            for (path, id) in empty {
                gate.miss_unlisted_kernels(&document, id, &place(&name, &path));
            }
        }
        let damage = if gate.has_conditions() {
            let ids: Vec<NodeId> = lists.iter().map(|(id, _)| *id).collect();
            Damage::of(&mut document, &ids)
        } else {
            Damage::default()
        };
        Ok(OpenedFile {
            document,
            name,
            lists,
            damage,
        })
    }
}

impl OpenedFile {
    /// Returns the documents whose kernels are listed. A container is replaced by its images.
    fn documents(&mut self) -> Vec<NodeId> {
        let mut documents = Vec::new();
        for (id, _) in &self.lists {
            if self.document.has_list(*id, ListId::Kernels) {
                documents.push(*id)
            } else {
                let images = self.document.images(*id);
                let images = self.document.opened_images(&images);
                let with_kernels = images.iter().filter(|image| image.has_kernels);
                let nodes = with_kernels.filter_map(|image| self.document.node_of(image));
                documents.extend(nodes);
            }
        }
        documents
    }
}

/// Returns the value of the column `file`.
fn place(name: &str, path: &str) -> String {
    match path {
        "" => name.to_owned(),
        path => format!("{name}:{path}"),
    }
}

fn documents(document: &mut Document, path: Option<&str>) -> Result<Vec<NodeId>, PathError> {
    match path {
        Some(path) => document.find_all(path),
        None => Ok(vec![NodeId::ROOT]),
    }
}

/// Returns whether JSON has the column without --columns.
fn is_default_json(column: &Column) -> bool {
    let is_flag = FLAGS.iter().any(|(key, _)| *key == column.id);
    !is_flag && column.presence != Presence::Counted
}

struct Printer {
    columns: Vec<&'static Column>,
    form: Form,
    with_file: bool,
    has_rows: bool,
    has_full_names: bool,
    /// Whether a row represents several kernels.
    is_grouped: bool,
    writer: Option<Writer>,
    workers: Workers,
    /// Remaining output budget.
    account: Account,
    /// Number of rows left out.
    left_out: u64,
    out: BufWriter<Box<dyn Write>>,
}

impl Printer {
    fn new(options: &Options) -> Printer {
        let form = match (options.json, options.csv) {
            (true, _) => Form::Json,
            (_, true) => Form::Csv,
            _ => Form::Plain,
        };
        let columns = match (options.columns.as_slice(), form) {
            // For programs: everything except the flags, which have separate columns, and columns
            // that require decoding the code.
            ([], Form::Json) => columns().iter().filter(|c| is_default_json(c)).collect(),
            ([], _) => ListId::Kernels.default_columns().collect(),
            (columns, _) => columns.to_vec(),
        };
        Printer {
            columns,
            form,
            with_file: form != Form::Plain || options.files.len() > 1,
            has_rows: false,
            has_full_names: options.full_names,
            is_grouped: options.group_by.is_some(),
            writer: None,
            workers: Workers::default(),
            account: Account::default(),
            left_out: 0,
            out: BufWriter::with_capacity(1 << 16, output::of(form)),
        }
    }

    fn writer(&mut self, with_file: bool) -> &mut Writer {
        let (columns, form) = (&self.columns, self.form);
        let (has_full_names, is_grouped) = (self.has_full_names, self.is_grouped);
        let make = || {
            Writer::new(ListId::Kernels, columns, form, with_file)
                .with_full_names(has_full_names)
                .with_short_words(is_grouped)
        };
        self.writer.get_or_insert_with(make)
    }

    /// Prints and judges the kernels of files, sorted together.
    fn print(
        &mut self,
        opened: &mut [OpenedFile],
        options: &Options,
        gate: &mut Gate<'_>,
    ) -> io::Result<()> {
        self.allow(opened);
        // Judging changes which damage has been reported.
        let damage = opened
            .iter_mut()
            .map(|file| std::mem::take(&mut file.damage));
        let mut damage: Vec<Damage> = damage.collect();
        let opened = &*opened;
        let compared = options.filter.as_ref().map(Filter::compared);
        let mut early = compared.and_then(Result::ok).unwrap_or_default();
        early.extend(options.sort.map(|sort| sort.column));
        let mut rows: Vec<(Key<'_>, usize, &OpenedFile, &dyn List, u32)> = Vec::new();
        for (number, file) in opened.iter().enumerate() {
            let sources = &file.document.sources;
            for (_, list) in &file.lists {
                let filter = options.filter.as_ref();
                let all = 0..list.count() - list.secondary().functions;
                let all = all.map(|row| (&**list, row, sources));
                let excluded =
                    |row| filter.is_some_and(|f| f.decide_without_code(row) == Some(false));
                let candidates: Vec<_> = all.filter(|row| !excluded(*row)).collect();
                self.workers.compute(&candidates, &early);
                for (_, row, _) in candidates {
                    if filter.is_some_and(|filter| !filter.matches(&**list, row, sources)) {
                        continue;
                    }
                    let key = options.sort.map(|sort| list.key(row, sort.column, sources));
                    rows.push((key.unwrap_or(Key::Empty), number, file, &**list, row));
                }
            }
        }
        match options.sort {
            Some(sort) if sort.is_descending => rows.sort_by(|(a, ..), (b, ..)| b.order(a)),
            Some(_) => rows.sort_by(|(a, ..), (b, ..)| a.order(b)),
            None => {}
        }
        // A host file has many images, most of them with one kernel.
        let is_host = |file: &OpenedFile| file.document.summary.has.host;
        let is_grouped = options.group_by.is_some();
        let is_wide = is_grouped || opened.iter().any(is_host);
        if options.columns.is_empty() && self.form != Form::Json && is_wide {
            let shown = [Presence::Default, Presence::Several];
            let group = options.group_by.map(GroupBy::column);
            let is_shown = |column: &&Column| {
                // The first column already shows it.
                shown.contains(&column.presence)
                    && (group != Some(column.id) || column.id == "name")
            };
            self.columns = columns().iter().filter(is_shown).collect();
        }
        // Omit the path for one file that has its kernels itself or in such images.
        let is_within =
            |file: &OpenedFile| file.document.kernels(NodeId::ROOT).is_none() && !is_host(file);
        let with_file = self.with_file || (!is_grouped && opened.iter().any(is_within));
        let mut used: Vec<usize> = columns()
            .iter()
            .enumerate()
            .filter(|(_, column)| self.columns.iter().any(|shown| shown.id == column.id))
            .map(|(at, _)| at)
            .collect();
        used.extend(options.fail_if.iter().flat_map(Condition::columns));
        for (at, (_, number, file, list, row)) in rows.iter().enumerate() {
            let (number, list, row) = (*number, *list, *row);
            if at % code_figures::CHUNK == 0 {
                let next = rows.iter().skip(at).take(code_figures::CHUNK);
                let next = next.map(|(_, _, file, list, row)| {
                    let sources = &file.document.sources;
                    (*list, *row, sources)
                });
                self.workers.compute(&next.collect::<Vec<_>>(), &used);
            }
            let sources = &file.document.sources;
            let path = if is_grouped { "" } else { list.path(row) };
            let place = place(&file.name, path);
            // Rows left out of the output are judged too.
            if options.all || row < list.primary() {
                self.row(with_file, list, row, sources, &place)?;
            }
            if let Some(damage) = damage.get_mut(number) {
                gate.judge(&place, ((list, row, sources), damage), None);
                gate::report(gate);
            }
            self.has_rows = true;
        }
        Ok(())
    }

    /// Adds the output budget of these files.
    fn allow(&self, opened: &[OpenedFile]) {
        let size = |file: &OpenedFile| file.document.sources.whole(SourceId::FILE).len();
        let limit: u64 = opened.iter().map(|file| limits::output(size(file))).sum();
        if !opened.is_empty() {
            self.account.reset(limit);
        }
    }

    /// Prints a row if the budget allows. A table buffers its rows.
    fn row(
        &mut self,
        with_file: bool,
        list: &dyn List,
        row: u32,
        sources: &Sources,
        place: &str,
    ) -> io::Result<()> {
        if self.account.is_overdrawn() {
            self.left_out += 1;
            return Ok(());
        }
        let writer = self.writer(with_file);
        let before = writer.size();
        writer.push(list, row, sources, Some(place));
        let written = writer.take();
        let size = written.len() + writer.size().saturating_sub(before);
        self.account.take(size as u64);
        self.out.write_all(written.as_bytes())
    }

    /// Reports how many rows are left out. Returns whether there are any.
    fn report_cut(&self) -> bool {
        if self.left_out > 0 {
            complain!(
                "{} kernels left out: the output is too long; use --columns or --filter",
                self.left_out
            );
        }
        self.left_out > 0
    }

    /// Prints the buffered rows.
    fn finish(mut self) -> io::Result<()> {
        let is_plain = self.form == Form::Plain;
        if is_plain && self.has_rows {
            let with_file = self.with_file;
            let mut table = self.writer(with_file).table();
            let left_out = fit(&mut table);
            let mut out = output::Visible::new(&mut self.out, output::colors());
            print_table(&table, &mut out, |_| style::PLAIN)?;
            self.out.flush()?;
            report_left_out(&left_out);
        } else if !is_plain {
            let with_file = self.with_file;
            self.writer(with_file);
            if let Some(writer) = self.writer.take() {
                self.out.write_all(writer.finish().as_bytes())?;
            }
            self.out.flush()?;
        }
        Ok(())
    }
}
