//! The messages between the page and the decoder.
//!
//! Two things travel beside the data, because they must not be copied: the `file` (a `Blob`)
//! of [`Request::Open`] and
//! [`Request::Compare`], and the `bytes` (a `Uint8Array`, transferred) of
//! [`Response::Bytes`]. How all this looks on its way, [`codec`](super::codec) knows. The first
//! variant of [`Message`] stays what it is: whoever has another version must be able to read
//! that much.

pub mod tree_order;

use serde::{Deserialize, Serialize};

use super::protocol::tree_order::TreeOrder;
use crate::analysis::Verdict;
use crate::analysis::assembly::Mix;
use crate::analysis::blocks::{Block, BlockGroup, Edge};
use crate::analysis::kernels::Given;
use crate::analysis::modules::graph::ModuleGroup;
use crate::analysis::modules::{AbstractModule, Holder, Image};
use crate::analysis::occupancy::{Occupancy, Question};
use crate::analysis::survey::{Progress, Survey};
use crate::diff::{Differing, Head};
use crate::model::{
    Area, Bits, Coverage, Diagnostic, NodeId, NodeKind, Outcome, RuleInfo, Severity, SourceId,
    Span, Str, Summary, Value, Xref,
};
use crate::tables::query::Query;
use crate::tables::write::Form;
use crate::tables::{self, ListId, Secondary};

/// Both sides must have been built with the same. Worker files are not hashed by every
/// host, so after a deploy a browser may combine an old one with a new page: the page
/// refuses another version and says so.
pub const PROTOCOL_VERSION: u32 = 18;

/// From the page to the decoder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Envelope {
    /// Chosen by the page; the answer carries the same.
    pub id: u32,
    /// The `id` of the [`Request::Open`] whose file this is about. Nodes of one file mean
    /// nothing in the next, so the decoder answers [`Response::Failed`] when another file
    /// has been opened since. `None`: whatever file is open.
    pub about: Option<u32>,
    /// What is asked.
    pub request: Request,
}

