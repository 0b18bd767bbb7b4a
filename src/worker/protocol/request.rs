//! Requests from the page to the decoder.

use super::super::protocol::tree_order::TreeOrder;
use super::compare::CompareForm;
use super::list::{Follow, ListRequest};
use super::search::SearchStep;
use super::step::StepPlace;
use crate::analysis::occupancy::OccupancyParameters;
use crate::diff::Options as CompareOptions;
use crate::kernel_names::KernelQuery;
use crate::model::{NodeId, SourceId, Span, Str, UnpackedSource};
use crate::tables::ListId;
use crate::tables::query::Query;
use serde::{Deserialize, Serialize};

/// A request from the page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Request {
    /// Decodes the file in `file` and closes the previous one.
    Open {
        /// The file's name, for the tree's root.
        name: String,
        /// The encoding, if the file is code without a container: a name of
        /// [`CodeGuess::encodings`](super::CodeGuess::encodings).
        encoding: Option<String>,
    },
    /// The number of children of a row, and the children from `start` on.
    Rows {
        /// Order of the tree.
        order: TreeOrder,
        /// The parent.
        node: NodeId,
        /// The first child.
        start: u64,
        /// Maximum number of children; the host limits it to [`ROWS_MAX`](super::ROWS_MAX).
        count: u64,
    },
    /// Everything that the page shows of a selection.
    Select {
        /// The order of the tree that shows it.
        order: TreeOrder,
        /// The target of the selection.
        place: SelectionTarget,
        /// The list in which to find the selection.
        follow: Option<Follow>,
    },
    /// Bytes and the leaves that contain them.
    Bytes {
        /// The range; the host limits it to [`BYTES_MAX`](super::BYTES_MAX).
        span: Span,
        /// Whether to include the leaves.
        leaves: bool,
    },
    /// Searches names, values, text or bytes in steps: the page shows the progress, and other
    /// requests are answered in between.
    Search {
        /// As typed.
        typed: String,
        /// Maximum number of hits.
        limit: u32,
        /// The step.
        step: SearchStep,
    },
    /// A node and its descendants as text.
    Export {
        /// The node.
        node: NodeId,
        /// The form of the text.
        form: ExportForm,
    },
    /// The driver's verdict on a document (the root, or one nested in it).
    Verdict {
        /// The document.
        document: NodeId,
        /// The device; by default the document's own.
        device: Option<Str>,
    },
    /// A range of the nodes of a graph, or groups of them. For [`ListId::Modules`] and
    /// [`ListId::Images`], the modules of a SYCLBIN and the images of a host file, answered by
    /// [`Response::Graph`](super::Response::Graph). For [`ListId::Instructions`], the basic blocks of code, answered by
    /// [`Response::Blocks`](super::Response::Blocks).
    Graph {
        /// The document, or one within it.
        document: NodeId,
        /// The kind of graph.
        list: ListId,
        /// Filter and order of the modules, or section and encoding of the code.
        query: Query,
        /// Index of the first in the query's result.
        start: u64,
        /// Maximum number; groups are returned if there are too many to draw.
        count: u64,
        /// The selected bytes of code: the answer includes the block that contains them.
        at: Option<Span>,
    },
    /// The kernel whose code a list of instructions shows, in step.
    Step {
        /// The document, or one within it.
        document: NodeId,
        /// Section and encoding of the code.
        query: Query,
    },
    /// Lines of the kernel that was asked for last.
    StepLines {
        /// Index of the column.
        column: u32,
        /// Index of the first line.
        start: u32,
        /// Maximum number.
        count: u32,
    },
    /// The lines of that kernel that a place leads to.
    StepRows(StepPlace),
    /// All rules; does not need a file.
    Rules,
    /// A request about a list.
    List {
        /// The document. The innermost document around it that has such a list answers.
        document: NodeId,
        /// The list.
        list: ListId,
        /// Its filter and order.
        query: Query,
        /// The request.
        ask: ListRequest,
    },
    /// The readable texts among the children of a document; answered by [`Response::Texts`](super::Response::Texts).
    Texts {
        /// The document, or a node in it. If the document has no texts, those of the only image
        /// that the node describes, contains or lies in.
        document: NodeId,
    },
    /// The images with code of the container around a node; answered by [`Response::CodeImages`](super::Response::CodeImages).
    CodeImages {
        /// The node.
        node: NodeId,
    },
    /// Keeps the text of a source file, for [`ListId::SourceLines`] and [`ListId::Instructions`];
    /// answered by [`Response::Text`](super::Response::Text), which describes the code that comes from it.
    AddSource {
        /// The document, or one within it.
        document: NodeId,
        /// The file's name.
        name: String,
        /// Its text.
        text: String,
    },
    /// The code sections of a document, and the instruction mix of one.
    Code {
        /// The document, or one within it.
        document: NodeId,
        /// The section and encoding, as for [`ListId::Instructions`].
        query: Query,
    },
    /// The data flow of a section of code, in summary.
    DataFlow {
        /// The document, or one within it.
        document: NodeId,
        /// The section and encoding, as for [`ListId::Instructions`].
        query: Query,
    },
    /// Analyzes the code at a selection ahead of its [`DataFlow`](Request::DataFlow) request, while
    /// the page renders: only short code ([`FIRST_FLOW_MAX`](super::FIRST_FLOW_MAX)), whose first
    /// rows wait for the data flow. The result is kept, not sent.
    PrepareCode {
        /// The listing.
        follow: Follow,
        /// The selected node.
        node: NodeId,
        /// The selected bytes.
        span: Option<Span>,
    },
    /// Reads a profile, the file in `file`, and finds its kernels in the open file. Answered by
    /// [`Response::ReadingProfile`](super::Response::ReadingProfile) until it is read: the page
    /// shows the progress, and other requests are answered in between. Without a file, continues.
    AddProfile {
        /// The file's name.
        name: String,
        /// Whether it is the earlier profile, that the current one is compared with.
        is_earlier: bool,
        /// Whether other files of the same run follow. They are one profile: the last one is answered by
        /// [`Response::Profile`](super::Response::Profile), the others by
        /// [`Response::Prepared`](super::Response::Prepared).
        is_part: bool,
    },
    /// The samples in a section of code, of the profile that was added.
    CodeSamples {
        /// The document, or one within it.
        document: NodeId,
        /// The section of code.
        of: Span,
    },
    /// The occupancy of a kernel and its limits.
    Occupancy {
        /// The document, or one within it.
        document: NodeId,
        /// Index of the kernel in its list.
        kernel: u64,
        /// The user's settings.
        parameters: OccupancyParameters,
    },
    /// Compares the open file with another one. The file in `file` is the first of the comparison,
    /// the open one the second. Without a file, goes on with a comparison whose files are being
    /// read, or repeats the previous one. Answered by [`Response::Comparing`](super::Response::Comparing)
    /// while kernels of libraries and packages are read: other requests are answered in between.
    Compare {
        /// The other file's name.
        name: String,
        /// What to compare.
        options: CompareOptions,
        /// Index of a difference to locate again, when the same files are compared.
        keep: Option<u64>,
    },
    /// The bytes of both files that differ.
    Differing,
    /// The path of an unpacked source of the first file of the comparison.
    BasePath(SourceId),
    /// The numbers of sources that another decoder has unpacked from the same file; parents come
    /// first.
    SourceNumbers(Vec<UnpackedSource>),
    /// The comparison as text; answered by [`Response::Text`](super::Response::Text).
    WriteComparison {
        /// The form of the text.
        form: CompareForm,
    },
    /// A report about the file as HTML; answered by [`Response::Text`](super::Response::Text).
    WriteReport {
        /// The code that the report begins with.
        code: Option<ReportedCode>,
    },
}

