//! The analysis as plain data, for listings, the command line and the page.

use super::build::{DataFlow, Stop};
use super::footprint::Role;
use super::live::Live;
use super::loops::{Bound, PipeTime};
use super::operations::Operations;
use super::patterns::{Pattern, PatternKind};
use super::reaching::Definition;
use super::recompute::Recomputables;
use super::regset::ByteSet;
use super::spills::{Base, Slot, Spills};
use super::work::Done;
use std::ops::Range;
use zeview_core::analysis::data_flow::{
    ASSUMED_ITERATIONS, Bottleneck, FlowCounts, FlowReport, Flows, IgaPeak, InstructionCost,
    InstructionFlow, LiveBytes, LiveRange, LoopReport, Moved, OperandRegisters, OperationCount,
    Peak, PipeCycles, Producer, ScratchMessage, ScratchPlace, ScratchRole, SlotLoad, SlotReport,
    SpillPattern, WaitFor, WaitReport, loop_costs,
};
use zeview_core::analysis::figure::Figure;
use zeview_core::analysis::functions::FunctionReport;
use zeview_core::analysis::kernel_inputs::{InputUses, KernelInput};
use zeview_core::model::sort;
use zeview_core::model::text::counted;

/// Maximum number of waits in a report.
const WAITS: usize = 5;

/// Maximum number of instructions that are listed for the condition of a wait.
const CANDIDATES: usize = 4;

const PRODUCERS_INCOMPLETE: &str =
    "The code takes too much work: producers and waits are incomplete.";

fn pipe_cycles(pipe: &PipeTime) -> PipeCycles {
    PipeCycles {
        pipe: pipe.pipe.to_owned(),
        occupied: pipe.occupied,
        latency: pipe.latency,
    }
}

fn live_bytes(live: Live) -> LiveBytes {
    LiveBytes {
        r: live.bytes,
        acc: live.accumulator_bytes.into(),
        f: live.flag_bytes.into(),
        a: live.address_bytes.into(),
        s: live.scalar_bytes.into(),
        registers: live.registers.into(),
    }
}

struct LoopReports {
    loops: Vec<LoopReport>,
    hottest: Option<u32>,
}

impl Flows for DataFlow {
    fn instruction(&self, row: u32) -> Option<InstructionFlow> {
        self.row(row)?;
        let footprint = self.footprint(row);
        let all = |roles: &dyn Fn(Role) -> bool| {
            let mut set = ByteSet::new(Vec::new(), self.sizes());
            for access in footprint.accesses.iter().filter(|a| roles(a.role)) {
                set.extend(&access.bytes);
            }
            set.parts()
        };
        let Done {
            value: (definitions, waits),
            is_cut,
        } = self.query(|| (self.find_all_definitions(row), self.waits_for(row)));
        Some(InstructionFlow {
            reads: all(&|role| !role.writes() && role != Role::Gathered),
            gathers: all(&|role| role == Role::Gathered),
            writes: all(&Role::writes),
            defs: definitions.iter().map(|def| self.producer(def)).collect(),
            live: Flows::live(self, row),
            live_iga: Flows::live_iga(self, row),
            waits,
            latency: self.latency(row).into(),
            occupancy: self.occupancy(row).into(),
            dead: self.is_dead(row),
            limit: is_cut.then(|| PRODUCERS_INCOMPLETE.to_owned()),
        })
    }

    fn live(&self, row: u32) -> Option<LiveBytes> {
        DataFlow::live(self, row).map(live_bytes)
    }

    fn live_iga(&self, row: u32) -> Option<LiveBytes> {
        DataFlow::live_iga(self, row).map(live_bytes)
    }

    fn uses(&self, row: u32) -> Option<Vec<u32>> {
        DataFlow::uses(self, row)
    }

