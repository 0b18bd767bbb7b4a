//! Archives of ocloc: compute-runtime, device_binary_format_ar.cpp, unpackSingleDeviceBinary.

use super::{Chooser, Outcomes, decisive_message};
use crate::device::Device;
use crate::zebin::verdict::rules;
use crate::zebin::verdict::spirv_needs::find_module;
use zeview_core::analysis::Verdict;
use zeview_core::analysis::images::Image;
use zeview_core::model::Outcome;

impl Chooser<'_> {
    /// The driver takes the first member that is named for the device and accepted for it.
    pub(super) fn archive(&mut self, at: usize) {
        let members = self.members(at);
        let is_unit = |image: &Image| image.member.starts_with("pkg.unit.");
        // A package is an archive, too, but its modules belong together instead of being
        // alternatives.
        if members.iter().any(|(_, image)| is_unit(image)) {
            self.rule("the driver loads all modules of a package");
            for (at, image) in members {
                let verdict = self.verdict(image);
                self.take_judged(at, &verdict, "a module of the package");
            }
            return;
        }
        self.rule(
            "the driver takes the first member for the device by name: configuration, product and stepping, release, product, then compatible products; otherwise it compiles SPIR-V, at last that of generic_ir",
        );
        let device = self.device;
        let (config, name) = (device.config, device.name());
        for (at, image) in &members {
            let has_size = image.member.starts_with("64.") || image.member.starts_with("32.");
            let why = match &*image.member {
                "generic_ir" => "for devices without a member".to_owned(),
                _ if !has_size => "the driver does not look for this name".to_owned(),
                _ => format!("not named for {name} ({config})"),
            };
            self.set_reason(*at, why);
        }
        let generic = find(&members, "generic_ir");
        let generic_ir = generic.and_then(|(_, image)| find_module(self.sources, image.span));
        let generic_ir = generic_ir.map(|(span, _)| ("SPIR-V", span));
        let own = device.abbreviation().into_iter();
        let fallbacks = device.fallback_abbreviations(self.release.week()).iter();
        let mut tried = Vec::new();
        let mut recompiled: Option<(usize, Verdict, String)> = None;
        for product in own.chain(fallbacks.copied()) {
            for (prefix, why) in wanted_names(&device, product) {
                let Some((at, image)) = find(&members, &prefix) else {
                    continue;
                };
                // A name can match several prefixes. The driver has an answer for the member after
                // the first one.
                if tried.contains(&at) || !image.is_loadable {
                    continue;
                }
                tried.push(at);
                // Without the SPIR-V of generic_ir: a member that only that would save is not
                // taken.
                let verdict = self.verdict_with(image, None);
                if is_taken(&verdict) {
                    // A member without SPIR-V gets that of generic_ir.
                    let verdict = match (&verdict.rebuild, generic_ir) {
                        (None, Some(ir)) => self.verdict_with(image, Some(ir)),
                        _ => verdict,
                    };
                    return self.take_judged(at, &verdict, &why);
                }
                let refused = format!("{why}, but {}", decisive_message(&verdict));
                self.set_reason(at, refused.clone());
                // A refused member still contributes its SPIR-V; the driver keeps that of the first
                // one.
                if recompiled.is_none() && verdict.rebuild.is_some() {
                    recompiled = Some((at, verdict, refused));
                }
            }
        }
        if let Some((at, verdict, why)) = recompiled {
            let why = match verdict.outcome {
                Outcome::Recompiled => format!("{why}: the driver recompiles this SPIR-V"),
                _ => format!("{why}; {}", decisive_message(&verdict)),
            };
            return self.take(at, Outcomes::of(&verdict), why);
        }
        if let Some((at, _)) = generic {
            let why =
                format!("no member is for {name} ({config}): the driver compiles this SPIR-V");
            self.take_spirv(at, &why);
        }
    }
}

/// The first member whose name starts with a prefix.
fn find<'a>(members: &[(usize, &'a Image)], prefix: &str) -> Option<(usize, &'a Image)> {
    let mut members = members.iter();
    members
        .find(|(_, image)| image.member.starts_with(prefix))
        .copied()
}

/// The prefixes of names that the driver looks for, in its order, and what each stands for.
fn wanted_names(device: &Device, product: &str) -> [(String, String); 4] {
    let (config, stepping) = (device.config, device.revision());
    let release = format!("{}.{}", config.arch(), config.release());
    [
        (format!("64.{config}"), format!("named for {config}")),
        (
            format!("64.{product}.{stepping}"),
            format!("named for {product}, stepping {stepping}"),
        ),
        (
            format!("64.{release}"),
            format!("named for release {release}"),
        ),
        (format!("64.{product}"), format!("named for {product}")),
    ]
}

/// Returns whether the driver takes a member: it gets as far as comparing the target, and accepts it,
/// whatever else it finds; or it crashes before.
fn is_taken(verdict: &Verdict) -> bool {
    let target = [&rules::OTHER_TARGET, &rules::NO_TARGET, &rules::DEVICE_GONE];
    match verdict.matching {
        None => verdict.outcome == Outcome::MayCrash,
        Some(_) => {
            let mut found = verdict.findings.iter();
            !found.any(|found| target.iter().any(|rule| found.rule == rule.id))
        }
    }
}
