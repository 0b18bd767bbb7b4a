//! The files of packages: zip and tar archives, and folders. Each is opened on demand.
//!
//! ```text
//! stored    the file, its span in the package
//! deflated  compressed bytes → the file, span of a source of its own: a stream
//! part      the file, span of a source of its own with the same bytes
//! ```
//!
//! A compressed file is restored in part, for each read ([`DeflateStream`]): wheels have libraries
//! of hundreds of megabytes.

#[cfg(not(target_arch = "wasm32"))]
mod ahead;
mod checksums;
mod restored;

use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use checksums::Sum;
pub(super) use restored::Restored;

use super::compression::{self, DeflateStream, Method, crc32};
use super::format::{self, Formats, HEAD, OpenedDocument};
use super::rules;
use super::text::plural;
use super::tree::StaticTree;
use super::{Context, carve, limits, raw};
use zeview_core::analysis::package::{FileStatus, PackageFile, PackageFiles};
use zeview_core::model::{
    Area, Content, DeferredDocument, DeflatedPart, Doc, ExpanderId, Fact, Findings, Inflation,
    Node, NodeKind, Rows, SourceId, Sources, Span, Str, Stream, Summary, Value, text,
};

static FILE_DOC: Doc = Doc::new("A file of the package, decoded on demand.", "");
static PACKED_DOC: Doc = Doc::new(
    "The compressed bytes of a file of the package, decompressed as far as they are read.",
    "RFC 1951",
);
static UNREAD_DOC: Doc = Doc::new(
    "The bytes of a file of the package in a form that zeview does not decompress.",
    "",
);

/// The form in which a file is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Packing {
    /// As it is, with its CRC-32 if the package stores it.
    Stored(Option<u32>),
    /// A deflate stream, with the CRC-32 of its output.
    Deflated(u32),
    /// A stream of another method, with the CRC-32 of its output.
    Packed(Method, u32),
    /// As it is, with offsets of its own: a file of a folder.
    Part,
    /// No bytes: a folder, a link …
    Nothing(&'static str),
    /// zeview does not read it, for this reason, which the format reports.
    Unread(Str),
}

/// A file of a package.
pub(super) struct Member {
    pub(super) file: PackageFile,
    pub(super) packing: Packing,
    pub(super) data: Locator,
}

/// The location of a file's stored bytes.
#[derive(Debug, Clone, Copy)]
pub(super) enum Locator {
    /// At these bytes.
    At(Span),
    /// Behind a header of variable size at the start of these bytes.
    Behind(Span, fn(&Sources, Span) -> u64),
}