    fn operands(&self, row: u32) -> Vec<OperandRegisters> {
        let definitions = self.definitions(row);
        let footprint = self.footprint(row);
        let operand = |access: &super::Access| {
            let found = definitions.iter().find(|found| found.role == access.role);
            // A destination can have the role of a source's register, but has no producer.
            let found = found.filter(|_| !access.role.writes());
            let producers = found.map_or(&[][..], |found| &found.definitions);
            let registers = access.bytes.registers();
            OperandRegisters {
                operand: access.role.name(),
                writes: access.role.writes(),
                bytes: access.bytes.parts(),
                registers: registers
                    .map(|(file, number, _)| (file.prefix().to_owned(), number))
                    .collect(),
                certainty: access.certainty.name().to_owned(),
                producers: producers.iter().map(|def| self.producer(def)).collect(),
            }
        };
        footprint.accesses.iter().map(operand).collect()
    }

    fn cycles(&self, row: u32) -> Option<u64> {
        Some(u64::from(self.stall(row)?) + u64::from(self.occupancy(row)))
    }

    fn loop_rows(&self, start: u32) -> Vec<Range<u32>> {
        // Outer loops come first, and the blocks are in order.
        let mut rows = (0..self.graph.forest().loops.len()).map(|at| self.rows_of(at));
        let starts = |rows: &Vec<Range<u32>>| {
            let first = rows.first().and_then(|rows| self.pc(rows.start));
            first == Some(start)
        };
        rows.find(starts).unwrap_or_default()
    }

    fn counts(&self) -> FlowCounts {
        let peak = self.figure(|| {
            let registers = (0..self.count()).map(|row| self.find_live_at(row).registers);
            registers.max().unwrap_or(0)
        });
        let iga = self.figure(|| {
            let registers = (0..self.count()).map(|row| self.find_iga_at(row).registers);
            registers.max().unwrap_or(0)
        });
        FlowCounts {
            peak_live_registers: peak.map(u64::from),
            peak_live_registers_iga: iga.map(u64::from),
            dead_writes: self.dead_writes().map(u64::from),
            innermost_loop_cycles: self.figure(|| self.innermost_cycles()),
            costliest_loop: self.figure(|| {
                let found = self.loop_reports();
                let at = found.hottest.map(super::build::index)?;
                Some(found.loops.get(at)?.figures())
            }),
        }
    }

    fn report(&self) -> FlowReport {
        let mut report = FlowReport {
            assumed_iterations: ASSUMED_ITERATIONS,
            // Zeros behind the code are decoded as instructions, but no other surface counts them.
            instructions: self.count().saturating_sub(self.extent().padding),
            limits: self.limits(),
            ..FlowReport::default()
        };
        report.dead_writes = report.known("dead writes", self.dead_writes());
        let peak = report.known("peak pressure", self.figure(|| self.peak()));
        report.peak = peak.flatten().map(|(row, peak)| {
            let longest = self.figure(|| self.longest_across(row));
            Peak {
                longest: report.known("longest live range", longest).flatten(),
                ..peak
            }
        });
        let messages = self.figure(|| {
            let count = |role| {
                let mut messages = self.messages.keys();
                let found = messages
                    .by_ref()
                    .filter(|row| self.scratch_role(**row) == Some(role));
                u32::try_from(found.count()).unwrap_or(u32::MAX)
            };
            let roles = [
                ScratchRole::Spill,
                ScratchRole::Fill,
                ScratchRole::Save,
                ScratchRole::Restore,
            ];
            roles.map(count)
        });
        let messages = report.known("spill messages, fill messages, saves, restores", messages);
        if let Some([spills, fills, saves, restores]) = messages {
            (report.spills, report.fills) = (Some(spills), Some(fills));
            (report.saves, report.restores) = (Some(saves), Some(restores));
        }
        if let Some(spills) = report.known("spills by slot", self.spills()) {
            self.add_spills(&spills, &mut report);
        }
        let loops = report.known("loops", self.figure(|| self.loop_reports()));
        report.loops = loops.map(|found| {
            report.hottest = found.hottest;
            found.loops
        });
        report.functions = report.known("functions", self.function_reports());
        report.waits = report.known("waits", self.figure(|| self.costliest_waits()));
        report
    }

