//! The selection: shared by the tree, the bytes, the inspector and the panels.

use std::rc::Rc;

use crate::model::{NodeId, NodeKind, SourceId, Span};
use crate::ui::text::route::{self, BuildPlace, Target};
use crate::worker::protocol::Row;
use crate::worker::protocol::tree_order::TreeOrder;

/// Origin of a selection; it decides whether the browser history gets a new entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SelectionOrigin {
    /// A step with the keyboard.
    Step,
    /// A jump: a click, a link, a search result, a problem.
    Jump,
    /// The URL: an opened link, or the Back button.
    Address,
    /// Follows the selection in the file beside this one.
    Follow,
}

/// A selected node or byte range.
#[derive(Debug, Clone, PartialEq)]
pub struct Selection {
    /// Path from the root's child to the selected node, or to the innermost node that contains the
    /// selected bytes. Empty: the root.
    pub ancestry: Rc<[Row]>,
    /// The path in the tree by kernel, once known, if that order is shown. A kernel's entry occurs
    /// twice there; this is the chosen occurrence.
    pub by_kernel: Option<Rc<[Row]>>,
    /// The selected bytes; derived values have none.
    pub span: Option<Span>,
    /// The bytes are not those of a node.
    pub free: bool,
    /// Origin of the selection.
    pub origin: SelectionOrigin,
    /// Unique number of the selection.
    pub serial: u32,
}

impl Selection {
    /// The opened file as a whole.
    pub fn root(span: Option<Span>) -> Selection {
        Selection {
            ancestry: Rc::from([]),
            by_kernel: None,
            span,
            free: false,
            origin: SelectionOrigin::Address,
            serial: 0,
        }
    }

    /// Selects the last row of a path, and its bytes.
    pub fn node(ancestry: Rc<[Row]>, origin: SelectionOrigin) -> Selection {
        Selection {
            span: ancestry.last().and_then(|row| row.span),
            ancestry,
            by_kernel: None,
            free: false,
            origin,
            serial: 0,
        }
    }

    /// Selects bytes, given the path to the node that has or contains them.
    pub fn bytes(ancestry: Rc<[Row]>, span: Span, origin: SelectionOrigin) -> Selection {
        Selection {
            free: ancestry.last().is_none_or(|row| row.span != Some(span)),
            span: Some(span),
            ancestry,
            by_kernel: None,
            origin,
            serial: 0,
        }
    }

    /// Selects a location: without a length, the node that was found there.
    pub fn at(ancestry: Rc<[Row]>, span: Span, origin: SelectionOrigin) -> Selection {
        if span.is_empty() {
            Selection::node(ancestry, origin)
        } else {
            Selection::bytes(ancestry, span, origin)
        }
    }

    /// The path in a tree of this order; `None` while it is unknown.
    pub fn path_in(&self, order: TreeOrder) -> Option<&[Row]> {
        match order {
            TreeOrder::File => Some(&self.ancestry),
            TreeOrder::Kernels if self.ancestry.is_empty() && self.by_kernel.is_none() => Some(&[]),
            TreeOrder::Kernels => self.by_kernel.as_deref(),
        }
    }

    /// The node that is selected or contains the selected bytes.
    pub fn node_id(&self) -> NodeId {
        self.ancestry.last().map_or(NodeId::ROOT, |row| row.id)
    }

    /// The enclosing documents, outermost first, with the length of the path to each.
    pub fn documents(&self) -> Vec<(usize, &Row)> {
        let rows = (1..).zip(self.ancestry.iter());
        rows.filter(|(_, row)| row.kind == NodeKind::File).collect()
    }

    /// The name of the enclosing document whose path has this length: its own, or that of the
    /// part that consists of it.
    pub fn document_name(&self, level: usize) -> &str {
        let rows = self.ancestry.get(..level).unwrap_or(&self.ancestry);
        let is_generic =
            |name: &str| matches!(name, "code" | "image" | "data" | "unpacked" | "file");
        let mut names = rows.iter().rev().map(|row| &*row.name);
        let own = rows.last().map_or("", |row| &row.name);
        names.find(|name| !is_generic(name)).unwrap_or(own)
    }

    /// The innermost enclosing document.
    pub fn document(&self) -> NodeId {
        let mut rows = self.ancestry.iter().rev();
        let document = rows.find(|row| row.kind == NodeKind::File);
        document.map_or(NodeId::ROOT, |row| row.id)
    }

