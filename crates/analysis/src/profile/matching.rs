//! Finds the code that a profile was sampled on.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;

use super::fit::{Fit, Rejection, Shape};
use super::kernel_index::{Demangler, KernelIndex, ListOfItems, simd_width};
use super::report::{
    ImageKernel, KernelMetrics, KernelProfile, KernelTiming, ProfileReport, RejectedImage,
    UnmatchedKernel,
};
use super::timing::is_command;
use super::{OffsetSamples, Profile, RunProperties, SampledKernel, TimedKernel, add, total};
use zeview_core::analysis::assembly::Listing;
use zeview_core::analysis::kernels::{KernelRow, PLACEHOLDER};
use zeview_core::model::{Document, NodeId, Outcome, Span, sort};

/// Maximum number of different codes that are listed for a kernel.
const CODES_MAX: usize = 8;

/// Maximum number of images that are listed for a kernel or a code.
const IMAGES_MAX: usize = 64;

/// Maximum number of offsets compared with code, of all kernels and images.
const WORK_MAX: u64 = 1 << 26;

/// The work of comparing a block with code, apart from its offsets.
const BLOCK_COST: u64 = 8;

/// The reason for offsets that were not compared.
const NOT_COMPARED: &str = "not compared with the code: too many images and offsets";

/// The reason for a name that is not in the file.
const NO_KERNEL: &str = "no kernel of this name";

/// A kernel of an image.
struct Candidate {
    document: NodeId,
    index: u64,
    kernel: String,
    /// The section of its code.
    code: Option<Span>,
    /// The length of the kernel's code in the section, without padding and functions.
    len: u64,
    /// Whether the image has code that belongs to no kernel, and that may follow this one in memory.
    is_followed: bool,
    /// The SIMD width; 0 if the file does not give it.
    simd_width: i64,
    /// Spill, private and shared local memory in bytes; `None` if it is unknown.
    sizes: [Option<i64>; 3],
    /// A hash of the code, once it was compared; `None` if it cannot be read.
    hash: Option<Option<u64>>,
}

/// What the report says of an image.
#[derive(Clone)]
struct ImageFacts {
    path: String,
    target: Option<String>,
    /// Whether the driver of the image's device compiles it again.
    is_recompiled: bool,
}

/// The candidates with a name by SIMD width, the first [`IMAGES_MAX`] of each.
type ByWidth = HashMap<i64, Vec<usize>>;

/// Code with the name of a kernel, and how each block of rows fits it.
pub(super) struct Candidates {
    /// The candidates that have it.
    items: Vec<usize>,
    /// The blocks that fit it, in ascending order, and the rank of each fit.
    fits: Vec<(u32, (u64, u64))>,
    /// Why the first block that does not fit it does not.
    reason: Option<String>,
}

/// Code with the name of a kernel, and why blocks of rows do not fit it.
pub(super) struct Codes {
    all: Vec<Candidates>,
    /// Of each block, the first two different reasons why code does not fit.
    rejections: Vec<Vec<Rejection>>,
}

/// The blocks of rows that are shown together.
struct Group {
    /// Indices of the codes that they fit.
    codes: Vec<usize>,
    blocks: Vec<usize>,
    is_assumed: bool,
}

pub(super) struct Matcher<'a> {
    pub(super) document: &'a mut Document,
    /// The name of an encoding or a device; by default that of each image.
    encoding: Option<&'a str>,
    candidates: Vec<Candidate>,
    index: KernelIndex<'a>,
    /// The images that are listed.
    images: HashMap<NodeId, ImageFacts>,
    widths: HashMap<ListOfItems, ByWidth>,
    work: u64,
}

