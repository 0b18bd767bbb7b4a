//! Descriptions of instructions for people.

use super::encoding::Kind;
use super::instruction::{Instruction, Message, OperandKind, Options, Subfunction};
use super::message::Action;
use super::tables::{Meaning, Op, PLATFORMS, SendOp};
use zeview_core::analysis::assembly::{Annotation, InstructionClass, TextRole};
use zeview_core::model::Tone;
use zeview_core::model::text::plural;

/// The kind of the zero bytes after the code.
pub(super) const PADDING: &str = "padding";

/// Returns whether the bytes are zeros, which follow the code for the hardware to prefetch.
pub fn is_padding(word: &[u8]) -> bool {
    word.iter().all(|byte| *byte == 0)
}

/// Returns the kind of an instruction. Floating-point and integer arithmetic is classified by the
/// type of the result.
#[must_use]
pub fn kind(i: &Instruction) -> &'static str {
    match i.op {
        Op::Illegal => "illegal",
        Op::Nop => "nop",
        Op::Sync | Op::Wait => "sync",
        Op::Math => "math",
        Op::Dpas | Op::Dpasw | Op::Bdpas => "dpas",
        Op::Call | Op::Calla => "call",
        _ if i.kind.is_send() => "message",
        _ if i.kind.is_branch() => "control",
        Op::Mov | Op::Movi | Op::Smov | Op::Sel | Op::Csel | Op::Shfl | Op::Dnscl | Op::Srnd => {
            "move"
        }
        Op::Cmp | Op::Cmpn => "compare",
        op if is_logic(op) => "logic",
        _ => match i.destination.and_then(|d| d.data_type).map(Meaning::name) {
            Some("df") => "double",
            Some("f") => "float",
            Some("hf" | "bf" | "bf8" | "hf8" | "tf32") => "half",
            Some("q" | "uq") => "integer 64",
            _ => "integer",
        },
    }
}

/// Returns the class of an instruction.
pub(super) fn class(i: &Instruction) -> InstructionClass {
    class_of(i.op, i.kind)
}

/// Returns the class of instructions by their operation in a listing, with or without its subfunction:
/// `send.ugm`. `None` if no platform has such an operation.
#[must_use]
pub fn class_named(operation: &str) -> Option<InstructionClass> {
    let name = operation.split('.').next()?;
    let mut opcodes = PLATFORMS.iter().flat_map(|platform| platform.opcodes);
    let opcode = opcodes.find(|opcode| opcode.op.name() == name)?;
    Some(class_of(opcode.op, opcode.kind))
}

fn class_of(op: Op, kind: Kind) -> InstructionClass {
    match op {
        Op::Illegal => InstructionClass::Illegal,
        Op::Nop | Op::Sync | Op::Wait => InstructionClass::Synchronization,
        Op::Math => InstructionClass::Math,
        Op::Dpas | Op::Dpasw | Op::Bdpas => InstructionClass::Systolic,
        _ if kind.is_send() => InstructionClass::Message,
        _ if kind.is_branch() => InstructionClass::Control,
        _ => InstructionClass::Arithmetic,
    }
}

