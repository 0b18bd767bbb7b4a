//! Why the registers are full at a position: the values that are live there, by cause.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap};

use super::build::{DataFlow, Guard, NONE};
use super::footprint::Role;
use super::recompute::Recomputables;
use super::regset::{ByteSet, Piece, Pieces, RegisterFile, Unit, file_of};
use super::spills::Spills;
use crate::format::Labels;
use crate::operands::type_bits;
use crate::tables::{Meaning, Op};
use zeview_core::analysis::data_flow::ScratchRole;
use zeview_core::analysis::data_flow::{CauseTotal, LiveValue, Pressure, PressureCause};
use zeview_core::model::sort;

/// Maximum number of values that are listed for a position.
const VALUES: usize = 16;

/// Maximum number of spills whose values are listed.
const SPILLS: usize = 4;

/// Maximum number of producers that are listed for a value.
const BORN: usize = 4;

/// The next read of bytes of a register: the bytes, the row, and the number of instructions until it.
type NextRead = (u64, u32, u32);

/// A live value: bytes with the same producers.
struct Value {
    producers: Vec<u32>,
    bytes: Vec<Piece>,
    /// What the bytes are that no instruction writes on some path.
    start: Start,
}

/// What a register holds at the start of the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Start {
    /// The header of the thread.
    Header,
    /// The payload of the kernel, by register; what callers pass, in functions; or anything, if the
    /// layout of the payload is unknown.
    Input(Unit),
    /// Nothing: the value is undefined.
    Undefined,
}

impl DataFlow {
    /// The values that are live at the peak, and at the spills in the deepest loops.
    pub(super) fn pressures(&self, spills: &Spills, again: &Recomputables) -> Vec<Pressure> {
        let mut out = Vec::new();
        let values = again.values.iter().filter(|value| value.slot.is_none());
        let again: BTreeSet<u32> = sort::set(values.map(|value| value.row));
        if let Some(row) = self.peak_row()
            && self.find_live_at(row).registers > 0
        {
            out.extend(self.pressure(row, "peak", &again));
        }
        let writers = spills.slots.iter().flat_map(|slot| &slot.writers);
        let writers = writers.filter(|row| self.scratch_role(**row) == Some(ScratchRole::Spill));
        let depth = |row: u32| {
            let block = self.block_of(row);
            block.map_or(0, |block| self.graph.forest().depth(block))
        };
        let mut rows: Vec<(Reverse<u32>, u32)> =
            writers.map(|row| (Reverse(depth(*row)), *row)).collect();
        sort::ascending(&mut rows);
        rows.dedup();
        for (_, row) in rows.into_iter().take(SPILLS) {
            // Whether a value could be computed again was only found out for the peak.
            out.extend(self.pressure(row, "spill", &BTreeSet::new()));
        }
        out
    }

    /// The values that are live before an instruction.
    fn pressure(&self, row: u32, at: &str, again: &BTreeSet<u32>) -> Option<Pressure> {
        let live = self.find_live_at(row);
        let waiting = self.waiting_set(row);
        let waiting: HashMap<Unit, u64> =
            waiting.pieces().iter().map(|p| (p.unit, p.mask)).collect();
        let all = self.live_set(row);
        let general: Vec<Piece> = all.pieces().iter().copied().filter(is_general).collect();
        let next = self.next_reads(row, &general, &waiting);
        let mut totals: BTreeMap<PressureCause, (BTreeSet<Unit>, u32, u32)> = BTreeMap::new();
        let mut values = Vec::new();
        for value in self.values_before(row, &general) {
            let read = self.next_read_of(&value, &next);
            let cause = self.cause(row, &value, read, &waiting);
            let bytes: u32 = value.bytes.iter().map(|p| p.mask.count_ones()).sum();
            let total = totals.entry(cause).or_default();
            total.0.extend(value.bytes.iter().map(|piece| piece.unit));
            total.1 += bytes;
            total.2 += 1;
            values.push((
                Reverse(bytes),
                value.producers.first().copied(),
                value,
                read,
                cause,
            ));
        }
        sort::by_key(&mut values, |(bytes, first, ..)| (*bytes, *first));
        let others = values.len().saturating_sub(VALUES);
        let values = values.into_iter().take(VALUES);
        let values = values.map(|(Reverse(size), _, value, read, cause)| {
            let (names, computed_by) = self.value_names(&value, read.map(|(_, to, _)| to));
            let only = match value.producers[..] {
                [only] => Some(only),
                _ => None,
            };
            let written = value.producers.iter().filter(|row| **row != NONE);
            LiveValue {
                names,
                computed_by,
                bytes: ByteSet::new(value.bytes.clone(), self.sizes()).parts(),
                size,
                is_input: value.producers.contains(&NONE) && value.start != Start::Undefined,
                is_undefined: value.is_undefined(),
                born: written.take(BORN).filter_map(|row| self.pc(*row)).collect(),
                next_use: read.and_then(|(_, row, _)| self.pc(row)),
                distance: read.map(|(_, _, distance)| distance),
                in_next_iteration: read.is_some_and(|(_, to, _)| self.is_next_iteration(row, to)),
                cause,
                recomputable: only.is_some_and(|row| again.contains(&row)),
                line: None,
            }
        });
        let values = values.collect();
        let causes = totals
            .into_iter()
            .map(|(cause, (units, bytes, values))| CauseTotal {
                cause,
                registers: u32::try_from(units.len()).unwrap_or(u32::MAX),
                bytes,
                values,
            });
        let mut causes: Vec<CauseTotal> = causes.collect();
        sort::by_key(&mut causes, |total| (Reverse(total.bytes), total.cause));
        Some(Pressure {
            at: at.to_owned(),
            pc: self.pc(row)?,
            registers: live.registers.into(),
            bytes: live.bytes,
            causes,
            values,
            others: u32::try_from(others).unwrap_or(u32::MAX),
        })
    }

