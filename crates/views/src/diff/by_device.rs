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
use zeview_analysis::survey::Progress;
use zeview_core::analysis::kernels::{CodeDigest, KernelRow};
use zeview_core::model::{Document, NodeKind, Span, Str, sort};

/// Maximum number of kernels of a device without a counterpart whose code is searched for.
const SEARCHED_MAX: usize = 4096;

/// The place of a build: an image, and its row, or its name among those that also have native code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct BuildId {
    image: usize,
    row: Result<usize, usize>,
}

/// A kernel of an image.
#[derive(Clone, Copy)]
struct Build<'k> {
    id: BuildId,
    /// Its row; `None` for SPIR-V beside native code.
    row: Option<&'k KernelRow>,
    device: &'k Str,
    name: &'k str,
}

impl<'k> Build<'k> {
    fn new(images: &'k [ImageKernels], id: BuildId) -> Option<Build<'k>> {
        let image = images.get(id.image)?;
        let row = match id.row {
            Ok(at) => Some(image.rows.get(at)?),
            Err(_) => None,
        };
        let name = match (row, id.row) {
            (Some(row), _) => &row.name.value,
            (_, Err(at)) => image.also_native.get(at)?,
            _ => return None,
        };
        Some(Build {
            id,
            row,
            device: &image.device,
            name,
        })
    }

    fn key(&self) -> (&'k str, &'k str) {
        (self.device, self.name)
    }
}

/// Returns the builds of kernels in images, without copies.
fn builds(images: &[ImageKernels]) -> Vec<Build<'_>> {
    let mut ids = Vec::new();
    for (image, of) in images.iter().enumerate().filter(|(_, of)| !of.is_copy) {
        let rows = of.rows.iter().enumerate();
        let rows = rows.filter(|(_, row)| row.is_kernel());
        ids.extend(rows.map(|(at, _)| BuildId { image, row: Ok(at) }));
        let names = 0..of.also_native.len();
        ids.extend(names.map(|at| BuildId {
            image,
            row: Err(at),
        }));
    }
    let builds = ids.into_iter();
    builds.filter_map(|id| Build::new(images, id)).collect()
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

/// The places of matching builds.
#[derive(Clone, Copy)]
struct MatchId {
    a: BuildId,
    b: BuildId,
    change: Change,
}

impl MatchId {
    fn of(self, images: Sides<&[ImageKernels]>) -> Option<Match<'_>> {
        Some(Match {
            a: Build::new(images.0, self.a)?,
            b: Build::new(images.1, self.b)?,
            change: self.change,
        })
    }
}

/// The kernels of a SPIR-V module, with their digests.
type Modules = HashMap<Span, HashMap<String, (KernelRow, Option<CodeDigest>)>>;

/// Whether the kernels of a document are in images.
pub(super) fn has_images(document: &Document) -> bool {
    document.summary.has.package || document.summary.has.host
}

/// The state of a comparison by device and name.
pub(super) struct KernelSteps {
    images: Sides<Vec<ImageKernels>>,
    /// All matching builds, those of two images in a row. The renamed ones are added later.
    matches: Vec<MatchId>,
    /// The builds without a counterpart, one for each device and name.
    lost: Sides<Vec<BuildId>>,
    /// Those among them that were renamed.
    renamed: Sides<HashSet<BuildId>>,
    /// The devices whose renamed kernels are searched for, the next one last.
    devices: Vec<Renaming>,
    /// The words of code that were seen in that search.
    seen: SeenWords,
    /// Number of matches that were compared; `None` while renamed kernels are searched for.
    compared: Option<usize>,
    modules: Sides<Modules>,
    /// Number of kernels whose code was or will be read: for the progress.
    progress: Progress,
}

/// The search for the renamed kernels of a device.
struct Renaming {
    /// The indices of its builds in `lost`.
    of: Sides<Vec<usize>>,
    signatures: Sides<Vec<Signature>>,
}

/// Maximum number of kernels that are compared in a step.
const STEP: usize = 32;

impl KernelSteps {
    pub(super) fn progress(&self) -> Progress {
        self.progress
    }
}

