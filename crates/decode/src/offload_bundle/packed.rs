//! Compressed bundles.
// The fields use the spelling of the header file.
#![allow(non_snake_case)]

use std::rc::Rc;

use super::read_record;
use crate::Context;
use crate::compression::Method;
use crate::format::{self, Format, OpenedDocument};
use crate::names::{Decimal, Hex};
use crate::reader::ReadResult;
use crate::rules;
use crate::tree::StaticTree;
use crate::{open_enum, record};
use zeview_core::model::{Area, Doc, Fact, Node, NodeKind, Span, Spanned, Summary, Value};

const MAGIC: &[u8] = b"CCOB";

/// The label of the fact with the compression method.
const COMPRESSION: &str = "compression";

open_enum! {
    /// `Method`. LLVM, Support/Compression.h, `Format`.
    pub struct PackedMethod(u16) {
        /// zlib.
        Zlib = 0,
        /// zstd.
        Zstd = 1,
    }
}

record! {
    /// The header of version 1.
    pub struct Header1: "clang, OffloadBundler.h, CompressedOffloadBundle" {
        /// `CCOB` as text.
        Magic: u32 as Hex,
        /// The version of this header.
        Version: u16 as Decimal,
        /// The compression method.
        Method: u16 as PackedMethod,
        /// The uncompressed size in bytes.
        UncompressedFileSize: u32 as Decimal,
        /// The first bytes of the MD5 of the uncompressed bundle.
        Hash: u64 as Hex,
    }
}

record! {
    /// The header of version 2.
    pub struct Header2: "clang, OffloadBundler.h, CompressedOffloadBundle" {
        /// `CCOB` as text.
        Magic: u32 as Hex,
        /// The version of this header.
        Version: u16 as Decimal,
        /// The compression method.
        Method: u16 as PackedMethod,
        /// The size of the bundle in bytes, with this header.
        FileSize: u32 as Decimal,
        /// The uncompressed size in bytes.
        UncompressedFileSize: u32 as Decimal,
        /// The first bytes of the MD5 of the uncompressed bundle.
        Hash: u64 as Hex,
    }
}

record! {
    /// The header of version 3.
    pub struct Header3: "clang, OffloadBundler.h, CompressedOffloadBundle" {
        /// `CCOB` as text.
        Magic: u32 as Hex,
        /// The version of this header.
        Version: u16 as Decimal,
        /// The compression method.
        Method: u16 as PackedMethod,
        /// The size of the bundle in bytes, with this header.
        FileSize: u64 as Decimal,
        /// The uncompressed size in bytes.
        UncompressedFileSize: u64 as Decimal,
        /// The first bytes of the MD5 of the uncompressed bundle.
        Hash: u64 as Hex,
    }
}

static HEADER_DOC: Doc = Doc::new(
    "The compression method, and the sizes of the bundle.",
    "clang, OffloadBundler.h, CompressedOffloadBundle",
);
static PACKED_DOC: Doc = Doc::new(
    "A compressed bundle that is not decompressed.",
    "clang, OffloadBundler.h, CompressedOffloadBundle",
);

/// A compressed bundle.
#[derive(Debug)]
pub struct PackedBundle;

/// A header of any version.
struct Header {
    span: Span,
    rows: Vec<Node>,
    version: Spanned<u64>,
    method: Spanned<u64>,
    /// The size of the file; version 1 does not store it.
    file_size: Option<Spanned<u64>>,
    unpacked_size: u64,
}

impl Header {
    /// Unknown versions are read as version 3.
    fn read(cx: &Context<'_>, span: Span) -> ReadResult<Header> {
        macro_rules! read {
            ($ty:ident, $file_size:expr) => {{
                let header = read_record(cx, span, $ty::SIZE, $ty::read)?;
                Ok(Header {
                    span: header.origin,
                    rows: header.nodes().collect(),
                    version: header.get($ty::Version),
                    method: header.get($ty::Method),
                    file_size: $file_size(&header),
                    unpacked_size: header.UncompressedFileSize.into(),
                })
            }};
        }
        let version = read_record(cx, span.skip(4), 2, |reader| reader.read::<u16>())?;
        match version.value {
            1 => read!(Header1, |_| None),
            2 => read!(Header2, |header: &Header2| Some(
                header.get(Header2::FileSize)
            )),
            _ => read!(Header3, |header: &Header3| Some(
                header.get(Header3::FileSize)
            )),
        }
    }
}

