//! The rows of the tree.

use serde::{Deserialize, Serialize};

use super::span::Span;
use super::value::{Str, Value};

/// Identifies a node of one [`Document`](super::Document): an index into its arena.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize,
)]
pub struct NodeId(pub u32);

impl NodeId {
    /// The root: the node of the opened file.
    pub const ROOT: NodeId = NodeId(0);
}

/// Identifies an [`Expand`](super::Expand) of one document: an index into its list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ExpanderId(pub u32);

impl ExpanderId {
    /// Stands for the creator of the node; [`Rows::push`](super::Rows::push) inserts the number.
    pub const SELF: ExpanderId = ExpanderId(u32::MAX);
}

/// The kind of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum NodeKind {
    /// A document of some format: the opened file, or one nested in it.
    File,
    /// Fields at fixed offsets.
    Record,
    /// One field.
    Field,
    /// A sequence of records or values of one kind.
    Table,
    /// One entry of a table.
    Item,
    /// A machine instruction. Its children are the fields of its word; a walk of the whole document
    /// skips them.
    Instruction,
    /// A mapping of names to values (YAML, property sets).
    Mapping,
    /// A sequence of values (YAML).
    Sequence,
    /// Readable text.
    Text,
    /// Bytes without further structure.
    Blob,
    /// Compressed bytes; the only child is the decompressed data, in another source.
    Packed,
    /// Punctuation, comments and markers of a text format.
    Syntax,
    /// Bytes that only align what follows.
    Padding,
    /// Bytes that nothing explains.
    Gap,
    /// A computed value without bytes of its own.
    Derived,
}

/// The part of a binary that a node belongs to; it selects the color in the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub enum Area {
    /// The parent's area.
    #[default]
    Inherit,
    /// Headers and tables of the container.
    Header,
    /// Machine code.
    Code,
    /// Metadata: `.ze_info`, property sets.
    Meta,
    /// Constants and variables.
    Data,
    /// Symbols, strings, relocations.
    Symbol,
    /// Notes.
    Note,
    /// Intermediate representations: SPIR-V, LLVM bitcode, PISA.
    Ir,
    /// Debug information.
    Debug,
    /// Padding and gaps.
    Padding,
}

/// A set of bits of a word of up to 128 bits, numbered from the lowest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Bits {
    /// Mask of bits 63 to 0.
    low: u64,
    /// Mask of bits 127 to 64.
    high: u64,
}

impl Bits {
    /// The bits from `low` up to, but not including, `high`.
    pub fn new(low: u8, high: u8) -> Bits {
        let below = |bit: u8| {
            1_u128
                .checked_shl(bit.into())
                .map_or(u128::MAX, |bit| bit - 1)
        };
        Bits::of(below(high) & !below(low))
    }

    /// The bits that are set in a mask.
    pub fn of(mask: u128) -> Bits {
        let half = |mask: u128| u64::try_from(mask & u128::from(u64::MAX)).unwrap_or(0);
        Bits {
            low: half(mask),
            high: half(mask >> 64),
        }
    }

    /// Returns the number of bits.
    pub fn count(self) -> u32 {
        self.low.count_ones() + self.high.count_ones()
    }

    /// Returns the bits that are in both sets.
    #[must_use]
    pub fn and(self, other: Bits) -> Bits {
        Bits {
            low: self.low & other.low,
            high: self.high & other.high,
        }
    }

    /// Returns the contiguous ranges, the lowest first: the lowest bit of each, and the bit after
    /// the highest.
    pub fn stretches(self) -> impl DoubleEndedIterator<Item = (u8, u8)> {
        let mut mask = u128::from(self.high) << 64 | u128::from(self.low);
        let mut found = Vec::new();
        while mask != 0 {
            let low = mask.trailing_zeros();
            let high = low + (mask >> low).trailing_ones();
            let bit = |bit: u32| u8::try_from(bit).unwrap_or(u8::MAX);
            found.push((bit(low), bit(high)));
            mask &= u128::MAX.checked_shl(high).unwrap_or(0);
        }
        found.into_iter()
    }

