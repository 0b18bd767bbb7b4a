//! Fields of instruction words: where they are, on what that depends, and what they mean.

use std::sync::OnceLock;

use super::tables::{
    DECISIONS, DECISIONS_AT, ENUMS, ENUMS_AT, FIRST_DECISION, FIRST_MASK, FORMATS, FORMATS_AT,
    Field, LEAVES, LEAVES_AT, MASKS, Meaning,
};

/// In an enumeration: a value without meaning.
pub const INVALID: u16 = 0xffff;
const NAMED: u16 = 0x8000;

/// How many fields there are.
const FIELDS: usize = Field::ALL.len();

/// The node of each field of a format; 0: it has no such field.
pub type Layout = [u16; FIELDS];

pub(super) fn slice<T>(flat: &'static [T], at: &[u16], id: usize) -> &'static [T] {
    match (at.get(id), at.get(id + 1)) {
        (Some(from), Some(to)) => flat
            .get(usize::from(*from)..usize::from(*to))
            .unwrap_or_default(),
        _ => &[],
    }
}

/// Bits `low` to `high` of a word.
#[must_use]
pub fn ones(low: u8, high: u8) -> u128 {
    let width = u32::from(high.saturating_sub(low)) + 1;
    let mask = u128::MAX
        .checked_shr(128_u32.saturating_sub(width))
        .unwrap_or_default();
    mask.checked_shl(u32::from(low)).unwrap_or_default()
}

/// Extends the sign of a number of `width` bits.
#[must_use]
pub fn sign_extend(value: u64, width: u32) -> u64 {
    let unused = 64_u32.saturating_sub(width).min(63);
    ((value << unused).cast_signed() >> unused).cast_unsigned()
}

/// An instruction word in two halves, as fields are read from it.
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

/// A format, ready for use.
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
    /// Takes a format out of the tables.
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

    /// What of a native word is kept, and what is then set: its reserved bits are cleared, its
    /// constant ones set.
    fn masks(&self, leaves: &Leaves, word: Word) -> (Word, Word) {
        let mut kept = Word::new(u128::MAX);
        let mut set = Word::new(0);
        for node in self.rest {
            let now = word.and(kept).or(set);
            match leaves.resolve(&self.layout, *node, now, None) {
                Found::Node(node) => {
                    let mask = MASKS.get(usize::from(node.saturating_sub(FIRST_MASK)));
                    if let Some((or, and)) = mask {
                        let (or, and) = (Word::new(*or), Word::new(*and));
                        kept = kept.and(and);
                        set = set.or(or).and(and);
                    }
                }
                Found::Absent => {}
                Found::NoKey | Found::Unknown => break,
            }
        }
        (kept, set)
    }
}

/// A format with all decisions made that the bits of `keys` decide.
#[derive(Clone, Debug)]
pub struct Plan {
    opcode: u8,
    compact: bool,
    key: Word,
    kept: Word,
    set: Word,
    /// The leaf of each field; 0: there is none.
    layout: Layout,
}

/// The plans of the words that came last.
#[derive(Debug, Default)]
pub struct Plans(Vec<Option<Box<Plan>>>);

/// How many plans are remembered. Compiled code of a platform has some hundred.
pub(super) const PLANS: usize = 1024;

impl Plans {
    /// Takes the plan for a word out, or makes it. [`Self::put_back`] has to follow.
    pub fn take(
        &mut self,
        leaves: &Leaves,
        format: &Format,
        layout: &Layout,
        keys: Word,
        opcode: u8,
        (word, compact): (Word, bool),
    ) -> (usize, Box<Plan>) {
        if self.0.is_empty() {
            self.0.resize(PLANS, None);
        }
        let key = word.and(keys);
        let mixed =
            key.low ^ key.high.rotate_left(23) ^ u64::from(opcode) << 1 ^ u64::from(compact);
        let mixed = mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_shr(54);
        let at = usize::try_from(mixed).unwrap_or_default() % PLANS;
        let known = self.0.get_mut(at).and_then(Option::take);
        if let Some(plan) = known
            && plan.key == key
            && plan.opcode == opcode
            && plan.compact == compact
        {
            return (at, plan);
        }
        let (kept, set) = match compact {
            true => (Word::new(u128::MAX), Word::new(0)),
            false => format.masks(leaves, word),
        };
        let word = word.and(kept).or(set);
        let mut plan = Box::new(Plan {
            opcode,
            compact,
            key,
            kept,
            set,
            layout: *layout,
        });
        for (entry, node) in plan.layout.iter_mut().zip(layout) {
            *entry = match leaves.resolve(layout, *node, word, None) {
                Found::Node(node) => node,
                _ => 0,
            };
        }
        (at, plan)
    }

