//! Figures of source lines from the data flow of their code.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use zeview_core::analysis::data_flow::Flows;
use zeview_core::analysis::source_lines::{LineRow, LineTable};
use zeview_core::model::{Span, sort};

/// The figures of a source line in one section of code. Cycles are the model of the compiler's
/// scheduler: one run of each instruction, for one thread. Figures are `None` if they are unknown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineCosts {
    /// The file, without directories.
    pub file: String,
    /// One-based line number.
    pub line: u32,
    /// Number of instructions.
    pub instructions: u32,
    /// Number of messages that write scratch memory.
    pub spills: u32,
    /// Number of messages that read scratch memory.
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

impl LineCosts {
    /// Creates the figures of a line without instructions.
    fn new(file: String, line: u32) -> LineCosts {
        LineCosts {
            file,
            line,
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

    fn add(&mut self, flow: &dyn Flows, row: u32) {
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
    }
}

/// Returns the figures of the code of a row of the line table. Returns `None` if the analysis does
/// not cover the code.
pub fn row_costs(flow: &dyn Flows, row: &LineRow) -> Option<LineCosts> {
    let start = u32::try_from(row.offset).ok()?;
    let end = row.offset.saturating_add(row.len);
    let first = flow.row_of(start)?;
    let mut costs = LineCosts::new(String::new(), row.line);
    for at in first.. {
        match flow.pc(at) {
            Some(pc) if u64::from(pc) < end => costs.add(flow, at),
            _ => break,
        }
    }
    Some(costs)
}

/// Returns the figures of all source lines of a section of code, in descending order of cycles.
pub fn line_costs(flow: &dyn Flows, table: &LineTable, code: Span) -> Vec<LineCosts> {
    let mut out: Vec<LineCosts> = Vec::new();
    let mut places: HashMap<(u32, u32), usize> = HashMap::new();
    let mut open: Option<usize> = None;
    for at in 0.. {
        let Some(pc) = flow.pc(at) else { break };
        let row = table.row_at(code, pc.into());
        let place = row.map(|row| {
            *places.entry((row.file, row.line)).or_insert_with(|| {
                let file = table.file(row).map_or("", |file| &file.name);
                out.push(LineCosts::new(file.to_owned(), row.line));
                out.len() - 1
            })
        });
        if open != place {
            if let Some(range) = last_range(&mut out, open) {
                range.1 = pc;
            }
            if let Some(line) = place.and_then(|place| out.get_mut(place)) {
                line.ranges.push((pc, u32::MAX));
            }
            open = place;
        }
        if let Some(line) = place.and_then(|place| out.get_mut(place)) {
            line.add(flow, at);
        }
    }
    if let Some(range) = last_range(&mut out, open) {
        range.1 = u32::try_from(code.len()).unwrap_or(u32::MAX);
    }
    sort::by_key(&mut out, |line| {
        (std::cmp::Reverse(line.cycles), line.file.clone(), line.line)
    });
    out
}

/// The last range of a line.
fn last_range(lines: &mut [LineCosts], at: Option<usize>) -> Option<&mut (u32, u32)> {
    lines.get_mut(at?)?.ranges.last_mut()
}
