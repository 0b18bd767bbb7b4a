//! Lists.

use crate::analysis::package_reading::Unpacking;
use crate::analysis::survey::{Progress, Survey};
use crate::model::{NodeId, Span, Str};
use crate::sizes::SizeMap;
use crate::tables::kernels::KernelTotals;
use crate::tables::query::Query;
use crate::tables::write::Form;
use crate::tables::{self, ListId, Secondary};
use serde::{Deserialize, Serialize};
use std::rc::Rc;

/// The list whose row is shown with the selection: that of the innermost document around the
/// selection that has such a list, or else of `document`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Follow {
    /// The document that the current rows belong to.
    pub document: NodeId,
    /// The list.
    pub list: ListId,
    /// Its filter and order.
    pub query: Query,
    /// The entry of the current row, which stays current if the selection belongs to no row.
    pub current: Option<Span>,
    /// Whether to return the first row if there is no other.
    pub or_first: bool,
}

/// A request about a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum ListRequest {
    /// Rows; answered by [`Response::List`](super::Response::List).
    Rows {
        /// Index of the first row in the query's result.
        start: u64,
        /// Maximum number of rows; the host limits it to [`ROWS_MAX`].
        count: u64,
        /// Ids of the columns; the default columns if empty.
        columns: Vec<Str>,
    },
    /// For [`ListId::Kernels`]: one kernel of each kind of finding and each family, the worst first;
    /// answered by [`Response::Worst`](super::Response::Worst).
    Worst {
        /// Ids of the columns of these kernels.
        columns: Vec<Str>,
        /// Maximum number of kernels.
        count: u64,
    },
    /// For [`ListId::Kernels`] of a container: its contents by device, and the kernels with the
    /// worst hazards; answered by [`Response::Survey`](super::Response::Survey).
    Survey {
        /// Ids of the columns of these kernels.
        columns: Vec<Str>,
        /// Maximum number of kernels.
        count: u64,
    },
    /// The row that the selection belongs to, as with a [`Follow`]; answered by
    /// [`Response::ListAt`](super::Response::ListAt).
    At {
        /// The selected node.
        node: NodeId,
        /// The selected bytes.
        span: Option<Span>,
        /// See [`Follow::current`].
        current: Option<Span>,
        /// See [`Follow::or_first`].
        or_first: bool,
    },
    /// The rows that match the query, as text; answered by [`Response::Text`](super::Response::Text).
    Written {
        /// Ids of the columns; the default columns if empty.
        columns: Vec<Str>,
        /// The form of the text.
        form: Form,
        /// Restricts the text to this range of rows, without titles.
        rows: Option<(u64, u64)>,
    },
    /// The next match of a text in [`ListId::Lines`]; answered by [`Response::Match`](super::Response::Match).
    Find {
        /// The typed text; ignores ASCII case.
        typed: String,
        /// Line to start from.
        from: u64,
        /// Whether to search from `from` onward, or backward from before it. Wraps around.
        forward: bool,
    },
}

/// Maximum number of rows in one answer.
pub const ROWS_MAX: u64 = 512;

/// Rows of a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ListPage {
    /// The document that the list belongs to.
    pub document: NodeId,
    /// The subject of the list, if it is not the document: `abstract module 3`.
    pub subject: String,
    /// The rows.
    pub rows: Vec<tables::Row>,
    /// Index of the first row in the query's result.
    pub start: u64,
    /// Number of rows that match the query.
    pub found: u64,
    /// Number of rows, excluding secondary ones.
    pub total: u64,
    /// For kernels of several images: number of distinct names.
    pub names: Option<u64>,
    /// Number of rows that are hidden by default: functions among kernels.
    pub secondary: Secondary,
    /// Notes about the list as a whole, such as missing parts.
    pub notes: Vec<String>,
    /// Ids of the columns of the rows.
    pub columns: Vec<Str>,
    /// The maximum of each numeric column over all rows, by column id.
    pub maxima: Vec<(Str, f64)>,
    /// For each [`Toggle`](crate::tables::Toggle) of the list, the number of rows of all that meet it;
    /// `None` if that takes their code.
    pub counts: Vec<Option<u64>>,
    /// The devices of the rows, if the list has toggles.
    pub devices: Vec<Str>,
    /// The error in the query's filter.
    pub trouble: Option<String>,
    /// Of sizes: the largest groups of all rows.
    pub map: Option<Rc<SizeMap>>,
    /// What it waits for; `None` when it is complete. Each further request for rows
    /// continues the reading.
    pub reading: Option<ListReading>,
}

