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
//! driver reads past the file. The work of a verdict is [limited](crate::limits), at most
//! proportional to the size of the file.

mod choice;
mod elf_level;
mod findings;
mod image;
mod link;
mod policy;
pub mod release;
mod requirements;
pub mod rules;
mod sections;
mod spirv_needs;
mod target;
mod version;
mod yaml;
mod ze_info;

use self::elf_level::Elf;
use self::findings::{Excerpt, Findings, Refused};
use self::image::{Image, Location};
use self::link::Api;
use self::policy::Policy;
use self::release::Release;
use self::spirv_needs::{Compilation, SpirvNeeds};
use self::target::Target;
use self::ze_info::{Decoder, Facts, Module, ZeInfoText};
use crate::device::{Device, ProductFamily};
use crate::elf::section::SectionType;
use zeview_core::analysis::images::{Choice, Images};
use zeview_core::analysis::{
    ApiVerdict, DriverModel, KnownDevice, LoadOptions, Matching, NeededRelease, Rebuild, Verdict,
};
use zeview_core::model::{Bytes, Effect, Finding, Outcome, RuleInfo, Sources, Span, Str};

/// Intel's compute-runtime, as a loader of files.
#[derive(Debug)]
pub struct ComputeRuntime;

impl DriverModel for ComputeRuntime {
    fn load(&self, sources: &Sources, file: Span, options: LoadOptions<'_>) -> Option<Verdict> {
        let device = match options.device {
            Some(name) => Some(Device::named(name)?),
            None => None,
        };
        let release = release_of(options)?;
        Some(load(sources, file, device, release, None).0)
    }

    fn device(&self, sources: &Sources, file: Span) -> Option<Str> {
        let mut findings = Findings::new(file, Release::default());
        let elf = Elf::decode(Image { sources, file }, &mut findings).ok()?;
        let target = Target::read(&elf, &mut findings).ok()?;
        target.device(&elf).map(|device| device.name().into())
    }

    fn choose(
        &self,
        sources: &Sources,
        images: &Images,
        options: LoadOptions<'_>,
    ) -> Option<Choice> {
        let device = Device::named(options.device?)?;
        let release = release_of(options)?;
        Some(choice::choose(sources, images, device, release))
    }

    fn device_named(&self, name: &str) -> Option<Str> {
        Device::named(name).map(|device| device.name().into())
    }

    fn similar_device(&self, name: &str) -> Option<String> {
        crate::device::names::similar(name)
    }

    fn devices(&self) -> Vec<KnownDevice> {
        Device::usual().map(|device| device.known()).collect()
    }

    fn releases(&self) -> Vec<Str> {
        Release::all()
            .map(|release| release.to_string().into())
            .collect()
    }
}

fn release_of(options: LoadOptions<'_>) -> Option<Release> {
    match options.release {
        Some(name) => Release::named(name),
        None => Some(Release::default()),
    }
}

