//! Patterns of spills that cost more than necessary.

use std::collections::BTreeSet;

use super::build::DataFlow;
use super::footprint::Role;
use super::reaching::Definition;
use super::regset::RegisterFile;
use super::spills::{Slot, Spills};
use zeview_core::analysis::data_flow::ScratchRole;
use zeview_core::analysis::figure::Figure;
use zeview_core::model::sort;

/// A pattern of spills.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// What was found.
    pub kind: PatternKind,
    /// The index of the slot in [`Spills::slots`].
    pub slot: usize,
    /// The instructions, in the order in which they run.
    pub rows: Vec<u32>,
}

/// Kind of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PatternKind {
    /// An innermost loop writes the slot, and reads it.
    InInnermostLoop,
    /// A value that was read from the slot is written to it again; `kept` of `written` bytes are
    /// unchanged. Usually a masked `mov` changes the others.
    SpilledAgain {
        /// Number of unchanged bytes.
        kept: u32,
        /// Number of written bytes.
        written: u32,
    },
    /// As [`SpilledAgain`](PatternKind::SpilledAgain), but the bytes were written under the execution
    /// mask in between, and are spilled whatever the mask, so that the disabled channels keep what
    /// was filled. The data flow counts such writes as complete.
    SpilledAgainMasked {
        /// Number of bytes that were filled and written under the mask.
        masked: u32,
        /// Number of written bytes.
        written: u32,
    },
    /// All written bytes are the result of one instruction that reads no registers.
    Constant,
}

impl DataFlow {
    /// The patterns in the spills of the kernel, by slot.
    ///
    /// # Errors
    ///
    /// As [`spills`](Self::spills).
    pub fn patterns(&self, spills: &Spills) -> Figure<Vec<Pattern>> {
        self.figure(|| self.find_patterns(spills))
    }

    fn find_patterns(&self, spills: &Spills) -> Vec<Pattern> {
        let mut patterns = Vec::new();
        for (at, slot) in spills.slots.iter().enumerate() {
            let mut writers = slot.writers.iter();
            // What is saved for a call cannot stay in its register.
            if writers.all(|row| self.scratch_role(*row) == Some(ScratchRole::Save)) {
                continue;
            }
            let mut push = |kind, rows| {
                patterns.push(Pattern {
                    kind,
                    slot: at,
                    rows,
                });
            };
            let rows = self.in_innermost_loop(slot);
            if !rows.is_empty() {
                push(PatternKind::InInnermostLoop, rows);
            }
            for writer in &slot.writers {
                let (data, written) = self.spilled_data(*writer);
                let mut is_again = false;
                for fill in &data {
                    let row = fill
                        .row
                        .filter(|row| slot.readers.binary_search(row).is_ok());
                    if let Some(row) = row {
                        let kept = fill.bytes.bytes(RegisterFile::General);
                        let kind = PatternKind::SpilledAgain { kept, written };
                        push(kind, vec![row, *writer]);
                        is_again = true;
                    }
                }
                let masked = || self.masked_update(slot, *writer, &data);
                if !is_again && let Some((rows, masked)) = masked() {
                    push(PatternKind::SpilledAgainMasked { masked, written }, rows);
                }
                if let [only] = data.as_slice()
                    && let Some(row) = only.row.filter(|row| self.is_constant(*row))
                {
                    push(PatternKind::Constant, vec![row, *writer]);
                }
            }
        }
        patterns
    }

    /// The messages to a slot in the innermost loops that write and read it.
    fn in_innermost_loop(&self, slot: &Slot) -> Vec<u32> {
        let forest = self.graph.forest();
        let innermost = |row: &u32| {
            let found = forest.loop_of(self.block_of(*row)?)?;
            forest.loops.get(found)?.innermost.then_some(found)
        };
        let of = |rows: &[u32]| -> BTreeSet<usize> { sort::set(rows.iter().filter_map(innermost)) };
        let (writers, readers) = (of(&slot.writers), of(&slot.readers));
        let rows = slot.writers.iter().chain(&slot.readers);
        let rows = rows.filter(|row| {
            innermost(row).is_some_and(|found| writers.contains(&found) && readers.contains(&found))
        });
        let mut rows: Vec<u32> = rows.copied().collect();
        zeview_core::model::sort::ascending(&mut rows);
        rows
    }

    /// The producers of the data that a message writes to scratch memory, and its number of bytes.
    pub(super) fn spilled_data(&self, row: u32) -> (Vec<Definition>, u32) {
        let footprint = self.footprint(row);
        let is_data = |role: &Role| matches!(role, Role::Source(1));
        let mut accesses = footprint.reads();
        let data = accesses.find(|access| is_data(&access.role));
        let written = data.map_or(0, |access| access.bytes.bytes(RegisterFile::General));
        let mut operands = self.definitions(row).into_iter();
        let operand = operands.find(|operand| is_data(&operand.role));
        (
            operand.map_or_else(Vec::new, |operand| operand.definitions),
            written,
        )
    }

    /// Whether data that is written to a slot, whatever the execution mask, was filled from it before in
    /// the same block, and changed under the mask. Returns the fill, the first change and the spill, and the number
    /// of changed bytes.
    fn masked_update(
        &self,
        slot: &Slot,
        writer: u32,
        data: &[Definition],
    ) -> Option<(Vec<u32>, u32)> {
        // Under the mask, the spill itself leaves out the disabled channels: nothing is repeated.
        if !self.instruction(writer)?.no_mask {
            return None;
        }
        let block = self.block_of(writer)?;
        let before = slot.readers.partition_point(|row| *row < writer);
        let fill = *slot.readers.get(before.checked_sub(1)?)?;
        // Across blocks, a path without the fill may exist.
        if self.block_of(fill) != Some(block) {
            return None;
        }
        let footprint = self.footprint(fill);
        let mut accesses = footprint.accesses.iter();
        let filled = &accesses.find(|access| access.role.writes())?.bytes;
        let is_masked = |row: u32| {
            let instruction = self.instruction(row);
            row > fill && row < writer && instruction.is_some_and(|found| !found.no_mask)
        };
        let masked = data.iter().filter_map(|found| {
            let row = found.row.filter(|row| is_masked(*row))?;
            let bytes = found.bytes.intersection(filled);
            (!bytes.is_empty()).then(|| (row, bytes.bytes(RegisterFile::General)))
        });
        let masked: Vec<(u32, u32)> = masked.collect();
        let first = masked.iter().map(|(row, _)| *row).min()?;
        let bytes = masked.iter().map(|(_, bytes)| *bytes).sum();
        Some((vec![fill, first, writer], bytes))
    }

    /// Whether a result does not depend on registers.
    fn is_constant(&self, row: u32) -> bool {
        let is_message = self.messages.contains_key(&row);
        !is_message && self.footprint(row).reads().next().is_none()
    }
}
