//! Contents of an image.

use crate::carve::{self, FrameHeader};
use crate::compression::{self, Inflated, Method};
use crate::format::{self, Formats, OpenedDocument};
use crate::reader::Window;
use crate::tree::StaticTree;
use crate::{Context, limits, rules};
use std::rc::Rc;
use zeview_core::model::{DeferredDocument, ExpanderId, Sources, Span, Summary};

/// Opens the contents of an image, compressed or not.
pub(super) fn contents(cx: &Context<'_>, image: Span) -> Option<OpenedDocument> {
    // The longest header of a zstd frame (RFC 8878).
    let head = Window::clamped(cx.sources, image.subspan(0, 18));
    if Method::sniff(head.bytes()) != Some(Method::Zstd) {
        let opened = format::nested(cx, image);
        if opened.is_none() {
            cx.gap(image);
        }
        return opened;
    }
    let inflated = inflate(cx, image, head.bytes())?;
    let opened = format::nested(cx, inflated.whole);
    let name = "unpacked".to_owned();
    let node = format::nested_node(cx.sources, name, inflated.whole, opened.as_ref());
    let mut tree = StaticTree::default();
    tree.push(StaticTree::TOP, node);
    Some(OpenedDocument {
        summary: Summary::new("zstd", "zstd", Vec::new()),
        content: Some((cx.register(Rc::new(tree)), 0, Some(1))),
    })
}

/// Decompresses an image. The result is in memory only while it is read.
fn inflate(cx: &Context<'_>, image: Span, head: &[u8]) -> Option<Inflated> {
    let method = Method::Zstd;
    let known = |(whole, packed)| Inflated {
        whole,
        packed,
        method,
    };
    if let Some(before) = cx.sources.unpacked_before("image", image) {
        return Some(known(before));
    }
    let expected = FrameHeader::read(head).and_then(|header| header.content);
    let Some(expected) = expected.filter(|size| *size <= limits::UNPACKED) else {
        let message = match expected {
            Some(size) => format!("the image says that it has {size} bytes"),
            None => "the zstd frame does not say its size".to_owned(),
        };
        cx.report(&rules::UNPACKED_TOO_LARGE, image, message);
        return None;
    };
    if !cx.sources.costs.work_on(image, expected) {
        let message = "too much of the file is decompressed already: the image is not";
        cx.report(&rules::UNPACKED_TOO_LARGE, image, message);
        return None;
    }
    if let Some(len) = carve::frame(cx.sources, image).filter(|len| *len < image.len()) {
        let message = format_args!("{} bytes follow the zstd frame", image.len() - len);
        cx.report(&rules::PACKED_DAMAGED, image.skip(len), message);
    }
    let bytes = cx.unpack_now("image", method, image, expected)?;
    let source = cx.sources.packed("image", image, bytes, compression::zstd);
    Some(known((cx.sources.whole(source), image)))
}

/// Opens an image as a document of its own.
pub(super) fn open_image(
    sources: &Sources,
    formats: Formats,
    image: Span,
    first: ExpanderId,
    depth: u32,
) -> DeferredDocument {
    let cx = Context::deferred(sources, formats, first, depth);
    let content = contents(&cx, image).and_then(|opened| opened.content);
    cx.into_deferred(image, content)
}

/// Returns the format of an image, by its signature.
pub(super) fn title(head: &[u8]) -> String {
    match carve::kind(head) {
        "spirv" => format!(
            "SPIR-V {}.{}",
            head.get(6).copied().unwrap_or(0),
            head.get(5).copied().unwrap_or(0)
        ),
        "ar" => "archive".to_owned(),
        "zebin" | "elf" => "ELF".to_owned(),
        "cuda-elf" => "ELF for CUDA devices".to_owned(),
        "amdgpu-elf" => "ELF for AMD GPUs".to_owned(),
        "bitcode" => "LLVM bitcode".to_owned(),
        "offload-binary" => "OffloadBinary".to_owned(),
        "syclbin" => "SYCLBIN".to_owned(),
        _ => match carve::FrameHeader::read(head) {
            Some(carve::FrameHeader {
                content: Some(size),
                ..
            }) => format!("zstd, {size} bytes decompressed"),
            Some(_) => "zstd, of unknown size".to_owned(),
            None => "unknown format".to_owned(),
        },
    }
}