/// An intermediate representation: its kind and its bytes.
pub type Ir = (&'static str, Span);

/// The driver's handling of the file, on the requested device or the file's own; and the work of
/// the verdict, in bytes read or kept. `ir` is the intermediate representation that an archive has
/// for files without one.
pub fn load(
    sources: &Sources,
    file: Span,
    requested: Option<Device>,
    release: Release,
    ir: Option<Ir>,
) -> (Verdict, u64) {
    let mut load = Load {
        device: requested,
        requested: requested.is_some(),
        ir,
        matching: None,
        facts: Facts::default(),
        options: String::new(),
        level_zero: Findings::new(file, release),
        opencl: None,
    };
    // The findings contain the reason for stopping.
    let _ = load.run(Image { sources, file });
    let steps = load.level_zero.steps();
    (load.verdict(sources), steps)
}

/// The state of loading a file.
struct Load {
    device: Option<Device>,
    requested: bool,
    ir: Option<Ir>,
    matching: Option<Matching>,
    facts: Facts,
    /// The compiler options in the file.
    options: String,
    level_zero: Findings,
    /// OpenCL's findings, if they are not Level Zero's.
    opencl: Option<Findings>,
}

impl Load {
    /// Loads the file as far as both APIs do the same, then continues for each.
    fn run(&mut self, image: Image<'_>) -> Result<(), Refused> {
        let findings = &mut self.level_zero;
        findings.stage();
        let elf = Elf::decode(image, findings)?;
        self.ir = sections::find_ir(&elf).or(self.ir);
        if self.ir.is_some() {
            // Only for the compiler: an error counts when the sections are sorted.
            let options = policy::build_options(&elf, &mut findings.clone());
            self.options = options.map_or_else(|_| String::new(), |(options, _)| options);
        }
        findings.stage();
        let target = Target::read(&elf, findings)?;
        let device = self.device.or_else(|| target.device(&elf));
        self.device = device;
        self.matching = Some(target.matching(&elf, findings.release()));
        target.check(&elf, device.as_ref(), findings)?;
        // A file without a device was refused before.
        let device = device.ok_or(Refused)?;
        let text = first_ze_info(&elf, findings)?;
        let texts = match &text {
            Some((bytes, after, at)) => Some(ZeInfoText::new(bytes, *after, *at, findings)?),
            None => None,
        };
        let mut nodes = Vec::new();
        let key = match &texts {
            Some(texts) => texts.scan_l1_policy(&mut nodes, findings)?,
            None => None,
        };
        let policy = Policy::of(&elf, &target, &device, key, findings)?;
        // From here on the APIs differ.
        let start = findings.clone();
        let mut decoded = Decoded::default();
        let facts = &mut self.facts;
        let read = decoded.read(&elf, &device, texts.as_ref(), &mut nodes, findings, facts);
        let decoding = findings.clone();
        let linked = read.and_then(|()| {
            if target.is_of_igc(&elf) {
                check_buffers(&device, facts, findings)?;
            }
            decoded.link(&elf, &device, texts.as_ref(), Api::LevelZero, findings)
        });
        // Only Level Zero needs the buffer. Linking again is only worth the work if that made a
        // difference.
        let native = if self.level_zero.contains(&rules::NO_BUFFER) {
            let mut findings = decoding.clone();
            let _ = decoded.link(&elf, &device, texts.as_ref(), Api::OpenCl, &mut findings);
            findings
        } else {
            self.level_zero.clone()
        };
        let is_over_level_zero = device.product == ProductFamily::IGFX_CRI
            && start.release().has_opencl_over_level_zero();
        let opencl = if is_over_level_zero {
            None
        } else {
            Some(self.opencl(&start, decoding, native, &policy))
        };
        // Level Zero compares the policy before it decodes: what was found in the native code does
        // not count.
        if let Some((effect, place, message)) = policy.level_zero(self.ir.is_some()) {
            self.level_zero = start;
            self.level_zero
                .note_as(&rules::CACHE_POLICY, effect, place, message);
        }
        self.opencl = opencl;
        linked
    }

    /// OpenCL's findings, if they are not Level Zero's: the driver decodes the file before it decides
    /// whether to use the native code, and links it completely. (For Crescent Island, OpenCL is
    /// implemented with Level Zero: product_helper, isLEOSupported.)
    fn opencl(
        &self,
        start: &Findings,
        decoding: Findings,
        mut native: Findings,
        policy: &Policy,
    ) -> Findings {
        let decided = decoding.decisive_effect();
        if matches!(decided, Some(Effect::Crashes | Effect::NotJudged)) {
            return decoding;
        }
        let has_ir = self.ir.is_some();
        let bindless = self.facts.bindless.as_ref();
        let bindless = bindless.filter(|_| start.release().recompiles_bindless_code());
        if let Some((kernel, place, noun)) = bindless {
            let effect = if has_ir {
                Effect::Recompiles
            } else {
                Effect::Refuses
            };
            let message = format_args!("kernel {kernel} uses bindless {noun}");
            let mut findings = start.clone();
            findings.note_as(&rules::BINDLESS, effect, *place, message);
            return findings;
        }
        if let Some((place, message)) = policy.opencl(has_ir) {
            let mut findings = start.clone();
            let effect = Effect::Recompiles;
            findings.note_as(&rules::CACHE_POLICY, effect, place, message);
            return findings;
        }
        // OpenCL has no later link with other modules.
        native.change_effect(Effect::NeedsLinking, Effect::LinkFails);
        native
    }

    fn verdict(mut self, sources: &Sources) -> Verdict {
        let mut level_zero = self.level_zero;
        let imports = level_zero.take_imports();
        let release = level_zero.release();
        let mut opencl = self.opencl.take().unwrap_or_else(|| level_zero.clone());
        let mut needs = None;
        for findings in [&mut level_zero, &mut opencl] {
            if self.ir.is_some() {
                recompile(findings);
            }
            if let Some((_, span)) = self.ir
                && let Some(device) = &self.device
                && findings.decisive_effect() == Some(Effect::Recompiles)
            {
                let needs = needs.get_or_insert_with(|| SpirvNeeds::read(sources, span));
                compile(needs.as_ref(), device, &self.options, span, findings);
            }
        }
        let opencl = ApiResult::new(opencl);
        let level_zero = ApiResult::new(level_zero);
        let outcome = level_zero.outcome();
        let helps = outcome == Outcome::Recompiled;
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
                    "the {from} in the file does not help: the driver does not recompile it when it finds an error in the native code"
                ),
            }
            .into(),
        });
        let mut rules = level_zero.rules.clone();
        for rule in &opencl.rules {
            if !rules.iter().any(|known| known.id == rule.id) {
                rules.push(rule.clone());
            }
        }
        Verdict {
            driver: release.to_string().into(),
            outcome,
            device: self.device.map(|device| device.name().into()),
            requested: self.requested,
            decisive: level_zero.decisive,
            findings: level_zero.findings,
            rules,
            imports,
            rebuild,
            matching: self.matching,
            needs_driver: self.facts.needed.map(|(word, span)| NeededRelease {
                release: word.release().into(),
                version: word.version().into(),
                until: word
                    .until
                    .map(|(year, week)| format!("{year}.{week:02}").into()),
                word: word.name.into(),
                span,
            }),
            opencl: ApiVerdict {
                outcome: ApiResult::outcome_of(&opencl.findings, opencl.decisive),
                decisive: opencl.decisive,
                findings: opencl.findings,
            },
        }
    }
}

