//! Lists: kernels, instructions, relocations, symbols, modules, properties, images, devices, the
//! lines of a text, source lines, differences between files.
//!
//! All of them are one thing: rows with columns, a [`query`](mod@query) that filters and sorts
//! them, pages, the row that some bytes belong to, and [`write`](mod@write) (CSV, Markdown,
//! JSON). A new table is one implementation of [`List`] with its columns; [`Document::list`]
//! finds it.
#![forbid(unsafe_code)]
#![deny(
    missing_docs,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::cast_possible_truncation
)]
#![cfg_attr(
    test,
    allow(
        clippy::indexing_slicing,
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic
    )
)]

mod change;
pub mod changes;
pub mod devices;
pub mod differences;
pub mod gate;
pub mod images;
pub mod instructions;
mod kernel_groups;
pub mod kernel_reading;
pub mod kernels;
pub mod lines;
pub mod modules;
pub mod properties;
pub mod query;
pub mod relocations;
pub mod source_lines;
pub mod symbols;
#[cfg(feature = "decode")]
pub mod table;
pub mod write;
#[cfg(feature = "decode")]
pub mod writer;

use std::borrow::Cow;
use std::cmp::Ordering;
use std::ops::Range;
use std::rc::Rc;

use serde::{Deserialize, Serialize};

use self::kernel_groups::KernelGroups;
use self::query::{GroupBy, Query};
pub use crate::analysis::assembly::Mark;
use crate::analysis::assembly::Part;
use crate::analysis::kernels::{KernelDetail, Kernels};
use crate::analysis::modules::Holder;
use crate::model::{Document, NodeId, NodeKind, SourceError, Sources, Span, Str, Tone, Xref};

/// Which list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum ListId {
    /// The kernels of a document, and the functions that other modules can call.
    Kernels,
    /// The relocations of an ELF file.
    Relocations,
    /// The symbols of an ELF file.
    Symbols,
    /// The abstract modules of a SYCLBIN.
    Modules,
    /// The properties of a SYCLBIN, or of a module or image in it: of what
    /// [`Query::of`](query::Query::of) belongs to.
    Properties,
    /// The images of a container; for a device with [`Query::device`](query::Query::device).
    Images,
    /// The devices, and what the driver does on each with a document, or which images of a
    /// container run on it.
    Devices,
    /// The lines of the text [`Query::of`](query::Query::of).
    Lines,
    /// The source lines of the code.
    SourceLines,
    /// The instructions of the section of code [`Query::of`](query::Query::of); in another
    /// encoding with [`Query::device`](query::Query::device).
    Instructions,
    /// What differs from the file that the document is compared with.
    Differences,
    /// One of the differences in full: that at [`Query::row`](query::Query::row).
    Changes,
}

impl ListId {
    /// Every list.
    pub const ALL: [ListId; 12] = [
        ListId::Kernels,
        ListId::Relocations,
        ListId::Symbols,
        ListId::Modules,
        ListId::Properties,
        ListId::Images,
        ListId::Devices,
        ListId::Lines,
        ListId::SourceLines,
        ListId::Instructions,
        ListId::Differences,
        ListId::Changes,
    ];

    /// Its columns, in the order of the table.
    pub fn columns(self) -> &'static [Column] {
        match self {
            ListId::Kernels => kernels::COLUMNS,
            ListId::Relocations => relocations::COLUMNS,
            ListId::Symbols => symbols::COLUMNS,
            ListId::Modules => modules::COLUMNS,
            ListId::Properties => properties::COLUMNS,
            ListId::Images => images::COLUMNS,
            ListId::Devices => devices::COLUMNS,
            ListId::Lines => lines::COLUMNS,
            ListId::SourceLines => source_lines::COLUMNS,
            ListId::Instructions => instructions::COLUMNS,
            ListId::Differences => differences::COLUMNS,
            ListId::Changes => changes::COLUMNS,
        }
    }

    /// The columns that are shown if nobody chooses others; the list is of one document.
    pub fn default_columns(self) -> impl Iterator<Item = &'static Column> {
        let columns = self.columns().iter();
        columns.filter(|column| column.presence == Presence::Default)
    }

    /// Its name in the plural, for addresses, file names and elements: `kernels`.
    pub fn name(self) -> &'static str {
        match self {
            ListId::Kernels => "kernels",
            ListId::Relocations => "relocations",
            ListId::Symbols => "symbols",
            ListId::Modules => "modules",
            ListId::Properties => "properties",
            ListId::Images => "images",
            ListId::Devices => "devices",
            ListId::Lines => "lines",
            ListId::SourceLines => "source-lines",
            ListId::Instructions => "instructions",
            ListId::Differences => "differences",
            ListId::Changes => "changes",
        }
    }
}

