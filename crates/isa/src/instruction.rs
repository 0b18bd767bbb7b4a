//! A decoded instruction.

use super::encoding::{Kind, Register};
pub use super::message::{Descriptor, Message, WideDescriptor};
use super::tables::{Meaning, Op};

/// A decoded instruction. Each part has the bits of the word that it was read from.
#[derive(Clone, Debug)]
pub struct Instruction {
    /// Its length in bytes: 16, or 8 if it is compacted.
    pub length: u8,
    /// The operation; [`Op::Illegal`] also for invalid words.
    pub op: Op,
    /// Its operands.
    pub kind: Kind,
    /// Whether fields have invalid values.
    pub errors: bool,
    /// Whether the word is invalid on this platform.
    pub invalid: bool,
    /// The execution size and channel offset, if the text shows them.
    pub exec: Option<ChannelRange>,
    /// Whether disabled channels execute, too.
    pub no_mask: bool,
    /// The predicate, which selects channels.
    pub predicate: Option<Predicate>,
    /// The modifier that sets the flag.
    pub modifier: Option<Modifier>,
    /// The flag register: number, subregister.
    pub flag: (u8, u8),
    /// The bits of mask, predicate and flag.
    pub prefix_bits: u128,
    /// The suffix of the operation's name.
    pub subfunction: Subfunction,
    /// The bits of the operation and its subfunction.
    pub op_bits: u128,
    /// The destination.
    pub destination: Option<Operand>,
    /// The sources: the first [`source_count`](Instruction::source_count) are valid.
    pub sources: [Operand; 5],
    /// Number of valid sources.
    pub source_count: usize,
    /// The message of a send.
    pub message: Option<Message>,
    /// The options.
    pub options: Options,
    /// The software scoreboard.
    pub scoreboard: Scoreboard,
}

/// A range of channels.
#[derive(Clone, Copy, Debug)]
pub struct ChannelRange {
    /// The number of channels.
    pub size: u32,
    /// Whether the encoded size is invalid.
    pub invalid: bool,
    /// The first channel; `None` if it is invalid.
    pub offset: Option<Meaning>,
    /// Bits of the word.
    pub bits: u128,
}

/// A predicate.
#[derive(Clone, Copy, Debug)]
pub struct Predicate {
    /// Whether the flag is inverted.
    pub inverse: bool,
    /// How the channels' flags are combined; `Sequential` uses each channel's own.
    pub function: Meaning,
}

/// The modifier that sets a flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Modifier {
    /// A comparison.
    Condition(Meaning),
    /// Early out, of math macros.
    EarlyOut,
}

/// The refinement of an operation.
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
    /// An unknown shared function.
    UnknownSfid,
    /// An unknown function of `sync`.
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

    /// Writes the accumulator.
    pub const ACC_WR_EN: u16 = 1;
    /// Does not switch threads after the instruction.
    pub const ATOMIC: u16 = 1 << 1;
    /// Stops the thread in a debugger.
    pub const BREAKPOINT: u16 = 1 << 2;
    /// Compacted to 8 bytes.
    pub const COMPACTED: u16 = 1 << 3;
    /// Ends the thread.
    pub const EOT: u16 = 1 << 4;
    /// Does not check the destination's dependency.
    pub const NO_DD_CHK: u16 = 1 << 5;
    /// Does not clear the destination's dependency.
    pub const NO_DD_CLR: u16 = 1 << 6;
    /// Does not preempt the thread here.
    pub const NO_PREEMPT: u16 = 1 << 7;
    /// Does not protect the sources of the send.
    pub const NO_SRC_DEP_SET: u16 = 1 << 8;
    /// Switches threads after the instruction.
    pub const SWITCH: u16 = 1 << 9;
    /// Serializes fused execution units.
    pub const SERIALIZE: u16 = 1 << 10;
    /// The extended descriptor contains the surface offset.
    pub const EX_BSO: u16 = 1 << 11;
    /// Coarse pixel shading.
    pub const CPS: u16 = 1 << 12;
    /// Forwards the result.
    pub const FWD: u16 = 1 << 13;

    /// Adds an option: a constant of this type.
    pub fn add(&mut self, option: u16) {
        self.0 |= option;
    }

    /// Returns whether an option is set.
    #[must_use]
    pub fn has(self, option: u16) -> bool {
        self.0 & option != 0
    }
}

