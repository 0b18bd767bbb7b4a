//! Values that could be computed again at their uses, instead of being kept in registers or in
//! scratch memory: results of one instruction whose sources have the same values there, and are in
//! registers anyway.

use std::collections::{BTreeMap, HashSet};

use super::build::{DataFlow, Guard, NONE};
use super::footprint::{Certainty, Role};
use super::regset::{ByteSet, Piece, Pieces, RegisterFile};
use super::spills::Spills;
use crate::instruction::{Instruction, OperandKind, Options};
use crate::tables::Op;
use zeview_core::analysis::figure::Figure;
use zeview_core::model::sort;

/// A value that could be computed again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recomputable {
    /// The instruction that computes it.
    pub row: u32,
    /// The bytes that hold it where most registers are live; empty for a spilled value.
    pub bytes: ByteSet,
    /// The index of its slot in [`Spills::slots`] and the message that spills it.
    pub slot: Option<(usize, u32)>,
    /// The instructions that use it after that position, or the messages that fill it.
    pub uses: Vec<u32>,
    /// Whether it reads no register.
    pub is_constant: bool,
}

/// Maximum number of uses: each would compute the value again.
const USES: usize = 4;

/// Maximum number of blocks between a value and its use.
const BLOCKS: usize = 64;

/// The values that could be computed again, and the number of values with too many blocks between
/// them and their uses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recomputables {
    /// The values: those in most registers first, then the spilled ones.
    pub values: Vec<Recomputable>,
    /// Number of values that were not examined completely.
    pub skipped: u32,
}

/// A value, and the registers that its computation reads.
struct Candidate {
    value: Recomputable,
    sources: Vec<Piece>,
}

impl DataFlow {
    /// The values that could be computed again. Empty if calls or registers with unknown numbers may
    /// change the sources.
    ///
    /// # Errors
    ///
    /// As [`spills`](Self::spills).
    pub fn recomputables(&self, spills: &Spills) -> Figure<Recomputables> {
        self.figure(|| self.find_recomputables(spills))
    }

    fn find_recomputables(&self, spills: &Spills) -> Recomputables {
        let mut out = Recomputables::default();
        let extent = self.extent();
        if extent.calls > 0 || extent.indirect > 0 {
            return out;
        }
        let mut candidates = self.values_at_peak();
        candidates.extend(self.spilled_values(spills));
        candidates.retain(|candidate| {
            let (row, sources) = (candidate.value.row, &candidate.sources);
            let mut uses = candidate.value.uses.iter();
            uses.all(|to| match self.is_kept(row, *to, sources) {
                Some(is_kept) => is_kept,
                None => {
                    out.skipped += 1;
                    false
                }
            })
        });
        self.retain_live(&mut candidates);
        out.values = candidates.into_iter().map(|found| found.value).collect();
        sort::by_key(&mut out.values, |value| {
            let bytes = value.bytes.bytes(RegisterFile::General);
            (value.slot, std::cmp::Reverse(bytes), value.row)
        });
        out
    }

    /// The values of general registers where most of them are live.
    fn values_at_peak(&self) -> Vec<Candidate> {
        let Some(peak) = self.peak_row() else {
            return Vec::new();
        };
        let live = self.live_set(peak);
        let mut values: BTreeMap<u32, Pieces> = BTreeMap::new();
        for piece in live.pieces() {
            let mut producers = Vec::new();
            self.producers_at(peak, piece.unit, piece.mask, &mut |from| {
                if producers.last() != Some(&from) {
                    producers.push(from);
                }
                producers.len() <= 1
            });
            if let [from] = producers[..]
                && from != NONE
            {
                let pieces = values.entry(from).or_default();
                pieces.add_mask(piece.unit, piece.mask);
            }
        }
        let candidates = values.into_iter().filter_map(|(row, pieces)| {
            let sources = self.sources(row)?;
            let bytes = ByteSet::new(pieces.0, self.sizes());
            if bytes.bytes(RegisterFile::General) == 0 {
                return None;
            }
            // Freeing a part of a register does not lower the pressure, which counts registers.
            if !self.frees_register(&bytes, &live) {
                return None;
            }
            let uses: Vec<u32> = self
                .find_uses(row)
                .into_iter()
                .filter(|to| self.follows(row, peak, *to) && self.reads_any(*to, &bytes))
                // One more than allowed is enough to refuse.
                .take(USES + 1)
                .collect();
            // At the position itself, the value would have to be in registers as well.
            let is_used = uses.contains(&peak);
            (!uses.is_empty() && uses.len() <= USES && !is_used).then_some(Candidate {
                value: Recomputable {
                    row,
                    bytes,
                    slot: None,
                    uses,
                    is_constant: sources.is_empty(),
                },
                sources,
            })
        });
        candidates.collect()
    }

