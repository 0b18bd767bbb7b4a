//! A host's file as it is in memory: what its pointers point to.

use crate::decode::reader::{Endian, Window, uint};
use crate::decode::text::plural;
use crate::decode::{Context, limits, rules};
use crate::model::sort;
use crate::model::{Sources, Span};

/// Bytes of the file that are at an address.
#[derive(Debug, Clone, Copy)]
pub struct Segment {
    /// The address of the first one.
    pub address: u64,
    /// The bytes.
    pub bytes: Span,
    /// They are code.
    pub is_code: bool,
}

/// A word that the loader writes.
#[derive(Debug, Clone, Copy)]
pub struct Relocation {
    /// Its address.
    pub at: u64,
    /// What it is then, or [`IN_PLACE`].
    pub value: u64,
    /// The offset in the file of what says so.
    pub entry: u64,
}

/// The value of a relocation that stands where it is written to.
pub const IN_PLACE: u64 = u64::MAX;

/// A host's file as it is in memory.
#[derive(Debug, Default)]
pub struct Memory {
    /// All its bytes.
    pub file: Span,
    /// The size of a pointer in bytes: 4 or 8.
    pub pointer: u64,
    /// The alignment of 64-bit numbers.
    pub align: u64,
    /// It is an object: no image is looked for where nothing says that there is one.
    pub is_object: bool,
    /// What is where, by address.
    segments: Vec<Segment>,
    /// By address.
    relocations: Vec<Relocation>,
    /// The size of what describes a relocation.
    entry_size: u64,
    /// The names and bytes of the sections.
    pub sections: Vec<(String, Span)>,
}

impl Memory {
    /// The memory of these segments. `entry_size` is the size of a relocation's entry.
    pub fn new(
        cx: &Context<'_>,
        file: Span,
        pointer: u64,
        mut segments: Vec<Segment>,
        mut relocations: Vec<Relocation>,
        entry_size: u64,
    ) -> Memory {
        if relocations.len() >= limits::HOST_RELOCATIONS {
            let count = plural(relocations.len() as u64, "relocation");
            let message = format_args!("only {count} are read");
            cx.report(&rules::TOO_MANY, file.subspan(0, 16), message);
        }
        sort::by_key(&mut segments, |segment| segment.address);
        if !relocations.is_sorted_by_key(|relocation| relocation.at) {
            sort::by_key(&mut relocations, |relocation| relocation.at);
        }
        Memory {
            file,
            pointer,
            align: 8,
            is_object: false,
            segments,
            relocations,
            entry_size,
            sections: Vec::new(),
        }
    }

    /// Its segments, by address.
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// Its relocations, by address.
    pub fn relocations(&self) -> &[Relocation] {
        &self.relocations
    }

    /// The bytes at an address, up to the end of their segment.
    pub fn from(&self, address: u64) -> Option<Span> {
        let after = self.segments.partition_point(|s| s.address <= address);
        let before = self.segments.get(..after)?.iter().rev();
        // Few segments overlap.
        let mut before = before.take(4);
        before.find_map(|segment| {
            let offset = address.checked_sub(segment.address)?;
            (offset < segment.bytes.len()).then(|| segment.bytes.skip(offset))
        })
    }

    /// The address of the first segment behind an address.
    pub fn next_segment(&self, address: u64) -> u64 {
        let after = self.segments.partition_point(|s| s.address <= address);
        self.segments.get(after).map_or(u64::MAX, |s| s.address)
    }

    /// The bytes between two addresses. Returns `None` if they are not all in one segment.
    pub fn between(&self, start: u64, end: u64) -> Option<Span> {
        let len = end.checked_sub(start)?;
        let rest = self.from(start)?;
        (len <= rest.len()).then(|| rest.subspan(0, len))
    }

    /// The address of the byte at an offset in the file.
    pub fn address(&self, offset: u64) -> Option<u64> {
        let mut segments = self.segments.iter();
        let segment = segments.find(|s| s.bytes.contains_offset(offset))?;
        segment.address.checked_add(offset - segment.bytes.start)
    }

