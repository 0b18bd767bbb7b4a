//! `zeview sizes`: prints what makes files large.

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use clap::Args;
use zeview::model::suggest::unknown_among;
use zeview::model::text::{counted, escaped, percent, plural, size};
use zeview::model::{Document, Sources};
use zeview::sizes::{SizeFilter, SizeKey, SizeLimit, SizeReading, Sizes};
use zeview::tables::query::{Filter, Query, RowOptions, SizeOptions};
use zeview::tables::sizes::list_since;
use zeview::tables::write::Form;
use zeview::tables::{Column, List, ListId, Presence};

use crate::FileArgument;
use crate::argument::{FILES_AND_FOLDERS, InputFiles, complain_of_devices, own_help};
use crate::files::{Inputs, while_reading};
use crate::output::{self, complain};
use crate::rows::ListRows;
use crate::style;

const LIST: ListId = ListId::Sizes;

/// Number of rows that are printed without `--all`.
const TOP: u64 = 40;

#[derive(Args)]
#[command(mut_args(own_help(&[("files", FILES_AND_FOLDERS)])))]
#[command(after_long_help = columns_help())]
pub struct Options {
    #[command(flatten)]
    pub input: InputFiles,
    /// What bytes are grouped by. Default: device, or section for a file for a single device.
    #[arg(long, value_name = "file|device|image|family|kernel|section|part", value_parser = key)]
    by: Option<SizeKey>,
    /// Count only the bytes in this group: `device=pvc`, `family=gemm_kernel`. A name as tables print it,
    /// a demangled name, another name of the device, or a pattern. Can be given several times; all must be
    /// met.
    #[arg(long, value_name = "GROUP=NAME", value_parser = within)]
    within: Vec<SizeFilter>,
    /// Compare with an earlier version of the file: what grew, in descending order of the change.
    #[arg(long, value_name = "FILE")]
    pub since: Option<FileArgument>,
    /// Fail (exit status 1) if a size exceeds a limit: `total > 200 MB`, `device pvc > 50 MB`,
    /// `unpacked kernel 'gemm*' debug > 1 MiB`, `copies > 0`. Units are B, KB, MB, GB (decimal), KiB,
    /// MiB, GiB; `*` stands for any characters. Can be given several times. A group that is not in
    /// the file has no bytes.
    #[arg(long, value_name = "LIMIT", value_parser = SizeLimit::parse)]
    fail_if: Vec<SizeLimit>,
    /// Print a JSON array with one object per row: schema, file, and all columns.
    #[arg(long, conflicts_with_all = ["csv", "markdown"])]
    json: bool,
    /// Print comma-separated values with a header line.
    #[arg(long, conflicts_with = "markdown")]
    csv: bool,
    /// Print a Markdown table.
    #[arg(long)]
    markdown: bool,
    /// Print these columns, separated by commas.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = column)]
    columns: Vec<&'static Column>,
    /// List only matching rows: words, conditions, and, or, not, parentheses: `stored>1000000`.
    #[arg(long, value_name = "QUERY", value_parser = filter)]
    filter: Option<String>,
    /// Sort by a column in ascending order; -COLUMN sorts in descending order.
    #[arg(long, value_name = "COLUMN", value_parser = sort, allow_hyphen_values = true)]
    sort: Option<(&'static str, bool)>,
    /// Print all rows. Tables have the first 40 by default.
    #[arg(long)]
    all: bool,
    /// Print kernel names in tables as stored in the file. Default: short names.
    #[arg(long)]
    full_names: bool,
}

fn key(name: &str) -> Result<SizeKey, String> {
    SizeKey::named(name).ok_or_else(|| {
        let known = SizeKey::ALL.map(SizeKey::name).join(", ");
        format!("expected one of {known}")
    })
}

fn within(text: &str) -> Result<SizeFilter, String> {
    let example = "write for example device=pvc";
    let (group, name) = text.split_once('=').ok_or_else(|| example.to_owned())?;
    Ok(SizeFilter {
        key: key(group.trim())?,
        name: name.trim().to_owned(),
    })
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
    let mut help =
        "Columns; those of parts are printed by default if one of the rows has such bytes:\n"
            .to_owned();
    for column in LIST.columns() {
        let is_default = column.presence == Presence::Default;
        let star = if is_default { '*' } else { ' ' };
        help.push_str(&format!("  {:12} {star} {}\n", column.id, column.doc));
    }
    help.push_str(
        "\nStored sizes add up to the size of the file. What is unpacked from a compressed stream shares \
         its bytes in proportion.\n\nExit status: 1 if a size exceeds a --fail-if limit. Otherwise 2 if a \
         file could not be read completely. Otherwise 0.",
    );
    help
}

impl Options {
    fn form(&self) -> Form {
        match (self.json, self.csv, self.markdown) {
            (true, ..) => Form::Json,
            (_, true, _) => Form::Csv,
            (_, _, true) => Form::Markdown,
            _ => Form::Plain,
        }
    }
}

pub fn run(options: &Options) -> io::Result<ExitCode> {
    let mut inputs = Inputs::default();
    let base = match &options.since {
        None => None,
        Some(path) => match inputs.open(path) {
            None => return Ok(ExitCode::from(2)),
            Some(mut document) => {
                let sizes = read(path, &mut document);
                inputs.report_unread(path, &document);
                Some(sizes)
            }
        },
    };
    let account = output::account();
    let form = options.form();
    let with_file = form != Form::Plain;
    // JSON and CSV have one table for all files.
    let mut rows: Option<ListRows> = None;
    let mut fails = false;
    // The limits that no file has bytes for.
    let mut idle: Vec<&SizeLimit> = options.fail_if.iter().collect();
    let groups = options.within.iter().map(|filter| Group {
        filter,
        is_known: false,
        suggestion: None,
    });
    let mut groups: Vec<Group<'_>> = groups.collect();
    inputs.each(&options.input.files, |inputs, file, mut document| {
        output::allow(&account, &document);
        let sizes = read(file, &mut document);
        inputs.report_unread(file, &document);
        let name = file.display().to_string();
        for limit in &options.fail_if {
            for message in limit.exceeded(&sizes, &document.sources) {
                fails = true;
                complain!("{name}: {message}");
            }
        }
        idle.retain(|limit| !limit.concerns(&sizes, &document.sources));
        let within = groups.iter_mut();
        let within = within.map(|group| group.find(&sizes, &document.sources));
        let within: Vec<SizeFilter> = match within.collect() {
            Ok(within) => within,
            Err(error) => {
                inputs.fail(file, &format_args!("--within: {error}"));
                return Ok(());
            }
        };
        let query = query(options, &within);
        let list = list_since(&sizes, base.as_ref(), &query);
        let sources = &document.sources;
        let order = match query.run(&*list, sources) {
            Ok(order) => order,
            Err(error) => {
                inputs.fail(file, &format_args!("--filter: {error}"));
                return Ok(());
            }
        };
        let columns = columns(options, &*list);
        let start = || {
            let rows = ListRows::new(LIST, &columns, form, with_file, &account);
            rows.with_writer(|writer| writer.with_full_names(options.full_names))
        };
        if form == Form::Plain {
            print_head(&name, &sizes, &within)?;
        }
        let mut own = (form == Form::Plain).then(start);
        let rows = match &mut own {
            Some(own) => own,
            None => rows.get_or_insert_with(start),
        };
        let is_cut = !options.all && matches!(form, Form::Plain | Form::Markdown);
        let shown = if is_cut { TOP } else { u64::MAX };
        let mut left_out = 0;
        for row in order.from(0, shown) {
            left_out += u64::from(!rows.push(&*list, row, sources, &name)?);
        }
        if let Some(own) = own {
            own.finish()?;
        }
        if form == Form::Plain {
            let more = u64::from(order.count()).saturating_sub(shown);
            print_foot(&sizes, more, options)?;
        }
        if left_out > 0 {
            let left_out = plural(left_out, "row");
            let problem = format!("{left_out} left out: the output is too long; use --filter");
            inputs.fail(file, &problem);
        }
        Ok(())
    })?;
    match rows {
        Some(rows) => rows.finish()?,
        None if form != Form::Plain => {
            let columns: Vec<&'static Column> = LIST.columns().iter().collect();
            ListRows::new(LIST, &columns, form, with_file, &account).finish()?;
        }
        None => {}
    }
    for group in groups.iter().filter(|group| !group.is_known) {
        if let Some(unknown) = &group.suggestion {
            complain!("--within: {unknown}");
            inputs.note_problem();
        }
    }
    if complain_of_devices(idle.iter().filter_map(|limit| limit.device())) {
        inputs.note_problem();
    }
    if fails {
        return Ok(ExitCode::FAILURE);
    }
    if output::is_reader_gone() && !options.fail_if.is_empty() {
        complain!("the output was not read to its end: --fail-if cannot be judged");
        inputs.note_problem();
    }
    Ok(inputs.status())
}

/// A group that `--within` names.
struct Group<'a> {
    filter: &'a SizeFilter,
    /// Whether a file has it, or could have it.
    is_known: bool,
    /// What is similar in the first file.
    suggestion: Option<String>,
}

