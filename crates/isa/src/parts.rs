//! Parts of all kinds of instructions: subfunction, mask, predicate, flag, execution size, options
//! and the software scoreboard.

use super::decode::{Fatal, Read, WordContext, low8, low16};
use super::encoding::{Encoding, Kind, Opcode};
use super::instruction::{ChannelRange, Modifier, Options, Predicate, Scoreboard, Subfunction};
use super::message::sfid_text;
use super::tables::{Field, Meaning, Op};

impl WordContext<'_> {
    pub fn subfunction(&mut self) -> Read<()> {
        let before = self.errors;
        self.instruction.subfunction = match self.op() {
            Op::If | Op::Else | Op::Goto => {
                if self.has(Opcode::BRANCH_CONTROL)
                    && self.is(Field::BranchCtrl, Meaning::Branch)?
                {
                    Subfunction::Branch
                } else {
                    Subfunction::None
                }
            }
            Op::Math => {
                let function = self.meaning(Field::MathFC)?.ok_or(Fatal)?;
                Subfunction::Text(math(function).0)
            }
            Op::Bfn => Subfunction::Bfn(low8(self.number(Field::BfnFC)?)),
            Op::Dpas | Op::Dpasw => Subfunction::Dpas(
                low8(self.number(Field::SystolicDepth)?),
                low8(self.number(Field::RepeatCount)?),
            ),
            Op::Bdpas => Subfunction::Text("8x8"),
            Op::Sync => {
                let function = self.meaning(Field::SyncFC)?.ok_or(Fatal)?;
                const KNOWN: [&str; 7] = ["nop", "allrd", "allwr", "bar", "host", "fence", "flush"];
                match KNOWN.iter().find(|n| **n == function.name()) {
                    Some(name) => Subfunction::Text(name),
                    None => Subfunction::UnknownSync,
                }
            }
            Op::Send | Op::Sendc if self.rank >= 20 => self.shared_function()?,
            Op::Sendg | Op::Sendgc | Op::Sendgx | Op::Sendgxc => self.shared_function()?,
            Op::Shfl => match self.meaning(Field::ShuffleFC)? {
                Some(Meaning::idx4) => Subfunction::Text("idx4"),
                _ => return Err(Fatal),
            },
            Op::Lfsr => match self.meaning(Field::LfsrFC)? {
                Some(function @ (Meaning::b32 | Meaning::b16v2 | Meaning::b8v4)) => {
                    Subfunction::Text(function.name())
                }
                _ => return Err(Fatal),
            },
            Op::Dnscl => {
                let from = match self.meaning(Field::ConvSrcDataType2)? {
                    Some(Meaning::HF) => "hf",
                    Some(Meaning::BF) => "bf",
                    Some(Meaning::F32) => "f",
                    _ => return Err(Fatal),
                };
                let to = self.meaning(Field::ConvDstDataType)?.ok_or(Fatal)?;
                let mode = low8(self.read(Field::DnsclMode)?.number);
                let rounding = self.meaning(Field::RoundingMode)?.ok_or(Fatal)?;
                Subfunction::Dnscl(from, to.name(), mode, rounding.name())
            }
            _ => Subfunction::None,
        };
        // Elsewhere, decoding goes on after an invalid value.
        if self.errors && !before {
            Err(Fatal)
        } else {
            Ok(())
        }
    }

    fn shared_function(&mut self) -> Read<Subfunction> {
        let sfid = self.meaning(Field::SFID)?.ok_or(Fatal)?;
        Ok(match sfid_text(sfid) {
            "" => Subfunction::UnknownSfid,
            text => Subfunction::Text(text),
        })
    }

    /// Reads the mask, predicate, flag and execution size.
    pub fn prefix(&mut self, immediate_over_modifier: bool) -> Read<()> {
        let predicated = self.has(Opcode::PREDICATION);
        let mut function = None;
        if predicated {
            // The swizzles of Align16 are no predicates for the assembler.
            function = self.meaning(Field::PredCtrl)?.filter(|m| {
                !matches!(
                    m,
                    Meaning::Normal | Meaning::x | Meaning::y | Meaning::z | Meaning::w
                )
            });
        }
        let mut modifier = None;
        if self.has(Opcode::FLAG_MODIFIER) && !immediate_over_modifier {
            let condition = self.meaning(Field::CondModifier)?;
            modifier = condition
                .filter(|m| *m != Meaning::Normal)
                .map(Modifier::Condition);
        } else if self.op() == Op::Math && self.is_macro() {
            modifier = Some(Modifier::EarlyOut);
        }
        let used = function.is_some() || modifier.is_some();
        let mut inverse = false;
        // Before Xe-HPC, the assembler reads the bit also without a predicate.
        if if self.rank >= 24 { used } else { predicated } {
            inverse = self.is(Field::PredInv, Meaning::Invert)?;
        }
        if used {
            self.instruction.flag = (
                low8(self.number(Field::FlagRegNum)?),
                low8(self.number(Field::FlagSubRegNum)?),
            );
        }
        self.instruction.predicate = function.map(|function| Predicate { inverse, function });
        self.instruction.modifier = modifier;
        self.instruction.no_mask = self.is(Field::MaskCtrl, Meaning::NoMask)?;
        self.instruction.prefix_bits = self.take_bits();
        let size = self.read(Field::ExecSize)?;
        let offset = match self.op() {
            Op::Jmpi => Some(Meaning::M0),
            _ => self.meaning(Field::ChannelOffset)?,
        };
        let bits = self.take_bits();
        self.instruction.exec = Some(ChannelRange {
            size: u32::from(low16(size.number)),
            invalid: size.invalid,
            offset,
            bits,
        });
        Ok(())
    }

    pub fn options(&mut self) -> Read<()> {
        let op = self.op();
        let send = self.opcode.kind.is_send();
        let nullary = self.opcode.kind == Kind::Nullary;
        let branch = self.opcode.kind.is_branch();
        let mut options = self.instruction.options;
        if self.rank <= 22
            && !branch
            && !send
            && !nullary
            && self.is(Field::AccWrCtrl, Meaning::AccWrEn)?
        {
            options.add(Options::ACC_WR_EN);
        }
        if op != Op::Illegal && self.is(Field::DebugCtrl, Meaning::Breakpoint)? {
            options.add(Options::BREAKPOINT);
        }
        if send && self.is(Field::EOT, Meaning::EOT)? {
            options.add(Options::EOT);
        }
        if matches!(op, Op::Dpas | Op::Bdpas)
            && self.rank >= 43
            && self.number(Field::FwdCtrl)? != 0
        {
            options.add(Options::FWD);
        }
        if self.rank < 20 && !send && !nullary {
            match self.meaning(Field::DepCtrl)? {
                Some(Meaning::NoDDClr) => options.add(Options::NO_DD_CLR),
                Some(Meaning::NoDDChk) => options.add(Options::NO_DD_CHK),
                Some(Meaning::NoDDClr_NoDDChk) => {
                    options.add(Options::NO_DD_CLR);
                    options.add(Options::NO_DD_CHK);
                }
                _ => {}
            }
        }
        if !nullary && (!send || self.rank <= 30) {
            match self.meaning(Field::ThreadCtrl)? {
                Some(Meaning::Atomic) => options.add(Options::ATOMIC),
                Some(Meaning::Switch) => options.add(Options::SWITCH),
                Some(Meaning::NoPreempt) => options.add(Options::NO_PREEMPT),
                _ => {}
            }
        }
        if send && self.rank < 20 && self.is(Field::NoSrcDepSet, Meaning::NoSrcDepSet)? {
            options.add(Options::NO_SRC_DEP_SET);
        }
        self.take_bits();
        self.instruction.options = options;
        Ok(())
    }

    pub fn scoreboard(&mut self) -> Read<()> {
        if self.rank < 20 || self.op() == Op::Illegal {
            return Ok(());
        }
        let value = self.small(Field::SWSB)?;
        let bits = self.take_bits();
        match Scoreboard::new(self.encoding, self.op(), self.opcode.kind, value) {
            Some(scoreboard) => self.instruction.scoreboard = Scoreboard { bits, ..scoreboard },
            None => self.errors = true,
        }
        Ok(())
    }
}

