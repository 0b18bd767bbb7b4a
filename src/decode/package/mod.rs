//! The files of packages: zip and tar archives, and folders. Each is opened on demand.
//!
//! ```text
//! stored    the file, its span in the package
//! deflated  compressed bytes → the file, span of a source of its own: a stream
//! part      the file, span of a source of its own with the same bytes
//! ```
//!
//! A compressed file is restored in part, for each read ([`DeflateStream`]): wheels have libraries
//! of hundreds of megabytes.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use super::compression::DeflateStream;
use super::format::{self, Formats, HEAD};
use super::reader::Window;
use super::rules;
use super::text::plural;
use super::tree::StaticTree;
use super::{Context, limits, raw};
use crate::analysis::package::{FileKind, PackageFile, PackageFiles};
use crate::model::{
    Area, Content, DeferredDocument, Doc, ExpanderId, Fact, Node, NodeKind, Rows, Sources, Span,
    Stream, Summary, Value, text,
};

static FILE_DOC: Doc = Doc::new("A file of the package, decoded on demand.", "");
static PACKED_DOC: Doc = Doc::new(
    "The compressed bytes of a file of the package, decompressed as far as they are read.",
    "RFC 1951",
);
static UNREAD_DOC: Doc = Doc::new(
    "The bytes of a file of the package in a form that zeview does not decompress.",
    "",
);

/// The form in which a file is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Packing {
    /// As it is.
    Stored,
    /// A deflate stream, with the CRC-32 of its output.
    Deflated(u32),
    /// As it is, with offsets of its own: a file of a folder.
    Part,
    /// Encrypted, or compressed by another method.
    Unknown,
}

/// A file of a package.
pub(super) struct Member {
    pub(super) file: PackageFile,
    pub(super) packing: Packing,
    pub(super) data: Locator,
}

/// The location of a file's stored bytes.
#[derive(Debug, Clone, Copy)]
pub(super) enum Locator {
    /// At these bytes.
    At(Span),
    /// Behind a header of variable size at the start of these bytes.
    Behind(Span, fn(&Sources, Span) -> u64),
}

/// The files of a package, and the means to open them.
pub(super) struct Package {
    pub(super) members: Vec<Member>,
    formats: Formats,
    /// Number of documents around the files.
    depth: u32,
    /// The kinds of the files that were looked at.
    kinds: RefCell<HashMap<usize, FileKind>>,
}

impl Package {
    /// Registers the files as documents that are opened on demand.
    pub(super) fn new(cx: &Context<'_>, members: Vec<Member>) -> Package {
        Package {
            members,
            formats: cx.formats,
            depth: cx.depth(),
            kinds: RefCell::default(),
        }
    }

    /// Adds the files to the documents of the package, in their order. Files that cannot be located
    /// without reading all of the package are added when they are opened.
    pub(super) fn list(&self, cx: &Context<'_>) {
        let is_small = self.members.len() <= limits::LOCAL_HEADERS;
        for (index, member) in self.members.iter().enumerate() {
            if !is_small && matches!(member.data, Locator::Behind(..)) {
                return;
            }
            let data = self.data(index, cx.sources);
            let may_have_code = match member.packing {
                Packing::Unknown => false,
                Packing::Stored => self.kind(index, cx.sources).may_have_code,
                Packing::Deflated(_) | Packing::Part => true,
            };
            if !data.is_empty() && may_have_code {
                cx.add_member(data);
            }
        }
    }

    /// Returns the first bytes of a file.
    fn head(&self, index: usize, sources: &Sources) -> Vec<u8> {
        let Some(member) = self.members.get(index) else {
            return Vec::new();
        };
        let data = self.data(index, sources);
        let read = |span: Span| {
            Window::clamped(sources, span.subspan(0, HEAD))
                .bytes()
                .to_vec()
        };
        match member.packing {
            Packing::Stored | Packing::Part => read(data),
            Packing::Unknown => Vec::new(),
            Packing::Deflated(_) => match sources.unpacked_before(UNPACKED, data) {
                Some((whole, _)) => read(whole),
                None => {
                    let len = member.file.size.min(HEAD);
                    let stream = DeflateStream::new(data.len(), len, None);
                    let packed = |start, len| sources.read(data.subspan(start, len));
                    stream.settle(len, &packed);
                    let head = stream.read(0, stream.len(), &packed);
                    head.map_or_else(|_| Vec::new(), |head| head.to_vec())
                }
            },
        }
    }

