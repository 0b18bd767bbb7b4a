//! Fields of a word.

use super::plan::{Decision, choose, decision};
use super::{Format, INVALID, Layout, NAMED, Word, sign_extend, slice};
use crate::tables::{
    DECISIONS_AT, ENUMS, ENUMS_AT, FIRST_DECISION, Field, LEAVES, LEAVES_AT, Meaning,
};
use std::sync::OnceLock;

/// Bits in one half of a word.
#[derive(Clone, Copy, Debug)]
pub struct Piece {
    pub(crate) mask: u64,
    pub(crate) shift: u8,
    pub(crate) at: u8,
    high: bool,
}

impl Piece {
    #[inline(always)]
    pub(crate) fn of(&self, word: Word) -> u64 {
        let half = if self.high { word.high } else { word.low };
        ((half >> (self.shift & 63)) & self.mask) << (self.at & 63)
    }
}

/// The location and meaning of a field's bits.
#[derive(Clone, Copy, Debug)]
pub struct Leaf {
    flags: u8,
    width: u8,
    /// The size of an immediate; 0 if it is not one.
    size: u8,
    /// The first piece; empty for constants.
    pub(crate) piece: Piece,
    /// Number of other pieces.
    count: u8,
    first: u16,
    constant: u8,
    values: Option<&'static [u16]>,
    short: Short,
}

/// A fast way to read a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Short {
    /// A plain number.
    Number,
    /// A single piece whose values are in [`Leaves::values`], from this index on.
    Listed(u32),
    /// None: it is signed, or has too many values.
    No,
}

impl Leaf {
    /// Returns the bits of a field that is a number in one piece.
    pub(crate) fn plain_piece(&self) -> Option<Piece> {
        let is_plain = self.flags & 0x10 == 0 && self.values.is_none();
        (is_plain && self.count == 0 && self.constant == 0).then_some(self.piece)
    }
}

/// Maximum width of fields with listed values, in bits.
const LISTED: u32 = 8;

/// The value of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value {
    /// The number: of the enumeration if it has numbers, else the bits.
    pub number: u64,
    /// The enumerator.
    pub meaning: Option<Meaning>,
    /// Whether the enumeration has no enumerator for these bits.
    pub invalid: bool,
}

impl Value {
    /// Nothing.
    const NONE: Value = Value {
        number: 0,
        meaning: None,
        invalid: true,
    };
}

/// All leaves, prepared for reading.
#[derive(Debug)]
pub struct Leaves {
    leaves: Vec<Leaf>,
    pieces: Vec<Piece>,
    /// The values of fields by their bits, shared by fields of the same kind.
    values: Vec<Value>,
}