    /// Formats the bits as hardware manuals do: `7:4`, `121:113+91`.
    pub fn text(self) -> String {
        let count = self.stretches().count();
        let words = self.stretches().rev().map(|(low, high)| {
            if count > 1 && high == low.saturating_add(1) {
                low.to_string()
            } else {
                format!("{}:{low}", high.saturating_sub(1))
            }
        });
        words.collect::<Vec<_>>().join("+")
    }
}

/// A documented value of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownValue {
    /// The number; for strings, the index in the list.
    pub raw: u64,
    /// The specification's name.
    pub name: &'static str,
    /// The meaning of the value.
    pub doc: &'static str,
}

/// The documentation of a row; static, written once where the format is declared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Doc {
    /// The text, one sentence.
    pub text: &'static str,
    /// The specification and section that it is from.
    pub source: &'static str,
    /// The values that the specification defines.
    pub known: &'static [KnownValue],
}

impl Doc {
    /// Creates the documentation of a row.
    pub const fn new(text: &'static str, source: &'static str) -> Doc {
        Doc {
            text,
            source,
            known: &[],
        }
    }

    /// Adds the values that the specification defines.
    pub const fn known(mut self, known: &'static [KnownValue]) -> Doc {
        self.known = known;
        self
    }
}

/// The origin of a node's children.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Content {
    /// There are no children.
    #[default]
    Leaf,
    /// The children are created on demand.
    Lazy {
        /// The expander that creates them.
        expander: ExpanderId,
        /// The expander's number for this node.
        item: u64,
        /// The number of children, if it is known without reading.
        count: Option<u64>,
    },
    /// A document that is opened on demand.
    Deferred {
        /// The expander that opens it. It lives as long as the document, so it is not one of
        /// [`Rows::register`](super::Rows::register).
        expander: ExpanderId,
        /// The expander's number for this node.
        item: u64,
    },
}

/// A reference to other bytes: a header's to its section, a relocation's to its target.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Xref {
    /// The reason: `sh_link`, `symbol`, `patches`, `kernel` …
    pub why: Str,
    /// The name of the target.
    pub label: Str,
    /// The bytes of the target.
    pub to: Span,
}

/// One row of the tree.
///
/// A node's bytes are its *head* followed by its `span`. The span holds the bytes of the value; the
/// head holds what precedes it in a text format (line break, indentation, key, colon), and is empty
/// in binary formats. Children lie within the span of their parent.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// The parent; `None` for the root.
    pub parent: Option<NodeId>,
    /// Zero-based index among its siblings.
    pub index: u64,
    /// The name in the specification, or the name given by the file.
    pub name: Str,
    /// Whether it is an entry of a table or sequence: a path names it by its index, `[3]`.
    pub indexed: bool,
    /// The kind of the node.
    pub kind: NodeKind,
    /// The part of the binary that it belongs to.
    pub area: Area,
    /// The decoded value.
    pub value: Value,
    /// A short description of the content (`8 symbols`), or of the value's meaning.
    pub summary: Option<Str>,
    /// The bytes of the value; `None` for derived nodes.
    pub span: Option<Span>,
    /// The length of the head, in bytes.
    pub head: u32,
    /// The bits of the span's word, if the value takes only some of them.
    pub bits: Option<Bits>,
    /// The origin of the children.
    pub content: Content,
    /// References to other bytes.
    pub xrefs: Vec<Xref>,
    /// The documentation.
    pub doc: Option<&'static Doc>,
}

/// The suffix of a default value's summary.
pub const DEFAULT: &str = "(default)";

/// Maximum length of a summary or a label, in bytes: both may contain names of any length, and many
/// nodes may refer to the same one.
const LABEL_MAX: usize = 4096;

fn cut(text: Str) -> Str {
    if text.len() <= LABEL_MAX {
        text
    } else {
        Node::label_of(&text).into()
    }
}

impl Node {
    /// Shortens a name for the label of another node: removes the middle of names over 4096 bytes.
    pub fn label_of(text: &str) -> String {
        if text.len() <= LABEL_MAX {
            return text.to_owned();
        }
        let head = text.get(..text.floor_char_boundary(LABEL_MAX / 4 * 3));
        let tail = text.get(text.ceil_char_boundary(text.len() - LABEL_MAX / 4)..);
        format!("{}…{}", head.unwrap_or_default(), tail.unwrap_or_default())
    }