    fn functions(&self) -> Figure<Vec<FunctionReport>> {
        self.function_reports()
    }

    fn inputs(&self, row: u32) -> Option<Vec<KernelInput>> {
        DataFlow::inputs(self, row)
    }

    fn input_uses(&self) -> Figure<Vec<InputUses>> {
        DataFlow::input_uses(self)
    }

    fn pc(&self, row: u32) -> Option<u32> {
        DataFlow::pc(self, row)
    }

    fn row_of(&self, pc: u32) -> Option<u32> {
        DataFlow::row_of(self, pc)
    }

    fn cost(&self, row: u32) -> InstructionCost {
        let role = self.figure_role(row);
        InstructionCost {
            issue: self.occupancy(row).into(),
            stall: self.stall(row),
            waits: self.has_waits(row),
            is_spill: role == Some(ScratchRole::Spill),
            is_fill: role == Some(ScratchRole::Fill),
        }
    }

    fn scratch(&self, row: u32) -> Option<ScratchMessage> {
        let role = self.figure_role(row)?;
        let place = self.query(|| self.frames().places.get(&row).copied());
        let place = place.value.map(|place| ScratchPlace {
            address: self.address_text(place.base, place.offset),
            bytes: place.bytes,
        });
        Some(ScratchMessage { role, place })
    }
}

impl DataFlow {
    /// The role of a message to scratch memory.
    fn figure_role(&self, row: u32) -> Option<ScratchRole> {
        self.query(|| self.scratch_role(row)).value
    }

    /// The loads of a slot, with the stores that they read.
    fn slot_loads(&self, slot: &Slot) -> Vec<SlotLoad> {
        let stores = &self.frames().stores;
        let loads = slot.readers.iter().filter_map(|row| {
            let all = stores.get(row).map_or(&[][..], Vec::as_slice);
            let is_own = |store: &&u32| slot.writers.binary_search(store).is_ok();
            let stores: Vec<u32> = all.iter().filter(is_own).copied().collect();
            // Slots overlap: it may read another one.
            if stores.is_empty() && !all.is_empty() {
                return None;
            }
            Some(SlotLoad {
                pc: self.pc(*row)?,
                stores: stores.iter().filter_map(|row| self.pc(*row)).collect(),
            })
        });
        loads.collect()
    }

    fn producer(&self, definition: &Definition) -> Producer {
        Producer {
            pc: definition.row.and_then(|row| self.pc(row)),
            bytes: definition.bytes.parts(),
        }
    }

    fn add_spills(&self, spills: &Spills, report: &mut FlowReport) {
        let pcs = |rows: &[u32]| rows.iter().filter_map(|row| self.pc(*row)).collect();
        report.other_scratch = Some(pcs(&spills.others));
        let slots = spills.slots.iter();
        let slots = slots.map(|slot| SlotReport {
            address: self.address_text(slot.base, slot.offset),
            bytes: slot.bytes,
            writers: pcs(&slot.writers),
            readers: pcs(&slot.readers),
            depth: slot.depth,
            loads: self.slot_loads(slot),
            saves: slot
                .writers
                .iter()
                .all(|row| self.scratch_role(*row) == Some(ScratchRole::Save)),
        });
        report.slots = Some(slots.collect());
        let patterns = self.patterns(spills);
        let patterns = patterns.and_then(|found| Ok((found, self.recomputables(spills)?)));
        if let Some((found, values)) = report.known("spill patterns", patterns) {
            let pressures = self.figure(|| self.pressures(spills, &values));
            report.pressures = report.known("live values", pressures);
            let mut patterns = self.spill_patterns(spills, found);
            self.add_recomputables(spills, values, &mut patterns, &mut report.limits);
            report.patterns = Some(patterns);
        }
    }