/// A column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Column {
    /// Its name in queries, CSV and JSON: the key in `.ze_info`, where it has one.
    pub id: &'static str,
    /// What stands above it.
    pub title: &'static str,
    /// What its numbers count, or a second line of the title; may be empty.
    pub unit: &'static str,
    /// What it means.
    pub doc: &'static str,
    /// How it is aligned and compared.
    pub kind: ColumnKind,
    /// Whether it is shown.
    pub presence: Presence,
    /// The least width in characters; 0: as its largest number needs.
    pub width: u32,
}

impl Column {
    /// Title and unit: `Spill, B/thread`.
    pub fn header(&self) -> String {
        match self.unit {
            "" => self.title.to_owned(),
            unit => format!("{}, {unit}", self.title),
        }
    }
}

/// How a column is aligned and compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnKind {
    /// Text: to the left, compared with `=` and `!=`.
    Text,
    /// Several words: to the left; `=` and `!=` compare each of them, the other signs how many
    /// they are.
    Words,
    /// Numbers: to the right.
    Number,
    /// Yes or no.
    Bool,
    /// Bytes of the file: neither sorted nor compared.
    Bytes,
}

/// Whether a column is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// If nobody chooses other columns.
    Default,
    /// The same, where the list is of several documents.
    Several,
    /// The same, where the list has something to show in it ([`List::shows`]).
    Filled,
    /// If somebody chooses it.
    Optional,
    /// The same; to know it, the code is decoded. JSON has it only if it was chosen, and a search
    /// for text does not look at it.
    Counted,
    /// Never: it can be asked for in a query.
    QueryOnly,
}

impl Presence {
    /// Is such a column of a list, of several documents or of one, shown if nobody chooses others?
    fn is_shown(self, is_of_several: bool) -> bool {
        match self {
            Presence::Default => true,
            Presence::Several => is_of_several,
            Presence::Optional | Presence::Filled | Presence::Counted | Presence::QueryOnly => {
                false
            }
        }
    }
}

