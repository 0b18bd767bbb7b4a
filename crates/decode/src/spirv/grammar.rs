//! The SPIR-V grammar of Khronos: instructions with their operands, enumerants, and extended
//! instruction sets. The tables are generated (`cargo xtask spirv-tables`).

use super::tables::{ENUMERATIONS, GENERATORS, INSTRUCTIONS, SETS};

/// An instruction: of the core grammar, or of an extended set.
#[derive(Debug, PartialEq)]
pub(super) struct Instruction {
    /// Its opcode, or its number in its set.
    pub(super) opcode: u16,
    /// Its name, without `Op`.
    pub(super) name: &'static str,
    /// Its operands, in order.
    pub(super) operands: &'static [Operand],
}

/// An instruction of the grammar.
pub(super) type Grammar = &'static Instruction;

/// An operand of the grammar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Operand {
    /// What its words are.
    pub(super) kind: Kind,
    /// The number of times that it occurs.
    pub(super) quantity: Quantity,
}

/// Number of times that an operand occurs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quantity {
    /// Once.
    One,
    /// Once, or not at all.
    Optional,
    /// Any number of times, to the end of the instruction.
    Many,
}

/// The kind of an operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    /// The id of the result's type.
    ResultType,
    /// The id of the result.
    Result,
    /// Another id.
    Id,
    /// The id of a scope.
    Scope,
    /// The id of memory semantics.
    Semantics,
    /// An unsigned 32-bit number.
    Integer,
    /// A 32-bit floating-point number.
    Float,
    /// UTF-8 text that ends with the word that contains the NUL.
    Text,
    /// A number of the type of the result, or of the selector of OpSwitch.
    Number,
    /// The number of an extended instruction, whose operands follow.
    Extended,
    /// The opcode of OpSpecConstantOp, whose operands follow.
    Operation,
    /// A number of the type of OpSwitch's selector, and an id.
    NumberAndId,
    /// An id, and an unsigned 32-bit number.
    IdAndInteger,
    /// An enumerant of an enumeration, by index.
    Value(u8),
    /// Bits of an enumeration, by index.
    Bits(u8),
    /// Words that the grammar does not define.
    Words,
}

/// The names of numbers, or of bits.
#[derive(Debug)]
pub(super) struct Enumeration {
    /// Its title in the specification.
    pub(super) title: &'static str,
    /// Its enumerants, by value.
    pub(super) values: &'static [Enumerant],
}

/// A named number or bit.
#[derive(Debug)]
pub(super) struct Enumerant {
    /// Its value.
    pub(super) value: u32,
    /// Its name.
    pub(super) name: &'static str,
    /// The operands that it adds.
    pub(super) operands: &'static [Operand],
}

/// An extended instruction set.
#[derive(Debug)]
pub(super) struct Set {
    /// The name by which modules import it, or its beginning.
    pub(super) name: &'static str,
    /// Whether a version follows the name.
    pub(super) is_prefix: bool,
    /// Whether `spirv-dis` writes the names of its instructions rather than numbers.
    pub(super) is_named: bool,
    /// Its instructions, by number.
    pub(super) instructions: &'static [Instruction],
}

/// The beginning of the names of sets whose instructions have only ids as operands and may be
/// skipped.
const NON_SEMANTIC: &str = "NonSemantic.";

impl Set {
    /// Returns the instruction with a number.
    pub(super) fn instruction(&self, number: u32) -> Option<Grammar> {
        find(self.instructions, u16::try_from(number).ok()?)
    }
}

/// An imported extended instruction set.
#[derive(Debug, Clone, Copy)]
pub(super) enum Import {
    /// A set of the grammar.
    Known(&'static Set),
    /// Another non-semantic set: its instructions have ids as operands.
    NonSemantic,
    /// Another set.
    Unknown,
}

impl Import {
    /// Returns the set with a name.
    pub(super) fn named(name: &str) -> Import {
        let known = SETS.iter().find(|set| {
            if set.is_prefix {
                name.starts_with(set.name)
            } else {
                name == set.name
            }
        });
        match known {
            Some(set) => Import::Known(set),
            None if name.starts_with(NON_SEMANTIC) => Import::NonSemantic,
            None => Import::Unknown,
        }
    }

    /// Returns the instruction with a number, if the grammar has it.
    pub(super) fn instruction(self, number: u32) -> Option<Grammar> {
        match self {
            Import::Known(set) => set.instruction(number),
            Import::NonSemantic | Import::Unknown => None,
        }
    }

    /// Whether `spirv-dis` writes names of instructions rather than numbers.
    pub(super) fn is_named(self) -> bool {
        matches!(self, Import::Known(set) if set.is_named)
    }

