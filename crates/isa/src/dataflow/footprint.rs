//! The registers that an instruction reads and writes.

use super::payloads::{Payload, Payloads};
use super::regset::{ByteSet, Pieces, RegisterFile, Sizes};
use crate::encoding::Encoding;
use crate::instruction::{
    Descriptor, Instruction, Message, Modifier, Operand, OperandKind, Options, Region,
    RegisterName, Stride, Subfunction,
};
use crate::operands::type_bits;
use crate::tables::{Meaning, Op};

/// The part of an instruction that an access belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// The destination.
    Destination,
    /// An accumulator that the operation writes implicitly.
    ImplicitWrite,
    /// The flag that a condition modifier sets.
    FlagWrite,
    /// A source, by number.
    Source(u8),
    /// The registers that a gather message sends; source 0 holds their numbers.
    Gathered,
    /// A message descriptor in an address or scalar register.
    Descriptor,
    /// The address register of an indirect destination.
    DestinationAddress,
    /// An accumulator or flag that the operation reads implicitly.
    ImplicitRead,
    /// The flag of the predicate.
    Predicate,
}

impl Role {
    /// Whether the access writes.
    #[must_use]
    pub fn writes(self) -> bool {
        matches!(
            self,
            Role::Destination | Role::ImplicitWrite | Role::FlagWrite
        )
    }

    /// The name for display: `destination`, `source 1`, `predicate`.
    #[must_use]
    pub fn name(self) -> String {
        match self {
            Role::Destination => "destination".to_owned(),
            Role::ImplicitWrite => "implicit destination".to_owned(),
            Role::FlagWrite => "flag".to_owned(),
            Role::Source(number) => format!("source {number}"),
            Role::Gathered => "gathered".to_owned(),
            Role::Descriptor => "descriptor".to_owned(),
            Role::DestinationAddress => "destination address".to_owned(),
            Role::ImplicitRead => "implicit source".to_owned(),
            Role::Predicate => "predicate".to_owned(),
        }
    }
}

/// How precisely the registers of an access are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Certainty {
    /// The word determines them.
    Exact,
    /// The length is in a register. Uses the assembler's assumption: 8 registers for
    /// destination and source 1, 4 for source 0.
    Assumed,
    /// The numbers are in a register: the set is empty.
    Unknown,
}

impl Certainty {
    /// The name: `exact`, `assumed`, `unknown`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Certainty::Exact => "exact",
            Certainty::Assumed => "assumed",
            Certainty::Unknown => "unknown",
        }
    }
}

/// Registers that a part of an instruction reads or writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// The part.
    pub role: Role,
    /// The bytes.
    pub bytes: ByteSet,
    /// How well they are known.
    pub certainty: Certainty,
}

/// The registers that an instruction reads and writes. A write counts all channels of the execution
/// size, with or without `(W)`; a predicate narrows nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Footprint {
    /// The accesses with a register, in the order of the instruction's parts.
    pub accesses: Vec<Access>,
}

impl Footprint {
    /// The footprint of an instruction without context: the registers of a gather message are unknown.
    #[must_use]
    pub fn of(encoding: &'static Encoding, instruction: &Instruction) -> Footprint {
        Accesses::new(encoding).footprint(instruction, None)
    }

    /// The accesses that write.
    pub fn writes(&self) -> impl Iterator<Item = &Access> {
        self.accesses.iter().filter(|access| access.role.writes())
    }

    /// The accesses that read.
    pub fn reads(&self) -> impl Iterator<Item = &Access> {
        self.accesses.iter().filter(|access| !access.role.writes())
    }
}

/// Receives an access.
pub(super) type Sink<'a> = &'a mut dyn FnMut(Role, Certainty, &Pieces);

/// A region: vertical stride, width, horizontal stride, in elements.
pub(super) type Rows = (u32, u32, u32);

/// Each channel has its own element, in consecutive order.
const PACKED: Rows = (1, 1, 0);

/// Bits that a call writes and a return reads: the address to return to, and the mask of the channels
/// that called, a dword each.
const LINK_BITS: u32 = 64;

/// Finds the accesses of instructions of one platform.
#[derive(Clone, Copy, Debug)]
pub(super) struct Accesses {
    pub encoding: &'static Encoding,
    pub sizes: Sizes,
}

impl Accesses {
    pub fn new(encoding: &'static Encoding) -> Accesses {
        Accesses {
            encoding,
            sizes: Sizes::of(encoding),
        }
    }