/// Compares a file, by its index, with its entry.
pub(super) type EntryCheck = Box<dyn Fn(&Context<'_>, usize)>;

/// The files of a package, and the means to open them.
pub(super) struct Package {
    pub(super) members: Vec<Member>,
    formats: Formats,
    /// Number of documents around the files.
    depth: u32,
    /// The files that were looked at.
    statuses: RefCell<HashMap<usize, FileStatus>>,
    /// What the format did not compare when the package was opened.
    check: Option<EntryCheck>,
    /// The files that were compared.
    checked: RefCell<HashSet<usize>>,
    /// The checksums of stored files, as far as they were read.
    sums: RefCell<HashMap<usize, Sum>>,
    /// The files whose checksum was compared, except for those that were opened.
    summed: RefCell<HashSet<usize>>,
    /// The searches of files in unknown formats.
    searches: RefCell<HashMap<usize, carve::Search>>,
    /// A deflated file that is not opened, and is restored to compare its checksum.
    restored: RefCell<Option<(usize, DeflateStream)>>,
    #[cfg(not(target_arch = "wasm32"))]
    ahead: ahead::Ahead,
}

impl Package {
    /// Registers the files as documents that are opened on demand.
    pub(super) fn new(cx: &Context<'_>, members: Vec<Member>) -> Package {
        Package {
            members,
            formats: cx.formats,
            depth: cx.depth(),
            statuses: RefCell::default(),
            check: None,
            checked: RefCell::default(),
            sums: RefCell::default(),
            summed: RefCell::default(),
            searches: RefCell::default(),
            restored: RefCell::default(),
            #[cfg(not(target_arch = "wasm32"))]
            ahead: ahead::Ahead::default(),
        }
    }

    /// Compares each file with its entry when it is read, rather than when the package is opened.
    pub(super) fn check_later(&mut self, check: EntryCheck) {
        self.check = Some(check);
    }

    fn check(&self, cx: &Context<'_>, index: usize) {
        if let Some(check) = &self.check
            && self.checked.borrow_mut().insert(index)
        {
            check(cx, index);
        }
    }

    /// Adds the files to the documents of the package, in their order. Files that cannot be located
    /// without reading all of the package are added when they are opened.
    pub(super) fn list(&self, cx: &Context<'_>) {
        let is_small = self.members.len() <= limits::LOCAL_HEADERS;
        for (index, member) in self.members.iter().enumerate() {
            if !is_small && matches!(member.data, Locator::Behind(..)) {
                return;
            }
            let data = self.data(index, cx.sources);
            let may_have_code = match member.packing {
                Packing::Unread(_) | Packing::Nothing(_) => false,
                Packing::Stored(_) => {
                    let status = self.status(index, cx.sources);
                    matches!(status, FileStatus::Readable(_) | FileStatus::Unknown)
                }
                Packing::Deflated(_) | Packing::Packed(..) | Packing::Part => true,
            };
            if !data.is_empty() && may_have_code {
                cx.add_member(data);
            }
        }
    }

    /// Returns the first bytes of a file, or why they cannot be read.
    fn head(&self, index: usize, sources: &Sources) -> Result<Vec<u8>, Str> {
        let Some(member) = self.members.get(index) else {
            return Ok(Vec::new());
        };
        let data = self.data(index, sources);
        let read = |span: Span| match sources.read_clamped(span.subspan(0, HEAD)) {
            Ok(head) => Ok(head.to_vec()),
            Err(error) => Err(error.message.into()),
        };
        match &member.packing {
            Packing::Stored(_) | Packing::Part => read(data),
            Packing::Nothing(_) => Ok(Vec::new()),
            Packing::Packed(method, _) => {
                let packed = sources.read_clamped(data.subspan(0, PIECE));
                let packed = packed.map_err(|error| Str::from(error.message))?;
                let len = member.file.size.min(HEAD);
                let head = compression::start(*method, &packed, len);
                if (head.len() as u64) < len {
                    return Err(format!("not a valid {} stream", method.name()).into());
                }
                Ok(head)
            }
            Packing::Unread(reason) => Err(reason.clone()),
            Packing::Deflated(_) if member.file.size == 0 && data.is_empty() => Ok(Vec::new()),
            Packing::Deflated(crc) => match sources.unpacked_before(UNPACKED, data) {
                Some((whole, _)) => read(whole),
                None => {
                    // Of a longer file, only the beginning is compared.
                    let is_whole = member.file.size <= HEAD;
                    let len = member.file.size.min(HEAD);
                    let stream = DeflateStream::new(data.len(), len, is_whole.then_some(*crc));
                    let packed = |start, len| sources.read(data.subspan(start, len));
                    stream.settle(len, &packed);
                    let damage = stream.damage().filter(|_| is_whole || stream.len() < len);
                    match damage {
                        Some(damage) => Err(damage.into()),
                        None => match stream.read(0, len, &packed) {
                            Ok(head) => Ok(head.to_vec()),
                            Err(error) => Err(error.message.into()),
                        },
                    }
                }
            },
        }
    }

    /// The node of a file's stored bytes. Its item is `item`, and `index` its index.
    pub(super) fn data_node(&self, index: usize, item: u64, out: &Rows<'_>) -> Option<Node> {
        let member = self.members.get(index)?;
        let span = self.data(index, out.sources);
        if span.is_empty() {
            return None;
        }
        let content = Content::Deferred {
            expander: out.me,
            item,
        };
        let packed = |name: &'static str, doc| {
            let mut node = Node::new(NodeKind::Packed, name, span).value(Value::Bytes);
            node.content = content;
            node.area(Area::Data).doc(doc)
        };
        let blob = || Node::new(NodeKind::Blob, "data", span).value(Value::Bytes);
        Some(match &member.packing {
            Packing::Unread(reason) => {
                let summary = format!("not read: {reason}");
                blob().summary(summary).doc(&UNREAD_DOC)
            }
            Packing::Nothing(kind) => blob().summary(*kind).doc(&FILE_DOC),
            Packing::Deflated(_) => {
                let size = plural(member.file.size, "byte");
                packed("data", &PACKED_DOC).summary(format!("deflate, {size} decompressed"))
            }
            Packing::Packed(method, _) => {
                let size = plural(member.file.size, "byte");
                let summary = format!("{}, {size} decompressed", method.name());
                packed("data", &PACKED_DOC).summary(summary)
            }
            Packing::Part => {
                let status = self.status(index, out.sources);
                packed("data", &FILE_DOC).summary(status.kind())
            }
            Packing::Stored(_) => match self.status(index, out.sources) {
                status @ (FileStatus::Readable(_) | FileStatus::Unknown) => {
                    let mut node = Node::new(NodeKind::File, "data", span).summary(status.kind());
                    node.content = content;
                    node.doc(&FILE_DOC)
                }
                status => blob().summary(status.kind()).doc(&FILE_DOC),
            },
        })
    }

    /// Opens a file.
    pub(super) fn open(
        &self,
        index: usize,
        sources: &Sources,
        first: ExpanderId,
    ) -> Option<DeferredDocument> {
        let member = self.members.get(index)?;
        let cx = Context::deferred(sources, self.formats, first, self.depth);
        let data = self.data(index, sources);
        self.check(&cx, index);
        let content = self.contents(&cx, index, member, data);
        if content.is_none() && matches!(member.packing, Packing::Stored(_)) {
            // Nested too deeply: its row has no others.
            cx.gap(data);
        }
        Some(cx.into_deferred(data, content))
    }

    /// Returns the deflate stream of a file of the opened package that will be opened, and whose size is
    /// worth a thread.
    fn large_file(&self, index: usize, sources: &Sources) -> Option<DeflatedPart> {
        let member = self.members.get(index)?;
        let size = member.file.size;
        let Packing::Deflated(crc) = member.packing else {
            return None;
        };
        if size <= limits::CHECKED || sources.costs.work.left() < size {
            return None;
        }
        let data = self.data(index, sources);
        let is_new = data.source == SourceId::FILE
            && size <= compression::deflate_limit(data.len())
            && sources.unpacked_before(UNPACKED, data).is_none();
        let is_read = || matches!(self.status(index, sources), FileStatus::Readable(_));
        (is_new && is_read()).then(|| DeflatedPart {
            start: data.start,
            len: data.len(),
            size,
            crc,
        })
    }

    fn nested(&self, cx: &Context<'_>, index: usize, whole: Span) -> Option<OpenedDocument> {
        // The file was searched already.
        if let FileStatus::NoCode(_) = self.status(index, cx.sources) {
            return None;
        }
        format::nested_file(cx, whole, u64::MAX)
    }

    fn contents(
        &self,
        cx: &Context<'_>,
        index: usize,
        member: &Member,
        data: Span,
    ) -> Option<(ExpanderId, u64, Option<u64>)> {
        let (name, whole) = match member.packing {
            Packing::Unread(_) | Packing::Nothing(_) => return None,
            Packing::Stored(_) => return self.nested(cx, index, data)?.content,
            Packing::Part => {
                let head = cx.sources.read_clamped(data.subspan(0, HEAD));
                if let Err(error) = head {
                    let reason = error.message;
                    let message = format_args!("{} cannot be read: {reason}", member.file.path);
                    cx.report(&rules::FOLDER_FILE, data, message);
                }
                let before = cx.sources.unpacked_before(FILE, data);
                let whole = || cx.sources.whole(cx.sources.part(FILE, data));
                (FILE, before.map_or_else(whole, |(whole, _)| whole))
            }
            Packing::Packed(method, crc) => {
                let size = member.file.size;
                let whole = cx.inflate_file(UNPACKED, method, data, size)?.whole;
                let bytes = cx.sources.read(whole);
                // Without the bytes there is nothing to compare: the source reports the error.
                let found = bytes.map_or(crc, |bytes| crc32::extend(0, &bytes));
                if found != crc {
                    let mismatch = crc32::mismatch(found, crc);
                    let message = format_args!("{}: {mismatch}", member.file.path);
                    cx.report(&rules::PACKAGE_DAMAGED, data, message);
                }
                (UNPACKED, whole)
            }
            Packing::Deflated(crc) => {
                let size = member.file.size;
                (
                    UNPACKED,
                    cx.stream(&member.file.path, data, size, Some(crc))?,
                )
            }
        };
        let opened = self.nested(cx, index, whole);
        let node = format::nested_node(cx.sources, name.to_owned(), whole, opened.as_ref());
        // The checksum of a library is known once its last bytes are read: its section headers.
        if let Some(damage) = cx.sources.damage(whole.source) {
            let message = format_args!("{}: {damage}", member.file.path);
            cx.report(&rules::PACKAGE_DAMAGED, data, message);
        }
        let mut tree = StaticTree::default();
        tree.push(StaticTree::TOP, node);
        Some((cx.register(Rc::new(tree)), 0, Some(1)))
    }
}

