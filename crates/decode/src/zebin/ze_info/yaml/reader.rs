//! The reader's state, and the creation of nodes.
//!
//! The reader makes one pass over the text. Every byte before the offset `consumed` belongs to a
//! node; the head of a new node starts there, so there can be no gaps. A collection is *open* while
//! lines can still be added to it. Its finished children are kept in `waiting` and are moved to
//! `nodes` together when it closes, so the children of a node are adjacent.
//!
//! Almost every line is a key and a plain value. The small functions that handle such a line are
//! marked `inline(always)`: together they take a third of its time.

use std::ops::Range;

use super::lines::line_breaks;
use super::problem::Problems;
use super::{Extent, Kind, Limits, Node, Problem, ProblemKind, ROOT, Style, Yaml, offset};

/// Columns count from 1; the document is indented less than any line.
pub(super) const DOCUMENT_COLUMN: usize = 0;
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Reads `text`, up to the first `u32::MAX` bytes.
pub fn parse(text: &[u8], limits: Limits) -> Yaml {
    let text = text.get(..u32::MAX as usize).unwrap_or(text);
    let mut reader = Reader::new(text, limits);
    while reader.next_line() {
        if reader.is_full() {
            let unread = reader.line.start;
            reader.problem(ProblemKind::TooManyNodes, unread..reader.stop);
            return reader.finish(unread);
        }
        reader.line();
    }
    let stop = reader.stop;
    reader.finish(stop)
}

/// The key, dash or position that a value belongs to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    pub(super) key: Extent,
    pub(super) key_style: Option<Style>,
    /// Column of the key or dash; its contents are indented deeper.
    pub(super) column: usize,
    /// Line of the key, or of the value if there is no key.
    pub(super) line: u32,
    /// The start of the value, as far as known: at first, after the colon or dash.
    pub(super) value: usize,
}

/// A collection that further lines may belong to.
pub(super) struct Open {
    pub(super) node: Node,
    /// Column of the keys or dashes.
    pub(super) column: usize,
    /// The start of its children in `waiting`.
    pub(super) children: usize,
}

/// A pending comment: the next line decides its collection.
pub(super) struct PendingComment {
    pub(super) extent: Extent,
    pub(super) line: u32,
}

pub(super) struct Reader<'t> {
    pub(super) text: &'t [u8],
    pub(super) limits: Limits,
    pub(super) max_nodes: usize,
    /// The end of the text, without the NULs that fill the section.
    pub(super) stop: usize,
    /// The current line, without its line break.
    pub(super) line: Range<usize>,
    pub(super) line_number: u32,
    /// Its first colon, if it has exactly one and no `#`, like almost all lines: saves searching
    /// again.
    pub(super) only_colon: Option<usize>,
    pub(super) next_line: usize,
    /// Whether the current line must be read again, since no node contains it yet.
    pub(super) again: bool,

    /// Every byte before this offset belongs to a node.
    pub(super) consumed: usize,
    pub(super) open: Vec<Open>,
    /// A key or dash whose value is not known yet.
    pub(super) awaiting: Option<Entry>,
    pub(super) pending: Vec<PendingComment>,
    pub(super) waiting: Vec<Node>,
    pub(super) nodes: Vec<Node>,
    pub(super) problems: Problems,

    /// Whether the current document has its value, and whether it has ended.
    pub(super) has_content: bool,
    pub(super) has_started: bool,
    pub(super) has_ended: bool,
}

