//! Tar archives: ustar, with the extensions of pax and GNU for long names and large files.
//!
//! ```text
//! [header │ data │ padding to 512]… │ two blocks of zeros │ padding
//! ```
//!
//! There is no list of files: the headers are read one after the other. A header of type `x`, `L`
//! or `K` belongs to the next file: its data has the name or the size of that file.

mod header;
mod rows;

use std::rc::Rc;

use super::Context;
use super::format::{Format, OpenedDocument};
use super::layout::{self, Overlap, Region, Regions};
use super::package::{self, Locator, Member, Package, Packing, is_outside};
use super::text::plural;
use super::{limits, rules};
use zeview_core::analysis::package::PackageFile;
use zeview_core::model::Span;

use self::header::{BLOCK, Header, Records};

const SOURCE: &str = "POSIX, pax Interchange Format";

/// The tar format.
#[derive(Debug)]
pub struct Tar;

/// The kinds of the regions of an archive, and of the items of its rows.
const ENTRY: u8 = 1;
const END: u8 = 2;
/// The data of a file.
const DATA: u8 = 3;
const HEADER: u8 = 4;
/// The pax records of a header.
const RECORDS: u8 = 5;

/// The item of the archive itself.
const TOP: u64 = u64::MAX;

/// Maximum length of the zeros at the end that are read, in bytes.
const END_MOST: u64 = 1 << 20;

/// A header with its data.
struct Entry {
    header: Span,
    /// The part of the data that is in the archive.
    data: Span,
    /// The zeros behind the data.
    padding: Span,
    name: Box<str>,
    /// The type of the entry.
    kind: u8,
    /// Its index among the files.
    file: Option<usize>,
    /// The number of rows of its pax records.
    records: u64,
}

struct Archive {
    regions: Regions,
    entries: Vec<Entry>,
    package: Rc<Package>,
}

impl Format for Tar {
    fn recognize(&self, head: &[u8]) -> bool {
        header::is_header(head)
    }

    fn kind(&self, _head: &[u8]) -> &'static str {
        "tar"
    }

    fn open(&self, cx: &Context<'_>, span: Span) -> OpenedDocument {
        let mut reading = Reading {
            cx,
            span,
            entries: Vec::new(),
            members: Vec::new(),
            ends: Vec::new(),
            next: Records::default(),
        };
        let end = reading.entries();
        let Reading {
            entries,
            members,
            ends,
            ..
        } = reading;
        let mut claims = Vec::new();
        for (number, end) in (1..).zip(ends) {
            claims.push(Region::new(layout::id(END, number), end));
        }
        for (number, entry) in (0..).zip(&entries) {
            let whole = Span::new(span.source, entry.header.start, entry.padding.end);
            claims.push(Region::new(layout::id(ENTRY, number), whole));
        }
        if !end.is_empty() {
            claims.push(Region::new(layout::id(END, 0), end));
            cx.padding(end);
        }
        let name = |_: u64| "a file".to_owned();
        let regions = Regions::arrange(cx, span, claims, Overlap::Package, &name);
        let package = Package::new(cx, members);
        package.list(cx);
        let title = "tar archive".to_owned();
        let summary = package::summary("tar", title, span, &package);
        let count = regions.region_count();
        let archive = Archive {
            regions,
            entries,
            package: Rc::new(package),
        };
        OpenedDocument {
            summary,
            content: Some((cx.register(Rc::new(archive)), TOP, Some(count))),
        }
    }
}

/// Reads the headers of an archive.
struct Reading<'a> {
    cx: &'a Context<'a>,
    span: Span,
    entries: Vec<Entry>,
    members: Vec<Member>,
    /// The zeros in front of further archives.
    ends: Vec<Span>,
    /// What the headers read so far say of the next file.
    next: Records,
}

