//! A list: rows with columns.

use super::cell::{Cell, Key};
use super::column::{Column, ColumnKind};
use super::id::ListId;
use crate::analysis::assembly::{Part, TextPart};
use crate::analysis::kernels::{KernelDetail, Kernels};
use crate::analysis::modules::PropertyOwner;
use crate::model::{SourceError, Sources, Span, Str, Xref};
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::rc::Rc;

/// A row as it is shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Its place in the list, from 0, whatever the query.
    pub index: u64,
    /// The bytes of its entry.
    pub entry: Span,
    /// A cell for each column that was asked for.
    pub cells: Vec<Cell<'static>>,
    /// Of an instruction, the parts of its text.
    pub parts: Vec<TextPart>,
}

/// What there is to say about one row.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct RowDetails {
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
    Module(PropertyOwner),
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

    /// Of an instruction, the parts of its text.
    fn text_parts(&self, row: u32, sources: &Sources) -> Vec<TextPart> {
        let _ = (row, sources);
        Vec::new()
    }

    /// What there is to say about a row; `span` are the bytes that were asked for.
    fn about(&self, row: u32, span: Span, sources: &Sources) -> RowDetails {
        let _ = (row, span, sources);
        RowDetails::default()
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

/// What is said of entries of the file that are not in a list because there are too many.
pub(super) fn left_out(count: u64) -> Vec<String> {
    match count {
        0 => Vec::new(),
        count => vec![format!("{count} more are not listed")],
    }
}
