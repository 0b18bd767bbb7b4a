//! The query language of all lists: filters and sort order.
//!
//! ```text
//! filter    = and { "or" and }
//! and       = not { [ "and" ] not }
//! not       = "not" not | "(" filter ")" | condition | text
//! condition = column sign value
//! sign      = ">" | ">=" | "<" | "<=" | "=" | "==" | "!="
//! ```
//!
//! * A *text* is a word or a quoted phrase. It matches a row if any cell contains it, ignoring
//!   case: a name (mangled, demangled or short), or words. A hexadecimal number (`0x40`) matches
//!   cells with exactly this hexadecimal number, and the name of a boolean column matches rows
//!   where it is true.
//! * A *column* is named by its id (`spill_size`), its title (`SIMD`), or both lines of its title
//!   (`Spill, B/thread`), ignoring case, with blanks or underscores; an unambiguous prefix is
//!   enough.
//! * A *value* is a number (decimal, or hexadecimal with `0x`), `yes`, `no`, `true`, `false`, or
//!   text. `=` and `!=` compare text as a whole, as in the file, demangled or short. Of several
//!   words, `=` matches any; the other operators compare the number of words. An empty cell meets
//!   no condition but `!=`.
//! * `and`, `or`, `not` are keywords in lower case; in quotation marks, everything is text.
//! * Blanks around operators and parentheses are optional. Without blanks, what precedes a `<` or
//!   `>` is part of a name, unless it names a column or a number follows: `foo<int>`, `a->b`;
//!   likewise in `operator==`. Parentheses within a word are part of it: `add(int, int)`.
//!
//! Malformed conditions and unterminated quotes are errors, never silently treated as text.
mod code;
mod filter;
mod parse;

pub use self::code::{CodeQuery, code_columns};
pub(crate) use self::code::{CodeStep, Origin, Without, column_id, origin};
pub use self::filter::{Filter, RowRef};
use super::{Column, Key, List, ListId, Presence};
use crate::sizes::{SizeFilter, SizeKey};
use serde::{Deserialize, Serialize};
use std::ops::Range;
use zeview_core::model::{Sources, Span, Str, sort};

/// Selects and orders the rows of a list.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Query {
    /// The [`Filter`]; empty for all rows.
    pub filter: String,
    /// The id of the column to sort by; by default, file order.
    pub sort: Option<Str>,
    /// Whether to sort in descending order.
    pub descending: bool,
    /// Whether to include secondary rows: functions among kernels, instructions that are the same
    /// in both files.
    pub all: bool,
    /// The bytes that it is a list of: a text, an owner of properties, a section of code.
    pub of: Option<Span>,
    /// What only the rows of some lists depend on.
    pub options: RowOptions,
}

/// What only the rows of some lists depend on; the others ignore it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum RowOptions {
    /// Nothing.
    #[default]
    None,
    /// For kernels of several images: the grouping; by default, a row per build.
    Kernels(GroupBy),
    /// For images and devices.
    Driver(DriverOptions),
    /// For instructions.
    Code(CodeOptions),
    /// For sizes.
    Sizes(SizeOptions),
    /// For what is found in code.
    Found(FindOptions),
    /// For the details of a difference: its index in the list of differences.
    Difference(u64),
}

/// What the driver's verdict on images depends on.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct DriverOptions {
    /// The device that images are selected for.
    pub device: Option<Str>,
    /// The release of the driver; by default the usual one.
    pub release: Option<Str>,
}

/// What the rows of code depend on.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CodeOptions {
    /// The encoding, or a device that has it; by default that of the file's device.
    pub encoding: Option<Str>,
    /// The folded loops, by the offset of their code; the folded functions of a module, by their first row. Without a filter and a column to sort by, only
    /// the first row of a folded loop is in the result.
    pub folded: Vec<u32>,
}

/// What the rows of sizes depend on.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SizeOptions {
    /// What bytes are grouped by; by default, what divides them.
    pub by: Option<SizeKey>,
    /// The bytes that are grouped: those that satisfy all conditions.
    pub within: Vec<SizeFilter>,
}

/// What the rows of what is found in code depend on. The [`CodeQuery`] is [`Query::filter`].
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FindOptions {
    /// Whether each instruction is a row; otherwise each kernel.
    pub each: bool,
}

