//! The columns of a list.

/// A column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Column {
    /// Its name in queries, CSV and JSON: the key in `.ze_info`, if it has one.
    pub id: &'static str,
    /// The heading.
    pub title: &'static str,
    /// The unit of its numbers, or a second line of the heading; may be empty.
    pub unit: &'static str,
    /// The explanation.
    pub doc: &'static str,
    /// Alignment and comparison.
    pub kind: ColumnKind,
    /// Default visibility.
    pub presence: Presence,
    /// Minimum width in characters; 0: the width of its largest number.
    pub width: u32,
}

impl Column {
    /// Formats the title and unit: `Spill, B/thread`.
    pub fn header(&self) -> String {
        match self.unit {
            "" => self.title.to_owned(),
            unit => format!("{}, {unit}", self.title),
        }
    }
}

/// The alignment and comparison of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnKind {
    /// Text: left-aligned, compared with `=` and `!=`.
    Text,
    /// Several words: left-aligned. `=` and `!=` compare each word, the other operators their
    /// number.
    Words,
    /// Numbers: right-aligned.
    Number,
    /// Booleans.
    Bool,
    /// Bytes of the file: neither sorted nor compared.
    Bytes,
}

/// The default visibility of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// Visible by default.
    Default,
    /// Visible by default in lists of several documents.
    Several,
    /// Visible by default if the list has values for it ([`List::shows`](crate::tables::List::shows)).
    Filled,
    /// Visible if selected.
    Optional,
    /// Visible if selected; its values require decoding the code. JSON has it only if it is
    /// selected, and text searches skip it.
    Counted,
    /// Visible if selected, or if the list has values for it; empty without a profile. JSON has it
    /// only if it is selected, and text searches skip it.
    Profiled,
    /// Visible if selected; its values are computed from all rows at once. JSON has it only if it is
    /// selected, and text searches skip it.
    Derived,
    /// Never visible: available in queries only.
    QueryOnly,
}

impl Presence {
    /// Whether JSON has the column, and text searches look at it, without its being selected.
    pub(crate) fn is_known(self) -> bool {
        !matches!(
            self,
            Presence::Counted | Presence::Profiled | Presence::Derived
        )
    }

    /// Whether the column is visible by default in a list of one or of several documents.
    pub(super) fn is_shown(self, is_of_several: bool) -> bool {
        match self {
            Presence::Default => true,
            Presence::Several => is_of_several,
            Presence::Optional
            | Presence::Filled
            | Presence::Counted
            | Presence::Profiled
            | Presence::Derived
            | Presence::QueryOnly => false,
        }
    }
}

/// Declares a list's columns with the functions for their cells: a table of columns under the given
/// name, and `CELLS`. Cells are made from a `RowRef<'a>`.
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
        static CELLS: &[for<'a> fn(RowRef<'a>, &zeview_core::model::Sources) -> super::Cell<'a>] =
            &[$(|$at, $sources| $cell),*];
    };
}
pub(super) use columns;