    fn spill_patterns(&self, spills: &Spills, found: Vec<Pattern>) -> Vec<SpillPattern> {
        let patterns = found.into_iter();
        let patterns = patterns.filter_map(|pattern| {
            let slot = spills.slots.get(pattern.slot)?;
            let (kind, text) = match pattern.kind {
                PatternKind::InInnermostLoop => (
                    "innermost loop",
                    "An innermost loop writes and reads the slot.".to_owned(),
                ),
                PatternKind::SpilledAgain { kept, written } if kept < written => (
                    "spilled again",
                    format!("{kept} of the {written} bytes are those that were filled; the others were changed in between."),
                ),
                PatternKind::SpilledAgain { .. } => (
                    "spilled again",
                    "The bytes that were filled are spilled again without a change.".to_owned(),
                ),
                PatternKind::SpilledAgainMasked { masked, written } => (
                    "spilled again",
                    format!("{masked} of the {written} bytes were filled, changed under the execution mask, and are spilled again with all channels."),
                ),
                PatternKind::Constant => (
                    "constant",
                    "The value does not depend on registers, and could be computed again instead.".to_owned(),
                ),
            };
            Some(SpillPattern {
                kind: kind.to_owned(),
                address: self.address_text(slot.base, slot.offset),
                places: pattern.rows.iter().filter_map(|row| self.pc(*row)).collect(),
                text,
                in_registers: false,
            })
        });
        patterns.collect()
    }

    /// Adds the values that could be computed again.
    fn add_recomputables(
        &self,
        spills: &Spills,
        found: Recomputables,
        patterns: &mut Vec<SpillPattern>,
        limits: &mut Vec<String>,
    ) {
        for value in found.values {
            let slot = value.slot.and_then(|(at, writer)| {
                let slot = spills.slots.get(at)?;
                Some((self.address_text(slot.base, slot.offset), writer))
            });
            let mut rows = vec![value.row];
            rows.extend(slot.iter().map(|(_, writer)| *writer));
            rows.extend(&value.uses);
            let text = match (&slot, value.is_constant) {
                (Some(_), _) => {
                    "The sources of the spilled value are in registers at the fills anyway: it could be computed there again."
                }
                (None, true) => {
                    "Live at the peak, but does not depend on registers: it could be computed at its uses."
                }
                (None, false) => {
                    "Live at the peak, but its sources are in registers at its uses anyway: it could be computed there again."
                }
            };
            patterns.push(SpillPattern {
                kind: "recomputable".to_owned(),
                address: match slot {
                    Some((address, _)) => address,
                    None => value.bytes.to_string(),
                },
                places: rows.iter().filter_map(|row| self.pc(*row)).collect(),
                text: text.to_owned(),
                in_registers: value.slot.is_none(),
            });
        }
        if found.skipped > 0 {
            let values = counted(found.skipped.into(), "value", "values");
            limits.push(format!(
                "not checked for being computed again: {values}, whose uses are too far away"
            ));
        }
    }

    fn waits_for(&self, row: u32) -> Vec<WaitFor> {
        let mut out = Vec::new();
        for wait in self.find_waits(row) {
            let on = wait.on.text();
            if wait.producers.is_empty() {
                out.push(WaitFor {
                    pc: None,
                    on: on.clone(),
                    bytes: Vec::new(),
                    others: 0,
                });
            }
            let count = wait.producers.len();
            let listed = wait.producers.iter().zip(&wait.reasons).take(CANDIDATES);
            for (at, (row, reason)) in (1..).zip(listed) {
                let others = if at == CANDIDATES { count - at } else { 0 };
                out.push(WaitFor {
                    pc: self.pc(*row),
                    on: on.clone(),
                    bytes: reason.parts(),
                    others: u32::try_from(others).unwrap_or(u32::MAX),
                });
            }
        }
        out
    }

