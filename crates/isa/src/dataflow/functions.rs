//! The functions of the code: which blocks belong to each, and which functions they call.
//!
//! A function starts at the start of the code, at a symbol, at the target of a call, or at an address
//! that the code takes by a relocation. Its blocks are those that control reaches from there without
//! a call or a return.

use std::collections::BTreeMap;

use super::build::{DataFlow, NONE, index};
use crate::tables::Op;
use crate::targets;
use zeview_core::analysis::data_flow::ScratchRole;
use zeview_core::analysis::data_flow::estimated_runs;
use zeview_core::analysis::figure::Figure;
use zeview_core::analysis::functions::{
    CallSite, Callee, FunctionCosts, FunctionKind, FunctionReport,
};
use zeview_core::model::sort;

/// The functions of some code.
#[derive(Debug, Default)]
pub(super) struct Functions {
    /// In code order.
    pub list: Vec<Function>,
    /// The function of each block, or [`NONE`].
    owners: Vec<u32>,
    /// The blocks of the same function that lead to each block.
    before: Vec<Vec<u32>>,
}

/// A function.
#[derive(Debug)]
pub(super) struct Function {
    /// Its first row. Padding may be before it in its block.
    pub first: u32,
    /// Its blocks, in code order.
    pub blocks: Vec<u32>,
    pub calls: Vec<Call>,
    /// Whether code that is not analyzed may start it: it has a symbol, or its address is taken.
    pub is_open: bool,
}

/// A call.
#[derive(Debug)]
pub(super) struct Call {
    pub row: u32,
    pub target: Target,
}

/// The target of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Target {
    /// A function, by index.
    Function(u32),
    /// The address of a patch's symbol outside of the code, by the offset of the patch.
    Symbol(u64),
    /// An address that is computed at run time.
    Indirect,
    /// No instruction of the code.
    Astray,
}

/// What a call leads to, before the functions are numbered.
enum Place {
    Row(u32),
    Other(Target),
}

impl Functions {
    /// The function of a block.
    pub fn of(&self, block: u32) -> Option<u32> {
        let found = self.owners.get(index(block)).copied()?;
        (found != NONE).then_some(found)
    }

    /// The blocks of the same function that lead to a block.
    pub fn before(&self, block: u32) -> &[u32] {
        self.before.get(index(block)).map_or(&[], Vec::as_slice)
    }
}

impl DataFlow {
    /// The functions; found on first use.
    pub(super) fn functions(&self) -> &Functions {
        self.known(&self.functions, || self.find_functions())
    }

    fn find_functions(&self) -> Functions {
        let calls = self.find_calls();
        // The first rows, with whether other code may start there.
        let mut entries: BTreeMap<u32, bool> = BTreeMap::new();
        if self.count() > 0 {
            entries.insert(0, true);
        }
        let row = |at: u64| self.row_of(u32::try_from(at).ok()?);
        for symbol in &self.inputs.functions {
            entries.extend(row(symbol.start).map(|row| (row, true)));
        }
        let code = self.inputs.code;
        for patch in &self.inputs.patches {
            let target = patch.target.as_ref().map(|(_, to)| *to);
            let target = target.filter(|to| !code.is_empty() && code.contains(*to));
            entries.extend(
                target
                    .and_then(|to| row(to.start - code.start))
                    .map(|row| (row, true)),
            );
        }
        for (_, place) in &calls {
            if let Place::Row(row) = place {
                entries.entry(*row).or_insert(false);
            }
        }
        let mut found = self.flood(&entries);
        let starts: Vec<u32> = found.list.iter().map(|function| function.first).collect();
        for (at, place) in calls {
            let target = match place {
                Place::Other(target) => target,
                Place::Row(row) => match starts.binary_search(&row) {
                    Ok(at) => Target::Function(u32::try_from(at).unwrap_or(NONE)),
                    Err(_) => Target::Astray,
                },
            };
            let owner = self.block_of(at).and_then(|block| found.of(block));
            if let Some(function) = owner.and_then(|owner| found.list.get_mut(index(owner))) {
                function.calls.push(Call { row: at, target });
            }
        }
        found
    }

