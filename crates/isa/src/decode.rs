//! Decodes instruction words.

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

use super::Platform;
use super::compact::{CopiedFields, Expansions, Origin, expand};
use super::encoding::{Encoding, Kind, Opcode};
use super::instruction::{Instruction, Operand, Options, Scoreboard, Subfunction};
use super::tables::{Field, Meaning, Op, PLATFORMS};
use super::word::{Format, Layout, Leaves, Plan, Plans, Value, Word};

/// Decodes instructions of one platform.
#[derive(Debug)]
pub struct Decoder {
    /// The platform.
    pub platform: Platform,
    /// The encoding of its instructions.
    pub encoding: &'static Encoding,
    /// The operations and their formats, by opcode.
    operations: Vec<Option<Operation>>,
    formats: Vec<Format>,
    pub(super) leaves: &'static Leaves,
    plans: RefCell<Plans>,
    expansions: RefCell<Expansions>,
}

#[derive(Debug)]
pub(super) struct Operation {
    pub opcode: &'static Opcode,
    format: usize,
    /// The layout of the format, specialized for this opcode.
    layout: Box<Layout>,
    /// The bits of the word that decisions depend on.
    pub keys: Word,
    compact: Option<usize>,
    copied: CopiedFields,
}

/// A field read by the decoder, with its bits and value.
#[derive(Clone, Copy, Debug)]
pub struct FieldRead {
    /// The field.
    pub field: Field,
    /// Its value.
    pub value: Value,
    /// The bits of the original word, which may be compact.
    pub bits: u128,
}

/// Error: the word cannot be decoded.
#[derive(Debug)]
pub(super) struct Fatal;

/// Result of reading a field.
pub(super) type Read<T> = Result<T, Fatal>;

thread_local! {
    static DECODERS: [OnceCell<Rc<Decoder>>; Platform::ALL.len()] = const { [const { OnceCell::new() }; Platform::ALL.len()] };
}

impl Decoder {
    /// Returns the decoder of a platform, which all files on this thread share, with what it has
    /// learned about the code.
    #[must_use]
    pub fn of(platform: Platform) -> Rc<Decoder> {
        let make = || Rc::new(Decoder::new(platform));
        DECODERS.with(|all| match all.get(platform as usize) {
            Some(decoder) => Rc::clone(decoder.get_or_init(make)),
            None => make(),
        })
    }

    /// Creates the decoder of a platform.
    #[must_use]
    pub fn new(platform: Platform) -> Decoder {
        let encoding = PLATFORMS.get(platform as usize).unwrap_or(&PLATFORMS[0]);
        let mut formats: Vec<Format> = Vec::new();
        let mut number = |id: u8| {
            let known = formats.iter().position(|f| f.id == id);
            known.unwrap_or_else(|| {
                formats.push(Format::new(id));
                formats.len() - 1
            })
        };
        let leaves = Leaves::get();
        let mut operations: Vec<Option<Operation>> = (0..128).map(|_| None).collect();
        for opcode in encoding.opcodes {
            let format = number(opcode.format);
            let operation = Operation {
                opcode,
                format,
                layout: Box::new([0; Field::ALL.len()]),
                keys: Word::new(0),
                copied: CopiedFields::default(),
                compact: (opcode.compact != 0xff).then(|| number(opcode.compact)),
            };
            if let Some(place) = operations.get_mut(usize::from(opcode.code)) {
                *place = Some(operation);
            }
        }
        for operation in operations.iter_mut().flatten() {
            if let Some(format) = formats.get(operation.format) {
                operation.layout = leaves.specialize(&format.layout, operation.opcode.code);
                operation.keys = leaves.keys(format);
                if let Some(compact) = operation.compact.and_then(|at| formats.get(at)) {
                    operation.copied = CopiedFields::new(leaves, compact, operation.keys);
                }
            }
        }
        Decoder {
            platform,
            encoding,
            operations,
            formats,
            leaves,
            plans: RefCell::default(),
            expansions: RefCell::default(),
        }
    }

