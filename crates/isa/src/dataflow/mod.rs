//! Data flow of a section of code: live registers, producers, waits, costs, loops and spills.
//!
//! Everything is computed from decoded operands. One [`DataFlow`] covers a section of code:
//!
//! * [`DataFlow::new`] decodes the code once, finds its basic blocks, and links each read to the
//!   writes before it. It is linear in the code.
//! * [`DataFlow::footprint`]: the bytes that an instruction reads and writes, by operand.
//! * [`DataFlow::definitions`]: the producers of each operand; [`DataFlow::uses`]: the consumers of a
//!   result.
//! * [`DataFlow::live`]: the bytes and registers that are live before each instruction;
//!   [`DataFlow::live_set`]: which ones.
//! * [`DataFlow::is_dead`]: whether a result is never read.
//! * [`DataFlow::waits`]: the instructions that an instruction waits for, and the reason.
//! * [`DataFlow::latency`], [`DataFlow::occupancy`]: the cycles that the compiler's scheduler assumes.
//! * [`DataFlow::loops`], [`DataFlow::spills`], [`DataFlow::report`](zeview_core::analysis::data_flow::Flows::report): summaries.
//!
//! [`analysis`](zeview_core::analysis::data_flow) provides the results as plain data:
//! [`Listing::data_flow`](zeview_core::analysis::assembly::Listing::data_flow) and the trait
//! [`Flows`](zeview_core::analysis::data_flow::Flows): [`instruction`](zeview_core::analysis::data_flow::Flows::instruction)
//! for a row, [`operands`](zeview_core::analysis::data_flow::Flows::operands) for the registers of each operand
//! token, [`report`](zeview_core::analysis::data_flow::Flows::report) for the summary.
//!
//! Instructions are identified by their row: a number below [`DataFlow::count`].
//! [`DataFlow::row_of`] returns the row at an offset in the code. Consumers and loops are computed
//! for the whole code on first use.
//!
//! # Limits
//!
//! Producers ignore divergent control flow: a write without predicate ends the search for the old value
//! even if it writes only the enabled channels. [`DataFlow::live`] adds the values that waiting channels
//! keep; [`DataFlow::live_iga`] does not. Calls are treated as jumps to the next
//! instruction and counted in [`Extent::calls`]; only the addresses of stack frames are followed through them. Registers whose number is in an address register
//! are unknown and counted in [`Extent::indirect`].

mod addresses;
mod build;
mod cost;
mod divergence;
mod footprint;
mod frames;
mod functions;
mod inputs;
mod live;
mod loops;
mod message_forms;
mod messages;
mod operations;
mod origins;
mod patterns;
mod payload;
mod payloads;
mod pressure;
mod reaching;
mod recompute;
mod regset;
mod report;
mod spills;
mod waits;
mod work;

pub use build::{DataFlow, Extent, Stop};
pub use footprint::{Access, Certainty, Footprint, Role};
pub use live::Live;
pub use loops::{Bound, Loop, PipeTime};
pub use messages::{Bytes, Memory, Traffic};
pub use operations::{Arithmetic, Operations};
pub use patterns::{Pattern, PatternKind};
pub use reaching::{Definition, OperandDefinitions};
pub use recompute::{Recomputable, Recomputables};
pub use regset::{ByteSet, RegisterFile};
pub use spills::{Base, Slot, Spills};
pub use waits::{Wait, WaitOn};
