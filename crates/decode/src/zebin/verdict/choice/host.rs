//! Libraries and programs: for each kernel, the SYCL runtime chooses one of the images that contain
//! it, compares what it requires with the device, and links the functions that it imports.

use std::collections::HashSet;

use super::{Chooser, Outcomes, choose, imports_text, is_target, with_not_judged};
use crate::zebin::verdict::requirements::Requirements;
use zeview_core::analysis::host_images::{EXPORTED, IMPORTED, ImageDescription};
use zeview_core::analysis::images::Image;
use zeview_core::model::Outcome;

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

impl Chooser<'_> {
    /// For each kernel, the runtimes take one of the images that contain it: the first native one
    /// with a matching target, or else the first that is compiled at run time.
    pub(super) fn host(&mut self, at: usize) {
        self.rule(
            "SYCL prefers native code (spir64_gen) and falls back to SPIR-V, for each kernel; in an archive the driver takes the member that is named after the device",
        );
        let members = self.members(at);
        let exported = self.exported(&members);
        let mut native: HashSet<&str> = HashSet::new();
        let mut compiled: HashSet<&str> = HashSet::new();
        // Native images first: whether a kernel needs SPIR-V is known only after all of them.
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
                    if !self.refuse(at, described, "native code for its kernels") {
                        self.take_native(at, image);
                        self.add_imports(at, described, &exported);
                    }
                } else {
                    let is_other = names.clone().all(|name| compiled.contains(name));
                    if is_other {
                        self.set_reason(at, "an image before it has the same kernels");
                        continue;
                    }
                    let some = names.clone().any(|name| native.contains(name));
                    compiled.extend(names);
                    let why = if some {
                        "SPIR-V for kernels without a native image"
                    } else {
                        "SPIR-V; its kernels have no native image"
                    };
                    if !self.refuse(at, described, why) {
                        self.take(at, Outcomes::both(Outcome::Recompiled), why);
                        self.add_imports(at, described, &exported);
                    }
                }
            }
        }
    }

    /// Takes a native image of a host file. The driver's outcome is only known for the first image
    /// of each sort.
    fn take_native(&mut self, at: usize, image: &Image) {
        let sample = image.sample;
        let sample = sample.and_then(|of| Some((of, self.images.samples.get(of)?)));
        // Libraries have thousands of images, often compressed: only one of each sort is opened for
        // a verdict.
        let Some((of, within)) = sample else {
            let outcomes = Outcomes::both(Outcome::NotJudged);
            return self.take(at, outcomes, "native code for its kernels");
        };
        let known = self.samples.iter().find(|(known, ..)| *known == of);
        let (outcomes, why) = match known {
            Some((_, outcomes, why)) => (*outcomes, why.clone()),
            None => {
                let choice = choose(self.sources, within, self.device, self.release);
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
                let outcomes = match chosen {
                    // The runtime has chosen the archive, and the driver refuses it.
                    None => Outcomes::both(Outcome::Refused),
                    Some(_) => Outcomes {
                        level_zero: choice.outcome,
                        opencl: choice.opencl,
                    },
                };
                self.samples.push((of, outcomes, why.clone()));
                (outcomes, why)
            }
        };
        self.take(at, outcomes, why);
    }

    /// Takes an image that the runtime refuses before a build, because the device lacks something
    /// that it requires. Returns `false` if it lacks nothing.
    fn refuse(&mut self, at: usize, described: &ImageDescription, why: &str) -> bool {
        let requirements = Requirements::of(&described.properties, &self.device);
        let Some(missing) = &requirements.missing else {
            return false;
        };
        self.take(
            at,
            Outcomes::both(Outcome::DoesNotRun),
            format!("{missing} ({why})"),
        );
        true
    }

    /// The functions that the images of the file export.
    fn exported(&self, members: &[(usize, &Image)]) -> HashSet<String> {
        let described = members.iter().filter_map(|(_, image)| {
            let entry = image.host.as_ref()?.index_entry(self.sources)?;
            entry.described.as_ref()
        });
        let names = described.flat_map(|described| described.names_in(EXPORTED));
        names.map(str::to_owned).collect()
    }

    /// Adds to a taken image what must come from other libraries, and what is not judged.
    fn add_imports(&mut self, at: usize, described: &ImageDescription, exported: &HashSet<String>) {
        let requirements = Requirements::of(&described.properties, &self.device);
        let imported = described.names_in(IMPORTED).into_iter();
        let missing: Vec<&str> = imported.filter(|name| !exported.contains(*name)).collect();
        let Some(pick) = self.picks.get(at) else {
            return;
        };
        let mut why = with_not_judged(&pick.why, &requirements);
        if !missing.is_empty() {
            why = format!("{why}; {}", imports_text(&missing));
        }
        let needs_linking = |outcome: Option<Outcome>| match outcome {
            // Outcomes are in order: a missing import does not improve a worse one.
            Some(outcome) if outcome <= Outcome::NeedsLinking && !missing.is_empty() => {
                Outcome::NeedsLinking
            }
            Some(outcome) => outcome,
            None => Outcome::NotJudged,
        };
        let outcomes = Outcomes {
            level_zero: needs_linking(pick.outcome),
            opencl: needs_linking(pick.opencl),
        };
        self.take(at, outcomes, why);
    }
}
