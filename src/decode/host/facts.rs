//! What there is to say about the images, for people and programs.

use std::collections::{BTreeMap, HashSet};
use std::rc::Rc;

use super::carve::{self, FrameHeader};
use super::index::{ImageRef, ImageStruct, Index};
use super::records::{self, FORMATS, KINDS};
use crate::decode::compression;
use crate::decode::names::known_name;
use crate::decode::reader::{Endian, Window, uint};
use crate::decode::text::plural;
use crate::model::host_images::{Described, HostImage, HostImages, Property};
use crate::model::{Fact, Sources, Span, Str, Tone};

/// Who knows the images of a file.
pub(super) struct ImagesOf(pub Rc<Index>);

impl HostImages for ImagesOf {
    fn count(&self) -> usize {
        self.0.images.len()
    }

    fn image(&self, index: usize, sources: &Sources) -> Option<HostImage> {
        let found = self.0.images.get(index)?;
        let described = found.described.and_then(|of| self.0.structs.get(of));
        let head = Window::clamped(sources, found.span.subspan(0, 18));
        let frame = FrameHeader::read(head.bytes());
        Some(HostImage {
            span: found.span,
            section: self.0.memory.section_of(found.span).to_owned(),
            how: found.how,
            descriptor: described.map(|found| found.descriptor as u64),
            described: described.and_then(|found| self.0.described(sources, found)),
            unpacked: frame.map(|frame| frame.content),
            kind: match frame {
                None => carve::kind(head.bytes()),
                // The first block says what it is.
                Some(_) => {
                    let start = found.span.subspan(0, 1 << 18);
                    let packed = Window::clamped(sources, start);
                    carve::kind(&compression::zstd_start(packed.bytes()))
                }
            },
        })
    }
}

impl Index {
    fn described(&self, sources: &Sources, found: &ImageStruct) -> Option<Described> {
        let [v1, v2, v3] = &records::IMAGES;
        let mut layouts = [v3, v2, v1].into_iter();
        let layout = layouts.find(|layout| self.size(layout) == found.span.len())?;
        let read = self.read(sources, layout, found.address)?;
        let text = |name: &str| self.memory.string(sources, read.pointer(name));
        let named = |name: &str, known| -> Str {
            let raw = read.number(name);
            known_name(known, raw).map_or_else(|| raw.to_string().into(), Str::from)
        };
        let layout = self.entry_layout(sources, found.entries);
        let entries = self.places(layout, found.entries).filter_map(|address| {
            let entry = self.read(sources, layout, address)?;
            let name = entry.pointer("name") | entry.pointer("SymbolName");
            Some(self.memory.string(sources, name))
        });
        Some(Described {
            version: Some(found.version.into()),
            target: text("DeviceTargetSpec"),
            offload_kind: named("OffloadKind", KINDS),
            format: named("Format", FORMATS),
            compile_options: text("CompileOptions"),
            link_options: text("LinkOptions"),
            entries: entries.collect(),
            properties: self.properties(sources, found),
        })
    }

    fn properties(
        &self,
        sources: &Sources,
        found: &ImageStruct,
    ) -> Vec<(String, Vec<(String, Property)>)> {
        let sets = self
            .places(&records::SET, found.sets)
            .filter_map(|address| {
                let set = self.read(sources, &records::SET, address)?;
                let range = set.range("PropertiesBegin", "PropertiesEnd");
                // Empty sets have null pointers.
                if range.0 != range.1 {
                    self.memory.between(range.0, range.1)?;
                }
                let properties = self
                    .places(&records::PROPERTY, range)
                    .filter_map(|address| {
                        let property = self.read(sources, &records::PROPERTY, address)?;
                        let name = self.memory.string(sources, property.pointer("Name"));
                        let size = property.number("ValSize");
                        let value = property.pointer("ValAddr");
                        let value = match property.number("Type") {
                            2 => {
                                let bytes = self.memory.between(value, value.checked_add(size)?)?;
                                let window = Window::clamped(sources, bytes);
                                let (bits, bytes) = window.bytes().split_at_checked(8)?;
                                Property::Bytes {
                                    bits: uint(bits, Endian::Little),
                                    bytes: bytes.to_vec(),
                                }
                            }
                            // Only the lower half is used.
                            _ => Property::Number(size & 0xffff_ffff),
                        };
                        Some((name, value))
                    });
                let name = self.memory.string(sources, set.pointer("Name"));
                Some((name, properties.collect()))
            });
        sets.collect()
    }

    fn target(&self, sources: &Sources, image: &ImageRef) -> String {
        let found = image.described.and_then(|of| self.structs.get(of));
        let target = found.and_then(|found| {
            // All versions have it at the same place.
            let address = found.address.checked_add(self.memory.pointer)?;
            let record = self.memory.record(sources, address, self.memory.pointer)?;
            let target = record.pointer(0, self.memory.pointer);
            Some(self.memory.string(sources, target))
        });
        target.unwrap_or_else(|| "target unknown".to_owned())
    }
}

/// The file in a few facts: how many images there are, for what, and what has led to them.
pub(super) fn facts(index: &Index, sources: &Sources) -> Vec<Fact> {
    let first = index.images.first().map(|image| image.span);
    let count = index.images.len() as u64;
    let mut facts = vec![Fact::new("images", plural(count, "device image"), first).headline()];
    if index.kernels > 0 {
        let kernels = plural(index.kernels, "kernel");
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
        found.entry(image.how).or_insert((0, image.span)).0 += 1;
        places.insert(image.span.start);
    }
    facts.extend(targets.into_iter().map(|(target, (count, bytes, span))| {
        let text = format!("{target}: {}, {bytes} bytes", plural(count, "image"));
        Fact::new("device code", text, span)
    }));
    if index.without_bytes > 0 {
        let text = format!("native_cpu: {}", plural(index.without_bytes, "image"));
        facts.push(Fact::new("device code", text, first));
    }
    for (how, (count, span)) in found {
        let (tone, words) = match how {
            "descriptor" => (Tone::Plain, plural(index.descriptors.len() as u64, how)),
            "tgtimg" => (
                Tone::Warning,
                ".tgtimg; no struct describes them".to_owned(),
            ),
            _ => (
                Tone::Warning,
                "their first bytes: the index is missing".to_owned(),
            ),
        };
        let images = plural(count, "image");
        facts.push(Fact {
            tone,
            ..Fact::new("index", format!("{images} found by {words}"), span)
        });
    }
    facts
}