    /// Remembers a plan.
    pub fn put_back(&mut self, at: usize, plan: Box<Plan>) {
        if let Some(place) = self.0.get_mut(at) {
            *place = Some(plan);
        }
    }
}

impl Plan {
    /// The word without its reserved bits.
    #[must_use]
    pub fn clean(&self, word: Word) -> Word {
        word.and(self.kept).or(self.set)
    }

    /// Reads a field of a word, and adds its bits to `bits`. Returns `None` if the instruction has
    /// no such field.
    pub fn read_bits(
        &self,
        leaves: &Leaves,
        field: Field,
        word: Word,
        bits: &mut u128,
    ) -> Option<Value> {
        let node = self.layout.get(field as usize).copied().unwrap_or_default();
        *bits |= leaves.bits(leaves.leaf(node)?);
        self.read(leaves, field, word)
    }

    /// The leaf of a field. Returns `None` if the instruction has no such field.
    #[inline(always)]
    pub fn leaf<'a>(&self, leaves: &'a Leaves, field: Field) -> Option<&'a Leaf> {
        leaves.leaf(self.layout.get(field as usize).copied().unwrap_or_default())
    }

    /// Reads a field of a word. Returns `None` if the instruction has no such field.
    #[inline(always)]
    pub fn read(&self, leaves: &Leaves, field: Field, word: Word) -> Option<Value> {
        let node = self.layout.get(field as usize).copied().unwrap_or_default();
        Some(leaves.value(leaves.leaf(node)?, word))
    }
}

/// Where a decision leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    Node(u16),
    /// Nothing is there.
    Absent,
    /// The field that decides does not exist.
    NoKey,
    /// The field that decides is not known yet.
    Unknown,
}

pub(super) fn decision(node: u16) -> &'static [u16] {
    slice(
        &DECISIONS,
        &DECISIONS_AT,
        usize::from(node.saturating_sub(FIRST_DECISION)),
    )
}

/// The node that a decision has for a value.
fn choose(decision: &[u16], value: u64) -> u16 {
    for run in decision.get(1..).unwrap_or_default().chunks_exact(2) {
        if let [last, next] = run
            && value <= u64::from(*last)
        {
            return *next;
        }
    }
    0
}

/// Bits that lie in one half of a word.
#[derive(Clone, Copy, Debug)]
pub struct Piece {
    pub(super) mask: u64,
    pub(super) shift: u8,
    pub(super) at: u8,
    high: bool,
}

impl Piece {
    #[inline(always)]
    fn of(&self, word: Word) -> u64 {
        let half = if self.high { word.high } else { word.low };
        ((half >> (self.shift & 63)) & self.mask) << (self.at & 63)
    }
}

/// Where the bits of a field are and what they mean.
#[derive(Clone, Copy, Debug)]
pub struct Leaf {
    flags: u8,
    width: u8,
    /// The size of an immediate; 0: it is none.
    size: u8,
    /// The first piece; none of a constant.
    pub(super) piece: Piece,
    /// The other pieces.
    count: u8,
    first: u16,
    constant: u8,
    values: Option<&'static [u16]>,
    short: Short,
}

/// How a field is read without going through all that it could be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Short {
    /// It is a number.
    Number,
    /// What its bits, in one piece, say stands in [`Leaves::values`], from here on.
    Listed(u32),
    /// It has a sign, or too many values.
    No,
}

/// Fields of so many bits have their values listed.
const LISTED: u32 = 8;

/// What a field says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value {
    /// The number: that of the enumeration if it has numbers, the bits otherwise.
    pub number: u64,
    /// The name of the enumeration.
    pub meaning: Option<Meaning>,
    /// The enumeration has nothing for these bits.
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

/// All leaves, ready to be read.
#[derive(Debug)]
pub struct Leaves {
    leaves: Vec<Leaf>,
    pieces: Vec<Piece>,
    /// What the bits of fields say, of those of the same kind once.
    values: Vec<Value>,
}

impl Leaves {
    /// Those of the tables; made once.
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

