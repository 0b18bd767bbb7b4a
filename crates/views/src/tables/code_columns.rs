//! Columns of the kernel table that need the code: instruction statistics and data flow.

use super::{Cell, CellValue};
use zeview_core::analysis::assembly::Mix;
use zeview_core::analysis::data_flow::{FlowCounts, LoopFigures};

/// A column of instruction statistics: id, title, explanation, and number.
pub(super) type CodeColumn = (&'static str, &'static str, &'static str, fn(&Mix) -> u64);

/// The columns of instruction statistics.
pub(super) static COUNTED: &[CodeColumn] = &[
    (
        "instructions",
        "Instr.",
        "Instructions in the code, without the zero words after it.",
        |mix| mix.instructions,
    ),
    (
        "compacted",
        "Compacted",
        "Instructions that are compacted to 8 bytes.",
        |mix| mix.compacted,
    ),
    (
        "sends",
        "Messages",
        "Messages to shared functions: send instructions.",
        |mix| mix.messages.iter().map(|message| message.count).sum(),
    ),
    (
        "spill_messages",
        "Spills",
        "Messages that write scratch memory, without those that save registers around calls.",
        |mix| mix.spills,
    ),
    (
        "fill_messages",
        "Fills",
        "Messages that read scratch memory, without those that restore registers after calls.",
        |mix| mix.fills,
    ),
    (
        "atomic_messages",
        "Atomics",
        "Atomic operations in memory.",
        |mix| mix.atomics,
    ),
    (
        "barrier_messages",
        "Barrier msg.",
        "Barrier messages and waits.",
        |mix| mix.barriers,
    ),
    (
        "dpas_instructions",
        "dpas",
        "Instructions for the systolic array.",
        |mix| {
            let kinds = mix.kinds.iter().find(|(kind, _)| kind == "dpas");
            kinds.map_or(0, |(_, count)| *count)
        },
    ),
    ("blocks", "Blocks", "Basic blocks of the code.", |mix| {
        mix.blocks
    }),
    (
        "loops",
        "Loops",
        "Loops: targets of backward jumps.",
        |mix| mix.loops,
    ),
    (
        "loop_nesting",
        "Nesting",
        "The maximum nesting depth of loops.",
        |mix| mix.nesting,
    ),
    (
        "registers_used",
        "Registers",
        "General registers that instructions access directly.",
        |mix| mix.registers,
    ),
    (
        "scoreboard_waits",
        "Waits",
        "Instructions that wait on the software scoreboard.",
        |mix| mix.waits,
    ),
];

/// A column of the data flow: id, title, unit, explanation, and cell.
pub(super) type FlowColumn = (
    &'static str,
    &'static str,
    &'static str,
    &'static str,
    fn(&FlowCounts) -> Cell<'static>,
);

/// A figure of the costliest loop: unknown if that is, and absent without loops.
fn of_loop(counts: &FlowCounts, cell: impl FnOnce(&LoopFigures) -> Cell<'static>) -> Cell<'static> {
    match &counts.costliest_loop {
        Ok(Some(found)) => cell(found),
        Ok(None) => Cell::new(CellValue::Absent),
        Err(unknown) => Cell::unknown(*unknown, 1.0),
    }
}

/// The columns of the data flow.
pub(super) static FLOWING: &[FlowColumn] = &[
    (
        "peak_live_registers",
        "Live regs",
        "max",
        "The maximum number of general registers that are live at once, including the values of channels that wait while others run.",
        |counts| Cell::figure(counts.peak_live_registers),
    ),
    (
        "peak_live_registers_iga",
        "Live regs (IGA)",
        "max",
        "The maximum number of general registers that are live at once, without the values of channels that wait while others run, as the Intel Graphics Assembler counts.",
        |counts| Cell::figure(counts.peak_live_registers_iga),
    ),
    (
        "dead_writes",
        "Dead writes",
        "",
        "Instructions whose result is never read; unknown if registers are addressed indirectly.",
        |counts| Cell::figure(counts.dead_writes),
    ),
    (
        "innermost_loop_cycles",
        "Loop cycles",
        "innermost",
        "Cycles of an iteration of each innermost loop for one thread, summed up, as the compiler's \
         scheduler assumes.",
        |counts| Cell::figure(counts.innermost_loop_cycles),
    ),
    (
        "loop_cycles",
        "Loop",
        "cycles",
        "Cycles of an iteration of the costliest loop for one thread, as the compiler's scheduler \
         assumes. This column and the next ones are empty for code without loops, which meets no comparison \
         of them.",
        |counts| of_loop(counts, |found| Cell::count(found.cycles)),
    ),
    (
        "loop_issue_cycles",
        "Issue",
        "cycles",
        "Cycles of an iteration of the costliest loop in which one thread issues instructions.",
        |counts| of_loop(counts, |found| Cell::count(found.issue)),
    ),
    (
        "loop_float_operations",
        "Float",
        "ops",
        "Floating-point operations of a thread in an iteration of the costliest loop, for all channels \
         of the execution size; a multiply-add is two.",
        |counts| of_loop(counts, |found| Cell::figure(found.float)),
    ),
    (
        "loop_dpas_operations",
        "Systolic",
        "ops",
        "Operations of dpas instructions in an iteration of the costliest loop; a multiply-add is two.",
        |counts| of_loop(counts, |found| Cell::figure(found.dpas)),
    ),
    (
        "loop_integer_operations",
        "Integer",
        "ops",
        "Integer operations, shifts and bit operations in an iteration of the costliest loop, as \
         loop_float_operations.",
        |counts| of_loop(counts, |found| Cell::figure(found.integer)),
    ),
    (
        "loop_global_bytes",
        "Global",
        "B",
        "Bytes that a thread loads from and stores to memory outside of the core in an iteration of the costliest \
         loop, by its messages and for all channels of the execution size; without shared local memory \
         and scratch memory.",
        |counts| of_loop(counts, |found| Cell::figure(found.global)),
    ),
    (
        "loop_slm_bytes",
        "SLM",
        "B/iteration",
        "Bytes of shared local memory that a thread loads and stores in an iteration of the costliest \
         loop.",
        |counts| of_loop(counts, |found| Cell::figure(found.local)),
    ),
    (
        "loop_intensity",
        "Intensity",
        "ops/B",
        "Arithmetic intensity of the costliest loop: (loop_float_operations + loop_dpas_operations) / \
         loop_global_bytes. Unknown if there are no such bytes.",
        |counts| {
            of_loop(counts, |found| match found.intensity {
                Ok(intensity) => Cell::new(CellValue::Real(intensity)),
                Err(unknown) => Cell::unknown(unknown, 1.0),
            })
        },
    ),
];
