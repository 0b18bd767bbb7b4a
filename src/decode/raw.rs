//! Bytes of no format that is known: shown as they are.

use super::context::Context;
use super::format::Opened;
use super::rules;
use crate::model::{Capabilities, Doc, Fact, Node, NodeKind, Span, Summary, Tone, Value};

/// Opens anything.
pub fn open(cx: &Context<'_>, span: Span) -> Opened {
    let head = super::reader::Window::clamped(cx.sources, span.sub(0, super::format::HEAD));
    let title = if span.is_empty() {
        cx.report(&rules::EMPTY_FILE, span, "the file has no bytes");
        "empty"
    } else {
        let guess = guess(head.bytes()).unwrap_or("an unknown format");
        cx.report(
            &rules::UNRECOGNISED,
            span.sub(0, 16),
            format_args!("{guess}: shown as bytes"),
        );
        cx.gap(span);
        guess
    };
    Opened {
        summary: Summary::new(
            "raw",
            title,
            vec![Fact {
                tone: Tone::Warning,
                ..Fact::new("format", title, None)
            }],
        )
        .with(Capabilities {
            loadable: true,
            ..Capabilities::default()
        }),
        content: None,
    }
}

const TOO_LARGE_DOC: Doc = Doc::new(
    "More bytes than zeview takes apart in memory: they are shown as they are.",
    "",
);

/// The only row of bytes that are more than [`limits::DEEP`](super::limits::DEEP).
pub fn too_large(span: Span) -> Node {
    Node::new(NodeKind::Blob, "bytes", span)
        .value(Value::Bytes)
        .summary("not taken apart")
        .doc(&TOO_LARGE_DOC)
}

/// What the bytes may be, for people who have opened the wrong file. Returns `None` if nothing
/// gives a hint.
pub fn guess(head: &[u8]) -> Option<&'static str> {
    let starts = |magic: &[u8]| head.starts_with(magic);
    Some(if starts(b"BC\xc0\xde") {
        "LLVM bitcode"
    } else if starts(b"MZ") {
        "a Windows executable"
    } else if head.iter().all(|b| *b == 0) {
        "zero bytes"
    } else if std::str::from_utf8(head).is_ok_and(|t| !t.contains('\0')) {
        "text"
    } else {
        return None;
    })
}