    /// Creates a node with a name, a kind and bytes.
    pub fn new(kind: NodeKind, name: impl Into<Str>, span: Span) -> Node {
        Node {
            parent: None,
            index: 0,
            name: name.into(),
            indexed: false,
            kind,
            area: Area::Inherit,
            value: Value::None,
            summary: None,
            span: Some(span),
            head: 0,
            bits: None,
            content: Content::Leaf,
            xrefs: Vec::new(),
            doc: None,
        }
    }

    /// Creates a field: a name, a value and its bytes.
    pub fn field(name: impl Into<Str>, value: Value, span: Span) -> Node {
        Node::new(NodeKind::Field, name, span).value(value)
    }

    /// Creates a computed value without bytes of its own.
    pub fn derived(name: impl Into<Str>, value: Value) -> Node {
        let mut node = Node::new(NodeKind::Derived, name, Span::default()).value(value);
        node.span = None;
        node
    }

    /// Creates the row of an absent value's default; `words` describe a default that [`Value`]
    /// cannot express.
    pub fn default_value(name: impl Into<Str>, value: Value, words: Option<String>) -> Node {
        Node::derived(name, value).summary(match words {
            Some(words) => format!("{words} {DEFAULT}").into(),
            None => Str::Borrowed(DEFAULT),
        })
    }

    /// Whether this is the default of an absent value. Defaults come after all children that are in
    /// the file, and renderings of the file leave them out.
    pub fn is_default(&self) -> bool {
        let is_default = |words: &Str| words.ends_with(DEFAULT);
        self.kind == NodeKind::Derived && self.summary.as_ref().is_some_and(is_default)
    }

    /// Creates a gap: bytes that nothing explains.
    pub fn gap(name: impl Into<Str>, span: Span) -> Node {
        Node::new(NodeKind::Gap, name, span)
            .value(Value::Bytes)
            .area(Area::Padding)
    }

    /// Creates padding: bytes that only align what follows.
    pub fn padding(span: Span) -> Node {
        Node::new(NodeKind::Padding, "padding", span)
            .value(Value::Bytes)
            .area(Area::Padding)
    }

    /// Sets the value.
    pub fn value(mut self, value: Value) -> Node {
        self.value = value;
        self
    }

    /// Sets the area.
    pub fn area(mut self, area: Area) -> Node {
        self.area = area;
        self
    }

    /// Sets the summary.
    pub fn summary(mut self, summary: impl Into<Str>) -> Node {
        self.summary = Some(cut(summary.into()));
        self
    }

    /// Sets the documentation.
    pub fn doc(mut self, doc: &'static Doc) -> Node {
        self.doc = Some(doc);
        self
    }

    /// Sets the length of the head, in bytes.
    pub fn head(mut self, len: u32) -> Node {
        self.head = len;
        self
    }

    /// Marks the node as an entry of a table or sequence.
    pub fn indexed(mut self) -> Node {
        self.indexed = true;
        self
    }

    /// Sets the bits of the word: from `low` up to, but not including, `high`.
    pub fn bits(mut self, low: u8, high: u8) -> Node {
        self.bits = Some(Bits::new(low, high));
        self
    }

    /// Sets the expander of the children, and their number if it is known.
    pub fn children(mut self, expander: ExpanderId, item: u64, count: Option<u64>) -> Node {
        self.content = if count == Some(0) {
            Content::Leaf
        } else {
            Content::Lazy {
                expander,
                item,
                count,
            }
        };
        self
    }

    /// Adds a reference.
    pub fn xref(mut self, why: impl Into<Str>, label: impl Into<Str>, to: Span) -> Node {
        // Most nodes have one, and there may be a node for each section of a large file.
        self.xrefs.reserve_exact(1);
        self.xrefs.push(Xref {
            why: why.into(),
            label: cut(label.into()),
            to,
        });
        self
    }

    /// Returns the head and the span: all bytes of this node.
    pub fn extent(&self) -> Option<Span> {
        self.span.map(|span| Span {
            start: span.start.saturating_sub(u64::from(self.head)),
            ..span
        })
    }

    /// Whether it has no children.
    pub fn is_leaf(&self) -> bool {
        self.content == Content::Leaf
    }
}
