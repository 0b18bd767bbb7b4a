//! OffloadBinary: LLVM's container of device images. Keys and values describe each image. Follows
//! LLVM's OffloadBinary.h and .cpp, versions 1 to 3, with the kinds of intel/llvm.
//!
//! ```text
//! header │ entries │ string entries of each │ strings │ image │ image │ …      8-aligned
//! ```
//!
//! Several binaries can follow each other, and an image can be another OffloadBinary. A SYCLBIN of
//! the second generation is an OffloadBinary whose strings give the roles of the images:
//! [`syclbin_v2`].

pub mod header;
pub mod kinds;
mod read;
mod rows;
pub mod syclbin_v2;
mod symbols;

use std::rc::Rc;

use self::kinds::ImageKind;
use self::read::Reading;
use self::rows::{Binary, BinaryRows, SeriesRows};
use super::Context;
use super::format::{self, Format, OpenedDocument};
use super::layout::{self, Overlap, Region, Regions};
use super::reader::Window;
use super::syclbin;
use super::text::plural;
use super::tree::StaticTree;
use super::{limits, rules};
use zeview_core::model::{Capabilities, Fact, Sources, Span, Summary};

/// The OffloadBinary format.
#[derive(Debug)]
pub struct Offload;

/// The known keys; [`Entry::values`] has their values in this order.
pub const KEYS: [&str; 7] = [
    "role",
    "am_index",
    "sycl_format_version",
    "arch",
    "triple",
    "ir_type",
    "symbols",
];
/// The indices of the keys in [`KEYS`].
pub mod key {
    #![allow(missing_docs)]
    pub const ROLE: usize = 0;
    pub const AM_INDEX: usize = 1;
    pub const FORMAT_VERSION: usize = 2;
    pub const ARCH: usize = 3;
    pub const TRIPLE: usize = 4;
    pub const IR_TYPE: usize = 5;
    pub const SYMBOLS: usize = 6;
}

/// An image, and its metadata.
#[derive(Debug)]
pub struct Entry {
    /// The bytes of the entry.
    pub place: Span,
    /// The kind of the image.
    pub image_kind: u64,
    /// Its string entries.
    pub strings: Span,
    /// The part of the image that is in the file.
    pub image: Span,
    /// The values of the known keys; absent ones are empty.
    pub values: [Span; KEYS.len()],
    /// Its role in a SYCLBIN of the second generation.
    pub part: Option<syclbin::Part>,
    /// Whether no other part claims bytes of the image.
    pub owned: bool,
    /// The image as a document; the images of a SYCLBIN belong to its parts.
    pub opened: Option<Box<OpenedDocument>>,
}

impl Entry {
    /// The value of a key as text, truncated to the length of a name.
    pub fn value(&self, sources: &Sources, key: usize) -> String {
        let span = self.values.get(key).copied().unwrap_or_default();
        let span = span.subspan(0, limits::NAME_SHOWN as u64);
        let window = Window::clamped(sources, span);
        String::from_utf8_lossy(window.bytes()).into_owned()
    }
}

impl Format for Offload {
    fn recognize(&self, head: &[u8]) -> bool {
        head.starts_with(header::MAGIC)
    }

    fn kind(&self, _head: &[u8]) -> &'static str {
        "OffloadBinary"
    }

    fn open(&self, cx: &Context<'_>, span: Span) -> OpenedDocument {
        let first = Reading::start(cx, span);
        let end = first.body.end - span.start;
        if next_start(cx, span, end).is_none() {
            return open_one(cx, span, first);
        }
        let mut claims = Vec::new();
        let mut all = Vec::new();
        let mut next = Some(first);
        while let Some(reading) = next {
            let body = reading.body;
            claims.push(Region::new(layout::id(0, all.len() as u64), body));
            let opened = cx.inner(body, || open_one(cx, body, reading));
            all.push((body, opened));
            next = next_start(cx, span, body.end - span.start).map(|at| {
                let rest = span.skip(at);
                Reading::start(cx, rest)
            });
            if all.len() as u64 >= limits::OFFLOAD_BINARIES && next.is_some() {
                let rest = span.skip(body.end - span.start);
                let message =
                    format_args!("the binaries after the first {} are not read", all.len());
                cx.report(&rules::TOO_MANY, rest.subspan(0, 8), message);
                break;
            }
        }
        let list = Regions::arrange(cx, span, claims, Overlap::First, &|_| {
            "an OffloadBinary".to_owned()
        });
        let count = list.region_count();
        let count_of = plural(all.len() as u64, "binary");
        let mut facts = vec![Fact::new("images", count_of, span).headline()];
        facts.extend(
            all.iter()
                .take(64)
                .map(|(span, opened)| Fact::new("binary", opened.summary.title.clone(), *span)),
        );
        for (_, opened) in &mut all {
            opened.summary.facts = Vec::new();
        }
        let rows = cx.register(Rc::new(SeriesRows {
            regions: list,
            binaries: all,
        }));
        OpenedDocument {
            summary: Summary::new("offload-binary", "OffloadBinaries in a row", facts),
            content: Some((rows, rows::TOP, Some(count))),
        }
    }
}