/// Number of bytes of a stored file that are read at once for its checksum.
const PIECE: u64 = 1 << 20;

/// Number of files that the source inflates before it is their turn.
const AHEAD: usize = 3;

/// The names of sources with decompressed files, and of files of a folder.
const UNPACKED: &str = "unpacked";
const FILE: &str = "file";

impl PackageFiles for Package {
    fn count(&self) -> usize {
        self.members.len()
    }

    fn file(&self, index: usize) -> Option<&PackageFile> {
        self.members.get(index).map(|member| &member.file)
    }

    fn data(&self, index: usize, sources: &Sources) -> Span {
        let Some(member) = self.members.get(index) else {
            return Span::default();
        };
        match member.data {
            Locator::At(span) => span,
            Locator::Behind(start, header) => {
                start.subspan(header(sources, start), member.file.packed)
            }
        }
    }

    fn file_at(&self, span: Span) -> Option<usize> {
        // Damaged packages have files in files. The innermost is meant, which starts last: an entry's
        // bytes reach up to the next entry, so that lengths say nothing.
        let around = |member: &Member| {
            let (Locator::At(data) | Locator::Behind(data, _)) = member.data;
            let spans = [data, member.file.entry].into_iter();
            let spans = spans.filter(|own| own.contains(span));
            spans.map(|own| (Reverse(own.start), own.end)).min()
        };
        let found = self.members.iter().enumerate();
        let found = found.filter_map(|(index, member)| Some((around(member)?, index)));
        found.min().map(|(_, index)| index)
    }