/// A list's columns, each with what makes its cells: two tables from one declaration, the columns
/// under the name that is given and `CELLS`. `At<'a>` is what a cell is made from.
macro_rules! columns {
    (
        $(#[$about:meta])* $visibility:vis $name:ident
        $($id:literal $kind:ident $presence:ident $width:literal $title:literal $unit:literal
            $doc:literal |$at:pat_param, $sources:pat_param| $cell:expr;)*
    ) => {
        $(#[$about])*
        $visibility static $name: &[super::Column] = &[$(super::Column {
            id: $id,
            title: $title,
            unit: $unit,
            doc: $doc,
            kind: super::ColumnKind::$kind,
            presence: super::Presence::$presence,
            width: $width,
        }),*];
        static CELLS: &[for<'a> fn(At<'a>, &crate::model::Sources) -> super::Cell<'a>] =
            &[$(|$at, $sources| $cell),*];
    };
}
use columns;

/// What stands in a cell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum CellValue<'a> {
    /// Nothing is known.
    Empty,
    /// A number.
    Int(i64),
    /// A count, a size.
    Count(u64),
    /// An offset, an address.
    Hex(u64),
    /// A number with a fraction.
    Real(f64),
    /// Yes or no.
    Bool(bool),
    /// Three numbers.
    Ints([i64; 3]),
    /// Text.
    Text(Cow<'a, str>),
    /// A name as the file has it.
    Name {
        /// The name in the file.
        name: Cow<'a, str>,
        /// The name demangled, where it is mangled.
        demangled: Option<Cow<'a, str>>,
        /// The [short name](crate::analysis::naming), where it is not the name in the file.
        short: Option<Cow<'a, str>>,
    },
    /// Several words.
    Words(Vec<Cow<'a, str>>),
    /// The distinct numbers in a group of rows, at least two.
    Several(Vec<f64>),
    /// Bytes.
    Bytes(Vec<u8>),
}

/// A cell: its value, and the bytes that it was read from or leads to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Cell<'a> {
    /// What stands in it.
    pub value: CellValue<'a>,
    /// Its bytes; a default or a computed value has none.
    pub span: Option<Span>,
    /// Its bytes in the file that the document is compared with.
    pub base: Option<Span>,
    /// The file does not say it: it is the specification's default.
    pub is_default: bool,
    /// Words that mark it: a hazard, where the value comes from.
    pub marks: Vec<Mark>,
}

impl<'a> Cell<'a> {
    /// A cell without bytes.
    pub fn new(value: CellValue<'a>) -> Cell<'a> {
        Cell {
            value,
            span: None,
            base: None,
            is_default: false,
            marks: Vec::new(),
        }
    }

    /// A cell in which nothing stands.
    pub fn empty() -> Cell<'a> {
        Cell::new(CellValue::Empty)
    }

    /// A count, a size.
    pub fn count(number: u64) -> Cell<'a> {
        Cell::new(CellValue::Count(number))
    }

    /// Text; empty text is nothing.
    pub fn text(text: impl Into<Cow<'a, str>>) -> Cell<'a> {
        match text.into() {
            text if text.is_empty() => Cell::empty(),
            text => Cell::new(CellValue::Text(text)),
        }
    }

    /// Several words.
    pub fn words<W: Into<Cow<'a, str>>>(words: impl Iterator<Item = W>) -> Cell<'a> {
        Cell::new(CellValue::Words(words.map(Into::into).collect()))
    }

    /// The same with its bytes.
    pub fn at(self, span: Option<Span>) -> Cell<'a> {
        Cell { span, ..self }
    }

    /// The same with its bytes in the file that the document is compared with.
    pub fn in_base(self, base: Option<Span>) -> Cell<'a> {
        Cell { base, ..self }
    }

    /// The same for an answer: of many words or bytes the first, and `…`.
    pub fn shown(self) -> Cell<'static> {
        let owned = |text: Cow<'_, str>| Cow::Owned(text.into_owned());
        let value = match self.value {
            CellValue::Words(mut words) => {
                if words.len() > WORDS_SHOWN {
                    words.truncate(WORDS_SHOWN);
                    words.push("…".into());
                }
                CellValue::Words(words.into_iter().map(owned).collect())
            }
            CellValue::Bytes(mut bytes) if bytes.len() > BYTES_SHOWN => {
                bytes.truncate(BYTES_SHOWN);
                let text = CellValue::Bytes(bytes);
                CellValue::Text(format!("{} …", text.text()).into())
            }
            CellValue::Text(text) => CellValue::Text(owned(text)),
            CellValue::Name {
                name,
                demangled,
                short,
            } => CellValue::Name {
                name: owned(name),
                demangled: demangled.map(owned),
                short: short.map(owned),
            },
            CellValue::Empty => CellValue::Empty,
            CellValue::Int(number) => CellValue::Int(number),
            CellValue::Count(number) => CellValue::Count(number),
            CellValue::Hex(number) => CellValue::Hex(number),
            CellValue::Real(number) => CellValue::Real(number),
            CellValue::Bool(yes) => CellValue::Bool(yes),
            CellValue::Ints(numbers) => CellValue::Ints(numbers),
            CellValue::Several(mut numbers) => {
                // The text of many is that of the least and the largest.
                if numbers.len() > WORDS_SHOWN {
                    let ends = ends(&numbers);
                    numbers.truncate(WORDS_SHOWN - 2);
                    numbers.extend(ends);
                }
                CellValue::Several(numbers)
            }
            CellValue::Bytes(bytes) => CellValue::Bytes(bytes),
        };
        Cell {
            value,
            span: self.span,
            base: self.base,
            is_default: self.is_default,
            marks: self.marks,
        }
    }

    /// The same with one more mark.
    pub fn mark(mut self, tone: Tone, text: impl Into<Str>, doc: impl Into<Str>) -> Cell<'a> {
        self.marks.push(Mark {
            tone,
            text: text.into(),
            doc: doc.into(),
        });
        self
    }
}

