//! Reaching definitions: the writes that a value may come from.
//!
//! Bytes are independent, so each register is traced separately. Within a block, the writes to a
//! register are linked; across blocks, a search visits the predecessors.
//!
//! A write without predicate ends the paths of the bytes that it writes. One with a predicate does so
//! only for a use under the same predicate, or together with a write under the complementary
//! predicate in the same block; a write to the flag in between cancels both.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use super::build::{DataFlow, Guard, NONE, Read, Row, index};
use super::footprint::Role;
use super::regset::{ByteSet, Piece, Pieces, Unit};
use zeview_core::model::sort;

/// A producer of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// The instruction that writes it; `None` for an input of the kernel.
    pub row: Option<u32>,
    /// The bytes that it writes.
    pub bytes: ByteSet,
}

/// The producers of an operand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OperandDefinitions {
    /// The operand.
    pub role: Role,
    /// Its producers, inputs of the kernel first, then in the order of the code.
    pub definitions: Vec<Definition>,
}

/// A row, or [`NONE`] for an input of the kernel, and the bytes of one register that it writes.
type Reaching = (u32, u64);

/// The definitions that reach the start of blocks: by block and register.
pub(super) type EntryDefinitions = HashMap<Entry, Rc<[Reaching]>>;

/// The memory of an entry in addition to its definitions, in definitions.
const ENTRY: usize = 4;

/// A block and a register at its start.
type Entry = (u32, Unit);

/// The consumers of results. Those of what reaches the start of a block are kept once for all
/// definitions that reach it: there may be as many of these as consumers.
#[derive(Debug, Default)]
pub(super) struct Consumers {
    /// Definitions and consumers in the same block.
    near: Vec<(u32, u32)>,
    /// Definitions, the starts of blocks that they reach, and the bytes.
    far: Vec<(u32, Entry, u64)>,
    /// The instructions that read a register as it is at the start of their block, and the bytes.
    readers: BTreeMap<Entry, Vec<(u32, u64)>>,
}

/// The items of a definition in a sorted list.
fn of<T>(list: &[T], row: u32, key: impl Fn(&T) -> u32) -> &[T] {
    let start = list.partition_point(|item| key(item) < row);
    let end = list.partition_point(|item| key(item) <= row);
    list.get(start..end).unwrap_or_default()
}

/// A predicated write encountered during the search.
struct Passed {
    guard: Guard,
    mask: u64,
}

impl DataFlow {
    /// The producers of the values that each operand of an instruction reads.
    #[must_use]
    pub fn definitions(&self, row: u32) -> Vec<OperandDefinitions> {
        self.query(|| self.find_definitions(row)).value
    }

    pub(super) fn find_definitions(&self, row: u32) -> Vec<OperandDefinitions> {
        let footprint = self.footprint(row);
        let reads = footprint.reads();
        let reads = reads.map(|access| OperandDefinitions {
            role: access.role,
            definitions: self.definitions_of(row, &access.bytes),
        });
        reads
            .filter(|found| !found.definitions.is_empty())
            .collect()
    }

    /// The producers of all bytes that an instruction reads.
    #[must_use]
    pub fn all_definitions(&self, row: u32) -> Vec<Definition> {
        self.query(|| self.find_all_definitions(row)).value
    }

    pub(super) fn find_all_definitions(&self, row: u32) -> Vec<Definition> {
        let pieces = self.reads_of(row).iter().map(|read| read.piece);
        self.definitions_of(row, &ByteSet::new(pieces.collect(), self.sizes()))
    }

    /// The producers of bytes that an instruction reads.
    fn definitions_of(&self, row: u32, bytes: &ByteSet) -> Vec<Definition> {
        let mut found: Vec<(u32, Piece)> = Vec::new();
        for piece in bytes.pieces() {
            self.each_definition(row, *piece, &mut |from, mask| {
                let unit = piece.unit;
                found.push((from, Piece { unit, mask }));
                true
            });
        }
        // Inputs first: NONE wraps to 0.
        sort::by_key(&mut found, |(row, piece)| (row.wrapping_add(1), piece.unit));
        let mut out: Vec<(u32, Pieces)> = Vec::new();
        for (from, piece) in found {
            match out.last_mut() {
                Some((last, pieces)) if *last == from => pieces.add_mask(piece.unit, piece.mask),
                _ => {
                    let mut pieces = Pieces::default();
                    pieces.add_mask(piece.unit, piece.mask);
                    out.push((from, pieces));
                }
            }
        }
        let definition = |(row, pieces): (u32, Pieces)| Definition {
            row: (row != NONE).then_some(row),
            bytes: ByteSet::new(pieces.0, self.sizes()),
        };
        out.into_iter().map(definition).collect()
    }

