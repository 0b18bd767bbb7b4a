//! The Markdown report of `zeview analyze --summary`.

use std::io::{self, Write};

use zeview::analysis::figure::Unknown;
use zeview::model::Sources;
use zeview::model::text::{markdown, plural};
use zeview::tables::gate::Outcome;
use zeview::tables::{CellValue, List, ListId};

use super::Options;
use crate::gate::Gate;
use crate::output;

/// Maximum number of messages of thresholds in a report.
const MESSAGES: usize = 200;

/// Writes the beginning of a report.
pub(super) fn start(options: &Options) -> io::Result<()> {
    let mut out = output::raw();
    for file in &options.input.files {
        let name = markdown(&file.display().to_string());
        writeln!(out, "# Loops of the kernels of {name}\n")?;
    }
    writeln!(
        out,
        "Figures of an iteration of the costliest loop of each kernel, for one thread. Cycles are those that the \
         compiler's scheduler assumes. Operations and bytes are for all channels of the execution size, \
         enabled or not; a multiply-add is two operations. Intensity: float and systolic operations per byte of \
         memory other than SLM and scratch.\n"
    )?;
    out.flush()
}

/// Writes the end of a report: the thresholds with the kernels that exceed them.
pub(super) fn finish(options: &Options, gate: &Gate<'_>, limited: u64) -> io::Result<()> {
    let mut out = output::raw();
    if let Some(text) = limited_text(limited) {
        writeln!(out, "\n{}.", markdown(&text))?;
    }
    if gate.has_conditions() {
        writeln!(out, "\n## Thresholds\n")?;
        for condition in &options.fail_if {
            writeln!(out, "* fails if {}", markdown(condition))?;
        }
        let result = match gate.outcome() {
            Outcome::Passes => "Passed: no kernel meets a condition.",
            Outcome::Fails => "Failed:",
            Outcome::NotJudged => "Not judged:",
        };
        writeln!(out, "\n{result}\n")?;
        let messages = gate.kept_messages();
        for message in messages.iter().take(MESSAGES) {
            writeln!(out, "* {}", markdown(message))?;
        }
        let more = messages.len().saturating_sub(MESSAGES) as u64;
        if more > 0 {
            writeln!(out, "* {}", plural(more, "more message"))?;
        }
    }
    out.flush()
}

/// Whether a limit left the loops of a kernel unknown.
pub(super) fn is_limited(list: &dyn List, row: u32, sources: &Sources) -> bool {
    let columns = ListId::Kernels.columns();
    let Some(column) = columns.iter().position(|column| column.id == "loop_cycles") else {
        return false;
    };
    let value = list.cell(row, column, sources).value;
    matches!(
        value,
        CellValue::Unknown {
            reason: Unknown::TooLong
                | Unknown::TooMuchWork
                | Unknown::Truncated
                | Unknown::Overlapping,
            ..
        }
    )
}

/// How many kernels have unknown loops because of a limit.
pub(super) fn limited_text(limited: u64) -> Option<String> {
    let kernels = plural(limited, "kernel");
    (limited > 0).then(|| format!("the loops of {kernels} are unknown because of a limit"))
}