    /// How a field is read; `listed` are the kinds of fields whose values stand in
    /// [`Self::values`], and where.
    fn shorten(&mut self, leaf: &Leaf, kind: u8, listed: &mut Vec<((u8, u64), u32)>) -> Short {
        let mask = leaf.piece.mask;
        if leaf.size != 0 || leaf.flags & 0x10 != 0 {
            return Short::No;
        }
        if leaf.values.is_none() {
            return Short::Number;
        }
        let is_low = leaf.count == 0 && leaf.piece.at == 0;
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
    pub(super) fn leaf(&self, node: u16) -> Option<&Leaf> {
        self.leaves.get(usize::from(node).checked_sub(1)?)
    }

    /// The pieces after the first one.
    pub(super) fn pieces(&self, leaf: &Leaf) -> &[Piece] {
        let first = usize::from(leaf.first);
        self.pieces
            .get(first..first + usize::from(leaf.count))
            .unwrap_or_default()
    }

    /// The bits as a number.
    #[inline]
    pub(super) fn raw(&self, leaf: &Leaf, word: Word) -> u64 {
        let mut value = u64::from(leaf.constant) | leaf.piece.of(word);
        if leaf.count != 0 {
            for piece in self.pieces(leaf) {
                value |= piece.of(word);
            }
        }
        value
    }

    /// Where the bits are in the word.
    pub(super) fn bits(&self, leaf: &Leaf) -> u128 {
        let pieces = self.pieces(leaf).iter().chain([&leaf.piece]);
        pieces.fold(0, |bits, piece| {
            let at = u32::from(piece.shift) + if piece.high { 64 } else { 0 };
            bits | u128::from(piece.mask) << at
        })
    }

    /// Follows decisions, with the fields of a word that are `known`; all if that is not said.
    pub(super) fn resolve(
        &self,
        layout: &Layout,
        mut node: u16,
        word: Word,
        known: Option<u128>,
    ) -> Found {
        if node < FIRST_DECISION && node != 0 {
            return Found::Node(node);
        }
        let mut open = [0_u16; 8];
        let mut depth = 0_usize;
        loop {
            if node == 0 {
                return match depth {
                    0 => Found::Absent,
                    _ => Found::NoKey,
                };
            }
            if node >= FIRST_DECISION {
                let Some(place) = open.get_mut(depth) else {
                    return Found::NoKey;
                };
                *place = node;
                depth += 1;
                let key = decision(node).first().copied().unwrap_or_default();
                node = layout.get(usize::from(key)).copied().unwrap_or_default();
                continue;
            }
            if depth == 0 {
                return Found::Node(node);
            }
            let Some(leaf) = self.leaf(node) else {
                return Found::NoKey;
            };
            if let Some(known) = known
                && self.bits(leaf) & !known != 0
            {
                return Found::Unknown;
            }
            depth -= 1;
            let decided = open.get(depth).copied().unwrap_or_default();
            node = choose(decision(decided), self.raw(leaf, word));
        }
    }

    /// What a field says, if its values are listed.
    #[inline(always)]
    pub(super) fn listed(&self, leaf: &Leaf, word: Word) -> Option<&Value> {
        let Short::Listed(at) = leaf.short else {
            return None;
        };
        let place = u64::from(at) + leaf.piece.of(word);
        self.values
            .get(usize::try_from(place).unwrap_or(usize::MAX))
    }

    /// The number in a field, if it is one and nothing else.
    #[inline(always)]
    pub(super) fn plain_number(&self, leaf: &Leaf, word: Word) -> Option<u64> {
        (leaf.short == Short::Number).then(|| self.raw(leaf, word))
    }

    #[inline]
    fn value(&self, leaf: &Leaf, word: Word) -> Value {
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

    /// What the bits of a field say.
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

    /// Reads a field of a word, and adds its bits to `bits` if they are wanted. Returns `None` if
    /// the format has no such field.
    #[must_use]
    pub fn read(
        &self,
        layout: &Layout,
        field: Field,
        word: Word,
        bits: Option<&mut u128>,
    ) -> Option<Value> {
        let node = layout.get(field as usize).copied().unwrap_or_default();
        let Found::Node(node) = self.resolve(layout, node, word, None) else {
            return None;
        };
        let leaf = self.leaf(node)?;
        if let Some(bits) = bits {
            *bits |= self.bits(leaf);
        }
        Some(self.value(leaf, word))
    }

    /// The bits of a word that decide anything in a format.
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
            // The field that decides can itself be decided.
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
        // The opcode is compared on its own.
        Word::new(bits & !0x7f)
    }

    /// A layout for one opcode: what depends on nothing else is decided.
    #[must_use]
    pub fn specialise(&self, layout: &Layout, opcode: u8) -> Box<Layout> {
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