/// Code that a report is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReportedCode {
    /// The document with the code.
    pub document: NodeId,
    /// The section of code.
    pub of: Span,
    /// The chosen encoding; `None` for that of the file's device.
    pub encoding: Option<Str>,
    /// The index of the selected instruction.
    pub row: Option<u64>,
}

/// The target of a selection.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum SelectionTarget {
    /// A node. In the order by kernel, the node of the row with this id.
    Node(NodeId),
    /// The innermost node that contains a byte.
    Byte(SourceId, u64),
    /// The node with exactly these bytes, or the innermost that contains them. For an empty span,
    /// the innermost that contains the byte there.
    Span(Span),
    /// The innermost node that contains the bytes, if it is a part of `within`; otherwise the bytes
    /// themselves.
    Around {
        /// The bytes.
        span: Span,
        /// The text that they are a line of.
        within: Span,
    },
    /// The widest field behind a position in an instruction's text.
    Part {
        /// The bytes of the instruction.
        span: Span,
        /// Position in its text, in bytes.
        at: u32,
        /// The encoding in which its text is shown.
        encoding: Option<Str>,
    },
    /// The node at a path (`.ze_info/kernels/[0]`), as `Document::path` writes it.
    Path(String),
    /// The entry of a kernel, or the node at a path below it: the first one that exists.
    Kernel {
        /// The kernel.
        query: KernelQuery,
        /// The paths below its entry.
        paths: Vec<String>,
    },
    /// An instruction.
    Instruction {
        /// The kernel.
        query: KernelQuery,
        /// The offset in its code.
        offset: u64,
    },
    /// The entry of a row of the followed list, by index in the query's result.
    Row(u64),
    /// The entry of a row of the followed list, by index in the list, independent of the query.
    ListRow(u64),
}

/// The form of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ExportForm {
    /// As `zeview dump --json`.
    Json,
    /// As `zeview dump`.
    Text,
}
