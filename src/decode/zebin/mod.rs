//! zebin: Intel's GPU binaries, an ELF file with sections of their own. IGC's zebin
//! specification (elf.md, zeinfo.md) to version 1.73; where it is silent, what IGC writes and
//! compute-runtime reads.
//!
//! ```text
//! .text.<kernel>        machine code                        text
//! .ze_info              metadata of the kernels, YAML       ze_info
//! .note.intelgt.compat  the device that it is for           note_intelgt, device
//! .gtpin_info.<kernel>  for instrumentation                 gtpin_info
//! .spv, .pisa           what it can be rebuilt from         ir
//! .misc.*               build options, constants            misc
//! .visaasm.*            vISA assembly                       lines of text
//! .data.*, .debug_*     constants, variables, DWARF         bytes
//! ```

pub mod device;
pub mod gtpin_info;
pub mod ir;
pub mod links;
pub mod misc;
pub mod note_intelgt;
mod sections;
pub mod target_metadata;
mod text;
pub mod verdict;
pub mod ze_info;

use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;

use self::device::{CoreFamily, GmdId, ProductConfig, ProductFamily, release_title};
use self::links::Links;
use self::note_intelgt::Target;
use self::target_metadata::TargetMetadata;
use self::ze_info::ZeInfo;
use self::ze_info::kernels::ZebinKernels;
use super::Context;
use super::elf::linkage::ElfLinkage;
use super::elf::note::{Notes, Vocabulary};
use super::elf::section::{Section, SectionType};
use super::elf::{ElfFile, Identity, plural};
use super::layout::Layout;
use super::reader::Window;
use super::rules;
use crate::model::kernels::Kernels;
use crate::model::linkage::Linkage;
use crate::model::{Expand, Fact, Node, Rows, Sources, Span, Str, Tone};

pub use self::sections::section_node;

/// What a zebin says about itself, collected before its rows are made.
pub struct Survey {
    /// The version of the zebin.
    pub version: Option<String>,
    /// The file in a few facts.
    pub facts: Vec<Fact>,
    /// What belongs together.
    pub links: Rc<Links>,
    /// `.ze_info`, and the index of its section.
    ze_info: Option<(u64, Rc<ZeInfo>)>,
    /// The notes of `.note.intelgt.compat`, and the index of their section; taken when the
    /// section's node is made.
    notes: RefCell<Option<(u64, Notes)>>,
}

impl Survey {
    /// Who makes the rows of the document that has these parts.
    pub fn rows(&self, cx: &Context<'_>, file: &Rc<ElfFile>, parts: Layout) -> Rc<dyn Expand> {
        let kernels = self.ze_info.as_ref().map(|(_, info)| {
            let kernels = ZebinKernels::new(Rc::clone(info), Rc::clone(&self.links));
            Rc::new(kernels)
        });
        let linkage = ElfLinkage::new(file, &self.links, &cx.rare);
        Rc::new(Zebin {
            parts,
            kernels,
            linkage: Rc::new(linkage),
        })
    }
}

/// The rows of a document that may have kernels, symbols, relocations.
struct Zebin {
    parts: Layout,
    kernels: Option<Rc<ZebinKernels>>,
    linkage: Rc<ElfLinkage>,
}

impl Expand for Zebin {
    fn count(&self, item: u64, sources: &Sources) -> u64 {
        self.parts.count(item, sources)
    }

    fn rows(&self, item: u64, range: Range<u64>, out: &mut Rows<'_>) {
        self.parts.rows(item, range, out);
    }

    fn kernels(&self, _item: u64) -> Option<Rc<dyn Kernels>> {
        let kernels = self.kernels.as_ref()?;
        Some(Rc::clone(kernels) as Rc<dyn Kernels>)
    }

    fn linkage(&self, _item: u64) -> Option<Rc<dyn Linkage>> {
        Some(Rc::clone(&self.linkage) as Rc<dyn Linkage>)
    }

    fn index_at(&self, item: u64, offset: u64, sources: &Sources) -> Option<Vec<u64>> {
        self.parts.index_at(item, offset, sources)
    }
}

/// The vocabulary of an owner of notes.
pub fn note_owners(name: &[u8]) -> &'static Vocabulary {
    note_intelgt::owners(name)
}

