//! Reading the kernels of the images in a container, one image after the other.
//!
//! A library may have hundreds of images with native code, each of which must be opened for its
//! kernels. [`KernelReading`] does that in steps, and creates a [`List`] or a [`Survey`](zeview_analysis::survey::Survey) of what it
//! has read so far.

use std::rc::Rc;

use foldhash::{HashMap, HashSet};

use super::KernelList;
use super::index_names::{IndexNames, index_names};
use super::part::Part;
use super::twins::Twins;
use crate::kernel_names;
use crate::tables::{List, ListId, document_of};
use zeview_analysis::naming::{NameSet, ShortNames};
use zeview_analysis::survey::Progress;
use zeview_core::analysis::host_images::HostImage;
use zeview_core::analysis::images::{HostIndexEntry, Image, Images};
use zeview_core::analysis::kernels::{KernelRow, Located};
use zeview_core::analysis::package_reading::{PackageReading, Unpacking};
use zeview_core::model::{Document, NodeId, Severity, Sources, Span, sort};

/// The short names of the kernels around: in the index of a host binary, or in a container.
pub type Around = Option<Rc<ShortNames>>;

/// Device name of images that are compiled for any device.
const SPIRV: &str = "SPIR-V";

/// Maximum number of listed kernels of a container's images.
const ROWS_MAX: u64 = 100_000;
/// The limit for small files, and the bytes of a file per further kernel: a row takes 1 KB of
/// memory, and images may share their entries.
const ROWS_ALWAYS: u64 = 1 << 14;
const ROW_BYTES: u64 = 512;

/// Returns the maximum number of listed kernels of a container of `size` bytes.
fn rows_max(size: u64) -> usize {
    let most = ROWS_ALWAYS.saturating_add(size / ROW_BYTES).min(ROWS_MAX);
    usize::try_from(most).unwrap_or(usize::MAX)
}

/// Maximum length of a read of several images.
const AHEAD: u64 = 4 << 20;
/// Number of bytes that are announced at least, if there are as many: in the time that a browser
/// takes to bring an answer to the page and the next request back, it can also fetch them.
const ANNOUNCED: u64 = 24 << 20;
/// Maximum distance of images that are read at once.
const GAP: u64 = 4 << 10;

/// The kernels of a container's images, as far as they are read.
pub struct KernelReading {
    /// The files of a package that are not opened yet.
    pub(super) files: Option<PackageReading>,
    images: Images,
    /// The containers of images that are SPIR-V, and whether the kernels of some are unknown.
    with_spirv: HashMap<usize, bool>,
    /// The native kernels of these containers.
    native: HashMap<usize, HashSet<String>>,
    /// The index of the next image.
    next: usize,
    /// The index of the first image whose bytes were not announced.
    announced: usize,
    pub(super) parts: Vec<Rc<Part>>,
    /// The number of rows of the parts, and its maximum.
    rows: usize,
    rows_max: usize,
    /// The images whose kernels cannot be read.
    silent: Vec<String>,
    images_left_out: u64,
    kernels_left_out: u64,
    names_left_out: u64,
    naming: Naming,
    twins: Twins,
}

/// The state of the short names of the listed kernels.
enum Naming {
    Known(Around),
    /// The names of the kernels read so far: a library has megabytes of names, and its first
    /// kernels do not wait for the others.
    Growing {
        set: Box<NameSet>,
        /// The short names so far. They stay as they are until all kernels are read.
        made: Rc<ShortNames>,
        /// The names in the index of these images, which are the final ones.
        index: Option<IndexNames>,
    },
}

/// The short names of the kernels of the document that was requested last.
struct DocumentNames {
    document: NodeId,
    names: Rc<ShortNames>,
}

