//! The messages between the page and the decoder.
//!
//! Two things travel beside the data, because they must not be copied: the `file` (a `Blob`)
//! of [`Request::Open`], and the `bytes` (a `Uint8Array`, transferred) of
//! [`Response::Bytes`]. How all this looks on its way, [`codec`](super::codec) knows. The first
//! variant of [`Message`] stays what it is: whoever has another version must be able to read
//! that much.

use serde::{Deserialize, Serialize};

use crate::model::kernels::query::Query as KernelQuery;
use crate::model::kernels::table::Form as TableForm;
use crate::model::kernels::{Given, KernelDetail, KernelRow};
use crate::model::linkage::list::{self, ListId};
use crate::model::modules::query::{ModuleGroup, ModuleQuery};
use crate::model::modules::{AbstractModule, Holder, Image, PropertySet};
use crate::model::{
    Area, Bits, Coverage, Diagnostic, NodeId, NodeKind, RuleInfo, Severity, SourceId, Span, Str,
    Summary, Value, Verdict, Xref,
};

/// Both sides must have been built with the same. Worker files are not hashed by every
/// host, so after a deploy a browser may combine an old one with a new page: the page
/// refuses another version and says so.
pub const PROTOCOL_VERSION: u32 = 7;

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
    /// The children `start..start+count` of a node.
    Rows {
        /// The parent.
        node: NodeId,
        /// The first child.
        start: u64,
        /// How many at most; the host gives at most [`ROWS_MAX`].
        count: u64,
    },
    /// Everything about one node.
    Detail {
        /// The node.
        node: NodeId,
    },
    /// The nodes that hold a byte, the outermost first.
    At {
        /// The source that `offset` counts in.
        source: SourceId,
        /// The byte.
        offset: u64,
    },
    /// The way to the node whose bytes these are, or that holds them.
    Locate {
        /// The bytes.
        span: Span,
    },
    /// The way to the node at a path (`.ze_info/kernels/[0]`).
    Find {
        /// As `Document::path` writes it.
        path: String,
    },
    /// Bytes, and the leaves that they belong to.
    Bytes {
        /// Which; the host gives at most [`BYTES_MAX`].
        span: Span,
        /// With the leaves.
        leaves: bool,
    },
    /// Names, values, text or bytes that match what was typed.
    Search {
        /// As typed.
        typed: String,
        /// At most so many hits.
        limit: u32,
    },
    /// A node and all below it as text.
    Export {
        /// The node.
        node: NodeId,
        /// In which form.
        form: ExportForm,
    },
    /// A piece of the kernel table of a document (the root, or one nested in it).
    Kernels {
        /// The document.
        document: NodeId,
        /// Which kernels, in which order.
        query: KernelQuery,
        /// The first row, counted among those that the query finds.
        start: u64,
        /// How many at most; the host gives at most [`ROWS_MAX`].
        count: u64,
    },
    /// One kernel in full.
    Kernel {
        /// The document.
        document: NodeId,
        /// [`KernelRow::index`].
        index: u64,
    },
    /// The kernel to whose entry these bytes belong.
    KernelAt {
        /// The document.
        document: NodeId,
        /// The bytes.
        span: Span,
        /// As the table is shown, to tell where in it the kernel is.
        query: KernelQuery,
    },
    /// The kernel table as text; answered by [`Response::Text`].
    KernelTable {
        /// The document.
        document: NodeId,
        /// Which kernels, in which order.
        query: KernelQuery,
        /// The columns, by their names; the usual ones if there are none.
        columns: Vec<Str>,
        /// In which form.
        form: TableForm,
    },
    /// What the driver does with a document (the root, or one nested in it).
    Verdict {
        /// The document.
        document: NodeId,
        /// On this device; on the document's own without.
        device: Option<Str>,
    },
    /// The modules of a SYCLBIN (the root, or one nested in it): those at these places, or
    /// groups of them.
    Modules {
        /// The document.
        document: NodeId,
        /// Which modules, in which order.
        query: ModuleQuery,
        /// The place of the first, counted among those that the query finds.
        start: u64,
        /// How many at most; the host gives at most [`ROWS_MAX`].
        count: u64,
        /// In groups, if they are too many to be drawn; with the edges between them.
        grouped: bool,
    },
    /// What these bytes of a SYCLBIN belong to.
    ModuleAt {
        /// The document.
        document: NodeId,
        /// The bytes.
        span: Span,
        /// As the modules are shown, to tell where among them it is.
        query: ModuleQuery,
    },
    /// The properties of a module, an image, or the whole.
    Properties {
        /// The document.
        document: NodeId,
        /// Of what.
        holder: Holder,
    },
    /// Every rule that there is; needs no file.
    Rules,
    /// Something about the relocations, the symbols, or the lines of a text of a document.
    List {
        /// The document; one within it answers for the one around it.
        document: NodeId,
        /// Which list.
        list: ListId,
        /// Which rows, in which order.
        query: list::Query,
        /// What is asked.
        ask: Ask,
    },
    /// The readable texts among the children of a document; answered by [`Response::Rows`].
    Texts {
        /// The document.
        document: NodeId,
    },
}