/// Parts that no section header tells of.
pub fn extra_parts(cx: &Context<'_>, file: &ElfFile, parts: &mut Vec<Node>) {
    if file.identity.is_zebin() {
        parts.extend(misc::hidden_metrics(cx, file));
    }
}

/// Looks through the file and checks it.
pub fn survey(cx: &Context<'_>, file: &Rc<ElfFile>) -> Survey {
    let is_zebin = file.identity.is_zebin();
    let legacy = matches!(file.identity, Identity::LegacyZebin { .. });
    let ze_info = file
        .sections
        .iter()
        .find(|s| s.kind == SectionType::SHT_ZEBIN_ZEINFO)
        .and_then(|s| {
            if s.bytes.is_empty() {
                cx.report(&rules::ZE_INFO_EMPTY, s.header, "there is no text in it");
                return None;
            }
            Some((s.index, Rc::new(ZeInfo::read(cx, s.bytes, legacy)?)))
        });
    let kernels = ze_info
        .as_ref()
        .map(|(_, i)| i.kernels())
        .unwrap_or_default();
    let links = Rc::new(Links::new(file, &kernels));
    let mut survey = Survey {
        version: None,
        facts: Vec::new(),
        links,
        ze_info,
        notes: RefCell::new(None),
    };
    if !is_zebin {
        return survey;
    }
    sections::check(cx, file);
    for kernel in kernels.iter().filter(|k| !survey.links.has_text(&k.name)) {
        cx.report(
            &rules::ZEBIN_KERNEL_WITHOUT_TEXT,
            kernel.name_span,
            format_args!("there is no .text.{}", kernel.name),
        );
    }
    let target = read_notes(cx, file, &survey);
    let version = survey.ze_info.as_ref().and_then(|(_, i)| i.version());
    let version = version.or_else(|| target.version.clone());
    survey.version = version.as_ref().map(|(text, _)| text.clone());
    survey.facts = facts(cx, file, &target, version, kernels.len() as u64);
    survey
}

fn read_notes(cx: &Context<'_>, file: &ElfFile, survey: &Survey) -> Target {
    let section = file
        .sections
        .iter()
        .find(|s| s.kind == SectionType::SHT_NOTE && s.name == ".note.intelgt.compat");
    let mut target = Target::default();
    if let Some(section) = section {
        let notes = Notes::walk(cx, section.bytes, file.endian, note_intelgt::owners);
        target = note_intelgt::check(cx, notes.list(), file.endian);
        *survey.notes.borrow_mut() = Some((section.index, notes));
    }
    let said = |word: Option<(u32, Span)>| word.is_some_and(|(word, _)| word != 0);
    let legacy = matches!(file.identity, Identity::LegacyZebin { .. });
    if !legacy
        && !said(target.product_config)
        && !said(target.product_family)
        && !said(target.core_family)
    {
        cx.report(
            &rules::ZEBIN_NO_TARGET,
            section.map_or(file.header.origin, |s| s.header),
            match section {
                Some(_) => "no note names a product or core family",
                None => "there is no .note.intelgt.compat",
            },
        );
    }
    target
}

fn fact(label: &'static str, text: impl Into<Str>, span: Option<Span>, headline: bool) -> Fact {
    Fact {
        label: label.into(),
        text: text.into(),
        tone: Tone::Plain,
        span,
        headline,
    }
}

