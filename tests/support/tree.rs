//! A document with all nodes expanded.

use std::ops::Range;

use zeview::model::{Document, Node, NodeKind, Span};

/// A node with its position in the tree.
#[derive(Debug, Clone)]
pub struct Flat {
    pub node: Node,
    pub parent: Option<usize>,
    pub depth: usize,
    /// Range of its children, which are consecutive.
    pub children: Range<usize>,
    /// Whether it is below a decoded text: its bytes are characters.
    pub in_text: bool,
}

impl Flat {
    /// Returns whether it has bytes that no child has: a leaf, a word with named bits, or packed
    /// bytes.
    pub fn is_terminal(&self, tree: &Tree) -> bool {
        let first = tree.nodes.get(self.children.start);
        let packed = self.node.kind == NodeKind::Packed;
        self.children.is_empty() || packed || first.is_some_and(|n| n.node.bits.is_some())
    }

    pub fn extent(&self) -> Option<Span> {
        self.node.extent()
    }

    /// Returns the bytes of this node that are in no child: all bytes of a leaf, or the prefix of a
    /// list or mapping.
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

/// Maximum number of rows of a walk, per byte and in addition.
const ROWS_PER_BYTE: u64 = 24;

/// Number of children per page.
const PAGE: u64 = 256;

/// Expands everything. Fails if there are more rows than a file of this size may have.
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
        // Only some instructions are expanded, as they are many and similar.
        let is_skipped =
            parent.node.kind == NodeKind::Instruction && !parent.node.index.is_multiple_of(16);
        let count = if is_skipped {
            0
        } else {
            document.count(&parent.node)
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
    /// Returns the path of a node by names, for messages.
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
