//! Addresses of messages, as far as they follow from the payload: a base and a constant offset.

use super::build::{DataFlow, NONE};
use super::message_forms::Form;
use super::origins::runs;
use super::payload::{Area, Loaded};
use super::regset::{Piece, RegisterFile, file_of, low_bits};
use super::spills::immediate;
use crate::instruction::{Instruction, Operand, OperandKind};
use crate::operands::type_bits;
use crate::tables::{Meaning, Op};
use zeview_core::analysis::kernel_inputs::{PAYLOAD_OFFSET, PER_THREAD_OFFSET, Patch};
use zeview_core::analysis::linkage::AddressPart;

/// The base of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Base {
    /// None: the value is a constant.
    Zero,
    /// The address of the payload in memory, with other bits below bit 6.
    Header,
    /// The address of the payload in memory.
    Payload,
    /// The number of the thread in the work-group, with other bits above bit 7.
    ThreadWord,
    /// The number of the thread in the work-group.
    Thread,
    /// Bytes of the cross-thread payload: the offset of the first one, and their number.
    Input(u64, u32),
    /// The address of a patch's symbol, by its offset in the code.
    Symbol(u64),
    /// The upper half of the address.
    SymbolHigh(u64),
}

/// A value: a base plus a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Number {
    base: Base,
    offset: i64,
    /// The payload of the thread: bytes per thread, and the offset of the first thread's; `None` if the
    /// driver patches it in.
    thread: Option<(i64, Option<i64>)>,
    /// Whether the driver adds the offset of the first thread's payload.
    is_patched: bool,
}

impl Number {
    fn new(base: Base, offset: i64) -> Number {
        Number {
            base,
            offset,
            thread: None,
            is_patched: false,
        }
    }

    fn sum(self, other: Number) -> Option<Number> {
        let (mut sum, other) = match (self.base, other.base) {
            (_, Base::Zero) => (self, other),
            (Base::Zero, _) => (other, self),
            _ => return None,
        };
        if sum.thread.is_some() && other.thread.is_some() {
            return None;
        }
        sum.offset = sum.offset.checked_add(other.offset)?;
        sum.thread = sum.thread.or(other.thread);
        sum.is_patched |= other.is_patched;
        Some(sum)
    }
}

/// A constant address range, or one that starts at an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// Bytes of the payload.
    Payload(Area, u64),
    /// An address in an argument's buffer: the offset of the argument in the cross-thread payload,
    /// and the offset of the address, or `None` if a variable is added.
    Buffer(u64, Option<i64>),
    /// An address relative to that of a patch's symbol, by its offset in the code.
    Symbol(u64, i64),
}

/// Maximum number of instructions that compute an address.
const DEPTH: u32 = 8;

/// Maximum number of instructions that compute the addresses of a message's channels.
const PRODUCERS: usize = 16;

/// Maximum number of values that are considered for an address.
const VALUES: u32 = 64;

/// A summand of an address.
enum Summand {
    /// The address in an argument, by the offset of the argument.
    Buffer(u64),
    /// Another value, by its first register.
    Source(u16),
}

impl DataFlow {
    /// Returns the bytes of the payload that a message loads.
    pub(super) fn loaded(&self, row: u32) -> Option<Loaded> {
        // Every use of a loaded register asks for its load, and each answer is a search of its own.
        if let Some(known) = self.loads.borrow().get(&row) {
            return *known;
        }
        // The address of the payload is not in the payload in memory: other loads do not matter.
        let is_outer = self.in_load.replace(true);
        let left = self.values_left.replace(VALUES);
        let loaded = self.find_loaded(row);
        self.values_left.set(left);
        self.in_load.set(is_outer);
        self.loads.borrow_mut().insert(row, loaded);
        loaded
    }

    fn find_loaded(&self, row: u32) -> Option<Loaded> {
        self.inputs.payload.as_ref()?;
        let i = self.instruction(row)?;
        let form = self.form(&i).filter(|form| form.loads)?;
        let Target::Payload(area, offset) = self.target_of(row, &form)? else {
            return None;
        };
        let number = match i.destination?.kind {
            OperandKind::Register { number, .. } | OperandKind::Payload { number, .. } => number,
            _ => return None,
        };
        Some(Loaded {
            area,
            offset,
            start: u32::from(number) * u32::from(self.sizes().general),
            bytes: form.block?,
        })
    }

