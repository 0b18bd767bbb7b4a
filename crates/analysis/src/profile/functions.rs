//! Samples by function: of the code, and of the source with inlined calls.

use std::collections::{BTreeMap, BTreeSet};

use zeview_core::model::sort;

use super::add;
use super::report::{
    FunctionSamples, InstructionSamples, LineSamples, SourceFunctionSamples, SourcePosition,
};
use zeview_core::analysis::functions::{Callee, FunctionReport};

/// Sums the samples of the functions of the code; those without samples are left out.
pub(super) fn by_function(
    functions: &[FunctionReport],
    instructions: &[InstructionSamples],
    types: usize,
) -> Vec<FunctionSamples> {
    let own = functions.iter().map(|function| {
        let mut counts = vec![0; types];
        for at in instructions {
            let offset = u32::try_from(at.offset).unwrap_or(u32::MAX);
            if function.contains(offset) {
                add(&mut counts, &at.counts);
            }
        }
        counts
    });
    let own: Vec<Vec<u64>> = own.collect();
    let number = |at: u32| usize::try_from(at).unwrap_or(usize::MAX);
    let mut out = Vec::new();
    for (at, function) in functions.iter().enumerate() {
        let mut reached = sort::set([at]);
        let mut work = vec![at];
        while let Some(next) = work.pop() {
            let calls = functions.get(next).map_or(&[][..], |of| &of.calls);
            for call in calls {
                if let Callee::Function(to) = call.callee
                    && reached.insert(number(to))
                {
                    work.push(number(to));
                }
            }
        }
        let mut all = vec![0; types];
        for other in reached {
            if let Some(counts) = own.get(other) {
                add(&mut all, counts);
            }
        }
        if all.iter().any(|count| *count > 0) {
            out.push(FunctionSamples {
                function: function.name.clone(),
                start: function.start.into(),
                own: own.get(at).cloned().unwrap_or_default(),
                with_callees: all,
            });
        }
    }
    out
}

/// Sums the samples of instructions that are in no function.
pub(super) fn in_no_function(
    functions: &[FunctionReport],
    instructions: &[InstructionSamples],
    types: usize,
) -> Vec<u64> {
    let mut counts = vec![0; types];
    for at in instructions {
        let offset = u32::try_from(at.offset).unwrap_or(u32::MAX);
        if !functions.iter().any(|function| function.contains(offset)) {
            add(&mut counts, &at.counts);
        }
    }
    counts
}

/// Sums the samples of the lines where the chains of inlined calls begin. Empty if nothing is inlined.
pub(super) fn by_outermost_line(
    instructions: &[InstructionSamples],
    types: usize,
) -> Vec<LineSamples> {
    let inlined = |at: &InstructionSamples| at.frames.iter().any(|frame| frame.inlined);
    if !instructions.iter().any(inlined) {
        return Vec::new();
    }
    let mut lines: BTreeMap<SourcePosition, LineSamples> = BTreeMap::new();
    for at in instructions {
        let outermost = at.frames.last().filter(|frame| frame.line > 0);
        let Some(outermost) = outermost else { continue };
        let line = SourcePosition {
            file: outermost.file.clone(),
            line: outermost.line,
        };
        let samples = lines.entry(line.clone()).or_insert_with(|| LineSamples {
            line,
            counts: vec![0; types],
            offsets: Vec::new(),
        });
        add(&mut samples.counts, &at.counts);
        samples.offsets.push(at.offset);
    }
    lines.into_values().collect()
}

/// Sums the samples of the functions of the source, by name.
pub(super) fn by_source_function(
    instructions: &[InstructionSamples],
    types: usize,
) -> Vec<SourceFunctionSamples> {
    let mut functions: BTreeMap<&str, SourceFunctionSamples> = BTreeMap::new();
    for at in instructions {
        let mut seen: BTreeSet<&str> = BTreeSet::new();
        for (depth, frame) in at.frames.iter().enumerate() {
            // A recursive function may be inlined into itself.
            if frame.function.is_empty() || !seen.insert(&frame.function) {
                continue;
            }
            let samples =
                functions
                    .entry(&frame.function)
                    .or_insert_with(|| SourceFunctionSamples {
                        function: frame.function.clone(),
                        own: vec![0; types],
                        with_inlined: vec![0; types],
                    });
            if depth == 0 {
                add(&mut samples.own, &at.counts);
            }
            add(&mut samples.with_inlined, &at.counts);
        }
    }
    functions.into_values().collect()
}