/// The result for one API.
struct ApiResult {
    findings: Vec<Finding>,
    rules: Vec<RuleInfo>,
    decisive: Option<usize>,
}

/// The driver recompiles the intermediate representation of a file for another device.
fn recompile(findings: &mut Findings) {
    let target_only = [&rules::OTHER_TARGET, &rules::NO_TARGET];
    // Another device is the only error that recompiling repairs: after an error of decoding, the
    // driver gives up although SPIR-V is there (observed).
    if target_only.iter().any(|rule| findings.contains(rule)) {
        findings.change_effect(Effect::Refuses, Effect::Recompiles);
    }
}

/// Compiles the intermediate representation.
fn compile(
    needs: Option<&SpirvNeeds>,
    device: &Device,
    options: &str,
    ir: Span,
    findings: &mut Findings,
) {
    // The work on a module is proportional to its size.
    if findings.spend(ir.len(), ir).is_err() {
        return;
    }
    let (effect, span, why) = match needs.map(|needs| needs.compile(device, options)) {
        None | Some(Compilation::Works) => return,
        Some(Compilation::WorksBecause(span, why)) => (Effect::Passes, span, why),
        Some(Compilation::Fails(span, why)) => (Effect::Refuses, span, why),
        Some(Compilation::Unknown(span, why)) => (Effect::NotJudged, span, why),
    };
    findings.note_as(&rules::COMPILATION, effect, span, &why);
    if effect != Effect::Passes {
        findings.decide_by_last();
    }
}