impl Reading<'_> {
    /// Reads all entries. Returns the zeros at the end of the archive.
    fn entries(&mut self) -> Span {
        let mut at = 0;
        while at < self.span.len() {
            let rest = self.span.skip(at);
            let block = rest.subspan(0, BLOCK);
            if block.len() < BLOCK {
                let message = "the header is truncated";
                self.cx.report(&rules::TAR_HEADER, block, message);
                return rest.subspan(0, 0);
            }
            if layout::is_zero(self.cx.sources, block) {
                let end = self.end(rest);
                let after = rest.skip(end.len());
                if !Header::is_at(self.cx, after) {
                    return end;
                }
                // Archives that were written one after the other: many programs stop here.
                self.cx.padding(end);
                self.ends.push(end);
                self.next = Records::default();
                at = at.saturating_add(end.len());
                continue;
            }
            if self.entries.len() >= limits::PACKAGE_FILES {
                let message = format_args!(
                    "more than {} headers: the others are not listed",
                    limits::PACKAGE_FILES
                );
                self.cx.report(&rules::TOO_MANY, rest, message);
                return rest.subspan(0, 0);
            }
            let Some(header) = Header::read(self.cx, block) else {
                return rest.subspan(0, 0);
            };
            at = at.saturating_add(self.entry(&header, rest));
        }
        let last = self.span.skip(self.span.len().saturating_sub(BLOCK));
        let message = "no zeros at the end: the archive is truncated between two files";
        self.cx.report(&rules::TAR_END, last, message);
        self.span.skip(self.span.len())
    }

    /// Returns the zeros at the start of `rest`.
    fn end(&self, rest: Span) -> Span {
        let mut len = BLOCK;
        while len < rest.len().min(END_MOST)
            && layout::is_zero(self.cx.sources, rest.subspan(len, BLOCK))
        {
            len = len.saturating_add(BLOCK);
        }
        if len < 2 * BLOCK {
            let message = "a single block of zeros at the end: two are expected";
            self.cx
                .report(&rules::TAR_END, rest.subspan(0, BLOCK), message);
        }
        rest.subspan(0, len)
    }

    /// Adds the entry at the start of `rest`. Returns its length, with the padding.
    fn entry(&mut self, header: &Header, rest: Span) -> u64 {
        let size = match header.kind {
            // The size in pax records is that of the next file, not of other headers before it.
            b'x' | b'g' | b'L' | b'K' => header.size,
            _ => self.next.size.unwrap_or(header.size),
        };
        let has_data = header.has_data();
        let size = if has_data { size } else { 0 };
        let data = rest.subspan(BLOCK, size);
        if data.len() < size {
            let message = format_args!(
                "{} has {}, but only {} are in the archive",
                header.name,
                plural(size, "byte"),
                data.len()
            );
            let see = [(data, "its data")];
            self.cx.report_with(
                &rules::TAR_OUT_OF_BOUNDS,
                header.size_span,
                message,
                &see,
                None,
            );
        }
        let padding = size.wrapping_neg() % BLOCK;
        let padding = Span::new(rest.source, data.end, rest.end).subspan(0, padding);
        self.cx.padding(padding);
        let mut name = header.name.clone();
        let mut file = None;
        let mut records = 0;
        match header.kind {
            b'x' => records = self.next.extend(self.cx, data),
            // Names and sizes of all files would have no use.
            b'g' => records = Records::default().extend(self.cx, data),
            b'L' => self.next.name = header::long_name(self.cx, data),
            // The target of a link.
            b'K' => {
                header::long_name(self.cx, data);
            }
            _ => {
                let next = std::mem::take(&mut self.next);
                name = next.name.unwrap_or(name);
                if is_outside(&name) {
                    let message = format_args!(
                        "{name}: the path leads out of the folder in which the package is unpacked"
                    );
                    self.cx
                        .report(&rules::PACKAGE_PATH, header.name_span, message);
                }
                {
                    let packing = header.packing(&name, data, next.is_sparse);
                    if let Packing::Unread(reason) = &packing {
                        let message = format_args!("{name}: {reason}: not read");
                        self.cx
                            .report(&rules::PACKAGE_UNREAD, header.kind_span(), message);
                    }
                    file = Some(self.members.len());
                    let time = next.modified.unwrap_or(header.modified);
                    let method = match &packing {
                        Packing::Nothing(kind) => (*kind).into(),
                        _ => "stored".into(),
                    };
                    self.members.push(Member {
                        file: PackageFile {
                            path: name.clone().into(),
                            size,
                            packed: data.len(),
                            modified: package::time_text(time).into(),
                            method,
                            entry: header.span,
                        },
                        packing,
                        data: Locator::At(data),
                    });
                }
            }
        }
        self.entries.push(Entry {
            header: header.span,
            data,
            padding,
            name: name.into(),
            kind: header.kind,
            file,
            records,
        });
        BLOCK
            .saturating_add(data.len())
            .saturating_add(padding.len())
    }
}

impl Archive {
    fn entry(&self, number: u64) -> Option<&Entry> {
        self.entries.get(usize::try_from(number).ok()?)
    }
}
