//! Random access to a deflate stream (RFC 1951) that is too long to be kept in memory.
//!
//! The state of the decompressor is kept at checkpoints along the stream, each with the 32 KB of
//! output that later data can refer to. A read starts at the last checkpoint before it, or goes on
//! where an earlier read ended. Checkpoints are made as far as the stream was restored.

use std::cell::{Cell, RefCell};

use miniz_oxide::inflate::TINFLStatus;
use miniz_oxide::inflate::core::{DecompressorOxide, decompress, inflate_flags};

use super::crc32;
use zeview_core::model::{ByteSource, Bytes, PackedReader, SourceError, SourceId, Span, Stream};

/// The output that later data can refer to, in bytes.
const WINDOW: usize = 32 << 10;
/// The output buffer of a decompressor of a long stream; a power of two.
const RING: usize = 128 << 10;
/// Number of compressed bytes that are read at once.
const PIECE: u64 = 256 << 10;

/// Minimum distance of checkpoints, in bytes of output: restoring as much takes a few milliseconds.
const DISTANCE: u64 = 1 << 20;
/// Maximum number of checkpoints of a stream, about 44 KB each. The distance doubles beyond.
const CHECKPOINTS: usize = if cfg!(target_pointer_width = "64") {
    384
} else {
    128
};
/// Maximum length of a stream that is restored from its start for each read: that takes less than
/// the memory to go on is worth.
const SMALL: u64 = 64 << 10;
/// Maximum number of positions at which reads can go on. Tables are read alongside the data that
/// they refer to.
const CURSORS: usize = 3;

/// The maximum ratio of deflate: a bit for a match of 258 bytes, and a bit for its distance.
const RATIO: u64 = 1032;

/// Returns the maximum length of the output of `packed` bytes.
pub fn deflate_limit(packed: u64) -> u64 {
    packed.saturating_mul(RATIO)
}

/// A deflate stream, of which a part is decompressed for each read.
pub struct DeflateStream {
    /// The length of the output, as stored in the file.
    stored: u64,
    /// The length of the output that can be read: less if damage was found early.
    len: Cell<u64>,
    /// Number of compressed bytes.
    packed: u64,
    /// The CRC-32 of the output, as stored in the file.
    crc: Option<u32>,
    state: RefCell<State>,
    /// The output, if it was restored elsewhere and is kept there.
    whole: RefCell<Option<Box<dyn ByteSource>>>,
}

#[derive(Default)]
struct State {
    /// The checkpoints, by position.
    checkpoints: Vec<Checkpoint>,
    /// Their distance is `DISTANCE << widened`.
    widened: u32,
    /// The cursors, the last used last.
    cursors: Vec<Cursor>,
    /// Number of bytes that were restored at least once, and their CRC-32.
    front: u64,
    crc: u32,
    /// What follows the front, if it is known.
    end: Option<End>,
}

/// The end of the stream.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Whole,
    /// The stream is complete, but more compressed bytes follow.
    Surplus(u64),
    /// The compressed bytes end.
    CutOff,
    Damaged,
    /// There are more bytes than stored in the file.
    More,
}

struct Checkpoint {
    /// Positions in the output and in the compressed bytes.
    output: u64,
    input: u64,
    inflater: Box<DecompressorOxide>,
    /// The last bytes of output.
    window: Box<[u8]>,
}

/// A decompressor in the middle of the stream.
struct Cursor {
    output: u64,
    input: u64,
    inflater: Box<DecompressorOxide>,
    ring: Box<[u8]>,
    /// Compressed bytes, and their position.
    piece: (u64, Bytes),
}

/// How far a stream was restored in another thread.
#[cfg(not(target_arch = "wasm32"))]
pub struct Restoration {
    checkpoints: Vec<Checkpoint>,
    widened: u32,
    front: u64,
    crc: u32,
    end: Option<End>,
}

/// The result of a step.
enum Step {
    /// Number of bytes that were added to the output.
    Wrote(usize),
    End(End),
}