/// What the page asks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Request {
    /// Decode the file that travels as `file`; forget the one before.
    Open {
        /// The file's name, for the tree's root.
        name: String,
    },
    /// How many children a row of the tree has, and those from `start` on.
    Rows {
        /// In which order of the tree.
        order: TreeOrder,
        /// The parent.
        node: NodeId,
        /// The first child.
        start: u64,
        /// How many at most; the host gives at most [`ROWS_MAX`].
        count: u64,
    },
    /// Everything that the page shows of a selection.
    Select {
        /// The order of the tree that shows it.
        order: TreeOrder,
        /// What is selected.
        place: Place,
        /// The list whose row is shown with it.
        follow: Option<Follow>,
    },
    /// Bytes, and the leaves that they belong to.
    Bytes {
        /// Which; the host gives at most [`BYTES_MAX`].
        span: Span,
        /// With the leaves.
        leaves: bool,
    },
    /// Names, values, text or bytes that match what was typed, in steps: the page says how far
    /// it is, and other requests are answered in between.
    Search {
        /// As typed.
        typed: String,
        /// At most so many hits.
        limit: u32,
        /// Which of the steps.
        step: SearchStep,
    },
    /// A node and all below it as text.
    Export {
        /// The node.
        node: NodeId,
        /// In which form.
        form: ExportForm,
    },
    /// What the driver does with a document (the root, or one nested in it).
    Verdict {
        /// The document.
        document: NodeId,
        /// On this device; on the document's own without.
        device: Option<Str>,
    },
    /// A graph: those of its nodes at these places, or groups of them. [`ListId::Modules`]: the
    /// modules of a SYCLBIN, answered by [`Response::Graph`], as are the images of a host's file
    /// ([`ListId::Images`]). [`ListId::Instructions`]: the basic
    /// blocks of some code, answered by [`Response::Blocks`].
    Graph {
        /// The document, or one within it.
        document: NodeId,
        /// Of what.
        list: ListId,
        /// Which modules, in which order; which code, in which encoding.
        query: Query,
        /// The place of the first, counted among those that the query finds.
        start: u64,
        /// How many; groups of them if they are too many to be drawn.
        count: u64,
        /// The selected bytes, of code: the answer says which block holds them.
        at: Option<Span>,
    },
    /// Every rule that there is; needs no file.
    Rules,
    /// Something about a list.
    List {
        /// The document; the innermost around it that has such a list answers.
        document: NodeId,
        /// Which list.
        list: ListId,
        /// Which rows, in which order.
        query: Query,
        /// What is asked.
        ask: Ask,
    },
    /// The readable texts among the children of a document; answered by [`Response::Texts`].
    Texts {
        /// The document, or a node in it. If the document has no texts, those of the only image
        /// that the node describes, holds or lies in.
        document: NodeId,
    },
    /// The images with code of the container around a node; answered by [`Response::CodeImages`].
    CodeImages {
        /// The node.
        node: NodeId,
    },
    /// Keeps the text of a source file, for [`ListId::SourceLines`] and
    /// [`ListId::Instructions`]; answered by
    /// [`Response::Text`]: what it is the source of, in words.
    AddSource {
        /// The document, or one within it.
        document: NodeId,
        /// The file's name.
        name: String,
        /// Its text.
        text: String,
    },
    /// The sections of code of a document, and what the instructions of one come to.
    Code {
        /// The document, or one within it.
        document: NodeId,
        /// Which section, and in which encoding, as for [`ListId::Instructions`].
        query: Query,
    },
    /// What limits how much of a kernel runs at a time.
    Occupancy {
        /// The document, or one within it.
        document: NodeId,
        /// The kernel's place in its list.
        kernel: u64,
        /// What the reader has chosen.
        question: Question,
    },
    /// Compares the open file with another one, which travels as `file`: that is the first file of
    /// the comparison, the open one the second. Without a file, again with the same one.
    Compare {
        /// The other file's name.
        name: String,
        /// General registers and the tokens of the scoreboard may have other numbers.
        renumbered: bool,
        /// The place of a difference that is to be found again, when the same files are compared.
        keep: Option<u64>,
    },
    /// What of the two files differs.
    Differing,
    /// The comparison as text; answered by [`Response::Text`].
    WriteComparison {
        /// In which form.
        form: CompareForm,
    },
    /// What there is to say of the file, as a page of HTML; answered by [`Response::Text`].
    WriteReport,
}

/// The form of a comparison as text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum CompareForm {
    /// As `zeview diff --markdown`.
    Markdown,
    /// As `zeview diff --html`.
    Html,
    /// As `zeview diff --json`.
    Json,
}

/// What is selected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Place {
    /// A node; in the order by kernel that of the row with this id.
    Node(NodeId),
    /// The innermost node that holds a byte.
    Byte(SourceId, u64),
    /// The node whose bytes these are, or the innermost that holds them; without bytes, the
    /// innermost that holds the byte there.
    Span(Span),
    /// The innermost node that holds the bytes, if it is a part of `within`; just the bytes
    /// otherwise.
    Around {
        /// The bytes.
        span: Span,
        /// A text, of which they are a line.
        within: Span,
    },
    /// Of an instruction the part of its text that was clicked on: the widest of its fields.
    Part {
        /// The bytes of the instruction.
        span: Span,
        /// Where in its text, in bytes.
        at: u32,
        /// As its text is shown.
        encoding: Option<Str>,
    },
    /// The node at a path (`.ze_info/kernels/[0]`), as `Document::path` writes it.
    Path(String),
    /// The entry of the row at this place of the list that is followed, counted among those
    /// that its query finds.
    Row(u64),
}

/// The list whose row is shown with the selection: that of the innermost document around the
/// selection that has such a list, or else of `document`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Follow {
    /// The document whose rows are shown now.
    pub document: NodeId,
    /// Which list.
    pub list: ListId,
    /// As its rows are shown.
    pub query: Query,
    /// The entry of the row that is shown now: it stays if the selection belongs to none.
    pub current: Option<Span>,
    /// The first row is shown if there is none otherwise.
    pub or_first: bool,
}