impl Scoreboard {
    /// Decodes the bits of the software scoreboard. Returns `None` if they are invalid.
    pub(super) fn new(encoding: &Encoding, op: Op, kind: Kind, value: u16) -> Option<Scoreboard> {
        let class = match op {
            _ if kind.is_send() => 0,
            Op::Math => 1,
            Op::Dpas | Op::Dpasw | Op::Bdpas => 2,
            _ => 3,
        };
        let mut rules = encoding.swsb.iter();
        let rule = rules.find(|rule| value & rule.mask == rule.value)?;
        let mut scoreboard = Scoreboard::default();
        if let Some((pipes, shift, mask)) = &rule.distance {
            let distance = low8((value >> u32::from(*shift)).into()) & mask;
            // A distance of 0 without a token stands for no wait, and is not printed.
            if distance != 0 || rule.token.is_some() {
                let pipe = pipes.get(class).copied().unwrap_or_default();
                scoreboard.distance = Some((pipe, distance));
            }
        }
        if let Some((uses, mask)) = &rule.token {
            let wait = uses.get(class).copied().unwrap_or_default();
            scoreboard.token = Some((low8(value.into()) & mask, wait));
        }
        // The only rule without both is the one for it.
        scoreboard.no_acc_sb_set = rule.distance.is_none() && rule.token.is_none();
        Some(scoreboard)
    }

    /// Returns whether the instruction waits for others.
    pub(super) fn waits(&self) -> bool {
        self.distance.is_some() || self.token.is_some_and(|(_, wait)| !wait.is_empty())
    }
}

/// Returns the name of a `math` function and its number of sources.
pub(super) fn math(function: Meaning) -> (&'static str, u8) {
    match function {
        Meaning::INV => ("inv", 1),
        Meaning::LOG => ("log", 1),
        Meaning::EXP => ("exp", 1),
        Meaning::SQRT => ("sqt", 1),
        Meaning::RSQ => ("rsqt", 1),
        Meaning::SIN => ("sin", 1),
        Meaning::COS => ("cos", 1),
        Meaning::FDIV => ("fdiv", 2),
        Meaning::POW => ("pow", 2),
        Meaning::INT_DIV_BOTH => ("idiv", 2),
        Meaning::INT_DIV_QUOTIENT => ("iqot", 2),
        Meaning::INT_DIV_REMAINDER => ("irem", 2),
        Meaning::INVM => ("invm", 2),
        Meaning::RSQRTM => ("rsqtm", 1),
        Meaning::TANH => ("tanh", 1),
        Meaning::SIGM => ("sigm", 1),
        _ => ("?", 1),
    }
}
