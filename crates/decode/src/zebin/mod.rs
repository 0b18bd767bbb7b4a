//! zebin: Intel's GPU binary format, an ELF file with Intel-specific sections. Follows IGC's zebin
//! specification (elf.md, zeinfo.md) up to version 1.73. Where the specification is silent, follows
//! what IGC writes and compute-runtime reads.
//!
//! [`sections::SECTIONS`] lists the sections. They are decoded in these modules:
//!
//! ```text
//! .text.<kernel>        text                      .gtpin_info.<kernel>  gtpin_info
//! .ze_info              ze_info                   .spv                  ir
//! .note.intelgt.compat  note_intelgt, device      .misc.*               misc
//! ```

pub(crate) mod assembly;
mod containers;
pub mod gtpin_info;
pub mod identity;
pub mod ir;
pub mod links;
pub mod misc;
pub mod note_intelgt;
pub mod occupancy;
pub mod platform;
pub mod relocation;
pub mod sections;
pub mod target_metadata;
pub(crate) mod text;
pub mod verdict;
pub mod ze_info;
pub mod ze_info_file;

use std::cell::RefCell;
use std::rc::Rc;

use foldhash::HashSet;

use self::assembly::ZebinAssembly;
use self::identity::Identity;
use self::links::Links;
use self::note_intelgt::Target;
use self::occupancy::TargetDevice;
use self::target_metadata::TargetMetadata;
use self::text::Instructions;
use self::ze_info::ZeInfo;
use self::ze_info::kernels::ZebinKernels;
use super::Context;
use super::device::{CoreFamily, Device, GmdId, ProductConfig, ProductFamily, release_title};
use super::dwarf::Dwarf;
use super::elf::dialect::Dialect;
use super::elf::header::{Header, Machine};
use super::elf::note::Notes;
use super::elf::section::{Section, SectionType};
use super::elf::{self, ElfFile};
use super::elf_document::contents::{Contents, Plain};
use super::elf_document::{self, Interpreter};
use super::format::{Format, OpenedDocument};
use super::reader::{Endian, Window, uint};
use super::rules;
use super::spirv::{self, kernels::SpirvKernels};
use super::text::plural;
use zeview_core::analysis::assembly::Assembly;
use zeview_core::analysis::kernels::{Kernels, PLACEHOLDER};
use zeview_core::analysis::linkage::Linkage;
use zeview_core::model::{Fact, Node, Sources, Span, Str, Tone};

/// The ELF format, including zebins.
#[derive(Debug)]
pub struct Elf;

impl Format for Elf {
    fn recognize(&self, head: &[u8]) -> bool {
        elf::recognize(head)
    }

    fn kind(&self, head: &[u8]) -> &'static str {
        // All files for this machine are little-endian.
        let machine = uint(head.get(18..20).unwrap_or(&[]), Endian::Little);
        if machine == u64::from(Machine::EM_INTELGT.0) {
            "zebin"
        } else {
            "ELF"
        }
    }

    fn open(&self, cx: &Context<'_>, span: Span) -> OpenedDocument {
        let interpreter = Interpreter {
            dialect: identity::dialect,
            read: contents,
        };
        elf_document::open(cx, span, interpreter)
    }
}

/// Reads the contents of a file: those of a zebin, or none that the generic ABI does not define.
fn contents(cx: &Context<'_>, file: &Rc<ElfFile>) -> Rc<dyn Contents> {
    match Identity::of(file) {
        Some(identity) => Rc::new(read(cx, file, identity)),
        None => Rc::new(Plain),
    }
}

/// The contents of a zebin, collected before its rows are built.
pub struct ZebinContents {
    file: Rc<ElfFile>,
    identity: Identity,
    /// The version of the zebin.
    version: Option<String>,
    /// The facts about the file.
    facts: Vec<Fact>,
    /// The links between parts.
    links: Rc<Links>,
    /// The file's target device.
    own: TargetDevice,
    /// `.ze_info`, and the index of its section.
    ze_info: Option<(u64, Rc<ZeInfo>)>,
    /// The notes of `.note.intelgt.compat`, and the index of their section; taken when the
    /// section's node is built.
    notes: RefCell<Option<(u64, Notes)>>,
    /// The decoder of its instructions.
    instructions: Rc<Instructions>,
    /// The kernels of the SPIR-V in a legacy container, such as `generic_ir` of archives.
    legacy: Option<Rc<SpirvKernels>>,
}

