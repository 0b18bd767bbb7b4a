//! Types of the generated tables.

use super::tables::{Op, SendOp};

/// The encoding of a platform's instructions.
#[derive(Debug)]
pub struct Encoding {
    /// Orders the platforms by age: newer ones have a higher rank.
    pub rank: u8,
    /// The size of a general register in bytes.
    pub grf_bytes: u16,
    /// Number of general registers.
    pub grf_count: u16,
    /// The encoding of the software scoreboard; the first matching rule applies.
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
    /// The first value of bits 3:0 of its number.
    pub base: u8,
    /// Number of such registers; 0 for a single one, printed without number.
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
    /// The set of its optional fields: constants of this type.
    pub attributes: u8,
    /// Its format.
    pub format: u8,
    /// Its compact format; 0xff if it has none.
    pub compact: u8,
}

impl Opcode {
    /// Can be predicated.
    pub const PREDICATION: u8 = 1;
    /// Can set a flag.
    pub const FLAG_MODIFIER: u8 = 2;
    /// Can saturate its result.
    pub const SATURATION: u8 = 4;
    /// Can negate its sources or take their absolute values.
    pub const SOURCE_MODIFIERS: u8 = 8;
    /// Has a branch control.
    pub const BRANCH_CONTROL: u8 = 16;
    /// Negates sources bitwise.
    pub const BITWISE: u8 = 32;

    /// Returns whether it has an attribute.
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
    /// Returns whether it is a branch.
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

    /// Returns whether it is a message to a shared function.
    #[must_use]
    pub fn is_send(self) -> bool {
        matches!(self, Kind::SendUnary | Kind::SendBinary)
    }
}

/// A rule for the bits of the software scoreboard.
#[derive(Debug)]
pub struct SwsbRule {
    /// The compared bits.
    pub mask: u16,
    /// Their values.
    pub value: u16,
    /// A distance: its pipe for each class of instructions, its shift, and its mask.
    pub distance: Option<([&'static str; 4], u8, u8)>,
    /// A token: its wait mode for each class, and its mask.
    pub token: Option<([&'static str; 4], u8)>,
}

/// Kind of a message.
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
    /// Its description.
    pub text: &'static str,
    /// Its kind.
    pub group: SendGroup,
    /// Number of arguments of an atomic operation.
    pub arguments: u8,
    /// Whether it selects components.
    pub component_mask: bool,
    /// Whether it gathers from four texels.
    pub gather4: bool,
}

impl SendOp {
    /// Returns the properties of the operation.
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
