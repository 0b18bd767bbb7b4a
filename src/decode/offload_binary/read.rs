//! Reading an OffloadBinary: its header, entries and strings. No image is looked at.

use std::cell::Cell;

use super::header;
use super::{Entry, KEYS};
use crate::decode::Context;
use crate::decode::inflate::{Inflated, Method};
use crate::decode::pieces::{self, Piece, Pieces};
use crate::decode::reader::{Endian, Window, uint};
use crate::decode::records::{Columns, field_span, number};
use crate::decode::{limits, rules};
use crate::model::{Bytes, ExpanderId, Sources, Span};

/// Kinds of [`Piece`]s.
pub mod kind {
    #![allow(missing_docs)]
    pub const HEADER: u8 = 1;
    pub const ENTRIES: u8 = 2;
    pub const STRING_ENTRIES: u8 = 3;
    pub const STRING: u8 = 4;
    pub const IMAGE: u8 = 5;
    pub const COMPRESSED: u8 = 6;
}

/// What was read of a binary.
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
    /// What is compressed.
    pub compressed: Span,
    /// What is unpacked from that: a binary, too.
    pub inflated: Option<Inflated>,
    /// Who makes the row of that.
    pub unpacked: Option<ExpanderId>,
    /// The strings, with their NULs.
    strings: Vec<(u64, u64)>,
    read: bool,
}

/// Bytes of a file of which many small pieces are wanted.
pub struct Near<'a> {
    sources: &'a Sources,
    span: Span,
    bytes: Bytes,
    /// How many bytes are still looked through for the ends of long texts.
    patience: Cell<u64>,
}

/// So much is kept at once.
const NEAR: u64 = 64 << 20;

