//! The images of a container: the device code in it that runtimes choose from.
//!
//! A container is a document that holds others: an archive of ocloc, a SYCLBIN, an OffloadBinary, a
//! bundle, a host program. Its images are the outermost documents in it that are device code; the
//! containers between are kept, because each has its own way to choose.

use std::rc::Rc;

use serde::{Deserialize, Serialize};

use super::document::{Document, Fact, InnerDocument};
use super::modules::{AbstractModule, Holder, ModuleGraph, PropertyValue, requirement};
use super::node::{Node, NodeId, NodeKind};
use super::span::Span;
use super::value::Str;
use super::verdict::Outcome;

/// At most so many images of a container are listed. Each costs nodes of the tree.
pub const IMAGES_MAX: usize = 16 * 1024;

/// The images of a container.
#[derive(Debug, Default)]
pub struct Images {
    /// The images, in the order of the file.
    pub list: Vec<Image>,
    /// The container itself, and the containers in it; each after the one around it.
    pub containers: Vec<Container>,
    /// How many images are not listed because there are too many.
    pub left_out: u64,
}

/// Device code in a container.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// Its node.
    pub node: NodeId,
    /// Its bytes.
    pub span: Span,
    /// The path of its node.
    pub path: String,
    /// The path without what only repeats: `64.20.1.0`, `native device code image 0`.
    pub name: String,
    /// Its format's identifier.
    pub format: Str,
    /// Its format in words.
    pub title: Str,
    /// The device that it is for, if it says so.
    pub target: Option<Str>,
    /// Programs give it to the driver.
    pub is_loadable: bool,
    /// Its format lists kernels.
    pub has_kernels: bool,
    /// The innermost container around it: a place in [`Images::containers`].
    pub container: usize,
    /// The name of its node: what the container calls it.
    pub member: Str,
}

impl Image {
    /// The device that it is for, without its numbers: `bmg-g21`.
    pub fn device(&self) -> &str {
        let target = self.target.as_deref().unwrap_or_default();
        target.split(" · ").next().unwrap_or_default()
    }
}

/// A document that holds images.
#[derive(Debug, Clone)]
pub struct Container {
    /// Its bytes.
    pub span: Span,
    /// Its format's identifier.
    pub format: Str,
    /// The place of the container around it; `None` for the outermost.
    pub around: Option<usize>,
    /// Its modules, if it is a SYCLBIN.
    pub modules: Option<SyclModules>,
}

/// What the runtime of SYCL knows of the modules of a SYCLBIN.
#[derive(Debug, Clone)]
pub struct SyclModules {
    /// The modules.
    pub graph: Rc<ModuleGraph>,
    /// `compile_target` of each abstract module, where its device requirements have one.
    pub compile_targets: Vec<Option<String>>,
}

/// What a runtime does with one of the images, on one device.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pick {
    /// The runtime takes it.
    pub is_chosen: bool,
    /// Why, or why not, in words.
    pub why: Str,
}

/// Which images of a container run on a device.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choice {
    /// The device, by name.
    pub device: Str,
    /// What happens: the worst that the driver does with a chosen image. `None`: no image is chosen.
    pub outcome: Option<Outcome>,
    /// For each image, in the order of the list.
    pub picks: Vec<Pick>,
    /// Who chooses, and how: one line.
    pub rule: Str,
}

impl Choice {
    /// The places of the chosen images.
    pub fn chosen(&self) -> impl Iterator<Item = usize> {
        let picks = self.picks.iter().enumerate();
        picks
            .filter(|(_, pick)| pick.is_chosen)
            .map(|(place, _)| place)
    }

    /// What happens, in words.
    pub fn words(&self) -> &'static str {
        self.outcome.map_or("no image runs", Outcome::words)
    }
}

/// Is such a document device code?
fn is_image(inner: &InnerDocument) -> bool {
    inner.has.image
}

impl Document {
    /// Are these bytes a part of `whole`, or unpacked from a part of it?
    fn is_within(&self, mut span: Span, whole: Span) -> bool {
        while span.source != whole.source {
            match self.sources.parent(span.source) {
                Some(parent) => span = parent,
                None => return false,
            }
        }
        whole.contains(span)
    }

    /// Holds a document another one of which this is true? One that is device code holds no
    /// images.
    pub(super) fn has_inner(&self, id: NodeId, wanted: fn(&InnerDocument) -> bool) -> bool {
        let Some(node) = self.node(id).filter(|node| node.kind == NodeKind::File) else {
            return false;
        };
        let Some(whole) = node.span else { return false };
        if id == NodeId::ROOT && (self.summary.has.kernels || self.summary.has.loadable) {
            return false;
        }
        let mut inner = self.documents().iter();
        if id != NodeId::ROOT {
            let own = |inner: &InnerDocument| inner.span == whole;
            match inner.find(|inner| own(inner)) {
                Some(own) if !is_image(own) => {}
                _ => return false,
            }
        }
        inner.any(|inner| wanted(inner) && self.is_within(inner.span, whole))
    }