/// The offset of the next binary. Returns `None` if there is none.
fn next_start(cx: &Context<'_>, span: Span, end: u64) -> Option<u64> {
    let at = end.checked_next_multiple_of(8)?;
    let head = Window::clamped(cx.sources, span.subspan(at, 4));
    (head.bytes() == header::MAGIC).then_some(at)
}

/// Opens one binary; `whole` is the rest of the document from its start.
fn open_one(cx: &Context<'_>, whole: Span, mut reading: Reading) -> OpenedDocument {
    let list = reading.arrange(cx, whole);
    let survey = reading.is_read().then(|| read_images(cx, &mut reading));
    let survey = survey.flatten().map(Rc::new);
    let entries = reading.entries.len() as u64;
    let version = reading.version;
    let mut summary = match &survey {
        Some(survey) => survey.summary(),
        None => {
            let images = plural(entries, "image");
            let mut facts = vec![Fact::new("images", images, whole).headline()];
            let named = reading.entries.iter().enumerate().take(64);
            facts.extend(named.filter_map(|(at, entry)| {
                let opened = entry.opened.as_ref()?;
                let text = format!("image {at}: {}", format::headline(opened));
                Some(Fact::new("image", text, entry.image))
            }));
            Summary::new("offload-binary", format!("OffloadBinary {version}"), facts)
        }
    };
    let unpacked = reading.inflated.and_then(|inflated| {
        let opened = format::nested(cx, inflated.whole);
        let mut tree = StaticTree::default();
        let name = "unpacked".to_owned();
        let node = format::nested_node(cx.sources, name, inflated.whole, opened.as_ref());
        tree.push(StaticTree::TOP, node);
        reading.unpacked = Some(cx.register(Rc::new(tree)));
        opened
    });
    let modules = match &survey {
        Some(survey) => Some(syclbin::modules(Rc::clone(survey))),
        None if unpacked.is_some() => unpacked.as_ref().and_then(|opened| {
            let (rows, item, _) = opened.content?;
            cx.expander(rows)?.interfaces(item).modules
        }),
        // The SYCLBIN of the first generation in it.
        None => reading.entries.iter().find_map(|entry| {
            let (rows, item, _) = entry.opened.as_ref()?.content?;
            cx.expander(rows)?.interfaces(item).modules
        }),
    };
    if let Some(unpacked) = unpacked {
        summary = unpacked.summary;
        summary.title = format!("compressed {}", summary.title).into();
    }
    if let (None, [only]) = (&survey, reading.entries.as_slice())
        && let Some(inner) = only.opened.as_ref().filter(|o| o.summary.has.modules)
    {
        summary = inner.summary.clone();
        summary.title = format!("{} in an OffloadBinary", summary.title).into();
    }
    summary.has = Capabilities {
        modules: modules.is_some(),
        ..Capabilities::default()
    };
    for entry in &mut reading.entries {
        entry.opened = format::in_short(entry.opened.take().map(|opened| *opened)).map(Box::new);
    }
    let binary = Binary::new(reading, cx.formats, list, survey, modules);
    let count = binary.len();
    let rows = cx.register(Rc::new(BinaryRows(Rc::new(binary))));
    OpenedDocument {
        summary,
        content: Some((rows, rows::TOP, Some(count))),
    }
}

/// Identifies and opens the images. Returns the SYCLBIN whose parts they are, or `None` if each was
/// opened as a document of its own.
fn read_images(cx: &Context<'_>, reading: &mut Reading) -> Option<syclbin::Syclbin> {
    let starts_as = |entry: &Entry, magic: &[u8]| {
        let head = Window::clamped(cx.sources, entry.image.subspan(0, 4));
        head.bytes() == magic
    };
    let first = reading.entries.first();
    let first_is_v1 = first.is_some_and(|entry| starts_as(entry, syclbin::v1::MAGIC));
    let says_so = |entry: &Entry| {
        // Otherwise the image is a whole SYCLBIN.
        let is_part =
            entry.image_kind == u64::from(ImageKind::SYCLBIN.0) && !starts_as(entry, header::MAGIC);
        // Only SYCLBIN has the first three keys.
        is_part || entry.values.iter().take(3).any(|span| !span.is_empty())
    };
    if !first_is_v1 && reading.entries.iter().any(says_so) {
        return Some(syclbin_v2::survey(cx, reading.body, &mut reading.entries));
    }
    for entry in &mut reading.entries {
        if entry.image.contains(reading.header) {
            cx.report(
                &rules::OFFLOAD_SELF,
                entry.place,
                "the image contains its own OffloadBinary",
            );
            continue;
        }
        if entry.owned {
            entry.opened = format::nested(cx, entry.image).map(Box::new);
        }
    }
    None
}
