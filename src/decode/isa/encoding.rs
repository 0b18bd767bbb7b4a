//! What the tables hold.

use super::tables::{Op, SendOp};

/// How the instructions of a platform are encoded.
#[derive(Debug)]
pub struct Encoding {
    /// Orders the platforms: a later one has a higher rank.
    pub rank: u8,
    /// The bytes of a general register.
    pub grf_bytes: u16,
    /// How many general registers there are.
    pub grf_count: u16,
    /// How the software scoreboard is read; the first rule that fits.
    pub swsb: &'static [SwsbRule],
    /// The architecture registers.
    pub registers: &'static [Register],
    /// The operations.
    pub opcodes: &'static [Opcode],
}

/// An architecture register.
#[derive(Debug)]
pub struct Register {
    /// Its name.
    pub name: &'static str,
    /// Bits 7:4 of its number.
    pub high: u8,
    /// What bits 3:0 count from.
    pub base: u8,
    /// How many there are; 0: one, printed without number.
    pub count: u8,
    /// Whether it has subregisters.
    pub subregisters: bool,
    /// Whether the type scales the number of a subregister.
    pub scaled: bool,
}

/// An operation of a platform.
#[derive(Debug)]
pub struct Opcode {
    /// Bits 6:0 of the word.
    pub code: u8,
    /// The operation.
    pub op: Op,
    /// Its operands.
    pub kind: Kind,
    /// Which optional fields it has: the constants of this type.
    pub attributes: u8,
    /// Its format.
    pub format: u8,
    /// Its compact format; 0xff: none.
    pub compact: u8,
}

impl Opcode {
    /// It can be predicated.
    pub const PREDICATION: u8 = 1;
    /// It can set a flag.
    pub const FLAG_MODIFIER: u8 = 2;
    /// Its result can be saturated.
    pub const SATURATION: u8 = 4;
    /// Its sources can be negated or absolute.
    pub const SOURCE_MODIFIERS: u8 = 8;
    /// It has a branch control.
    pub const BRANCH_CONTROL: u8 = 16;
    /// Its negation is that of bits.
    pub const BITWISE: u8 = 32;

    /// Whether it has an attribute.
    #[must_use]
    pub fn has(&self, attribute: u8) -> bool {
        self.attributes & attribute != 0
    }
}

/// The operands of an operation.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Nullary,
    BasicUnaryRegimm,
    BasicBinaryRegRegimm,
    MathBinaryRegRegimm,
    TernaryRegimmRegRegimm,
    QuinarySrc,
    SendUnary,
    SendBinary,
    SyncUnary,
    JumpUnaryReg,
    JumpUnaryImm,
    JumpUnaryRegimm,
    JumpUnaryCallRegimm,
    JumpBinaryImmImm,
    JumpBinaryBrc,
}

impl Kind {
    /// A branch.
    #[must_use]
    pub fn is_branch(self) -> bool {
        matches!(
            self,
            Kind::JumpUnaryReg
                | Kind::JumpUnaryImm
                | Kind::JumpUnaryRegimm
                | Kind::JumpUnaryCallRegimm
                | Kind::JumpBinaryImmImm
                | Kind::JumpBinaryBrc
        )
    }

    /// A message to a shared function.
    #[must_use]
    pub fn is_send(self) -> bool {
        matches!(self, Kind::SendUnary | Kind::SendBinary)
    }
}

/// A rule for the bits of the software scoreboard.
#[derive(Debug)]
pub struct SwsbRule {
    /// The bits that are compared.
    pub mask: u16,
    /// What they are.
    pub value: u16,
    /// A distance: its pipe for each class of instructions, where it is, and its mask.
    pub distance: Option<([&'static str; 4], u8, u8)>,
    /// A token: how it is waited for, for each class, and its mask.
    pub token: Option<([&'static str; 4], u8)>,
}

/// What a message does.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SendGroup {
    Load,
    Store,
    Atomic,
    Sample,
    Other,
}

/// An operation of a message.
#[derive(Debug)]
pub struct SendOpInfo {
    /// Its short name.
    pub mnemonic: &'static str,
    /// What it does.
    pub text: &'static str,
    /// What kind it is of.
    pub group: SendGroup,
    /// How many arguments an atomic operation has.
    pub arguments: u8,
    /// Whether it selects components.
    pub component_mask: bool,
    /// Whether it gathers from four texels.
    pub gather4: bool,
}

impl SendOp {
    /// What is known of it.
    #[must_use]
    pub fn info(self) -> &'static SendOpInfo {
        static NONE: SendOpInfo = SendOpInfo {
            mnemonic: "?",
            text: "?",
            group: SendGroup::Other,
            arguments: 0,
            component_mask: false,
            gather4: false,
        };
        super::tables::SEND_OPS.get(self as usize).unwrap_or(&NONE)
    }
}

/// A sampler operation.
#[derive(Debug)]
pub struct SamplerOp {
    /// The operation.
    pub op: SendOp,
    /// Its name.
    pub name: &'static str,
    /// Its parameters, for half and for full precision; `none` ends the list.
    pub parameters: &'static [(&'static str, &'static str)],
}
