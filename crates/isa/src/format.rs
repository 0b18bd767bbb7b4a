//! The text of an instruction, in IGA's format.
//!
//! The parts of a line are in columns. A part that exceeds its column uses the spaces of later
//! ones. The digits of constants do not count.

use std::ops::Range;

use super::Decoder;
use super::decode::{low8, low32};
use super::instruction::{
    Descriptor, Instruction, Message, Modifier, OperandKind, Options, Subfunction,
};
use super::message;
use super::number::{push_decimal, push_hex};
use super::operand_text::{tokens, write_destination, write_source};
use super::tables::{BFN, Meaning, Op};
use zeview_core::analysis::assembly::TextRole;

/// The notation of branch targets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Labels {
    /// Byte offsets from the instruction.
    Numeric,
    /// Labels; the instruction is at this offset.
    Names(i32),
}

/// A part of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Its kind.
    pub kind: TextRole,
    /// Its range in the text, in bytes.
    pub text: Range<usize>,
    /// The bits of the instruction that it comes from.
    pub bits: u128,
}

const PREDICATE: usize = 7;
const OPERATION: usize = 13;
const FLAG: usize = 9;
const DESTINATION: usize = 12;
const SOURCE: usize = 16;
const SEND_DESTINATION: usize = 7;
const SEND_SOURCE: usize = 6;
const DESCRIPTOR: usize = 10;

/// A line being written.
pub(super) struct Line<'a> {
    pub out: &'a mut String,
    /// The start of the column.
    start: usize,
    /// Number of bytes in the column that do not count.
    free: usize,
    /// Number of bytes by which columns have exceeded their width so far.
    debt: usize,
    parts: Option<&'a mut Vec<Part>>,
}

impl Line<'_> {
    fn begin(&mut self) {
        self.start = self.out.len();
        self.free = 0;
    }

    fn end(&mut self, width: usize) {
        let used = self.out.len() - self.start - self.free;
        match width.checked_sub(used) {
            None => self.debt += used - width,
            Some(blanks) => {
                let paid = blanks.min(self.debt);
                self.debt -= paid;
                self.blanks(blanks - paid);
            }
        }
    }

    fn blanks(&mut self, count: usize) {
        const BLANKS: &str = "                                ";
        self.out.push_str(BLANKS.get(..count).unwrap_or(BLANKS));
    }

    /// Writes text that does not count toward the column's width.
    pub fn uncounted(&mut self, write: impl FnOnce(&mut String)) {
        let before = self.out.len();
        write(self.out);
        self.free += self.out.len() - before;
    }

    pub fn text(&mut self, text: &str) {
        self.out.push_str(text);
    }

    pub fn decimal(&mut self, value: impl Into<u64>) {
        push_decimal(self.out, value.into());
    }

    fn part(&mut self, kind: TextRole, from: usize, bits: u128) {
        if let Some(parts) = &mut self.parts
            && self.out.len() > from
        {
            parts.push(Part {
                kind,
                text: from..self.out.len(),
                bits,
            });
        }
    }
}

impl Decoder {
    /// Appends the line of an instruction, without a line feed.
    pub fn format(&self, instruction: &Instruction, labels: Labels, out: &mut String) {
        self.write(instruction, labels, out, None);
    }

    /// Appends the line of an instruction and returns its parts.
    pub fn format_parts(
        &self,
        instruction: &Instruction,
        labels: Labels,
        out: &mut String,
    ) -> Vec<Part> {
        let mut parts = Vec::new();
        self.write(instruction, labels, out, Some(&mut parts));
        parts
    }

