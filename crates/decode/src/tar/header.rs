//! Headers of tar archives.

use crate::package::Packing;
use crate::reader::{Endian, Window, uint};
use crate::{Context, layout, limits, rules};
use zeview_core::model::{Doc, Span};

/// The size of a header, and the unit of data.
pub(super) const BLOCK: u64 = 512;

const USTAR: &str = "POSIX, ustar Interchange Format";

/// The fields of a header: name, size in bytes, meaning.
pub(super) static FIELDS: &[(&str, u64, Doc)] = &[
    ("name", 100, Doc::new("The last part of the path.", USTAR)),
    (
        "mode",
        8,
        Doc::new("The permissions, as octal text.", USTAR),
    ),
    (
        "uid",
        8,
        Doc::new("The owner's number, as octal text.", USTAR),
    ),
    (
        "gid",
        8,
        Doc::new("The group's number, as octal text.", USTAR),
    ),
    (
        "size",
        12,
        Doc::new(
            "The size of the data in bytes, as octal text; with the highest bit set, as a binary number.",
            USTAR,
        ),
    ),
    (
        "mtime",
        12,
        Doc::new(
            "The time of the last change, in seconds since 1970, as octal text.",
            USTAR,
        ),
    ),
    (
        "chksum",
        8,
        Doc::new(
            "The sum of the header's bytes, with blanks in this field, as octal text.",
            USTAR,
        ),
    ),
    (
        "typeflag",
        1,
        Doc::new(
            "The type: `0` file, `1` link, `2` symbolic link, `5` folder, `x` and `g` pax records, `L` and `K` long names.",
            USTAR,
        ),
    ),
    ("linkname", 100, Doc::new("The target of a link.", USTAR)),
    ("magic", 6, Doc::new("`ustar`.", USTAR)),
    (
        "version",
        2,
        Doc::new("`00`; a blank in GNU archives.", USTAR),
    ),
    ("uname", 32, Doc::new("The owner's name.", USTAR)),
    ("gname", 32, Doc::new("The group's name.", USTAR)),
    (
        "devmajor",
        8,
        Doc::new("The major number of a device.", USTAR),
    ),
    (
        "devminor",
        8,
        Doc::new("The minor number of a device.", USTAR),
    ),
    (
        "prefix",
        155,
        Doc::new("The first part of the path.", USTAR),
    ),
    ("padding", 12, Doc::new("Not used.", USTAR)),
];

/// A header.
pub(super) struct Header {
    pub(super) span: Span,
    pub(super) name: String,
    pub(super) name_span: Span,
    pub(super) size: u64,
    pub(super) size_span: Span,
    /// Seconds since 1970.
    pub(super) modified: u64,
    pub(super) kind: u8,
}

impl Header {
    /// Reads a header. Reports errors, and returns `None` if the next one cannot be found.
    pub(super) fn read(cx: &Context<'_>, span: Span) -> Option<Header> {
        let window = Window::clamped(cx.sources, span);
        let bytes = window.bytes();
        let field = |from: usize, to: usize| bytes.get(from..to).unwrap_or(&[]);
        if !is_header(bytes) {
            let message = "no header starts here: the rest of the archive is not read";
            cx.report(&rules::TAR_HEADER, span, message);
            return None;
        }
        let size_span = span.subspan(124, 12);
        let Some(size) = number(field(124, 136)) else {
            let text = String::from_utf8_lossy(field(124, 136)).into_owned();
            let message = format_args!("the size {text:?} is not a number");
            cx.report(&rules::TAR_HEADER, size_span, message);
            return None;
        };
        let sums = sums(bytes);
        let stored = checksum(bytes);
        if stored.is_none_or(|stored| !sums.contains(&stored)) {
            let [expected, _] = sums;
            let stored = stored.map_or("not a number".to_owned(), |stored| stored.to_string());
            let message = format_args!("the checksum is {stored}, but {expected} expected");
            cx.report(&rules::TAR_CHECKSUM, span.subspan(148, 8), message);
        }
        let name = text(field(0, 100));
        // GNU archives have other fields there.
        let prefix = match field(257, 265) {
            b"ustar\x0000" => text(field(345, 500)),
            _ => String::new(),
        };
        Some(Header {
            span,
            name: match &*prefix {
                "" => name,
                prefix => format!("{prefix}/{name}"),
            },
            name_span: span.subspan(0, 100),
            size,
            size_span,
            modified: number(field(136, 148)).unwrap_or(0),
            kind: bytes.get(156).copied().unwrap_or(0),
        })
    }