    /// The values in some bytes before an instruction: the bytes with the same producers.
    fn values_before(&self, row: u32, live: &[Piece]) -> Vec<Value> {
        let Some(record) = self.row(row) else {
            return Vec::new();
        };
        let mut values: BTreeMap<Vec<u32>, Pieces> = BTreeMap::new();
        for piece in live {
            let mut parts: Vec<(u64, Vec<u32>)> = vec![(piece.mask, Vec::new())];
            let mut add = |from: u32, mask: u64| {
                let mut split = Vec::new();
                for (part, producers) in &mut parts {
                    let rest = *part & !mask;
                    if *part & mask == 0 || producers.last() == Some(&from) {
                        continue;
                    }
                    if rest != 0 {
                        split.push((rest, producers.clone()));
                    }
                    *part &= mask;
                    producers.push(from);
                }
                parts.append(&mut split);
            };
            let write = self.write_before(record.block, row, piece.unit);
            let rest = self.walk(
                write,
                row,
                piece.mask,
                Guard::default(),
                &mut |from, mask| {
                    add(from, mask);
                    true
                },
            );
            if rest != 0 {
                for (from, mask) in self.entry(record.block, piece.unit).iter() {
                    if !self.spend(1) {
                        break;
                    }
                    add(*from, mask & rest);
                }
            }
            for (mask, mut producers) in parts {
                sort::ascending(&mut producers);
                producers.dedup();
                let bytes = values.entry(producers).or_default();
                bytes.add_mask(piece.unit, mask);
            }
        }
        let mut out = Vec::new();
        for (producers, bytes) in values {
            // Values from the start have no producer in common: they are told apart by what they are.
            let is_start = producers == [NONE];
            let mut parts: BTreeMap<Start, Vec<Piece>> = BTreeMap::new();
            for piece in bytes.0 {
                parts.entry(self.start(piece)).or_default().push(piece);
            }
            if is_start {
                out.extend(parts.into_iter().map(|(start, bytes)| Value {
                    producers: producers.clone(),
                    bytes,
                    start,
                }));
                continue;
            }
            let start = parts.keys().next().copied();
            let mut bytes: Vec<Piece> = parts.into_values().flatten().collect();
            sort::by_key(&mut bytes, |piece| piece.unit);
            out.push(Value {
                producers,
                bytes,
                start: start.unwrap_or(Start::Undefined),
            });
        }
        out
    }

    /// What bytes of a register hold at the start of the code.
    fn start(&self, piece: Piece) -> Start {
        if piece.unit == 0 {
            return Start::Header;
        }
        let is_known = self.has_payload_layout();
        let bytes = (0..64).filter(|at| piece.mask >> at & 1 != 0);
        let mut bytes = bytes.map(|at| self.input_byte(piece.unit, at));
        if !is_known || bytes.any(|byte| byte.is_some()) {
            Start::Input(piece.unit)
        } else {
            Start::Undefined
        }
    }

    /// Whether a later instruction, by its distance, is of the next iteration of the loop around another.
    fn is_next_iteration(&self, row: u32, next: u32) -> bool {
        let forest = self.graph.forest();
        let own = self.block_of(row).and_then(|block| forest.loop_of(block));
        let is_in = |own| self.block_of(next).is_some_and(|of| forest.has(own, of));
        next < row && own.is_some_and(is_in)
    }