impl Cursor {
    /// Creates a cursor at the start of a stream of `len` bytes.
    fn start(len: u64) -> Cursor {
        // One more byte than the stream has: a longer one is detected before the ring wraps.
        let size = usize::try_from(len.saturating_add(1)).unwrap_or(RING);
        let size = size.min(RING).next_power_of_two();
        Cursor {
            output: 0,
            input: 0,
            inflater: Box::default(),
            ring: vec![0; size].into(),
            piece: (0, Bytes::from(Vec::new())),
        }
    }

    /// Returns a position in the ring.
    fn at(&self, output: u64) -> usize {
        let mask = (self.ring.len() as u64).saturating_sub(1);
        usize::try_from(output & mask).unwrap_or(0)
    }

    /// Creates a cursor at a checkpoint of a stream of `len` bytes.
    fn resume(from: &Checkpoint, len: u64) -> Cursor {
        let mut cursor = Cursor {
            output: from.output,
            input: from.input,
            inflater: from.inflater.clone(),
            ..Cursor::start(len)
        };
        let start = from.output.saturating_sub(from.window.len() as u64);
        for (place, byte) in (start..from.output).zip(&from.window) {
            let place = cursor.at(place);
            if let Some(slot) = cursor.ring.get_mut(place) {
                *slot = *byte;
            }
        }
        cursor
    }

    fn checkpoint(&self) -> Checkpoint {
        let start = self.output.saturating_sub(WINDOW as u64);
        let byte = |place| self.ring.get(self.at(place)).copied().unwrap_or(0);
        Checkpoint {
            output: self.output,
            input: self.input,
            inflater: self.inflater.clone(),
            window: (start..self.output).map(byte).collect(),
        }
    }

    /// Restores more bytes: up to the end of the ring, or what the next compressed bytes give.
    fn step(&mut self, packed: u64, read: PackedReader<'_>) -> Result<Step, SourceError> {
        loop {
            let (start, piece) = &self.piece;
            let skip = self.input.saturating_sub(*start);
            let used = usize::try_from(skip).unwrap_or(usize::MAX);
            let is_in = self.input >= *start && used < piece.len();
            if !is_in && self.input < packed {
                // Aligned, so that cursors share the source's cache.
                let start = self.input / PIECE * PIECE;
                let len = PIECE.min(packed.saturating_sub(start));
                self.piece = (start, read(start, len)?);
                let (_, piece) = &self.piece;
                if piece.is_empty() {
                    return Ok(Step::End(End::CutOff));
                }
                continue;
            }
            let rest = piece.get(used..).unwrap_or(&[]);
            let has_more = self.input.saturating_add(rest.len() as u64) < packed;
            let flags = if has_more {
                inflate_flags::TINFL_FLAG_HAS_MORE_INPUT
            } else {
                0
            };
            let place = self.at(self.output);
            let (status, used, wrote) =
                decompress(&mut self.inflater, rest, &mut self.ring, place, flags);
            self.input = self.input.saturating_add(used as u64);
            self.output = self.output.saturating_add(wrote as u64);
            let end = match status {
                _ if wrote > 0 => return Ok(Step::Wrote(wrote)),
                TINFLStatus::NeedsMoreInput if has_more && used > 0 => continue,
                TINFLStatus::HasMoreOutput => return Ok(Step::Wrote(0)),
                TINFLStatus::Done if self.input < packed => {
                    End::Surplus(packed.saturating_sub(self.input))
                }
                TINFLStatus::Done => End::Whole,
                TINFLStatus::NeedsMoreInput | TINFLStatus::FailedCannotMakeProgress => End::CutOff,
                _ => End::Damaged,
            };
            return Ok(Step::End(end));
        }
    }
}