    /// The calls, in code order.
    fn find_calls(&self) -> Vec<(u32, Place)> {
        let is_call = |row: &u32| {
            let op = self.row(*row).map(|row| row.op);
            matches!(op, Some(Op::Call | Op::Calla))
        };
        let calls = (0..self.count())
            .filter(is_call)
            .take_while(|_| self.spend(1));
        let code = self.inputs.code;
        calls
            .filter_map(|row| {
                let i = self.instruction(row)?;
                let pc = i32::try_from(self.pc(row)?).ok()?;
                let target = targets(&i, pc).next().filter(|_| i.op == Op::Call);
                if let Some(target) = target {
                    let to = u32::try_from(target).ok().and_then(|to| self.row_of(to));
                    return Some((row, to.map_or(Place::Other(Target::Astray), Place::Row)));
                }
                let symbol = self.symbol_source(row);
                let Some((at, added)) = symbol else {
                    return Some((row, Place::Other(Target::Indirect)));
                };
                let to = self.patch(at).and_then(|patch| patch.target.as_ref());
                let to = to.map(|(_, to)| *to).filter(|to| code.contains(*to));
                let to = to.filter(|_| added == 0 && !code.is_empty());
                let to = to.and_then(|to| self.row_of(u32::try_from(to.start - code.start).ok()?));
                Some((row, to.map_or(Place::Other(Target::Symbol(at)), Place::Row)))
            })
            .collect()
    }

    /// Finds the blocks of the functions that start at these rows.
    fn flood(&self, entries: &BTreeMap<u32, bool>) -> Functions {
        let count = index(self.blocks());
        let mut found = Functions {
            list: Vec::new(),
            owners: vec![NONE; count],
            before: vec![Vec::new(); count],
        };
        // Of several in one block, the first is its function.
        let mut starts: BTreeMap<u32, (u32, bool)> = BTreeMap::new();
        for (row, is_open) in entries {
            if let Some(block) = self.block_of(*row) {
                starts.entry(block).or_insert((*row, *is_open));
            }
        }
        for (at, (block, (first, is_open))) in (0_u32..).zip(&starts) {
            let mut blocks = Vec::new();
            let mut work = vec![*block];
            while let Some(next) = work.pop() {
                let owner = found.owners.get_mut(index(next));
                // A jump to another function's start is not a part of this one.
                let is_other = next != *block && starts.contains_key(&next);
                let Some(owner) = owner.filter(|owner| **owner == NONE && !is_other) else {
                    continue;
                };
                if !self.spend(1) {
                    break;
                }
                *owner = at;
                blocks.push(next);
                work.extend(self.graph.within(next));
            }
            sort::ascending(&mut blocks);
            found.list.push(Function {
                first: *first,
                blocks,
                calls: Vec::new(),
                is_open: *is_open,
            });
        }
        for function in &found.list {
            for block in &function.blocks {
                for to in self.graph.within(*block) {
                    let is_same = found.owners.get(index(*to)) == found.owners.get(index(*block));
                    if let Some(before) = found.before.get_mut(index(*to)).filter(|_| is_same) {
                        before.push(*block);
                    }
                }
            }
        }
        found
    }