    /// The next reads of some bytes after a position, by register, on the shortest path to each.
    fn next_reads(
        &self,
        row: u32,
        live: &[Piece],
        waiting: &HashMap<Unit, u64>,
    ) -> HashMap<Unit, Vec<NextRead>> {
        let mut found: HashMap<Unit, Vec<NextRead>> = HashMap::new();
        let Some(record) = self.row(row) else {
            return found;
        };
        let mut missing: u32 = live.iter().map(|piece| piece.mask.count_ones()).sum();
        let start: HashMap<Unit, u64> = live.iter().map(|piece| (piece.unit, piece.mask)).collect();
        // The bytes that still have the values at the position, at the start of each block.
        let mut pending = sort::map([(record.block, start)]);
        // The bytes with which a block was visited. Another path may bring more of them.
        let mut seen: HashMap<(u32, Unit), u64> = HashMap::new();
        let mut work = BinaryHeap::from([Reverse((0_u32, record.block, row))]);
        while let Some(Reverse((distance, block, from))) = work.pop() {
            let Some(mut alive) = pending.remove(&block) else {
                continue;
            };
            let end = self.node(block).map_or(0, |node| node.end);
            for at in from..end {
                if missing == 0 || !self.spend(1) {
                    return found;
                }
                let far = distance.saturating_add(at - from);
                for read in self.reads_of(at) {
                    let Piece { unit, mask } = read.piece;
                    let mut mask = mask & alive.get(&unit).copied().unwrap_or(0);
                    let reads = found.entry(unit).or_default();
                    for (known, ..) in reads.iter() {
                        mask &= !known;
                    }
                    if mask != 0 {
                        missing = missing.saturating_sub(mask.count_ones());
                        reads.push((mask, at, far));
                    }
                }
                let all = self.row(at).is_some_and(super::build::Row::replaces_all);
                let is_certain = self.row(at).is_some_and(|row| row.guard.flags == 0);
                for write in self.writes_of(at).iter().filter(|_| is_certain) {
                    let Piece { unit, mask } = write.piece;
                    // Waiting channels keep their values under a mask.
                    let kept = waiting.get(&unit).copied().unwrap_or(0);
                    if let Some(alive) = alive.get_mut(&unit) {
                        *alive &= !mask | if all { 0 } else { kept };
                    }
                }
            }
            alive.retain(|_, mask| *mask != 0);
            if alive.is_empty() {
                continue;
            }
            let far = distance.saturating_add(end - from);
            for next in self.graph.within(block) {
                let mut new: Vec<(Unit, u64)> = Vec::new();
                for (unit, mask) in &alive {
                    let known = seen.entry((*next, *unit)).or_default();
                    if mask & !*known != 0 {
                        new.push((*unit, mask & !*known));
                        *known |= mask;
                    }
                }
                if new.is_empty() || !self.spend(new.len() as u64) {
                    continue;
                }
                let first = self.node(*next).map_or(0, |node| node.first);
                let waits = pending.entry(*next).or_default();
                for (unit, mask) in new {
                    *waits.entry(unit).or_default() |= mask;
                }
                work.push(Reverse((far, *next, first)));
            }
        }
        found
    }

    /// The nearest read of a value.
    fn next_read_of(&self, value: &Value, next: &HashMap<Unit, Vec<NextRead>>) -> Option<NextRead> {
        let reads = value.bytes.iter().flat_map(|piece| {
            let reads = next.get(&piece.unit).into_iter().flatten();
            reads.filter(|(mask, ..)| mask & piece.mask != 0)
        });
        reads
            .min_by_key(|(_, row, distance)| (*distance, *row))
            .copied()
    }

