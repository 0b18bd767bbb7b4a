//! The interface of lists.

use super::cell::{Cell, CellValue, Key};
use super::column::{Column, ColumnKind};
use super::id::ListId;
use crate::sizes::SizeMap;
use crate::tables::query::GroupBy;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::rc::Rc;
use zeview_core::analysis::assembly::{
    InstructionClass, Listing, Part, ScratchAccess, TextPart, TextPartKind, TextRole,
};
use zeview_core::analysis::inlining::SourceFrame;
#[cfg(not(target_arch = "wasm32"))]
use zeview_core::analysis::kernels::{CodeResult, CodeTask};
use zeview_core::analysis::kernels::{KernelDetail, Kernels};
use zeview_core::analysis::modules::PropertyOwner;
use zeview_core::model::{Sources, Span, Str, Xref};

/// A row for display.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Zero-based index in the list, independent of the query.
    pub index: u64,
    /// The bytes of its entry.
    pub entry: Span,
    /// A cell for each requested column.
    pub cells: Vec<Cell<'static>>,
    /// For an instruction, and a line of a module: what its text consists of.
    pub code: Option<Box<CodeRow>>,
}

/// What only a row of instructions has.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CodeRow {
    /// The words of its text.
    pub words: Vec<CodeWord>,
    /// What the instruction is.
    pub class: InstructionClass,
    /// Its access to scratch memory.
    pub scratch: Option<ScratchAccess>,
    /// Its options in braces, without the compaction; empty without options.
    pub options: String,
    /// Whether it is compacted to 8 bytes.
    pub is_compacted: bool,
    /// Whether a basic block starts here that jumps lead to.
    pub is_target: bool,
    /// The operation of its message and its address, without lengths; empty without a message.
    pub message: String,
}

/// A word in the text of an instruction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CodeWord {
    /// Its first byte in the text.
    pub start: u32,
    /// The byte after its last one.
    pub end: u32,
    /// Its role in the instruction; `None` in other texts.
    pub role: Option<TextRole>,
    /// Length of an operand's name in bytes: the region and the type follow it. 0 for constants.
    pub name: u32,
    /// What it is, if it is more than text.
    pub kind: Option<TextPartKind>,
}

impl CodeRow {
    /// Returns the length in characters as the page writes the instruction: without its options, with
    /// operands in narrow columns.
    pub fn compact_length(&self) -> u32 {
        let is_message = self.class == InstructionClass::Message;
        // The widths of `.op`, `.d`, `.s0`, `.s1` and `.x` in the page's styles.
        let least = |role: TextRole| match (role, is_message) {
            (TextRole::Destination, true) => 6,
            (TextRole::Destination, false) => 11,
            (TextRole::Source(0), true) => 5,
            (TextRole::Source(0), false) => 14,
            (TextRole::Source(1), true) => 6,
            (TextRole::ExtendedDescriptor, true) => 15,
            _ => 0,
        };
        let (mut head, mut rest) = (0_u32, 0_u32);
        for word in &self.words {
            let length = word.end.saturating_sub(word.start);
            match word.role {
                Some(role) if role.is_head() => head += length + u32::from(head > 0),
                Some(TextRole::Options) => {}
                role => rest += 1 + length.max(role.map_or(0, least)),
            }
        }
        head.max(20) + rest
    }
}

/// The details of a row.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct RowDetails {
    /// Its title.
    pub title: String,
    /// Related bytes.
    pub links: Vec<Xref>,
    /// Further details, depending on the list.
    pub detail: Detail,
}

