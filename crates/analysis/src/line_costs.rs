//! Figures of source lines and functions from the data flow of their code.

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};

use zeview_core::analysis::data_flow::Flows;
use zeview_core::analysis::source_lines::{LineRow, LineTable};
use zeview_core::model::{Span, sort};

/// The figures of instructions with something of the source in common. Cycles are the model of the
/// compiler's scheduler: one run of each instruction, for one thread. Figures are `None` if they are
/// unknown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceFigures {
    /// Number of instructions.
    pub instructions: u32,
    /// Number of messages that spill registers.
    pub spills: u32,
    /// Number of messages that fill registers.
    pub fills: u32,
    /// The maximum number of general registers that are live before one of its instructions.
    pub peak_live_registers: Option<u32>,
    /// Cycles to issue its instructions, and that they wait.
    pub cycles: Option<u64>,
    /// Cycles of these that they wait.
    pub stalls: Option<u64>,
    /// Number of instructions that wait.
    pub waits: u32,
    /// The ranges of its code: the first offset, and the offset after the last byte.
    pub ranges: Vec<(u32, u32)>,
}

/// The figures of a source line in one section of code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineCosts {
    /// The file, without directories.
    pub file: String,
    /// One-based line number.
    pub line: u32,
    /// Its figures.
    #[serde(flatten)]
    pub figures: SourceFigures,
}

/// The figures of a function of the source in one section of code, wherever it was inlined.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceFunctionCosts {
    /// Its name, demangled.
    pub function: String,
    /// Number of calls that were inlined; 0 if it only has code of its own.
    pub inlined_calls: u32,
    /// The figures of its own lines.
    pub own: SourceFigures,
    /// The figures with the functions that are inlined into it.
    pub with_inlined: SourceFigures,
}

impl Default for SourceFigures {
    /// The figures of no instructions.
    fn default() -> SourceFigures {
        SourceFigures {
            instructions: 0,
            spills: 0,
            fills: 0,
            peak_live_registers: Some(0),
            cycles: Some(0),
            stalls: Some(0),
            waits: 0,
            ranges: Vec::new(),
        }
    }
}

impl SourceFigures {
    /// Adds an instruction at an offset, which ends at another.
    fn add(&mut self, flow: &dyn Flows, row: u32, (pc, end): (u32, u32)) {
        let cost = flow.cost(row);
        self.instructions += 1;
        self.spills += u32::from(cost.is_spill);
        self.fills += u32::from(cost.is_fill);
        self.waits += u32::from(cost.waits);
        let sum = |sum: Option<u64>, of: Option<u64>| Some(sum? + of?);
        self.stalls = sum(self.stalls, cost.stall.map(u64::from));
        self.cycles = sum(self.cycles, cost.cycles());
        let live = flow.live(row).map(|live| live.registers);
        let peak = self.peak_live_registers.zip(live);
        self.peak_live_registers = peak.map(|(peak, live)| peak.max(live));
        match self.ranges.last_mut() {
            Some(last) if last.1 == pc => last.1 = end,
            _ => self.ranges.push((pc, end)),
        }
    }
}

/// Returns the figures of the code of a row of the line table. Returns `None` if the analysis does
/// not cover the code.
pub fn row_costs(flow: &dyn Flows, row: &LineRow) -> Option<SourceFigures> {
    let start = u32::try_from(row.offset).ok()?;
    let end = row.offset.saturating_add(row.len);
    let first = flow.row_of(start)?;
    let mut costs = SourceFigures::default();
    for at in first.. {
        match flow.pc(at) {
            Some(pc) if u64::from(pc) < end => costs.add(flow, at, (pc, pc)),
            _ => break,
        }
    }
    costs.ranges.clear();
    Some(costs)
}

/// Calls `f` with each instruction: its row, and its offset and that of the next one.
fn each_row(flow: &dyn Flows, code: Span, f: &mut dyn FnMut(u32, (u32, u32))) {
    let end_of_code = u32::try_from(code.len()).unwrap_or(u32::MAX);
    for at in 0.. {
        let Some(pc) = flow.pc(at) else { break };
        f(at, (pc, flow.pc(at + 1).unwrap_or(end_of_code)));
    }
}

/// Sorts lines in descending order of cycles.
fn by_cycles(lines: &mut [LineCosts]) {
    sort::by_key(lines, |line| {
        (
            std::cmp::Reverse(line.figures.cycles),
            line.file.clone(),
            line.line,
        )
    });
}

/// Sums the figures of lines.
struct Lines<'a> {
    table: &'a LineTable,
    list: Vec<LineCosts>,
    places: HashMap<(u32, u32), usize>,
}