/// So many words of a cell are in an answer.
pub const WORDS_SHOWN: usize = 32;
/// So many bytes.
pub const BYTES_SHOWN: usize = 24;

/// A row as it is shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Its place in the list, from 0, whatever the query.
    pub index: u64,
    /// The bytes of its entry.
    pub entry: Span,
    /// A cell for each column that was asked for.
    pub cells: Vec<Cell<'static>>,
}

/// What there is to say about one row.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct About {
    /// What it is called.
    pub title: String,
    /// What belongs to it.
    pub links: Vec<Xref>,
    /// All of it, where there is more than the row says.
    pub detail: Detail,
}

/// All of one row.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub enum Detail {
    /// The row says it all.
    #[default]
    None,
    /// A kernel.
    Kernel(Box<KernelDetail>),
    /// A symbol: how many relocations refer to it, and the query that finds them.
    Symbol {
        /// How many.
        relocations: u64,
        /// The query, for [`ListId::Relocations`].
        query: String,
    },
    /// A module: what the bytes belong to.
    Module(Holder),
    /// An image of a host's file: how many kernels it has, and the query that finds them.
    Image {
        /// How many.
        kernels: u64,
        /// The query, for [`ListId::Kernels`].
        query: String,
    },
    /// An instruction.
    Instruction(Box<InstructionDetail>),
    /// A line of the source.
    Line {
        /// How many ranges of code come from it.
        ranges: u64,
        /// Their bytes.
        bytes: u64,
        /// The query that finds them, for [`ListId::SourceLines`].
        query: String,
    },
}

/// All of an instruction.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct InstructionDetail {
    /// What the operation does.
    pub meaning: Str,
    /// What its message means.
    pub comment: String,
    /// Its parts, and their bits.
    pub parts: Vec<Part>,
}

/// Rows with columns.
///
/// A row is a number below [`count`](List::count) and a column a place in the list's
/// [`columns`](ListId::columns). What is asked for beyond either is empty.
pub trait List {
    /// Which list it is.
    fn id(&self) -> ListId;

    /// How many rows it has.
    fn count(&self) -> u32;