impl Comparer<'_> {
    /// Matches the kernels of both documents by device and name, if one of them is a library or a
    /// package. Returns the comparison of those, or `None`; in that case, the kernels are compared
    /// with the documents.
    pub(super) fn kernels_by_device(&mut self) -> Option<KernelSteps> {
        if !has_images(self.a) && !has_images(self.b) {
            return None;
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
            return None;
        };
        for (notes, which) in [(one.notes, "first"), (other.notes, "second")] {
            for note in notes {
                self.note(format!("the {which} file: {note}"));
            }
        }
        let images = (one.images, other.images);
        let (one, other) = (builds(&images.0), builds(&images.1));
        if one.is_empty() && other.is_empty() {
            return None;
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
        let mut matches = Vec::new();
        let mut lost: Sides<Vec<Build<'_>>> = (Vec::new(), Vec::new());
        let mut known: HashSet<(&str, &str)> = HashSet::new();
        for (a, place) in one.iter().zip(&found.of_a) {
            match place.and_then(|place| other.get(place)) {
                Some(b) => {
                    known.insert(a.key());
                    matches.push(MatchId {
                        a: a.id,
                        b: b.id,
                        change: Change::Changed,
                    });
                }
                None => lost.0.push(*a),
            }
        }
        let only = other.iter().zip(&found.is_matched);
        lost.1.extend(only.filter(|(_, is)| !**is).map(|(b, _)| *b));
        // Another number of builds is no other kernel.
        for lost in [&mut lost.0, &mut lost.1] {
            let mut seen = HashSet::new();
            lost.retain(|build| !known.contains(&build.key()) && seen.insert(build.key()));
        }
        let mut devices = self.renamings(&lost);
        devices.reverse();
        let signed = |of: &Renaming| of.of.0.len() + of.of.1.len();
        let work = matches.len() + devices.iter().map(signed).sum::<usize>();
        let ids = |builds: Vec<Build<'_>>| builds.iter().map(|build| build.id).collect();
        let lost = (ids(lost.0), ids(lost.1));
        Some(KernelSteps {
            matches,
            lost,
            renamed: Default::default(),
            devices,
            seen: SeenWords::default(),
            compared: None,
            modules: Default::default(),
            progress: Progress {
                done: 0,
                of: work as u64,
            },
            images,
        })
    }

    /// Compares some more kernels. Returns whether there are more.
    pub(super) fn step_kernels(&mut self, steps: &mut KernelSteps) -> bool {
        let before = steps.progress.done;
        if let Some(mut renaming) = steps.devices.pop() {
            let read = self.sign(steps, &mut renaming);
            steps.progress.done += read as u64;
            if read > 0 {
                steps.devices.push(renaming);
            } else {
                self.find_renamed(steps, &renaming);
            }
            return true;
        }
        let Some(at) = steps.compared else {
            self.begin_matches(steps);
            return !steps.matches.is_empty();
        };
        let next = steps.matches.get(at..).unwrap_or_default();
        let mut groups = next.chunk_by(|x, y| (x.a.image, x.b.image) == (y.a.image, y.b.image));
        let whole = groups.next().unwrap_or_default();
        let group = whole.get(..STEP).unwrap_or(whole);
        if group.is_empty() || self.work.is_over() {
            return false;
        }
        let images = (&*steps.images.0, &*steps.images.1);
        let found = group.iter().filter_map(|found| found.of(images));
        let found: Vec<Match<'_>> = found.collect();
        let is_same = self.compare_group(images, &found, &mut steps.modules);
        // All kernels of equal images are equal.
        let done = if is_same { whole.len() } else { group.len() };
        steps.compared = Some(at + done);
        steps.progress.done = before + done as u64;
        at + done < steps.matches.len()
    }

    /// Counts the kernels, and lists those of one file, once all matches are known.
    fn begin_matches(&mut self, steps: &mut KernelSteps) {
        // Compilers distribute kernels over images, so kernels of two images are not in a row.
        sort::by_key(&mut steps.matches, |found| (found.a.image, found.b.image));
        let images = (&*steps.images.0, &*steps.images.1);
        let matches: Vec<Match<'_>> = {
            let found = steps.matches.iter();
            found.filter_map(|found| found.of(images)).collect()
        };
        self.count_devices(&builds(images.0), &builds(images.1), &matches);
        let sides = [
            (&steps.lost.0, &steps.renamed.0, images.0, Change::Removed),
            (&steps.lost.1, &steps.renamed.1, images.1, Change::Added),
        ];
        for (lost, renamed, images, change) in sides {
            let lost = lost.iter().filter(|id| !renamed.contains(id));
            for build in lost.filter_map(|id| Build::new(images, *id)) {
                let image = images.get(build.id.image).map(|image| image.span);
                let span = build.row.map(|row| row.entry).or(image);
                let (a, b) = match change {
                    Change::Removed => (span, None),
                    _ => (None, span),
                };
                let mut entry = entry(&build, change, 0).at(a, b);
                entry.measures = match change {
                    Change::Removed => measure::measures(build.row, None, None),
                    _ => measure::measures(None, build.row, None),
                };
                self.push(entry);
            }
        }
        steps.compared = Some(0);
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
        let images = (vec![one], vec![other]);
        let id = BuildId {
            image: 0,
            row: Ok(0),
        };
        let found = MatchId {
            a: id,
            b: id,
            change: Change::Changed,
        };
        let (Some(found), [one], [other]) =
            (found.of((&images.0, &images.1)), &*images.0, &*images.1)
        else {
            return false;
        };
        if one.is_spirv {
            self.spirv_kernels((one, other), &[found], &mut Default::default());
        } else {
            self.with_temporary_expanders(|comparer| {
                comparer.native_kernels((one, other), &[found]);
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

    /// Returns the devices with native kernels in both files that have no counterpart.
    fn renamings(&mut self, lost: &Sides<Vec<Build<'_>>>) -> Vec<Renaming> {
        let mut devices: Vec<&Str> = Vec::new();
        for build in &lost.0 {
            if !devices.contains(&build.device) {
                devices.push(build.device);
            }
        }
        let mut found = Vec::new();
        for device in devices {
            let of = |builds: &[Build<'_>]| -> Vec<usize> {
                let of = builds.iter().enumerate();
                let of = of.filter(|(_, build)| {
                    build.device == device && build.row.is_some_and(|row| !row.is_spirv)
                });
                of.map(|(at, _)| at).collect()
            };
            let of = (of(&lost.0), of(&lost.1));
            if of.0.is_empty() || of.1.is_empty() {
                continue;
            }
            if of.0.len().max(of.1.len()) > SEARCHED_MAX {
                self.note_about(
                    device,
                    "too many new and removed kernels to find out which were renamed",
                );
                continue;
            }
            found.push(Renaming {
                of,
                signatures: Default::default(),
            });
        }
        found
    }

    /// Reads the code of some more kernels of a device. Returns their number; 0 if all are read.
    fn sign(&mut self, steps: &mut KernelSteps, renaming: &mut Renaming) -> usize {
        let sides = [
            (
                Comparand::A,
                &*steps.images.0,
                &steps.lost.0,
                &renaming.of.0,
                &mut renaming.signatures.0,
            ),
            (
                Comparand::B,
                &*steps.images.1,
                &steps.lost.1,
                &renaming.of.1,
                &mut renaming.signatures.1,
            ),
        ];
        for (which, images, lost, of, signatures) in sides {
            let left = of.get(signatures.len()..).unwrap_or_default();
            let next = left.get(..STEP).unwrap_or(left);
            if next.is_empty() {
                continue;
            }
            let ids = next.iter().filter_map(|at| lost.get(*at));
            let builds: Vec<Build<'_>> = ids.filter_map(|id| Build::new(images, *id)).collect();
            let seen = &mut steps.seen;
            let read = self.with_temporary_expanders(|comparer| {
                comparer.signatures(which, images, &builds, seen)
            });
            signatures.extend(read);
            // Places of both lists must agree.
            let read = of.len() - left.len() + next.len();
            signatures.resize(read, Signature::default());
            return next.len();
        }
        0
    }

    /// Matches the renamed kernels of a device by arguments and code.
    fn find_renamed(&mut self, steps: &mut KernelSteps, renaming: &Renaming) {
        let (one, other) = (&renaming.of.0, &renaming.of.1);
        let (signs_a, signs_b) = (&renaming.signatures.0, &renaming.signatures.1);
        for (a, b) in renamed(signs_a, signs_b, &mut self.work) {
            let a = one.get(a).and_then(|at| steps.lost.0.get(*at));
            let b = other.get(b).and_then(|at| steps.lost.1.get(*at));
            if let (Some(a), Some(b)) = (a, b) {
                steps.renamed.0.insert(*a);
                steps.renamed.1.insert(*b);
                steps.progress.of += 1;
                steps.matches.push(MatchId {
                    a: *a,
                    b: *b,
                    change: Change::Renamed,
                });
            }
        }
    }

    fn signatures(
        &mut self,
        which: Comparand,
        images: &[ImageKernels],
        builds: &[Build<'_>],
        seen: &mut SeenWords,
    ) -> Vec<Signature> {
        let mut code: HashMap<usize, Option<CodeOf>> = HashMap::new();
        let mut found = Vec::new();
        for build in builds {
            let Some(image) = images.get(build.id.image) else {
                found.push(Signature::default());
                continue;
            };
            let code = code
                .entry(build.id.image)
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

    /// Compares kernels of two images. Returns whether the images have the same bytes.
    fn compare_group(
        &mut self,
        images: Sides<&[ImageKernels]>,
        group: &[Match<'_>],
        modules: &mut Sides<Modules>,
    ) -> bool {
        let Some(first) = group.first() else {
            return false;
        };
        let one = images.0.get(first.a.id.image);
        let other = images.1.get(first.b.id.image);
        let (Some(one), Some(other)) = (one, other) else {
            return false;
        };
        match self.same_bytes(one.span, other.span) {
            Ok(true) => return true,
            Ok(false) => {}
            Err(error) => {
                self.note(error);
                return false;
            }
        }
        if one.is_spirv && other.is_spirv {
            self.spirv_kernels((one, other), group, modules);
        } else {
            self.with_temporary_expanders(|comparer| {
                comparer.native_kernels((one, other), group);
            });
        }
        false
    }

    fn pair_of(&mut self, (one, other): Sides<&ImageKernels>) -> u32 {
        let spans = (one.span, other.span);
        let known = self.result.pairs.last();
        // The kernels of two images may be compared in several steps.
        if known.is_some_and(|pair| (pair.a, pair.b) == spans && pair.path == one.path) {
            return u32::try_from(self.result.pairs.len().saturating_sub(1)).unwrap_or(u32::MAX);
        }
        self.add_pair(&one.path, &other.path, spans, 0)
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
