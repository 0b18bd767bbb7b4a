//! Which rows of a list, in which order: one query language for all lists.
//!
//! ```text
//! filter    = and { "or" and }
//! and       = not { [ "and" ] not }
//! not       = "not" not | "(" filter ")" | condition | text
//! condition = column sign value
//! sign      = ">" | ">=" | "<" | "<=" | "=" | "==" | "!="
//! ```
//!
//! * A *text* is a word, or several in quotation marks. A row has it if it is a part of the text
//!   in some of its cells, in any letter case: of a name (mangled, demangled or short), of words. A
//!   number in hex (`0x40`) is met by cells with exactly this number in hex, and the name of a
//!   yes-or-no column by rows that say yes.
//! * A *column* is called by its id (`spill_size`), its title (`SIMD`), or both lines of its title
//!   (`Spill, B/thread`), in any letter case, with blanks or underscores; the beginning is enough
//!   where only one column begins so.
//! * A *value* is a number (decimal, or in hex with `0x`), `yes`, `no`, `true`, `false`, or text.
//!   Text is compared with `=` and `!=`: all of it, as the file has it, demangled or short. Of several
//!   words `=` means that one of them is the text; the other signs compare how many they are.
//!   A cell that says nothing fulfils no condition but `!=`.
//! * `and`, `or`, `not` are these words in lower case; in quotes they are text, as everything is.
//! * Blanks around a sign and around parentheses may be left out. Without blanks, what is before
//!   a `<` or `>` is a part of a name unless it names a column or a number comes after it:
//!   `foo<int>`, `a->b`; so is an `operator==`. Parentheses within a word are a part of it:
//!   `add(int, int)`.
//!
//! What is meant as a condition and is none, and what does not end, is an error in words: a
//! filter never becomes a search for text unnoticed.
mod filter;
mod parse;

pub use self::filter::{Filter, RowRef};
use super::{Key, List};
use crate::model::{Sources, Span, Str, sort};
use serde::{Deserialize, Serialize};

/// Which rows, in which order.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Query {
    /// What a row must fulfil; see [`Filter`]. Empty: all rows.
    pub filter: String,
    /// The id of the column that sorts; the order of the file without.
    pub sort: Option<Str>,
    /// The largest first.
    pub descending: bool,
    /// With the rows that are shown only on demand: functions among kernels, instructions that are
    /// the same in both files.
    pub all: bool,
    /// What the list is of: the bytes of a text, of what has properties, of a section of code.
    pub of: Option<Span>,
    /// Of [`ListId::Images`]: the device that images are chosen for. Of [`ListId::Instructions`]:
    /// the encoding, or a device that has it; that of the file's device without.
    pub device: Option<Str>,
    /// Of [`ListId::Changes`]: the difference, by its place in [`ListId::Differences`].
    pub row: Option<u64>,
    /// Of [`ListId::Kernels`] of several images: what a row stands for, if not for one build.
    pub by: Option<GroupBy>,
}

/// What kernels are grouped by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum GroupBy {
    /// The name: a row for each kernel, with all its builds.
    Kernel,
    /// The image.
    Image,
    /// The device.
    Device,
}

impl GroupBy {
    /// Every way to group.
    pub const ALL: [GroupBy; 3] = [GroupBy::Kernel, GroupBy::Image, GroupBy::Device];

    /// The way to group with a [name](GroupBy::name).
    pub fn named(name: &str) -> Option<GroupBy> {
        GroupBy::ALL.into_iter().find(|by| by.name() == name)
    }

    /// Its name: `kernel`.
    pub fn name(self) -> &'static str {
        match self {
            GroupBy::Kernel => "kernel",
            GroupBy::Image => "image",
            GroupBy::Device => "device",
        }
    }

    /// The column of [`ListId::Kernels`] that is the same in a group.
    pub fn column(self) -> &'static str {
        match self {
            GroupBy::Kernel => "name",
            GroupBy::Image => "image",
            GroupBy::Device => "device",
        }
    }
}

impl Query {
    /// The rows that are asked for, in order. Rows that are alike keep the order of the list.
    ///
    /// # Errors
    ///
    /// When the filter is none, or there is no column to sort by; says so in words.
    pub fn run(&self, list: &dyn List, sources: &Sources) -> Result<Order, String> {
        let filter = Filter::parse(&self.filter, list.id())?;
        let columns = list.id().columns();
        let sort = match &self.sort {
            Some(id) => {
                let column = columns.iter().position(|column| column.id == id);
                Some(column.ok_or_else(|| format!("no column {id:?}"))?)
            }
            None => None,
        };
        let count = if self.all {
            list.count()
        } else {
            list.primary()
        };
        if filter.is_empty() && sort.is_none() {
            return Ok(Order::All(count));
        }
        let rows = (0..count).filter(|row| filter.holds(list, *row, sources));
        let Some(column) = sort else {
            return Ok(Order::Rows(rows.collect()));
        };
        let keyed = rows.map(|row| (list.key(row, column, sources), row));
        let mut keyed: Vec<(Key<'_>, u32)> = keyed.collect();
        sort::by(&mut keyed, |(a, _), (b, _)| {
            if self.descending {
                b.order(a)
            } else {
                a.order(b)
            }
        });
        Ok(Order::Rows(keyed.into_iter().map(|(_, row)| row).collect()))
    }
}

/// Rows in an order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Order {
    /// The first so many, in the order of the list.
    All(u32),
    /// These.
    Rows(Vec<u32>),
}

impl Order {
    /// How many rows.
    pub fn count(&self) -> u32 {
        match self {
            Order::All(count) => *count,
            Order::Rows(rows) => u32::try_from(rows.len()).unwrap_or(u32::MAX),
        }
    }

    /// The row at a place.
    pub fn row(&self, place: u64) -> Option<u32> {
        let place = u32::try_from(place).ok()?;
        match self {
            Order::All(count) => (place < *count).then_some(place),
            Order::Rows(rows) => rows.get(usize::try_from(place).ok()?).copied(),
        }
    }

    /// The place of a row.
    pub fn place(&self, row: u32) -> Option<u64> {
        match self {
            Order::All(count) => (row < *count).then_some(row.into()),
            Order::Rows(rows) => {
                let place = rows.iter().position(|other| *other == row)?;
                Some(place as u64)
            }
        }
    }

    /// At most so many rows from a place on.
    pub fn from(&self, start: u64, count: u64) -> impl Iterator<Item = u32> {
        let end = u64::from(self.count()).min(start.saturating_add(count));
        (start..end).filter_map(|place| self.row(place))
    }
}

#[cfg(test)]
mod tests;
