//! Byte sources, read in windows and never as a whole file.

mod bytes;
mod cache;
#[cfg(not(target_arch = "wasm32"))]
mod file;
#[cfg(not(target_arch = "wasm32"))]
mod folder;
#[cfg(not(target_arch = "wasm32"))]
mod folder_files;
mod folder_list;
mod inflate;
mod memory;
mod stream;
mod unpacked;

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::rc::Rc;

pub use self::bytes::Bytes;
use self::cache::Cache;
#[cfg(not(target_arch = "wasm32"))]
pub use self::file::FileSource;
#[cfg(not(target_arch = "wasm32"))]
pub use self::folder::FolderSource;
#[cfg(not(target_arch = "wasm32"))]
pub use self::folder_files::{find_files, folder_files};
pub use self::folder_list::{FOLDER_HEAD, FOLDER_MAGIC, ListedFile, folder_line, folder_list};
pub use self::inflate::{DeflatedPart, Inflation};
pub use self::memory::MemorySource;
use self::stream::{ActiveSources, Activity};
pub use self::stream::{PackedReader, Stream};
pub use self::unpacked::{UnpackedSource, number_of};
use super::account::Costs;
use super::span::{SourceId, Span};
use super::value::Str;
use crate::analysis::DriverModel;

/// A random-access source of bytes: a slice, a file, a `Blob` in the browser.
pub trait ByteSource {
    /// Returns the length in bytes.
    fn len(&self) -> u64;

    /// Whether the source is empty.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of bytes below which a shorter read is not faster: the unit of caching,
    /// not 0. It is small, so that reading a header does not cost much more than the header.
    fn grain(&self) -> u64 {
        16 * 1024
    }

    /// Whether reading a few bytes is hardly slower than copying them.
    fn is_cheap(&self) -> bool {
        false
    }

    /// Announces that these bytes will be read soon. A source whose reads are slow can fetch them
    /// while the caller does something else.
    fn announce(&self, _start: u64, _len: u64) {}

    /// Whether reading these bytes does not wait. Returns `false` only for bytes that
    /// [`announce`](ByteSource::announce) would fetch.
    fn is_ready(&self, _start: u64, _len: u64) -> bool {
        true
    }

    /// Begins to inflate a part of the bytes, for a later [`inflate`](ByteSource::inflate), if there is
    /// room.
    fn inflate_ahead(&self, _part: &DeflatedPart) {}

    /// Inflates a part of the bytes while the caller does something else: begins, or tells how far it
    /// is. A source that cannot do that refuses, and so does one whose result was taken already.
    fn inflate(&self, _part: &DeflatedPart) -> Inflation {
        Inflation::Refused
    }

    /// Returns the file, if it is one: other threads can read it.
    #[cfg(not(target_arch = "wasm32"))]
    fn file(&self) -> Option<FileSource> {
        None
    }

    /// Reads `len` bytes at `start`, all of them or none.
    ///
    /// # Errors
    ///
    /// If the range is not within the source, or the bytes are not available (any more): a file
    /// that was truncated or replaced while it was open.
    fn read(&self, start: u64, len: u64) -> Result<Bytes, SourceError>;
}

/// The error for bytes that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceError {
    /// The requested bytes.
    pub span: Span,
    /// The reason.
    pub message: String,
}

impl fmt::Display for SourceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "cannot read bytes {:#x}..{:#x}: {}",
            self.span.start, self.span.end, self.message
        )
    }
}

impl std::error::Error for SourceError {}

struct Entry {
    origin: Origin,
    cache: RefCell<Cache>,
    name: String,
    parent: Option<Span>,
    activity: Activity,
}

enum Origin {
    Source(Box<dyn ByteSource>),
    /// The bytes of its parent, with offsets of their own: a file of a folder.
    Part(u64),
    /// Restored from the bytes of its parent on every read.
    Stream(Box<dyn Stream>),
    /// Unpacked on first read, and again after it was dropped.
    Packed {
        len: u64,
        unpack: Unpack,
        bytes: RefCell<Option<Rc<Vec<u8>>>>,
    },
}

