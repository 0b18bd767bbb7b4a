//! `.misc.*`: build options and specialization constants, and `.note.intelgt.metrics`.

use std::ops::Range;
use std::rc::Rc;

use crate::Context;
use crate::elf::ElfFile;
use crate::layout::is_zero;
use crate::reader::{Endian, Window, uint};
use crate::table::{Entries, TABLE, Table};
use crate::text::{lines_node, plural};
use crate::tree::{LazyTree, StaticTree};
use zeview_core::model::{Area, Doc, Node, NodeKind, Rows, Span, Value};

const HIDDEN_METRICS_DOC: Doc = Doc::new(
    "The metrics. sh_size of .note.intelgt.metrics is their size, but they start 64 bytes after sh_offset.",
    "IGC, zebin_builder.cpp",
);

/// Maximum size of build options shown on one line, in bytes; they may have several lines.
const ONE_LINE: u64 = 4096;

/// The node of build options.
pub fn options_node(cx: &Context<'_>, bytes: Span, mut node: Node) -> Node {
    if bytes.len() > ONE_LINE {
        return lines_node(cx, bytes, node);
    }
    let text = Window::clamped(cx.sources, bytes);
    node.kind = NodeKind::Text;
    node.value(Value::text_from(text.bytes()))
}

#[derive(Debug)]
struct Numbers {
    size: u64,
}

impl Entries for Numbers {
    fn size(&self) -> u64 {
        self.size
    }

    fn node(&self, _index: u64, entry: &Window, _out: &mut Rows<'_>) -> Node {
        let raw = uint(entry.bytes(), Endian::Little);
        let bits = crate::record::bits(self.size);
        Node::new(NodeKind::Item, "constant", entry.span())
            .indexed()
            .value(Value::decimal(raw, bits))
    }

    fn count(&self, _part: u8) -> u64 {
        0
    }

    fn fields(&self, _: u64, _: u8, _: &Window, _: Range<u64>, _: &mut Rows<'_>) {}
}

/// The node of an array of numbers of `size` bytes each.
pub fn numbers_node(cx: &Context<'_>, bytes: Span, mut node: Node, size: u64) -> Node {
    let table = Table {
        span: bytes,
        endian: Endian::Little,
        entries: Numbers { size },
    };
    cx.gap(table.remainder());
    let count = table.len();
    let rows = count + u64::from(!table.remainder().is_empty());
    node.kind = NodeKind::Table;
    node.summary(plural(count, "constant"))
        .children(cx.register(Rc::new(table)), TABLE, Some(rows))
}

/// The node of `.note.intelgt.metrics`.
pub fn metrics_node(cx: &Context<'_>, bytes: Span, node: Node) -> Node {
    let node = node.value(Value::Bytes);
    // IGC always writes these 64 bytes, which a reader of notes takes for empty notes.
    if is_zero(cx.sources, bytes.subspan(0, 64)) {
        node.summary("no notes, zero bytes")
    } else {
        node
    }
}

/// Number of zero bytes before the metrics.
const METRICS_SHIFT: u64 = 64;

/// The bytes that the header of `.note.intelgt.metrics` misses: the rest of the zero bytes, and the
/// metrics. Returns `None` if another section claims these bytes.
pub fn hidden_metrics(cx: &Context<'_>, file: &ElfFile) -> Option<Node> {
    let section = file.section_named(".note.intelgt.metrics")?;
    let size = section.bytes.len();
    // With the size of the zeros, nothing is hidden; a larger window reaches the metrics itself.
    if size == 0 || size == METRICS_SHIFT || size > METRICS_SHIFT {
        return None;
    }
    let hidden = Span::with_len(file.span.source, section.bytes.end, METRICS_SHIFT);
    let claimed = file.sections.iter().any(|s| s.bytes.overlaps(hidden));
    let zeros = Span::new(
        hidden.source,
        hidden.start,
        section.bytes.start + METRICS_SHIFT,
    );
    let within = file.span.contains(hidden);
    if claimed || !within || !is_zero(cx.sources, zeros) {
        return None;
    }
    let text = Span::new(hidden.source, zeros.end, hidden.end);
    cx.padding(zeros);
    let bytes = Window::clamped(cx.sources, text);
    let value = Value::text_from(bytes.bytes());
    let metrics = Node::new(NodeKind::Text, "metrics", text)
        .value(value)
        .doc(&HIDDEN_METRICS_DOC);
    let rows = cx.register(Rc::new(LazyTree::new(move |_| {
        let mut tree = StaticTree::default();
        tree.push(StaticTree::TOP, Node::padding(zeros));
        tree.push(StaticTree::TOP, metrics.clone());
        tree
    })));
    Some(
        Node::new(NodeKind::Record, ".note.intelgt.metrics (rest)", hidden)
            .area(Area::Note)
            .children(rows, 0, Some(2))
            .doc(&HIDDEN_METRICS_DOC),
    )
}
