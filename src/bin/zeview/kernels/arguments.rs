//! The arguments of `zeview kernels`.

use clap::Args;
use clap::error::ErrorKind;
use zeview::model::text::escaped;
use zeview::tables::query::{Filter, GroupBy};
use zeview::tables::{Column, ListId, Presence};

use crate::FileArgument;
use crate::argument::{InputFiles, ReportFormat, TableFormat, Within, own_help};
use crate::gate::{Condition, condition};
use crate::occupancy;

/// Help of `--json`.
const JSON_HELP: &str = "Print a JSON array with one object per kernel: schema, file, and all columns, with \
    defaults filled in. Columns that require decoding the code appear only if --columns \
    names them";

/// Help of `--csv`.
const CSV_HELP: &str = "Print comma-separated values with a header line: the columns of the table, unless \
    --columns names others";

/// Help of `--path`.
const PATH_HELP: &str = "List only the kernels of these documents within the file: a path as `zeview ls` prints \
    it, or a pattern. Default: the kernels of the file, or of all documents in it";

#[derive(Args)]
#[command(mut_args(own_help(&[("json", JSON_HELP), ("csv", CSV_HELP), ("path", PATH_HELP)])))]
#[command(after_long_help = columns_help())]
pub struct Options {
    #[command(flatten)]
    pub input: InputFiles,
    #[command(flatten)]
    pub format: TableFormat,
    #[command(flatten)]
    pub within: Within,
    /// Print these columns: ids as in .ze_info, separated by commas.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    columns: Vec<String>,
    /// List only matching kernels. A query has words that names contain, conditions as in
    /// --fail-if, and, or, not, parentheses: `spill_size>0 and not main`.
    #[arg(long, value_name = "QUERY")]
    filter: Option<String>,
    /// Sort by a column in ascending order; -COLUMN or COLUMN:desc sorts in descending order.
    #[arg(long, value_name = "COLUMN", allow_hyphen_values = true)]
    sort: Option<String>,
    /// Fail (exit status 1) if a kernel meets the condition: a column, one of > >= < <= = !=, and a
    /// number, yes, no, or (with = and !=) text, in quotes if it has spaces. Combine conditions
    /// with and, or, not and parentheses. Can be given several times. If not all kernels can be
    /// judged, the exit status is 2; see below.
    #[arg(long, value_name = "CONDITION")]
    pub(super) fail_if: Vec<String>,
    /// List only the kernels that meet a --fail-if condition. All are judged.
    #[arg(long, requires = "fail_if")]
    pub failing: bool,
    /// Print full demangled names in tables. Default: short names, without wrappers and without the
    /// parts that all names of the file share. CSV and JSON always have full names.
    #[arg(long)]
    pub full_names: bool,
    /// Also list kernels of images that are byte-for-byte copies of another image, and placeholders
    /// (Intel_Symbol_Table_Void_Program). --fail-if always judges them.
    #[arg(long)]
    pub all: bool,
    /// For kernels with builds in several images, print one row per kernel, family, image or
    /// device instead of one per build, with all values that differ; by figures, one row for builds
    /// of a kernel whose figures are equal.
    #[arg(long, value_name = "figures|kernel|family|image|device", value_parser = group_by, conflicts_with_all = ["fail_if", "all", "is_requested"])]
    pub group_by: Option<GroupBy>,
    /// Add the columns of a profile of these files: samples, the metrics of `unitrace -q` and `-k` by
    /// their names (`XVE_STALL[%]`), and the device times of `unitrace -d`. A folder of `unitrace
    /// --result-dir` is one profile. Kernels are found by name, as by `zeview profile`. Can be
    /// given several times.
    #[arg(long, value_name = "PROFILE")]
    pub profile: Vec<FileArgument>,
    #[command(flatten)]
    pub occupancy: occupancy::Limits,
    /// Set for `zeview analyze --summary`.
    #[arg(skip)]
    pub summary: Option<Summary>,
}

/// The output of `zeview analyze --summary`: the kernel table with the figures of the costliest loop.
#[derive(Clone, Copy)]
pub struct Summary {
    /// Whether it is a Markdown report.
    pub markdown: bool,
}

