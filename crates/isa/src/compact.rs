//! Expansion of compact words to native words.

use super::tables::{FIRST_DECISION, FIRST_MOVE, LOOKUPS, LOOKUPS_AT, MOVES, MOVES_AT};
use super::word::{Decision, Format, Layout, Leaf, Leaves, PLANS, Word, decision, ones, slice};

/// Native bits that are copied from or looked up by compact bits.
#[derive(Clone, Copy, Debug)]
pub struct Origin {
    /// Bits of the native word.
    pub native: u128,
    /// Bits of the compact word.
    pub compact: u64,
}

/// Bits of a compact word that are copied to the native word.
#[derive(Clone, Copy, Debug)]
struct Copy64 {
    mask: u64,
    from: u8,
    to: u8,
    high: bool,
}

/// The native word of all compact words that differ in copied bits only.
#[derive(Clone, Debug)]
pub struct Expansion {
    opcode: u8,
    key: u64,
    /// The native word without the copied bits; `None` if the compact word is invalid.
    base: Option<Word>,
    copies: Vec<Copy64>,
}

/// Cache of recent expansions.
#[derive(Debug, Default)]
pub struct Expansions(Vec<Option<Box<Expansion>>>);

impl Expansions {
    /// Expands a compact word. Returns `None` if it is invalid.
    pub fn expand(
        &mut self,
        leaves: &Leaves,
        compact: &Format,
        native: &Layout,
        copied: &CopiedFields,
        opcode: u8,
        packed: Word,
    ) -> Option<Word> {
        if self.0.is_empty() {
            self.0.resize(PLANS, None);
        }
        let key = packed.low & !copied.bits;
        // Fibonacci hashing: the upper bits of the product depend on all bits of the key.
        let mixed = (key ^ u64::from(opcode) << 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 54;
        let at = usize::try_from(mixed).unwrap_or_default() % PLANS;
        let place = self.0.get_mut(at)?;
        let known = place.as_ref();
        if known.is_none_or(|known| known.key != key || known.opcode != opcode) {
            let mut copies = Vec::new();
            let mut later = |node, leaf: &Leaf| {
                leaves.push_copies(node, leaf, &mut copies);
            };
            let cleared = Word { low: key, high: 0 };
            let base = expand(
                leaves,
                compact,
                native,
                cleared,
                Some((copied, &mut later)),
                None,
            );
            *place = Some(Box::new(Expansion {
                opcode,
                key,
                base,
                copies,
            }));
        }
        let expansion = place.as_ref()?;
        let mut word = expansion.base?;
        for copy in &expansion.copies {
            let bits = ((packed.low >> (copy.from & 63)) & copy.mask) << (copy.to & 63);
            if copy.high {
                word.high |= bits;
            } else {
                word.low |= bits;
            }
        }
        Some(word)
    }
}

/// The fields of a compact format that no decision depends on.
#[derive(Debug, Default)]
pub struct CopiedFields {
    /// Bit set of indexes in the format.
    fields: u32,
    /// Their bits in the compact word.
    bits: u64,
}

impl CopiedFields {
    /// Finds the copied fields of a format. `keys` are the bits of the native word that decisions
    /// depend on.
    #[must_use]
    pub fn new(leaves: &Leaves, compact: &Format, keys: Word) -> CopiedFields {
        let mut copied = CopiedFields::default();
        let fields = compact.fields.chunks_exact(2).zip(compact.rest);
        for (at, (field, node)) in (0_u32..32).zip(fields) {
            let Some(leaf) = field.last().and_then(|leaf| leaves.leaf(*leaf)) else {
                continue;
            };
            if leaf.piece.mask == 0 {
                continue;
            }
            // Whatever its destination depends on, the field must be copied bit by bit.
            let mut open = vec![*node];
            let mut plain = true;
            while let Some(node) = open.pop() {
                if node >= FIRST_DECISION {
                    let runs = decision(node).get(1..).unwrap_or_default();
                    open.extend(runs.chunks_exact(2).filter_map(|run| run.last()));
                } else if node >= FIRST_MOVE
                    && let [table, steps @ ..] = movement(node)
                {
                    plain &= *table == 0;
                    for step in steps.chunks_exact(5) {
                        if let [kind, _, _, low, high] = step {
                            let target = Word::new(ones(*low, *high));
                            plain &= *kind == 2 || target.and(keys) == Word::new(0);
                            // Decisions depend on the opcode.
                            plain &= *low > 6;
                        }
                    }
                }
            }
            if plain {
                copied.fields |= 1 << at;
                copied.bits |= Word::new(leaves.bits(leaf)).low;
            }
        }
        // Excludes bits that also belong to a field that decisions depend on.
        for (at, field) in (0_u32..32).zip(compact.fields.chunks_exact(2)) {
            let leaf = field.last().and_then(|leaf| leaves.leaf(*leaf));
            if copied.fields & 1 << at == 0
                && let Some(leaf) = leaf
            {
                copied.bits &= !Word::new(leaves.bits(leaf)).low;
            }
        }
        copied
    }
}

impl Leaves {
    /// Appends the copies for a move of a field.
    fn push_copies(&self, node: u16, leaf: &Leaf, copies: &mut Vec<Copy64>) {
        let steps = movement(node).get(1..).unwrap_or_default();
        for step in steps.chunks_exact(5) {
            let [0 | 1, from, to, low, high] = step else {
                continue;
            };
            // Repeats the field until the destination is full. Each copy stays within one piece and
            // one half.
            let mut at = *low;
            while at <= *high {
                let mut source = *from;
                while source <= *to && at <= *high {
                    let mut room = (64 - at % 64).min(high - at + 1).min(to - source + 1);
                    let mut place = None;
                    for piece in self.pieces(leaf).iter().chain([&leaf.piece]) {
                        let width = piece.mask.count_ones().to_le_bytes()[0];
                        if source >= piece.at && source < piece.at + width {
                            room = room.min(piece.at + width - source);
                            place = Some(piece.shift + (source - piece.at));
                        }
                    }
                    if let Some(from) = place {
                        copies.push(Copy64 {
                            mask: u64::MAX
                                .checked_shr(64 - u32::from(room))
                                .unwrap_or_default(),
                            from,
                            to: at % 64,
                            high: at >= 64,
                        });
                    } else {
                        room = 1;
                    }
                    at += room;
                    source += room;
                }
            }
        }
    }
}

fn movement(node: u16) -> &'static [u8] {
    let id = usize::from(node.saturating_sub(FIRST_MOVE));
    slice(&MOVES, &MOVES_AT, id)
}