    /// The node of a file's stored bytes. Its item is `item`, and `index` its index.
    pub(super) fn data_node(&self, index: usize, item: u64, out: &Rows<'_>) -> Option<Node> {
        let member = self.members.get(index)?;
        let span = self.data(index, out.sources);
        if span.is_empty() {
            return None;
        }
        let content = Content::Deferred {
            expander: out.me,
            item,
        };
        let packed = |name: &'static str, doc| {
            let mut node = Node::new(NodeKind::Packed, name, span).value(Value::Bytes);
            node.content = content;
            node.area(Area::Data).doc(doc)
        };
        Some(match member.packing {
            Packing::Unknown => Node::new(NodeKind::Blob, "data", span)
                .value(Value::Bytes)
                .summary(format!("{}, not decompressed", member.file.method))
                .doc(&UNREAD_DOC),
            Packing::Deflated(_) => {
                let size = plural(member.file.size, "byte");
                packed("data", &PACKED_DOC).summary(format!("deflate, {size} decompressed"))
            }
            Packing::Part => {
                let kind = self.kind(index, out.sources).name;
                packed("data", &FILE_DOC).summary(kind)
            }
            Packing::Stored => {
                let kind = self.kind(index, out.sources);
                if !kind.may_have_code {
                    let node = Node::new(NodeKind::Blob, "data", span).value(Value::Bytes);
                    return Some(node.summary(kind.name).doc(&FILE_DOC));
                }
                let mut node = Node::new(NodeKind::File, "data", span).summary(kind.name);
                node.content = content;
                node.doc(&FILE_DOC)
            }
        })
    }

    /// Opens a file.
    pub(super) fn open(
        &self,
        index: usize,
        sources: &Sources,
        first: ExpanderId,
        check: &dyn Fn(&Context<'_>),
    ) -> Option<DeferredDocument> {
        let member = self.members.get(index)?;
        let cx = Context::deferred(sources, self.formats, first, self.depth);
        let data = self.data(index, sources);
        check(&cx);
        let content = self.contents(&cx, member, data);
        Some(cx.into_deferred(data, content))
    }

    fn contents(
        &self,
        cx: &Context<'_>,
        member: &Member,
        data: Span,
    ) -> Option<(ExpanderId, u64, Option<u64>)> {
        let (name, whole) = match member.packing {
            Packing::Unknown => return None,
            Packing::Stored => return format::nested(cx, data)?.content,
            Packing::Part => {
                let before = cx.sources.unpacked_before(FILE, data);
                let whole = || cx.sources.whole(cx.sources.part(FILE, data));
                (FILE, before.map_or_else(whole, |(whole, _)| whole))
            }
            Packing::Deflated(crc) => {
                let size = member.file.size;
                (UNPACKED, cx.stream(data, size, Some(crc))?)
            }
        };
        let opened = format::nested(cx, whole);
        let node = format::nested_node(cx.sources, name.to_owned(), whole, opened.as_ref());
        // The checksum of a library is known once its last bytes are read: its section headers.
        if let Some(damage) = cx.sources.damage(whole.source) {
            let message = format_args!("{}: {damage}", member.file.path);
            cx.report(&rules::PACKAGE_DAMAGED, data, message);
        }
        let mut tree = StaticTree::default();
        tree.push(StaticTree::TOP, node);
        Some((cx.register(Rc::new(tree)), 0, Some(1)))
    }
}

/// The names of sources with decompressed files, and of files of a folder.
const UNPACKED: &str = "unpacked";
const FILE: &str = "file";

impl Context<'_> {
    /// Returns the output of a deflate stream, as a source that restores it on demand.
    pub(super) fn stream(&self, data: Span, size: u64, crc: Option<u32>) -> Option<Span> {
        let most = super::compression::deflate_limit(data.len());
        if size > most {
            let message = format_args!(
                "{size} bytes decompressed are more than {} can contain",
                plural(data.len(), "byte")
            );
            self.report(&rules::PACKAGE_DAMAGED, data, message);
            return None;
        }
        match stream(self.sources, data, size, crc) {
            Some(whole) => Some(whole),
            None => {
                let message = "too much of the package is decompressed already: this file is not";
                self.report(&rules::UNPACKED_TOO_LARGE, data, message);
                None
            }
        }
    }
}

