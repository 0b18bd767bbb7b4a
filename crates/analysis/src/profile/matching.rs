//! Finds the code that a profile was sampled on.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;

use super::kernel_index::{Demangler, KernelIndex, ListOfItems, simd_width};
use super::report::{
    ImageKernel, KernelMetrics, KernelProfile, ProfileReport, RejectedImage, UnmatchedKernel,
};
use super::{Profile, SampledKernel, add, total};
use zeview_core::analysis::assembly::Listing;
use zeview_core::model::{Document, NodeId, Span, sort};

/// Maximum number of different codes that are listed for a kernel.
const CODES_MAX: usize = 8;

/// Maximum number of images that are listed for a kernel or a code.
const IMAGES_MAX: usize = 64;

/// Maximum number of offsets compared with code, of all kernels and images.
const WORK_MAX: u64 = 1 << 26;

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
    /// The length of the code, without padding.
    len: u64,
    /// The SIMD width; 0 if the file does not give it.
    simd_width: i64,
    /// A hash of the code, once it was compared; `None` if it cannot be read.
    hash: Option<Option<u64>>,
}

/// The candidates with a name by SIMD width, the first [`IMAGES_MAX`] of each.
type ByWidth = HashMap<i64, Vec<usize>>;

/// Code that samples fit.
struct Fit {
    hash: u64,
    /// The candidates that have it.
    candidates: Vec<usize>,
}

/// The reason why samples cannot be of some code.
#[derive(Clone, PartialEq, Eq)]
struct Rejection {
    reason: String,
    /// Whether the offsets were compared, and do not fit.
    is_other_build: bool,
}

impl Rejection {
    /// Returns the rejection of code that was not compared.
    fn unknown(reason: &str) -> Rejection {
        Rejection {
            reason: reason.to_owned(),
            is_other_build: false,
        }
    }

    fn other_build(reason: String) -> Rejection {
        Rejection {
            reason,
            is_other_build: true,
        }
    }
}

