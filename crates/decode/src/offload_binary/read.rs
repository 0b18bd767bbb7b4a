//! Reads an OffloadBinary: its header, entries and strings, but not its images.

use std::cell::Cell;

use super::header::{self, Header1, Header2, Header3};
use super::{Entry, KEYS};
use crate::Context;
use crate::compression::{Inflated, Method};
use crate::layout::{self, Overlap, Region, Regions};
use crate::reader::{Endian, Window};
use crate::text::plural;
use crate::{limits, rules};
use zeview_core::model::sort;
use zeview_core::model::{Bytes, ExpanderId, Sources, Span, Spanned};

/// Kinds of [`Region`]s.
pub mod kind {
    #![allow(missing_docs)]
    pub const HEADER: u8 = 1;
    pub const ENTRIES: u8 = 2;
    pub const STRING_ENTRIES: u8 = 3;
    pub const STRING: u8 = 4;
    pub const IMAGE: u8 = 5;
    pub const COMPRESSED: u8 = 6;
}

/// The contents of a binary, without its images.
pub struct Reading {
    /// All its bytes.
    pub body: Span,
    /// The header.
    pub header: Span,
    /// The version of the format.
    pub version: u32,
    /// The table of the entries.
    pub table: Span,
    /// Its entries.
    pub entries: Vec<Entry>,
    /// The compressed bytes.
    pub compressed: Span,
    /// The decompressed bytes, which are a binary, too.
    pub inflated: Option<Inflated>,
    /// The expander of the decompressed binary.
    pub unpacked: Option<ExpanderId>,
    /// The strings, with their NULs.
    strings: Vec<(u64, u64)>,
    read: bool,
}

/// Bytes of a file, read ahead for many small reads.
pub struct ReadAhead<'a> {
    sources: &'a Sources,
    span: Span,
    bytes: Bytes,
    /// Remaining number of bytes to scan for the ends of long strings.
    scan_budget: Cell<u64>,
}

/// Maximum number of bytes kept at once.
const KEPT: u64 = 64 << 20;