    fn status(&self, index: usize, sources: &Sources) -> FileStatus {
        if let Some(status) = self.statuses.borrow().get(&index) {
            return status.clone();
        }
        let member = self.members.get(index);
        let size = member.map_or(0, |member| member.file.size);
        let packing = member.map(|member| &member.packing);
        let status = match (packing, self.head(index, sources)) {
            (Some(Packing::Nothing(kind)), _) => FileStatus::NoCode(kind),
            (_, Err(reason)) => FileStatus::Unread(reason),
            (_, Ok(head)) if head.is_empty() => FileStatus::NoCode(""),
            (_, Ok(head)) => match format::kind(self.formats, &head) {
                Some(kind) => FileStatus::Readable(kind),
                None => match raw::archive(&head) {
                    Some(name) => FileStatus::Unread(format!("a {name}").into()),
                    None => match raw::guess(&head) {
                        None => FileStatus::Unknown,
                        // There is more than zeros at the beginning.
                        guess if raw::may_have_images(guess) && size > head.len() as u64 => {
                            FileStatus::Unknown
                        }
                        Some(kind) => FileStatus::NoCode(kind),
                    },
                },
            },
        };
        self.statuses.borrow_mut().insert(index, status.clone());
        status
    }

    fn examine(&self, index: usize, sources: &Sources) -> Findings {
        let cx = Context::new(sources, self.formats);
        self.check(&cx, index);
        self.check_other(&cx, index);
        self.check_sum(&cx, index);
        self.settle(index, sources);
        cx.finish()
    }

    fn may_open(&self, index: usize) -> bool {
        let member = self.members.get(index);
        member.is_some_and(|member| !matches!(member.packing, Packing::Unread(_)))
    }

    fn unread(&self, index: usize, reason: &str, sources: &Sources) -> Findings {
        let cx = Context::new(sources, self.formats);
        if let Some(member) = self.members.get(index) {
            let message = format_args!("{}: {reason}: not read", member.file.path);
            cx.report(&rules::PACKAGE_UNREAD, member.file.entry, message);
        }
        cx.finish()
    }