/// Describes an operation.
#[must_use]
pub fn meaning(i: &Instruction) -> &'static str {
    match i.op {
        Op::Add => "Adds two numbers.",
        Op::Add3 => "Adds three numbers.",
        Op::Addc => "Adds two numbers; the carry goes to the accumulator.",
        Op::And => "Logical AND of the bits.",
        Op::Asr => "Shifts right and keeps the sign.",
        Op::Avg => "Average of two integers, rounded up.",
        Op::Bdpas => {
            "Systolic dot products of blocks with scales, accumulated: a step of a matrix multiplication."
        }
        Op::Bfe => "Extracts a bit field: width, offset, value.",
        Op::Bfi1 => "Makes the mask for a bit field insert: width, offset.",
        Op::Bfi2 => "Inserts a bit field by a mask: mask, inserted bits, value.",
        Op::Bfn => "A Boolean function of the bits of three sources.",
        Op::Bfrev => "Reverses the order of the bits.",
        Op::Brc => "Converging branch: each channel continues at the first or the second target.",
        Op::Brd => "Diverging branch.",
        Op::Break => "Leaves a loop; the channels wait at the second target.",
        Op::Call => {
            "Calls a subroutine, relative to this instruction; the return address goes to the destination."
        }
        Op::Calla => {
            "Calls a subroutine at an absolute address; the return address goes to the destination."
        }
        Op::Cbit => "Counts the bits that are 1.",
        Op::Cmp => "Compares two numbers and sets the flag.",
        Op::Cmpn => "Compares two numbers and sets the flag; a NaN makes the condition true.",
        Op::Cont => "Continues with the next iteration of a loop.",
        Op::Csel => {
            "Selects the first or the second source by a comparison of the third with zero."
        }
        Op::Dnscl => "Converts to a smaller type with a scale.",
        Op::Dp2 => "Dot product of two components.",
        Op::Dp3 => "Dot product of three components.",
        Op::Dp4 => "Dot product of four components.",
        Op::Dp4a => "Dot product of four bytes, added to a 32-bit integer.",
        Op::Dpas => "Systolic dot products, accumulated: a step of a matrix multiplication.",
        Op::Dpasw => "Systolic dot products, accumulated, over two fused execution units.",
        Op::Dph => "Homogeneous dot product.",
        Op::Else => "The other branch of an if.",
        Op::Endif => "The end of an if: channels become active again.",
        Op::Fbh => "Finds the first bit from the top.",
        Op::Fbl => "Finds the first bit from the bottom.",
        Op::Frc => "The fraction of a number.",
        Op::Goto => "Branches forward or back; channels that do not take it wait at the join.",
        Op::Halt => "Disables channels until a point at the end of the program.",
        Op::If => "Disables the channels where the predicate is false; jumps if none remain.",
        Op::Illegal => "Not a valid instruction in this encoding.",
        Op::Jmpi => "Jumps, for all channels at once.",
        Op::Join => "Reactivates the channels that wait here.",
        Op::Lfsr => "A step of a linear feedback shift register: pseudo-random numbers.",
        Op::Line => "The equation of a line.",
        Op::Lrp => "Linear interpolation.",
        Op::Lzd => "Counts the leading zeros.",
        Op::Mac => "Multiplies and adds to the accumulator.",
        Op::Mach => "Multiplies and adds to the accumulator: the upper half.",
        Op::Macl => "Multiplies and adds to the accumulator: the lower half.",
        Op::Mad => "dst = src1 × src2 + src0.",
        Op::Madm => {
            "Multiplies and adds with extra precision: a step of a division or square root."
        }
        Op::Math => math(i),
        Op::Mov => "Copies, and converts to the type of the destination.",
        Op::Movi => "Copies by an index in the address register.",
        Op::Mul => "Multiplies two numbers.",
        Op::Mullh => "Multiplies two integers: lower and upper half.",
        Op::Nop => "Nothing.",
        Op::Not => "Inverts the bits.",
        Op::Or => "Logical OR of the bits.",
        Op::Pln => "The equation of a plane.",
        Op::Ret => "Returns from a subroutine.",
        Op::Rndd => "Rounds down.",
        Op::Rnde => "Rounds to the nearest, ties to even.",
        Op::Rndu => "Rounds up.",
        Op::Rndz => "Rounds towards zero.",
        Op::Rol => "Rotates left.",
        Op::Ror => "Rotates right.",
        Op::Sad2 => "Sum of absolute differences of two pairs.",
        Op::Sada2 => "Sum of absolute differences of two pairs, added to the destination.",
        Op::Sel => "Selects one of two sources: by the predicate, or the smaller or larger one.",
        Op::Send | Op::Sends | Op::Sendg | Op::Sendgx => message(i),
        Op::Sendc | Op::Sendsc | Op::Sendgc | Op::Sendgxc => {
            "Sends a message to a shared function, after the threads that it depends on."
        }
        Op::Shfl => "Shuffles values among channels.",
        Op::Shl => "Shifts left.",
        Op::Shr => "Shifts right.",
        Op::Smov => "Moves by a mask.",
        Op::Srnd => "Converts with random rounding.",
        Op::Subb => "Subtracts; the borrow goes to the accumulator.",
        Op::Sync => match i.subfunction {
            Subfunction::Text("nop") => {
                "Waits for the dependencies in the scoreboard options; has no other effect."
            }
            Subfunction::Text("allrd") => {
                "Waits until the sources of earlier messages have been read."
            }
            Subfunction::Text("allwr") => {
                "Waits until the results of earlier messages have been written."
            }
            Subfunction::Text("bar") => "Waits for the barrier.",
            Subfunction::Text("host") => "Waits for the host.",
            Subfunction::Text("fence") => "Waits for a fence.",
            Subfunction::Text("flush") => "Flushes.",
            _ => "Synchronizes.",
        },
        Op::Wait => "Waits for a notification: a barrier.",
        Op::While => "The end of a loop: jumps back while the predicate is true.",
        Op::Xor => "Logical exclusive OR of the bits.",
    }
}