impl KernelReading {
    /// Starts to read the kernels of a container's images. Returns `None` for a document that has
    /// kernels itself, or no images with kernels.
    pub fn new(document: &mut Document, id: NodeId) -> Option<KernelReading> {
        let files = document.package_reading(id);
        if document.kernels(id).is_some() || files.is_none() && !are_within(document, id) {
            return None;
        }
        // Images of a package are added when its files are opened.
        let images = match files {
            Some(_) => Images::default(),
            None => document.images(id),
        };
        let mut images = images;
        native_first(&mut images.list);
        let mut with_spirv = HashMap::default();
        add_spirv(&images.list, &mut with_spirv);
        let is_indexed = images.list.iter().any(Image::is_listed);
        let naming = if is_indexed {
            Naming::Growing {
                set: Box::default(),
                made: Rc::default(),
                index: Some(index_names(document, id)),
            }
        } else if let Some(names) = host_kernels(document) {
            Naming::Known(Some(names))
        } else {
            Naming::Growing {
                set: Box::default(),
                made: Rc::default(),
                index: None,
            }
        };
        let size = document.sources.size();
        Some(KernelReading {
            with_spirv,
            native: HashMap::default(),
            files,
            images_left_out: images.left_out,
            images,
            next: 0,
            announced: 0,
            parts: Vec::new(),
            rows: 0,
            rows_max: rows_max(size),
            silent: Vec::new(),
            kernels_left_out: 0,
            names_left_out: 0,
            naming,
            twins: Twins::new(size),
        })
    }
}

/// Returns the short names of the kernels around a node, as in the lists of the file.
pub fn short_names(document: &mut Document, node: NodeId) -> Option<Rc<ShortNames>> {
    if document.summary.has.host {
        return host_kernels(document);
    }
    let around = document_of(document, node, ListId::Kernels)?;
    let kept = document.extensions.get::<DocumentNames>();
    if let Some(kept) = kept.filter(|kept| kept.document == around) {
        return Some(Rc::clone(&kept.names));
    }
    let rows = document.kernels(around)?.rows(&document.sources);
    let names = Rc::new(ShortNames::new(rows.iter().map(KernelRow::names)));
    document.extensions.insert(DocumentNames {
        document: around,
        names: Rc::clone(&names),
    });
    Some(names)
}

/// Returns the kernels of a document; for a container, those of all its images.
pub(super) fn list(document: &mut Document, id: NodeId) -> Option<Rc<dyn List>> {
    if let Some(part) = kernels_of(document, id) {
        let parts = with_only_spirv(part, &document.sources).into_iter();
        let list = KernelList::new(parts.map(Rc::new).collect(), false, Vec::new());
        return Some(Rc::new(list.with_names(host_kernels(document))));
    }
    let mut reading = KernelReading::new(document, id)?;
    while reading.step(document) {}
    Some(reading.list(&document.sources))
}

pub(super) fn kernels_of(document: &mut Document, id: NodeId) -> Option<Part> {
    kernels_beside(document, id, &HashSet::default())
}

/// Returns the kernels of a document; of SPIR-V, those that are not among `native`.
fn kernels_beside(document: &mut Document, id: NodeId, native: &HashSet<String>) -> Option<Part> {
    let all = document.kernels(id)?;
    let (image, device) = document.image_text(id);
    let (is_spirv, also_native, kernels) = match all.split(native, &document.sources) {
        Some((both, only)) => (true, both, only),
        None => (false, Vec::new(), all),
    };
    Some(Part {
        rows: kernels.rows(&document.sources),
        kernels: Some(kernels),
        is_spirv,
        also_native: Rc::new(also_native),
        image,
        device: if is_spirv { SPIRV.into() } else { device },
        node: Some(id),
        path: document.path(id),
        span: document.node(id)?.span.unwrap_or_default(),
        profiled: zeview_analysis::profile::profiled_kernels(document),
        ..Part::default()
    })
}

/// Returns the short names of the kernels in a host binary's index, which are the same in the
/// lists of all its images.
fn host_kernels(document: &mut Document) -> Around {
    if !document.summary.has.host {
        return None;
    }
    let names = index_names(document, NodeId::ROOT);
    if let Some(known) = names.known() {
        return Some(known);
    }
    let images = document.images(NodeId::ROOT);
    Some(Rc::clone(names.of(&images, &document.sources)))
}