    fn inflate(
        &self,
        index: usize,
        next: &mut dyn Iterator<Item = usize>,
        sources: &Sources,
    ) -> Option<u64> {
        let part = self.large_file(index, sources)?;
        match sources.inflate(&part) {
            Inflation::Refused => None,
            Inflation::Running(bytes) => {
                let next = next.filter_map(|next| self.large_file(next, sources));
                sources.inflate_ahead(next.take(AHEAD));
                Some(bytes)
            }
            Inflation::Done(bytes) => {
                let data = self.data(index, sources);
                // A refusal is reported when the file is opened.
                if let Some(restored) = Restored::of(sources, data, part.size, Some(part.crc)) {
                    let whole = restored.keep(sources, data);
                    sources.provide(whole.source, bytes);
                }
                None
            }
        }
    }

    fn prepare(&self, index: usize, most: u64, sources: &Sources) -> u64 {
        let Some(member) = self.members.get(index) else {
            return 0;
        };
        let crc = match member.packing {
            Packing::Deflated(crc) if self.seems_without_code(index, sources) => {
                return self.restore(index, crc, most, sources);
            }
            Packing::Deflated(crc) => crc,
            Packing::Stored(Some(_)) => return self.sum(index, most, sources),
            Packing::Stored(None) | Packing::Part if self.is_unknown(index, sources) => {
                return self.sum(index, most, sources);
            }
            _ => return 0,
        };
        let data = self.data(index, sources);
        let size = member.file.size;
        if size > super::compression::deflate_limit(data.len()) {
            return 0;
        }
        #[cfg(not(target_arch = "wasm32"))]
        if size > limits::CHECKED && sources.unpacked_before(UNPACKED, data).is_none() {
            self.begin_ahead(index, sources);
        }
        // A refusal is reported when the file is opened.
        let restored = Restored::of(sources, data, size, Some(crc));
        restored.map_or(0, |restored| {
            #[cfg(not(target_arch = "wasm32"))]
            if let Restored::Now(stream) = &restored
                && let Some(found) = self.restored_ahead(index)
            {
                stream.adopt(found);
                // There is room for another one.
                self.begin_ahead(index.saturating_add(1), sources);
            }
            let whole = restored.keep(sources, data);
            sources.advance(whole.source, most)
        })
    }
}

/// The summary of a package: the number and the total size of its files.
pub(super) fn summary(format: &'static str, title: String, span: Span, files: &Package) -> Summary {
    let members = files.members.iter();
    let of_files = members.filter(|member| !matches!(member.packing, Packing::Nothing(_)));
    let (count, size) = of_files.fold((0, 0_u64), |(count, size), member| {
        (count + 1, size.saturating_add(member.file.size))
    });
    let text = format!("{}, {} in all", plural(count, "file"), text::size(size));
    let fact = Fact::new("files", text, span).headline();
    let mut summary = Summary::new(format, title, vec![fact]);
    summary.has.package = true;
    summary
}

/// Whether a path is absolute, or leads out of the folder that it starts from.
pub(super) fn is_outside(path: &str) -> bool {
    let is_separator = |c| c == '/' || c == '\\';
    // `C:` starts at a drive of Windows.
    let is_absolute = path.starts_with(is_separator) || path.get(1..2) == Some(":");
    is_absolute || path.split(is_separator).any(|part| part == "..")
}

/// Formats seconds since 1970 as `2026-10-26 07:20:00`, in UTC.
pub(super) fn time_text(seconds: u64) -> String {
    let days = seconds / 86_400;
    let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    // Years that start on 1 March, in eras of 400 years.
    let days = days.saturating_add(719_468);
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, later) = if month < 10 {
        (month + 3, 0)
    } else {
        (month - 9, 1)
    };
    let year = era * 400 + year + later;
    format!("{year}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_as_text() {
        assert_eq!(time_text(0), "1970-01-01 00:00:00");
        assert_eq!(time_text(951_782_400), "2000-02-29 00:00:00");
        assert_eq!(time_text(1_793_000_000), "2026-10-26 07:33:20");
        assert_eq!(time_text(4_102_444_799), "2099-12-31 23:59:59");
    }

    #[test]
    fn paths_that_lead_out() {
        for path in ["/etc/passwd", "../a", "a/../../b", "C:/a", "..\\a", "\\\\a"] {
            assert!(is_outside(path), "{path}");
        }
        for path in ["a/b", "a..b/c", "...", ".a", "a/"] {
            assert!(!is_outside(path), "{path}");
        }
    }
}
