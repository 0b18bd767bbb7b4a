//! `.note.intelgt.compat`: the target device of the file. zebin ELF, "ELF note type for INTELGT".

use super::target_metadata::TargetMetadata;
use crate::Context;
use crate::device::{CoreFamily, GmdId, ProductConfig, ProductFamily, release_title};
use crate::elf::note::{Note, NoteHeader, Vocabulary};
use crate::names::{BitField, Present};
use crate::open_enum;
use crate::reader::{Endian, Window, uint};
use crate::rules;
use zeview_core::model::{Doc, Span, Str, Value};

open_enum! {
    /// `n_type` of notes that IntelGT owns.
    pub struct NoteType(u32) {
        /// The product family, 4 bytes.
        NT_INTELGT_PRODUCT_FAMILY = 1,
        /// The core family, 4 bytes.
        NT_INTELGT_GFXCORE_FAMILY = 2,
        /// Steppings and generator: TargetMetadata, 4 bytes.
        NT_INTELGT_TARGET_METADATA = 3,
        /// The version of the zebin: `major.minor` with a NUL. Since 1.16.
        NT_INTELGT_ZEBIN_VERSION = 4,
        /// The version of the vISA ABI, 4 bytes; only with stack calls. Since 1.32.
        NT_INTELGT_VISA_ABI_VERSION = 5,
        /// The GMD id of the device, 4 bytes. If it is not 0, the driver ignores the families. Since 1.33.
        NT_INTELGT_PRODUCT_CONFIG = 6,
        /// The version of the detection of indirect accesses, 4 bytes. Since 1.38.
        NT_INTELGT_INDIRECT_ACCESS_DETECTION_VERSION = 7,
        /// The major version of the layout of the indirect access buffer, 4 bytes. Since 1.58.
        NT_INTELGT_INDIRECT_ACCESS_BUFFER_MAJOR_VERSION = 8,
    }
}

const SOURCE: &str = "zebin ELF, ELF note type for INTELGT";

/// The owner's name, with its NUL.
pub const OWNER: &[u8] = b"IntelGT\0";

/// The meaning of the notes.
pub static VOCABULARY: Vocabulary = Vocabulary {
    types: <NoteType as Present>::KNOWN,
    describe,
    size,
    fields,
    doc,
};

/// Decodes a description to a value and text.
fn describe(kind: u32, bytes: &[u8], endian: Endian) -> (Value, Option<Str>) {
    let kind = NoteType(kind);
    if kind == NoteType::NT_INTELGT_ZEBIN_VERSION {
        let text = bytes.strip_suffix(&[0]).unwrap_or(bytes);
        return (Value::text_from(text), None);
    }
    let Some(word) = bytes.get(..4).map(|b| uint(b, endian)) else {
        return (Value::Bytes, None);
    };
    let low = u32::try_from(word).unwrap_or(0);
    match kind {
        NoteType::NT_INTELGT_PRODUCT_FAMILY => (ProductFamily::present(word, 32), None),
        NoteType::NT_INTELGT_GFXCORE_FAMILY => (CoreFamily::present(word, 32), None),
        NoteType::NT_INTELGT_TARGET_METADATA => (
            Value::hex(word, 32),
            Some(metadata_text(TargetMetadata(low)).into()),
        ),
        NoteType::NT_INTELGT_PRODUCT_CONFIG => {
            (Value::hex(word, 32), Some(config_text(GmdId(low)).into()))
        }
        NoteType::NT_INTELGT_VISA_ABI_VERSION
        | NoteType::NT_INTELGT_INDIRECT_ACCESS_DETECTION_VERSION
        | NoteType::NT_INTELGT_INDIRECT_ACCESS_BUFFER_MAJOR_VERSION => {
            (Value::decimal(word, 32), None)
        }
        _ => (Value::Bytes, None),
    }
}

/// The size of a description in bytes. Returns `None` for the version, which is text.
fn size(kind: u32) -> Option<u64> {
    let kind = NoteType(kind);
    let number = kind.name().is_some() && kind != NoteType::NT_INTELGT_ZEBIN_VERSION;
    number.then_some(4)
}