/// What is asked about a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Ask {
    /// Rows; answered by [`Response::List`].
    Rows {
        /// The place of the first, counted among those that the query finds.
        start: u64,
        /// How many at most; the host gives at most [`ROWS_MAX`].
        count: u64,
        /// The ids of the columns; the default ones if there are none.
        columns: Vec<Str>,
    },
    /// Of [`ListId::Kernels`] of a container: what there is for which devices, and so many of the
    /// kernels with the worst hazards; answered by [`Response::Survey`].
    Survey {
        /// The ids of the columns of these kernels.
        columns: Vec<Str>,
        /// How many at most.
        count: u64,
    },
    /// The row that the selection belongs to, as with a [`Follow`]; answered by
    /// [`Response::ListAt`].
    At {
        /// The selected node.
        node: NodeId,
        /// The selected bytes.
        span: Option<Span>,
        /// As [`Follow::current`].
        current: Option<Span>,
        /// As [`Follow::or_first`].
        or_first: bool,
    },
    /// The rows that the query finds as text; answered by [`Response::Text`].
    Written {
        /// The ids of the columns; the default ones if there are none.
        columns: Vec<Str>,
        /// In which form.
        form: Form,
        /// Only the rows from this place to that one, and no titles.
        rows: Option<(u64, u64)>,
    },
    /// The next match of a text in [`ListId::Lines`]; answered by [`Response::Match`].
    Find {
        /// What was typed; ASCII letters match in either case.
        typed: String,
        /// Where to begin.
        from: u64,
        /// At `from` or after it; before it otherwise. Around the end.
        forward: bool,
    },
}

/// So many of the images that run on a device are named in a verdict.
pub const PICKS_MAX: usize = 4;
/// So many images and symbols of a module are named in the graph.
pub const IMAGES_MAX: usize = 6;
/// So many of the selected bytes are sent with them.
pub const PREVIEW: u64 = 64;
/// Maximum number of images in a [`CodeImages`].
pub const IMAGES_LISTED: usize = 500;
/// At most so many sections of code are named.
pub const SECTIONS_MAX: usize = 2000;
/// At most so many rows in one answer.
pub const ROWS_MAX: u64 = 512;
/// At most so many bytes in one answer (a larger export is cut into several by the page).
pub const BYTES_MAX: u64 = 4 * 1024 * 1024;

/// The form of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ExportForm {
    /// As `zeview dump --json`.
    Json,
    /// As `zeview dump`.
    Text,
}

/// From the decoder to the page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Message {
    /// The first message: the decoder runs.
    Ready {
        /// Its [`PROTOCOL_VERSION`].
        version: u32,
    },
    /// An answer.
    Answer {
        /// The request's id.
        id: u32,
        /// The answer.
        response: Response,
    },
    /// The decoder has failed and must not be asked any more.
    Crashed {
        /// What it said.
        message: String,
        /// The request that it was working on.
        id: Option<u32>,
    },
}