impl ApiResult {
    fn new(findings: Findings) -> ApiResult {
        let (findings, rules, decisive) = findings.finish();
        ApiResult {
            findings,
            rules,
            decisive,
        }
    }

    fn outcome(&self) -> Outcome {
        ApiResult::outcome_of(&self.findings, self.decisive)
    }

    fn outcome_of(findings: &[Finding], decisive: Option<usize>) -> Outcome {
        match decisive.and_then(|at| findings.get(at)) {
            Some(finding) => finding.effect.outcome(),
            None if findings.iter().any(|f| f.effect == Effect::Warns) => {
                Outcome::LoadsWithWarnings
            }
            None => Outcome::Loads,
        }
    }
}

/// On Xe3P, buffers must be accessed by address. compute-runtime, module_imp.cpp, shouldBuildBeFailed,
/// and build.cpp.
fn check_buffers(device: &Device, facts: &Facts, findings: &mut Findings) -> Result<(), Refused> {
    let is_xe3p = matches!(
        device.product,
        ProductFamily::IGFX_NVL | ProductFamily::IGFX_CRI
    );
    let Some((kernel, place)) = facts.stateful.as_ref() else {
        return Ok(());
    };
    if !is_xe3p || !findings.release().refuses_stateful_buffers() {
        return Ok(());
    }
    findings.stage();
    let name = device.name();
    let message =
        format_args!("kernel {kernel} uses a stateful or bindless buffer, which {name} lacks");
    findings.refuse(&rules::STATEFUL_BUFFER, *place, message)
}

/// The decoded native code.
#[derive(Default)]
struct Decoded<'a> {
    sections: Option<sections::Sections<'a>>,
    module: Module<'a>,
}

impl<'a> Decoded<'a> {
    /// Decodes sections and text.
    fn read(
        &mut self,
        elf: &'a Elf<'_>,
        device: &Device,
        texts: Option<&'a ZeInfoText<'_>>,
        nodes: &'a mut Vec<yaml::Node>,
        findings: &mut Findings,
        facts: &mut Facts,
    ) -> Result<(), Refused> {
        let sections = sections::sort(elf, findings)?;
        match (&sections.ze_info, texts) {
            (None, _) => {
                let message = "no section of type SHT_ZEBIN_ZEINFO";
                findings.note(&rules::NO_ZE_INFO, elf.image.span(0, 0), message);
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
                if let Some(yaml) = texts.decoded(nodes, findings)? {
                    let mut decoder = Decoder::new(yaml, texts.span(), *device, findings, facts);
                    self.module = decoder.module()?;
                }
                sections.check_code(elf, &self.module.kernels, findings)?;
            }
        }
        self.sections = Some(sections);
        Ok(())
    }

    /// Links the code.
    fn link(
        &self,
        elf: &Elf<'_>,
        device: &Device,
        texts: Option<&ZeInfoText<'_>>,
        api: Api,
        findings: &mut Findings,
    ) -> Result<(), Refused> {
        let Some(sections) = &self.sections else {
            return Err(Refused);
        };
        let module = &self.module;
        findings.stage();
        if let Some((name, place)) = module.libraries.first() {
            let message = format_args!("required library \"{}\"", Excerpt(name));
            return findings.refuse(&rules::LIBRARIES, *place, message);
        }
        link::allocate(sections, module, device, api, findings)?;
        link::link(elf, sections, module, findings)?;
        findings.stage();
        for kernel in &module.kernels {
            for (noun, place) in &kernel.bad_pointers {
                let name = Excerpt(kernel.name);
                let message = format_args!("{name}: {noun} is not a pointer of 4 or 8 bytes");
                findings.note(&rules::POINTER_SIZE, *place, message);
            }
        }
        if let Some(texts) = texts {
            ze_info::check_misc_info(texts, &module.kernels, findings);
        }
        Ok(())
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
