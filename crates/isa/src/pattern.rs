//! Patterns of instruction words, which share their contribution to the totals.
//!
//! The words of a pattern differ in free bits only: numbers of general registers, constants, jump
//! offsets, and the software scoreboard. Compiled code has a few patterns per kernel, so totals need
//! no decoding: a lookup yields all facts but the numbers of the registers.

use std::cell::RefCell;

use super::decode::{FieldRead, Operation, low16};
use super::encoding::Kind;
use super::instruction::{Instruction, Scoreboard};
use super::tables::{Field, Op};
use super::totals::{Facts, Names, Totals};
use super::word::{Piece, Word};
use super::{Decoder, Platform};

/// Capacity of the cache: a power of two. A large library has some ten thousand patterns.
const PATTERNS: usize = 1 << 15;

/// Maximum number of masks per opcode.
const MASKS: usize = 12;

/// Number of learned patterns up to which hits are not required.
const LEARNING: u32 = 4096;

/// Fields with register numbers: of the destination, and of the sources.
const NUMBERS: [Field; 6] = [
    Field::DstRegNum,
    Field::Src0RegNum,
    Field::Src1RegNum,
    Field::Src2RegNum,
    Field::Src3RegNum,
    Field::Src4RegNum,
];

/// Fields with constants and jump offsets.
const CONSTANTS: [Field; 5] = [
    Field::Imm,
    Field::JIP,
    Field::UIP,
    Field::Src0TernaryImm,
    Field::Src2TernaryImm,
];

/// A field of a pattern that is read from each word.
#[derive(Clone, Copy, Debug)]
enum Source {
    /// The same value in all words.
    Fixed,
    /// The number in a field.
    Field(Piece),
}

/// A field whose bits no other field of the word shares.
#[derive(Clone, Copy, Debug)]
struct Free {
    field: Field,
    bits: u128,
    piece: Piece,
}

/// A set of words with the same contribution to the totals.
#[derive(Debug)]
struct Pattern {
    code: u8,
    compact: bool,
    /// The bits that all its words share, and their values.
    mask: Word,
    key: Word,
    facts: Facts,
    /// The first register of each operand.
    numbers: [Source; 6],
    scoreboard: Source,
    op: Op,
    kind: Kind,
}

/// The known patterns of a platform.
#[derive(Debug, Default)]
pub(super) struct Patterns {
    slots: Vec<Option<Box<Pattern>>>,
    /// The masks of the patterns, by opcode, and by opcode + 128 for compacted instructions.
    masks: Vec<Vec<Word>>,
    pub names: Names,
    hits: u32,
    learned: u32,
}

thread_local! {
    static PATTERNS_OF: [RefCell<Patterns>; Platform::ALL.len()] =
        std::array::from_fn(|_| RefCell::default());
}

impl Patterns {
    /// Calls `f` with the patterns of a platform, which all code on this thread shares.
    pub fn of<T>(platform: Platform, f: impl FnOnce(&mut Patterns) -> T) -> T {
        PATTERNS_OF.with(|all| {
            let own = all.get(platform as usize);
            match own.and_then(|patterns| patterns.try_borrow_mut().ok()) {
                Some(mut patterns) => f(&mut patterns),
                None => f(&mut Patterns::default()),
            }
        })
    }

    fn slot(code: u8, compact: bool, mask: usize, key: Word) -> usize {
        let id = u64::from(code) << 5 ^ (mask as u64) << 1 ^ u64::from(compact);
        let mixed = key.low ^ key.high.rotate_left(23) ^ id.rotate_left(41);
        let mixed = mixed
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .wrapping_shr(64 - PATTERNS.ilog2());
        usize::try_from(mixed).unwrap_or_default() % PATTERNS
    }
}

/// What is done with an instruction that is looked up.
trait Use {
    type Out;

    /// Uses a word of a known pattern.
    fn pattern(self, decoder: &Decoder, pattern: &Pattern, native: Word) -> Self::Out;

    /// Uses what another word adds to the totals.
    fn facts(self, facts: &Facts) -> Self::Out;
}

/// Adds an instruction to totals.
struct Add<'t>(&'t mut Totals);

