//! The rows of the tree.

use serde::{Deserialize, Serialize};

use super::span::Span;
use super::value::{Str, Value};

/// A node of one [`Document`](super::Document): an index into its arena.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize,
)]
pub struct NodeId(pub u32);

impl NodeId {
    /// The opened file.
    pub const ROOT: NodeId = NodeId(0);
}

/// An [`Expand`](super::Expand) of one document: an index into its list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ExpanderId(pub u32);

impl ExpanderId {
    /// The expander that makes the node: [`Rows::push`](super::Rows::push) puts its number in this one's place.
    pub const SELF: ExpanderId = ExpanderId(u32::MAX);
}

/// What sort of thing a node is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum NodeKind {
    /// A document of some format: the opened file, or one nested in it.
    File,
    /// Fields at fixed places.
    Record,
    /// One field.
    Field,
    /// Records or values of one kind, one after the other.
    Table,
    /// One entry of a table.
    Item,
    /// An instruction of machine code. Its children are the fields of its word; who walks through
    /// everything goes past them.
    Instruction,
    /// A mapping of names to values (YAML, property sets).
    Mapping,
    /// Values in a row (YAML).
    Sequence,
    /// Readable text.
    Text,
    /// Bytes that are not taken apart.
    Blob,
    /// Compressed bytes; its only child is what is unpacked from them, in another source.
    Packed,
    /// Punctuation, comments and markers of a text format.
    Syntax,
    /// Bytes that only fill up to an alignment.
    Padding,
    /// Bytes that nothing explains.
    Gap,
    /// A value that is computed, not read: it has no bytes of its own.
    Derived,
}

/// Which part of a binary a node belongs to; it gives the colour in the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub enum Area {
    /// As the parent.
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

/// Bits of a word of at most 128, lowest is 0. Those of a field need not be next to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Bits {
    /// Bits 63 to 0: 1 where one belongs to them.
    low: u64,
    /// Bits 127 to 64.
    high: u64,
}

impl Bits {
    /// The bits `low..high`.
    pub fn new(low: u8, high: u8) -> Bits {
        let below = |bit: u8| {
            1_u128
                .checked_shl(bit.into())
                .map_or(u128::MAX, |bit| bit - 1)
        };
        Bits::of(below(high) & !below(low))
    }

    /// Those that are set in a mask.
    pub fn of(mask: u128) -> Bits {
        let half = |mask: u128| u64::try_from(mask & u128::from(u64::MAX)).unwrap_or(0);
        Bits {
            low: half(mask),
            high: half(mask >> 64),
        }
    }

    /// How many.
    pub fn count(self) -> u32 {
        self.low.count_ones() + self.high.count_ones()
    }

    /// Those that are in both.
    #[must_use]
    pub fn and(self, other: Bits) -> Bits {
        Bits {
            low: self.low & other.low,
            high: self.high & other.high,
        }
    }

    /// The stretches of them, the lowest first: the lowest bit of each, and the bit after the
    /// highest.
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

    /// As hardware manuals write them: `7:4`, `121:113+91`.
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

/// One value that a field is known to take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownValue {
    /// The number; for words, which have none, the place in the list.
    pub raw: u64,
    /// The specification's name.
    pub name: &'static str,
    /// What it means.
    pub doc: &'static str,
}

/// What a row means; static, written once where the format is declared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Doc {
    /// The sentence.
    pub text: &'static str,
    /// Which specification says so, and where.
    pub source: &'static str,
    /// The values that the specification names.
    pub known: &'static [KnownValue],
}

impl Doc {
    /// The sentence, and which specification says so.
    pub const fn new(text: &'static str, source: &'static str) -> Doc {
        Doc {
            text,
            source,
            known: &[],
        }
    }

    /// The same, with the values that the specification names.
    pub const fn known(mut self, known: &'static [KnownValue]) -> Doc {
        self.known = known;
        self
    }
}

/// Where a node's children come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Content {
    /// It has none.
    #[default]
    Leaf,
    /// They are made by the expander when somebody asks.
    Lazy {
        /// Who makes them.
        expander: ExpanderId,
        /// Which of the expander's things this node is.
        item: u64,
        /// How many there are, where that is known without reading.
        count: Option<u64>,
    },
    /// It is a document that is opened when somebody asks for what is in it.
    Late {
        /// Who opens it. It is there as long as the document: no expander of
        /// [`Rows::register`](super::Rows::register).
        expander: ExpanderId,
        /// Which of the expander's things this node is.
        item: u64,
    },
}

/// A reference to other bytes: a header's to its section, a relocation's to its target.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Xref {
    /// Why: `sh_link`, `symbol`, `patches`, `kernel` …
    pub why: Str,
    /// What stands there, by name.
    pub label: Str,
    /// The bytes.
    pub to: Span,
}