/// Returns the output of a deflate stream. Returns `None` if it is more than the size of the
/// package allows.
fn stream(sources: &Sources, data: Span, size: u64, crc: Option<u32>) -> Option<Span> {
    if let Some((whole, _)) = sources.unpacked_before(UNPACKED, data) {
        return Some(whole);
    }
    if !sources.costs.work_on(data, size) {
        return None;
    }
    let stream = DeflateStream::new(data.len(), size, crc);
    stream.settle(limits::CHECKED, &|start, len| {
        sources.read(data.subspan(start, len))
    });
    let source = sources.stream(UNPACKED, Box::new(stream), data);
    Some(sources.whole(source))
}

impl PackageFiles for Package {
    fn count(&self) -> usize {
        self.members.len()
    }

    fn file(&self, index: usize) -> Option<&PackageFile> {
        self.members.get(index).map(|member| &member.file)
    }

    fn data(&self, index: usize, sources: &Sources) -> Span {
        let Some(member) = self.members.get(index) else {
            return Span::default();
        };
        match member.data {
            Locator::At(span) => span,
            Locator::Behind(start, header) => {
                start.subspan(header(sources, start), member.file.packed)
            }
        }
    }

    fn file_at(&self, span: Span) -> Option<usize> {
        let is_of = |member: &Member| {
            let (Locator::At(data) | Locator::Behind(data, _)) = member.data;
            data.contains(span) || member.file.entry.contains(span)
        };
        self.members.iter().position(is_of)
    }

    fn kind(&self, index: usize, sources: &Sources) -> FileKind {
        if let Some(kind) = self.kinds.borrow().get(&index) {
            return *kind;
        }
        let head = self.head(index, sources);
        let known = format::kind(self.formats, &head);
        let found = FileKind {
            name: match known {
                Some(kind) => kind,
                None if head.is_empty() => "",
                None => raw::guess(&head).unwrap_or_default(),
            },
            may_have_code: known.is_some(),
        };
        self.kinds.borrow_mut().insert(index, found);
        found
    }

    fn prepare(&self, index: usize, most: u64, sources: &Sources) -> u64 {
        let Some(member) = self.members.get(index) else {
            return 0;
        };
        let Packing::Deflated(crc) = member.packing else {
            return 0;
        };
        let data = self.data(index, sources);
        let size = member.file.size;
        if size > super::compression::deflate_limit(data.len()) {
            return 0;
        }
        // A refusal is reported when the file is opened.
        stream(sources, data, size, Some(crc))
            .map_or(0, |whole| sources.advance(whole.source, most))
    }
}

/// The summary of a package: the number and the total size of its files.
pub(super) fn summary(format: &'static str, title: String, span: Span, files: &Package) -> Summary {
    let members = files.members.iter();
    let of_files = members.filter(|member| !member.file.path.ends_with('/'));
    let (count, size) = of_files.fold((0, 0_u64), |(count, size), member| {
        (count + 1, size.saturating_add(member.file.size))
    });
    let text = format!("{}, {} in all", plural(count, "file"), text::size(size));
    let fact = Fact::new("files", text, span).headline();
    let mut summary = Summary::new(format, title, vec![fact]);
    summary.has.package = true;
    summary
}

/// Whether a path is absolute, or leads out of the folder that it starts from.
pub(super) fn is_outside(path: &str) -> bool {
    let is_separator = |c| c == '/' || c == '\\';
    let is_absolute = path.starts_with(is_separator) || path.get(1..2) == Some(":");
    is_absolute || path.split(is_separator).any(|part| part == "..")
}

/// Formats seconds since 1970 as `2026-10-26 07:20:00`, in UTC.
pub(super) fn time_text(seconds: u64) -> String {
    let days = seconds / 86_400;
    let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    // Years that start on 1 March, in eras of 400 years.
    let days = days.saturating_add(719_468);
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, later) = if month < 10 {
        (month + 3, 0)
    } else {
        (month - 9, 1)
    };
    let year = era * 400 + year + later;
    format!("{year}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_as_text() {
        assert_eq!(time_text(0), "1970-01-01 00:00:00");
        assert_eq!(time_text(951_782_400), "2000-02-29 00:00:00");
        assert_eq!(time_text(1_793_000_000), "2026-10-26 07:33:20");
        assert_eq!(time_text(4_102_444_799), "2099-12-31 23:59:59");
    }

    #[test]
    fn paths_that_lead_out() {
        for path in ["/etc/passwd", "../a", "a/../../b", "C:/a", "..\\a", "\\\\a"] {
            assert!(is_outside(path), "{path}");
        }
        for path in ["a/b", "a..b/c", "...", ".a", "a/"] {
            assert!(!is_outside(path), "{path}");
        }
    }
}
