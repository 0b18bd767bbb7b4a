//! Predicts which images of a container run on a device, as the runtimes select them:
//!
//! ```text
//! archive of ocloc       by the names of its members (compute-runtime, device_binary_format_ar.cpp)
//! module package         every module of it (compute-runtime, module packages)
//! SYCLBIN                of each abstract module (SYCL runtime, syclbin.cpp, getBestCompatibleImages;
//!                        program_manager.cpp, doesImageTargetMatchDevice)
//! libraries, programs    for each kernel, of the images whose target fits (SYCL runtime,
//!                        program_manager.cpp, doesImageTargetMatchDevice) native ones before SPIR-V
//! bundles, objects       native images before SPIR-V (unified runtime, urDeviceSelectBinary of the
//!                        Level Zero adapter)
//! ```
//!
//! The runtimes compare names and targets only. Then the SYCL runtime compares what the image
//! requires with the device; and the verdict of the selected image says whether the driver accepts
//! it.

mod archive;
mod host;
mod syclbin;

use super::release::Release;
use super::requirements::Requirements;
use super::spirv_needs::{Compilation, SpirvNeeds, find_module};
use super::{Ir, load};
use crate::device::Device;
use zeview_core::analysis::Verdict;
use zeview_core::analysis::images::{Choice, Image, Images, Pick};
use zeview_core::model::{Outcome, Sources, Span, Str};

/// Selects among the images of a container.
pub fn choose(sources: &Sources, images: &Images, device: Device, release: Release) -> Choice {
    let pick = Pick {
        is_chosen: false,
        outcome: None,
        opencl: None,
        why: "not considered".into(),
    };
    let mut chooser = Chooser {
        sources,
        images,
        device,
        release,
        picks: vec![pick; images.list.len()],
        outcomes: None,
        rules: Vec::new(),
        samples: Vec::new(),
    };
    if device.is_supported() {
        chooser.container(0);
    } else {
        let why = format!("the driver does not support {}", device.name());
        chooser
            .rules
            .push("the driver runs on devices from Xe-LP on");
        for pick in &mut chooser.picks {
            pick.why = why.clone().into();
        }
    }
    let outcomes = chooser
        .outcomes
        .unwrap_or(Outcomes::both(Outcome::DoesNotRun));
    Choice {
        device: device.name().into(),
        outcome: outcomes.level_zero,
        opencl: outcomes.opencl,
        picks: chooser.picks,
        rule: chooser.rules.join("; ").into(),
    }
}

/// The outcomes of an image in both APIs.
#[derive(Debug, Clone, Copy)]
struct Outcomes {
    level_zero: Outcome,
    opencl: Outcome,
}

impl Outcomes {
    fn both(outcome: Outcome) -> Outcomes {
        Outcomes {
            level_zero: outcome,
            opencl: outcome,
        }
    }

    fn of(verdict: &Verdict) -> Outcomes {
        Outcomes {
            level_zero: verdict.outcome,
            opencl: verdict.opencl.outcome,
        }
    }

    /// The worst of each.
    fn worst(self, other: Outcomes) -> Outcomes {
        // One image that does not load outweighs all that do, whatever their remarks.
        let worst = |a, b| std::cmp::max_by_key(a, b, |o: &Outcome| (!o.loads(), *o));
        Outcomes {
            level_zero: worst(self.level_zero, other.level_zero),
            opencl: worst(self.opencl, other.opencl),
        }
    }
}

/// A direct child of a container.
#[derive(Clone, Copy)]
enum Child {
    Image(usize),
    Container(usize),
}

struct Chooser<'a> {
    sources: &'a Sources,
    images: &'a Images,
    device: Device,
    release: Release,
    picks: Vec<Pick>,
    outcomes: Option<Outcomes>,
    rules: Vec<&'static str>,
    /// The driver's outcomes for the images of [`Images::samples`], with reasons.
    samples: Vec<(usize, Outcomes, String)>,
}

impl<'a> Chooser<'a> {
    fn rule(&mut self, rule: &'static str) {
        if !self.rules.contains(&rule) {
            self.rules.push(rule);
        }
    }