    /// Why a value is in registers at a position. The first cause that applies counts.
    fn cause(
        &self,
        row: u32,
        value: &Value,
        read: Option<NextRead>,
        waiting: &HashMap<Unit, u64>,
    ) -> PressureCause {
        let is_waiting = |piece: &Piece| {
            let waiting = waiting.get(&piece.unit).copied().unwrap_or(0);
            piece.mask & !waiting == 0
        };
        if value.is_undefined() {
            return PressureCause::Undefined;
        }
        if value.bytes.iter().all(is_waiting) {
            return PressureCause::WaitingChannels;
        }
        let next = read.map(|(_, row, _)| row);
        let producers = || value.producers.iter().filter(|row| **row != NONE);
        if self.is_kept_over_call(row, value, next) {
            return PressureCause::KeptOverCalls;
        }
        let is_dpas = |row: &u32| {
            let op = self.row(*row).map(|row| row.op);
            matches!(op, Some(Op::Dpas | Op::Dpasw | Op::Bdpas))
        };
        if producers().any(is_dpas) {
            return PressureCause::DpasAccumulators;
        }
        if self.is_wide_address(value, next) {
            return PressureCause::WideAddresses;
        }
        let forest = self.graph.forest();
        let own = self.block_of(row).and_then(|block| forest.loop_of(block));
        if let Some(own) = own {
            let is_in = |row: u32| self.block_of(row).is_some_and(|of| forest.has(own, of));
            let is_made = producers().any(|row| is_in(*row));
            let is_used = next.is_some_and(is_in);
            // Computed or used in the next iteration.
            let is_carried = producers().any(|from| is_in(*from) && *from >= row)
                || is_made && next.is_some_and(|next| is_in(next) && next < row);
            match (is_made, is_used) {
                _ if is_carried => return PressureCause::LoopCarried,
                (false, true) => return PressureCause::UsedInLoop,
                (false, false) => return PressureCause::KeptThroughLoop,
                _ => {}
            }
        }
        let is_send = |row: &u32| self.row(*row).is_some_and(|row| row.is_send);
        match value.producers[..] {
            [] | [NONE] => PressureCause::Inputs,
            _ if producers().any(is_send) => PressureCause::Loaded,
            _ => PressureCause::Computed,
        }
    }

    /// Whether a call runs between the computation and the next use of a value.
    fn is_kept_over_call(&self, row: u32, value: &Value, next: Option<u32>) -> bool {
        if self.extent().calls == 0 {
            return false;
        }
        let first = value.producers.iter().filter(|row| **row != NONE).min();
        let first = first.copied().unwrap_or(0).min(row);
        let last = next.unwrap_or(row).max(row);
        let block = |row: u32| self.block_of(row).unwrap_or(0);
        (block(first)..block(last)).any(|block| {
            let functions = self.functions();
            self.graph.calls(block)
                && functions.of(block) == self.block_of(row).and_then(|of| functions.of(of))
        })
    }

    /// Whether a value is of 64-bit integers, or the 64-bit addresses of a message.
    fn is_wide_address(&self, value: &Value, next: Option<u32>) -> bool {
        let is_wide = |row: &u32| {
            let destination = self.instruction(*row).and_then(|i| i.destination);
            let data_type = destination.and_then(|destination| destination.data_type);
            let is_integer = matches!(data_type, Some(Meaning::q | Meaning::uq));
            is_integer && data_type.and_then(type_bits) == Some(64)
        };
        if value
            .producers
            .iter()
            .any(|row| *row != NONE && is_wide(row))
        {
            return true;
        }
        let Some(next) = next.filter(|row| self.row(*row).is_some_and(|row| row.is_send)) else {
            return false;
        };
        let exec = self.instruction(next).and_then(|i| i.exec);
        let exec = exec.map_or(1, |exec| exec.size);
        let footprint = self.footprint(next);
        footprint.accesses.iter().any(|access| {
            access.role == Role::Source(0)
                && access.bytes.bytes(RegisterFile::General) == 8 * exec
                && access.bytes.pieces().iter().any(|read| {
                    let mut own = value.bytes.iter();
                    own.any(|own| own.unit == read.unit && own.mask & read.mask != 0)
                })
        })
    }

    /// The names of a value at its next use, and the instruction that computes it.
    fn value_names(&self, value: &Value, next: Option<u32>) -> (Vec<String>, Option<String>) {
        let mut names: Vec<String> = Vec::new();
        if value.producers == [NONE] && value.start == Start::Header {
            names.push("thread header".to_owned());
        }
        if let Some(next) = next {
            for name in self.input_names(next, &value.bytes) {
                if !names.contains(&name) {
                    names.push(name);
                }
            }
        }
        let row = value.producers.iter().find(|row| **row != NONE);
        let computed_by = row.and_then(|row| {
            let instruction = self.instruction(*row)?;
            let mut text = String::new();
            self.decoder
                .format(&instruction, Labels::Numeric, &mut text);
            let words: Vec<&str> = text.split_whitespace().collect();
            let words = words.into_iter().take_while(|word| !word.starts_with('{'));
            Some(words.collect::<Vec<_>>().join(" "))
        });
        (names, computed_by)
    }
}

impl Value {
    /// Whether no instruction writes it, and the code does not start with it.
    fn is_undefined(&self) -> bool {
        self.producers == [NONE] && self.start == Start::Undefined
    }
}

fn is_general(piece: &Piece) -> bool {
    file_of(piece.unit).0 == RegisterFile::General
}