    /// The footprint of an instruction. `gathered` has the numbers of the registers that a gather
    /// message sends, if they are known.
    pub fn footprint(&self, i: &Instruction, gathered: Option<&[u8]>) -> Footprint {
        let mut footprint = Footprint::default();
        self.visit(i, gathered, &mut |role, certainty, pieces| {
            // An unknown set is empty, too, but readers have to see that something is accessed.
            if !pieces.0.is_empty() || certainty == Certainty::Unknown {
                footprint.accesses.push(Access {
                    role,
                    bytes: ByteSet::new(pieces.0.clone(), self.sizes),
                    certainty,
                });
            }
        });
        footprint
    }

    /// Calls `sink` with each access of an instruction.
    pub fn visit(&self, i: &Instruction, gathered: Option<&[u8]>, sink: Sink<'_>) {
        if i.invalid {
            return;
        }
        let mut pieces = Pieces::default();
        // Damaged words have execution sizes that do not exist.
        let exec = i.exec.map_or(1, |exec| exec.size).clamp(1, 32);
        if let Some(message) = &i.message {
            self.message(i, message, exec, gathered, &mut pieces, sink);
        } else {
            self.destination(i, exec, &mut pieces, sink);
            let sources = i.sources.get(..i.source_count).unwrap_or_default();
            for (at, source) in (0_u8..).zip(sources) {
                pieces.0.clear();
                let certainty = self.source(i, at, source, exec, &mut pieces);
                sink(Role::Source(at), certainty, &pieces);
            }
            self.accumulator(i, exec, &mut pieces, sink);
        }
        self.flag(i, exec, &mut pieces, sink);
    }

    fn destination(&self, i: &Instruction, exec: u32, pieces: &mut Pieces, sink: Sink<'_>) {
        let Some(destination) = &i.destination else {
            return;
        };
        pieces.0.clear();
        let bits = destination.data_type.and_then(type_bits).unwrap_or(32);
        match destination.kind {
            OperandKind::Register {
                name, number, sub, ..
            } => {
                let Some(file) = file(name) else { return };
                let start = self.start(file, number) + u32::from(sub) * bits;
                if let Some(matrix) = Matrix::of(i, exec) {
                    self.add(file, start, matrix.rows(bits), pieces);
                } else {
                    let stride = match destination.region {
                        Region::Horizontal(Some(stride)) => u32::from(stride),
                        _ => 1,
                    };
                    // The product has 64 bits, of which `mach` reads the upper half.
                    let wide = file == RegisterFile::Accumulator
                        && i.op == Op::Mul
                        && matches!(destination.data_type, Some(Meaning::d | Meaning::ud));
                    let bits = if wide { 64 } else { bits };
                    let start = if wide {
                        self.start(file, number) + u32::from(sub) * bits
                    } else {
                        start
                    };
                    // A call writes the address that it returns to and the mask of its channels,
                    // whatever the execution size. The assembler counts a dword for each channel.
                    if matches!(i.op, Op::Call | Op::Calla) {
                        return self.link(file, start, pieces, sink);
                    }
                    self.region(file, start, (stride, 1, 0), exec, bits, pieces);
                    if i.op == Op::Mullh {
                        // The other half of the product is in the next registers.
                        let size = u32::from(self.sizes.bytes(file)) * 8;
                        let start = start + (exec * stride * bits).next_multiple_of(size);
                        self.region(file, start, (stride, 1, 0), exec, bits, pieces);
                    }
                }
            }
            OperandKind::Macro { name, number, .. } => {
                let Some(file) = file(name) else { return };
                let start = self.start(file, number);
                self.region(file, start, PACKED, exec, bits, pieces);
            }
            OperandKind::Indirect { sub, .. } => {
                self.address(sub, 1, pieces);
                sink(Role::DestinationAddress, Certainty::Exact, pieces);
                pieces.0.clear();
                sink(Role::Destination, Certainty::Unknown, pieces);
                return;
            }
            _ => return,
        }
        sink(Role::Destination, Certainty::Exact, pieces);
    }

    /// The address that a call returns to, and the mask of its channels.
    fn link(&self, file: RegisterFile, start: u32, pieces: &mut Pieces, sink: Sink<'_>) {
        self.add(file, start, LINK_BITS, pieces);
        sink(Role::Destination, Certainty::Exact, pieces);
    }