/// What a list waits for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum ListReading {
    /// Images are read: their kernels come. In a package, a file may have to be unpacked first.
    Images(Progress, Option<Unpacking>),
    /// The code of kernels is analyzed, to filter or to sort them: only those that were analyzed are listed.
    Code(Progress),
    /// Kernels of two files are compared.
    Compared(Progress),
    /// Code is searched, image by image: only what was found so far is listed. In a package, a file may have
    /// to be unpacked first.
    Searched(Progress, Option<Unpacking>),
}

impl ListReading {
    /// Returns the number of images or kernels that were read or analyzed, and of all.
    pub fn progress(&self) -> Progress {
        match self {
            ListReading::Images(progress, _)
            | ListReading::Searched(progress, _)
            | ListReading::Code(progress)
            | ListReading::Compared(progress) => *progress,
        }
    }
}

/// The contents of a container by device.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SurveyReport {
    /// The document that the report is about.
    pub document: NodeId,
    /// The contents, as far as they are read.
    pub survey: Survey,
    /// Progress of the reading. Each further request continues it.
    pub progress: Progress,
    /// The file of a package that is being unpacked.
    pub unpacking: Option<Unpacking>,
    /// The first families of kernels.
    pub families: Totals,
    /// For a package, the first files with kernels.
    pub files: Totals,
}

/// The kernels of a container by family or by file: those with the worst findings first.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Totals {
    /// The first of them.
    pub rows: Vec<TotalsRow>,
    /// The number of all.
    pub count: u64,
}

/// Kernels of one family, or in one file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TotalsRow {
    /// Its name is the family, or the path of the file in the package.
    pub totals: KernelTotals,
    /// The kernel with the worst finding, or the first one.
    pub worst: tables::Row,
}

/// A kernel to look at.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WorstRow {
    /// Its row.
    pub row: tables::Row,
    /// Number of other kernels of its family with the same kind of finding.
    pub others: u64,
}

/// The list for a selection.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ListAt {
    /// The document that the list belongs to.
    pub document: NodeId,
    /// The subject of the list ([`Query::of`]): the outermost text around the selected bytes, the
    /// bytes of the innermost item with properties (the same for all its bytes), or the code
    /// section; that of the query if there is none.
    pub of: Option<Span>,
    /// The loops of the query that remain folded ([`Query::folded`]): those that hide the row are
    /// unfolded.
    pub folded: Vec<u32>,
    /// Number of rows that match the query.
    pub found: u64,
    /// The row that the selection belongs to, or the current row.
    pub place: Option<ListPlace>,
}

/// A row of a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ListPlace {
    /// Index in the list, independent of the query.
    pub index: u64,
    /// Number of rows: for a text, the number of lines.
    pub count: u64,
    /// Index in the query's result; `None` if it does not match.
    pub place: Option<u64>,
    /// The bytes of its entry; for several lines, the bytes of all.
    pub entry: Span,
    /// Details of the row.
    pub about: tables::RowDetails,
    /// A shorter title.
    pub short_title: Option<Str>,
}

impl ListPlace {
    /// Returns the title for display.
    #[must_use]
    pub fn title(&self) -> &str {
        self.short_title.as_deref().unwrap_or(&self.about.title)
    }
}
