//! The central directory of a zip archive.

use super::records::{
    self, CentralHeader, End64Locator, End64Record, EndRecord, ExtraHeader, ExtraId, Flags, Method,
};
use super::{local_length, records::LocalHeader};
use crate::package::{Locator, Member, Packing, is_outside};
use crate::reader::{Endian, Window, uint};
use crate::text::plural;
use crate::{Context, compression, limits, rules};
use zeview_core::analysis::package::PackageFile;
use zeview_core::model::{Span, sort};

/// The reason why a file that shares bytes with another one is not read.
const SHARED: &str = "it has bytes of another file, or of the directory";

/// Maximum length of the comment at the end of a zip file.
const COMMENT: u64 = 0xffff;

/// The central directory, and the records that lead to it.
#[derive(Default)]
pub(super) struct Directory {
    pub(super) entries: Vec<Entry>,
    /// The bytes of all entries.
    pub(super) span: Span,
    /// The end record with the comment.
    pub(super) end: Span,
    pub(super) end_64: Span,
    pub(super) locator_64: Span,
}

/// An entry of the central directory.
pub(super) struct Entry {
    /// Its bytes, with the name and extra fields.
    pub(super) span: Span,
    pub(super) header: CentralHeader,
    pub(super) name: Box<str>,
    /// The size of the file and of its data, from the header or the Zip64 extra field.
    pub(super) size: u64,
    pub(super) packed: u64,
    /// The bytes from the local header to the next one, or to the central directory.
    pub(super) around: Span,
    /// Whether another file or the directory has some of its bytes. It is not opened: packages that
    /// contain themselves would have no end.
    pub(super) is_shared: bool,
}

impl Entry {
    fn extra(&self) -> Span {
        let before = CentralHeader::SIZE + u64::from(self.header.name_length);
        self.span.subspan(before, self.header.extra_length.into())
    }

    fn packing(&self) -> Packing {
        let flags = u64::from(self.header.flags);
        let encrypted = Flags::ENCRYPTED | Flags::STRONG_ENCRYPTION | Flags::PATCH | Flags::MASKED;
        match Method(self.header.method) {
            _ if flags & encrypted != 0 => Packing::Unread("encrypted".into()),
            _ if self.is_shared => Packing::Unread(SHARED.into()),
            Method::stored if self.name.ends_with('/') && self.size == 0 && self.packed == 0 => {
                Packing::Nothing("folder")
            }
            Method::stored => Packing::Stored(Some(self.header.crc32)),
            Method::deflate => Packing::Deflated(self.header.crc32),
            Method::deflate64 => Packing::Packed(compression::Method::Deflate64, self.header.crc32),
            Method::bzip2 => Packing::Packed(compression::Method::Bzip2, self.header.crc32),
            Method::lzma => Packing::Packed(compression::Method::Lzma, self.header.crc32),
            Method::zstd => Packing::Packed(compression::Method::Zstd, self.header.crc32),
            Method::xz => Packing::Packed(compression::Method::Xz, self.header.crc32),
            _ => Packing::Unread(format!("compressed by {}", self.method()).into()),
        }
    }

    /// `deflate`, `deflate, encrypted`.
    pub(super) fn method(&self) -> String {
        let method = Method(self.header.method);
        let name = method.name();
        let name = name.map_or_else(|| format!("method {}", method.0), str::to_owned);
        let flags = u64::from(self.header.flags);
        match flags & (Flags::ENCRYPTED | Flags::STRONG_ENCRYPTION | Flags::MASKED) {
            0 => name,
            _ => format!("{name}, encrypted"),
        }
    }
}

/// The sizes and the offset: from the header, or, where it has 0xffffffff, from the Zip64 extra
/// field.
struct Sizes {
    size: u64,
    packed: u64,
    offset: u64,
}

/// The numbers in the end record, or in the Zip64 end record.
struct End {
    entries: u64,
    size: u64,
    offset: u64,
    /// The bytes that the directory must end before.
    start: u64,
    /// The bytes of the numbers.
    span: Span,
}

