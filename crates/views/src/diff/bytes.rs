//! Comparison of bytes.

use super::{Comparand, Comparer, TOO_MUCH_WORK};
use crate::diff::entry::{BYTES_KEPT, Field, FieldValue, Side};
use zeview_core::model::{Document, SourceId, Span};

/// Number of bytes read at once.
const PIECE: u64 = 256 << 10;

/// Differing bytes at most this far apart are one range.
const NEAR: u64 = 8;

/// Maximum number of ranges.
const RANGES_MAX: usize = 16;

/// The ranges where two runs of bytes differ.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Ranges {
    /// The differing ranges, as offsets (start, end) in the first and in the second run. If there
    /// are more than the maximum, the last one spans the rest.
    pub ranges: Vec<((u64, u64), (u64, u64))>,
}

impl Ranges {
    fn push(&mut self, start: u64, end: u64) {
        match self.ranges.last_mut() {
            Some((a, b)) if start <= a.1.saturating_add(NEAR) => {
                a.1 = end;
                b.1 = end;
            }
            _ => self.ranges.push(((start, end), (start, end))),
        }
        if self.ranges.len() > RANGES_MAX
            && let Some(((_, end), _)) = self.ranges.pop()
            && let Some((a, b)) = self.ranges.last_mut()
        {
            a.1 = end;
            b.1 = end;
        }
    }
}

/// Whether two files have the same bytes. Reads up to the first difference.
pub(super) fn are_same(a: &Document, b: &Document) -> bool {
    let size = a.sources.size();
    let whole = Span::new(SourceId::FILE, 0, size);
    let read = |document: &Document, at: u64| document.sources.read(whole.subspan(at, PIECE)).ok();
    let mut at = 0;
    while size == b.sources.size() && at < size {
        match (read(a, at), read(b, at)) {
            (Some(one), Some(other)) if *one == *other => at = at.saturating_add(PIECE),
            _ => return false,
        }
    }
    size == b.sources.size()
}

impl Comparer<'_> {
    /// Whether two runs have the same bytes. Reads up to the first difference.
    pub(super) fn same_bytes(&mut self, a: Span, b: Span) -> Result<bool, String> {
        if a.len() != b.len() {
            return Ok(false);
        }
        let mut at = 0;
        while at < a.len() {
            let (one, other) = self.piece(a, b, at)?;
            if *one != *other {
                return Ok(false);
            }
            at = at.saturating_add(PIECE);
        }
        Ok(true)
    }

    fn piece(
        &mut self,
        a: Span,
        b: Span,
        at: u64,
    ) -> Result<(zeview_core::model::Bytes, zeview_core::model::Bytes), String> {
        if self.work.is_over() {
            return Err(TOO_MUCH_WORK.to_owned());
        }
        let read = |document: &zeview_core::model::Document, span: Span| {
            let bytes = document.sources.read(span.subspan(at, PIECE));
            bytes.map_err(|error| error.to_string())
        };
        let one = read(self.a, a)?;
        let other = read(self.b, b)?;
        self.work.spend((one.len() + other.len()) as u64 / 32 + 1);
        Ok((one, other))
    }

    /// Returns the differing ranges of two runs. If their lengths differ, everything between the
    /// common prefix and the common suffix is one range.
    pub(super) fn ranges(&mut self, a: Span, b: Span) -> Result<Ranges, String> {
        let mut ranges = Ranges::default();
        if a.len() == b.len() {
            let mut at = 0;
            while at < a.len() {
                let (one, other) = self.piece(a, b, at)?;
                if *one != *other {
                    self.work.spend(one.len() as u64 / 4);
                    let differ = one.iter().zip(other.iter()).zip(at..);
                    for ((x, y), place) in differ {
                        if x != y {
                            ranges.push(place, place.saturating_add(1));
                        }
                    }
                }
                at = at.saturating_add(PIECE);
            }
            return Ok(ranges);
        }
        let shorter = a.len().min(b.len());
        let mut same = 0;
        while same < shorter {
            let (one, other) = self.piece(a, b, same)?;
            let pairs = one.iter().zip(other.iter());
            let run = pairs.take_while(|(x, y)| x == y).count() as u64;
            same = same.saturating_add(run);
            if run < PIECE {
                break;
            }
        }
        let same = same.min(shorter);
        let mut end = 0;
        while end < shorter - same {
            let step = PIECE.min(shorter - same - end);
            let back = |span: Span| span.subspan(span.len() - end - step, step);
            let (one, other) = self.piece(back(a), back(b), 0)?;
            let pairs = one.iter().rev().zip(other.iter().rev());
            let run = pairs.take_while(|(x, y)| x == y).count() as u64;
            end = end.saturating_add(run);
            if run < step {
                break;
            }
        }
        let range = (same, a.len() - end);
        ranges.ranges.push((range, (same, b.len() - end)));
        Ok(ranges)
    }

    /// Returns fields for the differences of two runs: `size`, and `contents` for each range.
    pub(super) fn contents(&mut self, a: Span, b: Span) -> Vec<Field> {
        let mut fields = Vec::new();
        if a.len() != b.len() {
            fields.push(Field {
                key: "size".to_owned(),
                path: "size".to_owned(),
                from: Some(Side::new(FieldValue::count(a.len()), a)),
                to: Some(Side::new(FieldValue::count(b.len()), b)),
            });
        }
        let ranges = match self.ranges(a, b) {
            Ok(ranges) => ranges.ranges,
            // `compare` adds the note about it.
            Err(_) if self.work.is_over() => return fields,
            Err(error) => {
                self.note(error);
                return fields;
            }
        };
        for (one, other) in ranges {
            let side = |comparer: &Comparer<'_>, which, span: Span, (start, end): (u64, u64)| {
                let span = span.subspan(start, end - start);
                (start < end).then(|| Side::new(comparer.bytes_value(which, span), span))
            };
            fields.push(Field {
                key: "contents".to_owned(),
                path: format!("contents {:#x}", one.0),
                from: side(self, Comparand::A, a, one),
                to: side(self, Comparand::B, b, other),
            });
        }
        fields
    }

    /// Returns the first bytes of a run.
    pub(super) fn bytes_value(&self, which: Comparand, span: Span) -> FieldValue {
        let sources = &self.document(which).sources;
        let bytes = sources.read_clamped(span.subspan(0, BYTES_KEPT));
        let bytes = bytes.map_or_else(|_| Vec::new(), |bytes| bytes.to_vec());
        FieldValue::Bytes(bytes, span.len())
    }
}
