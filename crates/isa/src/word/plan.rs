//! Plans for decoding words.

use super::leaves::{Leaf, Leaves, Value};
use super::{Format, Layout, Word, slice};
use crate::tables::{DECISIONS, DECISIONS_AT, FIRST_DECISION, Field};

/// A format with all decisions resolved for the bits of `keys`.
#[derive(Clone, Debug)]
pub struct Plan {
    opcode: u8,
    compact: bool,
    key: Word,
    kept: Word,
    set: Word,
    /// The leaf of each field; 0 if there is none.
    layout: Layout,
}

/// Cache of recent plans.
#[derive(Debug, Default)]
pub struct Plans(Vec<Option<Box<Plan>>>);

/// Capacity of the cache. Compiled code of a platform needs a few hundred.
pub(crate) const PLANS: usize = 1024;

impl Plans {
    /// Takes the plan for a word out of the cache, or makes it. Return it with [`Self::put_back`].
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
        // Taken out rather than borrowed, so that `f` may ask for another plan.
        let known = self.0.get_mut(at).and_then(Option::take);
        if let Some(plan) = known
            && plan.key == key
            && plan.opcode == opcode
            && plan.compact == compact
        {
            return (at, plan);
        }
        let (kept, set) = if compact {
            (Word::new(u128::MAX), Word::new(0))
        } else {
            format.masks(leaves, word)
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
                Decision::Node(node) => node,
                _ => 0,
            };
        }
        (at, plan)
    }

    /// Puts a plan into the cache.
    pub fn put_back(&mut self, at: usize, plan: Box<Plan>) {
        if let Some(place) = self.0.get_mut(at) {
            *place = Some(plan);
        }
    }
}

impl Plan {
    /// Returns the word without its reserved bits.
    #[must_use]
    pub fn clean(&self, word: Word) -> Word {
        word.and(self.kept).or(self.set)
    }

    /// Returns the bits that [`Self::clean`] keeps.
    pub(crate) fn kept_bits(&self) -> u128 {
        self.kept.bits() & !self.set.bits()
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

    /// Returns the leaf of a field. Returns `None` if the instruction has no such field.
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

/// The result of a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Decision {
    Node(u16),
    /// There is no field.
    Absent,
    /// The field that it depends on does not exist.
    NoKey,
    /// The field that it depends on is not known yet.
    Unknown,
}

pub(crate) fn decision(node: u16) -> &'static [u16] {
    slice(
        &DECISIONS,
        &DECISIONS_AT,
        usize::from(node.saturating_sub(FIRST_DECISION)),
    )
}

/// Returns the node of a decision for a value.
pub(super) fn choose(decision: &[u16], value: u64) -> u16 {
    for run in decision.get(1..).unwrap_or_default().chunks_exact(2) {
        if let [last, next] = run
            && value <= u64::from(*last)
        {
            return *next;
        }
    }
    0
}
