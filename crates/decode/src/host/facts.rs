//! Facts about the images, for people and programs.

use std::collections::{BTreeMap, HashSet};
use std::rc::Rc;

use super::index::{ImageRef, ImageStruct, Index};
use super::records::{self, FORMATS, KINDS};
use crate::carve::{self, FrameHeader};
use crate::compression;
use crate::format::{self, Formats};
use crate::names::known_name;
use crate::reader::{Endian, Window, uint};
use crate::text::plural;
use crate::{ar, demangle, limits, property_set};
use zeview_core::analysis::host_images::{
    Entry, HostImage, HostImages, ImageDescription, ImageLocations,
};
use zeview_core::analysis::kernels::Located;
use zeview_core::analysis::modules::{Property, PropertySet, PropertyValue};
use zeview_core::model::account::Account;
use zeview_core::model::text::size;
use zeview_core::model::{Fact, MemorySource, SourceId, Sources, Span, Str, Tone};

/// Access to the images of a file.
pub(super) struct ImagesOf(pub Rc<Index>);

impl HostImages for ImagesOf {
    fn count(&self) -> usize {
        self.0.images.len()
    }

    fn find(&self, span: Span) -> Option<usize> {
        let images = &self.0.images;
        let at = images.partition_point(|image| image.span < span);
        images.get(at).filter(|image| image.span == span)?;
        Some(at)
    }

    fn devices(&self, image: &HostImage, sources: &Sources) -> Vec<Str> {
        devices(image, sources, self.0.formats)
    }

    fn explain(&self, sets: &mut [PropertySet]) {
        property_set::explain(sets);
    }

    fn demangled(&self, name: &str) -> Option<Rc<str>> {
        demangle::demangle(name)
    }

    fn image_with(
        &self,
        index: usize,
        sources: &Sources,
        wanted: fn(&str) -> bool,
    ) -> Option<HostImage> {
        let found = self.0.images.get(index)?;
        let described = found.described.and_then(|of| self.0.structs.get(of));
        let head = found.head(sources);
        let frame = FrameHeader::read(head);
        Some(HostImage {
            span: found.span,
            section: self.0.memory.section_of(found.span).to_owned(),
            method: found.method,
            descriptor: described.map(|found| found.descriptor as u64),
            described: described.and_then(|described| {
                let read = |memory: &Account| self.0.described(sources, described, wanted, memory);
                sources.costs.read((found.span, index), read)
            }),
            unpacked: frame.map(|frame| frame.content),
            kind: match frame {
                None => carve::kind(head),
                // The first block identifies the format.
                Some(_) => {
                    // A block has at most 128 KiB (RFC 8878, Block_Maximum_Size).
                    let start = found.span.subspan(0, 1 << 18);
                    let packed = Window::clamped(sources, start);
                    carve::kind(&compression::zstd_start(packed.bytes()))
                }
            },
        })
    }
}

/// Returns the devices of native code: those of an archive's members, or of a zebin.
pub fn devices(image: &HostImage, sources: &Sources, formats: Formats) -> Vec<Str> {
    if !image.is_native() {
        return Vec::new();
    }
    let Some(content) = image.unpacked else {
        return match image.kind {
            "ar" => ar::devices(sources, image.span),
            _ => of_zebin(sources, formats, image.span),
        };
    };
    // Decompressed bytes are dropped at once: only the names are kept.
    let size = content.filter(|size| *size <= limits::UNPACKED);
    let Some(size) = size.filter(|size| sources.costs.work_on(image.span, *size)) else {
        return Vec::new();
    };
    let Ok(packed) = sources.read(image.span) else {
        return Vec::new();
    };
    let bytes = compression::zstd(&packed, size);
    let inner = Sources::new("image", Box::new(MemorySource::from(bytes)));
    let whole = inner.whole(SourceId::FILE);
    match image.kind {
        "ar" => ar::devices(&inner, whole),
        _ => of_zebin(&inner, formats, whole),
    }
}

fn of_zebin(sources: &Sources, formats: Formats, file: Span) -> Vec<Str> {
    let summary = format::summary(sources, formats, file);
    let mut facts = summary.facts.iter();
    let target = facts.find(|fact| fact.label == Fact::TARGET);
    let device = target.and_then(|fact| fact.text.split(" · ").next());
    device
        .into_iter()
        .map(|name| name.to_owned().into())
        .collect()
}

