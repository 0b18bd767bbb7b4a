//! Is the file for the device? compute-runtime, zebin_decoder.cpp, validateTargetDevice and
//! decodeIntelGTNoteSection; for files of 2020 device_binary_format_zebin.cpp,
//! unpackSingleZebin.

use super::elf_level::Elf;
use super::findings::{Findings, Stop};
use super::image::{Where, number32};
use super::{rules, version};
use crate::decode::elf::header::Machine;
use crate::decode::elf::section::SectionType;
use crate::decode::zebin::device::{CoreFamily, Device, GmdId, ProductFamily};
use crate::decode::zebin::target_metadata::TargetMetadata;
use crate::model::{Matching, Span, Str};

/// The section with the notes.
pub const NOTES: &[u8] = b".note.intelgt.compat";

/// Bit 15 of `e_flags` in files of 2020: e_machine is a core family.
const MACHINE_IS_CORE_FAMILY: u32 = 1 << 15;

/// What the notes say; of several of a type the last counts.
#[derive(Default)]
pub struct Target {
    product: Option<(u32, Span)>,
    core: Option<(u32, Span)>,
    metadata: Option<(u32, Span)>,
    config: Option<(u32, Span)>,
    /// All notes, or `e_machine`.
    place: Option<Span>,
    /// The driver reads them all, without an error.
    readable: bool,
    /// e_machine says which device the file is for: the driver reads the notes, and does not
    /// mind what is wrong with them.
    optional: bool,
}

