//! Addresses of messages, as far as they follow from the payload: a base and a constant offset.

use super::build::{DataFlow, NONE};
use super::footprint_messages::{cache_access, header_block, wide_access};
use super::origins::{Area, runs};
use super::regset::{Piece, RegisterFile, file_of, low_bits};
use super::spills::immediate;
use crate::analysis::kernel_inputs::{PAYLOAD_OFFSET, PER_THREAD_OFFSET, Patch};
use crate::decode::isa::encoding::SendGroup;
use crate::decode::isa::instruction::{Descriptor, Instruction, Message, Operand, OperandKind};
use crate::decode::isa::operands::type_bits;
use crate::decode::isa::tables::{Meaning, Op};
use crate::decode::isa::word::sign_extend;

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

/// Bytes of the payload that a message loads into consecutive bytes of registers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Loaded {
    area: Area,
    offset: u64,
    /// Offset of the first byte of the destination among the general registers.
    start: u32,
    bytes: u32,
}

impl Loaded {
    /// The byte of the payload in a byte of the destination.
    pub fn origin(&self, at: u32) -> Option<(Area, u64)> {
        let at = at.checked_sub(self.start).filter(|at| *at < self.bytes)?;
        Some((self.area, self.offset + u64::from(at)))
    }
}

/// Maximum number of instructions that compute an address.
const DEPTH: u32 = 8;

/// Maximum number of producers of the addresses of a message's channels.
const PRODUCERS: usize = 8;

/// The surface of messages without a surface, and of those with addresses relative to the start of
/// the device's memory for kernels.
const STATELESS: [u32; 2] = [253, 255];

/// The parts of a message that determine its address.
struct Form {
    /// The register with the address and its size in bytes.
    address: Piece,
    /// The scalar register with a further address.
    base: Option<Piece>,
    offset: i64,
    /// Number of consecutive bytes, if it accesses a block.
    block: Option<u32>,
    loads: bool,
    /// Whether the address is relative to the start of the memory for kernels.
    is_relative: bool,
}