impl Leaves {
    /// Returns the leaves of the tables; computed once.
    #[must_use]
    pub fn get() -> &'static Leaves {
        static LEAVES: OnceLock<Leaves> = OnceLock::new();
        LEAVES.get_or_init(Leaves::new)
    }

    fn new() -> Leaves {
        let mut all = Leaves {
            leaves: Vec::new(),
            pieces: Vec::new(),
            values: Vec::new(),
        };
        let mut listed = Vec::new();
        for id in 0..LEAVES_AT.len().saturating_sub(1) {
            let bytes = slice(&LEAVES, &LEAVES_AT, id);
            let [flags, width, enumeration, rest @ ..] = bytes else {
                continue;
            };
            let first = all.pieces.len();
            let count = usize::from(flags & 0xf);
            let (pieces, rest) = rest.split_at_checked(count * 3).unwrap_or((&[], rest));
            for piece in pieces.chunks_exact(3) {
                if let [low, high, at] = piece {
                    all.push_piece(*low, *high, *at);
                }
            }
            let none = Piece {
                mask: 0,
                shift: 0,
                at: 0,
                high: false,
            };
            let piece = all.pieces.get(first).copied().unwrap_or(none);
            let first = (first + 1).min(all.pieces.len());
            let number = |at: usize| u16::try_from(at).unwrap_or_default();
            let (size, constant) = match count {
                0 => (0, rest.first().copied().unwrap_or_default()),
                _ => (rest.first().copied().unwrap_or_default(), 0),
            };
            let values = enumeration.checked_sub(1);
            let mut leaf = Leaf {
                flags: *flags,
                width: *width,
                size,
                piece,
                count: number(all.pieces.len() - first).to_le_bytes()[0],
                first: number(first),
                constant,
                values: values.map(|id| slice(&ENUMS, &ENUMS_AT, usize::from(id))),
                short: Short::No,
            };
            leaf.short = all.shorten(&leaf, *enumeration, &mut listed);
            all.leaves.push(leaf);
        }
        all
    }

    /// Returns how to read a field. `listed` maps kinds of fields to indexes in [`Self::values`].
    fn shorten(&mut self, leaf: &Leaf, kind: u8, listed: &mut Vec<((u8, u64), u32)>) -> Short {
        let mask = leaf.piece.mask;
        if leaf.size != 0 || leaf.flags & 0x10 != 0 {
            return Short::No;
        }
        if leaf.values.is_none() {
            return Short::Number;
        }
        let is_low = leaf.count == 0 && leaf.piece.at == 0;
        // All values are listed, so the field has to be narrow.
        if !is_low || mask.count_ones() > LISTED {
            return Short::No;
        }
        let known = listed.iter().find(|(of, _)| *of == (kind, mask));
        if let Some((_, at)) = known.filter(|_| mask != 0) {
            return Short::Listed(*at);
        }
        let at = u32::try_from(self.values.len()).unwrap_or(u32::MAX);
        for bits in 0..=mask {
            let value = Self::meaning(leaf, bits | u64::from(leaf.constant));
            self.values.push(value);
        }
        if mask != 0 {
            listed.push(((kind, mask), at));
        }
        Short::Listed(at)
    }

    fn push_piece(&mut self, low: u8, high: u8, at: u8) {
        if low < 64 && high >= 64 {
            self.push_piece(low, 63, at);
            // No piece is in both halves: reading one takes no 128-bit shifts.
            return self.push_piece(64, high, at + (64 - low));
        }
        let width = u32::from(high - low) + 1;
        self.pieces.push(Piece {
            mask: u64::MAX.checked_shr(64 - width).unwrap_or_default(),
            shift: low % 64,
            at,
            high: low >= 64,
        });
    }

    #[inline(always)]
    pub(crate) fn leaf(&self, node: u16) -> Option<&Leaf> {
        self.leaves.get(usize::from(node).checked_sub(1)?)
    }

    /// Returns the pieces after the first one.
    pub(crate) fn pieces(&self, leaf: &Leaf) -> &[Piece] {
        let first = usize::from(leaf.first);
        self.pieces
            .get(first..first + usize::from(leaf.count))
            .unwrap_or_default()
    }

    /// Returns the bits as a number.
    #[inline]
    pub(crate) fn raw(&self, leaf: &Leaf, word: Word) -> u64 {
        let mut value = u64::from(leaf.constant) | leaf.piece.of(word);
        if leaf.count != 0 {
            for piece in self.pieces(leaf) {
                value |= piece.of(word);
            }
        }
        value
    }

    /// Returns the mask of the bits in the word.
    pub(crate) fn bits(&self, leaf: &Leaf) -> u128 {
        let pieces = self.pieces(leaf).iter().chain([&leaf.piece]);
        pieces.fold(0, |bits, piece| {
            let at = u32::from(piece.shift) + if piece.high { 64 } else { 0 };
            bits | u128::from(piece.mask) << at
        })
    }

    /// Follows decisions that depend on the `known` bits of a word; on all bits if `None`.
    pub(crate) fn resolve(
        &self,
        layout: &Layout,
        mut node: u16,
        word: Word,
        known: Option<u128>,
    ) -> Decision {
        if node < FIRST_DECISION && node != 0 {
            return Decision::Node(node);
        }
        let mut open = [0_u16; 8];
        let mut depth = 0_usize;
        loop {
            if node == 0 {
                return match depth {
                    0 => Decision::Absent,
                    _ => Decision::NoKey,
                };
            }
            if node >= FIRST_DECISION {
                let Some(place) = open.get_mut(depth) else {
                    return Decision::NoKey;
                };
                *place = node;
                depth += 1;
                let key = decision(node).first().copied().unwrap_or_default();
                node = layout.get(usize::from(key)).copied().unwrap_or_default();
                continue;
            }
            if depth == 0 {
                return Decision::Node(node);
            }
            let Some(leaf) = self.leaf(node) else {
                return Decision::NoKey;
            };
            if let Some(known) = known
                && self.bits(leaf) & !known != 0
            {
                return Decision::Unknown;
            }
            depth -= 1;
            let decided = open.get(depth).copied().unwrap_or_default();
            node = choose(decision(decided), self.raw(leaf, word));
        }
    }

    /// Returns the value of a field, if its values are listed.
    #[inline(always)]
    pub(crate) fn listed(&self, leaf: &Leaf, word: Word) -> Option<&Value> {
        let Short::Listed(at) = leaf.short else {
            return None;
        };
        let place = u64::from(at) + leaf.piece.of(word);
        self.values
            .get(usize::try_from(place).unwrap_or(usize::MAX))
    }

    /// Returns the number in a field, if it is a plain number.
    #[inline(always)]
    pub(crate) fn plain_number(&self, leaf: &Leaf, word: Word) -> Option<u64> {
        (leaf.short == Short::Number).then(|| self.raw(leaf, word))
    }

    #[inline]
    pub(super) fn value(&self, leaf: &Leaf, word: Word) -> Value {
        match leaf.short {
            Short::Number => Value {
                number: self.raw(leaf, word),
                meaning: None,
                invalid: false,
            },
            Short::Listed(_) => self.listed(leaf, word).copied().unwrap_or(Value::NONE),
            Short::No => self.long_value(leaf, word),
        }
    }

    #[inline(never)]
    fn long_value(&self, leaf: &Leaf, word: Word) -> Value {
        Self::meaning(leaf, self.raw(leaf, word))
    }

    /// Returns the value for the bits of a field.
    fn meaning(leaf: &Leaf, raw: u64) -> Value {
        let mut value = Value {
            number: raw,
            meaning: None,
            invalid: false,
        };
        if leaf.size != 0 {
            let size = u32::from(leaf.size);
            let unused = 64_u32.saturating_sub(size).min(63);
            value.number = (raw << unused) >> unused;
            if leaf.flags & 0x40 != 0 {
                value.number = sign_extend(raw, size);
            }
        } else if leaf.flags & 0x10 != 0 {
            value.number = sign_extend(raw, u32::from(leaf.width));
        }
        if let Some(values) = leaf.values {
            let entry = usize::try_from(raw).ok().and_then(|raw| values.get(raw));
            match entry.copied().unwrap_or(INVALID) {
                INVALID => value.invalid = true,
                name if name >= NAMED => {
                    value.meaning = Meaning::ALL.get(usize::from(name - NAMED)).copied();
                }
                number => value.number = number.into(),
            }
        }
        value
    }

    /// Reads a field of a word, and adds its bits to `bits` if given. Returns `None` if the format
    /// has no such field.
    #[must_use]
    pub fn read(
        &self,
        layout: &Layout,
        field: Field,
        word: Word,
        bits: Option<&mut u128>,
    ) -> Option<Value> {
        let node = layout.get(field as usize).copied().unwrap_or_default();
        let Decision::Node(node) = self.resolve(layout, node, word, None) else {
            return None;
        };
        let leaf = self.leaf(node)?;
        if let Some(bits) = bits {
            *bits |= self.bits(leaf);
        }
        Some(self.value(leaf, word))
    }

    /// Returns the bits of a word that decisions of a format depend on.
    #[must_use]
    pub fn keys(&self, format: &Format) -> Word {
        let masks = format.rest.iter().filter(|node| **node >= FIRST_DECISION);
        let mut open: Vec<u16> = format.layout.iter().chain(masks).copied().collect();
        let mut seen = vec![false; usize::from(FIRST_DECISION) + DECISIONS_AT.len()];
        let mut bits = 0;
        while let Some(node) = open.pop() {
            let Some(seen) = seen.get_mut(usize::from(node)) else {
                continue;
            };
            if node < FIRST_DECISION || *seen {
                continue;
            }
            *seen = true;
            let [key, runs @ ..] = decision(node) else {
                continue;
            };
            open.extend(runs.chunks_exact(2).filter_map(|run| run.last()));
            // The field of a decision can itself depend on a decision.
            let mut keys = vec![
                format
                    .layout
                    .get(usize::from(*key))
                    .copied()
                    .unwrap_or_default(),
            ];
            while let Some(key) = keys.pop() {
                if key < FIRST_DECISION {
                    bits |= self.leaf(key).map_or(0, |leaf| self.bits(leaf));
                } else if let [_, runs @ ..] = decision(key) {
                    keys.extend(runs.chunks_exact(2).filter_map(|run| run.last()));
                    open.push(key);
                }
            }
        }
        // The opcode is compared separately.
        Word::new(bits & !0x7f)
    }

    /// Specializes a layout for an opcode: resolves decisions that depend on the opcode alone.
    #[must_use]
    pub fn specialize(&self, layout: &Layout, opcode: u8) -> Box<Layout> {
        let mut special = Box::new(*layout);
        for node in special.iter_mut() {
            while *node >= FIRST_DECISION
                && decision(*node).first() == Some(&(Field::Opcode as u16))
            {
                *node = choose(decision(*node), opcode.into());
            }
        }
        special
    }
}