impl Use for Add<'_> {
    type Out = ();

    #[inline]
    fn pattern(self, decoder: &Decoder, pattern: &Pattern, native: Word) {
        decoder.add_pattern(pattern, native, self.0);
    }

    fn facts(self, facts: &Facts) {
        self.0.add(facts, facts.waits);
        for registers in facts.registers.iter().flatten() {
            self.0.touch(registers, registers.first);
        }
    }
}

/// Returns the number of an instruction's class.
struct Classify;

impl Use for Classify {
    type Out = u32;

    #[inline]
    fn pattern(self, _: &Decoder, pattern: &Pattern, _: Word) -> u32 {
        pattern.facts.class
    }

    fn facts(self, facts: &Facts) -> u32 {
        facts.class
    }
}

impl Decoder {
    /// Adds the instruction at the start of the bytes to the totals.
    pub(super) fn count(&self, bytes: &[u8], patterns: &mut Patterns, totals: &mut Totals) {
        // Without a whole instruction, there is nothing to add.
        let _ = self.look_up(bytes, patterns, Add(totals));
    }

    /// Returns the number of the class of the instruction at the start of the bytes, in
    /// [`Patterns::names`]. Returns `None` if they are too short.
    pub(super) fn class(&self, bytes: &[u8], patterns: &mut Patterns) -> Option<u32> {
        self.look_up(bytes, patterns, Classify)
    }

    /// Finds the pattern of the instruction at the start of the bytes, or decodes it. Returns `None`
    /// if they are too short.
    fn look_up<U: Use>(&self, bytes: &[u8], patterns: &mut Patterns, then: U) -> Option<U::Out> {
        let low = bytes.first_chunk::<8>()?;
        let low = u64::from_le_bytes(*low);
        let compact = low & (1 << 29) != 0;
        let high = bytes.get(8..).and_then(|high| high.first_chunk::<8>());
        let high = match (compact, high) {
            (true, _) => 0,
            (false, Some(high)) => u64::from_le_bytes(*high),
            (false, None) => return None,
        };
        let word = Word { low, high };
        if patterns.slots.is_empty() {
            patterns.slots.resize_with(PATTERNS, || None);
            patterns.masks.resize_with(256, Vec::new);
        }
        let code = low.to_le_bytes()[0] & 0x7f;
        let native = self.operation(low).and_then(|operation| {
            let native = if compact {
                self.native(operation, word, None)?
            } else {
                word
            };
            Some((operation, native))
        });
        let Some((operation, native)) = native else {
            let none = Instruction::default();
            let mut facts = Facts::of(self.encoding, &none, &mut patterns.names);
            facts.waits = false;
            return Some(then.facts(&facts));
        };
        let row = usize::from(code) | usize::from(compact) << 7;
        let masks = patterns.masks.get(row).map_or(&[][..], |masks| masks);
        for (at, mask) in masks.iter().enumerate() {
            let key = native.and(*mask);
            let slot = Patterns::slot(code, compact, at, key);
            // A pattern is in one of two slots.
            for slot in [slot, slot ^ 1] {
                if let Some(Some(pattern)) = patterns.slots.get(slot)
                    && pattern.key == key
                    && pattern.mask == *mask
                    && pattern.code == code
                    && pattern.compact == compact
                {
                    patterns.hits = patterns.hits.saturating_add(1);
                    return Some(then.pattern(self, pattern, native));
                }
            }
        }
        let packed = compact.then_some(word);
        // Code without repeated patterns, such as data, is decoded.
        if patterns.learned < LEARNING || patterns.hits / 8 > patterns.learned {
            patterns.learned += 1;
            if let Some(pattern) = self.learn(operation, native, packed, patterns) {
                let used = then.pattern(self, &pattern, native);
                patterns.keep(pattern);
                return Some(used);
            }
        }
        let mut instruction = Instruction::default();
        let facts = self.facts(operation, native, packed, &mut instruction, patterns);
        Some(then.facts(&facts))
    }

    /// Adds an instruction of a known pattern to the totals.
    #[inline]
    fn add_pattern(&self, pattern: &Pattern, native: Word, totals: &mut Totals) {
        let waits = match &pattern.scoreboard {
            Source::Fixed => pattern.facts.waits,
            Source::Field(piece) => {
                let value = low16(piece.of(native));
                let scoreboard = Scoreboard::new(self.encoding, pattern.op, pattern.kind, value);
                scoreboard.is_some_and(|scoreboard| scoreboard.waits())
            }
        };
        totals.add(&pattern.facts, waits);
        for (registers, number) in pattern.facts.registers.iter().zip(&pattern.numbers) {
            if let Some(registers) = registers {
                let first = match number {
                    Source::Fixed => registers.first,
                    Source::Field(piece) => low16(piece.of(native)),
                };
                totals.touch(registers, first);
            }
        }
    }

