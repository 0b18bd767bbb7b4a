//! A located reader for the YAML subset of `.ze_info`.
//!
//! The text is what LLVM's YAML writer produces for IGC ("ZE Info" in IGC's zebin specification,
//! `zeinfo.md`), and what the runtime's own parser (compute-runtime, `yaml_parser.cpp`) accepts
//! beyond that: other indentation widths, `key : value`, `key:value`, comments, tabs. The reader
//! makes one pass over the text, line by line, and cannot fail: a line that it cannot parse becomes
//! a node of kind [`Kind::Raw`] and a [`Problem`]; the other lines are not affected. Order,
//! duplicate keys and unknown keys are kept.
//!
//! # Every byte belongs to one node
//!
//! A node's bytes are its *head* followed by its *value*:
//!
//! ```text
//!  kernels:\n  - name:   nop\n    execution_env:\n      simd_size: 32\n
//!  |------||------------------------------------------------------|     kernels
//!          |----||------------------------------------------------|     its item
//!                |------||-|                                            name
//!                           |-------------------||----------------|     execution_env
//!                                                |-----------------||  simd_size
//!  head: introduces the value            value: its exact bytes
//! ```
//!
//! * The head starts at the end of the previous node: line breaks, blank lines, indentation, `- `,
//!   key, colon, blanks, and anchors or tags.
//! * The value of a mapping or sequence is tiled by its children, without holes: the first child's
//!   head starts where the value starts, each further head starts where the previous node ended,
//!   and the value ends with the last child. It starts right after the colon or dash, or at its
//!   first key or dash if that is on the line of the dash (`- name: x`).
//! * In a flow sequence `[ 0, 1 ]` the heads are `[ ` and `, `; what closes it,
//!   ` ]`, is a last child of kind [`Kind::Syntax`].
//! * Comments, `---`, `...` and the bytes after the last line are nodes too.
//!
//! [`check_coverage`] checks that a tree follows these rules; every tree does, for any input.
//!
//! # Limitations
//!
//! Not decoded: anchors, aliases, tags, `<<`, block scalars, complex keys, directives, multi-line
//! scalars and further documents. [`Yaml::is_outside_subset`] is then true, the bytes are still in
//! the tree, and a general YAML reader must decode them. IGC writes none of these, and the runtime
//! rejects them (observed with release 26.27).

mod block;
mod coverage;
mod flow;
mod keys;
mod lines;
mod problem;
mod reader;
mod scalar;
#[cfg(test)]
mod tests;
mod values;

use std::ops::Range;

pub use coverage::check_coverage;
pub use problem::{Problem, ProblemKind};
pub use reader::parse;
pub use scalar::{Decoded, as_bool, as_int};

/// The index of a node in [`Yaml::nodes`].
pub type Index = u32;

/// The document: the root of all other nodes.
pub const ROOT: Index = 0;

/// A range of the text: byte offsets, half-open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Extent {
    /// Offset of the first byte.
    pub start: u32,
    /// Offset after the last byte.
    pub end: u32,
}

impl Extent {
    /// Creates an extent from positions. They fit: [`parse`] reads no more than `u32::MAX` bytes.
    pub(crate) fn new(start: usize, end: usize) -> Self {
        Self {
            start: offset(start),
            end: offset(end),
        }
    }

    /// The extent as a range of indices.
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// The bytes, empty if `text` is not the text of this extent.
    pub fn of(self, text: &[u8]) -> &[u8] {
        text.get(self.range()).unwrap_or_default()
    }

    /// Number of bytes.
    pub fn len(self) -> u32 {
        self.end.saturating_sub(self.start)
    }

    /// Returns whether it is empty.
    pub fn is_empty(self) -> bool {
        self.end <= self.start
    }

    /// Returns whether it contains the byte at `offset`.
    pub fn contains(self, offset: u32) -> bool {
        (self.start..self.end).contains(&offset)
    }
}

/// A position in the text as an offset.
fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