/// Whether an image in a document lists kernels.
pub(in crate::tables) fn are_within(document: &Document, id: NodeId) -> bool {
    document.has_inner(id, |inner| inner.has.kernels || inner.is_listed)
}

/// Returns the kernels of an image of a host binary: those of its native code, which is opened,
/// for each device; else the names in the index, at most `most`. Also returns the number of
/// names left out, and the number that exceeds what the size of the file allows.
fn kernels_in_host(
    document: &mut Document,
    image: &Image,
    host: &HostIndexEntry,
    most: usize,
) -> (Vec<Part>, u64, u64) {
    let Some(entry) = host.index_entry(&document.sources) else {
        return (Vec::new(), 0, 0);
    };
    let names = entry.described.as_ref().map_or(0, |found| found.left_out);
    if entry.is_native() {
        let within = document.images_within(image.span).unwrap_or_default();
        let has_spirv = within.list.iter().any(is_unlisted);
        let mut parts = Vec::new();
        let is_one = within.list.len() == 1;
        let (spirv, native): (Vec<&Image>, _) =
            within.list.iter().partition(|inner| is_spirv(inner));
        let mut known = HashSet::default();
        for inner in native.into_iter().chain(spirv) {
            let is_spirv = is_spirv(inner);
            let node = document.document_at(inner.span);
            let own = node.filter(|_| inner.has_kernels);
            let part = own.and_then(|node| kernels_beside(document, node, &known));
            let part = match part {
                Some(part) if is_spirv => part,
                Some(part) => {
                    known.extend(part.rows.iter().map(|row| row.name.value.clone()));
                    part
                }
                None if is_spirv && !parts.is_empty() => spirv_part("", inner.span),
                None => continue,
            };
            let part = Part {
                image: image.name.clone(),
                member: if is_one || is_spirv {
                    String::new()
                } else {
                    inner.member.to_string()
                },
                has_spirv: has_spirv && !is_spirv,
                ..part
            };
            parts.extend(with_only_spirv(part, &document.sources));
        }
        if !parts.is_empty() {
            return (parts, 0, names);
        }
    }
    let Some(described) = &entry.described else {
        return (Vec::new(), 0, names);
    };
    let kernels = described.kernels();
    let entry_kind = entry.kind;
    let more = kernels.len().saturating_sub(most) as u64;
    let rows = kernels.into_iter().take(most).zip(0..);
    let rows = rows.map(|(entry, index)| KernelRow {
        index,
        name: Located::at(entry.name.clone(), entry.name_span),
        demangled: host.title(&entry.name),
        entry: entry.span,
        is_spirv: entry_kind == "spirv",
        ..KernelRow::default()
    });
    let part = Part {
        rows: Rc::new(rows.collect()),
        image: image.name.clone(),
        device: match entry_kind {
            "spirv" => SPIRV.into(),
            _ => described.target.clone().into(),
        },
        path: image.path.clone(),
        span: image.span,
        is_spirv: entry_kind == "spirv",
        is_foreign: entry.is_foreign(),
        ..Part::default()
    };
    (vec![part], more, names)
}

fn has_errors(document: &Document, span: Span) -> bool {
    let mut found = document.diagnostics_in(span);
    found.any(|found| found.severity == Severity::Error)
}

fn is_native(image: &Image, sources: &Sources) -> bool {
    let host = image.host.as_ref();
    let entry = host.and_then(|host| host.index_entry(sources));
    entry.is_some_and(HostImage::is_native)
}

fn is_spirv(image: &Image) -> bool {
    // Archives have their SPIR-V in a legacy container.
    image.format == "spirv" || image.format == "opencl-elf" && image.has_kernels
}

/// Moves SPIR-V behind native code: it is listed for the kernels that native code lacks.
fn native_first(images: &mut [Image]) {
    sort::by_key(images, is_spirv);
}

