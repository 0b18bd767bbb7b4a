//! Origins of values: bytes of the payload that reach a register through copies, and through
//! messages that load the payload.
//!
//! At the start of a kernel, before Xe-HPG, registers hold the payload of the thread, then the
//! cross-thread payload. Later, r1 holds the first bytes of the cross-thread payload (inline data), and
//! code at the start of the kernel loads the rest from the address in r0, and the payload of the thread
//! behind it. From Xe3P on, the cross-thread payload has its own address in the inline data.

use super::build::{DataFlow, NONE};
use super::footprint::file;
use super::payload::Area;
use super::regset::{Piece, RegisterFile, Unit, file_of, low_bits};
use crate::instruction::{Instruction, Operand, OperandKind, Region};
use crate::operands::type_bits;
use crate::tables::{Meaning, Op};

/// A byte of the payload: its part, and its offset in the part.
type Origin = (Area, u64);

/// The origin of each byte of a register.
pub(super) type Origins = [Option<Origin>; 64];

/// Consecutive bytes of a register that hold consecutive bytes of the payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Run {
    /// The first byte in the register.
    pub first: u32,
    /// Number of bytes.
    pub bytes: u32,
    pub area: Area,
    /// Offset of the first byte in the payload.
    pub offset: u64,
}

/// Maximum number of copies between the payload and a use.
pub(super) const COPIES: u32 = 4;

/// The work of a copy, in steps of the analysis.
const COPY_STEPS: u64 = 32;

/// Splits the origins of a register's bytes into runs.
pub(super) fn runs(origins: &Origins) -> Vec<Run> {
    let mut out: Vec<Run> = Vec::new();
    for (at, origin) in (0_u32..).zip(origins) {
        let Some((area, offset)) = *origin else {
            continue;
        };
        match out.last_mut() {
            Some(run)
                if run.area == area
                    && run.first + run.bytes == at
                    && run.offset + u64::from(run.bytes) == offset =>
            {
                run.bytes += 1;
            }
            _ => out.push(Run {
                first: at,
                bytes: 1,
                area,
                offset,
            }),
        }
    }
    out
}

impl DataFlow {
    /// Returns the bytes of the payload that bytes of a register hold that an instruction reads.
    pub(super) fn origins(&self, row: u32, piece: Piece) -> Origins {
        let mut origins = [None; 64];
        if self.inputs.payload.is_some() {
            self.trace(row, piece, COPIES, &mut origins);
        }
        origins
    }

    /// Adds the origins of bytes that an instruction reads. Ignores bytes with several producers.
    fn trace(&self, row: u32, piece: Piece, copies: u32, to: &mut Origins) {
        let mut found: Vec<(u32, u64)> = Vec::new();
        self.each_definition(row, piece, &mut |from, mask| {
            found.push((from, mask));
            true
        });
        let (mut once, mut twice) = (0, 0);
        for (_, mask) in &found {
            // A byte with two producers may have either value.
            twice |= once & mask;
            once |= mask;
        }
        for (from, mask) in found {
            let mask = mask & piece.mask & !twice;
            let unit = piece.unit;
            if mask == 0 {
                continue;
            }
            if from == NONE {
                each_bit(mask, |at| set(to, at, self.input_byte(unit, at)));
                continue;
            }
            // A predicated copy may leave the old value.
            let Some(record) = self.row(from).filter(|record| record.guard.flags == 0) else {
                continue;
            };
            if record.is_send {
                // The address of a load is being computed, and asking for another load would
                // recurse.
                if self.in_load.get() {
                    continue;
                }
                if let Some(loaded) = self.loaded(from) {
                    each_bit(mask, |at| set(to, at, loaded.origin(self.at(unit, at))));
                }
            } else if record.op == Op::Mov && copies > 0 {
                self.trace_copy(from, Piece { unit, mask }, copies - 1, to);
            }
        }
    }

