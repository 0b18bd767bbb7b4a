//! What the page asks for.

use super::super::protocol::tree_order::TreeOrder;
use super::compare::CompareForm;
use super::list::{Follow, ListRequest};
use super::search::SearchStep;
use crate::analysis::occupancy::Question;
use crate::model::{NodeId, SourceId, Span, Str};
use crate::tables::ListId;
use crate::tables::query::Query;
use serde::{Deserialize, Serialize};

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
        place: SelectionTarget,
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
        ask: ListRequest,
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

/// What is selected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum SelectionTarget {
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

/// The form of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ExportForm {
    /// As `zeview dump --json`.
    Json,
    /// As `zeview dump`.
    Text,
}