/// Finds the kernels of a profile in the documents, and attributes the samples to their code.
/// `documents` are those with kernels. `encoding` is the name of an encoding or a device; by
/// default that of the device of each image. `demangle` is needed for names that another
/// demangler has written in another way.
pub fn apply_profile(
    document: &mut Document,
    documents: &[NodeId],
    profile: &Profile,
    encoding: Option<&str>,
    demangle: Demangler<'_>,
) -> ProfileReport {
    let mut matcher = Matcher {
        document,
        encoding,
        candidates: Vec::new(),
        index: KernelIndex::new(demangle),
        images: HashMap::new(),
        widths: HashMap::new(),
        work: WORK_MAX,
    };
    for id in documents {
        matcher.add_kernels(*id);
    }
    let mut report = ProfileReport {
        types: profile.types.clone(),
        samples: vec![0; profile.types.len()],
        ..ProfileReport::default()
    };
    let mut named: BTreeMap<(Option<u32>, &str), Vec<&SampledKernel>> = BTreeMap::new();
    for kernel in &profile.kernels {
        add(&mut report.samples, &kernel.samples(profile.types.len()));
        let blocks = named.entry((kernel.device, &*kernel.name)).or_default();
        blocks.push(kernel);
    }
    for blocks in named.into_values() {
        matcher.sampled(&profile.types, &blocks, &mut report);
    }
    sort::by(&mut report.kernels, |a, b| {
        total(&b.samples).cmp(&total(&a.samples))
    });
    sort::by(&mut report.unmatched, |a, b| {
        total(&b.samples).cmp(&total(&a.samples))
    });
    for kernel in &profile.metrics {
        let (found, reason) = match matcher.measured(&kernel.name) {
            Ok(found) => (found, None),
            Err(reason) => (Vec::new(), Some(reason)),
        };
        report.metrics.push(KernelMetrics {
            device: kernel.device,
            name: kernel.name.clone(),
            instances: kernel.instances,
            rows: kernel.rows,
            metrics: kernel.metrics.clone(),
            images: found
                .into_iter()
                .filter_map(|at| matcher.image(at))
                .collect(),
            reason,
        });
    }
    report.timings = profile
        .timings
        .iter()
        .map(|kernel| matcher.timed(kernel))
        .collect();
    report.counts = profile
        .counted
        .iter()
        .map(|kernel| matcher.counted(kernel))
        .collect();
    report
}