    /// The patch whose symbol's address is the first source of an instruction, by its offset in the
    /// code, and what is added to the address.
    pub(super) fn symbol_source(&self, row: u32) -> Option<(u64, i64)> {
        let i = self.instruction(row)?;
        let left = self.values_left.replace(VALUES);
        // The operand of a call has no type. From Xe3P on, addresses of code have 64 bits.
        let read = |bytes: u32| {
            let source = i.sources.first()?;
            let OperandKind::Register { number, sub, .. } = source.kind else {
                return self.source_number(row, &i, 0, DEPTH);
            };
            let file = RegisterFile::General;
            let register = u32::from(self.sizes().bytes(file));
            let start = u32::from(number) * register + u32::from(sub) * 4;
            self.number(row, self.piece_at(file, start, bytes)?, DEPTH)
        };
        let number = if self.accesses.encoding.rank >= 43 {
            read(8)
        } else {
            read(4)
        };
        self.values_left.set(left);
        match number? {
            Number {
                base: Base::Symbol(patch),
                offset,
                thread: None,
                ..
            } => Some((patch, offset)),
            _ => None,
        }
    }

    /// Returns the address that a message reads or writes, and the number of consecutive bytes if it
    /// is a block.
    pub(super) fn target(&self, row: u32) -> Option<(Target, Option<u32>)> {
        let i = self.instruction(row)?;
        let form = self.form(&i)?;
        self.values_left.set(VALUES);
        let found = self.target_of(row, &form);
        let found = found.or_else(|| {
            let base = match form.base {
                Some(base) => self.number(row, base, DEPTH).and_then(|n| self.buffer(n)),
                None => self.buffer_of(row, form.address),
            };
            Some(Target::Buffer(base?, None))
        });
        Some((found?, form.block))
    }

    fn target_of(&self, row: u32, form: &Form) -> Option<Target> {
        let mut number = self.number(row, form.address, DEPTH)?;
        if let Some(base) = form.base {
            number = number.sum(self.number(row, base, DEPTH)?)?;
        }
        number.offset = number.offset.checked_add(form.offset)?;
        // Only a block has one address. With an address per channel, the first channel's would be
        // taken for that of all; `buffer_of` handles these.
        form.block?;
        let payload = self.inputs.payload.as_ref();
        match (number.base, number.thread) {
            (Base::Payload, None) if !number.is_patched => {
                let payload = payload.filter(|_| self.is_payload_address(form))?;
                let at = u64::try_from(number.offset).ok()?;
                Some(Target::Payload(
                    Area::CrossThread,
                    at.checked_add(payload.inline_bytes)?,
                ))
            }
            (Base::Payload, Some((step, start))) => {
                let payload = payload.filter(|_| self.is_payload_address(form))?;
                let size = u64::from(self.sizes().general);
                // The payload of each thread is aligned to registers. Another step belongs to other
                // data, and naming that as local ids would be wrong.
                let is_step = u64::try_from(step).ok()
                    == Some(payload.per_thread_bytes.next_multiple_of(size));
                let behind = payload.bytes.saturating_sub(payload.inline_bytes);
                // The threads' data follows the cross-thread data. A start before that cannot be
                // theirs; one that the driver patches in is not in the code.
                let is_start = match start {
                    Some(start) => u64::try_from(start).is_ok_and(|start| start >= behind),
                    None => true,
                };
                let at = u64::try_from(number.offset).ok()?;
                (is_step && is_start).then_some(Target::Payload(Area::PerThread, at))
            }
            (Base::Symbol(patch), None) => Some(Target::Symbol(patch, number.offset)),
            (Base::Input(..), None) => {
                Some(Target::Buffer(self.buffer(number)?, Some(number.offset)))
            }
            _ => None,
        }
    }

    /// Whether a message uses the kind of address that the payload has on the device.
    fn is_payload_address(&self, form: &Form) -> bool {
        // Until Xe3, the address in r0 is relative to the memory for kernels; from Xe3P on, it is
        // an absolute one in the inline data (`indirect_data_pointer`).
        form.is_relative || self.accesses.encoding.rank >= 43
    }

