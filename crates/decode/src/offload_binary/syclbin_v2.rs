//! SYCLBIN of the second generation: an OffloadBinary whose strings give the roles of its images.
//!
//! | `role` | `am_index` | image |
//! |---|---|---|
//! | `global_metadata` | – | property sets |
//! | `am_metadata` | index of the abstract module | property sets |
//! | `ir`, `native` | index of the abstract module | size of the metadata (64 bits), property sets, device code |
//!
//! `triple`, `arch` and `ir_type` are copies of properties, for tools that do not support property
//! sets.

use super::header::Entry as EntryRecord;
use super::kinds::{ImageKind, OffloadKind};
use super::{Entry, key};
use crate::Context;
use crate::property_set::line::decimal;
use crate::reader::{Endian, Window, uint};
use crate::rules;
use crate::syclbin::graph::CodeProperties;
use crate::syclbin::{Code, Module, Part, Syclbin, Text, open_code, read_global};
use zeview_core::analysis::kernels::Located;
use zeview_core::model::Span;
use zeview_core::model::sort;

/// The role of an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Global,
    Module,
    Ir,
    Native,
}

const ROLES: [(&str, Role); 4] = [
    ("global_metadata", Role::Global),
    ("am_metadata", Role::Module),
    ("ir", Role::Ir),
    ("native", Role::Native),
];

/// Reads the entries of a SYCLBIN and sets the part of each.
pub fn survey(cx: &Context<'_>, span: Span, entries: &mut [Entry]) -> Syclbin {
    let roles: Vec<(Option<Role>, Option<u32>)> = entries
        .iter()
        .map(|entry| {
            check_kinds(cx, entry);
            let role = role_of(cx, entry);
            let module = match role {
                None | Some(Role::Global) => None,
                Some(_) => module_of(cx, entry, entries.len() as u64),
            };
            (role, module)
        })
        .collect();
    let globals = || indices(&roles, Role::Global);
    for (again, _) in globals().skip(1) {
        let place = entries.get(again).map_or(span, |entry| entry.place);
        cx.report(&rules::SYCLBIN_GLOBAL, place, "duplicate global metadata");
    }
    let none = Text {
        span: span.subspan(0, 0),
        checked: true,
    };
    let mut survey = Syclbin {
        version: Located {
            value: 2,
            span: None,
        },
        state: None,
        span,
        global: none,
        modules: Vec::new(),
        ir: Vec::new(),
        native: Vec::new(),
    };
    match globals().next().and_then(|(at, _)| entries.get_mut(at)) {
        Some(entry) => {
            check_version(cx, entry);
            let version = entry.values.get(key::FORMAT_VERSION).copied();
            survey.version.span = version.filter(|span| !span.is_empty());
            survey.global = Text::check(cx, entry.image);
            survey.state = read_global(cx, survey.global, entry.place);
            entry.part = Some(Part::Global);
        }
        None => {
            let place = entries.first().map_or(span, |entry| entry.place);
            cx.report(
                &rules::SYCLBIN_GLOBAL,
                place,
                "no entry has the role global_metadata",
            );
        }
    }
    survey.modules = abstract_modules(cx, &roles, entries, none);
    for role in [Role::Ir, Role::Native] {
        // In the order of their abstract modules, since these follow each other.
        let mut all: Vec<(usize, Option<u32>)> = indices(&roles, role).collect();
        sort::by_key(&mut all, |(at, module)| (module.unwrap_or(u32::MAX), *at));
        for (at, module) in all {
            let Some(entry) = entries.get_mut(at) else {
                continue;
            };
            let code = read_image(cx, entry, role);
            let (list, part): (_, fn(u32) -> Part) = match role {
                Role::Ir => (&mut survey.ir, Part::Ir),
                _ => (&mut survey.native, Part::Native),
            };
            let place = u32::try_from(list.len()).unwrap_or(u32::MAX);
            entry.part = Some(part(place));
            list.push(code);
            let owner = module.and_then(|module| usize::try_from(module).ok());
            if let Some(owner) = owner.and_then(|at| survey.modules.get_mut(at)) {
                let range = match role {
                    Role::Ir => &mut owner.ir,
                    _ => &mut owner.native,
                };
                if range.start == range.end {
                    range.start = place;
                }
                range.end = place + 1;
            }
        }
    }
    survey
}

