//! A document with everything in it opened.

use std::ops::Range;

use zeview::model::{Document, Node, NodeKind, Span};

/// A node with its place in the tree.
#[derive(Debug, Clone)]
pub struct Flat {
    pub node: Node,
    pub parent: Option<usize>,
    pub depth: usize,
    /// Its children, which stand together.
    pub children: Range<usize>,
    /// It is below a text that is taken apart: its bytes are characters.
    pub in_text: bool,
}

impl Flat {
    /// It has bytes of its own that no child has: a leaf, a word with named bits, or packed
    /// bytes.
    pub fn is_terminal(&self, tree: &Tree) -> bool {
        let first = tree.nodes.get(self.children.start);
        let packed = self.node.kind == NodeKind::Packed;
        self.children.is_empty() || packed || first.is_some_and(|n| n.node.bits.is_some())
    }

    pub fn extent(&self) -> Option<Span> {
        self.node.extent()
    }

    /// The bytes that are this node's and no child's: all of a leaf's, and what introduces
    /// a list or mapping.
    pub fn own_bytes(&self, tree: &Tree) -> Option<Span> {
        let (extent, span) = (self.extent()?, self.node.span?);
        if self.is_terminal(tree) {
            return Some(extent);
        }
        Some(Span::new(extent.source, extent.start, span.start))
    }
}

/// All nodes of a document, level by level.
#[derive(Debug, Default)]
pub struct Tree {
    pub nodes: Vec<Flat>,
}

/// No walk makes more rows than this for each byte, and some.
const ROWS_PER_BYTE: u64 = 24;

/// Children are asked for in pages of this many.
const PAGE: u64 = 256;

/// Opens everything. Ends with an error where there are more rows than a file of this size
/// can have.
pub fn walk_all(document: &Document) -> Result<Tree, String> {
    let root = document.root().clone();
    let sources = &document.sources;
    let size: u64 = sources
        .ids()
        .into_iter()
        .map(|id| sources.whole(id).len())
        .sum();
    let most = size.saturating_mul(ROWS_PER_BYTE).saturating_add(4096);
    let mut tree = Tree::default();
    tree.nodes.push(Flat {
        node: root,
        parent: None,
        depth: 0,
        children: 0..0,
        in_text: false,
    });
    let mut at = 0;
    while let Some(parent) = tree.nodes.get(at).cloned() {
        let first = tree.nodes.len();
        // The fields of some instructions: they are many and all alike.
        let is_skipped =
            parent.node.kind == NodeKind::Instruction && !parent.node.index.is_multiple_of(16);
        let count = match is_skipped {
            true => 0,
            false => document.count(&parent.node),
        };
        if first as u64 + count > most {
            return Err(format!("more than {most} rows for {size} bytes"));
        }
        let in_text = parent.in_text || parent.node.kind == NodeKind::Text;
        let mut start = 0;
        while start < count {
            let end = count.min(start + PAGE);
            for node in document.make(&parent.node, start..end) {
                tree.nodes.push(Flat {
                    node,
                    parent: Some(at),
                    depth: parent.depth + 1,
                    children: 0..0,
                    in_text,
                });
            }
            start = end;
        }
        tree.nodes[at].children = first..tree.nodes.len();
        at += 1;
    }
    Ok(tree)
}

impl Tree {
    /// The names on the way to a node, for messages.
    pub fn path(&self, index: usize) -> String {
        let mut names = Vec::new();
        let mut at = Some(index);
        while let Some(i) = at {
            let flat = &self.nodes[i];
            if flat.parent.is_some() {
                let name = if flat.node.indexed {
                    format!("[{}]", flat.node.index)
                } else {
                    flat.node.name.chars().take(60).collect()
                };
                names.push(name);
            }
            at = flat.parent;
        }
        names.reverse();
        names.join("/")
    }

    pub fn children(&self, flat: &Flat) -> &[Flat] {
        &self.nodes[flat.children.clone()]
    }
}