impl Matcher<'_> {
    /// Adds the kernels of an image.
    fn add_kernels(&mut self, document: NodeId) {
        let Some(kernels) = self.document.kernels(document) else {
            return;
        };
        let assembly = self.document.assembly(document);
        let sections = assembly.map(|assembly| assembly.sections());
        let sections = sections.as_deref().unwrap_or_default();
        let of_kernel = |section: &zeview_core::analysis::source_lines::CodeSection| {
            Some((section.kernel.as_ref()?.1, section.bytes))
        };
        let code: HashMap<Span, Span> = sections.iter().filter_map(of_kernel).collect();
        let is_of_none = |section: &zeview_core::analysis::source_lines::CodeSection| {
            let kernel = section.kernel.as_ref();
            kernel.is_none_or(|(name, _)| name == PLACEHOLDER)
        };
        let is_followed = sections.iter().any(is_of_none);
        for row in kernels.rows(&self.document.sources).iter() {
            // Only native code is sampled.
            if row.is_spirv || !row.is_kernel() {
                continue;
            }
            let (name, demangled) = row.names();
            let code = code.get(&row.entry).copied();
            let section = code.map_or(0, Span::len);
            let len = row.code_size.map_or(section, |size| size.value);
            self.index.add(self.candidates.len(), name, demangled);
            self.candidates.push(Candidate {
                document,
                index: row.index,
                kernel: name.to_owned(),
                code,
                len: if len == 0 { section } else { len.min(section) },
                is_followed,
                simd_width: row.simd_size.value,
                sizes: sizes(row),
                hash: None,
            });
        }
    }

    /// Returns the kernel of a candidate, for a report.
    fn image(&mut self, at: usize) -> Option<ImageKernel> {
        let candidate = self.candidates.get(at)?;
        let document = candidate.document;
        let (index, kernel) = (candidate.index, candidate.kernel.clone());
        let code = candidate.code.unwrap_or_default();
        let facts = self.facts(document);
        Some(ImageKernel {
            document,
            path: facts.path,
            index,
            kernel,
            target: facts.target,
            code,
        })
    }

    /// Returns what the report says of an image.
    fn facts(&mut self, document: NodeId) -> ImageFacts {
        if let Some(known) = self.images.get(&document) {
            return known.clone();
        }
        let verdict = self.document.verdict(document, None);
        let outcome = verdict.as_ref().map(|verdict| verdict.outcome);
        let target = verdict.and_then(|verdict| verdict.device);
        let facts = ImageFacts {
            path: self.document.path(document),
            target: target.map(|target| target.to_string()),
            is_recompiled: outcome == Some(Outcome::Recompiled),
        };
        self.images.insert(document, facts.clone());
        facts
    }

    /// Returns the images of candidates, for a report.
    pub(super) fn images(&mut self, candidates: &[usize]) -> Vec<ImageKernel> {
        let candidates = candidates.iter().take(IMAGES_MAX);
        candidates.filter_map(|at| self.image(*at)).collect()
    }

    /// Returns the kernels with a name and SIMD width, at most [`IMAGES_MAX`], or the reason why
    /// there are none.
    fn measured(&mut self, name: &str) -> Result<Vec<usize>, String> {
        let Some(list) = self.index.find(name) else {
            return Err(if is_command(name) {
                "a command of the driver, not a kernel".to_owned()
            } else {
                NO_KERNEL.to_owned()
            });
        };
        let found = self.index.items(list);
        let Some(width) = simd_width(name) else {
            return Ok(found.iter().copied().take(IMAGES_MAX).collect());
        };
        // The driver compiles kernels without native code for any width.
        let of = |at: usize| {
            self.candidates
                .get(at)
                .map_or(0, |kernel| kernel.simd_width)
        };
        let widths = self.widths.entry(list).or_insert_with(|| {
            let mut widths = ByWidth::new();
            for at in found {
                let same = widths.entry(of(*at)).or_default();
                if same.len() < IMAGES_MAX {
                    same.push(*at);
                }
            }
            widths
        });
        let any_width = widths.get(&0).filter(|_| width != 0);
        let same = widths.get(&width).into_iter().chain(any_width);
        let mut same: Vec<usize> = same.flatten().copied().collect();
        if same.is_empty() {
            let other = found.first().map_or(0, |at| of(*at));
            return Err(format!(
                "the kernel of this name has SIMD width {other}; this profile is of another build"
            ));
        }
        sort::ascending(&mut same);
        same.truncate(IMAGES_MAX);
        Ok(same)
    }

    pub(super) fn listing(&self, at: usize) -> Option<Rc<dyn Listing>> {
        let candidate = self.candidates.get(at)?;
        let assembly = self.document.assembly(candidate.document)?;
        let sources = &self.document.sources;
        assembly
            .listing(candidate.code?, self.encoding, sources)
            .ok()
    }

    /// Returns the layout of the section of a candidate.
    pub(super) fn shape(&self, at: usize) -> Shape {
        let found = self.candidates.get(at);
        let found = found.and_then(|candidate| Some((candidate, candidate.code?)));
        found.map_or_else(Shape::default, |(candidate, code)| {
            Shape::new(self.document, candidate.document, code, candidate.len)
        })
    }

    /// Returns the different codes of kernels with a name, and how blocks of rows fit each.
    pub(super) fn codes(&mut self, name: &str, blocks: &[&[OffsetSamples]]) -> Codes {
        let found = self.index.find(name);
        let found = found.map_or_else(Vec::new, |list| self.index.items(list).to_vec());
        let mut codes: Vec<Candidates> = Vec::new();
        let mut rejections = vec![Vec::new(); blocks.len()];
        // Images often share code: compare it once.
        let mut known: HashMap<(u64, u64), usize> = HashMap::new();
        for at in found {
            let key = self.code_hash(at);
            let place = key.and_then(|key| known.get(&key).copied());
            if let Some(code) = place.and_then(|place| codes.get_mut(place)) {
                code.items.push(at);
                continue;
            }
            if let Some(key) = key {
                known.insert(key, codes.len());
            }
            let mut code = Candidates {
                items: vec![at],
                fits: Vec::new(),
                reason: None,
            };
            self.check(at, blocks, &mut |block, fit| match fit {
                Ok(fit) => code.fits.push((block, fit.rank())),
                Err(rejection) => {
                    code.reason.get_or_insert_with(|| rejection.reason.clone());
                    let place = usize::try_from(block).ok();
                    let known = place.and_then(|place| rejections.get_mut(place));
                    // With two different reasons, the message names neither.
                    if let Some(known) = known.filter(|known: &&mut Vec<Rejection>| known.len() < 2)
                        && !known.contains(&rejection)
                    {
                        known.push(rejection);
                    }
                }
            });
            codes.push(code);
            if self.work == 0 {
                break;
            }
        }
        Codes {
            all: codes,
            rejections,
        }
    }

    /// Adds the blocks of a kernel on a device to the report.
    fn sampled(&mut self, types: &[String], blocks: &[&SampledKernel], report: &mut ProfileReport) {
        let Some(first) = blocks.first() else { return };
        let offsets: Vec<&[OffsetSamples]> = blocks.iter().map(|block| &*block.offsets).collect();
        let codes = self.codes(&first.name, &offsets);
        let (groups, lost) = grouped(&codes, blocks.len());
        let modules = |of: &mut dyn Iterator<Item = usize>| {
            let blocks = of.filter_map(|at| blocks.get(at));
            blocks
                .map(|block| block.blocks)
                .fold(0, u64::saturating_add)
        };
        for group in groups {
            let merged = merged(group.blocks.iter().filter_map(|at| offsets.get(*at)));
            let mut samples = vec![0; types.len()];
            merged.iter().for_each(|at| add(&mut samples, &at.counts));
            let mut shown = Vec::new();
            for code in group.codes.iter().take(CODES_MAX) {
                let Some(code) = codes.all.get(*code) else {
                    continue;
                };
                let Some(at) = code.items.first() else {
                    continue;
                };
                let images = self.images(&code.items);
                let Some(listing) = self.listing(*at) else {
                    continue;
                };
                let shape = self.shape(*at);
                let code = (&*listing, &shape);
                shown.push(super::attribution::attribute(
                    self.document,
                    code,
                    images,
                    &merged,
                    types,
                ));
            }
            let of_codes = shown.iter().map(|code| total(&code.samples(types.len())));
            let located = of_codes.max().unwrap_or(0);
            report.located = report.located.saturating_add(located);
            let rejected = self.rejected(&codes, &group.codes);
            let assumption = group.is_assumed.then(|| {
                "the samples fit other builds in the file, too, but other modules with a kernel of this \
                 name ran those"
                    .to_owned()
            });
            report.kernels.push(KernelProfile {
                device: first.device,
                name: first.name.to_string(),
                blocks: modules(&mut group.blocks.iter().copied()),
                of_blocks: modules(&mut (0..blocks.len())),
                assumption,
                samples,
                codes: shown,
                rejected,
            });
        }
        for (reason, of) in lost {
            let merged = merged(of.iter().filter_map(|at| offsets.get(*at)));
            let mut samples = vec![0; types.len()];
            merged.iter().for_each(|at| add(&mut samples, &at.counts));
            let rejected = self.rejected(&codes, &[]);
            report.unmatched.push(UnmatchedKernel {
                device: first.device,
                name: first.name.to_string(),
                samples,
                reason,
                rejected,
            });
        }
    }

    /// Returns the images whose code is not one of these, with the reason why rows do not fit.
    pub(super) fn rejected(&mut self, codes: &Codes, accepted: &[usize]) -> Vec<RejectedImage> {
        let mut rejected = Vec::new();
        for (at, code) in codes.all.iter().enumerate() {
            if accepted.contains(&at) {
                continue;
            }
            let reason = code.reason.as_deref();
            let reason = reason.unwrap_or("other code in the file fits better");
            let room = IMAGES_MAX.saturating_sub(rejected.len());
            for item in code.items.iter().take(room) {
                if let Some(image) = self.image(*item) {
                    let reason = reason.to_owned();
                    rejected.push(RejectedImage { image, reason });
                }
            }
        }
        rejected
    }

    /// Finds the kernels of device times.
    fn timed(&mut self, timed: &TimedKernel) -> KernelTiming {
        let properties = timed.properties.unwrap_or_default();
        let (mut found, mut reason) = match self.measured(&timed.name) {
            Ok(found) => (found, None),
            Err(reason) => (Vec::new(), Some(reason)),
        };
        let has_width = |candidate: &Candidate| {
            let simd = properties.simd.filter(|simd| *simd > 1);
            simd.is_none_or(|simd| {
                candidate.simd_width == 0 || u64::try_from(candidate.simd_width) == Ok(simd)
            })
        };
        let candidates = &self.candidates;
        let is_of_width = |at: &usize| candidates.get(*at).is_some_and(has_width);
        if !found.is_empty() && !found.iter().any(is_of_width) {
            let simd = properties.simd.unwrap_or(0);
            reason = Some(format!(
                "the kernel ran with SIMD width {simd}, which no build in the file has"
            ));
        }
        found.retain(is_of_width);
        // Of several builds, those with the sizes that the driver reported.
        let has_sizes = |at: &usize| {
            let candidate = candidates.get(*at);
            candidate.is_some_and(|candidate| differences(candidate, &properties).is_empty())
        };
        if found.iter().any(has_sizes) {
            found.retain(has_sizes);
        }
        let first = found.first().and_then(|at| candidates.get(*at));
        let mut notes = first.map_or_else(Vec::new, |first| differences(first, &properties));
        let documents = found.iter();
        let documents = documents.filter_map(|at| Some(candidates.get(*at)?.document));
        let documents: BTreeSet<NodeId> = sort::set(documents);
        let mut documents = documents.into_iter().peekable();
        let is_recompiled = documents.peek().is_some()
            && documents.all(|document| self.facts(document).is_recompiled);
        let compiled = properties
            .is_aot
            .map(|is_aot| match (is_aot, is_recompiled) {
                (true, true) => "AOT, but the driver recompiled it",
                (true, false) => "AOT",
                (false, _) => "JIT",
            });
        if properties.is_aot == Some(true) && !is_recompiled && !notes.is_empty() {
            let note = "the kernel that ran is another build, or the driver recompiled it";
            notes.push(note.to_owned());
        }
        KernelTiming {
            tile: timed.tile,
            name: timed.name.clone(),
            times: timed.times,
            properties: timed.properties,
            compiled: compiled.map(str::to_owned),
            notes,
            images: self.images(&found),
            reason,
        }
    }

    /// Returns a hash of the code of a candidate, and its length.
    fn code_hash(&mut self, at: usize) -> Option<(u64, u64)> {
        let sources = &self.document.sources;
        let candidate = self.candidates.get_mut(at)?;
        let code = candidate.code;
        let hash = candidate.hash.get_or_insert_with(|| {
            let bytes = sources.read(code?).ok()?;
            let mut hasher = DefaultHasher::new();
            bytes.hash(&mut hasher);
            Some(hasher.finish())
        });
        Some(((*hash)?, candidate.len))
    }

    /// Compares the offsets of blocks with the instructions of a candidate. Passes how each fits to `to`.
    fn check(
        &mut self,
        at: usize,
        blocks: &[&[OffsetSamples]],
        to: &mut dyn FnMut(u32, Result<Fit, Rejection>),
    ) {
        let candidate = self.candidates.get(at);
        let code = candidate.and_then(|found| found.code);
        let is_followed = candidate.is_some_and(|found| found.is_followed);
        let listing = self.listing(at);
        let unknown = match (code, &listing) {
            (Some(code), Some(_)) if !code.is_empty() => None,
            (Some(code), None) if !code.is_empty() => Some("the code cannot be read"),
            _ => Some("the kernel has no native code"),
        };
        let shape = self.shape(at);
        let sources = &self.document.sources;
        for (number, block) in (0..).zip(blocks) {
            let cost = block.len() as u64 + BLOCK_COST;
            let (Some(listing), None) = (&listing, unknown) else {
                to(number, Err(Rejection::unknown(unknown.unwrap_or_default())));
                continue;
            };
            let Some(left) = self.work.checked_sub(cost) else {
                self.work = 0;
                to(number, Err(Rejection::unknown(NOT_COMPARED)));
                continue;
            };
            self.work = left;
            let mut fit = Fit::default();
            for at in *block {
                let place = shape.place(at.offset, &**listing, sources);
                fit.add(place, at.offset, &at.counts);
            }
            to(number, fit.judge(shape.end(), is_followed).map(|()| fit));
        }
    }
}