/// One row of the tree.
///
/// A node's bytes are its *head* followed by its `span`. The span is exactly what the value
/// was read from; the head is what introduces it in a text format (line break, indentation,
/// key, colon), and is empty in binary ones. Children lie within the span of their parent.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// The node that has this one among its children; the root has none.
    pub parent: Option<NodeId>,
    /// Its place among its siblings, from 0.
    pub index: u64,
    /// The name in the specification, or the name that the file gives.
    pub name: Str,
    /// The entry of a table or sequence: a path names it by its index, `[3]`.
    pub indexed: bool,
    /// What sort of thing it is.
    pub kind: NodeKind,
    /// Which part of the binary it belongs to.
    pub area: Area,
    /// What its bytes say.
    pub value: Value,
    /// A few words on what is inside (`8 symbols`), or what a value means.
    pub summary: Option<Str>,
    /// Its bytes; a node without is derived.
    pub span: Option<Span>,
    /// How many bytes before the span introduce it.
    pub head: u32,
    /// The bits of the span's word, if it is only some of them.
    pub bits: Option<Bits>,
    /// Its children.
    pub content: Content,
    /// Bytes that it refers to.
    pub xrefs: Vec<Xref>,
    /// What it means.
    pub doc: Option<&'static Doc>,
}

/// How the summary of a default ends.
pub const DEFAULT: &str = "(default)";

/// Maximum length of a summary or a label, in bytes: names of any length may be part of them, and
/// many nodes may refer to one.
const LABEL_MAX: usize = 4096;

fn cut(text: Str) -> Str {
    if text.len() <= LABEL_MAX {
        text
    } else {
        Node::label_of(&text).into()
    }
}

impl Node {
    /// A name as a label of another node: without its middle if it is longer than 4096 bytes.
    pub(crate) fn label_of(text: &str) -> String {
        if text.len() <= LABEL_MAX {
            return text.to_owned();
        }
        let head = text.get(..text.floor_char_boundary(LABEL_MAX / 4 * 3));
        let tail = text.get(text.ceil_char_boundary(text.len() - LABEL_MAX / 4)..);
        format!("{}…{}", head.unwrap_or_default(), tail.unwrap_or_default())
    }

    /// A node with a name, a kind and bytes, and nothing else yet.
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

    /// A field: a name, a value and its bytes.
    pub fn field(name: impl Into<Str>, value: Value, span: Span) -> Node {
        Node::new(NodeKind::Field, name, span).value(value)
    }

    /// A value that is computed, with no bytes of its own.
    pub fn derived(name: impl Into<Str>, value: Value) -> Node {
        let mut node = Node::new(NodeKind::Derived, name, Span::default()).value(value);
        node.span = None;
        node
    }

    /// What an absent value is taken to be; `words` stand for a value that is none of
    /// [`Value`]'s.
    pub fn default_value(name: impl Into<Str>, value: Value, words: Option<String>) -> Node {
        Node::derived(name, value).summary(match words {
            Some(words) => format!("{words} {DEFAULT}").into(),
            None => Str::Borrowed(DEFAULT),
        })
    }

    /// Is it what an absent value is taken to be? Renderings of what is in the file leave it
    /// out; it comes after all that is there.
    pub fn is_default(&self) -> bool {
        let says_so = |words: &Str| words.ends_with(DEFAULT);
        self.kind == NodeKind::Derived && self.summary.as_ref().is_some_and(says_so)
    }

    /// Bytes that nothing explains.
    pub fn gap(name: impl Into<Str>, span: Span) -> Node {
        Node::new(NodeKind::Gap, name, span)
            .value(Value::Bytes)
            .area(Area::Padding)
    }

    /// Bytes that only fill up to an alignment.
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

    /// Sets the part of the binary.
    pub fn area(mut self, area: Area) -> Node {
        self.area = area;
        self
    }

    /// Sets the few words on what is inside.
    pub fn summary(mut self, summary: impl Into<Str>) -> Node {
        self.summary = Some(cut(summary.into()));
        self
    }

    /// Sets what it means.
    pub fn doc(mut self, doc: &'static Doc) -> Node {
        self.doc = Some(doc);
        self
    }

    /// Sets the bytes before the span that introduce it.
    pub fn head(mut self, len: u32) -> Node {
        self.head = len;
        self
    }

    /// Says that it is the entry of a table or sequence.
    pub fn indexed(mut self) -> Node {
        self.indexed = true;
        self
    }

    /// Sets the bits of the word.
    pub fn bits(mut self, low: u8, high: u8) -> Node {
        self.bits = Some(Bits::new(low, high));
        self
    }

    /// Says who makes its children, and how many there are.
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

    /// Head and span together: all bytes that are this node's.
    pub fn extent(&self) -> Option<Span> {
        self.span.map(|span| Span {
            start: span.start.saturating_sub(u64::from(self.head)),
            ..span
        })
    }

    /// Has it no children?
    pub fn is_leaf(&self) -> bool {
        self.content == Content::Leaf
    }
}