/// The details that depend on the list.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub enum Detail {
    /// No further details.
    #[default]
    None,
    /// A kernel.
    Kernel(Box<KernelDetail>),
    /// A symbol: the number of its relocations, and the query that finds them.
    Symbol {
        /// Number of relocations.
        relocations: u64,
        /// The query, for [`ListId::Relocations`].
        query: String,
    },
    /// A module, identified as an owner of properties.
    Module(PropertyOwner),
    /// An image of a host binary: the number of its kernels, and the query that finds them.
    Image {
        /// Number of kernels.
        kernels: u64,
        /// The query, for [`ListId::Kernels`].
        query: String,
    },
    /// An instruction.
    Instruction(Box<InstructionDetail>),
    /// A line of a module that defines an id; the links lead to its uses.
    Definition {
        /// Whether there are more uses than links.
        has_more: bool,
    },
    /// A source line.
    Line {
        /// Number of code ranges of the line.
        ranges: u64,
        /// Their total size in bytes.
        bytes: u64,
        /// The query that finds them, for [`ListId::SourceLines`].
        query: String,
    },
}

/// The details of an instruction.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct InstructionDetail {
    /// The meaning of the operation.
    pub meaning: Str,
    /// The meaning of its message.
    pub comment: String,
    /// Its parts, with their bits.
    pub parts: Vec<Part>,
    /// The functions that it is of: the innermost first, then those that it is inlined into. Empty
    /// without debug information.
    pub frames: Vec<SourceFrame>,
    /// The parts with registers: their roles, and the first register of each: `r127`.
    pub registers: Vec<(Str, String)>,
    /// The instructions that it exchanges values with or waits for; the first ones.
    pub related: Vec<RelatedInstruction>,
}

/// The relation of an instruction to another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Relation {
    /// It provides a value.
    Producer,
    /// The other one waits for it.
    Waited,
    /// It reads the result.
    Consumer,
}

/// An instruction that is related to another one by data flow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RelatedInstruction {
    /// The relation.
    pub relation: Relation,
    /// The bytes of the instruction.
    pub to: Span,
    /// The bytes of registers that it provides (`r8:2`), or the condition of the wait (`$5.dst`);
    /// empty for a consumer.
    pub cause: String,
}

/// A list: rows with columns.
///
/// A row is an index below [`count`](List::count), and a column an index in the list's
/// [`columns`](ListId::columns). Cells out of range are empty.
pub trait List {
    /// Returns the identifier of the list.
    fn id(&self) -> ListId;

    /// Returns the number of rows.
    fn count(&self) -> u32;

    /// Returns a cell.
    fn cell<'a>(&'a self, row: u32, column: usize, sources: &Sources) -> Cell<'a>;

    /// Returns the value of a cell for comparisons, without parts that only explain it.
    fn value<'a>(&'a self, row: u32, column: usize, sources: &Sources) -> CellValue<'a> {
        self.cell(row, column, sources).value
    }

    /// Returns the bytes of a row's entry.
    fn entry(&self, row: u32, sources: &Sources) -> Option<Span>;

    /// Returns the rows that the bytes belong to: a single one, except for [`ListId::Lines`].
    fn rows_at(&self, span: Span, sources: &Sources) -> Option<Range<u32>>;

    /// Returns the details of a row; `span` has the requested bytes.
    fn about(&self, row: u32, span: Span, sources: &Sources) -> RowDetails {
        let _ = (row, span, sources);
        RowDetails::default()
    }

    /// Returns the numbers of the last rows, which are hidden by default
    /// ([`Query::all`](crate::tables::query::Query::all)).
    fn secondary(&self) -> Secondary {
        Secondary::default()
    }

    /// Returns the sort key of a row for a column.
    fn key<'a>(&'a self, row: u32, column: usize, sources: &Sources) -> Key<'a> {
        self.cell(row, column, sources).value.into_key()
    }

    /// Returns notes about the list as a whole, such as missing entries.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }

    /// Whether a column is visible by default.
    fn shows(&self, column: &Column) -> bool {
        column.presence.is_shown(false)
    }

    /// Returns the subject of the list if it is not the opened file: `abstract module 3`.
    fn subject(&self) -> String {
        String::new()
    }

    /// Returns the largest number of a column of numbers without a fixed width; for
    /// [`ListId::Lines`], the length of the longest line in bytes.
    fn largest(&self, column: usize, sources: &Sources) -> Option<f64> {
        let wanted = |column: &&Column| column.kind == ColumnKind::Number && column.width == 0;
        self.id().columns().get(column).filter(wanted)?;
        let cells = (0..self.count()).map(|row| self.value(row, column, sources).number());
        cells.flatten().max_by(f64::total_cmp)
    }

    /// Returns what only a list of instructions has.
    fn as_code(&self) -> Option<&dyn CodeList> {
        None
    }

    /// Returns what a row of code or of a module's text has besides its cells.
    fn code_row(&self, row: u32, sources: &Sources) -> Option<CodeRow> {
        let _ = (row, sources);
        None
    }

    /// Returns the rows that a folded loop or function hides, in order: all but its first one. The
    /// loop is given by the offset of its code, the function by its row.
    fn folded_rows(&self, start: u32, sources: &Sources) -> Vec<Range<u32>> {
        let _ = (start, sources);
        Vec::new()
    }

    /// Returns what only a list of sizes has: the largest groups, for a treemap.
    fn size_map(&self) -> Option<&SizeMap> {
        None
    }

    /// Returns what only a list of kernels has.
    fn as_kernels(&self) -> Option<&dyn KernelRows> {
        None
    }
}