    /// The producers that the hardware waits for, before Xe: it checks the registers.
    fn register_waits(&self, row: u32) -> Vec<WaitFor> {
        let definitions = self.find_all_definitions(row);
        let longest = definitions.iter().filter_map(|def| def.row);
        let longest = longest.map(|row| self.latency(row)).max();
        let found = definitions.iter().filter(|def| {
            let latency = def.row.map(|row| self.latency(row));
            latency.is_some() && latency == longest
        });
        let wait = |definition: &Definition| WaitFor {
            pc: definition.row.and_then(|row| self.pc(row)),
            on: "registers".to_owned(),
            bytes: definition.bytes.parts(),
            others: 0,
        };
        found.map(wait).collect()
    }

    /// Limitations of the analysis for this code, as sentences.
    fn limits(&self) -> Vec<String> {
        let extent = self.extent();
        let mut out = Vec::new();
        let mut say = |count: u32, text: &str| {
            if count > 0 {
                out.push(text.replace('#', &count.to_string()));
            }
        };
        say(
            extent.unknown,
            "# words are no instructions of the encoding.",
        );
        say(
            extent.astray,
            "# jumps lead out of the code or into the middle of an instruction.",
        );
        say(
            extent.calls,
            "# calls and returns are not followed: the analysis is within functions.",
        );
        say(
            extent.indirect,
            "# operands have their register number in a register: the registers are unknown.",
        );
        say(
            extent.assumed,
            "# messages have their length in a register: it is assumed.",
        );
        match extent.stop {
            Some((pc, Stop::Truncated)) => {
                out.push(format!("The code ends within the instruction at {pc:#x}."));
            }
            Some((pc, Stop::Limit)) => out.push(format!(
                "The code is too long: the analysis stops at {pc:#x}."
            )),
            None => {}
        }
        out
    }

    /// The instruction with the most live registers.
    pub(super) fn peak_row(&self) -> Option<u32> {
        let rows = 0..self.count();
        let key = |row: &u32| {
            let live = self.find_live_at(*row);
            // The earliest of equal rows: the reader sees it first.
            (live.registers, live.bytes, std::cmp::Reverse(*row))
        };
        rows.max_by_key(key)
    }

    /// The position with the most live registers, without the longest live range.
    fn peak(&self) -> Option<(u32, Peak)> {
        let row = self.peak_row()?;
        let live = self.find_live_at(row);
        if live.registers == 0 {
            return None;
        }
        let peak = Peak {
            pc: self.pc(row)?,
            registers: live.registers.into(),
            bytes: live.bytes,
            longest: None,
            iga: self.iga_peak(),
        };
        Some((row, peak))
    }

    /// The position with the most live registers if divergence is ignored.
    fn iga_peak(&self) -> Option<IgaPeak> {
        let key = |row: &u32| {
            let live = self.find_iga_at(*row);
            (live.registers, live.bytes, std::cmp::Reverse(*row))
        };
        let row = (0..self.count()).max_by_key(key)?;
        let live = self.find_iga_at(row);
        Some(IgaPeak {
            pc: self.pc(row)?,
            registers: live.registers.into(),
            bytes: live.bytes,
        })
    }

    /// The longest live range of a general register across an instruction.
    fn longest_across(&self, row: u32) -> Option<LiveRange> {
        let live = self.live_set(row);
        let mut longest: Option<(u32, u32, Option<u32>, u16)> = None;
        let general = live.registers();
        let general = general.filter(|(file, ..)| *file == super::RegisterFile::General);
        for (_, number, mask) in general {
            let mut first: Option<Option<u32>> = None;
            let mut last = row;
            self.producers_at(row, number, mask, &mut |from| {
                let from = (from != super::build::NONE).then_some(from);
                first = Some(match first {
                    Some(first) => first.min(from),
                    None => from,
                });
                if let Some(from) = from {
                    let uses = self.find_uses(from).into_iter();
                    let uses = uses.filter(|to| {
                        let reads = self.reads_of(*to).iter();
                        let mut reads = reads.map(|read| read.piece);
                        reads.any(|piece| piece.unit == number)
                    });
                    last = last.max(uses.max().unwrap_or(row));
                }
                true
            });
            let Some(first) = first else { continue };
            if first.is_none() {
                last = self.last_read_of_input(number).max(last);
            }
            let length = last.saturating_sub(first.unwrap_or(0));
            if longest.is_none_or(|(most, ..)| length > most) {
                longest = Some((length, last, first, number));
            }
        }
        let (instructions, last, first, number) = longest?;
        Some(LiveRange {
            register: format!("r{number}"),
            from: first.and_then(|row| self.pc(row)),
            to: self.pc(last)?,
            instructions,
        })
    }

