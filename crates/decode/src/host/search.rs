//! Finds the descriptors.
//!
//! Nothing names a descriptor in a stripped program. It is recognized by its pointer: a word that
//! the loader writes (or, without relocations, any word of data) that follows a version and a count
//! and points to an image struct.

use super::index::{ImageStruct, Index, is_device_section};
use super::records::{self, Layout};
use crate::limits;
use crate::reader::Window;
use zeview_core::model::{Sources, Span};

impl Index {
    /// Finds the addresses of the descriptors.
    pub(super) fn find_descriptors(&self, sources: &Sources) -> Vec<u64> {
        let memory = &self.memory;
        let mut found = Vec::new();
        if memory.relocations().is_empty() {
            let mut left = if memory.sections.is_empty() {
                // With sections, the device code is skipped, which is most of such a file.
                limits::HOST_SCAN
            } else {
                u64::MAX
            };
            for segment in memory.segments().iter().filter(|s| !s.is_code) {
                let bytes = segment.bytes.subspan(0, left);
                left -= bytes.len();
                self.find_in_place(sources, segment.address, bytes, &mut found);
            }
        }
        // A window of bytes, their address, and the next segment: most relocations are close to the
        // previous one.
        let mut window = Window::clamped(sources, memory.file.subspan(0, 0));
        let mut addresses = 0..0;
        for relocation in memory.relocations() {
            // The pointer to the structs is the descriptor's second word.
            let Some(address) = relocation.at.checked_sub(memory.pointer) else {
                continue;
            };
            if !addresses.contains(&address) {
                let Some(rest) = memory.from(address) else {
                    continue;
                };
                window = Window::clamped(sources, rest.subspan(0, 1 << 16));
                let words = window.span().len().saturating_sub(memory.pointer - 1);
                let end = address.saturating_add(words.max(1));
                addresses = address..end.min(memory.next_segment(address));
            }
            let from = usize::try_from(address - addresses.start).unwrap_or(usize::MAX);
            let bytes = window.bytes().get(from..).unwrap_or(&[]);
            if self.starts_as_descriptor(bytes) && self.is_descriptor(sources, address) {
                found.push(address);
            }
        }
        found.dedup();
        found
    }

    /// Without relocations, checks all words of data.
    fn find_in_place(&self, sources: &Sources, address: u64, bytes: Span, found: &mut Vec<u64>) {
        let step = self.memory.pointer;
        let skip = address.next_multiple_of(step) - address;
        let mut at = skip;
        while at < bytes.len() {
            let piece = bytes.subspan(at, 1 << 18);
            let inside = self.memory.sections.iter();
            let mut inside = inside.filter(|(name, _)| is_device_section(name));
            if let Some((_, section)) = inside.find(|(_, s)| s.contains_offset(piece.start)) {
                let rest = section.end - piece.start;
                at = at.saturating_add(rest.next_multiple_of(step));
                continue;
            }
            let window = Window::clamped(sources, piece);
            if window.bytes().is_empty() {
                break;
            }
            let words = window.bytes().chunks(usize::try_from(step).unwrap_or(8));
            for (offset, word) in (0..).step_by(usize::try_from(step).unwrap_or(8)).zip(words) {
                let here = address.saturating_add(at).saturating_add(offset);
                if self.starts_as_descriptor(word) && self.is_descriptor(sources, here) {
                    found.push(here);
                }
            }
            at += piece.len();
        }
    }

    /// Returns whether bytes are version 1, a count, and zeros.
    fn starts_as_descriptor(&self, bytes: &[u8]) -> bool {
        let size = usize::try_from(self.memory.pointer).unwrap_or(8);
        match bytes.get(..size) {
            Some([1, 0, low, high, rest @ ..]) => {
                (*low, *high) != (0, 0) && rest.iter().all(|byte| *byte == 0)
            }
            _ => false,
        }
    }

    fn is_descriptor(&self, sources: &Sources, address: u64) -> bool {
        let Some(read) = self.record(sources, &records::DESCRIPTOR, address) else {
            return false;
        };
        let is_plain = read.record.relocation(0).is_none();
        let hosts = read.pointer("HostEntriesBegin") | read.pointer("HostEntriesEnd");
        // Of the 1.2 million relocations of 71 libraries without device code, none passes this and
        // the test of the first struct.
        if !is_plain || hosts != 0 {
            return false;
        }
        let first = read.pointer("DeviceImages");
        let Some(first) = self.memory.record(sources, first, self.memory.pointer) else {
            return false;
        };
        let padding = self.memory.pointer - 4;
        first.relocation(0).is_none()
            && (1..=3).contains(&first.number(0, 2))
            && matches!(first.number(2, 1), 4 | 8)
            // Formats up to 4 exist.
            && first.number(3, 1) < 8
            && first.number(4, padding) == 0
    }

    /// Reads an image struct with a layout. Returns `None` if its fields are implausible.
    pub(super) fn image_struct(
        &self,
        sources: &Sources,
        layout: &'static Layout,
        address: u64,
        descriptor: usize,
    ) -> Option<ImageStruct> {
        let read = self.record(sources, layout, address)?;
        let memory = &self.memory;
        let version = u16::try_from(read.number("Version")).ok()?;
        let name = read.pointer("DeviceTargetSpec");
        let target = memory.text_span(sources, name)?;
        // Targets are short names such as `spir64_gen`; anything else shows that the layout is
        // wrong.
        if target.len() > 256 {
            return None;
        }
        let target = Window::clamped(sources, target);
        let target = target
            .bytes()
            .split_last()
            .map_or(&[][..], |(_, text)| text);
        if !target.iter().all(|byte| (b' '..=b'~').contains(byte)) {
            return None;
        }
        let (start, end) = (read.pointer("ImageStart"), read.pointer("ImageEnd"));
        // The image of the host CPU is a function table.
        let image = match target {
            b"native_cpu" => None,
            _ => Some(memory.between(start, end)?),
        };
        let range = |begin: &str, end: &str| {
            let range = (read.pointer(begin), read.pointer(end));
            let is_plausible = range.0 == range.1 || memory.between(range.0, range.1).is_some();
            is_plausible.then_some(range)
        };
        Some(ImageStruct {
            address,
            span: read.record.span(),
            version,
            descriptor,
            image,
            entries: range("EntriesBegin", "EntriesEnd")?,
            sets: range("PropertySetsBegin", "PropertySetsEnd")?,
            target: name,
        })
    }

    /// Returns the layout of a struct: the one with plausible fields.
    pub(super) fn layout(&self, sources: &Sources, address: u64) -> Option<&'static Layout> {
        let [v1, v2, v3] = &records::IMAGES;
        let version = self.memory.record(sources, address, 2)?.number(0, 2);
        let candidates = match version {
            3 => [v3, v3],
            2 => [v2, v2],
            // The runtime ignores it: newer structs may have 1 as well.
            _ => [v2, v1],
        };
        let is_plausible = |layout: &&'static Layout| {
            let read = self.record(sources, layout, address);
            let manifest = read.map(|read| read.range("ManifestStart", "ManifestEnd"));
            // No compiler writes a manifest. Version 3 has no such fields, which reads as zeros.
            manifest == Some((0, 0)) && self.image_struct(sources, layout, address, 0).is_some()
        };
        candidates
            .into_iter()
            .find(is_plausible)
            // Damaged structs are reported with this layout, instead of being passed over.
            .or(candidates.first().copied())
    }
}
