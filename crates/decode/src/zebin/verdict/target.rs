//! Checks that the file is for the device. compute-runtime, zebin_decoder.cpp, validateTargetDevice
//! and decodeIntelGTNoteSection; for files of 2020 device_binary_format_zebin.cpp,
//! unpackSingleZebin.

use super::elf_level::Elf;
use super::findings::{Excerpt, Findings, Refused};
use super::image::{Location, word};
use super::release::Release;
use super::{rules, version};
use crate::device::{CoreFamily, Device, GmdId, ProductFamily};
use crate::elf::header::Machine;
use crate::elf::section::SectionType;
use crate::rule::Rule;
use crate::zebin::target_metadata::{GeneratorId, TargetMetadata};
use zeview_core::analysis::Matching;
use zeview_core::model::{Span, Str};

/// The section with the notes.
pub const NOTES: &[u8] = b".note.intelgt.compat";

/// Bit 15 of `e_flags` in files of 2020: e_machine is a core family.
const MACHINE_IS_CORE_FAMILY: u32 = 1 << 15;

/// The target in the notes; 0 means unspecified. The last note of a type counts.
#[derive(Default)]
pub struct Target {
    product: Option<(u32, Span)>,
    core: Option<(u32, Span)>,
    metadata: Option<(u32, Span)>,
    config: Option<(u32, Span)>,
    /// The version of `.ze_info` in the notes.
    version: Option<(u32, u32)>,
    /// All notes, or `e_machine`.
    place: Option<Span>,
    /// Whether the driver reads all notes without an error.
    readable: bool,
    /// Whether e_machine is the target: the driver reads the notes, but ignores their errors.
    optional: bool,
}

impl Target {
    /// Reads the notes.
    pub fn read(elf: &Elf<'_>, findings: &mut Findings) -> Result<Target, Refused> {
        let mut target = Target {
            readable: true,
            optional: elf.machine != u32::from(Machine::EM_INTELGT.0),
            ..Target::default()
        };
        let mut found = None;
        if elf.has_names() {
            for section in elf
                .sections
                .iter()
                .filter(|s| s.kind == SectionType::SHT_NOTE)
            {
                if elf.name_of(section, findings)? == NOTES {
                    found = Some(section);
                    // The first one: a second one of the same name refuses the file later.
                    break;
                }
            }
        }
        let Some(section) = found else {
            return Ok(target);
        };
        match elf.image.locate(section.data) {
            Location::InFile(span) => {
                target.place = Some(span);
                let bytes = elf.image.read(span, findings)?;
                target.readable = target.walk(&bytes, span, findings)?;
                Ok(target)
            }
            Location::Before(_) => {
                target.readable = false;
                if !target.optional {
                    let message = "the notes start before the file";
                    findings.note(&rules::NOTE_OUT_OF_BOUNDS, section.header, message);
                }
                Ok(target)
            }
            Location::Behind | Location::Null => {
                let message = "the notes are outside of the file";
                findings.refuse(&rules::OVERFLOW_READ, section.header, message)
            }
        }
    }