/// What the decoder answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Response {
    /// To [`Request::Open`].
    Opened(Box<Opened>),
    /// To [`Request::Rows`].
    Rows {
        /// How many children there are.
        count: u64,
        /// The children.
        rows: Vec<Row>,
    },
    /// To [`Request::Select`].
    Selected(Box<Selected>),
    /// To [`Request::Bytes`]; the bytes travel as `bytes`.
    Bytes {
        /// The bytes that were read: what was asked for, cut off at the source's end.
        span: Span,
        /// The leaves in them, by position.
        leaves: Vec<LeafRow>,
    },
    /// To [`Request::Search`] when not all was looked at.
    Searching {
        /// How far it is, in percent.
        percent: u8,
    },
    /// To [`Request::Search`] at its end.
    Hits {
        /// The best first, then in the order of the tree.
        hits: Vec<HitRow>,
        /// There may be more.
        more: bool,
    },
    /// To [`Request::Export`] and all others that ask for text.
    Text(String),
    /// To [`Request::Verdict`].
    Verdict(Box<VerdictReport>),
    /// To [`Request::Graph`], of modules or images.
    Graph(Box<GraphPage>),
    /// To [`Request::Graph`], of basic blocks.
    Blocks(Box<BlocksPage>),
    /// To [`Request::Rules`].
    Rules(Vec<RuleInfo>),
    /// To [`Request::Texts`].
    Texts(Vec<Row>),
    /// To [`Request::Occupancy`].
    Occupancy(Box<Occupancy>),
    /// To [`Request::Code`].
    Code(Box<CodeReport>),
    /// To [`Request::CodeImages`].
    CodeImages(Box<CodeImages>),
    /// To [`Request::Compare`].
    Compared(Box<CompareReport>),
    /// To [`Request::Differing`]: what differs of the first file, and of the second.
    Differing(Box<(Differing, Differing)>),
    /// To [`Ask::Rows`].
    List(Box<ListPage>),
    /// To [`Ask::Survey`].
    Survey(Box<SurveyReport>),
    /// To [`Ask::At`]; nothing if no document has such a list.
    ListAt(Option<Box<ListAt>>),
    /// To [`Ask::Find`]; nothing if there is none.
    Match(Option<tables::Match>),
    /// It could not be done: the file has changed on disk, there is no such node.
    Failed {
        /// Why, in words for people.
        message: String,
        /// The bytes cannot be had any more: the file was changed, moved or deleted since
        /// it was chosen. Every further read will fail; choosing it anew helps.
        changed: bool,
    },
}

/// A file that has been decoded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Opened {
    /// Its name.
    pub name: String,
    /// Its size in bytes.
    pub size: u64,
    /// The file in a few lines.
    pub summary: Summary,
    /// How its bytes are accounted for.
    pub coverage: Coverage,
    /// The root of the tree.
    pub root: Row,
    /// The first of the root's children (at most [`ROWS_MAX`]).
    pub rows: Vec<Row>,
    /// What was found, by position.
    pub diagnostics: Vec<Problem>,
    /// The rules that fired.
    pub rules: Vec<RuleInfo>,
    /// How many rows the tree by kernel has below the root; `None` for a file without kernels.
    pub by_kernel: Option<u64>,
    /// The devices of [`Request::Verdict`], by name.
    pub devices: Vec<Str>,
    /// How many bytes were read for all this.
    pub bytes_read: u64,
    /// How long it took, in milliseconds.
    pub millis: f64,
}

/// Some of the modules of a SYCLBIN as a graph, and what there is to say of all.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GraphPage {
    /// The document that has answered.
    pub document: NodeId,
    /// Whose rows the modules are: [`ListId::Modules`], or [`ListId::Images`], each of which
    /// stands as a module with one piece of device code.
    pub list: ListId,
    /// The version of the format.
    pub version: Given<u64>,
    /// The state of the kernel bundle.
    pub state: Option<Given<u64>>,
    /// Its name; may be empty.
    pub state_name: Str,
    /// All bytes of the SYCLBIN.
    pub span: Span,
    /// Its global metadata; may be empty.
    pub metadata: Span,
    /// How many abstract modules there are.
    pub modules: u64,
    /// How many IR modules.
    pub ir_modules: u64,
    /// How many native device code images.
    pub native_images: u64,
    /// How many imported symbols some module exports.
    pub resolved: u64,
    /// How many imported symbols no module exports.
    pub unresolved: u64,
    /// How many modules the query finds.
    pub found: u64,
    /// The place of the first row or group among them.
    pub start: u64,
    /// The modules; none where there are groups.
    pub rows: Vec<GraphModule>,
    /// The groups, where there are too many modules to be drawn.
    pub groups: Vec<ModuleGroup>,
    /// The edges between the rows.
    pub edges: Vec<GraphEdge>,
    /// What is wrong with the query's filter, in words.
    pub trouble: Option<String>,
}

impl GraphPage {
    /// What one of the modules is called, and several.
    pub fn nouns(&self) -> (&'static str, &'static str) {
        match self.list {
            ListId::Images => ("device image", "device images"),
            _ => ("abstract module", "abstract modules"),
        }
    }

