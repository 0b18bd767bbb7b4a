//! A read cache with read-ahead: short for random access, longer for sequential access.

use std::collections::{BTreeMap, VecDeque};
use std::rc::{Rc, Weak};

use super::{Bytes, SourceError};
use crate::model::span::Span;

/// Maximum length of a read-ahead, in bytes.
const AHEAD_MAX: u64 = 512 * 1024;
/// Maximum length of a single read, in bytes.
const READ_MAX: u64 = 4 * 1024 * 1024;
/// The minimum and maximum size of the cache, and the number of a source's bytes per cached byte.
/// The index of a host binary is read at several places at the same time, each with its read-ahead.
const KEEP_LEAST: u64 = 2 * 1024 * 1024;
const KEEP_MOST: u64 = if cfg!(target_pointer_width = "64") {
    32 * 1024 * 1024
} else {
    16 * 1024 * 1024
};
const KEEP_SHARE: u64 = 4;

/// Returns the cache size, in bytes, for a source of `len` bytes.
fn kept(len: u64) -> u64 {
    (len / KEEP_SHARE).clamp(KEEP_LEAST, KEEP_MOST)
}

/// Recently read extents of one source.
#[derive(Default)]
pub(super) struct Cache {
    extents: BTreeMap<u64, Extent>,
    bytes: usize,
    clock: u64,
    /// Ends and lengths of the last read-aheads, the latest last. There are several, because tables
    /// are walked alongside the data that they refer to.
    ahead: [(u64, u64); STREAMS],
    /// Long reads whose bytes may still be in use.
    long: VecDeque<(Span, Weak<Vec<u8>>)>,
}

/// Maximum number of concurrent sequential reads.
const STREAMS: usize = 4;
/// Maximum number of long reads that are remembered.
const LONG: usize = 4;

struct Extent {
    data: Rc<Vec<u8>>,
    used: u64,
}

type Fetch<'a> = &'a mut dyn FnMut(u64, u64) -> Result<Bytes, SourceError>;

impl Cache {
    /// Returns the bytes of `span`, which lies within the `len` bytes of the source. Each read has
    /// at least `grain` bytes.
    pub(super) fn read(
        &mut self,
        span: Span,
        len: u64,
        grain: u64,
        fetch: Fetch<'_>,
    ) -> Result<Bytes, SourceError> {
        if span.is_empty() {
            return Ok(Bytes::from(Vec::new()));
        }
        if let Some(bytes) = self.hit(span) {
            return Ok(bytes);
        }
        // A weak reference keeps the memory alive, too.
        self.long.retain(|(_, data)| data.strong_count() > 0);
        // Reads longer than the read-ahead are not cached: the caller keeps the data, and shares it
        // with other readers for as long as it does.
        if span.len() > AHEAD_MAX {
            let same = self.long.iter().find(|(s, _)| *s == span);
            if let Some(data) = same.and_then(|(_, data)| data.upgrade()) {
                return Ok(Bytes::from(data));
            }
            let bytes = long(span, fetch)?;
            self.long.truncate(LONG - 1);
            self.long.push_front((span, Rc::downgrade(&bytes.data)));
            return Ok(bytes);
        }
        self.miss(span, len, grain, fetch)?;
        if let Some(bytes) = self.hit(span) {
            return Ok(bytes);
        }
        long(span, fetch)
    }

    /// Reads all of `span` at once unless `first`, the part that is needed first, is cached. Does
    /// nothing if it does not fit into the cache of the source of `len` bytes.
    pub(super) fn prefetch(
        &mut self,
        span: Span,
        first: Span,
        len: u64,
        fetch: Fetch<'_>,
    ) -> Result<(), SourceError> {
        if span.len() <= kept(len) / 2 && self.hit(first).is_none() {
            let data = fetch(span.start, span.len())?;
            self.keep(span.start, data.into_data(), kept(len));
        }
        Ok(())
    }