    /// A cell.
    fn cell<'a>(&'a self, row: u32, column: usize, sources: &Sources) -> Cell<'a>;

    /// The bytes of a row's entry.
    fn entry(&self, row: u32, sources: &Sources) -> Option<Span>;

    /// The rows that bytes belong to: several only of [`ListId::Lines`].
    fn rows_at(&self, span: Span, sources: &Sources) -> Option<Range<u32>>;

    /// What there is to say about a row; `span` are the bytes that were asked for.
    fn about(&self, row: u32, span: Span, sources: &Sources) -> About {
        let _ = (row, span, sources);
        About::default()
    }

    /// The last rows, which are shown only on demand ([`Query::all`](query::Query::all)).
    fn secondary(&self) -> Secondary {
        Secondary::default()
    }

    /// Of the kernels of several images: the number of different names.
    fn names(&self) -> Option<u32> {
        None
    }

    /// The number of rows that are shown without a demand.
    fn primary(&self) -> u32 {
        self.count().saturating_sub(self.secondary().count())
    }

    /// The key that a column sorts by.
    fn key<'a>(&'a self, row: u32, column: usize, sources: &Sources) -> Key<'a> {
        self.cell(row, column, sources).value.into_key()
    }

    /// What people must know of the list as a whole: what is missing in it.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }

    /// It is of several documents: the kernels of all images.
    fn is_of_several(&self) -> bool {
        false
    }

    /// Is a column shown if nobody chooses others?
    fn shows(&self, column: &Column) -> bool {
        column.presence.is_shown(self.is_of_several())
    }

    /// The kernel of a row: who knows it, and its place among those.
    fn kernel(&self, row: u32) -> Option<(Rc<dyn Kernels>, usize)> {
        let _ = row;
        None
    }

    /// The path of the document that a row is of.
    fn path(&self, row: u32) -> &str {
        let _ = row;
        ""
    }

    /// What the list is of, where that is not the opened file: `abstract module 3`.
    fn subject(&self) -> String {
        String::new()
    }

    /// The largest number of a column of numbers without a width of its own; of
    /// [`ListId::Lines`] the bytes of the longest line.
    fn largest(&self, column: usize, sources: &Sources) -> Option<f64> {
        let wanted = |column: &&Column| column.kind == ColumnKind::Number && column.width == 0;
        self.id().columns().get(column).filter(wanted)?;
        let cells = (0..self.count()).map(|row| self.cell(row, column, sources).value.number());
        cells.flatten().max_by(f64::total_cmp)
    }

    /// The next match of a text at or after `from` (or the last before it), around the end.
    /// Only [`ListId::Lines`] is searched so; the others are filtered.
    ///
    /// # Errors
    ///
    /// When the bytes cannot be read.
    fn find(
        &self,
        typed: &str,
        from: u64,
        forward: bool,
        sources: &Sources,
    ) -> Result<Option<Match>, SourceError> {
        let _ = (typed, from, forward, sources);
        Ok(None)
    }
}

/// The number of rows that are shown only on demand; in the order of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Secondary {
    /// Kernels of images that are byte-for-byte copies of an earlier image.
    pub copies: u32,
    /// Entries that stand for no kernel of the source.
    pub placeholders: u32,
    /// Functions that other modules can call.
    pub functions: u32,
}

impl Secondary {
    /// All of them.
    pub fn count(self) -> u32 {
        self.copies
            .saturating_add(self.placeholders)
            .saturating_add(self.functions)
    }
}

/// A match of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Match {
    /// Its bytes.
    pub span: Span,
    /// Its number, from 1.
    pub ordinal: u64,
    /// How many matches there are.
    pub count: u64,
}

/// What rows are sorted by: what is empty first, then numbers, then text.
#[derive(Debug, Clone, PartialEq)]
pub enum Key<'a> {
    /// Nothing.
    Empty,
    /// A whole number, or several, compared one after the other.
    Ints([i128; 3]),
    /// A number with a fraction.
    Real(f64),
    /// Text.
    Text(Cow<'a, str>),
}

impl Key<'_> {
    /// The order of two keys.
    pub fn order(&self, other: &Key<'_>) -> Ordering {
        // The keys of one column are of one sort, but for the empty ones.
        let rank = |key: &Key<'_>| match key {
            Key::Empty => 0,
            Key::Ints(_) => 1,
            Key::Real(_) => 2,
            Key::Text(_) => 3,
        };
        match (self, other) {
            (Key::Ints(a), Key::Ints(b)) => a.cmp(b),
            (Key::Real(a), Key::Real(b)) => a.total_cmp(b),
            (Key::Text(a), Key::Text(b)) => a.cmp(b),
            (a, b) => rank(a).cmp(&rank(b)),
        }
    }
}

