//! The verdict: what today's driver does with a zebin, without driver or device. It follows
//! compute-runtime step by step, release 26.27 as it was observed on files with one change
//! each, and keeps apart from what is *wrong* with a file, which the diagnostics say: real
//! compilers write files that the driver refuses, and it takes files that are damaged.
//!
//! ```text
//! container     elf_level   tables, names, symbols, relocations
//! target        target      notes against the device
//! sections      sections    which there are, how often
//! .ze_info      yaml        the text, as the driver's own parser sees it
//!               ze_info     what is in it
//! load          link        memory, symbols, relocations
//! ```
//!
//! The driver stops at the first step that fails; so does the verdict, but for kernels, which
//! are all looked at. Not modelled: what kernels do when they run; what unallocated memory
//! holds, where the driver reads past the file.

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

use self::elf_level::{Elf, Section};
use self::findings::{Findings, Stop};
use self::image::{Image, Where};
use self::sections::Sections;
use self::target::Target;
use self::ze_info::{Decoder, Module, Texts};
use super::device::Device;
use crate::decode::elf::section::SectionType;
use crate::decode::limits;
use crate::model::{DriverModel, Effect, Matching, Outcome, Rebuild, Sources, Span, Str, Verdict};

/// The driver's release.
pub const RELEASE: &str = "26.27";

/// compute-runtime, as far as it loads files.
#[derive(Debug)]
pub struct ComputeRuntime;

impl DriverModel for ComputeRuntime {
    fn load(&self, sources: &Sources, file: Span, device: Option<&str>) -> Option<Verdict> {
        let device = match device {
            Some(name) => Some(Device::named(name)?),
            None => None,
        };
        Some(judge(sources, file, device))
    }

    fn devices(&self) -> Vec<Str> {
        Device::usual().map(|device| device.name().into()).collect()
    }
}

/// What the driver does with the file, on a device or on its own.
pub fn judge(sources: &Sources, file: Span, asked: Option<Device>) -> Verdict {
    let mut findings = Findings::default();
    let mut course = Course {
        device: asked,
        asked: asked.is_some(),
        ir: None,
        matching: None,
    };
    let image = Image { sources, file };
    // Why it stopped is in the findings.
    let _ = course.run(image, &mut findings);
    course.verdict(findings)
}

/// How far it came.
struct Course {
    device: Option<Device>,
    asked: bool,
    ir: Option<(&'static str, Span)>,
    matching: Option<Matching>,
}

impl Course {
    fn run(&mut self, image: Image<'_>, findings: &mut Findings) -> Result<(), Stop> {
        findings.stage();
        let elf = Elf::decode(image, findings)?;
        self.ir = sections::find_ir(&elf);
        findings.stage();
        let target = Target::read(&elf, findings)?;
        let device = self.device.or_else(|| target.device(&elf));
        self.device = device;
        self.matching = Some(target.matching(&elf));
        target.check(&elf, device.as_ref(), findings)?;
        // A file without a device was stopped before.
        let device = device.ok_or(Stop)?;
        let text = first_ze_info(&elf);
        let texts = text
            .as_ref()
            .map(|(bytes, after, at)| Texts::new(bytes, *after, *at));
        let mut nodes = Vec::new();
        if let Some(texts) = &texts {
            texts.first_look(&mut nodes, findings)?;
        }
        let sections = sections::sort(&elf, findings)?;
        let mut module = Module::default();
        match (&sections.ze_info, &texts) {
            (None, _) => {
                findings.note(
                    &rules::NO_ZE_INFO,
                    image.span(0, 0),
                    "no section of this type",
                );
            }
            (Some(section), None) => unread(&elf, section, findings)?,
            (Some(_), Some(texts)) => {
                if let Some(yaml) = texts.decoded(&mut nodes, findings)? {
                    module = Decoder::new(yaml, texts.span(), device, findings).module()?;
                }
                code_of(&elf, &sections, &module, findings)?;
            }
        }
        findings.stage();
        if let Some((name, place)) = module.libraries.first() {
            let message = format!("it needs {}", String::from_utf8_lossy(name));
            return Err(findings.stop(&rules::LIBRARIES, *place, message));
        }
        link::allocate(&sections, &module, &device, findings)?;
        link::link(&elf, &sections, &module, findings)?;
        findings.stage();
        for kernel in &module.kernels {
            for (what, place) in &kernel.bad_pointers {
                let of = String::from_utf8_lossy(kernel.name);
                let message = format!("{what} of {of} is no pointer of 4 or 8 bytes");
                findings.note(&rules::POINTER_SIZE, *place, message);
            }
        }
        if let Some(texts) = &texts {
            ze_info::check_misc_info(texts, &module.kernels, findings);
        }
        Ok(())
    }

    fn verdict(self, findings: Findings) -> Verdict {
        let target_only = [&rules::OTHER_TARGET, &rules::NO_TARGET, &rules::DEVICE_GONE];
        let helps = target_only.iter().any(|rule| findings.met(rule));
        let (findings, rules, decisive) = findings.finish();
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
                (true, _) => format!("{from} is there, and not needed"),
                (_, true) => format!(
                    "the file is for another device; the driver compiles its {from} anew, where it has a compiler, and loads that"
                ),
                _ => format!(
                    "{from} is there, but the driver compiles it anew only when a file is for another device, not when it cannot be decoded or linked"
                ),
            }
            .into(),
        });
        Verdict {
            driver: RELEASE.into(),
            outcome,
            device: self.device.map(|device| device.name().into()),
            asked: self.asked,
            decisive,
            findings,
            rules,
            rebuild,
            matching: self.matching,
        }
    }
}

/// The first `.ze_info`: its bytes, the byte behind it, its place. Nothing where it is not in
/// the file or too large to be looked at.
fn first_ze_info(elf: &Elf<'_>) -> Option<(crate::model::Bytes, u8, Span)> {
    let section = elf
        .sections
        .iter()
        .find(|s| s.kind == SectionType::SHT_ZEBIN_ZEINFO)?;
    let Where::Inside(span) = elf.image.locate(section.data) else {
        return None;
    };
    if span.len() > limits::ZE_INFO.min(u64::from(u32::MAX)) {
        return None;
    }
    let after = elf
        .image
        .record::<1>(section.data.start.saturating_add(span.len()));
    Some((elf.image.read(span), after[0], span))
}

/// A `.ze_info` whose text is not at hand.
fn unread(elf: &Elf<'_>, section: &Section, findings: &mut Findings) -> Result<(), Stop> {
    let (rule, message) = match elf.image.locate(section.data) {
        Where::Inside(_) => {
            let message = "the text is too large to be judged; taken to be fine";
            findings.note(&rules::NOT_JUDGED, section.header, message);
            return Ok(());
        }
        Where::Before(_) => (&rules::OVERFLOW_TEXT, "the text starts before the file"),
        Where::Behind | Where::Null => (&rules::OVERFLOW_READ, "the text lies outside of the file"),
    };
    Err(findings.stop(rule, section.header, message))
}

/// Every kernel has code.
fn code_of(
    elf: &Elf<'_>,
    sections: &Sections<'_>,
    module: &Module<'_>,
    findings: &mut Findings,
) -> Result<(), Stop> {
    findings.stage();
    let mut stop = None;
    for kernel in &module.kernels {
        let checked = sections::check_text(elf, sections, kernel.name, kernel.place, findings);
        stop = checked.err().or(stop);
    }
    stop.map_or(Ok(()), Err)
}