/// Returns the sizes of a kernel that the driver reports, too.
fn sizes(row: &KernelRow) -> [Option<i64>; 3] {
    [
        row.spill_size.figure.ok(),
        row.private_size.figure.ok(),
        Some(row.slm_size.value),
    ]
}

/// Returns the differences between a kernel in the file and the one that ran, in sentences.
fn differences(candidate: &Candidate, run: &RunProperties) -> Vec<String> {
    let [spill, private, slm] = candidate.sizes;
    let all = [
        ("spill memory", "thread", spill, run.spill),
        ("private memory", "thread", private, run.private),
        ("shared local memory", "work-group", slm, run.slm),
    ];
    let different = all.into_iter().filter_map(|(what, per, file, run)| {
        let file = u64::try_from(file?).ok()?;
        let run = run.filter(|run| *run != file)?;
        Some(format!(
            "{what}: {run} bytes per {per} in the run, {file} in the file"
        ))
    });
    different.collect()
}

/// Sums the samples of blocks by offset.
fn merged<'a>(blocks: impl Iterator<Item = &'a &'a [OffsetSamples]>) -> Vec<OffsetSamples> {
    let mut all: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
    for at in blocks.copied().flatten() {
        match all.get_mut(&at.offset) {
            Some(sum) => add(sum, &at.counts),
            None => {
                all.insert(at.offset, at.counts.clone());
            }
        }
    }
    let all = all.into_iter();
    all.map(|(offset, counts)| OffsetSamples { offset, counts })
        .collect()
}

