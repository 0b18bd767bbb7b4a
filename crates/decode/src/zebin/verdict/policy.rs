//! The L1 cache policy of code for Xe3: compute-runtime, compiler_options_parser.cpp,
//! checkAndReplaceL1CachePolicy and checkL1CachePolicyMismatch.

use super::elf_level::Elf;
use super::findings::{Findings, Refused};
use super::image::Location;
use super::target::Target;
use crate::device::{Device, ProductFamily};
use crate::elf::section::SectionType;
use zeview_core::model::{Effect, Span};

/// The policy of the devices, as `.ze_info` has it, without a debugger: write back.
const DEVICE: &str = "wb";

/// The compiler options of that policy. cache_policy_from_xe_hpg_to_xe3.inl.
const OPTIONS: &str = "-cl-store-cache-default=7 -cl-load-cache-default=4";

/// The section with the compiler's options.
const BUILD_OPTIONS: &[u8] = b".misc.buildOptions";

/// The newest minor version of files that the driver compares by their options.
const LAST_COMPARED: u32 = 60;

/// The difference between a file's cache policy and the device's.
#[derive(Default)]
pub struct Policy {
    /// The key has another value: its bytes and a message.
    key: Option<(Span, String)>,
    /// The options are not those of the device's policy. `None` if they are, or not compared.
    options: Option<(Span, String)>,
    /// Whether the file has the key, so that Level Zero does not compare the options.
    is_keyed: bool,
}

impl Policy {
    /// Compares the policies. `key` is the value of `l1_cache_policy`, if the file has it.
    pub fn of(
        elf: &Elf<'_>,
        target: &Target,
        device: &Device,
        key: Option<(&'static str, Span)>,
        findings: &mut Findings,
    ) -> Result<Policy, Refused> {
        let is_compared = matches!(
            device.product,
            ProductFamily::IGFX_PTL | ProductFamily::IGFX_NVL_XE3G
        );
        let release = findings.release();
        if !is_compared || !release.compares_cache_policy() {
            return Ok(Policy::default());
        }
        let key = key.filter(|_| release.reads_cache_policy());
        let differs = key.filter(|(policy, _)| *policy != DEVICE);
        let mut policy = Policy {
            key: differs.map(|(policy, place)| {
                let message = format!("l1_cache_policy is {policy}; the device uses {DEVICE}");
                (place, message)
            }),
            is_keyed: key.is_some(),
            options: None,
        };
        // The version of the notes; the key `version` of .ze_info is not compared.
        let version = target
            .version()
            .filter(|(_, minor)| *minor <= LAST_COMPARED);
        if let Some((major, minor)) = version {
            let (options, place) = build_options(elf, findings)?;
            // The driver searches for the pair as one text: the same options in another order do
            // not count.
            if !options.contains(OPTIONS) {
                let message = format!("version {major}.{minor} without the options {OPTIONS}");
                policy.options = Some((place.unwrap_or(target.place(elf)), message));
            }
        }
        Ok(policy)
    }

    /// Level Zero's reaction to a difference: it compares the key, or else the options.
    pub fn level_zero(&self, has_ir: bool) -> Option<(Effect, Span, String)> {
        let (difference, otherwise) = if self.is_keyed {
            (&self.key, Effect::Passes)
        } else {
            (&self.options, Effect::Refuses)
        };
        let (place, message) = difference.clone()?;
        let effect = if has_ir {
            Effect::Recompiles
        } else {
            otherwise
        };
        Some((effect, place, message))
    }

    /// OpenCL's reason to recompile: it compares the options.
    pub fn opencl(&self, has_ir: bool) -> Option<(Span, String)> {
        self.options.clone().filter(|_| has_ir)
    }
}

/// The compiler's options, and their bytes.
pub fn build_options(
    elf: &Elf<'_>,
    findings: &mut Findings,
) -> Result<(String, Option<Span>), Refused> {
    let mut found = (String::new(), None);
    if !elf.has_names() {
        return Ok(found);
    }
    let misc = |section: &&super::elf_level::Section| section.kind == SectionType::SHT_ZEBIN_MISC;
    for section in elf.sections.iter().filter(misc) {
        if elf.name_of(section, findings)? == BUILD_OPTIONS
            && let Location::InFile(span) = elf.image.locate(section.data)
        {
            let bytes = elf.image.read(span, findings)?;
            found = (String::from_utf8_lossy(&bytes).into_owned(), Some(span));
        }
    }
    Ok(found)
}