impl State {
    /// Returns a cursor at `start` or before, as near as possible.
    fn cursor(&mut self, start: u64, len: u64) -> Cursor {
        let before = self
            .checkpoints
            .partition_point(|checkpoint| checkpoint.output <= start);
        let checkpoint = before
            .checked_sub(1)
            .and_then(|before| self.checkpoints.get(before));
        let least = checkpoint.map_or(0, |checkpoint| checkpoint.output);
        let cursors = self.cursors.iter().enumerate();
        let near = cursors.filter(|(_, cursor)| (least..=start).contains(&cursor.output));
        let nearest = near.max_by_key(|(_, cursor)| cursor.output);
        match nearest.map(|(nearest, _)| nearest) {
            Some(nearest) => self.cursors.remove(nearest),
            None => match checkpoint {
                Some(checkpoint) => Cursor::resume(checkpoint, len),
                None => Cursor::start(len),
            },
        }
    }

    fn keep(&mut self, cursor: Cursor) {
        if self.cursors.len() >= CURSORS {
            self.cursors.remove(0);
        }
        self.cursors.push(cursor);
    }

    /// Notes the bytes that a cursor has restored at the end of its output.
    fn extend(&mut self, cursor: &Cursor, wrote: usize) {
        let start = cursor.output.saturating_sub(wrote as u64);
        // Only a cursor that was at the front or before can pass it.
        if let Some(known) = self.front.checked_sub(start)
            && cursor.output > self.front
        {
            let from = cursor
                .at(start)
                .saturating_add(usize::try_from(known).unwrap_or(usize::MAX));
            let to = cursor.at(start).saturating_add(wrote);
            let bytes = cursor.ring.get(from..to).unwrap_or(&[]);
            self.crc = crc32::extend(self.crc, bytes);
            self.front = cursor.output;
        }
        let distance = DISTANCE << self.widened;
        let last = self.checkpoints.last().map_or(0, |last| last.output);
        // After a release, they are made again.
        if cursor.output.saturating_sub(last) >= distance {
            self.checkpoints.push(cursor.checkpoint());
            if self.checkpoints.len() > CHECKPOINTS {
                self.widened += 1;
                let mut is_kept = false;
                self.checkpoints.retain(|_| {
                    is_kept = !is_kept;
                    !is_kept
                });
            }
        }
    }
}

impl DeflateStream {
    /// A stream in `packed` bytes, with the length and CRC-32 of its output.
    pub fn new(packed: u64, len: u64, crc: Option<u32>) -> DeflateStream {
        DeflateStream {
            stored: len,
            len: Cell::new(len),
            packed,
            crc,
            state: RefCell::default(),
            whole: RefCell::default(),
        }
    }

    /// Decompresses a stream at the start of `packed` bytes, without keeping its output. Returns the
    /// length of the output and the number of compressed bytes. Returns `None` if the stream is
    /// damaged, or longer than `most` bytes.
    pub fn measure(packed: u64, most: u64, read: PackedReader<'_>) -> Option<(u64, u64)> {
        let mut cursor = Cursor::start(u64::MAX);
        loop {
            match cursor.step(packed, read).ok()? {
                Step::Wrote(_) if cursor.output > most => return None,
                Step::Wrote(_) => {}
                Step::End(End::Whole | End::Surplus(_)) => {
                    return Some((cursor.output, cursor.input));
                }
                Step::End(_) => return None,
            }
        }
    }

    /// Reads the first `most` bytes. If damage is found in them, the stream ends there: what can be
    /// restored before it stays readable.
    pub fn settle(&self, most: u64, packed: PackedReader<'_>) {
        self.advance(most, packed);
        let state = self.state.borrow();
        if state.end.is_some() && state.front < self.stored {
            self.len.set(state.front);
        }
    }