/// What is asked about a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Ask {
    /// So many rows (the host gives at most [`ROWS_MAX`]) from a place on, counted among those
    /// that the query finds; answered by [`Response::List`].
    Rows(u64, u64),
    /// The row that bytes belong to; answered by [`Response::ListAt`].
    At(Span),
    /// The list as text, or just the text; answered by [`Response::Text`].
    Written(TableForm),
    /// The next place in a text where something stands, letters of ASCII in either case; at
    /// this offset or after it (`true`), or before it; around the end. Answered by
    /// [`Response::ListAt`] with its bytes, the how manieth it is (from 1), and how many there
    /// are.
    Find(String, u64, bool),
}

/// So many bytes of a line are in an answer.
pub const LINE_SHOWN: u64 = 1000;
/// So many images and symbols of a module are named in its row.
pub const IMAGES_MAX: usize = 6;
/// At most so many properties in one answer.
pub const PROPERTIES_MAX: usize = 4000;
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
    Rows(Vec<Row>),
    /// To [`Request::Detail`].
    Detail(Box<Detail>),
    /// To [`Request::At`], [`Request::Locate`] and [`Request::Find`]: from the root's child
    /// (the root itself only if nothing else is there) to the innermost node.
    Way(Vec<Row>),
    /// To [`Request::Bytes`]; the bytes travel as `bytes`.
    Bytes {
        /// The bytes that were read: what was asked for, cut off at the source's end.
        span: Span,
        /// The leaves in them, by position.
        leaves: Vec<LeafRow>,
    },
    /// To [`Request::Search`].
    Hits {
        /// In the order of the tree.
        hits: Vec<HitRow>,
        /// There may be more.
        more: bool,
    },
    /// To [`Request::Export`] and all others that ask for text.
    Text(String),
    /// To [`Request::Kernels`].
    Kernels(Box<KernelPage>),
    /// To [`Request::Kernel`].
    Kernel(Box<KernelDetail>),
    /// To [`Request::KernelAt`]; nothing if the bytes are of no kernel's entry.
    KernelAt(Option<KernelPlace>),
    /// To [`Request::Verdict`]; `None` for what nobody gives to the driver: host programs,
    /// SPIR-V, containers.
    Verdict(Option<Box<VerdictReport>>),
    /// To [`Request::Modules`].
    Modules(Box<ModulePage>),
    /// To [`Request::ModuleAt`]; nothing if the bytes are outside of it.
    ModuleAt(Option<ModulePlace>),
    /// To [`Request::Properties`].
    Properties {
        /// The sets, at most [`PROPERTIES_MAX`] entries.
        sets: Vec<PropertySet>,
        /// So many further entries there are.
        more: u64,
    },
    /// To [`Request::Rules`].
    Rules(Vec<RuleInfo>),
    /// To [`Ask::Rows`].
    List(Box<ListPage>),
    /// To [`Ask::At`] and [`Ask::Find`].
    ListAt(Box<ListPlace>),
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
    /// The devices of [`Request::Verdict`], by name.
    pub devices: Vec<Str>,
    /// How many bytes were read for all this.
    pub bytes_read: u64,
    /// How long it took, in milliseconds.
    pub millis: f64,
}