impl Format for PackedBundle {
    fn recognize(&self, head: &[u8]) -> bool {
        head.starts_with(MAGIC)
    }

    fn kind(&self, _head: &[u8]) -> &'static str {
        "compressed clang bundle"
    }

    fn open(&self, cx: &Context<'_>, span: Span) -> OpenedDocument {
        let mut tree = StaticTree::default();
        let mut facts = Vec::new();
        match Header::read(cx, span) {
            Ok(header) => facts = push(cx, &mut tree, span, &header),
            Err(error) => {
                cx.report_read(&rules::BUNDLE_HEADER, &error, span, "the header");
                cx.gap(span);
                tree.push(StaticTree::TOP, Node::gap("truncated header", span));
            }
        }
        let count = tree.count_at(StaticTree::TOP);
        OpenedDocument {
            summary: Summary::new("offload-bundle", "compressed clang offload bundle", facts),
            content: Some((cx.register(Rc::new(tree)), 0, Some(count))),
        }
    }
}

fn push(cx: &Context<'_>, tree: &mut StaticTree, span: Span, header: &Header) -> Vec<Fact> {
    let record = Node::new(NodeKind::Record, "header", header.span).area(Area::Header);
    let place = tree.push(StaticTree::TOP, record.doc(&HEADER_DOC));
    tree.extend(place, header.rows.iter().cloned());
    let version = header.version.value;
    if !(1..=3).contains(&version) {
        cx.report(
            &rules::BUNDLE_VERSION,
            header.version.span,
            format_args!("version {version}: read as version 3"),
        );
    }
    let size = header.file_size.map_or(span.len(), |size| size.value);
    if let Some(place) = header.file_size.filter(|_| size > span.len()) {
        cx.report(
            &rules::BUNDLE_OUT_OF_BOUNDS,
            place.span,
            format_args!(
                "FileSize is {size}, but only {} bytes are in the file",
                span.len()
            ),
        );
    }
    let body = span
        .subspan(0, size.max(header.span.len()))
        .skip(header.span.len());
    let method = match header.method.value {
        0 => Some(Method::Zlib),
        1 => Some(Method::Zstd),
        other => {
            cx.report(
                &rules::BUNDLE_VERSION,
                header.method.span,
                format_args!("unknown method {other}"),
            );
            None
        }
    };
    let expected = Some(header.unpacked_size);
    let inflated = match method.filter(|_| !body.is_empty()) {
        Some(method) => cx.inflate("bundle", method, body, expected),
        None => None,
    };
    let mut facts = Vec::new();
    let mut end = body.end;
    if let Some(inflated) = inflated {
        let place = tree.push(StaticTree::TOP, inflated.node("compressed bundle"));
        let document = format::nested(cx, inflated.whole);
        let name = "bundle".to_owned();
        let node = format::nested_node(cx.sources, name, inflated.whole, document.as_ref());
        tree.push(place, node);
        facts = document.map_or_else(Vec::new, |document| document.summary.facts);
        facts.retain(|fact| fact.label != COMPRESSION);
        end = inflated.packed.end;
    } else if !body.is_empty() {
        let node = Node::new(NodeKind::Blob, "compressed bundle", body).value(Value::Bytes);
        tree.push(
            StaticTree::TOP,
            node.summary("not decompressed").doc(&PACKED_DOC),
        );
    }
    let rest = Span::new(span.source, end, span.end);
    if !rest.is_empty() {
        cx.gap(rest);
        tree.push(StaticTree::TOP, Node::gap("after the bundle", rest));
    }
    let method = method.map_or("unknown", Method::name);
    facts.push(Fact::new(COMPRESSION, method, header.method.span));
    facts
}