    /// The offset of the argument whose value is the base of an address.
    fn buffer(&self, number: Number) -> Option<u64> {
        let Base::Input(offset, bytes) = number.base else {
            return None;
        };
        let entry = self.inputs.payload.as_ref()?.entry_at(offset)?;
        // An integer argument can be added to an address, too. Only a whole pointer is a base.
        let is_pointer = entry.is_pointer && entry.end - entry.start == u64::from(bytes);
        (is_pointer && number.thread.is_none()).then_some(offset)
    }

    /// The argument that is the base of the addresses of all channels, if each address is the sum of
    /// the argument and other values.
    fn buffer_of(&self, row: u32, address: Piece) -> Option<u64> {
        self.inputs.payload.as_ref()?;
        let bytes = address.mask.count_ones();
        let mut found = None;
        // Sources of instructions, by their first register.
        let mut seen = vec![(row, address.unit)];
        let mut producers: Vec<u32> = Vec::new();
        let mut at = 0;
        while let Some((row, unit)) = seen.get(at).copied() {
            at += 1;
            for from in self.producers_of(row, unit)? {
                if producers.contains(&from) {
                    continue;
                }
                producers.push(from);
                if producers.len() > PRODUCERS || !self.spend(1) {
                    return None;
                }
                match self.summand(from, bytes)? {
                    Summand::Buffer(buffer) => {
                        // Paths with different buffers: the address is in one of them, but not
                        // known in which.
                        if *found.get_or_insert(buffer) != buffer {
                            return None;
                        }
                    }
                    Summand::Source(unit) if !seen.contains(&(from, unit)) => {
                        seen.push((from, unit));
                    }
                    Summand::Source(_) => {}
                }
            }
        }
        found
    }

    /// The producers of the source of an instruction that starts at a register. Returns `None` if there
    /// are too many, or not all are known.
    fn producers_of(&self, row: u32, unit: u16) -> Option<Vec<u32>> {
        let footprint = self.footprint(row);
        let mut reads = footprint.reads().map(|access| access.bytes.pieces());
        let pieces = reads.find(|pieces| pieces.first().is_some_and(|piece| piece.unit == unit))?;
        let mut producers: Vec<u32> = Vec::new();
        for piece in pieces {
            self.each_definition(row, *piece, &mut |from, _| {
                if !producers.contains(&from) {
                    producers.push(from);
                }
                producers.len() <= PRODUCERS
            });
        }
        // A value from outside of the code may be any address.
        let is_known = !producers.is_empty() && !producers.contains(&NONE);
        (is_known && producers.len() <= PRODUCERS).then_some(producers)
    }

    /// The summand of an instruction's result that is or leads to the address in an argument; values
    /// have `bytes` bytes.
    fn summand(&self, row: u32, bytes: u32) -> Option<Summand> {
        // Under a predicate, some channels keep the value of another instruction.
        if self.row(row)?.guard.flags != 0 {
            return None;
        }
        let i = self.instruction(row)?;
        let sources = i.sources.get(..i.source_count)?;
        let is_wide = |operand: &Operand| operand.data_type.and_then(type_bits) == Some(bytes * 8);
        if !is_wide(i.destination.as_ref()?)
            || !matches!(i.op, Op::Add | Op::Mov)
            || sources.iter().any(|source| source.modifier.is_some())
        {
            return None;
        }
        let (mut buffer, mut others) = (None, Vec::new());
        for source in sources {
            if !is_wide(source) || !matches!(source.kind, OperandKind::Register { .. }) {
                continue;
            }
            let exec = i.exec.map_or(1, |exec| exec.size);
            let (vertical, _, horizontal) = self.accesses.rows(&i, source.region, exec);
            let (file, at) = self.start_of(source)?;
            let piece = self.piece_at(file, at, bytes)?;
            // The base is the same for all channels, so it is a scalar; what differs is an index.
            let is_same = exec == 1 || (vertical, horizontal) == (0, 0);
            let number = is_same.then(|| self.number(row, piece, DEPTH)).flatten();
            match number.and_then(|number| self.buffer(number)) {
                // The sum of two addresses is not an address.
                Some(found) if buffer.replace(found).is_some() => return None,
                Some(_) => {}
                None => others.push(piece.unit),
            }
        }
        match (buffer, &others[..]) {
            (Some(buffer), _) => Some(Summand::Buffer(buffer)),
            (None, [unit]) => Some(Summand::Source(*unit)),
            (None, _) => None,
        }
    }