impl<'t> Reader<'t> {
    fn new(text: &'t [u8], limits: Limits) -> Self {
        let stop = text
            .iter()
            .rposition(|&byte| byte != 0)
            .map_or(0, |last| last + 1);
        let start = if text.starts_with(BYTE_ORDER_MARK) {
            BYTE_ORDER_MARK.len()
        } else {
            0
        };
        let mut reader = Self {
            text,
            limits,
            max_nodes: limits.nodes.max(text.len() / limits.bytes_per_node.max(1)),
            stop,
            line: 0..0,
            line_number: 0,
            only_colon: None,
            next_line: start,
            again: false,
            consumed: 0,
            open: Vec::new(),
            awaiting: None,
            pending: Vec::new(),
            waiting: Vec::new(),
            nodes: Vec::new(),
            problems: Problems::new(),
            has_content: false,
            has_started: false,
            has_ended: false,
        };
        if start > 0 {
            reader.problem_on(1, ProblemKind::ByteOrderMark, 0..start);
        }
        let document = Node {
            line: 1,
            ..reader.node(Kind::Document, Style::Plain, None, 0..0)
        };
        reader.nodes.push(document);
        reader.open.push(Open {
            node: document,
            column: DOCUMENT_COLUMN,
            children: 0,
        });
        reader
    }

    /// Closes all collections; `unread` is where reading stopped.
    fn finish(mut self, unread: usize) -> Yaml {
        self.close_all();
        if unread < self.stop {
            let start = unread.max(self.consumed);
            self.leaf(Kind::Raw, start..self.stop);
        }
        let (stop, end, consumed) = (self.stop, self.text.len(), self.consumed);
        if stop < end {
            self.problem_on(self.line_of(stop), ProblemKind::TrailingNul, stop..end);
        }
        if consumed < end {
            self.leaf_on(self.line_of(consumed), Kind::Blank, consumed..end);
        }
        self.close();
        if let (Some(root), Some(document)) = (self.nodes.first_mut(), self.waiting.pop()) {
            *root = document;
        }
        drop(self.waiting);
        self.nodes.shrink_to_fit();
        let mut yaml = Yaml {
            nodes: self.nodes,
            content: None,
            problems: self.problems,
        };
        let first = yaml.values(ROOT).next().map(|(index, _)| index);
        yaml.content = first;
        yaml
    }

    #[inline(always)]
    fn node(&self, kind: Kind, style: Style, entry: Option<&Entry>, value: Range<usize>) -> Node {
        Node {
            kind,
            style,
            key_style: entry.and_then(|entry| entry.key_style),
            key: entry.map_or(Extent::default(), |entry| entry.key),
            head: offset(self.consumed),
            value: Extent::new(value.start, value.end),
            line: entry.map_or(self.line_number, |entry| entry.line),
            parent: 0,
            first_child: 0,
            children: 0,
        }
    }

    /// Adds a finished node to the innermost open collection.
    fn add(&mut self, node: Node, end: usize) {
        make_room(&mut self.waiting, 1, self.max_nodes);
        self.waiting.push(node);
        self.consumed = end;
    }

    pub(super) fn leaf(&mut self, kind: Kind, value: Range<usize>) {
        self.leaf_on(self.line_number, kind, value);
    }

    pub(super) fn leaf_on(&mut self, line: u32, kind: Kind, value: Range<usize>) {
        let node = self.node(kind, Style::Plain, None, value.clone());
        self.add(Node { line, ..node }, value.end);
    }

    #[inline(always)]
    pub(super) fn scalar(&mut self, style: Style, entry: &Entry, value: Range<usize>) {
        let node = self.node(Kind::Scalar, style, Some(entry), value.clone());
        self.add(node, value.end);
    }

    pub(super) fn null(&mut self, entry: &Entry) {
        let node = self.node(
            Kind::Null,
            Style::Plain,
            Some(entry),
            entry.value..entry.value,
        );
        self.add(node, entry.value);
    }

    /// Opens a collection as the value of `entry`, with keys or dashes in `column`. Returns `false`
    /// and does nothing if it is nested too deeply.
    #[must_use]
    pub(super) fn open(&mut self, kind: Kind, entry: &Entry, column: usize) -> bool {
        if self.is_deep() {
            return false;
        }
        let node = self.node(kind, Style::Plain, Some(entry), entry.value..entry.value);
        self.open.push(Open {
            node,
            column,
            children: self.waiting.len(),
        });
        self.consumed = entry.value;
        true
    }