/// Whether an image is SPIR-V that lists no kernels: native code beside it may be the same.
fn is_unlisted(image: &Image) -> bool {
    is_spirv(image) && !image.has_kernels
}

/// Adds the containers of images that are SPIR-V.
fn add_spirv(images: &[Image], containers: &mut HashMap<usize, bool>) {
    for image in images.iter().filter(|image| is_spirv(image)) {
        *containers.entry(image.container).or_default() |= is_unlisted(image);
    }
}

/// Creates a part for SPIR-V in an image that lists no kernels.
fn spirv_part(image: &str, span: Span) -> Part {
    Part {
        image: image.to_owned(),
        device: SPIRV.into(),
        is_spirv: true,
        span,
        ..Part::default()
    }
}

/// Adds the kernels that only the SPIR-V within a document has.
pub(super) fn with_only_spirv(part: Part, sources: &Sources) -> Vec<Part> {
    let only = part.kernels.as_ref();
    let only = only.and_then(|kernels| kernels.only_spirv(sources));
    let Some(kernels) = only else {
        return vec![part];
    };
    let rows = kernels.rows(sources);
    let part = Part {
        has_spirv: true,
        ..part
    };
    if rows.is_empty() {
        return vec![part];
    }
    let spirv = Part {
        kernels: Some(kernels),
        rows,
        device: SPIRV.into(),
        is_spirv: true,
        has_spirv: false,
        also_native: Rc::default(),
        ..part.clone()
    };
    vec![part, spirv]
}

/// Returns the short names of the kernels in an index. Most of them are already in the set.
fn in_index(set: &mut NameSet, images: &Images, sources: &Sources) -> ShortNames {
    let names = images.kernel_names(sources);
    let index: HashSet<&str> = names.iter().map(|(name, _)| &**name).collect();
    let names = names.iter().map(|(name, text)| (&**name, text.as_deref()));
    if !set.names().all(|name| index.contains(name)) {
        return ShortNames::new(names);
    }
    for (name, text) in names {
        set.add(name, text);
    }
    std::mem::take(set).into_short_names()
}

impl KernelReading {
    /// Reads the small files of a package first.
    pub fn small_first(&mut self) {
        if let Some(files) = &mut self.files {
            files.small_first();
        }
    }

    /// Reads one more image. Returns `false` if there are no more.
    pub fn step(&mut self, document: &mut Document) -> bool {
        let Some(image) = self.images.list.get(self.next).cloned() else {
            return self.open_file(document);
        };
        self.next += 1;
        let first = self.parts.len();
        self.read(&image, document);
        // In a package, the short names of a library's kernels depend on its index only: a kernel can
        // then be found by its short name without opening its image.
        let in_index = self
            .files
            .as_ref()
            .and_then(|_| kernel_names::index_names(&image, document));
        let in_index = in_index.filter(|names| !names.is_empty());
        if let (Naming::Growing { set, .. }, Some(names)) = (&mut self.naming, &in_index) {
            for (name, demangled) in names {
                set.add(name, demangled.as_deref());
            }
        } else if let Naming::Growing { set, .. } = &mut self.naming {
            let parts = self.parts.iter().skip(first);
            let rows = parts.flat_map(|part| part.rows.iter());
            for row in rows.filter(|row| !row.is_function) {
                let (name, demangled) = row.names();
                set.add(name, demangled);
            }
        }
        // Now that their bytes are in memory.
        for part in first..self.parts.len() {
            self.compare(part, &document.sources);
        }
        true
    }

    /// Returns the number of images read.
    pub fn progress(&self) -> Progress {
        let files = self.files.as_ref();
        let (done, of) = files.map_or((0, 0), |files| (files.done(), files.count()));
        Progress {
            done: done.saturating_add(self.next as u64),
            of: of.saturating_add(self.images.list.len() as u64),
        }
    }

