//! Compressed bytes and their contents: zlib (RFC 1950), zstd (RFC 8878), and in packages bzip2,
//! xz, LZMA and deflate64.
//!
//! The decompressed bytes form a separate source ([`Sources::unpacked`](zeview_core::model::Sources));
//! its parent is the span of the compressed bytes. A document in it has spans of that source, and
//! is below the node of the compressed bytes in the tree.
//!
//! ```text
//! compressed bytes, span in the file  value: bytes; Inflated::node
//!   the contents, span of the whole new source
//!     …
//! ```

pub(super) mod crc32;
mod deflate;
mod members;
mod readers;
mod streams;

use std::fmt::Write as _;

#[cfg(not(target_arch = "wasm32"))]
pub use self::deflate::Restoration;
pub use self::deflate::{DeflateStream, deflate_limit};
pub use self::members::{MeasuredStream, Members};
use super::context::Context;
use super::limits;
use super::rules;
use zeview_core::model::{Doc, Node, NodeKind, Span, Value};

/// A compression method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// RFC 1950: a header of two bytes, deflate, a checksum.
    Zlib,
    /// RFC 8878: frames.
    Zstd,
    /// Blocks, each with a checksum.
    Bzip2,
    /// The xz file format: blocks of LZMA2.
    Xz,
    /// LZMA as in zip files: a version, the size of the properties, properties, the stream.
    /// APPNOTE.TXT, 5.8.
    Lzma,
    /// Deflate with a window of 64 KB.
    Deflate64,
}

impl Method {
    /// Detects the method from the first bytes, as LLVM does for formats that do not name it.
    pub fn sniff(head: &[u8]) -> Option<Method> {
        match head {
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Some(Method::Zstd),
            // Deflate with a window of 32 KB; both bytes together are a multiple of 31.
            [0x78, flags, ..] if (0x7800 + u16::from(*flags)) % 31 == 0 => Some(Method::Zlib),
            _ => None,
        }
    }

    /// `zlib`, `zstd` …
    pub fn name(self) -> &'static str {
        match self {
            Method::Zlib => "zlib",
            Method::Zstd => "zstd",
            Method::Bzip2 => "bzip2",
            Method::Xz => "xz",
            Method::Lzma => "LZMA",
            Method::Deflate64 => "deflate64",
        }
    }
}

/// Result of decompressing a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stream {
    /// The decompressed bytes, as far as they could be recovered.
    pub bytes: Vec<u8>,
    /// Number of compressed bytes that belong to the stream.
    pub used: u64,
    /// The reason for its end.
    pub end: End,
}

/// The reason for the end of a stream of compressed bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The stream is complete.
    Whole,
    /// The compressed bytes are truncated.
    CutOff,
    /// The bytes are not a valid stream of the method, or a checksum is wrong.
    Damaged,
    /// The stream exceeds the requested size.
    More,
}

/// Decompressed bytes in a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Inflated {
    /// All decompressed bytes, in a source of their own.
    pub whole: Span,
    /// The compressed bytes; possibly fewer than requested.
    pub packed: Span,
    /// The compression method.
    pub method: Method,
}

static PACKED_DOC: Doc = Doc {
    text: "Compressed bytes. Offsets in the decompressed data start at 0.",
    source: "RFC 1950, RFC 8878",
    known: &[],
};

impl Inflated {
    /// Node of the compressed bytes. Its only child must be the node of all decompressed bytes
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

/// Decompresses a zstd frame, up to `most` bytes.
pub fn zstd(packed: &[u8], most: u64) -> Vec<u8> {
    streams::unpack(Method::Zstd, packed, most).bytes
}

/// Decompresses the first `most` bytes of a stream, of which `packed` is a prefix. Returns fewer if
/// it is shorter or damaged.
pub fn start(method: Method, packed: &[u8], most: u64) -> Vec<u8> {
    streams::unpack(method, packed, most).bytes
}

/// Decompresses the start of a zstd frame, of which `packed` is a prefix.
pub fn zstd_start(packed: &[u8]) -> Vec<u8> {
    streams::zstd_start(packed, 64)
}

impl Context<'_> {
    /// Decompresses the bytes of `span` into a source called `name`, up to `expected` bytes (the
    /// size in the file) and the document's total limit. Reports damage and a size that differs
    /// from `expected`, and returns what could be recovered, or `None`.
    pub fn inflate(
        &self,
        name: &str,
        method: Method,
        span: Span,
        expected: Option<u64>,
    ) -> Option<Inflated> {
        self.inflate_after(Vec::new(), name, method, span, expected)
    }

    /// Like `inflate`, for a file whose stored bytes are all those of `span`, also what follows the
    /// end of the stream.
    pub fn inflate_file(
        &self,
        name: &str,
        method: Method,
        span: Span,
        expected: u64,
    ) -> Option<Inflated> {
        self.inflate_as(Vec::new(), name, method, span, Some(expected), true)
    }

    /// Like `inflate`, with bytes in front of the decompressed ones: for formats whose offsets
    /// count from the start of an uncompressed header.
    pub fn inflate_after(
        &self,
        before: Vec<u8>,
        name: &str,
        method: Method,
        span: Span,
        expected: Option<u64>,
    ) -> Option<Inflated> {
        self.inflate_as(before, name, method, span, expected, false)
    }

    fn inflate_as(
        &self,
        before: Vec<u8>,
        name: &str,
        method: Method,
        span: Span,
        expected: Option<u64>,
        is_all: bool,
    ) -> Option<Inflated> {
        // A document that is opened again was decompressed before.
        if self.is_deferred()
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
        let packed = if is_all {
            span
        } else {
            span.subspan(0, stream.used)
        };
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

    /// Decompresses the bytes of `span` without keeping them. Reports damage and a size that
    /// differs from the expected one. Returns `None` if nothing could be recovered.
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