    /// The enclosing module or readable text, within the innermost document.
    pub fn text(&self) -> Option<&Row> {
        let mut inside = self.ancestry.iter().rev();
        let module = inside.find(|row| row.is_module || row.kind == NodeKind::File);
        if let Some(module) = module.filter(|row| row.is_module) {
            return Some(module);
        }
        let file = |row: &Row| row.kind == NodeKind::File;
        let below = self.ancestry.iter().rposition(file).map_or(0, |at| at + 1);
        // Lines are text within text.
        let mut texts = self.ancestry.iter().skip(below);
        texts
            .find(|row| row.kind == NodeKind::Text && row.span.is_some_and(|span| !span.is_empty()))
    }

    /// The selected bytes and their header.
    pub fn extent(&self) -> Option<Span> {
        let span = self.span?;
        let head = self
            .ancestry
            .last()
            .filter(|_| !self.free)
            .map_or(0, |row| row.head);
        Some(Span {
            start: span.start.saturating_sub(head.into()),
            ..span
        })
    }

    /// Source of the bytes; derived values have their parents'.
    pub fn source(&self) -> SourceId {
        self.span
            .or_else(|| self.ancestry.iter().rev().find_map(|row| row.span))
            .map_or(SourceId::FILE, |span| span.source)
    }

    /// The known extent of the selected bytes' source: the span of the outermost node in it. `None`
    /// for the opened file.
    pub fn unpacked(&self) -> Option<Span> {
        let source = self.source();
        if source == SourceId::FILE {
            return None;
        }
        let spans = self.ancestry.iter().filter_map(|row| row.span);
        spans.into_iter().find(|span| span.source == source)
    }

    /// The link target of the selection; `path` is the node's path. `None` for the whole file.
    pub fn target(&self, path: &str) -> Option<Target> {
        let span = match self.span {
            Some(span) if self.free => span,
            _ if path.is_empty() => return None,
            _ => {
                let kernel = self.kernel_target(path);
                let kernel = kernel.or_else(|| self.instruction_target());
                return Some(kernel.unwrap_or_else(|| Target::Path(path.to_owned())));
            }
        };
        let part = self.ancestry.first().and_then(|row| row.span);
        match part.filter(|part| part.source == span.source && part.start <= span.start) {
            Some(part) => Some(Target::Bytes {
                section: path.split('/').next().map(str::to_owned),
                offset: span.start - part.start,
                len: span.len(),
            }),
            None if span.source == SourceId::FILE => Some(Target::Bytes {
                section: None,
                offset: span.start,
                len: span.len(),
            }),
            None => Some(Target::Path(path.to_owned())),
        }
    }

    /// The link target within a kernel, by kernel name: its index in the list may change.
    fn kernel_target(&self, path: &str) -> Option<Target> {
        let [part, list, entry, ..] = &*self.ancestry else {
            return None;
        };
        let named = is_plain(&entry.name);
        if part.name != ".ze_info" || list.name != "kernels" || !entry.indexed || !named {
            return None;
        }
        let rest = path.split_once("/[")?.1.split_once(']')?.1;
        let rest = rest.strip_prefix('/').unwrap_or(rest);
        Some(route::kernel_target(&entry.name, rest))
    }

    /// The link target within the code of a kernel.
    fn instruction_target(&self) -> Option<Target> {
        let (part, word) = (self.ancestry.first()?, self.ancestry.last()?);
        let kernel = part.name.strip_prefix(route::CODE)?;
        let (code, word) = match word.kind {
            NodeKind::Instruction => (part.span?, word.span?),
            _ => return None,
        };
        let offset = word.start.checked_sub(code.start)?;
        is_plain(kernel).then(|| Target::Instruction {
            kernel: kernel.to_owned(),
            offset,
            of: BuildPlace::default(),
        })
    }

    /// The path as text, with entry numbers.
    pub fn names(&self) -> impl Iterator<Item = String> {
        self.ancestry.iter().map(name)
    }
}

/// Whether a name needs no escapes in a path; other names are replaced by ordinals.
fn is_plain(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_$.@".contains(c);
    !name.is_empty() && name.chars().all(plain)
}

/// The label of a row in a breadcrumb.
pub fn name(row: &Row) -> String {
    let name = crate::model::text::escaped(row.short.as_ref().unwrap_or(&row.name));
    if row.indexed && name.is_empty() {
        format!("[{}]", row.index)
    } else {
        name
    }
}
