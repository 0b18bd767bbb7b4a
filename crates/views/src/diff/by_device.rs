//! The kernels of libraries and packages: matched by device and name over all images.
//!
//! Compilers distribute kernels over images anew with each change of a source file, so the images
//! themselves say little. Native code is compared by instructions, SPIR-V by digests of the entry
//! points ([`Kernels::digests`]).

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::elf::{Code, CodeOf, TEXT};
use super::entry::{Change, Entry, Field, FieldValue, Part, Side};
use super::likeness::{SeenWords, Signature, renamed};
use super::matching::by_key;
use super::ze_info::{Names, arguments};
use super::{Comparand, Comparer, DeviceKernels, Sides, measure};
use crate::kernel_names;
use crate::tables::kernels::{ImageKernels, document_kernels};
use zeview_core::analysis::kernels::{CodeDigest, KernelRow};
use zeview_core::model::{Document, NodeKind, Span, Str, sort};

/// Maximum number of kernels of a device without a counterpart whose code is searched for.
const SEARCHED_MAX: usize = 4096;

/// A kernel of an image.
#[derive(Clone, Copy)]
struct Build<'k> {
    /// The index of the image.
    image: usize,
    /// Its row; `None` for SPIR-V beside native code.
    row: Option<&'k KernelRow>,
    device: &'k Str,
    name: &'k str,
}

impl<'k> Build<'k> {
    fn key(&self) -> (&'k str, &'k str) {
        (self.device, self.name)
    }
}

/// Returns the builds of kernels in images, without copies.
fn builds(images: &[ImageKernels]) -> Vec<Build<'_>> {
    let mut builds = Vec::new();
    for (at, image) in images.iter().enumerate().filter(|(_, of)| !of.is_copy) {
        let build = |name, row| Build {
            image: at,
            row,
            device: &image.device,
            name,
        };
        let rows = image.rows.iter();
        let rows = rows.filter(|row| row.is_kernel());
        builds.extend(rows.map(|row| build(row.name.value.as_str(), Some(row))));
        let names = image.also_native.iter();
        builds.extend(names.map(|name| build(name.as_str(), None)));
    }
    builds
}

/// Returns a build of a kernel, as an image with this kernel only.
fn image_of(document: &mut Document, build: &kernel_names::Build) -> Option<ImageKernels> {
    let kernels = document.kernels(build.document)?;
    let rows = kernels.rows(&document.sources);
    let row = rows.iter().find(|row| row.name.value == build.name)?;
    Some(ImageKernels {
        device: build.device.clone(),
        is_spirv: row.is_spirv,
        path: build.path.clone(),
        span: document.node(build.document)?.span?,
        rows: Rc::new(vec![row.clone()]),
        kernels: Some(kernels),
        also_native: Rc::default(),
        is_copy: false,
    })
}

/// Matching builds in both files.
#[derive(Clone, Copy)]
struct Match<'k> {
    a: Build<'k>,
    b: Build<'k>,
    change: Change,
}

/// The kernels of a SPIR-V module, with their digests.
type Modules = HashMap<Span, HashMap<String, (KernelRow, Option<CodeDigest>)>>;

/// Whether the kernels of a document are in images.
pub(super) fn has_images(document: &Document) -> bool {
    document.summary.has.package || document.summary.has.host
}