    fn write(
        &self,
        i: &Instruction,
        labels: Labels,
        out: &mut String,
        parts: Option<&mut Vec<Part>>,
    ) {
        let rank = self.encoding.rank;
        let mut line = Line {
            start: out.len(),
            out,
            free: 0,
            debt: 0,
            parts,
        };
        let line = &mut line;
        prefix(i, line);
        let send = i.kind.is_send();
        let has_options = i.options.0 != 0 || !i.scoreboard.is_empty();
        match &i.destination {
            Some(destination) => {
                line.text("  ");
                line.begin();
                let from = line.out.len();
                write_destination(destination, line);
                line.part(TextRole::Destination, from, destination.bits);
                line.end(if send { SEND_DESTINATION } else { DESTINATION });
            }
            // What follows stays in its column. Lines without anything else have no blanks at their
            // end.
            None if i.source_count > 0 || has_options => line.blanks(DESTINATION),
            None => {}
        }
        if let Some(message) = &i.message {
            send_operands(i, message, rank, labels, line);
        } else {
            let sources = i.sources.get(..i.source_count).unwrap_or_default();
            for (at, source) in sources.iter().enumerate() {
                line.text("  ");
                line.begin();
                let from = line.out.len();
                // The token set of sync is outside the columns.
                let set = match (i.subfunction, source.kind) {
                    (Subfunction::Text("allrd" | "allwr"), OperandKind::Immediate(set)) => {
                        Some(set)
                    }
                    _ => None,
                };
                match set {
                    Some(set) => tokens(low32(set), line),
                    None => write_source(i, source, labels, line),
                }
                line.part(TextRole::Source(low8(at as u64)), from, source.bits);
                if set.is_none() {
                    line.end(SOURCE);
                }
                // The assembler fills the column of a second source, but not of a third.
                if sources.len() == 1 {
                    line.begin();
                    line.end(SOURCE);
                }
            }
            if sources.is_empty() && has_options {
                line.blanks(SOURCE);
            }
        }
        if has_options {
            let from = line.out.len();
            write_options(i, line);
            line.part(TextRole::Options, from + 1, i.scoreboard.bits);
        }
        if let Some(message) = &i.message {
            line.text(" // ");
            let from = line.out.len();
            message::comment(rank, message, line.out);
            line.part(
                TextRole::Comment,
                from,
                message.descriptor_bits | message.extended_bits,
            );
        }
    }
}

fn prefix(i: &Instruction, line: &mut Line<'_>) {
    line.begin();
    if i.no_mask || i.predicate.is_some() {
        let from = line.out.len();
        line.text("(");
        if i.no_mask {
            line.text("W");
        }
        if let Some(predicate) = i.predicate {
            if i.no_mask {
                line.text("&");
            }
            if predicate.inverse {
                line.text("~");
            }
            flag(i, line);
            if predicate.function != Meaning::Sequential {
                line.text(".");
                line.text(predicate.function.name());
            }
        }
        line.text(")");
        line.part(TextRole::Predicate, from, i.prefix_bits);
    }
    line.end(PREDICATE);
    line.text(" ");
    line.begin();
    let from = line.out.len();
    line.text(i.op.name());
    write_subfunction(i.subfunction, line);
    line.part(TextRole::Operation, from, i.op_bits);
    line.text(" ");
    if let Some(exec) = i.exec
        && !matches!(i.op, Op::Sync | Op::Jmpi | Op::Wait)
    {
        let from = line.out.len();
        line.text("(");
        if exec.invalid {
            line.text("ExecSize::");
            push_hex(line.out, exec.size.into(), 8);
            line.text("?");
        } else {
            line.decimal(exec.size);
        }
        line.text("|");
        line.text(exec.offset.map_or("ChannelOffset::INVALID", Meaning::name));
        line.text(")");
        line.part(TextRole::Execution, from, exec.bits);
    }
    line.end(OPERATION);
    line.text(" ");
    line.begin();
    if let Some(modifier) = i.modifier
        && i.message.is_none()
    {
        let from = line.out.len();
        line.text("(");
        line.text(match modifier {
            Modifier::EarlyOut => "eo",
            Modifier::Condition(Meaning::z) => "eq",
            Modifier::Condition(Meaning::nz) => "ne",
            Modifier::Condition(Meaning::g) => "gt",
            Modifier::Condition(Meaning::ge) => "ge",
            Modifier::Condition(Meaning::l) => "lt",
            Modifier::Condition(Meaning::le) => "le",
            Modifier::Condition(Meaning::o) => "ov",
            Modifier::Condition(Meaning::u) => "un",
            Modifier::Condition(other) => other.name(),
        });
        line.text(")");
        flag(i, line);
        line.part(TextRole::Flag, from, i.prefix_bits);
    }
    line.end(FLAG);
}

fn flag(i: &Instruction, line: &mut Line<'_>) {
    line.text("f");
    line.decimal(i.flag.0);
    line.text(".");
    line.decimal(i.flag.1);
}

/// Formats the operation with its subfunction: `send.ugm`.
pub(super) fn operation(i: &Instruction) -> String {
    let mut out = String::new();
    let mut line = Line {
        start: 0,
        out: &mut out,
        free: 0,
        debt: 0,
        parts: None,
    };
    line.text(i.op.name());
    write_subfunction(i.subfunction, &mut line);
    out
}