    /// The image that holds these bytes, or whose struct does; else the file.
    pub fn holder_at(&self, span: Span) -> Option<Holder> {
        let of = |row: &GraphModule| {
            let code = row.ir_modules.iter().chain(&row.native_images);
            let is_code = code.into_iter().any(|code| code.bytes.contains(span));
            match (is_code, row.ir_modules.is_empty()) {
                (true, true) => Some(Holder::NativeImage(row.module.native_images.start)),
                (true, false) => Some(Holder::IrModule(row.module.ir_modules.start)),
                _ if row.module.header.contains(span) => {
                    Some(Holder::AbstractModule(row.module.index))
                }
                _ => None,
            }
        };
        let found = self.rows.iter().find_map(of);
        found.or_else(|| self.span.contains(span).then_some(Holder::Whole))
    }
}

/// An abstract module and its first images.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GraphModule {
    /// The module.
    pub module: AbstractModule,
    /// Its first IR modules.
    pub ir_modules: Vec<Image>,
    /// Its first native device code images.
    pub native_images: Vec<Image>,
    /// The bytes of all of them.
    pub size: u64,
    /// The first symbols that it exports.
    pub exports: Vec<String>,
    /// The first symbols that it imports.
    pub imports: Vec<String>,
}

/// A module imports what another one exports.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GraphEdge {
    /// The number of the module that imports.
    pub from: u32,
    /// The number of the one that exports.
    pub to: u32,
    /// The first symbol.
    pub symbol: String,
    /// How many symbols.
    pub count: u32,
}

/// Some of the basic blocks of some code, and what there is to say of all.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlocksPage {
    /// The document that has answered.
    pub document: NodeId,
    /// The code.
    pub of: Span,
    /// How many blocks there are.
    pub found: u64,
    /// How many edges.
    pub ways: u64,
    /// How many loops.
    pub loops: u64,
    /// Jumps that lead out of the code, or into the middle of an instruction.
    pub astray: u64,
    /// The code that is not part of the graph, because there are too many blocks before it.
    pub rest: Option<Span>,
    /// The number of the block that holds the selected bytes.
    pub place: Option<u64>,
    /// The number of the first row or group.
    pub start: u64,
    /// The blocks; none where there are groups.
    pub rows: Vec<BlockRow>,
    /// The groups, where there are too many blocks to be drawn.
    pub groups: Vec<BlockGroup>,
    /// The edges that leave the rows.
    pub edges: Vec<BlockEdge>,
}

/// A basic block.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockRow {
    /// The block.
    pub block: Block,
    /// The label of its first instruction.
    pub label: String,
    /// The text of its last instruction.
    pub last: String,
}

/// Control can go from one block to another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockEdge {
    /// The edge.
    pub edge: Edge,
    /// The label of the block that it enters.
    pub label: String,
}

/// What the driver does with a document, and where in the tree its findings are.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct VerdictReport {
    /// The verdict; `None` for what nobody gives to the driver: host programs, SPIR-V, containers.
    pub verdict: Option<Verdict>,
    /// The paths of the nodes that the bytes of its first findings belong to.
    pub paths: Vec<String>,
    /// Of a container: its images, and which of them run on the device.
    pub images: Option<ImagesReport>,
    /// The summary of a document within the file; that of the file itself comes with [`Opened`].
    pub summary: Option<Summary>,
}

/// The images of a container, and which of them run on a device.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ImagesReport {
    /// How many images there are.
    pub count: u64,
    /// The requested device; `None` if none was requested: a container has no device of its own.
    pub device: Option<Str>,
    /// What the driver does with the images that run; `None` if none runs.
    pub outcome: Option<Outcome>,
    /// The first images that run; if none runs, the first that does not.
    pub first: Vec<ImagePick>,
    /// How many run.
    pub chosen: u64,
    /// Who chooses, and how.
    pub rule: Str,
}

/// An image, and why it runs on a device or does not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImagePick {
    /// Its name.
    pub name: String,
    /// Its bytes.
    pub span: Span,
    /// Why.
    pub why: Str,
}

/// The images of a container that can have instructions.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CodeImages {
    /// The images, in the order of the file: at most [`IMAGES_LISTED`] of the container, those
    /// around the selected one. An archive that the selection lies in is listed by its members.
    pub images: Vec<CodeImage>,
    /// Number of images that are not listed.
    pub left_out: u64,
}