impl Lines<'_> {
    /// The figures of a line of a file.
    fn of(&mut self, (file, line): (u32, u32)) -> Option<&mut SourceFigures> {
        let (table, list) = (self.table, &mut self.list);
        let at = *self.places.entry((file, line)).or_insert_with(|| {
            let file = usize::try_from(file)
                .ok()
                .and_then(|at| table.files.get(at));
            list.push(LineCosts {
                file: file.map_or_else(String::new, |file| file.name.clone()),
                line,
                figures: SourceFigures::default(),
            });
            list.len() - 1
        });
        Some(&mut self.list.get_mut(at)?.figures)
    }
}

/// Returns the figures of all source lines of a section of code, in descending order of cycles.
pub fn line_costs(flow: &dyn Flows, table: &LineTable, code: Span) -> Vec<LineCosts> {
    costs_of_lines(flow, table, code, &|place, _| Some(place))
}

/// Returns the figures of the lines in the functions with code of their own, in descending order of
/// cycles: an instruction of an inlined function belongs to the line where the chain of calls begins.
/// Empty if nothing is inlined.
pub fn outermost_line_costs(flow: &dyn Flows, table: &LineTable, code: Span) -> Vec<LineCosts> {
    if table
        .inlining
        .scopes
        .iter()
        .all(|scope| scope.call.is_none())
    {
        return Vec::new();
    }
    let outermost = |place, scope: Option<u32>| {
        let mut place = Some(place);
        let mut next = scope;
        // The callers of scopes come before them.
        while let Some(call) = next.and_then(|at| table.scope(at)).and_then(|of| of.call) {
            place = call.file.map(|file| (file, call.line));
            next = Some(call.caller);
        }
        place.filter(|(_, line)| *line > 0)
    };
    costs_of_lines(flow, table, code, &outermost)
}

/// A file and a line.
type Place = (u32, u32);

fn costs_of_lines(
    flow: &dyn Flows,
    table: &LineTable,
    code: Span,
    place: &dyn Fn(Place, Option<u32>) -> Option<Place>,
) -> Vec<LineCosts> {
    let mut lines = Lines {
        table,
        list: Vec::new(),
        places: HashMap::new(),
    };
    each_row(flow, code, &mut |at, (pc, end)| {
        let scope = table.scope_at(code, pc.into());
        let row = table.row_at(code, pc.into());
        let place = row.and_then(|row| place((row.file, row.line), scope));
        if let Some(line) = place.and_then(|place| lines.of(place)) {
            line.add(flow, at, (pc, end));
        }
    });
    by_cycles(&mut lines.list);
    lines.list
}

/// Returns the figures of the functions of the source, in descending order of their own cycles. Empty
/// without debug information about functions.
pub fn source_function_costs(
    flow: &dyn Flows,
    table: &LineTable,
    code: Span,
) -> Vec<SourceFunctionCosts> {
    let mut out: Vec<SourceFunctionCosts> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    // The functions of each scope that has code here, the innermost first.
    let mut chains: HashMap<u32, Vec<usize>> = HashMap::new();
    let mut calls: HashSet<u32> = HashSet::new();
    each_row(flow, code, &mut |at, (pc, end)| {
        let Some(scope) = table.scope_at(code, pc.into()) else {
            return;
        };
        let chain = chains.entry(scope).or_insert_with(|| {
            let mut chain = Vec::new();
            let mut next = Some(scope);
            while let Some((index, scope)) = next.and_then(|at| Some((at, table.scope(at)?))) {
                let place = *places.entry(&scope.function).or_insert_with(|| {
                    out.push(SourceFunctionCosts {
                        function: scope.function.to_string(),
                        inlined_calls: 0,
                        own: SourceFigures::default(),
                        with_inlined: SourceFigures::default(),
                    });
                    out.len() - 1
                });
                if scope.call.is_some()
                    && calls.insert(index)
                    && let Some(function) = out.get_mut(place)
                {
                    function.inlined_calls += 1;
                }
                // A recursive function may be inlined into itself.
                if !chain.contains(&place) {
                    chain.push(place);
                }
                next = scope.call.map(|call| call.caller);
            }
            chain
        });
        for (depth, function) in chain.iter().enumerate() {
            if let Some(function) = out.get_mut(*function) {
                if depth == 0 {
                    function.own.add(flow, at, (pc, end));
                }
                function.with_inlined.add(flow, at, (pc, end));
            }
        }
    });
    sort::by_key(&mut out, |of| {
        (std::cmp::Reverse(of.own.cycles), of.function.clone())
    });
    out
}
