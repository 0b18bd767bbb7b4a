//! Compressed bytes and their contents: zlib (RFC 1950) and zstd (RFC 8878).
//!
//! The decompressed bytes form a separate source ([`Sources::unpacked`](crate::model::Sources));
//! its parent is the span of the compressed bytes. A document in it has spans of that source, and
//! is below the node of the compressed bytes in the tree.
//!
//! ```text
//! compressed bytes, span in the file  value: bytes; Inflated::node
//!   the contents, span of the whole new source
//!     …
//! ```

mod streams;

use std::fmt::Write as _;

use super::context::Context;
use super::limits;
use super::rules;
use crate::model::{Doc, Node, NodeKind, Span, Value};

/// How bytes are compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// RFC 1950: a header of two bytes, deflate, a checksum.
    Zlib,
    /// RFC 8878: frames.
    Zstd,
}

impl Method {
    /// Told from the first bytes, as LLVM does where a format does not say.
    pub fn sniff(head: &[u8]) -> Option<Method> {
        match head {
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Some(Method::Zstd),
            // Deflate with a window of 32 KB; both bytes together are a multiple of 31.
            [0x78, flags, ..] if (0x7800 + u16::from(*flags)) % 31 == 0 => Some(Method::Zlib),
            _ => None,
        }
    }

    /// `zlib` or `zstd`.
    pub fn name(self) -> &'static str {
        match self {
            Method::Zlib => "zlib",
            Method::Zstd => "zstd",
        }
    }
}

/// What a reader of compressed bytes has made of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stream {
    /// The unpacked bytes, as far as they could be had.
    pub bytes: Vec<u8>,
    /// How many of the packed bytes belong to the stream.
    pub used: u64,
    /// How it ended.
    pub end: End,
}

/// How a stream of compressed bytes ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// As it should.
    Whole,
    /// Packed bytes are missing.
    CutOff,
    /// The packed bytes are none of the method's, or a checksum is wrong.
    Damaged,
    /// There is more than was asked for.
    More,
}

/// Unpacked bytes in a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Inflated {
    /// All of the unpacked bytes, in a source of their own.
    pub whole: Span,
    /// The bytes that they were unpacked from: there may be fewer than was asked for.
    pub packed: Span,
    /// How they are compressed.
    pub method: Method,
}

static PACKED_DOC: Doc = Doc {
    text: "Compressed bytes. Offsets in the decompressed data start at 0.",
    source: "RFC 1950, RFC 8878",
    known: &[],
};

impl Inflated {
    /// The node of the packed bytes. Its only child is to be the node of all the unpacked ones
    /// ([`whole`](Inflated::whole)).
    pub fn node(&self, name: &'static str) -> Node {
        Node::new(NodeKind::Packed, name, self.packed)
            .value(Value::Bytes)
            .summary(format!(
                "{}, {} bytes decompressed",
                self.method.name(),
                self.whole.len()
            ))
            .doc(&PACKED_DOC)
    }
}

/// Unpacks a zstd frame, at most so many bytes.
pub fn zstd(packed: &[u8], most: u64) -> Vec<u8> {
    streams::unpack(Method::Zstd, packed, most).bytes
}

/// The first bytes of what a zstd frame holds, of which `packed` is the start.
pub fn zstd_start(packed: &[u8]) -> Vec<u8> {
    streams::zstd_start(packed, 64)
}

impl Context<'_> {
    /// Unpacks the bytes of `span` into a source of that name, at most as many as `expected`
    /// (what the file says) and what a document may unpack altogether. Reports where they are
    /// damaged, or more or fewer than expected, and gives what could be had; nothing where
    /// there is nothing.
    pub fn inflate(
        &self,
        name: &str,
        method: Method,
        span: Span,
        expected: Option<u64>,
    ) -> Option<Inflated> {
        self.inflate_after(Vec::new(), name, method, span, expected)
    }

    /// The same, with bytes in front of what is unpacked: for formats whose places count from
    /// the start of a header that is not compressed.
    pub fn inflate_after(
        &self,
        before: Vec<u8>,
        name: &str,
        method: Method,
        span: Span,
        expected: Option<u64>,
    ) -> Option<Inflated> {
        // What is opened again was unpacked before.
        if self.is_late()
            && let Some((whole, packed)) = self.sources.unpacked_before(name, span)
        {
            return Some(Inflated {
                whole,
                packed,
                method,
            });
        }
        let left = self.may_unpack();
        if left == 0 || span.len() > limits::UNPACKED {
            self.report(
                &rules::UNPACKED_TOO_LARGE,
                span,
                format_args!("{name}: {} bytes are not decompressed", span.len()),
            );
            return None;
        }
        let most = expected.unwrap_or(left).min(left);
        let packed = self.sources.read(span).ok()?;
        let stream = streams::unpack(method, &packed, most);
        self.report_end(name, method, span, expected, &stream);
        if stream.bytes.is_empty() {
            return None;
        }
        let packed = span.subspan(0, stream.used);
        let bytes = if before.is_empty() {
            stream.bytes
        } else {
            [before, stream.bytes].concat()
        };
        Some(Inflated {
            whole: self.unpacked(name, bytes, packed),
            packed,
            method,
        })
    }

    /// Unpacks the bytes of `span` without keeping them. Reports where they are damaged, or more
    /// or fewer than expected. Returns `None` if there is nothing.
    pub fn unpack_now(
        &self,
        name: &str,
        method: Method,
        span: Span,
        expected: u64,
    ) -> Option<Vec<u8>> {
        let packed = self.sources.read(span).ok()?;
        let stream = streams::unpack(method, &packed, expected);
        self.report_end(name, method, span, Some(expected), &stream);
        (!stream.bytes.is_empty()).then_some(stream.bytes)
    }

    fn report_end(
        &self,
        name: &str,
        method: Method,
        span: Span,
        expected: Option<u64>,
        stream: &Stream,
    ) {
        let len = stream.bytes.len() as u64;
        let mut message = format!("{name}: ");
        let rule = match (stream.end, expected) {
            (End::Whole, Some(expected)) if expected != len => {
                let _ = write!(message, "{len} bytes decompressed, but {expected} expected");
                &rules::UNPACKED_SIZE
            }
            (End::More, Some(expected)) if expected == len => {
                let _ = write!(message, "more than the expected {len} bytes decompressed");
                &rules::UNPACKED_SIZE
            }
            (End::Whole, _) => return,
            (End::More, _) => {
                let _ = write!(message, "only {len} bytes are decompressed");
                &rules::UNPACKED_TOO_LARGE
            }
            (End::CutOff, _) => {
                let _ = write!(message, "the {} stream is truncated", method.name());
                &rules::PACKED_DAMAGED
            }
            (End::Damaged, _) => {
                let _ = write!(message, "not a valid {} stream", method.name());
                &rules::PACKED_DAMAGED
            }
        };
        self.report(rule, span, message);
    }
}