    /// Holds a document images?
    pub(super) fn has_images(&self, id: NodeId) -> bool {
        self.has_inner(id, is_image)
    }

    /// The images of a container: of the opened file, or of a document in it. None of a document
    /// that is device code itself.
    pub fn images(&mut self, container: NodeId) -> Images {
        let mut images = Images::default();
        let Some(whole) = self.node(container).and_then(Node::extent) else {
            return images;
        };
        if !self.has_images(container) {
            return images;
        }
        let own = self.documents().iter().find(|inner| inner.span == whole);
        let format = match own.filter(|_| container != NodeId::ROOT) {
            Some(own) => own.format.clone(),
            None => self.summary.format.clone(),
        };
        images
            .containers
            .push(self.container(container, whole, format, None));
        let inner = self.documents().to_vec();
        let mut last: Option<Span> = None;
        for inner in inner {
            let is_own = container != NodeId::ROOT && inner.span == whole;
            let is_in_last = last.is_some_and(|last| self.is_within(inner.span, last));
            if is_own || is_in_last || !self.is_within(inner.span, whole) {
                continue;
            }
            if images.list.len() >= IMAGES_MAX {
                images.left_out += u64::from(is_image(&inner));
                continue;
            }
            let mut around = images.containers.len() - 1;
            while let Some(container) = images.containers.get(around)
                && !self.is_within(inner.span, container.span)
            {
                let Some(outer) = container.around else { break };
                around = outer;
            }
            let Some(node) = self.file_at(inner.span) else {
                continue;
            };
            if !is_image(&inner) {
                let container = self.container(node, inner.span, inner.format, Some(around));
                images.containers.push(container);
                continue;
            }
            last = Some(inner.span);
            let path = self.path(node);
            images.list.push(Image {
                node,
                span: inner.span,
                name: short(&path),
                path,
                format: inner.format,
                title: inner.title,
                target: inner.target,
                is_loadable: inner.has.loadable,
                has_kernels: inner.has.kernels,
                container: around,
                member: self.node(node).map_or("".into(), |node| node.name.clone()),
            });
        }
        images
    }

    fn file_at(&mut self, span: Span) -> Option<NodeId> {
        let ids = self.documents_at(span);
        let is_file = |id: &NodeId| {
            self.node(*id)
                .is_some_and(|node| node.kind == NodeKind::File)
        };
        ids.into_iter().find(is_file)
    }

    fn container(&self, node: NodeId, span: Span, format: Str, around: Option<usize>) -> Container {
        let modules = self.modules(node).map(|modules| {
            let graph = modules.graph(&self.sources);
            let compile_target = |module: &AbstractModule| {
                let holder = Holder::AbstractModule(module.index);
                let sets = modules.values(holder, &self.sources);
                match &requirement(&sets, "compile_target")?.value {
                    PropertyValue::Bytes { bytes, .. } => {
                        Some(String::from_utf8_lossy(bytes).into_owned())
                    }
                    _ => None,
                }
            };
            SyclModules {
                compile_targets: graph.abstract_modules.iter().map(compile_target).collect(),
                graph,
            }
        });
        Container {
            span,
            format,
            around,
            modules,
        }
    }

    /// An image's name, and the device that it is for; both are empty for the opened file, but for
    /// the device.
    pub(super) fn image_words(&mut self, id: NodeId) -> (String, Str) {
        let span = self.node(id).and_then(|node| node.span);
        let target = match id {
            NodeId::ROOT => {
                let mut facts = self.summary.facts.iter();
                let target = facts.find(|fact| fact.label == Fact::TARGET);
                target.map(|fact| fact.text.clone())
            }
            _ => {
                let mut inner = self.documents().iter();
                let inner = inner.find(|inner| Some(inner.span) == span);
                inner.and_then(|inner| inner.target.clone())
            }
        };
        let device = target.as_deref().and_then(|text| text.split(" · ").next());
        let device = device.unwrap_or_default().to_owned().into();
        (short(&self.path(id)), device)
    }
}

/// A path without names that repeat, and without what every image of a format is called.
fn short(path: &str) -> String {
    let mut parts: Vec<&str> = path.split('/').collect();
    parts.dedup();
    if parts.len() > 1
        && matches!(
            parts.last(),
            Some(&"code" | &"image" | &"data" | &"unpacked")
        )
    {
        parts.pop();
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_images() {
        assert_eq!(short("64.20.1.0/64.20.1.0"), "64.20.1.0");
        assert_eq!(short("binary 2/IR module 0/code"), "binary 2/IR module 0");
        assert_eq!(short("code"), "code");
        assert_eq!(short(""), "");
    }
}
