//! Caches of compiled programs: the files of SYCL's persistent cache, and the statistics of the
//! driver's cache. Follows intel/llvm's persistent_device_code_cache.cpp and compute-runtime's
//! compiler_cache.h.
//!
//! ```text
//! N.bin   size │ binary                             since 2025; before: count │ size │ binary │ …
//! N.src   size │ device │ size │ options │ size │ specialization constants │ size │ images
//! stats   hits │ misses │ version
//! ```

use std::rc::Rc;

use super::Context;
use super::device::Device;
use super::format::{self, Format, OpenedDocument};
use super::layout::Layout;
use super::reader::{Endian, Window, uint};
use super::{carve, limits, rules};
use zeview_core::model::{Doc, Fact, Node, NodeKind, Span, Summary, Value};

const SYCL: &str = "intel/llvm, persistent_device_code_cache.cpp";
const NEO: &str = "compute-runtime, compiler_cache.h";

static SIZE_DOC: Doc = Doc::new("The size of the bytes that follow.", SYCL);
static COUNT_DOC: Doc = Doc::new("The number of binaries.", SYCL);
static DEVICE_DOC: Doc = Doc::new(
    "The device that the program was compiled for: platform, name, version and driver version.",
    SYCL,
);
static OPTIONS_DOC: Doc = Doc::new("The options that the program was compiled with.", SYCL);
static CONSTANTS_DOC: Doc = Doc::new("The values of the specialization constants.", SYCL);
static IMAGE_DOC: Doc = Doc::new("An image that the program was compiled from.", SYCL);
static STATISTICS_DOC: Doc = Doc::new(
    "A number of the statistics, which the driver writes if NEO_CACHE_STATS is 1.",
    NEO,
);

/// The size of a number.
const WORD: u64 = 8;
/// No part of a cache is as large.
const SIZE_MAX: u64 = 1 << 40;

/// Returns the number at an offset of the first bytes.
fn number(head: &[u8], at: usize) -> Option<u64> {
    let bytes = head.get(at..at.checked_add(8)?)?;
    Some(uint(bytes, Endian::Little))
}

/// Adds numbers and sized parts one after the other.
struct Parts<'a, 'b> {
    cx: &'a Context<'b>,
    span: Span,
    at: u64,
    nodes: Vec<Node>,
}

impl<'a, 'b> Parts<'a, 'b> {
    fn new(cx: &'a Context<'b>, span: Span) -> Parts<'a, 'b> {
        Parts {
            cx,
            span,
            at: 0,
            nodes: Vec::new(),
        }
    }

    /// Adds a number. Returns `None` at the end of the file.
    fn number(&mut self, name: &'static str, doc: &'static Doc) -> Option<u64> {
        let bytes = self.span.subspan(self.at, WORD);
        let window = Window::clamped(self.cx.sources, bytes);
        let value = number(window.bytes(), 0)?;
        self.at = self.at.saturating_add(WORD);
        self.nodes
            .push(Node::field(name, Value::decimal(value, 64), bytes).doc(doc));
        Some(value)
    }

    /// Adds a size, and returns the bytes of that size.
    fn sized(&mut self, what: &'static str) -> Option<Span> {
        let size = self.number("size", &SIZE_DOC)?;
        let bytes = self.span.subspan(self.at, size);
        if bytes.len() < size {
            let left = bytes.len();
            let message = format_args!("the {what} has {size} bytes, but only {left} follow");
            self.cx.report(&rules::CACHE_SIZE, bytes, message);
        }
        self.at = self.at.saturating_add(bytes.len());
        Some(bytes)
    }

    /// Adds a sized text.
    fn text(&mut self, what: &'static str, doc: &'static Doc) -> Option<(String, Span)> {
        let bytes = self.sized(what)?;
        let shown = bytes.subspan(0, limits::NAME_SHOWN as u64);
        let window = Window::clamped(self.cx.sources, shown);
        if !bytes.is_empty() {
            let value = Value::text_from(window.bytes());
            self.nodes.push(Node::field(what, value, bytes).doc(doc));
        }
        let text = String::from_utf8_lossy(window.bytes()).into_owned();
        Some((text, bytes))
    }

    /// Adds documents, and returns the document with facts about them.
    fn documents(
        mut self,
        format: &'static str,
        title: &'static str,
        images: Vec<(String, Span)>,
        mut facts: Vec<Fact>,
    ) -> OpenedDocument {
        let cx = self.cx;
        let mut opened = Vec::new();
        for (name, image) in images {
            let document = format::nested(cx, image);
            let node = format::nested_node(cx.sources, name.clone(), image, document.as_ref());
            self.nodes.push(match node.doc {
                None => node.doc(&IMAGE_DOC),
                Some(_) => node,
            });
            opened.extend(document.map(|document| (name, image, document)));
        }
        let listed = opened.iter();
        let listed = listed.map(|(name, image, document)| (name.as_str(), *image, document));
        facts.extend(format::image_facts(self.span, listed));
        let layout = Layout::arrange(cx, self.span, self.nodes);
        let count = Some(layout.region_count());
        OpenedDocument {
            summary: Summary::new(format, title, facts),
            content: Some((cx.register(Rc::new(layout)), 0, count)),
        }
    }
}

/// A compiled program of SYCL's cache: `N.bin`.
#[derive(Debug)]
pub struct Binary;

