//! Sources that are decompressed from another source on demand, at any position.

use std::collections::VecDeque;
use std::rc::Rc;

use super::{Bytes, Entry, Origin, SourceError};

/// Reads bytes of the source that a stream is restored from: `len` of them at an offset.
pub type PackedReader<'a> = &'a dyn Fn(u64, u64) -> Result<Bytes, SourceError>;

/// Bytes that are restored from compressed ones on demand, without being kept: a member of a
/// package.
pub trait Stream {
    /// Returns the length in bytes, as stored in the file.
    fn len(&self) -> u64;

    /// Whether the stream is empty.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Restores `len` bytes at `start`, all of them or none.
    ///
    /// # Errors
    ///
    /// If the compressed bytes cannot be read, or end or are damaged before the end of the range.
    fn read(&self, start: u64, len: u64, packed: PackedReader<'_>) -> Result<Bytes, SourceError>;

    /// Restores further bytes in sequence, at most `most`, so that later reads can start near their
    /// position. Returns the number of bytes that were never restored so far.
    fn advance(&self, most: u64, packed: PackedReader<'_>) -> u64;

    /// Describes damage that was found so far: a wrong length or checksum, or invalid data.
    fn damage(&self) -> Option<String>;

    /// Returns the memory in use, in bytes.
    fn memory(&self) -> u64;

    /// Releases the memory. Later reads restore the stream from its start again.
    fn release(&self);
}

/// Maximum memory of the sources other than the opened file, in bytes: their caches, and the
/// positions from which streams are restored. The source that was read last is exempt.
const ACTIVE_MOST: u64 = 64 << 20;

/// The sources other than the opened file that use memory, the least recently read first.
#[derive(Default)]
pub(super) struct ActiveSources(VecDeque<Rc<Entry>>);

impl ActiveSources {
    /// Notes that a source was read, and releases the memory of others beyond the limit.
    pub(super) fn touch(&mut self, entry: &Rc<Entry>) {
        let known = self.0.iter().position(|other| Rc::ptr_eq(other, entry));
        if let Some(known) = known {
            self.0.remove(known);
        }
        self.0.push_back(Rc::clone(entry));
        let mut memory: u64 = self.0.iter().map(|entry| entry.memory()).sum();
        while memory > ACTIVE_MOST
            && self.0.len() > 1
            && let Some(oldest) = self.0.pop_front()
        {
            memory = memory.saturating_sub(oldest.memory());
            oldest.release();
        }
    }
}

impl Entry {
    fn memory(&self) -> u64 {
        // A source in use is being read by the one that is restored from it.
        let cached = self.cache.try_borrow().map_or(0, |cache| cache.size());
        match &self.origin {
            Origin::Stream(stream) => cached.saturating_add(stream.memory()),
            _ => cached,
        }
    }

    fn release(&self) {
        if let Ok(mut cache) = self.cache.try_borrow_mut() {
            *cache = super::Cache::default();
            if let Origin::Stream(stream) = &self.origin {
                stream.release();
            }
        }
    }
}
