//! Readable text, with a row for each line; and the wording of counts.

use std::cell::OnceCell;
use std::ops::Range;
use std::rc::Rc;

use super::context::Context;
use super::reader::Window;
use zeview_core::model::lines::{LineIndex, without_break};
use zeview_core::model::{Doc, Expand, Node, NodeKind, Rows, Sources, Span, Value};

const LINE_DOC: Doc = Doc::new("A line of the text, with its line break.", "");

pub use zeview_core::model::text::plural;

/// Maximum length of a displayed line in bytes; all bytes of a longer one are in its span.
const LINE_MAX: u64 = 64 * 1024;

/// Text, split into lines on demand.
#[derive(Debug)]
pub struct Lines {
    span: Span,
    index: OnceCell<LineIndex>,
}

impl Lines {
    /// The text in `bytes`.
    pub fn new(span: Span) -> Lines {
        Lines {
            span,
            index: OnceCell::new(),
        }
    }

    fn index(&self, sources: &Sources) -> &LineIndex {
        self.index
            .get_or_init(|| LineIndex::new(sources, self.span))
    }
}

/// The node of a text: a row for each line.
pub fn lines_node(cx: &Context<'_>, bytes: Span, node: Node) -> Node {
    if !cx.may_walk(bytes) {
        return node.value(Value::Bytes);
    }
    let rows = cx.register(Rc::new(Lines::new(bytes)));
    let mut node = node.children(rows, 0, None);
    node.kind = NodeKind::Text;
    node
}

impl Expand for Lines {
    fn count(&self, _item: u64, sources: &Sources) -> u64 {
        self.index(sources).count
    }

    fn rows(&self, _item: u64, range: Range<u64>, out: &mut Rows<'_>) {
        let sources = out.sources;
        let index = self.index(sources);
        index.lines_from(sources, range.start, &mut |number, line| {
            if number >= range.end {
                return false;
            }
            let bytes = Window::clamped(sources, line.subspan(0, LINE_MAX));
            out.push(
                Node::new(NodeKind::Text, format!("line {}", number + 1), line)
                    .value(Value::text_from(without_break(bytes.bytes())))
                    .doc(&LINE_DOC),
            );
            true
        });
    }

    fn index_at(&self, _item: u64, offset: u64, sources: &Sources) -> Option<Vec<u64>> {
        let found = self.index(sources).line_at(sources, offset);
        Some(found.into_iter().collect())
    }
}
