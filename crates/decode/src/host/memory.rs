//! The memory image of a host file, for following pointers.

use std::cell::RefCell;
use std::collections::BTreeMap;

use crate::reader::{Endian, Window, uint};
use crate::text::plural;
use crate::{Context, limits, rules};
use zeview_core::model::account::Account;
use zeview_core::model::sort;
use zeview_core::model::{Sources, Span};

/// Bytes of the file that are loaded at an address.
#[derive(Debug, Clone, Copy)]
pub struct Segment {
    /// The address of the first byte.
    pub address: u64,
    /// The bytes.
    pub bytes: Span,
    /// Whether they are code.
    pub is_code: bool,
}

/// A word that the loader writes.
#[derive(Debug, Clone, Copy)]
pub struct Relocation {
    /// Its address.
    pub at: u64,
    /// Its value after loading, or [`IN_PLACE`].
    pub value: u64,
    /// The offset of its entry in the file.
    pub entry: u64,
}

/// The value of a relocation whose word in the file is the value.
pub const IN_PLACE: u64 = u64::MAX;

/// The memory image of a host file.
#[derive(Debug, Default)]
pub struct Memory {
    /// All its bytes.
    pub file: Span,
    /// The size of a pointer in bytes: 4 or 8.
    pub pointer: u64,
    /// The alignment of 64-bit numbers.
    pub align: u64,
    /// Whether it is an object: images are only searched where the index points.
    pub is_object: bool,
    /// The segments, by address.
    segments: Vec<Segment>,
    /// The relocations, by address.
    relocations: Vec<Relocation>,
    /// The size of a relocation's entry in bytes.
    entry_size: u64,
    /// The names and bytes of the sections.
    pub sections: Vec<(String, Span)>,
    long_texts: RefCell<LongTexts>,
}

impl Memory {
    /// Creates the memory of these segments. `entry_size` is the size of a relocation's entry.
    pub fn new(
        cx: &Context<'_>,
        file: Span,
        pointer: u64,
        mut segments: Vec<Segment>,
        mut relocations: Vec<Relocation>,
        entry_size: u64,
    ) -> Memory {
        if relocations.len() >= limits::host_relocations(file.len()) {
            let count = plural(relocations.len() as u64, "relocation");
            let message = format_args!("only {count} are read");
            cx.report(&rules::TOO_MANY, file.subspan(0, 16), message);
        }
        sort::by_key(&mut segments, |segment| segment.address);
        if !relocations.is_sorted_by_key(|relocation| relocation.at) {
            sort::by_key(&mut relocations, |relocation| relocation.at);
        }
        // Duplicates of an address would be searched for each word.
        relocations.dedup_by_key(|relocation| relocation.at);
        Memory {
            file,
            pointer,
            align: 8,
            is_object: false,
            segments,
            relocations,
            entry_size,
            sections: Vec::new(),
            long_texts: RefCell::default(),
        }
    }

    /// Returns the segments, by address.
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// Returns the relocations, by address.
    pub fn relocations(&self) -> &[Relocation] {
        &self.relocations
    }

    /// Returns the bytes from an address to the end of their segment.
    pub fn from(&self, address: u64) -> Option<Span> {
        let after = self.segments.partition_point(|s| s.address <= address);
        let before = self.segments.get(..after)?.iter().rev();
        // Only few segments overlap.
        let mut before = before.take(4);
        before.find_map(|segment| {
            let offset = address.checked_sub(segment.address)?;
            (offset < segment.bytes.len()).then(|| segment.bytes.skip(offset))
        })
    }

    /// Returns the address of the first segment after an address.
    pub fn next_segment(&self, address: u64) -> u64 {
        let after = self.segments.partition_point(|s| s.address <= address);
        self.segments.get(after).map_or(u64::MAX, |s| s.address)
    }

    /// Returns the bytes between two addresses. Returns `None` unless one segment contains them
    /// all.
    pub fn between(&self, start: u64, end: u64) -> Option<Span> {
        let len = end.checked_sub(start)?;
        let rest = self.from(start)?;
        (len <= rest.len()).then(|| rest.subspan(0, len))
    }

    /// Returns the address of the byte at an offset in the file.
    pub fn address(&self, offset: u64) -> Option<u64> {
        let mut segments = self.segments.iter();
        let segment = segments.find(|s| s.bytes.contains_offset(offset))?;
        segment.address.checked_add(offset - segment.bytes.start)
    }

    /// Returns the name of the section that contains these bytes.
    pub fn section_of(&self, span: Span) -> &str {
        let mut sections = self.sections.iter();
        let section = sections.find(|(_, bytes)| bytes.contains(span) && !bytes.is_empty());
        section.map_or("", |(name, _)| name)
    }

    /// Clips bytes to the section that they start in.
    pub fn within_section(&self, span: Span) -> Span {
        let mut sections = self.sections.iter();
        let section = sections.find(|(_, bytes)| bytes.contains_offset(span.start));
        section.map_or(span, |(_, bytes)| span.intersect(*bytes))
    }

    /// Returns the bytes of the section with this name.
    pub fn section(&self, name: &str) -> Option<Span> {
        let mut sections = self.sections.iter();
        sections.find(|(n, _)| n == name).map(|(_, bytes)| *bytes)
    }

    /// Returns the record of `size` bytes at an address. Returns `None` if it is truncated.
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