impl CodeOptions {
    /// Unfolds the loops that hide one of these rows.
    pub fn reveal(&mut self, rows: &Range<u32>, list: &dyn List, sources: &Sources) {
        self.folded.retain(|start| {
            let hidden = list.folded_rows(*start, sources);
            let is_one_of =
                |hidden: &Range<u32>| hidden.start < rows.end && rows.start < hidden.end;
            !hidden.iter().any(is_one_of)
        });
    }
}

// Without any, the options are equal to those of a query that was not made for the list.
impl RowOptions {
    /// Returns those of kernels.
    pub fn grouped(by: Option<GroupBy>) -> RowOptions {
        by.map_or(RowOptions::None, RowOptions::Kernels)
    }

    /// Returns those of images and devices.
    pub fn for_device(device: Option<Str>, release: Option<Str>) -> RowOptions {
        if device.is_none() && release.is_none() {
            return RowOptions::None;
        }
        RowOptions::Driver(DriverOptions { device, release })
    }

    /// Returns those of instructions.
    pub fn code(encoding: Option<Str>, folded: Vec<u32>) -> RowOptions {
        if encoding.is_none() && folded.is_empty() {
            return RowOptions::None;
        }
        RowOptions::Code(CodeOptions { encoding, folded })
    }

    /// Returns those of sizes.
    pub fn sizes(options: SizeOptions) -> RowOptions {
        if options == SizeOptions::default() {
            return RowOptions::None;
        }
        RowOptions::Sizes(options)
    }

    /// Returns those of what is found in code.
    pub fn found(options: FindOptions) -> RowOptions {
        if options == FindOptions::default() {
            return RowOptions::None;
        }
        RowOptions::Found(options)
    }

    /// Returns those of a difference.
    pub fn difference(row: Option<u64>) -> RowOptions {
        row.map_or(RowOptions::None, RowOptions::Difference)
    }

    /// Whether the list has the same rows with other options: all but folded loops are equal.
    pub fn has_same_rows(&self, other: &RowOptions) -> bool {
        match (self, other) {
            (RowOptions::Code(code), RowOptions::Code(other)) => code.encoding == other.encoding,
            (RowOptions::Code(code), RowOptions::None)
            | (RowOptions::None, RowOptions::Code(code)) => code.encoding.is_none(),
            _ => self == other,
        }
    }
}

/// The groupings of kernels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum GroupBy {
    /// By name and stated figures: builds of a kernel that are equal for several devices are one row.
    Figures,
    /// By name: a row for each kernel, with all its builds.
    Kernel,
    /// By family: the instances of a template.
    Family,
    /// By image.
    Image,
    /// By device.
    Device,
}

impl GroupBy {
    /// All groupings.
    pub const ALL: [GroupBy; 5] = [
        GroupBy::Figures,
        GroupBy::Kernel,
        GroupBy::Family,
        GroupBy::Image,
        GroupBy::Device,
    ];

    /// Returns the grouping with a [name](GroupBy::name).
    pub fn named(name: &str) -> Option<GroupBy> {
        GroupBy::ALL.into_iter().find(|by| by.name() == name)
    }

    /// Returns its name: `kernel`.
    pub fn name(self) -> &'static str {
        match self {
            GroupBy::Figures => "figures",
            GroupBy::Kernel => "kernel",
            GroupBy::Family => "family",
            GroupBy::Image => "image",
            GroupBy::Device => "device",
        }
    }

    /// Whether the builds of a group are those of one kernel.
    pub fn is_of_kernel(self) -> bool {
        matches!(self, GroupBy::Figures | GroupBy::Kernel)
    }

    /// Returns the column of [`ListId::Kernels`] that names a group: its values are equal in it.
    pub fn column(self) -> &'static str {
        match self {
            GroupBy::Figures | GroupBy::Kernel => "name",
            GroupBy::Family => "family",
            GroupBy::Image => "image",
            GroupBy::Device => "device",
        }
    }
}

/// Returns a note about a number of rows that a filter cannot judge; `None` for 0.
pub fn undecided_text(count: u64) -> Option<String> {
    let (rows, are) = match count {
        0 => return None,
        1 => ("1 row".to_owned(), "is"),
        count => (format!("{count} rows"), "are"),
    };
    Some(format!(
        "{rows} {are} not judged by the filter: the value that it compares is unknown"
    ))
}

/// A query that is run row by row: judging a row may need the code of a kernel.
pub struct QueryRun {
    query: Query,
    filter: Filter,
    /// The index of the column to sort by.
    sort: Option<usize>,
    /// Whether judging or sorting rows needs the code of kernels.
    needs_code: bool,
    /// The number of rows, and of those that were judged.
    count: u32,
    judged: u32,
    /// The judged rows that match, in the order of the list.
    rows: Vec<u32>,
    /// The number of judged rows of which it is unknown whether they match.
    undecided: u64,
}