/// A cached value that can be had again.
pub(super) trait Droppable {
    /// Returns its size in memory, in bytes.
    fn size(&self) -> u64;

    /// Drops the value.
    fn drop_value(&self);
}

impl Droppable for Entry {
    fn size(&self) -> u64 {
        self.len()
    }

    fn drop_value(&self) {
        if let Origin::Packed { bytes, .. } = &self.origin {
            bytes.borrow_mut().take();
        }
    }
}

/// Decompresses bytes, up to the given number.
pub type Unpack = fn(&[u8], u64) -> Vec<u8>;

/// Maximum size of an opened file with its streams, as the base of limits: times its own size, and
/// minimum in bytes. Wheels shrink to a fourth.
const GROWTH: u64 = 8;
const GROWTH_ALWAYS: u64 = 4 << 20;

/// The number of bytes of a stream that are restored at once, at least.
const STREAM_GRAIN: u64 = 64 << 10;

/// Decompressed data and other values that are cached: bytes per byte of the file; minimum; and
/// maximum. One is cached even if it is larger.
const KEPT: u64 = 4;
const KEPT_LEAST: u64 = 8 << 20;
const KEPT_MOST: u64 = 32 << 20;

impl Entry {
    fn len(&self) -> u64 {
        match &self.origin {
            Origin::Source(source) => source.len(),
            Origin::Stream(stream) => stream.len(),
            Origin::Part(len) | Origin::Packed { len, .. } => *len,
        }
    }

    /// Returns the bytes of a file.
    fn source(&self) -> Option<&dyn ByteSource> {
        match &self.origin {
            Origin::Source(source) => Some(&**source),
            Origin::Stream(_) | Origin::Part(_) | Origin::Packed { .. } => None,
        }
    }
}

/// The opened file and all data unpacked from it.
///
/// Reads go through a small cache, so that a decoder may read one record after the other: on a file
/// each miss is a system call, and in the browser a slice takes about a millisecond.
pub struct Sources {
    entries: RefCell<Vec<Rc<Entry>>>,
    bytes_read: Cell<u64>,
    largest_read: Cell<u64>,
    /// What is cached and can be had again, the oldest first.
    kept: RefCell<VecDeque<Rc<dyn Droppable>>>,
    /// The sources unpacked from bytes at an offset of another source.
    unpacked: RefCell<BTreeMap<(SourceId, u64), Vec<SourceId>>>,
    active: RefCell<ActiveSources>,
    /// The number of sources that are permanently in memory, and their total size.
    in_memory: Cell<(u64, u64)>,
    /// Size of the opened file, and with the streams.
    opened: u64,
    size: Cell<u64>,
    /// Names of devices.
    driver: Cell<Option<&'static dyn DriverModel>>,
    /// The budgets of the file.
    pub costs: Costs,
}