    fn image(&self, at: usize) -> Option<&'a Image> {
        self.images.list.get(at)
    }

    fn members(&self, container: usize) -> Vec<(usize, &'a Image)> {
        let all = self.images.list.iter().enumerate();
        all.filter(|(_, image)| image.container == container)
            .collect()
    }

    /// The containers directly in another one.
    fn inner(&self, container: usize) -> Vec<usize> {
        let all = self.images.containers.iter().enumerate();
        let inner = all.filter(|(_, inner)| inner.around == Some(container));
        inner.map(|(at, _)| at).collect()
    }

    fn set_reason(&mut self, image: usize, why: impl Into<Str>) {
        if let Some(pick) = self.picks.get_mut(image) {
            pick.why = why.into();
        }
    }

    fn take(&mut self, image: usize, outcomes: Outcomes, why: impl Into<Str>) {
        if let Some(pick) = self.picks.get_mut(image) {
            pick.is_chosen = true;
            pick.outcome = Some(outcomes.level_zero);
            pick.opencl = Some(outcomes.opencl);
            pick.why = why.into();
        }
        let before = self.outcomes.unwrap_or(outcomes);
        self.outcomes = Some(before.worst(outcomes));
    }

    /// Takes an image that the driver has judged.
    fn take_judged(&mut self, image: usize, verdict: &Verdict, why: &str) {
        self.take(image, Outcomes::of(verdict), judged_text(verdict, why));
    }

    /// Takes an image without native code: the driver compiles its SPIR-V.
    fn take_spirv(&mut self, at: usize, why: &str) {
        let Some(image) = self.image(at) else { return };
        if let Some(why) = without_code(image) {
            return self.set_reason(at, why);
        }
        let found = find_module(self.sources, image.span);
        let needs = found
            .and_then(|(span, options)| Some((SpirvNeeds::read(self.sources, span)?, options)));
        let Some((needs, options)) = needs else {
            return self.take(at, Outcomes::both(Outcome::Recompiled), why.to_owned());
        };
        let (outcome, remark) = match needs.compile(&self.device, &options) {
            Compilation::Works => (Outcome::Recompiled, None),
            Compilation::WorksBecause(_, why) => (Outcome::Recompiled, Some(why)),
            Compilation::Fails(_, why) => (
                Outcome::Refused,
                Some(format!("the driver cannot compile it: {why}")),
            ),
            Compilation::Unknown(_, why) => (Outcome::NotJudged, Some(why)),
        };
        let mut outcomes = Outcomes::both(outcome);
        let mut why = match remark {
            Some(remark) => format!("{why}: {remark}"),
            None => why.to_owned(),
        };
        let imports: Vec<&str> = needs
            .imports
            .iter()
            .map(|(name, _)| name.as_str())
            .collect();
        if let [_, ..] = imports.as_slice()
            && outcome == Outcome::Recompiled
        {
            outcomes = Outcomes {
                // Level Zero can link the module with others later (zeModuleDynamicLink); OpenCL
                // links it at once.
                level_zero: Outcome::NeedsLinking,
                opencl: Outcome::LinkFailure,
            };
            why.push_str(&format!("; {}", imports_text(&imports)));
        }
        self.take(at, outcomes, why);
    }

    fn container(&mut self, at: usize) {
        let Some(container) = self.images.containers.get(at) else {
            return;
        };
        let inner = self.inner(at);
        // A SYCLBIN of the first version is wrapped in a container with one entry: its modules are
        // those of the inner one.
        let holds_syclbin = inner.iter().any(|inner| {
            let inner = self.images.containers.get(*inner);
            inner.is_some_and(|inner| inner.modules.is_some())
        });
        match &container.modules {
            Some(modules) if !holds_syclbin => self.syclbin(modules),
            _ if &*container.format == "ar" && self.is_library(at, &inner) => {
                self.library(at, &inner);
            }
            _ if &*container.format == "ar" => self.archive(at),
            _ if self.members(at).iter().any(|(_, image)| image.is_listed()) => self.host(at),
            _ => self.bundle(at, &inner),
        }
    }

    /// Whether an archive has objects with images, and no images by device.
    fn is_library(&self, at: usize, inner: &[usize]) -> bool {
        let by_name = |image: &Image| {
            let prefixes = ["64.", "32.", "generic_ir", "pkg.unit."];
            prefixes.iter().any(|name| image.member.starts_with(name))
        };
        !inner.is_empty() && !self.members(at).iter().any(|(_, image)| by_name(image))
    }

    /// The objects of a static library, each of which programs link on its own.
    fn library(&mut self, at: usize, inner: &[usize]) {
        self.rule("the images of each object of a static library are chosen from on their own");
        for container in inner {
            self.container(*container);
        }
        for (at, _) in self.members(at) {
            self.take_child(Child::Image(at), "an image of its own");
        }
    }

    fn verdict(&self, image: &Image) -> Verdict {
        self.verdict_with(image, None)
    }

    /// The verdict on an image that gets its intermediate representation from the archive.
    fn verdict_with(&self, image: &Image, ir: Option<Ir>) -> Verdict {
        load(
            self.sources,
            image.span,
            Some(self.device),
            self.release,
            ir,
        )
        .0
    }

    /// The unified runtime prefers native images, whatever their devices.
    fn bundle(&mut self, at: usize, inner: &[usize]) {
        let members = self.members(at);
        let natives = members.iter().filter(|(_, image)| image.is_loadable);
        let natives: Vec<usize> = natives.map(|(at, _)| *at).collect();
        // A wrapper of one container leaves nothing to prefer.
        let is_one = inner.len() == 1 && members.is_empty();
        if let ([(_, image)], []) = (members.as_slice(), inner)
            && !image.is_loadable
        {
            let without = "no driver loads such an image";
            let spirv = "the driver compiles the module for the device at its first use";
            self.rule(without_code(image).map_or(spirv, |_| without));
        } else if !is_one {
            self.rule("the SYCL runtime prefers native images to SPIR-V");
        }
        let has_native = !natives.is_empty() || !inner.is_empty();
        for container in inner {
            self.container(*container);
        }
        for (at, image) in members {
            match (image.is_loadable, has_native) {
                _ if without_code(image).is_some() => {
                    self.set_reason(at, without_code(image).unwrap_or_default());
                }
                (true, _) => self.take_child(Child::Image(at), "a native image"),
                (false, true) => self.set_reason(at, "only for kernels without a native image"),
                (false, false) => self.take_child(Child::Image(at), "there is no native image"),
            }
        }
    }

    /// The child with exactly these bytes.
    fn child_at(&self, bytes: Span) -> Option<Child> {
        let mut images = self.images.list.iter();
        if let Some(at) = images.position(|image| image.span == bytes) {
            return Some(Child::Image(at));
        }
        let mut containers = self.images.containers.iter();
        let at = containers.position(|container| container.span == bytes)?;
        Some(Child::Container(at))
    }

    fn set_reasons(&mut self, child: Child, why: &str) {
        match child {
            Child::Image(at) => self.set_reason(at, why.to_owned()),
            Child::Container(at) => {
                for (at, _) in self.members(at) {
                    self.set_reason(at, why.to_owned());
                }
            }
        }
    }

    /// Takes a child that the runtime refuses before a build.
    fn take_refused(&mut self, child: Child, why: &str) {
        let images = match child {
            Child::Image(at) => vec![at],
            Child::Container(at) => self.members(at).iter().map(|(at, _)| *at).collect(),
        };
        for at in images {
            self.take(at, Outcomes::both(Outcome::DoesNotRun), why.to_owned());
        }
    }

    fn take_child(&mut self, child: Child, why: &str) {
        match child {
            Child::Container(at) => self.container(at),
            Child::Image(at) => {
                let Some(image) = self.image(at) else { return };
                if !image.is_loadable {
                    return self.take_spirv(at, why);
                }
                let verdict = self.verdict(image);
                self.take_judged(at, &verdict, why);
            }
        }
    }
}

