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
//! The runtimes compare names and targets only; the verdict of the selected image says whether the
//! driver accepts it.

use std::collections::HashSet;

use super::{load, rules};
use crate::analysis::Verdict;
use crate::analysis::host_images::EXPORTED;
use crate::analysis::images::{Choice, Image, Images, Pick, SyclModules};
use crate::decode::device::Device;
use crate::model::{Outcome, Sources, Span, Str};

/// The state of a SYCLBIN whose kernels are ready to run.
const EXECUTABLE: u64 = 2;

/// Selects among the images of a container.
pub fn choose(sources: &Sources, images: &Images, device: Device) -> Choice {
    let pick = Pick {
        is_chosen: false,
        why: "not considered".into(),
    };
    let mut chooser = Chooser {
        sources,
        images,
        device,
        picks: vec![pick; images.list.len()],
        outcome: None,
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
    Choice {
        device: device.name().into(),
        outcome: chooser.outcome,
        picks: chooser.picks,
        rule: chooser.rules.join("; ").into(),
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
    picks: Vec<Pick>,
    outcome: Option<Outcome>,
    rules: Vec<&'static str>,
    /// The driver's outcomes for the images of [`Images::samples`], with reasons.
    samples: Vec<(usize, Outcome, String)>,
}

/// Whether a compiler target is native Intel GPU code (`true`) or compiled for it at run time
/// (`false`). Returns `None` for other targets.
fn target_kind(target: &str) -> Option<bool> {
    // For example spir64_gen-unknown-unknown.
    match target.split('-').next().unwrap_or(target) {
        "spir64_gen" => Some(true),
        "spir64" | "spir" | "spirv64" | "spirv32" | "" | "<unknown>" => Some(false),
        target if target.starts_with("intel_gpu_") => Some(true),
        _ => None,
    }
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

    fn take(&mut self, image: usize, outcome: Outcome, why: impl Into<Str>) {
        if let Some(pick) = self.picks.get_mut(image) {
            pick.is_chosen = true;
            pick.why = why.into();
        }
        let worst = |outcome: Outcome| (!outcome.loads(), outcome);
        let before = self.outcome.unwrap_or(outcome);
        self.outcome = Some(std::cmp::max_by_key(before, outcome, |o| worst(*o)));
    }

    fn container(&mut self, at: usize) {
        let Some(container) = self.images.containers.get(at) else {
            return;
        };
        let inner = self.inner(at);
        let holds_syclbin = inner.iter().any(|inner| {
            let inner = self.images.containers.get(*inner);
            inner.is_some_and(|inner| inner.modules.is_some())
        });
        match &container.modules {
            Some(modules) if !holds_syclbin => self.syclbin(modules),
            _ if &*container.format == "ar" => self.archive(at),
            _ if self.members(at).iter().any(|(_, image)| image.is_listed()) => self.host(at),
            _ => self.bundle(at, &inner),
        }
    }

    fn verdict(&self, image: &Image) -> Verdict {
        load(self.sources, image.span, Some(self.device)).0
    }

    /// The driver takes the first member that is named for the device and accepted for it.
    fn archive(&mut self, at: usize) {
        let members = self.members(at);
        let is_unit = |image: &Image| image.member.starts_with("pkg.unit.");
        if members.iter().any(|(_, image)| is_unit(image)) {
            self.rule("the driver loads all modules of a package");
            for (at, image) in members {
                let outcome = self.verdict(image).outcome;
                self.take(at, outcome, "a module of the package");
            }
            return;
        }
        self.rule(
            "the driver takes the first member by name: configuration, product and stepping, release, product; otherwise it recompiles SPIR-V, at last that of generic_ir",
        );
        let device = self.device;
        let (config, name) = (device.config, device.name());
        let mut wanted = vec![(format!("64.{config}"), format!("named for {config}"))];
        let product = device.abbreviation();
        if let Some(product) = product {
            let stepping = device.revision();
            let why = format!("named for {product}, stepping {stepping}");
            wanted.push((format!("64.{product}.{stepping}"), why));
        }
        let release = format!("{}.{}", config.arch(), config.release());
        let why = format!("named for release {release}");
        wanted.push((format!("64.{release}"), why));
        if let Some(product) = product {
            wanted.push((format!("64.{product}"), format!("named for {product}")));
        }
        wanted.push(("generic_ir".to_owned(), "for all devices".to_owned()));
        for (at, image) in &members {
            let has_size = image.member.starts_with("64.") || image.member.starts_with("32.");
            let why = match &*image.member {
                "generic_ir" => "for devices without a member".to_owned(),
                _ if !has_size => "the driver does not look for this name".to_owned(),
                _ => format!("not named for {name} ({config})"),
            };
            self.set_reason(*at, why);
        }
        let mut tried = Vec::new();
        let mut recompiled: Option<(usize, String)> = None;
        for (prefix, why) in wanted {
            let mut found = members.iter();
            let found = found.find(|(_, image)| image.member.starts_with(prefix.as_str()));
            let Some(&(at, image)) = found.filter(|(at, _)| !tried.contains(at)) else {
                continue;
            };
            tried.push(at);
            if !image.is_loadable {
                recompiled.get_or_insert((at, format!("no member is for {name} ({config})")));
                continue;
            }
            let verdict = self.verdict(image);
            if is_for_device(&verdict) {
                return self.take(at, verdict.outcome, why);
            }
            let refused = format!("{why}, but {}", decisive_message(&verdict));
            self.set_reason(at, refused.clone());
            if verdict.outcome == Outcome::Recompiled {
                recompiled.get_or_insert((at, refused));
            }
        }
        if let Some((at, why)) = recompiled {
            let why = format!("{why}: the driver recompiles this SPIR-V");
            self.take(at, Outcome::Recompiled, why);
        }
    }

    /// The SYCL runtime takes one image per abstract module.
    fn syclbin(&mut self, modules: &SyclModules) {
        let graph = &modules.graph;
        let is_executable = graph.state.is_none_or(|state| state.value == EXECUTABLE);
        self.rule(if is_executable {
            "the SYCL runtime takes the first native image of each abstract module, otherwise the first IR module"
        } else {
            "the SYCL runtime takes the first IR module of each abstract module, otherwise a native image"
        });
        let targets = modules.compile_targets.iter().map(Option::as_deref);
        let targets = targets.chain(std::iter::repeat(None));
        for (module, target) in graph.abstract_modules.iter().zip(targets) {
            let natives = graph.native_images_of(module).iter();
            let natives = natives.filter_map(|image| {
                let child = self.child_at(image.bytes)?;
                let triple = image.target.as_ref().map(|target| target.value.as_str());
                let is_gen = triple.is_none_or(|triple| triple.starts_with("spir64_gen"));
                Some((child, is_gen || target.is_some()))
            });
            let natives: Vec<(Child, bool)> = natives.collect();
            let irs = graph.ir_modules_of(module).iter();
            let irs: Vec<Child> = irs.filter_map(|image| self.child_at(image.bytes)).collect();
            let number = module.index;
            if let Some(target) = target.filter(|target| !is_target(target, &self.device)) {
                let why = format!("abstract module {number} is compiled for {target}");
                let natives = natives.into_iter().map(|(child, _)| child);
                for child in natives.chain(irs) {
                    self.set_reasons(child, &why);
                }
                continue;
            }
            let fits = |(child, fits): &(Child, bool)| fits.then_some(*child);
            let native = natives.iter().find_map(fits);
            // A native image without imports and exports is executable on its own.
            let native_is_in_state = is_executable || module.imports + module.exports > 0;
            let (first, why) = match (native, irs.first()) {
                (Some(native), _) if is_executable => (Some(native), "the first native image"),
                (_, Some(ir)) => (Some(*ir), "the first IR module"),
                (Some(native), None) if native_is_in_state => {
                    (Some(native), "the first native image")
                }
                _ => (None, ""),
            };
            let why = format!("{why} of abstract module {number}");
            let other = match first {
                Some(_) => format!("not {why}"),
                None => {
                    format!("no image of abstract module {number} is in the state of the SYCLBIN")
                }
            };
            let natives = natives.into_iter().map(|(child, _)| child);
            for child in natives.chain(irs) {
                self.set_reasons(child, &other);
            }
            if let Some(child) = first {
                self.take_child(child, &why);
            }
        }
    }

    /// For each kernel, the runtimes take one of the images that contain it: the first native one
    /// with a matching target, or else the first that is compiled at run time.
    fn host(&mut self, at: usize) {
        self.rule(
            "SYCL prefers native code (spir64_gen) and falls back to SPIR-V, for each kernel; in an archive the driver takes the member that is named after the device",
        );
        let members = self.members(at);
        let mut native: HashSet<&str> = HashSet::new();
        let mut compiled: HashSet<&str> = HashSet::new();
        for wants_native in [true, false] {
            for &(at, image) in &members {
                let Some(reported) = image
                    .host
                    .as_ref()
                    .and_then(|host| host.index_entry(self.sources))
                else {
                    continue;
                };
                let Some(described) = &reported.described else {
                    self.set_reason(at, "no descriptor lists it: no runtime finds it");
                    continue;
                };
                let is_native = match target_kind(&described.target) {
                    Some(is_native) => is_native,
                    None => {
                        let target = &described.target;
                        self.set_reason(at, format!("the target {target} is for other devices"));
                        continue;
                    }
                };
                if is_native != wants_native {
                    continue;
                }
                let target = described.compile_target();
                if let Some(target) = target.filter(|target| !is_target(target, &self.device)) {
                    self.set_reason(at, format!("compiled for {target}"));
                    continue;
                }
                let kernels = described.kernels();
                let names = kernels.iter().map(|entry| entry.name.as_str());
                if kernels.is_empty() {
                    // Functions are linked into the images that import them.
                    let why = if described.names_in(EXPORTED).is_empty() {
                        "it has no kernels"
                    } else {
                        "linked to images that import its functions"
                    };
                    self.set_reason(at, why);
                } else if names.clone().all(|name| native.contains(name)) {
                    self.set_reason(at, "its kernels run from native images");
                } else if is_native {
                    native.extend(names);
                    self.take_native(at, image);
                } else {
                    let is_other = names.clone().all(|name| compiled.contains(name));
                    if is_other {
                        self.set_reason(at, "an image before it has the same kernels");
                        continue;
                    }
                    let some = names.clone().any(|name| native.contains(name));
                    compiled.extend(names);
                    let why = if some {
                        "compiled at run time for kernels without a native image"
                    } else {
                        "compiled at run time; its kernels have no native image"
                    };
                    self.take(at, Outcome::Recompiled, why);
                }
            }
        }
    }

    /// Takes a native image of a host file. The driver's outcome is only known for the first image
    /// of each sort.
    fn take_native(&mut self, at: usize, image: &Image) {
        let sort = image.sort(self.sources);
        let mut samples = self.images.samples.iter();
        let sample = samples.find(|(of, _)| {
            let of = self.images.list.get(*of);
            of.is_some_and(|of| of.sort(self.sources) == sort)
        });
        let Some((of, within)) = sample else {
            return self.take(at, Outcome::NotJudged, "native code for its kernels");
        };
        let known = self.samples.iter().find(|(known, ..)| known == of);
        let (outcome, why) = match known {
            Some((_, outcome, why)) => (*outcome, why.clone()),
            None => {
                let choice = choose(self.sources, within, self.device);
                let chosen = choice.chosen().next();
                let image = chosen.and_then(|at| within.list.get(at));
                let pick = chosen.and_then(|at| choice.picks.get(at));
                let why = match (image, pick) {
                    (Some(image), Some(pick)) => match image.name.rsplit('/').next() {
                        Some("") | None => pick.why.to_string(),
                        Some(member) => format!("{member}: {}", pick.why),
                    },
                    _ => "no member of its archive is for the device".to_owned(),
                };
                let outcome = choice.outcome.unwrap_or(Outcome::Refused);
                self.samples.push((*of, outcome, why.clone()));
                (outcome, why)
            }
        };
        self.take(at, outcome, why);
    }

    /// The unified runtime prefers native images, whatever their devices.
    fn bundle(&mut self, at: usize, inner: &[usize]) {
        let members = self.members(at);
        let natives = members.iter().filter(|(_, image)| image.is_loadable);
        let natives: Vec<usize> = natives.map(|(at, _)| *at).collect();
        let is_one = inner.len() == 1 && members.is_empty();
        if !is_one {
            self.rule("the SYCL runtime prefers native images to SPIR-V");
        }
        let has_native = !natives.is_empty() || !inner.is_empty();
        for container in inner {
            self.container(*container);
        }
        for (at, image) in members {
            match (image.is_loadable, has_native) {
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

    fn take_child(&mut self, child: Child, why: &str) {
        match child {
            Child::Container(at) => self.container(at),
            Child::Image(at) => {
                let Some(image) = self.image(at) else { return };
                if !image.is_loadable {
                    let why = format!("{why}: compiled at run time");
                    return self.take(at, Outcome::Recompiled, why);
                }
                let verdict = self.verdict(image);
                let why = if is_for_device(&verdict) {
                    why.to_owned()
                } else {
                    format!("{why}, but {}", decisive_message(&verdict))
                };
                self.take(at, verdict.outcome, why);
            }
        }
    }
}

/// Returns whether the file is for the device, whatever else the driver finds.
fn is_for_device(verdict: &Verdict) -> bool {
    let target = [&rules::OTHER_TARGET, &rules::NO_TARGET, &rules::DEVICE_GONE];
    let decisive = verdict.decisive.and_then(|at| verdict.findings.get(at));
    decisive.is_none_or(|found| target.iter().all(|rule| rule.id != found.rule))
}

/// The finding that decides the verdict.
fn decisive_message(verdict: &Verdict) -> &str {
    let decisive = verdict.decisive.and_then(|at| verdict.findings.get(at));
    decisive.map_or("", |found| &found.message)
}

/// Returns whether a compiler target is the device: `intel_gpu_bmg_g21`, `intel_gpu_12_60_7`.
fn is_target(target: &str, device: &Device) -> bool {
    let name = target.strip_prefix("intel_gpu_").unwrap_or(target);
    let is_numbers = name.starts_with(|c: char| c.is_ascii_digit());
    let name = name.replace('_', if is_numbers { "." } else { "-" });
    match Device::named(&name) {
        Some(named) => named.config == device.config,
        // For example spir64_x86_64: not an Intel GPU.
        None => false,
    }
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