    /// Adds the origins of bytes that a `mov` copies.
    fn trace_copy(&self, row: u32, piece: Piece, copies: u32, to: &mut Origins) {
        if !self.spend(COPY_STEPS) {
            return;
        }
        let Some(copy) = self.instruction(row).and_then(|i| self.copy(&i)) else {
            return;
        };
        // The bytes by source register.
        let mut sources: Vec<(Unit, Vec<(u32, u32)>)> = Vec::new();
        each_bit(piece.mask, |at| {
            let Some((unit, source)) = copy.source(self.at(piece.unit, at)).and_then(|byte| {
                let size = u32::from(self.sizes().bytes(copy.source_file));
                let number = u16::try_from(byte / size).ok()?;
                Some((copy.source_file.units().0 + number, byte % size))
            }) else {
                return;
            };
            match sources.iter_mut().find(|(of, _)| *of == unit) {
                Some((_, bytes)) => bytes.push((at, source)),
                None => sources.push((unit, vec![(at, source)])),
            }
        });
        for (unit, bytes) in sources {
            let mask = bytes.iter().fold(0, |mask, (_, source)| mask | 1 << source);
            let mut origins = [None; 64];
            self.trace(row, Piece { unit, mask }, copies, &mut origins);
            for (at, source) in bytes {
                set(to, at, get(&origins, source));
            }
        }
    }

    /// The offset of a byte in its register file.
    pub(super) fn at(&self, unit: Unit, byte: u32) -> u32 {
        let (file, number) = file_of(unit);
        u32::from(number) * u32::from(self.sizes().bytes(file)) + byte
    }

    /// Whether it is known which registers hold the payload at the start of the code.
    pub(super) fn has_payload_layout(&self) -> bool {
        let payload = self.inputs.payload.as_ref();
        // The hardware writes ids to registers that nothing states.
        payload.is_some_and(|payload| {
            !payload.generates_ids
                && (self.accesses.encoding.rank >= 22 || payload.inline_bytes == 0)
        })
    }

    /// The byte of the payload that a byte of a register holds at the start of the kernel.
    pub(super) fn input_byte(&self, unit: Unit, byte: u32) -> Option<Origin> {
        let payload = self.inputs.payload.as_ref()?;
        let (file, number) = file_of(unit);
        // r0 has the header of the thread.
        if file != RegisterFile::General || number == 0 {
            return None;
        }
        let size = u64::from(self.sizes().general);
        let at = u64::from(number - 1) * size + u64::from(byte);
        if self.accesses.encoding.rank >= 22 {
            // Only code at the start of the kernel loads ids, unless the hardware generates them.
            let is_inline = at < payload.inline_bytes && !payload.generates_ids;
            return is_inline.then_some((Area::CrossThread, at));
        }
        // Not possible on these devices: the layout of the registers is unknown then.
        if payload.inline_bytes != 0 || payload.generates_ids {
            return None;
        }
        let ids = payload.per_thread_bytes.next_multiple_of(size);
        Some(match at.checked_sub(ids) {
            Some(at) => (Area::CrossThread, at),
            None => (Area::PerThread, at),
        })
    }

    /// Whether an instruction copies bytes to a register whose value is read.
    pub(super) fn is_copy(&self, row: u32) -> bool {
        let is_mov = self.row(row).is_some_and(|record| record.op == Op::Mov);
        let is_copy = || {
            self.instruction(row)
                .is_some_and(|i| self.copy(&i).is_some())
        };
        is_mov && is_copy()
    }