impl<'a> Near<'a> {
    /// Keeps the bytes of `span`, if they are not too many.
    pub fn new(sources: &'a Sources, span: Span) -> Near<'a> {
        let span = span.sub(0, NEAR);
        let bytes = sources.read(span);
        Near {
            sources,
            span,
            bytes: bytes.unwrap_or_else(|_| Bytes::from(Vec::new())),
            patience: Cell::new(limits::C_STRINGS),
        }
    }

    /// What there is of `span`.
    pub fn get(&self, span: Span) -> Bytes {
        if !self.span.contains(span) {
            let bytes = self.sources.read_clamped(span);
            return bytes.unwrap_or_else(|_| Bytes::from(Vec::new()));
        }
        let at = |offset: u64| usize::try_from(offset - self.span.start).unwrap_or(usize::MAX);
        self.bytes.slice(at(span.start), at(span.end))
    }
}

/// The bytes of a text that ends with a NUL, without it.
pub fn c_string(near: &Near<'_>, body: Span, offset: u64) -> Option<Span> {
    if offset >= body.len() {
        return None;
    }
    let most = body.sub(offset, limits::C_STRING);
    let end = |span: Span| near.get(span).iter().position(|b| *b == 0);
    // Most are short.
    if let Some(end) = end(most.sub(0, 64)) {
        return Some(most.sub(0, end as u64));
    }
    let patience = near.patience.get();
    let most = most.sub(0, patience);
    let end = end(most).map(|end| most.sub(0, end as u64));
    near.patience.set(patience - end.unwrap_or(most).len());
    end
}

/// `len` bytes at `offset` of `body`, if they are there.
fn inside(body: Span, offset: u64, len: u64) -> Option<Span> {
    let end = offset.checked_add(len)?;
    (end <= body.len()).then(|| body.sub(offset, len))
}

/// Unpacks all but the header. Places count from the start of the binary as it is without
/// compression, so what is unpacked gets the header that it had: LLVM's reader does the same.
fn unpack(cx: &Context<'_>, reading: &Reading, head: &[u8], size: u64) -> Option<Inflated> {
    let packed = reading.compressed;
    let start = Window::clamped(cx.sources, packed.sub(0, 4));
    let method = Method::sniff(start.bytes())?;
    let mut header = head.get(..40)?.to_vec();
    for (name, number) in [("Size", size), ("InflatedSize", 0)] {
        let field = header::header(reading.version)
            .iter()
            .find(|f| f.name == name)?;
        let at = usize::try_from(field.offset).ok()?;
        header
            .get_mut(at..at.checked_add(8)?)?
            .copy_from_slice(&number.to_le_bytes());
    }
    // Between the header and the entries there is nothing in what is written.
    let before = packed.start.saturating_sub(reading.body.start);
    if before != header.len() as u64 {
        return None;
    }
    let expected = size.checked_sub(before)?;
    cx.inflate_after(header, "OffloadBinary", method, packed, Some(expected))
}

impl Reading {
    /// Reads the binary that `rest` starts with.
    pub fn start(cx: &Context<'_>, rest: Span) -> Reading {
        let head = Window::clamped(cx.sources, rest.sub(0, 40));
        let bytes = head.bytes();
        let word = bytes.get(4..8).unwrap_or(&[]);
        let version = u32::try_from(uint(word, Endian::Little)).unwrap_or(0);
        let fields = header::header(version);
        let size = if version == 3 { 40 } else { 32 };
        let mut reading = Reading {
            body: rest,
            header: rest.sub(0, size),
            version,
            table: rest.sub(size, 0),
            entries: Vec::new(),
            compressed: rest.sub(size, 0),
            inflated: None,
            unpacked: None,
            strings: Vec::new(),
            read: false,
        };
        if rest.len() < size {
            let missing = size - rest.len();
            let message = format_args!("the header needs {missing} bytes more than there are");
            cx.report(&rules::OFFLOAD_HEADER, rest, message);
            return reading;
        }
        let get = |name| number(fields, bytes, name);
        let place = |name| field_span(fields, rest.sub(0, size), name);
        let said = get("Size");
        match said {
            said if said < size || said > rest.len() => cx.report(
                &rules::OFFLOAD_SIZE,
                place("Size"),
                format_args!("the size is {said}, {} bytes are there", rest.len()),
            ),
            said => reading.body = rest.sub(0, said),
        }
        if !(1..=3).contains(&version) {
            let message = format_args!("version {version} is not known: 1 to 3 are");
            cx.report(&rules::OFFLOAD_VERSION, place("Version"), message);
            return reading;
        }
        let inflated = get("InflatedSize");
        if inflated > 0 {
            reading.compressed = reading.body.from(get("EntriesOffset"));
            reading.inflated = unpack(cx, &reading, bytes, inflated);
            match reading.inflated {
                Some(inflated) => reading.compressed = inflated.packed,
                None => cx.report(
                    &rules::OFFLOAD_COMPRESSED,
                    place("InflatedSize"),
                    format_args!("{inflated} bytes are compressed: they are shown as stored"),
                ),
            }
            return reading;
        }
        reading.read = true;
        let (at, count) = match version {
            1 => {
                let size = get("EntrySize");
                let message = format_args!("an entry has 40 bytes, not {size}");
                match size {
                    40 => {}
                    0..40 => cx.report(&rules::OFFLOAD_ENTRY_SIZE, place("EntrySize"), message),
                    _ => cx.report(&rules::OFFLOAD_ENTRY_LONGER, place("EntrySize"), message),
                }
                (get("EntryOffset"), 1)
            }
            _ => (get("EntriesOffset"), get("EntriesCount")),
        };
        let counted = place(if version == 1 {
            "EntryOffset"
        } else {
            "EntriesCount"
        });
        reading.read_entries(cx, at, count, counted);
        reading
    }

    /// Are the entries there, not only the header?
    pub fn is_read(&self) -> bool {
        self.read
    }