    /// Whether instructions that the grammar does not have can be decoded: they have ids as operands.
    pub(super) fn is_non_semantic(self) -> bool {
        match self {
            Import::Known(set) => set.name.starts_with(NON_SEMANTIC),
            Import::NonSemantic => true,
            Import::Unknown => false,
        }
    }
}

/// Returns the instruction of an opcode.
pub(super) fn instruction(opcode: u16) -> Option<Grammar> {
    find(&INSTRUCTIONS, opcode)
}

fn find(all: &'static [Instruction], opcode: u16) -> Option<Grammar> {
    let at = all.binary_search_by_key(&opcode, |instruction| instruction.opcode);
    all.get(at.ok()?)
}

/// Returns the name of a registered generator.
pub(super) fn generator(tool: u16) -> Option<&'static str> {
    let at = GENERATORS.binary_search_by_key(&tool, |(number, _)| *number);
    GENERATORS.get(at.ok()?).map(|(_, name)| *name)
}

impl Kind {
    /// Returns the enumeration of the core grammar with a title.
    pub(super) fn titled(title: &str) -> Option<Kind> {
        let at = ENUMERATIONS.iter().position(|of| of.title == title)?;
        Some(Kind::Value(u8::try_from(at).ok()?))
    }

    /// Returns its enumeration, if it has named values or bits.
    pub(super) fn enumeration(self) -> Option<&'static Enumeration> {
        match self {
            Kind::Value(at) | Kind::Bits(at) => ENUMERATIONS.get(usize::from(at)),
            _ => None,
        }
    }

    /// Returns the enumerant with a value.
    pub(super) fn enumerant(self, value: u32) -> Option<&'static Enumerant> {
        let all = self.enumeration()?.values;
        let at = all.binary_search_by_key(&value, |enumerant| enumerant.value);
        all.get(at.ok()?)
    }

    /// Returns the enumerants of the bits in a word, in the order of the bits.
    pub(super) fn bits(self, word: u32) -> impl Iterator<Item = (u32, Option<&'static Enumerant>)> {
        let bits = (0..32).map(move |at| word & (1 << at));
        bits.filter(|bit| *bit != 0)
            .map(move |bit| (bit, self.enumerant(bit)))
    }

    /// Whether its word is an id.
    pub(super) fn is_id(self) -> bool {
        match self {
            Kind::ResultType | Kind::Result | Kind::Id | Kind::Scope | Kind::Semantics => true,
            Kind::Integer
            | Kind::Float
            | Kind::Text
            | Kind::Number
            | Kind::Extended
            | Kind::Operation
            | Kind::NumberAndId
            | Kind::IdAndInteger
            | Kind::Value(_)
            | Kind::Bits(_)
            | Kind::Words => false,
        }
    }

    /// Returns the name of an operand.
    pub(super) fn title(self) -> &'static str {
        match self {
            Kind::ResultType => "Result Type",
            Kind::Result => "Result",
            Kind::Id | Kind::NumberAndId | Kind::IdAndInteger => "Id",
            Kind::Scope => "Scope",
            Kind::Semantics => "Memory Semantics",
            Kind::Integer | Kind::Float | Kind::Text | Kind::Number => "Literal",
            Kind::Extended => "Instruction",
            Kind::Operation => "Opcode",
            Kind::Value(_) | Kind::Bits(_) => self.enumeration().map_or("", |of| of.title),
            Kind::Words => "words",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(title: &str) -> Kind {
        Kind::titled(title).unwrap()
    }

    #[test]
    fn names_match_the_specification() {
        let one = |title, word| kind(title).enumerant(word).map(|found| found.name);
        assert_eq!(one("Capability", 6), Some("Kernel"));
        assert_eq!(one("Dim", 1), Some("2D"));
        assert_eq!(one("Source Language", 4), Some("OpenCL_CPP"));
        assert_eq!(one("Storage Class", 0x7777_7777), None);
        let bits = kind("FP Fast Math Mode").bits(0x8005);
        let bits: Vec<_> = bits
            .map(|(bit, found)| (bit, found.map(|found| found.name)))
            .collect();
        assert_eq!(
            bits,
            [(1, Some("NotNaN")), (4, Some("NSZ")), (0x8000, None)]
        );
        assert_eq!(instruction(21).map(|found| found.name), Some("TypeInt"));
        assert_eq!(instruction(0xfff0), None);
        let name = |set, number| Import::named(set).instruction(number).map(|of| of.name);
        assert_eq!(name("OpenCL.std", 0), Some("acos"));
        assert_eq!(name("OpenCL.std", 99_999), None);
        assert_eq!(name("NonSemantic.ClspvReflection.5", 1), Some("Kernel"));
        assert_eq!(generator(6), Some("Khronos LLVM/SPIR-V Translator"));
    }

    #[test]
    fn tables_are_sorted() {
        let is_sorted = |all: &[Instruction]| all.is_sorted_by(|a, b| a.opcode < b.opcode);
        assert!(is_sorted(&INSTRUCTIONS));
        assert!(SETS.iter().all(|set| is_sorted(set.instructions)));
        for of in &ENUMERATIONS {
            assert!(
                of.values.is_sorted_by(|a, b| a.value < b.value),
                "{}",
                of.title
            );
        }
        assert!(GENERATORS.is_sorted_by(|a, b| a.0 < b.0));
    }
}
