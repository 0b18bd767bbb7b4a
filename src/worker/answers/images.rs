//! The image of a container that a selection refers to, and the images with code.

use super::rows::texts;
use crate::analysis::images::Image;
use crate::analysis::modules::{ModuleGraph, PropertyOwner};
use crate::model::{Document, NodeId, Span};
use crate::tables;
use crate::tables::ListId;
use crate::worker::protocol::{CodeImage, CodeImages, IMAGES_LISTED};

/// Tests whether a document has the content in question.
type DocumentPredicate = fn(&mut Document, NodeId) -> bool;

/// Returns the document with instructions for a node: the innermost around it, else that of the
/// only image with code that the node describes, contains or lies in. Opens such images of a host
/// file. Returns `None` if there is no code, or more than one candidate.
pub(crate) fn code_document(
    document: &mut Document,
    node: NodeId,
    span: Option<Span>,
) -> Option<NodeId> {
    let around = tables::document_of(document, node, ListId::Instructions);
    around.or_else(|| only_image(document, node, span, has_code))
}

/// Returns the document with readable texts for a node, by the same rule.
pub(crate) fn text_document(document: &mut Document, node: NodeId) -> Option<NodeId> {
    let around = tables::document_of(document, node, ListId::Lines)?;
    if has_texts(document, around) {
        return Some(around);
    }
    let span = document.node(node)?.span;
    only_image(document, node, span, has_texts)
}

/// Lists the images with code of the outermost container around a node. If the node lies in an
/// archive of a host file, lists the members of that archive instead.
pub(crate) fn code_images(document: &mut Document, node: NodeId) -> CodeImages {
    let mut found = CodeImages::default();
    let span = document.node(node).and_then(|node| node.span);
    let Some(container) = container_of(document, node) else {
        return found;
    };
    let images = document.images(container);
    let shown = code_document(document, node, span);
    let shown = shown.and_then(|id| document.node(id)?.span);
    let at = shown.or(span).filter(|_| node != NodeId::ROOT);
    let is_in = |document: &Document, whole: Span| at.is_some_and(|at| within(document, at, whole));
    let native: Vec<&Image> = images
        .list
        .iter()
        .filter(|image| may_have_code(document, image))
        .collect();
    let current = native.iter().position(|image| is_in(document, image.span));
    let limit = IMAGES_LISTED;
    let first = current.map_or(0, |at| at.saturating_sub(limit / 2));
    found.left_out = images.left_out + native.len().saturating_sub(limit) as u64;
    for image in native.into_iter().skip(first).take(limit) {
        let is_current = is_in(document, image.span);
        let members = if image.is_listed() && is_current {
            document.images_within(image.span)
        } else {
            None
        };
        match members.filter(|members| members.list.len() > 1) {
            Some(members) => {
                for member in members.list.iter().take(IMAGES_LISTED) {
                    if may_have_code(document, member) {
                        let row = code_image(document, member, &image.name, shown);
                        found.images.push(row);
                    }
                }
            }
            None => {
                let mut row = code_image(document, image, "", shown);
                row.is_shown = is_current && shown.is_some();
                found.images.push(row);
            }
        }
    }
    found
}

fn code_image(document: &Document, image: &Image, outer: &str, shown: Option<Span>) -> CodeImage {
    let sources = &document.sources;
    let entry = image
        .host
        .as_ref()
        .and_then(|host| host.index_entry(sources));
    let described = entry.and_then(|entry| entry.described.as_ref());
    let kernels = described.map_or_else(Vec::new, |described| described.kernels());
    let device = match &image.host {
        Some(host) => host.devices(sources).join(", "),
        None => image.device().to_owned(),
    };
    let name = match outer {
        "" => image.name.clone(),
        outer => format!("{outer} · {}", image.member),
    };
    let kernel = kernels.first().map(|kernel| {
        let title = image
            .host
            .as_ref()
            .and_then(|host| host.title(&kernel.name));
        title.map_or_else(|| kernel.name.clone(), |title| String::from(&*title))
    });
    CodeImage {
        name,
        device,
        kernel: kernel.unwrap_or_default(),
        kernels: kernels.len() as u64,
        span: image.span,
        is_shown: shown == Some(image.span),
    }
}