    /// Whether bytes are all live bytes of a general register.
    fn frees_register(&self, bytes: &ByteSet, live: &ByteSet) -> bool {
        bytes.registers().any(|(file, number, mask)| {
            let mut live = live.registers();
            file == RegisterFile::General && live.any(|of| of == (file, number, mask))
        })
    }

    /// The values that one instruction spills.
    fn spilled_values(&self, spills: &Spills) -> Vec<Candidate> {
        let mut out = Vec::new();
        for (at, slot) in spills.slots.iter().enumerate() {
            // With several writers, a fill may read any of their values.
            let [writer] = slot.writers[..] else { continue };
            if slot.readers.is_empty() || slot.readers.len() > USES {
                continue;
            }
            let (data, written) = self.spilled_data(writer);
            let [only] = data.as_slice() else { continue };
            let is_whole = only.bytes.bytes(RegisterFile::General) == written;
            let Some(row) = only.row.filter(|_| is_whole) else {
                continue;
            };
            // Constants have their own pattern.
            if let Some(sources) = self.sources(row).filter(|sources| !sources.is_empty()) {
                out.push(Candidate {
                    value: Recomputable {
                        row,
                        bytes: ByteSet::new(Vec::new(), self.sizes()),
                        slot: Some((at, writer)),
                        uses: slot.readers.clone(),
                        is_constant: false,
                    },
                    sources,
                });
            }
        }
        out
    }

    /// The registers that an instruction reads, if it could run again: it only writes a general
    /// register, depends on nothing but registers, and does not change its sources.
    fn sources(&self, row: u32) -> Option<Vec<Piece>> {
        let record = self.row(row)?;
        if record.is_send || record.invalid || record.guard != Guard::default() {
            return None;
        }
        let i = self.instruction(row)?;
        if i.modifier.is_some()
            || i.kind.is_branch()
            || i.options.has(Options::ACC_WR_EN)
            // A systolic multiplication costs more than a fill.
            || matches!(i.op, Op::Sync | Op::Dpas | Op::Dpasw | Op::Bdpas)
            || !has_plain_sources(&i)
        {
            return None;
        }
        let footprint = self.footprint(row);
        let is_plain = footprint.accesses.iter().all(|access| {
            let is_written = access.role.writes();
            access.certainty == Certainty::Exact
                && (!is_written || access.role == Role::Destination)
        });
        let reads = self.reads_of(row).iter().map(|read| read.piece);
        let reads: Vec<Piece> = reads.collect();
        let mut writes = self.writes_of(row).iter().map(|write| write.piece);
        let changes = writes.any(|write| {
            let mut reads = reads.iter();
            reads.any(|read| read.unit == write.unit && read.mask & write.mask != 0)
        });
        (is_plain && !changes).then_some(reads)
    }

    /// Whether a use of a value may run after a position, before the value is computed again.
    fn follows(&self, value: u32, position: u32, to: u32) -> bool {
        if to >= position {
            return true;
        }
        let forest = self.graph.forest();
        let is_in = |row: u32, at: usize| {
            let block = self.block_of(row);
            block.is_some_and(|block| forest.has(at, block))
        };
        let innermost = self.block_of(position).and_then(|of| forest.loop_of(of));
        let parent = |at: &usize| forest.loops.get(*at)?.parent;
        let around = std::iter::successors(innermost, parent);
        let mut around = around.take_while(|_| self.spend(1));
        around.any(|at| is_in(to, at) && (to <= value || !is_in(value, at)))
    }