fn math(i: &Instruction) -> &'static str {
    match i.subfunction {
        Subfunction::Text("inv") => "Reciprocal.",
        Subfunction::Text("log") => "Logarithm to base 2.",
        Subfunction::Text("exp") => "Power of 2.",
        Subfunction::Text("sqt") => "Square root.",
        Subfunction::Text("rsqt") => "Reciprocal of the square root.",
        Subfunction::Text("sin") => "Sine.",
        Subfunction::Text("cos") => "Cosine.",
        Subfunction::Text("fdiv") => "Division.",
        Subfunction::Text("pow") => "Power.",
        Subfunction::Text("idiv") => "Integer division: quotient and remainder.",
        Subfunction::Text("iqot") => "Integer division: quotient.",
        Subfunction::Text("irem") => "Integer division: remainder.",
        Subfunction::Text("invm") => "Reciprocal with extra precision: a step of a division.",
        Subfunction::Text("rsqtm") => "Reciprocal of the square root with extra precision: a step.",
        Subfunction::Text("tanh") => "Hyperbolic tangent.",
        Subfunction::Text("sigm") => "Sigmoid function.",
        _ => "A mathematical function.",
    }
}

/// Describes the shared function of a message.
fn message(i: &Instruction) -> &'static str {
    match i.message.and_then(|message| message.sfid) {
        Some(Meaning::UGM) => "Sends a message to global memory, untyped.",
        Some(Meaning::UGML) => "Sends a message to global memory, untyped, of the local tile.",
        Some(Meaning::TGM) => "Sends a message to global memory, typed: images.",
        Some(Meaning::SLM) => "Sends a message to shared local memory.",
        Some(Meaning::SAMPLER) => "Sends a message to the sampler.",
        Some(Meaning::GATEWAY) => {
            "Sends a message to the gateway: barriers, the end of the thread."
        }
        Some(Meaning::SPAWNER) => "Sends a message to the thread spawner: the end of the thread.",
        Some(Meaning::DP_DC0 | Meaning::DP_DC1 | Meaning::DP_DC2) => {
            "Sends a message to the data cache."
        }
        Some(Meaning::DP_DCRO) => "Sends a message to the read-only data cache.",
        Some(Meaning::DP_RC) => "Sends a message to the render cache.",
        Some(Meaning::URB) => "Sends a message to the unified return buffer.",
        Some(Meaning::BTD) => "Sends a message to the bindless thread dispatcher.",
        Some(Meaning::RTA) => "Sends a message to the ray tracing accelerator.",
        Some(Meaning::PI) => "Sends a message to the pixel interpolator.",
        Some(Meaning::VME | Meaning::CRE) => "Sends a message to the motion estimation unit.",
        _ => "Sends a message to a shared function.",
    }
}

/// Describes a part of the text.
pub(super) fn operand_meaning(i: &Instruction, kind: TextRole) -> &'static str {
    match kind {
        TextRole::Predicate if i.predicate.is_none() => {
            "W: all channels execute, including disabled ones."
        }
        TextRole::Predicate => "The channels where the flag is set execute.",
        TextRole::Execution => "The number of channels, and the first one.",
        TextRole::Flag => "The condition that sets the flag register.",
        TextRole::ExtendedDescriptor => "The extended descriptor: the second payload, the surface.",
        TextRole::Descriptor => "The message, and the lengths of its payload and response.",
        TextRole::Options => "Options and dependencies: pipe@distance, $token.",
        TextRole::Comment => "The decoded descriptors.",
        TextRole::Destination => operand(i.destination.map(|d| d.kind)),
        TextRole::Source(at) => operand(i.sources.get(usize::from(at)).map(|source| source.kind)),
        TextRole::Operation => meaning(i),
    }
}