impl Comparer<'_> {
    /// Compares the kernels of both documents by device and name, if one of them is a library or a
    /// package. Returns whether it is; then the kernels are not compared again.
    pub(super) fn kernels_by_device(&mut self) -> bool {
        if !has_images(self.a) && !has_images(self.b) {
            return false;
        }
        for (document, kernels) in [
            (&mut *self.a, &mut self.kernels.0),
            (&mut *self.b, &mut self.kernels.1),
        ] {
            if kernels.is_none() {
                *kernels = document_kernels(document);
            }
        }
        let (Some(one), Some(other)) = self.kernels.clone() else {
            return false;
        };
        for (notes, which) in [(one.notes, "first"), (other.notes, "second")] {
            for note in notes {
                self.note(format!("the {which} file: {note}"));
            }
        }
        let (of_a, of_b) = (one.images, other.images);
        let (one, other) = (builds(&of_a), builds(&of_b));
        if one.is_empty() && other.is_empty() {
            return false;
        }
        let count = |builds: &[Build<'_>]| {
            let names: HashSet<&str> = builds.iter().map(|build| build.name).collect();
            names.len() as u64
        };
        self.result.kernels = (count(&one), count(&other));
        let keys = |builds: &[Build<'_>]| -> Vec<(String, String)> {
            let keys = builds.iter().map(Build::key);
            keys.map(|(device, name)| (device.to_owned(), name.to_owned()))
                .collect()
        };
        let found = by_key(&keys(&one), &keys(&other));
        let mut matches: Vec<Match<'_>> = Vec::new();
        let mut lost: Sides<Vec<Build<'_>>> = (Vec::new(), Vec::new());
        for (a, place) in one.iter().zip(&found.of_a) {
            match place.and_then(|place| other.get(place)) {
                Some(b) => matches.push(Match {
                    a: *a,
                    b: *b,
                    change: Change::Changed,
                }),
                None => lost.0.push(*a),
            }
        }
        let only = other.iter().zip(&found.is_matched);
        lost.1.extend(only.filter(|(_, is)| !**is).map(|(b, _)| *b));
        // Another number of builds is no other kernel.
        let known: HashSet<_> = matches.iter().map(|found| found.a.key()).collect();
        for lost in [&mut lost.0, &mut lost.1] {
            let mut seen = HashSet::new();
            lost.retain(|build| !known.contains(&build.key()) && seen.insert(build.key()));
        }
        let renamed = self.renamed_builds((&of_a, &of_b), &mut lost);
        matches.extend(renamed);
        self.count_devices(&one, &other, &matches);
        for (builds, change) in [(&lost.0, Change::Removed), (&lost.1, Change::Added)] {
            for build in builds {
                let images = if change == Change::Removed {
                    &of_a
                } else {
                    &of_b
                };
                let image = images.get(build.image).map(|image| image.span);
                let span = build.row.map(|row| row.entry).or(image);
                let (a, b) = match change {
                    Change::Removed => (span, None),
                    _ => (None, span),
                };
                let mut entry = entry(build, change, 0).at(a, b);
                entry.measures = match change {
                    Change::Removed => measure::measures(build.row, None, None),
                    _ => measure::measures(None, build.row, None),
                };
                self.push(entry);
            }
        }
        self.compare_matches((&of_a, &of_b), matches);
        true
    }

    /// Compares a kernel of the first document with one of the second, whatever their names. Returns
    /// `false` if one of them has native code and the other has not, or one cannot be read.
    pub(super) fn kernel_pair(&mut self, a: &kernel_names::Build, b: &kernel_names::Build) -> bool {
        let images = (image_of(self.a, a), image_of(self.b, b));
        let (Some(one), Some(other)) = images else {
            return false;
        };
        if one.is_spirv != other.is_spirv {
            return false;
        }
        let rows = (one.rows.first(), other.rows.first());
        let (Some(row_a), Some(row_b)) = rows else {
            return false;
        };
        fn build<'k>(image: &'k ImageKernels, row: &'k KernelRow) -> Build<'k> {
            Build {
                image: 0,
                row: Some(row),
                device: &image.device,
                name: &row.name.value,
            }
        }
        let found = Match {
            a: build(&one, row_a),
            b: build(&other, row_b),
            change: Change::Changed,
        };
        if one.is_spirv {
            self.spirv_kernels((&one, &other), &[found], &mut Default::default());
        } else {
            self.with_temporary_expanders(|comparer| {
                comparer.native_kernels((&one, &other), &[found]);
            });
        }
        true
    }

    /// Notes the kernels of each device.
    fn count_devices(&mut self, one: &[Build<'_>], other: &[Build<'_>], matches: &[Match<'_>]) {
        let mut devices: Vec<DeviceKernels> = Vec::new();
        let mut places: HashMap<&Str, usize> = HashMap::new();
        let mut add = |device, count: &dyn Fn(&mut DeviceKernels)| {
            let next = devices.len();
            let place = *places.entry(device).or_insert(next);
            if place == next {
                devices.push(DeviceKernels {
                    device: device.clone(),
                    ..DeviceKernels::default()
                });
            }
            if let Some(device) = devices.get_mut(place) {
                count(device);
            }
        };
        fn distinct<'k, 'b>(builds: impl Iterator<Item = &'b Build<'k>>) -> Vec<&'b Build<'k>>
        where
            'k: 'b,
        {
            let mut seen = HashSet::new();
            builds.filter(|build| seen.insert(build.key())).collect()
        }
        for build in distinct(one.iter()) {
            add(build.device, &|device| device.kernels.0 += 1);
        }
        for build in distinct(other.iter()) {
            add(build.device, &|device| device.kernels.1 += 1);
        }
        for build in distinct(matches.iter().map(|found| &found.a)) {
            add(build.device, &|device| device.matched += 1);
        }
        self.result.devices = devices;
    }

    /// Finds renamed kernels among those without a counterpart, by arguments and code.
    fn renamed_builds<'k>(
        &mut self,
        images: Sides<&'k [ImageKernels]>,
        lost: &mut Sides<Vec<Build<'k>>>,
    ) -> Vec<Match<'k>> {
        let mut devices: Vec<&Str> = Vec::new();
        for build in &lost.0 {
            if !devices.contains(&build.device) {
                devices.push(build.device);
            }
        }
        let mut found = Vec::new();
        for device in devices {
            let of = |builds: &[Build<'k>]| -> Vec<usize> {
                let of = builds.iter().enumerate();
                let of = of.filter(|(_, build)| {
                    build.device == device && build.row.is_some_and(|row| !row.is_spirv)
                });
                of.map(|(at, _)| at).collect()
            };
            let (one, other) = (of(&lost.0), of(&lost.1));
            if one.is_empty() || other.is_empty() {
                continue;
            }
            if one.len().max(other.len()) > SEARCHED_MAX {
                self.note_about(
                    device,
                    "too many new and removed kernels to find out which were renamed",
                );
                continue;
            }
            let mut seen = SeenWords::default();
            let signatures = (
                self.signatures(Comparand::A, images.0, (&lost.0, &one), &mut seen),
                self.signatures(Comparand::B, images.1, (&lost.1, &other), &mut seen),
            );
            for (a, b) in renamed(&signatures.0, &signatures.1, &mut self.work) {
                if let (Some(a), Some(b)) = (one.get(a), other.get(b)) {
                    found.push((*a, *b));
                }
            }
        }
        let matches = found.iter().filter_map(|(a, b)| {
            Some(Match {
                a: *lost.0.get(*a)?,
                b: *lost.1.get(*b)?,
                change: Change::Renamed,
            })
        });
        let matches = matches.collect();
        let (one, other): (HashSet<usize>, HashSet<usize>) = found.into_iter().unzip();
        let left = |builds: &mut Vec<Build<'k>>, taken: &HashSet<usize>| {
            let mut at = 0..;
            builds.retain(|_| at.next().is_none_or(|at| !taken.contains(&at)));
        };
        left(&mut lost.0, &one);
        left(&mut lost.1, &other);
        matches
    }

    fn signatures(
        &mut self,
        which: Comparand,
        images: &[ImageKernels],
        (builds, places): (&[Build<'_>], &[usize]),
        seen: &mut SeenWords,
    ) -> Vec<Signature> {
        let mut code: HashMap<usize, Option<CodeOf>> = HashMap::new();
        let mut found = Vec::new();
        for build in places.iter().filter_map(|at| builds.get(*at)) {
            let Some(image) = images.get(build.image) else {
                found.push(Signature::default());
                continue;
            };
            let code = code
                .entry(build.image)
                .or_insert_with(|| self.code_of(which, image));
            let document = match which {
                Comparand::A => &*self.a,
                Comparand::B => &*self.b,
            };
            self.work.spend(256);
            let kernels = image.kernels.as_ref().filter(|_| !self.work.is_over());
            let place = build.row.and_then(|row| usize::try_from(row.index).ok());
            let detail = kernels
                .zip(place)
                .and_then(|(kernels, place)| kernels.detail(place, &document.sources))
                .filter(|detail| detail.row.name.value == build.name);
            let listing = code
                .as_ref()
                .and_then(|code| code.listing(&format!("{TEXT}{}", build.name), &document.sources));
            found.push(Signature::new(
                detail.map_or_else(String::new, |detail| arguments(&detail)),
                listing.as_deref(),
                &document.sources,
                seen,
                &mut self.work,
            ));
        }
        found
    }

    /// Returns the code of an image.
    fn code_of(&mut self, which: Comparand, image: &ImageKernels) -> Option<CodeOf> {
        let node = self.node_of(which, image.span)?;
        let interfaces = self.document(which).interfaces_of(&node);
        interfaces.assembly.map(CodeOf::new)
    }

    /// Compares the kernels in both files, image by image.
    fn compare_matches(&mut self, images: Sides<&[ImageKernels]>, mut matches: Vec<Match<'_>>) {
        sort::by_key(&mut matches, |found| (found.a.image, found.b.image));
        let mut modules: Sides<Modules> = Default::default();
        for group in matches.chunk_by(|x, y| (x.a.image, x.b.image) == (y.a.image, y.b.image)) {
            let Some(first) = group.first() else { continue };
            let (one, other) = (images.0.get(first.a.image), images.1.get(first.b.image));
            let (Some(one), Some(other)) = (one, other) else {
                continue;
            };
            if self.work.is_over() {
                return;
            }
            match self.same_bytes(one.span, other.span) {
                Ok(true) => continue,
                Ok(false) => {}
                Err(error) => {
                    self.note(error);
                    continue;
                }
            }
            if one.is_spirv && other.is_spirv {
                self.spirv_kernels((one, other), group, &mut modules);
            } else {
                self.with_temporary_expanders(|comparer| {
                    comparer.native_kernels((one, other), group);
                });
            }
        }
    }

    fn pair_of(&mut self, (one, other): Sides<&ImageKernels>) -> u32 {
        self.add_pair(&one.path, &other.path, (one.span, other.span), 0)
    }

    /// Compares kernels of two images with native code.
    fn native_kernels(&mut self, images: Sides<&ImageKernels>, group: &[Match<'_>]) {
        let code = (
            self.code_of(Comparand::A, images.0),
            self.code_of(Comparand::B, images.1),
        );
        let code = match code {
            (Some(one), Some(other)) => Some(Code::new(one, other)),
            _ => None,
        };
        let mut names: Option<Sides<Names>> = None;
        let mut pair = None;
        for found in group {
            if self.work.is_over() {
                return;
            }
            let (Some(a), Some(b)) = (found.a.row, found.b.row) else {
                continue;
            };
            let sections = (
                format!("{TEXT}{}", found.a.name),
                format!("{TEXT}{}", found.b.name),
            );
            let mut changed = None;
            if let Some(code) = &code
                && let Some((from, to)) = code.bytes(&sections.0, &sections.1)
                && self.same_bytes(from, to) != Ok(true)
            {
                changed = self.code(code, (&sections.0, &sections.1));
            }
            let changed = changed.filter(|(change, _)| !change.equal);
            let mut fields = Vec::new();
            if self.same_bytes(a.entry, b.entry) != Ok(true) {
                let names = match &names {
                    Some(names) => names,
                    None => {
                        let found = (
                            self.names_of(Comparand::A, images.0),
                            self.names_of(Comparand::B, images.1),
                        );
                        names.insert(found)
                    }
                };
                fields = self.fields_of_kernel(names, (found.a.name, found.b.name));
                measure::merge(a, b, &mut fields);
            }
            let measures = measure::measures(Some(a), Some(b), changed.as_ref());
            let is_same = fields.is_empty() && changed.is_none() && measures.is_empty();
            if is_same && found.change == Change::Changed {
                continue;
            }
            let at = *pair.get_or_insert_with(|| self.pair_of(images));
            let mut entry = entry(&found.a, found.change, at);
            entry = entry.at(Some(a.entry), Some(b.entry)).with(fields);
            entry.new_name = (found.change == Change::Renamed).then(|| found.b.name.to_owned());
            entry.measures = measures;
            entry.code = changed.map(|(change, _)| change);
            self.push(entry);
        }
    }

    /// Returns the descriptions of an image's kernels.
    fn names_of(&mut self, which: Comparand, image: &ImageKernels) -> Names {
        let node = self.node_of(which, image.span);
        let ze_info = node.and_then(|node| {
            let mut rows = self.children(which, &node).into_iter();
            rows.rfind(|child| child.name == ".ze_info")
        });
        self.kernel_names(which, ze_info.as_ref())
    }

    /// Compares kernels of two SPIR-V modules.
    fn spirv_kernels(
        &mut self,
        images: Sides<&ImageKernels>,
        group: &[Match<'_>],
        modules: &mut Sides<Modules>,
    ) {
        self.read_module(Comparand::A, images.0, &mut modules.0);
        self.read_module(Comparand::B, images.1, &mut modules.1);
        let (Some(of_a), Some(of_b)) =
            (modules.0.get(&images.0.span), modules.1.get(&images.1.span))
        else {
            return;
        };
        let (mut pair, mut is_unread) = (None, false);
        for found in group {
            let one = of_a.get(found.a.name);
            let other = of_b.get(found.b.name);
            let (Some((row_a, Some(from))), Some((row_b, Some(to)))) = (one, other) else {
                is_unread = true;
                continue;
            };
            let mut measures = measure::measures(Some(row_a), Some(row_b), None);
            measures.extend(measure::spirv_instructions(from, to));
            if from.hash == to.hash && measures.is_empty() {
                continue;
            }
            let mut fields = Vec::new();
            if measures.is_empty() {
                let side = |text: &str, span| Some(Side::new(FieldValue::Text(text.into()), span));
                let of = |digest: &CodeDigest| format!("{} instructions", digest.instructions);
                fields.push(Field {
                    key: "code".to_owned(),
                    path: "code".to_owned(),
                    from: side(&of(from), row_a.entry),
                    to: side(&format!("{}, not the same", of(to)), row_b.entry),
                });
            }
            let at = *pair.get_or_insert_with(|| self.pair_of(images));
            let mut entry = entry(&found.a, found.change, at);
            entry.demangled.clone_from(&row_a.demangled);
            entry = entry.at(Some(row_a.entry), Some(row_b.entry)).with(fields);
            entry.measures = measures;
            self.push(entry);
        }
        if is_unread {
            self.note_about(
                &images.0.path,
                "its SPIR-V is not compared: it cannot be read",
            );
            self.result.is_cut = true;
        }
    }

    /// Reads the kernels of a SPIR-V module.
    fn read_module(&mut self, which: Comparand, image: &ImageKernels, known: &mut Modules) {
        if known.contains_key(&image.span) {
            return;
        }
        self.work.spend(image.span.len() / 4);
        let document = match which {
            Comparand::A => &mut *self.a,
            Comparand::B => &mut *self.b,
        };
        let node =
            document
                .document_at(image.span)
                .and_then(|node| match document.node(node)?.kind {
                    NodeKind::Packed => document.children(node, 0..1).pop(),
                    _ => Some(node),
                });
        // The kernels of the image are without those that also have native code.
        let kernels = node.and_then(|node| document.kernels(node));
        let kernels = kernels.or_else(|| image.kernels.clone());
        let mut found = HashMap::new();
        if let Some(kernels) = kernels {
            let sources = &document.sources;
            let digests = kernels.digests(sources).unwrap_or_default();
            let digests = digests.into_iter().chain(std::iter::repeat(None));
            for (row, digest) in kernels.rows(sources).iter().zip(digests) {
                found.insert(row.name.value.clone(), (row.clone(), digest));
            }
        }
        known.insert(image.span, found);
    }
}

fn entry(build: &Build<'_>, change: Change, at: u32) -> Entry {
    let mut entry = Entry::new(Part::Kernel, change, at, build.name);
    entry.demangled = build.row.and_then(|row| row.demangled.clone());
    entry.device = Some(build.device.clone());
    entry
}