/// The kind of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// The whole text; node [`ROOT`].
    Document,
    /// A block mapping: one `key: value` per line.
    Mapping,
    /// A block sequence of items that start with `- `.
    Sequence,
    /// `{a: 1}`. The runtime rejects it (observed with release 26.27).
    FlowMapping,
    /// `[ 0, 1, 2 ]`, possibly on several lines.
    FlowSequence,
    /// A single value.
    Scalar,
    /// `key:` or `-` without a value.
    Null,
    /// Unreadable bytes; a [`Problem`] gives the reason.
    Raw,
    /// `# …`, or `// …` at the start of a line.
    Comment,
    /// `---` or `...`.
    Marker,
    /// `%YAML 1.2`.
    Directive,
    /// The closing bracket of a flow sequence or mapping.
    Syntax,
    /// The end of the text after its last line: line breaks, blanks, NULs.
    Blank,
}

impl Kind {
    /// Returns whether this is a value in YAML's sense, not a comment, marker or unreadable line.
    pub fn is_value(self) -> bool {
        self.is_collection() || matches!(self, Self::Scalar | Self::Null)
    }

    /// Returns whether this is a mapping or a sequence, in block or flow form.
    pub fn is_collection(self) -> bool {
        self.is_mapping() || self.is_sequence()
    }

    /// Returns whether this is a mapping, in block or flow form.
    pub fn is_mapping(self) -> bool {
        matches!(self, Self::Mapping | Self::FlowMapping)
    }

    /// Returns whether this is a sequence, in block or flow form.
    pub fn is_sequence(self) -> bool {
        matches!(self, Self::Sequence | Self::FlowSequence)
    }
}

/// The style of a scalar or a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Style {
    /// Without quotes.
    Plain,
    /// `'…'`, where `''` stands for one quote.
    SingleQuoted,
    /// `"…"`, with backslash escapes.
    DoubleQuoted,
    /// `|` or `>` and the lines below.
    Block,
}

/// A node of the tree; 40 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Node {
    /// The kind of the node.
    pub kind: Kind,
    /// The style of the value; [`Style::Plain`] for everything but scalars.
    pub style: Style,
    /// The style of the key; `None` if there is no key.
    pub key_style: Option<Style>,
    /// The exact bytes of the key, with its quotes (see [`Node::key`]).
    key: Extent,
    /// The start of the head, which ends at the start of the value.
    pub head: u32,
    /// The exact bytes of the value.
    pub value: Extent,
    /// Number of the line (from 1) of the key, or of the value if there is no key.
    pub line: u32,
    parent: Index,
    first_child: Index,
    children: u32,
}

impl Node {
    /// The exact bytes of the key, with its quotes if it has them.
    pub fn key(&self) -> Option<Extent> {
        self.key_style.map(|_| self.key)
    }

    /// The bytes that introduce the value.
    pub fn head(&self) -> Extent {
        Extent {
            start: self.head,
            end: self.value.start,
        }
    }

    /// Head and value together.
    pub fn extent(&self) -> Extent {
        Extent {
            start: self.head,
            end: self.value.end,
        }
    }

    /// The entry as one would select it in the text: key and value without the blanks before the
    /// key.
    pub fn entry(&self) -> Extent {
        let start = self.key().map_or(self.value.start, |key| key.start);
        Extent {
            start,
            end: self.value.end,
        }
    }

    /// Number of children of any kind.
    pub fn child_count(&self) -> u32 {
        self.children
    }

    fn child_range(&self) -> Range<usize> {
        let first = self.first_child as usize;
        first..first + self.children as usize
    }
}

/// Limits of detailed reading; the rest of the text becomes [`Kind::Raw`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Maximum nesting of mappings and sequences. `.ze_info` needs 6.
    pub depth: usize,
    /// Minimum limit for nodes.
    pub nodes: usize,
    /// Number of bytes that allow one more node in a longer text. IGC's text has one node per 25
    /// bytes, or per 15 without padding.
    pub bytes_per_node: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            depth: 128,
            nodes: 1 << 18,
            bytes_per_node: 10,
        }
    }
}

/// The tree of a text. It does not own the text: the methods that need it take it.
#[derive(Debug, Clone)]
pub struct Yaml {
    /// Children of a node are adjacent, in text order.
    nodes: Vec<Node>,
    /// The value of the document.
    content: Option<Index>,
    problems: problem::Problems,
}

impl Yaml {
    /// All nodes; [`ROOT`] is the first, the others are in unspecified order.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The node with this index.
    pub fn node(&self, index: Index) -> Option<&Node> {
        self.nodes.get(index as usize)
    }

    /// The parent of a node.
    pub fn parent(&self, index: Index) -> Option<Index> {
        let node = self.node(index)?;
        (index != ROOT).then_some(node.parent)
    }