fn operand(kind: Option<OperandKind>) -> &'static str {
    match kind {
        Some(OperandKind::Register { name, .. }) if name.is_null() => {
            "The null register: no value."
        }
        Some(OperandKind::Register { name, .. }) => match name {
            name if name.is("acc") => "The accumulator.",
            name if name.is("a") => "The address register.",
            name if name.is("f") => "The flag register.",
            name if name.is("s") => "The scalar register.",
            name if name.is("cr") => "The control register.",
            name if name.is("sr") => "The state register.",
            name if name.is("ce") => "The mask of enabled channels.",
            name if name.is("ip") => "The instruction pointer.",
            name if name.is("n") => "The notification register.",
            name if name.is("tm") => "The time stamp.",
            _ => "A register, its region and its type.",
        },
        Some(OperandKind::Macro { .. }) => "A register with extra bits of precision.",
        Some(OperandKind::Indirect { .. }) => "A register whose number is in the address register.",
        Some(OperandKind::Immediate(_)) => "A constant.",
        Some(OperandKind::Label(_)) => "A location in the code.",
        Some(OperandKind::Payload { .. }) => "The registers of the message's payload.",
        Some(OperandKind::Gather { .. }) => "Registers whose numbers are in the scalar register.",
        Some(OperandKind::None) | None => "",
    }
}

/// The effect of a message or instruction that is worth counting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum MessageEffect {
    Spill,
    Fill,
    Atomic,
    Barrier,
    Sampler,
    EndOfThread,
    Dpas,
    Illegal,
}

impl MessageEffect {
    fn mark(self) -> Annotation {
        let (tone, text, doc) = match self {
            MessageEffect::Spill => (
                Tone::Warning,
                "spill",
                "Writes scratch memory: a register spill, or private memory.",
            ),
            MessageEffect::Fill => (
                Tone::Warning,
                "fill",
                "Reads scratch memory: a register fill, or private memory.",
            ),
            MessageEffect::Atomic => (Tone::Plain, "atomic", "An atomic operation in memory."),
            MessageEffect::Barrier => (
                Tone::Plain,
                "barrier",
                "Signals a barrier, or waits for one.",
            ),
            MessageEffect::Sampler => (Tone::Plain, "sampler", "Reads an image with the sampler."),
            MessageEffect::EndOfThread => (Tone::Plain, "EOT", "Ends the thread."),
            MessageEffect::Dpas => (Tone::Plain, "dpas", "Uses the systolic array."),
            MessageEffect::Illegal => (
                Tone::Bad,
                "illegal",
                "Not a valid instruction in this encoding.",
            ),
        };
        Annotation {
            tone,
            text: text.into(),
            doc: doc.into(),
        }
    }
}

impl MessageEffect {
    /// Returns the notable effect of a message.
    pub(super) fn of(message: &Message) -> Option<MessageEffect> {
        let request = &message.request;
        Some(match (request.action, request.scratch) {
            (Action::Sample, _) => MessageEffect::Sampler,
            (Action::Barrier, _) => MessageEffect::Barrier,
            // Private memory is scratch memory, too, and a message does not show which one it is.
            (Action::Store, Some(_)) => MessageEffect::Spill,
            (Action::Load, Some(_)) => MessageEffect::Fill,
            (Action::Atomic, _) => MessageEffect::Atomic,
            _ => return None,
        })
    }
}

/// Returns the notable effects of an instruction.
pub(super) fn remarks(i: &Instruction) -> impl Iterator<Item = MessageEffect> {
    let own = match i.op {
        Op::Illegal => Some(MessageEffect::Illegal),
        Op::Dpas | Op::Dpasw | Op::Bdpas => Some(MessageEffect::Dpas),
        Op::Wait => Some(MessageEffect::Barrier),
        Op::Sync if i.subfunction == Subfunction::Text("bar") => Some(MessageEffect::Barrier),
        _ => None,
    };
    let message = i.message.as_ref().and_then(MessageEffect::of);
    let ends = i.options.has(Options::EOT);
    let end = ends.then_some(MessageEffect::EndOfThread);
    own.into_iter().chain(message).chain(end)
}

pub(super) fn marks(i: &Instruction) -> Vec<Annotation> {
    remarks(i).map(MessageEffect::mark).collect()
}

