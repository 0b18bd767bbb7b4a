//! Device images in host objects, libraries and programs, and the index by which the SYCL and
//! OpenMP runtimes find them. Follows clang-offload-wrapper and the linker wrapper of intel/llvm
//! and LLVM, and their output after linking.
//!
//! ```text
//! descriptor → image structs → image │ entries → names │ property sets → properties → values
//! .tgtimg    → images            what tools use; the runtimes do not
//! ```
//!
//! The index is found by the targets of its words ([`index`]). If it is damaged or missing, images
//! are found by `.tgtimg`, and the rest by their signatures ([`carve`](super::carve)). Images are opened on
//! demand.

mod contents;
mod facts;
pub mod index;
pub mod memory;
pub mod records;
mod rows;
mod search;
mod walk;

use std::cell::OnceCell;
use std::rc::Rc;

pub use self::facts::devices;
use self::index::{Index, Piece};
use self::memory::Memory;
use super::Context;
use super::layout::Region;
use super::text::plural;
use zeview_core::analysis::host_images::HostImages;
use zeview_core::model::{ExpanderId, Fact, Node, NodeKind, Span, Value};

/// The images of a host file, and its index.
pub struct Host {
    index: Rc<Index>,
    /// Number of documents around the images.
    depth: u32,
}

impl Host {
    /// Finds images. Returns `None` if there are none.
    pub fn find(cx: &Context<'_>, memory: Memory) -> Option<Host> {
        let index = Index::find(cx, memory)?;
        for image in index.images.iter().filter(|image| !image.span.is_empty()) {
            cx.add_deferred(image.span);
        }
        Some(Host {
            index: Rc::new(index),
            depth: cx.depth(),
        })
    }

    /// Returns the facts of the file.
    pub fn facts(&self, cx: &Context<'_>) -> Vec<Fact> {
        facts::facts(&self.index, cx.sources)
    }

    /// Returns access to the images.
    pub fn images(&self) -> Rc<dyn HostImages> {
        Rc::new(facts::ImagesOf(Rc::clone(&self.index)))
    }

    /// Returns whether these bytes contain images of the index.
    pub fn has_images_in(&self, span: Span) -> bool {
        !self.index.images_in(span).is_empty()
    }

    /// Adds a row to a node for each part of the index in its bytes. Returns `None` if there is
    /// none.
    pub fn node(&self, cx: &Context<'_>, node: Node) -> Option<Node> {
        let span = node.span?;
        if !self.index.is_in(span) {
            return None;
        }
        let name = self.index.memory.section_of(span);
        let images = self.index.images_in(span).len() as u64;
        let holds_images = index::is_device_section(name) || self.index.has_only_images(span);
        let part = rows::Part {
            index: Rc::clone(&self.index),
            span,
            depth: self.depth,
            holds_images,
            regions: OnceCell::new(),
        };
        if holds_images {
            part.account(cx);
        }
        let node = match images {
            0 => node.summary("index of device images"),
            _ => node.summary(plural(images, "image")),
        };
        let rows: ExpanderId = cx.register(Rc::new(part));
        Some(Node {
            value: Value::None,
            ..node.children(rows, rows::TOP, None)
        })
    }

    /// Returns the segments and their contents as nodes, for files without sections. `taken` is the
    /// number of bytes at the start of the file that other nodes cover.
    pub fn segment_nodes(&self, cx: &Context<'_>, taken: u64) -> Vec<Node> {
        let mut nodes = Vec::new();
        let segments = self.index.memory.segments();
        for (index, segment) in segments.iter().enumerate() {
            let start = segment.bytes.start.max(taken);
            let bytes = Span::new(segment.bytes.source, start, segment.bytes.end);
            let node = Node::new(NodeKind::Blob, format!("segment {index}"), bytes)
                .doc(&rows::SEGMENT_DOC);
            let node = node.value(Value::Bytes);
            if !bytes.is_empty() {
                nodes.push(self.node(cx, node.clone()).unwrap_or(node));
            }
        }
        nodes
    }
}

impl Piece {
    fn span(&self, file: Span) -> Span {
        Span::new(file.source, self.start, self.end)
    }

    fn region(&self, id: u64) -> Region {
        let Piece { start, end, .. } = *self;
        Region { start, end, id }
    }
}