    fn reads_any(&self, row: u32, bytes: &ByteSet) -> bool {
        let mut reads = self.reads_of(row).iter().map(|read| read.piece);
        reads.any(|read| {
            let mut pieces = bytes.pieces().iter();
            pieces.any(|piece| piece.unit == read.unit && piece.mask & read.mask != 0)
        })
    }

    /// Whether no instruction writes some bytes on any path from an instruction to a use of its
    /// result. Returns `None` if there are too many blocks between them.
    fn is_kept(&self, from: u32, to: u32, bytes: &[Piece]) -> Option<bool> {
        let (first, start) = (self.block_of(from)?, self.block_of(to)?);
        let rows = self.block_rows(start);
        if first == start && from < to {
            return Some(!self.writes_between(start, from + 1, to, bytes));
        }
        if self.writes_between(start, rows.start, to, bytes) {
            return Some(false);
        }
        let mut seen = HashSet::new();
        let mut work: Vec<u32> = vec![start];
        while let Some(block) = work.pop() {
            let predecessors = self.graph.predecessors(block);
            // A path from the start of the kernel does not compute the value.
            if block == 0 || predecessors.is_empty() {
                return Some(false);
            }
            for before in predecessors {
                if !seen.insert(*before) {
                    continue;
                }
                if seen.len() > BLOCKS || !self.spend(1) {
                    return None;
                }
                let rows = self.block_rows(*before);
                let start = if *before == first {
                    from + 1
                } else {
                    rows.start
                };
                if self.writes_between(*before, start, rows.end, bytes) {
                    return Some(false);
                }
                if *before != first {
                    work.push(*before);
                }
            }
        }
        Some(true)
    }

    /// Whether rows of a block write some bytes.
    fn writes_between(&self, block: u32, start: u32, end: u32, bytes: &[Piece]) -> bool {
        bytes.iter().any(|piece| {
            let mut at = self.write_before(block, end, piece.unit);
            while let Some(write) = self.writes.get(super::build::index(at)) {
                // Counts as changed if the budget is used up.
                if write.row < start {
                    return false;
                }
                if write.piece.mask & piece.mask != 0 || !self.spend(1) {
                    return true;
                }
                at = write.previous;
            }
            false
        })
    }

    /// Keeps the values whose sources are live before all uses.
    fn retain_live(&self, candidates: &mut Vec<Candidate>) {
        let mut uses: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for (at, candidate) in candidates.iter().enumerate() {
            for to in &candidate.value.uses {
                uses.entry(*to).or_default().push(at);
            }
        }
        let mut is_live = vec![true; candidates.len()];
        let mut rows: Vec<u32> = uses.keys().copied().collect();
        rows.reverse();
        self.each_live(&rows, &mut |row, walk| {
            for at in uses.get(&row).into_iter().flatten() {
                let Some(candidate) = candidates.get(*at) else {
                    continue;
                };
                let mut sources = candidate.sources.iter();
                let all = sources.all(|piece| piece.mask & !walk.live(piece.unit) == 0);
                if let Some(is_live) = is_live.get_mut(*at) {
                    *is_live &= all;
                }
            }
        });
        let mut is_live = is_live.into_iter();
        candidates.retain(|_| is_live.next().unwrap_or(false));
    }
}

/// Whether all sources are constants or registers that the analysis tracks.
fn has_plain_sources(i: &Instruction) -> bool {
    let sources = i.sources.get(..i.source_count).unwrap_or_default();
    sources.iter().all(|source| match source.kind {
        OperandKind::Register { name, .. } => super::footprint::file(name).is_some(),
        OperandKind::Immediate(_) => true,
        _ => false,
    })
}