impl<'a> ReadAhead<'a> {
    /// Reads the bytes of `span`, up to the limit.
    pub fn new(sources: &'a Sources, span: Span) -> ReadAhead<'a> {
        let span = span.subspan(0, KEPT);
        let bytes = sources.read(span);
        ReadAhead {
            sources,
            span,
            bytes: bytes.unwrap_or_else(|_| Bytes::from(Vec::new())),
            scan_budget: Cell::new(limits::C_STRINGS),
        }
    }

    /// The part of `span` that is in the file.
    pub fn get(&self, span: Span) -> Bytes {
        if !self.span.contains(span) {
            let bytes = self.sources.read_clamped(span);
            return bytes.unwrap_or_else(|_| Bytes::from(Vec::new()));
        }
        let at = |offset: u64| usize::try_from(offset - self.span.start).unwrap_or(usize::MAX);
        self.bytes.slice(at(span.start), at(span.end))
    }
}

/// The bytes of a NUL-terminated string, without the NUL. Returns `None` if it does not end within
/// the limits.
pub fn c_string(ahead: &ReadAhead<'_>, body: Span, offset: u64) -> Option<Span> {
    if offset >= body.len() {
        return None;
    }
    let most = body.subspan(offset, limits::C_STRING);
    let end = |span: Span| ahead.get(span).iter().position(|b| *b == 0);
    // Most strings are short.
    if let Some(end) = end(most.subspan(0, 64)) {
        return Some(most.subspan(0, end as u64));
    }
    let budget = ahead.scan_budget.get();
    let most = most.subspan(0, budget);
    let end = end(most).map(|end| most.subspan(0, end as u64));
    ahead.scan_budget.set(budget - end.unwrap_or(most).len());
    end
}

/// `len` bytes at `offset` of `body`. Returns `None` if they are out of bounds.
fn inside(body: Span, offset: u64, len: u64) -> Option<Span> {
    let end = offset.checked_add(len)?;
    (end <= body.len()).then(|| body.subspan(offset, len))
}

/// Decompresses everything after the header. Offsets count from the start of the uncompressed
/// binary, so the header is put in front again, as in LLVM's reader. Returns `None` if the method
/// is unknown or the stream is damaged.
fn unpack(cx: &Context<'_>, reading: &Reading, head: &[u8], size: u64) -> Option<Inflated> {
    let packed = reading.compressed;
    let start = Window::clamped(cx.sources, packed.subspan(0, 4));
    let method = Method::sniff(start.bytes())?;
    let mut header = head.get(..40)?.to_vec();
    for (field, number) in [(Header3::Size, size), (Header3::InflatedSize, 0)] {
        let place = field.span(
            Header3::FIELDS,
            Span::with_len(packed.source, 0, Header3::SIZE),
        );
        let (from, to) = (
            usize::try_from(place.start).ok()?,
            usize::try_from(place.end).ok()?,
        );
        header
            .get_mut(from..to)?
            .copy_from_slice(&number.to_le_bytes());
    }
    // Writers leave no bytes between the header and the entries.
    let before = packed.start.saturating_sub(reading.body.start);
    if before != header.len() as u64 {
        return None;
    }
    let expected = size.checked_sub(before)?;
    cx.inflate_after(header, "OffloadBinary", method, packed, Some(expected))
}

/// The fields of a header of any version.
struct Header {
    version: u32,
    len: u64,
    size: Spanned<u64>,
    /// The offset and the number of the entries.
    entries: Spanned<u64>,
    count: Spanned<u64>,
    /// Only in version 1.
    entry_size: Option<Spanned<u64>>,
    /// Only in version 3.
    inflated_size: Option<Spanned<u64>>,
}

impl Header {
    fn read(head: &Window) -> Header {
        let header = Header2::clamped(head, Endian::Little);
        let plain = Header {
            version: header.Version,
            len: Header2::SIZE,
            size: header.get(Header2::Size),
            entries: header.get(Header2::EntriesOffset),
            count: header.get(Header2::EntriesCount),
            entry_size: None,
            inflated_size: None,
        };
        match header.Version {
            1 => {
                let header = Header1::clamped(head, Endian::Little);
                let entries = header.get(Header1::EntryOffset);
                // A binary of version 1 has exactly one entry, and no number of entries.
                let count = Spanned {
                    value: 1,
                    ..entries
                };
                let entry_size = Some(header.get(Header1::EntrySize));
                Header {
                    entries,
                    count,
                    entry_size,
                    ..plain
                }
            }
            3 => {
                let header = Header3::clamped(head, Endian::Little);
                Header {
                    len: Header3::SIZE,
                    inflated_size: Some(header.get(Header3::InflatedSize)),
                    ..plain
                }
            }
            _ => plain,
        }
    }
}

impl Reading {
    /// Reads the binary at the start of `rest`.
    pub fn start(cx: &Context<'_>, rest: Span) -> Reading {
        let head = Window::clamped(cx.sources, rest.subspan(0, Header3::SIZE));
        let header = Header::read(&head);
        let (version, size) = (header.version, header.len);
        let mut reading = Reading {
            body: rest,
            header: rest.subspan(0, size),
            version,
            table: rest.subspan(size, 0),
            entries: Vec::new(),
            compressed: rest.subspan(size, 0),
            inflated: None,
            unpacked: None,
            strings: Vec::new(),
            read: false,
        };
        if rest.len() < size {
            let missing = size - rest.len();
            let message = format_args!("the header is truncated by {}", plural(missing, "byte"));
            cx.report(&rules::OFFLOAD_HEADER, rest, message);
            return reading;
        }
        match header.size.value {
            size_field if size_field < size || size_field > rest.len() => cx.report(
                &rules::OFFLOAD_SIZE,
                header.size.span,
                format_args!(
                    "Size is {size_field}, but only {} bytes are in the file",
                    rest.len()
                ),
            ),
            size_field => reading.body = rest.subspan(0, size_field),
        }
        if !(1..=3).contains(&version) {
            let message = format_args!("version {version}: zeview supports 1 to 3");
            let place = Header2::Version.span(Header2::FIELDS, rest);
            cx.report(&rules::OFFLOAD_VERSION, place, message);
            return reading;
        }
        if let Some(inflated_size) = header.inflated_size.filter(|size| size.value > 0) {
            let inflated = inflated_size.value;
            reading.compressed = reading.body.skip(header.entries.value);
            reading.inflated = unpack(cx, &reading, head.bytes(), inflated);
            match reading.inflated {
                Some(inflated) => reading.compressed = inflated.packed,
                None => cx.report(
                    &rules::OFFLOAD_COMPRESSED,
                    inflated_size.span,
                    format_args!("InflatedSize is {inflated}: the bytes are shown as stored"),
                ),
            }
            return reading;
        }
        reading.read = true;
        if let Some(size) = header.entry_size {
            let message = format_args!("EntrySize is {}, an entry has 40 bytes", size.value);
            match size.value {
                40 => {}
                0..40 => cx.report(&rules::OFFLOAD_ENTRY_SIZE, size.span, message),
                _ => cx.report(&rules::OFFLOAD_ENTRY_LONGER, size.span, message),
            }
        }
        reading.read_entries(cx, header.entries.value, header.count);
        reading
    }