/// The entries of a role, by abstract module.
fn indices(
    roles: &[(Option<Role>, Option<u32>)],
    wanted: Role,
) -> impl Iterator<Item = (usize, Option<u32>)> + '_ {
    let all = roles.iter().enumerate();
    all.filter(move |(_, (role, _))| *role == Some(wanted))
        .map(|(at, (_, module))| (at, *module))
}

fn check_kinds(cx: &Context<'_>, entry: &Entry) {
    let window = Window::clamped(cx.sources, entry.place);
    let record = EntryRecord::clamped(&window, Endian::Little);
    if entry.image_kind != u64::from(ImageKind::SYCLBIN.0) {
        cx.report(
            &rules::SYCLBIN_IMAGE_KIND,
            record.span_of(EntryRecord::ImageKind),
            format_args!("ImageKind is {}, not 7", entry.image_kind),
        );
    }
    let kind = record.OffloadKind;
    let sycl = [
        OffloadKind::SYCL,
        OffloadKind::SYCL_or_HIP,
        OffloadKind::SYCL_runtime,
    ];
    if !sycl.iter().any(|known| u16::from(known.0) == kind) {
        cx.report(
            &rules::SYCLBIN_OFFLOAD_KIND,
            record.span_of(EntryRecord::OffloadKind),
            format_args!("OffloadKind is {kind}, not 4, 5 or 8"),
        );
    }
}

/// The value as text, and the bytes to report problems at.
fn value(cx: &Context<'_>, entry: &Entry, key: usize) -> (String, Span) {
    let span = entry.values.get(key).copied().unwrap_or_default();
    let place = if span.is_empty() { entry.place } else { span };
    (entry.value(cx.sources, key), place)
}

fn role_of(cx: &Context<'_>, entry: &Entry) -> Option<Role> {
    let (text, place) = value(cx, entry, key::ROLE);
    let known = ROLES.iter().find(|(name, _)| *name == text);
    if known.is_none() {
        cx.report(
            &rules::SYCLBIN_ROLE,
            place,
            if text.is_empty() {
                "the entry has no role".to_owned()
            } else {
                format!("unknown role {text:?}")
            },
        );
    }
    known.map(|(_, role)| *role)
}

fn module_of(cx: &Context<'_>, entry: &Entry, entries: u64) -> Option<u32> {
    let (text, place) = value(cx, entry, key::AM_INDEX);
    let Some(number) = decimal(text.as_bytes()) else {
        cx.report(
            &rules::SYCLBIN_AM_INDEX,
            place,
            format_args!("am_index {text:?} is not a decimal number"),
        );
        return None;
    };
    // Each abstract module has an entry for its metadata, so no index is larger. This also bounds
    // the memory of the modules.
    if number >= entries {
        cx.report(
            &rules::SYCLBIN_AM_INDEX,
            place,
            format_args!("am_index {number} out of range ({entries} entries)"),
        );
        return None;
    }
    u32::try_from(number).ok()
}

fn check_version(cx: &Context<'_>, entry: &Entry) {
    let (text, place) = value(cx, entry, key::FORMAT_VERSION);
    if !text.is_empty() && text != "2" {
        cx.report(
            &rules::SYCLBIN_VERSION,
            place,
            format_args!("sycl_format_version is {text:?}, not 2"),
        );
    }
}