    /// Number of bits that a branch reads from a register source, if its execution size does not
    /// determine it.
    fn branch_bits(&self, op: Op) -> Option<u32> {
        match op {
            Op::Ret if self.encoding.rank >= 20 => Some(LINK_BITS),
            // From Xe3P on, addresses of code have 64 bits.
            Op::Call | Op::Calla if self.encoding.rank >= 43 => Some(64),
            Op::Call | Op::Calla if self.encoding.rank >= 20 => Some(32),
            _ => None,
        }
    }

    /// Adds the registers of a source.
    fn source(
        &self,
        i: &Instruction,
        at: u8,
        source: &Operand,
        exec: u32,
        pieces: &mut Pieces,
    ) -> Certainty {
        let bits = source.data_type.and_then(type_bits).unwrap_or(32);
        match source.kind {
            OperandKind::Register {
                name, number, sub, ..
            } => {
                let Some(file) = file(name) else {
                    return Certainty::Exact;
                };
                let start = self.start(file, number) + u32::from(sub) * bits;
                if let Some(bits) = self.branch_bits(i.op) {
                    self.add(file, start, bits, pieces);
                    return Certainty::Exact;
                }
                match Matrix::of(i, exec) {
                    Some(matrix) => self.matrix(&matrix, at, file, start, bits, pieces),
                    None => {
                        let rows = self.rows(i, source.region, exec);
                        self.region(file, start, rows, exec, bits, pieces);
                    }
                }
            }
            OperandKind::Macro { name, number, .. } => {
                if let Some(file) = file(name) {
                    let start = self.start(file, number);
                    self.region(file, start, PACKED, exec, bits, pieces);
                }
            }
            OperandKind::Indirect { sub, .. } => {
                // VxH has one address register per row.
                let addresses = match source.region {
                    Region::Vxh(width, _) => exec / u32::from(width.unwrap_or(1)).max(1),
                    _ => 1,
                };
                self.address(sub, addresses.max(1), pieces);
                return Certainty::Unknown;
            }
            _ => {}
        }
        Certainty::Exact
    }

    /// The region of a source that is a register.
    pub fn rows(&self, i: &Instruction, region: Region, exec: u32) -> Rows {
        let stride = |stride: Stride| u32::from(stride.unwrap_or(0));
        let is_known = |strides: &[Stride]| strides.iter().all(Option::is_some);
        match region {
            Region::Full(v, w, h) if is_known(&[v, w, h]) => (stride(v), stride(w), stride(h)),
            Region::Ternary(v, h) if is_known(&[v, h]) => match (stride(v), stride(h)) {
                (0, 0) => (0, 1, 0),
                // Ternary regions have no width: IGA derives it from the strides (`RegSet.cpp`).
                (v, 0) => (v, v, 0),
                (0, h) => (0, 1, h),
                (v, h) => (v, (v / h).max(1), h),
            },
            Region::Horizontal(Some(h)) => (h.into(), 1, 0),
            Region::Hidden if i.kind.is_branch() && i.op != Op::Jmpi => {
                if self.encoding.rank >= 20 {
                    PACKED
                } else {
                    (0, 2.min(exec), 1)
                }
            }
            Region::Hidden => (0, 1, 0),
            _ => PACKED,
        }
    }

    /// Adds the registers of a source of a systolic multiplication.
    fn matrix(
        &self,
        matrix: &Matrix,
        at: u8,
        file: RegisterFile,
        start: u32,
        bits: u32,
        pieces: &mut Pieces,
    ) {
        match at {
            0 => self.add(file, start, matrix.rows(bits), pieces),
            1 => {
                let length = matrix.exec * bits * matrix.operations * matrix.depth;
                self.add(file, start, length, pieces);
            }
            2 => {
                for repeat in 0..matrix.repeat {
                    let start = start + repeat * matrix.operations * bits * 8;
                    let length = matrix.depth * matrix.operations * bits;
                    self.add(file, start, length, pieces);
                }
            }
            // The scales of `bdpas`: a byte for each channel or row.
            _ => self.add(file, start, matrix.exec * 8, pieces),
        }
    }

    /// The accumulators that an operation reads and writes implicitly.
    fn accumulator(&self, i: &Instruction, exec: u32, pieces: &mut Pieces, sink: Sink<'_>) {
        let both = matches!(i.op, Op::Mach | Op::Macl | Op::Subb);
        let writes = both || i.op == Op::Addc || i.options.has(Options::ACC_WR_EN);
        let reads = both || i.op == Op::Mac;
        if !writes && !reads {
            return;
        }
        let data_type = i.destination.and_then(|destination| destination.data_type);
        // These work on 64-bit products, whatever the type of the destination.
        let bits = match i.op {
            Op::Mach | Op::Macl => 64,
            _ => data_type.and_then(type_bits).unwrap_or(32),
        };
        pieces.0.clear();
        self.region(RegisterFile::Accumulator, 0, PACKED, exec, bits, pieces);
        if writes {
            sink(Role::ImplicitWrite, Certainty::Exact, pieces);
        }
        if reads {
            sink(Role::ImplicitRead, Certainty::Exact, pieces);
        }
    }

