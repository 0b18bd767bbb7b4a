//! The operands of an instruction: SPIR-V, 2.2.1 Instructions, and the grammar.
//!
//! [`walk`] assigns each word of an instruction to an operand. Rows, text and digests of kernels use
//! its [`Piece`]s.

use super::grammar::{self, Grammar, Import, Kind, Operand, Quantity};

/// An operand: its kind, and its words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Piece {
    /// Its kind.
    pub(super) kind: Kind,
    /// The index of its first word; 0 is the opcode's.
    pub(super) at: u16,
    /// Number of words.
    pub(super) len: u16,
    /// The type of a [`Kind::Number`]; `None` if it is unknown.
    pub(super) number: Option<Number>,
}

/// The type of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Number {
    /// Its width in bits.
    pub(super) bits: u32,
    /// Its interpretation.
    pub(super) form: NumberForm,
}

/// The interpretation of a number's bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NumberForm {
    /// An unsigned integer.
    Unsigned,
    /// A signed integer.
    Signed,
    /// A floating-point number of IEEE 754, or with the value of another
    /// [FP encoding](NumberForm::BFLOAT16).
    Float(Option<u32>),
}

impl NumberForm {
    /// BFloat16KHR of FP Encoding.
    pub(super) const BFLOAT16: u32 = 0;
    /// Float8E4M3EXT of FP Encoding.
    pub(super) const FLOAT8_E4M3: u32 = 4214;
    /// Float8E5M2EXT of FP Encoding.
    pub(super) const FLOAT8_E5M2: u32 = 4215;
}

impl Number {
    /// Number of words.
    fn words(self) -> usize {
        usize::try_from(self.bits.div_ceil(32)).unwrap_or(usize::MAX)
    }
}

/// What the operands of an instruction depend on: earlier instructions.
pub(super) trait Definitions {
    /// Returns the number type with an id.
    fn number(&self, id: u32) -> Option<Number>;

    /// Returns the type of a value.
    fn type_of(&self, id: u32) -> Option<u32>;

    /// Returns the extended instruction set with an id.
    fn import(&self, id: u32) -> Option<Import>;
}

/// The reason why an instruction does not match the grammar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Problem {
    /// The opcode is unknown.
    Opcode(u16),
    /// An enumerant or bit is unknown: its kind, and its value.
    Enumerant(Kind, u32),
    /// The extended instruction is unknown.
    Extended(u32),
    /// The id is not that of an imported set.
    Import(u32),
    /// The operation of OpSpecConstantOp is unknown.
    Operation(u32),
    /// The instruction ends before an operand of this kind.
    Missing(Kind),
    /// Text without NUL, or a number with more words than the instruction.
    Truncated(Kind),
    /// The type of a number is unknown.
    Type,
    /// Number of words after the last operand.
    Extra(u16),
}

/// Splits an instruction with these words, the first of which has the opcode, into operands. Words
/// that the grammar does not define form a last operand of kind [`Kind::Words`]. Returns the first
/// problem.
pub(super) fn walk(
    grammar: Option<Grammar>,
    words: &[u32],
    definitions: &impl Definitions,
    out: &mut Vec<Piece>,
) -> Option<Problem> {
    out.clear();
    let mut walk = Walk {
        words,
        at: 1,
        out,
        result_type: None,
        first_id: None,
        problem: None,
        definitions,
    };
    match grammar {
        Some(grammar) => walk.list(grammar.operands),
        None => {
            let first = words.first().map_or(0, |first| first & 0xffff);
            let opcode = u16::try_from(first).unwrap_or(0);
            walk.problem = Some(Problem::Opcode(opcode));
        }
    }
    let left = words.len().saturating_sub(walk.at);
    if left > 0 {
        walk.report(Problem::Extra(u16::try_from(left).unwrap_or(u16::MAX)));
        walk.push(Kind::Words, left);
    }
    walk.problem
}

struct Walk<'a, D> {
    words: &'a [u32],
    at: usize,
    out: &'a mut Vec<Piece>,
    result_type: Option<u32>,
    /// The first id after the result and its type.
    first_id: Option<u32>,
    problem: Option<Problem>,
    definitions: &'a D,
}