/// The memory of an entry, a property set or a property without its texts, in bytes.
const ENTRY: u64 = 96;
const SET: u64 = 128;
const PROPERTY: u64 = 224;
impl Index {
    /// Reads the struct of an image within the limit of `memory`.
    fn described(
        &self,
        sources: &Sources,
        found: &ImageStruct,
        wanted: fn(&str) -> bool,
        memory: &Account,
    ) -> Option<ImageDescription> {
        let [v1, v2, v3] = &records::IMAGES;
        // Their sizes differ; the version does not tell them apart, see `Index::layout`.
        let mut layouts = [v3, v2, v1].into_iter();
        let layout = layouts.find(|layout| self.size(layout) == found.span.len())?;
        let read = self.read(sources, layout, found.address)?;
        let mut left_out = 0;
        let mut text = |name: &str| {
            let (text, span) = self.memory.text(sources, read.pointer(name), memory);
            left_out += u64::from(text.is_none());
            (text.unwrap_or_default(), span)
        };
        let (target, target_place) = text("DeviceTargetSpec");
        let (compile_options, compile_place) = text("CompileOptions");
        let (link_options, link_place) = text("LinkOptions");
        let build_options = || self.memory.text_span(sources, read.pointer("BuildOptions"));
        let named = |name: &str, known| -> Str {
            let raw = read.number(name);
            known_name(known, raw).map_or_else(|| raw.to_string().into(), Str::from)
        };
        let entries = self.entries(sources, found, memory, &mut left_out);
        let properties = self.properties(sources, found, wanted, memory, &mut left_out);
        Some(ImageDescription {
            version: Some(found.version.into()),
            target,
            offload_kind: named("OffloadKind", KINDS),
            format: named("Format", FORMATS),
            compile_options,
            link_options,
            entries,
            properties,
            left_out,
            places: ImageLocations {
                record: Some(found.span),
                target: target_place,
                compile_options: compile_place.or_else(build_options),
                link_options: link_place,
                entries: self.memory.between(found.entries.0, found.entries.1),
            },
        })
    }

    /// Reads the entries of an image and counts the omitted ones.
    fn entries(
        &self,
        sources: &Sources,
        found: &ImageStruct,
        memory: &Account,
        left_out: &mut u64,
    ) -> Vec<Entry> {
        let layout = self.entry_layout(sources, found.entries);
        let mut entries = Vec::new();
        for address in self.places(layout, found.entries) {
            if !memory.take(ENTRY) {
                *left_out += self.count_from(layout, address, found.entries);
                break;
            }
            let Some(entry) = self.read(sources, layout, address) else {
                continue;
            };
            let name = entry.pointer("name") | entry.pointer("SymbolName");
            let Some((name, name_span)) = self.name(sources, name, memory) else {
                *left_out += self.count_from(layout, address, found.entries);
                break;
            };
            entries.push(Entry {
                name,
                name_span,
                span: entry.record.span(),
            });
        }
        entries
    }

    /// Returns the number of records of a range from an address on.
    fn count_from(&self, layout: &records::Layout, address: u64, (_, end): (u64, u64)) -> u64 {
        end.saturating_sub(address) / self.size(layout).max(1)
    }

    /// Reads the property sets with wanted names of an image and counts the omitted ones.
    fn properties(
        &self,
        sources: &Sources,
        found: &ImageStruct,
        wanted: fn(&str) -> bool,
        memory: &Account,
        left_out: &mut u64,
    ) -> Vec<PropertySet> {
        let mut sets = Vec::new();
        for address in self.places(&records::SET, found.sets) {
            if !memory.take(SET) {
                *left_out += self.count_from(&records::SET, address, found.sets);
                break;
            }
            let Some(set) = self.read(sources, &records::SET, address) else {
                continue;
            };
            let range = set.range("PropertiesBegin", "PropertiesEnd");
            // Empty sets have null pointers.
            if range.0 != range.1 && self.memory.between(range.0, range.1).is_none() {
                continue;
            }
            let Some((name, span)) = self.name(sources, set.pointer("Name"), memory) else {
                *left_out += self.count_from(&records::SET, address, found.sets);
                break;
            };
            if !wanted(&name) {
                continue;
            }
            let mut entries = Vec::new();
            for address in self.places(&records::PROPERTY, range) {
                let read = || self.property(sources, address, memory);
                match memory.take(PROPERTY).then(read) {
                    Some(property) if !memory.is_overdrawn() => entries.extend(property),
                    _ => {
                        *left_out += self.count_from(&records::PROPERTY, address, range);
                        break;
                    }
                }
            }
            sets.push(PropertySet {
                name,
                span,
                doc: Str::default(),
                entries,
            });
        }
        sets
    }

