//! Live bytes, and results that are never read.
//!
//! There are two answers. The assembler's analysis (IGA, `DUAnalysis.cpp`) ignores divergence: a write
//! without predicate ends the old value, whether it writes all channels or only the enabled ones. A
//! register allocator cannot do that: channels that wait while others run keep their values.
//! [`DataFlow::live`] includes those ([`divergence`](super::divergence)), [`DataFlow::live_iga`] does
//! not.

use super::build::{DataFlow, Guard, index};
use super::regset::{ByteSet, Piece, Pieces, RegisterFile, UNITS, file_of};
use crate::limits;
use crate::tables::Op;
use zeview_core::analysis::figure::{Figure, Unknown};

/// The bytes and registers that are live before an instruction: those whose value is read later.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Live {
    /// Bytes of general registers.
    pub bytes: u32,
    /// General registers with a live byte.
    pub registers: u16,
    /// Bytes of accumulators.
    pub accumulator_bytes: u16,
    /// Bytes of flags.
    pub flag_bytes: u8,
    /// Bytes of address registers.
    pub address_bytes: u8,
    /// Bytes of the scalar register.
    pub scalar_bytes: u8,
}

impl Live {
    fn change(&mut self, unit: u16, before: u64, after: u64) {
        let bytes = |mask: u64| u16::try_from(mask.count_ones()).unwrap_or(0);
        let small = |mask: u64| u8::try_from(mask.count_ones()).unwrap_or(0);
        match file_of(unit).0 {
            RegisterFile::General => {
                self.bytes = self.bytes + after.count_ones() - before.count_ones();
                self.registers = self.registers + u16::from(after != 0) - u16::from(before != 0);
            }
            RegisterFile::Accumulator => {
                self.accumulator_bytes = self.accumulator_bytes + bytes(after) - bytes(before);
            }
            RegisterFile::Flag => self.flag_bytes = self.flag_bytes + small(after) - small(before),
            RegisterFile::Address => {
                self.address_bytes = self.address_bytes + small(after) - small(before);
            }
            RegisterFile::Scalar => {
                self.scalar_bytes = self.scalar_bytes + small(after) - small(before);
            }
        }
    }
}

/// The live bytes of all rows.
#[derive(Debug, Default)]
pub(super) struct LiveRows {
    rows: Vec<Live>,
    /// As the assembler counts: without the values of waiting channels.
    iga: Vec<Live>,
    dead: Vec<bool>,
    /// The live bytes at the end of each block, by register number of `units`.
    ends: Vec<u64>,
    /// The bytes that waiting channels need, at the end of each block, likewise.
    waiting: Vec<u64>,
    /// Whether channels may wait while a block runs.
    divergent: Vec<bool>,
    /// The registers that the code names.
    units: Vec<u16>,
}

/// Uses under the same predicate, during a backward walk of a block.
struct Group {
    guard: Guard,
    live: Vec<u64>,
    /// Predicated writes encountered so far.
    passed: Vec<(Guard, Vec<Piece>)>,
}

impl Group {
    fn new(guard: Guard) -> Group {
        Group {
            guard,
            live: vec![0; UNITS],
            passed: Vec::new(),
        }
    }
}

/// Maximum number of groups that are distinguished in a block; compilers use a few.
const GROUPS: usize = 32;

/// The state of a backward walk of a block.
pub(super) struct Walk {
    groups: Vec<Group>,
    /// The union of the groups.
    live: Vec<u64>,
    /// The bytes that waiting channels need.
    waiting: Vec<u64>,
    /// Whether channels may wait while the block runs.
    is_divergent: bool,
    /// The counts of both, and those without the waiting channels.
    counts: Live,
    iga: Live,
}

impl Walk {
    fn new() -> Walk {
        Walk {
            groups: vec![Group::new(Guard::default())],
            live: vec![0; UNITS],
            waiting: vec![0; UNITS],
            is_divergent: false,
            counts: Live::default(),
            iga: Live::default(),
        }
    }

    /// The live bytes of a register, without those that only waiting channels need.
    pub(super) fn live(&self, unit: u16) -> u64 {
        self.live.get(usize::from(unit)).copied().unwrap_or(0)
    }