    /// Reads the notes. Returns whether the driver can use them.
    fn walk(&mut self, bytes: &[u8], span: Span, findings: &mut Findings) -> Result<bool, Refused> {
        let mut notes = Vec::new();
        let mut at: usize = 0;
        while at < bytes.len() {
            let rest = bytes.get(at..).unwrap_or(&[]);
            let from = at as u64;
            let (name_size, desc_size) = (word(rest, 0), word(rest, 4));
            let (name, desc) = (padded(name_size), padded(desc_size));
            let len = 12 + u64::from(name) + u64::from(desc);
            if from + len > bytes.len() as u64 {
                if !self.optional {
                    let message = format_args!(
                        "the note at offset {from} extends past the end of the section ({} bytes)",
                        bytes.len()
                    );
                    findings.note(&rules::NOTE_OUT_OF_BOUNDS, span.skip(from), message);
                }
                return Ok(false);
            }
            let place = span.subspan(from, len);
            at = usize::try_from(from + len).unwrap_or(usize::MAX);
            let field = |start: u32, len: u32| {
                let start = 12 + usize::try_from(start).unwrap_or(usize::MAX - 12);
                let rest = rest.get(start..).unwrap_or(&[]);
                rest.get(..usize::try_from(len).unwrap_or(0))
                    .unwrap_or(rest)
            };
            let owner = field(0, name_size);
            if owner != b"IntelGT\0" {
                skip_owner(owner, name_size, place, findings)?;
                continue;
            }
            let note = Note {
                kind: word(rest, 8),
                desc: field(name, desc_size),
                size: desc_size,
                place,
            };
            if note.kind == 4 && desc_size > 0 && note.desc.last() != Some(&0) {
                findings.note(
                    &rules::NOTE_VERSION_OPEN,
                    place,
                    "the version does not end with a NUL",
                );
                continue;
            }
            notes.push(note);
        }
        // After the walk, as in the driver: an error in the last note makes it ignore the first.
        for note in &notes {
            if !self.apply(note, findings)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Stores the value of a note. Returns whether the driver can use the notes.
    fn apply(&mut self, note: &Note<'_>, findings: &mut Findings) -> Result<bool, Refused> {
        if note.size == 0 && matches!(note.kind, 1 | 2 | 3 | 4 | 6 | 7 | 8) {
            let message = format_args!("note type {} has no description", note.kind);
            return findings.refuse(&rules::NOTE_EMPTY, note.place, message);
        }
        let value = Some((word(note.desc, 0), note.place));
        // Older compilers and the vector compiler write 0 for what they do not state.
        let nonzero = value.filter(|(word, _)| *word != 0);
        match note.kind {
            1 => self.product = nonzero,
            2 => self.core = nonzero,
            3 => self.metadata = value,
            4 if self.optional => {}
            4 => {
                let end = note.desc.iter().position(|byte| *byte == 0);
                let text = note.desc.get(..end.unwrap_or(0)).unwrap_or(&[]);
                let rule = &rules::NOTE_VERSION;
                let version = version::check(text, note.place, rule, findings);
                self.version = version.ok();
                return Ok(version.is_ok());
            }
            6 => self.config = nonzero,
            5 | 7 | 8 => {}
            other => {
                let message = format_args!("unknown note type {other}");
                findings.note(&rules::NOTE_TYPE, note.place, message);
            }
        }
        Ok(true)
    }

    /// The file's target device. Returns `None` if the file has none.
    pub fn device(&self, elf: &Elf<'_>) -> Option<Device> {
        if self.optional {
            return if elf.flags & MACHINE_IS_CORE_FAMILY != 0 {
                Device::of_core(CoreFamily(elf.machine))
            } else {
                Device::of_product(ProductFamily(elf.machine))
            };
        }
        if let Some((config, _)) = self.config {
            return Some(Device::of_config(config));
        }
        let product = self.product.map(|(word, _)| ProductFamily(word));
        let product = product.and_then(Device::of_product);
        product.or_else(|| Device::of_core(CoreFamily(self.core?.0)))
    }

    /// Determines which devices the file is for by [checking](Self::check) each.
    pub fn matching(&self, elf: &Elf<'_>, release: Release) -> Matching {
        let accepted = |device: &Device| self.compare(elf, Some(device), release).ok();
        let names = |wanted: Option<Match>| {
            let is_wanted = |device: &Device| {
                accepted(device).is_some_and(|found| wanted.is_none_or(|wanted| wanted == found))
            };
            let devices = Device::usual().filter(is_wanted);
            devices.map(|device| Str::from(device.name())).collect()
        };
        Matching {
            rule: self.rule(elf, release).into(),
            accepted_on: names(None),
            compatible: names(Some(Match::Compatible)),
        }
    }

    /// The version of `.ze_info` in the notes.
    pub fn version(&self) -> Option<(u32, u32)> {
        self.version
    }

    /// The notes, or `e_machine`.
    pub fn place(&self, elf: &Elf<'_>) -> Span {
        self.place.unwrap_or(elf.machine_span())
    }

    /// Returns whether the file is the compiler's (IGC), as far as the driver knows.
    pub fn is_of_igc(&self, elf: &Elf<'_>) -> bool {
        let word = if self.optional {
            Some(elf.flags)
        } else {
            self.metadata.map(|(word, _)| word)
        };
        word.is_some_and(|word| TargetMetadata(word).generator() == GeneratorId::IGC)
    }

    /// Describes the driver's comparison.
    fn rule(&self, elf: &Elf<'_>, release: Release) -> String {
        let steppings = |word: u32| {
            let metadata = TargetMetadata(word);
            if metadata.validates_revision() {
                format!(
                    "; its stepping must be {} to {}",
                    metadata.min_revision(),
                    metadata.max_revision()
                )
            } else {
                "; any stepping".to_owned()
            }
        };
        if self.optional {
            let noun = if elf.flags & MACHINE_IS_CORE_FAMILY != 0 {
                "core"
            } else {
                "product"
            };
            return format!(
                "the device's {noun} family must equal `e_machine`, {}{}",
                elf.machine,
                steppings(elf.flags)
            );
        }
        if let Some((config, _)) = self.config {
            let compatible = Device::of_config(config).compatible();
            let compatible = compatible.filter(|(_, since)| *since <= release.week());
            let others: Vec<String> = compatible
                .map(|(device, _)| device.config.to_string())
                .collect();
            let config = GmdId(config);
            return match others.as_slice() {
                [] => format!(
                    "the device must have product configuration {config}; the other notes are ignored"
                ),
                others => format!(
                    "the device must have product configuration {config} or a compatible one ({}); the other notes are ignored",
                    others.join(", ")
                ),
            };
        }
        let mut families = Vec::new();
        if let Some((word, _)) = self.core {
            let name = CoreFamily(word).name();
            families.push(format!("core family {}", family(name, word)));
        }
        if let Some((word, _)) = self.product {
            let name = ProductFamily(word).name();
            families.push(format!("product family {}", family(name, word)));
        }
        match families.as_slice() {
            [] => "the file has no target device: no device accepts it".to_owned(),
            families => format!(
                "the device must have {}{}",
                families.join(" and "),
                steppings(self.metadata.map_or(0, |(word, _)| word))
            ),
        }
    }

    /// Checks that the file is for the device.
    pub fn check(
        &self,
        elf: &Elf<'_>,
        device: Option<&Device>,
        findings: &mut Findings,
    ) -> Result<(), Refused> {
        let release = findings.release();
        match self.compare(elf, device, release) {
            Ok(Match::Equal) => Ok(()),
            Ok(Match::Compatible) => {
                if let (Some((config, place)), Some(device)) = (self.config, device) {
                    let own = titled(&Device::of_config(config));
                    let message = format_args!("built for {own}, which {} can run", titled(device));
                    findings.note(&rules::COMPATIBLE_DEVICE, place, message);
                }
                Ok(())
            }
            Err((rule, place, message)) => findings.refuse(rule, place, message),
        }
    }

    /// Compares the device with the file's target. Returns the reason why the driver refuses the
    /// file.
    fn compare(
        &self,
        elf: &Elf<'_>,
        device: Option<&Device>,
        release: Release,
    ) -> Result<Match, (&'static Rule, Span, String)> {
        let place = self.place.unwrap_or(elf.machine_span());
        let Some(device) = device else {
            let message = "the file has no target device".to_owned();
            return Err((&rules::NO_TARGET, place, message));
        };
        let name = device.name();
        if !device.is_supported() {
            let message = format!("the driver does not support {name}");
            return Err((&rules::DEVICE_GONE, place, message));
        }
        let other = |place, message| Err((&rules::OTHER_TARGET, place, message));
        if self.optional {
            let place = elf.machine_span();
            let (expected, noun) = if elf.flags & MACHINE_IS_CORE_FAMILY != 0 {
                (device.core.0, "core")
            } else {
                (device.product.0, "product")
            };
            if expected != elf.machine {
                let message = format!(
                    "e_machine is {noun} family {}; {name} is {noun} family {expected}",
                    elf.machine
                );
                return other(place, message);
            }
            return stepping(TargetMetadata(elf.flags), device)
                .or_else(|message| other(place, message));
        }
        if !self.readable {
            let message = "the driver cannot read the notes".to_owned();
            return Err((&rules::NO_TARGET, place, message));
        }
        // The product configuration decides alone: the families may contradict it (observed).
        if let Some((config, place)) = self.config {
            if config == device.config.0 {
                return Ok(Match::Equal);
            }
            if device.accepts_code_for(config, release.week()) {
                return Ok(Match::Compatible);
            }
            let own = Device::of_config(config);
            let mut message = format!("built for {}; {name} is {}", titled(&own), device.config);
            let mut compatible = own.compatible();
            if let Some((_, since)) = compatible.find(|(to, _)| to == device) {
                message.push_str(&format!(
                    ": compatible since release {}.{:02} of the driver",
                    since.0, since.1
                ));
            }
            return other(place, message);
        }
        if self.core.is_none() && self.product.is_none() {
            let message = "no note has a target device".to_owned();
            return Err((&rules::NO_TARGET, place, message));
        }
        for (note, expected, noun) in [
            (self.core, device.core.0, "core"),
            (self.product, device.product.0, "product"),
        ] {
            if let Some((word, place)) = note.filter(|(word, _)| *word != expected) {
                let titled = |word: u32| match noun {
                    "core" => family(CoreFamily(word).name(), word),
                    _ => family(ProductFamily(word).name(), word),
                };
                let (own, expected) = (titled(word), titled(expected));
                let message = format!("built for {noun} family {own}; {name} is {expected}");
                return other(place, message);
            }
        }
        match self.metadata {
            Some((word, place)) => {
                stepping(TargetMetadata(word), device).or_else(|message| other(place, message))
            }
            None => Ok(Match::Equal),
        }
    }
}

/// How a device matches the target of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Match {
    /// It is the target.
    Equal,
    /// Its product configuration is compatible.
    Compatible,
}

/// A device by its name and configuration: `pvc (12.60.7)`.
fn titled(device: &Device) -> String {
    let (name, config) = (device.name(), device.config.to_string());
    if name == config {
        name
    } else {
        format!("{name} ({config})")
    }
}

/// A family by its name and number.
fn family(name: Option<&str>, word: u32) -> String {
    match name {
        Some(name) => format!("{name} ({word})"),
        None => word.to_string(),
    }
}

/// Checks that the device's stepping is in the range, if there is one.
fn stepping(metadata: TargetMetadata, device: &Device) -> Result<Match, String> {
    let range = metadata.min_revision()..=metadata.max_revision();
    if !metadata.validates_revision() || range.contains(&device.revision()) {
        return Ok(Match::Equal);
    }
    Err(format!(
        "for steppings {} to {}; {} has stepping {}",
        range.start(),
        range.end(),
        device.name(),
        device.revision()
    ))
}

struct Note<'a> {
    kind: u32,
    desc: &'a [u8],
    size: u32,
    place: Span,
}

/// Rounds up to a multiple of 4 in 32 bits: the largest sizes become 0.
fn padded(size: u32) -> u32 {
    size.wrapping_add(3) & !3
}

/// Reports an ignored note of another owner. The driver searches the owner's name for a NUL, and
/// crashes if there is none.
fn skip_owner(
    owner: &[u8],
    size: u32,
    place: Span,
    findings: &mut Findings,
) -> Result<(), Refused> {
    if size == 0 {
        findings.note(&rules::NOTE_OWNER, place, "note without an owner");
        return Ok(());
    }
    let name = owner.split(|byte| *byte == 0).next().unwrap_or(owner);
    if padded(size) < size || name.len() == owner.len() {
        let message = format_args!("the owner \"{}\" does not end with a NUL", Excerpt(name));
        return findings.refuse(&rules::NOTE_OWNER_OPEN, place, message);
    }
    let message = format_args!("the owner is \"{}\"", Excerpt(name));
    findings.note(&rules::NOTE_OWNER, place, message);
    Ok(())
}