    /// Returns the bytes of the text at an address, with its NUL. Returns `None` if it does not end
    /// within [`limits::NAME`].
    pub fn text_span(&self, sources: &Sources, address: u64) -> Option<Span> {
        let rest = self.from(address)?;
        let window = Window::clamped(sources, rest.subspan(0, SHORT_TEXT));
        let len = match window.bytes().iter().position(|byte| *byte == 0) {
            Some(len) => len as u64,
            None => self.long_texts.borrow_mut().find(sources, rest)?,
        };
        Some(rest.subspan(0, len.saturating_add(1)))
    }

    /// Returns the text at an address, and its bytes with the NUL; empty if it is unterminated. The
    /// text is `None` if it exceeds the memory limit.
    pub fn text(
        &self,
        sources: &Sources,
        address: u64,
        memory: &Account,
    ) -> (Option<String>, Option<Span>) {
        let Some(rest) = self.from(address) else {
            return (Some(String::new()), None);
        };
        let window = Window::clamped(sources, rest.subspan(0, SHORT_TEXT));
        let short = window.bytes().split(|byte| *byte == 0).next();
        let short = short.filter(|text| text.len() < window.bytes().len());
        if let Some(text) = short {
            let span = rest.subspan(0, text.len() as u64 + 1);
            let text = || String::from_utf8_lossy(text).into_owned();
            return (memory.take(span.len()).then(text), Some(span));
        }
        let Some(len) = self.long_texts.borrow_mut().find(sources, rest) else {
            return (Some(String::new()), None);
        };
        let span = rest.subspan(0, len.saturating_add(1));
        let text = || {
            let window = Window::clamped(sources, rest.subspan(0, len));
            String::from_utf8_lossy(window.bytes()).into_owned()
        };
        (memory.take(span.len()).then(text), Some(span))
    }

    /// Returns the length of the text at the start of some bytes, with its NUL. Without a NUL,
    /// returns the maximum length of a text.
    pub fn text_len(&self, sources: &Sources, rest: Span) -> u64 {
        let window = Window::clamped(sources, rest.subspan(0, SHORT_TEXT));
        let len = match window.bytes().iter().position(|byte| *byte == 0) {
            Some(len) => Some(len as u64),
            None => self.long_texts.borrow_mut().find(sources, rest),
        };
        let most = rest.len().min(limits::NAME as u64);
        len.map_or(most, |len| len.saturating_add(1).min(most))
    }

    /// Returns the text at an address, cut after [`limits::NAME_SHOWN`] bytes, and its bytes with
    /// the NUL.
    pub fn shown(&self, sources: &Sources, address: u64) -> Option<(String, Span)> {
        let span = self.text_span(sources, address)?;
        let text = span.subspan(0, span.len().saturating_sub(1));
        let window = Window::clamped(sources, text.subspan(0, limits::NAME_SHOWN as u64));
        Some((String::from_utf8_lossy(window.bytes()).into_owned(), span))
    }

    /// Returns the text at an address, without its NUL; empty if there is none.
    pub fn string(&self, sources: &Sources, address: u64) -> String {
        self.shown(sources, address).unwrap_or_default().0
    }
}

/// Length that most texts do not exceed, in bytes.
const SHORT_TEXT: u64 = 256;

/// The ends of long texts. Many records may point into one text, each at another byte, but each
/// byte is searched only once.
#[derive(Debug, Default)]
struct LongTexts(BTreeMap<u64, SearchedRange>);

/// Bytes that were searched for a NUL.
#[derive(Debug, Clone, Copy)]
struct SearchedRange {
    /// The offset in the file after the last one.
    end: u64,
    /// A NUL follows them.
    has_end: bool,
}

impl LongTexts {
    /// The length of the text at the start of `rest`, without its NUL. Returns `None` if it has no
    /// end.
    fn find(&mut self, sources: &Sources, rest: Span) -> Option<u64> {
        const PIECE: u64 = 1 << 16;
        let most = rest
            .start
            .saturating_add(rest.len().min(limits::NAME as u64));
        let before = self.0.range(..=rest.start).next_back();
        let before = before.filter(|(_, searched)| searched.end >= rest.start);
        let (start, mut found) = before.map_or(
            (
                rest.start,
                SearchedRange {
                    end: rest.start,
                    has_end: false,
                },
            ),
            |(start, searched)| (*start, *searched),
        );
        while !found.has_end && found.end < most {
            let next = self.0.range(found.end.saturating_add(1)..).next();
            let limit = next.map_or(most, |(start, _)| most.min(*start));
            let piece = Span::new(rest.source, found.end, limit).subspan(0, PIECE);
            let window = Window::clamped(sources, piece);
            if window.bytes().is_empty() {
                break;
            }
            match window.bytes().iter().position(|byte| *byte == 0) {
                Some(at) => {
                    found.end = found.end.saturating_add(at as u64);
                    found.has_end = true;
                }
                None => {
                    found.end = found.end.saturating_add(window.bytes().len() as u64);
                    // What follows may be known.
                    if let Some(known) = self.0.remove(&found.end) {
                        found = known;
                    }
                }
            }
        }
        self.0.insert(start, found);
        (found.has_end && found.end < most).then(|| found.end.saturating_sub(rest.start))
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

    /// Returns the entry of the relocation of the word at an offset.
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