impl Group<'_> {
    /// Returns the group in a file, by its own name.
    fn find(&mut self, sizes: &Sizes, sources: &Sources) -> Result<SizeFilter, String> {
        let SizeFilter { key, name } = self.filter;
        let found = sizes.named(*key, name, sources);
        let name = match found.as_slice() {
            [row] => row.name.clone(),
            [] => match sources.device_named(name) {
                Some(device) if *key == SizeKey::Device => device.to_string(),
                _ => {
                    let rows = sizes.rows(*key, &[]);
                    let known = rows.iter().map(|row| &*row.name);
                    self.suggestion
                        .get_or_insert_with(|| unknown_among(key.name(), name, known));
                    let name = name.clone();
                    return Ok(SizeFilter { key: *key, name });
                }
            },
            [first, second, rest @ ..] => {
                let others = if rest.is_empty() { "" } else { ", …" };
                let (first, second) = (escaped(&first.name), escaped(&second.name));
                let key = key.name();
                return Err(format!(
                    "{name:?} is more than one {key}: {first}, {second}{others}"
                ));
            }
        };
        self.is_known = true;
        Ok(SizeFilter { key: *key, name })
    }
}

/// Reads the sizes of a file, and shows progress.
fn read(file: &Path, document: &mut Document) -> Sizes {
    let mut reading = SizeReading::new(document);
    while_reading(file, |progress| {
        while reading.step(document) {
            let done = reading.progress();
            let name = file.display();
            progress.set(|| format!("reading {name}: {} of {}", done.done, done.of));
        }
    });
    reading.sizes(document)
}