fn abstract_modules(
    cx: &Context<'_>,
    roles: &[(Option<Role>, Option<u32>)],
    entries: &mut [Entry],
    none: Text,
) -> Vec<Module> {
    let count = roles.iter().filter_map(|(_, module)| *module).max();
    let count = count.map_or(0, |most| u64::from(most) + 1);
    let mut owners: Vec<Option<usize>> = vec![None; usize::try_from(count).unwrap_or(0)];
    for (at, module) in indices(roles, Role::Module) {
        let module = module.and_then(|module| usize::try_from(module).ok());
        let Some(slot) = module.and_then(|module| owners.get_mut(module)) else {
            continue;
        };
        if slot.is_some() {
            let place = entries.get(at).map_or(none.span, |entry| entry.place);
            let message = "duplicate metadata of the abstract module";
            cx.report(&rules::SYCLBIN_AM_METADATA, place, message);
            continue;
        }
        *slot = Some(at);
    }
    // The entries that refer to a module without metadata.
    let mut speakers = vec![None; owners.len()];
    for (at, (_, module)) in roles.iter().enumerate() {
        let module = module.and_then(|module| usize::try_from(module).ok());
        if let Some(slot) = module.and_then(|module| speakers.get_mut(module)) {
            *slot = Some(at);
        }
    }
    let mut modules = Vec::with_capacity(owners.len());
    for (number, owner) in owners.into_iter().enumerate() {
        let entry = owner.and_then(|at| entries.get_mut(at));
        let Some(entry) = entry else {
            let speaker = speakers.get(number).copied().flatten();
            let speaker = speaker.and_then(|at| entries.get(at)).or(entries.last());
            cx.report(
                &rules::SYCLBIN_AM_METADATA,
                speaker.map_or(none.span, |entry| entry.place),
                format_args!("abstract module {number} has no metadata"),
            );
            modules.push(Module {
                header: none.span,
                text: none,
                ir: 0..0,
                native: 0..0,
            });
            continue;
        };
        entry.part = u32::try_from(number).ok().map(Part::Module);
        modules.push(Module {
            header: entry.place,
            text: Text::check(cx, entry.image),
            ir: 0..0,
            native: 0..0,
        });
    }
    modules
}

/// Reads a device code image: the size of its metadata, the metadata, the code.
fn read_image(cx: &Context<'_>, entry: &Entry, role: Role) -> Code {
    let image = entry.image;
    let window = Window::clamped(cx.sources, image.subspan(0, 8));
    let size = uint(window.bytes(), Endian::Little);
    let mut text = image.subspan(8, size);
    if image.len() < 8 {
        cx.report(
            &rules::SYCLBIN_IMAGE,
            EntryRecord::ImageSize.span(EntryRecord::FIELDS, entry.place),
            format_args!(
                "an image of {} bytes is too small for the size of its metadata",
                image.len()
            ),
        );
        text = image.subspan(0, 0);
    } else if size > image.len() - 8 {
        cx.report(
            &rules::SYCLBIN_IMAGE,
            image.subspan(0, 8),
            format_args!(
                "the size of the metadata is {size}, but only {} bytes follow",
                image.len() - 8
            ),
        );
        text = image.subspan(8, 0);
    }
    let text = Text::check(cx, text);
    let bytes = match image.len() {
        0..8 => image.subspan(0, 0),
        _ => image.skip(text.span.end - image.start),
    };
    check_copies(cx, entry, role, text);
    Code {
        header: entry.place,
        text,
        bytes,
        opened: entry.owned.then(|| open_code(cx, bytes)).flatten(),
    }
}

/// Checks that the strings of the entry equal the properties.
fn check_copies(cx: &Context<'_>, entry: &Entry, role: Role, text: Text) {
    let properties = CodeProperties::read(text, cx.sources);
    let target = properties.target.map(|located| located.value);
    let (other_key, other) = match role {
        Role::Ir => (
            key::IR_TYPE,
            properties.kind.map(|located| located.value.to_string()),
        ),
        _ => (key::ARCH, properties.arch.map(|located| located.value)),
    };
    for (key, property) in [(key::TRIPLE, target), (other_key, other)] {
        let (copy, place) = value(cx, entry, key);
        if let Some(property) = property.filter(|property| !copy.is_empty() && *property != copy) {
            cx.report(
                &rules::SYCLBIN_COPY,
                place,
                format_args!("the string is {copy:?}, but the property is {property:?}"),
            );
        }
    }
}