    /// The bytes of a register that waiting channels need.
    pub(super) fn waiting(&self, unit: u16) -> u64 {
        self.waiting.get(usize::from(unit)).copied().unwrap_or(0)
    }

    /// Sets the bytes of a register that waiting channels need.
    fn set_waiting(&mut self, unit: u16, after: u64) {
        let live = self.live(unit);
        if let Some(waiting) = self.waiting.get_mut(usize::from(unit)) {
            self.counts.change(unit, live | *waiting, live | after);
            *waiting = after;
        }
    }

    /// Updates the union for a register.
    fn refresh(&mut self, unit: u16) {
        let at = usize::from(unit);
        let groups = self.groups.iter();
        let after = groups.fold(0, |live, group| live | group.live.get(at).unwrap_or(&0));
        let waiting = self.waiting(unit);
        if let Some(live) = self.live.get_mut(at) {
            self.iga.change(unit, *live, after);
            self.counts.change(unit, *live | waiting, after | waiting);
            *live = after;
        }
    }

    /// Adds a value that is used under a predicate.
    fn read(&mut self, guard: Guard, piece: Piece) {
        let found = self.groups.iter().position(|group| group.guard == guard);
        let at = match found {
            Some(at) => at,
            None if self.groups.len() < GROUPS => {
                self.groups.push(Group::new(guard));
                self.groups.len() - 1
            }
            // Ignoring the predicate only extends the live range.
            None => 0,
        };
        if let Some(group) = self.groups.get_mut(at) {
            if let Some(live) = group.live.get_mut(usize::from(piece.unit)) {
                *live |= piece.mask;
            }
            for (_, pieces) in &mut group.passed {
                for passed in pieces.iter_mut().filter(|p| p.unit == piece.unit) {
                    passed.mask &= !piece.mask;
                }
            }
        }
        self.refresh(piece.unit);
    }
}

impl DataFlow {
    /// The bytes and registers that are live before an instruction, including the values of channels
    /// that wait while others run. Returns `None` if the analysis does not cover the whole code, or
    /// takes too much work.
    #[must_use]
    pub fn live(&self, row: u32) -> Option<Live> {
        let live = self.figure(|| self.find_live_at(row));
        live.ok()
    }

    /// As [`live`](Self::live), as the assembler (IGA) computes it: divergence is ignored, and each
    /// write without predicate ends the old value.
    #[must_use]
    pub fn live_iga(&self, row: u32) -> Option<Live> {
        let live = self.figure(|| self.find_iga_at(row));
        live.ok()
    }

    pub(super) fn find_iga_at(&self, row: u32) -> Live {
        let rows = &self.live_rows().iga;
        rows.get(index(row)).copied().unwrap_or_default()
    }

    pub(super) fn find_live_at(&self, row: u32) -> Live {
        let rows = &self.live_rows().rows;
        rows.get(index(row)).copied().unwrap_or_default()
    }

    /// Whether an instruction only writes registers that are never read afterwards. `false` for
    /// messages, and if registers with unknown numbers are read. Returns `None` if
    /// [`live`](Self::live) does.
    #[must_use]
    pub fn is_dead(&self, row: u32) -> Option<bool> {
        let is_dead = self.figure(|| {
            let dead = &self.live_rows().dead;
            // An operand with an unknown register may read any result.
            dead.get(index(row)).copied().unwrap_or(false) && self.extent().indirect == 0
        });
        is_dead.ok()
    }

    /// Number of instructions whose result is never read.
    ///
    /// # Errors
    ///
    /// If registers with unknown numbers are read, or [`live`](Self::live) is unknown.
    pub fn dead_writes(&self) -> Figure<u32> {
        if self.extent().indirect > 0 {
            return Err(Unknown::Indirect);
        }
        self.figure(|| {
            let dead = self.live_rows().dead.iter().filter(|dead| **dead);
            u32::try_from(dead.count()).unwrap_or(u32::MAX)
        })
    }

