//! String tables: each string is a leaf. gABI, "String Table".

use std::cell::OnceCell;
use std::ops::Range;

use crate::decode::reader::Window;
use crate::model::{Bytes, Doc, Expand, Node, NodeKind, Rows, Sources, Span, Value};

/// A string table, kept in memory for look-ups.
#[derive(Debug, Clone)]
pub struct StringTable {
    /// All its bytes.
    pub span: Span,
    bytes: Bytes,
    /// The offset after the last NUL: a name that starts before it ends.
    terminated: u64,
}

/// Why there is no name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NameError {
    /// The offset lies outside of the table.
    OutOfBounds,
    /// No NUL follows; these are the bytes up to the end.
    Unterminated(Span),
}

impl StringTable {
    /// Keeps the bytes of `span`.
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

    /// Whether there is a name at `offset`, without reading it.
    ///
    /// # Errors
    ///
    /// When there is none.
    pub fn check(&self, offset: u64) -> Result<(), NameError> {
        if offset >= self.bytes.len() as u64 {
            Err(NameError::OutOfBounds)
        } else if offset >= self.terminated {
            Err(NameError::Unterminated(self.span.skip(offset)))
        } else {
            Ok(())
        }
    }

    /// The name at `offset`, without its NUL; up to the end of the table, if it has none.
    fn name(&self, offset: u64, most: usize) -> &[u8] {
        let from = usize::try_from(offset).unwrap_or(usize::MAX);
        let rest = self.bytes.get(from..).unwrap_or(&[]);
        let rest = rest.get(..most).unwrap_or(rest);
        let len = rest.iter().position(|b| *b == 0).unwrap_or(rest.len());
        rest.get(..len).unwrap_or(rest)
    }

    /// The name at `offset` as text, whatever is wrong with it; at most `most` bytes of it.
    pub fn text(&self, offset: u64, most: usize) -> String {
        String::from_utf8_lossy(self.name(offset, most)).into_owned()
    }

    /// The bytes of the name at `offset`, with its NUL. Returns `None` if it is outside of the
    /// table.
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

    /// Does the last string end with a NUL?
    pub fn is_terminated(&self) -> bool {
        self.bytes.last().is_none_or(|b| *b == 0)
    }

    /// Does it start with the empty name?
    pub fn starts_empty(&self) -> bool {
        self.bytes.first().is_none_or(|b| *b == 0)
    }
}

const STRING_DOC: Doc = Doc::new(
    "A string with its terminating NUL. A name that is the end of a longer one can share its bytes.",
    "gABI, String Table",
);

/// Makes the rows of a string table.
#[derive(Debug)]
pub struct Strings {
    span: Span,
    starts: OnceCell<Vec<u64>>,
}

/// So much of one string is shown.
const SHOWN: u64 = 64 * 1024;

impl Strings {
    /// The strings in these bytes.
    pub fn new(span: Span) -> Strings {
        Strings {
            span,
            starts: OnceCell::new(),
        }
    }

    /// Where each string starts, relative to the table. One number a string: they are only
    /// collected when somebody opens the table.
    fn starts(&self, sources: &Sources) -> &[u64] {
        self.starts.get_or_init(|| {
            let mut starts = Vec::new();
            let mut start = 0;
            let mut at = 0;
            while at < self.span.len() {
                let window = Window::clamped(sources, self.span.subspan(at, 256 * 1024));
                if window.bytes().is_empty() {
                    break;
                }
                for (i, _) in window.bytes().iter().enumerate().filter(|(_, b)| **b == 0) {
                    starts.push(start);
                    start = at + i as u64 + 1;
                }
                at += window.span().len();
            }
            if start < self.span.len() {
                starts.push(start);
            }
            starts
        })
    }

    fn string_span(&self, starts: &[u64], index: u64) -> Span {
        let at = |i: u64| {
            usize::try_from(i)
                .ok()
                .and_then(|i| starts.get(i).copied())
                .unwrap_or(self.span.len())
        };
        let (start, end) = (at(index), at(index.saturating_add(1)));
        self.span.subspan(start, end.saturating_sub(start))
    }
}

impl Expand for Strings {
    fn count(&self, _item: u64, sources: &Sources) -> u64 {
        self.starts(sources).len() as u64
    }

    fn rows(&self, _item: u64, range: Range<u64>, out: &mut Rows<'_>) {
        let starts = self.starts(out.sources);
        for index in range {
            let span = self.string_span(starts, index);
            let window = Window::clamped(out.sources, span.subspan(0, SHOWN));
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
        let within = offset.checked_sub(self.span.start)?;
        let after = self.starts(sources).partition_point(|s| *s <= within);
        Some(after.checked_sub(1).map(|i| i as u64).into_iter().collect())
    }
}