    /// The children of a node, in text order: values and everything between them.
    pub fn children(
        &self,
        index: Index,
    ) -> impl DoubleEndedIterator<Item = (Index, &Node)> + ExactSizeIterator {
        let first = self.node(index).map_or(0, |node| node.first_child);
        let children = self.child_slice(index);
        (0..offset(children.len()))
            .zip(children)
            .map(move |(nth, node)| (first + nth, node))
    }

    /// The index of the `nth` child.
    pub fn child(&self, index: Index, nth: u32) -> Option<Index> {
        let node = self.node(index)?;
        (nth < node.children).then(|| node.first_child + nth)
    }

    /// The children that are values in YAML's sense: no comments, markers or unreadable lines.
    pub fn values(&self, index: Index) -> impl DoubleEndedIterator<Item = (Index, &Node)> {
        self.children(index)
            .filter(|(_, node)| node.kind.is_value())
    }

    /// The value of the document, for `.ze_info` the mapping with `version` and `kernels`.
    pub fn content(&self) -> Option<Index> {
        self.content
    }

    /// The values in `mapping` whose decoded key is `key`, in text order. For duplicate scalars the
    /// runtime uses the last (observed with release 26.27).
    pub fn get_all<'a>(
        &'a self,
        text: &'a [u8],
        mapping: Index,
        key: &'a str,
    ) -> impl DoubleEndedIterator<Item = Index> + 'a {
        self.children(mapping)
            .filter(move |(_, node)| match node.key_style {
                None => false,
                Some(Style::Plain) => node.key.of(text) == key.as_bytes(),
                Some(style) => scalar::decode(node.key.of(text), style).text == key,
            })
            .map(|(index, _)| index)
    }

    /// The first value in `mapping` with this key.
    pub fn get(&self, text: &[u8], mapping: Index, key: &str) -> Option<Index> {
        self.get_all(text, mapping, key).next()
    }

    /// The key of a node, without quotes and escapes.
    pub fn key_text<'t>(&self, text: &'t [u8], index: Index) -> Option<Decoded<'t>> {
        let node = self.node(index)?;
        Some(scalar::decode(node.key()?.of(text), node.key_style?))
    }

    /// The value of a node as text: without quotes and escapes for a scalar (block scalars and
    /// multi-line scalars are unchanged), the exact text for others.
    pub fn scalar_text<'t>(&self, text: &'t [u8], index: Index) -> Decoded<'t> {
        let Some(node) = self.node(index) else {
            return Decoded::default();
        };
        scalar::decode(node.value.of(text), node.style)
    }

    /// The innermost node that contains the byte at `offset`. Offsets past the text belong to the
    /// document.
    pub fn at(&self, offset: u32) -> Index {
        let mut index = ROOT;
        loop {
            let children = self.child_slice(index);
            let nth = children.partition_point(|child| child.value.end <= offset);
            let (Some(child), Some(node)) = (children.get(nth), self.node(index)) else {
                return index;
            };
            index = node.first_child + self::offset(nth);
            if offset < child.value.start {
                return index;
            }
        }
    }

    /// The number of the line (from 1) with the byte at `offset`.
    pub fn line_of(&self, text: &[u8], offset: u32) -> u32 {
        let Some(node) = self.node(self.at(offset)) else {
            return 1;
        };
        let known = node.entry().start;
        let between = |start, end| lines::line_breaks(text, Extent { start, end });
        if known <= offset {
            node.line.saturating_add(between(known, offset))
        } else {
            node.line.saturating_sub(between(offset, known))
        }
    }

    /// The problems in the order in which they were found: the first [`Problem::KEPT`] of each
    /// kind.
    pub fn problems(&self) -> &[Problem] {
        self.problems.kept()
    }

    /// Number of problems of `kind`.
    pub fn problem_count(&self, kind: ProblemKind) -> u32 {
        self.problems.count(kind)
    }

    /// Returns whether the text has YAML that this reader shows but does not decode.
    pub fn is_outside_subset(&self) -> bool {
        self.problems()
            .iter()
            .any(|problem| problem.kind.is_outside_subset())
    }

    fn child_slice(&self, index: Index) -> &[Node] {
        self.node(index)
            .and_then(|node| self.nodes.get(node.child_range()))
            .unwrap_or_default()
    }
}

const _: () = assert!(size_of::<Node>() <= 40);