/// The arguments of `zeview analyze --summary`.
#[derive(Args)]
pub struct SummaryOptions {
    /// Print one table of all kernels of the file, wheel or folder: the cycles, operations, bytes
    /// and arithmetic intensity of the costliest loop of each. With --markdown, a report; with
    /// --json, the array of `zeview kernels --json` with these columns. The exit status is that of
    /// `zeview kernels`, and also 2 if a limit left a figure unknown.
    #[arg(long, conflicts_with_all = ["kernel", "device", "image", "file_in_package", "all"])]
    pub summary: bool,
    /// For --summary: fail (exit status 1) if a kernel meets the condition, as `zeview kernels
    /// --fail-if`: `loop_intensity<4 and loop_dpas_operations>0`. Can be given several times.
    #[arg(long, value_name = "CONDITION", requires = "summary")]
    fail_if: Vec<String>,
    /// For --summary: list only matching kernels, as `zeview kernels --filter`.
    #[arg(long, value_name = "QUERY", requires = "summary")]
    filter: Option<String>,
    /// For --summary: sort by a column, as `zeview kernels --sort`: `-loop_cycles`.
    #[arg(
        long,
        value_name = "COLUMN",
        allow_hyphen_values = true,
        requires = "summary"
    )]
    sort: Option<String>,
}

/// The columns of a summary. Those of images are left out for files without images.
const SUMMARY_COLUMNS: [&str; 17] = [
    "name",
    "package_file",
    "image",
    "device",
    "simd_size",
    "spill_size",
    "peak_live_registers",
    "peak_live_registers_iga",
    "instructions",
    "loop_cycles",
    "loop_issue_cycles",
    "loop_float_operations",
    "loop_dpas_operations",
    "loop_integer_operations",
    "loop_global_bytes",
    "loop_slm_bytes",
    "loop_intensity",
];

impl SummaryOptions {
    /// Returns the kernel table that it stands for.
    pub fn table(&self, file: &FileArgument, format: &ReportFormat) -> Options {
        Options {
            input: InputFiles {
                files: vec![file.clone()],
            },
            format: TableFormat {
                json: format.json,
                csv: false,
            },
            within: Within { path: None },
            columns: SUMMARY_COLUMNS.map(str::to_owned).to_vec(),
            filter: self.filter.clone(),
            sort: self.sort.clone(),
            fail_if: self.fail_if.clone(),
            failing: false,
            full_names: false,
            all: false,
            group_by: None,
            profile: Vec::new(),
            occupancy: occupancy::Limits::default(),
            summary: Some(Summary {
                markdown: format.markdown,
            }),
        }
    }
}

/// The arguments that name columns. The metrics of profiles are columns, so these arguments are
/// parsed after the profiles are read.
pub struct Selection {
    pub columns: Vec<&'static Column>,
    pub filter: Option<Filter>,
    pub sort: Option<SortOrder>,
    pub fail_if: Vec<Condition>,
}

impl Options {
    /// Parses the arguments that name columns.
    ///
    /// # Errors
    ///
    /// The first argument that is invalid.
    pub fn selection(&self) -> Result<Selection, clap::Error> {
        let columns = self
            .columns
            .iter()
            .map(|name| parse("--columns <NAMES>", name, column));
        let fail_if = self.fail_if.iter();
        let fail_if = fail_if.map(|text| parse("--fail-if <CONDITION>", text, condition));
        let filter = self.filter.as_ref();
        let sort_by = self.sort.as_ref();
        Ok(Selection {
            columns: columns.collect::<Result<_, _>>()?,
            filter: filter
                .map(|text| parse("--filter <QUERY>", text, filter_of))
                .transpose()?,
            sort: sort_by
                .map(|text| parse("--sort <COLUMN>", text, sort))
                .transpose()?,
            fail_if: fail_if.collect::<Result<_, _>>()?,
        })
    }
}

/// Parses the value of an argument. The error is that of clap's own value parsers.
fn parse<T>(
    argument: &str,
    value: &str,
    parser: fn(&str) -> Result<T, String>,
) -> Result<T, clap::Error> {
    parser(value).map_err(|reason| {
        let value = escaped(value);
        let message = format!(
            "invalid value '{value}' for '{argument}': {reason}\n\n\
             For more information, try '--help'.\n"
        );
        clap::Error::raw(ErrorKind::ValueValidation, message)
    })
}

pub fn columns() -> &'static [Column] {
    ListId::Kernels.columns()
}

fn column(name: &str) -> Result<&'static Column, String> {
    ListId::Kernels.column_called(name)
}

fn filter_of(text: &str) -> Result<Filter, String> {
    Filter::parse(text, ListId::Kernels)
}

fn group_by(text: &str) -> Result<GroupBy, String> {
    let found = GroupBy::named(text);
    found.ok_or_else(|| "expected figures, kernel, family, image or device".to_owned())
}

#[derive(Clone, Copy)]
pub struct SortOrder {
    /// Index of the column.
    pub column: usize,
    pub is_descending: bool,
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
