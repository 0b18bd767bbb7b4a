//! Cycles as the compiler's scheduler assumes them.
//!
//! The numbers order instructions; they are no promise of the hardware. Source: `LatencyTable.h` and
//! `LatencyTable.cpp` of the Intel Graphics Compiler, August 2026.

use super::build::DataFlow;
use crate::encoding::Encoding;
use crate::instruction::{Instruction, Message, Modifier, OperandKind, Subfunction};
use crate::message::Action;
use crate::operands::type_bits;
use crate::tables::{Meaning, Op};

impl DataFlow {
    /// Cycles from the issue of an instruction to its result, as the compiler's scheduler assumes.
    #[must_use]
    pub fn latency(&self, row: u32) -> u16 {
        self.row(row).map_or(0, |row| row.latency)
    }

    /// Cycles that an instruction occupies the issue port of its thread, as the compiler's scheduler
    /// assumes.
    #[must_use]
    pub fn occupancy(&self, row: u32) -> u8 {
        self.row(row).map_or(0, |row| row.occupancy)
    }
}

/// Cycles in which an instruction occupies its pipe, however many threads run: the width of the pipes
/// as the hardware has it. `transferred` is the larger one of the registers that its message sends and
/// receives; 0 for other instructions.
///
/// The occupancy of the compiler's scheduler counts passes of 8 channels on all devices from Xe on, and
/// one cycle for each message. The vector engines from Xe-HPC on have 16 channels (`HWCaps.inc`,
/// `getNativeExecSize`; oneAPI GPU optimization guide, Intel Xe GPU architecture): the formula is that of
/// `LatencyTable.cpp` for this size. A message moves a register per cycle (`getSendSrcReadLatency`), and
/// so does a repetition of a systolic multiplication (`getDPASLatency`).
pub(super) fn pipe_cycles(encoding: &Encoding, i: &Instruction, transferred: u16) -> u16 {
    if i.invalid {
        return 0;
    }
    let exec = i.exec.map_or(1, |exec| exec.size).clamp(1, 32);
    if i.kind.is_send() {
        return transferred.max(1);
    }
    match (i.op, i.subfunction) {
        (Op::Dpas | Op::Dpasw, Subfunction::Dpas(_, repeat)) => return u16::from(repeat).max(1),
        (Op::Bdpas, _) => return 8,
        _ => {}
    }
    let cycles = match encoding.rank {
        24.. => occupancy(i, exec, 16),
        20.. => occupancy(i, exec, 8),
        _ => before_xe(i, exec).1,
    };
    cycles.into()
}

/// Latency and occupancy of an instruction.
pub(super) fn cycles(encoding: &Encoding, i: &Instruction) -> (u16, u8) {
    // Words that are no instructions must not lengthen a block.
    if i.invalid {
        return (0, 0);
    }
    let exec = i.exec.map_or(1, |exec| exec.size).clamp(1, 32);
    match encoding.rank {
        20.. => (latency(encoding, i, exec), occupancy(i, exec, 8)),
        _ => before_xe(i, exec),
    }
}

/// Additional cycles by execution size: 0, 1 and 3 for up to 8, 16 and 32 channels.
fn steps(exec: u32) -> u16 {
    match exec {
        0..=8 => 0,
        9..=16 => 1,
        _ => 3,
    }
}

/// Number of passes of `native` channels for an execution size: 1, 2 or 4.
fn scale(exec: u32, native: u32) -> u8 {
    match exec {
        exec if exec <= native => 1,
        exec if exec <= 2 * native => 2,
        _ => 4,
    }
}

fn latency(encoding: &Encoding, i: &Instruction, exec: u32) -> u16 {
    if let Some(message) = &i.message {
        return message_latency(message, exec);
    }
    if i.kind.is_branch() {
        return 23;
    }
    match (i.op, i.subfunction) {
        (Op::Dpas | Op::Dpasw, Subfunction::Dpas(_, repeat)) => {
            return systolic(encoding.rank, i, repeat.into());
        }
        (Op::Bdpas, _) => return systolic(encoding.rank, i, 8),
        (Op::Sync | Op::Nop | Op::Wait, _) => return 0,
        _ => {}
    }
    // The modifier of `sel` chooses a source and sets no flag.
    let writes_flag = matches!(i.modifier, Some(Modifier::Condition(_))) && i.op != Op::Sel;
    let destination = i.destination.map(|destination| destination.kind);
    let is = |name: &str| match destination {
        Some(OperandKind::Register { name: of, .. } | OperandKind::Macro { name: of, .. }) => {
            of.is(name)
        }
        _ => false,
    };
    if i.op == Op::Math {
        return 17 + 4 * steps(exec);
    }
    if writes_flag || is("a") || is("f") {
        return 16;
    }
    if is("acc") {
        return 6 + steps(exec);
    }
    10 + steps(exec)
}

