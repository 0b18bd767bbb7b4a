//! The data flow of code as JSON.

use serde::Serialize;

use zeview_analysis::line_costs::{
    LineCosts, SourceFunctionCosts, line_costs, outermost_line_costs, source_function_costs,
};
use zeview_core::analysis::data_flow::{FlowReport, Flows, InstructionFlow};
use zeview_core::analysis::kernel_inputs::{InputUses, KernelInput};
use zeview_core::analysis::source_lines::LineTable;
use zeview_core::model::Span;

/// The data flow of an instruction.
#[derive(Debug, Serialize)]
pub struct FlowJson {
    #[serde(flatten)]
    flow: InstructionFlow,
    inputs: Option<Vec<KernelInput>>,
}

impl FlowJson {
    /// Returns the data flow of an instruction, or `None` if it is not covered.
    pub fn new(flow: &dyn Flows, row: u32) -> Option<FlowJson> {
        Some(FlowJson {
            flow: flow.instruction(row)?,
            inputs: flow.inputs(row),
        })
    }
}

/// The summary of a kernel's data flow.
#[derive(Debug, Serialize)]
pub struct FlowSummary {
    /// The figures of the kernel.
    #[serde(flatten)]
    pub report: FlowReport,
    /// The values from outside of the kernel; `None` if unknown.
    pub inputs: Option<Vec<InputUses>>,
    /// The figures of source lines, those with the most cycles first.
    pub lines: Vec<LineCosts>,
    /// The figures of the lines where chains of inlined calls begin; empty if nothing is inlined.
    pub outermost_lines: Vec<LineCosts>,
    /// The figures of the functions of the source, those with the most cycles first.
    pub source_functions: Vec<SourceFunctionCosts>,
}

impl FlowSummary {
    /// Summarizes the data flow of the bytes `code`; `lines` is their line table.
    pub fn new(flow: &dyn Flows, lines: Option<&LineTable>, code: Span) -> FlowSummary {
        let mut report = flow.report();
        if let (Some(table), Some(functions)) = (lines, &mut report.functions) {
            table.name_functions(code, functions);
        }
        if let Some(table) = lines {
            name_values(&mut report, table, code);
        }
        let costs = lines.map(|table| {
            (
                line_costs(flow, table, code),
                outermost_line_costs(flow, table, code),
                source_function_costs(flow, table, code),
            )
        });
        let (lines, outermost_lines, source_functions) = costs.unwrap_or_default();
        FlowSummary {
            inputs: report.known("inputs", flow.input_uses()),
            report,
            lines,
            outermost_lines,
            source_functions,
        }
    }
}

/// Adds the source lines that compute the values in registers.
pub fn name_values(report: &mut FlowReport, table: &LineTable, code: Span) {
    let pressures = report.pressures.iter_mut().flatten();
    for value in pressures.flat_map(|pressure| &mut pressure.values) {
        let row = value.born.first().copied();
        let row = row.and_then(|pc| table.row_at(code, pc.into()));
        value.line = row.and_then(|row| Some(format!("{}:{}", table.file(row)?.name, row.line)));
    }
}