    /// Returns whether the entries were read, not only the header.
    pub fn is_read(&self) -> bool {
        self.read
    }

    fn read_entries(&mut self, cx: &Context<'_>, at: u64, count: Spanned<u64>) {
        let body = self.body;
        let (count, counted) = (count.value, count.span);
        if count == 0 {
            cx.report(&rules::OFFLOAD_EMPTY, counted, "the binary has no entries");
        }
        let whole = count.checked_mul(header::Entry::SIZE);
        let table = whole.and_then(|len| inside(body, at, len));
        self.table = table.unwrap_or_else(|| {
            cx.report(
                &rules::OFFLOAD_TABLE,
                counted,
                format_args!("{count} entries at {at:#x} extend past the end of the binary"),
            );
            let rest = body.skip(at);
            rest.subspan(0, rest.len() - rest.len() % header::Entry::SIZE)
        });
        let most = limits::ENTRIES * header::Entry::SIZE;
        if self.table.len() > most {
            cx.report(
                &rules::TOO_MANY,
                counted,
                format_args!(
                    "the entries after the first {} are not read",
                    limits::ENTRIES
                ),
            );
            self.table = self.table.subspan(0, most);
        }
        let window = Window::clamped(cx.sources, self.table);
        let mut reader = window.reader(Endian::Little);
        let whole = window.span().len() / header::Entry::SIZE;
        self.entries
            .reserve_exact(usize::try_from(whole).unwrap_or(0));
        while let Ok(record) = header::Entry::read(&mut reader) {
            self.read_entry(cx, &record);
        }
        self.read_strings(cx);
    }

    fn read_entry(&mut self, cx: &Context<'_>, entry: &header::Entry) {
        use header::Entry as Record;
        let body = self.body;
        let (at, len) = (entry.ImageOffset, entry.ImageSize);
        let (strings_at, count) = (entry.StringOffset, entry.NumStrings);
        let image = inside(body, at, len).unwrap_or_else(|| {
            cx.report_with(
                &rules::OFFLOAD_IMAGE,
                entry.span_of(Record::ImageSize),
                format_args!(
                    "an image of {len} bytes at {at:#x} extends past the end of the binary"
                ),
                &[(entry.span_of(Record::ImageOffset), "its offset")],
                None,
            );
            body.subspan(at, len)
        });
        let record = header::string_entry(self.version).size;
        let whole = count.checked_mul(record);
        let strings = whole.and_then(|len| inside(body, strings_at, len));
        let strings = strings.unwrap_or_else(|| {
            cx.report_with(
                &rules::OFFLOAD_TABLE,
                entry.span_of(Record::NumStrings),
                format_args!(
                    "{count} strings at {strings_at:#x} extend past the end of the binary"
                ),
                &[(entry.span_of(Record::StringOffset), "their offset")],
                None,
            );
            let rest = body.subspan(strings_at, whole.unwrap_or(u64::MAX));
            rest.subspan(0, rest.len() - rest.len() % record)
        });
        self.entries.push(Entry {
            place: entry.origin,
            image_kind: entry.ImageKind.into(),
            strings,
            image,
            values: [Span::default(); KEYS.len()],
            part: None,
            owned: false,
            opened: None,
        });
    }