/// `generator IGC, every stepping`.
fn metadata_text(metadata: TargetMetadata) -> String {
    let generator = match metadata.generator().name() {
        Some(name) => name.to_owned(),
        None => metadata.generator().0.to_string(),
    };
    if metadata.validates_revision() {
        format!(
            "generator {generator}, steppings {} to {}",
            metadata.min_revision(),
            metadata.max_revision()
        )
    } else {
        format!("generator {generator}, every stepping")
    }
}

/// `20.1.0, BMG_G21_A0 (bmg-g21, bmg), Xe2-HPG`.
pub fn config_text(id: GmdId) -> String {
    if id.0 == 0 {
        return "not set".to_owned();
    }
    match ProductConfig::of(id.0) {
        Some(config) if config.devices.is_empty() => {
            format!("{id}, {}, {}", config.name, release_title(config.release))
        }
        Some(config) => format!(
            "{id}, {} ({}), {}",
            config.name,
            config.devices.join(", "),
            release_title(config.release)
        ),
        None => format!("{id}, unknown"),
    }
}

fn fields(kind: u32) -> &'static [BitField] {
    match NoteType(kind) {
        NoteType::NT_INTELGT_TARGET_METADATA => TargetMetadata::FIELDS,
        NoteType::NT_INTELGT_PRODUCT_CONFIG => GmdId::FIELDS,
        _ => &[],
    }
}

fn doc(kind: u32) -> &'static Doc {
    macro_rules! docs {
        ($($name:ident: $known:expr, $text:literal;)*) => {
            match NoteType(kind) {
                $(NoteType::$name => {
                    const DOC: Doc = Doc::new($text, SOURCE).known($known);
                    &DOC
                })*
                _ => {
                    const DOC: Doc = Doc::new("A note of a type that the specification does not define.", SOURCE).known(<NoteType as Present>::KNOWN);
                    &DOC
                }
            }
        };
    }
    docs! {
        NT_INTELGT_PRODUCT_FAMILY: <ProductFamily as Present>::KNOWN,
            "The product family of the target. Ignored if there is a product configuration.";
        NT_INTELGT_GFXCORE_FAMILY: <CoreFamily as Present>::KNOWN,
            "The core family of the target. Ignored if there is a product configuration.";
        NT_INTELGT_TARGET_METADATA: &[],
            "The steppings that the file runs on, and its generator.";
        NT_INTELGT_ZEBIN_VERSION: &[],
            "The version of the zebin: major.minor with a NUL. The same as the version in .ze_info.";
        NT_INTELGT_VISA_ABI_VERSION: &[],
            "The version of the vISA ABI; only if a kernel has stack calls.";
        NT_INTELGT_PRODUCT_CONFIG: &[],
            "The device, as a GMD id: architecture, release, revision. If it is not 0, the driver ignores the families.";
        NT_INTELGT_INDIRECT_ACCESS_DETECTION_VERSION: &[],
            "The version of the compiler's detection of indirect accesses. The driver relies only on versions that it knows.";
        NT_INTELGT_INDIRECT_ACCESS_BUFFER_MAJOR_VERSION: &[],
            "The major version of the layout of the indirect access buffer.";
    }
}

/// The target in the notes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Target {
    /// Note 1 and its bytes.
    pub product_family: Option<(u32, Span)>,
    /// Note 2.
    pub core_family: Option<(u32, Span)>,
    /// Note 3.
    pub metadata: Option<(u32, Span)>,
    /// Note 4.
    pub version: Option<(String, Span)>,
    /// Note 6.
    pub product_config: Option<(u32, Span)>,
}

/// Checks the notes and collects the target. The last note of a type counts, as in the driver.
pub fn check(cx: &Context<'_>, notes: impl Iterator<Item = Note>, endian: Endian) -> Target {
    let mut target = Target::default();
    let mut seen = Vec::new();
    for note in notes {
        if !check_owner(cx, &note) {
            continue;
        }
        let kind = NoteType(note.header.n_type);
        if kind.name().is_none() {
            cx.report(
                &rules::ZEBIN_NOTE_TYPE,
                note.header.span_of(NoteHeader::n_type),
                format_args!("unknown note type {}", kind.0),
            );
            continue;
        }
        if seen.contains(&kind) {
            cx.report(
                &rules::ZEBIN_NOTE_DUPLICATE,
                note.whole,
                format_args!("duplicate {}", kind.name().unwrap_or_default()),
            );
        }
        seen.push(kind);
        if kind == NoteType::NT_INTELGT_ZEBIN_VERSION {
            // As in the driver, an unreadable version is skipped, so an earlier one stays.
            target.version = check_version(cx, &note).or(target.version);
        } else {
            check_word(cx, &note, kind, endian, &mut target);
        }
    }
    target
}