impl Sources {
    /// Returns the opened file, if it is one of the operating system: other threads can read it.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn file(&self) -> Option<FileSource> {
        self.entry(SourceId::FILE)?.source()?.file()
    }

    /// Creates the sources of an opened file.
    pub fn new(name: impl Into<String>, source: Box<dyn ByteSource>) -> Sources {
        let size = source.len();
        let sources = Sources {
            entries: RefCell::new(Vec::new()),
            bytes_read: Cell::new(0),
            largest_read: Cell::new(0),
            kept: RefCell::default(),
            unpacked: RefCell::default(),
            active: RefCell::default(),
            in_memory: Cell::default(),
            opened: size,
            size: Cell::new(size),
            driver: Cell::default(),
            costs: Costs::new(size),
        };
        sources.push(name.into(), Origin::Source(source), None);
        sources
    }

    /// Sets the driver model, which knows the names of devices.
    pub(crate) fn set_driver(&self, driver: &'static dyn DriverModel) {
        self.driver.set(Some(driver));
    }

    /// Returns the name of the device with a name that people use: `bmg-g21` for `B580`. Returns `None` if
    /// there is no such device.
    pub fn device_named(&self, name: &str) -> Option<Str> {
        self.driver.get()?.device_named(name)
    }

    /// Adds bytes that were unpacked from `parent`.
    pub fn unpacked(&self, name: impl Into<String>, bytes: Vec<u8>, parent: Span) -> SourceId {
        let source = Box::new(MemorySource::from(bytes));
        self.push(name.into(), Origin::Source(source), Some(parent))
    }

    /// Adds bytes that `unpack` restores from those of `parent`: they stay in memory only until
    /// others are read.
    pub fn packed(&self, name: &str, parent: Span, bytes: Vec<u8>, unpack: Unpack) -> SourceId {
        let len = bytes.len() as u64;
        let bytes = RefCell::new(Some(bytes.into()));
        let origin = Origin::Packed { len, unpack, bytes };
        let id = self.push(name.to_owned(), origin, Some(parent));
        if let Some(entry) = self.entry(id) {
            self.keep(entry);
        }
        id
    }

    /// Adds a stream that is restored from the bytes of `parent` on demand.
    pub fn stream(&self, name: &str, stream: Box<dyn Stream>, parent: Span) -> SourceId {
        self.grow(stream.len());
        self.push(name.to_owned(), Origin::Stream(stream), Some(parent))
    }

    /// Adds a source with the bytes of `parent`, for offsets that start at 0.
    pub fn part(&self, name: &str, parent: Span) -> SourceId {
        self.push(name.to_owned(), Origin::Part(parent.len()), Some(parent))
    }

    /// Returns the location of the bytes of `span` in the source that stores them.
    fn stored(&self, mut span: Span) -> Span {
        while let Some(entry) = self.entry(span.source)
            && let (Origin::Part(_), Some(parent)) = (&entry.origin, entry.parent)
            && span.end <= parent.len()
        {
            span = parent.subspan(span.start, span.len());
        }
        span
    }

    fn grow(&self, size: u64) {
        let most = self.opened.saturating_mul(GROWTH).max(GROWTH_ALWAYS);
        let size = self.size.get().saturating_add(size);
        self.size.set(size.min(most.max(self.size.get())));
    }

    /// Returns the total size of the opened file and the streams restored so far, in bytes, but at
    /// most eight times the size of the file, or 4 MB: the base of limits on what is read from them.
    pub fn size(&self) -> u64 {
        self.size.get()
    }

    /// Restores further bytes of a stream, at most `most`, so that later reads are fast. Returns
    /// the number of bytes that were never restored so far; 0 for other sources.
    pub fn advance(&self, id: SourceId, most: u64) -> u64 {
        let Some(entry) = self.entry(id) else {
            return 0;
        };
        let (Origin::Stream(stream), Some(parent)) = (&entry.origin, entry.parent) else {
            return 0;
        };
        let left = stream.advance(most, &|start, len| self.read(parent.subspan(start, len)));
        self.active.borrow_mut().touch(&entry, self.opened);
        left
    }

    /// Describes damage of a stream that was found so far.
    pub fn damage(&self, id: SourceId) -> Option<String> {
        match &self.entry(id)?.origin {
            Origin::Stream(stream) => stream.damage(),
            _ => None,
        }
    }

    /// Notes that a value is cached, and drops older ones.
    pub(super) fn keep(&self, value: Rc<dyn Droppable>) {
        let most = self.kept_most();
        let mut kept = self.kept.borrow_mut();
        kept.push_back(value);
        while kept.len() > 1 && kept.iter().map(|value| value.size()).sum::<u64>() > most {
            if let Some(oldest) = kept.pop_front() {
                oldest.drop_value();
            }
        }
    }

    /// Returns the maximum number of cached bytes that can be unpacked or read again.
    pub fn kept_most(&self) -> u64 {
        self.size()
            .saturating_mul(KEPT)
            .clamp(KEPT_LEAST, KEPT_MOST)
    }

    /// Returns the number of bytes in memory that were unpacked from bytes at the start of `span`.
    pub fn unpacked_len(&self, span: Span) -> u64 {
        let unpacked = self.unpacked.borrow();
        let ids = unpacked.get(&(span.source, span.start));
        let entries = ids.into_iter().flatten().filter_map(|id| self.entry(*id));
        let in_memory =
            |entry: &Rc<Entry>| matches!(entry.origin, Origin::Source(_) | Origin::Packed { .. });
        entries.filter(in_memory).map(|entry| entry.len()).sum()
    }

    /// Returns the source of that name that was unpacked from bytes at the start of `span` before,
    /// and those bytes, or `None`.
    pub fn unpacked_before(&self, name: &str, span: Span) -> Option<(Span, Span)> {
        let unpacked = self.unpacked.borrow();
        let mut ids = unpacked.get(&(span.source, span.start))?.iter();
        ids.find_map(|id| {
            let entry = self.entry(*id)?;
            let from = entry.parent?;
            let is_it = entry.name == name && span.contains(from);
            is_it.then(|| (Span::new(*id, 0, entry.len()), from))
        })
    }

    /// Returns the number of sources that are permanently in memory, and their total size.
    pub fn in_memory(&self) -> (u64, u64) {
        self.in_memory.get()
    }

    fn push(&self, name: String, origin: Origin, parent: Option<Span>) -> SourceId {
        let mut entries = self.entries.borrow_mut();
        let id = SourceId(u32::try_from(entries.len()).unwrap_or(u32::MAX));
        if let Some(from) = parent {
            if let Origin::Source(source) = &origin {
                let (count, sum) = self.in_memory.get();
                self.in_memory
                    .set((count + 1, sum.saturating_add(source.len())));
            }
            let mut unpacked = self.unpacked.borrow_mut();
            unpacked
                .entry((from.source, from.start))
                .or_default()
                .push(id);
        }
        entries.push(Rc::new(Entry {
            origin,
            cache: RefCell::new(Cache::default()),
            name,
            parent,
            activity: Activity::default(),
        }));
        id
    }

    fn entry(&self, id: SourceId) -> Option<Rc<Entry>> {
        let index = usize::try_from(id.0).ok()?;
        self.entries.borrow().get(index).cloned()
    }

    /// Returns the number of sources.
    pub fn count(&self) -> u32 {
        u32::try_from(self.entries.borrow().len()).unwrap_or(u32::MAX)
    }

    /// Returns the ids of all sources, the opened file first.
    pub fn ids(&self) -> Vec<SourceId> {
        (0..self.count()).map(SourceId).collect()
    }

    /// Returns the name of a source.
    pub fn name(&self, id: SourceId) -> String {
        self.entry(id).map(|e| e.name.clone()).unwrap_or_default()
    }

    /// Returns the bytes that a source was unpacked from; `None` for the opened file.
    pub fn parent(&self, id: SourceId) -> Option<Span> {
        self.entry(id).and_then(|e| e.parent)
    }

    /// Returns the sources that were unpacked from bytes within `span` itself.
    pub fn unpacked_directly(&self, span: Span) -> Vec<SourceId> {
        let unpacked = self.unpacked.borrow();
        let places = unpacked.range((span.source, span.start)..=(span.source, span.end));
        let ids = places.flat_map(|(_, ids)| ids.iter().copied());
        ids.filter(|id| self.parent(*id).is_some_and(|from| span.contains(from)))
            .collect()
    }

    /// Returns all sources that were unpacked, directly or indirectly, from bytes within `span`.
    pub fn unpacked_from(&self, span: Span) -> Vec<Span> {
        let mut all: Vec<Span> = Vec::new();
        // Unpacked sources come after their parents.
        for id in self.ids().into_iter().skip(1) {
            let inside = |parent: Span| {
                span.contains(parent) || all.iter().any(|s| s.source == parent.source)
            };
            if self.parent(id).is_some_and(inside) {
                all.push(self.whole(id));
            }
        }
        all
    }

    /// Returns the span of a whole source.
    pub fn whole(&self, id: SourceId) -> Span {
        Span::new(id, 0, self.entry(id).map_or(0, |e| e.len()))
    }

    /// Reads the bytes of `span`, all of them or none.
    ///
    /// # Errors
    ///
    /// If the span is not within its source, is too long for this machine's address space, or
    /// cannot be read.
    pub fn read(&self, span: Span) -> Result<Bytes, SourceError> {
        let fail = |message: &str| SourceError {
            span,
            message: message.to_owned(),
        };
        let entry = self
            .entry(span.source)
            .ok_or_else(|| fail("unknown source"))?;
        if span.end > entry.len() || span.start > span.end {
            return Err(fail("out of range"));
        }
        let mut has_read = false;
        let read = match &entry.origin {
            Origin::Part(_) => {
                let stored = self.stored(span);
                return self
                    .read(stored)
                    .map_err(|error| SourceError { span, ..error });
            }
            Origin::Source(source) => {
                let (end, grain) = (source.len(), source.grain().max(1));
                let mut cache = entry.cache.borrow_mut();
                let mut read = |start, len| {
                    has_read = true;
                    self.count_read(len);
                    source.read(start, len)
                };
                // The cache reads more, and a file of a folder may be unreadable.
                cache
                    .read(span, end, grain, &mut read)
                    .or_else(|_| read(span.start, span.len()))
            }
            Origin::Stream(stream) => {
                let parent = entry.parent.unwrap_or_default();
                let packed = |start, len| self.read(parent.subspan(start, len));
                // The stream is restored from within itself only if the file refers to itself.
                let Ok(mut cache) = entry.cache.try_borrow_mut() else {
                    return Err(fail("it contains itself"));
                };
                cache.read(span, stream.len(), STREAM_GRAIN, &mut |start, len| {
                    has_read = true;
                    stream.read(start, len, &packed)
                })
            }
            Origin::Packed { .. } => {
                let bytes = Bytes::from(self.unpack(&entry)?);
                let at = |offset: u64| usize::try_from(offset).unwrap_or(usize::MAX);
                return Ok(bytes.slice(at(span.start), at(span.end)));
            }
        };
        if has_read && span.source != SourceId::FILE {
            self.active.borrow_mut().touch(&entry, self.opened);
        }
        read.map_err(|error| SourceError {
            span: Span {
                source: span.source,
                ..error.span
            },
            ..error
        })
    }

    fn count_read(&self, len: u64) {
        self.bytes_read
            .set(self.bytes_read.get().saturating_add(len));
        self.largest_read.set(self.largest_read.get().max(len));
    }

    /// Returns the bytes of a source that is unpacked on demand.
    fn unpack(&self, entry: &Rc<Entry>) -> Result<Rc<Vec<u8>>, SourceError> {
        let (Origin::Packed { len, unpack, bytes }, Some(parent)) = (&entry.origin, entry.parent)
        else {
            return Ok(Rc::default());
        };
        if let Some(bytes) = &*bytes.borrow() {
            return Ok(Rc::clone(bytes));
        }
        let unpacked = Rc::new(unpack(&self.read(parent)?, *len));
        if unpacked.len() as u64 != *len {
            return Err(SourceError {
                span: parent,
                message: "they no longer decompress to the same size".to_owned(),
            });
        }
        *bytes.borrow_mut() = Some(Rc::clone(&unpacked));
        self.keep(Rc::clone(entry) as Rc<dyn Droppable>);
        Ok(unpacked)
    }

    /// Reads a few bytes among others that are not needed: where small reads are cheap, only these
    /// are read.
    ///
    /// # Errors
    ///
    /// As [`read`](Self::read).
    pub fn peek(&self, span: Span) -> Result<Bytes, SourceError> {
        let span = self.stored(span);
        let entry = self.entry(span.source);
        let source = entry.as_deref().and_then(|entry| {
            let source = entry.source().filter(|source| source.is_cheap())?;
            Some((source, &entry.cache))
        });
        let Some((source, cache)) = source.filter(|(source, _)| span.end <= source.len()) else {
            return self.read(span);
        };
        if let Some(bytes) = cache.borrow_mut().hit(span) {
            return Ok(bytes);
        }
        self.bytes_read
            .set(self.bytes_read.get().saturating_add(span.len()));
        source.read(span.start, span.len())
    }

    /// Reads all of `span` into the cache, if it fits and reads are slow, for callers that will
    /// read many parts of it. Does nothing if `first`, the first of them, is cached. Errors are reported when the parts are read.
    pub fn prefetch(&self, span: Span, first: Span) {
        let (span, first) = (self.stored(span), self.stored(first));
        let entry = self.entry(span.source);
        let source = entry.as_deref().and_then(|entry| {
            let source = entry.source().filter(|source| !source.is_cheap())?;
            Some((source, &entry.cache))
        });
        if let Some((source, cache)) = source.filter(|(source, _)| span.end <= source.len()) {
            let mut fetch = |start, len| {
                self.bytes_read
                    .set(self.bytes_read.get().saturating_add(len));
                source.read(start, len)
            };
            let fetched = cache
                .borrow_mut()
                .prefetch(span, first, source.len(), &mut fetch);
            drop(fetched);
        }
    }

    /// Restores all of `span` at once into the cache, if it is part of a stream and fits, for callers
    /// that will read many parts of it in any order: each would be restored from the checkpoint
    /// before it. Errors are reported when the parts are read.
    pub fn restore(&self, span: Span) {
        let span = self.stored(span);
        let Some(entry) = self.entry(span.source) else {
            return;
        };
        let (Origin::Stream(stream), Some(parent)) = (&entry.origin, entry.parent) else {
            return;
        };
        let mut has_read = false;
        // The cache is in use if the stream is restored from within itself.
        if span.end <= stream.len()
            && let Ok(mut cache) = entry.cache.try_borrow_mut()
        {
            let packed = |start, len| self.read(parent.subspan(start, len));
            let mut fetch = |start, len| {
                has_read = true;
                stream.read(start, len, &packed)
            };
            let fetched = cache.prefetch(span, span, stream.len(), &mut fetch);
            drop(fetched);
        }
        if has_read {
            self.active.borrow_mut().touch(&entry, self.opened);
        }
    }

    /// Announces that the bytes of `span` will be read soon.
    pub fn announce(&self, span: Span) {
        let span = self.stored(span);
        let entry = self.entry(span.source);
        if let Some(source) = entry.as_deref().and_then(Entry::source)
            && span.end <= source.len()
        {
            // Whole units of the cache, so that each of its reads finds all its bytes.
            let grain = source.grain().max(1);
            let start = span.start / grain * grain;
            let end = span.end.div_ceil(grain).saturating_mul(grain);
            source.announce(start, end.min(source.len()).saturating_sub(start));
        }
    }

    /// Whether reading the bytes of `span` does not wait for the source.
    pub fn is_ready(&self, span: Span) -> bool {
        let span = self.stored(span);
        let Some(entry) = self.entry(span.source) else {
            return true;
        };
        let Some(source) = entry.source() else {
            return true;
        };
        source.is_ready(span.start, span.len()) || entry.cache.borrow_mut().hit(span).is_some()
    }

    /// Reads the bytes of `span`, clipped to the end of the source.
    ///
    /// # Errors
    ///
    /// If the bytes cannot be read.
    pub fn read_clamped(&self, span: Span) -> Result<Bytes, SourceError> {
        self.read(span.intersect(self.whole(span.source)))
    }

    /// Returns the number of bytes read from the sources so far.
    pub fn bytes_read(&self) -> u64 {
        self.bytes_read.get()
    }

    /// Returns the length of the longest single read so far, in bytes.
    pub fn largest_read(&self) -> u64 {
        self.largest_read.get()
    }
}
