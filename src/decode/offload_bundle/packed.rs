//! Compressed bundles.
// The fields have the spelling of the header file.
#![allow(non_snake_case)]

use std::rc::Rc;

use super::super::Context;
use super::super::compression::Method;
use super::super::eager::Eager;
use super::super::format::{self, Format, Opened};
use super::super::names::{Dec, Hex};
use super::super::record::FieldSpec;
use super::super::rules;
use super::read_record;
use crate::model::{Area, Doc, Fact, Node, NodeKind, Span, Summary, Value};
use crate::{open_enum, record};

const MAGIC: &[u8] = b"CCOB";

/// The label of the fact that says how a bundle is compressed.
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
        Version: u16 as Dec,
        /// How the bundle is compressed.
        Method: u16 as PackedMethod,
        /// The size of what is unpacked.
        UncompressedFileSize: u32 as Dec,
        /// The beginning of the MD5 of what is unpacked.
        Hash: u64 as Hex,
    }
}

record! {
    /// The header of version 2.
    pub struct Header2: "clang, OffloadBundler.h, CompressedOffloadBundle" {
        /// `CCOB` as text.
        Magic: u32 as Hex,
        /// The version of this header.
        Version: u16 as Dec,
        /// How the bundle is compressed.
        Method: u16 as PackedMethod,
        /// The size of everything, with this header.
        FileSize: u32 as Dec,
        /// The size of what is unpacked.
        UncompressedFileSize: u32 as Dec,
        /// The beginning of the MD5 of what is unpacked.
        Hash: u64 as Hex,
    }
}

record! {
    /// The header of version 3.
    pub struct Header3: "clang, OffloadBundler.h, CompressedOffloadBundle" {
        /// `CCOB` as text.
        Magic: u32 as Hex,
        /// The version of this header.
        Version: u16 as Dec,
        /// How the bundle is compressed.
        Method: u16 as PackedMethod,
        /// The size of everything, with this header.
        FileSize: u64 as Dec,
        /// The size of what is unpacked.
        UncompressedFileSize: u64 as Dec,
        /// The beginning of the MD5 of what is unpacked.
        Hash: u64 as Hex,
    }
}

static HEADER_DOC: Doc = Doc {
    text: "How the bundle is compressed, and how large it is.",
    source: "clang, OffloadBundler.h, CompressedOffloadBundle",
    known: &[],
};
static PACKED_DOC: Doc = Doc {
    text: "A compressed bundle that is not unpacked.",
    source: "clang, OffloadBundler.h, CompressedOffloadBundle",
    known: &[],
};

/// A compressed bundle.
#[derive(Debug)]
pub struct PackedBundle;

/// A header of any version.
struct Header {
    span: Span,
    fields: Vec<(&'static FieldSpec, u64)>,
}

impl Header {
    fn number(&self, name: &str) -> Option<u64> {
        let field = self.fields.iter().find(|(field, _)| field.name == name);
        field.map(|(_, raw)| *raw)
    }

    fn span_of(&self, name: &str) -> Span {
        let field = self.fields.iter().find(|(field, _)| field.name == name);
        field.map_or(self.span, |(field, _)| field.span(self.span))
    }

    /// All but version 1 and 2 are read as version 3.
    fn read(cx: &Context<'_>, span: Span) -> super::super::reader::ReadResult<Header> {
        macro_rules! read {
            ($ty:ty) => {{
                let header = read_record(cx, span, <$ty>::SIZE, |reader| <$ty>::read(reader))?;
                let fields = <$ty>::FIELDS.iter();
                Ok(Header {
                    span: header.origin,
                    fields: fields.map(|f| (f, header.raw(f.name))).collect(),
                })
            }};
        }
        let version = read_record(cx, span.from(4), 2, |reader| reader.read::<u16>())?;
        match version.value {
            1 => read!(Header1),
            2 => read!(Header2),
            _ => read!(Header3),
        }
    }
}

impl Format for PackedBundle {
    fn recognise(&self, head: &[u8]) -> bool {
        head.starts_with(MAGIC)
    }

    fn open(&self, cx: &Context<'_>, span: Span) -> Opened {
        let mut tree = Eager::default();
        let mut facts = Vec::new();
        match Header::read(cx, span) {
            Ok(header) => facts = push(cx, &mut tree, span, &header),
            Err(error) => {
                cx.report_read(&rules::BUNDLE_HEADER, &error, span, "the header");
                cx.gap(span);
                tree.push(Eager::TOP, Node::gap("cut-off header", span));
            }
        }
        let count = tree.count_at(Eager::TOP);
        Opened {
            summary: Summary::new("offload-bundle", "compressed clang offload bundle", facts),
            content: Some((cx.register(Rc::new(tree)), 0, Some(count))),
        }
    }
}

fn push(cx: &Context<'_>, tree: &mut Eager, span: Span, header: &Header) -> Vec<Fact> {
    let record = Node::new(NodeKind::Record, "header", header.span).area(Area::Header);
    let place = tree.push(Eager::TOP, record.doc(&HEADER_DOC));
    for (field, raw) in &header.fields {
        tree.push(place, field.row(*raw, header.span));
    }
    let version = header.number("Version").unwrap_or(0);
    if !(1..=3).contains(&version) {
        cx.report(
            &rules::BUNDLE_VERSION,
            header.span_of("Version"),
            format_args!("version {version} is read as version 3"),
        );
    }
    let size = header.number("FileSize").unwrap_or(span.len());
    if size > span.len() {
        cx.report(
            &rules::BUNDLE_OUT_OF_BOUNDS,
            header.span_of("FileSize"),
            format_args!("{size} bytes, {} are there", span.len()),
        );
    }
    let body = span
        .sub(0, size.max(header.span.len()))
        .from(header.span.len());
    let method = match header.number("Method") {
        Some(0) => Some(Method::Zlib),
        Some(1) => Some(Method::Zstd),
        _ => None,
    };
    if method.is_none() {
        let method = header.number("Method").unwrap_or(0);
        cx.report(
            &rules::BUNDLE_VERSION,
            header.span_of("Method"),
            format_args!("the method {method} is not known"),
        );
    }
    let expected = header.number("UncompressedFileSize");
    let inflated = match method.filter(|_| !body.is_empty()) {
        Some(method) => cx.inflate("bundle", method, body, expected),
        None => None,
    };
    let mut facts = Vec::new();
    let mut end = body.end;
    if let Some(inflated) = inflated {
        let place = tree.push(Eager::TOP, inflated.node("compressed bundle"));
        let document = format::nested(cx, inflated.whole);
        let name = "bundle".to_owned();
        let node = format::nested_node(cx.sources, name, inflated.whole, document.as_ref());
        tree.push(place, node);
        facts = document.map_or_else(Vec::new, |document| document.summary.facts);
        facts.retain(|fact| fact.label != COMPRESSION);
        end = inflated.packed.end;
    } else if !body.is_empty() {
        let node = Node::new(NodeKind::Blob, "compressed bundle", body).value(Value::Bytes);
        tree.push(Eager::TOP, node.summary("not unpacked").doc(&PACKED_DOC));
    }
    let rest = Span::new(span.source, end, span.end);
    if !rest.is_empty() {
        cx.gap(rest);
        tree.push(Eager::TOP, Node::gap("after the bundle", rest));
    }
    let method = method.map_or("unknown", Method::name);
    facts.push(Fact::new(COMPRESSION, method, header.span_of("Method")));
    facts
}
