//! The functions of a module, with the kernel that each belongs to.
//!
//! Compilers write a kernel as an entry point and the functions that it calls. A function that only
//! one kernel reaches is a part of that kernel; the others are shared.

use super::calls::Calls;
use super::words::Words;
use zeview_core::model::{Sources, Span};

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

/// Returns the bytes of the functions of a module in order, from `OpFunction` to `OpFunctionEnd`, each
/// with the index of the only entry point that reaches it. `entries` has the ids of the functions of
/// the entry points.
pub(super) fn bodies(
    sources: &Sources,
    module: Span,
    entries: &[u32],
) -> Vec<(Span, Option<usize>)> {
    let mut calls = Calls::default();
    let mut functions: Vec<(Span, Owner)> = Vec::new();
    let mut words = Words::new(sources, module);
    while let Some((opcode, operands, span)) = words.as_mut().and_then(Words::next) {
        let Some(at) = calls.add(opcode, &operands) else {
            continue;
        };
        match functions.get_mut(at) {
            Some((function, _)) => function.end = span.end,
            None => functions.push((span, Owner::Nobody)),
        }
    }
    for (kernel, id) in entries.iter().enumerate() {
        let mut pending: Vec<usize> = calls.function(*id).into_iter().collect();
        while let Some(at) = pending.pop() {
            let Some((_, owner)) = functions.get_mut(at) else {
                continue;
            };
            // Each function changes at most twice, so this ends.
            *owner = match *owner {
                Owner::Nobody => Owner::One(kernel),
                Owner::One(other) if other != kernel => Owner::Several,
                Owner::One(_) | Owner::Several => continue,
            };
            pending.extend(calls.called_by(at));
        }
    }
    let found = functions.into_iter().map(|(span, owner)| match owner {
        Owner::One(kernel) => (span, Some(kernel)),
        Owner::Nobody | Owner::Several => (span, None),
    });
    found.collect()
}