fn check_owner(cx: &Context<'_>, note: &Note) -> bool {
    // A damaged size can make the name as long as the section.
    let name = Window::clamped(cx.sources, note.name.subspan(0, 64));
    if name.bytes() == OWNER {
        return true;
    }
    let text = String::from_utf8_lossy(name.bytes());
    let text = text.trim_end_matches('\0');
    let terminated = name.bytes().contains(&0) || name.bytes().is_empty();
    if terminated {
        cx.report(
            &rules::ZEBIN_NOTE_OWNER,
            if note.name.is_empty() {
                note.whole
            } else {
                note.name
            },
            format_args!("the owner is {text:?}: the driver skips the note"),
        );
    } else {
        cx.report(
            &rules::ZEBIN_NOTE_OWNER_UNTERMINATED,
            note.name,
            format_args!("the owner {text:?} has no terminating NUL"),
        );
    }
    false
}

fn check_version(cx: &Context<'_>, note: &Note) -> Option<(String, Span)> {
    let place = if note.desc.is_empty() {
        note.whole
    } else {
        note.desc
    };
    let bytes = Window::clamped(cx.sources, note.desc.subspan(0, 64));
    let Some(text) = bytes.bytes().strip_suffix(&[0]) else {
        cx.report(
            &rules::ZEBIN_NOTE_VERSION,
            place,
            "the version has no terminating NUL",
        );
        return None;
    };
    let text = String::from_utf8_lossy(text).into_owned();
    let dot = text.find('.');
    if dot.is_none_or(|at| at == 0 || at + 1 == text.len()) {
        cx.report(
            &rules::ZEBIN_NOTE_VERSION,
            place,
            format_args!("{text:?} is not major.minor"),
        );
    }
    Some((text, note.desc))
}

fn check_word(cx: &Context<'_>, note: &Note, kind: NoteType, endian: Endian, target: &mut Target) {
    let name = kind.name().unwrap_or_default();
    if note.desc.len() != 4 {
        cx.report(
            &rules::ZEBIN_NOTE_SIZE,
            if note.desc.is_empty() {
                note.whole
            } else {
                note.desc
            },
            format_args!("{name}: {} bytes instead of 4", note.desc.len()),
        );
    }
    let bytes = Window::clamped(cx.sources, note.desc.subspan(0, 4));
    let Some(word) = bytes
        .bytes()
        .get(..4)
        .and_then(|b| u32::try_from(uint(b, endian)).ok())
    else {
        return;
    };
    let found = Some((word, note.desc));
    match kind {
        NoteType::NT_INTELGT_PRODUCT_FAMILY => {
            target.product_family = found;
            unknown(
                cx,
                note,
                ProductFamily(word).name().is_none(),
                "product family",
                word,
            );
        }
        NoteType::NT_INTELGT_GFXCORE_FAMILY => {
            target.core_family = found;
            unknown(
                cx,
                note,
                CoreFamily(word).name().is_none(),
                "core family",
                word,
            );
        }
        NoteType::NT_INTELGT_TARGET_METADATA => {
            target.metadata = found;
            if TargetMetadata(word).reserved() != 0 {
                cx.report(
                    &rules::ZEBIN_RESERVED_BITS,
                    note.desc,
                    format_args!("bits 31:24 of the target metadata are {:#x}", word >> 24),
                );
            }
        }
        NoteType::NT_INTELGT_PRODUCT_CONFIG => {
            target.product_config = found;
            let strange = word != 0 && ProductConfig::of(word).is_none();
            unknown(cx, note, strange, "product configuration", word);
        }
        _ => {}
    }
}

fn unknown(cx: &Context<'_>, note: &Note, is: bool, noun: &str, word: u32) {
    if is {
        let number = match noun {
            "product configuration" => GmdId(word).to_string(),
            _ => word.to_string(),
        };
        cx.report(
            &rules::ZEBIN_UNKNOWN_DEVICE,
            note.desc,
            format_args!("unknown {noun} {number}"),
        );
    }
}