    /// The consumers of a result: the instructions that read bytes that the instruction writes, in
    /// code order. The first call indexes the whole code. Returns `None` if that takes too much work.
    #[must_use]
    pub fn uses(&self, row: u32) -> Option<Vec<u32>> {
        let found = self.query(|| self.find_uses(row));
        (!found.is_cut).then_some(found.value)
    }

    pub(super) fn find_uses(&self, row: u32) -> Vec<u32> {
        let consumers = self.known(&self.consumers, || self.find_consumers());
        let mut found = Vec::new();
        let near = of(&consumers.near, row, |pair| pair.0);
        found.extend(near.iter().map(|(_, to)| *to));
        for (_, entry, mask) in of(&consumers.far, row, |entry| entry.0) {
            for (to, rest) in consumers.readers.get(entry).into_iter().flatten() {
                if !self.spend(1) {
                    return found;
                }
                if mask & rest != 0 {
                    found.push(*to);
                }
            }
        }
        sort::ascending(&mut found);
        found.dedup();
        found
    }

    fn find_consumers(&self) -> Consumers {
        let mut out = Consumers::default();
        for row in 0..self.count() {
            let block = self.block_of(row).unwrap_or(NONE);
            for Read { piece, .. } in self.reads_of(row) {
                let rest = self.walk_from(row, *piece, &mut |from, _| {
                    let may_keep = self.keep(1);
                    if may_keep {
                        out.near.push((from, row));
                    } else {
                        self.cut();
                    }
                    may_keep
                });
                if rest != 0 {
                    let readers = out.readers.entry((block, piece.unit)).or_default();
                    readers.push((row, rest));
                }
            }
        }
        for (block, unit) in out.readers.keys() {
            let entry = self.entry(*block, *unit);
            let written = entry.iter().filter(|(from, _)| *from != NONE);
            if !self.keep(entry.len()) {
                self.cut();
                break;
            }
            out.far
                .extend(written.map(|(from, mask)| (*from, (*block, *unit), *mask)));
        }
        sort::ascending(&mut out.near);
        sort::ascending(&mut out.far);
        out
    }

    /// Calls `f` with the producers of bytes of a register that an instruction reads, until it
    /// returns `false`.
    pub(super) fn each_definition(
        &self,
        row: u32,
        piece: Piece,
        f: &mut dyn FnMut(u32, u64) -> bool,
    ) {
        let rest = self.walk_from(row, piece, f);
        let Some(block) = self.block_of(row).filter(|_| rest != 0) else {
            return;
        };
        for (from, mask) in self.entry(block, piece.unit).iter() {
            if !self.spend(1) || mask & rest != 0 && !f(*from, mask & rest) {
                return;
            }
        }
    }

    /// As [`each_definition`](Self::each_definition), within the block. Returns the bytes that may
    /// come from before the block.
    pub(super) fn walk_from(
        &self,
        row: u32,
        piece: Piece,
        f: &mut dyn FnMut(u32, u64) -> bool,
    ) -> u64 {
        let reads = self.reads_of(row);
        let read = reads.iter().find(|read| read.piece.unit == piece.unit);
        match (self.row(row), read) {
            (Some(record), Some(read)) => {
                self.walk(read.definition, row, piece.mask, record.guard, f)
            }
            _ => 0,
        }
    }

    /// Follows bytes of a register back from a row to the start of its block. `write` is the last
    /// write to the register before the row. Calls `f` with the writes that they may come from, until
    /// it returns `false`. Returns the bytes that may come from before the block.
    pub(super) fn walk(
        &self,
        mut write: u32,
        mut row: u32,
        mut mask: u64,
        mut guard: Guard,
        f: &mut dyn FnMut(u32, u64) -> bool,
    ) -> u64 {
        let mut passed: Vec<Passed> = Vec::new();
        while let Some(at) = self.writes.get(index(write)) {
            if !self.spend(1) {
                return mask;
            }
            let Some(record) = self.row(at.row) else {
                return mask;
            };
            if guard.flags != 0 || !passed.is_empty() {
                let flags = self.flags_between(at.row, row);
                // The flag was another one before that write.
                if guard.flags & flags != 0 {
                    guard = Guard::default();
                }
                passed.retain(|passed| passed.guard.flags & flags == 0);
            }
            let overlap = if matches(guard, record.guard) {
                mask & at.piece.mask
            } else {
                0
            };
            if overlap != 0 {
                if !f(at.row, overlap) {
                    return 0;
                }
                mask = ends(mask, overlap, guard, record, &mut passed);
                if mask == 0 {
                    return 0;
                }
            }
            row = at.row;
            write = at.previous;
        }
        mask
    }