impl QueryRun {
    /// Starts to run a query on a list.
    ///
    /// # Errors
    ///
    /// A message, if the filter is malformed or there is no such column to sort by.
    pub fn new(query: &Query, list: &dyn List) -> Result<QueryRun, String> {
        // The rows of what is found in code are those that the filter finds.
        let filter = match list.id() {
            ListId::Found => Filter::parse("", ListId::Found)?,
            id => Filter::parse(&query.filter, id)?,
        };
        let columns = list.id().columns();
        let sort = match &query.sort {
            Some(id) => {
                let wanted = list.id().column_called(id)?;
                columns.iter().position(|column| column.id == wanted.id)
            }
            None => None,
        };
        let is_counted = |column: &Column| column.presence == Presence::Counted;
        let sorts_by_code = sort.and_then(|at| columns.get(at)).is_some_and(is_counted);
        Ok(QueryRun {
            needs_code: sorts_by_code || filter.needs_code(columns),
            count: if query.all {
                list.count()
            } else {
                list.primary()
            },
            query: query.clone(),
            filter,
            sort,
            judged: 0,
            rows: Vec::new(),
            undecided: 0,
        })
    }

    /// Whether judging or sorting rows needs the code of kernels, which takes up to a second for a row.
    pub fn needs_code(&self) -> bool {
        self.needs_code
    }

    /// Whether all rows were judged.
    pub fn is_over(&self) -> bool {
        self.judged >= self.count || self.filter.is_empty() && !self.needs_code
    }

    /// Returns the number of judged rows, and of all.
    pub fn progress(&self) -> (u32, u32) {
        (self.judged, self.count)
    }

    /// Judges the next row.
    pub fn step(&mut self, list: &dyn List, sources: &Sources) {
        let row = self.judged;
        self.judged = row.saturating_add(1);
        if !self.filter.matches(list, row, sources) {
            self.undecided += u64::from(self.filter.is_undecided((list, row, sources)));
            return;
        }
        if let Some(column) = self.sort.filter(|_| self.needs_code) {
            // Lists keep the figures of code, so sorting finds them.
            let _ = list.key(row, column, sources);
        }
        self.rows.push(row);
    }

    /// Returns the rows that match, of those that were judged. The sort is stable.
    pub fn order(&self, list: &dyn List, sources: &Sources) -> Order {
        if self.filter.is_empty() && self.sort.is_none() {
            return self.query.unfolded(self.count, list, sources);
        }
        let all = (self.filter.is_empty() && !self.needs_code).then_some(0..self.count);
        let rows = || {
            let judged = self.rows.iter().copied().filter(|_| all.is_none());
            all.clone().into_iter().flatten().chain(judged)
        };
        let Some(column) = self.sort else {
            return Order::Rows(rows().collect());
        };
        let keyed = rows().map(|row| (list.key(row, column, sources), row));
        let mut keyed: Vec<(Key<'_>, u32)> = keyed.collect();
        // Not sorted and then reversed: rows with equal keys stay in the order of the list.
        sort::by(&mut keyed, |(a, _), (b, _)| {
            if self.query.descending {
                b.order(a)
            } else {
                a.order(b)
            }
        });
        Order::Rows(keyed.into_iter().map(|(_, row)| row).collect())
    }

    /// Returns a note about the judged rows that are not listed because the value that the filter compares is
    /// unknown, if there are any.
    pub fn undecided_note(&self) -> Option<String> {
        undecided_text(self.undecided)
    }
}

impl Query {
    /// Runs the query. The sort is stable.
    ///
    /// # Errors
    ///
    /// A message, if the filter is malformed or there is no such column to sort by.
    pub fn run(&self, list: &dyn List, sources: &Sources) -> Result<Order, String> {
        let mut run = QueryRun::new(self, list)?;
        while !run.is_over() {
            run.step(list, sources);
        }
        Ok(run.order(list, sources))
    }
}

impl Query {
    /// Returns a note about the rows that the filter does not list because the value that it compares
    /// is unknown, if there are any.
    pub fn undecided_note(&self, list: &dyn List, sources: &Sources) -> Option<String> {
        let id = list.id();
        let filter = Filter::parse(&self.filter, id)
            .ok()
            .filter(|_| id != ListId::Found)?;
        if filter.is_empty() {
            return None;
        }
        let rows = 0..list.primary();
        let undecided = rows.filter(|row| filter.is_undecided((list, *row, sources)));
        undecided_text(undecided.count() as u64)
    }