    pub(super) fn is_deep(&self) -> bool {
        self.open.len() > self.limits.depth
    }

    /// Closes the innermost collection.
    pub(super) fn close(&mut self) {
        let Some(open) = self.open.pop() else {
            return;
        };
        let first = self.nodes.len();
        let start = open.children.min(self.waiting.len());
        let count = self.waiting.len() - start;
        if first + start < count {
            // Most nodes are these children: the others move, which avoids a second copy.
            let before = self.waiting.get(..start).unwrap_or_default().to_vec();
            make_room(&mut self.waiting, first, self.max_nodes);
            self.waiting.splice(..start, self.nodes.drain(..));
            self.nodes = std::mem::replace(&mut self.waiting, before);
        } else {
            make_room(&mut self.nodes, count, self.max_nodes);
            self.nodes.extend(self.waiting.drain(start..));
        }
        self.link_children_of(first..first + count);

        let mut node = open.node;
        node.value.end = offset(self.consumed);
        node.first_child = offset(first);
        node.children = offset(count);
        self.add(node, self.consumed);
        if self.open.is_empty() {
            // The document keeps index 0.
            self.link(0, node.child_range());
        }
    }

    /// Sets the parents of the children of nodes that have just got their indices.
    fn link_children_of(&mut self, parents: Range<usize>) {
        for parent in parents {
            let Some(node) = self.nodes.get(parent) else {
                return;
            };
            if node.children > 0 {
                self.link(parent, node.child_range());
            }
        }
    }

    fn link(&mut self, parent: usize, children: Range<usize>) {
        for child in self.nodes.get_mut(children).unwrap_or_default() {
            child.parent = offset(parent);
        }
    }

    pub(super) fn problem(&mut self, kind: ProblemKind, at: Range<usize>) {
        self.problem_on(self.line_number, kind, at);
    }

    pub(super) fn problem_on(&mut self, line: u32, kind: ProblemKind, at: Range<usize>) {
        self.problems.push(Problem {
            kind,
            at: Extent::new(at.start, at.end),
            line,
        });
    }

    /// The number of the line with a position near the current line.
    fn line_of(&self, at: usize) -> u32 {
        let start = self.line.start;
        let breaks = line_breaks(self.text, Extent::new(start.min(at), start.max(at)));
        let line = self.line_number.max(1);
        if at < start {
            line.saturating_sub(breaks)
        } else {
            line.saturating_add(breaks)
        }
    }

    pub(super) fn is_full(&self) -> bool {
        self.nodes.len() + self.waiting.len() + self.pending.len() >= self.max_nodes
    }

    /// Kind and column of the innermost open collection.
    pub(super) fn innermost(&self) -> (Kind, usize) {
        self.open
            .last()
            .map_or((Kind::Document, DOCUMENT_COLUMN), |open| {
                (open.node.kind, open.column)
            })
    }

    /// Kind and column of the collection around the innermost one.
    pub(super) fn around(&self) -> (Kind, usize) {
        let around = self
            .open
            .len()
            .checked_sub(2)
            .and_then(|at| self.open.get(at));
        around.map_or((Kind::Document, DOCUMENT_COLUMN), |open| {
            (open.node.kind, open.column)
        })
    }

    pub(super) fn depth(&self) -> usize {
        self.open.len()
    }

    pub(super) fn innermost_kind(&self) -> Kind {
        self.innermost().0
    }

    pub(super) fn consumed(&self) -> usize {
        self.consumed
    }
}

/// Grows by half, and never far beyond `most`: doubling would need twice the memory for a text full
/// of tiny nodes.
fn make_room(nodes: &mut Vec<Node>, additional: usize, most: usize) {
    /// Room for the nodes that the last line may add beyond the limit, without moving all nodes.
    const SPARE: usize = 256;
    if nodes.capacity() - nodes.len() >= additional {
        return;
    }
    let wanted = (nodes.len() / 2).min(most.saturating_sub(nodes.len()));
    nodes.reserve_exact(wanted.max(additional) + SPARE);
}