    /// The rows of a function, in code order.
    pub(super) fn function_rows<'a>(
        &'a self,
        function: &'a Function,
    ) -> impl Iterator<Item = u32> + 'a {
        let blocks = function.blocks.iter();
        let rows = blocks.flat_map(|block| self.block_rows(*block));
        rows.filter(|row| {
            *row >= function.first || self.block_of(*row) != self.block_of(function.first)
        })
    }

    /// The name of a function.
    pub(super) fn function_name(&self, function: &Function) -> String {
        let pc = self.pc(function.first).unwrap_or(0);
        match (self.inputs.function_at(pc.into()), &self.inputs.kernel) {
            (Some(symbol), _) => symbol.name.clone(),
            (None, Some(kernel)) if pc == 0 => kernel.clone(),
            (None, _) if pc == 0 => "start of the code".to_owned(),
            (None, _) => format!("function at {pc:#x}"),
        }
    }

    pub(super) fn function_reports(&self) -> Figure<Vec<FunctionReport>> {
        self.figure(|| self.report_functions())
    }

    fn report_functions(&self) -> Vec<FunctionReport> {
        let functions = self.functions();
        let mut reports: Vec<FunctionReport> = Vec::new();
        for function in &functions.list {
            let pc = self.pc(function.first).unwrap_or(0);
            let kind = match (self.inputs.function_at(pc.into()), &self.inputs.kernel) {
                (_, Some(_)) if pc == 0 => FunctionKind::Kernel,
                (Some(_), _) => FunctionKind::Function,
                _ => FunctionKind::Subroutine,
            };
            let own = self.own_costs(function);
            reports.push(FunctionReport {
                name: self.function_name(function),
                kind,
                start: pc,
                ranges: self.function_ranges(function),
                calls: function
                    .calls
                    .iter()
                    .map(|call| self.call_site(call))
                    .collect(),
                callers: Vec::new(),
                recursive: false,
                own,
                with_callees: own,
                limit: None,
            });
        }
        self.add_callees(&mut reports);
        reports
    }

    fn function_ranges(&self, function: &Function) -> Vec<(u32, u32)> {
        let end_of_code = u32::try_from(self.code.len()).unwrap_or(u32::MAX);
        let mut ranges: Vec<(u32, u32)> = Vec::new();
        for block in &function.blocks {
            let rows = self.block_rows(*block);
            let first = if rows.contains(&function.first) {
                function.first
            } else {
                rows.start
            };
            let start = self.pc(first).unwrap_or(0);
            let end = self.pc(rows.end).unwrap_or(end_of_code);
            match ranges.last_mut() {
                Some(last) if last.1 == start => last.1 = end,
                _ => ranges.push((start, end)),
            }
        }
        ranges
    }

    fn call_site(&self, call: &Call) -> CallSite {
        CallSite {
            pc: self.pc(call.row).unwrap_or(0),
            depth: self.depth(call.row),
            callee: match call.target {
                Target::Function(at) => Callee::Function(at),
                Target::Symbol(at) => {
                    let patch = self.patch(at);
                    Callee::Symbol(patch.map_or_else(String::new, |patch| patch.symbol.clone()))
                }
                Target::Indirect => Callee::Indirect,
                Target::Astray => Callee::Astray,
            },
        }
    }

    /// The costs of the instructions of a function.
    fn own_costs(&self, function: &Function) -> FunctionCosts {
        let forest = self.graph.forest();
        let loops = forest.loops.iter();
        let loops = loops.filter(|found| function.blocks.binary_search(&found.head).is_ok());
        let mut costs = FunctionCosts {
            loops: u32::try_from(loops.count()).unwrap_or(u32::MAX),
            cycles: Some(0),
            estimated_cycles: Some(0),
            peak_live_registers: Some(0),
            ..FunctionCosts::default()
        };
        let stalls = &self.timing().stalls;
        for row in self.function_rows(function) {
            let Some(record) = self.row(row).filter(|_| self.spend(1)) else {
                break;
            };
            if self.is_padding(row) {
                continue;
            }
            costs.instructions += 1;
            costs.sends += u32::from(record.is_send);
            costs.dpas += u32::from(matches!(record.op, Op::Dpas | Op::Dpasw | Op::Bdpas));
            costs.waits += u32::from(self.has_waits(row));
            let role = self.scratch_role(row);
            costs.spills += u32::from(role == Some(ScratchRole::Spill));
            costs.fills += u32::from(role == Some(ScratchRole::Fill));
            costs.saves += u32::from(role == Some(ScratchRole::Save));
            costs.restores += u32::from(role == Some(ScratchRole::Restore));
            let stall = stalls.get(index(row)).copied().unwrap_or(0);
            let cycles = u64::from(stall) + u64::from(record.occupancy);
            let runs = estimated_runs(forest.depth(record.block));
            let add = |sum: Option<u64>, of: u64| Some(sum?.saturating_add(of));
            costs.cycles = add(costs.cycles, cycles);
            costs.estimated_cycles = add(costs.estimated_cycles, cycles.saturating_mul(runs));
            let live = u32::from(self.find_live_at(row).registers);
            costs.peak_live_registers = costs.peak_live_registers.map(|peak| peak.max(live));
        }
        costs
    }

    /// Adds callers, recursion, and the costs with callees.
    fn add_callees(&self, reports: &mut [FunctionReport]) {
        let callees: Vec<Vec<u32>> = reports.iter().map(callees).collect();
        let mut callers: Vec<Vec<u32>> = vec![Vec::new(); reports.len()];
        for (at, callees) in (0_u32..).zip(&callees) {
            for callee in callees {
                if let Some(callers) = callers.get_mut(index(*callee)) {
                    callers.push(at);
                }
            }
        }
        let of = |at: u32| callees.get(index(at)).map_or(&[][..], Vec::as_slice);
        for (at, own) in (0_u32..).zip(callers) {
            let mut reached = Vec::new();
            let mut seen = vec![false; reports.len()];
            let mut work = of(at).to_vec();
            let mut recursive = false;
            while let Some(next) = work.pop() {
                recursive |= next == at;
                let is_new = seen.get_mut(index(next));
                let is_new = is_new.is_some_and(|seen| !std::mem::replace(seen, true));
                if !is_new {
                    continue;
                }
                if !self.spend(1) {
                    return;
                }
                reached.push(next);
                work.extend(of(next));
            }
            let mut costs = FunctionCosts::default();
            for other in reached.iter().filter(|other| **other != at) {
                if let Some(other) = reports.get(index(*other)) {
                    costs.add_counts(&other.own);
                }
            }
            if let Some(report) = reports.get_mut(index(at)) {
                report.callers = own;
                report.recursive = recursive;
                report.with_callees.add_counts(&FunctionCosts {
                    peak_live_registers: report.own.peak_live_registers,
                    ..costs
                });
            }
        }
        self.add_cycles(reports, &callees);
    }

    /// Adds the cycles of callees: those of a function after those of the functions that it calls.
    fn add_cycles(&self, reports: &mut [FunctionReport], callees: &[Vec<u32>]) {
        let of = |at: u32| callees.get(index(at)).map_or(&[][..], Vec::as_slice);
        let mut state = vec![false; reports.len()];
        let count = u32::try_from(reports.len()).unwrap_or(NONE);
        for root in 0..count {
            let mut stack = vec![(root, 0_usize)];
            while let Some((at, next)) = stack.last_mut() {
                let (at, callee) = (*at, of(*at).get(*next).copied());
                *next += 1;
                if let Some(callee) = callee {
                    let is_known = state.get(index(callee)).copied().unwrap_or(true);
                    let recursive = reports.get(index(callee)).is_some_and(|of| of.recursive);
                    // The cycles of recursive functions are unknown anyway.
                    if !is_known && !recursive {
                        stack.push((callee, 0));
                    }
                    continue;
                }
                stack.pop();
                let is_new = state.get_mut(index(at));
                if is_new.is_some_and(|done| !std::mem::replace(done, true)) {
                    sum_cycles(reports, at);
                }
            }
        }
    }
}