    /// Returns the first rows of a list, up to this number, without those that folded loops hide.
    fn unfolded(&self, count: u32, list: &dyn List, sources: &Sources) -> Order {
        let folded = self.folded().iter();
        let folded = folded.flat_map(|start| list.folded_rows(*start, sources));
        let hidden: Vec<Range<u32>> = folded.filter(|rows| !rows.is_empty()).collect();
        if hidden.is_empty() {
            return Order::All(count);
        }
        let mut rows = Vec::new();
        let mut row = 0;
        while row < count {
            // Loops may be nested, and overlap in code without structure.
            match hidden.iter().find(|hidden| hidden.contains(&row)) {
                Some(hidden) => row = hidden.end,
                None => {
                    rows.push(row);
                    row += 1;
                }
            }
        }
        Order::Rows(rows)
    }

    /// Returns the grouping of kernels.
    pub fn by(&self) -> Option<GroupBy> {
        match &self.options {
            RowOptions::Kernels(by) => Some(*by),
            _ => None,
        }
    }

    /// Returns what sizes are grouped by, and which bytes.
    pub fn sizes(&self) -> SizeOptions {
        match &self.options {
            RowOptions::Sizes(options) => options.clone(),
            _ => SizeOptions::default(),
        }
    }

    /// Returns what is searched in code.
    pub fn find(&self) -> FindOptions {
        match &self.options {
            RowOptions::Found(options) => options.clone(),
            _ => FindOptions::default(),
        }
    }

    /// Returns the device that images are selected for.
    pub fn device(&self) -> Option<&Str> {
        match &self.options {
            RowOptions::Driver(driver) => driver.device.as_ref(),
            _ => None,
        }
    }

    /// Returns the release of the driver.
    pub fn release(&self) -> Option<&Str> {
        match &self.options {
            RowOptions::Driver(driver) => driver.release.as_ref(),
            _ => None,
        }
    }

    /// Returns the encoding of code.
    pub fn encoding(&self) -> Option<&Str> {
        match &self.options {
            RowOptions::Code(code) => code.encoding.as_ref(),
            _ => None,
        }
    }

    /// Returns the folded loops of code.
    pub fn folded(&self) -> &[u32] {
        match &self.options {
            RowOptions::Code(code) => &code.folded,
            _ => &[],
        }
    }

    /// Folds these loops of code, and unfolds all others.
    pub fn fold(&mut self, folded: Vec<u32>) {
        if let RowOptions::Code(code) = &mut self.options {
            self.options = RowOptions::code(code.encoding.take(), folded);
        } else if self.options == RowOptions::None {
            self.options = RowOptions::code(None, folded);
        }
    }

    /// Returns the index of a difference.
    pub fn difference(&self) -> Option<u64> {
        match &self.options {
            RowOptions::Difference(row) => Some(*row),
            _ => None,
        }
    }
}

/// An ordered selection of rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Order {
    /// The first rows, up to this number, in the order of the list.
    All(u32),
    /// These rows.
    Rows(Vec<u32>),
}

impl Order {
    /// Returns the number of rows.
    pub fn count(&self) -> u32 {
        match self {
            Order::All(count) => *count,
            Order::Rows(rows) => u32::try_from(rows.len()).unwrap_or(u32::MAX),
        }
    }

    /// Returns the row at a position.
    pub fn row(&self, place: u64) -> Option<u32> {
        let place = u32::try_from(place).ok()?;
        match self {
            Order::All(count) => (place < *count).then_some(place),
            Order::Rows(rows) => rows.get(usize::try_from(place).ok()?).copied(),
        }
    }

    /// Returns the position of a row.
    pub fn place(&self, row: u32) -> Option<u64> {
        match self {
            Order::All(count) => (row < *count).then_some(row.into()),
            Order::Rows(rows) => {
                let place = rows.iter().position(|other| *other == row)?;
                Some(place as u64)
            }
        }
    }

    /// Returns at most `count` rows, starting at a position.
    pub fn from(&self, start: u64, count: u64) -> impl Iterator<Item = u32> {
        let end = u64::from(self.count()).min(start.saturating_add(count));
        (start..end).filter_map(|place| self.row(place))
    }
}

#[cfg(test)]
mod tests;