    /// Opens the next file of a package, and adds its images. Returns `false` if there are no more.
    fn open_file(&mut self, document: &mut Document) -> bool {
        let Some(files) = self.files.as_mut().filter(|files| files.has_more()) else {
            return false;
        };
        if let Some(file) = files.step(document) {
            let mut found = document.images_of_file(&file);
            native_first(&mut found.list);
            self.images_left_out += found.left_out;
            let first = self.images.list.len();
            self.images.append(found);
            let found = self.images.list.get(first..).unwrap_or_default();
            add_spirv(found, &mut self.with_spirv);
        }
        true
    }

    fn read(&mut self, image: &Image, document: &mut Document) {
        let is_spirv = image.host.is_none() && is_spirv(image);
        if !image.has_kernels && image.host.is_none() {
            if is_spirv {
                let part = Part {
                    file: image.file.clone(),
                    ..spirv_part(&image.name, image.span)
                };
                self.parts.push(Rc::new(part));
            }
            return;
        }
        if self.rows >= self.rows_max {
            self.images_left_out += 1;
            return;
        }
        let found = match &image.host {
            Some(host) => {
                if is_native(image, &document.sources) {
                    let is_ready = document.sources.is_ready(image.span);
                    let ahead = if is_ready {
                        image.span
                    } else {
                        self.ahead(image.span, self.next)
                    };
                    document.sources.prefetch(ahead, image.span);
                }
                let left = self.rows_max - self.rows;
                let (found, more, names) = kernels_in_host(document, image, host, left);
                self.kernels_left_out += more;
                self.names_left_out += names;
                found
            }
            None => {
                let node = document.node_of(image);
                let none = HashSet::default();
                let native = self.native.get(&image.container).unwrap_or(&none);
                let found = node.and_then(|node| kernels_beside(document, node, native));
                let beside_spirv = self.with_spirv.get(&image.container);
                let has_spirv = beside_spirv == Some(&true);
                let name = |part: &Part| match &*image.file {
                    "" => part.image.clone(),
                    _ => image.name.clone(),
                };
                let part = found.map(|part| Part {
                    has_spirv: has_spirv && !is_spirv,
                    image: name(&part),
                    ..part
                });
                match part {
                    Some(part) if is_spirv => vec![part],
                    Some(part) => {
                        if beside_spirv.is_some() {
                            let names = self.native.entry(image.container).or_default();
                            names.extend(part.rows.iter().map(|row| row.name.value.clone()));
                        }
                        with_only_spirv(part, &document.sources)
                    }
                    None => Vec::new(),
                }
            }
        };
        let found = found.into_iter().map(|part| Part {
            file: image.file.clone(),
            ..part
        });
        let found: Vec<Part> = found.collect();
        let rows: usize = found.iter().map(|part| part.rows.len()).sum();
        self.rows += rows;
        if rows == 0 && has_errors(document, image.span) {
            self.silent.push(image.name.clone());
        }
        self.parts.extend(found.into_iter().map(Rc::new));
    }

    /// Announces the bytes of the next images with native code, which the next steps read.
    pub fn announce(&mut self, sources: &Sources) {
        let images = self.images.list.get(self.next..self.announced);
        let images = images.unwrap_or_default().iter();
        let announced: u64 = images.map(|image| image.span.len()).sum();
        let mut left = ANNOUNCED.saturating_sub(announced);
        let mut next = self.next.max(self.announced);
        while left > 0
            && let Some(image) = self.images.list.get(next)
        {
            next += 1;
            if !is_native(image, sources) {
                continue;
            }
            let ahead = self.ahead(image.span, next);
            if ahead.len() <= AHEAD && !sources.is_ready(ahead) {
                sources.announce(ahead);
            }
            let rest = self.images.list.get(next..).unwrap_or_default();
            next += rest
                .iter()
                .take_while(|image| ahead.contains(image.span))
                .count();
            left = left.saturating_sub(ahead.len());
        }
        self.announced = next;
    }

    /// Lets the source inflate the files of a package in the background.
    pub fn may_wait(&mut self, may_wait: bool) {
        if let Some(files) = &mut self.files {
            files.may_wait(may_wait);
        }
    }

