//! Fields of instruction words: location, conditions and meaning.
mod leaves;
mod plan;

pub use self::leaves::{Leaf, Leaves, Piece, Value};
pub(super) use self::plan::{Decision, PLANS, decision};
pub use self::plan::{Plan, Plans};
use crate::tables::{FIRST_MASK, FORMATS, FORMATS_AT, Field, MASKS};

/// In an enumeration: a value without meaning.
pub const INVALID: u16 = 0xffff;

pub(super) const NAMED: u16 = 0x8000;

/// Number of fields.
const FIELDS: usize = Field::ALL.len();

/// The node of each field of a format; 0 if it has no such field.
pub type Layout = [u16; FIELDS];

pub(super) fn slice<T>(flat: &'static [T], at: &[u16], id: usize) -> &'static [T] {
    match (at.get(id), at.get(id + 1)) {
        (Some(from), Some(to)) => flat
            .get(usize::from(*from)..usize::from(*to))
            .unwrap_or_default(),
        _ => &[],
    }
}

/// Returns a mask of the bits `low` to `high`.
#[must_use]
pub fn ones(low: u8, high: u8) -> u128 {
    let width = u32::from(high.saturating_sub(low)) + 1;
    let mask = u128::MAX
        .checked_shr(128_u32.saturating_sub(width))
        .unwrap_or_default();
    mask.checked_shl(u32::from(low)).unwrap_or_default()
}

/// Sign-extends a number of `width` bits.
#[must_use]
pub fn sign_extend(value: u64, width: u32) -> u64 {
    let unused = 64_u32.saturating_sub(width).min(63);
    ((value << unused).cast_signed() >> unused).cast_unsigned()
}

/// An instruction word as two halves, for reading fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word {
    pub(super) low: u64,
    pub(super) high: u64,
}

impl Word {
    /// The word as one number.
    #[must_use]
    pub fn new(word: u128) -> Word {
        let bytes = word.to_le_bytes();
        let half = |at: usize| {
            let bytes = bytes.get(at..).and_then(|bytes| bytes.first_chunk::<8>());
            bytes.map_or(0, |bytes| u64::from_le_bytes(*bytes))
        };
        Word {
            low: half(0),
            high: half(8),
        }
    }

    /// Returns the word as one number.
    pub(super) fn bits(self) -> u128 {
        u128::from(self.low) | u128::from(self.high) << 64
    }

    pub(super) fn and(self, other: Word) -> Word {
        Word {
            low: self.low & other.low,
            high: self.high & other.high,
        }
    }

    pub(super) fn or(self, other: Word) -> Word {
        Word {
            low: self.low | other.low,
            high: self.high | other.high,
        }
    }
}

/// A format, prepared for decoding.
#[derive(Debug)]
pub struct Format {
    /// Its number.
    pub id: u8,
    /// Its fields.
    pub layout: Box<Layout>,
    /// Its masks, or the moves of its fields if it is compact.
    pub(super) rest: &'static [u16],
    /// The fields in the order of the table.
    pub(super) fields: &'static [u16],
}

impl Format {
    /// Reads a format from the tables.
    #[must_use]
    pub fn new(id: u8) -> Format {
        let all = slice(&FORMATS, &FORMATS_AT, usize::from(id));
        let (count, all) = all.split_first().unwrap_or((&0, &[]));
        let (fields, rest) = all
            .split_at_checked(usize::from(*count) * 2)
            .unwrap_or((&[], &[]));
        let mut layout = Box::new([0; FIELDS]);
        for pair in fields.chunks_exact(2) {
            if let [field, node] = pair
                && let Some(entry) = layout.get_mut(usize::from(*field))
            {
                *entry = *node;
            }
        }
        Format {
            id,
            layout,
            rest,
            fields,
        }
    }

    /// Returns an AND mask and an OR mask for a native word, which clear its reserved bits and set
    /// its constant ones.
    fn masks(&self, leaves: &Leaves, word: Word) -> (Word, Word) {
        let mut kept = Word::new(u128::MAX);
        let mut set = Word::new(0);
        for node in self.rest {
            let now = word.and(kept).or(set);
            match leaves.resolve(&self.layout, *node, now, None) {
                Decision::Node(node) => {
                    let mask = MASKS.get(usize::from(node.saturating_sub(FIRST_MASK)));
                    if let Some((or, and)) = mask {
                        let (or, and) = (Word::new(*or), Word::new(*and));
                        kept = kept.and(and);
                        set = set.or(or).and(and);
                    }
                }
                Decision::Absent => {}
                Decision::NoKey | Decision::Unknown => break,
            }
        }
        (kept, set)
    }
}