    fn read_entries(&mut self, cx: &Context<'_>, at: u64, count: u64, counted: Span) {
        let body = self.body;
        if count == 0 {
            cx.report(
                &rules::OFFLOAD_EMPTY,
                counted,
                "there is not a single entry",
            );
        }
        let whole = count.checked_mul(header::Entry::SIZE);
        let table = whole.and_then(|len| inside(body, at, len));
        self.table = table.unwrap_or_else(|| {
            cx.report(
                &rules::OFFLOAD_TABLE,
                counted,
                format_args!("{count} entries at {at:#x} do not fit into the binary"),
            );
            let rest = body.from(at);
            rest.sub(0, rest.len() - rest.len() % header::Entry::SIZE)
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
            self.table = self.table.sub(0, most);
        }
        let window = Window::clamped(cx.sources, self.table);
        let size = usize::try_from(header::Entry::SIZE).unwrap_or(1);
        let names = ["ImageKind", "ImageOffset", "ImageSize"];
        let image = Columns::new(header::Entry::FIELDS, names);
        let strings = Columns::new(header::Entry::FIELDS, ["StringOffset", "NumStrings"]);
        self.entries.reserve_exact(window.bytes().len() / size);
        for (index, bytes) in window.bytes().chunks_exact(size).enumerate() {
            let at = index as u64 * header::Entry::SIZE;
            let place = self.table.sub(at, header::Entry::SIZE);
            self.read_entry(cx, place, image.read(bytes), strings.read(bytes));
        }
        self.read_strings(cx);
    }

    fn read_entry(
        &mut self,
        cx: &Context<'_>,
        place: Span,
        [image_kind, at, len]: [u64; 3],
        [strings_at, count]: [u64; 2],
    ) {
        let body = self.body;
        let fields = header::Entry::FIELDS;
        let image = inside(body, at, len).unwrap_or_else(|| {
            cx.report_with(
                &rules::OFFLOAD_IMAGE,
                field_span(fields, place, "ImageSize"),
                format_args!("an image of {len} bytes at {at:#x} is not within the binary"),
                &[(field_span(fields, place, "ImageOffset"), "its place")],
                None,
            );
            body.sub(at, len)
        });
        let record = header::string_entry(self.version).size;
        let whole = count.checked_mul(record);
        let strings = whole.and_then(|len| inside(body, strings_at, len));
        let strings = strings.unwrap_or_else(|| {
            cx.report_with(
                &rules::OFFLOAD_TABLE,
                field_span(fields, place, "NumStrings"),
                format_args!("{count} strings at {strings_at:#x} do not fit into the binary"),
                &[(field_span(fields, place, "StringOffset"), "their place")],
                None,
            );
            let rest = body.sub(strings_at, whole.unwrap_or(u64::MAX));
            rest.sub(0, rest.len() - rest.len() % record)
        });
        self.entries.push(Entry {
            place,
            image_kind,
            strings,
            image,
            values: [Span::default(); KEYS.len()],
            part: None,
            owned: false,
            opened: None,
        });
    }

    fn read_strings(&mut self, cx: &Context<'_>) {
        // The strings stand between the entries and the images.
        let end = self.table.end;
        let images = self.entries.iter().map(|entry| entry.image.start);
        let first = images.filter(|at| *at >= end).min();
        let region = Span::new(self.body.source, end, first.unwrap_or(end));
        let near = Near::new(cx.sources, region);
        let kind = header::string_entry(self.version);
        let size = usize::try_from(kind.size).unwrap_or(1);
        let columns = columns(self.version);
        let mut known = Known::default();
        let mut entries = std::mem::take(&mut self.entries);
        for entry in &mut entries {
            if entry.strings.is_empty() || !cx.may_walk(entry.strings) {
                continue;
            }
            let bytes = near.get(entry.strings);
            for (index, record) in bytes.chunks_exact(size).enumerate() {
                let place = entry.strings.sub(index as u64 * kind.size, kind.size);
                let numbers = columns.read(record);
                self.read_string(cx, &near, &mut known, place, numbers, entry);
            }
        }
        self.entries = entries;
        // A string may be the end of a longer one.
        self.strings.sort_by_key(|string| (string.1, string.0));
        self.strings.dedup_by_key(|string| string.1);
    }

    fn read_string(
        &mut self,
        cx: &Context<'_>,
        near: &Near<'_>,
        known: &mut Known,
        place: Span,
        numbers: [u64; 3],
        entry: &mut Entry,
    ) {
        let [key_at, ..] = numbers;
        let key = known.key(key_at, || self.key(near, key_at));
        let value = key.and_then(|_| value_of(near, self.body, self.version, numbers));
        let (Some(key), Some(value)) = (key, value) else {
            cx.report(
                &rules::OFFLOAD_STRING,
                place,
                "the key or value is not within the binary, or does not end",
            );
            return;
        };
        let name = key.name;
        if !cx.may_walk(Span::at(
            value.source,
            value.start,
            name.len() + value.len(),
        )) {
            return;
        }
        let after = value.end - self.body.start;
        let nul = near.get(self.body.sub(after, 1));
        let end = value.end + u64::from(nul.first() == Some(&0));
        for string in [(name.start, name.end + 1), (value.start, end)] {
            if string.0 < string.1 && known.is_new(string) {
                self.strings.push(string);
            }
        }
        if let Some(slot) = key.which.and_then(|at| entry.values.get_mut(at)) {
            if !slot.is_empty() {
                let fields = header::string_entry(self.version).fields;
                let at = field_span(fields, place, "KeyOffset");
                cx.report(
                    &rules::OFFLOAD_KEY_TWICE,
                    at,
                    "this key is there again: the last value counts",
                );
            }
            *slot = value;
        }
    }

    fn key(&self, near: &Near<'_>, at: u64) -> Option<Key> {
        let name = c_string(near, self.body, at)?;
        let bytes = near.get(name);
        let which = KEYS.iter().position(|key| key.as_bytes() == &*bytes);
        Some(Key { name, which })
    }

    /// All parts of the binary, and what lies between them.
    pub fn arrange(&mut self, cx: &Context<'_>, whole: Span) -> Pieces {
        let mut claims = vec![
            Piece::new(pieces::id(kind::HEADER, 0), self.header),
            Piece::new(pieces::id(kind::ENTRIES, 0), self.table),
            Piece::new(pieces::id(kind::COMPRESSED, 0), self.compressed),
        ];
        // In the order in which they usually stand: what is in order is soon sorted.
        let entries = || (0..).zip(&self.entries);
        claims.extend(entries().map(|(index, entry)| {
            Piece::new(pieces::id(kind::STRING_ENTRIES, index), entry.strings)
        }));
        claims.extend(self.strings.iter().map(|(start, end)| Piece {
            start: *start,
            end: *end,
            what: pieces::id(kind::STRING, 0),
        }));
        claims.extend(
            entries().map(|(index, entry)| Piece::new(pieces::id(kind::IMAGE, index), entry.image)),
        );
        let list = Pieces::arrange(cx, whole, claims, &|what| {
            let (what, index) = pieces::split(what);
            match what {
                kind::HEADER => "the header".to_owned(),
                kind::ENTRIES => "the entries".to_owned(),
                kind::STRING_ENTRIES => format!("the strings of entry {index}"),
                kind::IMAGE => format!("image {index}"),
                kind::COMPRESSED => "what is compressed".to_owned(),
                _ => "a string".to_owned(),
            }
        });
        for piece in list.list() {
            let (what, index) = pieces::split(piece.what);
            let entry = usize::try_from(index).ok();
            let entry = entry.and_then(|index| self.entries.get_mut(index));
            if let Some(entry) = entry.filter(|_| what == kind::IMAGE) {
                entry.owned = piece.is(entry.image);
            }
        }
        list
    }
}

/// Where a string entry tells of key and value.
fn columns(version: u32) -> Columns<3> {
    let names = ["KeyOffset", "ValueOffset", "ValueSize"];
    Columns::new(header::string_entry(version).fields, names)
}

fn value_of(near: &Near<'_>, body: Span, version: u32, [_, at, size]: [u64; 3]) -> Option<Span> {
    match version {
        1 => c_string(near, body, at),
        _ => inside(body, at, size),
    }
}

/// The key and the value that a string entry tells of.
pub fn key_and_value(
    near: &Near<'_>,
    body: Span,
    version: u32,
    record: &[u8],
) -> Option<(Span, Span)> {
    let numbers = columns(version).read(record);
    let key = c_string(near, body, numbers[0])?;
    Some((key, value_of(near, body, version, numbers)?))
}

/// A key.
#[derive(Debug, Clone, Copy)]
struct Key {
    /// Its bytes, without the NUL.
    name: Span,
    /// Its place in [`KEYS`].
    which: Option<usize>,
}

/// What was met before: thousands of entries have the same few keys, and share strings.
struct Known {
    /// By the offset that is told.
    keys: Vec<(u64, Key)>,
    /// Strings of late, each in a place that follows from its own.
    strings: [(u64, u64); 64],
}

/// So many keys are remembered.
const KNOWN: usize = 16;

impl Default for Known {
    fn default() -> Known {
        Known {
            keys: Vec::new(),
            strings: [(0, 0); 64],
        }
    }
}

impl Known {
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

    /// May it be that this one was not there before?
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