impl Directory {
    pub(super) fn read(cx: &Context<'_>, span: Span) -> Directory {
        let mut directory = Directory::default();
        let Some(end) = directory.find_end(cx, span) else {
            let last = span.subspan(span.len().saturating_sub(EndRecord::SIZE), EndRecord::SIZE);
            let message = "the central directory is missing: the archive is truncated";
            cx.report(&rules::ZIP_NO_DIRECTORY, last, message);
            return directory;
        };
        // Bytes in front of an archive shift all offsets.
        let stored = end.offset.saturating_add(end.size);
        let shift = end.start.checked_sub(stored).filter(|shift| *shift > 0);
        let is_there = |offset: u64| signature(cx, span.skip(offset)) == records::CENTRAL;
        let shift = match shift {
            Some(shift) if end.entries > 0 && !is_there(end.offset) => {
                is_there(end.offset.saturating_add(shift)).then_some(shift)
            }
            _ => None,
        };
        if let Some(shift) = shift {
            let message =
                format_args!("all offsets are too small by {shift}: bytes precede the archive");
            cx.report(&rules::ZIP_DIRECTORY, end.span, message);
        }
        let shift = shift.unwrap_or(0);
        let whole = span.subspan(end.offset.saturating_add(shift), end.size);
        let before = Span::new(
            span.source,
            span.start,
            span.start.saturating_add(end.start),
        );
        let bytes = whole.intersect(before);
        if bytes.len() < end.size {
            cx.report(
                &rules::ZIP_DIRECTORY,
                end.span,
                format_args!(
                    "the central directory has {} at {:#x}, but only {} are in front of its end record",
                    plural(end.size, "byte"),
                    end.offset,
                    bytes.len()
                ),
            );
        }
        directory.span = bytes;
        directory.entries(cx, span, shift, &end);
        directory.place(cx, span);
        directory
    }

    /// Finds the end record, the last one whose comment ends with the file.
    fn find_end(&mut self, cx: &Context<'_>, span: Span) -> Option<End> {
        let tail_len = EndRecord::SIZE + COMMENT;
        let tail = span.skip(span.len().saturating_sub(tail_len));
        let window = Window::clamped(cx.sources, tail);
        let bytes = window.bytes();
        let candidates = (0..bytes.len().saturating_sub(21)).rev();
        let is_end = |at: &usize| {
            let record = bytes.get(*at..).unwrap_or(&[]);
            let comment = uint(record.get(20..22).unwrap_or(&[]), Endian::Little);
            uint(record.get(..4).unwrap_or(&[]), Endian::Little) == u64::from(records::END)
                && comment <= record.len() as u64 - EndRecord::SIZE
        };
        let at = candidates.into_iter().find(is_end)?;
        let start = tail
            .start
            .saturating_sub(span.start)
            .saturating_add(at as u64);
        let window = Window::clamped(cx.sources, span.subspan(start, EndRecord::SIZE));
        let record = EndRecord::clamped(&window, Endian::Little);
        let len = EndRecord::SIZE + u64::from(record.comment_length);
        self.end = span.subspan(start, len);
        // APPNOTE.TXT, 4.4.1.4: with 0xffff, the Zip64 record has the number.
        if record.disk != 0 && record.disk != 0xffff || record.directory_disk != record.disk {
            let message = "a part of an archive on several disks: the others are missing";
            cx.report(
                &rules::ZIP_DIRECTORY,
                record.span_of(EndRecord::disk),
                message,
            );
        }
        let end = End {
            entries: record.entries.into(),
            size: record.directory_size.into(),
            offset: record.directory_offset.into(),
            start,
            span: Span {
                start: record.span_of(EndRecord::entries).start,
                ..record.span_of(EndRecord::directory_offset)
            },
        };
        Some(self.end_64(cx, span, start).unwrap_or(end))
    }

    /// Reads the Zip64 end record, if there is one.
    fn end_64(&mut self, cx: &Context<'_>, span: Span, end: u64) -> Option<End> {
        let start = end.checked_sub(End64Locator::SIZE)?;
        let place = span.subspan(start, End64Locator::SIZE);
        if signature(cx, place) != records::LOCATOR_64 {
            return None;
        }
        let window = Window::clamped(cx.sources, place);
        let locator = End64Locator::clamped(&window, Endian::Little);
        self.locator_64 = place;
        let found = span.subspan(locator.offset, End64Record::SIZE);
        // Bytes in front of an archive shift the offset.
        let before = start.checked_sub(End64Record::SIZE);
        let places = [
            Some(found),
            before.map(|start| span.subspan(start, End64Record::SIZE)),
        ];
        let mut places = places.into_iter().flatten();
        let place = places.find(|place| signature(cx, *place) == records::END_64);
        let place = place.filter(|place| place.len() == End64Record::SIZE);
        if place.is_none_or(|place| place != found) {
            let at = locator.span_of(End64Locator::offset);
            let message = format_args!("no Zip64 end record is at {:#x}", locator.offset);
            cx.report(&rules::ZIP_DIRECTORY, at, message);
        }
        let place = place?;
        let window = Window::clamped(cx.sources, place);
        let record = End64Record::clamped(&window, Endian::Little);
        let offset = place.start.saturating_sub(span.start);
        let most = start.saturating_sub(offset);
        // APPNOTE.TXT, 4.3.14.1: the size counts from behind itself, after 12 bytes.
        self.end_64 = span.subspan(offset, record.size.saturating_add(12).min(most));
        Some(End {
            entries: record.entries,
            size: record.directory_size,
            offset: record.directory_offset,
            start: offset,
            span: Span {
                start: record.span_of(End64Record::entries).start,
                ..record.span_of(End64Record::directory_offset)
            },
        })
    }