/// Returns whether an image can have instructions. Does not open images that the index of a host
/// file lists.
fn may_have_code(document: &Document, image: &Image) -> bool {
    let host = image.host.as_ref().filter(|_| image.is_listed());
    match host.and_then(|host| host.index_entry(&document.sources)) {
        Some(entry) => entry.is_native(),
        None => image.is_loadable && !image.format.starts_with("spirv"),
    }
}

fn has_code(document: &mut Document, id: NodeId) -> bool {
    tables::has_list(document, id, ListId::Instructions)
}

fn has_texts(document: &mut Document, id: NodeId) -> bool {
    !texts(document, id).is_empty()
}

/// Returns the outermost container of images around a node.
fn container_of(document: &Document, node: NodeId) -> Option<NodeId> {
    if tables::has_list(document, NodeId::ROOT, ListId::Images) {
        Some(NodeId::ROOT)
    } else {
        tables::document_of(document, node, ListId::Images)
    }
}

/// Returns the document of the only image that the node describes, contains or lies in and that
/// satisfies the predicate.
fn only_image(
    document: &mut Document,
    node: NodeId,
    span: Option<Span>,
    has: DocumentPredicate,
) -> Option<NodeId> {
    let container = container_of(document, node)?;
    let images = document.images(container);
    let whole = document.node(node)?.extent();
    let native_image_spans = native_image_spans(document, node, span);
    let is_meant = |document: &Document, image: &Image| {
        node == container
            || whole.is_some_and(|whole| {
                within(document, image.span, whole) || within(document, whole, image.span)
            })
            || native_image_spans.contains(&image.span)
    };
    let mut found = None;
    for image in &images.list {
        if !is_meant(document, image) {
            continue;
        }
        if image.is_listed() && !may_have_code(document, image) {
            continue;
        }
        let is_listed = image.is_listed();
        // Do not open anything if several images can have code: the choice is the user's.
        if is_listed && found.is_some() {
            return None;
        }
        let inner = if is_listed {
            document.images_within(image.span).map(|inner| inner.list)
        } else {
            Some(vec![image.clone()])
        };
        for image in inner.unwrap_or_default() {
            // For an archive, use the member that contains the node.
            let is_member = !is_listed
                || node == container
                || whole.is_none_or(|whole| {
                    within(document, image.span, whole) || within(document, whole, image.span)
                });
            let Some(id) = document.node_of(&image).filter(|_| is_member) else {
                continue;
            };
            if has(document, id) && found.replace(id).is_some() {
                return None;
            }
        }
    }
    found
}

/// Returns the bytes of the native images of a SYCLBIN that its table's entry at `span`, or the
/// node there, describes.
fn native_image_spans(document: &Document, node: NodeId, span: Option<Span>) -> Vec<Span> {
    let around = tables::document_of(document, node, ListId::Modules);
    let modules = around.and_then(|id| document.modules(id));
    let graph = modules.map(|modules| modules.graph(&document.sources));
    let images = |graph: &ModuleGraph| {
        let numbers = match graph.owner_at(span?)? {
            PropertyOwner::NativeImage(at) => at..at.saturating_add(1),
            PropertyOwner::AbstractModule(at) => graph.module(at)?.native_images.clone(),
            PropertyOwner::IrModule(_) | PropertyOwner::Whole => return None,
        };
        let number = |at: u32| usize::try_from(at).ok();
        let images = numbers.filter_map(|at| graph.native_images.get(number(at)?));
        Some(images.map(|image| image.bytes).collect())
    };
    graph.and_then(|graph| images(&graph)).unwrap_or_default()
}

/// Returns whether bytes are part of `whole`, or unpacked from a part of it.
fn within(document: &Document, mut span: Span, whole: Span) -> bool {
    while span.source != whole.source {
        match document.sources.parent(span.source) {
            Some(parent) => span = parent,
            None => return false,
        }
    }
    whole.contains(span)
}
