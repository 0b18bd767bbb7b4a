//! The images of a container: the device code that runtimes choose from.
//!
//! A container is a document that contains others: an ocloc archive, a SYCLBIN, an OffloadBinary, a
//! bundle, a host binary. Its images are the outermost nested documents that are device code, or
//! that the index of a host binary lists. The containers in between are kept, because each has its
//! own selection rules.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt;
use std::rc::Rc;

use foldhash::HashSet;

pub use super::image_choice::{Choice, Pick};

use super::host_images::{HostImage, HostImages, ImageDescription};
use super::modules::{AbstractModule, ModuleGraph, PropertyOwner, PropertySet};
use super::package_images::PackagePlace;
use crate::model::{Document, Fact, InnerDocument, Node, NodeId, NodeKind, Sources, Span, Str};

/// Maximum number of listed images of a container. Each takes about 1 KB of memory; the number of
/// documents in a file is bounded by its size.
pub const IMAGES_MAX: usize = 1 << 15;

/// The name of a kernel, and its demangled form.
type KernelName = (String, Option<Rc<str>>);

/// The images of a container.
#[derive(Debug, Default)]
pub struct Images {
    /// The images, in file order.
    pub list: Vec<Image>,
    /// The container itself and the containers in it, each after its parent.
    pub containers: Vec<Container>,
    /// Number of images that exceed the limit of the list.
    pub left_out: u64,
    /// For a host binary: the contents of one image of each sort, of those that were opened
    /// ([`Document::images_to_choose`]).
    pub samples: Vec<Images>,
}

/// Device code in a container.
#[derive(Debug, Clone)]
pub struct Image {
    /// Its bytes.
    pub span: Span,
    /// The path of its node.
    pub path: String,
    /// The path without redundant segments: `64.20.1.0`, `image 0`. In a package, the path within
    /// the file.
    pub name: String,
    /// The file of the package that contains it; empty outside of packages.
    pub file: Str,
    /// Its format's identifier.
    pub format: Str,
    /// The full name of its format.
    pub title: Str,
    /// The target device, if specified.
    pub target: Option<Str>,
    /// Whether programs pass it to the driver.
    pub is_loadable: bool,
    /// Whether its format lists kernels.
    pub has_kernels: bool,
    /// The index of the innermost enclosing container in [`Images::containers`].
    pub container: usize,
    /// The name that the container gives it.
    pub member: Str,
    /// Its entry in the index of a host binary.
    pub host: Option<HostIndexEntry>,
    /// The index in [`Images::samples`] of the sample that the verdict is computed for; `None` if its
    /// sort has none.
    pub sample: Option<usize>,
}

/// What is equal for images for which the driver's verdict is the same.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct ImageSort {
    /// The host binary: libraries of a package are built with the same options for other devices.
    container: usize,
    descriptor: Option<u64>,
    /// The target, and the options, which may name a device.
    texts: [String; 2],
    /// The property with the device.
    target: Option<String>,
    /// The devices of the native code in it.
    devices: Vec<Str>,
}

/// An image in the index of a host binary. Its description is read on demand, once for all lists of
/// a document.
#[derive(Clone)]
pub struct HostIndexEntry(Rc<IndexedImage>);

struct IndexedImage {
    images: Rc<dyn HostImages>,
    index: usize,
    entry: OnceCell<Option<HostImage>>,
    devices: OnceCell<Vec<Str>>,
}

/// The images of a document that are in the index of a host binary, by their bytes.
#[derive(Default)]
struct IndexedImages(HashMap<Span, HostIndexEntry>);

impl fmt::Debug for HostIndexEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HostIndexEntry")
            .field("index", &self.0.index)
            .finish_non_exhaustive()
    }
}

impl HostIndexEntry {
    /// Returns the description in the index.
    pub fn index_entry(&self, sources: &Sources) -> Option<&HostImage> {
        let entry = self.0.entry.get_or_init(|| {
            let mut image = self.0.images.image(self.0.index, sources)?;
            if let Some(described) = &mut image.described {
                self.0.images.explain(&mut described.properties);
            }
            Some(image)
        });
        entry.as_ref()
    }