    fn entries(&mut self, cx: &Context<'_>, file: Span, shift: u64, end: &End) {
        let mut at = 0;
        while at < self.span.len() {
            if self.entries.len() >= limits::PACKAGE_FILES {
                let rest = self.span.skip(at);
                let message = format_args!(
                    "more than {} files: the others are not listed",
                    limits::PACKAGE_FILES
                );
                cx.report(&rules::TOO_MANY, rest, message);
                break;
            }
            let rest = self.span.skip(at);
            let Some(entry) = read_entry(cx, file, rest, shift) else {
                let message = match signature(cx, rest) {
                    records::CENTRAL => "the last entry is truncated",
                    _ => "no entry starts here: the rest of the directory is not read",
                };
                cx.report(&rules::ZIP_DIRECTORY, rest.subspan(0, 4), message);
                break;
            };
            at = at.saturating_add(entry.span.len());
            self.entries.push(entry);
        }
        cx.gap(self.rest());
        let count = self.entries.len() as u64;
        // The end record has only 16 bits.
        let is_same =
            end.entries == count || end.entries < 0x1_0000 && count & 0xffff == end.entries;
        if !is_same && self.entries.len() < limits::PACKAGE_FILES {
            let message = format_args!(
                "the end record counts {}, but {count} could be read",
                plural(end.entries, "entry")
            );
            cx.report(&rules::ZIP_COUNT, end.span, message);
        }
    }

    /// Determines where each file ends at most: where the next begins.
    fn place(&mut self, cx: &Context<'_>, file: Span) {
        let starts = self.entries.iter().map(|entry| entry.around.start);
        let mut starts: Vec<u64> = starts.collect();
        starts.extend(
            [self.span, self.end_64, self.end]
                .iter()
                .filter(|part| !part.is_empty())
                .map(|part| part.start),
        );
        sort::ascending(&mut starts);
        for entry in &mut self.entries {
            let after = starts.partition_point(|start| *start <= entry.around.start);
            let next = starts.get(after).copied().unwrap_or(file.end);
            // Data that is claimed twice belongs to both.
            let least = entry
                .around
                .start
                .saturating_add(LocalHeader::SIZE)
                .saturating_add(entry.packed);
            entry.around.end = next.max(least).min(file.end);
        }
        let mut order: Vec<(u64, usize)> = (self.entries.iter().enumerate())
            .map(|(index, entry)| (entry.around.start, index))
            .collect();
        sort::ascending(&mut order);
        let mut taken = file.start;
        for (start, index) in order {
            let Some(entry) = self.entries.get_mut(index) else {
                continue;
            };
            let least = start
                .saturating_add(LocalHeader::SIZE)
                .saturating_add(entry.packed);
            entry.is_shared = start < taken || least > self.span.start && self.span.end > start;
            if !entry.is_shared {
                taken = least;
                continue;
            }
            let data = entry.around.subspan(0, least.saturating_sub(start));
            let message = format_args!("{}: {SHARED}: not read", entry.name);
            cx.report(&rules::PACKAGE_UNREAD, data, message);
        }
    }

    pub(super) fn entry(&self, number: u64) -> Option<&Entry> {
        self.entries.get(usize::try_from(number).ok()?)
    }

    /// Returns the index of the entry with this byte of the directory.
    pub(super) fn entry_at(&self, offset: u64) -> u64 {
        self.entries
            .partition_point(|entry| entry.span.end <= offset) as u64
    }

    /// The bytes of the directory behind the last entry.
    pub(super) fn rest(&self) -> Span {
        let end = self
            .entries
            .last()
            .map_or(self.span.start, |entry| entry.span.end);
        Span::new(self.span.source, end, self.span.end)
    }

    pub(super) fn members(&self) -> Vec<Member> {
        let members = self.entries.iter().map(|entry| Member {
            file: PackageFile {
                path: String::from(&*entry.name).into(),
                size: entry.size,
                packed: entry.packed,
                modified: records::dos_time(entry.header.date, entry.header.time).into(),
                method: entry.method().into(),
                entry: entry.span,
            },
            packing: entry.packing(),
            data: Locator::Behind(entry.around, local_length),
        });
        members.collect()
    }
}