    /// Restores at most `most` further bytes, and calls `each` with every run of them and its
    /// position; runs may start before the first of them. Returns the number of bytes that are left.
    pub fn advance_with(
        &self,
        most: u64,
        packed: PackedReader<'_>,
        each: &mut dyn FnMut(u64, &[u8]),
    ) -> u64 {
        let (front, end) = {
            let state = self.state.borrow();
            (state.front, state.end)
        };
        if end.is_some() {
            return 0;
        }
        let until = front.saturating_add(most).min(self.stored);
        let mut cursor = self.state.borrow_mut().cursor(front, self.stored);
        if self.run(&mut cursor, until, packed, each).is_err() {
            return 0;
        }
        self.keep(cursor);
        match self.state.borrow().end {
            Some(_) => 0,
            None => self.stored.saturating_sub(self.state.borrow().front),
        }
    }

    /// Restores the stream to its end, for the same one in another thread. Stops when `is_over`.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn restoration(self, packed: PackedReader<'_>, is_over: &dyn Fn() -> bool) -> Restoration {
        const STEP: u64 = 8 << 20;
        while !is_over() && self.advance(STEP, packed) > 0 {}
        let state = self.state.into_inner();
        Restoration {
            checkpoints: state.checkpoints,
            widened: state.widened,
            front: state.front,
            crc: state.crc,
            end: state.end,
        }
    }

    /// Goes on where the same stream ended in another thread.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn adopt(&self, found: Restoration) {
        let mut state = self.state.borrow_mut();
        if state.end.is_none() && found.front >= state.front {
            state.checkpoints = found.checkpoints;
            state.widened = found.widened;
            state.front = found.front;
            state.crc = found.crc;
            state.end = found.end;
        }
    }

    fn keep(&self, cursor: Cursor) {
        if self.stored > SMALL {
            self.state.borrow_mut().keep(cursor);
        }
    }

    /// Restores the bytes up to `end` from `cursor`, and calls `each` with every run of them and
    /// its position.
    fn run(
        &self,
        cursor: &mut Cursor,
        end: u64,
        packed: PackedReader<'_>,
        each: &mut dyn FnMut(u64, &[u8]),
    ) -> Result<(), SourceError> {
        while cursor.output < end {
            let before = cursor.output;
            match cursor.step(self.packed, packed)? {
                Step::Wrote(wrote) => {
                    let mut state = self.state.borrow_mut();
                    state.extend(cursor, wrote);
                    let start = cursor.at(before);
                    let run = cursor.ring.get(start..start.saturating_add(wrote));
                    each(before, run.unwrap_or(&[]));
                }
                Step::End(end) => {
                    let mut state = self.state.borrow_mut();
                    if cursor.output >= state.front {
                        state.end = Some(end);
                    }
                    drop(state);
                    return Err(self.error(before, 1));
                }
            }
        }
        // The end is known only after one more step.
        let is_last = cursor.output == self.stored && self.state.borrow().end.is_none();
        if is_last {
            let found = match cursor.step(self.packed, packed)? {
                Step::End(end) => end,
                Step::Wrote(_) => End::More,
            };
            self.state.borrow_mut().end = Some(found);
        } else if cursor.output > self.stored {
            self.state.borrow_mut().end = Some(End::More);
        }
        Ok(())
    }

    fn error(&self, start: u64, len: u64) -> SourceError {
        SourceError {
            span: Span::with_len(SourceId::FILE, start, len),
            message: self
                .damage()
                .unwrap_or_else(|| "the compressed bytes are damaged".to_owned()),
        }
    }
}

impl Stream for DeflateStream {
    fn len(&self) -> u64 {
        self.len.get()
    }

