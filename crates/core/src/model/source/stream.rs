//! Sources that are decompressed from another source on demand, at any position.

use std::cell::Cell;
use std::collections::VecDeque;
use std::rc::Rc;

use super::{ByteSource, Bytes, Entry, Origin, SourceError};

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

    /// Takes all bytes, restored elsewhere and compared with their checksum. Later reads use them for
    /// as long as they can be read.
    fn provide(&self, _bytes: Box<dyn ByteSource>) {}

    /// Describes damage that was found so far: a wrong length or checksum, or invalid data.
    fn damage(&self) -> Option<String>;

    /// Returns the memory in use, in bytes.
    fn memory(&self) -> u64;

    /// Releases the memory. Later reads restore the stream from its start again.
    fn release(&self);
}

/// Minimum and maximum memory of the sources other than the opened file, in bytes, and memory per
/// byte of the file: their caches, and the positions from which streams are restored. The source
/// that was read last is exempt.
const ACTIVE_LEAST: u64 = 16 << 20;
const ACTIVE_MOST: u64 = if cfg!(target_pointer_width = "64") {
    128 << 20
} else {
    64 << 20
};
const ACTIVE_TIMES: u64 = 2;

/// The sources other than the opened file that use memory.
#[derive(Default)]
pub(super) struct ActiveSources {
    /// The sources, the least recently read first, each with the time at which it was read. A source
    /// that was read again is in the queue again, and only its last place counts.
    queue: VecDeque<(u64, Rc<Entry>)>,
    /// Number of reads.
    clock: u64,
    /// The number of sources, and their memory.
    count: usize,
    memory: u64,
}

/// The use of a source, for [`ActiveSources`].
#[derive(Default)]
pub(super) struct Activity {
    /// The time of the last read; 0 if the source uses no memory.
    last: Cell<u64>,
    memory: Cell<u64>,
}

impl ActiveSources {
    /// Notes that a source was read, and releases the memory of others beyond the limit. `size` is
    /// the size of the opened file.
    pub(super) fn touch(&mut self, entry: &Rc<Entry>, size: u64) {
        self.clock += 1;
        let memory = entry.memory();
        let before = entry.activity.memory.replace(memory);
        self.memory = self.memory.saturating_sub(before).saturating_add(memory);
        if entry.activity.last.replace(self.clock) == 0 {
            self.count += 1;
        }
        match self.queue.back_mut() {
            Some((time, last)) if Rc::ptr_eq(last, entry) => *time = self.clock,
            _ => self.queue.push_back((self.clock, Rc::clone(entry))),
        }
        let most = size.saturating_mul(ACTIVE_TIMES);
        let most = most.clamp(ACTIVE_LEAST, ACTIVE_MOST);
        while self.memory > most
            && self.queue.len() > 1
            && let Some((time, oldest)) = self.queue.pop_front()
        {
            if time == oldest.activity.last.get() {
                self.count = self.count.saturating_sub(1);
                let released = oldest.activity.memory.take();
                self.memory = self.memory.saturating_sub(released);
                oldest.activity.last.set(0);
                oldest.release();
            }
        }
        // Old places are removed only now and then, so that each read costs little.
        if self.queue.len() > 2 * self.count + 16 {
            let is_last = |(time, entry): &(u64, Rc<Entry>)| *time == entry.activity.last.get();
            self.queue.retain(is_last);
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