    /// Whether a header starts at these bytes.
    pub(super) fn is_at(cx: &Context<'_>, span: Span) -> bool {
        let window = Window::clamped(cx.sources, span.subspan(0, BLOCK));
        is_header(window.bytes())
    }

    /// The bytes of the type.
    pub(super) fn kind_span(&self) -> Span {
        self.span.subspan(156, 1)
    }

    /// Returns how the bytes of an entry are stored. Entries of unknown types are files (POSIX).
    pub(super) fn packing(&self, name: &str, data: Span, is_sparse: bool) -> Packing {
        match self.kind {
            b'S' => Packing::Unread("a sparse file".into()),
            _ if is_sparse => Packing::Unread("a sparse file".into()),
            b'M' => Packing::Unread("the end of a file that starts in another archive".into()),
            b'1' => Packing::Nothing("link"),
            b'2' => Packing::Nothing("symbolic link"),
            b'3' | b'4' => Packing::Nothing("device"),
            b'6' => Packing::Nothing("pipe"),
            b'5' => Packing::Nothing("folder"),
            _ if name.ends_with('/') && data.is_empty() => Packing::Nothing("folder"),
            _ => Packing::Stored(None),
        }
    }

    /// Whether data follows: links, devices and folders have none, whatever their size.
    pub(super) fn has_data(&self) -> bool {
        !matches!(self.kind, b'1'..=b'6')
    }
}

/// Returns whether a block is a header: with the magic number of POSIX and GNU archives, or, as in
/// archives of the seventh edition of Unix, with a name and the right checksum.
pub(super) fn is_header(block: &[u8]) -> bool {
    if block.get(257..262) == Some(b"ustar") {
        return true;
    }
    let has_name = block.first().is_some_and(|byte| *byte > b' ');
    has_name
        && block.len() as u64 == BLOCK
        && checksum(block).is_some_and(|stored| sums(block).contains(&stored))
}

fn checksum(block: &[u8]) -> Option<i64> {
    let stored = number(block.get(148..156)?)?;
    i64::try_from(stored).ok().filter(|stored| *stored > 0)
}

/// Returns the sums of a header's bytes. Old programs add up signed bytes.
fn sums(block: &[u8]) -> [i64; 2] {
    let sum = |value: fn(u8) -> i64| -> i64 {
        let bytes = block.iter().enumerate();
        let bytes = bytes.map(|(at, byte)| {
            if (148..156).contains(&at) {
                b' '
            } else {
                *byte
            }
        });
        bytes.map(value).sum()
    };
    [sum(i64::from), sum(|byte| i64::from(byte.cast_signed()))]
}

/// Returns the text before the first NUL.
pub(super) fn text(field: &[u8]) -> String {
    let text = field.split(|byte| *byte == 0).next().unwrap_or(&[]);
    String::from_utf8_lossy(text).into_owned()
}

/// Reads octal text, or a binary number with the highest bit set.
fn number(field: &[u8]) -> Option<u64> {
    if let [0x80, rest @ ..] = field {
        let (high, low) = rest.split_at_checked(rest.len().saturating_sub(8))?;
        return high
            .iter()
            .all(|byte| *byte == 0)
            .then(|| uint(low, Endian::Big));
    }
    let digits = field.split(|byte| *byte == 0).next().unwrap_or(&[]);
    match digits.trim_ascii() {
        b"" => Some(0),
        digits => u64::from_str_radix(std::str::from_utf8(digits).ok()?, 8).ok(),
    }
}

/// What pax records and GNU's long names say of the next file.
#[derive(Default)]
pub(super) struct Records {
    pub(super) name: Option<String>,
    pub(super) size: Option<u64>,
    pub(super) modified: Option<u64>,
    /// Whether the file has holes: its data is a map, then the parts of the file.
    pub(super) is_sparse: bool,
}