/// Describes a load or store of the load/store cache: "Loads 4 × 32 bits per lane from global
/// memory: sends 1 register, receives 4." Returns `None` for other messages.
pub(super) fn message_text(message: &Message) -> Option<String> {
    let request = &message.request;
    let is_load = match request.op? {
        SendOp::Load => true,
        SendOp::Store => false,
        _ => return None,
    };
    let memory = match message.sfid? {
        Meaning::UGM => "global memory",
        Meaning::UGML => "the global memory of the tile",
        Meaning::SLM => "shared local memory",
        Meaning::TGM => "images",
        _ => return None,
    };
    let data = request.data?;
    let bits = data.memory * 8;
    let amount = match data.elements {
        1 => format!("{bits} bits"),
        count => format!("{count} × {bits} bits"),
    };
    let (verb, preposition) = if is_load {
        ("Loads", "from")
    } else {
        ("Stores", "to")
    };
    let lanes = if data.transposed {
        "in one block"
    } else {
        "per lane"
    };
    let mut out = format!("{verb} {amount} {lanes} {preposition} {memory}");
    if let ([Some(address), Some(values), Some(received)], None) = (message.lengths, message.wide) {
        let sent = u64::from(address) + u64::from(values);
        out.push_str(&format!(": sends {}", plural(sent, "register")));
        if is_load {
            out.push_str(&format!(", receives {received}"));
        }
    }
    out.push('.');
    Some(out)
}

/// Whether an operation works on bits: logic, shifts, fields and counts of bits.
pub(crate) fn is_logic(op: Op) -> bool {
    matches!(
        op,
        Op::And
            | Op::Or
            | Op::Xor
            | Op::Not
            | Op::Bfn
            | Op::Shl
            | Op::Shr
            | Op::Asr
            | Op::Rol
            | Op::Ror
            | Op::Bfe
            | Op::Bfi1
            | Op::Bfi2
            | Op::Bfrev
            | Op::Cbit
            | Op::Fbh
            | Op::Fbl
            | Op::Lzd
            | Op::Lfsr
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Decoder, Platform};

    /// Describes the message of a word.
    fn text(platform: Platform, word: [u32; 4]) -> Option<String> {
        let bytes: Vec<u8> = word.iter().flat_map(|part| part.to_be_bytes()).collect();
        let instruction = Decoder::of(platform).decode(&bytes);
        let message = instruction.and_then(|instruction| instruction.message);
        message_text(&message.expect("it is a send"))
    }

    #[test]
    fn loads_and_stores_are_described_in_a_sentence() {
        for (word, words) in [
            (
                // wr:2+0, rd:4; load.ugm.d32x4.a64.flat[A+0xC0]
                [0x3120_1200, 0x000c_2405, 0x140a_00fb, 0x0000_0c00],
                "Loads 4 × 32 bits per lane from global memory: sends 2 registers, receives 4.",
            ),
            (
                // wr:1+0, rd:1; load.ugm.d32x16t.a32.ca.cc.bti[255]
                [0x3120_0180, 0x0000_0c01, 0x8f7f_00fa, 0x0300_74f6],
                "Loads 16 × 32 bits in one block from global memory: sends 1 register, receives 1.",
            ),
            (
                // wr:2+2, rd:0; store.slm.d8u32.a32
                [0x3125_1700, 0x0000_0000, 0x1429_08e2, 0x142b_0200],
                "Stores 8 bits per lane to shared local memory: sends 4 registers.",
            ),
        ] {
            assert_eq!(
                text(Platform::Xe2, word).as_deref(),
                Some(words),
                "{word:x?}"
            );
        }
        // rd:4 B; load.ugm.d32t.a64 [src0]
        let wide = [0x3320_0180, 0x0200_001e, 0x0c02_00f0, 0x0000_0094];
        let words = "Loads 32 bits in one block from global memory.";
        assert_eq!(text(Platform::Xe3p, wide).as_deref(), Some(words));
        // wr:1+0, rd:0; end of thread
        let end = [0x3120_0180, 0x0400_0000, 0x0c7f_2030, 0x0000_0000];
        // wr:4+2, rd:0; atomic_store.ugm.d32.a64
        let atomic = [0x312a_1600, 0x0000_0000, 0x2424_16fb, 0x1422_0000];
        // wr:a0.0[28:25]+31, rd:a0.0[24:20]
        let unknown = [0x3100_0080, 0x2082_6502, 0x0050_0001, 0xff00_ff00];
        for word in [end, atomic, unknown] {
            assert_eq!(text(Platform::Xe2, word), None, "{word:x?}");
        }
    }
}