impl Binary {
    /// Returns whether the file starts with a number of binaries. Returns `None` for other files.
    fn has_count(head: &[u8]) -> Option<bool> {
        let is_binary = |at: usize| {
            let size = at.checked_sub(8).and_then(|at| number(head, at));
            let code = head.get(at..).unwrap_or(&[]);
            size.is_some_and(|size| (1..SIZE_MAX).contains(&size))
                && matches!(carve::kind(code), "zebin" | "ar" | "spirv")
        };
        let count = number(head, 0).is_some_and(|count| (1..=1024).contains(&count));
        match (is_binary(8), count && is_binary(16)) {
            (true, _) => Some(false),
            (false, true) => Some(true),
            (false, false) => None,
        }
    }
}

impl Format for Binary {
    fn recognize(&self, head: &[u8]) -> bool {
        Binary::has_count(head).is_some()
    }

    fn kind(&self, _head: &[u8]) -> &'static str {
        "SYCL cache"
    }

    fn open(&self, cx: &Context<'_>, span: Span) -> OpenedDocument {
        let head = Window::clamped(cx.sources, span.subspan(0, format::HEAD));
        let has_count = Binary::has_count(head.bytes()) == Some(true);
        let mut parts = Parts::new(cx, span);
        let count = if has_count {
            parts.number("count", &COUNT_DOC)
        } else {
            Some(1)
        };
        let mut images = Vec::new();
        for index in 0..count.unwrap_or(0).min(1024) {
            let Some(image) = parts.sized("binary") else {
                break;
            };
            images.push((format!("binary {index}"), image));
        }
        parts.documents("sycl-cache", "program of SYCL's cache", images, Vec::new())
    }
}

/// The source of a compiled program of SYCL's cache: `N.src`.
#[derive(Debug)]
pub struct Source;

impl Format for Source {
    fn recognize(&self, head: &[u8]) -> bool {
        let text = number(head, 0).and_then(|size| {
            let end = usize::try_from(size.checked_add(8)?).ok()?;
            head.get(8..end)
        });
        text.is_some_and(|text| {
            let slashes = text.iter().filter(|byte| **byte == b'/').count();
            let is_text = std::str::from_utf8(text).is_ok_and(|t| !t.chars().any(char::is_control));
            is_text && slashes >= 3
        })
    }

    fn kind(&self, _head: &[u8]) -> &'static str {
        "SYCL cache"
    }

    fn open(&self, cx: &Context<'_>, span: Span) -> OpenedDocument {
        let mut parts = Parts::new(cx, span);
        let mut facts = Vec::new();
        if let Some((device, bytes)) = parts.text("device", &DEVICE_DOC) {
            facts.extend(device_facts(&device, bytes));
        }
        if let Some((options, bytes)) = parts.text("build options", &OPTIONS_DOC)
            && !options.is_empty()
        {
            facts.push(Fact::new("build options", options, bytes));
        }
        if let Some(bytes) = parts.sized("specialization constants")
            && !bytes.is_empty()
        {
            let node = Node::new(NodeKind::Blob, "specialization constants", bytes);
            parts
                .nodes
                .push(node.value(Value::Bytes).doc(&CONSTANTS_DOC));
        }
        let images = parts.sized("images").map(|bytes| {
            let found = carve::anywhere(cx, bytes, limits::HOST_SCAN);
            let images = found.into_iter().enumerate();
            images
                .map(|(index, image)| (format!("image {index}"), image))
                .collect()
        });
        let title = "source of a program in SYCL's cache";
        parts.documents("sycl-cache", title, images.unwrap_or_default(), facts)
    }
}

/// Facts about the device, from `platform/device/version/driver version`.
fn device_facts(text: &str, span: Span) -> Vec<Fact> {
    let mut words = text.rsplitn(3, '/');
    let (driver, version, rest) = (words.next(), words.next(), words.next());
    let (platform, name) = rest.unwrap_or("").split_once('/').unwrap_or(("", text));
    let mut facts = Vec::new();
    let device = version.and_then(Device::named);
    if let (Some(device), Some(version)) = (device, version) {
        let text = format!("{} · {version}", device.name());
        facts.push(Fact::new(Fact::TARGET, text, span).headline());
    }
    facts.push(Fact::new("device", name.to_owned(), span));
    for (label, text) in [
        ("platform", Some(platform)),
        ("device version", version),
        ("driver", driver),
    ] {
        let text = text.filter(|text| !text.is_empty());
        facts.extend(text.map(|text| Fact::new(label, text.to_owned(), span)));
    }
    facts
}

/// The statistics of the driver's cache: `stats`.
#[derive(Debug)]
pub struct Statistics;

impl Format for Statistics {
    fn recognize(&self, head: &[u8]) -> bool {
        let counts = [number(head, 0), number(head, 8)];
        let is_count = |count: &Option<u64>| count.is_some_and(|count| count < SIZE_MAX);
        // The file has no magic number; its version is small.
        head.len() == 24
            && counts.iter().all(is_count)
            && number(head, 16).is_some_and(|version| (1..=16).contains(&version))
    }

    fn kind(&self, _head: &[u8]) -> &'static str {
        "cache statistics"
    }

    fn open(&self, cx: &Context<'_>, span: Span) -> OpenedDocument {
        let mut parts = Parts::new(cx, span);
        let mut facts = Vec::new();
        for name in ["hits", "misses", "version"] {
            let at = parts.span.subspan(parts.at, WORD);
            if let Some(number) = parts.number(name, &STATISTICS_DOC) {
                facts.push(Fact::new(name, number.to_string(), at));
            }
        }
        let title = "statistics of the driver's cache";
        parts.documents("neo-cache-stats", title, Vec::new(), facts)
    }
}