    fn read_strings(&mut self, cx: &Context<'_>) {
        // The strings are between the entries and the images.
        let end = self.table.end;
        let images = self.entries.iter().map(|entry| entry.image.start);
        let first = images.filter(|at| *at >= end).min();
        let region = Span::new(self.body.source, end, first.unwrap_or(end));
        let ahead = ReadAhead::new(cx.sources, region);
        let kind = header::string_entry(self.version);
        let size = usize::try_from(kind.size).unwrap_or(1);
        let mut known = Interned::default();
        let mut entries = std::mem::take(&mut self.entries);
        for entry in &mut entries {
            if entry.strings.is_empty() || !cx.may_walk(entry.strings) {
                continue;
            }
            let bytes = ahead.get(entry.strings);
            for (index, record) in bytes.chunks_exact(size).enumerate() {
                let place = entry.strings.subspan(index as u64 * kind.size, kind.size);
                let string = StringEntry::of(self.version, record, place);
                self.read_string(cx, &ahead, &mut known, place, string, entry);
            }
        }
        self.entries = entries;
        // A string may be a suffix of a longer one.
        sort::by_key(&mut self.strings, |string| (string.1, string.0));
        self.strings.dedup_by_key(|string| string.1);
    }

    fn read_string(
        &mut self,
        cx: &Context<'_>,
        ahead: &ReadAhead<'_>,
        known: &mut Interned,
        place: Span,
        string: StringEntry,
        entry: &mut Entry,
    ) {
        let key = known.key(string.key, || self.key(ahead, string.key));
        let value = key.and_then(|_| string.value(ahead, self.body));
        let (Some(key), Some(value)) = (key, value) else {
            cx.report(
                &rules::OFFLOAD_STRING,
                place,
                "the key or value is outside of the binary or has no terminating NUL",
            );
            return;
        };
        let name = key.name;
        if !cx.may_walk(Span::with_len(
            value.source,
            value.start,
            name.len() + value.len(),
        )) {
            return;
        }
        let after = value.end - self.body.start;
        let nul = ahead.get(self.body.subspan(after, 1));
        let end = value.end + u64::from(nul.first() == Some(&0));
        for string in [(name.start, name.end + 1), (value.start, end)] {
            if string.0 < string.1 && known.is_new(string) {
                self.strings.push(string);
            }
        }
        if let Some(slot) = key.which.and_then(|at| entry.values.get_mut(at)) {
            if !slot.is_empty() {
                let at = header::String1::KeyOffset.span(header::String1::FIELDS, place);
                cx.report(
                    &rules::OFFLOAD_KEY_TWICE,
                    at,
                    "duplicate key: readers use the last value",
                );
            }
            *slot = value;
        }
    }

    fn key(&self, ahead: &ReadAhead<'_>, at: u64) -> Option<Key> {
        let name = c_string(ahead, self.body, at)?;
        let bytes = ahead.get(name);
        let which = KEYS.iter().position(|key| key.as_bytes() == &*bytes);
        Some(Key { name, which })
    }