    fn read(&self, start: u64, len: u64, packed: PackedReader<'_>) -> Result<Bytes, SourceError> {
        let end = start.saturating_add(len);
        let mut bytes = Vec::new();
        let length = usize::try_from(len).unwrap_or(usize::MAX);
        if end > self.len.get() || bytes.try_reserve_exact(length).is_err() {
            return Err(SourceError {
                span: Span::with_len(SourceId::FILE, start, len),
                message: "out of range".to_owned(),
            });
        }
        if let Some(whole) = &*self.whole.borrow()
            && let Ok(bytes) = whole.read(start, len)
        {
            return Ok(bytes);
        }
        // What can no longer be read there is restored here.
        self.whole.take();
        let mut cursor = self.state.borrow_mut().cursor(start, self.stored);
        let done = self.run(&mut cursor, end, packed, &mut |at, run| {
            let index =
                |place: u64| usize::try_from(place.saturating_sub(at)).unwrap_or(usize::MAX);
            let from = index(start).min(run.len());
            let to = index(end).min(run.len());
            bytes.extend_from_slice(run.get(from..to).unwrap_or(&[]));
        });
        done?;
        self.keep(cursor);
        Ok(Bytes::from(bytes))
    }

    fn advance(&self, most: u64, packed: PackedReader<'_>) -> u64 {
        self.advance_with(most, packed, &mut |_, _| {})
    }

    fn provide(&self, bytes: Box<dyn ByteSource>) {
        let mut state = self.state.borrow_mut();
        let Some(crc) = self.crc.filter(|_| state.end.is_none()) else {
            return;
        };
        if bytes.len() == self.stored {
            *state = State {
                front: self.stored,
                crc,
                end: Some(End::Whole),
                ..State::default()
            };
            drop(state);
            self.whole.replace(Some(bytes));
        }
    }

    fn damage(&self) -> Option<String> {
        let state = self.state.borrow();
        let (front, len) = (state.front, self.stored);
        match state.end? {
            End::CutOff => Some(format!(
                "the deflate stream is truncated: it has {front} of {len} bytes"
            )),
            End::Damaged => Some(format!(
                "not a valid deflate stream after {front} of {len} bytes"
            )),
            End::More => Some(format!("more than the expected {len} bytes decompressed")),
            End::Whole | End::Surplus(_) if front < len => {
                Some(format!("{front} bytes decompressed, but {len} expected"))
            }
            End::Whole | End::Surplus(_) => {
                let wrong = self.crc.filter(|crc| *crc != state.crc);
                let wrong = wrong.map(|crc| crc32::mismatch(state.crc, crc));
                let surplus = match state.end? {
                    End::Surplus(more) => Some(format!(
                        "{more} of the compressed bytes follow the end of the deflate stream"
                    )),
                    _ => None,
                };
                wrong.or(surplus)
            }
        }
    }

    fn memory(&self) -> u64 {
        let state = self.state.borrow();
        let checkpoint = size_of::<DecompressorOxide>() + WINDOW;
        let cursors = state.cursors.iter().map(|cursor| {
            cursor.piece.1.len() + cursor.ring.len() + size_of::<DecompressorOxide>()
        });
        (state.checkpoints.len() * checkpoint + cursors.sum::<usize>()) as u64
    }

    fn release(&self) {
        let mut state = self.state.borrow_mut();
        state.checkpoints = Vec::new();
        state.cursors = Vec::new();
        // The front stays: damage that was found remains known.
        state.widened = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use miniz_oxide::deflate::compress_to_vec;

    /// Bytes that compress to a tenth or so, without a short period.
    fn bytes(len: usize) -> Vec<u8> {
        let mut state = 1_u32;
        let mut out = Vec::with_capacity(len);
        while out.len() < len {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let run = usize::from(state.to_be_bytes()[0] % 40);
            out.extend(std::iter::repeat_n(state.to_be_bytes()[1], run));
        }
        out.truncate(len);
        out
    }

    fn reader(packed: &[u8]) -> impl Fn(u64, u64) -> Result<Bytes, SourceError> + '_ {
        |start, len| {
            let start = start as usize;
            Ok(Bytes::from(packed[start..start + len as usize].to_vec()))
        }
    }