fn query(options: &Options, within: &[SizeFilter]) -> Query {
    Query {
        filter: options.filter.clone().unwrap_or_default(),
        sort: options.sort.map(|(column, _)| column.into()),
        descending: options.sort.is_some_and(|(_, descending)| descending),
        options: RowOptions::sizes(SizeOptions {
            by: options.by,
            within: within.to_vec(),
        }),
        ..Query::default()
    }
}

fn columns(options: &Options, list: &dyn List) -> Vec<&'static Column> {
    match (options.columns.as_slice(), options.form()) {
        ([], Form::Json | Form::Csv) => LIST.columns().iter().collect(),
        ([], _) => {
            let columns = LIST.columns().iter();
            columns.filter(|column| list.shows(column)).collect()
        }
        (columns, _) => columns.to_vec(),
    }
}

/// Prints the size of a file.
fn print_head(name: &str, sizes: &Sizes, within: &[SizeFilter]) -> io::Result<()> {
    let mut out = output::text();
    out.paint(style::HEAD, escaped(name))?;
    write!(out, ": {}", counted(sizes.total, "byte", "bytes"))?;
    let unpacked = sizes.unpacked();
    if unpacked != sizes.total {
        write!(out, ", {} unpacked", counted(unpacked, "byte", "bytes"))?;
    }
    if !within.is_empty() {
        let sum = sizes.sum(within);
        let names = within.iter();
        let names = names.map(|of| format!("{} {}", of.key.name(), escaped(&of.name)));
        let names: Vec<String> = names.collect();
        let of = counted(sum.stored, "byte", "bytes");
        write!(out, "; {}: {of}", names.join(", "))?;
    }
    writeln!(out)?;
    out.flush()
}

/// Prints the number of rows that are not printed, and how much smaller the file would be without
/// each device.
fn print_foot(sizes: &Sizes, more: u64, options: &Options) -> io::Result<()> {
    let mut out = output::text();
    if more > 0 {
        let rows = counted(more, "row", "rows");
        writeln!(out, "{rows} more; --all prints them")?;
    }
    if options.within.is_empty() && options.since.is_none() {
        // Bytes of a stream are shared in proportion.
        let about = if sizes.unpacked() == sizes.total {
            ""
        } else {
            "about "
        };
        // Of a file for one device, nothing would be left.
        let devices = sizes.devices().into_iter();
        for (device, stored) in devices.filter(|(_, stored)| *stored < sizes.total) {
            let share = percent(stored, sizes.total);
            let device = escaped(&device);
            writeln!(
                out,
                "Without {device}, the file would be {about}{} smaller ({share}).",
                size(stored)
            )?;
        }
    }
    out.flush()
}
