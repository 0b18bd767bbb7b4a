//! The verdict: a model of how the current driver handles a zebin, without driver or device. It
//! follows compute-runtime step by step, release 26.27 as observed on files with one change each.
//! It does not say whether a file is *valid*; the diagnostics do. Compilers write files that the
//! driver refuses, and the driver accepts damaged files.
//!
//! ```text
//! container     elf_level   tables, names, symbols, relocations
//! target        target      notes against the device
//! sections      sections    types, names and counts
//! .ze_info      yaml        the text, parsed like the driver's own parser
//!               ze_info     its contents
//! load          link        memory, symbols, relocations
//! containers    choice      the image that runs on a device
//! ```
//!
//! The driver stops at the first step that fails, and so does the verdict; only kernels are all
//! decoded. Not modeled: the execution of kernels, and the contents of unallocated memory where the
//! driver reads past the file. The work of a verdict is [limited](crate::decode::limits), at most
//! proportional to the size of the file.

mod choice;
mod elf_level;
mod findings;
mod image;
mod link;
pub mod rules;
mod sections;
mod target;
mod version;
mod yaml;
mod ze_info;

use self::elf_level::Elf;
use self::findings::{Excerpt, Findings, Refused};
use self::image::{Image, Location};
use self::target::Target;
use self::ze_info::{Decoder, Module, ZeInfoText};
use crate::analysis::images::{Choice, Images};
use crate::analysis::{DriverModel, KnownDevice, Matching, Rebuild, Verdict};
use crate::decode::device::Device;
use crate::decode::elf::section::SectionType;
use crate::model::{Bytes, Effect, Finding, Outcome, Sources, Span, Str};

/// The driver's release.
pub const RELEASE: &str = "26.27";

/// Intel's compute-runtime, as a loader of files.
#[derive(Debug)]
pub struct ComputeRuntime;

impl DriverModel for ComputeRuntime {
    fn load(&self, sources: &Sources, file: Span, device: Option<&str>) -> Option<Verdict> {
        let device = match device {
            Some(name) => Some(Device::named(name)?),
            None => None,
        };
        Some(load(sources, file, device).0)
    }

    fn device(&self, sources: &Sources, file: Span) -> Option<Str> {
        let mut findings = Findings::new(file);
        let elf = Elf::decode(Image { sources, file }, &mut findings).ok()?;
        let target = Target::read(&elf, &mut findings).ok()?;
        target.device(&elf).map(|device| device.name().into())
    }

    fn choose(&self, sources: &Sources, images: &Images, device: &str) -> Option<Choice> {
        Some(choice::choose(sources, images, Device::named(device)?))
    }

    fn devices(&self) -> Vec<KnownDevice> {
        Device::usual().map(|device| device.known()).collect()
    }
}

/// The driver's handling of the file, on the requested device or the file's own; and the work of
/// the verdict, in bytes read or kept.
pub fn load(sources: &Sources, file: Span, requested: Option<Device>) -> (Verdict, u64) {
    let mut findings = Findings::new(file);
    let mut load = Load {
        device: requested,
        requested: requested.is_some(),
        ir: None,
        matching: None,
    };
    // The findings contain the reason for stopping.
    let _ = load.run(Image { sources, file }, &mut findings);
    let steps = findings.steps();
    (load.verdict(findings), steps)
}