    /// The bytes that are live before an instruction, as [`live`](Self::live) counts them.
    #[must_use]
    pub fn live_set(&self, row: u32) -> ByteSet {
        self.set_before(row, &|walk, unit| walk.live(unit) | walk.waiting(unit))
    }

    /// The bytes that are live before an instruction only because channels wait: the difference
    /// between [`live`](Self::live) and [`live_iga`](Self::live_iga).
    #[must_use]
    pub fn waiting_set(&self, row: u32) -> ByteSet {
        self.set_before(row, &|walk, unit| walk.waiting(unit) & !walk.live(unit))
    }

    fn set_before(&self, row: u32, of: &dyn Fn(&Walk, u16) -> u64) -> ByteSet {
        let mut pieces = Pieces::default();
        if let Some(record) = self.row(row) {
            let mut walk = self.block_end(self.live_rows(), record.block);
            let end = self.node(record.block).map_or(0, |node| node.end);
            for at in (row..end).rev() {
                self.step_back(at, &mut walk);
            }
            for unit in 0..u16::try_from(UNITS).unwrap_or(u16::MAX) {
                let mask = of(&walk, unit);
                if mask != 0 {
                    pieces.add_mask(unit, mask);
                }
            }
        }
        ByteSet::new(pieces.0, self.sizes())
    }

    /// Calls `f` with rows in descending order, and what is live before the row.
    pub(super) fn each_live(&self, rows: &[u32], f: &mut dyn FnMut(u32, &Walk)) {
        let mut current: Option<(u32, u32, Walk)> = None;
        for row in rows {
            let Some(block) = self.block_of(*row) else {
                continue;
            };
            let (at, mut walk) = match current.take() {
                Some((of, at, walk)) if of == block => (at, walk),
                _ => {
                    let end = self.node(block).map_or(0, |node| node.end);
                    (end, self.block_end(self.live_rows(), block))
                }
            };
            for before in (*row..at).rev() {
                self.step_back(before, &mut walk);
            }
            f(*row, &walk);
            current = Some((block, *row, walk));
        }
    }

    fn live_rows(&self) -> &LiveRows {
        self.known(&self.live, || self.find_live())
    }

    fn find_live(&self) -> LiveRows {
        let mut out = self.find_ends();
        out.rows = vec![Live::default(); self.rows.len()];
        out.iga = vec![Live::default(); self.rows.len()];
        out.dead = vec![false; self.rows.len()];
        for (block, node) in (0_u32..).zip(&self.nodes) {
            let mut walk = self.block_end(&out, block);
            for row in (node.first..node.end).rev() {
                let dead = self.is_unread(row, &walk);
                self.step_back(row, &mut walk);
                if let Some(live) = out.rows.get_mut(index(row)) {
                    *live = walk.counts;
                }
                if let Some(live) = out.iga.get_mut(index(row)) {
                    *live = walk.iga;
                }
                if let Some(place) = out.dead.get_mut(index(row)) {
                    *place = dead;
                }
            }
        }
        out
    }

    /// Whether an instruction writes registers only, and none of them is live after it.
    fn is_unread(&self, row: u32, walk: &Walk) -> bool {
        let writes = self.writes_of(row);
        let may = self.row(row).is_some_and(|record| {
            // Messages have effects besides their result, and a call's return address is read by
            // `ret`.
            !record.is_send && !record.invalid && !matches!(record.op, Op::Call | Op::Calla)
        });
        let is_read = |piece: Piece| walk.live(piece.unit) & piece.mask != 0;
        may && !writes.is_empty() && !writes.iter().any(|write| is_read(write.piece))
    }

    /// The state at the end of a block.
    fn block_end(&self, live: &LiveRows, block: u32) -> Walk {
        let mut walk = Walk::new();
        let width = live.units.len();
        let start = index(block).saturating_mul(width);
        let ends = live.ends.get(start..start + width).unwrap_or_default();
        for (unit, mask) in live.units.iter().zip(ends) {
            if *mask != 0 {
                let (unit, mask) = (*unit, *mask);
                // Predicates are not followed across blocks, as in IGA (`DUAnalysis.cpp`).
                walk.read(Guard::default(), Piece { unit, mask });
            }
        }
        walk.is_divergent = live.divergent.get(index(block)).copied().unwrap_or(false);
        let waiting = live.waiting.get(start..start + width).unwrap_or_default();
        for (unit, mask) in live.units.iter().zip(waiting) {
            if *mask != 0 {
                walk.set_waiting(*unit, *mask);
            }
        }
        walk
    }