/// The dependencies of an instruction.
#[derive(Clone, Copy, Debug, Default)]
pub struct Scoreboard {
    /// The pipe, and the distance in instructions.
    pub distance: Option<(&'static str, u8)>,
    /// The token and its mode.
    pub token: Option<(u8, &'static str)>,
    /// Does not set the accumulator's scoreboard.
    pub no_acc_sb_set: bool,
    /// The bits of the word.
    pub bits: u128,
}

impl Scoreboard {
    /// Returns whether there are no dependencies.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.distance.is_none() && self.token.is_none() && !self.no_acc_sb_set
    }
}

/// A register file or architecture register.
#[derive(Clone, Copy, Debug)]
pub enum RegisterName {
    /// A general register.
    General,
    /// An architecture register.
    Architecture(&'static Register),
    /// Not a register of the platform.
    Unknown,
}

impl RegisterName {
    /// Returns whether it is the null register.
    #[must_use]
    pub fn is_null(self) -> bool {
        matches!(self, RegisterName::Architecture(r) if r.name == "null")
    }

    /// Returns whether it is this architecture register.
    #[must_use]
    pub fn is(self, name: &str) -> bool {
        matches!(self, RegisterName::Architecture(r) if r.name == name)
    }
}

/// A source or destination.
#[derive(Clone, Copy, Debug)]
pub struct Operand {
    /// Its kind.
    pub kind: OperandKind,
    /// Whether the result is saturated.
    pub saturate: bool,
    /// The modifier of a source: negation, absolute value.
    pub modifier: Option<Meaning>,
    /// The region.
    pub region: Region,
    /// The type; `None` if the bits are invalid.
    pub data_type: Option<Meaning>,
    /// Whether the text shows the type.
    pub shows_type: bool,
    /// The bits of the word that it was read from.
    pub bits: u128,
}

/// Kind of an operand.
#[derive(Clone, Copy, Debug)]
pub enum OperandKind {
    /// No operand.
    None,
    /// A register.
    Register {
        /// The register file or register.
        name: RegisterName,
        /// Its number.
        number: u16,
        /// Its subregister.
        sub: u16,
        /// Whether the subregister is shown even if it is 0.
        shows_sub: bool,
    },
    /// A register with the extra bits of a math macro.
    Macro {
        /// The register file or register.
        name: RegisterName,
        /// Its number.
        number: u16,
        /// `mme0` to `mme7`, `nomme`; `None` if invalid.
        extra: Option<Meaning>,
    },
    /// A general register addressed by an address register.
    Indirect {
        /// The subregister of the address register.
        sub: u16,
        /// The offset in bytes.
        offset: i16,
    },
    /// A constant.
    Immediate(u64),
    /// A branch target, in bytes from the instruction.
    Label(i32),
    /// The payload of a message, with its length in registers.
    Payload {
        /// The register file or register.
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
        /// Number of registers, if the instruction specifies it.
        length: Option<u8>,
    },
}

/// The region of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Region {
    /// Not shown.
    Hidden,
    /// Vertical stride, width, horizontal stride.
    Full(Stride, Stride, Stride),
    /// Width, horizontal stride; each channel has its own address.
    Vxh(Stride, Stride),
    /// Vertical and horizontal stride, of ternary operations.
    Ternary(Stride, Stride),
    /// Horizontal stride.
    Horizontal(Stride),
    /// An invalid region.
    Invalid,
}

/// A stride or width; `None` if the bits are invalid.
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

    /// Returns whether it is the null register.
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