/// Receives the moves of copied fields.
type DeferredMove<'a> = &'a mut dyn FnMut(u16, &Leaf);

/// Expands a compact word. Returns `None` if it is invalid. Collects the sources of the native bits
/// in `origins`. Omits `copied` fields.
#[must_use]
pub fn expand(
    leaves: &Leaves,
    compact: &Format,
    native: &Layout,
    packed: Word,
    mut copied: Option<(&CopiedFields, DeferredMove<'_>)>,
    mut origins: Option<&mut Vec<Origin>>,
) -> Option<Word> {
    let mut built = 0_u128;
    let mut known = 0_u128;
    // Fields wait until the fields that their destination depends on are known.
    let mut waiting = [false; 32];
    let mut rounds = 0;
    let count = compact.rest.len().min(waiting.len());
    let mut first = true;
    loop {
        let mut progress = false;
        for (at, waits) in waiting.iter_mut().enumerate().take(count) {
            if !first && !*waits {
                continue;
            }
            let now = Word::new(built);
            let node = compact.rest.get(at).copied().unwrap_or_default();
            match leaves.resolve(native, node, now, Some(known)) {
                Decision::Node(node) => {
                    let field = compact.fields.get(at * 2 + 1).copied().unwrap_or_default();
                    let leaf = match leaves.resolve(native, field, now, Some(known)) {
                        Decision::Node(node) => leaves.leaf(node),
                        _ => None,
                    };
                    if let Some((copied, later)) = &mut copied
                        && copied.fields & 1 << at != 0
                        && let Some(leaf) = leaf
                    {
                        later(node, leaf);
                    }
                    // A mapped field that the compact word lacks counts as ones, as in IGA.
                    let (value, bits) = leaf.map_or((u64::MAX, 0), |leaf| {
                        (leaves.raw(leaf, packed), leaves.bits(leaf))
                    });
                    apply_move(node, value, bits, &mut built, &mut known, &mut origins);
                    *waits = false;
                    progress = true;
                    if !first {
                        // After the first pass, only the first field that can be resolved, then
                        // from the start again: IGA's order decides where fields overlap.
                        break;
                    }
                }
                Decision::Unknown => *waits = true,
                Decision::Absent | Decision::NoKey => return None,
            }
        }
        if !waiting.contains(&true) {
            // The native word is not compacted.
            return Some(Word::new(built & !(1 << 29)));
        }
        rounds += 1;
        if (!progress && !first) || rounds > 64 {
            return None;
        }
        first = false;
    }
}

/// Writes the value of a compact field to the native word.
fn apply_move(
    node: u16,
    mut value: u64,
    bits: u128,
    built: &mut u128,
    known: &mut u128,
    origins: &mut Option<&mut Vec<Origin>>,
) {
    let Some((table, steps)) = movement(node).split_first() else {
        return;
    };
    if let Some(table) = table.checked_sub(1) {
        let table = slice(&LOOKUPS, &LOOKUPS_AT, usize::from(table));
        let entry = usize::try_from(value).ok().and_then(|at| table.get(at));
        value = entry.copied().unwrap_or_default();
    }
    for step in steps.chunks_exact(5) {
        let [kind, from, to, low, high] = step else {
            continue;
        };
        let target = ones(*low, *high);
        *known |= target;
        let mut part = match kind {
            0 | 1 => {
                u128::from(value.checked_shr(u32::from(*from)).unwrap_or_default())
                    & ones(0, to.saturating_sub(*from))
            }
            _ => u128::from(*from),
        };
        let mut filled = u32::from(to.saturating_sub(*from)) + 1;
        while *kind == 1 && filled < 128 {
            part |= part.checked_shl(filled).unwrap_or_default();
            filled *= 2;
        }
        // Bits are never cleared: two fields may set the same one, such as the high bit of r256 on
        // Xe3P.
        *built |= part.checked_shl(u32::from(*low)).unwrap_or_default() & target;
        if let Some(origins) = origins
            && *kind != 2
        {
            let field = Word::new(bits).low;
            // Copied fields map bit by bit, looked-up fields as a whole.
            let own = match field.trailing_zeros() {
                shift if *table == 0 && shift < 64 => {
                    field & Word::new(ones(*from, *to).checked_shl(shift).unwrap_or_default()).low
                }
                _ => field,
            };
            origins.push(Origin {
                native: target,
                compact: own,
            });
        }
    }
}
