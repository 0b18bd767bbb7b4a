//! What the instructions of a module do, as far as the instructions of a GPU show the same.

use super::calls::Calls;
use super::grammar::Kind;
use super::module::{Instruction, Module};
use super::opcodes::{
    OP_CONTROL_BARRIER, OP_COOPERATIVE_MATRIX_MUL_ADD_KHR, OP_ENTRY_POINT, OP_FUNCTION,
    OP_FUNCTION_CALL, OP_FUNCTION_PARAMETER, OP_SUBGROUP_MATRIX_MULTIPLY_ACCUMULATE_INTEL,
};
use super::words::string;
use zeview_core::analysis::module_text::{ModuleOperation, OperationKind};

/// Returns the indices of the functions that a kernel reaches, in the order of
/// [`functions`](Module::functions): its own first. Empty if the module has no such entry point.
pub(super) fn functions_of(module: &Module, kernel: &[u8]) -> Vec<usize> {
    let mut calls = Calls::default();
    let mut entry = None;
    let mut instruction = Instruction::default();
    for number in 0..module.instructions() {
        if !module.read_instruction(number, &mut instruction) {
            break;
        }
        let operands = instruction.words.get(1..).unwrap_or_default();
        if let (OP_ENTRY_POINT, None, [_, id, name @ ..]) = (instruction.opcode, entry, operands) {
            entry = (string(name) == kernel).then_some(*id);
        }
        calls.add(instruction.opcode, operands);
    }
    let function = entry.and_then(|id| calls.function(id));
    function.map_or_else(Vec::new, |function| calls.reached_from(function))
}

/// Returns what an instruction does.
pub(super) fn operation(module: &Module, instruction: &Instruction) -> ModuleOperation {
    let mut found = ModuleOperation::default();
    let words = &instruction.words;
    for piece in module.operands(instruction) {
        let word = words.get(usize::from(piece.at)).copied();
        match (piece.kind, word) {
            (Kind::Result, id) => found.result = id,
            (kind, Some(id)) if kind.is_id() => found.ids.push(id),
            _ => {}
        }
    }
    found.kind = match (instruction.opcode, words.as_slice()) {
        (OP_FUNCTION, _) => OperationKind::Function,
        (OP_FUNCTION_PARAMETER, _) => OperationKind::Parameter,
        (OP_FUNCTION_CALL, [_, _, _, function, arguments @ ..]) => OperationKind::Call {
            function: *function,
            arguments: arguments.to_vec(),
        },
        (OP_CONTROL_BARRIER, _) => OperationKind::Barrier,
        (OP_COOPERATIVE_MATRIX_MUL_ADD_KHR | OP_SUBGROUP_MATRIX_MULTIPLY_ACCUMULATE_INTEL, _) => {
            OperationKind::MatrixMultiplication
        }
        _ => {
            let name = instruction.grammar.map_or("", |grammar| grammar.name);
            if name.starts_with("Atomic") {
                OperationKind::Atomic
            } else {
                OperationKind::Other
            }
        }
    };
    found
}
