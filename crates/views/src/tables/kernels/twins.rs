//! Parts with the same bytes: compilers store the same image more than once in a library.

use std::rc::Rc;

use foldhash::HashMap;

use super::part::Part;
use zeview_core::model::{Sources, Span, Str};

/// Length of the first read when comparing bytes, and of the others.
const PIECE: u64 = 64 << 10;
const PIECE_MOST: u64 = 1 << 20;
/// Maximum number of compared bytes, per byte of the file.
const COMPARED: u64 = 4;

/// Candidates for identical parts.
pub(super) struct Twins {
    /// The indices of the parts that are not copies, by device, length, and first kernel.
    firsts: HashMap<(Str, u64, String), Vec<usize>>,
    /// The number of bytes that may still be compared.
    left: u64,
}

impl Twins {
    /// Starts without parts, in a file of `size` bytes.
    pub(super) fn new(size: u64) -> Twins {
        Twins {
            firsts: HashMap::default(),
            left: size.saturating_mul(COMPARED),
        }
    }

    /// Returns the index of an earlier part with the device and the bytes of part `at`.
    pub(super) fn earlier(
        &mut self,
        at: usize,
        parts: &[Rc<Part>],
        sources: &Sources,
    ) -> Option<usize> {
        let part = parts.get(at)?;
        let kernel = part.rows.first().filter(|_| part.is_native())?;
        let name = kernel.name.value.clone();
        let key = (part.device.clone(), part.span.len(), name);
        let firsts = self.firsts.entry(key).or_default();
        let same = firsts.iter().copied().find(|first| {
            parts.get(*first).is_some_and(|first| {
                first.span == part.span || is_same(first.span, part.span, &mut self.left, sources)
            })
        });
        if same.is_none() {
            firsts.push(at);
        }
        same
    }
}

/// Whether two spans of the same length have the same bytes. Returns `false` if that requires
/// comparing more than `left` bytes.
fn is_same(a: Span, b: Span, left: &mut u64, sources: &Sources) -> bool {
    let read = |span: Span, at: u64, len: u64| sources.read(span.subspan(at, len)).ok();
    let (mut at, mut piece) = (0, PIECE);
    while at < a.len() {
        let len = piece.min(a.len().saturating_sub(at));
        let Some(rest) = left.checked_sub(len) else {
            return false;
        };
        *left = rest;
        let is_equal = read(a, at, len).is_some_and(|a| read(b, at, len).is_some_and(|b| *a == *b));
        if !is_equal {
            return false;
        }
        at = at.saturating_add(len);
        // Different images differ early. For others, few long reads are faster.
        piece = PIECE_MOST;
    }
    true
}
