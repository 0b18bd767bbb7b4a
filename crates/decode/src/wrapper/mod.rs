//! Files that are compressed as a whole: xz, bzip2 and zstd, and the parts of the model that they
//! share with [`gzip`](super::gzip).
//!
//! ```text
//! compressed bytes → the file, usually a tar archive
//! ```
//!
//! These methods have no size in front of the stream, and no state that could be kept for random
//! access at a reasonable cost: the file is decompressed when it is opened, up to the limit for all
//! streams in memory.

use std::ops::Range;
use std::rc::Rc;

use super::Context;
use super::compression::Method;
use super::format::{self, Format, OpenedDocument};
use super::layout::Layout;
use super::tree::StaticTree;
use super::{limits, raw, rules};
use zeview_core::analysis::package::PackageFiles;
use zeview_core::model::{
    Expand, Interfaces, Node, NodeKind, Rows, SourceId, Sources, Span, Summary, Value,
};

/// A format of files that are compressed as a whole.
#[derive(Debug)]
pub struct Compressed(pub Method);

impl Format for Compressed {
    fn recognize(&self, head: &[u8]) -> bool {
        match self.0 {
            Method::Xz => head.starts_with(b"\xfd7zXZ\0"),
            Method::Zstd => head.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]),
            // The level, then the start of a block or of the end.
            Method::Bzip2 => matches!(
                head,
                [b'B', b'Z', b'h', b'1'..=b'9', 0x31, 0x41, 0x59, ..]
                    | [b'B', b'Z', b'h', b'1'..=b'9', 0x17, 0x72, 0x45, ..]
            ),
            Method::Zlib | Method::Lzma | Method::Deflate64 => false,
        }
    }

    fn kind(&self, _head: &[u8]) -> &'static str {
        self.0.name()
    }

    fn open(&self, cx: &Context<'_>, span: Span) -> OpenedDocument {
        let name = self.0.name();
        let mut summary = Summary::new(name, name, Vec::new());
        let mut files = None;
        let mut parts = Vec::new();
        // Each file stays in memory: one compressed many times must not take the memory of all.
        let most = limits::unpacked(cx.sources.size());
        let is_nested = span.source != SourceId::FILE;
        let is_too_deep = is_nested && cx.may_unpack() < most.saturating_sub(most / 4);
        if is_too_deep {
            let message = format_args!("{name}: compressed too many times: not decompressed");
            cx.report(&rules::UNPACKED_TOO_LARGE, span, message);
        }
        let unpack = || cx.inflate("unpacked", self.0, span, None);
        match (!is_too_deep).then(unpack).flatten() {
            Some(found) => {
                let opened = format::nested_file(cx, found.whole, limits::HOST_SCAN);
                let inner = "unpacked".to_owned();
                let inner = format::nested_node(cx.sources, inner, found.whole, opened.as_ref());
                let mut tree = StaticTree::default();
                tree.push(StaticTree::TOP, inner);
                let node = found.node("data");
                parts.push(node.children(cx.register(Rc::new(tree)), 0, Some(1)));
                if let Some(opened) = opened.or_else(|| raw::unknown(cx, found.whole)) {
                    files = take_over(cx, &mut summary, name, opened);
                }
            }
            None => {
                let node = Node::new(NodeKind::Blob, "data", span).value(Value::Bytes);
                parts.push(node.summary(format!("{name}, not decompressed")));
            }
        }
        let layout = Layout::arrange(cx, span, parts);
        let count = layout.region_count();
        let file = Wrapper { layout, files };
        OpenedDocument {
            summary,
            content: Some((cx.register(Rc::new(file)), 0, Some(count))),
        }
    }
}

/// Describes a compressed file by the document in it. Returns the files of a package.
pub(super) fn take_over(
    cx: &Context<'_>,
    summary: &mut Summary,
    name: &str,
    opened: OpenedDocument,
) -> Option<Rc<dyn PackageFiles>> {
    summary.title = format!("{name}, {}", opened.summary.title).into();
    summary.facts = opened.summary.facts;
    summary.has.package = opened.summary.has.package;
    summary.has.unknown = opened.summary.has.unknown;
    let (id, item, _) = opened.content?;
    cx.expander(id)?.interfaces(item).files
}

/// The rows of a compressed file, and access to the files of the archive in it.
pub(super) struct Wrapper {
    pub(super) layout: Layout,
    pub(super) files: Option<Rc<dyn PackageFiles>>,
}

impl Expand for Wrapper {
    fn count(&self, item: u64, sources: &Sources) -> u64 {
        self.layout.count(item, sources)
    }

    fn rows(&self, item: u64, range: Range<u64>, out: &mut Rows<'_>) {
        self.layout.rows(item, range, out);
    }

    fn interfaces(&self, _item: u64) -> Interfaces {
        Interfaces {
            files: self.files.clone(),
            ..Interfaces::default()
        }
    }

    fn index_at(&self, item: u64, offset: u64, sources: &Sources) -> Option<Vec<u64>> {
        self.layout.index_at(item, offset, sources)
    }
}