    /// Decodes the instruction at the start of the bytes if it ends a block: a branch, or the end
    /// of the thread. Skips decoding for most others.
    #[must_use]
    pub fn decode_end(&self, bytes: &[u8], instruction: &mut Instruction) -> bool {
        let Some(first) = bytes.first() else {
            return false;
        };
        let operation = self.operations.get(usize::from(first & 0x7f));
        let Some(operation) = operation.and_then(Option::as_ref) else {
            return false;
        };
        let kind = operation.opcode.kind;
        let can_end = kind.is_branch() || kind.is_send() && self.has_end(operation, bytes);
        can_end && self.decode_into(bytes, instruction).is_some() && ends_block(instruction)
    }

    /// Returns whether the message ends the thread (EOT). Returns `true` for compacted
    /// instructions, where the bit is not known yet.
    fn has_end(&self, operation: &Operation, bytes: &[u8]) -> bool {
        let Some(word) = bytes.first_chunk::<16>() else {
            return true;
        };
        let word = Word::new(u128::from_le_bytes(*word));
        if word.low & (1 << 29) != 0 {
            return true;
        }
        let end = self.leaves.read(&operation.layout, Field::EOT, word, None);
        end.is_none_or(|end| end.meaning == Some(Meaning::EOT))
    }

    /// Returns whether the instruction with this first byte is a branch.
    #[must_use]
    pub fn is_branch(&self, first: u8) -> bool {
        let operation = self.operations.get(usize::from(first & 0x7f));
        let operation = operation.and_then(Option::as_ref);
        operation.is_some_and(|operation| operation.opcode.kind.is_branch())
    }

    /// Decodes the instruction at the start of the bytes. Returns `None` if they are too short.
    /// Only [`Self::decode_fields`] determines the bits of each part.
    #[must_use]
    pub fn decode(&self, bytes: &[u8]) -> Option<Instruction> {
        let mut instruction = Instruction::default();
        self.decode_into(bytes, &mut instruction)?;
        Some(instruction)
    }

    /// Like [`Self::decode`], but reuses the memory of an instruction. Returns the length.
    pub fn decode_into(&self, bytes: &[u8], instruction: &mut Instruction) -> Option<usize> {
        self.run(bytes, None, instruction)
    }

    /// Decodes an instruction and lists the fields that were read.
    #[must_use]
    pub fn decode_fields(&self, bytes: &[u8]) -> Option<(Instruction, Vec<FieldRead>)> {
        let mut fields = Vec::new();
        let mut instruction = Instruction::default();
        self.run(bytes, Some(&mut fields), &mut instruction)?;
        Some((instruction, fields))
    }

    fn run(
        &self,
        bytes: &[u8],
        fields: Option<&mut Vec<FieldRead>>,
        instruction: &mut Instruction,
    ) -> Option<usize> {
        let low = u64::from_le_bytes(*bytes.first_chunk::<8>()?);
        let compact = low & (1 << 29) != 0;
        let word = if compact {
            u128::from(low)
        } else {
            u128::from_le_bytes(*bytes.first_chunk::<16>()?)
        };
        let length = if compact { 8 } else { 16 };
        let mut origins = Vec::new();
        let detailed = fields.is_some();
        let operation = self.operation(low);
        let (op, kind) = operation.map_or((Op::Illegal, Kind::Nullary), |operation| {
            (operation.opcode.op, operation.opcode.kind)
        });
        instruction.renew(op, kind, length);
        let decoded = operation.and_then(|operation| {
            let origins = detailed.then_some(&mut origins);
            self.decode_word(operation, word, compact, fields, origins, instruction)
        });
        if decoded.is_none() {
            instruction.renew(Op::Illegal, Kind::Nullary, length);
            instruction.invalid = true;
            instruction.errors = true;
            instruction.op_bits = if compact { u64::MAX.into() } else { u128::MAX };
        }
        if compact {
            instruction.options.add(Options::COMPACTED);
            if detailed {
                instruction.translate(&origins);
            }
        }
        Some(usize::from(length))
    }
}