impl<'a> CellValue<'a> {
    /// The key that it sorts by: a name demangled.
    pub fn into_key(self) -> Key<'a> {
        if let Some(number) = self.int() {
            return Key::Ints([number, 0, 0]);
        }
        match self {
            CellValue::Real(number) => Key::Real(number),
            CellValue::Ints(numbers) => Key::Ints(numbers.map(Into::into)),
            CellValue::Text(text) => Key::Text(text),
            CellValue::Name {
                name, demangled, ..
            } => Key::Text(demangled.unwrap_or(name)),
            CellValue::Words(words) => Key::Ints([words.len() as i128, 0, 0]),
            _ => Key::Empty,
        }
    }

    /// The whole number in it; yes is 1. Returns `None` if it is none.
    pub fn int(&self) -> Option<i128> {
        match self {
            CellValue::Int(number) => Some((*number).into()),
            CellValue::Count(number) | CellValue::Hex(number) => Some((*number).into()),
            CellValue::Bool(yes) => Some((*yes).into()),
            _ => None,
        }
    }

    /// The number in it, of several the largest; yes is 1. Returns `None` if it is no number.
    pub fn number(&self) -> Option<f64> {
        // Exact below 2^53.
        #[allow(clippy::cast_precision_loss)]
        match self {
            CellValue::Several(numbers) => numbers.iter().copied().max_by(f64::total_cmp),
            CellValue::Real(number) => Some(*number),
            value => value.int().map(|number| number as f64),
        }
    }

    /// The cell as CSV has it: numbers without grouping, the name as the file has it.
    pub fn text(&self) -> Cow<'_, str> {
        match self {
            CellValue::Empty => "".into(),
            CellValue::Int(number) => number.to_string().into(),
            CellValue::Count(number) => number.to_string().into(),
            CellValue::Hex(number) => format!("{number:#x}").into(),
            CellValue::Real(number) => rounded(*number).into(),
            CellValue::Bool(yes) => yes.to_string().into(),
            CellValue::Ints([x, y, z]) => format!("{x} {y} {z}").into(),
            CellValue::Text(text) | CellValue::Name { name: text, .. } => (&**text).into(),
            CellValue::Words(words) => words.join(", ").into(),
            CellValue::Several(numbers) => several(numbers, rounded).into(),
            CellValue::Bytes(bytes) => {
                let bytes: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
                bytes.join(" ").into()
            }
        }
    }

    /// The cell as people read it: the short name, or the name demangled.
    pub fn title(&self) -> Cow<'_, str> {
        match self {
            CellValue::Name {
                short: Some(name), ..
            }
            | CellValue::Name {
                demangled: Some(name),
                ..
            } => (&**name).into(),
            value => value.text(),
        }
    }

    /// The same without the short name.
    pub fn in_full(self) -> CellValue<'a> {
        match self {
            CellValue::Name {
                name, demangled, ..
            } => CellValue::Name {
                name,
                demangled,
                short: None,
            },
            value => value,
        }
    }

    /// The texts of a name: in the file, demangled, and short.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let names = match self {
            CellValue::Name {
                name,
                demangled,
                short,
            } => [Some(&**name), demangled.as_deref(), short.as_deref()],
            _ => [None; 3],
        };
        names.into_iter().flatten()
    }
}

/// What is said of entries of the file that are not in a list because there are too many.
fn left_out(count: u64) -> Vec<String> {
    match count {
        0 => Vec::new(),
        count => vec![format!("{count} more are not listed")],
    }
}

/// Different numbers: each of them, of many the least and the largest.
pub fn several(numbers: &[f64], written: impl Fn(f64) -> String) -> String {
    let is_few = numbers.len() <= SEVERAL_SHOWN;
    let (shown, between) = match is_few {
        true => (numbers.to_vec(), " · "),
        false => (ends(numbers).collect(), "–"),
    };
    let shown: Vec<String> = shown.into_iter().map(written).collect();
    shown.join(between)
}

/// Maximum number of distinct numbers that a cell lists; of more, only the ends of their range.
const SEVERAL_SHOWN: usize = 3;

/// The least and the largest of some numbers.
fn ends(numbers: &[f64]) -> impl Iterator<Item = f64> + use<> {
    let least = numbers.iter().copied().min_by(f64::total_cmp);
    let largest = numbers.iter().copied().max_by(f64::total_cmp);
    least.into_iter().chain(largest)
}

/// At most two digits after the point.
fn rounded(number: f64) -> String {
    let text = format!("{:.2}", (number * 100.0).round_ties_even() / 100.0);
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0" } else { text }.to_owned()
}

impl Document {
    /// The innermost document around a node (or the node itself) that has such a list.
    pub fn document_of(&self, node: NodeId, list: ListId) -> Option<NodeId> {
        let parent = |id: &NodeId| self.node(*id)?.parent;
        let mut around = std::iter::successors(Some(node), parent);
        around.find(|id| match list {
            ListId::Kernels => self.has_list(*id, list) || self.has_kernels(*id),
            _ => self.has_list(*id, list),
        })
    }

