//! Text bundles: each text is between two comment lines.
//!
//! ```text
//! # __CLANG_OFFLOAD_BUNDLE____START__ sycl-spir64-unknown-unknown
//! …
//! # __CLANG_OFFLOAD_BUNDLE____END__ sycl-spir64-unknown-unknown
//! ```

use std::rc::Rc;

use crate::Context;
use crate::format::{Format, OpenedDocument};
use crate::layout::Layout;
use crate::reader::Window;
use crate::text::{lines_node, plural};
use crate::{limits, rules};
use zeview_core::model::lines::for_each_line;
use zeview_core::model::{Area, Capabilities, Doc, Fact, Node, NodeKind, Span, Summary, Value};

const START: &str = " __CLANG_OFFLOAD_BUNDLE____START__ ";
const END: &str = " __CLANG_OFFLOAD_BUNDLE____END__ ";

/// Comment prefixes of the languages of the texts.
const COMMENTS: &[&str] = &["#", ";", "//"];

static MARK_DOC: Doc = Doc::new(
    "The start or end marker of a text, with its target.",
    "ClangOffloadBundler.rst, Bundled Text File Layout",
);
static TEXT_DOC: Doc = Doc::new(
    "A text of the bundle.",
    "ClangOffloadBundler.rst, Bundled Text File Layout",
);

/// A bundle of texts.
#[derive(Debug)]
pub struct TextBundle;

/// A comment line that starts or ends a text.
enum BundleMarker {
    Start(String),
    End(String),
}

impl BundleMarker {
    fn of(line: &[u8]) -> Option<BundleMarker> {
        let line = std::str::from_utf8(line).ok()?;
        let rest = COMMENTS
            .iter()
            .find_map(|comment| line.strip_prefix(comment))?;
        match (rest.strip_prefix(START), rest.strip_prefix(END)) {
            (Some(id), _) => Some(BundleMarker::Start(id.trim_end().to_owned())),
            (_, Some(id)) => Some(BundleMarker::End(id.trim_end().to_owned())),
            _ => None,
        }
    }
}

impl Format for TextBundle {
    fn recognize(&self, head: &[u8]) -> bool {
        let head = head.trim_ascii_start();
        let line = head.split(|byte| *byte == b'\n').next();
        line.is_some_and(|line| matches!(BundleMarker::of(line), Some(BundleMarker::Start(_))))
    }

    fn kind(&self, _head: &[u8]) -> &'static str {
        "clang bundle"
    }

    fn open(&self, cx: &Context<'_>, span: Span) -> OpenedDocument {
        let mut parts = Vec::new();
        let mut ids = Vec::new();
        // The target of the current text, and its start.
        let mut current: Option<(String, Span)> = None;
        let mut at = span.start;
        if cx.may_walk(span) {
            for_each_line(cx.sources, span, &mut |line| {
                let window =
                    Window::clamped(cx.sources, line.subspan(0, limits::NAME_SHOWN as u64));
                let Some(mark) = BundleMarker::of(window.bytes()) else {
                    return true;
                };
                let between = Span::new(span.source, at, line.start);
                let (name, id) = match &mark {
                    BundleMarker::Start(id) => ("start", id),
                    BundleMarker::End(id) => ("end", id),
                };
                if let Some((id, start)) = &current {
                    if !matches!(&mark, BundleMarker::End(end) if end == id) {
                        report(cx, id, *start);
                    }
                    push(cx, &mut parts, id, between);
                } else {
                    push(cx, &mut parts, "between the texts", between);
                    if let BundleMarker::End(id) = &mark {
                        report(cx, id, line);
                    }
                }
                let value = Value::text_from(window.bytes());
                let node = Node::field(name, value, line).summary(id.clone());
                parts.push(node.area(Area::Header).doc(&MARK_DOC));
                current = match mark {
                    BundleMarker::Start(id) => {
                        ids.push((id.clone(), line));
                        Some((id, line))
                    }
                    BundleMarker::End(_) => None,
                };
                at = line.end;
                ids.len() < TEXTS
            });
        }
        let rest = Span::new(span.source, at, span.end);
        match &current {
            Some((id, start)) => {
                report(cx, id, *start);
                push(cx, &mut parts, id, rest);
            }
            None => push(cx, &mut parts, "after the texts", rest),
        }
        let layout = Layout::arrange(cx, span, parts);
        let count = layout.region_count();
        OpenedDocument {
            summary: Summary::new(
                "offload-bundle",
                "clang offload bundle of texts",
                facts(span, ids),
            )
            .with(Capabilities {
                text: true,
                ..Capabilities::default()
            }),
            content: Some((cx.register(Rc::new(layout)), 0, Some(count))),
        }
    }
}

/// Maximum number of texts; a bundle with more is shown as one text.
const TEXTS: usize = 4096;

fn facts(span: Span, ids: Vec<(String, Span)>) -> Vec<Fact> {
    let count = Fact::new("texts", plural(ids.len() as u64, "text"), span).headline();
    let texts = ids
        .into_iter()
        .take(64)
        .map(|(id, line)| Fact::new("text", id, line));
    std::iter::once(count).chain(texts).collect()
}

fn report(cx: &Context<'_>, id: &str, line: Span) {
    cx.report(
        &rules::BUNDLE_TEXT,
        line,
        format_args!("the text for {id} has no end marker"),
    );
}

fn push(cx: &Context<'_>, parts: &mut Vec<Node>, name: &str, span: Span) {
    if !span.is_empty() {
        let node = Node::new(NodeKind::Text, name.to_owned(), span).doc(&TEXT_DOC);
        parts.push(lines_node(cx, span, node));
    }
}