    /// Calls `f` with the producers of the bytes of a register before an instruction, until it
    /// returns `false`.
    pub(super) fn producers_at(
        &self,
        row: u32,
        unit: u16,
        mask: u64,
        f: &mut dyn FnMut(u32) -> bool,
    ) {
        let Some(record) = self.row(row) else { return };
        let write = self.write_before(record.block, row, unit);
        let guard = super::build::Guard::default();
        let rest = self.walk(write, row, mask, guard, &mut |from, _| f(from));
        if rest != 0 {
            for (from, bytes) in self.entry(record.block, unit).iter() {
                if !self.spend(1) || bytes & rest != 0 && !f(*from) {
                    return;
                }
            }
        }
    }

    /// The last row that reads the initial value of a register.
    fn last_read_of_input(&self, unit: u16) -> u32 {
        let rows = (0..self.count()).rev();
        let mut reads = rows.filter(|row| {
            let read = self.reads_of(*row).iter().find(|r| r.piece.unit == unit);
            let rest = read.map_or(0, |read| self.walk_from(*row, read.piece, &mut |_, _| true));
            let block = self.block_of(*row).filter(|_| rest != 0);
            block.is_some_and(|block| {
                // The initial value is the last one.
                let entry = self.entry(block, unit);
                let last = entry.last();
                last.is_some_and(|(from, mask)| *from == super::build::NONE && mask & rest != 0)
            })
        });
        reads.next().unwrap_or(0)
    }

    fn address_text(&self, base: Base, offset: i64) -> String {
        let sign = if offset < 0 { "-" } else { "" };
        let number = offset.unsigned_abs();
        let plus = if offset < 0 { "" } else { "+" };
        match base {
            Base::Start => format!("{sign}{number:#x}"),
            Base::Result(row) => {
                let pc = self.pc(row).unwrap_or(0);
                format!("result of {pc:#x}{plus}{sign}{number:#x}")
            }
            Base::Frame(function) => {
                let functions = &self.functions().list;
                let function = functions.get(super::build::index(function));
                let name = function.map(|function| self.function_name(function));
                let name = name.unwrap_or_default();
                format!("{name}: frame{plus}{sign}{number:#x}")
            }
            Base::Input(register) => format!("r{register}{plus}{sign}{number:#x}"),
        }
    }

    /// The rows of a loop, adjacent blocks joined.
    fn rows_of(&self, at: usize) -> Vec<Range<u32>> {
        let mut ranges: Vec<Range<u32>> = Vec::new();
        for block in self.loop_blocks(at) {
            let rows = self.block_rows(block);
            match ranges.last_mut() {
                Some(last) if last.end == rows.start => last.end = rows.end,
                _ => ranges.push(rows),
            }
        }
        ranges
    }