/// Returns the signature at the start of these bytes.
pub(super) fn signature(cx: &Context<'_>, span: Span) -> u32 {
    let window = Window::clamped(cx.sources, span.subspan(0, 4));
    u32::try_from(uint(window.bytes(), Endian::Little)).unwrap_or(0)
}

/// Reads the entry at the start of `rest`.
fn read_entry(cx: &Context<'_>, file: Span, rest: Span, shift: u64) -> Option<Entry> {
    let window = Window::clamped(cx.sources, rest.subspan(0, CentralHeader::SIZE));
    let header = CentralHeader::read(&mut window.reader(Endian::Little)).ok()?;
    if header.signature != records::CENTRAL {
        return None;
    }
    let name_len = u64::from(header.name_length);
    let more = u64::from(header.extra_length) + u64::from(header.comment_length);
    let len = CentralHeader::SIZE + name_len + more;
    let span = rest.subspan(0, len);
    if span.len() < len {
        return None;
    }
    let shown = span.subspan(CentralHeader::SIZE, name_len.min(limits::NAME_SHOWN as u64));
    let name = Window::clamped(cx.sources, shown);
    let name = String::from_utf8_lossy(name.bytes());
    let mut entry = Entry {
        span,
        header,
        name: name.into(),
        size: header.uncompressed_size.into(),
        packed: header.compressed_size.into(),
        around: Span::default(),
        is_shared: false,
    };
    let sizes = sizes(cx, &entry);
    (entry.size, entry.packed) = (sizes.size, sizes.packed);
    let offset = sizes.offset.saturating_add(shift);
    entry.around = file.skip(offset);
    let name_span = span.subspan(CentralHeader::SIZE, name_len);
    if is_outside(&entry.name) {
        let message = format_args!(
            "{}: the path leads out of the folder in which the package is unpacked",
            entry.name
        );
        cx.report(&rules::PACKAGE_PATH, name_span, message);
    }
    let packing = entry.packing();
    if let Packing::Unread(reason) = &packing {
        let message = format_args!("{}: {reason}: not read", entry.name);
        let of = match header.flags & 1 {
            0 => CentralHeader::method,
            _ => CentralHeader::flags,
        };
        cx.report(&rules::ZIP_METHOD, header.span_of(of), message);
    }
    if matches!(packing, Packing::Deflated(_)) && entry.packed == 0 && entry.size > 0 {
        let message = format_args!("{}: no bytes, but its size is {}", entry.name, entry.size);
        let size = header.span_of(CentralHeader::compressed_size);
        cx.report(&rules::ZIP_DIRECTORY, size, message);
    }
    if matches!(packing, Packing::Stored(_)) && entry.size != entry.packed {
        let message = format_args!(
            "{}: stored in {}, but its size is {}",
            entry.name,
            plural(entry.packed, "byte"),
            entry.size
        );
        cx.report(
            &rules::ZIP_DIRECTORY,
            header.span_of(CentralHeader::uncompressed_size),
            message,
        );
    }
    Some(entry)
}

fn sizes(cx: &Context<'_>, entry: &Entry) -> Sizes {
    let header = &entry.header;
    let mut sizes = Sizes {
        size: header.uncompressed_size.into(),
        packed: header.compressed_size.into(),
        offset: header.local_header_offset.into(),
    };
    let wanted = [&mut sizes.size, &mut sizes.packed, &mut sizes.offset];
    let mut wanted: Vec<&mut u64> = wanted
        .into_iter()
        .filter(|value| **value == u64::from(u32::MAX))
        .collect();
    if wanted.is_empty() {
        return sizes;
    }
    let extra = entry.extra();
    let window = Window::clamped(cx.sources, extra);
    let mut rest = window.bytes();
    while let Some((head, after)) = rest.split_first_chunk::<4>() {
        let header = ExtraHeader::decode(head, extra, Endian::Little);
        let data = after.get(..header.size.into()).unwrap_or(after);
        rest = after.get(header.size.into()..).unwrap_or(&[]);
        if ExtraId(header.id) == ExtraId::Zip64 {
            // APPNOTE.TXT, 4.5.3: only what the header does not have, in this order.
            for (value, word) in wanted.iter_mut().zip(data.chunks_exact(8)) {
                **value = uint(word, Endian::Little);
            }
            return sizes;
        }
    }
    let message = format_args!(
        "{}: the Zip64 extra field with its sizes is missing",
        entry.name
    );
    cx.report(&rules::ZIP_DIRECTORY, entry.span, message);
    sizes
}