/// The functions that a function calls, each once.
fn callees(report: &FunctionReport) -> Vec<u32> {
    let calls = report.calls.iter().filter_map(|call| match call.callee {
        Callee::Function(at) => Some(at),
        _ => None,
    });
    let mut callees: Vec<u32> = calls.collect();
    sort::ascending(&mut callees);
    callees.dedup();
    callees
}

/// Sets the cycles of a function with its callees, whose cycles are known.
fn sum_cycles(reports: &mut [FunctionReport], at: u32) {
    let Some(report) = reports.get(index(at)) else {
        return;
    };
    let own = &report.own;
    let (mut once, mut estimated) = (own.cycles, own.estimated_cycles);
    let mut limit = None;
    let mut unknown = 0_u32;
    for call in &report.calls {
        let Callee::Function(callee) = call.callee else {
            unknown += 1;
            continue;
        };
        let callee = reports.get(index(callee)).filter(|of| !of.recursive);
        let Some(callee) = callee.filter(|_| !report.recursive) else {
            limit.get_or_insert("a function that it calls is recursive".to_owned());
            continue;
        };
        if let Some(reason) = &callee.limit {
            let reason = if reason.starts_with("in ") {
                reason.clone()
            } else {
                format!("in {}: {reason}", callee.name)
            };
            limit.get_or_insert(reason);
        }
        let runs = estimated_runs(call.depth);
        let costs = &callee.with_callees;
        let sum = |sum: Option<u64>, of: Option<u64>| Some(sum?.saturating_add(of?));
        once = sum(once, costs.cycles);
        let of = costs
            .estimated_cycles
            .map(|cycles| cycles.saturating_mul(runs));
        estimated = sum(estimated, of);
    }
    if report.recursive {
        limit = Some("it calls itself".to_owned());
    } else if unknown > 0 {
        let calls = if unknown == 1 { "call" } else { "calls" };
        limit = Some(format!("{unknown} {calls} of unknown code"));
    }
    if let Some(report) = reports.get_mut(index(at)) {
        let is_known = limit.is_none();
        report.with_callees.cycles = once.filter(|_| is_known);
        report.with_callees.estimated_cycles = estimated.filter(|_| is_known);
        report.limit = limit;
    }
}