    fn property(&self, sources: &Sources, address: u64, memory: &Account) -> Option<Property> {
        let property = self.read(sources, &records::PROPERTY, address)?;
        let (key, key_span) = self.name(sources, property.pointer("Name"), memory)?;
        let size = property.number("ValSize");
        let start = property.pointer("ValAddr");
        let kind = property.number("Type");
        let (value, span) = match kind {
            2 => {
                let bytes = self.memory.between(start, start.checked_add(size)?)?;
                if !memory.take(bytes.len()) {
                    return None;
                }
                let window = Window::clamped(sources, bytes);
                let (bits, payload) = window.bytes().split_at_checked(8)?;
                let value = PropertyValue::Bytes {
                    bits: uint(bits, Endian::Little),
                    bytes: payload.to_vec(),
                };
                (value, bytes.skip(8))
            }
            // Only the lower half is used.
            _ => (
                PropertyValue::Number(size & 0xffff_ffff),
                property.span("ValSize").subspan(0, 4),
            ),
        };
        Some(Property {
            key,
            key_span,
            kind: Located {
                value: kind,
                span: Some(property.span("Type")),
            },
            value,
            span,
            meaning: String::new(),
            doc: Str::default(),
        })
    }

    /// Returns a name and its bytes, with the NUL; empty if it is unterminated. Returns `None` if
    /// it exceeds the memory limit.
    fn name(&self, sources: &Sources, address: u64, memory: &Account) -> Option<(String, Span)> {
        let (text, span) = self.memory.text(sources, address, memory);
        Some((text?, span.unwrap_or_default()))
    }

    fn target(&self, sources: &Sources, image: &ImageRef) -> String {
        let found = image.described.and_then(|of| self.structs.get(of));
        let target = found.and_then(|found| {
            // All versions have it at the same offset.
            let address = found.address.checked_add(self.memory.pointer)?;
            let record = self.memory.record(sources, address, self.memory.pointer)?;
            let target = record.pointer(0, self.memory.pointer);
            Some(self.memory.string(sources, target))
        });
        target.unwrap_or_else(|| "target unknown".to_owned())
    }
}

/// Returns the facts of the file: the number of images, their targets, and how they were found.
pub(super) fn facts(index: &Index, sources: &Sources) -> Vec<Fact> {
    let first = index.images.first().map(|image| image.span);
    let count = index.images.len() as u64;
    let mut facts = vec![Fact::new("images", plural(count, "device image"), first).headline()];
    if index.kernels > 0 {
        // An entry for each image that has the kernel, also for those with SPIR-V: not the builds that
        // other views count.
        let noun = if count > 1 { "kernel entry" } else { "kernel" };
        let kernels = plural(index.kernels, noun);
        facts.push(Fact::new(Fact::KERNELS, kernels, first).headline());
    }
    let mut targets: BTreeMap<String, (u64, u64, Span)> = BTreeMap::new();
    let mut found: BTreeMap<&str, (u64, Span)> = BTreeMap::new();
    let mut places = HashSet::new();
    for image in &index.images {
        let target = index.target(sources, image);
        let sum = targets.entry(target).or_insert((0, 0, image.span));
        sum.0 += 1;
        sum.1 += image.span.len();
        found.entry(image.method).or_insert((0, image.span)).0 += 1;
        places.insert(image.span.start);
    }
    facts.extend(targets.into_iter().map(|(target, (count, bytes, span))| {
        let code = match target.as_str() {
            "spir64_gen" => "native (spir64_gen)",
            "spir64" => "SPIR-V (spir64)",
            "spir64_x86_64" => "for CPUs (spir64_x86_64)",
            target => target,
        };
        let text = format!("{code}: {}, {}", plural(count, "image"), size(bytes));
        Fact::new("device code", text, span)
    }));
    if index.without_bytes > 0 {
        let text = format!("native_cpu: {}", plural(index.without_bytes, "image"));
        facts.push(Fact::new("device code", text, first));
    }
    for (method, (count, span)) in found {
        let (tone, words) = match method {
            "descriptor" => {
                let descriptors = plural(index.descriptors.len() as u64, method);
                (Tone::Plain, format!("listed by {descriptors}"))
            }
            "tgtimg" => (
                Tone::Warning,
                "found by .tgtimg; no struct describes them".to_owned(),
            ),
            _ => (
                Tone::Warning,
                "found by their first bytes: the index is missing".to_owned(),
            ),
        };
        let images = plural(count, "image");
        facts.push(Fact {
            tone,
            ..Fact::new("index", format!("{images} {words}"), span)
        });
    }
    facts
}