/// Maximum number of bytes of records that are read for a file. Real ones have a few hundred.
pub(super) const RECORDS_MAX: u64 = 64 << 10;

/// Reads a long name: the data of a header of type `L` or `K`. Reports what follows it.
pub(super) fn long_name(cx: &Context<'_>, data: Span) -> Option<String> {
    let window = Window::clamped(cx.sources, data.subspan(0, RECORDS_MAX));
    let end = window.bytes().iter().position(|byte| *byte == 0);
    let end = end.unwrap_or(window.bytes().len());
    let after = data.skip(end as u64);
    if after.len() > RECORDS_MAX || !layout::is_zero(cx.sources, after) {
        let message = "bytes follow the name: not read";
        cx.report(&rules::TAR_RECORD, after, message);
    }
    let mut name = text(window.bytes());
    name.truncate(name.floor_char_boundary(limits::NAME_SHOWN));
    Some(name)
}

impl Records {
    /// Adds pax records. Returns the number of rows that show the data: the records, the last line
    /// feed, and the bytes behind it that are no record.
    pub(super) fn extend(&mut self, cx: &Context<'_>, data: Span) -> u64 {
        let window = Window::clamped(cx.sources, data.subspan(0, RECORDS_MAX));
        let mut end = 0;
        let mut count: u64 = 0;
        for record in records(window.bytes()) {
            end = record.end as u64;
            count = count.saturating_add(1);
            match record.key {
                b"path" => {
                    let shown = record.value.get(..limits::NAME_SHOWN);
                    let shown = shown.unwrap_or(record.value);
                    self.name = Some(String::from_utf8_lossy(shown).into_owned());
                }
                b"size" => {
                    let text = std::str::from_utf8(record.value).ok();
                    self.size = text.and_then(|text| text.parse().ok());
                }
                b"GNU.sparse.major" | b"GNU.sparse.map" | b"GNU.sparse.numblocks" => {
                    self.is_sparse = true;
                }
                b"mtime" => {
                    let text = std::str::from_utf8(record.value).unwrap_or("");
                    let whole = text.split('.').next().unwrap_or("");
                    self.modified = whole.parse().ok();
                }
                _ => {}
            }
        }
        let rest = data.skip(end);
        // The last line feed has a row, too.
        let count = count.saturating_add(u64::from(count > 0));
        if rest.is_empty() {
            return count;
        }
        cx.gap(rest);
        if data.len() > RECORDS_MAX {
            let message =
                format_args!("more than {RECORDS_MAX} bytes of records: the others are not read");
            cx.report(&rules::TOO_MANY, rest, message);
        } else {
            let message = "no record `length key=value` starts here";
            cx.report(&rules::TAR_RECORD, rest, message);
        }
        count.saturating_add(1)
    }
}

/// A record of a pax header: `length key=value`, with a line feed.
pub(super) struct PaxRecord<'a> {
    pub(super) key: &'a [u8],
    pub(super) value: &'a [u8],
    /// The end of its line in the data.
    pub(super) end: usize,
}

/// Returns the records, up to the first that is malformed.
pub(super) fn records(data: &[u8]) -> impl Iterator<Item = PaxRecord<'_>> {
    let mut start = 0;
    std::iter::from_fn(move || {
        let rest = data.get(start..)?;
        let blank = rest.iter().position(|byte| *byte == b' ')?;
        let length: usize = std::str::from_utf8(rest.get(..blank)?).ok()?.parse().ok()?;
        // The length is that of the whole record, with its own digits and the line feed.
        let record = rest.get(..length)?.get(blank.checked_add(1)?..)?;
        let record = record.strip_suffix(b"\n")?;
        let equals = record.iter().position(|byte| *byte == b'=')?;
        let found = PaxRecord {
            key: record.get(..equals)?,
            value: record.get(equals.checked_add(1)?..)?,
            end: start.checked_add(length)?,
        };
        start = found.end;
        Some(found)
    })
}