/// An image that can have instructions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CodeImage {
    /// Its name in the container.
    pub name: String,
    /// The devices that its code is for, as far as they are known without opening it.
    pub device: String,
    /// Its first kernel, demangled, if the index of a host's file names it.
    pub kernel: String,
    /// Number of kernels that the index names; 0 without an index.
    pub kernels: u64,
    /// Its bytes.
    pub span: Span,
    /// Its instructions are those of the node that was asked about.
    pub is_shown: bool,
}

/// The code of a document, and what the instructions of a section come to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CodeReport {
    /// The document that has answered.
    pub document: NodeId,
    /// The first sections of code: their names and their bytes.
    pub sections: Vec<(String, Span)>,
    /// The encoding that the file's device has; `None` if it is not known.
    pub encoding: Option<Str>,
    /// All encodings.
    pub encodings: Vec<Str>,
    /// The section that was asked about.
    pub of: Span,
    /// What its instructions come to, as far as they are counted.
    pub mix: Mix,
    /// So many bytes of it are not counted yet; whoever asks again gets more.
    pub left: u64,
}

/// What there is to say of the comparison with another file; what differs is
/// [`ListId::Differences`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompareReport {
    /// The first file: the other one.
    pub from: Head,
    /// The second file: the one that is open.
    pub to: Head,
    /// They have the same bytes.
    pub equal: bool,
    /// They are identical, or differ in nothing but layout.
    pub same_meaning: bool,
    /// How many differences there are.
    pub differences: u64,
    /// The result in a line.
    pub verdict: Str,
    /// How many of each part have changed, a line each.
    pub counts: Vec<String>,
    /// What makes the two files hard to compare.
    pub remarks: Vec<String>,
    /// Not all of it was compared: the files are too costly.
    pub is_cut: bool,
    /// What could not be compared, and why.
    pub notes: Vec<String>,
    /// The place of the difference that was to be found again, if it is still there.
    pub kept: Option<u64>,
}

/// Rows of a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ListPage {
    /// The document that has answered.
    pub document: NodeId,
    /// What the list is of, where that is not the document: `abstract module 3`.
    pub subject: String,
    /// The rows.
    pub rows: Vec<tables::Row>,
    /// The place of the first among those that the query finds.
    pub start: u64,
    /// How many the query finds.
    pub found: u64,
    /// How many there are, but for the secondary ones.
    pub total: u64,
    /// Of the kernels of several images: the number of different names.
    pub names: Option<u64>,
    /// How many are shown only on demand: functions among kernels.
    pub secondary: Secondary,
    /// What people must know of the list as a whole: what is missing in it.
    pub notes: Vec<String>,
    /// The ids of the columns that the rows have.
    pub columns: Vec<Str>,
    /// The largest number of each column of numbers, over all rows, by the column's id.
    pub maxima: Vec<(Str, f64)>,
    /// What is wrong with the query's filter, in words.
    pub trouble: Option<String>,
    /// How far the reading of the list is; `None` if nothing is left to read. Each further request
    /// for rows goes on with it.
    pub reading: Option<Progress>,
}

/// What a container holds for which devices.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SurveyReport {
    /// The document that has answered.
    pub document: NodeId,
    /// What it holds, as far as it is read.
    pub survey: Survey,
    /// How far that is. Each further request goes on with it.
    pub progress: Progress,
    /// The kernels with the worst hazards.
    pub worst: Vec<tables::Row>,
}

/// The list that goes with a selection.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ListAt {
    /// The document whose list it is.
    pub document: NodeId,
    /// What the list is of ([`Query::of`]): the outermost text around the selected bytes, the
    /// bytes of the innermost thing with properties (the same for all bytes that belong to it),
    /// the section of code; what the query says if they are in none.
    pub of: Option<Span>,
    /// How many rows the query finds.
    pub found: u64,
    /// The row that the selection belongs to, or that stays.
    pub place: Option<ListPlace>,
}

