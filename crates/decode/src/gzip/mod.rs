//! gzip: a compressed file, usually a tar archive.
//!
//! ```text
//! header │ extra │ name │ comment │ checksum │ deflate stream │ CRC-32 │ size
//! ```
//!
//! The stream is decompressed as far as it is read (`package`). To list the files
//! of a tar archive in it, all of it is read once.

use std::rc::Rc;

use super::Context;
use super::compression::{DeflateStream, MeasuredStream, Members};
use super::format::{self, Format, OpenedDocument};
use super::layout::{self, Layout};
use super::names::{Decimal, Hex};
use super::package::Restored;
use super::reader::{Endian, Window};
use super::text::plural;
use super::tree::StaticTree;
use super::wrapper::{self, Wrapper};
use super::{limits, raw, rules, tar};
use crate::{flags, open_enum, record};
use zeview_core::model::{Area, Doc, Node, NodeKind, Span, Stream as _, Summary, Value};

const SOURCE: &str = "RFC 1952, 2.3";

open_enum! {
    /// The compression method. RFC 1952, 2.3.1.
    pub struct Method(u8) {
        /// RFC 1951.
        deflate = 8,
    }
}

flags! {
    /// The optional parts. RFC 1952, 2.3.1.
    pub struct Flags {
        /// The file is probably text.
        FTEXT = 1,
        /// A checksum of the header is present.
        FHCRC = 2,
        /// Extra fields are present.
        FEXTRA = 4,
        /// The name of the file is present.
        FNAME = 8,
        /// A comment is present.
        FCOMMENT = 16,
    }
}

record! {
    /// The header.
    pub struct Header: "RFC 1952, 2.3" {
        /// The magic number.
        id: u16 as Hex,
        /// The compression method.
        method: u8 as Method,
        /// The optional parts.
        flags: u8 as Flags,
        /// The time of the last change, in seconds since 1970; 0 if there is none.
        mtime: u32 as Decimal,
        /// Flags of the compression method.
        extra_flags: u8 as Decimal,
        /// The operating system.
        os: u8 as Decimal,
    }
}

record! {
    /// The end of the file.
    pub struct Trailer: "RFC 1952, 2.3" {
        /// The CRC-32 of the decompressed bytes.
        crc32: u32 as Hex,
        /// The number of decompressed bytes, modulo 2³².
        isize: u32 as Decimal,
    }
}

static HEADER_DOC: Doc = Doc::new("The header and its optional parts.", SOURCE);
static EXTRA_DOC: Doc = Doc::new("Extra fields, with their length.", SOURCE);
static NAME_DOC: Doc = Doc::new("The name of the file.", SOURCE);
static COMMENT_DOC: Doc = Doc::new("A comment.", SOURCE);
static CHECKSUM_DOC: Doc = Doc::new("The lower half of the CRC-32 of the header.", SOURCE);
static TRAILER_DOC: Doc = Doc::new("The checksum and the size of the file.", SOURCE);
static STREAM_DOC: Doc = Doc::new("The compressed file.", "RFC 1951");

/// The gzip format.
#[derive(Debug)]
pub struct Gzip;

impl Format for Gzip {
    fn recognize(&self, head: &[u8]) -> bool {
        head.starts_with(&[0x1f, 0x8b, 8])
    }