    /// Returns the number of cached bytes.
    pub(super) fn size(&self) -> u64 {
        self.bytes as u64
    }

    /// Returns the bytes if they are cached.
    pub(super) fn hit(&mut self, span: Span) -> Option<Bytes> {
        self.clock += 1;
        let (start, extent) = self.extents.range_mut(..=span.start).next_back()?;
        let from = usize::try_from(span.start.checked_sub(*start)?).ok()?;
        let to = from.checked_add(usize::try_from(span.len()).ok()?)?;
        if to > extent.data.len() {
            return None;
        }
        extent.used = self.clock;
        let bytes = Bytes::from(Rc::clone(&extent.data)).slice(from, to);
        // A few bytes that are kept would keep a long extent in memory.
        let is_copied = extent.data.len() as u64 > AHEAD_MAX && span.len() <= AHEAD_MAX;
        Some(if is_copied {
            Bytes::from(bytes.into_data())
        } else {
            bytes
        })
    }

    /// Reads one extent that contains all of `span`.
    fn miss(
        &mut self,
        span: Span,
        len: u64,
        grain: u64,
        fetch: Fetch<'_>,
    ) -> Result<(), SourceError> {
        let start = span.start / grain * grain;
        let goes_on = |(ended, length): &(u64, u64)| {
            *length > 0 && start <= *ended && *ended < span.end.saturating_add(grain)
        };
        // A new stream replaces the oldest.
        let stream = self.ahead.iter().rposition(goes_on);
        let older = self
            .ahead
            .get_mut(stream.unwrap_or(0)..)
            .unwrap_or_default();
        older.rotate_left(1);
        let wanted = match (stream, self.ahead.last()) {
            (Some(_), Some((_, length))) => {
                // Not `clamp`: a source's grain may exceed the read-ahead.
                length.saturating_mul(2).min(AHEAD_MAX).max(grain)
            }
            _ => grain,
        };
        let end = span.end.max(start.saturating_add(wanted)).min(len);
        let data = fetch(start, end.saturating_sub(start))?;
        if let Some(latest) = self.ahead.last_mut() {
            *latest = (start.saturating_add(data.len() as u64), data.len() as u64);
        }
        self.keep(start, data.into_data(), kept(len));
        Ok(())
    }

    /// Caches an extent, and evicts the least recently used ones beyond `most` bytes in total.
    fn keep(&mut self, start: u64, data: Rc<Vec<u8>>, most: u64) {
        self.bytes += data.len();
        let used = self.clock;
        if let Some(old) = self.extents.insert(start, Extent { data, used }) {
            self.bytes -= old.data.len();
        }
        while self.bytes as u64 > most && self.extents.len() > 1 {
            let oldest = self.extents.iter().min_by_key(|(_, e)| e.used);
            let Some(oldest) = oldest.map(|(start, _)| *start) else {
                return;
            };
            if let Some(old) = self.extents.remove(&oldest) {
                self.bytes -= old.data.len();
            }
        }
    }
}

/// Reads a long span piece by piece.
fn long(span: Span, fetch: Fetch<'_>) -> Result<Bytes, SourceError> {
    if span.len() <= READ_MAX {
        return Ok(Bytes::from(fetch(span.start, span.len())?.into_data()));
    }
    let length = usize::try_from(span.len()).map_err(|_| SourceError {
        span,
        message: "too large for this machine".to_owned(),
    })?;
    // A failed allocation would end the process.
    let mut data = Vec::new();
    data.try_reserve_exact(length).map_err(|_| SourceError {
        span,
        message: "not enough memory".to_owned(),
    })?;
    let mut at = span.start;
    while at < span.end {
        let bytes = fetch(at, (span.end - at).min(READ_MAX))?;
        data.extend_from_slice(&bytes);
        at += bytes.len().max(1) as u64;
    }
    Ok(Bytes::from(data))
}
