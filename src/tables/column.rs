//! The columns of a list.

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
    pub(super) fn is_shown(self, is_of_several: bool) -> bool {
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
/// under the name that is given and `CELLS`. `RowRef<'a>` is what a cell is made from.
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
        static CELLS: &[for<'a> fn(RowRef<'a>, &crate::model::Sources) -> super::Cell<'a>] =
            &[$(|$at, $sources| $cell),*];
    };
}
pub(super) use columns;
