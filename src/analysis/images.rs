//! The images of a container: the device code in it that runtimes choose from.
//!
//! A container is a document that holds others: an archive of ocloc, a SYCLBIN, an OffloadBinary, a
//! bundle, a host program. Its images are the outermost documents in it that are device code, or that
//! the index of a host's file lists; the containers between are kept, because each has its own way
//! to choose.

use std::cell::OnceCell;
use std::collections::HashSet;
use std::fmt;
use std::rc::Rc;

use serde::{Deserialize, Serialize};

use super::host_images::{HostImage, HostImages, ImageDescription};
use super::modules::{AbstractModule, ModuleGraph, PropertyOwner, PropertyValue, requirement};
use crate::model::{
    Document, Fact, InnerDocument, Node, NodeId, NodeKind, Outcome, Sources, Span, Str,
};

/// At most so many images of a container are listed. Each costs nodes of the tree.
pub const IMAGES_MAX: usize = 16 * 1024;

/// The name of a kernel, and the same demangled.
type KernelName = (String, Option<Rc<str>>);

/// The images of a container.
#[derive(Debug, Default)]
pub struct Images {
    /// The images, in the order of the file.
    pub list: Vec<Image>,
    /// The container itself, and the containers in it; each after the one around it.
    pub containers: Vec<Container>,
    /// How many images are not listed because there are too many.
    pub left_out: u64,
    /// Of a host's images: what is in one of each sort, by its place. Only where it was opened
    /// ([`Document::images_to_choose`]).
    pub samples: Vec<(usize, Images)>,
}

/// Device code in a container.
#[derive(Debug, Clone)]
pub struct Image {
    /// Its bytes.
    pub span: Span,
    /// The path of its node.
    pub path: String,
    /// The path without what only repeats: `64.20.1.0`, `image 0`.
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
    /// Where the index of a host's file has it.
    pub host: Option<InHost>,
}

/// An image in the index of a host's file. What the index says is read when somebody asks.
#[derive(Clone)]
pub struct InHost {
    images: Rc<dyn HostImages>,
    index: usize,
    said: OnceCell<Option<Box<HostImage>>>,
    devices: OnceCell<Vec<Str>>,
}

impl fmt::Debug for InHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InHost")
            .field("index", &self.index)
            .finish_non_exhaustive()
    }
}

impl InHost {
    fn find(images: &Rc<dyn HostImages>, span: Span) -> Option<InHost> {
        Some(InHost {
            images: Rc::clone(images),
            index: images.find(span)?,
            said: OnceCell::new(),
            devices: OnceCell::new(),
        })
    }

    /// What the index says.
    pub fn said(&self, sources: &Sources) -> Option<&HostImage> {
        let said = self.said.get_or_init(|| {
            let mut image = self.images.image(self.index, sources)?;
            if let Some(described) = &mut image.described {
                self.images.explain(&mut described.properties);
            }
            Some(Box::new(image))
        });
        said.as_deref()
    }

    /// The devices that native code in it is for.
    pub fn devices(&self, sources: &Sources) -> &[Str] {
        self.devices.get_or_init(|| {
            let said = self.said(sources);
            said.map_or_else(Vec::new, |image| self.images.devices(image, sources))
        })
    }

    /// The name of a kernel as people read it.
    pub fn title(&self, name: &str) -> Option<Rc<str>> {
        self.images.demangled(name)
    }
}

impl Images {
    /// The kernels in the index of a host's file, each once.
    pub(crate) fn kernel_names(&self, sources: &Sources) -> Vec<KernelName> {
        let mut seen = HashSet::new();
        let mut names = Vec::new();
        for host in self.list.iter().filter_map(|image| image.host.as_ref()) {
            let said = host.said(sources);
            let described = said.and_then(|said| said.described.as_ref());
            for kernel in described.map(ImageDescription::kernels).unwrap_or_default() {
                if seen.insert(kernel.name.as_str()) {
                    names.push((kernel.name.clone(), host.title(&kernel.name)));
                }
            }
        }
        names
    }
}