    /// Arranges all parts of the binary, and fills the holes between them.
    pub fn arrange(&mut self, cx: &Context<'_>, whole: Span) -> Regions {
        let mut claims = vec![
            Region::new(layout::id(kind::HEADER, 0), self.header),
            Region::new(layout::id(kind::ENTRIES, 0), self.table),
            Region::new(layout::id(kind::COMPRESSED, 0), self.compressed),
        ];
        // In the usual file order, so that sorting is fast.
        let entries = || (0..).zip(&self.entries);
        claims.extend(entries().map(|(index, entry)| {
            Region::new(layout::id(kind::STRING_ENTRIES, index), entry.strings)
        }));
        claims.extend(self.strings.iter().map(|(start, end)| Region {
            start: *start,
            end: *end,
            id: layout::id(kind::STRING, 0),
        }));
        claims.extend(
            entries()
                .map(|(index, entry)| Region::new(layout::id(kind::IMAGE, index), entry.image)),
        );
        let list = Regions::arrange(cx, whole, claims, Overlap::First, &|id| {
            let (part, index) = layout::split(id);
            match part {
                kind::HEADER => "the header".to_owned(),
                kind::ENTRIES => "the entries".to_owned(),
                kind::STRING_ENTRIES => format!("the strings of entry {index}"),
                kind::IMAGE => format!("image {index}"),
                kind::COMPRESSED => "compressed bytes".to_owned(),
                _ => "a string".to_owned(),
            }
        });
        for region in list.list() {
            let (part, index) = layout::split(region.id);
            let entry = usize::try_from(index).ok();
            let entry = entry.and_then(|index| self.entries.get_mut(index));
            if let Some(entry) = entry.filter(|_| part == kind::IMAGE) {
                entry.owned = region.is(entry.image);
            }
        }
        list
    }
}

/// The bytes of a key and its value.
struct StringEntry {
    key: u64,
    value: u64,
    /// The size of the value; before version 2 it ends with a NUL.
    size: Option<u64>,
}

impl StringEntry {
    /// Decodes a record of [`header::string_entry`].
    fn of(version: u32, record: &[u8], place: Span) -> StringEntry {
        match version {
            1 => {
                let record = header::String1::decode(record, place, Endian::Little);
                StringEntry {
                    key: record.KeyOffset,
                    value: record.ValueOffset,
                    size: None,
                }
            }
            _ => {
                let record = header::String2::decode(record, place, Endian::Little);
                StringEntry {
                    key: record.KeyOffset,
                    value: record.ValueOffset,
                    size: Some(record.ValueSize),
                }
            }
        }
    }

    fn value(&self, ahead: &ReadAhead<'_>, body: Span) -> Option<Span> {
        match self.size {
            None => c_string(ahead, body, self.value),
            Some(size) => inside(body, self.value, size),
        }
    }
}

/// The key and the value of the string entry in `record`. Returns `None` if one of them is outside
/// the binary.
pub fn key_and_value(
    ahead: &ReadAhead<'_>,
    body: Span,
    version: u32,
    record: &Window,
) -> Option<(Span, Span)> {
    let string = StringEntry::of(version, record.bytes(), record.span());
    let key = c_string(ahead, body, string.key)?;
    Some((key, string.value(ahead, body)?))
}

/// A key.
#[derive(Debug, Clone, Copy)]
struct Key {
    /// Its bytes, without the NUL.
    name: Span,
    /// Its index in [`KEYS`].
    which: Option<usize>,
}

/// Cache of strings: thousands of entries have the same few keys, and share strings.
struct Interned {
    /// Known keys by their offset.
    keys: Vec<(u64, Key)>,
    /// Recent strings, each in a slot derived from its offset.
    strings: [(u64, u64); 64],
}

/// Maximum number of cached keys.
const KNOWN: usize = 16;

impl Default for Interned {
    fn default() -> Interned {
        Interned {
            keys: Vec::new(),
            strings: [(0, 0); 64],
        }
    }
}

impl Interned {
    fn key(&mut self, at: u64, read: impl FnOnce() -> Option<Key>) -> Option<Key> {
        let known = self.keys.iter().find(|(offset, _)| *offset == at);
        if let Some((_, key)) = known {
            return Some(*key);
        }
        let key = read()?;
        if self.keys.len() < KNOWN {
            self.keys.push((at, key));
        }
        Some(key)
    }

    /// Returns whether the string may be new.
    fn is_new(&mut self, string: (u64, u64)) -> bool {
        let place = usize::try_from(string.1 % 64).unwrap_or(0);
        match self.strings.get_mut(place) {
            Some(known) if *known == string => false,
            Some(known) => {
                *known = string;
                true
            }
            None => true,
        }
    }
}