    /// The flag bits of the channels.
    fn flag(&self, i: &Instruction, exec: u32, pieces: &mut Pieces, sink: Sink<'_>) {
        if i.predicate.is_none() && i.modifier.is_none() {
            return;
        }
        let channel = i.exec.and_then(|exec| exec.offset).map_or(0, channel);
        let (number, sub) = i.flag;
        let start = u32::from(number) * 32 + u32::from(sub) * 16 + channel;
        pieces.0.clear();
        // Bytes are the unit of the analysis: fewer than 8 channels count as 8.
        let length = (exec / 8).max(1);
        pieces.add(self.sizes, RegisterFile::Flag, start / 8, length);
        if i.predicate.is_some() {
            let role = match i.op {
                Op::Sel => Role::ImplicitRead,
                _ => Role::Predicate,
            };
            sink(role, Certainty::Exact, pieces);
        }
        // The modifier of `sel` chooses: it compares, but sets no flag.
        let sets = match i.modifier {
            Some(Modifier::Condition(_)) => i.op != Op::Sel,
            Some(Modifier::EarlyOut) => true,
            None => false,
        };
        if sets {
            sink(Role::FlagWrite, Certainty::Exact, pieces);
        }
    }

    fn message(
        &self,
        i: &Instruction,
        message: &Message,
        exec: u32,
        gathered: Option<&[u8]>,
        pieces: &mut Pieces,
        sink: Sink<'_>,
    ) {
        let payloads = Payloads::of(self.encoding.rank, self.sizes, message, exec);
        if let Some(destination) = &i.destination {
            pieces.0.clear();
            let certainty = self.payload(destination, payloads.answer, pieces);
            if certainty == Certainty::Unknown {
                sink(Role::DestinationAddress, Certainty::Exact, pieces);
                pieces.0.clear();
            }
            sink(Role::Destination, certainty, pieces);
        }
        let sources = i.sources.get(..i.source_count).unwrap_or_default();
        for ((at, source), payload) in (0_u8..).zip(sources).zip(payloads.sources) {
            pieces.0.clear();
            if let OperandKind::Gather { sub, length, .. } = source.kind {
                let length = length.or(message.lengths[0]);
                let (length, certainty) = match length {
                    Some(length) => (length, Certainty::Exact),
                    None => (4, Certainty::Assumed),
                };
                let start = u32::from(sub);
                pieces.add(self.sizes, RegisterFile::Scalar, start, length.into());
                sink(Role::Source(at), certainty, pieces);
                pieces.0.clear();
                let Some(gathered) = gathered else {
                    sink(Role::Gathered, Certainty::Unknown, pieces);
                    continue;
                };
                for number in gathered {
                    let start = self.start(RegisterFile::General, (*number).into());
                    let size = u32::from(self.sizes.general);
                    pieces.add(self.sizes, RegisterFile::General, start / 8, size);
                }
                sink(Role::Gathered, Certainty::Exact, pieces);
                continue;
            }
            let certainty = self.payload(source, payload, pieces);
            sink(Role::Source(at), certainty, pieces);
        }
        pieces.0.clear();
        match &message.wide {
            Some(wide) => {
                for sub in wide.indirect.into_iter().flatten() {
                    pieces.add(self.sizes, RegisterFile::Scalar, sub.into(), 8);
                }
            }
            None => {
                for descriptor in [message.descriptor, message.extended] {
                    if let Descriptor::Register(sub) = descriptor {
                        let start = u32::from(sub) * 2;
                        pieces.add(self.sizes, RegisterFile::Address, start, 4);
                    }
                }
            }
        }
        if !pieces.0.is_empty() {
            sink(Role::Descriptor, Certainty::Exact, pieces);
        }
    }