    /// The documents that have such a list themselves: the opened file or, if it has none, the
    /// outermost of those in it.
    pub fn documents_with(&mut self, list: ListId) -> Vec<NodeId> {
        self.open_all();
        let has = |document: &Document, id| document.has_list(id, list);
        if has(self, NodeId::ROOT) {
            return vec![NodeId::ROOT];
        }
        let mut found = Vec::new();
        let mut last = Span::default();
        let spans: Vec<Span> = self.documents().iter().map(|inner| inner.span).collect();
        for span in spans {
            if last.contains(span) {
                continue;
            }
            let mut ids = self.documents_at(span).into_iter();
            if let Some(id) = ids.find(|id| has(self, *id)) {
                found.push(id);
                last = span;
            }
        }
        found
    }

    /// Has a document such a list itself?
    pub fn has_list(&self, id: NodeId, list: ListId) -> bool {
        match list {
            ListId::Kernels => self.kernels(id).is_some(),
            ListId::Relocations | ListId::Symbols => self.linkage(id).is_some(),
            ListId::Modules | ListId::Properties => self.modules(id).is_some(),
            ListId::Images => self.has_images(id),
            ListId::Devices => self.is_loadable(id) || self.has_images(id),
            ListId::Lines => self
                .node(id)
                .is_some_and(|node| node.kind == NodeKind::File),
            ListId::SourceLines => self.source_lines(id).is_some(),
            ListId::Instructions => self.assembly(id).is_some(),
            ListId::Differences | ListId::Changes => {
                id == NodeId::ROOT && self.comparison().is_some()
            }
        }
    }

    /// A list of a document: of the opened file (its root), or of one that is nested in it.
    /// `of` are the bytes of the text, or of what has the properties. Returns `None` if there is
    /// no such list.
    pub fn list(
        &mut self,
        document: NodeId,
        list: ListId,
        of: Option<Span>,
    ) -> Option<Rc<dyn List>> {
        let query = Query {
            of,
            ..Query::default()
        };
        self.list_for(document, list, &query)
    }

    /// Kernels in groups, where they are those of several images.
    pub(crate) fn grouped(&self, list: Rc<dyn List>, by: Option<GroupBy>) -> Rc<dyn List> {
        match by.filter(|_| list.is_of_several()) {
            Some(by) => Rc::new(KernelGroups::new(list, by, &self.sources)),
            None => list,
        }
    }

    /// The list that a query is about, whatever its filter and order: of what it is, on which
    /// device, of which row.
    pub fn list_for(
        &mut self,
        document: NodeId,
        list: ListId,
        query: &Query,
    ) -> Option<Rc<dyn List>> {
        let (of, device) = (query.of, query.device.as_deref());
        match list {
            ListId::Differences => return self.difference_list(),
            ListId::Changes => return self.change_list(query.row?, query.all),
            ListId::Kernels => {
                let list = self.kernel_list(document)?;
                return Some(self.grouped(list, query.by));
            }
            ListId::Images => return self.image_list(document, device),
            ListId::Devices => return self.device_list(document),
            ListId::Instructions => return self.instruction_list(document, of, device),
            _ => {}
        }
        let sources = &self.sources;
        Some(match list {
            ListId::Kernels
            | ListId::Images
            | ListId::Devices
            | ListId::Instructions
            | ListId::Differences
            | ListId::Changes => return None,
            ListId::Relocations => relocations::list(self.linkage(document)?.tables(sources)),
            ListId::Symbols => symbols::list(self.linkage(document)?.tables(sources)),
            ListId::Modules => modules::list(self.modules(document)?, sources),
            ListId::Properties => properties::list(&*self.modules(document)?, of, sources),
            ListId::Lines => lines::list(of?, sources),
            ListId::SourceLines => {
                let lines = self.source_lines(document)?;
                let texts = self.source_texts();
                Rc::new(source_lines::list(lines, texts, sources))
            }
        })
    }
}