impl<D: Definitions> Walk<'_, D> {
    fn word(&self) -> Option<u32> {
        self.words.get(self.at).copied()
    }

    fn report(&mut self, problem: Problem) {
        self.problem.get_or_insert(problem);
    }

    fn push(&mut self, kind: Kind, len: usize) {
        self.push_number(kind, len, None);
    }

    fn push_number(&mut self, kind: Kind, len: usize, number: Option<Number>) {
        let len = len.min(self.words.len().saturating_sub(self.at));
        // An instruction has at most 65535 words.
        let short = |number: usize| u16::try_from(number).unwrap_or(u16::MAX);
        self.out.push(Piece {
            kind,
            at: short(self.at),
            len: short(len),
            number,
        });
        self.at += len;
    }

    fn list(&mut self, list: &[Operand]) {
        for operand in list {
            match operand.quantity {
                Quantity::One if self.at >= self.words.len() => {
                    self.report(Problem::Missing(operand.kind));
                }
                Quantity::One | Quantity::Optional => self.one(operand.kind),
                Quantity::Many => self.many(operand.kind),
            }
        }
    }

    /// Operands of a kind to the end of the instruction: each has at least one word.
    fn many(&mut self, kind: Kind) {
        while self.at < self.words.len() {
            self.one(kind);
        }
    }

    /// Decodes an operand of a kind, and the operands that it adds, if there are words left.
    fn one(&mut self, kind: Kind) {
        let Some(word) = self.word() else {
            return;
        };
        match kind {
            Kind::ResultType => {
                self.result_type = Some(word);
                self.push(kind, 1);
            }
            Kind::Id => {
                self.first_id.get_or_insert(word);
                self.push(kind, 1);
            }
            Kind::Result | Kind::Scope | Kind::Semantics | Kind::Integer | Kind::Float => {
                self.push(kind, 1);
            }
            Kind::Text => {
                let rest = self.words.get(self.at..).unwrap_or(&[]);
                let end = rest.iter().position(|word| word.to_le_bytes().contains(&0));
                if end.is_none() {
                    self.report(Problem::Truncated(kind));
                }
                self.push(kind, end.map_or(rest.len(), |end| end + 1));
            }
            Kind::Number => {
                let number = self.result_type.and_then(|id| self.definitions.number(id));
                let rest = self.words.len() - self.at;
                self.number(number, rest);
            }
            Kind::Extended => self.extended(word),
            Kind::Operation => {
                let operation = u16::try_from(word).ok().and_then(grammar::instruction);
                self.push(kind, 1);
                // It has the operands of the operation, except for the result and its type.
                match operation.and_then(|operation| operation.operands.split_at_checked(2)) {
                    Some(([a, b], rest))
                        if (a.kind, b.kind) == (Kind::ResultType, Kind::Result)
                            && rest.iter().all(|rest| rest.kind != Kind::Operation) =>
                    {
                        self.list(rest);
                    }
                    _ => self.report(Problem::Operation(word)),
                }
            }
            Kind::NumberAndId => {
                let selector = self.first_id.and_then(|id| self.definitions.type_of(id));
                let number = selector.and_then(|id| self.definitions.number(id));
                self.number(number, 1);
                self.required(Kind::Id);
            }
            Kind::IdAndInteger => {
                self.one(Kind::Id);
                self.required(Kind::Integer);
            }
            Kind::Value(_) => {
                self.push(kind, 1);
                match kind.enumerant(word) {
                    Some(found) => self.list(found.operands),
                    None => self.report(Problem::Enumerant(kind, word)),
                }
            }
            Kind::Bits(_) => {
                self.push(kind, 1);
                for (bit, found) in kind.bits(word) {
                    match found {
                        Some(found) => self.list(found.operands),
                        None => self.report(Problem::Enumerant(kind, bit)),
                    }
                }
            }
            Kind::Words => self.push(kind, 1),
        }
    }

    fn required(&mut self, kind: Kind) {
        if self.at < self.words.len() {
            self.one(kind);
        } else {
            self.report(Problem::Missing(kind));
        }
    }

    /// A number of a type; of `len` words, if the type is unknown.
    fn number(&mut self, number: Option<Number>, len: usize) {
        let words = number.map_or(len, Number::words).max(1);
        if number.is_none() {
            self.report(Problem::Type);
        } else if words > self.words.len() - self.at {
            self.report(Problem::Truncated(Kind::Number));
        }
        self.push_number(Kind::Number, words, number);
    }

    fn extended(&mut self, number: u32) {
        self.push(Kind::Extended, 1);
        let set = self.first_id.unwrap_or(0);
        let import = self.definitions.import(set);
        match import.map(|import| (import, import.instruction(number))) {
            Some((_, Some(found))) => return self.list(found.operands),
            Some((import, None)) if import.is_non_semantic() => {}
            Some((_, None)) => self.report(Problem::Extended(number)),
            None => self.report(Problem::Import(set)),
        }
        self.many(Kind::Id);
    }
}