    /// Returns the devices of its native code.
    pub fn devices(&self, sources: &Sources) -> &[Str] {
        self.0.devices.get_or_init(|| {
            let entry = self.index_entry(sources);
            entry.map_or_else(Vec::new, |image| self.0.images.devices(image, sources))
        })
    }

    /// Returns the demangled name of a kernel.
    pub fn title(&self, name: &str) -> Option<Rc<str>> {
        self.0.images.demangled(name)
    }
}

impl Document {
    /// Returns the image with these bytes in the index of a host binary.
    fn indexed_image(&mut self, images: &Rc<dyn HostImages>, span: Span) -> Option<HostIndexEntry> {
        let mut known: IndexedImages = self.extensions.remove().unwrap_or_default();
        let make = |index| {
            HostIndexEntry(Rc::new(IndexedImage {
                images: Rc::clone(images),
                index,
                entry: OnceCell::new(),
                devices: OnceCell::new(),
            }))
        };
        let image = match known.0.entry(span) {
            Entry::Occupied(image) => Some(image.get().clone()),
            Entry::Vacant(free) => images
                .find(span)
                .map(|index| free.insert(make(index)).clone()),
        };
        self.extensions.insert(known);
        image
    }
}

impl Images {
    /// Returns the distinct kernels in the index of a host binary.
    pub fn kernel_names(&self, sources: &Sources) -> Vec<KernelName> {
        let mut seen = HashSet::default();
        let mut names = Vec::new();
        for host in self.list.iter().filter_map(|image| image.host.as_ref()) {
            let entry = host.index_entry(sources);
            let described = entry.and_then(|image| image.described.as_ref());
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
    /// Returns a key that is equal for images of one host binary that one compiler call has created
    /// for the same devices. Returns `None` if there is no native code in it.
    pub(super) fn sort(&self, sources: &Sources) -> Option<ImageSort> {
        let host = self.host.as_ref()?;
        let entry = host.index_entry(sources)?;
        let described = entry.described.as_ref();
        entry.is_native().then(|| {
            let texts = described.map(|d| [d.target.clone(), d.compile_options.clone()]);
            ImageSort {
                container: self.container,
                descriptor: entry.descriptor,
                texts: texts.unwrap_or_default(),
                target: described.and_then(super::host_images::ImageDescription::compile_target),
                devices: host.devices(sources).to_vec(),
            }
        })
    }

    /// Returns the description in the index, if it was read before.
    pub fn read(&self) -> Option<&HostImage> {
        self.host.as_ref()?.0.entry.get()?.as_ref()
    }

    /// Whether a runtime may select it. An image of a host binary is selected for its kernels only.
    pub fn may_run(&self, sources: &Sources) -> bool {
        let listed = self.host.as_ref().filter(|_| self.is_listed());
        listed.is_none_or(|host| {
            let described = host.index_entry(sources).and_then(|e| e.described.as_ref());
            described.is_some_and(|described| !described.kernels().is_empty())
        })
    }

    /// Whether it is listed by the index of a host binary, and not opened for the list.
    pub fn is_listed(&self) -> bool {
        self.host.is_some() && self.format.is_empty()
    }

    /// Returns the target device without its numbers: `bmg-g21`.
    pub fn device(&self) -> &str {
        let target = self.target.as_deref().unwrap_or_default();
        target.split(" · ").next().unwrap_or_default()
    }
}

/// A document that contains images.
#[derive(Debug, Clone)]
pub struct Container {
    /// Its bytes.
    pub span: Span,
    /// Its format's identifier.
    pub format: Str,
    /// The index of the enclosing container; `None` for the outermost.
    pub around: Option<usize>,
    /// Its modules, if it is a SYCLBIN.
    pub modules: Option<SyclModules>,
    /// Its location in a package.
    pub(super) place: PackagePlace,
}

/// The modules of a SYCLBIN, as the SYCL runtime sees them.
#[derive(Debug, Clone)]
pub struct SyclModules {
    /// The modules.
    pub graph: Rc<ModuleGraph>,
    /// The property sets of each abstract module.
    pub requirements: Vec<Vec<PropertySet>>,
}

/// Whether a document is an image: device code, or listed by a host binary's index.
fn is_image(inner: &InnerDocument) -> bool {
    inner.has.image || inner.is_listed
}

impl Document {
    /// Whether a document contains a nested one that satisfies `wanted`. Device code contains no
    /// images.
    pub fn has_inner(&self, id: NodeId, wanted: fn(&InnerDocument) -> bool) -> bool {
        let Some(node) = self.node(id).filter(|node| node.kind == NodeKind::File) else {
            return false;
        };
        let Some(whole) = node.span else { return false };
        if id == NodeId::ROOT && (self.summary.has.kernels || self.summary.has.loadable) {
            return false;
        }
        if id == NodeId::ROOT {
            return self.documents().any(wanted);
        }
        match self.inner_document(whole) {
            Some(own) if !own.has.image => {
                let is_other = |inner: &InnerDocument| !std::ptr::eq(inner, own);
                self.any_document_within(whole, |inner| is_other(inner) && wanted(inner))
            }
            _ => false,
        }
    }

    /// Whether a document contains images.
    pub fn has_images(&self, id: NodeId) -> bool {
        self.has_inner(id, is_image)
    }

    /// Returns the images of a container: of the opened file, or of a nested document. Device code
    /// itself has none.
    pub fn images(&mut self, container: NodeId) -> Images {
        let mut images = Images::default();
        let Some(whole) = self.node(container).and_then(Node::extent) else {
            return images;
        };
        if !self.has_images(container) {
            return images;
        }
        let own = self.inner_document(whole);
        let format = match own.filter(|_| container != NodeId::ROOT) {
            Some(own) => own.format.clone(),
            None => self.summary.format.clone(),
        };
        let place = self.package_place(container, None);
        images
            .containers
            .push(self.container(container, whole, format, None, place));
        let inner: Vec<InnerDocument> = self.documents_around(whole).cloned().collect();
        // For each container, the provider of its images if it is a host binary or an
        // OffloadBinary.
        let mut hosts = vec![self.host_images(container)];
        let mut last: Option<Span> = None;
        for inner in inner {
            let is_own = container != NodeId::ROOT && inner.span == whole;
            // A file of a package that is not open, or compressed bytes.
            let is_closed = inner.format.is_empty() && !inner.is_listed;
            let is_in_last = last.is_some_and(|last| self.is_within(inner.span, last));
            if is_own || is_closed || is_in_last || !self.is_within(inner.span, whole) {
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
            let host = known.and_then(|images| self.indexed_image(images, inner.span));
            if inner.is_listed {
                last = Some(inner.span);
                let place = images.containers.get(around).map(|of| &of.place);
                let place = place.cloned().unwrap_or_default();
                images
                    .list
                    .extend(host.map(|host| listed(inner, host, around, place)));
                continue;
            }
            let Some(node) = self.file_at(inner.span) else {
                continue;
            };
            let outer = images.containers.get(around).map(|of| of.place.clone());
            let place = self.package_place(node, outer);
            if !is_image(&inner) {
                let container = self.container(node, inner.span, inner.format, Some(around), place);
                images.containers.push(container);
                hosts.push(self.host_images(node));
                continue;
            }
            last = Some(inner.span);
            let path = self.path(node);
            images.list.push(Image {
                span: inner.span,
                name: place.name_of(&path),
                file: place.file,
                path,
                format: inner.format,
                title: inner.title,
                target: inner.target,
                is_loadable: inner.has.loadable,
                has_kernels: inner.has.kernels,
                container: around,
                member: self.member_of(node),
                host,
                sample: None,
            });
        }
        images
    }

    /// Opens an image of a host binary and returns its contents: the members of an archive, or just
    /// itself.
    pub fn images_within(&mut self, span: Span) -> Option<Images> {
        let document = self.document_in(span)?;
        let images = self.images(document);
        if !images.list.is_empty() {
            return Some(images);
        }
        self.image_itself(document)
    }

    /// Returns the images, with each native image of a host binary opened and replaced by its
    /// contents.
    pub fn opened_images(&mut self, images: &Images) -> Vec<Image> {
        let mut found = Vec::new();
        for image in &images.list {
            let entry = image
                .host
                .as_ref()
                .and_then(|host| host.index_entry(&self.sources));
            let is_packed = image.is_listed() && entry.is_some_and(HostImage::is_native);
            match is_packed.then(|| self.images_within(image.span)).flatten() {
                Some(within) => found.extend(within.list),
                None => found.push(image.clone()),
            }
        }
        found
    }

    /// Returns the name of the archive member with the document's data, or else the document's
    /// name.
    fn member_of(&self, document: NodeId) -> Str {
        let Some(node) = self.node(document) else {
            return Str::default();
        };
        let member = node.parent.filter(|_| node.name == "data");
        let named = member.and_then(|member| self.node(member)).unwrap_or(node);
        named.name.clone()
    }

    /// Returns the image of a host binary by a path without its section: `image 12`.
    pub fn image_named(&mut self, document: NodeId, name: &str) -> Option<NodeId> {
        let index = name.strip_prefix("image ")?.parse().ok()?;
        let images = self.host_images(document)?;
        let image = images.image(index, &self.sources)?;
        self.document_at(image.span)
    }

    /// Returns the document in an image of a host binary, after decompression.
    fn document_in(&mut self, span: Span) -> Option<NodeId> {
        let id = self.document_at(span)?;
        let first = self.children(id, 0..1);
        match self.node(id)?.kind {
            NodeKind::Packed => first.first().copied(),
            _ => Some(id),
        }
    }

    /// Returns the node of an image.
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

    pub(super) fn container(
        &self,
        node: NodeId,
        span: Span,
        format: Str,
        around: Option<usize>,
        place: PackagePlace,
    ) -> Container {
        let modules = self.modules(node).map(|modules| {
            let graph = modules.graph(&self.sources);
            let requirements = |module: &AbstractModule| {
                let owner = PropertyOwner::AbstractModule(module.index);
                modules.values(owner, &self.sources)
            };
            SyclModules {
                requirements: graph.abstract_modules.iter().map(requirements).collect(),
                graph,
            }
        });
        Container {
            span,
            format,
            around,
            modules,
            place,
        }
    }

    /// Returns the name of an image and its target device; the name of the opened file is empty.
    pub fn image_text(&mut self, id: NodeId) -> (String, Str) {
        let span = self.node(id).and_then(|node| node.span);
        let target = match id {
            NodeId::ROOT => {
                let mut facts = self.summary.facts.iter();
                let target = facts.find(|fact| fact.label == Fact::TARGET);
                target.map(|fact| fact.text.clone())
            }
            _ => {
                let inner = span.and_then(|span| self.inner_document(span));
                inner.and_then(|inner| inner.target.clone())
            }
        };
        let device = target.as_deref().and_then(|text| text.split(" · ").next());
        let device = device.unwrap_or_default().to_owned().into();
        (short(&self.path(id)), device)
    }
}

/// Creates an image of a host binary that is not opened for the list.
fn listed(
    inner: InnerDocument,
    host: HostIndexEntry,
    container: usize,
    place: PackagePlace,
) -> Image {
    let name = format!("image {}", host.0.index);
    Image {
        span: inner.span,
        path: match &*place.path {
            "" => name.clone(),
            path => format!("{path}/{name}"),
        },
        file: place.file,
        member: name.clone().into(),
        name,
        format: Str::default(),
        title: Str::default(),
        target: None,
        is_loadable: false,
        has_kernels: false,
        container,
        host: Some(host),
        sample: None,
    }
}

/// Shortens a path: removes repeated names, and the name that every image of a format has.
pub(super) fn short(path: &str) -> String {
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
    // The term of the specification is long, and the image's position is enough.
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