    /// Decodes a word and returns its contribution to the totals.
    fn facts(
        &self,
        operation: &Operation,
        native: Word,
        packed: Option<Word>,
        instruction: &mut Instruction,
        patterns: &mut Patterns,
    ) -> Facts {
        instruction.renew(operation.opcode.op, operation.opcode.kind, 16);
        let decoded = self.decode_native(operation, native, packed, None, instruction);
        if !matches!(decoded, Some((Ok(()), _))) {
            instruction.renew(Op::Illegal, Kind::Nullary, 16);
        }
        Facts::of(self.encoding, instruction, &mut patterns.names)
    }

    /// Returns the pattern of a word. Returns `None` if it depends on more than the native word.
    fn learn(
        &self,
        operation: &Operation,
        native: Word,
        packed: Option<Word>,
        patterns: &mut Patterns,
    ) -> Option<Box<Pattern>> {
        let mut instruction = Instruction::default();
        let mut reads: Vec<FieldRead> = Vec::new();
        let fields = Some(&mut reads);
        let (_, reads_packed) =
            self.decode_native(operation, native, packed, fields, &mut instruction)?;
        if reads_packed {
            return None;
        }
        let facts = self.facts(operation, native, packed, &mut instruction, patterns);
        let (op, kind) = (instruction.op, instruction.kind);
        let fixed = operation.keys.bits() | 0xff | 1 << 29;
        let free = self.free_fields(operation, native, packed.is_some(), fixed, &reads)?;
        let scoreboard = free.iter().find(|free| free.field == Field::SWSB).copied();
        // Wide messages have special register numbers.
        let is_wide = instruction
            .message
            .is_some_and(|message| message.wide.is_some());
        let mut free = free;
        free.retain(|free| !is_wide && free.field != Field::SWSB);
        // Changing the free fields shows which operands have which numbers.
        let changed = (0..).zip(&free).fold(native.bits(), |word, (at, free)| {
            word ^ free.bits & !nth_bit(free.bits, at)
        });
        let changed = Word::new(changed);
        let other = self.facts(operation, changed, packed, &mut instruction, patterns);
        let mut numbers = [Source::Fixed; 6];
        let mut linked = [false; 16];
        let mut expected = other.clone();
        expected.waits = facts.waits;
        let operands = facts.registers.iter().zip(&mut expected.registers);
        for ((before, after), number) in operands.zip(&mut numbers) {
            let (Some(before), Some(after)) = (before, after) else {
                continue;
            };
            let is_number = |free: &Free| {
                NUMBERS.contains(&free.field)
                    && low16(free.piece.of(native)) == before.first
                    && low16(free.piece.of(changed)) == after.first
            };
            let mut found = free
                .iter()
                .zip(&mut linked)
                .filter(|(free, _)| is_number(free));
            if let Some((free, linked)) = found.next()
                && found.next().is_none()
            {
                *number = Source::Field(free.piece);
                *linked = true;
                after.first = before.first;
            }
        }
        let mut mask = reads.iter().fold(fixed, |mask, read| mask | read.bits);
        if expected == facts {
            for (free, linked) in free.iter().zip(linked) {
                if linked || CONSTANTS.contains(&free.field) {
                    mask &= !free.bits;
                }
            }
        } else {
            numbers = [Source::Fixed; 6];
        }
        if let Some(scoreboard) = scoreboard {
            mask &= !scoreboard.bits;
        }
        let mask = Word::new(mask);
        Some(Box::new(Pattern {
            code: operation.opcode.code,
            compact: packed.is_some(),
            mask,
            key: native.and(mask),
            facts,
            numbers,
            scoreboard: scoreboard.map_or(Source::Fixed, |free| Source::Field(free.piece)),
            op,
            kind,
        }))
    }