impl Decoder {
    /// Returns the operation of a word. Bit 7 is not part of the opcode, but it is clear in an
    /// illegal instruction.
    pub(super) fn operation(&self, low: u64) -> Option<&Operation> {
        let code = usize::from((low & 0x7f).to_le_bytes()[0]);
        let operation = self.operations.get(code).and_then(Option::as_ref);
        operation.filter(|_| low & 0xff != 0x80)
    }

    /// Expands a compact word of an operation. Returns `None` if it is illegal.
    pub(super) fn native(
        &self,
        operation: &Operation,
        packed: Word,
        origins: Option<&mut Vec<Origin>>,
    ) -> Option<Word> {
        let format = self.formats.get(operation.compact?)?;
        let (leaves, layout) = (self.leaves, &operation.layout);
        // The cache keeps native words, but not where their bits come from.
        if origins.is_some() {
            return expand(leaves, format, layout, packed, None, origins);
        }
        self.expansions.try_borrow_mut().ok()?.expand(
            leaves,
            format,
            layout,
            &operation.copied,
            operation.opcode.code,
            packed,
        )
    }

    /// Decodes the word of a known operation. Returns `None` if it is illegal.
    fn decode_word(
        &self,
        operation: &Operation,
        word: u128,
        compact: bool,
        mut fields: Option<&mut Vec<FieldRead>>,
        mut origins: Option<&mut Vec<Origin>>,
        instruction: &mut Instruction,
    ) -> Option<()> {
        let word = Word::new(word);
        let (native, packed) = if compact {
            let native = self.native(operation, word, origins.as_deref_mut())?;
            (native, Some(word))
        } else {
            (word, None)
        };
        let fields_read = fields.as_deref_mut();
        let decoded = self.decode_native(operation, native, packed, fields_read, instruction);
        if compact && let (Some(fields), Some(origins)) = (fields, origins) {
            for read in fields.iter_mut() {
                read.bits = original(read.bits, origins);
            }
        }
        decoded?.0.ok()
    }

    /// Decodes a native word of a known operation; `packed` is the compact word that it was
    /// expanded from. Lists the fields that were read with their bits in the native word. Also
    /// returns whether fields of the compact word were looked up.
    pub(super) fn decode_native(
        &self,
        operation: &Operation,
        native: Word,
        packed: Option<Word>,
        fields: Option<&mut Vec<FieldRead>>,
        instruction: &mut Instruction,
    ) -> Option<(Read<()>, bool)> {
        let leaves = self.leaves;
        let compact = match packed {
            Some(word) => Some((self.formats.get(operation.compact?)?, word)),
            None => None,
        };
        self.with_plan(operation, native, compact.is_some(), |plan| {
            let mut cx = WordContext {
                encoding: self.encoding,
                rank: self.encoding.rank,
                opcode: operation.opcode,
                leaves,
                plan,
                compact,
                word: plan.clean(native),
                touched: 0,
                detailed: fields.is_some(),
                errors: false,
                reads_packed: false,
                fields,
                instruction,
            };
            let decoded = cx.instruction();
            cx.instruction.errors = cx.errors;
            (decoded, cx.reads_packed)
        })
    }

    /// Calls `f` with the plan of a native word.
    pub(super) fn with_plan<T>(
        &self,
        operation: &Operation,
        native: Word,
        compact: bool,
        f: impl FnOnce(&Plan) -> T,
    ) -> Option<T> {
        let (at, plan) = self.plans.try_borrow_mut().ok()?.take(
            self.leaves,
            self.formats.get(operation.format)?,
            &operation.layout,
            operation.keys,
            operation.opcode.code,
            (native, compact),
        );
        let result = f(&plan);
        self.plans.try_borrow_mut().ok()?.put_back(at, plan);
        Some(result)
    }
}

