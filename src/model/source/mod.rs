//! Where bytes come from: asked for by window, never as a whole file.

mod cache;
#[cfg(not(target_arch = "wasm32"))]
mod file;
mod memory;

use std::cell::{Cell, RefCell};
use std::fmt;
use std::ops::Deref;
use std::rc::Rc;

use self::cache::Cache;
#[cfg(not(target_arch = "wasm32"))]
pub use self::file::FileSource;
pub use self::memory::MemorySource;
use super::span::{SourceId, Span};

/// Something with bytes at positions: a slice, a file, a `Blob` in the browser.
pub trait ByteSource {
    /// How many bytes there are.
    fn len(&self) -> u64;

    /// Is there nothing at all?
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// To read less than so many bytes takes no less time: the unit of caching, not 0. Small,
    /// so that a look at a header costs a header.
    fn grain(&self) -> u64 {
        16 * 1024
    }

    /// Reads `len` bytes at `start`, all of them or none.
    ///
    /// # Errors
    ///
    /// When the range is not within the source, or the bytes cannot be had (any more): a
    /// file that was cut or replaced while it was open.
    fn read(&self, start: u64, len: u64) -> Result<Bytes, SourceError>;
}

/// Bytes that were read; cheap to clone and to narrow.
#[derive(Clone)]
pub struct Bytes {
    data: Rc<[u8]>,
    start: usize,
    end: usize,
}

impl Bytes {
    /// The bytes `start..end` of these, cut off where these end.
    pub fn slice(&self, start: usize, end: usize) -> Bytes {
        let len = self.end.saturating_sub(self.start);
        let from = start.min(len);
        let to = end.clamp(from, len);
        Bytes {
            data: Rc::clone(&self.data),
            start: self.start.saturating_add(from),
            end: self.start.saturating_add(to),
        }
    }
}

impl Bytes {
    /// The bytes and nothing around them; a copy only where they are part of more.
    fn into_data(self) -> Rc<[u8]> {
        match self.start == 0 && self.end == self.data.len() {
            true => self.data,
            false => Rc::from(&*self),
        }
    }
}

impl From<Rc<[u8]>> for Bytes {
    fn from(data: Rc<[u8]>) -> Bytes {
        let end = data.len();
        Bytes {
            data,
            start: 0,
            end,
        }
    }
}

impl From<Vec<u8>> for Bytes {
    fn from(data: Vec<u8>) -> Bytes {
        Bytes::from(Rc::<[u8]>::from(data))
    }
}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.data.get(self.start..self.end).unwrap_or(&[])
    }
}

impl fmt::Debug for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Bytes({})", self.len())
    }
}

/// Bytes that could not be had.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceError {
    /// Which ones.
    pub span: Span,
    /// Why, in words.
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
    source: Box<dyn ByteSource>,
    cache: RefCell<Cache>,
    name: String,
    parent: Option<Span>,
}

/// The opened file and everything that was unpacked from it.
///
/// Reads go through a small cache, so that a decoder may ask for one record after the
/// other: on a file each miss is a system call, in the browser a slice costs about a
/// millisecond.
pub struct Sources {
    entries: RefCell<Vec<Rc<Entry>>>,
    bytes_read: Cell<u64>,
    largest_read: Cell<u64>,
}

impl Sources {
    /// The opened file.
    pub fn new(name: impl Into<String>, source: Box<dyn ByteSource>) -> Sources {
        let sources = Sources {
            entries: RefCell::new(Vec::new()),
            bytes_read: Cell::new(0),
            largest_read: Cell::new(0),
        };
        sources.push(name.into(), source, None);
        sources
    }

    /// Bytes that were unpacked from `parent`.
    pub fn unpacked(&self, name: impl Into<String>, bytes: Vec<u8>, parent: Span) -> SourceId {
        self.push(
            name.into(),
            Box::new(MemorySource::from(bytes)),
            Some(parent),
        )
    }

    fn push(&self, name: String, source: Box<dyn ByteSource>, parent: Option<Span>) -> SourceId {
        let mut entries = self.entries.borrow_mut();
        let id = SourceId(u32::try_from(entries.len()).unwrap_or(u32::MAX));
        entries.push(Rc::new(Entry {
            source,
            cache: RefCell::new(Cache::default()),
            name,
            parent,
        }));
        id
    }

    fn entry(&self, id: SourceId) -> Option<Rc<Entry>> {
        let index = usize::try_from(id.0).ok()?;
        self.entries.borrow().get(index).cloned()
    }

    /// The ids of all sources, the opened file first.
    pub fn ids(&self) -> Vec<SourceId> {
        let count = u32::try_from(self.entries.borrow().len()).unwrap_or(u32::MAX);
        (0..count).map(SourceId).collect()
    }

    /// The name of a source: the file's, or what was unpacked.
    pub fn name(&self, id: SourceId) -> String {
        self.entry(id).map(|e| e.name.clone()).unwrap_or_default()
    }

    /// Where a source was unpacked from; the opened file was not.
    pub fn parent(&self, id: SourceId) -> Option<Span> {
        self.entry(id).and_then(|e| e.parent)
    }

    /// All of what was unpacked from bytes within `span`, and of what was unpacked from that.
    pub fn unpacked_from(&self, span: Span) -> Vec<Span> {
        let mut all: Vec<Span> = Vec::new();
        // What is unpacked comes after what it is unpacked from.
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

    /// All bytes of a source.
    pub fn whole(&self, id: SourceId) -> Span {
        Span::new(id, 0, self.entry(id).map_or(0, |e| e.source.len()))
    }

    /// Reads the bytes of `span`, all of them or none.
    ///
    /// # Errors
    ///
    /// When the span is not within its source, is too long for this machine's memory
    /// addresses, or cannot be read.
    pub fn read(&self, span: Span) -> Result<Bytes, SourceError> {
        let fail = |message: &str| SourceError {
            span,
            message: message.to_owned(),
        };
        let entry = self
            .entry(span.source)
            .ok_or_else(|| fail("there is no such source"))?;
        if span.end > entry.source.len() || span.start > span.end {
            return Err(fail("they lie outside of it"));
        }
        let mut cache = entry.cache.borrow_mut();
        let (end, grain) = (entry.source.len(), entry.source.grain().max(1));
        cache.read(span, end, grain, &mut |start, len| {
            self.bytes_read
                .set(self.bytes_read.get().saturating_add(len));
            self.largest_read.set(self.largest_read.get().max(len));
            entry.source.read(start, len)
        })
    }

    /// Reads what there is of `span`: cut off at the end of the source.
    ///
    /// # Errors
    ///
    /// When what there is cannot be read.
    pub fn read_clamped(&self, span: Span) -> Result<Bytes, SourceError> {
        self.read(span.intersect(self.whole(span.source)))
    }

    /// How many bytes were asked of the sources so far.
    pub fn bytes_read(&self) -> u64 {
        self.bytes_read.get()
    }

    /// The longest single read so far, in bytes.
    pub fn largest_read(&self) -> u64 {
        self.largest_read.get()
    }
}