    /// The value of bytes of a register that an instruction reads.
    fn number(&self, row: u32, piece: Piece, depth: u32) -> Option<Number> {
        let left = self.values_left.get();
        if depth == 0 || left == 0 || !self.spend(1) {
            return None;
        }
        self.values_left.set(left - 1);
        let (first, bytes) = (piece.mask.trailing_zeros(), piece.mask.count_ones());
        if let [run] = runs(&self.origins(row, piece))[..]
            && (run.first, run.bytes, run.area) == (first, bytes, Area::CrossThread)
        {
            return Some(self.input_number(run.offset, bytes));
        }
        let mut from: Vec<(u32, u64)> = Vec::new();
        self.each_definition(row, piece, &mut |row, mask| {
            from.push((row, mask));
            from.len() <= 2
        });
        match from[..] {
            [(NONE, _)] => self.header_number(piece),
            [(from, mask)] if mask == piece.mask => self.computed(from, piece, depth - 1),
            // The halves of an address.
            [(one, _), (other, _)] if bytes == 8 && one != NONE && other != NONE => {
                let half = |first: u32| {
                    let unit = piece.unit;
                    let mask = low_bits(4) << first;
                    self.number(row, Piece { unit, mask }, depth - 1)
                };
                let (low, high) = (half(first)?, half(first + 4)?);
                match (low.base, high.base) {
                    (Base::Symbol(one), Base::SymbolHigh(other)) => {
                        let same = self.patch(one)?.symbol == self.patch(other)?.symbol;
                        (same && high.offset == 0).then_some(low)
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn input_number(&self, offset: u64, bytes: u32) -> Number {
        let payload = self.inputs.payload.as_ref();
        let entry = payload.and_then(|payload| payload.entry_at(offset));
        let entry = entry.filter(|entry| entry.end == offset + u64::from(bytes));
        match entry {
            Some(entry) if entry.kind == "indirect_data_pointer" => Number::new(Base::Payload, 0),
            _ => Number::new(Base::Input(offset, bytes), 0),
        }
    }

    /// The value of bytes of r0 at the start of the kernel.
    fn header_number(&self, piece: Piece) -> Option<Number> {
        let (file, number) = file_of(piece.unit);
        if file != RegisterFile::General || number != 0 {
            return None;
        }
        let bytes = (piece.mask.trailing_zeros(), piece.mask.count_ones());
        let base = match (self.accesses.encoding.rank, bytes) {
            (22..43, (0, 4)) => Base::Header,
            (43.., (56, 8)) => Base::Payload,
            (22.., (8, 2)) => Base::ThreadWord,
            _ => return None,
        };
        Some(Number::new(base, 0))
    }

    /// The value of an element that an instruction writes.
    fn computed(&self, row: u32, piece: Piece, depth: u32) -> Option<Number> {
        let record = self.row(row)?;
        if record.guard.flags != 0 || record.is_send {
            return None;
        }
        let i = self.instruction(row)?;
        let destination = i.destination.as_ref()?;
        let (file, start) = self.start_of(destination)?;
        let bytes = piece.mask.count_ones();
        let is_first = self.piece_at(file, start, bytes) == Some(piece);
        let size = destination.data_type.and_then(type_bits)? / 8;
        // All elements of a constant are the same.
        let is_constant = i.op == Op::Mov
            && i.sources
                .first()
                .is_some_and(|source| matches!(source.kind, OperandKind::Immediate(_)));
        // Calls with addresses of 32 bits read the lower half of a 64-bit copy.
        if (size, bytes) == (8, 4) && is_first && i.op == Op::Mov && !destination.saturate {
            return self.lower_half(row, &i, depth);
        }
        // Only the first element has the values of the sources' first elements.
        if size != bytes || destination.saturate || !(is_first || is_constant) {
            return None;
        }
        let source = |at: usize| self.source_number(row, &i, at, depth);
        match i.op {
            Op::Mov => {
                let of = i.sources.first()?;
                let is_float = matches!(of.data_type, Some(Meaning::f | Meaning::df | Meaning::hf));
                // A float register is copied bit by bit: the compiler moves addresses to a shorter queue.
                let is_copy = of.data_type == destination.data_type
                    && matches!(of.kind, OperandKind::Register { .. });
                source(0).filter(|_| !is_float || is_copy)
            }
            Op::Add => source(0)?.sum(source(1)?),
            Op::Add3 => source(0)?.sum(source(1)?)?.sum(source(2)?),
            Op::And => {
                let (value, mask) = (source(0)?, source(1)?);
                let mask = (mask.base == Base::Zero).then_some(mask.offset)? & 0xffff_ffff;
                match (value.base, mask) {
                    // These masks remove exactly the other bits of the header; the result of others
                    // is unknown.
                    (Base::Header, 0xffff_ffc0) => Some(Number::new(Base::Payload, 0)),
                    (Base::ThreadWord, 0xff) => Some(Number::new(Base::Thread, 0)),
                    _ => None,
                }
            }
            Op::Mad => {
                let (start, thread, step) = (source(0)?, source(1)?, source(2)?);
                let is_thread = thread.base == Base::Thread && thread.offset == 0;
                if !is_thread || step.base != Base::Zero || start.thread.is_some() {
                    return None;
                }
                // The immediate of a patch is a placeholder: the driver writes the value at load.
                let first = (!start.is_patched).then_some(start.offset);
                Some(Number {
                    base: start.base,
                    offset: 0,
                    thread: Some((step.offset, first)),
                    is_patched: false,
                })
            }
            _ => None,
        }
    }

    /// The value of the lower half of a 64-bit integer that a `mov` copies.
    fn lower_half(&self, row: u32, i: &Instruction, depth: u32) -> Option<Number> {
        let source = i.sources.first().filter(|_| i.source_count == 1)?;
        let is_register = matches!(source.kind, OperandKind::Register { .. });
        let is_wide = matches!(source.data_type, Some(Meaning::q | Meaning::uq));
        if !is_register || !is_wide || source.modifier.is_some() {
            return None;
        }
        let (file, start) = self.start_of(source)?;
        self.number(row, self.piece_at(file, start, 4)?, depth)
    }

    /// The value of a scalar source.
    fn source_number(&self, row: u32, i: &Instruction, at: usize, depth: u32) -> Option<Number> {
        let source = i.sources.get(..i.source_count)?.get(at)?;
        if source.modifier.is_some() {
            return None;
        }
        match source.kind {
            OperandKind::Immediate(value) => {
                let offset = immediate(i, at, value);
                let Some(patch) = self.patch_of(row, source) else {
                    return Some(Number::new(Base::Zero, offset));
                };
                match (&*patch.symbol, patch.part) {
                    // The patch leads from the address in r0 to the payload; `Base::Payload` stands
                    // for both.
                    (PAYLOAD_OFFSET, _) => Some(Number::new(Base::Zero, offset)),
                    (PER_THREAD_OFFSET, _) => Some(Number {
                        is_patched: true,
                        ..Number::new(Base::Zero, 0)
                    }),
                    (_, Some(AddressPart::Whole | AddressPart::Low)) => {
                        Some(Number::new(Base::Symbol(patch.offset), 0))
                    }
                    (_, Some(AddressPart::High)) => {
                        Some(Number::new(Base::SymbolHigh(patch.offset), 0))
                    }
                    (_, None) => None,
                }
            }
            OperandKind::Register { .. } => {
                let bytes = source.data_type.and_then(type_bits)? / 8;
                let (file, start) = self.start_of(source)?;
                self.number(row, self.piece_at(file, start, bytes)?, depth)
            }
            _ => None,
        }
    }

    /// The patch of a constant.
    fn patch_of(&self, row: u32, operand: &Operand) -> Option<&Patch> {
        let pc = u64::from(self.pc(row)?);
        let mut patches = self.inputs.patches_in(pc, pc.saturating_add(16));
        patches.find(|patch| {
            let byte = patch.offset.saturating_sub(pc).min(15);
            // Several immediates can be patched; the operand's bits say which one this is.
            operand.bits >> (byte * 8) & 0xff != 0
        })
    }

    /// Whether the driver writes a constant.
    pub(super) fn is_patched(&self, row: u32, operand: &Operand) -> bool {
        self.patch_of(row, operand).is_some()
    }

    /// The patch at an offset of the code.
    pub(super) fn patch(&self, offset: u64) -> Option<&Patch> {
        self.inputs.patches_in(offset, offset + 1).next()
    }
}