/// Maps bits of the native word to bits of the compact word.
fn original(native: u128, origins: &[Origin]) -> u128 {
    let from = origins.iter().filter(|o| o.native & native != 0);
    from.fold(0, |bits, o| bits | u128::from(o.compact))
}

impl Default for Instruction {
    /// Returns an illegal word without bytes.
    fn default() -> Instruction {
        Instruction {
            length: 0,
            op: Op::Illegal,
            kind: Kind::Nullary,
            errors: false,
            invalid: false,
            exec: None,
            no_mask: false,
            predicate: None,
            modifier: None,
            flag: (0, 0),
            prefix_bits: 0,
            subfunction: Subfunction::None,
            op_bits: 0x7f,
            destination: None,
            sources: [Operand::NONE; 5],
            source_count: 0,
            message: None,
            options: Options::default(),
            scoreboard: Scoreboard::default(),
        }
    }
}

impl Instruction {
    /// Resets the instruction. Keeps stale sources, but sets their count to 0.
    pub(super) fn renew(&mut self, op: Op, kind: Kind, length: u8) {
        self.length = length;
        self.op = op;
        self.kind = kind;
        self.errors = false;
        self.invalid = false;
        self.exec = None;
        self.no_mask = false;
        self.predicate = None;
        self.modifier = None;
        self.flag = (0, 0);
        self.prefix_bits = 0;
        self.subfunction = Subfunction::None;
        self.op_bits = 0x7f;
        self.destination = None;
        self.source_count = 0;
        self.message = None;
        self.options = Options::default();
        self.scoreboard = Scoreboard::default();
    }

    /// Replaces bits of the native word by their source bits in the compact word.
    fn translate(&mut self, origins: &[Origin]) {
        if self.invalid {
            return;
        }
        let all = [
            &mut self.prefix_bits,
            &mut self.op_bits,
            &mut self.scoreboard.bits,
        ];
        let operands = self.destination.iter_mut().chain(&mut self.sources);
        let operands = operands.map(|o| &mut o.bits);
        let exec = self.exec.iter_mut().map(|e| &mut e.bits);
        for bits in all.into_iter().chain(operands).chain(exec) {
            *bits = original(*bits, origins);
        }
    }
}

/// State while decoding one word.
pub(super) struct WordContext<'a> {
    pub encoding: &'static Encoding,
    pub rank: u8,
    pub opcode: &'static Opcode,
    leaves: &'static Leaves,
    plan: &'a Plan,
    compact: Option<(&'a Format, Word)>,
    word: Word,
    /// The bits that were read since the last [`Self::take_bits`], if they are recorded.
    touched: u128,
    detailed: bool,
    pub errors: bool,
    /// Whether a field was looked up in the compact word.
    reads_packed: bool,
    fields: Option<&'a mut Vec<FieldRead>>,
    pub instruction: &'a mut Instruction,
}