    fn kind(&self, _head: &[u8]) -> &'static str {
        "gzip"
    }

    fn open(&self, cx: &Context<'_>, span: Span) -> OpenedDocument {
        let mut parts = Vec::new();
        let start = header(cx, span, &mut parts);
        // The header does not state the length of the stream: the trailer is found from the end.
        let trailer = span.skip(span.len().saturating_sub(Trailer::SIZE));
        let is_whole = start.saturating_add(Trailer::SIZE) <= span.len();
        let mut summary = Summary::new("gzip", "gzip", Vec::new());
        let mut files = None;
        if is_whole {
            let window = Window::clamped(cx.sources, trailer);
            let record = Trailer::clamped(&window, Endian::Little);
            let data = Span::new(span.source, span.start.saturating_add(start), trailer.start);
            let opened = contents(cx, data, trailer, &record, &mut parts);
            if let Some(opened) = opened {
                files = wrapper::take_over(cx, &mut summary, "gzip", opened);
            }
            let mut tree = StaticTree::default();
            tree.extend(StaticTree::TOP, record.nodes());
            let node = Node::new(NodeKind::Record, "trailer", trailer);
            parts.push(children(
                cx,
                node.area(Area::Header).doc(&TRAILER_DOC),
                tree,
            ));
        } else {
            cx.report(&rules::GZIP_HEADER, span, "the file is truncated");
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

fn children(cx: &Context<'_>, node: Node, tree: StaticTree) -> Node {
    let count = tree.count_at(StaticTree::TOP);
    node.children(cx.register(Rc::new(tree)), 0, Some(count))
}

/// Adds the header. Returns its length.
fn header(cx: &Context<'_>, span: Span, parts: &mut Vec<Node>) -> u64 {
    let window = Window::clamped(cx.sources, span.subspan(0, Header::SIZE));
    let Ok(header) = Header::read(&mut window.reader(Endian::Little)) else {
        return span.len();
    };
    let mut tree = StaticTree::default();
    tree.extend(StaticTree::TOP, header.nodes());
    let flags = u64::from(header.flags);
    let mut at = Header::SIZE;
    let mut add = |at: &mut u64, len: u64, name: &'static str, doc: &'static Doc, is_text: bool| {
        let part = span.subspan(*at, len);
        *at = at.saturating_add(part.len());
        let window = Window::clamped(cx.sources, part);
        let value = match window.bytes() {
            [text @ .., 0] if is_text => Value::text_from(text),
            _ => Value::Bytes,
        };
        if !part.is_empty() {
            tree.push(StaticTree::TOP, Node::field(name, value, part).doc(doc));
        }
    };
    if flags & Flags::FEXTRA != 0 {
        let window = Window::clamped(cx.sources, span.subspan(at, 2));
        let len = window.reader(Endian::Little).read::<u16>();
        let len = len.map_or(0, |len| len.value);
        add(
            &mut at,
            2 + u64::from(len),
            "extra fields",
            &EXTRA_DOC,
            false,
        );
    }
    for (flag, name, doc) in [
        (Flags::FNAME, "name", &NAME_DOC),
        (Flags::FCOMMENT, "comment", &COMMENT_DOC),
    ] {
        if flags & flag != 0 {
            let rest = span.subspan(at, limits::C_STRING);
            let window = Window::clamped(cx.sources, rest);
            let end = window.bytes().iter().position(|byte| *byte == 0);
            let Some(end) = end else {
                let message = format_args!("the {name} has no end");
                cx.report(&rules::GZIP_HEADER, rest.subspan(0, 1), message);
                let all = span.len().saturating_sub(at);
                add(&mut at, all, name, doc, false);
                break;
            };
            add(&mut at, end as u64 + 1, name, doc, true);
        }
    }
    if flags & Flags::FHCRC != 0 {
        add(&mut at, 2, "checksum", &CHECKSUM_DOC, false);
    }
    let whole = span.subspan(0, at);
    let node = Node::new(NodeKind::Record, "header", whole);
    parts.push(children(cx, node.area(Area::Header).doc(&HEADER_DOC), tree));
    at
}

/// Adds the compressed bytes, and opens the file in them.
fn contents(
    cx: &Context<'_>,
    data: Span,
    end: Span,
    trailer: &Trailer,
    parts: &mut Vec<Node>,
) -> Option<OpenedDocument> {
    if data.is_empty() {
        return None;
    }
    let size = u64::from(trailer.isize);
    let node = Node::new(NodeKind::Packed, "data", data)
        .value(Value::Bytes)
        .area(Area::Data)
        .doc(&STREAM_DOC);
    let restored = cx.restored("gzip", data, size, Some(trailer.crc32));
    let Some(restored) = restored else {
        let mut node = node.summary("deflate, not decompressed");
        node.kind = NodeKind::Blob;
        parts.push(node);
        return None;
    };
    let (whole, count) = match members(cx, &restored, data, end) {
        Some(found) => found,
        None => (restored.keep(cx.sources, data), 1),
    };
    let opened = format::nested_file(cx, whole, limits::HOST_SCAN);
    let name = "unpacked".to_owned();
    let inner = format::nested_node(cx.sources, name, whole, opened.as_ref());
    if let Some(damage) = cx.sources.damage(whole.source) {
        cx.report(&rules::PACKAGE_DAMAGED, data, damage);
    }
    let mut tree = StaticTree::default();
    tree.push(StaticTree::TOP, inner);
    let size = plural(whole.len(), "byte");
    let text = match count {
        1 => format!("deflate, {size} decompressed"),
        count => format!("deflate, {count} members, {size} decompressed"),
    };
    parts.push(children(cx, node.summary(text), tree));
    opened.or_else(|| raw::unknown(cx, whole))
}

/// The name of the source with the output of several members.
const MEMBERS: &str = "members";
/// Minimum limit for the output of a member whose size is unknown, in bytes.
const MEMBER_ALWAYS: u64 = 64 << 20;
/// Bytes of output per compressed byte of such a member.
const MEMBER_TIMES: u64 = 64;

/// Returns the file in the streams of all members, and their number, if there are several: the trailer
/// describes only the last one, so that the first stream looks damaged.
fn members(cx: &Context<'_>, first: &Restored, data: Span, end: Span) -> Option<(Span, usize)> {
    if let Some((found, _)) = cx.sources.unpacked_before(MEMBERS, data) {
        return Some((found, 2));
    }
    let Restored::Now(first) = first else {
        return None;
    };
    let packed = |start, len| cx.sources.read(data.subspan(start, len));
    // An archive is read to its end anyway. Other files are only compared as they are read.
    let head = first.read(0, first.len().min(format::HEAD), &packed);
    if head.is_ok_and(|head| tar::Tar.recognize(&head)) {
        first.advance(u64::MAX, &packed);
    }
    first.damage()?;
    let all = Span {
        end: end.end,
        ..data
    };
    let mut found = Vec::new();
    let mut at = 0;
    while let Some((stream, next)) = member(cx, all, at) {
        found.push(stream);
        at = next;
    }
    let total = found.iter().map(|stream| stream.len).sum();
    if found.len() < 2 || !cx.sources.costs.work_on(all, total) {
        return None;
    }
    let rest = all.skip(at);
    if !rest.is_empty() {
        layout::report_gap(cx, rest);
    }
    let stream = Members::new(&found);
    stream.advance(limits::CHECKED, &packed);
    let source = cx.sources.stream(MEMBERS, Box::new(stream), data);
    Some((cx.sources.whole(source), found.len()))
}

/// Returns the member whose stream, or, except for the first, whose header starts at an offset, and
/// the offset behind its trailer.
fn member(cx: &Context<'_>, all: Span, at: u64) -> Option<(MeasuredStream, u64)> {
    let mut start = at;
    if at > 0 {
        let rest = all.skip(at);
        let head = Window::clamped(cx.sources, rest.subspan(0, Header::SIZE));
        if !Gzip.recognize(head.bytes()) {
            return None;
        }
        start = at.saturating_add(header(cx, rest, &mut Vec::new()));
    }
    let rest = all.skip(start);
    let most = rest.len().saturating_mul(MEMBER_TIMES).max(MEMBER_ALWAYS);
    let read = |start, len| cx.sources.read(rest.subspan(start, len));
    let (len, used) = DeflateStream::measure(rest.len(), most, &read)?;
    let window = Window::clamped(cx.sources, rest.subspan(used, Trailer::SIZE));
    let trailer = Trailer::read(&mut window.reader(Endian::Little)).ok()?;
    // The size is stored modulo 2³².
    if len & u64::from(u32::MAX) != u64::from(trailer.isize) {
        return None;
    }
    let stream = MeasuredStream {
        packed: start,
        packed_len: used,
        len,
        crc: trailer.crc32,
    };
    let end = start.saturating_add(used).saturating_add(Trailer::SIZE);
    Some((stream, end))
}
