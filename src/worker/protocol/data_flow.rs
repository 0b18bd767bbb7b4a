//! The data flow of code.

use crate::analysis::data_flow::FlowReport;
use crate::model::{NodeId, Span};
use serde::{Deserialize, Serialize};

/// Maximum number of loops, and of spill slots, in a [`FlowOverview`].
pub const FLOW_ROWS_MAX: usize = 500;

/// The data flow of a section of code in summary.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlowOverview {
    /// The document of the code.
    pub document: NodeId,
    /// The section of code.
    pub of: Span,
    /// The summary; at most [`FLOW_ROWS_MAX`] loops, slots and patterns.
    pub report: FlowReport,
    /// Number of loops, spill slots and patterns that are left out.
    pub left_out: u64,
    /// The number of registers of a thread; `None` if the code belongs to no kernel.
    pub grf_count: Option<u32>,
    /// The number of general registers that are live before each instruction.
    pub live: Vec<u16>,
}