impl Contents for ZebinContents {
    fn title(&self) -> Option<Str> {
        let version = self.version.as_ref()?;
        Some(format!("{} {version}", self.identity.title()).into())
    }

    fn facts(&self) -> Vec<Fact> {
        self.facts.clone()
    }

    fn describe(&self, section: &Section, node: Node) -> Node {
        sections::describe(section, self, node)
    }

    fn node(
        &self,
        cx: &Context<'_>,
        section: &Section,
        dwarf: Option<&Rc<Dwarf>>,
        node: &Node,
    ) -> Option<Node> {
        if self.identity == Identity::LegacyOpenCl
            && let Some(node) = containers::opencl_node(cx, section, node)
        {
            return Some(node);
        }
        sections::section_node(cx, section, self, dwarf, node.clone())
    }

    fn more_parts(&self, cx: &Context<'_>) -> Option<Node> {
        if self.identity.is_zebin() {
            misc::hidden_metrics(cx, &self.file)
        } else {
            None
        }
    }

    fn kernels(&self) -> Option<Rc<dyn Kernels>> {
        if let Some(legacy) = &self.legacy {
            return Some(Rc::clone(legacy) as Rc<dyn Kernels>);
        }
        let (_, info) = self.ze_info.as_ref()?;
        let kernels = ZebinKernels::new(
            info,
            Rc::clone(&self.links),
            self.own,
            Rc::clone(&self.instructions),
            spirv_of(&self.file),
        );
        Some(Rc::new(kernels))
    }

    fn instructions(&self, code: Span, sources: &Sources) -> Option<u64> {
        self.identity
            .is_zebin()
            .then(|| text::instructions(code, sources))
    }

    fn assembly(
        &self,
        kernels: Option<Rc<dyn Kernels>>,
        linkage: Rc<Linkage>,
    ) -> Option<Rc<dyn Assembly>> {
        let instructions = Rc::clone(&self.instructions);
        let code = ZebinAssembly::new(&self.file, &self.links, instructions, kernels, linkage);
        code.filter(|_| self.identity.is_zebin())
            .map(|code| Rc::new(code) as Rc<dyn Assembly>)
    }

    fn kernel_of(&self, section: &str) -> Option<(String, Span)> {
        let (name, entry) = self.links.kernel_of(section)?;
        Some((name.to_owned(), entry))
    }
}

/// Reads and checks the file.
fn read(cx: &Context<'_>, file: &Rc<ElfFile>, identity: Identity) -> ZebinContents {
    let legacy = matches!(identity, Identity::LegacyZebin { .. });
    let ze_info = file
        .sections
        .iter()
        .find(|s| s.kind == SectionType::SHT_ZEBIN_ZEINFO)
        .and_then(|s| {
            if s.bytes.is_empty() {
                cx.report(&rules::ZE_INFO_EMPTY, s.header, "the section is empty");
                return None;
            }
            Some((s.index, Rc::new(ZeInfo::read(cx, s.bytes, legacy)?)))
        });
    let kernels = ze_info
        .as_ref()
        .map(|(_, i)| i.kernels())
        .unwrap_or_default();
    let mut contents = ZebinContents {
        file: Rc::clone(file),
        identity,
        version: None,
        facts: Vec::new(),
        links: Rc::new(Links::new(file, &kernels)),
        own: TargetDevice::None,
        ze_info,
        notes: RefCell::new(None),
        instructions: Rc::default(),
        legacy: None,
    };
    // A container for Intel GPUs may be a zebin with another type.
    if identity == Identity::LegacyOpenCl && !file.dialect.is_loadable(&file.header) {
        let purpose =
            "SPIR-V for the driver to compile; it loads no native code of such a container";
        contents.facts.push(Fact::new("purpose", purpose, None));
    }
    if !identity.is_zebin() {
        let is_legacy = identity == Identity::LegacyOpenCl;
        let module = spirv_of(file).filter(|_| is_legacy);
        let module = module.filter(|module| !spirv::kernel_names(cx.sources, *module).is_empty());
        contents.legacy =
            module.map(|module| Rc::new(SpirvKernels::new(module, HashSet::default())));
        return contents;
    }
    sections::check(cx, file);
    for kernel in kernels.iter().filter(|k| !contents.links.has_text(&k.name)) {
        cx.report(
            &rules::ZEBIN_KERNEL_WITHOUT_TEXT,
            kernel.name_span,
            format_args!("no section .text.{}", kernel.name),
        );
    }
    check_code(cx, file, &contents);
    let target = read_notes(cx, file, &contents);
    let (own, core) = own_device(file, identity, &target);
    contents.own = own;
    let device = match own {
        TargetDevice::Device(device, _) => Some(device),
        TargetDevice::CoreFamily | TargetDevice::None => core.and_then(Device::of_core),
    };
    let platform = device.and_then(|device| platform::of_device(&device));
    contents.instructions = Rc::new(Instructions::new(platform));
    let version = contents.ze_info.as_ref().and_then(|(_, i)| i.version());
    // The notes have the version, too. The driver reads that of the text.
    let version = version.or_else(|| target.version.clone());
    contents.version = version.as_ref().map(|(text, _)| text.clone());
    let count = kernels.iter().filter(|k| k.name != PLACEHOLDER).count();
    contents.facts = facts(cx, file, identity, &target, version, count as u64);
    contents
}

