//! A decoded instruction.

use super::encoding::{Kind, Register};
use super::tables::{Meaning, Op};

/// An instruction, decoded. Every part has the bits of the word that it was read from.
#[derive(Clone, Debug)]
pub struct Instruction {
    /// Its bytes: 16, or 8 if it is compacted.
    pub length: u8,
    /// The operation; [`Op::Illegal`] also for what is none.
    pub op: Op,
    /// Its operands.
    pub kind: Kind,
    /// Fields have values without meaning.
    pub errors: bool,
    /// The word is none of this platform.
    pub invalid: bool,
    /// Whether the text shows the execution size.
    pub exec: Option<ChannelRange>,
    /// Whether channels that are off take part.
    pub no_mask: bool,
    /// The channels that take part.
    pub predicate: Option<Predicate>,
    /// What sets the flag.
    pub modifier: Option<Modifier>,
    /// The flag register: number, subregister.
    pub flag: (u8, u8),
    /// The bits of mask, predicate and flag.
    pub prefix_bits: u128,
    /// What follows the operation's name.
    pub subfunction: Subfunction,
    /// The bits of the operation and its subfunction.
    pub op_bits: u128,
    /// Where the result goes.
    pub destination: Option<Operand>,
    /// What it is made of: the first [`source_count`](Instruction::source_count).
    pub sources: [Operand; 5],
    /// How many sources there are. Those behind mean nothing.
    pub source_count: usize,
    /// The message of a send.
    pub message: Option<Message>,
    /// The options.
    pub options: Options,
    /// The software scoreboard.
    pub scoreboard: Scoreboard,
}

/// How many channels, from which.
#[derive(Clone, Copy, Debug)]
pub struct ChannelRange {
    /// The number of channels.
    pub size: u32,
    /// The encoded value has no meaning.
    pub invalid: bool,
    /// The first channel; `None` if that has no meaning.
    pub offset: Option<Meaning>,
    /// Bits of the word.
    pub bits: u128,
}

/// A predicate.
#[derive(Clone, Copy, Debug)]
pub struct Predicate {
    /// The flag is inverted.
    pub inverse: bool,
    /// How the channels' flags are combined; `Sequential`: each its own.
    pub function: Meaning,
}

/// What an instruction does to a flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Modifier {
    /// A comparison.
    Condition(Meaning),
    /// Early out, of math macros.
    EarlyOut,
}