struct Matcher<'a> {
    document: &'a mut Document,
    /// The name of an encoding or a device; by default that of each image.
    encoding: Option<&'a str>,
    candidates: Vec<Candidate>,
    index: KernelIndex<'a>,
    /// The images that are listed, without the kernel.
    images: HashMap<NodeId, (String, Option<String>)>,
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
    for kernel in &profile.kernels {
        let samples = kernel.samples(profile.types.len());
        add(&mut report.samples, &samples);
        match matcher.kernel(profile, kernel, samples) {
            Ok(kernel) => report.kernels.push(kernel),
            Err(kernel) => report.unmatched.push(kernel),
        }
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
                simd_width: row.simd_size.value,
                hash: None,
            });
        }
    }

    /// Returns the kernel of a candidate, for a report.
    fn image(&mut self, at: usize) -> Option<ImageKernel> {
        let candidate = self.candidates.get(at)?;
        let document = candidate.document;
        let of_kernel = |(path, target): (String, Option<String>)| ImageKernel {
            document,
            path,
            index: candidate.index,
            kernel: candidate.kernel.clone(),
            target,
            code: candidate.code.unwrap_or_default(),
        };
        if let Some(known) = self.images.get(&document) {
            return Some(of_kernel(known.clone()));
        }
        let verdict = self.document.verdict(document, None);
        let target = verdict.and_then(|verdict| verdict.device);
        let image = (
            self.document.path(document),
            target.map(|target| target.to_string()),
        );
        self.images.insert(document, image.clone());
        Some(of_kernel(image))
    }

    /// Returns the kernels with a name and SIMD width, at most [`IMAGES_MAX`], or the reason why
    /// there are none.
    fn measured(&mut self, name: &str) -> Result<Vec<usize>, String> {
        let Some(list) = self.index.find(name) else {
            return Err(if name.starts_with("zeCommandList") {
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

    fn listing(&self, at: usize) -> Option<Rc<dyn Listing>> {
        let candidate = self.candidates.get(at)?;
        let assembly = self.document.assembly(candidate.document)?;
        let sources = &self.document.sources;
        assembly
            .listing(candidate.code?, self.encoding, sources)
            .ok()
    }

    /// Returns the code of a kernel, or the reason why there is none.
    fn kernel(
        &mut self,
        profile: &Profile,
        kernel: &SampledKernel,
        samples: Vec<u64>,
    ) -> Result<KernelProfile, UnmatchedKernel> {
        let found = self.index.find(&kernel.name);
        let found = found.map_or_else(Vec::new, |list| self.index.items(list).to_vec());
        let mut fits: Vec<Fit> = Vec::new();
        let mut known: HashMap<(u64, u64), Result<(), Rejection>> = HashMap::new();
        let mut rejected = Vec::new();
        let mut rejections: Vec<Rejection> = Vec::new();
        for at in found {
            if self.work == 0 {
                // Reported below if it is the first one.
                rejections.push(Rejection::unknown(NOT_COMPARED));
                break;
            }
            self.work -= 1;
            // Images often share code: compare it once.
            let key = self.code_hash(at);
            let before = key.and_then(|key| known.get(&key).cloned());
            let result = before.unwrap_or_else(|| self.check(at, kernel));
            if let Some(key) = key {
                known.insert(key, result.clone());
            }
            match result {
                Ok(()) => {
                    let hash = key.map_or(0, |(hash, _)| hash);
                    if let Some(fit) = fits.iter_mut().find(|fit| fit.hash == hash) {
                        fit.candidates.push(at);
                    } else if fits.len() < CODES_MAX {
                        fits.push(Fit {
                            hash,
                            candidates: vec![at],
                        });
                    }
                }
                Err(rejection) => {
                    let reason = rejection.reason.clone();
                    // With two different reasons, the message names neither.
                    if rejections.len() < 2 && !rejections.contains(&rejection) {
                        rejections.push(rejection);
                    }
                    if rejected.len() < IMAGES_MAX
                        && let Some(image) = self.image(at)
                    {
                        rejected.push(RejectedImage { image, reason });
                    }
                }
            }
        }
        let (device, name) = (kernel.device, kernel.name.clone());
        if fits.is_empty() {
            let reason = match rejections.as_slice() {
                [] => NO_KERNEL.to_owned(),
                [only] if only.is_other_build => {
                    format!("{}; this profile is of another build", only.reason)
                }
                [only] => only.reason.clone(),
                _ => "the offsets fit none of the images; this profile is of another build"
                    .to_owned(),
            };
            return Err(UnmatchedKernel {
                device,
                name,
                samples,
                reason,
                rejected,
            });
        }
        let mut codes = Vec::new();
        for fit in fits {
            let images = fit.candidates.iter().take(IMAGES_MAX);
            let images: Vec<ImageKernel> = images.filter_map(|at| self.image(*at)).collect();
            let listing = fit.candidates.first().and_then(|at| self.listing(*at));
            if let Some(listing) = listing {
                codes.push(super::attribution::attribute(
                    self.document,
                    &*listing,
                    images,
                    kernel,
                    &profile.types,
                ));
            }
        }
        Ok(KernelProfile {
            device,
            name,
            samples,
            codes,
            rejected,
        })
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

    /// Compares the offsets with the instructions of a candidate.
    fn check(&mut self, at: usize, kernel: &SampledKernel) -> Result<(), Rejection> {
        let candidate = self.candidates.get(at);
        let (code, len) = candidate.map_or((None, 0), |found| (found.code, found.len));
        let Some(code) = code.filter(|code| !code.is_empty()) else {
            return Err(Rejection::unknown("the kernel has no native code"));
        };
        let Some(listing) = self.listing(at) else {
            return Err(Rejection::unknown("the code cannot be read"));
        };
        for samples in &kernel.offsets {
            let Some(left) = self.work.checked_sub(1) else {
                return Err(Rejection::unknown(NOT_COMPARED));
            };
            self.work = left;
            let offset = samples.offset;
            if offset >= len {
                return Err(Rejection::other_build(format!(
                    "offset {offset:#x} is beyond the end of the code ({len:#x})"
                )));
            }
            let sources = &self.document.sources;
            let place = code.start.saturating_add(offset);
            let row = listing.row_at(place, sources);
            let start = row.and_then(|row| listing.span(row, sources));
            if start.is_none_or(|span| span.start != place) {
                return Err(Rejection::other_build(format!(
                    "offset {offset:#x} is not the start of an instruction"
                )));
            }
        }
        Ok(())
    }
}