    /// A `mov` that copies bytes without a change, or the lower bytes of integers.
    fn copy(&self, i: &Instruction) -> Option<Copy> {
        let destination = i.destination.as_ref()?;
        let source = i.sources.first().filter(|_| i.source_count == 1)?;
        if i.op != Op::Mov
            || i.predicate.is_some()
            || i.modifier.is_some()
            || destination.saturate
            || source.modifier.is_some()
        {
            return None;
        }
        let (to, of) = (destination.data_type?, source.data_type?);
        let (to_bytes, of_bytes) = (type_bits(to)? / 8, type_bits(of)? / 8);
        let is_copied = if is_integer(to) && is_integer(of) {
            // The lower bytes of an integer are unchanged; widening adds bytes of another origin.
            to_bytes <= of_bytes
        } else {
            to == of
        };
        if !is_copied || to_bytes == 0 {
            return None;
        }
        let exec = i.exec.map_or(1, |exec| exec.size).clamp(1, 32);
        let stride = match destination.region {
            Region::Horizontal(Some(stride)) => u32::from(stride),
            _ => 1,
        };
        let (vertical, width, horizontal) = self.accesses.rows(i, source.region, exec);
        let (_, start) = self.start_of(destination)?;
        let (source_file, source_start) = self.start_of(source)?;
        Some(Copy {
            start,
            bytes: to_bytes,
            step: stride.max(1) * to_bytes,
            exec,
            source_file,
            source_start,
            source_bytes: of_bytes,
            rows: (vertical, width.max(1), horizontal),
        })
    }

    /// The register file of an operand and the offset of its first byte in it.
    pub(super) fn start_of(&self, operand: &Operand) -> Option<(RegisterFile, u32)> {
        let OperandKind::Register {
            name, number, sub, ..
        } = operand.kind
        else {
            return None;
        };
        let file = file(name)?;
        let bytes = operand.data_type.and_then(type_bits)? / 8;
        let start = u32::from(number) * u32::from(self.sizes().bytes(file));
        Some((file, start + u32::from(sub) * bytes))
    }

    /// The register of an offset in a register file, and `bytes` bytes in it from there on. Returns
    /// `None` if they are in two registers.
    pub(super) fn piece_at(&self, file: RegisterFile, at: u32, bytes: u32) -> Option<Piece> {
        let size = u32::from(self.sizes().bytes(file));
        let first = at % size;
        let number = u16::try_from(at / size).ok()?;
        (first + bytes <= size && number < file.units().1).then(|| Piece {
            unit: file.units().0 + number,
            mask: low_bits(bytes) << first,
        })
    }
}

/// A copy of elements.
struct Copy {
    /// Offset of the first byte of the destination in its file.
    start: u32,
    /// Bytes of an element of the destination.
    bytes: u32,
    /// Distance of the elements of the destination.
    step: u32,
    exec: u32,
    source_file: RegisterFile,
    source_start: u32,
    source_bytes: u32,
    /// The region of the source.
    rows: (u32, u32, u32),
}

impl Copy {
    /// The byte of the source that is copied to a byte of the destination.
    fn source(&self, byte: u32) -> Option<u32> {
        let at = byte.checked_sub(self.start)?;
        let (element, within) = (at / self.step, at % self.step);
        if element >= self.exec || within >= self.bytes {
            return None;
        }
        let (vertical, width, horizontal) = self.rows;
        let element = element / width * vertical + element % width * horizontal;
        Some(self.source_start + element * self.source_bytes + within)
    }
}

/// Whether values of the type are integers.
fn is_integer(data_type: Meaning) -> bool {
    matches!(
        data_type,
        Meaning::ub
            | Meaning::b
            | Meaning::uw
            | Meaning::w
            | Meaning::ud
            | Meaning::d
            | Meaning::uq
            | Meaning::q
    )
}

/// Calls `f` with the positions of the bits that are set.
pub(super) fn each_bit(mut mask: u64, mut f: impl FnMut(u32)) {
    while mask != 0 {
        f(mask.trailing_zeros());
        mask &= mask - 1;
    }
}

fn set(to: &mut Origins, at: u32, origin: Option<Origin>) {
    let place = usize::try_from(at).ok().and_then(|at| to.get_mut(at));
    if let Some(place) = place {
        *place = origin;
    }
}

fn get(origins: &Origins, at: u32) -> Option<Origin> {
    origins.get(usize::try_from(at).ok()?).copied().flatten()
}
