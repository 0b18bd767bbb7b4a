//! Columns of the kernel table that need the code: instruction statistics and data flow.

use zeview_core::analysis::assembly::Mix;
use zeview_core::analysis::data_flow::FlowCounts;
use zeview_core::analysis::figure::Figure;

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

/// A column of the data flow: id, title, unit, explanation, and number.
pub(super) type FlowColumn = (
    &'static str,
    &'static str,
    &'static str,
    &'static str,
    fn(&FlowCounts) -> Figure<u64>,
);

/// The columns of the data flow.
pub(super) static FLOWING: &[FlowColumn] = &[
    (
        "peak_live_registers",
        "Live regs",
        "max",
        "The maximum number of general registers that are live at once, including the values of channels that wait while others run.",
        |counts| counts.peak_live_registers,
    ),
    (
        "peak_live_registers_iga",
        "Live regs (IGA)",
        "max",
        "The maximum number of general registers that are live at once, without the values of channels that wait while others run, as the Intel Graphics Assembler counts.",
        |counts| counts.peak_live_registers_iga,
    ),
    (
        "dead_writes",
        "Dead writes",
        "",
        "Instructions whose result is never read; unknown if registers are addressed indirectly.",
        |counts| counts.dead_writes,
    ),
    (
        "innermost_loop_cycles",
        "Loop cycles",
        "innermost",
        "Cycles of an iteration of each innermost loop for one thread, summed up, as the compiler's \
         scheduler assumes.",
        |counts| counts.innermost_loop_cycles,
    ),
];