    /// Steps back over an instruction: removes the bytes that it writes, adds those that it reads.
    fn step_back(&self, row: u32, walk: &mut Walk) {
        let Some(record) = self.row(row) else { return };
        let writes = self.writes_of(row);
        for group in &mut walk.groups {
            if record.flags != 0 {
                // Before this write, the flag had another value: the predicate means nothing there.
                if group.guard.flags & record.flags != 0 {
                    group.guard = Guard::default();
                }
                group
                    .passed
                    .retain(|(guard, _)| guard.flags & record.flags == 0);
            }
            let guard = record.guard;
            let agrees =
                group.guard.inverse == guard.inverse && group.guard.flags & guard.flags != 0;
            // A write under another predicate is not seen by these uses.
            if group.guard.flags != 0 && guard.flags != 0 && !agrees {
                continue;
            }
            let mut overlaps = Vec::new();
            for write in writes {
                let Piece { unit, mask } = write.piece;
                let Some(live) = group.live.get_mut(usize::from(unit)) else {
                    continue;
                };
                let overlap = *live & mask;
                if overlap == 0 {
                    continue;
                }
                if guard.flags == 0 || agrees {
                    *live &= !overlap;
                    for (_, pieces) in &mut group.passed {
                        for passed in pieces.iter_mut().filter(|p| p.unit == unit) {
                            passed.mask &= !overlap;
                        }
                    }
                } else {
                    for (passed, pieces) in &mut group.passed {
                        if passed.inverse == guard.inverse || passed.flags & guard.flags == 0 {
                            continue;
                        }
                        for passed in pieces.iter_mut().filter(|p| p.unit == unit) {
                            *live &= !(overlap & passed.mask);
                            passed.mask &= !overlap;
                        }
                    }
                    let mask = overlap;
                    overlaps.push(Piece { unit, mask });
                }
            }
            if !overlaps.is_empty() {
                group.passed.push((guard, overlaps));
                group.passed.retain_mut(|(_, pieces)| {
                    pieces.retain(|piece| piece.mask != 0);
                    !pieces.is_empty()
                });
                // Forgetting a write only extends live ranges.
                if group.passed.len() > GROUPS {
                    group.passed.remove(0);
                }
            }
        }
        for write in writes {
            let Piece { unit, mask } = write.piece;
            walk.refresh(unit);
            if record.replaces(walk.is_divergent) && walk.waiting(unit) & mask != 0 {
                walk.set_waiting(unit, walk.waiting(unit) & !mask);
            }
        }
        for read in self.reads_of(row) {
            walk.read(record.guard, read.piece);
            if walk.is_divergent && self.reads_all(row) {
                let Piece { unit, mask } = read.piece;
                walk.set_waiting(unit, walk.waiting(unit) | mask);
            }
        }
        // Merge groups without a value and groups whose predicate has ended.
        if walk.groups.len() > 1 && record.flags != 0 {
            merge(&mut walk.groups);
        }
    }