    /// Returns the file of a package that is being unpacked.
    pub fn unpacking(&self) -> Option<Unpacking> {
        self.files.as_ref().and_then(PackageReading::unpacking)
    }

    /// Whether the next step does not wait for the bytes of its image, or of its file.
    pub fn is_ready(&self, sources: &Sources) -> bool {
        if self.next >= self.images.list.len() {
            return self.files.as_ref().is_none_or(|files| !files.waits());
        }
        self.images.list.get(self.next).is_none_or(|image| {
            // Longer images are not announced, so waiting for them would not end.
            !is_native(image, sources) || image.span.len() > AHEAD || sources.is_ready(image.span)
        })
    }

    /// Returns the bytes of an image and of those that follow it in the file, from index `next` on:
    /// where reads are slow, few long ones take half the time of many short ones.
    fn ahead(&self, image: Span, next: usize) -> Span {
        let mut ahead = image;
        for next in self.images.list.get(next..).unwrap_or_default() {
            let next = next.span;
            let gap = next.start.checked_sub(ahead.end).filter(|gap| *gap <= GAP);
            if next.source != image.source
                || gap.is_none()
                || next.end.saturating_sub(image.start) > AHEAD
            {
                break;
            }
            ahead.end = next.end;
        }
        ahead
    }

    /// Compares the bytes of a part with those of earlier parts.
    fn compare(&mut self, at: usize, sources: &Sources) {
        let Some(first) = self.twins.earlier(at, &self.parts, sources) else {
            return;
        };
        let Some(part) = self.parts.get_mut(at) else {
            return;
        };
        Rc::make_mut(part).is_copy = true;
        let place = part.place();
        if let Some(first) = self.parts.get_mut(first) {
            Rc::make_mut(first).copies.push(place);
        }
    }

    /// Returns notes about the list as a whole.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if let Some(first) = self.silent.first() {
            notes.push(match self.silent.len() {
                1 => format!("the kernels of {first} cannot be read"),
                many => format!("the kernels of {many} images cannot be read: {first} …"),
            });
        }
        match self.images_left_out {
            0 => {}
            1 => notes.push("1 image is not listed".to_owned()),
            many => notes.push(format!("{many} images are not listed")),
        }
        let mut note = |count: u64, what: &str| {
            if count > 0 {
                let s = if count == 1 { "" } else { "s" };
                notes.push(format!(
                    "{count} {what}{s} left out: more than the size of the file allows"
                ));
            }
        };
        note(self.kernels_left_out, "kernel");
        note(self.names_left_out, "name or property set");
        notes
    }

    /// Returns the kernels read so far. Until all images are read, their short names are
    /// preliminary.
    pub fn list(&mut self, sources: &Sources) -> Rc<dyn List> {
        let list = KernelList::new(self.parts.clone(), true, self.notes());
        let mut list = list.with_names(self.short_names(sources));
        if self.files.is_some() || self.images.list.iter().any(Image::is_listed) {
            list.put_together();
        }
        Rc::new(list)
    }

    /// Returns the short names of the kernels read so far.
    pub fn short_names(&mut self, sources: &Sources) -> Around {
        let is_over = self.progress().is_over();
        let (set, made, index) = match &mut self.naming {
            Naming::Known(names) => return names.clone(),
            Naming::Growing { set, made, index } => (set, made, index),
        };
        let known = index.as_ref().and_then(IndexNames::known);
        if is_over || known.is_some() {
            let names = known.unwrap_or_else(|| match index {
                Some(_) => Rc::new(in_index(set, &self.images, sources)),
                None => Rc::new(std::mem::take(&mut **set).into_short_names()),
            });
            if let Some(index) = index {
                index.provide(Rc::clone(&names));
            }
            self.naming = Naming::Known(Some(Rc::clone(&names)));
            return Some(names);
        }
        if set.len() > made.len() {
            *made = Rc::new(set.extending(made));
        }
        Some(Rc::clone(made))
    }
}
