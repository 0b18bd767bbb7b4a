//! String tables, with one leaf per string. gABI, "String Table".

use std::cell::OnceCell;
use std::ops::Range;

use crate::reader::Window;
use zeview_core::model::{Bytes, Doc, Expand, Node, NodeKind, Rows, Sources, Span, Value};

/// A string table in memory, for lookups.
#[derive(Debug, Clone)]
pub struct StringTable {
    /// All its bytes.
    pub span: Span,
    bytes: Bytes,
    /// The offset after the last NUL: a name that starts before it is terminated.
    terminated: u64,
}

/// Error of a name lookup.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NameError {
    /// The offset is outside the table.
    OutOfBounds,
    /// No NUL follows; contains the bytes up to the end.
    Unterminated(Span),
}

impl StringTable {
    /// Loads the bytes of `span`.
    pub fn new(sources: &Sources, span: Span) -> StringTable {
        let window = sources.read(span);
        let bytes = window.unwrap_or_else(|_| Bytes::from(Vec::new()));
        let terminated = bytes
            .iter()
            .rposition(|b| *b == 0)
            .map_or(0, |at| at as u64 + 1);
        StringTable {
            span,
            bytes,
            terminated,
        }
    }

    /// Checks for a terminated name at `offset`, without reading it.
    ///
    /// # Errors
    ///
    /// Returns an error if the offset is outside the table, or no NUL follows.
    pub fn check(&self, offset: u64) -> Result<(), NameError> {
        if offset >= self.bytes.len() as u64 {
            Err(NameError::OutOfBounds)
        } else if offset >= self.terminated {
            Err(NameError::Unterminated(self.span.skip(offset)))
        } else {
            Ok(())
        }
    }

    /// The name at `offset`, without its NUL, or up to the end of the table if it has none.
    fn name(&self, offset: u64, most: usize) -> &[u8] {
        let from = usize::try_from(offset).unwrap_or(usize::MAX);
        let rest = self.bytes.get(from..).unwrap_or(&[]);
        let rest = rest.get(..most).unwrap_or(rest);
        let len = rest.iter().position(|b| *b == 0).unwrap_or(rest.len());
        rest.get(..len).unwrap_or(rest)
    }

    /// The name at `offset` as text, lossily, up to `most` bytes.
    pub fn text(&self, offset: u64, most: usize) -> String {
        String::from_utf8_lossy(self.name(offset, most)).into_owned()
    }

    /// The bytes of the name at `offset`, with its NUL. Returns `None` if it is outside the table.
    pub fn span_of(&self, offset: u64) -> Option<Span> {
        match self.check(offset) {
            Ok(()) => {
                let len = self.name(offset, usize::MAX).len() as u64;
                Some(self.span.subspan(offset, len + 1))
            }
            Err(NameError::Unterminated(span)) => Some(span),
            Err(NameError::OutOfBounds) => None,
        }
    }

    /// Returns whether the last string ends with a NUL.
    pub fn is_terminated(&self) -> bool {
        self.bytes.last().is_none_or(|b| *b == 0)
    }

    /// Returns whether the table starts with the empty name.
    pub fn starts_empty(&self) -> bool {
        self.bytes.first().is_none_or(|b| *b == 0)
    }
}

const STRING_DOC: Doc = Doc::new(
    "A string with its terminating NUL. A name that is the end of a longer one can share its bytes.",
    "gABI, String Table",
);

/// The rows of a string table.
#[derive(Debug)]
pub struct Strings {
    span: Span,
    /// Number of strings that end before each chunk, and in total. Storing the offset of each
    /// string would take more memory than the strings. Counted on demand.
    ends: OnceCell<Vec<u64>>,
}

/// Maximum length of a displayed string, in bytes.
const STRING_MAX: u64 = 64 * 1024;

/// Size of a chunk in bytes.
const CHUNK: u64 = 1024;

impl Strings {
    /// The strings in `span`.
    pub fn new(span: Span) -> Strings {
        Strings {
            span,
            ends: OnceCell::new(),
        }
    }

    fn ends(&self, sources: &Sources) -> &[u64] {
        self.ends.get_or_init(|| {
            let (mut ends, mut count) = (vec![0], 0);
            let mut at = 0;
            while at < self.span.len() {
                let chunk = Window::clamped(sources, self.span.subspan(at, CHUNK));
                if chunk.bytes().is_empty() {
                    break;
                }
                count += nuls(chunk.bytes()).count() as u64;
                ends.push(count);
                at += CHUNK;
            }
            ends.shrink_to_fit();
            ends
        })
    }

    /// Number of NUL-terminated strings, and whether an unterminated one follows.
    fn counts(&self, sources: &Sources) -> (u64, bool) {
        let ended = self.ends(sources).last().copied().unwrap_or(0);
        (ended, self.start(ended, sources) < self.span.len())
    }

    /// The start of a string relative to the table, or the table's end if there is none.
    fn start(&self, index: u64, sources: &Sources) -> u64 {
        let Some(before) = index.checked_sub(1) else {
            return 0;
        };
        let ends = self.ends(sources);
        let chunk = ends.partition_point(|count| *count <= before);
        let (Some(chunk), true) = (chunk.checked_sub(1), chunk < ends.len()) else {
            return self.span.len();
        };
        let skipped = before.saturating_sub(ends.get(chunk).copied().unwrap_or(0));
        let at = chunk as u64 * CHUNK;
        let window = Window::clamped(sources, self.span.subspan(at, CHUNK));
        let end = usize::try_from(skipped).map(|skipped| nuls(window.bytes()).nth(skipped));
        match end {
            Ok(Some(end)) => at + end as u64 + 1,
            _ => self.span.len(),
        }
    }
}

/// The offsets of the NULs.
fn nuls(bytes: &[u8]) -> impl Iterator<Item = usize> + '_ {
    let bytes = bytes.iter().enumerate();
    bytes.filter(|(_, byte)| **byte == 0).map(|(at, _)| at)
}

impl Expand for Strings {
    fn count(&self, _item: u64, sources: &Sources) -> u64 {
        let (ended, has_more) = self.counts(sources);
        ended + u64::from(has_more)
    }

    fn rows(&self, _item: u64, range: Range<u64>, out: &mut Rows<'_>) {
        let mut start = self.start(range.start, out.sources);
        for index in range {
            let end = self.start(index + 1, out.sources);
            let span = self.span.subspan(start, end.saturating_sub(start));
            start = end;
            let window = Window::clamped(out.sources, span.subspan(0, STRING_MAX));
            let bytes = window.bytes();
            let text = bytes.strip_suffix(&[0]).unwrap_or(bytes);
            out.push(
                Node::new(NodeKind::Item, "string", span)
                    .indexed()
                    .value(Value::text_from(text))
                    .doc(&STRING_DOC),
            );
        }
    }

    fn index_at(&self, _item: u64, offset: u64, sources: &Sources) -> Option<Vec<u64>> {
        let within = offset.checked_sub(self.span.start)?.min(self.span.len());
        let chunk = usize::try_from(within / CHUNK).ok()?;
        let before = self.ends(sources).get(chunk).copied().unwrap_or(0);
        let at = chunk as u64 * CHUNK;
        let window = Window::clamped(sources, self.span.subspan(at, within - at));
        let index = before + nuls(window.bytes()).count() as u64;
        let last = self.count(0, sources).checked_sub(1);
        Some(last.map(|last| index.min(last)).into_iter().collect())
    }
}