/// Returns the indices of the codes that the first block of rows fits best, or the reason why there are
/// none.
pub(super) fn best(codes: &Codes) -> (Vec<usize>, Option<String>) {
    let (groups, lost) = grouped(codes, 1);
    let first = groups.into_iter().next();
    let codes = first.map_or_else(Vec::new, |group| group.codes);
    (codes, lost.into_keys().next())
}

/// Returns the candidates that have a code.
pub(super) fn items(codes: &Codes, at: usize) -> &[usize] {
    codes.all.get(at).map_or(&[], |code| &code.items)
}

/// Divides `count` blocks of rows into those that fit the same codes, and the others by the reason.
///
/// Blocks are of different modules. If there are not more of them than different codes, a block that
/// fits several codes is assumed to be of one that no other block is certainly of: an application has
/// little reason to load the same module twice.
fn grouped(codes: &Codes, count: usize) -> (Vec<Group>, BTreeMap<String, Vec<usize>>) {
    // Of each block, the best rank so far and the codes that have it.
    let mut best: Vec<Option<(u64, u64)>> = vec![None; count];
    let mut accepted: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (at, code) in codes.all.iter().enumerate() {
        for (block, rank) in &code.fits {
            let block = usize::try_from(*block).unwrap_or(usize::MAX);
            let (Some(best), Some(fitting)) = (best.get_mut(block), accepted.get_mut(block)) else {
                continue;
            };
            if best.is_none_or(|best| *rank < best) {
                *best = Some(*rank);
                fitting.clear();
            }
            if *best == Some(*rank) {
                fitting.push(at);
            }
        }
    }
    let mut lost: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    let fitting = accepted.iter().enumerate();
    for (block, _) in fitting.filter(|(_, codes)| codes.is_empty()) {
        let rejections = codes.rejections.get(block).map_or(&[][..], Vec::as_slice);
        lost.entry(reason(rejections)).or_default().push(block);
    }
    let all: BTreeSet<usize> = sort::set(accepted.iter().flatten().copied());
    let mut is_assumed = vec![false; count];
    if count > 1 && count <= all.len() {
        assume(&mut accepted, &mut is_assumed);
    }
    let mut groups: Vec<Group> = Vec::new();
    let mut known: HashMap<(Vec<usize>, bool), usize> = HashMap::new();
    let blocks = accepted.into_iter().zip(is_assumed).enumerate();
    for (block, (codes, is_assumed)) in blocks.filter(|(_, (codes, _))| !codes.is_empty()) {
        let place = *known.entry((codes.clone(), is_assumed)).or_insert_with(|| {
            groups.push(Group {
                codes,
                blocks: Vec::new(),
                is_assumed,
            });
            groups.len() - 1
        });
        if let Some(group) = groups.get_mut(place) {
            group.blocks.push(block);
        }
    }
    (groups, lost)
}