/// The state of loading a file.
struct Load {
    device: Option<Device>,
    requested: bool,
    ir: Option<(&'static str, Span)>,
    matching: Option<Matching>,
}

impl Load {
    fn run(&mut self, image: Image<'_>, findings: &mut Findings) -> Result<(), Refused> {
        findings.stage();
        let elf = Elf::decode(image, findings)?;
        self.ir = sections::find_ir(&elf);
        findings.stage();
        let target = Target::read(&elf, findings)?;
        let device = self.device.or_else(|| target.device(&elf));
        self.device = device;
        self.matching = Some(target.matching(&elf));
        target.check(&elf, device.as_ref(), findings)?;
        // A file without a device was refused before.
        let device = device.ok_or(Refused)?;
        let text = first_ze_info(&elf, findings)?;
        let texts = match &text {
            Some((bytes, after, at)) => Some(ZeInfoText::new(bytes, *after, *at, findings)?),
            None => None,
        };
        let mut nodes = Vec::new();
        if let Some(texts) = &texts {
            texts.scan_l1_policy(&mut nodes, findings)?;
        }
        let sections = sections::sort(&elf, findings)?;
        let mut module = Module::default();
        match (&sections.ze_info, &texts) {
            (None, _) => {
                let message = "no section of type SHT_ZEBIN_ZEINFO";
                findings.note(&rules::NO_ZE_INFO, image.span(0, 0), message);
            }
            (Some(section), None) => {
                let (rule, message) = match elf.image.locate(section.data) {
                    Location::Before(_) => {
                        (&rules::OVERFLOW_TEXT, "the text starts before the file")
                    }
                    _ => (&rules::OVERFLOW_READ, "the text is outside of the file"),
                };
                return findings.refuse(rule, section.header, message);
            }
            (Some(_), Some(texts)) => {
                if let Some(yaml) = texts.decoded(&mut nodes, findings)? {
                    module = Decoder::new(yaml, texts.span(), device, findings).module()?;
                }
                sections.check_code(&elf, &module.kernels, findings)?;
            }
        }
        findings.stage();
        if let Some((name, place)) = module.libraries.first() {
            let message = format_args!("required library \"{}\"", Excerpt(name));
            return findings.refuse(&rules::LIBRARIES, *place, message);
        }
        link::allocate(&sections, &module, &device, findings)?;
        link::link(&elf, &sections, &module, findings)?;
        findings.stage();
        for kernel in &module.kernels {
            for (noun, place) in &kernel.bad_pointers {
                let name = Excerpt(kernel.name);
                let message = format_args!("{name}: {noun} is not a pointer of 4 or 8 bytes");
                findings.note(&rules::POINTER_SIZE, *place, message);
            }
        }
        if let Some(texts) = &texts {
            ze_info::check_misc_info(texts, &module.kernels, findings);
        }
        Ok(())
    }

    fn verdict(self, mut findings: Findings) -> Verdict {
        let imports = findings.take_imports();
        let target_only = [&rules::OTHER_TARGET, &rules::NO_TARGET];
        let helps = self.ir.is_some() && target_only.iter().any(|rule| findings.contains(rule));
        let (mut findings, rules, decisive) = findings.finish();
        if helps {
            let refuses = |finding: &&mut Finding| finding.effect == Effect::Refuses;
            for finding in findings.iter_mut().filter(refuses) {
                finding.effect = Effect::Recompiles;
            }
        }
        let outcome = match decisive.and_then(|at| findings.get(at)) {
            Some(finding) => finding.effect.outcome(),
            None if findings.iter().any(|f| f.effect == Effect::Warns) => {
                Outcome::LoadsWithWarnings
            }
            None => Outcome::Loads,
        };
        let rebuild = self.ir.map(|(from, span)| Rebuild {
            from: from.into(),
            span,
            helps,
            text: match (outcome.loads(), helps) {
                (_, true) => format!(
                    "the driver recompiles the {from} of the file for the device, which needs the compiler (IGC), and loads the result"
                ),
                (true, _) => format!("the file contains {from}, which is not needed here"),
                _ => format!(
                    "the {from} in the file does not help: the driver recompiles it only if the native code is for another device"
                ),
            }
            .into(),
        });
        Verdict {
            driver: RELEASE.into(),
            outcome,
            device: self.device.map(|device| device.name().into()),
            requested: self.requested,
            decisive,
            findings,
            rules,
            imports,
            rebuild,
            matching: self.matching,
        }
    }
}

/// The text of the first `.ze_info`, the byte after it, and its location. Returns `None` if it is
/// not in the file.
fn first_ze_info(
    elf: &Elf<'_>,
    findings: &mut Findings,
) -> Result<Option<(Bytes, u8, Span)>, Refused> {
    let mut sections = elf.sections.iter();
    let section = sections.find(|s| s.kind == SectionType::SHT_ZEBIN_ZEINFO);
    let Some(Location::InFile(span)) = section.map(|s| elf.image.locate(s.data)) else {
        return Ok(None);
    };
    let text = elf.image.read(span, findings)?;
    let behind = elf.image.record(span.end - elf.image.file.start, 1);
    let after = behind.bytes().first().copied().unwrap_or(0);
    Ok(Some((text, after, span)))
}
