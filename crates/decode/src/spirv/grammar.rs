//! The SPIR-V grammar of Khronos, from rspirv: instructions with their operands, and the names of
//! enumerants.

use std::sync::OnceLock;

use rspirv::dr;
use rspirv::grammar::{INSTRUCTION_TABLE, Instruction, LogicalOperand, OperandKind};
use rspirv::spirv;
use zeview_core::model::sort;

/// An instruction of the grammar.
pub(super) type Grammar = &'static Instruction<'static>;

/// Returns the instruction of an opcode. Sorts the table once, as rspirv searches it linearly.
pub(super) fn instruction(opcode: u16) -> Option<Grammar> {
    static SORTED: OnceLock<Vec<(u32, Grammar)>> = OnceLock::new();
    let sorted = SORTED.get_or_init(|| {
        let all = INSTRUCTION_TABLE.iter();
        let mut all: Vec<(u32, Grammar)> = all.map(|i| (i.opcode as u32, i)).collect();
        sort::by_key(&mut all, |(opcode, _)| *opcode);
        all
    });
    let at = sorted.binary_search_by_key(&u32::from(opcode), |(opcode, _)| *opcode);
    sorted.get(at.ok()?).map(|(_, grammar)| *grammar)
}

/// Returns the name of an instruction of an extended set.
pub(super) fn extended(set: &str, number: u32) -> Option<&'static str> {
    let table = rspirv::grammar::ext_inst_table(set)?;
    table.lookup_opcode(number).map(|found| found.opname)
}

/// The names in a word: of its number, or of its bits.
#[derive(Debug, PartialEq)]
pub(super) enum NamedValues {
    /// The name of the number, if it has one.
    One(Option<String>),
    /// The names of the bits, and the unnamed bits.
    Bits(Vec<String>, u32),
}

/// Returns the names in a word by its kind, and the operands that it adds; `None` if words of this
/// kind have no names.
pub(super) fn named(kind: OperandKind, word: u32) -> Option<(NamedValues, Vec<LogicalOperand>)> {
    macro_rules! named {
        (one: $($one:ident)*; bits: $($bits:ident)*) => {
            match kind {
                $(OperandKind::$one => {
                    let value = spirv::$one::from_u32(word);
                    let name = value.map(|value| enumerant(&format!("{value:?}")));
                    let more = value.map(|value| dr::Operand::$one(value).additional_operands());
                    Some((NamedValues::One(name), more.unwrap_or_default()))
                })*
                $(OperandKind::$bits => {
                    let (mut names, mut more, mut rest) = (Vec::new(), Vec::new(), word);
                    // The operands are in the order of their bits.
                    for bit in (0..32).map(|i| word & (1 << i)).filter(|bit| *bit != 0) {
                        let Some(flag) = spirv::$bits::from_bits(bit) else { continue };
                        let Some((name, _)) = flag.iter_names().next() else { continue };
                        names.push(camel(name));
                        more.extend(dr::Operand::$bits(flag).additional_operands());
                        rest &= !bit;
                    }
                    Some((NamedValues::Bits(names, rest), more))
                })*
                _ => None,
            }
        };
    }
    named! {
        one:
            SourceLanguage ExecutionModel AddressingModel MemoryModel ExecutionMode StorageClass
            Dim SamplerAddressingMode SamplerFilterMode ImageFormat ImageChannelOrder
            ImageChannelDataType FPRoundingMode FPDenormMode QuantizationModes FPOperationMode
            OverflowModes LinkageType AccessQualifier HostAccessQualifier
            FunctionParameterAttribute Decoration BuiltIn Scope GroupOperation KernelEnqueueFlags
            Capability RayQueryIntersection RayQueryCommittedIntersectionType
            RayQueryCandidateIntersectionType PackedVectorFormat CooperativeMatrixLayout
            CooperativeMatrixUse TensorClampMode InitializationModeQualifier LoadCacheControl
            StoreCacheControl NamedMaximumNumberOfRegisters FPEncoding
            CooperativeVectorMatrixLayout ComponentType;
        bits:
            ImageOperands FPFastMathMode SelectionControl LoopControl FunctionControl
            MemorySemantics MemoryAccess KernelProfilingInfo RayFlags FragmentShadingRate
            RawAccessChainOperands CooperativeMatrixOperands CooperativeMatrixReduce
            TensorAddressingOperands MatrixMultiplyAccumulateOperands TensorOperands
    }
}

/// Khronos' `2D` is not an identifier, so Rust has `Dim2D`.
fn enumerant(name: &str) -> String {
    match name.strip_prefix("Dim") {
        Some(rest) if rest.starts_with(|c: char| c.is_ascii_digit()) => rest.to_owned(),
        _ => name.to_owned(),
    }
}

/// Converts the constant of a bit to Khronos' name: `NOT_NAN` to `NotNaN`.
fn camel(constant: &str) -> String {
    const UNCHANGED: &[&str] = &["ALTERA", "AMD", "ARM", "EXT", "INTEL", "KHR", "NSZ", "NV"];
    let words = constant
        .strip_suffix("_MASK")
        .unwrap_or(constant)
        .split('_');
    words.fold(String::new(), |name, word| match word {
        "NAN" => name + "NaN",
        _ if UNCHANGED.contains(&word) => name + word,
        _ => {
            let (first, rest) = word.split_at_checked(1).unwrap_or((word, ""));
            name + first + &rest.to_ascii_lowercase()
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_match_the_specification() {
        let one = |kind, word| match named(kind, word) {
            Some((NamedValues::One(name), _)) => name,
            other => panic!("{other:?}"),
        };
        assert_eq!(one(OperandKind::Capability, 6).as_deref(), Some("Kernel"));
        assert_eq!(one(OperandKind::Dim, 1).as_deref(), Some("2D"));
        assert_eq!(
            one(OperandKind::SourceLanguage, 4).as_deref(),
            Some("OpenCL_CPP")
        );
        assert_eq!(one(OperandKind::StorageClass, 0x7777_7777), None);
        let Some((NamedValues::Bits(names, rest), _)) = named(OperandKind::FPFastMathMode, 0x8005)
        else {
            panic!("not bits");
        };
        assert_eq!((names, rest), (vec!["NotNaN".into(), "NSZ".into()], 0x8000));
        assert_eq!(instruction(21).map(|i| i.opname), Some("TypeInt"));
        assert!(instruction(0xfff0).is_none());
        assert_eq!(extended("OpenCL.std", 0), Some("acos"));
        assert_eq!(extended("OpenCL.std", 99_999), None);
        assert_eq!(named(OperandKind::IdRef, 1), None);
    }

    #[test]
    fn operands_of_bits_are_in_the_order_of_the_bits() {
        // Aligned, MakePointerAvailable.
        let Some((_, more)) = named(OperandKind::MemoryAccess, 0b1010) else {
            panic!("not bits");
        };
        let kinds: Vec<_> = more.iter().map(|operand| operand.kind).collect();
        assert_eq!(kinds, [OperandKind::LiteralInteger, OperandKind::IdScope]);
    }
}
