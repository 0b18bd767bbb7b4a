//! The functions of a module, and which ones they call.

use foldhash::{HashMap, HashSet};
use std::collections::VecDeque;

use super::opcodes::{OP_FUNCTION, OP_FUNCTION_CALL, OP_FUNCTION_END};
use zeview_core::model::sort;

/// The functions of a module in order, collected from its instructions.
#[derive(Default)]
pub(super) struct Calls {
    functions: Vec<Function>,
    by_id: HashMap<u32, usize>,
    is_open: bool,
}

/// A function.
struct Function {
    /// The ids of the functions that it calls, without repetitions.
    calls: Vec<u32>,
}

impl Calls {
    /// Adds an instruction, with its words after the first. Returns the index of the function that it
    /// is in, from `OpFunction` to `OpFunctionEnd`.
    pub(super) fn add(&mut self, opcode: u16, operands: &[u32]) -> Option<usize> {
        match (opcode, operands) {
            (OP_FUNCTION, operands) => {
                self.close();
                if let Some(id) = operands.get(1) {
                    self.by_id.entry(*id).or_insert(self.functions.len());
                }
                self.functions.push(Function { calls: Vec::new() });
                self.is_open = true;
            }
            (OP_FUNCTION_CALL, [_, _, callee, ..]) if self.is_open => {
                if let Some(function) = self.functions.last_mut() {
                    function.calls.push(*callee);
                }
            }
            _ => {}
        }
        let at = self.functions.len().checked_sub(1);
        let at = at.filter(|_| self.is_open);
        if opcode == OP_FUNCTION_END {
            self.close();
        }
        at
    }

    fn close(&mut self) {
        if let Some(function) = self.functions.last_mut().filter(|_| self.is_open) {
            sort::ascending(&mut function.calls);
            function.calls.dedup();
        }
        self.is_open = false;
    }

    /// Returns the index of the function with an id.
    pub(super) fn function(&self, id: u32) -> Option<usize> {
        self.by_id.get(&id).copied()
    }

    /// Returns the indices of the functions of the module that a function calls.
    pub(super) fn called_by(&self, function: usize) -> impl Iterator<Item = usize> {
        let calls = self.functions.get(function);
        let calls = calls.into_iter().flat_map(|function| &function.calls);
        calls.filter_map(|callee| self.function(*callee))
    }

    /// Returns the indices of the functions that a function reaches: itself first, then the nearest.
    pub(super) fn reached_from(&self, function: usize) -> Vec<usize> {
        let mut pending = VecDeque::from([function]);
        let mut seen = HashSet::default();
        seen.insert(function);
        let mut found = Vec::new();
        while let Some(at) = pending.pop_front() {
            found.push(at);
            let new = self.called_by(at).filter(|callee| seen.insert(*callee));
            pending.extend(new);
        }
        found
    }
}