    fn loop_reports(&self) -> LoopReports {
        let mut loops = Vec::new();
        for (at, found) in self.timing().loops.iter().enumerate() {
            if !self.spend(self.graph.forest().len(at) as u64) {
                break;
            }
            let end_of_code = u32::try_from(self.code.len()).unwrap_or(u32::MAX);
            let ranges: Vec<(u32, u32)> = self
                .rows_of(at)
                .into_iter()
                .map(|rows| {
                    let end = self.pc(rows.end).unwrap_or(end_of_code);
                    (self.pc(rows.start).unwrap_or(0), end)
                })
                .collect();
            let moved = found.traffic.iter().map(|traffic| Moved {
                space: traffic.memory.name().to_owned(),
                memory: traffic.function.to_owned(),
                cache: traffic.cache.to_owned(),
                messages: traffic.messages,
                prefetches: traffic.prefetches,
                loaded: traffic.bytes.ok().map(|bytes| bytes.0),
                stored: traffic.bytes.ok().map(|bytes| bytes.1),
                unknown: traffic.bytes.err().map(str::to_owned),
            });
            let mut operations: Vec<OperationCount> =
                found.operations.iter().map(operation_count).collect();
            // Words that do not decode may be anything.
            operations.extend((found.unknown > 0).then(|| OperationCount {
                kind: "unknown".to_owned(),
                data_type: String::new(),
                count: None,
            }));
            let pc = |row| self.pc(row).unwrap_or(0);
            let bottleneck = match found.bound {
                Bound::Issue => Bottleneck::Issue,
                Bound::Pipe(pipe) => Bottleneck::Pipe(pipe.to_owned()),
                Bound::Wait { row, producer } => Bottleneck::Wait {
                    pc: pc(row),
                    producer: pc(producer),
                },
            };
            let throughput = found.pipes.iter().map(|pipe| pipe.occupied).max();
            let throughput = throughput.unwrap_or(0);
            let mut report = LoopReport {
                start: ranges.iter().map(|range| range.0).min().unwrap_or(0),
                end: ranges.iter().map(|range| range.1).max().unwrap_or(0),
                ranges,
                depth: found.depth,
                parent: found.parent.and_then(|at| u32::try_from(at).ok()),
                innermost: found.innermost,
                instructions: found.instructions,
                dpas: found.dpas,
                sends: found.sends,
                spills: found.spills,
                fills: found.fills,
                waits: found.waits,
                moved: moved.collect(),
                operations,
                calls: found.calls,
                intensity: None,
                intensity_unknown: None,
                cycles: found.cycles,
                issue: found.issue,
                latency: found.cycles.saturating_sub(found.issue),
                throughput,
                saturating_threads: (throughput > 0)
                    .then(|| found.cycles.div_ceil(throughput).max(1)),
                pipes: found.pipes.iter().map(pipe_cycles).collect(),
                bottleneck,
            };
            match report.find_intensity() {
                Ok(intensity) => report.intensity = Some(intensity),
                Err(reason) => report.intensity_unknown = Some(reason.reason().into_owned()),
            }
            loops.push(report);
        }
        let costs = (0_u32..).zip(loop_costs(&loops));
        let hottest = costs.max_by_key(|(at, cost)| (*cost, std::cmp::Reverse(*at)));
        LoopReports {
            hottest: hottest.map(|(at, _)| at),
            loops,
        }
    }

    /// The most expensive waits, those in the deepest loops first.
    fn costliest_waits(&self) -> Vec<WaitReport> {
        let stalls = (0_u32..).zip(&self.timing().stalls);
        let stalls = stalls.filter(|(_, stall)| **stall > 0);
        let waits = stalls.map(|(row, stall)| (self.depth(row), *stall, row));
        let mut waits: Vec<(u32, u32, u32)> = waits.collect();
        sort::by_key(&mut waits, |(depth, stall, row)| {
            (std::cmp::Reverse((*depth, *stall)), *row)
        });
        let report = |(depth, cycles, row): (u32, u32, u32)| {
            Some(WaitReport {
                pc: self.pc(row)?,
                cycles,
                depth,
                waits: match self.accesses.encoding.rank {
                    20.. => self.waits_for(row),
                    _ => self.register_waits(row),
                },
            })
        };
        waits.into_iter().take(WAITS).filter_map(report).collect()
    }
}

fn operation_count(done: &Operations) -> OperationCount {
    let first = done.data_type.name();
    OperationCount {
        kind: done.kind.name().to_owned(),
        data_type: match done.second {
            Some(second) => format!("{first}×{}", second.name()),
            None => first.to_owned(),
        },
        count: done.count.map(u64::from),
    }
}