/// The bytes of the SPIR-V of a zebin, if it has some.
fn spirv_of(file: &ElfFile) -> Option<Span> {
    let mut sections = file.sections.iter();
    let section = sections.find(|s| s.kind == SectionType::SHT_ZEBIN_SPIRV)?;
    Some(section.bytes)
}

/// Checks that there is code, and that it has all kernels of the SPIR-V.
fn check_code(cx: &Context<'_>, file: &ElfFile, contents: &ZebinContents) {
    // What is missing may be beyond the end of the file, which is reported already.
    if file.is_truncated() {
        return;
    }
    let spirv = spirv_of(file).map(|module| spirv::kernel_names(cx.sources, module));
    let spirv = spirv.unwrap_or_default();
    let is_code = |section: &Section| {
        section.size > 0
            && [".text", ".data", ".bss"]
                .iter()
                .any(|name| section.name.starts_with(name))
    };
    if !file.sections.is_empty() && !file.sections.iter().any(is_code) {
        let count = plural(spirv.len() as u64, "kernel");
        let more = match spirv.len() {
            0 => String::new(),
            _ => format!(", but its SPIR-V has {count}"),
        };
        let message = format_args!("the file has no code{more}");
        return cx.report(&rules::ZEBIN_NO_CODE, file.header.origin, message);
    }
    let is_native = |name: &str| contents.links.has_text(name) || contents.links.is_listed(name);
    for (name, span) in spirv.iter().filter(|(name, _)| !is_native(name)) {
        let rule = &rules::ZEBIN_KERNEL_ONLY_IN_SPIRV;
        cx.report(rule, *span, format_args!("no native code of {name}"));
    }
}

/// The target device by the most specific note, and the core family, if known.
fn own_device(
    file: &ElfFile,
    identity: Identity,
    target: &Target,
) -> (TargetDevice, Option<CoreFamily>) {
    // Compilers write 0 for a family or configuration that they do not state.
    let set = |note: Option<(u32, Span)>| note.filter(|(word, _)| *word != 0);
    let (config, mut product, mut core) = (
        set(target.product_config),
        set(target.product_family),
        set(target.core_family),
    );
    if let Identity::LegacyZebin { core_family } = identity {
        let machine = u32::try_from(file.header.e_machine).unwrap_or(0);
        let machine = Some((machine, file.header.span_of(Header::e_machine)));
        (product, core) = if core_family {
            (None, machine)
        } else {
            (machine, None)
        };
    }
    let config = config.map(|(word, span)| (Device::of_config(word), span));
    let device = config.or_else(|| {
        let (word, span) = product?;
        Some((Device::of_product(ProductFamily(word))?, span))
    });
    let own = match (device, core) {
        (Some((device, span)), _) => TargetDevice::Device(device, span),
        (None, Some(_)) => TargetDevice::CoreFamily,
        (None, None) => TargetDevice::None,
    };
    (own, core.map(|(word, _)| CoreFamily(word)))
}