    /// Returns the fields whose bits no other field of the word shares.
    fn free_fields(
        &self,
        operation: &Operation,
        native: Word,
        compact: bool,
        fixed: u128,
        reads: &[FieldRead],
    ) -> Option<Vec<Free>> {
        self.with_plan(operation, native, compact, |plan| {
            let fixed = fixed | !plan.kept_bits();
            let candidates = reads.iter().filter(|read| {
                let field = &read.field;
                *field == Field::SWSB || NUMBERS.contains(field) || CONSTANTS.contains(field)
            });
            let free = candidates.filter_map(|read| {
                let others = reads.iter().filter(|other| other.field != read.field);
                let taken = others.fold(fixed, |taken, other| taken | other.bits);
                let leaf = plan.leaf(self.leaves, read.field)?;
                let is_free = read.bits & taken == 0 && read.bits == self.leaves.bits(leaf);
                Some(Free {
                    field: read.field,
                    bits: read.bits,
                    piece: leaf.plain_piece().filter(|_| is_free)?,
                })
            });
            free.collect()
        })
    }
}

/// Returns a bit of a mask: the `at`th from the lowest on.
fn nth_bit(mask: u128, at: u32) -> u128 {
    let rest = (0..at).fold(mask, |rest, _| rest & rest.wrapping_sub(1));
    rest & rest.wrapping_neg()
}

impl Patterns {
    fn keep(&mut self, pattern: Box<Pattern>) {
        let row = usize::from(pattern.code) | usize::from(pattern.compact) << 7;
        let Some(masks) = self.masks.get_mut(row) else {
            return;
        };
        let known = masks.iter().position(|mask| *mask == pattern.mask);
        let at = known.unwrap_or(masks.len());
        // Each mask is tried for each word of the opcode, so there are few.
        if at >= MASKS {
            return;
        }
        if known.is_none() {
            masks.push(pattern.mask);
        }
        let slot = Patterns::slot(pattern.code, pattern.compact, at, pattern.key);
        let older = self.slots.get_mut(slot).map(|slot| slot.replace(pattern));
        if let Some(slot) = self.slots.get_mut(slot ^ 1)
            && let Some(Some(older)) = older
        {
            *slot = Some(older);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Adds an instruction to the totals by decoding it.
    fn decoded(decoder: &Decoder, bytes: &[u8], names: &mut Names) -> Totals {
        let mut totals = Totals::default();
        let Some(instruction) = decoder.decode(bytes) else {
            return totals;
        };
        let facts = Facts::of(decoder.encoding, &instruction, names);
        totals.add(&facts, facts.waits);
        for registers in facts.registers.iter().flatten() {
            totals.touch(registers, registers.first);
        }
        totals
    }

    fn counts(totals: &Totals, names: &Names) -> String {
        let kinds: Vec<_> = totals.kinds().collect();
        let messages = totals.messages();
        let messages: Vec<_> = messages
            .map(|(name, counts)| (names.get(name), counts))
            .collect();
        format!(
            "{kinds:?} {messages:?} {:?} {} {} {}",
            totals.effects,
            totals.illegal,
            totals.waits,
            totals.registers(),
        )
    }

    /// A pseudorandom number.
    fn next(state: &mut u64) -> u64 {
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        *state
    }

    #[test]
    fn patterns_count_what_decoding_finds() {
        const CODE: &[u8] =
            include_bytes!("../../../tests/fixtures/zebin/spill.nvl-p.igc2.40.zebin");
        let mut state = 0x2545_f491_4f6c_dd1d;
        for platform in Platform::ALL {
            let decoder = Decoder::new(platform);
            let mut patterns = Patterns::default();
            let mut names = Names::default();
            for at in (0..CODE.len()).step_by(8) {
                let Some(word) = CODE.get(at..).and_then(|rest| rest.first_chunk::<16>()) else {
                    break;
                };
                let word = u128::from_le_bytes(*word);
                // The word itself, with one to three changed bits, and as another operation.
                for change in 0..4 {
                    let mut word = word;
                    for _ in 0..change {
                        word ^= 1 << (next(&mut state) & 127);
                    }
                    let bytes = word.to_le_bytes();
                    let mut counted = Totals::default();
                    decoder.count(&bytes, &mut patterns, &mut counted);
                    let expected = decoded(&decoder, &bytes, &mut names);
                    let found = counts(&counted, &patterns.names);
                    assert_eq!(found, counts(&expected, &names), "{platform:?} {word:032x}");
                }
            }
            assert!(patterns.hits > patterns.learned / 4, "{platform:?}");
        }
    }
}