/// Removes codes that other blocks are certainly of from blocks that fit several, until nothing changes.
fn assume(accepted: &mut [Vec<usize>], is_assumed: &mut [bool]) {
    let mut taken: BTreeSet<usize> = BTreeSet::new();
    loop {
        let before = taken.len();
        let certain = accepted.iter().filter(|codes| codes.len() == 1);
        taken.extend(certain.flatten());
        if taken.len() == before {
            return;
        }
        for (codes, is_assumed) in accepted.iter_mut().zip(is_assumed.iter_mut()) {
            let is_left = codes.iter().any(|code| !taken.contains(code));
            let is_cut = codes.iter().any(|code| taken.contains(code));
            if codes.len() > 1 && is_left && is_cut {
                codes.retain(|code| !taken.contains(code));
                *is_assumed = true;
            }
        }
    }
}

/// Returns why a block has no code, from the first two different reasons.
fn reason(rejections: &[Rejection]) -> String {
    match rejections {
        [] => NO_KERNEL.to_owned(),
        [only] if only.is_other_build => {
            format!("{}; this profile is of another build", only.reason)
        }
        [only] => only.reason.clone(),
        _ => "the offsets fit none of the images; this profile is of another build".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_of_different_codes_if_there_are_enough() {
        let assumed = |mut accepted: Vec<Vec<usize>>| {
            let mut is_assumed = vec![false; accepted.len()];
            assume(&mut accepted, &mut is_assumed);
            (accepted, is_assumed)
        };
        let (accepted, is_assumed) = assumed(vec![vec![0, 1, 2], vec![0], vec![0, 1]]);
        assert_eq!(accepted, [vec![2], vec![0], vec![1]]);
        assert_eq!(is_assumed, [true, false, true]);
        // Nothing is certain, or nothing else is left.
        let (accepted, is_assumed) = assumed(vec![vec![0, 1], vec![0, 1]]);
        assert_eq!(accepted, [vec![0, 1], vec![0, 1]]);
        assert_eq!(is_assumed, [false, false]);
        let (accepted, _) = assumed(vec![vec![0], vec![0]]);
        assert_eq!(accepted, [vec![0], vec![0]]);
    }
}
