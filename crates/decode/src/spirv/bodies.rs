//! The functions of a module, with the kernel that each belongs to.
//!
//! Compilers write a kernel as an entry point and the functions that it calls. A function that only
//! one kernel reaches is a part of that kernel; the others are shared.

use foldhash::HashMap;

use super::words::Words;
use zeview_core::model::{Sources, Span, sort};

const OP_FUNCTION: u16 = 54;
const OP_FUNCTION_END: u16 = 56;
const OP_FUNCTION_CALL: u16 = 57;

/// The kernels that reach a function.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Owner {
    /// None that is known: it may be called through a pointer, or by another module.
    Nobody,
    /// The kernel with this index.
    One(usize),
    /// Several kernels.
    Several,
}

/// A function.
struct Function {
    span: Span,
    calls: Vec<u32>,
    owner: Owner,
}

/// Returns the bytes of the functions of a module in order, from `OpFunction` to `OpFunctionEnd`, each
/// with the index of the only entry point that reaches it. `entries` has the ids of the functions of
/// the entry points.
pub(super) fn bodies(
    sources: &Sources,
    module: Span,
    entries: &[u32],
) -> Vec<(Span, Option<usize>)> {
    let mut functions: Vec<Function> = Vec::new();
    let mut by_id: HashMap<u32, usize> = HashMap::default();
    let mut is_open = false;
    let mut words = Words::new(sources, module);
    while let Some((opcode, operands, span)) = words.as_mut().and_then(Words::next) {
        match (opcode, operands.as_slice()) {
            (OP_FUNCTION, [_, id, ..]) => {
                by_id.entry(*id).or_insert(functions.len());
                functions.push(Function {
                    span,
                    calls: Vec::new(),
                    owner: Owner::Nobody,
                });
                is_open = true;
            }
            (OP_FUNCTION_CALL, [_, _, callee, ..]) if is_open => {
                if let Some(function) = functions.last_mut() {
                    function.calls.push(*callee);
                }
            }
            _ => {}
        }
        if let Some(function) = functions.last_mut().filter(|_| is_open) {
            function.span.end = span.end;
        }
        is_open &= opcode != OP_FUNCTION_END;
    }
    for function in &mut functions {
        sort::ascending(&mut function.calls);
        function.calls.dedup();
    }
    for (kernel, id) in entries.iter().enumerate() {
        let mut pending: Vec<usize> = by_id.get(id).copied().into_iter().collect();
        while let Some(at) = pending.pop() {
            let Some(function) = functions.get_mut(at) else {
                continue;
            };
            // Each function changes at most twice, so this ends.
            function.owner = match function.owner {
                Owner::Nobody => Owner::One(kernel),
                Owner::One(other) if other != kernel => Owner::Several,
                Owner::One(_) | Owner::Several => continue,
            };
            let calls = function.calls.iter();
            pending.extend(calls.filter_map(|callee| by_id.get(callee).copied()));
        }
    }
    let found = functions.into_iter().map(|function| match function.owner {
        Owner::One(kernel) => (function.span, Some(kernel)),
        Owner::Nobody | Owner::Several => (function.span, None),
    });
    found.collect()
}
