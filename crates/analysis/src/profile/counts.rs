//! Executions of instructions on the code of a file.

use std::collections::{BTreeMap, HashMap};

use super::attribution::Code;
use super::fit::Place;
use super::matching::Matcher;
use super::report::{CountedCode, CountedLoop, InstructionCounts, KernelCounts, ProfileReport};
use super::{CountedKernel, OffsetSamples};
use zeview_core::analysis::data_flow::{LoopReport, loop_costs_with};
use zeview_core::model::{Span, sort};

/// Maximum number of different codes that are listed for a kernel.
const CODES_MAX: usize = 8;

impl Matcher<'_> {
    /// Finds the code of a kernel whose instructions were counted. Returns why there is none in the
    /// report.
    pub(super) fn counted(&mut self, kernel: &CountedKernel) -> KernelCounts {
        // All instructions have to be in the code, also those that were not counted.
        let listed = kernel.offsets.iter().map(|offset| (*offset, 0));
        let counted = kernel.instructions.iter();
        let counted = counted.map(|counted| (counted.offset, counted.executions));
        let all: BTreeMap<u64, u64> = sort::map(listed.chain(counted));
        let rows = all.into_iter().map(|(offset, count)| OffsetSamples {
            offset,
            counts: vec![count],
        });
        let rows: Vec<OffsetSamples> = rows.collect();
        let codes = self.codes(&kernel.name, &[&rows]);
        let (accepted, reason) = super::matching::best(&codes);
        let mut shown = Vec::new();
        for at in accepted.iter().take(CODES_MAX) {
            let items = super::matching::items(&codes, *at);
            shown.extend(self.counted_code(items, kernel));
        }
        let executions = kernel.instructions.iter();
        KernelCounts {
            name: kernel.name.clone(),
            runs: kernel.runs,
            collected_runs: kernel.collected_runs,
            executions: executions.fold(0, |sum, of| sum.saturating_add(of.executions)),
            codes: shown,
            rejected: self.rejected(&codes, &accepted),
            reason,
        }
    }

    fn counted_code(&mut self, items: &[usize], kernel: &CountedKernel) -> Option<CountedCode> {
        let at = *items.first()?;
        let images = self.images(items);
        let (listing, shape) = (self.listing(at)?, self.shape(at));
        let document = &*self.document;
        let sources = &document.sources;
        let code = Code::new(document, &*listing, &shape, &images, &[]);
        let (mut instructions, mut elsewhere) = (Vec::new(), Vec::new());
        let mut by_offset: HashMap<u64, u64> = HashMap::new();
        for counted in &kernel.instructions {
            let Place::Instruction(row) = shape.place(counted.offset, &*listing, sources) else {
                elsewhere.push(OffsetSamples {
                    offset: counted.offset,
                    counts: vec![counted.executions],
                });
                continue;
            };
            by_offset.insert(counted.offset, counted.executions);
            let cycles = code.flows().and_then(|flows| flows.cycles(row));
            instructions.push(InstructionCounts {
                offset: counted.offset,
                row,
                function: code.function(counted.offset),
                executions: counted.executions,
                lanes: counted.lanes,
                access: counted.access.clone(),
                cycles: cycles.map(|cycles| cycles.saturating_mul(counted.executions)),
                text: code.text(row).0,
                line: code.line(counted.offset),
            });
        }
        let report = code.flows().map(|flows| flows.report());
        let loops = report.and_then(|report| report.loops).unwrap_or_default();
        let runs = |found: &LoopReport| by_offset.get(&u64::from(found.start)).copied();
        let costs = loop_costs_with(&loops, |found| runs(found).unwrap_or(0));
        let loops = loops.iter().zip(costs).filter_map(|(found, cycles)| {
            Some(CountedLoop {
                start: found.start.into(),
                end: found.end.into(),
                depth: found.depth,
                iterations: runs(found)?,
                cycles,
            })
        });
        let loops = loops.collect();
        Some(CountedCode {
            images,
            threads: by_offset.get(&0).copied(),
            instructions,
            loops,
            elsewhere,
        })
    }
}

impl ProfileReport {
    /// Returns the instructions that were counted in a section of code, by offset. Sums the counts of all
    /// kernels whose instructions fit the code.
    #[must_use]
    pub fn counts_on_code(&self, code: Span) -> Vec<InstructionCounts> {
        let codes = self.counts.iter().flat_map(|kernel| &kernel.codes);
        let codes = codes.filter(|found| found.images.iter().any(|image| image.code == code));
        let mut all: BTreeMap<u64, InstructionCounts> = BTreeMap::new();
        for counts in codes.flat_map(|found| &found.instructions) {
            match all.get_mut(&counts.offset) {
                Some(known) => known.add(counts),
                None => {
                    all.insert(counts.offset, counts.clone());
                }
            }
        }
        all.into_values().collect()
    }
}

impl InstructionCounts {
    /// Adds the counts of the same instruction. Two tools count the same executions: the larger count is of
    /// more runs.
    fn add(&mut self, other: &InstructionCounts) {
        let is_other_tool = self.access.is_some() != other.access.is_some();
        if is_other_tool {
            self.executions = self.executions.max(other.executions);
            self.lanes = self.lanes.max(other.lanes);
            self.cycles = self.cycles.max(other.cycles);
            self.access = self.access.take().or_else(|| other.access.clone());
            return;
        }
        self.executions = self.executions.saturating_add(other.executions);
        let sum = |one: Option<u64>, other: Option<u64>| match (one, other) {
            (Some(one), Some(other)) => Some(one.saturating_add(other)),
            (one, other) => one.or(other),
        };
        self.lanes = sum(self.lanes, other.lanes);
        self.cycles = sum(self.cycles, other.cycles);
        if let (Some(access), Some(more)) = (&mut self.access, &other.access) {
            access.add(more);
        }
    }

    /// Returns the mean number of lanes that were enabled, or `None` if they were not counted.
    #[must_use]
    #[allow(
        clippy::cast_precision_loss,
        reason = "a mean of that many lanes is not exact"
    )]
    pub fn mean_lanes(&self) -> Option<f64> {
        let lanes = self.lanes.filter(|_| self.executions > 0)?;
        Some(lanes as f64 / self.executions as f64)
    }
}