    /// Finds the bytes that are live at the end of each block.
    fn find_ends(&self) -> LiveRows {
        // Registers that nothing reads are live nowhere. Leaving them out shrinks the tables.
        let mut is_used = vec![false; UNITS];
        for read in &self.reads {
            if let Some(used) = is_used.get_mut(usize::from(read.piece.unit)) {
                *used = true;
            }
        }
        let units = (0_u16..).zip(&is_used).filter(|(_, used)| **used);
        let units: Vec<u16> = units.map(|(unit, _)| unit).collect();
        let width = units.len();
        let mut live = LiveRows {
            units,
            ..LiveRows::default()
        };
        // Blocks times registers: many small blocks in a kernel with many registers would not fit.
        let most = limits::data_flow_live(self.code.len());
        if self.nodes.len().saturating_mul(width) > most {
            // Excludes values that live across blocks.
            self.cut();
            return live;
        }
        let mut column = vec![usize::MAX; UNITS];
        for (at, unit) in live.units.iter().enumerate() {
            if let Some(place) = column.get_mut(usize::from(*unit)) {
                *place = at;
            }
        }
        let place = |block: u32, unit: u16| {
            let column = column.get(usize::from(unit)).copied()?;
            (column != usize::MAX).then(|| index(block) * width + column)
        };
        // For each block: the bytes read before they are written, and the bytes that it does not overwrite.
        let mut starts = vec![0_u64; self.nodes.len() * width];
        let mut kept = vec![u64::MAX; self.nodes.len() * width];
        for (block, node) in (0_u32..).zip(&self.nodes) {
            for row in node.first..node.end {
                let Some(record) = self.row(row) else {
                    continue;
                };
                for read in self.reads_of(row) {
                    let Piece { unit, mask } = read.piece;
                    let rest =
                        self.walk(read.definition, row, mask, record.guard, &mut |_, _| true);
                    let start = place(block, unit).and_then(|at| starts.get_mut(at));
                    if let Some(start) = start {
                        *start |= rest;
                    }
                }
            }
            for (unit, write) in &node.last {
                let Some(kept) = place(block, *unit).and_then(|at| kept.get_mut(at)) else {
                    continue;
                };
                let guard = Guard::default();
                *kept = self.walk(*write, node.end, u64::MAX, guard, &mut |_, _| true);
            }
        }
        let mut ends = vec![0_u64; self.nodes.len() * width];
        let mut pending = vec![true; self.nodes.len()];
        let mut again = true;
        // Backward, because liveness flows from uses to writes: most blocks settle in one pass. No
        // uses across blocks are found, so figures of the whole code are unknown, not too small.
        while again {
            again = false;
            for block in (0..self.blocks()).rev() {
                if !std::mem::take(pending.get_mut(index(block)).unwrap_or(&mut false)) {
                    continue;
                }
                if !self.spend(width as u64 + 1) {
                    live.ends = ends;
                    return live;
                }
                let own = index(block) * width;
                let range = own..own + width;
                let mut changed = false;
                let (Some(start), Some(end), Some(kept)) = (
                    starts.get_mut(range.clone()),
                    ends.get(range.clone()),
                    kept.get(range),
                ) else {
                    continue;
                };
                for ((start, end), kept) in start.iter_mut().zip(end).zip(kept) {
                    *start |= end & kept;
                }
                for from in self.graph.predecessors(block) {
                    let to = index(*from) * width;
                    let (Some(start), Some(end)) =
                        (starts.get(own..own + width), ends.get_mut(to..to + width))
                    else {
                        continue;
                    };
                    let mut grew = false;
                    for (end, start) in end.iter_mut().zip(start) {
                        grew |= start & !*end != 0;
                        *end |= start;
                    }
                    if grew && let Some(pending) = pending.get_mut(index(*from)) {
                        *pending = true;
                        changed = true;
                    }
                }
                again |= changed;
            }
        }
        live.ends = ends;
        let waiting = self.find_waiting(&live.units, &starts);
        live.waiting = waiting.ends;
        live.divergent = waiting.divergent;
        live
    }

    /// Lower bound of the device's general registers: those that the code can name.
    #[must_use]
    pub fn register_bytes(&self) -> u16 {
        self.sizes().general
    }
}

/// Merges equivalent groups of uses.
fn merge(groups: &mut Vec<Group>) {
    let (first, rest) = match groups.split_first_mut() {
        Some((first, rest)) => (first, rest),
        None => return,
    };
    let mut keep = vec![true];
    for group in rest {
        let is_plain = group.guard == Guard::default()
            && group.passed.is_empty()
            && first.passed.is_empty()
            && first.guard == Guard::default();
        let is_empty = group.live.iter().all(|mask| *mask == 0);
        if is_plain {
            for (to, from) in first.live.iter_mut().zip(&group.live) {
                *to |= from;
            }
        }
        keep.push(!is_plain && !is_empty);
    }
    let mut keep = keep.into_iter();
    groups.retain(|_| keep.next().unwrap_or(true));
}