    /// The name of the section of these bytes.
    pub fn section_of(&self, span: Span) -> &str {
        let mut sections = self.sections.iter();
        let section = sections.find(|(_, bytes)| bytes.contains(span) && !bytes.is_empty());
        section.map_or("", |(name, _)| name)
    }

    /// The bytes as far as they are in the section that they start in.
    pub fn within_section(&self, span: Span) -> Span {
        let mut sections = self.sections.iter();
        let section = sections.find(|(_, bytes)| bytes.contains_offset(span.start));
        section.map_or(span, |(_, bytes)| span.intersect(*bytes))
    }

    /// The bytes of the section of that name.
    pub fn section(&self, name: &str) -> Option<Span> {
        let mut sections = self.sections.iter();
        sections.find(|(n, _)| n == name).map(|(_, bytes)| *bytes)
    }

    /// The record of `size` bytes at an address. Returns `None` if it is not all there.
    pub fn record(&self, sources: &Sources, address: u64, size: u64) -> Option<Record<'_>> {
        let span = self.between(address, address.checked_add(size)?)?;
        Some(self.record_in(address, Window::clamped(sources, span)))
    }

    fn record_in(&self, address: u64, window: Window) -> Record<'_> {
        let end = address.saturating_add(window.span().len());
        let from = self.relocations.partition_point(|r| r.at < address);
        let rest = self.relocations.get(from..).unwrap_or(&[]);
        let count = rest.iter().take_while(|r| r.at < end).count();
        Record {
            address,
            window,
            entry_size: self.entry_size,
            relocations: rest.get(..count).unwrap_or(&[]),
        }
    }

    /// The text at an address, without its NUL, and its bytes with it. Returns `None` if it has
    /// no end.
    pub fn text(&self, sources: &Sources, address: u64) -> Option<(Vec<u8>, Span)> {
        let rest = self.from(address)?;
        // Most are short.
        [256, limits::C_STRING, limits::NAME as u64]
            .iter()
            .find_map(|most| {
                let window = Window::clamped(sources, rest.subspan(0, *most));
                let len = window.bytes().iter().position(|byte| *byte == 0)?;
                let text = window.bytes().get(..len)?.to_vec();
                Some((text, rest.subspan(0, len as u64 + 1)))
            })
    }

    /// The text at an address; nothing, if there is none.
    pub fn string(&self, sources: &Sources, address: u64) -> String {
        let text = self.text(sources, address).map(|(text, _)| text);
        String::from_utf8_lossy(&text.unwrap_or_default()).into_owned()
    }
}

/// Bytes of a record, and the pointers in it.
pub struct Record<'a> {
    /// Its address.
    pub address: u64,
    window: Window,
    entry_size: u64,
    relocations: &'a [Relocation],
}

impl Record<'_> {
    /// Its bytes.
    pub fn span(&self) -> Span {
        self.window.span()
    }

    /// The number at an offset; 0 where it is not all there.
    pub fn number(&self, offset: u64, size: u64) -> u64 {
        let range = || {
            let from = usize::try_from(offset).ok()?;
            let to = from.checked_add(usize::try_from(size).ok()?)?;
            self.window.bytes().get(from..to)
        };
        uint(range().unwrap_or(&[]), Endian::Little)
    }

    fn relocation_at(&self, offset: u64) -> Option<&Relocation> {
        let at = self.address.saturating_add(offset);
        self.relocations.iter().find(|r| r.at == at)
    }

    /// What says that the loader writes the word at an offset.
    pub fn relocation(&self, offset: u64) -> Option<Span> {
        let entry = self.relocation_at(offset)?.entry;
        let source = self.span().source;
        Some(Span::with_len(source, entry, self.entry_size))
    }

    /// The pointer of `size` bytes at an offset, as it is in memory.
    pub fn pointer(&self, offset: u64, size: u64) -> u64 {
        match self.relocation_at(offset) {
            Some(relocation) if relocation.value != IN_PLACE => relocation.value,
            _ => self.number(offset, size),
        }
    }
}