impl dyn List + '_ {
    /// Returns the number of rows that are visible by default.
    pub fn primary(&self) -> u32 {
        self.count().saturating_sub(self.secondary().count())
    }
}

/// What only a list of instructions has.
pub trait CodeList {
    /// Returns the listing.
    fn listing(&self) -> &Rc<dyn Listing>;

    /// Returns the parts of an instruction's text.
    fn text_parts(&self, row: u32, sources: &Sources) -> Vec<TextPart>;
}

/// What only a list of kernels has.
pub trait KernelRows {
    /// Whether the kernels are those of several images.
    fn is_of_several(&self) -> bool;

    /// Returns the number of distinct names, if the rows are builds in several images.
    fn names(&self) -> Option<u32>;

    /// Returns the kernel of a row: its provider, and its index there.
    fn kernel(&self, row: u32) -> Option<(Rc<dyn Kernels>, usize)>;

    /// Whether the kernel of a row has native code.
    fn is_native(&self, row: u32) -> bool;

    /// Returns the path of the document of a row.
    fn path(&self, row: u32) -> &str;

    /// Returns the grouping of the rows.
    fn grouping(&self) -> Option<GroupBy> {
        None
    }

    /// Returns which of some columns need the code of kernels: one for each kind of task.
    #[cfg(not(target_arch = "wasm32"))]
    fn code_columns(&self, columns: &[usize]) -> Vec<usize> {
        let _ = columns;
        Vec::new()
    }

    /// Returns the task that computes a cell from the code of a kernel. Returns `None` if the cell
    /// needs no code, or is already known.
    #[cfg(not(target_arch = "wasm32"))]
    fn code_task(&self, row: u32, column: usize, sources: &Sources) -> Option<CodeTask> {
        let _ = (row, column, sources);
        None
    }

    /// Keeps the result of a task for the row's cells.
    #[cfg(not(target_arch = "wasm32"))]
    fn keep_result(&self, row: u32, result: CodeResult) {
        let _ = (row, result);
    }
}

/// Numbers of the rows that are hidden by default, in the order of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Secondary {
    /// Kernels of images that are byte-for-byte copies of an earlier image.
    pub copies: u32,
    /// Entries that are not kernels of the source.
    pub placeholders: u32,
    /// Functions that other modules can call.
    pub functions: u32,
    /// Files without device code.
    pub without_code: u32,
}

impl Secondary {
    /// Returns their total number.
    pub fn count(self) -> u32 {
        self.copies
            .saturating_add(self.placeholders)
            .saturating_add(self.functions)
            .saturating_add(self.without_code)
    }
}

/// A match of a text search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Match {
    /// Its bytes.
    pub span: Span,
    /// Its one-based number.
    pub ordinal: u64,
    /// Total number of matches.
    pub count: u64,
}

/// Returns a note about entries that exceed the limit of a list.
pub(super) fn left_out(count: u64) -> Vec<String> {
    match count {
        0 => Vec::new(),
        count => vec![format!("{count} more are not listed")],
    }
}