/// A piece of the kernel table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KernelPage {
    /// The rows.
    pub rows: Vec<KernelRow>,
    /// The place of the first among those that the query finds.
    pub start: u64,
    /// How many the query finds.
    pub found: u64,
    /// How many kernels there are.
    pub kernels: u64,
    /// How many functions there are.
    pub functions: u64,
    /// The largest number of each column of numbers, over all rows; by the column's name.
    pub maxima: Vec<(Str, f64)>,
    /// What is wrong with the query's filter, in words.
    pub trouble: Option<String>,
}

/// Where a kernel is in the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelPlace {
    /// [`KernelRow::index`].
    pub index: u64,
    /// Its place among those that the query finds; nothing if it is not among them.
    pub place: Option<u64>,
}

/// Some of the modules of a SYCLBIN, and what there is to say of all.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModulePage {
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
    pub rows: Vec<ModuleRow>,
    /// The groups, where there are too many modules to be drawn.
    pub groups: Vec<ModuleGroup>,
    /// The edges between the rows.
    pub edges: Vec<ModuleEdge>,
}

impl ModulePage {
    /// Nothing so far.
    pub fn empty(found: u64, start: u64) -> ModulePage {
        let nowhere = Span::new(SourceId::FILE, 0, 0);
        ModulePage {
            version: Given::default(),
            state: None,
            state_name: Str::default(),
            span: nowhere,
            metadata: nowhere,
            modules: 0,
            ir_modules: 0,
            native_images: 0,
            resolved: 0,
            unresolved: 0,
            found,
            start,
            rows: Vec::new(),
            groups: Vec::new(),
            edges: Vec::new(),
        }
    }
}

/// An abstract module and its first images.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModuleRow {
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
pub struct ModuleEdge {
    /// The number of the module that imports.
    pub from: u32,
    /// The number of the one that exports.
    pub to: u32,
    /// The first symbol.
    pub symbol: String,
    /// How many symbols.
    pub count: u32,
}

/// What some bytes of a SYCLBIN belong to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModulePlace {
    /// The innermost thing with properties of its own.
    pub holder: Holder,
    /// The number of its module.
    pub module: Option<u32>,
    /// The module's place among those that the query finds.
    pub place: Option<u64>,
}

/// What the driver does with a document, and where in the tree its findings are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VerdictReport {
    /// The verdict.
    pub verdict: Verdict,
    /// The paths of the nodes that the bytes of its first findings belong to.
    pub paths: Vec<String>,
}

/// A piece of a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ListPage {
    /// The rows. That of a line has one cell: its text, where bytes that are not UTF-8 stand as
    /// `\xff`, and what is left of a long line.
    pub rows: Vec<list::Row>,
    /// The place of the first among those that the query finds.
    pub start: u64,
    /// How many the query finds.
    pub found: u64,
    /// How many there are.
    pub total: u64,
    /// So many more are in the file: there are too many.
    pub left_out: u64,
    /// The bytes of the longest line.
    pub longest: u64,
    /// What is wrong with the query's filter, in words.
    pub trouble: Option<String>,
}

/// A row of a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ListPlace {
    /// The document that has answered.
    pub document: NodeId,
    /// Its place among those that the query finds; nothing if it is not among them.
    pub place: Option<u64>,
    /// The bytes of its entry; of a text, those of the lines. Nothing if there is no such row.
    pub entry: Option<Span>,
    /// What it is called.
    pub title: String,
    /// What belongs to it.
    pub links: Vec<Xref>,
    /// So many relocations refer to the symbol; of a text, so many lines.
    pub count: u64,
    /// The filter that finds these relocations.
    pub filter: String,
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
    /// number would read what nobody has asked to see yet; the row of a [`Detail`] has it.
    pub count: Option<u64>,
    /// The worst that is said about its bytes.
    pub severity: Option<Severity>,
}

/// Everything about one node.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Detail {
    /// The row, with its `count` known.
    pub row: Row,
    /// Its path (`.ze_info/kernels/[0]/execution_env`).
    pub path: String,
    /// The rows on the way to it, the outermost first, without the root and itself.
    pub ancestors: Vec<Row>,
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
    /// Its first bytes (at most 16), for the value's other readings.
    pub preview: Vec<u8>,
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