impl DataFlow {
    /// Returns the bytes of the payload that a message loads.
    pub(super) fn loaded(&self, row: u32) -> Option<Loaded> {
        if let Some(known) = self.loads.borrow().get(&row) {
            return *known;
        }
        // Ends cycles: a load of an address that it provides itself.
        self.loads.borrow_mut().insert(row, None);
        let loaded = self.find_loaded(row);
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

    /// Returns the address that a message reads or writes, and the number of consecutive bytes if it
    /// is a block.
    pub(super) fn target(&self, row: u32) -> Option<(Target, Option<u32>)> {
        let i = self.instruction(row)?;
        let form = self.form(&i)?;
        let found = self.target_of(row, &form);
        let found = found.or_else(|| {
            let base = match form.base {
                Some(base) => self.number(row, base, DEPTH).and_then(|n| self.buffer(n)),
                None => self.buffer_of(row, form.address.unit, DEPTH),
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
                let is_step = u64::try_from(step).ok()
                    == Some(payload.per_thread_bytes.next_multiple_of(size));
                let behind = payload.bytes.saturating_sub(payload.inline_bytes);
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
        form.is_relative || self.accesses.encoding.rank >= 43
    }

    /// The offset of the argument whose value is the base of an address.
    fn buffer(&self, number: Number) -> Option<u64> {
        let Base::Input(offset, 8) = number.base else {
            return None;
        };
        let mut entries = self.inputs.payload.as_ref()?.entries.iter();
        let is_pointer = entries.any(|entry| entry.start == offset && entry.is_pointer);
        (is_pointer && number.thread.is_none()).then_some(offset)
    }

    /// The argument that is the base of the addresses of all channels, if each address is the sum of
    /// the argument and another value.
    fn buffer_of(&self, row: u32, unit: u16, depth: u32) -> Option<u64> {
        self.inputs.payload.as_ref()?;
        if depth == 0 || !self.spend(1) {
            return None;
        }
        let footprint = self.footprint(row);
        let mut reads = footprint.reads().map(|access| access.bytes.pieces());
        let addresses = reads.find(|pieces| pieces.first().is_some_and(|piece| piece.unit == unit));
        let mut producers: Vec<u32> = Vec::new();
        for piece in addresses?.iter().take(PRODUCERS) {
            self.each_definition(row, *piece, &mut |from, _| producers.push(from));
        }
        crate::model::sort::ascending(&mut producers);
        producers.dedup();
        if producers.is_empty() || producers.len() > PRODUCERS {
            return None;
        }
        let mut found = None;
        for from in producers {
            let buffer = self.buffer_sum(from, depth - 1)?;
            if *found.get_or_insert(buffer) != buffer {
                return None;
            }
        }
        found
    }

    /// The argument to which an instruction adds another value in each channel.
    fn buffer_sum(&self, row: u32, depth: u32) -> Option<u64> {
        if row == NONE || self.row(row)?.guard.flags != 0 {
            return None;
        }
        let i = self.instruction(row)?;
        let sources = i.sources.get(..i.source_count)?;
        let is_wide = |operand: &Operand| operand.data_type.and_then(type_bits) == Some(64);
        if !is_wide(i.destination.as_ref()?)
            || !matches!(i.op, Op::Add | Op::Mov)
            || sources.iter().any(|source| source.modifier.is_some())
        {
            return None;
        }
        let mut found = None;
        for source in sources {
            if !is_wide(source) || !matches!(source.kind, OperandKind::Register { .. }) {
                continue;
            }
            let exec = i.exec.map_or(1, |exec| exec.size);
            let (vertical, _, horizontal) = self.accesses.rows(&i, source.region, exec);
            let (file, at) = self.start_of(source)?;
            let piece = self.piece_at(file, at, 8)?;
            let is_same = exec == 1 || (vertical, horizontal) == (0, 0);
            let number = is_same.then(|| self.number(row, piece, DEPTH)).flatten();
            let buffer = match number {
                Some(number) => self.buffer(number),
                None => self.buffer_of(row, piece.unit, depth),
            };
            // The sum of two pointers is none.
            if let Some(buffer) = buffer
                && found.replace(buffer).is_some()
            {
                return None;
            }
        }
        found
    }

    /// The value of bytes of a register that an instruction reads.
    fn number(&self, row: u32, piece: Piece, depth: u32) -> Option<Number> {
        if depth == 0 || !self.spend(1) {
            return None;
        }
        let (first, bytes) = (piece.mask.trailing_zeros(), piece.mask.count_ones());
        if let [run] = runs(&self.origins(row, piece))[..]
            && (run.first, run.bytes, run.area) == (first, bytes, Area::CrossThread)
        {
            return Some(self.input_number(run.offset, bytes));
        }
        let mut from: Vec<(u32, u64)> = Vec::new();
        self.each_definition(row, piece, &mut |row, mask| from.push((row, mask)));
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
        let entry = payload.and_then(|payload| {
            let mut entries = payload.entries.iter();
            entries.find(|entry| entry.start == offset && entry.end == offset + u64::from(bytes))
        });
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
        if size != bytes || destination.saturate || !(is_first || is_constant) {
            return None;
        }
        let source = |at: usize| self.source_number(row, &i, at, depth);
        match i.op {
            Op::Mov => {
                let source_type = i.sources.first()?.data_type;
                let is_float = matches!(source_type, Some(Meaning::f | Meaning::df | Meaning::hf));
                source(0).filter(|_| !is_float)
            }
            Op::Add => source(0)?.sum(source(1)?),
            Op::Add3 => source(0)?.sum(source(1)?)?.sum(source(2)?),
            Op::And => {
                let (value, mask) = (source(0)?, source(1)?);
                let mask = (mask.base == Base::Zero).then_some(mask.offset)? & 0xffff_ffff;
                match (value.base, mask) {
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
                    (PAYLOAD_OFFSET, _) => Some(Number::new(Base::Zero, offset)),
                    (PER_THREAD_OFFSET, _) => Some(Number {
                        is_patched: true,
                        ..Number::new(Base::Zero, 0)
                    }),
                    (_, Some("" | "low 32 bits of ")) => {
                        Some(Number::new(Base::Symbol(patch.offset), 0))
                    }
                    (_, Some(_)) => Some(Number::new(Base::SymbolHigh(patch.offset), 0)),
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
            operand.bits >> (byte * 8) & 0xff != 0
        })
    }

    /// The patch at an offset of the code.
    pub(super) fn patch(&self, offset: u64) -> Option<&Patch> {
        self.inputs.patches_in(offset, offset + 1).next()
    }

    fn form(&self, i: &Instruction) -> Option<Form> {
        let m = i.message.as_ref()?;
        let exec = i.exec.map_or(1, |exec| exec.size).clamp(1, 32);
        let register = |file: RegisterFile, at: u32, bytes: u32| self.piece_at(file, at, bytes);
        let number = match i.sources.first().filter(|_| i.source_count > 0)?.kind {
            OperandKind::Register { number, .. } | OperandKind::Payload { number, .. } => number,
            _ => return None,
        };
        let start = u32::from(number) * u32::from(self.sizes().general);
        if let Some(wide) = &m.wide {
            let access = wide_access(m.sfid.filter(|s| *s == Meaning::UGM), wide.value)?;
            let scale = wide.value >> 44 & 3;
            let is_block = access.transposed && exec == 1 && access.memory == access.register;
            // Surfaces have no address.
            if wide.value >> 14 & 3 == 3 {
                return None;
            }
            let base = wide.indirect[0]?;
            let elements = sign_extend(wide.value >> 22, 22).cast_signed();
            let is_scaled = scale != 0;
            return Some(Form {
                address: register(RegisterFile::General, start, access.address)?,
                base: Some(register(RegisterFile::Scalar, base.into(), 8)?),
                offset: elements * i64::from(access.memory),
                block: (is_block && !is_scaled).then_some(access.elements * access.memory),
                loads: access.group == SendGroup::Load,
                is_relative: false,
            });
        }
        let Descriptor::Immediate(descriptor) = m.descriptor else {
            return None;
        };
        let rank = self.accesses.encoding.rank;
        if let Some(access) = cache_access(rank, m.sfid.filter(|s| *s == Meaning::UGM), descriptor)
        {
            let kind = descriptor >> 29 & 3;
            let surface = match m.extended {
                Descriptor::Immediate(value) => Some(value >> 24),
                Descriptor::Register(_) => None,
            };
            let is_relative = kind == 3 && surface.is_some_and(|s| STATELESS.contains(&s));
            if kind != 0 && !is_relative {
                return None;
            }
            let is_block = access.transposed && exec == 1 && access.memory == access.register;
            return Some(Form {
                address: register(RegisterFile::General, start, access.address)?,
                base: None,
                offset: cache_offset(rank, kind, m),
                block: is_block.then_some(access.elements * access.memory),
                loads: access.group == SendGroup::Load,
                is_relative,
            });
        }
        // The offset is in the third dword of the header.
        let bytes = header_block(m.sfid.filter(|s| *s == Meaning::DP_DC0), descriptor)?;
        let is_aligned_read = descriptor >> 14 & 0x1f == 1;
        (is_aligned_read && STATELESS.contains(&(descriptor & 0xff))).then_some(Form {
            address: register(RegisterFile::General, start + 8, 4)?,
            base: None,
            offset: 0,
            block: Some(bytes),
            loads: true,
            is_relative: true,
        })
    }

    /// The surface of a message by its index in the binding table.
    pub(super) fn surface(&self, row: u32) -> Option<u32> {
        let i = self.instruction(row)?;
        let m = i.message.as_ref()?;
        let (Descriptor::Immediate(descriptor), None) = (m.descriptor, &m.wide) else {
            return None;
        };
        let rank = self.accesses.encoding.rank;
        let kind = descriptor >> 14 & 0x1f;
        let has_surface = match m.sfid? {
            Meaning::UGM | Meaning::UGML | Meaning::TGM => {
                let Descriptor::Immediate(extended) = m.extended else {
                    return None;
                };
                let is_fence = descriptor & 0x3f == 31;
                return (descriptor >> 29 & 3 == 3 && !is_fence).then_some(extended >> 24);
            }
            Meaning::DP_DC0 => matches!(kind, 0..=5 | 8..=13),
            Meaning::DP_DC1 => matches!(kind, 1..=14 | 27 | 28),
            Meaning::DP_DCRO => matches!(kind, 0 | 1 | 3),
            Meaning::SAMPLER => rank < 43,
            _ => false,
        };
        has_surface.then_some(descriptor & 0xff)
    }
}

/// The constant that a message to the load/store cache adds to its addresses.
fn cache_offset(rank: u8, kind: u32, m: &Message) -> i64 {
    if rank < 30 {
        return 0;
    }
    let signed = |value: u32, width| sign_extend(value.into(), width).cast_signed();
    match (kind, m.extended) {
        (0, Descriptor::Immediate(value)) => signed(value >> 12, 20),
        (0, Descriptor::Register(_)) => signed(m.offset >> 12, 20),
        (3, Descriptor::Immediate(value)) => signed(value >> 12 & 0xfff, 12),
        _ => 0,
    }
}