fn write_subfunction(subfunction: Subfunction, line: &mut Line<'_>) {
    if subfunction != Subfunction::None {
        line.text(".");
    }
    match subfunction {
        Subfunction::None => {}
        Subfunction::Text(text) => line.text(text),
        Subfunction::Bfn(function) => {
            line.text("(");
            line.text(BFN.get(usize::from(function)).copied().unwrap_or_default());
            line.text(")");
        }
        Subfunction::Dpas(depth @ (1 | 2 | 4 | 8), repeat @ 1..=8) => {
            line.decimal(depth);
            line.text("x");
            line.decimal(repeat);
        }
        Subfunction::Dpas(depth, repeat) => {
            push_hex(line.out, u64::from(depth) << 8 | u64::from(repeat), 0);
            line.text("?");
        }
        Subfunction::UnknownSfid => line.text("SFID::0xffffffff?"),
        Subfunction::UnknownSync => line.text("0xFFFFFFFF?"),
        Subfunction::Dnscl(from, to, mode, rounding) => {
            line.text(from);
            line.text("to");
            line.text(to);
            line.text(".mode");
            line.decimal(mode);
            line.text(".");
            line.text(rounding);
        }
        Subfunction::Branch => line.text("b"),
    }
}

fn send_operands(
    i: &Instruction,
    message: &Message,
    rank: u8,
    labels: Labels,
    line: &mut Line<'_>,
) {
    let sources = i.sources.get(..i.source_count).unwrap_or_default();
    // From Xe2 on, the assembler writes the sources of a send one after the other.
    let columns = rank < 30 && message.wide.is_none();
    for (at, source) in sources.iter().enumerate() {
        line.text("  ");
        line.begin();
        let from = line.out.len();
        write_source(i, source, labels, line);
        line.part(TextRole::Source(low8(at as u64)), from, source.bits);
        if columns {
            line.end(SEND_SOURCE);
        }
    }
    line.text("  ");
    if let Some(wide) = &message.wide {
        let from = line.out.len();
        for sub in wide.indirect.iter().flatten() {
            line.text("s0.");
            line.decimal(*sub);
            line.text("  ");
        }
        push_hex(line.out, wide.value, 0);
        line.part(
            TextRole::Descriptor,
            from,
            wide.bits.iter().fold(0, |all, bits| all | bits),
        );
        return;
    }
    let from = line.out.len();
    // Before the column starts, so that it does not count for the width.
    if message.offset != 0 {
        push_hex(line.out, message.offset.into(), 0);
        line.text(":");
    }
    write_descriptor(message.extended, 0, line);
    line.part(TextRole::ExtendedDescriptor, from, message.extended_bits);
    line.end(DESCRIPTOR);
    line.text("  ");
    let from = line.out.len();
    write_descriptor(message.descriptor, 8, line);
    line.part(TextRole::Descriptor, from, message.descriptor_bits);
    line.end(DESCRIPTOR);
}

fn write_descriptor(descriptor: Descriptor, width: u32, line: &mut Line<'_>) {
    line.begin();
    match descriptor {
        Descriptor::Immediate(value) => {
            line.uncounted(|out| push_hex(out, value.into(), width));
        }
        Descriptor::Register(sub) => {
            line.text("a0.");
            line.decimal(sub);
        }
    }
}

fn write_options(i: &Instruction, line: &mut Line<'_>) {
    line.text(" {");
    let mut first = true;
    let mut separate = |line: &mut Line<'_>| {
        if !first {
            line.text(",");
        }
        first = false;
    };
    let mut options = i.options.0;
    while options != 0 {
        let at = usize::try_from(options.trailing_zeros()).unwrap_or_default();
        separate(line);
        line.text(Options::NAMES.get(at).copied().unwrap_or_default());
        options &= options - 1;
    }
    if i.scoreboard.no_acc_sb_set {
        separate(line);
        line.text("NoAccSBSet");
    }
    if let Some((pipe, distance)) = i.scoreboard.distance {
        separate(line);
        line.text(pipe);
        line.text("@");
        line.decimal(distance);
    }
    if let Some((token, wait)) = i.scoreboard.token {
        separate(line);
        line.text("$");
        line.decimal(token);
        line.text(wait);
    }
    line.text("}");
}

/// Returns whether control can continue with the next instruction, if necessary after a call
/// returns.
pub(super) fn falls_through(i: &Instruction) -> bool {
    let goes_away = matches!(
        i.op,
        Op::Jmpi
            | Op::Goto
            | Op::Halt
            | Op::Break
            | Op::Cont
            | Op::Ret
            | Op::While
            | Op::Brc
            | Op::Brd
    );
    let is_always = goes_away && i.predicate.is_none();
    !is_always && !i.options.has(Options::EOT)
}