    /// The flag bytes that are written in a range of rows.
    fn flags_between(&self, from: u32, to: u32) -> u16 {
        let start = self.flag_writes.partition_point(|(row, _)| *row < from);
        let writes = self.flag_writes.get(start..).unwrap_or_default();
        let writes = writes.iter().take_while(|(row, _)| *row < to);
        let mut count = 0;
        let flags = writes.fold(0, |flags, (_, bits)| {
            count += 1;
            flags | bits
        });
        self.spend(count);
        flags
    }

    /// The last write to a register in a block.
    pub(super) fn last_write(&self, block: u32, unit: Unit) -> u32 {
        let last = self.node(block).map_or(&[][..], |node| &node.last);
        let found = last.binary_search_by_key(&unit, |(unit, _)| *unit);
        let found = found.ok().and_then(|at| last.get(at));
        found.map_or(NONE, |(_, write)| *write)
    }

    /// The last write to a register in a block before a row.
    pub(super) fn write_before(&self, block: u32, row: u32, unit: Unit) -> u32 {
        let mut at = self.last_write(block, unit);
        while let Some(write) = self.writes.get(index(at)).filter(|write| write.row >= row) {
            self.spend(1);
            at = write.previous;
        }
        at
    }

    /// The definitions of a register that reach the start of a block.
    pub(super) fn entry(&self, block: u32, unit: Unit) -> Rc<[Reaching]> {
        if let Some(known) = self.entries.borrow().get(&(block, unit)) {
            return Rc::clone(known);
        }
        let found: Rc<[Reaching]> = self.find_entry(block, unit).into();
        // The next part may have the budget for it.
        // Not kept beyond the limit, but found again: memory is bounded, and answers stay complete.
        if !self.is_cut() && self.keep(found.len() + ENTRY) {
            let mut entries = self.entries.borrow_mut();
            entries.insert((block, unit), Rc::clone(&found));
        }
        found
    }

    fn find_entry(&self, block: u32, unit: Unit) -> Vec<Reaching> {
        let mut out: Vec<Reaching> = Vec::new();
        // The bytes already searched for at the end of each block.
        let mut seen: HashMap<u32, u64> = HashMap::new();
        // The first block has an edge from outside, beside those of loops back to it.
        let mut input = if block == 0 { u64::MAX } else { 0 };
        let predecessors = |block: u32| self.graph.predecessors(block);
        let mut work: Vec<(u32, u64)> = Vec::new();
        work.extend(predecessors(block).iter().map(|from| (*from, u64::MAX)));
        while let Some((from, mask)) = work.pop() {
            if !self.spend(1) {
                break;
            }
            let seen = seen.entry(from).or_default();
            // A block is walked again only for bytes that were not searched there yet, so loops
            // end.
            let mask = mask & !*seen;
            if mask == 0 {
                continue;
            }
            *seen |= mask;
            let write = self.last_write(from, unit);
            let end = self.node(from).map_or(0, |node| node.end);
            let rest = self.walk(write, end, mask, Guard::default(), &mut |row, mask| {
                out.push((row, mask));
                true
            });
            if rest == 0 {
                continue;
            }
            if from == 0 {
                input |= rest;
            }
            work.extend(predecessors(from).iter().map(|from| (*from, rest)));
        }
        if input != 0 {
            out.push((NONE, input));
        }
        out
    }
}

/// Whether a use under a predicate can see a write under another.
fn matches(used: Guard, written: Guard) -> bool {
    used.flags == 0 || written.flags == 0 || agree(used, written)
}

fn agree(used: Guard, written: Guard) -> bool {
    used.inverse == written.inverse && used.flags & written.flags != 0
}

/// The bytes that remain to be found after a write that overlaps them.
fn ends(mask: u64, overlap: u64, used: Guard, row: &Row, passed: &mut Vec<Passed>) -> u64 {
    let mut mask = mask;
    if row.guard.flags == 0 || agree(used, row.guard) {
        mask &= !overlap;
        for passed in passed.iter_mut() {
            passed.mask &= !overlap;
        }
    } else {
        for passed in passed.iter_mut().rev() {
            let complements = passed.guard.inverse != row.guard.inverse
                && passed.guard.flags & row.guard.flags != 0;
            if complements {
                mask &= !(overlap & passed.mask);
                passed.mask &= !overlap;
            }
        }
    }
    if row.guard.flags != 0 {
        // A later write under the complementary predicate completes this one.
        passed.push(Passed {
            guard: row.guard,
            mask: overlap,
        });
    }
    passed.retain(|passed| passed.mask != 0);
    mask
}