/// Returns the reason why no driver is given an image.
fn without_code(image: &Image) -> Option<&'static str> {
    match &*image.format {
        "bitcode" => Some("LLVM bitcode, which the device linker compiles"),
        "ze_info" => Some("the text of a .ze_info, without code"),
        _ => None,
    }
}

/// Adds what decides the verdict to the reason why an image is taken.
fn judged_text(verdict: &Verdict, why: &str) -> String {
    match (verdict.difference(), verdict.outcome.loads()) {
        (Some(difference), _) => format!("{why}; {difference}"),
        (None, true) if verdict.outcome != Outcome::Recompiled => why.to_owned(),
        (None, _) => format!("{why}, but {}", decisive_message(verdict)),
    }
}

/// Describes symbols that other modules must define.
fn imports_text(names: &[&str]) -> String {
    let (first, more) = match names {
        [] => return String::new(),
        [first, more @ ..] => (first, more.len()),
    };
    let more = match more {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!(
        "imports {first}{more}, which no image of the file exports: it must come from another library, otherwise the link fails"
    )
}

/// Adds what is not known about a device to the reason why an image is taken.
fn with_not_judged(why: &str, requirements: &Requirements) -> String {
    match requirements.not_judged.as_slice() {
        [] => why.to_owned(),
        aspects => format!("{why}; not judged: {}", aspects.join(", ")),
    }
}

/// The finding that decides the verdict.
fn decisive_message(verdict: &Verdict) -> &str {
    let decisive = verdict.decisive.and_then(|at| verdict.findings.get(at));
    decisive.map_or("", |found| &found.message)
}

/// Returns whether a compiler target is the device: `intel_gpu_bmg_g21`, `intel_gpu_12_60_7`.
fn is_target(target: &str, device: &Device) -> bool {
    // For example spir64_x86_64: not an Intel GPU.
    Device::named(target).is_some_and(|named| named.config == device.config)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_of_the_compiler() {
        let device = |name| Device::named(name).unwrap();
        for (target, name) in [
            ("intel_gpu_bmg_g21", "bmg-g21"),
            ("intel_gpu_12_60_7", "pvc"),
            ("intel_gpu_acm_g10", "dg2-g10"),
            ("intel_gpu_lnl_m", "lnl-m"),
            ("bmg_g21", "bmg-g21"),
        ] {
            assert!(is_target(target, &device(name)), "{target}");
            assert!(!is_target(target, &device("ptl-h")), "{target}");
        }
        assert!(!is_target("spir64_x86_64", &device("pvc")));
    }
}