fn read_notes(cx: &Context<'_>, file: &ElfFile, contents: &ZebinContents) -> Target {
    let section = file
        .sections
        .iter()
        .find(|s| s.kind == SectionType::SHT_NOTE && s.name == ".note.intelgt.compat");
    let mut target = Target::default();
    if let Some(section) = section {
        let notes = Notes::walk(cx, section.bytes, file.endian, file.dialect.note_owners());
        target = note_intelgt::check(cx, notes.list(), file.endian);
        *contents.notes.borrow_mut() = Some((section.index, notes));
    }
    let is_set = |word: Option<(u32, Span)>| word.is_some_and(|(word, _)| word != 0);
    let legacy = matches!(contents.identity, Identity::LegacyZebin { .. });
    if !legacy
        && !file.is_truncated()
        && !is_set(target.product_config)
        && !is_set(target.product_family)
        && !is_set(target.core_family)
    {
        cx.report(
            &rules::ZEBIN_NO_TARGET,
            section.map_or(file.header.origin, |s| s.header),
            match section {
                Some(_) => "no note has a target device",
                None => "no .note.intelgt.compat section",
            },
        );
    }
    target
}

fn facts(
    cx: &Context<'_>,
    file: &ElfFile,
    identity: Identity,
    target: &Target,
    version: Option<(String, Span)>,
    kernels: u64,
) -> Vec<Fact> {
    let mut facts = vec![device_fact(file, identity, target)];
    let ze_info = file
        .sections
        .iter()
        .find(|s| s.kind == SectionType::SHT_ZEBIN_ZEINFO);
    let span = ze_info.map(|s| s.bytes);
    facts.push(Fact::new(Fact::KERNELS, plural(kernels, "kernel"), span).headline());
    if let Some((version, span)) = version {
        facts.push(Fact::new("version", version, span));
    }
    let metadata = match identity {
        Identity::LegacyZebin { .. } => Some((
            u32::try_from(file.header.e_flags).unwrap_or(0),
            file.header.span_of(Header::e_flags),
        )),
        _ => target.metadata,
    };
    if let Some((word, span)) = metadata {
        let generator = TargetMetadata(word).generator();
        let name = generator.name().unwrap_or("unknown");
        facts.push(Fact::new("generator", name, span));
    }
    if let Some((word, span)) = target.product_family.filter(|(word, _)| *word != 0) {
        let name = ProductFamily(word).name().unwrap_or("unknown");
        let text = format!("{name} ({word})");
        facts.push(Fact::new("product family", text, span));
    }
    if let Some((word, span)) = target.core_family.filter(|(word, _)| *word != 0) {
        let name = CoreFamily(word).name().unwrap_or("unknown");
        let text = format!("{name} ({word:#x})");
        facts.push(Fact::new("core family", text, span));
    }
    if let Some(options) = build_options(cx, file) {
        facts.push(options);
    }
    facts
}

/// The build options, truncated if long. Returns `None` if there are none.
fn build_options(cx: &Context<'_>, file: &ElfFile) -> Option<Fact> {
    const LENGTH_MAX: u64 = 400;
    let named = |section: &&Section| section.name == ".misc.buildOptions";
    let section = file.sections.iter().find(named)?;
    let start = Window::clamped(cx.sources, section.bytes.subspan(0, LENGTH_MAX));
    let text = String::from_utf8_lossy(start.bytes());
    let text = text.trim_end_matches('\0').trim();
    let more = if section.bytes.len() > LENGTH_MAX {
        " …"
    } else {
        ""
    };
    (!text.is_empty()).then(|| Fact::new("build options", format!("{text}{more}"), section.bytes))
}

/// A short description of the device: `bmg-g21 · 20.1.0 · Xe2-HPG`.
fn device_fact(file: &ElfFile, identity: Identity, target: &Target) -> Fact {
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
        return Fact::new(Fact::TARGET, text, span).headline();
    }
    if let Identity::LegacyZebin { core_family } = identity {
        let machine = u32::try_from(file.header.e_machine).unwrap_or(0);
        let name = if core_family {
            CoreFamily(machine).name()
        } else {
            ProductFamily(machine).name()
        };
        let text = name.map_or_else(|| format!("machine {machine}"), family_title);
        return Fact::new(Fact::TARGET, text, file.header.span_of(Header::e_machine)).headline();
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
        Some((Some(name), _, span)) => Fact::new(Fact::TARGET, family_title(name), span),
        Some((None, word, span)) => Fact::new(Fact::TARGET, format!("family {word}"), span),
        None if file.is_truncated() => Fact {
            tone: Tone::Bad,
            ..Fact::new(Fact::TARGET, "unknown target", None)
        },
        None => Fact {
            tone: Tone::Warning,
            ..Fact::new(Fact::TARGET, "no target device", None)
        },
    }
    .headline()
}

/// A readable family name: `Tigerlake LP` for `IGFX_TIGERLAKE_LP`.
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