impl Image {
    /// A key that is equal for the images of a host's file that one compiler call has made for the
    /// same devices: the descriptor, the target, the options (which may name a device), and the
    /// property with the device. `None` if there is no code for devices in it.
    pub fn sort(&self, sources: &Sources) -> Option<(Option<u64>, [String; 2], Option<String>)> {
        let said = self.host.as_ref()?.said(sources)?;
        let described = said.described.as_ref();
        said.is_native().then(|| {
            let texts = described.map(|said| [said.target.clone(), said.compile_options.clone()]);
            let device = described.and_then(super::host_images::ImageDescription::compile_target);
            (said.descriptor, texts.unwrap_or_default(), device)
        })
    }

    /// What the index of a host's file says about it, if it was read before.
    pub fn read(&self) -> Option<&HostImage> {
        self.host.as_ref()?.said.get()?.as_deref()
    }

    /// May a runtime take it? One of a host's file only for its kernels.
    pub fn may_run(&self, sources: &Sources) -> bool {
        let said = self.host.as_ref().filter(|_| self.is_listed());
        said.is_none_or(|host| {
            let described = host.said(sources).and_then(|said| said.described.as_ref());
            described.is_some_and(|described| !described.kernels().is_empty())
        })
    }

    /// It is listed by the index of a host's file, and not opened for that.
    pub fn is_listed(&self) -> bool {
        self.host.is_some() && self.format.is_empty()
    }

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

/// Is such a document an image: device code, or what a host's index lists?
fn is_image(inner: &InnerDocument) -> bool {
    inner.has.image || inner.is_listed
}

/// So many sorts of images of a host are opened to say what the driver does with them.
const SAMPLES_MAX: usize = 16;

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
    pub(crate) fn has_inner(&self, id: NodeId, wanted: fn(&InnerDocument) -> bool) -> bool {
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
                Some(own) if !own.has.image => {}
                _ => return false,
            }
        }
        inner.any(|inner| wanted(inner) && self.is_within(inner.span, whole))
    }

    /// Holds a document images?
    pub(crate) fn has_images(&self, id: NodeId) -> bool {
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
        // Who knows the images of each container that is a host's file or an OffloadBinary.
        let mut hosts = vec![self.host_images(container)];
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
            let known = hosts.get(around).and_then(Option::as_ref);
            let host = known.and_then(|images| InHost::find(images, inner.span));
            if inner.is_listed {
                last = Some(inner.span);
                images
                    .list
                    .extend(host.map(|host| listed(inner, host, around)));
                continue;
            }
            let Some(node) = self.file_at(inner.span) else {
                continue;
            };
            if !is_image(&inner) {
                let container = self.container(node, inner.span, inner.format, Some(around));
                images.containers.push(container);
                hosts.push(self.host_images(node));
                continue;
            }
            last = Some(inner.span);
            let path = self.path(node);
            images.list.push(Image {
                span: inner.span,
                name: short(&path),
                path,
                format: inner.format,
                title: inner.title,
                target: inner.target,
                is_loadable: inner.has.loadable,
                has_kernels: inner.has.kernels,
                container: around,
                member: self.member_of(node),
                host,
            });
        }
        images
    }

    /// The images of a container, and of a host's file what is in the first image of each sort:
    /// the driver is asked about those, not about thousands that a compiler has made alike.
    pub fn images_to_choose(&mut self, container: NodeId) -> Images {
        let mut images = self.images(container);
        let mut known = Vec::new();
        for at in 0..images.list.len() {
            let Some(image) = images.list.get(at) else {
                break;
            };
            let sort = image.sort(&self.sources);
            let is_new = sort.is_some() && !known.contains(&sort);
            if !is_new || known.len() >= SAMPLES_MAX {
                continue;
            }
            known.push(sort);
            if let Some(within) = self.images_within(image.span) {
                images.samples.push((at, within));
            }
        }
        images
    }

    /// The images in an image of a host's file, which is opened: the members of an archive, or just
    /// itself.
    pub fn images_within(&mut self, span: Span) -> Option<Images> {
        let document = self.document_in(span)?;
        let images = self.images(document);
        if !images.list.is_empty() {
            return Some(images);
        }
        let node = self.node(document)?;
        let (whole, name) = (node.span?, node.name.clone());
        let own = self.documents().iter().find(|inner| inner.span == whole)?;
        let own = own.clone();
        Some(Images {
            containers: vec![self.container(document, whole, "host".into(), None)],
            list: vec![Image {
                span: whole,
                path: self.path(document),
                name: String::new(),
                format: own.format,
                title: own.title,
                target: own.target,
                is_loadable: own.has.loadable,
                has_kernels: own.has.kernels,
                container: 0,
                member: name,
                host: None,
            }],
            ..Images::default()
        })
    }

    /// The images, and in the place of each native one of a host's file what is in it, which is
    /// opened.
    pub fn opened_images(&mut self, images: &Images) -> Vec<Image> {
        let mut found = Vec::new();
        for image in &images.list {
            let said = image
                .host
                .as_ref()
                .and_then(|host| host.said(&self.sources));
            let is_packed = image.is_listed() && said.is_some_and(HostImage::is_native);
            match is_packed.then(|| self.images_within(image.span)).flatten() {
                Some(within) => found.extend(within.list),
                None => found.push(image.clone()),
            }
        }
        found
    }

    /// The name of the archive's member that a document is the data of; of another document its own.
    fn member_of(&self, document: NodeId) -> Str {
        let Some(node) = self.node(document) else {
            return Str::default();
        };
        let member = node.parent.filter(|_| node.name == "data");
        let named = member.and_then(|member| self.node(member)).unwrap_or(node);
        named.name.clone()
    }

    /// The image of a host's file that a path names without the section that it is in: `image 12`.
    pub(crate) fn image_named(&mut self, document: NodeId, name: &str) -> Option<NodeId> {
        let index = name.strip_prefix("image ")?.parse().ok()?;
        let images = self.host_images(document)?;
        let image = images.image(index, &self.sources)?;
        self.document_at(image.span)
    }

    /// The document in an image of a host's file, after decompression.
    fn document_in(&mut self, span: Span) -> Option<NodeId> {
        let id = self.document_at(span)?;
        let first = self.children(id, 0..1);
        match self.node(id)?.kind {
            NodeKind::Packed => first.first().copied(),
            _ => Some(id),
        }
    }

    /// The node of an image.
    pub fn node_of(&mut self, image: &Image) -> Option<NodeId> {
        match image.host {
            Some(_) => self.document_at(image.span),
            None => self.file_at(image.span),
        }
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
                let holder = PropertyOwner::AbstractModule(module.index);
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
    pub(crate) fn image_words(&mut self, id: NodeId) -> (String, Str) {
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

/// An image of a host's file, which nobody opens for a list.
fn listed(inner: InnerDocument, host: InHost, container: usize) -> Image {
    let name = format!("image {}", host.index);
    Image {
        span: inner.span,
        path: name.clone(),
        member: name.clone().into(),
        name,
        format: Str::default(),
        title: Str::default(),
        target: None,
        is_loadable: false,
        has_kernels: false,
        container,
        host: Some(host),
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
    // The term of the specification is long, and the image's place says as much.
    if let Some(last) = parts.last_mut() {
        *last = last.strip_prefix("native device code ").unwrap_or(last);
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_images() {
        assert_eq!(short("64.20.1.0/data"), "64.20.1.0");
        assert_eq!(short("binary 2/IR module 0/code"), "binary 2/IR module 0");
        assert_eq!(short("native device code image 3/code"), "image 3");
        assert_eq!(short("code"), "code");
        assert_eq!(short(""), "");
    }
}