    /// Adds the registers of a payload.
    fn payload(&self, operand: &Operand, payload: Payload, pieces: &mut Pieces) -> Certainty {
        let (name, number) = match operand.kind {
            OperandKind::Register { name, number, .. }
            | OperandKind::Payload { name, number, .. }
            | OperandKind::Macro { name, number, .. } => (name, number),
            OperandKind::Indirect { sub, .. } => {
                self.address(sub, 1, pieces);
                return Certainty::Unknown;
            }
            _ => return Certainty::Exact,
        };
        // `null`: nothing is sent or returned.
        if !matches!(name, RegisterName::General) {
            return Certainty::Exact;
        }
        let size = u32::from(self.sizes.general);
        let start = u32::from(number) * size;
        match payload {
            Payload::Registers(count) => {
                pieces.add(self.sizes, RegisterFile::General, start, count * size);
            }
            Payload::Assumed(count) => {
                pieces.add(self.sizes, RegisterFile::General, start, count * size);
                return Certainty::Assumed;
            }
            Payload::Elements { count, bytes } => {
                let step = bytes.next_multiple_of(size);
                // Damaged descriptors have more elements than there are registers.
                for at in 0..count.min(64) {
                    let start = start + at * step;
                    pieces.add(self.sizes, RegisterFile::General, start, bytes);
                }
            }
        }
        Certainty::Exact
    }

    /// Adds address registers of 16 bits.
    fn address(&self, sub: u16, count: u32, pieces: &mut Pieces) {
        let start = u32::from(sub) * 2;
        pieces.add(self.sizes, RegisterFile::Address, start, count * 2);
    }

    /// The first bit of a register in its file.
    fn start(&self, file: RegisterFile, number: u16) -> u32 {
        u32::from(number) * u32::from(self.sizes.bytes(file)) * 8
    }

    /// Adds bits, rounded outward to bytes.
    fn add(&self, file: RegisterFile, start: u32, bits: u32, pieces: &mut Pieces) {
        pieces.add(self.sizes, file, start / 8, (bits / 8).max(1));
    }

    /// Adds the elements of a region, one per channel.
    fn region(
        &self,
        file: RegisterFile,
        start: u32,
        (vertical, width, horizontal): Rows,
        exec: u32,
        bits: u32,
        pieces: &mut Pieces,
    ) {
        let width = width.max(1);
        let rows = (exec / width).max(1);
        let is_row_packed = width == 1 || horizontal == 1;
        // Most regions are contiguous. One range is far cheaper than up to 32 elements.
        if is_row_packed && (rows == 1 || vertical == width) && bits >= 8 {
            return self.add(file, start, rows * width * bits, pieces);
        }
        for row in 0..rows {
            let start = start + row * vertical * bits;
            for at in 0..width {
                self.add(file, start + at * horizontal * bits, bits, pieces);
            }
            // All rows are the same.
            if vertical == 0 {
                return;
            }
        }
    }
}

/// The shape of a systolic multiplication.
struct Matrix {
    exec: u32,
    depth: u32,
    repeat: u32,
    /// Multiplications of a channel at each level.
    operations: u32,
}

impl Matrix {
    fn of(i: &Instruction, exec: u32) -> Option<Matrix> {
        let (depth, repeat) = match (i.op, i.subfunction) {
            (Op::Dpas | Op::Dpasw, Subfunction::Dpas(depth, repeat)) => (depth, repeat),
            (Op::Bdpas, _) => (8, 8),
            _ => return None,
        };
        let bits = |at: usize| {
            let source = i.sources.get(at)?;
            source.data_type.and_then(type_bits)
        };
        // 32 bits of operations per channel, by the wider source. Types below a byte count as
        // bytes, as in IGA.
        let widest = bits(1).unwrap_or(8).max(bits(2).unwrap_or(8)).max(8);
        Some(Matrix {
            exec,
            depth: depth.min(8).into(),
            repeat: repeat.min(8).into(),
            operations: (32 / widest).max(1),
        })
    }

    /// Bits of the result or of the accumulated source.
    fn rows(&self, bits: u32) -> u32 {
        self.exec * bits * self.repeat
    }
}

/// The tracked file of a register.
pub(super) fn file(name: RegisterName) -> Option<RegisterFile> {
    match name {
        RegisterName::General => Some(RegisterFile::General),
        RegisterName::Architecture(register) => match register.name {
            "a" => Some(RegisterFile::Address),
            "acc" => Some(RegisterFile::Accumulator),
            "f" => Some(RegisterFile::Flag),
            "s" => Some(RegisterFile::Scalar),
            _ => None,
        },
        RegisterName::Unknown => None,
    }
}

/// The first channel of an instruction: 8 for `M8`.
pub(super) fn channel(offset: Meaning) -> u32 {
    let number = offset.name().strip_prefix('M');
    number.and_then(|number| number.parse().ok()).unwrap_or(0)
}