impl WordContext<'_> {
    /// Reads a field, if the instruction has it.
    #[inline]
    pub fn optional(&mut self, field: Field) -> Option<Value> {
        if !self.detailed
            && let Some(value) = self.plan.read(self.leaves, field, self.word)
        {
            self.errors |= value.invalid;
            return Some(value);
        }
        self.read_detailed(field)
    }

    /// Also records its bits, and reads fields that only compact words have.
    #[cold]
    #[inline(never)]
    fn read_detailed(&mut self, field: Field) -> Option<Value> {
        let mut bits = 0;
        let mut value = self
            .plan
            .read_bits(self.leaves, field, self.word, &mut bits);
        if value.is_none()
            && let Some((packed, word)) = self.compact
        {
            self.reads_packed = true;
            value = self.leaves.read(&packed.layout, field, word, None);
        }
        let value = value?;
        self.errors |= value.invalid;
        if self.detailed && bits != 0 {
            self.touched |= bits;
            if let Some(fields) = &mut self.fields
                && !fields.iter().any(|f| f.field == field)
            {
                fields.push(FieldRead { field, value, bits });
            }
        }
        Some(value)
    }

    #[inline(never)]
    pub fn read(&mut self, field: Field) -> Read<Value> {
        self.optional(field).ok_or(Fatal)
    }

    /// Reads a number. Most fields are read here and in [`Self::meaning`], so frequent cases come
    /// first.
    pub fn number(&mut self, field: Field) -> Read<u64> {
        if !self.detailed
            && let Some(leaf) = self.plan.leaf(self.leaves, field)
        {
            if let Some(number) = self.leaves.plain_number(leaf, self.word) {
                return Ok(number);
            }
            if let Some(value) = self.leaves.listed(leaf, self.word) {
                self.errors |= value.invalid;
                return Ok(value.number);
            }
        }
        Ok(self.read(field)?.number)
    }

    pub fn small(&mut self, field: Field) -> Read<u16> {
        Ok(low16(self.number(field)?))
    }

    pub fn meaning(&mut self, field: Field) -> Read<Option<Meaning>> {
        if !self.detailed
            && let Some(leaf) = self.plan.leaf(self.leaves, field)
            && let Some(value) = self.leaves.listed(leaf, self.word)
        {
            self.errors |= value.invalid;
            return Ok(value.meaning);
        }
        Ok(self.read(field)?.meaning)
    }

    pub fn is(&mut self, field: Field, meaning: Meaning) -> Read<bool> {
        Ok(self.meaning(field)? == Some(meaning))
    }

    /// Returns the bits that were read since the last call.
    pub fn take_bits(&mut self) -> u128 {
        std::mem::take(&mut self.touched)
    }

    pub fn has(&self, attribute: u8) -> bool {
        self.opcode.has(attribute)
    }

    pub fn op(&self) -> Op {
        self.opcode.op
    }

    /// Returns whether it is a math macro, whose operands have extra bits.
    pub fn is_macro(&self) -> bool {
        match self.op() {
            Op::Madm => true,
            Op::Math => matches!(
                self.instruction.subfunction,
                Subfunction::Text("invm" | "rsqtm")
            ),
            _ => false,
        }
    }

    pub fn push(&mut self, source: Operand) {
        let at = self.instruction.source_count;
        if let Some(place) = self.instruction.sources.get_mut(at) {
            *place = source;
            self.instruction.source_count = at + 1;
        }
    }

    fn instruction(&mut self) -> Read<()> {
        // First, as in IGA: an unknown subfunction makes the word illegal, whatever the rest is.
        self.subfunction()?;
        self.instruction.op_bits = 0x7f | self.take_bits();
        match self.opcode.kind {
            Kind::Nullary => {}
            Kind::BasicUnaryRegimm | Kind::BasicBinaryRegRegimm | Kind::MathBinaryRegRegimm => {
                self.basic()?;
            }
            Kind::TernaryRegimmRegRegimm => self.ternary()?,
            Kind::QuinarySrc => self.quinary()?,
            Kind::SendUnary | Kind::SendBinary => self.send()?,
            Kind::SyncUnary => self.sync()?,
            _ if self.rank >= 20 => self.branch()?,
            _ => self.branch_before_xe()?,
        }
        // Last: options depend on parts that were read before, such as the surface of a send.
        self.options()?;
        self.scoreboard()
    }
}

/// Returns the low 8 bits.
pub(super) fn low8(value: u64) -> u8 {
    value.to_le_bytes()[0]
}

/// Returns the low 16 bits.
pub(super) fn low16(value: u64) -> u16 {
    let [a, b, ..] = value.to_le_bytes();
    u16::from_le_bytes([a, b])
}

/// Returns the low 32 bits.
pub(super) fn low32(value: u64) -> u32 {
    let [a, b, c, d, ..] = value.to_le_bytes();
    u32::from_le_bytes([a, b, c, d])
}

/// Returns whether the next instruction starts a block of the listing.
fn ends_block(i: &Instruction) -> bool {
    let branch = !matches!(i.kind, Kind::Nullary) && i.kind.is_branch();
    branch || i.options.has(Options::EOT)
}