impl Target {
    /// Reads the notes.
    pub fn read(elf: &Elf<'_>, findings: &mut Findings) -> Result<Target, Stop> {
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
                    break;
                }
            }
        }
        let Some(section) = found else {
            return Ok(target);
        };
        match elf.image.locate(section.data) {
            Where::Inside(span) => {
                target.place = Some(span);
                let bytes = elf.image.read(span);
                target.readable = target.walk(&bytes, span, findings)?;
                Ok(target)
            }
            Where::Before(_) => {
                target.readable = false;
                if !target.optional {
                    let message = "the notes start before the file";
                    findings.note(&rules::NOTE_OUT_OF_BOUNDS, section.header, message);
                }
                Ok(target)
            }
            Where::Behind | Where::Null => {
                let message = "the notes lie outside of the file";
                Err(findings.stop(&rules::OVERFLOW_READ, section.header, message))
            }
        }
    }

    /// Whether the driver can use them.
    fn walk(&mut self, bytes: &[u8], span: Span, findings: &mut Findings) -> Result<bool, Stop> {
        let mut notes = Vec::new();
        let mut at: usize = 0;
        while at < bytes.len() {
            let rest = bytes.get(at..).unwrap_or(&[]);
            let from = at as u64;
            let (name_size, desc_size) = (number32(rest, 0, 4), number32(rest, 4, 4));
            let (name, desc) = (padded(name_size), padded(desc_size));
            let len = 12 + u64::from(name) + u64::from(desc);
            if from + len > bytes.len() as u64 {
                if !self.optional {
                    let message = format!(
                        "the note at byte {from} of {} runs past the end",
                        bytes.len()
                    );
                    findings.note(&rules::NOTE_OUT_OF_BOUNDS, span.from(from), message);
                }
                return Ok(false);
            }
            let place = span.sub(from, len);
            at = usize::try_from(from + len).unwrap_or(usize::MAX);
            let piece = |start: u32, len: u32| {
                let start = 12 + usize::try_from(start).unwrap_or(usize::MAX - 12);
                let rest = rest.get(start..).unwrap_or(&[]);
                rest.get(..usize::try_from(len).unwrap_or(0))
                    .unwrap_or(rest)
            };
            let owner = piece(0, name_size);
            if owner != b"IntelGT\0" {
                skip_owner(owner, name_size, place, findings)?;
                continue;
            }
            let note = Note {
                kind: number32(rest, 8, 4),
                desc: piece(name, desc_size),
                size: desc_size,
                place,
            };
            if note.kind == 4 && desc_size > 0 && note.desc.last() != Some(&0) {
                findings.note(&rules::NOTE_VERSION_OPEN, place, "the version has no NUL");
                continue;
            }
            notes.push(note);
        }
        for note in &notes {
            if !self.take(note, findings)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn take(&mut self, note: &Note<'_>, findings: &mut Findings) -> Result<bool, Stop> {
        if note.size == 0 && matches!(note.kind, 1 | 2 | 3 | 4 | 6 | 7 | 8) {
            let message = format!("note {} has no description", note.kind);
            return Err(findings.stop(&rules::NOTE_EMPTY, note.place, message));
        }
        let word = Some((number32(note.desc, 0, 4), note.place));
        match note.kind {
            1 => self.product = word,
            2 => self.core = word,
            3 => self.metadata = word,
            4 if self.optional => {}
            4 => {
                let end = note.desc.iter().position(|byte| *byte == 0);
                let text = note.desc.get(..end.unwrap_or(0)).unwrap_or(&[]);
                return Ok(version::check(text, note.place, true, findings).is_some());
            }
            6 => self.config = word,
            5 | 7 | 8 => {}
            other => findings.note(
                &rules::NOTE_TYPE,
                note.place,
                format_args!("note type {other}"),
            ),
        }
        Ok(true)
    }

    /// The device that the file says that it is for.
    pub fn device(&self, elf: &Elf<'_>) -> Option<Device> {
        if self.optional {
            return match elf.flags & MACHINE_IS_CORE_FAMILY != 0 {
                true => Device::of_core(CoreFamily(elf.machine)),
                false => Device::of_product(ProductFamily(elf.machine)),
            };
        }
        let said = |note: Option<(u32, Span)>| note.map(|(word, _)| word).filter(|word| *word != 0);
        if let Some(config) = said(self.config) {
            return Some(Device::of_config(config));
        }
        let product = said(self.product).and_then(|word| Device::of_product(ProductFamily(word)));
        product.or_else(|| Device::of_core(CoreFamily(said(self.core)?)))
    }

    /// Which devices the file is for: asked of each of them, as [`check`](Self::check) does.
    pub fn matching(&self, elf: &Elf<'_>) -> Matching {
        let takes = |device: &Device| {
            self.check(elf, Some(device), &mut Findings::default())
                .is_ok()
        };
        let name = |device: Device| Str::from(device.name());
        let own = self.config.filter(|(word, _)| *word != 0);
        let like = own.map(|(word, _)| Device::of_config(word).compatible());
        Matching {
            rule: self.rule(elf).into(),
            taken_on: Device::usual().filter(takes).map(name).collect(),
            code_runs_on: like
                .into_iter()
                .flatten()
                .filter(|device| device.is_supported() && !takes(device))
                .map(name)
                .collect(),
        }
    }

    /// What the driver compares, in words.
    fn rule(&self, elf: &Elf<'_>) -> String {
        let steppings = |word: u32| {
            let metadata = TargetMetadata(word);
            match metadata.validates_revision() {
                true => format!(
                    "; its stepping must be {} to {}",
                    metadata.min_revision(),
                    metadata.max_revision()
                ),
                false => "; any stepping".to_owned(),
            }
        };
        if self.optional {
            let what = match elf.flags & MACHINE_IS_CORE_FAMILY != 0 {
                true => "core",
                false => "product",
            };
            return format!(
                "`e_machine` is the device's {what} family: {}{}",
                elf.machine,
                steppings(elf.flags)
            );
        }
        let said = |note: Option<(u32, Span)>| note.map(|(word, _)| word).filter(|word| *word != 0);
        if let Some(config) = said(self.config) {
            return format!(
                "the device has exactly the product configuration of the note, {}; the other notes are not compared",
                GmdId(config)
            );
        }
        let mut families = Vec::new();
        if let Some(word) = said(self.core) {
            families.push(format!(
                "core family {}",
                family(CoreFamily(word).name(), word)
            ));
        }
        if let Some(word) = said(self.product) {
            let name = ProductFamily(word).name();
            families.push(format!("product family {}", family(name, word)));
        }
        match families.as_slice() {
            [] => "no note names a device, so the driver takes it on none".to_owned(),
            families => format!(
                "the device is of {}{}",
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
    ) -> Result<(), Stop> {
        let place = self.place.unwrap_or(elf.machine_span);
        let Some(device) = device else {
            let message = "the file does not say which device it is for";
            return Err(findings.stop(&rules::NO_TARGET, place, message));
        };
        if !device.is_supported() {
            let message = format!("the release does not run on {}", device.name());
            return Err(findings.stop(&rules::DEVICE_GONE, place, message));
        }
        let other = |findings: &mut Findings, place, message: String| {
            Err(findings.stop(&rules::OTHER_TARGET, place, message))
        };
        let name = device.name();
        if self.optional {
            let (is, what) = match elf.flags & MACHINE_IS_CORE_FAMILY != 0 {
                true => (device.core.0, "core"),
                false => (device.product.0, "product"),
            };
            let steppings = stepping(TargetMetadata(elf.flags), device);
            return match (is == elf.machine, steppings) {
                (true, Ok(())) => Ok(()),
                (false, _) => {
                    let message = format!(
                        "e_machine is the {what} family {}, {name} is {is}",
                        elf.machine
                    );
                    other(findings, elf.machine_span, message)
                }
                (_, Err(message)) => other(findings, elf.machine_span, message),
            };
        }
        if !self.readable {
            let message = "the driver cannot read the notes";
            return Err(findings.stop(&rules::NO_TARGET, place, message));
        }
        if let Some((config, place)) = self.config.filter(|(word, _)| *word != 0) {
            if config == device.config.0 {
                return Ok(());
            }
            let own = Device::of_config(config);
            let message = match own.compatible().any(|to| to == *device) {
                true => format!(
                    "compiled for {}, whose code also runs on {name}; the driver takes only the same configuration",
                    own.name()
                ),
                false => format!("compiled for {}, not for {name}", own.name()),
            };
            return other(findings, place, message);
        }
        let said = |note: Option<(u32, Span)>| note.filter(|(word, _)| *word != 0);
        let (core, product) = (said(self.core), said(self.product));
        if core.is_none() && product.is_none() {
            let message = "there is no note with the device";
            return Err(findings.stop(&rules::NO_TARGET, place, message));
        }
        if let Some((word, place)) = core.filter(|(word, _)| *word != device.core.0) {
            return other(
                findings,
                place,
                format!("core family {word}, {name} is {}", device.core.0),
            );
        }
        if let Some((word, place)) = product.filter(|(word, _)| *word != device.product.0) {
            return other(
                findings,
                place,
                format!("product family {word}, {name} is {}", device.product.0),
            );
        }
        match self.metadata {
            Some((word, place)) => stepping(TargetMetadata(word), device)
                .or_else(|message| other(findings, place, message)),
            None => Ok(()),
        }
    }
}

/// A family by its name and number.
fn family(name: Option<&str>, word: u32) -> String {
    match name {
        Some(name) => format!("{name} ({word})"),
        None => word.to_string(),
    }
}

/// The device's stepping is in the range, if there is one.
fn stepping(metadata: TargetMetadata, device: &Device) -> Result<(), String> {
    let range = metadata.min_revision()..=metadata.max_revision();
    if !metadata.validates_revision() || range.contains(&device.revision()) {
        return Ok(());
    }
    Err(format!(
        "for steppings {} to {}, {} is {}",
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

/// Rounded up to 4, in 32 bits: the largest sizes become 0.
fn padded(size: u32) -> u32 {
    size.wrapping_add(3) & !3
}

/// A note of somebody else is left out; the driver looks for a NUL in its owner's name, and
/// crashes where there is none.
fn skip_owner(owner: &[u8], size: u32, place: Span, findings: &mut Findings) -> Result<(), Stop> {
    if size == 0 {
        findings.note(&rules::NOTE_OWNER, place, "a note without an owner");
        return Ok(());
    }
    let text = String::from_utf8_lossy(owner.get(..64).unwrap_or(owner)).into_owned();
    if padded(size) < size || !owner.contains(&0) {
        let message = format!("the owner {text:?} has no NUL");
        return Err(findings.stop(&rules::NOTE_OWNER_OPEN, place, message));
    }
    let text = text.trim_end_matches('\0');
    findings.note(
        &rules::NOTE_OWNER,
        place,
        format_args!("a note of {text:?}"),
    );
    Ok(())
}