    #[test]
    fn reads_at_any_position_give_the_bytes() {
        let whole = bytes(5 << 20);
        let packed = compress_to_vec(&whole, 6);
        let crc = crc32::extend(0, &whole);
        let stream = DeflateStream::new(packed.len() as u64, whole.len() as u64, Some(crc));
        let read = reader(&packed);
        let mut state = 7_u64;
        for round in 0..400 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let start = (state >> 33) as usize % whole.len();
            let len = ((state >> 13) as usize % 70_000).min(whole.len() - start);
            let found = stream.read(start as u64, len as u64, &read).unwrap();
            assert!(
                *found == whole[start..start + len],
                "{round}: {start} {len}"
            );
            if round == 200 {
                stream.release();
            }
        }
        assert_eq!(stream.advance(u64::MAX, &read), 0);
        assert_eq!(stream.damage(), None);
        // Five checkpoints, and the cursors.
        assert!(stream.memory() < 3 << 20, "{}", stream.memory());
    }

    #[test]
    fn a_stream_that_was_restored_elsewhere() {
        let whole = bytes(5 << 20);
        let packed = compress_to_vec(&whole, 6);
        let crc = crc32::extend(0, &whole);
        let stream = || DeflateStream::new(packed.len() as u64, whole.len() as u64, Some(crc));
        let read = reader(&packed);
        for is_over in [false, true] {
            let found = stream().restoration(&read, &|| is_over);
            let own = stream();
            own.settle(1 << 20, &read);
            own.adopt(found);
            let left = own.advance(0, &read);
            assert_eq!(left > 0, is_over, "{left}");
            assert_eq!(own.advance(u64::MAX, &read), 0);
            assert_eq!(own.damage(), None);
            let end = whole.len() as u64 - 5;
            assert_eq!(*own.read(end, 5, &read).unwrap(), whole[whole.len() - 5..]);
        }
    }

    #[test]
    fn checkpoints_of_a_long_stream_are_bounded() {
        let len = (CHECKPOINTS as u64 * 3) << 20;
        let packed = compress_to_vec(&vec![7; len as usize], 1);
        let stream = DeflateStream::new(packed.len() as u64, len, None);
        let read = reader(&packed);
        assert_eq!(stream.advance(len / 2, &read), len / 2);
        assert_eq!(stream.advance(len, &read), 0);
        let count = stream.state.borrow().checkpoints.len();
        assert!((CHECKPOINTS / 4..=CHECKPOINTS).contains(&count), "{count}");
        assert_eq!(*stream.read(len - 3, 3, &read).unwrap(), [7; 3]);
        assert_eq!(*stream.read(0, 3, &read).unwrap(), [7; 3]);
        assert!(stream.memory() < (CHECKPOINTS as u64) << 16);
    }

    #[test]
    fn damage_is_described() {
        let whole = bytes(100_000);
        let packed = compress_to_vec(&whole, 6);
        let size = packed.len() as u64;
        let damage = |packed: &[u8], len: u64, crc| {
            let stream = DeflateStream::new(packed.len() as u64, len, crc);
            stream.advance(u64::MAX, &reader(packed));
            stream.damage().unwrap_or_default()
        };
        let crc = crc32::extend(0, &whole);
        assert_eq!(damage(&packed, 100_000, Some(crc)), "");
        assert!(damage(&packed, 100_000, Some(crc ^ 1)).starts_with("the CRC-32"));
        assert!(damage(&packed, 99_999, None).starts_with("more than"));
        let cut = &packed[..packed.len() / 2];
        assert!(damage(cut, 100_000, None).contains("truncated"));
        assert_eq!(
            damage(&packed, 100_001, None),
            "100000 bytes decompressed, but 100001 expected"
        );
        // Nothing panics, and no read gives more than the length.
        for at in 0..packed.len().min(3000) {
            let mut damaged = packed.clone();
            damaged[at] ^= 0x55;
            let stream = DeflateStream::new(size, 100_000, None);
            let read = reader(&damaged);
            if let Ok(found) = stream.read(50_000, 1000, &read) {
                assert_eq!(found.len(), 1000);
            }
        }
    }
}