fn facts(
    cx: &Context<'_>,
    file: &ElfFile,
    target: &Target,
    version: Option<(String, Span)>,
    kernels: u64,
) -> Vec<Fact> {
    let mut facts = vec![device_fact(file, target)];
    let ze_info = file
        .sections
        .iter()
        .find(|s| s.kind == SectionType::SHT_ZEBIN_ZEINFO);
    facts.push(fact(
        "kernels",
        plural(kernels, "kernel"),
        ze_info.map(|s| s.bytes),
        true,
    ));
    if let Some((version, span)) = version {
        facts.push(fact("version", version, Some(span), false));
    }
    let metadata = match file.identity {
        Identity::LegacyZebin { .. } => Some((
            u32::try_from(file.header.e_flags).unwrap_or(0),
            file.header.span_of("e_flags"),
        )),
        _ => target.metadata,
    };
    if let Some((word, span)) = metadata {
        let generator = TargetMetadata(word).generator();
        let name = generator.name().unwrap_or("unknown");
        facts.push(fact("generator", name, Some(span), false));
    }
    if let Some((word, span)) = target.product_family.filter(|(word, _)| *word != 0) {
        let name = ProductFamily(word).name().unwrap_or("unknown");
        facts.push(fact(
            "product family",
            format!("{name} ({word})"),
            Some(span),
            false,
        ));
    }
    if let Some((word, span)) = target.core_family.filter(|(word, _)| *word != 0) {
        let name = CoreFamily(word).name().unwrap_or("unknown");
        facts.push(fact(
            "core family",
            format!("{name} ({word:#x})"),
            Some(span),
            false,
        ));
    }
    if let Some(options) = build_options(cx, file) {
        facts.push(options);
    }
    facts
}

/// The build options as they stand there; the beginning of long ones.
fn build_options(cx: &Context<'_>, file: &ElfFile) -> Option<Fact> {
    const SHOWN: u64 = 400;
    let named = |section: &&Section| section.name == ".misc.buildOptions";
    let section = file.sections.iter().find(named)?;
    let start = Window::clamped(cx.sources, section.bytes.sub(0, SHOWN));
    let text = String::from_utf8_lossy(start.bytes());
    let text = text.trim_end_matches('\0').trim();
    let more = if section.bytes.len() > SHOWN {
        " …"
    } else {
        ""
    };
    (!text.is_empty()).then(|| {
        fact(
            "build options",
            format!("{text}{more}"),
            Some(section.bytes),
            false,
        )
    })
}

/// The device in a few words: `bmg-g21 · 20.1.0 · Xe2-HPG`.
fn device_fact(file: &ElfFile, target: &Target) -> Fact {
    if let Some((word, span)) = target.product_config.filter(|(word, _)| *word != 0) {
        let id = GmdId(word);
        let text = match ProductConfig::of(word) {
            Some(config) => {
                format!(
                    "{} · {id} · {}",
                    config.device(),
                    release_title(config.release)
                )
            }
            None => format!("unknown device · {id}"),
        };
        return fact("target", text, Some(span), true);
    }
    if let Identity::LegacyZebin { core_family } = file.identity {
        let machine = u32::try_from(file.header.e_machine).unwrap_or(0);
        let name = match core_family {
            true => CoreFamily(machine).name(),
            false => ProductFamily(machine).name(),
        };
        let text = name.map_or_else(|| format!("machine {machine}"), family_title);
        return fact("target", text, Some(file.header.span_of("e_machine")), true);
    }
    let product = target
        .product_family
        .filter(|(word, _)| *word != 0)
        .map(|(word, span)| (ProductFamily(word).name(), word, span));
    let core = target
        .core_family
        .filter(|(word, _)| *word != 0)
        .map(|(word, span)| (CoreFamily(word).name(), word, span));
    match product.or(core) {
        Some((Some(name), _, span)) => fact("target", family_title(name), Some(span), true),
        Some((None, word, span)) => fact("target", format!("family {word}"), Some(span), true),
        None => Fact {
            tone: Tone::Warning,
            ..fact("target", "no target device", None, true)
        },
    }
}

/// `IGFX_TIGERLAKE_LP` as people say it: `Tigerlake LP`.
fn family_title(name: &str) -> String {
    let name = name.strip_prefix("IGFX_").unwrap_or(name);
    let name = name.strip_suffix("_CORE").unwrap_or(name);
    let words: Vec<String> = name
        .split('_')
        .map(|word| {
            if word.len() <= 3 || word.chars().any(|c| c.is_ascii_digit()) {
                return word.to_owned();
            }
            let (first, rest) = word.split_at_checked(1).unwrap_or((word, ""));
            format!("{first}{}", rest.to_ascii_lowercase())
        })
        .collect();
    words.join(" ")
}

/// The bytes of a section, or of its header where it has none.
pub(super) fn place_of(section: &Section) -> Span {
    if section.bytes.is_empty() {
        section.header
    } else {
        section.bytes
    }
}
