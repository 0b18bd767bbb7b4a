//! The overview of a module, from its instructions: SPIR-V, 2.4 Logical Layout of a Module. These
//! rows have no bytes; they refer to the instructions.

use std::ops::Range;

use super::grammar::Kind;
use super::instruction::{id_text, opcode, text, words};
use super::module::Module;
use super::words::text as words_text;
use zeview_core::model::{Doc, Node, Rows, Value};

/// A kind of instructions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Group {
    Capabilities,
    Extensions,
    Imports,
    MemoryModel,
    EntryPoints,
    ExecutionModes,
    Sources,
    Names,
    Decorations,
    Functions,
}

const GROUPS: &[Group] = &[
    Group::Capabilities,
    Group::Extensions,
    Group::Imports,
    Group::MemoryModel,
    Group::EntryPoints,
    Group::ExecutionModes,
    Group::Sources,
    Group::Names,
    Group::Decorations,
    Group::Functions,
];

impl Group {
    /// Returns the group that lists the instructions with an opcode.
    fn of(opcode: u16) -> Option<Group> {
        Some(match opcode {
            17 => Group::Capabilities,
            10 => Group::Extensions,
            11 => Group::Imports,
            14 => Group::MemoryModel,
            15 => Group::EntryPoints,
            16 | 331 => Group::ExecutionModes,
            3 => Group::Sources,
            5 | 6 => Group::Names,
            71 | 72 | 332 | 5632 | 5633 => Group::Decorations,
            54 => Group::Functions,
            _ => return None,
        })
    }

    /// Returns its title.
    pub(super) fn title(self) -> &'static str {
        match self {
            Group::Capabilities => "capabilities",
            Group::Extensions => "extensions",
            Group::Imports => "extended instruction sets",
            Group::MemoryModel => "memory model",
            Group::EntryPoints => "entry points",
            Group::ExecutionModes => "execution modes",
            Group::Sources => "source",
            Group::Names => "names",
            Group::Decorations => "decorations",
            Group::Functions => "functions",
        }
    }

    /// Returns its index.
    pub(super) fn index(self) -> u64 {
        GROUPS.iter().position(|group| *group == self).unwrap_or(0) as u64
    }
}

const ENTRY_DOC: Doc = Doc {
    text: "Taken from an instruction of the module; the reference links to it.",
    source: "SPIR-V, 2.4 Logical Layout of a Module",
    known: &[],
};

/// The instructions of each group, by number.
#[derive(Debug, Default)]
pub(super) struct Overview([Vec<u32>; GROUPS.len()]);

impl Overview {
    /// Adds an instruction.
    pub(super) fn note(&mut self, opcode: u16, number: u32) {
        if let Some(list) = Group::of(opcode).and_then(|group| self.list_mut(group)) {
            list.push(number);
        }
    }

    fn list_mut(&mut self, group: Group) -> Option<&mut Vec<u32>> {
        self.0.get_mut(usize::try_from(group.index()).ok()?)
    }

    fn list(&self, group: u64) -> &[u32] {
        usize::try_from(group)
            .ok()
            .and_then(|group| self.0.get(group))
            .map_or(&[], Vec::as_slice)
    }

    /// Returns the numbers of the instructions OpFunction.
    pub(super) fn functions(&self) -> &[u32] {
        self.list(Group::Functions.index())
    }

    /// Returns the non-empty groups and their sizes.
    pub(super) fn groups(&self) -> impl Iterator<Item = (Group, u64)> {
        let all = GROUPS
            .iter()
            .map(|group| (*group, self.count(group.index())));
        all.filter(|(_, count)| *count > 0)
    }

    /// Returns the number of instructions of a group.
    pub(super) fn count(&self, group: u64) -> u64 {
        self.list(group).len() as u64
    }

    /// Returns the rows of a group.
    pub(super) fn rows(&self, module: &Module, group: u64, range: Range<u64>, out: &mut Rows<'_>) {
        let from = usize::try_from(range.start).unwrap_or(usize::MAX);
        let most = usize::try_from(range.end.saturating_sub(range.start)).unwrap_or(0);
        for number in self.list(group).iter().skip(from).take(most) {
            out.extend(row(module, *number));
        }
    }
}

/// Returns the row of an instruction, named after its subject.
fn row(module: &Module, number: u32) -> Option<Node> {
    let instruction = module.instruction(number)?;
    let operands = module.operands(&instruction);
    let kernel = operands
        .iter()
        .find(|operand| operand.kind == Kind::Text && instruction.opcode == 15);
    let kernel = kernel.map(|name| words_text(words(&instruction, name)).0);
    let about = match instruction.opcode {
        // OpFunction: its result, not its type.
        54 => operands
            .iter()
            .position(|operand| operand.kind == Kind::Result),
        11 | 15 | 3 => None,
        _ => operands.iter().position(|operand| operand.kind.is_id()),
    };
    let rest = operands.iter().enumerate().filter(|(i, operand)| {
        let is_name = operand.kind == Kind::Text && kernel.is_some();
        Some(*i) != about && !is_name && operand.kind != Kind::Result
    });
    let rest: Vec<String> = rest
        .take(16)
        .map(|(_, operand)| text(module, &instruction, operand))
        .collect();
    let rest = rest.join(" ");
    let about = about.and_then(|at| operands.get(at));
    let named = match about.and_then(|about| words(&instruction, about).first()) {
        // The name itself follows.
        Some(id) if matches!(instruction.opcode, 5 | 6) => Some(format!("%{id}")),
        Some(id) => Some(id_text(module, *id)),
        None => kernel,
    };
    let node = match named {
        Some(name) if rest.is_empty() => Node::derived(name, Value::None),
        Some(name) => Node::derived(name, Value::None).summary(rest),
        None => Node::derived(rest, Value::None),
    };
    let label = format!("{} [{number}]", opcode(&instruction));
    Some(
        node.xref("instruction", label, instruction.span)
            .doc(&ENTRY_DOC),
    )
}