/// A row of a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ListPlace {
    /// Its place in the list, whatever the query.
    pub index: u64,
    /// How many rows: of a text, so many lines.
    pub count: u64,
    /// Its place among those that the query finds; `None` if it is not among them.
    pub place: Option<u64>,
    /// The bytes of its entry; of several lines, those of all.
    pub entry: Span,
    /// What there is to say about it.
    pub about: tables::About,
}

/// A diagnostic and where it stands in the tree.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Problem {
    /// The finding.
    pub diagnostic: Diagnostic,
    /// The path of the node that its bytes belong to.
    pub path: String,
}

/// One row of the tree.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The node.
    pub id: NodeId,
    /// Its parent; the root has none.
    pub parent: Option<NodeId>,
    /// Its place among its siblings, from 0.
    pub index: u64,
    /// Its name.
    pub name: Str,
    /// The name with the short name of the kernel in it, where it has a long one.
    pub short: Option<Str>,
    /// The entry of a table or sequence.
    pub indexed: bool,
    /// What sort of thing it is.
    pub kind: NodeKind,
    /// Which part of the binary it belongs to.
    pub area: Area,
    /// What its bytes say.
    pub value: Value,
    /// A few words on what is inside.
    pub summary: Option<Str>,
    /// Its bytes; derived values have none.
    pub span: Option<Span>,
    /// How many bytes before the span introduce it.
    pub head: u32,
    /// The bits of the span's word.
    pub bits: Option<Bits>,
    /// How many children it has. `None`: at least one may be there, and asking for the
    /// number would read what nobody has asked to see yet; [`Response::Rows`] has it.
    pub count: Option<u64>,
    /// The worst that is said about its bytes.
    pub severity: Option<Severity>,
}

/// Everything that the page shows of a selection.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Selected {
    /// The rows from the root's child down to the selected node, each with its `count`; the
    /// root itself only if nothing else is there.
    pub ancestry: Vec<Row>,
    /// The same in the tree by kernel, without the root, if that order was asked for and the file
    /// has kernels.
    pub way: Option<Vec<Row>>,
    /// What is known of the selected node.
    pub detail: Detail,
    /// The first of the selected bytes, at most [`PREVIEW`]: of a [`Place::Span`] these, of all
    /// others the node's.
    pub preview: Vec<u8>,
    /// The list that was asked for with it; nothing if no document has such a list.
    pub list: Option<Box<ListAt>>,
}

/// What is known of a node beside its row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Detail {
    /// The node.
    pub node: NodeId,
    /// The bits of its bytes that are selected; all without.
    pub bits: Option<Bits>,
    /// Its path (`.ze_info/kernels/[0]/execution_env`).
    pub path: String,
    /// What it means.
    pub doc: Option<String>,
    /// Which specification says so.
    pub doc_source: Option<String>,
    /// The values that the specification names.
    pub known: Vec<KnownRow>,
    /// What it refers to.
    pub xrefs: Vec<Xref>,
    /// Indices into [`Opened::diagnostics`] of those within its bytes (the first 50).
    pub diagnostics: Vec<u32>,
}

/// A value that the specification names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownRow {
    /// The number; for words, which have none, the place in the list.
    pub raw: u64,
    /// Its name.
    pub name: Str,
    /// What it means.
    pub doc: Str,
}

/// A leaf's bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeafRow {
    /// The first byte of its value.
    pub start: u64,
    /// The byte after the last one.
    pub end: u64,
    /// How many bytes before `start` introduce it.
    pub head: u32,
    /// Its colour.
    pub area: Area,
    /// Padding and gaps are drawn differently.
    pub kind: NodeKind,
    /// Neighbours with an odd and an even number get different shades.
    pub odd: bool,
}

/// A step of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum SearchStep {
    /// The first one; forgets the search before.
    Begin,
    /// The next one.
    GoOn,
    /// No more steps: what was found so far.
    Stop,
}

/// Something that a search has found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HitRow {
    /// Its bytes.
    pub span: Span,
    /// The names on the way to it.
    pub path: Vec<String>,
    /// What stands there.
    pub text: String,
}
