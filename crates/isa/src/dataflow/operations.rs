//! Arithmetic operations of instructions.
//!
//! An instruction counts for all channels of its execution size: which of them the mask enables is
//! known only at run time. The weights are those of roofline tools: a multiply-add is two operations;
//! moves, selections and comparisons are none.

use crate::instruction::{Instruction, Subfunction};
use crate::operands::type_bits;
use crate::tables::{Meaning, Op};
use crate::words::is_logic;

/// The kind of arithmetic operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Arithmetic {
    /// Floating-point operations, including those of the math pipe.
    Float,
    /// Systolic multiply-adds.
    Dpas,
    /// Integer operations.
    Integer,
    /// Shifts and operations on bits.
    Logic,
}

impl Arithmetic {
    /// The name: `float`, `dpas`, `integer`, `logic`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Arithmetic::Float => "float",
            Arithmetic::Dpas => "dpas",
            Arithmetic::Integer => "integer",
            Arithmetic::Logic => "logic",
        }
    }
}

/// The operations of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operations {
    /// Their kind.
    pub kind: Arithmetic,
    /// The type that they compute in; that of source 1 for systolic operations.
    pub data_type: Meaning,
    /// The type of source 2 of systolic operations, if it is another one.
    pub second: Option<Meaning>,
    /// The number for all channels; `None` if the word does not determine it.
    pub count: Option<u32>,
}

/// Returns the arithmetic operations of an instruction, or `None` if it has none.
pub(super) fn operations(i: &Instruction) -> Option<Operations> {
    if i.invalid {
        return None;
    }
    let exec = i.exec.map_or(1, |exec| exec.size).clamp(1, 32);
    if matches!(i.op, Op::Dpas | Op::Dpasw | Op::Bdpas) {
        return Some(systolic(i, exec));
    }
    let weight = weight(i)?;
    let data_type = execution_type(i)?;
    let kind = if is_float(data_type) {
        Arithmetic::Float
    } else if is_logic(i.op) {
        Arithmetic::Logic
    } else {
        Arithmetic::Integer
    };
    Some(Operations {
        kind,
        data_type: signless(data_type),
        second: None,
        count: Some(exec * weight),
    })
}

/// Operations of a channel; `None` for instructions that compute nothing.
fn weight(i: &Instruction) -> Option<u32> {
    Some(match i.op {
        // A channel's result depends on the other channels of its group of four.
        Op::Dp4 | Op::Dph => 7,
        Op::Dp3 => 5,
        Op::Dp2 => 3,
        // Four products of bytes, and four additions.
        Op::Dp4a => 8,
        // p · u + q · v + r
        Op::Pln => 4,
        // p · u + q
        Op::Line => 2,
        // u · v + (1 - u) · w
        Op::Lrp => 4,
        Op::Mad | Op::Madm | Op::Mac => 2,
        Op::Add3 => 2,
        // Two differences, their absolute values and the sum; the second one also accumulates.
        Op::Sad2 => 5,
        Op::Sada2 => 6,
        Op::Math => match i.subfunction {
            // Quotient and remainder.
            Subfunction::Text("idiv") => 2,
            _ => 1,
        },
        Op::Add
        | Op::Addc
        | Op::Avg
        | Op::Frc
        | Op::Mach
        | Op::Macl
        | Op::Mul
        | Op::Mullh
        | Op::Rndd
        | Op::Rnde
        | Op::Rndu
        | Op::Rndz
        | Op::Subb => 1,
        op if is_logic(op) => 1,
        _ => return None,
    })
}

fn is_float(data_type: Meaning) -> bool {
    matches!(
        data_type,
        Meaning::f
            | Meaning::hf
            | Meaning::bf
            | Meaning::df
            | Meaning::nf
            | Meaning::vf
            | Meaning::tf32
            | Meaning::bf8
            | Meaning::hf8
    )
}

/// The type that an instruction computes in: the widest of its sources, a float before an integer.
fn execution_type(i: &Instruction) -> Option<Meaning> {
    let sources = i.sources.iter().take(i.source_count);
    let types = sources.filter_map(|source| source.data_type);
    let rank = |data_type: &Meaning| (is_float(*data_type), lane_bits(*data_type));
    let widest = types.max_by_key(rank);
    widest.or_else(|| i.destination.and_then(|destination| destination.data_type))
}

/// The size of a channel's value; an immediate vector has small ones in a dword.
fn lane_bits(data_type: Meaning) -> u32 {
    match data_type {
        Meaning::v | Meaning::uv => 16,
        _ => type_bits(data_type).unwrap_or(0),
    }
}

/// The type under which operations are counted: signed and unsigned integers are one.
fn signless(data_type: Meaning) -> Meaning {
    match data_type {
        Meaning::uq => Meaning::q,
        Meaning::ud => Meaning::d,
        Meaning::uw | Meaning::v | Meaning::uv => Meaning::w,
        Meaning::ub => Meaning::b,
        Meaning::vf => Meaning::f,
        other => other,
    }
}

/// Systolic operations: each of the `exec` channels of `repeat` results is the sum of `depth` ·
/// `operations` products.
fn systolic(i: &Instruction, exec: u32) -> Operations {
    let shape = match (i.op, i.subfunction) {
        (Op::Dpas | Op::Dpasw, Subfunction::Dpas(depth, repeat)) => {
            Some((u32::from(depth), u32::from(repeat)))
        }
        (Op::Bdpas, _) => Some((8, 8)),
        _ => None,
    };
    let data_type = |at: usize| i.sources.get(at).and_then(|source| source.data_type);
    let (first, second) = (data_type(1), data_type(2));
    let bits = first.and_then(type_bits).zip(second.and_then(type_bits));
    let count = shape.zip(bits).map(|((depth, repeat), (first, second))| {
        // A dword of each channel has the values of one step; below four bits there are no more.
        let per_channel = 32 / first.max(second).clamp(4, 32);
        2 * exec * depth.min(8) * repeat.min(8) * per_channel
    });
    Operations {
        kind: Arithmetic::Dpas,
        data_type: first.unwrap_or(Meaning::ud),
        second: second.filter(|second| Some(*second) != first),
        count,
    }
}