/// What refines an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subfunction {
    /// Nothing.
    None,
    /// A name.
    Text(&'static str),
    /// The function of `bfn`, by number.
    Bfn(u8),
    /// Systolic depth and repeat count.
    Dpas(u8, u8),
    /// A shared function without name.
    UnknownSfid,
    /// A function of `sync` without name.
    UnknownSync,
    /// Downscaling: from, to, mode, rounding.
    Dnscl(&'static str, &'static str, u8, &'static str),
    /// The branch control is set.
    Branch,
}

/// A set of options.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options(pub u16);

impl Options {
    /// The names, in the order of the text.
    pub const NAMES: [&str; 14] = [
        "AccWrEn",
        "Atomic",
        "Breakpoint",
        "Compacted",
        "EOT",
        "NoDDChk",
        "NoDDClr",
        "NoPreempt",
        "NoSrcDepSet",
        "Switch",
        "Serialize",
        "ExBSO",
        "CPS",
        "Fwd",
    ];

    /// Accumulators are written.
    pub const ACC_WR_EN: u16 = 1;
    /// The thread is not switched after it.
    pub const ATOMIC: u16 = 1 << 1;
    /// The thread stops here in a debugger.
    pub const BREAKPOINT: u16 = 1 << 2;
    /// It has 8 bytes.
    pub const COMPACTED: u16 = 1 << 3;
    /// It ends the thread.
    pub const EOT: u16 = 1 << 4;
    /// The destination's dependency is not checked.
    pub const NO_DD_CHK: u16 = 1 << 5;
    /// The destination's dependency is not cleared.
    pub const NO_DD_CLR: u16 = 1 << 6;
    /// The thread is not preempted here.
    pub const NO_PREEMPT: u16 = 1 << 7;
    /// The sources of the send are not protected.
    pub const NO_SRC_DEP_SET: u16 = 1 << 8;
    /// The thread is switched after it.
    pub const SWITCH: u16 = 1 << 9;
    /// Fused execution units take turns.
    pub const SERIALIZE: u16 = 1 << 10;
    /// The surface's offset is in the extended descriptor.
    pub const EX_BSO: u16 = 1 << 11;
    /// Coarse pixel shading.
    pub const CPS: u16 = 1 << 12;
    /// The result is forwarded.
    pub const FWD: u16 = 1 << 13;

    /// Adds one: a constant of this type.
    pub fn add(&mut self, option: u16) {
        self.0 |= option;
    }

    /// Whether one is set.
    #[must_use]
    pub fn has(self, option: u16) -> bool {
        self.0 & option != 0
    }
}

/// What an instruction waits for, and how others wait for it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Scoreboard {
    /// The pipe and how many instructions back.
    pub distance: Option<(&'static str, u8)>,
    /// The token, and how it is used.
    pub token: Option<(u8, &'static str)>,
    /// The accumulator is not set.
    pub no_acc_sb_set: bool,
    /// The bits of the word.
    pub bits: u128,
}

impl Scoreboard {
    /// Whether there is anything.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.distance.is_none() && self.token.is_none() && !self.no_acc_sb_set
    }
}

/// A register file, or which architecture register.
#[derive(Clone, Copy, Debug)]
pub enum RegisterName {
    /// A general register.
    General,
    /// An architecture register.
    Architecture(&'static Register),
    /// None that the platform has.
    Unknown,
}

impl RegisterName {
    /// Whether it is the null register.
    #[must_use]
    pub fn is_null(self) -> bool {
        matches!(self, RegisterName::Architecture(r) if r.name == "null")
    }

    /// Whether it is this architecture register.
    #[must_use]
    pub fn is(self, name: &str) -> bool {
        matches!(self, RegisterName::Architecture(r) if r.name == name)
    }
}

/// A source or destination.
#[derive(Clone, Copy, Debug)]
pub struct Operand {
    /// What it is.
    pub kind: OperandKind,
    /// The result is saturated.
    pub saturate: bool,
    /// The sign of a source.
    pub modifier: Option<Meaning>,
    /// The region.
    pub region: Region,
    /// The type, or `None` if the bits say none.
    pub data_type: Option<Meaning>,
    /// The text shows the type.
    pub shows_type: bool,
    /// The bits of the word that it was read from.
    pub bits: u128,
}

/// What an operand is.
#[derive(Clone, Copy, Debug)]
pub enum OperandKind {
    /// Nothing.
    None,
    /// A register.
    Register {
        /// Which.
        name: RegisterName,
        /// Its number.
        number: u16,
        /// Its subregister.
        sub: u16,
        /// The subregister is shown even if it is 0.
        shows_sub: bool,
    },
    /// A register with the extra bits of a math macro.
    Macro {
        /// Which.
        name: RegisterName,
        /// Its number.
        number: u16,
        /// `mme0` to `mme7`, `nomme`; or no meaning.
        extra: Option<Meaning>,
    },
    /// A general register whose number is in an address register.
    Indirect {
        /// The subregister of the address register.
        sub: u16,
        /// What is added, in bytes.
        offset: i16,
    },
    /// A constant.
    Immediate(u64),
    /// A place in the code, in bytes from the instruction.
    Label(i32),
    /// The payload of a message, with its length in registers.
    Payload {
        /// Which.
        name: RegisterName,
        /// Its number.
        number: u16,
        /// Its length.
        length: Option<u8>,
    },
    /// Registers whose numbers are in the scalar register.
    Gather {
        /// The number of the scalar register.
        number: u16,
        /// Its subregister.
        sub: u16,
        /// How many there are, where that is part of the instruction.
        length: Option<u8>,
    },
}

/// How an operand steps through its register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Region {
    /// Not shown.
    Hidden,
    /// Vertical stride, width, horizontal stride.
    Full(Stride, Stride, Stride),
    /// Width, horizontal stride; each channel has its address.
    Vxh(Stride, Stride),
    /// Vertical and horizontal stride, of ternary operations.
    Ternary(Stride, Stride),
    /// Horizontal stride.
    Horizontal(Stride),
    /// No such region.
    Invalid,
}

/// A stride or width; `None` if the bits stand for none.
pub type Stride = Option<u8>;

impl Operand {
    /// No operand.
    pub const NONE: Operand = Operand {
        kind: OperandKind::None,
        saturate: false,
        modifier: None,
        region: Region::Hidden,
        data_type: None,
        shows_type: true,
        bits: 0,
    };

    /// Whether it is the null register.
    #[must_use]
    pub fn is_null(&self) -> bool {
        match self.kind {
            OperandKind::Register { name, .. }
            | OperandKind::Macro { name, .. }
            | OperandKind::Payload { name, .. } => name.is_null(),
            _ => false,
        }
    }
}

/// A descriptor of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Descriptor {
    /// Its value.
    Immediate(u32),
    /// The subregister of the address register that holds it.
    Register(u16),
}

/// A message to a shared function.
#[derive(Clone, Copy, Debug)]
pub struct Message {
    /// The shared function, if it has a name.
    pub sfid: Option<Meaning>,
    /// What is asked.
    pub descriptor: Descriptor,
    /// The bits of the descriptor.
    pub descriptor_bits: u128,
    /// More of what is asked.
    pub extended: Descriptor,
    /// The bits of the extended descriptor.
    pub extended_bits: u128,
    /// What is added to the address, beside an extended descriptor in a register.
    pub offset: u32,
    /// The registers of the payloads and of the answer, if the word says.
    pub lengths: [Option<u8>; 3],
    /// The descriptor of 64 bits and the subregisters of its parts in registers.
    pub wide: Option<WideDescriptor>,
}

/// A descriptor of 64 bits.
#[derive(Clone, Copy, Debug)]
pub struct WideDescriptor {
    /// Its value.
    pub value: u64,
    /// The subregisters of the scalar register with further descriptors.
    pub indirect: [Option<u16>; 2],
    /// The bits of the word of the value and of the two.
    pub bits: [u128; 3],
}