/// Latency of a systolic multiplication.
fn systolic(rank: u8, i: &Instruction, repeat: u16) -> u16 {
    // For repeat counts of 1, 2 and 8; one more cycle for each count in between.
    let between = |one: u16, last: u16| match repeat {
        0 | 1 => one,
        8.. => last,
        repeat => one + repeat - 1,
    };
    let bytes = |at: usize| {
        let source = i.sources.get(at);
        source.and_then(|s| s.data_type).and_then(type_bits) == Some(8)
    };
    let is_float = |at: usize| {
        let data_type = i.sources.get(at).and_then(|s| s.data_type);
        matches!(data_type, Some(Meaning::bf8 | Meaning::hf8))
    };
    match rank {
        43.. if repeat == 8 && bytes(1) && bytes(2) && is_float(1) && is_float(2) => 29,
        30.. => between(22, 33),
        // The table has one more cycle on PVC XT, and 46 cycles for 8 repeats on Arrow Lake H. The
        // encoding does not distinguish these devices.
        24.. => 21 + repeat.saturating_sub(1),
        _ => between(21, 32),
    }
}

/// Latency of a message.
fn message_latency(message: &Message, exec: u32) -> u16 {
    let request = &message.request;
    let is_fence = request.action == Action::Fence;
    // The access may hit the first-level cache.
    let cached = request.first_level;
    match message.sfid {
        Some(Meaning::SLM) if is_fence => 23,
        Some(Meaning::SLM) if exec > 16 => 45,
        Some(Meaning::SLM) => 28,
        Some(Meaning::UGM | Meaning::UGML) if is_fence => 35,
        Some(Meaning::UGM | Meaning::UGML) if cached => 45,
        Some(Meaning::UGM | Meaning::UGML) => 200,
        Some(Meaning::TGM) if is_fence => 60,
        Some(Meaning::TGM) if cached => 75,
        Some(Meaning::TGM) => 200,
        Some(Meaning::SAMPLER) => 214,
        Some(Meaning::DP_DC0 | Meaning::DP_DC1 | Meaning::DP_DC2 | Meaning::DP_DCRO)
            if request.is_local =>
        {
            28
        }
        Some(Meaning::DP_DC0 | Meaning::DP_DC1 | Meaning::DP_DC2 | Meaning::DP_DCRO) => 146,
        Some(Meaning::GATEWAY) => 30,
        _ => 50,
    }
}

/// Cycles that an instruction occupies a pipe with `native` channels of 32 bits.
fn occupancy(i: &Instruction, exec: u32, native: u32) -> u8 {
    let scale = scale(exec, native);
    if i.op == Op::Math {
        return 4 * scale;
    }
    if i.kind.is_send() || i.kind.is_branch() || matches!(i.op, Op::Sync | Op::Nop | Op::Wait) {
        return 1;
    }
    if matches!(i.op, Op::Dpas | Op::Dpasw | Op::Bdpas) {
        return scale;
    }
    let source = i.sources.first().map(|source| source.kind);
    if i.op == Op::Mov && matches!(source, Some(OperandKind::Indirect { .. })) {
        return u8::try_from(exec).unwrap_or(32);
    }
    let data_type = i.destination.and_then(|destination| destination.data_type);
    match data_type {
        Some(Meaning::hf | Meaning::bf) => {
            if exec <= 2 * native {
                1
            } else {
                2
            }
        }
        Some(data_type) if type_bits(data_type) == Some(64) => {
            if exec <= native / 2 {
                1
            } else {
                2
            }
        }
        _ => scale,
    }
}

/// Latencies of devices before Xe.
fn before_xe(i: &Instruction, exec: u32) -> (u16, u8) {
    let data_type = i.destination.and_then(|destination| destination.data_type);
    let channels = match data_type {
        Some(Meaning::hf) => 16,
        _ => 8,
    };
    let issues = u8::try_from(2 * (exec / channels).max(1)).unwrap_or(u8::MAX);
    if let Some(message) = &i.message {
        let latency = match message.sfid {
            Some(Meaning::SAMPLER) => 300,
            Some(Meaning::DP_DC0 | Meaning::DP_DC1 | Meaning::DP_DC2) => 400,
            Some(Meaning::DP_DCRO | Meaning::DP_RC | Meaning::GATEWAY) => 200,
            _ => 50,
        };
        return (latency, 2);
    }
    match (i.op, i.subfunction) {
        (Op::Math, Subfunction::Text("fdiv" | "pow" | "idiv" | "iqot" | "irem")) => {
            (30, issues.saturating_mul(4))
        }
        (Op::Math, _) => (22, issues.saturating_mul(2)),
        (
            Op::Mach
            | Op::Mac
            | Op::Bfe
            | Op::Bfi1
            | Op::Bfi2
            | Op::Bfrev
            | Op::Fbh
            | Op::Fbl
            | Op::Cbit
            | Op::Dp2
            | Op::Dp3
            | Op::Dp4
            | Op::Dph
            | Op::Lrp
            | Op::Pln,
            _,
        ) => (14, issues.saturating_mul(2)),
        _ => (14, issues),
    }
}
